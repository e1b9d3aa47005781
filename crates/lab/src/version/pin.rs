//! Keeping paths the same in every config.
//!
//! The test of a bug fix usually arrives with the fix, and often the difference that is searched holds the
//! test's own file. A pinned path is taken out of the difference: both versions get it from the new one, or
//! from the only one that has it. A script that lies beside the versions, in the folder the user is in, can
//! come along as well.

use super::dir::{ReadError, read_entry};
use super::{Entry, Pair, RelPath, Snapshot, place};
use std::path::Path;

/// Where a pinned path came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pinned {
    /// It was the same in both versions already.
    Alike,
    /// Both versions have it as the new one does.
    FromNew,
    /// Only the old version has it, and now both do.
    FromOld,
    /// Neither version has it: it was read from the user's folder.
    FromHere,
    /// It is nowhere.
    Missing,
}

impl Pair {
    /// Whether either version has a file at the path.
    pub fn has_file(&self, path: &RelPath) -> bool {
        self.old.tree.get(path).is_some() || self.new.tree.get(path).is_some()
    }

    /// Whether both versions have a file at the path.
    pub fn is_in_both(&self, path: &RelPath) -> bool {
        self.old.tree.get(path).is_some() && self.new.tree.get(path).is_some()
    }

    /// Makes both versions have the path, a file or a folder with all that is in it, from the same source.
    pub fn pin(&mut self, path: &RelPath) -> Pinned {
        let (old, new) = (under(&self.old.tree, path), under(&self.new.tree, path));
        match (old.is_empty(), new.is_empty()) {
            (true, true) => Pinned::Missing,
            (false, true) => {
                replace(&mut self.new.tree, path, old);
                Pinned::FromOld
            }
            _ if old == new => Pinned::Alike,
            _ => {
                replace(&mut self.old.tree, path, new);
                Pinned::FromNew
            }
        }
    }

    /// The same, but a file that neither version has is read from `file`.
    pub fn pin_or_read(&mut self, path: &RelPath, file: &Path) -> Result<Pinned, ReadError> {
        let pinned = self.pin(path);
        let Some(entry) = (if pinned == Pinned::Missing { read_entry(file)? } else { None }) else {
            return Ok(pinned);
        };
        for tree in [&mut self.old.tree, &mut self.new.tree] {
            place(tree, path.clone(), entry.clone());
        }
        Ok(Pinned::FromHere)
    }
}

/// What stands at a path and below it.
fn under(tree: &Snapshot, path: &RelPath) -> Vec<(RelPath, Entry)> {
    let at = tree.get(path).map(|entry| (path.clone(), entry.clone()));
    at.into_iter().chain(tree.inside(path).map(|(path, entry)| (path.clone(), entry.clone()))).collect()
}

fn replace(tree: &mut Snapshot, path: &RelPath, entries: Vec<(RelPath, Entry)>) {
    for (gone, _) in under(tree, path) {
        tree.remove(&gone);
    }
    for (path, entry) in entries {
        place(tree, path, entry);
    }
}
