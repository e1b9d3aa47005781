//! The result of a search by lines once more, by syntax: inside lines that matter there may be parts that do not.
//!
//! A search by syntax from the start needs three times the tests of one by lines, and what it finds is larger now and
//! then. What is left of the lines is small: taken apart, most of it is needed, and a few tests show which part is not.

use super::baseline::Baseline;
use super::hunt::{Found, Hunt};
use super::lab::Lab;
use super::{Finer, IsolateError, Plan, Spent, confirm, known_trees, open_journal};
use crate::coverage::{Collect, Measured, Wanted};
use crate::event::{Event, Side, Trial};
use crate::journal::{Journal, JournalError};
use crate::pool::local::LocalPool;
use crate::process::Cancel;
use crate::run::Numbers;
use crate::view::View;
use nub_change::{Change, Detail, Patchwork, Place, Sight, changed_lines, changed_tokens};
use nub_search::combine::Impatient;
use nub_search::{AnySearch, Config};
use std::fs;
use std::sync::Arc;

/// The folder inside that of the run where the search inside lines keeps its journal.
pub const FINER: &str = "finer";

/// The one for what is asked about single parts.
pub const ALONE: &str = "alone";

/// Where more changes than these are left, single parts of them are asked about: ...
pub(super) const MANY: usize = 16;
/// ... with this share of the questions so far, ...
const ALONE_SHARE: usize = 2;
/// ... and no fewer or more than these.
const LEAST_ALONE: usize = 16;
const MOST_ALONE: usize = 128;

/// What came of it.
pub(super) struct Refined {
    /// What was found among the finer changes.
    pub(super) found: Found,
    /// What is smaller than before, if anything is.
    pub(super) smaller: Option<Smaller>,
    /// Where the time went.
    pub(super) spent: Spent,
}

impl Refined {
    /// Whether it came to its end and found nothing smaller.
    pub(super) fn is_in_vain(&self) -> bool {
        self.found.finished && self.smaller.is_none()
    }
}

/// A result that is smaller than the one before.
pub(super) struct Smaller {
    pub(super) finer: Finer,
    pub(super) patch: Vec<u8>,
    pub(super) rest: Vec<u8>,
    /// The trial that showed it.
    pub(super) witness: Trial,
}

/// Searches inside what was found, where the plan wants that and there is anything finer; in the workspaces of the pool.
pub(super) fn refine(
    hunt: &Hunt<'_>,
    baseline: &Baseline,
    found: &Found,
    measured: Option<&Measured>,
    (journal, pool): (&Journal, LocalPool),
    cancel: &Cancel,
    tell: &mut dyn FnMut(&Event),
) -> Result<Option<Refined>, IsolateError> {
    let plan = hunt.lab.plan;
    if !plan.granularity.refines(plan.algorithm) || !found.finished {
        return Ok(None);
    }
    let inside = Inside { hunt, baseline, found, journal };
    let mut at = At { pool, start: hunt.view.turn(&Config::empty()) };
    let mut before = (found.numbers, Spent::default());
    let mut asked = Numbers::default();
    if hunt.hopes_for_one && found.critical.len() > MANY {
        // What takes the place of something may not be part of what flips the test, and yet be the reason.
        let units = plan.patchwork.units();
        let around = units.expand(&units.touched(&found.critical));
        let parts = inside.parts(&around, Detail::Parts);
        let ran = measured.map_or_else(Config::empty, |measured| inside.that_ran(&parts, measured));
        // Tests that a run goes on from count too, so that it asks no less than one that was not stopped.
        let asked_before = found.numbers.needed + found.numbers.saved;
        let questions = (asked_before / ALONE_SHARE).clamp(LEAST_ALONE, MOST_ALONE);
        let search = |hunt: &Hunt<'_>| hunt.alone(&ran, questions);
        let (refined, left) = inside.look(ALONE, (around, parts), at, found.numbers, search, cancel, tell)?;
        if !refined.is_in_vain() || (found.given_up && !hunt.is_in_one(&found.critical)) {
            return Ok(Some(refined));
        }
        at = left;
        asked = refined.found.numbers;
        before = (found.numbers.and(asked), refined.spent);
    }
    let parts = inside.parts(&found.critical, Detail::Syntax);
    if parts.full().len() < 2 && !found.given_up {
        return Ok(None);
    }
    let search = |hunt: &Hunt<'_>| if found.given_up { hunt.stages_and_close() } else { hunt.close() };
    let (refined, _) =
        inside.look(FINER, (found.critical.clone(), parts), at, before.0, search, cancel, tell)?;
    let numbers = asked.and(refined.found.numbers);
    let spent = before.1.and(refined.spent);
    Ok(Some(Refined { found: Found { numbers, ..refined.found }, spent, ..refined }))
}

/// What is looked into.
struct Inside<'a> {
    hunt: &'a Hunt<'a>,
    baseline: &'a Baseline,
    found: &'a Found,
    journal: &'a Journal,
}

/// A pool, and what the version searched from is in the numbers of its changes.
struct At {
    pool: LocalPool,
    start: Config,
}

impl Inside<'_> {
    /// These changes, taken apart.
    fn parts(&self, moved: &Config, detail: Detail) -> Patchwork {
        between(&self.hunt.lab.plan.patchwork, &self.hunt.view, moved, detail)
    }

    /// The parts that stand on lines of changes that the test runs, in the version searched from.
    fn that_ran(&self, parts: &Patchwork, measured: &Measured) -> Config {
        let place = |change: &Change| match self.hunt.view.from {
            Side::Old => change.old.clone(),
            Side::New => change.new.clone(),
        };
        let changes = self.hunt.lab.plan.patchwork.changes();
        let ran: Vec<Place> =
            measured.with(Sight::Ran).iter().filter_map(|k| place(&changes[k as usize])).collect();
        let is_beside = |a: &Place, b: &Place| {
            a.path == b.path && a.lines.start <= b.lines.end && b.lines.start <= a.lines.end
        };
        let has_run = |part: &&Change| place(part).is_some_and(|at| ran.iter().any(|b| is_beside(&at, b)));
        parts.changes().iter().filter(has_run).map(|part| part.number).collect()
    }

    /// Searches among parts of changes, and tells where the pool is then.
    #[expect(clippy::too_many_arguments, reason = "what is looked for, where, and who is told")]
    fn look(
        &self,
        folder: &str,
        (of, parts): (Config, Patchwork),
        at: At,
        before: Numbers,
        search: impl FnOnce(&Hunt<'_>) -> Impatient<AnySearch>,
        cancel: &Cancel,
        tell: &mut dyn FnMut(&Event),
    ) -> Result<(Refined, At), IsolateError> {
        let Inside { hunt, baseline, found, journal } = *self;
        let (plan, view) = (hunt.lab.plan, &hunt.view);
        let patchwork = Arc::new(parts);
        let full = patchwork.full();
        tell(&Event::Refining { changes: of.len(), parts: full.len() });
        let out = plan.out.join(folder);
        fs::create_dir_all(&out).map_err(|source| IsolateError::Out { path: out.clone(), source })?;
        let coverage = Wanted { collect: Collect::Off, ..Wanted::default() };
        let finer_plan = Plan { patchwork: Arc::clone(&patchwork), out, coverage, ..plan.clone() };
        let lab = Lab::new(&finer_plan, hunt.lab.guard);
        let mut finer_journal = match open_journal(&lab) {
            // What was found before was something else.
            Err(JournalError::AnotherRun { path, .. }) => Journal::fresh(path, &lab.fingerprint),
            opened => opened,
        }?;
        let finer_view = View { full, ..view.clone() };
        let start = finer_view.turn(&Config::empty());
        let (manner, notes) = (baseline.manner(plan), finer_journal.notes());
        let mut pool = lab.pool_after(at.pool, &plan.out, [&at.start, &start], manner, notes);
        pool.remember(known_trees(journal).chain(known_trees(&finer_journal)));

        let tokens = changed_tokens(&hunt.patch(&found.critical));
        let finer_hunt = Hunt::new(&lab, finer_view, hunt.started).after(before, tokens);
        let inside = finer_hunt.run(search(&finer_hunt), &mut pool, &mut finer_journal, cancel, tell)?;

        let patch = finer_hunt.patch(&inside.critical);
        let mut smaller = None;
        let [by_lines, by_syntax] = [&hunt.patch(&found.critical), &patch].map(|patch| size(patch));
        let counts = match folder {
            // What was found by then is not proven, as the lines are.
            _ if inside.given_up => false,
            // Where no single part was enough, nothing was found, however small all of them together are.
            ALONE => inside.critical != finer_hunt.view.full && by_syntax < by_lines,
            // What the lines were left with may be needed whole, and is proven now.
            _ => by_syntax < by_lines || (found.given_up && by_syntax == by_lines),
        };
        if counts {
            let (view, critical) = (&finer_hunt.view, &inside.critical);
            let witness = confirm(&lab, view, critical, baseline, &mut finer_journal, cancel, tell)?;
            let moved = patchwork.render(&view.turn(critical));
            let far = plan.patchwork.render(&hunt.view.turn(&hunt.view.full));
            let rest = Patchwork::between(&moved, &far);
            let rest = rest.patch(&Config::empty(), &rest.full());
            let finer = Finer { of, patchwork };
            let held = witness.filter(|witness| witness.outcome == view.wanted);
            smaller = held.map(|witness| Smaller { finer, patch, rest, witness });
        }
        Ok((Refined { found: inside, smaller, spent: lab.spent() }, At { pool, start }))
    }
}

/// How large a patch is for its reader: lines that are only laid out otherwise count, but less than anything they say.
fn size(patch: &[u8]) -> (usize, usize) {
    (changed_tokens(patch), changed_lines(patch))
}

/// The difference that these changes make, by syntax, between the version searched from and that with them moved.
fn between(patchwork: &Patchwork, view: &View, moved: &Config, detail: Detail) -> Patchwork {
    let [start, flipped] = [&Config::empty(), moved].map(|moved| patchwork.render(&view.turn(moved)));
    match view.from {
        Side::Old => Patchwork::by(detail, &start, &flipped),
        Side::New => Patchwork::by(detail, &flipped, &start),
    }
}
