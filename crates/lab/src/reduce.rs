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
mod check;
mod error;
mod ledger;
mod passes;
mod plan;
mod property;
mod reduced;
mod rendering;
mod room;
mod strategy;
mod unrun;

pub use bench::Test;
pub use error::ReduceError;
pub use plan::Plan;
pub use property::{Condition, Property, Symptom};
pub use reduced::{Happening, Reduced, Share, Size};

use crate::process::{Cancel, Guard};
use crate::run::Numbers;
use crate::workspace::Digest;
use bench::{Bench, Setup, Tested, native};
use ledger::Ledger;
use nub_change::part::{Pass, Reader};
use nub_change::{Entry, EntryKind, RelPath, Snapshot};
use nub_search::Outcome;
use passes::Stage;
use rendering::digest;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};
use strategy::PATIENCE;

/// How long the first test may take.
const FIRST_TIMEOUT: Duration = Duration::from_secs(300);
/// From this many tokens on the lists are looked at again before anything finer.
const LARGE: usize = 1500;

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
    let ledger = Ledger::open(plan.out.join("journal.jsonl"), &plan.fingerprint(), plan.fresh)?;
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
    for (path, entry) in plan.input.iter().filter(|(_, entry)| entry.kind != EntryKind::Symlink) {
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
        runs: None,
        stopped: false,
    };
    lab.run()
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
    /// How each file is read; there is none for a link, which stays or goes as it is.
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
    /// Whether the test runs the input, if that is known.
    runs: Option<bool>,
    stopped: bool,
}

impl Lab<'_> {
    fn run(&mut self) -> Result<Reduced, ReduceError> {
        let before = Size::of(&self.plan.input);
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
            after: Size::of(&self.current),
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
            let (at_start, mut glanced) = (digest(&self.current), false);
            for pass in self.plan.passes.iter().copied().filter(|pass| !pass.is_rough()) {
                // Of a program that is run much is needed, and what is not is known by now.
                let may_glance = round == 0 && pass == Pass::Bodies && self.runs != Some(true);
                if may_glance && self.plan.passes.contains(&Pass::Lists) {
                    glanced = self.glance(PATIENCE)?;
                }
                // The tree has all that the lists have, and more.
                let is_small = Size::of(&self.current).tokens <= LARGE;
                let again = round > 0 && self.plan.passes.contains(&Pass::Tree);
                let covered = is_small && pass == Pass::Lists && (again || glanced);
                loop {
                    let tokens = Size::of(&self.current).tokens;
                    if self.stopped || covered {
                        break;
                    }
                    self.pass(pass, Stage::Round(round))?;
                    let left = Size::of(&self.current).tokens;
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

    /// Where few of many parts matter the lists find them sooner than anything else; bodies are for what is left then.
    /// Tells whether there was anything to look at.
    fn glance(&mut self, patience: usize) -> Result<bool, ReduceError> {
        for looked in [false].into_iter().chain(std::iter::repeat(true)) {
            let tokens = Size::of(&self.current).tokens;
            if self.stopped || tokens <= LARGE {
                return Ok(looked);
            }
            self.pass(Pass::Lists, Stage::Glance(patience))?;
            if Size::of(&self.current).tokens * 10 >= tokens * 9 {
                break;
            }
        }
        Ok(true)
    }

    /// The passes that make a text unreadable come last, alone: of the others only that which merges names has much to
    /// say about what they leave. If it has, all begins again.
    fn roughen(&mut self) -> Result<(), ReduceError> {
        loop {
            let mut before = None;
            while before.replace(digest(&self.current)) != Some(digest(&self.current)) {
                self.pass_if_planned(Pass::Rough)?;
                self.pass_if_planned(Pass::Blots)?;
            }
            self.pass_if_planned(Pass::Merge)?;
            if self.stopped || before == Some(digest(&self.current)) {
                return Ok(());
            }
            self.rounds()?;
        }
    }

    fn pass_if_planned(&mut self, pass: Pass) -> Result<(), ReduceError> {
        let is_planned = self.plan.passes.contains(&pass) && !self.stopped;
        if is_planned { self.pass(pass, Stage::Round(0)) } else { Ok(()) }
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
}

/// Where a file of the input is, inside a folder.
pub fn place(folder: &std::path::Path, path: &RelPath) -> PathBuf {
    folder.join(native(path))
}
