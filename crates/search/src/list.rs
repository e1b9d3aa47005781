//! The algorithms over a flat list of changes, one paper and one file each.

pub mod ddmin;

pub use ddmin::Ddmin;
pub mod pith;
pub use pith::Pith;
