//! What a run costs, and that it costs nothing after it: alone in its executable, so that nobody else opens files.

use nub_lab::process::{Cancel, Command, Guard, Program, Status};
use std::time::Instant;

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
    let started = Instant::now();
    (0..200).for_each(|_| run());
    let guarded = started.elapsed() / 200;
    assert_eq!(open_files(), before);

    let started = Instant::now();
    for _ in 0..200 {
        assert!(std::process::Command::new("true").status().unwrap().success());
    }
    println!("`true` takes {guarded:?} under guard, {:?} without", started.elapsed() / 200);
}
