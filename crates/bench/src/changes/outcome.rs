//! One run of a contender on a case, as it is kept.

use serde::{Deserialize, Serialize};

/// What a run found, and what it cost.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    pub case: String,
    pub search: String,
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
    /// Configs the search had to know about.
    pub needed: usize,
    /// Of these, the ones that built.
    pub built: usize,
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
    /// Words of text left.
    pub tokens: Option<u64>,
    /// Where they are.
    pub places: Vec<String>,
    pub seconds: f64,
    /// Milliseconds of its own for each test that was run, where it tells.
    pub own_ms: Option<f64>,
}

impl Outcome {
    /// A run without a result.
    pub fn failed(case: &str, search: &str, error: String) -> Outcome {
        Outcome { case: case.to_owned(), search: search.to_owned(), error: Some(error), ..Outcome::default() }
    }
}
