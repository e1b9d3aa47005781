//! Java: JaCoCo's agent through `JAVA_TOOL_OPTIONS`, and its command line to make a report, where both are found.
//!
//! Without JaCoCo, Java itself tells which classes it loads. That is little, and in a large program it is enough: what
//! is in no class that was loaded did not run.

use super::collector::{Collector, Site, files_below, has_ending, program, said};
use nub_change::coverage::{self, Measured, Report};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

pub(super) struct Java;

impl Collector for Java {
    fn language(&self) -> &'static str {
        "Java"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["java", "kt"]
    }

    fn silent_functions(&self) -> &'static [&'static str] {
        self.endings()
    }

    fn set_up(&self, site: &Site<'_>) -> Result<Vec<(OsString, OsString)>, String> {
        let mut options = std::env::var_os("JAVA_TOOL_OPTIONS").unwrap_or_default();
        options.push(" ");
        options.push(agent(site).or_else(|missing| {
            let option = loaded_classes(site).map_err(|reason| format!("{missing}, and {reason}"));
            option.map(OsString::from)
        })?);
        Ok(vec![("JAVA_TOOL_OPTIONS".into(), options)])
    }

    fn gather(&self, site: &Site<'_>) -> Result<Report, String> {
        let data = jacoco_data(site);
        if data.exists() { jacoco_report(site, data) } else { loaded_report(site) }
    }
}

fn jacoco_data(site: &Site<'_>) -> PathBuf {
    site.data().join("java.exec")
}

/// The option that brings JaCoCo in.
fn agent(site: &Site<'_>) -> Result<OsString, String> {
    let agent = jar("the agent", |name| name == "jacocoagent.jar" || name.ends_with("-runtime.jar"))?;
    command_line()?;
    let mut option = OsString::from("-javaagent:");
    option.push(agent);
    option.push("=destfile=");
    option.push(jacoco_data(site));
    Ok(option)
}

fn jacoco_report(site: &Site<'_>, data: PathBuf) -> Result<Report, String> {
    let xml = site.data().join("java.xml");
    let mut folders: Vec<PathBuf> = files_below(site.workspace, &mut |path| has_ending(path, "class"))
        .iter()
        .filter_map(|path| path.parent().map(Path::to_path_buf))
        .collect();
    folders.dedup();
    let words = ["java".into(), "-jar".into(), command_line()?.into(), "report".into(), data.into()];
    let folders = folders.into_iter().flat_map(|folder| ["--classfiles".into(), folder.into_os_string()]);
    site.run(words.into_iter().chain(folders).chain(["--xml".into(), xml.clone().into()]).collect())?;
    let bytes = fs::read(&xml).map_err(|error| said(&xml, &error))?;
    coverage::read(&bytes).map_err(|error| error.to_string())
}

/// The option that lets each Java write the classes that it loads to a file of its own.
fn loaded_classes(site: &Site<'_>) -> Result<String, String> {
    let option = format!("-Xlog:class+load:file={}/loaded-%p.txt:none", site.data().display());
    program("java").ok_or("`java` is not in PATH")?;
    let asked = site.run(vec!["java".into(), option.clone().into(), "-version".into()]);
    asked.map_err(|_| "this Java does not tell which classes it loads (Java 9 and later do)")?;
    Ok(option)
}

/// All lines of the files that the loaded classes were made from.
fn loaded_report(site: &Site<'_>) -> Result<Report, String> {
    let mut classes: BTreeSet<String> = BTreeSet::new();
    for path in files_below(&site.data(), &mut |path| has_ending(path, "txt")) {
        let text = fs::read(&path).map_err(|error| said(&path, &error))?;
        classes.extend(String::from_utf8_lossy(&text).lines().filter_map(loaded_class));
    }
    let is_source = &mut |path: &Path| Java.endings().iter().any(|ending| has_ending(path, ending));
    let sources = files_below(site.workspace, is_source);
    let mut files = Vec::new();
    for path in sources_of(&classes, &sources) {
        let text = fs::read(path).map_err(|error| said(path, &error))?;
        let lines = text.split(|&b| b == b'\n').count();
        files.push(Measured::whole(path.display().to_string(), lines));
    }
    Ok(Report { files, ..Report::default() })
}

/// The class of a line such as `org.example.Outer$Inner source: file:/folder/`, unless it is made while running.
fn loaded_class(line: &str) -> Option<String> {
    let (class, _) = line.split_once(" source: ")?;
    let outer = class.split('$').next()?;
    (!class.contains('/') && !outer.is_empty()).then(|| outer.replace('.', "/"))
}

/// The files of these classes: those of their names, or for a class in a file of another name all of its package.
fn sources_of<'a>(classes: &BTreeSet<String>, sources: &'a [PathBuf]) -> Vec<&'a PathBuf> {
    let mut found: BTreeSet<&PathBuf> = BTreeSet::new();
    for class in classes {
        let is_it = |path: &&PathBuf| path.with_extension("").ends_with(class);
        let mut own = sources.iter().filter(is_it).peekable();
        match (own.peek().is_some(), class.rsplit_once('/')) {
            (true, _) => found.extend(own),
            (false, Some((package, _))) => {
                let is_beside =
                    |path: &&PathBuf| path.parent().is_some_and(|folder| folder.ends_with(package));
                found.extend(sources.iter().filter(is_beside));
            }
            (false, None) => {}
        }
    }
    found.into_iter().collect()
}

fn command_line() -> Result<PathBuf, String> {
    let is_command_line = |name: &str| name.starts_with("org.jacoco.cli") && name.ends_with("nodeps.jar");
    jar("the command line", |name| name == "jacococli.jar" || is_command_line(name))
}

/// A part of JaCoCo: below `JACOCO_HOME`, or in the local repository of Maven.
fn jar(part: &str, fits: impl Fn(&str) -> bool) -> Result<PathBuf, String> {
    let home = std::env::var_os("JACOCO_HOME").map(PathBuf::from);
    let maven = std::env::var_os("HOME").map(|home| Path::new(&home).join(".m2/repository/org/jacoco"));
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let mut found = home.into_iter().chain(maven).flat_map(|folder| {
        files_below(&folder, &mut |path| name(path).is_some_and(|name| fits(&name))).into_iter().rev()
    });
    let missing = || format!("{part} of JaCoCo was not found in JACOCO_HOME or ~/.m2/repository");
    found.next().ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_log_names_a_class() {
        let class = |line| loaded_class(line);
        assert_eq!(class("org.example.A source: file:/x/out/"), Some("org/example/A".into()));
        assert_eq!(class("org.example.A$B$1 source: file:/x/out/"), Some("org/example/A".into()));
        assert_eq!(class("T$$Lambda$14/0x00007f1 source: T"), None);
        assert_eq!(class("[warning] something else"), None);
    }

    #[test]
    fn a_class_stands_in_the_file_of_its_name_or_somewhere_in_its_package() {
        let sources = ["src/org/example/A.java", "src/org/example/B.kt", "src/org/other/A.java", "T.java"];
        let sources: Vec<PathBuf> = sources.iter().map(PathBuf::from).collect();
        let of = |class: &str| -> Vec<String> {
            let classes = [class.to_owned()].into();
            sources_of(&classes, &sources).iter().map(|path| path.display().to_string()).collect()
        };
        assert_eq!(of("org/example/A"), ["src/org/example/A.java"]);
        assert_eq!(of("org/example/BKt"), ["src/org/example/A.java", "src/org/example/B.kt"]);
        assert_eq!(of("T"), ["T.java"]);
        assert_eq!(of("java/lang/String"), [""; 0]);
    }
}
