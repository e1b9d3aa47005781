//! What an experiment is to do, with everything decided.

use super::Granularity;
use crate::coverage::{Collect, Wanted};
use crate::process::{Convention, Program, Rule};
use nub_change::{Patchwork, RelPath};
use nub_search::{Algorithm, Config};
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

/// What a search is told about the changes, besides what its own tests teach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knowledge {
    /// Which changes need which by the laws of their language.
    pub rules: bool,
    /// Which changes a failed build or test names.
    pub messages: bool,
    /// Which configs have a file that cannot be read, and so need no test.
    pub reading: bool,
}

impl Default for Knowledge {
    fn default() -> Knowledge {
        Knowledge { rules: true, messages: true, reading: true }
    }
}

/// Everything an experiment needs, as meant.
#[derive(Clone, Debug)]
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
    /// What a test's end means; the failure looked for may still be learned from the versions.
    pub rule: Rule,
    /// Whether to learn how the bad version fails, and to tell that failure from others.
    pub learn: bool,
    /// How often the test is run on a config before it counts as passed.
    pub repeat: usize,
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
    /// The smallest parts of the difference that are told apart; the patchwork has what is searched for that.
    pub granularity: Granularity,
    /// What the search is told.
    pub knowledge: Knowledge,
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
    /// What is to be known about what the test runs.
    pub coverage: Wanted,
}

impl Plan {
    /// The usual experiment: nub's own search down to single changes of the patchwork, by one worker, without a build and without coverage.
    pub fn new(patchwork: Arc<Patchwork>, test: Program, out: PathBuf) -> Plan {
        Plan {
            patchwork,
            old_name: "old".to_owned(),
            new_name: "new".to_owned(),
            products: None,
            folder: None,
            build: None,
            test,
            rule: Rule::new(Convention::Bisect),
            learn: true,
            repeat: 1,
            timeout: None,
            memory: None,
            clean: false,
            seek: Seek::Fix,
            algorithm: Algorithm::Pith,
            granularity: Granularity::Line,
            knowledge: Knowledge::default(),
            seed: 0,
            jobs: 1,
            budget: None,
            out,
            fresh: false,
            coverage: Wanted { collect: Collect::Off, ..Wanted::default() },
        }
    }

    /// What an answer depends on: both versions, the commands and how their end is read.
    pub(super) fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for config in [Config::empty(), self.patchwork.full()] {
            for (path, entry) in self.patchwork.render(&config).iter() {
                hasher.update(path.as_bytes()).update(&[0]);
                hasher
                    .update(format!("{:?} {}", entry.kind, entry.content.len()).as_bytes())
                    .update(&entry.content);
            }
        }
        let commands = (&self.build, &self.test, &self.folder);
        let reading = (&self.rule, self.learn, self.repeat, self.timeout, self.memory);
        // Configs are kept by the numbers of their changes.
        let numbering = (self.patchwork.detail(), self.patchwork.changes().len());
        hasher
            .update(format!("{commands:?} {reading:?} {numbering:?} {}", self.knowledge.messages).as_bytes());
        hasher.finalize().to_hex()[..32].to_owned()
    }
}
