//! `nub isolate`: from two versions and a test to the smallest part of the difference that flips it.
//!
//! ```text
//!   baseline: both versions tested ──> search from one of them ──> inside what it found, by syntax ──> the result,
//!                                                                                        tested from scratch
//! ```

mod baseline;
mod error;
mod foresight;
mod granularity;
mod hunt;
mod lab;
mod measure;
mod plan;
mod reasons;
mod refine;

pub use error::IsolateError;
pub use granularity::{Granularity, UnknownGranularity};
pub use lab::Spent;
pub use plan::{Budget, Knowledge, Plan, Seek};
pub use reasons::{Needing, Reason, Without};
pub use refine::{ALONE, FINER};

use crate::event::{Direction, Event, Side, Trial};
use crate::journal::{Deciding, Journal, JournalError, Notes};
use crate::pool::Pool;
use crate::process::{Cancel, Failure, Guard};
use crate::run::Numbers;
use crate::view::View;
use crate::workspace::Digest;
use baseline::{Baseline, decided, recalled};
use hunt::{Hunt, Until};
use lab::{Lab, trial};
use nub_change::{Level, Patchwork, changed_tokens};
use nub_search::{Answer, Config};
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The result of an experiment.
#[derive(Clone, Debug)]
pub struct Isolated {
    /// Which way the test changed its mind.
    pub direction: Direction,
    /// How the bad version fails, if that was learned.
    pub failure: Option<Failure>,
    /// The version searched from; the critical patch applies to it.
    pub from: Side,
    /// The changes that matter, by number in [`Isolated::patchwork`].
    pub critical: Config,
    /// If they are parts of the plan's changes: of which, and what numbers them.
    pub finer: Option<Finer>,
    /// Why each of them is in the result, in the same order.
    pub reasons: Vec<Reason>,
    /// The patch that flips the test when applied to the version searched from.
    pub patch: Vec<u8>,
    /// The rest of the difference, to be applied after it.
    pub rest: Vec<u8>,
    /// The trial that showed it.
    pub witness: Option<Trial>,
    /// Whether taking out any single remaining change, or group of them at the plan's granularity, was seen to lose it.
    pub one_minimal: bool,
    /// Whether the search came to its end.
    pub finished: bool,
    /// What it cost.
    pub numbers: Numbers,
    /// How long it took.
    pub elapsed: Duration,
    /// Where the time went, all workers together.
    pub spent: Spent,
}

/// Changes taken apart by their syntax.
#[derive(Clone, Debug)]
pub struct Finer {
    /// The changes of the plan's patchwork that were taken apart.
    pub of: Config,
    /// Their difference in finer changes; away from the version searched from its places are those of the version
    /// with the changes moved.
    pub patchwork: Arc<Patchwork>,
}

impl Isolated {
    /// What the critical changes are numbered in.
    pub fn patchwork<'a>(&'a self, plan: &'a Plan) -> &'a Patchwork {
        self.finer.as_ref().map_or(&plan.patchwork, |finer| &finer.patchwork)
    }
}

/// Runs an experiment: baseline, search, and a last look at the result from scratch.
pub fn isolate(
    plan: &Plan,
    guard: &Guard,
    cancel: &Cancel,
    tell: &mut dyn FnMut(&Event),
) -> Result<Isolated, IsolateError> {
    let started = Instant::now();
    let full = plan.patchwork.full();
    if full.is_empty() {
        return Err(IsolateError::NoDifference);
    }
    fs::create_dir_all(&plan.out).map_err(|source| IsolateError::Out { path: plan.out.clone(), source })?;
    if plan.fresh {
        // What was found inside lines then is nobody's any more.
        [FINER, ALONE].iter().for_each(|folder| drop(fs::remove_dir_all(plan.out.join(folder))));
    }
    let lab = Lab::new(plan, guard);
    let mut journal = open_journal(&lab)?;
    tell(&Event::Compared {
        old: plan.old_name.clone(),
        new: plan.new_name.clone(),
        files: plan.patchwork.grouping(Level::File).len(),
        changes: full.len(),
    });
    if !journal.is_empty() {
        tell(&Event::Resumed { answers: journal.len() });
    }

    let mut pool = lab.pool(plan.jobs, baseline::manner(plan), journal.notes())?;
    let baseline = Baseline::find(&lab, &mut pool, &mut journal, cancel, tell)?;
    let view = baseline.view(plan.seek, full.clone());
    tell(&Event::Directed { direction: baseline.direction, from: view.from });
    if let Some(failure) = &baseline.failure {
        tell(&Event::Learned { failure: failure.clone() });
    }

    let measured = measure::measure(&lab, &baseline, cancel, tell);
    pool.ask_by(baseline.manner(plan));
    let measured = measured.as_ref();
    let mut hunt = Hunt::new(&lab, view.clone(), started);
    let (mut before, mut again, mut spent) = (Numbers::default(), 0, Spent::default());
    // Where nothing is built, to prove that much is needed is cheap.
    let mut until = if plan.build.is_some() { Until::Many } else { Until::Hopeless };
    let (found, refined) = loop {
        pool.remember(known_trees(&journal));
        let found = hunt.find(until, measured, &mut pool, &mut journal, cancel, tell)?;
        let site = (&journal, pool);
        let refined = refine::refine(&hunt, &baseline, &found, measured, site, cancel, tell)?;
        let Some(in_vain) = refined.as_ref().filter(|refined| found.given_up && refined.is_in_vain()) else {
            break (found, refined);
        };
        // What the lines were given up for is no better: they go on after all.
        until = if hunt.is_in_one(&found.critical) { Until::Proven } else { Until::Hopeless };
        before = before.and(found.numbers.without_saved()).and(in_vain.found.numbers);
        // What was asked is asked once more then, and known.
        again += found.numbers.needed;
        spent = spent.and(in_vain.spent);
        let tokens = changed_tokens(&hunt.patch(&found.critical));
        hunt = Hunt::new(&lab, view.clone(), started).after(before, tokens).without_hope_for_one();
        pool = lab.pool(plan.jobs, baseline.manner(plan), journal.notes())?;
    };

    let mut numbers = found.numbers.and(before);
    numbers.saved = numbers.saved.saturating_sub(again);
    let mut isolated = Isolated {
        direction: baseline.direction,
        failure: baseline.failure.clone(),
        from: view.from,
        patch: hunt.patch(&found.critical),
        rest: plan.patchwork.patch(&view.turn(&found.critical), &view.turn(&full)),
        critical: found.critical.clone(),
        finer: None,
        reasons: found.reasons.clone(),
        witness: None,
        one_minimal: found.finished && !found.given_up && plan.algorithm.proves_one_minimal(),
        finished: found.finished,
        numbers,
        elapsed: Duration::ZERO,
        spent: Spent::default(),
    };
    if let Some(refined) = refined {
        spent = spent.and(refined.spent);
        isolated.numbers = isolated.numbers.and(refined.found.numbers);
        isolated.finished &= refined.found.finished;
        isolated.one_minimal = refined.found.finished && (!found.given_up || refined.smaller.is_some());
        if let Some(smaller) = refined.smaller {
            isolated.patch = smaller.patch;
            isolated.rest = smaller.rest;
            isolated.witness = Some(smaller.witness);
            isolated.critical = refined.found.critical;
            isolated.reasons = refined.found.reasons;
            isolated.finer = Some(smaller.finer);
        }
    }
    if isolated.finer.is_none() {
        isolated.witness = confirm(&lab, &view, &found.critical, &baseline, &mut journal, cancel, tell)?;
    }
    Ok(Isolated { elapsed: started.elapsed(), spent: lab.spent().and(spent), ..isolated })
}

fn open_journal(lab: &Lab<'_>) -> Result<Journal, JournalError> {
    let path = lab.plan.out.join("journal.jsonl");
    match lab.plan.fresh {
        true => Journal::fresh(path, &lab.fingerprint),
        false => Journal::open(path, &lab.fingerprint),
    }
}

/// What is known of whole trees, whatever changes made them.
fn known_trees(journal: &Journal) -> impl Iterator<Item = (Digest, Answer)> + '_ {
    let known = journal.digests().iter();
    known.filter_map(|(digest, answer)| Some((digest.parse().ok()?, answer.clone())))
}

/// Tests the result once more, from scratch, and warns if it does not hold.
fn confirm(
    lab: &Lab<'_>,
    view: &View,
    critical: &Config,
    baseline: &Baseline,
    journal: &mut Journal,
    cancel: &Cancel,
    tell: &mut dyn FnMut(&Event),
) -> Result<Option<Trial>, IsolateError> {
    let config = view.turn(critical);
    if let Some(known) = journal.decided(Deciding::Critical, &config) {
        return Ok(Some(recalled(known)));
    }
    let mut pool = lab.pool(1, baseline.manner(lab.plan), Notes::default())?;
    pool.keep(&[config]);
    lab.news();
    let Some((tested, answer)) = lab.wait(&mut pool, cancel)? else { return Ok(None) };
    let trial = trial(&tested);
    if answer.outcome == view.wanted {
        journal.decide(decided(Deciding::Critical, &tested))?;
    } else {
        let ended = &trial.ended;
        tell(&Event::Warning(format!(
            "the result did not hold when it was built and tested once more from scratch: it {ended}; the test may \
             be flaky, or products of earlier builds may have misled it (try `--clean`)"
        )));
    }
    Ok(Some(trial))
}
