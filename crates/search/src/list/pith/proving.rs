//! The proof: whatever nothing else needs is taken out once more, one after the other.

use super::{Phase, Pith};
use crate::Config;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) struct Proving {
    units: Arc<[Config]>,
    next: usize,
    /// What could not go for a reason no build named.
    pub(super) stuck: Config,
    /// Whether anything went in this round.
    pub(super) shrunk: bool,
}

impl Pith {
    pub(super) fn start_proving(&mut self) {
        let units = self.couplings.unneeded_units(&self.kept).into();
        self.suspects = None;
        self.phase = Phase::Proving(Proving { units, next: 0, stuck: Config::empty(), shrunk: false });
    }

    pub(super) fn prove(&mut self, proving: Proving) {
        match proving.units.get(proving.next).cloned() {
            Some(unit) => {
                self.phase = Phase::Proving(Proving { next: proving.next + 1, ..proving });
                // All that is left cannot go: the empty config does not fail.
                if unit.len() < self.kept.len() {
                    self.ask(unit, 0.03);
                }
            }
            None if proving.shrunk => self.start_proving(),
            None if proving.stuck.len() < 2 => self.phase = Phase::Done,
            None => self.grow_late(proving.stuck),
        }
    }
}
