//! Which closing bracket can serve which opening one.
//!
//! By lines, a `}` that both versions have may close one block in the old version and another in the new:
//!
//! ```text
//!     void f() {               void f() {
//!       for (;;) {               g();
//!         g();
//!       }                      }            <- the same line
//!     }
//! ```
//!
//! It can close `f` only where the loop has gone. So what opens or closes a bracket counts only where the other
//! brackets that it goes with in some version are not there.

use super::fact::Fact;
use super::reader::Read;
use crate::weave::Literal;
use std::collections::{BTreeMap, BTreeSet};

/// Tells the rules for each bracket which others it can go with.
pub(super) fn pair(read: &mut Read) {
    let mut closers: BTreeMap<Fact, BTreeSet<Fact>> = BTreeMap::new();
    let mut openers: BTreeMap<Fact, BTreeSet<Fact>> = BTreeMap::new();
    for &(opener, closer) in &read.laws.brackets {
        closers.entry(opener).or_default().insert(closer);
        openers.entry(closer).or_default().insert(opener);
    }
    for (opener, closer) in read.laws.brackets.clone() {
        let free_closer = free(read, closer, opener, &openers[&closer]);
        let free_opener = free(read, opener, closer, &closers[&opener]);
        read.laws.closed_by.push((opener, free_closer));
        read.laws.opened_by.push((closer, free_opener));
    }
}

/// A bracket that does not go with another than a given one.
fn free(read: &mut Read, bracket: Fact, with: Fact, all: &BTreeSet<Fact>) -> Fact {
    let mut condition: Vec<Literal> = read.facts.condition(bracket).to_vec();
    let own = condition.len();
    for &other in all.iter().filter(|&&other| other != with) {
        if let &[literal] = read.facts.condition(other) {
            condition.push(literal.negated());
        }
    }
    if condition.len() == own { bracket } else { read.facts.fact((u32::MAX, bracket, with), condition) }
}
