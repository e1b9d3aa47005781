//! Whole runs with real commands: the same answer at any width, resumed or not, and nothing left behind.

#![allow(clippy::unwrap_used)]

use nub_change::{Entry, Patchwork, RelPath, Snapshot};
use nub_lab::journal::{Journal, Note};
use nub_lab::pool::local::{Aborted, LocalPool, Manner, Setup, Tested};
use nub_lab::pool::{Pool, PoolError};
use nub_lab::process::{Command, Convention, Guard, Program, Rule, Status};
use nub_lab::run::{Ended, Flow, Memory, Progress, run};
use nub_lab::workspace::Origin;
use nub_search::list::Ddmin;
use nub_search::{Answer, Config, Coupling, Memo, Outcome, Search};
use std::cell::RefCell;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Long enough for a machine busy with other things; no test waits for it unless it fails.
const PATIENCE: Duration = Duration::from_secs(30);

fn snapshot(files: &[(&str, &str)]) -> Snapshot {
    let path = |name: &str| RelPath::try_from(name).unwrap();
    files.iter().map(|(name, text)| (path(name), Entry::file(text.as_bytes()))).collect()
}

fn setup(old: &[(&str, &str)], new: &[(&str, &str)], build: Option<&str>, test: &str) -> Setup {
    let shell = |line: &str| Command::new(Program::Shell(line.into()), "");
    let patchwork = Arc::new(Patchwork::between(&snapshot(old), &snapshot(new)));
    Setup {
        origin: Origin { patchwork, along: None, clean: false },
        guard: Guard::at(env!("CARGO_BIN_EXE_nub-run")),
        build: build.map(shell),
        test: shell(test),
        read_needs: None,
    }
}

fn manner() -> Manner {
    Manner::new(Rule::new(Convention::Bisect))
}

/// A pool, the folder it lives in, and all that it has tested.
struct Bench {
    pool: LocalPool,
    folder: TempDir,
    tested: Rc<RefCell<Vec<Tested>>>,
}

impl Bench {
    fn new(setup: Setup, width: usize) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let tested = Rc::new(RefCell::new(Vec::new()));
        let record = Rc::clone(&tested);
        let pool = LocalPool::new(setup, manner(), width, folder.path(), move |t| {
            record.borrow_mut().push(t.clone());
        });
        Bench { pool: pool.unwrap(), folder, tested }
    }

    fn ask(&mut self, config: impl Into<Config>) -> Result<Answer, PoolError> {
        self.pool.keep(&[config.into()]);
        self.pool.next().map(|(_, answer)| answer)
    }

    fn last(&self) -> Tested {
        self.tested.borrow().last().unwrap().clone()
    }
}

fn chain(error: &PoolError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text += &format!(": {cause}");
        source = cause.source();
    }
    text
}

#[test]
fn a_test_is_run_as_often_as_its_manner_says_and_one_failure_is_enough() {
    let count = tempfile::NamedTempFile::new().unwrap();
    // Fails every third time.
    let test = format!("echo x >>{0}; [ $(($(grep -c x {0}) % 3)) != 0 ]", count.path().display());
    let mut bench = Bench::new(setup(&[("a", "1\n")], &[("a", "2\n")], None, &test), 1);
    let again = |most: usize| Manner { again: Some(Arc::new(move |runs| runs.len() < most)), ..manner() };
    bench.pool.ask_by(again(2));
    assert_eq!(bench.ask([]).unwrap().outcome, Outcome::Pass);
    assert_eq!(bench.last().runs.len(), 2);
    bench.pool.ask_by(again(3));
    assert_eq!(bench.ask([0]).unwrap().outcome, Outcome::Fail);
    let outcomes: Vec<Outcome> = bench.last().runs.iter().map(|run| run.outcome).collect();
    assert_eq!(outcomes, [Outcome::Fail, Outcome::Pass, Outcome::Pass]);
    assert_eq!(bench.last().test().unwrap().status, Status::Exit(1), "the run that decided");
}

/// Sixteen separate changes; the test fails if the fourth and the twelfth are there, and the second builds
/// only with the third.
fn sixteen() -> Setup {
    let lines = |new: &str| -> String { (0..16).map(|i| format!("{new}{i}\nkept\n\n\n\nkept\n")).collect() };
    let (old, new) = (lines("old"), lines("new"));
    let build = "! grep -qx new1 in || grep -qx new2 in && cat in >out";
    let test = "! { grep -qx new3 out && grep -qx new11 out; }";
    let setup = setup(&[("in", &old)], &[("in", &new)], Some(build), test);
    assert_eq!(setup.origin.patchwork.changes().len(), 16);
    setup
}

fn watch<S>(_: Progress<'_, S>) -> Flow {
    Flow::Continue
}

#[test]
fn a_run_gives_the_same_answer_at_any_width() {
    let ends: Vec<(Config, usize)> = [1, 2, 8]
        .into_iter()
        .map(|width| {
            let mut bench = Bench::new(sixteen(), width);
            let start = Ddmin::new(Config::full(16));
            let ended = run(start, &mut Memory::default(), &mut bench.pool, watch).unwrap();
            assert!(bench.tested.borrow().iter().any(|t| !t.answer.built), "some do not build");
            assert!(bench.tested.borrow().iter().all(|t| t.answer.built == t.test().is_some()));
            drop(bench.pool);
            assert_eq!(fs::read_dir(bench.folder.path()).unwrap().count(), 0, "nothing is left");
            (ended.state.best(), ended.numbers.needed)
        })
        .collect();
    assert_eq!(ends[0].0, [3, 11].into());
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
}

/// Runs the sixteen with a journal until `tests` answers are there.
fn run_with_journal(folder: &Path, width: usize, tests: usize) -> (Ended<Ddmin>, Vec<Config>) {
    let mut journal = Journal::open(folder.join("journal.jsonl"), "sixteen").unwrap();
    let known: Vec<_> = journal.digests().iter().map(|(d, a)| (d.parse().unwrap(), a.clone())).collect();
    let (notes, tested) = (journal.notes(), Rc::new(RefCell::new(Vec::new())));
    let record = Rc::clone(&tested);
    let before = journal.len();
    let mut pool = LocalPool::new(sixteen(), manner(), width, folder, move |t| {
        notes.leave(&t.config, Note { took: t.took(), digest: Some(t.digest.to_string()), said: None });
        record.borrow_mut().push(t.config.clone());
    })
    .unwrap();
    pool.remember(known);
    let answered = Rc::clone(&tested);
    let ended = run(Ddmin::new(Config::full(16)), &mut journal, &mut pool, |_| {
        if answered.borrow().len() >= tests { Flow::Stop } else { Flow::Continue }
    })
    .unwrap();
    let tested = tested.borrow().clone();
    assert_eq!(journal.len() - before, tested.len());
    assert!(tested.iter().all(|config| journal.recall(config).is_some()));
    (ended, tested)
}

#[test]
fn a_resumed_run_asks_nothing_again() {
    let whole = tempfile::tempdir().unwrap();
    let (ended, needed) = run_with_journal(whole.path(), 1, usize::MAX);
    for width in [1, 3] {
        let folder = tempfile::tempdir().unwrap();
        let mut asked: Vec<Config> = Vec::new();
        loop {
            let (resumed, tested) = run_with_journal(folder.path(), width, 7);
            assert!(tested.iter().all(|config| !asked.contains(config)));
            asked.extend(tested);
            if resumed.finished {
                assert_eq!(resumed.state.best(), ended.state.best());
                break;
            }
        }
        assert!(width > 1 || asked == needed);
    }
}

/// The other half of the test below: does nothing unless that starts it.
#[test]
fn a_run_that_is_killed() {
    let Some(folder) = std::env::var_os("NUB_TEST_KILLED") else { return };
    let (ended, _) = run_with_journal(Path::new(&folder), 2, usize::MAX);
    fs::write(Path::new(&folder).join("result"), format!("{:?}", ended.state.best())).unwrap();
}

#[test]
fn a_run_killed_at_any_moment_is_taken_up_and_leaves_no_trace() {
    let whole = tempfile::tempdir().unwrap();
    let (ended, _) = run_with_journal(whole.path(), 1, usize::MAX);
    let folder = tempfile::tempdir().unwrap();
    let result = folder.path().join("result");
    let mark = format!("NUB_TEST_KILLED={}", folder.path().display());
    let mut kills = 0;
    for wait in (20..).step_by(15) {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "a_run_that_is_killed"])
            .env("NUB_TEST_KILLED", folder.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        if result.exists() {
            break;
        }
        kills += 1;
    }
    assert!(kills > 1, "killed {kills} times");
    assert_eq!(fs::read_to_string(result).unwrap(), format!("{:?}", ended.state.best()));

    let journal = fs::read_to_string(folder.path().join("journal.jsonl")).unwrap();
    let mut lines: Vec<&str> = journal.lines().filter_map(|line| line.split("\"outcome\"").next()).collect();
    let all = lines.len();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), all, "no config is answered twice");

    let begun = Instant::now();
    while !living(&mark).is_empty() {
        assert!(begun.elapsed() < PATIENCE, "still there: {:?}", living(&mark));
        std::thread::sleep(Duration::from_millis(10));
    }
    // The last one may have been killed after its result; the next run cleans up.
    run_with_journal(folder.path(), 1, 0);
    let left = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut left: Vec<_> = left.collect();
    left.sort();
    assert_eq!(left, ["journal.jsonl", "result"]);
}

/// The running processes that have this entry in their environment.
fn living(mark: &str) -> Vec<String> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let marked = |pid: &Path| {
        let environ = fs::read(pid.join("environ")).unwrap_or_default();
        environ.split(|&b| b == 0).any(|entry| entry == mark.as_bytes())
    };
    let pids = processes.filter_map(|entry| Some(entry.ok()?.path())).filter(|pid| marked(pid));
    pids.map(|pid| fs::read_to_string(pid.join("cmdline")).unwrap_or_default()).collect()
}

#[test]
fn a_failed_build_cannot_tell_and_is_not_tested() {
    let mut setup =
        setup(&[("a", "1\n")], &[("a", "2\n")], Some("echo $PWD/a:1 needs b >&2; false"), "touch tested");
    setup.read_needs = Some(Arc::new(|config, text| {
        assert_eq!(text, "a:1 needs b\n");
        vec![Coupling::certain(config.first().unwrap_or(9), 5)]
    }));
    let mut bench = Bench::new(setup, 1);
    assert_eq!(bench.ask([0]).unwrap(), Answer::broken_build([Coupling::certain(0, 5)]));
    let tested = bench.last();
    assert!(tested.build.is_some() && tested.test().is_none() && !tested.reused);
}

#[test]
fn a_test_that_cannot_tell_counts_as_built_only_after_a_build() {
    for (build, built) in [(None, false), (Some("true"), true)] {
        let mut bench = Bench::new(setup(&[("a", "1\n")], &[("a", "2\n")], build, "exit 125"), 1);
        let answer = bench.ask([0]).unwrap();
        assert_eq!((answer.outcome, answer.built), (Outcome::Unresolved, built));
    }
}

#[test]
fn commands_know_where_they_are() {
    let test = "test \"$PWD\" = \"$NUB_WORKSPACE/sub\" || exit 3
                touch $TMPDIR/left; ls $TMPDIR | wc -l; echo $NUB_CONFIG $NUB_SIDE $MINE";
    let mut setup = setup(&[("sub/a", "1\n\n\n\n\n1\n")], &[("sub/a", "2\n\n\n\n\n2\n")], None, test);
    setup.test.dir = "sub".into();
    setup.test.env.push(("MINE".into(), "too".into()));
    let mut bench = Bench::new(setup, 1);
    for (config, said) in [
        (Config::empty(), "1\nold too\n"),
        (Config::from([1]), "1\n1 mixed too\n"),
        (Config::full(2), "1\n0-1 new too\n"),
    ] {
        assert_eq!(bench.ask(config).unwrap(), Answer::bare(Outcome::Pass));
        assert_eq!(bench.last().test().unwrap().stdout.text(), said);
    }
}

#[test]
fn equal_trees_are_tested_once_even_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let count = folder.path().join("count");
    let test = format!("echo >>{}; sleep 0.2; test ! -e b", count.display());
    // Lines of a file that is not there show nothing.
    let setup = setup(&[("a", "1\n")], &[("a", "1\n"), ("b", "1\n2\n")], None, &test);
    let alike: [Config; 4] = [Config::empty(), [1].into(), [2].into(), [1, 2].into()];
    let mut bench = Bench::new(setup, 2);
    bench.pool.keep(&alike[..3]);
    for _ in 0..3 {
        assert_eq!(bench.pool.next().unwrap().1, Answer::bare(Outcome::Pass));
    }
    assert_eq!(bench.ask(alike[3].clone()).unwrap(), Answer::bare(Outcome::Pass));
    assert_eq!(fs::read_to_string(&count).unwrap().len(), 1);
    assert_eq!(bench.tested.borrow().iter().filter(|tested| tested.reused).count(), 3);
    assert_eq!(bench.ask([0]).unwrap(), Answer::bare(Outcome::Fail));
    assert_eq!(fs::read_to_string(&count).unwrap().len(), 2);
}

#[test]
fn a_build_misled_by_what_it_made_before_is_tried_from_scratch() {
    if std::process::Command::new("make").arg("--version").output().is_err() {
        println!("left out: there is no make here");
        return;
    }
    let makefile = "out: a\n\tcat a >out; sed -n 's/^use /out: /p' a >deps\n-include deps\n";
    let setup = setup(
        &[("Makefile", makefile), ("a", "old\n")],
        &[("Makefile", makefile), ("a", "use header\n"), ("header", "new\n")],
        Some("make"),
        "true",
    );
    let new = setup.origin.patchwork.full();
    let mut bench = Bench::new(setup, 1);
    assert_eq!(bench.ask(new).unwrap(), Answer::bare(Outcome::Pass));
    assert_eq!(bench.ask([]).unwrap(), Answer::bare(Outcome::Pass));
}

#[test]
fn what_cannot_be_asked_is_an_error_that_names_the_reason() {
    let check = |test: &str, message: &str| {
        let mut bench = Bench::new(setup(&[("a", "1\n")], &[("a", "2\n")], None, test), 1);
        assert_eq!(chain(&bench.ask([0]).unwrap_err()), message);
    };
    check(
        "echo bad; exit 255",
        "the test exited with code 255, which stops the search as in `git bisect run`: the last it said: bad",
    );
    check(
        "no-such-command 2>/dev/null",
        "the test did not find a command (exit code 127): it printed nothing",
    );
    let mut setup = setup(&[("a", "1\n")], &[("a", "2\n")], None, "");
    setup.test.program = Program::Direct(vec!["no-such-command".into()]);
    let error = Bench::new(setup, 1).ask([0]).unwrap_err();
    assert_eq!(chain(&error), "failed to run a test: command not found: `no-such-command`");
}

#[test]
fn an_aborting_test_ends_the_run_only_if_its_config_is_needed() {
    let test = "case $NUB_CONFIG in 0) sleep 0.3;; 1) exit 255;; esac";
    let setup = setup(&[("a", "1\n\n\n\n\n1\n")], &[("a", "2\n\n\n\n\n2\n")], None, test);
    let mut bench = Bench::new(setup, 2);
    let (needed, guessed): (Config, Config) = ([0].into(), [1].into());
    bench.pool.keep(&[needed.clone(), guessed.clone()]);
    assert_eq!(bench.pool.next().unwrap(), (needed, Answer::bare(Outcome::Pass)));
    bench.pool.keep(&[Config::full(2), guessed.clone()]);
    assert_eq!(bench.pool.next().unwrap().0, Config::full(2));
    bench.pool.keep(std::slice::from_ref(&guessed));
    let error = bench.pool.next().unwrap_err();
    let aborted = error.source.unwrap().downcast::<Aborted>().unwrap();
    assert_eq!(aborted.config, guessed);
}

#[test]
fn stale_tests_are_stopped_at_once() {
    let test = "case $NUB_CONFIG in 0) sleep 100;; esac";
    let setup = setup(&[("a", "1\n\n\n\n\n1\n")], &[("a", "2\n\n\n\n\n2\n")], None, test);
    let mut bench = Bench::new(setup, 1);
    let begun = Instant::now();
    bench.pool.keep(&[[0].into()]);
    while bench.pool.started() == 0 {
        std::thread::yield_now();
    }
    assert_eq!(bench.ask([1]).unwrap(), Answer::bare(Outcome::Pass));
    assert_eq!(bench.pool.started(), 2);
    bench.pool.keep(&[[0].into()]);
    drop(bench);
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
}

#[test]
fn a_pool_with_nothing_to_do_says_so() {
    let mut bench = Bench::new(sixteen(), 2);
    assert_eq!(bench.pool.next().unwrap_err().to_string(), "nothing is running");
}
