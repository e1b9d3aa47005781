//! One search in a difference: what it is told, how it runs, and what it finds.

use super::IsolateError;
use super::Plan;
use super::foresight::{Foresight, Foresighted};
use super::lab::{Lab, trial};
use super::plan::Budget;
use super::reasons::{Known, Reason, reasons};
use super::refine::MANY;
use crate::coverage::Measured;
use crate::event::{Event, Side};
use crate::journal::Journal;
use crate::pool::local::LocalPool;
use crate::process::Cancel;
use crate::run::{Flow, Numbers, Progress, run};
use crate::view::{View, ViewedPool, ViewedRecord};
use nub_change::{Legible, Level, Patchwork, changed_tokens, rules};
use nub_search::combine::{
    Alone, Aside, Elsewhere, Grouping, Impatient, Pieces, Propose, Shortcut, Stages, Then, UnitSweep,
    one_minimal,
};
use nub_search::list::{Add, AddBack, Pith};
use nub_search::{Algorithm, AnySearch, Config, Couplings, Outcome, Problem, Search};
use std::sync::Arc;
use std::time::Instant;

/// So many changes are few.
const FEW: usize = 100;
/// Once no more changes by lines than these are left, but still many or all in one function...
const LITTLE: u64 = 300;
/// ... so many questions, but for builds that broke and said why, ...
const PATIENCE: usize = 32;
/// ... must take out this share of them, or the search goes on by syntax.
const SHARE: f64 = 0.25;

/// A look inside lines of which many are needed is left once its last questions took out less than this share.
const LEAST_SHARE: f64 = 0.05;

/// More than so many changes that are needed are doubted where coverage has led to them.
const VERY_MANY: usize = 100;

/// A search that is about to run.
pub(super) struct Hunt<'a> {
    pub(super) lab: &'a Lab<'a>,
    pub(super) view: View,
    /// When the whole experiment began, and what it has cost before.
    pub(super) started: Instant,
    before: Numbers,
    /// The tokens of a patch that is known already; only smaller ones are told of.
    known_patch: Option<usize>,
    /// Whether single parts may be enough, for all that was asked before.
    pub(super) hopes_for_one: bool,
    known: Vec<Known>,
    legible: Option<Arc<Legible>>,
}

/// What a search found.
pub(super) struct Found {
    /// The changes that matter.
    pub(super) critical: Config,
    /// Why each of them is in the result.
    pub(super) reasons: Vec<Reason>,
    /// Whether the search came to its end.
    pub(super) finished: bool,
    /// Whether it was left before anything was proven, since too little could go.
    pub(super) given_up: bool,
    /// What it cost, without what came before.
    pub(super) numbers: Numbers,
}

/// How long lines are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// Until the end, or until much is left of which little can go: a part of it may be enough.
    Many,
    /// Until the end, or until that is so in one function: by syntax more can go.
    Hopeless,
    /// Until the end.
    Proven,
}

impl<'a> Hunt<'a> {
    /// A search from one version for the other's answer, told what the plan wants it to know.
    pub(super) fn new(lab: &'a Lab<'a>, view: View, started: Instant) -> Hunt<'a> {
        let plan = lab.plan;
        let known = couplings(plan, &view);
        let legible = plan.knowledge.reading.then(|| Arc::new(Legible::of(Arc::clone(&plan.patchwork))));
        let before = Numbers::default();
        Hunt { lab, view, started, before, known_patch: None, hopes_for_one: true, known, legible }
    }

    /// After another that had this cost and found a patch of so many tokens.
    pub(super) fn after(self, before: Numbers, tokens: usize) -> Hunt<'a> {
        Hunt { before, known_patch: Some(tokens), ..self }
    }

    /// After single parts have been asked about in vain.
    pub(super) fn without_hope_for_one(self) -> Hunt<'a> {
        Hunt { hopes_for_one: false, ..self }
    }

    /// The search that the plan names, from files to the plan's granularity; what did not run is left out early.
    pub(super) fn stages(&self, measured: Option<&Measured>) -> AnySearch {
        search(self.lab.plan, &self.view, self.problem(), self.legible.clone(), measured)
    }

    /// The same where most changes are needed: if there are few, they are asked about one by one; if there are many, the search
    /// is left once it takes out too little.
    pub(super) fn close(&self) -> Impatient<AnySearch> {
        let problem = self.problem();
        match self.view.full.len() <= FEW {
            true => patient(AnySearch::new(one_minimal(UnitSweep::new(&problem)))),
            false => Impatient::new(&problem, LEAST_SHARE, self.stages(None)).with_patience(PATIENCE),
        }
    }

    /// The stages, and then what is left one by one, each with all that needs it.
    pub(super) fn stages_and_close(&self) -> Impatient<AnySearch> {
        let close = |rest: &Problem| one_minimal(UnitSweep::new(rest));
        patient(AnySearch::new(Then::new(self.stages(None), self.problem(), close)))
    }

    /// Single changes first, those that ran before others and small ones before large ones; then what is left of one that is
    /// enough.
    pub(super) fn alone(&self, ran: &Config, questions: usize) -> Impatient<AnySearch> {
        let problem = self.problem();
        let mut changes: Vec<u32> = self.view.full.iter().collect();
        changes.sort_by(|&a, &b| {
            let by_prior = || problem.prior(b).total_cmp(&problem.prior(a));
            let by_weight = || problem.weight(a).cmp(&problem.weight(b));
            ran.contains(b).cmp(&ran.contains(a)).then_with(by_prior).then_with(by_weight).then(a.cmp(&b))
        });
        let close = |rest: &Problem| one_minimal(UnitSweep::new(rest));
        patient(AnySearch::new(Alone::new(&problem, changes, questions, close)))
    }

    fn problem(&self) -> Problem {
        let (plan, patchwork) = (self.lab.plan, &self.lab.plan.patchwork);
        let lost = if plan.algorithm.has_cold_start() { lost(plan, &self.view) } else { Config::empty() };
        Problem::of(self.view.full.clone())
            .with_weights(patchwork.weights())
            .with_priors(patchwork.priors())
            .with_units(units(patchwork))
            .with_couplings(Couplings::given(self.known.iter().map(|(coupling, _)| *coupling)))
            .with_declarations(lost)
    }

    /// Runs the search that the plan names, and doubts what coverage has led to.
    pub(super) fn find(
        &self,
        until: Until,
        measured: Option<&Measured>,
        pool: &mut LocalPool,
        journal: &mut Journal,
        cancel: &Cancel,
        tell: &mut dyn FnMut(&Event),
    ) -> Result<Found, IsolateError> {
        let found = self.run_stages(until, measured, pool, journal, cancel, tell)?;
        if measured.is_some() { self.doubt(until, found, pool, journal, cancel, tell) } else { Ok(found) }
    }

    /// Runs the search that the plan names. Where lines are looked into afterwards, it may be given up when too little of what is
    /// left can go: two versions of a function that was written anew hardly mix by lines, and where many changes are
    /// needed, one part of one of them may be enough.
    fn run_stages(
        &self,
        until: Until,
        measured: Option<&Measured>,
        pool: &mut LocalPool,
        journal: &mut Journal,
        cancel: &Cancel,
        tell: &mut dyn FnMut(&Event),
    ) -> Result<Found, IsolateError> {
        let (plan, stages) = (self.lab.plan, self.stages(measured));
        if until == Until::Proven || !plan.granularity.refines(plan.algorithm) {
            return self.run(patient(stages), pool, journal, cancel, tell);
        }
        let units = units(&plan.patchwork);
        let size = move |moved: &Config| {
            let is_hard = (until == Until::Many && moved.len() > MANY) || in_one(&units, moved);
            if is_hard { moved.len() as u64 } else { u64::MAX }
        };
        let stages = Impatient::by(size, SHARE, stages)
            .with_patience(PATIENCE)
            .with_what_tells_nothing()
            .below(LITTLE);
        self.run(stages, pool, journal, cancel, tell)
    }

    /// Searches anew without what coverage told, where that led to a very large result and nothing has to be built: a guess
    /// can flip the test for another reason than the bug.
    fn doubt(
        &self,
        until: Until,
        found: Found,
        pool: &mut LocalPool,
        journal: &mut Journal,
        cancel: &Cancel,
        tell: &mut dyn FnMut(&Event),
    ) -> Result<Found, IsolateError> {
        let plan = self.lab.plan;
        let is_cheap = plan.build.is_none() && plan.algorithm == Algorithm::Pith;
        if !is_cheap || !found.finished || found.critical.len() <= VERY_MANY {
            return Ok(found);
        }
        let tokens = |found: &Found| changed_tokens(&self.patch(&found.critical));
        let anew = Hunt::new(self.lab, self.view.clone(), self.started).after(found.numbers, tokens(&found));
        let other = anew.run_stages(until, None, pool, journal, cancel, tell)?;
        let (finished, numbers) = (other.finished, found.numbers.and(other.numbers));
        let smaller = if tokens(&other) < tokens(&found) { other } else { found };
        Ok(Found { finished, numbers, ..smaller })
    }

    /// Runs a search until it ends or is left, the budget is spent or somebody wants to stop.
    pub(super) fn run(
        &self,
        search: Impatient<AnySearch>,
        pool: &mut LocalPool,
        journal: &mut Journal,
        cancel: &Cancel,
        tell: &mut dyn FnMut(&Event),
    ) -> Result<Found, IsolateError> {
        let (lab, plan, view) = (self.lab, self.lab.plan, &self.view);
        let total = view.full.len();
        let mut best = view.full.clone();
        let foresight = Foresight::new(self.legible.clone(), lab.read_needs());
        let ended = run(
            search,
            &mut ViewedRecord {
                view,
                record: &mut Foresighted { foresight: &foresight, record: &mut *journal },
            },
            &mut ViewedPool { view, pool },
            |progress| {
                let Progress::Moved { state, numbers } = progress else { return Flow::Continue };
                lab.news().iter().for_each(|tested| tell(&Event::Tried { trial: trial(tested) }));
                let smaller = state.best();
                if smaller != best {
                    best = smaller;
                    let patch = critical_patch(plan, view, &best);
                    if self.known_patch.is_none_or(|tokens| changed_tokens(&patch) < tokens) {
                        tell(&Event::Better { changes: best.len(), patch });
                    }
                }
                let (elapsed, numbers) = (self.started.elapsed(), self.before.and(numbers));
                tell(&Event::Progress { left: best.len(), total, numbers, elapsed });
                let spent = match plan.budget {
                    Some(Budget::Time(most)) => elapsed >= most,
                    Some(Budget::Tests(most)) => numbers.needed + numbers.guessed >= most,
                    None => false,
                };
                if spent || cancel.is_cancelled() { Flow::Stop } else { Flow::Continue }
            },
        )?;
        let critical = ended.state.best();
        let reasons = reasons(view, &critical, (journal, &foresight), &self.known);
        let (finished, numbers) = (ended.finished, ended.numbers);
        Ok(Found { critical, reasons, finished, given_up: ended.state.was_left(), numbers })
    }

    /// Whether these changes all lie in one part of the program.
    pub(super) fn is_in_one(&self, moved: &Config) -> bool {
        in_one(&units(&self.lab.plan.patchwork), moved)
    }

    /// The patch that moves these changes in the version searched from.
    pub(super) fn patch(&self, moved: &Config) -> Vec<u8> {
        critical_patch(self.lab.plan, &self.view, moved)
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
    problem: Problem,
    legible: Option<Arc<Legible>>,
    measured: Option<&Measured>,
) -> AnySearch {
    let (patchwork, finest) = (&plan.patchwork, plan.granularity.level());
    let coarse_levels =
        [Level::File, Level::Declaration, Level::Statement].into_iter().filter(|level| *level < finest);
    let grouped = |groups: &nub_change::Grouping| {
        Grouping::new(view.full.iter().map(|change| Some(groups.group_of(change))))
    };
    let grouping = |level| match level {
        Level::Node => Grouping::elements(),
        level => grouped(&patchwork.grouping(level)),
    };
    let groupings: Vec<Grouping> = coarse_levels.chain([finest]).map(grouping).collect();
    let declarations = grouping(Level::Declaration.min(finest));
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
    let units = grouped(&patchwork.units());
    let suspicious = problem.clone().with_priors(measured.priors(&problem.priors));
    let guesses = measured.guesses(patchwork);
    let parts: Vec<Config> = guesses.iter().flat_map(|guess| guess.parts.clone()).collect();
    let with_asides = move |problem: &Problem| {
        if algorithm != Algorithm::Pith {
            return whole(problem);
        }
        let inside = |part: &Config| part.is_subset(&problem.full);
        let parts = parts.iter().filter(|part| inside(part)).cloned().collect();
        AnySearch::new(Aside::new(problem, parts, whole.clone()))
    };
    AnySearch::new(Shortcut::new(&suspicious, &problem, units, guesses, with_asides))
}

/// A search that is never left.
fn patient(search: AnySearch) -> Impatient<AnySearch> {
    Impatient::by(|_| 0, 0.0, search)
}

/// Whether all these changes lie in one part of the program.
fn in_one(units: &[u32], moved: &Config) -> bool {
    let mut inside = moved.iter().map(|change| units[change as usize]);
    let first = inside.next();
    inside.all(|unit| Some(unit) == first)
}

/// The part of a program that each change lies in.
fn units(patchwork: &Patchwork) -> Vec<u32> {
    let units = patchwork.units();
    patchwork.full().iter().map(|change| units.group_of(change)).collect()
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
