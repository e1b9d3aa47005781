//! Reports of real tools, made here or brought along, against lines known to have run.

#![allow(clippy::unwrap_used, reason = "all of this is a test")]

use nub_change::coverage::{self, Coverage, Report, Sight, sights};
use nub_change::{Entry, Patchwork, RelPath, Snapshot};
use std::path::Path;
use std::process::Command;

fn snapshot(files: &[(&str, &str)]) -> Snapshot {
    files
        .iter()
        .map(|(path, text)| (RelPath::try_from(*path).unwrap(), Entry::file(text.as_bytes())))
        .collect()
}

/// The numbers of lines, from 1, that ran and that did not.
fn lines(report: &Report, path: &str, text: &str) -> (Vec<usize>, Vec<usize>) {
    let coverage = Coverage::of(report, &snapshot(&[(path, text), ("other/unrelated.txt", "")]));
    let lines = coverage.lines(&RelPath::try_from(path).unwrap()).expect("the report speaks of the file");
    let with = |mark: bool| lines.iter().filter(|(_, ran)| **ran == mark).map(|(line, _)| line + 1).collect();
    (with(true), with(false))
}

fn check(report: &[u8], path: &str, text: &str, ran: &[usize], idle: &[usize]) {
    let report = coverage::read(report).unwrap();
    assert_eq!(lines(&report, path, text), (ran.to_vec(), idle.to_vec()), "{path}");
}

/// Runs a line of sh in a folder and gives what it printed.
fn sh(dir: &Path, line: &str) -> Vec<u8> {
    let output = Command::new("sh").args(["-ec", line]).current_dir(dir).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "`{line}` failed; ./check installs what it needs\n{said}");
    output.stdout
}

const C: &str = include_str!("samples/llvm/shape.c");
const C_RAN: [usize; 7] = [7, 9, 11, 21, 23, 25, 26];
const C_IDLE: [usize; 5] = [10, 14, 16, 18, 24];

fn c_program() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("src")).unwrap();
    std::fs::write(dir.path().join("src/shape.c"), C).unwrap();
    sh(dir.path(), "gcc --coverage -c src/shape.c -o shape.o && gcc --coverage shape.o -o shape && ./shape");
    dir
}

#[test]
fn gcov_json_tells_what_ran() {
    let dir = c_program();
    let report = sh(dir.path(), "gcov --json-format --stdout shape.gcda");
    check(&report, "src/shape.c", C, &C_RAN, &C_IDLE);
    check(&[&report[..], &report].concat(), "src/shape.c", C, &C_RAN, &C_IDLE);
}

#[test]
fn an_annotated_source_of_gcov_tells_what_ran() {
    let dir = c_program();
    let report = sh(dir.path(), "gcov -b -c shape.gcda >&2 && cat shape.c.gcov");
    check(&report, "src/shape.c", C, &C_RAN, &C_IDLE);
}

#[test]
fn an_lcov_tracefile_tells_what_ran() {
    let dir = c_program();
    let report = sh(dir.path(), "lcov -q -c -d . -o lcov.info >&2 && cat lcov.info");
    check(&report, "src/shape.c", C, &C_RAN, &C_IDLE);
}

#[test]
fn an_export_of_llvm_cov_tells_what_ran() {
    let report = include_bytes!("samples/llvm/export.json");
    // It speaks of every line of a body, and of the macro that was expanded.
    let ran = [3, 8, 9, 11, 12, 22, 23, 25, 26, 27];
    check(report, "shape.c", C, &ran, &[10, 15, 16, 18, 19, 24]);
}

#[test]
fn a_report_of_jacoco_tells_what_ran() {
    let text = include_str!("samples/jacoco/Shape.java");
    let report = include_bytes!("samples/jacoco/jacoco.xml");
    check(report, "src/main/java/org/example/Shape.java", text, &[7, 10, 19, 20], &[3, 8, 14, 15]);
}

#[test]
fn a_coverprofile_of_go_tells_what_ran() {
    let text = include_str!("samples/go/area.go");
    let report = include_bytes!("samples/go/cover.out");
    check(report, "area/area.go", text, &[4, 5, 8], &[6, 7, 12, 13, 14, 15]);
}

const JS: &str = include_str!("samples/istanbul/shape.js");

#[test]
fn reports_of_istanbul_tell_what_ran() {
    check(
        include_bytes!("samples/istanbul/nyc.json"),
        "shape.js",
        JS,
        &[3, 6, 8, 9, 17, 19, 21],
        &[7, 13, 14, 18],
    );
    check(
        include_bytes!("samples/istanbul/cobertura.xml"),
        "shape.js",
        JS,
        &[3, 5, 6, 9, 17, 21],
        &[7, 12, 13, 14, 18],
    );
    let c8 = coverage::read(include_bytes!("samples/istanbul/c8.json")).unwrap();
    assert_eq!(lines(&c8, "shape.js", JS).1, [7, 8, 12, 13, 14, 15, 18]);
}

#[test]
fn ranges_of_v8_tell_what_ran() {
    let dir = tempfile::tempdir().unwrap();
    // Characters of one, two and four bytes before the code must not move the marks.
    let text = format!("// aä€😀\n{JS}");
    std::fs::write(dir.path().join("shape.js"), &text).unwrap();
    std::fs::write(dir.path().join("main.js"), "require('./shape').used(2);").unwrap();
    let report = sh(dir.path(), "NODE_V8_COVERAGE=v8 node main.js && cat v8/*.json");
    let report = coverage::read(&report).unwrap();
    assert_eq!(lines(&report, "shape.js", &text).1, [8, 9, 13, 14, 15, 16, 19]);
}

#[test]
fn ranges_of_v8_are_put_on_the_lines_of_the_sources() {
    let dir = tempfile::tempdir().unwrap();
    let source = "const used = (n: number) =>\n  n * 2;\nconst idle = (n: number) =>\n  n + 1;\nused(2);\n";
    std::fs::create_dir(dir.path().join("src")).unwrap();
    std::fs::write(dir.path().join("src/a.ts"), source).unwrap();
    let made = "const used = (n) =>\n  n * 2;\nconst idle = (n) =>\n  n + 1;\nused(2);\n//# sourceMappingURL=a.js.map\n";
    std::fs::write(dir.path().join("a.js"), made).unwrap();
    let map = r#"{"version":3,"sources":["src/a.ts"],"names":[],"mappings":"AAAA;EACE;AACF;EACE;AACF"}"#;
    std::fs::write(dir.path().join("a.js.map"), map).unwrap();
    let report = sh(dir.path(), "NODE_V8_COVERAGE=v8 node a.js && cat v8/*.json");
    let report = coverage::read(&report).unwrap();
    assert_eq!(lines(&report, "src/a.ts", source), (vec![1, 2, 3, 5], vec![4]));
    assert_eq!(lines(&report, "a.js", made), (vec![1, 2, 3, 5, 6], vec![4]));
}

const PY: &str = "\
\"\"\"A shape.\"\"\"

LIMIT = 5


def used(n):
    if n > LIMIT:
        return -1
    return n * 2


def unused(n):
    \"\"\"Does not run.\"\"\"
    m = n

    return m + 1


print(used(2))
";

fn py_report(writer: &str) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("shape.py"), PY).unwrap();
    let python =
        "python=$(for p in python3 /usr/bin/python3; do $p -c 'import coverage' && echo $p && break; done)";
    sh(
        dir.path(),
        &format!(
            "{python}; $python -m coverage run shape.py >&2; $python -m coverage {writer} -o report >&2; cat report"
        ),
    )
}

#[test]
fn reports_of_coverage_py_tell_what_ran() {
    // Whether the text at the top counts as run depends on the tool's version.
    for writer in ["json", "xml"] {
        let report = coverage::read(&py_report(writer)).unwrap();
        let (ran, idle) = lines(&report, "shape.py", PY);
        assert_eq!(
            (&ran[ran.len() - 6..], &idle[..]),
            (&[3, 6, 7, 9, 12, 19][..], &[8, 14, 16][..]),
            "{writer}"
        );
    }
}

#[test]
fn what_is_no_report_or_a_broken_one_is_named_with_the_reason() {
    let said = |bytes: &[u8]| coverage::read(bytes).unwrap_err().to_string();
    assert!(said(b"hello").starts_with("it is in no format of coverage reports that nub knows: gcov JSON, "));
    assert!(said(b"").starts_with("it is in no format"));
    assert!(said(b"{\"a\": 1}").starts_with("it is in no format"));
    assert_eq!(
        said(b"SF:a.c\nDA:x,1\n"),
        "it looks like an lcov tracefile, but line 2 is not `DA:line,count`: `DA:x,1`"
    );
    assert_eq!(
        said(b"SF:a.c\nDA:1,1\n"),
        "it looks like an lcov tracefile, but it ends inside the record of `a.c`"
    );
    assert_eq!(said(b"TN:\n"), "it is an lcov tracefile, but says nothing of any file");
    let jacoco = include_bytes!("samples/jacoco/jacoco.xml");
    let cut = said(&jacoco[..jacoco.len() / 2]);
    assert!(cut.starts_with("it looks like JaCoCo XML, but"), "{cut}");
    let json = include_bytes!("samples/llvm/export.json");
    let cut = said(&[&json[..400], b"\"llvm.coverage.json.export\""].concat());
    assert!(cut.starts_with("it looks like llvm-cov JSON, but"), "{cut}");
    assert!(said(b"mode: set\na.go:1 2\n").contains("line 2 is not `file:line.column"));
    assert!(said(b"        -:    0:Source:a.c\n   what:    3:x\n").contains("line 2 has no count"));
    for (report, name) in [
        (&include_bytes!("samples/istanbul/nyc.json")[..], "Istanbul JSON"),
        (&include_bytes!("samples/istanbul/cobertura.xml")[..], "Cobertura XML"),
    ] {
        let cut = said(&report[..report.len() * 2 / 3]);
        assert!(cut.starts_with(&format!("it looks like {name}, but")), "{cut}");
    }
}

/// The sights of all changes between two versions of one file, of which the new one was measured.
fn changed(path: &str, old: &str, new: &str, report: &[u8]) -> Vec<(String, Sight)> {
    let (old, new) = (snapshot(&[(path, old)]), snapshot(&[(path, new)]));
    let patchwork = Patchwork::between(&old, &new);
    let coverage = Coverage::of(&coverage::read(report).unwrap(), &new);
    let text = new.get(&RelPath::try_from(path).unwrap()).unwrap().content.clone();
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    let sights = sights(&patchwork, &Coverage::default(), &coverage);
    let line = |change: &nub_change::Change| lines[change.new.as_ref().unwrap().lines.start].to_owned();
    patchwork.changes().iter().map(line).zip(sights).collect()
}

#[test]
fn a_function_that_never_ran_is_idle_with_its_braces_and_declarations_but_macros_stay_unseen() {
    let old = "int main(void) { return 0; }\n";
    let new = "#define N 1\nstatic int limit = 2;\n/* Never. */\nstatic int idle(int n)\n{\n    int m;\n#define M 2\n    m = n;\n    return m;\n}\nint main(void) { return 0; }\n";
    let report = b"SF:a.c\nDA:4,0\nDA:8,0\nDA:9,0\nDA:11,1\nend_of_record\n";
    use Sight::{Idle, Unseen};
    let expected = [Unseen, Unseen, Idle, Idle, Idle, Idle, Unseen, Idle, Idle, Idle];
    let found: Vec<Sight> = changed("a.c", old, new, report).into_iter().map(|(_, sight)| sight).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_python_function_that_never_ran_is_idle_with_its_head_unless_a_decorator_may_use_it() {
    let old = "used()\n";
    let new = "def idle(a,\n         b):\n    return a\nclass Idle:\n    @property\n    def p(self):\n        return 1\n@register\ndef seen():\n    return 2\nlimit = 3\nused()\n";
    let report = b"SF:a.py\nDA:1,1\nDA:3,0\nDA:4,1\nDA:5,1\nDA:6,1\nDA:7,0\nDA:8,1\nDA:9,1\nDA:10,0\nDA:11,1\nDA:12,1\nend_of_record\n";
    use Sight::{Idle, Ran, Unseen};
    let expected = [Idle, Idle, Idle, Idle, Idle, Idle, Idle, Unseen, Unseen, Unseen, Ran];
    let found = changed("a.py", old, new, report);
    assert_eq!(found.iter().map(|(_, sight)| *sight).collect::<Vec<_>>(), expected, "{found:#?}");
}

#[test]
fn the_lines_of_one_statement_are_alike() {
    let new = "f(a,\n  b\n)\nif c:\n    g(a,\n      b\n    )\n    # done\n";
    let report = b"SF:a.py\nDA:1,1\nDA:2,0\nDA:4,1\nDA:5,0\nend_of_record\n";
    use Sight::{Idle, Ran};
    let found: Vec<Sight> = changed("a.py", "", new, report).into_iter().map(|(_, sight)| sight).collect();
    assert_eq!(found, [Ran, Ran, Ran, Ran, Idle, Idle, Idle, Idle]);
}

#[test]
fn a_file_that_no_report_speaks_of_is_unseen_unless_its_silence_tells() {
    let (old, new) = (snapshot(&[("a.py", "x\n")]), snapshot(&[("a.py", "x\ny\n"), ("data.csv", "1\n")]));
    let patchwork = Patchwork::between(&old, &new);
    let seen = |report: &Report| sights(&patchwork, &Coverage::of(report, &old), &Coverage::of(report, &new));
    assert_eq!(seen(&Report::default()), [Sight::Unseen; 3]);
    let silent = Report { silent: vec!["py".into()], ..Report::default() };
    assert_eq!(seen(&silent), [Sight::Idle, Sight::Unseen, Sight::Unseen]);
}

#[test]
fn in_a_file_that_was_not_compiled_functions_are_idle_and_tables_unseen() {
    let new = "int table[] = {1};\nint f(void)\n{\n    return 1;\n}\n";
    let (old, new) = (snapshot(&[("a.c", "")]), snapshot(&[("a.c", new)]));
    let patchwork = Patchwork::between(&old, &new);
    let report = Report { silent_functions: vec!["c".into()], ..Report::default() };
    let found = sights(&patchwork, &Coverage::of(&report, &old), &Coverage::of(&report, &new));
    use Sight::{Idle, Unseen};
    assert_eq!(found, [Unseen, Idle, Idle, Idle, Idle]);
}
