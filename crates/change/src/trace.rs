//! Where every line of a rendered weave comes from, and what is missing between two of them.
//!
//! A compiler complains about a line of a config's text. The changes that can be to blame are those whose
//! text stands on that line, and those whose absence, or whose deletion, left a gap beside it.
//!
//! Lines are counted from 0 and end after `\n`. A line's terminator counts as part of it only if there is
//! nothing else: where a version lacks its final newline, the newline after a line may be another change's.

use crate::weave::{Piece, Weave};
use nub_search::Config;
use std::ops::Range;
use std::sync::Arc;

/// The text of a config with the origin of its lines.
#[derive(Debug)]
pub struct Trace<'a> {
    weave: &'a Weave,
    config: Config,
    text: Arc<[u8]>,
    /// Where each line starts, and the end of the text.
    starts: Vec<usize>,
    spots: Vec<Spot>,
}

/// Where a piece stands in the text of the config, and in the old and the new text.
#[derive(Debug)]
struct Spot {
    is_present: bool,
    bytes: Range<usize>,
    line: usize,
    old_line: Option<usize>,
    new_line: Option<usize>,
}

/// Where a line comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The line's number in the old version, if it is there.
    pub old: Option<usize>,
    /// The line's number in the new version, if it is there.
    pub new: Option<usize>,
    /// The changes that decide about text on this line, ascending; empty for a line that is always there.
    pub changes: Vec<u32>,
}

impl Weave {
    /// Renders a config and keeps track of where its lines come from.
    pub fn trace(&self, config: &Config) -> Trace<'_> {
        let text = self.render(config);
        let (mut end, mut line, mut old_line, mut new_line) = (0, 0, 0, 0);
        let spot = |piece: Piece<'_>| {
            let newlines = memchr::memchr_iter(b'\n', piece.text).count();
            let start = end;
            let spot_line = line;
            let is_present = piece.is_present(config);
            if is_present {
                end += piece.text.len();
                line += newlines;
            }
            let pass = |is_there: bool, line: &mut usize| {
                is_there.then(|| std::mem::replace(line, *line + newlines))
            };
            let old_line = pass(piece.is_old(), &mut old_line);
            let new_line = pass(piece.is_new(), &mut new_line);
            Spot { is_present, bytes: start..end, line: spot_line, old_line, new_line }
        };
        let spots = self.pieces().map(spot).collect();
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', &text).map(|i| i + 1));
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Trace { weave: self, config: config.clone(), text, starts, spots }
    }
}

impl Trace<'_> {
    /// The text of the config.
    pub fn text(&self) -> &Arc<[u8]> {
        &self.text
    }

    /// How many lines the text has; an unterminated last line is one.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Where a line comes from.
    ///
    /// Its changes are those of the pieces that stand on it, and of those missing inside it.
    pub fn origin(&self, line: usize) -> Option<Origin> {
        let bytes = self.starts.get(line).copied()?..self.starts.get(line + 1).copied()?;
        let content = bytes.start..bytes.start + without_terminator(&self.text[bytes.clone()]).len();
        let on_line = match content.is_empty() {
            true => self.blank(bytes.start)..self.blank(bytes.start) + 1,
            false => self.on(content),
        };
        let mut origin = Origin { old: None, new: None, changes: Vec::new() };
        for i in on_line {
            let spot = &self.spots[i];
            if !spot.is_present {
                origin.changes.extend(self.missing_because_of(i));
            } else {
                origin.old = origin.old.or(spot.old_line.map(|old| old + line - spot.line));
                origin.new = origin.new.or(spot.new_line.map(|new| new + line - spot.line));
                origin.changes.extend(self.weave.nth(i).when.iter().map(|l| l.change()));
            }
        }
        origin.changes = ascending(origin.changes);
        Some(origin)
    }

    /// The changes on a line of the rendered file, and those in the gap before it.
    pub(crate) fn on_line(&self, line: usize) -> Vec<u32> {
        let origin = self.origin(line).map(|origin| origin.changes).unwrap_or_default();
        origin.into_iter().chain(self.gap(line)).collect()
    }

    /// The changes that keep text away from just before a line, ascending; the line after the last is the
    /// end.
    ///
    /// These are changes not made that would put text here, and changes made that took text from here.
    pub fn gap(&self, line: usize) -> Vec<u32> {
        let Some(&at) = self.starts.get(line) else { return Vec::new() };
        // A separator that starts at the end of the last line belongs to the gap after it.
        let before = at - terminator(&self.text[..at]).len();
        let first = self.spots.partition_point(|spot| spot.bytes.end < before);
        let end = self.spots.partition_point(|spot| spot.bytes.start <= at);
        let absent = (first..end).filter(|&i| !self.spots[i].is_present);
        ascending(absent.flat_map(|i| self.missing_because_of(i)).collect())
    }

    /// The pieces that have or miss text inside some bytes.
    fn on(&self, bytes: Range<usize>) -> Range<usize> {
        let first = self.spots.partition_point(|spot| spot.bytes.end <= bytes.start);
        first..self.spots.partition_point(|spot| spot.bytes.start < bytes.end)
    }

    /// The piece that a line which is only a newline comes from.
    fn blank(&self, newline: usize) -> usize {
        let after = self.spots.partition_point(|spot| spot.bytes.end <= newline);
        let is_next_line = self.weave.is_after_seam(after) && self.spots[after].bytes.start == newline;
        let before = self.spots[..after].iter().rposition(|spot| spot.is_present);
        before.filter(|_| is_next_line).unwrap_or(after)
    }

    fn missing_because_of(&self, i: usize) -> impl Iterator<Item = u32> + '_ {
        self.weave.nth(i).when.iter().filter(|l| !l.holds(&self.config)).map(|l| l.change())
    }
}

fn ascending(mut changes: Vec<u32>) -> Vec<u32> {
    changes.sort_unstable();
    changes.dedup();
    changes
}

/// The line ending a text ends with: `\n`, `\r\n` or none.
pub(crate) fn terminator(text: &[u8]) -> &[u8] {
    &text[without_terminator(text).len()..]
}

pub(crate) fn without_terminator(line: &[u8]) -> &[u8] {
    let Some(line) = line.strip_suffix(b"\n") else { return line };
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weave::Literal::{Unless, When};
    use crate::weave::Source;

    /// `a`, then `b` deleted by 0, `c` inserted by 1, `d` kept, and in it a word replaced by 2.
    fn weave() -> Weave {
        let mut weaver = Weave::of((*b"a\nb\nd = 1;\n").into(), (*b"a\nc\nd = 2;\n").into());
        weaver.piece(Source::OLD, 0..2, &[]);
        weaver.piece(Source::OLD, 2..4, &[Unless(0)]);
        weaver.piece(Source::NEW, 2..4, &[When(1)]);
        weaver.piece(Source::OLD, 4..8, &[]);
        weaver.piece(Source::OLD, 8..9, &[Unless(2)]);
        weaver.piece(Source::NEW, 8..9, &[When(2)]);
        weaver.piece(Source::OLD, 9..11, &[]);
        weaver.finish()
    }

    fn origin(old: Option<usize>, new: Option<usize>, changes: &[u32]) -> Option<Origin> {
        Some(Origin { old, new, changes: changes.to_vec() })
    }

    #[test]
    fn a_line_knows_its_numbers_and_the_changes_on_it() {
        let weave = weave();
        let trace = weave.trace(&[1, 2].into());
        assert_eq!(**trace.text(), *b"a\nb\nc\nd = 2;\n");
        assert_eq!(trace.len(), 4);
        assert_eq!(trace.origin(0), origin(Some(0), Some(0), &[]));
        assert_eq!(trace.origin(1), origin(Some(1), None, &[0]));
        assert_eq!(trace.origin(2), origin(None, Some(1), &[1]));
        assert_eq!(trace.origin(3), origin(Some(2), Some(2), &[2]));
        assert_eq!(trace.origin(4), None);
    }

    #[test]
    fn a_gap_knows_what_was_deleted_and_what_was_not_inserted() {
        let weave = weave();
        let trace = weave.trace(&[0].into());
        assert_eq!(**trace.text(), *b"a\nd = 1;\n");
        assert_eq!(trace.gap(1), [0, 1]);
        assert!(trace.gap(0).is_empty());
        assert!(trace.gap(2).is_empty());
        assert_eq!(trace.origin(1), origin(Some(2), Some(2), &[2]));
    }

    #[test]
    fn the_end_of_the_text_is_a_gap_too() {
        let mut weaver = Weave::of((*b"a").into(), (*b"a\nb").into());
        weaver.piece(Source::OLD, 0..1, &[]);
        weaver.piece(Source::NEW, 1..3, &[When(0)]);
        let weave = weaver.finish();
        assert_eq!(weave.trace(&Config::empty()).gap(1), [0]);
        let full = weave.trace(&[0].into());
        assert_eq!(full.origin(0), origin(Some(0), Some(0), &[]));
        assert_eq!(full.origin(1), origin(None, Some(1), &[0]));
        assert!(full.gap(2).is_empty());
    }

    #[test]
    fn a_text_that_is_all_gone_is_one_gap() {
        let mut weaver = Weave::of((*b"a\n").into(), (*b"").into());
        weaver.piece(Source::OLD, 0..2, &[Unless(0)]);
        let weave = weaver.finish();
        let trace = weave.trace(&[0].into());
        assert_eq!((trace.len(), trace.is_empty()), (0, true));
        assert_eq!(trace.gap(0), [0]);
    }
}
