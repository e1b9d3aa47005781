//! Building up from nothing, where too little can be taken out: a change goes in once the config with it builds.

use super::{Pairing, Phase, Pith};
use crate::Config;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) struct Growing {
    /// The largest config on the way that builds.
    grown: Config,
    waiting: Arc<[u32]>,
    next: usize,
    /// Whether anything went in in this round.
    grew: bool,
    /// What could not be taken out for a reason no build named.
    stuck: Config,
}

impl Growing {
    pub(super) fn from_nothing(kept: &Config, stuck: Config) -> Growing {
        Growing { grown: Config::empty(), waiting: kept.iter().collect(), next: 0, grew: false, stuck }
    }
}

impl Pith {
    pub(super) fn grow(&mut self, growing: Growing) {
        self.phase = match growing.waiting.get(growing.next) {
            Some(&change) => {
                let larger = self.couplings.close_onto(&growing.grown, &[change].into());
                // All that is left fails, as is known; and what is in already needs no question.
                if larger.len() < self.kept.len() && !growing.grown.contains(change) {
                    self.ask(self.kept.minus(&larger), 0.03);
                }
                Phase::Growing(Growing { next: growing.next + 1, ..growing })
            }
            None if growing.grew => {
                let waiting = self.kept.minus(&growing.grown).iter().collect();
                Phase::Growing(Growing { waiting, next: 0, grew: false, ..growing })
            }
            None => Phase::Pairing(Pairing::of(&growing.stuck, &self.kept, self.builds.asked as usize)),
        };
    }

    /// The config built: it is the new base to grow from.
    pub(super) fn grew(&mut self, config: &Config) {
        if let Phase::Growing(growing) = &mut self.phase {
            growing.grown = config.clone();
            growing.grew = true;
        }
    }
}
