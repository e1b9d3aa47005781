//! Trying each change alone, with what it needs: a single step from a version that builds builds most often.

use super::{Phase, Pith};
use crate::Config;
use std::sync::Arc;

/// Up to so many changes each is tried alone once a build breaks.
const FEW: usize = 24;

#[derive(Clone, Debug)]
pub(super) struct Alone {
    units: Arc<[Config]>,
    next: usize,
}

impl Pith {
    /// Goes over to trying changes alone, once, after a broken build and before anything is found.
    pub(super) fn try_alone_if_few(&mut self) {
        let narrowing = matches!(self.phase, Phase::Narrowing);
        if narrowing && !self.builds.tried_alone && self.needed.is_empty() && self.kept.len() <= FEW {
            self.try_alone();
        }
    }

    fn try_alone(&mut self) {
        self.builds.tried_alone = true;
        let mut suspicious: Vec<u32> = self.kept.iter().collect();
        suspicious.sort_by(|a, b| self.mass[*b as usize].total_cmp(&self.mass[*a as usize]));
        let mut units: Vec<Config> = Vec::new();
        for change in suspicious {
            let unit = self.couplings.close(&[change].into());
            if unit.len() < self.kept.len() && unit.is_subset(&self.kept) && !units.contains(&unit) {
                units.push(unit);
            }
        }
        self.phase = Phase::Alone(Alone { units: units.into(), next: 0 });
    }

    /// Asks whether what was found is all there is. Where builds break for reasons nobody names, each change
    /// that is left costs a build or two, and this question costs one.
    pub(super) fn try_found_alone(&mut self) {
        if self.builds.hidden.rate() > 0.0 && self.held.len() < self.kept.len() {
            self.phase = Phase::Alone(Alone { units: [self.held.clone()].into(), next: 0 });
        }
    }

    pub(super) fn ask_alone(&mut self, Alone { units, next }: Alone) {
        self.phase = match units.get(next) {
            Some(unit) => {
                self.ask(self.kept.minus(unit), 1.0 / units.len() as f64);
                Phase::Alone(Alone { units, next: next + 1 })
            }
            None => Phase::Narrowing,
        };
    }

    /// The last one that was tried alone, with what it was said to miss.
    pub(super) fn try_again_with_more(&mut self) {
        let Phase::Alone(Alone { units, next }) = &mut self.phase else { return };
        let Some(tried) = next.checked_sub(1) else { return };
        let more = self.couplings.close(&units[tried]);
        if more != units[tried] && more.len() < self.kept.len() && more.is_subset(&self.kept) {
            let mut again = units.to_vec();
            again[tried] = more;
            *units = again.into();
            *next = tried;
        }
    }
}
