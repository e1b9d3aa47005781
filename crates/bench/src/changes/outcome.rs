//! One run of a contender on a case, as it is kept.

use serde::{Deserialize, Serialize};

/// What a run found, and what it cost.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    pub case: String,
    /// The way it was searched, or the peer.
    pub way: String,
    /// Why there is no result, if there is none.
    pub error: Option<String>,
    /// Separate changes between the versions, as the contender counts them.
    pub changes: usize,
    pub finished: bool,
    pub one_minimal: bool,
    /// Whether the patch, applied by git to the version it is for, flips the test.
    pub flips: bool,
    /// Whether the patch changes a file that is recorded as the culprit's; nothing if none is.
    pub culprit: Option<bool>,
    /// Whether the case is built before it is tested.
    pub has_build: bool,
    /// Configs the search had to know about.
    pub needed: usize,
    /// Of these, the ones that built.
    pub built: usize,
    /// Builds and tests that measured what runs.
    pub measuring: usize,
    /// Changes that ran, did not run, cannot be seen; where that was measured.
    pub sights: Option<[usize; 3]>,
    /// Configs tried ahead in vain.
    pub guessed: usize,
    /// Questions answered without a test.
    pub memo: usize,
    /// All tests that were run, those of both versions and of the result too.
    pub run: usize,
    /// Changes left.
    pub left: usize,
    /// Changed lines left.
    pub lines: usize,
    /// Words and signs that the patch takes away and puts in.
    pub tokens: usize,
    /// Where they are.
    pub places: Vec<String>,
    pub seconds: f64,
    /// Milliseconds of its own for each test that was run, where it tells.
    pub own_ms: Option<f64>,
}

impl Outcome {
    /// A run without a result.
    pub fn failed(case: &str, way: String, error: String) -> Outcome {
        Outcome { case: case.to_owned(), way, error: Some(error), ..Outcome::default() }
    }

    /// Whether it came to a result.
    pub fn is_finished(&self) -> bool {
        self.error.is_none() && self.finished
    }

    /// Whether that does what it is said to do.
    pub fn has_result(&self) -> bool {
        self.is_finished() && self.flips
    }

    /// Builds and tests that the search needed, with those that measured what runs.
    pub fn cost(&self) -> usize {
        let tests = if self.has_build { self.built } else { self.needed };
        let builds = if self.has_build { self.needed } else { 0 };
        builds + tests + self.measuring
    }
}
