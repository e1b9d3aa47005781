//! The searches by name, for choosing one at run time.

use crate::combine::Coupled;
use crate::list::{ActiveCoarsen, Cdd, Ddmin, Exhaustive, Pith, ProbDd, SweepDdmin, WProbDd, Wddmin};
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
    pub const ALL: [Algorithm; 10] = [
        Algorithm::Pith,
        Algorithm::Ddmin,
        Algorithm::Sweep,
        Algorithm::Complements,
        Algorithm::ProbDd,
        Algorithm::Cdd,
        Algorithm::Wddmin,
        Algorithm::WProbDd,
        Algorithm::ActiveCoarsen,
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
            Algorithm::Exhaustive => "exhaustive",
        }
    }

    /// Starts the search on a problem.
    ///
    /// Pith deals with couplings itself; around the others every proposal is closed under them.
    pub fn start(self, problem: &Problem, seed: u64) -> AnySearch {
        match self {
            Algorithm::Pith => AnySearch::new(Pith::new(problem)),
            Algorithm::Ddmin => closed(problem, |p| Ddmin::new(p.full.clone())),
            Algorithm::Sweep => closed(problem, |p| SweepDdmin::new(p.full.clone())),
            Algorithm::Complements => closed(problem, |p| SweepDdmin::complements_only(p.full.clone())),
            Algorithm::ProbDd => closed(problem, ProbDd::new),
            Algorithm::Cdd => closed(problem, Cdd::new),
            Algorithm::Wddmin => closed(problem, Wddmin::new),
            Algorithm::WProbDd => closed(problem, WProbDd::new),
            Algorithm::ActiveCoarsen => closed(problem, move |p| ActiveCoarsen::new(p, seed)),
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
