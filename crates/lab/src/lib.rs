//! All input and output of an experiment.
//!
//! The other crates think; this one touches the world. [`process`] runs one of the user's commands.

pub mod event;
pub mod pool;
pub mod process;
pub mod run;
