//! C and C++: programs called like compilers in `PATH` that add `--coverage`, and gcov to read the counts.
//!
//! Counts are written when a program exits; one that crashes would leave none, and crashes are what people look
//! for. So a small object is linked into every program that has them written on its way down (`flush.c`).

use super::collector::{Collector, Site, files_below, has_ending, program, programs, quoted, said};
use nub_change::coverage::{self, Report};
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
        if readers().is_empty() {
            return Err("neither `gcov` nor `llvm-cov` is in PATH".into());
        }
        let source = site.write("cc/flush.c", include_str!("flush.c"))?;
        for (name, compiler) in compilers {
            // Each compiler links with a runtime of its own.
            let object = site.scratch.join("cc").join(format!("{name}.o"));
            let words = [compiler.as_os_str(), "-x".as_ref(), "c".as_ref(), "-fPIC".as_ref(), "-c".as_ref()];
            let words = words.into_iter().chain([source.as_os_str(), "-o".as_ref(), object.as_os_str()]);
            site.run(words.map(Into::into).collect())?;
            site.shim(&name, &script(&compiler, &object))?;
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
        for reader in readers() {
            match read(site, &reader, &notes) {
                Ok(report) if !report.is_empty() => return Ok(report),
                Ok(_) => failure = format!("`{}` says nothing of any file", reader.join(" ")),
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

/// Compiles and links as the compiler does, and lets the program count which lines run.
fn script(compiler: &Path, object: &Path) -> String {
    let (compiler, object) = (quoted(compiler), quoted(object));
    format!(
        "link=no\n\
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

/// The ways to read counts, most likely first: those of gcc, by version, and that of LLVM.
fn readers() -> Vec<Vec<String>> {
    let json = |name: String| vec![name, "--json-format".into(), "--stdout".into()];
    let mut versions = programs(|name| name.strip_prefix("gcov-").is_some_and(|v| v.parse::<u32>().is_ok()));
    versions.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    let plain = program("gcov").map(|_| "gcov".to_owned());
    let gcov = plain.into_iter().chain(versions.into_iter().map(|(name, _)| name)).map(json);
    let llvm = program("llvm-cov").map(|_| ["llvm-cov", "gcov", "--stdout"].map(str::to_owned).to_vec());
    gcov.chain(llvm).collect()
}

fn read(site: &Site<'_>, reader: &[String], notes: &[PathBuf]) -> Result<Report, String> {
    let mut report = Report::default();
    for batch in notes.chunks(BATCH) {
        let words =
            reader.iter().map(OsString::from).chain(batch.iter().map(|path| path.clone().into_os_string()));
        let printed = site.run(words.collect())?;
        match coverage::read(&printed) {
            Ok(read) => report.join(read),
            Err(coverage::ReadError::Empty { .. }) => {}
            Err(error) => return Err(format!("what `{}` printed cannot be read: {error}", reader.join(" "))),
        }
    }
    Ok(report)
}
