//! Where inputs are tested: worker threads, each test in a fresh folder of its own.
//!
//! ```text
//!   keep ──> queue ──> worker: fresh folder, write the files, run the test, read its end, clear the folder
//! ```
//!
//! Why not the workspaces of `isolate`? Those keep what a build left for the next build. An interestingness test
//! expects a folder with the input and nothing else, and pays nothing for one.

use super::property::{Property, Symptom};
use super::rendering::{Rendering, digest};
use super::room::Room;
use crate::pool::{Pool, PoolError};
use crate::process::{Cancel, Command, Finished, Guard, ProcessError, Program, Status, git_ceiling};
use crate::workspace::{Digest, Scratch};
use nub_change::{EntryKind, RelPath, Snapshot};
use nub_search::{Answer, Config, Outcome};
use std::collections::{HashMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How an input is tested.
pub(super) struct Setup {
    pub(super) guard: Guard,
    pub(super) test: Test,
    pub(super) property: Property,
    /// The longest a test may take.
    pub(super) timeout: Option<Duration>,
    pub(super) memory: Option<u64>,
    /// The symptom that an interesting input must show.
    pub(super) symptom: Option<Symptom>,
    /// How often a test that says no is asked again.
    pub(super) repeats: u32,
}

/// The command of a test.
#[derive(Clone, Debug)]
pub enum Test {
    /// A program with its arguments; the paths of the input come after them.
    Script(Vec<OsString>),
    /// A program with its arguments, or a line for sh; `@@` in it stands for the path of the input.
    Command(Program),
}

impl Test {
    /// The scripts it runs, as they are now: answers hold only as long as they stay.
    pub fn scripts(&self) -> Vec<Vec<u8>> {
        match self {
            Test::Script(words) => words.iter().filter_map(|word| fs::read(word).ok()).collect(),
            Test::Command(_) => Vec::new(),
        }
    }

    /// The command for an input at these paths.
    fn program(&self, paths: &[PathBuf]) -> Program {
        let main = paths.first().map_or_else(OsString::new, |path| path.clone().into_os_string());
        match self {
            Test::Script(words) => {
                let paths = paths.iter().map(|path| path.clone().into_os_string());
                Program::Direct(words.iter().cloned().chain(paths).collect())
            }
            Test::Command(Program::Shell(line)) => {
                Program::Shell(line.replace("@@", &main.to_string_lossy()))
            }
            Test::Command(Program::Direct(words)) => {
                let put = |word: &OsString| match word.to_str().filter(|word| word.contains("@@")) {
                    Some(text) => text.replace("@@", &main.to_string_lossy()).into(),
                    None => word.clone(),
                };
                Program::Direct(words.iter().map(put).collect())
            }
        }
    }
}

/// How one input went.
#[derive(Clone, Debug)]
pub(super) struct Tested {
    pub(super) answer: Answer,
    pub(super) finished: Finished,
    /// Whether it was interesting but for its symptom.
    pub(super) other: bool,
    /// How long all runs of the test took.
    pub(super) took: Duration,
    /// How long it took beside that.
    pub(super) overhead: Duration,
}

/// Tests inputs on this machine, several at a time.
pub(super) struct Bench {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    _scratch: Scratch,
}

struct Shared {
    setup: Mutex<Arc<Setup>>,
    dir: PathBuf,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    running: Vec<Job>,
    finished: VecDeque<(usize, Digest, Snapshot, Result<Tested, PoolError>)>,
    jobs: usize,
    started: usize,
    closing: bool,
}

#[derive(Clone)]
struct Job {
    number: usize,
    digest: Digest,
    input: Snapshot,
    cancel: Cancel,
}

impl Bench {
    /// A bench of `width` workers, whose folders are inside `parent`.
    pub(super) fn new(setup: Setup, width: usize, parent: &Path) -> Result<Bench, PoolError> {
        let scratch = Scratch::new(parent).map_err(|source| PoolError {
            message: format!("failed to make a folder for tests in `{}`", parent.display()),
            source: Some(source.into()),
        })?;
        let shared = Arc::new(Shared {
            setup: Mutex::new(Arc::new(setup)),
            dir: scratch.dir().to_path_buf(),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let worker = |_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.work())
        };
        let threads = (0..width).map(worker).collect();
        Ok(Bench { shared, threads, _scratch: scratch })
    }

    /// Changes how inputs are tested from now on.
    pub(super) fn change(&self, change: impl FnOnce(&Setup) -> Setup) {
        let mut setup = self.shared.setup.lock().unwrap_or_else(PoisonError::into_inner);
        *setup = Arc::new(change(&setup));
    }

    pub(super) fn started(&self) -> usize {
        self.shared.lock().started
    }

    /// A new folder beside those of the tests, whose name begins so; it goes with them.
    pub(super) fn folder(&self, name: &str) -> Result<PathBuf, PoolError> {
        let mut state = self.shared.lock();
        state.jobs += 1;
        let folder = self.shared.dir.join(format!("{name}-{}", state.jobs));
        fs::create_dir(&folder).map_err(|source| failed_to("make", &folder, source))?;
        Ok(folder)
    }

    /// Tests one input and waits for it; `None` if somebody wants an end.
    pub(super) fn test(&self, input: &Snapshot, cancel: &Cancel) -> Result<Option<Tested>, PoolError> {
        let (digest, job) = (digest(input), Cancel::new().map_err(no_sockets)?);
        let mut state = self.shared.lock();
        state.jobs += 1;
        let number = state.jobs;
        state.queue.push_back(Job { number, digest, input: input.clone(), cancel: job.clone() });
        self.shared.changed.notify_all();
        loop {
            if let Some(at) = state.finished.iter().position(|(n, ..)| *n == number) {
                let (_, _, _, tested) = state.finished.remove(at).expect("it was found there");
                return tested.map(Some);
            }
            if cancel.is_cancelled() {
                job.cancel();
                return Ok(None);
            }
            state = self.shared.wait_for(state, Duration::from_millis(100));
        }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.closing = true;
        state.running.iter().for_each(|job| job.cancel.cancel());
        drop(state);
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // What a worker had to say was said through its answers.
            let _ = thread.join();
        }
    }
}

/// The bench as one pass sees it.
pub(super) struct PassPool<'a, F> {
    pub(super) bench: &'a Bench,
    pub(super) rendering: Rc<Rendering>,
    /// The config that each wanted input stands for.
    pub(super) wanted: HashMap<Digest, Config>,
    /// Is told of every test, just before its answer is given.
    pub(super) told: F,
    /// How many tests were started before the pass.
    pub(super) before: usize,
}

impl<F: FnMut(Digest, &Snapshot, &Tested)> Pool for PassPool<'_, F> {
    fn width(&self) -> usize {
        self.bench.threads.len()
    }

    fn keep(&mut self, wanted: &[Config]) {
        self.wanted.clear();
        let mut order = Vec::new();
        for config in wanted {
            let digest = self.rendering.digest(config);
            // Of configs that render alike one is enough.
            self.wanted.entry(digest).or_insert_with(|| {
                order.push(digest);
                config.clone()
            });
        }
        let mut state = self.bench.shared.lock();
        let stale = |job: &&Job| !self.wanted.contains_key(&job.digest);
        state.running.iter().filter(stale).for_each(|job| job.cancel.cancel());
        let mut queued: HashMap<Digest, Job> = state.queue.drain(..).map(|job| (job.digest, job)).collect();
        for digest in order {
            let runs = |job: &Job| job.digest == digest && !job.cancel.is_cancelled();
            if state.running.iter().any(runs) || state.finished.iter().any(|(_, ended, ..)| *ended == digest)
            {
                continue;
            }
            state.jobs += 1;
            let number = state.jobs;
            let job = queued.remove(&digest).map_or_else(
                || {
                    let input = self.rendering.input(&self.wanted[&digest]);
                    Ok(Job { number, digest, input, cancel: Cancel::new().map_err(no_sockets)? })
                },
                Ok,
            );
            match job {
                Ok(job) => state.queue.push_back(job),
                Err(error) => state.finished.push_back((number, digest, Snapshot::new(), Err(error))),
            }
        }
        self.bench.shared.changed.notify_all();
    }

    fn poll(&mut self, patience: Duration) -> Result<Option<(Config, Answer)>, PoolError> {
        let begun = Instant::now();
        let mut state = self.bench.shared.lock();
        loop {
            match state.finished.pop_front() {
                Some((_, digest, input, tested)) => {
                    // A test that nobody waits for any more may have ended just before it was cancelled.
                    let Some(config) = self.wanted.get(&digest).cloned() else { continue };
                    drop(state);
                    let tested = tested?;
                    (self.told)(digest, &input, &tested);
                    return Ok(Some((config, tested.answer)));
                }
                None if state.queue.is_empty() && state.running.is_empty() => {
                    return Err(PoolError::new("nothing is running"));
                }
                None => match patience.checked_sub(begun.elapsed()) {
                    Some(left) => state = self.bench.shared.wait_for(state, left),
                    None => return Ok(None),
                },
            }
        }
    }

    fn started(&self) -> usize {
        self.bench.started() - self.before
    }
}

fn no_sockets(source: std::io::Error) -> PoolError {
    PoolError { message: "failed to make a pair of sockets".into(), source: Some(source.into()) }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_for<'a>(&self, state: MutexGuard<'a, State>, most: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, most).unwrap_or_else(PoisonError::into_inner).0
    }

    fn work(&self) {
        let mut room = None;
        while let Some(job) = self.take() {
            let setup = Arc::clone(&self.setup.lock().unwrap_or_else(PoisonError::into_inner));
            let tested = self.test(&setup, &job, &mut room);
            let mut state = self.lock();
            state.running.retain(|running| running.number != job.number);
            if let Some(tested) = tested.transpose() {
                state.finished.push_back((job.number, job.digest, job.input, tested));
            }
            drop(state);
            self.changed.notify_all();
        }
    }

    fn take(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if state.closing {
                return None;
            }
            if let Some(job) = state.queue.pop_front() {
                state.running.push(job.clone());
                state.started += 1;
                return Some(job);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Tests one input in a fresh folder; `None` if it is no longer wanted.
    fn test(&self, setup: &Setup, job: &Job, left: &mut Option<Room>) -> Result<Option<Tested>, PoolError> {
        let begun = Instant::now();
        let dir = self.dir.join(job.number.to_string());
        let mut took = Duration::ZERO;
        let mut last = None;
        for _ in 0..=setup.repeats {
            let made = |source| failed_to("make", &dir, source);
            let room = Room::at(&dir, left.take(), only(&job.input).as_deref()).map_err(made)?;
            let (paths, temp) = (write_input(&job.input, &dir)?, room.temp.clone());
            let room = room.furnished(&paths).map_err(made)?;
            let program = setup.test.program(&paths);
            let command = Command {
                env: vec![
                    ("TMPDIR".into(), temp.into()),
                    ("NUB_WORKSPACE".into(), dir.clone().into()),
                    git_ceiling(&dir),
                ],
                timeout: setup.timeout,
                memory: setup.memory,
                stdin: paths.first().cloned(),
                ..Command::new(program, &dir)
            };
            let ran = setup.guard.run(&command, &job.cancel);
            *left = room.cleared().map_err(|source| failed_to("clear", &dir, source))?;
            let finished = ran.map_err(not_run)?;
            if finished.status == Status::Cancelled {
                return Ok(None);
            }
            took += finished.wall;
            let outcome = setup.property.outcome(&finished);
            let other = outcome == Outcome::Fail
                && setup.symptom.is_some()
                && Symptom::of(&finished) != setup.symptom;
            let outcome = if other { Outcome::Unresolved } else { outcome };
            // A test that says no tells nothing about who needs whom: it may not even have been read.
            let answer = Answer { built: outcome == Outcome::Fail, ..Answer::bare(outcome) };
            let is_last = outcome == Outcome::Fail;
            last = Some(Tested { answer, finished, other, took, overhead: Duration::ZERO });
            if is_last {
                break;
            }
        }
        let overhead = begun.elapsed().saturating_sub(took);
        Ok(last.map(|tested| Tested { overhead, ..tested }))
    }
}

/// The name of the file that an input is, if it is one.
fn only(input: &Snapshot) -> Option<PathBuf> {
    let mut files = input.iter();
    let (path, entry) = files.next()?;
    (files.next().is_none() && matches!(entry.kind, EntryKind::File { .. })).then(|| native(path))
}

/// Writes the files of an input into a folder.
pub(super) fn write_input(input: &Snapshot, dir: &Path) -> Result<Vec<PathBuf>, PoolError> {
    let mut paths = Vec::new();
    for (path, entry) in input.iter() {
        let place = dir.join(native(path));
        let failed = |source| failed_to("write", &place, source);
        if let Some(parent) = place.parent().filter(|parent| *parent != dir) {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        match entry.kind {
            EntryKind::Symlink => {
                std::os::unix::fs::symlink(OsStr::from_bytes(&entry.content), &place).map_err(failed)?;
                continue;
            }
            EntryKind::Submodule => continue,
            EntryKind::File { executable } => {
                fs::write(&place, &entry.content).map_err(failed)?;
                if executable {
                    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).map_err(failed)?;
                }
            }
        }
        paths.push(place);
    }
    Ok(paths)
}

/// A path of an input as the system writes it.
pub(super) fn native(path: &RelPath) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(path.as_bytes()))
}

fn not_run(error: ProcessError) -> PoolError {
    PoolError { message: "failed to run the test".into(), source: Some(error.into()) }
}

fn failed_to(action: &str, path: &Path, source: std::io::Error) -> PoolError {
    PoolError { message: format!("failed to {action} `{}`", path.display()), source: Some(source.into()) }
}
