//! Perses: syntax-guided reduction (Sun, Li, Zhang, Gu and Su, ICSE 2018), over any [`Pruning`].
//!
//! Nodes are looked at by what is left of them, heaviest first. Of a node whose children can go, a list
//! algorithm minimises the children, after the question whether all can go at once; then each node below that
//! could stand in its place is tried there. What a grammar allows is settled in the pruning. One walk over the
//! tree is no fixpoint: whoever drives it parses the result and starts again until nothing changes, as Perses
//! does, since new text may parse into a tree with other choices.
//!
//! In the order of the text and without stand-ins the same walk is HDDr, the recursive variant of HDD (Kiss,
//! Hodován and Gyimóthy, A-TEST 2018): the children of one node at a time, top down.
//!
//! Departures: Perses sorts the candidates to stand in for a node by the size of the result; here they come in the
//! order the pruning gives, for the same reason: what is likely is known there. A walk that [gallops](Perses::galloping)
//! asks about ever more nodes at once while the children of each could go.

use super::Pruning;
use crate::combine::Make;
use crate::{Answer, Case, Cases, Config, Outcome::Fail, Problem, Search, no_cases, one_case};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

/// Minimises a tree node by node with any search over a list; configs are sets of parts.
///
/// Progress: a node more was looked at, or the search inside goes on.
#[derive(Clone)]
pub struct Perses<S> {
    task: Arc<Task<S>>,
    /// What is left; known to fail.
    kept: Config,
    /// The nodes that were looked at.
    seen: Config,
    /// The nodes that are still to be looked at, in their order, and how many of them were by now.
    ahead: (Arc<[u32]>, usize),
    /// How often in a row all children could go; none if it does not gallop.
    streak: Option<u32>,
    at: At<S>,
}

/// Which node is looked at next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// The one of which most is left.
    Heaviest,
    /// The first in the text.
    First,
}

struct Task<S> {
    order: Order,
    tree: Pruning,
    problem: Problem,
    make: Make<S>,
}

/// What is asked about one node.
#[derive(Clone)]
enum At<S> {
    /// Whether all children that can go of several nodes do.
    Several { nodes: Vec<u32> },
    /// Whether all its children that can go do.
    All { node: u32, parts: Config },
    /// Which of its children can go.
    Some { node: u32, parts: Config, list: S },
    /// What could stand in its place.
    Instead { node: u32 },
    /// Nothing is left to ask.
    Done,
}

impl<S: Search> Perses<S> {
    /// Walks the tree with list searches that `make` makes; couplings and priors of the problem are those of parts.
    pub fn new(
        tree: &Pruning,
        problem: &Problem,
        make: impl Fn(&Problem) -> S + Send + Sync + 'static,
    ) -> Perses<S> {
        Perses::start(Order::Heaviest, tree, problem, Arc::new(make))
    }

    /// HDDr: the same in the order of the text.
    pub fn hddr(
        tree: &Pruning,
        problem: &Problem,
        make: impl Fn(&Problem) -> S + Send + Sync + 'static,
    ) -> Perses<S> {
        Perses::start(Order::First, tree, problem, Arc::new(make))
    }

    fn start(order: Order, tree: &Pruning, problem: &Problem, make: Make<S>) -> Perses<S> {
        let task = Arc::new(Task { order, tree: tree.clone(), problem: problem.clone(), make });
        let (kept, seen, ahead) = (problem.full.clone(), Config::empty(), ([].into(), 0));
        let start = Perses { task, kept: kept.clone(), seen, ahead, streak: None, at: At::Done };
        start.reduced_to(kept).with_next_node()
    }

    /// The same walk in longer steps where all goes: a text of which nearly nothing matters may have thousands of nodes,
    /// each of which could lose its children alone.
    pub fn galloping(self) -> Perses<S> {
        Perses { streak: Some(0), ..self }
    }

    /// With less left, looks again which nodes there are to look at.
    fn reduced_to(mut self, kept: Config) -> Perses<S> {
        let tree = &self.task.tree;
        let (live, weights) = (|part: u32| kept.contains(part), tree.live_weights(&kept));
        let asks =
            |node: u32| tree.drops_below(node).any(live) || tree.lifts_at(node).iter().copied().any(live);
        let unseen = |&node: &u32| !self.seen.contains(node) && asks(node);
        let mut ahead: Vec<u32> = tree.live(&kept).into_iter().filter(unseen).collect();
        if self.task.order == Order::Heaviest {
            // The first of equals comes first.
            ahead.sort_by_key(|&node| Reverse(weights[node as usize]));
        }
        self.ahead = (ahead.into(), 0);
        self.kept = kept;
        self
    }

    /// Goes to the next node, or to several where it gallops.
    fn with_next_node(mut self) -> Perses<S> {
        let nodes = self.next_several();
        let next = self.ahead.0.get(self.ahead.1).copied();
        self.at = match next {
            _ if nodes.len() > 1 => At::Several { nodes },
            None => At::Done,
            Some(node) => {
                self.ahead.1 += 1;
                self.seen = self.seen.with(node);
                let parts = self.drops(node);
                if parts.is_empty() { At::Instead { node } } else { At::All { node, parts } }
            }
        };
        self
    }

    /// The next nodes, none below another, whose children could go at once: twice as many each time.
    fn next_several(&self) -> Vec<u32> {
        let most = self.streak.map_or(0, |streak| 1_usize.checked_shl(streak).unwrap_or(usize::MAX) / 2);
        let tree = &self.task.tree;
        let above = |node: u32| Some(tree.parent(node)).filter(|&above| above != node);
        let (mut chosen, mut several) = (HashSet::new(), Vec::new());
        for &node in &self.ahead.0[self.ahead.1..] {
            if several.len() >= most {
                break;
            }
            let is_below =
                std::iter::successors(above(node), |&node| above(node)).any(|above| chosen.contains(&above));
            if !is_below && !self.drops(node).is_empty() {
                chosen.insert(node);
                several.push(node);
            }
        }
        several
    }

    /// The parts that drop children of a node.
    fn drops(&self, node: u32) -> Config {
        self.task.tree.drops_below(node).filter(|&part| self.kept.contains(part)).collect()
    }

    fn list(&self, parts: &Config) -> S {
        let tree = &self.task.tree;
        let live = tree.live_weights(&self.kept);
        let mut weights = vec![0; parts.iter().last().map_or(0, |last| last as usize + 1)];
        for part in parts.iter() {
            if let super::pruning::Edit::Drop(node) = tree.edits()[part as usize] {
                weights[part as usize] = live[node as usize];
            }
        }
        (self.task.make)(&self.task.problem.within(parts.clone()).with_weights(weights))
    }

    fn at(&self, at: At<S>) -> Perses<S> {
        Perses { at, ..self.clone() }
    }

    /// After an answer to the question whether all children can go.
    fn all_went(&self, went: bool) -> Perses<S> {
        let streak = self.streak.map(|streak| if went { streak + 1 } else { 0 });
        Perses { streak, ..self.clone() }
    }

    /// After the children, what could stand in the node's place.
    fn after_children(&self, kept: Config, node: u32) -> Perses<S> {
        let next = if kept == self.kept { self.clone() } else { self.clone().reduced_to(kept) };
        if next.alternatives(node).is_empty() { next.with_next_node() } else { next.at(At::Instead { node }) }
    }

    fn alternatives(&self, node: u32) -> Vec<u32> {
        let lifts = self.task.tree.lifts_at(node).iter().copied();
        lifts.filter(|&part| self.kept.contains(part)).collect()
    }
}

impl<S: Search> Search for Perses<S> {
    fn cases(&self) -> Cases<Perses<S>> {
        let this = self.clone();
        match &self.at {
            At::Several { nodes } => {
                let parts = nodes.iter().flat_map(|&node| self.task.tree.drops_below(node)).collect();
                let rest = self.kept.minus(&parts);
                one_case(Case::when(rest.clone(), Fail, move || {
                    this.all_went(true).reduced_to(rest.clone()).with_next_node()
                }))
            }
            At::All { node, parts } => {
                let (rest, node) = (self.kept.minus(parts), *node);
                one_case(Case::when(rest.clone(), Fail, move || {
                    this.all_went(true).after_children(rest.clone(), node)
                }))
            }
            At::Some { node, parts, list } => {
                let (node, parts, outside) = (*node, parts.clone(), self.kept.minus(parts));
                Box::new(list.cases().map(move |case| {
                    let config = outside.union(&case.config);
                    let (this, parts) = (this.clone(), parts.clone());
                    let next = move |answer: &Answer| {
                        let list = (case.next)(answer)?;
                        Some(this.at(At::Some { node, parts: parts.clone(), list }))
                    };
                    Case { config, odds: case.odds, next: Box::new(next) }
                }))
            }
            At::Instead { node } => Box::new(self.alternatives(*node).into_iter().map(move |part| {
                let (this, rest) = (this.clone(), this.kept.without(part));
                Case::when(rest.clone(), Fail, move || this.clone().reduced_to(rest.clone()).with_next_node())
            })),
            At::Done => no_cases(),
        }
    }

    fn otherwise(&self) -> Option<Perses<S>> {
        match &self.at {
            At::Several { .. } => Some(self.all_went(false).with_next_node()),
            At::All { node, parts } if parts.len() > 1 => {
                let at = At::Some { node: *node, parts: parts.clone(), list: self.list(parts) };
                Some(self.all_went(false).at(at))
            }
            At::All { node, .. } => Some(self.all_went(false).after_children(self.kept.clone(), *node)),
            At::Some { node, parts, list } => Some(match list.otherwise() {
                Some(list) => self.at(At::Some { node: *node, parts: parts.clone(), list }),
                None => self.after_children(self.best(), *node),
            }),
            At::Instead { .. } => Some(self.clone().with_next_node()),
            At::Done => None,
        }
    }

    fn best(&self) -> Config {
        match &self.at {
            At::Some { parts, list, .. } => self.kept.minus(parts).union(&list.best()),
            _ => self.kept.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::converse;
    use crate::list::Ddmin;
    use crate::tree::pruning::Edit;
    use crate::{Outcome, Random};

    fn ddmin(problem: &Problem) -> Ddmin {
        Ddmin::new(problem.full.clone())
    }

    /// A random tree of `n` nodes whose leaves weigh one; each node may be dropped, or lift a random descendant.
    fn random_tree(n: usize, seed: u64) -> Pruning {
        let mut random = Random::new(seed);
        let mut sizes = vec![1; n];
        let mut open: Vec<usize> = vec![0];
        for node in 1..n {
            while open.len() > 1 && random.unit() < 0.4 {
                open.pop();
            }
            open.iter().for_each(|&above| sizes[above] += 1);
            open.push(node);
        }
        let weights = sizes.iter().map(|&size| u32::from(size == 1)).collect();
        let mut tree = Pruning::builder(sizes.clone(), weights);
        for node in 1..n as u32 {
            if random.unit() < 0.7 {
                tree.may_drop(node);
            }
            let below = sizes[node as usize] as usize - 1;
            if below > 0 && random.unit() < 0.5 {
                tree.may_lift(node, node + 1 + random.below(below) as u32);
            }
        }
        tree.build()
    }

    #[test]
    fn perses_looks_at_heavy_nodes_first_and_lifts_what_is_left() {
        // 0 ─┬─ 1 ─── 2,3,4     1 is a list, and 5 may give way to 7.
        //    └─ 5 ─┬─ 6
        //          └─ 7
        let mut tree = Pruning::builder(vec![8, 4, 1, 1, 1, 3, 1, 1], vec![0, 0, 1, 1, 1, 0, 1, 1]);
        [1, 5, 2, 3, 4].into_iter().for_each(|node| tree.may_drop(node));
        tree.may_lift(5, 7);
        let tree = tree.build();
        let test = |c: &Config| {
            let live = tree.live(c);
            Answer::bare(if live.contains(&7) && live.contains(&3) { Fail } else { Outcome::Pass })
        };
        let said = converse(Perses::new(&tree, &tree.problem(), ddmin), test);
        assert_eq!(tree.live(&said.best), [0, 1, 3, 7], "{said}");
        assert!(!said.best.contains(5));
        assert_eq!(said.questions[0].config, Config::from([2, 3, 4, 5]), "first all below the root");
    }

    #[test]
    fn a_galloping_walk_empties_many_nodes_at_once() {
        // Hundreds of nodes below the root, none of which can go, with two leaves each.
        let sizes = [1 + 3 * 300].into_iter().chain((0..300).flat_map(|_| [3, 1, 1])).collect();
        let mut tree = Pruning::builder(sizes, vec![1; 901]);
        (1..901).filter(|node| node % 3 != 1).for_each(|node| tree.may_drop(node));
        let tree = tree.build();
        let test = |c: &Config| Answer::bare(if tree.live(c).contains(&602) { Fail } else { Outcome::Pass });
        let walk = Perses::new(&tree, &tree.problem(), ddmin);
        let (patient, galloping) = (converse(walk.clone(), test), converse(walk.galloping(), test));
        assert_eq!((galloping.best.len(), &galloping.best), (1, &patient.best));
        assert!(patient.questions.len() > 300 && galloping.questions.len() < 40, "{galloping}");
    }

    #[test]
    fn no_node_of_a_fixpoint_can_go_or_give_way() {
        for seed in 0..400 {
            let n = 2 + Random::new(seed).below(40);
            let tree = random_tree(n, seed);
            let test = |c: &Config| {
                let hash = tree.live(c).iter().fold(seed, |h, i| Random::new(h ^ u64::from(*i)).next_u64());
                let fails = c.len() == tree.edits().len() || Random::new(hash).unit() < 0.3;
                Answer::bare(if fails { Fail } else { Outcome::Pass })
            };
            let mut kept = Config::full(tree.edits().len());
            loop {
                let walk = Perses::new(&tree, &tree.problem().within(kept.clone()), ddmin);
                let again = converse(if seed % 2 == 0 { walk } else { walk.galloping() }, test);
                if again.best == kept {
                    break;
                }
                kept = again.best;
            }
            let live = tree.live(&kept);
            for part in kept.iter() {
                let (Edit::Drop(node) | Edit::Lift { node, .. }) = tree.edits()[part as usize];
                let rest = kept.without(part);
                assert!(
                    !live.contains(&node) || tree.live(&rest) == live || !test(&rest).fails(),
                    "part {part} of seed {seed} can go"
                );
            }
        }
    }
}
