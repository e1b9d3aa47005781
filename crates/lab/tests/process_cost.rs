//! What a run costs, and that it costs nothing after it: alone in its executable, so that nobody else opens
//! files.

#![allow(clippy::unwrap_used)]

use nub_lab::process::{Cancel, Command, Guard, Program, Status};
use std::time::{Duration, Instant};

fn open_files() -> usize {
    std::fs::read_dir("/dev/fd").unwrap().count()
}

#[test]
fn runs_leak_no_files_and_cost_little() {
    let guard = Guard::at(env!("CARGO_BIN_EXE_nub-run"));
    let cancel = Cancel::new().unwrap();
    let command = Command::new(Program::Direct(vec!["true".into()]), "/");
    let run = || assert_eq!(guard.run(&command, &cancel).unwrap().status, Status::Exit(0));
    run();

    let before = open_files();
    let mut guarded: Vec<Duration> = (0..200).map(|_| time(run)).collect();
    assert_eq!(open_files(), before);

    let mut bare: Vec<Duration> = (0..200).map(|_| time(run_bare)).collect();
    println!("`true` under guard: {}; without: {}", summary(&mut guarded), summary(&mut bare));
}

fn run_bare() {
    assert!(std::process::Command::new("true").status().unwrap().success());
}

fn time(run: impl Fn()) -> Duration {
    let started = Instant::now();
    run();
    started.elapsed()
}

/// On a machine busy with other things the mean tells of those, the quartiles of us.
fn summary(times: &mut [Duration]) -> String {
    times.sort();
    let mean = times.iter().sum::<Duration>() / times.len() as u32;
    let [least, quarter, half] = [0, times.len() / 4, times.len() / 2].map(|i| times[i]);
    format!("mean {mean:.1?}, least {least:.1?}, quartile {quarter:.1?}, median {half:.1?}")
}
