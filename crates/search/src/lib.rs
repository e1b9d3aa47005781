//! Delta debugging as pure values.
//!
//! A [`Search`] proposes [`Config`]s and is told [`Answer`]s; it never runs a test, reads a clock or draws an
//! unseeded number. [`Walk`] drives any search over recorded answers and looks ahead. [`list`] holds the
//! algorithms over a flat list, one paper each, [`tree`] those over trees, [`combine`] what is built around them.

pub mod algorithm;
pub mod answer;
pub mod combine;
pub mod config;
pub mod coupling;
#[cfg(any(test, feature = "laws"))]
pub mod laws;
pub mod list;
pub mod matrix;
pub mod problem;
pub mod random;
pub mod search;
pub mod tree;
pub mod walk;

pub use algorithm::Algorithm;
pub use answer::{Answer, Coupling, Outcome};
pub use config::Config;
pub use coupling::Couplings;
pub use problem::Problem;
pub use random::Random;
pub use search::{AnySearch, Case, Cases, Odds, Search, no_cases, one_case, search};
pub use walk::{Memo, Walk};

/// The example of the README, run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
