//! Every collector on a small program: does it see what ran, and say so where it cannot?

#![allow(clippy::unwrap_used, reason = "all of this is a test")]

use nub_change::coverage::Sight::{self, Idle, Ran, Unseen};
use nub_change::{Entry, Patchwork, RelPath, Snapshot};
use nub_lab::coverage::{Collect, Experiment, Measured, Wanted, measure};
use nub_lab::process::{Cancel, Command, Convention, Guard, Program, Rule};
use nub_lab::workspace::Origin;
use nub_search::Outcome;
use std::sync::Arc;
use std::time::Duration;

/// Two versions of a program, and how it is built and tested.
#[derive(Clone, Copy)]
struct Case<'a> {
    old: &'a [(&'a str, &'a str)],
    new: &'a [(&'a str, &'a str)],
    build: &'a str,
    test: &'a str,
    collect: Collect,
    also_pass: &'a [&'a str],
    expected: [Outcome; 2],
}

const CASE: Case<'static> = Case {
    old: &[],
    new: &[],
    build: "",
    test: "true",
    collect: Collect::Auto,
    also_pass: &[],
    expected: [Outcome::Pass, Outcome::Pass],
};

fn version(files: &[(&str, &str)]) -> Snapshot {
    files
        .iter()
        .map(|(path, text)| (RelPath::try_from(*path).unwrap(), Entry::file(text.as_bytes())))
        .collect()
}

fn measured(case: Case<'_>) -> (Arc<Patchwork>, Result<Option<Measured>, String>) {
    let patchwork = Arc::new(Patchwork::between(&version(case.old), &version(case.new)));
    let out = tempfile::tempdir().unwrap();
    let command = |line: &str| {
        let mut command = Command::new(Program::Shell(line.to_owned()), "");
        command.timeout = Some(Duration::from_secs(60));
        command
    };
    let experiment = Experiment {
        wanted: &Wanted {
            collect: case.collect,
            also_pass: case.also_pass.iter().map(|line| Program::Shell((*line).to_owned())).collect(),
            ..Wanted::default()
        },
        origin: Origin { patchwork: Arc::clone(&patchwork), along: None, clean: false },
        build: (!case.build.is_empty()).then(|| command(case.build)),
        test: command(case.test),
        rule: &Rule::new(Convention::Bisect),
        expected: case.expected,
        key: "key".into(),
        fresh: false,
        out: out.path(),
        guard: &Guard::at(env!("CARGO_BIN_EXE_nub-run")),
        cancel: &Cancel::new().unwrap(),
    };
    let found = measure(&experiment);
    if let Ok(Some(found)) = &found {
        let again = measure(&experiment).unwrap().unwrap();
        assert_eq!(
            (&again.sights, again.runs),
            (&found.sights, 0),
            "what was measured is known the next time"
        );
    }
    (patchwork, found)
}

/// The sight of each changed line, by its text in the new version.
fn check(case: Case<'_>, expected: &[(&str, Sight)]) {
    let (patchwork, found) = measured(case);
    let found = found.unwrap().expect("there is something to see");
    let text = |change: &nub_change::Change| {
        let place = change.new.as_ref().unwrap();
        let (_, text) = case.new.iter().find(|(path, _)| *path == place.path.to_string()).unwrap();
        text.lines().nth(place.lines.start).unwrap().trim().to_owned()
    };
    let sights: Vec<(String, Sight)> =
        patchwork.changes().iter().map(text).zip(found.sights.iter().copied()).collect();
    let expected: Vec<(String, Sight)> =
        expected.iter().map(|(text, sight)| ((*text).to_owned(), *sight)).collect();
    assert_eq!(sights, expected);
}

const PYTHON_OLD: &[(&str, &str)] =
    &[("lib/shape.py", "def used():\n    pass\n"), ("run.py", "import shape\nshape.used()\n")];
const PYTHON_NEW: &[(&str, &str)] = &[
    ("lib/shape.py", "def used():\n    x = 1\n    pass\ndef idle():\n    return 2\n"),
    ("run.py", "import shape\nshape.used()\n"),
];

#[test]
fn python_is_measured_even_if_the_test_sets_its_path_and_the_process_dies() {
    let expected = [("x = 1", Ran), ("def idle():", Idle), ("return 2", Idle)];
    let case = Case { old: PYTHON_OLD, new: PYTHON_NEW, collect: Collect::Worthwhile, ..CASE };
    check(Case { test: "PYTHONPATH=lib python3 run.py", ..case }, &expected);
    let dies = "cd lib && ! python3 -c 'import os, shape; shape.used(); os.abort()'";
    check(Case { test: dies, ..case }, &expected);
    let leaves =
        "python3 -c 'import sys; sys.path.append(\"lib\"); import os, shape; shape.used(); os._exit(0)'";
    check(Case { test: leaves, ..case }, &expected);
    let threads = "PYTHONPATH=lib python3 -c 'import threading, shape; t = threading.Thread(target=shape.used); t.start(); t.join()'";
    check(Case { test: threads, ..case }, &expected);
}

#[test]
fn where_no_change_ran_the_tools_are_blind_and_nothing_is_believed() {
    let with = [PYTHON_NEW, &[("lib/other.py", "y = 1\n")]].concat();
    let case = Case { old: PYTHON_NEW, new: &with, test: "PYTHONPATH=lib python3 run.py", ..CASE };
    let (_, found) = measured(case);
    assert_eq!(found.err().unwrap(), "what Python measured touches no change");
}

#[test]
fn a_sitecustomize_of_the_users_still_runs() {
    let with = |files: &[(&'static str, &'static str)]| {
        let more: &[(&str, &str)] = &[("lib/sitecustomize.py", "import builtins\nbuiltins.mine = 1\n")];
        [files, more].concat()
    };
    let test = "PYTHONPATH=lib python3 -c 'import shape; shape.used(); mine'";
    let (old, new) = (with(PYTHON_OLD), with(PYTHON_NEW));
    check(
        Case { old: &old, new: &new, test, ..CASE },
        &[("x = 1", Ran), ("def idle():", Idle), ("return 2", Idle)],
    );
}

#[test]
fn what_passing_tests_run_too_is_counted() {
    let old: &[(&str, &str)] = &[("a.py", "")];
    let new: &[(&str, &str)] =
        &[("a.py", "import sys\nif len(sys.argv) > 1:\n    x = 1\nelse:\n    x = 2\n")];
    let case =
        Case { old, new, test: "python3 a.py more", also_pass: &["python3 a.py", "python3 a.py"], ..CASE };
    let (_, found) = measured(case);
    let found = found.unwrap().unwrap();
    assert_eq!(found.sights, [Ran, Ran, Ran, Unseen, Idle]);
    assert_eq!(found.shared, [2, 2, 0, 0, 2]);
    assert_eq!(found.runs, 6);
}

#[test]
fn javascript_is_measured() {
    let old: &[(&str, &str)] =
        &[("a.js", "exports.used = () => 1;\n"), ("run.js", "require('./a').used();\n")];
    let text = "exports.used = () => 1;\nfunction idle() {\n  return 2;\n}\nexports.more = 3;\n";
    let new: &[(&str, &str)] = &[("a.js", text), old[1]];
    let expected =
        [("function idle() {", Idle), ("return 2;", Idle), ("}", Idle), ("exports.more = 3;", Ran)];
    check(Case { old, new, test: "node run.js", collect: Collect::Worthwhile, ..CASE }, &expected);
}

#[test]
fn what_a_script_was_made_from_is_known_by_its_functions_where_no_source_map_tells() {
    let old: &[(&str, &str)] = &[("src/a.ts", "export const unit: number = 1\n")];
    let text = "export const unit: number = 1\nexport function area(w: number, h: number): number {\n  if (w < 0)\n    return -w\n  return w * h\n}\nexport function idle(a: number): number {\n  return area(a, a)\n}\n";
    let new: &[(&str, &str)] = &[("src/a.ts", text)];
    let expected = [
        ("export function area(w: number, h: number): number {", Ran),
        ("if (w < 0)", Ran),
        ("return -w", Idle),
        ("return w * h", Ran),
        ("}", Unseen),
        ("export function idle(a: number): number {", Idle),
        ("return area(a, a)", Idle),
        ("}", Idle),
    ];
    let build = "sed -e 's/: number//g' -e 's/^export //' src/a.ts >out.js";
    let test = "echo 'typeof area === \"function\" && area(1, unit);' >>out.js && node out.js";
    check(Case { old, new, build, test, collect: Collect::Worthwhile, ..CASE }, &expected);
}

#[test]
fn where_nothing_that_changed_ran_silence_tells_nothing() {
    // The library is read and not loaded, so that its name never shows.
    let run = "const { readFileSync } = require('fs');\nnew Function(readFileSync('lib.js', 'utf8'))();\n";
    let old: &[(&str, &str)] = &[("lib.js", "1;\n"), ("run.js", run)];
    let new: &[(&str, &str)] = &[("lib.js", "1;\n2;\n"), ("run.js", run)];
    let (_, found) = measured(Case { old, new, test: "node run.js", ..CASE });
    assert_eq!(found, Err("what JavaScript measured touches no change".into()));
}

const C_OLD: &[(&str, &str)] =
    &[("src/a.c", "#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    abort();\n}\n")];
const C_NEW: &[(&str, &str)] = &[(
    "src/a.c",
    "#include <stdlib.h>\n#define N 1\nint limit = 2;\nstatic int idle(int n)\n{\n    return n + N;\n}\nint main(int argc, char **argv)\n{\n    if (argc > 3)\n        return idle(argc);\n    abort();\n}\n",
)];

#[test]
fn c_is_measured_even_if_the_program_crashes() {
    let (build, test) = ("cd src && cc -c a.c -o ../a.o && cd .. && cc a.o -o a", "! ./a");
    let expected = [
        ("#define N 1", Unseen),
        ("int limit = 2;", Unseen),
        ("static int idle(int n)", Idle),
        ("{", Idle),
        ("return n + N;", Idle),
        ("}", Idle),
        ("if (argc > 3)", Ran),
        ("return idle(argc);", Idle),
    ];
    check(Case { old: C_OLD, new: C_NEW, build, test, ..CASE }, &expected);
    check(Case { old: C_OLD, new: C_NEW, build: "gcc src/a.c -o a", test, ..CASE }, &expected);
    // Its counts are in another format; the usual set-up does not have it.
    if std::process::Command::new("clang").arg("--version").output().is_ok() {
        let build = "cd src && clang -c a.c -o ../a.o && cd .. && clang a.o -o a";
        check(Case { old: C_OLD, new: C_NEW, build, test, ..CASE }, &expected);
    }
}

#[test]
fn what_needs_a_build_is_measured_if_that_is_wanted_or_a_search_would_be_long() {
    let case = Case { old: C_OLD, new: C_NEW, build: "cc src/a.c -o a", test: "! ./a", ..CASE };
    assert_eq!(measured(Case { collect: Collect::Worthwhile, ..case }).1, Ok(None));
    assert_eq!(measured(Case { collect: Collect::Off, ..case }).1, Ok(None));

    let lines = |number: u32| -> String {
        (0..200).map(|i| format!("    n += {number};\n    m += {i};\n")).collect()
    };
    let program = |number: u32| {
        format!("int main(void)\n{{\n    int n = 0, m = 0;\n{}    return 0;\n}}\n", lines(number))
    };
    let [old, new] = [program(1), program(2)];
    let (old, new): (&[_], &[_]) = (&[("src/a.c", old.as_str())], &[("src/a.c", new.as_str())]);
    let long = Case { old, new, test: "./a", collect: Collect::Worthwhile, ..case };
    let (_, found) = measured(long);
    assert_eq!(found.unwrap().expect("it is measured").sights, [Ran; 200]);

    // However much changed in tables that no tool sees.
    let [table, other] = [0, 1].map(|k| (0..300).map(|i| format!("{i}={k}\n\n")).collect::<String>());
    let old: Vec<_> = old.iter().copied().chain([("a.table", table.as_str())]).collect();
    let new: Vec<_> = new.iter().copied().chain([("a.table", other.as_str())]).collect();
    let (_, found) = measured(Case { old: &old, new: &new, ..long });
    assert_eq!(found.unwrap().expect("it is measured").with(Ran).len(), 200);
}

#[test]
fn rust_is_measured_or_the_missing_tool_named() {
    let old: &[(&str, &str)] = &[("a.rs", "fn main() {}\n")];
    let text =
        "fn main() {\n    used();\n}\nfn used() {}\n#[allow(dead_code)]\npub fn idle() {\n    used();\n}\n";
    let new: &[(&str, &str)] = &[("a.rs", text)];
    // A compiler called by itself does not look at RUSTFLAGS.
    let case = Case { old, new, build: "rustc $RUSTFLAGS a.rs -o a", test: "./a", ..CASE };
    match measured(case).1 {
        Ok(found) => {
            let sights = found.unwrap().sights;
            assert_eq!(sights.iter().filter(|sight| **sight == Ran).count(), 4, "{sights:?}");
            assert_eq!(sights[sights.len() - 3..], [Idle, Idle, Idle], "{sights:?}");
        }
        Err(reason) => assert!(reason.contains("`rustup component add llvm-tools` adds it"), "{reason}"),
    }
}

#[test]
fn go_is_measured_or_the_missing_tool_named() {
    let module = ("go.mod", "module example.com/m\n\ngo 1.19\n");
    let test = ("a_test.go", "package m\n\nimport \"testing\"\n\nfunc TestUsed(t *testing.T) { Used() }\n");
    let old: &[(&str, &str)] = &[module, test, ("a.go", "package m\n\nfunc Used() {}\n")];
    let text = "package m\n\nfunc Used() {\n\tx := 1\n\t_ = x\n}\n\nfunc Idle() {\n\tUsed()\n}\n";
    let new: &[(&str, &str)] = &[module, test, ("a.go", text)];
    match measured(Case { old, new, test: "HOME=$TMPDIR go test ./...", ..CASE }).1 {
        Ok(found) => {
            let sights = found.unwrap().sights;
            assert_eq!(sights.first(), Some(&Ran), "{sights:?}");
            assert_eq!(sights.last(), Some(&Idle), "{sights:?}");
        }
        Err(reason) => assert_eq!(reason, "Go: `go` is not in PATH"),
    }
}

#[test]
fn java_is_measured_by_its_methods_at_least_or_what_is_missing_is_named() {
    let text = |used: &str, idle: &str| {
        format!(
            "package p;\n\nclass A {{\n  static int used() {{\n    return {used};\n  }}\n\n  static int idle() {{\n    return {idle};\n  }}\n}}\n"
        )
    };
    let main = "package p;\n\nclass T {\n  public static void main(String[] a) {\n    Runnable r = () -> A.used();\n    r.run();\n  }\n}\n";
    let other = |x: &str| format!("package p;\n\nclass Other {{\n  int f() {{\n    return {x};\n  }}\n}}\n");
    let (a_old, a_new, other_old, other_new) = (text("1", "2"), text("3", "4"), other("5"), other("6"));
    let old: &[(&str, &str)] = &[("p/T.java", main), ("p/A.java", &a_old), ("p/Other.java", &other_old)];
    let new: &[(&str, &str)] = &[("p/T.java", main), ("p/A.java", &a_new), ("p/Other.java", &other_new)];
    match measured(Case { old, new, build: "javac p/*.java", test: "java -cp . p.T", ..CASE }).1 {
        Ok(found) => assert_eq!(found.unwrap().sights, [Ran, Idle, Idle]),
        Err(reason) => assert!(
            reason.starts_with("Java: the agent of JaCoCo was not found")
                && reason.ends_with("`java` is not in PATH"),
            "{reason}"
        ),
    }
}

#[test]
fn coverage_is_left_out_where_the_test_says_something_else_or_nothing_is_seen() {
    let case = Case { old: PYTHON_OLD, new: PYTHON_NEW, ..CASE };
    let reason = |case| measured(case).1.unwrap_err();
    let disturbed = "test -z \"$NUB_COVERAGE_OUT\"";
    assert_eq!(
        reason(Case { test: disturbed, ..case }),
        "the test says something else of the old version when it is measured"
    );
    assert_eq!(
        reason(Case { test: "true", ..case }),
        "the test ran no line of the version that the tools could see"
    );
    assert_eq!(
        reason(Case { build: "false", test: "PYTHONPATH=lib python3 run.py", ..case }),
        "the old version does not build when it is measured"
    );
    assert_eq!(
        reason(Case { test: "PYTHONPATH=lib python3 run.py", also_pass: &["exit 3"], ..case }),
        "`exit 3` does not pass on the old version: it exited with code 3"
    );
}
