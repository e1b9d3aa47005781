//! Which methods ran, as Java itself tells: without an agent.
//!
//! Told to compile each method before it first runs, and to note what it compiles, Java writes a list of what ran. The
//! compiled classes say on which lines each method stands.
//!
//! ```text
//!   -Xcomp -Xlog:jit+compilation ──> Outer$Inner::method ──┐
//!   Outer$Inner.class ──> method: lines 12 to 17 of Outer.java ──> these lines ran
//! ```
//!
//! What ran inside a method is not known, nor which of several methods of a name.

use super::super::collector::{Site, files_below, has_ending, program, said};
use cafebabe::attributes::{AttributeData, AttributeInfo};
use cafebabe::{ClassFile, ParseOptions, parse_class_with_options};
use nub_change::coverage::{Marks, Measured, Report};
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// A class, with slashes in its name, and a method of it.
type Method = (String, String);

/// The options that let each Java write the methods that it runs to a file of its own.
pub(super) fn options(site: &Site<'_>) -> Result<Vec<OsString>, String> {
    program("java").ok_or("`java` is not in PATH")?;
    let log = format!("-Xlog:jit+compilation=debug:file={}/methods-%p.txt:none", site.data().display());
    let options = ["-Xcomp", "-XX:TieredStopAtLevel=1", "-XX:-Inline", "-XX:-DontCompileHugeMethods", &log];
    let options: Vec<OsString> = options.into_iter().map(Into::into).collect();
    let asked = site.run([&["java".into()][..], &options, &["-version".into()]].concat());
    asked.map_err(|_| "this Java does not tell which methods it runs (Java 9 and later do)")?;
    Ok(options)
}

/// The lines of the methods that ran, and of those that did not.
pub(super) fn report(site: &Site<'_>) -> Result<Report, String> {
    let mut ran: HashSet<Method> = HashSet::new();
    for path in files_below(&site.data(), &mut |path| has_ending(path, "txt")) {
        let text = fs::read(&path).map_err(|error| said(&path, &error))?;
        ran.extend(String::from_utf8_lossy(&text).lines().filter_map(method));
    }
    let sources = files_below(site.workspace, &mut |path| has_ending(path, "java") || has_ending(path, "kt"));
    let mut files: BTreeMap<&PathBuf, BTreeMap<usize, bool>> = BTreeMap::new();
    for path in files_below(site.workspace, &mut |path| has_ending(path, "class")) {
        let bytes = fs::read(&path).map_err(|error| said(&path, &error))?;
        let mut options = ParseOptions::default();
        // What is not understood says nothing.
        let Ok(class) = parse_class_with_options(&bytes, options.parse_bytecode(false)) else { continue };
        let Some(source) = source_path(&class) else { continue };
        for file in sources.iter().filter(|path| path.ends_with(&source)) {
            let lines = files.entry(file).or_default();
            for (line, method) in lines_of(&class) {
                *lines.entry(line).or_default() |= ran.contains(&method);
            }
        }
    }
    if !files.values().flat_map(BTreeMap::values).any(|ran| *ran) {
        return Ok(Report::default());
    }
    let measured = |(path, lines): (&PathBuf, _)| Measured {
        path: path.display().to_string(),
        marks: Marks::Lines(lines),
    };
    Ok(Report { files: files.into_iter().map(measured).collect(), ..Report::default() })
}

/// The method of a line such as `745    b  1       org.example.Outer$Inner::method (9 bytes)`.
fn method(line: &str) -> Option<Method> {
    let (class, rest) = line.split_once("::")?;
    let class = class.split_whitespace().next_back()?;
    let name = rest.split_whitespace().next()?;
    // What has a slash in its name is made while running, and has no file.
    (!class.contains('/')).then(|| (class.replace('.', "/"), name.to_owned()))
}

/// Where the source of a class is, from where packages begin.
fn source_path(class: &ClassFile<'_>) -> Option<PathBuf> {
    let name = class.attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::SourceFile(name) => Some(name.as_ref()),
        _ => None,
    })?;
    let folder = Path::new(&*class.this_class).parent().unwrap_or(Path::new(""));
    Some(folder.join(name))
}

/// The lines of a class, counted from 0, and the method on each.
fn lines_of(class: &ClassFile<'_>) -> Vec<(usize, Method)> {
    let numbers = |attributes: &[AttributeInfo<'_>]| -> Vec<usize> {
        let tables = attributes.iter().filter_map(|attribute| match &attribute.data {
            AttributeData::LineNumberTable(entries) => Some(entries),
            _ => None,
        });
        tables.flatten().filter_map(|entry| usize::from(entry.line_number).checked_sub(1)).collect()
    };
    let mut found = Vec::new();
    for method in &class.methods {
        let codes = method.attributes.iter().filter_map(|attribute| match &attribute.data {
            AttributeData::Code(code) => Some(code),
            _ => None,
        });
        let key = (class.this_class.to_string(), method.name.to_string());
        let lines = codes.flat_map(|code| numbers(&code.attributes));
        found.extend(lines.map(|line| (line, key.clone())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_log_names_a_method() {
        let is = |line, class: &str, name: &str| assert_eq!(method(line), Some((class.into(), name.into())));
        is("   745    b  1       org.example.A::<clinit> (9 bytes)", "org/example/A", "<clinit>");
        is("980  s!  b  1       A$B::lambda$main$0 (11 bytes)", "A$B", "lambda$main$0");
        assert_eq!(method("1266    b  1       T$$Lambda$1/0x00007ff578000a08::run (4 bytes)"), None);
        assert_eq!(method("something else"), None);
    }
}
