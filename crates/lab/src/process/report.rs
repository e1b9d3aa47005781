//! What a guard says to nub, one line each: that the command started, then how it ended.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// One line of a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// The command runs; its process group has this number.
    Started { group: i32 },
    /// The command did not start, for the system's reason of this number.
    NotStarted { errno: i32 },
    /// The command ended, and everything it started too.
    Ended { end: End, wall: Duration, cpu: Duration, max_rss: u64 },
    /// Some processes did not even end by force.
    Survivors,
}

/// How the command ended, as far as the guard can know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Exit(i32),
    Signal(i32),
    Crowded,
    /// It used more of the processor than allowed.
    Busy,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Report::Started { group } => writeln!(f, "started {group}"),
            Report::NotStarted { errno } => writeln!(f, "not-started {errno}"),
            Report::Survivors => writeln!(f, "survivors"),
            Report::Ended { end, wall, cpu, max_rss } => {
                let (kind, number) = match end {
                    End::Exit(code) => ("exit", *code),
                    End::Signal(signal) => ("signal", *signal),
                    End::Crowded => ("crowded", 0),
                    End::Busy => ("busy", 0),
                };
                writeln!(f, "{kind} {number} {} {} {max_rss}", wall.as_micros(), cpu.as_micros())
            }
        }
    }
}

/// A line no guard writes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotAReport;

impl FromStr for Report {
    type Err = NotAReport;

    fn from_str(line: &str) -> Result<Report, NotAReport> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let end = |end, wall, cpu, max_rss| {
            let micros = |word| number(word).map(Duration::from_micros);
            Ok(Report::Ended { end, wall: micros(wall)?, cpu: micros(cpu)?, max_rss: number(max_rss)? })
        };
        match words[..] {
            ["started", group] => Ok(Report::Started { group: number(group)? }),
            ["not-started", errno] => Ok(Report::NotStarted { errno: number(errno)? }),
            ["survivors"] => Ok(Report::Survivors),
            ["exit", code, wall, cpu, max_rss] => end(End::Exit(number(code)?), wall, cpu, max_rss),
            ["signal", signal, wall, cpu, max_rss] => end(End::Signal(number(signal)?), wall, cpu, max_rss),
            ["crowded", _, wall, cpu, max_rss] => end(End::Crowded, wall, cpu, max_rss),
            ["busy", _, wall, cpu, max_rss] => end(End::Busy, wall, cpu, max_rss),
            _ => Err(NotAReport),
        }
    }
}

fn number<T: FromStr>(word: &str) -> Result<T, NotAReport> {
    word.parse().map_err(|_| NotAReport)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_report_survives_the_line() {
        let ended = |end| Report::Ended {
            end,
            wall: Duration::from_micros(1_234_567),
            cpu: Duration::from_micros(89),
            max_rss: 4096,
        };
        for report in [
            Report::Started { group: 4711 },
            Report::NotStarted { errno: 2 },
            ended(End::Exit(3)),
            ended(End::Signal(11)),
            ended(End::Crowded),
            ended(End::Busy),
            Report::Survivors,
        ] {
            assert_eq!(report.to_string().parse(), Ok(report));
        }
        assert_eq!("exit 3".parse::<Report>(), Err(NotAReport));
    }
}
