//! A pool on a virtual clock: no processes, no waiting, any number of workers.

use super::{Pool, PoolError};
use nub_search::{Answer, Config};
use std::time::Duration;

/// Tests configs by a function that also says how long the test takes.
pub struct SimulatedPool<F> {
    test: F,
    width: usize,
    now: u64,
    running: Vec<Running>,
    started: usize,
}

struct Running {
    config: Config,
    answer: Answer,
    ends: u64,
}

impl<F: FnMut(&Config) -> (Answer, u64)> SimulatedPool<F> {
    /// A pool of `width` workers; `test` gives the answer and the duration in ticks.
    pub fn new(width: usize, test: F) -> SimulatedPool<F> {
        SimulatedPool { test, width, now: 0, running: Vec::new(), started: 0 }
    }

    /// The virtual time that has passed, in ticks.
    pub fn now(&self) -> u64 {
        self.now
    }
}

impl<F: FnMut(&Config) -> (Answer, u64)> Pool for SimulatedPool<F> {
    fn width(&self) -> usize {
        self.width
    }

    fn keep(&mut self, wanted: &[Config]) {
        // What has ended by now cannot be cancelled any more.
        let now = self.now;
        self.running.retain(|test| test.ends <= now || wanted.contains(&test.config));
        for config in wanted {
            let busy = self.running.iter().filter(|test| test.ends > now).count();
            if busy < self.width && !self.running.iter().any(|test| test.config == *config) {
                let (answer, duration) = (self.test)(config);
                self.running.push(Running { config: config.clone(), answer, ends: now + duration });
                self.started += 1;
            }
        }
    }

    fn poll(&mut self, _patience: Duration) -> Result<Option<(Config, Answer)>, PoolError> {
        let first = (0..self.running.len()).min_by_key(|&i| self.running[i].ends);
        let first = first.ok_or_else(|| PoolError::new("nothing is running"))?;
        let Running { config, answer, ends } = self.running.remove(first);
        self.now = self.now.max(ends);
        Ok(Some((config, answer)))
    }

    fn started(&self) -> usize {
        self.started
    }
}
