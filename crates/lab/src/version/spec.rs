//! What the user means by the versions on the command line.
//!
//! ```text
//!   nub isolate                      HEAD, the working tree
//!   nub isolate v1.2                 v1.2, the working tree
//!   nub isolate v1.2 v1.3            v1.2, v1.3            also v1.2..v1.3
//!   nub isolate main...topic         their merge base, topic
//!   nub isolate foo-1.2/ foo.tar.gz  a directory, an archive; any mixture
//!   nub isolate --patch fix.diff     the working tree (or this directory), the same patched
//!   nub isolate v1.2 --patch ...     v1.2, v1.2 patched
//! ```
//!
//! A word that is both a revision and a file is not guessed about: it is an error, as in git. Revisions are
//! resolved here, once, so that a branch that moves meanwhile does not matter.

use super::VersionError;
use super::archive::{self, ArchiveError};
use super::git::{GitError, Repository};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Two versions as the user named them.
#[derive(Clone, Debug)]
pub struct PairSpec {
    /// The old version.
    pub old: VersionSpec,
    /// The new version.
    pub new: NewSpec,
    pub(super) repository: Option<Repository>,
}

/// One version as the user named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionSpec {
    /// The working tree of the repository the user is in, with untracked files.
    WorkTree,
    /// A commit or tree of that repository.
    Revision {
        /// What the user calls it, fit for the middle of a sentence.
        name: String,
        /// Its object id.
        id: String,
    },
    /// A directory.
    Directory(PathBuf),
    /// An archive.
    Archive(PathBuf),
}

/// The new version as the user named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewSpec {
    /// A version of its own.
    Version(VersionSpec),
    /// The old version with this patch applied.
    Patch(PathBuf),
}

/// Why the words on the command line name no pair of versions.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// The word is nothing we know.
    #[error(
        "`{said}` is neither a directory nor an archive, and no revision, for `{}` is not in a git repository",
        here.display()
    )]
    Nothing {
        /// The word.
        said: String,
        /// Where the user is.
        here: PathBuf,
    },
    /// A path leads nowhere.
    #[error("there is no directory or archive `{0}`")]
    NoSuchPath(String),
    /// The word has two meanings.
    #[error(
        "`{said}` is both a revision and {what}; say `./{said}` for {what} or `{said}~0` for the revision"
    )]
    Ambiguous {
        /// The word.
        said: String,
        /// What it is beside a revision.
        what: &'static str,
    },
    /// A range stands where one version is meant.
    #[error("`{0}` names two versions already; leave the other version or --patch out")]
    RangeAndMore(String),
    /// A part of the working tree would be compared with the whole.
    #[error(
        "`{0}` is part of the working tree it would be compared with; name a second version, or limit the paths with --only"
    )]
    PartOfWorkTree(String),
    /// A patch was given and two versions as well.
    #[error("--patch makes the new version from the old one; name one version with it, not two")]
    PatchAndTwo,
    /// There are more than two.
    #[error("{0} versions are named; nub compares two")]
    TooMany(usize),
}

impl PairSpec {
    /// What `said` means to somebody in the folder `here`.
    pub fn parse(here: &Path, said: &[OsString], patch: Option<&Path>) -> Result<PairSpec, VersionError> {
        let parser = Parser { here, repository: Repository::discover(here) };
        let (old, new) = match (said, patch) {
            ([], None) => (parser.revision("HEAD")?, NewSpec::Version(parser.work_tree()?)),
            ([], Some(patch)) => (parser.base()?, parser.patch(patch)),
            ([base], Some(patch)) => (parser.version(base)?, parser.patch(patch)),
            ([one], None) => {
                let (old, new) = parser.range_or_one(one)?;
                (old, NewSpec::Version(new))
            }
            ([old, new], None) => (parser.version(old)?, NewSpec::Version(parser.version(new)?)),
            ([_, _], Some(_)) => return Err(SpecError::PatchAndTwo.into()),
            (many, _) => return Err(SpecError::TooMany(many.len()).into()),
        };
        Ok(PairSpec { old, new, repository: parser.repository.ok() })
    }

    pub(super) fn uses_git(&self) -> bool {
        let is_git =
            |spec: &VersionSpec| matches!(spec, VersionSpec::WorkTree | VersionSpec::Revision { .. });
        is_git(&self.old) || matches!(&self.new, NewSpec::Version(new) if is_git(new))
    }
}

struct Parser<'a> {
    here: &'a Path,
    /// The repository the user is in, or why there is none; no matter until one is needed.
    repository: Result<Repository, GitError>,
}

impl Parser<'_> {
    fn repository(&self) -> Result<&Repository, VersionError> {
        match &self.repository {
            Ok(repository) => Ok(repository),
            // Asking again gives the error anew, and errors cannot be cloned.
            Err(_) => Err(Repository::discover(self.here).expect_err("it failed before").into()),
        }
    }

    fn work_tree(&self) -> Result<VersionSpec, VersionError> {
        match self.repository()?.work_tree() {
            Some(_) => Ok(VersionSpec::WorkTree),
            None => Err(GitError::NoWorkTree(self.here.to_owned()).into()),
        }
    }

    /// What a patch applies to if nothing is said: what one would apply it to by hand.
    fn base(&self) -> Result<VersionSpec, VersionError> {
        match &self.repository {
            Err(GitError::NotARepository(_)) => Ok(VersionSpec::Directory(self.here.to_owned())),
            _ => self.work_tree(),
        }
    }

    fn patch(&self, patch: &Path) -> NewSpec {
        NewSpec::Patch(self.here.join(patch))
    }

    fn revision(&self, said: &str) -> Result<VersionSpec, VersionError> {
        let repository = self.repository()?;
        let id = repository.resolve(said)?.ok_or_else(|| repository.no_such_revision(said))?;
        Ok(VersionSpec::Revision { name: format!("`{said}`"), id })
    }

    fn range_or_one(&self, said: &OsString) -> Result<(VersionSpec, VersionSpec), VersionError> {
        if let Some((old, new, from_merge_base)) = self.range(said)? {
            let (old_spec, new_spec) = (self.revision(old)?, self.revision(new)?);
            if !from_merge_base {
                return Ok((old_spec, new_spec));
            }
            let name = format!("the merge base of `{old}` and `{new}`");
            return Ok((
                VersionSpec::Revision { name, id: self.repository()?.merge_base(old, new)? },
                new_spec,
            ));
        }
        let old = self.version(said)?;
        if self.is_part_of_work_tree(&old)? {
            return Err(SpecError::PartOfWorkTree(shown(said)).into());
        }
        Ok((old, self.work_tree()?))
    }

    fn is_part_of_work_tree(&self, spec: &VersionSpec) -> Result<bool, VersionError> {
        let repository = self.repository.as_ref().ok().filter(|r| r.work_tree().is_some());
        Ok(match (spec, repository) {
            (VersionSpec::WorkTree, _) => true,
            // A folder that git does not track is a copy kept there.
            (VersionSpec::Directory(path), Some(repository)) => {
                let top = repository.work_tree().map(resolved);
                top.is_some_and(|top| resolved(path).starts_with(top))
                    && !repository.tracked(path)?.is_empty()
            }
            _ => false,
        })
    }

    /// The two ends of `a..b` or `a...b`, and whether it was the latter; an end left out is HEAD.
    fn range<'s>(&self, said: &'s OsString) -> Result<Option<(&'s str, &'s str, bool)>, VersionError> {
        let Some(text) = said.to_str().filter(|text| !is_path_like(text) && !self.here.join(text).exists())
        else {
            return Ok(None);
        };
        let three = text.split_once("...").map(|(old, new)| (old, new, true));
        let Some((old, new, from_merge_base)) =
            three.or_else(|| text.split_once("..").map(|(old, new)| (old, new, false)))
        else {
            return Ok(None);
        };
        // Dots may also be part of one revision, as in `:/fix the ..`.
        if let Ok(repository) = &self.repository
            && repository.resolve(text)?.is_some()
        {
            return Ok(None);
        }
        let or_head = |end: &'s str| if end.is_empty() { "HEAD" } else { end };
        Ok(Some((or_head(old), or_head(new), from_merge_base)))
    }

    fn version(&self, said: &OsString) -> Result<VersionSpec, VersionError> {
        let path = self.here.join(said);
        let text = shown(said);
        let as_path = self.as_path(&path);
        if is_path_like(&text) {
            return as_path.ok_or_else(|| match path.exists() {
                true => ArchiveError::UnknownFormat(said.into()).into(),
                false => SpecError::NoSuchPath(text).into(),
            });
        }
        let id = match (&self.repository, said.to_str()) {
            (Ok(repository), Some(said)) => repository.resolve(said)?,
            _ => None,
        };
        match (as_path, id) {
            (Some(spec), None) => Ok(spec),
            (None, Some(id)) => Ok(VersionSpec::Revision { name: format!("`{text}`"), id }),
            (Some(spec), Some(_)) => {
                let is_archive = matches!(spec, VersionSpec::Archive(_));
                let what = if is_archive { "an archive" } else { "a directory" };
                Err(SpecError::Ambiguous { said: text, what }.into())
            }
            (None, None) if path.exists() => Err(ArchiveError::UnknownFormat(said.into()).into()),
            (None, None) if self.range(said)?.is_some() => Err(SpecError::RangeAndMore(text).into()),
            (None, None) => Err(match &self.repository {
                Ok(repository) => repository.no_such_revision(&text).into(),
                Err(GitError::NotARepository(here)) => {
                    SpecError::Nothing { said: text, here: here.clone() }.into()
                }
                Err(_) => self.repository().map(|_| ()).expect_err("it failed before"),
            }),
        }
    }

    fn as_path(&self, path: &Path) -> Option<VersionSpec> {
        let top = self.repository.as_ref().ok().and_then(Repository::work_tree);
        if path.is_dir() {
            let is_top = top.is_some_and(|top| resolved(top) == resolved(path));
            Some(if is_top { VersionSpec::WorkTree } else { VersionSpec::Directory(path.to_owned()) })
        } else {
            (path.is_file() && archive::is_archive(path)).then(|| VersionSpec::Archive(path.to_owned()))
        }
    }
}

/// Whether no revision can be written like this.
fn is_path_like(said: &str) -> bool {
    matches!(said, "." | "..")
        || ["./", "../", "/"].iter().any(|start| said.starts_with(start))
        || said.ends_with('/')
}

fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn shown(said: &OsString) -> String {
    said.to_string_lossy().into_owned()
}
