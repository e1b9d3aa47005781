//! The guard's side: starts the command, adopts its orphans, and ends them all.
//!
//! It is a program of one thread that sleeps until a child ends, the line to nub closes, or a moment comes.
//! It signals only its own children and their groups, never a grandchild by number: a child's number cannot
//! be given away before the guard has waited for it, a grandchild's can. A grandchild whose parent ends
//! becomes a child, so the rounds reach everyone.

use super::Command;
use super::report::{End, Report};
use super::table::{below, table};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::time::TimeValLike;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, SysconfVar, getpgrp, setpgid, setsid, sysconf};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The hidden argument that makes an executable a guard.
const ARGUMENT: &str = "__guard";

/// How long helpers may outlive the command by themselves, such as a `tee` that still empties its pipe.
const LINGER: Duration = Duration::from_millis(100);
/// How long processes may take to end after being asked.
const GRACE: Duration = Duration::from_millis(100);
/// How long the guard tries force before it gives up.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a round of force lasts before the guard looks again.
const ROUND: Duration = Duration::from_millis(50);
/// How often processes are looked at, at most; that also takes no more than a fiftieth of the time.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Stands for every real-time signal: the first of them on Linux.
const REAL_TIME: i32 = 34;

static SERVED: AtomicBool = AtomicBool::new(false);

pub(super) fn serve() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().as_deref() != Some(OsStr::new(ARGUMENT)) {
        SERVED.store(true, Ordering::SeqCst);
        return;
    }
    let done = Orders::read(arguments).ok_or_else(|| io::Error::other("bad arguments")).and_then(guard);
    std::process::exit(done.is_err().into());
}

pub(super) fn is_served() -> bool {
    SERVED.load(Ordering::SeqCst)
}

/// The arguments that make a guard run the command; its folder and environment are the guard's own.
pub(super) fn arguments(command: &Command) -> Vec<OsString> {
    let limit = |limit: Option<u64>| limit.map_or("-".into(), |limit| limit.to_string().into());
    let stdin = command.stdin.as_ref().map_or("-".into(), |path| path.clone().into_os_string());
    let processor = command.processor.map(|most| most.as_millis() as u64);
    let limits = [command.memory, command.processes, processor].map(limit);
    let mut arguments: Vec<OsString> = [ARGUMENT.into()].into_iter().chain(limits).chain([stdin]).collect();
    arguments.extend(command.program.words().into_iter().map(OsString::from));
    arguments
}

/// A command as the guard is told of it.
#[derive(Debug, PartialEq)]
struct Orders {
    memory: Option<u64>,
    processes: Option<u64>,
    /// In milliseconds.
    processor: Option<u64>,
    stdin: Option<OsString>,
    program: OsString,
    arguments: Vec<OsString>,
}

impl Orders {
    fn read(mut words: impl Iterator<Item = OsString>) -> Option<Orders> {
        let limit = |word: OsString| match word.to_str()? {
            "-" => Some(None),
            number => number.parse().ok().map(Some),
        };
        Some(Orders {
            memory: limit(words.next()?)?,
            processes: limit(words.next()?)?,
            processor: limit(words.next()?)?,
            stdin: words.next().map(|word| Some(word).filter(|word| word != "-"))?,
            program: words.next()?,
            arguments: words.collect(),
        })
    }
}

fn guard(orders: Orders) -> io::Result<()> {
    // Standard input is the line.
    let mut line = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let origin = getpgrp();
    step_aside()?;
    adopt_orphans();
    let alarm = Alarm::set()?;

    let started = Instant::now();
    match start(&orders) {
        Ok(main) => {
            say(&mut line, Report::Started { group: main.as_raw() });
            let mut watch =
                Watch { line, alarm, origin, main, started, end: None, alone: false, stop: false };
            let report = watch.out(&Limits::of(&orders, started))?;
            say(&mut watch.line, report);
        }
        Err(error) => say(&mut line, Report::NotStarted { errno: error.raw_os_error().unwrap_or(0) }),
    }
    Ok(())
}

/// Leaves nub's process group, and its terminal if there is one: no test asks there for a password, and what
/// is typed there is nub's affair.
///
/// Why not always a new session? Where the scheduler shares the machine among sessions (Linux's autogroup), a
/// new one queues behind all others: on a busy machine that doubled the time of a short run.
fn step_aside() -> nix::Result<()> {
    if File::open("/dev/tty").is_ok() { setsid().map(drop) } else { setpgid(Pid::this(), Pid::this()) }
}

/// Tells nub, if it still lives to hear it.
fn say(line: &mut UnixStream, report: Report) {
    let _ = line.write_all(report.to_string().as_bytes());
}

#[cfg(target_os = "linux")]
fn adopt_orphans() {
    // Both exist since Linux 3.4, and the name is for people only.
    let _ = nix::sys::prctl::set_child_subreaper(true);
    let _ = nix::sys::prctl::set_name(c"test-guard");
}

#[cfg(not(target_os = "linux"))]
fn adopt_orphans() {}

fn start(orders: &Orders) -> io::Result<Pid> {
    let stdin = match &orders.stdin {
        Some(path) => File::open(path)?.into(),
        None => std::process::Stdio::null(),
    };
    let (_, hard) = getrlimit(Resource::RLIMIT_CORE)?;
    setrlimit(Resource::RLIMIT_CORE, 0, hard)?;

    let (soft, hard) = getrlimit(Resource::RLIMIT_AS)?;
    // Only the soft limit, and only for a moment: the command inherits it, the guard gets its own back.
    setrlimit(Resource::RLIMIT_AS, orders.memory.map_or(soft, |memory| memory.min(hard)), hard)?;
    let child = std::process::Command::new(&orders.program)
        .args(&orders.arguments)
        .stdin(stdin)
        .process_group(0)
        .spawn();
    setrlimit(Resource::RLIMIT_AS, soft, hard)?;
    Ok(Pid::from_raw(child?.id() as i32))
}

/// Wakes the guard when a child ends or somebody asks the guard itself to end.
struct Alarm {
    bell: UnixStream,
    asked_to_end: Arc<AtomicBool>,
}

impl Alarm {
    fn set() -> io::Result<Alarm> {
        let (bell, rope) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        let asked_to_end = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&asked_to_end))?;
            signal_hook::low_level::pipe::register(signal, rope.try_clone()?)?;
        }
        signal_hook::low_level::pipe::register(SIGCHLD, rope)?;
        Ok(Alarm { bell, asked_to_end })
    }

    fn silence(&mut self) {
        let mut rings = [0; 64];
        while self.bell.read(&mut rings).is_ok_and(|n| n > 0) {}
    }
}

/// How much a command may have of what is looked at every now and then.
struct Limits {
    processes: Option<u64>,
    processor: Option<Duration>,
    /// When to look first; never, if there is no limit.
    first_look: Option<Instant>,
}

impl Limits {
    fn of(orders: &Orders, started: Instant) -> Limits {
        let processor = orders.processor.map(Duration::from_millis);
        // One thread cannot use more of the processor than there was time.
        let first_look = match orders.processes {
            Some(_) => Some(started),
            None => processor.and_then(|most| started.checked_add(most)),
        };
        Limits { processes: orders.processes, processor, first_look }
    }

    /// Of what the processes below the guard have more than allowed.
    fn exceeded(&self) -> io::Result<Option<End>> {
        let below = below(Pid::this(), &table());
        if self.processes.is_some_and(|most| below.len() as u64 > most) {
            return Ok(Some(End::Crowded));
        }
        let running = ticks(below.iter().map(|entry| entry.ticks).sum())?;
        let used = running + processor_time_of_the_ended()?;
        Ok(self.processor.filter(|most| used > *most).map(|_| End::Busy))
    }
}

/// The time that so many ticks of the system's clock are.
fn ticks(count: u64) -> io::Result<Duration> {
    let a_second = sysconf(SysconfVar::CLK_TCK)?.and_then(|ticks| u64::try_from(ticks).ok());
    Ok(Duration::from_millis(count.saturating_mul(1000) / a_second.unwrap_or(100).max(1)))
}

/// What children of the guard that have ended used of the processor.
fn processor_time_of_the_ended() -> io::Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = (usage.user_time() + usage.system_time()).num_microseconds();
    Ok(Duration::from_micros(micros.unsigned_abs()))
}

/// A guard at work.
struct Watch {
    line: UnixStream,
    alarm: Alarm,
    /// The process group the guard comes from, which is nub's.
    origin: Pid,
    main: Pid,
    started: Instant,
    /// How and when the command itself ended.
    end: Option<(End, Instant)>,
    /// Whether no process is left below the guard; then none can come.
    alone: bool,
    /// Whether nub, or somebody else, wants the command to end.
    stop: bool,
}

impl Watch {
    /// Watches over the command to its end and beyond, until the guard is alone.
    fn out(&mut self, limits: &Limits) -> io::Result<Report> {
        let excess = self.until_the_end(limits)?;
        if !self.stop && excess.is_none() {
            self.linger()?;
        }
        self.press(Signal::SIGTERM, GRACE)?;
        let patience = Instant::now() + PATIENCE;
        while !self.alone && Instant::now() < patience {
            self.press(Signal::SIGKILL, ROUND)?;
        }
        if cfg!(not(target_os = "linux")) {
            // Orphans of the group are not the guard's children here, but they still know their group.
            let _ = killpg(self.main, Signal::SIGKILL);
        }

        let Some((end, ended)) = self.end.filter(|_| self.alone) else { return Ok(Report::Survivors) };
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
        let rss_unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
        Ok(Report::Ended {
            end: excess.unwrap_or(end),
            wall: ended - self.started,
            cpu: processor_time_of_the_ended()?,
            max_rss: usage.max_rss().unsigned_abs() * rss_unit,
        })
    }

    /// Waits until the command itself ends or must end; tells of what it had too much, if that is why it must.
    fn until_the_end(&mut self, limits: &Limits) -> io::Result<Option<End>> {
        let mut look = limits.first_look;
        loop {
            self.reap()?;
            if self.end.is_some() || self.stop {
                return Ok(None);
            }
            if look.is_some_and(|look| look <= Instant::now()) {
                let began = Instant::now();
                if let Some(excess) = limits.exceeded()? {
                    return Ok(Some(excess));
                }
                look = Some(Instant::now() + LOOK_EVERY.max(began.elapsed() * 50));
            }
            self.sleep(look)?;
        }
    }

    /// Lets what the command left behind end by itself.
    fn linger(&mut self) -> io::Result<()> {
        let until = Instant::now() + LINGER;
        while !self.alone && !self.stop && Instant::now() < until {
            self.sleep(Some(until))?;
            self.reap()?;
        }
        Ok(())
    }

    /// Sends the signal to all the guard's children, newly adopted ones too, and waits for this long at most.
    fn press(&mut self, signal: Signal, patience: Duration) -> io::Result<()> {
        let until = Instant::now() + patience;
        let mut told = BTreeSet::new();
        while !self.alone && Instant::now() < until {
            for target in self.targets() {
                if told.insert(target) {
                    // It fails if they have just ended, or are another user's: then patience ends too.
                    let _ = kill(target, signal);
                }
            }
            self.sleep(Some(until))?;
            self.reap()?;
        }
        Ok(())
    }

    /// Whom to signal to reach every child: whole groups, as negative numbers, if they are the command's.
    fn targets(&self) -> BTreeSet<Pid> {
        let not_ours = [self.origin, getpgrp()];
        let target = |pid: Pid, group: Pid| {
            if not_ours.contains(&group) { pid } else { Pid::from_raw(-group.as_raw()) }
        };
        let children = table().into_iter().filter(|entry| entry.parent == Pid::this());
        // Where there is no table, the command itself is known, as long as it has not been waited for.
        let main = self.end.is_none().then(|| target(self.main, self.main));
        children.map(|child| target(child.pid, child.group)).chain(main).collect()
    }

    /// Waits for every child that has ended.
    fn reap(&mut self) -> io::Result<()> {
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) => return Ok(()),
                Ok(WaitStatus::Exited(pid, code)) => self.note(pid, End::Exit(code)),
                Ok(WaitStatus::Signaled(pid, signal, _)) => self.note(pid, End::Signal(signal as i32)),
                Ok(_) | Err(Errno::EINTR) => {}
                // A real-time signal ended somebody, and nix, which has no name for it, does not say whom.
                Err(Errno::EINVAL) if kill(self.main, None) == Err(Errno::ESRCH) => {
                    self.note(self.main, End::Signal(REAL_TIME));
                }
                Err(Errno::EINVAL) => {}
                Err(Errno::ECHILD) => {
                    self.alone = true;
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn note(&mut self, pid: Pid, end: End) {
        if pid == self.main && self.end.is_none() {
            self.end = Some((end, Instant::now()));
        }
    }

    /// Sleeps until something happens or the moment has come.
    fn sleep(&mut self, until: Option<Instant>) -> io::Result<()> {
        let line = (!self.stop).then(|| self.line.as_fd());
        let fds = [Some(self.alarm.bell.as_fd()), line];
        let mut fds: Vec<_> =
            fds.into_iter().flatten().map(|fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
        match poll(&mut fds, timeout(until)) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        // nub never writes: whatever happens on the line is its end.
        let line_ended = fds.get(1).is_some_and(|line| line.any().unwrap_or(true));
        self.alarm.silence();
        self.stop |= line_ended || self.alarm.asked_to_end.load(Ordering::SeqCst);
        Ok(())
    }
}

/// The time to sleep, in whole milliseconds and never too short.
pub(super) fn timeout(until: Option<Instant>) -> PollTimeout {
    let Some(until) = until else { return PollTimeout::NONE };
    let left = until.saturating_duration_since(Instant::now());
    let millis = left.as_micros().div_ceil(1000);
    PollTimeout::try_from(millis).unwrap_or(PollTimeout::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::Program;
    use super::*;

    #[test]
    fn a_guard_reads_the_arguments_nub_gives_it() {
        let program = Program::Direct(vec!["-".into(), "".into(), "__guard".into()]);
        let mut command = Command::new(program, ".");
        command.processes = Some(7);
        command.processor = Some(Duration::from_millis(2500));
        let read = Orders::read(arguments(&command).into_iter().skip(1));
        let arguments = vec!["".into(), "__guard".into()];
        let expected = Orders {
            memory: None,
            processes: Some(7),
            processor: Some(2500),
            stdin: None,
            program: "-".into(),
            arguments,
        };
        assert_eq!(read, Some(expected));
        let read = |words: &str| Orders::read(words.split(' ').map(OsString::from));
        assert_eq!(read("- x - - true"), None);
        assert_eq!(read("- - - -"), None);
    }
}
