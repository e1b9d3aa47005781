//! Java: JaCoCo's agent through `JAVA_TOOL_OPTIONS`, and its command line to make a report, where both are found.
//!
//! Without JaCoCo, Java itself tells which methods it runs.

mod methods;

use super::collector::{Collector, Site, files_below, has_ending, said};
use nub_change::coverage::{self, Report};
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
        let added = agent(site)
            .map(|option| vec![option])
            .or_else(|missing| methods::options(site).map_err(|reason| format!("{missing}, and {reason}")))?;
        for option in added {
            // There may be spaces in a path.
            options.push(" \"");
            options.push(option);
            options.push("\"");
        }
        Ok(vec![("JAVA_TOOL_OPTIONS".into(), options)])
    }

    fn gather(&self, site: &Site<'_>) -> Result<Report, String> {
        let data = jacoco_data(site);
        if data.exists() { jacoco_report(site, data) } else { methods::report(site) }
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
