//! The peer `commit-delta` (PyPI): files, then hunks, of a dirty tree against HEAD.
//!
//! HEAD is the good version and the dirty tree the bad one, because it looks for what makes a test fail.

use super::Args;
use super::case::Case;
use super::outcome::Outcome;
use nub_change::changed_tokens;
use nub_lab::process::{Cancel, Command, Guard, Program, Status};
use serde::Deserialize;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub const NAME: &str = "commit-delta";
const RELEASE: &str = "commit-delta==0.1.0";

/// The part of its JSON that is of interest.
#[derive(Deserialize)]
struct Said {
    one_minimal: bool,
    stats: Stats,
    patch: String,
}

#[derive(Deserialize)]
struct Stats {
    input_hunks: usize,
    output_hunks: usize,
    output_lines: usize,
    cache_hits: usize,
    pass: usize,
    fail: usize,
    unresolved: usize,
}

/// Runs it on a case.
pub fn run(case: &Case, args: &Args, limit: Option<Duration>) -> Result<Outcome, Box<dyn Error>> {
    let home = std::path::absolute(args.cache.join("peers"))?;
    let program = install(&home.join("venv"))?;
    let folder = home.join(&case.name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let [good, bad] = ["good", "bad"].map(|side| quoted(&case.folder.join(side)));
    shell(
        &format!(
            "cp -a {good} repo && cd repo && rm -rf .git && git init -q && git add -Af . && \
             git -c user.name=nobody -c user.email=nobody@example.org commit -qm good && \
             find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {{}} + && cp -a {bad}/. ."
        ),
        &folder,
        None,
    )?;
    let line = format!(
        "{} --timeout 3600s --json ../said.json --output ../said.patch -- sh -c {}",
        quoted(&program),
        quote(&case.line())
    );
    let started = Instant::now();
    let status = shell(&line, &folder.join("repo"), limit)?;
    let seconds = started.elapsed().as_secs_f64();
    let text = fs::read_to_string(folder.join("said.json"));
    let Ok(text) = text else {
        let why =
            if status == Status::TimedOut { "not ended in time".into() } else { format!("it {status}") };
        return Err(why.into());
    };
    let Said { one_minimal, stats, patch } = serde_json::from_str(&text)?;
    let needed = stats.pass + stats.fail + stats.unresolved;
    // Its patches have no context, which `git apply` takes only when told.
    let flips = case.passes_with("good", patch.as_bytes(), &["--unidiff-zero"], &folder)? == Some(false);
    fs::remove_dir_all(folder.join("repo"))?;
    Ok(Outcome {
        case: case.name.clone(),
        way: NAME.to_owned(),
        has_build: !case.record.build.is_empty(),
        changes: stats.input_hunks,
        finished: true,
        one_minimal,
        flips,
        culprit: case.has_culprit(patch.as_bytes()),
        needed,
        built: needed - stats.unresolved,
        memo: stats.cache_hits,
        run: needed,
        left: stats.output_hunks,
        lines: stats.output_lines,
        tokens: changed_tokens(patch.as_bytes()),
        seconds,
        ..Outcome::default()
    })
}

/// The program, installed in an environment of its own.
fn install(venv: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let program = venv.join("bin").join(NAME);
    if !program.exists() {
        fs::create_dir_all(venv)?;
        shell(&format!("python3 -m venv . && bin/pip install -q {RELEASE}"), venv, None)?;
    }
    match program.exists() {
        true => Ok(program),
        false => Err(format!("failed to install {RELEASE}").into()),
    }
}

/// Runs a line under our guard, so that nothing of it stays when its time is up.
fn shell(line: &str, dir: &Path, limit: Option<Duration>) -> Result<Status, Box<dyn Error>> {
    let command = Command { timeout: limit, ..Command::new(Program::Shell(line.to_owned()), dir) };
    let finished = Guard::this_executable()?.run(&command, &Cancel::new()?)?;
    if finished.status != Status::Exit(0) {
        eprintln!("{line}: {}\n{}", finished.status, finished.output.text());
    }
    Ok(finished.status)
}

fn quoted(path: &Path) -> String {
    quote(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).to_string_lossy())
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
