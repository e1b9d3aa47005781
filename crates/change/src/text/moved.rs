//! Weaves two texts of which some blocks of lines stand elsewhere in the new version: elsewhere in the text, or in
//! another file.
//!
//! The old text with its blocks rearranged is woven with the new one; then what is in a block is laid at both of its
//! places. A block that comes from another file is in the rearranged text as well, and one that leaves is not, so what
//! was edited in it is found in the file that it came to. Where it was, its strands are laid once they are known: a
//! [`Draft`] is such a weave with open places.

use super::{LineEdit, weave_in_place};
use crate::change::Kind;
use crate::lines::Lines;
use crate::moves::{Block, Segment, rearranged};
use crate::weave::{Literal, Source, Weave};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// A text woven but for the places of the blocks that leave it.
pub(crate) struct Draft {
    texts: [Arc<[u8]>; 2],
    blocks: Vec<Block>,
    laid: Vec<Laid>,
    /// What is in each block.
    inside: Vec<Vec<Strand>>,
    /// The number of the first block's change.
    first_move: u32,
}

/// What stands next in a draft.
enum Laid {
    Strand(Strand, Option<Literal>),
    /// The place of what leaves for another file, by its number among those.
    Gap(usize),
}

/// A piece before it is woven.
#[derive(Clone)]
struct Strand {
    text: Text,
    bytes: Range<usize>,
    when: Vec<Literal>,
}

/// Which text a strand is cut from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    Old,
    New,
    /// The old text of the file that this block comes from.
    From(usize),
}

/// What left for another file: its strands there, the change that moves it, and the new text it is in.
pub(crate) struct Departure {
    strands: Vec<Strand>,
    number: u32,
    new_text: Arc<[u8]>,
}

impl Draft {
    /// Drafts a weave of two texts; changes are numbered from `first`, those that move blocks last.
    pub(crate) fn new(
        old_text: &Arc<[u8]>,
        new_text: &Arc<[u8]>,
        blocks: Vec<Block>,
        leaving: &[Range<usize>],
        first: u32,
    ) -> (Draft, Vec<LineEdit>) {
        let (old, new) = (&Lines::new(old_text), &Lines::new(new_text));
        let guests: Vec<Option<Lines<'_>>> =
            blocks.iter().map(|block| block.from.as_ref().map(|text| Lines::new(text))).collect();
        let origin = |block: Option<usize>| block.and_then(|block| guests[block].as_ref()).unwrap_or(old);
        let segments = rearranged(old, new, &blocks, leaving);
        let bytes = |segment: &Segment| origin(segment.block).bytes(segment.old.clone());
        let between: Vec<u8> = segments.iter().flat_map(bytes).copied().collect();
        let plan = Rearrangement::new(origin, segments);
        let in_place = weave_in_place(&between.into(), new_text, &plan.lines, false, first);

        let new_bytes: Vec<(Range<usize>, usize)> = {
            let bytes = |block: &Block| new.start(block.new.start)..new.start(block.new.end);
            let mut bytes: Vec<_> = blocks.iter().map(bytes).zip(0..).collect();
            bytes.sort_by_key(|(bytes, _)| bytes.start);
            bytes
        };
        let mut edits = in_place.edits;
        for edit in &mut edits {
            let block = match edit.old.is_empty() {
                false => plan.block(edit.old.start),
                true => cut_at(&edit.inserted, &new_bytes).first().and_then(|&(_, block)| block),
            };
            edit.from = block.filter(|&block| blocks[block].from.is_some());
            (edit.old, edit.deleted) = match edit.old.is_empty() {
                false => (plan.old_lines(&edit.old), plan.old_bytes(&edit.deleted)),
                true => (plan.gap(edit.old.start, block), 0..0),
            };
        }
        let first_move = first + edits.len() as u32;

        // What is in each block, and all in the order of the rearranged text.
        let mut inside: Vec<Vec<Strand>> = vec![Vec::new(); blocks.len()];
        let mut all: Vec<(Strand, Option<usize>)> = Vec::new();
        for (source, bytes, when) in in_place.weave.cuts() {
            let parts = match source {
                Source::OLD => plan.cut(&bytes),
                _ => cut_at(&bytes, &new_bytes),
            };
            for (bytes, block) in parts {
                let text = match source {
                    Source::OLD => block.filter(|&b| blocks[b].from.is_some()).map_or(Text::Old, Text::From),
                    _ => Text::New,
                };
                let strand = Strand { text, bytes, when: when.to_vec() };
                if let Some(block) = block {
                    inside[block].push(strand.clone());
                }
                all.push((strand, block));
            }
        }

        // Where the text goes on behind a block in the old version, the block was.
        let mut places: Vec<(usize, Option<usize>)> =
            (0..).zip(&blocks).filter(|(_, b)| b.from.is_none()).map(|(i, b)| (b.old.end, Some(i))).collect();
        places.extend(leaving.iter().map(|lines| (lines.end, None)));
        places.sort_unstable();
        let mut gaps = 0;
        let mut laid: Vec<Laid> = Vec::new();
        let mut lay_old = |laid: &mut Vec<Laid>, block: Option<usize>| match block {
            Some(block) => {
                let away = Literal::Unless(first_move + block as u32);
                laid.extend(inside[block].iter().map(|strand| Laid::Strand(strand.clone(), Some(away))));
            }
            None => {
                laid.push(Laid::Gap(gaps));
                gaps += 1;
            }
        };
        let mut places = places.into_iter().peekable();
        for (strand, block) in all {
            while strand.text == Text::Old
                && block.is_none()
                && let Some((_, was)) = places.next_if(|&(end, _)| old.start(end) <= strand.bytes.start)
            {
                lay_old(&mut laid, was);
            }
            laid.push(Laid::Strand(strand, block.map(|block| Literal::When(first_move + block as u32))));
        }
        places.for_each(|(_, was)| lay_old(&mut laid, was));

        let (hunk, block) = edits.last().map_or((0, 0), |edit| (edit.hunk + 1, edit.block + 1));
        for (i, Block { old: lines, new: new_lines, from }) in blocks.iter().enumerate() {
            let old = origin(Some(i));
            edits.push(LineEdit {
                old: lines.clone(),
                new: new_lines.clone(),
                deleted: old.start(lines.start)..old.start(lines.end),
                inserted: new.start(new_lines.start)..new.start(new_lines.end),
                kind: Kind::Move,
                hunk: hunk + i,
                block: block + i,
                from: from.as_ref().map(|_| i),
            });
        }
        let texts = [Arc::clone(old_text), Arc::clone(new_text)];
        drop(guests);
        (Draft { texts, blocks, laid, inside, first_move }, edits)
    }

    /// What a block is that came from another file, for where it left.
    pub(crate) fn departure(&self, block: usize) -> Departure {
        let number = self.first_move + block as u32;
        Departure { strands: self.inside[block].clone(), number, new_text: Arc::clone(&self.texts[1]) }
    }

    /// The weave, with what left at its places.
    pub(crate) fn weave(&self, departures: &[Departure]) -> Weave {
        let [old, new] = &self.texts;
        let mut weaver = Weave::of(Arc::clone(old), Arc::clone(new));
        let mut guests: BTreeMap<usize, Source> = BTreeMap::new();
        for laid in &self.laid {
            match laid {
                Laid::Strand(strand, place) => {
                    let source = match strand.text {
                        Text::Old => Source::OLD,
                        Text::New => Source::NEW,
                        Text::From(block) => *guests.entry(block).or_insert_with(|| {
                            let text = self.blocks[block].from.as_ref();
                            weaver.source(Arc::clone(text.expect("it comes from another file")))
                        }),
                    };
                    let when: Vec<Literal> = strand.when.iter().copied().chain(*place).collect();
                    weaver.piece(source, strand.bytes.clone(), &when);
                }
                Laid::Gap(gap) => {
                    let Departure { strands, number, new_text } = &departures[*gap];
                    let mut elsewhere = None;
                    for strand in strands {
                        let source = match strand.text {
                            Text::New => {
                                *elsewhere.get_or_insert_with(|| weaver.source(Arc::clone(new_text)))
                            }
                            _ => Source::OLD,
                        };
                        let away = Literal::Unless(*number);
                        let when: Vec<Literal> = strand.when.iter().copied().chain([away]).collect();
                        weaver.piece(source, strand.bytes.clone(), &when);
                    }
                }
            }
        }
        weaver.finish()
    }
}

impl Departure {
    /// The change that moves it.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }
}

/// Where the lines and bytes of a rearranged text come from.
struct Rearrangement {
    segments: Vec<Segment>,
    /// For each segment its first line in the rearranged text.
    lines: Vec<usize>,
    /// The same in bytes.
    bytes: Vec<usize>,
    old_bytes: Vec<Range<usize>>,
}

impl Rearrangement {
    fn new<'a>(origin: impl Fn(Option<usize>) -> &'a Lines<'a>, segments: Vec<Segment>) -> Rearrangement {
        let starts = |lens: Vec<usize>| -> Vec<usize> {
            lens.iter().scan(0, |at, len| Some(std::mem::replace(at, *at + len))).collect()
        };
        let bytes = |segment: &Segment| {
            let text = origin(segment.block);
            text.start(segment.old.start)..text.start(segment.old.end)
        };
        let old_bytes: Vec<Range<usize>> = segments.iter().map(bytes).collect();
        Rearrangement {
            lines: starts(segments.iter().map(|segment| segment.old.len()).collect()),
            bytes: starts(old_bytes.iter().map(Range::len).collect()),
            segments,
            old_bytes,
        }
    }

    /// The block that a line of the rearranged text is in.
    fn block(&self, line: usize) -> Option<usize> {
        self.segments[segment_at(&self.lines, line)].block
    }

    fn old_lines(&self, lines: &Range<usize>) -> Range<usize> {
        let segment = segment_at(&self.lines, lines.start);
        shifted(lines, self.lines[segment], self.segments[segment].old.start)
    }

    fn old_bytes(&self, bytes: &Range<usize>) -> Range<usize> {
        let segment = segment_at(&self.bytes, bytes.start);
        shifted(bytes, self.bytes[segment], self.old_bytes[segment].start)
    }

    /// Where something between two lines of the rearranged text is in the text that its block comes from, or, outside of
    /// blocks, in the old text: behind what stands before it there.
    fn gap(&self, line: usize, block: Option<usize>) -> Range<usize> {
        let after = self.lines.partition_point(|&start| start < line);
        let before = (0..after).rev().find(|&s| self.segments[s].block == block);
        let at = match before {
            Some(s) => self.segments[s].old.start + (line - self.lines[s]).min(self.segments[s].old.len()),
            None => {
                let behind = self.segments.iter().find(|segment| segment.block == block);
                behind.map_or(0, |segment| segment.old.start)
            }
        };
        at..at
    }

    /// The parts of a text that lie in one segment each, in bytes of the text they come from, and their blocks.
    fn cut(&self, text: &Range<usize>) -> Vec<(Range<usize>, Option<usize>)> {
        let first = segment_at(&self.bytes, text.start);
        let segments = (first..self.bytes.len()).take_while(|&s| s == first || self.bytes[s] < text.end);
        let part = |s: usize| {
            let end = self.bytes[s] + self.old_bytes[s].len();
            let part = text.start.max(self.bytes[s])..text.end.min(end);
            (shifted(&part, self.bytes[s], self.old_bytes[s].start), self.segments[s].block)
        };
        segments.map(part).collect()
    }
}

/// The segment that a line or byte lies in.
fn segment_at(starts: &[usize], at: usize) -> usize {
    starts.partition_point(|&start| start <= at) - 1
}

/// A range of something that starts at `from`, in what it starts at `to` of.
fn shifted(range: &Range<usize>, from: usize, to: usize) -> Range<usize> {
    range.start - from + to..range.end - from + to
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
