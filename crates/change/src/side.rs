//! One version of a file: under which condition its bytes are there.

use crate::weave::{Literal, Piece, Weave};
use std::ops::Range;

/// A place in a weave: the file, the piece, and the byte in the piece.
pub(crate) type Spot = (u32, u32, u32);

/// One version of a file: where its bytes stand in the weave.
pub(crate) struct Side<'a> {
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
    pub(crate) fn old(file: u32, weave: &'a Weave) -> Side<'a> {
        Side::of(true, file, weave, |piece| weave.nth(piece).is_old())
    }

    /// The new version of a file.
    pub(crate) fn new(file: u32, weave: &'a Weave) -> Side<'a> {
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
    pub(crate) fn is_old(&self) -> bool {
        self.is_old
    }

    fn at(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte).saturating_sub(1)
    }

    /// Where a byte stands in the weave.
    pub(crate) fn spot(&self, byte: usize) -> Spot {
        let i = self.at(byte);
        match self.pieces.get(i) {
            Some(&piece) => (self.file, piece, (byte - self.starts[i]) as u32),
            None => (self.file, 0, byte as u32),
        }
    }

    /// The condition under which some bytes are there, each of them.
    pub(crate) fn condition<'s>(
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
    pub(crate) fn absent_between(
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
    pub(crate) fn starts_in(&self, bytes: &Range<usize>) -> Vec<usize> {
        let first = self.at(bytes.start);
        let end = self.starts.partition_point(|&start| start < bytes.end);
        self.starts.get(first..end).unwrap_or(&[]).iter().map(|&start| start.max(bytes.start)).collect()
    }

    /// Whether both versions have all of some bytes.
    pub(crate) fn is_kept(&self, bytes: &Range<usize>) -> bool {
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
}
