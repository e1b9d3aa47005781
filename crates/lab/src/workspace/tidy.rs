//! Putting a workspace in order after a test: files of the version are as they were, and all times are
//! settled.

use super::clock::{Settle, Time};
use super::survey::{Stat, survey, unlock};
use super::watch::{Touched, Watch};
use super::{Kept, Workspace, WorkspaceError, compiled, content, failed_to, last_part};
use nub_change::RelPath;
use nub_search::Config;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// What a look at the workspace has brought up.
struct Found {
    settle: Settle,
    /// What needs another time.
    young: Vec<(Box<[u8]>, Time)>,
    /// Entries of the version that are not as they were left.
    touched: BTreeSet<Box<[u8]>>,
    /// Files that have several names, by their inodes.
    linked: HashSet<u64>,
}

impl Workspace {
    /// Restores what the last test touched and settles all times.
    pub(super) fn tidy(&mut self, at: &Config, settle: Settle, present: Time) -> Result<(), WorkspaceError> {
        let mut found = Found { settle, young: Vec::new(), touched: BTreeSet::new(), linked: HashSet::new() };
        let looked = match self.watch.as_mut().and_then(Watch::touched) {
            Some(list) => self.look_at(list, &mut found),
            None => self.look_at_all(&mut found),
        };
        looked.map_err(|source| failed_to("look into", &self.dir, source))?;

        if !found.linked.is_empty() {
            let is_linked = |kept: &Kept| kept.stat.is_some_and(|stat| found.linked.contains(&stat.inode));
            let linked = self.entries.iter().filter(|(_, kept)| is_linked(kept));
            self.suspects.extend(linked.map(|(path, _)| path.clone()));
        }
        for (path, time) in found.young {
            self.date(&path, time)?;
        }
        found.touched.iter().try_for_each(|path| self.restore(at, path, present))
    }

    /// Looks at everything, and begins to watch it.
    fn look_at_all(&mut self, found: &mut Found) -> io::Result<()> {
        self.products.clear();
        self.suspects.clear();
        self.watch = if self.watchable { Watch::new() } else { None };
        self.watch_folder(b"");
        self.survey(b"", found)?;
        for (path, kept) in &mut self.entries {
            if !std::mem::take(&mut kept.seen) {
                found.touched.insert(path.clone());
            }
        }
        Ok(())
    }

    /// Looks at what is on the list.
    fn look_at(&mut self, list: Touched, found: &mut Found) -> io::Result<()> {
        let mut reached = HashMap::new();
        for path in list.paths.iter().chain(&self.suspects.clone()) {
            match self.stat(path, &mut reached) {
                Some(stat) => self.see(path, &stat, found)?,
                None => {
                    self.products.remove(path);
                    found.touched.extend(self.entries.contains_key(path).then(|| path.clone()));
                }
            }
        }
        for folder in &list.folders {
            if self.stat(folder, &mut reached).is_some_and(|stat| stat.is_dir()) {
                self.watch_folder(folder);
                self.survey(folder, found)?;
            }
            for (path, kept) in &mut self.entries {
                let inside = path.strip_prefix(&**folder).is_some_and(|rest| rest.first() == Some(&b'/'));
                if inside && !std::mem::take(&mut kept.seen) {
                    found.touched.insert(path.clone());
                }
            }
        }
        self.entries.values_mut().for_each(|kept| kept.seen = false);
        Ok(())
    }

    fn survey(&mut self, folder: &[u8], found: &mut Found) -> io::Result<()> {
        let place = self.dir.join(OsStr::from_bytes(folder));
        survey(&place, &mut folder.to_vec(), &mut |path, stat| {
            if stat.is_dir() {
                self.watch_folder(path);
            }
            self.see(path, stat, found)
        })
    }

    fn watch_folder(&mut self, path: &[u8]) {
        let place = self.dir.join(OsStr::from_bytes(path));
        if self.watch.as_mut().is_some_and(|watch| watch.add(&place, path).is_none()) {
            self.watch = None;
            self.watchable = false;
        }
    }

    fn see(&mut self, path: &[u8], stat: &Metadata, found: &mut Found) -> io::Result<()> {
        let now = Stat::of(stat);
        found.young.extend(found.settle.apply(now.modified).map(|time| (path.into(), time)));
        if stat.is_dir() && stat.permissions().mode() & 0o700 != 0o700 {
            unlock(&self.dir.join(OsStr::from_bytes(path)))?;
        }
        if stat.is_file() && stat.nlink() > 1 {
            found.linked.insert(stat.ino());
        }
        match self.entries.get_mut(path) {
            Some(kept) => {
                kept.seen = true;
                if kept.stat.is_some_and(|before| before != now) {
                    found.touched.insert(path.into());
                }
            }
            None if compiled::is_compiled(last_part(path)) && stat.is_file() => {
                self.products.insert(path.into());
            }
            None => {}
        }
        Ok(())
    }

    /// What stands at a path, if it is reached without a symbolic link; what is behind one is not ours to
    /// touch.
    fn stat(&self, path: &[u8], reached: &mut HashMap<Box<[u8]>, bool>) -> Option<Metadata> {
        let place = |path: &[u8]| self.dir.join(OsStr::from_bytes(path));
        let path = RelPath::new(path).ok()?;
        let is_folder = |folder: RelPath| {
            let look = || fs::symlink_metadata(place(folder.as_bytes())).is_ok_and(|stat| stat.is_dir());
            *reached.entry(folder.as_bytes().into()).or_insert_with(look)
        };
        if !path.folders().all(is_folder) {
            return None;
        }
        fs::symlink_metadata(place(path.as_bytes())).ok()
    }

    /// Puts back an entry that is not as it was left, unless it only looks so.
    fn restore(&mut self, at: &Config, path: &[u8], present: Time) -> Result<(), WorkspaceError> {
        let found = self.stat(path, &mut HashMap::new());
        let path = &RelPath::new(path).expect("entries stand at such paths");
        let entry = self.origin.patchwork.entry(at, path).expect("the version at hand has its entries");
        let kept = self.entries[path.as_bytes()];
        if let (Some(found), Some(before)) = (found, kept.stat) {
            let place: &Path = &self.place(path);
            let now = Stat::of(&found);
            let same = || content(place, &entry).is_ok_and(|bytes| *bytes == *entry.content);
            if now.mode == before.mode && now.size == before.size && same() {
                self.entries.insert(path.as_bytes().into(), Kept { stat: Some(now), ..kept });
                return Ok(());
            }
        }
        self.write(path, &entry, present)
    }
}
