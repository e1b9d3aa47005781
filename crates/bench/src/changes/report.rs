//! The runs as tables.

use super::outcome::Outcome;
use super::{Args, peer};
use crate::table::Table;

/// Everything that was measured, as a page.
pub fn report(outcomes: &[Outcome], args: &Args) -> String {
    let ways = args.ways.iter().map(ToString::to_string).collect::<Vec<_>>();
    let peers = if args.peers { " --peers" } else { "" };
    let page = format!(
        "# {}\n\n\
         Written by `cargo run --release -p nub-bench -- changes --cache DIR --ways {}{peers} --title ... --out ...`; \
         the same as data beside it. {} workers; all but pith are stopped after {} minutes{}.\n\n\
         - *needed*: configs the search had to know about; *built*: the share of them that built and could tell; \
         *cost*: builds and tests among them, and those that measured what runs; *guessed*: configs tried ahead in \
         vain; *memo*: questions answered without a test; *run*: all tests that were run, those of both versions and of \
         the result too.\n\
         - *left*, *lines*, *tokens*: the size of the result in changes, changed lines, and words and signs that the patch \
         takes away or puts in. A peer's changes are its own: hunks.\n\
         - *culprit*: whether the patch changes a file that the corpus names as the culprit's.\n\
         - *flips*: whether the patch, applied with `git apply`, makes the test change its mind.\n\
         - *own ms*: what nub itself takes for each test that is run, on the worker that runs it; a worker's first copy \
         of the tree is in it, and whatever else the machine does.\n\n",
        args.title,
        ways.join(","),
        args.jobs,
        args.minutes,
        args.default_minutes.map_or_else(String::new, |minutes| format!(", pith after {minutes}")),
    );
    let mut page = page
        + &format!("## In all\n\n{}\n", sums(outcomes, &ways))
        + &format!("## As C2D2 counts\n\n{}\n", as_c2d2_counts(outcomes, &ways));
    if ways.len() > 1 {
        page += &format!("## Against `{}`\n\n{}\n", ways[0], comparisons(outcomes, &ways));
    }
    if args.peers {
        page += &format!(
            "## Against `{}`\n\nTests, those of both versions too -> changed lines left, where both finished.\n\n{}\n",
            peer::NAME,
            duel(outcomes, &ways[0])
        );
    }
    page + &format!("## Each run\n\n{}", runs(outcomes))
}

fn runs(outcomes: &[Outcome]) -> Table {
    let head = "case,way,changes,needed,built,cost,guessed,memo,run,left,lines,tokens,ended,1-minimal,culprit,flips,\
                seconds,own ms";
    let measured = outcomes.iter().any(|o| o.sights.is_some());
    let mut table = Table::new(head.split(',').chain(measured.then_some("ran / did not / unseen")));
    for o in outcomes {
        let mut row = vec![o.case.clone(), o.way.clone(), o.changes.to_string()];
        match &o.error {
            Some(error) => row.push(error.replace(['|', '\n'], " ")),
            None => row.extend([
                o.needed.to_string(),
                percent(o.built, o.needed),
                o.cost().to_string(),
                o.guessed.to_string(),
                o.memo.to_string(),
                o.run.to_string(),
                o.left.to_string(),
                o.lines.to_string(),
                o.tokens.to_string(),
                yes(o.finished),
                yes(o.one_minimal),
                o.culprit.map_or_else(|| "-".into(), yes),
                yes(o.flips),
                format!("{:.0}", o.seconds),
                o.own_ms.map_or_else(|| "-".into(), |ms| format!("{ms:.1}")),
            ]),
        }
        if let Some([ran, idle, unseen]) = o.sights {
            row.push(format!("{ran} / {idle} / {unseen}"));
        }
        table.row(row);
    }
    table
}

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.0} %", 100.0 * part as f64 / whole.max(1) as f64)
}

fn find<'a>(outcomes: &'a [Outcome], case: &str, way: &str) -> Option<&'a Outcome> {
    outcomes.iter().find(|o| o.case == case && o.way == way)
}

/// The runs of a way that came to a result, ...
fn ended<'a>(outcomes: &'a [Outcome], way: &str) -> Vec<&'a Outcome> {
    outcomes.iter().filter(|o| o.way == way && o.has_result()).collect()
}

/// ... and those among them of cases that every way finished.
fn shared<'a>(outcomes: &'a [Outcome], ways: &[String], way: &str) -> Vec<&'a Outcome> {
    let finished = |o: &Outcome, way: &str| find(outcomes, &o.case, way).is_some_and(Outcome::is_finished);
    let by_all = |o: &&Outcome| ways.iter().all(|other| finished(o, other));
    ended(outcomes, way).into_iter().filter(by_all).collect()
}

/// Whether no way found less in the same case.
fn is_smallest(outcomes: &[Outcome], o: &Outcome) -> bool {
    let rivals = outcomes.iter().filter(|other| other.case == o.case && other.has_result());
    rivals.map(|other| other.tokens).min() == Some(o.tokens)
}

/// The measures of the paper about C2D2, its tables 2 and 3.
fn as_c2d2_counts(outcomes: &[Outcome], ways: &[String]) -> String {
    let head = ["way", "success", "optimal", "reduction", "shared", "seconds", "tests", "additional builds"];
    let mut table = Table::new(head);
    let mean = |sum: f64, of: usize| sum / of.max(1) as f64;
    for way in ways {
        let (ended, shared) = (ended(outcomes, way), shared(outcomes, ways, way));
        let gone = |o: &&Outcome| 1.0 - mean(o.left as f64, o.changes);
        let of_shared = |of: &dyn Fn(&Outcome) -> f64| {
            format!("{:.1}", mean(shared.iter().map(|o| of(o)).sum(), shared.len()))
        };
        table.row([
            way.clone(),
            ended.len().to_string(),
            ended.iter().filter(|o| is_smallest(outcomes, o)).count().to_string(),
            format!("{:.2} %", 100.0 * mean(ended.iter().map(gone).sum(), ended.len())),
            shared.len().to_string(),
            of_shared(&|o| o.seconds),
            of_shared(&|o| o.built as f64),
            of_shared(&|o| (o.needed - o.built) as f64),
        ]);
    }
    format!(
        "*success*: cases that came to a result in time; *optimal*: those in which no other way found fewer tokens; \
         *reduction*: the share of the changes that went, by the mean of the successes. By the mean of the cases that every way finished: \
         *tests* that could tell, and *additional builds* that told nothing.\n\n{table}"
    )
}

/// Each way over all its cases, and over those that every way finished.
fn sums(outcomes: &[Outcome], ways: &[String]) -> String {
    let head = "way,cases,finished,smallest,culprit,built,shared,needed,cost,left,lines,tokens,seconds";
    let mut table = Table::new(head.split(','));
    for way in ways {
        let own: Vec<&Outcome> = outcomes.iter().filter(|o| o.way == *way).collect();
        let (ended, shared) = (ended(outcomes, way), shared(outcomes, ways, way));
        let sum = |of: &dyn Fn(&Outcome) -> usize| shared.iter().map(|o| of(o)).sum::<usize>().to_string();
        let known = own.iter().filter(|o| o.culprit.is_some()).count();
        table.row([
            way.clone(),
            own.len().to_string(),
            ended.len().to_string(),
            ended.iter().filter(|o| is_smallest(outcomes, o)).count().to_string(),
            format!("{} of {known}", own.iter().filter(|o| o.culprit == Some(true)).count()),
            percent(own.iter().map(|o| o.built).sum(), own.iter().map(|o| o.needed).sum()),
            shared.len().to_string(),
            sum(&|o| o.needed),
            sum(&|o| o.cost()),
            sum(&|o| o.left),
            sum(&|o| o.lines),
            sum(&|o| o.tokens),
            format!("{:.0}", shared.iter().map(|o| o.seconds).sum::<f64>()),
        ]);
    }
    format!(
        "*smallest*: cases in which no other way found fewer tokens; *shared*: the cases that every way finished, over \
         which the columns after it are summed.\n\n{table}"
    )
}

/// The other ways against the first, over the cases that both finished.
fn comparisons(outcomes: &[Outcome], ways: &[String]) -> String {
    let mut table = Table::new(["way", "cases", "its cost / ours", "its tokens / ours", "smaller", "larger"]);
    for way in &ways[1..] {
        let theirs = outcomes.iter().filter(|o| o.way == *way && o.is_finished());
        let pairs: Vec<(&Outcome, &Outcome)> = theirs
            .filter_map(|theirs| Some((theirs, find(outcomes, &theirs.case, &ways[0])?)))
            .filter(|(_, ours)| ours.is_finished())
            .collect();
        let ratio = |of: &dyn Fn(&Outcome) -> usize| {
            let (theirs, ours) = pairs.iter().fold((0, 0), |(t, o), (a, b)| (t + of(a), o + of(b)));
            format!("{theirs} / {ours} = {:.2}", theirs as f64 / ours.max(1) as f64)
        };
        table.row([
            way.clone(),
            pairs.len().to_string(),
            ratio(&Outcome::cost),
            ratio(&|o| o.tokens),
            pairs.iter().filter(|(theirs, ours)| theirs.tokens < ours.tokens).count().to_string(),
            pairs.iter().filter(|(theirs, ours)| theirs.tokens > ours.tokens).count().to_string(),
        ]);
    }
    format!(
        "Over the cases that both finished; *smaller*, *larger*: in how many its result has fewer or more tokens.\n\n{table}"
    )
}

fn duel(outcomes: &[Outcome], way: &str) -> Table {
    let mut table = Table::new(["case", way, peer::NAME, "fewer tests", "smaller"]);
    for theirs in outcomes.iter().filter(|o| o.way == peer::NAME && o.is_finished()) {
        let Some(ours) = find(outcomes, &theirs.case, way).filter(|o| o.is_finished()) else { continue };
        // Theirs has counted the tests of both versions.
        let tests = ours.needed + 2;
        table.row([
            theirs.case.clone(),
            format!("{tests} -> {}", ours.lines),
            format!("{} -> {}", theirs.needed, theirs.lines),
            yes(tests < theirs.needed),
            yes(ours.lines < theirs.lines),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(case: &str, way: &str, needed: usize, finished: bool) -> Outcome {
        let (case, way) = (case.to_owned(), way.to_owned());
        let (built, lines, tokens) = (needed, needed, needed);
        let (changes, left) = (40, 10);
        let sizes = Outcome { changes, left, lines, tokens, ..Outcome::default() };
        Outcome { case, way, needed, built, finished, flips: true, ..sizes }
    }

    fn cells(table: &str, first: &str) -> Vec<String> {
        let line = table.lines().find(|line| line.contains(&format!(" {first} |"))).unwrap();
        line.split('|').map(|cell| cell.trim().to_owned()).filter(|cell| !cell.is_empty()).collect()
    }

    #[test]
    fn sums_are_over_the_cases_that_every_way_finished() {
        let outcomes = [
            outcome("a", "ddmin", 30, true),
            outcome("a", "pith", 10, true),
            outcome("b", "ddmin", 900, false),
            outcome("b", "pith", 20, true),
        ];
        let ways = ["pith".to_owned(), "ddmin".to_owned()];
        let table = sums(&outcomes, &ways);
        let row = |way| cells(&table, way).join(" ");
        assert_eq!(row("ddmin"), "ddmin 2 1 0 0 of 0 100 % 1 30 30 10 30 30 0");
        assert_eq!(row("pith"), "pith 2 2 2 0 of 0 100 % 1 10 10 10 10 10 0");
        let counted = as_c2d2_counts(&outcomes, &ways);
        assert_eq!(cells(&counted, "pith").join(" "), "pith 2 2 75.00 % 1 0.0 10.0 0.0");
        assert_eq!(cells(&counted, "ddmin").join(" "), "ddmin 1 0 75.00 % 1 0.0 30.0 0.0");
        let against = comparisons(&outcomes, &ways);
        assert_eq!(cells(&against, "ddmin").join(" "), "ddmin 1 30 / 10 = 3.00 30 / 10 = 3.00 0 1");
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
        let table = duel(&outcomes, "pith").to_string();
        assert!(table.contains("| 12 -> 10 |     12 -> 12 |          no |     yes |"), "{table}");
        assert!(table.contains("|  11 -> 9 |     12 -> 12 |         yes |     yes |"), "{table}");
        assert!(!table.contains("\n|    c |"), "{table}");
    }
}
