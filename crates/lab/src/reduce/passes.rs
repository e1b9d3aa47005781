//! One pass: a search in each file, over recorded answers, and what it takes out.

use super::bench::{PassPool, Tested, write_input};
use super::ledger::{LONGEST_READ, PassLedger, Proofreader};
use super::rendering::{Rendering, Subject};
use super::strategy::{self, Look};
use super::{Happening, LARGE, Lab, Plan, ReduceError, Share, Size};
use crate::isolate::Budget;
use crate::pool::Pool;
use crate::run::{Flow, Progress, run};
use crate::workspace::Digest;
use nub_change::part::Pass;
use nub_change::{Entry, RelPath, Snapshot};
use nub_search::combine::Until;
use nub_search::{AnySearch, Config, Search};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::rc::Rc;

/// After this many rounds a text that is still large is looked at closely all the same.
const MOST_COARSE_ROUNDS: usize = 5;
/// At most so many inputs with other symptoms are saved.
const MOST_OTHERS: usize = 20;

/// When a pass is run.
#[derive(Clone, Copy)]
pub(super) enum Stage {
    /// Before all others, as long as this many questions take out enough.
    Glance(usize),
    /// In a round.
    Round(usize),
}

impl Lab<'_> {
    /// Runs a pass on every file, largest first; a pass that changed a file is run on it again in the next round.
    pub(super) fn pass(&mut self, pass: Pass, stage: Stage) -> Result<(), ReduceError> {
        match pass {
            Pass::Files => return self.files_pass(),
            Pass::Unrun => return self.unrun_pass(stage),
            _ => {}
        }
        for path in self.paths() {
            // Begun anew, what has become short is read before it is tested.
            while self.shortens(&path, pass, stage)? {}
            if self.stopped {
                break;
            }
        }
        Ok(())
    }

    /// The files, largest first.
    pub(super) fn paths(&self) -> Vec<RelPath> {
        let mut paths: Vec<(usize, RelPath)> =
            self.current.iter().map(|(path, entry)| (entry.content.len(), path.clone())).collect();
        paths.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        paths.into_iter().map(|(_, path)| path).collect()
    }

    /// Runs a pass on one file; where a grammar guides it, a pass that begins with a long text ends when that has become
    /// short. Tells whether it ended so.
    fn shortens(&mut self, path: &RelPath, pass: Pass, stage: Stage) -> Result<bool, ReduceError> {
        let look = match (stage, Size::of(&self.current).tokens > LARGE) {
            (Stage::Glance(patience), true) => Look::Glance(patience),
            (Stage::Round(0..MOST_COARSE_ROUNDS), true) => Look::Coarse,
            (Stage::Glance(_) | Stage::Round(0), false) => Look::First,
            (Stage::Round(_), _) => Look::Last,
        };
        let (Some(entry), Some(reader)) = (self.current.get(path), self.readers.get_mut(path)) else {
            return Ok(false);
        };
        let Some(offer) = reader.offer(pass, &entry.content) else { return Ok(false) };
        let is_long = entry.content.len() > LONGEST_READ;
        let may_shorten = is_long && pass.is_guided() && reader.language().is_some();
        let mut search = strategy::search(pass, &offer, self.plan.algorithm, look);
        if may_shorten {
            let parts = offer.parts.clone();
            let is_short = move |config: &Config| parts.render(config).len() <= LONGEST_READ;
            search = AnySearch::new(Until::new(search, is_short));
        }
        self.search(pass, search, Subject::Text(path.clone(), offer.parts))?;
        let is_short = self.current.get(path).is_some_and(|entry| entry.content.len() <= LONGEST_READ);
        Ok(may_shorten && is_short && !self.stopped)
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
    pub(super) fn search(
        &mut self,
        pass: Pass,
        search: AnySearch,
        subject: Subject,
    ) -> Result<(), ReduceError> {
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
        let mut left = Size::of(&current);
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
                left = Size::of(&current);
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
        let share = self.share(pass);
        share.tests += needed;
        share.successes += successes;
        share.tokens += tokens_before.saturating_sub(left.tokens);
        Ok(())
    }

    /// What a pass has done so far.
    pub(super) fn share(&mut self, pass: Pass) -> &mut Share {
        let at = self.shares.iter().position(|(known, _)| *known == pass).unwrap_or_else(|| {
            self.shares.push((pass, Share::default()));
            self.shares.len() - 1
        });
        &mut self.shares[at].1
    }
}

/// Saves an input that shows another symptom; the run does not depend on it.
fn save_aside(plan: &Plan, digest: Digest, input: &Snapshot) {
    let folder = plan.out.join("other").join(&digest.to_string()[..12]);
    if fs::create_dir_all(&folder).is_ok() {
        let _ = write_input(input, &folder);
    }
}
