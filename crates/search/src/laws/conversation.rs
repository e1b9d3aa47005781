//! What a search asked and what it was told, question by question: the form of all golden traces.

use crate::{Answer, Config, Outcome, Search};
use std::collections::HashMap;
use std::fmt;

/// One question of a search.
#[derive(Clone, Debug)]
pub struct Said {
    /// What was asked.
    pub config: Config,
    /// What was answered.
    pub answer: Answer,
    /// The number of the earlier question with the same config, counted from one.
    pub repeats: Option<usize>,
}

/// All that a search asked, in order, and its result.
pub struct Conversation {
    /// The questions; repeated ones are answered from memory.
    pub questions: Vec<Said>,
    /// The result.
    pub best: Config,
}

impl Conversation {
    /// How many different configs were asked about.
    pub fn distinct(&self) -> usize {
        self.questions.iter().filter(|q| q.repeats.is_none()).count()
    }

    /// The same without repeated questions, as figures show it that take a memo for granted.
    pub fn asked_once(mut self) -> Conversation {
        self.questions.retain(|q| q.repeats.is_none());
        self
    }

    /// Which questions were answered with Fail, counted from one.
    pub fn failing(&self) -> Vec<usize> {
        (1..).zip(&self.questions).filter(|(_, q)| q.answer.fails()).map(|(k, _)| k).collect()
    }

    /// Asserts that this was said, word for word; the expected lines may be indented.
    pub fn check(&self, expected: &str) {
        let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
        let said = self.to_string();
        assert!(said.lines().eq(expected.iter().copied()), "expected\n{}\nsaid\n{said}", expected.join("\n"));
    }
}

/// One line a question: the config, `P`, `F` or `?`, and `= k` where it repeats question `k`.
impl fmt::Display for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for said in &self.questions {
            let outcome = match said.answer.outcome {
                Outcome::Pass => 'P',
                Outcome::Fail => 'F',
                Outcome::Unresolved => '?',
            };
            write!(f, "{} {outcome}", said.config)?;
            match said.repeats {
                Some(k) => writeln!(f, " = {k}")?,
                None => writeln!(f)?,
            }
        }
        write!(f, "-> {}", self.best)
    }
}

/// No search in a test asks so much, repeated questions too.
const ENDLESS: usize = 2_000_000;

/// Runs a search one test at a time, asking each config once, and records what is said.
pub fn converse<S: Search>(start: S, mut test: impl FnMut(&Config) -> Answer) -> Conversation {
    let mut known: HashMap<Config, (usize, Answer)> = HashMap::new();
    let mut questions = Vec::new();
    let end = crate::search(start, |config| {
        assert!(questions.len() < ENDLESS, "the search asks without end: {config} once more");
        let repeats = known.get(config).map(|(k, _)| *k);
        let answer = match known.get(config) {
            Some((_, answer)) => answer.clone(),
            None => test(config),
        };
        questions.push(Said { config: config.clone(), answer: answer.clone(), repeats });
        known.entry(config.clone()).or_insert((questions.len(), answer.clone()));
        answer
    });
    Conversation { questions, best: end.best() }
}
