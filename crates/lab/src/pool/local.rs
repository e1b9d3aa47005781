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

use super::{Pool, PoolError};
use crate::journal::ranges;
use crate::process::{Abort, Cancel, Command, Finished, Guard, ProcessError, Rule, Status, built};
use crate::workspace::{Digest, Origin, Scratch, Step, Workspace, WorkspaceError, remove_folder};
use nub_search::{Answer, Config, Coupling, Outcome};
use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Finds couplings in what a failed build has said; paths in it are relative to the workspace.
pub type ReadNeeds = Arc<dyn Fn(&Config, &str) -> Vec<Coupling> + Send + Sync>;

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
    /// How the end of the test is read.
    pub rule: Rule,
    /// How the output of a failed build is read.
    pub read_needs: Option<ReadNeeds>,
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
    /// The test, if the build worked.
    pub test: Option<Finished>,
    /// What it took beside the commands.
    pub overhead: Duration,
}

impl Tested {
    /// How long the commands took.
    pub fn took(&self) -> Duration {
        [&self.build, &self.test].into_iter().flatten().map(|finished| finished.wall).sum()
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
        write!(f, "the last it said: {}", lines[lines.len().saturating_sub(10)..].join("\n"))
    }
}

impl std::error::Error for Aborted {}

/// Tests configs on this machine, several at a time.
pub struct LocalPool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    wanted: Vec<Config>,
    /// Errors about configs that may never be needed.
    held: HashMap<Config, PoolError>,
    recorder: Recorder,
    _scratch: Scratch,
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
        width: usize,
        parent: &Path,
        recorder: impl FnMut(&Tested) + 'static,
    ) -> Result<LocalPool, PoolError> {
        let scratch = Scratch::new(parent).map_err(|source| PoolError {
            message: format!("failed to make a folder for workspaces in `{}`", parent.display()),
            source: Some(source.into()),
        })?;
        let full = setup.origin.patchwork.full();
        let shared = Arc::new(Shared { setup, full, state: Mutex::default(), changed: Condvar::new() });
        let origin = Arc::new(shared.setup.origin.clone());
        let worker = |i: usize| Worker {
            shared: Arc::clone(&shared),
            workspace: Workspace::new(scratch.dir().join(format!("{i}")), Arc::clone(&origin)),
            temp: scratch.dir().join(format!("{i}.tmp")),
            claimed: None,
        };
        let threads = (0..width).map(worker).map(|mut worker| thread::spawn(move || worker.work())).collect();
        Ok(LocalPool {
            shared,
            threads,
            wanted: Vec::new(),
            held: HashMap::new(),
            recorder: Box::new(recorder),
            _scratch: scratch,
        })
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
            match queued.remove(config).map_or_else(|| Job::new(state.jobs, config), Ok) {
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

impl Job {
    fn new(number: usize, config: &Config) -> Result<Job, PoolError> {
        let cancel = Cancel::new().map_err(|source| PoolError {
            message: "failed to make a pair of sockets".into(),
            source: Some(source.into()),
        })?;
        Ok(Job { number, config: config.clone(), cancel })
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

/// A thread with its workspace.
struct Worker {
    shared: Arc<Shared>,
    workspace: Workspace,
    temp: PathBuf,
    /// The tree that nobody else tests meanwhile.
    claimed: Option<Digest>,
}

impl Worker {
    fn work(&mut self) {
        while let Some(job) = self.take() {
            let tested = catch_unwind(AssertUnwindSafe(|| self.test(&job)));
            let tested = tested
                .unwrap_or_else(|_| Err(Failure::Broken(PoolError::new("a worker of the pool panicked"))));
            let mut state = self.shared.lock();
            state.running.retain(|running| running.number != job.number);
            if let Some(digest) = self.claimed.take() {
                // Whoever waits for it takes it on.
                state.trees.remove(&digest);
            }
            if !matches!(tested, Err(Failure::Cancelled)) {
                state.finished.push_back((job.config, tested));
            }
            drop(state);
            self.shared.changed.notify_all();
        }
    }

    fn take(&self) -> Option<Job> {
        let mut state = self.shared.lock();
        loop {
            if state.closing {
                return None;
            }
            if let Some(job) = state.queue.pop_front() {
                state.running.push(job.clone());
                state.started += 1;
                return Some(job);
            }
            state = self.shared.wait(state);
        }
    }

    fn test(&mut self, job: &Job) -> Result<Tested, Failure> {
        let begun = Instant::now();
        let step = self.workspace.toward(&job.config);
        let digest = step.digest();
        if let Some((answer, said)) = self.claim(digest, &job.cancel)? {
            let answer = self.with_needs(&job.config, answer, said.as_deref());
            let overhead = begun.elapsed();
            let config = job.config.clone();
            return Ok(Tested { config, answer, digest, reused: true, build: None, test: None, overhead });
        }

        let ran = self.run(job, step);
        self.empty_temp()?;
        let (answer, build, test) = ran?;
        let reads = self.shared.setup.read_needs.is_some() && !answer.built;
        let said = build.as_ref().or(test.as_ref()).filter(|_| reads).map(|last| self.said(last));
        self.shared.lock().trees.insert(digest, Tree::Known((answer.clone(), said)));
        self.claimed = None;

        let (config, overhead) = (job.config.clone(), begun.elapsed());
        let tested = Tested { config, answer, digest, reused: false, build, test, overhead };
        Ok(Tested { overhead: overhead.saturating_sub(tested.took()), ..tested })
    }

    /// Waits for the answer of a tree that is being tested, or takes it on.
    fn claim(&mut self, digest: Digest, cancel: &Cancel) -> Result<Option<Known>, Failure> {
        let shared = Arc::clone(&self.shared);
        let mut state = shared.lock();
        loop {
            if cancel.is_cancelled() {
                return Err(Failure::Cancelled);
            }
            match state.trees.get(&digest) {
                Some(Tree::Known(known)) => return Ok(Some(known.clone())),
                Some(Tree::BeingTested) => state = shared.wait(state),
                None => {
                    self.claimed = Some(digest);
                    state.trees.insert(digest, Tree::BeingTested);
                    return Ok(None);
                }
            }
        }
    }

    /// Goes where the step leads, builds and tests.
    fn run(
        &mut self,
        job: &Job,
        step: Step,
    ) -> Result<(Answer, Option<Finished>, Option<Finished>), Failure> {
        self.workspace.go(step)?;
        let shared = Arc::clone(&self.shared);
        let setup = &shared.setup;
        let build = setup.build.as_ref().map(|build| self.build(build, job)).transpose()?;
        if build.as_ref().is_some_and(|build| built(build) != Ok(true)) {
            let said = build.as_ref().map(|build| self.said(build));
            let answer = self.with_needs(&job.config, Answer::broken_build([]), said.as_deref());
            return Ok((answer, build, None));
        }

        let test = self.command(&setup.test, job)?;
        let outcome = setup.rule.outcome(&test).map_err(|abort| match abort {
            Abort::Cancelled => Failure::Cancelled,
            abort => {
                let aborted = Aborted { config: job.config.clone(), abort, test: test.clone() };
                Failure::Said(PoolError { message: abort.to_string(), source: Some(Box::new(aborted)) })
            }
        })?;
        // A test that builds by itself and cannot tell may not have built.
        let answer =
            Answer { built: build.is_some() || outcome != Outcome::Unresolved, ..Answer::bare(outcome) };
        let answer = self.with_needs(&job.config, answer, Some(&self.said(&test)));
        Ok((answer, build, Some(test)))
    }

    /// Builds; once more from scratch, if what was built before may be the reason why it fails.
    fn build(&mut self, command: &Command, job: &Job) -> Result<Finished, Failure> {
        let build = self.command(command, job)?;
        if built(&build) == Ok(true) || !self.workspace.names_a_lost_path(&build.output.bytes) {
            return Ok(build);
        }
        let step = self.workspace.anew(&job.config);
        self.workspace.go(step)?;
        self.command(command, job)
    }

    /// Runs a command of the user's in the workspace.
    fn command(&self, command: &Command, job: &Job) -> Result<Finished, Failure> {
        fs::create_dir_all(&self.temp).map_err(|source| failed_to("make", &self.temp, source))?;
        let dir = self.workspace.dir().join(&command.dir);
        let command = Command { dir, env: self.environment(command, job), ..command.clone() };
        let finished = self.shared.setup.guard.run(&command, &job.cancel)?;
        if finished.status == Status::Cancelled { Err(Failure::Cancelled) } else { Ok(finished) }
    }

    fn empty_temp(&self) -> Result<(), Failure> {
        let has_entries = fs::read_dir(&self.temp).is_ok_and(|mut entries| entries.next().is_some());
        let emptied = if has_entries { remove_folder(&self.temp) } else { Ok(()) };
        emptied.map_err(|source| failed_to("empty", &self.temp, source))
    }

    fn environment(&self, command: &Command, job: &Job) -> Vec<(OsString, OsString)> {
        let side = match &job.config {
            config if config.is_empty() => "old",
            config if *config == self.shared.full => "new",
            _ => "mixed",
        };
        let mut env: Vec<(OsString, OsString)> = vec![
            ("TMPDIR".into(), self.temp.clone().into()),
            ("NUB_WORKSPACE".into(), self.workspace.dir().into()),
            ("NUB_CONFIG".into(), short(&job.config).into()),
            ("NUB_SIDE".into(), side.into()),
        ];
        // A cache of compiled files elsewhere would be out of sight.
        env.extend(
            std::env::var_os("PYTHONPYCACHEPREFIX").map(|_| ("PYTHONPYCACHEPREFIX".into(), "".into())),
        );
        env.extend(command.env.iter().cloned());
        env
    }

    /// What a command said, with paths relative to the workspace.
    fn said(&self, finished: &Finished) -> Arc<str> {
        finished.output.text().replace(&format!("{}/", self.workspace.dir().display()), "").into()
    }

    fn with_needs(&self, config: &Config, answer: Answer, said: Option<&str>) -> Answer {
        match (&self.shared.setup.read_needs, said) {
            (Some(read), Some(said)) if !answer.built => {
                Answer { needs: read(config, said).into(), ..answer }
            }
            _ => answer,
        }
    }
}

/// A config in a word that fits an environment variable and a log.
fn short(config: &Config) -> String {
    let text = ranges(config);
    if text.len() <= 100 { text } else { format!("{} changes", config.len()) }
}

fn failed_to(action: &str, path: &Path, source: io::Error) -> Failure {
    let message = format!("failed to {action} `{}`", path.display());
    Failure::Broken(PoolError { message, source: Some(source.into()) })
}

impl From<WorkspaceError> for Failure {
    fn from(error: WorkspaceError) -> Failure {
        Failure::Broken(PoolError { message: "failed to prepare a test".into(), source: Some(error.into()) })
    }
}

impl From<ProcessError> for Failure {
    fn from(error: ProcessError) -> Failure {
        use ProcessError::{Dir, NoInterpreter, NotFound, NotStarted};
        let said = matches!(error, NotFound { .. } | NoInterpreter { .. } | NotStarted { .. } | Dir { .. });
        let error = PoolError { message: "failed to run a test".into(), source: Some(error.into()) };
        if said { Failure::Said(error) } else { Failure::Broken(error) }
    }
}
