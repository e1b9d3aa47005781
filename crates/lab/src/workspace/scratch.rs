//! The folder that holds a run's workspaces, and that does not stay, however the run ends.
//!
//! ```text
//!   work-4711-0.lock    held as long as the run lives; the system lets go of it when the run is killed
//!   work-4711-0/        workspaces and temporary folders
//! ```
//!
//! A run that ends removes its folder; a run that is killed cannot, so the next one that starts beside it
//! does.

use super::survey::remove_folder;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A folder for the time of a run.
#[derive(Debug)]
pub struct Scratch {
    dir: PathBuf,
    lock_path: PathBuf,
    _lock: File,
}

const PREFIX: &str = "work-";
const LOCK: &str = "lock";

impl Scratch {
    /// Makes a folder inside `parent`, and removes those that killed runs have left there.
    pub fn new(parent: &Path) -> io::Result<Scratch> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        fs::create_dir_all(parent)?;
        let parent = parent.canonicalize()?;
        sweep(&parent)?;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let dir = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
            let lock_path = dir.with_extension(LOCK);
            let lock = OpenOptions::new().write(true).create(true).truncate(false).open(&lock_path)?;
            // Somebody who sweeps may have been between the two calls; then there is no use in this name.
            if lock.try_lock().is_ok() && is_at(&lock, &lock_path) {
                remove_folder(&dir)?;
                fs::create_dir(&dir)?;
                return Ok(Scratch { dir, lock_path, _lock: lock });
            }
        }
    }

    /// Where a user's runs make such folders: the system's temporary folder is everybody's, so it has a place for each.
    pub fn place() -> PathBuf {
        std::env::temp_dir().join(format!("nub-{}", nix::unistd::getuid()))
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is swept by the next run.
        if remove_patiently(&self.dir).is_ok() {
            let _ = fs::remove_file(&self.lock_path);
        }
    }
}

fn sweep(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let path = entry?.path();
        let ours = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
        if !ours || path.extension().is_none_or(|extension| extension != LOCK) {
            continue;
        }
        // It may be gone by now, or its run may live.
        let Ok(lock) = File::open(&path) else { continue };
        if lock.try_lock().is_ok() && is_at(&lock, &path) {
            remove_patiently(&path.with_extension(""))?;
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// The commands of a run that was killed end a moment after it, and may still write.
fn remove_patiently(dir: &Path) -> io::Result<()> {
    let mut removed = remove_folder(dir);
    for _ in 0..20 {
        if removed.is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(25));
        removed = remove_folder(dir);
    }
    removed
}

fn is_at(file: &File, path: &Path) -> bool {
    let number = |found: io::Result<fs::Metadata>| found.ok().map(|found| (found.dev(), found.ino()));
    number(file.metadata()) == number(fs::metadata(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_scratch_is_gone_with_its_run_and_leaves_others_alone() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("work-of-mine"), "").unwrap();
        let one = Scratch::new(parent.path()).unwrap();
        let other = Scratch::new(parent.path()).unwrap();
        assert!(one.dir().is_dir() && other.dir().is_dir());
        drop(one);
        assert!(other.dir().is_dir());
        drop(other);
        assert_eq!(names(parent.path()), ["work-of-mine"]);
    }

    #[test]
    fn a_new_scratch_removes_what_killed_runs_have_left() {
        let parent = tempfile::tempdir().unwrap();
        let left = parent.path().join("work-1-0");
        fs::create_dir_all(left.join("a/b")).unwrap();
        fs::write(left.join("a/b/c"), "").unwrap();
        fs::write(parent.path().join("work-1-0.lock"), "").unwrap();
        drop(Scratch::new(parent.path()).unwrap());
        assert_eq!(names(parent.path()), Vec::<String>::new());
    }
}
