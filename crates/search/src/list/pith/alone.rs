//! Trying parts alone, with what they need: a small step from a version that builds builds most often.
//!
//! Halves are as far from both versions as a config can be, and where changes hang together in ways nobody knows, that
//! is where nothing builds. So after a broken build the changes that are left are tried in parts: each alone if they
//! are few, else in some stretches of neighbours, which belong together most often, and of whole functions, half of which
//! hardly ever builds. Where one shows the failure, all others are gone for the price of a few tests; where none does,
//! halving goes on.

use super::{Phase, Pith};
use crate::Config;
use std::sync::Arc;

/// What is left is tried in so many stretches.
const STRETCHES: usize = 8;
/// Where more changes than this are left...
const MANY: usize = 32;
/// ... after so many broken builds in a row, their halves and quarters are tried alone.
const PATIENCE: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct Alone {
    units: Arc<[Config]>,
    next: usize,
    /// Whether these are the suspects with what was found.
    pub(super) of_suspects: bool,
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
        let mut parts = self.parts();
        parts.sort_by(|a, b| self.mass(b).total_cmp(&self.mass(a)));
        let mut units: Vec<Config> = Vec::new();
        for part in parts {
            let unit = self.couplings.close(&part);
            if unit.len() < self.kept.len() && unit.is_subset(&self.kept) && !units.contains(&unit) {
                units.push(unit);
            }
        }
        self.phase = Phase::Alone(Alone { units: units.into(), next: 0, of_suspects: false });
    }

    /// Goes over from the proof to trying halves and quarters of what is left alone, with what was found, where many builds
    /// broke one after the other. What was learned by then may make everything need everything, so only what is certain counts.
    pub(super) fn try_halves_alone(&mut self) {
        let is_tried = self.builds.tried_halves.is_some_and(|len| 2 * self.kept.len() > len);
        let is_proof = matches!(self.phase, Phase::Proving(_));
        if !is_proof || is_tried || self.kept.len() <= MANY || self.builds.broken_in_a_row < PATIENCE {
            return;
        }
        self.builds.tried_halves = Some(self.kept.len());
        let certain = self.couplings.certain();
        let parts = [2, 4].into_iter().flat_map(|n| self.stretches(n));
        let mut units: Vec<Config> = Vec::new();
        for unit in parts.map(|part| certain.close(&part.union(&self.needed)).intersection(&self.kept)) {
            if unit.len() < self.kept.len() && !units.contains(&unit) {
                units.push(unit);
            }
        }
        self.phase = Phase::Alone(Alone { units: units.into(), next: 0, of_suspects: false });
    }

    /// Single changes, or stretches of neighbours that are cut between two parts of the program, if what is left is in several.
    fn parts(&self) -> Vec<Config> {
        let all: Vec<u32> = self.kept.iter().collect();
        if all.len() <= STRETCHES {
            return all.into_iter().map(|change| [change].into()).collect();
        }
        self.stretches(STRETCHES)
    }

    /// So many stretches of neighbours, or about as many, cut between two parts of the program if there are several.
    fn stretches(&self, n: usize) -> Vec<Config> {
        let all: Vec<u32> = self.kept.iter().collect();
        let size = all.len().div_ceil(n);
        let unit = |change: u32| self.units.get(change as usize);
        let mut whole: Vec<Vec<u32>> = Vec::new();
        for run in all.chunk_by(|&a, &b| unit(a) == unit(b)) {
            match whole.last_mut() {
                Some(last) if last.len() + run.len() / 2 < size => last.extend(run),
                _ => whole.push(run.to_vec()),
            }
        }
        match whole.len() {
            1 => all.chunks(size).map(|part| part.iter().copied().collect()).collect(),
            _ => whole.into_iter().map(Config::from_iter).collect(),
        }
    }

    /// Asks whether the suspects and what was found are all there is, where builds break: what is then left is nearer to
    /// a version that builds. Asked again only of half as many.
    pub(super) fn try_suspects_alone(&mut self) {
        let (Phase::Narrowing, Some(suspects)) = (&self.phase, &self.suspects) else { return };
        let unit = self.couplings.close(&suspects.union(&self.needed)).intersection(&self.kept);
        if self.builds.broken > 0.0 && unit.len() <= self.builds.suspects_alone.min(self.kept.len() / 2) {
            self.builds.suspects_alone = unit.len() / 2;
            self.phase = Phase::Alone(Alone { units: [unit].into(), next: 0, of_suspects: true });
        }
    }

    /// Asks whether what was found is all there is. Where builds break for reasons nobody names, each change
    /// that is left costs a build or two, and this question costs one.
    pub(super) fn try_found_alone(&mut self) {
        if self.builds.hidden.rate() > 0.0 && self.held.len() < self.kept.len() {
            self.phase =
                Phase::Alone(Alone { units: [self.held.clone()].into(), next: 0, of_suspects: false });
        }
    }

    pub(super) fn ask_alone(&mut self, Alone { units, next, of_suspects }: Alone) {
        self.phase = match units.get(next) {
            Some(unit) => {
                self.ask(self.kept.minus(unit), 1.0 / units.len() as f64);
                Phase::Alone(Alone { units, next: next + 1, of_suspects })
            }
            None => Phase::Narrowing,
        };
    }

    /// The last one that was tried alone, with what it was said to miss.
    pub(super) fn try_again_with_more(&mut self) {
        if let Phase::Proving(proving) = &mut self.phase {
            proving.could_not_go();
        }
        let Phase::Alone(Alone { units, next, .. }) = &mut self.phase else { return };
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
