//! What is known about the kinds of node of a language, read from a data file beside the code.
//!
//! A profile may build on others (C++ on C, TypeScript on JavaScript): its lists are added to theirs, its
//! entries come before theirs, and what they say of kinds that its own grammar lacks means nothing.

use serde::Deserialize;
use std::collections::BTreeMap;

/// What a node is to somebody who edits programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// Names something that others can refer to: a function, a class, a field, an import.
    Declaration,
    /// Stands in a sequence and can go or come alone.
    Statement,
    /// Has children of one sort in a sequence: a block, an argument list, an array.
    List,
    /// A name.
    Identifier,
    /// Text in quotes.
    Text,
    /// None of these.
    #[default]
    Other,
}

/// How the files of a language are known; the part of a profile before its first empty line.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    /// Endings of file names, without the dot.
    pub(crate) files: Vec<String>,
    /// Whole names of files.
    #[serde(default)]
    pub(crate) names: Vec<String>,
    /// Programs that `#!` lines call.
    #[serde(default)]
    pub(crate) interpreters: Vec<String>,
    /// How a text of no other language begins.
    #[serde(default)]
    pub(crate) openings: Vec<String>,
}

/// The data of one language.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Profile {
    pub(crate) declarations: Vec<String>,
    pub(crate) statements: Vec<String>,
    pub(crate) lists: Vec<String>,
    pub(crate) identifiers: Vec<String>,
    pub(crate) texts: Vec<String>,
    pub(crate) numbers: Vec<String>,
    pub(crate) comments: Vec<String>,
    /// Kinds that are one token although the grammar gives them children.
    pub(crate) atoms: Vec<String>,
    /// Kinds that say something about the declaration they stand in: `static`, annotations.
    pub(crate) modifiers: Vec<String>,
    /// Kinds outside which the names defined inside are not known.
    pub(crate) scopes: Vec<String>,
    /// Places, `kind` or `kind.field`, that stand between a name and what defines or uses it: `*` of `int
    /// *p`.
    pub(crate) through: Vec<String>,
    /// By kind, the paths whose text tells one member from its sisters; `()` is the types of the parameters.
    pub(crate) keys: BTreeMap<String, Vec<String>>,
    /// By kind, where its parameters and the type of its result are.
    pub(crate) signatures: BTreeMap<String, SignaturePaths>,
    /// By kind, where a call has its name and its arguments.
    pub(crate) calls: BTreeMap<String, CallPaths>,
    /// By kind, where it names the types it builds on.
    pub(crate) supertypes: BTreeMap<String, Vec<String>>,
    /// By kind, where it says what it imports.
    pub(crate) imports: BTreeMap<String, Vec<String>>,
    /// By sort of entity, the places where a name is defined.
    pub(crate) definitions: BTreeMap<String, Vec<String>>,
    /// By sort of entity, the places where a name can be nothing else.
    pub(crate) uses: BTreeMap<String, Vec<String>>,
    /// Places where an identifier is no name of the program's.
    pub(crate) ignored: Vec<String>,
    /// Whether blocks are told by their indentation, after a `:`.
    pub(crate) indented: bool,
    /// For a language that is read by hand.
    pub(crate) reader: Option<Reader>,
    /// How its programs tell what they run.
    pub(crate) marks: Option<Marks>,
}

/// What tells that a block is run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Marks {
    /// Makes `{file}` when it is first run; `{number}` is another for each.
    pub(crate) statement: String,
    /// Kinds that hold statements.
    pub(crate) blocks: Vec<String>,
    /// Kinds in which they hold something else.
    #[serde(default)]
    pub(crate) not_in: Vec<String>,
}

/// Where a declaration has its parameters and the type of its result.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SignaturePaths {
    pub(crate) parameters: String,
    pub(crate) result: String,
}

/// Where a call has its name and its arguments.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallPaths {
    pub(crate) name: String,
    pub(crate) arguments: String,
}

/// How s-expressions are written in a language.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reader {
    pub(crate) line_comment: String,
    /// How comments open and close; they nest.
    #[serde(default)]
    pub(crate) block_comment: Option<(String, String)>,
    /// Whether `""` is a quote inside a string; else `\` escapes.
    #[serde(default)]
    pub(crate) doubled_quotes: bool,
    /// Whether `|a symbol|` may be written so.
    #[serde(default)]
    pub(crate) bars: bool,
    /// What stands before a single character.
    #[serde(default)]
    pub(crate) characters: Option<String>,
    /// Pairs of brackets.
    #[serde(default = "round")]
    pub(crate) brackets: Vec<String>,
    /// What may stand before an expression, longer ones first.
    #[serde(default)]
    pub(crate) prefixes: Vec<String>,
}

fn round() -> Vec<String> {
    vec!["()".to_owned()]
}

impl Head {
    pub(crate) fn read(name: &str, profile: &str) -> Head {
        let head = profile.split("\n\n").next().unwrap_or(profile);
        toml::from_str(head).unwrap_or_else(|e| panic!("the profile of {name}: {e}"))
    }
}

impl Profile {
    /// Reads a profile and those it builds on, itself first.
    pub(crate) fn read(name: &str, texts: &[&str]) -> Profile {
        let mut whole = Profile::default();
        for text in texts {
            let body = text.split_once("\n\n").map_or("", |(_, body)| body);
            let one = toml::from_str(body).unwrap_or_else(|e| panic!("the profile of {name}: {e}"));
            whole.build_on(one);
        }
        whole
    }

    fn build_on(&mut self, base: Profile) {
        let lists = [
            (&mut self.declarations, base.declarations),
            (&mut self.statements, base.statements),
            (&mut self.lists, base.lists),
            (&mut self.identifiers, base.identifiers),
            (&mut self.texts, base.texts),
            (&mut self.numbers, base.numbers),
            (&mut self.comments, base.comments),
            (&mut self.atoms, base.atoms),
            (&mut self.modifiers, base.modifiers),
            (&mut self.scopes, base.scopes),
            (&mut self.through, base.through),
            (&mut self.ignored, base.ignored),
        ];
        for (own, base) in lists {
            own.extend(base);
        }
        for (own, base) in [(&mut self.definitions, base.definitions), (&mut self.uses, base.uses)] {
            for (entity, places) in base {
                own.entry(entity).or_default().extend(places);
            }
        }
        for (own, base) in [
            (&mut self.keys, base.keys),
            (&mut self.supertypes, base.supertypes),
            (&mut self.imports, base.imports),
        ] {
            for (kind, paths) in base {
                own.entry(kind).or_insert(paths);
            }
        }
        for (kind, paths) in base.signatures {
            self.signatures.entry(kind).or_insert(paths);
        }
        for (kind, paths) in base.calls {
            self.calls.entry(kind).or_insert(paths);
        }
        self.indented |= base.indented;
        self.reader = self.reader.take().or(base.reader);
        self.marks = self.marks.take().or(base.marks);
    }
}
