//! `nub reduce` on real crashing inputs: each case of a corpus with each reducer, side by side.
//!
//! Results are kept one a line in a file, so that the bench goes on where it was stopped. Sizes are in words and
//! signs, which are the same for every tool.

use crate::peers::{self, Peer};
use crate::scale;
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
    /// Seconds of the processor, tests and all.
    #[serde(default)]
    pub processor: f64,
    /// Whether it came to its end.
    pub finished: bool,
    /// The minutes it had.
    #[serde(default)]
    pub minutes: u64,
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
        let chosen = args.reducers.iter().filter(|reducer| *reducer != "none").cloned();
        let peers = args.peers.iter().filter(|peer| peer.reads(&case.input));
        let wanted = chosen.chain(peers.map(ToString::to_string));
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
            let before = scale::processor_in_all()?;
            let outcome = match args.peers.iter().find(|peer| peer.to_string() == reducer) {
                Some(peer) => peers::run(*peer, &name, &script, &input, &cache.join("peers"), &tools, most)?,
                None => ours(&name, &reducer, &script, &input, &cache, &tools, most)?,
            };
            let processor = scale::processor_in_all()?.saturating_sub(before).as_secs_f64();
            let outcome = Outcome { minutes: args.minutes, processor, ..outcome };
            let mut file = fs::OpenOptions::new().create(true).append(true).open(&results)?;
            writeln!(file, "{}", serde_json::to_string(&outcome)?)?;
            known.push(outcome);
        }
    }
    let own = cache.join("own.md");
    if args.own {
        fs::write(&own, scale::measure(&cache)?)?;
    }
    let mut page = tables(&known, &languages);
    if let Ok(own) = fs::read_to_string(&own) {
        let _ = write!(page, "\n## What nub itself costs\n\n{own}");
    }
    print!("{page}");
    if let Some(out) = &args.out {
        fs::write(out, format!("{HEAD}{page}"))?;
    }
    Ok(())
}

const HEAD: &str = "# Crashing inputs\n\n\
    Written by `nub-bench inputs --cache DIR --out docs/measurements/inputs.md`. Every run is on one core, one test at a \
    time, and a star marks those that the clock has stopped. A cell is the tokens that are left (words and signs, counted \
    the same for every tool), the tests run, and the seconds of processor time that all took together, which on an idle \
    machine is the time on the clock; on a busy one a run that was stopped had less than its minutes, and what it leaves is \
    not what it would leave in the end. treereduce has only some of the languages; picireny is not here, since it comes \
    with neither an ANTLR nor grammars. Who leaves over a twentieth more than nub does not count as smaller, faster or done \
    in fewer tests.\n\n";

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
        tidy: false,
        jobs: 1,
        budget: Some(Budget::Time(most)),
        out: cache.join("runs").join(format!("{case}-{name}")),
        scratch: cache.join("scratch"),
        fresh: true,
        count_readable: name != DEFAULT,
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
        processor: 0.0,
        finished: reduced.finished,
        minutes: 0,
        overhead_ms: 1000.0 * reduced.overhead.as_secs_f64() / reduced.tests.max(1) as f64,
        readable: reduced.readable,
    })
}

/// The runs of one table: every case by every reducer.
struct Runs<'a> {
    known: &'a [Outcome],
    reducers: Vec<&'a str>,
    cases: Vec<&'a str>,
}

impl<'a> Runs<'a> {
    /// Those of the reducers that `wanted` names, nub's own choice first and the others in the order in which they were
    /// run, on the cases that one of them has run.
    fn of(
        known: &'a [Outcome],
        cases: &'a BTreeMap<String, String>,
        wanted: impl Fn(&str) -> bool,
    ) -> Runs<'a> {
        let mut reducers: Vec<&str> = Vec::new();
        for run in known.iter().filter(|run| wanted(&run.reducer)) {
            if !reducers.contains(&run.reducer.as_str()) {
                reducers.push(&run.reducer);
            }
        }
        reducers.sort_by_key(|reducer| *reducer != DEFAULT);
        let has_run = |case: &&str| {
            known.iter().any(|run| run.case == *case && reducers.contains(&run.reducer.as_str()))
        };
        let cases = cases.keys().map(String::as_str).filter(has_run).collect();
        Runs { known, reducers, cases }
    }

    fn find(&self, case: &str, reducer: &str) -> Option<&'a Outcome> {
        self.known.iter().find(|run| run.case == case && run.reducer == reducer)
    }

    fn minutes(&self) -> String {
        let mut caps: Vec<u64> = self
            .known
            .iter()
            .filter(|run| self.reducers.contains(&run.reducer.as_str()))
            .map(|run| run.minutes)
            .collect();
        caps.sort_unstable();
        caps.dedup();
        let unit = if caps == [1] { "minute" } else { "minutes" };
        let caps: Vec<String> = caps.iter().map(ToString::to_string).collect();
        format!("A run was stopped after {} {unit}.\n\n", caps.join(" or "))
    }

    fn cells(&self) -> Table {
        let mut cells = Table::new(["tokens / tests / s"].into_iter().chain(self.reducers.iter().copied()));
        for case in &self.cases {
            let shown = self.reducers.iter().map(|reducer| match self.find(case, reducer) {
                Some(run) => {
                    let star = if run.finished { "" } else { "*" };
                    format!("{} / {} / {:.0}{star}", run.tokens, run.tests, run.processor)
                }
                None => "-".into(),
            });
            cells.row([(*case).to_owned()].into_iter().chain(shown));
        }
        cells
    }

    /// The cases that all reducers have run, added up.
    fn sums(&self) -> Table {
        let all_have = |case: &&&str| self.reducers.iter().all(|reducer| self.find(case, reducer).is_some());
        let common: Vec<&&str> = self.cases.iter().filter(all_have).collect();
        let mut sums = Table::new(["all together", "cases", "tokens left", "tests", "seconds", "tokens/s"]);
        for reducer in &self.reducers {
            let runs: Vec<&Outcome> = common.iter().filter_map(|case| self.find(case, reducer)).collect();
            let seconds: f64 = runs.iter().map(|run| run.processor).sum();
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
        sums
    }

    /// Whether the orders that ProbDD's and WDD's authors found hold for the same cases added up.
    fn orderings(&self) -> Table {
        let all_have = |case: &&&str| self.reducers.iter().all(|reducer| self.find(case, reducer).is_some());
        let common: Vec<&&str> = self.cases.iter().filter(all_have).collect();
        let sum = |reducer: &str, of: fn(&Outcome) -> usize| -> usize {
            common.iter().filter_map(|case| self.find(case, reducer)).map(of).sum()
        };
        let tests: fn(&Outcome) -> usize = |run| run.tests;
        let tokens: fn(&Outcome) -> usize = |run| run.tokens;
        let expected = [
            ("ProbDD needs fewer tests than ddmin", "probdd", "ddmin", tests),
            ("Wddmin needs fewer tests than ddmin", "wddmin", "ddmin", tests),
            ("WProbDD leaves no more than ProbDD", "wprobdd", "probdd", tokens),
        ];
        let mut orderings = Table::new(["as published", "perses", "hdd"]);
        for (claim, one, other, of) in expected {
            let shown = ["perses", "hdd"].map(|tree| {
                let (one, other) = (sum(&format!("{tree}-{one}"), of), sum(&format!("{tree}-{other}"), of));
                let holds = one < other || (one == other && claim.contains("no more"));
                format!("{}: {one}, {other}", if holds { "yes" } else { "no" })
            });
            orderings.row([claim.to_owned()].into_iter().chain(shown));
        }
        orderings
    }

    /// On how many cases nub's own choice is ahead of every other tool that has run them.
    fn goals(&self) -> Table {
        let mut goals = Table::new(["of the cases with another tool beside it", "cases", "share", "goal"]);
        let (mut all, mut ended, mut tests, mut size, mut time, mut worst) = (0, 0, 0, 0, 0, 0.0_f64);
        for case in &self.cases {
            let Some(ours) = self.find(case, DEFAULT) else { continue };
            let others: Vec<&Outcome> = self
                .reducers
                .iter()
                .filter(|reducer| **reducer != DEFAULT)
                .filter_map(|reducer| self.find(case, reducer))
                .collect();
            let Some(best) = others.iter().map(|run| run.tokens).min() else { continue };
            all += 1;
            ended += usize::from(others.iter().any(|run| run.finished));
            size += usize::from(ours.tokens <= best);
            worst = worst.max(ours.tokens as f64 / best.max(1) as f64 - 1.0);
            // Who stops early, or is stopped, with more left has not done the same in fewer tests or less time.
            let as_good = |run: &&&Outcome| run.tokens <= ours.tokens + ours.tokens / 20;
            tests += usize::from(others.iter().filter(as_good).all(|run| ours.tests <= run.tests));
            time += usize::from(others.iter().filter(as_good).all(|run| ours.processor <= run.processor));
        }
        let share = |count: usize| format!("{:.0} %", 100.0 * count as f64 / f64::from(all.max(1)));
        let counted = [
            ("nothing smaller found by another", size),
            ("as small in no fewer tests by another", tests),
            ("as small in no less time by another", time),
        ];
        for (what, count) in counted {
            goals.row([what.to_owned(), count.to_string(), share(count), "80 %".to_owned()]);
        }
        goals.row(["cases in all".to_owned(), all.to_string(), String::new(), String::new()]);
        let others = "of them with another tool that came to its end";
        goals.row([others.to_owned(), ended.to_string(), share(ended), String::new()]);
        let worst = format!("{:.0} %", 100.0 * worst);
        goals.row(["larger than the best, at most".to_owned(), String::new(), worst, "5 %".to_owned()]);
        goals
    }
}

/// What nub does unless told otherwise.
const DEFAULT: &str = "default";

/// nub beside other tools, the searches beside each other, and how many candidates could be read.
fn tables(known: &[Outcome], languages: &BTreeMap<String, String>) -> String {
    let is_grid = |reducer: &str| reducer.contains('-');
    let tools = Runs::of(known, languages, |reducer| !is_grid(reducer));
    let grid = Runs::of(known, languages, is_grid);
    let mut text = String::new();
    if !tools.reducers.is_empty() {
        let (cap, cells, goals) = (tools.minutes(), tools.cells(), tools.goals());
        let _ = write!(text, "## nub and other tools\n\n{cap}{cells}\n{goals}\n");
    }
    if !grid.reducers.is_empty() {
        let (cap, cells, sums, orderings) = (grid.minutes(), grid.cells(), grid.sums(), grid.orderings());
        let _ = write!(text, "## HDD and Perses with each search\n\n{cap}{cells}\n{sums}\n{orderings}\n");
    }
    let mut read: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for run in known.iter().filter(|run| run.readable.1 > 0) {
        let Some(language) = languages.get(&run.case) else { continue };
        let sum = read.entry(language).or_default();
        *sum = (sum.0 + run.readable.0, sum.1 + run.readable.1);
    }
    if !read.is_empty() {
        let mut readable = Table::new(["language", "candidates", "could be read"]);
        for (language, (good, all)) in read {
            let share = format!("{:.1} %", 100.0 * good as f64 / all as f64);
            readable.row([language.into(), all.to_string(), share]);
        }
        let _ = write!(
            text,
            "## Candidates that could be read\n\nOf those that Perses tested, which the grammar guides, while the input \
             itself could be read. Where a pass begins with a text of up to 16 kB, candidates that cannot be read are not \
             tested and not counted; they can be unreadable here only where it began with a longer one. The goal is 99 %.\n\n{readable}"
        );
    }
    text
}
