//! Definitions, uses and calls.

use super::super::grammar::{Entity, Reach};
use super::super::rule::Rule;
use super::{Declaration, Reader, Roles};
use crate::rules::fact::{Fact, Name};
use crate::rules::laws::Scope;
use crate::rules::retyped::Header;
use crate::weave::Literal;
use nub_syntax::{Node, names};

/// Fields behind which no name is made, though a binder holds them.
const NOT_BINDING: [&str; 14] = [
    "value",
    "right",
    "default_value",
    "type",
    "default",
    "size",
    "parameters",
    "body",
    "index",
    "arguments",
    "return_type",
    "type_arguments",
    "path",
    "trailing_return_type",
];

/// What is longer is no header: a part of the file that could not be understood, or a table.
const LONG_HEADER: usize = 4 << 10;

/// A name that a binder makes.
enum Bound {
    Name(Node),
    /// `object.name`, which makes a member.
    Member(Node),
}

impl Reader<'_> {
    pub(super) fn names(&mut self) {
        for node in 0..self.tree.len() as Node {
            let roles = self.roles(node);
            for &(field, entity) in &roles.binders {
                self.bind(node, &roles, field, entity);
            }
        }
        for node in 0..self.tree.len() as Node {
            let roles = self.roles(node);
            if roles.is_function {
                self.parameters(node);
            } else if self.is_law(Rule::Prototype) && roles.name == "declaration" {
                self.prototype(node);
            }
            if let Some(field) = roles.call {
                self.call(node, field);
            }
            if let Some(field) = roles.creation {
                self.creation(node, field);
            }
            if roles.is_raw {
                self.raw(node);
            }
            if self.is_name(node) && !self.is_bound[node as usize] {
                self.used(node);
            }
        }
    }

    fn bind(&mut self, node: Node, roles: &Roles, field: &str, entity: Entity) {
        if entity == Entity::Type && roles.class.is_some() && !self.has_members(node) {
            return;
        }
        let fields: Vec<Node> = match field {
            "" => self.tree.children(node).collect(),
            _ => self.tree.children(node).filter(|&n| self.tree.field(n) == Some(field)).collect(),
        };
        let mut bound = Vec::new();
        fields.into_iter().for_each(|n| self.bound_in(n, &mut bound));
        bound.retain(|name| match name {
            Bound::Name(_) => entity != Entity::Member,
            // A pattern or a loop does not make the members that it names.
            Bound::Member(_) => roles.assignment.is_some(),
        });
        let alone = field.is_empty() && matches!(entity, Entity::Label | Entity::Type);
        if alone || matches!(entity, Entity::Function) {
            // Of `Class::name` only the last is made here, of `label: statement` only the first.
            let one = if alone { 0 } else { bound.len().saturating_sub(1) };
            bound = bound.into_iter().skip(one).take(1).collect();
        }
        for name in bound {
            match name {
                Bound::Member(token) => {
                    let fact = self.fact(token);
                    let name = self.name(token);
                    self.heat(fact, name);
                    self.read.laws.member.push((fact, name));
                    if let Some(class) = self.class[token as usize] {
                        let scope = self.inner[class as usize];
                        self.read.laws.defines.push((fact, entity, name, scope));
                    }
                    // An assignment may also be the use of a member that is declared elsewhere.
                    self.is_bound[token as usize] = true;
                }
                Bound::Name(token) => self.define(node, token, entity),
            }
        }
    }

    fn bound_in(&self, node: Node, bound: &mut Vec<Bound>) {
        if self.tree.field(node).is_some_and(|field| NOT_BINDING.contains(&field)) {
            return;
        }
        if self.is_name(node) {
            bound.push(Bound::Name(node));
            return;
        }
        let kind = self.tree.kind_name(node);
        if let Some((_, field)) = self.grammar.members.iter().find(|(k, _)| *k == kind)
            && kind != "qualified_identifier"
        {
            bound.extend(self.tree.child(node, field).map(Bound::Member));
            return;
        }
        let is_pattern = !(kind.contains("subscript") || kind.contains("index") || kind.contains("call"));
        // In a Rust pattern, `Some(x)` makes `x` only.
        let is_path = matches!(kind, "scoped_identifier" | "scoped_type_identifier");
        if is_pattern && !is_path {
            self.tree.children(node).for_each(|child| self.bound_in(child, bound));
        }
    }

    fn define(&mut self, node: Node, token: Node, entity: Entity) {
        self.is_bound[token as usize] = true;
        let name = match entity {
            Entity::Label => self.label(token),
            _ => self.name(token),
        };
        let fact = self.fact(token);
        self.heat(fact, name);
        let around = match entity {
            Entity::Function if self.function[node as usize] == Some(node) => {
                let around = self.seen_from(node);
                self.owner(node, around)
            }
            Entity::Type | Entity::Function => self.seen_from(node),
            _ => self.seen_from(token),
        };
        let in_prototype = entity == Entity::Parameter && self.function[node as usize].is_none();
        let is_key = matches!(self.tree.kind_name(node), "pair" | "property_signature" | "method_signature")
            && self.class[node as usize].is_none();
        if !in_prototype && !is_key {
            self.read.laws.defines.push((fact, entity, name, around));
        }
        if self.is_member(node, token, entity) {
            self.read.laws.member.push((fact, name));
        }
        if self.qualifier(node).is_some() && self.is_law(Rule::InClass) {
            self.read.laws.outside.push((fact, name, around));
        }
        self.once(node, token, entity, fact);
        let text_of = |n: Option<Node>| match n {
            Some(n) if !self.side.is_kept(&self.tree.bytes(n)) => self.tree.spelled(n).to_vec(),
            _ => Vec::new(),
        };
        let declaration = Declaration {
            fact,
            entity,
            name,
            scope: around,
            file: self.number,
            is_old: self.is_old,
            is_local: self.function[node as usize].is_some() && entity == Entity::Variable,
            text: text_of(Some(node)),
            value: text_of(self.value_of(node)),
        };
        self.read.declarations.push(declaration);
        if self.is_law(Rule::Retyped) && !matches!(entity, Entity::Parameter | Entity::Label | Entity::Type) {
            self.header(node, token, name, around);
        }
    }

    /// What others rely on of a declaration, where it is not the same in both versions.
    fn header(&mut self, node: Node, token: Node, name: Name, scope: Scope) {
        let has_type = |n: Node| self.tree.child(n, "type").is_some();
        let whole = self.tree.parent(node).filter(|&p| !has_type(node) && has_type(p)).unwrap_or(node);
        let signature = self.signature(node).unwrap_or(node);
        let parts = ["parameters", "type", "return_type", "result"];
        let parts = parts.iter().flat_map(|part| [whole, signature].map(|n| self.tree.child(n, part)));
        let end = parts.flatten().map(|n| self.tree.bytes(n).end).max().unwrap_or(0);
        let bytes = self.tree.bytes(whole).start..end.max(self.tree.bytes(token).end);
        let is_inner = self.function[token as usize].is_some_and(|f| f != node);
        if is_inner || bytes.len() > LONG_HEADER || self.side.is_kept(&bytes) {
            return;
        }
        // What a parameter is called is nobody else's business: in these languages no call says it.
        let is_its_own = |n: Node| {
            let name = self.tree.name(n).filter(|name| name.definition.is_some());
            name.is_some_and(|name| name.entity == names::Entity::Parameter)
                && self.tree.kind_name(n) == "identifier"
        };
        let parts = self.tree.subtree(whole).take_while(|&n| self.tree.bytes(n).start < bytes.end);
        let parts = parts.filter(|&n| self.tree.is_token(n) && !is_its_own(n)).map(|n| self.tree.bytes(n));
        let text: Vec<&[u8]> = parts.map(|part| &self.tree.text()[part]).collect();
        let header = Header {
            fact: self.fact_under(token, self.side.condition(&bytes).collect()),
            name,
            scope,
            is_old: self.is_old,
            is_field: self.grammar.reach == Reach::World && self.class[token as usize].is_some(),
            text: text.join(&b' '),
        };
        self.read.headers.push(header);
    }

    /// Notes a use of a name, and whether it and what is beside it stays as it is.
    fn worded(&mut self, token: Node, name: Name, of_object: bool) {
        let before = token.checked_sub(1).filter(|&n| self.tree.is_token(n));
        let after = Some(token + 1).filter(|&n| n < self.tree.len() as Node);
        let after = after.map(|n| self.first_token(n));
        let mut condition: Vec<Literal> = Vec::new();
        for (a, b) in [(before, Some(token)), (Some(token), after)] {
            if let (Some(a), Some(b)) = (a, b) {
                condition.extend(self.absent_between(a, b).map(|(_, literal)| literal));
            }
        }
        for n in before.into_iter().chain(after) {
            condition.extend(self.side.condition(&self.tree.bytes(n)));
        }
        let fact = self.fact_under(token, condition);
        let is_kept = self.read.facts.is_kept(fact);
        self.read.wordings.add(name, of_object, fact, is_kept, self.is_old);
    }

    /// The first value of what a node declares.
    fn value_of(&self, node: Node) -> Option<Node> {
        let direct = ["value", "right"].iter().find_map(|field| self.tree.child(node, field));
        direct.or_else(|| self.tree.child(self.tree.child(node, "declarator")?, "value"))
    }

    fn is_member(&self, node: Node, token: Node, entity: Entity) -> bool {
        let is_key = matches!(self.tree.kind_name(node), "pair" | "property_signature" | "method_signature");
        let in_class = self.class[token as usize].is_some() || self.qualifier(node).is_some();
        let in_function = match entity {
            Entity::Function => self.tree.parent(node).and_then(|p| self.function[p as usize]),
            _ => self.function[node as usize],
        };
        let has_receiver = self.tree.child(node, "receiver").is_some();
        // What stands at the top of a file is a member of its package or module.
        let at_top = self.around(node) == self.file;
        entity != Entity::Parameter && (is_key || has_receiver || at_top || in_class && in_function.is_none())
    }

    fn label(&mut self, token: Node) -> Name {
        self.read.facts.name(&[b"label ", self.tree.spelled(token)].concat())
    }

    /// What may be declared only once.
    fn once(&mut self, node: Node, token: Node, entity: Entity, fact: Fact) {
        if !self.is_law(Rule::Once) || matches!(entity, Entity::Label | Entity::Import) {
            return;
        }
        let language = self.grammar.language;
        let has_body = self.tree.child(node, "body").is_some();
        let key = match entity {
            Entity::Function if has_body => {
                let signature = self.signature(node).and_then(|n| self.tree.child(n, "parameters"));
                let types: Vec<u8> = match (language, signature) {
                    ("java" | "cpp", Some(list)) => self.types_of(list),
                    _ => Vec::new(),
                };
                [self.tree.spelled(token), b"(", &types, b")"].concat()
            }
            Entity::Type if has_body => self.tree.spelled(token).to_vec(),
            Entity::Variable if language != "rust" || self.function[node as usize].is_none() => {
                self.tree.spelled(token).to_vec()
            }
            _ => return,
        };
        let scope = match self.function[node as usize] {
            Some(function) if entity == Entity::Variable => {
                let Some(block) = self.block_around(node, function) else { return };
                let opener = self.first_token(block);
                let spot = format!("{:?}", self.side.spot(self.tree.bytes(opener).start));
                self.scope(&[b"block ", spot.as_bytes()])
            }
            _ if matches!(language, "c" | "cpp") && self.class[node as usize].is_none() => self.file,
            _ => self.seen_from(node),
        };
        let name = self.read.facts.name(&key);
        self.heat(fact, name);
        self.read.laws.unique.push((Rule::Once, fact, name, scope));
    }

    fn block_around(&mut self, node: Node, function: Node) -> Option<Node> {
        let mut at = self.tree.parent(node)?;
        let mut depth = 0;
        while at != function {
            if self.roles(at).is_block {
                return Some(at);
            }
            // What a `for` or `try` declares is seen in it only.
            depth += 1;
            if depth > 2 {
                return None;
            }
            at = self.tree.parent(at)?;
        }
        None
    }

    fn types_of(&self, list: Node) -> Vec<u8> {
        let types = self.named_children(list).into_iter().filter_map(|p| self.tree.child(p, "type"));
        types.flat_map(|t| [self.tree.spelled(t), b","].concat()).collect()
    }

    /// How many arguments a function takes.
    fn parameters(&mut self, node: Node) {
        let Some(token) = self.name_token(node) else { return };
        let Some((lo, hi, shape)) = self.arity_of(node) else { return };
        let fact = self.fact_under(token, shape);
        let name = self.name(token);
        self.heat(fact, name);
        let around = self.seen_from(node);
        let owner = self.owner(node, around);
        if self.is_law(Rule::Call) {
            self.read.laws.takes.push((fact, name, owner, lo, hi));
            self.constructor_arity(node, fact, lo, hi);
        }
        if self.is_law(Rule::Prototype)
            && self.qualifier(node).is_none()
            && self.class[node as usize].is_none()
        {
            self.read.laws.definition.push((fact, name, lo, hi));
        }
    }

    /// A Python class is called as its `__init__` is, and a Java class as it is named.
    fn constructor_arity(&mut self, node: Node, fact: Fact, lo: u32, hi: u32) {
        let Some(class) = self.class[node as usize] else { return };
        let is_init = self.name_token(node).is_some_and(|n| self.tree.spelled(n) == b"__init__");
        if !is_init {
            return;
        }
        let Some(name) = self.class_name(class) else { return };
        let (name, scope) = (self.read.facts.name(&name), self.seen_from(class));
        self.heat(fact, name);
        self.read.laws.takes.push((fact, name, scope, lo, hi));
    }

    fn prototype(&mut self, node: Node) {
        let Some((lo, hi, shape)) = self.arity_of(node) else { return };
        let Some(token) = self.name_token(node) else { return };
        if self.function[node as usize].is_some() {
            return;
        }
        let fact = self.fact_under(token, shape);
        let name = self.name(token);
        self.heat(fact, name);
        let around = self.seen_from(node);
        self.read.laws.takes.push((fact, name, around, lo, hi));
        self.read.laws.prototype.push((fact, name, lo, hi));
    }

    /// The least and the greatest number of arguments, and the condition under which they are that.
    pub(super) fn arity_of(&self, function: Node) -> Option<(u32, u32, Vec<Literal>)> {
        let list = self.tree.child(self.signature(function)?, "parameters")?;
        let (mut lo, mut hi) = (0u32, 0u32);
        for child in self.tree.children(list) {
            let kind = self.tree.kind_name(child);
            let spelled = self.tree.spelled(child);
            if spelled == b"..." || self.is_variadic(child) {
                hi = u32::MAX;
            }
            let is_self = kind == "self_parameter"
                || matches!(spelled, b"self" | b"cls") && lo == 0 && self.class[list as usize].is_some();
            if !self.tree.is_named(child) || spelled == b"void" || self.is_variadic(child) {
                continue;
            }
            if matches!(kind, "keyword_separator" | "positional_separator" | "attribute_item") {
                continue;
            }
            // Several Go parameters may share a type.
            let names =
                self.tree.children(child).filter(|&n| self.tree.field(n) == Some("name")).count().max(1);
            let is_optional =
                self.grammar.optional.contains(&kind) || self.tree.child(child, "value").is_some();
            hi = hi.saturating_add(names as u32);
            lo += if is_optional || is_self { 0 } else { names as u32 };
            if is_self && self.grammar.language == "python" {
                hi -= 1;
            }
        }
        Some((lo, hi, self.shape(list)))
    }

    pub(super) fn is_variadic(&self, node: Node) -> bool {
        let kinds = self.grammar.variadic;
        let kind = self.tree.kind_name(node);
        kinds.contains(&kind) || self.tree.children(node).any(|n| kinds.contains(&self.tree.kind_name(n)))
    }

    fn call(&mut self, node: Node, field: &str) {
        let Some(callee) = self.tree.child(node, field) else { return };
        let Some(token) = self.last_name(callee) else { return };
        let Some((fact, count)) = self.arguments(node, token) else { return };
        if !self.is_law(Rule::Call) {
            return;
        }
        let name = self.name(token);
        match self.member_of(token) {
            Some(Access::Other) => self.read.laws.calls_member.push((fact, name, count)),
            Some(Access::Own(class)) => self.read.laws.calls.push((fact, name, class, count)),
            None if self.tree.is_token(callee) => {
                let around = self.around(node);
                self.read.laws.calls.push((fact, name, around, count));
            }
            None => {}
        }
    }

    /// The fact that a call has as many arguments as it has, and how many they are.
    pub(super) fn arguments(&mut self, call: Node, token: Node) -> Option<(Fact, u32)> {
        let list = self.tree.child(call, "arguments")?;
        if self.tree.children(list).any(|n| self.is_variadic(n)) {
            return None;
        }
        let count = self.named_children(list).len() as u32;
        Some((self.fact_under(token, self.shape(list)), count))
    }

    fn creation(&mut self, node: Node, field: &str) {
        let Some(class) = self.tree.child(node, field) else { return };
        let Some(token) = self.tree.subtree(class).find(|&n| self.is_name(n)) else { return };
        let name = self.name(token);
        let scope = self.named_class(self.tree.spelled(token));
        let has_body = self.tree.children(node).any(|n| self.tree.kind_name(n) == "class_body");
        let fact = self.fact(token);
        if !has_body && self.is_law(Rule::Instantiated) {
            self.read.laws.creates.push((fact, scope));
        }
        if let Some((fact, count)) = self.arguments(node, token)
            && self.is_law(Rule::Call)
        {
            self.read.laws.inside.push((scope, scope));
            self.read.laws.calls.push((fact, name, scope, count));
        }
    }

    /// Names in text that the grammar does not look into, such as the body of a macro.
    fn raw(&mut self, node: Node) {
        let bytes = self.tree.bytes(node);
        let (around, text) = (self.around(node), self.tree.text());
        let mut at = bytes.start;
        for word in crate::words::words(&text[bytes]) {
            let start = at + text[at..].windows(word.len()).position(|w| w == word).unwrap_or(0);
            at = start + word.len();
            if word[0].is_ascii_alphabetic() || word[0] == b'_' {
                let condition = self.side.condition(&(start..at)).collect();
                let fact = self.read.facts.fact(self.side.spot(start), condition);
                let name = self.read.facts.name(word);
                self.read.laws.uses.push((fact, Rule::Declared, name, around));
                let is_kept = self.read.facts.is_kept(fact);
                let of_object = text[..start].ends_with(b"->") || text[..start].ends_with(b".");
                self.read.wordings.add(name, of_object, fact, is_kept, self.is_old);
            }
        }
    }

    fn used(&mut self, token: Node) {
        let fact = self.fact(token);
        let name = self.name(token);
        self.heat(fact, name);
        let parent = self.tree.parent(token).map_or("", |p| self.tree.kind_name(p));
        let kind = self.tree.kind_name(token);
        let is_jump = matches!(parent, "break_statement" | "continue_statement" | "goto_statement");
        if is_jump || matches!(kind, "statement_identifier" | "label_name") {
            let (name, around) = (self.label(token), self.around(token));
            self.read.laws.uses.push((fact, Rule::Label, name, around));
            return;
        }
        if parent == "keyword_argument" && self.tree.field(token) == Some("name") {
            return;
        }
        if let Some(class) = self.outermost_class(token)
            && self.is_law(Rule::Private)
        {
            self.read.laws.uses_from.push((fact, name, class));
        }
        let access = self.member_of(token);
        if self.is_law(Rule::Retyped) {
            self.worded(token, name, access.is_some());
        }
        match access {
            Some(Access::Other) => self.read.laws.uses_member.push((fact, name)),
            Some(Access::Own(class)) => self.read.laws.uses.push((fact, Rule::Member, name, class)),
            None => {
                let rule = if kind == "type_identifier" { Rule::TypeDeclared } else { Rule::Declared };
                let around = self.around(token);
                self.read.laws.uses.push((fact, rule, name, around));
            }
        }
    }

    pub(super) fn outermost_class(&self, node: Node) -> Option<Scope> {
        let mut class = self.class[node as usize]?;
        while let Some(outer) = self.tree.parent(class).and_then(|p| self.class[p as usize]) {
            class = outer;
        }
        Some(self.inner[class as usize])
    }

    /// Whose member a name is, if it is one.
    pub(super) fn member_of(&mut self, token: Node) -> Option<Access> {
        let parent = self.tree.parent(token)?;
        let roles = self.roles(parent);
        let field = self.tree.field(token).unwrap_or("");
        if !roles.members.iter().any(|&member| member == field || member.is_empty()) {
            return None;
        }
        let first = self.tree.children(parent).next()?;
        if first == token && roles.call.is_some() {
            // `method()` in Java has no object.
            return None;
        }
        let is_own = self.grammar.own.iter().any(|own| self.tree.spelled(first) == own.as_bytes());
        match self.class[token as usize] {
            Some(class) if is_own => Some(Access::Own(self.inner[class as usize])),
            _ => Some(Access::Other),
        }
    }
}

/// Whose member is used.
pub(super) enum Access {
    /// That of the class with this scope.
    Own(Scope),
    /// That of some object.
    Other,
}
