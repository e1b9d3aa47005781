//! What is built around a search: sequences, repetition, stages, closure.
//!
//! A combinator is a search whose cases are another's, mapped. Those that start searches of their own are given
//! a [`Make`]. Why does it take a problem and not only a config? The numbers of an inner search may mean groups
//! or subtrees; their sizes, suspicions and couplings then differ from those of the changes behind them.

mod all_first;
mod alone;
mod aside;
mod coupled;
mod elsewhere;
mod grouping;
mod impatient;
#[cfg(test)]
mod once;
mod pieces;
mod shortcut;
mod singly;
mod stable;
mod stages;
mod sweep;
mod then;
mod units;
mod until;

pub use all_first::AllFirst;
pub use alone::Alone;
pub use aside::Aside;
pub use coupled::Coupled;
pub use elsewhere::Elsewhere;
pub use grouping::Grouping;
pub use impatient::Impatient;
pub use pieces::{Pieces, Propose};
pub use shortcut::{Guess, Shortcut};
pub use stable::Stable;
pub use stages::Stages;
pub use sweep::Sweep;
pub use then::{Then, one_minimal};
pub use units::UnitSweep;
pub use until::Until;

use crate::Problem;
use std::sync::Arc;

/// How a combinator makes a search inside it: from what is left, and what is known about that.
pub type Make<S> = Arc<dyn Fn(&Problem) -> S + Send + Sync>;
