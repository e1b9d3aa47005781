//! Strongly connected components (Tarjan 1972), with a stack of its own: chains of couplings can be long.

use crate::Config;
use std::collections::HashMap;

/// The components of the graph on `nodes`; `next` lists the successors of a node within `nodes`.
pub(super) fn strongly_connected(nodes: &Config, next: impl Fn(u32) -> Vec<u32>) -> Vec<Config> {
    struct Visit {
        node: u32,
        successors: Vec<u32>,
        at: usize,
    }
    // A node's index is its place in the order of discovery; `usize::MAX` once its component is known.
    let mut index: HashMap<u32, usize> = HashMap::new();
    let mut low: HashMap<u32, usize> = HashMap::new();
    let mut open: Vec<u32> = Vec::new();
    let mut components = Vec::new();
    let mut discovered = 0;

    for root in nodes.iter() {
        if index.contains_key(&root) {
            continue;
        }
        let mut visits = vec![Visit { node: root, successors: next(root), at: 0 }];
        index.insert(root, discovered);
        low.insert(root, discovered);
        open.push(root);
        discovered += 1;
        while let Some(visit) = visits.last_mut() {
            let node = visit.node;
            if let Some(&successor) = visit.successors.get(visit.at) {
                visit.at += 1;
                match index.get(&successor) {
                    None => {
                        index.insert(successor, discovered);
                        low.insert(successor, discovered);
                        open.push(successor);
                        discovered += 1;
                        visits.push(Visit { node: successor, successors: next(successor), at: 0 });
                    }
                    Some(&usize::MAX) => {}
                    Some(&seen) => low.extend([(node, low[&node].min(seen))]),
                }
                continue;
            }
            visits.pop();
            if let Some(parent) = visits.last() {
                let reached = low[&node].min(low[&parent.node]);
                low.insert(parent.node, reached);
            }
            if low[&node] == index[&node] {
                let start = open.iter().rposition(|&o| o == node).expect("an open node is on the stack");
                let component: Vec<u32> = open.drain(start..).collect();
                index.extend(component.iter().map(|&member| (member, usize::MAX)));
                components.push(component.into_iter().collect());
            }
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_components_and_the_rest_stand_alone() {
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 4)];
        let next = |a: u32| edges.iter().filter(|e| e.0 == a).map(|e| e.1).collect();
        let mut found = strongly_connected(&Config::full(7), next);
        found.sort_by_key(Config::first);
        assert_eq!(found, [[0, 1, 2].into(), [3, 4].into(), Config::from([5]), [6].into()]);
    }
}
