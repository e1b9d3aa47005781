//! A search again and again until it changes nothing: DD* in picire, the fixpoint mode of HDD and Perses.

use super::Make;
use crate::{Cases, Config, Problem, Search};
use std::sync::Arc;

/// Repeats a search from its own best until a whole run takes nothing out.
///
/// Progress: every run but the last ends with a smaller config than it started from.
#[derive(Clone)]
pub struct Stable<S> {
    run: S,
    /// What the run started from.
    from: Problem,
    make: Make<S>,
}

impl<S: Search> Stable<S> {
    /// Repeats what `make` makes, first of the whole problem.
    pub fn new(problem: &Problem, make: impl Fn(&Problem) -> S + Send + Sync + 'static) -> Stable<S> {
        Stable::start(problem.clone(), Arc::new(make))
    }

    fn start(from: Problem, make: Make<S>) -> Stable<S> {
        Stable { run: make(&from), from, make }
    }

    fn wrap(&self) -> impl Fn(S) -> Stable<S> + Clone + use<S> {
        let (from, make) = (self.from.clone(), Arc::clone(&self.make));
        move |run| Stable { run, from: from.clone(), make: Arc::clone(&make) }
    }
}

impl<S: Search> Search for Stable<S> {
    fn cases(&self) -> Cases<Stable<S>> {
        let wrap = self.wrap();
        Box::new(self.run.cases().map(move |case| case.map(wrap.clone())))
    }

    fn otherwise(&self) -> Option<Stable<S>> {
        let again = || {
            let best = self.run.best();
            let changed = best.len() < self.from.full.len();
            changed.then(|| Stable::start(self.from.within(best), Arc::clone(&self.make)))
        };
        self.run.otherwise().map(self.wrap()).or_else(again)
    }

    fn best(&self) -> Config {
        self.run.best()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::combine::once::Once;
    use crate::laws::{Oracle, Promise, Simulated, check_laws, converse};
    use crate::list::Ddmin;

    #[test]
    fn stable_keeps_the_laws() {
        let promise = Promise { one_minimal: true, bound: |n| n * n + 3 * n };
        check_laws(|p| Stable::new(p, |p| Ddmin::new(p.full.clone())), promise);
    }

    #[test]
    fn a_search_that_looks_once_is_one_minimal_when_stable() {
        let promise = Promise { one_minimal: true, bound: |n| n * n };
        check_laws(|p| Stable::new(p, |p| Once::new(p.full.clone())), promise);
    }

    #[test]
    fn stable_repeats_a_run_that_changed_something_and_ends_with_one_that_did_not() {
        let oracle = Simulated { needs: vec![vec![], vec![0]].into(), ..Simulated::monotone(4, [2, 3]) };
        let said =
            converse(Stable::new(&oracle.problem(), |p| Once::new(p.full.clone())), |c| oracle.test(c));
        let first = ["{1-3} ?", "{0,2,3} F", "{0,3} P", "{0,2} P"];
        let second = ["{2,3} F", "{3} P", "{2} P"];
        let third = ["{3} P = 6", "{2} P = 7", "-> {2,3}"];
        assert_eq!(said.to_string(), [&first[..], &second, &third].concat().join("\n"));
    }
}
