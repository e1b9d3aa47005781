//! What a search starts from: the changes, and what is known about them.

use crate::{Answer, Config, Couplings};
use std::sync::Arc;

/// The changes to search in, with optional weights, priors and couplings; cheap to clone.
#[derive(Clone, Debug)]
pub struct Problem {
    /// All changes; known to fail.
    pub full: Config,
    /// Size of each change by its number; empty when all weigh the same.
    pub weights: Arc<[u32]>,
    /// How suspicious each change is by its number, relative to the others; empty when all are alike.
    pub priors: Arc<[f64]>,
    /// The part of a program that each change lies in, by its number; empty where nothing is known of that.
    pub units: Arc<[u32]>,
    /// Which changes need which.
    pub couplings: Couplings,
    /// Those that make or take away declarations, which others likely need, in ways that need not be known.
    pub declarations: Config,
}

impl Problem {
    /// The changes `0..n` of which nothing is known.
    pub fn new(n: usize) -> Problem {
        Problem::of(Config::full(n))
    }

    /// These changes, of which nothing is known.
    pub fn of(full: Config) -> Problem {
        Problem {
            full,
            weights: [].into(),
            priors: [].into(),
            units: [].into(),
            couplings: Couplings::none(),
            declarations: Config::empty(),
        }
    }

    /// The same changes with a size for each.
    pub fn with_weights(self, weights: impl Into<Arc<[u32]>>) -> Problem {
        Problem { weights: weights.into(), ..self }
    }

    /// The same changes with a suspicion for each.
    pub fn with_priors(self, priors: impl Into<Arc<[f64]>>) -> Problem {
        Problem { priors: priors.into(), ..self }
    }

    /// The same changes with the part of a program that each lies in.
    pub fn with_units(self, units: impl Into<Arc<[u32]>>) -> Problem {
        Problem { units: units.into(), ..self }
    }

    /// The same changes with what is known to need what.
    pub fn with_couplings(self, couplings: Couplings) -> Problem {
        Problem { couplings, ..self }
    }

    /// The same changes, of which these are declarations.
    pub fn with_declarations(self, declarations: Config) -> Problem {
        Problem { declarations, ..self }
    }

    /// The same knowledge about fewer changes.
    pub fn within(&self, full: Config) -> Problem {
        Problem { full, ..self.clone() }
    }

    /// The same problem with what an answer teaches about who needs whom.
    pub fn told(&self, config: &Config, answer: &Answer) -> Problem {
        self.clone().with_couplings(self.couplings.learn(config, answer).0)
    }

    /// The size of a change.
    pub fn weight(&self, change: u32) -> u32 {
        self.weights.get(change as usize).copied().unwrap_or(1)
    }

    /// The size of all changes of a config.
    pub fn weigh(&self, config: &Config) -> u64 {
        config.iter().map(|change| u64::from(self.weight(change))).sum()
    }

    /// The suspicion of a change; one where nothing is known.
    pub fn prior(&self, change: u32) -> f64 {
        self.priors.get(change as usize).copied().unwrap_or(1.0)
    }
}
