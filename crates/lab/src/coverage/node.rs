//! JavaScript: Node writes by itself which ranges ran, one file for each process, where `NODE_V8_COVERAGE` says.

use super::collector::{Collector, Site, files_below, has_ending, program, said};
use nub_change::coverage::{self, Marks, Report};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

pub(super) struct Node;

impl Collector for Node {
    fn language(&self) -> &'static str {
        "JavaScript"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"]
    }

    fn is_cheap(&self) -> bool {
        true
    }

    fn set_up(&self, site: &Site<'_>) -> Result<Vec<(OsString, OsString)>, String> {
        program("node").ok_or("`node` is not in PATH")?;
        Ok(vec![("NODE_V8_COVERAGE".into(), site.data().join("node").into())])
    }

    fn gather(&self, site: &Site<'_>) -> Result<Report, String> {
        let mut report = Report::default();
        for path in files_below(&site.data().join("node"), &mut |path| has_ending(path, "json")) {
            let bytes = fs::read(&path).map_err(|error| said(&path, &error))?;
            match coverage::read(&bytes) {
                Ok(read) => report.join(with_texts(read, site)),
                Err(coverage::ReadError::Empty { .. }) => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(report)
    }
}

/// The same with the texts of the scripts that are in the version's folder, and that nobody else has written.
fn with_texts(mut report: Report, site: &Site<'_>) -> Report {
    for file in &mut report.files {
        let path = Path::new(&file.path);
        let is_ours = path
            .strip_prefix(site.workspace)
            .is_ok_and(|inside| inside.components().all(|part| part.as_os_str() != "node_modules"));
        if let (true, Marks::Units(units)) = (is_ours, &mut file.marks)
            && let Ok(text) = fs::read_to_string(path)
        {
            file.marks = Marks::Script(std::mem::take(units), text.into());
        }
    }
    report
}
