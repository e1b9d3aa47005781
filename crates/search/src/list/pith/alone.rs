//! Trying parts alone, with what they need: a small step from a version that builds builds most often.
//!
//! Halves are as far from both versions as a config can be, and where changes hang together in ways nobody knows, that
//! is where nothing builds. So after a broken build the changes that are left are tried in parts: each alone if they
//! are few, else in some stretches of neighbours, which belong together most often. Where one shows the failure, all
//! others are gone for the price of a few tests; where none does, halving goes on.

use super::{Phase, Pith};
use crate::Config;
use std::sync::Arc;

/// Up to so many changes each is tried alone once a build breaks.
const FEW: usize = 24;
/// More are tried in so many stretches.
const STRETCHES: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct Alone {
    units: Arc<[Config]>,
    next: usize,
}

impl Pith {
    /// Goes over to trying parts alone, once for what is left, after a broken build and before anything is found.
    pub(super) fn try_alone(&mut self) {
        let narrowing = matches!(self.phase, Phase::Narrowing);
        let is_tried = self.builds.tried_alone.is_some_and(|len| 2 * self.kept.len() > len);
        if !narrowing || is_tried || !self.needed.is_empty() {
            return;
        }
        self.builds.tried_alone = Some(self.kept.len());
        let all: Vec<u32> = self.kept.iter().collect();
        let size = if all.len() <= FEW { 1 } else { all.len().div_ceil(STRETCHES) };
        let mut parts: Vec<Config> = all.chunks(size).map(|part| part.iter().copied().collect()).collect();
        parts.sort_by(|a, b| self.mass(b).total_cmp(&self.mass(a)));
        let mut units: Vec<Config> = Vec::new();
        for part in parts {
            let unit = self.couplings.close(&part);
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
        if let Phase::Proving(proving) = &mut self.phase {
            proving.could_not_go();
        }
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
