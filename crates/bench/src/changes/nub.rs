//! nub itself, in one of the ways it can search.

use super::Args;
use super::case::Case;
use super::outcome::Outcome;
use super::way::Way;
use nub_change::{Change, Patchwork, changed_lines, changed_tokens};
use nub_lab::coverage::{Collect, Wanted};
use nub_lab::event::{Event, Side};
use nub_lab::isolate::{Budget, Isolated, Plan, isolate};
use nub_lab::process::{Cancel, Guard, Program};
use nub_lab::version::PairSpec;
use nub_lab::version::archive::Limits;
use std::error::Error;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// So many places of a result are noted; one that is larger is no result to look at.
const MOST_PLACES: usize = 100;

/// Isolates the culprit of a case.
pub fn run(case: &Case, way: &Way, args: &Args, limit: Option<Duration>) -> Result<Outcome, Box<dyn Error>> {
    let name = &case.name;
    let [old, new] = case.versions();
    let plan = Plan { jobs: args.jobs, budget: limit.map(Budget::Time), ..plan(case, way, &args.cache)? };
    let has_build = plan.build.is_some();
    let (mut seen, mut measuring, mut sights) = (0, 0, None);
    let isolated = isolate(&plan, &Guard::this_executable()?, &Cancel::new()?, &mut |event| match event {
        Event::Progress { left, total, numbers, elapsed } if numbers.needed >= seen + 20 => {
            seen = numbers.needed;
            eprintln!("{name} {way}: {left} of {total} left, {numbers:?}, {elapsed:.0?}");
        }
        Event::Measured { ran, idle, unseen, runs, .. } => {
            sights = Some([*ran, *idle, *unseen]);
            measuring = *runs;
        }
        Event::Warning(text) => {
            eprintln!("{name} {way}: {text}");
            if text.contains("without coverage") {
                // Measured in vain; it may have ended before the second version.
                measuring = if has_build { 4 } else { 2 };
            }
        }
        _ => {}
    })?;
    let from = match isolated.from {
        Side::Old => old,
        Side::New => new,
    };
    let flips = case.passes_with(from, &isolated.patch, &[], &plan.out)? == Some(true);
    std::fs::write(plan.out.join("critical.patch"), &isolated.patch)?;
    Ok(Outcome {
        case: name.clone(),
        way: way.to_string(),
        flips,
        culprit: case.has_culprit(&isolated.patch),
        has_build,
        measuring,
        sights,
        ..outcome(&plan, &isolated)
    })
}

/// How a case is run in a way, by one worker.
fn plan(case: &Case, way: &Way, cache: &Path) -> Result<Plan, Box<dyn Error>> {
    let [old, new] = case.versions();
    let said: Vec<OsString> = [old, new].map(|side| case.folder.join(side).into_os_string()).into();
    let pair = PairSpec::parse(Path::new("."), &said, None)?.load(Limits::default())?;
    let build = &case.record.build;
    let collect = if way.coverage { Collect::Auto } else { Collect::Off };
    let patchwork =
        Arc::new(Patchwork::by(way.granularity.searched(way.algorithm), &pair.old.tree, &pair.new.tree));
    let test = Program::Shell(case.record.test.clone());
    let out = cache.join("runs").join(format!("{}-{way}", case.name));
    Ok(Plan {
        old_name: old.to_owned(),
        new_name: new.to_owned(),
        build: (!build.is_empty()).then(|| Program::Shell(build.clone())),
        algorithm: way.algorithm,
        granularity: way.granularity,
        knowledge: way.knowledge,
        seed: way.seed,
        fresh: true,
        coverage: Wanted { collect, ..Wanted::default() },
        ..Plan::new(patchwork, test, out)
    })
}

fn outcome(plan: &Plan, isolated: &Isolated) -> Outcome {
    let changes = isolated.patchwork(plan).changes();
    let critical: Vec<&Change> = isolated.critical.iter().map(|i| &changes[i as usize]).collect();
    let spent = isolated.spent;
    Outcome {
        changes: plan.patchwork.changes().len(),
        finished: isolated.finished,
        one_minimal: isolated.one_minimal,
        needed: isolated.numbers.needed,
        built: isolated.numbers.needed_built,
        guessed: isolated.numbers.guessed,
        memo: isolated.numbers.saved,
        run: spent.tests,
        left: critical.len(),
        lines: changed_lines(&isolated.patch),
        tokens: changed_tokens(&isolated.patch),
        places: critical.iter().take(MOST_PLACES).map(|change| place(change, isolated.from)).collect(),
        seconds: isolated.elapsed.as_secs_f64(),
        own_ms: Some(1000.0 * spent.around.as_secs_f64() / spent.tests.max(1) as f64),
        ..Outcome::default()
    }
}

fn place(change: &Change, from: Side) -> String {
    let place = match from {
        Side::Old => change.old.as_ref().or(change.new.as_ref()),
        Side::New => change.new.as_ref().or(change.old.as_ref()),
    };
    place.map_or_else(String::new, |place| format!("{}:{}", place.path, place.lines.start + 1))
}
