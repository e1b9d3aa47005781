//! Arguments as they are typed.

use crate::quantity;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use nub_change::part::Pass;
use nub_lab::isolate::{Budget, Granularity};
use nub_lab::process::{Symptom, SymptomError};
use nub_search::algorithm::Algorithm;
use regex::bytes::{Regex, RegexBuilder};
use std::error::Error;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Gets to the nub of a bug
#[derive(Debug, Parser)]
#[command(name = "nub", version, subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "`nub demo` shows what it does. `nub help isolate` has examples.")]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find the smallest part of a difference between two versions that makes a test change its mind
    #[command(after_long_help = ISOLATE_HELP, args_override_self = true)]
    Isolate(Box<IsolateArgs>),
    /// Find the smallest input that still shows a bug
    #[command(after_long_help = REDUCE_HELP, args_override_self = true, override_usage = REDUCE_USAGE)]
    Reduce(Box<ReduceArgs>),
    /// Go on with a search that was stopped, to its end
    Resume(ResumeArgs),
    /// Tell a result in words
    Explain {
        /// The output folder of the search
        dir: PathBuf,
    },
    /// Show the changes between two versions: what they are, and which need which
    Diff(DiffArgs),
    /// Watch a search on a small regression that comes with nub
    Demo,
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

const ISOLATE_HELP: &str = "\
Examples:
  Which of my uncommitted edits broke this test?
    nub isolate -- pytest -x tests/test_a.py
  What between two releases broke this, and how is it built?
    nub isolate v1.2 v1.3 --build 'make -j4' -- ./repro.sh
  The same without a repository:
    nub isolate foo-1.2/ foo-1.3.tar.gz --build 'make -j4' -- ./repro.sh
  Which part of a patch makes the test pass?
    nub isolate --patch fix.diff -- cargo test parser

The test answers like one for `git bisect run`: 0 is good, 125 cannot tell, any other code up to 126 is bad, and 127 \
(command not found) or more ends the search. One word after `--` is a line for sh; several are a program and its \
arguments. A build that fails means \"cannot tell\".

The patch goes to stdout, everything else to stderr and to the output folder. Nothing of yours is changed: all work \
happens in copies.

Exit codes: 0 found, 1 failed, 2 bad arguments, 3 the test does not tell the versions apart, 4 the budget was used up, \
130 interrupted. After 4 and 130 the best result so far is out.";

/// What `nub isolate` is told.
#[derive(Debug, ClapArgs)]
pub struct IsolateArgs {
    /// The old version: a revision, a range, a directory or an archive [default: HEAD]
    pub old: Option<OsString>,
    /// The new version [default: the working tree]
    pub new: Option<OsString>,
    /// Make the new version from the old one and this patch
    #[arg(long, value_name = "FILE")]
    pub patch: Option<PathBuf>,

    /// How to build a version, as a line for sh; '' if there is nothing to build [default: guessed, and shown]
    #[arg(long, value_name = "CMD", help_heading = "What to run")]
    pub build: Option<String>,
    /// Let a failing test count only if its output matches this, or it ends with exit:CODE or signal:NAME
    #[arg(long, value_name = "REGEX", value_parser = symptom, help_heading = "What to run")]
    pub symptom: Vec<Symptom>,
    /// Let the exit code decide, whether a failure is like that of the bad version or not
    #[arg(long, help_heading = "What to run")]
    pub any_failure: bool,
    /// Run the test until it fails, at most this often, before a variant counts as good: for a flaky failure
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number, help_heading = "What to run")]
    pub repeat: usize,
    /// The longest a command may take, as in 30s or 5m [default: from the first runs]
    #[arg(long, value_name = "TIME", value_parser = quantity::time, help_heading = "What to run")]
    pub timeout: Option<Duration>,
    /// What a test that runs out of time has said
    #[arg(long, value_name = "OUTCOME", default_value = "unresolved", help_heading = "What to run")]
    pub timeout_is: TimeoutIs,
    /// The most memory a process may use, as in 2G
    #[arg(long, value_name = "SIZE", value_parser = quantity::size, help_heading = "What to run")]
    pub memory: Option<u64>,
    /// Build from scratch each time
    #[arg(long, help_heading = "What to run")]
    pub clean: bool,

    /// What to look for
    #[arg(long, value_name = "GOAL", default_value = "fix", help_heading = "What to search")]
    pub seek: SeekArg,
    /// How to search
    #[arg(long, value_name = "NAME", default_value = "pith", value_parser = algorithms())]
    #[arg(help_heading = "What to search")]
    pub algorithm: Algorithm,
    /// The smallest parts of the difference to tell apart [default: node, with pith; line, with other searches]
    #[arg(long, value_name = "PARTS", value_parser = granularities(), help_heading = "What to search")]
    pub granularity: Option<Granularity>,
    /// Keep this file or folder the same in every variant, as the new version has it
    #[arg(long, value_name = "PATH", help_heading = "What to search")]
    pub pin: Vec<PathBuf>,
    /// Do not pin test files that the test command names
    #[arg(long, help_heading = "What to search")]
    pub no_pin: bool,
    /// Search only in paths that match, as in .gitignore
    #[arg(long, value_name = "GLOB", help_heading = "What to search")]
    pub only: Vec<String>,
    /// Do not search in paths that match, as in .gitignore
    #[arg(long, value_name = "GLOB", help_heading = "What to search")]
    pub ignore: Vec<String>,
    /// Find out which changes the test runs, and search among those first [default: where it pays]
    #[arg(long, value_name = "WHEN", help_heading = "What to search")]
    pub coverage: Option<CoverageArg>,
    /// Take what the old version runs from this coverage report
    #[arg(long, value_name = "FILE", help_heading = "What to search")]
    pub coverage_old: Option<PathBuf>,
    /// Take what the new version runs from this coverage report
    #[arg(long, value_name = "FILE", help_heading = "What to search")]
    pub coverage_new: Option<PathBuf>,
    /// A test that passes on both versions, as a line for sh; what it runs too is less suspicious
    #[arg(long, value_name = "CMD", help_heading = "What to search")]
    pub also_pass: Vec<String>,
    /// What the search is not to be told; to see what it is worth
    #[arg(long, value_name = "KNOWLEDGE", value_delimiter = ',', help_heading = "What to search")]
    pub without: Vec<KnowledgeArg>,
    /// The seed of algorithms that draw
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "What to search")]
    pub seed: u64,

    /// How many tests to run at a time
    #[arg(short, long, value_name = "N", default_value_t = 1, aliases = ["n", "parallelism"])]
    #[arg(value_parser = number, help_heading = "How to run")]
    pub jobs: usize,
    /// Stop after this time (10m, 1h30m) or this many tests (200) with the best so far
    #[arg(long, value_name = "TIME|TESTS", value_parser = quantity::budget, help_heading = "How to run")]
    pub budget: Option<Budget>,
    /// Where results, journal and logs go [default: a folder of its own in $XDG_STATE_HOME/nub]
    #[arg(long, value_name = "DIR", help_heading = "How to run")]
    pub out: Option<PathBuf>,
    /// Forget the answers of an earlier run
    #[arg(long, help_heading = "How to run")]
    pub fresh: bool,
    /// Print the result as JSON instead of the patch
    #[arg(long, help_heading = "How to run")]
    pub json: bool,
    /// Read options from this file [default: nub.toml, if there is one]
    #[arg(long, value_name = "FILE", help_heading = "How to run")]
    pub config: Option<PathBuf>,

    /// The test: a program with its arguments, or one line for sh [default: guessed, and shown]
    #[arg(last = true)]
    pub test: Vec<OsString>,
}

/// What `nub diff` is told.
#[derive(Debug, ClapArgs)]
pub struct DiffArgs {
    /// The old version: a revision, a range, a directory or an archive [default: HEAD]
    pub old: Option<OsString>,
    /// The new version [default: the working tree]
    pub new: Option<OsString>,
    /// Make the new version from the old one and this patch
    #[arg(long, value_name = "FILE")]
    pub patch: Option<PathBuf>,
    /// Show only paths that match, as in .gitignore
    #[arg(long, value_name = "GLOB")]
    pub only: Vec<String>,
    /// Do not show paths that match, as in .gitignore
    #[arg(long, value_name = "GLOB")]
    pub ignore: Vec<String>,
    /// Show what of the old version this coverage report says ran
    #[arg(long, value_name = "FILE")]
    pub coverage_old: Option<PathBuf>,
    /// Show what of the new version this coverage report says ran
    #[arg(long, value_name = "FILE")]
    pub coverage_new: Option<PathBuf>,
    /// What to take files of known languages apart into
    #[arg(long, value_name = "PARTS", default_value = "node", value_parser = granularities())]
    pub granularity: Granularity,
    /// Print the changes as JSON
    #[arg(long)]
    pub json: bool,
}

const REDUCE_HELP: &str = "\
Examples:
  A script that exits with 0 while the bug shows, and the input:
    nub reduce ./interesting.sh crash.c
  The same with four tests at a time, over the file itself (crash.c.orig is kept):
    nub reduce -j4 --in-place ./interesting.sh crash.c
  No script: the compiler crashes, and says where
    nub reduce crash.c --stderr-matches 'internal compiler error' -- gcc -O2 -c @@
  A program that dies of a signal when it reads the input:
    nub reduce bad.json --crash -- ./parser @@
  A folder:
    nub reduce ./interesting.sh project/

The test runs in a fresh folder that holds the input under its own name and nothing else; the path of the input is \
also its argument, and its text the standard input. It answers like a script for C-Reduce: 0 is interesting, 125 (and \
124, as `timeout` says) cannot tell, anything else is not interesting. With one of --stderr-matches, --stdout-matches, \
--exit-code, --signal and --crash the command needs no script: the input is interesting if all of them hold.

The result is beside the input as NAME.min.EXT, and there is a good one at any time: it is replaced whenever something \
smaller is found. Given again after an end by Ctrl-C, a crash or a budget, the same command goes on where it was.

Exit codes: 0 reduced, 1 failed, 2 bad arguments, 3 the input is not interesting, 4 the budget was used up, 5 the empty \
input is interesting too, 130 interrupted. After 4 and 130 the best result so far is out.";

const REDUCE_USAGE: &str = "\
nub reduce [OPTIONS] <TEST> <FILE>...
       nub reduce [OPTIONS] <FILE>... -- <CMD>...";

/// What `nub reduce` is told.
#[derive(Debug, ClapArgs)]
pub struct ReduceArgs {
    /// The test, then the input: files or folders; without a test if a command comes after `--`
    #[arg(required = true, value_name = "TEST FILE")]
    pub paths: Vec<PathBuf>,

    /// Take an input as interesting if what the command prints to stderr matches
    #[arg(long, value_name = "REGEX", value_parser = pattern, help_heading = "What is interesting")]
    pub stderr_matches: Vec<Regex>,
    /// Take an input as interesting if what the command prints to stdout matches
    #[arg(long, value_name = "REGEX", value_parser = pattern, help_heading = "What is interesting")]
    pub stdout_matches: Vec<Regex>,
    /// Take an input as interesting if the command exits with this code
    #[arg(long, value_name = "CODE", help_heading = "What is interesting")]
    pub exit_code: Option<i32>,
    /// Take an input as interesting if the command is ended by this signal, as in SEGV or 11
    #[arg(long, value_name = "SIGNAL", value_parser = signal, help_heading = "What is interesting")]
    pub signal: Option<i32>,
    /// Take an input as interesting if the command crashes: SEGV, ABRT, BUS, FPE, ILL, TRAP or SYS
    #[arg(long, help_heading = "What is interesting")]
    pub crash: bool,
    /// Follow interesting inputs whose message or signal is not that of the original, too
    #[arg(long, help_heading = "What is interesting")]
    pub any_failure: bool,

    /// The longest a test may take, as in 30s or 5m [default: ten times the first run]
    #[arg(long, value_name = "TIME", value_parser = quantity::time, help_heading = "How to run")]
    pub timeout: Option<Duration>,
    /// The most memory a process may use, as in 2G
    #[arg(long, value_name = "SIZE", value_parser = quantity::size, help_heading = "How to run")]
    pub memory: Option<u64>,
    /// How many tests to run at a time
    #[arg(short, long, value_name = "N", default_value_t = 1, aliases = ["n", "parallelism"])]
    #[arg(value_parser = number, help_heading = "How to run")]
    pub jobs: usize,
    /// Stop after this time (10m, 1h30m) or this many tests (200) with the best so far
    #[arg(long, value_name = "TIME|TESTS", value_parser = quantity::budget, help_heading = "How to run")]
    pub budget: Option<Budget>,
    /// Forget the answers of an earlier run
    #[arg(long, help_heading = "How to run")]
    pub fresh: bool,

    /// Read the input as this language [default: by its name]
    #[arg(long, value_name = "NAME", help_heading = "How to reduce")]
    pub lang: Option<String>,
    /// How to search [default: what suits each pass]
    #[arg(long, value_name = "NAME", value_parser = algorithms(), help_heading = "How to reduce")]
    pub algorithm: Option<Algorithm>,
    /// The passes to run, in this order [default: files,comments,bodies,lists,uses,tree,texts,tokens,letters,inline,literals,names,merge,stand-ins,rough,blots]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = passes())]
    #[arg(help_heading = "How to reduce")]
    pub passes: Vec<Pass>,

    /// Write the result so that it can be read, a statement a line, if it then still shows the bug
    #[arg(long, help_heading = "Results")]
    pub tidy: bool,
    /// Where the result goes [default: NAME.min.EXT beside the input, NAME.min for a folder]
    #[arg(short, long, value_name = "PATH", conflicts_with = "in_place", help_heading = "Results")]
    pub output: Option<PathBuf>,
    /// Put the result in the place of the input, which is kept as NAME.orig
    #[arg(long, help_heading = "Results")]
    pub in_place: bool,
    /// Where the journal and other bugs that were met go [default: a folder of its own in $XDG_STATE_HOME/nub]
    #[arg(long, value_name = "DIR", help_heading = "Results")]
    pub out: Option<PathBuf>,
    /// Print what was done as JSON
    #[arg(long, help_heading = "Results")]
    pub json: bool,

    /// The command to run on the input, which @@ in it stands for: a program with its arguments, or one line for sh
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// What `nub resume` is told.
#[derive(Debug, ClapArgs)]
pub struct ResumeArgs {
    /// The output folder of the search
    pub dir: PathBuf,
    /// How many tests to run at a time [default: as before]
    #[arg(short, long, value_name = "N", value_parser = number)]
    pub jobs: Option<usize>,
    /// Stop again after this time or this many tests
    #[arg(long, value_name = "TIME|TESTS", value_parser = quantity::budget)]
    pub budget: Option<Budget>,
}

/// What a test that runs out of time has said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TimeoutIs {
    /// It cannot tell
    #[default]
    Unresolved,
    /// The failure is there
    Fail,
}

/// What to look for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SeekArg {
    /// From the bad version, the smallest part that makes the test pass
    #[default]
    Fix,
    /// From the good version, the smallest part that makes the test fail
    Break,
}

/// When to find out which changes the test runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CoverageArg {
    /// Whenever there is a tool for the language, with builds of its own if need be
    Auto,
    /// Never
    Off,
}

/// What a search can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KnowledgeArg {
    /// Which changes need which by the laws of their language
    Rules,
    /// Which changes the messages of failed builds and tests name
    Messages,
    /// Which variants have a file that cannot be read, and so need no test
    Reading,
}

fn algorithms() -> impl TypedValueParser<Value = Algorithm> {
    PossibleValuesParser::new(Algorithm::ALL.map(Algorithm::name)).try_map(|name| name.parse())
}

fn granularities() -> impl TypedValueParser<Value = Granularity> {
    let value = |granularity: Granularity| PossibleValue::new(granularity.name()).help(granularity.meaning());
    PossibleValuesParser::new(Granularity::ALL.map(value)).try_map(|name| name.parse())
}

/// Reads a symptom; what is wrong with a regular expression is the last line of its error.
fn symptom(text: &str) -> Result<Symptom, String> {
    text.parse().map_err(|error: SymptomError| {
        let cause = error.source().map(ToString::to_string).unwrap_or_default();
        let cause = cause.lines().last().map(|line| line.trim_start_matches("error").to_owned());
        format!("{error}{}", cause.unwrap_or_default())
    })
}

fn passes() -> impl TypedValueParser<Value = Pass> {
    PossibleValuesParser::new(Pass::ALL.map(Pass::name)).try_map(|name| name.parse())
}

fn pattern(text: &str) -> Result<Regex, String> {
    let cause = |error: regex::Error| error.to_string().lines().last().unwrap_or_default().to_owned();
    RegexBuilder::new(text).multi_line(true).build().map_err(cause)
}

fn signal(text: &str) -> Result<i32, String> {
    match format!("signal:{text}").parse() {
        Ok(Symptom::Signal(number)) => Ok(number),
        _ => Err("expected a name such as SEGV, or a number".into()),
    }
}

fn number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(number),
        _ => Err("expected a number from 1".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_of_the_arguments_is_sound() {
        Args::command().debug_assert();
    }
}
