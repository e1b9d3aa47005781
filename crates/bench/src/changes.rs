//! `nub isolate` on real regressions: each case of a corpus with each search, side by side.
//!
//! Results are kept one a line in a file, so that the bench goes on where it was stopped; set-up trees are kept in a
//! folder of their own.

use crate::table::Table;
use nub_change::Patchwork;
use nub_lab::coverage::{Collect, Wanted};
use nub_lab::event::{Event, Side};
use nub_lab::isolate::{Budget, Isolated, Plan, Seek, isolate};
use nub_lab::process::{Cancel, Convention, Guard, Program, Rule};
use nub_lab::version::PairSpec;
use nub_lab::version::archive::Limits;
use nub_search::Algorithm;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// Which cases and searches, and where everything is kept.
#[derive(clap::Args)]
pub struct Args {
    /// The corpus: a folder with `setup_case.sh` and `cases/`
    #[arg(long, default_value = "../shared/corpus/changes")]
    corpus: PathBuf,
    /// Where set-up trees, runs and results are kept
    #[arg(long)]
    cache: PathBuf,
    /// The cases by name; all of them if none is given
    #[arg(long, value_delimiter = ',')]
    cases: Vec<String>,
    /// The searches by name
    #[arg(long, value_delimiter = ',', default_values_t = [Algorithm::Pith])]
    algorithms: Vec<Algorithm>,
    /// Minutes after which a run is stopped
    #[arg(long, default_value_t = 20)]
    minutes: u64,
    /// Workers
    #[arg(short, long, default_value_t = 2)]
    jobs: usize,
    /// Write the table to this file too
    #[arg(long)]
    out: Option<PathBuf>,
}

#[derive(Deserialize)]
pub(crate) struct Case {
    direction: String,
    build: String,
    test: String,
}

/// One run, as it is kept.
#[derive(Clone, Serialize, Deserialize)]
struct Outcome {
    case: String,
    search: String,
    changes: usize,
    /// Why there is no result, if there is none.
    error: Option<String>,
    finished: bool,
    one_minimal: bool,
    /// Whether the patch, applied by git to the version searched from, flips the test.
    flips: bool,
    needed: usize,
    tests: usize,
    broken_builds: usize,
    guessed: usize,
    saved: usize,
    critical: usize,
    lines: usize,
    seconds: f64,
    command_seconds: f64,
}

/// Runs what was not run before and prints the table.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let mut names = args.cases.clone();
    if names.is_empty() {
        for entry in fs::read_dir(args.corpus.join("cases"))? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
    }
    fs::create_dir_all(&args.cache)?;
    let kept = args.cache.join("changes.jsonl");
    let mut outcomes: BTreeMap<(String, String), Outcome> = BTreeMap::new();
    for line in fs::read_to_string(&kept).unwrap_or_default().lines() {
        let outcome: Outcome = serde_json::from_str(line)?;
        outcomes.insert((outcome.case.clone(), outcome.search.clone()), outcome);
    }
    for name in &names {
        for algorithm in &args.algorithms {
            let key = (name.clone(), algorithm.to_string());
            if outcomes.contains_key(&key) {
                continue;
            }
            let outcome = one(args, name, *algorithm)?;
            let mut file = fs::OpenOptions::new().create(true).append(true).open(&kept)?;
            writeln!(file, "{}", serde_json::to_string(&outcome)?)?;
            outcomes.insert(key, outcome);
        }
    }
    let chosen = outcomes.values().filter(|o| names.contains(&o.case));
    let report = report(chosen.filter(|o| args.algorithms.iter().any(|a| a.name() == o.search)));
    if let Some(out) = &args.out {
        fs::create_dir_all(out.parent().unwrap_or(out))?;
        fs::write(out, &report)?;
    }
    print!("{report}");
    Ok(())
}

/// A case that is set up: what it is, how it is run, and where its versions are.
pub(crate) struct Ready {
    pub(crate) case: Case,
    pub(crate) plan: Plan,
    folder: PathBuf,
}

/// Sets a case up in the cache, if it is not, and plans to run it with this search.
pub(crate) fn ready(
    corpus: &Path,
    cache: &Path,
    name: &str,
    algorithm: Algorithm,
) -> Result<Result<Ready, String>, Box<dyn Error>> {
    let folder = cache.join(name);
    if !folder.join("bad").exists() || !folder.join("good").exists() {
        let _ = fs::remove_dir_all(&folder);
        let setup = Command::new("bash")
            .arg(corpus.join("setup_case.sh"))
            .args([name.as_ref(), folder.as_os_str()])
            .env("REGRESS_CACHE", cache.join("fetched"))
            .stdin(Stdio::null())
            .status()?;
        if !setup.success() {
            return Ok(Err(format!("set-up failed: {setup}")));
        }
    }
    let case: Case = toml::from_str(&fs::read_to_string(corpus.join("cases").join(name).join("case.toml"))?)?;
    let [old, new] = case.sides();
    let said: Vec<OsString> = [old, new].map(|side| folder.join(side).into_os_string()).into();
    let pair = PairSpec::parse(Path::new("."), &said, None)?.load(Limits::default())?;
    let plan = Plan {
        patchwork: Arc::new(Patchwork::between(&pair.old.tree, &pair.new.tree)),
        old_name: old.to_owned(),
        new_name: new.to_owned(),
        products: None,
        folder: None,
        build: (!case.build.is_empty()).then(|| Program::Shell(case.build.clone())),
        test: Program::Shell(case.test.clone()),
        rule: Rule::new(Convention::Bisect),
        timeout: None,
        memory: None,
        clean: false,
        seek: Seek::Fix,
        algorithm,
        seed: 1,
        jobs: 1,
        budget: None,
        out: cache.join("runs").join(format!("{name}-{algorithm}")),
        fresh: false,
        coverage: Wanted { collect: Collect::Off, ..Wanted::default() },
    };
    Ok(Ok(Ready { case, plan, folder }))
}

impl Ready {
    /// Whether the patch of a result, applied by git to the version it is for, flips the test.
    pub(crate) fn flips(&self, isolated: &Isolated) -> Result<bool, Box<dyn Error>> {
        fs::write(self.plan.out.join("critical.patch"), &isolated.patch)?;
        let [old, new] = self.case.sides();
        let from = match isolated.from {
            Side::Old => old,
            Side::New => new,
        };
        flips(&self.folder.join(from), &self.plan.out, &self.case)
    }
}

impl Case {
    /// The folders of the old version and of the new one.
    fn sides(&self) -> [&'static str; 2] {
        if self.direction == "fix" { ["bad", "good"] } else { ["good", "bad"] }
    }
}

/// The lines that a patch takes away or puts in.
pub(crate) fn changed_lines(patch: &[u8]) -> usize {
    let changed = |line: &&[u8]| {
        matches!(line.first(), Some(b'+' | b'-')) && !line.starts_with(b"+++ ") && !line.starts_with(b"--- ")
    };
    patch.split(|b| *b == b'\n').filter(changed).count()
}

fn one(args: &Args, name: &str, algorithm: Algorithm) -> Result<Outcome, Box<dyn Error>> {
    let mut ready = match ready(&args.corpus, &args.cache, name, algorithm)? {
        Ok(ready) => ready,
        Err(error) => return Ok(failed(name, algorithm, 0, error)),
    };
    ready.plan.jobs = args.jobs;
    ready.plan.budget = Some(Budget::Time(Duration::from_secs(60 * args.minutes)));
    let plan = &ready.plan;
    let changes = plan.patchwork.changes().len();
    let mut seen = 0;
    let result = isolate(plan, &Guard::this_executable()?, &Cancel::new()?, &mut |event| match event {
        Event::Progress { left, total, numbers, elapsed } => {
            if numbers.needed >= seen + 20 {
                seen = numbers.needed;
                eprintln!("{name} {algorithm}: {left} of {total} left, {numbers:?}, {elapsed:.0?}");
            }
        }
        Event::Warning(text) => eprintln!("{name} {algorithm}: {text}"),
        Event::Compared { .. }
        | Event::Baseline { .. }
        | Event::Directed { .. }
        | Event::Measured { .. }
        | Event::Resumed { .. }
        | Event::Tried { .. } => {}
    });
    let isolated = match result {
        Ok(isolated) => isolated,
        Err(error) => return Ok(failed(name, algorithm, changes, error.to_string())),
    };
    let outcome = Outcome {
        case: name.to_owned(),
        search: algorithm.to_string(),
        changes,
        error: None,
        finished: isolated.finished,
        one_minimal: isolated.one_minimal,
        flips: ready.flips(&isolated)?,
        needed: isolated.numbers.needed,
        tests: isolated.numbers.needed_built,
        broken_builds: isolated.broken_builds,
        guessed: isolated.numbers.guessed,
        saved: isolated.numbers.saved,
        critical: isolated.critical.len(),
        lines: changed_lines(&isolated.patch),
        seconds: isolated.elapsed.as_secs_f64(),
        command_seconds: isolated.commands.as_secs_f64(),
    };
    eprintln!("{}", serde_json::to_string(&outcome)?);
    Ok(outcome)
}

/// Applies the patch with git to a copy of the version it was made for, builds and tests: does it pass?
fn flips(from: &Path, run: &Path, case: &Case) -> Result<bool, Box<dyn Error>> {
    let copy = run.join("applied");
    let _ = fs::remove_dir_all(&copy);
    let copied = Command::new("cp").arg("-a").args([from, &copy]).status()?.success();
    let patch = run.join("critical.patch").canonicalize()?;
    let steps = format!(
        "git apply --whitespace=nowarn {} && ( {} ) && ( {} )",
        quoted(&patch),
        build(case),
        case.test
    );
    let output = Command::new("bash")
        .args(["-c", &steps])
        .current_dir(&copy)
        .env("GIT_CEILING_DIRECTORIES", run.canonicalize()?)
        .stdin(Stdio::null())
        .output()?;
    let _ = fs::remove_dir_all(&copy);
    Ok(copied && output.status.success())
}

fn build(case: &Case) -> &str {
    if case.build.is_empty() { "true" } else { &case.build }
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display())
}

fn failed(name: &str, algorithm: Algorithm, changes: usize, error: String) -> Outcome {
    eprintln!("{name} {algorithm}: {error}");
    Outcome {
        case: name.to_owned(),
        search: algorithm.to_string(),
        changes,
        error: Some(error),
        finished: false,
        one_minimal: false,
        flips: false,
        needed: 0,
        tests: 0,
        broken_builds: 0,
        guessed: 0,
        saved: 0,
        critical: 0,
        lines: 0,
        seconds: 0.0,
        command_seconds: 0.0,
    }
}

fn report<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> String {
    let mut table = Table::new([
        "case",
        "search",
        "changes",
        "builds",
        "tests",
        "broken builds",
        "guessed",
        "changes left",
        "lines",
        "1-minimal",
        "patch flips",
        "seconds",
        "own ms a config",
    ]);
    for o in outcomes {
        if let Some(error) = &o.error {
            table.row([o.case.clone(), o.search.clone(), o.changes.to_string(), error.clone()]);
            continue;
        }
        let own =
            1000.0 * (o.seconds - o.command_seconds / 2.0).max(0.0) / (o.needed + o.guessed).max(1) as f64;
        let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
        table.row([
            o.case.clone(),
            o.search.clone(),
            o.changes.to_string(),
            o.needed.to_string(),
            o.tests.to_string(),
            o.broken_builds.to_string(),
            o.guessed.to_string(),
            o.critical.to_string(),
            o.lines.to_string(),
            yes(o.one_minimal),
            yes(o.flips),
            format!("{:.0}", o.seconds),
            format!("{own:.0}"),
        ]);
    }
    format!(
        "# Real regressions\n\nWritten by `cargo run --release -p nub-bench -- changes --cache DIR --out docs/measurements/changes.md`. \
         Line level. Builds: configs the search needed; tests: those of them that built; guessed: configs tried ahead in vain.\n\n{table}"
    )
}
