//! Galloping: the weightiest first, and more at once as long as that goes well.
//!
//! For changes that hold others: one that others need is asked about with all of these, and they are asked about only when
//! it cannot go. Whether one of a thousand matters or every second is not known before; so the next question takes out
//! twice as much after a *yes* and half as much after a *no*, and what a group of several cannot go for is found by halving
//! (exponential and binary search, Bentley and Yao 1976).
//!
//! ```text
//!   open     . . . . . . . . d c b a      changes that need nothing but what cannot go, the weightiest last
//!   ask      kept \ {a}                   goes: ask about {b, c} with all that need them
//!            kept \ {b, c}                does not: one of them cannot go, ask about {b}
//!            kept \ {b}                   goes: it is c, and what needs only c is open now
//! ```
//!
//! Why not pith? It expects few that matter, in one list; where every third does, finding each by halving what is left
//! costs more than asking about each. And where time is short what is large should go first.

use crate::{Answer, Case, Cases, Config, Odds, Problem, Search, no_cases, one_case};

/// One that is this suspicious is asked about after those that need it.
const SUSPICIOUS: f64 = 0.8;

/// Takes out changes with those that need them; whoever numbers them gives the weightiest the highest numbers.
///
/// The prior of a change is the chance that it cannot go where what it needs cannot. Changes that need each other are
/// never asked about. Promises nothing but a config that fails. Progress: every answer takes something out, makes the
/// suspects fewer, or finds one that cannot go.
#[derive(Clone, Debug)]
pub struct Gallop {
    problem: Problem,
    /// What is left; known to fail.
    kept: Config,
    /// What those that need it do not wait for: it cannot go, or is too suspicious.
    passed: Config,
    /// What can be asked about: all that it needs is passed.
    open: Config,
    /// How many are asked about next.
    stride: usize,
    /// Some of those that are open, of which one cannot go.
    suspects: Config,
}

impl Gallop {
    /// Takes changes out of a problem, which fails.
    pub fn new(problem: &Problem) -> Gallop {
        let start = Gallop {
            problem: problem.clone(),
            kept: problem.full.clone(),
            passed: Config::empty(),
            open: Config::empty(),
            stride: 1,
            suspects: Config::empty(),
        };
        let free = problem.full.iter().filter(|&change| start.is_free(change)).collect();
        start.with_open(free).settled()
    }

    fn is_free(&self, change: u32) -> bool {
        let mut needs = self.problem.couplings.needs(change).map(|coupling| coupling.needed);
        needs.all(|needed| self.passed.contains(needed) || !self.kept.contains(needed))
    }

    /// Lets these be asked about, and those that need only them where they are suspicious.
    fn with_open(mut self, free: Config) -> Gallop {
        let suspicious = free.iter().filter(|&change| self.problem.prior(change) > SUSPICIOUS).collect();
        self.open = self.open.union(&free);
        self.with_passed(suspicious)
    }

    fn with_passed(mut self, passed: Config) -> Gallop {
        if passed.is_subset(&self.passed) {
            return self;
        }
        self.passed = self.passed.union(&passed);
        let held = passed.iter().flat_map(|change| self.problem.couplings.needed_by(change));
        let held = held.map(|coupling| coupling.dependent).filter(|&held| self.kept.contains(held));
        let free = held.filter(|&held| !self.passed.contains(held) && self.is_free(held)).collect();
        self.with_open(free)
    }

    /// What is asked about next.
    fn asked(&self) -> Config {
        let last = |of: &Config, count: usize| of.ranked(of.len().saturating_sub(count)..of.len());
        match self.suspects.len() {
            0 => last(&self.open, self.stride),
            suspects => last(&self.suspects, suspects.div_ceil(2)),
        }
    }

    /// What is left without these.
    fn without(&self, gone: &Config) -> Config {
        self.kept.minus(&self.problem.couplings.dependents(gone, &self.kept))
    }

    /// Answers what needs no question: one suspect cannot go, and nothing is left where all go.
    fn settled(mut self) -> Gallop {
        loop {
            let asked = match self.suspects.len() {
                1 => self.suspects.clone(),
                _ => self.asked(),
            };
            if asked.is_empty() || !(self.suspects.len() == 1 || self.without(&asked).is_empty()) {
                return self;
            }
            self = self.cannot_go(asked);
        }
    }

    /// These cannot go together.
    fn cannot_go(mut self, changes: Config) -> Gallop {
        if changes.len() > 1 {
            return Gallop { suspects: changes, ..self };
        }
        self.suspects = Config::empty();
        self.open = self.open.minus(&changes);
        self.with_passed(changes)
    }

    fn told(&self, asked: &Config, goes: bool) -> Gallop {
        if !goes {
            let stride = (self.stride / 2).max(1);
            return Gallop { stride, ..self.clone() }.cannot_go(asked.clone()).settled();
        }
        let kept = self.without(asked);
        let stride = if self.suspects.is_empty() { self.stride * 2 } else { self.stride };
        let (open, suspects) = (self.open.intersection(&kept), self.suspects.intersection(&kept));
        Gallop { kept, open, suspects, stride, ..self.clone() }.settled()
    }
}

impl Search for Gallop {
    fn cases(&self) -> Cases<Gallop> {
        let (this, asked) = (self.clone(), self.asked());
        if asked.is_empty() {
            return no_cases();
        }
        let next = move |answer: &Answer| this.told(&asked, answer.fails());
        one_case(Case::ask(self.without(&self.asked()), Odds::of_failing(0.5), next))
    }

    fn otherwise(&self) -> Option<Gallop> {
        None
    }

    fn best(&self) -> Config {
        self.kept.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Oracle, Promise, Simulated, check_laws, converse};
    use crate::{Coupling, Couplings};

    #[test]
    fn gallop_keeps_the_laws() {
        check_laws(Gallop::new, Promise { one_minimal: false, bound: |n| 2 * n + 4 });
    }

    #[test]
    fn gallop_takes_more_after_a_success_and_finds_what_cannot_go_by_halving() {
        let oracle = Simulated::monotone(9, [3]);
        let said = converse(Gallop::new(&Problem::new(9)), |c| oracle.test(c));
        let expected =
            ["{0-7} F", "{0-5} F", "{0,1} P", "{0-3} F", "{0-2} P", "{0,1,3} F", "{3} F", "-> {3}"];
        assert_eq!(said.to_string(), expected.join("\n"));
    }

    #[test]
    fn what_needs_another_goes_with_it_and_is_asked_about_when_that_stays() {
        // 5 holds 4 and 3, and 4 holds 2 and 1.
        let holds = [(4, 5), (3, 5), (2, 4), (1, 4)];
        let couplings = Couplings::given(holds.map(|(held, by)| Coupling::certain(held, by)));
        let oracle = Simulated { known: couplings, ..Simulated::monotone(6, [1, 4, 5]) };
        let said = converse(Gallop::new(&oracle.problem()), |c| oracle.test(c));
        let expected =
            ["{0} P", "{0,3,5} P", "{0-2,4,5} F", "{0,4,5} P", "{0,1,4,5} F", "{1,4,5} F", "-> {1,4,5}"];
        assert_eq!(said.to_string(), expected.join("\n"));
    }

    #[test]
    fn one_that_is_nearly_all_of_what_cannot_go_is_asked_about_after_what_needs_it() {
        let couplings = Couplings::given([(1, 0), (2, 1), (3, 1)].map(|(a, b)| Coupling::certain(a, b)));
        let problem = Problem::new(4).with_couplings(couplings).with_priors([0.5, 0.9, 0.3, 0.3]);
        let said = converse(Gallop::new(&problem), |c| {
            Answer::bare(if c.contains(2) { crate::Outcome::Fail } else { crate::Outcome::Pass })
        });
        assert_eq!(said.to_string(), ["{0-2} F", "{0} P", "{0,1} P", "{0} P = 2", "-> {0-2}"].join("\n"));
    }
}
