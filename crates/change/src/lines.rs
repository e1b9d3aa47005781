//! The lines of a text, and how two texts differ by lines.

use crate::trace::terminator;
use imara_diff::{Algorithm, Diff, InternedInput, Interner};
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

    fn terminator(&self, line: usize) -> &'a [u8] {
        terminator(self.bytes(line..line + 1))
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

/// What differs between two lists, as maximal runs; what lies between them is equal.
pub(crate) fn hunks<T: AsRef<[u8]> + Eq + Hash>(
    old: impl Iterator<Item = T>,
    new: impl Iterator<Item = T>,
) -> Vec<Edit> {
    let mut input = InternedInput { before: vec![], after: vec![], interner: Interner::new(0) };
    input.update_before(old);
    input.update_after(new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let range = |r: Range<u32>| r.start as usize..r.end as usize;
    diff.hunks().map(|hunk| Edit { old: range(hunk.before), new: range(hunk.after) }).collect()
}
