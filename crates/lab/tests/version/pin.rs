//! Keeping paths the same in every config.

use crate::sandbox::{Sandbox, check};
use nub_lab::version::{Pinned, RelPath};

fn path(text: &str) -> RelPath {
    RelPath::try_from(text).unwrap()
}

#[test]
fn a_pinned_file_is_as_in_the_new_version_or_as_in_the_only_one_that_has_it() {
    let s = Sandbox::empty();
    for (side, only) in [("old", "gone"), ("new", "added")] {
        s.write(format!("{side}/src"), side);
        s.write(format!("{side}/test"), side);
        s.write(format!("{side}/same"), "same");
        s.write(format!("{side}/{only}"), side);
    }
    let mut pair = s.pair(&["old", "new"]).unwrap();
    let pinned = ["test", "gone", "added", "same", "nowhere"].map(|name| pair.pin(&path(name)));
    assert_eq!(pinned, [Pinned::FromNew, Pinned::FromOld, Pinned::FromNew, Pinned::Alike, Pinned::Missing]);
    let rest = "test: file \"new\"";
    check(
        &pair,
        &format!("added: file \"new\"\ngone: file \"old\"\nsame: file \"same\"\nsrc: file \"old\"\n{rest}"),
        &format!("added: file \"new\"\ngone: file \"old\"\nsame: file \"same\"\nsrc: file \"new\"\n{rest}"),
    );
}

#[test]
fn a_pinned_folder_comes_whole() {
    let s = Sandbox::empty();
    s.write("old/tests/a", "1");
    s.write("old/tests/dropped", "1");
    s.write("old/x", "1");
    s.write("new/tests/a", "2");
    s.write("new/tests/deep/b", "2");
    s.write("new/x", "2");
    let mut pair = s.pair(&["old", "new"]).unwrap();
    assert_eq!(pair.pin(&path("tests")), Pinned::FromNew);
    let tests = "tests/a: file \"2\"\ntests/deep/b: file \"2\"";
    check(&pair, &format!("{tests}\nx: file \"1\""), &format!("{tests}\nx: file \"2\""));
}

#[test]
fn a_pinned_folder_replaces_a_file_of_its_name() {
    let s = Sandbox::empty();
    s.write("old/t", "1");
    s.write("new/t/a", "2");
    let mut pair = s.pair(&["old", "new"]).unwrap();
    assert_eq!(pair.pin(&path("t")), Pinned::FromNew);
    check(&pair, "t/a: file \"2\"", "t/a: file \"2\"");
}

#[test]
fn a_script_that_neither_version_has_is_read_from_where_the_user_is() {
    let s = Sandbox::empty();
    s.write("old/x", "1");
    s.write("new/x", "2");
    s.write("repro.sh", "exit 1");
    s.make_executable("repro.sh");
    let mut pair = s.pair(&["old", "new"]).unwrap();
    let mut pin = |name: &str| pair.pin_or_read(&path(name), &s.here.join(name)).unwrap();
    assert_eq!(pin("repro.sh"), Pinned::FromHere);
    assert_eq!(pin("nowhere"), Pinned::Missing);
    assert_eq!(pin("x"), Pinned::FromNew);
    let script = "repro.sh: exec \"exit 1\"\nx: file \"2\"";
    check(&pair, script, script);
}
