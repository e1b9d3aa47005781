//! nub's side: starts a guard, reads what the command prints, and hangs up when it must end.
//!
//! One thread and one `poll` do it all. The streams are read as fast as they come and kept up to their cap,
//! so a command that prints without end neither blocks nor fills memory.

use super::GIT_HERE;
use super::capture::Capture;
use super::guard::{self, timeout};
use super::report::{End, Report};
use super::{Cancel, Command, Finished, ProcessError, Program, Status};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// How much is read of a stream at a time.
const CHUNK: usize = 1 << 16;
/// The most a pipe can hold: what may be left to read of a stream once everybody who wrote to it has ended.
const PIPE: usize = 1 << 20;

pub(super) fn run(executable: &Path, command: &Command, cancel: &Cancel) -> Result<Finished, ProcessError> {
    let program = || command.program.to_string();
    let deadline = command.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let mut streams = Streams::new(command.output_cap);
    if cancel.is_cancelled() {
        return Ok(streams.finish(Status::Cancelled, Duration::ZERO, Duration::ZERO, 0));
    }
    if command.program.words().is_empty() {
        return Err(ProcessError::NotFound { program: program() });
    }

    let mut run = Run::start(executable, command)?;
    let stopped = run
        .follow(deadline, cancel, &mut streams)
        .map_err(|source| ProcessError::Guard { program: program(), source })?;

    match run.last_report() {
        Some(Report::Ended { end, wall, cpu, max_rss }) => {
            let status = stopped.unwrap_or(match end {
                End::Exit(code) => Status::Exit(code),
                End::Signal(signal) => Status::Signal(signal),
                End::Crowded => Status::Crowded,
                End::Busy => Status::TimedOut,
            });
            Ok(streams.finish(status, wall, cpu, max_rss))
        }
        Some(Report::NotStarted { errno }) => Err(not_started(command, io::Error::from_raw_os_error(errno))),
        Some(Report::Survivors) => Err(ProcessError::Survivors { program: program() }),
        Some(Report::Started { group }) => {
            // What was in the group can still be ended; the orphans now belong to somebody else.
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
            Err(ProcessError::GuardLost { program: program() })
        }
        None => Err(ProcessError::GuardLost { program: program() }),
    }
}

/// Says why a program did not start, in the user's terms.
fn not_started(command: &Command, source: io::Error) -> ProcessError {
    let Program::Direct(words) = &command.program else {
        return ProcessError::NotStarted { program: command.program.to_string(), source };
    };
    let word = words.first().cloned().unwrap_or_default();
    let program = word.to_string_lossy().into_owned();
    match source.kind() {
        ErrorKind::NotFound if program.contains('/') && command.dir.join(&word).exists() => {
            ProcessError::NoInterpreter { program }
        }
        ErrorKind::NotFound => ProcessError::NotFound { program },
        _ => ProcessError::NotStarted { program, source },
    }
}

/// A guard and the command behind it; dropping it hangs up and waits for the guard.
struct Run {
    guard: Child,
    line: UnixStream,
    /// What the guard has said.
    heard: Vec<u8>,
    /// Standard output and standard error, until they end.
    pipes: [Option<File>; 2],
}

impl Run {
    fn start(executable: &Path, command: &Command) -> Result<Run, ProcessError> {
        let failed = |source: io::Error| match source.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied
                if executable.exists() =>
            {
                ProcessError::Dir { dir: command.dir.clone(), source }
            }
            _ => ProcessError::Guard { program: command.program.to_string(), source },
        };
        let (line, far_end) = UnixStream::pair().map_err(failed)?;
        let mut guard = std::process::Command::new(executable);
        for name in GIT_HERE {
            guard.env_remove(name);
        }
        let mut guard = guard
            .arg0("nub")
            .args(guard::arguments(command))
            .current_dir(&command.dir)
            .envs(command.env.iter().map(|(name, value)| (name, value)))
            .stdin(OwnedFd::from(far_end))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let stdout = guard.stdout.take().map(|pipe| File::from(OwnedFd::from(pipe)));
        let stderr = guard.stderr.take().map(|pipe| File::from(OwnedFd::from(pipe)));
        Ok(Run { guard, line, heard: Vec::new(), pipes: [stdout, stderr] })
    }

    /// Reads streams and reports until the guard ends; tells why the command was stopped, if it was.
    fn follow(
        &mut self,
        deadline: Option<Instant>,
        cancel: &Cancel,
        streams: &mut Streams,
    ) -> io::Result<Option<Status>> {
        let mut stopped = None;
        let mut buffer = vec![0; CHUNK];
        loop {
            let waiting = stopped.is_none();
            let [stdout, stderr] = self.pipes.each_ref().map(|pipe| pipe.as_ref().map(File::as_fd));
            let fds = [stdout, stderr, Some(self.line.as_fd()), waiting.then(|| cancel.ear())];
            let [stdout, stderr, line, cancelled] = ready(fds, deadline.filter(|_| waiting))?;

            streams.read(&mut self.pipes, [stdout, stderr], &mut buffer)?;
            if line {
                match self.line.read(&mut buffer)? {
                    0 => break,
                    n => self.heard.extend_from_slice(&buffer[..n]),
                }
            }
            if waiting {
                stopped = if cancelled {
                    Some(Status::Cancelled)
                } else {
                    deadline.filter(|&deadline| deadline <= Instant::now()).map(|_| Status::TimedOut)
                };
                if stopped.is_some() {
                    self.line.shutdown(Shutdown::Write)?;
                }
            }
        }

        // Everybody in the run has ended. Others may keep the streams open: do not wait for them.
        for _ in 0..=PIPE / CHUNK {
            let ready =
                ready(self.pipes.each_ref().map(|p| p.as_ref().map(File::as_fd)), Some(Instant::now()))?;
            if ready == [false, false] {
                break;
            }
            streams.read(&mut self.pipes, ready, &mut buffer)?;
        }
        Ok(stopped)
    }

    fn last_report(&self) -> Option<Report> {
        String::from_utf8_lossy(&self.heard).lines().last()?.parse().ok()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // Both fail only if the guard is gone already.
        let _ = self.line.shutdown(Shutdown::Write);
        let _ = self.guard.wait();
    }
}

/// Which of these have something to read, or ended; waits until one has or the moment has come.
fn ready<const N: usize>(fds: [Option<BorrowedFd<'_>>; N], until: Option<Instant>) -> io::Result<[bool; N]> {
    let asked = fds.map(|fd| fd.is_some());
    let mut fds: Vec<_> = fds.into_iter().flatten().map(|fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
    loop {
        match poll(&mut fds, timeout(until)) {
            Ok(_) => break,
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let mut answers = fds.iter().map(|fd| fd.any().unwrap_or(true));
    Ok(asked.map(|asked| asked && answers.next().unwrap_or(false)))
}

/// What the command has printed so far.
struct Streams {
    single: [Capture; 2],
    both: Capture,
}

impl Streams {
    fn new(cap: usize) -> Streams {
        Streams { single: [Capture::new(cap), Capture::new(cap)], both: Capture::new(cap) }
    }

    /// Reads once from each pipe that is ready, and lets go of those that ended.
    fn read(&mut self, pipes: &mut [Option<File>; 2], ready: [bool; 2], buffer: &mut [u8]) -> io::Result<()> {
        for ((pipe, ready), capture) in pipes.iter_mut().zip(ready).zip(&mut self.single) {
            let Some(open) = pipe.as_mut().filter(|_| ready) else { continue };
            match open.read(buffer)? {
                0 => *pipe = None,
                n => {
                    capture.push(&buffer[..n]);
                    self.both.push(&buffer[..n]);
                }
            }
        }
        Ok(())
    }

    fn finish(self, status: Status, wall: Duration, cpu: Duration, max_rss: u64) -> Finished {
        let [stdout, stderr] = self.single.map(Capture::finish);
        Finished { status, stdout, stderr, output: self.both.finish(), wall, cpu, max_rss }
    }
}
