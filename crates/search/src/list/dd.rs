//! dd: the difference between a config that passes and one that fails (Zeller and Hildebrandt, TSE 2002).
//!
//! Both ends move towards each other, so an answer of either kind is progress, and only tests that cannot tell
//! make it split finer. What is small in the end is [`Dd::difference`], not the failing config: that one is
//! smallest only in the changes of the difference, and [`Ddmin`](super::Ddmin) finds smaller ones.
//!
//! Two orders. [`Dd::new`] is the paper's list of cases; the same config stands in it twice, once for each
//! outcome, and a memo answers the second time. [`Dd::complements_first`] is how Yu et al. draw dd in the paper on
//! ADD (ASE 2012, Fig. 1): the complements, then the subsets, each answer used at once. Where most builds break it
//! gets further, as more of the changes stay together.

use crate::{Case, Cases, Config, Odds, Outcome, Search, no_cases};
use Outcome::{Fail, Pass, Unresolved};

/// Isolates a difference that makes a passing config fail.
///
/// Progress: every next state has a smaller difference, or the same in more parts.
#[derive(Clone, Debug)]
pub struct Dd {
    pass: Config,
    fail: Config,
    delta: Config,
    n: usize,
    order: Order,
}

#[derive(Clone, Copy, Debug)]
enum Order {
    Paper,
    ComplementsFirst,
}

impl Dd {
    /// Starts from a config that passes and one that has more changes and fails; cases in the paper's order.
    pub fn new(pass: Config, fail: Config) -> Dd {
        Dd { delta: fail.minus(&pass), pass, fail, n: 2, order: Order::Paper }
    }

    /// The same start; complements first, and every answer used at once.
    pub fn complements_first(pass: Config, fail: Config) -> Dd {
        Dd { order: Order::ComplementsFirst, ..Dd::new(pass, fail) }
    }

    /// The largest passing config known in this state.
    pub fn pass(&self) -> &Config {
        &self.pass
    }

    /// The changes that the failing config has and the passing one lacks.
    pub fn difference(&self) -> &Config {
        &self.delta
    }

    fn subset(&self, i: usize) -> Config {
        self.pass.union(&self.delta.part(i, self.n))
    }

    fn complement(&self, i: usize) -> Config {
        self.fail.minus(&self.delta.part(i, self.n))
    }

    fn reduce_to_subset(&self, i: usize) -> Dd {
        self.between(self.pass.clone(), self.subset(i), 2)
    }

    fn increase_to_complement(&self, i: usize) -> Dd {
        self.between(self.complement(i), self.fail.clone(), 2)
    }

    fn increase_to_subset(&self, i: usize) -> Dd {
        self.between(self.subset(i), self.fail.clone(), 2.max(self.n - 1))
    }

    fn reduce_to_complement(&self, i: usize) -> Dd {
        self.between(self.pass.clone(), self.complement(i), 2.max(self.n - 1))
    }

    fn between(&self, pass: Config, fail: Config, n: usize) -> Dd {
        Dd { delta: fail.minus(&pass), pass, fail, n, order: self.order }
    }

    /// For each part: *if the test of this config has this outcome, go on as `next`*.
    fn when(&self, config: Test, outcome: Outcome, next: Next) -> impl Iterator<Item = Case<Dd>> + use<> {
        let dd = self.clone();
        (0..self.n).map(move |i| {
            let at = dd.clone();
            Case::when(config(&dd, i), outcome, move || next(&at, i))
        })
    }

    /// For each part: *test this config, go on as `pass` or as `fail`*.
    fn either(&self, config: Test, pass: Next, fail: Next) -> impl Iterator<Item = Case<Dd>> + use<> {
        let dd = self.clone();
        (0..self.n).map(move |i| {
            let at = dd.clone();
            let next = move |outcome| match outcome {
                Pass => Some(pass(&at, i)),
                Fail => Some(fail(&at, i)),
                Unresolved => None,
            };
            let odds = Odds::RARELY_FAILS;
            Case { config: config(&dd, i), odds, next: Box::new(move |answer| next(answer.outcome)) }
        })
    }
}

/// Which config is tested for a part.
type Test = fn(&Dd, usize) -> Config;

/// Where an answer about a part leads.
type Next = fn(&Dd, usize) -> Dd;

impl Search for Dd {
    fn cases(&self) -> Cases<Dd> {
        if self.delta.len() < 2 {
            return no_cases();
        }
        match self.order {
            Order::Paper => Box::new(
                self.when(Dd::subset, Fail, Dd::reduce_to_subset)
                    .chain(self.when(Dd::complement, Pass, Dd::increase_to_complement))
                    .chain(self.when(Dd::subset, Pass, Dd::increase_to_subset))
                    .chain(self.when(Dd::complement, Fail, Dd::reduce_to_complement)),
            ),
            Order::ComplementsFirst => {
                let complements =
                    self.either(Dd::complement, Dd::increase_to_complement, Dd::reduce_to_complement);
                let subsets = self.either(Dd::subset, Dd::increase_to_subset, Dd::reduce_to_subset);
                // With two parts, each is the other's complement.
                Box::new(complements.chain(subsets.take(if self.n == 2 { 0 } else { self.n })))
            }
        }
    }

    fn otherwise(&self) -> Option<Dd> {
        let increase_granularity = self.n < self.delta.len();
        increase_granularity.then(|| Dd { n: self.delta.len().min(2 * self.n), ..self.clone() })
    }

    fn best(&self) -> Config {
        self.fail.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Naming, Oracle, Promise, Simulated, check_laws, converse, random_couplings};
    use crate::list::figures;
    use crate::{Answer, Couplings, Random, search};
    use std::sync::Arc;

    /// Only the difference is 1-minimal, not the failing config. The bound counts two questions a part, for every
    /// number of parts that a difference of `n` changes can shrink or be split to.
    const PROMISE: Promise = Promise { one_minimal: false, bound: |n| n * n + 7 * n };

    #[test]
    fn dd_keeps_the_laws() {
        check_laws(|p| Dd::new(Config::empty(), p.full.clone()), PROMISE);
    }

    #[test]
    fn dd_with_complements_first_keeps_the_laws() {
        check_laws(|p| Dd::complements_first(Config::empty(), p.full.clone()), PROMISE);
    }

    #[test]
    fn dd_asks_the_sixteen_questions_of_add_fig_1a() {
        // The figure stops at the last answer that moves an end, question 16.
        let start = Dd::complements_first(Config::empty(), figures::eight());
        converse(start.clone(), figures::add).check(
            "{5-8} ?
             {1-4} ?
             {3-8} F
             {5-8} ? = 1
             {3,4,7,8} ?
             {3-6} F
             {5,6} ?
             {3,4} ?
             {4-6} ?
             {3,5,6} ?
             {3,4,6} ?
             {3-5} F
             {4,5} ?
             {3,5} ?
             {3,4} ? = 8
             {3} P
             {3,5} ? = 14
             {3,4} ? = 8
             -> {3-5}",
        );
        let end = search(start, figures::add);
        assert_eq!((end.pass(), end.difference()), (&[3].into(), &[4, 5].into()));
    }

    #[test]
    fn dd_asks_the_ten_questions_of_add_fig_1b_and_cannot_isolate() {
        // The start does not fail by itself, which is the figure's point. It stops at question 10 again.
        let start = Dd::complements_first(Config::empty(), [4, 5, 6, 7].into());
        converse(start.clone(), figures::add).check(
            "{6,7} ?
             {4,5} ?
             {5-7} ?
             {4,6,7} ?
             {4,5,7} ?
             {4-6} ?
             {4} ?
             {5} ?
             {6} ?
             {7} P
             {5-7} ? = 3
             {4,6,7} ? = 4
             {4,5,7} ? = 5
             {4,7} ?
             {5,7} ?
             {6,7} ? = 1
             -> {4-7}",
        );
        assert_eq!(search(start, figures::add).difference(), &[4, 5, 6].into());
    }

    #[test]
    fn dd_in_the_papers_order_finds_the_same_difference() {
        let start = Dd::new(Config::empty(), figures::eight());
        converse(start.clone(), figures::add).asked_once().check(
            "{1-4} ?
             {5-8} ?
             {1,2} P
             {3,4} ?
             {5,6} ?
             {7,8} P
             {3-8} F
             {1,2,5-8} ?
             {1-4,7,8} ?
             {1-6} F
             {1,2,5,6} ?
             {1,2,7,8} P
             {1-3,7,8} P
             {1,2,4,7,8} ?
             {1,2,5,7,8} ?
             {1,2,6-8} ?
             {1,2,4-8} ?
             {1-3,5-8} ?
             {1-4,6-8} ?
             {1-5,7,8} F
             {1-3,5,7,8} ?
             {1-3,6-8} P
             -> {1-8}",
        );
        assert_eq!(search(start, figures::add).difference(), &[4, 5].into());
    }

    #[test]
    fn dd_halves_the_difference_where_every_test_tells() {
        for (n, culprits) in [(64, vec![17]), (64, vec![3, 40]), (100, vec![0, 50, 99])] {
            let oracle = Simulated::monotone(n, culprits.into_iter().collect::<Config>());
            let start = Dd::new(Config::empty(), Config::full(n));
            let said = converse(start.clone(), |c| oracle.test(c));
            let halvings = n.next_power_of_two().ilog2() as usize;
            assert!(said.distinct() <= 2 * halvings, "{said}");
            assert_eq!(search(start, |c| oracle.test(c)).difference().len(), 1);
        }
    }

    #[test]
    fn the_difference_is_one_change_or_no_single_change_of_it_tells() {
        for seed in 0..100 {
            let mut random = Random::new(seed);
            let n = 1 + random.below(30);
            let culprits: Config = (0..3).map(|_| random.below(n) as u32).collect();
            let needs = Arc::new(random_couplings(n, 2.0, &mut random));
            let oracle = Simulated { n, culprits, needs, known: Couplings::none(), naming: Naming::Nothing };
            for start in [Dd::new, Dd::complements_first] {
                let end = search(start(Config::empty(), Config::full(n)), |c| oracle.test(c));
                assert_eq!(oracle.test(end.pass()), Answer::bare(Pass));
                assert_eq!(oracle.test(&end.best()), Answer::bare(Fail));
                assert_eq!(end.best().minus(end.pass()), *end.difference());
                assert!(end.pass().is_subset(&end.best()));
                let finest = |i| [end.pass().with(i), end.best().without(i)];
                assert!(
                    end.difference().len() == 1
                        || end.difference().iter().flat_map(finest).all(|c| !oracle.test(&c).built),
                    "seed {seed}, {} of {oracle:?}",
                    end.difference(),
                );
            }
        }
    }
}
