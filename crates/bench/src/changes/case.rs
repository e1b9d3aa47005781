//! A case of the corpus: two trees, a build, a test, and what is known of the culprit.

use serde::Deserialize;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A case, set up.
pub struct Case {
    pub name: String,
    /// Holds the trees `good` and `bad`.
    pub folder: PathBuf,
    pub record: Record,
}

/// What the corpus says of it.
#[derive(Deserialize)]
pub struct Record {
    direction: String,
    pub build: String,
    pub test: String,
    culprit_known: bool,
    culprit: String,
}

/// The names of all cases.
pub fn all(corpus: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(corpus.join("cases"))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

impl Case {
    /// Sets a case up in the cache, if it is not there yet.
    pub fn set_up(corpus: &Path, cache: &Path, name: &str) -> Result<Case, Box<dyn Error>> {
        let text = fs::read_to_string(corpus.join("cases").join(name).join("case.toml"))?;
        let folder = cache.join(name);
        if !folder.join("bad").exists() || !folder.join("good").exists() {
            let _ = fs::remove_dir_all(&folder);
            let setup = Command::new("bash")
                .arg(corpus.join("setup_case.sh"))
                .args([name.as_ref(), folder.as_os_str()])
                .env("REGRESS_CACHE", cache.join("fetched"))
                .stdin(Stdio::null())
                .status()?;
            if !setup.success() {
                return Err(format!("set-up failed: {setup}").into());
            }
        }
        Ok(Case { name: name.to_owned(), folder, record: toml::from_str(&text)? })
    }

    /// The trees by age: old, then new.
    pub fn versions(&self) -> [&'static str; 2] {
        match self.record.direction.as_str() {
            "fix" => ["bad", "good"],
            _ => ["good", "bad"],
        }
    }

    /// Build and test as one line for a shell; a build that fails cannot tell.
    pub fn line(&self) -> String {
        match self.record.build.is_empty() {
            true => self.record.test.clone(),
            false => format!("( {} ) || exit 125; ( {} )", self.record.build, self.record.test),
        }
    }

    /// Whether a patch changes a file that the record names as the culprit's; nothing if the culprit is not known.
    pub fn has_culprit(&self, patch: &[u8]) -> Option<bool> {
        let patch = String::from_utf8_lossy(patch);
        let changed = patch.lines().filter_map(|line| line.strip_prefix("diff --git "));
        let named = files_in(&self.record.culprit);
        let is_named = |line: &str| named.iter().any(|file| line.ends_with(&format!("/{file}")));
        self.record.culprit_known.then(|| changed.into_iter().any(is_named))
    }

    /// Applies a patch with git to a copy of a tree, builds and tests: does the test say `0`, or not?
    ///
    /// Nothing if the patch does not apply or the copy does not build.
    pub fn passes_with(
        &self,
        tree: &str,
        patch: &[u8],
        options: &[&str],
        scratch: &Path,
    ) -> Result<Option<bool>, Box<dyn Error>> {
        let (copy, file) = (scratch.join("applied"), scratch.join("applied.patch"));
        let _ = fs::remove_dir_all(&copy);
        fs::create_dir_all(scratch)?;
        fs::write(&file, patch)?;
        let copied = Command::new("cp").arg("-a").args([&self.folder.join(tree), &copy]).status()?.success();
        let applied = copied
            && Command::new("git")
                .args(["apply", "--whitespace=nowarn"])
                .args(options)
                .arg(file.canonicalize()?)
                .current_dir(&copy)
                .env("GIT_CEILING_DIRECTORIES", scratch.canonicalize()?)
                .status()?
                .success();
        let said = match applied {
            true => {
                let shell = Command::new("sh")
                    .args(["-c", &self.line()])
                    .current_dir(&copy)
                    .stdin(Stdio::null())
                    .output()?;
                shell.status.code().filter(|code| *code != 125).map(|code| code == 0)
            }
            false => None,
        };
        fs::remove_dir_all(&copy)?;
        fs::remove_file(&file)?;
        Ok(said)
    }
}

/// The files that a text names.
fn files_in(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || "(),;:".contains(c));
    let is_file = |word: &&str| {
        let extension = word.rsplit_once('.').map(|(_, extension)| extension);
        extension.is_some_and(|e| ["c", "cpp", "h", "java", "js", "mjs", "ts", "py", "rs"].contains(&e))
    };
    words.map(|word| word.trim_end_matches('.')).filter(is_file).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(culprit_known: bool) -> Case {
        let record = Record {
            direction: "fix".into(),
            build: "make".into(),
            test: "./t".into(),
            culprit_known,
            culprit: "src/a.c f(): wrong, and the same in b.mjs. Tried with 3.4".into(),
        };
        Case { name: "c".into(), folder: "x".into(), record }
    }

    #[test]
    fn a_patch_has_the_culprit_if_it_changes_a_file_that_the_record_names() {
        let has = |known, path: &str| {
            case(known).has_culprit(format!("diff --git a/{path} b/{path}\n-x\n").as_bytes())
        };
        assert_eq!(has(true, "src/a.c"), Some(true));
        assert_eq!(has(true, "dist/b.mjs"), Some(true));
        assert_eq!(has(true, "src/aa.c"), Some(false));
        assert_eq!(has(false, "src/a.c"), None);
    }

    #[test]
    fn a_build_that_fails_cannot_tell() {
        assert_eq!(case(true).line(), "( make ) || exit 125; ( ./t )");
    }
}
