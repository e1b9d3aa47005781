//! What tells one rendered tree from another.
//!
//! Each entry of a version has a hash of its own, and the tree's is their exclusive or: a tree that differs
//! in three files is told by hashing three files. Nobody forges trees here; chance alone cannot make two of
//! them alike.

use nub_change::{Entry, EntryKind, RelPath};
use std::fmt;

/// The digest of a version, or of one entry at its path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Digest(u128);

impl Digest {
    /// The digest of an entry at its path.
    pub(crate) fn of(path: &RelPath, entry: &Entry) -> Digest {
        let kind = match entry.kind {
            EntryKind::File { executable: false } => b'f',
            EntryKind::File { executable: true } => b'x',
            EntryKind::Symlink => b'l',
            EntryKind::Submodule => b's',
        };
        let mut hasher = blake3::Hasher::new();
        // A path holds no zero byte, so this ends it.
        hasher.update(path.as_bytes()).update(&[0, kind]).update(&entry.content);
        let bytes: [u8; 16] = hasher.finalize().as_bytes()[..16].try_into().expect("a hash has 32 bytes");
        Digest(u128::from_le_bytes(bytes))
    }

    /// The digest with an entry put in or taken out; both are the same.
    pub(crate) fn toggle(self, entry: Digest) -> Digest {
        Digest(self.0 ^ entry.0)
    }
}

/// Writes hexadecimal digits.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Reads what was written.
impl std::str::FromStr for Digest {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Digest, Self::Err> {
        u128::from_str_radix(text, 16).map(Digest)
    }
}
