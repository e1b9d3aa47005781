//! Reads the facts of one version of a file from its syntax tree.
//!
//! Names are resolved by scope and not by type: a local variable in its function, a member in its class by the class's
//! name, everything else as far as the language lets the top of a file be seen. Where that is too coarse a rule has
//! more alternatives than it should and says less; it does not say what is wrong.

mod classes;
mod flow;
mod imports;
mod names;
mod structure;
mod unpacking;

pub(super) use imports::module_names;

use super::fact::{Fact, Facts, Name};
use super::file_scope;
use super::grammar::{Entity, Grammar, Reach};
use super::laws::{Laws, Scope};
use super::retyped::{Header, Wordings};
use super::rule::Rule;
use crate::side::Side;
use crate::weave::Literal;
use nub_syntax::tree::Kind;
use nub_syntax::{Node, Tree};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Everything that was read so far, of all files.
#[derive(Default)]
pub(super) struct Read {
    pub(super) facts: Facts,
    pub(super) laws: Laws,
    /// The names about which something differs between the versions: no other can couple changes.
    pub(super) hot: HashSet<Name>,
    /// What was declared, for those who look for refactorings.
    pub(super) declarations: Vec<Declaration>,
    /// What others rely on of declarations that differ between the versions, ...
    pub(super) headers: Vec<Header>,
    /// ... and how names are used.
    pub(super) wordings: Wordings,
}

/// A declaration in one of the versions.
pub(super) struct Declaration {
    pub(super) fact: Fact,
    pub(super) entity: Entity,
    pub(super) name: Name,
    /// What it is declared in.
    pub(super) scope: Scope,
    pub(super) file: u32,
    pub(super) is_old: bool,
    /// Whether it is a variable of a function.
    pub(super) is_local: bool,
    /// Its text, where it is not the same in both versions.
    pub(super) text: Vec<u8>,
    /// The text of its first value, likewise.
    pub(super) value: Vec<u8>,
}

/// One version of one file.
pub(super) struct Reader<'a> {
    read: &'a mut Read,
    tree: &'a Tree,
    side: &'a Side<'a>,
    grammar: &'static Grammar,
    kinds: HashMap<Kind, Rc<Roles>>,
    /// The scope in which the children of each node are.
    inner: Vec<Scope>,
    /// The function each node is in, or is.
    function: Vec<Option<Node>>,
    /// The class each node is in, or is.
    class: Vec<Option<Node>>,
    /// The names that are made and not used.
    is_bound: Vec<bool>,
    /// The names that are given a value, and not read.
    written: HashSet<Node>,
    number: u32,
    is_old: bool,
    file: Scope,
    top: Scope,
}

/// What a kind of node is in its grammar's table.
#[derive(Default)]
struct Roles {
    name: &'static str,
    binders: Vec<(&'static str, Entity)>,
    members: Vec<&'static str>,
    class: Option<&'static str>,
    call: Option<&'static str>,
    creation: Option<&'static str>,
    assignment: Option<&'static str>,
    is_function: bool,
    is_lambda: bool,
    is_loop: bool,
    is_switch: bool,
    is_block: bool,
    is_raw: bool,
    is_part: bool,
    is_supertypes: bool,
}

impl Roles {
    fn of(grammar: &Grammar, kind: &'static str) -> Roles {
        let fields = |all: &[(&'static str, &'static str)]| -> Vec<&'static str> {
            all.iter().filter(|(k, _)| *k == kind).map(|(_, field)| *field).collect()
        };
        Roles {
            name: kind,
            binders: grammar.binders.iter().filter(|b| b.0 == kind).map(|b| (b.1, b.2)).collect(),
            members: fields(grammar.members),
            class: fields(grammar.classes).first().copied(),
            call: fields(grammar.calls).first().copied(),
            creation: fields(grammar.creations).first().copied(),
            assignment: fields(grammar.assignments).first().copied(),
            is_function: grammar.functions.contains(&kind),
            is_lambda: grammar.lambdas.contains(&kind),
            is_loop: grammar.loops.contains(&kind),
            is_switch: grammar.switches.contains(&kind),
            is_block: grammar.blocks.contains(&kind),
            is_raw: grammar.raw.contains(&kind),
            is_part: grammar.parts.contains(&kind),
            is_supertypes: grammar.supertypes.contains(&kind),
        }
    }
}

impl<'a> Reader<'a> {
    /// Reads all facts of one version of the file that has a path in it.
    pub(super) fn read(
        read: &'a mut Read,
        number: u32,
        path: &[u8],
        tree: &'a Tree,
        side: &'a Side<'a>,
        grammar: &'static Grammar,
    ) {
        let file = file_scope(&mut read.facts, number);
        let mut reader = Reader {
            read,
            tree,
            side,
            grammar,
            kinds: HashMap::new(),
            inner: Vec::with_capacity(tree.len()),
            function: Vec::with_capacity(tree.len()),
            class: Vec::with_capacity(tree.len()),
            is_bound: vec![false; tree.len()],
            written: HashSet::new(),
            number,
            is_old: side.is_old(),
            file,
            top: file,
        };
        reader.top = reader.find_top(path);
        let top = reader.top;
        reader.read.laws.inside.push((file, top));
        reader.find_scopes();
        reader.imports(path);
        reader.names();
        reader.classes();
        reader.flow();
        reader.unpacking();
        reader.structure();
    }

    /// The scope of what stands at the top of the file.
    fn find_top(&mut self, path: &[u8]) -> Scope {
        let folder = &path[..path.iter().rposition(|&b| b == b'/').unwrap_or(0)];
        match self.grammar.reach {
            Reach::File => self.file,
            // C and C++ see each other's headers.
            Reach::World => self.scope(&[b"world"]),
            Reach::Folder => self.scope(&[b"folder ", folder]),
            Reach::Package => {
                let package = self.children_of(0).find(|&n| self.tree.kind_name(n) == "package_declaration");
                let named = package.and_then(|p| self.tree.children(p).find(|&n| self.tree.is_named(n)));
                let named = named.map(|n| self.tree.spelled(n).to_vec()).unwrap_or_default();
                let scope = self.scope(&[b"package ", &named]);
                if let Some(package) = package {
                    let fact = self.fact_of(package, [package]);
                    let name = self.read.facts.name(&named);
                    self.read.laws.packaged.push((fact, self.file, name));
                }
                let module = self.read.facts.name(&named);
                self.read.laws.module.push((scope, module));
                scope
            }
        }
    }

    fn find_scopes(&mut self) {
        for node in 0..self.tree.len() as Node {
            let roles = self.roles(node);
            let parent = self.tree.parent(node);
            let around = parent.map_or(self.file, |p| self.inner[p as usize]);
            let (function, class) = match parent {
                Some(p) => (self.function[p as usize], self.class[p as usize]),
                None => (None, None),
            };
            let is_class = roles.class.is_some() && self.has_members(node);
            self.class.push(if is_class { Some(node) } else { class });
            let is_function = roles.is_function || roles.is_lambda;
            self.function.push(match (is_function, is_class) {
                (true, _) => Some(node),
                (_, true) => None,
                _ => function,
            });
            let inner = match () {
                _ if is_class => self.class_scope(node, around),
                _ if roles.is_function => {
                    let owner = self.owner(node, around);
                    let name = self.name_token(node).map(|n| self.tree.spelled(n).to_vec());
                    self.scope(&[b"function ", &owner.to_be_bytes(), &name.unwrap_or_default()])
                }
                _ if roles.is_lambda => self.scope(&[b"lambda ", &around.to_be_bytes()]),
                _ => around,
            };
            if inner != around {
                self.read.laws.inside.push((inner, around));
                let owner = self.owner(node, around);
                if roles.is_function && owner != around {
                    self.read.laws.inside.push((inner, owner));
                }
            }
            self.inner.push(inner);
        }
    }

    /// A type that is only mentioned, as in `struct point p;`, has no members.
    fn has_members(&self, node: Node) -> bool {
        self.grammar.reach != Reach::World || self.tree.child(node, "body").is_some()
    }

    fn class_scope(&mut self, node: Node, around: Scope) -> Scope {
        match self.class_name(node) {
            Some(name) => self.named_class(&name),
            None => self.scope(&[b"nameless ", &around.to_be_bytes()]),
        }
    }

    /// The members of a class, whichever file names it.
    fn named_class(&mut self, name: &[u8]) -> Scope {
        self.scope(&[b"class ", name])
    }

    fn class_name(&self, node: Node) -> Option<Vec<u8>> {
        let field = Roles::of(self.grammar, self.tree.kind_name(node)).class?;
        let named = self.tree.child(node, field)?;
        let token = self.tree.subtree(named).find(|&n| self.is_name(n))?;
        Some(self.tree.spelled(token).to_vec())
    }

    /// The scope a function belongs to: the class that it names itself in C++ and Go, or what is around it.
    fn owner(&mut self, node: Node, around: Scope) -> Scope {
        if let Some(receiver) = self.tree.child(node, "receiver") {
            let class = self.tree.subtree(receiver).find(|&n| self.tree.kind_name(n) == "type_identifier");
            return class.map_or(around, |n| self.named_class(self.tree.spelled(n)));
        }
        match self.qualifier(node) {
            Some(n) => self.named_class(self.tree.spelled(n)),
            None => around,
        }
    }

    /// `Class` in a definition of `Class::member`.
    fn qualifier(&self, function: Node) -> Option<Node> {
        let signature = self.signature(function)?;
        let named = self.tree.child(signature, "declarator")?;
        (self.tree.kind_name(named) == "qualified_identifier").then(|| self.tree.child(named, "scope"))?
    }

    /// The node with the parameters of a function, which C wraps in declarators.
    fn signature(&self, function: Node) -> Option<Node> {
        let mut node = function;
        loop {
            if self.tree.child(node, "parameters").is_some() {
                return Some(node);
            }
            node = self.tree.child(node, "declarator")?;
        }
    }

    fn name_token(&self, node: Node) -> Option<Node> {
        if let Some(name) = self.tree.child(node, "name") {
            return self.tree.subtree(name).find(|&n| self.is_name(n));
        }
        let named = self.tree.child(self.signature(node)?, "declarator")?;
        self.last_name(named)
    }

    /// The last name in a subtree: of `a.b.c`, that is `c`.
    fn last_name(&self, node: Node) -> Option<Node> {
        self.tree.subtree(node).rfind(|&n| self.is_name(n))
    }

    fn is_name(&self, node: Node) -> bool {
        let kind = self.tree.kind_name(node);
        self.tree.is_token(node) && (kind.ends_with("identifier") || kind == "label_name")
    }

    fn roles(&mut self, node: Node) -> Rc<Roles> {
        let (grammar, kind) = (self.grammar, self.tree.kind_name(node));
        let roles =
            self.kinds.entry(self.tree.kind(node)).or_insert_with(|| Rc::new(Roles::of(grammar, kind)));
        Rc::clone(roles)
    }

    fn scope(&mut self, parts: &[&[u8]]) -> Scope {
        self.read.facts.name(&parts.concat())
    }

    fn name(&mut self, node: Node) -> Name {
        self.read.facts.name(self.tree.spelled(node))
    }

    /// The scope in which a node stands.
    fn around(&self, node: Node) -> Scope {
        self.tree.parent(node).map_or(self.file, |p| self.inner[p as usize])
    }

    /// The scope in which a node stands, or the one that all see if it stands at the top.
    fn seen_from(&self, node: Node) -> Scope {
        let around = self.around(node);
        if around == self.file { self.top } else { around }
    }

    fn children_of(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        self.tree.children(node)
    }

    fn named_children(&self, node: Node) -> Vec<Node> {
        self.tree.children(node).filter(|&n| self.tree.is_named(n)).collect()
    }

    fn first_token(&self, node: Node) -> Node {
        self.tree.tokens(node).next().unwrap_or(node)
    }

    /// A fact that is read at a node and true where all of some nodes are there.
    fn fact_of(&mut self, at: Node, also: impl IntoIterator<Item = Node>) -> Fact {
        let also: Vec<Literal> =
            also.into_iter().flat_map(|node| self.side.condition(&self.tree.bytes(node))).collect();
        self.fact_under(at, also)
    }

    /// A fact that is read at a node and true under a condition besides.
    fn fact_under(&mut self, at: Node, also: Vec<Literal>) -> Fact {
        let at = self.first_token(at);
        let mut condition = also;
        condition.extend(self.side.condition(&self.tree.bytes(at)));
        self.read.facts.fact(self.side.spot(self.tree.bytes(at).start), condition)
    }

    /// The condition under which a list has the parts that it has, and no others.
    fn shape(&self, list: Node) -> Vec<Literal> {
        let children: Vec<Node> = self.tree.children(list).collect();
        let firsts = children.iter().map(|&child| self.first_token(child));
        let mut shape: Vec<Literal> =
            firsts.flat_map(|token| self.side.condition(&self.tree.bytes(token))).collect();
        for pair in children.windows(2) {
            shape.extend(self.absent_between(pair[0], pair[1]).map(|(_, literal)| literal));
        }
        shape
    }

    /// What the other version has between two nodes, and the condition under which it is not there.
    fn absent_between(&self, a: Node, b: Node) -> impl Iterator<Item = (&[u8], Literal)> + '_ {
        let end = self.tree.bytes(a).end.saturating_sub(1);
        self.side.absent_between(end, self.tree.bytes(b).start)
    }

    /// The fact that a token is there.
    fn fact(&mut self, at: Node) -> Fact {
        self.fact_of(at, [])
    }

    /// Notes that something about a name depends on changes, if it does.
    fn heat(&mut self, fact: Fact, name: Name) -> Fact {
        if !self.read.facts.is_kept(fact) {
            self.read.hot.insert(name);
        }
        fact
    }

    fn is_law(&self, rule: Rule) -> bool {
        rule.is_law_of(self.grammar.language)
    }

    /// The modifier of a declaration that reads like `text`.
    fn modifier(&self, node: Node, text: &str) -> Option<Node> {
        let is_it = |&n: &Node| self.tree.is_token(n) && self.tree.spelled(n) == text.as_bytes();
        let direct = self.tree.children(node).find(is_it);
        let modifiers = self.tree.children(node).filter(|&n| self.tree.kind_name(n).ends_with("modifiers"));
        direct.or_else(|| modifiers.flat_map(|n| self.tree.subtree(n)).find(is_it))
    }
}
