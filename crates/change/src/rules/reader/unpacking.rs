//! Values that are taken apart: `a, b = f()`.

use super::super::rule::Rule;
use super::Reader;
use crate::rules::fact::Fact;
use crate::weave::Literal;
use nub_syntax::Node;

impl Reader<'_> {
    pub(super) fn unpacking(&mut self) {
        if !self.is_law(Rule::Unpacked) {
            return;
        }
        for node in 0..self.tree.len() as Node {
            let (into, from) = match self.tree.kind_name(node) {
                "assignment" | "short_var_declaration" | "assignment_statement" => ("left", "right"),
                "let_declaration" => ("pattern", "value"),
                "return_statement" => {
                    self.gives(node);
                    continue;
                }
                _ => continue,
            };
            if let (Some(into), Some(from)) = (self.tree.child(node, into), self.tree.child(node, from)) {
                self.takes_apart(into, from);
            }
        }
    }

    fn takes_apart(&mut self, into: Node, from: Node) {
        let Some((count, mut shape)) = self.several(into) else { return };
        match self.several(from) {
            Some((_, more)) => shape.extend(more),
            None => {
                let called = self.callee_of(from);
                if let Some(callee) = called {
                    let fact = self.fact_under(callee, self.open_shape(into));
                    let name = self.name(callee);
                    self.heat(fact, name);
                    self.read.laws.unpacks.push((fact, name, count));
                }
                shape.push(called.unwrap_or_else(|| self.first_token(from)));
            }
        }
        self.ring(&shape);
    }

    /// What a function returns in several parts.
    fn gives(&mut self, node: Node) {
        let list = self.named_children(node).into_iter().find_map(|n| Some((n, self.several(n)?.0)));
        let named = self.function[node as usize].and_then(|function| self.name_token(function));
        let (Some((list, count)), Some(named)) = (list, named) else { return };
        let fact = self.fact_under(node, self.open_shape(list));
        let name = self.name(named);
        self.heat(fact, name);
        self.read.laws.gives.push((fact, name, count));
    }

    /// The shape of a list that no bracket closes: after it nothing that begins with a comma.
    fn open_shape(&self, list: Node) -> Vec<Literal> {
        let mut shape = self.shape(list);
        let next = self.tree.subtree(list).end;
        if let Some(next) = (next..self.tree.len() as Node).find(|&n| self.tree.is_token(n)) {
            let others = self.absent_between(list, next).filter(|(text, _)| text.starts_with(b","));
            shape.extend(others.map(|(_, literal)| literal));
        }
        shape
    }

    /// How many parts a list of several has, and the commas between them; none if it may stand for any number.
    fn several(&self, list: Node) -> Option<(u32, Vec<Node>)> {
        let kind = self.tree.kind_name(list);
        let is_list = ["pattern_list", "expression_list", "tuple", "tuple_pattern", "tuple_expression"];
        if !is_list.contains(&kind) || self.tree.children(list).any(|n| self.is_variadic(n)) {
            return None;
        }
        let commas = self.tree.children(list).filter(|&n| self.tree.spelled(n) == b",").collect();
        let count = self.named_children(list).len() as u32;
        (count > 1).then_some((count, commas))
    }

    /// The name of a function that a value is the result of.
    fn callee_of(&mut self, value: Node) -> Option<Node> {
        let value = match self.named_children(value)[..] {
            [one] if self.tree.kind_name(value) == "expression_list" => one,
            _ => value,
        };
        let field = self.roles(value).call?;
        let callee = self.tree.child(value, field)?;
        self.tree.is_token(callee).then_some(callee)
    }

    /// Those of the tokens that are not always there come and go together.
    fn ring(&mut self, tokens: &[Node]) {
        let mut facts: Vec<Fact> = Vec::new();
        for &token in tokens {
            let fact = self.fact(token);
            let known = &self.read.facts;
            let is_new = !facts.iter().any(|&other| known.condition(other) == known.condition(fact));
            if !known.is_kept(fact) && is_new {
                facts.push(fact);
            }
        }
        for (i, &fact) in facts.iter().enumerate() {
            let next = facts[(i + 1) % facts.len()];
            if fact != next {
                self.read.laws.needs.push((Rule::Unpacked, fact, next));
            }
        }
    }
}
