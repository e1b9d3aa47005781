//! From a report to the files of a version, and from its lines to changes.

use super::bundle::Bundle;
use super::{Marks, Measured, Report, lines, places, v8};
use crate::change::{Change, Kind};
use crate::patchwork::Patchwork;
use crate::snapshot::{Entry, RelPath, Snapshot};
use crate::suspicion::suspicion;
use nub_search::Config;
use std::collections::BTreeMap;

/// What is known of whether a line or a change ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sight {
    /// It ran.
    Ran,
    /// It could have been seen to run, and did not.
    Idle,
    /// The tool does not see whether it ran or mattered.
    Unseen,
}

/// Folders of what others have written, and of what is made: nothing is made from these.
const MADE: [&[u8]; 5] = [b"node_modules", b"dist", b"build", b"out", b"target"];

/// What ran in the files of one version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    files: BTreeMap<RelPath, BTreeMap<usize, bool>>,
    silent: Vec<String>,
    silent_functions: Vec<String>,
}

impl Coverage {
    /// What a report says of the files of a version.
    pub fn of(report: &Report, version: &Snapshot) -> Coverage {
        let places = places::find(report, version.paths());
        let (silent, silent_functions) = (report.silent.clone(), report.silent_functions.clone());
        let mut coverage = Coverage { files: BTreeMap::new(), silent, silent_functions };
        let mut bundles = Vec::new();
        for (Measured { marks, .. }, path) in report.files.iter().zip(places) {
            let Some((path, entry)) = path.and_then(|path| version.get(&path).map(|entry| (path, entry)))
            else {
                if let Marks::Script(units, text) = marks {
                    bundles.extend(Bundle::of(text, units));
                }
                continue;
            };
            let lines = coverage.files.entry(path).or_default();
            let mut add = |line: usize, ran: bool| *lines.entry(line).or_default() |= ran;
            match marks {
                Marks::Lines(marks) => marks.iter().for_each(|(line, ran)| add(*line, *ran)),
                Marks::Units(units) | Marks::Script(units, _) => {
                    let text = String::from_utf8_lossy(&entry.content);
                    let painted = v8::painted(units, text.encode_utf16().count());
                    lines_of_units(&text, &painted, add);
                }
            }
        }
        coverage.add_sources(&bundles, version);
        coverage
    }

    /// Takes in what scripts tell of the files that they were made from, where nothing else is known of these.
    fn add_sources(&mut self, bundles: &[Bundle], version: &Snapshot) {
        if bundles.is_empty() {
            return;
        }
        let is_made = |path: &RelPath| path.as_bytes().split(|b| *b == b'/').any(|part| MADE.contains(&part));
        let is_source =
            |path: &RelPath, entry: &Entry| entry.is_text() && suspicion(path) >= 1.0 && !is_made(path);
        for (path, entry) in version.iter().filter(|(path, entry)| is_source(path, entry)) {
            if self.files.contains_key(path) {
                continue;
            }
            let name = path.to_string();
            let mut marks: BTreeMap<usize, bool> = BTreeMap::new();
            for (line, ran) in bundles.iter().flat_map(|bundle| bundle.lines(&name, &entry.content)) {
                *marks.entry(line).or_default() |= ran;
            }
            if !marks.is_empty() {
                self.files.insert(path.clone(), marks);
            }
        }
    }

    /// The same without what silence tells.
    pub fn without_silence(self) -> Coverage {
        Coverage { silent: Vec::new(), silent_functions: Vec::new(), ..self }
    }

    /// How many files of the version it speaks of.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether it says nothing of any file of the version.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The lines of a file, counted from 0, that are known to have run or not to have run.
    pub fn lines(&self, path: &RelPath) -> Option<&BTreeMap<usize, bool>> {
        self.files.get(path)
    }

    /// The sight of each line of a file of the version.
    pub fn sights(&self, path: &RelPath, entry: &Entry) -> Vec<Sight> {
        let name = path.to_string();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        match self.files.get(path) {
            Some(marks) => lines::sights(&name, &entry.content, marks),
            None if self.silent.iter().any(|silent| silent == ending) => {
                vec![Sight::Idle; crate::lines::Lines::new(&entry.content).len()]
            }
            None if self.silent_functions.iter().any(|silent| silent == ending) => {
                lines::idle_functions(&name, &entry.content)
            }
            None => Vec::new(),
        }
    }
}

/// Marks each line that has text; it ran if anything of its text did.
///
/// What closes something belongs to where it was opened: it tells only if there is nothing else.
fn lines_of_units(text: &str, painted: &[bool], mut add: impl FnMut(usize, bool)) {
    let mut unit = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let (mut words, mut closing) = (None, None);
        for char in line.chars() {
            let ran = painted.get(unit).copied().unwrap_or(true);
            unit += char.len_utf16();
            if !char.is_whitespace() {
                let seen = if ";,)]}".contains(char) { &mut closing } else { &mut words };
                *seen = Some(seen.unwrap_or(false) || ran);
            }
        }
        if let Some(ran) = words.or(closing) {
            add(number, ran);
        }
    }
}

/// The sight of each change, by number, from what ran in the old and in the new version.
///
/// A change ran if any of its lines did, in the version that has them. It is idle if all its lines could have
/// been seen to run in both and none did.
pub fn sights(patchwork: &Patchwork, old: &Coverage, new: &Coverage) -> Vec<Sight> {
    let mut seen: Vec<Seen> = patchwork.changes().iter().map(|_| Seen::default()).collect();
    let mut files = Vec::new();
    for (config, coverage) in [(Config::empty(), old), (patchwork.full(), new)] {
        let mut by_path: BTreeMap<&RelPath, Sight> = BTreeMap::new();
        for path in patchwork.at.keys() {
            let (Some(trace), Some(entry)) = (patchwork.trace(&config, path), patchwork.entry(&config, path))
            else {
                continue;
            };
            let sights = coverage.sights(path, &entry);
            let sight = |line: usize| sights.get(line).copied().unwrap_or(Sight::Unseen);
            let mut whole = Seen::default();
            for line in 0..trace.len() {
                let changes = trace.origin(line).map(|origin| origin.changes).unwrap_or_default();
                changes.iter().for_each(|change| seen[*change as usize].add(sight(line)));
                whole.add(sight(line));
            }
            by_path.insert(path, whole.sight());
        }
        files.push(by_path);
    }
    let of_file = |change: &Change| {
        let (side, place) = match change.kind {
            Kind::Create => (1, change.new.as_ref()),
            Kind::Remove => (0, change.old.as_ref()),
            _ => return None,
        };
        files[side].get(&place?.path).copied()
    };
    let sight = |change: &Change| of_file(change).unwrap_or_else(|| seen[change.number as usize].sight());
    patchwork.changes().iter().map(sight).collect()
}

/// What was seen of several lines.
#[derive(Default)]
struct Seen {
    ran: bool,
    idle: bool,
    unseen: bool,
}

impl Seen {
    fn add(&mut self, sight: Sight) {
        match sight {
            Sight::Ran => self.ran = true,
            Sight::Idle => self.idle = true,
            Sight::Unseen => self.unseen = true,
        }
    }

    fn sight(&self) -> Sight {
        match self {
            Seen { ran: true, .. } => Sight::Ran,
            Seen { idle: true, unseen: false, .. } => Sight::Idle,
            _ => Sight::Unseen,
        }
    }
}
