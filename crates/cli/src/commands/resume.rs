//! `nub resume`: the same command again, in the folder it was given in, without the budget that stopped it.

use super::isolate::{self, Order};
use crate::args::{Args, Command, ResumeArgs};
use crate::error::CommandError;
use crate::exit::ExitCode;
use clap::Parser;

/// Goes on with the search whose output folder this is.
pub fn resume(resumed: &ResumeArgs) -> Result<ExitCode, CommandError> {
    let out = std::path::absolute(&resumed.dir).map_err(|error| CommandError::of(ExitCode::Usage, &error))?;
    let record = nub_report::read_command(&out).map_err(|error| {
        CommandError::of(ExitCode::Usage, &error)
            .hint("name the output folder of a search; or give its command again, which goes on as well")
    })?;
    let words = ["nub", "isolate"].into_iter().chain(record.arguments.iter().map(String::as_str));
    match Args::try_parse_from(words) {
        Ok(Args { command: Command::Isolate(mut args) }) => {
            args.out = Some(out);
            args.fresh = false;
            args.budget = resumed.budget;
            args.jobs = resumed.jobs.unwrap_or(args.jobs);
            let arguments = record.arguments.iter().map(Into::into).collect();
            isolate::isolate(&Order { args: *args, arguments, here: record.folder.into() })
        }
        Ok(_) => unreachable!("the words begin with `isolate`"),
        Err(error) => {
            let message = format!("the command in `{}` is not one of this nub", out.display());
            Err(CommandError::new(ExitCode::Usage, message).hint(error.to_string().trim_end()))
        }
    }
}
