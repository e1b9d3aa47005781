//! DDJ's search: ddmin over groups of changes, with what they need added or what needs them taken out
//! (Hashimoto, Mori and Izumida, ESEC/FSE 2018, sections 4 and 5).
//!
//! Rules couple changes before the first test. What needs each other is one *component*, and ddmin works on
//! components; the couplings between components have a direction. A variant that breaks one is never built:
//!
//! ```text
//!   a part           by removing:  what needs something outside the part goes
//!   a complement     by adding:    what the complement needs comes back
//! ```
//!
//! The paper builds on Zeller's program, in which a scan goes on after a complement that failed, with the part
//! that follows; so does this one. Its stages, from files down to changes, are [`Stages`] around it.
//!
//! The paper leaves open what the complement of a part is that lost changes to the first direction. Here it is the
//! complement of the whole part. Rules are taken for granted, as in the paper: no variant that breaks one is tried,
//! and broken builds teach nothing.

use crate::combine::{Grouping, Stages};
use crate::coupling::strongly_connected;
use crate::{Answer, Case, Cases, Config, Couplings, Outcome::Fail, Problem, Search};

/// DDJ's ddmin of changes that need each other.
///
/// Every question is closed under the couplings. Where these are right the result is 1-minimal. Progress: every
/// next state has a smaller config, or the same config in more parts.
#[derive(Clone, Debug)]
pub struct Ddj {
    c: Config,
    n: usize,
    /// The part whose complement is asked about first: where the last success was.
    from: usize,
    couplings: Couplings,
}

impl Ddj {
    /// Minimises a problem's changes, in components.
    pub fn in_components(problem: &Problem) -> Stages<Ddj> {
        let problem = problem.clone().with_couplings(that_hold(problem));
        let components = components(&problem);
        Stages::down_to(&problem, [components], Ddj::new, Ddj::new)
    }

    /// Minimises a problem whose changes are components.
    fn new(problem: &Problem) -> Ddj {
        Ddj { c: problem.full.clone(), n: 2, from: 0, couplings: problem.couplings.clone() }
    }

    fn part(&self, i: usize) -> Config {
        self.c.part(i, self.n)
    }

    /// What is left of a part without those that need something outside it.
    fn by_removing(&self, part: &Config) -> Config {
        let outside = self.c.minus(part);
        part.minus(&self.couplings.dependents(&outside, &self.c))
    }

    /// A complement with everything that it needs.
    fn by_adding(&self, complement: &Config) -> Config {
        self.couplings.close(complement)
    }

    fn reduce_to_subset(&self, i: usize) -> Ddj {
        Ddj { c: self.by_removing(&self.part(i)), n: 2, from: 0, couplings: self.couplings.clone() }
    }

    fn reduce_to_complement(&self, i: usize) -> Ddj {
        let c = self.by_adding(&self.c.minus(&self.part(i)));
        // One part is gone, so the one that followed it has its number now.
        Ddj { c, n: 2.max(self.n - 1), from: i, couplings: self.couplings.clone() }
    }
}

/// The couplings that all changes together keep; they were seen to fail, and so to build.
fn that_hold(problem: &Problem) -> Couplings {
    problem.couplings.learn(&problem.full, &Answer::bare(Fail)).0
}

/// Changes that need each other, directly or in a circle, are a group.
fn components(problem: &Problem) -> Grouping {
    let (full, couplings) = (&problem.full, &problem.couplings);
    let needed = |a| couplings.needs(a).map(|c| c.needed).filter(|b| full.contains(*b));
    let mut group_of = vec![None; full.last().map_or(0, |last| last as usize + 1)];
    // The number of its first change keeps a group in its place.
    strongly_connected(full, needed).iter().for_each(|component| {
        component.iter().for_each(|&change| group_of[change as usize] = component.first().copied());
    });
    Grouping::new(group_of)
}

impl Search for Ddj {
    fn cases(&self) -> Cases<Ddj> {
        let n = if self.c.len() < 2 { 0 } else { self.n.min(self.c.len()) };
        let (here, there, whole) = (self.clone(), self.clone(), self.c.len());
        let reduce_to_subset = (0..n).map(move |i| here.reduce_to_subset(i));
        let complements = (0..n).map(move |i| (i + there.from) % n);
        let this = self.clone();
        let reduce_to_complement = complements.map(move |i| this.reduce_to_complement(i));

        let next = reduce_to_subset.chain(reduce_to_complement);
        let smaller = next.filter(move |next| !next.c.is_empty() && next.c.len() < whole);
        Box::new(smaller.map(|next| Case::when(next.c.clone(), Fail, move || next.clone())))
    }

    fn otherwise(&self) -> Option<Ddj> {
        let increase_granularity = self.n < self.c.len();
        increase_granularity.then(|| {
            let n = self.c.len().min(2 * self.n);
            Ddj { n, from: self.from * n / self.n, ..self.clone() }
        })
    }

    fn best(&self) -> Config {
        self.c.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Naming, Oracle, Promise, Simulated, check_laws, converse, random_couplings};
    use crate::{Coupling, Random};

    /// Fails with these culprits; all couplings are known.
    fn knowing(n: usize, culprits: impl Into<Config>, needs: &[(u32, u32)]) -> Simulated {
        let known = Couplings::given(needs.iter().map(|&(a, b)| Coupling::certain(a, b)));
        let mut really = vec![Vec::new(); n];
        needs.iter().for_each(|&(a, b)| really[a as usize].push(b));
        Simulated { needs: really.into(), known, ..Simulated::monotone(n, culprits) }
    }

    #[test]
    fn ddj_keeps_the_laws() {
        check_laws(Ddj::in_components, Promise { one_minimal: true, bound: |n| n * n + 3 * n });
    }

    #[test]
    fn a_part_loses_what_needs_more_and_a_complement_gets_what_it_needs() {
        let oracle = knowing(6, [1, 4], &[(1, 3), (2, 0), (5, 2)]);
        let said = converse(Ddj::in_components(&oracle.problem()), |c| oracle.test(c)).asked_once();
        said.check(
            "{0,2} P
             {3,4} P
             {0,2-5} P
             {0-3} P
             {0} P
             {3} P
             {4} P
             {0-3,5} P
             {0-4} F
             {0,2-4} P
             {0,1,3,4} F
             {0,1,3} P
             {1,3,4} F
             {1,3} P
             -> {1,3,4}",
        );
    }

    #[test]
    fn what_needs_each_other_stays_together_in_a_circle_too() {
        let oracle = knowing(6, [4], &[(0, 4), (4, 2), (2, 0), (1, 5), (5, 1)]);
        let said = converse(Ddj::in_components(&oracle.problem()), |c| oracle.test(c));
        said.check(
            "{0,2,4} F
             -> {0,2,4}",
        );
    }

    #[test]
    fn a_scan_goes_on_with_the_part_after_a_complement_that_failed() {
        let oracle = Simulated::monotone(8, [0, 3, 7]);
        let said = converse(Ddj::in_components(&oracle.problem()), |c| oracle.test(c)).asked_once();
        said.check(
            "{0-3} P
             {4-7} P
             {0,1} P
             {2,3} P
             {4,5} P
             {6,7} P
             {2-7} P
             {0,1,4-7} P
             {0-3,6,7} F
             {2,3,6,7} P
             {0,1,6,7} P
             {0} P
             {1} P
             {2} P
             {3} P
             {6} P
             {7} P
             {0-3,7} F
             {1-3,7} P
             {0,2,3,7} F
             {0,3,7} F
             {0,7} P
             {0,3} P
             {3,7} P
             -> {0,3,7}",
        );
    }

    #[test]
    fn with_all_couplings_known_every_question_builds_and_the_result_is_the_optimum() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let n = 2 + random.below(40);
            let needs = random_couplings(n, 2.0, &mut random);
            let needs: Vec<(u32, u32)> =
                (0..n as u32).flat_map(|a| needs[a as usize].iter().map(move |&b| (a, b))).collect();
            let oracle = knowing(n, [random.below(n) as u32, random.below(n) as u32], &needs);
            let said = converse(Ddj::in_components(&oracle.problem()), |c| oracle.test(c));
            assert!(said.questions.iter().all(|q| q.answer.built), "{oracle:?}");
            assert_eq!(said.best, oracle.optimum(), "{oracle:?}");
        }
    }

    #[test]
    fn a_rule_that_the_failing_changes_break_is_no_rule_and_messages_are_not_read() {
        let oracle = Simulated {
            needs: vec![vec![1]].into(),
            known: Couplings::given([Coupling::certain(2, 9)]),
            naming: Naming::All,
            ..Simulated::monotone(3, [2])
        };
        let said = converse(Ddj::in_components(&oracle.problem()), |c| oracle.test(c));
        said.check(
            "{0} ?
             {1,2} F
             {1} P
             {2} F
             -> {2}",
        );
    }
}
