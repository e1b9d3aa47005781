//! A search that asks about single parts aside, once it has become dear.
//!
//! Halving is best where every half can be tested. Where most of them cannot, small steps can: one part, with what it
//! needs, from the version that does not fail. One part is often all that matters, but to ask about each of them first
//! would cost a search that goes well far too much. So they are asked about when as many questions as there are parts
//! have told nothing, not even what a build misses: who rents skis, and buys them when the rents have come to their
//! price, never pays more than twice what the better of the two would have cost.
//!
//! ```text
//!   search    F P F ? F ? P ? ?             ? P F ...
//!   aside                       P ? P P P ?             one part each, most suspicious first
//! ```

use super::Make;
use super::singly::{Singly, Verdict};
use crate::{Answer, Case, Cases, Config, Coupling, Odds, Outcome, Problem, Search, one_case};
use std::sync::Arc;

/// No more is asked aside once no more changes are left than these.
const FEW: usize = 3;

/// How likely a part is enough.
const ODDS: Odds = Odds { fail: 0.05, unresolved: 0.5 };

/// Runs a search and, once so many of its questions told nothing, asks about single parts.
///
/// Promises what the search promises. Progress: that of the search, with a bounded number of questions between two of its
/// own.
#[derive(Clone)]
pub struct Aside<S> {
    search: S,
    /// What is still to be asked about alone; nothing once a part was enough.
    queue: Option<Arc<Singly>>,
    /// How many questions about parts there are: ...
    price: usize,
    /// ... so many of the search's own have to tell nothing first.
    told_nothing: usize,
    make: Make<S>,
}

impl<S: Search> Aside<S> {
    /// Searches in a problem by what `make` makes, and in a part, in the order given, if that is enough and smaller.
    pub fn new(
        problem: &Problem,
        parts: Vec<Config>,
        make: impl Fn(&Problem) -> S + Send + Sync + 'static,
    ) -> Aside<S> {
        let queue = Singly::new(problem, parts, usize::MAX);
        let (search, price, make) = (make(problem), queue.len(), Arc::new(make));
        Aside { search, queue: Some(Arc::new(queue)), price, told_nothing: 0, make }
    }

    /// With a part in turn that is worth a question, if it is time for that.
    fn settled(mut self) -> Aside<S> {
        if let Some(queue) = self.queue.take_if(|_| self.told_nothing >= self.price) {
            let left = self.search.best().len();
            let smaller = (left > FEW).then(|| Arc::unwrap_or_clone(queue).up_to(left / 2));
            self.queue = smaller.map(Arc::new);
        }
        self
    }

    fn told(&self, queue: &Singly, asked: &Config, answer: &Answer) -> Aside<S> {
        match queue.after(asked, answer) {
            Verdict::GoOn(queue) => Aside { queue: Some(Arc::new(queue)), ..self.clone() }.settled(),
            Verdict::Enough(problem) => Aside { search: (self.make)(&problem), queue: None, ..self.clone() },
        }
    }
}

impl<S: Search> Search for Aside<S> {
    fn cases(&self) -> Cases<Aside<S>> {
        let this = self.clone();
        let queue = self.queue.as_ref().filter(|_| self.told_nothing >= self.price);
        if let Some((queue, config)) = queue.and_then(|queue| Some((Arc::clone(queue), queue.config()?))) {
            let asked = config.clone();
            return one_case(Case::ask(config, ODDS, move |answer| this.told(&queue, &asked, answer)));
        }
        Box::new(self.search.cases().map(move |case| {
            let this = this.clone();
            case.map_told(move |search, asked, answer| {
                let told_nothing = this.told_nothing + usize::from(is_silent(asked, answer, &search.best()));
                Aside { search, told_nothing, ..this.clone() }.settled()
            })
        }))
    }

    fn otherwise(&self) -> Option<Aside<S>> {
        self.search.otherwise().map(|search| Aside { search, ..self.clone() }.settled())
    }

    fn best(&self) -> Config {
        self.search.best()
    }
}

/// Whether an answer tells nothing, not even what the config would have needed; what the best so far does without is no need.
fn is_silent(asked: &Config, answer: &Answer, best: &Config) -> bool {
    let is_met =
        |config: &Config, need: &Coupling| !config.contains(need.dependent) || config.contains(need.needed);
    let names = |need: &Coupling| !is_met(asked, need) && is_met(best, need);
    answer.outcome == Outcome::Unresolved && !answer.needs.iter().any(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::combine::UnitSweep;
    use crate::laws::{Oracle, Promise, Simulated, check_laws, converse};
    use crate::list::Pith;

    fn aside(problem: &Problem) -> Aside<UnitSweep> {
        let parts = problem.full.iter().map(|change| [change].into()).collect();
        Aside::new(problem, parts, UnitSweep::new)
    }

    #[test]
    fn aside_keeps_the_laws() {
        check_laws(aside, Promise { one_minimal: false, bound: |n| 5 * n + 2 * n * n });
    }

    /// 17 is enough, and so are all behind 40 together; most of what lies between cannot be tested.
    fn test(config: &Config) -> Answer {
        match (config.contains(17), config.iter().filter(|i| *i >= 40).count()) {
            (_, 20) => Answer::bare(Outcome::Fail),
            (true, 0) if config.len() <= 4 => Answer::bare(Outcome::Fail),
            _ if config.len() > 4 => Answer::bare(Outcome::Unresolved),
            _ => Answer::bare(Outcome::Pass),
        }
    }

    #[test]
    fn a_need_that_is_met_or_that_the_best_does_without_tells_nothing() {
        let [asked, best]: [Config; 2] = [[1, 2].into(), [1, 2, 3, 4].into()];
        let names = |dependent, needed| Answer::broken_build([Coupling::certain(dependent, needed)]);
        assert!(is_silent(&asked, &Answer::broken_build([]), &best));
        assert!(!is_silent(&asked, &names(1, 3), &best));
        assert!(is_silent(&asked, &names(1, 2), &best), "it is met");
        assert!(is_silent(&asked, &names(5, 6), &best), "nobody asks for it");
        assert!(is_silent(&asked, &names(1, 7), &best), "the best does without");
        assert!(!is_silent(&asked, &Answer::bare(Outcome::Pass), &best));
    }

    #[test]
    fn where_halves_cannot_be_tested_a_part_alone_is_found() {
        let problem = Problem::new(60);
        let parts = || (0..15).map(|i| (4 * i..4 * i + 4).collect()).collect();
        let alone = converse(Pith::new(&problem), test);
        let with_parts = converse(Aside::new(&problem, parts(), Pith::new), test);
        assert_eq!(alone.best, (40..60).collect());
        assert_eq!(with_parts.best, [17].into());
    }

    #[test]
    fn nothing_is_asked_aside_where_all_can_be_tested() {
        let oracle = Simulated::monotone(40, [3, 9, 30, 31]);
        let alone = converse(UnitSweep::new(&oracle.problem()), |c| oracle.test(c));
        let said = converse(aside(&oracle.problem()), |c| oracle.test(c));
        assert_eq!(said.to_string(), alone.to_string());
    }
}
