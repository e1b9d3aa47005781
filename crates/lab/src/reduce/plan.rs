//! What a reduction is to do, with everything decided.

use super::bench::Test;
use super::property::Property;
use super::rendering::digest;
use crate::isolate::Budget;
use nub_change::Snapshot;
use nub_change::part::Pass;
use nub_search::Algorithm;
use std::path::PathBuf;
use std::time::Duration;

/// Everything a reduction needs, as meant.
pub struct Plan {
    /// The input: one file or several.
    pub input: Snapshot,
    /// How to test it.
    pub test: Test,
    /// What makes it interesting.
    pub property: Property,
    /// Whether an interesting input counts whatever its symptom.
    pub any_failure: bool,
    /// The longest a test may take; otherwise derived from the first run.
    pub timeout: Option<Duration>,
    /// The most memory a process of the test may take.
    pub memory: Option<u64>,
    /// The language of the input, where its name does not tell.
    pub language: Option<String>,
    /// How to search; none is nub's own choice.
    pub algorithm: Option<Algorithm>,
    /// The passes, in order.
    pub passes: Vec<Pass>,
    /// Whether the result is written tidily, where it then still shows the bug.
    pub tidy: bool,
    /// How many workers.
    pub jobs: usize,
    /// When to stop early.
    pub budget: Option<Budget>,
    /// Where the journal and what was saved aside go.
    pub out: PathBuf,
    /// Where tests run.
    pub scratch: PathBuf,
    /// Whether to forget an earlier run's answers.
    pub fresh: bool,
    /// Whether to count how many of the tested inputs can be read; it takes time.
    pub count_readable: bool,
}

impl Plan {
    /// What an answer depends on: the names of the files, the test, what its scripts say and how its end is read.
    pub(super) fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(digest(&self.input).to_string().as_bytes());
        let test = format!("{:?} {:?} {}", self.test, self.property, self.any_failure);
        hasher.update(test.as_bytes());
        for script in self.test.scripts() {
            hasher.update(&script);
        }
        hasher.finalize().to_hex()[..32].to_owned()
    }
}
