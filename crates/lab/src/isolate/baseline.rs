//! Both versions by themselves: does the test tell them apart, which way, and does it always say the same?
//!
//! A test that passes one time and fails the next would lead a search anywhere. So each version is looked at a few
//! times, as often as is cheap; the build is not repeated. What was found out is kept in the journal, so that a run
//! that goes on need not ask again. If nothing comes of it the journal forgets: what is wrong is most often the
//! surroundings, and they will be other ones the next time.

use super::lab::{Lab, trial};
use super::{IsolateError, Plan, Seek};
use crate::event::{Direction, Event, Side, Trial};
use crate::journal::{Decided, Deciding, Journal};
use crate::pool::Pool;
use crate::pool::local::{Again, LocalPool, Manner, Run, Tested};
use crate::process::{Cancel, Failure, Rule, Signs};
use crate::run::Record;
use crate::view::View;
use nub_search::{Config, Outcome};
use std::sync::Arc;
use std::time::Duration;

/// A test is looked at twice unless that takes longer, ...
const BEARABLE: Duration = Duration::from_secs(60);
/// ... three times if it is quick, ...
const QUICK: Duration = Duration::from_secs(5);
const LOOKS: usize = 3;
/// ... and this often if it contradicts itself, to tell how often it does.
const LOOKS_AT_FLAKY: usize = 8;

/// A command gets this many times what it took on the versions themselves, and a little more.
const PATIENCE: u32 = 10;
/// No command gets less than this, whatever it took.
const LEAST_TIMEOUT: Duration = Duration::from_secs(20);
/// A test may use this many times of the processor what it took on the versions themselves, ...
const MOST_BUSY: u32 = 50;
/// ... and no less than this: many a variant goes round in circles, and is not waited for as long as one that sleeps.
const LEAST_BUSY: Duration = Duration::from_secs(2);

/// How often it is looked whether the user wants to stop.
pub(super) const LOOK_ROUND: Duration = Duration::from_millis(100);

/// What is known of the versions.
pub(super) struct Baseline {
    /// Which way the test changed its mind.
    pub(super) direction: Direction,
    /// How long a command may take.
    pub(super) timeout: Duration,
    /// How much of the processor a test may use.
    pub(super) processor: Duration,
    /// How the bad version fails, if that was to be learned.
    pub(super) failure: Option<Failure>,
}

impl Baseline {
    /// Tests both versions, or recalls how they went.
    ///
    /// What they have built stays in the workspaces of the pool, for the search to go on from.
    pub(super) fn find(
        lab: &Lab<'_>,
        pool: &mut LocalPool,
        journal: &mut Journal,
        cancel: &Cancel,
        tell: &mut dyn FnMut(&Event),
    ) -> Result<Baseline, IsolateError> {
        let found = decide_both(lab, pool, journal, cancel, tell).and_then(|both| judge(lab.plan, both));
        if found.as_ref().is_err_and(IsolateError::is_about_the_test) {
            journal.forget(&lab.fingerprint)?;
        }
        found
    }

    /// How the search and the last look test.
    pub(super) fn manner(&self, plan: &Plan) -> Manner {
        let rule = Rule { failure: self.failure.clone(), ..plan.rule.clone() };
        let (timeout, processor) = (Some(self.timeout), Some(self.processor));
        Manner { rule, again: until_bad(plan.repeat), timeout, processor }
    }

    /// Where the search starts and what it looks for.
    pub(super) fn view(&self, seek: Seek, full: Config) -> View {
        let bad = self.direction.bad();
        match seek {
            Seek::Fix => View { full, from: bad, wanted: Outcome::Pass },
            Seek::Break => View { full, from: bad.other(), wanted: Outcome::Fail },
        }
    }
}

/// One version, and how it went.
struct Known {
    side: Side,
    decided: Decided,
    /// The test itself, if it was run just now.
    tested: Option<Tested>,
}

impl Known {
    fn trial(&self) -> Box<Trial> {
        Box::new(self.tested.as_ref().map_or_else(|| recalled(&self.decided), trial))
    }
}

/// Tests the versions that the journal does not know, side by side if there are workers.
fn decide_both(
    lab: &Lab<'_>,
    pool: &mut LocalPool,
    journal: &mut Journal,
    cancel: &Cancel,
    tell: &mut dyn FnMut(&Event),
) -> Result<[Known; 2], IsolateError> {
    let full = lab.plan.patchwork.full();
    let sides = [(Side::Old, Deciding::Old, Config::empty()), (Side::New, Deciding::New, full)];
    let mut known = sides.each_ref().map(|(side, what, config)| {
        let decided = journal.decided(*what, config)?.clone();
        Some(Known { side: *side, decided, tested: None })
    });
    let unknown = |known: &[Option<Known>; 2]| -> Vec<Config> {
        let left = sides.iter().zip(known).filter(|(_, known)| known.is_none());
        left.map(|((.., config), _)| config.clone()).collect()
    };
    let mut left = unknown(&known);
    while !left.is_empty() {
        pool.keep(&left);
        let (tested, answer) = lab.wait(pool, cancel)?.ok_or(IsolateError::Interrupted)?;
        let at = sides.iter().position(|(.., config)| *config == tested.config);
        let at = at.expect("only the versions were asked about");
        let (side, what, config) = &sides[at];
        // What is told is kept by those who hear it; only then may the journal say that it is known.
        tell(&Event::Baseline { side: *side, trial: trial(&tested) });
        let decided = decided(*what, &tested);
        journal.record(config, &answer)?;
        journal.decide(decided.clone())?;
        known[at] = Some(Known { side: *side, decided, tested: Some(tested) });
        left = unknown(&known);
    }
    Ok(known.map(|known| known.expect("what was not known was tested")))
}

/// How the versions are tested.
pub(super) fn manner(plan: &Plan) -> Manner {
    // Who asks for repeated tests knows that the test is flaky.
    let again = until_bad(plan.repeat).unwrap_or_else(|| Arc::new(looks_again));
    Manner { again: Some(again), ..Manner::new(plan.rule.clone()) }
}

fn looks_again(runs: &[Run]) -> bool {
    let spent: Duration = runs.iter().map(|run| run.finished.wall).sum();
    match (runs.len(), contradiction(runs)) {
        (_, None) if runs[0].outcome == Outcome::Unresolved => false,
        (1, _) => spent < BEARABLE,
        (n, None) => n < LOOKS && spent < QUICK,
        (n, Some(_)) => n < LOOKS_AT_FLAKY && spent < BEARABLE,
    }
}

/// Runs the test until it fails, at most `repeat` times; none if once is enough.
fn until_bad(repeat: usize) -> Option<Again> {
    let again = move |runs: &[Run]| {
        runs.len() < repeat && runs.last().is_some_and(|run| run.outcome != Outcome::Fail)
    };
    (repeat > 1).then(|| Arc::new(again) as Again)
}

/// Two runs that do not say the same.
fn contradiction(runs: &[Run]) -> Option<[&Run; 2]> {
    let first = runs.first()?;
    runs.iter().find(|run| run.outcome != first.outcome).map(|other| [first, other])
}

/// Finds out which way the test changed its mind, or why it cannot be told.
fn judge(plan: &Plan, both: [Known; 2]) -> Result<Baseline, IsolateError> {
    both.iter().try_for_each(|known| check(plan, known))?;
    let [old, new] = &both;
    let direction = match (old.decided.outcome, new.decided.outcome) {
        (Outcome::Pass, Outcome::Fail) => Direction::Regression,
        (Outcome::Fail, Outcome::Pass) => Direction::Fix,
        (outcome, _) => {
            let good = outcome == Outcome::Pass;
            return Err(IsolateError::SameOutcome { good, old: old.trial(), new: new.trial() });
        }
    };
    let times = both.iter().flat_map(|known| [known.decided.build_time, known.decided.test_time]);
    let slowest = times.flatten().max().unwrap_or_default();
    let slowest_test = both.iter().filter_map(|known| known.decided.test_time).max().unwrap_or_default();
    let (bad, good) = match direction.bad() {
        Side::Old => (old, new),
        Side::New => (new, old),
    };
    let learns = plan.learn && plan.rule.symptoms.is_empty();
    let failure = learns.then(|| Failure::learn(&bad.decided.signs, &good.decided.signs));
    Ok(Baseline {
        direction,
        timeout: (slowest * PATIENCE).max(LEAST_TIMEOUT),
        processor: (slowest_test * MOST_BUSY).max(LEAST_BUSY),
        failure,
    })
}

/// Whether the test has something to say about a version, and always the same.
fn check(plan: &Plan, known: &Known) -> Result<(), IsolateError> {
    let (side, decided) = (known.side, &known.decided);
    if let (Some(tested), 1) = (&known.tested, plan.repeat)
        && let Some(runs) = contradiction(&tested.runs)
    {
        let outcomes = tested.runs.iter().map(|run| run.outcome).collect();
        let trials = runs.map(|run| {
            let tested = Tested { runs: vec![run.clone()], ..tested.clone() };
            Box::new(Trial { outcome: run.outcome, ..trial(&tested) })
        });
        return Err(IsolateError::Flaky { side, outcomes, trials });
    }
    match (decided.outcome, decided.test_time) {
        (Outcome::Unresolved, None) => Err(IsolateError::BrokenBuild { side, trial: known.trial() }),
        (Outcome::Unresolved, Some(_)) => Err(IsolateError::CannotTell { side, trial: known.trial() }),
        _ => Ok(()),
    }
}

/// What the journal keeps of a test that decided.
pub(super) fn decided(what: Deciding, tested: &Tested) -> Decided {
    let Trial { outcome, built, ended, build_time, .. } = trial(tested);
    let telling = tested.runs.iter().filter(|run| run.outcome == outcome).map(|run| &run.finished);
    Decided {
        what,
        config: tested.config.clone(),
        outcome,
        built,
        ended,
        build_time,
        test_time: tested.runs.iter().map(|run| run.finished.wall).max(),
        signs: Signs::of(telling),
    }
}

/// A trial of an earlier run.
pub(super) fn recalled(decided: &Decided) -> Trial {
    Trial {
        outcome: decided.outcome,
        built: decided.built,
        ended: decided.ended.clone(),
        build_time: decided.build_time,
        test_time: decided.test_time,
        output: None,
    }
}
