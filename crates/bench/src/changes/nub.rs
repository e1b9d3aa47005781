//! nub itself, with one of its searches.

use super::Args;
use super::case::Case;
use super::outcome::Outcome;
use nub_change::{Change, Level, Patchwork};
use nub_lab::coverage::{Collect, Wanted};
use nub_lab::event::{Event, Side};
use nub_lab::isolate::{Budget, Isolated, Plan, Seek, isolate};
use nub_lab::process::{Cancel, Convention, Guard, Program, Rule};
use nub_lab::version::PairSpec;
use nub_lab::version::archive::Limits;
use nub_report::changed_lines;
use nub_search::Algorithm;
use std::error::Error;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Isolates the culprit of a case.
pub fn run(
    case: &Case,
    algorithm: Algorithm,
    args: &Args,
    limit: Option<Duration>,
) -> Result<Outcome, Box<dyn Error>> {
    let name = &case.name;
    let [old, new] = case.versions();
    let plan =
        Plan { jobs: args.jobs, budget: limit.map(Budget::Time), ..plan(case, algorithm, &args.cache)? };
    let mut seen = 0;
    let isolated = isolate(&plan, &Guard::this_executable()?, &Cancel::new()?, &mut |event| match event {
        Event::Progress { left, total, numbers, elapsed } if numbers.needed >= seen + 20 => {
            seen = numbers.needed;
            eprintln!("{name} {algorithm}: {left} of {total} left, {numbers:?}, {elapsed:.0?}");
        }
        Event::Warning(text) => eprintln!("{name} {algorithm}: {text}"),
        _ => {}
    })?;
    let from = match isolated.from {
        Side::Old => old,
        Side::New => new,
    };
    let flips = case.passes_with(from, &isolated.patch, &[], &plan.out)? == Some(true);
    Ok(Outcome {
        case: name.clone(),
        search: algorithm.to_string(),
        flips,
        culprit: case.has_culprit(&isolated.patch),
        ..outcome(&plan, &isolated)
    })
}

/// How a case is run with a search, by one worker and without coverage.
pub fn plan(case: &Case, algorithm: Algorithm, cache: &Path) -> Result<Plan, Box<dyn Error>> {
    let [old, new] = case.versions();
    let said: Vec<OsString> = [old, new].map(|side| case.folder.join(side).into_os_string()).into();
    let pair = PairSpec::parse(Path::new("."), &said, None)?.load(Limits::default())?;
    let build = &case.record.build;
    Ok(Plan {
        patchwork: Arc::new(Patchwork::between(&pair.old.tree, &pair.new.tree)),
        old_name: old.to_owned(),
        new_name: new.to_owned(),
        products: None,
        folder: None,
        build: (!build.is_empty()).then(|| Program::Shell(build.clone())),
        test: Program::Shell(case.record.test.clone()),
        rule: Rule::new(Convention::Bisect),
        learn: true,
        repeat: 1,
        timeout: None,
        memory: None,
        clean: false,
        seek: Seek::Fix,
        algorithm,
        granularity: Level::Node,
        seed: 1,
        jobs: 1,
        budget: None,
        out: cache.join("runs").join(format!("{}-{algorithm}", case.name)),
        fresh: true,
        coverage: Wanted { collect: Collect::Off, ..Wanted::default() },
    })
}

fn outcome(plan: &Plan, isolated: &Isolated) -> Outcome {
    let changes = plan.patchwork.changes();
    let critical: Vec<&Change> = isolated.critical.iter().map(|i| &changes[i as usize]).collect();
    let spent = isolated.spent;
    Outcome {
        changes: changes.len(),
        finished: isolated.finished,
        one_minimal: isolated.one_minimal,
        needed: isolated.numbers.needed,
        built: isolated.numbers.needed_built,
        guessed: isolated.numbers.guessed,
        memo: isolated.numbers.saved,
        run: spent.tests,
        left: critical.len(),
        lines: changed_lines(&isolated.patch),
        tokens: Some(critical.iter().map(|change| u64::from(change.weight)).sum()),
        places: critical.iter().map(|change| place(change, isolated.from)).collect(),
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
