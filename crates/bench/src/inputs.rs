//! `nub reduce` on real crashing inputs: each case of a corpus with each reducer, side by side.
//!
//! Results are kept one a line in a file, so that the bench goes on where it was stopped. Sizes are in words and
//! signs, which are the same for every tool.

use crate::peers::{self, Peer};
use crate::table::Table;
use nub_change::part::Pass;
use nub_change::{Entry, RelPath, Snapshot};
use nub_lab::isolate::Budget;
use nub_lab::process::{Cancel, Guard};
use nub_lab::reduce::{Plan, Property, Test, reduce};
use nub_search::Algorithm;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Which cases and reducers, and where everything is kept.
#[derive(clap::Args)]
pub struct Args {
    /// The corpus: a folder with a folder for each case
    #[arg(long, default_value = "../shared/corpus/inputs")]
    corpus: PathBuf,
    /// Where tools, inputs, runs and results are kept
    #[arg(long)]
    cache: PathBuf,
    /// Where the buggy tools are installed [default: in the cache]
    #[arg(long)]
    tools: Option<PathBuf>,
    /// The cases by name; all of them if none is given
    #[arg(long, value_delimiter = ',')]
    cases: Vec<String>,
    /// The reducers: default, or hdd or perses with a search, as in hdd-ddmin
    #[arg(long, value_delimiter = ',', default_value = "default")]
    reducers: Vec<String>,
    /// Other tools to run beside them
    #[arg(long, value_delimiter = ',')]
    peers: Vec<Peer>,
    /// Minutes after which a run is stopped
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// Write the tables to this file too
    #[arg(long)]
    out: Option<PathBuf>,
}

/// One run, as it is kept.
#[derive(Clone, Serialize, Deserialize)]
pub struct Outcome {
    /// The case.
    pub case: String,
    /// The reducer or tool.
    pub reducer: String,
    /// Words and signs of the input.
    pub tokens_before: usize,
    /// Words and signs that are left.
    pub tokens: usize,
    /// Bytes that are left.
    pub bytes: usize,
    /// Tests run.
    pub tests: usize,
    /// Seconds it took.
    pub seconds: f64,
    /// Whether it came to its end.
    pub finished: bool,
    /// Milliseconds a test beside the test itself, for nub.
    #[serde(default)]
    pub overhead_ms: f64,
    /// Of the inputs that a grammar guided, how many could be read.
    #[serde(default)]
    pub readable: (usize, usize),
}

#[derive(Deserialize)]
struct Case {
    input: String,
    language: String,
}

/// Runs what was not run before, and writes the tables.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let corpus = args.corpus.canonicalize()?;
    fs::create_dir_all(&args.cache)?;
    let cache = args.cache.canonicalize()?;
    let tools = args.tools.clone().unwrap_or_else(|| cache.join("tools"));
    fs::create_dir_all(&tools)?;
    let results = cache.join("inputs.jsonl");
    let mut known: Vec<Outcome> = fs::read_to_string(&results)
        .unwrap_or_default()
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let mut languages = BTreeMap::new();
    for name in cases(args, &corpus)? {
        let folder = corpus.join(&name);
        let case: Case = toml::from_str(&fs::read_to_string(folder.join("case.toml"))?)?;
        languages.insert(name.clone(), case.language.clone());
        let wanted = args.reducers.iter().cloned().chain(args.peers.iter().map(ToString::to_string));
        for reducer in wanted {
            if known.iter().any(|run| run.case == name && run.reducer == reducer) {
                continue;
            }
            let Some(input) = set_up(&folder, &case, &cache.join("inputs").join(&name), &tools)? else {
                eprintln!("{name}: cannot be set up here");
                break;
            };
            eprintln!("{name} {reducer}");
            let most = Duration::from_secs(60 * args.minutes);
            let script = folder.join("interesting.sh");
            let outcome = match args.peers.iter().find(|peer| peer.to_string() == reducer) {
                Some(peer) => peers::run(*peer, &name, &script, &input, &cache.join("peers"), &tools, most)?,
                None => ours(&name, &reducer, &script, &input, &cache, &tools, most)?,
            };
            let mut file = fs::OpenOptions::new().create(true).append(true).open(&results)?;
            writeln!(file, "{}", serde_json::to_string(&outcome)?)?;
            known.push(outcome);
        }
    }
    let tables = tables(&known, &languages);
    print!("{tables}");
    if let Some(out) = &args.out {
        fs::write(out, format!("{HEAD}{tables}"))?;
    }
    Ok(())
}

const HEAD: &str = "# Crashing inputs\n\nWritten by `nub-bench inputs`; see there for what each column is. Sizes are words \
                    and signs. A star marks runs that were stopped by the clock.\n\n";

fn cases(args: &Args, corpus: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    if !args.cases.is_empty() {
        return Ok(args.cases.clone());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(corpus)? {
        let entry = entry?;
        if entry.path().join("case.toml").exists() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Installs the tool of a case and makes its input, unless that was done before.
fn set_up(folder: &Path, case: &Case, to: &Path, tools: &Path) -> Result<Option<PathBuf>, Box<dyn Error>> {
    let input = to.join(&case.input);
    if input.exists() {
        return Ok(Some(input));
    }
    fs::create_dir_all(to)?;
    for script in ["install.sh", "make_input.sh"] {
        let log = fs::File::create(to.join(format!("{script}.log")))?;
        let done = Command::new("bash")
            .arg(folder.join(script))
            .env("TOOLS", tools)
            .env("OUT", to)
            .stdout(log.try_clone()?)
            .stderr(log)
            .status()?;
        if !done.success() {
            return Ok(None);
        }
    }
    Ok(input.exists().then_some(input))
}

/// The passes and the search that a reducer's name stands for.
fn reducer(name: &str) -> Result<(Vec<Pass>, Option<Algorithm>), Box<dyn Error>> {
    match name.split_once('-') {
        None if name == "default" => Ok((Pass::DEFAULT.to_vec(), None)),
        Some(("hdd", search)) => Ok((vec![Pass::Hdd], Some(search.parse()?))),
        Some(("hddr", search)) => Ok((vec![Pass::HddR], Some(search.parse()?))),
        Some(("perses", search)) => Ok((vec![Pass::Tree], Some(search.parse()?))),
        _ => Err(format!("no reducer is called `{name}`").into()),
    }
}

fn ours(
    case: &str,
    name: &str,
    script: &Path,
    input: &Path,
    cache: &Path,
    tools: &Path,
    most: Duration,
) -> Result<Outcome, Box<dyn Error>> {
    let (passes, algorithm) = reducer(name)?;
    let file = input.file_name().ok_or("an input has a name")?;
    let mut snapshot = Snapshot::new();
    snapshot.insert(RelPath::new(file.as_encoded_bytes())?, Entry::file(fs::read(input)?));
    let script = format!("export TOOLS='{}'; exec bash '{}'", tools.display(), script.display());
    let plan = Plan {
        input: snapshot,
        test: Test::Command(nub_lab::process::Program::Shell(script)),
        property: Property::default(),
        any_failure: false,
        timeout: None,
        memory: None,
        language: None,
        algorithm,
        passes,
        jobs: 1,
        budget: Some(Budget::Time(most)),
        out: cache.join("runs").join(format!("{case}-{name}")),
        scratch: cache.join("scratch"),
        fresh: true,
        count_readable: name != "default",
    };
    let guard = Guard::this_executable()?;
    let kept = cache.join("results").join(format!("{case}-{name}"));
    fs::create_dir_all(cache.join("results"))?;
    let mut keep =
        |input: &Snapshot| input.iter().try_for_each(|(_, entry)| fs::write(&kept, &entry.content));
    let reduced = reduce(&plan, &guard, &Cancel::new()?, &mut |_| {}, &mut keep)?;
    Ok(Outcome {
        case: case.into(),
        reducer: name.into(),
        tokens_before: reduced.before.tokens,
        tokens: reduced.after.tokens,
        bytes: reduced.after.bytes,
        tests: reduced.tests,
        seconds: reduced.elapsed.as_secs_f64(),
        finished: reduced.finished,
        overhead_ms: 1000.0 * reduced.overhead.as_secs_f64() / reduced.tests.max(1) as f64,
        readable: reduced.readable,
    })
}

/// Every case by every reducer, the sums over the cases that all have run, and how many candidates could be read.
fn tables(known: &[Outcome], languages: &BTreeMap<String, String>) -> String {
    let mut reducers: Vec<&str> = Vec::new();
    for run in known {
        if !reducers.contains(&run.reducer.as_str()) {
            reducers.push(&run.reducer);
        }
    }
    let find =
        |case: &str, reducer: &str| known.iter().find(|run| run.case == case && run.reducer == reducer);
    let mut cells = Table::new(["case: tokens / tests / s"].into_iter().chain(reducers.iter().copied()));
    for case in languages.keys() {
        let shown = reducers.iter().map(|reducer| match find(case, reducer) {
            Some(run) => {
                let star = if run.finished { "" } else { "*" };
                format!("{} / {}{star} / {:.0}", run.tokens, run.tests, run.seconds)
            }
            None => "-".into(),
        });
        cells.row([case.clone()].into_iter().chain(shown));
    }
    let common: Vec<&String> = languages
        .keys()
        .filter(|case| reducers.iter().all(|reducer| find(case, reducer).is_some()))
        .collect();
    let mut sums = Table::new(["all together", "cases", "tokens left", "tests", "seconds", "tokens/s"]);
    for reducer in &reducers {
        let runs: Vec<&Outcome> = common.iter().filter_map(|case| find(case, reducer)).collect();
        let seconds: f64 = runs.iter().map(|run| run.seconds).sum();
        let gone: usize = runs.iter().map(|run| run.tokens_before.saturating_sub(run.tokens)).sum();
        sums.row([
            (*reducer).to_owned(),
            runs.len().to_string(),
            runs.iter().map(|run| run.tokens).sum::<usize>().to_string(),
            runs.iter().map(|run| run.tests).sum::<usize>().to_string(),
            format!("{seconds:.0}"),
            format!("{:.0}", gone as f64 / seconds.max(0.001)),
        ]);
    }
    let mut read: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for run in known.iter().filter(|run| run.readable.1 > 0) {
        let Some(language) = languages.get(&run.case) else { continue };
        let sum = read.entry(language).or_default();
        *sum = (sum.0 + run.readable.0, sum.1 + run.readable.1);
    }
    let mut readable = Table::new(["language", "candidates", "could be read"]);
    for (language, (good, all)) in read {
        readable.row([
            language.into(),
            all.to_string(),
            format!("{:.1} %", 100.0 * good as f64 / all as f64),
        ]);
    }
    let mut text = format!("{cells}\n{sums}\n");
    let _ = write!(text, "{readable}");
    text
}
