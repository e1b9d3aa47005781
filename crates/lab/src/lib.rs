//! All input and output of an experiment: where versions come from, where and how they are tested, what is recorded.
//!
//! The other crates think; this one touches the world. [`version`] reads the two versions, [`process`] runs one of the
//! user's commands, [`workspace`] keeps the folder it runs in, [`pool`] asks many configs side by side, [`journal`]
//! keeps the answers, [`run`] drives a search over it all, and [`isolate`] is a whole experiment.

pub mod coverage;
pub mod event;
pub mod isolate;
pub mod journal;
pub mod pool;
pub mod process;
pub mod reduce;
pub mod run;
pub mod version;
pub mod view;
pub mod workspace;
