//! Go's coverprofile: `import/path/file.go:line.column,line.column statements count` for each block.

use super::{Lines, Report};
use std::collections::BTreeMap;

/// Reads all blocks; a line that belongs to several ran if one of them did.
pub(super) fn parse(text: &str) -> Result<Report, String> {
    let mut files: BTreeMap<&str, Lines> = BTreeMap::new();
    for (at, row) in text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty()) {
        // Profiles of several packages are put together with their first lines.
        if row.starts_with("mode: ") {
            continue;
        }
        let bad =
            || format!("line {} is not `file:line.column,line.column statements count`: `{row}`", at + 1);
        let (path, start, end, count) = block(row).ok_or_else(bad)?;
        let lines = files.entry(path).or_default();
        (start..=end).for_each(|line| lines.mark(line, count > 0));
    }
    let files = files.into_iter().map(|(path, lines)| lines.measured(path)).collect();
    Ok(Report { files, ..Report::default() })
}

fn block(row: &str) -> Option<(&str, usize, usize, u64)> {
    let (path, rest) = row.rsplit_once(':')?;
    let mut words = rest.split_whitespace();
    let (start, end) = words.next()?.split_once(',')?;
    let line = |place: &str| place.split_once('.')?.0.parse::<usize>().ok();
    let _statements = words.next()?;
    let count = words.next()?.parse().ok()?;
    let (start, end) = (line(start)?, line(end)?);
    (start <= end).then_some((path, start, end, count))
}
