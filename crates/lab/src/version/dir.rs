//! Versions from directories.
//!
//! `.gitignore` files inside the directory are respected and `.git` is left out, so that a checkout with its
//! build products and the same checkout without them are the same version. Those of folders above are not: two
//! copies kept in an ignored scratch folder are still two versions. In a release, though, an ignored file may be
//! content (`configure` of a tarball made by autotools); [`include()`] reads what the other version has, ignored
//! or not. Sockets, pipes and devices are left out; links are kept as links, wherever they point.

use super::{Entry, EntryKind, Origin, RelPath, Snapshot, Version};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

/// A file or folder that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("failed to read `{}`", path.display())]
pub struct ReadError {
    /// What could not be read.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub cause: io::Error,
}

impl ReadError {
    pub(super) fn of(path: &Path) -> impl FnOnce(io::Error) -> ReadError + '_ {
        move |cause| ReadError { path: path.to_owned(), cause }
    }
}

/// Reads the files of a directory but for ignored ones, which its [`Origin`] lists.
pub fn read(root: &Path) -> Result<Version, ReadError> {
    let mut walk = Walk { root, tree: Snapshot::default(), alongside: Vec::new() };
    walk.folder(&mut Vec::new(), &mut Vec::new())?;
    let origin = Origin { root: root.to_owned(), alongside: walk.alongside };
    Ok(Version { name: format!("`{}`", root.display()), tree: walk.tree, origin: Some(origin) })
}

/// Adds those of `paths` that are files of the directory but were ignored.
pub fn include<'a>(
    tree: &mut Snapshot,
    root: &Path,
    paths: impl Iterator<Item = &'a RelPath>,
) -> Result<(), ReadError> {
    for path in paths {
        let free = |p: &RelPath| tree.get(p).is_none();
        if free(path) && path.folders().all(|folder| free(&folder)) {
            let place = root.join(os_path(path.as_bytes()));
            if let Some(entry) = read_entry(&place)? {
                tree.insert(path.clone(), entry);
            }
        }
    }
    Ok(())
}

/// Reads what is at `path`: nothing if it is a folder, missing, or neither file nor link.
pub(super) fn read_entry(path: &Path) -> Result<Option<Entry>, ReadError> {
    let missing = |e: &io::Error| matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(cause) if missing(&cause) => return Ok(None),
        Err(cause) => return Err(ReadError::of(path)(cause)),
    };
    let (kind, content) = if metadata.is_symlink() {
        (EntryKind::Symlink, std::fs::read_link(path).map(|target| path_bytes(&target)))
    } else if metadata.is_file() {
        (EntryKind::File { executable: is_executable(&metadata) }, std::fs::read(path))
    } else {
        return Ok(None);
    };
    Ok(Some(Entry { kind, content: content.map_err(ReadError::of(path))?.into() }))
}

struct Walk<'a> {
    root: &'a Path,
    tree: Snapshot,
    alongside: Vec<RelPath>,
}

impl Walk<'_> {
    /// Reads the folder named by `prefix` (empty, or ending in `/`), under the `.gitignore` files of all folders
    /// down to it.
    fn folder(&mut self, prefix: &mut Vec<u8>, ignores: &mut Vec<Gitignore>) -> Result<(), ReadError> {
        let folder = self.root.join(os_path(prefix));
        let (rules, n_ignores) = (folder.join(".gitignore"), ignores.len());
        if rules.is_file() {
            let mut builder = GitignoreBuilder::new(&folder);
            // A pattern that does not parse ignores nothing, as in git.
            let _ = builder.add(&rules);
            ignores.extend(builder.build().ok());
        }
        for child in std::fs::read_dir(&folder).map_err(ReadError::of(&folder))? {
            let child = child.map_err(ReadError::of(&folder))?;
            let name = child.file_name();
            if name == ".git" {
                continue;
            }
            let place = child.path();
            let is_folder = child.file_type().map_err(ReadError::of(&place))?.is_dir();
            let length = prefix.len();
            prefix.extend_from_slice(name.as_encoded_bytes());
            let path = RelPath::new(&prefix).expect("a folder lists single names");
            if is_ignored(ignores, &place, is_folder) {
                self.alongside.push(path);
            } else if is_folder {
                prefix.push(b'/');
                self.folder(prefix, ignores)?;
            } else if let Some(entry) = read_entry(&place)? {
                self.tree.insert(path, entry);
            }
            prefix.truncate(length);
        }
        ignores.truncate(n_ignores);
        Ok(())
    }
}

/// Whether the innermost `.gitignore` that has an opinion says so.
fn is_ignored(ignores: &[Gitignore], path: &Path, is_folder: bool) -> bool {
    let opinions = ignores.iter().rev().map(|ignore| ignore.matched(path, is_folder));
    opinions.into_iter().find(|opinion| !opinion.is_none()).is_some_and(|opinion| opinion.is_ignore())
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &Metadata) -> bool {
    false
}

/// Bytes as a path of the operating system.
#[cfg(unix)]
pub(super) fn os_path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// Bytes as a path of the operating system.
#[cfg(not(unix))]
pub(super) fn os_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// The bytes of a path of the operating system, with `/` between components.
pub(super) fn path_bytes(path: &Path) -> Vec<u8> {
    let bytes = AsRef::<OsStr>::as_ref(path).as_encoded_bytes().iter();
    bytes.map(|b| if cfg!(windows) && *b == b'\\' { b'/' } else { *b }).collect()
}
