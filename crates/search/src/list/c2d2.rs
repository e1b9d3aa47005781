//! C2D2: delta debugging of changes that need each other in ways nobody listed (Song et al., ISSTA 2024).
//!
//! ProbDD's loop (Algorithm 1) with a [`Matrix`] beside it. A running set that does not build is not taken for
//! a *no*: the matrix proposes what to add to it or to take from it (Algorithm 2) until something builds, and
//! learns from every build. Three strategies stand in for ProbDD's selection now and then.
//!
//! ```text
//!   Selecting X' ── builds ─────────────────────> T: X := what was tested    F: raise p of what was left out
//!       └── broken ──> Resolving ── one builds ──> the same
//!                          └── none ──> StartingAfresh ── one builds ──> the same
//!                                            └── none ──> X' counts as F
//! ```
//!
//! The paper's `T` is our Fail, its `F` our Pass, its `CE` an answer that did not build; what did build but
//! could not tell counts as `F`. Building and testing are one question, so *compile one after the other and
//! test the first that compiles* is: ask one after the other until one has built. A config is never asked
//! twice.
//!
//! Where the paper leaves a choice, or contradicts itself:
//! * Algorithm 2, line 13 draws each round of removals against the same columns, which would go on until
//!   nearly all is removed; section 3.3.3 draws against those removed last. The text is followed.
//! * Start-afresh takes changes whose need is *smaller than* a threshold that starts at zero: read *at most*.
//! * Equal-chances gives weights but no size: any size is as likely, as in the authors' code.
//! * A set made by adding that answers `F` says so of the smaller running set (line 12), one that answers `T`
//!   becomes the new `X`, being the one that was seen.
//! * Sets to build are drawn a few attempts at a time, each time from what the matrix has learned since, and
//!   asked with the likeliest to build first.
//! * The paper ends when every probability is zero or one. A set repaired by removing may raise none, so as
//!   in the authors' code the search also ends after [`PATIENCE`] iterations in a row that raised none
//!   notably.
//!
//! The authors' code resolves differently: see [`Resolution::Published`].

mod belief;
mod history;
mod repair;

use crate::matrix::Matrix;
use crate::{Answer, Case, Cases, Config, Odds, Problem, Random, Search, no_cases, one_case};
use belief::Belief;
use history::History;
use std::sync::Arc;

/// After so many iterations in a row without a notable rise of a probability the search ends.
pub const PATIENCE: usize = 100;

/// A rise of a probability by less is no progress.
const NOTABLE: f64 = 0.01;

/// How many attempts are made at once to repair a broken build.
const ATTEMPTS_AT_ONCE: usize = 32;

/// The parameters of C2D2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How much a reported coupling is trusted; any other pair of changes is coupled with probability `1 -
    /// delta`.
    pub delta: f64,
    /// How likely each change is critical before the first test.
    pub sigma: f64,
    /// How often the running set is selected by equal chances.
    pub xi: f64,
    /// Which strategies stand in for ProbDD's selection.
    pub strategies: Strategies,
    /// How a broken build is resolved.
    pub resolution: Resolution,
    /// The most attempts to repair one running set; the paper has no limit but time.
    pub most_attempts: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            delta: 0.9,
            sigma: 0.1,
            xi: 0.2,
            strategies: Strategies::ALL,
            resolution: Resolution::Paper,
            most_attempts: usize::MAX,
        }
    }
}

/// Which strategies stand in for ProbDD's own selection of a running set (section 3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strategies {
    /// The first running set leaves out what other changes likely need.
    pub cold_start: bool,
    /// Now and then the running set is drawn, changes that were rarely selected first.
    pub equal_chances: bool,
    /// When a broken build cannot be repaired, changes that likely need nobody are tried instead.
    pub start_afresh: bool,
}

impl Strategies {
    /// All of them.
    pub const ALL: Strategies = Strategies { cold_start: true, equal_chances: true, start_afresh: true };
    /// ProbDD's selection only.
    pub const NONE: Strategies = Strategies { cold_start: false, equal_chances: false, start_afresh: false };
}

/// How hard, and how, matrix-based search tries to repair a broken build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// Algorithm 2: `K = i * ln |X|` attempts, two sets each; what is removed takes along what likely needs
    /// it.
    Paper,
    /// As in the authors' code: fewer attempts and half of the sets, removal in one round, and a quarter
    /// added to all chances as long as none is above one half. Needs fewer builds where most couplings are
    /// unknown.
    Published,
}

/// C2D2 on its way; made from a seed, so that the same answers always lead to the same questions.
///
/// Progress: every question is a new config, and [`PATIENCE`] bounds the iterations between two that remove a
/// change or raise a probability notably, which happens a bounded number of times to each change.
#[derive(Clone, Debug)]
pub struct C2d2 {
    settings: Settings,
    declarations: Config,
    belief: Belief,
    matrix: Matrix,
    history: History,
    random: Random,
    /// The number of running sets so far: the paper's `i`.
    iterations: usize,
    /// How many of them were given up unrepaired.
    unrepaired: usize,
    /// How many iterations in a row raised no probability notably.
    idle: usize,
    phase: Phase,
}

/// What is asked at the moment; `running` is the paper's `X'`.
#[derive(Clone, Debug)]
enum Phase {
    /// The running set itself.
    Selecting { running: Config },
    /// One of the sets that may repair it; `attempts` are left to make more.
    Resolving { running: Config, candidates: Arc<[Config]>, asked: usize, attempts: usize },
    /// A set of changes that likely need nobody, at one of the steps of the rising threshold.
    StartingAfresh { running: Config, fresh: Config, step: usize, steps: usize },
    /// Nothing any more.
    Done,
}

impl C2d2 {
    /// Minimises the problem's changes; the first running set leaves out its declarations.
    pub fn new(problem: &Problem, settings: Settings, seed: u64) -> C2d2 {
        let start = C2d2 {
            settings,
            declarations: problem.declarations.clone(),
            belief: Belief::new(&problem.full, settings.sigma),
            matrix: Matrix::new(&problem.full, &problem.couplings, settings.delta),
            history: History::default(),
            random: Random::new(seed),
            iterations: 0,
            unrepaired: 0,
            idle: 0,
            phase: Phase::Done,
        };
        start.select()
    }

    /// Iterates until there is something to ask: most iterations with little left to learn are predicted.
    fn select(mut self) -> C2d2 {
        self.phase = loop {
            if self.belief.is_decided() || self.idle >= PATIENCE {
                break Phase::Done;
            }
            self.iterations += 1;
            let running = self.sample();
            self.belief.count_selected(&running);
            if self.history.predicts_pass(&running) {
                self.count_as_pass(&running);
            } else if !self.history.has_tried(&running) {
                break Phase::Selecting { running };
            } else if let Some(phase) = self.resolve(&running) {
                break phase;
            } else {
                self.give_up(&running);
            }
        };
        self
    }

    /// The next running set.
    fn sample(&mut self) -> Config {
        let Strategies { cold_start, equal_chances, .. } = self.settings.strategies;
        let x = &self.belief.x;
        let is_proper = |set: &Config| !set.is_empty() && set != x;
        if self.iterations == 1 {
            let likely = x.minus(&self.declarations);
            if cold_start && is_proper(&likely) {
                return likely;
            }
        } else if equal_chances && self.random.chance(self.settings.xi) {
            let rare = self.belief.equal_chances(&mut self.random);
            if is_proper(&rare) && !self.history.has_tried(&rare) {
                return rare;
            }
        }
        self.belief.greedy()
    }

    /// What to ask next for a running set that does not build.
    fn resolve(&mut self, running: &Config) -> Option<Phase> {
        self.repair(running, self.attempts()).or_else(|| self.start_afresh(running, 0, self.attempts()))
    }

    /// The paper's `K`: how often to try to repair a running set.
    fn attempts(&self) -> usize {
        let n = self.belief.x.len();
        let attempts = match self.settings.resolution {
            Resolution::Paper => (self.iterations as f64 * (n as f64).ln()).ceil() as usize,
            Resolution::Published => (n.min(10) + 5 * self.unrepaired).min(2 * n),
        };
        attempts.min(self.settings.most_attempts)
    }

    /// The first untried sets that matrix-based search proposes.
    fn repair(&mut self, running: &Config, mut attempts: usize) -> Option<Phase> {
        while attempts > 0 {
            let now = attempts.min(ATTEMPTS_AT_ONCE);
            attempts -= now;
            let (matrix, random, history) = (&self.matrix, &mut self.random, &self.history);
            let is_new = |set: &Config| !set.is_empty() && set != matrix.changes() && !history.has_tried(set);
            let resolution = self.settings.resolution;
            let candidates = repair::candidates(matrix, running, now, resolution, random, is_new);
            if !candidates.is_empty() {
                let running = running.clone();
                return Some(Phase::Resolving { running, candidates: candidates.into(), asked: 0, attempts });
            }
        }
        None
    }

    /// The first untried set of changes that likely need nobody.
    fn start_afresh(&self, running: &Config, from: usize, steps: usize) -> Option<Phase> {
        if !self.settings.strategies.start_afresh {
            return None;
        }
        let mut sets = repair::likely_independent(&self.matrix, from, steps);
        let (step, fresh) = sets.find(|(_, set)| !set.is_empty() && !self.history.has_tried(set))?;
        Some(Phase::StartingAfresh { running: running.clone(), fresh, step, steps })
    }

    fn question(&self) -> Option<&Config> {
        match &self.phase {
            Phase::Selecting { running } => Some(running),
            Phase::Resolving { candidates, asked, .. } => candidates.get(*asked),
            Phase::StartingAfresh { fresh, .. } => Some(fresh),
            Phase::Done => None,
        }
    }

    fn told(&self, config: &Config, answer: &Answer) -> C2d2 {
        let mut next = self.clone();
        next.history.add(config, answer.built && !answer.fails());
        if !answer.built {
            next.matrix = self.matrix.after_broken_build(config);
            return next.after_broken_build();
        }
        next.matrix = self.matrix.after_build(config);
        if answer.fails() {
            next.matrix = next.matrix.reduced(config);
            next.belief.keep(config);
            next.idle = 0;
        } else {
            let added_to = match &self.phase {
                Phase::Resolving { running, .. } if running.is_subset(config) => Some(running),
                _ => None,
            };
            next.count_as_pass(added_to.unwrap_or(config));
        }
        next.select()
    }

    fn after_broken_build(mut self) -> C2d2 {
        let (running, next) = match self.phase.clone() {
            Phase::Selecting { running } => {
                let next = self.resolve(&running);
                (running, next)
            }
            Phase::Resolving { running, candidates, asked, attempts } if asked + 1 < candidates.len() => {
                let next =
                    Phase::Resolving { running: running.clone(), candidates, asked: asked + 1, attempts };
                (running, Some(next))
            }
            Phase::Resolving { running, attempts, .. } => {
                let next = self.repair(&running, attempts);
                let next = next.or_else(|| self.start_afresh(&running, 0, self.attempts()));
                (running, next)
            }
            Phase::StartingAfresh { running, step, steps, .. } => {
                let next = self.start_afresh(&running, step, steps);
                (running, next)
            }
            Phase::Done => return self,
        };
        match next {
            Some(phase) => C2d2 { phase, ..self },
            None => {
                self.give_up(&running);
                self.select()
            }
        }
    }

    /// Retains a running set that cannot be repaired, as if it had been tested: the paper's `F#`.
    fn give_up(&mut self, running: &Config) {
        self.unrepaired += 1;
        self.count_as_pass(running);
    }

    fn count_as_pass(&mut self, running: &Config) {
        let removed = self.belief.x.minus(running);
        let rise = self.belief.need_one_of(&removed);
        self.idle = if rise >= NOTABLE { 0 } else { self.idle + 1 };
    }
}

impl Search for C2d2 {
    fn cases(&self) -> Cases<C2d2> {
        let Some(config) = self.question().cloned() else { return no_cases() };
        let builds = self.matrix.chance_to_build(&config);
        let removed = self.belief.x.minus(&config);
        let odds = Odds { fail: builds * self.belief.chance_without(&removed), unresolved: 1.0 - builds };
        let (this, asked) = (self.clone(), config.clone());
        one_case(Case::ask(config, odds, move |answer| this.told(&asked, answer)))
    }

    fn otherwise(&self) -> Option<C2d2> {
        None
    }

    fn best(&self) -> Config {
        self.belief.x.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Conversation, Oracle, Promise, Simulated, check_laws, converse};
    use crate::{Coupling, Couplings, Outcome};

    #[test]
    fn c2d2_keeps_the_laws() {
        // One attempt keeps this fast: an iteration then asks at most 1 + 2 + 1 configs. The paper does not
        // bound the iterations; eight for each change are more than any of these oracles takes.
        let promise = Promise { one_minimal: false, bound: |n| 4 * (8 * n + 8) };
        let make = |problem: &Problem| {
            let published = problem.full.len().is_multiple_of(2);
            let resolution = if published { Resolution::Published } else { Resolution::Paper };
            let settings = Settings { resolution, most_attempts: 1, ..Settings::default() };
            let fifths = problem.full.iter().filter(|i| i % 5 == 0).collect();
            C2d2::new(&problem.clone().with_declarations(fifths), settings, 7)
        };
        check_laws(make, promise);
    }

    /// The test of Figure 3: changes 1, 2 and 3 are critical, and four couplings are not to be broken.
    fn figure_3(config: &Config) -> Answer {
        let needs = [(6, 4), (14, 5), (5, 14), (1, 3)];
        if needs.into_iter().any(|(a, b)| Coupling::certain(a, b).is_broken_in(config)) {
            return Answer::bare(Outcome::Unresolved);
        }
        let critical = Config::from([1, 2, 3]).is_subset(config);
        Answer::bare(if critical { Outcome::Fail } else { Outcome::Pass })
    }

    /// A run of Figure 3, where one coupling is reported rightly and one wrongly.
    fn run_figure_3(settings: Settings, seed: u64) -> Conversation {
        let reported = Couplings::given([Coupling::certain(1, 3), Coupling::certain(2, 3)]);
        let problem = Problem::of((1..=23).collect()).with_couplings(reported);
        let problem = problem.with_declarations([8, 9, 11, 12, 17].into());
        converse(C2d2::new(&problem, settings, seed), figure_3)
    }

    #[test]
    fn the_rows_of_figure_3_follow_from_its_couplings() {
        let said = |config: &Config| match figure_3(config) {
            Answer { built: false, .. } => "CE",
            Answer { outcome: Outcome::Fail, .. } => "T",
            _ => "F",
        };
        let row_2 = Config::from([1, 2, 10, 13, 14, 18, 19, 20, 21]);
        let row_13 = Config::from([1, 3, 5, 13, 15, 16, 18]);
        let row_14 = Config::from([1, 2, 3, 6, 14, 18, 20, 22]);
        assert_eq!((said(&row_2), said(&row_2.union(&[3, 4, 5, 6, 16, 22].into()))), ("CE", "T"));
        assert_eq!(said(&[2, 13].into()), "F");
        assert_eq!((said(&row_13), said(&row_13.union(&[14, 20].into()))), ("CE", "F"));
        assert_eq!((said(&row_14), said(&row_14.minus(&[6, 14, 18, 20].into()))), ("CE", "T"));
        assert_eq!((said(&[1, 2, 3].into()), said(&[1, 2].into())), ("T", "CE"));
    }

    #[test]
    fn figure_3_ends_with_its_critical_changes() {
        for resolution in [Resolution::Paper, Resolution::Published] {
            let settings = Settings { resolution, ..Settings::default() };
            let runs: Vec<Conversation> = (0..100).map(|seed| run_figure_3(settings, seed)).collect();
            assert!(runs.iter().all(|said| said.distinct() == said.questions.len()), "no question twice");
            assert!(runs.iter().all(|said| Config::from([1, 2, 3]).is_subset(&said.best)));
            let exact = runs.iter().filter(|said| said.best.len() == 3).count();
            assert!(exact >= 95, "{exact} of 100 with {resolution:?}");
        }
    }

    #[test]
    fn cold_start_leaves_out_declarations_first() {
        let first = |strategies| {
            let settings = Settings { strategies, ..Settings::default() };
            run_figure_3(settings, 0).questions[0].config.clone()
        };
        let all: Config = (1..=23).collect();
        assert_eq!(first(Strategies::ALL), all.minus(&[8, 9, 11, 12, 17].into()));
        assert_eq!(first(Strategies::NONE), (11..=23).collect(), "ProbDD removes ten at one tenth each");
    }

    #[test]
    fn without_equal_chances_and_broken_builds_nothing_is_random() {
        let ask = |equal_chances, seed| {
            let strategies = Strategies { equal_chances, ..Strategies::ALL };
            let oracle = Simulated::monotone(30, [3, 17]);
            let start = C2d2::new(&oracle.problem(), Settings { strategies, ..Settings::default() }, seed);
            converse(start, |config| oracle.test(config)).to_string()
        };
        assert!((1..10).all(|seed| ask(false, seed) == ask(false, 0)));
        assert!((1..10).any(|seed| ask(true, seed) != ask(true, 0)));
    }

    #[test]
    fn start_afresh_is_tried_only_where_it_is_switched_on() {
        let starts_afresh = |start_afresh| {
            let strategies = Strategies { start_afresh, ..Strategies::ALL };
            let couplings = Couplings::given([Coupling::certain(0, 1)]);
            let problem = Problem::new(12).with_couplings(couplings);
            let mut state = C2d2::new(&problem, Settings { strategies, ..Settings::default() }, 0);
            let nothing_builds = Answer::bare(Outcome::Unresolved);
            let mut seen = false;
            while let Some(config) = state.question().cloned() {
                seen |= matches!(state.phase, Phase::StartingAfresh { .. });
                state = state.told(&config, &nothing_builds);
            }
            assert_eq!(state.best(), problem.full);
            seen
        };
        assert!(starts_afresh(true) && !starts_afresh(false));
    }

    #[test]
    fn changes_that_need_each_other_go_together() {
        let needs = Arc::new((0..12).map(|i| if i < 10 { vec![i ^ 1] } else { vec![] }).collect());
        let oracle = Simulated { needs, ..Simulated::monotone(12, [10]) };
        let found = |seed| {
            let start = C2d2::new(&oracle.problem(), Settings::default(), seed);
            converse(start, |config| oracle.test(config)).best
        };
        let exact = (0..50).filter(|&seed| found(seed) == [10].into()).count();
        assert!(exact >= 45, "{exact} of 50");
    }
}
