//! The changes between two versions, as a person reads them and as data: `nub diff`.
//!
//! ```text
//!   src/shape.c  3 changes
//!     0  12  - area(w, h);               needs 2 (call, 90%)
//!            + area(w, h, unit);
//!     1  20  + print(unit);
//!       2    a change inside the change above it
//!
//!   Refactorings
//!     add parameter  `unit` of `area`    0, 2
//! ```

use crate::finding::kind_name;
use crate::json::PlaceRecord;
use crate::words::count;
use anstyle::{AnsiColor, Style};
use nub_change::rules::refactoring::Refactoring;
use nub_change::rules::{Findings, Ruled};
use nub_change::{Change, Patchwork, Sight};
use nub_lab::isolate::Needing;
use nub_search::Coupling;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

/// All changes between two versions.
#[derive(Clone, Debug, Serialize)]
pub struct DiffRecord {
    /// The format of the record.
    pub nub_diff: u32,
    /// How the old version is called.
    pub old: String,
    /// How the new version is called.
    pub new: String,
    /// The changes, by number.
    pub changes: Vec<DiffChange>,
    /// The refactorings that were found in them.
    pub refactorings: Vec<RefactoringRecord>,
}

/// One refactoring.
#[derive(Clone, Debug, Serialize)]
pub struct RefactoringRecord {
    /// What was done: `rename method`.
    pub kind: String,
    /// To what, in words.
    pub what: String,
    /// The changes that do it, by number.
    pub changes: Vec<u32>,
}

/// One change with its text.
#[derive(Clone, Debug, Serialize)]
pub struct DiffChange {
    /// Its number, from 0.
    pub number: u32,
    /// What kind of change it is.
    pub kind: String,
    /// The change it lies inside.
    pub parent: Option<u32>,
    /// Its file, as the new version calls it if it has it.
    pub path: String,
    /// Its place in the old version.
    pub old: Option<PlaceRecord>,
    /// Its place in the new version.
    pub new: Option<PlaceRecord>,
    /// Its size in words of text.
    pub weight: u32,
    /// The text it takes away.
    pub takes: String,
    /// The text it puts in.
    pub puts: String,
    /// What it needs.
    pub needs: Vec<NeedRecord>,
    /// Whether the test ran it, if that was looked at: `ran`, `did not run` or `cannot be seen`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<&'static str>,
}

/// One change needs another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NeedRecord {
    /// The other change.
    pub number: u32,
    /// How sure that is, up to 1.
    pub probability: f64,
    /// Who says so: `nesting`, `move`, the name of a rule, or `message` for what a build or a test said.
    pub source: String,
}

/// What every change needs, by nesting and by the rules; what is less likely than not is left out.
pub(crate) fn needs(patchwork: &Patchwork, ruled: &[Ruled]) -> BTreeMap<u32, Vec<NeedRecord>> {
    let nesting = patchwork.couplings().into_iter().map(|coupling| (coupling, "nesting"));
    let moves = patchwork.moves().into_iter().map(|coupling| (coupling, "move"));
    let ruled = ruled.iter().map(|ruled| (ruled.coupling, ruled.rule.name()));
    let mut needs: BTreeMap<u32, Vec<NeedRecord>> = BTreeMap::new();
    for (coupling, source) in
        nesting.chain(moves).chain(ruled).filter(|(coupling, _)| coupling.probability >= LIKELY)
    {
        let Coupling { dependent, needed, probability } = coupling;
        needs.entry(dependent).or_default().push(NeedRecord::new(needed, probability, source));
    }
    needs
}

impl NeedRecord {
    fn new(number: u32, probability: f64, source: &str) -> NeedRecord {
        // More digits would pretend to be more than an estimate.
        NeedRecord { number, probability: (probability * 1000.0).round() / 1000.0, source: source.into() }
    }

    pub(crate) fn of(needing: &Needing) -> NeedRecord {
        NeedRecord::new(needing.change, needing.probability, needing.source)
    }
}

/// A coupling that is less likely is not followed.
const LIKELY: f64 = 0.5;

impl DiffRecord {
    /// The format that this version writes.
    pub const FORMAT: u32 = 1;

    /// Records the changes of a patchwork and what is known about which needs which.
    pub fn of(patchwork: &Patchwork, findings: &Findings, old: &str, new: &str) -> DiffRecord {
        let mut needs = needs(patchwork, &findings.couplings);
        let record = |(change, (takes, puts)): (&Change, (Vec<u8>, Vec<u8>))| DiffChange {
            number: change.number,
            kind: kind_name(change.kind).into(),
            parent: change.parent,
            path: change.path().to_string(),
            old: change.old.as_ref().map(PlaceRecord::of),
            new: change.new.as_ref().map(PlaceRecord::of),
            weight: change.weight,
            takes: String::from_utf8_lossy(&takes).into_owned(),
            puts: String::from_utf8_lossy(&puts).into_owned(),
            needs: needs.remove(&change.number).unwrap_or_default(),
            coverage: None,
        };
        let changes = patchwork.changes().iter().zip(patchwork.texts()).map(record).collect();
        let refactorings = findings.refactorings.iter().map(RefactoringRecord::of).collect();
        DiffRecord { nub_diff: DiffRecord::FORMAT, old: old.into(), new: new.into(), changes, refactorings }
    }

    /// The same with what is known of which changes ran, by number.
    pub fn with_coverage(mut self, sights: &[Sight]) -> DiffRecord {
        for (change, sight) in self.changes.iter_mut().zip(sights) {
            change.coverage = Some(match sight {
                Sight::Ran => "ran",
                Sight::Idle => "did not run",
                Sight::Unseen => "cannot be seen",
            });
        }
        self
    }

    /// The record as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a record of texts and numbers is always JSON") + "\n"
    }

    /// The changes for people to look at: files, then changes with their numbers, those inside others below
    /// them.
    pub fn told(&self) -> String {
        let mut text = String::new();
        let mut say = |line: &str| writeln!(text, "{line}").expect("a string can be written to");
        let bold = Style::new().bold();
        let mut files: Vec<&[DiffChange]> = self.changes.chunk_by(|a, b| a.path == b.path).collect();
        files.sort_by_key(|changes| &changes[0].path);
        for changes in files {
            let path = &changes[0].path;
            say(&format!("{bold}{path}{bold:#}  {}", count(changes.len(), "change")));
            let mut children: BTreeMap<Option<u32>, Vec<&DiffChange>> = BTreeMap::new();
            let is_here = |number: &u32| changes.iter().any(|change| change.number == *number);
            for change in changes {
                children.entry(change.parent.filter(is_here)).or_default().push(change);
            }
            let mut open: Vec<(usize, &DiffChange)> = Vec::new();
            let below = |parent, depth, open: &mut Vec<_>| {
                let inside = children.get(&parent).into_iter().flatten();
                open.extend(inside.rev().map(|&change| (depth, change)));
            };
            below(None, 1, &mut open);
            while let Some((depth, change)) = open.pop() {
                change.rows(depth).iter().for_each(|row| say(row));
                below(Some(change.number), depth + 1, &mut open);
            }
        }
        if !self.refactorings.is_empty() {
            say(&format!("\n{bold}Refactorings{bold:#}"));
            let width = |of: fn(&RefactoringRecord) -> &str| {
                self.refactorings.iter().map(|r| of(r).chars().count()).max().unwrap_or_default()
            };
            let (kinds, whats) = (width(|r| &r.kind), width(|r| &r.what).min(WIDE));
            for RefactoringRecord { kind, what, changes } in &self.refactorings {
                say(&format!("  {kind:kinds$}  {what:whats$}  {}", listed(changes)));
            }
        }
        text
    }
}

/// Wider columns are not made.
const WIDE: usize = 60;
/// More changes than these are not listed.
const LISTED: usize = 8;

/// The first numbers of a list, and how many more there are.
fn listed(numbers: &[u32]) -> String {
    let mut said: Vec<String> = numbers.iter().take(LISTED).map(u32::to_string).collect();
    if let Some(more @ 1..) = numbers.len().checked_sub(LISTED) {
        said.push(format!("{more} more"));
    }
    said.join(", ")
}

impl RefactoringRecord {
    fn of(refactoring: &Refactoring) -> RefactoringRecord {
        let Refactoring { kind, what, changes } = refactoring;
        RefactoringRecord { kind: kind.to_string(), what: what.clone(), changes: changes.clone() }
    }
}

/// More of a text than so many lines is not shown.
const LINES: usize = 3;
/// More of a line than so many letters is not shown.
const LETTERS: usize = 100;

impl DiffChange {
    fn rows(&self, depth: usize) -> Vec<String> {
        let line = |place: &Option<PlaceRecord>| Some(place.as_ref()?.after_line + 1);
        let at = line(&self.new).or(line(&self.old)).unwrap_or(1);
        let head = format!("{}{}  {at}", "  ".repeat(depth), self.number);
        let (red, green) = (AnsiColor::Red.on_default(), AnsiColor::Green.on_default());
        let mut shown: Vec<String> = excerpt(&self.takes, '-', red);
        shown.extend(excerpt(&self.puts, '+', green));
        if shown.is_empty() || !matches!(self.kind.as_str(), "insert" | "delete" | "replace") {
            shown.insert(0, self.kind.clone());
        }
        if let Some(needs) = self.needed() {
            shown[0] += &needs;
        }
        if let Some(coverage) = self.coverage {
            let dim = Style::new().dimmed();
            shown[0] += &format!("  {dim}{coverage}{dim:#}");
        }
        let indent = " ".repeat(head.len());
        let heads = std::iter::once(head.as_str()).chain(std::iter::repeat(indent.as_str()));
        heads.zip(&shown).map(|(head, shown)| format!("{head}  {shown}")).collect()
    }

    /// What it needs besides the change it lies inside.
    fn needed(&self) -> Option<String> {
        let others = self.needs.iter().filter(|need| Some(need.number) != self.parent);
        let said = by_source(others);
        let dim = Style::new().dimmed();
        (!said.is_empty()).then(|| format!("  {dim}needs {said}{dim:#}"))
    }
}

/// What is needed, together with who says so: `2, 3 (nesting), 7 (call, 90%)`.
pub(crate) fn by_source<'a>(needs: impl Iterator<Item = &'a NeedRecord>) -> String {
    let mut sources: Vec<(String, Vec<u32>)> = Vec::new();
    for NeedRecord { number, probability, source } in needs {
        let source = match *probability >= Coupling::CERTAIN {
            true => source.clone(),
            false => format!("{source}, {:.0}%", probability * 100.0),
        };
        match sources.iter_mut().find(|(known, _)| *known == source) {
            Some((_, numbers)) => numbers.push(*number),
            None => sources.push((source, vec![*number])),
        }
    }
    let said = sources.iter().map(|(source, numbers)| format!("{} ({source})", listed(numbers)));
    said.collect::<Vec<_>>().join(", ")
}

/// The first lines of a text with a sign before each.
pub(crate) fn excerpt(text: &str, sign: char, style: Style) -> Vec<String> {
    let text = text.trim_matches(['\n', '\r']);
    if text.is_empty() {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let shown = lines.iter().take(LINES).map(|line| {
        let cut: String = line.trim().chars().take(LETTERS).collect();
        let more = if cut.len() < line.trim().len() { " ..." } else { "" };
        format!("{style}{sign} {cut}{more}{style:#}")
    });
    let mut rows: Vec<String> = shown.collect();
    if let Some(more @ 1..) = lines.len().checked_sub(LINES) {
        rows.push(format!("{style}{sign} ... {} more{style:#}", count(more, "line")));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use nub_change::rules::Rule;
    use nub_change::rules::refactoring::Refactored;
    use nub_change::{Entry, RelPath, Snapshot};

    fn record() -> DiffRecord {
        let snapshot = |files: &[(&str, &str)]| -> Snapshot {
            let path = |name: &str| RelPath::try_from(name).unwrap();
            files.iter().map(|(name, text)| (path(name), Entry::file(text.as_bytes()))).collect()
        };
        let old = snapshot(&[("a.txt", "one\ntwo\nthree\n")]);
        let new = snapshot(&[("a.txt", "one\n2, two\nthree\n"), ("b.txt", "new\nfile\n")]);
        let patchwork = Patchwork::between(&old, &new);
        let ruled =
            |needed, rule| Ruled { coupling: Coupling { dependent: 0, needed, probability: 0.8 }, rule };
        let unlikely = Ruled {
            coupling: Coupling { probability: 0.3, ..ruled(1, Rule::Call).coupling },
            rule: Rule::Call,
        };
        let couplings = vec![ruled(2, Rule::Declared), ruled(3, Rule::Declared), unlikely];
        let what = "`one` to `two`".to_owned();
        let refactorings = vec![
            Refactoring { kind: Refactored::RenameMethod, what, changes: vec![0, 2] },
            Refactoring { kind: Refactored::MoveFile, what: "`a`".into(), changes: (0..10).collect() },
        ];
        DiffRecord::of(&patchwork, &Findings { couplings, refactorings }, "v1", "v2")
    }

    #[test]
    fn changes_stand_below_their_file_and_the_change_they_lie_in() {
        expect![[r#"
            a.txt  1 change
              0  2  - two  needs 2, 3 (declared, 80%)
                    + 2, two
            b.txt  3 changes
              1  1  create
                2  1  + new
                3  2  + file

            Refactorings
              rename method  `one` to `two`  0, 2
              move file      `a`             0, 1, 2, 3, 4, 5, 6, 7, 2 more
        "#]]
        .assert_eq(&anstream::adapter::strip_str(&record().told()).to_string());
    }

    #[test]
    fn whether_a_change_ran_stands_beside_it() {
        let record = record().with_coverage(&[Sight::Ran, Sight::Unseen, Sight::Idle, Sight::Idle]);
        let told = anstream::adapter::strip_str(&record.told()).to_string();
        assert!(told.contains("0  2  - two  needs 2, 3 (declared, 80%)  ran\n"), "{told}");
        assert!(told.contains("1  1  create  cannot be seen\n"), "{told}");
        assert!(told.contains("3  2  + file  did not run\n"), "{told}");
    }

    #[test]
    fn the_same_is_there_as_data() {
        let data: serde_json::Value = serde_json::from_str(&record().json()).unwrap();
        assert_eq!(data["changes"][2]["parent"], 1);
        assert_eq!(data["changes"][0]["needs"][0]["source"], "declared");
        assert_eq!(data["changes"][0]["needs"].as_array().unwrap().len(), 2, "what is unlikely is left out");
        assert_eq!(data["refactorings"][0]["kind"], "rename method");
        assert_eq!(data["refactorings"][0]["changes"], serde_json::json!([0, 2]));
    }
}
