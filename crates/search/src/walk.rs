//! Walking a search over recorded answers, and looking ahead to what it may ask next.
//!
//! A [`Walk`] is at one question of one state. [`Walk::settle`] goes as far as the known answers decide;
//! [`Walk::frontier`] lists the configs worth testing now: the first is needed, the others are guesses. Guesses
//! follow the likeliest futures first, by the search's own [`Odds`]. They are a matter of time
//! only: the walk itself moves on real answers in the search's own order, so its result is the same whatever
//! was guessed.
//!
//! ```text
//!   needed ── Fail .3 ──> guess B (.3) ── ...          a best-first walk of the tree of futures;
//!      └───── Pass .7 ──> guess A (.7) ── Pass .6 ──>  each edge is an assumed answer without evidence
//! ```

use crate::{Answer, Case, Cases, Config, Odds, Outcome, Search};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet, VecDeque};
use std::rc::Rc;

/// Where recorded answers are looked up.
pub trait Memo {
    /// The answer recorded for this config.
    fn recall(&self, config: &Config) -> Option<Answer>;
}

impl<F: Fn(&Config) -> Option<Answer>> Memo for F {
    fn recall(&self, config: &Config) -> Option<Answer> {
        self(config)
    }
}

/// A search on its way: a state, and which of its cases comes next.
pub struct Walk<S: Search> {
    at: Place<S>,
    done: bool,
    record: Record,
}

impl<S: Search> Walk<S> {
    /// At the first question of `state`.
    pub fn new(state: S) -> Walk<S> {
        Walk { at: Place::start_of(state), done: false, record: Record::default() }
    }

    /// The state the walk is in.
    pub fn state(&self) -> S {
        self.at.step.borrow().state.clone()
    }

    /// Goes as far as recorded answers decide; returns the question it stopped at, or `None` at the end.
    ///
    /// Each question answered on the way is reported to `asked`, in order, repeated ones too.
    pub fn settle(&mut self, memo: &impl Memo, mut asked: impl FnMut(&Config, &Answer)) -> Option<Config> {
        if self.done {
            return None;
        }
        let record = &mut self.record;
        let question = self.at.advance(|case| {
            let answer = memo.recall(&case.config)?;
            record.add(case.odds, answer.outcome);
            asked(&case.config, &answer);
            Some(answer)
        });
        self.at.forget_past();
        self.done = question.is_none();
        question
    }

    /// Up to `width` configs to test now, the needed one first, then the likeliest to be needed.
    pub fn frontier(&self, memo: &impl Memo, width: usize) -> Vec<Config> {
        let mut wanted: Vec<Config> = Vec::new();
        let mut seen: HashSet<Config> = HashSet::new();
        let mut futures =
            BinaryHeap::from([Future { chance: 1.0, order: 0, at: self.at.clone(), assumed: None }]);
        let mut looks = 0;
        while wanted.len() < width && looks < LOOKS_PER_PLACE * width {
            let Some(mut future) = futures.pop() else { break };
            looks += 1;
            let known =
                |case: &Case<S>| memo.recall(&case.config).or_else(|| assumed(&future.assumed, &case.config));
            let Some(config) = future.at.advance(known) else { continue };
            let odds = future.at.case().map_or(Odds::RARELY_FAILS, |case| case.odds);
            let odds = self.record.better(odds);
            if seen.insert(config.clone()) {
                wanted.push(config.clone());
            }
            let fail = odds.fail.clamp(0.0, 1.0);
            let unresolved = odds.unresolved.clamp(0.0, 1.0 - fail);
            let branches = [
                (Outcome::Pass, 1.0 - fail - unresolved),
                (Outcome::Fail, fail),
                (Outcome::Unresolved, unresolved),
            ];
            for (outcome, odds) in branches.into_iter().filter(|(_, odds)| *odds > 0.0) {
                let assumption =
                    Assumption { config: config.clone(), outcome, before: future.assumed.clone() };
                futures.push(Future {
                    chance: future.chance * odds,
                    order: future.order + 1,
                    at: future.at.clone(),
                    assumed: Some(Rc::new(assumption)),
                });
            }
        }
        wanted
    }
}

/// How many futures are looked at for each free place; repeated questions cost looks and fill no place.
const LOOKS_PER_PLACE: usize = 8;

/// How good the search's odds were of late, beside those of its answers themselves.
///
/// A model can be wrong about a problem: ProbDD expects a tenth of the changes to be needed, and is surprised again
/// and again where hardly any is. Then what was answered lately is the better guess. Old answers count less and less.
#[derive(Default)]
struct Record {
    answers: f64,
    fails: f64,
    unresolved: f64,
    /// The surprise at the answers, by the search's odds and by the share of earlier answers.
    surprise: f64,
    surprise_by_share: f64,
}

impl Record {
    /// How much of an answer's weight is left at the next one.
    const MEMORY: f64 = 0.9;

    fn share(&self) -> Odds {
        let all = self.answers + 2.0;
        Odds { fail: (self.fails + 0.7) / all, unresolved: (self.unresolved + 0.3) / all }
    }

    fn add(&mut self, odds: Odds, outcome: Outcome) {
        let surprise = |odds: Odds| {
            let chance = match outcome {
                Outcome::Fail => odds.fail,
                Outcome::Unresolved => odds.unresolved,
                Outcome::Pass => 1.0 - odds.fail - odds.unresolved,
            };
            -chance.max(0.01).ln()
        };
        self.surprise = Record::MEMORY * self.surprise + surprise(odds);
        self.surprise_by_share = Record::MEMORY * self.surprise_by_share + surprise(self.share());
        self.answers = Record::MEMORY * self.answers + 1.0;
        self.fails = Record::MEMORY * self.fails + f64::from(u8::from(outcome == Outcome::Fail));
        self.unresolved =
            Record::MEMORY * self.unresolved + f64::from(u8::from(outcome == Outcome::Unresolved));
    }

    /// The search's odds, unless the share of earlier answers would have been the better guess.
    fn better(&self, odds: Odds) -> Odds {
        if self.surprise_by_share < self.surprise { self.share() } else { odds }
    }
}

/// A state with its cases, built as far as somebody looked; shared by all futures that pass through it.
struct Step<S: Search> {
    state: S,
    rest: Cases<S>,
    built: VecDeque<Rc<Case<S>>>,
    forgotten: usize,
}

/// A case of a step.
struct Place<S: Search> {
    step: Rc<RefCell<Step<S>>>,
    case: usize,
}

impl<S: Search> Clone for Place<S> {
    fn clone(&self) -> Place<S> {
        Place { step: Rc::clone(&self.step), case: self.case }
    }
}

impl<S: Search> Place<S> {
    fn start_of(state: S) -> Place<S> {
        let rest = state.cases();
        let step = Step { state, rest, built: VecDeque::new(), forgotten: 0 };
        Place { step: Rc::new(RefCell::new(step)), case: 0 }
    }

    fn case(&self) -> Option<Rc<Case<S>>> {
        let mut step = self.step.borrow_mut();
        while step.forgotten + step.built.len() <= self.case {
            let case = step.rest.next()?;
            step.built.push_back(Rc::new(case));
        }
        step.built.get(self.case - step.forgotten).cloned()
    }

    /// Follows the answers that `recall` gives; stops at the first question it does not know.
    fn advance(&mut self, mut recall: impl FnMut(&Case<S>) -> Option<Answer>) -> Option<Config> {
        loop {
            let next = match self.case() {
                Some(case) => match recall(&case) {
                    None => return Some(case.config.clone()),
                    Some(answer) => (case.next)(&answer),
                },
                None => {
                    let next = self.step.borrow().state.otherwise();
                    *self = Place::start_of(next?);
                    continue;
                }
            };
            match next {
                Some(next) => *self = Place::start_of(next),
                None => self.case += 1,
            }
        }
    }

    /// Frees the cases before this one; only for the walk itself, which never goes back.
    fn forget_past(&self) {
        let mut step = self.step.borrow_mut();
        while step.forgotten < self.case && step.built.pop_front().is_some() {
            step.forgotten += 1;
        }
    }
}

/// A possible future: a place, the answers assumed on the way to it, and how likely they are together.
struct Future<S: Search> {
    chance: f64,
    order: usize,
    at: Place<S>,
    assumed: Option<Rc<Assumption>>,
}

struct Assumption {
    config: Config,
    outcome: Outcome,
    before: Option<Rc<Assumption>>,
}

fn assumed(mut assumption: &Option<Rc<Assumption>>, config: &Config) -> Option<Answer> {
    while let Some(a) = assumption {
        if a.config == *config {
            return Some(Answer::bare(a.outcome));
        }
        assumption = &a.before;
    }
    None
}

impl<S: Search> Ord for Future<S> {
    fn cmp(&self, other: &Future<S>) -> Ordering {
        self.chance.total_cmp(&other.chance).then_with(|| other.order.cmp(&self.order))
    }
}

impl<S: Search> PartialOrd for Future<S> {
    fn partial_cmp(&self, other: &Future<S>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<S: Search> Eq for Future<S> {}

impl<S: Search> PartialEq for Future<S> {
    fn eq(&self, other: &Future<S>) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
