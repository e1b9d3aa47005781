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

/// ddmin that sweeps: after a complement fails it goes on with the parts that are left.
///
/// A round takes its config in `n` parts, asks of each part once whether it can go, and doubles the parts that
/// stayed. The round of single changes is repeated until none of them goes, so the result is 1-minimal.
///
/// Progress: every next state has a smaller config; a round without success is followed by one of more parts.
#[derive(Clone, Debug)]
pub struct SweepDdmin {
    /// The config that the round took in parts.
    whole: Config,
    n: usize,
    /// What is left of it.
    c: Config,
    /// How many parts are behind the sweep, and how many of those were deleted.
    swept: usize,
    deleted: usize,
    subsets: bool,
}

impl SweepDdmin {
    /// Minimises a config that fails.
    pub fn new(c: Config) -> SweepDdmin {
        SweepDdmin::round(c, 2, true)
    }

    /// Minimises a config that fails, without asking whether a part alone is enough.
    ///
    /// A single part is rarely enough where several changes matter, and those questions are half of all.
    pub fn complements_only(c: Config) -> SweepDdmin {
        SweepDdmin::round(c, 2, false)
    }

    fn round(c: Config, n: usize, subsets: bool) -> SweepDdmin {
        SweepDdmin { n: n.min(c.len()), whole: c.clone(), c, swept: 0, deleted: 0, subsets }
    }

    fn reduce_to_subset(&self, i: usize) -> SweepDdmin {
        SweepDdmin::round(self.whole.part(i, self.n), 2, self.subsets)
    }

    fn reduce_to_complement(&self, i: usize) -> SweepDdmin {
        let c = self.c.minus(&self.whole.part(i, self.n));
        SweepDdmin { c, swept: i + 1, deleted: self.deleted + 1, ..self.clone() }
    }
}

impl Search for SweepDdmin {
    fn cases(&self) -> Cases<SweepDdmin> {
        let n = self.n;
        // The subsets come first in a round; with two parts, each is the other's complement.
        let subsets = if self.subsets && self.swept == 0 && n > 1 { n } else { 0 };
        let answered_by_subsets = self.subsets && n == 2;
        let last_one_left = n - self.deleted < 2;
        let complements = if answered_by_subsets || last_one_left { n..n } else { self.swept..n };

        let (here, there) = (self.clone(), self.clone());
        let reduce_to_subset = (0..subsets).map(move |i| here.reduce_to_subset(i));
        let reduce_to_complement = complements.map(move |i| there.reduce_to_complement(i));

        let next = reduce_to_subset.chain(reduce_to_complement);
        Box::new(next.map(|next| Case::when(next.c.clone(), Fail, move || next.clone())))
    }

    fn otherwise(&self) -> Option<SweepDdmin> {
        let one_minimal = self.n == self.whole.len() && self.deleted == 0;
        (!one_minimal).then(|| SweepDdmin::round(self.c.clone(), 2 * (self.n - self.deleted), self.subsets))
    }

    fn best(&self) -> Config {
        self.c.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Oracle, Promise, Simulated, check_laws, converse};
    use crate::list::figures;

    /// The paper's bound, which the sweep keeps too.
    const PROMISE: Promise = Promise { one_minimal: true, bound: |n| n * n + 3 * n };

    #[test]
    fn ddmin_keeps_the_laws() {
        check_laws(|p| Ddmin::new(p.full.clone()), PROMISE);
    }

    #[test]
    fn sweep_ddmin_keeps_the_laws() {
        check_laws(|p| SweepDdmin::new(p.full.clone()), PROMISE);
    }

    #[test]
    fn sweep_ddmin_without_subsets_keeps_the_laws() {
        check_laws(|p| SweepDdmin::complements_only(p.full.clone()), PROMISE);
    }

    #[test]
    fn ddmin_asks_the_thirty_questions_of_wdd_fig_2a() {
        let said = converse(Ddmin::new(figures::eight()), figures::wdd).asked_once();
        said.check(
            "{1-4} P
             {5-8} P
             {1,2} P
             {3,4} P
             {5,6} P
             {7,8} P
             {3-8} P
             {1,2,5-8} P
             {1-4,7,8} P
             {1-6} P
             {1} P
             {2} P
             {3} P
             {4} P
             {5} P
             {6} P
             {7} P
             {8} P
             {2-8} P
             {1,3-8} F
             {1,4-8} P
             {1,3,5-8} F
             {3,5-8} P
             {1,5-8} P
             {1,3,6-8} F
             {3,6-8} P
             {1,6-8} P
             {1,3,7,8} P
             {1,3,6,8} P
             {1,3,6,7} P
             -> {1,3,6-8}",
        );
        assert_eq!(said.questions.len(), 30);
        assert_eq!(said.failing(), [20, 22, 25]);
        let without_7 = said.questions.iter().filter(|q| !q.config.contains(7));
        assert_eq!(without_7.count(), 13, "how often the paper says the heaviest node is tried");
    }

    #[test]
    fn ddmin_asks_the_twenty_eight_questions_of_probdd_fig_1() {
        // The figure leaves out the repeated subsets and prints the repeated complement, as its line 24.
        let said = converse(Ddmin::new(figures::eight()), figures::probdd);
        said.check(
            "{1-4} P
             {5-8} P
             {1,2} P
             {3,4} P
             {5,6} P
             {7,8} P
             {3-8} P
             {1,2,5-8} P
             {1-4,7,8} P
             {1-6} P
             {1} P
             {2} P
             {3} P
             {4} P
             {5} P
             {6} P
             {7} P
             {8} P
             {2-8} P
             {1,3-8} P
             {1,2,4-8} F
             {1} P = 11
             {2} P = 12
             {4} P = 14
             {5} P = 15
             {6} P = 16
             {7} P = 17
             {8} P = 18
             {2,4-8} P
             {1,4-8} P
             {1,2,5-8} P = 8
             {1,2,4,6-8} P
             {1,2,4,5,7,8} P
             {1,2,4-6,8} P
             {1,2,4-7} P
             -> {1,2,4-8}",
        );
        let printed = said.questions.iter().filter(|q| q.repeats.is_none() || q.config.len() > 1);
        assert_eq!(printed.count(), 28);
        assert_eq!(said.distinct(), 27);
        let without_8 = said.questions.iter().filter(|q| q.repeats.is_none() && !q.config.contains(8));
        assert_eq!(without_8.count(), 13, "how often the paper says the last line is tried");
    }

    #[test]
    fn sweep_ddmin_goes_on_after_a_success_and_repeats_the_last_round() {
        converse(SweepDdmin::new(figures::eight()), figures::wdd).check(
            "{1-4} P
             {5-8} P
             {1,2} P
             {3,4} P
             {5,6} P
             {7,8} P
             {3-8} P
             {1,2,5-8} P
             {1-4,7,8} P
             {1-6} P
             {1} P
             {2} P
             {3} P
             {4} P
             {5} P
             {6} P
             {7} P
             {8} P
             {2-8} P
             {1,3-8} F
             {1,4-8} P
             {1,3,5-8} F
             {1,3,6-8} F
             {1,3,7,8} P
             {1,3,6,8} P
             {1,3,6,7} P
             {1} P = 11
             {3} P = 13
             {6} P = 16
             {7} P = 17
             {8} P = 18
             {3,6-8} P
             {1,6-8} P
             {1,3,7,8} P = 24
             {1,3,6,8} P = 25
             {1,3,6,7} P = 26
             -> {1,3,6-8}",
        );
    }

    #[test]
    fn sweep_ddmin_without_subsets_asks_only_what_can_go() {
        converse(SweepDdmin::complements_only(figures::eight()), figures::wdd).check(
            "{5-8} P
             {1-4} P
             {3-8} P
             {1,2,5-8} P
             {1-4,7,8} P
             {1-6} P
             {2-8} P
             {1,3-8} F
             {1,4-8} P
             {1,3,5-8} F
             {1,3,6-8} F
             {1,3,7,8} P
             {1,3,6,8} P
             {1,3,6,7} P
             {3,6-8} P
             {1,6-8} P
             {1,3,7,8} P = 12
             {1,3,6,8} P = 13
             {1,3,6,7} P = 14
             -> {1,3,6-8}",
        );
    }

    #[test]
    fn sweep_ddmin_does_not_take_away_the_last_part() {
        let oracle = Simulated::monotone(4, [3]);
        converse(SweepDdmin::complements_only(Config::full(4)), |c| oracle.test(c)).check(
            "{2,3} F
             {3} F
             -> {3}",
        );
    }
}
