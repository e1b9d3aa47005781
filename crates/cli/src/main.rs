//! The `nub` command: arguments as typed, what they mean, and the exit code that tells how it went.

mod args;
mod commands;
mod error;
mod exit;
mod guess;
mod interrupt;
mod plan;
mod quantity;
mod session;
mod settings;

use args::{Args, Command};
use clap::Parser;
use error::CommandError;
use exit::ExitCode;
use nub_lab::process::Guard;
use std::ffi::OsString;

fn main() -> ExitCode {
    Guard::serve();
    let typed: Vec<OsString> = std::env::args_os().collect();
    match Args::try_parse_from(&typed) {
        Ok(args) => run(args, &typed).unwrap_or_else(|error| {
            anstream::eprint!("{error}");
            error.exit
        }),
        Err(message) => {
            // A reader that went away is no failure of ours.
            let _ = message.print();
            if message.use_stderr() { ExitCode::Usage } else { ExitCode::Success }
        }
    }
}

fn run(args: Args, typed: &[OsString]) -> Result<ExitCode, CommandError> {
    match args.command {
        Command::Isolate(args) => commands::isolate::typed(&args, typed),
        Command::Reduce(args) => commands::reduce::reduce(&args),
        Command::Resume(args) => commands::resume::resume(&args),
        Command::Explain { dir } => commands::explain::explain(&dir),
        Command::Diff(args) => commands::diff::diff(&args),
        Command::Demo => commands::demo::demo(),
        Command::Completions { shell } => commands::manual::completions(shell),
        Command::Man => commands::manual::man(),
    }
}
