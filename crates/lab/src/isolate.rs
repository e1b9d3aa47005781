//! `nub isolate`: from two versions and a test to the smallest part of the difference that flips it.

use crate::event::{Direction, Side, Trial};
use crate::process::{Program, Rule};
use crate::run::Numbers;
use nub_change::{Patchwork, RelPath};
use nub_search::Config;
use nub_search::algorithm::Algorithm;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What the search looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seek {
    /// From the bad version, the smallest part of the difference that makes the test pass.
    Fix,
    /// From the good version, the smallest part of the difference that makes the test fail.
    Break,
}

/// When to stop before the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// After this long.
    Time(Duration),
    /// After this many configs.
    Tests(usize),
}

/// Everything an experiment needs, as meant.
pub struct Plan {
    /// The two versions, woven.
    pub patchwork: Arc<Patchwork>,
    /// How the old version is called.
    pub old_name: String,
    /// How the new version is called.
    pub new_name: String,
    /// A folder whose ignored build products come along, with their relative paths.
    pub products: Option<(PathBuf, Vec<PathBuf>)>,
    /// The folder inside a version in which commands run; none is the top.
    pub folder: Option<RelPath>,
    /// How to build a config, if it must be built.
    pub build: Option<Program>,
    /// How to test it.
    pub test: Program,
    /// What a test's end means; its symptoms may still be learned from the baseline.
    pub rule: Rule,
    /// The longest a command may take; otherwise derived from the baseline.
    pub timeout: Option<Duration>,
    /// The most memory a process of a command may take.
    pub memory: Option<u64>,
    /// Whether to build from scratch each time.
    pub clean: bool,
    /// What to look for.
    pub seek: Seek,
    /// How to search.
    pub algorithm: Algorithm,
    /// The seed of searches that draw.
    pub seed: u64,
    /// How many workers.
    pub jobs: usize,
    /// When to stop early.
    pub budget: Option<Budget>,
    /// Where journal, logs and results go.
    pub out: PathBuf,
    /// Whether to forget an earlier run's answers.
    pub fresh: bool,
}

/// The result of an experiment.
#[derive(Clone, Debug)]
pub struct Isolated {
    /// Which way the test changed its mind.
    pub direction: Direction,
    /// The version searched from; the critical patch applies to it.
    pub from: Side,
    /// The changes that matter, by number in the patchwork.
    pub critical: Config,
    /// The patch that flips the test when applied to the version searched from.
    pub patch: Vec<u8>,
    /// The rest of the difference, to be applied after it.
    pub rest: Vec<u8>,
    /// The trial that showed it.
    pub witness: Option<Trial>,
    /// Whether taking out any single remaining change was seen to lose it.
    pub one_minimal: bool,
    /// Whether the search came to its end.
    pub finished: bool,
    /// What it cost.
    pub numbers: Numbers,
    /// Builds that broke among the needed ones.
    pub broken_builds: usize,
    /// How long it took.
    pub elapsed: Duration,
    /// How long the user's commands took, all workers together.
    pub commands: Duration,
}
