//! Which changes the test runs: measured once on each version, in a workspace of its own.
//!
//! ```text
//!   version ──> own workspace ──> build and test, with what the collectors add ──> reports ──> sight of each change
//!                                   │ the test must say what it said without them
//! ```
//!
//! What coverage knows is a hint, never an answer: if a build does not bear it, or the test says something else while it
//! is measured, the search goes on without it, and [`measure`] says why. A tool that is missing is missed for its language
//! only.

mod cc;
mod collector;
mod go;
mod java;
mod load;
mod node;
mod python;
mod rust;

pub use load::{LoadError, load};

use crate::event::Side;
use crate::process::{Cancel, Command, Guard, Program, Rule, Status, built, git_ceiling};
use crate::workspace::{Origin, Scratch, Workspace};
use collector::{Collector, Site};
use nub_change::coverage::{Report, Sight, sights};
use nub_change::{Coverage, Patchwork, suspicion};
use nub_search::combine::Guess;
use nub_search::{Config, Outcome};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Which collectors to try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Collect {
    /// None.
    Off,
    /// Those that pay: where most changes are in a language, and either no build of its own is needed or there are many.
    #[default]
    Worthwhile,
    /// All for which there is something to see.
    Auto,
}

/// What is to be known about what runs.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// How to find out.
    pub collect: Collect,
    /// What the user brings along about the old version and the new one; then nothing is collected.
    pub given: [Option<Report>; 2],
    /// Tests that pass on both versions; what they run too is less suspicious.
    pub also_pass: Vec<Program>,
}

/// What is known about what runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The sight of each change, by number.
    pub sights: Vec<Sight>,
    /// By how many of the tests that pass each change was run.
    pub shared: Vec<u32>,
    /// Who measured.
    pub by: String,
    /// Who could not, and why.
    pub lacking: Vec<String>,
    /// How many builds and tests it took.
    pub runs: usize,
}

/// How suspicious a change that did not run is, relative to one that did.
const IDLE: f64 = 0.02;
/// How suspicious a change is of which nobody knows whether it ran.
const UNSEEN: f64 = 0.3;

impl Measured {
    /// The changes that could have been seen to run, and did not.
    pub fn idle(&self) -> Config {
        self.with(Sight::Idle)
    }

    /// The changes of a sight.
    pub fn with(&self, sight: Sight) -> Config {
        let numbered = self.sights.iter().zip(0u32..);
        numbered.filter(|(found, _)| **found == sight).map(|(_, number)| number).collect()
    }

    /// Suspicions with what is known taken in.
    ///
    /// For what the failing test runs, Ochiai's measure with one failing test: it falls with the root of the
    /// number of tests that run it and pass.
    pub fn priors(&self, before: &[f64]) -> Vec<f64> {
        let factor = |(sight, shared): (&Sight, &u32)| match sight {
            Sight::Ran => 1.0 / f64::from(1 + shared).sqrt(),
            Sight::Unseen => UNSEEN,
            Sight::Idle => IDLE,
        };
        let factors = self.sights.iter().zip(&self.shared).map(factor);
        before.iter().zip(factors).map(|(before, factor)| before * factor).collect()
    }

    /// What may be enough to search in, boldest first: the functions that ran, then all but those that did not.
    ///
    /// Whole functions, although single lines are known: what is left of one without some of its lines rarely
    /// builds, and the search comes to lines last anyway. Alone they are tried by how much of them ran and changed.
    pub fn guesses(&self, patchwork: &Patchwork) -> Vec<Guess> {
        let units = patchwork.units();
        let ran = self.with(Sight::Ran);
        let weigh = |unit: u32| -> u32 {
            let changes = units.changes(unit).iter().filter(|&&change| ran.contains(change));
            changes.map(|&change| patchwork.changes()[change as usize].weight).sum()
        };
        let touched = units.touched(&ran);
        let mut parts: Vec<u32> = touched.iter().collect();
        parts.sort_by_cached_key(|&unit| Reverse(weigh(unit)));
        let parts = parts.into_iter().map(|unit| units.expand(&[unit].into())).collect();
        let not_idle = units.touched(&patchwork.full().minus(&self.idle()));
        vec![Guess { whole: units.expand(&touched), parts }, units.expand(&not_idle).into()]
    }

    /// As text, for the output folder.
    fn to_text(&self, key: &str) -> String {
        let letter = |sight: &Sight| match sight {
            Sight::Ran => 'r',
            Sight::Idle => 'i',
            Sight::Unseen => '?',
        };
        let sights: String = self.sights.iter().map(letter).collect();
        let shared: Vec<String> = self.shared.iter().map(ToString::to_string).collect();
        format!("nub coverage 1\n{key}\n{}\n{sights}\n{}\n", self.by, shared.join(" "))
    }

    /// What [`Measured::to_text`] wrote for the same question.
    fn from_text(text: &str, key: &str, n: usize) -> Option<Measured> {
        let mut lines = text.lines();
        if lines.next()? != "nub coverage 1" || lines.next()? != key {
            return None;
        }
        let by = lines.next()?.to_owned();
        let sight = |letter: char| match letter {
            'r' => Some(Sight::Ran),
            'i' => Some(Sight::Idle),
            '?' => Some(Sight::Unseen),
            _ => None,
        };
        let sights: Vec<Sight> = lines.next()?.chars().map(sight).collect::<Option<_>>()?;
        let shared: Vec<u32> = lines.next()?.split(' ').map(|n| n.parse().ok()).collect::<Option<_>>()?;
        (sights.len() == n && shared.len() == n).then_some(Measured {
            sights,
            shared,
            by,
            lacking: Vec::new(),
            runs: 0,
        })
    }
}

/// What is measured, and how.
pub struct Experiment<'a> {
    /// What is to be known.
    pub wanted: &'a Wanted,
    /// What workspaces are made from.
    pub origin: Origin,
    /// How a version is built, in a folder inside of it.
    pub build: Option<Command>,
    /// How it is tested.
    pub test: Command,
    /// What the end of the test means.
    pub rule: &'a Rule,
    /// What the test said of the old version and of the new one.
    pub expected: [Outcome; 2],
    /// What tells this question from others: what was measured before is used again.
    pub key: String,
    /// Whether to forget what was measured before.
    pub fresh: bool,
    /// The output folder.
    pub out: &'a Path,
    /// What stands between nub and the commands.
    pub guard: &'a Guard,
    /// Whether the user wants to stop.
    pub cancel: &'a Cancel,
}

/// Finds out which changes run; `Ok(None)` where there is nothing to see, `Err` with the reason where it failed.
pub fn measure(experiment: &Experiment<'_>) -> Result<Option<Measured>, String> {
    let patchwork = &experiment.origin.patchwork;
    if experiment.wanted.given.iter().any(Option::is_some) {
        return read(patchwork, &experiment.wanted.given).map(Some);
    }
    if experiment.wanted.collect == Collect::Off {
        return Ok(None);
    }
    let kept = experiment.out.join("coverage.txt");
    let known = fs::read_to_string(&kept).ok().filter(|_| !experiment.fresh);
    let n = patchwork.changes().len();
    if let Some(known) = known.and_then(|text| Measured::from_text(&text, &experiment.key, n)) {
        return Ok(Some(known));
    }
    let measured = collect(experiment)?;
    if let Some(measured) = &measured {
        fs::write(&kept, measured.to_text(&experiment.key))
            .map_err(|error| format!("`{}`: {error}", kept.display()))?;
    }
    Ok(measured)
}

/// What the reports of the user say.
fn read(patchwork: &Patchwork, given: &[Option<Report>; 2]) -> Result<Measured, String> {
    let versions = [Config::empty(), patchwork.full()].map(|config| patchwork.render(&config));
    let mut coverages = [Coverage::default(), Coverage::default()];
    for ((report, version), coverage) in given.iter().zip(&versions).zip(&mut coverages) {
        if let Some(report) = report {
            *coverage = Coverage::of(report, version);
            if coverage.is_empty() {
                return Err(
                    "a report speaks of no file of its version; are the versions and the reports the \
                     same, and were they swapped?"
                        .into(),
                );
            }
        }
    }
    let sights = sights(patchwork, &coverages[0], &coverages[1]);
    let shared = vec![0; sights.len()];
    Ok(Measured { sights, shared, by: "the reports".into(), lacking: Vec::new(), runs: 0 })
}

/// A search among so many changes takes more builds than the two that measure.
const MANY: usize = 200;

const COLLECTORS: [&dyn Collector; 6] =
    [&python::Python, &node::Node, &cc::Cc, &rust::Rust, &go::Go, &java::Java];

/// The collectors that see some of the changes, and may be used.
fn chosen(patchwork: &Patchwork, collect: Collect) -> Vec<&'static dyn Collector> {
    let ending = |path: &str| path.rsplit_once('.').map(|(_, ending)| ending.to_owned());
    let code = patchwork.changes().iter().filter(|change| suspicion(change.path()) >= 1.0);
    let endings: Vec<Option<String>> = code.map(|change| ending(&change.path().to_string())).collect();
    let seen = |collector: &dyn Collector| {
        let is_seen = |ending: &&Option<String>| {
            ending.as_deref().is_some_and(|ending| collector.endings().contains(&ending))
        };
        endings.iter().filter(is_seen).count()
    };
    let fits = |collector: &&dyn Collector| match collect {
        Collect::Off => false,
        // Where few of the changes are seen and most are elsewhere, not even a test more is cheap.
        Collect::Worthwhile => {
            let seen = seen(*collector);
            let is_most = seen > 0 && 2 * seen >= endings.len();
            seen >= MANY || (collector.is_cheap() && is_most)
        }
        Collect::Auto => seen(*collector) > 0,
    };
    COLLECTORS.into_iter().filter(fits).collect()
}

/// Builds and tests both versions with all collectors that fit.
fn collect(experiment: &Experiment<'_>) -> Result<Option<Measured>, String> {
    let patchwork = &experiment.origin.patchwork;
    let chosen = chosen(patchwork, experiment.wanted.collect);
    if chosen.is_empty() {
        return Ok(None);
    }
    let mut runs = 0;
    let mut lacking = BTreeMap::new();
    let old = one_version(experiment, &chosen, Side::Old, &mut runs, &mut lacking)?;
    let new = one_version(experiment, &chosen, Side::New, &mut runs, &mut lacking)?;
    let languages = chosen.iter().map(|collector| collector.language());
    let names: Vec<&str> = languages.filter(|language| !lacking.contains_key(language)).collect();
    let mut first = sights(patchwork, &old[0], &new[0]);
    if !first.contains(&Sight::Ran) {
        // The test changed its mind because of something: where no change ran, the tools are blind to some files.
        let [old, new] = [&old[0], &new[0]].map(|coverage| coverage.clone().without_silence());
        first = sights(patchwork, &old, &new);
    }
    let mut shared = vec![0; first.len()];
    for passing in 1..old.len().min(new.len()) {
        for (count, sight) in shared.iter_mut().zip(sights(patchwork, &old[passing], &new[passing])) {
            *count += u32::from(sight == Sight::Ran);
        }
    }
    if first.iter().all(|sight| *sight == Sight::Unseen) {
        return Err(format!("what {} measured touches no change", names.join(" and ")));
    }
    let lacking = lacking.into_iter().map(|(language, reason)| format!("{language}: {reason}")).collect();
    Ok(Some(Measured { sights: first, shared, by: names.join(" and "), lacking, runs }))
}

/// The languages that cannot be measured, and why.
type Lacking = BTreeMap<&'static str, String>;

/// Measures one version: the test, and each test that passes.
fn one_version(
    experiment: &Experiment<'_>,
    collectors: &[&'static dyn Collector],
    side: Side,
    runs: &mut usize,
    lacking: &mut Lacking,
) -> Result<Vec<Coverage>, String> {
    let patchwork = Arc::clone(&experiment.origin.patchwork);
    let (config, expected) = match side {
        Side::Old => (Config::empty(), experiment.expected[0]),
        Side::New => (patchwork.full(), experiment.expected[1]),
    };
    let scratch =
        Scratch::new(experiment.out).map_err(|error| format!("no folder to measure in: {error}"))?;
    let mut workspace = Workspace::new(scratch.dir().join("version"), Arc::new(experiment.origin.clone()));
    workspace.move_to(&config).map_err(|error| error.to_string())?;
    let root = workspace.dir().canonicalize().map_err(|error| error.to_string())?;
    let tools = scratch.dir().canonicalize().map_err(|error| error.to_string())?.join("coverage");
    let site = Site { workspace: &root, scratch: &tools, guard: experiment.guard, cancel: experiment.cancel };
    for folder in [site.bin(), site.data(), tools.join("tmp")] {
        fs::create_dir_all(&folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
    }
    let lab = Measuring::set_up(site, collectors, side, lacking)?;

    if let Some(build) = &experiment.build {
        *runs += 1;
        let finished = lab.run(build)?;
        if built(&finished) != Ok(true) {
            return Err(format!("the {} version does not build when it is measured", name(side)));
        }
    }
    let mut coverages = Vec::new();
    *runs += 1;
    lab.clear()?;
    let outcome = experiment.rule.outcome(&lab.run(&experiment.test)?);
    if outcome != Ok(expected) {
        return Err(format!(
            "the test says something else of the {} version when it is measured",
            name(side)
        ));
    }
    let version = patchwork.render(&config);
    coverages.push(Coverage::of(&lab.gather()?, &version));
    for program in &experiment.wanted.also_pass {
        *runs += 1;
        lab.clear()?;
        let finished = lab.run(&Command { program: program.clone(), ..experiment.test.clone() })?;
        if finished.status != Status::Exit(0) {
            return Err(format!(
                "`{program}` does not pass on the {} version: it {}",
                name(side),
                finished.status
            ));
        }
        coverages.push(Coverage::of(&lab.gather()?, &version));
    }
    Ok(coverages)
}

fn name(side: Side) -> &'static str {
    match side {
        Side::Old => "old",
        Side::New => "new",
    }
}

/// Commands take longer when they are measured.
const SLOWER: u32 = 5;

/// A version with collectors at work.
struct Measuring<'a> {
    site: Site<'a>,
    /// Those that are at work.
    collectors: Vec<&'static dyn Collector>,
    env: Vec<(OsString, OsString)>,
}

impl<'a> Measuring<'a> {
    /// Sets to work the collectors that can be; the others are noted, and if there is none, they are the reason.
    fn set_up(
        site: Site<'a>,
        chosen: &[&'static dyn Collector],
        side: Side,
        lacking: &mut Lacking,
    ) -> Result<Measuring<'a>, String> {
        let mut env: Vec<(OsString, OsString)> = vec![
            ("TMPDIR".into(), site.scratch.join("tmp").into()),
            ("NUB_WORKSPACE".into(), site.workspace.into()),
            ("NUB_SIDE".into(), name(side).into()),
            git_ceiling(site.workspace),
        ];
        let mut collectors = Vec::new();
        for collector in chosen {
            match collector.set_up(&site) {
                Ok(variables) => {
                    env.extend(variables);
                    collectors.push(*collector);
                }
                Err(reason) => drop(lacking.insert(collector.language(), reason)),
            }
        }
        if collectors.is_empty() {
            let reasons = lacking.iter().map(|(language, reason)| format!("{language}: {reason}"));
            return Err(reasons.collect::<Vec<_>>().join("; "));
        }
        let mut path = site.bin().into_os_string();
        if let Some(before) = std::env::var_os("PATH") {
            path.push(":");
            path.push(before);
        }
        env.push(("PATH".into(), path));
        Ok(Measuring { site, collectors, env })
    }

    fn run(&self, command: &Command) -> Result<crate::process::Finished, String> {
        let env = command.env.iter().chain(&self.env).cloned().collect();
        let dir = self.site.workspace.join(&command.dir);
        let _ = fs::create_dir_all(&dir);
        let timeout = command.timeout.map(|timeout| timeout.saturating_mul(SLOWER).min(LONGEST));
        let command = Command { dir, env, timeout, ..command.clone() };
        let finished = self.site.guard.run(&command, self.site.cancel).map_err(|error| error.to_string())?;
        if finished.status == Status::Cancelled { Err("it was interrupted".into()) } else { Ok(finished) }
    }

    fn clear(&self) -> Result<(), String> {
        self.collectors.iter().try_for_each(|collector| collector.clear(&self.site))
    }

    /// What all collectors have seen, in paths of the version.
    fn gather(&self) -> Result<Report, String> {
        let mut all = Report::default();
        let mut root = self.site.workspace.display().to_string();
        root.push('/');
        for collector in &self.collectors {
            let mut report = collector.gather(&self.site)?;
            // Libraries of the system are not ours, wherever they are.
            report.files.retain_mut(|file| match file.path.strip_prefix(&root) {
                Some(inside) => {
                    file.path = inside.to_owned();
                    true
                }
                None => !file.path.starts_with('/'),
            });
            // A collector that saw something sees all that runs: what it does not speak of did not.
            let seen = |ending: &&&str| {
                report.files.iter().any(|file| Path::new(&file.path).extension() == Some(ending.as_ref()))
            };
            let owned = |endings: &[&str]| endings.iter().filter(seen).map(ToString::to_string).collect();
            let silent = if collector.is_cheap() { owned(collector.endings()) } else { Vec::new() };
            report.silent_functions = owned(collector.silent_functions());
            report.silent = silent;
            all.join(report);
        }
        match all.is_empty() {
            true => Err("the test ran no line of the version that the tools could see".into()),
            false => Ok(all),
        }
    }
}

/// No command that is measured may take longer.
const LONGEST: Duration = Duration::from_secs(1800);

#[cfg(test)]
mod tests {
    use super::*;

    /// A collector whose tool is there or not.
    struct Tool {
        language: &'static str,
        is_there: bool,
    }

    impl Collector for Tool {
        fn language(&self) -> &'static str {
            self.language
        }

        fn endings(&self) -> &'static [&'static str] {
            &[]
        }

        fn set_up(&self, _: &Site<'_>) -> Result<Vec<(OsString, OsString)>, String> {
            let variables = vec![(self.language.into(), "1".into())];
            self.is_there.then_some(variables).ok_or_else(|| "no tool".into())
        }

        fn gather(&self, _: &Site<'_>) -> Result<Report, String> {
            Ok(Report::default())
        }
    }

    #[test]
    fn a_missing_tool_is_missed_for_its_language_only() {
        let (guard, cancel) = (Guard::at("nowhere"), Cancel::new().unwrap());
        let folder = Path::new("nowhere");
        let set_up = |chosen: &[&'static dyn Collector]| {
            let site = Site { workspace: folder, scratch: folder, guard: &guard, cancel: &cancel };
            let mut lacking = Lacking::new();
            let env = Measuring::set_up(site, chosen, Side::Old, &mut lacking).map(|lab| lab.env);
            (env.map(|env| env.iter().any(|(name, _)| name == "A")), lacking)
        };
        let a = &Tool { language: "A", is_there: true };
        let b = &Tool { language: "B", is_there: false };
        assert_eq!(set_up(&[b, a]), (Ok(true), [("B", "no tool".to_owned())].into()));
        assert_eq!(set_up(&[b]).0, Err("B: no tool".to_owned()));
    }

    #[test]
    fn what_was_measured_is_read_back_for_the_same_question_only() {
        let sights = vec![Sight::Ran, Sight::Idle, Sight::Unseen];
        let measured =
            Measured { sights, shared: vec![2, 0, 0], by: "Python".into(), lacking: Vec::new(), runs: 4 };
        let text = measured.to_text("key");
        let again = Measured { runs: 0, ..measured };
        assert_eq!(Measured::from_text(&text, "key", 3), Some(again));
        assert_eq!(Measured::from_text(&text, "other", 3), None);
        assert_eq!(Measured::from_text(&text, "key", 4), None);
        assert_eq!(Measured::from_text("nub coverage 2\n", "key", 3), None);
    }

    #[test]
    fn what_passing_tests_run_too_is_less_suspicious_and_what_did_not_run_least() {
        let sights = vec![Sight::Ran, Sight::Ran, Sight::Unseen, Sight::Idle];
        let measured =
            Measured { sights, shared: vec![0, 3, 0, 0], by: String::new(), lacking: Vec::new(), runs: 0 };
        assert_eq!(measured.priors(&[1.0, 1.0, 1.0, 1.0]), [1.0, 0.5, UNSEEN, IDLE]);
        assert_eq!(measured.priors(&[0.5, 1.0, 1.0, 1.0])[0], 0.5);
    }
}
