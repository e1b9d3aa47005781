//! What a person watching sees: how far the search is, and at the end what it found.
//!
//! On a terminal one line is rewritten in place. Elsewhere, in a log of a build server say, a line is added
//! now and then, more rarely the longer it takes. Time is what the events say, so that a told story looks the
//! same each time.

use crate::explain;
use crate::finding::Finding;
use crate::json::ResultRecord;
use crate::words::{count, is_broken, lasting, side_word, trial_words};
use anstyle::{AnsiColor, Style};
use nub_change::changed_lines;
use nub_lab::event::{Direction, Event, Side, Trial};
use nub_lab::run::Numbers;
use nub_search::Outcome;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// How lines may look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether a line can be rewritten in place.
    pub live: bool,
    /// Whether there are colours.
    pub colour: bool,
}

/// Follows a run on the standard error stream, or wherever `out` leads.
///
/// A reader that went away is no reason to stop a search, so failures to write are not reported.
pub struct Terminal<W> {
    out: W,
    look: Look,
    /// Whether a line that will be rewritten is on the screen.
    is_drawn: bool,
    /// When the last progress was shown, and when the next one is due.
    shown: Option<Duration>,
    names: [String; 2],
    tally: Tally,
}

/// What was run so far.
#[derive(Default)]
struct Tally {
    tests: usize,
    builds: usize,
    broken: usize,
    /// The changed lines of the best patch so far.
    patch: Option<usize>,
}

const LIVE_PACE: Duration = Duration::from_millis(100);
const PLAIN_PACE: Duration = Duration::from_secs(5);

impl<W: Write> Terminal<W> {
    /// Nothing is shown yet.
    pub fn new(out: W, look: Look) -> Terminal<W> {
        let names = [String::new(), String::new()];
        Terminal { out, look, is_drawn: false, shown: None, names, tally: Tally::default() }
    }

    /// Shows what happened.
    pub fn tell(&mut self, event: &Event) {
        match event {
            Event::Compared { old, new, files, changes } => {
                self.names = [old.clone(), new.clone()];
                let (changes, files) = (count(*changes, "change"), count(*files, "file"));
                self.line(&format!("{old} and {new}: {changes} in {files}"));
                self.draw("trying the old version");
            }
            Event::Baseline { side, trial } => {
                self.baseline(*side, trial);
                if *side == Side::Old {
                    self.draw("trying the new version");
                }
            }
            Event::Directed { direction, from } => {
                self.line(&directed(*direction, *from));
            }
            Event::Measured { by, ran, idle, unseen, .. } => {
                let total = count(ran + idle + unseen, "change");
                self.line(&format!(
                    "Coverage ({by}): of {total} {ran} ran, {idle} did not, {unseen} cannot be seen"
                ));
            }
            Event::Learned { failure } => {
                let says = "other failures cannot tell (--any-failure counts them all)";
                self.line(&format!("A run that {failure} counts as bad; {says}"));
            }
            Event::Better { patch, .. } => self.tally.patch = Some(changed_lines(patch)),
            Event::Resumed { answers } => {
                let answers = count(*answers, "answer");
                self.line(&format!("Going on with {answers} of an earlier run; --fresh starts again"));
            }
            Event::Refining { changes, parts } => {
                let (changes, parts) = (count(*changes, "change"), count(*parts, "part"));
                self.line(&format!("Looking inside {changes}, at {parts}"));
            }
            Event::Tried { trial } => self.tally.add(trial),
            Event::Progress { left, total, numbers, elapsed } => {
                let progress = self.tally.progress(*left, *total, numbers, *elapsed);
                self.progress(&progress, *elapsed);
            }
            Event::Warning(text) => self.warn(text),
        }
    }

    /// Shows something the user should know.
    pub fn warn(&mut self, text: &str) {
        let label = self.paint(AnsiColor::Yellow.on_default().bold(), "warning:");
        self.line(&format!("{label} {text}"));
    }

    /// Shows a line that stays.
    pub fn line(&mut self, text: &str) {
        self.clear();
        let _ = writeln!(self.out, "{text}");
    }

    /// Sums up what was found; `out` is where the results are.
    pub fn finish(&mut self, finding: &Finding<'_>, out: Option<&Path>) {
        let record = ResultRecord::of(finding);
        self.clear();
        self.headline(&explain::headline(&record));
        for row in explain::rows(&record) {
            self.line(&row);
        }
        self.line(&explain::proof(&record));
        let beginnings = finding.beginnings();
        if let Some(first) = beginnings.first() {
            let more = if beginnings.len() > 1 { " and elsewhere" } else { "" };
            self.line(&format!(
                "Note: at {first}{more} only the beginning of something is moved and the rest of it stays, which may flip the test by \
                 accident; let the test check more, or try --granularity stmt"
            ));
        }
        self.line(&explain::cost(&record));
        if let Some(out) = out {
            self.line(&format!("Results: {}", out.display()));
        }
    }

    /// Shows how far it is, if it is time for that.
    pub(crate) fn progress(&mut self, text: &str, elapsed: Duration) {
        if self.is_due(elapsed) {
            self.shown = Some(elapsed);
            match self.look.live {
                true => self.draw(text),
                false => self.line(text),
            }
        }
    }

    /// Shows what it all comes to.
    pub(crate) fn headline(&mut self, text: &str) {
        let headline = self.paint(Style::new().bold(), text);
        self.line(&format!("\n{headline}"));
    }

    /// Takes the line in the making off the screen.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            let _ = write!(self.out, "\r\x1b[K");
        }
        let _ = self.out.flush();
    }

    fn baseline(&mut self, side: Side, trial: &Trial) {
        self.tally.add(trial);
        let name = match side {
            Side::Old => &self.names[0],
            Side::New => &self.names[1],
        };
        let style = match trial.outcome {
            Outcome::Pass => AnsiColor::Green.on_default(),
            Outcome::Fail => AnsiColor::Red.on_default(),
            Outcome::Unresolved => AnsiColor::Yellow.on_default(),
        };
        let words = self.paint(style, &trial_words(trial));
        self.line(&format!("  {} version, {name}: {words}", side_word(side)));
    }

    fn is_due(&self, now: Duration) -> bool {
        let pace = match self.look.live {
            true => LIVE_PACE,
            false => PLAIN_PACE.max(now / 4),
        };
        let last = self.shown.unwrap_or(Duration::ZERO);
        now >= last + pace
    }

    /// Writes a line that the next one replaces; nothing where that cannot be done.
    fn draw(&mut self, text: &str) {
        if self.look.live {
            let _ = write!(self.out, "\r{text}\x1b[K");
            let _ = self.out.flush();
            self.is_drawn = true;
        }
    }

    fn paint(&self, style: Style, text: &str) -> String {
        match self.look.colour {
            true => format!("{style}{text}{style:#}"),
            false => text.into(),
        }
    }
}

impl Tally {
    fn add(&mut self, trial: &Trial) {
        self.tests += usize::from(trial.test_time.is_some());
        self.builds += usize::from(trial.build_time.is_some());
        self.broken += usize::from(is_broken(trial));
    }

    fn progress(&self, left: usize, total: usize, numbers: &Numbers, elapsed: Duration) -> String {
        let mut parts = vec![format!("{left} of {} left", count(total, "change")), count(self.tests, "test")];
        if self.builds > 0 {
            parts.push(format!("{} ({} broken)", count(self.builds, "build"), self.broken));
        }
        parts.extend(self.patch.map(|lines| format!("best patch {}", count(lines, "line"))));
        let started = numbers.needed + numbers.guessed;
        parts.push(format!("{:.1}/s", started as f64 / elapsed.as_secs_f64().max(0.001)));
        parts.push(lasting(elapsed));
        parts.join(" · ")
    }
}

fn directed(direction: Direction, from: Side) -> String {
    let what = match direction {
        Direction::Regression => "A regression",
        Direction::Fix => "A fix",
    };
    let goal = if from == direction.bad() { "passes" } else { "fails" };
    let part = match from {
        Side::Old => "part of the difference with which the old version",
        Side::New => "part of the difference without which the new version",
    };
    format!("{what}. Looking for the smallest {part} {goal}")
}

#[cfg(test)]
mod tests;
