//! What the test runs of the input: a program is asked to tell, in one test, and what it does not run is tried without.
//!
//! Only a program can tell, and only where the test runs it: what a compiler crashes on leaves no mark, and is not asked
//! again. What it told is in the journal like any answer, so that a run that goes on decides the same.

use super::passes::Stage;
use super::rendering::{Subject, digest};
use super::strategy::{self, Look};
use super::{LARGE, Lab, ReduceError, Size};
use nub_change::part::Pass;
use nub_change::{Entry, RelPath, Snapshot};
use nub_search::Config;
use std::fs;

/// How many questions about the lists come first: what is small after them need not tell what it runs.
const FEW: usize = 8;

/// Files with larger numbers are no marks.
const MOST_MARKS: u32 = 1 << 24;

impl Lab<'_> {
    /// Takes out what the test does not run, file by file.
    pub(super) fn unrun_pass(&mut self, stage: Stage) -> Result<(), ReduceError> {
        for path in self.paths() {
            let is_large = Size::of(&self.current).tokens > LARGE;
            if self.stopped || !is_large || self.runs == Some(false) || !self.has_marks(&path) {
                continue;
            }
            if matches!(stage, Stage::Round(0)) && self.plan.passes.contains(&Pass::Lists) {
                self.glance(FEW)?;
            }
            let Some(ran) = self.ran(&path)? else { continue };
            self.runs = Some(self.runs == Some(true) || !ran.is_empty());
            let (Some(entry), Some(reader)) = (self.current.get(&path), self.readers.get_mut(&path)) else {
                continue;
            };
            let offer = (!ran.is_empty()).then(|| reader.unrun(&entry.content, &ran)).flatten();
            let Some(offer) = offer else { continue };
            let search = strategy::search(Pass::Unrun, &offer, self.plan.algorithm, Look::Coarse);
            self.search(Pass::Unrun, search, Subject::Text(path, offer.parts))?;
        }
        Ok(())
    }

    fn has_marks(&mut self, path: &RelPath) -> bool {
        self.marked(path, "").is_some()
    }

    /// The input with marks in one of its files.
    fn marked(&mut self, path: &RelPath, folder: &str) -> Option<Snapshot> {
        let (entry, reader) = (self.current.get(path)?, self.readers.get_mut(path)?);
        let (kind, content) = (entry.kind, reader.marked(&entry.content, folder)?.into());
        let mut marked = self.current.clone();
        marked.insert(path.clone(), Entry { kind, content });
        Some(marked)
    }

    /// Which blocks of a file the test runs; `None` if it cannot be told.
    fn ran(&mut self, path: &RelPath) -> Result<Option<Config>, ReduceError> {
        // Where marks are made is another folder in each run; what is asked is the same.
        let Some(question) = self.marked(path, "").map(|marked| digest(&marked)) else { return Ok(None) };
        if let Some(known) = self.ledger.ran(question) {
            self.numbers.saved += 1;
            return Ok(Some(known));
        }
        let folder = self.bench.folder("ran")?;
        let name = folder.to_str().filter(|name| !name.contains(['"', '\'', '\\', '\n']));
        let Some(marked) = name.and_then(|name| self.marked(path, name)) else { return Ok(None) };
        let tested = match self.test(&marked) {
            Ok(tested) => tested,
            Err(ReduceError::Interrupted) => {
                self.stopped = true;
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        // A folder that cannot be read holds no marks.
        let files = fs::read_dir(&folder).into_iter().flatten().flatten();
        let number = |file: fs::DirEntry| file.file_name().to_str()?.parse().ok();
        let ran: Config = files.filter_map(number).filter(|number| *number < MOST_MARKS).collect();
        self.ledger.put_ran(question, &tested.answer, tested.took, &ran)?;
        self.in_passes += 1;
        self.numbers.needed += 1;
        self.numbers.needed_built += usize::from(tested.answer.built);
        self.share(Pass::Unrun).tests += 1;
        Ok(Some(ran))
    }
}
