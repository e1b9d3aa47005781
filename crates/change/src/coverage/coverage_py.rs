//! `coverage json` of coverage.py.

use super::{Lines, Report};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Document {
    files: BTreeMap<String, File>,
}

#[derive(Deserialize)]
struct File {
    executed_lines: Vec<usize>,
    missing_lines: Vec<usize>,
}

/// Reads all files; excluded lines are neither run nor missed.
pub(super) fn parse(text: &str) -> Result<Report, String> {
    let document: Document = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut report = Report::default();
    for (path, file) in document.files {
        let mut lines = Lines::default();
        file.executed_lines.iter().for_each(|line| lines.mark(*line, true));
        file.missing_lines.iter().for_each(|line| lines.mark(*line, false));
        report.files.push(lines.measured(path));
    }
    Ok(report)
}
