//! What a reduction tells on its way, and what comes out of it.

use super::property::Symptom;
use crate::run::Numbers;
use nub_change::Snapshot;
use nub_change::part::{Pass, count_tokens};
use std::time::Duration;

/// How large an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Files.
    pub files: usize,
    /// Bytes in all of them.
    pub bytes: usize,
    /// Tokens in all of them.
    pub tokens: usize,
}

impl Size {
    /// How large an input is.
    pub(super) fn of(input: &Snapshot) -> Size {
        let contents = || input.iter().map(|(_, entry)| &entry.content);
        Size {
            files: input.len(),
            bytes: contents().map(|content| content.len()).sum(),
            tokens: contents().map(|content| count_tokens(content)).sum(),
        }
    }
}

/// What a pass did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Tests it needed.
    pub tests: usize,
    /// Of them those that made the input smaller.
    pub successes: usize,
    /// Tokens that went in it.
    pub tokens: usize,
}

/// The result of a reduction.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The smallest interesting input found.
    pub input: Snapshot,
    /// The size of the input.
    pub before: Size,
    /// The size of the result.
    pub after: Size,
    /// Whether a whole round of passes found nothing more.
    pub finished: bool,
    /// Whether the result was interesting when it was tested once more; none if there was no time for that.
    pub confirmed: Option<bool>,
    /// Whether the empty input is interesting too.
    pub empty_is_interesting: bool,
    /// The share of runs of the original that were interesting.
    pub reliability: f64,
    /// How often a test that said no was asked again.
    pub repeats: u32,
    /// What the passes cost, without the checks before and after.
    pub numbers: Numbers,
    /// Tests run in all, with the checks.
    pub tests: usize,
    /// What each pass did.
    pub shares: Vec<(Pass, Share)>,
    /// Inputs with other symptoms that were saved aside.
    pub others: usize,
    /// Of the inputs that passes guided by a grammar tried, how many could be read, and how many there were; if they
    /// were counted.
    pub readable: (usize, usize),
    /// How long it took.
    pub elapsed: Duration,
    /// How long the test took, all workers together.
    pub commands: Duration,
    /// How long preparing and clearing away tests took, all workers together.
    pub overhead: Duration,
}

/// What happened in a reduction, in order.
#[derive(Clone, Debug)]
pub enum Happening {
    /// The input was tested by itself.
    Checked {
        /// Its size.
        size: Size,
        /// How the language is called, if one is known.
        language: Option<&'static str>,
        /// How long the test took.
        took: Duration,
        /// The symptom that is kept.
        symptom: Option<Symptom>,
    },
    /// Answers of an earlier run are used.
    Resumed {
        /// How many.
        answers: usize,
    },
    /// The search moved on.
    Progress {
        /// The pass.
        pass: Pass,
        /// Bytes that are left.
        bytes: usize,
        /// Tokens that are left.
        tokens: usize,
        /// Tests so far.
        tests: usize,
        /// Time since the start.
        elapsed: Duration,
    },
    /// Something the user should know, but no error.
    Warning(String),
}
