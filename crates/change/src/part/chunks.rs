//! What is no text, cut by the lengths that are written in it.
//!
//! Most formats for machines are rows of chunks, each of which says how long it is: PNG, RIFF, MP4, wasm, TLV of any sort. Which
//! number says so, how wide it is and what it counts is found out by trying: a row fits if following its numbers from chunk to
//! chunk ends just where the bytes end.
//!
//! ```text
//!   89 50 4e 47 ..  | 00 00 00 0d  I H D R  .. .. |  00 00 00 09  p H Y s  .. .. |
//!   head              ^length 13, and 12 beside     ^length 9, and 12 beside
//! ```
//!
//! A chunk that goes, or bytes inside one, make the numbers around them smaller by as much; a number before the row that is
//! how many chunks there are counts those that stay. No format is known by name, so a checksum is not mended: whoever
//! wants inputs of such a format small has a test that does not mind.

use nub_search::tree::Pruning;
use nub_search::{Config, Problem};
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

/// Bytes as a tree of chunks and of runs of bytes in them.
#[derive(Clone, Debug)]
pub struct Chunked {
    bytes: Arc<[u8]>,
    nodes: Arc<[Node]>,
    /// The tree and its parts.
    pub pruning: Pruning,
}

/// A chunk, or a run of bytes.
#[derive(Clone, Debug)]
struct Node {
    bytes: Range<usize>,
    /// The nodes of its subtree.
    size: u32,
    /// The number that says how long it is.
    length: Option<Number>,
    /// The number that says how many chunks are in it, and how many these are.
    count: Option<Number>,
    is_chunk: bool,
}

/// A number that is written in the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Number {
    bytes: Range<usize>,
    writing: Writing,
    value: u64,
}

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writing {
    /// In so many bytes, the largest last.
    Little(usize),
    /// In so many bytes, the largest first.
    Big(usize),
    /// Seven bits a byte, the smallest first (LEB128).
    Sevens,
}

const WIDE: [Writing; 4] = [Writing::Big(4), Writing::Little(4), Writing::Big(8), Writing::Little(8)];
const NARROW: [Writing; 4] = [Writing::Sevens, Writing::Big(2), Writing::Little(2), Writing::Big(1)];
/// So many chunks make a row of narrow numbers, ...
const SEVERAL: usize = 3;
/// ... which are within so many bytes of the beginning of their chunks.
const SHORT_TAG: usize = 2;
/// A row begins within so many bytes.
const LONGEST_HEAD: usize = 16;
/// A length is within so many bytes of the beginning of its chunk.
const LONGEST_TAG: usize = 8;
/// At most so many bytes of a chunk are not counted by its length, beside those before it.
const LONGEST_TAIL: usize = 8;
/// Chunks in chunks are looked for so deep.
const DEEPEST: usize = 6;
/// Shorter runs of bytes are not looked into.
const LEAST: usize = 8;
/// Into so many chunks of a row is looked.
const MOST_LOOKED_INTO: usize = 64;
/// Bytes that are in no chunk are cut into about so many runs.
const RUNS: usize = 128;

impl Writing {
    /// The number at a place.
    fn read(self, bytes: &[u8], at: usize) -> Option<Number> {
        let fixed = |width: usize| bytes.get(at..at + width);
        let (width, value) = match self {
            Writing::Big(width) => (width, fixed(width)?.iter().fold(0, |n, &b| n << 8 | u64::from(b))),
            Writing::Little(width) => {
                (width, fixed(width)?.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b)))
            }
            Writing::Sevens => {
                let width = 1 + bytes.get(at..)?.iter().take(5).position(|byte| byte & 0x80 == 0)?;
                let sevens = bytes[at..at + width].iter().rev();
                (width, sevens.fold(0, |n, &b| n << 7 | u64::from(b & 0x7f)))
            }
        };
        Some(Number { bytes: at..at + width, writing: self, value })
    }

    fn write(self, value: u64, out: &mut Vec<u8>) {
        match self {
            Writing::Big(width) => out.extend(&value.to_be_bytes()[8 - width..]),
            Writing::Little(width) => out.extend(&value.to_le_bytes()[..width]),
            Writing::Sevens => {
                let mut value = value;
                while value >= 0x80 {
                    out.push(value as u8 | 0x80);
                    value >>= 7;
                }
                out.push(value as u8);
            }
        }
    }
}

/// Chunks that follow each other to the end.
#[derive(Debug)]
struct Row {
    chunks: Vec<(Range<usize>, Number)>,
    /// How many of them are not empty.
    filled: usize,
}

/// Follows the lengths of chunks: the number is `tag` bytes after the beginning and counts all but `beside` bytes after it.
fn follow(bytes: &[u8], within: Range<usize>, tag: usize, writing: Writing, beside: usize) -> Option<Row> {
    let (mut at, mut row) = (within.start, Row { chunks: Vec::new(), filled: 0 });
    while at < within.end {
        let number = writing.read(&bytes[..within.end], at + tag)?;
        let length = usize::try_from(number.value).ok()?;
        let end = number.bytes.end.checked_add(beside)?.checked_add(length)?;
        if end > within.end {
            return None;
        }
        row.filled += usize::from(length > 0);
        row.chunks.push((at..end, number));
        at = end;
    }
    Some(row)
}

/// The row in a run of bytes that is the least likely to be an accident, if there is one.
fn row(bytes: &[u8], within: &Range<usize>) -> Option<Row> {
    wide_row(bytes, within).or_else(|| narrow_row(bytes, within))
}

/// The row with the most chunks; unless it is all in one chunk, which is found first.
fn wide_row(bytes: &[u8], within: &Range<usize>) -> Option<Row> {
    let mut best: Option<Row> = None;
    for head in 0..=LONGEST_HEAD.min(within.len()) {
        for (writing, tag) in WIDE.into_iter().flat_map(|w| (0..=LONGEST_TAG).map(move |tag| (w, tag))) {
            let from = within.start + head;
            let rows =
                (0..=LONGEST_TAIL).filter_map(|beside| follow(bytes, from..within.end, tag, writing, beside));
            for row in rows.filter(|row| row.filled > 0) {
                let holds_all = row.chunks.len() == 1 && row.chunks[0].1.value > LEAST as u64;
                if holds_all && best.as_ref().is_none_or(|best| best.filled < 2) {
                    return Some(row);
                }
                if best.as_ref().is_none_or(|best| row.filled > best.filled) {
                    best = Some(row);
                }
            }
        }
    }
    best
}

/// Narrow numbers fit by accident now and then; several in a plain row seldom do.
fn narrow_row(bytes: &[u8], within: &Range<usize>) -> Option<Row> {
    let tries = NARROW.into_iter().flat_map(|writing| {
        (0..=LONGEST_HEAD.min(within.len()))
            .flat_map(move |head| (0..=SHORT_TAG).map(move |tag| (writing, head, tag)))
    });
    let rows = tries
        .filter_map(|(writing, head, tag)| follow(bytes, within.start + head..within.end, tag, writing, 0));
    // A number before it that counts its chunks makes an accident unlikely.
    let is_counted = |row: &Row| {
        let first = row.chunks[0].0.start;
        count(bytes, within.start..first, row.chunks.len() as u64).is_some()
    };
    rows.filter(|row| row.filled >= SEVERAL)
        .max_by_key(|row| (is_counted(row), row.filled, Reverse(row.chunks.len())))
}

impl Chunked {
    /// Cuts bytes by their lengths, and the rest into runs.
    pub fn new(bytes: Arc<[u8]>) -> Chunked {
        Chunked::cut(bytes, 0)
    }

    /// Cuts bytes into runs, whatever is written in them.
    pub fn runs(bytes: Arc<[u8]>) -> Chunked {
        Chunked::cut(bytes, DEEPEST)
    }

    fn cut(bytes: Arc<[u8]>, depth: usize) -> Chunked {
        let mut nodes = Vec::new();
        add(&bytes, &mut nodes, 0..bytes.len(), None, false, depth);
        let (sizes, weights) = nodes
            .iter()
            .map(|node| (node.size, if node.size == 1 { node.bytes.len() as u32 } else { 0 }))
            .unzip();
        let mut pruning = Pruning::builder(sizes, weights);
        (1..nodes.len() as u32).for_each(|node| pruning.may_drop(node));
        let pruning = pruning.build();
        Chunked { bytes, nodes: nodes.into(), pruning }
    }

    /// All parts with their sizes.
    pub fn problem(&self) -> Problem {
        self.pruning.problem()
    }

    /// The bytes that are left.
    pub fn render(&self, kept: &Config) -> Vec<u8> {
        let mut lives = vec![false; self.nodes.len()];
        self.pruning.live(kept).into_iter().for_each(|node| lives[node as usize] = true);
        self.written(0, &lives)
    }

    /// What is left of a node, with its numbers set right.
    fn written(&self, at: usize, lives: &[bool]) -> Vec<u8> {
        let node = &self.nodes[at];
        let mut instead: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
        let (mut child, mut chunks) = (at + 1, 0);
        while child < at + node.size as usize {
            let inner = &self.nodes[child];
            chunks += u64::from(inner.is_chunk && lives[child]);
            let left = if lives[child] { self.written(child, lives) } else { Vec::new() };
            instead.push((inner.bytes.clone(), left));
            child += inner.size as usize;
        }
        instead
            .extend(node.count.as_ref().map(|number| (number.bytes.clone(), self.spelled(number, chunks))));
        let shrunk: usize = instead.iter().map(|(bytes, left)| bytes.len().saturating_sub(left.len())).sum();
        instead.extend(node.length.as_ref().map(|number| {
            (number.bytes.clone(), self.spelled(number, number.value.saturating_sub(shrunk as u64)))
        }));
        instead.sort_by_key(|(bytes, _)| bytes.start);
        let (mut out, mut from) = (Vec::with_capacity(node.bytes.len()), node.bytes.start);
        for (bytes, left) in instead {
            out.extend(&self.bytes[from..bytes.start]);
            out.extend(left);
            from = bytes.end;
        }
        out.extend(&self.bytes[from..node.bytes.end]);
        out
    }

    /// A number with this value; where that is as it was, so is how it is written.
    fn spelled(&self, number: &Number, value: u64) -> Vec<u8> {
        if value == number.value {
            return self.bytes[number.bytes.clone()].to_vec();
        }
        let mut out = Vec::new();
        number.writing.write(value, &mut out);
        out
    }
}

/// Adds a node with all that is in it.
fn add(
    bytes: &[u8],
    nodes: &mut Vec<Node>,
    within: Range<usize>,
    length: Option<Number>,
    is_chunk: bool,
    depth: usize,
) {
    let at = nodes.len();
    let content = length.as_ref().map_or(within.start, |number| number.bytes.end)..within.end;
    nodes.push(Node { bytes: within, size: 1, length, count: None, is_chunk });
    let may_hold = depth < DEEPEST && content.len() >= LEAST;
    match may_hold.then(|| row(bytes, &content)).flatten() {
        Some(row) => {
            let first = row.chunks[0].0.start;
            nodes[at].count = count(bytes, content.start..first, row.chunks.len() as u64);
            let head = nodes[at].count.as_ref().map_or(first, |number| number.bytes.start);
            if depth == 0 {
                add_runs(nodes, content.start..head);
            }
            let mut sizes: Vec<usize> = row.chunks.iter().map(|(chunk, _)| chunk.len()).collect();
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            let least = sizes.get(MOST_LOOKED_INTO).copied().unwrap_or(0).max(LEAST);
            for (chunk, number) in row.chunks {
                // Of many, only the largest are looked into.
                let deep = if chunk.len() > least { depth + 1 } else { DEEPEST };
                add(bytes, nodes, chunk, Some(number), true, deep);
            }
        }
        None => add_runs(nodes, content),
    }
    nodes[at].size = (nodes.len() - at) as u32;
}

/// The number just before a row that is how many chunks it has.
fn count(bytes: &[u8], head: Range<usize>, chunks: u64) -> Option<Number> {
    let ends = |writing: &Writing| {
        let starts = (head.start.max(head.end.saturating_sub(8))..head.end).rev();
        starts
            .filter_map(|at| writing.read(&bytes[..head.end], at))
            .find(|number| number.bytes.end == head.end && number.value == chunks && chunks > 1)
    };
    WIDE.iter().chain(&NARROW).find_map(ends)
}

/// Cuts a run of bytes into runs whose length is a power of two.
fn add_runs(nodes: &mut Vec<Node>, run: Range<usize>) {
    let width = (run.len() / RUNS).next_power_of_two();
    for from in run.clone().step_by(width) {
        let bytes = from..(from + width).min(run.end);
        nodes.push(Node { bytes, size: 1, length: None, count: None, is_chunk: false });
    }
}

/// Whether these bytes are no text: one in ten is neither a sign nor part of one.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    let is_odd = |byte: u8| byte < b' ' && !b"\t\n\r\x0c\x1b".contains(&byte);
    let odd: usize = bytes
        .utf8_chunks()
        .map(|chunk| chunk.invalid().len() + chunk.valid().bytes().filter(|&byte| is_odd(byte)).count())
        .sum();
    odd > 0 && odd * 10 >= bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chunks of a text like PNG: a head, then length, name, content and checksum.
    fn chunks(of: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut bytes = b"\x89HEAD\r\n\x1a".to_vec();
        for (name, content) in of {
            bytes.extend((content.len() as u32).to_be_bytes());
            bytes.extend(*name);
            bytes.extend(*content);
            bytes.extend(b"sum!");
        }
        bytes
    }

    /// What is left when each part goes alone.
    fn without_one(bytes: &[u8]) -> Vec<Vec<u8>> {
        let chunked = Chunked::new(bytes.into());
        let full = chunked.problem().full;
        assert_eq!(chunked.render(&full), bytes);
        full.iter().map(|part| chunked.render(&full.without(part))).collect()
    }

    #[test]
    fn a_chunk_goes_whole_and_a_byte_of_it_with_its_length() {
        let all: [(&[u8; 4], &[u8]); 3] = [(b"IHDR", b"abc"), (b"text", b"some words"), (b"IEND", b"")];
        let left = without_one(&chunks(&all));
        assert!(left.contains(&chunks(&[all[0], all[2]])));
        assert!(left.contains(&chunks(&[all[0], (b"text", b"some word"), all[2]])));
    }

    #[test]
    fn what_is_around_a_chunk_is_as_long_as_what_is_left_of_it() {
        let wave = |chunks: &[(&[u8; 4], &[u8])]| {
            let mut inside = b"WAVE".to_vec();
            for (name, content) in chunks {
                inside.extend(*name);
                inside.extend((content.len() as u32).to_le_bytes());
                inside.extend(*content);
            }
            let mut bytes = b"RIFF".to_vec();
            bytes.extend((inside.len() as u32).to_le_bytes());
            bytes.extend(inside);
            bytes
        };
        let left = without_one(&wave(&[(b"fmt ", &[1; 16]), (b"LIST", &[2; 30]), (b"data", &[3; 9])]));
        assert!(left.contains(&wave(&[(b"fmt ", &[1; 16]), (b"data", &[3; 9])])));
        assert!(left.contains(&wave(&[(b"fmt ", &[1; 16]), (b"LIST", &[2; 30]), (b"data", &[3; 8])])));
    }

    #[test]
    fn a_number_before_a_row_counts_its_chunks() {
        let row = |bodies: &[&[u8]]| {
            let mut bytes = vec![bodies.len() as u8];
            for body in bodies {
                bytes.push(body.len() as u8);
                bytes.extend(*body);
            }
            bytes
        };
        let bodies: [&[u8]; 6] = [&[9, 1, 200], &[8; 5], &[7, 250], &[6, 2, 2, 201], &[5; 9], &[4; 3]];
        let left = without_one(&row(&bodies));
        assert!(left.contains(&row(&bodies[1..])), "{left:?}");
    }

    #[test]
    fn bytes_without_lengths_are_runs() {
        let bytes: Vec<u8> = (0..64u32).map(|i| (i * i * 37 % 251) as u8 | 0x80).collect();
        assert_eq!(without_one(&bytes).len(), 64);
    }

    #[test]
    fn a_text_with_few_odd_bytes_is_no_binary() {
        assert!(!is_binary("höher\n\tweiter".as_bytes()) && !is_binary(b"caf\xe9 au lait, s'il vous plait"));
        assert!(is_binary(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"));
    }
}
