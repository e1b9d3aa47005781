//! Which search runs in a pass.
//!
//! The first look at a text is for what is large: few of many parts matter, and pith finds them in few tests.
//! Later rounds mostly prove that nothing more can go, for which each part is asked about once and no search is
//! better than a sweep. Somebody who names an algorithm gets it everywhere.

use nub_change::part::{Offer, Parts, Pass};
use nub_search::combine::{AllFirst, Sweep};
use nub_search::list::{Attempts, Pith};
use nub_search::tree::{Edit, Hdd, Perses, Pruning, Shape};
use nub_search::{Algorithm, AnySearch, Config, Problem};
use std::collections::HashMap;
use std::sync::Arc;

/// The search for a pass over what it offers.
pub(super) fn search(pass: Pass, offer: &Offer, algorithm: Option<Algorithm>, round: usize) -> AnySearch {
    let make = move |problem: &Problem| list(problem, algorithm, round);
    let problem = offer.parts.problem();
    match (&offer.parts, &offer.sets) {
        (_, Some(sets)) => AnySearch::new(Attempts::new(problem.full, sets.clone())),
        (Parts::Respelled(_), None) => AnySearch::new(AllFirst::All(make(&problem))),
        (Parts::Pruned(pruned), None) if pass == Pass::Hdd => hdd(&pruned.pruning, &problem, make),
        (Parts::Pruned(_), None) if pass == Pass::Lines => make(&problem),
        (Parts::Pruned(pruned), None) => {
            let problem = match algorithm {
                None => problem.with_couplings(offer.couplings.clone()),
                Some(_) => problem,
            };
            AnySearch::new(Perses::new(&pruned.pruning, &problem, make))
        }
    }
}

/// The search among whole files.
pub(super) fn files(sizes: Vec<u32>, algorithm: Option<Algorithm>) -> AnySearch {
    list(&Problem::new(sizes.len()).with_weights(sizes), algorithm, 0)
}

fn list(problem: &Problem, algorithm: Option<Algorithm>, round: usize) -> AnySearch {
    match algorithm {
        Some(algorithm) => algorithm.start(problem, &Config::empty(), 0),
        None if round == 0 => AnySearch::new(Pith::unproven(problem)),
        None => AnySearch::new(Sweep::new(problem.full.clone())),
    }
}

/// HDD over the nodes that can go; a node is below the nearest one above it that can go too.
fn hdd(
    pruning: &Pruning,
    problem: &Problem,
    make: impl Fn(&Problem) -> AnySearch + Send + Sync + 'static,
) -> AnySearch {
    let mut part_of: HashMap<u32, u32> = HashMap::new();
    let mut nodes: Vec<(u32, u32)> = Vec::new();
    for (part, edit) in pruning.edits().iter().enumerate() {
        if let Edit::Drop(node) = edit {
            part_of.insert(*node, part as u32);
            nodes.push((*node, part as u32));
        }
    }
    // Shapes number parents before children; parts that lift are roots that nobody asks about.
    nodes.sort_unstable();
    let above = |mut node: u32| loop {
        let parent = pruning.parent(node);
        if parent == node {
            return None;
        }
        if let Some(&part) = part_of.get(&parent) {
            return Some(part);
        }
        node = parent;
    };
    let mut parents: Vec<Option<u32>> = vec![None; pruning.edits().len()];
    for &(node, part) in &nodes {
        parents[part as usize] = above(node);
    }
    let drops: Config = nodes.iter().map(|&(_, part)| part).collect();
    let weights: Arc<[u32]> = Arc::clone(&problem.weights);
    let shape = Shape::new(parents).with_weights(weights);
    AnySearch::new(Hdd::star(&shape, &problem.within(drops), make))
}
