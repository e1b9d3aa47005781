//! Whether the input is interesting, how reliably and by which symptom; and whether the result is.

use super::bench::{Setup, Tested};
use super::property::Symptom;
use super::{Happening, Lab, ReduceError, Size};
use nub_change::part::Reader;
use nub_change::{Entry, Snapshot};
use nub_search::Outcome;
use std::time::Duration;

/// A test gets this many times what it took on the input.
const PATIENCE: u32 = 10;
/// No test gets less than this, whatever it took.
const LEAST_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a test that contradicts itself is run to see how often it does.
const FLAKY_RUNS: u32 = 10;
/// How sure a *no* must be where the test is flaky.
const CONFIDENCE: f64 = 0.99;

/// What the first tests have shown.
pub(super) struct Check {
    pub(super) empty_is_interesting: bool,
    pub(super) reliability: f64,
    pub(super) repeats: u32,
}

impl Lab<'_> {
    /// Tests the input, the empty input and the input again, and sets up the bench by what they show.
    pub(super) fn check(&mut self, size: Size) -> Result<Check, ReduceError> {
        let input = self.plan.input.clone();
        let first = self.test(&input)?;
        let first = match first.answer.outcome {
            Outcome::Fail => first,
            outcome => {
                // A flaky test may say no just now.
                let again = self.test(&input)?;
                if again.answer.outcome != Outcome::Fail {
                    let unresolved = outcome == Outcome::Unresolved;
                    return Err(ReduceError::NotInteresting {
                        finished: Box::new(first.finished),
                        unresolved,
                    });
                }
                return self.check_flaky(size, &again, 1, 2);
            }
        };
        let second = self.test(&input)?;
        if second.answer.outcome != Outcome::Fail {
            return self.check_flaky(size, &first, 1, 2);
        }
        let symptom = Symptom::of(&first.finished)
            .filter(|symptom| Some(symptom) == Symptom::of(&second.finished).as_ref());
        self.settle(size, &first, symptom, 0);
        let empty_is_interesting = self.check_empty()?;
        Ok(Check { empty_is_interesting, reliability: 1.0, repeats: 0 })
    }

    /// Finds out how often the input is interesting, and how often a *no* must be asked again to be believed.
    fn check_flaky(&mut self, size: Size, seen: &Tested, yes: u32, runs: u32) -> Result<Check, ReduceError> {
        let input = self.plan.input.clone();
        let (mut yes, mut runs) = (yes, runs);
        while runs < FLAKY_RUNS {
            runs += 1;
            yes += u32::from(self.test(&input)?.answer.outcome == Outcome::Fail);
        }
        let reliability = f64::from(yes) / f64::from(runs);
        // Rather too often than too seldom: as if one of the runs had gone the other way.
        let share = f64::from(yes.max(2) - 1) / f64::from(runs);
        let repeats = ((1.0 - CONFIDENCE).ln() / (1.0 - share).ln()).ceil() as u32 - 1;
        (self.tell)(&Happening::Warning(format!(
            "the test is flaky: the input was interesting in {yes} of {runs} runs; a test that says no is asked up to \
             {repeats} times again, so that it is right in {:.0} of 100 cases",
            100.0 * CONFIDENCE
        )));
        self.settle(size, seen, None, repeats);
        let empty_is_interesting = self.check_empty()?;
        Ok(Check { empty_is_interesting, reliability, repeats })
    }

    /// Sets up the bench by what the input showed.
    fn settle(&mut self, size: Size, seen: &Tested, symptom: Option<Symptom>, repeats: u32) {
        let symptom = symptom.filter(|_| !self.plan.any_failure);
        let took = seen.finished.wall;
        let timeout = self.plan.timeout.unwrap_or((took * PATIENCE).max(LEAST_TIMEOUT));
        let main = self.readers.values().find_map(Reader::language);
        (self.tell)(&Happening::Checked { size, language: main, took, symptom: symptom.clone() });
        self.bench.change(|setup| Setup {
            guard: setup.guard.clone(),
            test: setup.test.clone(),
            property: setup.property.clone(),
            timeout: Some(timeout),
            memory: setup.memory,
            symptom,
            repeats,
        });
    }

    fn check_empty(&mut self) -> Result<bool, ReduceError> {
        let mut empty = Snapshot::new();
        for (path, entry) in self.plan.input.iter().filter(|(path, _)| self.readers.contains_key(path)) {
            empty.insert(path.clone(), Entry { kind: entry.kind, content: [].into() });
        }
        let interesting = self.is_interesting(&empty)?;
        if interesting {
            (self.tell)(&Happening::Warning(
                "the empty input is interesting too: does the test check for the bug?".into(),
            ));
            self.current = empty;
        }
        Ok(interesting)
    }

    /// Tests the result once more.
    pub(super) fn confirm(&mut self) -> Result<Option<bool>, ReduceError> {
        if self.cancel.is_cancelled() {
            return Ok(None);
        }
        let confirmed = match self.test(&self.current) {
            Ok(tested) => tested.answer.outcome == Outcome::Fail,
            Err(ReduceError::Interrupted) => return Ok(None),
            Err(error) => return Err(error),
        };
        if !confirmed {
            (self.tell)(&Happening::Warning(
                "the result was not interesting when it was tested once more: the test may be flaky".into(),
            ));
        }
        Ok(Some(confirmed))
    }
}
