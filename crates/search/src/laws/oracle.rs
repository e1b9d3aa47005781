//! Simulated tests: known culprits and couplings, broken builds that name what they miss, and hostile ones.

use crate::{Answer, Config, Coupling, Couplings, Outcome, Problem, Random};
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A deterministic test of configs, and the problem it belongs to.
pub trait Oracle: Debug {
    /// What the test says.
    fn test(&self, config: &Config) -> Answer;
    /// What a search is told before the first test.
    fn problem(&self) -> Problem;
}

/// How many of the couplings it breaks a failed build names, as compilers differ in this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Naming {
    /// It only says that it failed.
    Nothing,
    /// It stops at the first.
    One,
    /// It lists them all.
    All,
}

/// Fails when all culprits are there, and builds when every change has what it needs.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// How many changes there are.
    pub n: usize,
    /// The changes that make the failure together.
    pub culprits: Config,
    /// Which changes really need which, by dependent.
    pub needs: Arc<Vec<Vec<u32>>>,
    /// What is known of that beforehand.
    pub known: Couplings,
    /// What a failed build says.
    pub naming: Naming,
}

impl Simulated {
    /// Culprits among `n` changes that do not need each other.
    pub fn monotone(n: usize, culprits: impl Into<Config>) -> Simulated {
        Simulated {
            n,
            culprits: culprits.into(),
            needs: Arc::new(Vec::new()),
            known: Couplings::none(),
            naming: Naming::Nothing,
        }
    }

    /// The smallest config that builds and fails: the culprits and all they need.
    pub fn optimum(&self) -> Config {
        let all = self
            .needs
            .iter()
            .enumerate()
            .flat_map(|(a, needed)| needed.iter().map(move |&b| Coupling::certain(a as u32, b)));
        Couplings::given(all).close(&self.culprits)
    }
}

impl Oracle for Simulated {
    fn test(&self, config: &Config) -> Answer {
        let broken = |a: u32| {
            let needed = self.needs.get(a as usize).map_or(&[][..], |v| v);
            needed.iter().filter(|b| !config.contains(**b)).map(move |&b| Coupling::certain(a, b))
        };
        let mut missing = config.iter().flat_map(broken).peekable();
        if missing.peek().is_some() {
            let named = match self.naming {
                Naming::Nothing => 0,
                Naming::One => 1,
                Naming::All => usize::MAX,
            };
            return Answer::broken_build(missing.take(named));
        }
        let fails = self.culprits.is_subset(config);
        Answer::bare(if fails { Outcome::Fail } else { Outcome::Pass })
    }

    fn problem(&self) -> Problem {
        Problem::new(self.n).with_couplings(self.known.clone())
    }
}

/// Random couplings: `per_change` for each change on average, half of them outgoing.
pub fn random_couplings(n: usize, per_change: f64, random: &mut Random) -> Vec<Vec<u32>> {
    let mut needs = vec![Vec::new(); n];
    let edges = if n < 2 { 0 } else { (per_change / 2.0 * n as f64).round() as usize };
    for _ in 0..edges {
        let (a, b) = (random.below(n), random.below(n));
        if a != b && !needs[a].contains(&(b as u32)) {
            needs[a].push(b as u32);
        }
    }
    needs
}

/// Answers by a hash of the config: no structure at all, but always the same answer.
#[derive(Clone, Debug)]
struct Hostile {
    n: usize,
    seed: u64,
    fail: f64,
    unresolved: f64,
}

impl Oracle for Hostile {
    fn test(&self, config: &Config) -> Answer {
        if config.is_empty() {
            return Answer::bare(Outcome::Pass);
        }
        if config.len() == self.n {
            return Answer::bare(Outcome::Fail);
        }
        let mut hasher = DefaultHasher::new();
        (self.seed, config).hash(&mut hasher);
        let draw = Random::new(hasher.finish()).unit();
        Answer::bare(match draw {
            x if x < self.fail => Outcome::Fail,
            x if x < self.fail + self.unresolved => Outcome::Unresolved,
            _ => Outcome::Pass,
        })
    }

    fn problem(&self) -> Problem {
        Problem::new(self.n)
    }
}

/// Fails when any of several groups of culprits is whole: not unambiguous, though monotone.
#[derive(Clone, Debug)]
struct Alternatives {
    n: usize,
    groups: Vec<Config>,
}

impl Oracle for Alternatives {
    fn test(&self, config: &Config) -> Answer {
        let fails = self.groups.iter().any(|group| group.is_subset(config));
        Answer::bare(if fails { Outcome::Fail } else { Outcome::Pass })
    }

    fn problem(&self) -> Problem {
        Problem::new(self.n)
    }
}

/// An oracle of any kind.
#[derive(Debug)]
pub(super) struct Any(Box<dyn Oracle>);

impl Oracle for Any {
    fn test(&self, config: &Config) -> Answer {
        self.0.test(config)
    }
    fn problem(&self) -> Problem {
        self.0.problem()
    }
}

/// One oracle of each kind: monotone, coupled (known, half known, unknown), ambiguous, constant, contradictory.
pub(super) fn generated(n: usize, random: &mut Random) -> Vec<Any> {
    let mut pick = |d: usize| -> Config { (0..d.max(1)).map(|_| random.below(n) as u32).collect() };
    let monotone = Simulated::monotone(n, pick(1 + n / 8));
    let dense = Simulated::monotone(n, pick(2 * n));
    let groups = vec![pick(2), pick(2), pick(3)];
    let mut oracles = vec![
        Any(Box::new(monotone.clone())),
        Any(Box::new(dense)),
        Any(Box::new(Alternatives { n, groups })),
    ];
    for naming in [Naming::Nothing, Naming::One, Naming::All] {
        let needs = random_couplings(n, 1.5, random);
        let all: Vec<Coupling> = (0..n as u32)
            .flat_map(|a| needs[a as usize].iter().map(move |&b| Coupling::certain(a, b)))
            .collect();
        let known = match naming {
            Naming::Nothing => all,
            _ => all.into_iter().filter(|_| random.chance(0.5)).collect(),
        };
        for known in [Couplings::none(), Couplings::given(known)] {
            let needs = Arc::new(needs.clone());
            oracles.push(Any(Box::new(Simulated { needs, known, naming, ..monotone.clone() })));
        }
    }
    let hostile = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.3, 0.0), (0.2, 0.4)];
    oracles.extend(
        hostile.map(|(fail, unresolved)| {
            Any(Box::new(Hostile { n, seed: random.next_u64(), fail, unresolved }))
        }),
    );
    oracles
}
