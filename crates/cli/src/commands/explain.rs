//! `nub explain`: a result in words.

use crate::error::CommandError;
use crate::exit::ExitCode;
use crate::session::print;
use std::path::Path;

/// Tells the result in the output folder.
pub fn explain(dir: &Path) -> Result<ExitCode, CommandError> {
    let result = nub_report::read_result(dir).map_err(|error| {
        let error = CommandError::of(ExitCode::Usage, &error);
        match dir.join("command.json").exists() {
            true => {
                error.hint(format!("the search has no result yet; `nub resume {}` goes on", dir.display()))
            }
            false => error.hint("name the output folder of a search, which it shows at its end"),
        }
    })?;
    let tally = nub_report::read_tally(dir).map_err(|error| CommandError::of(ExitCode::Failed, &error))?;
    print(nub_report::explain(&result, tally.as_ref()).as_bytes()).map(|()| ExitCode::Success)
}
