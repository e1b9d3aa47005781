//! Which changes the test runs, found out between the baseline and the search.

use super::baseline::Baseline;
use super::lab::Lab;
use crate::coverage::{self, Experiment, Measured};
use crate::event::{Direction, Event};
use crate::process::Cancel;
use nub_change::Sight;
use nub_search::Outcome;

/// Measures both versions, where that is wanted; says why, where it could not.
pub(super) fn measure(
    lab: &Lab<'_>,
    baseline: &Baseline,
    cancel: &Cancel,
    tell: &mut dyn FnMut(&Event),
) -> Option<Measured> {
    let wanted = &lab.plan.coverage;
    let mut setup = lab.setup();
    for command in setup.build.iter_mut().chain([&mut setup.test]) {
        command.timeout.get_or_insert(baseline.timeout);
    }
    let measured = coverage::measure(&Experiment {
        wanted,
        origin: setup.origin,
        build: setup.build,
        test: setup.test,
        rule: &lab.plan.rule,
        expected: match baseline.direction {
            Direction::Regression => [Outcome::Pass, Outcome::Fail],
            Direction::Fix => [Outcome::Fail, Outcome::Pass],
        },
        key: format!("{} {:?} {:?}", lab.fingerprint, wanted.collect, wanted.also_pass),
        fresh: lab.plan.fresh,
        out: &lab.plan.out,
        guard: lab.guard,
        cancel,
    });
    match measured {
        Ok(Some(measured)) => {
            for reason in &measured.lacking {
                tell(&Event::Warning(format!("part of the changes cannot be measured: {reason}")));
            }
            let count = |sight| measured.with(sight).len();
            let (ran, idle, unseen) = (count(Sight::Ran), count(Sight::Idle), count(Sight::Unseen));
            tell(&Event::Measured { by: measured.by.clone(), ran, idle, unseen, runs: measured.runs });
            Some(measured)
        }
        Ok(None) => None,
        Err(reason) => {
            tell(&Event::Warning(format!("the search goes on without coverage: {reason}")));
            None
        }
    }
}
