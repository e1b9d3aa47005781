//! Any search over configs that build: every proposal is completed with what it needs before it is asked.
//!
//! ```text
//!   inner search            here                                  test
//!   keep {1}?        ──>    1 needs 2: {1,2}?              ──>    ?  3 is missing, 2 needs it
//!                           learned: {1,2,3}?              ──>    Fail
//!   {1} fails        <──    best is {1,2,3}
//! ```
//!
//! What is the inner search told about a proposal that was completed? The answer to the completed config, as
//! if it were its own: it then works with the changes it chose, and the others follow them. Two things keep
//! this honest. A proposal that completes to no less than what the search already keeps takes nothing out,
//! whatever its test would say; the search hears that it cannot be built, which is true of it as proposed.
//! (Told *Fail*, it would settle on one change that needs all the others.) And when the inner search ends
//! with fewer changes than the best config holds, those that only followed have never been in question: it
//! starts again from the best config, with all couplings learned so far.

use super::Make;
use crate::{Answer, Case, Cases, Config, Couplings, Outcome, Problem, Search};
use std::sync::Arc;

/// Closes every config of a search under what is known and learned of couplings.
///
/// Where an Unresolved answer names a coupling that the proposal breaks, the proposal is asked again with it.
/// The best config is the smallest that was seen to fail, or the start. Where all couplings followed are
/// right, the result is 1-minimal if the inner search's is. Progress: every run of the inner search but the
/// last ends with a smaller best; within a run, its state goes on, or one proposal is behind, or it has
/// become larger.
#[derive(Clone)]
pub struct Coupled<S> {
    inner: S,
    /// How many cases of the inner state are behind.
    decided: usize,
    known: Known<S>,
}

/// What stays while the inner search goes on.
#[derive(Clone)]
struct Known<S> {
    /// What the inner search was started from, and the couplings as known now.
    problem: Problem,
    best: Config,
    make: Make<S>,
}

impl<S: Search> Coupled<S> {
    /// Closes what the search that `make` makes proposes, under the problem's couplings to begin with.
    pub fn new(problem: &Problem, make: impl Fn(&Problem) -> S + Send + Sync + 'static) -> Coupled<S> {
        Coupled::start(problem, Arc::new(make))
    }

    fn start(problem: &Problem, make: Make<S>) -> Coupled<S> {
        let couplings = refute(problem.couplings.clone(), &problem.full);
        let problem = problem.clone().with_couplings(couplings);
        Coupled {
            inner: make(&problem),
            decided: 0,
            known: Known { best: problem.full.clone(), problem, make },
        }
    }

    /// The case of a completed proposal, unless it takes nothing out and the inner search only passes it by.
    fn case(self: &Arc<Coupled<S>>, kept: &Kept, index: usize, case: Case<S>) -> Option<Case<Coupled<S>>> {
        let this = Arc::clone(self);
        let asked = this.known.close(&case.config);
        if asked == kept.closed && case.config != kept.proposed {
            let inner = (case.next)(&Answer::bare(Outcome::Unresolved))?;
            let next = Coupled { inner, decided: 0, known: this.known.clone() };
            return Some(Case::ask(asked, case.odds, move |_| next.clone()));
        }
        let (config, odds) = (asked.clone(), case.odds);
        let next = move |answer: &Answer| {
            let stay = |decided, known| Some(Coupled { inner: this.inner.clone(), decided, known });
            let more = this.known.learn(&asked, answer);
            if let Some(known) = &more
                && answer.outcome == Outcome::Unresolved
                && known.close(&case.config) != asked
            {
                return stay(index, known.clone());
            }
            match ((case.next)(answer), more) {
                (Some(inner), more) => {
                    let known = more.unwrap_or_else(|| this.known.clone());
                    Some(Coupled { inner, decided: 0, known })
                }
                (None, Some(known)) => stay(index + 1, known),
                (None, None) => None,
            }
        };
        Some(Case { config, odds, next: Box::new(next) })
    }
}

/// What the inner search has, as it proposed it and as it was closed.
struct Kept {
    proposed: Config,
    closed: Config,
}

impl<S> Known<S> {
    fn close(&self, config: &Config) -> Config {
        self.problem.couplings.close(config)
    }

    /// What is known after this answer, where that is more than before.
    fn learn(&self, asked: &Config, answer: &Answer) -> Option<Known<S>> {
        let (couplings, learned) = self.problem.couplings.learn(asked, answer);
        let smaller = answer.fails() && asked.len() < self.best.len();
        (learned || smaller).then(|| {
            let best = if smaller { asked.clone() } else { self.best.clone() };
            // What was seen to fail was built: a message that blames what it lacks is wrong. This also keeps
            // closed configs within what the inner search started from, so that asking again comes to an end.
            let couplings = refute(couplings, &self.problem.full);
            let couplings = refute(couplings, &best);
            let problem = self.problem.clone().with_couplings(couplings);
            Known { problem, best, make: Arc::clone(&self.make) }
        })
    }
}

/// Drops the couplings that a config breaks which was seen to fail.
fn refute(couplings: Couplings, failing: &Config) -> Couplings {
    couplings.learn(failing, &Answer::bare(Outcome::Fail)).0
}

impl<S: Search> Search for Coupled<S> {
    fn cases(&self) -> Cases<Coupled<S>> {
        let this = Arc::new(self.clone());
        let proposed = self.inner.best();
        let kept = Kept { closed: self.known.close(&proposed), proposed };
        let undecided = self.inner.cases().enumerate().skip(self.decided);
        Box::new(undecided.filter_map(move |(index, case)| this.case(&kept, index, case)))
    }

    fn otherwise(&self) -> Option<Coupled<S>> {
        if let Some(inner) = self.inner.otherwise() {
            return Some(Coupled { inner, decided: 0, known: self.known.clone() });
        }
        let Known { problem, best, make } = &self.known;
        let start_again = *best != problem.full && *best != self.inner.best();
        start_again.then(|| Coupled::start(&problem.within(best.clone()), Arc::clone(make)))
    }

    fn best(&self) -> Config {
        self.known.best.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::combine::once::Once;
    use crate::combine::{Grouping, Stages};
    use crate::laws::{Naming, Oracle, Promise, Simulated, check_laws, converse, random_couplings};
    use crate::list::Ddmin;
    use crate::{Coupling, Random};

    fn coupled(problem: &Problem) -> Coupled<Ddmin> {
        Coupled::new(problem, |p| Ddmin::new(p.full.clone()))
    }

    /// Random couplings of which the search knows all or none, and a random culprit.
    fn simulated(seed: u64, known: bool, naming: Naming) -> Simulated {
        let mut random = Random::new(seed);
        let n = 2 + random.below(40);
        let needs = random_couplings(n, 2.0, &mut random);
        let all = (0..n as u32).flat_map(|a| needs[a as usize].iter().map(move |&b| Coupling::certain(a, b)));
        let known = if known { Couplings::given(all) } else { Couplings::none() };
        let culprit = [random.below(n) as u32];
        Simulated { needs: needs.into(), known, naming, ..Simulated::monotone(n, culprit) }
    }

    #[test]
    fn coupled_keeps_the_laws() {
        check_laws(coupled, Promise { one_minimal: true, bound: |n| n * n + 3 * n });
    }

    #[test]
    fn coupled_keeps_the_laws_around_a_search_that_asks_whatever_the_answer() {
        let make = |p: &Problem| Coupled::new(p, |p| Once::new(p.full.clone()));
        check_laws(make, Promise { one_minimal: false, bound: |n| n * n });
    }

    #[test]
    fn a_search_that_must_hear_an_answer_hears_that_an_idle_proposal_does_not_build() {
        let known = Couplings::given([Coupling::certain(1, 0)]);
        let oracle = Simulated { known, ..Simulated::monotone(3, [1]) };
        let once = Coupled::new(&oracle.problem(), |p| Once::new(p.full.clone()));
        let said = converse(once, |c| oracle.test(c));
        assert_eq!(said.to_string(), ["{0-2} F", "{0,2} P", "{0,1} F", "-> {0,1}"].join("\n"));
    }

    #[test]
    fn with_all_couplings_known_every_question_builds() {
        for seed in 0..300 {
            let oracle = simulated(seed, true, Naming::Nothing);
            let said = converse(coupled(&oracle.problem()), |c| oracle.test(c));
            assert!(said.questions.iter().all(|q| q.answer.built), "{oracle:?}");
            assert_eq!(said.best, oracle.optimum(), "{oracle:?}");
        }
    }

    #[test]
    fn a_single_culprit_is_isolated_when_builds_name_one_coupling_at_a_time() {
        for seed in 0..300 {
            let oracle = simulated(seed, false, Naming::One);
            let said = converse(coupled(&oracle.problem()), |c| oracle.test(c));
            assert_eq!(said.best, oracle.optimum(), "{oracle:?}");

            let fours = Grouping::new((0..oracle.n as u32).map(|i| Some(i / 4)));
            let stages = move |p: &Problem| Stages::new(p, [fours.clone()], |p| Ddmin::new(p.full.clone()));
            let said = converse(Coupled::new(&oracle.problem(), stages), |c| oracle.test(c));
            assert_eq!(said.best, oracle.optimum(), "in stages, {oracle:?}");
        }
    }

    #[test]
    fn coupled_asks_a_broken_proposal_again_with_what_it_needs() {
        let needs = vec![vec![], vec![2], vec![3]];
        let oracle = Simulated { needs: needs.into(), naming: Naming::One, ..Simulated::monotone(6, [1]) };
        let said = converse(coupled(&oracle.problem()), |c| oracle.test(c));
        let first_run = ["{0-2} ?", "{0-3} F", "{0} P", "{1-3} F", "{1} ?", "{2,3} P"];
        let from_the_best = ["{2,3} P = 6", "{2,3} P = 6", "{3} P", "{2,3} P = 6", "-> {1-3}"];
        assert_eq!(said.to_string(), [&first_run[..], &from_the_best].concat().join("\n"));
    }

    #[test]
    fn coupled_does_not_settle_on_a_change_that_needs_all_others() {
        let needs = vec![vec![1, 2, 3]];
        let known = Couplings::given([1, 2, 3].map(|b| Coupling::certain(0, b)));
        let oracle = Simulated { needs: needs.into(), known, ..Simulated::monotone(4, [3]) };
        let said = converse(coupled(&oracle.problem()), |c| oracle.test(c));
        assert_eq!(said.to_string(), ["{2,3} F", "{2} P", "{3} F", "-> {3}"].join("\n"));
    }

    #[test]
    fn coupled_starts_again_when_changes_that_only_followed_are_left() {
        let needs = vec![vec![2, 3]];
        let known = Couplings::given([2, 3].map(|b| Coupling::certain(0, b)));
        let oracle = Simulated { needs: needs.into(), known, ..Simulated::monotone(6, [3]) };
        let said = converse(coupled(&oracle.problem()), |c| oracle.test(c));
        assert_eq!(said.best, [3].into(), "{said}");
    }

    #[test]
    fn a_message_that_blames_what_a_failing_config_lacked_is_not_believed() {
        let fail = Answer::bare(Outcome::Fail);
        let blame = |a, b| Answer::broken_build([Coupling::certain(a, b)]);
        let known = coupled(&Problem::new(4)).known.learn(&[0, 1].into(), &fail).unwrap();
        let built_without = known.learn(&[0].into(), &blame(0, 2)).unwrap();
        assert_eq!(built_without.close(&[0].into()), [0].into());
        let not_in_the_problem = known.learn(&[3].into(), &blame(3, 9)).unwrap();
        assert_eq!(not_in_the_problem.close(&[3].into()), [3].into());

        let blames_9 = |c: &Config| if c.len() == 3 { fail.clone() } else { blame(0, 9) };
        let said = converse(coupled(&Problem::new(3)), blames_9);
        let in_two = ["{0} ?", "{1,2} ?"];
        let in_three = ["{0} ? = 1", "{1} ?", "{2} ?", "{1,2} ? = 2", "{0,2} ?", "{0,1} ?", "-> {0-2}"];
        assert_eq!(said.to_string(), [&in_two[..], &in_three].concat().join("\n"));
    }

    #[test]
    fn messages_that_blame_at_random_neither_hang_the_search_nor_cost_it_a_witness() {
        for seed in 0..300 {
            let n = 2 + Random::new(seed).below(20);
            let culprits: Config = [Random::new(seed + 1).below(n) as u32].into();
            let blame = |config: &Config| {
                let mut random =
                    Random::new(config.iter().fold(seed, |h, i| h.wrapping_mul(31) ^ u64::from(i)));
                let mut any = || random.below(n + 3) as u32;
                let named = [(); 3].map(|()| Coupling::certain(any(), any()));
                let whole = config.len() == n;
                match random.chance(0.5) && !whole {
                    true => Answer::broken_build(named),
                    false if culprits.is_subset(config) => Answer::bare(Outcome::Fail),
                    false => Answer::bare(Outcome::Pass),
                }
            };
            let said = converse(coupled(&Problem::new(n)), blame);
            assert!(said.distinct() <= 2 * (n * n + 3 * n), "{} questions, seed {seed}", said.distinct());
            let seen = said.questions.iter().any(|q| q.config == said.best && q.answer.fails());
            assert!(seen || said.best == Config::full(n), "seed {seed}");
            assert!(said.questions.iter().all(|q| q.config.is_subset(&Config::full(n))), "seed {seed}");
        }
    }
}
