//! Two whole versions, woven: every config of their changes renders to a version.
//!
//! A file is content, a kind and a path, and each depends on the config for itself: a rename, a mode and an edit
//! of one file are independent changes. A file that is created or removed has no path in some configs: edits of
//! its content then render nothing, and [`Patchwork::couplings`] say so.
//!
//! Paths can get into each other's way: a file where the new version has a folder. A new path is therefore taken only
//! when everything that blocks it is gone; a rename that is blocked leaves the file at its old path.

use crate::change::{Change, Kind, Place, nesting};
use crate::grouping::{Grouping, Level};
use crate::pairing::{Pair, pair};
use crate::snapshot::{Entry, EntryKind, RelPath, Snapshot};
use crate::suspicion::suspicion;
use crate::text::weave_lines;
use crate::trace::Trace;
use crate::weave::{Choice, Literal, Source, Weave};
use crate::{patch, words};
use nub_search::{Config, Coupling};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;
use std::sync::Arc;

/// Two versions, their numbered changes, and what every config of these looks like.
#[derive(Clone, Debug)]
pub struct Patchwork {
    changes: Vec<Change>,
    files: Vec<File>,
    /// What both versions have alike.
    common: Snapshot,
    /// The changes that a new path needs, because what they take away stands in its way.
    blocked: Vec<Coupling>,
    /// The files each change touches.
    touched: Vec<Vec<u32>>,
    /// The files that may stand at a path.
    at: BTreeMap<RelPath, Vec<u32>>,
    marks: Vec<Mark>,
}

/// A file that differs between the versions.
#[derive(Clone, Debug)]
struct File {
    weave: Weave,
    kind: Choice<EntryKind>,
    path: Choice<RelPath>,
}

/// The groups a change is in, coarsest first; file numbers are unique, the others inside their file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    file: u32,
    hunk: u32,
    block: u32,
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
        let mark = Mark { file: 0, hunk: 0, block: 0 };
        let mut loom = Loom { old, new, changes: Vec::new(), marks: Vec::new(), mark, woven: Vec::new() };
        pair(old, new).iter().for_each(|pair| loom.weave(pair));
        loom.finish()
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

    /// How suspicious each change is, from its path alone.
    pub fn priors(&self) -> Vec<f64> {
        self.changes.iter().map(|change| suspicion(change.path())).collect()
    }

    /// What nesting and paths tell for certain about which change needs which.
    pub fn couplings(&self) -> Vec<Coupling> {
        nesting(&self.changes).into_iter().chain(self.blocked.iter().copied()).collect()
    }

    /// The changes grouped at a level of detail.
    pub fn grouping(&self, level: Level) -> Grouping {
        let marks = self.marks.iter();
        match level {
            Level::File => Grouping::by_key(marks.map(|m| m.file)),
            Level::Hunk => Grouping::by_key(marks.map(|m| (m.file, m.hunk))),
            Level::Block => Grouping::by_key(marks.map(|m| (m.file, m.block))),
            Level::Line => Grouping::by_key(0..self.changes.len()),
        }
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

    fn changes(&self) -> impl Iterator<Item = u32> {
        self.path.changes().chain(self.kind.changes()).chain(self.weave.changes())
    }
}

/// A patchwork in the making.
struct Loom<'a> {
    old: &'a Snapshot,
    new: &'a Snapshot,
    changes: Vec<Change>,
    marks: Vec<Mark>,
    /// The mark of the next change.
    mark: Mark,
    woven: Vec<(Weave, Choice<EntryKind>, Stand)>,
}

/// Where a file stands, before it is known what blocks it.
enum Stand {
    Stays(RelPath),
    Comes(u32, RelPath),
    Goes(u32, RelPath),
    Moves(u32, RelPath, RelPath),
}

impl Loom<'_> {
    fn weave(&mut self, pair: &Pair) {
        let (old, new) = (self.old, self.new);
        let find = |version: &'_ Snapshot, path: &RelPath| -> Entry {
            version.get(path).expect("pairs are made of paths in the versions").clone()
        };
        self.mark = Mark { file: self.woven.len() as u32, hunk: 0, block: 0 };
        match pair {
            Pair::Same(path) => {
                let stand = Stand::Stays(path.clone());
                self.edit((path, find(old, path)), (path, find(new, path)), None, stand);
            }
            Pair::Renamed { old: from, new: to } => {
                let k = self.change(Kind::Rename, Some(Place::file(from)), Some(Place::file(to)), 1, None);
                let stand = Stand::Moves(k, from.clone(), to.clone());
                self.edit((from, find(old, from)), (to, find(new, to)), None, stand);
            }
            Pair::Copied { source, new: to } => {
                let copied = find(old, source);
                let weight = words::weight(&copied.content);
                let k =
                    self.change(Kind::Copy, Some(Place::file(source)), Some(Place::file(to)), weight, None);
                self.edit((source, copied), (to, find(new, to)), Some(k), Stand::Comes(k, to.clone()));
            }
            Pair::Created(path) => {
                let entry = find(new, path);
                let k = self.change(Kind::Create, None, Some(Place::file(path)), bare_weight(&entry), None);
                let weave = match entry.is_text() {
                    true => self.lines((None, &[].into()), (Some(path), &entry.content), Some(k)),
                    false => whole(&[].into(), &entry.content, k),
                };
                self.woven.push((weave, Choice::always(entry.kind), Stand::Comes(k, path.clone())));
            }
            Pair::Removed(path) => {
                let entry = find(old, path);
                let k = self.change(Kind::Remove, Some(Place::file(path)), None, bare_weight(&entry), None);
                let weave = match entry.is_text() {
                    true => self.lines((Some(path), &entry.content), (None, &[].into()), Some(k)),
                    false => whole(&entry.content, &[].into(), k),
                };
                self.woven.push((weave, Choice::always(entry.kind), Stand::Goes(k, path.clone())));
            }
        }
    }

    /// Weaves a file that has an old and a new form.
    fn edit(&mut self, old: (&RelPath, Entry), new: (&RelPath, Entry), parent: Option<u32>, stand: Stand) {
        let ((old_path, old), (new_path, new)) = (old, new);
        let retyped = discriminant(&old.kind) != discriminant(&new.kind);
        let by_lines = old.same_content(&new) || old.is_text() && new.is_text();
        let as_a_whole = match new.kind {
            _ if retyped => Some(Kind::Type),
            _ if by_lines => None,
            EntryKind::Symlink => Some(Kind::Symlink),
            EntryKind::Submodule => Some(Kind::Submodule),
            EntryKind::File { .. } => Some(Kind::Binary),
        };
        let mut change = |kind, weight| {
            self.change(kind, Some(Place::file(old_path)), Some(Place::file(new_path)), weight, parent)
        };
        let mode = (old.kind != new.kind && !retyped).then(|| change(Kind::Mode, 1));
        let weight = words::weight(&old.content) + words::weight(&new.content);
        let replaced = as_a_whole.map(|kind| change(kind, weight));

        let weave = match replaced {
            Some(k) => whole(&old.content, &new.content, k),
            None => self.lines((Some(old_path), &old.content), (Some(new_path), &new.content), parent),
        };
        let kind = match mode.or(replaced) {
            Some(k) => Choice::first(vec![Literal::When(k)], new.kind).or(vec![], old.kind),
            None => Choice::always(old.kind),
        };
        self.woven.push((weave, kind, stand));
    }

    /// Weaves two texts by lines; `None` is the path of a file that a version lacks.
    fn lines(
        &mut self,
        (old_path, old): (Option<&RelPath>, &Arc<[u8]>),
        (new_path, new): (Option<&RelPath>, &Arc<[u8]>),
        parent: Option<u32>,
    ) -> Weave {
        let text = weave_lines(old, new, self.changes.len() as u32);
        // The lines of a new file are one hunk with the change that makes it, for which they are the reason.
        let alone = old_path.is_none() || new_path.is_none();
        let first = Mark { hunk: self.mark.hunk - u32::from(alone), ..self.mark };
        for edit in text.edits {
            let kind = match (edit.deleted.is_empty(), edit.inserted.is_empty()) {
                (false, false) => Kind::Replace,
                (true, _) => Kind::Insert,
                (_, true) => Kind::Delete,
            };
            let count = |text: &[u8]| if text.is_empty() { 0 } else { words::weight(text) };
            let weight = count(&old[edit.deleted]) + count(&new[edit.inserted]);
            let place = |path: Option<&RelPath>, lines| Some(Place { path: path?.clone(), lines });
            self.mark.hunk = first.hunk + edit.hunk as u32;
            self.mark.block = first.block + edit.block as u32;
            self.change(kind, place(old_path, edit.old), place(new_path, edit.new), weight, parent);
        }
        text.weave
    }

    fn change(
        &mut self,
        kind: Kind,
        old: Option<Place>,
        new: Option<Place>,
        weight: u32,
        parent: Option<u32>,
    ) -> u32 {
        let number = self.changes.len() as u32;
        self.changes.push(Change { number, kind, old, new, weight, parent });
        self.marks.push(self.mark);
        self.mark.hunk += 1;
        self.mark.block += 1;
        number
    }

    fn finish(self) -> Patchwork {
        let blockers = self.blockers();
        let mut common = self.old.clone();
        let mut files = Vec::new();
        for (weave, kind, stand) in self.woven {
            let taken_when = |k: u32| reach(k, &blockers).into_iter().map(Literal::When).collect();
            let path = match stand {
                Stand::Stays(path) => Choice::always(path),
                Stand::Comes(k, path) => Choice::first(taken_when(k), path),
                Stand::Goes(k, path) => Choice::first(vec![Literal::Unless(k)], path),
                Stand::Moves(k, from, to) => Choice::first(taken_when(k), to).or(vec![], from),
            };
            path.values().for_each(|path| drop(common.remove(path)));
            files.push(File { weave, kind, path });
        }

        let mut touched: Vec<Vec<u32>> = vec![Vec::new(); self.changes.len()];
        let mut at: BTreeMap<RelPath, Vec<u32>> = BTreeMap::new();
        for (i, file) in (0..).zip(&files) {
            for k in file.changes() {
                let touched = &mut touched[k as usize];
                if touched.last() != Some(&i) {
                    touched.push(i);
                }
            }
            file.path.values().for_each(|path| at.entry(path.clone()).or_default().push(i));
        }
        let needs =
            blockers.iter().flat_map(|(&k, needed)| needed.iter().map(move |&n| Coupling::certain(k, n)));
        let blocked = needs.collect();
        Patchwork { changes: self.changes, files, common, blocked, touched, at, marks: self.marks }
    }

    /// For each change that takes a new path, the changes that take away what stands in its way.
    fn blockers(&self) -> BTreeMap<u32, Vec<u32>> {
        let mut gone: BTreeMap<&RelPath, u32> = BTreeMap::new();
        for (_, _, stand) in &self.woven {
            if let Stand::Goes(k, path) | Stand::Moves(k, path, _) = stand {
                gone.insert(path, *k);
            }
        }
        let mut blockers = BTreeMap::new();
        for (_, _, stand) in &self.woven {
            if let Stand::Comes(k, path) | Stand::Moves(k, _, path) = stand {
                let above = path.folders().filter_map(|folder| gone.get(&folder).copied());
                let below = self.old.inside(path).filter_map(|(inner, _)| gone.get(inner).copied());
                let others: Vec<u32> = above.chain(below).filter(|other| other != k).collect();
                if !others.is_empty() {
                    blockers.insert(*k, others);
                }
            }
        }
        blockers
    }
}

/// A change with those it needs, those they need, and so on.
fn reach(change: u32, needs: &BTreeMap<u32, Vec<u32>>) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut pending = vec![change];
    while let Some(k) = pending.pop() {
        if found.insert(k) {
            pending.extend(needs.get(&k).into_iter().flatten());
        }
    }
    found
}

/// The weight of making or removing a file, without its lines.
fn bare_weight(entry: &Entry) -> u32 {
    if entry.is_text() { 1 } else { words::weight(&entry.content) }
}

/// Weaves two contents that one change exchanges as a whole.
fn whole(old: &Arc<[u8]>, new: &Arc<[u8]>, k: u32) -> Weave {
    let mut weaver = Weave::of(Arc::clone(old), Arc::clone(new));
    weaver.piece(Source::OLD, 0..old.len(), &[Literal::Unless(k)]);
    weaver.piece(Source::NEW, 0..new.len(), &[Literal::When(k)]);
    weaver.finish()
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
        assert_eq!((count(Level::File), count(Level::Hunk), count(Level::Line)), (2, 2, 62));
        assert!(count(Level::Block) >= 5);
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
