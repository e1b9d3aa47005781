//! How suspicious a file is before anything is known: a prior from its path alone.
//!
//! A test that changed its mind did so because of code, hardly ever because of prose. The numbers are rough
//! odds relative to code; they order a search and never exclude anything.

use crate::snapshot::RelPath;

/// The suspicion of a change that no compiler sees, in any file.
pub(crate) const LAYOUT_SUSPICION: f64 = 0.02;

/// The suspicion of a change that only puts a declaration elsewhere.
pub(crate) const ORDER_SUSPICION: f64 = 0.05;

/// The suspicion of a change in a file, relative to a change in code: more than 0, at most 1.
pub fn suspicion(path: &RelPath) -> f64 {
    let as_written = String::from_utf8_lossy(path.as_bytes());
    let written = as_written.to_lowercase();
    let (folders, name) = written.rsplit_once('/').unwrap_or(("", &written));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let in_folder = |names: &[&str]| folders.split('/').any(|folder| names.contains(&folder));

    let is_prose =
        ["md", "markdown", "rst", "adoc", "txt", "svg", "png", "jpg", "gif", "pdf"].contains(&ending);
    let is_build = ["cmakelists.txt", "requirements.txt", "meson_options.txt"].contains(&name);
    let is_lock = ending == "lock" || ["package-lock.json", "pnpm-lock.yaml", "go.sum"].contains(&name);
    let is_note = NOTES.iter().any(|note| stem.starts_with(note)) && (ending.is_empty() || is_prose);
    let is_service = in_folder(&[".github", ".circleci", ".gitlab"]) || name.starts_with(".git");
    let is_doc = in_folder(&["doc", "docs", "man", "website"]) || is_prose;
    let is_example = in_folder(&["examples", "example", "bench", "benches", "benchmarks", "demo"]);
    match () {
        _ if is_build => 1.0,
        _ if is_note => 0.02,
        _ if is_doc || is_service => 0.05,
        _ if is_example => 0.1,
        _ if is_lock || is_of_tests(path) => 0.2,
        _ => 1.0,
    }
}

/// Whether a file belongs to the tests, by its path.
pub fn is_of_tests(path: &RelPath) -> bool {
    let as_written = String::from_utf8_lossy(path.as_bytes());
    let written = as_written.to_lowercase();
    let (folders, name) = written.rsplit_once('/').unwrap_or(("", &written));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_folder =
        |name: &str| ["test", "tests", "spec", "specs", "__tests__", "testdata", "fixtures"].contains(&name);
    folders.split('/').any(is_folder)
        || stem.split(['_', '-', '.']).any(|word| ["test", "tests", "spec"].contains(&word))
        || camel_case_test(&as_written)
}

const NOTES: [&str; 9] =
    ["changelog", "changes", "history", "news", "readme", "license", "copying", "authors", "contributing"];

/// Whether a name ends like a test class in Java, C# or Kotlin.
fn camel_case_test(path: &str) -> bool {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    stem.ends_with("Test") || stem.ends_with("Tests")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_more_suspicious_than_tests_and_tests_than_docs() {
        let of = |path: &str| suspicion(&RelPath::try_from(path).unwrap());
        for code in
            ["src/parser.c", "latest/contest.py", "CMakeLists.txt", "requirements.txt", "package.json"]
        {
            assert_eq!(of(code), 1.0, "{code}");
        }
        for test in ["tests/a.py", "src/foo_test.go", "src/FooTest.java", "lib/a.spec.ts"] {
            assert!(of(test) < 1.0 && of(test) > of("docs/a.py"), "{test}");
        }
        let belongs = |path: &str| is_of_tests(&RelPath::try_from(path).unwrap());
        assert!(belongs("spec/data.txt") && belongs("check_test.sh"));
        assert!(!belongs("data.txt") && !belongs("examples/run.sh") && !belongs("package-lock.json"));
        assert!(of("CHANGELOG.md") < of("docs/index.rst"));
        assert!(of("Cargo.lock") < of("Cargo.toml"));
    }
}
