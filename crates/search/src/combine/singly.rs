//! Parts that are asked about alone, one after the other: each with what it needs and what builds say it misses.

use crate::{Answer, Config, Outcome, Problem};

/// What is known to be needed may grow so many times before the next part is asked about, ...
const GROWTH: usize = 3;
/// ... to so many times what it was, ...
const FACTOR: usize = 4;
/// ... or to this: what needs much more hangs on what all others hang on too, and that was asked about.
const SMALL: usize = 8;

/// What is still to be asked about.
#[derive(Clone, Debug)]
pub(super) struct Singly {
    pub(super) problem: Problem,
    /// The same with what was told about the part in turn; what others miss would make everything need everything.
    told: Problem,
    /// The parts in turn, the last one first.
    parts: Vec<Config>,
    /// All that was asked about.
    asked: Vec<Config>,
    /// How often the part in turn was asked about, and with how many changes at most it may be.
    tries: usize,
    most: usize,
    questions: usize,
}

/// What an answer leads to.
pub(super) enum Verdict {
    /// Going on with other parts, or with more of this one.
    GoOn(Singly),
    /// What was asked about is enough; this is the problem in there.
    Enough(Problem),
}

impl Singly {
    /// At most so many questions about parts in the order given.
    pub(super) fn new(problem: &Problem, mut parts: Vec<Config>, questions: usize) -> Singly {
        parts.reverse();
        let (problem, told) = (problem.clone(), certain(problem));
        Singly { problem, told, parts, asked: Vec::new(), tries: 0, most: usize::MAX, questions }.settled()
    }

    /// The part in turn, with what it is known to need.
    pub(super) fn config(&self) -> Option<Config> {
        let Problem { full, couplings, .. } = &self.told;
        Some(couplings.close(self.parts.last()?).intersection(full))
    }

    /// How many parts are left.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// Leaves out the parts in turn that are larger than this with what they need.
    pub(super) fn up_to(mut self, most: usize) -> Singly {
        while self.config().is_some_and(|config| config.len() > most) {
            self.pop();
            self = self.settled();
        }
        self
    }

    /// With a part in turn that is worth a question: one that was not asked about and does not need half of all.
    fn settled(mut self) -> Singly {
        while let Some(config) = self.config() {
            let is_small = config.len() <= self.most.min(self.problem.full.len() / 2);
            let is_new = is_small && !self.asked.contains(&config);
            if is_new && self.tries <= GROWTH && self.questions > 0 {
                break;
            }
            self.pop();
        }
        self
    }

    /// Turns to the next part.
    fn pop(&mut self) {
        self.parts.pop();
        self.told = certain(&self.problem);
        self.tries = 0;
        self.most = usize::MAX;
    }

    /// What the answer about the part in turn leads to.
    pub(super) fn after(&self, asked: &Config, answer: &Answer) -> Verdict {
        // What is only likely to be needed counts from the first build that breaks.
        let known = if self.tries == 0 { &self.problem } else { &self.told };
        let mut next = Singly { told: known.told(asked, answer), ..self.clone() };
        next.questions -= 1;
        next.tries += 1;
        next.most = next.most.min(SMALL.max(FACTOR * asked.len()));
        next.asked.push(asked.clone());
        match answer.outcome {
            Outcome::Fail => return Verdict::Enough(next.told.within(asked.clone())),
            Outcome::Pass => next.pop(),
            // If that names what it misses, there is more to ask about the same part.
            Outcome::Unresolved => {}
        }
        Verdict::GoOn(next.settled())
    }
}

/// A problem without couplings that may be wrong.
fn certain(problem: &Problem) -> Problem {
    problem.clone().with_couplings(problem.couplings.certain())
}
