//! Facts about the two versions, and in which configs each is true.
//!
//! A fact is true where the text it was read from is there. Text is there under the condition of its pieces in the
//! weave, so every fact has a condition: empty for text that both versions have, `unless 3` for what change 3 takes
//! away, `when 5` for what change 5 puts in. A fact read in both versions from the same text is one fact.

use crate::side::Spot;
use crate::weave::Literal;
use std::collections::HashMap;

/// A fact by number.
pub(super) type Fact = u32;
/// A name by number.
pub(super) type Name = u32;

/// All facts and names.
#[derive(Debug, Default)]
pub(super) struct Facts {
    conditions: Vec<Box<[Literal]>>,
    condition_numbers: HashMap<Box<[Literal]>, u32>,
    facts: Vec<u32>,
    fact_numbers: HashMap<(Spot, u32), Fact>,
    names: Vec<Box<[u8]>>,
    name_numbers: HashMap<Box<[u8]>, Name>,
}

impl Facts {
    /// The number of a name.
    pub(super) fn name(&mut self, text: &[u8]) -> Name {
        if let Some(&name) = self.name_numbers.get(text) {
            return name;
        }
        let name = self.names.len() as Name;
        self.names.push(text.into());
        self.name_numbers.insert(text.into(), name);
        name
    }

    /// The text of a name.
    pub(super) fn text(&self, name: Name) -> &[u8] {
        &self.names[name as usize]
    }

    /// The condition under which a fact is true.
    pub(super) fn condition(&self, fact: Fact) -> &[Literal] {
        &self.conditions[self.facts[fact as usize] as usize]
    }

    /// Whether the fact is true in every config.
    pub(super) fn is_kept(&self, fact: Fact) -> bool {
        self.condition(fact).is_empty()
    }

    /// A fact that was read at a spot and is true under a condition.
    pub(super) fn fact(&mut self, spot: Spot, mut condition: Vec<Literal>) -> Fact {
        condition.sort_by_key(|l| (l.change(), matches!(l, Literal::Unless(_))));
        condition.dedup();
        let condition = condition.into_boxed_slice();
        let number = match self.condition_numbers.get(&condition) {
            Some(&number) => number,
            None => {
                let number = self.conditions.len() as u32;
                self.conditions.push(condition.clone());
                self.condition_numbers.insert(condition, number);
                number
            }
        };
        *self.fact_numbers.entry((spot, number)).or_insert_with(|| {
            self.facts.push(number);
            self.facts.len() as Fact - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weave::Literal::When;

    #[test]
    fn a_fact_read_in_both_versions_from_the_same_text_is_one_fact() {
        let mut facts = Facts::default();
        let kept = facts.fact((0, 1, 2), vec![]);
        assert_eq!(facts.fact((0, 1, 2), vec![]), kept);
        assert_ne!(facts.fact((0, 1, 2), vec![When(1)]), kept);
        let both = facts.fact((0, 1, 2), vec![When(2), When(1), When(2)]);
        assert_eq!(facts.condition(both), [When(1), When(2)]);
    }
}
