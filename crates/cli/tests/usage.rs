//! What `nub` says about itself, and how it answers arguments it cannot use.

use std::process::Command;

/// Runs `nub` and returns its exit code, stdout and stderr.
fn nub(args: &[&str]) -> (Option<i32>, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_nub")).args(args).output().expect("nub was built for this test");
    let text = |bytes| String::from_utf8(bytes).expect("nub prints UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn version_names_the_package_and_its_version() {
    let expected = format!("nub {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(nub(&["--version"]), (Some(0), expected, String::new()));
}

#[test]
fn help_goes_to_stdout_and_succeeds() {
    let (code, stdout, stderr) = nub(&["--help"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert!(stdout.starts_with("Gets to the nub of a bug\n"), "{stdout}");
}

#[test]
fn without_arguments_help_goes_to_stderr_and_is_a_usage_error() {
    let (code, stdout, stderr) = nub(&[]);
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("Usage: nub"), "{stderr}");
}

#[test]
fn an_unknown_argument_is_named_in_a_usage_error() {
    let (code, stdout, stderr) = nub(&["--no-such-option"]);
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("--no-such-option"), "{stderr}");
}

#[test]
fn help_for_isolate_has_examples_and_exit_codes() {
    let (code, stdout, _) = nub(&["help", "isolate"]);
    assert_eq!(code, Some(0));
    for part in ["nub isolate -- pytest -x tests/test_a.py", "--patch fix.diff", "Exit codes: 0 found"] {
        assert!(stdout.contains(part), "{part} in {stdout}");
    }
}

#[test]
fn help_for_reduce_has_examples_and_exit_codes() {
    let (code, stdout, _) = nub(&["help", "reduce"]);
    assert_eq!(code, Some(0));
    for part in ["nub reduce ./interesting.sh crash.c", "--stderr-matches", "Exit codes: 0 reduced"] {
        assert!(stdout.contains(part), "{part} in {stdout}");
    }
}

#[test]
fn completions_and_manual_know_every_option_of_isolate() {
    let (_, help, _) = nub(&["isolate", "--help"]);
    let options: Vec<&str> =
        help.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 2).collect();
    assert!(options.len() > 15, "{options:?}");
    let (_, manual, _) = nub(&["man"]);
    let (_, bash, _) = nub(&["completions", "bash"]);
    for option in ["--algorithm", "--pin", "--timeout-is", "--budget"] {
        assert!(options.contains(&option), "{option} in {help}");
        assert!(bash.contains(option), "{option} in the completions");
        assert!(manual.contains(&option.replace('-', "\\-")), "{option} in the manual");
    }
}
