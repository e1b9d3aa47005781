//! Finding the needed changes: group by group out of what is left, or out of the suspects.

use super::{Alone, Phase, Pith};
use crate::Config;

impl Pith {
    /// Asks about the next group, or moves on.
    pub(super) fn narrow(&mut self) {
        let free = self.kept.minus(&self.held);
        let pool = match &self.suspects {
            Some(suspects) => suspects.intersection(&free),
            None => free,
        };
        let blocked = self.builds.blocked.as_ref().map(|blocked| blocked.intersection(&pool));
        if let Some(blocked) = blocked.filter(|blocked| !blocked.is_empty()) {
            match self.group(&blocked) {
                Some(group) => self.ask_group(group),
                None => self.block(&blocked),
            }
            return;
        }
        self.builds.blocked = None;
        match self.group(&pool) {
            Some(group) => self.ask_group(group),
            None => match self.suspects.take() {
                Some(suspects) if suspects == pool && pool.is_disjoint(&self.builds.laid_aside) => {
                    self.density.find(self.mass(&pool));
                    self.needed = self.needed.union(&pool);
                    self.builds.suspects_alone = usize::MAX;
                    self.hold();
                    self.try_found_alone();
                }
                // One of them is needed, but they cannot be told apart by configs that build.
                Some(_) => self.builds.laid_aside = self.builds.laid_aside.union(&pool),
                None if self.builds.shrunk_since && !self.builds.laid_aside.is_empty() => {
                    if self.grow_early() {
                        return;
                    }
                    self.builds.laid_aside = Config::empty();
                    self.builds.shrunk_since = false;
                }
                None if self.prove => self.start_proving(),
                None => self.phase = Phase::Done,
            },
        }
    }

    /// The failure is gone with these changes: one of them is needed.
    pub(super) fn keep_suspecting(&mut self, taken: &Config) {
        match &mut self.phase {
            Phase::Narrowing => self.suspects = Some(taken.clone()),
            Phase::Proving(proving) => proving.could_not_go(),
            // There is something else to find: whatever is suspected next is not all there is either.
            Phase::Alone(Alone { of_suspects: true, .. }) => self.builds.suspects_alone = 0,
            Phase::Alone(_) | Phase::Growing(_) | Phase::Pairing(_) | Phase::Done => {}
        }
    }

    /// The build breaks without these changes, which cannot be split: they wait until something else went.
    pub(super) fn block(&mut self, changes: &Config) {
        self.builds.hidden.find_for_now(changes.len() as f64);
        self.builds.laid_aside = self.builds.laid_aside.union(changes);
        self.builds.blocked = None;
    }

    /// It builds without these changes: what holds up the build is among the others.
    pub(super) fn unblock(&mut self, changes: &Config) {
        let blocked = self.builds.blocked.take().map(|blocked| blocked.minus(changes));
        self.builds.blocked = blocked.filter(|blocked| !blocked.is_empty());
    }

    /// Starts over with what is left.
    pub(super) fn narrow_again(&mut self) {
        self.phase = Phase::Narrowing;
        self.suspects = None;
        self.builds.blocked = None;
        self.builds.laid_aside = Config::empty();
        self.builds.shrunk_since = false;
    }
}
