//! The tests behind the papers' worked examples; changes are numbered from 1, as the figures number them.

use crate::Outcome::{Fail, Pass, Unresolved};
use crate::{Answer, Config};

/// The eight changes that every figure starts with.
pub fn eight() -> Config {
    (1..=8).collect()
}

/// WDD, Fig. 2: the failure needs the nodes 1, 3, 6, 7 and 8.
pub fn wdd(config: &Config) -> Answer {
    let fails = Config::from([1, 3, 6, 7, 8]).is_subset(config);
    Answer::bare(if fails { Fail } else { Pass })
}

/// WDD, Fig. 1: the tokens of each node, by its number; there is no node 0.
pub const WDD_WEIGHTS: [u32; 9] = [0, 5, 8, 7, 7, 8, 16, 25, 6];

/// ProbDD, Fig. 1: line 8 of Listing 1 runs, and so `b` is defined and every line has what it uses.
pub fn probdd(config: &Config) -> Answer {
    let uses: [(u32, &[u32]); 5] = [(2, &[1]), (4, &[1, 5]), (5, &[2, 4]), (6, &[2, 4]), (7, &[2, 4, 5, 6])];
    let runs =
        uses.iter().all(|(line, used)| !config.contains(*line) || used.iter().all(|u| config.contains(*u)));
    let b_is_defined = config.contains(3) || config.contains(7);
    Answer::bare(if config.contains(8) && b_is_defined && runs { Fail } else { Pass })
}

/// ADD, Fig. 1 and 2: changes 4 and 5 fail together, but only beside 3, and 6 needs 3 as well.
pub fn add(config: &Config) -> Answer {
    let [c3, c4, c5, c6] = [3, 4, 5, 6].map(|i| config.contains(i));
    Answer::bare(match () {
        () if c3 && c4 && c5 => Fail,
        () if c4 || c5 || (c6 && !c3) => Unresolved,
        () => Pass,
    })
}
