//! A guess put to the test before anything else: perhaps a few of the elements are enough.
//!
//! Who knows that a part of the elements hardly matters, because the test does not even run them, can have them
//! all gone for one question. If the guess was wrong, a question is lost and the search goes on as if nobody had
//! guessed. Where a guess cannot be built, what it misses is put in as builds name it, in whole groups, since what is
//! named of a function is hardly ever all of it that is missing; what then grows too far is given up, and its parts are
//! tried alone, since one of them may be all that matters and hang on less.

use super::{Grouping, Make};
use crate::{Answer, Case, Cases, Config, Odds, Outcome, Problem, Search, one_case};
use std::sync::Arc;

/// What may be enough.
#[derive(Clone, Debug)]
pub struct Guess {
    /// All of it.
    pub whole: Config,
    /// What is tried alone where nobody can tell of the whole, most suspicious first.
    pub parts: Vec<Config>,
}

impl From<Config> for Guess {
    fn from(whole: Config) -> Guess {
        Guess { whole, parts: Vec::new() }
    }
}

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
    /// What goes as a whole into a guess that could not be built.
    grouping: Grouping,
    trying: Trying,
    later: Vec<Guess>,
    /// Whether a guess was wrong.
    is_wrong: bool,
    make: Make<S>,
}

/// What is asked about now.
#[derive(Clone, Default)]
struct Trying {
    config: Config,
    /// The most changes it may grow to.
    most: usize,
    /// Whether it is a part of a guess.
    is_part: bool,
    /// Parts that wait.
    parts: Vec<Config>,
    /// How many questions about parts may follow.
    patience: usize,
}

/// How sure one is of a guess.
const ODDS: Odds = Odds { fail: 0.8, unresolved: 0.1 };
/// A guess may grow by one in so many of what it left out.
const GROWTH: usize = 4;
/// So many questions about parts of a guess, and no more.
const PATIENCE: usize = 16;

impl<S: Search> Shortcut<S> {
    /// Asks about the guesses in order; one that cannot be built grows by groups. If none holds and one was wrong, the
    /// search gets `without`.
    pub fn new(
        problem: &Problem,
        without: &Problem,
        grouping: Grouping,
        guesses: impl IntoIterator<Item = Guess>,
        make: impl Fn(&Problem) -> S + Send + Sync + 'static,
    ) -> Shortcut<S> {
        let (problem, otherwise) = (problem.clone(), without.clone());
        let later = guesses.into_iter().collect();
        let trying = Trying::default();
        let make: Make<S> = Arc::new(make);
        Asking { problem, otherwise, grouping, trying, later, is_wrong: false, make }.ask_next_guess()
    }
}

impl<S: Search> Asking<S> {
    /// Goes on with the next guess.
    fn ask_next_guess(mut self) -> Shortcut<S> {
        while !self.later.is_empty() {
            let Guess { whole, parts } = self.later.remove(0);
            let trying = Trying { parts, patience: PATIENCE, ..Trying::default() };
            if self.begin(&whole, trying) {
                return Shortcut::Asking(Arc::new(self));
            }
            if !self.trying.parts.is_empty() {
                return self.ask_next_part();
            }
        }
        let couplings = self.problem.couplings.clone();
        let known = if self.is_wrong { self.otherwise } else { self.problem };
        Shortcut::Going((self.make)(&known.with_couplings(couplings)))
    }

    /// Goes on with the next part of this guess, or with the next guess.
    fn ask_next_part(mut self) -> Shortcut<S> {
        while self.trying.patience > 0 && !self.trying.parts.is_empty() {
            let mut trying = Trying { is_part: true, ..self.trying.clone() };
            let part = trying.parts.remove(0);
            trying.patience -= 1;
            if self.begin(&part, trying) {
                return Shortcut::Asking(Arc::new(self));
            }
        }
        self.ask_next_guess()
    }

    /// Closes what is to be asked about, element by element; is it another question, and does it leave something out?
    fn begin(&mut self, config: &Config, trying: Trying) -> bool {
        let full = &self.problem.full;
        let config = self.problem.couplings.close(config).intersection(full);
        let is_new = config != self.trying.config && config != *full && !config.is_empty();
        let most = config.len() + (full.len() - config.len()) / GROWTH;
        self.trying = Trying { config, most, ..trying };
        is_new
    }

    /// Puts in what builds have named by now, if there is anything and it is not too much.
    fn grow(&mut self) -> bool {
        let grown = self.close_in_groups(&self.trying.config);
        let (full, trying) = (&self.problem.full, &mut self.trying);
        let is_tired = trying.is_part && trying.patience == 0;
        if is_tired || grown.len() > trying.most || grown == trying.config || grown == *full {
            return false;
        }
        trying.config = grown;
        trying.patience -= usize::from(trying.is_part);
        true
    }

    /// All groups of which something is in a config, and whatever they need.
    fn close_in_groups(&self, config: &Config) -> Config {
        let full = &self.problem.full;
        let mut closed = config.clone();
        loop {
            let groups: Config = closed.iter().filter_map(|element| self.grouping.group(element)).collect();
            let whole = self.grouping.keep(&groups, full).union(&closed);
            let larger = self.problem.couplings.close(&whole).intersection(full);
            if larger == closed {
                return closed;
            }
            closed = larger;
        }
    }

    fn with(&self, problem: Problem) -> Asking<S> {
        let (otherwise, grouping) = (self.otherwise.clone(), self.grouping.clone());
        let (trying, later, make) = (self.trying.clone(), self.later.clone(), Arc::clone(&self.make));
        Asking { problem, otherwise, grouping, trying, later, is_wrong: self.is_wrong, make }
    }

    fn told(&self, answer: &Answer) -> Shortcut<S> {
        let asked = &self.trying.config;
        let (couplings, _) = self.problem.couplings.learn(asked, answer);
        let mut next = self.with(self.problem.clone().with_couplings(couplings));
        match answer.outcome {
            Outcome::Fail => Shortcut::Going((self.make)(&next.problem.within(asked.clone()))),
            Outcome::Pass if self.trying.is_part => next.ask_next_part(),
            Outcome::Pass => {
                next.is_wrong = true;
                next.ask_next_guess()
            }
            Outcome::Unresolved if next.grow() => Shortcut::Asking(Arc::new(next)),
            Outcome::Unresolved => next.ask_next_part(),
        }
    }
}

impl<S: Search> Search for Shortcut<S> {
    fn cases(&self) -> Cases<Shortcut<S>> {
        match self {
            Shortcut::Asking(asking) => {
                let this = Arc::clone(asking);
                one_case(Case::ask(asking.trying.config.clone(), ODDS, move |answer| this.told(answer)))
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
        let guesses = guesses.iter().cloned().map(Guess::from);
        let problem = oracle.problem();
        Shortcut::new(&problem, &problem, Grouping::elements(), guesses, ddmin)
    }

    #[test]
    fn shortcut_keeps_the_laws_with_any_guess() {
        let promise = Promise { one_minimal: true, bound: |n| n * n + 4 * n + 2 };
        check_laws(
            |p| {
                let whole: Config = p.full.iter().filter(|i| i % 3 != 0).collect();
                let parts = whole.iter().map(|i| [i].into()).collect();
                Shortcut::new(p, p, Grouping::elements(), [Guess { whole, parts }], ddmin)
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

    #[test]
    fn parts_of_a_guess_are_tried_alone_where_the_whole_cannot_be_built() {
        // 5 needs 2, and says so; 6 needs 7, and nobody says so.
        let needs = vec![vec![], vec![], vec![], vec![], vec![], vec![2], vec![7], vec![]];
        let oracle = Simulated { needs: needs.into(), ..Simulated::monotone(16, [5]) };
        let test = |c: &Config| match oracle.test(c) {
            answer if answer.built || !c.contains(5) || c.contains(2) => answer,
            _ => Answer::broken_build([Coupling::certain(5, 2)]),
        };
        let guess = Guess { whole: [5, 6].into(), parts: vec![[6].into(), [5].into()] };
        let problem = oracle.problem();
        let start = Shortcut::new(&problem, &problem, Grouping::elements(), [guess], ddmin);
        let said = converse(start, test);
        assert!(said.to_string().starts_with("{5,6} ?\n{2,5,6} ?\n{6} ?\n{2,5} F\n"), "{said}");
    }

    #[test]
    fn parts_of_a_guess_that_leaves_out_nothing_are_tried_alone() {
        let problem = Simulated::monotone(8, [5]).problem();
        let everything = Couplings::given((0..8).map(|i| Coupling::certain(6, i)));
        let problem = problem.with_couplings(everything);
        let guess = Guess { whole: [5, 6].into(), parts: vec![[6].into(), [5].into()] };
        let start = Shortcut::new(&problem, &problem, Grouping::elements(), [guess], ddmin);
        let said = converse(start, |c| Simulated::monotone(8, [5]).test(c));
        assert!(said.to_string().starts_with("{5} F\n"), "{said}");
    }

    #[test]
    fn a_guess_that_grows_too_far_is_given_up() {
        let needs = |i: u32| if i < 99 { vec![i + 1] } else { vec![] };
        let needs: Vec<Vec<u32>> = (0..100).map(needs).collect();
        let oracle = Simulated { needs: needs.into(), naming: Naming::One, ..Simulated::monotone(100, [0]) };
        let said = converse(start(&oracle, &[[0].into()]), |c| oracle.test(c));
        let asked = said.questions.iter().take_while(|question| question.config.len() < 50).count();
        assert_eq!(asked, 25, "{said}");
    }

    #[test]
    fn what_a_guess_misses_goes_in_with_its_whole_group() {
        let needs = vec![vec![], vec![], vec![], vec![], vec![], vec![2]];
        let oracle = Simulated { needs: needs.into(), naming: Naming::One, ..Simulated::monotone(16, [5]) };
        let (problem, pairs) = (oracle.problem(), Grouping::new((0..16).map(|i| Some(i / 2))));
        let start = Shortcut::new(&problem, &problem, pairs, [Config::from([4, 5]).into()], ddmin);
        let said = converse(start, |c| oracle.test(c));
        assert!(said.to_string().starts_with("{4,5} ?\n{2-5} F\n"), "{said}");
    }
}
