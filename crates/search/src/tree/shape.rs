//! A tree as a value: who is below whom, and what each node weighs; what the nodes are is not known here.

use crate::combine::Grouping;
use crate::{Config, Problem};
use std::sync::Arc;

/// A tree of nodes numbered so that parents come before their children, as in any walk from the root.
///
/// There may be several roots.
#[derive(Clone, Debug)]
pub struct Shape {
    parents: Arc<[Option<u32>]>,
    depths: Arc<[u32]>,
    children: Arc<[Vec<u32>]>,
    weights: Arc<[u32]>,
}

impl Shape {
    /// The tree with these parents by node, where all nodes weigh the same.
    ///
    /// # Panics
    /// If a parent does not come before its child.
    pub fn new(parents: impl Into<Arc<[Option<u32>]>>) -> Shape {
        let parents = parents.into();
        let mut depths: Vec<u32> = Vec::with_capacity(parents.len());
        let mut children = vec![Vec::new(); parents.len()];
        for (node, parent) in parents.iter().enumerate() {
            if let Some(parent) = *parent {
                assert!((parent as usize) < node, "parent {parent} of node {node} does not come before it");
                children[parent as usize].push(node as u32);
            }
            depths.push(parent.map_or(0, |parent| depths[parent as usize] + 1));
        }
        Shape { parents, depths: depths.into(), children: children.into(), weights: [].into() }
    }

    /// The same tree with a size for each node, not counting those below it.
    pub fn with_weights(self, weights: impl Into<Arc<[u32]>>) -> Shape {
        Shape { weights: weights.into(), ..self }
    }

    /// The problem of all nodes, with their sizes.
    pub fn problem(&self) -> Problem {
        Problem::new(self.len()).with_weights(Arc::clone(&self.weights))
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The node above, or `None` for a root.
    pub fn parent(&self, node: u32) -> Option<u32> {
        self.parents[node as usize]
    }

    /// The nodes right below, in order.
    pub fn children(&self, node: u32) -> &[u32] {
        &self.children[node as usize]
    }

    /// The node and all below it.
    pub fn subtree(&self, node: u32) -> Config {
        let mut found = vec![node];
        let mut seen = 0;
        while let Some(&above) = found.get(seen) {
            found.extend(self.children(above));
            seen += 1;
        }
        found.into_iter().collect()
    }

    /// The nodes at a distance from their root.
    pub fn level(&self, depth: u32) -> Config {
        (0..self.len() as u32).filter(|node| self.depths[*node as usize] == depth).collect()
    }

    /// The nodes in subtrees below one level: each belongs to the node of that level above it, or to none.
    pub fn below(&self, depth: u32) -> Grouping {
        let mut group_of: Vec<Option<u32>> = Vec::with_capacity(self.len());
        for (node, parent) in self.parents.iter().enumerate() {
            let above = parent.and_then(|parent| group_of[parent as usize]);
            group_of.push(if self.depths[node] == depth { Some(node as u32) } else { above });
        }
        Grouping::new(group_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ```text
    ///   0        5
    ///   ├─ 1     └─ 6
    ///   │  ├─ 2
    ///   │  └─ 3
    ///   └─ 4
    /// ```
    fn two_trees() -> Shape {
        Shape::new([None, Some(0), Some(1), Some(1), Some(0), None, Some(5)])
    }

    #[test]
    fn levels_children_and_subtrees_follow_the_parents() {
        let shape = two_trees();
        assert_eq!([0, 1, 2, 3].map(|d| shape.level(d).to_string()), ["{0,5}", "{1,4,6}", "{2,3}", "{}"]);
        assert_eq!(shape.children(1), [2, 3]);
        assert_eq!(shape.subtree(0), Config::full(5));
        assert_eq!(shape.subtree(3), [3].into());
    }

    #[test]
    fn below_a_level_nodes_belong_to_their_ancestor_in_it_and_weigh_with_it() {
        let shape = two_trees().with_weights([1, 2, 4, 8, 16, 32, 64]);
        assert_eq!([0, 3, 4].map(|node| shape.below(1).group(node)), [None, Some(1), Some(4)]);
        let level = shape.below(1).lift(&shape.problem());
        assert_eq!(level.full, shape.level(1));
        assert_eq!([1, 4, 6].map(|node| level.weight(node)), [14, 16, 64]);
    }
}
