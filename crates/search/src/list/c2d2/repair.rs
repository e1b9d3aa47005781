//! What to build instead of a running set that does not: matrix-based search (Algorithm 2) and start-afresh
//! (3.4.3).

use super::Resolution;
use crate::matrix::Matrix;
use crate::{Config, Random};
use std::collections::HashSet;

/// Matrix-based search: the CE-resolving sets that some attempts make of `running`, the likeliest to build
/// first.
pub(super) fn candidates(
    matrix: &Matrix,
    running: &Config,
    attempts: usize,
    resolution: Resolution,
    random: &mut Random,
    is_new: impl Fn(&Config) -> bool,
) -> Vec<Config> {
    let draw = Draw::new(matrix, running, resolution);
    let mut seen = HashSet::new();
    let mut sets: Vec<(f64, Config)> = Vec::new();
    for _ in 0..attempts {
        for set in [draw.add_stochastic(random), draw.remove_stochastic(random)] {
            if is_new(&set) && seen.insert(set.clone()) {
                sets.push((matrix.chance_to_build(&set), set));
            }
        }
    }
    sets.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    if resolution == Resolution::Published {
        sets.truncate(attempts);
    }
    sets.into_iter().map(|(_, set)| set).collect()
}

/// What all attempts for one running set have in common.
struct Draw<'a> {
    matrix: &'a Matrix,
    running: &'a Config,
    rest: Config,
    /// How likely each of the rest is needed by the running set: the paper's `w` of the first round.
    needed: Vec<(u32, f64)>,
    /// How likely each of the running set needs one of the rest: the paper's `v` of the first round.
    needing: Vec<(u32, f64)>,
    resolution: Resolution,
}

impl Draw<'_> {
    fn new<'a>(matrix: &'a Matrix, running: &'a Config, resolution: Resolution) -> Draw<'a> {
        let rest = matrix.changes().minus(running);
        let needed = matrix.column_max(running, &rest);
        let needing = matrix.row_max(running, &rest);
        Draw { matrix, running, rest, needed, needing, resolution }
    }

    /// The running set with what it likely needs, what that likely needs, and so on.
    fn add_stochastic(&self, random: &mut Random) -> Config {
        let mut selected = self.select_stochastic(&self.needed, random);
        let mut set = self.running.union(&selected);
        while !selected.is_empty() {
            let rest = self.rest.minus(&set);
            selected = self.select_stochastic(&self.matrix.column_max(&selected, &rest), random);
            set = set.union(&selected);
        }
        set
    }

    /// The running set without those that likely need one of the rest, those that likely need them, and so
    /// on.
    fn remove_stochastic(&self, random: &mut Random) -> Config {
        let mut selected = self.select_stochastic(&self.needing, random);
        let mut set = self.running.minus(&selected);
        while !selected.is_empty() && self.resolution == Resolution::Paper {
            selected = self.select_stochastic(&self.matrix.row_max(&set, &selected), random);
            set = set.minus(&selected);
        }
        set
    }

    /// Each change with its own probability, independently of the others.
    fn select_stochastic(&self, weights: &[(u32, f64)], random: &mut Random) -> Config {
        let no_idea = weights.iter().all(|&(_, weight)| weight < 0.5);
        let hunch = if self.resolution == Resolution::Published && no_idea { 0.25 } else { 0.0 };
        let mut selected = |weight: f64| weight > 0.0 && random.chance(weight);
        weights.iter().filter(|&&(_, weight)| selected(weight + hunch)).map(|&(i, _)| i).collect()
    }
}

/// The sets of changes whose likeliest need is at most a threshold that rises in `steps` from nothing towards
/// the likeliest need of all, from step `from` on; a step that adds no change is left out.
pub(super) fn likely_independent(
    matrix: &Matrix,
    from: usize,
    steps: usize,
) -> impl Iterator<Item = (usize, Config)> {
    let needs = matrix.likeliest_needs();
    let most = needs.iter().map(|&(_, value)| value).fold(0.0, f64::max);
    let below = needs.into_iter().filter(|&(_, value)| value < most);
    let entries = below.map(|(i, value)| (i, (value / most * steps as f64).ceil() as usize));
    let entries: Vec<(u32, usize)> = entries.filter(|&(_, step)| step < steps).collect();
    let mut rises: Vec<usize> = entries.iter().map(|&(_, step)| step.max(from)).collect();
    rises.sort_unstable();
    rises.dedup();
    rises.into_iter().map(move |step| {
        let set = entries.iter().filter(|&&(_, entry)| entry <= step).map(|&(i, _)| i).collect();
        (step, set)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coupling, Couplings};

    /// Nobody needs anybody, but for a chain 0 -> 1 -> 2 that is known for sure.
    fn chain() -> Matrix {
        let couplings = Couplings::given([Coupling::certain(0, 1), Coupling::certain(1, 2)]);
        Matrix::new(&Config::full(5), &couplings, 1.0)
    }

    fn smaller_and_larger(running: &Config, resolution: Resolution) -> (Vec<Config>, Vec<Config>) {
        let attempts = |is_new: fn(&Config, &Config) -> bool| {
            let random = &mut Random::new(0);
            candidates(&chain(), running, 3, resolution, random, |set| is_new(set, running))
        };
        (
            attempts(|set, running| set.len() < running.len()),
            attempts(|set, running| set.len() > running.len()),
        )
    }

    #[test]
    fn adding_and_removing_follow_chains() {
        for running in [[0, 3].into(), [0, 1, 3].into()] {
            let (smaller, larger) = smaller_and_larger(&running, Resolution::Paper);
            assert_eq!(smaller, [[3].into()]);
            assert_eq!(larger, [[0, 1, 2, 3].into()]);
        }
    }

    #[test]
    fn the_published_removal_takes_one_round_and_its_adding_follows_a_hunch() {
        let (smaller, larger) = smaller_and_larger(&[0, 1, 3].into(), Resolution::Published);
        assert_eq!(smaller, [[0, 3].into()], "0 needs 1, but is not asked again");
        assert_eq!(larger, [[0, 1, 2, 3].into(), Config::full(5)], "nobody needs 4");
    }

    #[test]
    fn start_afresh_begins_with_those_who_need_nobody_and_leaves_the_neediest_out() {
        let matrix = Matrix::new(&Config::full(4), &Couplings::given([Coupling::certain(0, 1)]), 0.9);
        let matrix = matrix.after_build(&[3].into());
        let sets: Vec<(usize, Config)> = likely_independent(&matrix, 0, 10).collect();
        assert_eq!(sets, [(0, [3].into()), (2, [1, 2, 3].into())]);
        assert_eq!(likely_independent(&matrix, 5, 10).collect::<Vec<_>>(), [(5, [1, 2, 3].into())]);
    }
}
