//! Where a complaint is, and which changes are there.

use super::complaint::Complaint;
use super::mentions::{Lines, is_by_hand, is_name};
use crate::change::{Change, Place};
use crate::patchwork::Patchwork;
use crate::snapshot::RelPath;
use crate::words::words;
use nub_search::Config;
use std::collections::BTreeSet;

/// What is more lines away than this is elsewhere.
const REACH: usize = 8;

/// More lines than this are no header.
const LONG_HEADER: usize = 30;

/// A name on more lines than this is nowhere in particular.
const MANY_LINES: usize = 8;

/// What was built, and where a complaint of it is.
pub(super) struct Scene<'a> {
    pub(super) patchwork: &'a Patchwork,
    pub(super) config: &'a Config,
    pub(super) here: Here,
}

impl Scene<'_> {
    pub(super) fn applied(&self, changes: &[u32]) -> Vec<u32> {
        changes.iter().copied().filter(|change| self.config.contains(*change)).collect()
    }

    pub(super) fn absent(&self, changes: &[u32]) -> Vec<u32> {
        changes.iter().copied().filter(|change| !self.config.contains(*change)).collect()
    }

    /// The changes on the lines around a place, by how far away they are.
    pub(super) fn around(&self, (path, line): &(String, usize)) -> Vec<Vec<u32>> {
        let path = find(self.patchwork, path);
        let Some(trace) = path.and_then(|path| self.patchwork.trace(self.config, path)) else {
            return Vec::new();
        };
        let lines = |far: usize| [line.checked_sub(far), line.checked_add(far)].into_iter().flatten();
        let at = |far: usize| lines(far).flat_map(|line| trace.on_line(line));
        (0..=REACH).map(|far| at(far).collect()).collect()
    }

    /// What a line belongs to, as its indentation and its first letters tell.
    pub(super) fn surroundings(&self, (path, line): &(String, usize)) -> Surroundings {
        let found = find(self.patchwork, path).and_then(|path| {
            Some((self.patchwork.trace(self.config, path)?, self.patchwork.entry(self.config, path)?))
        });
        let Some((trace, entry)) = found else { return Surroundings::default() };
        let lines: Vec<&[u8]> = entry.content.split(|&b| b == b'\n').collect();
        let text = |line: usize| lines.get(line).map_or(&[][..], |text| text.trim_ascii());
        // What is said of something stands above it, one below the other; a complaint is at the thing or at what is
        // said of it.
        let thing = (*line..lines.len()).find(|&line| !is_said_of_what_follows(text(line))).unwrap_or(*line);
        let top = (0..thing).rev().take_while(|&line| is_said_of_what_follows(text(line))).last();
        let said_of_it = (top.unwrap_or(thing)..=thing).flat_map(|line| trace.on_line(line)).collect();
        let indent = |line: usize| lines[line].len() - lines[line].trim_ascii_start().len();
        let begins = |line: &usize| !text(*line).is_empty() && !text(*line).starts_with(b"}");
        let beside = |line: usize| (line + 1..lines.len()).take(REACH).take_while(begins);
        let mut heads = Vec::new();
        let mut headers: BTreeSet<u32> = beside(*line).flat_map(|line| trace.on_line(line)).collect();
        let mut inside = if *line < lines.len() { indent(*line) } else { 0 };
        for line in (0..(*line).min(lines.len())).rev().filter(|&line| !text(line).is_empty()) {
            if inside == 0 {
                break;
            }
            if indent(line) < inside {
                inside = indent(line);
                heads.extend(trace.origin(line).map(|origin| origin.changes).unwrap_or_default());
                let above = (0..=line).rev().take(LONG_HEADER).take_while(begins);
                headers.extend(above.flat_map(|line| trace.on_line(line)));
            }
        }
        Surroundings { said_of_it, heads, headers }
    }

    /// The file of a place.
    pub(super) fn file(&self, (path, _): &(String, usize)) -> Option<u32> {
        let path = find(self.patchwork, path)?;
        self.patchwork.at.get(path)?.first().copied()
    }
}

/// The changes on the lines that a line belongs to.
#[derive(Default)]
pub(super) struct Surroundings {
    /// On the line, and on the attributes and comments above it.
    pub(super) said_of_it: Vec<u32>,
    /// On the heads of all that it is in.
    pub(super) heads: Vec<u32>,
    /// On those and on what stands above each without a gap, and on what follows the line: parameters, bounds, what is
    /// thrown.
    pub(super) headers: BTreeSet<u32>,
}

/// Whether a line is an attribute, a decorator or a comment.
fn is_said_of_what_follows(text: &[u8]) -> bool {
    [&b"#["[..], b"@", b"//", b"/*", b"*"].iter().any(|start| text.starts_with(start))
}

/// The changes around the place of a complaint.
#[derive(Default)]
pub(super) struct Here {
    pub(super) applied: Vec<u32>,
    pub(super) absent: Vec<u32>,
    /// The names on the line.
    pub(super) words: Vec<String>,
}

impl Here {
    pub(super) fn at(patchwork: &Patchwork, config: &Config, complaint: &Complaint) -> Here {
        let Some((path, line)) = &complaint.place else { return Here::default() };
        let Some(path) = find(patchwork, path) else { return Here::default() };
        let Some(trace) = patchwork.trace(config, path) else { return Here::default() };
        let mut around: BTreeSet<u32> = trace.on_line(*line).into_iter().collect();
        // A parser often complains one line after the one that is to blame.
        around.extend(trace.gap(line + 1));
        if around.is_empty() && *line > 0 {
            around.extend(trace.on_line(line - 1));
        }
        let (applied, absent) = around.into_iter().partition(|change| config.contains(*change));
        let text = patchwork.entry(config, path).map(|entry| entry.content).unwrap_or_default();
        let text = text.split(|&b| b == b'\n').nth(*line).unwrap_or_default();
        let names = words(text).filter(|word| word.len() > 1 && is_name(word) && is_by_hand(text));
        let words: BTreeSet<String> = names.map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        Here { applied, absent, words: words.into_iter().collect() }
    }
}

/// A complaint at each line that it may mean: those of its file with one of its names, if that is all it tells.
pub(super) fn located(patchwork: &Patchwork, config: &Config, complaint: Complaint) -> Vec<Complaint> {
    let path = complaint.file.as_ref().and_then(|file| find(patchwork, file));
    let entry = path.and_then(|path| patchwork.entry(config, path));
    let text = entry.map(|entry| entry.content).unwrap_or_default();
    let is_named = |word: &[u8]| complaint.names.iter().any(|name| name.as_bytes() == word);
    let lines = text.split(|&b| b == b'\n').enumerate().filter(|(_, line)| words(line).any(is_named));
    let at =
        |line: usize| Complaint { place: path.map(|path| (path.to_string(), line)), ..complaint.clone() };
    let found: Vec<Complaint> = lines.take(MANY_LINES + 1).map(|(line, _)| at(line)).collect();
    if (1..=MANY_LINES).contains(&found.len()) { found } else { vec![complaint] }
}

/// Where changes are in the new version.
pub(super) fn new_lines(patchwork: &Patchwork, changes: &[u32]) -> Vec<Lines> {
    lines_of(patchwork, changes, |change| change.new.as_ref())
}

/// Where changes are in the old version.
pub(super) fn old_lines(patchwork: &Patchwork, changes: &[u32]) -> Vec<Lines> {
    lines_of(patchwork, changes, |change| change.old.as_ref())
}

fn lines_of(patchwork: &Patchwork, changes: &[u32], place: impl Fn(&Change) -> Option<&Place>) -> Vec<Lines> {
    let lines = |&k: &u32| {
        let place = place(&patchwork.changes()[k as usize])?;
        Some(Lines { file: patchwork.marks[k as usize].file, lines: place.lines.clone() })
    };
    changes.iter().filter_map(lines).collect()
}

/// The file that a compiler calls `said`: the longest path of the version that `said` ends with.
fn find<'a>(patchwork: &'a Patchwork, said: &str) -> Option<&'a RelPath> {
    let said = said.strip_prefix("./").unwrap_or(said).as_bytes();
    let ends = |path: &&RelPath| {
        let path = path.as_bytes();
        said.ends_with(path) && (said.len() == path.len() || said[said.len() - path.len() - 1] == b'/')
    };
    let inside = |path: &&RelPath| {
        let path = path.as_bytes();
        path.ends_with(said) && path.len() > said.len() && path[path.len() - said.len() - 1] == b'/'
    };
    let whole = patchwork.at.keys().filter(ends).max_by_key(|path| path.as_bytes().len());
    whole.or_else(|| {
        let mut candidates = patchwork.at.keys().filter(inside);
        candidates.next().filter(|_| candidates.next().is_none())
    })
}

/// The names in the condition of a complaint that the program makes itself, by `#error`.
pub(super) fn guards(patchwork: &Patchwork, config: &Config, complaint: &Complaint) -> Vec<String> {
    let place = complaint.place.as_ref().and_then(|(path, line)| Some((find(patchwork, path)?, *line)));
    let Some((path, line)) = place else { return Vec::new() };
    let Some(entry) = patchwork.entry(config, path) else { return Vec::new() };
    let text = String::from_utf8_lossy(&entry.content);
    let directive = |line: &str| line.trim_start().strip_prefix('#').map(|rest| rest.trim_start().to_owned());
    let lines: Vec<&str> = text.lines().take(line + 1).collect();
    if !lines.get(line).and_then(|line| directive(line)).is_some_and(|rest| rest.starts_with("error")) {
        return Vec::new();
    }
    let condition = lines.iter().rev().find_map(|line| directive(line).filter(|rest| is_condition(rest)));
    let condition = condition.unwrap_or_default();
    let names = words(condition.as_bytes()).skip(1).filter(|word| is_name(word));
    names.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// The name of what is declared below an attribute or a decorator, if that is where a complaint is.
pub(super) fn annotated(patchwork: &Patchwork, config: &Config, complaint: &Complaint) -> Option<String> {
    let (path, line) = complaint.place.as_ref()?;
    let entry = patchwork.entry(config, find(patchwork, path)?)?;
    let mut below = entry.content.split(|&b| b == b'\n').skip(*line).map(<[u8]>::trim_ascii).peekable();
    if !is_said_of_what_follows(below.peek()?) {
        return None;
    }
    let declared: Vec<&[u8]> = words(below.find(|text| !is_said_of_what_follows(text))?).collect();
    let head = declared.iter().position(|word| *word == b"(")?;
    let name = head.checked_sub(1).map(|i| declared[i]).filter(|word| is_name(word))?;
    Some(String::from_utf8_lossy(name).into_owned())
}

fn is_condition(directive: &str) -> bool {
    directive.starts_with("if") || directive.starts_with("elif")
}
