//! Every input that was tested and what the test said: the journal of a reduction, by content.
//!
//! Passes number their parts anew, so a config says nothing in the next one; but the same text is the same
//! question in every pass, on every day. In the file an answer's config is its running number.

use super::rendering::Rendering;
use crate::journal::{Journal, JournalError, Note, from_ranges, ranges};
use crate::pool::PoolError;
use crate::run::Record;
use crate::workspace::Digest;
use nub_change::RelPath;
use nub_change::part::Reader;
use nub_search::{Answer, Config, Memo, Outcome};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

/// Answers by the digest of the input.
pub(super) struct Ledger {
    journal: Journal,
    answers: HashMap<Digest, Answer>,
}

impl Ledger {
    pub(super) fn open(path: PathBuf, fingerprint: &str, fresh: bool) -> Result<Ledger, JournalError> {
        let journal =
            if fresh { Journal::fresh(path, fingerprint)? } else { Journal::open(path, fingerprint)? };
        let known = journal.digests().iter();
        let answers =
            known.filter_map(|(digest, answer)| Some((digest.parse().ok()?, answer.clone()))).collect();
        Ok(Ledger { journal, answers })
    }

    pub(super) fn len(&self) -> usize {
        self.answers.len()
    }

    /// The inputs whose answers are known.
    pub(super) fn digests(&self) -> impl Iterator<Item = Digest> {
        self.answers.keys().copied()
    }

    pub(super) fn get(&self, digest: Digest) -> Option<&Answer> {
        self.answers.get(&digest)
    }

    /// Which blocks of a marked input were run, if that was recorded in an earlier run.
    pub(super) fn ran(&self, digest: Digest) -> Option<Config> {
        from_ranges(self.journal.said_of(&digest.to_string())?)
    }

    /// Records an answer about a marked input, and which of its blocks were run.
    pub(super) fn put_ran(
        &mut self,
        digest: Digest,
        answer: &Answer,
        took: Duration,
        ran: &Config,
    ) -> Result<(), PoolError> {
        self.record(digest, answer, Note { took, said: Some(ranges(ran)), ..Note::default() })
    }

    pub(super) fn put(&mut self, digest: Digest, answer: &Answer, took: Duration) -> Result<(), PoolError> {
        if self.answers.contains_key(&digest) {
            return Ok(());
        }
        self.record(digest, answer, Note { took, ..Note::default() })
    }

    fn record(&mut self, digest: Digest, answer: &Answer, note: Note) -> Result<(), PoolError> {
        let number: Config = [self.journal.len() as u32].into();
        self.journal.notes().leave(&number, Note { digest: Some(digest.to_string()), ..note });
        self.journal.record(&number, answer)?;
        self.answers.insert(digest, answer.clone());
        Ok(())
    }
}

/// The ledger as one pass sees it.
pub(super) struct PassLedger<'a> {
    pub(super) ledger: &'a mut Ledger,
    pub(super) rendering: Rc<Rendering>,
    /// How long the tests took whose answers are about to come.
    pub(super) took: Rc<RefCell<HashMap<Digest, Duration>>>,
    /// Who sees to it that nothing is tested that cannot be read.
    pub(super) proofreader: Option<Rc<Proofreader<'a>>>,
}

/// Knows without a test what a pass that is guided by a grammar need not try: what the grammar cannot read.
///
/// Facts about a grammar are about kinds of nodes and may be wrong in one place; a short text is read once more.
pub(super) struct Proofreader<'a> {
    pub(super) reader: &'a Reader,
    pub(super) path: RelPath,
    /// What was read, by digest.
    known: RefCell<HashMap<Digest, bool>>,
}

/// The longest text that is read before it is tested; longer ones would take longer than many a test.
pub(super) const LONGEST_READ: usize = 1 << 14;

impl<'a> Proofreader<'a> {
    /// For the candidates of a text, if it is short and can be read itself.
    pub(super) fn of(reader: &'a Reader, path: &RelPath, text: &[u8]) -> Option<Proofreader<'a>> {
        let useful = text.len() <= LONGEST_READ && reader.reads(text) == Some(true);
        useful.then(|| Proofreader { reader, path: path.clone(), known: RefCell::default() })
    }

    /// Whether it was read and could not be.
    pub(super) fn has_refused(&self, digest: Digest) -> bool {
        self.known.borrow().get(&digest) == Some(&false)
    }

    fn refuses(&self, digest: Digest, config: &Config, rendering: &Rendering) -> bool {
        let mut known = self.known.borrow_mut();
        let reads = known.entry(digest).or_insert_with(|| {
            let input = rendering.input(config);
            input.get(&self.path).is_none_or(|entry| self.reader.reads(&entry.content) != Some(false))
        });
        !*reads
    }
}

impl Memo for PassLedger<'_> {
    fn recall(&self, config: &Config) -> Option<Answer> {
        let digest = self.rendering.digest(config);
        self.ledger.get(digest).cloned().or_else(|| {
            let proofreader = self.proofreader.as_ref()?;
            let refused = proofreader.refuses(digest, config, &self.rendering);
            refused.then(|| Answer { built: false, ..Answer::bare(Outcome::Pass) })
        })
    }
}

impl Record for PassLedger<'_> {
    fn record(&mut self, config: &Config, answer: &Answer) -> Result<(), PoolError> {
        let digest = self.rendering.digest(config);
        let took = self.took.borrow_mut().remove(&digest).unwrap_or_default();
        self.ledger.put(digest, answer, took)
    }
}
