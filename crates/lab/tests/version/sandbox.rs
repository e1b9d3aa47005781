//! A temporary folder to build repositories, directories and archives in.

use folder::Folder;
use nub_lab::version::archive::Limits;
use nub_lab::version::{Pair, PairSpec, VersionError};
use nub_lab::version::{RelPath, Snapshot};
use std::error::Error;
use std::ffi::OsString;
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[path = "../sandbox/folder.rs"]
mod folder;

pub struct Sandbox(Folder);

impl Deref for Sandbox {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.0
    }
}

impl Sandbox {
    /// An empty folder.
    pub fn empty() -> Sandbox {
        Sandbox(Folder::empty())
    }

    /// A repository in the folder `repo`, without commits.
    pub fn repository() -> Sandbox {
        let mut sandbox = Sandbox::empty();
        sandbox.0.here.push("repo");
        std::fs::create_dir(&sandbox.here).unwrap();
        sandbox.init();
        sandbox
    }

    /// A repository with one commit that has `a.txt`, tagged `v1`.
    pub fn with_commit() -> Sandbox {
        let sandbox = Sandbox::repository();
        sandbox.write("a.txt", "one\ntwo\nthree\n");
        sandbox.commit("v1");
        sandbox
    }

    /// The same sandbox, seen from another folder.
    pub fn from(mut self, folder: &str) -> Sandbox {
        self.0.here = self.here.join(folder).canonicalize().unwrap();
        self
    }

    pub fn make_executable(&self, path: &str) {
        std::fs::set_permissions(self.here.join(path), std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub fn link(&self, path: &str, target: &str) {
        std::os::unix::fs::symlink(target, self.here.join(path)).unwrap();
    }

    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.here.join(path)).unwrap();
    }

    pub fn pair(&self, said: &[&str]) -> Result<Pair, VersionError> {
        let said: Vec<OsString> = said.iter().map(OsString::from).collect();
        PairSpec::parse(&self.here, &said, None)?.load(Limits::default())
    }

    pub fn patched(&self, said: &[&str], patch: &str) -> Result<Pair, VersionError> {
        let said: Vec<OsString> = said.iter().map(OsString::from).collect();
        PairSpec::parse(&self.here, &said, Some(Path::new(patch)))?.load(Limits::default())
    }

    /// The message of an error with its causes, with the sandbox's folder as `$`.
    pub fn message<T>(&self, result: Result<T, VersionError>) -> String {
        let Err(error) = result else { panic!("no error") };
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            message += &format!(": {error}");
            cause = error.source();
        }
        message.replace(self.root().to_str().unwrap(), "$")
    }

    /// The error of [`Sandbox::pair`].
    pub fn refusal(&self, said: &[&str]) -> String {
        self.message(self.pair(said))
    }
}

/// The pair's trees, one line an entry.
pub fn check(pair: &Pair, old: &str, new: &str) {
    let lines =
        |text: &str| text.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(format!("{:?}", pair.old.tree).trim_end(), lines(old), "old");
    assert_eq!(format!("{:?}", pair.new.tree).trim_end(), lines(new), "new");
}

/// The paths of a tree.
pub fn paths(tree: &Snapshot) -> Vec<String> {
    tree.paths().map(RelPath::to_string).collect()
}
