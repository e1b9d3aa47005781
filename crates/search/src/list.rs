//! The algorithms over a flat list of changes, one paper and one file each.

pub mod add;
pub mod dd;
pub mod ddmin;
pub mod exhaustive;
pub mod pith;
pub mod wddmin;

#[cfg(test)]
mod figures;

pub use add::Add;
pub use dd::Dd;
pub use ddmin::{Ddmin, SweepDdmin};
pub use exhaustive::Exhaustive;
pub use pith::Pith;
pub use wddmin::Wddmin;
