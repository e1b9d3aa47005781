//! Keeping to the paths that may change.

use crate::sandbox::{Sandbox, check};
use nub_lab::event::Side;
use nub_lab::version::Filter;
use nub_lab::version::RelPath;

fn filter(only: &[&str], ignore: &[&str]) -> Filter {
    let owned = |globs: &[&str]| globs.iter().map(|g| g.to_string()).collect::<Vec<_>>();
    Filter::new(&owned(only), &owned(ignore)).unwrap()
}

#[test]
fn patterns_are_those_of_gitignore() {
    let admits = |only: &[&str], ignore: &[&str], path: &str| {
        filter(only, ignore).admits(&RelPath::new(path.as_bytes()).unwrap())
    };
    assert!(admits(&[], &[], "a"));
    assert!(admits(&["*.py"], &[], "deep/down/a.py"));
    assert!(!admits(&["*.py"], &[], "a.rs"));
    assert!(admits(&["src"], &[], "src/a/b"));
    assert!(admits(&["src/"], &[], "lib/src/b"));
    assert!(!admits(&["/src"], &[], "lib/src/b"));
    assert!(!admits(&["src/"], &[], "src"));
    assert!(admits(&["a", "b"], &[], "b"));
    assert!(!admits(&["src"], &["*.md"], "src/README.md"));
    assert!(admits(&[], &["*.md", "!README.md"], "README.md"));
    assert!(filter(&["*"], &[]).admits(&RelPath::new(b"\xff").unwrap()));
}

#[test]
fn a_bad_pattern_is_named() {
    let bad = |glob: &str| Filter::new(&[glob.into()], &[]).err().unwrap().to_string();
    assert!(bad("a[").starts_with("`a[` is not a pattern for paths: "), "{}", bad("a["));
    assert_eq!(bad(""), "`` is not a pattern for paths: it is empty or a comment");
}

#[test]
fn paths_outside_the_limit_are_as_on_the_side_searched_from() {
    let s = Sandbox::empty();
    s.write("old/src/a", "1");
    s.write("old/docs/a", "1");
    s.write("old/docs/gone", "1");
    s.write("new/src/a", "2");
    s.write("new/docs/a", "2");
    s.write("new/docs/added", "2");
    let pair = s.pair(&["old", "new"]).unwrap();
    let only = filter(&["src"], &[]);
    check(
        &pair.clone().limit(&only, Side::New).unwrap(),
        "docs/a: file \"2\"\ndocs/added: file \"2\"\nsrc/a: file \"1\"",
        "docs/a: file \"2\"\ndocs/added: file \"2\"\nsrc/a: file \"2\"",
    );
    check(
        &pair.limit(&only, Side::Old).unwrap(),
        "docs/a: file \"1\"\ndocs/gone: file \"1\"\nsrc/a: file \"1\"",
        "docs/a: file \"1\"\ndocs/gone: file \"1\"\nsrc/a: file \"2\"",
    );
}

#[test]
fn a_file_inside_gives_way_to_a_folder_outside() {
    let s = Sandbox::empty();
    s.write("old/x", "file");
    s.write("old/y", "1");
    s.write("new/x/z", "folder");
    s.write("new/y", "2");
    let pair = s.pair(&["old", "new"]).unwrap().limit(&filter(&[], &["z"]), Side::New).unwrap();
    check(&pair, "x/z: file \"folder\"\ny: file \"1\"", "x/z: file \"folder\"\ny: file \"2\"");
}

#[test]
fn a_limit_that_leaves_nothing_is_an_error() {
    let s = Sandbox::empty();
    s.write("old/a", "1");
    s.write("new/b", "2");
    let pair = s.pair(&["old", "new"]).unwrap();
    assert_eq!(
        s.message(pair.limit(&filter(&["src"], &[]), Side::New)),
        "--only and --ignore leave no change to search; changed are: a, b"
    );
}
