//! From *where this is, one of those must be* to *this change needs that one*.
//!
//! A rule does not speak of changes. It says of facts that some cannot be without others: a use without one of its
//! definitions. As every fact has a condition, that is a clause about configs, and what couplings it holds is worked
//! out here, once for all rules and for all ways of changing a program:
//!
//! ```text
//!     use is there      definition is there    clause         coupling
//!     when 1            when 2                 not 1, or 2    1 needs 2     to put in a use needs its definition
//!     unless 1          unless 2               1, or not 2    2 needs 1     to take a definition away needs its
//!                                                                           uses gone
//!     in every config   unless 2, or when 3    not 2, or 3    2 needs 3     a definition that moves
//! ```
//!
//! Both versions are whole programs, so a clause that the old or the new one breaks is no law of them: the rule did
//! not understand the program, and the clause is dropped. That makes it safe to state rules simply.

use crate::weave::Literal;
use std::collections::BTreeSet;

/// What a statement about facts says about changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It holds in every config.
    Holds,
    /// One of the versions breaks it.
    Broken,
    /// It holds where all of these hold.
    Clauses(Vec<Clause>),
}

/// If all of `given` are in a config, so must be one of `wanted`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Clause {
    pub(super) given: BTreeSet<u32>,
    pub(super) wanted: BTreeSet<u32>,
    /// Whether what asks is on one side, and all that it asks for on the other.
    pub(super) asks_apart: bool,
}

/// More alternatives than these are not multiplied out.
const MANY: usize = 6;
/// More clauses than these from one statement say little.
const MANY_CLAUSES: usize = 16;

/// Where all of `premise` holds, one of `alternatives` must.
pub(super) fn judge(premise: &[Literal], alternatives: &[&[Literal]]) -> Verdict {
    if premise.iter().any(|&l| premise.contains(&l.negated())) {
        return Verdict::Holds;
    }
    let mut alternatives: Vec<Vec<Literal>> = alternatives
        .iter()
        .filter(|all| !all.iter().any(|&l| premise.contains(&l.negated()) || all.contains(&l.negated())))
        .map(|all| all.iter().copied().filter(|l| !premise.contains(l)).collect())
        .collect();
    resolve(&mut alternatives);
    if alternatives.iter().any(Vec::is_empty) {
        return Verdict::Holds;
    }
    let mut premises = Clause { given: BTreeSet::new(), wanted: BTreeSet::new(), asks_apart: false };
    premise.iter().for_each(|&l| premises.add(l.negated()));
    if alternatives.len() > MANY {
        return if premises.is_broken_by(&alternatives) { Verdict::Broken } else { Verdict::Holds };
    }
    let mut clauses = vec![premises];
    for alternative in &alternatives {
        let extended = clauses.iter().flat_map(|clause| {
            alternative.iter().map(|&l| {
                let mut clause = clause.clone();
                clause.add(l);
                clause
            })
        });
        clauses = extended.filter(|clause| !clause.is_tautology()).collect();
        if clauses.len() > MANY_CLAUSES {
            return Verdict::Holds;
        }
    }
    if clauses.iter().any(|clause| clause.given.is_empty() || clause.wanted.is_empty()) {
        return Verdict::Broken;
    }
    let asks = |k: &u32| premise.iter().any(|literal| literal.change() == *k);
    for Clause { given, wanted, asks_apart } in &mut clauses {
        let (some_given, some_wanted) = (given.iter().any(asks), wanted.iter().any(asks));
        let whole = if some_given { given.iter().all(asks) } else { wanted.iter().all(asks) };
        *asks_apart = some_given != some_wanted && whole;
    }
    clauses.sort();
    clauses.dedup();
    if clauses.is_empty() { Verdict::Holds } else { Verdict::Clauses(clauses) }
}

impl Clause {
    /// Adds one more way in which it can hold.
    fn add(&mut self, literal: Literal) {
        match literal {
            Literal::When(k) => self.wanted.insert(k),
            Literal::Unless(k) => self.given.insert(k),
        };
    }

    fn is_tautology(&self) -> bool {
        self.given.iter().any(|k| self.wanted.contains(k))
    }

    /// Whether the old or the new version has none of the alternatives although it must.
    fn is_broken_by(&self, alternatives: &[Vec<Literal>]) -> bool {
        let is_old = |l: &Literal| matches!(l, Literal::Unless(_));
        let in_old = self.given.is_empty() && !alternatives.iter().any(|all| all.iter().all(is_old));
        let in_new = self.wanted.is_empty() && !alternatives.iter().any(|all| all.iter().all(|l| !is_old(l)));
        in_old || in_new
    }
}

/// Joins alternatives that differ in one change only: text that a change replaces is there with it and without.
fn resolve(alternatives: &mut Vec<Vec<Literal>>) {
    alternatives.sort_by_key(|all| {
        all.iter().map(|l| (l.change(), *l == Literal::When(l.change()))).collect::<Vec<_>>()
    });
    alternatives.dedup();
    // Joining is quadratic, and of many alternatives one is nearly always there.
    while alternatives.len() <= 4 * MANY {
        let pair = (0..alternatives.len())
            .find_map(|i| (0..i).find_map(|j| Some((i, j, joined(&alternatives[i], &alternatives[j])?))));
        let Some((i, j, joined)) = pair else { return };
        alternatives.remove(i);
        alternatives[j] = joined;
    }
}

fn joined(a: &[Literal], b: &[Literal]) -> Option<Vec<Literal>> {
    if a.iter().all(|l| b.contains(l)) {
        return Some(a.to_vec());
    }
    if b.iter().all(|l| a.contains(l)) {
        return Some(b.to_vec());
    }
    let differ: Vec<Literal> = a.iter().copied().filter(|l| !b.contains(l)).collect();
    let [differs] = differ[..] else { return None };
    let is_joint =
        b.contains(&differs.negated()) && b.iter().all(|&l| l == differs.negated() || a.contains(&l));
    is_joint.then(|| a.iter().copied().filter(|l| *l != differs).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weave::Literal::{Unless, When};
    use nub_search::Config;

    impl Clause {
        fn holds(&self, config: &Config) -> bool {
            !self.given.iter().all(|k| config.contains(*k)) || self.wanted.iter().any(|k| config.contains(*k))
        }
    }

    fn check(premise: &[Literal], alternatives: &[&[Literal]], expected: &[(u32, u32)]) {
        let Verdict::Clauses(clauses) = judge(premise, alternatives) else {
            panic!("{:?}", judge(premise, alternatives))
        };
        let pairs: Vec<(u32, u32)> =
            clauses.iter().map(|c| (*c.given.first().unwrap(), *c.wanted.first().unwrap())).collect();
        assert!(clauses.iter().all(|c| c.given.len() == 1 && c.wanted.len() == 1), "{clauses:?}");
        assert_eq!(pairs, expected);
    }

    #[test]
    fn what_is_put_in_needs_what_it_needs_to_be_put_in() {
        check(&[When(1)], &[&[When(2)]], &[(1, 2)]);
        check(&[When(1)], &[&[When(2), When(3)]], &[(1, 2), (1, 3)]);
    }

    #[test]
    fn what_is_taken_away_needs_what_needs_it_to_be_gone() {
        check(&[Unless(1)], &[&[Unless(2)]], &[(2, 1)]);
    }

    #[test]
    fn what_is_needed_always_and_moves_must_come_where_it_goes() {
        check(&[], &[&[Unless(2)], &[When(3)]], &[(2, 3)]);
    }

    #[test]
    fn two_that_exclude_each_other() {
        check(&[When(1), Unless(2)], &[], &[(1, 2)]);
    }

    #[test]
    fn what_one_change_replaces_is_there_in_every_config() {
        assert_eq!(judge(&[When(1)], &[&[Unless(2)], &[When(2)]]), Verdict::Holds);
        assert_eq!(judge(&[When(1)], &[&[When(1)]]), Verdict::Holds);
        assert_eq!(judge(&[When(1), Unless(1)], &[]), Verdict::Holds);
    }

    #[test]
    fn what_a_version_breaks_is_no_law() {
        assert_eq!(judge(&[], &[&[When(2)]]), Verdict::Broken, "the old version lacks it");
        assert_eq!(judge(&[Unless(1)], &[&[When(2)]]), Verdict::Broken);
        assert_eq!(judge(&[When(1)], &[]), Verdict::Broken, "the new version lacks it");
    }

    #[test]
    fn clauses_hold_in_exactly_the_configs_where_the_statement_does() {
        // All statements over three changes with a premise of two and two alternatives of two literals.
        let literals = [When(0), When(1), When(2), Unless(0), Unless(1), Unless(2)];
        let pairs: Vec<[Literal; 2]> = literals.iter().flat_map(|&a| literals.map(|b| [a, b])).collect();
        let holds = |all: &[Literal], config: &Config| all.iter().all(|l| l.holds(config));
        for premise in &pairs {
            for a in &pairs {
                for b in &pairs {
                    let verdict = judge(premise, &[a, b]);
                    let mut ends_hold = true;
                    for bits in 0..8u32 {
                        let config: Config = (0..3).filter(|k| bits >> k & 1 == 1).collect();
                        let is_so = !holds(premise, &config) || holds(a, &config) || holds(b, &config);
                        ends_hold &= is_so || (bits != 0 && bits != 7);
                        let by_clauses = match &verdict {
                            Verdict::Holds => true,
                            Verdict::Broken => is_so,
                            Verdict::Clauses(clauses) => clauses.iter().all(|c| c.holds(&config)),
                        };
                        assert_eq!(
                            by_clauses, is_so,
                            "{premise:?} -> {a:?} | {b:?} in {config:?}: {verdict:?}"
                        );
                    }
                    assert_eq!(verdict == Verdict::Broken, !ends_hold, "{premise:?} -> {a:?} | {b:?}");
                }
            }
        }
    }
}
