//! The result as data: `result.json`, described in `docs/result-json.md`.
//!
//! The types here are made for the file and nothing else, and [`ResultRecord::FORMAT`] changes when a reader
//! of the old format would misread the new one. What people are shown at the end is made from the same
//! record, so that the screen and the file cannot disagree.

use crate::diff::NeedRecord;
use crate::finding::{Ending, Finding, deed, kind_name, spot};
use nub_change::{Change, Place};
use nub_lab::event::{Direction, Side, Trial};
use nub_lab::isolate::{Granularity, Without};
use nub_lab::process::Failure;
use nub_search::Outcome;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultRecord {
    /// The format of the file.
    pub nub_result: u32,
    /// The version of nub that wrote it.
    pub nub_version: String,
    /// How the old version is called.
    pub old: String,
    /// How the new version is called.
    pub new: String,
    /// The build command, as a person would type it.
    pub build: Option<String>,
    /// The test command, as a person would type it.
    pub test: String,
    /// The name of the search.
    pub algorithm: String,
    /// The smallest parts that were told apart.
    #[serde(default)]
    pub granularity: GranularityRecord,
    /// The seed of searches that draw.
    pub seed: u64,
    /// How many workers there were.
    pub jobs: usize,
    /// Which way the test changed its mind.
    pub direction: DirectionRecord,
    /// How the bad version fails, if that was learned.
    #[serde(default)]
    pub failure: Option<FailureRecord>,
    /// The version searched from, to which the critical patch applies.
    pub from: SideRecord,
    /// What the test says once the critical patch is applied.
    pub flips_to: OutcomeRecord,
    /// Files that differ between the versions.
    pub files: usize,
    /// Changes between the versions.
    pub changes: usize,
    /// How many of these matter, if what matters are parts of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts_of: Option<usize>,
    /// The changes that matter.
    pub critical: Vec<ChangeRecord>,
    /// How sure it is.
    pub proof: ProofRecord,
    /// What it cost.
    pub cost: CostRecord,
}

/// A command to search, so that it can be given again: `command.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRecord {
    /// The format of the file.
    pub nub_command: u32,
    /// Where it was given.
    pub folder: String,
    /// What was typed after the command's name, or stood in a file of options.
    pub arguments: Vec<String>,
    /// The side that paths outside `--only` and `--ignore` were taken from.
    pub outside: SideRecord,
}

impl CommandRecord {
    /// The format that this version writes and reads.
    pub const FORMAT: u32 = 1;
}

/// One change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangeRecord {
    /// Its number among all changes, from 0.
    pub number: u32,
    /// What kind of change it is.
    pub kind: String,
    /// File and line in the version searched from.
    pub at: String,
    /// What it did on the way from old to new, in words.
    pub does: String,
    /// Its place in the old version.
    pub old: Option<PlaceRecord>,
    /// Its place in the new version.
    pub new: Option<PlaceRecord>,
    /// Its size in words of text.
    pub weight: u32,
    /// The text that it took away on the way from old to new.
    #[serde(default)]
    pub takes: String,
    /// The text that it put in.
    #[serde(default)]
    pub puts: String,
    /// What was seen without it.
    #[serde(default)]
    pub without: Option<WithoutRecord>,
    /// The other critical changes that need it.
    #[serde(default)]
    pub needed_by: Vec<NeedRecord>,
}

/// What was seen without a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithoutRecord {
    /// The other critical changes that were left out at the same time, by number.
    pub also: Vec<u32>,
    /// What the test said.
    pub outcome: OutcomeRecord,
    /// Whether it could be tested.
    pub built: bool,
    /// What the build or the test said to that.
    pub said: Option<String>,
}

/// A place in a version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaceRecord {
    /// The file.
    pub path: String,
    /// How many lines come before it.
    pub after_line: usize,
    /// How many lines it has.
    pub lines: usize,
}

/// How sure a result is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProofRecord {
    /// Why the search went no further.
    pub ending: EndingRecord,
    /// Whether leaving out any single change was seen to lose the result.
    pub one_minimal: bool,
    /// The test of the result itself.
    pub witness: Option<TrialRecord>,
}

/// How one config went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// What it counted as.
    pub outcome: OutcomeRecord,
    /// Whether it built.
    pub built: bool,
    /// How the last command ended.
    pub ended: String,
    /// How long the build took.
    pub build_ms: Option<u64>,
    /// How long the test took.
    pub test_ms: Option<u64>,
}

/// What tells the failure from others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureRecord {
    /// In words, as in "a run that ...".
    pub says: String,
    /// How it ends: `exit:1`, `signal:SEGV`, `timeout`.
    pub ends: Vec<String>,
    /// The kinds of error it tells of.
    pub errors: Vec<String>,
}

/// What a result cost, each kind of cost apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostRecord {
    /// Tests the search needed.
    pub needed: usize,
    /// Of these, the ones that did not build.
    pub broken_builds: usize,
    /// Tests started on a guess and not needed.
    pub guessed: usize,
    /// Questions answered without a test.
    pub saved: usize,
    /// Time from start to end.
    pub elapsed_ms: u64,
    /// Time spent in the user's commands, all workers together.
    pub commands_ms: u64,
    /// Tests that were run, those of both versions and of the result too.
    #[serde(default)]
    pub run: usize,
    /// Time spent around their commands, all workers together.
    #[serde(default)]
    pub around_ms: u64,
}

/// One of the two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SideRecord {
    /// The version without any change.
    Old,
    /// The version with all changes.
    New,
}

/// Which way the test changed its mind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DirectionRecord {
    /// Old is good and new is bad.
    Regression,
    /// Old is bad and new is good.
    Fix,
}

/// What a test said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutcomeRecord {
    /// Good.
    Pass,
    /// Bad.
    Fail,
    /// It cannot tell.
    Unresolved,
}

/// The smallest parts of a difference that are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GranularityRecord {
    /// All changes of a file together.
    File,
    /// All changes of a declaration together; of other texts a run of changed lines.
    Declaration,
    /// All changes of a statement together; of other texts a few lines of a long run.
    Statement,
    /// Every change of the syntax by itself.
    Node,
    /// Every change of a line by itself.
    #[default]
    Line,
}

/// Why a search went no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndingRecord {
    /// It came to its end.
    Finished,
    /// Its time or its tests were used up.
    Budget,
    /// Somebody stopped it.
    Interrupted,
}

impl ResultRecord {
    /// The format that this version writes and reads.
    pub const FORMAT: u32 = 1;

    /// The record of a finding.
    pub fn of(finding: &Finding<'_>) -> ResultRecord {
        let Finding { plan, isolated, ending } = finding;
        let numbers = isolated.numbers;
        ResultRecord {
            nub_result: ResultRecord::FORMAT,
            nub_version: env!("CARGO_PKG_VERSION").into(),
            old: plan.old_name.clone(),
            new: plan.new_name.clone(),
            build: plan.build.as_ref().map(ToString::to_string),
            test: plan.test.to_string(),
            algorithm: plan.algorithm.to_string(),
            granularity: plan.granularity.into(),
            seed: plan.seed,
            jobs: plan.jobs,
            direction: isolated.direction.into(),
            failure: isolated.failure.as_ref().map(FailureRecord::of),
            from: isolated.from.into(),
            flips_to: finding.flips_to().into(),
            files: finding.files(),
            changes: plan.patchwork.changes().len(),
            parts_of: isolated.finer.as_ref().map(|finer| finer.of.len()),
            critical: critical(finding),
            proof: ProofRecord {
                ending: (*ending).into(),
                one_minimal: isolated.one_minimal,
                witness: isolated.witness.as_ref().map(TrialRecord::of),
            },
            cost: CostRecord {
                needed: numbers.needed,
                broken_builds: numbers.broken(),
                guessed: numbers.guessed,
                saved: numbers.saved,
                elapsed_ms: millis(isolated.elapsed),
                commands_ms: millis(isolated.spent.commands),
                run: isolated.spent.tests,
                around_ms: millis(isolated.spent.around),
            },
        }
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("a record has string keys and finite numbers");
        text + "\n"
    }
}

fn critical(finding: &Finding<'_>) -> Vec<ChangeRecord> {
    let Finding { plan, isolated, .. } = finding;
    let mut texts = isolated.patchwork(plan).texts();
    let text = |text: Vec<u8>| String::from_utf8_lossy(&text).into_owned();
    let record = |change: &Change| {
        let reason = isolated.reasons.iter().find(|reason| reason.change == change.number);
        let (takes, puts) = std::mem::take(&mut texts[change.number as usize]);
        ChangeRecord {
            takes: text(takes),
            puts: text(puts),
            without: reason.and_then(|reason| reason.without.as_ref()).map(WithoutRecord::of),
            needed_by: reason.into_iter().flat_map(|reason| &reason.needed_by).map(NeedRecord::of).collect(),
            ..ChangeRecord::of(change, isolated.from)
        }
    };
    finding.critical().map(record).collect()
}

impl WithoutRecord {
    fn of(without: &Without) -> WithoutRecord {
        WithoutRecord {
            also: without.also.iter().collect(),
            outcome: without.outcome.into(),
            built: without.built,
            said: without.said.clone(),
        }
    }
}

impl ChangeRecord {
    fn of(change: &Change, from: Side) -> ChangeRecord {
        ChangeRecord {
            number: change.number,
            kind: kind_name(change.kind).into(),
            at: spot(change, from),
            does: deed(change),
            old: change.old.as_ref().map(PlaceRecord::of),
            new: change.new.as_ref().map(PlaceRecord::of),
            weight: change.weight,
            takes: String::new(),
            puts: String::new(),
            without: None,
            needed_by: Vec::new(),
        }
    }
}

impl FailureRecord {
    fn of(failure: &Failure) -> FailureRecord {
        FailureRecord {
            says: failure.to_string(),
            ends: failure.signs.ends.iter().cloned().collect(),
            errors: failure.signs.errors.iter().cloned().collect(),
        }
    }
}

impl PlaceRecord {
    pub(crate) fn of(place: &Place) -> PlaceRecord {
        PlaceRecord { path: place.path.to_string(), after_line: place.lines.start, lines: place.lines.len() }
    }
}

impl TrialRecord {
    fn of(trial: &Trial) -> TrialRecord {
        TrialRecord {
            outcome: trial.outcome.into(),
            built: trial.built,
            ended: trial.ended.clone(),
            build_ms: trial.build_time.map(millis),
            test_ms: trial.test_time.map(millis),
        }
    }
}

fn millis(time: Duration) -> u64 {
    time.as_millis().try_into().unwrap_or(u64::MAX)
}

impl From<Side> for SideRecord {
    fn from(side: Side) -> SideRecord {
        match side {
            Side::Old => SideRecord::Old,
            Side::New => SideRecord::New,
        }
    }
}

impl From<SideRecord> for Side {
    fn from(side: SideRecord) -> Side {
        match side {
            SideRecord::Old => Side::Old,
            SideRecord::New => Side::New,
        }
    }
}

impl From<Direction> for DirectionRecord {
    fn from(direction: Direction) -> DirectionRecord {
        match direction {
            Direction::Regression => DirectionRecord::Regression,
            Direction::Fix => DirectionRecord::Fix,
        }
    }
}

impl From<Outcome> for OutcomeRecord {
    fn from(outcome: Outcome) -> OutcomeRecord {
        match outcome {
            Outcome::Pass => OutcomeRecord::Pass,
            Outcome::Fail => OutcomeRecord::Fail,
            Outcome::Unresolved => OutcomeRecord::Unresolved,
        }
    }
}

impl From<Granularity> for GranularityRecord {
    fn from(granularity: Granularity) -> GranularityRecord {
        match granularity {
            Granularity::File => GranularityRecord::File,
            Granularity::Declaration => GranularityRecord::Declaration,
            Granularity::Statement => GranularityRecord::Statement,
            Granularity::Line => GranularityRecord::Line,
            Granularity::Node => GranularityRecord::Node,
        }
    }
}

impl From<Ending> for EndingRecord {
    fn from(ending: Ending) -> EndingRecord {
        match ending {
            Ending::Finished => EndingRecord::Finished,
            Ending::Budget => EndingRecord::Budget,
            Ending::Interrupted => EndingRecord::Interrupted,
        }
    }
}
