//! What comes or goes with an edit: the tokens below a node, but for what stays, moves, or is an edit of its own.

use super::separators::Units;
use super::{Fate, OLD, Part, Script, Tops};
use crate::change::Kind;
use crate::tree::plant::{NONE, Sort};
use nub_syntax::Node;

/// Lists of fewer tokens stay whole inside what comes or goes, unless they hold statements or declarations.
const SMALL_LIST: u32 = 24;

/// How grammars call what has a body that is not run where it stands.
const FUNCTIONS: [&str; 6] = ["function", "lambda", "closure", "method", "class", "object"];

impl Script<'_> {
    pub(super) fn own(&mut self, side: usize, token: Node, k: u32) {
        self.owner[side][token as usize] = k;
        self.edits[k as usize].weight += 1;
    }

    /// Gives an edit all tokens below a node, but for what is kept, moved, or an edit of its own.
    pub(super) fn claim(&mut self, side: usize, node: Node, k: u32) {
        match self.fate(side, node) {
            Fate::Island => {}
            Fate::Moved => {
                let moving = self.move_of(side, node);
                self.inside[side].insert(moving, k);
                self.needs.push(if side == OLD { (k, moving) } else { (moving, k) });
            }
            Fate::Free if self.plants[side].is_token(node) => self.own(side, node, k),
            Fate::Free if self.is_split(side, node) => self.split(side, node, k),
            Fate::Free => {
                let plant = self.plants[side];
                plant.children(node).for_each(|child| self.claim(side, child, k));
            }
        }
    }

    /// Whether the elements of a node that comes or goes are edits of their own.
    fn is_split(&self, side: usize, node: Node) -> bool {
        let plant = self.plants[side];
        let mut elements = plant.children(node).filter(|&c| self.part(side, c) == Part::Element).peekable();
        let is_there = elements.peek().is_some() && Units::of(plant, self.habits, node).is_regular;
        is_there && (plant.n_tokens(node) >= SMALL_LIST || elements.any(|element| plant.is_item(element)))
    }

    /// Makes edits of the elements of a node that comes or goes with `k`.
    fn split(&mut self, side: usize, node: Node, k: u32) {
        let plant = self.plants[side];
        let kind = if side == OLD { Kind::Delete } else { Kind::Insert };
        let elements: Vec<Node> =
            plant.children(node).filter(|&c| self.part(side, c) == Part::Element).collect();
        let is_fixed: Vec<bool> = elements.iter().map(|&element| self.has_island(side, element)).collect();
        let mut anchor = is_fixed.iter().position(|&is_fixed| is_fixed);
        let must_stay = anchor.is_none() && !self.habits.may_be_empty(plant, node);
        if must_stay {
            anchor = elements.iter().position(|&element| self.fate(side, element) == Fate::Free);
            if anchor.is_none() {
                // All that is inside is moved: the one needs the other.
                let moving = self.move_of(side, elements[0]);
                self.needs.extend([(k, moving), (moving, k)]);
            }
        }
        let mut edits: Vec<u32> = Vec::with_capacity(elements.len());
        for (i, &element) in elements.iter().enumerate() {
            edits.push(match self.fate(side, element) {
                Fate::Moved => {
                    self.claim(side, element, k);
                    self.move_of(side, element)
                }
                _ if is_fixed[i] || anchor == Some(i) => {
                    self.claim(side, element, k);
                    k
                }
                _ => {
                    let mut tops = Tops::default();
                    tops[side].push(element);
                    let nested = self.edit(kind, k, tops);
                    if self.is_loose(side, element, k) {
                        self.loosen(side, nested);
                    }
                    self.claim(side, element, nested);
                    nested
                }
            });
        }
        let habits = self.habits;
        for child in plant.children(node).filter(|&c| habits.part(plant, c) == Part::Frame) {
            self.claim(side, child, k);
        }
        let units = Units::of(plant, self.habits, node);
        let is_chain = !units.is_terminated && !units.separators.is_empty();
        if is_chain && anchor.is_none() {
            // Nothing else is always there, so the first is there whenever another is.
            self.needs_first(side, &edits);
        }
        let first = anchor.unwrap_or(0);
        for &(separator, before) in &units.separators {
            let owner = match before - usize::from(before > 0) {
                i if units.is_terminated => edits[i],
                i if i < first => edits[i],
                i => edits.get(i + 1).copied().unwrap_or(edits[first]),
            };
            self.own(side, separator, owner);
        }
    }

    /// Whether a statement could stand without the statement around it that comes or goes with an edit.
    ///
    /// It must be on a line of its own; and where indentation holds statements together, it has too much of it.
    fn is_loose(&self, side: usize, element: Node, k: u32) -> bool {
        let plant = self.plants[side];
        let mut tops = self.edits[k as usize].tops[side].iter().copied();
        let Some(top) = tops.find(|&top| plant.contains(top, element)) else { return false };
        let lists = [plant.parent(element), plant.parent(top)];
        let has_line = |node: Node| plant.text[plant.trivia(node)].contains(&b'\n');
        let takes = lists.iter().flatten().all(|&list| {
            plant.sort(list) == Sort::List
                && self.habits.takes((plant, list), (plant, element))
                && !plant.children(list).any(|child| self.part(side, child) == Part::Separator)
        });
        let is_body = |node: Node| FUNCTIONS.iter().any(|word| plant.kind_name(node).contains(word));
        let mut between = plant.ancestors(element).take_while(|&node| plant.contains(top, node));
        let is_code = !between.any(is_body);
        // Around what stays, what is in the middle of it would be left there.
        let is_whole = self.edits[k as usize].tops[1 - side].is_empty() && !self.has_island(side, top);
        !self.is_indented
            && is_whole
            && is_code
            && takes
            && [top, element].iter().all(|&node| plant.sort(node) == Sort::Statement && has_line(node))
    }

    /// Lets an edit be there without the one it lies inside, but not without what that one needs itself.
    fn loosen(&mut self, side: usize, k: u32) {
        let mut around = self.edits[k as usize].parent;
        self.edits[k as usize].is_loose = true;
        while self.edits[around as usize].is_loose {
            around = self.edits[around as usize].parent;
        }
        let needed = self.edits[around as usize].parent;
        if needed != NONE {
            self.needs.push(if side == OLD { (needed, k) } else { (k, needed) });
        }
    }

    /// Whether something in a node stays where it is.
    fn has_island(&self, side: usize, top: Node) -> bool {
        let plant = self.plants[side];
        let mut node = top;
        while node < top + plant.size(top) {
            match self.matching.is_moved(side, node) {
                true => node += plant.size(node),
                false if self.matching.kept(side, node).is_some() => return true,
                false => node += 1,
            }
        }
        false
    }
}
