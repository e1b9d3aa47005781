//! How much of the waiting several workers save, on a virtual clock where every test takes equally long.

use crate::table::Table;
use nub_lab::pool::sim::SimulatedPool;
use nub_lab::run::{Flow, Memory, run};
use nub_search::algorithm::Algorithm;
use nub_search::laws::{Oracle, Simulated};
use nub_search::{Config, Random};

const WIDTHS: [usize; 5] = [1, 2, 4, 8, 16];
const INSTANCES: u64 = 10;

pub fn report() -> String {
    let mut text = String::from(
        "## Speculation\n\nVirtual time relative to one worker, and tests guessed for each test needed; \
         1,000 changes, five culprits, every test equally long.\n\n",
    );
    let mut table =
        Table::new(["search".to_owned()].into_iter().chain(WIDTHS.map(|w| format!("{w} workers"))));
    for algorithm in [Algorithm::Pith, Algorithm::ProbDd, Algorithm::Cdd, Algorithm::Ddmin, Algorithm::C2d2] {
        let alone = mean(algorithm, 1).0;
        let cells = WIDTHS.map(|width| {
            let (time, guessed) = mean(algorithm, width);
            format!("{:.2} ({guessed:.1})", time / alone)
        });
        table.row([algorithm.to_string()].into_iter().chain(cells));
    }
    text += &table.to_string();
    text + "\n"
}

fn mean(algorithm: Algorithm, width: usize) -> (f64, f64) {
    let (mut time, mut guessed) = (0.0, 0.0);
    for seed in 0..INSTANCES {
        let mut random = Random::new(seed);
        let culprits: Config = (0..5).map(|_| random.below(1000) as u32).collect();
        let oracle = Simulated::monotone(1000, culprits);
        let mut pool = SimulatedPool::new(width, |config: &Config| (oracle.test(config), 1));
        let search = algorithm.start(&oracle.problem(), seed);
        let ended = run(search, &mut Memory::default(), &mut pool, |_| Flow::Continue)
            .expect("a simulated pool has no errors of its own");
        time += pool.now() as f64 / INSTANCES as f64;
        guessed += ended.numbers.guessed as f64 / ended.numbers.needed as f64 / INSTANCES as f64;
    }
    (time, guessed)
}
