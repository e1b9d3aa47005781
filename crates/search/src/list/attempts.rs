//! Given sets, each taken out in turn: for candidates that somebody who knows the text has made.

use crate::{Case, Cases, Config, Outcome::Fail, Search};
use std::sync::Arc;

/// Tries to take out each set, in order, once.
///
/// Promises nothing beyond the sets. Progress: every next state has fewer sets to go.
#[derive(Clone, Debug)]
pub struct Attempts {
    kept: Config,
    sets: Arc<[Config]>,
    at: usize,
}

impl Attempts {
    /// Tries the sets on a config that fails.
    pub fn new(kept: Config, sets: impl Into<Arc<[Config]>>) -> Attempts {
        Attempts { kept, sets: sets.into(), at: 0 }
    }
}

impl Search for Attempts {
    fn cases(&self) -> Cases<Attempts> {
        let Attempts { kept, sets, at } = self.clone();
        Box::new((at..sets.len()).filter_map(move |i| {
            // A set that lost something is another set, which nobody has offered.
            let rest = sets[i].is_subset(&kept).then(|| kept.minus(&sets[i])).filter(|rest| *rest != kept)?;
            let next = Attempts { kept: rest.clone(), sets: Arc::clone(&sets), at: i + 1 };
            Some(Case::when(rest, Fail, move || next.clone()))
        }))
    }

    fn otherwise(&self) -> Option<Attempts> {
        None
    }

    fn best(&self) -> Config {
        self.kept.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Oracle, Simulated, converse};

    #[test]
    fn attempts_take_out_what_can_go_and_skip_sets_that_are_no_longer_whole() {
        let oracle = Simulated::monotone(6, [0]);
        let sets = [[0, 1], [1, 2], [2, 3], [4, 5]].map(Config::from);
        let said = converse(Attempts::new(Config::full(6), sets), |c| oracle.test(c));
        assert_eq!(said.to_string(), ["{2-5} P", "{0,3-5} F", "{0,3} F", "-> {0,3}"].join("\n"));
    }
}
