//! Strongly connected components (Tarjan 1972), with a stack of its own: chains of couplings can be long.

use crate::Config;

const UNSEEN: u32 = u32::MAX;
/// The index of a node whose component is known.
const CLOSED: u32 = u32::MAX - 1;

/// The components of the graph on `nodes`, each in ascending order, a component after those it leads to; `next`
/// lists the successors of a node within `nodes`.
pub(crate) fn strongly_connected<I: Iterator<Item = u32>>(
    nodes: &Config,
    next: impl Fn(u32) -> I,
) -> Vec<Vec<u32>> {
    struct Visit<I> {
        node: u32,
        successors: I,
    }
    let n = nodes.last().map_or(0, |last| last as usize + 1);
    // A node's index is its place in the order of discovery.
    let mut index = vec![UNSEEN; n];
    let mut low = vec![UNSEEN; n];
    let mut open: Vec<u32> = Vec::new();
    let mut visits: Vec<Visit<I>> = Vec::new();
    let mut components = Vec::new();
    let mut discovered = 0;

    for root in nodes.iter() {
        if index[root as usize] != UNSEEN {
            continue;
        }
        let mut discover = Some(root);
        loop {
            if let Some(node) = discover.take() {
                index[node as usize] = discovered;
                low[node as usize] = discovered;
                discovered += 1;
                open.push(node);
                visits.push(Visit { node, successors: next(node) });
            }
            let Some(visit) = visits.last_mut() else { break };
            let node = visit.node as usize;
            if let Some(successor) = visit.successors.next() {
                match index[successor as usize] {
                    UNSEEN => discover = Some(successor),
                    CLOSED => {}
                    seen => low[node] = low[node].min(seen),
                }
                continue;
            }
            visits.pop();
            if let Some(parent) = visits.last() {
                let parent = parent.node as usize;
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                let start =
                    open.iter().rposition(|&o| o as usize == node).expect("an open node is on the stack");
                let mut component: Vec<u32> = open.drain(start..).collect();
                component.iter().for_each(|&member| index[member as usize] = CLOSED);
                component.sort_unstable();
                components.push(component);
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
        let next = |a: u32| edges.iter().filter(move |e| e.0 == a).map(|e| e.1);
        let found = strongly_connected(&Config::full(7), next);
        assert_eq!(found, [vec![3, 4], vec![0, 1, 2], vec![5], vec![6]]);
    }
}
