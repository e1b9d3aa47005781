//! `nub reduce` on real crashing inputs: each case of a corpus with each reducer, side by side.
//!
//! Results are kept as data beside the page, so that the bench goes on where it was stopped. Sizes are in words and
//! signs, which are the same for every tool.

pub mod record;
mod report;

use crate::peers::{self, Peer};
use crate::scale;
use nub_change::part::{Pass, count_tokens};
use nub_change::{Entry, RelPath, Snapshot};
use nub_lab::isolate::Budget;
use nub_lab::process::{Cancel, Guard};
use nub_lab::reduce::{Plan, Property, Test, reduce};
use nub_search::Algorithm;
use record::{Found, Outcome, Record};
use serde::Deserialize;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Which cases and reducers, and where everything is kept.
#[derive(clap::Args)]
pub struct Args {
    /// The corpus: a folder with a folder for each case
    #[arg(long, default_value = "../shared/corpus/inputs")]
    corpus: PathBuf,
    /// Where tools, inputs and runs are kept
    #[arg(long)]
    cache: PathBuf,
    /// Where the buggy tools are installed [default: in the cache]
    #[arg(long)]
    tools: Option<PathBuf>,
    /// The cases by name; all of them if none is given
    #[arg(long, value_delimiter = ',')]
    cases: Vec<String>,
    /// The reducers: default, none, or hdd or perses with a search, as in hdd-ddmin
    #[arg(long, value_delimiter = ',', default_value = "default")]
    reducers: Vec<String>,
    /// Other tools to run beside them
    #[arg(long, value_delimiter = ',')]
    peers: Vec<Peer>,
    /// Minutes after which a run is stopped
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// Measure what nub itself costs, too
    #[arg(long)]
    own: bool,
    /// Run what was run before once more
    #[arg(long)]
    anew: bool,
    /// The page; results are kept as JSON beside it
    #[arg(long, default_value = "docs/measurements/inputs.md")]
    out: PathBuf,
}

#[derive(Deserialize)]
struct Case {
    input: String,
    language: String,
}

/// What nub does unless told otherwise.
const DEFAULT: &str = "default";

/// Where one run finds what it needs, and how long it may take.
pub struct Bench<'a> {
    /// The case's name.
    pub case: &'a str,
    /// Its test.
    pub script: PathBuf,
    /// Its input.
    pub input: PathBuf,
    /// Where files of the run may go.
    pub cache: &'a Path,
    /// Where the buggy tools are.
    pub tools: &'a Path,
    /// How long it may take.
    pub most: Duration,
}

/// Runs what was not run before, and writes the page.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let corpus = args.corpus.canonicalize()?;
    fs::create_dir_all(&args.cache)?;
    let cache = args.cache.canonicalize()?;
    let tools = args.tools.clone().unwrap_or_else(|| cache.join("tools"));
    fs::create_dir_all(&tools)?;
    let data = args.out.with_extension("json");
    let mut record = Record::load(&data)?;
    for name in cases(args, &corpus)? {
        let folder = corpus.join(&name);
        let case: Case = toml::from_str(&fs::read_to_string(folder.join("case.toml"))?)?;
        let chosen = args.reducers.iter().filter(|reducer| *reducer != "none").cloned();
        let peers = args.peers.iter().filter(|peer| peer.reads(&case.input));
        let wanted = chosen.chain(peers.map(ToString::to_string));
        for reducer in wanted.filter(|reducer| args.anew || !record.knows(&name, reducer)).collect::<Vec<_>>()
        {
            let Some(input) = set_up(&folder, &case, &cache.join("inputs").join(&name), &tools)? else {
                eprintln!("{name}: cannot be set up here");
                break;
            };
            eprintln!("{name} {reducer}");
            let tokens_before = count_tokens(&fs::read(&input)?);
            let (script, most) = (folder.join("interesting.sh"), Duration::from_secs(60 * args.minutes));
            let bench = Bench { case: &name, script, input, cache: &cache, tools: &tools, most };
            let before = scale::processor_in_all()?;
            let found = match args.peers.iter().find(|peer| peer.to_string() == reducer) {
                Some(peer) => peers::run(*peer, &bench)?,
                None => ours(&reducer, &bench)?,
            };
            let processor = scale::processor_in_all()?.saturating_sub(before).as_secs_f64();
            let language = case.language.clone();
            let (case, minutes) = (name.clone(), args.minutes);
            record.put(Outcome { case, language, reducer, tokens_before, found, processor, minutes });
            record.save(&data)?;
        }
    }
    if args.own {
        record.own = Some(scale::measure(&cache)?);
        record.save(&data)?;
    }
    let page = report::page(&record);
    print!("{page}");
    fs::write(&args.out, page)?;
    Ok(())
}

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
        None if name == DEFAULT => Ok((Pass::DEFAULT.to_vec(), None)),
        Some(("hdd", search)) => Ok((vec![Pass::Hdd], Some(search.parse()?))),
        Some(("hddr", search)) => Ok((vec![Pass::HddR], Some(search.parse()?))),
        Some(("perses", search)) => Ok((vec![Pass::Tree], Some(search.parse()?))),
        _ => Err(format!("no reducer is called `{name}`").into()),
    }
}

fn ours(name: &str, bench: &Bench) -> Result<Found, Box<dyn Error>> {
    let (passes, algorithm) = reducer(name)?;
    let file = bench.input.file_name().ok_or("an input has a name")?;
    let mut snapshot = Snapshot::new();
    snapshot.insert(RelPath::new(file.as_encoded_bytes())?, Entry::file(fs::read(&bench.input)?));
    let script = format!("export TOOLS='{}'; exec bash '{}'", bench.tools.display(), bench.script.display());
    let run = format!("{}-{name}", bench.case);
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
        tidy: false,
        jobs: 1,
        budget: Some(Budget::Time(bench.most)),
        out: bench.cache.join("runs").join(&run),
        scratch: bench.cache.join("scratch"),
        fresh: true,
        count_readable: name != DEFAULT,
    };
    let guard = Guard::this_executable()?;
    let kept = bench.cache.join("results").join(&run);
    fs::create_dir_all(bench.cache.join("results"))?;
    let mut keep =
        |input: &Snapshot| input.iter().try_for_each(|(_, entry)| fs::write(&kept, &entry.content));
    let reduced = reduce(&plan, &guard, &Cancel::new()?, &mut |_| {}, &mut keep)?;
    Ok(Found {
        tokens: reduced.after.tokens,
        tests: reduced.tests,
        finished: reduced.finished,
        readable: reduced.readable,
    })
}
