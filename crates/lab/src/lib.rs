//! All input and output of an experiment: where versions come from, where and how they are tested, what is recorded.

pub mod version;
