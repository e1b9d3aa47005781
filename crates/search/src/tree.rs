//! Searches over trees: parts inside parts.

pub mod hdd;
pub mod perses;
pub mod pruning;
pub mod shape;

pub use hdd::Hdd;
pub use perses::Perses;
pub use pruning::{Edit, Pruning};
pub use shape::Shape;
