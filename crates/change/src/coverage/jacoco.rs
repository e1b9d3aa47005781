//! JaCoCo's XML: for each line of a source file, the instructions missed (`mi`) and run (`ci`).

use super::xml::{self, Met};
use super::{Lines, Report};

/// Reads all source files; a path is the package and the file's name.
pub(super) fn parse(text: &str) -> Result<Report, String> {
    let mut report = Report::default();
    let mut package = String::new();
    let mut open: Option<(String, Lines)> = None;
    xml::read(text, |met| {
        match met {
            Met::Start("package", attributes) => package = attributes.get("name")?.to_owned(),
            Met::Start("sourcefile", attributes) => {
                let name = attributes.get("name")?;
                let path = if package.is_empty() { name.to_owned() } else { format!("{package}/{name}") };
                open = Some((path, Lines::default()));
            }
            Met::Start("line", attributes) => {
                let (_, lines) = open.as_mut().ok_or("a `line` is in no `sourcefile`")?;
                let missed_and_run = (attributes.number("mi")?, attributes.number("ci")?);
                if missed_and_run != (0, 0) {
                    lines.mark(attributes.number("nr")? as usize, missed_and_run.1 > 0);
                }
            }
            Met::End("sourcefile") => {
                report.files.extend(open.take().map(|(path, lines)| lines.measured(path)));
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(report)
}
