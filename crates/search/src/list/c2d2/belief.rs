//! How likely each change is critical: ProbDD's probabilities, and how often each change was selected.

use crate::{Config, Random};
use std::sync::Arc;

/// What C2D2 believes about the changes still under consideration; a value, cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Belief {
    /// The changes whose probability is not zero: the paper's `X`.
    pub(super) x: Config,
    /// The probability of each change of `x`, by its number.
    p: Arc<Vec<f64>>,
    /// How often each change was selected (the paper's `t`), by its number.
    selections: Arc<Vec<u32>>,
}

impl Belief {
    pub(super) fn new(x: &Config, sigma: f64) -> Belief {
        let n = x.iter().last().map_or(0, |last| last as usize + 1);
        Belief { x: x.clone(), p: vec![sigma; n].into(), selections: vec![0; n].into() }
    }

    fn p(&self, change: u32) -> f64 {
        self.p[change as usize]
    }

    /// Whether every change is known to be critical or not.
    pub(super) fn is_decided(&self) -> bool {
        self.x.iter().all(|i| self.p(i) == 1.0)
    }

    /// The chance that none of these changes is critical.
    pub(super) fn chance_without(&self, changes: &Config) -> f64 {
        changes.iter().map(|i| 1.0 - self.p(i)).product()
    }

    /// ProbDD's running set: without the least likely changes, as many as give the largest expected gain.
    pub(super) fn greedy(&self) -> Config {
        let mut by_p: Vec<u32> = self.x.iter().collect();
        by_p.sort_by(|&a, &b| self.p(a).total_cmp(&self.p(b)));
        let (mut chance, mut gain, mut removed) = (1.0, 0.0, 0);
        for &i in &by_p {
            chance *= 1.0 - self.p(i);
            let more = chance * (removed + 1) as f64;
            if more < gain || more == 0.0 {
                break;
            }
            (gain, removed) = (more, removed + 1);
        }
        self.x.minus(&by_p[..removed].iter().copied().collect())
    }

    /// A running set of random size in which rarely selected changes are preferred (section 3.4.2).
    pub(super) fn equal_chances(&self, random: &mut Random) -> Config {
        let t = |i: u32| f64::from(self.selections[i as usize]);
        let (min, max) = self.x.iter().map(t).fold((f64::MAX, 0.0), |(min, max), t| (t.min(min), t.max(max)));
        let weight = |i: u32| if max == 0.0 { 1.0 } else { 1.0 - t(i) / (max + min) };
        let size = 1 + random.below(self.x.len().max(2) - 1);
        // The smallest of exponential times with these rates: a weighted draw without replacement.
        let mut times: Vec<(f64, u32)> =
            self.x.iter().map(|i| (-(1.0 - random.unit()).ln() / weight(i), i)).collect();
        times.retain(|(time, _)| time.is_finite());
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        times.into_iter().take(size).map(|(_, i)| i).collect()
    }

    /// Counts one more selection of these changes.
    pub(super) fn count_selected(&mut self, changes: &Config) {
        let selections = Arc::make_mut(&mut self.selections);
        changes.iter().for_each(|i| selections[i as usize] += 1);
    }

    /// Only these changes may be critical.
    pub(super) fn keep(&mut self, changes: &Config) {
        self.x = changes.clone();
    }

    /// At least one of the removed changes is critical; returns the largest rise of a probability.
    pub(super) fn need_one_of(&mut self, removed: &Config) -> f64 {
        let chance = self.chance_without(removed);
        let p = Arc::make_mut(&mut self.p);
        let mut rise = 0.0;
        for i in removed.iter() {
            let old = p[i as usize];
            let new = if removed.len() == 1 { 1.0 } else { (old / (1.0 - chance)).min(1.0) };
            p[i as usize] = new;
            rise = f64::max(rise, new - old);
        }
        rise
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Coupling;

    #[test]
    fn figure_2_is_reproduced_with_every_broken_build_taken_for_a_no() {
        let mut belief = Belief::new(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 14].into(), 0.15);
        let needs = [(6, 4), (14, 5), (5, 14)];
        let mut history = Vec::new();
        while !belief.is_decided() {
            let running = belief.greedy();
            let broken = needs.into_iter().any(|(a, b)| Coupling::certain(a, b).is_broken_in(&running));
            if !broken && Config::from([1, 2, 3]).is_subset(&running) {
                belief.keep(&running);
            } else {
                let removed = belief.x.minus(&running);
                belief.need_one_of(&removed);
            }
            history.push((running, belief.clone()));
        }
        assert_eq!(history.len(), 17);
        assert_eq!(belief.x, [1, 2, 3, 4, 5, 14].into());
        assert_eq!(history[0].0, [7, 8, 9, 14].into());
        assert_eq!(history[3].0, [1, 2, 3, 4, 8, 9, 14].into());
        let p = |iteration: usize, change| (100.0 * history[iteration - 1].1.p(change)).round() / 100.0;
        assert_eq!((p(1, 1), p(1, 7)), (0.24, 0.15));
        assert_eq!((p(4, 5), p(4, 7), p(4, 8)), (0.4, 0.52, 0.31));
        assert_eq!((p(8, 1), p(8, 5), p(8, 7), p(8, 14)), (0.61, 0.62, 0.52, 0.46));
    }

    #[test]
    fn equal_chances_prefers_what_was_rarely_selected() {
        let mut belief = Belief::new(&Config::full(20), 0.1);
        let often: Config = (0..10).collect();
        (0..9).for_each(|_| belief.count_selected(&often));
        belief.count_selected(&Config::full(20));
        let mut random = Random::new(1);
        let drawn: Vec<Config> = (0..200).map(|_| belief.equal_chances(&mut random)).collect();
        assert!(drawn.iter().all(|set| !set.is_empty() && set.len() < 20));
        let of_often: usize = drawn.iter().map(|set| set.intersection(&often).len()).sum();
        let of_all: usize = drawn.iter().map(Config::len).sum();
        assert!(of_often * 3 < of_all, "{of_often} of {of_all}");
    }
}
