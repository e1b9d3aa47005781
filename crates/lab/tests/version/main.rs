//! Versions from every place they may come from: what is read, what is refused, and that nothing is touched.

mod archive;
mod dir;
mod git;
mod limit;
mod patch;
mod sandbox;
mod untouched;
