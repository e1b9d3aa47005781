//! The lines of a text, and how two texts differ by lines.

use crate::trace::terminator;
use imara_diff::{Algorithm, Diff, InternedInput, Interner, Token};
use std::collections::BTreeSet;
use std::hash::Hash;
use std::ops::Range;

/// A text cut into lines.
pub(crate) struct Lines<'a> {
    text: &'a [u8],
    /// Where each line starts, and the end of the text.
    starts: Vec<usize>,
}

/// A line to be compared: its content and how it ends.
///
/// A last line without a newline is taken to end as the line before it does: that it lacks one is another
/// matter than what it says, and becomes another change.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Line<'a> {
    pub(crate) content: &'a [u8],
    terminator: &'a [u8],
}

impl AsRef<[u8]> for Line<'_> {
    fn as_ref(&self) -> &[u8] {
        self.content
    }
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Lines<'a> {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text).map(|i| i + 1));
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Lines { text, starts }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Whether the last line lacks its newline.
    pub(crate) fn is_unterminated(&self) -> bool {
        !matches!(self.text.last(), None | Some(b'\n'))
    }

    /// The byte a line starts at; for the number of lines, the end of the text.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.starts[line]
    }

    /// The line a byte is on.
    pub(crate) fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte).saturating_sub(1)
    }

    /// The byte after the content of a line.
    pub(crate) fn content_end(&self, line: usize) -> usize {
        self.starts[line + 1] - terminator(self.bytes(line..line + 1)).len()
    }

    /// Some lines with their terminators.
    pub(crate) fn bytes(&self, lines: Range<usize>) -> &'a [u8] {
        &self.text[self.starts[lines.start]..self.starts[lines.end]]
    }

    /// All lines with their terminators.
    pub(crate) fn whole(&self) -> impl Iterator<Item = &'a [u8]> {
        (0..self.len()).map(|i| self.bytes(i..i + 1))
    }

    /// A line without its terminator.
    pub(crate) fn content(&self, line: usize) -> &'a [u8] {
        &self.text[self.starts[line]..self.content_end(line)]
    }

    /// Whether a line shows nothing.
    pub(crate) fn is_blank(&self, line: usize) -> bool {
        self.content(line).iter().all(u8::is_ascii_whitespace)
    }

    /// How far a line is indented.
    pub(crate) fn indent(&self, line: usize) -> usize {
        self.content(line).iter().take_while(|b| b.is_ascii_whitespace()).count()
    }

    /// Whether a line begins with what closes something.
    pub(crate) fn closes(&self, line: usize) -> bool {
        let shown = self.content(line).trim_ascii();
        matches!(shown.first(), Some(b'}' | b')' | b']')) || shown == b"end"
    }

    fn terminator(&self, line: usize) -> &'a [u8] {
        terminator(self.bytes(line..line + 1))
    }

    /// The ways in which lines end.
    pub(crate) fn endings(&self) -> BTreeSet<&'a [u8]> {
        (0..self.len()).map(|line| self.terminator(line)).collect()
    }

    /// All lines as if they ended alike.
    pub(crate) fn contents(&self) -> Vec<Line<'a>> {
        (0..self.len()).map(|i| Line { content: self.content(i), terminator: b"\n" }).collect()
    }

    /// All lines; `like` tells how a single line without a newline is taken to end.
    pub(crate) fn tokens(&self, like: &Lines<'a>) -> Vec<Line<'a>> {
        let usual = |line: usize| -> &'a [u8] {
            match line {
                0 if like.len() == 0 || like.terminator(0).is_empty() => b"\n",
                0 => like.terminator(0),
                _ => self.terminator(line - 1),
            }
        };
        let line = |i: usize| {
            let terminator = self.terminator(i);
            let terminator = if terminator.is_empty() { usual(i) } else { terminator };
            Line { content: self.content(i), terminator }
        };
        (0..self.len()).map(line).collect()
    }
}

/// Lines of the old text replaced by lines of the new one; either range may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

impl Edit {
    pub(crate) fn is_replace(&self) -> bool {
        !self.old.is_empty() && !self.new.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.old.len() + self.new.len()
    }
}

/// What differs between two lists, as runs; what lies between them is equal.
///
/// Lines that are alone in both texts are matched first, as many as stand in the same order, and each stretch
/// between them is compared for itself: a histogram diff of the whole needs time by lines times hunks.
pub(crate) fn hunks<T: AsRef<[u8]> + Eq + Hash>(
    old: impl Iterator<Item = T>,
    new: impl Iterator<Item = T>,
) -> Vec<Edit> {
    let whole = interned(old, new);
    let lines = |tokens: &[Token]| tokens.iter().map(|&token| &whole.interner[token]).collect::<Vec<&T>>();
    let (old, new) = (lines(&whole.before), lines(&whole.after));
    let end = (old.len(), new.len());
    let mut at = (0, 0);
    let mut hunks = Vec::new();
    for (i, j) in unique_in_order(&whole).into_iter().chain([end]) {
        if (i, j) != at {
            compare(&old[at.0..i], &new[at.1..j], at, &mut hunks);
        }
        at = (i + 1, j + 1);
    }
    hunks
}

/// Two lists with equal things as one.
pub(crate) fn interned<T: Eq + Hash>(
    old: impl Iterator<Item = T>,
    new: impl Iterator<Item = T>,
) -> InternedInput<T> {
    let mut input = InternedInput { before: vec![], after: vec![], interner: Interner::new(0) };
    input.update_before(old);
    input.update_after(new);
    input
}

/// A histogram diff of two stretches that start at `at`.
fn compare<T: AsRef<[u8]> + Eq + Hash>(old: &[&T], new: &[&T], at: (usize, usize), hunks: &mut Vec<Edit>) {
    let input = interned(old.iter().copied(), new.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let range = |lines: Range<u32>, at: usize| at + lines.start as usize..at + lines.end as usize;
    hunks.extend(
        diff.hunks().map(|hunk| Edit { old: range(hunk.before, at.0), new: range(hunk.after, at.1) }),
    );
}

/// What each list has once, in the order of the first.
pub(crate) fn unique_pairs<T: Eq + Hash>(input: &InternedInput<T>) -> Vec<(usize, usize)> {
    let places = |tokens: &[Token]| {
        // The line a token stands on, if it is the only one.
        let mut places = vec![(0, None); input.interner.num_tokens() as usize];
        for (i, token) in tokens.iter().enumerate() {
            let place = &mut places[token.0 as usize];
            *place = (place.0 + 1, Some(i));
        }
        places.into_iter().map(|(count, i)| i.filter(|_| count == 1)).collect::<Vec<Option<usize>>>()
    };
    let (old, new) = (places(&input.before), places(&input.after));
    let unique = input.before.iter().filter_map(|t| Some((old[t.0 as usize]?, new[t.0 as usize]?)));
    unique.collect()
}

/// What each list has once: the most of it that stands in the same order, by patience sorting.
pub(crate) fn unique_in_order<T: Eq + Hash>(input: &InternedInput<T>) -> Vec<(usize, usize)> {
    let pairs = unique_pairs(input);
    // On each pile lies the pair with the least new line that ends a chain of the pile's length.
    let mut piles: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (p, &(_, j)) in pairs.iter().enumerate() {
        let pile = piles.partition_point(|&top| pairs[top].1 < j);
        before.push(pile.checked_sub(1).map(|left| piles[left]));
        match piles.get_mut(pile) {
            Some(top) => *top = p,
            None => piles.push(p),
        }
    }
    let chain = std::iter::successors(piles.last().copied(), |&p| before[p]);
    let mut in_order: Vec<(usize, usize)> = chain.map(|p| pairs[p]).collect();
    in_order.reverse();
    in_order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: &[(Range<usize>, Range<usize>)]) {
        let found = hunks(old.split(' '), new.split(' '));
        let expected: Vec<Edit> =
            expected.iter().map(|(old, new)| Edit { old: old.clone(), new: new.clone() }).collect();
        assert_eq!(found, expected, "{old} -> {new}");
    }

    #[test]
    fn hunks_lie_between_lines_that_are_alone() {
        check("a b c", "a b c", &[]);
        check("a x b x c", "a x x b c", &[(2..2, 2..3), (3..4, 4..4)]);
        check("a b", "c a b d", &[(0..0, 0..1), (2..2, 3..4)]);
    }

    #[test]
    fn of_moved_lines_the_larger_part_stays() {
        check("a b c d e", "d e a b c", &[(0..0, 0..2), (3..5, 5..5)]);
    }

    #[test]
    fn repeated_lines_are_still_compared() {
        check("x x x y", "x x y", &[(2..3, 2..2)]);
    }
}
