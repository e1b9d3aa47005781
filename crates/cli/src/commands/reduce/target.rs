//! Where the result goes, and how it gets there: whole files, each at once, and no file of the user's in their way.

use super::source::Source;
use crate::args::ReduceArgs;
use crate::error::CommandError;
use crate::exit::ExitCode;
use nub_change::{Entry, EntryKind, RelPath, Snapshot};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A place for each file of the input; those that have gone are not there.
#[derive(Debug)]
pub struct Target {
    places: Vec<(RelPath, PathBuf)>,
    /// The folders that hold nothing but the result.
    folders: Vec<PathBuf>,
    /// A file or folder for each that was named, or the folder that was named for all.
    results: Vec<PathBuf>,
    shown: PathBuf,
    /// Whether the originals are in these places, and are kept under other names.
    in_place: bool,
    /// What lies there now, as far as it was written by us.
    written: Snapshot,
}

impl Target {
    /// Decides where the result goes, and refuses to write over what is no result.
    pub fn new(args: &ReduceArgs, source: &Source, here: &Path) -> Result<Target, CommandError> {
        let output = args.output.as_ref().map(|output| here.join(output));
        let mut target = Target {
            places: Vec::new(),
            folders: Vec::new(),
            results: output.iter().cloned().collect(),
            shown: PathBuf::new(),
            in_place: args.in_place,
            written: Snapshot::new(),
        };
        for argument in &source.arguments {
            let name = argument.file_name().unwrap_or_default();
            let to = match &output {
                _ if args.in_place => real(argument),
                Some(output) if source.arguments.len() > 1 => output.join(name),
                Some(output) => output.clone(),
                None => beside(argument),
            };
            if argument.is_dir() && !args.in_place {
                target.folders.push(to.clone());
            }
            for (path, place) in &source.places {
                if let Ok(inside) = place.strip_prefix(argument) {
                    let place = if inside.as_os_str().is_empty() { to.clone() } else { to.join(inside) };
                    target.places.push((path.clone(), place));
                }
            }
            if output.is_none() {
                target.results.push(to.clone());
            }
            target.shown = match &output {
                Some(output) => output.clone(),
                None if source.arguments.len() > 1 => to.parent().unwrap_or(&to).to_owned(),
                None => to,
            };
        }
        if !args.in_place {
            target.check(source)?;
        }
        Ok(target)
    }

    /// Nothing of the user's may be where the result goes.
    fn check(&self, source: &Source) -> Result<(), CommandError> {
        let usage = |message: String| CommandError::new(ExitCode::Usage, message);
        for (path, place) in &self.places {
            if source.places.iter().any(|(_, from)| real(from) == real(place)) {
                let message = format!("the result would replace `{path}` of the input");
                return Err(usage(message).hint("--in-place does that, and keeps the original"));
            }
            if place.is_dir() {
                let message = format!("the result cannot go to `{}`, which is a folder", place.display());
                return Err(usage(message).hint("name a file"));
            }
        }
        for folder in &self.folders {
            let mut found = vec![folder.clone()];
            while let Some(place) = found.pop() {
                if let Ok(entries) = fs::read_dir(&place) {
                    found.extend(entries.flatten().map(|entry| entry.path()));
                } else if place.exists() && !self.places.iter().any(|(_, known)| *known == place) {
                    let message = format!("`{}` is in the way of the result", place.display());
                    return Err(usage(message).hint("name another folder with -o, or empty this one"));
                }
            }
        }
        Ok(())
    }

    /// Keeps the originals where they are about to be replaced.
    pub fn begin(&self, input: &Snapshot) -> Result<(), CommandError> {
        for (path, place) in self.places.iter().filter(|_| self.in_place) {
            let mut name = place.file_name().unwrap_or_default().to_owned();
            name.push(".orig");
            let kept = place.with_file_name(name);
            let entry = input.get(path).expect("every place is that of a file of the input");
            // A backup that is there is the original of an earlier run.
            if !kept.exists() {
                replace(&kept, entry).map_err(|error| {
                    CommandError::of(ExitCode::Failed, &error)
                        .because(format!("`{}` cannot be kept", place.display()))
                })?;
            }
        }
        Ok(())
    }

    /// Puts a better input in place, file by file, each at once.
    pub fn write(&mut self, input: &Snapshot) -> io::Result<()> {
        for (path, place) in &self.places {
            match input.get(path) {
                Some(entry) if self.written.get(path) == Some(entry) => {}
                Some(entry) => {
                    fs::create_dir_all(place.parent().unwrap_or(place))?;
                    replace(place, entry)?;
                }
                None if place.is_symlink() || place.exists() => {
                    fs::remove_file(place)?;
                    self.remove_empty_folders(place);
                }
                None => {}
            }
        }
        self.written = input.clone();
        Ok(())
    }

    /// A folder of which no file is left goes too.
    fn remove_empty_folders(&self, gone: &Path) {
        let ours = |folder: &&Path| self.folders.iter().any(|root| folder.starts_with(root));
        for folder in gone.ancestors().skip(1).take_while(ours) {
            // One that holds something else stays.
            let _ = fs::remove_dir(folder);
        }
    }

    /// Where the user finds it: a file or a folder, or the folder of several.
    pub fn shown(&self) -> &Path {
        &self.shown
    }

    /// Where each file is that was written last.
    pub fn files(&self) -> Vec<PathBuf> {
        let written = self.places.iter().filter(|(path, _)| self.written.get(path).is_some());
        written.map(|(_, place)| place.clone()).collect()
    }

    /// The files and folders that are there.
    pub fn results(&self) -> Vec<PathBuf> {
        self.results.iter().filter(|result| result.exists()).cloned().collect()
    }
}

/// A place with all links on the way to it followed.
fn real(place: &Path) -> PathBuf {
    place.canonicalize().unwrap_or_else(|_| place.to_owned())
}

/// `crash.c` as `crash.min.c`.
fn beside(place: &Path) -> PathBuf {
    // A folder has a name, and no ending.
    let (stem, extension) = match place.is_dir() {
        true => (place.file_name(), None),
        false => (place.file_stem(), place.extension()),
    };
    let mut name = stem.unwrap_or_default().to_owned();
    name.push(".min");
    if let Some(extension) = extension {
        name.push(".");
        name.push(extension);
    }
    place.with_file_name(name)
}

/// Writes a file so that at any moment there is the old or the new one.
fn replace(place: &Path, entry: &Entry) -> io::Result<()> {
    let folder = place.parent().unwrap_or(Path::new("."));
    if entry.kind == EntryKind::Symlink {
        let links = tempfile::Builder::new().prefix(".nub-").tempdir_in(folder)?;
        let link = links.path().join("link");
        std::os::unix::fs::symlink(OsStr::from_bytes(&entry.content), &link)?;
        return fs::rename(link, place);
    }
    let mut file = tempfile::Builder::new().prefix(".nub-").tempfile_in(folder)?;
    io::Write::write_all(&mut file, &entry.content)?;
    let new = if entry.kind == (EntryKind::File { executable: true }) { 0o755 } else { 0o644 };
    let mode = fs::metadata(place).map_or(new, |found| found.permissions().mode());
    file.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
    file.persist(place).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_lies_beside_the_input() {
        assert_eq!(beside(Path::new("/a/crash.c")), Path::new("/a/crash.min.c"));
        assert_eq!(beside(Path::new("/a/Makefile")), Path::new("/a/Makefile.min"));
    }
}
