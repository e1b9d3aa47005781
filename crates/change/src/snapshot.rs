//! The value of a version: its files by path.
//!
//! Reading one from git, a directory or an archive is not done here. Paths are bytes, as git and Unix have
//! them, and are checked once, when they are made: nothing made from a [`RelPath`] can leave its folder.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

/// A path inside a version: bytes, parts separated by `/`, never absolute, never with `.` or `..`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(Arc<[u8]>);

/// A path that does not stay inside its version, or that no file can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a path inside a version", path.escape_ascii())]
pub struct BadPath {
    /// The path as it was given.
    pub path: Vec<u8>,
}

impl RelPath {
    /// Checks that the path stays inside its version.
    pub fn new(path: impl AsRef<[u8]>) -> Result<RelPath, BadPath> {
        let path = path.as_ref();
        let bad_part = |part: &[u8]| part.is_empty() || part == b"." || part == b"..";
        if path.contains(&0) || path.split(|&b| b == b'/').any(bad_part) {
            return Err(BadPath { path: path.to_vec() });
        }
        Ok(RelPath(path.into()))
    }

    /// The path as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The last part of the path.
    pub fn name(&self) -> &[u8] {
        self.0.rsplit(|&b| b == b'/').next().expect("splitting gives at least one part")
    }

    /// The folders the path lies in, nearest last: `a` and `a/b` for `a/b/c`.
    pub fn folders(&self) -> impl Iterator<Item = RelPath> + '_ {
        let slashes = self.0.iter().enumerate().filter(|&(_, &b)| b == b'/');
        slashes.map(|(i, _)| RelPath(self.0[..i].into()))
    }

    /// Whether the path lies in `folder`, at any depth.
    pub fn is_inside(&self, folder: &RelPath) -> bool {
        self.0.strip_prefix(&*folder.0).is_some_and(|rest| rest.first() == Some(&b'/'))
    }
}

impl TryFrom<&str> for RelPath {
    type Error = BadPath;

    fn try_from(path: &str) -> Result<RelPath, BadPath> {
        RelPath::new(path)
    }
}

/// Bytes that are not printable are escaped, so that a path is always one line.
impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match std::str::from_utf8(&self.0) {
            Ok(text) if !text.contains(char::is_control) => f.pad(text),
            _ => f.pad(&self.0.escape_ascii().to_string()),
        }
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A plain file.
    File {
        /// Whether it may be executed, which is all git records of a mode.
        executable: bool,
    },
    /// A symbolic link; its content is the target.
    Symlink,
    /// A repository inside the repository; its content is the commit, in hexadecimal digits.
    Submodule,
}

/// One file of a version; cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub kind: EntryKind,
    /// Its bytes.
    pub content: Arc<[u8]>,
}

impl Entry {
    /// A plain file that is not executable.
    pub fn file(content: impl Into<Arc<[u8]>>) -> Entry {
        Entry { kind: EntryKind::File { executable: false }, content: content.into() }
    }

    /// A symbolic link.
    pub fn symlink(target: impl Into<Arc<[u8]>>) -> Entry {
        Entry { kind: EntryKind::Symlink, content: target.into() }
    }

    /// Whether this is a plain file of text: one without a NUL byte.
    ///
    /// Invalid UTF-8 is still text: lines of an old encoding are lines.
    pub fn is_text(&self) -> bool {
        matches!(self.kind, EntryKind::File { .. }) && memchr::memchr(0, &self.content).is_none()
    }

    pub(crate) fn same_content(&self, other: &Entry) -> bool {
        Arc::ptr_eq(&self.content, &other.content) || self.content == other.content
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.kind {
            EntryKind::File { executable: false } => "file",
            EntryKind::File { executable: true } => "exec",
            EntryKind::Symlink => "link",
            EntryKind::Submodule => "commit",
        };
        write!(f, "{mark} \"{}\"", self.content.escape_ascii())
    }
}

/// A version as a value: what stands at every path. Folders exist by what is in them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    entries: BTreeMap<RelPath, Entry>,
}

impl Snapshot {
    /// A version without files.
    pub fn new() -> Snapshot {
        Snapshot::default()
    }

    /// Puts an entry at a path; returns what stood there.
    pub fn insert(&mut self, path: RelPath, entry: Entry) -> Option<Entry> {
        self.entries.insert(path, entry)
    }

    /// Takes away what stands at a path.
    pub fn remove(&mut self, path: &RelPath) -> Option<Entry> {
        self.entries.remove(path)
    }

    /// What stands at a path.
    pub fn get(&self, path: &RelPath) -> Option<&Entry> {
        self.entries.get(path)
    }

    /// All entries in order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&RelPath, &Entry)> {
        self.entries.iter()
    }

    /// All paths where something stands, in order.
    pub fn paths(&self) -> impl Iterator<Item = &RelPath> {
        self.entries.keys()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries inside a folder, at any depth.
    pub fn inside(&self, folder: &RelPath) -> impl Iterator<Item = (&RelPath, &Entry)> {
        let first = RelPath([folder.as_bytes(), b"/"].concat().into());
        let rest = self.entries.range::<RelPath, _>((Bound::Included(&first), Bound::Unbounded));
        rest.take_while(move |(path, _)| path.0.starts_with(&first.0))
    }

    /// An entry that would have to be a folder as well, because another lies inside it; a version has none.
    pub fn clash(&self) -> Option<(&RelPath, &RelPath)> {
        self.entries.keys().find_map(|path| self.inside(path).next().map(|(inner, _)| (path, inner)))
    }
}

impl FromIterator<(RelPath, Entry)> for Snapshot {
    fn from_iter<T: IntoIterator<Item = (RelPath, Entry)>>(entries: T) -> Snapshot {
        Snapshot { entries: entries.into_iter().collect() }
    }
}

impl IntoIterator for Snapshot {
    type Item = (RelPath, Entry);
    type IntoIter = std::collections::btree_map::IntoIter<RelPath, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

/// One line for each entry.
impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|(path, entry)| writeln!(f, "{path}: {entry:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::try_from(text).unwrap()
    }

    #[test]
    fn a_path_that_leaves_its_version_is_refused() {
        for bad in ["", "/a", "a/", "a//b", "..", "a/../b", "./a", "a\0b"] {
            assert!(RelPath::try_from(bad).is_err(), "{bad:?}");
        }
        assert!(RelPath::new(b"a/..b/\xff\n").is_ok());
    }

    #[test]
    fn a_clash_is_found_even_with_names_between() {
        let tree =
            |paths: &[&str]| -> Snapshot { paths.iter().map(|p| (path(p), Entry::file(*b""))).collect() };
        assert_eq!(tree(&["a", "a-b", "a/c"]).clash(), Some((&path("a"), &path("a/c"))));
        assert_eq!(tree(&["a-b", "a/c", "ab/c"]).clash(), None);
    }

    #[test]
    fn a_path_is_shown_on_one_line() {
        assert_eq!(RelPath::new(b"a\nb\xff").unwrap().to_string(), r"a\nb\xff");
        assert_eq!(path("ü").to_string(), "ü");
    }

    #[test]
    fn folders_are_listed_from_the_root() {
        assert_eq!(path("a/b/c").folders().collect::<Vec<_>>(), [path("a"), path("a/b")]);
        assert_eq!(path("a/b/c").name(), b"c");
        assert!(path("a/b/c").is_inside(&path("a/b")));
        assert!(!path("ab/c").is_inside(&path("a")));
    }
}
