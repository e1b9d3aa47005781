//! One file for each command.

pub mod demo;
pub mod diff;
pub mod explain;
pub mod isolate;
pub mod manual;
pub mod reduce;
pub mod resume;
