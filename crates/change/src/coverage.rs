//! Which changes ran: from what coverage tools report to a mark on every change.
//!
//! ```text
//!   file ──> Format ──> Report ──> Coverage ──> Sight of each line ──> Sight of each change
//!            guessed    as the     as the       with what the          through the weave
//!                       tool says  version has  syntax tells
//! ```
//!
//! A change that the test runs in neither version cannot by itself be why the test changed its mind (ADD,
//! Yu et al. 2012, section 2.2). Tools see statements only: a macro, a declaration, a constant, an import, a data
//! file shows in no report although it may matter. Such changes are [`Sight::Unseen`], which is not the same as
//! [`Sight::Idle`], and nobody may leave them out because of that.

mod bundle;
mod cobertura;
mod coverage_py;
mod format;
mod gcov;
mod go;
mod istanbul;
mod jacoco;
mod lcov;
mod lines;
mod llvm;
mod places;
mod sight;
mod source_map;
mod v8;
mod xml;

pub use format::{Format, ReadError, read};
pub use sight::{Coverage, Sight, sights};

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// What a coverage tool says of one run, in the tool's own paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The files it speaks of; a file may come more than once.
    pub files: Vec<Measured>,
    /// Folders that its relative paths may start from.
    pub roots: Vec<String>,
    /// Endings of files about which silence means that they did not run, such as `py`.
    ///
    /// No format says this; who ran the tool may know that it sees every file of a kind.
    pub silent: Vec<String>,
    /// Endings of files about which silence means that their functions did not run, such as `c`.
    ///
    /// A file that only has tables has nothing to be seen, and may matter all the same.
    pub silent_functions: Vec<String>,
}

impl Report {
    /// Takes in what another run, or another process of the same run, has left.
    pub fn join(&mut self, other: Report) {
        self.files.extend(other.files);
        self.roots.extend(other.roots);
        self.silent.extend(other.silent);
        self.silent_functions.extend(other.silent_functions);
    }

    /// Whether it says nothing of any file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// What a tool says of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Where the tool says it is.
    pub path: String,
    /// What ran in it.
    pub marks: Marks,
}

/// What ran in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marks {
    /// Lines, counted from 0, that have code, and whether it ran.
    Lines(BTreeMap<usize, bool>),
    /// Ranges of UTF-16 code units and whether they ran, outer before inner.
    Units(Vec<(Range<usize>, bool)>),
    /// The same of a script, with its text: if it is no file of the version, it may have been made from some.
    Script(Vec<(Range<usize>, bool)>, Arc<str>),
}

/// Lines and whether they ran, while they are collected: a line ran if anything on it did.
#[derive(Debug, Default)]
pub(crate) struct Lines(BTreeMap<usize, bool>);

impl Lines {
    /// Marks a line, counted from 1 as tools do; line 0 is code that has none.
    pub(crate) fn mark(&mut self, number: usize, ran: bool) {
        if let Some(line) = number.checked_sub(1) {
            *self.0.entry(line).or_default() |= ran;
        }
    }

    pub(crate) fn measured(self, path: impl Into<String>) -> Measured {
        Measured { path: path.into(), marks: Marks::Lines(self.0) }
    }
}
