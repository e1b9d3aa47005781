//! What a grammar allows, found out by asking its parser.
//!
//! Whether a child can go, or a node give way to one below it, is a fact about kinds of nodes and not about this
//! place: the same piece of a tree is tried once, on the smallest text around it that parses by itself, and the
//! answer holds wherever the same kinds meet. So candidates parse without anybody having read the grammar.

use nub_syntax::{Kind, Language, Node, Role, Tree};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// The largest piece of text that is parsed to find out one fact.
const LARGEST_TRIAL: usize = 1 << 15;

/// How many neighbours on either side a fact may depend on.
const NEIGHBOURS: usize = 3;

/// Facts about a grammar as far as they were needed.
#[derive(Debug)]
pub struct Grammar {
    language: Language,
    facts: HashMap<(u64, Asked), bool>,
    /// Whether nodes of a kind parse as a text of their own.
    alone: HashMap<Kind, bool>,
}

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Asked {
    /// Whether a child can go.
    Drop,
    /// Whether all elements of a list can.
    Empty,
    /// Whether a node can give way to one of this kind.
    Lift(Kind),
}

impl Grammar {
    /// Nothing is known yet.
    pub fn new(language: Language) -> Grammar {
        Grammar { language, facts: HashMap::new(), alone: HashMap::new() }
    }

    /// The language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Whether a text can be read.
    pub fn reads(&self, text: &[u8]) -> bool {
        !Tree::parse(self.language, text.into()).has_error()
    }

    /// Whether the text still parses when these bytes are gone; `node` is what they mainly are.
    ///
    /// What it is in must stay what it was: `if (c) f();` without `f();` is none if it takes the next statement in.
    pub(super) fn may_drop(&mut self, tree: &Tree, node: Node, around: u64, gone: Range<usize>) -> bool {
        self.find_out((around, Asked::Drop), |grammar| {
            let Some((tried, whole)) = grammar.try_out(tree, node, &gone, b"") else { return false };
            let parent = tree.parent(node).unwrap_or(0);
            whole && (parent == 0 || tried.holds(tree.kind(parent), tree.bytes(parent)))
        })
    }

    /// Whether a list may be empty, of which `first` is the first element and `gone` are the bytes of all; where it
    /// stands is given by `around`. A list in too large a text is taken to be one that may.
    pub(super) fn may_empty(&mut self, tree: &Tree, first: Node, around: u64, gone: Range<usize>) -> bool {
        self.find_out((around, Asked::Empty), |grammar| {
            grammar.try_out(tree, first, &gone, b"").is_none_or(|(_, reads)| reads)
        })
    }

    /// Whether the text still parses when a node below stands in the place of this one.
    pub(super) fn may_lift(&mut self, tree: &Tree, node: Node, around: u64, by: Node) -> bool {
        self.find_out((around, Asked::Lift(tree.kind(by))), |grammar| {
            let tried = grammar.try_out(tree, node, &tree.bytes(node), tree.spelled(by));
            tried.is_some_and(|(_, reads)| reads)
        })
    }

    fn find_out(&mut self, key: (u64, Asked), find_out: impl FnOnce(&mut Grammar) -> bool) -> bool {
        if let Some(&known) = self.facts.get(&key) {
            return known;
        }
        let may = find_out(self);
        self.facts.insert(key, may);
        may
    }

    /// Parses the smallest text around the node that parses by itself, with the bytes replaced, and tells whether it
    /// can be read; `None` if that is too large.
    fn try_out(
        &mut self,
        tree: &Tree,
        node: Node,
        gone: &Range<usize>,
        instead: &[u8],
    ) -> Option<(Tried, bool)> {
        // What may stand in a node also depends on where that node stands.
        let mut around = tree.parent(node).and_then(|parent| tree.parent(parent)).unwrap_or(0);
        while around != 0 && !self.parses_alone(tree, around) {
            around = tree.parent(around).unwrap_or(0);
        }
        let bytes = if around == 0 { 0..tree.text().len() } else { tree.bytes(around) };
        if bytes.len() > LARGEST_TRIAL {
            return None;
        }
        let (start, end) = (gone.start.max(bytes.start), gone.end.min(bytes.end));
        let text = tree.text();
        let tried = [&text[bytes.start..start], b" ", instead, b" ", &text[end..bytes.end]].concat();
        let tried = Tree::parse(self.language, tried.into());
        let reads = match around == 0 && tree.has_error() {
            false => !tried.has_error(),
            true => errors(&tried) <= errors(tree),
        };
        Some((Tried { tree: tried, begins: bytes.start, gone: start..end, gap: instead.len() + 2 }, reads))
    }

    fn parses_alone(&mut self, tree: &Tree, node: Node) -> bool {
        if !matches!(tree.role(node), Role::Declaration | Role::Statement) && tree.parent(node) != Some(0) {
            return false;
        }
        let kind = tree.kind(node);
        if self.alone.get(&kind) == Some(&false) || tree.bytes(node).len() > LARGEST_TRIAL {
            return false;
        }
        let alone = Tree::parse(self.language, tree.spelled(node).into());
        let same =
            !alone.has_error() && alone.children(0).next().is_some_and(|first| alone.kind(first) == kind);
        *self.alone.entry(kind).or_insert(same) && same
    }
}

/// A piece of a text in which some bytes gave way to others.
struct Tried {
    tree: Tree,
    /// Where the piece begins in the text.
    begins: usize,
    /// The bytes of the text that gave way.
    gone: Range<usize>,
    /// How long is what stands there now.
    gap: usize,
}

impl Tried {
    /// Whether a node of this kind is where one had these bytes of the text.
    fn holds(&self, kind: Kind, bytes: Range<usize>) -> bool {
        let moved = |at: usize| if at >= self.gone.end { at + self.gap - self.gone.len() } else { at };
        let (start, end) = (bytes.start - self.begins, moved(bytes.end) - self.begins);
        let text = self.tree.text();
        let blank = |at: &usize| text.get(*at).is_some_and(u8::is_ascii_whitespace);
        let start = (start..end).find(|at| !blank(at)).unwrap_or(end);
        let end = (start..end).rev().find(|at| !blank(at)).map_or(start, |last| last + 1);
        let nodes = 0..self.tree.len() as Node;
        nodes.into_iter().any(|node| self.tree.kind(node) == kind && self.tree.bytes(node) == (start..end))
    }
}

/// What a fact about each node depends on: its kind, those of the nodes above it, and of its neighbours.
pub(super) fn surroundings(tree: &Tree) -> Vec<u64> {
    let mut found = vec![0; tree.len()];
    for parent in 0..tree.len() as Node {
        let above = tree.parent(parent).map(|above| tree.kind(above));
        let children: Vec<Node> = tree.children(parent).collect();
        let kinds: Vec<Kind> = children.iter().map(|&child| tree.kind(child)).collect();
        for (place, &child) in children.iter().enumerate() {
            let mut hasher = DefaultHasher::new();
            let from = place.saturating_sub(NEIGHBOURS);
            let upto = kinds.len().min(place + NEIGHBOURS + 1);
            (above, tree.kind(parent), place - from, &kinds[from..upto]).hash(&mut hasher);
            found[child as usize] = hasher.finish();
        }
    }
    found
}

fn errors(tree: &Tree) -> usize {
    (0..tree.len() as Node).filter(|&node| tree.kind(node) == Kind::ERROR).count()
}
