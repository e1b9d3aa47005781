//! Two whole versions, woven: every config of their changes renders to a version.
//!
//! A file is content, a kind and a path, and each depends on the config for itself: a rename, a mode and an
//! edit of one file are independent changes. A file that is created or removed has no path in some configs:
//! edits of its content then render nothing, and [`Patchwork::couplings`] say so.
//!
//! Paths can get into each other's way: a file where the new version has a folder. A new path is therefore
//! taken only when everything that blocks it is gone; a rename that is blocked leaves the file at its old
//! path.

use crate::change::{Change, Kind, halves, nesting};
use crate::grouping::{Grouping, Level};
use crate::loom::Loom;
use crate::pairing::pair;
use crate::patch;
use crate::snapshot::{Entry, EntryKind, RelPath, Snapshot};
use crate::suspicion::{LAYOUT_SUSPICION, ORDER_SUSPICION, suspicion};
use crate::trace::Trace;
use crate::weave::{Choice, Literal, Weave};
use nub_search::{Config, Coupling};
use std::collections::{BTreeMap, BTreeSet};

/// Two versions, their numbered changes, and what every config of these looks like.
#[derive(Clone, Debug)]
pub struct Patchwork {
    pub(crate) detail: Detail,
    pub(crate) changes: Vec<Change>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) files: Vec<File>,
    /// What both versions have alike.
    pub(crate) common: Snapshot,
    /// What changes need beside what they lie in: a new path, what stands in its way to be gone; a part of a
    /// text, another without which it could not be read.
    pub(crate) needs: Vec<Coupling>,
    /// The files each change touches.
    pub(crate) touched: Vec<Vec<u32>>,
    /// The files that may stand at a path.
    pub(crate) at: BTreeMap<RelPath, Vec<u32>>,
}

/// What texts are taken apart into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Lines.
    Lines,
    /// Lines, but nodes of their syntax in files of known languages that were laid out anew.
    Fitting,
    /// Nodes of their syntax, in files of known languages; lines in others.
    Syntax,
    /// The same, and in what comes or goes as a whole the elements of lists however small.
    Parts,
}

/// A file that differs between the versions.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) weave: Weave,
    pub(crate) kind: Choice<EntryKind>,
    pub(crate) path: Choice<RelPath>,
}

/// The groups a change is in; all but the file are counted inside their file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    pub(crate) file: u32,
    pub(crate) declaration: u32,
    pub(crate) statement: u32,
    /// The function, or other part of a program, it is in.
    pub(crate) unit: u32,
    /// Whether it only puts a declaration elsewhere, or a part of one.
    pub(crate) is_reordered: bool,
}

/// What must be done to turn one config's version into another's: first remove, then write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The paths where nothing is left.
    pub removed: Vec<RelPath>,
    /// The paths where something else is now, of whatever kind was there before.
    pub written: Vec<(RelPath, Entry)>,
}

impl Patchwork {
    /// Finds all changes between two versions, by lines.
    pub fn between(old: &Snapshot, new: &Snapshot) -> Patchwork {
        Patchwork::by(Detail::Lines, old, new)
    }

    /// Finds all changes between two versions: by syntax in files of known languages, by lines in others.
    pub fn by_syntax(old: &Snapshot, new: &Snapshot) -> Patchwork {
        Patchwork::by(Detail::Syntax, old, new)
    }

    /// Finds all changes between two versions.
    pub fn by(detail: Detail, old: &Snapshot, new: &Snapshot) -> Patchwork {
        let mut loom = Loom::new(detail, old, new);
        pair(old, new).iter().for_each(|pair| loom.weave(pair));
        loom.finish()
    }

    /// What texts were taken apart into.
    pub fn detail(&self) -> Detail {
        self.detail
    }

    /// All changes, by number.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The config of all changes: the new version.
    pub fn full(&self) -> Config {
        Config::full(self.changes.len())
    }

    /// The weight of each change.
    pub fn weights(&self) -> Vec<u32> {
        self.changes.iter().map(|change| change.weight).collect()
    }

    /// How suspicious each change is, from its path and kind alone.
    pub fn priors(&self) -> Vec<f64> {
        let most = |(change, mark): (&Change, &Mark)| match change.kind {
            Kind::Layout => LAYOUT_SUSPICION,
            _ if mark.is_reordered => ORDER_SUSPICION,
            _ => 1.0,
        };
        let all = self.changes.iter().zip(&self.marks);
        all.map(|pair| most(pair).min(suspicion(pair.0.path()))).collect()
    }

    /// What nesting and paths tell about which change needs which: for certain, but for what could stand alone.
    pub fn couplings(&self) -> Vec<Coupling> {
        nesting(&self.changes).into_iter().chain(self.needs.iter().copied()).collect()
    }

    /// What moves tell about which change likely needs which: where one half is enough, the other is not wanted.
    pub fn moves(&self) -> Vec<Coupling> {
        halves(&self.changes)
    }

    /// For each change the text that it takes away and the text that it puts in.
    pub fn texts(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut texts = vec![(Vec::new(), Vec::new()); self.changes.len()];
        for piece in self.files.iter().flat_map(|file| file.weave.pieces()) {
            for literal in piece.when {
                let (takes, puts) = &mut texts[literal.change() as usize];
                match literal {
                    Literal::Unless(_) if piece.is_old() => takes.extend_from_slice(piece.text),
                    Literal::When(_) if piece.is_new() => puts.extend_from_slice(piece.text),
                    _ => {}
                }
            }
        }
        texts
    }

    /// The changes grouped at a level of detail.
    pub fn grouping(&self, level: Level) -> Grouping {
        let marks = self.marks.iter();
        match level {
            Level::File => Grouping::by_key(marks.map(|m| m.file)),
            Level::Declaration => Grouping::by_key(marks.map(|m| (m.file, m.declaration))),
            Level::Statement => Grouping::by_key(marks.map(|m| (m.file, m.statement))),
            Level::Node => Grouping::by_key(0..self.changes.len()),
        }
    }

    /// The changes grouped by the function, or other part of a program, that they are in; a run of changed lines where
    /// there is none. By lines that is no level: it may be larger or smaller than a run.
    pub fn units(&self) -> Grouping {
        Grouping::by_key(self.marks.iter().map(|m| (m.file, m.unit)))
    }

    /// The whole version of a config.
    pub fn render(&self, config: &Config) -> Snapshot {
        let mut version = self.common.clone();
        for (path, entry) in self.files.iter().filter_map(|file| file.render(config)) {
            version.insert(path, entry);
        }
        version
    }

    /// What stands at a path in a config.
    pub fn entry(&self, config: &Config, path: &RelPath) -> Option<Entry> {
        match self.file_at(config, path) {
            Some(file) => file.render(config).map(|(_, entry)| entry),
            None => self.common.get(path).cloned(),
        }
    }

    /// Where the lines of a file come from; none for a file that no change touches.
    pub fn trace(&self, config: &Config, path: &RelPath) -> Option<Trace<'_>> {
        self.file_at(config, path).map(|file| file.weave.trace(config))
    }

    fn file_at(&self, config: &Config, path: &RelPath) -> Option<&File> {
        let files = self.at.get(path)?.iter().map(|&i| &self.files[i as usize]);
        files.into_iter().find(|file| file.path.get(config) == Some(path))
    }

    /// The text that a change takes away and puts in, each part in brackets: `[-old-]`, `[+new+]`.
    pub fn text_of(&self, change: u32) -> String {
        let files = self.touched[change as usize].iter().map(|&i| &self.files[i as usize]);
        let pieces = files.flat_map(|file| file.weave.pieces());
        let mut parts = Vec::new();
        for piece in pieces.filter(|piece| !piece.text.trim_ascii().is_empty()) {
            // A moved part with a change inside is there in several forms; one is enough.
            let text = String::from_utf8_lossy(piece.text.trim_ascii());
            match piece.when.iter().find(|literal| literal.change() == change) {
                Some(Literal::Unless(_)) if piece.is_old() => parts.push(format!("[-{text}-]")),
                Some(Literal::When(_)) if piece.is_new() => parts.push(format!("[+{text}+]")),
                _ => {}
            }
        }
        parts.join(" ")
    }

    /// What differs between the versions of two configs; looks only at files that a differing change touches.
    pub fn difference(&self, from: &Config, to: &Config) -> Difference {
        let mut removed = BTreeSet::new();
        let mut written = BTreeMap::new();
        for (before, after) in self.differing(from, to) {
            removed.extend(before.map(|(path, _)| path));
            written.extend(after);
        }
        removed.retain(|path| !written.contains_key(path));
        Difference { removed: removed.into_iter().collect(), written: written.into_iter().collect() }
    }

    /// The difference between the versions of two configs as a patch in git's format.
    pub fn patch(&self, from: &Config, to: &Config) -> Vec<u8> {
        patch::patch(&self.differing(from, to))
    }

    /// The files that are not the same in two configs, as they are in each.
    fn differing(&self, from: &Config, to: &Config) -> Vec<(Option<Placed>, Option<Placed>)> {
        let changes = from.minus(to).union(&to.minus(from));
        let files: BTreeSet<u32> =
            changes.iter().flat_map(|k| self.touched[k as usize].iter().copied()).collect();
        let files = files.into_iter().map(|i| &self.files[i as usize]);
        files.map(|file| (file.render(from), file.render(to))).filter(|(a, b)| a != b).collect()
    }
}

/// An entry and where it stands.
pub(crate) type Placed = (RelPath, Entry);

impl File {
    fn render(&self, config: &Config) -> Option<Placed> {
        let path = self.path.get(config)?.clone();
        let kind = *self.kind.get(config).expect("the last kind of a file has no condition");
        Some((path, Entry { kind, content: self.weave.render(config) }))
    }

    pub(crate) fn changes(&self) -> impl Iterator<Item = u32> {
        self.path.changes().chain(self.kind.changes()).chain(self.weave.changes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nub_search::Couplings;

    fn path(text: &str) -> RelPath {
        RelPath::try_from(text).unwrap()
    }

    fn snapshot(files: &[(&str, &str)]) -> Snapshot {
        files.iter().map(|(name, text)| (path(name), Entry::file(text.as_bytes()))).collect()
    }

    fn between(old: &[(&str, &str)], new: &[(&str, &str)]) -> Patchwork {
        Patchwork::between(&snapshot(old), &snapshot(new))
    }

    fn kinds(patchwork: &Patchwork) -> Vec<Kind> {
        patchwork.changes().iter().map(|change| change.kind).collect()
    }

    const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";

    #[test]
    fn a_rename_a_mode_and_an_edit_are_apart() {
        let old = snapshot(&[("a", TEXT)]);
        let mut new = snapshot(&[("b", &TEXT.replace("six", "6"))]);
        let executable =
            Entry { kind: EntryKind::File { executable: true }, ..new.remove(&path("b")).unwrap() };
        new.insert(path("b"), executable);
        let patchwork = Patchwork::between(&old, &new);
        assert_eq!(kinds(&patchwork), [Kind::Rename, Kind::Mode, Kind::Replace]);
        assert_eq!(patchwork.couplings(), []);
        let renamed = patchwork.render(&[0].into());
        assert_eq!(renamed, snapshot(&[("b", TEXT)]));
        assert_eq!(patchwork.render(&[2].into()), snapshot(&[("a", &TEXT.replace("six", "6"))]));
    }

    #[test]
    fn lines_of_a_new_file_need_it_and_removing_a_file_needs_its_lines_removed() {
        let patchwork = between(&[("old", "x\ny\n")], &[("new", "a\nb\n")]);
        use Kind::{Create, Delete, Insert, Remove};
        assert_eq!(kinds(&patchwork), [Create, Insert, Insert, Remove, Delete, Delete]);
        let couplings = Couplings::given(patchwork.couplings());
        assert_eq!(couplings.close(&[2].into()), [0, 2].into());
        assert_eq!(couplings.close(&[3].into()), [3, 4, 5].into());
        assert_eq!(patchwork.render(&[2].into()), snapshot(&[("old", "x\ny\n")]));
        assert_eq!(patchwork.render(&[0, 2, 4].into()), snapshot(&[("new", "b\n"), ("old", "y\n")]));
    }

    #[test]
    fn a_file_and_a_folder_do_not_meet_at_one_path() {
        let patchwork = between(&[("a", "x\n")], &[("a/b", "other\n")]);
        assert_eq!(patchwork.changes()[0].kind, Kind::Remove);
        assert_eq!(patchwork.changes()[2].kind, Kind::Create);
        assert_eq!(patchwork.render(&[2, 3].into()), snapshot(&[("a", "x\n")]));
        assert_eq!(patchwork.render(&[0, 1, 2].into()), snapshot(&[("a/b", "")]));
        assert!(patchwork.couplings().contains(&Coupling::certain(2, 0)));
    }

    #[test]
    fn two_files_that_swap_with_their_folders_move_together() {
        let other = "1\n2\n3\n4\n";
        let old = [("a", TEXT), ("b/x", other)];
        let new = [("a/x", other), ("b", TEXT)];
        let patchwork = between(&old, &new);
        assert_eq!(kinds(&patchwork), [Kind::Rename, Kind::Rename]);
        assert_eq!(patchwork.render(&[0].into()), snapshot(&old));
        assert_eq!(patchwork.render(&[1].into()), snapshot(&old));
        assert_eq!(Couplings::given(patchwork.couplings()).close(&[0].into()), [0, 1].into());
    }

    #[test]
    fn a_file_that_was_hollowed_out_moves_and_makes_room_for_its_entrance() {
        let lines = |numbers: std::ops::Range<usize>| -> String {
            numbers.map(|i| format!("this is line number {i:04} of some text\n")).collect()
        };
        let (whole, most) = (lines(0..1000), lines(1..1000));
        let (old, new) = ([("index.js", &*whole)], [("index.js", "require\n"), ("lib/a.js", &*most)]);
        let patchwork = between(&old, &new);
        assert_eq!(kinds(&patchwork), [Kind::Create, Kind::Insert, Kind::Rename, Kind::Delete]);
        let couplings = patchwork.couplings();
        assert!(couplings.contains(&Coupling::certain(0, 2)), "{couplings:?}");
        assert!(couplings.iter().any(|c| (c.dependent, c.needed) == (2, 0)), "{couplings:?}");
        assert_eq!(patchwork.render(&[3].into()), snapshot(&[("index.js", &*most)]));
        assert_eq!(
            patchwork.render(&[0, 1, 2].into()),
            snapshot(&[("index.js", "require\n"), ("lib/a.js", &*whole)])
        );
    }

    #[test]
    fn edits_of_a_copy_need_the_copy() {
        let edited = TEXT.replace("six", "6");
        let patchwork = between(&[("a", TEXT)], &[("a", "else\n"), ("b", &edited)]);
        let copy = patchwork.changes().iter().find(|change| change.kind == Kind::Copy).unwrap().number;
        let edit = patchwork.changes().last().unwrap();
        assert_eq!((edit.kind, edit.parent), (Kind::Replace, Some(copy)));
        assert_eq!(patchwork.render(&[copy].into()), snapshot(&[("a", TEXT), ("b", TEXT)]));
    }

    #[test]
    fn the_lines_of_a_new_file_are_one_hunk_with_it_and_the_levels_refine_each_other() {
        let long: String = (0..60).map(|i| format!("line {i}\n")).collect();
        let patchwork = between(&[("a", TEXT)], &[("a", &TEXT.replace("two", "2")), ("b", &long)]);
        let count = |level| patchwork.grouping(level).len();
        assert_eq!((count(Level::File), count(Level::Declaration), count(Level::Node)), (2, 2, 62));
        assert!(count(Level::Statement) >= 5);
    }

    #[test]
    fn difference_lists_only_what_differs() {
        let patchwork =
            between(&[("a", TEXT), ("b", "x\n"), ("c", "1\n")], &[("a", TEXT), ("b", "y\n"), ("d", "1\n")]);
        let difference = patchwork.difference(&Config::empty(), &[0].into());
        let written = vec![(path("b"), Entry::file(*b"y\n"))];
        assert_eq!(difference, Difference { removed: vec![], written });
        let renamed = patchwork.difference(&[0].into(), &patchwork.full());
        assert_eq!(renamed.removed, [path("c")]);
        assert_eq!(renamed.written, [(path("d"), Entry::file(*b"1\n"))]);
    }
}
