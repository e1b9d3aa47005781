//! The content of a version as a value: files by path.
//!
//! Paths are bytes, as git and Unix have them: a file name need not be UTF-8. Folders are not entries; one
//! exists when a file is in it, so an empty folder is no part of a version (as in git).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A tree of files by path and content.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Tree {
    /// Every file, link and submodule; no path lies under another.
    pub files: BTreeMap<RelPath, Entry>,
}

/// What a path holds.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    /// What kind of thing it is.
    pub kind: Kind,
    /// A file's bytes, a link's target, or a submodule's commit in hexadecimal.
    pub content: Arc<[u8]>,
}

/// The kinds of entries that git tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A regular file.
    File {
        /// Whether its owner may run it.
        executable: bool,
    },
    /// A symbolic link.
    Symlink,
    /// A commit of another repository.
    Submodule,
}

/// A relative path: `/` between components, none of them empty, `.` or `..`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(Arc<[u8]>);

/// A path that would not stay inside a tree.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a path inside a tree")]
pub struct BadPath(pub String);

impl RelPath {
    /// The path made of these bytes, if it stays inside a tree.
    pub fn new(bytes: &[u8]) -> Result<RelPath, BadPath> {
        let sound = |name: &[u8]| !matches!(name, b"" | b"." | b"..") && !name.contains(&0);
        match bytes.split(|b| *b == b'/').all(sound) {
            true => Ok(RelPath(bytes.into())),
            false => Err(BadPath(bytes.escape_ascii().to_string())),
        }
    }

    /// The path's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The folders above the path, outermost first.
    pub fn folders(&self) -> impl Iterator<Item = RelPath> + '_ {
        let ends = self.0.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(i, _)| i);
        ends.map(|end| RelPath(self.0[..end].into()))
    }
}

/// Bytes that are not printable are escaped, so that a path is always one line.
impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match std::str::from_utf8(&self.0) {
            Ok(text) if !text.contains(char::is_control) => f.write_str(text),
            _ => write!(f, "{}", self.0.escape_ascii()),
        }
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.kind {
            Kind::File { executable: false } => "file",
            Kind::File { executable: true } => "exec",
            Kind::Symlink => "link",
            Kind::Submodule => "commit",
        };
        write!(f, "{mark} \"{}\"", self.content.escape_ascii())
    }
}

/// One line for each entry.
impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.files.iter().try_for_each(|(path, entry)| writeln!(f, "{path}: {entry:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_inside_the_tree() {
        for good in ["a", "a/b", "...", "a/..b", "with space/\n", "\u{1f980}"] {
            assert_eq!(RelPath::new(good.as_bytes()).unwrap().as_bytes(), good.as_bytes());
        }
        for bad in ["", "/", "/a", "a/", "a//b", "..", "a/../b", "./a", "a/.", "nul\0"] {
            assert!(RelPath::new(bad.as_bytes()).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn folders_are_listed_from_the_outermost() {
        let path = RelPath::new(b"a/b/c").unwrap();
        assert_eq!(path.folders().map(|p| p.to_string()).collect::<Vec<_>>(), ["a", "a/b"]);
    }

    #[test]
    fn a_path_is_shown_on_one_line() {
        assert_eq!(RelPath::new(b"a\nb\xff").unwrap().to_string(), r"a\nb\xff");
        assert_eq!(RelPath::new("ü".as_bytes()).unwrap().to_string(), "ü");
    }
}
