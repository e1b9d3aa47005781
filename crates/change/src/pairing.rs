//! Which file of the old version became which file of the new one.
//!
//! Files at one path belong together, unless most of the old one went to a new file, as when a module became a folder and its old
//! path an entrance to that. Among the rest, equal content is a rename, then similar content: the
//! share of bytes in common lines, at least half of the larger file, as git has it, or a fifth of it if that is much,
//! since an edit can be searched and a new file only be cut. What is then still new
//! may be a copy of a file that stays. A copy is one change that cannot be searched inside, so it must be
//! more similar than a rename and, unless it is exact, a copy of a file that changed too.
//!
//! Candidates come from an index of lines, not from comparing all with all; lines that many files have do not
//! make a candidate.

use crate::snapshot::{Entry, EntryKind, RelPath, Snapshot};
use crate::words::hash;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A file in both versions, or in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pair {
    Same(RelPath),
    Renamed { old: RelPath, new: RelPath },
    Copied { source: RelPath, new: RelPath },
    Created(RelPath),
    Removed(RelPath),
}

impl Pair {
    /// Where the file is listed: its new path, if it has one.
    fn path(&self) -> &RelPath {
        match self {
            Pair::Same(path) | Pair::Created(path) | Pair::Removed(path) => path,
            Pair::Renamed { new, .. } | Pair::Copied { new, .. } => new,
        }
    }
}

/// The least similarity of a renamed file, in thousandths.
const RENAMED: usize = 500;

/// The least similarity of a file that has gone another way, if ...
const REBUILT: usize = 200;

/// ... so many bytes of it are still there: a module that became a package, most often.
const MUCH: usize = 8 << 10;

/// A file was hollowed out if so many times more of it is found again elsewhere than at its own path.
const HOLLOW: usize = 2;

/// The least similarity of a copied file, in thousandths.
const COPIED: usize = 800;

/// Lines that more files have than this do not make two of them candidates.
const COMMON: usize = 32;

/// So many of the best candidates for a file are compared.
const CANDIDATES: usize = 8;

type File<'a> = (&'a RelPath, &'a Entry);

/// Pairs all files that differ between two versions, in order of their paths.
pub(crate) fn pair(old: &Snapshot, new: &Snapshot) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let (mut removed, mut changed): (Vec<File<'_>>, Vec<File<'_>>) = (Vec::new(), Vec::new());
    for (path, entry) in old.iter() {
        match new.get(path) {
            None => removed.push((path, entry)),
            Some(now) if now.kind == entry.kind && now.same_content(entry) => {}
            Some(_) => changed.push((path, entry)),
        }
    }
    let created: Vec<File<'_>> = new.iter().filter(|(path, _)| old.get(path).is_none()).collect();

    let mut renamed = Taken::default();
    renamed.take_equal(&removed, &created);
    renamed.take_similar(similar(&removed, &created, RENAMED, &renamed));
    let mut rebuilt = similar(&removed, &created, REBUILT, &renamed);
    rebuilt.retain(|candidate| candidate.shared >= MUCH);
    renamed.take_similar(rebuilt);
    for (&new, &old) in &renamed.source_of {
        pairs.push(Pair::Renamed { old: removed[old].0.clone(), new: created[new].0.clone() });
    }
    let mut hollowed = Taken { source_of: renamed.source_of.clone(), ..Taken::default() };
    let mut elsewhere = similar(&changed, &created, REBUILT, &hollowed);
    elsewhere.retain(|candidate| {
        let (path, entry) = changed[candidate.source];
        let stayed = new.get(path).map_or(0, |now| shared(entry, now));
        candidate.shared >= MUCH && candidate.shared >= HOLLOW * stayed
    });
    hollowed.take_similar(elsewhere);
    for (i, (path, _)) in changed.iter().enumerate() {
        let target = hollowed
            .source_of
            .iter()
            .find(|&(target, &source)| source == i && !renamed.source_of.contains_key(target));
        pairs.extend(match target {
            Some((&target, _)) => {
                let moved = Pair::Renamed { old: (*path).clone(), new: created[target].0.clone() };
                vec![moved, Pair::Created((*path).clone())]
            }
            None => vec![Pair::Same((*path).clone())],
        });
    }
    let left = |i: &usize| !hollowed.source_of.contains_key(i);
    let created: Vec<File<'_>> = (0..created.len()).filter(left).map(|i| created[i]).collect();
    let stays = |i: &usize| !renamed.sources.contains(i);
    pairs.extend((0..removed.len()).filter(stays).map(|i| Pair::Removed(removed[i].0.clone())));

    let sizes: BTreeSet<usize> = created.iter().map(|(_, entry)| entry.content.len()).collect();
    let same_size: Vec<File<'_>> = old.iter().filter(|(_, e)| sizes.contains(&e.content.len())).collect();
    let by_content = by_content(&same_size);
    changed.extend(removed);
    let mut likely: BTreeMap<usize, usize> = BTreeMap::new();
    for candidate in similar(&changed, &created, COPIED, &Taken::default()) {
        likely.entry(candidate.target).or_insert(candidate.source);
    }
    for (i, &(path, entry)) in created.iter().enumerate() {
        let equal = by_content.get(&*entry.content).and_then(|sources| {
            let namesake = sources.iter().find(|&&s| same_size[s].0.name() == path.name());
            namesake.or(sources.first()).map(|&s| same_size[s].0)
        });
        let source = if is_file(entry) { equal.or(likely.get(&i).map(|&s| changed[s].0)) } else { None };
        pairs.push(match source {
            Some(source) => Pair::Copied { source: source.clone(), new: path.clone() },
            None => Pair::Created(path.clone()),
        });
    }
    pairs.sort_by(|a, b| a.path().cmp(b.path()));
    pairs
}

fn is_file(entry: &Entry) -> bool {
    matches!(entry.kind, EntryKind::File { .. })
}

/// The plain files that have content, by it.
fn by_content<'a>(files: &[File<'a>]) -> HashMap<&'a [u8], Vec<usize>> {
    let mut by_content: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (i, (_, entry)) in files.iter().enumerate() {
        if is_file(entry) && !entry.content.is_empty() {
            by_content.entry(&entry.content).or_default().push(i);
        }
    }
    by_content
}

/// Renames found so far; each source and each target is taken once.
#[derive(Default)]
struct Taken {
    source_of: BTreeMap<usize, usize>,
    sources: BTreeSet<usize>,
}

impl Taken {
    fn take(&mut self, source: usize, target: usize) {
        if !self.sources.contains(&source) && !self.source_of.contains_key(&target) {
            self.sources.insert(source);
            self.source_of.insert(target, source);
        }
    }

    /// Takes files of equal content, those of equal name first.
    fn take_equal(&mut self, sources: &[File<'_>], targets: &[File<'_>]) {
        let by_content = by_content(sources);
        for by_name in [true, false] {
            for (target, (path, entry)) in targets.iter().enumerate().filter(|(_, (_, e))| is_file(e)) {
                let equal = by_content.get(&*entry.content).into_iter().flatten().copied();
                let mut free = equal.filter(|s| !self.sources.contains(s));
                if let Some(source) = free.find(|&s| !by_name || sources[s].0.name() == path.name()) {
                    self.take(source, target);
                }
            }
        }
    }

    /// Takes the best candidates first.
    fn take_similar(&mut self, candidates: Vec<Candidate>) {
        candidates.iter().for_each(|candidate| self.take(candidate.source, candidate.target));
    }
}

/// Two files that are similar.
struct Candidate {
    source: usize,
    target: usize,
    similarity: usize,
    /// How many bytes are in lines that both have.
    shared: usize,
    namesakes: bool,
}

/// The files of text that are similar enough and not taken, most similar first, then those of equal name.
fn similar(sources: &[File<'_>], targets: &[File<'_>], least: usize, taken: &Taken) -> Vec<Candidate> {
    let text = |files: &[File<'_>], is_free: &dyn Fn(usize) -> bool| -> BTreeMap<usize, LineBag> {
        let free = files.iter().enumerate().filter(|&(i, (_, entry))| is_free(i) && entry.is_text());
        free.map(|(i, (_, entry))| (i, LineBag::new(&entry.content))).collect()
    };
    let target_bags = text(targets, &|i| !taken.source_of.contains_key(&i));
    if target_bags.is_empty() {
        return Vec::new();
    }
    let source_bags = text(sources, &|i| !taken.sources.contains(&i));
    let mut having: HashMap<u64, Vec<usize>> = HashMap::new();
    for (&source, bag) in &source_bags {
        bag.lines.iter().for_each(|&(line, _)| having.entry(line).or_default().push(source));
    }
    let mut candidates = Vec::new();
    for (&target, bag) in &target_bags {
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for (line, bytes) in &bag.lines {
            for &source in having.get(line).filter(|files| files.len() <= COMMON).into_iter().flatten() {
                *shared.entry(source).or_default() += bytes;
            }
        }
        let mut best: Vec<(usize, usize)> =
            shared.into_iter().map(|(source, bytes)| (bytes, source)).collect();
        best.sort_by_key(|&(bytes, source)| (std::cmp::Reverse(bytes), source));
        for (_, source) in best.into_iter().take(CANDIDATES) {
            let shared = source_bags[&source].shared(bag);
            let similarity = shared * 1000 / source_bags[&source].size.max(bag.size).max(1);
            let namesakes = sources[source].0.name() == targets[target].0.name();
            if similarity >= least {
                candidates.push(Candidate { source, target, similarity, shared, namesakes });
            }
        }
    }
    candidates.sort_by_key(|c| (std::cmp::Reverse((c.similarity, c.namesakes)), c.source, c.target));
    candidates
}

/// How many bytes of two files of text are in lines that both have.
fn shared(old: &Entry, new: &Entry) -> usize {
    if old.is_text() && new.is_text() {
        LineBag::new(&old.content).shared(&LineBag::new(&new.content))
    } else {
        0
    }
}

/// The lines of a file, whatever their order.
struct LineBag {
    /// The hash of each different line and the bytes of all its occurrences, sorted.
    lines: Vec<(u64, usize)>,
    size: usize,
}

impl LineBag {
    fn new(text: &[u8]) -> LineBag {
        let mut lines: Vec<(u64, usize)> =
            text.split_inclusive(|&b| b == b'\n').map(|line| (hash(line.trim_ascii()), line.len())).collect();
        lines.sort_unstable();
        lines.dedup_by(|next, line| {
            let equal = next.0 == line.0;
            line.1 += if equal { next.1 } else { 0 };
            equal
        });
        LineBag { lines, size: text.len() }
    }

    /// How many bytes are in lines that both have.
    fn shared(&self, other: &LineBag) -> usize {
        let mut others = other.lines.iter().peekable();
        let mut shared = 0;
        for &(line, bytes) in &self.lines {
            while others.next_if(|(other, _)| *other < line).is_some() {}
            if let Some(&(_, other_bytes)) = others.next_if(|(other, _)| *other == line) {
                shared += bytes.min(other_bytes);
            }
        }
        shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(files: &[(&str, &str)]) -> Snapshot {
        let entry =
            |(path, text): &(&str, &str)| (RelPath::try_from(*path).unwrap(), Entry::file(text.as_bytes()));
        files.iter().map(entry).collect()
    }

    /// One line for each pair: `=` the same path, `>` renamed, `+>` copied, `+` created, `-` removed.
    fn check(old: &[(&str, &str)], new: &[(&str, &str)], expected: &[&str]) {
        let show = |pair: &Pair| match pair {
            Pair::Same(path) => format!("= {path}"),
            Pair::Renamed { old, new } => format!("{old} > {new}"),
            Pair::Copied { source, new } => format!("{source} +> {new}"),
            Pair::Created(path) => format!("+ {path}"),
            Pair::Removed(path) => format!("- {path}"),
        };
        let shown: Vec<String> = pair(&snapshot(old), &snapshot(new)).iter().map(show).collect();
        assert_eq!(shown, expected);
    }

    const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";
    const EDITED: &str = "one\ntwo\nthree\nfour\nfive\n6\n";
    const OTHER: &str = "completely\nsomething\nelse\n";

    #[test]
    fn a_file_at_its_path_stays_itself_even_if_another_is_more_similar() {
        check(&[("a", TEXT), ("b", OTHER)], &[("a", OTHER), ("b", OTHER)], &["= a"]);
    }

    #[test]
    fn a_removed_file_with_a_similar_new_one_is_renamed() {
        check(&[("a", TEXT)], &[("b", EDITED), ("c", OTHER)], &["a > b", "+ c"]);
        check(&[("a", TEXT)], &[("a/b", TEXT)], &["a > a/b"]);
        check(&[("a", TEXT)], &[("b", OTHER)], &["- a", "+ b"]);
    }

    #[test]
    fn a_large_file_of_which_a_fifth_is_found_again_was_rebuilt() {
        let lines = |numbers: std::ops::Range<usize>| -> String {
            numbers.map(|i| format!("this is line number {i:04} of some text\n")).collect()
        };
        check(&[("a.py", &lines(0..1000))], &[("a/core.py", &lines(700..1700))], &["a.py > a/core.py"]);
        check(&[("a.py", &lines(0..1000))], &[("a/core.py", &lines(900..1900))], &["- a.py", "+ a/core.py"]);
        check(&[("a.py", &lines(0..100))], &[("a/core.py", &lines(70..170))], &["- a.py", "+ a/core.py"]);
        let closer = [("a/other.py", &*lines(600..1600)), ("a/core.py", &*lines(700..1700))];
        check(&[("a.py", &lines(0..1000))], &closer, &["+ a/core.py", "a.py > a/other.py"]);
    }

    #[test]
    fn a_file_most_of_which_went_elsewhere_was_hollowed_out() {
        let lines = |numbers: std::ops::Range<usize>| -> String {
            numbers.map(|i| format!("this is line number {i:04} of some text\n")).collect()
        };
        let old = [("index.js", &*lines(0..1000))];
        let (stub, most, half) = ("require('./lib')\n", lines(100..1100), lines(400..1400));
        check(&old, &[("index.js", stub), ("lib/a.js", &most)], &["+ index.js", "index.js > lib/a.js"]);
        // What stayed is as much as what went.
        check(&old, &[("index.js", &lines(0..500)), ("lib/a.js", &half)], &["= index.js", "+ lib/a.js"]);
    }

    #[test]
    fn equal_files_are_paired_by_name() {
        check(&[("x/a", TEXT), ("x/b", TEXT)], &[("y/b", TEXT), ("y/a", TEXT)], &["x/a > y/a", "x/b > y/b"]);
    }

    #[test]
    fn the_more_similar_file_is_the_renamed_one() {
        let half = "one\ntwo\nthree\nfour\nand\nmore\n";
        check(&[("a", half), ("b", TEXT)], &[("c", EDITED)], &["- a", "b > c"]);
    }

    #[test]
    fn a_new_file_like_one_that_stays_is_a_copy() {
        check(&[("a", TEXT)], &[("a", TEXT), ("b", TEXT)], &["a +> b"]);
        check(&[("a", TEXT)], &[("a", OTHER), ("b", EDITED)], &["= a", "a +> b"]);
        check(&[("a", TEXT)], &[("b", TEXT), ("c", TEXT)], &["a > b", "a +> c"]);
    }

    #[test]
    fn empty_files_and_links_are_neither_renamed_nor_copied() {
        check(&[("a", "")], &[("b", "")], &["- a", "+ b"]);
        let link = |path: &str| (RelPath::try_from(path).unwrap(), Entry::symlink(*b"target"));
        let pairs = pair(&[link("a")].into_iter().collect(), &[link("b")].into_iter().collect());
        assert_eq!(pairs.len(), 2);
    }
}
