//! ADD as a search for what to take back.
//!
//! ADD starts from a failing version and narrows down the changes that the failure goes with. Seen from there, a
//! question *without this part* asks whether taking the part back makes the test pass: so ADD searches for a fix,
//! and its answer is a patch to be taken back. Here its questions are put in those terms, a config being what is
//! taken back and *fail* meaning that the failure is gone.
//!
//! Departure: ADD's answer itself may never have been tested. It is, as the last question; where it does not do,
//! the smallest part that did is the result.

use super::Add;
use crate::{Answer, Case, Cases, Config, Outcome, Search};

/// Looks for dubious changes to take back from a failing version.
///
/// Progress: as [`Add`], and one question more.
#[derive(Clone, Debug)]
pub struct AddBack {
    add: Add,
    full: Config,
    /// The smallest set seen to make the test pass when it is taken back.
    best: Config,
    at_end: bool,
}

impl AddBack {
    /// Looks in `dubious`, a part of all changes.
    pub fn new(dubious: Config, full: Config) -> AddBack {
        let add = Add::new(dubious.intersection(&full), full.clone());
        AddBack { add, best: full.clone(), full, at_end: false }
    }

    fn seen(self, taken_back: &Config, answer: &Answer) -> AddBack {
        let is_better = answer.fails() && taken_back.len() < self.best.len();
        if is_better { AddBack { best: taken_back.clone(), ..self } } else { self }
    }
}

/// What the test says of the version, from what the search hears of what is taken back.
fn turned(answer: &Answer) -> Answer {
    let outcome = match answer.outcome {
        Outcome::Pass => Outcome::Fail,
        Outcome::Fail => Outcome::Pass,
        Outcome::Unresolved => Outcome::Unresolved,
    };
    Answer { outcome, ..answer.clone() }
}

impl Search for AddBack {
    fn cases(&self) -> Cases<AddBack> {
        let this = self.clone();
        if self.at_end {
            let dubious = self.add.dubious().clone();
            return crate::one_case(Case::when(dubious.clone(), Outcome::Fail, move || {
                let done = this.clone().seen(&dubious, &Answer::bare(Outcome::Fail));
                AddBack { add: Add::new(Config::empty(), done.full.clone()), at_end: false, ..done }
            }));
        }
        Box::new(self.add.cases().map(move |case| {
            let (this, taken_back) = (this.clone(), this.full.minus(&case.config));
            let (config, odds) = (taken_back.clone(), case.odds);
            let next = move |answer: &Answer| {
                let add = (case.next)(&turned(answer))?;
                Some(AddBack { add, ..this.clone() }.seen(&taken_back, answer))
            };
            Case { config, odds, next: Box::new(next) }
        }))
    }

    fn otherwise(&self) -> Option<AddBack> {
        if self.at_end {
            return None;
        }
        let narrower = self.add.otherwise().map(|add| AddBack { add, ..self.clone() });
        let dubious = self.add.dubious();
        let untested = !dubious.is_empty() && dubious.len() < self.best.len();
        narrower.or_else(|| untested.then(|| AddBack { at_end: true, ..self.clone() }))
    }

    /// The smallest set seen to make the test pass when it is taken back, at first all changes.
    fn best(&self) -> Config {
        self.best.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::converse;
    use crate::list::figures;

    #[test]
    fn add_back_asks_the_questions_of_fig_2_about_what_is_taken_back_and_then_about_its_answer() {
        let start = AddBack::new([4, 5, 6, 7].into(), figures::eight());
        let said = converse(start, |back| turned(&figures::add(&figures::eight().minus(back))));
        let expected = "{4,5} F\n{4} ?\n{1-3,5-8} ?\n{5} ?\n{1-4,6-8} ?\n-> {4,5}";
        assert_eq!(said.to_string(), expected);
    }

    #[test]
    fn add_back_tests_an_answer_that_no_question_was_about() {
        // Only 3 matters, and nobody can tell without 0 and 1.
        let test = |back: &Config| match back.contains(3) {
            _ if *back == [0, 1].into() => Answer::bare(Outcome::Unresolved),
            true => Answer::bare(Outcome::Fail),
            false => Answer::bare(Outcome::Pass),
        };
        let said = converse(AddBack::new(Config::full(4), Config::full(4)), test);
        assert_eq!(said.best, [3].into());
    }
}
