//! A pool on this machine: worker threads with a workspace each.
//!
//! ```text
//!   keep ──> queue ──> worker: where would this config lead?
//!                         │ to a tree that was tested before ──> the same answer
//!                         └ move there, build, test ──> verdict ──> next
//! ```
//!
//! Different configs can render to the same tree: lines of a file that is not there show nothing. Such trees
//! are tested once, and a worker that comes to a tree that another is testing waits for its answer.
//!
//! Not every test that cannot be asked ends the run. A config that was only guessed at may lack the very
//! script that is to run, and the search may never ask for it: what the command itself brings about (it is
//! not found, it asks to stop) is held back until its config is the one needed. So the run ends in the same
//! way however many workers there are.

mod worker;

use super::{Pool, PoolError};
use crate::process::{Abort, Cancel, Command, Finished, Guard, Rule};
use crate::workspace::{Digest, Origin, Scratch, Workspace};
use nub_search::{Answer, Config, Coupling, Outcome};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use worker::Worker;

/// Finds couplings in what a failed build has said; paths in it are relative to the workspace.
pub type ReadNeeds = Arc<dyn Fn(&Config, &str) -> Vec<Coupling> + Send + Sync>;

/// Whether to run the test once more, after these runs on a config.
pub type Again = Arc<dyn Fn(&[Run]) -> bool + Send + Sync>;

/// How a config is tested.
///
/// The folders of its commands are taken inside the workspace. On top of their own variables they get
/// `NUB_WORKSPACE` (the folder), `NUB_CONFIG` (the changes, as in `0-4,9`, or how many if that is long),
/// `NUB_SIDE` (`old`, `new` or `mixed`) and a `TMPDIR` that is emptied after each test.
pub struct Setup {
    /// What workspaces are made from.
    pub origin: Origin,
    /// What stands between nub and the commands.
    pub guard: Guard,
    /// What must work before the test is run.
    pub build: Option<Command>,
    /// The test.
    pub test: Command,
    /// How the output of a failed build is read.
    pub read_needs: Option<ReadNeeds>,
}

/// How the test is asked, and what is made of its end.
#[derive(Clone)]
pub struct Manner {
    /// How the end of the test is read.
    pub rule: Rule,
    /// When the test is run more than once on a config.
    pub again: Option<Again>,
    /// How long a command may take that has no limit of its own.
    pub timeout: Option<Duration>,
    /// How much of the processor a test may use that has no limit of its own.
    pub processor: Option<Duration>,
}

impl Manner {
    /// Once, for as long as it takes.
    pub fn new(rule: Rule) -> Manner {
        Manner { rule, again: None, timeout: None, processor: None }
    }
}

/// One run of the test.
#[derive(Clone, Debug)]
pub struct Run {
    /// What it counts as.
    pub outcome: Outcome,
    /// How it went.
    pub finished: Finished,
}

/// What several runs say together: a failure that shows once is there, and only runs that all pass are a pass.
fn verdict(runs: &[Run]) -> Outcome {
    let said = |outcome| runs.iter().any(|run| run.outcome == outcome);
    match (said(Outcome::Fail), said(Outcome::Unresolved)) {
        (true, _) => Outcome::Fail,
        (false, true) => Outcome::Unresolved,
        (false, false) => Outcome::Pass,
    }
}

/// The first of the runs that say what all say together.
fn deciding(runs: &[Run]) -> Option<&Finished> {
    let outcome = verdict(runs);
    runs.iter().find(|run| run.outcome == outcome).map(|run| &run.finished)
}

/// What is known of a config that was tested, beyond its answer.
#[derive(Clone, Debug)]
pub struct Tested {
    /// What was asked.
    pub config: Config,
    /// What was said.
    pub answer: Answer,
    /// The tree it renders to.
    pub digest: Digest,
    /// Whether the answer is that of an equal tree; then nothing was run.
    pub reused: bool,
    /// The build, if there was one.
    pub build: Option<Finished>,
    /// The runs of the test, if the build worked.
    pub runs: Vec<Run>,
    /// What it took beside the commands.
    pub overhead: Duration,
}

impl Tested {
    /// How long the commands took.
    pub fn took(&self) -> Duration {
        let runs = self.runs.iter().map(|run| &run.finished);
        self.build.iter().chain(runs).map(|finished| finished.wall).sum()
    }

    /// The run of the test that gave the answer.
    pub fn test(&self) -> Option<&Finished> {
        deciding(&self.runs)
    }
}

/// A test that stopped the run instead of answering; the source of the pool's error.
#[derive(Clone, Debug)]
pub struct Aborted {
    /// What was asked.
    pub config: Config,
    /// Why it stops the run.
    pub abort: Abort,
    /// What the test said.
    pub test: Finished,
}

impl fmt::Display for Aborted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.test.output.text();
        let lines: Vec<&str> = text.trim_end().lines().collect();
        if lines.is_empty() {
            return f.write_str("it printed nothing");
        }
        write!(f, "the last it said: {}", lines[lines.len().saturating_sub(10)..].join("\n"))
    }
}

impl std::error::Error for Aborted {}

/// Tests configs on this machine, several at a time.
pub struct LocalPool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<Workspace>>,
    wanted: Vec<Config>,
    /// Errors about configs that may never be needed.
    held: HashMap<Config, PoolError>,
    manner: Arc<Manner>,
    recorder: Recorder,
    scratch: Arc<Scratch>,
}

/// Is told of every config that was tested, just before its answer is given.
pub type Recorder = Box<dyn FnMut(&Tested)>;

struct Shared {
    setup: Setup,
    full: Config,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    running: Vec<Job>,
    finished: VecDeque<(Config, Result<Tested, Failure>)>,
    trees: HashMap<Digest, Tree>,
    /// How many jobs there were, started or not.
    jobs: usize,
    started: usize,
    closing: bool,
}

#[derive(Clone)]
struct Job {
    number: usize,
    config: Config,
    manner: Arc<Manner>,
    cancel: Cancel,
}

/// What is known of a tree.
#[derive(Clone)]
enum Tree {
    BeingTested,
    Known(Known),
}

/// An answer, and what the build said if it failed and somebody reads that.
type Known = (Answer, Option<Arc<str>>);

/// Why there is no answer.
enum Failure {
    /// It is no longer wanted.
    Cancelled,
    /// The command itself brought this about.
    Said(PoolError),
    /// We could not ask.
    Broken(PoolError),
}

impl LocalPool {
    /// A pool of `width` workers, whose folders are inside `parent` for as long as it lives.
    pub fn new(
        setup: Setup,
        manner: Manner,
        width: usize,
        parent: &Path,
        recorder: impl FnMut(&Tested) + 'static,
    ) -> Result<LocalPool, PoolError> {
        let scratch = Scratch::new(parent).map_err(|source| PoolError {
            message: format!("failed to make a folder for workspaces in `{}`", parent.display()),
            source: Some(source.into()),
        })?;
        let origin = Arc::new(setup.origin.clone());
        let workspace = |i: usize| Workspace::new(scratch.dir().join(format!("{i}")), Arc::clone(&origin));
        let workspaces = (0..width).map(workspace).collect();
        Ok(LocalPool::start(setup, manner, workspaces, Arc::new(scratch), Box::new(recorder)))
    }

    /// A pool with other numbers for the changes, in the workspaces of this one and with what was built in them: the
    /// version of `before` here is that of `now` there.
    pub fn renumbered(
        mut self,
        setup: Setup,
        manner: Manner,
        [before, now]: [&Config; 2],
        recorder: impl FnMut(&Tested) + 'static,
    ) -> LocalPool {
        let origin = Arc::new(setup.origin.clone());
        let mut workspaces = self.close();
        for workspace in &mut workspaces {
            workspace.renumber(before, Arc::clone(&origin), now);
        }
        LocalPool::start(setup, manner, workspaces, Arc::clone(&self.scratch), Box::new(recorder))
    }

    fn start(
        setup: Setup,
        manner: Manner,
        workspaces: Vec<Workspace>,
        scratch: Arc<Scratch>,
        recorder: Recorder,
    ) -> LocalPool {
        let full = setup.origin.patchwork.full();
        let shared = Arc::new(Shared { setup, full, state: Mutex::default(), changed: Condvar::new() });
        let start = |workspace: Workspace| {
            let temp = workspace.dir().with_extension("tmp");
            let worker = Worker { shared: Arc::clone(&shared), workspace, temp, claimed: None };
            thread::spawn(move || worker.work())
        };
        LocalPool {
            threads: workspaces.into_iter().map(start).collect(),
            shared,
            wanted: Vec::new(),
            held: HashMap::new(),
            manner: Arc::new(manner),
            recorder,
            scratch,
        }
    }

    /// Stops all workers, and gives back their workspaces.
    fn close(&mut self) -> Vec<Workspace> {
        let mut state = self.shared.lock();
        state.closing = true;
        state.running.iter().for_each(|job| job.cancel.cancel());
        drop(state);
        self.shared.changed.notify_all();
        // What a worker had to say was said through its answers; it does not panic.
        self.threads.drain(..).filter_map(|thread| thread.join().ok()).collect()
    }

    /// Asks in another manner from now on; what was answered before stays.
    pub fn ask_by(&mut self, manner: Manner) {
        self.manner = Arc::new(manner);
    }

    /// Takes over answers of an earlier run, by tree.
    ///
    /// Only of trees that were built: what a failed build said is not kept, and other configs of its tree may
    /// need to be told.
    pub fn remember(&mut self, answers: impl IntoIterator<Item = (Digest, Answer)>) {
        let built = answers.into_iter().filter(|(_, answer)| answer.built);
        self.shared.lock().trees.extend(built.map(|(digest, answer)| (digest, Tree::Known((answer, None)))));
    }
}

impl Pool for LocalPool {
    fn width(&self) -> usize {
        self.threads.len()
    }

    fn keep(&mut self, wanted: &[Config]) {
        self.wanted = wanted.to_vec();
        self.held.retain(|config, _| wanted.contains(config));
        let mut state = self.shared.lock();
        let stale = |job: &&Job| !wanted.contains(&job.config);
        state.running.iter().filter(stale).for_each(|job| job.cancel.cancel());

        let mut queued: HashMap<Config, Job> =
            state.queue.drain(..).map(|job| (job.config.clone(), job)).collect();
        for config in wanted {
            let runs = |job: &Job| job.config == *config && !job.cancel.is_cancelled();
            let ended = |(ended, _): &(Config, Result<Tested, Failure>)| ended == config;
            if self.held.contains_key(config)
                || state.running.iter().any(runs)
                || state.finished.iter().any(ended)
            {
                continue;
            }
            state.jobs += 1;
            let number = state.jobs;
            let new = || Job::new(number, config, Arc::clone(&self.manner));
            match queued.remove(config).map_or_else(new, Ok) {
                Ok(job) => state.queue.push_back(job),
                Err(error) => state.finished.push_back((config.clone(), Err(Failure::Broken(error)))),
            }
        }
        self.shared.changed.notify_all();
    }

    fn poll(&mut self, patience: Duration) -> Result<Option<(Config, Answer)>, PoolError> {
        let begun = Instant::now();
        let mut state = self.shared.lock();
        loop {
            if let Some(error) = self.wanted.first().and_then(|needed| self.held.remove(needed)) {
                return Err(error);
            }
            match state.finished.pop_front() {
                Some((config, Ok(tested))) => {
                    drop(state);
                    (self.recorder)(&tested);
                    return Ok(Some((config, tested.answer)));
                }
                Some((_, Err(Failure::Broken(error)))) => return Err(error),
                Some((config, Err(Failure::Said(error)))) => drop(self.held.insert(config, error)),
                Some((_, Err(Failure::Cancelled))) => {}
                None if state.queue.is_empty() && state.running.is_empty() => {
                    return Err(PoolError::new("nothing is running"));
                }
                None => match patience.checked_sub(begun.elapsed()) {
                    Some(left) => state = self.shared.wait_for(state, left),
                    None => return Ok(None),
                },
            }
        }
    }

    fn started(&self) -> usize {
        self.shared.lock().started
    }
}

impl Drop for LocalPool {
    fn drop(&mut self) {
        self.close();
    }
}

impl Job {
    fn new(number: usize, config: &Config, manner: Arc<Manner>) -> Result<Job, PoolError> {
        let cancel = Cancel::new().map_err(|source| PoolError {
            message: "failed to make a pair of sockets".into(),
            source: Some(source.into()),
        })?;
        Ok(Job { number, config: config.clone(), manner, cancel })
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_for<'a>(&self, state: MutexGuard<'a, State>, most: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, most).unwrap_or_else(PoisonError::into_inner).0
    }
}
