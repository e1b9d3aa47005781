//! Go: `GOFLAGS` lets `go test` write a profile of all packages of the module.

use super::collector::{Collector, Site, program, said};
use nub_change::coverage::{self, Report};
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;

pub(super) struct Go;

impl Collector for Go {
    fn language(&self) -> &'static str {
        "Go"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["go"]
    }

    fn set_up(&self, site: &Site<'_>) -> Result<Vec<(OsString, OsString)>, String> {
        program("go").ok_or("`go` is not in PATH")?;
        let mut flags = std::env::var_os("GOFLAGS").unwrap_or_default();
        flags.push(" -cover -coverpkg=./... -coverprofile=");
        flags.push(site.data().join("go.out"));
        Ok(vec![("GOFLAGS".into(), flags)])
    }

    fn gather(&self, site: &Site<'_>) -> Result<Report, String> {
        let path = site.data().join("go.out");
        match fs::read(&path) {
            Ok(bytes) => coverage::read(&bytes).map_err(|error| error.to_string()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Report::default()),
            Err(error) => Err(said(&path, &error)),
        }
    }
}
