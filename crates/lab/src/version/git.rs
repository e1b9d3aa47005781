//! Versions from git: the tree of a revision, and the working tree with its untracked files.
//!
//! Everything is asked of the `git` program, which knows every repository format, and nothing of the repository is
//! written: no index refresh, no lazy fetch, no file system monitor.
//!
//! Why is a revision read as a checkout would write it, and not as its plain blobs? With `core.autocrlf` or `eol`
//! attributes every line of every file would differ from the working tree, and a test runs on checked-out files
//! anyway. Attributes are those of today's working tree, as for `git cat-file --filters`. A tracked file that git
//! calls unmodified has the same bytes on both sides, whatever its filters do. LFS is the exception: its filter
//! fetches, so it is switched off, and large files are their pointers except where the working tree has them.
//!
//! A submodule is one entry, its commit: the one checked out in the working tree, the one recorded in a revision.
//! Its files are no part of the version (they are in [`Origin::alongside`](super::Origin)); nor are those of a
//! repository nested in the working tree without being a submodule.

mod ask;
mod work_tree;

use super::dir::{ReadError, os_path};
use super::{BadPath, Entry, EntryKind, RelPath, Snapshot};
use ask::{failed, words};
use memchr::memmem;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why git could not give a version.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no git program.
    #[error(
        "failed to run `git`; revisions, working trees and patches need it: install it or add it to PATH"
    )]
    NoGit(#[source] io::Error),
    /// No repository is at or above the folder.
    #[error("`{}` is not in a git repository; name two directories or archives", .0.display())]
    NotARepository(PathBuf),
    /// The working tree was meant, and there is none.
    #[error("`{}` has no working tree (it is bare, or inside `.git`); name two revisions", .0.display())]
    NoWorkTree(PathBuf),
    /// Nothing was ever committed.
    #[error("`{}` has no commits yet, so there is no HEAD to compare with; commit first, or name two directories", .0.display())]
    NoCommits(PathBuf),
    /// The name is no revision.
    #[error("no such revision `{said}`{hint}")]
    NoSuchRevision {
        /// What the user said.
        said: String,
        /// What the user may have meant.
        hint: String,
    },
    /// The name is an object, but has no files.
    #[error("`{0}` is a single file, not a version; name a commit or a tree")]
    NotATree(String),
    /// Two revisions have no common ancestor.
    #[error("`{old}` and `{new}` have no common ancestor{hint}; use `{old}..{new}` to compare them directly")]
    NoMergeBase {
        /// The first revision.
        old: String,
        /// The second revision.
        new: String,
        /// Why there may be none.
        hint: String,
    },
    /// A file's content is not in the clone.
    #[error(
        "the content of `{path}` at {version} is not in this clone; if the clone is partial, \
         `git fetch --refetch --no-filter` completes it"
    )]
    MissingContent {
        /// The file.
        path: RelPath,
        /// The version it was looked for in.
        version: String,
    },
    /// A recorded path leads out of the tree.
    #[error("{version} cannot be checked out")]
    BadPath {
        /// The version that has it.
        version: String,
        /// The path.
        #[source]
        cause: BadPath,
    },
    /// A file of the working tree could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Git failed, in its own words.
    #[error("`git {command}` failed: {said}")]
    Failed {
        /// What was run.
        command: String,
        /// What it printed.
        said: String,
    },
}

/// A repository, seen from a folder in it.
#[derive(Clone, Debug)]
pub struct Repository {
    /// Where git is run: the top of the working tree if there is one.
    dir: PathBuf,
    has_work_tree: bool,
    subfolder: Option<RelPath>,
    is_shallow: bool,
    surroundings: Surroundings,
}

/// What git hears of the environment nub was started in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Surroundings {
    /// Everything: `GIT_DIR` and friends count, as for any git command the user types.
    Users,
    /// Nothing of git's own, and no configuration but the repository's: for a repository of ours.
    Ours,
}

/// Object ids in hexadecimal.
pub(super) type Id = String;

/// Files whose content is known already: the same path with the same object id has the same bytes.
#[derive(Default)]
pub struct Known(HashMap<RelPath, (Id, Arc<[u8]>)>);

impl Known {
    fn get(&self, path: &RelPath, id: &Id) -> Option<Arc<[u8]>> {
        self.0.get(path).filter(|(known, _)| known == id).map(|(_, content)| Arc::clone(content))
    }
}

/// How a blob is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is stored.
    Stored,
    /// As a checkout would write it.
    CheckedOut,
}

/// A path of a tree or of the index, and what is recorded there.
pub(super) struct Listed {
    pub path: RelPath,
    pub kind: EntryKind,
    pub id: Id,
}

impl Repository {
    /// The repository that `here` is in.
    pub fn discover(here: &Path) -> Result<Repository, GitError> {
        let mut repository = Repository {
            dir: here.to_owned(),
            has_work_tree: false,
            subfolder: None,
            is_shallow: false,
            surroundings: Surroundings::Users,
        };
        let facts = ["rev-parse", "--is-inside-work-tree", "--is-shallow-repository"];
        let output = repository.output(&facts)?;
        if !output.status.success() {
            let said = words(&output);
            return Err(match said.contains("not a git repository") {
                true => GitError::NotARepository(here.to_owned()),
                false => GitError::Failed { command: facts[0].into(), said },
            });
        }
        let facts = String::from_utf8_lossy(&output.stdout).into_owned();
        repository.is_shallow = facts.lines().nth(1) == Some("true");
        if facts.starts_with("true") {
            repository.subfolder = path_in(repository.line(&["rev-parse", "--show-prefix"])?);
            repository.dir = os_path(&repository.line(&["rev-parse", "--show-toplevel"])?);
            repository.has_work_tree = true;
        }
        Ok(repository)
    }

    /// Makes an empty repository at `dir`, without working tree, deaf to the user's configuration.
    pub(super) fn init(dir: &Path) -> Result<Repository, GitError> {
        let repository = Repository {
            dir: dir.to_owned(),
            has_work_tree: false,
            subfolder: None,
            is_shallow: false,
            surroundings: Surroundings::Ours,
        };
        repository.run(&["init", "--quiet", "--bare", "--template=", "."])?;
        Ok(repository)
    }

    /// The top of the working tree.
    pub fn work_tree(&self) -> Option<&Path> {
        self.has_work_tree.then_some(&self.dir)
    }

    /// The folder of the working tree that the repository was found from, unless it is the top.
    pub fn subfolder(&self) -> Option<&RelPath> {
        self.subfolder.as_ref()
    }

    /// The id of the commit or tree that `said` names, if it names one.
    pub fn resolve(&self, said: &str) -> Result<Option<Id>, GitError> {
        // An option or an exclusion (`^main`) is no name of a revision.
        if said.is_empty() || said.starts_with(['-', '^']) || said.contains('\n') {
            return Ok(None);
        }
        let output = self.output(&["rev-parse", "--verify", said])?;
        if !output.status.success() {
            return match words(&output) {
                said if said.contains("ambiguous") => Err(failed(&["rev-parse"], said)),
                _ => Ok(None),
            };
        }
        let id = text(&output.stdout);
        let kind = self.output(&["cat-file", "-t", &id])?;
        match text(&kind.stdout).as_str() {
            "blob" => Err(GitError::NotATree(said.into())),
            // A full id is taken for a name even when no such object exists.
            "" => Ok(None),
            _ => Ok(Some(id)),
        }
    }

    /// The id of the last common ancestor of two revisions.
    pub fn merge_base(&self, old: &str, new: &str) -> Result<Id, GitError> {
        let output = self.output(&["merge-base", old, new])?;
        match output.status.code() {
            Some(0) => Ok(text(&output.stdout)),
            Some(1) => {
                Err(GitError::NoMergeBase { old: old.into(), new: new.into(), hint: self.shallow_hint() })
            }
            _ => Err(failed(&["merge-base"], words(&output))),
        }
    }

    /// Says that there is no such revision, and which there are.
    pub fn no_such_revision(&self, said: &str) -> GitError {
        let names = |args: &[&str]| self.run(args).map(|out| text(&out)).unwrap_or_default();
        if said == "HEAD" && names(&["rev-list", "-n1", "--all"]).is_empty() {
            return GitError::NoCommits(self.dir.clone());
        }
        let refs = names(&["for-each-ref", "--sort=-committerdate", "--format=%(refname:short)"]);
        let branches =
            names(&["for-each-ref", "--sort=-committerdate", "--format=%(refname:short)", "refs/heads"]);
        // The name without `~2` or `^{tree}` is the part that can be misspelt.
        let stem = said.split(['~', '^', ':', '@']).next().unwrap_or(said);
        let near = |name: &&str| strsim::damerau_levenshtein(stem, name);
        let meant =
            refs.lines().min_by_key(near).filter(|name| (1..=1 + stem.len() / 4).contains(&near(name)));
        let mut hint = meant.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        let listed: Vec<&str> = branches.lines().take(BRANCHES_SHOWN).collect();
        if !listed.is_empty() {
            let more = if branches.lines().count() > BRANCHES_SHOWN { ", ..." } else { "" };
            hint += &format!(" (branches: {}{more})", listed.join(", "));
        }
        hint += &self.shallow_hint();
        GitError::NoSuchRevision { said: said.into(), hint }
    }

    fn shallow_hint(&self) -> String {
        let hint = "; this clone is shallow, `git fetch --unshallow` gets the rest of its history";
        if self.is_shallow { hint.into() } else { String::new() }
    }

    /// Reads the tree of a commit; `said` is its name in messages.
    pub fn read_revision(&self, said: &str, id: &str, known: &mut Known) -> Result<Snapshot, GitError> {
        let listing = self.run(&["ls-tree", "-r", "-z", "--full-tree", id])?;
        let listed = records(&listing).map(|line| {
            let (facts, path) = split_once(line, b'\t');
            let [mode, _type, id] = fields(facts);
            Ok(Listed { path: path_at(said, path)?, kind: kind_of(&mode), id })
        });
        let listed: Vec<Listed> = listed.collect::<Result<_, GitError>>()?;

        let is_wanted =
            |f: &&Listed| matches!(f.kind, EntryKind::File { .. }) && known.get(&f.path, &f.id).is_none();
        let files: Vec<&Listed> = listed.iter().filter(is_wanted).collect();
        self.learn(said, &files, known)?;
        let links: Vec<&Listed> = listed.iter().filter(|f| f.kind == EntryKind::Symlink).collect();
        let mut targets = self.blobs(said, &links, Form::Stored)?.into_iter();

        let mut tree = Snapshot::default();
        for Listed { path, kind, id } in listed {
            let content = match kind {
                EntryKind::File { .. } => known.get(&path, &id),
                EntryKind::Symlink => targets.next(),
                EntryKind::Submodule => Some(id.into_bytes().into()),
            };
            let content = content.expect("every blob was read or known");
            tree.insert(path, Entry { kind, content });
        }
        Ok(tree)
    }

    /// Reads files and remembers them.
    fn learn(&self, said: &str, files: &[&Listed], known: &mut Known) -> Result<(), GitError> {
        let contents = self.blobs(said, files, Form::CheckedOut)?;
        known.0.extend(files.iter().zip(contents).map(|(f, c)| (f.path.clone(), (f.id.clone(), c))));
        Ok(())
    }

    /// The contents of blobs, in order, from one process.
    ///
    /// The sizes that git reports are those of stored blobs, also where it converts them, so records are told
    /// apart by a mark that no file can contain by chance.
    pub(super) fn blobs(
        &self,
        version: &str,
        wanted: &[&Listed],
        form: Form,
    ) -> Result<Vec<Arc<[u8]>>, GitError> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let mark = format!("{:016x}{:016x}", random(), random());
        let format = format!("--batch={mark} %(objectname)");
        let mut args = vec!["cat-file", "--buffer", &format];
        let mut input = Vec::new();
        for blob in wanted {
            input.extend_from_slice(blob.id.as_bytes());
            if form == Form::CheckedOut {
                input.push(b' ');
                // The path only finds attributes; a line break in it would end the line.
                input.extend(blob.path.as_bytes().iter().map(|b| if *b == b'\n' { b'_' } else { *b }));
            }
            input.push(b'\n');
        }
        if form == Form::CheckedOut {
            args.push("--filters");
        }
        let output = self.run_with(&args, &input)?;

        let header = format!("{mark} ");
        let starts: Vec<usize> = memmem::find_iter(&output, &header).collect();
        let ends = starts.iter().skip(1).copied().chain([output.len()]);
        let mut found = starts.iter().zip(ends).map(|(start, end)| {
            let (id, content) = split_once(&output[start + header.len()..end], b'\n');
            (id, content.strip_suffix(b"\n").unwrap_or(content))
        });
        let contents = wanted.iter().map(|blob| match found.next() {
            Some((id, content)) if id == blob.id.as_bytes() => Ok(content.into()),
            _ => Err(GitError::MissingContent { path: blob.path.clone(), version: version.into() }),
        });
        contents.collect()
    }
}

const WORK_TREE: &str = "the working tree";

const BRANCHES_SHOWN: usize = 5;

pub(super) fn kind_of(mode: &str) -> EntryKind {
    match mode {
        "160000" => EntryKind::Submodule,
        "120000" => EntryKind::Symlink,
        mode => EntryKind::File { executable: mode == "100755" },
    }
}

fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

pub(super) fn records(listing: &[u8]) -> impl Iterator<Item = &[u8]> {
    listing.split(|b| *b == 0).filter(|line| !line.is_empty())
}

fn split_once(line: &[u8], at: u8) -> (&[u8], &[u8]) {
    let end = memchr::memchr(at, line).unwrap_or(line.len());
    (&line[..end], line.get(end + 1..).unwrap_or_default())
}

/// The first fields of a line of a listing.
pub(super) fn fields<const N: usize>(line: &[u8]) -> [String; N] {
    let mut fields = line.split(|b| *b == b' ');
    std::array::from_fn(|_| text(fields.next().unwrap_or_default()))
}

pub(super) fn path_at(version: &str, path: &[u8]) -> Result<RelPath, GitError> {
    RelPath::new(path).map_err(|cause| GitError::BadPath { version: version.into(), cause })
}

fn path_in(mut prefix: Vec<u8>) -> Option<RelPath> {
    prefix.pop_if(|last| *last == b'/');
    RelPath::new(&prefix).ok()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}
