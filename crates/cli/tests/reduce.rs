//! `nub reduce` from end to end, with scripts of a few lines as tests.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod sandbox;

use sandbox::{Ran, Sandbox};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

/// A C file of many functions, one of which calls `boom(7)` inside a loop.
fn program() -> String {
    let mut text = String::from("/* many functions */\n#include <stdio.h>\n");
    for i in 0..40 {
        text.push_str(&format!(
            "static int f{i}(int a, int b) {{\n    int c = a + b * {i};\n    return c; // sum\n}}\n\n"
        ));
    }
    text.push_str("int main(void) {\n    int x = f3(1, 2);\n    while (x) {\n        boom(x, 7);\n        x--;\n    }\n    return x;\n}\n");
    text
}

/// Interesting if a call of `boom` is left in balanced braces; counts its runs.
const SCRIPT: &str = r#"#!/bin/sh
echo run >> "$COUNT"
grep -q 'boom(.*);' "$1" || exit 1
[ "$(tr -cd '{' < "$1" | wc -c)" = "$(tr -cd '}' < "$1" | wc -c)" ]
"#;

fn sandbox(script: &str) -> Sandbox {
    let s = Sandbox::new();
    s.write("in.c", program());
    write_script(&s, script);
    s
}

fn write_script(s: &Sandbox, script: &str) {
    s.write("test.sh", script);
    let path = s.path().join("test.sh");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn command(s: &Sandbox, args: &[&str]) -> std::process::Command {
    let mut command = s.command("", args);
    command.env("COUNT", s.path().join("count"));
    command
}

fn reduce(s: &Sandbox, args: &[&str]) -> Ran {
    let args: Vec<&str> = [&["reduce"], args].concat();
    s.ran(command(s, &args).output().unwrap())
}

fn runs(s: &Sandbox) -> usize {
    std::fs::read_to_string(s.path().join("count")).map_or(0, |text| text.lines().count())
}

#[test]
fn reduce_puts_the_smallest_input_beside_the_original_and_touches_nothing_else() {
    let s = sandbox(SCRIPT);
    let ran = reduce(&s, &["./test.sh", "in.c"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(s.read("in.c"), program());
    assert_eq!(s.read("in.min.c").trim(), "boom();");
    assert!(ran.stderr.contains("tested once more, it is still interesting"), "{}", ran.stderr);
    let mut names: Vec<_> = std::fs::read_dir(s.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, [".git", "count", "in.c", "in.min.c", "test.sh"]);
}

/// The result and the tests needed must not depend on the number of workers.
fn check_any_number_of_workers(script: &str, options: &[&str], input: &str, prepare: impl Fn(&Sandbox)) {
    let results = ["1", "8"].map(|jobs| {
        let s = sandbox(script);
        prepare(&s);
        let ran = reduce(&s, &[options, &["-j", jobs, "--json", "-o", "left", "./test.sh", input]].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let needed = ran.stdout.lines().find(|line| line.contains("\"needed\"")).unwrap().to_owned();
        (std::fs::read(s.path().join("left")).unwrap(), needed)
    });
    assert_eq!(results[0], results[1]);
}

#[test]
fn reduce_finds_the_same_with_the_same_tests_at_any_number_of_workers() {
    check_any_number_of_workers(SCRIPT, &[], "in.c", |_| ());
    // A program that is run, and bytes with lengths among them.
    check_any_number_of_workers(
        "#!/bin/sh\n[ \"$(python3 in.py)\" = 14 ]\n",
        &["--passes", "unrun"],
        "in.py",
        debloated,
    );
    check_any_number_of_workers(
        "#!/bin/sh\ngrep -aq boom in.bin\n",
        &["--passes", "chunks"],
        "in.bin",
        |s| {
            let chunk = |name: &[u8], body: &[u8]| -> Vec<u8> {
                [&(body.len() as u32).to_be_bytes(), name, body, &[0, 159, 146, 150]].concat()
            };
            let all = [
                chunk(b"HEAD", &[255; 13]),
                chunk(b"text", &[1; 40]),
                chunk(b"boom", &[2; 90]),
                chunk(b"IEND", b""),
            ];
            std::fs::write(s.path().join("in.bin"), [&b"\x89BIN\r\n\x1a\n"[..], &all.concat()].concat())
                .unwrap();
        },
    );
}

#[test]
fn a_killed_reduction_goes_on_without_repeating_a_test() {
    let whole = sandbox(SCRIPT);
    reduce(&whole, &["./test.sh", "in.c"]);
    let needed = runs(&whole);

    let s = sandbox(&SCRIPT.replace("grep", "sleep 0.02; grep"));
    let mut child =
        command(&s, &["reduce", "./test.sh", "in.c"]).stderr(std::process::Stdio::null()).spawn().unwrap();
    let patience = Instant::now();
    while runs(&s) < needed / 2 && patience.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = runs(&s);
    assert!(before >= needed / 2 && before < needed, "{before} of {needed}");
    let best = s.read("in.min.c");
    assert!(best.contains("boom("), "what is on disk is interesting at any time: {best}");

    let ran = reduce(&s, &["./test.sh", "in.c"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("Going on with"), "{}", ran.stderr);
    assert_eq!(s.read("in.min.c"), whole.read("in.min.c"));
    // The input is checked again, and the test that was under way is lost.
    assert!(runs(&s) <= needed + 4, "{} runs in all, {needed} at once", runs(&s));
}

#[test]
fn sigterm_leaves_the_best_interesting_input() {
    let s = sandbox(&SCRIPT.replace("grep", "sleep 0.05; grep"));
    let child =
        command(&s, &["reduce", "./test.sh", "in.c"]).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let patience = Instant::now();
    while !s.path().join("in.min.c").exists() && patience.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let killed = std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(killed.success());
    let ran = s.ran(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{}", ran.stderr);
    assert!(s.read("in.min.c").contains("boom("));
    assert!(s.read("in.min.c").len() < program().len());
}

#[test]
fn an_input_that_is_not_interesting_is_told_with_the_output_of_the_script_and_how_to_repeat_it() {
    let s = sandbox("#!/bin/sh\necho no such thing >&2\nexit 3\n");
    let ran = reduce(&s, &["./test.sh", "in.c"]);
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.contains("not find the input interesting: it exited with code 3"), "{}", ran.stderr);
    assert!(ran.stderr.contains("| no such thing"), "{}", ran.stderr);
    assert!(!s.path().join("in.min.c").exists());
}

#[test]
fn what_repeats_a_test_by_hand_does_so_for_files_elsewhere_and_for_folders() {
    let s = sandbox("#!/bin/sh\necho \"got $*\"\nfind . -type f | sort\nexit 3\n");
    s.write("the tree/a/it's.c", "int a;");
    s.write("the tree/b.c", "int b;");
    for (input, said) in [
        ("the tree/b.c", "got b.c\n./b.c\nexit code 3\n"),
        (
            "the tree",
            "got the tree/a/it's.c the tree/b.c\n./the tree/a/it's.c\n./the tree/b.c\nexit code 3\n",
        ),
    ] {
        let ran = reduce(&s, &["./test.sh", input]);
        let (_, line) = ran.stderr.split_once("to repeat it by hand: ").unwrap();
        let line = line.replace("$/", &format!("{}/", s.path().display()));
        let again = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&again.stdout), said, "{line}");
    }
}

#[test]
fn a_test_that_finds_everything_interesting_is_warned_about() {
    let s = sandbox("#!/bin/sh\nexit 0\n");
    let ran = reduce(&s, &["./test.sh", "in.c"]);
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    assert!(ran.stderr.contains("the empty input is interesting too"), "{}", ran.stderr);
    assert_eq!(s.read("in.min.c"), "");
}

#[test]
fn a_flaky_test_is_asked_again_before_its_no_is_believed() {
    // Every second run says no, whatever the input.
    let flaky = "n=$(wc -l < \"$COUNT\"); [ $((n % 2)) = 0 ] && exit 1\ngrep -q";
    let s = sandbox(&SCRIPT.replacen("grep -q", flaky, 1));
    let ran = reduce(&s, &["./test.sh", "in.c"]);
    assert!(ran.stderr.contains("the test is flaky: the input was interesting in"), "{}", ran.stderr);
    assert_eq!(s.read("in.min.c").trim(), "boom();", "{}", ran.stderr);
}

#[test]
fn properties_of_a_command_need_no_script() {
    let s = sandbox(SCRIPT);
    let line = "if grep -q 'boom(' @@; then echo kaboom >&2; exit 3; fi";
    let ran = reduce(&s, &["in.c", "--stderr-matches", "^kaboom$", "--exit-code", "3", "--", line]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(s.read("in.min.c").contains("boom("));
    let line = "if grep -q 'boom('; then kill -SEGV $$; fi";
    let ran = reduce(&s, &["in.c", "--crash", "-o", "crash.c", "--", line]);
    assert_eq!(ran.code, Some(0), "the input is on stdin: {}", ran.stderr);
    assert!(s.read("crash.c").contains("boom("));
}

#[test]
fn another_symptom_is_not_followed_but_saved_aside() {
    let script = "#!/bin/sh\ngrep -q 'boom(' \"$1\" || exit 1\n\
        if grep -q 'boom(x, 7)' \"$1\"; then echo 'internal compiler error: in seven'\n\
        else echo 'internal compiler error: in other'; fi\n";
    let s = sandbox(script);
    let ran = reduce(&s, &["--out", "state", "./test.sh", "in.c"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("Keeping the symptom: internal compiler error: in seven"), "{}", ran.stderr);
    assert!(s.read("in.min.c").contains("boom(x, 7)"), "{}", s.read("in.min.c"));
    assert!(std::fs::read_dir(s.path().join("state/other")).unwrap().count() > 0);
    let ran = reduce(&s, &["--any-failure", "./test.sh", "in.c"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(!s.read("in.min.c").contains('7'), "{}", s.read("in.min.c"));
}

#[test]
fn a_script_that_names_no_interpreter_is_run_by_sh() {
    let s = sandbox(SCRIPT.trim_start_matches("#!/bin/sh\n"));
    let ran = reduce(&s, &["./test.sh", "in.c"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(s.read("in.min.c").trim(), "boom();");
}

/// The temporary folder is everybody's.
#[test]
fn another_users_files_in_the_temporary_folder_do_no_harm() {
    let s = sandbox(SCRIPT);
    s.write("tmp/nub", "of somebody else");
    let mut command = command(&s, &["reduce", "./test.sh", "in.c"]);
    let ran = s.ran(command.env("TMPDIR", s.path().join("tmp")).output().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(s.read("tmp/nub"), "of somebody else");
}

#[test]
fn in_place_keeps_the_original() {
    let s = sandbox(SCRIPT);
    let ran = reduce(&s, &["--in-place", "./test.sh", "in.c"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(s.read("in.c.orig"), program());
    assert_eq!(s.read("in.c").trim(), "boom();");
}

/// Needs two statements in one function.
const TWO: &str = r#"tr -d ' \n' < "$1" | grep -q 'intmain(void){.*boom(x*);.*x--;.*}'"#;

#[test]
fn tidy_writes_a_statement_a_line_if_that_still_shows_the_bug() {
    let s = sandbox(&format!("{TWO}\n"));
    s.write("in.c", "int a;int main(void){int x=1;boom( x );{x--;}}");
    let ran = reduce(&s, &["--tidy", "./test.sh", "in.c"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(s.read("in.min.c"), "int main(void){\n    boom();\n    x--;\n}\n");

    write_script(&s, &format!("{TWO} && [ $(wc -l < \"$1\") = 0 ]\n"));
    let ran = reduce(&s, &["--tidy", "./test.sh", "in.c"]);
    assert_eq!(s.read("in.min.c").lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("written tidily, it is not interesting"), "{}", ran.stderr);
}

/// A program of many functions, two of which it runs.
fn debloated(s: &Sandbox) {
    let mut text = String::from("import sys\n");
    for i in 0..100 {
        text.push_str(&format!(
            "def g{i}(a):\n    return a + {i}\ndef f{i}(a):\n    b = g{i}(a)\n    if b == 0:\n        b = a\n        print(b)\n    return b * 2\n"
        ));
    }
    let table: Vec<String> = (0..100).map(|i| format!("f{i}")).collect();
    text.push_str(&format!("print(sum(f(0) for f in [{}][7:8]))\n", table.join(", ")));
    s.write("in.py", text);
}

#[test]
fn what_the_test_does_not_run_goes_at_once_also_when_it_is_resumed() {
    let s = sandbox("#!/bin/sh\necho run >> \"$COUNT\"\n[ \"$(python3 in.py)\" = 14 ]\n");
    debloated(&s);
    let ran = reduce(&s, &["--passes", "unrun", "./test.sh", "in.py"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let left = s.read("in.min.py");
    assert!(left.contains("return a + 7") && !left.contains("return a + 8"), "{left}");
    assert!(!left.contains("print(b)"), "{left}");
    // Three to check, two in each of two rounds at most, and one to confirm.
    let needed = runs(&s);
    assert!(needed <= 8, "{}", ran.stderr);

    let again = reduce(&s, &["--passes", "unrun", "./test.sh", "in.py"]);
    assert_eq!(s.read("in.min.py"), left);
    // The input and the result are tested anew, and nothing else.
    assert_eq!(runs(&s) - needed, 3, "{}", again.stderr);
}

#[test]
fn an_input_that_the_test_does_not_run_is_asked_once_what_it_runs() {
    let s = sandbox("#!/bin/sh\ngrep -q 'a + 7' in.py && grep -qF 'b = g8(a)' in.py\n");
    debloated(&s);
    let ran = reduce(&s, &["--passes", "unrun", "--json", "./test.sh", "in.py"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("\"needed\": 1,"), "{}", ran.stdout);
}

#[test]
fn a_folder_loses_files_first() {
    let s = sandbox("#!/bin/sh\ngrep -rq needle \"$NUB_WORKSPACE/tree\"\n");
    for i in 0..20 {
        s.write(
            format!("tree/d{}/{i}.txt", i % 3),
            format!("hay {i}\n{}", if i == 13 { "a needle b\n" } else { "" }),
        );
    }
    let ran = reduce(&s, &["./test.sh", "tree"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(s.read("tree.min/d1/13.txt").trim(), "needle");
    assert!(!s.path().join("tree.min/d0").exists());
}

#[test]
fn the_results_of_several_files_are_named_one_by_one() {
    let s = sandbox("#!/bin/sh\ngrep -q needle a.txt && grep -q thread b.txt\n");
    for (name, text) in [("a.txt", "hay needle hay\n"), ("b.txt", "thread\nhay\n"), ("c.txt", "hay\n")] {
        std::fs::write(s.path().join(name), text).unwrap();
    }
    let ran = reduce(&s, &["--json", "./test.sh", "a.txt", "b.txt", "c.txt"]);
    let files = ran.stdout.split("\"files\": [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    assert_eq!(files.matches(".min.txt").count(), 2, "{files}");
    let results: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("Result: ")).collect();
    assert!(results.len() == 2, "{}", ran.stderr);
    assert!(results[0].ends_with("/a.min.txt") && results[1].ends_with("/b.min.txt"), "{results:?}");
}

#[test]
fn a_link_in_a_folder_stays_one_or_goes() {
    use std::os::unix::fs::symlink;
    let s = sandbox("#!/bin/sh\ngrep -q needle tree/link\n");
    s.write("tree/a/b.txt", "hay\nneedle\n");
    for (target, link) in [("a/b.txt", "link"), ("nowhere", "dangling"), (".", "loop")] {
        symlink(target, s.path().join("tree").join(link)).unwrap();
    }
    let ran = reduce(&s, &["./test.sh", "tree", "-o", "out"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(s.read("out/link").trim(), "needle");
    assert_eq!(std::fs::read_link(s.path().join("out/link")).unwrap().to_str(), Some("a/b.txt"));
    assert_eq!(std::fs::read_dir(s.path().join("out")).unwrap().count(), 2);
}

#[test]
fn an_input_keeps_the_name_it_is_given_by() {
    let s = sandbox("#!/bin/sh\ngrep -q boom link.c\n");
    std::os::unix::fs::symlink("in.c", s.path().join("link.c")).unwrap();
    let ran = reduce(&s, &["./test.sh", "link.c"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(s.read("link.min.c").trim(), "boom");
}

#[test]
fn a_budget_stops_with_the_best_so_far() {
    let s = sandbox(SCRIPT);
    let ran = reduce(&s, &["--budget", "12", "./test.sh", "in.c"]);
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    assert!(s.read("in.min.c").contains("boom("));
}

#[test]
fn arguments_that_make_no_sense_are_refused_before_anything_runs() {
    let s = sandbox(SCRIPT);
    s.write("plain.sh", SCRIPT);
    s.write("tree/in.c", program());
    s.write("full/mine.txt", "keep this");
    for (args, said) in [
        (&["in.c"][..], "there is a test or an input, but not both"),
        (&["./none.sh", "in.c"], "there is no test `./none.sh`"),
        (&["./plain.sh", "in.c"], "the test `./plain.sh` cannot be executed"),
        (&["in.c", "./test.sh"], "name the test first: `nub reduce ./test.sh in.c`"),
        (&["./test.sh", "none.c"], "failed to read `none.c`"),
        (&["./test.sh", "in.c", "-o", "./in.c"], "the result would replace `in.c`"),
        (&["./test.sh", "in.c", "-o", "full"], "which is a folder"),
        (&["./test.sh", "tree", "-o", "full"], "full/mine.txt` is in the way of the result"),
        (&["./test.sh", "tree", "-o", "tree"], "the result would replace `tree/in.c`"),
        (&["--lang", "klingon", "./test.sh", "in.c"], "no language is called `klingon`"),
    ] {
        let ran = reduce(&s, args);
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{args:?}: {}", ran.stderr);
    }
    assert_eq!(runs(&s), 0);
    assert_eq!(s.read("full/mine.txt"), "keep this");
}
