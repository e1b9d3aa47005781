//! What nub itself costs for each test: beside copying the tree, and in what a build has to do again.
//!
//! The first table is of a made tree of 5,000 files of which each test rewrites three. The second is of a real program
//! in C: each of its changed sources is taken back alone, and what `make` compiles is counted.

use crate::table::Table;
use nub_change::{Entry, Level, Patchwork, RelPath, Snapshot};
use nub_lab::pool::Pool;
use nub_lab::pool::local::{LocalPool, Manner, Setup};
use nub_lab::process::{Command, Convention, Guard, Program, Rule};
use nub_lab::version::PairSpec;
use nub_lab::version::archive::Limits;
use nub_lab::workspace::{Origin, Scratch, Workspace};
use nub_search::Config;
use std::cell::RefCell;
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What to measure.
#[derive(clap::Args)]
pub struct Args {
    /// Files in the tree
    #[arg(long, default_value_t = 5000)]
    files: usize,
    /// A folder with the trees `good` and `bad` of a program whose C sources are in `src`
    #[arg(long)]
    make: Option<PathBuf>,
    /// Write the tables to this file too
    #[arg(long)]
    out: Option<PathBuf>,
}

const TESTS: usize = 200;
const COPIES: usize = 5;
/// The most that nub may take for a test.
const ALLOWED: Duration = Duration::from_millis(15);

/// Measures and prints the tables.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let mut page = format!(
        "# What nub costs\n\n\
         Written by `cargo run --release -p nub-bench -- overhead --make DIR --out docs/measurements/overhead.md`.\n\n\
         ## For each test\n\n\
         A tree of {} files of 10 KB; each of {TESTS} tests differs from the one before in three files and runs \
         `touch a.o b.o c.o`. All but that command is nub's own: finding out what differs, rewriting it with times that \
         make sense to build tools, and starting, watching and clearing up after the command. At most {} ms were aimed \
         at. On a machine busy with other things the mean tells of those; the median and the least tell of nub.\n\n",
        args.files,
        ALLOWED.as_millis()
    );
    page += &per_test(args.files)?.to_string();
    if let Some(folder) = &args.make {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        page += &format!(
            "\n## What is built again\n\n\
             `{name}`: the sources that differ between its versions, each taken back alone in a workspace that was built, \
             and then put back. A source is to be compiled again, and nothing else.\n\n{}",
            rebuilt(folder)?
        );
    }
    if let Some(out) = &args.out {
        fs::create_dir_all(out.parent().unwrap_or(out))?;
        fs::write(out, &page)?;
    }
    print!("{page}");
    Ok(())
}

fn per_test(files: usize) -> Result<Table, Box<dyn Error>> {
    let (old, new) = (version(files, 1)?, version(files, 2)?);
    let patchwork = Arc::new(Patchwork::between(&old, &new));
    let changes = patchwork.full();
    let scratch = Scratch::new(&std::env::temp_dir())?;
    let test = Command::new(Program::Shell("touch a.o b.o c.o".into()), "");
    let setup = Setup {
        origin: Origin { patchwork: Arc::clone(&patchwork), along: None, clean: false },
        guard: Guard::this_executable()?,
        build: None,
        test,
        read_needs: None,
    };
    let own = Rc::new(RefCell::new(Vec::new()));
    let record = Rc::clone(&own);
    // Answers of equal trees are reused, so that a test needs a tree of its own: the same one never comes twice in a pool.
    let mut first = Vec::new();
    let manner = Manner::new(Rule::new(Convention::Bisect));
    let mut pool = LocalPool::new(setup, manner, 1, scratch.dir(), move |tested| {
        record.borrow_mut().push(tested.overhead);
    })?;
    for i in 0..TESTS {
        pool.keep(&[some(&changes, i)]);
        pool.next()?;
        if i == 0 {
            first = own.take();
        }
    }
    drop(pool);

    let dir = scratch.dir().join("moved");
    let mut workspace = Workspace::new(&dir, Origin { patchwork, along: None, clean: false }.into());
    workspace.move_to(&Config::empty())?;
    let mut moves = Vec::new();
    for i in 0..TESTS {
        moves.push(time(|| workspace.move_to(&some(&changes, i)))?);
    }
    let mut copies = Vec::new();
    for i in 0..COPIES {
        let copy = scratch.dir().join(format!("copy-{i}"));
        copies.push(time(|| copied(&dir, &copy))?);
    }
    let mut table = Table::new(["", "median ms", "least ms", "mean ms", "most ms"]);
    table.row(summary("nub, each test", &mut own.take()));
    table.row(summary("the workspace moves, alone", &mut moves));
    table.row(summary("nub, the first test of a worker", &mut first));
    table.row(summary("`cp -a` instead", &mut copies));
    Ok(table)
}

/// The i-th config: of the ten changes of each file those that are bits of the number, so that none comes twice.
fn some(changes: &Config, i: usize) -> Config {
    changes.iter().filter(|change| (i + 1) >> (change % 10) & 1 == 1).collect()
}

/// A tree whose files are alike in all versions, but for some lines of three.
fn version(files: usize, digit: u32) -> Result<Snapshot, Box<dyn Error>> {
    const LINES: usize = 250;
    let entry = |i: usize| {
        let differs = i.is_multiple_of(files / 3) && i < 3 * (files / 3);
        let line = |n: usize| match differs && n.is_multiple_of(25) {
            true => format!("a line of this version, number {n} of {digit}\n"),
            false => format!("a line of some length, number {n} of 0\n"),
        };
        Entry::file((0..LINES).map(line).collect::<String>().into_bytes())
    };
    (0..files).map(|i| Ok((RelPath::new(format!("src/part{}/file{i}.c", i / 40))?, entry(i)))).collect()
}

fn rebuilt(folder: &Path) -> Result<Table, Box<dyn Error>> {
    let said: Vec<OsString> = ["good", "bad"].map(|side| folder.join(side).into_os_string()).into();
    let pair = PairSpec::parse(Path::new("."), &said, None)?.load(Limits::default())?;
    let patchwork = Arc::new(Patchwork::between(&pair.old.tree, &pair.new.tree));
    let (full, files) = (patchwork.full(), patchwork.grouping(Level::File));
    let scratch = Scratch::new(&std::env::temp_dir())?;
    let dir = scratch.dir().join("workspace");
    let origin = Origin { patchwork: Arc::clone(&patchwork), along: None, clean: false };
    let mut workspace = Workspace::new(&dir, origin.into());
    workspace.move_to(&full)?;
    let mut table = Table::new(["taken back", "compiled", "seconds", "compiled when put back"]);
    let makefile = scratch.dir().join("makefile");
    fs::write(&makefile, MAKEFILE)?;
    let (all, seconds) = make(&makefile, &dir)?;
    table.row(["nothing, the first build".into(), format!("{} files", all.len()), seconds, String::new()]);
    for group in 0..files.len() as u32 {
        let changes: Config = files.changes(group).iter().copied().collect();
        let change = changes.iter().next().map(|change| &patchwork.changes()[change as usize]);
        let path = change.map(|change| change.path().to_string()).unwrap_or_default();
        if !path.ends_with(".c") {
            continue;
        }
        workspace.move_to(&full.minus(&changes))?;
        let (taken, seconds) = make(&makefile, &dir)?;
        workspace.move_to(&full)?;
        let (put, _) = make(&makefile, &dir)?;
        table.row([path, taken.join(" "), seconds, put.join(" ")]);
    }
    Ok(table)
}

/// Compiles each source of a folder that is newer than its object, or includes something that is.
const MAKEFILE: &str = "\
objects := $(patsubst %.c,%.o,$(wildcard *.c))
all: $(objects)
%.o: %.c; @echo $<; gcc -O0 -w -MMD -DLUA_USE_POSIX -I../_case -c -o $@ $<
-include $(objects:.o=.d)
";

/// Builds all objects and returns the sources that were compiled, and the time it took.
fn make(makefile: &Path, dir: &Path) -> Result<(Vec<String>, String), Box<dyn Error>> {
    let started = Instant::now();
    let output = std::process::Command::new("make")
        .args(["-s", "-k", "-C", "src", "-f"])
        .arg(makefile)
        .current_dir(dir)
        .output()?;
    let seconds = format!("{:.1}", started.elapsed().as_secs_f64());
    let compiled = String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect();
    Ok((compiled, seconds))
}

fn copied(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let done = std::process::Command::new("cp").arg("-a").args([from, to]).status()?;
    if done.success() { Ok(()) } else { Err(format!("cp -a: {done}").into()) }
}

fn time<T, E>(what: impl FnOnce() -> Result<T, E>) -> Result<Duration, E> {
    let started = Instant::now();
    what()?;
    Ok(started.elapsed())
}

fn summary(name: &str, times: &mut [Duration]) -> [String; 5] {
    times.sort();
    let mean = times.iter().sum::<Duration>() / times.len().max(1) as u32;
    let at = |i: usize| times.get(i).copied().unwrap_or_default();
    let ms = |time: Duration| format!("{:.1}", 1000.0 * time.as_secs_f64());
    [name.into(), ms(at(times.len() / 2)), ms(at(0)), ms(mean), ms(at(times.len().saturating_sub(1)))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_differs_from_the_one_before_in_three_files_and_none_comes_twice() {
        let patchwork = Patchwork::between(&version(9, 1).unwrap(), &version(9, 2).unwrap());
        assert_eq!(patchwork.grouping(Level::File).len(), 3);
        let configs: Vec<Config> = (0..TESTS).map(|i| some(&patchwork.full(), i)).collect();
        for pair in configs.windows(2) {
            let difference = patchwork.difference(&pair[0], &pair[1]);
            assert_eq!(difference.written.len(), 3, "{pair:?}");
        }
        let mut distinct = configs;
        distinct.sort_by_key(|config| config.iter().collect::<Vec<_>>());
        distinct.dedup();
        assert_eq!(distinct.len(), TESTS);
    }
}
