//! Measures nub's searches against their papers, each other and the limit; writes the tables of `docs/`.

mod changes;
mod inputs;
mod overhead;
#[cfg(test)]
mod pages;
mod peers;
mod plot;
mod scale;
mod sim;
mod table;
mod weaves;

use clap::{Parser, Subcommand};
use std::path::PathBuf;

#[derive(Parser)]
#[command(version, about)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Every search on simulated oracles: tests, builds, result size, and how far from the limit
    Sim(sim::Args),
    /// One simulated run of pith: what planning costs; `sim` makes a table of such runs
    Plan(sim::planning::Args),
    /// `nub isolate` on real regressions, each in several ways
    Changes(changes::Args),
    /// Real version pairs woven by syntax: changes, time, and how many configs can be read
    Weaves(weaves::Args),
    /// What nub itself costs for each test, and what a build has to do again
    Overhead(overhead::Args),
    /// `nub reduce` on real crashing inputs, with each reducer and search, and other tools beside it
    Inputs(inputs::Args),
    /// The drawings of `docs/algorithms/`
    Plots {
        /// The folder to write them to
        #[arg(long, default_value = "docs/algorithms")]
        out: PathBuf,
    },
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    nub_lab::process::Guard::serve();
    match Args::parse().command {
        Command::Sim(args) => sim::run(&args)?,
        Command::Plan(args) => sim::planning::run(&args),
        Command::Changes(args) => changes::run(&args)?,
        Command::Weaves(args) => weaves::run(&args)?,
        Command::Overhead(args) => overhead::run(&args)?,
        Command::Inputs(args) => inputs::run(&args)?,
        Command::Plots { out } => plot::write(&out)?,
    }
    Ok(())
}
