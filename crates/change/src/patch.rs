//! The difference between two versions as a patch in git's format.
//!
//! `git apply` takes every patch written here: renames, modes, links, new and removed files, missing final
//! newlines, odd paths, and binary files as literals. GNU patch takes all but the last. A copied file is
//! written as a new one: git would take the copy's source from the version the patch applies to, which this
//! need not be.

mod binary;
mod quote;
mod size;

pub use size::{changed_lines, changed_tokens, patch_lines};

use crate::lines::{Edit, Lines, hunks};
use crate::patchwork::Placed;
use crate::snapshot::{Entry, EntryKind, RelPath};
use binary::{blob_id, literal};
use quote::{header, quoted};
use std::mem::discriminant;
use std::ops::Range;

/// So many unchanged lines are shown around changed ones.
const CONTEXT: usize = 3;

/// Writes what happened to each file, in order of paths.
pub(crate) fn patch(files: &[(Option<Placed>, Option<Placed>)]) -> Vec<u8> {
    let mut written: Vec<(&RelPath, Vec<u8>)> = files
        .iter()
        .filter_map(|(old, new)| Some((&new.as_ref().or(old.as_ref())?.0, file(old.as_ref(), new.as_ref()))))
        .collect();
    written.sort();
    written.into_iter().flat_map(|(_, text)| text).collect()
}

fn file(old: Option<&Placed>, new: Option<&Placed>) -> Vec<u8> {
    match (old, new) {
        // Another type of file at the same path is one file less and one more.
        (Some((_, a)), Some((_, b))) if discriminant(&a.kind) != discriminant(&b.kind) => {
            [file(old, None), file(None, new)].concat()
        }
        _ => FilePatch::new(old, new).write(),
    }
}

struct FilePatch<'a> {
    old: Option<&'a Placed>,
    new: Option<&'a Placed>,
    /// The content as it is shown: a submodule's commit is a sentence.
    old_text: Vec<u8>,
    new_text: Vec<u8>,
    out: Vec<u8>,
}

impl<'a> FilePatch<'a> {
    fn new(old: Option<&'a Placed>, new: Option<&'a Placed>) -> FilePatch<'a> {
        let shown = |placed: Option<&Placed>| placed.map_or(Vec::new(), |(_, entry)| shown(entry));
        FilePatch { old, new, old_text: shown(old), new_text: shown(new), out: Vec::new() }
    }

    fn line(&mut self, line: impl AsRef<[u8]>) {
        self.out.extend_from_slice(line.as_ref());
        self.out.push(b'\n');
    }

    fn write(mut self) -> Vec<u8> {
        let either = self.old.or(self.new).expect("a file is in one version at least");
        let (old_path, new_path) = (&self.old.unwrap_or(either).0, &self.new.unwrap_or(either).0);
        self.line([b"diff --git ", &quoted(b"a/", old_path)[..], b" ", &quoted(b"b/", new_path)].concat());
        self.modes();
        if old_path != new_path {
            self.rename(old_path, new_path);
        }
        if self.old_text != self.new_text || self.old.is_none() || self.new.is_none() {
            self.index();
        }
        if self.old_text != self.new_text {
            if [&self.old_text, &self.new_text].iter().any(|text| text.contains(&0)) {
                self.binary();
            } else {
                self.text(old_path, new_path);
            }
        }
        self.out
    }

    fn modes(&mut self) {
        match (self.old.map(mode), self.new.map(mode)) {
            (Some(old), None) => self.line(format!("deleted file mode {old}")),
            (None, Some(new)) => self.line(format!("new file mode {new}")),
            (Some(old), Some(new)) if old != new => {
                self.line(format!("old mode {old}"));
                self.line(format!("new mode {new}"));
            }
            _ => {}
        }
    }

    fn rename(&mut self, from: &RelPath, to: &RelPath) {
        let (old, new) = (Lines::new(&self.old_text), Lines::new(&self.new_text));
        let changed: usize = hunks(old.whole(), new.whole())
            .iter()
            .map(|hunk| old.bytes(hunk.old.clone()).len().max(new.bytes(hunk.new.clone()).len()))
            .sum();
        let size = self.old_text.len().max(self.new_text.len()).max(1);
        let similarity = 100 * (size - changed.min(size)) / size;
        self.line(format!("similarity index {similarity}%"));
        self.line([b"rename from ", &quoted(b"", from)[..]].concat());
        self.line([b"rename to ", &quoted(b"", to)[..]].concat());
    }

    fn index(&mut self) {
        let id = |placed: Option<&Placed>| placed.map_or("0".repeat(40), |(_, entry)| id(entry));
        let (old, new) = (id(self.old), id(self.new));
        // Git applies binary patches to files it can name exactly; for text the short form is kinder to
        // readers.
        let is_text = ![&self.old_text, &self.new_text].iter().any(|text| text.contains(&0));
        let len = if is_text { 7 } else { 40 };
        let mode = match (self.old.map(mode), self.new.map(mode)) {
            (Some(old), Some(new)) if old == new => format!(" {old}"),
            _ => String::new(),
        };
        self.line(format!("index {}..{}{mode}", &old[..len], &new[..len]));
    }

    fn binary(&mut self) {
        self.line("GIT binary patch");
        let (forward, backward) = (literal(&self.new_text), literal(&self.old_text));
        self.out.extend(forward);
        self.out.extend(backward);
    }

    fn text(&mut self, old_path: &RelPath, new_path: &RelPath) {
        let name = |there: bool, prefix: &[u8], path: &RelPath| match there {
            true => header(prefix, path),
            false => b"/dev/null".to_vec(),
        };
        self.line([b"--- ", &name(self.old.is_some(), b"a/", old_path)[..]].concat());
        self.line([b"+++ ", &name(self.new.is_some(), b"b/", new_path)[..]].concat());
        let body = unified(&self.old_text, &self.new_text);
        self.out.extend(body);
    }
}

fn mode(placed: &Placed) -> &'static str {
    match placed.1.kind {
        EntryKind::File { executable: false } => "100644",
        EntryKind::File { executable: true } => "100755",
        EntryKind::Symlink => "120000",
        EntryKind::Submodule => "160000",
    }
}

fn shown(entry: &Entry) -> Vec<u8> {
    match entry.kind {
        EntryKind::Submodule => [b"Subproject commit ", &entry.content[..], b"\n"].concat(),
        _ => entry.content.to_vec(),
    }
}

/// The name git gives to a content.
fn id(entry: &Entry) -> String {
    match entry.kind {
        EntryKind::Submodule if entry.content.len() == 40 && entry.content.is_ascii() => {
            String::from_utf8_lossy(&entry.content).into_owned()
        }
        _ => blob_id(&entry.content),
    }
}

/// The hunks of a unified diff.
fn unified(old: &[u8], new: &[u8]) -> Vec<u8> {
    let (old, new) = (Lines::new(old), Lines::new(new));
    let edits = hunks(old.whole(), new.whole());
    let mut out = Vec::new();
    let near = |a: &Edit, b: &Edit| b.old.start - a.old.end <= 2 * CONTEXT;
    for run in edits.chunk_by(near) {
        let (first, last) = (&run[0], &run[run.len() - 1]);
        let before = first.old.start.min(CONTEXT);
        let after = (old.len() - last.old.end).min(CONTEXT);
        let old_range = first.old.start - before..last.old.end + after;
        let new_range = first.new.start - before..last.new.end + after;
        out.extend(format!("@@ -{} +{} @@\n", range(&old_range), range(&new_range)).into_bytes());
        let mut at = old_range.start;
        for edit in run {
            (at..edit.old.start).for_each(|i| line(b' ', old.bytes(i..i + 1), &mut out));
            edit.old.clone().for_each(|i| line(b'-', old.bytes(i..i + 1), &mut out));
            edit.new.clone().for_each(|i| line(b'+', new.bytes(i..i + 1), &mut out));
            at = edit.old.end;
        }
        (at..old_range.end).for_each(|i| line(b' ', old.bytes(i..i + 1), &mut out));
    }
    out
}

fn range(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        len => format!("{},{len}", lines.start + 1),
    }
}

fn line(sign: u8, line: &[u8], out: &mut Vec<u8>) {
    out.push(sign);
    out.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        out.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: Option<(&str, Entry)>, new: Option<(&str, Entry)>, expected: &str) {
        let placed =
            |side: Option<(&str, Entry)>| side.map(|(path, entry)| (RelPath::try_from(path).unwrap(), entry));
        let patch = patch(&[(placed(old), placed(new))]);
        assert_eq!(String::from_utf8_lossy(&patch), expected);
    }

    #[test]
    fn a_renamed_and_edited_file_is_one_patch() {
        check(
            Some(("a", Entry::file(*b"1\n2\n3\n4\n"))),
            Some(("b c", Entry::file(*b"1\n2\n3\nfour"))),
            "diff --git a/a b/b c\n\
             similarity index 60%\n\
             rename from a\n\
             rename to b c\n\
             index 94ebaf9..50e80f5 100644\n\
             --- a/a\n\
             +++ b/b c\t\n\
             @@ -1,4 +1,4 @@\n 1\n 2\n 3\n-4\n+four\n\\ No newline at end of file\n",
        );
    }

    #[test]
    fn a_file_that_becomes_a_link_is_removed_and_made() {
        check(
            Some(("a", Entry::file(*b"x\n"))),
            Some(("a", Entry::symlink(*b"y"))),
            "diff --git a/a b/a\n\
             deleted file mode 100644\n\
             index 587be6b..0000000\n\
             --- a/a\n\
             +++ /dev/null\n\
             @@ -1 +0,0 @@\n-x\n\
             diff --git a/a b/a\n\
             new file mode 120000\n\
             index 0000000..e25f181\n\
             --- /dev/null\n\
             +++ b/a\n\
             @@ -0,0 +1 @@\n+y\n\\ No newline at end of file\n",
        );
    }

    #[test]
    fn an_empty_file_and_a_mode_need_no_hunks() {
        check(
            None,
            Some(("a", Entry::file(*b""))),
            "diff --git a/a b/a\nnew file mode 100644\nindex 0000000..e69de29\n",
        );
        let executable = Entry { kind: EntryKind::File { executable: true }, ..Entry::file(*b"x") };
        check(
            Some(("a", Entry::file(*b"x"))),
            Some(("a", executable)),
            "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n",
        );
    }
}
