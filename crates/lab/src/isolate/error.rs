//! Why an experiment ends without a result.

use crate::event::{Side, Trial};
use crate::journal::JournalError;
use crate::pool::PoolError;
use nub_search::Outcome;
use std::path::PathBuf;

/// Why an experiment has no result.
#[derive(Debug, thiserror::Error)]
pub enum IsolateError {
    /// There is nothing to search in.
    #[error("the two versions are the same")]
    NoDifference,
    /// The test does not tell the versions apart.
    #[error("the test {} on both versions", if *.good { "passes" } else { "fails" })]
    SameOutcome {
        /// Whether both are good.
        good: bool,
        /// How the old version went.
        old: Box<Trial>,
        /// How the new version went.
        new: Box<Trial>,
    },
    /// The test cannot tell about one of the versions.
    #[error("the test cannot tell whether the {} version is good: it {}", name(*.side), .trial.ended)]
    CannotTell {
        /// Which one.
        side: Side,
        /// How it went.
        trial: Box<Trial>,
    },
    /// One of the versions does not build.
    #[error("the {} version does not build: the build {}", name(*.side), .trial.ended)]
    BrokenBuild {
        /// Which one.
        side: Side,
        /// How it went.
        trial: Box<Trial>,
    },
    /// The same version passes and fails.
    #[error("the test is flaky: {} on the {} version", tally(.outcomes), name(*.side))]
    Flaky {
        /// Which one.
        side: Side,
        /// What the test said, time after time.
        outcomes: Vec<Outcome>,
        /// Two runs that contradict each other.
        trials: [Box<Trial>; 2],
    },
    /// The user stopped it before there was anything to tell.
    #[error("interrupted before both versions were tested")]
    Interrupted,
    /// A config could not be tested.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The journal of an earlier run cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The folder for results cannot be written.
    #[error("failed to write to `{}`", .path.display())]
    Out {
        /// The folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

impl IsolateError {
    /// Whether it is the test that does not tell the versions apart, rather than something on our side that went wrong.
    pub(super) fn is_about_the_test(&self) -> bool {
        use IsolateError::{BrokenBuild, CannotTell, Flaky, SameOutcome};
        matches!(self, SameOutcome { .. } | CannotTell { .. } | BrokenBuild { .. } | Flaky { .. })
    }
}

fn name(side: Side) -> &'static str {
    match side {
        Side::Old => "old",
        Side::New => "new",
    }
}

/// How often each outcome came: `of 8 runs 5 passed and 3 failed`.
fn tally(outcomes: &[Outcome]) -> String {
    let said =
        [(Outcome::Pass, "passed"), (Outcome::Fail, "failed"), (Outcome::Unresolved, "could not tell")];
    let counted = said.map(|(outcome, verb)| (outcomes.iter().filter(|o| **o == outcome).count(), verb));
    let counted: Vec<String> =
        counted.iter().filter(|(n, _)| *n > 0).map(|(n, verb)| format!("{n} {verb}")).collect();
    format!("of {} runs {}", outcomes.len(), counted.join(" and "))
}
