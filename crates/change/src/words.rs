//! Words of any text: what weighs a change and what tells whether two lines are alike.

/// The words of a text: runs of letters, digits, `_` and bytes beyond ASCII; every other visible byte alone.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
    let runs = text.chunk_by(move |&a, &b| is_word(a) && is_word(b));
    runs.filter(|run| !run[0].is_ascii_whitespace())
}

/// How many words a text has; at least one, so that no change weighs nothing.
pub(crate) fn weight(text: &[u8]) -> u32 {
    words(text).count().max(1) as u32
}

/// A hash that is the same on every machine and in every run.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// The words of a line, to be compared with another line's.
pub(crate) struct Bag {
    /// Hash and length of each word, sorted.
    words: Vec<(u64, usize)>,
    size: usize,
}

impl Bag {
    pub(crate) fn new(line: &[u8]) -> Bag {
        Bag::of(words(line).map(|word| (hash(word), word.len())))
    }

    /// A bag of words by hash and length.
    pub(crate) fn of(words: impl Iterator<Item = (u64, usize)>) -> Bag {
        let mut words: Vec<(u64, usize)> = words.collect();
        words.sort_unstable();
        Bag { size: words.iter().map(|&(_, len)| len).sum(), words }
    }

    /// How alike two lines are, in thousandths: twice the bytes of the words they share by all bytes in
    /// words.
    pub(crate) fn likeness(&self, other: &Bag) -> u32 {
        let all = self.size + other.size;
        // Even if the shorter line were part of the longer one they could not be alike.
        if all == 0 || 2 * self.size.min(other.size) * 1000 / all < ALIKE as usize {
            return 0;
        }
        self.overlap(other)
    }

    /// The same for lines of any length.
    pub(crate) fn overlap(&self, other: &Bag) -> u32 {
        let all = (self.size + other.size).max(1);
        let (mut i, mut j, mut shared) = (0, 0, 0);
        while let (Some(a), Some(b)) = (self.words.get(i), other.words.get(j)) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    shared += a.1;
                    (i, j) = (i + 1, j + 1);
                }
            }
        }
        (2 * shared * 1000 / all) as u32
    }
}

/// From this likeness on, in thousandths, two lines are two forms of one line.
pub(crate) const ALIKE: u32 = 500;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_names_and_single_signs() {
        let found: Vec<&[u8]> = words(b"  let x_1 = f(\xc3\xa4);\n").collect();
        assert_eq!(found, [&b"let"[..], b"x_1", b"=", b"f", b"(", b"\xc3\xa4", b")", b";"]);
        assert_eq!(weight(b" \n"), 1);
    }

    #[test]
    fn likeness_ignores_order_and_space() {
        let likeness = |a: &[u8], b: &[u8]| Bag::new(a).likeness(&Bag::new(b));
        assert_eq!(likeness(b"f(a, b)", b"\tf(b,a)"), 1000);
        assert!(likeness(b"return foo(1);", b"return foo(2);") >= ALIKE);
        assert!(likeness(b"return foo(1);", b"import os") < ALIKE);
        assert_eq!(likeness(b"", b""), 0);
    }
}
