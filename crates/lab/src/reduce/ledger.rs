//! Every input that was tested and what the test said: the journal of a reduction, by content.
//!
//! Passes number their parts anew, so a config says nothing in the next one; but the same text is the same
//! question in every pass, on every day. In the file an answer's config is its running number.

use super::rendering::Rendering;
use crate::journal::{Journal, JournalError, Note};
use crate::pool::PoolError;
use crate::run::Record;
use crate::workspace::Digest;
use nub_search::{Answer, Config, Memo};
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

    pub(super) fn put(&mut self, digest: Digest, answer: &Answer, took: Duration) -> Result<(), PoolError> {
        if self.answers.contains_key(&digest) {
            return Ok(());
        }
        let number: Config = [self.journal.len() as u32].into();
        self.journal.notes().leave(&number, Note { took, digest: Some(digest.to_string()), said: None });
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
    pub(super) took: Rc<std::cell::RefCell<HashMap<Digest, Duration>>>,
}

impl Memo for PassLedger<'_> {
    fn recall(&self, config: &Config) -> Option<Answer> {
        self.ledger.get(self.rendering.digest(config)).cloned()
    }
}

impl Record for PassLedger<'_> {
    fn record(&mut self, config: &Config, answer: &Answer) -> Result<(), PoolError> {
        let digest = self.rendering.digest(config);
        let took = self.took.borrow_mut().remove(&digest).unwrap_or_default();
        self.ledger.put(digest, answer, took)
    }
}
