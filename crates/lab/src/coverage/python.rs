//! Python: a `sitecustomize` that notes which lines run, found through `PYTHONPATH`.
//!
//! Why not coverage.py? It would have to be installed for the very interpreter that runs the test, and tests that
//! use it themselves would get in its way. From Python 3.12 on the interpreter itself tells each line once, and
//! it costs next to nothing. A test that sets `PYTHONPATH` is met by programs called `python` in `PATH` that set
//! it again.

use super::collector::{Collector, Site, programs, quoted, said};
use nub_change::coverage::{self, Report};
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;

pub(super) struct Python;

impl Collector for Python {
    fn language(&self) -> &'static str {
        "Python"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["py"]
    }

    fn is_cheap(&self) -> bool {
        true
    }

    fn set_up(&self, site: &Site<'_>) -> Result<Vec<(OsString, OsString)>, String> {
        let is_python = |name: &str| {
            let version = name.strip_prefix("python");
            version.is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
        };
        let interpreters = programs(is_python);
        if interpreters.is_empty() {
            return Err("`python3` is not in PATH".into());
        }
        let preload = site.write("python/sitecustomize.py", include_str!("sitecustomize.py"))?;
        let folder = preload.parent().expect("it was written into a folder").to_path_buf();
        for (name, program) in interpreters {
            let (folder, program) = (quoted(&folder), quoted(&program));
            let script = format!(
                "PYTHONPATH={folder}${{PYTHONPATH:+:$PYTHONPATH}}\nexport PYTHONPATH\nexec {program} \"$@\"\n"
            );
            site.shim(&name, &script)?;
        }
        let mut path = folder.into_os_string();
        if let Some(before) = std::env::var_os("PYTHONPATH").filter(|before| !before.is_empty()) {
            path.push(":");
            path.push(before);
        }
        Ok(vec![
            ("PYTHONPATH".into(), path),
            ("NUB_COVERAGE_OUT".into(), site.data().join("python.info").into()),
            ("NUB_COVERAGE_ROOT".into(), site.workspace.into()),
        ])
    }

    fn gather(&self, site: &Site<'_>) -> Result<Report, String> {
        let path = site.data().join("python.info");
        match fs::read(&path) {
            Ok(bytes) => coverage::read(&bytes).map_err(|error| error.to_string()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Report::default()),
            Err(error) => Err(said(&path, &error)),
        }
    }
}
