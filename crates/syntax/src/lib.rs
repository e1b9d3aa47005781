//! Source text as trees: tree-sitter behind one door, and all that is known about a language as data.
//!
//! A [`Language`] is a grammar and a profile: which kinds of node are declarations, statements, lists and so
//! on. [`Tree::parse`] never fails; what could not be read is marked. Nothing of tree-sitter is seen outside.
//!
//! ```
//! # #[cfg(feature = "java")] {
//! use nub_syntax::{Language, Tree};
//!
//! let java = Language::of_path("src/A.java").unwrap();
//! let tree = Tree::parse(java, b"class A { int f(int x) { return x; } }"[..].into());
//! let class = tree.children(tree.root()).next().unwrap();
//! assert_eq!(tree.key(class).as_deref(), Some(&b"A"[..]));
//! let body = tree.child(class, "body").unwrap();
//! let method = tree.children(body).nth(1).unwrap();
//! assert_eq!(tree.key(method).as_deref(), Some(&b"f(int)"[..]));
//! assert!(tree.is_list_element(method).is_some());
//! # }
//! ```
//!
//! What there is to ask, beside the tree itself:
//!
//! - [`shape`]: which children are elements of a list, which may be left out, what may stand in their place;
//! - [`names`]: which token defines a name and which uses one, and of what sort;
//! - [`members`]: keys, signatures, calls, supertypes, modifiers, imports.
//!
//! # Adding a language
//!
//! 1. The grammar: a line in the workspace's `Cargo.toml`, in this crate's `[dependencies]` (optional) and in
//!    its `[features]`.
//! 2. The line in `src/language.rs`, in order of names. `"cpp": "c"` builds on the profile of C.
//! 3. The profile, `languages/<name>.toml`. Its head, up to the first empty line, has the file endings
//!    (`files`), whole names (`names`), `interpreters` of `#!` lines and `openings` that no other language
//!    has. Then come the kinds of node by what they are, and tables for keys, names and so on;
//!    `src/profile.rs` says what each is. Only `files` is needed, the rest makes results better.
//! 4. The sample, `samples/<name>`: a small text that uses much of the language and has no error.
//! 5. The facts and the page: `cargo run -p nub-syntax --features all-languages --example facts`, and again
//!    with `--example languages`.
//!
//! The tests check that a profile names nothing its grammar lacks, that the sample is read whole and every
//! node of it has the shape its grammar foresees, and that any text, however damaged, is spelled by its
//! tokens.

mod automaton;
mod builder;
#[cfg(test)]
mod checks;
mod facts;
mod kinds;
pub mod language;
mod legibility;
mod marks;
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
pub use shape::{Brackets, Freedom, ListFacts, Shape};
pub use tree::{Kind, Node, Tree};
