//! Lines that stand elsewhere in the new text: a block that was moved is one change, not a deletion and an insertion of
//! each of its lines.
//!
//! Lines that are alone in both texts show what moved: most of them stand in the same order, and those that do not,
//! with their equal neighbours, are the blocks. Blocks with a few changed lines between them are one. The old text
//! with its blocks where the new one has them then differs from the new text by edits in place:
//!
//! ```text
//!     old            rearranged       new
//!     fn a           fn b   (k)       fn b
//!     fn b  (k)      fn a             fn a(x)
//!     fn c           fn c             fn c
//! ```
//!
//! What is woven of the last two is woven of the first as well, if everything in a block is there twice: where it was
//! `unless k`, and where it is `when k`.

use crate::lines::{Lines, hunks, interned, unique_in_order, unique_pairs};
use std::ops::Range;

/// Fewer lines that show something are no block.
const LEAST: usize = 4;

/// Lines that stand elsewhere in the new text, perhaps with edits among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// A run of old lines, in the order of the rearranged text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) old: Range<usize>,
    /// The block it is, if it is one.
    pub(crate) block: Option<usize>,
}

/// The blocks that were moved, in the order of the old text.
pub(crate) fn moved_blocks(old: &Lines<'_>, new: &Lines<'_>) -> Vec<Block> {
    let whole = interned(old.whole(), new.whole());
    let stays = unique_in_order(&whole);
    let mut is_old_taken = vec![false; old.len()];
    let mut is_new_taken = vec![false; new.len()];
    for &(i, j) in &stays {
        (is_old_taken[i], is_new_taken[j]) = (true, true);
    }
    let stays_in = |block: &Block| {
        let after = stays.partition_point(|&(i, _)| i < block.old.start);
        let in_old = stays.get(after).is_some_and(|&(i, _)| i < block.old.end);
        let after = stays.partition_point(|&(_, j)| j < block.new.start);
        in_old || stays.get(after).is_some_and(|&(_, j)| j < block.new.end)
    };
    let mut blocks: Vec<Block> = Vec::new();
    for (i, j) in unique_pairs(&whole) {
        if is_old_taken[i] || is_new_taken[j] {
            continue;
        }
        let equal = |(i, j): (usize, usize)| {
            !is_old_taken[i] && !is_new_taken[j] && whole.before[i] == whole.after[j]
        };
        let up = (1..=i.min(j)).take_while(|&d| equal((i - d, j - d))).count();
        let down = (0..(old.len() - i).min(new.len() - j)).take_while(|&d| equal((i + d, j + d))).count();
        // What closes the block before is a line like many.
        let up = up - (i - up..i).take_while(|&line| old.closes(line)).count();
        let run = Block { old: i - up..i + down, new: j - up..j + down };
        is_old_taken[run.old.clone()].fill(true);
        is_new_taken[run.new.clone()].fill(true);
        match blocks.last_mut() {
            Some(last) if belong_together(last, &run) => {
                let joined = Block { old: last.old.start..run.old.end, new: last.new.start..run.new.end };
                let others = || blocks.iter().rev().skip(1);
                if stays_in(&joined) || others().any(|other| overlap(&other.new, &joined.new)) {
                    blocks.push(run);
                } else {
                    // What lies between belongs to the block now.
                    is_old_taken[joined.old.clone()].fill(true);
                    is_new_taken[joined.new.clone()].fill(true);
                    *blocks.last_mut().expect("there is a last one") = joined;
                }
            }
            _ => blocks.push(run),
        }
    }
    let shows = |block: &Block| block.old.clone().filter(|&line| !old.is_blank(line)).count() >= LEAST;
    blocks.retain(shows);
    blocks
}

/// Whether less lies between two runs than they have themselves.
fn belong_together(before: &Block, after: &Block) -> bool {
    let gap = |before: &Range<usize>, after: &Range<usize>| after.start.checked_sub(before.end);
    let (Some(old), Some(new)) = (gap(&before.old, &after.old), gap(&before.new, &after.new)) else {
        return false;
    };
    old + new <= before.old.len() + after.old.len()
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// The old lines with each block where the new text has it, beside the lines it stands beside there.
pub(crate) fn rearranged(old: &Lines<'_>, new: &Lines<'_>, blocks: &[Block]) -> Vec<Segment> {
    let outside = |lines: usize, ranges: &mut dyn Iterator<Item = &Range<usize>>| {
        let mut is_outside = vec![true; lines];
        ranges.for_each(|range| is_outside[range.clone()].fill(false));
        (0..lines).filter(|&line| is_outside[line]).collect::<Vec<usize>>()
    };
    let old_lines = outside(old.len(), &mut blocks.iter().map(|block| &block.old));
    let new_lines = outside(new.len(), &mut blocks.iter().map(|block| &block.new));
    let line = |text: &Lines<'_>, line: usize| text.bytes(line..line + 1).to_vec();
    let differing = hunks(old_lines.iter().map(|&i| line(old, i)), new_lines.iter().map(|&j| line(new, j)));
    // How many lines of the old text, without its blocks, stand before so many of the new text.
    let before = |new: usize| {
        let at = differing
            .partition_point(|edit| edit.new.end < new || edit.new.is_empty() && edit.new.end == new);
        match differing.get(at) {
            Some(edit) if edit.new.start < new => edit.old.end,
            _ => at.checked_sub(1).map_or(new, |at| new - differing[at].new.end + differing[at].old.end),
        }
    };
    let mut placed: Vec<(usize, usize)> = (0..blocks.len())
        .map(|b| (before(new_lines.partition_point(|&line| line < blocks[b].new.start)), b))
        .collect();
    placed.sort_by_key(|&(place, b)| (place, blocks[b].new.start));

    let mut segments: Vec<Segment> = Vec::new();
    let mut placed = placed.into_iter().peekable();
    for place in 0..=old_lines.len() {
        while let Some((_, b)) = placed.next_if(|&(p, _)| p == place) {
            segments.push(Segment { old: blocks[b].old.clone(), block: Some(b) });
        }
        let Some(&line) = old_lines.get(place) else { continue };
        match segments.last_mut() {
            Some(last) if last.block.is_none() && last.old.end == line => last.old.end += 1,
            _ => segments.push(Segment { old: line..line + 1, block: None }),
        }
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: &str) -> String {
        words.split_ascii_whitespace().map(|word| format!("{word}\n")).collect()
    }

    /// The blocks as old lines, and the old lines as they are rearranged.
    fn check(old: &str, new: &str, blocks: &[(usize, usize)], expected: &str) {
        let (old, new) = (text(old), text(new));
        let (old, new) = (Lines::new(old.as_bytes()), Lines::new(new.as_bytes()));
        let found = moved_blocks(&old, &new);
        assert_eq!(found.iter().map(|block| (block.old.start, block.old.end)).collect::<Vec<_>>(), blocks);
        let segments = rearranged(&old, &new, &found);
        let lines = segments.iter().flat_map(|segment| segment.old.clone());
        let shown: Vec<_> = lines.map(|i| String::from_utf8_lossy(old.content(i)).into_owned()).collect();
        assert_eq!(shown.join(" "), expected);
    }

    #[test]
    fn the_smaller_part_that_changes_places_is_the_block() {
        check("a b c d e 1 2 3 4 z", "1 2 3 4 a b c d e z", &[(5, 9)], "1 2 3 4 a b c d e z");
        check("1 2 3 4 5 6 a b c d z", "a b c d 1 2 3 4 5 6 z", &[(6, 10)], "a b c d 1 2 3 4 5 6 z");
    }

    #[test]
    fn a_few_lines_are_no_block() {
        check("a b c d e 1 2 3 z", "1 2 3 a b c d e z", &[], "a b c d e 1 2 3 z");
    }

    #[test]
    fn a_block_with_an_edit_inside_moves_as_one() {
        check(
            "a b c d e f g 1 2 x 3 4 z",
            "1 2 y 3 4 a b c d e f g z",
            &[(7, 12)],
            "1 2 x 3 4 a b c d e f g z",
        );
    }

    #[test]
    fn a_block_stands_beside_lines_that_are_not_alone() {
        let old = "f a b } g c d } h e i } k 1 2 3 }";
        let new = "f a b } k 1 2 3 } g c d } h e i }";
        check(old, new, &[(12, 17)], "f a b } k 1 2 3 } g c d } h e i }");
    }

    #[test]
    fn two_blocks_at_one_place_keep_their_new_order() {
        let old = "a b c d e f g 1 2 3 4 m n 5 6 7 8 z";
        let new = "a 5 6 7 8 1 2 3 4 b c d e f g m n z";
        check(old, new, &[(7, 11), (13, 17)], "a 5 6 7 8 1 2 3 4 b c d e f g m n z");
    }
}
