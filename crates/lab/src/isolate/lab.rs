//! What all parts of an experiment share: how a pool is made, and what became of it.

use super::Plan;
use super::baseline::LOOK_ROUND;
use crate::event::Trial;
use crate::journal::{Note, Notes};
use crate::pool::local::{LocalPool, Manner, ReadNeeds, Setup, Tested};
use crate::pool::{Pool, PoolError};
use crate::process::{Cancel, Command, Guard, Program};
use crate::workspace::{Along, Origin};
use nub_change::evidence::headline;
use nub_change::{Evidence, RelPath};
use nub_search::{Answer, Config};
use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// An experiment under way.
pub(super) struct Lab<'a> {
    pub(super) plan: &'a Plan,
    pub(super) fingerprint: String,
    pub(super) guard: &'a Guard,
    read_needs: OnceCell<Option<ReadNeeds>>,
    /// What was tested since somebody last looked.
    tested: Rc<RefCell<Vec<Tested>>>,
    spent: Rc<Cell<Spent>>,
}

/// Where the time went, all workers together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// In the user's commands.
    pub commands: Duration,
    /// Around them, for each test that was run: moving the workspace, starting and watching the commands.
    pub around: Duration,
    /// How many tests were run, those of the versions and of the result too.
    pub tests: usize,
}

impl<'a> Lab<'a> {
    pub(super) fn new(plan: &'a Plan, guard: &'a Guard) -> Lab<'a> {
        Lab {
            plan,
            fingerprint: plan.fingerprint(),
            guard,
            read_needs: OnceCell::new(),
            tested: Rc::default(),
            spent: Rc::default(),
        }
    }

    /// How the messages of failed builds are read, if they are.
    pub(super) fn read_needs(&self) -> Option<ReadNeeds> {
        let plan = self.plan;
        let reader = || {
            let evidence = Evidence::of(&plan.patchwork);
            let patchwork = Arc::clone(&plan.patchwork);
            let read = move |config: &Config, said: &str| evidence.read(&patchwork, config, said);
            Arc::new(read) as ReadNeeds
        };
        self.read_needs.get_or_init(|| plan.knowledge.messages.then(reader)).clone()
    }

    /// How configs are tested.
    pub(super) fn setup(&self) -> Setup {
        let plan = self.plan;
        let folder = plan.folder.as_ref().map_or_else(PathBuf::new, path);
        let command = |program: &Program| Command {
            timeout: plan.timeout,
            memory: plan.memory,
            ..Command::new(program.clone(), &folder)
        };
        Setup {
            origin: Origin {
                patchwork: Arc::clone(&plan.patchwork),
                along: plan.products.clone().map(|(from, paths)| Along { from, paths: relative(paths) }),
                clean: plan.clean,
            },
            guard: self.guard.clone(),
            build: plan.build.as_ref().map(command),
            test: command(&plan.test),
            read_needs: self.read_needs(),
        }
    }

    /// A pool that leaves notes about what it has tested.
    pub(super) fn pool(&self, jobs: usize, manner: Manner, notes: Notes) -> Result<LocalPool, PoolError> {
        LocalPool::new(self.setup(), manner, jobs, &self.plan.out, self.recorder(&self.plan.out, notes))
    }

    /// The same in the workspaces of another experiment's pool, which are in the folder `out`; `same` is a version that both
    /// have, as the changes of the other and of this one.
    pub(super) fn pool_after(
        &self,
        pool: LocalPool,
        out: &Path,
        same: [&Config; 2],
        manner: Manner,
        notes: Notes,
    ) -> LocalPool {
        pool.renumbered(self.setup(), manner, same, self.recorder(out, notes))
    }

    /// Notes what was tested; paths inside a workspace are named as in a version.
    fn recorder(&self, out: &Path, notes: Notes) -> impl FnMut(&Tested) + 'static {
        let (all, spent) = (Rc::clone(&self.tested), Rc::clone(&self.spent));
        let out = out.display().to_string();
        move |tested: &Tested| {
            let last = tested.test().or(tested.build.as_ref()).filter(|_| !tested.answer.built);
            let said = last.and_then(|last| headline(&last.output.text()));
            let said = said.map(|said| without_workspace(&said, &out));
            let note = Note { took: tested.took(), digest: Some(tested.digest.to_string()), said };
            notes.leave(&tested.config, note);
            spent.set(spent.get().and(Spent::on(tested)));
            all.borrow_mut().push(tested.clone());
        }
    }

    /// Waits for a test to end; nothing if the user wants to stop first.
    pub(super) fn wait(
        &self,
        pool: &mut LocalPool,
        cancel: &Cancel,
    ) -> Result<Option<(Tested, Answer)>, PoolError> {
        while !cancel.is_cancelled() {
            if let Some((_, answer)) = pool.poll(LOOK_ROUND)? {
                let tested = self.tested.borrow_mut().pop().expect("every answer was tested");
                return Ok(Some((tested, answer)));
            }
        }
        Ok(None)
    }

    /// What was tested since this was last asked.
    pub(super) fn news(&self) -> Vec<Tested> {
        self.tested.take()
    }

    /// Where the time went so far.
    pub(super) fn spent(&self) -> Spent {
        self.spent.get()
    }
}

impl Spent {
    fn on(tested: &Tested) -> Spent {
        match tested.reused {
            true => Spent::default(),
            false => Spent { commands: tested.took(), around: tested.overhead, tests: 1 },
        }
    }

    /// Both together.
    pub(super) fn and(self, other: Spent) -> Spent {
        Spent {
            commands: self.commands + other.commands,
            around: self.around + other.around,
            tests: self.tests + other.tests,
        }
    }
}

/// What a tool said, with paths inside the workspace as they are in a version.
fn without_workspace(said: &str, out: &str) -> String {
    let mut short = String::new();
    let mut rest = said;
    while let Some((before, after)) = rest.split_once(out) {
        short += before;
        // The folder of the run, and in it that of the worker.
        rest = after.splitn(4, '/').nth(3).unwrap_or(after);
    }
    short + rest
}

fn path(inside: &RelPath) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(inside.as_bytes()))
}

fn relative(paths: Vec<PathBuf>) -> Vec<RelPath> {
    paths.iter().filter_map(|path| RelPath::new(path.as_os_str().as_bytes()).ok()).collect()
}

/// How a test went, as it is told.
pub(super) fn trial(tested: &Tested) -> Trial {
    let last = tested.test().or(tested.build.as_ref());
    Trial {
        outcome: tested.answer.outcome,
        built: tested.answer.built,
        ended: last
            .map_or_else(|| "had the same files as one before".to_owned(), |last| last.status.to_string()),
        build_time: tested.build.as_ref().map(|build| build.wall),
        test_time: tested.test().map(|test| test.wall),
        output: last.map(|last| last.output.text().into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_files_as_a_version_does() {
        let said = "/x/out/work-12-0/0/src/a.c:3: error: see /x/out/work-12-0/0/b.h";
        assert_eq!(without_workspace(said, "/x/out"), "src/a.c:3: error: see b.h");
        assert_eq!(without_workspace("src/a.c:3: error", "/x/out"), "src/a.c:3: error");
    }
}
