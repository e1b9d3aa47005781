//! C and C++: programs called like compilers in `PATH` that add `--coverage`, and gcov to read the counts.
//!
//! Counts are written when a program exits; one that crashes would leave none, and crashes are what people look
//! for. So a small object is linked into every program that has them written on its way down (`flush.c`).

use super::collector::{Collector, Site, files_below, has_ending, program, programs, quoted, said};
use nub_change::coverage::{self, Marks, ReadError, Report};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

pub(super) struct Cc;

/// As many files as gcov is given at a time.
const BATCH: usize = 200;

impl Collector for Cc {
    fn language(&self) -> &'static str {
        "C and C++"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["c", "h", "cc", "hh", "cpp", "hpp", "cxx", "hxx", "c++", "C", "H"]
    }

    fn silent_functions(&self) -> &'static [&'static str] {
        &["c", "cc", "cpp", "cxx", "c++", "C"]
    }

    fn set_up(&self, site: &Site<'_>) -> Result<Vec<(OsString, OsString)>, String> {
        let compilers = programs(is_compiler);
        if compilers.is_empty() {
            return Err("no C compiler (`cc`, `gcc`, `clang`) is in PATH".into());
        }
        if Reader::all().is_empty() {
            return Err("neither `gcov` nor `llvm-cov` is in PATH".into());
        }
        let source = site.write("cc/flush.c", include_str!("flush.c"))?;
        for (name, compiler) in compilers {
            // Each compiler links with a runtime of its own.
            let object = site.scratch.join("cc").join(format!("{name}.o"));
            let words = [compiler.as_os_str(), "-x".as_ref(), "c".as_ref(), "-fPIC".as_ref(), "-c".as_ref()];
            let words = words.into_iter().chain([source.as_os_str(), "-o".as_ref(), object.as_os_str()]);
            site.run(words.map(Into::into).collect())?;
            site.shim(&name, &script(&compiler, &object, &folders(site)))?;
        }
        Ok(Vec::new())
    }

    fn gather(&self, site: &Site<'_>) -> Result<Report, String> {
        let counts = files_below(site.workspace, &mut |path| has_ending(path, "gcda"));
        if counts.is_empty() {
            return Ok(Report::default());
        }
        // What was compiled and has no counts belongs to programs that did not run.
        let notes = files_below(site.workspace, &mut |path| has_ending(path, "gcno"));
        let mut failure = String::new();
        for reader in Reader::all() {
            match reader.read(site, &notes) {
                Ok(report) if !report.is_empty() => return Ok(report),
                Ok(_) => failure = format!("`{}` says nothing of any file", reader.words.join(" ")),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    fn clear(&self, site: &Site<'_>) -> Result<(), String> {
        let counts = files_below(site.workspace, &mut |path| has_ending(path, "gcda"));
        counts.iter().try_for_each(|path| fs::remove_file(path).map_err(|error| said(path, &error)))
    }
}

/// Whether a name is that of a compiler, with or without a version.
fn is_compiler(name: &str) -> bool {
    let (stem, version) = name.rsplit_once('-').unwrap_or((name, ""));
    ["cc", "c++", "gcc", "g++", "clang", "clang++"].contains(&stem)
        && version.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// The file in which compilers note where they were called.
fn folders(site: &Site<'_>) -> PathBuf {
    site.scratch.join("cc/folders")
}

/// Compiles and links as the compiler does, and lets the program count which lines run.
fn script(compiler: &Path, object: &Path, folders: &Path) -> String {
    let (compiler, object, folders) = (quoted(compiler), quoted(object), quoted(folders));
    format!(
        "pwd >>{folders}\n\
         link=no\n\
         for word; do\n\
         \x20   case $word in\n\
         \x20   -c | -S | -E | -M | -MM | -fsyntax-only | -r | --version) exec {compiler} \"$@\" --coverage ;;\n\
         \x20   -*) ;;\n\
         \x20   *) link=yes ;;\n\
         \x20   esac\n\
         done\n\
         [ $link = no ] && exec {compiler} \"$@\"\n\
         exec {compiler} \"$@\" {object} --coverage\n"
    )
}

/// A tool that reads counts.
struct Reader {
    words: Vec<String>,
    /// Whether it must be called where the compiler was, and gives paths from there.
    by_folder: bool,
}

impl Reader {
    /// All there are, the likeliest first: gcc's by version, then LLVM's.
    fn all() -> Vec<Reader> {
        let is_version = |name: &str| name.strip_prefix("gcov-").is_some_and(|v| v.parse::<u32>().is_ok());
        let mut gcov: Vec<String> = programs(is_version).into_iter().map(|(name, _)| name).collect();
        gcov.sort_by_key(|name| std::cmp::Reverse(name.len()));
        gcov.splice(0..0, program("gcov").map(|_| "gcov".to_owned()));
        let json = |name: String| vec![name, "--json-format".into(), "--stdout".into()];
        let gcov = gcov.into_iter().map(|name| Reader { words: json(name), by_folder: false });
        let words = || ["llvm-cov", "gcov", "--stdout"].map(str::to_owned).to_vec();
        let llvm = program("llvm-cov").map(|_| Reader { words: words(), by_folder: true });
        gcov.chain(llvm).collect()
    }

    fn read(&self, site: &Site<'_>, notes: &[PathBuf]) -> Result<Report, String> {
        if !self.by_folder {
            return self.read_in(site, site.scratch, notes);
        }
        let noted = fs::read_to_string(folders(site)).unwrap_or_default();
        let noted: BTreeSet<&Path> = noted.lines().map(Path::new).collect();
        let mut report = Report::default();
        for folder in noted {
            let mut read = self.read_in(site, folder, notes)?;
            for file in &mut read.files {
                file.path = folder.join(&file.path).display().to_string();
            }
            report.join(read);
        }
        Ok(report)
    }

    fn read_in(&self, site: &Site<'_>, folder: &Path, notes: &[PathBuf]) -> Result<Report, String> {
        let mut report = Report::default();
        for batch in notes.chunks(BATCH) {
            let words = self.words.iter().map(OsString::from);
            let words = words.chain(batch.iter().map(|path| path.clone().into_os_string()));
            match coverage::read(&site.run_in(folder, words.collect())?) {
                Ok(read) => report.join(read),
                Err(ReadError::Empty { .. }) => {}
                Err(error) => {
                    return Err(format!("what `{}` printed cannot be read: {error}", self.words[0]));
                }
            }
        }
        // A source that is not found from here shows no line.
        report.files.retain(|file| !matches!(&file.marks, Marks::Lines(lines) if lines.is_empty()));
        Ok(report)
    }
}
