//! What makes an input interesting, and how another bug is told from the one that is looked for.
//!
//! A script decides by its exit code, as for C-Reduce. Without a script a command is run, and properties of its
//! end decide. On top of either the *symptom* of the original is learned: the signal, the message, the innermost
//! function of a crash, as far as they show. An input that is interesting but shows another symptom is another
//! bug: it is not followed, and saved for the user.

use crate::process::{Finished, Status, signal_of};
use nub_search::Outcome;
use regex::bytes::Regex;
use std::sync::LazyLock;

/// A property of a command's end.
#[derive(Clone, Debug)]
pub enum Condition {
    /// Standard error matches.
    Stderr(Regex),
    /// Standard output matches.
    Stdout(Regex),
    /// It exits with this code.
    Exit(i32),
    /// It is ended by this signal, or its shell says so.
    Signal(i32),
    /// It is ended by a signal that tells of a fault of its own.
    Crash,
}

/// Signals that a program brings about itself: ILL, TRAP, ABRT, BUS, FPE, SEGV, SYS.
const FAULTS: [i32; 7] = [4, 5, 6, 7, 8, 11, 31];

impl Condition {
    fn holds(&self, finished: &Finished) -> bool {
        match self {
            Condition::Stderr(regex) => regex.is_match(&finished.stderr.bytes),
            Condition::Stdout(regex) => regex.is_match(&finished.stdout.bytes),
            Condition::Exit(code) => finished.status == Status::Exit(*code),
            Condition::Signal(signal) => signal_of(finished.status) == Some(*signal),
            Condition::Crash => signal_of(finished.status).is_some_and(|signal| FAULTS.contains(&signal)),
        }
    }
}

/// What makes an input interesting.
#[derive(Clone, Debug, Default)]
pub struct Property {
    /// All of these hold; with none the exit code decides: 0 is interesting, 124 and 125 cannot tell.
    pub conditions: Vec<Condition>,
}

impl Property {
    /// What the end of a test says.
    pub fn outcome(&self, finished: &Finished) -> Outcome {
        if !self.conditions.is_empty() {
            let holds = self.conditions.iter().all(|condition| condition.holds(finished));
            return match finished.status {
                _ if holds => Outcome::Fail,
                Status::TimedOut | Status::Crowded => Outcome::Unresolved,
                _ => Outcome::Pass,
            };
        }
        match finished.status {
            Status::Exit(0) => Outcome::Fail,
            Status::Exit(124 | 125) => Outcome::Unresolved,
            Status::Exit(_) => Outcome::Pass,
            _ => Outcome::Unresolved,
        }
    }
}

/// Lines that name a fault, the surest first.
static FAULT_LINES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let lines = [
        r"(?m)internal compiler error: .*$",
        r"(?m)ERROR: \w+Sanitizer: \S+",
        r"(?m)runtime error: .*$",
        r"(?m)panicked at .*$",
        r"(?m)^.*[Aa]ssertion .*[Ff]ailed.*$",
        r"(?m)^.*INTERNAL E(?:RROR|rror).*$",
        r"(?m)^\s*(?:Uncaught |Unhandled )?[\w.]*(?:Error|Exception)\b:.*$",
        r"(?m)^.*(?:Segmentation fault|Bus error|stack overflow|SIG[A-Z]+).*$",
    ];
    lines.iter().map(|line| Regex::new(line).expect("the patterns are written here")).collect()
});

/// The innermost function of a stack, as debuggers and sanitizers print it.
static INNERMOST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\s*#0\s+(?:0x[0-9a-f]+ in )?([\w:~<>]+)").expect("it is written here")
});

/// What depends on the input or the run and not on the bug: places, numbers, what is quoted.
static PARTICULARS: LazyLock<Regex> = LazyLock::new(|| {
    let pattern =
        r#"(?-u)0x[0-9a-fA-F]+|\d+|'[^']*'|"[^"]*"|`[^`']*['`]|\xe2\x80\x98.*?\xe2\x80\x99|(?:/[\w.+-]+)+"#;
    Regex::new(pattern).expect("it is written here")
});

/// How a failure shows: equal for equal bugs as far as can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symptom(String);

impl Symptom {
    /// The symptom that a command's end shows, if it shows any.
    pub fn of(finished: &Finished) -> Option<Symptom> {
        let signal = signal_of(finished.status).map(|signal| format!("signal {signal}"));
        let output = &finished.output.bytes;
        let line = FAULT_LINES.iter().find_map(|line| line.find(output));
        let line = line.map(|found| {
            let general = PARTICULARS.replace_all(found.as_bytes(), &b"_"[..]);
            String::from_utf8_lossy(general.trim_ascii()).into_owned()
        });
        let innermost = INNERMOST.captures(output).and_then(|found| found.get(1));
        let innermost = innermost.map(|name| format!("in {}", String::from_utf8_lossy(name.as_bytes())));
        let all: Vec<String> = [signal, line, innermost].into_iter().flatten().collect();
        (!all.is_empty()).then(|| Symptom(all.join(", ")))
    }
}

impl std::fmt::Display for Symptom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Captured;
    use std::time::Duration;

    fn ended(status: Status, stdout: &str, stderr: &str) -> Finished {
        let captured = |text: &str| Captured { bytes: text.into(), dropped: 0 };
        Finished {
            status,
            stdout: captured(stdout),
            stderr: captured(stderr),
            output: captured(&format!("{stdout}{stderr}")),
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
            max_rss: 0,
        }
    }

    #[test]
    fn without_conditions_the_exit_code_decides() {
        let outcome = |status| Property::default().outcome(&ended(status, "", ""));
        assert_eq!(outcome(Status::Exit(0)), Outcome::Fail);
        assert_eq!(outcome(Status::Exit(1)), Outcome::Pass);
        assert_eq!(outcome(Status::Exit(125)), Outcome::Unresolved);
        assert_eq!(outcome(Status::TimedOut), Outcome::Unresolved);
    }

    #[test]
    fn all_conditions_must_hold() {
        let conditions = vec![Condition::Crash, Condition::Stderr(Regex::new("boom").unwrap())];
        let property = Property { conditions };
        assert_eq!(property.outcome(&ended(Status::Exit(139), "", "boom")), Outcome::Fail);
        assert_eq!(property.outcome(&ended(Status::Signal(6), "", "boom")), Outcome::Fail);
        assert_eq!(property.outcome(&ended(Status::Exit(139), "boom", "")), Outcome::Pass);
        assert_eq!(property.outcome(&ended(Status::Exit(1), "", "boom")), Outcome::Pass);
        assert_eq!(property.outcome(&ended(Status::Signal(9), "", "boom")), Outcome::Pass);
        assert_eq!(property.outcome(&ended(Status::TimedOut, "", "boom")), Outcome::Unresolved);
    }

    #[test]
    fn a_symptom_is_what_does_not_depend_on_the_input() {
        let symptom = |stderr: &str| Symptom::of(&ended(Status::Exit(1), "", stderr)).map(|s| s.to_string());
        let ice =
            |line: u32| format!("input.c:{line}:1: internal compiler error: in fold, at x.c:17\nmore\n");
        assert_eq!(symptom(&ice(3)), symptom(&ice(400)));
        assert_eq!(symptom(&ice(3)).unwrap(), "internal compiler error: in fold, at x.c:_");
        assert_ne!(symptom(&ice(3)), symptom("internal compiler error: Segmentation fault\n"));
        let python = "Traceback\n  File \"a.py\"\nKeyError: 'x'\n";
        assert_eq!(symptom(python).unwrap(), "KeyError: _");
        assert_eq!(
            symptom("ERROR: AddressSanitizer: heap-use-after-free on\n    #0 0x12ab in parse_x a.c:3\n")
                .unwrap(),
            "ERROR: AddressSanitizer: heap-use-after-free, in parse_x"
        );
        assert_eq!(symptom("all is well\n"), None);
    }
}
