//! CDD: counter-based delta debugging, which explains ProbDD without probabilities (Zhang et al., ICSE 2025).
//!
//! Where all changes start alike, ProbDD's probabilities grow by about `1 / (1 - 1/e)` with every failed
//! attempt. So it is enough to count those: after `r` of them the next group is as large as the gain for
//! `p0 / (1 - 1/e)^r` says, and it holds the changes tried least often, the smaller numbers first. The counter
//! is kept here as the probability that it stands for, which sorts the same and gives the odds.

use super::greedy::{Greedy, Model, Suspect};
use super::probdd::gains;
use crate::Problem;
use std::cmp::Ordering;

/// CDD over a flat list of changes; weights and priors play no part.
pub type Cdd = Greedy<Counter>;

/// CDD's model: how often each change was tried.
#[derive(Clone, Debug)]
pub struct Counter {
    p0: f64,
}

impl Cdd {
    /// Searches in a problem; a change not yet tried stands for a probability of 0.25.
    pub fn new(problem: &Problem) -> Cdd {
        Greedy::by(Counter { p0: 0.25 }, problem)
    }

    /// The same search from its start, with another probability to start from.
    pub fn with_p0(self, p0: f64) -> Cdd {
        self.remodelled(|model| model.p0 = p0)
    }
}

impl Model for Counter {
    fn suspects(&self, problem: &Problem) -> Vec<Suspect> {
        problem.full.iter().map(|change| Suspect { change, weight: 1, belief: self.p0 }).collect()
    }

    fn order(&self) -> fn(&Suspect, &Suspect) -> Ordering {
        |a, b| a.belief.total_cmp(&b.belief).then(a.change.cmp(&b.change))
    }

    /// The group is filled up with changes of the next round where this one has too few left.
    fn choose(&self, sorted: &mut dyn Iterator<Item = Suspect>) -> Vec<Suspect> {
        let mut sorted = sorted.peekable();
        let round = sorted.peek().map_or(1.0, |first| first.belief);
        sorted.enumerate().take_while(|(i, _)| *i == 0 || gains(i + 1, round)).map(|(_, s)| s).collect()
    }

    fn raised(&self, suspect: &Suspect, _chance: f64) -> f64 {
        suspect.belief / (1.0 - 1.0 / std::f64::consts::E)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Oracle, Promise, Simulated, check_laws, converse};

    fn check(culprits: impl Into<crate::Config>, conversation: &str) {
        let oracle = Simulated::monotone(8, culprits);
        let said = converse(Cdd::new(&oracle.problem()), |c| oracle.test(c)).to_string();
        let expected: Vec<&str> =
            conversation.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert_eq!(said, expected.join("\n"));
    }

    /// What the authors' program asks about the same lists, but for the empty config.
    #[test]
    fn cdd_asks_in_groups_of_four_then_two_then_one() {
        check(
            [2, 3, 7],
            "
            {4-7} P
            {0-3} P
            {2-7} F
            {4-7} P = 1
            {2,3,6,7} F
            {2,3} P
            {3,6,7} P
            {2,6,7} P
            {2,3,7} F
            {2,3} P = 6
            -> {2,3,7}
            ",
        );
        check(
            [0, 2, 4, 5],
            "
            {4-7} P
            {0-3} P
            {2-7} P
            {0,1,4-7} P
            {0-3,6,7} P
            {0-5} F
            {1-5} P
            {0,2-5} F
            {0,3-5} P
            {0,2,4,5} F
            {0,2,5} P
            {0,2,4} P
            -> {0,2,4,5}
            ",
        );
    }

    #[test]
    fn cdd_keeps_the_laws() {
        // Where nothing can go, n/4 + n/2 + n attempts, and one more where a group is not full.
        check_laws(Cdd::new, Promise { one_minimal: false, bound: |n| 7 * n / 4 + 1 });
    }
}
