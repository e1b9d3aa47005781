//! The lines of a journal, and how they are read again.

use super::Note;
use crate::process::Signs;
use nub_search::{Answer, Config, Coupling, Outcome};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;

#[derive(Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) nub_journal: u32,
    pub(super) fingerprint: String,
}

/// The format of a journal of any version, from its first line.
pub(super) fn version(line: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct AnyVersion {
        nub_journal: u32,
    }
    serde_json::from_slice(line).ok().map(|AnyVersion { nub_journal }| nub_journal)
}

/// A test that decides about a whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Deciding {
    /// That of the old version.
    Old,
    /// That of the new version.
    New,
    /// That of the result, from scratch.
    Critical,
}

/// How a test that decides about a run went.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// What it decides.
    pub what: Deciding,
    /// The config that was tested.
    pub config: Config,
    /// What it counts as.
    pub outcome: Outcome,
    /// Whether it built.
    pub built: bool,
    /// How the last command ended, in words.
    pub ended: String,
    /// How long the build took, if there was one.
    pub build_time: Option<Duration>,
    /// How long the slowest run of the test took, if there was one.
    pub test_time: Option<Duration>,
    /// What its runs showed.
    pub signs: Signs,
}

/// What any line but the first one holds.
pub(super) enum AnyLine {
    Answer(Config, Answer, Note),
    Decided(Decided),
}

#[derive(Serialize, Deserialize)]
pub(super) struct Line {
    config: String,
    outcome: Said,
    built: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    needs: Vec<(u32, u32, f64)>,
    #[serde(default)]
    ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    said: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct DecidedLine {
    decides: Deciding,
    config: String,
    outcome: Said,
    built: bool,
    ended: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    build_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    test_ms: Option<u64>,
    ends: BTreeSet<String>,
    errors: BTreeSet<String>,
    #[serde(default)]
    speaks: bool,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Said {
    Pass,
    Fail,
    Unresolved,
}

impl From<Outcome> for Said {
    fn from(outcome: Outcome) -> Said {
        match outcome {
            Outcome::Pass => Said::Pass,
            Outcome::Fail => Said::Fail,
            Outcome::Unresolved => Said::Unresolved,
        }
    }
}

impl From<Said> for Outcome {
    fn from(said: Said) -> Outcome {
        match said {
            Said::Pass => Outcome::Pass,
            Said::Fail => Outcome::Fail,
            Said::Unresolved => Outcome::Unresolved,
        }
    }
}

impl Line {
    pub(super) fn new(config: &Config, answer: &Answer, note: Note) -> Line {
        Line {
            config: ranges(config),
            outcome: answer.outcome.into(),
            built: answer.built,
            needs: answer.needs.iter().map(|c| (c.dependent, c.needed, c.probability)).collect(),
            ms: note.took.as_millis() as u64,
            digest: note.digest,
            said: note.said,
        }
    }
}

/// The line of a test that decided.
pub(super) fn of_decided(decided: &Decided) -> impl Serialize {
    let ms = |time: Option<Duration>| time.map(|time| time.as_millis() as u64);
    DecidedLine {
        decides: decided.what,
        config: ranges(&decided.config),
        outcome: decided.outcome.into(),
        built: decided.built,
        ended: decided.ended.clone(),
        build_ms: ms(decided.build_time),
        test_ms: ms(decided.test_time),
        ends: decided.signs.ends.clone(),
        errors: decided.signs.errors.clone(),
        speaks: decided.signs.speaks,
    }
}

pub(super) type Unreadable = Box<dyn std::error::Error + Send + Sync>;

/// Reads a line that is not the first.
pub(super) fn read(line: &[u8]) -> Result<AnyLine, Unreadable> {
    let config = |text: &str| from_ranges(text).ok_or_else(|| format!("`{text}` is not a config"));
    if line.starts_with(br#"{"decides":"#) {
        let line: DecidedLine = serde_json::from_slice(line)?;
        return Ok(AnyLine::Decided(Decided {
            what: line.decides,
            config: config(&line.config)?,
            outcome: line.outcome.into(),
            built: line.built,
            ended: line.ended,
            build_time: line.build_ms.map(Duration::from_millis),
            test_time: line.test_ms.map(Duration::from_millis),
            signs: Signs { ends: line.ends, errors: line.errors, speaks: line.speaks },
        }));
    }
    let line: Line = serde_json::from_slice(line)?;
    let coupling = |(dependent, needed, probability)| Coupling { dependent, needed, probability };
    let answer = Answer {
        outcome: line.outcome.into(),
        built: line.built,
        needs: line.needs.into_iter().map(coupling).collect(),
    };
    let note = Note { took: Duration::from_millis(line.ms), digest: line.digest, said: line.said };
    Ok(AnyLine::Answer(config(&line.config)?, answer, note))
}

/// A config as text: `0-4,9`; the empty one is the empty text.
pub fn ranges(config: &Config) -> String {
    let mut found: Vec<(u32, u32)> = Vec::new();
    for i in config.iter() {
        match found.last_mut() {
            Some((_, last)) if *last + 1 == i => *last = i,
            _ => found.push((i, i)),
        }
    }
    let text = |(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    found.iter().map(text).collect::<Vec<_>>().join(",")
}

/// Numbers beyond this are damage, not changes, and would take all memory.
const LARGEST: u32 = 1 << 28;

/// The config of such a text; `None` if it is none.
pub fn from_ranges(text: &str) -> Option<Config> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for range in text.split(',').filter(|_| !text.is_empty()) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        let ascending = ranges.last().is_none_or(|before| before.1 < first);
        if first > last || last > LARGEST || !ascending {
            return None;
        }
        ranges.push((first, last));
    }
    Some(ranges.into_iter().flat_map(|(first, last)| first..=last).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_they_are_written() {
        for text in ["", "0", "0-1", "3,5-9,11", "63-64"] {
            assert_eq!(ranges(&from_ranges(text).unwrap()), text);
        }
        for bad in [",", "1,", "2-1", "3,3", "5,1", "-1", "x", "1-2-3"] {
            assert_eq!(from_ranges(bad), None, "{bad}");
        }
    }
}
