//! exp
use nub_search::laws::*;
use nub_search::list::*;
use nub_search::*;
use std::sync::Arc;
fn lg2c(n: usize, d: usize) -> f64 {
    (0..d).map(|i| (((n - i) as f64) / ((i + 1) as f64)).log2()).sum()
}
fn main() {
    let reps: u64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(20);
    println!("monotone");
    for n in [100usize, 1000, 4000, 100000] {
        for d in [1usize, 3, 10, 30] {
            let (mut q, mut mx) = (0.0, 0);
            let t = std::time::Instant::now();
            for seed in 0..reps {
                let mut r = Random::new(seed * 7919 + n as u64 + d as u64);
                let mut c = Config::empty();
                while c.len() < d {
                    c = c.with(r.below(n) as u32);
                }
                let o = Simulated::monotone(n, c.clone());
                let said = converse(Pith::new(&o.problem()), |x| o.test(x));
                assert_eq!(said.best, c);
                q += said.distinct() as f64 / reps as f64;
                mx = mx.max(said.distinct());
            }
            let lim = lg2c(n, d) + d as f64;
            println!(
                "n {n:6} d {d:3} limit {lim:6.1} pith {q:7.1} ratio {:.2} max {mx} us/q {:.0}",
                q / lim,
                t.elapsed().as_micros() as f64 / (q * reps as f64)
            );
        }
    }
    for naming in [Naming::All, Naming::One, Naming::Nothing] {
        println!("{naming:?}");
        for (n, k) in [
            (23usize, 1.0),
            (23, 3.0),
            (60, 1.0),
            (60, 3.0),
            (150, 1.0),
            (150, 3.0),
            (1000, 1.0),
            (1000, 3.0),
        ] {
            let (mut b, mut ts, mut sz, mut opt, mut hit) = (0.0, 0.0, 0.0, 0.0, 0);
            let t = std::time::Instant::now();
            for seed in 0..reps {
                let mut r = Random::new(seed * 7919 + n as u64 + 3);
                let mut c = Config::empty();
                while c.len() < 3 {
                    c = c.with(r.below(n) as u32);
                }
                let needs = random_couplings(n, k, &mut r);
                let o = Simulated { needs: Arc::new(needs), naming, ..Simulated::monotone(n, c.clone()) };
                let said = converse(Pith::new(&o.problem()), |x| o.test(x));
                let best = o.optimum();
                hit += (best.len() == said.best.len()) as usize;
                opt += best.len() as f64 / reps as f64;
                sz += said.best.len() as f64 / reps as f64;
                b += said.distinct() as f64 / reps as f64;
                ts += said.questions.iter().filter(|q| q.repeats.is_none() && q.answer.built).count() as f64
                    / reps as f64;
            }
            println!(
                "n {n:5} k {k} opt {opt:6.1} size {sz:6.1} hit {hit}/{reps} builds {b:7.1} tests {ts:6.1} ms {:.1}",
                t.elapsed().as_millis() as f64 / reps as f64
            );
        }
    }
}
