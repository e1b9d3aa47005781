//! How a run of `nub` ended, as a number that scripts can tell apart.

use std::process::Termination;

/// The exit codes of `nub`; a number, once given, keeps its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// What was asked for was done; for a search, it came to its end and its result is out.
    Success = 0,
    /// Something on the way failed: a command could not be run, a file not written, a journal not read.
    Failed = 1,
    /// The arguments make no sense, or name something that is not there; nothing was done.
    Usage = 2,
    /// The versions cannot be told apart: they are the same, or the test says the same of both, or cannot
    /// tell, or says something else of the result the next time; or the input to reduce is not interesting.
    Baseline = 3,
    /// The budget was used up; the best result so far is out.
    Stopped = 4,
    /// The empty input is interesting as well, so the test says nothing about any input.
    AlwaysInteresting = 5,
    /// Ctrl-C, or another request to end; the best result so far is out, if there was one.
    Interrupted = 130,
}

impl Termination for ExitCode {
    fn report(self) -> std::process::ExitCode {
        std::process::ExitCode::from(self as u8)
    }
}
