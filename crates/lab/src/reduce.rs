//! `nub reduce`: from an input that shows a bug to the smallest one that still does.
//!
//! ```text
//!   input ──> checked ──> pass ──> pass ──> ... ──> again, until a whole round changes nothing ──> confirmed
//!                          │ text in parts, a search among them
//!                          └ every test by content: the same text is never tested twice, in any pass
//! ```
//!
//! Passes are tried in a fixed order and each is a search over recorded answers, so the result is the same
//! at any number of workers, resumed or not. Whenever something smaller is found it is handed out at once.

mod bench;
mod ledger;
mod property;
mod rendering;
mod strategy;

pub use bench::Test;
pub use property::{Condition, Property, Symptom};

use crate::isolate::Budget;
use crate::journal::JournalError;
use crate::pool::{Pool, PoolError};
use crate::process::{Cancel, Finished, Guard};
use crate::run::{Flow, Numbers, Progress, run};
use crate::workspace::Digest;
use bench::{Bench, PassPool, Setup, Tested, native, write_input};
use ledger::{Ledger, PassLedger, Proofreader};
use nub_change::part::{Pass, Reader, count_tokens};
use nub_change::{Entry, RelPath, Snapshot};
use nub_search::{Algorithm, AnySearch, Outcome, Search};
use rendering::{Rendering, Subject, digest};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};
use strategy::Look;

/// Everything a reduction needs, as meant.
pub struct Plan {
    /// The input: one file or several.
    pub input: Snapshot,
    /// How to test it.
    pub test: Test,
    /// What makes it interesting.
    pub property: Property,
    /// Whether an interesting input counts whatever its symptom.
    pub any_failure: bool,
    /// The longest a test may take; otherwise derived from the first run.
    pub timeout: Option<Duration>,
    /// The most memory a process of the test may take.
    pub memory: Option<u64>,
    /// The language of the input, where its name does not tell.
    pub language: Option<String>,
    /// How to search; none is nub's own choice.
    pub algorithm: Option<Algorithm>,
    /// The passes, in order.
    pub passes: Vec<Pass>,
    /// Whether the result is written tidily, where it then still shows the bug.
    pub tidy: bool,
    /// How many workers.
    pub jobs: usize,
    /// When to stop early.
    pub budget: Option<Budget>,
    /// Where the journal and what was saved aside go.
    pub out: PathBuf,
    /// Where tests run.
    pub scratch: PathBuf,
    /// Whether to forget an earlier run's answers.
    pub fresh: bool,
    /// Whether to count how many of the tested inputs can be read; it takes time.
    pub count_readable: bool,
}

/// How large an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Files.
    pub files: usize,
    /// Bytes in all of them.
    pub bytes: usize,
    /// Tokens in all of them.
    pub tokens: usize,
}

/// What a pass did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Tests it needed.
    pub tests: usize,
    /// Of them those that made the input smaller.
    pub successes: usize,
    /// Tokens that went in it.
    pub tokens: usize,
}

/// The result of a reduction.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The smallest interesting input found.
    pub input: Snapshot,
    /// The size of the input.
    pub before: Size,
    /// The size of the result.
    pub after: Size,
    /// Whether a whole round of passes found nothing more.
    pub finished: bool,
    /// Whether the result was interesting when it was tested once more; none if there was no time for that.
    pub confirmed: Option<bool>,
    /// Whether the empty input is interesting too.
    pub empty_is_interesting: bool,
    /// The share of runs of the original that were interesting.
    pub reliability: f64,
    /// How often a test that said no was asked again.
    pub repeats: u32,
    /// What the passes cost, without the checks before and after.
    pub numbers: Numbers,
    /// Tests run in all, with the checks.
    pub tests: usize,
    /// What each pass did.
    pub shares: Vec<(Pass, Share)>,
    /// Inputs with other symptoms that were saved aside.
    pub others: usize,
    /// Of the inputs that passes guided by a grammar tried, how many could be read, and how many there were; if they
    /// were counted.
    pub readable: (usize, usize),
    /// How long it took.
    pub elapsed: Duration,
    /// How long the test took, all workers together.
    pub commands: Duration,
    /// How long preparing and clearing away tests took, all workers together.
    pub overhead: Duration,
}

/// What happened in a reduction, in order.
#[derive(Clone, Debug)]
pub enum Happening {
    /// The input was tested by itself.
    Checked {
        /// Its size.
        size: Size,
        /// How the language is called, if one is known.
        language: Option<&'static str>,
        /// How long the test took.
        took: Duration,
        /// The symptom that is kept.
        symptom: Option<Symptom>,
    },
    /// Answers of an earlier run are used.
    Resumed {
        /// How many.
        answers: usize,
    },
    /// The search moved on.
    Progress {
        /// The pass.
        pass: Pass,
        /// Bytes that are left.
        bytes: usize,
        /// Tokens that are left.
        tokens: usize,
        /// Tests so far.
        tests: usize,
        /// Time since the start.
        elapsed: Duration,
    },
    /// Something the user should know, but no error.
    Warning(String),
}

/// Why a reduction has no result.
#[derive(Debug, thiserror::Error)]
pub enum ReduceError {
    /// There is nothing to reduce.
    #[error("the input is empty")]
    Empty,
    /// The test does not find the input interesting.
    #[error("the test does not find the input interesting: it {}", .finished.status)]
    NotInteresting {
        /// How it ended.
        finished: Box<Finished>,
        /// Whether it said that it cannot tell.
        unresolved: bool,
    },
    /// The user stopped it before the input was tested.
    #[error("interrupted before the input was tested")]
    Interrupted,
    /// An input could not be tested.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The journal of an earlier run cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A result cannot be written.
    #[error("failed to write to `{}`", .path.display())]
    Out {
        /// Where.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The language is not known.
    #[error("no language is called `{0}`")]
    UnknownLanguage(String),
}

/// A test gets this many times what it took on the input.
const PATIENCE: u32 = 10;
/// No test gets less than this, whatever it took.
const LEAST_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the first test may take.
const FIRST_TIMEOUT: Duration = Duration::from_secs(300);
/// How often a test that contradicts itself is run to see how often it does.
const FLAKY_RUNS: u32 = 10;
/// How sure a *no* must be where the test is flaky.
const CONFIDENCE: f64 = 0.99;
/// From this many tokens on the lists are looked at again before anything finer.
const LARGE: usize = 1500;
/// After this many rounds a text that is still large is looked at closely all the same.
const MOST_COARSE_ROUNDS: usize = 5;
/// At most so many inputs with other symptoms are saved.
const MOST_OTHERS: usize = 20;

/// Runs a reduction; `keep` is handed every better input as soon as it is known.
pub fn reduce(
    plan: &Plan,
    guard: &Guard,
    cancel: &Cancel,
    tell: &mut dyn FnMut(&Happening),
    keep: &mut dyn FnMut(&Snapshot) -> io::Result<()>,
) -> Result<Reduced, ReduceError> {
    let started = Instant::now();
    if plan.input.iter().all(|(_, entry)| entry.content.is_empty()) {
        return Err(ReduceError::Empty);
    }
    fs::create_dir_all(&plan.out).map_err(|source| ReduceError::Out { path: plan.out.clone(), source })?;
    let ledger = Ledger::open(plan.out.join("journal.jsonl"), &fingerprint(plan), plan.fresh)?;
    if ledger.len() > 0 {
        tell(&Happening::Resumed { answers: ledger.len() });
    }
    let setup = Setup {
        guard: guard.clone(),
        test: plan.test.clone(),
        property: plan.property.clone(),
        timeout: plan.timeout.or(Some(FIRST_TIMEOUT)),
        memory: plan.memory,
        symptom: None,
        repeats: 0,
    };
    let mut readers: BTreeMap<RelPath, Reader> = BTreeMap::new();
    for (path, entry) in plan.input.iter() {
        let reader = match &plan.language {
            Some(name) => Reader::named(name).ok_or_else(|| ReduceError::UnknownLanguage(name.clone()))?,
            None => Reader::of_file(&String::from_utf8_lossy(path.as_bytes()), &entry.content),
        };
        readers.insert(path.clone(), reader);
    }
    let bench = Bench::new(setup, plan.jobs, &plan.scratch)?;
    let mut lab = Lab {
        plan,
        bench,
        ledger,
        readers,
        cancel,
        tell,
        keep,
        started,
        current: plan.input.clone(),
        totals: Rc::default(),
        numbers: Numbers::default(),
        shares: Vec::new(),
        asked: HashSet::new(),
        in_passes: 0,
        stopped: false,
    };
    lab.run()
}

/// What an answer depends on: the names of the files, the test, what its scripts say and how its end is read.
fn fingerprint(plan: &Plan) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(digest(&plan.input).to_string().as_bytes());
    let test = format!("{:?} {:?} {}", plan.test, plan.property, plan.any_failure);
    hasher.update(test.as_bytes());
    for script in plan.test.scripts() {
        hasher.update(&script);
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

#[derive(Default)]
struct Totals {
    commands: Duration,
    overhead: Duration,
    others: usize,
    readable: (usize, usize),
}

/// What all parts of a reduction share.
struct Lab<'a> {
    plan: &'a Plan,
    bench: Bench,
    ledger: Ledger,
    readers: BTreeMap<RelPath, Reader>,
    cancel: &'a Cancel,
    tell: &'a mut dyn FnMut(&Happening),
    keep: &'a mut dyn FnMut(&Snapshot) -> io::Result<()>,
    started: Instant,
    /// The smallest interesting input so far.
    current: Snapshot,
    totals: Rc<RefCell<Totals>>,
    numbers: Numbers,
    shares: Vec<(Pass, Share)>,
    /// The inputs whose answers were known at first, or that a search has asked about since.
    asked: HashSet<Digest>,
    /// Tests that were started for a search.
    in_passes: usize,
    stopped: bool,
}

/// What the first tests have shown.
struct Check {
    empty_is_interesting: bool,
    reliability: f64,
    repeats: u32,
}

impl Lab<'_> {
    fn run(&mut self) -> Result<Reduced, ReduceError> {
        let before = size(&self.plan.input);
        let check = self.check(before)?;
        self.asked = self.ledger.digests().collect();
        self.rounds()?;
        self.roughen()?;
        if self.plan.tidy && !self.cancel.is_cancelled() {
            self.tidy()?;
        }
        (self.keep)(&self.current)
            .map_err(|source| ReduceError::Out { path: self.plan.out.clone(), source })?;
        let confirmed = self.confirm()?;
        let totals = self.totals.borrow();
        Ok(Reduced {
            before,
            after: size(&self.current),
            input: self.current.clone(),
            finished: !self.stopped,
            confirmed,
            empty_is_interesting: check.empty_is_interesting,
            reliability: check.reliability,
            repeats: check.repeats,
            numbers: Numbers { guessed: self.in_passes.saturating_sub(self.numbers.needed), ..self.numbers },
            tests: self.bench.started(),
            shares: self.shares.clone(),
            others: totals.others,
            readable: totals.readable,
            elapsed: self.started.elapsed(),
            commands: totals.commands,
            overhead: totals.overhead,
        })
    }

    /// Passes in their order, again and again, until a whole round changes nothing.
    fn rounds(&mut self) -> Result<(), ReduceError> {
        for round in 0.. {
            let at_start = digest(&self.current);
            for pass in self.plan.passes.iter().copied().filter(|pass| *pass != Pass::Rough) {
                // The tree has all that the lists have, and more.
                let is_small = size(&self.current).tokens <= LARGE;
                let covered =
                    is_small && round > 0 && pass == Pass::Lists && self.plan.passes.contains(&Pass::Tree);
                loop {
                    let tokens = size(&self.current).tokens;
                    if self.stopped || covered {
                        break;
                    }
                    self.pass(pass, round)?;
                    let left = size(&self.current).tokens;
                    // Where much went of what is large, names that are no longer used can go in one test.
                    if !(pass == Pass::Lists && left > LARGE && left * 10 < tokens * 9) {
                        break;
                    }
                }
            }
            if self.stopped || digest(&self.current) == at_start {
                break;
            }
        }
        Ok(())
    }

    /// The pass that makes a text unreadable comes last, alone: no other has much to say about what it leaves.
    fn roughen(&mut self) -> Result<(), ReduceError> {
        let mut before = None;
        while self.plan.passes.contains(&Pass::Rough)
            && !self.stopped
            && before.replace(digest(&self.current)) != Some(digest(&self.current))
        {
            self.pass(Pass::Rough, 0)?;
        }
        Ok(())
    }

    /// Tests the input, the empty input and the input again, and sets up the bench by what they show.
    fn check(&mut self, size: Size) -> Result<Check, ReduceError> {
        let input = self.plan.input.clone();
        let first = self.test(&input)?;
        let first = match first.answer.outcome {
            Outcome::Fail => first,
            outcome => {
                // A flaky test may say no just now.
                let again = self.test(&input)?;
                if again.answer.outcome != Outcome::Fail {
                    let unresolved = outcome == Outcome::Unresolved;
                    return Err(ReduceError::NotInteresting {
                        finished: Box::new(first.finished),
                        unresolved,
                    });
                }
                return self.check_flaky(size, &again, 1, 2);
            }
        };
        let second = self.test(&input)?;
        if second.answer.outcome != Outcome::Fail {
            return self.check_flaky(size, &first, 1, 2);
        }
        let symptom = Symptom::of(&first.finished)
            .filter(|symptom| Some(symptom) == Symptom::of(&second.finished).as_ref());
        self.settle(size, &first, symptom, 0);
        let empty_is_interesting = self.check_empty()?;
        Ok(Check { empty_is_interesting, reliability: 1.0, repeats: 0 })
    }

    /// Finds out how often the input is interesting, and how often a *no* must be asked again to be believed.
    fn check_flaky(&mut self, size: Size, seen: &Tested, yes: u32, runs: u32) -> Result<Check, ReduceError> {
        let input = self.plan.input.clone();
        let (mut yes, mut runs) = (yes, runs);
        while runs < FLAKY_RUNS {
            runs += 1;
            yes += u32::from(self.test(&input)?.answer.outcome == Outcome::Fail);
        }
        let reliability = f64::from(yes) / f64::from(runs);
        // Rather too often than too seldom: as if one of the runs had gone the other way.
        let share = f64::from(yes.max(2) - 1) / f64::from(runs);
        let repeats = ((1.0 - CONFIDENCE).ln() / (1.0 - share).ln()).ceil() as u32 - 1;
        (self.tell)(&Happening::Warning(format!(
            "the test is flaky: the input was interesting in {yes} of {runs} runs; a test that says no is asked up to \
             {repeats} times again, so that it is right in {:.0} of 100 cases",
            100.0 * CONFIDENCE
        )));
        self.settle(size, seen, None, repeats);
        let empty_is_interesting = self.check_empty()?;
        Ok(Check { empty_is_interesting, reliability, repeats })
    }

    /// Sets up the bench by what the input showed.
    fn settle(&mut self, size: Size, seen: &Tested, symptom: Option<Symptom>, repeats: u32) {
        let symptom = symptom.filter(|_| !self.plan.any_failure);
        let took = seen.finished.wall;
        let timeout = self.plan.timeout.unwrap_or((took * PATIENCE).max(LEAST_TIMEOUT));
        let main = self.readers.values().find_map(Reader::language);
        (self.tell)(&Happening::Checked { size, language: main, took, symptom: symptom.clone() });
        self.bench.change(|setup| Setup {
            guard: setup.guard.clone(),
            test: setup.test.clone(),
            property: setup.property.clone(),
            timeout: Some(timeout),
            memory: setup.memory,
            symptom,
            repeats,
        });
    }

    fn check_empty(&mut self) -> Result<bool, ReduceError> {
        let mut empty = Snapshot::new();
        for (path, entry) in self.plan.input.iter() {
            empty.insert(path.clone(), Entry { kind: entry.kind, content: [].into() });
        }
        let interesting = self.is_interesting(&empty)?;
        if interesting {
            (self.tell)(&Happening::Warning(
                "the empty input is interesting too: does the test check for the bug?".into(),
            ));
            self.current = empty;
        }
        Ok(interesting)
    }

    /// Writes each file in the tidiest way that is still interesting.
    fn tidy(&mut self) -> Result<(), ReduceError> {
        for path in self.current.paths().cloned().collect::<Vec<_>>() {
            let (Some(entry), Some(reader)) = (self.current.get(&path), self.readers.get(&path)) else {
                continue;
            };
            let (kind, texts) = (entry.kind, reader.tidied(&entry.content));
            let mut is_tidy = texts.is_empty();
            for text in texts {
                let mut tidy = self.current.clone();
                tidy.insert(path.clone(), Entry { kind, content: text.into() });
                match self.is_interesting(&tidy) {
                    Ok(false) => continue,
                    Ok(true) => self.current = tidy,
                    Err(ReduceError::Interrupted) => return Ok(()),
                    Err(error) => return Err(error),
                }
                is_tidy = true;
                break;
            }
            if !is_tidy {
                (self.tell)(&Happening::Warning(format!(
                    "`{path}` is left as it is: written tidily, it is not interesting"
                )));
            }
        }
        Ok(())
    }

    /// What is recorded about an input, or what a test says now.
    fn is_interesting(&mut self, input: &Snapshot) -> Result<bool, ReduceError> {
        let digest = digest(input);
        if let Some(answer) = self.ledger.get(digest) {
            return Ok(answer.outcome == Outcome::Fail);
        }
        let tested = self.test(input)?;
        self.ledger.put(digest, &tested.answer, tested.took)?;
        Ok(tested.answer.outcome == Outcome::Fail)
    }

    /// Tests an input now, whatever is recorded.
    fn test(&self, input: &Snapshot) -> Result<Tested, ReduceError> {
        let tested = self.bench.test(input, self.cancel)?.ok_or(ReduceError::Interrupted)?;
        let mut totals = self.totals.borrow_mut();
        totals.commands += tested.took;
        totals.overhead += tested.overhead;
        Ok(tested)
    }

    /// Tests the result once more.
    fn confirm(&mut self) -> Result<Option<bool>, ReduceError> {
        if self.cancel.is_cancelled() {
            return Ok(None);
        }
        let confirmed = match self.test(&self.current) {
            Ok(tested) => tested.answer.outcome == Outcome::Fail,
            Err(ReduceError::Interrupted) => return Ok(None),
            Err(error) => return Err(error),
        };
        if !confirmed {
            (self.tell)(&Happening::Warning(
                "the result was not interesting when it was tested once more: the test may be flaky".into(),
            ));
        }
        Ok(Some(confirmed))
    }

    /// Runs a pass on every file, largest first; a pass that changed a file is run on it again in the next round.
    fn pass(&mut self, pass: Pass, round: usize) -> Result<(), ReduceError> {
        if pass == Pass::Files {
            return self.files_pass();
        }
        let look = match (size(&self.current).tokens > LARGE, round) {
            (true, 0..MOST_COARSE_ROUNDS) => Look::Coarse,
            (false, 0) => Look::First,
            _ => Look::Last,
        };
        let mut paths: Vec<(usize, RelPath)> =
            self.current.iter().map(|(path, entry)| (entry.content.len(), path.clone())).collect();
        paths.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        for (_, path) in paths {
            let (Some(entry), Some(reader)) = (self.current.get(&path), self.readers.get_mut(&path)) else {
                continue;
            };
            let Some(offer) = reader.offer(pass, &entry.content) else { continue };
            let search = strategy::search(pass, &offer, self.plan.algorithm, look);
            self.search(pass, search, Subject::Text(path, offer.parts))?;
            if self.stopped {
                break;
            }
        }
        Ok(())
    }

    fn files_pass(&mut self) -> Result<(), ReduceError> {
        let paths: Vec<RelPath> = self.current.paths().cloned().collect();
        if paths.len() < 2 {
            return Ok(());
        }
        let sizes = self.current.iter().map(|(_, entry)| entry.content.len() as u32).collect();
        let search = strategy::files(sizes, self.plan.algorithm);
        self.search(Pass::Files, search, Subject::Files(paths))
    }

    /// Runs one search to its end and takes over what it found.
    fn search(&mut self, pass: Pass, search: AnySearch, subject: Subject) -> Result<(), ReduceError> {
        let proofreader = match &subject {
            Subject::Text(path, _) if pass.is_guided() => {
                let (reader, entry) = (self.readers.get(path), self.current.get(path));
                reader.zip(entry).and_then(|(reader, entry)| Proofreader::of(reader, path, &entry.content))
            }
            _ => None,
        };
        let proofreader = proofreader.map(Rc::new);
        let rendering = Rc::new(Rendering::new(subject, &self.current));
        let took = Rc::new(RefCell::new(HashMap::new()));
        let mut record = PassLedger {
            ledger: &mut self.ledger,
            rendering: Rc::clone(&rendering),
            took: Rc::clone(&took),
            proofreader: proofreader.clone(),
        };
        let (totals, plan, readers) = (Rc::clone(&self.totals), self.plan, &self.readers);
        // What cannot be read from the start says nothing about what was taken out.
        let reads =
            |path: &RelPath, entry: &Entry| readers.get(path).and_then(|reader| reader.reads(&entry.content));
        let counts = plan.count_readable
            && pass.is_guided()
            && self.current.iter().all(|(path, entry)| reads(path, entry) != Some(false));
        let told = move |digest: Digest, input: &Snapshot, tested: &Tested| {
            let mut totals = totals.borrow_mut();
            totals.commands += tested.took;
            totals.overhead += tested.overhead;
            took.borrow_mut().insert(digest, tested.took);
            for (path, entry) in input.iter().filter(|_| counts) {
                if let Some(reads) = reads(path, entry) {
                    totals.readable.0 += usize::from(reads);
                    totals.readable.1 += 1;
                }
            }
            if tested.other && totals.others < MOST_OTHERS {
                totals.others += 1;
                save_aside(plan, digest, input);
            }
        };
        let mut pool = PassPool {
            bench: &self.bench,
            rendering: Rc::clone(&rendering),
            wanted: HashMap::new(),
            told,
            before: self.bench.started(),
        };
        let mut best = search.best();
        let mut current = self.current.clone();
        let mut left = size(&current);
        let tokens_before = left.tokens;
        let (mut successes, mut failed) = (0, None);
        let (tell, keep) = (&mut *self.tell, &mut *self.keep);
        let (started, cancel, budget) = (self.started, self.cancel, self.plan.budget);
        let (bench, asked, mut needed) = (&self.bench, &mut self.asked, 0);
        let numbers = &mut self.numbers;
        let ended = run(search, &mut record, &mut pool, |progress| {
            let state = match progress {
                // What counts is the content: another config, or a guess in an earlier pass, may have been the same.
                Progress::Answered { config, answer, .. } => {
                    let digest = rendering.digest(config);
                    let refused = proofreader.as_ref().is_some_and(|reader| reader.has_refused(digest));
                    match !refused && asked.insert(digest) {
                        true => {
                            needed += 1;
                            numbers.needed_built += usize::from(answer.built);
                        }
                        false => numbers.saved += 1,
                    }
                    return Flow::Continue;
                }
                Progress::Moved { state, .. } => state,
            };
            let now = state.best();
            if now != best {
                successes += 1;
                best = now;
                current = rendering.input(&best);
                left = size(&current);
                if let Err(source) = keep(&current) {
                    failed = Some(source);
                    return Flow::Stop;
                }
            }
            let (tests, elapsed) = (bench.started(), started.elapsed());
            tell(&Happening::Progress { pass, bytes: left.bytes, tokens: left.tokens, tests, elapsed });
            let spent = match budget {
                Some(Budget::Time(most)) => elapsed >= most,
                Some(Budget::Tests(most)) => tests >= most,
                None => false,
            };
            if spent || cancel.is_cancelled() { Flow::Stop } else { Flow::Continue }
        })?;
        if let Some(source) = failed {
            return Err(ReduceError::Out { path: self.plan.out.clone(), source });
        }
        self.stopped = !ended.finished;
        self.current = current;
        self.numbers.needed += needed;
        self.in_passes += pool.started();
        let at = self.shares.iter().position(|(known, _)| *known == pass).unwrap_or_else(|| {
            self.shares.push((pass, Share::default()));
            self.shares.len() - 1
        });
        let share = &mut self.shares[at].1;
        share.tests += needed;
        share.successes += successes;
        share.tokens += tokens_before.saturating_sub(left.tokens);
        Ok(())
    }
}

/// How large an input is.
fn size(input: &Snapshot) -> Size {
    let contents = || input.iter().map(|(_, entry)| &entry.content);
    Size {
        files: input.len(),
        bytes: contents().map(|content| content.len()).sum(),
        tokens: contents().map(|content| count_tokens(content)).sum(),
    }
}

/// Saves an input that shows another symptom; the run does not depend on it.
fn save_aside(plan: &Plan, digest: Digest, input: &Snapshot) {
    let folder = plan.out.join("other").join(&digest.to_string()[..12]);
    if fs::create_dir_all(&folder).is_ok() {
        let _ = write_input(input, &folder);
    }
}

/// Where a file of the input is, inside a folder.
pub fn place(folder: &std::path::Path, path: &RelPath) -> PathBuf {
    folder.join(native(path))
}
