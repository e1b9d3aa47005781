//! All input and output of an experiment.
//!
//! The other crates think; this one touches the world. [`process`] runs one of the user's commands,
//! [`workspace`] keeps the folder it runs in, [`pool`] asks many configs side by side, [`journal`] keeps the
//! answers, and [`run`] joins them.

pub mod journal;
pub mod pool;
pub mod process;
pub mod run;
pub mod workspace;
