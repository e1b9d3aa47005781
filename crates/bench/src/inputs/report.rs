//! The page on crashing inputs: nub beside other tools, the searches beside each other.

use super::DEFAULT;
use super::record::{Outcome, Record};
use crate::table::Table;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

const HEAD: &str = "# Crashing inputs\n\n\
    Written by `nub-bench inputs --cache DIR`, with the data in inputs.json beside it. Every run is on one core, one test at a \
    time, and a star marks those that the clock has stopped. A cell is the tokens that are left (words and signs, counted \
    the same for every tool), the tests run, and the seconds of processor time that all took together, which on an idle \
    machine is the time on the clock; on a busy one a run that was stopped had less than its minutes, and what it leaves is \
    not what it would leave in the end. treereduce has only some of the languages; picireny is not here, since it comes \
    with neither an ANTLR nor grammars. Who leaves over a twentieth more than nub does not count as smaller, faster or done \
    in fewer tests.\n\n";

/// The whole page.
pub fn page(record: &Record) -> String {
    let is_grid = |reducer: &str| reducer.contains('-');
    let tools = Runs::of(&record.runs, |reducer| !is_grid(reducer));
    let grid = Runs::of(&record.runs, is_grid);
    let mut text = HEAD.to_owned();
    if !tools.reducers.is_empty() {
        let (cap, cells, goals) = (tools.minutes(), tools.cells(), tools.goals());
        let _ = write!(text, "## nub and other tools\n\n{cap}{cells}\n{goals}\n");
    }
    if !grid.reducers.is_empty() {
        let (ended, stopped) = grid.common();
        let (cap, cells, orderings) = (grid.minutes(), grid.cells(), grid.orderings(&ended));
        let ended = grid.sums("where all came to their end", &ended);
        let stopped = grid.sums("where the clock has stopped some", &stopped);
        let _ = write!(
            text,
            "## HDD and Perses with each search\n\n{cap}{cells}\n{ended}\n{orderings}\n\
             In the same time, where tests are counted of runs that were stopped:\n\n{stopped}\n"
        );
    }
    text += &readable(&record.runs);
    if let Some(own) = &record.own {
        let _ = write!(text, "\n## What nub itself costs\n\n{own}");
    }
    text
}

/// How many of the candidates that a grammar guided could be read.
fn readable(runs: &[Outcome]) -> String {
    let mut read: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.found.readable.1 > 0) {
        let (good, all) = read.entry(&run.language).or_default();
        *good += run.found.readable.0;
        *all += run.found.readable.1;
    }
    if read.is_empty() {
        return String::new();
    }
    let mut readable = Table::new(["language", "candidates", "could be read"]);
    for (language, (good, all)) in read {
        let share = format!("{:.1} %", 100.0 * good as f64 / all as f64);
        readable.row([language.to_owned(), all.to_string(), share]);
    }
    format!(
        "## Candidates that could be read\n\nOf those that Perses tested, which the grammar guides, while the input \
         itself could be read. While a text has up to 16 kB, candidates that cannot be read are not tested and not \
         counted; they can be unreadable here only where it was longer. The goal is 99 %.\n\n{readable}"
    )
}

/// The runs of one table: every case by every reducer.
struct Runs<'a> {
    known: &'a [Outcome],
    reducers: Vec<&'a str>,
    cases: Vec<&'a str>,
}

impl<'a> Runs<'a> {
    /// Those of the reducers that `wanted` names, nub's own choice first, on the cases that one of them has run.
    fn of(known: &'a [Outcome], wanted: impl Fn(&str) -> bool) -> Runs<'a> {
        let runs = || known.iter().filter(|run| wanted(&run.reducer));
        let names: BTreeSet<&str> = runs().map(|run| run.reducer.as_str()).collect();
        let mut reducers: Vec<&str> = names.into_iter().collect();
        reducers.sort_by_key(|reducer| *reducer != DEFAULT);
        let cases: BTreeSet<&str> = runs().map(|run| run.case.as_str()).collect();
        Runs { known, reducers, cases: cases.into_iter().collect() }
    }

    fn find(&self, case: &str, reducer: &str) -> Option<&'a Outcome> {
        self.known.iter().find(|run| run.case == case && run.reducer == reducer)
    }

    fn minutes(&self) -> String {
        let mut caps: Vec<u64> = self
            .known
            .iter()
            .filter(|run| self.reducers.contains(&run.reducer.as_str()))
            .map(|run| run.minutes)
            .collect();
        caps.sort_unstable();
        caps.dedup();
        let unit = if caps == [1] { "minute" } else { "minutes" };
        let caps: Vec<String> = caps.iter().map(ToString::to_string).collect();
        format!("A run was stopped after {} {unit}.\n\n", caps.join(" or "))
    }

    fn cells(&self) -> Table {
        let mut cells = Table::new(["tokens / tests / s"].into_iter().chain(self.reducers.iter().copied()));
        for case in &self.cases {
            let shown = self.reducers.iter().map(|reducer| match self.find(case, reducer) {
                Some(run) => {
                    let star = if run.found.finished { "" } else { "*" };
                    format!("{} / {} / {:.0}{star}", run.found.tokens, run.found.tests, run.processor)
                }
                None => "-".into(),
            });
            cells.row([(*case).to_owned()].into_iter().chain(shown));
        }
        cells
    }

    /// The cases that all reducers have run: those that all brought to their end, and the others.
    fn common(&self) -> (Vec<&'a str>, Vec<&'a str>) {
        let runs = |case: &str| self.reducers.iter().map(|reducer| self.find(case, reducer)).collect();
        let common = self.cases.iter().filter_map(|&case| {
            let runs: Option<Vec<&Outcome>> = runs(case);
            runs.map(|runs| (case, runs.iter().all(|run| run.found.finished)))
        });
        let (ended, stopped): (Vec<_>, Vec<_>) = common.partition(|(_, ended)| *ended);
        let names = |cases: Vec<(&'a str, bool)>| cases.into_iter().map(|(case, _)| case).collect();
        (names(ended), names(stopped))
    }

    /// Some cases, added up.
    fn sums(&self, which: &str, cases: &[&str]) -> Table {
        let mut sums = Table::new([which, "cases", "tokens left", "tests", "seconds", "tokens/s"]);
        for reducer in &self.reducers {
            let runs: Vec<&Outcome> = cases.iter().filter_map(|case| self.find(case, reducer)).collect();
            let seconds: f64 = runs.iter().map(|run| run.processor).sum();
            let gone: usize = runs.iter().map(|run| run.tokens_before.saturating_sub(run.found.tokens)).sum();
            sums.row([
                (*reducer).to_owned(),
                runs.len().to_string(),
                runs.iter().map(|run| run.found.tokens).sum::<usize>().to_string(),
                runs.iter().map(|run| run.found.tests).sum::<usize>().to_string(),
                format!("{seconds:.0}"),
                format!("{:.0}", gone as f64 / seconds.max(0.001)),
            ]);
        }
        sums
    }

    /// Whether the orders that ProbDD's and WDD's authors found hold for some cases, added up.
    fn orderings(&self, cases: &[&str]) -> Table {
        let sum = |reducer: &str, of: fn(&Outcome) -> usize| -> usize {
            cases.iter().filter_map(|case| self.find(case, reducer)).map(of).sum()
        };
        let tests: fn(&Outcome) -> usize = |run| run.found.tests;
        let tokens: fn(&Outcome) -> usize = |run| run.found.tokens;
        let expected = [
            ("ProbDD needs fewer tests than ddmin", "probdd", "ddmin", tests),
            ("Wddmin needs fewer tests than ddmin", "wddmin", "ddmin", tests),
            ("WProbDD leaves no more than ProbDD", "wprobdd", "probdd", tokens),
        ];
        let mut orderings = Table::new(["as published", "perses", "hdd"]);
        for (claim, one, other, of) in expected {
            let shown = ["perses", "hdd"].map(|tree| {
                let (one, other) = (sum(&format!("{tree}-{one}"), of), sum(&format!("{tree}-{other}"), of));
                let holds = one < other || (one == other && claim.contains("no more"));
                format!("{}: {one}, {other}", if holds { "yes" } else { "no" })
            });
            orderings.row([claim.to_owned()].into_iter().chain(shown));
        }
        orderings
    }

    /// On how many cases nub's own choice is ahead of every other tool that has run them.
    fn goals(&self) -> Table {
        let mut goals = Table::new(["of the cases with another tool beside it", "cases", "share", "goal"]);
        let (mut all, mut ended, mut tests, mut size, mut time, mut worst) = (0, 0, 0, 0, 0, 0.0_f64);
        for case in &self.cases {
            let Some(ours) = self.find(case, DEFAULT) else { continue };
            let others: Vec<&Outcome> = self
                .reducers
                .iter()
                .filter(|reducer| **reducer != DEFAULT)
                .filter_map(|reducer| self.find(case, reducer))
                .collect();
            let Some(best) = others.iter().map(|run| run.found.tokens).min() else { continue };
            all += 1;
            ended += usize::from(others.iter().any(|run| run.found.finished));
            size += usize::from(ours.found.tokens <= best);
            worst = worst.max(ours.found.tokens as f64 / best.max(1) as f64 - 1.0);
            // Who stops early, or is stopped, with more left has not done the same in fewer tests or less time.
            let as_good = |run: &&&Outcome| run.found.tokens <= ours.found.tokens + ours.found.tokens / 20;
            tests +=
                usize::from(others.iter().filter(as_good).all(|run| ours.found.tests <= run.found.tests));
            time += usize::from(others.iter().filter(as_good).all(|run| ours.processor <= run.processor));
        }
        let share = |count: usize| format!("{:.0} %", 100.0 * count as f64 / f64::from(all.max(1)));
        let counted = [
            ("nothing smaller found by another", size),
            ("as small in no fewer tests by another", tests),
            ("as small in no less time by another", time),
        ];
        for (what, count) in counted {
            goals.row([what.to_owned(), count.to_string(), share(count), "80 %".to_owned()]);
        }
        goals.row(["cases in all".to_owned(), all.to_string(), String::new(), String::new()]);
        let others = "of them with another tool that came to its end";
        goals.row([others.to_owned(), ended.to_string(), share(ended), String::new()]);
        let worst = format!("{:.0} %", 100.0 * worst);
        goals.row(["larger than the best, at most".to_owned(), String::new(), worst, "5 %".to_owned()]);
        goals
    }
}
