//! What planning costs: time for each proposal, and the memory of a whole run, each in a process of its own.

use super::grid::{Known, Setting, problem};
use super::{cost, time};
use crate::table::Table;
use nub_search::Algorithm;
use nub_search::laws::{Naming, Oracle, Simulated};
use std::process::Command;
use std::time::Duration;

/// Problems to a run.
const INSTANCES: u64 = 5;

/// A few problems with ten culprits, solved by pith one after the other.
#[derive(clap::Args)]
pub struct Args {
    /// Number of changes
    #[arg(long, default_value_t = 10_000)]
    n: usize,
    /// Couplings that touch a change, on average
    #[arg(long, default_value_t = 0)]
    couplings: usize,
    /// Whether couplings are learned from broken builds, each of which names all it breaks
    #[arg(long)]
    learned: bool,
}

/// Runs and prints proposals, microseconds for each, and mebibytes at most, with `|` between them.
pub fn run(args: &Args) {
    let known = if args.learned { Known::Nothing } else { Known::All };
    let setting = Setting { n: args.n, d: 10, couplings: args.couplings, known };
    let (mut proposals, mut spent) = (0, Duration::ZERO);
    for instance in 0..INSTANCES {
        let oracle = Simulated { naming: Naming::All, ..problem(&setting, instance) };
        let before = time();
        let search = Algorithm::Pith.start(&oracle.problem(), instance);
        let cost = cost(search, &oracle, usize::MAX, Duration::from_secs(600));
        assert!(cost.finished, "pith ends in ten minutes");
        spent += time() - before;
        proposals += cost.builds;
    }
    let peak =
        peak_memory().map_or("-".to_owned(), |bytes| format!("{:.0}", bytes as f64 / f64::from(1 << 20)));
    println!("{proposals} | {:.0} | {peak}", spent.as_micros() as f64 / proposals as f64);
}

/// The most memory this process ever had, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// The table of all runs.
pub fn report() -> std::io::Result<String> {
    let mut table =
        Table::new(["n", "couplings", "they are", "proposals", "microseconds each", "MiB at most"]);
    for n in [10_000, 100_000] {
        for (couplings, learned) in [(0, false), (1, false), (1, true), (3, false), (3, true)] {
            let how = if learned { "learned" } else { "known" };
            let mut row = vec![n.to_string(), couplings.to_string(), how.to_owned()];
            let mut command = Command::new(std::env::current_exe()?);
            command.args(["plan", "--n", &row[0], "--couplings", &row[1]]);
            command.args(learned.then_some("--learned"));
            let printed = String::from_utf8_lossy(&command.output()?.stdout).into_owned();
            row.extend(printed.trim().split(" | ").map(str::to_owned));
            table.row(row);
        }
    }
    Ok(format!(
        "## Planning\n\nPith on five problems with ten culprits, each row a process of its own: processor time and \
         the peak of memory, both with the simulated test, the driver and the record of answers. Aims: below 1000 microseconds a proposal at n = 10000, below \
         1024 MiB at n = 100000.\n\n{table}\n"
    ))
}
