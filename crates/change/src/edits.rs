//! The smallest sensible line edits between two texts.
//!
//! A line diff gives hunks: runs of lines replaced by runs of lines. A hunk is cut into edits of its own:
//!
//! 1. Lines that differ in white space only are paired. Neighbours among them are one edit: a block that was
//!    indented is one shift and not a thousand.
//! 2. In what is left, similar lines are paired in order so that the sum of likeness is greatest; each pair
//!    is one edit, the replacement of a line.
//! 3. Between the pairs, a few lines replaced by a few are one edit: a statement that was wrapped, or written
//!    anew. Of more lines than that, every deleted and every inserted line is an edit of its own.
//! 4. Blank lines are never an edit of their own beside others: they ride with the line after them.
//!
//! Why not leave the rest in 3 whole? Half of a large rewrite is often all that matters, and a set of changes
//! is searched by groups first (hunks, blocks), so small edits cost little where they do not matter.

use crate::lines::{Edit, Line, Lines, hunks};
use crate::words::{ALIKE, Bag};
use std::ops::Range;

/// So many lines, old and new together, are replaced as one.
const FEW: usize = 4;

/// Beyond so many pairs of lines a hunk is not searched for similar ones.
const MANY_PAIRS: usize = 1 << 16;

/// The edits that turn the old lines into the new, in order, by the hunk they are in.
///
/// If `by_content`, it does not matter how lines end.
pub(crate) fn edits(old: &Lines<'_>, new: &Lines<'_>, by_content: bool) -> Vec<Vec<Edit>> {
    let (old_lines, new_lines) = match by_content {
        true => (old.contents(), new.contents()),
        false => (old.tokens(new), new.tokens(old)),
    };
    let whole = hunks(old_lines.iter().copied(), new_lines.iter().copied());
    let cutter = Cutter { old, new, old_lines, new_lines };
    let mut cut: Vec<Vec<Edit>> = whole.into_iter().map(|hunk| cutter.cut(hunk)).collect();
    // A hunk falls apart into nothing if all its lines were equal after all.
    cut.retain(|edits| !edits.is_empty());
    cut
}

struct Cutter<'a> {
    old: &'a Lines<'a>,
    new: &'a Lines<'a>,
    old_lines: Vec<Line<'a>>,
    new_lines: Vec<Line<'a>>,
}

impl Cutter<'_> {
    fn cut(&self, hunk: Edit) -> Vec<Edit> {
        let mut edits = Vec::new();
        if !hunk.is_replace() {
            self.one_by_one(hunk, &mut edits);
            return edits;
        }
        let shown = |line: &Line<'_>| -> Vec<u8> {
            line.content.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect()
        };
        let old_shown = self.old_lines[hunk.old.clone()].iter().map(shown);
        let new_shown = self.new_lines[hunk.new.clone()].iter().map(shown);
        let mut at = (hunk.old.start, hunk.new.start);
        for differ in hunks(old_shown, new_shown) {
            let (old, new) = (shift(&differ.old, hunk.old.start), shift(&differ.new, hunk.new.start));
            self.shifted(at.0..old.start, at.1..new.start, &mut edits);
            at = (old.end, new.end);
            self.pair_similar(Edit { old, new }, &mut edits);
        }
        self.shifted(at.0..hunk.old.end, at.1..hunk.new.end, &mut edits);
        edits
    }

    /// Lines paired one to one that differ in white space only: one edit for each run that does differ.
    fn shifted(&self, old: Range<usize>, new: Range<usize>, edits: &mut Vec<Edit>) {
        let mut open = false;
        for (i, j) in old.zip(new) {
            let differ = self.old_lines[i] != self.new_lines[j];
            match edits.last_mut() {
                Some(run) if differ && open => (run.old.end, run.new.end) = (i + 1, j + 1),
                _ if differ => edits.push(Edit { old: i..i + 1, new: j..j + 1 }),
                _ => {}
            }
            open = differ;
        }
    }

    fn pair_similar(&self, hunk: Edit, edits: &mut Vec<Edit>) {
        let mut at = (hunk.old.start, hunk.new.start);
        for (i, j) in self.similar(&hunk) {
            self.between_pairs(Edit { old: at.0..i, new: at.1..j }, edits);
            edits.push(Edit { old: i..i + 1, new: j..j + 1 });
            at = (i + 1, j + 1);
        }
        self.between_pairs(Edit { old: at.0..hunk.old.end, new: at.1..hunk.new.end }, edits);
    }

    fn between_pairs(&self, rest: Edit, edits: &mut Vec<Edit>) {
        if rest.is_replace() && rest.len() <= FEW {
            edits.push(rest);
        } else {
            self.one_by_one(Edit { new: rest.new.start..rest.new.start, ..rest.clone() }, edits);
            self.one_by_one(Edit { old: rest.old.end..rest.old.end, ..rest }, edits);
        }
    }

    /// An edit for each line of a pure deletion or insertion; blank lines ride with the next line.
    fn one_by_one(&self, run: Edit, edits: &mut Vec<Edit>) {
        let deletes = run.new.is_empty();
        let (lines, text) = if deletes { (run.old.clone(), self.old) } else { (run.new.clone(), self.new) };
        let mut start = lines.start;
        while start < lines.end {
            let shown = (start..lines.end).find(|&i| !text.is_blank(i));
            let mut end = shown.map_or(lines.end, |i| i + 1);
            if (end..lines.end).all(|i| text.is_blank(i)) {
                end = lines.end;
            }
            edits.push(match deletes {
                true => Edit { old: start..end, new: run.new.clone() },
                false => Edit { old: run.old.clone(), new: start..end },
            });
            start = end;
        }
    }

    /// Pairs of similar lines, in order in both texts, with the greatest sum of likeness.
    fn similar(&self, hunk: &Edit) -> Vec<(usize, usize)> {
        let (m, n) = (hunk.old.len(), hunk.new.len());
        if m * n > MANY_PAIRS {
            return Vec::new();
        }
        let bags = |lines: &[Line<'_>]| lines.iter().map(|l| Bag::new(l.content)).collect::<Vec<Bag>>();
        let (old, new) = (bags(&self.old_lines[hunk.old.clone()]), bags(&self.new_lines[hunk.new.clone()]));
        // best[i][j]: the greatest sum for the lines from i and j on.
        let width = n + 1;
        let mut best = vec![0u32; (m + 1) * width];
        let mut alike = vec![0u32; m * n];
        for i in (0..m).rev() {
            for j in (0..n).rev() {
                let likeness = old[i].likeness(&new[j]);
                let apart = best[(i + 1) * width + j].max(best[i * width + j + 1]);
                let paired = likeness + best[(i + 1) * width + j + 1];
                alike[i * n + j] = if likeness >= ALIKE { likeness } else { 0 };
                best[i * width + j] = if likeness >= ALIKE { apart.max(paired) } else { apart };
            }
        }
        let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
        while i < m && j < n {
            let here = best[i * width + j];
            let likeness = alike[i * n + j];
            if likeness > 0 && here == likeness + best[(i + 1) * width + j + 1] {
                pairs.push((hunk.old.start + i, hunk.new.start + j));
                (i, j) = (i + 1, j + 1);
            } else if here == best[(i + 1) * width + j] {
                i += 1;
            } else {
                j += 1;
            }
        }
        pairs
    }
}

fn shift(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line for each edit, hunks apart by an empty line: old lines, `->`, new lines; ` | ` joins lines.
    fn check(old: &str, new: &str, expected: &str) {
        let (old, new) = (Lines::new(old.as_bytes()), Lines::new(new.as_bytes()));
        let show = |lines: &Lines<'_>, range: &Range<usize>| {
            let shown: Vec<String> =
                range.clone().map(|i| String::from_utf8_lossy(lines.content(i)).into_owned()).collect();
            shown.join(" | ")
        };
        let shown: Vec<String> = edits(&old, &new, false)
            .iter()
            .map(|hunk| {
                let lines = hunk.iter().map(|e| format!("{} -> {}", show(&old, &e.old), show(&new, &e.new)));
                lines.map(|line| line.trim_end().to_string() + "\n").collect::<String>()
            })
            .collect();
        assert_eq!(shown.join("\n"), expected);
    }

    #[test]
    fn similar_lines_are_replaced_one_by_one_and_the_rest_stands_alone() {
        check(
            "int total = count(a);\nlog(total);\nreturn total;\n",
            "int total = count(a, b);\nreturn total + 1;\nclose();\n",
            "int total = count(a); -> int total = count(a, b);\n\
             log(total); ->\n\
             return total; -> return total + 1;\n -> close();\n",
        );
    }

    #[test]
    fn a_few_lines_replaced_by_a_few_others_are_one_edit() {
        check("x\nfoo(a)\ny\n", "x\nimport os\nwhile 1:\ny\n", "foo(a) -> import os | while 1:\n");
    }

    #[test]
    fn many_lines_replaced_by_others_are_deleted_and_inserted_singly() {
        check("alpha\nbeta\ngamma\n", "1\n2\n", "alpha ->\nbeta ->\ngamma ->\n -> 1\n -> 2\n");
    }

    #[test]
    fn an_indented_block_is_one_edit() {
        check(
            "a();\nb();\nc();\n",
            "if (x) {\n  a();\n  b();\n  c();\n}\n",
            " -> if (x) {\na(); | b(); | c(); ->   a(); |   b(); |   c();\n -> }\n",
        );
    }

    #[test]
    fn blank_lines_ride_with_the_line_after_them() {
        check("x\n", "\na\n\n\nb\n\nx\n", " ->  | a\n ->  |  | b | \n".replace(" \n", "\n").as_str());
        check("x\n", "\n\nx\n", " ->  |\n");
    }

    #[test]
    fn changed_line_endings_are_one_edit_but_for_lines_that_say_something_else() {
        check("a\r\nb\r\nc = 1\r\nd\r\n", "a\nb\nc = 2\nd\n", "a | b -> a | b\nc = 1 -> c = 2\nd -> d\n");
    }

    #[test]
    fn a_missing_newline_is_not_another_line() {
        check("a\nb", "a\nb\nc\n", " -> c\n");
    }
}
