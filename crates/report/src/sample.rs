//! An experiment to tell of, made by hand.

use nub_change::{Entry, Patchwork, RelPath, Snapshot};
use nub_lab::event::{Direction, Side, Trial};
use nub_lab::isolate::{Isolated, Needing, Plan, Reason, Spent, Without};
use nub_lab::process::{Failure, Program, Signs};
use nub_lab::run::Numbers;
use nub_search::{Config, Outcome};
use std::sync::Arc;
use std::time::Duration;

fn version(files: &[(&str, &str)]) -> Snapshot {
    let entry = |text: &str| Entry::file(text.as_bytes());
    files.iter().map(|(path, text)| (RelPath::try_from(*path).unwrap(), entry(text))).collect()
}

/// Five changes: two of `a.c`, two of the new file `b.c`, and one of the script `run`.
pub(crate) fn plan() -> Plan {
    let old = version(&[("src/a.c", "1\n2\n3\n4\n5\n"), ("run", "make\n")]);
    let new = version(&[("src/a.c", "1\nII\n3\n4\n"), ("src/b.c", "x\n"), ("run", "make\nmake test\n")]);
    let patchwork = Arc::new(Patchwork::between(&old, &new));
    let test = Program::Direct(vec!["./repro.sh".into()]);
    Plan {
        old_name: "`v1`".into(),
        new_name: "`v2`".into(),
        build: Some(Program::Shell("make -j4".into())),
        jobs: 2,
        ..Plan::new(patchwork, test, "out".into())
    }
}

pub(crate) fn trial(outcome: Outcome) -> Trial {
    let ended = if outcome == Outcome::Pass { "exit 0" } else { "exit 1" };
    Trial {
        outcome,
        built: true,
        ended: ended.into(),
        build_time: Some(Duration::from_millis(2_130)),
        test_time: Some(Duration::from_millis(70)),
        output: Some("cc -c src/a.c\nran 1 test\n".into()),
    }
}

pub(crate) fn broken() -> Trial {
    Trial { built: false, test_time: None, ended: "exit 2".into(), ..trial(Outcome::Unresolved) }
}

/// A bad version that exits with 1 and tells of a `KeyError`.
pub(crate) fn failure() -> Failure {
    let bad =
        Signs { ends: ["exit:1".into()].into(), errors: ["KeyError".into()].into(), ..Signs::default() };
    Failure::learn(&bad, &Signs::default())
}

/// Without change 2 it does not build; all others are needed by change 2, and the test fails without them.
fn reason(change: u32) -> Reason {
    let built = change != 2;
    let outcome = if built { Outcome::Fail } else { Outcome::Unresolved };
    let said = (!built).then(|| "src/a.c:3:5: error: 'x' undeclared".to_owned());
    let needing = Needing { change: 2, probability: 0.92, source: "declared" };
    Reason {
        change,
        without: Some(Without { also: Config::empty(), outcome, built, said }),
        needed_by: built.then_some(needing).into_iter().collect(),
    }
}

/// A finished search from the new version that has to take back these changes.
pub(crate) fn isolated(plan: &Plan, critical: Config) -> Isolated {
    let full = plan.patchwork.full();
    let fixed = full.minus(&critical);
    Isolated {
        direction: Direction::Regression,
        failure: Some(failure()),
        from: Side::New,
        patch: plan.patchwork.patch(&full, &fixed),
        rest: plan.patchwork.patch(&fixed, &Config::empty()),
        reasons: critical.iter().map(reason).collect(),
        critical,
        finer: None,
        witness: Some(trial(Outcome::Pass)),
        one_minimal: true,
        finished: true,
        numbers: Numbers { needed: 12, needed_built: 9, guessed: 4, saved: 7 },
        elapsed: Duration::from_millis(83_400),
        spent: Spent {
            commands: Duration::from_millis(140_000),
            around: Duration::from_millis(160),
            tests: 16,
        },
    }
}
