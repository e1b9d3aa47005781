//! The algorithms over a flat list of changes, one paper and one file each.

pub mod add;
pub mod dd;
pub mod ddmin;
pub mod exhaustive;
#[cfg(test)]
mod figures;
pub mod wddmin;

pub use add::Add;
pub use dd::Dd;
pub use ddmin::{Ddmin, SweepDdmin};
pub use exhaustive::Exhaustive;
pub use wddmin::Wddmin;
