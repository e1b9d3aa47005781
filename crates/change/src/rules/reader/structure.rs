//! What belongs together in the text: brackets, the parts of a statement, what encloses what.

use super::super::rule::Rule;
use super::Reader;
use crate::rules::fact::Fact;
use nub_syntax::{Node, Role};
use std::collections::BTreeMap;

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
        for node in 0..self.tree.len() as Node {
            let around = self.tree.parent(node).map_or(0, |p| unit[p as usize]);
            unit.push(if self.is_unit(node) { node } else { around });
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
            if self.tree.is_token(node) {
                let fact = self.fact(node);
                let known = &self.read.facts;
                let frame = frames.entry(own).or_default();
                if !frame.parts.iter().any(|&p| known.condition(p) == known.condition(fact)) {
                    frame.parts.push(fact);
                }
            }
            self.brackets(node);
            self.suite(node, &unit);
            self.try_clauses(node);
            self.block(node);
        }
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
        let is_element = self.tree.role(parent) == Role::List && self.tree.is_named(node);
        let has_role = matches!(self.tree.role(node), Role::Declaration | Role::Statement);
        // In `typedef struct { .. } name;` and `export function` the inner declaration is a part of the outer.
        let is_inner = self.tree.role(parent) == Role::Declaration
            && self.tree.bytes(parent).end == self.tree.bytes(node).end
            && self.tree.role(node) == Role::Declaration;
        is_element || (has_role && !is_inner) || self.roles(node).is_part
    }

    fn brackets(&mut self, node: Node) {
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
                let (a, b) = (self.fact(opener), self.fact(token));
                self.read.laws.needs.extend([(Rule::Brackets, a, b), (Rule::Brackets, b, a)]);
            }
        }
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
                self.read.laws.needs.push((Rule::Enclosed, own, outer));
            }
        }
    }
}
