//! A list kept in order, as a value that is cheap to clone and to change at the front.
//!
//! The searches that sort by belief change only the few items they just tried, and those are the first ones.
//! So the list is a handful of sorted runs that share their items with earlier states, merged while it is read;
//! items that changed become a new run. Each run is at least twice as long as the next, so there are few of
//! them, and an item is copied a logarithmic number of times.

use std::cmp::Ordering;
use std::sync::Arc;

/// Items in order; of equal ones, those put in later come first, and those put in together stay as they were.
#[derive(Clone, Debug)]
pub(super) struct Sorted<T> {
    /// Oldest first, none empty.
    runs: Vec<Run<T>>,
    order: fn(&T, &T) -> Ordering,
}

#[derive(Clone, Debug)]
struct Run<T> {
    items: Arc<[T]>,
    taken: usize,
}

impl<T> Run<T> {
    fn rest(&self) -> &[T] {
        &self.items[self.taken..]
    }
}

impl<T: Copy> Sorted<T> {
    /// These items in this order.
    pub(super) fn new(items: Vec<T>, order: fn(&T, &T) -> Ordering) -> Sorted<T> {
        Sorted { runs: Vec::new(), order }.replace_first(0, items)
    }

    /// How many items there are.
    pub(super) fn len(&self) -> usize {
        self.runs.iter().map(|run| run.rest().len()).sum()
    }

    /// The items from the first on, merged as far as somebody looks.
    pub(super) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        let mut rests: Vec<&[T]> = self.runs.iter().map(Run::rest).collect();
        std::iter::from_fn(move || self.pop(&mut rests))
    }

    /// The list without its first `count` items and with these.
    pub(super) fn replace_first(&self, count: usize, mut items: Vec<T>) -> Sorted<T> {
        let mut rests: Vec<&[T]> = self.runs.iter().map(Run::rest).collect();
        for _ in 0..count {
            self.pop(&mut rests);
        }
        let left = self.runs.iter().zip(&rests).filter(|(_, rest)| !rest.is_empty());
        let mut runs: Vec<Run<T>> = left
            .map(|(run, rest)| Run { items: Arc::clone(&run.items), taken: run.items.len() - rest.len() })
            .collect();
        if !items.is_empty() {
            items.sort_by(self.order);
            runs.push(Run { items: items.into(), taken: 0 });
        }
        for newer in (1..runs.len()).rev() {
            if runs[newer - 1].rest().len() < 2 * runs[newer].rest().len() {
                let run = runs.remove(newer);
                runs[newer - 1] = self.merge(&runs[newer - 1], &run);
            }
        }
        Sorted { runs, order: self.order }
    }

    /// The list without the items that are not wanted.
    pub(super) fn retain(&self, wanted: impl Fn(&T) -> bool) -> Sorted<T> {
        Sorted::new(self.iter().filter(wanted).collect(), self.order)
    }

    fn pop(&self, rests: &mut [&[T]]) -> Option<T> {
        let heads = rests.iter().enumerate().filter_map(|(i, rest)| rest.first().map(|head| (i, *head)));
        let (i, first) = heads.rev().min_by(|(_, a), (_, b)| (self.order)(a, b))?;
        rests[i] = &rests[i][1..];
        Some(first)
    }

    fn merge(&self, older: &Run<T>, newer: &Run<T>) -> Run<T> {
        let mut rests = [older.rest(), newer.rest()];
        let mut items = Vec::with_capacity(rests[0].len() + rests[1].len());
        while let Some(item) = self.pop(&mut rests) {
            items.push(item);
        }
        Run { items: items.into(), taken: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn replace_first_does_what_a_stable_sort_of_everything_would_do() {
        let mut random = Random::new(1);
        let by_key = |a: &(u64, usize), b: &(u64, usize)| a.0.cmp(&b.0);
        let items: Vec<(u64, usize)> = (0..300).map(|i| (random.next_u64() % 8, i)).collect();
        let mut plain = items.clone();
        plain.sort_by(by_key);
        let mut sorted = Sorted::new(items, by_key);
        for _ in 0..400 {
            let count = random.below(12).min(plain.len());
            let kept = if random.chance(0.2) { 0 } else { count };
            let changed: Vec<(u64, usize)> =
                plain[..kept].iter().map(|(key, i)| (key + random.next_u64() % 3, *i)).collect();
            sorted = sorted.replace_first(count, changed.clone());
            plain.splice(..count, changed);
            plain.sort_by(by_key);
            assert_eq!(sorted.iter().collect::<Vec<_>>(), plain);
            assert_eq!(sorted.len(), plain.len());
            assert!(sorted.runs.len() <= 9, "each run is at least twice as long as the next");
        }
        assert!(plain.is_empty(), "the last items went too");
    }

    #[test]
    fn retain_keeps_the_order() {
        let sorted = Sorted::new(vec![5, 1, 4, 2, 3], i32::cmp).replace_first(1, vec![6]);
        assert_eq!(sorted.retain(|i| i % 2 == 0).iter().collect::<Vec<_>>(), [2, 4, 6]);
    }
}
