//! Which changes put in, or take away, the definition or a use of a name.
//!
//! In a language with a grammar the syntax tells, and what is defined inside a function counts there only. In other text
//! a name is defined where another word stands just before it, or an equals sign behind it.

use crate::patchwork::File;
use crate::side::Side;
use crate::snapshot::RelPath;
use crate::weave::{Choice, Literal};
use crate::words::words;
use nub_search::Config;
use nub_syntax::names::Entity;
use nub_syntax::{Language, Node, Role, Tree};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// The changes that mention a word in one of the versions, and those of them that define it.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentions {
    used: HashMap<Vec<u8>, Vec<u32>>,
    defined: HashMap<Vec<u8>, Vec<Definition>>,
    /// The changes on the line of a definition, whatever they do to it.
    shaped: HashMap<Vec<u8>, Vec<Definition>>,
}

/// A change that is about the definition of a name, and where that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Definition {
    change: u32,
    /// All see it if there are none.
    seen_in: Option<Lines>,
}

/// Lines of a file, in one of the versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lines {
    pub(super) file: u32,
    pub(super) lines: Range<usize>,
}

impl Lines {
    fn meets(&self, other: &Lines) -> bool {
        let (a, b) = (&self.lines, &other.lines);
        self.file == other.file && a.start < b.end.max(b.start + 1) && b.start < a.end.max(a.start + 1)
    }
}

impl Mentions {
    /// The changes that use a name.
    pub(super) fn uses(&self, name: &str) -> &[u32] {
        self.used.get(name.as_bytes()).map_or(&[], Vec::as_slice)
    }

    /// The changes that define a name so that it is known to all, or at some of the given lines.
    pub(super) fn definitions(&self, name: &str, from: &[Lines]) -> Vec<u32> {
        seen(&self.defined, name, from)
    }

    /// The changes that define a name so that it is known at some of the given lines and not to all.
    pub(super) fn inner_definitions(&self, name: &str, from: &[Lines]) -> Vec<u32> {
        let all = self.defined.get(name.as_bytes()).into_iter().flatten();
        let is_seen = |definition: &&Definition| {
            definition.seen_in.as_ref().is_some_and(|lines| from.iter().any(|other| lines.meets(other)))
        };
        all.filter(is_seen).map(|definition| definition.change).collect()
    }

    /// The changes that define a name, wherever it is known.
    pub(super) fn all_definitions(&self, name: &str) -> Vec<u32> {
        let all = self.defined.get(name.as_bytes()).into_iter().flatten();
        all.map(|definition| definition.change).collect()
    }

    /// The changes on the line of a definition that is known to all, or at some of the given lines.
    pub(super) fn shapes(&self, name: &str, from: &[Lines]) -> Vec<u32> {
        seen(&self.shaped, name, from)
    }

    /// Adds all names in one version of a file.
    pub(super) fn add(&mut self, number: u32, file: &File, is_old: bool) {
        let has_names =
            |tree: &Tree| [Entity::Function, Entity::Variable].iter().any(|e| tree.language().defines(*e));
        let parsed = parse(file, is_old).filter(has_names);
        match parsed {
            Some(tree) => self.add_names(number, file, is_old, &tree),
            None => self.add_words(file, is_old),
        }
    }

    /// A change that takes a name away and puts it in again does neither; only its shape may be another.
    pub(super) fn leave_out_shared(&mut self, other: &mut Mentions) {
        drop_shared(&mut self.defined, &mut other.defined, |definition| definition.change);
        drop_shared(&mut self.used, &mut other.used, |change| *change);
    }

    fn add_names(&mut self, number: u32, file: &File, is_old: bool, tree: &Tree) {
        let side = if is_old { Side::old(number, &file.weave) } else { Side::new(number, &file.weave) };
        let text = tree.text();
        let breaks: Vec<usize> = memchr::memchr_iter(b'\n', text).collect();
        let line_of = |byte: usize| breaks.partition_point(|&newline| newline < byte);
        let line_at = |line: usize| {
            let start = line.checked_sub(1).map_or(0, |before| breaks[before] + 1);
            start..breaks.get(line).copied().unwrap_or(text.len())
        };
        for node in tree.tokens(tree.root()) {
            let bytes = tree.bytes(node);
            let line = line_of(bytes.start);
            if bytes.is_empty() || line_at(line).len() > LONG_LINE {
                continue;
            }
            let Some(name) = tree.name(node) else {
                // The body of a macro is one token.
                let is_raw = tree.role(node) == Role::Other && tree.kind_name(node) == "preproc_arg";
                for word in words(&text[bytes.clone()]).filter(|word| is_raw && is_name(word)) {
                    note_all(&mut self.used, word, side.condition(&bytes));
                }
                continue;
            };
            let spelled = tree.spelled(node);
            let Some(definition) = name.definition else {
                note_all(&mut self.used, spelled, side.condition(&bytes));
                continue;
            };
            let seen_in = scope_of(tree, definition, name.entity).map(|scope| {
                let bytes = tree.bytes(scope);
                Lines { file: number, lines: line_of(bytes.start)..line_of(bytes.end) + 1 }
            });
            for (index, bytes) in [(&mut self.defined, bytes), (&mut self.shaped, line_at(line))] {
                for literal in side.condition(&bytes) {
                    let definition = Definition { change: literal.change(), seen_in: seen_in.clone() };
                    note(index, spelled, definition);
                }
            }
        }
    }

    fn add_words(&mut self, file: &File, is_old: bool) {
        let must_declare = declares_all(&file.path);
        let by_hand = file.weave.pieces().enumerate().filter(|(_, piece)| is_by_hand(piece.text));
        for (i, piece) in by_hand {
            let (before, after) = file.weave.around(i);
            let mut all: Vec<&[u8]> = words(before).collect();
            let first = all.len();
            all.extend(words(piece.text));
            let end = all.len();
            all.extend(words(after));
            let is_it = |literal: &&Literal| matches!(literal, Literal::Unless(_)) == is_old;
            for change in piece.when.iter().filter(is_it).map(|literal| literal.change()) {
                // Names of one letter are too common to follow in it.
                for i in (first..end).filter(|&i| all[i].len() > 1 && is_name(all[i])) {
                    let definition = Definition { change, seen_in: None };
                    match is_declared(&all, i) || (!must_declare && is_assigned(&all, i)) {
                        true => {
                            note(&mut self.defined, all[i], definition.clone());
                            note(&mut self.shaped, all[i], definition);
                        }
                        false => note(&mut self.used, all[i], change),
                    }
                }
            }
        }
    }
}

/// One version of a file, if it is there and its language known.
fn parse(file: &File, is_old: bool) -> Option<Tree> {
    let config = if is_old { Config::empty() } else { file.weave.changes().collect() };
    let path = std::str::from_utf8(any_path(&file.path)).ok()?;
    let language = Language::of_path(path)?;
    let text = file.weave.render(&config);
    (text.len() <= LARGE).then(|| Tree::parse(language, text))
}

/// Larger files are read word by word.
const LARGE: usize = 16 << 20;

/// The scope of what is not known outside: of an import that is the file.
fn scope_of(tree: &Tree, definition: Node, entity: Entity) -> Option<Node> {
    let is_generic = entity == Entity::Type && is_type_parameter(tree, definition);
    match if is_generic { Entity::Parameter } else { entity } {
        Entity::Import => Some(tree.root()),
        Entity::Variable | Entity::Label => {
            Some(tree.scope(definition)).filter(|&scope| scope != tree.root())
        }
        // A header may be no scope by itself: what is at the top around it is one.
        Entity::Parameter => {
            let around = |&n: &Node| tree.parent(n).filter(|&parent| parent != tree.root());
            let top = std::iter::successors(Some(definition), around).last().unwrap_or(definition);
            Some(tree.scope(definition)).map(|scope| if scope == tree.root() { top } else { scope })
        }
        _ => None,
    }
}

/// Whether a definition is in a list of what a declaration is made with, as `T` in `fn f<T>()`.
fn is_type_parameter(tree: &Tree, definition: Node) -> bool {
    let mut around = std::iter::successors(Some(definition), |&node| tree.parent(node)).take(4);
    around.any(|node| {
        ["type_parameter", "template_parameter"].iter().any(|kind| tree.kind_name(node).contains(kind))
    })
}

fn seen(index: &HashMap<Vec<u8>, Vec<Definition>>, name: &str, from: &[Lines]) -> Vec<u32> {
    let all = index.get(name.as_bytes()).into_iter().flatten();
    let is_seen = |definition: &&Definition| match &definition.seen_in {
        Some(lines) => from.iter().any(|other| lines.meets(other)),
        None => true,
    };
    let mut changes: Vec<u32> = all.filter(is_seen).map(|definition| definition.change).collect();
    changes.dedup();
    changes
}

fn drop_shared<T>(
    one: &mut HashMap<Vec<u8>, Vec<T>>,
    other: &mut HashMap<Vec<u8>, Vec<T>>,
    change: impl Fn(&T) -> u32,
) {
    for (name, mine) in one {
        let Some(theirs) = other.get_mut(name) else { continue };
        let numbers = |all: &[T]| all.iter().map(&change).collect::<BTreeSet<u32>>();
        let shared: BTreeSet<u32> = numbers(mine).intersection(&numbers(theirs)).copied().collect();
        mine.retain(|noted| !shared.contains(&change(noted)));
        theirs.retain(|noted| !shared.contains(&change(noted)));
    }
}

fn note_all(index: &mut HashMap<Vec<u8>, Vec<u32>>, name: &[u8], literals: impl Iterator<Item = Literal>) {
    literals.for_each(|literal| note(index, name, literal.change()));
}

fn note<T: PartialEq>(index: &mut HashMap<Vec<u8>, Vec<T>>, name: &[u8], noted: T) {
    let all = index.entry(name.to_vec()).or_default();
    if all.last() != Some(&noted) {
        all.push(noted);
    }
}

pub(super) fn is_name(word: &[u8]) -> bool {
    word[0].is_ascii_alphabetic() || word[0] == b'_' || word[0] >= 0x80
}

/// Words after which a name is not defined, though another word stands before it.
const NOT_DEFINING: [&str; 24] = [
    "return",
    "new",
    "else",
    "case",
    "throw",
    "typeof",
    "delete",
    "in",
    "of",
    "await",
    "yield",
    "instanceof",
    "goto",
    "and",
    "or",
    "not",
    "is",
    "if",
    "while",
    "for",
    "with",
    "do",
    "raise",
    "elif",
];

/// Whether the word at `i` looks as if it were declared there: another word just before it, a keyword or a type.
fn is_declared(all: &[&[u8]], i: usize) -> bool {
    let before = i.checked_sub(1).map(|i| all[i]);
    let after_word =
        before.is_some_and(|word| is_name(word) && !NOT_DEFINING.iter().any(|not| not.as_bytes() == word));
    after_word || (matches!(before, Some(b"*" | b"&")) && i > 1 && is_name(all[i - 2]))
}

/// Whether the word at `i` has an equals sign just behind it.
fn is_assigned(all: &[&[u8]], i: usize) -> bool {
    matches!(all.get(i + 1), Some(&b"=")) && !matches!(all.get(i + 2), Some(&b"="))
}

/// A longer line was written by a program: names in it say nothing about who needs whom.
pub(super) const LONG_LINE: usize = 1000;

pub(super) fn is_by_hand(text: &[u8]) -> bool {
    text.split(|&b| b == b'\n').all(|line| line.len() <= LONG_LINE)
}

/// Languages in which a name is declared before it is given a value.
const DECLARING: [&str; 9] = ["c", "cpp", "java", "rust", "go", "csharp", "kotlin", "scala", "swift"];

fn declares_all(path: &Choice<RelPath>) -> bool {
    let language = std::str::from_utf8(any_path(path)).ok().and_then(Language::of_path);
    language.is_some_and(|language| DECLARING.contains(&language.name()))
}

/// What a file is written in; C and C++ see each other's names.
pub(super) fn written_in(path: &Choice<RelPath>) -> String {
    let path = String::from_utf8_lossy(any_path(path));
    match Language::of_path(&path).map(|language| language.name()) {
        Some("c" | "cpp") => "c".to_owned(),
        Some("javascript" | "jsx" | "typescript" | "tsx") => "javascript".to_owned(),
        Some(name) => name.to_owned(),
        None => path.rsplit(['.', '/']).next().unwrap_or_default().to_owned(),
    }
}

pub(crate) fn any_path(path: &Choice<RelPath>) -> &[u8] {
    path.alternatives().next().map_or(&[], |(_, path)| path.as_bytes())
}
