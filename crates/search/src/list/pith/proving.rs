//! The proof: whatever nothing else needs is taken out once more, one after the other.
//!
//! What a doubtful coupling has held back is often not needed at all, and where one such change goes, the next ones do
//! as well: after each success twice as many are taken together, until they cannot go.

use super::{Phase, Pith};
use crate::{Config, Coupling};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) struct Proving {
    units: Arc<[Config]>,
    next: usize,
    /// How many units are taken out together.
    stride: usize,
    /// What could not go for a reason no build named.
    pub(super) stuck: Config,
    /// Whether anything went in this round.
    pub(super) shrunk: bool,
    /// How sure a coupling must be to be trusted: what only messages confirmed is put to the test last.
    sure: f64,
}

impl Proving {
    /// What is taken out next.
    fn together(&self) -> Option<Config> {
        let units = &self.units[self.next..self.next + self.stride];
        units.iter().cloned().reduce(|all, unit| all.union(&unit))
    }

    /// What was taken out last is gone.
    pub(super) fn went(&mut self) {
        self.next += self.stride;
        self.stride *= 2;
        self.shrunk = true;
    }

    /// What was taken out last had to stay.
    pub(super) fn could_not_go(&mut self) {
        match self.stride {
            1 => self.next += 1,
            _ => self.stride /= 2,
        }
        self.stride = self.stride.max(1);
    }

    /// What was taken out last broke the build, and nothing said why.
    pub(super) fn broke(&mut self, taken: &Config) {
        if self.stride == 1 {
            self.stuck = self.stuck.union(taken);
        }
        self.could_not_go();
    }
}

impl Pith {
    pub(super) fn start_proving(&mut self) {
        let units = self.couplings.unneeded_units(&self.kept, Coupling::CONFIRMED);
        self.suspects = None;
        self.phase = Phase::Proving(Proving {
            units: units.into(),
            next: 0,
            stride: 1,
            stuck: Config::empty(),
            shrunk: false,
            sure: Coupling::CONFIRMED,
        });
    }

    /// Goes on with what only confirmed couplings hold, now that nothing else can go.
    fn doubt(&mut self, proving: Proving) {
        let mut units = self.couplings.unneeded_units(&self.kept, Coupling::CERTAIN);
        units.retain(|unit| self.couplings.is_needed(unit, &self.kept, Coupling::CONFIRMED));
        let sure = Coupling::CERTAIN;
        self.phase = Phase::Proving(Proving { units: units.into(), next: 0, stride: 1, sure, ..proving });
    }

    pub(super) fn prove(&mut self, mut proving: Proving) {
        // A build may have named who needs it since the round began.
        while proving.stride == 1
            && let Some(unit) = proving.units.get(proving.next)
            && self.couplings.is_needed(unit, &self.kept, proving.sure)
        {
            proving.next += 1;
        }
        let left = proving.units.len() - proving.next;
        proving.stride = proving.stride.min(left);
        match proving.together() {
            Some(units) => {
                // All that is left cannot go: the empty config does not fail.
                match units.len() < self.kept.len() {
                    true => self.ask(units, if proving.stride > 1 { 0.5 } else { 0.03 }),
                    false => proving.could_not_go(),
                }
                self.phase = Phase::Proving(proving);
            }
            None if proving.shrunk => self.start_proving(),
            None if proving.sure < Coupling::CERTAIN => self.doubt(proving),
            None if proving.stuck.len() < 2 => self.phase = Phase::Done,
            None => self.grow_late(proving.stuck),
        }
    }
}
