//! Which changes need which: what is known at the start, learned from answers, and refuted by builds.

mod components;
mod graph;

pub(crate) use components::strongly_connected;

use crate::config::Bits;
use crate::{Answer, Config, Coupling, Outcome};
use graph::Graph;
use std::collections::HashMap;
use std::sync::Arc;

/// The couplings of a problem: a value that grows and shrinks with the evidence in answers.
///
/// Only couplings that are more likely than not are followed. A config that breaks a coupling and could be tested
/// refutes it, until failed builds have named it more often than that: an interpreter does not see all that a
/// program lacks.
#[derive(Clone, Debug, Default)]
pub struct Couplings {
    graph: Arc<Graph>,
    disputed: Arc<HashMap<(u32, u32), Dispute>>,
}

/// How often a coupling that was refuted was refuted, and how often named since.
#[derive(Clone, Copy, Debug, Default)]
struct Dispute {
    refuted: u32,
    named: u32,
}

impl Couplings {
    /// Nothing is known to need anything.
    pub fn none() -> Couplings {
        Couplings::default()
    }

    /// Couplings known before the first test.
    pub fn given(couplings: impl IntoIterator<Item = Coupling>) -> Couplings {
        let mut graph = Graph::default();
        couplings.into_iter().filter(is_followed).for_each(|c| graph.add(c));
        Couplings { graph: graph.into(), ..Couplings::default() }
    }

    /// Those of which nobody can doubt.
    pub fn certain(&self) -> Couplings {
        Couplings::given(self.all().into_iter().filter(|coupling| coupling.probability >= 1.0))
    }

    /// Whether nothing is said to need anything.
    pub fn is_empty(&self) -> bool {
        self.graph.is_empty()
    }

    /// What `change` needs directly.
    pub fn needs(&self, change: u32) -> impl Iterator<Item = Coupling> + '_ {
        self.graph.needs(change).iter().copied()
    }

    /// Who needs `change` directly.
    pub fn needed_by(&self, change: u32) -> impl Iterator<Item = Coupling> + '_ {
        self.graph.needed_by(change).iter().copied()
    }

    /// Every coupling that is followed, in order of its changes.
    pub fn all(&self) -> Vec<Coupling> {
        let mut all: Vec<Coupling> = self.graph.all().collect();
        all.sort_by_key(|c| (c.dependent, c.needed));
        all
    }

    /// The config with everything its changes need, and what that needs, and so on.
    pub fn close(&self, config: &Config) -> Config {
        self.close_onto(&Config::empty(), config)
    }

    /// A closed config with more changes and everything they need.
    pub fn close_onto(&self, closed: &Config, more: &Config) -> Config {
        if self.is_empty() {
            return closed.union(more);
        }
        let mut all = Bits::of(closed);
        let mut pending: Vec<u32> = more.iter().filter(|&a| all.insert(a)).collect();
        while let Some(a) = pending.pop() {
            pending.extend(self.needs(a).map(|c| c.needed).filter(|&b| all.insert(b)));
        }
        all.into()
    }

    /// Whether the config holds all that its changes need.
    pub fn is_closed(&self, config: &Config) -> bool {
        config.iter().all(|a| self.needs(a).all(|c| config.contains(c.needed)))
    }

    /// Those of `changes` and of the changes of `within` that cannot stay when `changes` go.
    pub fn dependents(&self, changes: &Config, within: &Config) -> Config {
        let mut all = Bits::of(changes);
        let mut pending: Vec<u32> = changes.iter().collect();
        while let Some(b) = pending.pop() {
            let dependents = self.needed_by(b).map(|c| c.dependent);
            pending.extend(dependents.filter(|&a| within.contains(a) && all.insert(a)));
        }
        all.into()
    }

    /// The groups of `kept` that nothing else in it needs, by couplings that are at least so sure: single changes, or
    /// changes that need each other; each can be taken out without breaking one. In order of their first change.
    pub fn unneeded_units(&self, kept: &Config, sure: f64) -> Vec<Config> {
        let needing = |b: u32| {
            let all = self.needed_by(b).filter(move |c| c.probability >= sure);
            all.map(|c| c.dependent).filter(|a| kept.contains(*a))
        };
        let components = strongly_connected(kept, needing);
        let alone = components.into_iter().filter(|unit| {
            let within = |a: u32| unit.binary_search(&a).is_ok();
            unit.iter().all(|&b| needing(b).all(within))
        });
        let mut units: Vec<Vec<u32>> = alone.collect();
        units.sort_unstable();
        units.into_iter().map(Config::from_iter).collect()
    }

    /// Whether a unit cannot be taken out of `kept` without breaking a coupling that is at least so sure.
    pub fn is_needed(&self, unit: &Config, kept: &Config, sure: f64) -> bool {
        let mut needing = unit.iter().flat_map(|b| self.needed_by(b)).filter(|c| c.probability >= sure);
        needing.any(|c| kept.contains(c.dependent) && !unit.contains(c.dependent))
    }

    /// What is known after this answer; the second value tells whether more is followed than before.
    ///
    /// What was likely and is named by a failed build is confirmed from then on.
    pub fn learn(&self, config: &Config, answer: &Answer) -> (Couplings, bool) {
        let mut next = self.clone();
        // A program that an interpreter runs is built, whatever it lacks; only what could be tested lacks nothing.
        let is_whole = answer.built && answer.outcome != Outcome::Unresolved;
        if is_whole && self.is_empty() {
            return (next, false);
        }
        if is_whole {
            let broken =
                config.iter().flat_map(|a| self.graph.needs(a)).filter(|c| !config.contains(c.needed));
            let broken: Vec<Coupling> = broken.copied().collect();
            if !broken.is_empty() {
                let graph = Arc::make_mut(&mut next.graph);
                broken.iter().for_each(|c| graph.remove(c));
                let disputed = Arc::make_mut(&mut next.disputed);
                broken.iter().for_each(|c| disputed.entry((c.dependent, c.needed)).or_default().refuted += 1);
            }
            return (next, !broken.is_empty());
        }
        let named = answer.needs.iter().filter(|c| is_followed(c) && c.is_broken_in(config));
        let mut new: Vec<Coupling> = named
            .filter(|c| !self.needs(c.dependent).any(|known| known.needed == c.needed))
            .copied()
            .collect();
        new.retain(|c| {
            let pair = (c.dependent, c.needed);
            if !next.disputed.contains_key(&pair) {
                return true;
            }
            let dispute = Arc::make_mut(&mut next.disputed).entry(pair).or_default();
            dispute.named += 1;
            dispute.named > dispute.refuted
        });
        let confirmed = answer.needs.iter().filter(|c| is_followed(c)).flat_map(|c| {
            let known = self.needs(c.dependent).filter(|known| known.needed == c.needed);
            known.filter(|known| known.probability < Coupling::CONFIRMED)
        });
        let confirmed: Vec<Coupling> = confirmed.collect();
        if !new.is_empty() || !confirmed.is_empty() {
            let graph = Arc::make_mut(&mut next.graph);
            new.iter().for_each(|c| graph.add(*c));
            for known in &confirmed {
                graph.remove(known);
                graph.add(Coupling { probability: Coupling::CONFIRMED, ..*known });
            }
        }
        (next, !new.is_empty())
    }
}

/// Whether a coupling is more likely than not, and says anything.
fn is_followed(coupling: &Coupling) -> bool {
    coupling.probability >= 0.5 && coupling.dependent != coupling.needed
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_coupling_that_is_unlikely_is_never_news() {
        let unlikely = Coupling { probability: 0.4, ..Coupling::certain(3, 4) };
        let (same, new) = chain().learn(&[3].into(), &Answer::broken_build([unlikely]));
        assert!(!new && same.close(&[3].into()) == [3].into());
    }

    #[test]
    fn a_likely_coupling_that_a_broken_build_names_is_confirmed_whether_it_breaks_this_one_or_not() {
        let likely = |dependent, needed| Coupling { dependent, needed, probability: 0.7 };
        let couplings = Couplings::given([likely(0, 1), likely(2, 1), likely(3, 4)]);
        let named = Answer::broken_build([likely(0, 1), likely(2, 1)]);
        let (more, new) = couplings.learn(&[0].into(), &named);
        assert!(!new, "nothing else is followed");
        let confirmed =
            |dependent, needed| Coupling { probability: Coupling::CONFIRMED, ..likely(dependent, needed) };
        let expected = [confirmed(0, 1), confirmed(2, 1), likely(3, 4)];
        assert_eq!(more.all(), expected);
    }

    #[test]
    fn unneeded_units_are_single_changes_and_rings_that_nothing_else_needs() {
        let ring = [(3, 4), (4, 3), (4, 2)].map(|(a, b)| Coupling::certain(a, b));
        let couplings = Couplings::given(chain().all().into_iter().chain(ring));
        let units = couplings.unneeded_units(&Config::full(6), Coupling::CERTAIN);
        assert_eq!(units, [[0].into(), Config::from([3, 4]), [5].into()]);
        let needed = |unit: &[u32]| {
            couplings.is_needed(&unit.iter().copied().collect(), &Config::full(6), Coupling::CERTAIN)
        };
        assert!(!needed(&[0]) && !needed(&[3, 4]) && needed(&[3]) && needed(&[1]) && needed(&[2]));
    }

    #[test]
    fn learn_adds_what_a_broken_build_names_and_unlearns_what_a_build_refutes() {
        let broken = Answer::broken_build([Coupling::certain(3, 4)]);
        let (more, new) = chain().learn(&[3].into(), &broken);
        assert!(new);
        assert_eq!(more.close(&[3].into()), [3, 4].into());
        assert!(!more.learn(&[3].into(), &broken).1, "known already");

        let cannot_tell = Answer { built: true, ..Answer::bare(Outcome::Unresolved) };
        assert!(!more.learn(&[0, 3, 4].into(), &cannot_tell).1, "it may lack what nobody names");
        let (less, new) = more.learn(&[0, 3, 4].into(), &Answer::bare(Outcome::Pass));
        assert!(new);
        assert_eq!(less.close(&[0].into()), [0].into());
        let named = Answer::broken_build([Coupling::certain(0, 1)]);
        let (doubtful, new) = less.learn(&[0].into(), &named);
        assert!(!new, "refuted as often as named");
        assert!(doubtful.learn(&[0].into(), &named).1, "named more often");
    }
}
