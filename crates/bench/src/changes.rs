//! `nub isolate` on real regressions: each case of a corpus with each search, and a peer, side by side.
//!
//! Results are kept one a line in a file, so that the bench goes on where it was stopped; set-up trees are kept in a
//! folder of their own. A run that was cut off begins again, so that its numbers are those of one run.

pub mod case;
pub mod nub;
mod outcome;
mod peer;
mod report;

use case::Case;
use nub_search::Algorithm;
use outcome::Outcome;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
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
    #[arg(long, value_delimiter = ',', default_values_t = [Algorithm::Ddmin, Algorithm::ProbDd, Algorithm::Pith])]
    algorithms: Vec<Algorithm>,
    /// Run the peer `commit-delta` too, from PyPI in an environment in the cache
    #[arg(long)]
    peers: bool,
    /// Minutes after which a run is stopped, unless it is one of the default search
    #[arg(long, default_value_t = 20)]
    minutes: u64,
    /// Minutes after which a run of the default search is stopped [default: never]
    #[arg(long)]
    default_minutes: Option<u64>,
    /// Workers
    #[arg(short, long, default_value_t = 2)]
    jobs: usize,
    /// Write the table to this file too, and the results as JSON beside it
    #[arg(long)]
    out: Option<PathBuf>,
}

impl Args {
    /// How long a run of this search may take.
    fn limit(&self, contender: Contender) -> Option<Duration> {
        let minutes = match contender {
            Contender::Nub(Algorithm::Pith) => self.default_minutes,
            _ => Some(self.minutes),
        };
        minutes.map(|minutes| Duration::from_secs(60 * minutes))
    }

    fn contenders(&self) -> Vec<Contender> {
        let peer = self.peers.then_some(Contender::CommitDelta);
        self.algorithms.iter().map(|algorithm| Contender::Nub(*algorithm)).chain(peer).collect()
    }
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Contender {
    Nub(Algorithm),
    CommitDelta,
}

impl Contender {
    fn name(self) -> &'static str {
        match self {
            Contender::Nub(algorithm) => algorithm.name(),
            Contender::CommitDelta => peer::NAME,
        }
    }
}

/// Runs what was not run before and prints the table.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let names = match args.cases.is_empty() {
        true => case::all(&args.corpus)?,
        false => args.cases.clone(),
    };
    fs::create_dir_all(&args.cache)?;
    let kept = args.cache.join("changes.jsonl");
    let mut outcomes: BTreeMap<(String, String), Outcome> = BTreeMap::new();
    for line in fs::read_to_string(&kept).unwrap_or_default().lines() {
        let outcome: Outcome = serde_json::from_str(line)?;
        outcomes.insert((outcome.case.clone(), outcome.search.clone()), outcome);
    }
    let contenders = args.contenders();
    for name in &names {
        for contender in &contenders {
            let key = (name.clone(), contender.name().to_owned());
            if outcomes.contains_key(&key) {
                continue;
            }
            let outcome = one(args, name, *contender);
            eprintln!("{}", serde_json::to_string(&outcome)?);
            let mut file = fs::OpenOptions::new().create(true).append(true).open(&kept)?;
            writeln!(file, "{}", serde_json::to_string(&outcome)?)?;
            outcomes.insert(key, outcome);
        }
    }
    let chosen = |o: &&Outcome| names.contains(&o.case) && contenders.iter().any(|c| c.name() == o.search);
    let chosen: Vec<&Outcome> = outcomes.values().filter(chosen).collect();
    let report = report::report(&chosen, args);
    if let Some(out) = &args.out {
        fs::create_dir_all(out.parent().unwrap_or(out))?;
        fs::write(out, &report)?;
        fs::write(out.with_extension("json"), serde_json::to_string_pretty(&chosen)? + "\n")?;
    }
    print!("{report}");
    Ok(())
}

/// One run; what goes wrong is a result as well.
fn one(args: &Args, name: &str, contender: Contender) -> Outcome {
    let outcome = Case::set_up(&args.corpus, &args.cache, name).and_then(|case| match contender {
        Contender::Nub(algorithm) => nub::run(&case, algorithm, args, args.limit(contender)),
        Contender::CommitDelta => peer::run(&case, args, args.limit(contender)),
    });
    outcome.unwrap_or_else(|error| Outcome::failed(name, contender.name(), error.to_string()))
}
