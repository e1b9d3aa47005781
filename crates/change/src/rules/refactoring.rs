//! Changes that belong together because they are one refactoring.
//!
//! DDJ finds refactorings by Fowler's definitions as queries over tree edits. Here they are read from declarations: what
//! is declared in one version only is paired with what is declared in the other only, by place (a rename), by name (a
//! move), or by text (an extraction). What must change together to build follows from the other rules already; a
//! refactoring tells why, and couples, weakly, what builds alone but makes sense only together: the call of an extracted
//! method and the statements that it replaces.

use super::fact::{Fact, Name};
use super::grammar::Entity;
use super::laws::Scope;
use super::reader::{Declaration, Read};
use super::{Rule, Ruled};
use crate::change::Kind;
use crate::patchwork::Patchwork;
use crate::weave::Literal;
use nub_search::Coupling;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Refactored {
    /// A local variable or parameter got another name.
    RenameLocal,
    /// A field or global variable got another name.
    RenameField,
    /// A function or method got another name.
    RenameMethod,
    /// A class or type got another name.
    RenameClass,
    /// A function takes one more argument.
    AddParameter,
    /// A function takes one argument less.
    RemoveParameter,
    /// A function takes its arguments in another order.
    ReorderParameters,
    /// Statements became a function.
    ExtractMethod,
    /// A function became statements.
    InlineMethod,
    /// An expression became a variable.
    ExtractVariable,
    /// A variable became an expression.
    InlineVariable,
    /// A member went to another class.
    MoveMember,
    /// A member went to a superclass.
    PullUpMember,
    /// A member went to a subclass.
    PushDownMember,
    /// A class went to another file.
    MoveClass,
    /// A file went to another path.
    MoveFile,
}

impl fmt::Display for Refactored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Refactored::RenameLocal => "rename local variable",
            Refactored::RenameField => "rename field",
            Refactored::RenameMethod => "rename method",
            Refactored::RenameClass => "rename class",
            Refactored::AddParameter => "add parameter",
            Refactored::RemoveParameter => "remove parameter",
            Refactored::ReorderParameters => "reorder parameters",
            Refactored::ExtractMethod => "extract method",
            Refactored::InlineMethod => "inline method",
            Refactored::ExtractVariable => "extract variable",
            Refactored::InlineVariable => "inline variable",
            Refactored::MoveMember => "move member",
            Refactored::PullUpMember => "pull up member",
            Refactored::PushDownMember => "push down member",
            Refactored::MoveClass => "move class",
            Refactored::MoveFile => "move file",
        })
    }
}

/// One refactoring between two versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refactoring {
    /// What was done.
    pub kind: Refactored,
    /// To what: names, as in ``` `old` to `new` ```.
    pub what: String,
    /// The changes that do it, ascending.
    pub changes: Vec<u32>,
}

/// More changes than these are more than one refactoring.
const LARGE: usize = 8;

impl Refactoring {
    /// Each change needs the next, and the last the first.
    ///
    /// What a rename or another parameter needs to build is known from the other rules, and may be less than all.
    pub(super) fn ring(&self) -> Vec<Ruled> {
        let by_rules = matches!(
            self.kind,
            Refactored::RenameLocal
                | Refactored::RenameField
                | Refactored::RenameMethod
                | Refactored::RenameClass
                | Refactored::AddParameter
                | Refactored::RemoveParameter
                | Refactored::ReorderParameters
        );
        if by_rules || !(2..=LARGE).contains(&self.changes.len()) {
            return Vec::new();
        }
        let rule = Rule::Refactored;
        let couple = |(&dependent, &needed): (&u32, &u32)| Ruled {
            coupling: Coupling { dependent, needed, probability: rule.prior() },
            rule,
        };
        self.changes.iter().zip(self.changes.iter().cycle().skip(1)).map(couple).collect()
    }
}

/// Of so many declarations of a name none is paired with another.
const COMMON: usize = 8;
/// A shorter text says nothing about where it came from.
const TELLING: usize = 6;

/// The refactorings between two versions, by kind.
pub fn refactorings(patchwork: &Patchwork) -> Vec<Refactoring> {
    of_read(patchwork, &super::read(patchwork))
}

pub(super) fn of_read(patchwork: &Patchwork, read: &Read) -> Vec<Refactoring> {
    let finder = Finder::new(patchwork, read);
    let mut found = finder.renames();
    found.extend(finder.parameters());
    found.extend(finder.moves());
    found.extend(finder.methods());
    found.extend(finder.variables());
    found.extend(moved_files(patchwork));
    found.retain(|refactoring| !refactoring.changes.is_empty());
    found.sort_by(|a, b| (a.kind, &a.what, &a.changes).cmp(&(b.kind, &b.what, &b.changes)));
    found.dedup();
    found
}

/// Declarations of the old version and of the new.
type Both<'a> = (Vec<&'a Declaration>, Vec<&'a Declaration>);

struct Finder<'a> {
    patchwork: &'a Patchwork,
    read: &'a Read,
    /// Declarations of the old version that the new one lacks.
    gone: Vec<&'a Declaration>,
    /// Declarations of the new version that the old one lacks.
    come: Vec<&'a Declaration>,
    uses: HashMap<Name, Vec<Fact>>,
}

impl<'a> Finder<'a> {
    fn new(patchwork: &'a Patchwork, read: &'a Read) -> Finder<'a> {
        let key = |d: &Declaration| (d.entity, d.name, d.scope);
        let keys = |is_old: bool| -> HashSet<_> {
            read.declarations.iter().filter(|d| d.is_old == is_old).map(key).collect()
        };
        let (old, new) = (keys(true), keys(false));
        let only = |is_old: bool, other: &HashSet<_>| -> Vec<&'a Declaration> {
            let all = read.declarations.iter().filter(|d| d.is_old == is_old && !other.contains(&key(d)));
            all.filter(|d| !read.facts.is_kept(d.fact)).collect()
        };
        let (gone, come) = (only(true, &new), only(false, &old));
        let mut uses: HashMap<Name, Vec<Fact>> = HashMap::new();
        let laws = &read.laws;
        let all = laws.uses.iter().map(|u| (u.0, u.2)).chain(laws.uses_member.iter().copied());
        for (fact, name) in all.filter(|(fact, _)| !read.facts.is_kept(*fact)) {
            uses.entry(name).or_default().push(fact);
        }
        Finder { patchwork, read, gone, come, uses }
    }

    /// Where the name was changed by the same change, and nothing else of that sort.
    fn renames(&self) -> Vec<Refactoring> {
        let mut places: BTreeMap<(u32, Vec<u32>, u8, bool), Both<'_>> = BTreeMap::new();
        let place = |d: &Declaration| (d.file, self.changes_of(d.fact), d.entity as u8, d.is_local);
        self.gone.iter().for_each(|d| places.entry(place(d)).or_default().0.push(d));
        self.come.iter().for_each(|d| places.entry(place(d)).or_default().1.push(d));
        let pairs = places.into_values().filter(|(old, new)| old.len() == new.len());
        let pairs = pairs.flat_map(|(old, new)| old.into_iter().zip(new)).filter(|(a, b)| a.name != b.name);
        pairs
            .filter_map(|(old, new)| {
                let kind = match (old.entity, old.is_local) {
                    (Entity::Variable, true) | (Entity::Parameter, _) => Refactored::RenameLocal,
                    (Entity::Variable, false) => Refactored::RenameField,
                    (Entity::Function, _) => Refactored::RenameMethod,
                    (Entity::Type, _) => Refactored::RenameClass,
                    _ => return None,
                };
                let facts = self.uses_of(old.name).chain(self.uses_of(new.name)).chain([old.fact, new.fact]);
                Some(self.refactoring(kind, self.to(old.name, new.name), facts))
            })
            .collect()
    }

    /// What functions take that have the same name in both versions.
    fn parameters(&self) -> Vec<Refactoring> {
        let mut lists: BTreeMap<Scope, [Vec<&Declaration>; 2]> = BTreeMap::new();
        for d in self.read.declarations.iter().filter(|d| d.entity == Entity::Parameter) {
            lists.entry(d.scope).or_default()[usize::from(!d.is_old)].push(d);
        }
        let functions = |is_old: bool| -> HashSet<Name> {
            let all =
                self.read.declarations.iter().filter(|d| d.entity == Entity::Function && d.is_old == is_old);
            all.map(|d| d.name).collect()
        };
        let (was, is) = (functions(true), functions(false));
        let names = self.read.laws.function.iter().map(|f| (f.0, f.1));
        let names: HashMap<Scope, Name> = names.filter(|(_, n)| was.contains(n) && is.contains(n)).collect();
        let mut found = Vec::new();
        for (scope, [old, new]) in lists {
            let Some(&function) = names.get(&scope) else { continue };
            let list = |all: &[&Declaration]| all.iter().map(|d| d.name).collect::<Vec<Name>>();
            let (before, after) = (list(&old), list(&new));
            let calls = || self.uses_of(function);
            let sorted = |mut all: Vec<Name>| {
                all.sort_unstable();
                all
            };
            if before != after && sorted(before.clone()) == sorted(after.clone()) {
                let facts = old.iter().chain(&new).map(|d| d.fact).filter(|f| !self.read.facts.is_kept(*f));
                found.push(self.refactoring(
                    Refactored::ReorderParameters,
                    self.name(function),
                    facts.chain(calls()),
                ));
            }
            if before.len() == after.len() {
                continue;
            }
            let differ = |all: &[&'a Declaration], other: &[Name]| -> Vec<&'a Declaration> {
                all.iter().copied().filter(|d| !other.contains(&d.name)).collect()
            };
            for (kind, all) in [
                (Refactored::AddParameter, differ(&new, &before)),
                (Refactored::RemoveParameter, differ(&old, &after)),
            ] {
                for parameter in all.into_iter().filter(|d| !self.read.facts.is_kept(d.fact)) {
                    let what = format!("{} of {}", self.name(parameter.name), self.name(function));
                    found.push(self.refactoring(kind, what, calls().chain([parameter.fact])));
                }
            }
        }
        found
    }

    /// Members and classes that are declared elsewhere now.
    fn moves(&self) -> Vec<Refactoring> {
        let mut by_name: BTreeMap<(Name, u8), Both<'_>> = BTreeMap::new();
        let is_movable = |d: &&&Declaration| {
            matches!(d.entity, Entity::Function | Entity::Type | Entity::Variable) && !d.is_local
        };
        for d in self.gone.iter().filter(is_movable) {
            by_name.entry((d.name, d.entity as u8)).or_default().0.push(d);
        }
        for d in self.come.iter().filter(is_movable) {
            by_name.entry((d.name, d.entity as u8)).or_default().1.push(d);
        }
        let mut found = Vec::new();
        for (old, new) in by_name.into_values().filter(|(old, new)| old.len().max(new.len()) <= COMMON) {
            for (a, b) in old.iter().flat_map(|a| new.iter().map(move |b| (a, b))) {
                let kind = match a.entity {
                    Entity::Type if a.file != b.file => Refactored::MoveClass,
                    Entity::Type => continue,
                    _ if self.is_below(a.scope, b.scope) => Refactored::PullUpMember,
                    _ if self.is_below(b.scope, a.scope) => Refactored::PushDownMember,
                    _ if self.is_class(a.scope) && self.is_class(b.scope) => Refactored::MoveMember,
                    _ => continue,
                };
                found.push(self.refactoring(kind, self.name(a.name), [a.fact, b.fact]));
            }
        }
        // A class that moves within its package is declared in the same scope.
        let types = |is_old: bool| {
            let all =
                self.read.declarations.iter().filter(move |d| d.is_old == is_old && d.entity == Entity::Type);
            all.filter(|d| !self.read.facts.is_kept(d.fact)).map(|d| (d.name, d)).collect::<BTreeMap<_, _>>()
        };
        let new = types(false);
        for (name, a) in types(true) {
            if let Some(b) = new.get(&name).filter(|b| b.file != a.file && b.scope == a.scope) {
                found.push(self.refactoring(Refactored::MoveClass, self.name(name), [a.fact, b.fact]));
            }
        }
        found
    }

    fn is_class(&self, scope: Scope) -> bool {
        self.read.facts.text(scope).starts_with(b"class ")
    }

    fn is_below(&self, class: Scope, sup: Scope) -> bool {
        let extends = &self.read.laws.extends;
        let mut pending = vec![class];
        let mut seen: HashSet<Scope> = HashSet::new();
        while let Some(at) = pending.pop() {
            let above = extends.iter().filter(|e| e.1 == at).map(|e| e.2);
            pending.extend(above.filter(|above| seen.insert(*above)).collect::<Vec<_>>());
        }
        seen.contains(&sup)
    }

    /// Functions whose lines were, or became, lines of their callers.
    fn methods(&self) -> Vec<Refactoring> {
        let mut found = Vec::new();
        for (kind, functions) in
            [(Refactored::ExtractMethod, &self.come), (Refactored::InlineMethod, &self.gone)]
        {
            let functions: Vec<&&Declaration> =
                functions.iter().filter(|d| d.entity == Entity::Function && !d.text.is_empty()).collect();
            if functions.is_empty() {
                continue;
            }
            let other_lines = self.lines(kind == Refactored::InlineMethod);
            for function in functions {
                let body: Vec<&[u8]> = telling_lines(&function.text).skip(1).collect();
                let shared: BTreeSet<u32> =
                    body.iter().filter_map(|line| other_lines.get(*line)).flatten().copied().collect();
                let count = body.iter().filter(|line| other_lines.contains_key(**line)).count();
                let calls: Vec<Fact> = self.uses_of(function.name).collect();
                if 2 * count >= body.len().max(1) && count > 0 && !calls.is_empty() {
                    let mut refactoring = self.refactoring(
                        kind,
                        self.name(function.name),
                        calls.into_iter().chain([function.fact]),
                    );
                    refactoring.changes = shared.into_iter().chain(refactoring.changes).collect();
                    refactoring.changes.sort_unstable();
                    refactoring.changes.dedup();
                    found.push(refactoring);
                }
            }
        }
        found
    }

    /// Variables whose value stood, or stands, where they are used.
    fn variables(&self) -> Vec<Refactoring> {
        let mut found = Vec::new();
        for (kind, variables) in
            [(Refactored::ExtractVariable, &self.come), (Refactored::InlineVariable, &self.gone)]
        {
            for variable in variables.iter().filter(|d| d.is_local && d.value.len() >= TELLING) {
                let uses: Vec<Fact> = self
                    .uses_of(variable.name)
                    .filter(|&fact| {
                        self.changes_of(fact).iter().any(|&k| self.other_text(k, kind, &variable.value))
                    })
                    .collect();
                if !uses.is_empty() {
                    let facts = uses.into_iter().chain([variable.fact]);
                    found.push(self.refactoring(kind, self.name(variable.name), facts));
                }
            }
        }
        found
    }

    /// Whether a change has a text on its other side: what it takes away, for an extraction.
    fn other_text(&self, change: u32, kind: Refactored, text: &[u8]) -> bool {
        let wanted = match kind {
            Refactored::ExtractVariable => Literal::Unless(change),
            _ => Literal::When(change),
        };
        let files =
            self.patchwork.touched[change as usize].iter().map(|&i| &self.patchwork.files[i as usize]);
        let mut pieces =
            files.flat_map(|file| file.weave.pieces()).filter(|piece| piece.when.contains(&wanted));
        pieces.any(|piece| memchr::memmem::find(piece.text, text).is_some())
    }

    /// The lines of the old or the new version, and the changes that they depend on.
    fn lines(&self, of_new: bool) -> HashMap<&'a [u8], Vec<u32>> {
        let mut lines: HashMap<&'a [u8], Vec<u32>> = HashMap::new();
        for piece in self.patchwork.files.iter().flat_map(|file| file.weave.pieces()) {
            let is_there = if of_new { piece.is_new() } else { piece.is_old() };
            if is_there {
                for line in telling_lines(piece.text) {
                    lines.entry(line).or_default().extend(piece.when.iter().map(|l| l.change()));
                }
            }
        }
        lines
    }

    fn uses_of(&self, name: Name) -> impl Iterator<Item = Fact> + '_ {
        self.uses.get(&name).into_iter().flatten().copied()
    }

    fn changes_of(&self, fact: Fact) -> Vec<u32> {
        self.read.facts.condition(fact).iter().map(|l| l.change()).collect()
    }

    fn refactoring(
        &self,
        kind: Refactored,
        what: String,
        facts: impl IntoIterator<Item = Fact>,
    ) -> Refactoring {
        let changes: BTreeSet<u32> = facts.into_iter().flat_map(|fact| self.changes_of(fact)).collect();
        Refactoring { kind, what, changes: changes.into_iter().collect() }
    }

    fn name(&self, name: Name) -> String {
        format!("`{}`", String::from_utf8_lossy(self.read.facts.text(name)))
    }

    fn to(&self, old: Name, new: Name) -> String {
        format!("{} to {}", self.name(old), self.name(new))
    }
}

/// The lines of a text that are long enough to be told from others, without the space around them.
fn telling_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).filter(|line| line.len() >= TELLING)
}

fn moved_files(patchwork: &Patchwork) -> impl Iterator<Item = Refactoring> + '_ {
    patchwork.changes.iter().filter(|change| change.kind == Kind::Rename).filter_map(|change| {
        let (old, new) = (change.old.as_ref()?, change.new.as_ref()?);
        let what = format!("`{}` to `{}`", old.path, new.path);
        Some(Refactoring { kind: Refactored::MoveFile, what, changes: vec![change.number] })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{Entry, RelPath, Snapshot};

    fn find(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<String> {
        let version = |files: &[(&str, &str)]| -> Snapshot {
            files.iter().map(|(p, t)| (RelPath::new(p).unwrap(), Entry::file(t.as_bytes()))).collect()
        };
        let patchwork = Patchwork::between(&version(old), &version(new));
        let all = refactorings(&patchwork);
        all.iter().map(|r| format!("{} {} by {:?}", r.kind, r.what, r.changes)).collect()
    }

    fn check(path: &str, old: &str, new: &str, expected: &[&str]) {
        assert_eq!(find(&[(path, old)], &[(path, new)]), expected);
    }

    #[test]
    fn rename_of_a_local_variable_a_field_a_method_and_a_class() {
        let old = "class A {\n  int one;\n\n  int f(int x) {\n    int y = x;\n    g();\n    return y + one;\n  }\n}\n";
        check("A.java", old, &old.replace('y', "z"), &["rename local variable `y` to `z` by [0, 1]"]);
        check("A.java", old, &old.replace("one", "two"), &["rename field `one` to `two` by [0, 1]"]);
        check("A.java", old, &old.replace("f(", "h("), &["rename method `f` to `h` by [0]"]);
        check("A.java", old, &old.replace("class A", "class B"), &["rename class `A` to `B` by [0]"]);
    }

    #[test]
    fn add_remove_and_reorder_parameters() {
        let text = |parameters: &str, arguments: &str| {
            format!("void f({parameters}) {{\n  g();\n}}\nvoid h() {{\n  f({arguments});\n}}\n")
        };
        let one = text("int a", "1");
        let two = text("int a, int b", "1, 2");
        let swapped = text("int b, int a", "2, 1");
        check("a.c", &one, &two, &["add parameter `b` of `f` by [0, 1]"]);
        check("a.c", &two, &one, &["remove parameter `b` of `f` by [0, 1]"]);
        check("a.c", &two, &swapped, &["reorder parameters `f` by [0, 1]"]);
    }

    #[test]
    fn extract_and_inline_method() {
        let whole = "def f(a):\n    first = a + 1\n    second = first * 2\n    return second\n";
        let split = "def f(a):\n    return rest(a)\n\n\ndef rest(a):\n    first = a + 1\n    second = first * 2\n    return second\n";
        let extracted = "extract method `rest`".to_owned();
        let kinds = |old: &str, new: &str| -> Vec<String> {
            let found = find(&[("a.py", old)], &[("a.py", new)]);
            found.iter().map(|s| s.split(" by").next().unwrap().to_owned()).collect()
        };
        assert!(kinds(whole, split).contains(&extracted), "{:?}", kinds(whole, split));
        assert!(kinds(split, whole).contains(&"inline method `rest`".to_owned()));
        let other = split
            .replace("first = a + 1", "other = 7")
            .replace("first * 2", "other")
            .replace("return second", "print(a)");
        assert!(!kinds(whole, &other).contains(&extracted), "{:?}", kinds(whole, &other));
    }

    #[test]
    fn extract_and_inline_variable() {
        let inline = "int f(int a) {\n  g();\n  return compute(a, 1);\n}\n";
        let extracted = "int f(int a) {\n  int value = compute(a, 1);\n  g();\n  return value;\n}\n";
        check("a.c", inline, extracted, &["extract variable `value` by [0, 1]"]);
        check("a.c", extracted, inline, &["inline variable `value` by [0, 1]"]);
    }

    #[test]
    fn move_pull_up_and_push_down_member() {
        let old =
            "class A {\n  int a;\n}\nclass B extends A {\n  int b;\n  int n;\n}\nclass C {\n  int c;\n}\n";
        let up =
            "class A {\n  int a;\n  int n;\n}\nclass B extends A {\n  int b;\n}\nclass C {\n  int c;\n}\n";
        let over =
            "class A {\n  int a;\n}\nclass B extends A {\n  int b;\n}\nclass C {\n  int c;\n  int n;\n}\n";
        check("A.java", old, up, &["pull up member `n` by [0, 1]"]);
        check("A.java", up, old, &["push down member `n` by [0, 1]"]);
        check("A.java", old, over, &["move member `n` by [0, 1]"]);
    }

    #[test]
    fn move_class_and_file() {
        let both = "package p;\nclass A {\n  int a;\n}\nclass B {\n  int b;\n}\n";
        let (a, b) = ("package p;\nclass A {\n  int a;\n}\n", "package p;\nclass B {\n  int b;\n}\n");
        let found = find(&[("p/A.java", both)], &[("p/A.java", a), ("p/B.java", b)]);
        assert!(found.iter().any(|s| s.starts_with("move class `B`")), "{found:?}");
        let text = "int one;\nint two;\nint three;\nint four;\n";
        assert_eq!(find(&[("a.c", text)], &[("b/a.c", text)]), ["move file `a.c` to `b/a.c` by [0]"]);
    }
}
