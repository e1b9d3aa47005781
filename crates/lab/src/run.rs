//! The driver: walks any search over a pool, with every answer in a journal.
//!
//! ```text
//!   walk.settle(journal) ── done ──> result
//!        │ question
//!        v
//!   pool.keep(frontier)  the needed config first, then guesses about the future
//!        │
//!   pool.next ── answer ──> journal ──> settle again
//! ```
//!
//! The walk moves on recorded answers only, in the search's own order, so the result is the same for any width,
//! any durations, and from any journal that holds true answers.

use crate::pool::{Pool, PoolError};
use nub_search::{Answer, Config, Memo, Search, Walk};
use std::collections::HashSet;
use std::time::Duration;

/// Where answers are kept; looked up before anything is tested.
pub trait Record: Memo {
    /// Keeps an answer; once this returns, it is never asked for again.
    fn record(&mut self, config: &Config, answer: &Answer) -> Result<(), PoolError>;
}

/// Answers in memory only.
#[derive(Default)]
pub struct Memory(std::collections::HashMap<Config, Answer>);

impl Memo for Memory {
    fn recall(&self, config: &Config) -> Option<Answer> {
        self.0.get(config).cloned()
    }
}

impl Record for Memory {
    fn record(&mut self, config: &Config, answer: &Answer) -> Result<(), PoolError> {
        self.0.insert(config.clone(), answer.clone());
        Ok(())
    }
}

/// What a run cost, each kind of test apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Configs the search had to know about; at width one exactly these are tested.
    pub needed: usize,
    /// Of the needed ones, those that built and so ran the test.
    pub needed_built: usize,
    /// Tests started on a guess that turned out not to be needed.
    pub guessed: usize,
    /// Questions answered from the journal or from memory without a test.
    pub saved: usize,
}

impl Numbers {
    /// The cost of both.
    pub fn and(self, other: Numbers) -> Numbers {
        Numbers {
            needed: self.needed + other.needed,
            needed_built: self.needed_built + other.needed_built,
            guessed: self.guessed + other.guessed,
            saved: self.saved + other.saved,
        }
    }

    /// The same without what was answered without a test.
    pub fn without_saved(self) -> Numbers {
        Numbers { saved: 0, ..self }
    }

    /// Of the needed configs, those that did not build, or of which a test that builds by itself could not tell.
    pub fn broken(&self) -> usize {
        self.needed - self.needed_built
    }
}

/// What happened while a search ran; [`run`] reports it as it goes.
pub enum Progress<'a, S> {
    /// The search learned the answer to its next question.
    Answered {
        /// What it had asked.
        config: &'a Config,
        /// What it was told.
        answer: &'a Answer,
        /// Whether it was asked before.
        repeated: bool,
    },
    /// The search stands at a new question.
    Moved {
        /// Its state.
        state: &'a S,
        /// The cost so far.
        numbers: Numbers,
    },
}

/// What a run does after each step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Stop here with the best so far.
    Stop,
}

/// How a run ended.
pub struct Ended<S> {
    /// The last state; its `best` is the result.
    pub state: S,
    /// Whether the search came to its end, or was stopped before.
    pub finished: bool,
    /// What it cost.
    pub numbers: Numbers,
}

/// While tests run, `watch` is asked this often whether to go on.
const PATIENCE: Duration = Duration::from_millis(100);

/// Runs a search to its end, or until `watch` says stop.
pub fn run<S: Search>(
    start: S,
    journal: &mut impl Record,
    pool: &mut impl Pool,
    mut watch: impl FnMut(Progress<'_, S>) -> Flow,
) -> Result<Ended<S>, PoolError> {
    let mut walk = Walk::new(start);
    let mut needed: HashSet<Config> = HashSet::new();
    let mut tested: HashSet<Config> = HashSet::new();
    let mut numbers = Numbers::default();
    // What was started before is somebody else's.
    let before = pool.started();
    loop {
        let question = walk.settle(journal, |config, answer| {
            let repeated = !needed.insert(config.clone());
            if repeated || !tested.contains(config) {
                numbers.saved += 1;
            } else {
                numbers.needed += 1;
                numbers.needed_built += usize::from(answer.built);
            }
            watch(Progress::Answered { config, answer, repeated });
        });
        numbers.guessed = pool.started() - before - numbers.needed;
        let flow = watch(Progress::Moved { state: &walk.state(), numbers });
        if question.is_none() || flow == Flow::Stop {
            pool.keep(&[]);
            return Ok(Ended { state: walk.state(), finished: question.is_none(), numbers });
        }
        pool.keep(&walk.frontier(journal, pool.width()));
        if let Some((config, answer)) = pool.poll(PATIENCE)? {
            journal.record(&config, &answer)?;
            tested.insert(config);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::sim::SimulatedPool;
    use nub_search::laws::{Oracle, Simulated, converse};
    use nub_search::list::{Ddmin, Pith, ProbDd};
    use nub_search::{Problem, Random};

    fn oracle() -> Simulated {
        Simulated::monotone(200, [3, 77, 78, 150])
    }

    fn timed(width: usize, seed: Option<u64>) -> SimulatedPool<impl FnMut(&Config) -> (Answer, u64)> {
        let mut random = Random::new(seed.unwrap_or(0));
        let oracle = oracle();
        SimulatedPool::new(width, move |config| {
            let duration = seed.map_or(10, |_| 1 + random.below(50) as u64);
            (oracle.test(config), duration)
        })
    }

    fn watch<S>(_: Progress<'_, S>) -> Flow {
        Flow::Continue
    }

    #[test]
    fn run_gives_the_same_answer_at_any_width_and_with_any_durations() {
        let alone = converse(Ddmin::new(Config::full(200)), |c| oracle().test(c));
        for width in 1..=16 {
            for seed in [None, Some(1), Some(2)] {
                let mut pool = timed(width, seed);
                let start = Ddmin::new(Config::full(200));
                let ended = run(start, &mut Memory::default(), &mut pool, watch).unwrap();
                assert_eq!(ended.state.best(), alone.best);
                assert_eq!(ended.numbers.needed, alone.distinct(), "width {width}");
                assert!(width > 1 || ended.numbers.guessed == 0);
            }
        }
    }

    #[test]
    fn run_resumes_from_any_prefix_of_the_journal_without_asking_again() {
        let alone = converse(Pith::new(&Problem::new(200)), |c| oracle().test(c));
        for prefix in 0..=alone.questions.len() {
            let mut journal = Memory::default();
            for said in &alone.questions[..prefix] {
                journal.record(&said.config, &said.answer).unwrap();
            }
            let mut pool = timed(1, None);
            let ended = run(Pith::new(&Problem::new(200)), &mut journal, &mut pool, watch).unwrap();
            assert_eq!(ended.state.best(), alone.best);
            assert_eq!(pool.started(), alone.distinct() - journal_size(&alone.questions[..prefix]));
        }
    }

    fn journal_size(said: &[nub_search::laws::Said]) -> usize {
        said.iter().filter(|q| q.repeats.is_none()).count()
    }

    #[test]
    fn run_of_pith_and_probdd_at_width_eight_takes_a_third_of_the_time() {
        fn time<S: Search>(start: S, width: usize) -> u64 {
            let mut pool = timed(width, None);
            run(start, &mut Memory::default(), &mut pool, watch).unwrap();
            pool.now()
        }
        let problem = Problem::new(200);
        let pith = [1, 8].map(|width| time(Pith::new(&problem), width));
        let probdd = [1, 8].map(|width| time(ProbDd::new(&problem), width));
        for [one, eight] in [pith, probdd] {
            assert!(3 * eight <= one, "{one} alone, {eight} with eight workers");
        }
    }

    #[test]
    fn run_stops_with_the_best_so_far_when_told_to() {
        let mut pool = timed(1, None);
        let ended = run(Pith::new(&Problem::new(200)), &mut Memory::default(), &mut pool, |p| match p {
            Progress::Moved { numbers, .. } if numbers.needed >= 5 => Flow::Stop,
            _ => Flow::Continue,
        })
        .unwrap();
        assert!(!ended.finished);
        assert!(oracle().test(&ended.state.best()).fails());
    }
}
