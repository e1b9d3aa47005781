//! Input that cannot be used: what is said about it, and the exit code. No test of the user's is run for it.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod sandbox;

use expect_test::{Expect, expect};
use sandbox::Sandbox;

fn check(sandbox: &Sandbox, args: &[&str], expect: Expect) {
    expect.assert_eq(&sandbox.nub(args).refusal());
}

#[test]
fn a_revision_that_does_not_exist() {
    let s = Sandbox::with_regression();
    check(
        &s,
        &["isolate", "v9", "--", "true"],
        expect![[r#"
        error: no such revision `v9`; did you mean `v1`? (branches: main)
        exit code 2
    "#]],
    );
}

#[test]
fn a_folder_that_is_no_repository() {
    let s = Sandbox::new();
    check(
        &s,
        &["isolate", "--", "true"],
        expect![[r#"
        error: `$` is not in a git repository; name two directories or archives
        exit code 2
    "#]],
    );
    check(
        &s,
        &["isolate", "v1", "v2", "--", "true"],
        expect![[r#"
        error: `v1` is neither a directory nor an archive, and no revision, for `$` is not in a git repository
        exit code 2
    "#]],
    );
}

#[test]
fn versions_that_are_the_same() {
    let s = Sandbox::with_regression();
    check(
        &s,
        &["isolate", "v2", "--", "true"],
        expect![[r#"
        error: `v2` and the working tree have the same files, so there is nothing to search; name two versions that differ
        exit code 3
    "#]],
    );
}

#[test]
fn a_patch_that_does_not_apply() {
    let s = Sandbox::with_regression();
    let patch = "--- a/say.sh\n+++ b/say.sh\n@@ -1 +1 @@\n-echo goodbye\n+echo hello\n";
    s.write(".git/fix.diff", patch);
    check(
        &s,
        &["isolate", "--patch", ".git/fix.diff", "--", "true"],
        expect![[r#"
        error: patch `$/.git/fix.diff` does not apply to the working tree; git says:
        error: while searching for:
        echo goodbye

        error: patch failed: say.sh:1
        error: say.sh: patch does not apply
        exit code 2
    "#]],
    );
    check(
        &s,
        &["isolate", "--patch", "nowhere.diff", "--", "true"],
        expect![[r#"
        error: failed to read patch `$/nowhere.diff`
          because: No such file or directory (os error 2)
        exit code 2
    "#]],
    );
}

fn archive(entries: &[(&str, Option<&str>)]) -> Vec<u8> {
    let mut builder =
        tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    for (name, link) in entries {
        let mut header = tar::Header::new_gnu();
        // Written by hand, since the builder refuses such names itself.
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(0);
        header.set_mode(0o644);
        if let Some(target) = link {
            header.set_entry_type(tar::EntryType::Symlink);
            header.set_link_name_literal(target).unwrap();
        }
        header.set_cksum();
        builder.append(&header, &b""[..]).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

#[test]
fn archives_that_lead_out_of_themselves() {
    let s = Sandbox::new();
    s.write("old/a", "");
    s.write("up.tar.gz", archive(&[("x/../../a", None)]));
    s.write("root.tar.gz", archive(&[("/etc/a", None)]));
    s.write("link.tar.gz", archive(&[("a", None), ("b", Some("../../etc/passwd"))]));
    let refused = |name: &str| s.nub(&["isolate", "old", name, "--", "true"]).refusal();
    let all = ["up.tar.gz", "root.tar.gz", "link.tar.gz"].map(refused).concat();
    expect![[r#"
        error: archive `$/up.tar.gz` is refused, its entry `x/../../a` would be written outside
        exit code 2
        error: archive `$/root.tar.gz` is refused, its entry `/etc/a` would be written outside
        exit code 2
        error: archive `$/link.tar.gz` is refused, its link `b` leads outside, to `../../etc/passwd`
        exit code 2
    "#]]
    .assert_eq(&all);
}

#[test]
fn an_output_folder_that_cannot_be_written_to() {
    let s = Sandbox::with_regression();
    s.write(".git/file", "");
    check(
        &s,
        &["isolate", "v1", "v2", "--out", ".git/file/out", "--", "true"],
        expect![[r#"
        error: failed to write `$/.git/file/out/command.json`
          because: Not a directory (os error 20)
        hint: --out DIR names another folder
        exit code 1
    "#]],
    );
}

#[test]
fn an_algorithm_that_does_not_exist() {
    let s = Sandbox::with_regression();
    check(
        &s,
        &["isolate", "--algorithm", "guess", "--", "true"],
        expect![[r#"
            error: invalid value 'guess' for '--algorithm <NAME>'
              [possible values: pith, ddmin, ddmin-sweep, ddmin-complements, probdd, cdd, wddmin, wprobdd, active-coarsen, ddj, c2d2, c2d2-as-coded, c2d2-no-cold-start, c2d2-no-equal-chances, c2d2-no-start-afresh, add, exhaustive]

            For more information, try '--help'.
            exit code 2
        "#]],
    );
}

#[test]
fn numbers_that_are_none() {
    let s = Sandbox::with_regression();
    let refused = |args: &[&str]| s.nub(&[&["isolate"], args].concat()).refusal();
    let all = [
        refused(&["--timeout", "soon"]),
        refused(&["--memory", "much"]),
        refused(&["--budget", "little"]),
        refused(&["-j0"]),
        refused(&["--symptom", "a("]),
    ];
    expect![[r#"
        error: invalid value 'soon' for '--timeout <TIME>': `soon` is not a time: expected a number of seconds, or units as in 1h30m, 90s, 500ms

        For more information, try '--help'.
        exit code 2
        error: invalid value 'much' for '--memory <SIZE>': `much` is not a size: expected a number with K, M or G, or a number of bytes

        For more information, try '--help'.
        exit code 2
        error: invalid value 'little' for '--budget <TIME|TESTS>': `little` is not a budget: expected a number of tests, or a time as in 10m or 1h30m

        For more information, try '--help'.
        exit code 2
        error: invalid value '0' for '--jobs <N>': expected a number from 1

        For more information, try '--help'.
        exit code 2
        error: invalid value 'a(' for '--symptom <REGEX>': failed to read the symptom `a(` as a regular expression: unclosed group

        For more information, try '--help'.
        exit code 2
    "#]].assert_eq(&all.concat());
}

#[test]
fn no_test_and_nothing_to_guess_it_from() {
    let s = Sandbox::with_regression();
    check(
        &s,
        &["isolate", "v1", "v2"],
        expect![[r#"
        error: there is no test command, and none could be guessed
        hint: name one after `--`, as in `nub isolate -- ./test.sh`
        exit code 2
    "#]],
    );
}

#[test]
fn limits_that_leave_nothing() {
    let s = Sandbox::with_regression();
    check(
        &s,
        &["isolate", "v1", "v2", "--only", "*.py", "--", "true"],
        expect![[r#"
        error: --only and --ignore leave no change to search; changed are: README, add.sh, say.sh
        exit code 2
    "#]],
    );
    check(
        &s,
        &["isolate", "v1", "v2", "--only", "a[", "--", "true"],
        expect![[r#"
        error: `a[` is not a pattern for paths: error parsing glob 'a[': unclosed character class; missing ']'
        exit code 2
    "#]],
    );
}

#[test]
fn pins_that_leave_nothing_or_are_nowhere() {
    let s = Sandbox::with_regression();
    let pin = |paths: &[&str]| {
        let pins: Vec<String> = paths.iter().map(|path| format!("--pin={path}")).collect();
        let pins: Vec<&str> = pins.iter().map(String::as_str).collect();
        s.nub(&[&["isolate", "v1", "v2"], &pins[..], &["--", "true"]].concat()).refusal()
    };
    expect![[r#"
        error: neither version has `nowhere`, so it cannot be pinned
        hint: --pin takes a path as seen from the current folder
        exit code 2
        error: the versions differ only in what is pinned, so there is nothing to search
        hint: leave out a --pin
        exit code 3
    "#]]
    .assert_eq(&(pin(&["nowhere"]) + &pin(&["add.sh", "say.sh", "README"])));
}

#[test]
fn settings_that_cannot_be_used() {
    let s = Sandbox::with_regression();
    let with = |text: &str| {
        s.write(".git/nub.toml", text);
        s.nub(&["isolate", "--config", ".git/nub.toml", "--", "true"]).refusal()
    };
    let all = [with("[isolate"), with("[isolate]\nspeed = 'high'\n"), with("[isolate]\njobs = 'many'\n")];
    expect![[r#"
        error: `$/.git/nub.toml` cannot be used: TOML parse error at line 1, column 9
          |
        1 | [isolate
          |         ^
        unclosed table, expected `]`
        hint: its keys are the long options of `nub isolate --help`
        exit code 2
        error: `$/.git/nub.toml` cannot be used: unexpected argument '--speed' found
        hint: its keys are the long options of `nub isolate --help`
        exit code 2
        error: `$/.git/nub.toml` cannot be used: invalid value 'many' for '--jobs <N>': expected a number from 1
        hint: its keys are the long options of `nub isolate --help`
        exit code 2
    "#]].assert_eq(&all.concat());
    check(
        &s,
        &["isolate", "--config", "nowhere.toml", "--", "true"],
        expect![[r#"
        error: failed to read `$/nowhere.toml`
          because: No such file or directory (os error 2)
        exit code 2
    "#]],
    );
}

#[test]
fn folders_that_hold_no_search() {
    let s = Sandbox::new();
    check(
        &s,
        &["explain", "nowhere"],
        expect![[r#"
        error: failed to read `nowhere/result.json`
          because: No such file or directory (os error 2)
        hint: name the output folder of a search, which it shows at its end
        exit code 2
    "#]],
    );
    check(
        &s,
        &["resume", "nowhere"],
        expect![[r#"
        error: failed to read `$/nowhere/command.json`
          because: No such file or directory (os error 2)
        hint: name the output folder of a search; or give its command again, which goes on as well
        exit code 2
    "#]],
    );
}
