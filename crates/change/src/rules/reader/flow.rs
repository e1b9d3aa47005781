//! Where values, exceptions and jumps go.

use super::super::rule::Rule;
use super::Reader;
use crate::rules::fact::{Fact, Name};
use crate::rules::laws::Scope;
use nub_syntax::{Node, Role};

impl Reader<'_> {
    pub(super) fn flow(&mut self) {
        for node in 0..self.tree.len() as Node {
            let roles = self.roles(node);
            match roles.name {
                "return_statement" => self.returns(node),
                "throw_statement" => self.throws(node),
                "break_statement" | "continue_statement" => self.jumps(node),
                "variable_declarator" | "let_declaration" | "formal_parameter" => self.variable(node),
                "field_declaration" => self.field(node),
                "short_var_declaration" | "var_spec" => self.must_use(node),
                "switch_label" | "case_statement" | "expression_case" => self.case(node),
                "struct_expression" => self.made(node),
                "match_expression" => self.matched(node),
                _ => {}
            }
            if roles.is_function {
                self.results(node);
            }
            if let Some(field) = roles.assignment {
                self.assigned(node, field);
            }
            if roles.call.is_some() || roles.creation.is_some() {
                self.called(node);
            }
        }
        if self.is_law(Rule::Initialized) {
            self.read_variables();
        }
    }

    fn read_variables(&mut self) {
        for token in 0..self.tree.len() as Node {
            if self.is_name(token)
                && !self.is_bound[token as usize]
                && !self.written.contains(&token)
                && self.function[token as usize].is_some()
                && self.member_of(token).is_none()
            {
                let (fact, name, scope) = (self.fact(token), self.name(token), self.around(token));
                self.read.laws.reads.push((fact, name, scope));
            }
        }
    }

    fn function_scope(&self, node: Node) -> Option<Scope> {
        self.function[node as usize].map(|function| self.inner[function as usize])
    }

    fn returns(&mut self, node: Node) {
        let Some(scope) = self.function_scope(node) else { return };
        let value = self.named_children(node).first().copied();
        let fact = match (value, &self.tree.children(node).collect::<Vec<_>>()[..]) {
            (None, [word, end, ..]) => {
                let absent = self.absent_between(*word, *end).map(|(_, literal)| literal).collect();
                self.fact_under(node, absent)
            }
            _ => self.fact_of(node, value.map(|v| self.first_token(v))),
        };
        if self.is_law(Rule::ReturnValue) {
            self.read.laws.returns.push((fact, scope, value.is_some()));
        }
        if let Some(variable) = value.filter(|&v| self.is_name(v))
            && self.is_law(Rule::Agree)
        {
            let name = self.name(variable);
            self.read.laws.returns_variable.push((fact, name, scope));
        }
    }

    /// What a function says about its result and exceptions, and how it ends.
    fn results(&mut self, node: Node) {
        let scope = self.inner[node as usize];
        let Some(token) = self.name_token(node) else { return };
        let name = self.name(token);
        let result = ["type", "result", "return_type"].iter().find_map(|field| self.tree.child(node, field));
        if let Some(result) = result.filter(|&n| self.tree.kind_name(n) != "parameter_list") {
            let fact = self.fact_of(result, [result]);
            let is_void = self.tree.spelled(result) == b"void";
            let is_pointer = self.signature(node) != self.tree.child(node, "declarator");
            let gives_value = !is_void || (self.grammar.language != "java" && is_pointer);
            if self.is_law(Rule::ReturnValue) {
                self.read.laws.result.push((fact, scope, gives_value));
            }
            if self.is_law(Rule::Agree)
                && let Some((_, hi, _)) = self.arity_of(node)
            {
                let kind = self.name(result);
                let around = self.seen_from(node);
                let owner = self.owner(node, around);
                self.heat(fact, name);
                self.read.laws.result_type.push((fact, kind, name, owner, hi));
                self.read.laws.own_result.push((fact, kind, scope));
                self.parameter_types(node, name, hi);
            }
        }
        let last = self.tree.child(node, "body").and_then(|body| self.named_children(body).last().copied());
        let may_end = |n: &Node| {
            let kind = self.tree.kind_name(*n);
            self.tree.role(*n) == Role::Statement
                && !kind.contains("expression")
                && !kind.contains("variable")
        };
        if let Some(last) = last.filter(|_| self.is_law(Rule::Ends)).filter(may_end) {
            let fact = self.fact(last);
            self.read.laws.ends.push((fact, scope));
        }
        let throws = self.tree.children(node).find(|&n| self.tree.kind_name(n) == "throws");
        if let Some(throws) = throws {
            let types: Vec<Node> = self.tree.subtree(throws).filter(|&n| self.is_name(n)).collect();
            for exception in types {
                let (fact, exception) = (self.fact(exception), self.name(exception));
                self.heat(fact, name);
                self.heat(fact, exception);
                self.read.laws.throws.push((fact, exception, scope));
            }
        }
    }

    fn parameter_types(&mut self, node: Node, function: Name, arity: u32) {
        let list = self.signature(node).and_then(|n| self.tree.child(n, "parameters"));
        let Some(list) = list else { return };
        for (i, parameter) in (0..).zip(self.named_children(list)) {
            if let Some(kind) = self.tree.child(parameter, "type") {
                let fact = self.fact_of(kind, [kind]);
                let kind = self.name(kind);
                self.heat(fact, function);
                self.read.laws.takes_type.push((fact, kind, function, arity, i));
            }
        }
    }

    fn throws(&mut self, node: Node) {
        let Some(scope) = self.function_scope(node).filter(|_| self.is_law(Rule::Throws)) else { return };
        let made = self.named_children(node).first().copied();
        let Some(kind) = made.and_then(|n| self.tree.child(n, "type")) else { return };
        let fact = self.fact_of(node, [kind]);
        let exception = self.name(kind);
        self.read.laws.thrown.push((fact, exception, scope));
        let kind = self.tree.spelled(kind).to_vec();
        for (clause, name) in self.catchers(node) {
            if self.read.facts.text(name) == kind || self.catches_all(name) {
                self.read.laws.caught.push((fact, clause, exception));
            }
        }
    }

    fn catches_all(&self, name: Name) -> bool {
        matches!(self.read.facts.text(name), b"Exception" | b"Throwable")
    }

    /// The types that the `try` statements around a node catch.
    fn catchers(&mut self, node: Node) -> Vec<(Fact, Name)> {
        let (mut found, mut inner) = (Vec::new(), node);
        while let Some(outer) = self.tree.parent(inner) {
            if self.function[outer as usize] == Some(outer) {
                break;
            }
            let is_body = self.tree.field(inner) == Some("body");
            if self.tree.kind_name(outer).starts_with("try_") && is_body {
                let is_clause = |&n: &Node| self.tree.kind_name(n) == "catch_clause";
                let clauses: Vec<Node> = self.tree.children(outer).filter(is_clause).collect();
                let types = clauses.iter().flat_map(|&n| self.tree.subtree(n));
                let types: Vec<Node> = types.filter(|&n| self.tree.kind_name(n) == "catch_type").collect();
                for kind in types.into_iter().flat_map(|n| self.tree.subtree(n)).collect::<Vec<_>>() {
                    if self.is_name(kind) {
                        found.push((self.fact(kind), self.name(kind)));
                    }
                }
            }
            inner = outer;
        }
        found
    }

    /// A call may throw, and hands variables on.
    fn called(&mut self, node: Node) {
        let Some(scope) = self.function_scope(node) else { return };
        let callee =
            ["name", "function", "type", "constructor"].iter().find_map(|f| self.tree.child(node, f));
        let token = callee.and_then(|n| self.last_name(n));
        let Some(token) = token else { return };
        let Some((fact, count)) = self.arguments(node, token) else { return };
        let name = self.name(token);
        if self.is_law(Rule::Throws) {
            self.read.laws.calls_in.push((fact, name, scope, count));
            for (clause, exception) in self.catchers(node) {
                self.read.laws.caught.push((fact, clause, exception));
            }
        }
        if self.is_law(Rule::Agree)
            && let Some(list) = self.tree.child(node, "arguments")
        {
            for (i, argument) in (0..).zip(self.named_children(list)) {
                if self.is_name(argument) {
                    let (fact, variable) = (self.fact_of(argument, [token]), self.name(argument));
                    self.read.laws.passes.push((fact, name, count, i, variable, scope));
                }
            }
        }
    }

    fn jumps(&mut self, node: Node) {
        let is_break = self.tree.kind_name(node) == "break_statement";
        let has_label = self.named_children(node).iter().any(|&n| self.is_name(n));
        let mut targets = Vec::new();
        let mut at = node;
        while let Some(outer) = self.tree.parent(at).filter(|_| self.function[at as usize] != Some(at)) {
            let roles = self.roles(outer);
            if roles.is_loop || is_break && roles.is_switch || has_label && roles.name == "labeled_statement"
            {
                targets.push(outer);
            }
            at = outer;
        }
        let fact = self.fact(node);
        for target in targets {
            let target = self.fact(target);
            self.read.laws.needs.push((Rule::Loop, fact, target));
        }
    }

    /// A variable that has a value, or none yet, and its type.
    fn variable(&mut self, node: Node) {
        let Some(token) = self.tree.child(node, "name").or(self.tree.child(node, "pattern")) else { return };
        let token = self.first_token(token);
        let Some(declaration) = self.declaration_of(node) else { return };
        let name = self.name(token);
        let scope = self.around(token);
        let value = self.tree.child(node, "value");
        let is_local = self.function[node as usize].is_some();
        let is_parameter = self.tree.kind_name(node) == "formal_parameter";
        if value.is_none() && is_local && !is_parameter && self.is_law(Rule::Initialized) {
            let last = self.tree.tokens(declaration).last();
            let fact = self.fact_of(token, last);
            self.heat(fact, name);
            self.read.laws.bare.push((fact, name, scope));
        } else if is_local && value.is_some() {
            let fact = self.fact_of(token, value.map(|v| self.first_token(v)));
            self.heat(fact, name);
            self.read.laws.assigns.push((fact, name, scope));
        }
        let own = self.fact(token);
        if let Some(modifier) = self.modifier(declaration, "final")
            && (value.is_some() || is_parameter)
            && self.is_law(Rule::Final)
        {
            let told = [token].into_iter().chain(value.map(|v| self.first_token(v)));
            let fact = self.fact_of(modifier, told);
            self.heat(fact, name);
            self.read.laws.sealed.push((fact, name, scope));
        }
        if !is_local {
            self.member_modifiers(declaration, name, own);
        }
        let Some(kind) = self.tree.child(declaration, "type").filter(|_| self.is_law(Rule::Agree)) else {
            return;
        };
        let fact = self.fact_of(kind, [kind]);
        let kind = self.name(kind);
        self.heat(fact, name);
        self.read.laws.declared_as.push((fact, kind, name, scope));
        let is_call = value.is_some_and(|v| self.roles(v).call.is_some());
        if let Some(callee) = value.filter(|_| is_call) {
            let method = ["name", "function"].iter().find_map(|f| self.tree.child(callee, f));
            let method = method.and_then(|n| self.last_name(n));
            if let Some(method) = method {
                let method = self.name(method);
                self.heat(fact, method);
                self.read.laws.filled_by_call.push((fact, kind, method));
            }
        }
    }

    fn member_modifiers(&mut self, declaration: Node, name: Name, own: Fact) {
        if let Some(token) = self.modifier(declaration, "static").filter(|_| self.is_law(Rule::Static)) {
            let fact = self.fact(token);
            self.heat(fact, name);
            self.read.laws.static_of.push((fact, own));
        }
        if let Some(token) = self.modifier(declaration, "private").filter(|_| self.is_law(Rule::Private))
            && let Some(class) = self.outermost_class(declaration)
        {
            let fact = self.fact(token);
            self.heat(fact, name);
            self.read.laws.private_of.push((fact, name, class));
        }
    }

    /// A field of C has its type beside it.
    fn field(&mut self, node: Node) {
        if self.grammar.language == "java" || !self.is_law(Rule::Agree) {
            return;
        }
        let (Some(kind), Some(token)) = (self.tree.child(node, "type"), self.name_token(node)) else {
            return;
        };
        let (fact, scope) = (self.fact_of(kind, [kind]), self.around(node));
        let (kind, name) = (self.name(kind), self.name(token));
        self.heat(fact, name);
        self.read.laws.declared_as.push((fact, kind, name, scope));
    }

    fn must_use(&mut self, node: Node) {
        let Some(scope) = self.function_scope(node).filter(|_| self.is_law(Rule::Used)) else { return };
        let fields = ["left", "name"];
        let left: Vec<Node> = self
            .tree
            .children(node)
            .filter(|&n| self.tree.field(n).is_some_and(|field| fields.contains(&field)))
            .flat_map(|n| self.tree.subtree(n))
            .filter(|&n| self.is_name(n))
            .collect();
        for token in left {
            let (fact, name) = (self.fact(token), self.name(token));
            if self.tree.spelled(token) != b"_" {
                self.heat(fact, name);
                self.read.laws.must_use.push((fact, name, scope));
            }
        }
    }

    fn assigned(&mut self, node: Node, field: &str) {
        let target = match field {
            "" => self.tree.children(node).find(|&n| self.tree.is_named(n)),
            _ => self.tree.child(node, field),
        };
        let Some(target) = target else { return };
        let Some(token) = self.last_name(target) else { return };
        let is_plain = target == token;
        let is_own = matches!(self.member_of(token), Some(super::names::Access::Own(_)));
        if (is_plain || is_own) && (self.is_law(Rule::Final) || self.is_law(Rule::Initialized)) {
            let (fact, name, scope) = (self.fact(token), self.name(token), self.around(node));
            self.read.laws.assigns.push((fact, name, scope));
            let is_set = self.tree.children(node).any(|n| self.tree.spelled(n) == b"=");
            if is_plain && is_set {
                self.written.insert(token);
            }
        }
    }

    fn case(&mut self, node: Node) {
        if !self.is_law(Rule::Case) {
            return;
        }
        let value = self.tree.child(node, "value").or_else(|| self.named_children(node).first().copied());
        let mut switch = self.tree.parent(node);
        while let Some(outer) = switch.filter(|&n| !self.roles(n).is_switch) {
            switch = self.tree.parent(outer);
        }
        let (Some(value), Some(switch)) = (value, switch) else { return };
        if self.tree.kind_name(node) == "case_statement" && self.tree.child(node, "value").is_none() {
            return;
        }
        let spot = format!("{:?}", self.side.spot(self.tree.bytes(switch).start));
        let scope = self.scope(&[b"switch ", spot.as_bytes()]);
        let (fact, name) = (self.fact_of(value, [value]), self.name(value));
        self.heat(fact, name);
        self.read.laws.unique.push((Rule::Case, fact, name, scope));
    }

    fn made(&mut self, node: Node) {
        let (Some(kind), Some(body)) = (self.tree.child(node, "name"), self.tree.child(node, "body")) else {
            return;
        };
        let parts = self.named_children(body);
        let has_rest = parts.iter().any(|&n| self.tree.kind_name(n) == "base_field_initializer");
        let Some(token) = self.last_name(kind) else { return };
        if has_rest {
            return;
        }
        let (whole, kind) = (self.fact(token), self.name(token));
        self.read.laws.spelled.push((Rule::AllFields, whole, kind));
        for part in parts {
            if let Some(token) = self.tree.subtree(part).find(|&n| self.is_name(n)) {
                let (fact, name) = (self.fact(token), self.name(token));
                self.read.laws.spells.push((fact, name, whole));
            }
        }
    }

    fn matched(&mut self, node: Node) {
        let Some(body) = self.tree.child(node, "body") else { return };
        let arms = self.named_children(body);
        let pattern = |reader: &Self, arm: Node| reader.tree.child(arm, "pattern");
        let names = |reader: &Self, arm: Node| -> Vec<(Node, Node)> {
            let Some(pattern) = pattern(reader, arm) else { return Vec::new() };
            let is_path = |&n: &Node| reader.tree.kind_name(n) == "scoped_identifier";
            let paths = reader.tree.subtree(pattern).filter(is_path);
            let parts =
                paths.filter_map(|n| Some((reader.tree.child(n, "path")?, reader.tree.child(n, "name")?)));
            parts.collect()
        };
        let catches_all = |reader: &Self, arm: Node| {
            pattern(reader, arm).is_none_or(|p| {
                reader
                    .tree
                    .children(p)
                    .next()
                    .is_none_or(|n| reader.tree.is_token(n) && reader.tree.size(p) <= 2)
            })
        };
        if arms.iter().any(|&arm| catches_all(self, arm)) {
            return;
        }
        let whole = self.fact(node);
        for (path, name) in arms.iter().flat_map(|&arm| names(self, arm)).collect::<Vec<_>>() {
            let Some(token) = self.last_name(path) else { continue };
            let (kind, fact, name) = (self.name(token), self.fact(name), self.name(name));
            self.read.laws.spelled.push((Rule::AllVariants, whole, kind));
            self.read.laws.spells.push((fact, name, whole));
        }
    }
}
