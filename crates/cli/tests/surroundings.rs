//! What is around a run of `nub isolate`: the user's repository, the folder the user is in, what tests leave behind.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod sandbox;

use sandbox::Sandbox;

/// Fails since `v2`.
const TEST: &str = "[ \"$(sh add.sh 2 2)\" = 4 ]";

#[test]
fn git_in_a_test_does_not_find_the_users_repository() {
    let s = Sandbox::with_regression();
    s.write("say.sh", "echo an edit\n");
    s.write("add.sh", "# Adds.\necho $(($1 + $2))\n");
    let (head, index) = (s.git("rev-parse HEAD"), s.git("ls-files --stage"));
    let test = format!("git add -A; git -c user.name=x -c user.email=x commit -qam x; {TEST}");
    let mut command = s.command("", &["isolate", "--out", "out", "--", &test]);
    // As in a hook, which is told where the repository is.
    let git = s.path().join(".git");
    let ran = s.ran(command.env("GIT_DIR", &git).env("GIT_INDEX_FILE", git.join("index")).output().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!((s.git("rev-parse HEAD"), s.git("ls-files --stage")), (head, index));
}

#[test]
fn an_output_folder_in_the_versions_is_no_part_of_them() {
    let s = Sandbox::with_regression();
    s.write("add.sh", "# Adds.\necho $(($1 + $2))\n");
    let run = || s.nub(&["isolate", "--out", "out", "--", TEST]);
    let first = run();
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let again = run();
    assert!(again.stderr.contains("of an earlier run"), "{}", again.stderr);
    assert_eq!(again.stdout, first.stdout);
    assert_eq!(s.nub(&["resume", "out"]).stdout, first.stdout);
}

#[test]
fn a_test_that_uses_up_a_file_of_the_version_is_not_flaky() {
    let s = Sandbox::with_regression();
    s.write("queue", "job\n");
    s.commit("v3");
    s.write("add.sh", "# Adds.\necho $(($1 + $2))\n");
    let ran = s.nub(&["isolate", "--out", ".git/out", "--", &format!("[ -s queue ] && : >queue && {TEST}")]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("+echo $(($1 + $2))"), "{}", ran.stdout);
}

#[test]
fn a_variant_without_the_folder_the_user_is_in_is_tested_all_the_same() {
    let s = Sandbox::with_regression();
    s.write("new/a", "1\n");
    s.write("new/b", "2\n");
    let ran = s.nub_in("new", &["isolate", "--out", "../.git/out", "--", "test ! -e b || test ! -e a"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("deleted file"), "{}", ran.stdout);
}

#[test]
fn what_a_test_looks_at_is_not_pinned_because_it_is_prose() {
    let s = Sandbox::with_regression();
    s.write("README", "An adder of numbers\n");
    s.write("data.txt", "1\n");
    s.commit("v3");
    s.write("data.txt", "2\n");
    s.write("README", "An adder\n");
    let ran = s.nub(&["isolate", "--out", ".git/out", "--", "grep -q 1 data.txt"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(!ran.stderr.contains("Pinned"), "{}", ran.stderr);
    assert!(ran.stdout.contains("data.txt"), "{}", ran.stdout);
}

#[test]
fn a_result_that_does_not_hold_is_not_printed() {
    let s = Sandbox::with_regression();
    // Every mixture passes the first time that it is tested, and never again.
    let seen = s.path().join(".git/seen");
    let once = "if [ \"$NUB_SIDE\" = mixed ]; then mkdir \"$SEEN$NUB_CONFIG\"; else";
    let mut command =
        s.command("", &["isolate", "--out", ".git/out", "v1", "v2", "--", &format!("{once} {TEST}; fi")]);
    let ran = s.ran(command.env("SEEN", &seen).output().unwrap());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("Not confirmed: "), "{}", ran.stderr);
}

#[test]
fn what_a_failure_that_does_not_count_lacks_is_said() {
    let s = Sandbox::with_regression();
    let refusal = |args: &[&str]| {
        s.nub(&[&["isolate", "--fresh", "--out", ".git/out", "v1", "v2"], args].concat()).refusal()
    };
    let said = refusal(&["--symptom", "Assertion", "--", TEST]);
    assert!(said.contains("counts only if it shows the --symptom"), "{said}");
    let said = refusal(&["--timeout", "1s", "--", &format!("{TEST} || sleep 9")]);
    assert!(said.contains("--timeout-is fail"), "{said}");
    let said = refusal(&["--", &format!("{TEST} || exit 200")]);
    assert!(said.contains("because: it printed nothing"), "{said}");
}

#[test]
fn a_result_that_moves_only_a_beginning_says_so() {
    let s = Sandbox::new();
    s.write("v1/a.py", "def f():\n    return 1\n\nprint(f())\n");
    s.write("v2/a.py", "def f():\n    return 1\n\ndef f(x=4):\n    x = 3\n    return 2\n\nprint(f())\n");
    let isolate = |how: &[&str]| {
        let args = ["isolate", "v1", "v2", "--fresh", "--out", "out"];
        s.nub(&[&args[..], how, &["--", "python3 a.py | grep -qx 1"]].concat())
    };
    let ran = isolate(&[]);
    assert!(
        ran.stdout.contains("\n-def f(x=4):\n") && !ran.stdout.contains("-    return 2"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("Note: at a.py:3 only the beginning of something is moved"),
        "{}",
        ran.stderr
    );
    let ran = isolate(&["--granularity", "stmt"]);
    assert!(!ran.stderr.contains("Note: "), "{}", ran.stderr);
}
