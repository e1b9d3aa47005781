//! What gcov writes: JSON, a document for each object file, or annotated sources (gcov(1)).

use super::{Lines, Report};
use serde::Deserialize;

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    current_working_directory: String,
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    file: String,
    lines: Vec<Line>,
}

#[derive(Deserialize)]
struct Line {
    line_number: usize,
    count: i64,
}

/// Reads one document or several one after the other, as `gcov --stdout` prints them.
pub(super) fn json(text: &str) -> Result<Report, String> {
    let mut report = Report::default();
    for document in serde_json::Deserializer::from_str(text).into_iter() {
        let Document { current_working_directory, files } = document.map_err(|error| error.to_string())?;
        for File { file, lines } in files {
            let mut marked = Lines::default();
            lines.iter().for_each(|line| marked.mark(line.line_number, line.count != 0));
            // Relative paths start from where the compiler ran.
            let is_placed = file.starts_with('/') || current_working_directory.is_empty();
            let path = if is_placed { file } else { format!("{current_working_directory}/{file}") };
            report.files.push(marked.measured(path));
        }
    }
    Ok(report)
}

/// Reads annotated sources: `count:line:text`, where `-` has no code and `#####` and `=====` did not run.
pub(super) fn text(text: &str) -> Result<Report, String> {
    let mut report = Report::default();
    let mut open: Option<(&str, Lines)> = None;
    for (at, row) in text.lines().enumerate() {
        // What other options print between the lines: functions, calls, branches, instances of templates.
        let Some((count, (number, text))) =
            row.split_once(':').and_then(|(a, b)| Some((a, b.split_once(':')?)))
        else {
            continue;
        };
        let Ok(number) = number.trim().parse::<usize>() else { continue };
        if number == 0 {
            if let Some(path) = text.strip_prefix("Source:") {
                let ended = open.replace((path, Lines::default()));
                report.files.extend(ended.map(|(path, lines)| lines.measured(path)));
            }
            continue;
        }
        let bad = |what: &str| format!("line {} {what}: `{row}`", at + 1);
        let (_, lines) = open.as_mut().ok_or_else(|| bad("belongs to no source"))?;
        match count.trim() {
            "-" => {}
            "#####" | "=====" | "$$$$$" | "%%%%%" => lines.mark(number, false),
            count if count.starts_with(|c: char| c.is_ascii_digit()) => lines.mark(number, !is_zero(count)),
            _ => return Err(bad("has no count")),
        }
    }
    report.files.extend(open.map(|(path, lines)| lines.measured(path)));
    Ok(report)
}

/// Whether a count is nothing; it may be shortened to `1.2k` and carry a `*`.
fn is_zero(count: &str) -> bool {
    !count.contains(|c: char| ('1'..='9').contains(&c))
}
