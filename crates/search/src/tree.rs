//! Searches over trees, built on any search over a list.

mod hdd;
mod shape;

pub use hdd::Hdd;
pub use shape::Shape;
