//! Which changes need which: what is known at the start, learned from answers, and refuted by builds.

mod components;

use crate::{Answer, Config, Coupling};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The couplings of a problem: a value that grows and shrinks with the evidence in answers.
///
/// Only couplings that are more likely than not are followed. A built config that breaks a coupling refutes it
/// for good.
#[derive(Clone, Debug, Default)]
pub struct Couplings {
    given: Arc<Graph>,
    learned: Arc<Graph>,
    refuted: Arc<HashSet<(u32, u32)>>,
}

#[derive(Clone, Debug, Default)]
struct Graph {
    needs: HashMap<u32, Vec<Coupling>>,
    needed_by: HashMap<u32, Vec<Coupling>>,
}

impl Graph {
    fn add(&mut self, coupling: Coupling) {
        self.needs.entry(coupling.dependent).or_default().push(coupling);
        self.needed_by.entry(coupling.needed).or_default().push(coupling);
    }
}

impl Couplings {
    /// Nothing is known to need anything.
    pub fn none() -> Couplings {
        Couplings::default()
    }

    /// Couplings known before the first test.
    pub fn given(couplings: impl IntoIterator<Item = Coupling>) -> Couplings {
        let mut graph = Graph::default();
        couplings.into_iter().filter(|c| c.dependent != c.needed).for_each(|c| graph.add(c));
        Couplings { given: graph.into(), ..Couplings::default() }
    }

    /// Whether nothing was ever said to need anything.
    pub fn is_empty(&self) -> bool {
        self.given.needs.is_empty() && self.learned.needs.is_empty()
    }

    /// What `change` needs directly.
    pub fn needs(&self, change: u32) -> impl Iterator<Item = Coupling> + '_ {
        self.edges(move |graph| graph.needs.get(&change))
    }

    /// Who needs `change` directly.
    pub fn needed_by(&self, change: u32) -> impl Iterator<Item = Coupling> + '_ {
        self.edges(move |graph| graph.needed_by.get(&change))
    }

    fn edges<'a>(
        &'a self,
        of: impl Fn(&'a Graph) -> Option<&'a Vec<Coupling>>,
    ) -> impl Iterator<Item = Coupling> + 'a {
        let all = of(&self.given).into_iter().chain(of(&self.learned)).flatten().copied();
        all.filter(|c| c.probability >= 0.5 && !self.refuted.contains(&(c.dependent, c.needed)))
    }

    /// Every coupling that is followed, in order of its changes.
    pub fn all(&self) -> Vec<Coupling> {
        let mut dependents: Vec<u32> =
            self.given.needs.keys().chain(self.learned.needs.keys()).copied().collect();
        dependents.sort_unstable();
        dependents.dedup();
        let mut all: Vec<Coupling> = dependents.into_iter().flat_map(|a| self.needs(a)).collect();
        all.sort_by_key(|c| (c.dependent, c.needed));
        all
    }

    /// The config with everything its changes need, and what that needs, and so on.
    pub fn close(&self, config: &Config) -> Config {
        if self.is_empty() {
            return config.clone();
        }
        let mut found: HashSet<u32> = HashSet::new();
        let mut pending: Vec<u32> = config.iter().collect();
        while let Some(a) = pending.pop() {
            for needed in self.needs(a).map(|c| c.needed) {
                if !config.contains(needed) && found.insert(needed) {
                    pending.push(needed);
                }
            }
        }
        config.union(&found.into_iter().collect())
    }

    /// Whether the config holds all that its changes need.
    pub fn is_closed(&self, config: &Config) -> bool {
        config.iter().all(|a| self.needs(a).all(|c| config.contains(c.needed)))
    }

    /// Those of `changes` and of the changes of `within` that cannot stay when `changes` go.
    pub fn dependents(&self, changes: &Config, within: &Config) -> Config {
        let mut found: HashSet<u32> = HashSet::new();
        let mut pending: Vec<u32> = changes.iter().collect();
        while let Some(b) = pending.pop() {
            for dependent in self.needed_by(b).map(|c| c.dependent) {
                if within.contains(dependent) && !changes.contains(dependent) && found.insert(dependent) {
                    pending.push(dependent);
                }
            }
        }
        changes.union(&found.into_iter().collect())
    }

    /// The groups of `kept` that nothing else in it needs for certain: single changes, or changes that need
    /// each other; each can be taken out without breaking a certain coupling. In order of their first change.
    pub fn unneeded_units(&self, kept: &Config) -> Vec<Config> {
        let certain = |b: u32| {
            let all = self.needed_by(b).filter(|c| c.probability >= Coupling::CERTAIN);
            all.map(|c| c.dependent).filter(|a| kept.contains(*a)).collect::<Vec<u32>>()
        };
        let components = components::strongly_connected(kept, certain);
        let mut units: Vec<Config> = components
            .into_iter()
            .filter(|unit| unit.iter().all(|b| certain(b).iter().all(|a| unit.contains(*a))))
            .collect();
        units.sort_by_key(|unit| unit.first());
        units
    }

    /// What is known after this answer; the second value tells whether that is more than before.
    pub fn learn(&self, config: &Config, answer: &Answer) -> (Couplings, bool) {
        let mut next = self.clone();
        if answer.built && self.is_empty() {
            return (next, false);
        }
        if answer.built {
            let broken: Vec<Coupling> = config.iter().flat_map(|a| self.needs(a)).collect();
            let broken: Vec<Coupling> = broken.into_iter().filter(|c| !config.contains(c.needed)).collect();
            if !broken.is_empty() {
                Arc::make_mut(&mut next.refuted).extend(broken.iter().map(|c| (c.dependent, c.needed)));
            }
            return (next, !broken.is_empty());
        }
        let new = |c: &&Coupling| {
            c.is_broken_in(config)
                && !self.refuted.contains(&(c.dependent, c.needed))
                && !self.needs(c.dependent).any(|known| known.needed == c.needed)
        };
        let new: Vec<Coupling> = answer.needs.iter().filter(new).copied().collect();
        if !new.is_empty() {
            let learned = Arc::make_mut(&mut next.learned);
            new.iter().for_each(|c| learned.add(*c));
        }
        (next, !new.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;

    fn chain() -> Couplings {
        Couplings::given([Coupling::certain(0, 1), Coupling::certain(1, 2)])
    }

    #[test]
    fn close_and_dependents_follow_chains() {
        assert_eq!(chain().close(&[0].into()), [0, 1, 2].into());
        assert_eq!(chain().dependents(&[2].into(), &Config::full(5)), [0, 1, 2].into());
        assert_eq!(chain().dependents(&[2].into(), &[2, 3].into()), [2].into());
        assert!(chain().is_closed(&[1, 2].into()) && !chain().is_closed(&[0, 2].into()));
    }

    #[test]
    fn learn_adds_what_a_broken_build_names_and_unlearns_what_a_build_refutes() {
        let broken = Answer::broken_build([Coupling::certain(3, 4)]);
        let (more, new) = chain().learn(&[3].into(), &broken);
        assert!(new);
        assert_eq!(more.close(&[3].into()), [3, 4].into());
        assert!(!more.learn(&[3].into(), &broken).1, "known already");

        let (less, new) = more.learn(&[0, 3, 4].into(), &Answer::bare(Outcome::Pass));
        assert!(new);
        assert_eq!(less.close(&[0].into()), [0].into());
        assert!(!less.learn(&[0].into(), &Answer::broken_build([Coupling::certain(0, 1)])).1, "refuted");
    }
}
