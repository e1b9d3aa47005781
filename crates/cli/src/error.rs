//! What went wrong, told so that it can be put right: the thing, the cause, the way out.

use crate::exit::ExitCode;
use std::error::Error;
use std::fmt;

/// An error as the user sees it.
#[derive(Debug)]
pub struct CommandError {
    /// How the run ends.
    pub exit: ExitCode,
    message: String,
    causes: Vec<String>,
    outputs: Vec<(String, String)>,
    hints: Vec<String>,
}

/// As much of an output as can be looked at; the rest is in a log.
const LINES_SHOWN: usize = 12;

impl CommandError {
    /// An error without a cause.
    pub fn new(exit: ExitCode, message: impl Into<String>) -> CommandError {
        CommandError {
            exit,
            message: message.into(),
            causes: Vec::new(),
            outputs: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// An error with all its causes.
    pub fn of(exit: ExitCode, error: &dyn Error) -> CommandError {
        let causes = std::iter::successors(error.source(), |&cause| cause.source());
        let mut causes: Vec<String> = causes.map(ToString::to_string).collect();
        causes.dedup();
        CommandError { causes, ..CommandError::new(exit, error.to_string()) }
    }

    /// Adds a cause.
    pub fn because(mut self, cause: impl fmt::Display) -> CommandError {
        self.causes.push(cause.to_string());
        self
    }

    /// Adds a way out.
    pub fn hint(mut self, hint: impl Into<String>) -> CommandError {
        self.hints.push(hint.into());
        self
    }

    /// Adds what a command printed, under a title.
    pub fn output(mut self, title: impl Into<String>, output: &str) -> CommandError {
        self.outputs.push((title.into(), output.into()));
        self
    }
}

/// Shows the message, the causes, the ends of outputs and the hints, in this order.
impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error: {}", self.message)?;
        for cause in &self.causes {
            writeln!(f, "  because: {}", cause.replace('\n', "\n  "))?;
        }
        for (title, output) in &self.outputs {
            writeln!(f, "  {title}")?;
            let lines: Vec<&str> = output.lines().collect();
            if lines.len() > LINES_SHOWN {
                writeln!(f, "    | ...")?;
            }
            for line in &lines[lines.len().saturating_sub(LINES_SHOWN)..] {
                writeln!(f, "    | {line}")?;
            }
        }
        self.hints.iter().try_for_each(|hint| writeln!(f, "hint: {hint}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn an_error_shows_its_causes_the_end_of_outputs_and_its_hints() {
        let error = io::Error::other(io::Error::other("no space"));
        let output: String = (1..=14).map(|line| format!("{line}\n")).collect();
        let shown = CommandError::of(ExitCode::Failed, &error)
            .output("the old version passes", "one line\n")
            .output("the new version passes", &output)
            .hint("swap them")
            .to_string();
        let long: String = (3..=14).map(|line| format!("    | {line}\n")).collect();
        assert_eq!(
            shown,
            format!(
                "error: no space\n  the old version passes\n    | one line\n  the new version passes\n    | ...\n\
                 {long}hint: swap them\n"
            )
        );
    }
}
