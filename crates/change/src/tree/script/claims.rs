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
        let is_large = self.splits_all || plant.n_tokens(node) >= SMALL_LIST;
        is_there && (is_large || elements.any(|element| plant.is_item(element)))
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
        let around = self.list_around(side, node, k);
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
                    let takes = |list: Node| self.habits.takes((plant, list), (plant, element));
                    if self.is_apart(side, element) && around.is_some_and(takes) {
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

    /// The list around the statement that comes or goes with an edit, if what is in a list inside that statement
    /// could stand there without it.
    ///
    /// Where indentation holds statements together, they have too much of it.
    fn list_around(&self, side: usize, list: Node, k: u32) -> Option<Node> {
        let plant = self.plants[side];
        let tops = &self.edits[k as usize].tops;
        let top = tops[side].iter().copied().find(|&top| plant.contains(top, list))?;
        let outer = plant.parent(top).filter(|_| !self.is_indented && tops[1 - side].is_empty())?;
        let is_body = |node: Node| FUNCTIONS.iter().any(|word| plant.kind_name(node).contains(word));
        let between = std::iter::once(list).chain(plant.ancestors(list));
        let could = self.is_apart(side, top)
            && [list, outer].iter().all(|&list| plant.sort(list) == Sort::List)
            && !between.take_while(|&node| plant.contains(top, node)).any(is_body)
            // In the middle of what stays it would be left there.
            && !self.has_island(side, top);
        could.then_some(outer)
    }

    /// Whether a node is a statement that begins a line, with nothing that separates it from the next.
    fn is_apart(&self, side: usize, node: Node) -> bool {
        let plant = self.plants[side];
        let next = node + plant.size(node);
        let is_sister = (next as usize) < plant.len() && plant.parent(next) == plant.parent(node);
        plant.sort(node) == Sort::Statement
            && plant.text[plant.trivia(node)].contains(&b'\n')
            && !(is_sister && self.part(side, next) == Part::Separator)
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
