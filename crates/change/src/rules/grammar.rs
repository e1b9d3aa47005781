//! What the rules must know of each language's grammar, as data.

mod tables;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Entity {
    /// A local variable, a field or a global one, by where it is declared.
    Variable,
    /// A parameter of a function.
    Parameter,
    /// A function, a method, a constructor, a macro.
    Function,
    /// A class, an interface, a type of any sort.
    Type,
    /// A member of an object, where it is assigned.
    Member,
    /// A label that jumps go to.
    Label,
    /// A name that an import brings into the file.
    Import,
}

/// How far the names at the top of a file are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// In every file: declarations of C.
    World,
    /// In the package that the file names: Java.
    Package,
    /// In all files of the folder: Go.
    Folder,
    /// In the file, and where they are imported.
    File,
}

/// A language as the rules see it: kinds of nodes, and the fields of their parts.
pub(super) struct Grammar {
    pub(super) language: &'static str,
    pub(super) reach: Reach,
    /// Nodes that make names, the field in which the names stand (any child if empty), and what they stand for.
    pub(super) binders: &'static [(&'static str, &'static str, Entity)],
    /// Nodes with members, and the field with their name.
    pub(super) classes: &'static [(&'static str, &'static str)],
    /// Nodes with parameters and a body.
    pub(super) functions: &'static [&'static str],
    /// Functions without a name.
    pub(super) lambdas: &'static [&'static str],
    /// Where a member of some object is named.
    pub(super) members: &'static [(&'static str, &'static str)],
    /// What a method calls its own object.
    pub(super) own: &'static [&'static str],
    /// Calls: the field of what is called.
    pub(super) calls: &'static [(&'static str, &'static str)],
    /// Makings of an object: the field of its class.
    pub(super) creations: &'static [(&'static str, &'static str)],
    /// Nodes that list what a class inherits from.
    pub(super) supertypes: &'static [&'static str],
    /// Parameters and arguments that need not be there.
    pub(super) optional: &'static [&'static str],
    /// Parameters and arguments that stand for any number.
    pub(super) variadic: &'static [&'static str],
    /// Assignments: the field of what is assigned.
    pub(super) assignments: &'static [(&'static str, &'static str)],
    /// What repeats, for `break` and `continue`.
    pub(super) loops: &'static [&'static str],
    /// What `break` leaves besides loops.
    pub(super) switches: &'static [&'static str],
    /// Nodes that stand in a row in which nothing may follow a jump.
    pub(super) blocks: &'static [&'static str],
    /// Tokens of raw text in which names may stand.
    pub(super) raw: &'static [&'static str],
    /// Nodes that are parts of a statement but come and go alone, such as `else`.
    pub(super) parts: &'static [&'static str],
    /// Whether what is nested is told by indentation.
    pub(super) is_indented: bool,
}

impl Grammar {
    /// The grammar of a language, if rules are known for it.
    pub(super) fn of(language: &str) -> Option<&'static Grammar> {
        tables::ALL.iter().copied().find(|grammar| {
            grammar.language == language || (grammar.language, language) == ("typescript", "tsx")
        })
    }
}
