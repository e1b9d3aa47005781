//! Reports that the user brings along: a file, a packed one, or a folder of them.

use super::collector::files_below;
use flate2::read::MultiGzDecoder;
use nub_change::coverage::{self, ReadError, Report};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Why a report cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error("failed to read the coverage report `{}`", .path.display())]
    Read {
        /// Where it is.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It makes no sense.
    #[error("the coverage report `{}` cannot be used", .path.display())]
    Report {
        /// Where it is.
        path: PathBuf,
        /// Why.
        #[source]
        source: ReadError,
    },
    /// There is nothing in a folder.
    #[error("the folder `{}` holds no coverage report", .path.display())]
    Nothing {
        /// Where it is.
        path: PathBuf,
    },
}

/// Reads a report, or all reports in a folder.
pub fn load(path: &Path) -> Result<Report, LoadError> {
    if !path.is_dir() {
        return one(path);
    }
    let mut report = Report::default();
    for file in files_below(path, &mut |_| true) {
        match one(&file) {
            // Folders of reports hold other things too: pages, style sheets, summaries.
            Err(LoadError::Report { source: ReadError::Unknown | ReadError::Empty { .. }, .. }) => {}
            read => report.join(read?),
        }
    }
    if report.is_empty() { Err(LoadError::Nothing { path: path.into() }) } else { Ok(report) }
}

fn one(path: &Path) -> Result<Report, LoadError> {
    let failed = |source| LoadError::Read { path: path.into(), source };
    let mut bytes = fs::read(path).map_err(failed)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        MultiGzDecoder::new(&bytes[..]).read_to_end(&mut plain).map_err(failed)?;
        bytes = plain;
    }
    coverage::read(&bytes).map_err(|source| LoadError::Report { path: path.into(), source })
}
