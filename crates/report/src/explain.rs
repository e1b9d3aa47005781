//! A result in words, from its record alone.

use crate::diff::excerpt;
use crate::json::{
    ChangeRecord, DirectionRecord, EndingRecord, GranularityRecord, OutcomeRecord, ResultRecord, SideRecord,
    WithoutRecord,
};
use crate::words::{count, lasting};
use anstyle::Style;
use std::fmt::Write;
use std::time::Duration;

/// What a journal holds, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Configs that passed.
    pub passed: usize,
    /// Configs that failed.
    pub failed: usize,
    /// Configs that did not build, or of which the test could not tell.
    pub unresolved: usize,
    /// The longest that one config took.
    pub slowest: Duration,
}

/// Tells a result in words: what was compared, what was found, how sure it is, what it cost and what to do
/// now.
pub fn explain(record: &ResultRecord, tally: Option<&Tally>) -> String {
    let mut text = String::new();
    let mut say = |paragraph: &str| writeln!(text, "{paragraph}").expect("a string can be written to");
    let (changes, files) = (count(record.changes, "change"), count(record.files, "file"));
    say(&format!("{} (old) and {} (new) differ by {changes} in {files}.", record.old, record.new));
    let (direction, old, new) = match record.direction {
        DirectionRecord::Regression => ("a regression", "passes", "fails"),
        DirectionRecord::Fix => ("a fix", "fails", "passes"),
    };
    let fails = record.failure.as_ref().map_or(String::new(), |failure| {
        format!(" A run that {} counts as bad; other failures cannot tell.", failure.says)
    });
    let build = record.build.as_ref().map_or(String::new(), |build| format!(", after `{build}`,"));
    say(&format!(
        "The test `{}`{build} {old} on the old version and {new} on the new one: {direction}.{fails}\n",
        record.test
    ));
    say(&headline(record));
    told(record).iter().for_each(|row| say(row));
    say(&format!("\n{}", proof(record)));
    say(&format!("{}; {} on {}\n", cost(record), record.algorithm, count(record.jobs, "worker")));
    if let Some(tally) = tally {
        let Tally { passed, failed, unresolved, slowest } = *tally;
        let answers = count(passed + failed + unresolved, "answer");
        say(&format!(
            "The journals hold {answers}: {passed} pass, {failed} fail, {unresolved} cannot tell. The slowest took {}.",
            lasting(slowest)
        ));
    }
    let side = side_name(record.from);
    say(&format!("`git apply critical.patch` in the {side} version makes the change that matters."));
    say(&match record.from {
        SideRecord::Old => "`git apply rest.patch` after that gives the new version.".to_string(),
        SideRecord::New => "`git apply rest.patch` after that gives the old version.".to_string(),
    });
    text
}

/// What was found, in a sentence that the changes themselves follow.
pub(crate) fn headline(record: &ResultRecord) -> String {
    let verb = match record.from {
        SideRecord::Old => "Make",
        SideRecord::New => "Take back",
    };
    let (found, all) = (record.critical.len(), record.changes);
    let what = match record.parts_of {
        Some(apart) if apart == all => format!("{} of {}", count(found, "part"), count(all, "change")),
        Some(apart) => format!("{} of {} out of {all}", count(found, "part"), count(apart, "change")),
        None => format!("{found} of {}", count(all, "change")),
    };
    format!("{verb} {what}, and the test {}:", goal(record))
}

const ROWS: usize = 20;

/// One line for each change, as many as can be looked at.
pub(crate) fn rows(record: &ResultRecord) -> Vec<String> {
    let shown = record.critical.iter().take(ROWS);
    let width = shown.clone().map(|change| change.at.chars().count()).max().unwrap_or(0);
    let mut rows: Vec<String> =
        shown.map(|change| format!("  {:width$}  {}", change.at, change.does)).collect();
    if let Some(more @ 1..) = record.critical.len().checked_sub(ROWS) {
        rows.push(format!("  and {more} more"));
    }
    rows
}

/// Each change with its text, what was seen without it, and who needs it; as many as can be looked at.
fn told(record: &ResultRecord) -> Vec<String> {
    let mut rows = Vec::new();
    for change in record.critical.iter().take(ROWS) {
        rows.push(format!("\n  {}  {}", change.at, change.does));
        let texts = [(&change.takes, '-'), (&change.puts, '+')];
        let lines = texts.iter().flat_map(|(text, sign)| excerpt(text, *sign, Style::new()));
        rows.extend(lines.map(|line| format!("    {line}")));
        rows.extend(change.without.as_ref().map(|without| format!("    {}", seen(record, without))));
        rows.extend(brought(record, change).map(|by| format!("    {by}")));
    }
    if let Some(more @ 1..) = record.critical.len().checked_sub(ROWS) {
        rows.push(format!("\n  and {more} more"));
    }
    rows
}

/// What was seen without a change.
fn seen(record: &ResultRecord, without: &WithoutRecord) -> String {
    let also = match without.also.len() {
        0 => "Without it".to_owned(),
        1 => format!("Without it and {}", place_of(record, without.also[0])),
        n => format!("Without it and {n} others"),
    };
    let what = match (without.outcome, without.built) {
        (OutcomeRecord::Pass, _) => "the test passes",
        (OutcomeRecord::Fail, _) => "the test fails",
        (OutcomeRecord::Unresolved, false) if record.build.is_some() => "the program breaks",
        (OutcomeRecord::Unresolved, _) => "the test cannot tell",
    };
    let said = without.said.as_ref().map_or(String::new(), |said| format!(": {said}"));
    format!("{also} {what}{said}")
}

/// Which of the others need a change, and who says so.
fn brought(record: &ResultRecord, change: &ChangeRecord) -> Option<String> {
    let by: Vec<String> = change
        .needed_by
        .iter()
        .take(NEEDING)
        .map(|need| {
            let source = match need.source.as_str() {
                "nesting" => "it lies in it".to_owned(),
                "move" => "the other half of a move".to_owned(),
                "message" => "a message said so".to_owned(),
                rule => format!("rule `{rule}`, {:.0}%", need.probability * 100.0),
            };
            format!("{} ({source})", place_of(record, need.number))
        })
        .collect();
    let more = change.needed_by.len().checked_sub(NEEDING).filter(|more| *more > 0);
    let more = more.map_or(String::new(), |more| format!(", and {more} more"));
    (!by.is_empty()).then(|| format!("Needed by {}{more}", by.join(", ")))
}

/// More that need a change are only counted.
const NEEDING: usize = 4;

/// Where a critical change is.
fn place_of(record: &ResultRecord, number: u32) -> String {
    let found = record.critical.iter().find(|change| change.number == number);
    found.map_or_else(|| format!("change {number}"), |change| change.at.clone())
}

/// How sure the result is, and what was left open.
pub(crate) fn proof(record: &ResultRecord) -> String {
    let proof = &record.proof;
    let goal = goal(record);
    let seen = match &proof.witness {
        Some(witness) => witness.ended.as_str(),
        None => "known from the journal or the baseline",
    };
    let minimal = match proof.one_minimal {
        _ if proof.witness.as_ref().is_some_and(|witness| witness.outcome != record.flips_to) => {
            format!("Not confirmed: built and tested once more from scratch, the patch did not hold ({seen})")
        }
        true => format!(
            "Proven: the test {goal} with this patch ({seen}), and no longer without any one of its {} (1-minimal)",
            parts(record.granularity)
        ),
        false => {
            format!("Tested: the test {goal} with this patch ({seen}). Not proven: that all of it is needed")
        }
    };
    match proof.ending {
        EndingRecord::Finished => minimal,
        EndingRecord::Budget => minimal + "; the budget was used up, and a smaller one may exist",
        EndingRecord::Interrupted => minimal + "; it was interrupted, and a smaller one may exist",
    }
}

/// What a search tells apart, as in "any one of its ...".
fn parts(granularity: GranularityRecord) -> &'static str {
    match granularity {
        GranularityRecord::File => "files",
        GranularityRecord::Declaration => "declarations",
        GranularityRecord::Statement => "statements",
        GranularityRecord::Node | GranularityRecord::Line => "changes",
    }
}

fn goal(record: &ResultRecord) -> &'static str {
    match record.flips_to {
        OutcomeRecord::Pass => "passes",
        OutcomeRecord::Fail => "fails",
        OutcomeRecord::Unresolved => "cannot tell",
    }
}

/// What the result cost, each kind of cost apart.
pub(crate) fn cost(record: &ResultRecord) -> String {
    let cost = &record.cost;
    let time = |ms| lasting(Duration::from_millis(ms));
    format!(
        "Cost: {} needed ({}), {} guessed, {} saved; {}, your commands {}",
        count(cost.needed, "test"),
        match record.build {
            Some(_) => count(cost.broken_builds, "broken build"),
            None => format!("{} could not tell", cost.broken_builds),
        },
        cost.guessed,
        cost.saved,
        time(cost.elapsed_ms),
        time(cost.commands_ms)
    )
}

fn side_name(side: SideRecord) -> &'static str {
    match side {
        SideRecord::Old => "old",
        SideRecord::New => "new",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Ending, Finding};
    use crate::sample;
    use expect_test::expect;
    use nub_search::Config;

    #[test]
    fn explain_tells_the_whole_story() {
        let plan = sample::plan();
        let isolated = sample::isolated(&plan, Config::from([1, 2]));
        let record =
            ResultRecord::of(&Finding { plan: &plan, isolated: &isolated, ending: Ending::Finished });
        let slowest = Duration::from_millis(2_200);
        let tally = Tally { passed: 9, failed: 4, unresolved: 4, slowest };
        expect![[r#"
            `v1` (old) and `v2` (new) differ by 5 changes in 3 files.
            The test `./repro.sh`, after `make -j4`, passes on the old version and fails on the new one: a regression. A run that tells of KeyError counts as bad; other failures cannot tell.

            Take back 2 of 5 changes, and the test passes:

              src/a.c:2  replaces 1 line by 1
                - 2
                + II
                Without it the test fails
                Needed by src/a.c:4 (rule `declared`, 92%)

              src/a.c:4  deletes 1 line
                - 5
                Without it the program breaks: src/a.c:3:5: error: 'x' undeclared

            Proven: the test passes with this patch (exit 0), and no longer without any one of its changes (1-minimal)
            Cost: 12 tests needed (3 broken builds), 4 guessed, 7 saved; 1 min 23 s, your commands 2 min 20 s; pith on 2 workers

            The journals hold 17 answers: 9 pass, 4 fail, 4 cannot tell. The slowest took 2.2 s.
            `git apply critical.patch` in the new version makes the change that matters.
            `git apply rest.patch` after that gives the old version.
        "#]]
        .assert_eq(&explain(&record, Some(&tally)));
    }

    #[test]
    fn a_long_list_of_changes_is_cut() {
        let plan = sample::plan();
        let isolated = sample::isolated(&plan, Config::from([1]));
        let mut record =
            ResultRecord::of(&Finding { plan: &plan, isolated: &isolated, ending: Ending::Finished });
        let change = record.critical[0].clone();
        record.critical = vec![change; ROWS];
        assert_eq!(rows(&record).len(), ROWS);
        record.critical.extend_from_within(..3);
        assert_eq!(rows(&record).last().unwrap(), "  and 3 more");
    }
}
