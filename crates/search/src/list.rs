//! The algorithms over a flat list of changes, one paper and one file each.

pub mod active_coarsen;
pub mod add;
pub mod attempts;
pub mod c2d2;
pub mod cdd;
pub mod dd;
pub mod ddj;
pub mod ddmin;
pub mod exhaustive;
#[cfg(test)]
mod figures;
pub mod gallop;
pub mod greedy;
pub mod pith;
pub mod probdd;
mod sorted;
pub mod wddmin;
pub mod wprobdd;

pub use active_coarsen::ActiveCoarsen;
pub use add::{Add, AddBack};
pub use attempts::Attempts;
pub use c2d2::C2d2;
pub use cdd::Cdd;
pub use dd::Dd;
pub use ddj::Ddj;
pub use ddmin::{Ddmin, SweepDdmin};
pub use exhaustive::Exhaustive;
pub use gallop::Gallop;
pub use greedy::Greedy;
pub use pith::Pith;
pub use probdd::{ProbDd, Ties};
pub use wddmin::Wddmin;
pub use wprobdd::WProbDd;
