//! Simulated studies: the grid of couplings and culprits, planning, WDD's lists, and speculation on a virtual clock.

mod grid;
pub mod planning;
mod speculation;
mod synthetic;

use nub_lab::pool::sim::SimulatedPool;
use nub_lab::run::{Flow, Memory, Progress, run as drive};
use nub_search::laws::Oracle;
use nub_search::{Algorithm, AnySearch, Config, Search};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

/// What to simulate, and where the report goes.
#[derive(clap::Args)]
pub struct Args {
    /// Numbers of changes
    #[arg(long, value_delimiter = ',', default_values_t = [100, 1000, 4000, 100_000])]
    n: Vec<usize>,
    /// Numbers of culprits
    #[arg(long, value_delimiter = ',', default_values_t = [1, 3, 10, 30])]
    d: Vec<usize>,
    /// Couplings that touch a change, on average
    #[arg(long, value_delimiter = ',', default_values_t = [0, 1, 3])]
    couplings: Vec<usize>,
    /// Only these searches of the grid; all when none is named
    #[arg(long, value_delimiter = ',')]
    searches: Vec<Algorithm>,
    /// Random problems a row; a tenth of it from a thousand changes on
    #[arg(long, default_value_t = 20)]
    instances: usize,
    /// Seconds of processor time after which a single run is given up
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Lists of WDD's synthetic study; none leaves it out
    #[arg(long, default_value_t = 5000)]
    lists: usize,
    /// Write the report to this file too
    #[arg(long)]
    out: Option<PathBuf>,
}

impl Args {
    fn asks_for(&self, algorithm: Algorithm) -> bool {
        self.searches.is_empty() || self.searches.contains(&algorithm)
    }
}

/// Runs all studies and prints the report.
pub fn run(args: &Args) -> std::io::Result<()> {
    let mut report = format!(
        "# Simulated measurements\n\nWritten by `cargo run --release -p nub-bench -- sim --instances {} --seconds {} \
         --lists {} --out docs/measurements/sim.md`.\n\n",
        args.instances, args.seconds, args.lists
    );
    report += &grid::report(args);
    report += &planning::report()?;
    report += &speculation::report();
    if args.lists > 0 {
        report += &synthetic::report(args.lists);
    }
    if let Some(out) = &args.out {
        std::fs::create_dir_all(out.parent().unwrap_or(out))?;
        std::fs::write(out, &report)?;
    }
    std::io::stdout().write_all(report.as_bytes())
}

/// What one run of a search cost and found.
#[derive(Clone, Debug)]
pub struct Cost {
    /// Configs tried.
    pub builds: usize,
    /// Those of them that built.
    pub tests: usize,
    /// The result.
    pub best: Config,
    /// Whether it came to its end.
    pub finished: bool,
}

/// The clock is looked at after so many questions.
const LOOK_AT_CLOCK: usize = 16;

/// Runs a search alone, one test at a time, and gives up at the limits.
pub fn cost(search: AnySearch, oracle: &impl Oracle, most: usize, limit: Duration) -> Cost {
    let before = time();
    let too_long = |asked: usize| asked.is_multiple_of(LOOK_AT_CLOCK) && time() - before > limit;
    let mut pool = SimulatedPool::new(1, |config: &Config| (oracle.test(config), 1));
    let ended = drive(search, &mut Memory::default(), &mut pool, |progress| match progress {
        Progress::Moved { numbers, .. } if numbers.needed >= most || too_long(numbers.needed) => Flow::Stop,
        _ => Flow::Continue,
    })
    .expect("a simulated pool has no errors of its own");
    Cost {
        builds: ended.numbers.needed,
        tests: ended.numbers.needed_built,
        best: ended.state.best(),
        finished: ended.finished,
    }
}

/// The time this thread had a processor, so that others on the machine do not count; by the clock where the
/// system does not tell.
fn time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// Works through the items on all cores; results in the order of the items.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = Mutex::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    let cores = std::thread::available_parallelism().map_or(2, |c| c.get());
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let i = {
                        let mut next = next.lock().expect("no worker panics with the lock");
                        *next += 1;
                        *next - 1
                    };
                    let Some(item) = items.get(i) else { break };
                    let result = work(item);
                    results.lock().expect("no worker panics with the lock").push((i, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no worker panics with the lock");
    results.sort_by_key(|(i, _)| *i);
    results.into_iter().map(|(_, result)| result).collect()
}
