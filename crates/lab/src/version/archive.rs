//! Versions from archives: tar (plain, gzip, xz, bzip2) and zip, told apart by their first bytes.
//!
//! Nothing is unpacked to disk, so an entry cannot overwrite anything; names and links that lead out of the
//! archive are refused all the same, because a workspace is going to be made of them. Of two entries with one
//! path the last wins, as when unpacking. `.git` is left out. Archives of releases hold one folder named after
//! the release; [`Archive::strip`] takes it away.

use super::dir::os_path;
use super::{Entry, EntryKind, RelPath, Snapshot, place};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why an archive is no version.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It could not be opened, or is damaged.
    #[error("failed to read archive `{}`", archive.display())]
    Unreadable {
        /// The archive.
        archive: PathBuf,
        /// What is wrong with it.
        #[source]
        cause: io::Error,
    },
    /// It is no archive at all.
    #[error(
        "`{}` is a file, but no archive that nub reads (tar, tar.gz, tar.xz, tar.bz2, zip); a patch goes with --patch",
        .0.display()
    )]
    UnknownFormat(PathBuf),
    /// An entry's name leads out of the archive.
    #[error("archive `{}` is refused, its entry `{entry}` would be written outside", archive.display())]
    NameLeaves {
        /// The archive.
        archive: PathBuf,
        /// The entry's name.
        entry: String,
    },
    /// A link leads out of the archive.
    #[error("archive `{}` is refused, its link `{link}` leads outside, to `{target}`", archive.display())]
    LinkLeaves {
        /// The archive.
        archive: PathBuf,
        /// The link.
        link: RelPath,
        /// Where it points.
        target: String,
    },
    /// An entry is neither file, folder nor link, or a hard link to nothing.
    #[error("archive `{}` is refused, its entry `{path}` is {what}", archive.display())]
    Odd {
        /// The archive.
        archive: PathBuf,
        /// The entry.
        path: RelPath,
        /// What it is.
        what: String,
    },
    /// It is larger than allowed.
    #[error(
        "archive `{}` is refused, it unpacks to more than {allowed}; if you trust it, unpack it and name the folder",
        archive.display()
    )]
    TooLarge {
        /// The archive.
        archive: PathBuf,
        /// The limit it goes beyond.
        allowed: String,
    },
}

/// How much an archive may unpack to.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of all files together.
    pub bytes: u64,
    /// Files, folders and links together.
    pub entries: usize,
}

impl Default for Limits {
    /// Two gibibytes and a million entries: more than any source release, less than a laptop's memory.
    fn default() -> Limits {
        Limits { bytes: 2 << 30, entries: 1_000_000 }
    }
}

/// The content of an archive, with its top folder.
pub struct Archive {
    path: PathBuf,
    /// Everything in it, under the names it has there.
    pub tree: Snapshot,
}

/// Whether the file starts like an archive.
pub fn is_archive(path: &Path) -> bool {
    File::open(path).is_ok_and(|mut file| format_of(path, &mut file).is_ok_and(|format| format.is_some()))
}

impl Archive {
    /// Reads all entries.
    pub fn read(path: &Path, limits: Limits) -> Result<Archive, ArchiveError> {
        let unreadable = |cause| ArchiveError::Unreadable { archive: path.to_owned(), cause };
        let mut file = File::open(path).map_err(unreadable)?;
        let format = format_of(path, &mut file).map_err(unreadable)?;
        let format = format.ok_or_else(|| ArchiveError::UnknownFormat(path.to_owned()))?;
        let mut reading = Reading { archive: path, limits, left: limits, tree: Snapshot::default() };
        let file = BufReader::new(file);
        match format {
            Format::Zip => reading.zip(file)?,
            Format::Tar => reading.tar(file)?,
            Format::Gzip => reading.tar(flate2::bufread::MultiGzDecoder::new(file))?,
            Format::Bzip2 => reading.tar(bzip2::bufread::MultiBzDecoder::new(file))?,
            Format::Xz => reading.tar(lzma_rust2::XzReader::new_mem_limit(file, true, XZ_MEMORY_KIB))?,
        }
        Ok(Archive { path: path.to_owned(), tree: reading.tree })
    }

    /// Takes away the single top folder, and checks that no link leads outside then.
    ///
    /// The folder stays if the other version has one of that name beside other things at its top: then it is no
    /// release folder but part of the project.
    pub fn strip(self, other_tops: &[RelPath]) -> Result<Snapshot, ArchiveError> {
        let ours = tops(&self.tree);
        let single = ours.first().filter(|_| ours.len() == 1);
        let is_part = |top: &RelPath| other_tops.len() > 1 && other_tops.contains(top);
        let tree = match single.filter(|top| !is_part(top) && self.tree.get(top).is_none()) {
            None => self.tree,
            Some(top) => {
                let inner = |path: &RelPath| RelPath::new(&path.as_bytes()[top.as_bytes().len() + 1..]);
                let entries = self.tree.into_iter();
                entries.map(|(path, entry)| (inner(&path).expect("it lies under the top"), entry)).collect()
            }
        };
        let links = tree.iter().filter(|(_, entry)| entry.kind == EntryKind::Symlink);
        for (link, entry) in links {
            if leaves(&tree, link, &entry.content) {
                let target = entry.content.escape_ascii().to_string();
                return Err(ArchiveError::LinkLeaves { archive: self.path, link: link.clone(), target });
            }
        }
        Ok(tree)
    }
}

/// Enough for archives made with `xz -9`, which need 65 MiB.
const XZ_MEMORY_KIB: u32 = 256 << 10;

enum Format {
    Tar,
    Gzip,
    Bzip2,
    Xz,
    Zip,
}

/// Looks at the first bytes, and leaves the file at its start.
fn format_of(path: &Path, file: &mut File) -> io::Result<Option<Format>> {
    let mut start = Vec::new();
    file.by_ref().take(TAR_MAGIC_AT + 5).read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(match start.as_slice() {
        [0x1f, 0x8b, ..] => Some(Format::Gzip),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Format::Xz),
        [b'B', b'Z', b'h', ..] => Some(Format::Bzip2),
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Format::Zip),
        start if start.get(TAR_MAGIC_AT as usize..) == Some(b"ustar") => Some(Format::Tar),
        // Tar had no magic number at first.
        _ if path.extension().is_some_and(|extension| extension == "tar") => Some(Format::Tar),
        _ => None,
    })
}

const TAR_MAGIC_AT: u64 = 257;

struct Reading<'a> {
    archive: &'a Path,
    limits: Limits,
    left: Limits,
    tree: Snapshot,
}

impl Reading<'_> {
    fn tar(&mut self, archive: impl Read) -> Result<(), ArchiveError> {
        use tar::EntryType;
        let mut archive = tar::Archive::new(archive);
        for entry in archive.entries().map_err(|cause| self.unreadable(cause))? {
            let mut entry = entry.map_err(|cause| self.unreadable(cause))?;
            self.count()?;
            let Some(path) = self.path(&entry.path_bytes())? else { continue };
            let header = entry.header();
            let mode = header.mode().map_err(|cause| self.unreadable(cause))?;
            match header.entry_type() {
                EntryType::Directory | EntryType::XGlobalHeader => {}
                EntryType::Symlink => {
                    let target = entry.link_name_bytes().unwrap_or_default();
                    place(
                        &mut self.tree,
                        path,
                        Entry { kind: EntryKind::Symlink, content: Arc::from(&*target) },
                    );
                }
                EntryType::Link => {
                    let target = entry.link_name_bytes().unwrap_or_default();
                    let first = self.path(&target)?.and_then(|target| self.tree.get(&target).cloned());
                    let first = first.ok_or_else(|| self.odd(&path, "a hard link to no earlier entry"))?;
                    place(&mut self.tree, path, first);
                }
                EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                    let content = self.content(&mut entry)?;
                    self.file(path, content, mode);
                }
                other => return Err(self.odd(&path, &format!("of a kind no version has ({other:?})"))),
            }
        }
        Ok(())
    }

    fn zip(&mut self, archive: impl Read + Seek) -> Result<(), ArchiveError> {
        let mut archive = zip::ZipArchive::new(archive).map_err(|cause| self.unreadable(cause.into()))?;
        for i in 0..archive.len() {
            let mut entry = archive.by_index(i).map_err(|cause| self.unreadable(cause.into()))?;
            self.count()?;
            let Some(path) = self.path(entry.name_raw())? else { continue };
            if entry.is_dir() {
                continue;
            }
            let mode = entry.unix_mode().unwrap_or_default();
            let content = self.content(&mut entry)?;
            if mode & FILE_TYPE == LINK {
                place(&mut self.tree, path, Entry { kind: EntryKind::Symlink, content });
            } else {
                self.file(path, content, mode);
            }
        }
        Ok(())
    }

    /// The entry's path, or nothing if it is the top itself or `.git`.
    fn path(&self, name: &[u8]) -> Result<Option<RelPath>, ArchiveError> {
        let parts = name.split(|b| *b == b'/').filter(|part| !matches!(*part, b"" | b"."));
        let parts: Vec<&[u8]> = parts.collect();
        if parts.is_empty() || parts.contains(&b".git".as_slice()) {
            return Ok(None);
        }
        let is_absolute = name.starts_with(b"/") || os_path(name).is_absolute();
        match RelPath::new(parts.join(&b'/')) {
            Ok(path) if !is_absolute => Ok(Some(path)),
            _ => {
                let entry = name.escape_ascii().to_string();
                Err(ArchiveError::NameLeaves { archive: self.archive.to_owned(), entry })
            }
        }
    }

    fn content(&mut self, entry: &mut impl Read) -> Result<Arc<[u8]>, ArchiveError> {
        let mut content = Vec::new();
        let read = entry.take(self.left.bytes.saturating_add(1)).read_to_end(&mut content);
        read.map_err(|cause| self.unreadable(cause))?;
        let left = self.left.bytes.checked_sub(content.len() as u64);
        self.left.bytes = left.ok_or_else(|| self.too_large(&format!("{} bytes", self.limits.bytes)))?;
        Ok(content.into())
    }

    fn count(&mut self) -> Result<(), ArchiveError> {
        let left = self.left.entries.checked_sub(1);
        self.left.entries =
            left.ok_or_else(|| self.too_large(&format!("{} entries", self.limits.entries)))?;
        Ok(())
    }

    fn file(&mut self, path: RelPath, content: Arc<[u8]>, mode: u32) {
        let kind = EntryKind::File { executable: mode & OWNER_RUNS != 0 };
        place(&mut self.tree, path, Entry { kind, content });
    }

    fn unreadable(&self, cause: io::Error) -> ArchiveError {
        ArchiveError::Unreadable { archive: self.archive.to_owned(), cause }
    }

    fn odd(&self, path: &RelPath, what: &str) -> ArchiveError {
        ArchiveError::Odd { archive: self.archive.to_owned(), path: path.clone(), what: what.into() }
    }

    fn too_large(&self, allowed: &str) -> ArchiveError {
        ArchiveError::TooLarge { archive: self.archive.to_owned(), allowed: allowed.into() }
    }
}

const OWNER_RUNS: u32 = 0o100;
const FILE_TYPE: u32 = 0o170_000;
const LINK: u32 = 0o120_000;

/// The names at the top of a tree.
pub(super) fn tops(tree: &Snapshot) -> Vec<RelPath> {
    let tops = tree.paths().map(|path| path.folders().next().unwrap_or_else(|| path.clone()));
    let mut tops: Vec<RelPath> = tops.collect();
    tops.dedup();
    tops
}

/// Whether a link leads out of the tree, following the links on its way as the system would.
fn leaves(tree: &Snapshot, link: &RelPath, target: &[u8]) -> bool {
    let mut at: Vec<&[u8]> = link.as_bytes().split(|b| *b == b'/').collect();
    at.pop();
    // What is left of the way, next component last.
    let mut way: Vec<&[u8]> = target.split(|b| *b == b'/').rev().collect();
    let mut is_absolute = target.starts_with(b"/") || os_path(target).is_absolute();
    let mut n_followed = 0;
    while let Some(part) = way.pop() {
        if is_absolute {
            return true;
        }
        match part {
            b"" | b"." => {}
            b".." => {
                if at.pop().is_none() {
                    return true;
                }
            }
            part => {
                at.push(part);
                let here = RelPath::new(at.join(&b'/')).ok();
                let entry = here.and_then(|here| tree.get(&here));
                if let Some(next) = entry.filter(|entry| entry.kind == EntryKind::Symlink) {
                    at.pop();
                    n_followed += 1;
                    // A cycle leads nowhere, so not outside either.
                    if n_followed > LINKS_FOLLOWED {
                        return false;
                    }
                    is_absolute = next.content.starts_with(b"/");
                    way.extend(next.content.split(|b| *b == b'/').rev());
                }
            }
        }
    }
    is_absolute
}

/// As many as Linux follows before it gives up.
const LINKS_FOLLOWED: usize = 40;
