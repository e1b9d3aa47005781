//! ddmin: minimising delta debugging (Zeller and Hildebrandt, TSE 2002).
//!
//! Two forms, which differ in what follows when a complement fails. *Restart* is the paper's: one part fewer,
//! and from the first part again. *Sweep* goes on with the parts that are left and looks at each once a round;
//! it needs a fraction of the tests and is the one other algorithms build on.

use crate::{Case, Cases, Config, Outcome::Fail, Search};

/// The paper's ddmin: after each success the scan starts again.
///
/// Progress: every next state has a smaller config, or the same config in more parts.
#[derive(Clone, Debug)]
pub struct Ddmin {
    c: Config,
    n: usize,
}

impl Ddmin {
    /// Minimises a config that fails.
    pub fn new(c: Config) -> Ddmin {
        Ddmin { c, n: 2 }
    }
}

impl Search for Ddmin {
    fn cases(&self) -> Cases<Ddmin> {
        let Ddmin { c, n } = self.clone();
        // A single change cannot be split; with two parts, each is the other's complement.
        let subsets = if c.len() < 2 { 0 } else { n };
        let complements = if c.len() < 2 || n == 2 { 0 } else { n };

        let whole = c.clone();
        let reduce_to_subset = (0..subsets).map(move |i| Ddmin::new(whole.part(i, n)));
        let reduce_to_complement =
            (0..complements).map(move |i| Ddmin { c: c.minus(&c.part(i, n)), n: n - 1 });

        let next = reduce_to_subset.chain(reduce_to_complement);
        Box::new(next.map(|next| Case::when(next.c.clone(), Fail, move || next.clone())))
    }

    fn otherwise(&self) -> Option<Ddmin> {
        let increase_granularity = self.n < self.c.len();
        increase_granularity.then(|| Ddmin { n: self.c.len().min(2 * self.n), ..self.clone() })
    }

    fn best(&self) -> Config {
        self.c.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Promise, check_laws};

    #[test]
    fn ddmin_keeps_the_laws() {
        check_laws(|p| Ddmin::new(p.full.clone()), Promise { one_minimal: true, bound: |n| n * n + 3 * n });
    }
}
