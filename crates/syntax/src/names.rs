//! What names mean by where they stand: which identifier defines something, which uses it, and of what sort.
//!
//! A profile lists places, read from the outside in:
//!
//! ```text
//! field = ["field_declaration > variable_declarator.name"]
//! ```
//!
//! says that the `name` of a `variable_declarator` right in a `field_declaration` defines a field. From a
//! name one goes up; places that only stand between (`*` of `int *p`, the pattern of `let (a, b)`) are gone
//! through. Of the places that fit the nearest counts, then the one that says most. `^` after a place asks
//! for the first named child there and `$` for the last, ` +kind` asks that the node has such a field and `
//! !kind` that it has none. A name that fits nowhere is used, and what it names is not known by syntax alone.
//!
//! This is no name resolution. Who looks for the definition of a use finds all of that name, and may look at
//! scopes; that errs to the safe side where syntax cannot tell.

use crate::kinds::Kinds;
use crate::profile::{Profile, Role};
use crate::tree::{Kind, Node, Tree};
use std::collections::{HashMap, HashSet};

/// A sort of thing that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Entity {
    /// A class, interface, struct, alias, type parameter.
    Type,
    /// A function, method, constructor.
    Function,
    /// A member that holds a value: a field, a property, a key.
    Field,
    /// A variable or constant.
    Variable,
    /// A parameter of a function.
    Parameter,
    /// A label of a statement.
    Label,
    /// What an import makes known.
    Import,
    /// A macro.
    Macro,
    /// A constant of an enumeration.
    EnumConstant,
    /// A namespace, package or module.
    Module,
    /// Not known by syntax; only uses are so.
    Unknown,
}

/// A name in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The token.
    pub node: Node,
    /// What it names.
    pub entity: Entity,
    /// The node that defines it, such as a method or a declarator; none for a use.
    pub definition: Option<Node>,
}

/// The places of a language, by number.
pub(crate) struct Places {
    through: HashSet<(u16, u16)>,
    rules: HashMap<u16, Vec<Rule>>,
}

struct Rule {
    /// From the inside out.
    steps: Vec<Step>,
    /// None for an identifier that is no name.
    entity: Option<Entity>,
    is_definition: bool,
}

#[derive(Clone, Copy)]
struct Step {
    kind: u16,
    /// 0 for any.
    field: u16,
    is_first: bool,
    is_last: bool,
    /// A field that the node must have or lack.
    asks: Option<(u16, bool)>,
}

const ANY: u16 = 0;

impl Places {
    pub(crate) fn new(profile: &Profile, kinds: &Kinds) -> Places {
        let mut places = Places { through: HashSet::new(), rules: HashMap::new() };
        for step in profile.through.iter().filter_map(|place| Step::read(place, kinds)) {
            places.through.insert((step.kind, step.field));
        }
        for (map, is_definition) in [(&profile.definitions, true), (&profile.uses, false)] {
            for (entity, list) in map {
                let entity = Entity::read(entity);
                list.iter().for_each(|place| places.add(place, Some(entity), is_definition, kinds));
            }
        }
        profile.ignored.iter().for_each(|place| places.add(place, None, false, kinds));
        for rules in places.rules.values_mut() {
            // The longer says more, and so does a field, and so does what is asked of the node.
            rules.sort_by_key(|rule| {
                let inner = rule.steps[0];
                (usize::MAX - rule.steps.len(), inner.field == ANY, inner.asks.is_none(), !rule.is_definition)
            });
        }
        places
    }

    /// Adds a place, unless the grammar lacks what it names.
    fn add(&mut self, place: &str, entity: Option<Entity>, is_definition: bool, kinds: &Kinds) {
        let steps: Option<Vec<Step>> = place.split(" > ").map(|step| Step::read(step, kinds)).collect();
        if let Some(mut steps) = steps {
            steps.reverse();
            self.rules.entry(steps[0].kind).or_default().push(Rule { steps, entity, is_definition });
        }
    }

    pub(crate) fn defines(&self, entity: Entity) -> bool {
        self.rules.values().flatten().any(|rule| rule.is_definition && rule.entity == Some(entity))
    }

    fn is_through(&self, kind: u16, field: u16) -> bool {
        self.through.contains(&(kind, ANY)) || self.through.contains(&(kind, field))
    }
}

impl Step {
    /// Reads `kind`, `kind.field` and what may follow either.
    fn read(step: &str, kinds: &Kinds) -> Option<Step> {
        let (step, asks) = match step.split_once(' ') {
            Some((step, asked)) => {
                let field = kinds.field_number(asked.trim_start_matches(['!', '+']))?;
                (step, Some((field, asked.starts_with('+'))))
            }
            None => (step, None),
        };
        let place = step.trim_end_matches(['^', '$']);
        let (kind, field) = place.split_once('.').unwrap_or((place, ""));
        let field = if field.is_empty() { ANY } else { kinds.field_number(field)? };
        let (is_first, is_last) = (step.contains('^'), step.contains('$'));
        Some(Step { kind: kinds.number(kind, true)?, field, is_first, is_last, asks })
    }

    fn fits(self, tree: &Tree, parent: Node, child: Node) -> bool {
        let named = || tree.children(parent).filter(|&child| tree.is_named(child));
        tree.kind(parent) == Kind::new(self.kind)
            && (self.field == ANY || tree.field_number(child) == self.field)
            && (!self.is_first || named().next() == Some(child))
            && (!self.is_last || named().last() == Some(child))
            && self.asks.is_none_or(|(field, has)| {
                tree.children(parent).any(|other| tree.field_number(other) == field) == has
            })
    }
}

impl Entity {
    fn read(name: &str) -> Entity {
        match name {
            "type" => Entity::Type,
            "function" => Entity::Function,
            "field" => Entity::Field,
            "variable" => Entity::Variable,
            "parameter" => Entity::Parameter,
            "label" => Entity::Label,
            "import" => Entity::Import,
            "macro" => Entity::Macro,
            "enum_constant" => Entity::EnumConstant,
            "module" => Entity::Module,
            "unknown" => Entity::Unknown,
            _ => panic!("a profile names the sort of entity `{name}`, which there is not"),
        }
    }
}

impl Rule {
    /// The outermost node of the place, if it fits a node in its parent.
    fn fits(&self, tree: &Tree, places: &Places, parent: Node, child: Node) -> Option<Node> {
        let (mut parent, mut child) = (parent, child);
        for (at, step) in self.steps.iter().enumerate() {
            if at > 0 {
                (parent, child) = (tree.parent(parent)?, parent);
                while !step.fits(tree, parent, child) {
                    if !places.is_through(tree.kind(parent).index()?, tree.field_number(child)) {
                        return None;
                    }
                    (parent, child) = (tree.parent(parent)?, parent);
                }
            } else if !step.fits(tree, parent, child) {
                return None;
            }
        }
        Some(parent)
    }
}

impl Tree {
    /// What a token names, by where it stands; none if it is no identifier, or no name.
    pub fn name(&self, node: Node) -> Option<Name> {
        if self.role(node) != Role::Identifier || !self.is_token(node) {
            return None;
        }
        let places = self.language().places();
        let mut child = node;
        while let Some(parent) = self.parent(child) {
            let Some(kind) = self.kind(parent).index() else { break };
            for rule in places.rules.get(&kind).into_iter().flatten() {
                if let Some(outer) = rule.fits(self, places, parent, child) {
                    let definition = rule.is_definition.then_some(outer);
                    return rule.entity.map(|entity| Name { node, entity, definition });
                }
            }
            if !places.is_through(kind, self.field_number(child)) {
                break;
            }
            child = parent;
        }
        Some(Name { node, entity: Entity::Unknown, definition: None })
    }

    /// All names in a subtree, in order.
    pub fn names(&self, node: Node) -> impl Iterator<Item = Name> + '_ {
        self.subtree(node).filter_map(|node| self.name(node))
    }

    /// The names that are defined in a subtree, in order.
    pub fn definitions(&self, node: Node) -> impl Iterator<Item = Name> + '_ {
        self.names(node).filter(|name| name.definition.is_some())
    }

    /// The names that are used in a subtree, in order.
    pub fn uses(&self, node: Node) -> impl Iterator<Item = Name> + '_ {
        self.names(node).filter(|name| name.definition.is_none())
    }

    /// The innermost node around a node outside which names defined there are not known; the root at last.
    pub fn scope(&self, node: Node) -> Node {
        let mut at = node;
        while let Some(parent) = self.parent(at) {
            at = parent;
            if self.kind(at).index().is_some_and(|kind| self.language().kinds().get(kind).is_scope) {
                break;
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;
    use Entity::*;

    /// The definitions of a text, each with its sort.
    #[track_caller]
    fn check(language: &str, text: &str, expected: &[(&str, Entity)]) {
        let tree = Tree::parse(Language::named(language).unwrap(), text.as_bytes().into());
        assert!(!tree.has_error(), "{text}");
        let found: Vec<(String, Entity)> = tree
            .definitions(0)
            .map(|name| (String::from_utf8_lossy(tree.spelled(name.node)).into_owned(), name.entity))
            .collect();
        let found: Vec<(&str, Entity)> =
            found.iter().map(|(name, entity)| (name.as_str(), *entity)).collect();
        assert_eq!(found, expected);
    }

    /// The uses of a text, each with its sort.
    #[track_caller]
    fn check_uses(language: &str, text: &str, expected: &[(&str, Entity)]) {
        let tree = Tree::parse(Language::named(language).unwrap(), text.as_bytes().into());
        let uses = tree
            .uses(0)
            .map(|name| (String::from_utf8_lossy(tree.spelled(name.node)).into_owned(), name.entity));
        let uses: Vec<(String, Entity)> = uses.collect();
        let uses: Vec<(&str, Entity)> = uses.iter().map(|(name, entity)| (name.as_str(), *entity)).collect();
        assert_eq!(uses, expected);
    }

    #[test]
    fn java_names() {
        check(
            "java",
            "package p.q; import a.b.C; import static a.D.e;
             class A<T> extends B { int x, y[] = {}; A(int p) { super(p); } void f(final String... s) throws E {
                 out: for (int i = 0; ; i++) { var z = i; break out; }
                 for (T t : all) try (R r = g()) { } catch (E1 | E2 e) { h((u, v) -> u, w -> 1); }
                 if (o instanceof String str) { }
             } }
             enum K { ONE, TWO } record P(int left) { } interface I { int M = 1; } @interface N { int value(); }",
            &[
                ("q", Module), ("C", Import), ("e", Import), ("A", Type), ("T", Type), ("x", Field), ("y", Field),
                ("A", Function), ("p", Parameter), ("f", Function), ("s", Parameter), ("out", Label), ("i", Variable),
                ("z", Variable), ("t", Variable), ("r", Variable), ("e", Variable), ("u", Parameter), ("v", Parameter),
                ("w", Parameter), ("str", Variable), ("K", Type), ("ONE", EnumConstant), ("TWO", EnumConstant),
                ("P", Type), ("left", Parameter), ("I", Type), ("M", Field), ("N", Type), ("value", Function),
            ],
        );
        check_uses(
            "java",
            "class A extends B { C f() throws D { g(h, this.i, j.k(), new L(1), M::n); continue o; } @P int q = r[0]; }",
            &[
                ("B", Type),
                ("C", Type),
                ("D", Type),
                ("g", Function),
                ("h", Unknown),
                ("i", Field),
                ("j", Unknown),
                ("k", Function),
                ("L", Type),
                ("M", Unknown),
                ("n", Function),
                ("o", Label),
                ("P", Type),
                ("r", Unknown),
            ],
        );
    }

    #[test]
    fn c_names() {
        check(
            "c",
            "#define MAX 1\n#define SQ(x) ((x)*(x))
             typedef struct node { int a, *b; int (*cb)(int q); unsigned f : 3; } node_t, *node_p;
             typedef int (*fn)(void); enum e { E1, E2 = 2 }; union u { int i; };
             static int *g(const char *s[], int (*cmp)(void *)), h = 1, (*k)(int z) = 0;
             int f(int n) { int i = 0, arr[3]; out: return i; }",
            &[
                ("MAX", Macro),
                ("SQ", Macro),
                ("x", Parameter),
                ("node", Type),
                ("a", Field),
                ("b", Field),
                ("cb", Field),
                ("q", Parameter),
                ("f", Field),
                ("node_t", Type),
                ("node_p", Type),
                ("fn", Type),
                ("e", Type),
                ("E1", EnumConstant),
                ("E2", EnumConstant),
                ("u", Type),
                ("i", Field),
                ("g", Function),
                ("s", Parameter),
                ("cmp", Parameter),
                ("h", Variable),
                ("k", Variable),
                ("z", Parameter),
                ("f", Function),
                ("n", Parameter),
                ("i", Variable),
                ("arr", Variable),
                ("out", Label),
            ],
        );
        check_uses(
            "c",
            "struct s v; t w; int x = y(z, a.b, c->d, sizeof(e)); void f(void) { goto g; struct k { int i; }; }\n#ifdef M\n#endif",
            &[
                ("s", Type),
                ("t", Type),
                ("y", Function),
                ("z", Unknown),
                ("a", Unknown),
                ("b", Field),
                ("c", Unknown),
                ("d", Field),
                ("e", Unknown),
                ("g", Label),
                ("M", Macro),
            ],
        );
    }

    #[test]
    fn cpp_names() {
        check(
            "cpp",
            "namespace ns { template <typename T, int N> class A : public B<T> { public: A(int p) : x(p) {} ~A();
                 int x; static void f(T& r, int d = 1); using type = T; enum class E { E1 }; int get() const { return x; } }; }
             template <> void ns::A<int>::f(int& r2, int) { auto [u, v] = g(); for (auto& w : all) { } auto l = [c = 1](int q) { }; }
             using std::swap; namespace sh = ns; concept_t y; typedef A<int> Ai;",
            &[
                ("ns", Module), ("T", Type), ("N", Parameter), ("A", Type), ("A", Function), ("p", Parameter),
                ("A", Function), ("x", Field), ("f", Function), ("r", Parameter), ("d", Parameter), ("type", Type),
                ("E", Type), ("E1", EnumConstant), ("get", Function), ("f", Function), ("r2", Parameter), ("u", Variable),
                ("v", Variable), ("w", Variable), ("l", Variable), ("c", Variable), ("q", Parameter), ("swap", Import),
                ("sh", Module), ("y", Variable), ("Ai", Type),
            ],
        );
        check_uses(
            "cpp",
            "int a = b::c(d.e(), f->g, new H(1), i<J>(k));",
            &[
                ("b", Module),
                ("c", Function),
                ("d", Unknown),
                ("e", Function),
                ("f", Unknown),
                ("g", Field),
                ("H", Type),
                ("i", Function),
                ("J", Type),
                ("k", Unknown),
            ],
        );
    }

    #[test]
    fn python_names() {
        check(
            "python",
            "import os.path, sys as s\nfrom a import b, c as d\nx, (y, *z) = 1, 2\nw: int = 3\n
class A(B):\n    f = 1\n    def m(self, p, q: int = 1, *r, k, **kw):\n        self.g = lambda t, u=1: t\n
for i, j in e:\n    with o() as h, n: pass\ntry: pass\nexcept E as ex: pass\n[c2 for c2 in l if c2]\nif (v := 1): pass
match w:\n    case [a1, *rest] if a1: pass\n    case P(x=n1) as whole: pass\ntype T = int\n",
            &[
                ("os", Import), ("s", Import), ("b", Import), ("d", Import), ("x", Variable), ("y", Variable),
                ("z", Variable), ("w", Variable), ("A", Type), ("f", Variable), ("m", Function), ("self", Parameter),
                ("p", Parameter), ("q", Parameter), ("r", Parameter), ("k", Parameter), ("kw", Parameter), ("g", Field),
                ("t", Parameter), ("u", Parameter), ("i", Variable), ("j", Variable), ("h", Variable), ("ex", Variable),
                ("c2", Variable), ("v", Variable), ("a1", Variable), ("rest", Variable), ("n1", Variable),
                ("whole", Variable), ("T", Type),
            ],
        );
        check_uses(
            "python",
            "@d\ndef f(): g(h, k=i, *j).l.m()\n",
            &[
                ("d", Unknown),
                ("g", Function),
                ("h", Unknown),
                ("k", Parameter),
                ("i", Unknown),
                ("j", Unknown),
                ("l", Field),
                ("m", Function),
            ],
        );
    }

    #[test]
    fn javascript_names() {
        check(
            "javascript",
            "import a, { b, c as d } from 'x'; import * as e from 'y';
             const { f, g: h, ...i } = o, [j = 1] = p; let k; var l = function m(n, { q = 1 }, ...r) { };
             function s() { t: for (const u of v) for (w in x) break t; }
             class A extends B { #y = 1; static z = 2; m1(p1) { } get m2() { } }
             const z1 = (q1) => q1, z2 = q2 => q2, ob = { k1: 1, m3() { } }; try { } catch (ex) { }",
            &[
                ("a", Import),
                ("b", Import),
                ("d", Import),
                ("e", Import),
                ("f", Variable),
                ("h", Variable),
                ("i", Variable),
                ("j", Variable),
                ("k", Variable),
                ("l", Variable),
                ("m", Function),
                ("n", Parameter),
                ("q", Parameter),
                ("r", Parameter),
                ("s", Function),
                ("t", Label),
                ("u", Variable),
                ("A", Type),
                ("#y", Field),
                ("z", Field),
                ("m1", Function),
                ("p1", Parameter),
                ("m2", Function),
                ("z1", Variable),
                ("q1", Parameter),
                ("z2", Variable),
                ("q2", Parameter),
                ("ob", Variable),
                ("k1", Field),
                ("m3", Function),
                ("ex", Variable),
            ],
        );
        check_uses(
            "javascript",
            "f(a, b.c, d.e(), new G(h)); ({ i, j: k }); class L extends M { } export { n as o };",
            &[
                ("f", Function),
                ("a", Unknown),
                ("b", Unknown),
                ("c", Field),
                ("d", Unknown),
                ("e", Function),
                ("G", Type),
                ("h", Unknown),
                ("i", Unknown),
                ("k", Unknown),
                ("M", Type),
                ("n", Unknown),
            ],
        );
    }

    #[test]
    fn typescript_names() {
        check(
            "typescript",
            "import type { A } from 'x'; import fs = require('fs'); type B<T> = T; interface C extends D { e: F; g(h: I): J; }
             enum K { L, M = 1 } namespace N { } abstract class O { private p: Q; constructor(public r: S, t?: U) { } abstract v(w: X): void; }
             declare function y(z: A): B; function f<G>(this: A, ...rest: B[]): x is C { }",
            &[
                ("A", Import), ("fs", Import), ("B", Type), ("T", Type), ("C", Type), ("e", Field), ("g", Function),
                ("h", Parameter), ("K", Type), ("L", EnumConstant), ("M", EnumConstant), ("N", Module), ("O", Type),
                ("p", Field), ("constructor", Function), ("r", Parameter), ("t", Parameter), ("v", Function),
                ("w", Parameter), ("y", Function), ("z", Parameter), ("f", Function), ("G", Type), ("rest", Parameter),
            ],
        );
        check_uses(
            "typescript",
            "let a: B.C<D> = e as F; class G extends H<I> implements J { }",
            &[
                ("B", Module),
                ("C", Type),
                ("D", Type),
                ("e", Unknown),
                ("F", Type),
                ("H", Type),
                ("I", Type),
                ("J", Type),
            ],
        );
    }

    #[test]
    fn rust_names() {
        check(
            "rust",
            "use a::b; use c::{d, e::f, g as h, self}; mod m { } extern crate q;
             struct S<'a, T> { x: T } enum E { A(u8), B { y: u8 } } trait Tr { type U; const C: u8; fn n(&self); }
             impl<V> Tr for S<V> { fn n(&self) { let (i, mut j) = k; let P { l, o: r } = s; if let Some(t) = u { } } }
             fn f<const N: usize>(v: u8, (w, z): W) { 'out: for c1 in d1 { } match e1 { f1 @ 1 | f1 => |g1, h1: u8| 1 } }
             macro_rules! mac { ($i:ident) => { } } static ST: u8 = 1; type Al = u8; union Un { un: u8 }",
            &[
                ("b", Import), ("d", Import), ("f", Import), ("h", Import), ("m", Module), ("q", Import), ("S", Type),
                ("T", Type), ("x", Field), ("E", Type), ("A", EnumConstant), ("B", EnumConstant), ("y", Field),
                ("Tr", Type), ("U", Type), ("C", Variable), ("n", Function), ("V", Type), ("n", Function),
                ("i", Variable), ("j", Variable), ("l", Variable), ("r", Variable), ("t", Variable), ("f", Function),
                ("N", Parameter), ("v", Parameter), ("w", Parameter), ("z", Parameter), ("c1", Variable),
                ("f1", Variable), ("f1", Variable), ("g1", Parameter), ("h1", Parameter), ("mac", Macro),
                ("ST", Variable), ("Al", Type), ("Un", Type), ("un", Field),
            ],
        );
        check_uses(
            "rust",
            "fn f() -> A { b(c, d.e, g.h(), I::j(), K { l: m, n }, o!(p)); q::<R>() }",
            &[
                ("A", Type),
                ("b", Function),
                ("c", Unknown),
                ("d", Unknown),
                ("e", Field),
                ("g", Unknown),
                ("h", Function),
                ("I", Unknown),
                ("j", Function),
                ("K", Type),
                ("l", Field),
                ("m", Unknown),
                ("n", Field),
                ("o", Macro),
                ("p", Unknown),
                ("q", Function),
                ("R", Type),
            ],
        );
    }

    #[test]
    fn go_names() {
        check(
            "go",
            "package p\nimport ( \"fmt\"; s \"strings\" )\nconst A, B = 1, 2\nvar c, d int\ntype E struct { f, g int; *H }
type I[T any] interface { J(k int) L }\ntype M = N\nfunc (r *E) o(q, u int, v ...W) (x int, err error) {
	y, z := 1, 2\n	for a1, b1 := range z {\n	}\nout:\n	for {\n		break out\n	}\n	switch t := y.(type) {\n	}\n	select {\n	case c1 := <-d1:\n	}\n}\n",
            &[
                ("p", Module), ("s", Import), ("A", Variable), ("B", Variable), ("c", Variable), ("d", Variable),
                ("E", Type), ("f", Field), ("g", Field), ("I", Type), ("T", Type), ("J", Function), ("k", Parameter),
                ("M", Type), ("r", Parameter), ("o", Function), ("q", Parameter), ("u", Parameter), ("v", Parameter),
                ("x", Parameter), ("err", Parameter), ("y", Variable), ("z", Variable), ("a1", Variable),
                ("b1", Variable), ("out", Label), ("t", Variable), ("c1", Variable),
            ],
        );
        check_uses(
            "go",
            "package p\nfunc f() a.B { c(d, e.g, h.i(), J{k: l}); goto m }\n",
            &[
                ("a", Module),
                ("B", Type),
                ("c", Function),
                ("d", Unknown),
                ("e", Unknown),
                ("g", Field),
                ("h", Unknown),
                ("i", Function),
                ("J", Type),
                ("k", Unknown),
                ("l", Unknown),
                ("m", Label),
            ],
        );
    }

    #[test]
    fn a_scope_is_what_names_are_not_known_outside_of() {
        let tree =
            Tree::parse(Language::named("java").unwrap(), b"class A { void f(int p) { int x; } }"[..].into());
        let scope = |name: &[u8]| {
            let name = tree.definitions(0).find(|one| tree.spelled(one.node) == name).unwrap();
            tree.kind_name(tree.scope(name.definition.unwrap()))
        };
        assert_eq!(scope(b"A"), "program");
        assert_eq!(scope(b"f"), "class_declaration");
        assert_eq!(scope(b"p"), "method_declaration");
        assert_eq!(scope(b"x"), "block");
    }
}
