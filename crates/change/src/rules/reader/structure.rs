//! What belongs together in the text: brackets, the parts of a statement, what encloses what.

use super::super::rule::Rule;
use super::Reader;
use crate::rules::fact::Fact;
use nub_syntax::{Node, Role};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// What follows the constants of a Java enumeration begins with a semicolon, and that is no head of it.
const REST_OF_ENUM: &str = "enum_body_declarations";

/// The tokens of a unit that belong to no smaller one.
#[derive(Default)]
struct Frame {
    has_kept: bool,
    /// A token for each condition under which one of them is there.
    parts: Vec<Fact>,
}

impl Reader<'_> {
    pub(super) fn structure(&mut self) {
        let mut unit: Vec<Node> = Vec::with_capacity(self.tree.len());
        let mut frames: BTreeMap<Node, Frame> = BTreeMap::new();
        let mut seen: HashMap<(u32, &'static str), u32> = HashMap::new();
        for node in 0..self.tree.len() as Node {
            let around = self.tree.parent(node).map_or(0, |p| unit[p as usize]);
            unit.push(if self.is_unit(node) { node } else { around });
            self.brackets(node);
            if self.side.is_kept(&self.tree.bytes(node)) {
                if self.tree.is_token(node)
                    && let Some(frame) = frames.get_mut(&around)
                {
                    frame.has_kept = true;
                }
                continue;
            }
            let own = unit[node as usize];
            frames.entry(own).or_default();
            if own == node || matches!(self.tree.spelled(node), b"(" | b"[" | b"{" | b")" | b"]" | b"}") {
                self.replaced(node, &mut seen);
            }
            if self.tree.is_token(node) {
                let fact = self.fact_at(self.tree.bytes(node).start);
                let known = &self.read.facts;
                let frame = frames.entry(own).or_default();
                if !frame.parts.iter().any(|&p| known.condition(p) == known.condition(fact)) {
                    frame.parts.push(fact);
                }
            }
            self.quoted(node);
            self.suite(node, &unit);
            self.try_clauses(node);
            self.else_clauses(node);
            self.block(node);
        }
        self.comments();
        for (own, frame) in frames {
            if own != 0 && !frame.has_kept && frame.parts.len() > 1 {
                let next = frame.parts[1..].iter().chain(&frame.parts[..1]);
                for (&a, &b) in frame.parts.iter().zip(next) {
                    self.read.laws.needs.push((Rule::Whole, a, b));
                }
            }
            self.enclosed(own, &unit);
        }
    }

    /// Whether a node can come and go alone.
    fn is_unit(&mut self, node: Node) -> bool {
        let Some(parent) = self.tree.parent(node) else { return true };
        let is_rest = self.tree.kind_name(node) == REST_OF_ENUM;
        let is_element = self.tree.role(parent) == Role::List && self.tree.is_named(node) && !is_rest;
        let has_role = matches!(self.tree.role(node), Role::Declaration | Role::Statement);
        // In `typedef struct { .. } name;` and `export function` the inner declaration is a part of the outer.
        let is_inner = self.tree.role(parent) == Role::Declaration
            && self.tree.bytes(parent).end == self.tree.bytes(node).end
            && self.tree.role(node) == Role::Declaration;
        is_element || (has_role && !is_inner) || self.roles(node).is_part
    }

    /// Notes what a change takes away or puts in by the place that its like in the other version has too: of its kind
    /// the first, second, and so on that the change replaces.
    fn replaced(&mut self, node: Node, seen: &mut HashMap<(u32, &'static str), u32>) {
        let fact = self.fact(node);
        let &[literal] = self.read.facts.condition(fact) else { return };
        let kind = self.tree.kind_name(node);
        let nth = seen.entry((literal.change(), kind)).or_default();
        *nth += 1;
        let place = format!("place {} of {kind} in {} of {}", nth, literal.change(), self.number);
        let place = self.read.facts.name(place.as_bytes());
        self.read.laws.replaced.push((fact, place));
    }

    /// The pairs of brackets between which something changes.
    fn brackets(&mut self, node: Node) {
        let piece = |byte: usize| self.side.spot(byte).1;
        let bytes = self.tree.bytes(node);
        if self.tree.is_token(node) || piece(bytes.start) == piece(bytes.end.saturating_sub(1)) {
            return;
        }
        let mut open: Vec<(Node, &[u8])> = Vec::new();
        let children: Vec<Node> = self.tree.children(node).filter(|&n| self.tree.is_token(n)).collect();
        for token in children {
            let spelled = self.tree.spelled(token);
            let closer: &[u8] = match spelled {
                b"(" => b")",
                b"[" => b"]",
                b"{" => b"}",
                b"#if" | b"#ifdef" | b"#ifndef" => b"#endif",
                _ => b"",
            };
            if !closer.is_empty() {
                open.push((token, closer));
            } else if open.last().is_some_and(|(_, closer)| *closer == spelled.trim_ascii_end()) {
                let (opener, _) = open.pop().expect("there is a last one");
                let ends = [opener, token].map(|n| self.side.spot(self.tree.bytes(n).start).1);
                let is_changed = !self.side.is_kept(&self.tree.bytes(opener));
                if ends[0] != ends[1] || is_changed {
                    let (a, b) = (self.fact(opener), self.fact(token));
                    self.read.laws.brackets.push((a, b));
                }
            }
        }
    }

    /// A text of several lines.
    fn quoted(&mut self, node: Node) {
        let kind = self.tree.kind_name(node);
        let is_text = matches!(kind, "string" | "template_string")
            || kind.starts_with("preproc_") && kind.ends_with("def");
        let is_token = self.tree.is_token(node) && self.tree.role(node) == Role::Text;
        if is_text || is_token {
            let bytes = self.tree.bytes(node);
            self.begins_and_ends(bytes.start..bytes.start + self.tree.spelled(node).trim_ascii_end().len());
        }
    }

    /// The comments in brackets between tokens.
    fn comments(&mut self) {
        if self.grammar.is_indented {
            return;
        }
        let tree = self.tree;
        let between = (1..tree.len() as Node).filter(|&n| tree.is_token(n)).map(|n| tree.trivia(n));
        for trivia in between.chain([tree.tail()]) {
            if trivia.is_empty() || self.side.is_kept(&trivia) {
                continue;
            }
            let (text, mut at) = (tree.text(), trivia.start);
            while at < trivia.end {
                let rest = &text[at..trivia.end];
                let end = |closer: &[u8]| {
                    memchr::memmem::find(rest, closer).map_or(trivia.end, |i| at + i + closer.len())
                };
                at = match rest {
                    [b'/', b'/', ..] => end(b"\n"),
                    [b'/', b'*', ..] => {
                        let end = end(b"*/");
                        self.begins_and_ends(at..end);
                        end
                    }
                    _ => at + 1,
                };
            }
        }
    }

    /// The first and the last byte come and go together, and what is between needs them.
    fn begins_and_ends(&mut self, bytes: Range<usize>) {
        if bytes.is_empty() || self.side.is_kept(&bytes) {
            return;
        }
        let (first, last) = (self.fact_at(bytes.start), self.fact_at(bytes.end - 1));
        self.read.laws.needs.extend([(Rule::Quoted, first, last), (Rule::Quoted, last, first)]);
        for start in self.side.starts_in(&bytes) {
            let inner = self.fact_at(start);
            if inner != first {
                self.read.laws.needs.push((Rule::Quoted, inner, first));
            }
        }
    }

    /// The fact that a byte is there.
    fn fact_at(&mut self, byte: usize) -> Fact {
        let condition = self.side.condition(&(byte..byte + 1)).collect();
        self.read.facts.fact(self.side.spot(byte), condition)
    }

    /// What is told by indentation needs the line that opens it, which needs something in it.
    fn suite(&mut self, node: Node, unit: &[Node]) {
        if !self.grammar.is_indented || !self.roles(node).is_block {
            return;
        }
        let Some(parent) = self.tree.parent(node) else { return };
        let children = self.named_children(node);
        let Some(&first) = children.first() else { return };
        let is_kept = |&n: &Node| self.side.is_kept(&self.tree.bytes(self.first_token(n)));
        if !children.iter().any(is_kept) {
            let (header, first) = (self.fact(unit[parent as usize]), self.fact(first));
            self.read.laws.needs.push((Rule::Suite, header, first));
        }
    }

    /// An `else` comes after what it is the other case of.
    fn else_clauses(&mut self, node: Node) {
        if !matches!(self.tree.kind_name(node), "if_statement" | "if_expression") {
            return;
        }
        let is_else = |n: Node| {
            matches!(self.tree.kind_name(n), "else" | "else_clause" | "elif_clause" | "else_if_clause")
        };
        let Some(other) = self.tree.children(node).find(|&n| is_else(n)) else { return };
        let (other, own) = (self.fact(other), self.fact(node));
        self.read.laws.needs.push((Rule::Else, other, own));
        let first_case = self.tree.child(node, "consequence");
        if let Some(first_case) = first_case.filter(|&n| self.tree.role(n) == Role::Statement) {
            let first_case = self.fact(first_case);
            self.read.laws.other_case.push((other, first_case));
        }
    }

    fn try_clauses(&mut self, node: Node) {
        if self.tree.kind_name(node) != "try_statement" || !self.is_law(Rule::TryClause) {
            return;
        }
        let is_clause = |&n: &Node| {
            let kind = self.tree.kind_name(n);
            ["catch", "except", "finally"].iter().any(|clause| kind.starts_with(clause))
        };
        let clauses: Vec<Node> = self.tree.children(node).filter(is_clause).collect();
        let own = self.fact(node);
        for clause in clauses {
            let clause = self.fact(clause);
            self.read.laws.needs.push((Rule::TryClause, own, clause));
        }
    }

    /// In which order statements and jumps stand in a block.
    fn block(&mut self, node: Node) {
        if !self.roles(node).is_block || !self.is_law(Rule::Unreachable) {
            return;
        }
        let opener = self.fact(node);
        for statement in self.named_children(node) {
            let kind = self.tree.kind_name(statement);
            if self.tree.role(statement) != Role::Statement {
                continue;
            }
            let (_, piece, offset) = self.side.spot(self.tree.bytes(statement).start);
            let place = u64::from(piece) << 32 | u64::from(offset);
            let fact = self.fact(statement);
            self.read.laws.statement.push((fact, opener, place));
            if matches!(
                kind,
                "return_statement" | "break_statement" | "continue_statement" | "throw_statement"
            ) {
                self.read.laws.jump.push((fact, opener, place));
            }
        }
    }

    /// A unit needs the unit around it; a statement in braces only the function or class that it is in.
    fn enclosed(&mut self, own: Node, unit: &[Node]) {
        if own == 0 {
            return;
        }
        let mut outer = self.tree.parent(own).map_or(0, |p| unit[p as usize]);
        let floats = !self.grammar.is_indented && self.tree.role(own) == Role::Statement;
        while floats && outer != 0 {
            let roles = self.roles(outer);
            if roles.is_function || roles.class.is_some() {
                break;
            }
            outer = self.tree.parent(outer).map_or(0, |p| unit[p as usize]);
        }
        if outer != 0 {
            let (own, outer) = (self.fact(own), self.fact(outer));
            if own != outer && !self.read.facts.is_kept(outer) {
                self.read.laws.enclosed.push((own, outer));
            }
        }
    }
}
