//! The algorithms over a flat list of changes, one paper and one file each.

pub mod ddmin;
#[cfg(test)]
mod figures;

pub use ddmin::{Ddmin, SweepDdmin};
