//! The last look that makes a result 1-minimal: every element is tried alone.
//!
//! After a success the sweep goes on with the next element and comes back to the earlier ones only at the end
//! of the round; starting over after each success, as the paper's ddmin does, asks far more for the same
//! promise.

use crate::{Case, Cases, Config, Outcome::Fail, Search};

/// Tries to take out single elements, round and round, until a whole round takes out nothing.
///
/// The result is 1-minimal. Progress: every next state has a smaller config.
#[derive(Clone, Debug)]
pub struct Sweep {
    c: Config,
    /// The rank of the element to try first.
    at: usize,
}

impl Sweep {
    /// Sweeps a config that fails, from its first element.
    pub fn new(c: Config) -> Sweep {
        Sweep { c, at: 0 }
    }
}

impl Search for Sweep {
    fn cases(&self) -> Cases<Sweep> {
        let Sweep { c, at } = self.clone();
        // A single element stays: without it nothing is left.
        let n = if c.len() < 2 { 0 } else { c.len() };
        let round = (at..n).chain(0..at.min(n));
        let without_one = round.map(move |i| Sweep { c: c.minus(&c.ranked(i..i + 1)), at: i });
        Box::new(without_one.map(|next| Case::when(next.c.clone(), Fail, move || next.clone())))
    }

    fn otherwise(&self) -> Option<Sweep> {
        None
    }

    fn best(&self) -> Config {
        self.c.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Walk;
    use crate::laws::{Oracle, Promise, Simulated, check_laws, converse};

    #[test]
    fn sweep_keeps_the_laws() {
        check_laws(|p| Sweep::new(p.full.clone()), Promise { one_minimal: true, bound: |n| n * (n + 1) / 2 });
    }

    #[test]
    fn sweep_goes_on_after_a_success() {
        let oracle = Simulated::monotone(4, [1]);
        let said = converse(Sweep::new(Config::full(4)), |c| oracle.test(c));
        let expected = ["{1-3} F", "{2,3} P", "{1,3} F", "{1} F", "-> {1}"];
        assert_eq!(said.to_string(), expected.join("\n"));
    }

    #[test]
    fn sweep_asks_again_about_earlier_elements_once_a_later_one_is_gone() {
        let oracle = Simulated { needs: vec![vec![], vec![0]].into(), ..Simulated::monotone(3, [2]) };
        let said = converse(Sweep::new(Config::full(3)), |c| oracle.test(c));
        let expected = ["{1,2} ?", "{0,2} F", "{0} P", "{2} F", "-> {2}"];
        assert_eq!(said.to_string(), expected.join("\n"));
    }

    #[test]
    fn a_sweep_over_millions_of_elements_builds_only_the_cases_looked_at() {
        let walk = Walk::new(Sweep::new(Config::full(4_000_000)));
        let wanted = walk.frontier(&|_: &Config| None, 2);
        assert_eq!(wanted, [0, 1].map(|i| Config::full(4_000_000).without(i)));
    }
}
