//! The runs as tables.

use super::outcome::Outcome;
use super::{Args, peer};
use crate::table::Table;

/// Everything that was measured, as a page.
pub fn report(outcomes: &[&Outcome], args: &Args) -> String {
    let mut page = format!(
        "# Real regressions\n\n\
         Written by `cargo run --release -p nub-bench -- changes --cache DIR --peers --out docs/measurements/changes.md`; \
         the same as data in `changes.json`. Line level, {} workers; all but pith are stopped \
         after {} minutes.\n\n\
         - *needed*: configs the search had to know about, *built*: the share of them that built and could tell, \
         *guessed*: configs tried ahead in vain, *memo*: questions answered without a test, *run*: all tests that were \
         run, those of both versions and of the result too.\n\
         - *left*, *lines*, *tokens*: the size of the result in changes, changed lines and words of text. \
         A peer's changes are its own: hunks.\n\
         - *culprit*: whether the patch changes a file that the corpus names as the culprit's.\n\
         - *flips*: whether the patch, applied with `git apply`, makes the test change its mind.\n\
         - *own ms*: what nub itself takes for each test that is run, on the worker that runs it; a worker's first copy of the tree is in it, and whatever else the machine does.\n\n",
        args.jobs, args.minutes
    );
    let mut add = |text: String| page.push_str(&text);
    add(runs(outcomes).to_string());
    add(format!("\n## In all\n\nOver the cases that every search finished.\n\n{}", sums(outcomes)));
    if args.peers {
        let duel = duel(outcomes);
        add(format!(
            "\n## Against `{}`\n\nTests -> changed lines left, where both finished.\n\n{duel}",
            peer::NAME
        ));
    }
    page
}

fn runs(outcomes: &[&Outcome]) -> Table {
    let mut table = Table::new([
        "case",
        "search",
        "changes",
        "needed",
        "built",
        "guessed",
        "memo",
        "run",
        "left",
        "lines",
        "tokens",
        "ended",
        "1-minimal",
        "culprit",
        "flips",
        "seconds",
        "own ms",
    ]);
    for o in outcomes {
        let mut row = vec![o.case.clone(), o.search.clone(), o.changes.to_string()];
        match &o.error {
            Some(error) => row.push(error.replace(['|', '\n'], " ")),
            None => row.extend([
                o.needed.to_string(),
                format!("{:.0} %", 100.0 * o.built as f64 / o.needed.max(1) as f64),
                o.guessed.to_string(),
                o.memo.to_string(),
                o.run.to_string(),
                o.left.to_string(),
                o.lines.to_string(),
                o.tokens.map_or_else(|| "-".into(), |tokens| tokens.to_string()),
                yes(o.finished),
                yes(o.one_minimal),
                o.culprit.map_or_else(|| "-".into(), yes),
                yes(o.flips),
                format!("{:.0}", o.seconds),
                o.own_ms.map_or_else(|| "-".into(), |ms| format!("{ms:.1}")),
            ]),
        }
        table.row(row);
    }
    table
}

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

fn finished(outcome: &Outcome) -> bool {
    outcome.error.is_none() && outcome.finished
}

fn sums(outcomes: &[&Outcome]) -> Table {
    let mut searches: Vec<&str> =
        outcomes.iter().map(|o| o.search.as_str()).filter(|s| *s != peer::NAME).collect();
    searches.sort_unstable();
    searches.dedup();
    let ended = |case: &str, search: &str| {
        outcomes.iter().any(|o| o.case == case && o.search == search && finished(o))
    };
    let mut table = Table::new(["search", "cases", "finished", "needed", "built", "lines", "seconds"]);
    for search in &searches {
        let own: Vec<&&Outcome> = outcomes.iter().filter(|o| o.search == *search).collect();
        let shared: Vec<&&&Outcome> =
            own.iter().filter(|o| searches.iter().all(|other| ended(&o.case, other))).collect();
        let sum = |of: &dyn Fn(&Outcome) -> usize| shared.iter().map(|o| of(o)).sum::<usize>().to_string();
        table.row([
            (*search).to_owned(),
            own.len().to_string(),
            own.iter().filter(|o| finished(o)).count().to_string(),
            sum(&|o| o.needed),
            sum(&|o| o.built),
            sum(&|o| o.lines),
            format!("{:.0}", shared.iter().map(|o| o.seconds).sum::<f64>()),
        ]);
    }
    table
}

fn duel(outcomes: &[&Outcome]) -> Table {
    let mut table = Table::new(["case", "pith", peer::NAME, "fewer tests", "smaller"]);
    let find = |case: &str, search: &str| {
        outcomes.iter().find(|o| o.case == case && o.search == search && finished(o))
    };
    for theirs in outcomes.iter().filter(|o| o.search == peer::NAME && finished(o)) {
        let Some(ours) = find(&theirs.case, "pith") else { continue };
        let cell = |o: &Outcome| format!("{} -> {}", o.needed, o.lines);
        // Theirs counts the tests of both versions.
        let fewer = ours.needed + 2 < theirs.needed;
        table.row([
            theirs.case.clone(),
            cell(ours),
            cell(theirs),
            yes(fewer),
            yes(ours.lines < theirs.lines),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(case: &str, search: &str, needed: usize, finished: bool) -> Outcome {
        let (case, search) = (case.to_owned(), search.to_owned());
        Outcome { case, search, needed, built: needed, lines: needed, finished, ..Outcome::default() }
    }

    #[test]
    fn sums_are_over_the_cases_that_every_search_finished() {
        let outcomes = [
            outcome("a", "ddmin", 30, true),
            outcome("a", "pith", 10, true),
            outcome("b", "ddmin", 900, false),
            outcome("b", "pith", 20, true),
        ];
        let table = sums(&outcomes.iter().collect::<Vec<_>>()).to_string();
        let row = |search: &str| -> Vec<String> {
            let line = table.lines().find(|line| line.contains(search)).unwrap();
            line.split('|').map(|cell| cell.trim().to_owned()).filter(|cell| !cell.is_empty()).collect()
        };
        assert_eq!(row("ddmin"), ["ddmin", "2", "1", "30", "30", "30", "0"]);
        assert_eq!(row("pith"), ["pith", "2", "2", "10", "10", "10", "0"]);
    }

    #[test]
    fn a_duel_is_over_the_cases_that_both_finished() {
        let outcomes = [
            outcome("a", "commit-delta", 12, true),
            outcome("a", "pith", 10, true),
            outcome("b", "commit-delta", 12, true),
            outcome("b", "pith", 9, true),
            outcome("c", "pith", 9, true),
        ];
        let table = duel(&outcomes.iter().collect::<Vec<_>>()).to_string();
        assert!(table.contains("| 10 -> 10 |     12 -> 12 |          no |     yes |"), "{table}");
        assert!(table.contains("|   9 -> 9 |     12 -> 12 |         yes |     yes |"), "{table}");
        assert!(!table.contains("\n|    c |"), "{table}");
    }
}
