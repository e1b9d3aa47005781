//! How fast a large file is compared, rendered and traced: 200,000 lines, every tenth changed.

use nub_change::{Entry, Patchwork, RelPath, Snapshot};
use nub_search::Config;
use std::time::{Duration, Instant};

fn main() {
    let path = RelPath::try_from("large.c").expect("a plain name");
    let line = |i: usize, word: &str| format!("    {word}_{i}(state, {}, \"some text\");\n", i % 97);
    let old: String = (0..200_000).map(|i| line(i, "call")).collect();
    let new: String = (0..200_000)
        .map(|i| match i % 40 {
            0 => line(i, "other"),
            10 => String::new(),
            20 => line(i, "call") + &line(i, "more"),
            30 => line(i, "call").replace("text", "new text"),
            _ => line(i, "call"),
        })
        .collect();
    let version =
        |text: &str| -> Snapshot { [(path.clone(), Entry::file(text.as_bytes()))].into_iter().collect() };
    let (old, new) = (version(&old), version(&new));

    let start = Instant::now();
    let patchwork = Patchwork::between(&old, &new);
    println!("between     {:>10.2?}  {} changes", start.elapsed(), patchwork.changes().len());

    let half: Config = patchwork.full().iter().filter(|k| k % 2 == 0).collect();
    let third: Config = patchwork.full().iter().filter(|k| k % 3 == 0).collect();
    let entry = |config: &Config| patchwork.entry(config, &path).map_or(0, |entry| entry.content.len());
    measure("render old", || entry(&Config::empty()));
    measure("render half", || entry(&half));
    measure("render new", || entry(&patchwork.full()));
    measure("difference", || patchwork.difference(&half, &third).written.len());
    measure("trace", || patchwork.trace(&half, &path).map_or(0, |trace| trace.len()));
    measure("patch", || patchwork.patch(&half, &third).len());

    // A new file: every line is a change of its own.
    let created = Patchwork::between(&Snapshot::new(), &new);
    let half: Config = created.full().iter().filter(|k| k % 2 == 0).collect();
    println!("a new file: {} changes", created.changes().len());
    measure("render half", || created.entry(&half, &path).map_or(0, |entry| entry.content.len()));
}

fn measure(what: &str, mut run: impl FnMut() -> usize) {
    let mut times: Vec<Duration> = Vec::new();
    let mut size = 0;
    for _ in 0..15 {
        let start = Instant::now();
        size = run();
        times.push(start.elapsed());
    }
    times.sort();
    println!("{what:<11} {:>10.2?}  median {:.2?}  ({size})", times[0], times[times.len() / 2]);
}
