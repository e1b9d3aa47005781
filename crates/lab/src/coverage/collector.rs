//! How one language's tool is brought into a build and a test that know nothing of it.
//!
//! A collector never changes a command of the user's. It works through the environment: variables that a tool looks
//! at, and programs of the same name put first in `PATH` that call the real ones with more arguments.

use crate::process::{Cancel, Command, Finished, Guard, Program, Status};
use nub_change::coverage::Report;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The means to find out which lines of a language run.
pub(super) trait Collector {
    /// The language, as people call it.
    fn language(&self) -> &'static str;

    /// Endings of the files it sees.
    fn endings(&self) -> &'static [&'static str];

    /// Whether it measures what is there, without another build.
    fn is_cheap(&self) -> bool {
        false
    }

    /// Endings of files of which no function ran if nothing was said of them.
    fn silent_functions(&self) -> &'static [&'static str] {
        &[]
    }

    /// Gets everything ready and gives the variables that the build and the test need; or says what is missing.
    fn set_up(&self, site: &Site<'_>) -> Result<Vec<(OsString, OsString)>, String>;

    /// Reads what the test has left behind.
    fn gather(&self, site: &Site<'_>) -> Result<Report, String>;

    /// Removes what a test has left behind, before the next one.
    fn clear(&self, site: &Site<'_>) -> Result<(), String> {
        let data = site.data();
        let cleared = fs::remove_dir_all(&data).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        });
        cleared.and_then(|()| fs::create_dir_all(&data)).map_err(|error| said(&data, &error))
    }
}

/// Where a version is measured.
pub(super) struct Site<'a> {
    /// The folder with the version.
    pub(super) workspace: &'a Path,
    /// A folder for what collectors need, outside of the version.
    pub(super) scratch: &'a Path,
    pub(super) guard: &'a Guard,
    pub(super) cancel: &'a Cancel,
}

/// The longest that a tool may take to read what was measured.
const TOOL_TIMEOUT: Duration = Duration::from_secs(300);
/// As much as a tool may print.
const TOOL_OUTPUT: usize = 1 << 28;

impl Site<'_> {
    /// The folder of programs that come first in `PATH`.
    pub(super) fn bin(&self) -> PathBuf {
        self.scratch.join("bin")
    }

    /// The folder for what tests leave behind.
    pub(super) fn data(&self) -> PathBuf {
        self.scratch.join("data")
    }

    /// Writes a file into the scratch folder.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.scratch.join(name);
        let folder = path.parent().unwrap_or(self.scratch);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| said(&path, &error))?;
        Ok(path)
    }

    /// Writes a program of this name that comes first in `PATH`; `script` is for sh.
    pub(super) fn shim(&self, name: &str, script: &str) -> Result<(), String> {
        let path = self.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{script}"))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(|error| said(&path, &error))
    }

    /// Runs a tool and gives what it printed.
    pub(super) fn run(&self, words: Vec<OsString>) -> Result<Vec<u8>, String> {
        self.run_in(self.scratch, words)
    }

    /// Runs a tool in a folder and gives what it printed.
    pub(super) fn run_in(&self, folder: &Path, words: Vec<OsString>) -> Result<Vec<u8>, String> {
        let name = words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
        let mut command = Command::new(Program::Direct(words), folder);
        command.timeout = Some(TOOL_TIMEOUT);
        command.output_cap = TOOL_OUTPUT;
        let finished = self.guard.run(&command, self.cancel).map_err(|error| error.to_string())?;
        let Finished { status, stdout, stderr, .. } = finished;
        match status {
            Status::Exit(0) => Ok(stdout.bytes),
            status => {
                let text = stderr.text();
                let line = text.trim_end().lines().last().unwrap_or_default();
                Err(format!("`{name}` {status}: {line}"))
            }
        }
    }
}

pub(super) fn said(path: &Path, error: &io::Error) -> String {
    format!("`{}`: {error}", path.display())
}

/// The programs in `PATH` whose names fit, each where it is found first.
pub(super) fn programs(fits: impl Fn(&str) -> bool) -> Vec<(String, PathBuf)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for folder in std::env::split_paths(&path) {
        let names = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
        let mut names: Vec<String> =
            names.filter_map(|name| name.into_string().ok()).filter(|n| fits(n)).collect();
        names.sort();
        for name in names {
            let program = folder.join(&name);
            if !found.iter().any(|(known, _)| *known == name) && is_executable(&program) {
                found.push((name, program));
            }
        }
    }
    found
}

/// Where a program is found.
pub(super) fn program(name: &str) -> Option<PathBuf> {
    programs(|found| found == name).pop().map(|(_, path)| path)
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// All files below a folder with one of these endings, in order; links are not followed.
pub(super) fn files_below(folder: &Path, keep: &mut dyn FnMut(&Path) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() && keep(&entry.path()) => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

pub(super) fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension() == Some(OsStr::new(ending))
}

/// A word for sh, whatever it holds.
pub(super) fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}
