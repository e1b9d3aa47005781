//! Single changes, each with what it needs: the smallest result there can be.
//!
//! What was written anew has to come back as a whole, by a hundred changes of which none can go; yet a word less in what
//! is new may be enough. No taking out comes there, since all that lies between the two cannot be tested. So each change
//! is asked about alone, the most suspicious first, as long as there is patience. What a build misses goes in.
//!
//! ```text
//!   ask       [ . x . . . . . . ]      passes
//!   ask       [ . . . x . . . . ]      cannot tell: it needs the sixth
//!   ask       [ . . . x . x . . ]      fails -> search in there
//! ```

use super::Make;
use super::singly::{Singly, Verdict};
use crate::{Case, Cases, Config, Odds, Problem, Search, no_cases, one_case};
use std::sync::Arc;

/// How likely a single change is enough.
const ODDS: Odds = Odds { fail: 0.05, unresolved: 0.5 };

/// Asks whether one change fails with no more than what it needs, and searches in there if it does.
///
/// Promises nothing while it asks; once it searches, what the search promises. Progress: a bounded number of questions, and
/// those of the search.
#[derive(Clone)]
pub enum Alone<S> {
    /// Asking about one change after another.
    Asking(Arc<Queue<S>>),
    /// In the search among what one of them needs.
    Inside(S),
}

/// What is still to be asked about, and what then becomes of it.
#[derive(Clone)]
pub struct Queue<S> {
    singly: Singly,
    make: Make<S>,
}

impl<S: Search> Alone<S> {
    /// Asks at most so many questions about changes in the order given; what fails is searched by what `make` makes.
    pub fn new(
        problem: &Problem,
        changes: Vec<u32>,
        questions: usize,
        make: impl Fn(&Problem) -> S + Send + Sync + 'static,
    ) -> Alone<S> {
        let changes = changes.into_iter().map(|change| [change].into()).collect();
        let singly = Singly::new(problem, changes, questions);
        Alone::Asking(Arc::new(Queue { singly, make: Arc::new(make) }))
    }
}

impl<S: Search> Search for Alone<S> {
    fn cases(&self) -> Cases<Alone<S>> {
        match self {
            Alone::Asking(queue) => {
                let Some(config) = queue.singly.config() else { return no_cases() };
                let (queue, asked) = (Arc::clone(queue), config.clone());
                one_case(Case::ask(config, ODDS, move |answer| match queue.singly.after(&asked, answer) {
                    Verdict::GoOn(singly) => {
                        Alone::Asking(Arc::new(Queue { singly, make: Arc::clone(&queue.make) }))
                    }
                    Verdict::Enough(problem) => Alone::Inside((queue.make)(&problem)),
                }))
            }
            Alone::Inside(search) => Box::new(search.cases().map(|case| case.map(Alone::Inside))),
        }
    }

    fn otherwise(&self) -> Option<Alone<S>> {
        match self {
            Alone::Asking(_) => None,
            Alone::Inside(search) => search.otherwise().map(Alone::Inside),
        }
    }

    fn best(&self) -> Config {
        match self {
            Alone::Asking(queue) => queue.singly.problem.full.clone(),
            Alone::Inside(search) => search.best(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::combine::UnitSweep;
    use crate::laws::{Promise, check_laws, converse};
    use crate::{Answer, Coupling, Couplings, Outcome};

    fn alone(problem: &Problem, questions: usize) -> Alone<UnitSweep> {
        Alone::new(problem, problem.full.iter().collect(), questions, UnitSweep::new)
    }

    #[test]
    fn alone_keeps_the_laws() {
        let promise = Promise { one_minimal: false, bound: |n| 5 * n + 2 * n * n };
        check_laws(|p| alone(p, usize::MAX), promise);
    }

    /// Half of it cannot be tested; 5 is enough with what it needs.
    fn test(config: &Config) -> Answer {
        match (config.len(), config.contains(5), config.contains(2)) {
            (_, true, false) if config.len() < 8 => {
                Answer::broken_build([Coupling { dependent: 5, needed: 2, probability: 0.9 }])
            }
            (4..8, ..) => Answer::bare(Outcome::Unresolved),
            (_, true, true) => Answer::bare(Outcome::Fail),
            _ => Answer::bare(Outcome::Pass),
        }
    }

    #[test]
    fn a_single_change_is_enough_with_what_a_build_misses() {
        let said = converse(alone(&Problem::new(8), 100), test);
        assert_eq!(said.best, [2, 5].into());
        let known = Couplings::given([Coupling::certain(5, 2)]);
        let informed = converse(alone(&Problem::new(8).with_couplings(known), 100), test);
        assert_eq!(informed.best, [2, 5].into());
        assert_eq!(informed.questions.len() + 1, said.questions.len());
    }

    #[test]
    fn where_no_single_change_is_enough_all_of_them_are_left() {
        let said = converse(alone(&Problem::new(8), 100), |_| Answer::bare(Outcome::Pass));
        assert_eq!((said.best, said.questions.len()), (Config::full(8), 8));
    }

    #[test]
    fn patience_ends() {
        let said = converse(alone(&Problem::new(8), 3), test);
        assert_eq!((said.best, said.questions.len()), (Config::full(8), 3));
    }
}
