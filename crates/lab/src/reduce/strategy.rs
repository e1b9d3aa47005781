//! Which search runs in a pass.
//!
//! The first look at a text is for what is large: few of many parts matter, and pith finds them in few tests.
//! Later rounds mostly prove that nothing more can go, for which each part is asked about once and no search is
//! better than a sweep. While a text is large nothing is proven, and a list that has become slow is left: it may be
//! easy once something else is gone. Somebody who names an algorithm gets it everywhere.

use nub_change::part::{Offer, Parts, Pass};
use nub_search::combine::{AllFirst, Impatient, Sweep};
use nub_search::list::{Attempts, Gallop, Pith};
use nub_search::tree::{Edit, Hdd, Perses, Pruning, Shape};
use nub_search::{Algorithm, AnySearch, Config, Problem};
use std::collections::HashMap;

/// The share of a list that must go now and then, or it is left.
const LIST_SHARE: f64 = 0.03;

/// The same of all bodies together.
const BODIES_SHARE: f64 = 0.01;
/// How many questions about a whole text are looked at together: one list alone may be hard.
pub(super) const PATIENCE: usize = 32;

/// How closely a text is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// For what is large, as long as this many questions take out enough.
    Glance(usize),
    /// For what is large; the text is.
    Coarse,
    /// For the few parts that matter.
    First,
    /// For the last that can go.
    Last,
}

/// The search for a pass over what it offers.
pub(super) fn search(pass: Pass, offer: &Offer, algorithm: Option<Algorithm>, look: Look) -> AnySearch {
    let make = move |problem: &Problem| list(problem, algorithm, look);
    let problem = offer.parts.problem();
    match (&offer.parts, &offer.sets) {
        (_, Some(sets)) => AnySearch::new(Attempts::new(problem.full, sets.clone())),
        (Parts::Respelled(_), None) => AnySearch::new(AllFirst::All(make(&problem))),
        (Parts::Reached(_), None) => {
            let problem = problem.with_couplings(offer.couplings.clone()).with_priors(offer.priors.clone());
            match algorithm {
                Some(algorithm) => algorithm.start(&problem, 0),
                None => {
                    let gallop = Impatient::new(&problem, BODIES_SHARE, Gallop::new(&problem));
                    let gallop = gallop.with_patience(PATIENCE);
                    match pass {
                        Pass::Unrun => AnySearch::new(AllFirst::All(gallop)),
                        _ => AnySearch::new(gallop),
                    }
                }
            }
        }
        (Parts::Chunked(chunked), None) => match algorithm {
            None => AnySearch::new(Perses::new(&chunked.pruning, &problem, make).galloping()),
            Some(_) => AnySearch::new(Perses::new(&chunked.pruning, &problem, make)),
        },
        (Parts::Pruned(pruned), None) => match pass {
            Pass::Hdd | Pass::CoarseHdd => hdd(&pruned.pruning, &problem, make),
            Pass::HddR => AnySearch::new(Perses::hddr(&pruned.pruning, &problem, make)),
            Pass::Lines => make(&problem),
            Pass::Uses => {
                let problem =
                    problem.with_couplings(offer.couplings.clone()).with_priors(offer.priors.clone());
                match algorithm {
                    Some(algorithm) => algorithm.start(&problem, 0),
                    None => AnySearch::new(Impatient::new(&problem, LIST_SHARE, Pith::unproven(&problem))),
                }
            }
            _ => {
                let walk = match algorithm {
                    None => {
                        let problem =
                            problem.with_couplings(offer.couplings.clone()).with_priors(offer.priors.clone());
                        Perses::new(&pruned.pruning, &problem, make).galloping()
                    }
                    Some(_) => Perses::new(&pruned.pruning, &problem, make),
                };
                let parts = offer.parts.clone();
                match look {
                    Look::Glance(patience) => {
                        let size = move |config: &Config| parts.render(config).len() as u64;
                        AnySearch::new(Impatient::by(size, LIST_SHARE, walk).with_patience(patience))
                    }
                    _ => AnySearch::new(walk),
                }
            }
        },
    }
}

/// The search among whole files.
pub(super) fn files(sizes: Vec<u32>, algorithm: Option<Algorithm>) -> AnySearch {
    list(&Problem::new(sizes.len()).with_weights(sizes), algorithm, Look::First)
}

fn list(problem: &Problem, algorithm: Option<Algorithm>, look: Look) -> AnySearch {
    match (algorithm, look) {
        (Some(algorithm), _) => algorithm.start(problem, 0),
        (None, Look::Glance(_) | Look::Coarse) => {
            AnySearch::new(Impatient::new(problem, LIST_SHARE, Pith::unproven(problem)))
        }
        (None, Look::First) => AnySearch::new(Pith::unproven(problem)),
        (None, Look::Last) => AnySearch::new(Sweep::new(problem.full.clone())),
    }
}

/// HDD over the nodes that can go; a node is below the nearest one above it that can go too.
fn hdd(
    pruning: &Pruning,
    problem: &Problem,
    make: impl Fn(&Problem) -> AnySearch + Send + Sync + 'static,
) -> AnySearch {
    let dropped = |edit: &Edit| match *edit {
        Edit::Drop(node) => node,
        Edit::Lift { .. } => unreachable!("a text is cut for HDD without stand-ins"),
    };
    let nodes: Vec<u32> = pruning.edits().iter().map(dropped).collect();
    let part_of: HashMap<u32, u32> =
        nodes.iter().enumerate().map(|(part, &node)| (node, part as u32)).collect();
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
    let parents: Vec<Option<u32>> = nodes.into_iter().map(above).collect();
    // A shape wants the size of each node without those below it.
    let mut weights: Vec<u32> = problem.weights.to_vec();
    for (part, parent) in parents.iter().enumerate() {
        if let Some(parent) = *parent {
            weights[parent as usize] = weights[parent as usize].saturating_sub(problem.weights[part]);
        }
    }
    let shape = Shape::new(parents).with_weights(weights);
    AnySearch::new(Hdd::star(&shape, &shape.problem(), make))
}
