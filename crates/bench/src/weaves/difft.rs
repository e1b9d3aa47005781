//! What `difft` (difftastic) takes for files that were compared by syntax here too.
//!
//! Its JSON is the output with the least to draw. It runs with one thread, as everything here does, and is measured
//! by the processor time of its process. A file that is too large for it, it compares by lines; how many it did so
//! is counted, because that is another task.

use nub_change::{RelPath, Snapshot};
use nub_syntax::Language;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What it took.
pub struct Taken {
    pub seconds: f64,
    pub megabytes: usize,
    /// Files it compared by lines.
    pub by_lines: usize,
}

/// The files of known languages that are in both versions and differ.
pub fn differing(versions: [&Snapshot; 2]) -> [Snapshot; 2] {
    let [old, new] = versions;
    let is_known = |path: &RelPath| {
        std::str::from_utf8(path.as_bytes()).is_ok_and(|path| Language::of_path(path).is_some())
    };
    let paths: Vec<&RelPath> = old
        .iter()
        .filter(|(path, entry)| is_known(path) && new.get(path).is_some_and(|other| other != *entry))
        .map(|(path, _)| path)
        .collect();
    [old, new].map(|version| {
        let entries = paths.iter().filter_map(|&path| Some((path.clone(), version.get(path)?.clone())));
        entries.collect()
    })
}

/// Runs `difft` on two versions.
pub fn run(program: &Path, versions: [&Snapshot; 2]) -> io::Result<Taken> {
    let folder = std::env::temp_dir().join(format!("nub-bench-difft-{}", std::process::id()));
    let sides = ["old", "new"].map(|side| folder.join(side));
    for (version, side) in versions.into_iter().zip(&sides) {
        for (path, entry) in version.iter() {
            let file = side.join(path.to_string());
            fs::create_dir_all(file.parent().unwrap_or(side))?;
            fs::write(file, &entry.content)?;
        }
    }
    let said = folder.join("said.json");
    let before = waited_seconds();
    let mut child = Command::new(program)
        .args(["--display", "json"])
        .args(&sides)
        .env("DFT_UNSTABLE", "yes")
        .env("RAYON_NUM_THREADS", "1")
        .stdin(Stdio::null())
        .stdout(File::create(&said)?)
        .stderr(Stdio::null())
        .spawn()?;
    let mut megabytes = 0;
    while child.try_wait()?.is_none() {
        megabytes = megabytes.max(super::peak_megabytes(&child.id().to_string()));
        std::thread::sleep(Duration::from_millis(5));
    }
    let seconds = waited_seconds() - before;
    let by_lines = String::from_utf8_lossy(&fs::read(&said)?).matches("exceeded DFT_").count();
    fs::remove_dir_all(&folder)?;
    Ok(Taken { seconds, megabytes, by_lines })
}

/// How long the processes that this one has waited for were computing, to a hundredth.
fn waited_seconds() -> f64 {
    let said = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program comes first and may hold blanks; it ends with the last bracket.
    let fields: Vec<&str> = said.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(13) + ticks(14)) / 100.0
}
