//! Asking the `git` program, in such a way that it changes nothing.

use super::{GitError, Repository, Surroundings, text};
use std::io::Write;
use std::process::{Command, Output, Stdio};

const NO_FILE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// Settings that make the LFS filter a filter that does nothing.
const NO_LFS: [&str; 8] = [
    "-c",
    "filter.lfs.process=",
    "-c",
    "filter.lfs.smudge=",
    "-c",
    "filter.lfs.clean=",
    "-c",
    "filter.lfs.required=false",
];

impl Repository {
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        if self.surroundings == Surroundings::Ours {
            let ours = std::env::vars_os().map(|(name, _)| name);
            ours.filter(|name| name.as_encoded_bytes().starts_with(b"GIT_")).for_each(|name| {
                command.env_remove(name);
            });
            command.env("GIT_CONFIG_GLOBAL", NO_FILE).env("GIT_CONFIG_NOSYSTEM", "1");
        }
        command
            .current_dir(&self.dir)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .args(["--no-pager", "-c", "core.fsmonitor=false"])
            .args(NO_LFS)
            .args(args)
            .stdin(Stdio::null());
        command
    }

    pub(in crate::version) fn output(&self, args: &[&str]) -> Result<Output, GitError> {
        self.command(args).output().map_err(GitError::NoGit)
    }

    pub(in crate::version) fn run(&self, args: &[&str]) -> Result<Vec<u8>, GitError> {
        succeeded(args, self.output(args)?)
    }

    /// Runs git with this on its standard input.
    pub(in crate::version) fn run_with(&self, args: &[&str], input: &[u8]) -> Result<Vec<u8>, GitError> {
        succeeded(args, self.output_with(args, input)?)
    }

    pub(in crate::version) fn output_with(&self, args: &[&str], input: &[u8]) -> Result<Output, GitError> {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(GitError::NoGit)?;
        let mut stdin = child.stdin.take().expect("stdin is piped");
        std::thread::scope(|scope| {
            // Git may answer before it has read everything; if it ends early, its exit status says so.
            scope.spawn(move || stdin.write_all(input).is_ok());
            child.wait_with_output()
        })
        .map_err(GitError::NoGit)
    }

    pub(super) fn line(&self, args: &[&str]) -> Result<Vec<u8>, GitError> {
        let mut line = self.run(args)?;
        line.pop_if(|last| *last == b'\n');
        Ok(line)
    }
}

/// What git printed when it failed.
pub(super) fn words(output: &Output) -> String {
    text(&output.stderr)
}

pub(super) fn failed(args: &[&str], said: String) -> GitError {
    GitError::Failed { command: args.first().copied().unwrap_or_default().into(), said }
}

fn succeeded(args: &[&str], output: Output) -> Result<Vec<u8>, GitError> {
    if output.status.success() { Ok(output.stdout) } else { Err(failed(args, words(&output))) }
}
