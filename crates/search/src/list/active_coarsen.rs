//! ActiveCoarsen: remove at random, and learn how boldly (Liang, Tripp and Naik, "Learning minimal
//! abstractions", POPL 2011); the baseline of ProbDD's section 5.2.3.
//!
//! A round keeps every undecided change with probability alpha. If the failure is still there, what was dropped
//! is gone. If it is not and only one change was dropped, that change is needed. Removal is fastest when about
//! one round in e succeeds, so alpha = sigmoid(theta) follows the answers: theta moves by the same small step,
//! down after a success and up after a failed round, in the proportion that keeps this rate.
//!
//! Two departures make it end on every test. A draw that drops nothing, and the draw after [`PATIENCE`] rounds
//! in a row that decided nothing, drops one change alone. So at most `PATIENCE + 1` questions decide a change.
//! And a draw that drops everything is not asked about, as the empty config is known to pass; it counts as a
//! failed round.

use crate::{Case, Cases, Config, Odds, Problem, Random, Search, no_cases, one_case};

/// After so many rounds in a row that decided nothing, a change is tried alone.
pub const PATIENCE: usize = 30;

/// The rate of success that alpha is held at.
const TARGET: f64 = 1.0 / std::f64::consts::E;

/// What e^theta is multiplied by after a failed round: e to the power of 0.1 times the target.
const BOLDNESS_LOST: f64 = 1.037_472_995_258_174;

/// What e^theta is multiplied by after a success: e to the power of 0.1 times the target less one.
const BOLDNESS_WON: f64 = 0.938_744_386_311_439;

/// ActiveCoarsen over a flat list of changes, with a seed.
///
/// Progress: at most [`PATIENCE`] answers in a row neither remove a change nor find one needed.
#[derive(Clone, Debug)]
pub struct ActiveCoarsen {
    best: Config,
    undecided: Config,
    /// The odds of keeping a change, alpha : 1 - alpha, which is e^theta. Kept as a product, because the last
    /// bit of an exponential depends on the machine, and the answer may not.
    keeping: f64,
    failed_in_a_row: usize,
    random: Random,
}

impl ActiveCoarsen {
    /// Searches in a problem, by the draws that belong to `seed`; alpha starts at one half.
    pub fn new(problem: &Problem, seed: u64) -> ActiveCoarsen {
        let (best, undecided) = (problem.full.clone(), problem.full.clone());
        ActiveCoarsen { best, undecided, keeping: 1.0, failed_in_a_row: 0, random: Random::new(seed) }
    }

    /// The probability with which the next round keeps a change.
    pub fn alpha(&self) -> f64 {
        self.keeping / (1.0 + self.keeping)
    }

    /// What the next round drops, and the state after the draw; `None` when there is nothing to ask.
    fn draw(&self) -> Option<(Config, ActiveCoarsen)> {
        let mut state = self.clone();
        while !state.undecided.is_empty() && state.best.len() > 1 {
            let dropped = state.drop_some();
            if dropped.len() < state.best.len() {
                return Some((dropped, state));
            }
            state = state.failed(&dropped);
        }
        None
    }

    fn drop_some(&mut self) -> Config {
        let (alpha, random) = (self.alpha(), &mut self.random);
        if self.failed_in_a_row < PATIENCE {
            let dropped: Config = self.undecided.iter().filter(|_| !random.chance(alpha)).collect();
            if !dropped.is_empty() {
                return dropped;
            }
        }
        let one = random.below(self.undecided.len());
        self.undecided.ranked(one..one + 1)
    }

    fn succeeded(&self, dropped: &Config) -> ActiveCoarsen {
        ActiveCoarsen {
            best: self.best.minus(dropped),
            undecided: self.undecided.minus(dropped),
            keeping: self.keeping * BOLDNESS_WON,
            failed_in_a_row: 0,
            random: self.random.clone(),
        }
    }

    fn failed(&self, dropped: &Config) -> ActiveCoarsen {
        let mut next = ActiveCoarsen { keeping: self.keeping * BOLDNESS_LOST, ..self.clone() };
        if dropped.len() == 1 {
            next.undecided = self.undecided.minus(dropped);
            next.failed_in_a_row = 0;
        } else {
            next.failed_in_a_row += 1;
        }
        next
    }
}

impl Search for ActiveCoarsen {
    fn cases(&self) -> Cases<ActiveCoarsen> {
        let Some((dropped, drawn)) = self.draw() else { return no_cases() };
        let config = drawn.best.minus(&dropped);
        one_case(Case::ask(config, Odds::of_failing(TARGET), move |answer| match answer.fails() {
            true => drawn.succeeded(&dropped),
            false => drawn.failed(&dropped),
        }))
    }

    fn otherwise(&self) -> Option<ActiveCoarsen> {
        None
    }

    fn best(&self) -> Config {
        self.best.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Oracle, Promise, Simulated, check_laws, converse};

    #[test]
    fn the_steps_of_alpha_are_those_of_theta() {
        assert!((BOLDNESS_LOST.ln() - 0.1 * TARGET).abs() < 1e-9);
        assert!((BOLDNESS_WON.ln() - 0.1 * (TARGET - 1.0)).abs() < 1e-9);
    }

    #[test]
    fn about_one_round_in_e_succeeds_once_alpha_is_learned() {
        let culprits: Config = (0..20).map(|i| i * 97).collect();
        let oracle = Simulated::monotone(20_000, culprits);
        let mut state = ActiveCoarsen::new(&oracle.problem(), 7);
        let mut answers = Vec::new();
        for _ in 0..300 {
            let case = state.cases().next().expect("a question");
            let answer = oracle.test(&case.config);
            state = (case.next)(&answer).expect("an asking case holds for every answer");
            answers.push(answer.fails());
        }
        let succeeded = answers[150..].iter().filter(|fails| **fails).count();
        assert!((40..=70).contains(&succeeded), "{succeeded} of 150 at alpha {}", state.alpha());
    }

    #[test]
    fn another_seed_asks_other_questions_and_finds_the_same() {
        let oracle = Simulated::monotone(40, [3, 30]);
        let said = |seed| converse(ActiveCoarsen::new(&oracle.problem(), seed), |c| oracle.test(c));
        assert_eq!(said(1).to_string(), said(1).to_string());
        assert_ne!(said(1).to_string(), said(2).to_string());
        assert_eq!(said(1).best, said(2).best);
    }

    #[test]
    fn active_coarsen_keeps_the_laws() {
        let promise = Promise { one_minimal: false, bound: |n| (PATIENCE + 1) * n };
        check_laws(|p| ActiveCoarsen::new(p, 11), promise);
    }
}
