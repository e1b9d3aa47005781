//! A reduction as it is told: lines while it runs, and its result as data.

use crate::terminal::Terminal;
use crate::words::{count, lasting};
use nub_lab::reduce::{Happening, Reduced, Size};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

impl<W: Write> Terminal<W> {
    /// Shows what happened in a reduction.
    pub fn tell_reduction(&mut self, happening: &Happening) {
        match happening {
            Happening::Checked { size, language, took, symptom } => {
                let how = language.map_or("by brackets and lines".to_owned(), |name| format!("as {name}"));
                let took = lasting(*took);
                self.line(&format!("{}, read {how}; the test takes {took}", size_words(*size)));
                if let Some(symptom) = symptom {
                    self.line(&format!("Keeping the symptom: {symptom}"));
                }
            }
            Happening::Resumed { answers } => {
                let answers = count(*answers, "answer");
                self.line(&format!("Going on with {answers} of an earlier run; --fresh starts again"));
            }
            Happening::Progress { pass, bytes, tokens, tests, elapsed } => {
                let rate = *tests as f64 / elapsed.as_secs_f64().max(0.001);
                let parts = [
                    count(*tokens, "token"),
                    count(*bytes, "byte"),
                    count(*tests, "test"),
                    format!("{rate:.1}/s"),
                    format!("pass {pass}"),
                    lasting(*elapsed),
                ];
                self.progress(&parts.join(" · "), *elapsed);
            }
            Happening::Warning(text) => self.warn(text),
        }
    }

    /// Sums up a reduction; `results` are the files and folders that are its result.
    pub fn finish_reduction(&mut self, reduced: &Reduced, results: &[PathBuf]) {
        self.clear();
        let share = |after: usize, before: usize| 100.0 * after as f64 / before.max(1) as f64;
        let (before, after) = (reduced.before, reduced.after);
        self.headline(&format!(
            "{} left of {} ({:.1} %), {} left of {} ({:.1} %)",
            count(after.tokens, "token"),
            before.tokens,
            share(after.tokens, before.tokens),
            count(after.bytes, "byte"),
            before.bytes,
            share(after.bytes, before.bytes),
        ));
        self.line(&proof(reduced));
        let numbers = &reduced.numbers;
        self.line(&format!(
            "{} in {} ({} for the search, {} guessed, {} to check), {} answered without one; {} in the test itself, \
             {:.1} ms a test beside it",
            count(reduced.tests, "test"),
            lasting(reduced.elapsed),
            numbers.needed,
            numbers.guessed,
            reduced.tests.saturating_sub(numbers.needed + numbers.guessed),
            numbers.saved,
            lasting(reduced.commands),
            1000.0 * reduced.overhead.as_secs_f64() / reduced.tests.max(1) as f64,
        ));
        for (pass, share) in reduced.shares.iter().filter(|(_, share)| share.tests > 0) {
            self.line(&format!(
                "  {pass:9} {:6} tests {:5} successes {:7} tokens gone",
                share.tests, share.successes, share.tokens
            ));
        }
        for result in results {
            self.line(&format!("Result: {}", result.display()));
        }
    }
}

fn size_words(size: Size) -> String {
    let sizes = format!("{} in {}", count(size.tokens, "token"), count(size.bytes, "byte"));
    if size.files == 1 { sizes } else { format!("{sizes} of {}", count(size.files, "file")) }
}

/// How sure the result is.
fn proof(reduced: &Reduced) -> String {
    let end = match reduced.finished {
        true => "No pass finds anything more to take out",
        false => "Stopped before the end: there may be more to take out",
    };
    let again = match reduced.confirmed {
        Some(true) => "tested once more, it is still interesting",
        Some(false) => "tested once more, it was NOT interesting",
        None => "not tested once more",
    };
    format!("{end}; {again}.")
}

/// The result of a reduction as data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReductionRecord {
    /// The format.
    pub nub_reduction: u32,
    /// The version of nub that wrote it.
    pub nub_version: String,
    /// Where the result is.
    pub result: String,
    /// Where each file of it is.
    pub files: Vec<String>,
    /// The size of the input.
    pub before: SizeRecord,
    /// The size of the result.
    pub after: SizeRecord,
    /// Whether a whole round of passes found nothing more.
    pub finished: bool,
    /// Whether the result was interesting when tested once more.
    pub confirmed: Option<bool>,
    /// Whether the empty input is interesting too.
    pub empty_is_interesting: bool,
    /// The share of runs of the original that were interesting.
    pub reliability: f64,
    /// Tests run in all.
    pub tests: usize,
    /// Tests the search had to have.
    pub needed: usize,
    /// Tests started on a guess that was not needed.
    pub guessed: usize,
    /// Questions answered without a test.
    pub saved: usize,
    /// Inputs with other symptoms that were saved aside.
    pub other_symptoms: usize,
    /// Seconds in all.
    pub seconds: f64,
    /// Seconds in the test itself, all workers together.
    pub test_seconds: f64,
    /// Seconds beside the test, all workers together.
    pub overhead_seconds: f64,
    /// What each pass did.
    pub passes: Vec<PassRecord>,
}

/// A size as data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeRecord {
    /// Files.
    pub files: usize,
    /// Bytes.
    pub bytes: usize,
    /// Tokens.
    pub tokens: usize,
}

/// What a pass did, as data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PassRecord {
    /// Its name.
    pub name: &'static str,
    /// Tests it needed.
    pub tests: usize,
    /// Of them those that made the input smaller.
    pub successes: usize,
    /// Tokens that went in it.
    pub tokens: usize,
}

impl ReductionRecord {
    /// The format that this nub writes.
    pub const FORMAT: u32 = 1;

    /// The record of a result.
    pub fn of(reduced: &Reduced, result: &Path, files: &[PathBuf]) -> ReductionRecord {
        let size = |size: Size| SizeRecord { files: size.files, bytes: size.bytes, tokens: size.tokens };
        ReductionRecord {
            nub_reduction: ReductionRecord::FORMAT,
            nub_version: env!("CARGO_PKG_VERSION").into(),
            result: result.display().to_string(),
            files: files.iter().map(|file| file.display().to_string()).collect(),
            before: size(reduced.before),
            after: size(reduced.after),
            finished: reduced.finished,
            confirmed: reduced.confirmed,
            empty_is_interesting: reduced.empty_is_interesting,
            reliability: reduced.reliability,
            tests: reduced.tests,
            needed: reduced.numbers.needed,
            guessed: reduced.numbers.guessed,
            saved: reduced.numbers.saved,
            other_symptoms: reduced.others,
            seconds: reduced.elapsed.as_secs_f64(),
            test_seconds: reduced.commands.as_secs_f64(),
            overhead_seconds: reduced.overhead.as_secs_f64(),
            passes: reduced
                .shares
                .iter()
                .map(|(pass, share)| PassRecord {
                    name: pass.name(),
                    tests: share.tests,
                    successes: share.successes,
                    tokens: share.tokens,
                })
                .collect(),
        }
    }

    /// The record as JSON.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a record of numbers and texts is JSON");
        text.push('\n');
        text
    }
}
