//! Directories, and mixtures with them.

use crate::sandbox::{Sandbox, check, paths};
use nub_lab::version::RelPath;

#[test]
fn two_directories_are_two_versions() {
    let s = Sandbox::empty();
    s.write("old/a", "1");
    s.write("old/d/run", "2");
    s.make_executable("old/d/run");
    s.write(b"new/\xff\n".to_vec(), "3");
    s.link("new/l", "/anywhere");
    let pair = s.pair(&["old", "new/"]).unwrap();
    check(&pair, "a: file \"1\"\nd/run: exec \"2\"", "l: link \"/anywhere\"\n\\xff\\n: file \"3\"");
    assert_eq!(pair.subfolder, None);
}

#[test]
fn gitignore_files_of_a_directory_are_respected() {
    let s = Sandbox::empty();
    s.write("old/.gitignore", "*.log\n/target/\n!keep.log\n");
    s.write("old/a.log", "");
    s.write("old/keep.log", "");
    s.write("old/target/x", "");
    s.write("old/sub/target/x", "");
    s.write("old/sub/.gitignore", "keep.log\n[\n");
    s.write("old/sub/keep.log", "");
    s.write("old/.git/config", "");
    s.write("new/x", "");
    let pair = s.pair(&["old", "new"]).unwrap();
    assert_eq!(paths(&pair.old.tree), [".gitignore", "keep.log", "sub/.gitignore", "sub/target/x"]);
    let origin = pair.old.origin().unwrap();
    let mut alongside: Vec<String> = origin.alongside.iter().map(RelPath::to_string).collect();
    alongside.sort();
    assert_eq!(alongside, ["a.log", "sub/keep.log", "target"]);
    assert_eq!(origin.root, s.here.join("old"));
}

#[test]
fn an_ignored_file_that_the_other_version_has_is_content() {
    let s = Sandbox::empty();
    s.write("old/.gitignore", "configure\nconfigure.d\n");
    s.write("old/configure", "1");
    s.write("old/configure.d/x", "1");
    s.write("new/configure", "2");
    s.write("new/configure.d/x", "2");
    check(
        &s.pair(&["old", "new"]).unwrap(),
        ".gitignore: file \"configure\\nconfigure.d\\n\"\nconfigure: file \"1\"\nconfigure.d/x: file \"1\"",
        "configure: file \"2\"\nconfigure.d/x: file \"2\"",
    );
}

#[test]
fn a_tracked_file_of_a_clone_is_content_even_if_ignored() {
    let s = Sandbox::repository();
    s.write(".gitignore", "*.gen\n");
    s.write("a.gen", "1");
    s.git("add -f a.gen");
    s.commit("v1");
    s.git("clone -q . ../clone");
    s.write("a.gen", "2");
    let s = s.from("..");
    let pair = s.pair(&["clone", "repo"]).unwrap();
    check(
        &pair,
        ".gitignore: file \"*.gen\\n\"\na.gen: file \"1\"",
        ".gitignore: file \"*.gen\\n\"\na.gen: file \"2\"",
    );
}

#[test]
fn a_revision_and_a_directory_mix() {
    let s = Sandbox::with_commit();
    s.write("../copy/a.txt", "copy");
    check(
        &s.pair(&["v1", "../copy"]).unwrap(),
        r#"a.txt: file "one\ntwo\nthree\n""#,
        r#"a.txt: file "copy""#,
    );
    check(&s.pair(&["../copy"]).unwrap(), r#"a.txt: file "copy""#, r#"a.txt: file "one\ntwo\nthree\n""#);
}

#[test]
fn the_top_of_the_repository_is_its_working_tree() {
    let s = Sandbox::with_commit();
    s.write("a.txt", "2");
    assert_eq!(s.pair(&[".", "v1"]).unwrap().old.name, "the working tree");
}

#[test]
fn a_path_that_leads_nowhere_is_named() {
    let s = Sandbox::empty();
    s.write("old/a", "");
    s.write("notes.txt", "hello");
    assert_eq!(s.refusal(&["old", "./nowhere"]), "there is no directory or archive `./nowhere`");
    assert_eq!(
        s.refusal(&["old", "notes.txt"]),
        "`notes.txt` is a file, but no archive that nub reads (tar, tar.gz, tar.xz, tar.bz2, zip); \
         a patch goes with --patch"
    );
}

#[test]
fn a_socket_or_pipe_in_a_directory_is_left_out() {
    let s = Sandbox::empty();
    s.write("old/a", "");
    s.write("new/b", "");
    s.run("mkfifo", &["new/pipe"]);
    assert_eq!(paths(&s.pair(&["old", "new"]).unwrap().new.tree), ["b"]);
}
