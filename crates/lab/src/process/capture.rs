//! Output with a cap: its first and its last bytes are kept.
//!
//! Why both ends? A compiler's first message is the one that counts, a test runner's last. What is kept
//! depends on the stream's bytes alone, never on how they arrived, so that a symptom is found every time or
//! never.

use std::borrow::Cow;
use std::collections::VecDeque;

/// What a stream said, perhaps with its middle left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The bytes, with a line of ours where some were left out.
    pub bytes: Vec<u8>,
    /// How many bytes were left out.
    pub dropped: u64,
}

impl Captured {
    /// The bytes as text; what is not UTF-8 is replaced.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}

/// A stream while it is read.
pub(super) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_cap: usize,
    tail_cap: usize,
    seen: u64,
}

impl Capture {
    pub(super) fn new(cap: usize) -> Capture {
        let head_cap = cap / 2;
        Capture { head: Vec::new(), tail: VecDeque::new(), head_cap, tail_cap: cap - head_cap, seen: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.seen += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(self.head_cap - self.head.len()));
        self.head.extend_from_slice(first);

        let rest = &rest[rest.len().saturating_sub(self.tail_cap)..];
        let too_many = (self.tail.len() + rest.len()).saturating_sub(self.tail_cap);
        self.tail.drain(..too_many);
        self.tail.extend(rest);
    }

    pub(super) fn finish(self) -> Captured {
        let dropped = self.seen - (self.head.len() + self.tail.len()) as u64;
        let mut bytes = self.head;
        if dropped > 0 {
            bytes.extend_from_slice(format!("\n[{dropped} bytes left out]\n").as_bytes());
        }
        bytes.extend(self.tail);
        Captured { bytes, dropped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture<'a>(cap: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Captured {
        let mut capture = Capture::new(cap);
        chunks.into_iter().for_each(|chunk| capture.push(chunk));
        capture.finish()
    }

    #[test]
    fn output_up_to_the_cap_is_kept_whole() {
        assert_eq!(capture(6, [&b"abc"[..], b"def"]).text(), "abcdef");
        assert_eq!(capture(6, [&b""[..]]), Captured::default());
    }

    #[test]
    fn output_beyond_the_cap_keeps_head_and_tail_however_it_arrives() {
        let stream = b"0123456789abcdefghij";
        for size in 1..=stream.len() {
            let captured = capture(7, stream.chunks(size));
            assert_eq!(captured.text(), "012\n[13 bytes left out]\nghij", "in chunks of {size}");
            assert_eq!(captured.dropped, 13);
        }
    }

    #[test]
    fn a_cap_of_nothing_keeps_nothing() {
        assert_eq!(capture(0, [&b"abc"[..]]).text(), "\n[3 bytes left out]\n");
    }
}
