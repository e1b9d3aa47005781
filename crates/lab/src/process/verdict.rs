//! What the end of a command means: the test's outcome, or that it did not answer as a test should.
//!
//! For `isolate` a test answers like a `git bisect run` script, for `reduce` like an interestingness script
//! of C-Reduce and its kin. Departures, each because a search runs unattended for hours:
//!
//! - 127, command not found, aborts, as in jj: a misspelt command must not look like a bug.
//! - A crash is a plain failure, whether the test itself crashed or its shell tells of it with 128 + the
//!   signal number. git stops there and makes its users wrap every test of a segmentation fault.
//! - SIGKILL, most often sent by a machine out of memory, tells nothing. SIGTERM, SIGINT, SIGQUIT and SIGHUP
//!   come from people and machines that want the work to end, so it ends.
//! - 125 is understood in interestingness scripts too, and 124 is what `timeout` in a script says.

use super::{Failure, Finished, Status};
use nix::sys::signal::Signal;
use nub_search::Outcome;
use regex::bytes::{Regex, RegexBuilder};
use std::fmt;
use std::str::FromStr;

/// What a test means by its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// As for `git bisect run`: 0 good, 125 cannot tell, others up to 126 bad, more aborts.
    Bisect,
    /// As for C-Reduce: 0 interesting, which is to say that the failure is there; anything else is not.
    Interesting,
}

/// How a failure is known from another one.
#[derive(Clone, Debug)]
pub enum Symptom {
    /// Standard output or standard error matches; `^` and `$` match at lines.
    Output(Regex),
    /// The test exits with this code.
    Exit(i32),
    /// This signal ends the test, or its shell says so.
    Signal(i32),
}

impl Symptom {
    /// Whether a run shows it.
    pub fn is_shown_by(&self, finished: &Finished) -> bool {
        match self {
            Symptom::Output(regex) => {
                [&finished.stdout, &finished.stderr].iter().any(|s| regex.is_match(&s.bytes))
            }
            Symptom::Exit(code) => finished.status == Status::Exit(*code),
            Symptom::Signal(signal) => signal_of(finished.status) == Some(*signal),
        }
    }
}

/// Why a text is no symptom.
#[derive(Debug, thiserror::Error)]
pub enum SymptomError {
    /// It is no regular expression.
    #[error("failed to read the symptom `{text}` as a regular expression")]
    Regex {
        /// The text.
        text: String,
        /// What is wrong with it.
        #[source]
        source: regex::Error,
    },
    /// It names no exit code.
    #[error("no exit code in the symptom `{text}`: expected a number after `exit:`")]
    Exit {
        /// The text.
        text: String,
    },
    /// It names no signal.
    #[error("no signal in the symptom `{text}`: expected a name such as `SEGV` or a number after `signal:`")]
    Signal {
        /// The text.
        text: String,
    },
}

/// Reads `exit:3`, `signal:SEGV` or `signal:11`, and anything else as a regular expression.
impl FromStr for Symptom {
    type Err = SymptomError;

    fn from_str(text: &str) -> Result<Symptom, SymptomError> {
        let owned = || text.to_string();
        if let Some(code) = text.strip_prefix("exit:") {
            return code.parse().map(Symptom::Exit).map_err(|_| SymptomError::Exit { text: owned() });
        }
        if let Some(name) = text.strip_prefix("signal:") {
            let long = format!("SIG{}", name.trim_start_matches("SIG"));
            let number =
                Signal::from_str(&long).map(|signal| signal as i32).ok().or_else(|| name.parse().ok());
            return number.map(Symptom::Signal).ok_or_else(|| SymptomError::Signal { text: owned() });
        }
        let regex = RegexBuilder::new(text).multi_line(true).build();
        regex.map(Symptom::Output).map_err(|source| SymptomError::Regex { text: owned(), source })
    }
}

/// Writes what can be read again.
impl fmt::Display for Symptom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Symptom::Output(regex) => f.write_str(regex.as_str()),
            Symptom::Exit(code) => write!(f, "exit:{code}"),
            Symptom::Signal(number) => match Signal::try_from(*number) {
                Ok(signal) => write!(f, "signal:{}", signal.as_str().trim_start_matches("SIG")),
                Err(_) => write!(f, "signal:{number}"),
            },
        }
    }
}

/// Why a run says nothing about its config, but that the search cannot go on like this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Abort {
    /// The shell did not find a command.
    #[error("the test did not find a command (exit code 127)")]
    CommandNotFound,
    /// The test asked for the search to stop.
    #[error("the test exited with code {0}, which stops the search as in `git bisect run`")]
    Asked(i32),
    /// Somebody else ended the test.
    #[error("the test was ended from outside by {}", signal_name(*.0))]
    EndedFromOutside(i32),
    /// We ended the test.
    #[error("the test was cancelled")]
    Cancelled,
}

/// How the end of a test is read.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What its exit code means.
    pub convention: Convention,
    /// Whether a test that runs out of time fails; else it cannot tell.
    pub timeout_is_fail: bool,
    /// What a failing run must show, all of it, to count as the failure looked for; else it cannot tell.
    pub symptoms: Vec<Symptom>,
    /// The failure looked for, if it was learned; a run that shows another one cannot tell, and neither can one that
    /// ends well before it comes to the test.
    pub failure: Option<Failure>,
}

impl Rule {
    /// The convention alone: a timeout cannot tell, and every failure is the one looked for.
    pub fn new(convention: Convention) -> Rule {
        Rule { convention, timeout_is_fail: false, symptoms: Vec::new(), failure: None }
    }

    /// What a test has said.
    pub fn outcome(&self, finished: &Finished) -> Result<Outcome, Abort> {
        match (self.convention, finished.status) {
            (_, Status::Cancelled) => Err(Abort::Cancelled),
            (_, Status::Crowded) => Ok(Outcome::Unresolved),
            (_, Status::TimedOut) if self.timeout_is_fail => Ok(self.failure(finished)),
            (_, Status::TimedOut) => Ok(Outcome::Unresolved),
            (Convention::Bisect, status) => self.bisect(status, finished),
            (Convention::Interesting, Status::Exit(0)) => Ok(self.failure(finished)),
            (Convention::Interesting, Status::Exit(124 | 125)) => Ok(Outcome::Unresolved),
            (Convention::Interesting, Status::Exit(_)) => Ok(Outcome::Pass),
            (Convention::Interesting, Status::Signal(_)) => Ok(Outcome::Unresolved),
        }
    }

    fn bisect(&self, status: Status, finished: &Finished) -> Result<Outcome, Abort> {
        match (status, signal_of(status).and_then(|number| Signal::try_from(number).ok())) {
            (Status::Exit(0), _) => Ok(self.success(finished)),
            (Status::Exit(125), _) => Ok(Outcome::Unresolved),
            // The user who names a symptom knows how the failure ends, whatever the convention makes of it.
            _ if !self.symptoms.is_empty() && self.shows_symptoms(finished) => Ok(Outcome::Fail),
            (Status::Exit(127), _) => Err(Abort::CommandNotFound),
            (_, Some(Signal::SIGKILL)) => Ok(Outcome::Unresolved),
            (_, Some(signal @ (Signal::SIGTERM | Signal::SIGINT | Signal::SIGQUIT | Signal::SIGHUP))) => {
                Err(Abort::EndedFromOutside(signal as i32))
            }
            (Status::Exit(code), None) if code >= 128 => Err(Abort::Asked(code)),
            _ => Ok(self.failure(finished)),
        }
    }

    /// A run that ends well: a pass, if it has come that far.
    fn success(&self, finished: &Finished) -> Outcome {
        let is_whole = self.failure.as_ref().is_none_or(|failure| failure.is_passed_by(finished));
        if is_whole { Outcome::Pass } else { Outcome::Unresolved }
    }

    /// A failing run: the failure looked for, or another one.
    fn failure(&self, finished: &Finished) -> Outcome {
        let is_known = self.failure.as_ref().is_none_or(|failure| failure.is_shown_by(finished));
        if is_known && self.shows_symptoms(finished) { Outcome::Fail } else { Outcome::Unresolved }
    }

    fn shows_symptoms(&self, finished: &Finished) -> bool {
        self.symptoms.iter().all(|symptom| symptom.is_shown_by(finished))
    }
}

/// Whether a build has made something to test; a build that failed, however, means *cannot tell*.
pub fn built(finished: &Finished) -> Result<bool, Abort> {
    match finished.status {
        Status::Cancelled => Err(Abort::Cancelled),
        status => Ok(status == Status::Exit(0)),
    }
}

/// The signal that ended a command, or of which its shell tells by 128 and its number.
pub(crate) fn signal_of(status: Status) -> Option<i32> {
    match status {
        Status::Signal(signal) => Some(signal),
        Status::Exit(code) if code > 128 => Some(code - 128),
        _ => None,
    }
}

/// The signal's name as people know it.
pub(super) fn signal_name(signal: i32) -> String {
    Signal::try_from(signal).map_or_else(|_| format!("signal {signal}"), |signal| signal.as_str().to_string())
}

#[cfg(test)]
mod tests {
    use super::super::{Captured, Signs};
    use super::*;
    use Outcome::{Fail, Pass, Unresolved};
    use Status::{Cancelled, Crowded, Exit, Signal as Killed, TimedOut};
    use std::time::Duration;

    const SEGV: i32 = Signal::SIGSEGV as i32;
    const KILL: i32 = Signal::SIGKILL as i32;
    const TERM: i32 = Signal::SIGTERM as i32;

    fn finished(status: Status, stderr: &str) -> Finished {
        Finished {
            status,
            stdout: Captured { bytes: b"ok 1\nok 2\n".to_vec(), dropped: 0 },
            stderr: Captured { bytes: stderr.into(), dropped: 0 },
            output: Captured::default(),
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
            max_rss: 0,
        }
    }

    fn check(rule: &Rule, stderr: &str, table: &[(Status, Result<Outcome, Abort>)]) {
        for (status, expected) in table {
            assert_eq!(rule.outcome(&finished(*status, stderr)), *expected, "the test {status}");
        }
    }

    #[test]
    fn bisect_reads_a_test_like_git() {
        check(
            &Rule::new(Convention::Bisect),
            "",
            &[
                (Exit(0), Ok(Pass)),
                (Exit(1), Ok(Fail)),
                (Exit(124), Ok(Fail)),
                (Exit(125), Ok(Unresolved)),
                (Exit(126), Ok(Fail)),
                (Exit(127), Err(Abort::CommandNotFound)),
                (Exit(128), Err(Abort::Asked(128))),
                (Exit(255), Err(Abort::Asked(255))),
                (Exit(128 + SEGV), Ok(Fail)),
                (Exit(128 + KILL), Ok(Unresolved)),
                (Exit(128 + TERM), Err(Abort::EndedFromOutside(TERM))),
                (Killed(SEGV), Ok(Fail)),
                (Killed(KILL), Ok(Unresolved)),
                (Killed(TERM), Err(Abort::EndedFromOutside(TERM))),
                (TimedOut, Ok(Unresolved)),
                (Crowded, Ok(Unresolved)),
                (Cancelled, Err(Abort::Cancelled)),
            ],
        );
    }

    #[test]
    fn interesting_reads_a_script_like_c_reduce() {
        check(
            &Rule::new(Convention::Interesting),
            "",
            &[
                (Exit(0), Ok(Fail)),
                (Exit(1), Ok(Pass)),
                (Exit(124), Ok(Unresolved)),
                (Exit(125), Ok(Unresolved)),
                (Exit(127), Ok(Pass)),
                (Exit(255), Ok(Pass)),
                (Killed(SEGV), Ok(Unresolved)),
                (TimedOut, Ok(Unresolved)),
                (Crowded, Ok(Unresolved)),
                (Cancelled, Err(Abort::Cancelled)),
            ],
        );
    }

    #[test]
    fn timeout_is_fail_makes_a_timeout_the_failure() {
        for convention in [Convention::Bisect, Convention::Interesting] {
            let rule = Rule { timeout_is_fail: true, ..Rule::new(convention) };
            check(&rule, "", &[(TimedOut, Ok(Fail)), (Crowded, Ok(Unresolved))]);
            let rule = Rule { symptoms: vec![Symptom::Exit(1)], ..rule };
            check(&rule, "", &[(TimedOut, Ok(Unresolved))]);
        }
    }

    fn with_symptoms(convention: Convention, symptoms: &[&str]) -> Rule {
        let symptoms = symptoms.iter().map(|text| text.parse().unwrap()).collect();
        Rule { symptoms, ..Rule::new(convention) }
    }

    #[test]
    fn a_failure_without_its_symptom_cannot_tell() {
        let rule = with_symptoms(Convention::Bisect, &["^KeyError: 'a'$"]);
        let shown = "Traceback\nKeyError: 'a'\n";
        check(
            &rule,
            shown,
            &[
                (Exit(0), Ok(Pass)),
                (Exit(1), Ok(Fail)),
                (Exit(125), Ok(Unresolved)),
                (Exit(255), Ok(Fail)),
                (TimedOut, Ok(Unresolved)),
            ],
        );
        check(
            &rule,
            "SyntaxError\n",
            &[
                (Exit(0), Ok(Pass)),
                (Exit(1), Ok(Unresolved)),
                (Exit(127), Err(Abort::CommandNotFound)),
                (Exit(255), Err(Abort::Asked(255))),
                (Killed(SEGV), Ok(Unresolved)),
            ],
        );
        let rule = with_symptoms(Convention::Interesting, &["KeyError"]);
        check(&rule, shown, &[(Exit(0), Ok(Fail)), (Exit(1), Ok(Pass))]);
        check(&rule, "", &[(Exit(0), Ok(Unresolved)), (Exit(1), Ok(Pass))]);
    }

    #[test]
    fn a_symptom_may_be_a_code_or_a_signal_and_all_must_show() {
        check(
            &with_symptoms(Convention::Bisect, &["exit:3"]),
            "",
            &[(Exit(3), Ok(Fail)), (Exit(1), Ok(Unresolved)), (Exit(0), Ok(Pass))],
        );
        check(
            &with_symptoms(Convention::Bisect, &["signal:SEGV"]),
            "",
            &[
                (Killed(SEGV), Ok(Fail)),
                (Exit(128 + SEGV), Ok(Fail)),
                (Exit(1), Ok(Unresolved)),
                (Killed(KILL), Ok(Unresolved)),
            ],
        );
        check(&with_symptoms(Convention::Bisect, &["signal:15"]), "", &[(Killed(TERM), Ok(Fail))]);
        let both = with_symptoms(Convention::Bisect, &["exit:3", "boom"]);
        check(&both, "boom", &[(Exit(3), Ok(Fail)), (Exit(1), Ok(Unresolved))]);
        check(&both, "", &[(Exit(3), Ok(Unresolved))]);
    }

    #[test]
    fn a_failure_that_was_learned_is_told_from_others() {
        let [bad, good] = [(Exit(1), "KeyError: 'a'"), (Exit(0), "")]
            .map(|(status, stderr)| Signs::of([&finished(status, stderr)]));
        let rule = Rule { failure: Some(Failure::learn(&bad, &good)), ..Rule::new(Convention::Bisect) };
        check(
            &rule,
            "KeyError: 'b'",
            &[(Exit(0), Ok(Pass)), (Exit(1), Ok(Fail)), (Exit(125), Ok(Unresolved))],
        );
        check(&rule, "ImportError: b", &[(Exit(0), Ok(Pass)), (Exit(1), Ok(Unresolved))]);
    }

    #[test]
    fn symptoms_are_read_as_they_are_written() {
        for text in ["exit:3", "signal:SEGV", "signal:40", "^a|b$"] {
            assert_eq!(text.parse::<Symptom>().unwrap().to_string(), text);
        }
        assert_eq!("signal:SIGSEGV".parse::<Symptom>().unwrap().to_string(), "signal:SEGV");
        for (text, message) in [
            ("exit:x", "no exit code in the symptom `exit:x`: expected a number after `exit:`"),
            (
                "signal:x",
                "no signal in the symptom `signal:x`: expected a name such as `SEGV` or a number after `signal:`",
            ),
            ("a(", "failed to read the symptom `a(` as a regular expression"),
        ] {
            assert_eq!(text.parse::<Symptom>().unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn a_build_that_does_not_end_well_has_not_built() {
        for (status, expected) in [
            (Exit(0), Ok(true)),
            (Exit(1), Ok(false)),
            (Exit(127), Ok(false)),
            (Killed(SEGV), Ok(false)),
            (TimedOut, Ok(false)),
            (Cancelled, Err(Abort::Cancelled)),
        ] {
            assert_eq!(built(&finished(status, "")), expected, "the build {status}");
        }
    }
}
