//! Times of files: when a rewritten file says it was written, and where the times before it go.
//!
//! See [the workspace](super) for what they have to be good for.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970.
pub(super) type Time = i64;

pub(super) const SECOND: Time = 1_000_000_000;

/// The end of a second that takes up the times of the next one.
const MARGIN: Time = 1_000_000;
/// How much later each time is than the one before: more than what settling makes one of.
const STEP: Time = 2 * SQUEEZE;
/// How many nanoseconds become one when the margin and the second after it are put into the margin.
const SQUEEZE: Time = (MARGIN + SECOND) / MARGIN;

pub(super) fn now() -> Time {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as Time)
}

/// Waits until a file written now is not older than `time`.
///
/// Linux dates files by a clock that moves a few hundred times a second. What is made in the first moment
/// after a move would seem older than its source, and would be made again the next time.
pub(super) fn wait_until_files_get(time: Time) {
    #[cfg(target_os = "linux")]
    while coarse().is_some_and(|coarse| (time - SECOND..time).contains(&coarse)) {
        std::thread::sleep(Duration::from_micros(500));
    }
}

#[cfg(target_os = "linux")]
fn coarse() -> Option<Time> {
    let coarse = nix::time::clock_gettime(nix::time::ClockId::CLOCK_REALTIME_COARSE).ok()?;
    Some(coarse.tv_sec() * SECOND + coarse.tv_nsec())
}

/// Gives out the times of one workspace.
#[derive(Debug)]
pub(super) struct Clock {
    last: Time,
    /// The second that was settled last.
    settled: Time,
}

impl Clock {
    /// A clock whose times come after `first`.
    pub(super) fn after(first: Time) -> Clock {
        Clock { last: first, settled: 0 }
    }

    /// The present, but later than any time given before.
    pub(super) fn tick(&mut self, now: Time) -> Time {
        self.last = now.max(self.last + STEP);
        self.last
    }

    /// How every older file must be dated to be older than `present` in whole seconds, too.
    pub(super) fn settle(&mut self, present: Time) -> Settle {
        let second = present - present.rem_euclid(SECOND);
        // What stands in the margin is there by itself the first time, and because it was put there later.
        let from = if self.settled == second { second } else { second - MARGIN };
        self.settled = second;
        Settle { second, from }
    }
}

/// A map of times that keeps their order and puts everything before a second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settle {
    second: Time,
    from: Time,
}

impl Settle {
    /// The time a file gets, if it has to get another.
    pub(super) fn apply(&self, time: Time) -> Option<Time> {
        let margin = self.second - MARGIN;
        let squeezed = margin + (time - margin) / SQUEEZE;
        (time >= self.from).then_some(squeezed.min(self.second - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Time = 1_000_000 * SECOND;

    #[test]
    fn tick_never_repeats_or_goes_back() {
        let mut clock = Clock::after(NOON);
        let times: Vec<Time> = [5, 5, 9 * STEP, 0].into_iter().map(|late| clock.tick(NOON + late)).collect();
        assert_eq!(times, [STEP, 2 * STEP, 9 * STEP, 10 * STEP].map(|late| NOON + late));
    }

    /// Files written and settled again and again within a second, and the second before.
    #[test]
    fn settle_puts_all_times_before_the_second_and_keeps_their_order() {
        let mut clock = Clock::after(NOON);
        let mut files =
            vec![NOON - SECOND, NOON - MARGIN + 1, NOON - MARGIN + 1 + STEP, NOON - STEP, NOON - 1];
        for move_at in [0, 3, 40_000_000, 990_000_000, 999_990_000] {
            let present = clock.tick(NOON + move_at);
            let settle = clock.settle(present);
            let second_before: Vec<Time> = files.iter().map(|&t| settle.apply(t).unwrap_or(t)).collect();
            assert!(second_before.iter().all(|&time| time < NOON), "{second_before:?}");
            for (before, after) in files.windows(2).zip(second_before.windows(2)) {
                let order_was_seen = before[1] - before[0] >= STEP;
                assert!(!order_was_seen || after[0] < after[1], "{before:?} became {after:?}");
            }
            files = second_before;
            files.extend([present, present + 1]);
        }
    }

    #[test]
    fn settle_brings_back_what_is_dated_in_the_future() {
        let settle = Clock::after(0).settle(NOON + 5);
        assert_eq!(settle.apply(NOON + 1000 * SECOND), Some(NOON - 1));
        assert_eq!(settle.apply(NOON - SECOND), None);
    }
}
