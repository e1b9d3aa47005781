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
//!              unresolved -> learn who needs whom, or take smaller groups
//! ```
//!
//! Where changes need each other, only groups that no kept change needs are taken out, by all couplings known
//! or learned so far; so a proposal is always closed. A broken build that names couplings makes the next
//! proposal better; one that names nothing halves the size of the groups, down to single changes, which are
//! laid aside until something else went. And when the first build breaks, each change is tried alone, if
//! they are few: one step away from a version that builds is where most things build. The end is a proof: each remaining change that nothing else needs is
//! taken out once more, together with those that would be lost with it.
//!
//! Why not ProbDD's rule, the largest expected gain? It takes groups that fail with chance 1/e and forgets what
//! a failed group says: that it holds a culprit. `docs/design/pith.md` has the reasoning and the experiments.

use crate::{Answer, Case, Cases, Config, Couplings, Odds, Outcome, Problem, Search, no_cases, one_case};
use std::collections::HashSet;
use std::sync::Arc;

/// Before anything is found, this many culprits are expected.
const EXPECTED_CULPRITS: f64 = 1.5;
/// How many findings that expectation is worth.
const EXPECTATION_WEIGHT: f64 = 0.7;
/// Up to so many changes each is tried alone once a build breaks.
const FEW: usize = 24;
/// How many groups are looked at for a better fit when one is too large.
const MISFITS: usize = 200;
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
    /// Trying each change alone, with what it needs: a single step from a version that builds builds most often.
    Alone { units: Arc<[Config]>, next: usize },
    /// Taking out once more, one after the other, whatever nothing else needs.
    Proving { units: Arc<[Config]>, next: usize, stuck: Config, shrunk: bool },
    /// Building up from nothing, where too little can be taken out: a change goes in once all it needs is in.
    Growing { grown: Config, waiting: Arc<[u32]>, next: usize, grew: bool, stuck: Config },
    /// Taking out two at a time what could not go alone for a reason no build named.
    Pairing { pairs: Arc<[Config]>, next: usize },
    /// Nothing is left to ask.
    Done,
}

/// How many culprits there are for each unit of mass, by what was seen.
#[derive(Clone, Debug)]
struct Density {
    found: f64,
    looked_at: f64,
}

impl Density {
    fn expected(total_mass: f64) -> Density {
        Density {
            found: EXPECTATION_WEIGHT,
            looked_at: EXPECTATION_WEIGHT * total_mass.max(1.0) / EXPECTED_CULPRITS,
        }
    }

    fn rate(&self) -> f64 {
        self.found / self.looked_at
    }
}

/// What unexplained broken builds have taught about the size of groups.
#[derive(Clone, Debug)]
struct Builds {
    /// No group is larger.
    largest_group: usize,
    /// Changes that could not go alone.
    laid_aside: Config,
    /// Whether anything went since they were laid aside.
    shrunk_since: bool,
    /// Whether changes were tried alone.
    tried_alone: bool,
    asked: f64,
    broken: f64,
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
        let n = problem.full.iter().last().map_or(0, |last| last as usize + 1);
        let raw: Vec<f64> = (0..n as u32)
            .map(|i| problem.prior(i).max(1e-9) * f64::from(problem.weight(i).max(1)).sqrt())
            .collect();
        let total: f64 = problem.full.iter().map(|i| raw[i as usize]).sum();
        let mean = if problem.full.is_empty() { 1.0 } else { total / problem.full.len() as f64 };
        let mass: Arc<[f64]> = raw.into_iter().map(|m| m / mean).collect();

        let mut order: Vec<u32> = problem.full.iter().collect();
        let suspicion = |i: u32| problem.prior(i).max(1e-9).log2().round() as i32;
        order.sort_by_key(|&i| (suspicion(i), std::cmp::Reverse(i)));

        let start = Pith {
            order: order.into(),
            mass,
            couplings: problem.couplings.clone(),
            kept: problem.full.clone(),
            needed: Config::empty(),
            held: Config::empty(),
            suspects: Some(problem.full.clone()),
            density: Density::expected(problem.full.len() as f64),
            builds: Builds {
                largest_group: usize::MAX,
                laid_aside: Config::empty(),
                shrunk_since: false,
                tried_alone: false,
                asked: 1.0,
                broken: 0.0,
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

    fn hazard(&self, changes: &Config) -> f64 {
        let mass: f64 = changes.iter().map(|i| self.mass[i as usize]).sum();
        mass * self.density.rate()
    }

    fn told(&self, question: &Question, answer: &Answer) -> Pith {
        let mut next = self.clone();
        let (couplings, news) = self.couplings.learn(&question.config, answer);
        next.couplings = couplings;
        next.builds.asked += 1.0;
        if news {
            next.held = next.couplings.close(&next.needed).intersection(&next.kept);
        }
        if let Phase::Growing { grown, grew, .. } = &mut next.phase
            && answer.built
        {
            *grown = question.config.clone();
            *grew = true;
        }
        match answer.outcome {
            Outcome::Fail => next.take_out(&question.taken),
            Outcome::Pass => next.keep_suspecting(&question.taken),
            Outcome::Unresolved => {
                next.builds.broken += 1.0;
                if !news {
                    next.lay_aside(question);
                }
                if news {
                    next.try_again_with_more();
                }
                let narrowing = matches!(next.phase, Phase::Narrowing);
                if narrowing && !next.builds.tried_alone && next.needed.is_empty() && next.kept.len() <= FEW {
                    next.try_alone();
                }
            }
        }
        next.with_next_question()
    }

    fn take_out(&mut self, taken: &Config) {
        self.density.looked_at += taken.iter().map(|i| self.mass[i as usize]).sum::<f64>();
        self.kept = self.kept.minus(taken);
        self.needed = self.needed.minus(taken);
        self.held = self.couplings.close(&self.needed).intersection(&self.kept);
        self.suspects = self.suspects.as_ref().map(|s| s.minus(taken)).filter(|s| !s.is_empty());
        self.builds.laid_aside = self.builds.laid_aside.minus(taken);
        self.builds.shrunk_since = true;
        self.builds.largest_group = self.builds.largest_group.max(taken.len().saturating_mul(2));
        match &mut self.phase {
            Phase::Narrowing | Phase::Done => {}
            // The one that is left stands alone against the empty config, which passes.
            Phase::Alone { .. } => {
                self.phase = Phase::Narrowing;
                self.suspects = Some(self.kept.clone());
                self.builds.laid_aside = Config::empty();
                self.builds.largest_group = usize::MAX;
            }
            Phase::Proving { shrunk, .. } => *shrunk = true,
            // What could not go before may now.
            Phase::Growing { .. } | Phase::Pairing { .. } => self.narrow_again(),
        }
    }

    fn keep_suspecting(&mut self, taken: &Config) {
        if let Phase::Narrowing = self.phase {
            self.suspects = Some(taken.clone());
        }
    }

    fn lay_aside(&mut self, question: &Question) {
        let taken = &question.taken;
        match &mut self.phase {
            Phase::Narrowing => {
                if question.whole {
                    self.builds.laid_aside = self.builds.laid_aside.union(taken);
                }
                self.builds.largest_group = (taken.len() / 2).max(1);
            }
            Phase::Proving { stuck, .. } => *stuck = stuck.union(taken),
            Phase::Alone { .. } | Phase::Growing { .. } | Phase::Pairing { .. } | Phase::Done => {}
        }
    }

    fn try_alone(&mut self) {
        self.builds.tried_alone = true;
        let mut suspicious: Vec<u32> = self.kept.iter().collect();
        suspicious.sort_by(|a, b| self.mass[*b as usize].total_cmp(&self.mass[*a as usize]));
        let mut units: Vec<Config> = Vec::new();
        for change in suspicious {
            let unit = self.couplings.close(&[change].into());
            if unit.len() < self.kept.len() && unit.is_subset(&self.kept) && !units.contains(&unit) {
                units.push(unit);
            }
        }
        self.phase = Phase::Alone { units: units.into(), next: 0 };
    }

    fn narrow_again(&mut self) {
        self.phase = Phase::Narrowing;
        self.suspects = None;
        self.builds.laid_aside = Config::empty();
        self.builds.shrunk_since = false;
    }

    fn with_next_question(mut self) -> Pith {
        self.question = None;
        while self.question.is_none() {
            let on = match self.phase.clone() {
                Phase::Narrowing => self.narrow(),
                Phase::Alone { units, next } => self.ask_alone(&units, next),
                Phase::Proving { units, next, stuck, shrunk } => self.prove(&units, next, &stuck, shrunk),
                Phase::Growing { grown, waiting, next, grew, stuck } => {
                    self.grow(&grown, &waiting, next, grew, stuck)
                }
                Phase::Pairing { pairs, next } => self.pair(&pairs, next),
                Phase::Done => false,
            };
            if !on {
                break;
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

    /// The last one that was tried alone, with what it was said to miss.
    fn try_again_with_more(&mut self) {
        let Phase::Alone { units, next } = &mut self.phase else { return };
        let Some(tried) = next.checked_sub(1) else { return };
        let more = self.couplings.close(&units[tried]);
        if more != units[tried] && more.len() < self.kept.len() && more.is_subset(&self.kept) {
            let mut again = units.to_vec();
            again[tried] = more;
            *units = again.into();
            *next = tried;
        }
    }

    fn ask_alone(&mut self, units: &Arc<[Config]>, next: usize) -> bool {
        self.phase = match units.get(next) {
            Some(unit) => {
                self.ask(self.kept.minus(unit), 1.0 / units.len() as f64);
                Phase::Alone { units: Arc::clone(units), next: next + 1 }
            }
            None => Phase::Narrowing,
        };
        true
    }

    /// Asks about the next group, or moves on; `false` at the end of the search.
    fn narrow(&mut self) -> bool {
        let free = self.kept.minus(&self.held);
        let pool = match &self.suspects {
            Some(suspects) => suspects.intersection(&free),
            None => free,
        };
        match self.group(&pool) {
            Some(group) => self.ask_group(group),
            None => match self.suspects.take() {
                Some(suspects) if suspects == pool && pool.is_disjoint(&self.builds.laid_aside) => {
                    self.density.found += 1.0;
                    self.density.looked_at += pool.iter().map(|i| self.mass[i as usize]).sum::<f64>();
                    self.needed = self.needed.union(&pool);
                    self.held = self.couplings.close(&self.needed).intersection(&self.kept);
                }
                // One of them is needed, but they cannot be told apart by configs that build.
                Some(_) => self.builds.laid_aside = self.builds.laid_aside.union(&pool),
                None if self.builds.shrunk_since && !self.builds.laid_aside.is_empty() => {
                    self.builds.laid_aside = Config::empty();
                    self.builds.shrunk_since = false;
                }
                None if self.prove => self.start_proving(),
                None => self.phase = Phase::Done,
            },
        }
        true
    }

    /// The group of changes in `pool` for which both answers are about equally likely, with the odds of failing.
    ///
    /// Nothing that stays needs a change of the group. With suspects the group is not all of them, since that
    /// is known to lose the failure. `None` when no such group is left.
    fn group(&self, pool: &Config) -> Option<Group> {
        let suspecting = self.suspects.is_some();
        let total = self.hazard(pool);
        let none_at_all = (-total).exp();
        let target = if suspecting { -((1.0 + none_at_all) / 2.0).ln() } else { std::f64::consts::LN_2 };

        let limit = self.builds.largest_group;
        let all_is_known_to_pass = suspecting || *pool == self.kept;
        let most = if all_is_known_to_pass { pool.len().saturating_sub(1) } else { pool.len() };
        let mut group = Gathering::default();
        let mut smallest_misfit: Option<(f64, Config)> = None;
        let mut misfits = 0;
        for &change in self.order.iter() {
            let found = !group.members.is_empty() || smallest_misfit.is_some();
            let patience = if found { MISFITS } else { 25 * MISFITS };
            if group.hazard >= target || group.members.len() >= limit || misfits >= patience {
                break;
            }
            if !pool.contains(change) || group.has(change) || self.builds.laid_aside.contains(change) {
                continue;
            }
            let room = most.saturating_sub(group.members.len());
            let free = |i: u32| pool.contains(i) && !self.builds.laid_aside.contains(i);
            let Some(unit) = self.unit(change, &group, room, free) else {
                misfits += 1;
                continue;
            };
            let hazard: f64 = unit.iter().map(|&i| self.mass[i as usize]).sum::<f64>() * self.density.rate();
            let over = group.hazard + hazard - target;
            let worse = over > 0.0 && over > target - group.hazard;
            let too_many = group.members.len() + unit.len() > limit;
            if worse || too_many {
                if group.members.is_empty()
                    && smallest_misfit.as_ref().is_none_or(|(least, _)| hazard < *least)
                {
                    smallest_misfit = Some((hazard, unit.into_iter().collect()));
                }
                misfits += 1;
                continue;
            }
            group.add(unit, hazard);
        }
        let whole = group.units <= 1;
        let (hazard, taken) = match group.members.is_empty() {
            false => (group.hazard, group.members.into_iter().collect()),
            true => smallest_misfit?,
        };
        let none_in_group = (-hazard).exp();
        let fail = if suspecting {
            ((none_in_group - none_at_all) / (1.0 - none_at_all).max(1e-12)).clamp(0.0, 1.0)
        } else {
            none_in_group
        };
        Some(Group { taken, whole, fail })
    }

    /// The change and whatever cannot stay without it, less what is gathered already; `None` if that is more than
    /// `most` changes, or one of them is not `free` to go.
    fn unit(
        &self,
        change: u32,
        gathered: &Gathering,
        most: usize,
        free: impl Fn(u32) -> bool,
    ) -> Option<Vec<u32>> {
        let mut unit = vec![change];
        let mut seen: HashSet<u32> = HashSet::new();
        let mut at = 0;
        while at < unit.len() {
            if unit.len() > most || !free(unit[at]) {
                return None;
            }
            for dependent in self.couplings.needed_by(unit[at]).map(|c| c.dependent) {
                let new = dependent != change && !gathered.has(dependent) && seen.insert(dependent);
                if new && self.kept.contains(dependent) {
                    unit.push(dependent);
                }
            }
            at += 1;
        }
        (unit.len() <= most).then_some(unit)
    }

    fn start_proving(&mut self) {
        let units = self.couplings.unneeded_units(&self.kept).into();
        self.suspects = None;
        self.phase = Phase::Proving { units, next: 0, stuck: Config::empty(), shrunk: false };
    }

    fn prove(&mut self, units: &Arc<[Config]>, next: usize, stuck: &Config, shrunk: bool) -> bool {
        let phase = |next| Phase::Proving { units: Arc::clone(units), next, stuck: stuck.clone(), shrunk };
        match units.get(next) {
            Some(unit) => {
                self.phase = phase(next + 1);
                // All that is left cannot go: the empty config does not fail.
                if unit.len() < self.kept.len() {
                    self.ask(unit.clone(), 0.03);
                }
            }
            None if shrunk => self.start_proving(),
            None if stuck.len() < 2 => self.phase = Phase::Done,
            None => {
                self.phase = Phase::Growing {
                    grown: Config::empty(),
                    waiting: self.kept.iter().collect(),
                    next: 0,
                    grew: false,
                    stuck: stuck.clone(),
                };
            }
        }
        true
    }

    fn grow(&mut self, grown: &Config, waiting: &Arc<[u32]>, next: usize, grew: bool, stuck: Config) -> bool {
        self.phase = match waiting.get(next) {
            Some(&change) => {
                let larger = self.couplings.close(&grown.with(change));
                // All that is left fails, as is known; and what is in already needs no question.
                if larger.len() < self.kept.len() && !grown.contains(change) {
                    self.ask(self.kept.minus(&larger), 0.03);
                }
                let waiting = Arc::clone(waiting);
                Phase::Growing { grown: grown.clone(), waiting, next: next + 1, grew, stuck }
            }
            None if grew => {
                let waiting = self.kept.minus(grown).iter().collect();
                Phase::Growing { grown: grown.clone(), waiting, next: 0, grew: false, stuck }
            }
            None => {
                let budget = self.builds.asked as usize;
                Phase::Pairing { pairs: pairs_of(&stuck, &self.kept, budget).into(), next: 0 }
            }
        };
        true
    }

    fn pair(&mut self, pairs: &Arc<[Config]>, next: usize) -> bool {
        let Some(pair) = pairs.get(next) else {
            self.phase = Phase::Done;
            return false;
        };
        self.phase = Phase::Pairing { pairs: Arc::clone(pairs), next: next + 1 };
        self.ask(pair.clone(), 0.03);
        true
    }
}

/// Changes to take out together.
struct Group {
    taken: Config,
    /// Whether no part of it could go without the rest.
    whole: bool,
    /// The chance that the failure stays.
    fail: f64,
}

/// A group on its way.
#[derive(Default)]
struct Gathering {
    members: Vec<u32>,
    /// How many times changes were added.
    units: usize,
    set: HashSet<u32>,
    hazard: f64,
}

impl Gathering {
    fn has(&self, change: u32) -> bool {
        self.set.contains(&change)
    }

    fn add(&mut self, unit: Vec<u32>, hazard: f64) {
        self.set.extend(&unit);
        self.members.extend(unit);
        self.units += 1;
        self.hazard += hazard;
    }
}

/// Pairs of changes that could not go alone, near ones first, since neighbours need each other most often.
fn pairs_of(stuck: &Config, kept: &Config, most: usize) -> Vec<Config> {
    let stuck: Vec<u32> = stuck.iter().collect();
    let mut pairs = Vec::new();
    for distance in 1..stuck.len() {
        for (a, b) in stuck.iter().zip(&stuck[distance..]) {
            if pairs.len() >= most {
                return pairs;
            }
            if kept.len() > 2 {
                pairs.push([*a, *b].into());
            }
        }
    }
    pairs
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
    fn pith_takes_smaller_groups_where_broken_builds_name_nothing() {
        let expected = "
            {0-7} F
            {0-4} P
            {0-6} F
            {0-5} F
            {5} ?
            {0-2,5} F
            {5} ? = 5
            {0,1,5} ?
            {0,2,5} F
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
