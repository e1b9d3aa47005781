//! Lines that stand in another file in the new version: what was moved there is one change, and what was edited in it
//! others.
//!
//! A line that its file has lost, that no other file lost, and that one other file gained, shows that something went
//! there. Such lines with their equal neighbours are runs, runs with less between them than they have themselves one
//! block; a block that only a few such lines speak for is none. Two files that are alike around a run are likenesses of
//! one another, of which each was edited: nothing went from one to the other.
//!
//! Why not compare each file with each? What moved is a small part of large versions, and an index of lines finds it in
//! one pass.

use crate::lines::Lines;
use crate::moves::{belong_together, overlap};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// So many lines must have left the one file and come to the other.
const LEAST: usize = 3;

/// Lines that went from one file to another, perhaps with edits among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Migration {
    /// The files, by number.
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The lines in the old text of the one file, and in the new text of the other.
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
    /// How many lines speak for it.
    witnesses: usize,
}

/// Finds what went from one file to another, in the order of the files that it left; blocks do not overlap.
///
/// Each file has its old and its new text; files without texts to be compared are left out.
pub(crate) fn migrations(files: &[Option<[Lines<'_>; 2]>]) -> Vec<Migration> {
    let sides: Vec<Option<[Side<'_>; 2]>> =
        files.iter().map(|texts| texts.as_ref().map(Side::both)).collect();
    let alone = |side: usize| {
        let mut alone: HashMap<&[u8], Option<(usize, usize)>> = HashMap::new();
        for (file, sides) in sides.iter().enumerate() {
            let Some(sides) = sides else { continue };
            for (line, &text) in sides[side].lines.iter().enumerate().filter(|(i, _)| sides[side].is_lost[*i])
            {
                alone.entry(text).and_modify(|place| *place = None).or_insert(Some((file, line)));
            }
        }
        alone
    };
    let (lost, gained) = (alone(0), alone(1));
    let mut is_taken: Vec<[Vec<bool>; 2]> = sides
        .iter()
        .map(|sides| {
            sides.as_ref().map_or_else(Default::default, |s| [0, 1].map(|i| vec![false; s[i].lines.len()]))
        })
        .collect();

    let mut seeds: Vec<((usize, usize), (usize, usize))> =
        lost.iter().filter_map(|(text, &place)| Some((place?, (*gained.get(text)?)?))).collect();
    seeds.retain(|((from, _), (to, _))| from != to);
    seeds.sort_unstable();

    let mut blocks: Vec<Migration> = Vec::new();
    for ((from, i), (to, j)) in seeds {
        if is_taken[from][0][i] || is_taken[to][1][j] {
            continue;
        }
        let (Some([old, _]), Some([_, new])) = (&sides[from], &sides[to]) else { continue };
        let equal = |(i, j): (usize, usize)| {
            let may_go = old.may_go[i] && new.may_go[j] && !is_taken[from][0][i] && !is_taken[to][1][j];
            may_go && old.lines[i] == new.lines[j]
        };
        let up = (1..=i.min(j)).take_while(|&d| equal((i - d, j - d))).count();
        let most = (old.lines.len() - i).min(new.lines.len() - j);
        let down = (0..most).take_while(|&d| equal((i + d, j + d))).count();
        // Where what stays goes on alike, the files are alike, and each had its own edits.
        let stays = |i: usize, j: usize| {
            let (is_alike, may_go) =
                (old.lines.get(i) == new.lines.get(j), old.may_go.get(i).is_none_or(|&may| may));
            is_alike && !may_go
        };
        if stays(i + down, j + down) || i.min(j) > up && stays(i - up - 1, j - up - 1) {
            continue;
        }
        // What is no witness at the edge of a run may belong to what stands before it.
        let up = up - (i - up..i).take_while(|&line| !old.is_lost[line]).count();
        let run = i - up..i + down;
        let witnesses = run.clone().filter(|&line| old.is_lost[line]).count();
        let mut found = Migration { from, to, old: run, new: j - up..j + down, witnesses };
        if let Some(last) = blocks.last()
            && (last.from, last.to) == (from, to)
            && belong_together([&last.old, &last.new], [&found.old, &found.new])
            && (last.old.end..found.old.start).all(|line| old.may_go[line] && !is_taken[from][0][line])
            && (last.new.end..found.new.start).all(|line| new.may_go[line] && !is_taken[to][1][line])
        {
            found.old.start = last.old.start;
            found.new.start = last.new.start;
            found.witnesses += last.witnesses;
            blocks.pop();
        }
        is_taken[from][0][found.old.clone()].fill(true);
        is_taken[to][1][found.new.clone()].fill(true);
        blocks.push(found);
    }
    blocks.retain(|block| block.witnesses >= LEAST);
    debug_assert!(
        blocks.windows(2).all(|pair| pair[0].from != pair[1].from || !overlap(&pair[0].old, &pair[1].old))
    );
    blocks
}

/// A text of a file, beside its other version.
struct Side<'a> {
    lines: Vec<&'a [u8]>,
    /// Whether a line shows something that the other version does not have.
    is_lost: Vec<bool>,
    /// Whether a line can belong to a block without being equal: it is not one that stays where it is.
    may_go: Vec<bool>,
}

impl<'a> Side<'a> {
    fn both(texts: &[Lines<'a>; 2]) -> [Side<'a>; 2] {
        [0, 1].map(|side| Side::of(&texts[side], &texts[1 - side]))
    }

    fn of(text: &Lines<'a>, other: &Lines<'a>) -> Side<'a> {
        let others: HashSet<&[u8]> = other.whole().collect();
        let lines: Vec<&[u8]> = text.whole().collect();
        let mut count: HashMap<&[u8], usize> = HashMap::new();
        lines.iter().for_each(|line| *count.entry(line).or_default() += 1);
        let shows = |i: usize| !text.is_blank(i) && !text.closes(i);
        let is_lost = |i: usize| shows(i) && !others.contains(lines[i]);
        let may_go = |i: usize| is_lost(i) || !shows(i) || count[lines[i]] > 1;
        Side {
            is_lost: (0..lines.len()).map(is_lost).collect(),
            may_go: (0..lines.len()).map(may_go).collect(),
            lines,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: &str) -> String {
        words.split_ascii_whitespace().map(|word| format!("{word}\n")).collect()
    }

    /// Each block as its files and lines.
    fn check(files: &[(&str, &str)], expected: &[(usize, Range<usize>, usize, Range<usize>)]) {
        let texts: Vec<[String; 2]> = files.iter().map(|(old, new)| [text(old), text(new)]).collect();
        let files: Vec<Option<[Lines<'_>; 2]>> =
            texts.iter().map(|[old, new]| Some([old, new].map(|text| Lines::new(text.as_bytes())))).collect();
        let found = migrations(&files).into_iter().map(|m| (m.from, m.old, m.to, m.new));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_one_file_lost_and_another_gained_is_a_block() {
        check(&[("a b 1 2 3 4 c", "a b c"), ("x y", "x 1 2 3 4 y")], &[(0, 2..6, 1, 1..5)]);
        check(&[("a b 1 2 3 4 c", "a b c"), ("", "1 2 3 4")], &[(0, 2..6, 1, 0..4)]);
    }

    #[test]
    fn a_block_with_an_edit_inside_is_one() {
        check(&[("a 1 2 old 3 4 } c", "a } c"), ("x }", "x 1 2 new new2 3 4 } }")], &[(0, 1..7, 1, 1..8)]);
    }

    #[test]
    fn a_few_lines_and_lines_that_several_files_lost_are_none() {
        check(&[("a 1 2 c", "a c"), ("x", "x 1 2")], &[]);
        check(&[("a 1 2 3 4", "a"), ("b 1 2 3 4", "b"), ("x", "x 1 2 3 4")], &[]);
    }

    #[test]
    fn what_was_copied_did_not_move() {
        check(&[("a 1 2 3 4", "a 1 2 3 4 b"), ("x", "x 1 2 3 4")], &[]);
    }

    #[test]
    fn edits_of_two_files_that_are_alike_are_no_block() {
        check(&[("a b 1 2 3 4 c d", "a b c d"), ("a b c d e", "a b 1 2 3 4 c d e")], &[]);
    }

    #[test]
    fn what_stays_is_not_taken_along() {
        check(
            &[("1 2 3 4 s 5 6 7 8", "s"), ("", "1 2 3 4 5 6 7 8")],
            &[(0, 0..4, 1, 0..4), (0, 5..9, 1, 4..8)],
        );
    }
}
