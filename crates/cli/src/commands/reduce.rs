//! `nub reduce`: an input and a test in, the smallest input that the test still finds interesting out.

use crate::args::ReduceArgs;
use crate::error::CommandError;
use crate::exit::ExitCode;
use crate::plan::state_folder;
use crate::session::Session;
use nub_change::part::Pass;
use nub_change::{Entry, RelPath, Snapshot};
use nub_lab::process::{Finished, Program};
use nub_lab::reduce::{Condition, Plan, Property, ReduceError, Test, place};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Runs the reduction and reports it.
pub fn reduce(args: &ReduceArgs) -> Result<ExitCode, CommandError> {
    let here = std::env::current_dir().map_err(|error| CommandError::of(ExitCode::Failed, &error))?;
    let order = Order::new(args, &here)?;
    let plan = order.plan(args)?;
    let mut session = Session::start()?;
    order.target.begin(&order.input)?;
    let mut keep = |input: &Snapshot| order.target.write(input);
    match session.reduce(&plan, &mut keep)? {
        Ok(reduced) => {
            session.report_reduction(&reduced, &order.target.shown(), args.json)?;
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
    input: Snapshot,
    test: Test,
    target: Target,
    here: PathBuf,
}

/// Where the result goes.
#[derive(Debug, PartialEq, Eq)]
enum Target {
    /// Each file of the input has a place of its own; those that went are not there.
    Files(Vec<(RelPath, PathBuf)>),
    /// A folder that holds all files.
    Folder(PathBuf),
    /// The files themselves; the originals are kept.
    InPlace(Vec<(RelPath, PathBuf)>),
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
        let (input, places) = read(paths, here)?;
        let target = Target::new(args, paths, places, here)?;
        Ok(Order { input, test, target, here: here.to_path_buf() })
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
            input: self.input.clone(),
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
            scratch: std::env::temp_dir().join("nub"),
            fresh: args.fresh,
            count_readable: false,
        })
    }

    /// A number for what is reduced and how it is tested.
    fn name(&self, conditions: &[Condition]) -> u64 {
        let mut hasher = DefaultHasher::new();
        for (path, entry) in self.input.iter() {
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
                    false => told.hint(
                        "the test runs in an empty folder with the input; name other files by absolute paths",
                    ),
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

    /// A line for sh that does what the first test does.
    fn by_hand(&self) -> String {
        let quote = |text: &OsStr| format!("'{}'", text.to_string_lossy().replace('\'', "'\\''"));
        let sources: Vec<String> = match &self.target {
            Target::Files(places) | Target::InPlace(places) => {
                places.iter().map(|(path, _)| quote(OsStr::from_bytes(path.as_bytes()))).collect()
            }
            Target::Folder(_) => Vec::new(),
        };
        let names = sources.join(" ");
        let command = match &self.test {
            Test::Script(words) => {
                format!("{} {names}", words.iter().map(|w| quote(w)).collect::<Vec<_>>().join(" "))
            }
            Test::Command(Program::Shell(line)) => line.replace("@@", &names),
            Test::Command(Program::Direct(words)) => {
                words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ").replace("@@", &names)
            }
        };
        format!("(d=$(mktemp -d) && cp -r {names} $d && cd $d && {command}; echo \"exit code $?\")")
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

/// Reads files and folders; each comes under its own name.
fn read(paths: &[PathBuf], here: &Path) -> Result<(Snapshot, Vec<(RelPath, PathBuf)>), CommandError> {
    let usage = |message: String| CommandError::new(ExitCode::Usage, message);
    let (mut input, mut places) = (Snapshot::new(), Vec::new());
    if paths.is_empty() {
        return Err(usage("there is no input".into()));
    }
    for path in paths {
        let place = here.join(path);
        let failed = |error: io::Error| usage(format!("failed to read `{}`", path.display())).because(error);
        let place = place.canonicalize().map_err(failed)?;
        let name = place.file_name().ok_or_else(|| usage(format!("`{}` has no name", path.display())))?;
        let mut found = vec![(PathBuf::from(name), place.clone())];
        while let Some((name, place)) = found.pop() {
            if place.is_dir() {
                for entry in fs::read_dir(&place).map_err(failed)? {
                    let entry = entry.map_err(failed)?;
                    found.push((name.join(entry.file_name()), entry.path()));
                }
                continue;
            }
            let content = fs::read(&place).map_err(failed)?;
            let executable = fs::metadata(&place).map_err(failed)?.permissions().mode() & 0o111 != 0;
            let kind = nub_change::EntryKind::File { executable };
            let path = RelPath::new(name.as_os_str().as_bytes()).map_err(|error| usage(error.to_string()))?;
            if input.insert(path.clone(), Entry { kind, content: content.into() }).is_some() {
                return Err(usage(format!("two files are called `{path}`")));
            }
            places.push((path, place));
        }
    }
    places.sort();
    Ok((input, places))
}

impl Target {
    fn new(
        args: &ReduceArgs,
        paths: &[PathBuf],
        places: Vec<(RelPath, PathBuf)>,
        here: &Path,
    ) -> Result<Target, CommandError> {
        let single = places.len() == 1 && paths.len() == 1 && !here.join(&paths[0]).is_dir();
        if args.in_place {
            return Ok(Target::InPlace(places));
        }
        if let Some(output) = &args.output {
            let output = here.join(output);
            return Ok(match single {
                true => Target::Files(vec![(places[0].0.clone(), output)]),
                false => Target::Folder(output),
            });
        }
        match paths {
            [folder] if here.join(folder).is_dir() => {
                let folder = here.join(folder);
                let mut name = folder.file_name().unwrap_or_default().to_owned();
                name.push(".min");
                Ok(Target::Folder(folder.with_file_name(name)))
            }
            _ => Ok(Target::Files(places.into_iter().map(|(path, place)| (path, beside(&place))).collect())),
        }
    }

    /// Keeps the originals where they are about to be replaced.
    fn begin(&self, input: &Snapshot) -> Result<(), CommandError> {
        let Target::InPlace(places) = self else { return Ok(()) };
        for (path, place) in places {
            let mut name = place.file_name().unwrap_or_default().to_owned();
            name.push(".orig");
            let kept = place.with_file_name(name);
            let content = &input.get(path).expect("every place is that of a file of the input").content;
            // A backup that is there is the original of an earlier run.
            if !kept.exists() {
                replace(&kept, content).map_err(|error| {
                    CommandError::of(ExitCode::Failed, &error)
                        .because(format!("`{}` cannot be kept", place.display()))
                })?;
            }
        }
        Ok(())
    }

    /// Puts a better input in place, file by file, each at once.
    fn write(&self, input: &Snapshot) -> io::Result<()> {
        match self {
            Target::Files(places) | Target::InPlace(places) => {
                for (path, place) in places {
                    match input.get(path) {
                        Some(entry) => replace(place, &entry.content)?,
                        None if place.exists() => fs::remove_file(place)?,
                        None => {}
                    }
                }
                Ok(())
            }
            Target::Folder(folder) => {
                let whole = folder.with_extension("min-new");
                let _ = fs::remove_dir_all(&whole);
                for (path, entry) in input.iter() {
                    let file = place(&whole, path);
                    fs::create_dir_all(file.parent().unwrap_or(&whole))?;
                    fs::write(&file, &entry.content)?;
                }
                fs::create_dir_all(&whole)?;
                let _ = fs::remove_dir_all(folder);
                fs::rename(&whole, folder)
            }
        }
    }

    /// Where the user finds it.
    fn shown(&self) -> PathBuf {
        match self {
            Target::Files(places) | Target::InPlace(places) => match &places[..] {
                [(_, place)] => place.clone(),
                _ => places
                    .first()
                    .and_then(|(_, place)| place.parent())
                    .map_or_else(PathBuf::new, Path::to_path_buf),
            },
            Target::Folder(folder) => folder.clone(),
        }
    }
}

/// `crash.c` as `crash.min.c`.
fn beside(place: &Path) -> PathBuf {
    let stem = place.file_stem().unwrap_or_default().to_owned();
    let mut name = stem;
    name.push(".min");
    if let Some(extension) = place.extension() {
        name.push(".");
        name.push(extension);
    }
    place.with_file_name(name)
}

/// Writes a file so that at any moment there is the old or the new one.
fn replace(place: &Path, content: &[u8]) -> io::Result<()> {
    let folder = place.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".nub-").tempfile_in(folder)?;
    io::Write::write_all(&mut file, content)?;
    let mode = fs::metadata(place).map_or(0o644, |found| found.permissions().mode());
    file.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
    file.persist(place).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_lies_beside_the_input() {
        assert_eq!(beside(Path::new("/a/crash.c")), Path::new("/a/crash.min.c"));
        assert_eq!(beside(Path::new("/a/Makefile")), Path::new("/a/Makefile.min"));
    }
}
