//! Finding the needed changes: group by group out of what is left, or out of the suspects.

use super::{Phase, Pith};
use crate::Config;

impl Pith {
    /// Asks about the next group, or moves on.
    pub(super) fn narrow(&mut self) {
        let free = self.kept.minus(&self.held);
        let pool = match &self.suspects {
            Some(suspects) => suspects.intersection(&free),
            None => free,
        };
        match self.group(&pool) {
            Some(group) => self.ask_group(group),
            None => match self.suspects.take() {
                Some(suspects) if suspects == pool && pool.is_disjoint(&self.builds.laid_aside) => {
                    self.density.find(self.mass(&pool));
                    self.needed = self.needed.union(&pool);
                    self.hold();
                }
                // One of them is needed, but they cannot be told apart by configs that build.
                Some(_) => self.builds.laid_aside = self.builds.laid_aside.union(&pool),
                None if self.builds.shrunk_since && !self.builds.laid_aside.is_empty() => {
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
        if let Phase::Narrowing = self.phase {
            self.suspects = Some(taken.clone());
        }
    }

    /// Starts over with what is left.
    pub(super) fn narrow_again(&mut self) {
        self.phase = Phase::Narrowing;
        self.suspects = None;
        self.builds.laid_aside = Config::empty();
        self.builds.shrunk_since = false;
    }
}
