//! What a test said about a config, with the evidence it left behind.

use crate::Config;
use std::sync::Arc;

/// What the test said about a config: the papers' ✔, ✘ and ?.
///
/// A search looks for a smallest config that fails; for `nub reduce` *fail* means *still interesting*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The failure is not there.
    Pass,
    /// The failure is there.
    Fail,
    /// The test cannot tell: it did not build, or showed something else.
    Unresolved,
}

/// `dependent` needs `needed`: a config with the first and without the second does not build.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling {
    /// The change that needs another.
    pub dependent: u32,
    /// The change it needs.
    pub needed: u32,
    /// How sure its source is; at [`Coupling::CERTAIN`] and above it is not put to the test.
    pub probability: f64,
}

impl Coupling {
    /// From this probability on a coupling is taken as given.
    pub const CERTAIN: f64 = 0.99;

    /// How sure a likely coupling is once a broken build has named it; it is put to the test when all else is proven.
    pub const CONFIRMED: f64 = 0.97;

    /// A coupling nobody doubts, such as nesting.
    pub fn certain(dependent: u32, needed: u32) -> Coupling {
        Coupling { dependent, needed, probability: 1.0 }
    }

    /// Whether the config holds the dependent without what it needs.
    pub fn is_broken_in(&self, config: &Config) -> bool {
        config.contains(self.dependent) && !config.contains(self.needed)
    }
}

/// An outcome plus its evidence; recorded whole, so that replays decide the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What the test said.
    pub outcome: Outcome,
    /// Whether the config built; a config that passes or fails did.
    pub built: bool,
    /// Couplings that the build's own messages suggest.
    pub needs: Arc<[Coupling]>,
}

impl Answer {
    /// An outcome without further evidence; Unresolved is taken for a failed build.
    pub fn bare(outcome: Outcome) -> Answer {
        Answer { outcome, built: outcome != Outcome::Unresolved, needs: [].into() }
    }

    /// A failed build that names who needs whom.
    pub fn broken_build(needs: impl IntoIterator<Item = Coupling>) -> Answer {
        Answer { outcome: Outcome::Unresolved, built: false, needs: needs.into_iter().collect() }
    }

    /// Whether the failure is there.
    pub fn fails(&self) -> bool {
        self.outcome == Outcome::Fail
    }
}
