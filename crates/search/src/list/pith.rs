//! Pith: nub's own search, near the information limit where the test is well-behaved.
//!
//! Finding the few changes that matter is adaptive group testing: taking out a group that holds none of them
//! keeps the failure, and the whole group is gone for one test; taking out a group that holds one loses it, and
//! then that group is worth halving until the one is found. Pith asks about the group for which both answers
//! are equally likely, so each answer is worth a bit. How likely is a matter of density: the culprits
//! found so far in the changes looked at so far, with the priors and sizes of the changes as weights.
//!
//! ```text
//!   kept     [ needed | . . . . . . . . . . suspects . . ]     always fails
//!                                           ^^^^^^^^        kept without the suspects was seen to pass
//!   ask      kept \ part of the suspects
//!              fails      -> the part goes
//!              passes     -> the part is the new suspects; a single one is needed
//!              unresolved -> learn who needs whom, or halve the part to find what cannot go
//! ```
//!
//! Where changes need each other, only groups that no kept change needs are taken out, by all couplings known
//! or learned so far; so a proposal is always closed. A broken build that names couplings makes the next
//! proposal better; one that names nothing is treated as a loss of the failure is: the group holds a change that
//! cannot go, which is worth halving the group for, and it is laid aside until something else went. When a
//! build breaks, parts of what is left are tried alone: a small step away from a version that builds is
//! where most things build. The end is a proof: each remaining change that nothing else needs is taken out once
//! more, together with those that would be lost with it. Each of these phases has a file of its own.
//!
//! Why not ProbDD's rule, the largest expected gain? It takes groups that fail with chance 1/e and forgets what
//! a failed group says: that it holds a culprit. `docs/design/pith.md` has the reasoning and the experiments.

mod alone;
mod density;
mod group;
mod growing;
mod narrowing;
mod pairing;
mod proving;

use crate::{Answer, Case, Cases, Config, Couplings, Odds, Outcome, Problem, Search, no_cases, one_case};
use alone::Alone;
use density::Density;
use group::Group;
use growing::Growing;
use pairing::Pairing;
use proving::Proving;
use std::sync::Arc;

/// nub's default search.
///
/// Progress: every answer makes the kept config smaller, the suspects fewer, a group smaller, a change laid
/// aside, or a coupling known; the final rounds go on only while they take something out.
#[derive(Clone, Debug)]
pub struct Pith {
    /// Changes in the order they are taken out: least suspicious first, later ones before earlier ones.
    order: Arc<[u32]>,
    /// How suspicious each change is, by number; the mean is one.
    mass: Arc<[f64]>,
    /// The part of a program that each change lies in, by number; empty where nothing is known of that.
    units: Arc<[u32]>,
    couplings: Couplings,
    /// All that is left; known to fail.
    kept: Config,
    /// Changes that were seen to be needed.
    needed: Config,
    /// The needed changes and what they need by known couplings.
    held: Config,
    /// Changes whose removal lost the failure: one of them is needed.
    suspects: Option<Config>,
    density: Density,
    builds: Builds,
    phase: Phase,
    /// Whether the result is proven, or left to somebody who looks closer.
    prove: bool,
    question: Option<Arc<Question>>,
}

#[derive(Clone, Debug)]
struct Question {
    /// What the config has less than what is kept.
    taken: Config,
    /// Whether no part of it could go without the rest.
    whole: bool,
    config: Config,
    odds: Odds,
}

#[derive(Clone, Debug)]
enum Phase {
    /// Finding the needed changes, group by group.
    Narrowing,
    /// Trying each change alone, with what it needs.
    Alone(Alone),
    /// Taking out once more, one after the other, whatever nothing else needs.
    Proving(Proving),
    /// Building up from nothing, where too little can be taken out.
    Growing(Growing),
    /// Taking out two at a time what could not go alone for a reason no build named.
    Pairing(Pairing),
    /// Nothing is left to ask.
    Done,
}

/// What unexplained broken builds have taught.
#[derive(Clone, Debug)]
struct Builds {
    /// How many changes cannot go because something that stays needs them, and nobody knows.
    hidden: Density,
    /// Changes whose removal broke the build: one of them cannot go.
    blocked: Option<Config>,
    /// Changes that could not go alone.
    laid_aside: Config,
    /// Whether anything went since they were laid aside.
    shrunk_since: bool,
    /// How many were left when parts were last tried alone.
    tried_alone: Option<usize>,
    /// How many were left when their halves were last tried alone.
    tried_halves: Option<usize>,
    /// Whether building up from nothing was tried.
    tried_growing: bool,
    asked: f64,
    broken: f64,
    broken_in_a_row: usize,
    /// Those of the broken ones that named nothing.
    unexplained: f64,
    /// Suspects are tried alone if they are no more than this, with what was found and all that needs.
    suspects_alone: usize,
}

impl Pith {
    /// Minimises all changes of a problem; together they fail.
    pub fn new(problem: &Problem) -> Pith {
        Pith::start(problem, true)
    }

    /// The same without the final proof, for stages that are followed by a finer one.
    pub fn unproven(problem: &Problem) -> Pith {
        Pith::start(problem, false)
    }

    fn start(problem: &Problem, prove: bool) -> Pith {
        let n = problem.full.last().map_or(0, |last| last + 1);
        let raw: Vec<f64> =
            (0..n).map(|i| problem.prior(i).max(1e-9) * f64::from(problem.weight(i).max(1)).sqrt()).collect();
        let total: f64 = problem.full.iter().map(|i| raw[i as usize]).sum();
        let mean = if problem.full.is_empty() { 1.0 } else { total / problem.full.len() as f64 };
        let mass: Arc<[f64]> = raw.into_iter().map(|m| m / mean).collect();

        let mut order: Vec<u32> = problem.full.iter().collect();
        let suspicion = |i: u32| problem.prior(i).max(1e-9).log2().round() as i32;
        order.sort_by_key(|&i| (suspicion(i), std::cmp::Reverse(i)));

        let start = Pith {
            order: order.into(),
            mass,
            units: Arc::clone(&problem.units),
            couplings: problem.couplings.clone(),
            kept: problem.full.clone(),
            needed: Config::empty(),
            held: Config::empty(),
            suspects: Some(problem.full.clone()),
            density: Density::expected(problem.full.len() as f64),
            builds: Builds {
                hidden: Density::none(),
                blocked: None,
                laid_aside: Config::empty(),
                shrunk_since: false,
                tried_alone: None,
                tried_halves: None,
                tried_growing: false,
                asked: 1.0,
                broken: 0.0,
                broken_in_a_row: 0,
                unexplained: 0.0,
                suspects_alone: usize::MAX,
            },
            phase: Phase::Narrowing,
            prove,
            question: None,
        };
        start.with_next_question()
    }

    /// The couplings known by now.
    pub fn couplings(&self) -> &Couplings {
        &self.couplings
    }

    /// Changes that were seen to be needed, without those kept only because these need them.
    pub fn needed(&self) -> &Config {
        &self.needed
    }

    fn mass(&self, changes: &Config) -> f64 {
        changes.iter().map(|i| self.mass[i as usize]).sum()
    }

    fn told(&self, question: &Question, answer: &Answer) -> Pith {
        let mut next = self.clone();
        let (couplings, news) = self.couplings.learn(&question.config, answer);
        next.couplings = couplings;
        next.builds.asked += 1.0;
        if news {
            next.hold();
        }
        if answer.built {
            next.builds.broken_in_a_row = 0;
            next.grew(&question.config);
            next.unblock(&question.taken);
        }
        match answer.outcome {
            Outcome::Fail => next.take_out(&question.taken),
            Outcome::Pass => {
                next.keep_suspecting(&question.taken);
                next.try_suspects_alone();
            }
            Outcome::Unresolved => {
                next.builds.broken += 1.0;
                next.builds.broken_in_a_row += 1;
                next.builds.unexplained += f64::from(u8::from(answer.needs.is_empty()));
                match news {
                    true => next.try_again_with_more(),
                    false => next.lay_aside(question, answer),
                }
                next.try_alone();
                next.try_halves_alone();
            }
        }
        next.with_next_question()
    }

    fn take_out(&mut self, taken: &Config) {
        self.density.look_at(self.mass(taken));
        self.kept = self.kept.minus(taken);
        if !taken.is_disjoint(&self.held) {
            self.needed = self.needed.minus(taken);
            self.hold();
        }
        self.suspects = self.suspects.as_ref().map(|s| s.minus(taken)).filter(|s| !s.is_empty());
        self.builds.laid_aside = self.builds.laid_aside.minus(taken);
        self.builds.shrunk_since = true;
        self.builds.hidden.look_at(taken.len() as f64);
        match &mut self.phase {
            Phase::Narrowing | Phase::Done => {}
            // The one that is left stands alone against the empty config, which passes.
            Phase::Alone(_) => {
                self.phase = Phase::Narrowing;
                self.suspects = Some(self.kept.clone());
                self.builds.laid_aside = Config::empty();
                self.builds.blocked = None;
            }
            Phase::Proving(proving) => proving.went(),
            // What could not go before may now.
            Phase::Growing(_) | Phase::Pairing(_) => self.narrow_again(),
        }
    }

    fn lay_aside(&mut self, question: &Question, answer: &Answer) {
        let taken = &question.taken;
        let named = answer.needs.iter().any(|c| c.is_broken_in(&question.config) && taken.contains(c.needed));
        match &mut self.phase {
            Phase::Narrowing if question.whole => self.block(taken),
            Phase::Narrowing => self.builds.blocked = Some(taken.clone()),
            Phase::Proving(proving) if named => proving.could_not_go(),
            Phase::Proving(proving) => proving.broke(taken),
            Phase::Alone(_) | Phase::Growing(_) | Phase::Pairing(_) | Phase::Done => {}
        }
    }

    /// Brings what is held up to date with what is needed and known of couplings.
    fn hold(&mut self) {
        self.held = self.couplings.close(&self.needed).intersection(&self.kept);
    }

    fn with_next_question(mut self) -> Pith {
        self.question = None;
        while self.question.is_none() {
            match self.phase.clone() {
                Phase::Narrowing => self.narrow(),
                Phase::Alone(alone) => self.ask_alone(alone),
                Phase::Proving(proving) => self.prove(proving),
                Phase::Growing(growing) => self.grow(growing),
                Phase::Pairing(pairing) => self.pair(pairing),
                Phase::Done => break,
            }
        }
        self
    }

    fn ask(&mut self, taken: Config, fail: f64) {
        self.ask_group(Group { taken, whole: true, fail });
    }

    fn ask_group(&mut self, Group { taken, whole, fail }: Group) {
        let unresolved = self.builds.broken / self.builds.asked;
        let odds = Odds { fail: fail * (1.0 - unresolved), unresolved };
        let config = self.kept.minus(&taken);
        self.question = Some(Arc::new(Question { taken, whole, config, odds }));
    }
}

impl Search for Pith {
    fn cases(&self) -> Cases<Pith> {
        let Some(question) = &self.question else { return no_cases() };
        let (state, asked) = (self.clone(), Arc::clone(question));
        one_case(Case::ask(question.config.clone(), question.odds, move |answer| state.told(&asked, answer)))
    }

    fn otherwise(&self) -> Option<Pith> {
        None
    }

    fn best(&self) -> Config {
        self.kept.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Coupling;
    use crate::laws::{Naming, Oracle, Promise, Simulated, check_laws, converse};

    #[test]
    fn pith_keeps_the_laws() {
        check_laws(Pith::new, Promise { one_minimal: true, bound: |n| 2 * n * n + 40 });
    }

    fn check(oracle: &Simulated, expected: &str) {
        let said = converse(Pith::new(&oracle.problem()), |config| oracle.test(config));
        let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert_eq!(said.to_string(), expected.join("\n"));
    }

    /// 5 needs 2; 9 and 10 need each other; 7 needs 6, and 6 needs 1. Only 5 is to blame.
    fn coupled(naming: Naming) -> Simulated {
        let mut needs = vec![Vec::new(); 12];
        for (a, b) in [(5, 2), (9, 10), (10, 9), (7, 6), (6, 1)] {
            needs[a as usize].push(b);
        }
        Simulated { needs: Arc::new(needs), naming, ..Simulated::monotone(12, [5]) }
    }

    #[test]
    fn pith_halves_what_is_suspect_and_proves_what_is_left() {
        let expected = "
            {0-10} F
            {0-5} P
            {0-8} P
            {0-9} F
            {0-2,9} F
            {9} P
            {0,1,9} P
            {2,9} F
            {9} P = 6
            {2} P
            -> {2,9}";
        check(&Simulated::monotone(16, [2, 9]), expected);
    }

    #[test]
    fn pith_learns_from_a_broken_build_that_names_what_it_misses() {
        let expected = "
            {0-7} F
            {0-4} P
            {0-6} F
            {0-5} F
            {5} ?
            {2,5} F
            {2} P
            -> {2,5}";
        check(&coupled(Naming::One), expected);
    }

    #[test]
    fn pith_halves_what_breaks_a_build_that_names_nothing() {
        let expected = "
            {0-7} F
            {0-4} P
            {0-6} F
            {0-5} F
            {5} ?
            {0-2,5} F
            {0,1,5} ?
            {2,5} F
            {5} ? = 5
            {5} ? = 5
            {2} P
            -> {2,5}";
        check(&coupled(Naming::Nothing), expected);
    }

    #[test]
    fn pith_finds_the_optimum_whatever_builds_name() {
        for naming in [Naming::Nothing, Naming::One, Naming::All] {
            let oracle = coupled(naming);
            let said = converse(Pith::new(&oracle.problem()), |config| oracle.test(config));
            assert_eq!(said.best, oracle.optimum());
        }
    }

    #[test]
    fn pith_tries_halves_alone_where_one_change_after_the_other_breaks_the_build() {
        let first_half: Config = (0..32).collect();
        let test = |config: &Config| match config.is_subset(&first_half) {
            true if Config::from([3, 12]).is_subset(config) => Answer::bare(Outcome::Fail),
            true => Answer::bare(Outcome::Pass),
            false if config.len() == 64 => Answer::bare(Outcome::Fail),
            false => Answer::bare(Outcome::Unresolved),
        };
        let said = converse(Pith::new(&Problem::new(64)), test);
        assert_eq!(said.best, [3, 12].into());
        assert!(said.questions.iter().any(|question| question.config == first_half), "{said}");
    }

    /// Rings and long chains of couplings, half of them known, with builds that say nothing.
    #[test]
    fn pith_comes_to_an_end_where_hardly_anything_builds() {
        for seed in 0..6 {
            let mut random = crate::Random::new(seed);
            let needs = crate::laws::random_couplings(250, 3.0, &mut random);
            let all =
                (0..250u32).flat_map(|a| needs[a as usize].iter().map(move |&b| Coupling::certain(a, b)));
            let known = Couplings::given(all.filter(|_| random.chance(0.5)).collect::<Vec<_>>());
            let oracle =
                Simulated { needs: Arc::new(needs), known, ..Simulated::monotone(250, [7, 70, 170]) };
            let said = converse(Pith::new(&oracle.problem()), |config| oracle.test(config));
            assert!(oracle.optimum().is_subset(&said.best));
        }
    }

    /// 0 to 3 are needed, and each needs the one before; a build that lacks one says so.
    #[test]
    fn pith_tries_no_pairs_where_builds_name_why_none_can_go() {
        let needs = vec![vec![], vec![0], vec![1], vec![2]];
        let known =
            Couplings::given([1, 2, 3].map(|a| Coupling { dependent: a, needed: a - 1, probability: 0.7 }));
        let oracle =
            Simulated { needs: needs.into(), naming: Naming::All, known, ..Simulated::monotone(4, [0, 3]) };
        let expected = "
            {0-2} P
            {1-3} ?
            {0,2,3} ?
            {0,1,3} ?
            {0-2} P = 1
            {1-3} ? = 2
            {0,2,3} ? = 3
            {0,1,3} ? = 4
            -> {0-3}";
        check(&oracle, expected);
    }

    /// Two functions of ten changes each, half of which does not build without the other half.
    #[test]
    fn pith_tries_whole_functions_alone() {
        let needs = (0..20u32).map(|i| vec![i / 10 * 10 + (i + 1) % 10]).collect::<Vec<_>>();
        let oracle = Simulated { needs: needs.into(), ..Simulated::monotone(20, [13]) };
        let asked = |units: Vec<u32>| {
            converse(Pith::new(&oracle.problem().with_units(units)), |config| oracle.test(config)).distinct()
        };
        let functions = (0..20).map(|i| i / 10).collect();
        assert!(asked(functions) < asked(vec![0; 20]));
    }

    /// Builds break for another reason than they give: 3 does not need 5, though a rule and a message say so.
    #[test]
    fn pith_puts_to_the_test_what_a_message_confirmed() {
        let likely = Coupling { dependent: 3, needed: 5, probability: 0.7 };
        let problem = Problem::new(12).with_couplings(Couplings::given([likely]));
        let test = |config: &Config| match (config.contains(1) && !config.contains(9), config.contains(3)) {
            (true, _) => Answer::broken_build([likely]),
            (false, true) => Answer::bare(Outcome::Fail),
            (false, false) => Answer::bare(Outcome::Pass),
        };
        let said = converse(Pith::new(&problem), test);
        assert!(said.questions.iter().any(|q| !q.answer.built), "{said}");
        assert_eq!(said.best, [3].into(), "{said}");
    }

    #[test]
    fn pith_looks_first_where_priors_point() {
        let mut priors = vec![1.0; 1000];
        priors[400] = 100.0;
        let oracle = Simulated::monotone(1000, [400]);
        let told = oracle.problem().with_priors(priors);
        let said = |problem: &Problem| converse(Pith::new(problem), |config| oracle.test(config)).distinct();
        assert!(said(&told) + 3 <= said(&oracle.problem()));
    }

    /// A prior that points at the wrong change costs questions, never the answer.
    #[test]
    fn pith_survives_priors_that_mislead() {
        let mut priors = vec![1.0; 1000];
        priors[7] = 1000.0;
        let oracle = Simulated::monotone(1000, [400, 900]);
        let problem = oracle.problem().with_priors(priors);
        let said = converse(Pith::new(&problem), |config| oracle.test(config));
        assert_eq!(said.best, oracle.culprits);
        assert!(said.distinct() < 60);
    }

    #[test]
    fn pith_result_is_one_minimal_where_no_coupling_is_named() {
        // With the empty couplings every unit is a single change, so the proof covers each.
        for seed in 0..200u64 {
            let fails = |config: &Config| {
                let odd =
                    config.iter().fold(seed, |h, i| (h ^ u64::from(i)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                config.len() == 12 || (!config.is_empty() && odd >> 61 == 0)
            };
            let test =
                |config: &Config| Answer::bare(if fails(config) { Outcome::Fail } else { Outcome::Pass });
            let said = converse(Pith::new(&Problem::new(12)), test);
            let best = &said.best;
            assert!(best.len() == 1 || best.iter().all(|i| !fails(&best.without(i))), "{seed}: {best}");
        }
    }
}
