//! Which parts a text is cut into, from whole statements to single tokens.

use super::outline::{Leaf, Outline};
use super::trial::{Grammar, surroundings};
use super::{Parts, Pruned};
use nub_search::tree::Pruning;
use nub_search::tree::pruning::Builder;
use nub_syntax::{Freedom, Node, Role, Shape, Tree};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// How finely a text is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Elements of lists: declarations, statements, arguments.
    Lists,
    /// Whatever the grammar lets go.
    Nodes,
    /// The same, and nodes that can stand in the place of one above.
    Tree,
    /// Tokens, one by one.
    Tokens,
}

/// At most so many nodes are tried in the place of one.
const MOST_STAND_INS: usize = 6;
/// How far below a node the search for one that could stand in its place goes.
const DEPTH: usize = 4;
/// From this many children on the grammar's rule tells whether a node is a list, too.
const MANY: usize = 16;

/// Cuts a text that was parsed.
pub fn prune(tree: &Tree, cut: Cut, grammar: &mut Grammar) -> Parts {
    let outline = Outline::of_tree(tree);
    let mut cutter = Cutter {
        tree,
        grammar,
        tokens_before: tokens_before(tree),
        around: surroundings(tree),
        pruning: builder(&outline),
    };
    match cut {
        Cut::Lists => (0..tree.len() as Node).for_each(|node| cutter.list(node, false)),
        Cut::Nodes => (0..tree.len() as Node).for_each(|node| cutter.list(node, true)),
        Cut::Tree => (0..tree.len() as Node).for_each(|node| {
            cutter.list(node, true);
            cutter.stand_ins(node);
        }),
        Cut::Tokens => tree.tokens(0).for_each(|token| cutter.pruning.may_drop(token)),
    }
    let pruning = cutter.pruning.build();
    Parts::Pruned(Pruned { outline: Arc::new(outline), pruning })
}

impl Outline {
    /// Cuts what is inside tokens: all of it may go but brackets and quotes.
    pub fn prune_inside(self) -> Parts {
        let mut pruning = builder(&self);
        let tokens: Vec<u32> = self.children(0).collect();
        for node in tokens.into_iter().flat_map(|token| token + 1..token + self.sizes()[token as usize]) {
            let is_mark = |leaf: Leaf| {
                let bytes = &self.text()[leaf.bytes()];
                bytes.len() == 1 && b"()[]{}\"'`".contains(&bytes[0])
            };
            if !self.leaf(node).is_some_and(is_mark) {
                pruning.may_drop(node);
            }
            self.lift_inner(&mut pruning, node);
        }
        Parts::Pruned(Pruned { pruning: pruning.build(), outline: Arc::new(self) })
    }

    /// What a bracket or a line holds may stand without it.
    fn lift_inner(&self, pruning: &mut Builder, node: u32) {
        let mut inner: Vec<u32> = self.children(node).filter(|&child| self.leaf(child).is_none()).collect();
        inner.sort_by_key(|&child| Reverse(self.sizes()[child as usize]));
        inner.into_iter().take(2).for_each(|by| pruning.may_lift(node, by));
    }

    /// Cuts a text that has only an outline: every node may go, and at the finest every token.
    pub fn prune(self, cut: Cut) -> Parts {
        let mut pruning = builder(&self);
        for node in 1..self.len() as u32 {
            let is_leaf = self.leaf(node).is_some();
            let goes = match cut {
                Cut::Lists => !is_leaf,
                Cut::Nodes | Cut::Tree => true,
                Cut::Tokens => is_leaf,
            };
            if goes {
                pruning.may_drop(node);
            }
        }
        if cut == Cut::Tree {
            (1..self.len() as u32).for_each(|node| self.lift_inner(&mut pruning, node));
        }
        Parts::Pruned(Pruned { pruning: pruning.build(), outline: Arc::new(self) })
    }
}

fn builder(outline: &Outline) -> Builder {
    let weights = (0..outline.len() as u32).map(|node| u32::from(outline.leaf(node).is_some())).collect();
    Pruning::builder(outline.sizes().to_vec(), weights)
}

struct Cutter<'a> {
    tree: &'a Tree,
    grammar: &'a mut Grammar,
    /// How many tokens come before each node, and after the last.
    tokens_before: Vec<u32>,
    /// What stands around each node.
    around: Vec<u64>,
    pruning: Builder,
}

impl Cutter<'_> {
    /// Lets children of a node go: elements of a list, and with `any` whatever the parser lets go.
    fn list(&mut self, node: Node, any: bool) {
        let tree = self.tree;
        let children: Vec<Node> = tree.children(node).collect();
        let is_known = tree.role(node) == Role::List || node == 0;
        let shape = if is_known || children.len() >= MANY { tree.shape(node) } else { None };
        let elements = shape.as_ref().map_or_else(Vec::new, |shape| elements(tree, shape));
        let is_list = is_known || elements.len() >= MANY / 2;
        if !is_list && !any {
            return;
        }
        let rows = rows(tree, &children);
        let mut glue: HashSet<Node> = HashSet::new();
        for (element, ends) in elements {
            ends.iter().for_each(|&end| self.pruning.end(end, element));
            glue.extend(ends);
        }
        let mut gone: HashMap<Node, Range<usize>> = HashMap::new();
        for row in &rows {
            let (elements, signs): (Vec<Node>, Vec<Node>) = (every_other(row, 0), every_other(row, 1));
            for (place, &element) in elements.iter().enumerate() {
                // An element goes with the separator that is loose without it.
                let bytes = tree.bytes(element);
                let with_sign = match signs.get(place) {
                    Some(&sign) => bytes.start..tree.bytes(sign).end,
                    None => tree.bytes(signs[place - 1]).start..bytes.end,
                };
                gone.insert(element, with_sign);
            }
            glue.extend(&signs);
            self.pruning.separate(elements, &signs);
        }
        // A whole text may have a part that it cannot be without, as a document its outermost element.
        let rule = shape.filter(|_| node == 0 && !tree.has_error());
        let is_free = |place: usize| rule.as_ref().is_none_or(|rule| rule.is_free(place));
        let elements: Vec<Node> = children
            .iter()
            .enumerate()
            .filter(|&(place, &child)| is_list && tree.is_named(child) && is_free(place))
            .map(|(_, &child)| child)
            .collect();
        let fixed = self.keep_one(node, &elements);
        let mut elements = elements.into_iter().peekable();
        for child in children {
            let element = elements.next_if_eq(&child).is_some();
            if glue.contains(&child) || Some(child) == fixed {
                continue;
            }
            let bytes = gone.remove(&child).unwrap_or_else(|| tree.bytes(child));
            if element || (any && self.grammar.may_drop(tree, child, self.around[child as usize], bytes)) {
                self.pruning.may_drop(child);
            }
        }
    }

    /// Sees to it that of a list that cannot be empty the smallest element stays; returns it if there is no other.
    fn keep_one(&mut self, list: Node, elements: &[Node]) -> Option<Node> {
        let (&first, &last) = (elements.first()?, elements.last()?);
        let gone = self.tree.bytes(first).start..self.tree.bytes(last).end;
        if list == 0 || self.grammar.may_empty(self.tree, first, self.around[list as usize], gone) {
            return None;
        }
        let smallest = elements.iter().copied().min_by_key(|&element| self.tokens(element))?;
        self.pruning.keep_one(smallest, elements);
        (elements.len() == 1).then_some(smallest)
    }

    /// Finds the nearest nodes below that could stand in the place of a node, those that save least first: they are
    /// the likeliest to hold what matters.
    fn stand_ins(&mut self, node: Node) {
        let tree = self.tree;
        if node == 0 || tree.is_token(node) {
            return;
        }
        // Of several elements the list search finds the ones that matter.
        let is_list = tree.role(node) == Role::List;
        if is_list && tree.children(node).filter(|&child| tree.is_named(child)).count() > 1 {
            return;
        }
        let mut found: Vec<Node> = Vec::new();
        self.look_below(node, node, DEPTH, &mut found);
        found.sort_by_key(|&by| (Reverse(self.tokens(by)), by));
        found.truncate(MOST_STAND_INS);
        found.into_iter().for_each(|by| self.pruning.may_lift(node, by));
    }

    fn tokens(&self, node: Node) -> u32 {
        let subtree = self.tree.subtree(node);
        self.tokens_before[subtree.end as usize] - self.tokens_before[subtree.start as usize]
    }

    fn look_below(&mut self, node: Node, from: Node, depth: usize, found: &mut Vec<Node>) {
        let tree = self.tree;
        for child in tree.children(from).filter(|&child| tree.is_named(child)) {
            let same = self.tokens(child) == self.tokens(node);
            if !same && self.grammar.may_lift(tree, node, self.around[node as usize], child) {
                found.push(child);
            } else if depth > 1 {
                self.look_below(node, child, depth - if same { 0 } else { 1 }, found);
            }
        }
    }
}

fn tokens_before(tree: &Tree) -> Vec<u32> {
    let nodes = 0..tree.len() as Node;
    let counts = nodes.scan(0, |count, node| {
        let before = *count;
        *count += u32::from(tree.is_token(node));
        Some(before)
    });
    let mut before: Vec<u32> = counts.collect();
    before.push(tree.tokens(0).count() as u32);
    before
}

/// The children of a node that are elements of a list by the grammar's rule, each with the signs that end it.
fn elements(tree: &Tree, shape: &Shape) -> Vec<(Node, Vec<Node>)> {
    let lists = shape.freedoms().iter().filter_map(|freedom| match freedom {
        Freedom::List { elements, .. } => Some(elements),
        Freedom::Optional(_) => None,
    });
    let element = |run: &Range<usize>| match &shape.children()[run.clone()] {
        [element, ends @ ..] if tree.is_named(*element) && !ends.iter().any(|&end| tree.is_named(end)) => {
            Some((*element, ends.to_vec()))
        }
        _ => None,
    };
    lists.max_by_key(|list| list.len()).into_iter().flatten().filter_map(element).collect()
}

/// Rows of children with the same sign between any two: element, sign, element, sign, element.
fn rows(tree: &Tree, children: &[Node]) -> Vec<Vec<Node>> {
    let separates = |child: Node| {
        !tree.is_named(child) && tree.is_token(child) && matches!(tree.spelled(child), b"," | b"|")
    };
    let mut rows: Vec<Vec<Node>> = Vec::new();
    let mut at = 0;
    while at + 2 < children.len() {
        let fits = |at: usize, sign: &[u8]| {
            at + 2 < children.len()
                && tree.is_named(children[at])
                && separates(children[at + 1])
                && tree.spelled(children[at + 1]) == sign
                && tree.is_named(children[at + 2])
        };
        let sign = tree.spelled(children[at + 1]);
        if !fits(at, sign) {
            at += 1;
            continue;
        }
        let mut row = vec![children[at]];
        while fits(at, sign) {
            row.extend([children[at + 1], children[at + 2]]);
            at += 2;
        }
        rows.push(row);
    }
    rows
}

/// Every second node of a row, from the first or the second on.
fn every_other(row: &[Node], from: usize) -> Vec<Node> {
    row.iter().skip(from).step_by(2).copied().collect()
}
