//! `nub reduce`: an input and a test in, the smallest input that the test still finds interesting out.

mod source;
mod target;

use crate::args::ReduceArgs;
use crate::error::CommandError;
use crate::exit::ExitCode;
use crate::plan::state_folder;
use crate::session::Session;
use nub_change::EntryKind;
use nub_change::part::Pass;
use nub_lab::process::{Finished, Program};
use nub_lab::reduce::{Condition, Plan, Property, ReduceError, Test, place};
use nub_lab::workspace::Scratch;
use source::Source;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use target::Target;

/// Runs the reduction and reports it.
pub fn reduce(args: &ReduceArgs) -> Result<ExitCode, CommandError> {
    let here = std::env::current_dir().map_err(|error| CommandError::of(ExitCode::Failed, &error))?;
    let order = Order::new(args, &here)?;
    let mut target = Target::new(args, &order.source, &here)?;
    let plan = order.plan(args)?;
    let mut session = Session::start()?;
    target.begin(&order.source.input)?;
    match session.reduce(&plan, &mut |input| target.write(input))? {
        Ok(reduced) => {
            let files = target.files();
            let json = args.json.then(|| (target.shown(), &files[..]));
            session.report_reduction(&reduced, &target.results(), json)?;
            Ok(match (reduced.finished, session.is_interrupted()) {
                (true, _) if reduced.empty_is_interesting => ExitCode::AlwaysInteresting,
                (true, _) => ExitCode::Success,
                (false, true) => ExitCode::Interrupted,
                (false, false) => ExitCode::Stopped,
            })
        }
        Err(error) => Err(order.told(error)),
    }
}

/// A reduction, as ordered.
struct Order {
    source: Source,
    test: Test,
    here: PathBuf,
}

impl Order {
    fn new(args: &ReduceArgs, here: &Path) -> Result<Order, CommandError> {
        let usage = |message: String| CommandError::new(ExitCode::Usage, message);
        let (test, paths) = match (&args.command[..], &args.paths[..]) {
            ([], [_]) => {
                let hint = "name the test first, as in `nub reduce ./interesting.sh crash.c`, or a command after `--`";
                return Err(usage("there is a test or an input, but not both".into()).hint(hint));
            }
            ([], [test, paths @ ..]) => (Test::Script(script(test, paths, here)?), paths),
            ([line], paths) => {
                let line = line.to_str().ok_or_else(|| usage("the command is not UTF-8".into()))?;
                (Test::Command(Program::Shell(line.into())), paths)
            }
            (words, paths) => (Test::Command(Program::Direct(absolute_program(words, here))), paths),
        };
        Ok(Order { source: Source::read(paths, here)?, test, here: here.to_path_buf() })
    }

    fn plan(&self, args: &ReduceArgs) -> Result<Plan, CommandError> {
        let stderr = args.stderr_matches.iter().cloned().map(Condition::Stderr);
        let stdout = args.stdout_matches.iter().cloned().map(Condition::Stdout);
        let mut conditions: Vec<Condition> = stderr.chain(stdout).collect();
        conditions.extend(args.exit_code.map(Condition::Exit));
        conditions.extend(args.signal.map(Condition::Signal));
        conditions.extend(args.crash.then_some(Condition::Crash));
        let out = match &args.out {
            Some(out) => self.here.join(out),
            None => state_folder()?.join(format!("reduce-{:016x}", self.name(&conditions))),
        };
        let passes = if args.passes.is_empty() { Pass::DEFAULT.to_vec() } else { args.passes.clone() };
        Ok(Plan {
            input: self.source.input.clone(),
            test: self.test.clone(),
            property: Property { conditions },
            any_failure: args.any_failure,
            timeout: args.timeout,
            memory: args.memory,
            language: args.lang.clone(),
            algorithm: args.algorithm,
            passes,
            tidy: args.tidy,
            jobs: args.jobs,
            budget: args.budget,
            out,
            scratch: Scratch::place(),
            fresh: args.fresh,
            count_readable: false,
        })
    }

    /// A number for what is reduced and how it is tested.
    fn name(&self, conditions: &[Condition]) -> u64 {
        let mut hasher = DefaultHasher::new();
        for (path, entry) in self.source.input.iter() {
            (path, &entry.content).hash(&mut hasher);
        }
        (format!("{:?} {conditions:?}", self.test), self.test.scripts()).hash(&mut hasher);
        hasher.finish()
    }

    /// Why there is no result, with what shows it and the ways out.
    fn told(&self, error: ReduceError) -> CommandError {
        match &error {
            ReduceError::NotInteresting { finished, unresolved } => {
                let told = CommandError::of(ExitCode::Baseline, &error);
                let told = told.output("what it printed:", &printed(finished));
                let told = match unresolved {
                    true => told.hint("125 says that it cannot tell; an interesting input exits with 0"),
                    false => told.hint(format!(
                        "the test runs in an empty folder with the input, {}; name other files by absolute paths",
                        self.places()
                    )),
                };
                told.hint(format!("to repeat it by hand: {}", self.by_hand()))
            }
            ReduceError::Empty => CommandError::of(ExitCode::Baseline, &error),
            ReduceError::Interrupted => CommandError::of(ExitCode::Interrupted, &error),
            ReduceError::UnknownLanguage(_) => CommandError::of(ExitCode::Usage, &error),
            ReduceError::Journal(_) => CommandError::of(ExitCode::Failed, &error)
                .hint("--fresh begins a new journal, --out DIR another folder"),
            ReduceError::Pool(_) | ReduceError::Out { .. } => CommandError::of(ExitCode::Failed, &error),
        }
    }

    /// Where the test finds the input, by its first file.
    fn places(&self) -> String {
        let mut names = self.names().into_iter();
        let first = names.next().unwrap_or_default();
        let more = if names.next().is_some() { " and so on" } else { "" };
        format!("`{}`{more}", first.display())
    }

    /// The files of the input as the test sees them.
    fn names(&self) -> Vec<PathBuf> {
        let files = self.source.input.iter().filter(|(_, entry)| entry.kind != EntryKind::Symlink);
        files.map(|(path, _)| place(Path::new(""), path)).collect()
    }

    /// A line for sh that does what the first test does.
    fn by_hand(&self) -> String {
        let join = |words: Vec<String>| words.join(" ");
        let arguments = join(self.source.arguments.iter().map(|place| quoted(place.as_os_str())).collect());
        let names = self.names();
        let main = names.first().map_or_else(String::new, |name| name.display().to_string());
        let command = match &self.test {
            Test::Script(words) => {
                let names = names.iter().map(|name| name.as_os_str());
                join(words.iter().map(OsString::as_os_str).chain(names).map(quoted).collect())
            }
            Test::Command(Program::Shell(line)) => line.replace("@@", &main),
            Test::Command(Program::Direct(words)) => {
                let put = |word: &OsString| word.to_string_lossy().replace("@@", &main);
                join(words.iter().map(|word| quoted(OsStr::new(&put(word)))).collect())
            }
        };
        format!(
            "(d=$(mktemp -d) && cp -r {arguments} \"$d\" && cd \"$d\" && {command}; echo \"exit code $?\")"
        )
    }
}

/// A word as sh reads it.
fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-+=:,@%".contains(&b);
    match !text.is_empty() && text.bytes().all(is_plain) {
        true => text.into_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

fn printed(finished: &Finished) -> String {
    let text = finished.output.text();
    if text.trim().is_empty() { "(nothing)".into() } else { text.into_owned() }
}

/// The program of a test: a path is seen from here, a plain name is looked up if there is no such file.
fn script(test: &Path, inputs: &[PathBuf], here: &Path) -> Result<Vec<OsString>, CommandError> {
    let place = here.join(test);
    if place.is_dir() {
        let message = format!("the test `{}` is a folder", test.display());
        return Err(CommandError::new(ExitCode::Usage, message).hint("name the test first, then the input"));
    }
    let Ok(found) = fs::metadata(&place) else {
        if test.components().count() == 1 {
            return Ok(vec![test.as_os_str().to_owned()]);
        }
        return Err(CommandError::new(ExitCode::Usage, format!("there is no test `{}`", test.display())));
    };
    let is_executable = |found: &fs::Metadata| found.is_file() && found.permissions().mode() & 0o111 != 0;
    if !is_executable(&found) {
        let message = format!("the test `{}` cannot be executed", test.display());
        let swapped =
            inputs.iter().find(|path| fs::metadata(here.join(path)).is_ok_and(|it| is_executable(&it)));
        let hint = match swapped {
            Some(other) => {
                format!("name the test first: `nub reduce {} {}`", other.display(), test.display())
            }
            None => format!("`chmod +x {}`, or a command after `--`", test.display()),
        };
        return Err(CommandError::new(ExitCode::Usage, message).hint(hint));
    }
    // As a shell does it: a text that does not name its interpreter is for sh.
    let mut begin = [0; 4];
    let read = fs::File::open(&place).and_then(|mut file| io::Read::read(&mut file, &mut begin)).unwrap_or(0);
    let is_plain =
        !begin[..read].starts_with(b"#!") && begin[..read].iter().all(|b| b.is_ascii() && *b != 0x7f);
    let place = place.into_os_string();
    Ok(if is_plain { vec!["sh".into(), place] } else { vec![place] })
}

/// A program given by a path is seen from here, not from where the test runs.
fn absolute_program(words: &[OsString], here: &Path) -> Vec<OsString> {
    let mut words = words.to_vec();
    if let Some(program) = words.first_mut()
        && Path::new(&*program).components().count() > 1
    {
        *program = here.join(&*program).into_os_string();
    }
    words
}
