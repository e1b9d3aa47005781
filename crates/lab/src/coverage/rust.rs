//! Rust: `-Cinstrument-coverage` through `RUSTFLAGS`, and LLVM's tools that come with the toolchain.

use super::collector::{Collector, Site, files_below, has_ending};
use nub_change::coverage::{self, Report};
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

pub(super) struct Rust;

impl Collector for Rust {
    fn language(&self) -> &'static str {
        "Rust"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["rs"]
    }

    fn set_up(&self, site: &Site<'_>) -> Result<Vec<(OsString, OsString)>, String> {
        tool(site, "llvm-profdata")?;
        let mut flags = std::env::var_os("RUSTFLAGS").unwrap_or_default();
        flags.push(" -Cinstrument-coverage");
        Ok(vec![
            ("RUSTFLAGS".into(), flags),
            ("LLVM_PROFILE_FILE".into(), site.data().join("rust/%p-%m.profraw").into()),
        ])
    }

    fn gather(&self, site: &Site<'_>) -> Result<Report, String> {
        let raw = files_below(&site.data().join("rust"), &mut |path| has_ending(path, "profraw"));
        if raw.is_empty() {
            return Ok(Report::default());
        }
        let merged = site.data().join("rust/all.profdata");
        let words = [tool(site, "llvm-profdata")?.into(), "merge".into(), "-sparse".into()].into_iter();
        let words = words.chain(raw.into_iter().map(PathBuf::into_os_string));
        site.run(words.chain(["-o".into(), merged.clone().into()]).collect())?;

        let mut profile = OsString::from("--instr-profile=");
        profile.push(&merged);
        let words = [tool(site, "llvm-cov")?.into(), "export".into(), "--skip-functions".into(), profile];
        let objects = files_below(site.workspace, &mut is_program).into_iter();
        let objects = objects.flat_map(|object| ["--object".into(), object.into_os_string()]);
        let printed = site.run(words.into_iter().chain(objects).collect())?;
        coverage::read(&printed).map_err(|error| error.to_string())
    }
}

/// A tool of the toolchain in use.
fn tool(site: &Site<'_>, name: &str) -> Result<PathBuf, String> {
    let sysroot = site.run(["rustc", "--print", "sysroot"].map(OsString::from).to_vec())?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&sysroot).trim());
    let found =
        files_below(&sysroot.join("lib/rustlib"), &mut |path| path.ends_with(Path::new("bin").join(name)));
    let missing = || format!("the toolchain has no `{name}`; `rustup component add llvm-tools` adds it");
    found.into_iter().next().ok_or_else(missing)
}

/// Whether a file is a program or a library that the system can load.
fn is_program(path: &Path) -> bool {
    let is_executable = fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o111 != 0);
    let mut magic = [0; 4];
    is_executable
        && fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
        && magic == *b"\x7fELF"
}
