//! The smallest separable edits between two versions.

use crate::snapshot::RelPath;
use nub_search::Coupling;
use std::ops::Range;

/// What a change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Puts text into a file.
    Insert,
    /// Takes text from a file.
    Delete,
    /// Puts text in the place of other text.
    Replace,
    /// Puts text elsewhere in its file.
    Move,
    /// Changes white space and comments only.
    Layout,
    /// Makes a file: an empty one that insertions fill, or one that does not consist of lines.
    Create,
    /// Makes a file with the content of another.
    Copy,
    /// Takes a file away.
    Remove,
    /// Gives a file another path.
    Rename,
    /// Makes a file executable, or not.
    Mode,
    /// Puts another thing in a file's place: a link for a file, a file for a submodule.
    Type,
    /// Puts another content in a file that does not consist of lines.
    Binary,
    /// Lets a link point elsewhere.
    Symlink,
    /// Takes another commit of a submodule.
    Submodule,
}

/// A place in one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: RelPath,
    /// The lines, counted from 0; an empty range lies between two lines, and at 0 stands for the file.
    pub lines: Range<usize>,
}

impl Place {
    pub(crate) fn file(path: &RelPath) -> Place {
        Place { path: path.clone(), lines: 0..0 }
    }
}

/// One separable edit between two versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its number, from 0 in the order of files and of lines in them.
    pub number: u32,
    /// What it does.
    pub kind: Kind,
    /// Where it is in the old version; none for what only the new one has.
    pub old: Option<Place>,
    /// Where it is in the new version; none for what only the old one has.
    pub new: Option<Place>,
    /// How many words it takes away and puts in; at least one.
    pub weight: u32,
    /// The change it lies inside.
    pub parent: Option<u32>,
    /// What it is about: the kind of node in the words of the grammar, `line` in other text, or `file`.
    pub what: &'static str,
    /// The names of the declarations around it, outermost first and with dots between; empty if there are none.
    pub scope: String,
    /// The other half of a move: the change that puts in elsewhere what this one takes away, or takes away what it
    /// puts in.
    pub twin: Option<u32>,
    /// Whether it can be there without the change it lies inside: a statement without the block around it.
    pub is_loose: bool,
}

impl Change {
    /// The file it is in: the new version's, if it has one.
    pub fn path(&self) -> &RelPath {
        let place = self.new.as_ref().or(self.old.as_ref());
        &place.expect("a change is in the old version or in the new one").path
    }

    /// What it does, and to what, in words: `inserts if_statement in Foo.bar`.
    pub fn description(&self) -> String {
        let verb = match self.kind {
            Kind::Insert if self.twin.is_some() => "moves here",
            Kind::Delete if self.twin.is_some() => "moves away",
            Kind::Insert => "inserts",
            Kind::Delete => "deletes",
            Kind::Replace => "replaces",
            Kind::Move => "moves",
            Kind::Layout => "changes only the layout of",
            Kind::Create => "creates",
            Kind::Copy => "copies",
            Kind::Remove => "removes",
            Kind::Rename => "renames",
            Kind::Mode => "changes the mode of",
            Kind::Type => "changes the type of",
            Kind::Binary => "changes the bytes of",
            Kind::Symlink => "changes the target of",
            Kind::Submodule => "changes the commit of",
        };
        let scope = if self.scope.is_empty() { String::new() } else { format!(" in {}", self.scope) };
        format!("{verb} {}{scope}", self.what)
    }
}

/// How likely one half of a move is of use only with the other.
const HALVES_BELONG: f64 = 0.7;

/// What moves tell: what is taken away is likely put in elsewhere, and the other way round.
pub fn halves(changes: &[Change]) -> Vec<Coupling> {
    let coupling = |dependent: u32, needed: u32| Coupling { dependent, needed, probability: HALVES_BELONG };
    changes.iter().filter_map(|change| Some(coupling(change.number, change.twin?))).collect()
}

/// How likely a statement is of use only with the block around it, if it could stand without.
const LOOSE_NEEDS: f64 = 0.9;

/// What nesting tells: for certain, unless a statement could stand without the block around it.
///
/// What is put into a new file or a new class needs it. Taking a file or a class away needs what is in it taken
/// away; and so for what a replacement puts in and takes away. So a config that is closed under these never writes
/// into nothing, nor loses text without saying so.
pub fn nesting(changes: &[Change]) -> Vec<Coupling> {
    let nested = changes.iter().filter_map(|change| Some((change.number, change.parent?)));
    let kind = |change: u32| changes[change as usize].kind;
    let coupling = |(child, parent): (u32, u32)| match kind(parent) {
        Kind::Remove | Kind::Delete => Coupling::certain(parent, child),
        Kind::Replace if kind(child) == Kind::Delete => Coupling::certain(parent, child),
        _ => Coupling::certain(child, parent),
    };
    let likely = |(child, parent): (u32, u32)| match changes[child as usize].is_loose {
        true => Coupling { probability: LOOSE_NEEDS, ..coupling((child, parent)) },
        false => coupling((child, parent)),
    };
    nested.map(likely).collect()
}
