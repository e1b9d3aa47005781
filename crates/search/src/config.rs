//! A set of change numbers: what a search proposes and everything else is keyed by.
//!
//! Why a bit set and not a sorted list? A search over 100,000 changes remembers thousands of configs, most of
//! them nearly full; a list would need thirty times the memory. The bits are shared, so a clone is a pointer,
//! and the hash is taken once, so looking a config up does not read it again.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

const BITS: usize = 64;

/// A set of change numbers; ordered, cheap to clone, equal when it holds the same numbers.
#[derive(Clone)]
pub struct Config {
    /// Bit `i % 64` of word `i / 64` tells whether `i` is in the set. The last word is never zero, so that
    /// equal sets have equal words, whatever universe they were made for.
    words: Arc<[u64]>,
    len: usize,
    hash: u64,
}

impl Default for Config {
    fn default() -> Config {
        Config::empty()
    }
}

impl Config {
    /// The empty config: the old version, or nothing of the input.
    pub fn empty() -> Config {
        Config::from_words(Vec::new())
    }

    /// The numbers `0..n`: the new version, or the whole input.
    pub fn full(n: usize) -> Config {
        let mut words = vec![u64::MAX; n / BITS];
        if !n.is_multiple_of(BITS) {
            words.push((1 << (n % BITS)) - 1);
        }
        Config::from_words(words)
    }

    fn from_words(mut words: Vec<u64>) -> Config {
        while words.last() == Some(&0) {
            words.pop();
        }
        let len = words.iter().map(|w| w.count_ones() as usize).sum();
        let hash = words.iter().fold(len as u64, |h, w| mix(h ^ w));
        Config { words: words.into(), len, hash }
    }

    /// How many numbers are in the set.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the set holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether `i` is in the set.
    pub fn contains(&self, i: u32) -> bool {
        let i = i as usize;
        self.words.get(i / BITS).is_some_and(|w| w >> (i % BITS) & 1 == 1)
    }

    /// The numbers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(k, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| {
                let rest = w & (w - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |w| (k * BITS) as u32 + w.trailing_zeros())
        })
    }

    /// The smallest number, if any.
    pub fn first(&self) -> Option<u32> {
        self.iter().next()
    }

    /// The largest number, if any.
    pub fn last(&self) -> Option<u32> {
        let word = self.words.last()?;
        Some((self.words.len() * BITS) as u32 - 1 - word.leading_zeros())
    }

    /// The numbers in either set.
    pub fn union(&self, other: &Config) -> Config {
        let (long, short) = if self.words.len() >= other.words.len() { (self, other) } else { (other, self) };
        let mut words = long.words.to_vec();
        words.iter_mut().zip(short.words.iter()).for_each(|(w, o)| *w |= o);
        Config::from_words(words)
    }

    /// The numbers in both sets.
    pub fn intersection(&self, other: &Config) -> Config {
        Config::from_words(self.words.iter().zip(other.words.iter()).map(|(a, b)| a & b).collect())
    }

    /// The numbers in this set and not in the other.
    pub fn minus(&self, other: &Config) -> Config {
        let mut words = self.words.to_vec();
        words.iter_mut().zip(other.words.iter()).for_each(|(w, o)| *w &= !o);
        Config::from_words(words)
    }

    /// This set and `i`.
    pub fn with(&self, i: u32) -> Config {
        self.union(&[i].into_iter().collect())
    }

    /// This set but `i`.
    pub fn without(&self, i: u32) -> Config {
        self.minus(&[i].into_iter().collect())
    }

    /// Whether every number of this set is in the other.
    pub fn is_subset(&self, other: &Config) -> bool {
        self.words.len() <= other.words.len()
            && self.words.iter().zip(other.words.iter()).all(|(a, b)| a & !b == 0)
    }

    /// Whether no number is in both sets.
    pub fn is_disjoint(&self, other: &Config) -> bool {
        self.words.iter().zip(other.words.iter()).all(|(a, b)| a & b == 0)
    }

    /// The numbers whose rank in the set is in `ranks`: a contiguous piece of the list.
    pub fn ranked(&self, ranks: std::ops::Range<usize>) -> Config {
        let mut words = Vec::new();
        let mut rank = 0;
        for &word in self.words.iter() {
            if rank >= ranks.end {
                break;
            }
            let ones = word.count_ones() as usize;
            if rank + ones <= ranks.start {
                words.push(0);
                rank += ones;
                continue;
            }
            let skip = ranks.start.saturating_sub(rank).min(ones);
            let take = (ranks.end - rank).min(ones).saturating_sub(skip);
            words.push(lowest(word & !lowest(word, skip), take));
            rank += ones;
        }
        Config::from_words(words)
    }

    /// Part `i` of `n` contiguous parts of nearly equal length, shorter ones first, as Zeller's `split` makes them.
    ///
    /// Every number is in exactly one part; with `n <= len` no part is empty.
    pub fn part(&self, i: usize, n: usize) -> Config {
        let (size, longer) = (self.len / n, self.len % n);
        let start = |i: usize| i * size + i.saturating_sub(n - longer);
        self.ranked(start(i)..start(i + 1))
    }

    /// Memory held by the set, in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Config>() + self.words.len() * size_of::<u64>()
    }
}

/// A set that grows number by number; a config once it is whole.
#[derive(Clone, Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    pub(crate) fn of(config: &Config) -> Bits {
        Bits(config.words.to_vec())
    }

    pub(crate) fn contains(&self, i: u32) -> bool {
        let i = i as usize;
        self.0.get(i / BITS).is_some_and(|w| w >> (i % BITS) & 1 == 1)
    }

    /// Adds `i`; tells whether it is new.
    pub(crate) fn insert(&mut self, i: u32) -> bool {
        let (k, bit) = (i as usize / BITS, 1 << (i as usize % BITS));
        if k >= self.0.len() {
            self.0.resize(k + 1, 0);
        }
        let new = self.0[k] & bit == 0;
        self.0[k] |= bit;
        new
    }

    pub(crate) fn remove(&mut self, i: u32) {
        if let Some(word) = self.0.get_mut(i as usize / BITS) {
            *word &= !(1 << (i as usize % BITS));
        }
    }
}

impl From<Bits> for Config {
    fn from(bits: Bits) -> Config {
        Config::from_words(bits.0)
    }
}

/// The `count` lowest set bits of `word`.
fn lowest(word: u64, count: usize) -> u64 {
    let mut rest = word;
    for _ in 0..count {
        rest &= rest.wrapping_sub(1);
    }
    word & !rest
}

fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ (x >> 32)
}

impl FromIterator<u32> for Config {
    fn from_iter<T: IntoIterator<Item = u32>>(numbers: T) -> Config {
        let mut bits = Bits::default();
        for i in numbers {
            bits.insert(i);
        }
        bits.into()
    }
}

impl<const N: usize> From<[u32; N]> for Config {
    fn from(numbers: [u32; N]) -> Config {
        numbers.into_iter().collect()
    }
}

impl PartialEq for Config {
    fn eq(&self, other: &Config) -> bool {
        self.hash == other.hash && (Arc::ptr_eq(&self.words, &other.words) || self.words == other.words)
    }
}

impl Eq for Config {}

impl Hash for Config {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl PartialOrd for Config {
    fn partial_cmp(&self, other: &Config) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Smaller sets first, then as lists of numbers.
impl Ord for Config {
    fn cmp(&self, other: &Config) -> std::cmp::Ordering {
        self.len.cmp(&other.len).then_with(|| self.iter().cmp(other.iter()))
    }
}

/// Shows runs as ranges: `{0-3,7}`.
impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for i in self.iter() {
            match runs.last_mut() {
                Some((_, end)) if *end + 1 == i => *end = i,
                _ => runs.push((i, i)),
            }
        }
        let shown = runs.iter().map(|&(a, b)| match b - a {
            0 => a.to_string(),
            1 => format!("{a},{b}"),
            _ => format!("{a}-{b}"),
        });
        write!(f, "{{{}}}", shown.collect::<Vec<_>>().join(","))
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_are_equal_whatever_they_were_made_from() {
        let small: Config = [1, 3].into();
        assert_eq!(Config::full(200).intersection(&small), small);
        assert_eq!(Config::from([1, 3, 150]).without(150), small);
        assert_eq!(Config::full(128).len(), 128);
        assert_eq!(Config::full(0), Config::empty());
    }

    #[test]
    fn parts_cover_the_set_once_and_differ_by_one_at_most() {
        for len in 1..140 {
            let c: Config = (0..len as u32).map(|i| i * 3).collect();
            for n in 1..=len {
                let parts: Vec<Config> = (0..n).map(|i| c.part(i, n)).collect();
                let union = parts.iter().fold(Config::empty(), |u, p| u.union(p));
                assert_eq!(union, c);
                assert_eq!(parts.iter().map(Config::len).sum::<usize>(), len);
                assert!(parts.iter().all(|p| p.len() == len / n || p.len() == len / n + 1));
                assert!(parts.windows(2).all(|w| w[0].len() <= w[1].len()));
            }
        }
    }

    #[test]
    fn first_and_last_are_the_ends_of_the_set() {
        for ends in [(0, 0), (3, 63), (3, 64), (64, 200)] {
            let c = Config::from([ends.0, ends.1]);
            assert_eq!((c.first(), c.last()), (Some(ends.0), Some(ends.1)));
        }
        assert_eq!(Config::empty().last(), None);
    }

    #[test]
    fn display_shows_runs_as_ranges() {
        assert_eq!(Config::from([0, 1, 2, 3, 7, 9, 10]).to_string(), "{0-3,7,9,10}");
        assert_eq!(Config::empty().to_string(), "{}");
    }
}
