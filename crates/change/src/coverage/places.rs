//! Which file of a version a tool means by a path.
//!
//! A report made elsewhere has paths of elsewhere: absolute, below a folder we do not know; relative to one; by
//! package; by import path. What the version has decides: the root below which most of the tool's files are
//! files of the version is the right one, and what lies outside of it (a header of the system, a library) is
//! not ours. A path that only ends like one file of the version, such as a Java package's, means that file.

use super::Report;
use crate::snapshot::RelPath;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The file of the version for each file of the report, in order.
pub(super) fn find<'a>(report: &Report, version: impl Iterator<Item = &'a RelPath>) -> Vec<Option<RelPath>> {
    let mut by_name: BTreeMap<&[u8], Vec<&RelPath>> = BTreeMap::new();
    for path in version {
        by_name.entry(path.name()).or_default().push(path);
    }
    let said: Vec<Vec<String>> =
        report.files.iter().map(|file| readings(&file.path, &report.roots)).collect();
    let named = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        by_name.get(name.as_bytes()).map_or(&[][..], Vec::as_slice)
    };

    let mut votes: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (i, readings) in said.iter().enumerate() {
        for reading in readings {
            for ours in named(reading) {
                if let Some(root) = below(reading.as_bytes(), ours.as_bytes()) {
                    votes.entry(String::from_utf8_lossy(root).into_owned()).or_default().insert(i);
                }
            }
        }
    }
    // Of two, the shorter one leaves more of the path to agree on.
    let best = votes.into_iter().max_by_key(|(root, files)| (files.len(), Reverse(root.len())));
    let root = best.map(|(root, _)| root);

    let file = |readings: &Vec<String>| {
        let in_root = readings.iter().find_map(|reading| {
            let rest = reading.strip_prefix(root.as_deref()?)?;
            named(reading).iter().find(|ours| ours.as_bytes() == rest.as_bytes()).map(|ours| (*ours).clone())
        });
        in_root.or_else(|| {
            let first = readings.first().filter(|path| !path.starts_with('/'))?;
            let mut ours =
                named(first).iter().filter(|ours| below(ours.as_bytes(), first.as_bytes()).is_some());
            let only = ours.next()?;
            ours.next().is_none().then(|| (*only).clone())
        })
    };
    said.iter().map(file).collect()
}

/// The ways to read a tool's path: as it is, and below each of the folders it may start from.
fn readings(path: &str, roots: &[String]) -> Vec<String> {
    let path = path.replace('\\', "/");
    let mut readings = vec![plain(&path)];
    if !path.starts_with('/') {
        readings.extend(roots.iter().map(|root| plain(&format!("{}/{path}", root.replace('\\', "/")))));
    }
    readings.dedup();
    readings
}

/// A path without `.`, `..` and double slashes.
fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match (part, parts.last()) {
            ("..", Some(&last)) if last != ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    let start = if path.starts_with('/') { "/" } else { "" };
    format!("{start}{}", parts.join("/"))
}

/// What stands before `end` in a path that ends with it, part by part.
fn below<'a>(path: &'a [u8], end: &[u8]) -> Option<&'a [u8]> {
    let before = path.strip_suffix(end)?;
    (before.is_empty() || before.ends_with(b"/")).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::Lines;

    fn check(said: &[&str], roots: &[&str], version: &[&str], expected: &[Option<&str>]) {
        let files = said.iter().map(|path| Lines::default().measured(*path)).collect();
        let roots = roots.iter().map(ToString::to_string).collect();
        let report = Report { files, roots, ..Report::default() };
        let version: Vec<RelPath> = version.iter().map(|path| RelPath::try_from(*path).unwrap()).collect();
        let found = find(&report, version.iter());
        let found: Vec<Option<String>> = found.iter().map(|path| Some(path.as_ref()?.to_string())).collect();
        let expected: Vec<Option<String>> = expected.iter().map(|path| path.map(Into::into)).collect();
        assert_eq!(found, expected, "{said:?}");
    }

    #[test]
    fn absolute_paths_are_below_the_root_that_most_files_agree_on() {
        check(
            &["/tmp/w/src/a.c", "/tmp/w/b.h", "/usr/include/b.h", "/usr/include/stdio.h"],
            &[],
            &["src/a.c", "b.h"],
            &[Some("src/a.c"), Some("b.h"), None, None],
        );
    }

    #[test]
    fn relative_paths_are_read_from_the_version_or_from_a_folder_the_tool_names() {
        check(&["./src/../src/a.c", "x.c"], &[], &["src/a.c"], &[Some("src/a.c"), None]);
        check(
            &["../a.c", "b.c"],
            &["/w/src/lib"],
            &["src/a.c", "src/lib/b.c"],
            &[Some("src/a.c"), Some("src/lib/b.c")],
        );
        check(&["lib\\a.py"], &["C:\\w"], &["lib/a.py"], &[Some("lib/a.py")]);
    }

    #[test]
    fn a_package_path_means_the_only_file_that_ends_with_it() {
        let version = ["m/src/main/java/org/x/A.java", "m/src/main/java/org/y/A.java", "B.java"];
        check(&["org/x/A.java", "A.java"], &[], &version, &[Some(version[0]), None]);
    }

    #[test]
    fn an_import_path_ends_with_the_files_path() {
        check(&["example.com/m/p/a.go"], &[], &["p/a.go", "a.go"], &[Some("p/a.go")]);
    }
}
