//! `nub isolate`: from two versions and a test to the smallest part of the difference that flips it.
//!
//! ```text
//!   baseline: both versions tested ──> search from one of them ──> the result, tested once more from scratch
//! ```

mod baseline;
mod error;
mod foresight;
mod lab;
mod measure;
mod plan;
mod reasons;

pub use error::IsolateError;
pub use lab::Spent;
pub use plan::{Budget, Knowledge, Plan, Seek};
pub use reasons::{Needing, Reason, Without};

use crate::coverage::Measured;
use crate::event::{Direction, Event, Side, Trial};
use crate::journal::{Deciding, Journal, JournalError, Notes};
use crate::pool::Pool;
use crate::process::{Cancel, Failure, Guard};
use crate::run::{Flow, Numbers, Progress, run};
use crate::view::{View, ViewedPool, ViewedRecord};
use baseline::{Baseline, decided, recalled};
use foresight::{Foresight, Foresighted};
use lab::{Lab, trial};
use nub_change::{Legible, Level, rules};
use nub_search::combine::{Elsewhere, Grouping, Pieces, Propose, Shortcut, Stages};
use nub_search::list::{Add, AddBack, Pith};
use nub_search::{Algorithm, AnySearch, Config, Couplings, Outcome, Problem, Search};
use reasons::Known;
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
    /// The changes that matter, by number in the patchwork.
    pub critical: Config,
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
    let known = journal.digests().iter();
    pool.remember(known.filter_map(|(digest, answer)| Some((digest.parse().ok()?, answer.clone()))));
    let mut best = full.clone();
    let known = couplings(plan, &view);
    let legible = plan.knowledge.reading.then(|| Arc::new(Legible::of(Arc::clone(&plan.patchwork))));
    let foresight = Foresight::new(legible.clone(), lab.read_needs());
    let ended = run(
        search(plan, &view, &known, legible, measured.as_ref()),
        &mut ViewedRecord {
            view: &view,
            record: &mut Foresighted { foresight: &foresight, record: &mut journal },
        },
        &mut ViewedPool { view: &view, pool: &mut pool },
        |progress| {
            let Progress::Moved { state, numbers } = progress else { return Flow::Continue };
            lab.news().iter().for_each(|tested| tell(&Event::Tried { trial: trial(tested) }));
            let smaller = state.best();
            if smaller != best {
                best = smaller;
                tell(&Event::Better { changes: best.len(), patch: critical_patch(plan, &view, &best) });
            }
            let elapsed = started.elapsed();
            tell(&Event::Progress { left: best.len(), total: full.len(), numbers, elapsed });
            let spent = match plan.budget {
                Some(Budget::Time(most)) => elapsed >= most,
                Some(Budget::Tests(most)) => numbers.needed + numbers.guessed >= most,
                None => false,
            };
            if spent || cancel.is_cancelled() { Flow::Stop } else { Flow::Continue }
        },
    )?;
    drop(pool);

    let critical = ended.state.best();
    let reasons = reasons::reasons(&view, &critical, (&journal, &foresight), &known);
    let witness = confirm(&lab, &view, &critical, &baseline, &mut journal, cancel, tell)?;
    let flipped = view.turn(&critical);
    Ok(Isolated {
        direction: baseline.direction,
        failure: baseline.failure,
        from: view.from,
        patch: critical_patch(plan, &view, &critical),
        rest: plan.patchwork.patch(&flipped, &view.turn(&full)),
        critical,
        reasons,
        witness,
        one_minimal: ended.finished && plan.algorithm.proves_one_minimal(),
        finished: ended.finished,
        numbers: ended.numbers,
        elapsed: started.elapsed(),
        spent: lab.spent(),
    })
}

fn open_journal(lab: &Lab<'_>) -> Result<Journal, JournalError> {
    let path = lab.plan.out.join("journal.jsonl");
    match lab.plan.fresh {
        true => Journal::fresh(path, &lab.fingerprint),
        false => Journal::open(path, &lab.fingerprint),
    }
}

/// The patch that moves these changes in the version searched from.
fn critical_patch(plan: &Plan, view: &View, moved: &Config) -> Vec<u8> {
    plan.patchwork.patch(&view.turn(&Config::empty()), &view.turn(moved))
}

/// Who is known to need whom before the first test, as changes that are moved, and who says so.
fn couplings(plan: &Plan, view: &View) -> Vec<Known> {
    let nesting = plan.patchwork.couplings().into_iter().map(|coupling| (coupling, "nesting"));
    let moves = plan.patchwork.moves().into_iter().map(|coupling| (coupling, "move"));
    let ruled = if plan.knowledge.rules { rules::couplings(&plan.patchwork) } else { Vec::new() };
    let ruled = ruled.into_iter().map(|ruled| (ruled.coupling, ruled.rule.name()));
    nesting
        .chain(moves)
        .chain(ruled)
        .map(|(coupling, source)| (view.turn_coupling(coupling), source))
        .collect()
}

/// The search that the plan names, from files to the plan's granularity; what did not run is left out early.
fn search(
    plan: &Plan,
    view: &View,
    known: &[Known],
    legible: Option<Arc<Legible>>,
    measured: Option<&Measured>,
) -> AnySearch {
    let patchwork = &plan.patchwork;
    let problem = Problem::of(view.full.clone())
        .with_weights(patchwork.weights())
        .with_priors(patchwork.priors())
        .with_couplings(Couplings::given(known.iter().map(|(coupling, _)| *coupling)))
        .with_declarations(if plan.algorithm.has_cold_start() { lost(plan, view) } else { Config::empty() });
    let coarse_levels = [Level::File, Level::Declaration, Level::Statement]
        .into_iter()
        .filter(|level| *level < plan.granularity);
    let grouping = |level| match level {
        Level::Node => Grouping::elements(),
        level => {
            let groups = patchwork.grouping(level);
            Grouping::new(view.full.iter().map(|change| Some(groups.group_of(change))))
        }
    };
    let groupings: Vec<Grouping> = coarse_levels.chain([plan.granularity]).map(grouping).collect();
    let declarations = grouping(Level::Declaration.min(plan.granularity));
    let (algorithm, seed) = (plan.algorithm, plan.seed);
    if algorithm == Algorithm::Add {
        return add(plan, view, &problem, measured);
    }
    let start = move |problem: &Problem| algorithm.start(problem, seed);
    let coarse = move |problem: &Problem| match algorithm {
        Algorithm::Pith => AnySearch::new(Pith::unproven(problem)),
        _ => start(problem),
    };
    let stages =
        move |problem: &Problem| AnySearch::new(Stages::down_to(problem, groupings.clone(), coarse, start));
    let turned = view.clone();
    let propose = legible.map(|legible| -> Propose {
        Arc::new(move |moved| legible.pieces(moved, |moved| turned.turn(moved)))
    });
    let whole = move |problem: &Problem| {
        if algorithm != Algorithm::Pith {
            return stages(problem);
        }
        let whole = AnySearch::new(Elsewhere::new(problem, declarations.clone(), stages.clone()));
        match &propose {
            Some(propose) => AnySearch::new(Pieces::new(problem, whole, Arc::clone(propose), stages.clone())),
            None => whole,
        }
    };
    let Some(measured) = measured else { return whole(&problem) };
    let suspicious = problem.clone().with_priors(measured.priors(&problem.priors));
    AnySearch::new(Shortcut::new(&suspicious, &problem, measured.guesses(patchwork), whole))
}

/// The changes that take declarations away when they are moved, in the version searched from.
fn lost(plan: &Plan, view: &View) -> Config {
    match view.from {
        Side::Old => rules::declarations::taken_away(&plan.patchwork),
        Side::New => rules::declarations::put_in(&plan.patchwork),
    }
}

/// ADD as published: among hunks, of which those that ran, or of which nobody can tell, are dubious.
fn add(plan: &Plan, view: &View, problem: &Problem, measured: Option<&Measured>) -> AnySearch {
    let groups = plan.patchwork.grouping(Level::Declaration);
    let hunks = Grouping::new(view.full.iter().map(|change| Some(groups.group_of(change))));
    let idle = measured.map_or_else(Config::empty, Measured::idle);
    let dubious = groups.touched(&view.full.minus(&idle));
    // It takes changes back from the bad version; from the good one it can only be asked what fails.
    let takes_back = view.wanted == Outcome::Pass;
    let start = move |problem: &Problem| match takes_back {
        true => AnySearch::new(AddBack::new(dubious.clone(), problem.full.clone())),
        false => AnySearch::new(Add::new(dubious.intersection(&problem.full), problem.full.clone())),
    };
    AnySearch::new(Stages::down_to(problem, [hunks], start.clone(), start))
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
