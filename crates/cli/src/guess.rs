//! How a project is built and tested, told by the files at its top.
//!
//! A guess is always shown, and always second to what the user says. The build is kept apart from the test
//! wherever the tool allows it, even where the test would build by itself: only so a change that does not
//! compile is told from one that fails.

use nub_change::{RelPath, Snapshot};

/// Commands for a kind of project, as lines for sh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// What the project is taken for.
    pub layout: &'static str,
    /// How to build it, if it must be built.
    pub build: Option<String>,
    /// How to test it, if that can be told.
    pub test: Option<String>,
}

/// What the files in a folder of a version look like.
pub fn guess(version: &Snapshot, folder: Option<&RelPath>) -> Option<Guess> {
    let top = Top { version, folder };
    LAYOUTS.iter().find_map(|layout| layout(&top))
}

/// From those that say most to those that say least: a Makefile stands in projects of every kind.
const LAYOUTS: [fn(&Top<'_>) -> Option<Guess>; 8] = [cargo, go, maven, gradle, cmake, npm, pytest, make];

/// The folder that is looked at.
struct Top<'a> {
    version: &'a Snapshot,
    folder: Option<&'a RelPath>,
}

impl Top<'_> {
    fn text(&self, name: &str) -> Option<String> {
        let path = match self.folder {
            Some(folder) => RelPath::new([folder.as_bytes(), b"/", name.as_bytes()].concat()).ok()?,
            None => RelPath::try_from(name).ok()?,
        };
        self.version.get(&path).map(|entry| String::from_utf8_lossy(&entry.content).into_owned())
    }

    fn has(&self, name: &str) -> bool {
        self.text(name).is_some()
    }

    /// Whether the folder, or a folder in it called `tests` or `test`, holds a file that pytest would
    /// collect.
    fn has_python_tests(&self) -> bool {
        let prefix = self.folder.map_or(Vec::new(), |folder| [folder.as_bytes(), b"/"].concat());
        self.version.paths().any(|path| {
            let name = path.name();
            let above = path.as_bytes().strip_prefix(&*prefix).and_then(|rest| rest.strip_suffix(name));
            let is_test =
                name.ends_with(b".py") && (name.starts_with(b"test_") || name.ends_with(b"_test.py"));
            is_test && above.is_some_and(|above| matches!(above, b"" | b"tests/" | b"test/"))
        })
    }
}

fn commands(layout: &'static str, build: Option<&str>, test: Option<&str>) -> Option<Guess> {
    Some(Guess { layout, build: build.map(Into::into), test: test.map(Into::into) })
}

fn cargo(top: &Top<'_>) -> Option<Guess> {
    top.text("Cargo.toml")?;
    commands("Cargo", Some("cargo test --no-run"), Some("cargo test"))
}

fn go(top: &Top<'_>) -> Option<Guess> {
    top.text("go.mod")?;
    commands("Go", Some("go test -run '^$' ./..."), Some("go test ./..."))
}

fn maven(top: &Top<'_>) -> Option<Guess> {
    top.text("pom.xml")?;
    let mvn = if top.has("mvnw") { "./mvnw" } else { "mvn" };
    commands("Maven", Some(&format!("{mvn} -q test-compile")), Some(&format!("{mvn} -q test")))
}

fn gradle(top: &Top<'_>) -> Option<Guess> {
    ["build.gradle", "build.gradle.kts"].iter().find_map(|name| top.text(name))?;
    let gradle = if top.has("gradlew") { "./gradlew" } else { "gradle" };
    commands("Gradle", Some(&format!("{gradle} -q testClasses")), Some(&format!("{gradle} -q test")))
}

fn cmake(top: &Top<'_>) -> Option<Guess> {
    top.text("CMakeLists.txt")?;
    commands(
        "CMake",
        Some("cmake -S . -B build && cmake --build build"),
        Some("ctest --test-dir build --output-on-failure"),
    )
}

fn npm(top: &Top<'_>) -> Option<Guess> {
    let package: serde_json::Value = serde_json::from_str(&top.text("package.json")?).ok()?;
    let has = |script: &str| package["scripts"][script].is_string();
    commands("npm", has("build").then_some("npm run build"), has("test").then_some("npm test"))
}

fn pytest(top: &Top<'_>) -> Option<Guess> {
    let speaks = |name: &str, word: &str| top.text(name).is_some_and(|text| text.contains(word));
    let is_set_up = top.has("pytest.ini")
        || speaks("pyproject.toml", "[tool.pytest")
        || speaks("setup.cfg", "[tool:pytest]")
        || speaks("tox.ini", "[pytest]");
    (is_set_up || top.has_python_tests()).then_some(())?;
    commands("pytest", None, Some("python3 -m pytest -x -q"))
}

fn make(top: &Top<'_>) -> Option<Guess> {
    let text = ["GNUmakefile", "makefile", "Makefile"].iter().find_map(|name| top.text(name))?;
    let has = |target: &str| text.lines().any(|line| line.starts_with(&format!("{target}:")));
    let test = ["test", "check"].into_iter().find(|target| has(target));
    commands("Make", Some("make"), test.map(|target| format!("make {target}")).as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nub_change::Entry;

    fn check(files: &[(&str, &str)], expected: Option<(&str, Option<&str>, Option<&str>)>) {
        let entry = |text: &str| Entry::file(text.as_bytes());
        for folder in [None, Some("sub")] {
            let place = |path: &str| folder.map_or(path.into(), |folder| format!("{folder}/{path}"));
            let version: Snapshot = files
                .iter()
                .map(|(path, text)| (RelPath::try_from(place(path).as_str()).unwrap(), entry(text)))
                .collect();
            let folder = folder.map(|folder| RelPath::try_from(folder).unwrap());
            let found = guess(&version, folder.as_ref());
            let found = found.as_ref().map(|g| (g.layout, g.build.as_deref(), g.test.as_deref()));
            assert_eq!(found, expected, "{files:?} in {folder:?}");
        }
    }

    #[test]
    fn layouts_are_told_by_their_files() {
        let cargo = ("Cargo", Some("cargo test --no-run"), Some("cargo test"));
        check(&[("Cargo.toml", "")], Some(cargo));
        check(&[("Cargo.toml", ""), ("Makefile", "test:\n")], Some(cargo));
        check(&[("go.mod", "")], Some(("Go", Some("go test -run '^$' ./..."), Some("go test ./..."))));
        check(&[("pom.xml", "")], Some(("Maven", Some("mvn -q test-compile"), Some("mvn -q test"))));
        check(
            &[("pom.xml", ""), ("mvnw", "")],
            Some(("Maven", Some("./mvnw -q test-compile"), Some("./mvnw -q test"))),
        );
        check(
            &[("build.gradle.kts", "")],
            Some(("Gradle", Some("gradle -q testClasses"), Some("gradle -q test"))),
        );
        check(
            &[("build.gradle", ""), ("gradlew", "")],
            Some(("Gradle", Some("./gradlew -q testClasses"), Some("./gradlew -q test"))),
        );
        check(
            &[("CMakeLists.txt", "")],
            Some((
                "CMake",
                Some("cmake -S . -B build && cmake --build build"),
                Some("ctest --test-dir build --output-on-failure"),
            )),
        );
        check(
            &[("package.json", r#"{"scripts":{"test":"jest","build":"tsc"}}"#)],
            Some(("npm", Some("npm run build"), Some("npm test"))),
        );
        check(&[("package.json", r#"{"scripts":{"test":"jest"}}"#)], Some(("npm", None, Some("npm test"))));
        check(&[("package.json", "{}")], Some(("npm", None, None)));
        check(&[("Makefile", "all: x\n\ncheck: all\n")], Some(("Make", Some("make"), Some("make check"))));
        check(&[("makefile", "all: x\n")], Some(("Make", Some("make"), None)));
    }

    #[test]
    fn pytest_is_told_by_its_settings_or_its_tests() {
        let pytest = Some(("pytest", None, Some("python3 -m pytest -x -q")));
        check(&[("pytest.ini", "")], pytest);
        check(&[("pyproject.toml", "[tool.pytest.ini_options]\n")], pytest);
        check(&[("setup.cfg", "[tool:pytest]\n"), ("Makefile", "")], pytest);
        check(&[("test_a.py", "")], pytest);
        check(&[("tests/a_test.py", "")], pytest);
        check(&[("pyproject.toml", "[project]\n")], None);
        check(&[("deep/down/test_a.py", "")], None);
    }

    #[test]
    fn nothing_is_guessed_about_the_unknown() {
        check(&[("main.c", ""), ("README", "")], None);
        check(&[("package.json", "not JSON")], None);
    }
}
