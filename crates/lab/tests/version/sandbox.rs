//! A temporary folder to build repositories, directories and archives in.

use nub_lab::version::archive::Limits;
use nub_lab::version::{Pair, PairSpec, VersionError};
use nub_lab::version::{RelPath, Snapshot};
use std::error::Error;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Sandbox {
    folder: tempfile::TempDir,
    /// Where commands run and versions are named from.
    pub here: PathBuf,
}

impl Sandbox {
    /// An empty folder.
    pub fn empty() -> Sandbox {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().canonicalize().unwrap();
        Sandbox { folder, here }
    }

    /// A repository in the folder `repo`, without commits.
    pub fn repository() -> Sandbox {
        let mut sandbox = Sandbox::empty();
        sandbox.here.push("repo");
        std::fs::create_dir(&sandbox.here).unwrap();
        sandbox.git("init -q -b main .");
        sandbox.git("config user.name nobody");
        sandbox.git("config user.email nobody@example.org");
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
        self.here = self.here.join(folder).canonicalize().unwrap();
        self
    }

    /// The sandbox's own folder.
    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub fn write(&self, path: impl Into<Vec<u8>>, content: impl AsRef<[u8]>) {
        let path = self.here.join(OsString::from_vec(path.into()));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
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

    /// Runs git with words that have no spaces in them.
    pub fn git(&self, words: &str) -> String {
        self.run("git", &words.split_whitespace().collect::<Vec<_>>())
    }

    pub fn run(&self, program: &str, args: &[&str]) -> String {
        let output = Command::new(program)
            .args(args)
            .current_dir(&self.here)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {args:?}: {said}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Commits everything and tags it.
    pub fn commit(&self, tag: &str) {
        self.git("add -A");
        self.git(&format!("commit -q -m {tag}"));
        self.git(&format!("tag {tag}"));
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
