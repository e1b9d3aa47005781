//! A sweep that knows couplings: what cannot stay goes together.
//!
//! Where a change is needed by others, taking it out alone only breaks the build. Here it goes with all that
//! need it, and a build that still breaks and says who else needed it makes the unit larger before it is
//! tried again. Large units come first: where one can go, its parts need not be asked about; where it cannot,
//! its parts are asked about as they would have been anyway.

use crate::{Answer, Case, Cases, Config, Couplings, Odds, Problem, Search};
use std::cmp::Reverse;
use std::sync::Arc;

/// Tries to take out each element with those that need it, until a whole round takes out nothing.
///
/// The result is minimal as far as the couplings are right: one that is followed wrongly keeps an element
/// from being tried alone, which is what [`Sweep`](super::Sweep) does. Progress: every next state has a
/// smaller config, or knows more couplings.
#[derive(Clone, Debug)]
pub struct UnitSweep {
    c: Config,
    couplings: Couplings,
    /// The elements by the size of their units at the start, largest first.
    order: Arc<[u32]>,
    at: usize,
}

impl UnitSweep {
    /// Sweeps all elements of a problem, under its couplings.
    pub fn new(problem: &Problem) -> UnitSweep {
        let size = |element: &u32| -> u64 {
            let unit = problem.couplings.dependents(&[*element].into(), &problem.full);
            unit.iter().map(|i| u64::from(problem.weight(i))).sum()
        };
        let mut order: Vec<u32> = problem.full.iter().collect();
        order.sort_by_cached_key(|element| Reverse(size(element)));
        let (c, couplings) = (problem.full.clone(), problem.couplings.clone());
        UnitSweep { c, couplings, order: order.into(), at: 0 }
    }

    fn without_unit(&self, couplings: &Couplings, element: u32) -> Config {
        self.c.minus(&couplings.dependents(&[element].into(), &self.c))
    }

    fn case(self: &Arc<UnitSweep>, at: usize) -> Option<Case<UnitSweep>> {
        let element = self.order[at];
        let rest = self.c.contains(element).then(|| self.without_unit(&self.couplings, element));
        let rest = rest.filter(|rest| !rest.is_empty())?;
        let (config, this) = (rest.clone(), Arc::clone(self));
        let next = move |answer: &Answer| {
            let order = Arc::clone(&this.order);
            if answer.fails() {
                return Some(UnitSweep {
                    c: rest.clone(),
                    couplings: this.couplings.clone(),
                    order,
                    at: at + 1,
                });
            }
            if answer.built {
                // Nothing in the rest needs what is gone, so there is nothing to unlearn either.
                return None;
            }
            let (couplings, _) = this.couplings.learn(&rest, answer);
            let larger_unit = this.without_unit(&couplings, element) != rest;
            larger_unit.then(|| UnitSweep { c: this.c.clone(), couplings, order, at })
        };
        Some(Case { config, odds: Odds::RARELY_FAILS, next: Box::new(next) })
    }
}

impl Search for UnitSweep {
    fn cases(&self) -> Cases<UnitSweep> {
        let this = Arc::new(self.clone());
        let round = (self.at..self.order.len()).chain(0..self.at);
        Box::new(round.filter_map(move |at| this.case(at)))
    }

    fn otherwise(&self) -> Option<UnitSweep> {
        None
    }

    fn best(&self) -> Config {
        self.c.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Coupling;
    use crate::laws::{Naming, Oracle, Promise, Simulated, check_laws, converse};

    /// 0 and 1 need each other, 2 needs both; 3 is the culprit.
    fn knot(naming: Naming) -> Simulated {
        Simulated { needs: vec![vec![1], vec![0], vec![0, 1]].into(), naming, ..Simulated::monotone(4, [3]) }
    }

    #[test]
    fn unit_sweep_keeps_the_laws() {
        check_laws(UnitSweep::new, Promise { one_minimal: true, bound: |n| n * n + 3 * n });
    }

    #[test]
    fn unit_sweep_takes_out_an_element_with_those_that_need_it_large_units_first() {
        let known = Couplings::given([Coupling::certain(1, 0), Coupling::certain(2, 1)]);
        let oracle = Simulated { known, ..Simulated::monotone(4, [1, 3]) };
        let said = converse(UnitSweep::new(&oracle.problem()), |c| oracle.test(c));
        let first_round = ["{3} P", "{0,3} P", "{0,1,3} F", "{0,1} P"];
        let second_round = ["{3} P = 1", "{0,3} P = 2", "-> {0,1,3}"];
        assert_eq!(said.to_string(), [&first_round[..], &second_round].concat().join("\n"));
    }

    #[test]
    fn unit_sweep_enlarges_a_unit_by_those_that_a_broken_build_names() {
        let oracle = knot(Naming::One);
        let said = converse(UnitSweep::new(&oracle.problem()), |c| oracle.test(c));
        assert_eq!(said.to_string(), ["{1-3} ?", "{2,3} ?", "{3} F", "-> {3}"].join("\n"));
    }

    #[test]
    fn unit_sweep_without_couplings_and_evidence_cannot_undo_a_knot() {
        let oracle = knot(Naming::Nothing);
        let said = converse(UnitSweep::new(&oracle.problem()), |c| oracle.test(c));
        assert_eq!(said.best, [0, 1, 3].into());
    }
}
