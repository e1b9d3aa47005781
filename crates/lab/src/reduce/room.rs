//! The folders that one test has for itself, used again for the next as long as they are as good as new.
//!
//! Why not new ones each time? A file system may take longer to find room for a new folder than nub needs for all else: ext4
//! does not use again at once what was just removed, and looks for it all over. A folder that is used again gets a new name,
//! so that who still knows the old one finds nothing, and what the test left in it goes.

use crate::workspace::remove_folder;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A folder for an input and one for temporary files.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) dir: PathBuf,
    pub(super) temp: PathBuf,
    /// The name of the file that is left in the first, and can be written over.
    file: Option<PathBuf>,
}

/// How a file or folder was before the test.
#[derive(Debug, PartialEq, Eq)]
struct Look {
    inode: u64,
    mode: u32,
    links: u64,
}

impl Look {
    fn of(metadata: &Metadata) -> Look {
        // A folder has a link for each folder in it.
        let links = if metadata.is_dir() { 0 } else { metadata.nlink() };
        Look { inode: metadata.ino(), mode: metadata.mode(), links }
    }
}

/// How a room was before the test.
#[derive(Debug)]
pub(super) struct Furnished {
    room: Room,
    dir: Look,
    temp: Look,
    /// The file that may stay, if there is only one.
    file: Option<(PathBuf, Look)>,
}

impl Room {
    /// A room by this name: the one that is left from another test, or a new one. No file is in it but one that is
    /// about to be written over: the `only` one.
    pub(super) fn at(dir: &Path, left: Option<Room>, only: Option<&Path>) -> io::Result<Room> {
        let room = Room { dir: dir.to_owned(), temp: dir.with_extension("tmp"), file: None };
        if let Some(left) = left {
            fs::rename(&left.dir, &room.dir)?;
            fs::rename(&left.temp, &room.temp)?;
            if let Some(file) = left.file.filter(|file| only != Some(file)) {
                fs::remove_file(room.dir.join(file))?;
            }
            return Ok(room);
        }
        fs::create_dir(&room.dir)?;
        fs::create_dir(&room.temp)?;
        Ok(room)
    }

    /// Remembers what was put into it.
    pub(super) fn furnished(self, paths: &[PathBuf]) -> io::Result<Furnished> {
        let look = |path: &Path| fs::symlink_metadata(path).map(|metadata| Look::of(&metadata));
        let (dir, temp) = (look(&self.dir)?, look(&self.temp)?);
        let file = match paths {
            [only] if only.parent() == Some(&self.dir) => Some((only.clone(), look(only)?)),
            _ => None,
        };
        Ok(Furnished { room: self, dir, temp, file })
    }
}

impl Furnished {
    /// Clears the room after the test; `None` if it cannot be used again, and is gone.
    pub(super) fn cleared(self) -> io::Result<Option<Room>> {
        if let Some((path, _)) = self.file.as_ref().filter(|_| self.clear().unwrap_or(false)) {
            let file = path.file_name().filter(|_| path.exists()).map(PathBuf::from);
            return Ok(Some(Room { file, ..self.room }));
        }
        remove_folder(&self.room.dir)?;
        remove_folder(&self.room.temp)?;
        Ok(None)
    }

    /// Takes out all but the file; tells whether the rest is as it was.
    fn clear(&self) -> io::Result<bool> {
        let is = |path: &Path, look: &Look| {
            fs::symlink_metadata(path).is_ok_and(|metadata| Look::of(&metadata) == *look)
        };
        if !is(&self.room.dir, &self.dir) || !is(&self.room.temp, &self.temp) {
            return Ok(false);
        }
        for folder in [&self.room.dir, &self.room.temp] {
            for entry in fs::read_dir(folder)? {
                let (path, kind) = entry.map(|entry| (entry.path(), entry.file_type()))?;
                if self.file.as_ref().is_some_and(|(file, look)| *file == path && is(file, look)) {
                    continue;
                }
                if kind?.is_dir() { remove_folder(&path)? } else { fs::remove_file(&path)? }
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// What is there for an input `only` after a test that did this to a room with the input `a`.
    fn check(test: impl FnOnce(&Path, &Path), only: &str, expected: Option<&[&str]>) {
        let place = tempfile::tempdir().unwrap();
        let room = Room::at(&place.path().join("1"), None, None).unwrap();
        let (dir, temp) = (room.dir.clone(), room.temp.clone());
        fs::write(dir.join("a"), "text").unwrap();
        let furnished = room.furnished(&[dir.join("a")]).unwrap();
        test(&dir, &temp);
        let Some(left) = furnished.cleared().unwrap() else {
            assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
            assert_eq!(expected, None);
            return;
        };
        let room = Room::at(&place.path().join("2"), Some(left), Some(Path::new(only))).unwrap();
        assert!(!dir.exists() && !temp.exists());
        let entries = [&room.dir, &room.temp].map(|folder| fs::read_dir(folder).unwrap());
        let names = entries.into_iter().flatten().map(|entry| entry.unwrap().file_name());
        let names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        assert_eq!(Some(names.iter().map(String::as_str).collect::<Vec<_>>().as_slice()), expected);
    }

    #[test]
    fn a_room_loses_what_the_test_left_and_keeps_the_input() {
        check(|_, _| {}, "a", Some(&["a"]));
        check(
            |dir, temp| {
                fs::create_dir_all(dir.join("b/c")).unwrap();
                fs::write(dir.join("b/c/d"), "").unwrap();
                fs::write(temp.join("e"), "").unwrap();
                std::os::unix::fs::symlink("/", dir.join("f")).unwrap();
            },
            "a",
            Some(&["a"]),
        );
    }

    #[test]
    fn an_input_that_is_not_the_next_goes() {
        check(|_, _| {}, "b", Some(&[]));
    }

    #[test]
    fn an_input_that_the_test_has_linked_replaced_or_locked_goes() {
        check(|dir, temp| fs::hard_link(dir.join("a"), temp.join("b")).unwrap(), "a", Some(&[]));
        check(|dir, temp| fs::rename(dir.join("a"), temp.join("b")).unwrap(), "a", Some(&[]));
        let locked = fs::Permissions::from_mode(0o400);
        check(|dir, _| fs::set_permissions(dir.join("a"), locked).unwrap(), "a", Some(&[]));
    }

    #[test]
    fn a_room_that_the_test_has_changed_itself_is_not_used_again() {
        let open = fs::Permissions::from_mode(0o777);
        check(|dir, _| fs::set_permissions(dir, open).unwrap(), "a", None);
    }
}
