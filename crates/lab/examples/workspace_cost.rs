//! What nub itself costs per test, beside copying the tree: `cargo run --release --example workspace_cost
//! [FILES]`.
//!
//! The tree has 5,000 files of 10 KB unless told otherwise; each test differs from the last in three of them,
//! and touches three products.

use nub_change::{Entry, Patchwork, RelPath, Snapshot};
use nub_lab::process::{Cancel, Command, Guard, Program};
use nub_lab::workspace::{Origin, Scratch, Workspace};
use nub_search::Config;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const TESTS: usize = 200;
const COPIES: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    Guard::serve();
    let files: usize = std::env::args().nth(1).map_or(Ok(5000), |number| number.parse())?;
    let (old, new) = (version(files, 1)?, version(files, 2)?);
    let patchwork = Arc::new(Patchwork::between(&old, &new));
    let scratch = Scratch::new(&std::env::temp_dir())?;
    let dir = scratch.dir().join("workspace");
    let mut workspace = Workspace::new(&dir, Origin { patchwork, along: None, clean: false }.into());

    let made = time(|| workspace.move_to(&Config::empty()))?;
    println!("{files} files: made in {made:.1?}");

    let guard = Guard::this_executable()?;
    let cancel = Cancel::new()?;
    let test = Command::new(Program::Shell("touch a.o b.o c.o".into()), &dir);
    let (mut moves, mut guarded) = (Vec::new(), Vec::new());
    for i in 0..TESTS {
        let config = if i % 2 == 0 { Config::full(3) } else { Config::empty() };
        moves.push(time(|| workspace.move_to(&config))?);
        let mut inside = Duration::ZERO;
        let whole = time(|| guard.run(&test, &cancel).map(|finished| inside = finished.wall))?;
        guarded.push(whole.saturating_sub(inside));
    }
    println!("move by three files:      {}", summary(&mut moves));
    println!("guard around the command: {}", summary(&mut guarded));

    let mut copies = Vec::new();
    for i in 0..COPIES {
        let copy = scratch.dir().join(format!("copy-{i}"));
        copies.push(time(|| cp(&dir, &copy))?);
    }
    println!("cp -a:                    {}", summary(&mut copies));
    Ok(())
}

/// A tree whose files are alike in all versions, but for one line in each of three.
fn version(files: usize, digit: u32) -> Result<Snapshot, Box<dyn Error>> {
    let text: String = (0..250).map(|i| format!("a line of some length, number {i}\n")).collect();
    let entry = |i: usize| {
        let last = if i.is_multiple_of(files / 3) && i < 3 * (files / 3) { digit } else { 0 };
        Entry::file(format!("{text}{i} {last}\n").into_bytes())
    };
    (0..files).map(|i| Ok((RelPath::new(format!("src/part{}/file{i}.c", i / 40))?, entry(i)))).collect()
}

fn cp(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let done = std::process::Command::new("cp").arg("-a").args([from, to]).status()?;
    if done.success() { Ok(()) } else { Err(format!("cp -a: {done}").into()) }
}

fn time<T, E>(what: impl FnOnce() -> Result<T, E>) -> Result<Duration, E> {
    let started = Instant::now();
    what()?;
    Ok(started.elapsed())
}

/// On a machine busy with other things the mean tells of those, the quartiles of us.
fn summary(times: &mut [Duration]) -> String {
    times.sort();
    let mean = times.iter().sum::<Duration>() / times.len() as u32;
    let [least, half, most] = [0, times.len() / 2, times.len() - 1].map(|i| times[i]);
    format!("median {half:.1?}, least {least:.1?}, mean {mean:.1?}, most {most:.1?}")
}
