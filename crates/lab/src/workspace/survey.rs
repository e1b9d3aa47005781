//! Looking at everything in a folder once: names, kinds and times, never through a symbolic link.

use super::clock::{SECOND, Time};
use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// What is compared to see whether somebody touched a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) modified: Time,
    /// When anything about it changed; nobody can set it.
    changed: Time,
    pub(super) size: u64,
    pub(super) inode: u64,
    pub(super) mode: u32,
}

impl Stat {
    pub(super) fn of(found: &Metadata) -> Stat {
        Stat {
            modified: found.mtime() * SECOND + found.mtime_nsec(),
            changed: found.ctime() * SECOND + found.ctime_nsec(),
            size: found.size(),
            inode: found.ino(),
            mode: found.mode(),
        }
    }
}

/// Calls `visit` for all that is in a folder, with its path after `path`; folders come before what they hold.
pub(super) fn survey(
    folder: &Path,
    path: &mut Vec<u8>,
    visit: &mut impl FnMut(&[u8], &Metadata) -> io::Result<()>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let found = entry.metadata()?;
        let name = entry.file_name();
        let length = path.len();
        if length > 0 {
            path.push(b'/');
        }
        path.extend_from_slice(name.as_bytes());
        visit(path, &found)?;
        if found.is_dir() {
            survey(&folder.join(&name), path, visit)?;
        }
        path.truncate(length);
    }
    Ok(())
}

/// Lets the owner into a folder that somebody locked.
pub(super) fn unlock(folder: &Path) -> io::Result<()> {
    let mode = fs::symlink_metadata(folder)?.permissions().mode();
    fs::set_permissions(folder, Permissions::from_mode(mode | 0o700))
}

/// Removes a folder with all in it, locked folders too; does nothing if there is none.
pub(crate) fn remove_folder(folder: &Path) -> io::Result<()> {
    let removed = match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            unlock_all(folder)?;
            fs::remove_dir_all(folder)
        }
        removed => removed,
    };
    removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

fn unlock_all(folder: &Path) -> io::Result<()> {
    unlock(folder)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            unlock_all(&entry.path())?;
        }
    }
    Ok(())
}
