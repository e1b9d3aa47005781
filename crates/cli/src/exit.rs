//! How a run of `nub` ended, as a number that scripts can tell apart.

use std::process::Termination;

/// The exit codes of `nub`; a number, once given, keeps its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// What was asked for was done.
    Success = 0,
    /// The arguments make no sense; nothing was done.
    Usage = 2,
}

impl Termination for ExitCode {
    fn report(self) -> std::process::ExitCode {
        std::process::ExitCode::from(self as u8)
    }
}
