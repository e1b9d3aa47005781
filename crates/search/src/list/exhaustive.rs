//! Every subset, smallest first: the first that fails is a smallest there is, whatever the test is like.
//!
//! BugBuilder does this with the few changes that are left of a patch. It asks up to 2ⁿ - 2 questions for `n`
//! changes, so it is for a handful of them, and for checking the other searches. Why is it here at all? It is the
//! only search that finds the smallest config of a test that is not monotone.

use crate::{Case, Cases, Config, Outcome::Fail, Search, no_cases};
use std::iter::successors;

/// Tries all subsets of a failing config by increasing size; those of one size in the order of their numbers.
///
/// Progress: the only next state is the end.
#[derive(Clone, Debug)]
pub struct Exhaustive {
    best: Config,
    found: bool,
}

impl Exhaustive {
    /// Finds the smallest failing subset of a config that fails.
    pub fn new(full: Config) -> Exhaustive {
        Exhaustive { best: full, found: false }
    }
}

impl Search for Exhaustive {
    fn cases(&self) -> Cases<Exhaustive> {
        if self.found {
            return no_cases();
        }
        let numbers: Vec<u32> = self.best.iter().collect();
        let n = numbers.len();
        let subsets = (1..n).flat_map(move |size| {
            let first: Vec<usize> = (0..size).collect();
            successors(Some(first), move |ranks| following(ranks, n))
        });
        Box::new(subsets.map(move |ranks| {
            let best: Config = ranks.iter().map(|&rank| numbers[rank]).collect();
            Case::when(best.clone(), Fail, move || Exhaustive { best: best.clone(), found: true })
        }))
    }

    fn otherwise(&self) -> Option<Exhaustive> {
        None
    }

    fn best(&self) -> Config {
        self.best.clone()
    }
}

/// The choice of as many ranks below `n` that comes after `ranks`: the last one that can rise does, and those
/// behind it follow close.
fn following(ranks: &[usize], n: usize) -> Option<Vec<usize>> {
    let rises = (0..ranks.len()).rfind(|&i| ranks[i] < n - ranks.len() + i)?;
    let risen = ranks[rises] + 1..;
    Some(ranks[..rises].iter().copied().chain(risen).take(ranks.len()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Naming, Oracle, Promise, Simulated, check_laws_up_to, converse, random_couplings};
    use crate::{Couplings, Random};
    use std::sync::Arc;

    #[test]
    fn exhaustive_keeps_the_laws_of_a_handful_of_changes() {
        let promise = Promise { one_minimal: true, bound: |n| (1 << n) - 2 };
        check_laws_up_to(6, |p| Exhaustive::new(p.full.clone()), promise);
    }

    #[test]
    fn exhaustive_asks_by_size_and_then_by_number() {
        let oracle = Simulated::monotone(4, [1, 2, 3]);
        converse(Exhaustive::new(Config::full(4)), |c| oracle.test(c)).check(
            "{0} P
             {1} P
             {2} P
             {3} P
             {0,1} P
             {0,2} P
             {0,3} P
             {1,2} P
             {1,3} P
             {2,3} P
             {0-2} P
             {0,1,3} P
             {0,2,3} P
             {1-3} F
             -> {1-3}",
        );
    }

    #[test]
    fn exhaustive_finds_the_optimum_where_changes_need_each_other() {
        for seed in 0..40 {
            let mut random = Random::new(seed);
            let n = 1 + random.below(9);
            let culprits = Config::from([random.below(n) as u32, random.below(n) as u32]);
            let needs = Arc::new(random_couplings(n, 1.5, &mut random));
            let oracle = Simulated { n, culprits, needs, known: Couplings::none(), naming: Naming::Nothing };
            let said = converse(Exhaustive::new(Config::full(n)), |c| oracle.test(c));
            assert_eq!(said.best, oracle.optimum(), "seed {seed}, {oracle:?}");
        }
    }

    #[test]
    fn exhaustive_builds_a_case_only_when_somebody_looks() {
        let first = Exhaustive::new(Config::full(1000)).cases().next().map(|case| case.config);
        assert_eq!(first, Some([0].into()));
    }
}
