//! What happened in an experiment, in order; the only thing a reporter sees.

use crate::process::Failure;
use crate::run::Numbers;
use nub_search::Outcome;
use std::time::Duration;

/// One of the two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The version without any change.
    Old,
    /// The version with all changes.
    New,
}

impl Side {
    /// The other one.
    pub fn other(self) -> Side {
        match self {
            Side::Old => Side::New,
            Side::New => Side::Old,
        }
    }
}

/// Which way the test changed its mind between the versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The old version is good and the new one bad.
    Regression,
    /// The old version is bad and the new one good.
    Fix,
}

impl Direction {
    /// The bad version.
    pub fn bad(self) -> Side {
        match self {
            Direction::Regression => Side::New,
            Direction::Fix => Side::Old,
        }
    }
}

/// How one config went: what was built and run, and what was made of it.
#[derive(Clone, Debug)]
pub struct Trial {
    /// What it counts as: Pass is good, Fail is bad.
    pub outcome: Outcome,
    /// Whether it built.
    pub built: bool,
    /// How the last command ended, in words: `exit 1`, `signal SEGV`, `timed out`.
    pub ended: String,
    /// How long the build took, if there is one and it was run.
    pub build_time: Option<Duration>,
    /// How long the test took, if it was run.
    pub test_time: Option<Duration>,
    /// What the commands printed, capped; nothing if they ran in an earlier run.
    pub output: Option<String>,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// Both versions are read and compared.
    Compared {
        /// How the old version is called.
        old: String,
        /// How the new version is called.
        new: String,
        /// Files that differ.
        files: usize,
        /// Changes between them, at the finest level.
        changes: usize,
    },
    /// A version was built and tested by itself; not told again by a run that goes on.
    Baseline {
        /// Which one.
        side: Side,
        /// How it went.
        trial: Trial,
    },
    /// The two versions differ in this way, and the search starts from `from`.
    Directed {
        /// Which way the test changed its mind.
        direction: Direction,
        /// The version the search starts from.
        from: Side,
    },
    /// It is known which changes the test runs.
    Measured {
        /// Who measured it.
        by: String,
        /// Changes that ran.
        ran: usize,
        /// Changes that did not run.
        idle: usize,
        /// Changes of which nobody can tell.
        unseen: usize,
        /// How many builds and tests it took.
        runs: usize,
    },
    /// It is known how the bad version fails; another failure cannot tell.
    Learned {
        /// How it does.
        failure: Failure,
    },
    /// Answers of an earlier run are used.
    Resumed {
        /// How many.
        answers: usize,
    },
    /// The search has ended, and another one begins inside what it found, or in the functions around that.
    Refining {
        /// Changes that are looked into.
        changes: usize,
        /// What these have been taken apart into.
        parts: usize,
    },
    /// A config was tried.
    Tried {
        /// How it went.
        trial: Trial,
    },
    /// A smaller part of the difference was seen to flip the test.
    Better {
        /// How many changes it has.
        changes: usize,
        /// The patch for the version searched from.
        patch: Vec<u8>,
    },
    /// The search moved on.
    Progress {
        /// Changes that are still in question or needed.
        left: usize,
        /// Changes in all.
        total: usize,
        /// The cost so far.
        numbers: Numbers,
        /// Time since the start.
        elapsed: Duration,
    },
    /// Something the user should know, but no error.
    Warning(String),
}
