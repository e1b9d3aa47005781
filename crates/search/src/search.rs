//! What a search is: a case definition, as the papers write them, and what it means.
//!
//! Zeller and Hildebrandt do not give a loop for ddmin: they give a list of cases, *if some test fails, go on
//! with something smaller*, *otherwise* something else. A [`Search`] is that list. It never runs a test; its
//! future is data, and every way of running it (one test at a time, many at once, with guesses, resumed from a
//! journal) is a way of walking that data, see [`crate::walk`].

use crate::{Answer, Config, Outcome};

/// How likely each outcome of a question is, by the search's own belief; what is left is Pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odds {
    /// The chance that the config fails.
    pub fail: f64,
    /// The chance that the test cannot tell.
    pub unresolved: f64,
}

impl Odds {
    /// The guess of a search that has no model: most questions are answered with *no*.
    pub const RARELY_FAILS: Odds = Odds { fail: 0.15, unresolved: 0.0 };

    /// The chance that the config fails, where no broken build is expected.
    pub fn of_failing(fail: f64) -> Odds {
        Odds { fail, unresolved: 0.0 }
    }
}

/// Where an answer leads: the state to go on with, or `None` if the case does not hold.
pub type Next<S> = Box<dyn Fn(&Answer) -> Option<S>>;

/// One line of a case definition: a config to test, and where its answer leads.
pub struct Case<S> {
    /// The config to test.
    pub config: Config,
    /// What the search expects; only guesses about the future depend on it, never the answer.
    pub odds: Odds,
    /// The state to go on with if the case holds for this answer; `None` passes on to the next case.
    pub next: Next<S>,
}

impl<S: 'static> Case<S> {
    /// *If `test(config) = outcome`, go on as `next`.*
    pub fn when(config: Config, outcome: Outcome, next: impl Fn() -> S + 'static) -> Case<S> {
        let odds = Odds::RARELY_FAILS;
        Case { config, odds, next: Box::new(move |answer| (answer.outcome == outcome).then(&next)) }
    }

    /// *Test `config`, go on as `next(answer)`, whatever the answer.*
    pub fn ask(config: Config, odds: Odds, next: impl Fn(&Answer) -> S + 'static) -> Case<S> {
        Case { config, odds, next: Box::new(move |answer| Some(next(answer))) }
    }

    /// The same case for a search around this one.
    pub fn map<T: 'static>(self, wrap: impl Fn(S) -> T + 'static) -> Case<T> {
        let next = self.next;
        Case { config: self.config, odds: self.odds, next: Box::new(move |answer| next(answer).map(&wrap)) }
    }

    /// The same case for a search around this one that also learns what was asked and answered.
    pub fn map_told<T: 'static>(self, wrap: impl Fn(S, &Config, &Answer) -> T + 'static) -> Case<T> {
        let (asked, next) = (self.config.clone(), self.next);
        let next = move |answer: &Answer| Some(wrap(next(answer)?, &asked, answer));
        Case { config: self.config, odds: self.odds, next: Box::new(next) }
    }
}

/// The cases of one state, in the order the paper tries them; built only as far as they are looked at.
pub type Cases<S> = Box<dyn Iterator<Item = Case<S>>>;

/// A search for a smallest failing config, as its paper defines it: a value that never runs a test.
///
/// It starts from a config known to fail, and takes it that the empty config does not. `cases` and `otherwise`
/// are pure: the same state gives the same list, and what follows depends on the answers alone.
pub trait Search: Clone + 'static {
    /// The questions of this state; the first case that holds decides the next state.
    fn cases(&self) -> Cases<Self>;

    /// Where to go when no case holds; `None` ends the search.
    fn otherwise(&self) -> Option<Self>;

    /// The smallest failing config known in this state.
    fn best(&self) -> Config;
}

/// No more questions.
pub fn no_cases<S: 'static>() -> Cases<S> {
    Box::new(std::iter::empty())
}

/// One question, and nothing else to try.
pub fn one_case<S: 'static>(case: Case<S>) -> Cases<S> {
    Box::new(std::iter::once(case))
}

/// Runs a search with one test at a time: the meaning that every other way of running it must agree with.
///
/// The test is asked again when a search asks again; wrap it to remember.
pub fn search<S: Search>(mut state: S, mut test: impl FnMut(&Config) -> Answer) -> S {
    loop {
        let held = state.cases().find_map(|case| (case.next)(&test(&case.config)));
        match held.or_else(|| state.otherwise()) {
            Some(next) => state = next,
            None => return state,
        }
    }
}

/// Any search behind one type, for choosing an algorithm at run time.
pub struct AnySearch(Box<dyn Erased>);

trait Erased {
    fn cases(&self) -> Cases<AnySearch>;
    fn otherwise(&self) -> Option<AnySearch>;
    fn best(&self) -> Config;
    fn boxed_clone(&self) -> Box<dyn Erased>;
}

impl<S: Search> Erased for S {
    fn cases(&self) -> Cases<AnySearch> {
        Box::new(Search::cases(self).map(|case| case.map(AnySearch::new)))
    }
    fn otherwise(&self) -> Option<AnySearch> {
        Search::otherwise(self).map(AnySearch::new)
    }
    fn best(&self) -> Config {
        Search::best(self)
    }
    fn boxed_clone(&self) -> Box<dyn Erased> {
        Box::new(self.clone())
    }
}

impl AnySearch {
    /// Hides which search this is.
    pub fn new(search: impl Search) -> AnySearch {
        AnySearch(Box::new(search))
    }
}

impl Clone for AnySearch {
    fn clone(&self) -> AnySearch {
        AnySearch(self.0.boxed_clone())
    }
}

impl Search for AnySearch {
    fn cases(&self) -> Cases<AnySearch> {
        self.0.cases()
    }
    fn otherwise(&self) -> Option<AnySearch> {
        self.0.otherwise()
    }
    fn best(&self) -> Config {
        self.0.best()
    }
}
