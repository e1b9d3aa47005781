//! What was measured so far, kept as data beside the page that is made of it.

use crate::scale::Own;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::fs;
use std::io;
use std::path::Path;

/// Everything that the page tells.
#[derive(Default, Serialize, Deserialize)]
pub struct Record {
    /// Each reducer on each case, once.
    pub runs: Vec<Outcome>,
    /// What nub itself costs, if that was measured.
    pub own: Option<Own>,
}

/// One run, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The case.
    pub case: String,
    /// The language of its input.
    pub language: String,
    /// The reducer or tool.
    pub reducer: String,
    /// Words and signs of the input.
    pub tokens_before: usize,
    /// What it found, and what that cost.
    #[serde(flatten)]
    pub found: Found,
    /// Seconds of the processor, tests and all.
    pub processor: f64,
    /// The minutes it had.
    pub minutes: u64,
}

/// What a reducer found, and what that cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Words and signs that are left.
    pub tokens: usize,
    /// Tests run.
    pub tests: usize,
    /// Whether it came to its end.
    pub finished: bool,
    /// Of the inputs that a grammar guided, how many could be read.
    pub readable: (usize, usize),
}

impl Record {
    /// What is kept in a file; nothing if there is none.
    pub fn load(file: &Path) -> Result<Record, Box<dyn Error>> {
        match fs::read(file) {
            Ok(kept) => Ok(serde_json::from_slice(&kept)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Record::default()),
            Err(error) => Err(error.into()),
        }
    }

    /// Keeps it; whoever is stopped while writing leaves the old file.
    pub fn save(&self, file: &Path) -> Result<(), Box<dyn Error>> {
        let new = file.with_extension("json.new");
        fs::write(&new, serde_json::to_string_pretty(self)? + "\n")?;
        fs::rename(&new, file)?;
        Ok(())
    }

    /// Whether a reducer has run on a case.
    pub fn knows(&self, case: &str, reducer: &str) -> bool {
        self.runs.iter().any(|run| run.case == case && run.reducer == reducer)
    }

    /// Puts a run in the place of an earlier one of the same reducer on the same case.
    pub fn put(&mut self, run: Outcome) {
        self.runs.retain(|known| known.case != run.case || known.reducer != run.reducer);
        self.runs.push(run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(case: &str, reducer: &str, tests: usize) -> Outcome {
        Outcome {
            case: case.into(),
            language: "c".into(),
            reducer: reducer.into(),
            tokens_before: 9,
            found: Found { tokens: 2, tests, finished: true, readable: (1, 1) },
            processor: 0.5,
            minutes: 1,
        }
    }

    #[test]
    fn a_record_is_taken_up_where_it_was_left_and_holds_each_run_once() {
        let file = std::env::temp_dir().join(format!("nub-record-{}.json", std::process::id()));
        let mut record = Record::load(&file).unwrap();
        for run in [run("a", "default", 3), run("a", "cvise", 4), run("a", "default", 5)] {
            record.put(run);
        }
        record.save(&file).unwrap();
        let kept = Record::load(&file).unwrap();
        fs::remove_file(&file).unwrap();
        assert_eq!(kept.runs, [run("a", "cvise", 4), run("a", "default", 5)]);
        assert!(kept.knows("a", "cvise") && !kept.knows("b", "cvise"));
    }
}
