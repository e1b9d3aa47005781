//! Classes, their supertypes, and what their methods say about themselves.

use super::super::rule::Rule;
use super::Reader;
use crate::rules::laws::Scope;
use crate::weave::Literal;
use nub_syntax::{Node, Role};

impl Reader<'_> {
    pub(super) fn classes(&mut self) {
        for node in 0..self.tree.len() as Node {
            let roles = self.roles(node);
            if roles.class.is_some() && self.class[node as usize] == Some(node) {
                self.class_itself(node);
            }
            let is_heritage = roles.is_supertypes
                || self.tree.field(node).is_some_and(|field| self.grammar.supertypes.contains(&field));
            if is_heritage && let Some(class) = self.class[node as usize] {
                self.supertypes(node, class);
            }
            if roles.is_function {
                self.method(node);
            }
        }
    }

    fn supertypes(&mut self, node: Node, class: Node) {
        let scope = self.inner[class as usize];
        let is_super = |&n: &Node| {
            let parent = self.tree.parent(n).map_or("", |p| self.tree.kind_name(p));
            self.is_name(n) && parent != "type_arguments" && parent != "keyword_argument"
        };
        let names: Vec<Node> = self.tree.subtree(node).filter(is_super).collect();
        for name in names {
            self.extends(name, scope);
        }
    }

    fn extends(&mut self, name: Node, class: Scope) {
        let sup = self.named_class(self.tree.spelled(name));
        let fact = self.fact(name);
        if sup != class {
            self.read.laws.inside.push((sup, sup));
            self.read.laws.extends.push((fact, class, sup));
        }
    }

    fn class_itself(&mut self, node: Node) {
        let kind = self.tree.kind_name(node);
        let scope = self.inner[node as usize];
        if let Some(implemented) = self.tree.child(node, "trait") {
            let name = self.tree.subtree(implemented).find(|&n| self.is_name(n));
            let heir = self.heir(node);
            name.into_iter().for_each(|n| self.extends(n, heir));
            self.read.laws.concrete.push((heir,));
        }
        let is_interface = matches!(kind, "interface_declaration" | "trait_item");
        if is_interface {
            self.read.laws.interface.push((scope,));
        }
        let is_abstract = kind == "abstract_class_declaration" || self.modifier(node, "abstract").is_some();
        if matches!(kind, "class_declaration" | "enum_declaration") && !is_abstract {
            self.read.laws.concrete.push((scope,));
        }
        if let Some(token) = self.modifier(node, "abstract") {
            let fact = self.fact(token);
            self.read.laws.abstract_class.push((fact, scope));
        }
        if let Some(token) = self.modifier(node, "final").filter(|_| self.is_law(Rule::FinalMethod)) {
            let fact = self.fact(token);
            self.read.laws.final_class.push((fact, scope));
        }
        if let Some(name) = self.tree.child(node, "name")
            && self.modifier(node, "public").is_some()
            && self.tree.parent(node) == Some(0)
            && self.is_law(Rule::FileName)
        {
            let fact = self.fact(name);
            let file = self.read.facts.name(&[self.tree.spelled(name), b".java"].concat());
            self.read.laws.public_type.push((fact, file));
        }
        self.parts(node);
    }

    /// What has the methods of a class that a supertype asks for: the class, but of the many blocks in which Rust
    /// implements traits for a type each for itself.
    fn heir(&mut self, class: Node) -> Scope {
        let (Some(implemented), Some(by)) = (self.tree.child(class, "trait"), self.tree.child(class, "type"))
        else {
            return self.inner[class as usize];
        };
        let name = [self.tree.spelled(implemented), b" for ", self.tree.spelled(by)].concat();
        self.named_class(&name)
    }

    /// The fields of a struct and the variants of an enum, all of which are named where one is made or matched.
    fn parts(&mut self, node: Node) {
        let rule = match self.tree.kind_name(node) {
            "struct_item" => Rule::AllFields,
            "enum_item" => Rule::AllVariants,
            _ => return,
        };
        let (Some(whole), Some(body)) = (self.tree.child(node, "name"), self.tree.child(node, "body")) else {
            return;
        };
        let whole = self.name(whole);
        for part in self.named_children(body) {
            if let Some(token) = self.tree.child(part, "name") {
                let (fact, name) = (self.fact(token), self.name(token));
                self.heat(fact, name);
                self.read.laws.part.push((rule, fact, name, whole));
            }
        }
    }

    fn method(&mut self, node: Node) {
        let Some(token) = self.name_token(node) else { return };
        let Some((lo, hi, shape)) = self.arity_of(node) else { return };
        let name = self.name(token);
        let function = self.inner[node as usize];
        let around = self.seen_from(node);
        let owner = self.owner(node, around);
        self.read.laws.function.push((function, name, owner, lo, hi));
        let Some(class) = self.class[node as usize] else { return };
        let scope = self.heir(class);
        let body = self.tree.child(node, "body");
        let in_interface = matches!(self.tree.kind_name(class), "interface_declaration" | "trait_item");
        let abstract_token = self.modifier(node, "abstract");
        let is_constructor = self.tree.kind_name(node) == "constructor_declaration";
        let mut told = shape;
        told.extend(self.side.condition(&self.tree.bytes(token)));
        let own = self.fact(token);
        if let Some(static_token) = self.modifier(node, "static") {
            let fact = self.fact(static_token);
            self.heat(fact, name);
            if self.is_law(Rule::Static) {
                self.read.laws.static_of.push((fact, own));
                if self.read.facts.is_kept(fact) {
                    self.read.laws.static_scope.push((function,));
                }
            }
        } else if !is_constructor {
            let last = self.tree.tokens(node).last().unwrap_or(token);
            let opener = body.map_or(last, |body| self.first_token(body));
            let opened = self.side.condition(&self.tree.bytes(opener));
            let fact = self.fact_under(token, told.iter().copied().chain(opened).collect());
            self.heat(fact, name);
            match body {
                None if self.is_law(Rule::Implemented) => {
                    self.read.laws.abstracts.push((fact, name, scope, hi));
                }
                Some(_) => self.read.laws.implements.push((fact, name, scope, hi)),
                None => {}
            }
        }
        if self.is_law(Rule::Body) && !is_constructor {
            if let Some(token) = abstract_token {
                let fact = self.fact(token);
                self.read.laws.abstract_method.push((fact, own));
                self.read.laws.abstract_member.push((fact, scope));
            }
            match body {
                Some(body) => {
                    let fact = self.fact(body);
                    self.read.laws.body.push((fact, own));
                }
                None if !in_interface => {
                    let last = self.tree.tokens(node).last().unwrap_or(token);
                    let fact = self.fact(last);
                    self.read.laws.bodiless.push((fact, own));
                }
                None => {}
            }
        }
        self.says(node, name, scope, hi);
        if is_constructor && self.is_law(Rule::Constructor) {
            self.constructor(node, scope, lo, &told);
        }
    }

    /// What the modifiers of a method say about overriding.
    fn says(&mut self, node: Node, name: u32, scope: Scope, arity: u32) {
        let is_override = |&n: &Node| {
            let kind = self.tree.kind_name(n);
            matches!(self.tree.spelled(n), b"Override" | b"override") && self.tree.is_token(n)
                || kind == "override_modifier"
        };
        let modifiers: Vec<Node> = self
            .tree
            .children(node)
            .filter(|&n| {
                self.tree.kind_name(n).ends_with("modifiers")
                    || self.tree.kind_name(n).starts_with("override")
            })
            .flat_map(|n| self.tree.subtree(n))
            .collect();
        if let Some(&token) = modifiers.iter().find(|n| is_override(n))
            && self.is_law(Rule::Overrides)
        {
            let fact = self.fact(token);
            self.heat(fact, name);
            self.read.laws.says_override.push((fact, name, scope, arity));
        }
        let implements_trait = |class: Node| self.tree.child(class, "trait").is_some();
        if self.class[node as usize].is_some_and(implements_trait)
            && self.is_law(Rule::Overrides)
            && let Some(token) = self.name_token(node)
        {
            let fact = self.fact(token);
            self.heat(fact, name);
            self.read.laws.says_override.push((fact, name, scope, arity));
        }
        for (text, rule) in
            [("final", Rule::FinalMethod), ("public", Rule::Visible), ("private", Rule::Private)]
        {
            let Some(token) = self.modifier(node, text).filter(|_| self.is_law(rule)) else { continue };
            let fact = self.fact(token);
            self.heat(fact, name);
            match rule {
                Rule::FinalMethod => self.read.laws.final_method.push((fact, name, scope, arity)),
                Rule::Visible => self.read.laws.public_method.push((fact, name, scope, arity)),
                _ => {
                    let outermost = self.outermost_class(node).unwrap_or(scope);
                    self.read.laws.private_of.push((fact, name, outermost));
                }
            }
        }
    }

    fn constructor(&mut self, node: Node, class: Scope, arity: u32, told: &[Literal]) {
        let fact = self.fact_under(node, told.to_vec());
        self.read.laws.constructs.push((fact, class, arity));
        let body = self.tree.child(node, "body");
        let call = body.and_then(|b| {
            self.tree.children(b).find(|&n| self.tree.kind_name(n) == "explicit_constructor_invocation")
        });
        match call {
            None => {
                // The call that the other version has.
                let start = body.map(|body| (self.first_token(body), self.tree.children(body).nth(1)));
                let absent: Vec<Literal> = match start {
                    Some((opener, Some(first))) => {
                        let others = self.absent_between(opener, first);
                        let calls = others
                            .filter(|(text, _)| text.starts_with(b"super") || text.starts_with(b"this"));
                        calls.map(|(_, literal)| literal).collect()
                    }
                    _ => Vec::new(),
                };
                let own = self.fact_under(node, absent);
                self.read.laws.constructs_silently.push((own, class));
            }
            Some(call) => self.constructor_call(call, node, class),
        }
    }

    /// `this(..)` or `super(..)` has a constructor that takes as many arguments.
    fn constructor_call(&mut self, call: Node, node: Node, class: Scope) {
        let Some(which) = self.tree.child(call, "constructor") else { return };
        let Some((fact, count)) = self.arguments(call, which) else { return };
        if self.tree.spelled(which) == b"this" {
            if let Some(name) = self.name_token(node) {
                let name = self.name(name);
                self.read.laws.calls.push((fact, name, class, count));
            }
            return;
        }
        let Some(outer) = self.class[node as usize] else { return };
        let sup = self.tree.child(outer, "superclass");
        if let Some(sup) = sup.and_then(|n| self.tree.subtree(n).find(|&n| self.is_name(n))) {
            let name = self.name(sup);
            let scope = self.named_class(self.tree.spelled(sup));
            self.read.laws.inside.push((scope, scope));
            self.read.laws.calls.push((fact, name, scope, count));
        }
    }

    /// The declaration of a variable: a node with modifiers around its name.
    pub(super) fn declaration_of(&self, declarator: Node) -> Option<Node> {
        let parent = self.tree.parent(declarator)?;
        let is_declaration = |&n: &Node| {
            matches!(self.tree.role(n), Role::Declaration | Role::Statement)
                || self.tree.kind_name(n).contains("parameter")
        };
        [declarator, parent].into_iter().find(|n| is_declaration(n))
    }
}
