//! A base plus a patch file.

use crate::sandbox::{Sandbox, check, paths};

/// The new version from a patch is the new version the patch was made from.
fn check_round_trip(s: &Sandbox, diff: &str) {
    let patch = std::process::Command::new("git")
        .args(diff.split_whitespace())
        .args(["v1", "v2"])
        .current_dir(&s.here)
        .output()
        .unwrap();
    assert!(!patch.stdout.is_empty());
    s.write("../fix.diff", &patch.stdout);
    let direct = s.pair(&["v1", "v2"]).unwrap();
    let patched = s.patched(&["v1"], "../fix.diff").unwrap();
    assert_eq!(format!("{:?}", patched.old.tree), format!("{:?}", direct.old.tree), "{diff}");
    assert_eq!(format!("{:?}", patched.new.tree), format!("{:?}", direct.new.tree), "{diff}");
}

#[test]
fn everything_git_can_write_into_a_patch_is_applied() {
    let s = Sandbox::repository();
    let lines = |n: u32| (0..n).map(|i| format!("line {i}\n")).collect::<String>();
    s.write("edited", lines(50));
    s.write("renamed from", lines(30));
    s.write("tab\tfrom", lines(20));
    s.write("copied", lines(40));
    s.write("mode", "x");
    s.write("deleted", "x\n");
    s.write("binary", [0, 1, 2, 255, 0]);
    s.write("crlf", "a\r\nb\r\n");
    s.write("no newline", "a\nb");
    s.write("becomes folder", "x\n");
    s.write("folder/x", "x\n");
    s.write("line\nbreak\"\\", "1\n");
    s.write("same", "same");
    s.link("link", "edited");
    s.commit("v1");
    s.write("edited", lines(50).replace("line 7\n", "").replace("line 33\n", "new\n"));
    s.run("mv", &["renamed from", "renamed to"]);
    s.run("mv", &["tab\tfrom", "tab\tto"]);
    s.write("copy", lines(40) + "more\n");
    s.write("copied", lines(40).replace("line 2\n", ""));
    s.make_executable("mode");
    s.remove("deleted");
    s.write("binary", [0, 3, 2, 255, 0, 9]);
    s.write("new-binary", [0, 7]);
    s.write("crlf", "a\r\nc\r\n");
    s.write("no newline", "a\nc");
    s.remove("becomes folder");
    s.write("becomes folder/y", "y\n");
    s.run("rm", &["-r", "folder"]);
    s.write("folder", "file\n");
    s.write("line\nbreak\"\\", "2\n");
    s.write("empty", "");
    s.remove("link");
    s.link("link", "copied");
    s.commit("v2");
    for diff in [
        "diff --binary",
        "diff --binary -M -C --find-copies-harder",
        "diff --binary --no-prefix",
        "diff --binary --no-renames --src-prefix=x/y/ --dst-prefix=x/z/",
    ] {
        check_round_trip(&s, diff);
    }
}

#[test]
fn line_endings_are_not_converted_by_a_patch() {
    let s = Sandbox::repository();
    s.write(".gitattributes", "*.bat text eol=crlf\n");
    s.write("a.bat", "1\r\n2\r\n");
    s.commit("v1");
    s.write("b", "");
    s.commit("v2");
    check_round_trip(&s, "diff");
}

#[test]
fn a_changed_submodule_is_patched() {
    let s = Sandbox::with_commit();
    s.git("update-index --add --cacheinfo 160000,0123456789012345678901234567890123456789,lib");
    s.git("commit -q -m lib");
    s.git("tag -f v1");
    s.git("update-index --cacheinfo 160000,9876543210987654321098765432109876543210,lib");
    s.git("commit -q -m lib2");
    s.git("tag v2");
    check_round_trip(&s, "diff");
}

#[test]
fn a_patch_applies_to_the_working_tree_if_nothing_is_said() {
    let s = Sandbox::with_commit();
    s.write("untracked", "x\n");
    s.write("../fix.diff", "--- untracked\n+++ untracked\n@@ -1 +1 @@\n-x\n+y\n");
    let pair = s.patched(&[], "../fix.diff").unwrap();
    check(
        &pair,
        "a.txt: file \"one\\ntwo\\nthree\\n\"\nuntracked: file \"x\\n\"",
        "a.txt: file \"one\\ntwo\\nthree\\n\"\nuntracked: file \"y\\n\"",
    );
    assert_eq!(
        pair.new.name.replace(s.root().to_str().unwrap(), "$"),
        "the working tree with `$/repo/../fix.diff`"
    );
    assert_eq!(pair.new.origin(), pair.old.origin());
}

#[test]
fn outside_a_repository_a_patch_applies_to_this_directory_or_an_archive() {
    let s = Sandbox::empty();
    s.write("foo/a.txt", "1\n");
    s.run("tar", &["-cf", "foo.tar", "foo"]);
    s.write(
        "fix.diff",
        "--- foo-1.2/a.txt\t2024-01-01\n+++ foo-1.3/a.txt\t2024-01-02\n@@ -1 +1 @@\n-1\n+2\n",
    );
    check(&s.patched(&["foo.tar"], "fix.diff").unwrap(), r#"a.txt: file "1\n""#, r#"a.txt: file "2\n""#);
    let s = s.from("foo");
    check(&s.patched(&[], "../fix.diff").unwrap(), r#"a.txt: file "1\n""#, r#"a.txt: file "2\n""#);
}

#[test]
fn a_patch_that_does_not_apply_is_explained_in_gits_words() {
    let s = Sandbox::with_commit();
    s.write("../fix.diff", "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-deux\n+zwei\n");
    assert_eq!(
        s.message(s.patched(&["v1"], "../fix.diff")),
        "patch `$/repo/../fix.diff` does not apply to `v1`; git says:\n\
         error: while searching for:\none\ndeux\n\nerror: patch failed: a.txt:1\nerror: a.txt: patch does not apply"
    );
    s.write("../fix.diff", "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+zwei\n");
    assert_eq!(
        s.message(s.patched(&["v1"], "../fix.diff")),
        "patch `$/repo/../fix.diff` does not apply to `v1`; git says:\n\
         error: b.txt: does not exist in the base version"
    );
    s.write("../fix.diff", "hello\n");
    let said = s.message(s.patched(&["v1"], "../fix.diff"));
    assert!(said.contains("git says:\nerror: No valid patches in input"), "{said}");
    s.write("../fix.diff", "--- a/../evil\n+++ b/../evil\n@@ -0,0 +1 @@\n+x\n");
    let said = s.message(s.patched(&["v1"], "../fix.diff"));
    assert!(said.contains("invalid path '../evil'"), "{said}");
}

#[test]
fn a_patch_that_cannot_be_read_is_named() {
    let s = Sandbox::with_commit();
    assert_eq!(
        s.message(s.patched(&[], "nowhere.diff")),
        "failed to read patch `$/repo/nowhere.diff`: No such file or directory (os error 2)"
    );
    assert_eq!(
        s.message(s.patched(&["v1", "v1"], "x")),
        "--patch makes the new version from the old one; name one version with it, not two"
    );
    assert_eq!(
        s.message(s.patched(&["v1..v1"], "x")),
        "`v1..v1` names two versions already; leave the other version or --patch out"
    );
}

#[test]
fn a_patch_leaves_nothing_behind() {
    let s = Sandbox::with_commit();
    s.write("../fix.diff", "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,2 @@\n one\n-two\n three\n");
    let pair = s.patched(&["v1"], "../fix.diff").unwrap();
    assert_eq!(paths(&pair.new.tree), ["a.txt"]);
    assert_eq!(s.git("status --porcelain"), "");
}
