//! Runs wanted configs and hands back answers: the one thing a driver needs to know about the world.

pub mod local;
pub mod sim;

use nub_search::{Answer, Config};
use std::time::Duration;

/// Why a config could not be asked about. What a test *says* is an [`Answer`], never this.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct PoolError {
    /// What went wrong, and with what.
    pub message: String,
    /// The cause, where there is one.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl PoolError {
    /// An error without a further cause.
    pub fn new(message: impl Into<String>) -> PoolError {
        PoolError { message: message.into(), source: None }
    }
}

/// A set of running tests that is kept equal to what is wanted.
pub trait Pool {
    /// How many tests run side by side.
    fn width(&self) -> usize;

    /// Makes the running tests exactly `wanted`: starts the new, cancels the stale. The first is needed most.
    fn keep(&mut self, wanted: &[Config]);

    /// Waits for one of them to end; `None` if none has by the end of its patience, so that the caller can look round.
    fn poll(&mut self, patience: Duration) -> Result<Option<(Config, Answer)>, PoolError>;

    /// Waits for one of them to end, however long it takes.
    fn next(&mut self) -> Result<(Config, Answer), PoolError> {
        loop {
            if let Some(ended) = self.poll(Duration::from_secs(3600))? {
                return Ok(ended);
            }
        }
    }

    /// How many tests were started so far, cancelled ones too.
    fn started(&self) -> usize;
}
