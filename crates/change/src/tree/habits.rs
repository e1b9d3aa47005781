//! What the two versions of a file show about their grammar: which nodes hold lists, and which lists may be empty.
//!
//! A profile names the lists of a language. Beside these, a kind of node that is seen with two statements in one
//! place holds a list there (the body of a C `#if`, a group of cases), a list that is seen empty may be so, and what
//! is seen among statements but never twice is none of them.
//! What was not seen is taken to be impossible: that costs a coarser change, never a text that does not parse.

use super::plant::{Plant, Sort};
use nub_syntax::{Kind, Node};
use std::collections::HashSet;

/// What is known about the kinds of node of two trees.
#[derive(Default)]
pub(crate) struct Habits {
    /// Kind of a node and field of items that were seen twice in it.
    repeated: HashSet<(u16, u16)>,
    /// Kinds of node that were seen with no element.
    empty: HashSet<u16>,
    /// Kind of a node and of an element in it.
    elements: HashSet<(u16, u16)>,
    /// Kinds of list that were seen with items.
    of_items: HashSet<u16>,
    /// Kinds of list with commas between the elements: none of these has a place of its own.
    separated: HashSet<u16>,
    /// Kind of a list and of other children that were seen twice in it.
    twice: HashSet<(u16, u16)>,
}

/// What a child is to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// One of many that come and go alone.
    Element,
    /// Stands between elements, or after each.
    Separator,
    /// Belongs to the parent itself.
    Frame,
}

impl Habits {
    pub(crate) fn of(plants: [&Plant; 2]) -> Habits {
        let mut habits = Habits::default();
        for plant in plants {
            for node in 0..plant.len() as Node {
                habits.look_for_repeats(plant, node);
            }
        }
        for plant in plants {
            for node in (0..plant.len() as Node).filter(|&n| !plant.is_token(n)) {
                let kind = plant.kind(node).number();
                let mut is_empty = true;
                for child in plant.children(node) {
                    if habits.part(plant, child) == Part::Element {
                        is_empty = false;
                        habits.elements.insert((kind, plant.kind(child).number()));
                    }
                }
                if is_empty {
                    habits.empty.insert(kind);
                }
            }
        }
        habits
    }

    fn look_for_repeats(&mut self, plant: &Plant, node: Node) {
        let kind = plant.kind(node).number();
        if plant.sort(node) == Sort::List {
            let mut kinds: Vec<u16> = Vec::new();
            if plant.children(node).any(|child| plant.spelled(child) == b",") {
                self.separated.insert(kind);
            }
            for child in plant.children(node).filter(|&child| plant.is_named(child)) {
                if plant.is_item(child) {
                    self.of_items.insert(kind);
                } else if kinds.contains(&plant.kind(child).number()) {
                    self.twice.insert((kind, plant.kind(child).number()));
                } else {
                    kinds.push(plant.kind(child).number());
                }
            }
            return;
        }
        let mut fields: Vec<u16> = Vec::new();
        for child in plant.children(node) {
            let field = plant.field(child);
            if !plant.is_item(child) {
                // What stands on two sides of a word or sign has a place on each: the parts of a pipeline.
                if !plant.is_named(child) && !is_separator(plant.spelled(child)) {
                    fields.clear();
                }
            } else if fields.contains(&field) {
                self.repeated.insert((kind, field));
            } else {
                fields.push(field);
            }
        }
    }

    /// What a node is to its parent.
    pub(crate) fn part(&self, plant: &Plant, node: Node) -> Part {
        let Some(parent) = plant.parent(node) else { return Part::Frame };
        if plant.sort(parent) != Sort::List {
            let place = (plant.kind(parent).number(), plant.field(node));
            let is_element = plant.is_item(node) && self.repeated.contains(&place);
            return if is_element { Part::Element } else { Part::Frame };
        }
        if plant.is_fixed(parent, node) {
            return Part::Frame;
        }
        if plant.is_named(node) {
            // Among statements, something else that is never there twice has a place of its own: the value at the
            // end of a block in Rust, the call of another constructor at the beginning of one in Java.
            let (list, kind) = (plant.kind(parent).number(), plant.kind(node).number());
            let is_of_items = self.of_items.contains(&list) && !self.separated.contains(&list);
            let is_lone = !plant.is_item(node) && plant.kind(node) != Kind::ERROR && is_of_items;
            return if is_lone && !self.twice.contains(&(list, kind)) { Part::Frame } else { Part::Element };
        }
        match plant.spelled(node) {
            word if is_separator(word) => Part::Separator,
            b"+" | b"|" | b"&" => Part::Separator,
            b"..." => Part::Element,
            // Words are elements among their like, as modifiers are; around statements they are brackets.
            _ if self.of_items.contains(&plant.kind(parent).number()) => Part::Frame,
            word if word.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-') => Part::Element,
            _ => Part::Frame,
        }
    }

    /// Whether a node may stand without elements: such a one was seen, or brackets hold the place of the list and
    /// the grammar does not say otherwise.
    pub(crate) fn may_be_empty(&self, plant: &Plant, node: Node) -> bool {
        let first = plant.children(node).next();
        let is_bracketed = first.is_some_and(|first| matches!(plant.spelled(first), b"(" | b"[" | b"{"));
        node == 0
            || is_bracketed && plant.list_facts(node).is_none_or(|facts| facts.may_be_empty)
            || self.empty.contains(&plant.kind(node).number())
    }

    /// Whether statements are held together by their indentation.
    pub(crate) fn is_indented(&self, plants: [&Plant; 2]) -> bool {
        let is_bare = |plant: &Plant, node: Node| {
            let first = plant.children(node).next();
            self.of_items.contains(&plant.kind(node).number())
                && first.is_some_and(|first| plant.is_item(first))
        };
        plants.iter().any(|plant| {
            let lists = (1..plant.len() as Node).filter(|&node| plant.sort(node) == Sort::List);
            lists.take(64).any(|node| is_bare(plant, node))
        })
    }

    /// Whether a node like `element` was seen as an element of a node like `list`.
    pub(crate) fn takes(&self, (a, list): (&Plant, Node), (b, element): (&Plant, Node)) -> bool {
        self.elements.contains(&(a.kind(list).number(), b.kind(element).number()))
    }
}

fn is_separator(word: &[u8]) -> bool {
    matches!(word, b"," | b";")
}
