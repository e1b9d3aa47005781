//! The `nub` command: arguments as typed, what they mean, and the exit code that tells how it went.

mod exit;

use clap::{CommandFactory, Parser};
use exit::ExitCode;

/// Gets to the nub of a bug
#[derive(Parser)]
#[command(name = "nub", version)]
struct Args {}

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(Args {}) => {
            eprint!("{}", Args::command().render_help());
            ExitCode::Usage
        }
        Err(message) => {
            // A reader that went away is no failure of ours.
            let _ = message.print();
            if message.use_stderr() { ExitCode::Usage } else { ExitCode::Success }
        }
    }
}
