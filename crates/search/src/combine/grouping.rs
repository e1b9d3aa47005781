//! Elements in groups: the numbers of a coarser search, and what is known about them there.

use crate::{Answer, Config, Coupling, Couplings, Problem};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Which group each element belongs to; an element of no group always stays.
#[derive(Clone, Debug)]
pub struct Grouping {
    /// By element number; `None` for the finest grouping, where each element is its own group.
    group_of: Option<Arc<[Option<u32>]>>,
}

impl Grouping {
    /// Elements by the number of their group; those beyond the list belong to none.
    pub fn new(group_of: impl IntoIterator<Item = Option<u32>>) -> Grouping {
        Grouping { group_of: Some(group_of.into_iter().collect()) }
    }

    /// The finest grouping: each element alone, under its own number.
    pub fn elements() -> Grouping {
        Grouping { group_of: None }
    }

    /// The group of an element.
    pub fn group(&self, element: u32) -> Option<u32> {
        match &self.group_of {
            Some(group_of) => group_of.get(element as usize).copied().flatten(),
            None => Some(element),
        }
    }

    /// What is left of `within` when only these groups stay.
    pub fn keep(&self, groups: &Config, within: &Config) -> Config {
        let stays = |element: &u32| self.group(*element).is_none_or(|group| groups.contains(group));
        within.iter().filter(stays).collect()
    }

    /// The same problem in groups: summed sizes, the highest suspicion, couplings between groups; a group of nothing
    /// but declarations is one.
    pub fn lift(&self, problem: &Problem) -> Problem {
        let grouped = || problem.full.iter().filter_map(|i| self.group(i).map(|group| (i, group)));
        let full: Config = grouped().map(|(_, group)| group).collect();
        let len = full.iter().last().map_or(0, |last| last as usize + 1);

        let mut weights = vec![0u32; len];
        grouped().for_each(|(i, group)| {
            let weight = &mut weights[group as usize];
            *weight = weight.saturating_add(problem.weight(i));
        });
        let mut priors = vec![0.0f64; if problem.priors.is_empty() { 0 } else { len }];
        if !priors.is_empty() {
            grouped().for_each(|(i, group)| {
                let prior = &mut priors[group as usize];
                *prior = prior.max(problem.prior(i));
            });
        }
        // Of a group that lies in several, any one will do: it is larger than they are.
        let mut units = vec![0; if problem.units.is_empty() { 0 } else { len }];
        if !units.is_empty() {
            grouped().for_each(|(i, group)| units[group as usize] = problem.units[i as usize]);
        }
        let couplings = Couplings::given(self.lift_couplings(problem.couplings.all(), &problem.full));
        let mixed: Config =
            grouped().filter(|(i, _)| !problem.declarations.contains(*i)).map(|(_, group)| group).collect();
        let declarations = full.minus(&mixed);
        let lifted = Problem::of(full).with_weights(weights).with_priors(priors).with_units(units);
        lifted.with_couplings(couplings).with_declarations(declarations)
    }

    /// The same answer with its evidence in groups; what elements outside `within` need or give is left out.
    pub fn lift_answer(&self, answer: &Answer, within: &Config) -> Answer {
        let needs = self.lift_couplings(answer.needs.iter().copied(), within);
        Answer { needs: needs.into(), ..answer.clone() }
    }

    fn lift_couplings(
        &self,
        couplings: impl IntoIterator<Item = Coupling>,
        within: &Config,
    ) -> Vec<Coupling> {
        let mut surest: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        for c in couplings.into_iter().filter(|c| within.contains(c.dependent) && within.contains(c.needed)) {
            let between = self.group(c.dependent).zip(self.group(c.needed)).filter(|(a, b)| a != b);
            if let Some(between) = between {
                let probability = surest.entry(between).or_default();
                *probability = probability.max(c.probability);
            }
        }
        let coupling = |((dependent, needed), probability)| Coupling { dependent, needed, probability };
        surest.into_iter().map(coupling).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs() -> Grouping {
        Grouping::new([Some(0), Some(0), Some(1), Some(1), None])
    }

    #[test]
    fn keep_drops_whole_groups_and_leaves_what_belongs_to_none() {
        assert_eq!(pairs().keep(&[1].into(), &[0, 1, 3, 4].into()), [3, 4].into());
        assert_eq!(Grouping::elements().keep(&[1].into(), &[0, 1].into()), [1].into());
    }

    #[test]
    fn lift_sums_sizes_takes_the_highest_suspicion_joins_couplings_and_keeps_whole_declarations() {
        let likely = |dependent, needed| Coupling { dependent, needed, probability: 0.7 };
        let needs =
            [Coupling::certain(0, 1), likely(0, 2), Coupling::certain(1, 2), likely(2, 4), likely(3, 9)];
        let problem = Problem::of([0, 1, 2, 4].into())
            .with_weights([1, 2, 4, 8, 16])
            .with_priors([0.1, 0.3, 0.2, 0.9, 0.9])
            .with_couplings(Couplings::given(needs))
            .with_units([5, 5, 6, 6, 6])
            .with_declarations([0, 2, 3].into());
        let lifted = pairs().lift(&problem);
        assert_eq!(lifted.full, [0, 1].into());
        assert_eq!(lifted.weights[..], [3, 4]);
        assert_eq!(lifted.priors[..], [0.3, 0.2]);
        assert_eq!(lifted.units[..], [5, 6]);
        assert_eq!(lifted.couplings.all(), [Coupling::certain(0, 1)]);
        assert_eq!(lifted.declarations, [1].into());
    }

    #[test]
    fn lift_answer_speaks_of_groups_and_forgets_what_is_gone() {
        let answer = Answer::broken_build([Coupling::certain(1, 2), Coupling::certain(0, 3)]);
        let lifted = pairs().lift_answer(&answer, &[0, 1, 2].into());
        assert_eq!(lifted, Answer::broken_build([Coupling::certain(0, 1)]));
    }
}
