//! Numbers and times as people read them.

use nub_lab::event::{Side, Trial};
use nub_search::Outcome;
use std::time::Duration;

/// A number of things: `1 change`, `12 changes`.
pub(crate) fn count(n: usize, thing: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {thing}{plural}")
}

/// How long something took, to about two digits: `0.08 s`, `4.2 s`, `3 min 20 s`, `2 h 5 min`.
pub fn lasting(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 => format!("{:.2} s", time.as_secs_f64()),
        1..=9 => format!("{:.1} s", time.as_secs_f64()),
        10..=59 => format!("{seconds} s"),
        60..=3599 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// What a test did, as in "the test ...".
fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "passes",
        Outcome::Fail => "fails",
        Outcome::Unresolved => "cannot tell",
    }
}

pub(crate) fn side_word(side: Side) -> &'static str {
    match side {
        Side::Old => "old",
        Side::New => "new",
    }
}

/// Whether it came to no test because the build failed.
pub(crate) fn is_broken(trial: &Trial) -> bool {
    !trial.built && trial.test_time.is_none()
}

/// How a trial went: `fails (exit 1; build 2.1 s, test 0.30 s)`.
pub fn trial_words(trial: &Trial) -> String {
    let word = if is_broken(trial) { "does not build" } else { outcome_word(trial.outcome) };
    let times = [("build", trial.build_time), ("test", trial.test_time)];
    let times = times.iter().filter_map(|(what, time)| Some(format!("{what} {}", lasting((*time)?))));
    let times: Vec<String> = times.collect();
    match times.is_empty() {
        true => format!("{word} ({})", trial.ended),
        false => format!("{word} ({}; {})", trial.ended, times.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lasting_keeps_two_digits_that_matter() {
        let shown =
            [0, 84, 4_240, 9_999, 59_900, 200_000, 7_500_000].map(|ms| lasting(Duration::from_millis(ms)));
        assert_eq!(shown, ["0.00 s", "0.08 s", "4.2 s", "10.0 s", "59 s", "3 min 20 s", "2 h 5 min"]);
    }

    #[test]
    fn count_knows_one_from_many() {
        assert_eq!([0, 1, 2].map(|n| count(n, "test")), ["0 tests", "1 test", "2 tests"]);
    }
}
