//! Source text as trees: tree-sitter behind one door, and all that is known about a language as data.
//!
//! A [`Language`] is a grammar and a profile: which kinds of node are declarations, statements, lists and so on.
//! [`Tree::parse`] never fails; what could not be read is marked. Nothing of tree-sitter is seen outside.

mod builder;
#[cfg(test)]
mod checks;
mod kinds;
pub mod language;
mod profile;
mod sexp;
pub mod tree;

pub use language::Language;
pub use profile::Role;
pub use tree::{Kind, Node, Tree};
