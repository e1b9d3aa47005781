//! What differs between two versions, and any part of it applied.

mod edits;
mod lines;
pub mod snapshot;
pub mod trace;
pub mod weave;
mod words;

pub use snapshot::{BadPath, Entry, EntryKind, RelPath, Snapshot};
pub use trace::{Origin, Trace};
pub use weave::{Choice, Literal, Piece, Source, Weave, Weaver};
