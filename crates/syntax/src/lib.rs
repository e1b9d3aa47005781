//! Source text as trees: tree-sitter behind one door, and all that is known about a language as data.
//!
//! A [`Language`] is a grammar and a profile: which kinds of node are declarations, statements, lists and so on.
//! [`Tree::parse`] never fails; what could not be read is marked. Nothing of tree-sitter is seen outside.

mod automaton;
mod builder;
#[cfg(test)]
mod checks;
mod facts;
mod kinds;
pub mod language;
pub mod members;
pub mod names;
mod profile;
mod sexp;
pub mod shape;
pub mod tree;

pub use language::Language;
pub use members::{Call, Signature};
pub use names::{Entity, Name};
pub use profile::Role;
pub use shape::{Brackets, ListFacts, Part, Shape};
pub use tree::{Kind, Node, Tree};
