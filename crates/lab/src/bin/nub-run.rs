//! Runs one command as nub runs a test, and shows what nub sees: `nub-run COMMAND [ARGUMENT]...`.
//!
//! For the user whose script works by hand and not under nub, and for the tests of this crate, which need an
//! executable that can be a guard.

use nub_lab::process::{Cancel, Command, Guard, Program};
use std::error::Error;
use std::io::Write;

fn main() -> Result<(), Box<dyn Error>> {
    Guard::serve();
    let program = Program::Direct(std::env::args_os().skip(1).collect());
    let command = Command::new(program, std::env::current_dir()?);
    let finished = Guard::this_executable()?.run(&command, &Cancel::new()?)?;
    std::io::stdout().write_all(&finished.output.bytes)?;
    eprintln!("it {} after {:.3} s", finished.status, finished.wall.as_secs_f64());
    Ok(())
}
