//! `nub isolate` from end to end, with scripts for programs.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod sandbox;

use expect_test::{Expect, expect};
use sandbox::{Ran, Sandbox, timeless};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Fails since `v2`.
const TEST: &str = "[ \"$(sh add.sh 2 2)\" = 4 ]";

const FIX: &str = "\
@@ -1,2 +1,2 @@
 # Adds two numbers.
-echo $(($1 - $2))
+echo $(($1 + $2))
";

/// Runs `nub isolate` with these arguments and the output folder `.git/out`.
fn isolate(sandbox: &Sandbox, args: &[&str]) -> Ran {
    sandbox.nub(&[&["isolate", "--out", ".git/out"], args].concat())
}

fn check_refusal(sandbox: &Sandbox, args: &[&str], expect: Expect) {
    expect.assert_eq(&timeless(&isolate(sandbox, args).refusal()));
}

#[test]
fn the_line_that_broke_the_test_is_found() {
    let s = Sandbox::with_regression();
    let ran = isolate(&s, &["v1", "v2", "--", TEST]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.ends_with(FIX), "{}", ran.stdout);
    assert_eq!(s.read(".git/out/critical.patch"), ran.stdout);
    assert!(ran.stderr.contains("A regression. "), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("Take back 1 of 4 changes, and the test passes:\n  add.sh:2  "),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("Proven: "), "{}", ran.stderr);
}

#[test]
fn the_patch_flips_the_test_and_the_rest_completes_it() {
    let s = Sandbox::with_regression();
    isolate(&s, &["v1", "v2", "--", TEST]);
    let passes = || Command::new("sh").args(["-c", TEST]).current_dir(s.path()).status().unwrap().success();
    assert!(!passes());
    s.git("apply .git/out/critical.patch");
    assert!(passes());
    s.git("apply .git/out/rest.patch");
    assert_eq!(s.git("diff v1"), "");
}

/// Half of the difference ends before it comes to the test, well and without a word.
#[test]
fn a_run_that_says_nothing_is_no_pass_where_the_good_version_speaks() {
    let s = Sandbox::with_regression();
    s.write(
        "t.sh",
        ". ./way.sh\n. ./quit.sh\n. ./sum.sh\n[ -z \"$quit\" ] || exit 0\necho $sum\n[ $sum = 4 ]\n",
    );
    for (version, quit, sum, early) in [("w1", "$early", 4, ""), ("w2", "", 5, "1")] {
        s.write("quit.sh", format!("quit={quit}\n"));
        s.write("sum.sh", format!("sum={sum}\n"));
        s.write("way.sh", format!("early={early}\n"));
        s.commit(version);
    }
    let ran = isolate(&s, &["w1", "w2", "--", "sh t.sh"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.ends_with("\n-sum=5\n+sum=4\n"), "{}", ran.stdout);
    let ran = isolate(&s, &["w1", "w2", "--fresh", "--any-failure", "--", "sh t.sh"]);
    assert!(ran.stdout.contains("\n+quit=$early\n"), "which any pass is good for: {}", ran.stdout);
}

#[test]
fn what_belongs_to_the_user_stays_as_it_was() {
    let s = Sandbox::with_regression();
    s.write("add.sh", "# Adds two numbers.\necho $(($1 * 3))\n");
    let status = s.git("status --porcelain");
    isolate(&s, &["v1", "--", TEST]);
    assert_eq!(s.git("status --porcelain"), status);
    assert_eq!(s.read("add.sh"), "# Adds two numbers.\necho $(($1 * 3))\n");
}

#[test]
fn seek_break_starts_from_the_good_version() {
    let s = Sandbox::with_regression();
    let ran = isolate(&s, &["v1", "v2", "--seek", "break", "--", TEST]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.ends_with("-echo $(($1 + $2))\n+echo $(($1 - $2))\n"), "{}", ran.stdout);
    assert!(ran.stderr.contains("Make 1 of 4 changes, and the test fails:"), "{}", ran.stderr);
}

#[test]
fn a_fix_is_told_from_a_regression() {
    let s = Sandbox::with_regression();
    let ran = isolate(&s, &["v2", "v1", "--", TEST]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.ends_with(FIX), "{}", ran.stdout);
    assert!(ran.stderr.contains("A fix. "), "{}", ran.stderr);
    assert!(ran.stderr.contains("Make 1 of 4 changes, and the test passes:"), "{}", ran.stderr);
}

#[test]
fn outside_the_limits_a_patch_applies_to_the_side_searched_from_whichever_that_is() {
    let s = Sandbox::with_regression();
    for (versions, from) in [(["v1", "v2"], "v2"), (["v2", "v1"], "v2")] {
        for times in ["the first time", "again"] {
            let ran = isolate(&s, &[&versions[..], &["--only", "*.sh", "--", TEST]].concat());
            assert_eq!(ran.code, Some(0), "{versions:?} {times}: {}", ran.stderr);
            s.git(&format!("checkout -q {from}"));
            s.git("apply --check .git/out/critical.patch");
            assert!(ran.stdout.ends_with(FIX), "{versions:?} {times}: {}", ran.stdout);
        }
        std::fs::remove_dir_all(s.path().join(".git/out")).unwrap();
    }
}

#[test]
fn json_is_the_result_file() {
    let s = Sandbox::with_regression();
    let ran = isolate(&s, &["v1", "v2", "--json", "--", TEST]);
    assert_eq!(ran.stdout, s.read(".git/out/result.json"));
    let result: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(result["critical"][0]["at"], "add.sh:2");
    assert_eq!(result["proof"]["one_minimal"], true);
    assert_eq!(result["changes"], 4);
}

#[test]
fn decisive_tests_leave_their_logs() {
    let s = Sandbox::with_regression();
    isolate(&s, &["v1", "v2", "--", &format!("cat add.sh; {TEST}")]);
    assert!(s.read(".git/out/logs/old.log").contains("\n# Adds.\n"));
    assert!(s.read(".git/out/logs/new.log").contains("$1 - $2"));
    assert!(s.read(".git/out/logs/critical.log").contains("# Adds two numbers.\necho $(($1 + $2))"));
}

#[test]
fn without_out_results_go_to_the_state_folder_and_the_same_command_goes_on() {
    let s = Sandbox::with_regression();
    let command = ["isolate", "v1", "v2", "--", TEST];
    let first = s.nub(&command);
    let results =
        |ran: &Ran| ran.stderr.lines().find(|line| line.starts_with("Results: ")).map(str::to_owned);
    let place = results(&first).expect("the folder is shown");
    assert!(place.starts_with("Results: $/.git/state/nub/"), "{place}");
    let again = s.nub(&command);
    assert_eq!((results(&again), &again.stdout), (Some(place), &first.stdout));
    assert!(again.stderr.contains("of an earlier run"), "{}", again.stderr);
    assert!(again.stderr.contains("0 tests needed"), "{}", again.stderr);
}

#[test]
fn explain_tells_a_result() {
    let s = Sandbox::with_regression();
    isolate(&s, &["v1", "v2", "--", TEST]);
    let ran = s.nub(&["explain", ".git/out"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with("`v1` (old) and `v2` (new) differ by 4 changes in 3 files.\n"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("The journals hold"), "{}", ran.stdout);
}

#[test]
fn a_budget_stops_the_search_with_the_best_so_far_and_resume_goes_on() {
    let s = Sandbox::with_regression();
    let ran = isolate(&s, &["v1", "v2", "--budget", "1", "--", TEST]);
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    assert!(ran.stderr.contains("the budget was used up"), "{}", ran.stderr);
    assert!(ran.stdout.contains("+echo $(($1 + $2))"), "{}", ran.stdout);
    let ran = s.nub(&["resume", ".git/out"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.ends_with(FIX), "{}", ran.stdout);
    assert!(ran.stderr.contains("of an earlier run"), "{}", ran.stderr);
}

#[test]
fn ctrl_c_ends_the_search_and_reports_the_best_so_far() {
    let s = Sandbox::with_regression();
    // The baseline is quick; later tests wait until somebody has had enough.
    let test = format!(
        "grep -q HELLO say.sh && grep -q '+' add.sh && touch {0} && sleep 60; {TEST}",
        "\"$NUB_MARK\""
    );
    let mark = s.path().join(".git/mark");
    let mut command = s.command("", &["isolate", "--out", ".git/out", "v1", "v2", "--", &test]);
    let child = command.env("NUB_MARK", &mark).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !mark.exists() {
        assert!(start.elapsed() < Duration::from_secs(30), "the search never came to a slow test");
        std::thread::sleep(Duration::from_millis(10));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let asked = Instant::now();
    let ran = s.ran(child.wait_with_output().unwrap());
    assert!(asked.elapsed() < Duration::from_secs(10), "it took {:?}", asked.elapsed());
    assert_eq!(ran.code, Some(130), "{}", ran.stderr);
    assert!(ran.stderr.contains("interrupted"), "{}", ran.stderr);
    assert!(ran.stdout.contains("+echo $(($1 + $2))"), "{}", ran.stdout);
}

#[test]
fn a_test_that_arrives_with_the_new_version_is_pinned_and_what_it_tests_is_not() {
    let s = Sandbox::with_regression();
    s.write("test.sh", TEST);
    s.write("add.sh", "# Adds two numbers, again.\necho $(($1 + $2))\n");
    let ran = isolate(&s, &["--", "sh", "test.sh", "add.sh"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("Pinned: `test.sh` as in the new version"), "{}", ran.stderr);
    assert!(ran.stdout.contains("add.sh") && !ran.stdout.contains("test.sh"), "{}", ran.stdout);
}

#[test]
fn a_script_beside_the_versions_comes_along() {
    let s = Sandbox::with_regression();
    s.write("test.sh", TEST);
    let ran = isolate(&s, &["v1", "v2", "--", "sh", "test.sh"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("Pinned: `test.sh` from the current folder"), "{}", ran.stderr);
    assert!(ran.stdout.ends_with(FIX), "{}", ran.stdout);
}

#[test]
fn commands_run_in_the_folder_the_user_is_in() {
    let s = Sandbox::with_regression();
    s.write("sub/x", "old\n");
    s.commit("v3");
    s.write("sub/x", "new\n");
    let ran =
        s.nub_in("sub", &["isolate", "--out", "../.git/out", "--", "grep", "-q", "old", "x", "--no-pin"]);
    assert_ne!(ran.code, Some(0), "options after -- are the test's own");
    let ran =
        s.nub_in("sub", &["isolate", "--out", "../.git/out", "--no-pin", "--fresh", "--", "grep -q old x"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.ends_with("-new\n+old\n"), "{}", ran.stdout);
}

#[test]
fn commands_may_be_guessed_and_are_shown() {
    let s = Sandbox::with_regression();
    s.write("Makefile", format!("all:\n\ntest:\n\t{}\n", TEST.replace('$', "$$")));
    s.commit("v3");
    s.write("add.sh", "echo $(($1 + $2))\n");
    let ran = isolate(&s, &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("Build: make (guessed: Make; --build says otherwise)"), "{}", ran.stderr);
    assert!(ran.stderr.contains("Test: make test (guessed: Make)"), "{}", ran.stderr);
}

#[test]
fn a_file_of_options_speaks_before_the_typed_ones() {
    let s = Sandbox::with_regression();
    s.write(".git/nub.toml", format!("[isolate]\nseek = 'break'\nalgorithm = 'ddmin'\ntest = '{TEST}'\n"));
    let ran = isolate(&s, &["v1", "v2", "--config", ".git/nub.toml", "--json"]);
    let result: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&result["algorithm"], &result["from"]), (&"ddmin".into(), &"old".into()));
    let ran = isolate(&s, &["v1", "v2", "--fresh", "--config", ".git/nub.toml", "--json", "--seek=fix"]);
    let result: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&result["algorithm"], &result["from"]), (&"ddmin".into(), &"new".into()));
}

#[test]
fn a_build_that_fails_cannot_tell() {
    let s = Sandbox::with_regression();
    // Louder speech needs the new comment, or it does not build.
    let build = "! grep -q HELLO say.sh || grep -q two add.sh";
    let ran = isolate(&s, &["v1", "v2", "--build", build, "--json", "--", TEST]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let result: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(result["critical"].as_array().unwrap().len(), 1, "{}", ran.stdout);
}

/// A loop that is new at both its ends, and a wrong sign.
fn with_a_loop() -> Sandbox {
    let s = Sandbox::new();
    s.write("good/add.py", "def add(a, b):\n    print('adding')\n    return a + b\n");
    let new = "def add(a, b):\n    for _ in range(1):\n        print('adding')\n    if a < b:\n        pass\n    return a - b\n";
    s.write("bad/add.py", new);
    s
}

#[test]
fn what_cannot_be_read_is_not_run() {
    let s = with_a_loop();
    let reads = "python3 -c 'import ast; ast.parse(open(\"add.py\").read())' || touch ../../../broken";
    let test = format!("{reads}; python3 -c 'import add; assert add.add(2, 2) == 4'");
    let versions = ["good", "bad", "--any-failure", "--out", "out"];
    let run = |more: &[&str]| {
        let _ = std::fs::remove_file(s.path().join("broken"));
        let ran = s.nub(&[&["isolate"], &versions[..], more, &["--", &test]].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        (ran.stdout, s.path().join("broken").exists())
    };
    let (patch, ran_broken) = run(&["-j1"]);
    assert!(!ran_broken);
    assert_eq!(run(&["-j8", "--fresh"]), (patch.clone(), false));
    assert!(run(&["--fresh", "--without", "reading,rules"]).1, "else the test shows nothing");
    assert!(patch.contains("+    return a + b") && !patch.contains("range"), "{patch}");
}

#[test]
fn what_the_versions_built_is_built_on() {
    let s = Sandbox::with_regression();
    let scratch = s.path().join(".git/scratch");
    let build = format!("[ -e product ] || echo from scratch >>{}; touch product", scratch.display());
    let ran = isolate(&s, &["v1", "v2", "--build", &build, "--", TEST]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(s.read(".git/scratch").lines().count(), 2, "the worker's first build and the last look");
}

#[test]
fn demo_finds_the_lost_cent_and_leaves_nothing() {
    let s = Sandbox::new();
    s.write("tmp/.keep", "");
    let mut command = s.command("", &["demo"]);
    let ran = s.ran(command.env("TMPDIR", s.path().join("tmp")).output().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("+    echo $((($1 * rate + 50) / 100))\n"), "{}", ran.stdout);
    let readme = include_str!("../../../README.md");
    for shown in ["v1 and v2: ", "Take back ", "  lib/tax.sh:"] {
        let line = ran.stderr.lines().find(|line| line.starts_with(shown)).unwrap();
        assert!(readme.contains(line), "the README does not show `{line}`");
    }
    assert_eq!(std::fs::read_dir(s.path().join("tmp")).unwrap().count(), 1);
    assert_eq!(std::fs::read_dir(s.path()).unwrap().count(), 1);
}

#[test]
fn a_test_that_is_not_found() {
    let s = Sandbox::with_regression();
    check_refusal(
        &s,
        &["v1", "v2", "--", "./nowhere.sh", "-x"],
        expect![[r#"
            `v1` and `v2`: 4 changes in 3 files
            error: failed to run a test
              because: command not found: `./nowhere.sh`
            hint: commands run in a copy of the version, in the folder of it you are in; name files of your own by absolute paths, or --pin them
            exit code 1
        "#]],
    );
    check_refusal(
        &s,
        &["v1", "v2", "--fresh", "--", "./nowhere.sh"],
        expect![[r#"
            `v1` and `v2`: 4 changes in 3 files
            error: the test did not find a command (exit code 127)
              because: the last it said: /bin/sh: 1: ./nowhere.sh: not found
            hint: commands run in a copy of the version, in the folder of it you are in; name files of your own by absolute paths, or --pin them
            exit code 1
        "#]],
    );
}

#[test]
fn a_test_that_passes_on_both_versions() {
    let s = Sandbox::with_regression();
    check_refusal(
        &s,
        &["v1", "v2", "--", "echo checked"],
        expect![[r#"
            `v1` and `v2`: 4 changes in 3 files
              old version, `v1`: passes (exited with code 0; test _ s)
              new version, `v2`: passes (exited with code 0; test _ s)
            error: the test passes on both versions
              the old version, `v1`: passes (exited with code 0; test _ s)
                | checked
              the new version, `v2`: passes (exited with code 0; test _ s)
                | checked
            hint: does the test check what went wrong? it has to fail on one of the versions
            exit code 3
        "#]],
    );
}

#[test]
fn a_test_that_fails_on_both_versions() {
    let s = Sandbox::with_regression();
    check_refusal(
        &s,
        &["v1", "v2", "--", "echo checked; exit 3"],
        expect![[r#"
            `v1` and `v2`: 4 changes in 3 files
              old version, `v1`: fails (exited with code 3; test _ s)
              new version, `v2`: fails (exited with code 3; test _ s)
            error: the test fails on both versions
              the old version, `v1`: fails (exited with code 3; test _ s)
                | checked
              the new version, `v2`: fails (exited with code 3; test _ s)
                | checked
            hint: does the test run in a clean copy of the version? it has to pass on one of them
            exit code 3
        "#]],
    );
}

#[test]
fn a_pinned_test_that_is_the_culprit_gets_a_hint() {
    let s = Sandbox::with_regression();
    s.write("tests/run.sh", "true\n");
    s.commit("v3");
    s.write("tests/run.sh", "false\n");
    s.write("say.sh", "echo hi\n");
    let ran = isolate(&s, &["--", "sh", "tests/run.sh"]);
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: pinned because the test names it: `tests/run.sh`"), "{}", ran.stderr);
    let ran = isolate(&s, &["--fresh", "--no-pin", "--", "sh", "tests/run.sh"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

#[test]
fn a_test_that_cannot_tell_about_a_version() {
    let s = Sandbox::with_regression();
    check_refusal(
        &s,
        &["v1", "v2", "--", "echo what; exit 125"],
        expect![[r#"
            `v1` and `v2`: 4 changes in 3 files
              old version, `v1`: cannot tell (exited with code 125; test _ s)
              new version, `v2`: cannot tell (exited with code 125; test _ s)
            error: the test cannot tell whether the old version is good: it exited with code 125
              the old version, `v1`: cannot tell (exited with code 125; test _ s)
                | what
            hint: the test has to end with 0, or with a code from 1 to 124 that shows the failure
            exit code 3
        "#]],
    );
}

#[test]
fn a_version_that_does_not_build() {
    let s = Sandbox::with_regression();
    check_refusal(
        &s,
        &["v1", "v2", "--build", "echo 'no compiler'; grep -q hello say.sh", "--", TEST],
        expect![[r#"
            `v1` and `v2`: 4 changes in 3 files
              old version, `v1`: passes (exited with code 0; build _ s, test _ s)
              new version, `v2`: does not build (exited with code 1; build _ s)
            error: the new version does not build: the build exited with code 1
              the new version, `v2`: does not build (exited with code 1; build _ s)
                | no compiler
            hint: the build runs in a clean copy of the version; --build CMD sets it, --build '' leaves it out
            exit code 3
        "#]],
    );
}

#[test]
fn a_journal_that_is_broken() {
    let s = Sandbox::with_regression();
    let command = ["v1", "v2", "--", TEST];
    s.write(".git/out/journal.jsonl", "not a journal\n");
    check_refusal(
        &s,
        &command,
        expect![[r#"
            error: `$/.git/out/journal.jsonl` is not a journal of nub: give another output folder
            hint: --fresh begins a new journal, --out DIR another folder
            exit code 1
        "#]],
    );
    let ran = isolate(&s, &["v1", "v2", "--fresh", "--", TEST]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let journal = s.read(".git/out/journal.jsonl");
    s.write(".git/out/journal.jsonl", journal.replacen("\"pass\"", "\"perhaps\"", 1));
    check_refusal(
        &s,
        &command,
        expect![[r#"
            error: line 2 of the journal `$/.git/out/journal.jsonl` is damaged: mend it, or start again with `--fresh`
              because: unknown variant `perhaps`, expected one of `pass`, `fail`, `unresolved` at line 1 column 32
            hint: --fresh begins a new journal, --out DIR another folder
            exit code 1
        "#]],
    );
    s.write(".git/out/journal.jsonl", &journal);
    check_refusal(
        &s,
        &["v1", "v2", "--", "true"],
        expect![[r#"
            error: the journal `$/.git/out/journal.jsonl` belongs to another run: the versions or the command are no longer those it was begun with
            hint: --fresh begins a new journal, --out DIR another folder
            exit code 1
        "#]],
    );
}

#[test]
fn no_space_left_is_told_and_the_run_goes_on_when_there_is_some() {
    let s = Sandbox::with_regression();
    // No file may grow beyond some blocks, which are not enough for the journal.
    let limited = |blocks: u32| {
        let nub = s.command("", &["isolate", "--out", ".git/out", "v1", "v2", "--", TEST]);
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""));
        shell.arg(nub.get_program()).args(nub.get_args()).current_dir(s.path());
        shell.envs(nub.get_envs().filter_map(|(name, value)| Some((name, value?))));
        s.ran(shell.output().unwrap())
    };
    expect![[r#"
        error: failed to write `$/.git/out/command.json`
          because: File too large (os error 27)
        hint: --out DIR names another folder
        exit code 1
    "#]]
    .assert_eq(&timeless(&limited(0).refusal()));
    expect![[r#"
        `v1` and `v2`: 4 changes in 3 files
          old version, `v1`: passes (exited with code 0; test _ s)
          new version, `v2`: fails (exited with code 1; test _ s)
        error: failed to write the journal `$/.git/out/journal.jsonl`
          because: File too large (os error 27)
        hint: make room, and the same command goes on from here; or --out DIR names a folder elsewhere
        exit code 1
    "#]]
    .assert_eq(&timeless(&limited(1).refusal()));
    let ran = isolate(&s, &["v1", "v2", "--", TEST]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("of an earlier run"), "{}", ran.stderr);
    assert!(ran.stdout.ends_with(FIX), "{}", ran.stdout);
}

/// A test command that fails every second time it is run, whatever it tests; it counts in a file outside.
fn flaky(sandbox: &Sandbox) -> String {
    let count = sandbox.path().join(".git/count");
    format!("echo x >>{0}; n=$(grep -c x {0}); echo run $n; [ $((n % 2)) = 1 ]", count.to_str().unwrap())
}

#[test]
fn a_test_that_contradicts_itself_is_flaky() {
    let s = Sandbox::with_regression();
    let test = flaky(&s);
    check_refusal(
        &s,
        &["v1", "v2", "--", &test],
        expect![[r#"
            `v1` and `v2`: 4 changes in 3 files
              old version, `v1`: fails (exited with code 1; test _ s)
              new version, `v2`: fails (exited with code 1; test _ s)
            error: the test is flaky: of 8 runs 4 passed and 4 failed on the old version
              the old version, `v1`: passes (exited with code 0; test _ s)
                | run 1
              the old version, `v1`: fails (exited with code 1; test _ s)
                | run 2
            hint: make the test say the same each time: a fixed seed, no network, no race, nothing left over from the time before
            hint: or --repeat N runs it on each variant until it fails, at most N times; --symptom names the failure you look for
            exit code 3
        "#]],
    );
}

#[test]
fn repeat_finds_a_failure_that_shows_only_now_and_then() {
    let s = Sandbox::with_regression();
    // Every third run of a bad variant fails.
    let count = s.path().join(".git/count");
    let test = format!("{TEST} || {{ echo x >>{0}; [ $(($(grep -c x {0}) % 3)) != 0 ]; }}", count.display());
    let ran = isolate(&s, &["v1", "v2", "--repeat", "3", "--", &test]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.ends_with(FIX), "{}", ran.stdout);
}

#[test]
fn a_run_that_goes_on_asks_nothing_twice_and_counts_only_its_own() {
    let s = Sandbox::with_regression();
    let asked = s.path().join(".git/asked");
    // Two changes of four alone cannot tell.
    let test = format!("echo x >>{}; grep -q HELLO say.sh || exit 125; {TEST}", asked.display());
    let first = isolate(&s, &["v2", "v1", "--seek", "break", "--", &test]);
    assert_eq!(first.code, Some(3), "the good version cannot tell: {}", first.stderr);
    let test = format!(
        "echo x >>{}; grep -q hello say.sh && grep -q two add.sh && exit 125; {TEST}",
        asked.display()
    );
    let first = isolate(&s, &["v1", "v2", "--fresh", "--", &test]);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let tests = s.read(".git/asked").lines().count();
    let log = s.read(".git/out/logs/new.log");
    let again = isolate(&s, &["v1", "v2", "--", &test]);
    assert_eq!((again.code, &again.stdout), (Some(0), &first.stdout), "{}", again.stderr);
    assert_eq!(s.read(".git/asked").lines().count(), tests, "{}", again.stderr);
    assert!(again.stderr.contains("0 tests needed (0 could not tell), 0 guessed"), "{}", again.stderr);
    assert!(
        again.stderr.contains("Proven: the test passes with this patch (exited with code 0)"),
        "{}",
        again.stderr
    );
    assert_eq!(s.read(".git/out/logs/new.log"), log);
    assert_ne!(log, "");
}

#[test]
fn a_run_that_could_not_tell_the_versions_apart_asks_again_the_next_time() {
    let s = Sandbox::with_regression();
    let switch = s.path().join(".git/switch");
    let test = format!("[ ! -e {} ] || {TEST}", switch.display());
    let ran = isolate(&s, &["v1", "v2", "--", &test]);
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    s.write(".git/switch", "");
    let ran = isolate(&s, &["v1", "v2", "--", &test]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.ends_with(FIX), "{}", ran.stdout);
}

/// Half of the difference does not load: the new name is used before it is there.
fn with_half_a_rename() -> Sandbox {
    let s = Sandbox::with_regression();
    s.write("lib.sh", "# A library.\nplus() { echo $(($1 + $2)); }\n\n\n\n# The end.\n");
    s.write("add.sh", ". ./lib.sh\n\n\n\nplus $1 $2\n");
    s.commit("v3");
    s.write("lib.sh", "# A library.\ntotal() { echo $(($1 - $2)); }\n\n\n\n# The end of it.\n");
    s.write("add.sh", ". ./lib.sh\n\n\n\ntotal $1 $2\n");
    s.commit("v4");
    s
}

#[test]
fn the_failure_is_learned_and_another_one_cannot_tell() {
    let s = with_half_a_rename();
    let test = "got=$(sh add.sh 2 2) && [ \"$got\" = 4 ] || { echo \"ValueError: $got\"; exit 1; }";
    let outcomes = |s: &Sandbox| {
        let journal = s.read(".git/out/journal.jsonl");
        let count = |what: &str| {
            journal.lines().filter(|line| !line.contains("decides") && line.contains(what)).count()
        };
        (count("\"fail\""), count("\"unresolved\""))
    };
    let seek = ["v3", "v4", "--algorithm", "ddmin", "--seek", "break", "--fresh"];
    let ran = isolate(&s, &[&seek[..], &["--json", "--", test]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let learned = "A run that tells of ValueError counts as bad; other failures cannot tell (--any-failure";
    assert!(ran.stderr.contains(learned), "{}", ran.stderr);
    let result: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(result["failure"]["errors"][0], "ValueError");
    // The rename and its use: neither alone shows the failure, for the name is not found.
    assert_eq!(result["critical"].as_array().unwrap().len(), 2, "{}", ran.stdout);
    assert!(outcomes(&s).1 > 0, "{}", s.read(".git/out/journal.jsonl"));

    let ran = isolate(&s, &[&seek[..], &["--any-failure", "--json", "--", test]].concat());
    let result: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(result["critical"].as_array().unwrap().len(), 1, "{}", ran.stdout);
    assert_eq!(result["failure"], serde_json::Value::Null);
    assert_eq!(outcomes(&s).1, 0);
}

#[test]
fn a_symptom_that_is_named_is_not_learned() {
    let s = Sandbox::with_regression();
    let ran = isolate(&s, &["v1", "v2", "--symptom", "exit:1", "--", TEST]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(!ran.stderr.contains("counts as bad"), "{}", ran.stderr);
}

#[test]
fn granularity_is_how_small_the_parts_of_a_result_are() {
    let s = Sandbox::with_regression();
    let comment_stays = "\n # Adds two numbers.\n-echo";
    for (granularity, taken, proven) in [
        ("file", "2 of 5", "any one of its files"),
        ("decl", "1 of 5", "any one of its declarations"),
        ("stmt", "1 of 5", "any one of its statements"),
        ("node", "1 of 4", "any one of its changes"),
        ("line", "1 of 4", "any one of its changes"),
    ] {
        let ran = isolate(&s, &["v1", "v2", "--fresh", "--granularity", granularity, "--", TEST]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("Take back {taken} changes")), "{granularity}: {}", ran.stderr);
        assert!(ran.stderr.contains(proven), "{granularity}: {}", ran.stderr);
        assert!(
            ran.stdout.contains(comment_stays) == taken.starts_with('1'),
            "{granularity}: {}",
            ran.stdout
        );
    }
}

/// A line of which only a part matters, and another.
fn with_a_long_line() -> Sandbox {
    let s = Sandbox::with_regression();
    s.write("sum.py", "zero = 1\nprint(2 + 2, 'makes')\n");
    s.commit("w1");
    s.write("sum.py", "zero = 0\nprint(2 - 2, 'is')\n");
    s.commit("w2");
    s
}

/// How many tests a run says that its search needed.
fn needed(ran: &Ran) -> usize {
    let cost = ran.stderr.split("Cost: ").nth(1).and_then(|cost| cost.split(' ').next());
    cost.unwrap().parse().unwrap()
}

#[test]
fn by_node_the_lines_that_matter_are_looked_into() {
    let s = with_a_long_line();
    for jobs in ["-j1", "-j8"] {
        let args = ["w1", "w2", "--fresh", jobs, "--granularity", "node", "--", "python3 sum.py | grep -q 4"];
        let ran = isolate(&s, &args);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(ran.stderr.contains("Looking inside 1 change, at 2 parts"), "{}", ran.stderr);
        assert!(ran.stderr.contains("Take back 1 part of 1 change out of 2, and the test"), "{}", ran.stderr);
        assert!(ran.stdout.contains("\n-print(2 - 2, 'is')\n+print(2 + 2, 'is')\n"), "{}", ran.stdout);
    }
    s.git("apply .git/out/critical.patch");
    s.git("apply .git/out/rest.patch");
    assert_eq!(s.git("diff w1"), "");
}

#[test]
fn by_node_the_lines_that_break_a_test_are_looked_into_too() {
    let s = with_a_long_line();
    let ran = isolate(&s, &["w1", "w2", "--seek", "break", "--", "python3 sum.py | grep -q 4"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("Make 1 part of 1 change out of 2, and the test fails"), "{}", ran.stderr);
    assert!(ran.stdout.contains("\n-print(2 + 2, 'makes')\n+print(2 - 2, 'makes')\n"), "{}", ran.stdout);
    s.git("checkout -q w1");
    s.git("apply .git/out/critical.patch");
    s.git("apply .git/out/rest.patch");
    assert_eq!(s.git("diff w2"), "");
}

/// Lines that only look otherwise are no part of what matters.
#[test]
fn by_node_a_result_with_fewer_lines_counts_though_it_has_as_many_tokens() {
    let s = Sandbox::with_regression();
    s.write("sum.py", "a = 1\nb = 2\nprint(a + b)\n");
    s.commit("w1");
    s.write("sum.py", "a=1\nb=3\nprint(a+b)\n");
    s.commit("w2");
    let test = "if grep -q 'a=' sum.py && grep -q 'a = ' sum.py; then exit 125; fi; \
                test $(grep -c ' = ' sum.py) != 1 || exit 125; python3 sum.py | grep -qx 3";
    let ran = isolate(&s, &["w1", "w2", "--granularity", "node", "--", test]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("\n a=1\n-b=3\n+b= 2\n print(a+b)\n"), "{}", ran.stdout);
}

/// A function that was laid out anew and does one thing otherwise is taken apart by syntax at once.
#[test]
fn by_node_what_was_laid_out_anew_hides_nothing() {
    let s = Sandbox::new();
    let body = |f: &dyn Fn(usize) -> String| (0..40).map(|i| format!("    {}\n", f(i))).collect::<String>();
    let old = body(&|i| format!("total = total + {i}"));
    let new = body(&|i| format!("total=total+{}", if i == 20 { 1 } else { i }));
    for (text, version) in [(old, "v1"), (new, "v2")] {
        s.write(
            format!("{version}/sum.py"),
            format!("def f():\n    total = 0\n{text}    return total\n\nprint(f())\n"),
        );
    }
    let args = ["isolate", "v1", "v2", "--out", "out", "-j1", "--", "python3 sum.py | grep -qx 780"];
    let ran = s.nub(&args);
    assert!(ran.stderr.contains("Take back 1 of 2 changes"), "{}", ran.stderr);
    assert!(ran.stdout.contains("\n-    total=total+1\n+    total=total+ 20\n"), "{}", ran.stdout);
}

/// A function of which every line says something more, and one does something else; the test cannot tell of a mixture.
#[test]
fn by_node_lines_that_do_not_mix_are_given_up_for_syntax() {
    let s = Sandbox::with_regression();
    let body = |f: &dyn Fn(usize) -> String| {
        (0..40).map(|i| format!("    {}\n    pass\n", f(i))).collect::<String>()
    };
    let ending = "    return total\n\nprint(f())\n";
    let old = body(&|i| format!("total = total + {i}"));
    let new = body(&|i| format!("total = total + {} # new", if i == 20 { 1 } else { i }));
    for (text, tag) in [(old, "w1"), (new, "w2")] {
        s.write("sum.py", format!("def f():\n    total = 0\n{text}{ending}"));
        s.commit(tag);
    }
    let test = "if grep -q '# new' sum.py && grep 'total = total' sum.py | grep -qv '# new'; then exit 125; fi; \
                python3 sum.py | grep -qx 780";
    for jobs in ["-j1", "-j8"] {
        let ran = isolate(&s, &["w1", "w2", "--fresh", jobs, "--granularity", "node", "--", test]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(ran.stderr.contains("Take back 1 part of 40 changes"), "{}", ran.stderr);
        assert!(
            ran.stdout.contains("\n-    total = total + 1 # new\n+    total = total + 20 # new\n"),
            "{}",
            ran.stdout
        );
        assert!(ran.stderr.contains("(1-minimal)"), "{}", ran.stderr);
    }
}

/// The same in several functions: that all their lines are needed need not be proven, where one part of one line is enough.
#[test]
fn by_node_many_lines_of_several_functions_are_given_up_for_one_part() {
    let s = Sandbox::new();
    let function = |name: char, line: &dyn Fn(usize) -> String| {
        let lines: String = (0..20).map(|i| format!("    {}\n    pass\n", line(i))).collect();
        format!("def {name}():\n    total = 0\n{lines}    return total\n\n")
    };
    let old = |i: usize| format!("total = total + {i}");
    let new = |i: usize| format!("total = total + {i} # new");
    let wrong = |i: usize| new(if i == 12 { 1 } else { i });
    let versions = [("v1", [&old as &dyn Fn(usize) -> String; 3]), ("v2", [&new, &wrong, &new])];
    for (version, lines) in versions {
        let functions: String =
            ['f', 'g', 'h'].iter().zip(lines).map(|(name, line)| function(*name, line)).collect();
        s.write(format!("{version}/sum.py"), functions + "print(f() + g() + h())\n");
    }
    let test = "if grep -q '# new' sum.py && grep 'total = total' sum.py | grep -qv '# new'; then exit 125; fi; \
                python3 sum.py | grep -qx 570";
    let isolate = |how: &[&str]| {
        let args = ["isolate", "v1", "v2", "--coverage", "off", "--build", "true", "--out", "out", "--fresh"];
        s.nub(&[&args[..], how, &["--", test]].concat())
    };
    let ran = isolate(&["-j1"]);
    assert!(ran.stderr.contains("Take back 1 part of 60 changes"), "{}", ran.stderr);
    assert!(
        ran.stdout.contains("\n-    total = total + 1 # new\n+    total = total + 12 # new\n"),
        "{}",
        ran.stdout
    );
    assert_eq!(isolate(&["-j8"]).stdout, ran.stdout);
    let by_lines = isolate(&["-j1", "--granularity", "line"]);
    assert!(needed(&by_lines) > 60, "{}", by_lines.stderr);
    assert!(needed(&ran) < needed(&by_lines), "{}", ran.stderr);
}

/// A function is called by another name everywhere, and one old call is enough: neither lines nor syntax take much out.
#[test]
fn by_node_lines_that_were_given_up_in_vain_come_to_their_end() {
    check_given_up_in_vain(&|calls| calls.concat(), 12, &[]);
}

/// What is said of one function holds for several, where single parts are asked about first.
#[test]
fn by_node_lines_of_several_functions_that_were_given_up_in_vain_come_to_their_end() {
    let functions = |calls: &[String]| -> String {
        let function =
            |calls: &[String]| format!("function f{}() {{\n{}}}\n", calls[0].len(), calls.concat());
        calls.chunks(10).map(function).collect()
    };
    check_given_up_in_vain(&functions, 30, &["--build", "true"]);
}

fn check_given_up_in_vain(program: &dyn Fn(&[String]) -> String, n: usize, how: &[&str]) {
    let s = Sandbox::new();
    for (version, call, value) in [("v1", "one", 'v'), ("v2", "two", 'w')] {
        let calls: Vec<String> = (1..=n).map(|i| format!("{call}({i}, '{value}');\n")).collect();
        s.write(format!("{version}/f.js"), format!("{call}();\n{}", program(&calls)));
    }
    let count = s.path().join("count");
    let test =
        format!("echo >>{}; if grep -q 'one([0-9]' f.js; then exit 0; else exit 1; fi", count.display());
    let test = test.as_str();
    let isolate = |jobs: &str| {
        let args = ["isolate", "v1", "v2", "--seek", "break", "--coverage", "off", "--out", "out"];
        s.nub(&[&args[..], how, &["-j", jobs, "--fresh", "--", test]].concat())
    };
    let ran = isolate("1");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("(1-minimal)"), "{}", ran.stderr);
    assert_eq!(ran.stdout.matches("\n+two(").count(), n, "{}", ran.stdout);
    // Beside what the searches needed there were both versions, quick ones thrice, and the result.
    let runs = s.read("count").lines().count();
    assert!((3..=7).contains(&(runs - needed(&ran))), "{runs} runs: {}", ran.stderr);
    assert_eq!(isolate("8").stdout, ran.stdout);
    let args = ["isolate", "v1", "v2", "--seek", "break", "--coverage", "off", "--out", "out"];
    let stopped = s.nub(&[&args[..], how, &["--fresh", "--budget", "45", "--", test]].concat());
    assert_eq!(stopped.code, Some(4), "{}", stopped.stderr);
    assert_eq!(s.nub(&["resume", "out"]).stdout, ran.stdout);
}

/// A function was written anew: to have the old one back takes all of its lines, but one word less in the new one does it.
#[test]
fn by_node_one_part_of_many_lines_that_are_needed_is_enough() {
    let s = Sandbox::new();
    let steps: String = (1..24).map(|i| format!("    a{i} = a{} + 0\n", i - 1)).collect();
    s.write("v1/sum.py", format!("def total(x):\n    a0 = x\n{steps}    return a23\nprint(total(4))\n"));
    let zeros = "0, ".repeat(18);
    let new = format!("def total(x):\n    return sum([x, {zeros}100])\nprint(total(4))\n");
    s.write("v2/sum.py", new);
    let isolate = |jobs: &str, how: &[&str]| {
        let test = "python3 sum.py | grep -qx 4";
        s.nub(&[&["isolate", "v1", "v2", "--out", "out", "-j", jobs], how, &["--", test]].concat())
    };
    let by_lines = isolate("1", &["--granularity", "line", "--fresh"]);
    assert!(by_lines.stdout.contains("+    a7 = a6 + 0\n"), "{}", by_lines.stdout);
    let ran = isolate("1", &["--fresh"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let shorter = format!("+    return sum([x, {}0])\n", "0, ".repeat(17));
    assert!(ran.stdout.contains(&shorter), "{}", ran.stdout);
    assert!(ran.stderr.contains("Proven: "), "{}", ran.stderr);
    let resumed = isolate("1", &[]);
    assert!(resumed.stderr.contains("Going on with "), "{}", resumed.stderr);
    assert_eq!(resumed.stdout, ran.stdout);
    // Stopped while it asks about single parts, and gone on with by others.
    let stopped = isolate("1", &["--fresh", "--budget", "35"]);
    assert_eq!(stopped.code, Some(4), "{}", stopped.stderr);
    assert_eq!(isolate("8", &[]).stdout, ran.stdout);
    assert_eq!(isolate("8", &["--fresh"]).stdout, ran.stdout);
}

#[test]
fn a_look_into_lines_goes_on_where_it_was_stopped() {
    let s = with_a_long_line();
    let test = "echo >> \"$ASKED\"; python3 sum.py | grep -q 4";
    let asked = s.path().join(".git/asked");
    let run = |args: &[&str]| {
        let _ = std::fs::remove_file(&asked);
        let args = [
            &["isolate", "--out", ".git/out", "-j1"],
            args,
            &["--granularity", "node", "w1", "w2", "--", test],
        ];
        let ran = s.ran(s.command("", &args.concat()).env("ASKED", &asked).output().unwrap());
        (ran, std::fs::read_to_string(&asked).unwrap_or_default().len())
    };
    let (whole, tests) = run(&["--fresh"]);
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    let needed = needed(&whole);
    assert!(needed > 2, "{}", whole.stderr);
    for budget in 1..needed {
        let (stopped, before) = run(&["--fresh", "--budget", &budget.to_string()]);
        assert_eq!(stopped.code, Some(4), "{budget}: {}", stopped.stderr);
        let (resumed, after) = run(&[]);
        assert_eq!(resumed.code, Some(0), "{budget}: {}", resumed.stderr);
        assert_eq!(resumed.stdout, whole.stdout, "{budget}");
        // What was best when the budget was spent was tested from scratch too; a test under way may be lost.
        assert!(before + after <= tests + 2, "{budget}: {before} and {after}, not {tests}");
    }
}

#[test]
fn the_answer_is_the_same_with_any_number_of_workers() {
    let s = Sandbox::with_regression();
    for jobs in ["-j1", "-j2", "-j8"] {
        let ran = isolate(&s, &["v1", "v2", "--fresh", jobs, "--", TEST]);
        assert_eq!(ran.code, Some(0), "{jobs}: {}", ran.stderr);
        assert!(ran.stdout.ends_with(FIX), "{jobs}: {}", ran.stdout);
    }
}
