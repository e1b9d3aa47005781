//! What tells the failure looked for from another one, learned from the versions themselves.
//!
//! Half a change often fails in a way of its own: an import is missing, a name is gone. Such a run says nothing about
//! the failure that is looked for. A run is therefore compared with the bad version in two respects: how it ended, and
//! which *kinds* of error it told of, `TypeError` say.
//!
//! Why not the message, the place, the stack? A culprit that is mixed with other changes shows the same failure in
//! other words and on another line. A comparison that is too strict loses what the search is after; one that is too
//! lax only costs tests. So whatever the good version prints as well counts for nothing, and a run that shows no error
//! of another kind and ends as the bad version did is the failure.
//!
//! A pass can be another one, too: a program in which nothing works any more may end well before it comes to the test.
//! Where the good version writes something to its standard output, a run that ends well and writes nothing there tells
//! nothing. Standard error does not count: a warning may be gone with a change that has nothing to do with the failure.

use super::verdict::{Symptom, signal_of};
use super::{Finished, Status};
use regex::Regex;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

/// How runs of a test ended, and the kinds of error they told of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// The ends: `exit:1`, `signal:SEGV`, `timeout`.
    pub ends: BTreeSet<String>,
    /// The kinds of error: `TypeError`, `panic`, `undefined reference`.
    pub errors: BTreeSet<String>,
    /// Whether each of the runs wrote something to its standard output.
    pub speaks: bool,
}

impl Signs {
    /// What some runs show, all together.
    pub fn of<'a>(runs: impl IntoIterator<Item = &'a Finished>) -> Signs {
        let mut signs = Signs::default();
        let mut is_silent = false;
        for run in runs {
            is_silent |= !speaks(run);
            signs.ends.insert(end(run.status));
            for stream in [&run.stdout, &run.stderr] {
                stream.text().lines().for_each(|line| signs.errors.extend(error_in(line)));
            }
        }
        signs.speaks = !signs.ends.is_empty() && !is_silent;
        signs
    }
}

/// The failure that a search is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What the bad version shows and the good one does not.
    pub signs: Signs,
    /// The kinds of error that the good version tells of as well.
    usual: BTreeSet<String>,
    /// Whether the good version writes something to its standard output.
    good_speaks: bool,
}

impl Failure {
    /// Learns how the bad version fails.
    pub fn learn(bad: &Signs, good: &Signs) -> Failure {
        let errors = bad.errors.difference(&good.errors).cloned().collect();
        let signs = Signs { ends: bad.ends.clone(), errors, speaks: bad.speaks };
        Failure { signs, usual: good.errors.clone(), good_speaks: good.speaks }
    }

    /// Whether a run that ends well may have come as far as the good version.
    pub fn is_passed_by(&self, finished: &Finished) -> bool {
        !self.good_speaks || speaks(finished)
    }

    /// Whether a failing run shows this failure and not another one.
    pub fn is_shown_by(&self, finished: &Finished) -> bool {
        let shown = Signs::of([finished]);
        let own = &self.signs;
        let errors: BTreeSet<&String> = shown.errors.difference(&self.usual).collect();
        let is_new = |error: &&String| !own.errors.contains(*error);
        if errors.iter().copied().any(|error| does_not_load(error) && is_new(&error)) {
            return false;
        }
        match errors.is_empty() {
            true => shown.ends.is_subset(&own.ends),
            false => !errors.iter().all(is_new),
        }
    }
}

/// Says what such a run does, as in "a run that ...".
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list =
            |words: &BTreeSet<String>| words.iter().map(String::as_str).collect::<Vec<_>>().join(" or ");
        match self.signs.errors.is_empty() {
            true => write!(f, "ends with {}", list(&self.signs.ends)),
            false => write!(f, "tells of {}", list(&self.signs.errors)),
        }
    }
}

fn speaks(finished: &Finished) -> bool {
    !finished.stdout.bytes.trim_ascii().is_empty()
}

fn end(status: Status) -> String {
    match (status, signal_of(status)) {
        (_, Some(signal)) => Symptom::Signal(signal).to_string(),
        (Status::Exit(code), None) => Symptom::Exit(code).to_string(),
        (Status::TimedOut, None) => "timeout".into(),
        (Status::Crowded, None) => "crowded".into(),
        (Status::Cancelled | Status::Signal(_), None) => "cancelled".into(),
    }
}

/// An error at the beginning of a line, behind what runners put before it: `E   TypeError: ...`,
/// `Exception in thread "main" java.lang.IllegalStateException`, `AssertionError [ERR_ASSERTION]: ...`.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^(?:E\s|Uncaught\s|Caused by:|Exception in thread "[^"]*"|\s)*(?:[\w$]+\.)*([A-Z]\w*(?:Error|Exception)|Error)(?: \[\w+\])?(?::|\s*$)"#,
    )
});

/// What tools say without a name for the kind of error, and what it is called here.
static SAID: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    [
        (r"Cannot find module", "Cannot find module"),
        (
            r"undefined reference to|undefined symbol|Undefined symbols for|symbol lookup error",
            "undefined symbol",
        ),
        (r"error while loading shared libraries|cannot open shared object file", "missing library"),
        (r"^error(?:\[E\d+\])?: (?:could not compile|cannot find|unresolved)", "compile error"),
        (r"^error\[E\d+\]|: error: |\berror TS\d+:|: fatal error: ", "compile error"),
        (r": (?:command )?not found$", "command not found"),
        (r"thread .* panicked at", "panic"),
        (r"[Aa]ssertion .*failed|^Assertion failed", "assertion"),
        (r"terminate called after throwing", "uncaught exception"),
        (r"AddressSanitizer:|runtime error: |ThreadSanitizer:|MemorySanitizer:|LeakSanitizer:", "sanitizer"),
    ]
    .map(|(text, name)| (pattern(text), name))
    .into()
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is a constant that the tests use")
}

fn error_in(line: &str) -> Option<String> {
    let said = SAID.iter().find(|(pattern, _)| pattern.is_match(line)).map(|(_, name)| (*name).to_owned());
    said.or_else(|| NAMED.captures(line).map(|found| found[1].to_owned()))
}

/// Whether an error of this kind means that the program, or a part of it, was never run.
fn does_not_load(error: &str) -> bool {
    const KINDS: [&str; 19] = [
        "SyntaxError",
        "IndentationError",
        "TabError",
        "ImportError",
        "ModuleNotFoundError",
        "NameError",
        "UnboundLocalError",
        "ReferenceError",
        "Cannot find module",
        "NoClassDefFoundError",
        "ClassNotFoundException",
        "NoSuchMethodError",
        "NoSuchFieldError",
        "UnsatisfiedLinkError",
        "VerifyError",
        "undefined symbol",
        "missing library",
        "compile error",
        "command not found",
    ];
    KINDS.contains(&error)
}

#[cfg(test)]
mod tests {
    use super::super::Captured;
    use super::*;
    use std::time::Duration;

    fn ran(status: Status, stderr: &str) -> Finished {
        Finished {
            status,
            stdout: Captured::default(),
            stderr: Captured { bytes: stderr.into(), dropped: 0 },
            output: Captured::default(),
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
            max_rss: 0,
        }
    }

    fn exit(code: i32, stderr: &str) -> Finished {
        ran(Status::Exit(code), stderr)
    }

    fn learned(bad: &Finished, good: &Finished) -> Failure {
        Failure::learn(&Signs::of([bad]), &Signs::of([good]))
    }

    fn errors(output: &str) -> String {
        Signs::of([&exit(1, output)]).errors.into_iter().collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn signs_name_the_errors_of_many_tools() {
        for (output, expected) in [
            ("Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nKeyError: 'x'", "KeyError"),
            ("tomlkit.exceptions.ParseError: line 3", "ParseError"),
            ("E       TypeError: unhashable type: 'Integer'", "TypeError"),
            ("Uncaught ReferenceError: x is not defined\n    at a.js:3", "ReferenceError"),
            ("Error: Cannot find module './b'\nRequire stack:", "Cannot find module"),
            ("AssertionError [ERR_ASSERTION]: 3 == 4", "AssertionError"),
            ("Exception in thread \"main\" java.lang.NullPointerException", "NullPointerException"),
            ("Caused by: java.io.IOException: no", "IOException"),
            ("/usr/bin/ld: a.o: undefined reference to `f'", "undefined symbol"),
            ("thread 'main' (71) panicked at src/a.rs:3:5:\nboom", "panic"),
            ("t: a.c:3: main: Assertion `x == 4' failed.\nAborted", "assertion"),
            ("error[E0425]: cannot find value `x` in this scope", "compile error"),
            ("a.c:3:5: error: `x` undeclared", "compile error"),
            ("sh: 1: frob: not found", "command not found"),
            ("All is well\n  raise ValueError(3)\n  except ImportError:\nno Error here", ""),
        ] {
            assert_eq!(errors(output), expected, "{output}");
        }
    }

    #[test]
    fn a_failure_is_known_by_the_kind_of_its_error_whatever_the_message_and_the_code() {
        let failure = learned(&exit(1, "TypeError: unhashable type: 'Integer'"), &exit(0, ""));
        assert_eq!(failure.to_string(), "tells of TypeError");
        assert!(failure.is_shown_by(&exit(1, "TypeError: unhashable type: 'Float'")));
        assert!(failure.is_shown_by(&exit(2, "TypeError: x\nKeyError: y")), "two tests may fail");
        assert!(!failure.is_shown_by(&exit(1, "AttributeError: no `y`")));
        assert!(!failure.is_shown_by(&exit(1, "TypeError: x\nImportError: z")), "a part was never run");
    }

    #[test]
    fn without_a_known_error_the_end_decides_and_any_error_is_another_failure() {
        let failure = learned(&exit(1, "expected 4, got 5"), &exit(0, ""));
        assert_eq!(failure.to_string(), "ends with exit:1");
        assert!(failure.is_shown_by(&exit(1, "expected 4, got 6")));
        assert!(!failure.is_shown_by(&exit(2, "usage: ...")));
        assert!(!failure.is_shown_by(&ran(Status::Signal(11), "")));
        assert!(!failure.is_shown_by(&exit(1, "NameError: name 'x' is not defined")));
    }

    #[test]
    fn a_run_that_tells_of_no_error_is_judged_by_its_end() {
        let failure = learned(&exit(1, "ValueError: x"), &exit(0, ""));
        assert!(failure.is_shown_by(&exit(1, "failed")));
        assert!(!failure.is_shown_by(&exit(3, "failed")));
    }

    #[test]
    fn what_the_good_version_prints_too_counts_for_nothing() {
        let noise = "ImportError: no speedups\n";
        let failure = learned(&exit(1, &format!("{noise}ValueError: x")), &exit(0, noise));
        assert!(failure.is_shown_by(&exit(1, &format!("{noise}ValueError: y"))));
        assert!(failure.is_shown_by(&exit(1, "ValueError: y")));
        assert!(!failure.is_shown_by(&exit(1, &format!("{noise}KeyError: y"))));
    }

    #[test]
    fn a_silent_run_passes_only_where_the_good_version_is_silent() {
        let said = |stdout: &str, stderr| {
            let stdout = Captured { bytes: stdout.into(), dropped: 0 };
            Finished { stdout, ..exit(0, stderr) }
        };
        let after = |good: &[&Finished]| {
            Failure::learn(&Signs::of([&exit(1, "no")]), &Signs::of(good.iter().copied()))
        };
        let silent = said(" \n", "warning: old");
        let speaking = after(&[&said("ok", ""), &said("fine", "")]);
        assert!(speaking.is_passed_by(&said("well", "")) && !speaking.is_passed_by(&silent));
        assert!(after(&[&said("ok", ""), &said("", "")]).is_passed_by(&silent), "it is silent at times");
        assert!(after(&[&said("", "warning: old")]).is_passed_by(&silent), "a warning may be gone");
    }

    #[test]
    fn a_bad_version_that_does_not_load_fails_by_just_that() {
        let failure = learned(&exit(1, "ImportError: no b"), &exit(0, ""));
        assert!(failure.is_shown_by(&exit(1, "ImportError: no c")));
        assert!(!failure.is_shown_by(&exit(1, "SyntaxError: here")));
    }

    #[test]
    fn a_bad_version_that_fails_in_several_ways_is_known_by_each() {
        let runs = [exit(1, "KeyError: x"), ran(Status::Signal(11), "")];
        let failure = Failure::learn(&Signs::of(&runs), &Signs::default());
        assert!(runs.iter().all(|run| failure.is_shown_by(run)));
        assert!(failure.is_shown_by(&exit(128 + 11, "")), "a shell tells of it");
    }
}
