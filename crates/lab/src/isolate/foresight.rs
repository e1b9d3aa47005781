//! Answers that need no test: a config with a file that cannot be read does not build.

use crate::pool::PoolError;
use crate::pool::local::ReadNeeds;
use crate::run::Record;
use nub_change::{Illegible, Legible};
use nub_search::{Answer, Config, Memo};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// What can be told of configs by reading them; each is read once.
pub(super) struct Foresight {
    legible: Option<Arc<Legible>>,
    /// Who needs whom, by where a config cannot be read.
    read_needs: Option<ReadNeeds>,
    read: RefCell<HashMap<(usize, Config), Option<Illegible>>>,
    told: RefCell<HashMap<Config, Option<Seen>>>,
}

/// What became of a config, and what was said about it.
#[derive(Clone)]
pub(super) struct Seen {
    pub(super) answer: Answer,
    pub(super) said: String,
}

impl Foresight {
    pub(super) fn new(legible: Option<Arc<Legible>>, read_needs: Option<ReadNeeds>) -> Foresight {
        Foresight { legible, read_needs, read: RefCell::default(), told: RefCell::default() }
    }

    /// What becomes of a config, if that can be told.
    fn of(&self, config: &Config) -> Option<Seen> {
        let legible = self.legible.as_ref()?;
        if let Some(told) = self.told.borrow().get(config) {
            return told.clone();
        }
        let parts = legible.mixed(config).into_iter();
        let errors: Vec<String> =
            parts.filter_map(|part| Some(self.read(legible, part)?.to_string())).collect();
        let seen = errors.first().map(|first| {
            let needs = self.read_needs.as_ref().map(|read_needs| read_needs(config, &errors.join("\n")));
            Seen { answer: Answer::broken_build(needs.unwrap_or_default()), said: first.clone() }
        });
        self.told.borrow_mut().insert(config.clone(), seen.clone());
        seen
    }

    /// Where a program cannot be read.
    fn read(&self, legible: &Legible, part: (usize, Config)) -> Option<Illegible> {
        let mut read = self.read.borrow_mut();
        read.entry(part).or_insert_with_key(|(program, part)| legible.error_in(*program, part)).clone()
    }

    /// The configs that were asked about and do not build.
    pub(super) fn all(&self) -> Vec<(Config, Seen)> {
        let told = self.told.borrow();
        told.iter().filter_map(|(config, foreseen)| Some((config.clone(), foreseen.clone()?))).collect()
    }
}

/// A journal with foresight: what it does not know may be told by reading.
pub(super) struct Foresighted<'a, R> {
    pub(super) foresight: &'a Foresight,
    pub(super) record: &'a mut R,
}

impl<R: Memo> Memo for Foresighted<'_, R> {
    fn recall(&self, config: &Config) -> Option<Answer> {
        self.record.recall(config).or_else(|| self.foresight.of(config).map(|foreseen| foreseen.answer))
    }
}

impl<R: Record> Record for Foresighted<'_, R> {
    fn record(&mut self, config: &Config, answer: &Answer) -> Result<(), PoolError> {
        self.record.record(config, answer)
    }
}
