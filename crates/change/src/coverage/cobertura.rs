//! Cobertura's XML: classes with a file name and lines with hits. coverage.py, gcovr and many others write it.

use super::xml::{self, Met};
use super::{Lines, Report};

/// Reads all classes; several may be in one file.
pub(super) fn parse(text: &str) -> Result<Report, String> {
    let mut report = Report::default();
    let mut open: Option<(String, Lines)> = None;
    let mut in_source = false;
    xml::read(text, |met| {
        match met {
            Met::Start("source", _) => in_source = true,
            Met::Text(root) if in_source && !root.is_empty() => report.roots.push(root.to_owned()),
            Met::End("source") => in_source = false,
            Met::Start("class", attributes) => {
                open = Some((attributes.get("filename")?.to_owned(), Lines::default()));
            }
            Met::Start("line", attributes) => {
                let (_, lines) = open.as_mut().ok_or("a `line` is in no `class`")?;
                lines.mark(attributes.number("number")? as usize, attributes.number("hits")? > 0);
            }
            Met::End("class") => {
                report.files.extend(open.take().map(|(path, lines)| lines.measured(path)));
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(report)
}
