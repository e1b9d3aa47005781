//! A second look where the first was not: a test can change its mind for more than one reason.
//!
//! Taking out keeps whichever reason is taken out last, and that may be the larger one: a hundred lines that work
//! around what one line elsewhere would put right. A large result is worth a few questions about the rest: all of it,
//! and where that cannot be tested, its halves, their halves, and so on. A part that holds a reason of its own fails
//! alone, and one that passes holds none. A very large result is cut in the same way: where a program is half rebuilt,
//! no line of it can go alone, though a single one may be enough. What is thought to need what made it so large, so only
//! couplings that are certain count there.
//!
//! ```text
//!   found     [ . . x x x x . . . . . . . . ]      a large result
//!   ask       [ . .         . . . . . . . . ]      all but it: cannot tell
//!   ask       [ . .         . .             ]      half of it: passes
//!   ask       [                 . . . . . . ]      the other half: fails -> search in there, keep the smaller result
//! ```

use super::{Grouping, Make};
use crate::{Answer, Case, Cases, Config, Couplings, Odds, Outcome, Problem, Search, one_case};
use std::collections::VecDeque;
use std::sync::Arc;

/// A result of at most so many changes is not doubted.
const FEW: usize = 3;

/// A result of more than this is very large.
const MANY: usize = 32;

/// The share of the questions so far that may be asked about parts of the rest, ...
const SHARE: usize = 4;

/// ... and about those of a very large result too.
const LARGE_SHARE: usize = 2;

/// At least so many questions may be asked.
const LEAST: usize = 8;

/// How likely a part of the rest has a reason of its own.
const ODDS: Odds = Odds { fail: 0.1, unresolved: 0.6 };

/// Runs a search and, if it finds more than a few changes, once more in a part of the others that fails too, and so on
/// while that finds less.
///
/// Promises what the search promises. Progress: that of the search, with a bounded number of questions before it is run
/// again, which it is only after a result smaller than all before.
#[derive(Clone)]
pub enum Elsewhere<S> {
    /// In the first search.
    First(S, Arc<Field<S>>),
    /// Wondering whether a part of the rest fails too.
    Wondering(Arc<Wonder<S>>),
    /// In the second search, with the result of the first.
    Second(S, Arc<Field<S>>, Config),
}

/// What is searched, how, and what is known of it by now.
#[derive(Clone)]
pub struct Field<S> {
    problem: Problem,
    /// The groups that are not cut into parts.
    grouping: Grouping,
    make: Make<S>,
    asked: usize,
    /// All that earlier searches found.
    seen: Config,
}

/// Parts of the rest that are still to be asked about.
#[derive(Clone)]
pub struct Wonder<S> {
    field: Field<S>,
    found: Config,
    /// Who is known to need whom whatever a build says.
    certain: Couplings,
    /// The first is the one to ask about.
    parts: VecDeque<Part>,
    questions: usize,
}

/// Changes that are asked about together.
#[derive(Clone)]
struct Part {
    /// Their groups, in order, ...
    groups: Vec<u32>,
    /// ... as far as they are in here.
    within: Arc<Config>,
    /// Whether they are of the result.
    is_result: bool,
    /// How suspicious all of them are together.
    mass: f64,
}

impl<S: Search> Elsewhere<S> {
    /// Searches in a problem, and then perhaps in parts of it, by what `make` makes.
    pub fn new(
        problem: &Problem,
        grouping: Grouping,
        make: impl Fn(&Problem) -> S + Send + Sync + 'static,
    ) -> Elsewhere<S> {
        let first = make(problem);
        let field = Field {
            problem: problem.clone(),
            grouping,
            make: Arc::new(make),
            asked: 0,
            seen: Config::empty(),
        };
        Elsewhere::First(first, Arc::new(field))
    }
}

impl<S: Search> Field<S> {
    /// The same with what one more answer teaches about couplings.
    fn told(&self, config: &Config, answer: &Answer) -> Field<S> {
        Field { problem: self.problem.told(config, answer), asked: self.asked + 1, ..self.clone() }
    }

    /// Another result, if it is smaller than this one.
    fn smaller(&self, other: Config, found: &Config) -> Option<Config> {
        (self.problem.weigh(&other) < self.problem.weigh(found)).then_some(other)
    }

    /// Looks elsewhere if that may pay.
    fn wonder(&self, found: Config) -> Option<Elsewhere<S>> {
        if found.len() <= FEW {
            return None;
        }
        let Problem { full, couplings, .. } = &self.problem;
        let seen = self.seen.union(&found);
        let rest = full.minus(&couplings.dependents(&seen, full));
        let mut parts = VecDeque::from([self.part(rest, false)]);
        let mut questions = LEAST.max(self.asked / SHARE);
        if found.len() > MANY {
            let result = self.part(found.clone(), true);
            parts.extend(result.halves().into_iter().map(|half| self.weighed(half)));
            questions = LEAST.max(self.asked / LARGE_SHARE);
        }
        let certain = couplings.certain();
        Wonder { field: Field { seen, ..self.clone() }, found, certain, parts, questions }.ask_next()
    }

    /// All of these changes as one part.
    fn part(&self, within: Config, is_result: bool) -> Part {
        let groups: Config = within.iter().filter_map(|change| self.grouping.group(change)).collect();
        self.weighed(Part { groups: groups.iter().collect(), within: Arc::new(within), is_result, mass: 0.0 })
    }

    /// A part that knows how suspicious it is.
    fn weighed(&self, part: Part) -> Part {
        let mass = self.inside(&part).iter().map(|change| self.problem.prior(change)).sum();
        Part { mass, ..part }
    }

    /// The changes of a part.
    fn inside(&self, part: &Part) -> Config {
        self.grouping.keep(&part.groups.iter().copied().collect(), &part.within)
    }
}

impl Part {
    /// Its two halves, unless it is a single group.
    fn halves(&self) -> Vec<Part> {
        let (a, b) = self.groups.split_at(self.groups.len() / 2);
        let half = |groups: &[u32]| Part { groups: groups.to_vec(), ..self.clone() };
        if a.is_empty() { Vec::new() } else { vec![half(a), half(b)] }
    }
}

impl<S: Search> Wonder<S> {
    /// The changes of a part, with what they need.
    fn config(&self, part: &Part) -> Config {
        let Problem { full, couplings, .. } = &self.field.problem;
        let couplings = if part.is_result { &self.certain } else { couplings };
        couplings.close(&self.field.inside(part)).intersection(full)
    }

    /// Goes on with the next part that is new, if one is left.
    fn ask_next(mut self) -> Option<Elsewhere<S>> {
        while let Some(part) = self.parts.front() {
            let config = self.config(part);
            if self.questions == 0 {
                return None;
            }
            if config.is_empty() {
                self.parts.pop_front();
            } else if !self.found.is_subset(&config) {
                return Some(Elsewhere::Wondering(Arc::new(self)));
            } else {
                self.split();
            }
        }
        None
    }

    /// Puts the halves of the first part behind all others that are as suspicious.
    fn split(&mut self) {
        let Some(part) = self.parts.pop_front() else { return };
        for half in part.halves().into_iter().map(|half| self.field.weighed(half)) {
            let at = self.parts.iter().position(|other| other.mass < half.mass);
            self.parts.insert(at.unwrap_or(self.parts.len()), half);
        }
    }

    fn told(&self, config: &Config, answer: &Answer) -> Option<Elsewhere<S>> {
        let mut next = Wonder { field: self.field.told(config, answer), ..self.clone() };
        next.questions -= 1;
        match answer.outcome {
            Outcome::Fail => {
                let second = (self.field.make)(&next.field.problem.within(config.clone()));
                return Some(Elsewhere::Second(second, Arc::new(next.field), next.found));
            }
            Outcome::Pass => drop(next.parts.pop_front()),
            Outcome::Unresolved => next.split(),
        }
        next.ask_next()
    }
}

impl<S: Search> Search for Elsewhere<S> {
    fn cases(&self) -> Cases<Elsewhere<S>> {
        match self {
            Elsewhere::First(search, field) => {
                let field = Arc::clone(field);
                Box::new(search.cases().map(move |case| {
                    let field = Arc::clone(&field);
                    case.map_told(move |search, asked, answer| {
                        Elsewhere::First(search, Arc::new(field.told(asked, answer)))
                    })
                }))
            }
            Elsewhere::Wondering(wonder) => {
                let config = wonder.parts.front().map_or_else(Config::empty, |part| wonder.config(part));
                let (wonder, asked) = (Arc::clone(wonder), config.clone());
                let next = move |answer: &Answer| wonder.told(&asked, answer);
                one_case(Case { config, odds: ODDS, next: Box::new(next) })
            }
            Elsewhere::Second(search, field, found) => {
                let (field, found) = (Arc::clone(field), found.clone());
                Box::new(search.cases().map(move |case| {
                    let (field, found) = (Arc::clone(&field), found.clone());
                    case.map_told(move |search, asked, answer| {
                        Elsewhere::Second(search, Arc::new(field.told(asked, answer)), found.clone())
                    })
                }))
            }
        }
    }

    fn otherwise(&self) -> Option<Elsewhere<S>> {
        match self {
            Elsewhere::First(search, field) => match search.otherwise() {
                Some(search) => Some(Elsewhere::First(search, Arc::clone(field))),
                None => field.wonder(search.best()),
            },
            Elsewhere::Wondering(_) => None,
            Elsewhere::Second(search, field, found) => match search.otherwise() {
                Some(search) => Some(Elsewhere::Second(search, Arc::clone(field), found.clone())),
                None => field.smaller(search.best(), found).and_then(|other| field.wonder(other)),
            },
        }
    }

    fn best(&self) -> Config {
        match self {
            Elsewhere::First(search, _) => search.best(),
            Elsewhere::Wondering(wonder) => wonder.found.clone(),
            Elsewhere::Second(search, field, found) => {
                field.smaller(search.best(), found).unwrap_or_else(|| found.clone())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::combine::UnitSweep;
    use crate::laws::{Oracle, Promise, Simulated, check_laws, converse};
    use crate::list::Ddmin;

    fn ddmin(problem: &Problem) -> Ddmin {
        Ddmin::new(problem.full.clone())
    }

    /// Fails with all of these or all of those.
    fn either(these: Config, those: Config) -> impl Fn(&Config) -> Answer {
        move |config| match these.is_subset(config) || those.is_subset(config) {
            true => Answer::bare(Outcome::Fail),
            false => Answer::bare(Outcome::Pass),
        }
    }

    #[test]
    fn elsewhere_keeps_the_laws() {
        let promise = Promise { one_minimal: true, bound: |n| 2 * (n * n + 3 * n) + 1 };
        check_laws(|p| Elsewhere::new(p, Grouping::elements(), ddmin), promise);
    }

    #[test]
    fn a_large_result_gives_way_to_a_smaller_one_elsewhere() {
        let test = either((0..6).collect(), [12].into());
        let problem = Problem::new(16);
        let first = converse(Ddmin::new(Config::full(16)), &test);
        assert_eq!(first.best, (0..6).collect(), "which ddmin finds first");
        assert_eq!(converse(Elsewhere::new(&problem, Grouping::elements(), ddmin), &test).best, [12].into());
    }

    #[test]
    fn a_larger_result_elsewhere_is_not_taken() {
        let test = either((0..4).collect(), (8..16).collect());
        let heavy = Problem::new(16).with_weights(vec![1; 16]);
        assert_eq!(
            converse(Elsewhere::new(&heavy, Grouping::elements(), ddmin), &test).best,
            (0..4).collect()
        );
    }

    #[test]
    fn one_question_shows_that_there_is_nothing_elsewhere_and_few_changes_are_not_doubted() {
        for (culprits, more) in [(Config::from([1, 5, 9, 12]), 1), (Config::from([1, 5, 9]), 0)] {
            let oracle = Simulated::monotone(16, culprits);
            let alone = converse(ddmin(&oracle.problem()), |c| oracle.test(c));
            let said =
                converse(Elsewhere::new(&oracle.problem(), Grouping::elements(), ddmin), |c| oracle.test(c));
            assert_eq!(said.questions.len(), alone.questions.len() + more);
        }
    }

    #[test]
    fn where_the_rest_cannot_be_tested_its_halves_are_until_one_fails() {
        // 14 needs 1, which is in the result, and nobody says so; 9 alone is a reason too.
        let mut needs = vec![vec![]; 16];
        needs[14] = vec![1];
        let oracle = Simulated { needs: needs.into(), ..Simulated::monotone(16, [0, 1, 2, 3]) };
        let test = |config: &Config| match oracle.test(config) {
            answer if answer.outcome == Outcome::Pass && config.contains(9) => Answer::bare(Outcome::Fail),
            answer => answer,
        };
        let said = converse(Elsewhere::new(&oracle.problem(), Grouping::elements(), ddmin), test);
        assert_eq!(said.best, [9].into());
        let asked = said.questions.iter().map(|q| &q.config);
        let wondering: Vec<&Config> =
            asked.skip_while(|config| **config != (4..16).collect()).take(2).collect();
        assert_eq!(wondering, [&(4..16).collect::<Config>(), &(4..10).collect()]);
    }

    #[test]
    fn a_smaller_result_that_is_still_large_is_doubted_again() {
        let reasons: [Config; 3] = [[0].into(), (4..12).collect(), (12..25).collect()];
        let test = |config: &Config| match reasons.iter().any(|reason| reason.is_subset(config)) {
            true => Answer::bare(Outcome::Fail),
            false => Answer::bare(Outcome::Pass),
        };
        let first = converse(UnitSweep::new(&Problem::new(25)), test).best;
        assert_eq!(first, reasons[2], "which is taken out last");
        let said = converse(Elsewhere::new(&Problem::new(25), Grouping::elements(), UnitSweep::new), test);
        assert_eq!(said.best, reasons[0]);
    }

    /// Half rebuilt, nothing can be tested; 3 alone is enough, and so is a little more.
    #[test]
    fn a_very_large_result_gives_way_to_a_part_of_itself() {
        let test = |config: &Config| match (config.len(), config.contains(3)) {
            (6..40, _) => Answer::bare(Outcome::Unresolved),
            (_, true) => Answer::bare(Outcome::Fail),
            (_, false) => Answer::bare(Outcome::Pass),
        };
        let one_by_one = UnitSweep::new;
        let first = converse(one_by_one(&Problem::new(40)), test);
        assert_eq!(first.best, Config::full(40), "of which nothing can go alone");
        let said = converse(Elsewhere::new(&Problem::new(40), Grouping::elements(), one_by_one), test);
        assert_eq!(said.best, [3].into());
    }

    #[test]
    fn parts_are_cut_between_groups_and_no_longer_asked_about_when_they_are_many() {
        let oracle = Simulated { needs: vec![vec![0]; 64].into(), ..Simulated::monotone(64, [0, 1, 2, 3]) };
        let pairs = Grouping::new((0..64).map(|i| Some(i / 2)));
        let alone = converse(ddmin(&oracle.problem()), |c| oracle.test(c)).questions.len();
        let said = converse(Elsewhere::new(&oracle.problem(), pairs, ddmin), |c| oracle.test(c));
        let wondering = &said.questions[alone..];
        assert_eq!(wondering.len(), LEAST.max(alone / SHARE));
        assert!(wondering.iter().all(|q| q.config.iter().all(|i| q.config.contains(i ^ 1))));
    }
}
