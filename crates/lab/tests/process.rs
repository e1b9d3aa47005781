//! Commands under guard: what is seen of them, how they are stopped, and that nothing of them stays.

#![allow(clippy::unwrap_used)]

use nub_lab::process::{Cancel, Command, Finished, Guard, ProcessError, Program, Status};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Long enough for a machine busy with other things; no test waits for it unless it fails.
const PATIENCE: Duration = Duration::from_secs(30);

fn guard() -> Guard {
    Guard::at(env!("CARGO_BIN_EXE_nub-run"))
}

fn shell(line: &str) -> Command {
    Command::new(Program::Shell(line.into()), "/")
}

fn direct(words: &[&str], dir: impl AsRef<Path>) -> Command {
    Command::new(Program::Direct(words.iter().map(Into::into).collect()), dir)
}

fn run(command: &Command) -> Result<Finished, ProcessError> {
    guard().run(command, &Cancel::new().unwrap())
}

fn finish(command: &Command) -> Finished {
    run(command).unwrap()
}

/// For what must be quick: a busy machine may be late now and then, but not every time.
fn one_of_five(check: impl Fn() -> bool) -> bool {
    (0..5).any(|_| check())
}

/// A mark that every process of one test carries in its environment, wherever it goes.
struct Mark(String);

impl Mark {
    fn new() -> Mark {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Mark(format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::SeqCst)))
    }

    fn put_on(&self, mut command: Command) -> Command {
        command.env.push(("NUB_TEST_MARK".into(), self.0.clone().into()));
        command
    }

    /// The running processes that carry the mark, as their command lines; the dead have none.
    fn living(&self) -> Vec<String> {
        let entry = format!("NUB_TEST_MARK={}", self.0);
        let carries = |pid: &Path| {
            let environ = fs::read(pid.join("environ")).unwrap_or_default();
            environ.split(|&b| b == 0).any(|e| e == entry.as_bytes())
        };
        let processes = fs::read_dir("/proc").unwrap().flatten().map(|process| process.path());
        let cmdline =
            |pid: &Path| fs::read_to_string(pid.join("cmdline")).unwrap_or_default().replace('\0', " ");
        processes.filter(|pid| carries(pid)).map(|pid| cmdline(&pid)).collect()
    }

    fn wait_for(&self, what: &str, done: impl Fn(&[String]) -> bool) {
        let started = Instant::now();
        loop {
            let living = self.living();
            if done(&living) {
                return;
            }
            assert!(started.elapsed() < PATIENCE, "{what}: {living:?}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until this many `sleep 1000` are there.
    fn wait_for_sleepers(&self, count: usize) {
        self.wait_for("sleepers never came", |living| {
            living.iter().filter(|line| line.starts_with("sleep 1000")).count() == count
        });
    }
}

/// Three sleepers that are hard to end: one in the group that ignores SIGTERM, one in a session of its own
/// whose parent still lives, and one in a session of its own that was orphaned at once.
const TREE: &str = "
    (trap '' TERM; exec sleep 1000) &
    sh -c 'setsid sleep 1000; true' &
    (setsid sleep 1000 &)
    wait; sleep 1000";

#[test]
fn run_tells_exit_code_streams_and_numbers() {
    let finished = finish(&shell("echo out; echo err >&2; exit 3"));
    assert_eq!(finished.status, Status::Exit(3));
    assert_eq!(finished.stdout.text(), "out\n");
    assert_eq!(finished.stderr.text(), "err\n");
    assert!(finished.wall > Duration::ZERO && finished.wall < PATIENCE, "{:?}", finished.wall);
    assert!(finished.max_rss > 100_000, "{}", finished.max_rss);
}

#[test]
fn run_counts_the_processor_time_of_grandchildren() {
    let finished = finish(&shell("sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; true"));
    assert!(finished.cpu > Duration::from_millis(20), "{:?}", finished.cpu);
}

#[test]
fn run_tells_the_signal_that_ended_the_command() {
    assert_eq!(finish(&shell("kill -SEGV $$")).status, Status::Signal(11));
    assert_eq!(finish(&shell("kill -KILL $$")).status, Status::Signal(9));
    assert_eq!(finish(&shell("kill -40 $$")).status, Status::Signal(34), "real-time signals have one number");
}

#[test]
fn output_keeps_the_order_of_streams_written_apart() {
    let finished =
        finish(&shell("for i in 1 2 3; do echo out$i; sleep 0.2; echo err$i >&2; sleep 0.2; done"));
    assert_eq!(finished.output.text(), "out1\nerr1\nout2\nerr2\nout3\nerr3\n");
}

#[test]
fn output_beyond_the_cap_loses_its_middle_only() {
    let mut command = shell("echo first; head -c 20000000 /dev/zero; echo last; echo error >&2");
    command.output_cap = 1000;
    let finished = finish(&command);
    assert_eq!(finished.status, Status::Exit(0));
    assert!(finished.stdout.bytes.starts_with(b"first\n"));
    assert!(finished.stdout.bytes.ends_with(b"last\n"));
    assert_eq!(finished.stdout.dropped, 20_000_000 + 6 + 5 - 1000);
    assert!(finished.stdout.bytes.len() < 1100);
    assert_eq!(finished.stderr.text(), "error\n");
}

#[test]
fn standard_input_is_empty() {
    let mut command = shell("wc -c");
    command.timeout = Some(PATIENCE);
    let finished = finish(&command);
    assert_eq!((finished.status, finished.stdout.text().trim()), (Status::Exit(0), "0"));
}

#[test]
fn a_command_has_no_terminal() {
    let command = format!("{} sh -c 'exec 2>&1; echo asked >/dev/tty'", env!("CARGO_BIN_EXE_nub-run"));
    // `script` gives nub-run a terminal to keep the command away from.
    let finished = finish(&direct(&["script", "-qec", &command, "/dev/null"], "/"));
    let shown = finished.output.text();
    assert!(shown.contains("/dev/tty") && shown.contains("it exited with code"), "{shown}");
    assert!(!shown.contains("asked"), "{shown}");
}

#[test]
fn a_command_runs_in_its_folder_with_its_environment() {
    let mut command = shell("pwd; echo $NUB_CONFIG");
    command.dir = "/usr/bin".into();
    command.env.push(("NUB_CONFIG".into(), "{0-3}".into()));
    assert_eq!(finish(&command).stdout.text(), "/usr/bin\n{0-3}\n");
}

#[test]
fn a_direct_program_gets_its_arguments_as_they_are() {
    let finished = finish(&direct(&["printf", "%s|", "a b", "$HOME", "", "--"], "/"));
    assert_eq!(finished.stdout.text(), "a b|$HOME||--|");
}

#[test]
fn errors_name_the_program_that_did_not_start() {
    let dir = std::env::temp_dir().join(format!("nub-process-{}", std::process::id()));
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("plain"), "echo hello\n").unwrap();
    fs::write(dir.join("odd"), "#!/no/such/interpreter\n").unwrap();
    let mode =
        |name: &str| fs::set_permissions(dir.join(name), std::os::unix::fs::PermissionsExt::from_mode(0o755));
    mode("odd").unwrap();

    let message = |words: &[&str], dir: &Path| run(&direct(words, dir)).unwrap_err().to_string();
    assert_eq!(message(&["no-such-command", "x"], &dir), "command not found: `no-such-command`");
    assert_eq!(message(&[], &dir), "command not found: ``");
    assert_eq!(message(&["./nothing"], &dir), "command not found: `./nothing`");
    assert_eq!(message(&["./plain"], &dir), "failed to start `./plain`");
    assert_eq!(
        message(&["./odd"], &dir),
        "`./odd` names an interpreter in its first line that does not exist"
    );
    assert_eq!(message(&["true"], Path::new("/no/such/folder")), "failed to enter `/no/such/folder`");
    assert_eq!(message(&["true"], &dir.join("plain")), format!("failed to enter `{}/plain`", dir.display()));
    fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_shell_reports_a_missing_command_by_127() {
    let finished = finish(&shell("no-such-command"));
    assert_eq!(finished.status, Status::Exit(127));
    assert!(finished.stderr.text().contains("no-such-command"));
}

#[test]
fn an_executable_that_is_no_guard_is_noticed() {
    assert!(matches!(Guard::this_executable(), Err(ProcessError::NotServed)));
    let lost = Guard::at("/bin/true").run(&shell("true"), &Cancel::new().unwrap());
    assert!(matches!(lost, Err(ProcessError::GuardLost { .. })), "{lost:?}");
}

#[test]
fn a_timeout_ends_the_whole_tree() {
    let mark = Mark::new();
    let mut command = mark.put_on(shell(TREE));
    command.timeout = Some(Duration::from_millis(2500));
    thread::scope(|scope| {
        let running = scope.spawn(|| finish(&command));
        mark.wait_for_sleepers(3);
        let finished = running.join().unwrap();
        assert_eq!(finished.status, Status::TimedOut);
        assert!(finished.wall >= Duration::from_millis(2400), "{:?}", finished.wall);
    });
    assert_eq!(mark.living(), [""; 0]);
}

#[test]
fn a_command_that_is_too_busy_ends_with_all_it_started() {
    let mark = Mark::new();
    let mut command = mark.put_on(shell("(while :; do :; done) & sleep 1000"));
    command.timeout = Some(PATIENCE);
    command.processor = Some(Duration::from_millis(300));
    let finished = finish(&command);
    assert_eq!(finished.status, Status::TimedOut);
    assert!(finished.wall < PATIENCE, "{:?}", finished.wall);
    assert!(finished.cpu >= Duration::from_millis(300), "{:?}", finished.cpu);
    assert_eq!(mark.living(), [""; 0]);
}

#[test]
fn a_command_that_sleeps_is_not_busy() {
    let mut command = shell("sleep 0.5");
    command.processor = Some(Duration::from_millis(200));
    assert_eq!(finish(&command).status, Status::Exit(0));
}

#[test]
fn what_a_command_leaves_running_ends_with_it() {
    let mark = Mark::new();
    let command = mark.put_on(shell("(trap '' TERM; exec sleep 1000) & (setsid sleep 1000 &); exit 0"));
    assert_eq!(finish(&command).status, Status::Exit(0));
    assert_eq!(mark.living(), [""; 0]);
}

#[test]
fn a_process_that_keeps_changing_sessions_is_caught() {
    let mark = Mark::new();
    let mut command = mark.put_on(shell("sh -c \"$HOP\"; sleep 0.2"));
    command.env.push(("HOP".into(), "setsid sh -c \"$HOP\" &".into()));
    assert_eq!(finish(&command).status, Status::Exit(0));
    assert_eq!(mark.living(), [""; 0]);
}

#[test]
fn a_helper_that_outlives_the_command_for_a_moment_may_finish() {
    let command = shell("(sleep 0.01; echo late) & echo early");
    assert!(one_of_five(|| finish(&command).stdout.text() == "early\nlate\n"));
}

#[test]
fn a_command_may_end_politely() {
    let mut command = shell("trap 'echo cleaned; exit 1' TERM; echo ready; while :; do sleep 0.01; done");
    command.timeout = Some(Duration::from_millis(1000));
    assert!(one_of_five(|| finish(&command).stdout.text() == "ready\ncleaned\n"));
}

#[test]
fn cancel_is_prompt() {
    let mark = Mark::new();
    let command = mark.put_on(shell("sleep 1000 & sleep 1000"));
    assert!(one_of_five(|| {
        let cancel = Cancel::new().unwrap();
        thread::scope(|scope| {
            let running = scope.spawn(|| guard().run(&command, &cancel).unwrap());
            mark.wait_for_sleepers(2);
            let asked = Instant::now();
            cancel.clone().cancel();
            assert_eq!(running.join().unwrap().status, Status::Cancelled);
            asked.elapsed() < Duration::from_millis(200)
        })
    }));
    assert_eq!(mark.living(), [""; 0]);
}

#[test]
fn a_cancelled_token_starts_nothing() {
    let cancel = Cancel::new().unwrap();
    cancel.cancel();
    cancel.cancel();
    assert!(cancel.is_cancelled());
    let finished = guard().run(&direct(&["no-such-command"], "/"), &cancel).unwrap();
    assert_eq!(finished.status, Status::Cancelled);
}

#[test]
fn one_token_stops_many_commands() {
    let mark = Mark::new();
    let command = mark.put_on(shell("exec sleep 1000"));
    let cancel = Cancel::new().unwrap();
    thread::scope(|scope| {
        let running: Vec<_> =
            (0..4).map(|_| scope.spawn(|| guard().run(&command, &cancel).unwrap())).collect();
        mark.wait_for_sleepers(4);
        cancel.cancel();
        running.into_iter().for_each(|run| assert_eq!(run.join().unwrap().status, Status::Cancelled));
    });
    assert_eq!(mark.living(), [""; 0]);
}

#[test]
fn killing_nub_by_force_leaves_nothing() {
    let mark = Mark::new();
    let mut nub = std::process::Command::new(env!("CARGO_BIN_EXE_nub-run"))
        .args(["sh", "-c", TREE])
        .env("NUB_TEST_MARK", &mark.0)
        .spawn()
        .unwrap();
    mark.wait_for_sleepers(3);
    nub.kill().unwrap();
    nub.wait().unwrap();
    mark.wait_for("these outlived nub", <[String]>::is_empty);
}

#[test]
fn a_guard_that_is_asked_to_end_takes_its_command_along() {
    let mark = Mark::new();
    let command = mark.put_on(shell(&format!("kill -TERM $PPID; {TREE}")));
    assert!(matches!(finish(&command).status, Status::Signal(_)));
    assert_eq!(mark.living(), [""; 0]);
}

#[test]
fn a_guard_killed_by_force_is_an_error_and_its_group_ends() {
    let mark = Mark::new();
    let command = mark.put_on(shell("sleep 1000 & sleep 1; kill -KILL $PPID; sleep 1000"));
    assert!(matches!(run(&command), Err(ProcessError::GuardLost { .. })));
    mark.wait_for("these outlived their guard", <[String]>::is_empty);
}

#[test]
fn a_memory_limit_makes_a_hog_fail() {
    // `tail` without a newline to cut at keeps all it reads.
    let mut command = shell("head -c 200000000 /dev/zero | tail | wc -c");
    assert_eq!(finish(&command).stdout.text().trim(), "200000000");
    command.memory = Some(100_000_000);
    let finished = finish(&command);
    assert_eq!(finished.stdout.text().trim(), "0");
    assert!(finished.stderr.text().contains("memory"), "{}", finished.stderr.text());
}

#[test]
fn a_process_limit_ends_a_crowd() {
    let mark = Mark::new();
    let crowd = |n| shell(&format!("i=0; while [ $i -lt {n} ]; do sleep 1000 & i=$((i+1)); done; wait"));
    let mut command = mark.put_on(crowd(40));
    command.processes = Some(20);
    command.timeout = Some(PATIENCE);
    assert_eq!(finish(&command).status, Status::Crowded);

    let mut command = mark.put_on(crowd(10));
    command.processes = Some(20);
    command.timeout = Some(Duration::from_millis(1000));
    assert_eq!(finish(&command).status, Status::TimedOut);
    assert_eq!(mark.living(), [""; 0]);
}

#[test]
fn a_crash_leaves_no_core_dump() {
    assert_eq!(finish(&shell("ulimit -c")).stdout.text(), "0\n");
}
