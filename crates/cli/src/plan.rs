//! From arguments as typed to an experiment as meant.
//!
//! ```text
//!   OLD NEW --patch ──> two versions ──> pinned paths alike ──> --only, --ignore ──> woven into a plan
//! ```
//!
//! The last step waits: paths outside the limits are taken from the side that the search starts from, and
//! which that is shows only when both versions were tested. So a [`Draft`] can be made a plan of either way.

use crate::args::{CoverageArg, IsolateArgs, KnowledgeArg, SeekArg, TimeoutIs};
use crate::error::CommandError;
use crate::exit::ExitCode;
use crate::guess::{Guess, guess};
use nub_change::coverage::Report;
use nub_change::{EntryKind, Patchwork, RelPath, Snapshot, is_of_tests};
use nub_lab::coverage::{self, Collect, Wanted};
use nub_lab::event::Side;
use nub_lab::isolate::{Granularity, Knowledge, Plan, Seek};
use nub_lab::process::{Convention, Program, Rule};
use nub_lab::version::archive::Limits;
use nub_lab::version::git::GitError;
use nub_lab::version::{Filter, Pair, PairSpec, Pinned, VersionError};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// An experiment with everything decided but the side that paths outside the limits come from.
pub struct Draft {
    pair: Pair,
    filter: Option<Filter>,
    build: Option<Program>,
    test: Program,
    coverage: Wanted,
    /// What was decided for the user, to be shown.
    pub notes: Vec<String>,
    /// What to try if the test does not tell the versions apart, because of what was decided.
    pub doubts: Vec<String>,
}

impl Draft {
    /// Reads both versions and decides what to run.
    pub fn new(args: &IsolateArgs, here: &Path) -> Result<Draft, CommandError> {
        let mut pair = pair_of([&args.old, &args.new], args.patch.as_deref(), here)?;
        let said =
            args.out.as_ref().map(|out| here.join(out)).filter(|out| nub_report::read_command(out).is_ok());
        for folder in said.into_iter().chain(state_folder().ok()) {
            pair.leave_out(&folder).map_err(version_error)?;
        }
        let guess = guess_of(&pair);
        let mut draft = Draft {
            build: build_of(args, guess.as_ref()),
            test: test_of(args, guess.as_ref())?,
            filter: filter_of(&args.only, &args.ignore)?,
            coverage: coverage_of(args, here)?,
            pair,
            notes: Vec::new(),
            doubts: Vec::new(),
        };
        draft.note_commands(args, guess.as_ref());
        draft.pin_said(args, here)?;
        if !args.no_pin {
            draft.pin_named(here)?;
        }
        Ok(draft)
    }

    /// Whether the plan depends on the side.
    pub fn is_limited(&self) -> bool {
        self.filter.is_some()
    }

    /// The plan, in which paths outside the limits are as `side` has them.
    pub fn plan(&self, args: &IsolateArgs, side: Side, out: Option<PathBuf>) -> Result<Plan, CommandError> {
        let mut pair = self.pair.clone();
        if let Some(filter) = &self.filter {
            pair = pair.limit(filter, side).map_err(version_error)?;
        }
        let rule = Rule {
            timeout_is_fail: args.timeout_is == TimeoutIs::Fail,
            symptoms: args.symptom.clone(),
            ..Rule::new(Convention::Bisect)
        };
        let out = match out {
            Some(out) => out,
            None => state_folder()?.join(self.fingerprint(args, &pair)),
        };
        let granularity = granularity(args);
        let origin = pair.new.origin().or(pair.old.origin());
        let products = origin.map(|origin| {
            let paths = origin.alongside.iter().map(|path| OsStr::from_bytes(path.as_bytes()).into());
            (origin.root.clone(), paths.collect())
        });
        Ok(Plan {
            patchwork: Arc::new(Patchwork::by(
                granularity.searched(args.algorithm),
                &pair.old.tree,
                &pair.new.tree,
            )),
            products,
            folder: pair.subfolder,
            old_name: pair.old.name,
            new_name: pair.new.name,
            build: self.build.clone(),
            test: self.test.clone(),
            rule,
            learn: !args.any_failure,
            repeat: args.repeat,
            timeout: args.timeout,
            memory: args.memory,
            clean: args.clean,
            seek: match args.seek {
                SeekArg::Fix => Seek::Fix,
                SeekArg::Break => Seek::Break,
            },
            algorithm: args.algorithm,
            granularity,
            knowledge: Knowledge {
                rules: !args.without.contains(&KnowledgeArg::Rules),
                messages: !args.without.contains(&KnowledgeArg::Messages),
                reading: !args.without.contains(&KnowledgeArg::Reading),
            },
            seed: args.seed,
            jobs: args.jobs,
            budget: args.budget,
            out,
            fresh: args.fresh,
            coverage: self.coverage.clone(),
        })
    }

    fn note_commands(&mut self, args: &IsolateArgs, guess: Option<&Guess>) {
        let Some(guess) = guess else { return };
        if let (Some(build), None) = (&self.build, &args.build) {
            self.notes.push(format!("Build: {build} (guessed: {}; --build says otherwise)", guess.layout));
            self.doubts
                .push("the build command was guessed; --build CMD sets it, --build '' leaves it out".into());
        }
        if args.test.is_empty() {
            self.notes.push(format!("Test: {} (guessed: {})", self.test, guess.layout));
            self.doubts.push("the test command was guessed; name the one that matters after `--`".into());
        }
    }

    fn pin_said(&mut self, args: &IsolateArgs, here: &Path) -> Result<(), CommandError> {
        for path in &args.pin {
            let inside = place_of(path, self.pair.subfolder.as_ref(), here);
            let pinned = inside.as_ref().map(|inside| self.pair.pin_or_read(inside, &here.join(path)));
            let pinned = pinned.transpose().map_err(|error| CommandError::of(ExitCode::Failed, &error))?;
            if matches!(pinned, None | Some(Pinned::Missing)) {
                let message = format!("neither version has `{}`, so it cannot be pinned", path.display());
                return Err(CommandError::new(ExitCode::Usage, message)
                    .hint("--pin takes a path as seen from the current folder"));
            }
        }
        if !args.pin.is_empty() && self.pair.old.tree == self.pair.new.tree {
            let message = "the versions differ only in what is pinned, so there is nothing to search";
            return Err(CommandError::new(ExitCode::Baseline, message).hint("leave out a --pin"));
        }
        Ok(())
    }

    /// Pins the files that the test names, unless nothing would be left to search.
    ///
    /// A test also names what it tests: `sh add.sh 2 2`. What both versions have is therefore left alone; what is pinned is
    /// the test's own, by its path, and what only one version has or only the user's folder.
    fn pin_named(&mut self, here: &Path) -> Result<(), CommandError> {
        let mut pair = self.pair.clone();
        let mut names = Vec::new();
        for word in words(&self.test) {
            let Some(path) = place_of(Path::new(&word), pair.subfolder.as_ref(), here) else { continue };
            if path.as_bytes().split(|byte| *byte == b'/').any(|part| part == b".git") {
                continue;
            }
            if pair.is_in_both(&path) && !is_of_tests(&path)
                || !pair.has_file(&path) && !here.join(&word).is_file()
            {
                continue;
            }
            let pinned = pair.pin_or_read(&path, &here.join(&word));
            match pinned.map_err(|error| CommandError::of(ExitCode::Failed, &error))? {
                Pinned::Alike | Pinned::Missing => {}
                Pinned::FromNew => names.push(format!("`{path}` as in the new version")),
                Pinned::FromOld => names.push(format!("`{path}` as in the old version")),
                Pinned::FromHere => names.push(format!("`{path}` from the current folder")),
            }
        }
        if names.is_empty() {
            return Ok(());
        }
        if pair.old.tree == pair.new.tree {
            self.notes.push("Not pinned: the files the test names, for nothing else differs".into());
            return Ok(());
        }
        self.pair = pair;
        let names = names.join(", ");
        self.notes.push(format!("Pinned: {names} (the test names it; --no-pin lets it change)"));
        self.doubts.push(format!("pinned because the test names it: {names}; --no-pin lets it change"));
        Ok(())
    }

    /// Tells experiments apart whose answers may differ.
    fn fingerprint(&self, args: &IsolateArgs, pair: &Pair) -> String {
        let mut sha1 = sha1_smol::Sha1::new();
        let mut add = |bytes: &[u8]| {
            sha1.update(&(bytes.len() as u64).to_le_bytes());
            sha1.update(bytes);
        };
        for tree in [&pair.old.tree, &pair.new.tree] {
            add(&(tree.len() as u64).to_le_bytes());
            add_tree(tree, &mut add);
        }
        let symptoms: Vec<String> = args.symptom.iter().map(ToString::to_string).collect();
        let rest = format!(
            "{:?}",
            (
                (&self.build, &self.test, &pair.subfolder, symptoms),
                (args.timeout, args.timeout_is, args.memory, args.clean, args.any_failure, args.repeat),
                (args.seek, args.algorithm, granularity(args), &args.without, args.seed),
            )
        );
        add(rest.as_bytes());
        sha1.digest().to_string()[..12].to_owned()
    }
}

/// How finely the difference is taken apart.
fn granularity(args: &IsolateArgs) -> Granularity {
    args.granularity.unwrap_or_else(|| Granularity::usual(args.algorithm))
}

fn add_tree(tree: &Snapshot, add: &mut impl FnMut(&[u8])) {
    for (path, entry) in tree.iter() {
        let kind = match entry.kind {
            EntryKind::File { executable: false } => b"f",
            EntryKind::File { executable: true } => b"x",
            EntryKind::Symlink => b"l",
            EntryKind::Submodule => b"s",
        };
        add(path.as_bytes());
        add(kind);
        add(&entry.content);
    }
}

/// The two versions that were named.
pub fn pair_of(
    said: [&Option<OsString>; 2],
    patch: Option<&Path>,
    here: &Path,
) -> Result<Pair, CommandError> {
    let said: Vec<OsString> = said.into_iter().flatten().cloned().collect();
    let spec = PairSpec::parse(here, &said, patch).map_err(version_error)?;
    spec.load(Limits::default()).map_err(version_error)
}

fn guess_of(pair: &Pair) -> Option<Guess> {
    let folder = pair.subfolder.as_ref();
    guess(&pair.new.tree, folder).or_else(|| guess(&pair.old.tree, folder))
}

fn build_of(args: &IsolateArgs, guess: Option<&Guess>) -> Option<Program> {
    let said = args.build.clone().or_else(|| guess?.build.clone());
    said.filter(|line| !line.trim().is_empty()).map(Program::Shell)
}

fn test_of(args: &IsolateArgs, guess: Option<&Guess>) -> Result<Program, CommandError> {
    match args.test.as_slice() {
        [] => match guess.and_then(|guess| guess.test.clone()) {
            Some(line) => Ok(Program::Shell(line)),
            None => {
                Err(CommandError::new(ExitCode::Usage, "there is no test command, and none could be guessed")
                    .hint("name one after `--`, as in `nub isolate -- ./test.sh`"))
            }
        },
        [line] => Ok(match line.to_str() {
            Some(line) => Program::Shell(line.into()),
            None => Program::Direct(vec![line.clone()]),
        }),
        words => Ok(Program::Direct(words.to_vec())),
    }
}

/// The limits to some paths, if there are any.
pub fn filter_of(only: &[String], ignore: &[String]) -> Result<Option<Filter>, CommandError> {
    if only.is_empty() && ignore.is_empty() {
        return Ok(None);
    }
    let filter = Filter::new(only, ignore);
    filter.map(Some).map_err(|error| CommandError::of(ExitCode::Usage, &error))
}

/// A coverage report that the user names.
pub fn report_of(path: Option<&Path>, here: &Path) -> Result<Option<Report>, CommandError> {
    let report = path.map(|path| coverage::load(&here.join(path))).transpose();
    report.map_err(|error| {
        CommandError::of(ExitCode::Usage, &error)
            .hint("`nub isolate --coverage auto` measures by itself; `docs/coverage.md` tells how tools write reports")
    })
}

/// What is to be known about what the test runs.
fn coverage_of(args: &IsolateArgs, here: &Path) -> Result<Wanted, CommandError> {
    Ok(Wanted {
        collect: match args.coverage {
            Some(CoverageArg::Auto) => Collect::Auto,
            Some(CoverageArg::Off) => Collect::Off,
            None => Collect::Worthwhile,
        },
        given: [
            report_of(args.coverage_old.as_deref(), here)?,
            report_of(args.coverage_new.as_deref(), here)?,
        ],
        also_pass: args.also_pass.iter().cloned().map(Program::Shell).collect(),
    })
}

/// The words of a test command that may be paths.
///
/// `tests/test_a.py::TestA::test_b` and `--file=a.txt` name files as well.
fn words(test: &Program) -> Vec<OsString> {
    let words: Vec<OsString> = match test {
        Program::Direct(words) => words.clone(),
        Program::Shell(line) => {
            let ends = |c: char| c.is_whitespace() || ";&|<()$`\"'".contains(c);
            let words = |part: &'_ str| -> Vec<OsString> {
                part.split(ends).filter(|word| !word.is_empty()).map(OsString::from).collect()
            };
            // What comes after `>` is written, not read.
            let mut parts = line.split('>').map(words);
            let first = parts.next().unwrap_or_default();
            first.into_iter().chain(parts.flat_map(|part| part.into_iter().skip(1))).collect()
        }
    };
    let named = words.iter().map(|word| {
        let bytes = word.as_bytes();
        let bytes = match bytes.iter().position(|byte| *byte == b'=') {
            Some(at) => &bytes[at + 1..],
            None => bytes,
        };
        let end = bytes.windows(2).position(|pair| pair == b"::").unwrap_or(bytes.len());
        OsStr::from_bytes(&bytes[..end]).to_owned()
    });
    named.collect()
}

/// Where a path that the user typed is in a version, if it is inside.
fn place_of(path: &Path, folder: Option<&RelPath>, here: &Path) -> Option<RelPath> {
    let path = path.strip_prefix(here).unwrap_or(path);
    let folder = folder.map_or(Path::new(""), |folder| Path::new(OsStr::from_bytes(folder.as_bytes())));
    let mut place = folder.to_owned();
    for component in path.components() {
        match component {
            Component::Normal(name) => place.push(name),
            Component::CurDir => {}
            Component::ParentDir => place.pop().then_some(())?,
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    RelPath::new(place.as_os_str().as_bytes()).ok()
}

/// Where results go if the user does not care: by the XDG rules, a state that outlives the run.
pub fn state_folder() -> Result<PathBuf, CommandError> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")));
    state.map(|state| state.join("nub")).ok_or_else(|| {
        let message = "there is no place for results: neither XDG_STATE_HOME nor HOME is an absolute path";
        CommandError::new(ExitCode::Usage, message).hint("--out DIR names one")
    })
}

/// Why a version could not be read, with the exit code for it.
pub fn version_error(error: VersionError) -> CommandError {
    let exit = match &error {
        VersionError::Identical { .. } => ExitCode::Baseline,
        VersionError::Read(_) => ExitCode::Failed,
        VersionError::Git(GitError::NoGit(_) | GitError::Failed { .. } | GitError::Read(_)) => {
            ExitCode::Failed
        }
        _ => ExitCode::Usage,
    };
    CommandError::of(exit, &error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str, folder: Option<&str>) -> Option<String> {
        let folder = folder.map(|folder| RelPath::try_from(folder).unwrap());
        place_of(Path::new(path), folder.as_ref(), Path::new("/here/sub")).map(|path| path.to_string())
    }

    #[test]
    fn a_typed_path_is_seen_from_the_folder_the_user_is_in() {
        for (path, folder, expected) in [
            ("a/b", None, Some("a/b")),
            ("./a//b/", None, Some("a/b")),
            ("a", Some("sub"), Some("sub/a")),
            ("../a", Some("sub"), Some("a")),
            ("..", Some("sub"), None),
            ("../../a", Some("sub"), None),
            ("../a", None, None),
            ("/here/sub/a", Some("sub"), Some("sub/a")),
            ("/elsewhere", None, None),
            ("", None, None),
        ] {
            assert_eq!(place(path, folder).as_deref(), expected, "{path} in {folder:?}");
        }
    }

    #[test]
    fn words_of_a_test_are_found_in_lines_and_lists() {
        let direct = |words: &[&str]| Program::Direct(words.iter().map(OsString::from).collect());
        for (test, expected) in [
            (direct(&["pytest", "-x", "t/test_a.py::A::b"]), "pytest -x t/test_a.py"),
            (direct(&["./run", "--file=a b.txt"]), "./run a b.txt"),
            (Program::Shell("make && (./t \"a.txt\" >>out)".into()), "make ./t a.txt"),
        ] {
            assert_eq!(words(&test).join(OsStr::new(" ")), expected);
        }
    }
}
