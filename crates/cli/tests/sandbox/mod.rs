//! A temporary folder in which `nub` is run, with a home of its own.

// Each test file uses its part of this.
#![allow(dead_code)]

#[path = "../../../lab/tests/sandbox/folder.rs"]
mod folder;

use folder::Folder;
use std::ops::Deref;
use std::path::PathBuf;
use std::process::{Command, Output};

pub struct Sandbox(Folder);

impl Deref for Sandbox {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.0
    }
}

/// What a run of `nub` left: the exit code, stdout and stderr.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Sandbox {
    pub fn new() -> Sandbox {
        Sandbox(Folder::empty())
    }

    /// A repository with two tagged commits: since `v2`, `add.sh` adds wrongly and speaks louder.
    pub fn with_regression() -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.init();
        sandbox.write("add.sh", "# Adds.\necho $(($1 + $2))\n");
        sandbox.write("say.sh", "echo hello\n");
        sandbox.write("README", "An adder\n");
        sandbox.commit("v1");
        sandbox.write("add.sh", "# Adds two numbers.\necho $(($1 - $2))\n");
        sandbox.write("say.sh", "echo HELLO\n");
        sandbox.write("README", "An adder of two numbers\n");
        sandbox.commit("v2");
        sandbox
    }

    pub fn path(&self) -> PathBuf {
        self.root()
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap()
    }

    /// The command `nub` with these arguments, not started yet.
    pub fn command(&self, folder: &str, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nub"));
        command
            .args(args)
            .current_dir(self.path().join(folder))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CEILING_DIRECTORIES", self.path().parent().unwrap())
            .env("XDG_STATE_HOME", self.path().join(".git/state"))
            .env_remove("RUST_BACKTRACE");
        command
    }

    pub fn nub_in(&self, folder: &str, args: &[&str]) -> Ran {
        self.ran(self.command(folder, args).output().unwrap())
    }

    pub fn nub(&self, args: &[&str]) -> Ran {
        self.nub_in("", args)
    }

    pub fn ran(&self, output: Output) -> Ran {
        let root = self.path();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(root.to_str().unwrap(), "$");
        Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Ran {
    /// The exit code and stderr as one text; nothing may be on stdout.
    pub fn refusal(&self) -> String {
        assert_eq!(self.stdout, "");
        format!("{}exit code {}\n", self.stderr, self.code.unwrap())
    }
}

/// The text with times as `_ s`, which differ from run to run.
pub fn timeless(text: &str) -> String {
    let time = regex::Regex::new(r"\b[0-9]+(\.[0-9]+)? (s|min [0-9]+ s)\b").unwrap();
    time.replace_all(text, "_ s").into_owned()
}
