//! `nub.toml`: options of a project, written down.
//!
//! ```toml
//! [isolate]
//! build = "make -j4"
//! test = ["./repro.sh", "--quick"]    # a program and its arguments; a string is a line for sh
//! pin = ["tests"]
//! jobs = 4
//! clean = true
//! ```
//!
//! Each key is a long option of the command. The file is turned into arguments that come before the typed
//! ones, so it can say whatever can be typed, is checked by the same rules, and what is typed wins.

use crate::args::Args;
use crate::error::CommandError;
use crate::exit::ExitCode;
use clap::Parser;
use std::ffi::OsString;
use std::path::Path;
use toml::{Table, Value};

/// The arguments that a file stands for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Settings {
    options: Vec<String>,
    test: Vec<String>,
}

const DEFAULT: &str = "nub.toml";

/// Reads the file, or the default one in `here` if there is one.
pub fn load(here: &Path, config: Option<&Path>) -> Result<Settings, CommandError> {
    let path = match config {
        Some(path) => here.join(path),
        None if here.join(DEFAULT).is_file() => here.join(DEFAULT),
        None => return Ok(Settings::default()),
    };
    let unreadable = |error: std::io::Error| {
        CommandError::new(ExitCode::Usage, format!("failed to read `{}`", path.display())).because(error)
    };
    let text = std::fs::read_to_string(&path).map_err(unreadable)?;
    let settings = parse(&text).map_err(|said| bad(&path, &said))?;
    settings.check().map_err(|said| bad(&path, &said))?;
    Ok(settings)
}

fn bad(path: &Path, said: &str) -> CommandError {
    let message = format!("`{}` cannot be used: {said}", path.display());
    CommandError::new(ExitCode::Usage, message).hint("its keys are the long options of `nub isolate --help`")
}

fn parse(text: &str) -> Result<Settings, String> {
    let table: Table =
        text.parse().map_err(|error: toml::de::Error| error.to_string().trim_end().to_owned())?;
    let mut settings = Settings::default();
    for (section, value) in &table {
        match (section.as_str(), value) {
            ("isolate", Value::Table(options)) => settings.add(options)?,
            _ => return Err(format!("it has `{section}`, but only the section [isolate] is known")),
        }
    }
    Ok(settings)
}

impl Settings {
    fn add(&mut self, options: &Table) -> Result<(), String> {
        for (key, value) in options {
            let values = match value {
                Value::Array(values) => values.iter().map(|value| scalar(key, value)).collect(),
                value => scalar(key, value).map(|value| vec![value]),
            }?;
            match (key.as_str(), value) {
                ("test", _) => self.test = values,
                ("config" | "out", _) => return Err(format!("`{key}` can only be typed")),
                (_, Value::Boolean(true)) => self.options.push(format!("--{key}")),
                (_, Value::Boolean(false)) => {}
                _ => self.options.extend(values.iter().map(|value| format!("--{key}={value}"))),
            }
        }
        Ok(())
    }

    /// Finds faults of the file before anything typed comes in.
    fn check(&self) -> Result<(), String> {
        let arguments = ["nub", "isolate"].into_iter().chain(self.options.iter().map(String::as_str));
        let first_line = |error: clap::Error| {
            let text = error.to_string();
            text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
        };
        Args::try_parse_from(arguments).map(drop).map_err(first_line)
    }

    /// The typed arguments of `nub isolate`, after those of the file.
    pub fn before(&self, typed: &[OsString]) -> Vec<OsString> {
        let typed_test = typed.iter().any(|word| word == "--");
        let options = self.options.iter().map(OsString::from);
        let mut arguments: Vec<OsString> = options.chain(typed.iter().cloned()).collect();
        if !typed_test && !self.test.is_empty() {
            arguments.push("--".into());
            arguments.extend(self.test.iter().map(OsString::from));
        }
        arguments
    }
}

fn scalar(key: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Boolean(truth) => Ok(truth.to_string()),
        _ => Err(format!("`{key}` is neither a text, a number, true or false, nor a list of texts")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before(file: &str, typed: &[&str]) -> String {
        let typed: Vec<OsString> = typed.iter().map(OsString::from).collect();
        parse(file).unwrap().before(&typed).join(" ".as_ref()).into_string().unwrap()
    }

    #[test]
    fn a_file_stands_for_arguments_before_the_typed_ones() {
        let file = "[isolate]\nbuild = 'make'\njobs = 4\nclean = true\nfresh = false\npin = ['a', 'b']\ntest = ['t', '-x']";
        assert_eq!(
            before(file, &["v1", "-j2"]),
            "--build=make --clean --jobs=4 --pin=a --pin=b v1 -j2 -- t -x"
        );
        assert_eq!(before(file, &["--", "mine"]), "--build=make --clean --jobs=4 --pin=a --pin=b -- mine");
        assert_eq!(before("", &["v1"]), "v1");
        assert_eq!(before("[isolate]\ntest = 'make && ./t'", &[]), "-- make && ./t");
    }

    #[test]
    fn a_fault_of_the_file_is_named() {
        let said = |file: &str| parse(file).and_then(|settings| settings.check()).unwrap_err();
        assert!(said("[isolate").contains("line 1"), "{}", said("[isolate"));
        assert_eq!(said("[reduce]\n"), "it has `reduce`, but only the section [isolate] is known");
        assert_eq!(said("[isolate]\nwrong = 1"), "unexpected argument '--wrong' found");
        assert_eq!(said("[isolate]\nout = 'x'"), "`out` can only be typed");
        assert!(said("[isolate]\njobs = 'x'").starts_with("invalid value 'x' for '--jobs <N>'"));
        assert!(said("[isolate]\njobs = 1.5").starts_with("`jobs` is neither"));
    }
}
