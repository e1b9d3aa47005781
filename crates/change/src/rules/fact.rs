//! Facts about the two versions, and in which configs each is true.
//!
//! A fact is true where the text it was read from is there. Text is there under the condition of its pieces in the
//! weave, so every fact has a condition: empty for text that both versions have, `unless 3` for what change 3 takes
//! away, `when 5` for what change 5 puts in. A fact read in both versions from the same text is one fact.

use crate::weave::{Literal, Piece, Weave};
use std::collections::HashMap;
use std::ops::Range;

/// A fact by number.
pub(super) type Fact = u32;
/// A name by number.
pub(super) type Name = u32;

/// Where a fact was read: the file, the piece of its weave, and the byte in the piece.
type Spot = (u32, u32, u32);

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

/// One version of a file: where its bytes stand in the weave.
pub(super) struct Side<'a> {
    is_old: bool,
    file: u32,
    weave: &'a Weave,
    /// Where each piece of this version starts in its text, ascending.
    starts: Vec<usize>,
    /// The number of each of these pieces in the weave.
    pieces: Vec<u32>,
}

impl<'a> Side<'a> {
    /// The old version of a file.
    pub(super) fn old(file: u32, weave: &'a Weave) -> Side<'a> {
        Side::of(true, file, weave, |piece| weave.nth(piece).is_old())
    }

    /// The new version of a file.
    pub(super) fn new(file: u32, weave: &'a Weave) -> Side<'a> {
        Side::of(false, file, weave, |piece| weave.nth(piece).is_new())
    }

    fn of(is_old: bool, file: u32, weave: &'a Weave, is_there: impl Fn(usize) -> bool) -> Side<'a> {
        let (mut starts, mut pieces, mut end) = (Vec::new(), Vec::new(), 0);
        for i in (0..weave.pieces().len()).filter(|&i| is_there(i)) {
            let len = weave.nth(i).text.len();
            if len > 0 {
                starts.push(end);
                pieces.push(i as u32);
                end += len;
            }
        }
        Side { is_old, file, weave, starts, pieces }
    }

    /// Whether it is the old version.
    pub(super) fn is_old(&self) -> bool {
        self.is_old
    }

    fn at(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte).saturating_sub(1)
    }

    /// Where a byte stands in the weave.
    pub(super) fn spot(&self, byte: usize) -> Spot {
        let i = self.at(byte);
        match self.pieces.get(i) {
            Some(&piece) => (self.file, piece, (byte - self.starts[i]) as u32),
            None => (self.file, 0, byte as u32),
        }
    }

    /// The condition under which some bytes are there, each of them.
    pub(super) fn condition<'s>(
        &'s self,
        bytes: &Range<usize>,
    ) -> impl Iterator<Item = Literal> + use<'s, 'a> {
        let first = self.at(bytes.start);
        let end = self.starts.partition_point(|&start| start < bytes.end.max(bytes.start + 1));
        let pieces = self.pieces.get(first..end).unwrap_or(&[]);
        pieces.iter().flat_map(|&piece| self.weave.nth(piece as usize).when.iter().copied())
    }

    /// What only the other version has between two bytes of this one, and the condition under which it is not there.
    ///
    /// Text that depends on several changes is left out: it comes with some that depends on one.
    pub(super) fn absent_between(
        &self,
        from: usize,
        to: usize,
    ) -> impl Iterator<Item = (&'a [u8], Literal)> + '_ {
        let piece = |byte: usize| self.pieces.get(self.at(byte)).copied().unwrap_or(0);
        let between = piece(from) + 1..piece(to).max(piece(from) + 1);
        let others = between.map(|piece| self.weave.nth(piece as usize));
        others.filter_map(move |piece| match piece.when {
            [literal] if !self.has(&piece) && !piece.text.trim_ascii().is_empty() => {
                Some((piece.text.trim_ascii(), literal.negated()))
            }
            _ => None,
        })
    }

    fn has(&self, piece: &Piece<'_>) -> bool {
        if self.is_old { piece.is_old() } else { piece.is_new() }
    }

    /// Where each piece that has some of the bytes starts among them.
    pub(super) fn starts_in(&self, bytes: &Range<usize>) -> Vec<usize> {
        let first = self.at(bytes.start);
        let end = self.starts.partition_point(|&start| start < bytes.end);
        self.starts.get(first..end).unwrap_or(&[]).iter().map(|&start| start.max(bytes.start)).collect()
    }

    /// Whether both versions have all of some bytes.
    pub(super) fn is_kept(&self, bytes: &Range<usize>) -> bool {
        self.condition(bytes).next().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weave::Literal::{Unless, When};
    use crate::weave::Source;

    #[test]
    fn bytes_are_there_under_the_condition_of_their_pieces() {
        let mut weaver = Weave::of((*b"a = 1;").into(), (*b"a = 23;").into());
        weaver.piece(Source::OLD, 0..4, &[]);
        weaver.piece(Source::OLD, 4..5, &[Unless(0)]);
        weaver.piece(Source::NEW, 4..6, &[When(0)]);
        weaver.piece(Source::OLD, 5..6, &[]);
        let weave = weaver.finish();
        let (old, new) = (Side::old(7, &weave), Side::new(7, &weave));
        assert_eq!(old.condition(&(4..5)).collect::<Vec<_>>(), [Unless(0)]);
        assert_eq!(new.condition(&(3..6)).collect::<Vec<_>>(), [When(0)]);
        assert!(new.is_kept(&(0..4)) && old.is_kept(&(5..6)) && !new.is_kept(&(5..6)));
        assert_eq!((old.spot(5), new.spot(6)), ((7, 3, 0), (7, 3, 0)));
    }

    #[test]
    fn what_the_other_version_has_between_two_bytes_is_away_under_a_condition() {
        let mut weaver = Weave::of((*b"f(a)").into(), (*b"f(a, b)").into());
        weaver.piece(Source::OLD, 0..3, &[]);
        weaver.piece(Source::NEW, 3..6, &[When(0)]);
        weaver.piece(Source::OLD, 3..4, &[]);
        let weave = weaver.finish();
        let (old, new) = (Side::old(7, &weave), Side::new(7, &weave));
        assert_eq!(old.absent_between(2, 3).collect::<Vec<_>>(), [(&b", b"[..], Unless(0))]);
        assert_eq!(old.absent_between(1, 2).count(), 0);
        assert_eq!(new.absent_between(2, 6).count(), 0);
    }

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
