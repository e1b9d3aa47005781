//! Every answer of a run, one line each, in a file that only grows.
//!
//! ```text
//! {"nub_journal":1,"fingerprint":"..."}
//! {"config":"0-4,9","outcome":"fail","built":true,"ms":120,"digest":"8c3f..."}
//! {"config":"0-1","outcome":"unresolved","built":false,"needs":[[1,3,0.9]],"ms":45,"said":"a.c:3: error: ..."}
//! {"decides":"new","config":"0-9","outcome":"fail","built":true,"ended":"exited with code 1",...}
//! ```
//!
//! The tests that decide about the whole run, those of both versions and of the result, are told in more detail.
//!
//! A line goes to the file in one write before anybody acts on its answer, so a killed run loses only the
//! tests that were under way. A write that was cut off, by a full disk or with the power, leaves a last line
//! without its end: it is dropped when the journal is opened again. Anything else that cannot be read is an
//! error: an answer that was left out might change what is found.
//!
//! Why no `fsync`? A line that the power takes away costs one repeated test; syncing would cost every test.

mod line;

pub use line::{Decided, Deciding, from_ranges, ranges};

use crate::pool::PoolError;
use crate::run::Record;
use line::{AnyLine, Header, Line};
use nub_search::{Answer, Config, Memo};
use serde::Serialize;
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const VERSION: u32 = 1;

/// How every journal of every version begins.
const BEGINNING: &[u8] = br#"{"nub_journal":"#;

/// Every answer of a run, in memory and on disk.
///
/// While it is open no other process can open it.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// How many bytes of whole lines the file has.
    length: u64,
    answers: HashMap<Config, Answer>,
    digests: Vec<(String, Answer)>,
    /// What builds and tests said, for the configs of which something is known.
    said: HashMap<Config, String>,
    /// The same of what was found in the file, by the digest of the tree.
    said_of: HashMap<String, String>,
    decided: Vec<Decided>,
    notes: Notes,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file system said no.
    #[error("failed to {action} the journal `{}`", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Another process has it open.
    #[error("the journal `{}` is in use by another run", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by somebody else.
    #[error("`{}` is not a journal of nub: give another output folder", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The journal has a format that this nub does not know.
    #[error("the journal `{}` has format {found}, this nub reads format {VERSION}: \
             use the nub that wrote it, or start again with `--fresh`", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// A line in the middle cannot be read.
    #[error("line {line} of the journal `{}` is damaged: mend it, or start again with `--fresh`",
            path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, counted from one.
        line: usize,
        /// What is wrong with it.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The journal holds answers to another question.
    #[error("the journal `{}` belongs to another run: the versions or the command are no longer those it was begun with", path.display())]
    AnotherRun {
        /// The file.
        path: PathBuf,
        /// The fingerprint it has.
        found: String,
    },
}

/// What is kept beside an answer, for reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// How long the build and the test took.
    pub took: Duration,
    /// What tells equal trees from others.
    pub digest: Option<String>,
    /// What the build or the test said was wrong, where it could not be tested.
    pub said: Option<String>,
}

/// Where notes are left for answers that are about to be recorded; clones are the same place.
///
/// Why apart? The driver records answers and does not know how they came about; who knows that leaves a note.
#[derive(Clone, Debug, Default)]
pub struct Notes(Arc<Mutex<HashMap<Config, Note>>>);

impl Notes {
    /// Leaves a note for the answer about this config.
    pub fn leave(&self, config: &Config, note: Note) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(config.clone(), note);
    }

    fn take(&self, config: &Config) -> Note {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(config).unwrap_or_default()
    }
}

impl Journal {
    /// Opens the journal of a run, or begins it; `fingerprint` stands for everything its answers depend on.
    pub fn open(path: impl Into<PathBuf>, fingerprint: &str) -> Result<Journal, JournalError> {
        Journal::at(path.into(), fingerprint, false)
    }

    /// Begins a journal; whatever the file held is gone.
    pub fn fresh(path: impl Into<PathBuf>, fingerprint: &str) -> Result<Journal, JournalError> {
        Journal::at(path.into(), fingerprint, true)
    }

    fn at(path: PathBuf, fingerprint: &str, fresh: bool) -> Result<Journal, JournalError> {
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(|source| failed_to("open", &path, source))?;
        match lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse { path }),
            Err(TryLockError::Error(source)) => return Err(failed_to("lock", &path, source)),
        }
        let mut bytes = Vec::new();
        if !fresh {
            file.read_to_end(&mut bytes).map_err(|source| failed_to("read", &path, source))?;
        }
        let (answers, notes) = (HashMap::new(), Notes::default());
        let (digests, decided) = (Vec::new(), Vec::new());
        let (said, said_of) = (HashMap::new(), HashMap::new());
        let mut journal = Journal { path, file, length: 0, answers, digests, said, said_of, decided, notes };
        journal.load(&bytes, fingerprint)?;
        journal.begin(fingerprint)?;
        Ok(journal)
    }

    /// Makes the file ready for the next line.
    fn begin(&mut self, fingerprint: &str) -> Result<(), JournalError> {
        // What comes after the last whole line was cut off while it was written.
        self.cut().map_err(|source| failed_to("shorten", &self.path, source))?;
        if self.length == 0 {
            let header = Header { nub_journal: VERSION, fingerprint: fingerprint.into() };
            self.append(&header).map_err(|source| failed_to("write", &self.path, source))?;
        }
        Ok(())
    }

    /// Forgets everything and begins again.
    pub fn forget(&mut self, fingerprint: &str) -> Result<(), JournalError> {
        self.answers.clear();
        self.digests.clear();
        self.said.clear();
        self.said_of.clear();
        self.decided.clear();
        self.length = 0;
        self.begin(fingerprint)
    }

    /// The test of a config that decided about the run.
    pub fn decided(&self, what: Deciding, config: &Config) -> Option<&Decided> {
        self.decided.iter().find(|decided| decided.what == what && decided.config == *config)
    }

    /// Keeps a test that decided about the run.
    pub fn decide(&mut self, decided: Decided) -> Result<(), JournalError> {
        self.append(&line::of_decided(&decided)).map_err(|source| failed_to("write", &self.path, source))?;
        self.decided.push(decided);
        Ok(())
    }

    /// How many configs have an answer.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// All answers, in no order.
    pub fn answers(&self) -> impl Iterator<Item = (&Config, &Answer)> {
        self.answers.iter()
    }

    /// The answer about a config.
    pub fn answer(&self, config: &Config) -> Option<&Answer> {
        self.answers.get(config)
    }

    /// What the build or the test of a config said was wrong, if that is known.
    pub fn said(&self, config: &Config) -> Option<&str> {
        self.said.get(config).map(String::as_str)
    }

    /// What was said about a tree, if the file says so.
    pub fn said_of(&self, digest: &str) -> Option<&str> {
        self.said_of.get(digest).map(String::as_str)
    }

    /// Whether nothing was answered yet.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Where the journal is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where to leave notes for the answers to come.
    pub fn notes(&self) -> Notes {
        self.notes.clone()
    }

    /// The answers found in the file that name the digest of their tree.
    pub fn digests(&self) -> &[(String, Answer)] {
        &self.digests
    }

    fn load(&mut self, bytes: &[u8], fingerprint: &str) -> Result<(), JournalError> {
        let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |last| last + 1);
        if whole == 0 {
            // Nothing, or a first line that was cut off.
            let ours = bytes.starts_with(BEGINNING) || BEGINNING.starts_with(bytes);
            return if ours { Ok(()) } else { Err(JournalError::Foreign { path: self.path.clone() }) };
        }
        let mut lines = bytes[..whole - 1].split(|&b| b == b'\n');
        self.check_header(lines.next().unwrap_or_default(), fingerprint)?;
        for (number, line) in (2..).zip(lines) {
            let line = line::read(line).map_err(|source| {
                let path = self.path.clone();
                JournalError::Damaged { path, line: number, source }
            })?;
            match line {
                AnyLine::Decided(decided) => self.decided.push(decided),
                AnyLine::Answer(config, answer, note) => {
                    self.said_of.extend(note.digest.clone().zip(note.said.clone()));
                    self.digests.extend(note.digest.map(|digest| (digest, answer.clone())));
                    self.said.extend(note.said.map(|said| (config.clone(), said)));
                    // The first answer is the one that was acted on.
                    self.answers.entry(config).or_insert(answer);
                }
            }
        }
        self.length = whole as u64;
        Ok(())
    }

    fn check_header(&self, line: &[u8], fingerprint: &str) -> Result<(), JournalError> {
        let path = self.path.clone();
        match line::version(line) {
            Some(VERSION) => {}
            Some(found) => return Err(JournalError::Version { path, found }),
            None => return Err(JournalError::Foreign { path }),
        }
        match serde_json::from_slice::<Header>(line) {
            Ok(header) if header.fingerprint == fingerprint => Ok(()),
            Ok(header) => Err(JournalError::AnotherRun { path, found: header.fingerprint }),
            Err(error) => Err(JournalError::Damaged { path, line: 1, source: error.into() }),
        }
    }

    /// Appends a line in one write; if that fails, the file keeps its whole lines.
    fn append(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        if let Err(error) = self.file.write_all(&bytes) {
            // If this fails as well, the next one to open the journal does it.
            let _ = self.cut();
            return Err(error);
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Cuts the file behind its whole lines and goes on from there.
    fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length)).map(drop)
    }
}

/// Locks a file with some patience: a process that a killed run was about to start holds what that run held, for
/// a moment.
fn lock(file: &File) -> Result<(), TryLockError> {
    let mut locked = file.try_lock();
    for _ in 0..20 {
        if !matches!(locked, Err(TryLockError::WouldBlock)) {
            break;
        }
        std::thread::sleep(Duration::from_millis(25));
        locked = file.try_lock();
    }
    locked
}

fn failed_to(action: &'static str, path: &Path, source: io::Error) -> JournalError {
    JournalError::Io { action, path: path.to_path_buf(), source }
}

impl Memo for Journal {
    fn recall(&self, config: &Config) -> Option<Answer> {
        self.answers.get(config).cloned()
    }
}

impl Record for Journal {
    fn record(&mut self, config: &Config, answer: &Answer) -> Result<(), PoolError> {
        let note = self.notes.take(config);
        if self.answers.contains_key(config) {
            return Ok(());
        }
        self.said.extend(note.said.clone().map(|said| (config.clone(), said)));
        let line = Line::new(config, answer, note);
        self.append(&line).map_err(|source| PoolError {
            message: format!("failed to write the journal `{}`", self.path.display()),
            source: Some(source.into()),
        })?;
        self.answers.insert(config.clone(), answer.clone());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Signs;
    use nub_search::{Coupling, Outcome};
    use std::fs;

    fn answers() -> Vec<(Config, Answer)> {
        let learned = Coupling { dependent: 1, needed: 7, probability: 0.1 + 0.2 };
        vec![
            (Config::full(300), Answer::bare(Outcome::Fail)),
            (Config::empty(), Answer::bare(Outcome::Pass)),
            ([1, 2, 3, 70].into(), Answer::broken_build([learned, Coupling::certain(2, 9)])),
            ([5].into(), Answer { built: true, ..Answer::bare(Outcome::Unresolved) }),
        ]
    }

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Folder {
            Folder(tempfile::tempdir().unwrap())
        }

        fn path(&self) -> PathBuf {
            self.0.path().join("journal.jsonl")
        }

        /// A journal with all answers; the text of its lines.
        fn written(&self) -> String {
            let mut journal = Journal::open(self.path(), "f").unwrap();
            let note = Note { took: Duration::from_millis(12), digest: Some("d00d".into()), said: None };
            journal.notes().leave(&Config::empty(), note);
            answers().iter().for_each(|(config, answer)| journal.record(config, answer).unwrap());
            fs::read_to_string(self.path()).unwrap()
        }

        fn error(&self) -> String {
            Journal::open(self.path(), "f")
                .unwrap_err()
                .to_string()
                .replace(&self.path().display().to_string(), "J")
        }
    }

    #[test]
    fn a_journal_reads_back_what_was_recorded() {
        let folder = Folder::new();
        let text = folder.written();
        assert_eq!(text.lines().next(), Some(r#"{"nub_journal":1,"fingerprint":"f"}"#));
        let second = r#"{"config":"","outcome":"pass","built":true,"ms":12,"digest":"d00d"}"#;
        assert_eq!(text.lines().nth(2), Some(second));

        let journal = Journal::open(folder.path(), "f").unwrap();
        assert_eq!(journal.len(), answers().len());
        for (config, answer) in answers() {
            assert_eq!(journal.recall(&config), Some(answer), "{config:?}");
        }
        assert_eq!(journal.recall(&[6].into()), None);
        assert_eq!(journal.digests(), [("d00d".to_string(), Answer::bare(Outcome::Pass))]);
    }

    #[test]
    fn a_journal_cut_off_anywhere_keeps_its_whole_lines_and_goes_on() {
        let folder = Folder::new();
        let text = folder.written();
        for cut in 0..=text.len() {
            fs::write(folder.path(), &text[..cut]).unwrap();
            let mut journal = Journal::open(folder.path(), "f").unwrap();
            let whole = text[..cut].matches('\n').count().saturating_sub(1);
            assert_eq!(journal.len(), whole, "cut at byte {cut}");
            answers().iter().for_each(|(config, answer)| journal.record(config, answer).unwrap());
            drop(journal);
            assert_eq!(
                Journal::open(folder.path(), "f").unwrap().len(),
                answers().len(),
                "cut at byte {cut}"
            );
        }
    }

    fn decided(what: Deciding) -> Decided {
        Decided {
            what,
            config: Config::full(300),
            outcome: Outcome::Fail,
            built: true,
            ended: "exited with code 1".into(),
            build_time: None,
            test_time: Some(Duration::from_millis(12)),
            signs: Signs {
                ends: ["exit:1".into()].into(),
                errors: ["TypeError".into()].into(),
                speaks: true,
            },
        }
    }

    #[test]
    fn a_test_that_decided_is_known_again_until_the_journal_forgets() {
        let folder = Folder::new();
        folder.written();
        let mut journal = Journal::open(folder.path(), "f").unwrap();
        journal.decide(decided(Deciding::New)).unwrap();
        let line = r#"{"decides":"new","config":"0-299","outcome":"fail","built":true,"ended":"exited with code 1","test_ms":12,"ends":["exit:1"],"errors":["TypeError"],"speaks":true}"#;
        assert_eq!(fs::read_to_string(folder.path()).unwrap().lines().last(), Some(line));
        drop(journal);

        let mut journal = Journal::open(folder.path(), "f").unwrap();
        assert_eq!(journal.decided(Deciding::New, &Config::full(300)), Some(&decided(Deciding::New)));
        assert_eq!(journal.decided(Deciding::Old, &Config::full(300)), None);
        assert_eq!(journal.decided(Deciding::New, &Config::full(299)), None);
        assert_eq!(journal.len(), answers().len());
        journal.forget("g").unwrap();
        assert!(journal.is_empty() && journal.decided(Deciding::New, &Config::full(300)).is_none());
        journal.record(&Config::empty(), &Answer::bare(Outcome::Pass)).unwrap();
        drop(journal);
        assert_eq!(Journal::open(folder.path(), "g").unwrap().len(), 1);
    }

    #[test]
    fn a_full_disk_is_an_error_that_names_the_journal() {
        let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else { return };
        let folder = Folder::new();
        let mut journal = Journal { file: full, ..Journal::open(folder.path(), "f").unwrap() };
        let error = journal.record(&Config::empty(), &Answer::bare(Outcome::Pass)).unwrap_err();
        assert!(error.message.starts_with("failed to write the journal `"), "{error}");
        assert_eq!(journal.recall(&Config::empty()), None, "what is not on disk is not known");
    }

    #[test]
    fn damage_foreign_files_other_versions_and_other_runs_are_told_apart() {
        let folder = Folder::new();
        let text = folder.written();
        let check = |text: &str, message: &str| {
            fs::write(folder.path(), text).unwrap();
            assert_eq!(folder.error(), message);
            assert_eq!(fs::read_to_string(folder.path()).unwrap(), text, "it is left as it was");
        };
        let damaged = |line| {
            format!("line {line} of the journal `J` is damaged: mend it, or start again with `--fresh`")
        };
        check(&text.replace("\"0-299\"", "\"0-299,7\""), &damaged(2));
        check(&text.replace("\"0-299\"", "\"0-4000000000\""), &damaged(2));
        check(&text.replace("\"pass\"", "\"maybe\""), &damaged(3));
        check(&text.replace("\"fingerprint\"", "\"print\""), &damaged(1));
        let foreign = "`J` is not a journal of nub: give another output folder";
        check("some text", foreign);
        check("some text\nof two lines\n", foreign);
        check(
            &text.replace("\"nub_journal\":1", "\"nub_journal\":2"),
            "the journal `J` has format 2, this nub reads format 1: \
             use the nub that wrote it, or start again with `--fresh`",
        );
        check(
            &text.replace("\"f\"", "\"g\""),
            "the journal `J` belongs to another run: the versions or the command are no longer those it was begun with",
        );
        assert!(Journal::fresh(folder.path(), "f").unwrap().is_empty());
        assert!(Journal::open(folder.path(), "f").unwrap().is_empty());
    }

    #[test]
    fn a_journal_is_open_once() {
        let folder = Folder::new();
        let _open = Journal::open(folder.path(), "f").unwrap();
        assert_eq!(folder.error(), "the journal `J` is in use by another run");
    }
}
