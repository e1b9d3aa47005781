//! How many culprits there are for each unit of mass, by what was seen.

/// Before anything is found, this many culprits are expected.
const EXPECTED_CULPRITS: f64 = 1.5;
/// How many findings that expectation is worth.
const EXPECTATION_WEIGHT: f64 = 0.7;

#[derive(Clone, Debug)]
pub(super) struct Density {
    found: f64,
    looked_at: f64,
}

impl Density {
    pub(super) fn expected(total_mass: f64) -> Density {
        Density {
            found: EXPECTATION_WEIGHT,
            looked_at: EXPECTATION_WEIGHT * total_mass.max(1.0) / EXPECTED_CULPRITS,
        }
    }

    pub(super) fn rate(&self) -> f64 {
        self.found / self.looked_at
    }

    /// So much mass held no culprit.
    pub(super) fn look_at(&mut self, mass: f64) {
        self.looked_at += mass;
    }

    /// So much mass was found to be a culprit.
    pub(super) fn find(&mut self, mass: f64) {
        self.found += 1.0;
        self.looked_at += mass;
    }
}
