//! Tracefiles of lcov: a record for each source file, a line for each line with code (geninfo(1)).

use super::{Lines, Report};

/// Reads `SF:`, `DA:` and `end_of_record`; summaries, functions and branches are left aside.
pub(super) fn parse(text: &str) -> Result<Report, String> {
    let mut report = Report::default();
    let mut open: Option<(&str, Lines)> = None;
    for (number, line) in text.lines().map(str::trim).enumerate() {
        let bad = |what: &str| format!("line {} {what}: `{line}`", number + 1);
        match line.split_once(':') {
            Some(("SF", path)) => {
                if let Some((path, _)) = open.replace((path, Lines::default())) {
                    return Err(bad(&format!("begins a file before the record of `{path}` has ended")));
                }
            }
            Some(("DA", data)) => {
                let (_, lines) = open.as_mut().ok_or_else(|| bad("belongs to no file"))?;
                let mut fields = data.split(',').map(str::trim);
                let line = fields.next().and_then(|line| line.parse().ok());
                // Counts can be negative where a counter ran over.
                let count: Option<i64> = fields.next().and_then(|count| count.parse().ok());
                let (line, count) = line.zip(count).ok_or_else(|| bad("is not `DA:line,count`"))?;
                lines.mark(line, count != 0);
            }
            _ if line == "end_of_record" => {
                let (path, lines) = open.take().ok_or_else(|| bad("ends no record"))?;
                report.files.push(lines.measured(path));
            }
            _ => {}
        }
    }
    match open {
        Some((path, _)) => Err(format!("it ends inside the record of `{path}`")),
        None => Ok(report),
    }
}
