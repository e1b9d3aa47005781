//! What is left in the output folder: the patches, the result, and the logs of the tests that decided.
//!
//! A file appears whole or not at all: it is written under another name and then moved to its place. That name is the
//! same each time, so what a killed run has begun the next one takes over.

use crate::explain::Tally;
use crate::finding::Finding;
use crate::json::{CommandRecord, ResultRecord};
use crate::words::{side_word, trial_words};
use nub_lab::event::{Event, Trial};
use nub_lab::isolate::{ALONE, FINER};
use serde::Deserialize;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const COMMAND: &str = "command.json";
const RESULT: &str = "result.json";
const JOURNAL: &str = "journal.jsonl";
const CRITICAL: &str = "critical.patch";
const REST: &str = "rest.patch";
const BEST: &str = "best.patch";
const LOGS: &str = "logs";
const CRITICAL_LOG: &str = "critical.log";

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("failed to write `{}`", path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub source: io::Error,
}

/// A result that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("failed to read `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file is not what it should be.
    #[error("`{}` is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// The file has another format.
    #[error("`{}` has format {found}, this nub reads format {known}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The format that can be read.
        known: u32,
    },
}

/// What a search leaves in its output folder, written as soon as it is known.
///
/// Whenever the search is killed, the best patch that it had found is there.
#[derive(Debug)]
pub struct Results {
    out: PathBuf,
}

impl Results {
    /// Results in this folder.
    pub fn new(out: impl Into<PathBuf>) -> Results {
        Results { out: out.into() }
    }

    /// Writes what has to be kept of an event.
    pub fn tell(&self, event: &Event) -> Result<(), WriteError> {
        match event {
            Event::Baseline { side, trial } => {
                let (name, what) =
                    (format!("{}.log", side_word(*side)), format!("the {} version", side_word(*side)));
                // A run that tests its versions has only begun, and an earlier result is none of its own.
                self.forget()?;
                self.log(&name, &what, trial)
            }
            Event::Better { patch, .. } => write_whole(&self.out.join(BEST), patch),
            Event::Compared { .. }
            | Event::Directed { .. }
            | Event::Learned { .. }
            | Event::Resumed { .. }
            | Event::Tried { .. }
            | Event::Progress { .. }
            | Event::Refining { .. }
            | Event::Measured { .. }
            | Event::Warning(_) => Ok(()),
        }
    }

    /// Writes the result.
    pub fn write(&self, finding: &Finding<'_>) -> Result<(), WriteError> {
        write_whole(&self.out.join(CRITICAL), &finding.isolated.patch)?;
        write_whole(&self.out.join(REST), &finding.isolated.rest)?;
        if let Some(trial) = &finding.isolated.witness {
            self.log(CRITICAL_LOG, "the critical patch", trial)?;
        }
        // Last, so that a result is there only with all it speaks of.
        write_whole(&self.out.join(RESULT), ResultRecord::of(finding).to_json().as_bytes())?;
        remove(&self.out.join(BEST))
    }

    fn forget(&self) -> Result<(), WriteError> {
        // First what speaks of the others.
        let files = [RESULT, CRITICAL, REST, BEST].map(|name| self.out.join(name));
        files.iter().chain([&self.out.join(LOGS).join(CRITICAL_LOG)]).try_for_each(|path| remove(path))
    }

    /// Writes the log of a test; one of an earlier run has its log already.
    fn log(&self, name: &str, what: &str, trial: &Trial) -> Result<(), WriteError> {
        let Some(output) = &trial.output else { return Ok(()) };
        let text = format!("# {what} {}\n{output}", trial_words(trial));
        write_whole(&self.out.join(LOGS).join(name), text.as_bytes())
    }
}

/// Removes a file, and what was begun of it.
fn remove(path: &Path) -> Result<(), WriteError> {
    for path in [path, &begun(path)] {
        match fs::remove_file(path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(WriteError { path: path.to_owned(), source });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Where a file is written before it is whole.
fn begun(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.begun"))
}

/// Puts a file in its place, whole, with the folders it needs.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let write = || {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let begun = begun(path);
        let written = fs::write(&begun, bytes).and_then(|()| fs::rename(&begun, path));
        written.inspect_err(|_| drop(fs::remove_file(&begun)))
    };
    write().map_err(|source| WriteError { path: path.to_owned(), source })
}

/// Keeps the command of a search in its output folder.
pub fn write_command(command: &CommandRecord, out: &Path) -> Result<(), WriteError> {
    let text = serde_json::to_string_pretty(command).expect("a record has string keys and finite numbers");
    write_whole(&out.join(COMMAND), (text + "\n").as_bytes())
}

/// Reads the command whose output folder this is.
pub fn read_command(out: &Path) -> Result<CommandRecord, ReadError> {
    read(out.join(COMMAND), CommandRecord::FORMAT)
}

/// Reads the result in an output folder.
pub fn read_result(out: &Path) -> Result<ResultRecord, ReadError> {
    read(out.join(RESULT), ResultRecord::FORMAT)
}

/// Reads a record whose format is the number of its first field.
fn read<T: for<'de> Deserialize<'de>>(path: PathBuf, known: u32) -> Result<T, ReadError> {
    #[derive(Deserialize)]
    struct Format {
        #[serde(alias = "nub_result", alias = "nub_command")]
        format: u32,
    }
    let text = fs::read(&path).map_err(|source| ReadError::Io { path: path.clone(), source })?;
    let damaged = |source| ReadError::Damaged { path: path.clone(), source };
    match serde_json::from_slice(&text).map_err(damaged)? {
        Format { format } if format == known => serde_json::from_slice(&text).map_err(damaged),
        Format { format: found } => Err(ReadError::Format { path, found, known }),
    }
}

/// Sums up the journals in an output folder, with those of the searches inside lines; nothing if there is none.
pub fn read_tally(out: &Path) -> Result<Option<Tally>, ReadError> {
    let mut tally = Tally::default();
    let found = add_journal(&mut tally, out.join(JOURNAL))?;
    for folder in [ALONE, FINER] {
        add_journal(&mut tally, out.join(folder).join(JOURNAL))?;
    }
    Ok(found.then_some(tally))
}

/// Adds what a journal holds, and tells whether there is one.
fn add_journal(tally: &mut Tally, path: PathBuf) -> Result<bool, ReadError> {
    #[derive(Deserialize)]
    struct Line {
        outcome: String,
        #[serde(default)]
        ms: u64,
    }
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(source) => return Err(ReadError::Io { path, source }),
    };
    // The first line says what the journal is; a last one without an end was cut off.
    let whole = text.split_inclusive('\n').skip(1).filter(|line| line.ends_with('\n'));
    // What is told of the deciding tests in more detail is not counted twice.
    for line in whole.filter(|line| !line.starts_with("{\"decides\":")) {
        let line: Line =
            serde_json::from_str(line).map_err(|source| ReadError::Damaged { path: path.clone(), source })?;
        let counter = match line.outcome.as_str() {
            "pass" => &mut tally.passed,
            "fail" => &mut tally.failed,
            _ => &mut tally.unresolved,
        };
        *counter += 1;
        tally.slowest = tally.slowest.max(Duration::from_millis(line.ms));
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Ending;
    use crate::sample;
    use expect_test::expect;
    use nub_lab::event::Side;
    use nub_search::{Config, Outcome};

    fn written() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("deep/out");
        let plan = sample::plan();
        let isolated = sample::isolated(&plan, Config::from([1, 2]));
        let results = Results::new(&out);
        for (side, outcome) in [(Side::Old, Outcome::Pass), (Side::New, Outcome::Fail)] {
            results.tell(&Event::Baseline { side, trial: sample::trial(outcome) }).unwrap();
        }
        results.tell(&Event::Better { changes: 1, patch: b"smaller".to_vec() }).unwrap();
        let finding = Finding { plan: &plan, isolated: &isolated, ending: Ending::Finished };
        results.write(&finding).unwrap();
        (folder, out)
    }

    #[test]
    fn results_of_an_earlier_run_go_when_another_begins_and_the_best_is_there_before_the_end() {
        let (_folder, out) = written();
        let results = Results::new(&out);
        results.tell(&Event::Baseline { side: Side::Old, trial: sample::trial(Outcome::Pass) }).unwrap();
        assert_eq!(
            (names(&out), names(&out.join(LOGS))),
            (vec![LOGS.into()], vec!["new.log".into(), "old.log".into()])
        );
        for patch in ["small\n", "smaller\n"] {
            results.tell(&Event::Better { changes: 1, patch: patch.into() }).unwrap();
            assert_eq!(fs::read_to_string(out.join(BEST)).unwrap(), patch);
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn results_are_patches_logs_and_a_record_and_nothing_else() {
        let (_folder, out) = written();
        assert_eq!(names(&out), ["critical.patch", "logs", "rest.patch", "result.json"]);
        assert_eq!(names(&out.join("logs")), ["critical.log", "new.log", "old.log"]);
        let log = fs::read_to_string(out.join("logs/new.log")).unwrap();
        expect![[r#"
            # the new version fails (exit 1; build 2.1 s, test 0.07 s)
            cc -c src/a.c
            ran 1 test
        "#]]
        .assert_eq(&log);
    }

    #[test]
    fn result_json_is_as_documented() {
        let (_folder, out) = written();
        expect![[r#"
            {
              "nub_result": 1,
              "nub_version": "$VERSION",
              "old": "`v1`",
              "new": "`v2`",
              "build": "make -j4",
              "test": "./repro.sh",
              "algorithm": "pith",
              "granularity": "line",
              "seed": 0,
              "jobs": 2,
              "direction": "regression",
              "failure": {
                "says": "tells of KeyError",
                "ends": [
                  "exit:1"
                ],
                "errors": [
                  "KeyError"
                ]
              },
              "from": "new",
              "flips_to": "pass",
              "files": 3,
              "changes": 5,
              "critical": [
                {
                  "number": 1,
                  "kind": "replace",
                  "at": "src/a.c:2",
                  "does": "replaces 1 line by 1",
                  "old": {
                    "path": "src/a.c",
                    "after_line": 1,
                    "lines": 1
                  },
                  "new": {
                    "path": "src/a.c",
                    "after_line": 1,
                    "lines": 1
                  },
                  "weight": 2,
                  "takes": "2\n",
                  "puts": "II\n",
                  "without": {
                    "also": [],
                    "outcome": "fail",
                    "built": true,
                    "said": null
                  },
                  "needed_by": [
                    {
                      "number": 2,
                      "probability": 0.92,
                      "source": "declared"
                    }
                  ]
                },
                {
                  "number": 2,
                  "kind": "delete",
                  "at": "src/a.c:4",
                  "does": "deletes 1 line",
                  "old": {
                    "path": "src/a.c",
                    "after_line": 4,
                    "lines": 1
                  },
                  "new": {
                    "path": "src/a.c",
                    "after_line": 4,
                    "lines": 0
                  },
                  "weight": 1,
                  "takes": "5\n",
                  "puts": "",
                  "without": {
                    "also": [],
                    "outcome": "unresolved",
                    "built": false,
                    "said": "src/a.c:3:5: error: 'x' undeclared"
                  },
                  "needed_by": []
                }
              ],
              "proof": {
                "ending": "finished",
                "one_minimal": true,
                "witness": {
                  "outcome": "pass",
                  "built": true,
                  "ended": "exit 0",
                  "build_ms": 2130,
                  "test_ms": 70
                }
              },
              "cost": {
                "needed": 12,
                "broken_builds": 3,
                "guessed": 4,
                "saved": 7,
                "elapsed_ms": 83400,
                "commands_ms": 140000,
                "run": 16,
                "around_ms": 160
              }
            }
        "#]]
        .assert_eq(
            &fs::read_to_string(out.join(RESULT)).unwrap().replace(env!("CARGO_PKG_VERSION"), "$VERSION"),
        );
    }

    #[test]
    fn a_result_is_read_as_it_was_written() {
        let (_folder, out) = written();
        let record = read_result(&out).unwrap();
        assert_eq!(record.to_json(), fs::read_to_string(out.join(RESULT)).unwrap());
    }

    #[test]
    fn a_result_that_cannot_be_read_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let said = |text: Option<&str>| {
            if let Some(text) = text {
                fs::write(folder.path().join(RESULT), text).unwrap();
            }
            read_result(folder.path()).unwrap_err().to_string().replace(folder.path().to_str().unwrap(), "$")
        };
        assert_eq!(said(None), "failed to read `$/result.json`");
        assert_eq!(said(Some("{\"nub_result\":1")), "`$/result.json` is damaged");
        assert_eq!(
            said(Some("{\"nub_result\":99}")),
            "`$/result.json` has format 99, this nub reads format 1"
        );
    }

    #[test]
    fn a_command_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let command = CommandRecord {
            nub_command: CommandRecord::FORMAT,
            folder: "/here".into(),
            arguments: vec!["v1".into(), "--".into(), "./t".into()],
            outside: crate::json::SideRecord::New,
        };
        write_command(&command, folder.path()).unwrap();
        assert_eq!(read_command(folder.path()).unwrap(), command);
    }

    #[test]
    fn a_journal_is_summed_up_and_its_cut_off_end_left_out() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read_tally(folder.path()).unwrap(), None);
        let lines = [
            r#"{"nub_journal":1,"fingerprint":"f"}"#,
            r#"{"config":"0-4","outcome":"fail","built":true,"ms":120,"digest":"8c"}"#,
            r#"{"decides":"new","config":"0-4","outcome":"fail","built":true,"ended":"","ends":[],"errors":[]}"#,
            r#"{"config":"0","outcome":"pass","built":true,"ms":20}"#,
            r#"{"config":"1","outcome":"unresolved","built":false,"needs":[[1,3,0.9]],"ms":45}"#,
            r#"{"config":"2","outcome":"unresolved","built":true}"#,
            r#"{"config":"3","outc"#,
        ];
        fs::write(folder.path().join(JOURNAL), lines.join("\n")).unwrap();
        let slowest = Duration::from_millis(120);
        let expected = Tally { passed: 1, failed: 1, unresolved: 2, slowest };
        assert_eq!(read_tally(folder.path()).unwrap(), Some(expected));
        fs::create_dir(folder.path().join(FINER)).unwrap();
        fs::write(folder.path().join(FINER).join(JOURNAL), lines[..2].join("\n") + "\n").unwrap();
        assert_eq!(read_tally(folder.path()).unwrap(), Some(Tally { failed: 2, ..expected }));
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named_with_the_cause() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let error = write_whole(&folder.path().join("file/below"), b"").unwrap_err();
        assert!(error.to_string().ends_with("file/below`"), "{error}");
    }

    #[test]
    fn what_a_killed_run_has_begun_to_write_is_taken_over_or_removed() {
        let folder = tempfile::tempdir().unwrap();
        let [result, best] = [RESULT, BEST].map(|name| folder.path().join(name));
        [&result, &best].iter().for_each(|path| fs::write(begun(path), "half").unwrap());
        write_whole(&result, b"whole").unwrap();
        remove(&best).unwrap();
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(left, [result]);
    }

    #[test]
    fn a_file_is_readable_like_any_other() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, out) = written();
        let plain = out.join("plain");
        fs::write(&plain, "").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&out.join(RESULT)), mode(&plain));
    }
}
