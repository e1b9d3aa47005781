//! What coverage is worth: the same regressions with it and without, and against ADD and line-level ddmin.
//!
//! A collection run is paid for: its builds and tests count. Results are kept one a line in a file, so that the
//! bench goes on where it was stopped.

use crate::changes::case::Case;
use crate::changes::nub;
use crate::table::Table;
use nub_lab::coverage::{Collect, Wanted};
use nub_lab::event::{Event, Side};
use nub_lab::isolate::{Budget, isolate};
use nub_lab::process::{Cancel, Guard};
use nub_report::changed_lines;
use nub_search::Algorithm;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Which cases, and where everything is kept.
#[derive(clap::Args)]
pub struct Args {
    /// The corpus: a folder with `setup_case.sh` and `cases/`
    #[arg(long, default_value = "../shared/corpus/changes")]
    corpus: PathBuf,
    /// Where set-up trees, runs and results are kept
    #[arg(long)]
    cache: PathBuf,
    /// The cases by name
    #[arg(long, value_delimiter = ',', required = true)]
    cases: Vec<String>,
    /// The ways to search: pith, pith+coverage, ddmin, ddmin+coverage, add+coverage
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "pith,pith+coverage,ddmin,ddmin+coverage,add+coverage"
    )]
    ways: Vec<String>,
    /// Minutes after which a run is stopped
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// Write the table to this file too
    #[arg(long)]
    out: Option<PathBuf>,
}

/// One run, as it is kept.
#[derive(Clone, Serialize, Deserialize)]
struct Run {
    case: String,
    way: String,
    changes: usize,
    error: Option<String>,
    finished: bool,
    flips: bool,
    /// Configs the search needed.
    needed: usize,
    /// Those of them that built, and so were tested.
    tested: usize,
    /// Builds and tests for the coverage.
    measuring: usize,
    has_build: bool,
    /// Changes that ran, did not run, cannot be seen.
    sights: Option<[usize; 3]>,
    critical: usize,
    lines: usize,
    seconds: f64,
}

impl Run {
    /// Builds and tests, those for the coverage included.
    fn cost(&self) -> usize {
        let builds = if self.has_build { self.needed } else { 0 };
        let tests = if self.has_build { self.tested } else { self.needed };
        builds + tests + self.measuring
    }
}

/// Runs what was not run before and prints the table.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(&args.cache)?;
    let kept = args.cache.join("coverage.jsonl");
    let mut runs: BTreeMap<(String, String), Run> = BTreeMap::new();
    for line in fs::read_to_string(&kept).unwrap_or_default().lines() {
        let run: Run = serde_json::from_str(line)?;
        runs.insert((run.case.clone(), run.way.clone()), run);
    }
    for case in &args.cases {
        for way in &args.ways {
            if let Entry::Vacant(place) = runs.entry((case.clone(), way.clone())) {
                let run = one(args, case, way)?;
                let line = serde_json::to_string(&run)?;
                eprintln!("{line}");
                writeln!(fs::OpenOptions::new().create(true).append(true).open(&kept)?, "{line}")?;
                place.insert(run);
            }
        }
    }
    runs.retain(|(case, way), _| args.cases.contains(case) && args.ways.contains(way));
    let report = report(&args.cases, &runs);
    if let Some(out) = &args.out {
        fs::create_dir_all(out.parent().unwrap_or(out))?;
        fs::write(out, &report)?;
    }
    print!("{report}");
    Ok(())
}

fn one(args: &Args, case: &str, way: &str) -> Result<Run, Box<dyn Error>> {
    let (algorithm, with) = way.split_once('+').map_or((way, false), |(algorithm, _)| (algorithm, true));
    let algorithm: Algorithm = algorithm.parse()?;
    let mut run = Run {
        case: case.to_owned(),
        way: way.to_owned(),
        changes: 0,
        error: None,
        finished: false,
        flips: false,
        needed: 0,
        tested: 0,
        measuring: 0,
        has_build: false,
        sights: None,
        critical: 0,
        lines: 0,
        seconds: 0.0,
    };
    let ready = Case::set_up(&args.corpus, &args.cache, case)?;
    let mut plan = nub::plan(&ready, algorithm, &args.cache)?;
    plan.coverage = Wanted { collect: if with { Collect::Auto } else { Collect::Off }, ..Wanted::default() };
    plan.budget = Some(Budget::Time(Duration::from_secs(60 * args.minutes)));
    plan.out = args.cache.join("runs").join(format!("{case}-{way}"));
    run.changes = plan.patchwork.changes().len();
    run.has_build = plan.build.is_some();
    let result = isolate(&plan, &Guard::this_executable()?, &Cancel::new()?, &mut |event| match event {
        Event::Measured { ran, idle, unseen, runs, .. } => {
            run.sights = Some([*ran, *idle, *unseen]);
            run.measuring = *runs;
        }
        Event::Warning(text) => {
            eprintln!("{case} {way}: {text}");
            if text.contains("without coverage") {
                // Measured in vain; it may have ended before the second version.
                run.measuring = if run.has_build { 4 } else { 2 };
            }
        }
        _ => {}
    });
    let isolated = match result {
        Ok(isolated) => isolated,
        Err(error) => return Ok(Run { error: Some(error.to_string()), ..run }),
    };
    run.finished = isolated.finished;
    let [old, new] = ready.versions();
    let from = if isolated.from == Side::Old { old } else { new };
    run.flips = ready.passes_with(from, &isolated.patch, &[], &plan.out)? == Some(true);
    run.needed = isolated.numbers.needed;
    run.tested = isolated.numbers.needed_built;
    run.critical = isolated.critical.len();
    run.lines = changed_lines(&isolated.patch);
    run.seconds = isolated.elapsed.as_secs_f64();
    Ok(run)
}

fn report(cases: &[String], runs: &BTreeMap<(String, String), Run>) -> String {
    let mut table = Table::new([
        "case",
        "way",
        "changes",
        "ran / did not / unseen",
        "builds + tests",
        "of them measuring",
        "changes left",
        "lines",
        "ended",
        "patch flips",
        "seconds",
    ]);
    for run in cases.iter().flat_map(|case| runs.values().filter(move |run| run.case == *case)) {
        if let Some(error) = &run.error {
            table.row([run.case.clone(), run.way.clone(), run.changes.to_string(), error.clone()]);
            continue;
        }
        let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
        let sights = run.sights.map(|[ran, idle, unseen]| format!("{ran} / {idle} / {unseen}"));
        table.row([
            run.case.clone(),
            run.way.clone(),
            run.changes.to_string(),
            sights.unwrap_or_default(),
            run.cost().to_string(),
            run.measuring.to_string(),
            run.critical.to_string(),
            run.lines.to_string(),
            yes(run.finished),
            yes(run.flips),
            format!("{:.0}", run.seconds),
        ]);
    }
    format!(
        "# What coverage is worth\n\nWritten by `cargo run --release -p nub-bench -- coverage --cache DIR --cases ... --out \
         docs/measurements/coverage.md`. One worker; builds + tests: what the search needed, and what measuring took. A run \
         that did not end was stopped after its time, with the changes left by then.\n\n{}{table}",
        sums(runs)
    )
}

/// With coverage against without it, over the cases where both came to an end.
fn sums(runs: &BTreeMap<(String, String), Run>) -> String {
    let mut text = String::new();
    for (without, with) in [("pith", "pith+coverage"), ("ddmin", "ddmin+coverage"), ("ddmin", "add+coverage")]
    {
        let pairs = runs.values().filter(|run| run.way == without && run.finished).filter_map(|run| {
            let other = runs.get(&(run.case.clone(), with.to_owned()))?;
            (other.finished && other.sights.is_some()).then_some((run, other))
        });
        let pairs: Vec<(&Run, &Run)> = pairs.collect();
        if pairs.is_empty() {
            continue;
        }
        let sum = |cost: fn(&Run) -> usize, second: bool| -> usize {
            pairs.iter().map(|(a, b)| cost(if second { b } else { a })).sum()
        };
        let (a, b) = (sum(Run::cost, false), sum(Run::cost, true));
        let fewer = a as f64 / b.max(1) as f64;
        let (left_a, left_b) = (sum(|run| run.critical, false), sum(|run| run.critical, true));
        text += &format!(
            "- `{with}` against `{without}`, {} cases: {b} builds + tests against {a} ({fewer:.1} times fewer), {left_b} \
             changes left against {left_a}.\n",
            pairs.len()
        );
    }
    if text.is_empty() { text } else { text + "\n" }
}
