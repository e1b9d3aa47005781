//! What every search obeys, simulated oracles to check it with, and recorded conversations.
//!
//! 1. *Pure*: the same state lists the same cases.
//! 2. *Progress*: the search ends, within the number of questions its paper promises.
//! 3. *Witnessed*: its best config is the start or was seen to fail.
//! 4. *Same answer*: at any width, with any order of completion.
//! 5. *Promise*: 1-minimal, where the paper says so.
//! 6. *Resume*: from any prefix of the recorded answers, without asking them again.

mod conversation;
mod oracle;

pub use conversation::{Conversation, Said, converse};
pub use oracle::{Naming, Oracle, Simulated, random_couplings};

use crate::{Answer, Config, Outcome, Problem, Random, Search, Walk};
use std::collections::HashMap;

/// What an algorithm's paper promises of it.
#[derive(Clone, Copy)]
pub struct Promise {
    /// No single change can be taken from the result without losing the failure, on any deterministic oracle.
    pub one_minimal: bool,
    /// The largest number of distinct questions for `n` changes.
    pub bound: fn(n: usize) -> usize,
}

/// Checks all laws on generated problems; panics with the problem where one is broken.
pub fn check_laws<S: Search>(make: impl Fn(&Problem) -> S, promise: Promise) {
    check_laws_up_to(40, make, promise);
}

/// Checks all laws on problems of at most `largest` changes, for searches that ask too much of larger ones.
pub fn check_laws_up_to<S: Search>(largest: usize, make: impl Fn(&Problem) -> S, promise: Promise) {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let n = 1 + random.below(largest.min(if seed % 3 == 0 { 40 } else { 14 }));
        for oracle in oracle::generated(n, &mut random) {
            let problem = oracle.problem();
            let context = format!("seed {seed}, n {n}, {oracle:?}");
            let start = make(&problem);
            check_pure(&start, &oracle, &context);
            let said = converse(start.clone(), |c| oracle.test(c));
            assert!(
                said.distinct() <= (promise.bound)(n),
                "progress: {} questions, {context}",
                said.distinct()
            );
            check_witnessed(&said, &problem, &context);
            if promise.one_minimal {
                check_one_minimal(&said.best, &oracle, &context);
            }
            for width in [1, 2, 3, 8, 16] {
                let (best, answers) = drive(start.clone(), &oracle, width, HashMap::new(), seed);
                assert_eq!(best, said.best, "same answer at width {width}, {context}");
                assert!(
                    said.questions.iter().all(|q| answers.contains_key(&q.config)),
                    "needed tests are run"
                );
                if width == 1 {
                    assert_eq!(answers.len(), said.distinct(), "no guesses at width 1, {context}");
                }
            }
            let prefix = random.below(said.questions.len() + 1);
            let recorded: HashMap<Config, Answer> =
                said.questions[..prefix].iter().map(|q| (q.config.clone(), q.answer.clone())).collect();
            let (best, answers) = drive(start.clone(), &oracle, 1, recorded, seed);
            assert_eq!(best, said.best, "resumed, {context}");
            assert_eq!(answers.len(), said.distinct(), "resumed without asking again, {context}");
        }
    }
}

fn check_pure<S: Search>(start: &S, oracle: &impl Oracle, context: &str) {
    let list = |state: &S| state.cases().take(200).map(|case| case.config).collect::<Vec<_>>();
    let mut state = start.clone();
    for _ in 0..20 {
        assert_eq!(list(&state), list(&state.clone()), "pure, {context}");
        let held = state.cases().find_map(|case| (case.next)(&oracle.test(&case.config)));
        match held.or_else(|| state.otherwise()) {
            Some(next) => state = next,
            None => break,
        }
    }
}

fn check_witnessed(said: &Conversation, problem: &Problem, context: &str) {
    let seen = said.questions.iter().any(|q| q.config == said.best && q.answer.fails());
    assert!(seen || said.best == problem.full, "witnessed: {}, {context}", said.best);
}

fn check_one_minimal(best: &Config, oracle: &impl Oracle, context: &str) {
    if best.len() < 2 {
        return;
    }
    for i in best.iter() {
        let fewer = best.without(i);
        assert_ne!(oracle.test(&fewer).outcome, Outcome::Fail, "1-minimal: {best} without {i}, {context}");
    }
}

/// Drives a search over `width` tests at a time that end in random order; returns the result and all answers.
pub fn drive<S: Search>(
    start: S,
    oracle: &impl Oracle,
    width: usize,
    mut answers: HashMap<Config, Answer>,
    seed: u64,
) -> (Config, HashMap<Config, Answer>) {
    let mut random = Random::new(seed ^ 0x5eed);
    let mut walk = Walk::new(start);
    while walk.settle(&|c: &Config| answers.get(c).cloned(), |_, _| ()).is_some() {
        let wanted = walk.frontier(&|c: &Config| answers.get(c).cloned(), width);
        let ended = wanted[random.below(wanted.len())].clone();
        let answer = oracle.test(&ended);
        answers.insert(ended, answer);
    }
    (walk.state().best(), answers)
}
