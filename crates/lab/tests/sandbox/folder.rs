//! A temporary folder that may be a repository; shared with the tests of the command line.

// Each test file uses its part of this.
#![allow(dead_code)]

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::Command;

pub struct Folder {
    folder: tempfile::TempDir,
    /// Where commands run and versions are named from.
    pub here: PathBuf,
}

impl Folder {
    /// An empty folder.
    pub fn empty() -> Folder {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().canonicalize().unwrap();
        Folder { folder, here }
    }

    /// The folder itself, wherever commands run.
    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub fn write(&self, path: impl Into<Vec<u8>>, content: impl AsRef<[u8]>) {
        let path = self.here.join(OsString::from_vec(path.into()));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Begins a repository.
    pub fn init(&self) {
        self.git("init -q -b main .");
        self.git("config user.name nobody");
        self.git("config user.email nobody@example.org");
    }

    /// Commits everything and tags it; all commits are of the same time, so that none is the latest.
    pub fn commit(&self, tag: &str) {
        self.git("add -A");
        self.git(&format!("commit -q -m {tag}"));
        self.git(&format!("tag {tag}"));
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
            .env("GIT_COMMITTER_DATE", "2024-02-29T12:00:00Z")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {args:?}: {said}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }
}
