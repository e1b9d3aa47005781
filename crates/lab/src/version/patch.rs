//! A version plus a patch file.
//!
//! The base is put into a scratch repository and `git apply` does the work there, in the index: it knows git's
//! extended headers (renames, copies, modes, links, binary), and in an index no line ending is converted and no
//! file is written. The user's configuration is not heard, so the same patch gives the same version everywhere.

use super::git::{self, Form, GitError, Listed, Repository};
use super::{Entry, EntryKind, RelPath, Snapshot};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// Why a patch gave no version.
#[derive(Debug, thiserror::Error)]
pub enum PatchError {
    /// The patch file could not be read.
    #[error("failed to read patch `{}`", patch.display())]
    Unreadable {
        /// The patch file.
        patch: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// The patch does not fit the base.
    #[error("patch `{}` does not apply to {base}; git says:\n{said}", patch.display())]
    DoesNotApply {
        /// The patch file.
        patch: PathBuf,
        /// The base version.
        base: String,
        /// Which file and hunk, in git's words.
        said: String,
    },
    /// The scratch repository could not be made.
    #[error("failed to make a scratch folder to apply the patch in")]
    NoScratch(#[source] io::Error),
    /// Git could not be asked.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// The tree `base` with the patch applied; `name` is the base's name in messages.
pub fn apply(base: &Snapshot, name: &str, patch: &Path) -> Result<Snapshot, PatchError> {
    let unreadable = |cause| PatchError::Unreadable { patch: patch.to_owned(), cause };
    let text = std::fs::read(patch).map_err(unreadable)?;
    let scratch = tempfile::Builder::new().prefix("nub-patch-").tempdir().map_err(PatchError::NoScratch)?;
    let repository = Repository::init(scratch.path())?;
    let touched = Touched::by(&text, base, &repository)?;
    let stream = import(base, &touched);
    repository.run_with(&["-c", "core.compression=0", "fast-import", "--quiet", "--depth=0"], &stream)?;
    repository.run(&["read-tree", BASE])?;

    let strip = strip(touched.level);
    let args = ["apply", "--cached", "--verbose", "--whitespace=nowarn", &strip, "-"];
    let output = repository.output_with(&args, &text)?;
    if !output.status.success() {
        let said = complaints(&String::from_utf8_lossy(&output.stderr));
        return Err(PatchError::DoesNotApply { patch: patch.to_owned(), base: name.into(), said });
    }
    let patched = repository.run(&["write-tree"])?;
    let patched = String::from_utf8_lossy(&patched).trim().to_owned();
    Ok(changed(&repository, base, name, &patched)?)
}

const BASE: &str = "refs/heads/base";

/// What a patch reads of its base.
struct Touched<'a> {
    /// How many leading folders of the patch's paths to take off.
    level: usize,
    /// Paths that are written.
    paths: BTreeSet<RelPath>,
    /// File names that renames and copies start from; nothing if they are not plain.
    sources: Option<BTreeSet<&'a [u8]>>,
}

impl<'a> Touched<'a> {
    /// Takes off as many folders as finds most files of the base.
    ///
    /// One is what `git diff` and `diff -ru old new` need; none is for `diff.noprefix`.
    fn by(patch: &'a [u8], base: &Snapshot, repository: &Repository) -> Result<Touched<'a>, GitError> {
        let mut best = (0, 1, BTreeSet::new());
        for level in [1, 0, 2] {
            let output = repository.output_with(&["apply", "--numstat", "-z", &strip(level), "-"], patch)?;
            // Each record is: lines added, lines deleted, path.
            let paths =
                git::records(&output.stdout).filter_map(|line| line.splitn(3, |b| *b == b'\t').nth(2));
            let paths: BTreeSet<RelPath> = paths.filter_map(|path| RelPath::new(path).ok()).collect();
            let hits = paths.iter().filter(|path| base.get(path).is_some()).count();
            if hits > best.0 {
                best = (hits, level, paths);
            }
        }
        let (_, level, paths) = best;
        let lines = patch.split(|b| *b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let sources = lines.filter_map(|line| {
            line.strip_prefix(b"rename from ").or_else(|| line.strip_prefix(b"copy from "))
        });
        let plain_name = |path: &'a [u8]| (!path.starts_with(b"\"")).then(|| file_name(path));
        Ok(Touched { level, paths, sources: sources.map(plain_name).collect() })
    }

    /// Whether the patch may look into the file.
    fn has(&self, path: &RelPath) -> bool {
        let is_source = |sources: &BTreeSet<&[u8]>| sources.contains(file_name(path.as_bytes()));
        self.paths.contains(path) || self.sources.as_ref().is_none_or(is_source)
    }
}

fn file_name(path: &[u8]) -> &[u8] {
    path.rsplit(|b| *b == b'/').next().unwrap_or(path)
}

fn strip(level: usize) -> String {
    format!("-p{level}")
}

/// The base as a commit, in the language of `git fast-import`.
///
/// Files that the patch does not touch have to be there, but their content does not matter: they are empty.
fn import(base: &Snapshot, touched: &Touched) -> Vec<u8> {
    let mut stream = format!("commit {BASE}\ncommitter nub <> 0 +0000\ndata 0\n").into_bytes();
    for (path, Entry { kind, content }) in base.iter() {
        let mode = match kind {
            EntryKind::File { executable: false } => "100644",
            EntryKind::File { executable: true } => "100755",
            EntryKind::Symlink => "120000",
            EntryKind::Submodule => "160000",
        };
        let place = match kind {
            EntryKind::Submodule => String::from_utf8_lossy(content),
            _ => "inline".into(),
        };
        stream.extend_from_slice(format!("M {mode} {place} ").as_bytes());
        quote(path, &mut stream);
        stream.push(b'\n');
        if *kind != EntryKind::Submodule {
            let content: &[u8] = if touched.has(path) { content } else { b"" };
            stream.extend_from_slice(format!("data {}\n", content.len()).as_bytes());
            stream.extend_from_slice(content);
            stream.push(b'\n');
        }
    }
    stream
}

fn quote(path: &RelPath, stream: &mut Vec<u8>) {
    stream.push(b'"');
    for byte in path.as_bytes() {
        match byte {
            b'\n' => stream.extend_from_slice(b"\\n"),
            b'"' | b'\\' => stream.extend_from_slice(&[b'\\', *byte]),
            byte => stream.push(*byte),
        }
    }
    stream.push(b'"');
}

/// What git complained about, without its progress messages; `index` is our word for it, not the user's.
fn complaints(said: &str) -> String {
    let is_progress = |line: &&str| line.starts_with("Checking patch ") || line.starts_with("Applied patch ");
    let lines: Vec<&str> = said.lines().filter(|line| !is_progress(line)).collect();
    let shown = lines.iter().take(LINES_SHOWN).map(|line| line.replace(" in index", " in the base version"));
    let more = lines.len().checked_sub(LINES_SHOWN + 1).map(|_| "...".to_owned());
    shown.chain(more).collect::<Vec<_>>().join("\n")
}

const LINES_SHOWN: usize = 40;

/// The base with every path that differs between it and the patched tree replaced.
fn changed(
    repository: &Repository,
    base: &Snapshot,
    name: &str,
    patched: &str,
) -> Result<Snapshot, GitError> {
    let listing = repository.run(&["diff-tree", "-r", "-z", "--no-renames", BASE, patched])?;
    let mut records = git::records(&listing);
    let (mut gone, mut listed) = (BTreeSet::new(), Vec::new());
    // Records come in pairs: `:old-mode new-mode old-id new-id status`, then the path.
    while let (Some(facts), Some(path)) = (records.next(), records.next()) {
        let path = git::path_at(name, path)?;
        let [_, mode, _, id, status] = git::fields(facts);
        if status != "D" {
            listed.push(Listed { path: path.clone(), kind: git::kind_of(&mode), id });
        }
        gone.insert(path);
    }
    let mut tree = base.clone();
    for path in &gone {
        tree.remove(path);
    }
    let blobs: Vec<&Listed> = listed.iter().filter(|f| f.kind != EntryKind::Submodule).collect();
    let mut contents = repository.blobs(name, &blobs, Form::Stored)?.into_iter();
    for Listed { path, kind, id } in listed {
        let content = match kind {
            EntryKind::Submodule => Some(id.into_bytes().into()),
            _ => contents.next(),
        };
        let content = content.expect("every blob was read");
        tree.insert(path, Entry { kind, content });
    }
    Ok(tree)
}
