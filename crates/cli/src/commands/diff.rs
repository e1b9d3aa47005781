//! `nub diff`: the changes between two versions, as the search sees them.

use crate::args::DiffArgs;
use crate::error::CommandError;
use crate::exit::ExitCode;
use crate::plan::{filter_of, pair_of, report_of, version_error};
use crate::session::{print, print_coloured};
use nub_change::coverage::sights;
use nub_change::{Coverage, Patchwork, rules};
use nub_lab::event::Side;
use nub_report::DiffRecord;
use std::path::PathBuf;

/// Shows all changes, those inside others below them, and which need which.
pub fn diff(args: &DiffArgs) -> Result<ExitCode, CommandError> {
    let here = std::env::current_dir().map_err(|error| CommandError::of(ExitCode::Failed, &error))?;
    let mut pair = pair_of([&args.old, &args.new], args.patch.as_deref(), &here)?;
    if let Some(filter) = filter_of(&args.only, &args.ignore)? {
        pair = pair.limit(&filter, Side::New).map_err(version_error)?;
    }
    let patchwork = Patchwork::by(args.granularity.detail(), &pair.old.tree, &pair.new.tree);
    let findings = rules::findings(&patchwork);
    let mut record = DiffRecord::of(&patchwork, &findings, &pair.old.name, &pair.new.name);
    if args.coverage_old.is_some() || args.coverage_new.is_some() {
        let report =
            |path: &Option<PathBuf>| report_of(path.as_deref(), &here).map(Option::unwrap_or_default);
        let old = Coverage::of(&report(&args.coverage_old)?, &pair.old.tree);
        let new = Coverage::of(&report(&args.coverage_new)?, &pair.new.tree);
        record = record.with_coverage(&sights(&patchwork, &old, &new));
    }
    match args.json {
        true => print(record.json().as_bytes())?,
        false => print_coloured(&record.told())?,
    }
    Ok(ExitCode::Success)
}
