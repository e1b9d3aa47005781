//! The languages that are known, found by name or by a file's path.

use crate::profile::{Profile, Role};
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

/// A language: its grammar and what is known about it.
#[derive(Clone, Copy)]
pub struct Language(&'static Entry);

pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) grammar: tree_sitter::Language,
    pub(crate) kinds: Vec<KindFacts>,
    /// Our number of each kind of the grammar: kinds that read the same are one.
    pub(crate) kind_of_symbol: Vec<u16>,
    files: Vec<String>,
}

pub(crate) struct KindFacts {
    pub(crate) name: String,
    pub(crate) is_named: bool,
    pub(crate) role: Role,
    pub(crate) is_comment: bool,
    pub(crate) is_atom: bool,
}

macro_rules! languages {
    ($($name:literal => $grammar:expr;)*) => {
        static LANGUAGES: LazyLock<Vec<Entry>> = LazyLock::new(|| vec![
            $(Entry::new($name, $grammar.into(), include_str!(concat!("../languages/", $name, ".toml"))),)*
        ]);
    };
}

languages! {
    "c" => tree_sitter_c::LANGUAGE;
    "cpp" => tree_sitter_cpp::LANGUAGE;
    "go" => tree_sitter_go::LANGUAGE;
    "java" => tree_sitter_java::LANGUAGE;
    "javascript" => tree_sitter_javascript::LANGUAGE;
    "python" => tree_sitter_python::LANGUAGE;
    "rust" => tree_sitter_rust::LANGUAGE;
    "tsx" => tree_sitter_typescript::LANGUAGE_TSX;
    "typescript" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT;
}

impl Entry {
    fn new(name: &'static str, grammar: tree_sitter::Language, profile: &str) -> Entry {
        let profile: Profile =
            toml::from_str(profile).unwrap_or_else(|e| panic!("the profile of {name}: {e}"));
        let mut kinds: Vec<KindFacts> = Vec::new();
        let mut known: HashMap<(&str, bool), u16> = HashMap::new();
        let symbols = grammar.node_kind_count() as u16;
        let kind_of_symbol = (0..symbols)
            .map(|symbol| {
                let kind = grammar.node_kind_for_id(symbol).unwrap_or("");
                let is_named = grammar.node_kind_is_named(symbol);
                *known.entry((kind, is_named)).or_insert_with(|| {
                    kinds.push(KindFacts::new(kind, is_named, &profile));
                    kinds.len() as u16 - 1
                })
            })
            .collect();
        Entry { name, grammar, kinds, kind_of_symbol, files: profile.files }
    }
}

impl KindFacts {
    fn new(kind: &str, is_named: bool, profile: &Profile) -> KindFacts {
        let is_in = |list: &[String]| is_named && list.iter().any(|k| k == kind);
        let role = match () {
            _ if is_in(&profile.declarations) => Role::Declaration,
            _ if is_in(&profile.statements) => Role::Statement,
            _ if is_in(&profile.lists) => Role::List,
            _ if is_in(&profile.identifiers) => Role::Identifier,
            _ if is_in(&profile.texts) => Role::Text,
            _ => Role::Other,
        };
        let (is_comment, is_atom) = (is_in(&profile.comments), is_in(&profile.atoms));
        KindFacts { name: kind.to_owned(), is_named, role, is_comment, is_atom }
    }
}

impl Language {
    /// All languages, by name.
    pub fn all() -> impl ExactSizeIterator<Item = Language> {
        LANGUAGES.iter().map(Language)
    }

    /// The language of a name, such as `java`.
    pub fn named(name: &str) -> Option<Language> {
        Language::all().find(|language| language.name() == name)
    }

    /// The language of a file, by its name.
    pub fn of_path(path: &str) -> Option<Language> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_for = |file: &String| {
            name == file || name.strip_suffix(file.as_str()).is_some_and(|stem| stem.ends_with('.'))
        };
        Language::all().find(|language| language.0.files.iter().any(is_for))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    pub(crate) fn entry(self) -> &'static Entry {
        self.0
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Language) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Language {}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}
