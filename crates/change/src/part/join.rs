//! Writes what is left of a text so that it still reads as the same tokens.
//!
//! A token keeps what stood before it. Where something between two tokens is gone they must not run into each
//! other: `return (x)` without its brackets is `return x`. A token whose line begins with something that is
//! gone begins that line now, and a block that takes the place of the statement around it moves out with it.

use super::outline::{Leaf, Outline};
use nub_search::Config;
use nub_search::tree::Pruning;

pub(super) fn join(outline: &Outline, pruning: &Pruning, kept: &Config) -> Vec<u8> {
    let mut writer = Writer { outline, text: outline.text(), out: Vec::new(), last: 0, moved: Vec::new() };
    pruning.visit(kept, |node, instead_of| {
        if let Some(above) = instead_of {
            writer.take_place(above, node);
        }
        if let Some(leaf) = outline.leaf(node) {
            writer.leaf(node, leaf);
        }
    });
    writer.finish()
}

struct Writer<'a> {
    outline: &'a Outline,
    text: &'a [u8],
    out: Vec<u8>,
    /// The node after the last one written.
    last: u32,
    moved: Vec<Moved>,
}

/// A subtree that stands in the place of a node above it.
struct Moved {
    end: u32,
    /// How many columns its lines move out.
    columns: usize,
    /// The node whose place it takes, and how many columns that one's line moves out; until its first token is
    /// written.
    place: Option<(u32, usize)>,
}

impl Writer<'_> {
    fn take_place(&mut self, above: u32, node: u32) {
        self.moved.retain(|moved| node < moved.end);
        let (Some(old), Some(new)) = (self.first(above), self.first(node)) else { return };
        let outer = self.moved.last().map_or(0, |moved| moved.columns);
        let columns = outer + self.indent(new.start).saturating_sub(self.indent(old.start));
        let end = node + self.outline.sizes()[node as usize];
        self.moved.push(Moved { end, columns, place: Some((above, outer)) });
    }

    fn first(&self, node: u32) -> Option<Leaf> {
        let subtree = node..node + self.outline.sizes()[node as usize];
        subtree.into_iter().find_map(|node| self.outline.leaf(node))
    }

    /// How far in the line is that holds a byte.
    fn indent(&self, at: u32) -> usize {
        let begin =
            self.text[..at as usize].iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        self.text[begin..].iter().take_while(|&&b| b == b' ' || b == b'\t').count()
    }

    fn leaf(&mut self, node: u32, leaf: Leaf) {
        self.moved.retain(|moved| node < moved.end);
        let columns = self.moved.last().map_or(0, |moved| moved.columns);
        // Of several that begin here the outermost place counts.
        let place = self
            .moved
            .iter_mut()
            .filter_map(|moved| moved.place.take())
            .fold(None, |first, place| first.or(Some(place)));
        let (begins, columns) = place.unwrap_or((node, columns));
        let lead = self.first(begins).unwrap_or(leaf);
        let trivia = &self.text[lead.trivia()];
        let is_next = (self.last..begins).all(|between| self.outline.leaf(between).is_none());
        if self.out.is_empty() && !is_next {
            // What stood before it began the text; only how far in it is still matters.
            let line = trivia.iter().rposition(|&b| b == b'\n').map_or(trivia.len(), |newline| newline + 1);
            let blank = trivia.iter().all(u8::is_ascii_whitespace);
            self.write(if blank { &trivia[line..] } else { trivia }, columns);
        } else if is_next && begins == node {
            self.write(trivia, columns);
        } else {
            self.seam(begins, leaf, trivia, columns);
        }
        self.out.extend_from_slice(&self.text[leaf.bytes()]);
        self.last = node + 1;
    }

    /// Writes what stands between two tokens that were not neighbours.
    fn seam(&mut self, begins: u32, leaf: Leaf, trivia: &[u8], columns: usize) {
        let line = |trivia: &[u8]| trivia.iter().rposition(|&b| b == b'\n');
        let mut skipped = (self.last..begins).filter_map(|gone| self.outline.leaf(gone));
        let mut trivia = trivia;
        if !trivia.contains(&b'\n') {
            let first = skipped.next().map(|gone| &self.text[gone.trivia()]);
            let mut gaps = first.into_iter().chain(skipped.map(|gone| &self.text[gone.trivia()]));
            if let Some(newline) = gaps.find_map(|gone| Some(&gone[line(gone)?..])) {
                self.write(newline, columns);
                return;
            }
            // Of the blanks before it and before the first of those that are gone the fewer are enough.
            let fewer = first.filter(|first| first.len() < trivia.len() && trivia.iter().all(|&b| b == b' '));
            trivia = fewer.unwrap_or(trivia);
        }
        self.write(trivia, columns);
        let (before, after) = (self.out.last().copied(), self.text[leaf.start as usize]);
        if trivia.is_empty() && before.is_some_and(|before| run_together(before, after)) {
            self.out.push(b' ');
        }
    }

    /// Writes trivia with its last line moved out.
    fn write(&mut self, trivia: &[u8], columns: usize) {
        let line = trivia.iter().rposition(|&b| b == b'\n').map(|newline| newline + 1);
        match line.filter(|_| columns > 0) {
            None => self.out.extend_from_slice(trivia),
            Some(line) => {
                self.out.extend_from_slice(&trivia[..line]);
                let blanks = trivia[line..].iter().take_while(|&&b| b == b' ' || b == b'\t').count();
                self.out.extend_from_slice(&trivia[line + blanks.min(columns)..]);
            }
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if !self.out.is_empty() {
            self.out.extend_from_slice(&self.text[self.outline.tail()]);
        }
        self.out
    }
}

/// Whether two tokens that end and begin like this would read as one, or as another pair.
fn run_together(before: u8, after: u8) -> bool {
    let word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'@' | b'#') || b >= 0x80;
    let quote = |b: u8| matches!(b, b'"' | b'\'' | b'`');
    let sign = |b: u8| b"+-<>=&|/*!:.?%^~".contains(&b);
    (word(before) && (word(after) || quote(after)))
        || (quote(before) && (word(after) || quote(after)))
        || (sign(before) && sign(after))
        || (before.is_ascii_digit() && after == b'.')
        || (before == b'.' && after.is_ascii_digit())
}
