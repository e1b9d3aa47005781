//! One worker's folder, moved from config to config by rewriting only what differs.
//!
//! # A stale product must never answer for a new config
//!
//! What a build made for the last config stays, so that the next build is incremental; it is the times of the
//! files that tell tools what to make again. Tools read them in several ways:
//!
//! | who | takes a product for fresh if | so a rewritten file |
//! |---|---|---|
//! | GNU make, ninja, cargo | it is not older than its source | is later than all products before |
//! | other makes, old Java, Perl | the same, in whole seconds | is in a later second than these |
//! | ninja's log, many caches | the source is not later than the time noted then | is dated with the present |
//! | make's included files, configure | the source is not in the future | is not dated in the future |
//! | linters, `go test`, git | the source has the time noted then | has a time it never had |
//! | Python | the source has the second and the size noted then | loses its compiled form |
//!
//! The first four leave one way: a rewritten file gets the present, to the nanosecond, and everything else in
//! the workspace that is dated in the present second is dated back to the end of the second before, in its
//! order (*settled*). Waiting for the next second would do as well, but a test may take a tenth of that. What
//! is to be settled is found by looking at all that was touched since the move before (`tidy.rs`); that look
//! is needed anyway, to restore files of the version that the test itself has changed.
//!
//! Python notes too little for times to help: see `compiled.rs`, which also tells why compiled forms of
//! removed files go. A removed file leaves no time at all behind. Its neighbours of the same kind get the
//! present instead, so that what is made of all of them together is made again; in the same way a symbolic
//! link that points elsewhere gives the present to what it points to, since most tools look through it.
//!
//! What remains is for `clean`, which makes every config's folder from scratch.

mod clock;
mod compiled;
mod digest;
mod scratch;
mod survey;
mod tidy;
mod watch;

pub use digest::Digest;
pub use scratch::Scratch;
pub(crate) use survey::remove_folder;

use clock::{Clock, SECOND, Time};
use nix::fcntl::AT_FDCWD;
use nix::sys::stat::{UtimensatFlags, utimensat};
use nix::sys::time::TimeSpec;
use nub_change::{Difference, Entry, EntryKind, Patchwork, RelPath};
use nub_search::Config;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use survey::Stat;
use watch::Watch;

/// What workspaces are made from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The versions of all configs.
    pub patchwork: Arc<Patchwork>,
    /// What comes along that is in no version.
    pub along: Option<Along>,
    /// Whether every config gets its folder from scratch.
    pub clean: bool,
}

/// Build products and dependency folders of a work tree, copied once into each workspace.
#[derive(Clone, Debug)]
pub struct Along {
    /// The work tree; its files that are the same in the workspace's version lend them their times.
    pub from: PathBuf,
    /// What to copy, folders with all in them.
    pub paths: Vec<RelPath>,
}

/// Why a workspace could not be made or moved; it is made anew before it is used again.
#[derive(Debug, thiserror::Error)]
#[error("failed to {action} `{}`", path.display())]
pub struct WorkspaceError {
    /// What was tried.
    pub action: &'static str,
    /// With which file or folder.
    pub path: PathBuf,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

/// A folder with the version of one config, and with what builds and tests have added to it.
#[derive(Debug)]
pub struct Workspace {
    dir: PathBuf,
    origin: Arc<Origin>,
    /// The config whose version stands there; none while it is being made or after that failed.
    at: Option<Config>,
    digest: Digest,
    /// The entries of the version by path, as they were last seen.
    entries: HashMap<Box<[u8]>, Kept>,
    /// Paths that were there since the folder was made and are not now.
    lost: BTreeSet<RelPath>,
    clock: Clock,
    /// Tells what is touched; none before everything was looked at, or where the system cannot.
    watch: Option<Watch>,
    watchable: bool,
    /// What has the name of a compiled form.
    products: BTreeSet<Box<[u8]>>,
    /// Entries that have a second name, through which they can be touched unseen.
    suspects: BTreeSet<Box<[u8]>>,
}

/// An entry of the version.
#[derive(Clone, Copy, Debug)]
struct Kept {
    digest: Digest,
    /// How it was left; a submodule is a folder that we do not look into.
    stat: Option<Stat>,
    /// Whether it was seen where everything is looked at.
    seen: bool,
}

/// The way from where a workspace is to a config, not yet gone.
#[derive(Debug)]
pub struct Step {
    config: Config,
    digest: Digest,
    /// Nothing where the folder is made from scratch.
    difference: Option<Difference>,
}

impl Step {
    /// The digest of the version it leads to.
    pub fn digest(&self) -> Digest {
        self.digest
    }
}

impl Workspace {
    /// A workspace at `dir`, which is made with the first move.
    pub fn new(dir: impl Into<PathBuf>, origin: Arc<Origin>) -> Workspace {
        Workspace {
            dir: dir.into(),
            origin,
            at: None,
            digest: Digest::default(),
            entries: HashMap::new(),
            lost: BTreeSet::new(),
            clock: Clock::after(0),
            watch: None,
            watchable: true,
            products: BTreeSet::new(),
            suspects: BTreeSet::new(),
        }
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Makes the folder hold exactly the version of `config`, plus what is in no version.
    pub fn move_to(&mut self, config: &Config) -> Result<(), WorkspaceError> {
        self.go(self.toward(config))
    }

    /// Puts the files of the version right again, where somebody has changed them.
    pub fn put_right(&mut self) -> Result<(), WorkspaceError> {
        match self.at.take() {
            Some(at) => {
                self.change(&at, &Difference::default())?;
                self.at = Some(at);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Takes other numbers for the changes: the version of `before` is that of `now` in the new origin.
    pub fn renumber(&mut self, before: &Config, origin: Arc<Origin>, now: &Config) {
        let keeps = self.at.is_some() && !self.origin.clean;
        // What could not be moved is made from scratch when it is used again.
        let moved = keeps && self.move_to(before).is_ok();
        self.origin = origin;
        self.at = moved.then(|| now.clone());
    }

    /// Finds out what moving to a config takes, and touches nothing.
    pub fn toward(&self, config: &Config) -> Step {
        let patchwork = &self.origin.patchwork;
        match self.at.as_ref().filter(|_| !self.origin.clean) {
            Some(at) => {
                let difference = patchwork.difference(at, config);
                let digest = self.digest_after(&difference);
                Step { config: config.clone(), digest, difference: Some(difference) }
            }
            None => self.anew(config),
        }
    }

    /// Finds out what making the folder from scratch takes.
    pub fn anew(&self, config: &Config) -> Step {
        let version = self.origin.patchwork.render(config);
        let digests = version.iter().map(|(path, entry)| Digest::of(path, entry));
        Step {
            config: config.clone(),
            digest: digests.fold(Digest::default(), Digest::toggle),
            difference: None,
        }
    }

    fn digest_after(&self, difference: &Difference) -> Digest {
        let known = |path: &RelPath| self.entries.get(path.as_bytes()).map(|kept| kept.digest);
        let gone = difference.removed.iter().chain(difference.written.iter().map(|(path, _)| path));
        let come = difference.written.iter().map(|(path, entry)| Digest::of(path, entry));
        gone.filter_map(known).chain(come).fold(self.digest, Digest::toggle)
    }

    /// Goes a step that was found from here.
    pub fn go(&mut self, step: Step) -> Result<(), WorkspaceError> {
        let at = self.at.take();
        match (at, &step.difference) {
            (Some(at), Some(difference)) => self.change(&at, difference)?,
            _ => self.make(&step.config)?,
        }
        self.at = Some(step.config);
        self.digest = step.digest;
        Ok(())
    }

    /// Whether a text names a file that was here before and is not in the version.
    ///
    /// A build that fails and names such a file may do so because of what it has made before: a list of
    /// included files, for one. Only a folder made from scratch can tell.
    pub fn names_a_lost_path(&self, text: &[u8]) -> bool {
        self.lost.iter().any(|path| text.windows(path.name().len()).any(|part| part == path.name()))
    }

    /// Makes the folder from scratch.
    fn make(&mut self, config: &Config) -> Result<(), WorkspaceError> {
        let dir = self.dir.clone();
        self.entries.clear();
        self.lost.clear();
        self.watch = None;
        remove_folder(&dir).map_err(|source| failed_to("remove", &dir, source))?;
        fs::create_dir_all(&dir).map_err(|source| failed_to("make", &dir, source))?;

        let mut newest = 0;
        if let Some(Along { from, paths }) = &self.origin.along {
            for path in paths {
                let path = Path::new(OsStr::from_bytes(path.as_bytes()));
                copy(&from.join(path), &dir.join(path), (from, &dir), &mut newest)?;
            }
        }
        // Some seconds ago, so that the first moves have nothing to settle; but in a later second than any
        // product.
        let next_second = newest - newest.rem_euclid(SECOND) + SECOND;
        let early = Duration::from_nanos((next_second - clock::now()).clamp(0, SECOND) as u64);
        std::thread::sleep(early);
        let now = clock::now();
        let present = next_second.max(now - 10 * SECOND).min(now);
        self.clock = Clock::after(present);

        let origin = Arc::clone(&self.origin);
        for (path, entry) in origin.patchwork.render(config).iter() {
            let lent = origin.along.as_ref().and_then(|along| lent_time(&along.from, path, entry));
            self.write(path, entry, lent.unwrap_or(present))?;
        }
        Ok(())
    }

    /// Changes what differs, after everything else is put in order.
    fn change(&mut self, at: &Config, difference: &Difference) -> Result<(), WorkspaceError> {
        let present = self.clock.tick(clock::now());
        let settle = self.clock.settle(present);
        self.tidy(at, settle, present)?;

        let written = difference.written.iter().map(|(path, _)| path);
        let sources: Vec<&[u8]> = difference.removed.iter().chain(written).map(RelPath::name).collect();
        let is_compiled =
            |product: &[u8]| sources.iter().any(|name| compiled::is_compiled_from(product, name));
        let gone = self.products.iter().filter(|product| is_compiled(last_part(product)));
        for product in gone.cloned().collect::<Vec<_>>() {
            self.products.remove(&product);
            self.remove(&RelPath::new(product).expect("products lie inside the folder"))?;
        }
        for path in &difference.removed {
            self.remove(path)?;
            self.lost.insert(path.clone());
        }
        for (path, entry) in &difference.written {
            self.write(path, entry, present)?;
            self.lost.remove(path);
        }
        self.date_what_seems_untouched(difference, present)?;
        clock::wait_until_files_get(present);
        Ok(())
    }

    /// Gives the present to files whose own content is the same, but not what is made of them.
    fn date_what_seems_untouched(
        &mut self,
        difference: &Difference,
        present: Time,
    ) -> Result<(), WorkspaceError> {
        let mut pointed_to: Vec<RelPath> = Vec::new();
        for (path, entry) in &difference.written {
            if entry.kind == EntryKind::Symlink {
                pointed_to.extend(target(path, &entry.content));
            }
        }
        if difference.removed.is_empty() && pointed_to.is_empty() {
            return Ok(());
        }
        let is_meant = |path: &RelPath| {
            difference.removed.iter().any(|gone| are_neighbours(path, gone))
                || pointed_to.iter().any(|to| path == to || path.is_inside(to))
        };
        let paths = self.entries.keys().map(|path| RelPath::new(path).expect("entries stand at such paths"));
        for path in paths.filter(is_meant).collect::<Vec<_>>() {
            self.date(path.as_bytes(), present)?;
        }
        Ok(())
    }

    /// Puts an entry at its path, whatever stands there or in its way.
    fn write(&mut self, path: &RelPath, entry: &Entry, time: Time) -> Result<(), WorkspaceError> {
        let place = self.place(path);
        self.make_way(path, entry.kind)?;
        let stat = write(&place, entry, time).map_err(|source| failed_to("write", &place, source))?;
        let kept = Kept { digest: Digest::of(path, entry), stat, seen: false };
        self.entries.insert(path.as_bytes().into(), kept);
        Ok(())
    }

    /// Makes the folders a path lies in, and the path itself free. Looks at each, so that no symbolic link
    /// that a test left here leads out of the workspace.
    fn make_way(&self, path: &RelPath, kind: EntryKind) -> Result<(), WorkspaceError> {
        for folder in path.folders() {
            let place = self.place(&folder);
            match fs::symlink_metadata(&place) {
                Ok(found) if found.is_dir() => continue,
                Ok(_) => fs::remove_file(&place).map_err(|source| failed_to("remove", &place, source))?,
                Err(_) => {}
            }
            fs::create_dir(&place).map_err(|source| failed_to("make", &place, source))?;
        }
        let place = self.place(path);
        // A submodule may have come along.
        if kind == EntryKind::Submodule && fs::symlink_metadata(&place).is_ok_and(|found| found.is_dir()) {
            return Ok(());
        }
        clear(&place).map_err(|source| failed_to("remove", &place, source))
    }

    /// Takes away what stands at a path, and the folders that are empty then.
    fn remove(&mut self, path: &RelPath) -> Result<(), WorkspaceError> {
        let place = self.place(path);
        self.entries.remove(path.as_bytes());
        clear(&place).map_err(|source| failed_to("remove", &place, source))?;
        let mut folders: Vec<RelPath> = path.folders().collect();
        while let Some(folder) = folders.pop() {
            // It fails for the first one that holds something.
            if fs::remove_dir(self.place(&folder)).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Gives what stands at a path another time.
    fn date(&mut self, path: &[u8], time: Time) -> Result<(), WorkspaceError> {
        let place = self.dir.join(OsStr::from_bytes(path));
        let known = self.entries.get_mut(path).and_then(|kept| kept.stat.as_mut());
        let failed = |source| failed_to("date", &place, source);
        let Some(known) = known else {
            // A product of another user's keeps its time; there is no telling why it is here.
            return date(&place, time).or_else(ignore(io::ErrorKind::PermissionDenied)).map_err(failed);
        };
        let before = Stat::of(&fs::symlink_metadata(&place).map_err(failed)?);
        date(&place, time).map_err(failed)?;
        // What somebody else has touched must still be seen to be so.
        if before == *known {
            *known = Stat::of(&fs::symlink_metadata(&place).map_err(failed)?);
        }
        Ok(())
    }

    fn place(&self, path: &RelPath) -> PathBuf {
        self.dir.join(OsStr::from_bytes(path.as_bytes()))
    }
}

fn failed_to(action: &'static str, path: &Path, source: io::Error) -> WorkspaceError {
    WorkspaceError { action, path: path.to_path_buf(), source }
}

fn ignore(kind: io::ErrorKind) -> impl Fn(io::Error) -> io::Result<()> {
    move |error| if error.kind() == kind { Ok(()) } else { Err(error) }
}

fn last_part(path: &[u8]) -> &[u8] {
    path.rsplit(|&b| b == b'/').next().unwrap_or_default()
}

/// Whether two files lie in one folder and have one ending.
fn are_neighbours(one: &RelPath, other: &RelPath) -> bool {
    let folder = |path: &RelPath| path.as_bytes().len() - path.name().len();
    let ending =
        |path: &RelPath| path.name().iter().rposition(|&b| b == b'.').map(|dot| path.name()[dot..].to_vec());
    one.as_bytes()[..folder(one)] == other.as_bytes()[..folder(other)] && ending(one) == ending(other)
}

/// Where a symbolic link points to, if that is inside the version.
fn target(link: &RelPath, to: &[u8]) -> Option<RelPath> {
    let mut parts: Vec<&[u8]> = link.as_bytes().split(|&b| b == b'/').collect();
    parts.pop();
    for part in to.split(|&b| b == b'/') {
        match part {
            b"." => {}
            b".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    // An absolute target has an empty part, which no such path has.
    RelPath::new(parts.join(&b'/')).ok()
}

/// The content of what stands at a place, if it is of the entry's kind.
fn content(place: &Path, entry: &Entry) -> io::Result<Vec<u8>> {
    match entry.kind {
        EntryKind::Symlink => fs::read_link(place).map(|to| to.as_os_str().as_bytes().to_vec()),
        _ => fs::read(place),
    }
}

/// Removes whatever stands at a place, if anything does.
fn clear(place: &Path) -> io::Result<()> {
    match fs::symlink_metadata(place) {
        Ok(found) if found.is_dir() => remove_folder(place),
        Ok(_) => fs::remove_file(place),
        Err(_) => Ok(()),
    }
}

/// Writes an entry where nothing stands.
fn write(place: &Path, entry: &Entry, time: Time) -> io::Result<Option<Stat>> {
    match entry.kind {
        EntryKind::File { executable } => {
            let mode = if executable { 0o777 } else { 0o666 };
            let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(place)?;
            file.write_all(&entry.content)?;
        }
        EntryKind::Symlink => symlink(OsStr::from_bytes(&entry.content), place)?,
        EntryKind::Submodule => return fs::create_dir_all(place).map(|()| None),
    }
    date(place, time)?;
    Ok(Some(Stat::of(&fs::symlink_metadata(place)?)))
}

fn date(place: &Path, time: Time) -> io::Result<()> {
    let time = TimeSpec::new(time.div_euclid(SECOND), time.rem_euclid(SECOND));
    Ok(utimensat(AT_FDCWD, place, &TimeSpec::UTIME_OMIT, &time, UtimensatFlags::NoFollowSymlink)?)
}

/// The time of a work tree's file that has the entry's content: what was built from it there is fresh here,
/// too.
fn lent_time(from: &Path, path: &RelPath, entry: &Entry) -> Option<Time> {
    let place = from.join(OsStr::from_bytes(path.as_bytes()));
    let found = fs::symlink_metadata(&place).ok()?;
    let same_kind = found.is_symlink() == (entry.kind == EntryKind::Symlink);
    let same_size = found.len() == entry.content.len() as u64;
    let same = same_kind && same_size && content(&place, entry).ok()? == *entry.content;
    same.then(|| Stat::of(&found).modified)
}

/// Copies a file or folder with its times; `newest` becomes the latest of them.
///
/// A symbolic link to a place in the work tree leads to the same place in the workspace: nothing of the
/// user's may be written through it.
fn copy(from: &Path, to: &Path, roots: (&Path, &Path), newest: &mut Time) -> Result<(), WorkspaceError> {
    let failed = |source| failed_to("copy", from, source);
    let found = match fs::symlink_metadata(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found.map_err(failed)?,
    };
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    if found.is_dir() {
        fs::create_dir_all(to).map_err(failed)?;
        for entry in fs::read_dir(from).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            copy(&from.join(&name), &to.join(&name), roots, newest)?;
        }
    } else if found.is_symlink() {
        let target = fs::read_link(from).map_err(failed)?;
        let target = target.strip_prefix(roots.0).map(|rest| roots.1.join(rest)).unwrap_or(target);
        symlink(target, to).map_err(failed)?;
    } else if found.is_file() {
        // Where the file system can, this shares the content.
        fs::copy(from, to).map_err(failed)?;
    } else {
        return Ok(());
    }
    let time = Stat::of(&found).modified;
    *newest = time.max(*newest);
    date(to, time).map_err(failed)
}
