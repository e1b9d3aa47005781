//! `nub isolate` on real regressions: each case of a corpus in each way, and a peer, side by side.
//!
//! Results are kept one a line in a file, so that the bench goes on where it was stopped, also from the data of a page
//! that was written before; set-up trees are kept in a folder of their own. A run that was cut off begins again, so that its numbers are those of one run.

pub mod case;
mod nub;
mod outcome;
mod peer;
mod report;
mod way;

use case::Case;
use nub_search::Algorithm;
use outcome::Outcome;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;
use way::Way;

/// Which cases and ways, and where everything is kept.
#[derive(clap::Args)]
pub struct Args {
    /// The corpus: a folder with `setup_case.sh` and `cases/`
    #[arg(long, default_value = "../shared/corpus/changes")]
    corpus: PathBuf,
    /// Where set-up trees, runs and results are kept
    #[arg(long)]
    cache: PathBuf,
    /// Data beside former pages: runs in there are not run again, unless there are results in the cache
    #[arg(long)]
    known: Vec<PathBuf>,
    /// The cases by name; all of them if none is given
    #[arg(long, value_delimiter = ',')]
    cases: Vec<String>,
    /// The ways to search: `ALGORITHM[@GRANULARITY][+coverage][+no-rules][+no-messages][+seed-N]`
    #[arg(long, value_delimiter = ',', default_value = "pith,ddmin,probdd")]
    ways: Vec<Way>,
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
    /// The heading of the page
    #[arg(long, default_value = "Real regressions")]
    title: String,
    /// Write the table to this file too, and the results as JSON beside it
    #[arg(long)]
    out: Option<PathBuf>,
}

impl Args {
    /// How long a run may take.
    fn limit(&self, contender: &Contender) -> Option<Duration> {
        let minutes = match contender {
            Contender::Nub(way) if way.algorithm == Algorithm::Pith => self.default_minutes,
            _ => Some(self.minutes),
        };
        minutes.map(|minutes| Duration::from_secs(60 * minutes))
    }

    fn contenders(&self) -> Vec<Contender> {
        let peer = self.peers.then_some(Contender::CommitDelta);
        self.ways.iter().map(|way| Contender::Nub(way.clone())).chain(peer).collect()
    }
}

/// What is compared.
enum Contender {
    Nub(Way),
    CommitDelta,
}

impl Contender {
    fn name(&self) -> String {
        match self {
            Contender::Nub(way) => way.to_string(),
            Contender::CommitDelta => peer::NAME.to_owned(),
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
    let mut all: Vec<Outcome> = Vec::new();
    for page in &args.known {
        all.extend(serde_json::from_str::<Vec<Outcome>>(&fs::read_to_string(page)?)?);
    }
    for line in fs::read_to_string(&kept).unwrap_or_default().lines() {
        all.push(serde_json::from_str(line)?);
    }
    let keyed = all.into_iter().map(|outcome| ((outcome.case.clone(), outcome.way.clone()), outcome));
    let mut outcomes: BTreeMap<(String, String), Outcome> = keyed.collect();
    let contenders = args.contenders();
    let mut chosen = Vec::new();
    for name in &names {
        for contender in &contenders {
            let key = (name.clone(), contender.name());
            if !outcomes.contains_key(&key) {
                let outcome = one(args, name, contender);
                let line = serde_json::to_string(&outcome)?;
                eprintln!("{line}");
                writeln!(fs::OpenOptions::new().create(true).append(true).open(&kept)?, "{line}")?;
                outcomes.insert(key.clone(), outcome);
            }
            chosen.push(outcomes[&key].clone());
        }
    }
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
fn one(args: &Args, name: &str, contender: &Contender) -> Outcome {
    let outcome = Case::set_up(&args.corpus, &args.cache, name).and_then(|case| match contender {
        Contender::Nub(way) => nub::run(&case, way, args, args.limit(contender)),
        Contender::CommitDelta => peer::run(&case, args, args.limit(contender)),
    });
    outcome.unwrap_or_else(|error| Outcome::failed(name, contender.name(), with_causes(error.as_ref())))
}

/// An error with all that led to it.
fn with_causes(error: &dyn Error) -> String {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        said = format!("{said}: {error}");
        cause = error.source();
    }
    said
}
