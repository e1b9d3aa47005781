//! What differs between two versions, and any part of it applied.
//!
//! Two [`Snapshot`]s give a [`Patchwork`]: files are paired, and each pair is woven into one [`Weave`] whose
//! pieces depend on numbered [`Change`]s. Any set of these numbers, a config, renders to a version; the empty
//! one to the old version and the full one to the new, byte for byte. Nothing here reads or writes a file.

mod beginnings;
pub mod change;
pub mod coverage;
mod edits;
pub mod evidence;
pub mod grouping;
pub mod legible;
mod lines;
mod loom;
mod moves;
mod pairing;
pub mod part;
mod patch;
pub mod patchwork;
mod relaid;
pub mod rules;
mod side;
pub mod snapshot;
pub mod suspicion;
mod text;
pub mod trace;
mod tree;
mod twins;
mod units;
pub mod weave;
mod words;

pub use beginnings::beginnings;
pub use change::{Change, Kind, Place};
pub use coverage::{Coverage, Sight};
pub use evidence::Evidence;
pub use grouping::{Grouping, Level};
pub use legible::{Illegible, Legible};
pub use patch::{changed_lines, changed_tokens, patch_lines};
pub use patchwork::{Detail, Difference, Patchwork};
pub use snapshot::{BadPath, Entry, EntryKind, RelPath, Snapshot};
pub use suspicion::{is_of_tests, suspicion};
pub use trace::{Origin, Trace};
pub use weave::{Choice, Literal, Piece, Source, Weave, Weaver};
