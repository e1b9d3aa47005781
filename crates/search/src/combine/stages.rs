//! Coarse to fine: files, then declarations, then statements, then single changes.
//!
//! Each stage searches among groups; what is left of them goes to the next stage in smaller groups. All
//! questions are put in element numbers, so an answer from one stage is remembered in every other.

use super::{Grouping, Make};
use crate::{Answer, Case, Cases, Config, Couplings, Problem, Search};
use std::sync::Arc;

/// Runs a search once for each grouping, on what the one before left, most often down to the elements themselves.
///
/// Where the last stage sees single elements, the result is 1-minimal if the last search's is. What answers teach
/// about couplings of elements goes on to the next stage.
#[derive(Clone)]
pub struct Stages<S> {
    stage: Arc<Stage<S>>,
    /// The search among the groups of this stage.
    inner: S,
    /// What is known by now of who needs whom.
    couplings: Couplings,
}

/// One stage: its grouping, and the elements that were left when it began.
struct Stage<S> {
    at: usize,
    groupings: Arc<[Grouping]>,
    problem: Problem,
    make: Make<S>,
    make_last: Make<S>,
}

impl<S: Search> Stages<S> {
    /// Goes through the groupings in order, with searches that `make` makes.
    pub fn new(
        problem: &Problem,
        groupings: impl IntoIterator<Item = Grouping>,
        make: impl Fn(&Problem) -> S + Send + Sync + 'static,
    ) -> Stages<S> {
        let make: Make<S> = Arc::new(make);
        let groupings = groupings.into_iter().chain([Grouping::elements()]);
        Stages::start(problem, groupings, Arc::clone(&make), make)
    }

    /// Goes through the groupings and no further, with another search for the last one, which there must be.
    ///
    /// What is left is as minimal in groups of that grouping as `make_last` proves.
    pub fn down_to(
        problem: &Problem,
        groupings: impl IntoIterator<Item = Grouping>,
        make: impl Fn(&Problem) -> S + Send + Sync + 'static,
        make_last: impl Fn(&Problem) -> S + Send + Sync + 'static,
    ) -> Stages<S> {
        Stages::start(problem, groupings, Arc::new(make), Arc::new(make_last))
    }

    fn start(
        problem: &Problem,
        groupings: impl IntoIterator<Item = Grouping>,
        make: Make<S>,
        make_last: Make<S>,
    ) -> Stages<S> {
        let groupings = groupings.into_iter().collect();
        Stage { at: 0, groupings, problem: problem.clone(), make, make_last }.start()
    }
}

impl<S: Search> Stage<S> {
    fn start(self) -> Stages<S> {
        let last = self.at + 1 == self.groupings.len();
        let make = if last { &self.make_last } else { &self.make };
        let inner = make(&self.grouping().lift(&self.problem));
        let couplings = self.problem.couplings.clone();
        Stages { stage: Arc::new(self), inner, couplings }
    }

    fn grouping(&self) -> &Grouping {
        &self.groupings[self.at]
    }

    fn elements(&self, groups: &Config) -> Config {
        self.grouping().keep(groups, &self.problem.full)
    }

    fn next(&self, left: Config, couplings: Couplings) -> Option<Stages<S>> {
        let more = self.at + 1 < self.groupings.len();
        more.then(|| {
            let problem = self.problem.within(left).with_couplings(couplings);
            let groupings = Arc::clone(&self.groupings);
            let (make, make_last) = (Arc::clone(&self.make), Arc::clone(&self.make_last));
            Stage { at: self.at + 1, groupings, problem, make, make_last }.start()
        })
    }

    fn case(self: &Arc<Stage<S>>, couplings: &Couplings, inner: Case<S>) -> Case<Stages<S>> {
        let (config, stage) = (self.elements(&inner.config), Arc::clone(self));
        let (asked, couplings) = (config.clone(), couplings.clone());
        let next = move |answer: &Answer| {
            let in_groups = stage.grouping().lift_answer(answer, &stage.problem.full);
            let couplings = couplings.learn(&asked, answer).0;
            (inner.next)(&in_groups).map(|inner| Stages { stage: Arc::clone(&stage), inner, couplings })
        };
        Case { config, odds: inner.odds, next: Box::new(next) }
    }
}

impl<S: Search> Search for Stages<S> {
    fn cases(&self) -> Cases<Stages<S>> {
        let (stage, couplings) = (Arc::clone(&self.stage), self.couplings.clone());
        Box::new(self.inner.cases().map(move |case| stage.case(&couplings, case)))
    }

    fn otherwise(&self) -> Option<Stages<S>> {
        match self.inner.otherwise() {
            Some(inner) => Some(Stages { inner, ..self.clone() }),
            None => self.stage.next(self.best(), self.couplings.clone()),
        }
    }

    fn best(&self) -> Config {
        self.stage.elements(&self.inner.best())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::combine::Coupled;
    use crate::laws::{Naming, Oracle, Promise, Simulated, check_laws, converse};
    use crate::list::Ddmin;
    use crate::{Coupling, Random};

    fn ddmin(problem: &Problem) -> Ddmin {
        Ddmin::new(problem.full.clone())
    }

    /// Groups by number, in ranges of this length.
    fn ranges(n: u32, length: u32) -> Grouping {
        Grouping::new((0..n).map(|i| Some(i / length)))
    }

    /// Two groupings of `n` elements: any, and a finer one.
    fn random_groupings(n: usize) -> [Grouping; 2] {
        let mut random = Random::new(n as u64);
        let coarse: Vec<u32> = (0..n).map(|_| random.below(1 + n / 5) as u32).collect();
        let fine: Vec<u32> = coarse.iter().map(|group| 3 * group + random.below(3) as u32).collect();
        [coarse, fine].map(|groups| Grouping::new(groups.into_iter().map(Some)))
    }

    #[test]
    fn stages_keep_the_laws_in_any_grouping() {
        let promise = Promise { one_minimal: true, bound: |n| n * n + 3 * n };
        check_laws(|p| Stages::new(p, random_groupings(p.full.len()), ddmin), promise);
    }

    #[test]
    fn stages_go_from_groups_to_elements_and_ask_in_elements() {
        let oracle = Simulated::monotone(8, [5]);
        let said =
            converse(Stages::new(&oracle.problem(), [ranges(8, 4), ranges(8, 2)], ddmin), |c| oracle.test(c));
        assert_eq!(
            said.to_string(),
            ["{0-3} P", "{4-7} F", "{4,5} F", "{4} P", "{5} F", "-> {5}"].join("\n")
        );
    }

    #[test]
    fn stages_down_to_a_grouping_leave_whole_groups() {
        let oracle = Simulated::monotone(8, [5]);
        let groupings = [ranges(8, 4), ranges(8, 2)];
        let said = converse(Stages::down_to(&oracle.problem(), groupings, ddmin, ddmin), |c| oracle.test(c));
        assert_eq!(said.to_string(), ["{0-3} P", "{4-7} F", "{4,5} F", "-> {4,5}"].join("\n"));
    }

    #[test]
    fn an_answer_from_one_stage_is_remembered_in_the_next() {
        let oracle = Simulated::monotone(4, [0, 3]);
        let said = converse(Stages::new(&oracle.problem(), [ranges(4, 2)], ddmin), |c| oracle.test(c));
        assert_eq!(said.questions[2].config, [0, 1].into());
        assert_eq!(said.questions[2].repeats, Some(1));
    }

    #[test]
    fn an_inner_search_is_told_of_evidence_and_couplings_in_groups() {
        let needs = vec![vec![], vec![], vec![4], vec![]];
        let culprit = Simulated { needs: needs.into(), naming: Naming::One, ..Simulated::monotone(8, [3]) };
        let coupled = |p: &Problem| Coupled::new(p, ddmin);
        let told = converse(Stages::new(&culprit.problem(), [ranges(8, 2)], coupled), |c| culprit.test(c));
        assert_eq!(told.questions[0].config, Config::full(4));
        assert_eq!(told.questions[1].config, Config::full(6), "group 1 needs group 2");

        let known = Couplings::given([Coupling::certain(2, 4)]);
        let knowing = Simulated { known, ..culprit };
        let told = converse(Stages::new(&knowing.problem(), [ranges(8, 2)], coupled), |c| knowing.test(c));
        assert_eq!(told.questions[0].config, Config::full(6));
        assert_eq!(told.best, [3].into());
    }
}
