//! What is to be reduced, read from where the user has it.

use crate::error::CommandError;
use crate::exit::ExitCode;
use nub_change::{Entry, EntryKind, RelPath, Snapshot};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The input: each argument comes under its own name, a folder with all that is in it.
pub struct Source {
    /// The arguments, as full paths.
    pub arguments: Vec<PathBuf>,
    /// All files.
    pub input: Snapshot,
    /// Where each file is.
    pub places: Vec<(RelPath, PathBuf)>,
}

impl Source {
    /// Reads files and folders; a link inside a folder stays one.
    pub fn read(paths: &[PathBuf], here: &Path) -> Result<Source, CommandError> {
        if paths.is_empty() {
            return Err(usage("there is no input"));
        }
        let mut source = Source { arguments: Vec::new(), input: Snapshot::new(), places: Vec::new() };
        for path in paths {
            let mut argument = here.join(path);
            // `.` has no name of its own.
            if argument.file_name().is_none() || path.ends_with(".") {
                argument = argument.canonicalize().map_err(|error| unread(path, error))?;
            }
            let name =
                argument.file_name().ok_or_else(|| usage(format!("`{}` has no name", path.display())))?;
            let found = fs::metadata(&argument).map_err(|error| unread(path, error))?;
            source.add(PathBuf::from(name), &argument, &found)?;
            source.arguments.push(argument);
        }
        source.places.sort();
        Ok(source)
    }

    fn add(&mut self, name: PathBuf, place: &Path, found: &fs::Metadata) -> Result<(), CommandError> {
        let failed = |error| unread(place, error);
        if found.is_dir() {
            for entry in fs::read_dir(place).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let found = entry.metadata().map_err(failed)?;
                self.add(name.join(entry.file_name()), &entry.path(), &found)?;
            }
            return Ok(());
        }
        let entry = if found.is_symlink() {
            let target = fs::read_link(place).map_err(failed)?;
            Entry { kind: EntryKind::Symlink, content: target.as_os_str().as_bytes().into() }
        } else if found.is_file() {
            let executable = found.permissions().mode() & 0o111 != 0;
            let content = fs::read(place).map_err(failed)?.into();
            Entry { kind: EntryKind::File { executable }, content }
        } else {
            return Err(usage(format!("`{}` is neither a file nor a folder", place.display())));
        };
        let path = RelPath::new(name.as_os_str().as_bytes()).map_err(|error| usage(error.to_string()))?;
        if self.input.insert(path.clone(), entry).is_some() {
            return Err(usage(format!("two files are called `{path}`")));
        }
        self.places.push((path, place.to_owned()));
        Ok(())
    }
}

fn usage(message: impl Into<String>) -> CommandError {
    CommandError::new(ExitCode::Usage, message)
}

fn unread(path: &Path, error: io::Error) -> CommandError {
    usage(format!("failed to read `{}`", path.display())).because(error)
}
