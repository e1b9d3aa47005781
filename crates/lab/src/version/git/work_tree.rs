//! The working tree: what is tracked, what is not, and what is on disk in its place.

use super::{
    GitError, Id, Known, Listed, Repository, WORK_TREE, fields, kind_of, path_at, records, split_once, text,
};
use crate::version::dir::{os_path, read_entry};
use crate::version::{Entry, EntryKind, Origin, RelPath, Snapshot, Version};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// A path of the index.
struct Indexed {
    listed: Listed,
    /// Whether it lies outside a sparse checkout.
    is_skipped: bool,
}

/// How the working tree stands to the index.
#[derive(Default)]
struct Status {
    modified: HashSet<RelPath>,
    deleted: HashSet<RelPath>,
    untracked: Vec<RelPath>,
    alongside: Vec<RelPath>,
}

/// What of a file's metadata means something in this working tree, by git's configuration.
struct Trusts {
    modes: bool,
    links: bool,
}

impl Trusts {
    fn kind(&self, found: EntryKind, recorded: EntryKind) -> EntryKind {
        match (found, recorded) {
            (EntryKind::File { .. }, EntryKind::File { .. }) if !self.modes => recorded,
            (EntryKind::File { .. }, EntryKind::Symlink) if !self.links => recorded,
            _ => found,
        }
    }
}

impl Repository {
    /// Reads the working tree: tracked files as they are on disk, and untracked ones that are not ignored.
    pub fn read_work_tree(&self, known: &mut Known) -> Result<Version, GitError> {
        let top = self.work_tree().ok_or_else(|| GitError::NoWorkTree(self.dir.clone()))?;
        let index = self.index()?;
        let status = self.status(&index)?;
        let trusts = self.trusts()?;
        let mut tree = Snapshot::default();
        let mut not_checked_out = Vec::new();
        for Indexed { listed, is_skipped } in &index {
            let Listed { path, kind: recorded, id } = listed;
            if status.deleted.contains(path) {
                continue;
            }
            let place = top.join(os_path(path.as_bytes()));
            if *recorded == EntryKind::Submodule && (place.is_dir() || *is_skipped) {
                let id = self.commit_of_submodule(&place)?.unwrap_or_else(|| id.clone());
                tree.insert(
                    path.clone(),
                    Entry { kind: EntryKind::Submodule, content: id.into_bytes().into() },
                );
            } else if let Some(mut entry) = read_entry(&place)? {
                entry.kind = trusts.kind(entry.kind, *recorded);
                let is_plain = entry.kind == *recorded && entry.kind != EntryKind::Symlink;
                if is_plain && !status.modified.contains(path) {
                    known.0.insert(path.clone(), (id.clone(), Arc::clone(&entry.content)));
                }
                tree.insert(path.clone(), entry);
            } else if *is_skipped {
                not_checked_out.push(listed);
            }
        }
        // A file outside a sparse checkout is as the index has it.
        self.learn(WORK_TREE, &not_checked_out, known)?;
        for Listed { path, kind, id } in not_checked_out {
            let content = known.get(path, id).expect("it was just read");
            tree.insert(path.clone(), Entry { kind: *kind, content });
        }
        for path in status.untracked {
            if let Some(entry) = read_entry(&top.join(os_path(path.as_bytes())))? {
                tree.insert(path, entry);
            }
        }
        let origin = Origin { root: top.to_owned(), alongside: status.alongside };
        Ok(Version { name: WORK_TREE.into(), tree, origin: Some(origin) })
    }

    /// Where ignored files can be copied from: the working tree, if there is one.
    pub fn origin(&self) -> Result<Option<Origin>, GitError> {
        let Some(top) = self.work_tree() else { return Ok(None) };
        let status = self.status(&self.index()?)?;
        Ok(Some(Origin { root: top.to_owned(), alongside: status.alongside }))
    }

    /// The tracked files under a folder, named from that folder.
    pub fn tracked(&self, folder: &Path) -> Result<Vec<RelPath>, GitError> {
        let listing = Repository { dir: folder.to_owned(), ..self.clone() }.run(&["ls-files", "-z"])?;
        records(&listing).map(|path| path_at("the index", path)).collect()
    }

    /// The tracked files; one with a conflict is listed once for each of its sides.
    fn index(&self) -> Result<Vec<Indexed>, GitError> {
        let listing = self.run(&["ls-files", "-s", "-t", "-z"])?;
        let indexed = records(&listing).map(|line| {
            let (facts, path) = split_once(line, b'\t');
            let [tag, mode, id] = fields(facts);
            let listed = Listed { path: path_at("the index", path)?, kind: kind_of(&mode), id };
            Ok(Indexed { listed, is_skipped: tag == "S" })
        });
        indexed.collect()
    }

    fn status(&self, index: &[Indexed]) -> Result<Status, GitError> {
        let mut status = Status::default();
        let listing = self.run(&[
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=all",
            "--ignored=matching",
            "--no-renames",
            "--ignore-submodules=all",
        ])?;
        for line in records(&listing) {
            let (code, path) = line.split_at(3.min(line.len()));
            // A folder stands for all that is in it: it is ignored, or another repository.
            let (path, is_folder) = path.strip_suffix(b"/").map_or((path, false), |path| (path, true));
            let path = path_at(WORK_TREE, path)?;
            match (code, is_folder) {
                (b"!! ", _) | (b"?? ", true) => status.alongside.push(path),
                (b"?? ", false) => status.untracked.push(path),
                ([_, b' ', _], _) => {}
                // In a conflict, deleted on one side only, the file is still there.
                ([x, b'D', _], _) if *x != b'U' => {
                    status.deleted.insert(path);
                }
                _ => {
                    status.modified.insert(path);
                }
            }
        }
        let modules = index.iter().filter(|i| i.listed.kind == EntryKind::Submodule);
        status.alongside.extend(modules.map(|i| i.listed.path.clone()));
        Ok(status)
    }

    fn trusts(&self) -> Result<Trusts, GitError> {
        let output =
            self.output(&["config", "--type=bool", "--get-regexp", r"^core\.(filemode|symlinks)$"])?;
        let said = text(&output.stdout);
        // The last line of a setting is the nearest configuration, which wins.
        let setting =
            |name: &str| said.lines().rev().find_map(|line| line.strip_prefix(name)) != Some(" false");
        Ok(Trusts { modes: setting("core.filemode"), links: setting("core.symlinks") })
    }

    fn commit_of_submodule(&self, place: &Path) -> Result<Option<Id>, GitError> {
        let git_dir = place.join(".git");
        let Some(git_dir) = git_dir.to_str().filter(|_| git_dir.exists()) else { return Ok(None) };
        let output = self.output(&["--git-dir", git_dir, "rev-parse", "--verify", "HEAD"])?;
        Ok(output.status.success().then(|| text(&output.stdout)))
    }
}
