//! A plan carried out before the user's eyes: told on stderr, interrupted by Ctrl-C, its results on stdout
//! and disk.

use crate::error::CommandError;
use crate::exit::ExitCode;
use crate::interrupt::Interrupt;
use anstream::{AutoStream, ColorChoice};
use nub_change::Snapshot;
use nub_lab::event::{Event, Side};
use nub_lab::isolate::{self, IsolateError, Isolated, Plan};
use nub_lab::process::Guard;
use nub_lab::reduce::{self, Happening, ReduceError, Reduced};
use nub_report::{Ending, Finding, Look, ReductionRecord, ResultRecord, Results, Terminal};
use std::error::Error;
use std::io::{self, IsTerminal, Stderr, Write};
use std::path::{Path, PathBuf};

/// What is at hand while a plan is carried out.
pub struct Session {
    terminal: Terminal<Stderr>,
    interrupt: Interrupt,
    guard: Guard,
}

/// How a search ended.
pub enum Searched {
    /// It ended by itself, or was stopped.
    Ended(Box<Result<Isolated, IsolateError>>),
    /// It starts from the other side than expected, and was not run.
    Turned(Side),
}

/// What goes to stdout at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// The critical patch.
    Patch,
    /// The result as JSON.
    Json,
}

impl Session {
    /// Nothing is shown yet.
    pub fn start() -> Result<Session, CommandError> {
        let guard = Guard::this_executable().map_err(|error| CommandError::of(ExitCode::Failed, &error))?;
        let interrupt = Interrupt::listen().map_err(|error| CommandError::of(ExitCode::Failed, &error))?;
        let stderr = io::stderr();
        let look = Look { live: stderr.is_terminal(), colour: is_coloured(&stderr) };
        let terminal = Terminal::new(stderr, look);
        Ok(Session { terminal, interrupt, guard })
    }

    /// Shows a line that is no event.
    pub fn note(&mut self, text: &str) {
        self.terminal.line(text);
    }

    /// Whether the user asked for an end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.happened()
    }

    /// Carries a reduction out; `keep` is handed every better input.
    pub fn reduce(
        &mut self,
        plan: &reduce::Plan,
        keep: &mut dyn FnMut(&Snapshot) -> io::Result<()>,
    ) -> Result<Result<Reduced, ReduceError>, CommandError> {
        let cancel = self.interrupt.token().map_err(|error| CommandError::of(ExitCode::Failed, &error))?;
        let terminal = &mut self.terminal;
        let mut tell = |happening: &Happening| terminal.tell_reduction(happening);
        let ended = reduce::reduce(plan, &self.guard, &cancel, &mut tell, keep);
        self.terminal.clear();
        Ok(ended)
    }

    /// Sums up a reduction; as data, too, if that is to name a place for its result.
    pub fn report_reduction(
        &mut self,
        reduced: &Reduced,
        results: &[PathBuf],
        json: Option<(&Path, &[PathBuf])>,
    ) -> Result<(), CommandError> {
        self.terminal.finish_reduction(reduced, results);
        match json {
            Some((place, files)) => print(ReductionRecord::of(reduced, place, files).to_json().as_bytes()),
            None => Ok(()),
        }
    }

    /// Carries the plan out; with `expected`, only if the search starts from that side.
    pub fn search(&mut self, plan: &Plan, expected: Option<Side>) -> Result<Searched, CommandError> {
        let cancel = self.interrupt.token().map_err(|error| CommandError::of(ExitCode::Failed, &error))?;
        let (mut turned, mut unwritten) = (None, None);
        let (terminal, results) = (&mut self.terminal, Results::new(&plan.out));
        let ended = isolate::isolate(plan, &self.guard, &cancel, &mut |event: &Event| {
            if let (Event::Directed { from, .. }, Some(expected)) = (event, expected)
                && *from != expected
            {
                turned = Some(*from);
                cancel.cancel();
            }
            if turned.is_none() {
                terminal.tell(event);
                if let Err(error) = results.tell(event) {
                    cancel.cancel();
                    unwritten.get_or_insert(error);
                }
            }
        });
        self.terminal.clear();
        if let Some(error) = unwritten {
            return Err(unwritable(&error));
        }
        Ok(turned.map_or(Searched::Ended(Box::new(ended)), Searched::Turned))
    }

    /// Puts the result on stdout, a summary on stderr, and everything into the output folder, if it is to
    /// stay.
    pub fn report(
        &mut self,
        plan: &Plan,
        isolated: &Isolated,
        output: Output,
        out: Option<&Path>,
    ) -> Result<ExitCode, CommandError> {
        let (ending, exit) = match (isolated.finished, self.is_interrupted()) {
            (true, _) => (Ending::Finished, ExitCode::Success),
            (false, true) => (Ending::Interrupted, ExitCode::Interrupted),
            (false, false) => (Ending::Budget, ExitCode::Stopped),
        };
        let finding = Finding { plan, isolated, ending };
        let exit = if finding.is_refuted() { ExitCode::Baseline } else { exit };
        if let Some(out) = out {
            Results::new(out).write(&finding).map_err(|error| unwritable(&error))?;
        }
        match output {
            // Whoever applies what is printed must not get what is known to be wrong.
            Output::Patch if finding.is_refuted() => {}
            Output::Json => print(ResultRecord::of(&finding).to_json().as_bytes())?,
            Output::Patch if is_coloured(&io::stdout()) => print(&nub_report::coloured(&isolated.patch))?,
            Output::Patch => print(&isolated.patch)?,
        }
        self.terminal.finish(&finding, out);
        if let (Some(out), false) = (out, isolated.finished) {
            self.note(&format!("`nub resume {}` goes on from here", out.display()));
        }
        Ok(exit)
    }
}

/// An output folder that cannot be written to.
pub fn unwritable(error: &dyn Error) -> CommandError {
    CommandError::of(ExitCode::Failed, error).hint("--out DIR names another folder")
}

fn is_coloured(stream: &impl anstream::stream::RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Prints to stdout, without the colours where nobody would see them.
pub fn print_coloured(text: &str) -> Result<(), CommandError> {
    match is_coloured(&io::stdout()) {
        true => print(text.as_bytes()),
        false => print(anstream::adapter::strip_str(text).to_string().as_bytes()),
    }
}

/// Prints to stdout; a reader that went away has seen what it wanted.
pub fn print(bytes: &[u8]) -> Result<(), CommandError> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CommandError::of(ExitCode::Failed, &error))
        }
        _ => Ok(()),
    }
}
