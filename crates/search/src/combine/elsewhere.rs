//! A second look where the first was not: a test can change its mind for more than one reason.
//!
//! Taking out keeps whichever reason is taken out last, and that may be the larger one: a hundred lines that work
//! around what one line elsewhere would put right. Whether the rest holds a reason of its own is one question, and
//! a large result is worth it.
//!
//! ```text
//!   found     [ . . x x x x . . . . . . . . ]      a large result
//!   ask       [ . .         . . . . . . . . ]      all but it
//!               fails -> search in there, and keep the smaller of the two
//! ```

use super::Make;
use crate::{Answer, Case, Cases, Config, Odds, Outcome, Problem, Search, one_case};
use std::sync::Arc;

/// A result of at most so many changes is not doubted.
const FEW: usize = 3;

/// How likely the rest has a reason of its own.
const ODDS: Odds = Odds { fail: 0.3, unresolved: 0.3 };

/// Runs a search and, if it finds more than a few changes, once more among all others, if they fail too.
///
/// Promises what the search promises. Progress: that of the search, twice, and one question more for each coupling
/// that is learned in between.
#[derive(Clone)]
pub enum Elsewhere<S> {
    /// In the first search.
    First(S, Arc<Field<S>>),
    /// Wondering whether what is left without the result fails too.
    Wondering(Arc<Field<S>>, Config),
    /// In the second search, with the result of the first.
    Second(S, Arc<Field<S>>, Config),
}

/// What is searched, how, and what is known of it by now.
pub struct Field<S> {
    problem: Problem,
    make: Make<S>,
}

impl<S: Search> Elsewhere<S> {
    /// Searches in a problem, and then perhaps elsewhere in it, by what `make` makes.
    pub fn new(problem: &Problem, make: impl Fn(&Problem) -> S + Send + Sync + 'static) -> Elsewhere<S> {
        let first = make(problem);
        Elsewhere::First(first, Arc::new(Field { problem: problem.clone(), make: Arc::new(make) }))
    }
}

impl<S: Search> Field<S> {
    /// The same with what an answer teaches about couplings, and whether it does.
    fn learned(&self, config: &Config, answer: &Answer) -> (Field<S>, bool) {
        let (couplings, news) = self.problem.couplings.learn(config, answer);
        let problem = self.problem.clone().with_couplings(couplings);
        (Field { problem, make: Arc::clone(&self.make) }, news)
    }

    /// All but the result and what cannot be without it.
    fn without(&self, found: &Config) -> Config {
        let Problem { full, couplings, .. } = &self.problem;
        full.minus(&couplings.dependents(found, full))
    }

    /// Looks elsewhere if that may pay.
    fn wonder(self: Arc<Field<S>>, found: Config) -> Option<Elsewhere<S>> {
        let pays = found.len() > FEW && !self.without(&found).is_empty();
        pays.then_some(Elsewhere::Wondering(self, found))
    }

    fn told(&self, found: &Config, answer: &Answer) -> Option<Elsewhere<S>> {
        let rest = self.without(found);
        let (field, news) = self.learned(&rest, answer);
        match answer.outcome {
            Outcome::Fail => {
                let second = (self.make)(&field.problem.within(rest));
                Some(Elsewhere::Second(second, Arc::new(field), found.clone()))
            }
            Outcome::Unresolved if news => Arc::new(field).wonder(found.clone()),
            Outcome::Pass | Outcome::Unresolved => None,
        }
    }
}

impl<S: Search> Search for Elsewhere<S> {
    fn cases(&self) -> Cases<Elsewhere<S>> {
        match self {
            Elsewhere::First(search, field) => {
                let field = Arc::clone(field);
                Box::new(search.cases().map(move |case| {
                    let (field, asked, next) = (Arc::clone(&field), case.config.clone(), case.next);
                    let next = move |answer: &Answer| {
                        let next = next(answer)?;
                        Some(Elsewhere::First(next, Arc::new(field.learned(&asked, answer).0)))
                    };
                    Case { config: case.config, odds: case.odds, next: Box::new(next) }
                }))
            }
            Elsewhere::Wondering(field, found) => {
                let rest = field.without(found);
                let (field, found) = (Arc::clone(field), found.clone());
                let next = move |answer: &Answer| field.told(&found, answer);
                one_case(Case { config: rest, odds: ODDS, next: Box::new(next) })
            }
            Elsewhere::Second(search, field, found) => {
                let (field, found) = (Arc::clone(field), found.clone());
                let wrap = move |search| Elsewhere::Second(search, Arc::clone(&field), found.clone());
                Box::new(search.cases().map(move |case| case.map(wrap.clone())))
            }
        }
    }

    fn otherwise(&self) -> Option<Elsewhere<S>> {
        match self {
            Elsewhere::First(search, field) => match search.otherwise() {
                Some(search) => Some(Elsewhere::First(search, Arc::clone(field))),
                None => Arc::clone(field).wonder(search.best()),
            },
            Elsewhere::Wondering(..) => None,
            Elsewhere::Second(search, field, found) => {
                search.otherwise().map(|next| Elsewhere::Second(next, Arc::clone(field), found.clone()))
            }
        }
    }

    fn best(&self) -> Config {
        match self {
            Elsewhere::First(search, _) => search.best(),
            Elsewhere::Wondering(_, found) => found.clone(),
            Elsewhere::Second(search, field, found) => {
                let other = search.best();
                let smaller = field.problem.weigh(&other) < field.problem.weigh(found);
                if smaller { other } else { found.clone() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Naming, Oracle, Promise, Simulated, check_laws, converse};
    use crate::list::Ddmin;

    fn ddmin(problem: &Problem) -> Ddmin {
        Ddmin::new(problem.full.clone())
    }

    /// Fails with all of these or all of those.
    fn either(these: Config, those: Config) -> impl Fn(&Config) -> Answer {
        move |config| match these.is_subset(config) || those.is_subset(config) {
            true => Answer::bare(Outcome::Fail),
            false => Answer::bare(Outcome::Pass),
        }
    }

    #[test]
    fn elsewhere_keeps_the_laws() {
        let promise = Promise { one_minimal: true, bound: |n| 2 * (n * n + 3 * n) + 1 };
        check_laws(|p| Elsewhere::new(p, ddmin), promise);
    }

    #[test]
    fn a_large_result_gives_way_to_a_smaller_one_elsewhere() {
        let test = either((0..6).collect(), [12].into());
        let problem = Problem::new(16);
        let first = converse(Ddmin::new(Config::full(16)), &test);
        assert_eq!(first.best, (0..6).collect(), "which ddmin finds first");
        assert_eq!(converse(Elsewhere::new(&problem, ddmin), &test).best, [12].into());
    }

    #[test]
    fn a_larger_result_elsewhere_is_not_taken() {
        let test = either((0..4).collect(), (8..16).collect());
        let heavy = Problem::new(16).with_weights(vec![1; 16]);
        assert_eq!(converse(Elsewhere::new(&heavy, ddmin), &test).best, (0..4).collect());
    }

    #[test]
    fn one_question_shows_that_there_is_nothing_elsewhere_and_few_changes_are_not_doubted() {
        for (culprits, more) in [(Config::from([1, 5, 9, 12]), 1), (Config::from([1, 5, 9]), 0)] {
            let oracle = Simulated::monotone(16, culprits);
            let alone = converse(ddmin(&oracle.problem()), |c| oracle.test(c));
            let said = converse(Elsewhere::new(&oracle.problem(), ddmin), |c| oracle.test(c));
            assert_eq!(said.questions.len(), alone.questions.len() + more);
        }
    }

    #[test]
    fn what_cannot_be_without_the_result_is_left_out_as_builds_name_it() {
        // 14 needs 1, which is in the result, and says so when the build breaks.
        let mut needs = vec![vec![]; 16];
        needs[14] = vec![1];
        let oracle =
            Simulated { needs: needs.into(), naming: Naming::One, ..Simulated::monotone(16, [0, 1, 2, 3]) };
        let said = converse(Elsewhere::new(&oracle.problem(), ddmin), |c| oracle.test(c));
        let last: Vec<&Config> = said.questions.iter().rev().take(2).map(|q| &q.config).collect();
        let rest: Config = (4..16).collect();
        assert_eq!(last, [&rest.without(14), &rest]);
    }
}
