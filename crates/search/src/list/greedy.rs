//! The loop that ProbDD, CDD and WProbDD share: try to remove the first few of a list kept in order of belief.
//!
//! A [`Model`] says who comes first, how many to try at once, and what a failed attempt means for those tried.
//! The loop is the same for all: what could be removed is gone, what could not be removed alone is needed, and
//! it ends when every change is one or the other. An Unresolved answer counts as "could not be removed".
//!
//! Two decisions. The empty config is known to pass, so it is never asked about: where an attempt would remove
//! everything, the model is told at once that it was in vain. And no model promises a 1-minimal result on a test
//! that is not monotone, because a change once found needed is not tried again.

use super::sorted::Sorted;
use crate::{Case, Cases, Config, Odds, Problem, Search, no_cases, one_case};
use std::cmp::Ordering;
use std::fmt::Debug;
use std::sync::Arc;

/// A change that may still go.
#[derive(Clone, Copy, Debug)]
pub struct Suspect {
    /// The number of the change.
    pub change: u32,
    /// Its size.
    pub weight: u32,
    /// How strongly it is believed to be needed; from one on only the order of suspects depends on it.
    pub belief: f64,
}

impl Suspect {
    /// The closest to certainty that belief alone can come; only a test of the change itself goes further.
    const ALMOST_CERTAIN: f64 = 1.0 - 1e-9;

    /// The changes of a problem, each believed to be needed with probability `sigma` times its prior.
    pub fn all(problem: &Problem, sigma: f64) -> Vec<Suspect> {
        let suspect = |change| {
            // A prior may neither remove a change nor keep one without any test.
            let belief = (sigma * problem.prior(change)).clamp(1e-6, 0.95);
            Suspect { change, weight: problem.weight(change).max(1), belief }
        };
        problem.full.iter().map(suspect).collect()
    }

    /// The probability that the change is needed.
    pub fn probability(&self) -> f64 {
        self.belief.min(Suspect::ALMOST_CERTAIN)
    }
}

/// How a search of this kind believes and chooses.
pub trait Model: Clone + Debug + 'static {
    /// The changes of a problem with the belief before the first test, in their first order.
    fn suspects(&self, problem: &Problem) -> Vec<Suspect>;

    /// Who is removed first; of equals, those tried last.
    fn order(&self) -> fn(&Suspect, &Suspect) -> Ordering;

    /// The suspects to remove next: the first ones of `sorted`, at least one.
    fn choose(&self, sorted: &mut dyn Iterator<Item = Suspect>) -> Vec<Suspect>;

    /// What is believed of a suspect after it could not be removed together with others; `chance` is the
    /// probability that the model had given to success.
    fn raised(&self, suspect: &Suspect, chance: f64) -> f64;
}

/// A search led by a model.
///
/// Progress: every answer removes a change, finds one needed, or raises the belief in those tried.
#[derive(Clone, Debug)]
pub struct Greedy<M> {
    model: M,
    problem: Problem,
    best: Config,
    undecided: Sorted<Suspect>,
    /// Sets that could not be removed together, so that one of each is needed; only for unit propagation.
    clauses: Option<Arc<[Clause]>>,
}

type Clause = Arc<[u32]>;

struct Attempt {
    chosen: Vec<Suspect>,
    config: Config,
    chance: f64,
}

impl<M: Model> Greedy<M> {
    /// Searches in a problem by a model.
    pub fn by(model: M, problem: &Problem) -> Greedy<M> {
        let undecided = Sorted::new(model.suspects(problem), model.order());
        let (problem, best) = (problem.clone(), problem.full.clone());
        Greedy { model, problem, best, undecided, clauses: None }.without_empty_attempts()
    }

    /// The same search from its start, with a changed model.
    pub(super) fn remodelled(self, change: impl FnOnce(&mut M)) -> Greedy<M> {
        let mut model = self.model;
        change(&mut model);
        let propagates = self.clauses.is_some();
        let search = Greedy::by(model, &self.problem);
        if propagates { search.with_unit_propagation() } else { search }
    }

    /// The same search from its start, which also concludes: of a set that could not be removed together, the
    /// last one left is needed.
    ///
    /// This is how ProbDD's authors run it, though the paper does not say so. It saves a few tests, and is
    /// right only where the test is monotone.
    pub fn with_unit_propagation(self) -> Greedy<M> {
        Greedy { clauses: Some([].into()), ..Greedy::by(self.model, &self.problem) }
    }

    /// How likely each change is to be needed, by its number: 0 is removed, 1 is known to be needed.
    pub fn probabilities(&self) -> Vec<(u32, f64)> {
        let decided = self.problem.full.iter().map(|i| (i, if self.best.contains(i) { 1.0 } else { 0.0 }));
        let mut all: Vec<(u32, f64)> = decided.collect();
        for suspect in self.undecided.iter() {
            if let Ok(at) = all.binary_search_by_key(&suspect.change, |(i, _)| *i) {
                all[at].1 = suspect.probability();
            }
        }
        all
    }

    fn choose(&self) -> Vec<Suspect> {
        if self.undecided.len() == 0 {
            return Vec::new();
        }
        self.model.choose(&mut self.undecided.iter())
    }

    fn attempt(&self) -> Option<Attempt> {
        let chosen = self.choose();
        let config = self.best.minus(&chosen.iter().map(|s| s.change).collect());
        let chance = chosen.iter().map(|s| 1.0 - s.probability()).product();
        (!chosen.is_empty()).then_some(Attempt { chosen, config, chance })
    }

    fn without_empty_attempts(mut self) -> Greedy<M> {
        while self.undecided.len() == self.best.len()
            && self.choose().len() == self.best.len()
            && let Some(attempt) = self.attempt()
        {
            self = self.failed_to_remove(&attempt);
        }
        self
    }

    fn removed(&self, attempt: &Attempt) -> Greedy<M> {
        let undecided = self.undecided.replace_first(attempt.chosen.len(), Vec::new());
        let next = Greedy { best: attempt.config.clone(), undecided, ..self.clone() };
        next.propagated().without_empty_attempts()
    }

    fn failed_to_remove(&self, attempt: &Attempt) -> Greedy<M> {
        let raised = |s: &Suspect| Suspect { belief: self.model.raised(s, attempt.chance), ..*s };
        let still_undecided = match attempt.chosen.as_slice() {
            [_needed] => Vec::new(),
            several => several.iter().map(raised).collect(),
        };
        let mut next = self.clone();
        if let (Some(clauses), 2..) = (&self.clauses, attempt.chosen.len()) {
            let clause: Clause = attempt.chosen.iter().map(|s| s.change).collect();
            next.clauses = Some(clauses.iter().cloned().chain([clause]).collect());
        }
        next.undecided = self.undecided.replace_first(attempt.chosen.len(), still_undecided);
        next
    }

    /// Takes the removed changes from the clauses; what is then alone in one is needed.
    fn propagated(mut self) -> Greedy<M> {
        let Some(clauses) = &self.clauses else { return self };
        let mut needed = Vec::new();
        let mut left: Vec<Clause> = Vec::new();
        for clause in clauses.iter() {
            match clause.iter().copied().filter(|i| self.best.contains(*i)).collect::<Vec<_>>().as_slice() {
                [] => {}
                [alone] => needed.push(*alone),
                rest if rest.len() == clause.len() => left.push(Arc::clone(clause)),
                rest => left.push(rest.into()),
            }
        }
        self.clauses = Some(left.into());
        if !needed.is_empty() {
            let needed: Config = needed.into_iter().collect();
            self.undecided = self.undecided.retain(|s| !needed.contains(s.change));
        }
        self
    }
}

impl<M: Model> Search for Greedy<M> {
    fn cases(&self) -> Cases<Greedy<M>> {
        let Some(attempt) = self.attempt() else { return no_cases() };
        let state = self.clone();
        let (config, odds) = (attempt.config.clone(), Odds::of_failing(attempt.chance));
        one_case(Case::ask(config, odds, move |answer| match answer.fails() {
            true => state.removed(&attempt),
            false => state.failed_to_remove(&attempt).without_empty_attempts(),
        }))
    }

    fn otherwise(&self) -> Option<Greedy<M>> {
        None
    }

    fn best(&self) -> Config {
        self.best.clone()
    }
}

/// Golden traces of the searches led by a model.
#[cfg(test)]
pub(super) mod trace {
    use super::*;
    use crate::{Answer, Outcome};

    /// One line a question: what is kept, the answer, and every probability after it.
    ///
    /// The papers' T is `F` here, for Fail: the failure is still there. Their F is `P`, a broken build is `?`.
    pub(crate) fn rows<M: Model>(
        start: Greedy<M>,
        digits: usize,
        test: impl Fn(&Config) -> Answer,
    ) -> String {
        let mut state = start;
        let mut rows = String::new();
        while let Some(case) = state.cases().next() {
            let answer = test(&case.config);
            state = (case.next)(&answer).expect("an asking case holds for every answer");
            let outcome = match answer.outcome {
                Outcome::Pass => 'P',
                Outcome::Fail => 'F',
                Outcome::Unresolved => '?',
            };
            let shown = state.probabilities().into_iter().map(|(_, p)| match p {
                0.0 => "0".to_string(),
                1.0 => "1".to_string(),
                p => format!("{p:.digits$}").trim_start_matches('0').to_string(),
            });
            let shown: Vec<String> = shown.collect();
            rows += &format!("{} {outcome} {}\n", case.config, shown.join(" "));
        }
        rows
    }

    /// Compares rows with those of a figure; layout does not matter.
    pub(crate) fn assert_rows(rows: &str, figure: &str) {
        let words = |text: &str| -> Vec<String> {
            text.lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
                .filter(|line| !line.is_empty())
                .collect()
        };
        assert_eq!(words(rows), words(figure));
    }

    /// The oracle of WDD, figure 2.
    pub(crate) fn wdd_figure_2(config: &Config) -> Answer {
        let fails = Config::from([1, 3, 6, 7, 8]).is_subset(config);
        Answer::bare(if fails { Outcome::Fail } else { Outcome::Pass })
    }
}
