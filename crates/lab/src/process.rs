//! Runs one command of the user's, and leaves nothing of it behind.
//!
//! ```text
//!   nub ──── line (socket) ────> guard ──────> sh -c 'make test' ──> ...
//!    ^                            │ adopts every            own process group
//!    │                            │ orphan below it
//!    └── stdout, stderr (pipes) ──┴──────────────┘
//! ```
//!
//! Between nub and the command stands a *guard*, a second process of nub's own executable. The command lives
//! as long as the line between nub and guard is open: a timeout, a cancel and nub's own death, by force
//! too, all close the line, and then the guard ends everything below it, politely and then by `kill -9`. The
//! guard is a *child subreaper*, so a daemon that left the process group or started a session of its own
//! comes back to it when its parent dies. It reports only when nothing is left: what it reports is over.
//!
//! Why a process of its own, when the death signal of `prctl` needs none? That signal reaches one process,
//! not its children, and setting it takes code between fork and exec, which cannot be safe Rust. One guard
//! for all runs would be cheaper, but could not tell whose orphan it adopted. Name spaces and control groups
//! would hold even more, but not every machine lets an ordinary user make them.
//!
//! What is beyond the guard: work done by others on request (`docker run`, `systemd-run`, `at`), processes of
//! another user (`sudo`), and somebody who kills the guard itself by force; then nub ends the command's
//! process group, if it lives to do so, and orphans elsewhere stay. Orphans that left the process group are
//! found on Linux only; on other systems the group is all there is.
//!
//! The executable must take part: the first line of its `main` is [`Guard::serve`].

mod cancel;
mod capture;
mod failure;
mod guard;
mod report;
mod table;
mod unix;
mod verdict;

pub use cancel::Cancel;
pub use capture::Captured;
pub use failure::{Failure, Signs};
pub(crate) use verdict::signal_of;
pub use verdict::{Abort, Convention, Rule, Symptom, SymptomError, built};

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A line for `/bin/sh -c`.
    Shell(String),
    /// A program and its arguments, started without a shell; a relative path starts in its folder.
    Direct(Vec<OsString>),
}

impl Program {
    fn words(&self) -> Vec<&OsStr> {
        match self {
            Program::Shell(line) => vec![OsStr::new("/bin/sh"), OsStr::new("-c"), OsStr::new(line)],
            Program::Direct(words) => words.iter().map(OsString::as_os_str).collect(),
        }
    }
}

/// Shows the command as a person would type it, but for quotes.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Program::Shell(line) => f.write_str(line),
            Program::Direct(words) => f.write_str(&words.join(OsStr::new(" ")).to_string_lossy()),
        }
    }
}

/// A command with its place and its limits.
///
/// It reads an empty standard input, has no terminal and leaves no core dumps.
#[derive(Clone, Debug)]
pub struct Command {
    /// What to run.
    pub program: Program,
    /// Where to run it.
    pub dir: PathBuf,
    /// Variables set on top of nub's own.
    pub env: Vec<(OsString, OsString)>,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// How much time of the processor it and all that it starts may use; looked at every now and then, on Linux only.
    ///
    /// On a busy machine a command takes longer, but does not use more: a limit of this kind can be low.
    pub processor: Option<Duration>,
    /// How many bytes of address space each of its processes may use; it may lift this itself.
    pub memory: Option<u64>,
    /// How many processes it may have at a time; looked at every now and then.
    pub processes: Option<u64>,
    /// A file to read as standard input; none is empty.
    pub stdin: Option<PathBuf>,
    /// How many bytes of each output stream are kept.
    pub output_cap: usize,
}

/// Variables by which git is told where it is, as in a hook; in a copy they would lead back to the user's repository.
const GIT_HERE: [&str; 6] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"];

/// The variable that keeps git from looking for a repository above the folder that a copy lies in.
pub(crate) fn git_ceiling(copy: &Path) -> (OsString, OsString) {
    let name = "GIT_CEILING_DIRECTORIES";
    let above = copy.parent().unwrap_or(copy).as_os_str().to_owned();
    let ceilings = std::env::var_os(name).map_or_else(
        || above.clone(),
        |others| {
            let mut all = above.clone();
            all.push(":");
            all.push(others);
            all
        },
    );
    (name.into(), ceilings)
}

impl Command {
    /// A command without limits, but for a mebibyte of each output stream.
    pub fn new(program: Program, dir: impl AsRef<Path>) -> Command {
        Command {
            program,
            dir: dir.as_ref().to_path_buf(),
            env: Vec::new(),
            timeout: None,
            processor: None,
            memory: None,
            processes: None,
            stdin: None,
            output_cap: 1 << 20,
        }
    }
}

/// How a command came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It exited with this code.
    Exit(i32),
    /// This signal ended it, and it was not ours.
    Signal(i32),
    /// It was ended because its time was up.
    TimedOut,
    /// It was ended because it had more processes than allowed.
    Crowded,
    /// It was ended, or never started, because its answer was no longer wanted.
    Cancelled,
}

/// Says how a command ended, as in "the test ...".
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Status::Exit(code) => write!(f, "exited with code {code}"),
            Status::Signal(signal) => write!(f, "was ended by {}", verdict::signal_name(*signal)),
            Status::TimedOut => f.write_str("ran out of time"),
            Status::Crowded => f.write_str("started too many processes"),
            Status::Cancelled => f.write_str("was cancelled"),
        }
    }
}

/// What is known of a command that ended, together with every process it started.
#[derive(Clone, Debug)]
pub struct Finished {
    /// How it ended.
    pub status: Status,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// Both in the order they arrived, for people to read.
    ///
    /// Two writes to different streams that follow each other closely may change places: decide by the single
    /// streams, which are the same every time.
    pub output: Captured,
    /// From its start to its end, not counting what it left running.
    pub wall: Duration,
    /// Processor time of all its processes.
    pub cpu: Duration,
    /// Memory of its largest process at its largest, in bytes.
    pub max_rss: u64,
}

/// Why a command could not be run.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The program does not exist.
    #[error("command not found: `{program}`")]
    NotFound {
        /// The program as it was given.
        program: String,
    },
    /// The program is a script, and the interpreter its first line names does not exist.
    #[error("`{program}` names an interpreter in its first line that does not exist")]
    NoInterpreter {
        /// The script as it was given.
        program: String,
    },
    /// The program exists but did not start.
    #[error("failed to start `{program}`")]
    NotStarted {
        /// The program as it was given.
        program: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The folder to run it in cannot be entered.
    #[error("failed to enter `{}`", dir.display())]
    Dir {
        /// The folder.
        dir: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// This executable cannot act as a guard: its `main` does not begin with [`Guard::serve`].
    #[error("this executable cannot guard commands: its main function does not call `Guard::serve`")]
    NotServed,
    /// The guard did not start, or talking to it failed.
    #[error("failed to watch over `{program}`")]
    Guard {
        /// The program as it was given.
        program: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The guard ended without a report, so somebody killed it.
    #[error("the process that watched over `{program}` was killed")]
    GuardLost {
        /// The program as it was given.
        program: String,
    },
    /// Some processes did not even end by force.
    #[error("`{program}` left processes that cannot be killed (are they another user's?)")]
    Survivors {
        /// The program as it was given.
        program: String,
    },
}

/// The executable that stands between nub and each command; cheap to clone.
#[derive(Clone, Debug)]
pub struct Guard {
    executable: PathBuf,
}

impl Guard {
    /// Turns this process into a guard if it was started as one, and does not return then.
    ///
    /// It is the first call in `main`: a guard reads no other arguments and prints nothing.
    pub fn serve() {
        guard::serve();
    }

    /// The running executable, whose `main` has called [`Guard::serve`].
    pub fn this_executable() -> Result<Guard, ProcessError> {
        if !guard::is_served() {
            return Err(ProcessError::NotServed);
        }
        // On Linux this name outlives the file: an update during a long run does no harm.
        let executable = if cfg!(target_os = "linux") {
            PathBuf::from("/proc/self/exe")
        } else {
            std::env::current_exe().map_err(|source| ProcessError::Guard { program: "nub".into(), source })?
        };
        Ok(Guard { executable })
    }

    /// Another executable whose `main` calls [`Guard::serve`], by its absolute path.
    pub fn at(executable: impl Into<PathBuf>) -> Guard {
        Guard { executable: executable.into() }
    }

    /// Runs the command to its end, its timeout or its cancelling, and waits until all it started is gone.
    pub fn run(&self, command: &Command, cancel: &Cancel) -> Result<Finished, ProcessError> {
        unix::run(&self.executable, command, cancel)
    }
}
