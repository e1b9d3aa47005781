//! Why each change of a result is in it: what was seen without it, and which others need it.

use super::foresight::{Foresight, Seen};
use crate::journal::Journal;
use crate::view::View;
use nub_search::{Config, Coupling, Outcome};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Why one change is in the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The change.
    pub change: u32,
    /// What was seen without it; nothing if the search ended before it looked.
    pub without: Option<Without>,
    /// The other changes of the result that need it.
    pub needed_by: Vec<Needing>,
}

/// What was seen without a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Without {
    /// The other changes of the result that were left out at the same time.
    pub also: Config,
    /// What the test said.
    pub outcome: Outcome,
    /// Whether it could be tested at all.
    pub built: bool,
    /// What the build or the test said to that.
    pub said: Option<String>,
}

/// A change that needs another.
#[derive(Clone, Debug, PartialEq)]
pub struct Needing {
    /// The change that needs it.
    pub change: u32,
    /// How sure that is.
    pub probability: f64,
    /// Who says so: `nesting`, the name of a rule, or `message`.
    pub source: &'static str,
}

/// Who says that one change needs another, as changes that are moved.
pub(super) type Known = (Coupling, &'static str);

/// Couplings that a failed build or test named.
const MESSAGE: &str = "message";
/// A coupling that is less likely is not followed.
const LIKELY: f64 = 0.5;

/// Why each of the critical changes is in the result, by what was tested and what was foreseen.
pub(super) fn reasons(
    view: &View,
    critical: &Config,
    (journal, foresight): (&Journal, &Foresight),
    known: &[Known],
) -> Vec<Reason> {
    let tested = journal.answers().map(|(config, answer)| {
        let said = journal.said(config).map(str::to_owned);
        (config.clone(), Seen { answer: answer.clone(), said: said.unwrap_or_default() })
    });
    let answers: Vec<(Config, Seen)> = tested.chain(foresight.all()).collect();
    let mut couplings: BTreeMap<(u32, u32), (f64, &'static str)> = BTreeMap::new();
    let learned = answers.iter().flat_map(|(_, known)| known.answer.needs.iter());
    let learned = learned.map(|coupling| (view.turn_coupling(*coupling), MESSAGE));
    for (coupling, source) in known.iter().copied().chain(learned) {
        let Coupling { dependent, needed, probability } = coupling;
        if probability >= LIKELY && critical.contains(dependent) && critical.contains(needed) {
            let surest = couplings.entry((needed, dependent)).or_insert((0.0, source));
            if probability > surest.0 {
                *surest = (probability, source);
            }
        }
    }
    let seen: Vec<(Config, &Seen)> = answers
        .iter()
        .filter(|(_, known)| known.answer.outcome != view.wanted)
        .map(|(config, known)| (view.turn(config), known))
        .filter(|(moved, _)| moved.is_subset(critical))
        .collect();
    let reason = |change: u32| {
        let nearest = seen.iter().filter(|(moved, _)| !moved.contains(change));
        let nearest =
            nearest.min_by_key(|(moved, _)| (Reverse(moved.len()), moved.iter().collect::<Vec<_>>()));
        let without = nearest.map(|(moved, known)| Without {
            also: critical.minus(moved).without(change),
            outcome: known.answer.outcome,
            built: known.answer.built,
            said: Some(known.said.clone()).filter(|said| !said.is_empty()),
        });
        let needed_by = couplings.range((change, 0)..=(change, u32::MAX));
        let needed_by =
            needed_by.map(|(&(_, change), &(probability, source))| Needing { change, probability, source });
        Reason { change, without, needed_by: needed_by.collect() }
    };
    critical.iter().map(reason).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Side;
    use crate::journal::Note;
    use crate::run::Record;
    use nub_search::Answer;

    #[test]
    fn the_nearest_config_without_a_change_tells_why_it_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::fresh(folder.path().join("journal.jsonl"), "f").unwrap();
        // From the new version 1 and 2 were taken back, and that makes the test pass.
        let view = View { full: Config::full(4), from: Side::New, wanted: Outcome::Pass };
        let mut answer = |applied: &[u32], answer: Answer, said: Option<&str>| {
            let config: Config = applied.iter().copied().collect();
            journal.notes().leave(&config, Note { said: said.map(str::to_owned), ..Note::default() });
            journal.record(&config, &answer).unwrap();
        };
        answer(&[0, 3], Answer::bare(Outcome::Pass), None);
        answer(&[0, 1, 2, 3], Answer::bare(Outcome::Fail), None);
        answer(&[0, 1, 3], Answer::bare(Outcome::Fail), None);
        let broken = Answer::broken_build([Coupling { dependent: 2, needed: 1, probability: 0.9 }]);
        answer(&[0, 2, 3], broken, Some("a.c:1: error: unknown"));
        let nested = (Coupling::certain(2, 1), "nesting");
        let unlikely = (Coupling { dependent: 1, needed: 2, probability: 0.2 }, "call");
        let found =
            reasons(&view, &[1, 2].into(), (&journal, &Foresight::new(None, None)), &[nested, unlikely]);

        assert_eq!(found.iter().map(|reason| reason.change).collect::<Vec<_>>(), [1, 2]);
        let (first, second) = (&found[0], &found[1]);
        let without = first.without.as_ref().unwrap();
        assert_eq!((without.outcome, without.built, without.also.len()), (Outcome::Fail, true, 0));
        assert_eq!(first.needed_by, [Needing { change: 2, probability: 1.0, source: "nesting" }]);
        let without = second.without.as_ref().unwrap();
        assert_eq!((without.built, without.said.as_deref()), (false, Some("a.c:1: error: unknown")));
        assert_eq!(second.needed_by, [Needing { change: 1, probability: 0.9, source: "message" }]);
    }
}
