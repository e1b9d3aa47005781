//! `nub demo`: a whole search on a regression small enough to be carried in the binary.
//!
//! A till in a few shell scripts learned discounts and a wider receipt, and on the way lost a cent. It needs
//! nothing but `sh` and the small tools that come with it, writes only to a temporary folder, and takes a few
//! seconds.

use super::isolate::told;
use crate::error::CommandError;
use crate::exit::ExitCode;
use crate::session::{Output, Searched, Session};
use nub_change::{Entry, Patchwork, RelPath, Snapshot};
use nub_lab::isolate::Plan;
use nub_lab::process::Program;
use std::path::Path;
use std::sync::Arc;

const TEST: (&str, &str) = ("test.sh", include_str!("../../demo/test.sh"));
const MONEY: (&str, &str) = ("lib/money.sh", include_str!("../../demo/money.sh"));

const OLD: [(&str, &str); 5] = [
    TEST,
    ("till.sh", include_str!("../../demo/old/till.sh")),
    MONEY,
    ("lib/tax.sh", include_str!("../../demo/old/lib/tax.sh")),
    ("lib/text.sh", include_str!("../../demo/old/lib/text.sh")),
];

const NEW: [(&str, &str); 6] = [
    TEST,
    ("till.sh", include_str!("../../demo/new/till.sh")),
    ("lib/discount.sh", include_str!("../../demo/new/lib/discount.sh")),
    MONEY,
    ("lib/tax.sh", include_str!("../../demo/new/lib/tax.sh")),
    ("lib/text.sh", include_str!("../../demo/new/lib/text.sh")),
];

/// Searches for what cost the till a cent.
pub fn demo() -> Result<ExitCode, CommandError> {
    let failed = |error: std::io::Error| CommandError::of(ExitCode::Failed, &error);
    let out = tempfile::Builder::new().prefix("nub-demo-").tempdir().map_err(failed)?;
    let plan = plan(out.path());
    let mut session = Session::start()?;
    session.note(
        "A till, written in shell scripts, got a wider receipt and discounts. Since then a total is wrong.",
    );
    session.note("Which of the changes did it? This is what `nub isolate v1 v2 -- sh test.sh` would do:\n");
    let Searched::Ended(ended) = session.search(&plan, None)? else {
        unreachable!("without an expected side no search is turned")
    };
    match *ended {
        Ok(isolated) => {
            let exit = session.report(&plan, &isolated, Output::Patch, None)?;
            session.note("\nThe patch takes it back. On your own code: `nub isolate --help`");
            Ok(exit)
        }
        Err(_) if session.is_interrupted() => {
            Err(CommandError::new(ExitCode::Interrupted, "interrupted before anything was found"))
        }
        Err(error) => Err(told(&error, &plan, &[])),
    }
}

fn plan(out: &Path) -> Plan {
    let patchwork = Arc::new(Patchwork::between(&version(&OLD), &version(&NEW)));
    let test = Program::Direct(vec!["sh".into(), "test.sh".into()]);
    Plan { old_name: "v1".into(), new_name: "v2".into(), ..Plan::new(patchwork, test, out.to_owned()) }
}

fn version(files: &[(&str, &str)]) -> Snapshot {
    let path = |text: &str| RelPath::try_from(text).expect("the paths of the demo stay inside");
    files.iter().map(|(name, text)| (path(name), Entry::file(text.as_bytes()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_has_enough_changes_to_search_in_and_few_enough_for_seconds() {
        let plan = plan(Path::new("nowhere"));
        let changes = plan.patchwork.changes().len();
        assert!((10..=25).contains(&changes), "{changes} changes");
    }
}
