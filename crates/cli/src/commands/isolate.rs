//! `nub isolate`: two versions and a test in, the smallest part of the difference out.

use crate::args::{Args, Command, IsolateArgs, SeekArg};
use crate::error::CommandError;
use crate::exit::ExitCode;
use crate::plan::Draft;
use crate::session::{Output, Searched, Session, unwritable};
use crate::settings;
use clap::Parser;
use nub_lab::event::{Side, Trial};
use nub_lab::isolate::{IsolateError, Plan};
use nub_lab::journal::JournalError;
use nub_lab::pool::local::Aborted;
use nub_lab::process::{Abort, ProcessError, Status};
use nub_report::{CommandRecord, trial_words};
use std::error::Error;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// A search, as ordered.
pub struct Order {
    /// What was asked for.
    pub args: IsolateArgs,
    /// The same as it could be typed after `nub isolate`.
    pub arguments: Vec<OsString>,
    /// Where it was asked.
    pub here: PathBuf,
}

/// Runs what was typed, together with what `nub.toml` says.
pub fn typed(args: &IsolateArgs, typed: &[OsString]) -> Result<ExitCode, CommandError> {
    let here = std::env::current_dir().map_err(|error| CommandError::of(ExitCode::Failed, &error))?;
    let settings = settings::load(&here, args.config.as_deref())?;
    // The first two words are `nub isolate`.
    let (name, typed) = typed.split_at(2);
    let arguments = settings.before(typed);
    match Args::try_parse_from(name.iter().chain(&arguments)) {
        Ok(Args { command: Command::Isolate(args) }) => isolate(&Order { args: *args, arguments, here }),
        _ => unreachable!("what was typed and what the file says were both understood before"),
    }
}

/// Runs the search and reports it.
pub fn isolate(order: &Order) -> Result<ExitCode, CommandError> {
    let Order { args, here, .. } = order;
    let draft = Draft::new(args, here)?;
    let out = args.out.as_ref().map(|out| here.join(out));
    let side = order.side(out.as_deref());
    let mut plan = draft.plan(args, side, out.clone())?;
    order.keep(&plan.out, side)?;

    let mut session = Session::start()?;
    draft.notes.iter().for_each(|note| session.note(note));
    let mut searched = session.search(&plan, draft.is_limited().then_some(side))?;
    if let Searched::Turned(from) = searched {
        // Only now it is known where the search starts, and what lies outside the limits must come from
        // there.
        plan = draft.plan(args, from, out.clone())?;
        // In a folder that the user chose, a journal about the other side is in the way.
        plan.fresh |= out.is_some();
        order.keep(&plan.out, from)?;
        searched = session.search(&plan, None)?;
    }
    let Searched::Ended(ended) = searched else {
        unreachable!("without an expected side no search is turned")
    };
    match *ended {
        Ok(isolated) => {
            let output = if args.json { Output::Json } else { Output::Patch };
            session.report(&plan, &isolated, output, Some(&plan.out))
        }
        Err(_) if session.is_interrupted() => {
            let message = "interrupted before anything was found";
            let hint = format!("`nub resume {}` goes on from here", plan.out.display());
            Err(CommandError::new(ExitCode::Interrupted, message).hint(hint))
        }
        Err(error) => Err(told(&error, &plan, &draft.doubts)),
    }
}

impl Order {
    /// The side to take paths outside the limits from: as the last time, or as for a regression.
    fn side(&self, out: Option<&Path>) -> Side {
        let last = out.and_then(|out| nub_report::read_command(out).ok());
        match last.filter(|last| Some(&last.arguments) == self.readable().as_ref()) {
            Some(last) => last.outside.into(),
            None => match self.args.seek {
                SeekArg::Fix => Side::New,
                SeekArg::Break => Side::Old,
            },
        }
    }

    /// Keeps the command in the output folder, which also shows whether it can be written to.
    fn keep(&self, out: &Path, side: Side) -> Result<(), CommandError> {
        // A command that is not UTF-8 can be given again by hand.
        let (Some(arguments), Some(folder)) = (self.readable(), self.here.to_str()) else {
            return std::fs::create_dir_all(out).map_err(|error| unwritable(&error));
        };
        let folder = folder.into();
        let record =
            CommandRecord { nub_command: CommandRecord::FORMAT, folder, arguments, outside: side.into() };
        nub_report::write_command(&record, out).map_err(|error| unwritable(&error))
    }

    fn readable(&self) -> Option<Vec<String>> {
        self.arguments.iter().map(|word| Some(word.to_str()?.to_owned())).collect()
    }
}

/// Why the engine found nothing, with the outputs that show it and the ways out.
pub fn told(error: &IsolateError, plan: &Plan, doubts: &[String]) -> CommandError {
    let show = |error: CommandError, side: Side, trial: &Trial| {
        let (which, name) = match side {
            Side::Old => ("old", &plan.old_name),
            Side::New => ("new", &plan.new_name),
        };
        let output = trial.output.as_deref().unwrap_or_default();
        error.output(format!("the {which} version, {name}: {}", trial_words(trial)), output)
    };
    let baseline = || CommandError::of(ExitCode::Baseline, error);
    let told = match error {
        IsolateError::NoDifference => baseline(),
        IsolateError::SameOutcome { good, old, new } => {
            let told = show(show(baseline(), Side::Old, old), Side::New, new);
            told.hint(match good {
                true => "does the test check what went wrong? it has to fail on one of the versions",
                false => "does the test run in a clean copy of the version? it has to pass on one of them",
            })
        }
        IsolateError::CannotTell { side, trial } => {
            let told = show(baseline(), *side, trial);
            match &plan.rule.symptoms[..] {
                _ if trial.ended == Status::TimedOut.to_string() => told.hint(
                    "--timeout gives it longer; --timeout-is fail counts it as bad that it does not end",
                ),
                [] => told.hint("the test has to end with 0, or with a code from 1 to 124 that shows the failure"),
                _ => told.hint("a test that fails counts only if it shows the --symptom; what it printed shows another"),
            }
        }
        IsolateError::BrokenBuild { side, trial } => show(baseline(), *side, trial).hint(
            "the build runs in a clean copy of the version; --build CMD sets it, --build '' leaves it out",
        ),
        IsolateError::Flaky { side, trials, .. } => trials
            .iter()
            .fold(baseline(), |told, trial| show(told, *side, trial))
            .hint("make the test say the same each time: a fixed seed, no network, no race, nothing left over from the time before")
            .hint("or --repeat N runs it on each variant until it fails, at most N times; --symptom names the failure you look for"),
        IsolateError::Interrupted => CommandError::of(ExitCode::Interrupted, error),
        IsolateError::Pool(pool) => hinted(CommandError::of(ExitCode::Failed, error), pool),
        IsolateError::Journal(journal @ JournalError::Io { .. }) => {
            hinted(CommandError::of(ExitCode::Failed, error), journal)
        }
        IsolateError::Journal(JournalError::InUse { .. }) => CommandError::of(ExitCode::Failed, error)
            .hint("wait until that ends, or name another folder: --out DIR"),
        IsolateError::Journal(_) => CommandError::of(ExitCode::Failed, error)
            .hint("--fresh begins a new journal, --out DIR another folder"),
        IsolateError::Out { .. } => unwritable(error),
    };
    match told.exit {
        ExitCode::Baseline => doubts.iter().fold(told, CommandError::hint),
        _ => told,
    }
}

/// Adds the way out for a full disk and for commands that were not found, wherever in the chain of causes that shows.
fn hinted(told: CommandError, error: &(dyn Error + 'static)) -> CommandError {
    let chain = || std::iter::successors(Some(error), |&error| error.source());
    if chain().any(is_full_disk) {
        return told.hint(
            "make room, and the same command goes on from here; or --out DIR names a folder elsewhere",
        );
    }
    match chain().any(|cause| is_missing_program(cause) || is_missing_command(cause)) {
        true => told.hint(
            "commands run in a copy of the version, in the folder of it you are in; name files of your own by \
             absolute paths, or --pin them",
        ),
        false => told,
    }
}

fn is_full_disk(cause: &(dyn Error + 'static)) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
    matches!(kind, Some(StorageFull | QuotaExceeded | FileTooLarge))
}

fn is_missing_program(cause: &(dyn Error + 'static)) -> bool {
    let missing = cause.downcast_ref();
    matches!(missing, Some(ProcessError::NotFound { .. } | ProcessError::NoInterpreter { .. }))
}

fn is_missing_command(cause: &(dyn Error + 'static)) -> bool {
    matches!(cause.downcast_ref(), Some(Aborted { abort: Abort::CommandNotFound, .. }))
}
