//! The algorithms over a flat list of changes, one paper and one file each.

pub mod active_coarsen;
pub mod cdd;
pub mod ddmin;
pub mod greedy;
pub mod probdd;
mod sorted;
pub mod wprobdd;

pub use active_coarsen::ActiveCoarsen;
pub use cdd::Cdd;
pub use ddmin::Ddmin;
pub use greedy::Greedy;
pub use probdd::{ProbDd, Ties};
pub use wprobdd::WProbDd;
