//! A version plus a patch file.
//!
//! The base is put into a scratch repository and `git apply` does the work there, in the index: it knows git's
//! extended headers (renames, copies, modes, links, binary), and in an index no line ending is converted and no
//! file is written. The user's configuration is not heard, so the same patch gives the same version everywhere.

use super::git::{self, Form, GitError, Listed, Repository};
use super::tree::{Entry, Kind, RelPath, Tree};
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
pub fn apply(base: &Tree, name: &str, patch: &Path) -> Result<Tree, PatchError> {
    let unreadable = |cause| PatchError::Unreadable { patch: patch.to_owned(), cause };
    let text = std::fs::read(patch).map_err(unreadable)?;
    let scratch = tempfile::Builder::new().prefix("nub-patch-").tempdir().map_err(PatchError::NoScratch)?;
    let repository = Repository::init(scratch.path())?;
    repository.run_with(&["-c", "core.compression=0", "fast-import", "--quiet"], &import(base))?;
    repository.run(&["read-tree", BASE])?;

    let strip = format!("-p{}", strip_level(&repository, base, &text)?);
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

/// The base as a commit, in the language of `git fast-import`.
fn import(base: &Tree) -> Vec<u8> {
    let mut stream = format!("commit {BASE}\ncommitter nub <> 0 +0000\ndata 0\n").into_bytes();
    for (path, Entry { kind, content }) in &base.files {
        let mode = match kind {
            Kind::File { executable: false } => "100644",
            Kind::File { executable: true } => "100755",
            Kind::Symlink => "120000",
            Kind::Submodule => "160000",
        };
        let place = match kind {
            Kind::Submodule => String::from_utf8_lossy(content),
            _ => "inline".into(),
        };
        stream.extend_from_slice(format!("M {mode} {place} ").as_bytes());
        quote(path, &mut stream);
        stream.push(b'\n');
        if *kind != Kind::Submodule {
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

/// How many leading folders of the patch's paths to take off: as many as find most files of the base.
///
/// One is what `git diff` and `diff -ru old new` need; none is for `diff.noprefix`.
fn strip_level(repository: &Repository, base: &Tree, patch: &[u8]) -> Result<usize, GitError> {
    let hits = |level: usize| -> Result<usize, GitError> {
        let strip = format!("-p{level}");
        let output = repository.output_with(&["apply", "--numstat", "-z", &strip, "-"], patch)?;
        // Each record is: lines added, lines deleted, path.
        let paths = git::records(&output.stdout).filter_map(|line| line.splitn(3, |b| *b == b'\t').nth(2));
        let known = |path: &[u8]| RelPath::new(path).is_ok_and(|path| base.files.contains_key(&path));
        Ok(paths.filter(|path| known(path)).count())
    };
    let mut best = (hits(1)?, 1);
    for level in [0, 2] {
        let hits = hits(level)?;
        if hits > best.0 {
            best = (hits, level);
        }
    }
    Ok(best.1)
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
fn changed(repository: &Repository, base: &Tree, name: &str, patched: &str) -> Result<Tree, GitError> {
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
    tree.files.retain(|path, _| !gone.contains(path));
    let blobs: Vec<&Listed> = listed.iter().filter(|f| f.kind != Kind::Submodule).collect();
    let mut contents = repository.blobs(name, &blobs, Form::Stored)?.into_iter();
    for Listed { path, kind, id } in listed {
        let content = match kind {
            Kind::Submodule => Some(id.into_bytes().into()),
            _ => contents.next(),
        };
        let content = content.expect("every blob was read");
        tree.files.insert(path, Entry { kind, content });
    }
    Ok(tree)
}
