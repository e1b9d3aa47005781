//! One search after another.

use super::{Make, Sweep};
use crate::{Cases, Config, Problem, Search};
use std::sync::Arc;

/// Runs a search, then another that starts from the first one's best.
///
/// Promises what the second promises.
#[derive(Clone)]
pub enum Then<A, B> {
    /// In the first search, with the problem and what to make of it next.
    First(A, Problem, Make<B>),
    /// In the second search.
    Second(B),
}

impl<A: Search, B: Search> Then<A, B> {
    /// Runs `first`, then what `make` makes of the problem within the best of it.
    pub fn new(
        first: A,
        problem: Problem,
        make: impl Fn(&Problem) -> B + Send + Sync + 'static,
    ) -> Then<A, B> {
        Then::First(first, problem, Arc::new(make))
    }
}

/// Follows a search with a sweep, which makes the result of any search 1-minimal.
pub fn one_minimal<S: Search>(search: S) -> Then<S, Sweep> {
    let problem = Problem::of(search.best());
    Then::new(search, problem, |rest| Sweep::new(rest.full.clone()))
}

impl<A: Search, B: Search> Search for Then<A, B> {
    fn cases(&self) -> Cases<Then<A, B>> {
        match self.clone() {
            Then::First(first, problem, make) => {
                let wrap = move |first| Then::First(first, problem.clone(), Arc::clone(&make));
                Box::new(first.cases().map(move |case| case.map(wrap.clone())))
            }
            Then::Second(second) => Box::new(second.cases().map(|case| case.map(Then::Second))),
        }
    }

    fn otherwise(&self) -> Option<Then<A, B>> {
        match self {
            Then::First(first, problem, make) => Some(match first.otherwise() {
                Some(first) => Then::First(first, problem.clone(), Arc::clone(make)),
                None => Then::Second(make(&problem.within(first.best()))),
            }),
            Then::Second(second) => second.otherwise().map(Then::Second),
        }
    }

    fn best(&self) -> Config {
        match self {
            Then::First(first, ..) => first.best(),
            Then::Second(second) => second.best(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::combine::once::Once;
    use crate::laws::{Oracle, Promise, Simulated, check_laws, converse};

    #[test]
    fn one_minimal_makes_any_search_one_minimal() {
        let promise = Promise { one_minimal: true, bound: |n| n + n * (n + 1) / 2 };
        check_laws(|p| one_minimal(Once::new(p.full.clone())), promise);
    }

    #[test]
    fn the_second_search_starts_from_the_best_of_the_first() {
        let oracle = Simulated { needs: vec![vec![], vec![0]].into(), ..Simulated::monotone(4, [2, 3]) };
        let said = converse(one_minimal(Once::new(Config::full(4))), |c| oracle.test(c));
        let once = ["{1-3} ?", "{0,2,3} F", "{0,3} P", "{0,2} P"];
        let sweep = ["{2,3} F", "{3} P", "{2} P", "-> {2,3}"];
        assert_eq!(said.to_string(), [&once[..], &sweep].concat().join("\n"));
    }
}
