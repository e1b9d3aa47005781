//! What was found, and how to say it.

use crate::words::count;
use nub_change::{Change, Kind, beginnings};
use nub_lab::event::Side;
use nub_lab::isolate::{Isolated, Plan};
use nub_search::Outcome;

/// Why a search went no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It came to its end.
    Finished,
    /// Its time or its tests were used up.
    Budget,
    /// Somebody stopped it.
    Interrupted,
}

/// A result with what it was found in.
#[derive(Clone, Copy)]
pub struct Finding<'a> {
    /// What was asked for.
    pub plan: &'a Plan,
    /// What was found.
    pub isolated: &'a Isolated,
    /// Why it went no further.
    pub ending: Ending,
}

impl Finding<'_> {
    /// What the test says once the critical patch is applied to the version searched from.
    pub fn flips_to(&self) -> Outcome {
        match self.isolated.from == self.isolated.direction.bad() {
            true => Outcome::Pass,
            false => Outcome::Fail,
        }
    }

    /// Whether the patch did not do what it should when it was built and tested once more.
    pub fn is_refuted(&self) -> bool {
        self.isolated.witness.as_ref().is_some_and(|witness| witness.outcome != self.flips_to())
    }

    /// The changes that matter, in order.
    pub fn critical(&self) -> impl Iterator<Item = &Change> {
        let changes = self.isolated.patchwork(self.plan).changes();
        self.isolated.critical.iter().map(|number| &changes[number as usize])
    }

    /// Where the result has only the beginning of a statement or declaration.
    pub fn beginnings(&self) -> Vec<String> {
        let patchwork = self.isolated.patchwork(self.plan);
        let found = beginnings(patchwork, &self.isolated.critical).into_iter();
        found.map(|k| spot(&patchwork.changes()[k as usize], self.isolated.from)).collect()
    }

    /// How many files differ between the versions.
    pub fn files(&self) -> usize {
        self.plan.patchwork.grouping(nub_change::Level::File).len()
    }
}

/// Where a change is: its file, and its line in the version searched from, if that has one.
pub(crate) fn spot(change: &Change, from: Side) -> String {
    let places = match from {
        Side::Old => [&change.old, &change.new],
        Side::New => [&change.new, &change.old],
    };
    let place = places.into_iter().flatten().next().expect("a change is in one of the versions");
    match change.kind {
        // An empty range lies after the line that is numbered by its start, counted from one.
        Kind::Insert | Kind::Delete | Kind::Replace | Kind::Move | Kind::Layout => {
            let line = if place.lines.is_empty() { place.lines.start.max(1) } else { place.lines.start + 1 };
            format!("{}:{line}", place.path)
        }
        _ => place.path.to_string(),
    }
}

/// What a change did on the way from the old version to the new one.
pub(crate) fn deed(change: &Change) -> String {
    let lines = |place: &Option<nub_change::Place>| place.as_ref().map_or(0, |place| place.lines.len());
    let old_path = || change.old.as_ref().map_or(String::new(), |place| format!(" `{}`", place.path));
    let new_path = || change.new.as_ref().map_or(String::new(), |place| format!(" to `{}`", place.path));
    match change.kind {
        Kind::Insert => {
            let verb = if change.twin.is_some() { "moves here" } else { "inserts" };
            format!("{verb} {}", count(lines(&change.new), "line"))
        }
        Kind::Delete => {
            let verb = if change.twin.is_some() { "moves away" } else { "deletes" };
            format!("{verb} {}", count(lines(&change.old), "line"))
        }
        Kind::Replace => format!("replaces {} by {}", count(lines(&change.old), "line"), lines(&change.new)),
        Kind::Move => format!("moves {}", count(lines(&change.new), "line")),
        Kind::Layout => "changes white space and comments".into(),
        Kind::Create => "creates the file".into(),
        Kind::Copy => format!("copies{}", old_path()),
        Kind::Remove => "removes the file".into(),
        Kind::Rename => format!("renames{}{}", old_path(), new_path()),
        Kind::Mode => "changes whether it is executable".into(),
        Kind::Type => "changes what it is".into(),
        Kind::Binary => "changes its bytes".into(),
        Kind::Symlink => "changes where the link points".into(),
        Kind::Submodule => "takes another commit of the submodule".into(),
    }
}

/// The name of a kind in JSON.
pub(crate) fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Insert => "insert",
        Kind::Delete => "delete",
        Kind::Replace => "replace",
        Kind::Move => "move",
        Kind::Layout => "layout",
        Kind::Create => "create",
        Kind::Copy => "copy",
        Kind::Remove => "remove",
        Kind::Rename => "rename",
        Kind::Mode => "mode",
        Kind::Type => "type",
        Kind::Binary => "binary",
        Kind::Symlink => "symlink",
        Kind::Submodule => "submodule",
    }
}
