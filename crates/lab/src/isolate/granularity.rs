//! The smallest parts of a difference that are told apart.

use nub_change::{Detail, Level};
use nub_search::Algorithm;
use std::fmt;
use std::str::FromStr;

/// How finely a difference is taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Granularity {
    /// Files.
    File,
    /// Functions, fields and other declarations.
    Declaration,
    /// Statements.
    Statement,
    /// Lines, whatever they mean.
    Line,
    /// Parts of statements, as small as the language allows.
    Node,
}

/// A granularity that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no granularity is called `{0}`")]
pub struct UnknownGranularity(String);

impl Granularity {
    /// All of them, coarsest first.
    pub const ALL: [Granularity; 5] = [
        Granularity::File,
        Granularity::Declaration,
        Granularity::Statement,
        Granularity::Line,
        Granularity::Node,
    ];

    /// As fine as it pays with an algorithm.
    pub fn usual(algorithm: Algorithm) -> Granularity {
        if Granularity::Node.refines(algorithm) { Granularity::Node } else { Granularity::Line }
    }

    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Granularity::File => "file",
            Granularity::Declaration => "decl",
            Granularity::Statement => "stmt",
            Granularity::Line => "line",
            Granularity::Node => "node",
        }
    }

    /// What it is, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Granularity::File => "Files",
            Granularity::Declaration => "Functions, fields and other declarations",
            Granularity::Statement => "Statements",
            Granularity::Line => "Lines, whatever they mean",
            Granularity::Node => "Parts of statements, as small as the language allows",
        }
    }

    /// What texts are taken apart into, to show all that differs.
    pub fn detail(self) -> Detail {
        match self {
            Granularity::Line => Detail::Lines,
            _ => Detail::Syntax,
        }
    }

    /// What texts are taken apart into for a search by this algorithm.
    ///
    /// nub's own goes from lines to parts of statements: it needs a third of the tests, and what it finds is smaller. Where
    /// white space hides what was edited, lines are no start.
    pub fn searched(self, algorithm: Algorithm) -> Detail {
        if self.refines(algorithm) { Detail::Fitting } else { self.detail() }
    }

    /// Whether what a search by this algorithm leaves is taken apart once more.
    pub fn refines(self, algorithm: Algorithm) -> bool {
        self == Granularity::Node && algorithm == Algorithm::Pith
    }

    /// How finely a search tells changes apart.
    pub(super) fn level(self) -> Level {
        match self {
            Granularity::File => Level::File,
            Granularity::Declaration => Level::Declaration,
            Granularity::Statement => Level::Statement,
            Granularity::Line | Granularity::Node => Level::Node,
        }
    }
}

impl fmt::Display for Granularity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Granularity {
    type Err = UnknownGranularity;

    fn from_str(name: &str) -> Result<Granularity, UnknownGranularity> {
        let named = Granularity::ALL.into_iter().find(|granularity| granularity.name() == name);
        named.ok_or_else(|| UnknownGranularity(name.to_owned()))
    }
}
