//! The formats of coverage reports, told apart by what stands in them.

use super::{Report, cobertura, coverage_py, gcov, go, istanbul, jacoco, lcov, llvm, v8};
use std::fmt;

/// A format that coverage tools write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `gcov --json-format`.
    GcovJson,
    /// `gcov` without options: an annotated source file.
    Gcov,
    /// Tracefiles of lcov, and of the many tools that write them too.
    Lcov,
    /// `llvm-cov export`.
    Llvm,
    /// JaCoCo's XML.
    Jacoco,
    /// Cobertura's XML, which coverage.py and others write too.
    Cobertura,
    /// `coverage json`.
    CoveragePy,
    /// Istanbul's JSON, which nyc, c8 and Jest write.
    Istanbul,
    /// What Node writes to `NODE_V8_COVERAGE`.
    V8,
    /// `go test -coverprofile`.
    Go,
}

/// Why a report cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is in none of the formats.
    #[error("it is in no format of coverage reports that nub knows: {}", names())]
    Unknown,
    /// It looks like one of the formats, but something is wrong with it.
    #[error("it looks like {format}, but {reason}")]
    Damaged {
        /// What it looks like.
        format: Format,
        /// What is wrong with it, and where.
        reason: String,
    },
    /// It is in order, but there is nothing in it.
    #[error("it is {format}, but says nothing of any file")]
    Empty {
        /// What it is.
        format: Format,
    },
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 10] = [
        Format::GcovJson,
        Format::Gcov,
        Format::Lcov,
        Format::Llvm,
        Format::Jacoco,
        Format::Cobertura,
        Format::CoveragePy,
        Format::Istanbul,
        Format::V8,
        Format::Go,
    ];

    /// How people call it.
    pub fn name(self) -> &'static str {
        match self {
            Format::GcovJson => "gcov JSON",
            Format::Gcov => "a .gcov file",
            Format::Lcov => "an lcov tracefile",
            Format::Llvm => "llvm-cov JSON",
            Format::Jacoco => "JaCoCo XML",
            Format::Cobertura => "Cobertura XML",
            Format::CoveragePy => "coverage.py JSON",
            Format::Istanbul => "Istanbul JSON",
            Format::V8 => "V8 JSON",
            Format::Go => "a Go coverprofile",
        }
    }

    /// The format that a text looks like, damaged or not.
    ///
    /// A look at the start is enough: what a tool writes first names it, in the order of the keys that it uses
    /// or by a key near the top.
    pub fn of(text: &str) -> Option<Format> {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let head: String = text.chars().take(HEAD).collect();
        let has = |word: &str| head.contains(word);
        let first_line = head.lines().next().unwrap_or_default();
        match head.chars().next()? {
            '{' => [
                (
                    Format::Llvm,
                    has("llvm.coverage.json.export") || text.contains("llvm.coverage.json.export"),
                ),
                (Format::Istanbul, has("\"statementMap\"")),
                (Format::V8, has("\"result\"") && has("\"scriptId\"") || has("\"source-map-cache\"")),
                (
                    Format::CoveragePy,
                    has("\"meta\"") && has("\"branch_coverage\"") || has("\"executed_lines\""),
                ),
                (Format::GcovJson, has("\"gcc_version\"") || has("\"unexecuted_block\"")),
            ]
            .into_iter()
            .find_map(|(format, found)| found.then_some(format)),
            '<' if has("<coverage") => Some(Format::Cobertura),
            '<' if has("JACOCO") || has("<report") => Some(Format::Jacoco),
            _ if first_line.starts_with("mode: ") => Some(Format::Go),
            _ if first_line.starts_with("-:") && has(":Source:") => Some(Format::Gcov),
            _ if ["TN:", "SF:"].iter().any(|key| first_line.starts_with(key)) => Some(Format::Lcov),
            _ => None,
        }
    }
}

/// How much of a text is looked at for the words that name a format.
const HEAD: usize = 4000;

fn names() -> String {
    Format::ALL.map(Format::name).join(", ")
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads a report in any of the formats.
pub fn read(bytes: &[u8]) -> Result<Report, ReadError> {
    let text = String::from_utf8_lossy(bytes);
    let format = Format::of(&text).ok_or(ReadError::Unknown)?;
    let parse = match format {
        Format::GcovJson => gcov::json,
        Format::Gcov => gcov::text,
        Format::Lcov => lcov::parse,
        Format::Llvm => llvm::parse,
        Format::Jacoco => jacoco::parse,
        Format::Cobertura => cobertura::parse,
        Format::CoveragePy => coverage_py::parse,
        Format::Istanbul => istanbul::parse,
        Format::V8 => v8::parse,
        Format::Go => go::parse,
    };
    let report = parse(text.trim_start_matches('\u{feff}'));
    match report.map_err(|reason| ReadError::Damaged { format, reason })? {
        report if report.is_empty() => Err(ReadError::Empty { format }),
        report => Ok(report),
    }
}
