//! What declarations and calls are made of: keys, signatures, supertypes, modifiers, imports.
//!
//! A profile gives paths downwards from a node: `parameters/*` are the named children of what fills the field
//! `parameters`, `(base_list)` the children of that kind, `~function_declarator` the node of that kind that
//! one comes to by going on through fields named `declarator`, and `@` the end of that way, which is a name.

use crate::language::Language;
use crate::names::Entity;
use crate::profile::Role;
use crate::tree::{Node, Tree};

/// What a function takes and gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The parameters in order.
    pub parameters: Vec<Node>,
    /// The type of the result, where it is written.
    pub result: Option<Node>,
}

/// A call of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The whole call.
    pub node: Node,
    /// The name of what is called, where it has one.
    pub name: Option<Node>,
    /// The arguments in order.
    pub arguments: Vec<Node>,
}

/// Fields that lead from what is called or imported to its name.
const NAMING: [&str; 6] = ["name", "field", "property", "attribute", "method", "function"];

/// Fields of a parameter that are no part of its type.
const DEFAULTS: [&str; 3] = ["value", "default_value", "right"];

impl Tree {
    /// What tells a declaration from its sisters, such as `area(int,String[])` for a method; none if it has
    /// nothing that could.
    pub fn key(&self, node: Node) -> Option<Vec<u8>> {
        let paths = self.language().profile().keys.get(self.kind_name(node))?;
        let mut key = Vec::new();
        for path in paths {
            if path == "()" {
                let Some(signature) = self.signature(node) else { continue };
                key.push(b'(');
                let types = signature.parameters.into_iter().map(|parameter| self.parameter_type(parameter));
                let types: Vec<Vec<u8>> = types.collect();
                key.extend(types.join(&b','));
                key.push(b')');
                continue;
            }
            for found in self.follow(node, path) {
                if !key.is_empty() {
                    key.push(b' ');
                }
                let text = self.joined(found);
                key.extend(text.strip_suffix(b";").unwrap_or(&text));
            }
        }
        (!key.is_empty()).then_some(key)
    }

    /// What a declaration of a function takes and gives; none if it declares no function.
    pub fn signature(&self, node: Node) -> Option<Signature> {
        let paths = self.language().profile().signatures.get(self.kind_name(node))?;
        let lists = self.follow(node, &paths.parameters);
        if lists.is_empty() && !paths.parameters.is_empty() {
            return None;
        }
        let parameters = lists.into_iter().flat_map(|list| self.arguments_in(list)).collect();
        Some(Signature { parameters, result: self.follow(node, &paths.result).first().copied() })
    }

    /// The text of a parameter without its name, its default and its modifiers: its type, where it has one.
    pub fn parameter_type(&self, parameter: Node) -> Vec<u8> {
        let mut text = Vec::new();
        let mut at = parameter;
        while at < self.subtree(parameter).end {
            let is_default = at != parameter && self.field(at).is_some_and(|field| DEFAULTS.contains(&field));
            if self.is_modifier(at) || is_default {
                at += self.size(at);
                continue;
            }
            let is_name = || self.name(at).is_some_and(|name| name.definition.is_some());
            if self.is_token(at) && !is_name() && self.spelled(at) != b"=" {
                push_token(&mut text, self.spelled(at));
            }
            at += 1;
        }
        text
    }

    /// The types that a declaration says it builds on.
    pub fn supertypes(&self, node: Node) -> Vec<Node> {
        let paths = self.language().profile().supertypes.get(self.kind_name(node));
        let types = paths.into_iter().flatten().flat_map(|path| self.follow(node, path));
        types.filter(|&node| !self.is_modifier(node)).collect()
    }

    /// The modifiers of a declaration, annotations among them.
    pub fn modifiers(&self, node: Node) -> Vec<Node> {
        let mut modifiers = Vec::new();
        for child in self.children(node).filter(|&child| self.is_modifier(child)) {
            match self.role(child) {
                Role::List => modifiers.extend(self.children(child)),
                _ => modifiers.push(child),
            }
        }
        modifiers
    }

    /// The nodes that import, in order, each with what it names.
    pub fn imports(&self) -> impl Iterator<Item = (Node, Vec<Node>)> + '_ {
        let imports = &self.language().profile().imports;
        (0..self.len() as Node).filter_map(move |node| {
            let paths = imports.get(self.kind_name(node)).filter(|_| self.is_named(node))?;
            let names: Vec<Node> = paths.iter().flat_map(|path| self.follow(node, path)).collect();
            (!names.is_empty()).then_some((node, names))
        })
    }

    /// The calls in a subtree, in order.
    pub fn calls(&self, node: Node) -> impl Iterator<Item = Call> + '_ {
        self.subtree(node).filter_map(|node| self.call(node))
    }

    /// The call that a node is.
    pub fn call(&self, node: Node) -> Option<Call> {
        if !self.is_named(node) {
            return None;
        }
        let paths = self.language().profile().calls.get(self.kind_name(node))?;
        let name = self.follow(node, &paths.name).first().and_then(|&called| self.last_name(called));
        let lists = self.follow(node, &paths.arguments);
        let arguments = lists.into_iter().flat_map(|list| self.arguments_in(list)).collect();
        Some(Call { node, name, arguments })
    }

    /// The members of a list of parameters or arguments; a node that is no list is its own only member.
    fn arguments_in(&self, list: Node) -> Vec<Node> {
        if self.role(list) != Role::List {
            return vec![list];
        }
        self.children(list).filter(|&child| self.is_named(child) && !self.is_modifier(child)).collect()
    }

    /// The name that an expression such as `a.b::c<D>` ends with.
    fn last_name(&self, node: Node) -> Option<Node> {
        let calls = &self.language().profile().calls;
        let mut at = node;
        while !self.is_token(at) {
            if calls.contains_key(self.kind_name(at)) {
                return None;
            }
            let named = NAMING.iter().find_map(|field| self.child(at, field));
            let is_name = |child: &Node| self.role(*child) == Role::Identifier;
            at = named.or_else(|| self.children(at).filter(is_name).last())?;
        }
        (self.role(at) == Role::Identifier).then_some(at)
    }

    /// The nodes at the end of a path.
    fn follow(&self, node: Node, path: &str) -> Vec<Node> {
        let mut found = vec![node];
        for step in path.split('/') {
            found = found.into_iter().flat_map(|node| self.step(node, step)).collect();
        }
        found
    }

    fn step(&self, node: Node, step: &str) -> Vec<Node> {
        let way = || std::iter::successors(Some(node), |&at| self.declarator(at));
        match step {
            "" => Vec::new(),
            "*" => self.children(node).filter(|&child| self.is_named(child)).collect(),
            "@" => way().last().into_iter().collect(),
            _ => match (step.strip_prefix('~'), step.strip_prefix('(')) {
                (Some(kind), _) => way().find(|&at| self.kind_name(at) == kind).into_iter().collect(),
                (_, Some(kind)) => {
                    let kind = kind.trim_end_matches(')');
                    self.children(node)
                        .filter(|&child| self.kind_name(child) == kind && self.is_named(child))
                        .collect()
                }
                _ => self.children(node).filter(|&child| self.field(child) == Some(step)).collect(),
            },
        }
    }

    /// The next declarator on the way to a name: `*p[3]`, then `p[3]`, then `p`.
    fn declarator(&self, node: Node) -> Option<Node> {
        let is_between = || self.kind_name(node).ends_with("_declarator");
        let named = |&child: &Node| self.is_named(child) && !self.is_modifier(child);
        self.child(node, "declarator").or_else(|| self.children(node).filter(|_| is_between()).find(named))
    }

    /// The tokens of a node in one line.
    fn joined(&self, node: Node) -> Vec<u8> {
        let mut text = Vec::new();
        self.tokens(node).for_each(|token| push_token(&mut text, self.spelled(token)));
        text
    }
}

/// Adds a token, with a space only where two words would become one.
fn push_token(text: &mut Vec<u8>, token: &[u8]) {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    if text.last().is_some_and(is_word) && token.first().is_some_and(is_word) {
        text.push(b' ');
    }
    text.extend_from_slice(token);
}

impl Language {
    /// Whether some of its declarations have keys.
    pub fn has_keys(self) -> bool {
        !self.profile().keys.is_empty()
    }

    /// Whether the definitions of a sort of entity are known for it.
    pub fn defines(self, entity: Entity) -> bool {
        self.places().defines(entity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(language: &str, text: &str) -> Tree {
        let tree = Tree::parse(Language::named(language).unwrap(), text.as_bytes().into());
        assert!(!tree.has_error(), "{text}");
        tree
    }

    /// The keys of all declarations of a text.
    #[track_caller]
    fn check(language: &str, text: &str, expected: &[&str]) {
        let tree = parse(language, text);
        let nodes = (0..tree.len() as Node).filter(|&node| tree.role(node) == Role::Declaration);
        let keys = nodes.filter_map(|node| tree.key(node)).map(|key| String::from_utf8(key).unwrap());
        assert_eq!(keys.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn keys_tell_members_from_their_sisters() {
        check(
            "java",
            "import a.B; class C { int x, y; C(int n) { } @A public int f(final int a, List<? extends T>... b) { } } enum E { K }",
            &["a.B", "C", "x y", "C(int)", "f(int,List<?extends T>...)", "E", "K"],
        );
        check(
            "c",
            "#include <a.h>\n#define M 1\nint *f(int a, char *b); struct s { int x : 1, *y; }; static int v[3], w = 1; enum { E };",
            &["<a.h>", "M", "f", "s", "x y", "v w", "E"],
        );
        check(
            "cpp",
            "namespace n { struct A { A(int); ~A(); int f(const B& b, int = 2) const; int operator+(A); }; } void n::A::g(char* s) {}",
            &["n", "A", "A(int)", "~A()", "f(const B&,int)", "operator+(A)", "n::A::g(char*)"],
        );
        check(
            "python",
            "import a\nclass A:\n    def f(self, x): pass\n    @p\n    def g(self): pass\n",
            &["import a", "A", "f", "g", "g"],
        );
        check(
            "typescript",
            "import a from 'b'; class A { x = 1; f(a: B) { } } const c = 1; function g() { } export function h() { } type T = 1; enum E { }",
            &["import a from'b'", "A", "x", "f", "c", "g", "h", "h", "T", "E"],
        );
        check(
            "rust",
            "use a::b; struct S { x: u8 } impl<T> Tr<T> for S { fn f(&self) { } } impl S { const C: u8 = 1; } enum E { A } macro_rules! m { () => { } }",
            &["a::b", "S", "x", "Tr<T> S", "f", "S", "C", "E", "A", "m"],
        );
        check(
            "go",
            "package p\nimport \"fmt\"\ntype T struct { a, b int }\nfunc (t *T) f(x int) { }\nfunc g() { }\nvar c, d int\n",
            &["p", "\"fmt\"", "T", "a b", "*T f", "g", "c d"],
        );
        check("json", "{ \"a\": { \"b\": 1 } }", &["\"a\"", "\"b\""]);
    }

    #[test]
    fn signatures_have_parameters_and_a_result() {
        for (language, text, kind, parameters, result) in [
            (
                "java",
                "class A { int f(int a, T... b) { } }",
                "method_declaration",
                &["int a", "T... b"][..],
                Some("int"),
            ),
            ("c", "char *f(int a, char *b) { }", "function_definition", &["int a", "char *b"], Some("char")),
            (
                "python",
                "def f(a, b: int = 1) -> str: pass",
                "function_definition",
                &["a", "b: int = 1"],
                Some("str"),
            ),
            ("rust", "fn f(&self, a: u8) -> u16 { }", "function_item", &["&self", "a: u8"], Some("u16")),
            (
                "go",
                "package p; func f(a, b int) string { }",
                "function_declaration",
                &["a, b int"],
                Some("string"),
            ),
            ("javascript", "function f(a, b = 1) { }", "function_declaration", &["a", "b = 1"], None),
        ] {
            let tree = parse(language, text);
            let node = (0..tree.len() as Node).find(|&node| tree.kind_name(node) == kind).unwrap();
            let signature = tree.signature(node).unwrap();
            let spelled = |&node: &Node| std::str::from_utf8(tree.spelled(node)).unwrap().to_owned();
            assert_eq!(signature.parameters.iter().map(spelled).collect::<Vec<_>>(), parameters, "{text}");
            assert_eq!(signature.result.as_ref().map(spelled).as_deref(), result, "{text}");
        }
    }

    #[test]
    fn calls_have_a_name_and_arguments() {
        for (language, text, expected) in [
            (
                "java",
                "class A { A() { super(1); } void f() { a.g(1, h()); new B<C>(2) { }; } }",
                "?/1 g/2 h/0 B/1",
            ),
            ("c", "int x = f(1, p->g(2)) + (*h)();", "f/2 g/1 ?/0"),
            ("cpp", "auto x = n::f<T>(1, a.g<U>(2), new B(3, 4));", "f/3 g/1 B/2"),
            ("python", "a.f(1, *b, c=2)(3); g(x for x in y)", "?/1 f/3 g/1"),
            ("javascript", "a.f(1, ...b); new C(); g`x`; h?.(1)", "f/2 C/0 g/1 h/1"),
            ("typescript", "f<T>(1); a!.g()", "f/1 g/0"),
            ("rust", "fn m() { a::f::<T>(1, b.g(2)); p!(3); S(4) }", "f/2 g/1 p/? S/1"),
            ("go", "package p; func m() { a.f(1, b...); g(2) }", "f/2 g/1"),
        ] {
            let tree = parse(language, text);
            let calls = tree.calls(0).map(|call| {
                let name = call.name.map_or("?".into(), |name| String::from_utf8_lossy(tree.spelled(name)));
                let is_macro = tree.kind_name(call.node) == "macro_invocation";
                let arity = if is_macro { "?".to_owned() } else { call.arguments.len().to_string() };
                format!("{name}/{arity}")
            });
            assert_eq!(calls.collect::<Vec<_>>().join(" "), expected, "{text}");
        }
    }

    #[test]
    fn supertypes_modifiers_and_imports_are_found() {
        let spelled = |tree: &Tree, nodes: &[Node]| {
            nodes
                .iter()
                .map(|&node| String::from_utf8_lossy(tree.spelled(node)).into_owned())
                .collect::<Vec<_>>()
                .join(" | ")
        };
        for (language, text, kind, supertypes, modifiers) in [
            (
                "java",
                "@X public class A extends B<C> implements D, E { }",
                "class_declaration",
                "B<C> | D | E",
                "@X | public",
            ),
            ("java", "interface A extends B { }", "interface_declaration", "B", ""),
            ("cpp", "class A : public B, C<D> { };", "class_specifier", "B | C<D>", ""),
            ("python", "class A(B, c.D, metaclass=M): pass", "class_definition", "B | c.D | metaclass=M", ""),
            ("javascript", "class A extends b.C { }", "class_declaration", "b.C", ""),
            (
                "typescript",
                "abstract class A extends B<C> implements D { }",
                "abstract_class_declaration",
                "B | D",
                "",
            ),
            ("typescript", "interface A extends B, C<D> { }", "interface_declaration", "B | C<D>", ""),
            ("rust", "pub(crate) trait A: B + C { }", "trait_item", "B | C", "pub(crate)"),
            ("c", "static inline int f(void) { }", "function_definition", "", "static | inline"),
        ] {
            let tree = parse(language, text);
            let node = (0..tree.len() as Node).find(|&node| tree.kind_name(node) == kind).unwrap();
            assert_eq!(spelled(&tree, &tree.supertypes(node)), supertypes, "{text}");
            assert_eq!(spelled(&tree, &tree.modifiers(node)), modifiers, "{text}");
        }
        for (language, text, expected) in [
            ("java", "import a.B; import static c.D.*;", "a.B / c.D | *"),
            ("c", "#include <a.h>\n#include \"b.h\"\n", "<a.h> / \"b.h\""),
            ("python", "import a.b as c, d\nfrom .e import f\n", "a.b as c | d / .e"),
            ("javascript", "import a from 'b'; export { c } from 'd'; export { e };", "'b' / 'd'"),
            ("rust", "use a::{b, c};", "a::{b, c}"),
            ("go", "package p\nimport ( \"a\"; b \"c\" )", "\"a\" / \"c\""),
        ] {
            let tree = parse(language, text);
            let imports: Vec<String> = tree.imports().map(|(_, names)| spelled(&tree, &names)).collect();
            assert_eq!(imports.join(" / "), expected, "{text}");
        }
    }
}
