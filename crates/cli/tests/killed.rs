//! `nub isolate` killed by force at any moment: nothing is lost, nothing is left, nothing of the user's is touched.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod sandbox;

use sandbox::{Ran, Sandbox};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Passes if two of the sixteen lines of `a` and `b` are old; writes down what it was asked about.
const TEST: &str = "echo \"$NUB_CONFIG\" >>\"$ASKED\"; sleep 0.02; ! grep -q new3 a && ! grep -q new5 b";

/// A repository with sixteen changes between `v1` and `v2`, and a folder beside it for all that is not the user's.
struct Bench {
    user: Sandbox,
    ours: tempfile::TempDir,
}

impl Bench {
    fn new() -> Bench {
        let user = Sandbox::with_regression();
        let text = |word: &str| -> String { (0..8).map(|i| format!("{word}{i}\nkept {i}\n")).collect() };
        for (word, tag) in [("old", "w1"), ("new", "w2")] {
            user.write("a", text(word));
            user.write("b", text(word));
            user.commit(tag);
        }
        Bench { user, ours: tempfile::tempdir().unwrap() }
    }

    fn asked(&self) -> PathBuf {
        self.ours.path().join("asked")
    }

    /// What was asked since this was last called.
    fn take_asked(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.asked()).unwrap_or_default();
        let _ = std::fs::remove_file(self.asked());
        text.lines().map(str::to_owned).collect()
    }

    fn start(&self, out: &Path, jobs: &str) -> Child {
        let args =
            ["isolate", "w1", "w2", "--algorithm", "ddmin", jobs, "--out", out.to_str().unwrap(), "--", TEST];
        let mut command = self.user.command("", &args);
        command.env("ASKED", self.asked()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn finish(&self, child: Child) -> Ran {
        self.user.ran(child.wait_with_output().unwrap())
    }

    /// Processes that have our variable in their environment.
    fn strays(&self) -> usize {
        let variable = format!("ASKED={}", self.asked().display());
        let is_ours = |entry: &std::fs::DirEntry| {
            let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            environ.split(|byte| *byte == 0).any(|word| word == variable.as_bytes())
        };
        std::fs::read_dir("/proc").unwrap().flatten().filter(is_ours).count()
    }

    fn check_that_nothing_runs(&self) {
        let start = Instant::now();
        while self.strays() > 0 {
            assert!(start.elapsed() < Duration::from_secs(10), "{} processes are left", self.strays());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Whether the test passes on `w2` with a patch.
    fn passes_with(&self, patch: &Path) -> bool {
        let copy = self.ours.path().join("copy");
        let _ = std::fs::remove_dir_all(&copy);
        let script = format!(
            "git clone -q . {0} && cd {0} && git checkout -q w2 && git apply {1} && {TEST}",
            copy.display(),
            patch.display()
        );
        let shell = Command::new("sh")
            .args(["-c", &script])
            .current_dir(self.user.path())
            .env("ASKED", "/dev/null")
            .output();
        shell.unwrap().status.success()
    }
}

/// Every file under a folder with its content and its time.
fn survey(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.append(&mut survey(&path)),
            false => {
                let content = std::fs::read(&path).unwrap();
                let time = std::fs::metadata(&path).unwrap().modified().unwrap();
                found.insert(path, (content, time));
            }
        }
    }
    found
}

/// The configs that a journal knows, and whether the result is confirmed in it.
fn known(out: &Path) -> (BTreeSet<String>, bool) {
    let journal = std::fs::read_to_string(out.join("journal.jsonl")).unwrap_or_default();
    let whole = journal.split_inclusive('\n').skip(1).filter(|line| line.ends_with('\n'));
    let lines: Vec<serde_json::Value> = whole.map(|line| serde_json::from_str(line).unwrap()).collect();
    let configs = lines.iter().map(|line| line["config"].as_str().unwrap().to_owned()).collect();
    (configs, lines.iter().any(|line| line["decides"] == "critical"))
}

/// Numbers that look random and are the same each time, from 0 up to 1.
fn moments() -> impl Iterator<Item = f64> {
    let mut state: u64 = 20;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    })
}

#[test]
fn a_run_killed_at_any_moment_goes_on_and_repeats_only_what_was_running() {
    let bench = Bench::new();
    let before = survey(&bench.user.path());
    let out = |name: &str| bench.ours.path().join(name);
    let start = Instant::now();
    let whole = bench.finish(bench.start(&out("whole"), "-j1"));
    let time = start.elapsed();
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    let critical = "0-2,4-12,14-15";
    assert_eq!(
        bench.take_asked().last().map(String::as_str),
        Some(critical),
        "the result is tested at the end"
    );

    let mut resumed = 0;
    for (i, moment) in moments().take(20).enumerate() {
        let (out, jobs) = (out(&format!("out{i}")), ["-j1", "-j2"][i % 2]);
        let mut child = bench.start(&out, jobs);
        std::thread::sleep(time.mul_f64(moment));
        child.kill().unwrap();
        child.wait().unwrap();
        bench.check_that_nothing_runs();
        bench.take_asked();
        let (known, confirmed) = known(&out);
        resumed += usize::from(known.len() > 2);

        let again = bench.finish(bench.start(&out, jobs));
        assert_eq!(again.code, Some(0), "{}", again.stderr);
        assert_eq!(again.stdout, whole.stdout, "killed after {moment} of {time:?}");
        let mut asked = bench.take_asked();
        if !confirmed {
            let confirmation = asked.pop();
            assert_eq!(confirmation.as_deref(), Some(critical));
        }
        let repeated: Vec<&String> = asked.iter().filter(|config| known.contains(*config)).collect();
        assert!(repeated.is_empty(), "killed after {moment} of {time:?}: {repeated:?} again");
        let mut left: Vec<_> = std::fs::read_dir(&out)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let documented =
            ["command.json", "critical.patch", "journal.jsonl", "logs", "rest.patch", "result.json"];
        assert_eq!(left, documented, "killed after {moment} of {time:?}");
    }
    assert!(resumed >= 5, "only {resumed} of the runs were killed while they searched");
    assert!(survey(&bench.user.path()) == before, "what is the user's was touched");
}

#[test]
fn a_run_that_is_killed_leaves_its_best_patch_and_it_applies() {
    let bench = Bench::new();
    let out = bench.ours.path().join("out");
    let mut child = bench.start(&out, "-j1");
    let (best, start) = (out.join("best.patch"), Instant::now());
    while !best.exists() {
        assert!(start.elapsed() < Duration::from_secs(30), "nothing was found");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(bench.passes_with(&best), "{}", std::fs::read_to_string(&best).unwrap());
    assert!(!out.join("result.json").exists(), "there is no result yet");

    let ran = bench.finish(bench.start(&out, "-j1"));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(!best.exists() && bench.passes_with(&out.join("critical.patch")));
}
