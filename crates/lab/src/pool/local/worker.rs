//! One worker of a local pool: a thread that takes configs off the queue and tests them in its workspace.

use super::{Aborted, Failure, Job, Known, Run, Shared, Tested, Tree, deciding, verdict};
use crate::journal::ranges;
use crate::pool::PoolError;
use crate::process::{Abort, Cancel, Command, Finished, ProcessError, Status, built, git_ceiling};
use crate::workspace::{Digest, Step, Workspace, WorkspaceError, remove_folder};
use nub_search::{Answer, Config, Outcome};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// A thread with its workspace.
pub(super) struct Worker {
    pub(super) shared: Arc<Shared>,
    pub(super) workspace: Workspace,
    pub(super) temp: PathBuf,
    /// The tree that nobody else tests meanwhile.
    pub(super) claimed: Option<Digest>,
}

impl Worker {
    /// Tests what is queued until the pool closes, and gives its workspace back.
    pub(super) fn work(mut self) -> Workspace {
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
        self.workspace
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
            let (build, runs) = (None, Vec::new());
            return Ok(Tested { config, answer, digest, reused: true, build, runs, overhead });
        }

        let ran = self.run(job, step);
        self.empty_temp()?;
        let (answer, build, runs) = ran?;
        let reads = self.shared.setup.read_needs.is_some() && !answer.built;
        let said = deciding(&runs).or(build.as_ref()).filter(|_| reads).map(|last| self.said(last));
        self.shared.lock().trees.insert(digest, Tree::Known((answer.clone(), said)));
        self.claimed = None;

        let (config, overhead) = (job.config.clone(), begun.elapsed());
        let tested = Tested { config, answer, digest, reused: false, build, runs, overhead };
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
    fn run(&mut self, job: &Job, step: Step) -> Result<(Answer, Option<Finished>, Vec<Run>), Failure> {
        self.workspace.go(step)?;
        let shared = Arc::clone(&self.shared);
        let setup = &shared.setup;
        let build = setup.build.as_ref().map(|build| self.build(build, job)).transpose()?;
        if build.as_ref().is_some_and(|build| built(build) != Ok(true)) {
            let said = build.as_ref().map(|build| self.said(build));
            let answer = self.with_needs(&job.config, Answer::broken_build([]), said.as_deref());
            return Ok((answer, build, Vec::new()));
        }

        let mut runs = vec![self.ask(job)?];
        while job.manner.again.as_ref().is_some_and(|again| again(&runs)) {
            self.empty_temp()?;
            // What a build has changed must stay for the next test; without a build it was the test.
            if build.is_none() {
                self.workspace.put_right()?;
            }
            runs.push(self.ask(job)?);
        }
        let outcome = verdict(&runs);
        // A test that builds by itself and cannot tell may not have built.
        let answer =
            Answer { built: build.is_some() || outcome != Outcome::Unresolved, ..Answer::bare(outcome) };
        let said = deciding(&runs).map(|test| self.said(test));
        let answer = self.with_needs(&job.config, answer, said.as_deref());
        Ok((answer, build, runs))
    }

    /// Runs the test once.
    fn ask(&self, job: &Job) -> Result<Run, Failure> {
        let test = &self.shared.setup.test;
        let processor = if test.timeout.is_none() { job.manner.processor } else { None };
        let test = self.command(&Command { processor, ..test.clone() }, job)?;
        match job.manner.rule.outcome(&test) {
            Ok(outcome) => Ok(Run { outcome, finished: test }),
            Err(Abort::Cancelled) => Err(Failure::Cancelled),
            Err(abort) => {
                let message = abort.to_string();
                let aborted = Aborted { config: job.config.clone(), abort, test };
                Err(Failure::Said(PoolError { message, source: Some(Box::new(aborted)) }))
            }
        }
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
        // A variant may have no file there. Where a file is in the way, entering the folder says so.
        let _ = fs::create_dir_all(&dir);
        let timeout = command.timeout.or(job.manner.timeout);
        let command = Command { dir, timeout, env: self.environment(command, job), ..command.clone() };
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
            git_ceiling(self.workspace.dir()),
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
            (Some(read), Some(said)) if answer.outcome == Outcome::Unresolved => {
                // What an interpreter misses shows only in the test; it was no more built than what a compiler refuses.
                let needs = read(config, said);
                Answer { built: answer.built && needs.is_empty(), needs: needs.into(), ..answer }
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
