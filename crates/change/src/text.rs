//! Weaves two texts by lines.
//!
//! A missing final newline is the one thing that could glue two lines together in some config. So where a
//! version lacks it, lines after the *anchor*, the last line that stands in every config, carry the newline
//! before them instead of the one after them, and the final newline, where only one version has it, is a
//! change of its own:
//!
//! ```text
//!     old `a`, new `a⏎b⏎`:      `a`    `⏎b` when 0    `⏎` when 1
//! ```
//!
//! Where lines end in another way in the new version, that is one change of the whole text. A block of lines that stands
//! elsewhere is one change too, and what was edited in it others.

mod moved;

use crate::change::Kind;
use crate::edits::edits;
use crate::lines::{Edit, Lines};
use crate::moves::moved_blocks;
use crate::weave::{Literal, Source, Weave, Weaver};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Two texts woven by lines.
pub(crate) struct TextWeave {
    pub(crate) weave: Weave,
    /// One for each change, in order, numbered on from the first number given.
    pub(crate) edits: Vec<LineEdit>,
}

/// A finest change of a text.
pub(crate) struct LineEdit {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
    pub(crate) deleted: Range<usize>,
    pub(crate) inserted: Range<usize>,
    pub(crate) kind: Kind,
    /// The run of changed lines it is in, counted from 0.
    pub(crate) hunk: usize,
    /// The block of lines it is in, counted from 0 over all hunks.
    pub(crate) block: usize,
}

/// Weaves two texts; their changes are numbered from `first`.
pub(crate) fn weave_lines(old_text: &Arc<[u8]>, new_text: &Arc<[u8]>, first: u32) -> TextWeave {
    let (old, new) = (Lines::new(old_text), Lines::new(new_text));
    let no_end: &[u8] = b"";
    let is_whole = |ends: &BTreeSet<&[u8]>| !ends.is_empty() && !ends.contains(no_end);
    let (old_ends, new_ends) = (old.endings(), new.endings());
    let are_whole = is_whole(&old_ends) && is_whole(&new_ends);
    let blocks = if are_whole && old_ends == new_ends { moved_blocks(&old, &new) } else { Vec::new() };
    match blocks.is_empty() {
        true => weave_in_place(old_text, new_text, &[], are_whole && old_ends != new_ends, first),
        false => moved::weave((&old, old_text), (&new, new_text), &blocks, first),
    }
}

/// Cuts edits where they cross a border between lines of the old text.
fn cut_edits(hunks: &mut [Vec<Edit>], borders: &[usize]) {
    for edits in hunks {
        let mut cut = Vec::with_capacity(edits.len());
        for mut edit in edits.drain(..) {
            let inside = borders.partition_point(|&border| border <= edit.old.start);
            let end = edit.old.end;
            for &border in borders[inside..].iter().take_while(|&&border| border < end) {
                cut.push(Edit { old: edit.old.start..border, new: edit.new.clone() });
                edit = Edit { old: border..end, new: edit.new.end..edit.new.end };
            }
            cut.push(edit);
        }
        *edits = cut;
    }
}

/// Weaves two texts in which nothing moved; no change crosses a border, a line of the old text.
///
/// If `end_otherwise`, their lines end in other ways.
fn weave_in_place(
    old_text: &Arc<[u8]>,
    new_text: &Arc<[u8]>,
    borders: &[usize],
    end_otherwise: bool,
    first: u32,
) -> TextWeave {
    let (old, new) = (Lines::new(old_text), Lines::new(new_text));
    let mut hunks = edits(&old, &new, end_otherwise);
    cut_edits(&mut hunks, borders);
    let seam = Seam::find(&old, &new, &mut hunks);
    let cut_old = |lines: &Range<usize>| seam.cut(&old, seam.anchor.map(|a| a.0), lines);
    let cut_new = |lines: &Range<usize>| seam.cut(&new, seam.anchor.map(|a| a.1), lines);
    // Lines that differ in their newline alone do not differ where it is not theirs.
    let differs = |edit: &Edit| old_text[cut_old(&edit.old)] != new_text[cut_new(&edit.new)];
    let ending = first + hunks.iter().flatten().filter(|edit| differs(edit)).count() as u32;

    let mut weaver = Weave::of(Arc::clone(old_text), Arc::clone(new_text));
    let keep = |weaver: &mut Weaver, lines: Range<usize>, in_new: usize| {
        if !end_otherwise && !lines.is_empty() {
            weaver.piece(Source::OLD, cut_old(&lines), &[]);
        } else if end_otherwise {
            for (i, j) in lines.zip(in_new..) {
                let (old_end, new_end) =
                    (old.content_end(i)..old.start(i + 1), new.content_end(j)..new.start(j + 1));
                if old_text[old_end.clone()] == new_text[new_end.clone()] {
                    weaver.piece(Source::OLD, old.start(i)..old_end.end, &[]);
                    continue;
                }
                weaver.piece(Source::OLD, old.start(i)..old_end.start, &[]);
                weaver.piece(Source::OLD, old_end, &[Literal::Unless(ending)]);
                weaver.piece(Source::NEW, new_end, &[Literal::When(ending)]);
            }
        }
    };
    let mut woven: Vec<LineEdit> = Vec::new();
    let mut number = first;
    let (mut at, mut at_new) = (0, 0);
    let mut block = 0;
    for (hunk, edits) in hunks.iter().enumerate() {
        for (edit, in_block) in edits.iter().zip(blocks(edits, &old, &new)) {
            if !differs(edit) {
                continue;
            }
            let (deleted, inserted) = (cut_old(&edit.old), cut_new(&edit.new));
            keep(&mut weaver, at..edit.old.start, at_new);
            if seam.anchor.is_some_and(|(anchor, _)| anchor < edit.old.start) {
                weaver.seam();
            }
            if !edit.old.is_empty() {
                weaver.piece(Source::OLD, deleted.clone(), &[Literal::Unless(number)]);
            }
            if !edit.new.is_empty() {
                weaver.piece(Source::NEW, inserted.clone(), &[Literal::When(number)]);
            }
            let Edit { old, new } = edit.clone();
            let (kind, block) = (kind(&deleted, &inserted), block + in_block);
            woven.push(LineEdit { old, new, deleted, inserted, kind, hunk, block });
            number += 1;
            (at, at_new) = (edit.old.end, edit.new.end);
        }
        block = woven.last().map_or(0, |edit| edit.block + 1);
    }
    keep(&mut weaver, at..old.len(), at_new);
    if end_otherwise && a_kept_line_ends_otherwise(&hunks, &old, &new) {
        let (old, new) = (0..old.len(), 0..new.len());
        let (kind, hunk) = (Kind::Layout, hunks.len());
        woven.push(LineEdit { old, new, deleted: 0..0, inserted: 0..0, kind, hunk, block });
    }

    let (deleted, inserted) = (seam.end(&old), seam.end(&new));
    if !deleted.is_empty() || !inserted.is_empty() {
        weaver.seam();
        weaver.piece(Source::OLD, deleted.clone(), &[Literal::Unless(number)]);
        weaver.piece(Source::NEW, inserted.clone(), &[Literal::When(number)]);
        let (old, new) = (old.len() - 1..old.len(), new.len() - 1..new.len());
        let (kind, hunk) = (kind(&deleted, &inserted), hunks.len());
        woven.push(LineEdit { old, new, deleted, inserted, kind, hunk, block });
    }
    TextWeave { weave: weaver.finish(), edits: woven }
}

/// What an edit does that takes these bytes away and puts those in.
fn kind(deleted: &Range<usize>, inserted: &Range<usize>) -> Kind {
    match (deleted.is_empty(), inserted.is_empty()) {
        (false, false) => Kind::Replace,
        (true, _) => Kind::Insert,
        (_, true) => Kind::Delete,
    }
}

fn a_kept_line_ends_otherwise(hunks: &[Vec<Edit>], old: &Lines<'_>, new: &Lines<'_>) -> bool {
    let end = Edit { old: old.len()..old.len(), new: new.len()..new.len() };
    let (mut at, mut at_new) = (0, 0);
    hunks.iter().flatten().chain([&end]).any(|edit| {
        let mut kept = (at..edit.old.start).zip(at_new..edit.new.start);
        (at, at_new) = (edit.old.end, edit.new.end);
        kept.any(|(i, j)| old.bytes(i..i + 1) != new.bytes(j..j + 1))
    })
}

/// Where lines stop to carry the newline after them and start to carry the one before.
struct Seam {
    /// The last line in both texts that stands in every config; none where no newline is missing.
    anchor: Option<(usize, usize)>,
}

impl Seam {
    fn find(old: &Lines<'_>, new: &Lines<'_>, hunks: &mut [Vec<Edit>]) -> Seam {
        let missing = old.is_unterminated() || new.is_unterminated();
        if !missing || old.len() == 0 || new.len() == 0 {
            return Seam { anchor: None };
        }
        let mut anchor = None;
        let mut at = 0;
        for edit in hunks.iter().flatten() {
            if edit.old.start > at {
                anchor = Some((edit.old.start - 1, edit.new.start - 1));
            }
            if edit.is_replace() {
                anchor = Some((edit.old.end - 1, edit.new.end - 1));
            }
            at = edit.old.end;
        }
        if at < old.len() {
            anchor = Some((old.len() - 1, new.len() - 1));
        }
        Seam { anchor: anchor.or_else(|| join_a_pair(&mut hunks[0])) }
    }

    /// The bytes of some lines, given the anchor of their text.
    fn cut(&self, text: &Lines<'_>, anchor: Option<usize>, lines: &Range<usize>) -> Range<usize> {
        let byte = |line: usize| match anchor {
            Some(anchor) if line > anchor => text.content_end(line - 1),
            _ => text.start(line),
        };
        byte(lines.start)..byte(lines.end)
    }

    /// The final newline, where it is not part of a line.
    fn end(&self, text: &Lines<'_>) -> Range<usize> {
        let len = text.text().len();
        match self.anchor {
            Some(_) => text.content_end(text.len() - 1)..len,
            None => len..len,
        }
    }
}

/// Makes one replacement of the last deletion and the first insertion of texts that have nothing in common.
fn join_a_pair(edits: &mut Vec<Edit>) -> Option<(usize, usize)> {
    let first_insert = edits.iter().position(|edit| edit.old.is_empty())?;
    let insert = edits.remove(first_insert);
    let delete = &mut edits[first_insert - 1];
    delete.new = insert.new;
    Some((delete.old.end - 1, delete.new.end - 1))
}

/// The most lines of a block, unless a single edit has more.
const BLOCK: usize = 16;

/// The fewest lines before a block may end early for the sake of a better place.
const SHORT_BLOCK: usize = 4;

/// The number of the block each edit of a hunk is in.
///
/// A long hunk is cut where its text has a joint: before the line that is indented least, rather after a
/// blank line, rather later than sooner, and not before a line that closes something.
fn blocks(edits: &[Edit], old: &Lines<'_>, new: &Lines<'_>) -> Vec<usize> {
    let mut numbers = Vec::with_capacity(edits.len());
    let mut start = 0;
    let mut block = 0;
    while start < edits.len() {
        let end = block_end(&edits[start..], old, new);
        numbers.resize(start + end, block);
        start += end;
        block += 1;
    }
    numbers
}

fn block_end(edits: &[Edit], old: &Lines<'_>, new: &Lines<'_>) -> usize {
    let mut lines = 0;
    let mut best: Option<(Joint, usize)> = None;
    for (i, edit) in edits.iter().enumerate() {
        let joint = Joint::before(edit, old, new);
        if i > 0 && lines >= SHORT_BLOCK && best.is_none_or(|(least, _)| joint <= least) {
            best = Some((joint, i));
        }
        lines += edit.len();
        if lines > BLOCK && i > 0 {
            return best.map_or(i, |(_, i)| i);
        }
    }
    edits.len()
}

/// How well a text can be cut before a line; the least is the best place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Joint {
    closes: bool,
    indent: usize,
    no_blank_before: bool,
}

impl Joint {
    fn before(edit: &Edit, old: &Lines<'_>, new: &Lines<'_>) -> Joint {
        let (lines, text) = if edit.new.is_empty() { (&edit.old, old) } else { (&edit.new, new) };
        let shown = lines.clone().find(|&i| !text.is_blank(i)).unwrap_or(lines.start);
        let closes = text.is_blank(shown) || text.closes(shown);
        let indent = text.indent(shown);
        Joint { closes, indent, no_blank_before: shown == lines.start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nub_search::Config;

    fn weave(old: &str, new: &str) -> TextWeave {
        weave_lines(&old.as_bytes().into(), &new.as_bytes().into(), 0)
    }

    fn check(old: &str, new: &str, configs: &[(&[u32], &str)]) {
        let woven = weave(old, new);
        for &(config, expected) in configs {
            let rendered = woven.weave.render(&config.iter().copied().collect());
            assert_eq!(String::from_utf8_lossy(&rendered), expected, "{config:?}");
        }
        let full = Config::full(woven.edits.len());
        assert_eq!(*woven.weave.render(&full), *new.as_bytes());
    }

    #[test]
    fn a_missing_final_newline_glues_no_lines() {
        check("a", "a\nb\n", &[(&[], "a"), (&[0], "a\nb"), (&[1], "a\n")]);
        check("a\nb\n", "a", &[(&[0], "a\n"), (&[1], "a\nb")]);
        check("a", "a\nb", &[(&[0], "a\nb")]);
        check("a\nb", "c\na", &[(&[0], "c\na\nb"), (&[1], "a")]);
        check("a", "a\r\nb\r\n", &[(&[0], "a\r\nb"), (&[1], "a\r\n")]);
    }

    #[test]
    fn lines_that_end_otherwise_are_one_change() {
        let configs: &[(&[u32], &str)] =
            &[(&[0], "a\r\nB\nc\r\nd\r\n"), (&[1], "a\nb\r\nc\nd\n"), (&[], "a\r\nb\r\nc\r\nd\r\n")];
        check("a\r\nb\r\nc\r\nd\r\n", "a\nB\nc\nd\n", configs);
        assert_eq!(
            weave("a\r\nb\n", "c\nd\n").edits.iter().filter(|edit| edit.kind == Kind::Layout).count(),
            0
        );
    }

    #[test]
    fn texts_without_a_common_line_have_a_replaced_one() {
        let configs: &[(&[u32], &str)] =
            &[(&[], "a\nb\nc"), (&[0], "b\nc"), (&[2], "a\nb\n1"), (&[3], "a\nb\nc\n2"), (&[4], "a\nb\nc\n")];
        check("a\nb\nc", "1\n2\n", configs);
    }

    #[test]
    fn a_new_text_is_made_of_its_lines() {
        check("", "a\n\nb", &[(&[0], "a\n"), (&[1], "\nb")]);
    }

    #[test]
    fn a_block_that_moved_is_one_change_and_its_edits_are_others() {
        let configs: &[(&[u32], &str)] = &[
            (&[], "f\na\nb\n}\ng\n1\n2\n3\n4\n}\nz\n"),
            (&[2], "g\n1\n2\n3\n4\n}\nf\na\nb\n}\nz\n"),
            (&[0], "f\na\nb\n}\ng\n1\n2\n5\n3\n4\n}\nz\n"),
            (&[1], "f\na\nc\nb\n}\ng\n1\n2\n3\n4\n}\nz\n"),
            (&[1, 2], "g\n1\n2\n3\n4\n}\nf\na\nc\nb\n}\nz\n"),
        ];
        let new = "g\n1\n2\n5\n3\n4\n}\nf\na\nc\nb\n}\nz\n";
        check("f\na\nb\n}\ng\n1\n2\n3\n4\n}\nz\n", new, configs);
    }

    #[test]
    fn a_long_hunk_is_cut_into_blocks_at_its_joints() {
        let function = |name: &str| format!("def {name}():\n    a = 1\n    b = 2\n\n    return a\n\n");
        let new: String = ["f", "g", "h", "i"].map(function).concat();
        let woven = weave("", &new);
        let starts: Vec<&str> = woven
            .edits
            .iter()
            .enumerate()
            .filter(|&(i, edit)| i == 0 || woven.edits[i - 1].block != edit.block)
            .map(|(_, edit)| new[edit.inserted.clone()].trim().lines().next().unwrap())
            .collect();
        assert_eq!(starts, ["def f():", "def h():"]);
        assert!(woven.edits.iter().all(|edit| edit.hunk == 0));
    }
}
