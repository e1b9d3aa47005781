//! Building up from nothing, where too little can be taken out: a change goes in once the config with it builds.
//!
//! Rings of changes that need each other, and no build says so, stop every search that takes out; from below the
//! needs of a culprit come in one after the other. It succeeds only if the needs of every culprit can come in, so
//! it is not tried where several are known.

use super::{Pairing, Phase, Pith};
use crate::Config;
use std::sync::Arc;

/// From so many needed changes on, building up is not tried.
const SEVERAL: usize = 2;
/// Unless what is left is so many times smaller than the number of questions so far.
const CHEAP: f64 = 8.0;
/// Another round is worth it when the last one brought in this share of what waits.
const SHARE: f64 = 0.03;

#[derive(Clone, Debug)]
pub(super) struct Growing {
    /// The largest config on the way that builds.
    grown: Config,
    waiting: Arc<[u32]>,
    next: usize,
    /// How many times something went in in this round.
    grew: usize,
    /// How many questions may be asked in all.
    patience: usize,
    /// What could not be taken out for a reason no build named, if the proof is behind.
    stuck: Option<Config>,
}

impl Growing {
    fn from_nothing(pith: &Pith, stuck: Option<Config>) -> Growing {
        // Where builds say what they miss, or a closer look follows, building up costs no more than all that went before.
        let is_last_hope = pith.prove && 2.0 * pith.builds.unexplained > pith.builds.broken;
        let patience = if is_last_hope { usize::MAX } else { pith.builds.asked as usize };
        let (grown, waiting) = (Config::empty(), pith.kept.iter().collect());
        Growing { grown, waiting, next: 0, grew: 0, patience, stuck }
    }
}

impl Pith {
    /// Builds up when most of the changes could not go, before they are tried once more.
    pub(super) fn grow_early(&mut self) -> bool {
        let most_could_not_go = 2 * self.kept.len() > self.order.len();
        let early = most_could_not_go && !self.builds.tried_growing && self.needed.is_empty();
        if early {
            self.builds.tried_growing = true;
            self.phase = Phase::Growing(Growing::from_nothing(self, None));
        }
        early
    }

    /// What is left after a proof in which these changes could not go for a reason no build named.
    pub(super) fn grow_late(&mut self, stuck: Config) {
        let cheap = CHEAP * self.kept.len() as f64 <= self.builds.asked;
        self.phase = if self.builds.tried_growing {
            Phase::Pairing(Pairing::of(&stuck, &self.kept))
        } else if self.needed.len() < SEVERAL || cheap {
            Phase::Growing(Growing::from_nothing(self, Some(stuck)))
        } else {
            Phase::Done
        };
    }

    pub(super) fn grow(&mut self, mut growing: Growing) {
        let is_patient = growing.patience > 0;
        self.phase = match growing.waiting.get(growing.next).filter(|_| is_patient) {
            Some(&change) => {
                let larger = self.couplings.close_onto(&growing.grown, &[change].into());
                // All that is left fails, as is known; and what is in already needs no question.
                if larger.len() < self.kept.len() && !growing.grown.contains(change) {
                    growing.patience -= 1;
                    self.ask(self.kept.minus(&larger), 0.03);
                }
                Phase::Growing(Growing { next: growing.next + 1, ..growing })
            }
            None => {
                let waiting = self.kept.minus(&growing.grown);
                match growing.stuck {
                    _ if is_patient
                        && growing.grew > 0
                        && growing.grew as f64 >= SHARE * waiting.len() as f64 =>
                    {
                        let waiting = waiting.iter().collect();
                        Phase::Growing(Growing { waiting, next: 0, grew: 0, ..growing })
                    }
                    Some(stuck) => Phase::Pairing(Pairing::of(&stuck, &self.kept)),
                    None => Phase::Narrowing,
                }
            }
        };
    }

    /// The config built: it is the new base to grow from.
    pub(super) fn grew(&mut self, config: &Config) {
        if let Phase::Growing(growing) = &mut self.phase {
            growing.grown = config.clone();
            growing.grew += 1;
        }
    }
}
