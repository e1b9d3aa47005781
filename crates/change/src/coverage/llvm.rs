//! `llvm-cov export`: places in a file where the count changes, and the count from there on.

use super::{Lines, Report};
use serde::Deserialize;

#[derive(Deserialize)]
struct Export {
    data: Vec<Data>,
}

#[derive(Deserialize)]
struct Data {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    #[serde(default)]
    segments: Option<Vec<Segment>>,
}

/// From this place on the code has this count.
#[derive(Deserialize)]
#[serde(from = "Fields")]
struct Segment {
    line: usize,
    count: u64,
    has_count: bool,
    begins_region: bool,
    is_gap: bool,
}

/// Line, column, count, whether there is one, whether a region begins, and from LLVM 9 on whether it is a gap.
#[derive(Deserialize)]
#[serde(untagged)]
enum Fields {
    New((usize, usize, u64, bool, bool, bool)),
    Old((usize, usize, u64, bool, bool)),
}

impl From<Fields> for Segment {
    fn from(fields: Fields) -> Segment {
        let (line, count, has_count, begins_region, is_gap) = match fields {
            Fields::New((line, _, count, has_count, begins, is_gap)) => {
                (line, count, has_count, begins, is_gap)
            }
            Fields::Old((line, _, count, has_count, begins)) => (line, count, has_count, begins, false),
        };
        Segment { line, count, has_count, begins_region, is_gap }
    }
}

/// Reads all files; how segments make lines is as in LLVM's own line coverage.
pub(super) fn parse(text: &str) -> Result<Report, String> {
    let export: Export = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut report = Report::default();
    for file in export.data.into_iter().flat_map(|data| data.files) {
        let Some(segments) = file.segments else {
            return Err("it is a summary only; leave out --summary-only".into());
        };
        report.files.push(lines(&segments).measured(file.filename));
    }
    Ok(report)
}

fn lines(segments: &[Segment]) -> Lines {
    let mut lines = Lines::default();
    let last = segments.last().map_or(0, |segment| segment.line);
    let mut at = 0;
    // The segment that reaches into the line from above.
    let mut above: Option<&Segment> = None;
    for line in segments.first().map_or(0, |segment| segment.line)..=last {
        let end = at + segments[at..].iter().take_while(|segment| segment.line == line).count();
        let here = &segments[at..end];
        let begun = || here.iter().filter(|s| s.begins_region && s.has_count && !s.is_gap);
        let skipped = here.first().is_some_and(|s| !s.has_count && s.begins_region);
        if !skipped && (above.is_some_and(|s| s.has_count) || begun().next().is_some()) {
            let ran = above.is_some_and(|s| s.has_count && s.count > 0) || begun().any(|s| s.count > 0);
            lines.mark(line, ran);
        }
        above = here.last().or(above);
        at = end;
    }
    lines
}
