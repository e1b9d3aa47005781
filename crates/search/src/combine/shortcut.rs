//! A guess put to the test before anything else: perhaps a few of the elements are enough.
//!
//! Who knows that a part of the elements hardly matters, because the test does not even run them, can have them
//! all gone for one question. If the guess was wrong, a question is lost and the search goes on as if nobody had
//! guessed.

use super::Make;
use crate::{Answer, Case, Cases, Config, Odds, Outcome, Problem, Search, one_case};
use std::sync::Arc;

/// Asks whether one of a few guesses fails, and searches in the first that does, or in all.
///
/// Promises what the search promises. Progress: every answer leads to a larger guess, a later one, or the search.
#[derive(Clone)]
pub enum Shortcut<S> {
    /// About to ask about a guess.
    Asking(Arc<Asking<S>>),
    /// In the search.
    Going(S),
}

/// A guess and what to do about it.
pub struct Asking<S> {
    /// What the search is told if a guess holds, or if no build came so far as to tell.
    problem: Problem,
    /// What it is told if a guess was wrong.
    otherwise: Problem,
    guess: Config,
    later: Vec<Config>,
    /// Whether a guess was wrong.
    is_wrong: bool,
    make: Make<S>,
}

/// How sure one is of a guess.
const ODDS: Odds = Odds { fail: 0.8, unresolved: 0.1 };

impl<S: Search> Shortcut<S> {
    /// Asks about the guesses in order; if none holds and one was wrong, the search gets `without`.
    pub fn new(
        problem: &Problem,
        without: &Problem,
        guesses: impl IntoIterator<Item = Config>,
        make: impl Fn(&Problem) -> S + Send + Sync + 'static,
    ) -> Shortcut<S> {
        let (problem, otherwise) = (problem.clone(), without.clone());
        let later = guesses.into_iter().collect();
        Asking { problem, otherwise, guess: Config::empty(), later, is_wrong: false, make: Arc::new(make) }
            .ask_next()
    }
}

impl<S: Search> Asking<S> {
    /// Goes on with the next guess that is closed under couplings and leaves something out.
    fn ask_next(mut self) -> Shortcut<S> {
        while !self.later.is_empty() {
            let guess = self.problem.couplings.close(&self.later.remove(0)).intersection(&self.problem.full);
            if guess != self.guess && guess != self.problem.full && !guess.is_empty() {
                self.guess = guess;
                return Shortcut::Asking(Arc::new(self));
            }
        }
        let couplings = self.problem.couplings.clone();
        let known = if self.is_wrong { self.otherwise } else { self.problem };
        Shortcut::Going((self.make)(&known.with_couplings(couplings)))
    }

    fn again(&self, problem: Problem) -> Asking<S> {
        let (otherwise, guess, later) = (self.otherwise.clone(), self.guess.clone(), self.later.clone());
        Asking { problem, otherwise, guess, later, is_wrong: self.is_wrong, make: Arc::clone(&self.make) }
    }

    fn told(&self, answer: &Answer) -> Shortcut<S> {
        let (couplings, news) = self.problem.couplings.learn(&self.guess, answer);
        match answer.outcome {
            Outcome::Fail => {
                let problem = self.problem.within(self.guess.clone()).with_couplings(couplings);
                Shortcut::Going((self.make)(&problem))
            }
            Outcome::Pass => {
                let mut next = self.again(self.problem.clone().with_couplings(couplings));
                next.is_wrong = true;
                next.ask_next()
            }
            Outcome::Unresolved => {
                let mut next = self.again(self.problem.clone().with_couplings(couplings));
                if news {
                    next.later.insert(0, self.guess.clone());
                }
                next.ask_next()
            }
        }
    }
}

impl<S: Search> Search for Shortcut<S> {
    fn cases(&self) -> Cases<Shortcut<S>> {
        match self {
            Shortcut::Asking(asking) => {
                let this = Arc::clone(asking);
                one_case(Case::ask(asking.guess.clone(), ODDS, move |answer| this.told(answer)))
            }
            Shortcut::Going(search) => Box::new(search.cases().map(|case| case.map(Shortcut::Going))),
        }
    }

    fn otherwise(&self) -> Option<Shortcut<S>> {
        match self {
            Shortcut::Asking(_) => None,
            Shortcut::Going(search) => search.otherwise().map(Shortcut::Going),
        }
    }

    fn best(&self) -> Config {
        match self {
            Shortcut::Asking(asking) => asking.problem.full.clone(),
            Shortcut::Going(search) => search.best(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Naming, Oracle, Promise, Simulated, check_laws, converse};
    use crate::list::Ddmin;
    use crate::{Coupling, Couplings};

    fn ddmin(problem: &Problem) -> Ddmin {
        Ddmin::new(problem.full.clone())
    }

    fn start(oracle: &Simulated, guesses: &[Config]) -> Shortcut<Ddmin> {
        Shortcut::new(&oracle.problem(), &oracle.problem(), guesses.to_vec(), ddmin)
    }

    #[test]
    fn shortcut_keeps_the_laws_with_any_guess() {
        let promise = Promise { one_minimal: true, bound: |n| n * n + 4 * n + 2 };
        check_laws(
            |p| {
                let guess: Config = p.full.iter().filter(|i| i % 3 != 0).collect();
                Shortcut::new(p, p, [guess], ddmin)
            },
            promise,
        );
    }

    #[test]
    fn a_right_guess_saves_the_search_in_the_rest() {
        let oracle = Simulated::monotone(8, [5]);
        let said = converse(start(&oracle, &[[4, 5].into()]), |c| oracle.test(c));
        assert_eq!(said.to_string(), ["{4,5} F", "{4} P", "{5} F", "-> {5}"].join("\n"));
    }

    #[test]
    fn wrong_guesses_cost_one_question_each() {
        let oracle = Simulated::monotone(8, [5]);
        let plain = converse(ddmin(&oracle.problem()), |c| oracle.test(c));
        let said = converse(start(&oracle, &[[0, 1].into(), [0, 1, 2].into()]), |c| oracle.test(c));
        assert_eq!(said.questions.len(), plain.questions.len() + 2);
        assert_eq!(said.best, [5].into());
    }

    #[test]
    fn a_guess_that_does_not_build_grows_by_what_the_build_names_and_gives_way_to_the_next() {
        let needs = vec![vec![], vec![], vec![], vec![], vec![], vec![2]];
        let oracle = Simulated { needs: needs.into(), naming: Naming::One, ..Simulated::monotone(8, [5]) };
        let said = converse(start(&oracle, &[[5].into()]), |c| oracle.test(c));
        assert!(said.to_string().starts_with("{5} ?\n{2,5} F\n"), "{said}");

        let silent = Simulated { naming: Naming::Nothing, ..oracle };
        let said = converse(start(&silent, &[[5].into(), [2, 5, 6].into()]), |c| silent.test(c));
        assert!(said.to_string().starts_with("{5} ?\n{2,5,6} F\n"), "{said}");
    }

    #[test]
    fn a_guess_is_closed_before_it_is_asked_and_one_that_leaves_out_nothing_is_not_asked() {
        let known = Couplings::given([Coupling::certain(5, 2)]);
        let oracle = Simulated { known, ..Simulated::monotone(6, [5]) };
        let said = converse(start(&oracle, &[Config::full(6), [5].into()]), |c| oracle.test(c));
        assert!(said.to_string().starts_with("{2,5} F\n"), "{said}");
    }
}
