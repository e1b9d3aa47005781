//! `nub isolate`: from two versions and a test to the smallest part of the difference that flips it.

use crate::coverage::{self, Measured};
use crate::event::{Direction, Event, Side, Trial};
use crate::journal::{Journal, JournalError, Note};
use crate::pool::local::{LocalPool, Setup, Tested};
use crate::pool::{Pool, PoolError};
use crate::process::{Cancel, Command, Guard, Program, Rule};
use crate::run::{Flow, Numbers, Progress, Record, run};
use crate::view::{View, ViewedPool, ViewedRecord};
use crate::workspace::{Along, Origin};
use nub_change::{Evidence, Level, Patchwork, RelPath, Sight};
use nub_search::combine::{Grouping, Shortcut, Stages};
use nub_search::list::{Add, AddBack, Pith};
use nub_search::{Algorithm, AnySearch, Config, Couplings, Outcome, Problem, Search};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the search looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seek {
    /// From the bad version, the smallest part of the difference that makes the test pass.
    Fix,
    /// From the good version, the smallest part of the difference that makes the test fail.
    Break,
}

/// When to stop before the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// After this long.
    Time(Duration),
    /// After this many configs.
    Tests(usize),
}

/// Everything an experiment needs, as meant.
pub struct Plan {
    /// The two versions, woven.
    pub patchwork: Arc<Patchwork>,
    /// How the old version is called.
    pub old_name: String,
    /// How the new version is called.
    pub new_name: String,
    /// A folder whose ignored build products come along, with their relative paths.
    pub products: Option<(PathBuf, Vec<PathBuf>)>,
    /// The folder inside a version in which commands run; none is the top.
    pub folder: Option<RelPath>,
    /// How to build a config, if it must be built.
    pub build: Option<Program>,
    /// How to test it.
    pub test: Program,
    /// What a test's end means; its symptoms may still be learned from the baseline.
    pub rule: Rule,
    /// The longest a command may take; otherwise derived from the baseline.
    pub timeout: Option<Duration>,
    /// The most memory a process of a command may take.
    pub memory: Option<u64>,
    /// Whether to build from scratch each time.
    pub clean: bool,
    /// What to look for.
    pub seek: Seek,
    /// How to search.
    pub algorithm: Algorithm,
    /// The seed of searches that draw.
    pub seed: u64,
    /// How many workers.
    pub jobs: usize,
    /// When to stop early.
    pub budget: Option<Budget>,
    /// Where journal, logs and results go.
    pub out: PathBuf,
    /// Whether to forget an earlier run's answers.
    pub fresh: bool,
    /// What is to be known about what the test runs.
    pub coverage: coverage::Wanted,
}

/// The result of an experiment.
#[derive(Clone, Debug)]
pub struct Isolated {
    /// Which way the test changed its mind.
    pub direction: Direction,
    /// The version searched from; the critical patch applies to it.
    pub from: Side,
    /// The changes that matter, by number in the patchwork.
    pub critical: Config,
    /// The patch that flips the test when applied to the version searched from.
    pub patch: Vec<u8>,
    /// The rest of the difference, to be applied after it.
    pub rest: Vec<u8>,
    /// The trial that showed it.
    pub witness: Option<Trial>,
    /// Whether taking out any single remaining change was seen to lose it.
    pub one_minimal: bool,
    /// Whether the search came to its end.
    pub finished: bool,
    /// What it cost.
    pub numbers: Numbers,
    /// Builds that broke among the needed ones.
    pub broken_builds: usize,
    /// How long it took.
    pub elapsed: Duration,
    /// How long the user's commands took, all workers together.
    pub commands: Duration,
}

/// Why an experiment has no result.
#[derive(Debug, thiserror::Error)]
pub enum IsolateError {
    /// There is nothing to search in.
    #[error("the two versions are the same")]
    NoDifference,
    /// The test does not tell the versions apart.
    #[error("the test {} on both versions", if *.good { "passes" } else { "fails" })]
    SameOutcome {
        /// Whether both are good.
        good: bool,
        /// How the old version went.
        old: Box<Trial>,
        /// How the new version went.
        new: Box<Trial>,
    },
    /// The test cannot tell about one of the versions.
    #[error("the test cannot tell whether the {} version is good: it {}", name(*.side), .trial.ended)]
    CannotTell {
        /// Which one.
        side: Side,
        /// How it went.
        trial: Box<Trial>,
    },
    /// One of the versions does not build.
    #[error("the {} version does not build: the build {}", name(*.side), .trial.ended)]
    BrokenBuild {
        /// Which one.
        side: Side,
        /// How it went.
        trial: Box<Trial>,
    },
    /// The same version passes and fails.
    #[error("the test is flaky: the {} version gave different outcomes when it was run again", name(*.side))]
    Flaky {
        /// Which one.
        side: Side,
        /// What it said, time after time.
        outcomes: Vec<Outcome>,
    },
    /// The user stopped it before there was anything to tell.
    #[error("interrupted before both versions were tested")]
    Interrupted,
    /// A config could not be tested.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The journal of an earlier run cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The folder for results cannot be written.
    #[error("failed to write to `{}`", .path.display())]
    Out {
        /// The folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

fn name(side: Side) -> &'static str {
    match side {
        Side::Old => "old",
        Side::New => "new",
    }
}

/// A command gets this many times what it took on the versions themselves, and a little more.
const PATIENCE: u32 = 10;
/// No command gets less than this, whatever it took.
const LEAST_TIMEOUT: Duration = Duration::from_secs(20);

/// How often it is looked whether the user wants to stop.
const LOOK_ROUND: Duration = Duration::from_millis(100);

/// Runs an experiment: baseline, search, and a last look at the result from scratch.
pub fn isolate(
    plan: &Plan,
    guard: &Guard,
    cancel: &Cancel,
    tell: &mut dyn FnMut(&Event),
) -> Result<Isolated, IsolateError> {
    let started = Instant::now();
    let full = plan.patchwork.full();
    if full.is_empty() {
        return Err(IsolateError::NoDifference);
    }
    fs::create_dir_all(&plan.out).map_err(|source| IsolateError::Out { path: plan.out.clone(), source })?;
    let mut journal = open_journal(plan)?;
    tell(&Event::Compared {
        old: plan.old_name.clone(),
        new: plan.new_name.clone(),
        files: plan.patchwork.grouping(Level::File).len(),
        changes: full.len(),
    });
    if !journal.is_empty() {
        tell(&Event::Resumed { answers: journal.len() });
    }

    let lab = Lab { plan, guard, tried: Rc::default(), commands: Rc::default() };
    let baseline = lab.baseline(&mut journal, cancel, tell)?;
    let view = baseline.view(plan.seek, full.clone());
    tell(&Event::Directed { direction: baseline.direction, from: view.from });

    let measured = lab.measure(&baseline, cancel, tell);
    let mut pool = lab.pool(plan.jobs, Some(baseline.timeout), &journal)?;
    let mut broken_builds = 0;
    let ended = run(
        search(plan, &view, measured.as_ref()),
        &mut ViewedRecord { view: &view, record: &mut journal },
        &mut ViewedPool { view: &view, pool: &mut pool },
        |progress| {
            lab.tried.borrow_mut().drain(..).for_each(|trial| tell(&Event::Tried { trial }));
            match progress {
                Progress::Answered { answer, repeated, .. } => {
                    broken_builds += usize::from(!answer.built && !repeated);
                    Flow::Continue
                }
                Progress::Moved { state, numbers } => {
                    let elapsed = started.elapsed();
                    tell(&Event::Progress { left: state.best().len(), total: full.len(), numbers, elapsed });
                    let spent = match plan.budget {
                        Some(Budget::Time(most)) => elapsed >= most,
                        Some(Budget::Tests(most)) => numbers.needed + numbers.guessed >= most,
                        None => false,
                    };
                    if spent || cancel.is_cancelled() { Flow::Stop } else { Flow::Continue }
                }
            }
        },
    )?;
    drop(pool);

    let critical = ended.state.best();
    let witness = lab.confirm(&view, &critical, baseline.timeout, cancel, tell)?;
    let (base, flipped) = (view.turn(&Config::empty()), view.turn(&critical));
    Ok(Isolated {
        direction: baseline.direction,
        from: view.from,
        patch: plan.patchwork.patch(&base, &flipped),
        rest: plan.patchwork.patch(&flipped, &view.turn(&full)),
        critical,
        witness,
        one_minimal: ended.finished && plan.algorithm.proves_one_minimal(),
        finished: ended.finished,
        numbers: ended.numbers,
        broken_builds,
        elapsed: started.elapsed(),
        commands: lab.commands.get(),
    })
}

fn open_journal(plan: &Plan) -> Result<Journal, JournalError> {
    let path = plan.out.join("journal.jsonl");
    let fingerprint = fingerprint(plan);
    match plan.fresh {
        true => Journal::fresh(path, &fingerprint),
        false => Journal::open(path, &fingerprint),
    }
}

/// What an answer depends on: both versions, the commands and how their end is read.
fn fingerprint(plan: &Plan) -> String {
    let mut hasher = blake3::Hasher::new();
    let full = plan.patchwork.full();
    for config in [Config::empty(), full] {
        for (path, entry) in plan.patchwork.render(&config).iter() {
            hasher.update(path.as_bytes()).update(&[0]);
            hasher
                .update(format!("{:?} {}", entry.kind, entry.content.len()).as_bytes())
                .update(&entry.content);
        }
    }
    let commands = format!("{:?} {:?} {:?} {:?}", plan.build, plan.test, plan.folder, plan.rule);
    hasher.update(commands.as_bytes());
    hasher.finalize().to_hex()[..32].to_owned()
}

/// The search that the plan names, from hunks to lines; what is known not to run is left out first.
fn search(plan: &Plan, view: &View, measured: Option<&Measured>) -> AnySearch {
    let patchwork = &plan.patchwork;
    let couplings = patchwork.couplings().into_iter().map(|coupling| view.turn_coupling(coupling));
    let problem = Problem::of(view.full.clone())
        .with_weights(patchwork.weights())
        .with_priors(patchwork.priors())
        .with_couplings(Couplings::given(couplings));
    let groupings = [Level::File, Level::Hunk].map(|level| {
        let groups = patchwork.grouping(level);
        Grouping::new(view.full.iter().map(|change| Some(groups.group_of(change))))
    });
    let (algorithm, seed) = (plan.algorithm, plan.seed);
    if algorithm == Algorithm::Add {
        return add(plan, view, &problem, measured);
    }
    let start = move |problem: &Problem| algorithm.start(problem, &Config::empty(), seed);
    let coarse = move |problem: &Problem| match algorithm {
        Algorithm::Pith => AnySearch::new(Pith::unproven(problem)),
        _ => start(problem),
    };
    let stages =
        move |problem: &Problem| AnySearch::new(Stages::with_last(problem, groupings.clone(), coarse, start));
    let Some(measured) = measured else { return stages(&problem) };
    let suspicious = problem.clone().with_priors(measured.priors(&problem.priors));
    AnySearch::new(Shortcut::new(&suspicious, &problem, measured.guesses(patchwork), stages))
}

/// ADD as published: among hunks, of which those that ran, or of which nobody can tell, are dubious.
fn add(plan: &Plan, view: &View, problem: &Problem, measured: Option<&Measured>) -> AnySearch {
    let groups = plan.patchwork.grouping(Level::Hunk);
    let hunks = Grouping::new(view.full.iter().map(|change| Some(groups.group_of(change))));
    let idle = measured.map_or_else(Config::empty, Measured::idle);
    let dubious = groups.touched(&view.full.minus(&idle));
    // It takes changes back from the bad version; from the good one it can only be asked what fails.
    let takes_back = view.wanted == Outcome::Pass;
    let start = move |problem: &Problem| match takes_back {
        true => AnySearch::new(AddBack::new(dubious.clone(), problem.full.clone())),
        false => AnySearch::new(Add::new(dubious.intersection(&problem.full), problem.full.clone())),
    };
    let done = |problem: &Problem| AnySearch::new(Add::new(Config::empty(), problem.full.clone()));
    AnySearch::new(Stages::with_last(problem, [hunks], start, done))
}

/// What all parts of an experiment share.
struct Lab<'a> {
    plan: &'a Plan,
    guard: &'a Guard,
    /// What was tried since somebody last looked.
    tried: Rc<RefCell<Vec<Trial>>>,
    /// How long the user's commands took so far.
    commands: Rc<Cell<Duration>>,
}

struct Baseline {
    direction: Direction,
    timeout: Duration,
    /// What the test said of the old version and of the new one.
    said: [Outcome; 2],
}

impl Baseline {
    fn view(&self, seek: Seek, full: Config) -> View {
        let bad = self.direction.bad();
        match seek {
            Seek::Fix => View { full, from: bad, wanted: Outcome::Pass },
            Seek::Break => View { full, from: bad.other(), wanted: Outcome::Fail },
        }
    }
}

impl Lab<'_> {
    /// How configs are tested.
    fn setup(&self, timeout: Option<Duration>) -> Setup {
        let plan = self.plan;
        let folder = plan
            .folder
            .as_ref()
            .map_or_else(PathBuf::new, |folder| PathBuf::from(OsStr::from_bytes(folder.as_bytes())));
        let command = |program: &Program| Command {
            timeout: plan.timeout.or(timeout),
            memory: plan.memory,
            ..Command::new(program.clone(), &folder)
        };
        let evidence = Evidence::of(&plan.patchwork);
        let patchwork = Arc::clone(&plan.patchwork);
        Setup {
            origin: Origin {
                patchwork: Arc::clone(&plan.patchwork),
                along: plan.products.clone().map(|(from, paths)| Along { from, paths: relative(paths) }),
                clean: plan.clean,
            },
            guard: self.guard.clone(),
            build: plan.build.as_ref().map(command),
            test: command(&plan.test),
            rule: plan.rule.clone(),
            read_needs: Some(Arc::new(move |config: &Config, said: &str| {
                evidence.read(&patchwork, config, said)
            })),
        }
    }

    fn pool(
        &self,
        jobs: usize,
        timeout: Option<Duration>,
        journal: &Journal,
    ) -> Result<LocalPool, PoolError> {
        let (plan, setup) = (self.plan, self.setup(timeout));
        let (tried, commands) = (Rc::clone(&self.tried), Rc::clone(&self.commands));
        let notes = journal.notes();
        let mut pool = LocalPool::new(setup, jobs, &plan.out, move |tested: &Tested| {
            let note = Note { took: tested.took(), digest: Some(tested.digest.to_string()) };
            notes.leave(&tested.config, note);
            commands.set(commands.get() + tested.took());
            tried.borrow_mut().push(trial(tested));
        })?;
        let known = journal.digests().iter();
        pool.remember(known.filter_map(|(digest, answer)| Some((digest.parse().ok()?, answer.clone()))));
        Ok(pool)
    }

    /// Tests both versions by themselves, and finds out which way the test changed its mind.
    fn baseline(
        &self,
        journal: &mut Journal,
        cancel: &Cancel,
        tell: &mut dyn FnMut(&Event),
    ) -> Result<Baseline, IsolateError> {
        let full = self.plan.patchwork.full();
        let mut pool = self.pool(self.plan.jobs.min(2), None, journal)?;
        let sides = [(Side::Old, Config::empty()), (Side::New, full)];
        let mut slowest = Duration::ZERO;
        let mut trials = Vec::new();
        // Always run, also when resumed: the answers give the direction, the times the timeout.
        let wanted: Vec<Config> = sides.iter().map(|(_, config)| config.clone()).collect();
        pool.keep(&wanted);
        let mut answers = HashMap::new();
        while answers.len() < 2 {
            let Some((config, answer)) = pool.poll(LOOK_ROUND)? else {
                if cancel.is_cancelled() {
                    return Err(IsolateError::Interrupted);
                }
                continue;
            };
            let trial = self.tried.borrow_mut().pop().expect("every answer was tried");
            journal.record(&config, &answer)?;
            answers.insert(config.clone(), trial);
            let left: Vec<Config> = wanted.iter().filter(|c| !answers.contains_key(*c)).cloned().collect();
            pool.keep(&left);
        }
        for (side, config) in &sides {
            let trial = answers.remove(config).expect("both were answered");
            tell(&Event::Baseline { side: *side, trial: trial.clone() });
            slowest =
                slowest.max(trial.build_time.unwrap_or_default()).max(trial.test_time.unwrap_or_default());
            trials.push(trial);
        }
        let timeout = (slowest * PATIENCE).max(LEAST_TIMEOUT);
        for ((side, _), trial) in sides.iter().zip(&trials) {
            let (side, trial) = (*side, Box::new(trial.clone()));
            match (trial.outcome, trial.built) {
                (Outcome::Unresolved, false) if trial.build_time.is_some() && trial.test_time.is_none() => {
                    return Err(IsolateError::BrokenBuild { side, trial });
                }
                (Outcome::Unresolved, _) => return Err(IsolateError::CannotTell { side, trial }),
                _ => {}
            }
        }
        let direction = match (trials[0].outcome, trials[1].outcome) {
            (Outcome::Pass, Outcome::Fail) => Direction::Regression,
            (Outcome::Fail, Outcome::Pass) => Direction::Fix,
            (outcome, _) => {
                let new = Box::new(trials.remove(1));
                let old = Box::new(trials.remove(0));
                return Err(IsolateError::SameOutcome { good: outcome == Outcome::Pass, old, new });
            }
        };
        Ok(Baseline { direction, timeout, said: [trials[0].outcome, trials[1].outcome] })
    }

    /// Finds out which changes the test runs, where that is wanted; says why, where it could not.
    fn measure(
        &self,
        baseline: &Baseline,
        cancel: &Cancel,
        tell: &mut dyn FnMut(&Event),
    ) -> Option<Measured> {
        let plan = self.plan;
        let wanted = &plan.coverage;
        let setup = self.setup(Some(baseline.timeout));
        let measured = coverage::measure(&coverage::Experiment {
            wanted,
            origin: setup.origin,
            build: setup.build,
            test: setup.test,
            rule: &plan.rule,
            expected: baseline.said,
            key: format!("{} {:?} {:?}", fingerprint(plan), wanted.collect, wanted.also_pass),
            out: &plan.out,
            guard: self.guard,
            cancel,
        });
        match measured {
            Ok(Some(measured)) => {
                let count = |sight| measured.with(sight).len();
                let (ran, idle, unseen) = (count(Sight::Ran), count(Sight::Idle), count(Sight::Unseen));
                tell(&Event::Measured { by: measured.by.clone(), ran, idle, unseen, runs: measured.runs });
                Some(measured)
            }
            Ok(None) => None,
            Err(reason) => {
                tell(&Event::Warning(format!("the search goes on without coverage: {reason}")));
                None
            }
        }
    }

    /// Tests the result once more, from scratch, and warns if it does not hold.
    fn confirm(
        &self,
        view: &View,
        critical: &Config,
        timeout: Duration,
        cancel: &Cancel,
        tell: &mut dyn FnMut(&Event),
    ) -> Result<Option<Trial>, IsolateError> {
        let journal = Journal::fresh(self.plan.out.join("confirm.jsonl"), &fingerprint(self.plan))?;
        let mut pool = self.pool(1, Some(timeout), &journal)?;
        self.tried.borrow_mut().clear();
        pool.keep(&[view.turn(critical)]);
        let answer = loop {
            if cancel.is_cancelled() {
                return Ok(None);
            }
            if let Some((_, answer)) = pool.poll(LOOK_ROUND)? {
                break answer;
            }
        };
        let trial = self.tried.borrow_mut().pop().expect("every answer was tried");
        drop(pool);
        let _ = fs::remove_file(journal.path());
        if answer.outcome != view.wanted {
            let ended = &trial.ended;
            tell(&Event::Warning(format!(
                "the result did not hold when it was built and tested once more from scratch: it {ended}; the test may be flaky, or \
                 products of earlier builds may have misled it (try `--clean`)"
            )));
        }
        Ok(Some(trial))
    }
}

fn relative(paths: Vec<PathBuf>) -> Vec<RelPath> {
    paths.iter().filter_map(|path| RelPath::new(path.as_os_str().as_bytes()).ok()).collect()
}

fn trial(tested: &Tested) -> Trial {
    let last = tested.test.as_ref().or(tested.build.as_ref());
    Trial {
        outcome: tested.answer.outcome,
        built: tested.answer.built,
        ended: last
            .map_or_else(|| "had the same files as one before".to_owned(), |last| last.status.to_string()),
        build_time: tested.build.as_ref().map(|build| build.wall),
        test_time: tested.test.as_ref().map(|test| test.wall),
        output: last.map(|last| last.output.text().into_owned()).unwrap_or_default(),
    }
}
