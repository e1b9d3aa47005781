//! The result of a search by lines once more, by syntax: inside lines that matter there may be parts that do not.
//!
//! A search by syntax from the start needs three times the tests of one by lines, and what it finds is larger now and
//! then. What is left of the lines is small: taken apart, most of it is needed, and a few tests show which part is not.

use super::baseline::Baseline;
use super::hunt::{Found, Hunt};
use super::lab::Lab;
use super::{Finer, IsolateError, Plan, Spent, confirm, known_trees, open_journal};
use crate::coverage::{Collect, Wanted};
use crate::event::{Event, Side, Trial};
use crate::journal::{Journal, JournalError};
use crate::pool::local::LocalPool;
use crate::process::Cancel;
use crate::view::View;
use nub_change::{Patchwork, changed_lines, changed_tokens};
use nub_search::Config;
use std::fs;
use std::sync::Arc;

/// The folder inside that of the run where the search inside lines keeps its journal.
pub const FINER: &str = "finer";

/// What came of it.
pub(super) struct Refined {
    /// What was found among the finer changes.
    pub(super) found: Found,
    /// What is smaller than before, if anything is.
    pub(super) smaller: Option<Smaller>,
    /// Where the time went.
    pub(super) spent: Spent,
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
    (journal, pool): (&Journal, LocalPool),
    cancel: &Cancel,
    tell: &mut dyn FnMut(&Event),
) -> Result<Option<Refined>, IsolateError> {
    let (plan, view) = (hunt.lab.plan, &hunt.view);
    if !plan.granularity.refines(plan.algorithm) || !found.finished {
        return Ok(None);
    }
    let patchwork = Arc::new(between(&plan.patchwork, view, &found.critical));
    let full = patchwork.full();
    if full.len() < 2 && !found.given_up {
        return Ok(None);
    }
    tell(&Event::Refining { changes: found.critical.len(), parts: full.len() });
    let out = plan.out.join(FINER);
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
    let start = [view, &finer_view].map(|view| view.turn(&Config::empty()));
    let (manner, notes) = (baseline.manner(plan), finer_journal.notes());
    let mut pool = lab.pool_after(pool, &plan.out, [&start[0], &start[1]], manner, notes);
    pool.remember(known_trees(journal).chain(known_trees(&finer_journal)));

    let tokens = changed_tokens(&hunt.patch(&found.critical));
    let finer_hunt = Hunt::new(&lab, finer_view, hunt.started).after(found.numbers, tokens);
    let search = if found.given_up { finer_hunt.stages_and_close() } else { finer_hunt.close() };
    let inside = finer_hunt.run(search, &mut pool, &mut finer_journal, cancel, tell)?;
    drop(pool);

    let patch = finer_hunt.patch(&inside.critical);
    let mut smaller = None;
    let [by_lines, by_syntax] = [&hunt.patch(&found.critical), &patch].map(|patch| size(patch));
    // What the lines were left with may be needed whole, and is proven now.
    if by_syntax < by_lines || (found.given_up && by_syntax == by_lines) {
        let (view, critical) = (&finer_hunt.view, &inside.critical);
        let witness = confirm(&lab, view, critical, baseline, &mut finer_journal, cancel, tell)?;
        let moved = patchwork.render(&view.turn(critical));
        let far = plan.patchwork.render(&hunt.view.turn(&hunt.view.full));
        let rest = Patchwork::between(&moved, &far);
        let rest = rest.patch(&Config::empty(), &rest.full());
        let finer = Finer { of: found.critical.clone(), patchwork };
        let held = witness.filter(|witness| witness.outcome == view.wanted);
        smaller = held.map(|witness| Smaller { finer, patch, rest, witness });
    }
    Ok(Some(Refined { found: inside, smaller, spent: lab.spent() }))
}

/// How large a patch is for its reader: lines that are only laid out otherwise count, but less than anything they say.
fn size(patch: &[u8]) -> (usize, usize) {
    (changed_tokens(patch), changed_lines(patch))
}

/// The difference that these changes make, by syntax, between the version searched from and that with them moved.
fn between(patchwork: &Patchwork, view: &View, moved: &Config) -> Patchwork {
    let [start, flipped] = [&Config::empty(), moved].map(|moved| patchwork.render(&view.turn(moved)));
    match view.from {
        Side::Old => Patchwork::by_syntax(&start, &flipped),
        Side::New => Patchwork::by_syntax(&flipped, &start),
    }
}
