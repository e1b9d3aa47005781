//! Which files of a config cannot be read as what they are written in: nobody need build it to know the end.
//!
//! Only programs are looked at, and of them only those that can be read in both versions: what a parser does
//! not know, or a preprocessor puts together, tells nothing about a mixture. Tests and examples are not judged:
//! many a build leaves them out.

use crate::evidence::any_path;
use crate::patchwork::{File, Patchwork};
use crate::snapshot::{EntryKind, RelPath};
use crate::suspicion::suspicion;
use nub_search::Config;
use nub_syntax::{Language, Tree};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Files longer than this are not read: it would take longer than many a build.
const LONGEST: usize = 400_000;
/// The most changes that follow each other and may go as a whole, ...
const LONGEST_PIECE: usize = 12;
/// ... which are looked for with so many readings.
const MOST_READINGS: usize = 400;

/// The files whose mixtures can be told to be no programs.
#[derive(Clone, Debug)]
pub struct Legible {
    patchwork: Arc<Patchwork>,
    programs: Vec<Program>,
}

/// A file that is a program in both versions.
#[derive(Clone, Debug)]
struct Program {
    file: usize,
    language: Language,
    changes: Config,
}

/// A place where a file of a config cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegible {
    /// The file.
    pub path: RelPath,
    /// The line, from 1.
    pub line: usize,
    /// What it should have been.
    pub language: &'static str,
}

impl fmt::Display for Illegible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: error: cannot be read as {}", self.path, self.line, self.language)
    }
}

impl Legible {
    /// Reads both versions of every file that differs.
    pub fn of(patchwork: Arc<Patchwork>) -> Legible {
        let versions = [Config::empty(), patchwork.full()];
        let program = |(file, woven): (usize, &File)| {
            let path = RelPath::new(any_path(&woven.path)).ok().filter(|path| suspicion(path) >= 1.0)?;
            let path = std::str::from_utf8(path.as_bytes()).ok()?;
            let language = Language::of_path(path).filter(|language| language.defines_names())?;
            let is_whole = |version: &Config| {
                let text = woven.weave.render(version);
                text.len() <= LONGEST && Tree::parse(language, text).first_error().is_none()
            };
            let changes = woven.weave.changes().chain(woven.path.changes()).chain(woven.kind.changes());
            let changes: Config = changes.collect();
            let can_be_mixed = changes.len() > 1 && versions.iter().all(is_whole);
            can_be_mixed.then_some(Program { file, language, changes })
        };
        let programs = patchwork.files.iter().enumerate().filter_map(program).collect();
        Legible { patchwork, programs }
    }

    /// The parts of a config that are about one program each; a program with all or none of its changes is whole.
    pub fn mixed(&self, config: &Config) -> Vec<(usize, Config)> {
        let part = |(number, program): (usize, &Program)| {
            let part = program.changes.intersection(config);
            (!part.is_empty() && part != program.changes).then_some((number, part))
        };
        self.programs.iter().enumerate().filter_map(part).collect()
    }

    /// Where a program cannot be read when these of its changes are applied.
    pub fn error_in(&self, program: usize, part: &Config) -> Option<Illegible> {
        let Program { file, language, .. } = &self.programs[program];
        let file = &self.patchwork.files[*file];
        let is_file = matches!(file.kind.get(part), Some(EntryKind::File { .. }));
        let path = file.path.get(part).filter(|_| is_file)?;
        let text = file.weave.render(part);
        let start = Tree::parse(*language, Arc::clone(&text)).first_error()?;
        let line = 1 + text[..start].iter().filter(|&&byte| byte == b'\n').count();
        Some(Illegible { path: path.clone(), line, language: language.name() })
    }

    /// The least parts of `moved`, changes that follow each other in a program, without which it can be read; those
    /// of a single change are left out. `turn` gives the changes that are applied when some are moved.
    pub fn pieces(&self, moved: &Config, turn: impl Fn(&Config) -> Config) -> Vec<Config> {
        let mut readings = MOST_READINGS;
        let mut pieces = Vec::new();
        for (number, program) in self.programs.iter().enumerate() {
            let inside: Vec<u32> = moved.intersection(&program.changes).iter().collect();
            let mut least: Vec<Range<usize>> = Vec::new();
            for len in 1..=inside.len().min(LONGEST_PIECE) {
                for start in 0..=inside.len() - len {
                    let window = start..start + len;
                    let holds_another =
                        |other: &Range<usize>| window.start <= other.start && other.end <= window.end;
                    if readings == 0 || least.iter().any(holds_another) {
                        continue;
                    }
                    readings -= 1;
                    let piece: Config = inside[window.clone()].iter().copied().collect();
                    let part = turn(&moved.minus(&piece)).intersection(&program.changes);
                    if self.error_in(number, &part).is_none() {
                        least.push(window);
                        pieces.extend((len > 1).then_some(piece));
                    }
                }
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{Entry, Snapshot};

    fn snapshot(path: &str, text: &str) -> Snapshot {
        let path = RelPath::try_from(path).unwrap();
        [(path, Entry::file(text.as_bytes()))].into_iter().collect()
    }

    fn legible(path: &str, old: &str, new: &str) -> Legible {
        Legible::of(Arc::new(Patchwork::between(&snapshot(path, old), &snapshot(path, new))))
    }

    /// A block that is taken away, its two ends apart.
    const OLD: &str =
        "int f(int a) {\n    if (a) {\n        a += 1;\n        g(a);\n    }\n    return a;\n}\n";
    const NEW: &str = "int f(int a) {\n        a += 1;\n        g(a);\n    return a;\n}\n";

    #[test]
    fn a_bracket_without_its_partner_cannot_be_read() {
        let legible = legible("a.c", OLD, NEW);
        for part in [[0], [1]] {
            let mixed = legible.mixed(&part.into());
            assert_eq!(mixed.len(), 1);
            let error = legible.error_in(mixed[0].0, &mixed[0].1).unwrap();
            assert!(error.to_string().contains("a.c:") && error.to_string().ends_with("cannot be read as c"));
        }
        assert_eq!(legible.mixed(&[0, 1].into()), []);
        assert_eq!(legible.mixed(&Config::empty()), []);
    }

    #[test]
    fn pieces_are_the_least_that_leave_a_program_whole() {
        let old = "int f(int a) {\n    a++;\n    if (a) {\n        g();\n    }\n    return a;\n}\n";
        let new = "int f(int a) {\n    a--;\n    while (a) {\n        g();\n        h();\n    if (b) {\n    }\n    }\n    return a;\n}\n";
        let legible = legible("a.c", old, new);
        let all = legible.patchwork.full();
        let pieces = legible.pieces(&all, Config::clone);
        assert!(pieces.iter().all(|piece| piece.len() > 1));
        let reads = |kept: &Config| legible.error_in(0, kept).is_none();
        assert!(pieces.iter().all(|piece| reads(&all.minus(piece))));
        let without_one = |piece: &Config| piece.iter().all(|change| !reads(&all.without(change)));
        assert!(!pieces.is_empty() && pieces.iter().all(without_one));
    }

    #[test]
    fn what_cannot_be_read_in_a_version_what_is_no_program_and_tests_are_not_judged() {
        assert_eq!(legible("a.c", &format!("{OLD}}}\n"), NEW).mixed(&[0].into()), []);
        assert_eq!(legible("a.txt", OLD, NEW).mixed(&[0].into()), []);
        assert_eq!(legible("tests/a.c", OLD, NEW).mixed(&[0].into()), []);
        assert_eq!(legible("a.html", "<b>\n1\n</b>\n", "1\n").mixed(&[0].into()), []);
    }
}
