//! Versions from every place they may come from: what is read, what is refused, and that nothing is touched.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod archive;
mod dir;
mod git;
mod limit;
mod patch;
mod pin;
mod sandbox;
mod untouched;
