//! The searches by name, for choosing one at run time.

use crate::combine::Coupled;
use crate::list::c2d2::{Resolution, Settings, Strategies};
use crate::list::{
    ActiveCoarsen, Add, C2d2, Cdd, Ddj, Ddmin, Exhaustive, Pith, ProbDd, SweepDdmin, WProbDd, Wddmin,
};
use crate::{AnySearch, Problem, Search};
use std::fmt;
use std::str::FromStr;

/// A search that minimises a failing config, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// nub's own.
    Pith,
    /// Zeller and Hildebrandt 2002, as in the paper.
    Ddmin,
    /// The same without starting again after each success.
    Sweep,
    /// The sweep without testing parts alone.
    Complements,
    /// Wang, Shen, Chen, Xiong and Zhang 2021.
    ProbDd,
    /// ProbDD by counters, 2025.
    Cdd,
    /// ddmin by weight, 2025.
    Wddmin,
    /// ProbDD by weight, 2025.
    WProbDd,
    /// Liang, Tripp and Naik 2011.
    ActiveCoarsen,
    /// Hashimoto, Mori and Izumida 2018.
    Ddj,
    /// Song et al. 2024.
    C2d2,
    /// The same as the authors' code resolves broken builds.
    C2d2AsCoded,
    /// C2D2 without its cold start.
    C2d2NoColdStart,
    /// C2D2 without equal chances.
    C2d2NoEqualChances,
    /// C2D2 without starting afresh.
    C2d2NoStartAfresh,
    /// Yu, Lin, Chen and Zhang 2012, in a dubious part of the changes.
    Add,
    /// Every subset by size; for a handful of changes.
    Exhaustive,
}

/// An algorithm that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm(String);

impl fmt::Display for UnknownAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Algorithm::ALL.iter().map(|a| a.name()).collect();
        write!(f, "no algorithm is called `{}`; there are {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownAlgorithm {}

impl Algorithm {
    /// All of them, nub's own first.
    pub const ALL: [Algorithm; 17] = [
        Algorithm::Pith,
        Algorithm::Ddmin,
        Algorithm::Sweep,
        Algorithm::Complements,
        Algorithm::ProbDd,
        Algorithm::Cdd,
        Algorithm::Wddmin,
        Algorithm::WProbDd,
        Algorithm::ActiveCoarsen,
        Algorithm::Ddj,
        Algorithm::C2d2,
        Algorithm::C2d2AsCoded,
        Algorithm::C2d2NoColdStart,
        Algorithm::C2d2NoEqualChances,
        Algorithm::C2d2NoStartAfresh,
        Algorithm::Add,
        Algorithm::Exhaustive,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Pith => "pith",
            Algorithm::Ddmin => "ddmin",
            Algorithm::Sweep => "ddmin-sweep",
            Algorithm::Complements => "ddmin-complements",
            Algorithm::ProbDd => "probdd",
            Algorithm::Cdd => "cdd",
            Algorithm::Wddmin => "wddmin",
            Algorithm::WProbDd => "wprobdd",
            Algorithm::ActiveCoarsen => "active-coarsen",
            Algorithm::Ddj => "ddj",
            Algorithm::C2d2 => "c2d2",
            Algorithm::C2d2AsCoded => "c2d2-as-coded",
            Algorithm::C2d2NoColdStart => "c2d2-no-cold-start",
            Algorithm::C2d2NoEqualChances => "c2d2-no-equal-chances",
            Algorithm::C2d2NoStartAfresh => "c2d2-no-start-afresh",
            Algorithm::Add => "add",
            Algorithm::Exhaustive => "exhaustive",
        }
    }

    /// What the papers offer at any size, without variants made for comparison only.
    pub fn published() -> impl Iterator<Item = Algorithm> {
        use Algorithm::{
            C2d2NoColdStart, C2d2NoEqualChances, C2d2NoStartAfresh, Complements, Exhaustive, Pith,
        };
        let variants = [C2d2NoColdStart, C2d2NoEqualChances, C2d2NoStartAfresh, Complements];
        Algorithm::ALL.into_iter().filter(move |a| !variants.contains(a) && ![Pith, Exhaustive].contains(a))
    }

    /// Whether its result is 1-minimal on any test that always gives the same answer.
    pub fn proves_one_minimal(self) -> bool {
        use Algorithm::{Complements, Ddmin, Exhaustive, Pith, Sweep, Wddmin};
        matches!(self, Pith | Ddmin | Sweep | Complements | Wddmin | Exhaustive)
    }

    /// Whether it asks first about a set without declarations.
    pub fn has_cold_start(self) -> bool {
        use Algorithm::{C2d2, C2d2AsCoded, C2d2NoEqualChances, C2d2NoStartAfresh};
        matches!(self, C2d2 | C2d2AsCoded | C2d2NoEqualChances | C2d2NoStartAfresh)
    }

    /// Starts the search on a problem.
    ///
    /// Pith, DDJ and C2D2 deal with couplings themselves; around the others every proposal is closed under them.
    pub fn start(self, problem: &Problem, seed: u64) -> AnySearch {
        let c2d2 = |settings| AnySearch::new(C2d2::new(problem, settings, seed));
        let paper = Settings::default();
        let without = |strategies| c2d2(Settings { strategies, ..paper });
        let all = Strategies::ALL;
        match self {
            Algorithm::Pith => AnySearch::new(Pith::new(problem)),
            Algorithm::Ddj => AnySearch::new(Ddj::in_components(problem)),
            Algorithm::C2d2 => c2d2(paper),
            Algorithm::C2d2AsCoded => c2d2(Settings { resolution: Resolution::Published, ..paper }),
            Algorithm::C2d2NoColdStart => without(Strategies { cold_start: false, ..all }),
            Algorithm::C2d2NoEqualChances => without(Strategies { equal_chances: false, ..all }),
            Algorithm::C2d2NoStartAfresh => without(Strategies { start_afresh: false, ..all }),
            Algorithm::Ddmin => closed(problem, |p| Ddmin::new(p.full.clone())),
            Algorithm::Sweep => closed(problem, |p| SweepDdmin::new(p.full.clone())),
            Algorithm::Complements => closed(problem, |p| SweepDdmin::complements_only(p.full.clone())),
            Algorithm::ProbDd => closed(problem, ProbDd::new),
            Algorithm::Cdd => closed(problem, Cdd::new),
            Algorithm::Wddmin => closed(problem, Wddmin::new),
            Algorithm::WProbDd => closed(problem, WProbDd::new),
            Algorithm::ActiveCoarsen => closed(problem, move |p| ActiveCoarsen::new(p, seed)),
            // Who knows which changes are dubious starts it by hand; without that all are.
            Algorithm::Add => AnySearch::new(Add::new(problem.full.clone(), problem.full.clone())),
            Algorithm::Exhaustive => closed(problem, |p| Exhaustive::new(p.full.clone())),
        }
    }
}

fn closed<S: Search>(problem: &Problem, make: impl Fn(&Problem) -> S + Send + Sync + 'static) -> AnySearch {
    AnySearch::new(Coupled::new(problem, make))
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Algorithm, UnknownAlgorithm> {
        let found = Algorithm::ALL.into_iter().find(|a| a.name() == name);
        found.ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}
