//! Which paths in a folder were touched, as the system tells, so that not all of them have to be looked at.
//!
//! Looking at five thousand files takes more time than all else that a move does. Where the system keeps a
//! list (inotify, on Linux), only what is on it is looked at; the list may say too much, never too little.
//! Where it cannot be had, is too long, or a folder was moved, [`Watch::touched`] says so, and everything is
//! looked at once more. A file that is written through a hard link elsewhere is not on the list, see
//! `Workspace::suspects`.

use std::collections::BTreeSet;
use std::path::Path;

/// The paths that were touched below a folder.
#[derive(Debug, Default)]
pub(super) struct Touched {
    /// Where anything may have happened; a folder is on it, too, when something came into it or went.
    pub(super) paths: BTreeSet<Box<[u8]>>,
    /// Folders that are new, with everything in them.
    pub(super) folders: BTreeSet<Box<[u8]>>,
}

#[cfg(target_os = "linux")]
pub(super) use linux::Watch;
#[cfg(not(target_os = "linux"))]
pub(super) use nowhere::Watch;

#[cfg(target_os = "linux")]
mod linux {
    use super::{Path, Touched};
    use nix::errno::Errno;
    use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, InotifyEvent, WatchDescriptor};
    use std::collections::HashMap;
    use std::os::unix::ffi::OsStrExt;

    /// A list the system keeps of what is touched in some folders.
    #[derive(Debug)]
    pub(in super::super) struct Watch {
        list: Inotify,
        folders: HashMap<WatchDescriptor, Box<[u8]>>,
    }

    impl Watch {
        /// A list of nothing yet, if the system has one to spare.
        pub(in super::super) fn new() -> Option<Watch> {
            let list = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC).ok()?;
            Some(Watch { list, folders: HashMap::new() })
        }

        /// Puts a folder on the list, at `path` below the one that counts; fails when the system has no more
        /// room.
        pub(in super::super) fn add(&mut self, place: &Path, path: &[u8]) -> Option<()> {
            let what = AddWatchFlags::IN_MODIFY
                | AddWatchFlags::IN_CLOSE_WRITE
                | AddWatchFlags::IN_ATTRIB
                | AddWatchFlags::IN_CREATE
                | AddWatchFlags::IN_DELETE
                | AddWatchFlags::IN_MOVE
                | AddWatchFlags::IN_ONLYDIR
                | AddWatchFlags::IN_DONT_FOLLOW;
            let descriptor = self.list.add_watch(place, what).ok()?;
            self.folders.insert(descriptor, path.into());
            Some(())
        }

        /// What was touched since this was asked last; none if it cannot be told.
        pub(in super::super) fn touched(&mut self) -> Option<Touched> {
            let mut touched = Touched::default();
            loop {
                match self.list.read_events() {
                    Ok(events) => {
                        for event in &events {
                            self.note(&mut touched, event)?;
                        }
                    }
                    Err(Errno::EAGAIN) => return Some(touched),
                    Err(Errno::EINTR) => {}
                    Err(_) => return None,
                }
            }
        }

        fn note(&mut self, touched: &mut Touched, event: &InotifyEvent) -> Option<()> {
            if event.mask.contains(AddWatchFlags::IN_IGNORED) {
                self.folders.remove(&event.wd);
                return Some(());
            }
            // Where the list was too long, this is the descriptor of no folder.
            let folder = self.folders.get(&event.wd)?;
            let Some(name) = &event.name else {
                touched.paths.insert(folder.clone());
                return Some(());
            };
            let path: Box<[u8]> = match folder.is_empty() {
                true => name.as_bytes().into(),
                false => [folder, &b"/"[..], name.as_bytes()].concat().into(),
            };
            let is_folder = event.mask.contains(AddWatchFlags::IN_ISDIR);
            if is_folder && event.mask.intersects(AddWatchFlags::IN_MOVE) {
                // From here on its descriptors have other paths.
                return None;
            }
            if is_folder && event.mask.contains(AddWatchFlags::IN_CREATE) {
                touched.folders.insert(path.clone());
            }
            touched.paths.insert(folder.clone());
            touched.paths.insert(path);
            Some(())
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod nowhere {
    use super::{Path, Touched};

    /// A list that this system does not keep.
    #[derive(Debug)]
    pub(in super::super) struct Watch;

    impl Watch {
        pub(in super::super) fn new() -> Option<Watch> {
            None
        }

        pub(in super::super) fn add(&mut self, _: &Path, _: &[u8]) -> Option<()> {
            None
        }

        pub(in super::super) fn touched(&mut self) -> Option<Touched> {
            None
        }
    }
}
