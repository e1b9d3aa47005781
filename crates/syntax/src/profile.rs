//! What is known about the kinds of node of a language, read from a data file beside the code.

use serde::Deserialize;

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

/// The data of one language.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// Endings of file names, without the dot, and whole names.
    pub(crate) files: Vec<String>,
    #[serde(default)]
    pub(crate) declarations: Vec<String>,
    #[serde(default)]
    pub(crate) statements: Vec<String>,
    #[serde(default)]
    pub(crate) lists: Vec<String>,
    #[serde(default)]
    pub(crate) identifiers: Vec<String>,
    #[serde(default)]
    pub(crate) texts: Vec<String>,
    #[serde(default)]
    pub(crate) comments: Vec<String>,
    /// Kinds that are one token although the grammar gives them children.
    #[serde(default)]
    pub(crate) atoms: Vec<String>,
}
