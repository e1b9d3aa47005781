//! How a tree is made: the parser's tree is copied node by node, or a reader calls the same functions.
//!
//! Parsing always ends. Work is counted, not timed, so that the same text gives the same tree on every
//! machine: where a parser has spent far more steps than a text of that length can need, what it has not read
//! becomes an error with a token for each line.

use crate::kinds::Kinds;
use crate::language::Language;
use crate::profile::Role;
use crate::tree::{Data, Kind, Node, Tree};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use tree_sitter::{ParseOptions, ParseState, Parser, TreeCursor};

/// How often a parser may report, each hundred steps, for any text and for each byte of it: some twenty times
/// what programs need.
const REPORTS: usize = 10_000;
const BYTES_PER_REPORT: usize = 10;

/// Parses a text by its language.
pub(crate) fn build(language: Language, text: Arc<[u8]>) -> Tree {
    let reports = REPORTS + text.len() / BYTES_PER_REPORT;
    build_within(language, text, reports)
}

/// Parses a text in some number of reports.
fn build_within(language: Language, text: Arc<[u8]>, reports: usize) -> Tree {
    let kinds = language.kinds();
    let mut builder = Builder::new(language, text);
    match &kinds.grammar {
        Some(grammar) => builder.parse(grammar, reports),
        None => {
            let reader = language.profile().reader.as_ref().expect("a language has a grammar or a reader");
            crate::sexp::read(&mut builder, reader, kinds);
        }
    }
    builder.tree
}

pub(crate) struct Builder {
    tree: Tree,
    kinds: &'static Kinds,
    /// The nodes that are not closed yet, outermost first.
    open: Vec<Open>,
    /// The end of the last token: where the trivia of the next begins.
    lead: usize,
    /// The end of the last token or comment: what comes after and is no white space was hidden.
    seen: usize,
}

#[derive(Clone, Copy)]
struct Open {
    node: Node,
    /// Whether white space in it counts, as in a string.
    is_text: bool,
}

impl Builder {
    fn new(language: Language, text: Arc<[u8]>) -> Builder {
        let tree = Tree::empty(language, text);
        Builder { tree, kinds: language.kinds(), open: Vec::new(), lead: 0, seen: 0 }
    }

    pub(crate) fn text(&self) -> &Arc<[u8]> {
        self.tree.text()
    }

    fn parse(&mut self, grammar: &tree_sitter::Language, reports: usize) {
        let text = self.text().clone();
        let mut parser = Parser::new();
        parser.set_language(grammar).expect("the grammars fit the library they are linked with");
        // The part before the place where the parser got stuck may be read alone.
        let parsed = attempt(&mut parser, &text, reports).or_else(|stuck| {
            parser.reset();
            let line = text[..stuck].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            attempt(&mut parser, &text[..line], 2 * reports)
        });
        match &parsed {
            Ok(parsed) => self.walk(parsed.walk()),
            Err(_) => self.push(Kind::ERROR, 0),
        }
        let read = parsed.map_or(0, |parsed| parsed.root_node().end_byte());
        if text[read.max(self.seen)..].iter().any(|byte| !byte.is_ascii_whitespace()) {
            self.lines(read.max(self.seen));
        }
        self.leave(text.len());
    }

    /// Makes an error of the rest of the text, each line a token.
    fn lines(&mut self, from: usize) {
        let text = self.text().clone();
        self.push(Kind::ERROR, 0);
        let mut at = from;
        for line in text[from..].split_inclusive(|&byte| byte == b'\n') {
            self.hidden(at);
            self.token(Kind::HIDDEN, 0, at..at + line.len());
            at += line.len();
        }
        self.leave(text.len());
    }

    /// Copies the parser's tree; its root stays open.
    fn walk(&mut self, mut cursor: TreeCursor<'_>) {
        loop {
            if self.enter(&cursor) {
                if cursor.goto_first_child() {
                    continue;
                }
                if self.open.len() == 1 {
                    return;
                }
                self.leave(cursor.node().end_byte());
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() || self.open.len() == 1 {
                    return;
                }
                self.leave(cursor.node().end_byte());
            }
        }
    }

    /// Opens the node at the cursor; false if it is trivia or a token, and there is nothing to look for in
    /// it.
    fn enter(&mut self, cursor: &TreeCursor<'_>) -> bool {
        let node = cursor.node();
        let number = self.kinds.of_symbol(node.kind_id()).filter(|_| !node.is_error());
        let facts = number.map(|number| self.kinds.get(number));
        let kind = number.map_or(Kind::ERROR, Kind::new);
        let field = cursor.field_id().map_or(0, |field| field.get());
        if self.open.is_empty() {
            self.push(kind, field);
            return true;
        }
        let bytes = node.byte_range();
        self.hidden(bytes.start);
        if node.is_missing() {
            self.mark_missing();
            false
        } else if facts.is_some_and(|facts| facts.is_comment) {
            self.comment(bytes);
            false
        } else if node.child_count() == 0 || facts.is_some_and(|facts| facts.is_atom) {
            let is_there = self.token(kind, field, bytes);
            match node.has_error() {
                true if is_there => self.mark_error(),
                true => self.mark_missing(),
                false => {}
            }
            false
        } else {
            self.push(kind, field);
            true
        }
    }

    /// Closes the innermost open node, which ends at a byte; one without tokens was nothing.
    pub(crate) fn leave(&mut self, end: usize) {
        self.hidden(end);
        let Open { node, .. } = self.open.pop().expect("every node that is left was entered");
        let nodes = &mut self.tree.nodes;
        let size = nodes.len() as u32 - node;
        let first = nodes.get(node as usize + 1).map(|child| (child.lead, child.start));
        let data = &mut nodes[node as usize];
        data.size = size;
        (data.lead, data.start) = first.unwrap_or((0, 0));
        data.end = self.lead as u32;
        let flags = data.flags();
        if size == 1 && !self.open.is_empty() {
            nodes.pop();
        }
        if let Some(parent) = self.open.last() {
            nodes[parent.node as usize].add_flags(flags & Data::HAS_ERROR);
        }
        self.tree.has_error |= flags & Data::HAS_ERROR != 0;
    }

    /// Opens a node in the innermost open one.
    pub(crate) fn push(&mut self, kind: Kind, field: u16) {
        let node = self.tree.nodes.len() as Node;
        let is_text = kind.index().is_some_and(|number| self.kinds.get(number).role == Role::Text);
        self.add(kind, field, self.lead..self.lead);
        self.open.push(Open { node, is_text });
    }

    /// Notes a comment, which rides with the next token.
    pub(crate) fn comment(&mut self, bytes: Range<usize>) {
        self.seen = self.seen.max(bytes.end);
    }

    /// Notes that the innermost open node lacks a token.
    pub(crate) fn mark_missing(&mut self) {
        let open = self.open.last().expect("the root is open to the end");
        self.tree.nodes[open.node as usize].add_flags(Data::BROKEN | Data::HAS_ERROR);
    }

    /// Notes that the last token could not be read whole.
    fn mark_error(&mut self) {
        let last = self.tree.nodes.last_mut().expect("the root is there");
        last.add_flags(Data::BROKEN | Data::HAS_ERROR);
        let open = self.open.last().expect("the root is open to the end");
        self.tree.nodes[open.node as usize].add_flags(Data::HAS_ERROR);
    }

    /// Adds a token that fits nowhere.
    pub(crate) fn error(&mut self, bytes: Range<usize>) {
        self.token(Kind::ERROR, 0, bytes);
    }

    /// Makes a token of whatever stands between what was seen and a byte.
    fn hidden(&mut self, to: usize) {
        if to <= self.seen {
            return;
        }
        let text = &self.tree.text()[self.seen..to];
        let blank = |i: usize| {
            text[i].is_ascii_whitespace()
                || (text[i] == b'\\' && matches!(text.get(i + 1), Some(b'\n' | b'\r')))
        };
        let is_text = self.open.last().is_some_and(|open| open.is_text && open.node != self.last());
        if is_text {
            self.token(Kind::HIDDEN, 0, self.seen..to);
        } else if let Some(first) = (0..text.len()).find(|&i| !blank(i)) {
            let last = (0..text.len()).rfind(|&i| !blank(i)).expect("there is a first");
            self.token(Kind::HIDDEN, 0, self.seen + first..self.seen + last + 1);
        }
    }

    fn last(&self) -> Node {
        self.tree.nodes.len() as Node - 1
    }

    /// Adds a token to the innermost open node; false if there is nothing to add.
    pub(crate) fn token(&mut self, kind: Kind, field: u16, bytes: Range<usize>) -> bool {
        // Newlines that a grammar counts as tokens are trivia here, and some tokens take in space around
        // them; not so in a string.
        let text = &self.tree.text()[bytes.clone()];
        let (start, end) = match self.open.last() {
            Some(open) if open.is_text => (bytes.start, bytes.end),
            _ => (bytes.end - text.trim_ascii_start().len(), bytes.start + text.trim_ascii_end().len()),
        };
        if start >= end || start < self.seen {
            return false;
        }
        self.add(kind, field, start..end);
        self.lead = end;
        self.seen = end;
        true
    }

    fn add(&mut self, kind: Kind, field: u16, bytes: Range<usize>) {
        let parent = self.open.last().map_or(0, |open| open.node);
        let mut data = Data::new(kind, field, parent, self.lead, bytes);
        if kind == Kind::ERROR {
            data.add_flags(Data::BROKEN | Data::HAS_ERROR);
            if let Some(open) = self.open.last() {
                self.tree.nodes[open.node as usize].add_flags(Data::HAS_ERROR);
            }
        }
        self.tree.nodes.push(data);
    }
}

/// Parses in so many reports; else the byte at which the parser was.
fn attempt(parser: &mut Parser, text: &[u8], reports: usize) -> Result<tree_sitter::Tree, usize> {
    let (mut left, mut at) = (reports, 0);
    let mut progress = |state: &ParseState| {
        at = state.current_byte_offset();
        if left == 0 {
            return ControlFlow::Break(());
        }
        left -= 1;
        ControlFlow::Continue(())
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let parsed = parser.parse_with_options(&mut |from, _| &text[from.min(text.len())..], None, Some(options));
    parsed.ok_or(at.min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_read_to_where_it_got_stuck_and_the_rest_is_lines() {
        let c = Language::named("c").unwrap();
        let text: Arc<[u8]> = "int x = f(a, b, 1 + 2);\n".repeat(1000).into_bytes().into();
        let tree = build_within(c, text.clone(), 20);
        let last = tree.children(0).last().unwrap();
        let read = tree.children(0).filter(|&node| tree.kind_name(node) == "declaration").count();
        assert_eq!(tree.kind(last), Kind::ERROR);
        assert!(read > 10 && read + tree.children(last).count() == 1000);
        assert!(tree.has_error() && tree.tail().len() == 1);

        let tree = build_within(c, text, 0);
        assert_eq!((tree.kind(0), tree.tokens(0).count()), (Kind::ERROR, 1000));
    }
}
