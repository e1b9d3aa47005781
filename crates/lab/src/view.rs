//! The two versions as a search sees them: where it starts, and what it looks for.
//!
//! A version config says which changes are *applied*. A search wants to know which changes must be *moved*, from
//! the version it starts from towards the other, so that the test changes its mind. From the old version these
//! are the same; from the new version, moving a change means taking it out, and who needs whom turns round:
//!
//! ```text
//!   applied: b needs a      (b uses what a declares)
//!   taken out: a needs b    (a can only go when b goes)
//! ```

use crate::event::Side;
use crate::pool::{Pool, PoolError};
use crate::run::Record;
use nub_search::{Answer, Config, Coupling, Memo, Outcome};
use std::time::Duration;

/// What a search starts from and looks for.
#[derive(Clone, Debug)]
pub struct View {
    /// All changes.
    pub full: Config,
    /// The version the search starts from.
    pub from: Side,
    /// What the test says of a config the search looks for.
    pub wanted: Outcome,
}

impl View {
    /// The changes applied when these are moved, and the other way round.
    pub fn turn(&self, config: &Config) -> Config {
        match self.from {
            Side::Old => config.clone(),
            Side::New => self.full.minus(config),
        }
    }

    /// Couplings of applied changes as couplings of moved ones, and the other way round.
    pub fn turn_coupling(&self, coupling: Coupling) -> Coupling {
        match self.from {
            Side::Old => coupling,
            Side::New => Coupling { dependent: coupling.needed, needed: coupling.dependent, ..coupling },
        }
    }

    /// The test's answer as the search hears it: *fail* is what it looks for.
    pub fn heard(&self, answer: &Answer) -> Answer {
        let outcome = match answer.outcome {
            Outcome::Unresolved => Outcome::Unresolved,
            outcome if outcome == self.wanted => Outcome::Fail,
            _ => Outcome::Pass,
        };
        let needs = answer.needs.iter().map(|c| self.turn_coupling(*c)).collect();
        Answer { outcome, built: answer.built, needs }
    }

    /// What the search heard, as the test said it.
    pub fn said(&self, answer: &Answer) -> Answer {
        let outcome = match (answer.outcome, self.wanted) {
            (Outcome::Unresolved, _) => Outcome::Unresolved,
            (Outcome::Fail, wanted) => wanted,
            (Outcome::Pass, Outcome::Pass) => Outcome::Fail,
            (Outcome::Pass, _) => Outcome::Pass,
        };
        let needs = answer.needs.iter().map(|c| self.turn_coupling(*c)).collect();
        Answer { outcome, built: answer.built, needs }
    }
}

/// A pool of version configs, asked about moved changes.
pub struct ViewedPool<'a, P> {
    /// How the search sees it.
    pub view: &'a View,
    /// What runs the tests.
    pub pool: &'a mut P,
}

impl<P: Pool> Pool for ViewedPool<'_, P> {
    fn width(&self) -> usize {
        self.pool.width()
    }

    fn keep(&mut self, wanted: &[Config]) {
        let versions: Vec<Config> = wanted.iter().map(|moved| self.view.turn(moved)).collect();
        self.pool.keep(&versions);
    }

    fn poll(&mut self, patience: Duration) -> Result<Option<(Config, Answer)>, PoolError> {
        let ended = self.pool.poll(patience)?;
        Ok(ended.map(|(version, answer)| (self.view.turn(&version), self.view.heard(&answer))))
    }

    fn started(&self) -> usize {
        self.pool.started()
    }
}

/// A journal of version configs, asked about moved changes.
pub struct ViewedRecord<'a, R> {
    /// How the search sees it.
    pub view: &'a View,
    /// What keeps the answers.
    pub record: &'a mut R,
}

impl<R: Memo> Memo for ViewedRecord<'_, R> {
    fn recall(&self, moved: &Config) -> Option<Answer> {
        self.record.recall(&self.view.turn(moved)).map(|answer| self.view.heard(&answer))
    }
}

impl<R: Record> Record for ViewedRecord<'_, R> {
    fn record(&mut self, moved: &Config, answer: &Answer) -> Result<(), PoolError> {
        self.record.record(&self.view.turn(moved), &self.view.said(answer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_from_the_new_version_turns_configs_outcomes_and_couplings_and_back() {
        let view = View { full: Config::full(4), from: Side::New, wanted: Outcome::Pass };
        assert_eq!(view.turn(&[1].into()), [0, 2, 3].into());
        assert_eq!(view.turn(&view.turn(&[1, 2].into())), [1, 2].into());
        let answer = Answer::broken_build([Coupling::certain(1, 0)]);
        assert_eq!(view.heard(&answer).needs[0], Coupling::certain(0, 1));
        for outcome in [Outcome::Pass, Outcome::Fail, Outcome::Unresolved] {
            let answer = Answer { outcome, ..answer.clone() };
            assert_eq!(view.said(&view.heard(&answer)), answer);
        }
        assert!(view.heard(&Answer::bare(Outcome::Pass)).fails());
    }
}
