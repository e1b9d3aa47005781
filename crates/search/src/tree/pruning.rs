//! A tree of which parts can go: subtrees left out, or a node given way to one below it.
//!
//! ```text
//!   parts    0: drop d        a                a            a
//!            1: lift b to e   ├─ b             └─ b         ├─ e
//!                             │  ├─ d             └─ e      └─ c
//!                             │  └─ e
//!            2: drop c        └─ c
//!   kept                      {0,1,2}          {1}          {0,2}
//! ```
//!
//! A config is the set of parts that *stay*: the full one is the whole tree, and every config leaves a tree.
//! Why are lifts parts like drops? A search then chooses among numbers, and what it chooses among is settled
//! before the first question. What a node is, and how it is written, is not known here.

use crate::{Config, Problem};
use std::collections::HashMap;
use std::sync::Arc;

/// One way to make the tree smaller; it is made in configs that do not hold its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The node goes with all below it.
    Drop(u32),
    /// The node gives way to one below it.
    Lift {
        /// The node that goes.
        node: u32,
        /// What stands in its place.
        by: u32,
    },
}

/// A tree whose nodes are numbered in preorder, and the edits that make it smaller; cheap to clone.
#[derive(Clone, Debug)]
pub struct Pruning(Arc<Data>);

#[derive(Debug)]
struct Data {
    /// How many nodes the subtree of each node has.
    sizes: Vec<u32>,
    parents: Vec<u32>,
    /// What each node weighs by itself.
    weights: Vec<u32>,
    edits: Vec<Edit>,
    /// The part that drops a node, by node.
    drops: Vec<Option<u32>>,
    /// The parts that lift something to the place of a node, smallest result first.
    lifts: HashMap<u32, Vec<u32>>,
    /// What a node that cannot stand alone goes with, by node.
    glue: Vec<Option<Glue>>,
    lists: Vec<Vec<u32>>,
    /// The node that stays when all of its list go, and the others of the list.
    last: HashMap<u32, Vec<u32>>,
}

#[derive(Clone, Copy, Debug)]
enum Glue {
    /// It stands between the elements of a list, after the one at a place.
    Between { list: u32, place: u32 },
    /// It ends another node.
    Ends(u32),
}

impl Pruning {
    /// The tree with these subtree sizes by node, in preorder, and no edits; `weights` are those of the nodes alone.
    pub fn builder(sizes: Vec<u32>, weights: Vec<u32>) -> Builder {
        let mut parents = vec![0; sizes.len()];
        let mut open: Vec<(u32, u32)> = Vec::new();
        for (node, size) in sizes.iter().enumerate() {
            let node = node as u32;
            while open.last().is_some_and(|&(_, end)| end <= node) {
                open.pop();
            }
            parents[node as usize] = open.last().map_or(node, |&(parent, _)| parent);
            open.push((node, node + size));
        }
        let (drops, glue) = (vec![None; sizes.len()], vec![None; sizes.len()]);
        let (edits, lists) = (Vec::new(), Vec::new());
        let (lifts, last) = (HashMap::new(), HashMap::new());
        Builder(Data { sizes, parents, weights, edits, drops, lifts, glue, lists, last })
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.0.sizes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.0.sizes.is_empty()
    }

    /// The edits by number.
    pub fn edits(&self) -> &[Edit] {
        &self.0.edits
    }

    /// The node above; a root is its own.
    pub fn parent(&self, node: u32) -> u32 {
        self.0.parents[node as usize]
    }

    /// All parts, with what the nodes they drop or would save weigh.
    pub fn problem(&self) -> Problem {
        let below = self.add_up(self.0.weights.clone());
        let weigh = |edit: &Edit| match *edit {
            Edit::Drop(node) => below[node as usize],
            Edit::Lift { node, by } => below[node as usize] - below[by as usize],
        };
        let weights: Vec<u32> = self.0.edits.iter().map(weigh).collect();
        Problem::new(self.0.edits.len()).with_weights(weights)
    }

    /// The nodes that are left, in the order they are written.
    pub fn live(&self, kept: &Config) -> Vec<u32> {
        let mut live = Vec::new();
        self.visit(kept, |node, _| live.push(node));
        live
    }

    /// Goes through the nodes that are left, in the order they are written; one that stands in for another is given
    /// with the node whose place it takes.
    pub fn visit(&self, kept: &Config, visit: impl FnMut(u32, Option<u32>)) {
        let mut walk = Walk { data: &self.0, kept, last_live: vec![None; self.0.lists.len()], visit };
        walk.through(0, self.0.sizes.len() as u32);
    }

    /// What is left of each node, by node: the weight of what stands in its place; zero for those that went.
    pub fn live_weights(&self, kept: &Config) -> Vec<u32> {
        let mut weights = vec![0; self.len()];
        for node in self.live(kept) {
            weights[node as usize] = self.0.weights[node as usize];
        }
        self.add_up(weights)
    }

    /// Adds to each node what is below it.
    fn add_up(&self, mut weights: Vec<u32>) -> Vec<u32> {
        for node in (0..weights.len()).rev() {
            let parent = self.0.parents[node] as usize;
            if parent != node {
                weights[parent] += weights[node];
            }
        }
        weights
    }

    /// The parts that drop children of the node.
    pub fn drops_below(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let end = node + self.0.sizes[node as usize];
        let first = Some(node + 1).filter(|&child| child < end);
        let children = std::iter::successors(first, move |&child| {
            Some(child + self.0.sizes[child as usize]).filter(|&next| next < end)
        });
        children.filter_map(|child| self.0.drops[child as usize])
    }

    /// The parts that lift something to the place of the node, in the order they are tried.
    pub fn lifts_at(&self, node: u32) -> &[u32] {
        self.0.lifts.get(&node).map_or(&[], Vec::as_slice)
    }
}

/// Adds edits to a tree.
#[derive(Debug)]
pub struct Builder(Data);

impl Builder {
    /// Lets the node go, as the next part.
    pub fn may_drop(&mut self, node: u32) {
        let part = self.0.edits.len() as u32;
        self.0.edits.push(Edit::Drop(node));
        self.0.drops[node as usize] = Some(part);
    }

    /// Lets the node give way to one below it, as the next part; of several that are chosen at once the first
    /// added counts.
    pub fn may_lift(&mut self, node: u32, by: u32) {
        let part = self.0.edits.len() as u32;
        self.0.edits.push(Edit::Lift { node, by });
        self.0.lifts.entry(node).or_default().push(part);
    }

    /// Makes nodes separators of these siblings: `glue[i]` stands after `elements[i]`, and stays where that
    /// element stays and is not the last.
    pub fn separate(&mut self, elements: Vec<u32>, glue: &[u32]) {
        let list = self.0.lists.len() as u32;
        for (i, &node) in glue.iter().enumerate() {
            self.0.glue[node as usize] = Some(Glue::Between { list, place: i as u32 });
        }
        self.0.lists.push(elements);
    }

    /// Makes a node the end of another, which it stays and goes with.
    pub fn end(&mut self, node: u32, of: u32) {
        self.0.glue[node as usize] = Some(Glue::Ends(of));
    }

    /// Keeps one of these siblings, `last`, where all of them would go: their list cannot be empty.
    pub fn keep_one(&mut self, last: u32, elements: &[u32]) {
        let others = elements.iter().copied().filter(|&element| element != last).collect();
        self.0.last.insert(last, others);
    }

    /// The tree with its edits.
    pub fn build(self) -> Pruning {
        Pruning(Arc::new(self.0))
    }
}

struct Walk<'a, F> {
    data: &'a Data,
    kept: &'a Config,
    /// By list, the place of its last element that stays.
    last_live: Vec<Option<Option<u32>>>,
    visit: F,
}

impl<F: FnMut(u32, Option<u32>)> Walk<'_, F> {
    fn through(&mut self, mut node: u32, end: u32) {
        while node < end {
            let next = node + self.data.sizes[node as usize];
            if self.is_dropped(node) || self.is_loose(node) {
                node = next;
            } else if let Some(by) = self.lifted(node) {
                self.enter(by, node);
                node = next;
            } else {
                (self.visit)(node, None);
                node += 1;
            }
        }
    }

    /// Writes a node in the place of another; that it could have been dropped in its own does not count.
    fn enter(&mut self, node: u32, instead_of: u32) {
        match self.lifted(node) {
            Some(by) => self.enter(by, instead_of),
            None => {
                (self.visit)(node, Some(instead_of));
                self.through(node + 1, node + self.data.sizes[node as usize]);
            }
        }
    }

    fn is_dropped(&self, node: u32) -> bool {
        self.may_go(node)
            && !self.data.last.get(&node).is_some_and(|others| others.iter().all(|&other| self.may_go(other)))
    }

    /// Whether its own edit is made.
    fn may_go(&self, node: u32) -> bool {
        self.data.drops[node as usize].is_some_and(|part| !self.kept.contains(part))
    }

    fn lifted(&self, node: u32) -> Option<u32> {
        let lifts = self.data.lifts.get(&node)?;
        let made = lifts.iter().find(|&&part| !self.kept.contains(part))?;
        match self.data.edits[*made as usize] {
            Edit::Lift { by, .. } => Some(by),
            Edit::Drop(_) => None,
        }
    }

    /// Whether it is a separator with nothing to separate, or an end of nothing.
    fn is_loose(&mut self, node: u32) -> bool {
        let (list, place) = match self.data.glue[node as usize] {
            None => return false,
            Some(Glue::Ends(of)) => return self.is_dropped(of),
            Some(Glue::Between { list, place }) => (list, place),
        };
        let elements = &self.data.lists[list as usize];
        if self.is_dropped(elements[place as usize]) {
            return true;
        }
        let last = match self.last_live[list as usize] {
            Some(last) => last,
            None => elements.iter().rposition(|&element| !self.is_dropped(element)).map(|i| i as u32),
        };
        self.last_live[list as usize] = Some(last);
        last.is_none_or(|last| last <= place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ```text
    ///   0 ─┬─ 1 ─┬─ 2        f(x, y, z)
    ///      │     ├─ 3 glue
    ///      │     ├─ 4
    ///      │     ├─ 5 glue
    ///      │     └─ 6
    ///      └─ 7 ─── 8
    /// ```
    fn call() -> Pruning {
        let mut tree = Pruning::builder(vec![9, 6, 1, 1, 1, 1, 1, 2, 1], vec![0, 0, 1, 1, 1, 1, 1, 0, 1]);
        tree.separate(vec![2, 4, 6], &[3, 5]);
        [2, 4, 6, 7].into_iter().for_each(|node| tree.may_drop(node));
        tree.may_lift(1, 4);
        tree.build()
    }

    #[test]
    fn a_full_config_leaves_every_node_and_an_empty_one_what_cannot_go() {
        assert_eq!(call().live(&Config::full(5)), (0..9).collect::<Vec<_>>());
        assert_eq!(call().live(&Config::empty()), [0, 4]);
    }

    #[test]
    fn separators_stay_between_elements_that_stay() {
        let tree = call();
        let left = |gone: &[u32]| {
            let gone: Config = gone.iter().copied().collect();
            tree.live(&Config::full(5).minus(&gone))
                .into_iter()
                .filter(|n| (2..7).contains(n))
                .collect::<Vec<_>>()
        };
        assert_eq!(left(&[0]), [4, 5, 6]);
        assert_eq!(left(&[1]), [2, 3, 6]);
        assert_eq!(left(&[2]), [2, 3, 4]);
        assert_eq!(left(&[0, 2]), [4]);
        assert_eq!(left(&[0, 1, 2]), []);
    }

    #[test]
    fn what_ends_a_node_goes_with_it() {
        let mut tree = Pruning::builder(vec![5, 1, 1, 1, 1], vec![0, 1, 1, 1, 1]);
        for node in [1, 3] {
            tree.may_drop(node);
            tree.end(node + 1, node);
        }
        let tree = tree.build();
        assert_eq!(tree.live(&[1].into()), [0, 3, 4]);
        assert_eq!(tree.live(&[0].into()), [0, 1, 2]);
    }

    #[test]
    fn of_a_list_that_cannot_be_empty_one_element_stays() {
        let mut tree = Pruning::builder(vec![4, 1, 1, 1], vec![0, 1, 1, 1]);
        [1, 2, 3].into_iter().for_each(|node| tree.may_drop(node));
        tree.keep_one(2, &[1, 2, 3]);
        let tree = tree.build();
        assert_eq!(tree.live(&Config::empty()), [0, 2]);
        assert_eq!(tree.live(&[0].into()), [0, 1], "another stays already");
    }

    #[test]
    fn a_lifted_node_stands_in_the_place_of_the_one_above() {
        let tree = call();
        let lifted = Config::full(5).without(4);
        assert_eq!(tree.live(&lifted), [0, 4, 7, 8]);
        assert_eq!(tree.live(&lifted.without(1)), [0, 4, 7, 8]);
        assert_eq!(tree.live_weights(&lifted)[1], 1, "what stands in its place weighs for it");
        assert_eq!(tree.live_weights(&lifted)[0], 2);
    }
}
