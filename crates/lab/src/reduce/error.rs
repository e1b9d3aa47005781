//! Why a reduction ends without a result.

use crate::journal::JournalError;
use crate::pool::PoolError;
use crate::process::Finished;
use std::io;
use std::path::PathBuf;

/// Why a reduction has no result.
#[derive(Debug, thiserror::Error)]
pub enum ReduceError {
    /// There is nothing to reduce.
    #[error("the input is empty")]
    Empty,
    /// The test does not find the input interesting.
    #[error("the test does not find the input interesting: it {}", .finished.status)]
    NotInteresting {
        /// How it ended.
        finished: Box<Finished>,
        /// Whether it said that it cannot tell.
        unresolved: bool,
    },
    /// The user stopped it before the input was tested.
    #[error("interrupted before the input was tested")]
    Interrupted,
    /// An input could not be tested.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The journal of an earlier run cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A result cannot be written.
    #[error("failed to write to `{}`", .path.display())]
    Out {
        /// Where.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The language is not known.
    #[error("no language is called `{0}`")]
    UnknownLanguage(String),
}
