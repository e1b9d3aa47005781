//! Makes a patchwork: weaves each pair of files and numbers the changes on the way.
//!
//! Changes of a file as such (made, removed, renamed, another mode) come before those of its text, so that a
//! parent has a smaller number than what lies inside it.

use crate::change::{Change, Kind, Place};
use crate::pairing::Pair;
use crate::patchwork::{Detail, File, Mark, Patchwork};
use crate::relaid::is_laid_out_anew;
use crate::snapshot::{Entry, EntryKind, RelPath, Snapshot};
use crate::text::weave_lines;
use crate::tree::weave_trees;
use crate::twins;
use crate::units::units;
use crate::weave::{Choice, Literal, Source, Weave};
use crate::words;
use nub_search::Coupling;
use nub_syntax::{Language, Tree};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;
use std::sync::Arc;

/// A patchwork in the making.
pub(crate) struct Loom<'a> {
    detail: Detail,
    old: &'a Snapshot,
    new: &'a Snapshot,
    changes: Vec<Change>,
    marks: Vec<Mark>,
    /// The mark of the next change.
    mark: Mark,
    woven: Vec<(Weave, Choice<EntryKind>, Stand)>,
    /// What changes of texts need beside what they lie in.
    needs: Vec<Coupling>,
}

/// How sure it is that a file which moves away from a path needs the one that comes there.
const MAKES_ROOM: f64 = 0.9;

/// Where a file stands, before it is known what blocks it.
enum Stand {
    Stays(RelPath),
    Comes(u32, RelPath),
    Goes(u32, RelPath),
    Moves(u32, RelPath, RelPath),
}

impl<'a> Loom<'a> {
    pub(crate) fn new(detail: Detail, old: &'a Snapshot, new: &'a Snapshot) -> Loom<'a> {
        let (changes, marks, woven, needs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Loom { detail, old, new, changes, marks, mark: Mark::default(), woven, needs }
    }

    /// Weaves one more pair of files; pairs come in order of their paths.
    pub(crate) fn weave(&mut self, pair: &Pair) {
        let (old, new) = (self.old, self.new);
        let find = |version: &'_ Snapshot, path: &RelPath| -> Entry {
            version.get(path).expect("pairs are made of paths in the versions").clone()
        };
        self.mark = Mark { file: self.woven.len() as u32, ..Mark::default() };
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
                    true => self.text((None, &[].into()), (Some(path), &entry.content), Some(k)),
                    false => whole(&[].into(), &entry.content, k),
                };
                self.woven.push((weave, Choice::always(entry.kind), Stand::Comes(k, path.clone())));
            }
            Pair::Removed(path) => {
                let entry = find(old, path);
                let k = self.change(Kind::Remove, Some(Place::file(path)), None, bare_weight(&entry), None);
                let weave = match entry.is_text() {
                    true => self.text((Some(path), &entry.content), (None, &[].into()), Some(k)),
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
            None => self.text((Some(old_path), &old.content), (Some(new_path), &new.content), parent),
        };
        let kind = match mode.or(replaced) {
            Some(k) => Choice::first(vec![Literal::When(k)], new.kind).or(vec![], old.kind),
            None => Choice::always(old.kind),
        };
        self.woven.push((weave, kind, stand));
    }

    /// Weaves two texts; `None` is the path of a file that a version lacks.
    fn text(
        &mut self,
        (old_path, old): (Option<&RelPath>, &Arc<[u8]>),
        (new_path, new): (Option<&RelPath>, &Arc<[u8]>),
        parent: Option<u32>,
    ) -> Weave {
        let first = self.changes.len() as u32;
        let language = language(old_path, new_path);
        let by_syntax = match self.detail {
            Detail::Lines => None,
            Detail::Fitting => language.filter(|_| is_laid_out_anew(old, new)),
            Detail::Syntax | Detail::Parts => language,
        };
        // What is in a new file is one declaration with the change that makes it, for which it is the reason; a
        // tree has declarations of its own.
        let alone = old_path.is_none() || new_path.is_none();
        let place = |path: Option<&RelPath>, lines| Some(Place { path: path?.clone(), lines });
        if let Some(tree) = by_syntax.and_then(|language| weave_trees(self.detail, language, old, new, first))
        {
            let mark = self.mark;
            self.needs.extend(tree.needs.iter().map(|&(a, b)| Coupling::certain(a, b)));
            if let Some(k) = parent.filter(|_| alone && !can_be_empty(language)) {
                // A file comes or goes with what it cannot be without.
                let outer = (first..).zip(&tree.edits).filter(|(_, edit)| edit.parent.is_none());
                let outer = outer.filter(|(_, edit)| edit.kind != Kind::Layout);
                let pair = |n: u32| if old_path.is_none() { (k, n) } else { (n, k) };
                self.needs.extend(outer.map(|(n, _)| pair(n)).map(|(a, b)| Coupling::certain(a, b)));
            }
            for edit in tree.edits {
                self.mark.declaration = mark.declaration + edit.declaration as u32;
                self.mark.unit = self.mark.declaration;
                self.mark.statement = mark.statement + edit.statement as u32;
                let (old, new) = (place(old_path, edit.old), place(new_path, edit.new));
                let k = self.change(edit.kind, old, new, edit.weight, edit.parent.or(parent));
                let change = &mut self.changes[k as usize];
                (change.what, change.scope) = (edit.what, edit.scope);
                (change.twin, change.is_loose) = (edit.twin, edit.is_loose);
                self.marks[k as usize].is_reordered = edit.is_reordered;
            }
            return tree.weave;
        }
        let text = weave_lines(old, new, first);
        let units = units(language, old, new, &text.edits);
        let first = Mark { declaration: self.mark.declaration - u32::from(alone), ..self.mark };
        for (edit, unit) in text.edits.into_iter().zip(units) {
            let count = |text: &[u8]| if text.is_empty() { 0 } else { words::weight(text) };
            let weight = (count(&old[edit.deleted]) + count(&new[edit.inserted])).max(1);
            self.mark.declaration = first.declaration + edit.hunk as u32;
            self.mark.unit = first.unit + unit;
            self.mark.statement = first.statement + edit.block as u32;
            let (old, new) = (place(old_path, edit.old), place(new_path, edit.new));
            let k = self.change(edit.kind, old, new, weight, parent);
            self.changes[k as usize].what = "line";
            self.marks[k as usize].is_reordered = edit.kind == Kind::Move;
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
        let (what, scope) = ("file", String::new());
        self.changes.push(Change {
            number,
            kind,
            old,
            new,
            weight,
            parent,
            what,
            scope,
            twin: None,
            is_loose: false,
        });
        self.marks.push(self.mark);
        self.mark.declaration += 1;
        self.mark.unit += 1;
        self.mark.statement += 1;
        number
    }

    pub(crate) fn finish(mut self) -> Patchwork {
        if matches!(self.detail, Detail::Syntax | Detail::Parts) {
            twins::find(&mut self.changes, self.woven.iter().map(|(weave, ..)| weave));
        }
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
        let blocked =
            blockers.iter().flat_map(|(&k, needed)| needed.iter().map(move |&n| Coupling::certain(k, n)));
        // What moves away from a path makes room for what comes there, and is hardly any good without.
        let kind = |k: u32| self.changes[k as usize].kind;
        let made_room: Vec<Coupling> = blockers
            .iter()
            .flat_map(|(&comes, needed)| needed.iter().map(move |&goes| (goes, comes)))
            .filter(|&(goes, comes)| kind(goes) == Kind::Rename && kind(comes) == Kind::Create)
            .map(|(dependent, needed)| Coupling { dependent, needed, probability: MAKES_ROOM })
            .collect();
        let needs = self.needs.into_iter().chain(blocked).chain(made_room).collect();
        Patchwork {
            detail: self.detail,
            changes: self.changes,
            files,
            common,
            needs,
            touched,
            at,
            marks: self.marks,
        }
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
                let there = gone.get(path).copied();
                let others: Vec<u32> = above.chain(below).chain(there).filter(|other| other != k).collect();
                if !others.is_empty() {
                    blockers.insert(*k, others);
                }
            }
        }
        blockers
    }
}

/// Whether a text of a language may be empty: one of XML must have an element.
fn can_be_empty(language: Option<Language>) -> bool {
    language.is_none_or(|language| !Tree::parse(language, [].into()).has_error())
}

/// The language of a file, if it has the same in both versions.
fn language(old: Option<&RelPath>, new: Option<&RelPath>) -> Option<Language> {
    let of = |path: &RelPath| Language::of_path(str::from_utf8(path.as_bytes()).ok()?);
    match (old, new) {
        (Some(old), Some(new)) => of(old).filter(|language| of(new).as_ref() == Some(language)),
        (old, new) => of(old.or(new)?),
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
