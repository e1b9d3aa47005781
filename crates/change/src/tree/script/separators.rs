//! What stands between the elements of a list, and with which of them it comes and goes.

use super::{List, NEW, OLD, Script};
use crate::change::Kind;
use crate::tree::habits::{Habits, Part};
use crate::tree::plant::{NONE, Plant};
use nub_syntax::Node;
use std::collections::HashMap;

impl Script<'_> {
    /// Gives each separator of two lists to the element it comes and goes with.
    ///
    /// The first element that is there in every config has none; those before it have the one behind them, those
    /// after it the one before them. Where both lists end with one, each element has the one behind it.
    pub(super) fn separators(&mut self, (o, n): (Node, Node), units: &[Units; 2], list: &List) {
        if units.iter().all(|units| units.separators.is_empty()) {
            return;
        }
        // A list without separators ends its elements like the other, if that needs not end them all.
        let ends = units.iter().any(|units| units.ends);
        let is_terminated = units.iter().all(|units| {
            units.is_terminated || units.elements.is_empty() || ends && units.separators.is_empty()
        });
        let slot = list.slots.iter().map(|slot| slot.first).min();
        let is_one_sided = units.iter().any(|units| units.elements.is_empty());
        if slot.is_none() && !is_one_sided {
            let k = self.edit(Kind::Replace, NONE, [vec![o], vec![n]]);
            for (side, units) in units.iter().enumerate() {
                units.separators.iter().for_each(|&(separator, _)| self.own(side, separator, k));
            }
            return;
        }
        let anchors: [Option<usize>; 2] = match slot {
            Some(first) => [0, 1].map(|side| units[side].elements.iter().position(|&e| e == first[side])),
            None => [Some(0), Some(0)],
        };
        // The separator of each element.
        let mut of_element: [HashMap<Node, Node>; 2] = [HashMap::new(), HashMap::new()];
        let mut last: [Option<Node>; 2] = [None, None];
        for side in 0..2 {
            let Units { elements, separators, .. } = &units[side];
            let anchor = anchors[side].unwrap_or(0);
            for &(separator, before) in separators {
                let i = before - 1;
                let unit = if is_terminated || i < anchor { i } else { i + 1 };
                match elements.get(unit) {
                    Some(&element) => drop(of_element[side].insert(element, separator)),
                    None => last[side] = Some(separator),
                }
            }
        }
        for slot in &list.slots {
            let [a, b] = if is_terminated { slot.last } else { slot.first };
            let pair = (of_element[OLD].remove(&a), of_element[NEW].remove(&b));
            self.same_or_replaced(pair);
        }
        self.same_or_replaced((last[OLD], last[NEW]));
        for side in 0..2 {
            for element in &units[side].elements {
                if let Some(&separator) = of_element[side].get(element) {
                    let k = list.edits[side][element];
                    self.own(side, separator, k);
                }
            }
            if slot.is_none() && !is_terminated {
                let edits: Vec<u32> = units[side].elements.iter().map(|e| list.edits[side][e]).collect();
                self.needs_first(side, &edits);
            }
        }
    }

    /// Keeps a separator that both lists have, and makes an edit of one that differs.
    fn same_or_replaced(&mut self, pair: (Option<Node>, Option<Node>)) {
        match pair {
            (None, None) => {}
            (Some(a), Some(b)) if self.plants[OLD].hash(a) == self.plants[NEW].hash(b) => {
                self.matching.partner[OLD][a as usize] = b;
                self.matching.partner[NEW][b as usize] = a;
            }
            (a, b) => {
                let kind = match (a, b) {
                    (Some(_), Some(_)) => Kind::Replace,
                    (Some(_), None) => Kind::Delete,
                    _ => Kind::Insert,
                };
                let k = self.edit(kind, NONE, [a.into_iter().collect(), b.into_iter().collect()]);
                a.into_iter().for_each(|a| self.own(OLD, a, k));
                b.into_iter().for_each(|b| self.own(NEW, b, k));
            }
        }
    }
}

/// The elements of a list and what stands between them.
pub(super) struct Units {
    pub(super) elements: Vec<Node>,
    /// Each with the number of elements before it.
    pub(super) separators: Vec<(Node, usize)>,
    /// Whether each separator follows an element of its own.
    pub(super) is_regular: bool,
    /// Whether a separator stands behind each element, or behind some and ends these.
    pub(super) is_terminated: bool,
    /// Whether separators stand behind elements and end these, each or some.
    ends: bool,
}

impl Units {
    pub(super) fn of(plant: &Plant, habits: &Habits, node: Node) -> Units {
        let (mut elements, mut separators) = (Vec::new(), Vec::new());
        for child in plant.children(node) {
            match habits.part(plant, child) {
                Part::Element => elements.push(child),
                Part::Separator => separators.push((child, elements.len())),
                Part::Frame => {}
            }
        }
        let follows = separators.iter().enumerate().all(|(i, &(_, before))| before == i + 1);
        let needs_separator = plant.list_facts(node).is_some_and(|facts| facts.needs_separator);
        let ends = !separators.is_empty()
            && !needs_separator
            && separators.iter().all(|&(separator, before)| before > 0 && plant.spelled(separator) == b";")
            && separators.windows(2).all(|pair| pair[0].1 < pair[1].1);
        let is_full = elements.len() == separators.len() && !elements.is_empty();
        let is_whole =
            follows && (is_full || elements.len() == separators.len() + 1) || separators.is_empty();
        let is_terminated = ends || follows && is_full;
        Units { elements, separators, is_regular: is_whole || ends, is_terminated, ends }
    }
}
