//! `nub completions` and `nub man`: what the arguments say about themselves, for shells and for `man`.

use crate::args::Args;
use crate::error::CommandError;
use crate::exit::ExitCode;
use crate::session::print;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io;

/// Prints the completions for a shell.
pub fn completions(shell: Shell) -> Result<ExitCode, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "nub", &mut script);
    print(&script).map(|()| ExitCode::Success)
}

/// Prints the manual page, with a section for each command.
pub fn man() -> Result<ExitCode, CommandError> {
    let page = page().map_err(|error| CommandError::of(ExitCode::Failed, &error))?;
    print(&page).map(|()| ExitCode::Success)
}

fn page() -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let command = Args::command();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for inner in command.get_subcommands() {
        let name = inner.get_name();
        page.extend_from_slice(format!(".SH \"NUB {}\"\n", name.to_uppercase()).as_bytes());
        let man = clap_mangen::Man::new(inner.clone().bin_name(format!("nub {name}")));
        let mut sections = Vec::new();
        man.render_synopsis_section(&mut sections)?;
        man.render_description_section(&mut sections)?;
        man.render_options_section(&mut sections)?;
        man.render_extra_section(&mut sections)?;
        // A command's sections are parts of its own section.
        page.extend(String::from_utf8_lossy(&sections).replace(".SH ", ".SS ").bytes());
    }
    Ok(page)
}
