//! ADD: augmented delta debugging (Yu et al., ASE 2012, Algorithm 1; the tool is iRegression).
//!
//! It looks for the cause of a failure in a *dubious* part of the changes, such as those that the test runs, and
//! tests each piece of it against all changes that fail: the more changes stay, the fewer builds break. So the
//! answer is [`Add::dubious`], a set that matters to the failure, and need not fail by itself. Where two causes
//! lie apart, either will do: the failure goes with each.
//!
//! Departure: the listing looks at the test of the piece itself before it uses that the rest passes. Here an
//! answer is used at once, as the paper's Fig. 2 does, which is a question less.

mod back;

pub use back::AddBack;

use crate::{Case, Cases, Config, Odds, Outcome, Search};

/// Narrows a dubious set inside a failing one.
///
/// Progress: every next state has a smaller dubious set, or the same in more parts.
#[derive(Clone, Debug)]
pub struct Add {
    dubious: Config,
    failing: Config,
    n: usize,
    best: Config,
}

impl Add {
    /// Looks in `dubious`, a part of the config `failing` that fails.
    pub fn new(dubious: Config, failing: Config) -> Add {
        Add { dubious, best: failing.clone(), failing, n: 2 }
    }

    /// What is still suspected: the answer of the search when it has ended.
    pub fn dubious(&self) -> &Config {
        &self.dubious
    }

    /// The cause is not in part `i`.
    fn remove(&self, i: usize) -> Add {
        let dubious = self.dubious.minus(&self.dubious.part(i, self.n));
        Add { dubious, n: 2.max(self.n - 1), ..self.clone() }
    }

    /// The cause is in part `i`.
    fn keep(&self, i: usize) -> Add {
        Add { dubious: self.dubious.part(i, self.n), n: 2, ..self.clone() }
    }

    fn seen_to_fail(self, config: &Config) -> Add {
        if config.len() < self.best.len() { Add { best: config.clone(), ..self } } else { self }
    }

    fn test_without(&self, i: usize) -> Case<Add> {
        self.test(self.failing.minus(&self.dubious.part(i, self.n)), i, Add::keep, Add::remove)
    }

    fn test_alone(&self, i: usize) -> Case<Add> {
        self.test(self.dubious.part(i, self.n), i, Add::remove, Add::keep)
    }

    fn test(
        &self,
        c: Config,
        i: usize,
        pass: fn(&Add, usize) -> Add,
        fail: fn(&Add, usize) -> Add,
    ) -> Case<Add> {
        let (at, config) = (self.clone(), c.clone());
        let next = move |outcome| match outcome {
            Outcome::Pass => Some(pass(&at, i)),
            Outcome::Fail => Some(fail(&at, i).seen_to_fail(&config)),
            Outcome::Unresolved => None,
        };
        Case { config: c, odds: Odds::RARELY_FAILS, next: Box::new(move |answer| next(answer.outcome)) }
    }
}

impl Search for Add {
    fn cases(&self) -> Cases<Add> {
        let parts = if self.dubious.len() < 2 { 0 } else { self.n };
        let add = self.clone();
        Box::new((0..parts).flat_map(move |i| [add.test_without(i), add.test_alone(i)]))
    }

    fn otherwise(&self) -> Option<Add> {
        let increase_granularity = self.n < self.dubious.len();
        increase_granularity.then(|| Add { n: self.dubious.len().min(2 * self.n), ..self.clone() })
    }

    /// The smallest config seen to fail on the way, or the failing config it was given.
    fn best(&self) -> Config {
        self.best.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Oracle, Promise, Simulated, check_laws, converse};
    use crate::list::figures;
    use crate::{Random, search};

    #[test]
    fn add_keeps_the_laws_with_every_change_dubious() {
        // The paper gives no bound: this is ddmin's sum, with two questions a part and no fewer to start with.
        let promise = Promise { one_minimal: false, bound: |n| n * n + 7 * n };
        check_laws(|p| Add::new(p.full.clone(), p.full.clone()), promise);
    }

    #[test]
    fn add_asks_the_five_questions_of_fig_2() {
        let start = Add::new([4, 5, 6, 7].into(), figures::eight());
        converse(start.clone(), figures::add).check(
            "{1-3,6-8} P
             {1-3,5-8} ?
             {4} ?
             {1-4,6-8} ?
             {5} ?
             -> {1-8}",
        );
        assert_eq!(search(start, figures::add).dubious(), &[4, 5].into());
    }

    #[test]
    fn add_narrows_the_dubious_set_to_one_culprit_where_every_test_tells() {
        for seed in 0..100 {
            let mut random = Random::new(seed);
            let n = 1 + random.below(60);
            let culprits: Config = (0..3).map(|_| random.below(n) as u32).collect();
            let oracle = Simulated::monotone(n, culprits.clone());
            let suspects: Config = (0..n as u32).filter(|_| random.chance(0.5)).collect();
            let dubious = suspects.with(culprits.first().expect("there are culprits"));

            let end = search(Add::new(dubious, Config::full(n)), |c| oracle.test(c));
            assert_eq!(end.dubious().len(), 1, "seed {seed}, {oracle:?}");
            assert!(end.dubious().is_subset(&culprits), "seed {seed}, {oracle:?}");
        }
    }
}
