//! Istanbul's JSON: the statements of each file by number, and a count for each number.

use super::{Lines, Report};
use serde::Deserialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct File {
    path: String,
    #[serde(rename = "statementMap")]
    statements: BTreeMap<String, Extent>,
    #[serde(rename = "s")]
    counts: BTreeMap<String, u64>,
}

#[derive(Clone, Copy, Deserialize)]
struct Extent {
    start: Position,
    end: Position,
}

#[derive(Clone, Copy, Deserialize)]
struct Position {
    line: usize,
}

/// Some writers put a file's data one level deeper.
#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Plain(File),
    Wrapped { data: File },
}

/// Reads all files.
pub(super) fn parse(text: &str) -> Result<Report, String> {
    let files: BTreeMap<String, Entry> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut report = Report::default();
    for (_, Entry::Plain(file) | Entry::Wrapped { data: file }) in files {
        report.files.push(lines(&file)?.measured(file.path));
    }
    Ok(report)
}

/// A line has the count of the innermost statement around it; where several begin, it ran if one did.
fn lines(file: &File) -> Result<Lines, String> {
    let missing = |number: &String| format!("statement {number} of `{}` has no count", file.path);
    let mut statements = Vec::new();
    for (number, extent) in &file.statements {
        let count = file.counts.get(number).ok_or_else(|| missing(number))?;
        statements.push((extent.start.line, extent.end.line.max(extent.start.line), *count > 0));
    }
    statements.sort_by_key(|&(start, end, _)| (Reverse(end - start), start));
    let mut innermost: BTreeMap<usize, bool> = BTreeMap::new();
    for &(start, end, ran) in &statements {
        innermost.extend((start..=end).map(|line| (line, ran)));
    }
    let mut lines = Lines::default();
    innermost.into_iter().for_each(|(line, ran)| lines.mark(line, ran));
    statements.into_iter().filter(|(.., ran)| *ran).for_each(|(start, ..)| lines.mark(start, true));
    Ok(lines)
}
