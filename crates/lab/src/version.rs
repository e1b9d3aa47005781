//! Where the two versions of an experiment come from.
//!
//! [`PairSpec::parse`] makes out what the user means by the words of the command line (a revision, a range, a
//! directory, an archive, a patch, or nothing at all), [`PairSpec::load`] reads both versions,
//! [`Pair::limit`] keeps to the paths that may change, and [`Pair::pin`] holds a path that may not.
//! Everything of the user's is only read.
//!
//! Why are versions held in memory whole? Their difference is looked at from every side before anything is
//! built; files that both versions share are held once; and a release that does not fit would not be searched
//! either.

pub mod archive;
pub mod dir;
pub mod git;
mod limit;
pub mod patch;
mod pin;
mod spec;

pub use limit::{BadGlob, Filter};
pub use nub_change::snapshot::{BadPath, Entry, EntryKind, RelPath, Snapshot};
pub use pin::Pinned;
pub use spec::{NewSpec, PairSpec, SpecError, VersionSpec};

use archive::{Archive, ArchiveError, Limits};
use dir::ReadError;
use git::{GitError, Known, Repository};
use patch::PatchError;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A tree of files by path and content, with a name for messages.
#[derive(Clone, Debug)]
pub struct Version {
    /// What the user calls it, fit for the middle of a sentence.
    pub name: String,
    /// Its files.
    pub tree: Snapshot,
    origin: Option<Origin>,
}

impl Version {
    /// Where the things that are no part of the version, but that builds need or profit from, can be copied
    /// from.
    ///
    /// A directory or working tree is its own origin; a revision has its repository's working tree; an
    /// archive has none.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }
}

/// A directory of the user's with what lies in it beside the files of the version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The directory.
    pub root: PathBuf,
    /// Ignored files and folders (`target`, `node_modules`), submodules and nested repositories: those that
    /// are not inside another of them. A few may be files of the version after all; the version's content
    /// counts.
    pub alongside: Vec<RelPath>,
}

/// The two versions of an experiment.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The version the changes start from.
    pub old: Version,
    /// The version the changes lead to.
    pub new: Version,
    /// The folder of the versions that the user is in, unless it is the top: where commands are meant to run.
    pub subfolder: Option<RelPath>,
}

impl Pair {
    /// Leaves out a folder that may lie inside of the versions, and is no part of them.
    pub fn leave_out(&mut self, folder: &Path) -> Result<(), VersionError> {
        self.old.leave_out(folder);
        self.new.leave_out(folder);
        self.differs()
    }

    fn differs(&self) -> Result<(), VersionError> {
        let Pair { old, new, .. } = self;
        if old.tree != new.tree {
            return Ok(());
        }
        Err(VersionError::Identical { old: old.name.clone(), new: new.name.clone() })
    }
}

impl Version {
    fn leave_out(&mut self, folder: &Path) {
        let Some(origin) = &mut self.origin else { return };
        let (Ok(root), Ok(folder)) = (origin.root.canonicalize(), folder.canonicalize()) else { return };
        let Ok(inside) = folder.strip_prefix(root) else { return };
        let Ok(inside) = RelPath::new(inside.as_os_str().as_bytes()) else { return };
        let all: Vec<RelPath> = self.tree.inside(&inside).map(|(path, _)| path.clone()).collect();
        all.iter().for_each(|path| drop(self.tree.remove(path)));
        origin.alongside.retain(|path| *path != inside && !path.is_inside(&inside));
    }
}

/// Why there are no two versions to compare.
#[derive(Debug, thiserror::Error)]
pub enum VersionError {
    /// The words of the command line name no pair of versions.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Git could not give a version.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A directory could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An archive is no version.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A patch gave no version.
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// The versions do not differ.
    #[error(
        "{old} and {new} have the same files, so there is nothing to search; name two versions that differ"
    )]
    Identical {
        /// The old version's name.
        old: String,
        /// The new version's name.
        new: String,
    },
    /// The versions differ only where they may not.
    #[error("--only and --ignore leave no change to search; changed are: {changed}")]
    NothingLeft {
        /// Some of the changed paths.
        changed: String,
    },
}

impl PairSpec {
    /// Reads both versions, and finds that they differ.
    pub fn load(&self, limits: Limits) -> Result<Pair, VersionError> {
        let mut loading = Loading { repository: self.repository.as_ref(), known: Known::default(), limits };
        let (old, new) = match &self.new {
            NewSpec::Patch(patch) => {
                let old = loading.read(&self.old)?.stripped(&[])?;
                let tree = patch::apply(&old.tree, &old.name, patch)?;
                let name = format!("{} with `{}`", old.name, patch.display());
                let new = Version { name, tree, origin: old.origin.clone() };
                (old, new)
            }
            NewSpec::Version(new) => loading.read_both(&self.old, new)?,
        };
        let subfolder = self.repository.as_ref().filter(|_| self.uses_git());
        let pair = Pair { old, new, subfolder: subfolder.and_then(|r| r.subfolder().cloned()) };
        pair.differs()?;
        Ok(pair)
    }
}

/// What is at hand while versions are read.
struct Loading<'a> {
    repository: Option<&'a Repository>,
    known: Known,
    limits: Limits,
}

/// A version as read; an archive waits for the other version before its top folder goes.
enum Raw {
    Version(Version),
    Archive(String, Archive),
}

impl Loading<'_> {
    fn read_both(
        &mut self,
        old: &VersionSpec,
        new: &VersionSpec,
    ) -> Result<(Version, Version), VersionError> {
        // The working tree comes first: what is unmodified in it need not be read from the repository.
        let (raw_old, raw_new) = if *old == VersionSpec::WorkTree {
            let raw_old = self.read(old)?;
            (raw_old, self.read(new)?)
        } else {
            let raw_new = self.read(new)?;
            (self.read(old)?, raw_new)
        };
        let (old_tops, new_tops) = (archive::tops(raw_old.tree()), archive::tops(raw_new.tree()));
        let (mut old_version, mut new_version) = (raw_old.stripped(&new_tops)?, raw_new.stripped(&old_tops)?);
        if let VersionSpec::Directory(root) = old {
            dir::include(&mut old_version.tree, root, new_version.tree.paths())?;
        }
        if let VersionSpec::Directory(root) = new {
            dir::include(&mut new_version.tree, root, old_version.tree.paths())?;
        }
        Ok((old_version, new_version))
    }

    fn read(&mut self, spec: &VersionSpec) -> Result<Raw, VersionError> {
        let repository = || self.repository.expect("parsing found the repository of what it calls git's");
        Ok(Raw::Version(match spec {
            VersionSpec::WorkTree => repository().read_work_tree(&mut self.known)?,
            VersionSpec::Revision { name, id } => {
                let repository = repository();
                let tree = repository.read_revision(name, id, &mut self.known)?;
                Version { name: name.clone(), tree, origin: repository.origin()? }
            }
            VersionSpec::Directory(root) => {
                let mut version = dir::read(root)?;
                dir::include(&mut version.tree, root, tracked(root).iter())?;
                version
            }
            VersionSpec::Archive(path) => {
                return Ok(Raw::Archive(format!("`{}`", path.display()), Archive::read(path, self.limits)?));
            }
        }))
    }
}

/// What git tracks in a directory that is a working tree of its own: content, even where it is ignored.
fn tracked(root: &Path) -> Vec<RelPath> {
    let repository = root.join(".git").exists().then(|| Repository::discover(root).ok()).flatten();
    // A repository that git refuses to open still is a directory.
    repository.and_then(|repository| repository.tracked(root).ok()).unwrap_or_default()
}

impl Raw {
    fn tree(&self) -> &Snapshot {
        match self {
            Raw::Version(version) => &version.tree,
            Raw::Archive(_, archive) => &archive.tree,
        }
    }

    fn stripped(self, other_tops: &[RelPath]) -> Result<Version, ArchiveError> {
        match self {
            Raw::Version(version) => Ok(version),
            Raw::Archive(name, archive) => {
                Ok(Version { name, tree: archive.strip(other_tops)?, origin: None })
            }
        }
    }
}

/// Puts an entry into a tree; whatever cannot stand beside it, above or below, goes.
fn place(tree: &mut Snapshot, path: RelPath, entry: Entry) {
    for folder in path.folders() {
        tree.remove(&folder);
    }
    let below: Vec<RelPath> = tree.inside(&path).map(|(other, _)| other.clone()).collect();
    for other in &below {
        tree.remove(other);
    }
    tree.insert(path, entry);
}
