//! How many of a kind there are among the changes, by what was seen: culprits, and changes that hold up a build.

/// Before anything is found, this many culprits are expected.
const EXPECTED_CULPRITS: f64 = 1.5;
/// How many findings that expectation is worth.
const EXPECTATION_WEIGHT: f64 = 0.7;

/// How much of what was seen still counts after another finding, where the density is not the same everywhere.
const MEMORY: f64 = 0.9;

#[derive(Clone, Debug)]
pub(super) struct Density {
    found: f64,
    looked_at: f64,
}

impl Density {
    /// Of which there is no sign yet.
    pub(super) fn none() -> Density {
        Density { found: 0.0, looked_at: 1.0 }
    }

    pub(super) fn expected(total_mass: f64) -> Density {
        Density {
            found: EXPECTATION_WEIGHT,
            looked_at: EXPECTATION_WEIGHT * total_mass.max(1.0) / EXPECTED_CULPRITS,
        }
    }

    pub(super) fn rate(&self) -> f64 {
        self.found / self.looked_at
    }

    /// So much mass held none.
    pub(super) fn look_at(&mut self, mass: f64) {
        self.looked_at += mass;
    }

    /// So much mass was found to be one.
    pub(super) fn find(&mut self, mass: f64) {
        self.found += 1.0;
        self.looked_at += mass;
    }

    /// The same, for a density that changes on the way.
    pub(super) fn find_for_now(&mut self, mass: f64) {
        self.found *= MEMORY;
        self.looked_at *= MEMORY;
        self.find(mass);
    }
}
