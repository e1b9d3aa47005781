//! Tells what happened in an experiment: events in; lines on the terminal, JSON and patches out.
//!
//! Nothing here takes part in the search. [`Terminal`] follows a run and sums it up, [`Results`] writes it to
//! the output folder, [`explain()`] tells a finished one in words.

mod diff;
mod explain;
mod files;
mod finding;
mod json;
mod patch;
mod reduce;
#[cfg(test)]
mod sample;
mod terminal;
mod words;

pub use diff::{DiffChange, DiffRecord, NeedRecord, RefactoringRecord};
pub use explain::{Tally, explain};
pub use files::{ReadError, Results, WriteError, read_command, read_result, read_tally, write_command};
pub use finding::{Ending, Finding};
pub use json::{
    ChangeRecord, CommandRecord, CostRecord, DirectionRecord, EndingRecord, FailureRecord, GranularityRecord,
    OutcomeRecord, PlaceRecord, ProofRecord, ResultRecord, SideRecord, TrialRecord,
};
pub use patch::coloured;
pub use reduce::{PassRecord, ReductionRecord, SizeRecord};
pub use terminal::{Look, Terminal};
pub use words::{lasting, trial_words};
