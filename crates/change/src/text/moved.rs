//! Weaves two texts of which some blocks of lines stand elsewhere in the new one.
//!
//! The old text with its blocks rearranged is woven with the new one; then what is in a block is laid at both of its
//! places.

use super::{LineEdit, TextWeave, weave_in_place};
use crate::change::Kind;
use crate::lines::Lines;
use crate::moves::{Block, Segment, rearranged};
use crate::weave::{Literal, Source, Weave};
use std::ops::Range;
use std::sync::Arc;

/// Weaves two texts of which some blocks stand elsewhere in the new one.
pub(super) fn weave(
    (old, old_text): (&Lines<'_>, &Arc<[u8]>),
    (new, new_text): (&Lines<'_>, &Arc<[u8]>),
    blocks: &[Block],
    first: u32,
) -> TextWeave {
    let segments = rearranged(old, new, blocks);
    let between: Vec<u8> =
        segments.iter().flat_map(|segment| old.bytes(segment.old.clone())).copied().collect();
    let plan = Rearrangement::new(old, &segments);
    let in_place = weave_in_place(&between.into(), new_text, &plan.lines, false, first);
    let mut edits = in_place.edits;
    for edit in &mut edits {
        edit.old = plan.old_lines(&edit.old);
        edit.deleted = plan.old_bytes(&edit.deleted);
    }
    let number = |block: usize| first + (edits.len() + block) as u32;

    // What is in each block, and all in the order of the rearranged text.
    let mut inside: Vec<Vec<Strand>> = vec![Vec::new(); blocks.len()];
    let mut all: Vec<(Strand, Option<usize>)> = Vec::new();
    let new_bytes: Vec<(Range<usize>, usize)> = {
        let bytes = |block: &Block| new.start(block.new.start)..new.start(block.new.end);
        let mut bytes: Vec<_> = blocks.iter().map(bytes).zip(0..).collect();
        bytes.sort_by_key(|(bytes, _)| bytes.start);
        bytes
    };
    for (source, text, when) in in_place.weave.cuts() {
        let parts = match source {
            Source::OLD => plan.cut(&text),
            _ => cut_at(&text, &new_bytes),
        };
        for (text, block) in parts {
            let strand = Strand { source, text, when: when.to_vec() };
            if let Some(block) = block {
                inside[block].push(strand.clone());
            }
            all.push((strand, block));
        }
    }

    let mut weaver = Weave::of(Arc::clone(old_text), Arc::clone(new_text));
    let mut emit = |strand: &Strand, place: Option<Literal>| {
        let when: Vec<Literal> = strand.when.iter().copied().chain(place).collect();
        weaver.piece(strand.source, strand.text.clone(), &when);
    };
    let mut waiting = (0..blocks.len()).peekable();
    for (strand, block) in &all {
        // Where the text goes on behind a block in the old version, the block was.
        while strand.source == Source::OLD
            && block.is_none()
            && let Some(was) = waiting.next_if(|&was| old.start(blocks[was].old.end) <= strand.text.start)
        {
            inside[was].iter().for_each(|strand| emit(strand, Some(Literal::Unless(number(was)))));
        }
        emit(strand, block.map(|block| Literal::When(number(block))));
    }
    for was in waiting {
        inside[was].iter().for_each(|strand| emit(strand, Some(Literal::Unless(number(was)))));
    }

    let (hunk, block) = edits.last().map_or((0, 0), |edit| (edit.hunk + 1, edit.block + 1));
    for (i, Block { old: lines, new: new_lines }) in blocks.iter().enumerate() {
        edits.push(LineEdit {
            old: lines.clone(),
            new: new_lines.clone(),
            deleted: old.start(lines.start)..old.start(lines.end),
            inserted: new.start(new_lines.start)..new.start(new_lines.end),
            kind: Kind::Move,
            hunk: hunk + i,
            block: block + i,
        });
    }
    TextWeave { weave: weaver.finish(), edits }
}

/// A piece before it is woven.
#[derive(Clone)]
struct Strand {
    source: Source,
    text: Range<usize>,
    when: Vec<Literal>,
}

/// Where the lines and bytes of a rearranged text are in the old one.
struct Rearrangement {
    /// For each segment its first line in the rearranged text.
    lines: Vec<usize>,
    old: Vec<Range<usize>>,
    /// The same in bytes.
    bytes: Vec<usize>,
    old_bytes: Vec<Range<usize>>,
    block: Vec<Option<usize>>,
}

impl Rearrangement {
    fn new(old: &Lines<'_>, segments: &[Segment]) -> Rearrangement {
        let starts = |lens: Vec<usize>| -> Vec<usize> {
            lens.iter().scan(0, |at, len| Some(std::mem::replace(at, *at + len))).collect()
        };
        let old_bytes: Vec<Range<usize>> =
            segments.iter().map(|s| old.start(s.old.start)..old.start(s.old.end)).collect();
        Rearrangement {
            lines: starts(segments.iter().map(|segment| segment.old.len()).collect()),
            bytes: starts(old_bytes.iter().map(Range::len).collect()),
            old: segments.iter().map(|segment| segment.old.clone()).collect(),
            old_bytes,
            block: segments.iter().map(|segment| segment.block).collect(),
        }
    }

    fn old_lines(&self, lines: &Range<usize>) -> Range<usize> {
        original(&self.lines, &self.old, lines)
    }

    fn old_bytes(&self, bytes: &Range<usize>) -> Range<usize> {
        original(&self.bytes, &self.old_bytes, bytes)
    }

    /// The parts of a text that lie in one segment each, in bytes of the old text, and their blocks.
    fn cut(&self, text: &Range<usize>) -> Vec<(Range<usize>, Option<usize>)> {
        let first = self.bytes.partition_point(|&start| start <= text.start) - 1;
        let segments = (first..self.bytes.len()).take_while(|&s| s == first || self.bytes[s] < text.end);
        let part = |s: usize| {
            let end = self.bytes[s] + self.old_bytes[s].len();
            let part = text.start.max(self.bytes[s])..text.end.min(end);
            (self.old_bytes(&part), self.block[s])
        };
        segments.map(part).collect()
    }
}

/// Where a range inside one segment is in the old text; what lies between two segments is at the end of the first.
fn original(starts: &[usize], segments: &[Range<usize>], range: &Range<usize>) -> Range<usize> {
    let inside = if range.is_empty() { range.start.saturating_sub(1) } else { range.start };
    let segment = starts.partition_point(|&start| start <= inside) - 1;
    let start = segments[segment].start + range.start - starts[segment];
    start..start + range.len()
}

/// The parts of a text inside and outside of some ranges, which are in order; those inside with the range's own number.
fn cut_at(text: &Range<usize>, ranges: &[(Range<usize>, usize)]) -> Vec<(Range<usize>, Option<usize>)> {
    let mut parts = Vec::new();
    let mut at = text.start;
    let first = ranges.partition_point(|(range, _)| range.end <= text.start);
    for (range, number) in ranges[first..].iter().take_while(|(range, _)| range.start < text.end) {
        if at < range.start {
            parts.push((at..range.start, None));
        }
        let end = range.end.min(text.end);
        parts.push((at.max(range.start)..end, Some(*number)));
        at = end;
    }
    if at < text.end {
        parts.push((at..text.end, None));
    }
    parts
}
