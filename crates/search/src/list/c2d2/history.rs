//! Which configs were tried, and which were seen not to fail.

use crate::Config;
use std::collections::HashSet;
use std::sync::Arc;

/// All configs tried so far; a value that grows and stays cheap to clone.
///
/// The configs lie in sets of which each is more than twice as large as the next, as the digits of a binary
/// counter: adding one costs as much as a clone of the smallest sets, and all larger ones are shared.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    tried: Vec<Arc<HashSet<Config>>>,
    /// The largest configs that built and did not fail.
    passed: Arc<Vec<Config>>,
}

impl History {
    pub(super) fn add(&mut self, config: &Config, passed: bool) {
        let mut newest = HashSet::from([config.clone()]);
        while self.tried.last().is_some_and(|set| set.len() <= 2 * newest.len()) {
            let set = self.tried.pop().expect("there is a last set");
            newest.extend(set.iter().cloned());
        }
        self.tried.push(newest.into());
        if passed && !self.predicts_pass(config) {
            let largest = Arc::make_mut(&mut self.passed);
            largest.retain(|other| !other.is_subset(config));
            largest.push(config.clone());
        }
    }

    pub(super) fn has_tried(&self, config: &Config) -> bool {
        self.tried.iter().any(|set| set.contains(config))
    }

    /// By monotony, a config does not fail if it is empty or part of one that did not.
    pub(super) fn predicts_pass(&self, config: &Config) -> bool {
        config.is_empty() || self.passed.iter().any(|larger| config.is_subset(larger))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_history_knows_what_was_tried_and_predicts_subsets_of_what_passed() {
        let mut history = History::default();
        let configs: Vec<Config> = (0..100).map(|i| Config::from([i, i + 1, 200])).collect();
        for (i, config) in configs.iter().enumerate() {
            let before = history.clone();
            history.add(config, i % 2 == 0);
            assert!(history.has_tried(config) && !before.has_tried(config));
        }
        assert!(configs.iter().all(|config| history.has_tried(config)));
        assert!(history.tried.len() <= 7, "sets grow by doubling");
        assert!(history.predicts_pass(&[4, 5].into()) && !history.predicts_pass(&[5, 6].into()));
        assert!(history.predicts_pass(&Config::empty()));
        history.add(&Config::full(300), true);
        assert_eq!(history.passed.len(), 1, "only the largest are kept");
    }
}
