//! What Node writes to `NODE_V8_COVERAGE`: ranges of each function and a count for each, outer ones first.
//!
//! Ranges are in UTF-16 code units of the text that ran. Where that text was made from another one and Node knows
//! the source map, the marks are put on the lines of the sources too: which of them the versions hold, they know.

use super::source_map::SourceMap;
use super::{Lines, Marks, Measured, Report};
use serde::Deserialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

#[derive(Deserialize)]
struct Document {
    result: Vec<Script>,
    #[serde(rename = "source-map-cache", default)]
    maps: BTreeMap<String, Mapped>,
}

#[derive(Deserialize)]
struct Script {
    url: String,
    functions: Vec<Function>,
}

#[derive(Deserialize)]
struct Function {
    ranges: Vec<Counted>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Counted {
    start_offset: usize,
    end_offset: usize,
    count: u64,
}

/// A script that was made from others.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Mapped {
    #[serde(default)]
    line_lengths: Vec<usize>,
    #[serde(default)]
    data: Option<SourceMap>,
}

/// Reads all scripts that are files.
pub(super) fn parse(text: &str) -> Result<Report, String> {
    let document: Document = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut report = Report::default();
    for script in document.result {
        let Some(path) = script.url.strip_prefix("file://") else { continue };
        let path = plain(path);
        let units = ranges(&script.functions);
        if let Some(Mapped { line_lengths, data: Some(map) }) = document.maps.get(&script.url) {
            report.files.extend(sources(map, &path, line_lengths, &units)?);
        }
        report.files.push(Measured { path, marks: Marks::Units(units) });
    }
    Ok(report)
}

/// All ranges of a script, outer ones before those inside them.
fn ranges(functions: &[Function]) -> Vec<(Range<usize>, bool)> {
    let all = functions.iter().flat_map(|function| &function.ranges);
    let mut ranges: Vec<(Range<usize>, bool)> = all
        .map(|counted| {
            (counted.start_offset..counted.end_offset.max(counted.start_offset), counted.count > 0)
        })
        .collect();
    // Stable, for of two equal ranges the later one is the finer: a block that fills its function.
    ranges.sort_by_key(|(range, _)| (range.start, Reverse(range.end)));
    ranges
}

/// Marks the lines of the sources that a script was made from.
fn sources(
    map: &SourceMap,
    script: &str,
    line_lengths: &[usize],
    units: &[(Range<usize>, bool)],
) -> Result<Vec<Measured>, String> {
    let mut starts = vec![0];
    for length in line_lengths {
        starts.push(starts.last().expect("there is a first") + length + 1);
    }
    let ran = painted(units, *starts.last().expect("there is a first"));
    let mut sources: Vec<Lines> = map.sources.iter().map(|_| Lines::default()).collect();
    for place in map.places()? {
        let Some(start) = starts.get(place.line) else { continue };
        if let (Some(lines), Some(ran)) = (sources.get_mut(place.source), ran.get(start + place.column)) {
            lines.mark(place.source_line + 1, *ran);
        }
    }
    Ok(map.paths(script).into_iter().zip(sources).map(|(path, lines)| lines.measured(path)).collect())
}

/// Whether each code unit ran.
pub(super) fn painted(units: &[(Range<usize>, bool)], len: usize) -> Vec<bool> {
    let mut painted = vec![true; len];
    for (range, ran) in units {
        painted[range.start.min(len)..range.end.min(len)].fill(*ran);
    }
    painted
}

/// A path without the escapes of an address.
fn plain(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| byte == b'%') {
            Some(escaped) => {
                bytes.push(escaped);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
