//! Coverage on the command line: measured, brought along, and of no use.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod sandbox;

use expect_test::expect;
use sandbox::Sandbox;

const OLD: &str = "def area(w, h):\n    return w * h\n";
const NEW: &str = "def area(w, h):\n    unit = 1\n    return w + h\n\n\ndef idle():\n    return 0\n";

/// Since `v2` the area is wrong, and there is a function that nobody calls.
fn shape() -> Sandbox {
    let s = Sandbox::new();
    s.git("init -q -b main .");
    s.git("config user.name nobody");
    s.git("config user.email nobody@example.org");
    s.write("shape.py", OLD);
    s.write("notes.txt", "one\n");
    s.commit("v1");
    s.write("shape.py", NEW);
    s.write("notes.txt", "two\n");
    s.commit("v2");
    s
}

const TEST: &str = "python3 -c 'import shape; assert shape.area(3, 4) == 12'";

#[test]
fn what_runs_is_measured_by_default_where_it_needs_no_build() {
    let s = shape();
    let ran = s.nub(&["isolate", "v1", "v2", "--", TEST]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let said = "Coverage (Python): of 5 changes 2 ran, 2 did not, 1 cannot be seen\n";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert!(ran.stdout.contains("-    return w + h\n+    return w * h\n"), "{}", ran.stdout);

    let off = s.nub(&["isolate", "v1", "v2", "--coverage", "off", "--fresh", "--", TEST]);
    assert!(!off.stderr.contains("overage"), "{}", off.stderr);
    assert_eq!(off.stdout, ran.stdout);
}

#[test]
fn without_coverage_the_search_goes_on_and_says_why() {
    let s = shape();
    let test = format!("test -z \"$NUB_COVERAGE_OUT\" && {TEST}");
    let ran = s.nub(&["isolate", "v1", "v2", "--", &test]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let said = "warning: the search goes on without coverage: the test says something else of the old version when it \
                is measured\n";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
}

/// What the report says ran flips the test only as a whole; a line that did not run, it says, does so alone.
#[test]
fn a_very_large_result_that_coverage_led_to_is_searched_for_anew() {
    let s = Sandbox::new();
    let table = |word: &str| -> String { (0..110).map(|i| format!("print({i}, '{word}')\n")).collect() };
    for (version, word) in [("v1", "old"), ("v2", "new")] {
        s.write(format!("{version}/table.py"), table(word));
        s.write(format!("{version}/shape.py"), format!("print('{word}')\n"));
        let ran: String = (1..=110).map(|i| format!("DA:{i},1\n")).collect();
        let report = format!("SF:/x/table.py\n{ran}end_of_record\nSF:/x/shape.py\nDA:1,0\nend_of_record\n");
        s.write(format!("{version}.info"), report);
    }
    let reports = ["--coverage-old", "v1.info", "--coverage-new", "v2.info"];
    let test = "! { grep -q new shape.py && grep -q new table.py; }";
    let isolate = |jobs: &str| {
        let start = ["isolate", "v1", "v2", "--granularity", "line", "--fresh", "-j", jobs];
        s.nub(&[&start[..], &reports, &["--", test]].concat())
    };
    let ran = isolate("1");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("of 111 changes 110 ran, 1 did not"), "{}", ran.stderr);
    assert!(ran.stderr.contains("Take back 1 of 111 changes"), "{}", ran.stderr);
    assert_eq!(isolate("8").stdout, ran.stdout);
}

#[test]
fn reports_are_taken_instead_of_measuring() {
    let s = shape();
    s.write("old.info", "SF:/elsewhere/shape.py\nDA:1,1\nDA:2,1\nend_of_record\n");
    s.write("new.info", "SF:/elsewhere/shape.py\nDA:1,1\nDA:2,1\nDA:3,1\nDA:6,1\nDA:7,0\nend_of_record\n");
    let reports = ["--coverage-old", "old.info", "--coverage-new", "new.info"];
    let ran = s.nub(&[&["isolate", "v1", "v2"][..], &reports, &["--", TEST]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("Coverage (the reports): of 5 changes 2 ran, 2 did not"), "{}", ran.stderr);

    let diff = s.nub(&[&["diff", "v1", "v2", "--granularity", "line"][..], &reports].concat());
    expect![[r#"
        notes.txt  1 change
          0  1  - one  cannot be seen
                + two
        shape.py  4 changes
          1  2  + unit = 1  ran
          2  3  - return w * h  needs 1 (suite, 80%)  ran
                + return w + h
          3  4  + def idle():  needs 4 (suite, 80%)  did not run
          4  7  + return 0  needs 3 (enclosed, 95%)  did not run
    "#]]
    .assert_eq(&diff.stdout);
}

#[test]
fn a_report_that_cannot_be_used_is_refused_with_the_reason() {
    let s = shape();
    s.write("broken.info", "SF:shape.py\nDA:1,one\n");
    s.write("notes.html", "<html>");
    let refused = |file: &str| s.nub(&["isolate", "v1", "v2", "--coverage-new", file, "--", TEST]).refusal();
    expect![[r#"
        error: the coverage report `$/broken.info` cannot be used
          because: it looks like an lcov tracefile, but line 2 is not `DA:line,count`: `DA:1,one`
        hint: `nub isolate --coverage auto` measures by itself; `docs/coverage.md` tells how tools write reports
        exit code 2
    "#]]
    .assert_eq(&refused("broken.info"));
    assert!(
        refused("notes.html").contains("because: it is in no format of coverage reports that nub knows: ")
    );
    assert!(refused("missing").starts_with("error: failed to read the coverage report `$/missing`\n"));
}
