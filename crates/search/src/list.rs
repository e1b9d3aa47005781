//! The algorithms over a flat list of changes, one paper and one file each.

pub mod c2d2;
pub mod ddmin;

pub use c2d2::C2d2;
pub use ddmin::Ddmin;
