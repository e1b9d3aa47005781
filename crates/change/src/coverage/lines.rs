//! What is known of every line of a file: the tool's marks, and what the syntax adds to them.
//!
//! Tools mark some lines only, and changes are made of all lines. Where a function never ran, its braces, comments
//! and declarations did not run either; where a call over three lines ran, all three did. Without this an
//! unexecuted function could not go as a whole, and half of it rarely builds.
//!
//! ```text
//!       def idle(a,        ran (at import)  ─┐ a function whose body never ran is idle with its head
//!                b):       -                 │
//!           "A text."      -                 │
//!           return a       did not run      ─┘
//! ```
//!
//! The head of a function that never ran is idle too, although Python and JavaScript run it as a statement: to
//! define what nobody calls has no effect, as a rule. What stays unseen is what can matter without running:
//! preprocessor lines, declarations outside of functions, and functions with a decorator we do not know.

use super::Sight;
use crate::lines::Lines;
use nub_syntax::{Language, Node, Role, Tree};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The sight of each line, from the tool's marks.
pub(super) fn sights(path: &str, text: &Arc<[u8]>, marks: &BTreeMap<usize, bool>) -> Vec<Sight> {
    let lines = Lines::new(text);
    let mut sights: Vec<Sight> = (0..lines.len()).map(|line| marked(marks.get(&line))).collect();
    if sights.iter().all(|sight| *sight == Sight::Unseen) {
        return sights;
    }
    if let Some(language) = Language::of_path(path) {
        let tree = Tree::parse(language, Arc::clone(text));
        Outline::new(&tree, &lines).add_to(&mut sights);
    }
    sights
}

/// The sight of each line of a file of which no function ran.
pub(super) fn idle_functions(path: &str, text: &Arc<[u8]>) -> Vec<Sight> {
    let lines = Lines::new(text);
    let mut sights = vec![Sight::Unseen; lines.len()];
    if let Some(language) = Language::of_path(path) {
        let tree = Tree::parse(language, Arc::clone(text));
        let outline = Outline::new(&tree, &lines);
        for function in outline.functions() {
            sights[function.extent.clone()].fill(Sight::Idle);
            let guards = function.extent.clone().filter(|line| outline.is_guard(*line, &function));
            guards.for_each(|line| sights[line] = Sight::Unseen);
        }
        outline.rest_silence(&mut sights);
    }
    sights
}

fn marked(mark: Option<&bool>) -> Sight {
    match mark {
        Some(true) => Sight::Ran,
        Some(false) => Sight::Idle,
        None => Sight::Unseen,
    }
}

/// A file's statements, functions and blocks by line.
struct Outline<'a> {
    tree: &'a Tree,
    lines: &'a Lines<'a>,
    /// The first token of each line, if there is one.
    first: Vec<Option<Node>>,
}

impl<'a> Outline<'a> {
    fn new(tree: &'a Tree, lines: &'a Lines<'a>) -> Outline<'a> {
        let mut first = vec![None; lines.len()];
        for token in tree.tokens(tree.root()) {
            let bytes = tree.bytes(token);
            if bytes.is_empty() {
                continue;
            }
            // A text over several lines is the first token of all but its first line.
            let last = line_of(lines, bytes.end - 1);
            for slot in &mut first[line_of(lines, bytes.start)..=last] {
                slot.get_or_insert(token);
            }
        }
        Outline { tree, lines, first }
    }

    fn add_to(&self, sights: &mut [Sight]) {
        self.spread_over_statements(sights);
        let functions = self.functions();
        functions.iter().for_each(|function| self.rest(function, sights));
        if self.tree.language().name() == "python" {
            self.rest_classes(sights);
        }
        functions.iter().for_each(|function| self.rest_blocks(function, sights));
        self.rest_silence(sights);
    }

    fn functions(&self) -> Vec<Function> {
        (0..self.tree.len() as Node).filter_map(|node| self.function(node)).collect()
    }

    /// The lines of one statement, without those of statements in it, are all alike.
    fn spread_over_statements(&self, sights: &mut [Sight]) {
        let mut owned: BTreeMap<Node, Vec<usize>> = BTreeMap::new();
        for (line, first) in self.first.iter().enumerate() {
            if let Some(owner) = first.and_then(|token| self.owner(token)) {
                owned.entry(owner).or_default().push(line);
            }
        }
        for (owner, lines) in &owned {
            let of = |sight| lines.iter().any(|line| sights[*line] == sight);
            let is_type = TYPES.contains(&self.tree.kind_name(*owner));
            let sight = match (of(Sight::Ran), of(Sight::Idle)) {
                (true, _) => Sight::Ran,
                // A tool may mean the constructor that nobody wrote.
                (false, true) if is_type => Sight::Unseen,
                (false, true) => Sight::Idle,
                (false, false) => continue,
            };
            lines.iter().for_each(|line| sights[*line] = sight);
        }
    }

    /// The innermost statement or declaration around a token; preprocessor lines have none.
    fn owner(&self, token: Node) -> Option<Node> {
        let around = std::iter::successors(Some(token), |node| self.tree.parent(*node));
        let mut owners =
            around.filter(|node| matches!(self.tree.role(*node), Role::Statement | Role::Declaration));
        owners.next().filter(|node| !self.is_preprocessor(*node))
    }

    fn is_preprocessor(&self, node: Node) -> bool {
        self.tree.kind_name(node).starts_with("preproc")
    }

    fn extent(&self, node: Node) -> Range<usize> {
        let bytes = self.tree.bytes(node);
        line_of(self.lines, bytes.start)
            ..line_of(self.lines, bytes.end.saturating_sub(1).max(bytes.start)) + 1
    }

    fn function(&self, node: Node) -> Option<Function> {
        let is_function = FUNCTIONS.contains(&self.tree.kind_name(node));
        let body = is_function.then(|| self.tree.child(node, "body"))??;
        let (whole, mut body) = (self.extent(node), self.extent(body));
        // A brace at the end of the head is no body yet.
        let head_end = self.lines_before(node, body.start);
        body.start = body.start.max(head_end);
        let tree = self.tree;
        let decorated = tree.parent(node).filter(|parent| tree.kind_name(*parent) == "decorated_definition");
        let before = &tree.text()[self.lines.start(whole.start)..tree.bytes(node).start];
        Some(Function {
            node,
            body,
            // `each(function () {` runs `each`, whatever becomes of the function.
            owns_lines: !before.contains(&b'(') && !before.contains(&b'['),
            is_registered: decorated.is_some_and(|decorated| !self.is_harmless(decorated)),
            extent: decorated.map_or(whole, |decorated| self.extent(decorated)),
        })
    }

    /// The line after the one that a body's opening brace shares with the head.
    fn lines_before(&self, function: Node, body: usize) -> usize {
        let shares = self.extent(function).start == body
            || self.first[body].is_some_and(|first| {
                self.tree.bytes(first).start < self.lines.start(body + 1)
                    && self.owner(first) == Some(function)
            });
        body + usize::from(shares)
    }

    /// Whether all decorators are known to do nothing but change how a function is called.
    fn is_harmless(&self, decorated: Node) -> bool {
        let tree = self.tree;
        let decorators = tree.children(decorated).filter(|child| tree.kind_name(*child) == "decorator");
        decorators.into_iter().all(|decorator| {
            let spelled = String::from_utf8_lossy(tree.spelled(decorator));
            let name = spelled.trim_start_matches('@').split('(').next().unwrap_or_default();
            let name = name.rsplit('.').next().unwrap_or_default().trim();
            HARMLESS.contains(&name)
        })
    }

    /// A function whose body never ran did not run with all its lines.
    fn rest(&self, function: &Function, sights: &mut [Sight]) {
        let lines = function.extent.clone();
        let ran = sights[function.body.clone()].contains(&Sight::Ran);
        if ran || !sights[lines.clone()].contains(&Sight::Idle) || lines.len() < 2 {
            return;
        }
        let one_less = usize::from(!function.owns_lines);
        let sight = if function.is_registered { Sight::Unseen } else { Sight::Idle };
        let own = lines.start + one_less..lines.end - one_less;
        own.filter(|line| !self.is_guard(*line, function)).for_each(|line| sights[line] = sight);
    }

    /// Whether a line is one of the preprocessor's inside a function.
    fn is_guard(&self, line: usize, function: &Function) -> bool {
        self.first[line].is_some_and(|token| self.in_preprocessor(token, function.node))
    }

    /// Whether a token belongs to a preprocessor line inside a function, and not to what it guards.
    fn in_preprocessor(&self, token: Node, function: Node) -> bool {
        let inside = |node: &Node| *node != function;
        let around = std::iter::successors(Some(token), |node| self.tree.parent(*node)).take_while(inside);
        let is_owner = |node: &Node| matches!(self.tree.role(*node), Role::Statement | Role::Declaration);
        around.filter(is_owner).take(1).any(|node| self.is_preprocessor(node))
    }

    /// A class of which nothing ran but its first line did not run.
    fn rest_classes(&self, sights: &mut [Sight]) {
        let classes =
            (0..self.tree.len() as Node).filter(|node| self.tree.kind_name(*node) == "class_definition");
        for class in classes {
            let extent = self.extent(class);
            let Some(body) = self.tree.child(class, "body").map(|body| self.extent(body)) else { continue };
            let idle = sights[body.clone()].contains(&Sight::Idle);
            if idle && !sights[body.clone()].contains(&Sight::Ran) {
                sights[extent.start..body.start].fill(Sight::Idle);
            }
        }
    }

    /// In a block of a function in which something did not run and nothing did, nothing unseen ran.
    fn rest_blocks(&self, function: &Function, sights: &mut [Sight]) {
        for node in self.tree.subtree(function.node) {
            if !BLOCKS.contains(&self.tree.kind_name(node)) {
                continue;
            }
            let mut extent = self.extent(node);
            if self.tree.spelled(node).starts_with(b"{") {
                extent = extent.start + 1..extent.end.saturating_sub(1).max(extent.start + 1);
            }
            let block = &sights[extent.clone()];
            if block.contains(&Sight::Ran) || !block.contains(&Sight::Idle) {
                continue;
            }
            for line in extent {
                if sights[line] == Sight::Unseen && !self.is_guard(line, function) && !function.is_registered
                {
                    sights[line] = Sight::Idle;
                }
            }
        }
    }

    /// Lines without any token, such as comments, cannot run.
    fn rest_silence(&self, sights: &mut [Sight]) {
        for (sight, first) in sights.iter_mut().zip(&self.first) {
            if first.is_none() && *sight == Sight::Unseen {
                *sight = Sight::Idle;
            }
        }
    }
}

/// A function and where it is.
struct Function {
    node: Node,
    extent: Range<usize>,
    body: Range<usize>,
    /// Whether nothing else stands on its first and last line.
    owns_lines: bool,
    /// Whether a decorator may do something with it that matters.
    is_registered: bool,
}

const FUNCTIONS: [&str; 14] = [
    "function_definition",
    "function_declaration",
    "method_declaration",
    "constructor_declaration",
    "func_literal",
    "lambda_expression",
    "function_expression",
    "arrow_function",
    "method_definition",
    "generator_function",
    "generator_function_declaration",
    "function_item",
    "closure_expression",
    "lambda",
];

const TYPES: [&str; 7] = [
    "class_declaration",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "class_specifier",
    "struct_specifier",
    "union_specifier",
];

const BLOCKS: [&str; 3] = ["block", "compound_statement", "statement_block"];

const HARMLESS: [&str; 11] = [
    "property",
    "staticmethod",
    "classmethod",
    "abstractmethod",
    "overload",
    "override",
    "final",
    "setter",
    "getter",
    "deleter",
    "cached_property",
];

fn line_of(lines: &Lines<'_>, byte: usize) -> usize {
    let (mut low, mut high) = (0, lines.len().max(1));
    while low + 1 < high {
        let middle = low.midpoint(high);
        if lines.start(middle) <= byte { low = middle } else { high = middle }
    }
    low
}
