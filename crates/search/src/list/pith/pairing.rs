//! Taking out two at a time what could not go alone: two changes that need each other, and no build said so.

use super::{Phase, Pith};
use crate::Config;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) struct Pairing {
    pairs: Arc<[Config]>,
    next: usize,
}

impl Pairing {
    /// Neighbours among the changes that could not go alone: they need each other most often.
    pub(super) fn of(stuck: &Config, kept: &Config) -> Pairing {
        let stuck: Vec<u32> = stuck.iter().collect();
        let neighbours = stuck.windows(2).map(|pair| pair.iter().copied().collect());
        let pairs = if kept.len() > 2 { neighbours.collect() } else { [].into() };
        Pairing { pairs, next: 0 }
    }
}

impl Pith {
    pub(super) fn pair(&mut self, Pairing { pairs, next }: Pairing) {
        let Some(pair) = pairs.get(next).cloned() else {
            self.phase = Phase::Done;
            return;
        };
        self.phase = Phase::Pairing(Pairing { pairs, next: next + 1 });
        self.ask(pair, 0.03);
    }
}
