//! This program again, for work that must be stopped from outside: scripts and documents of others.

use std::io;
use std::path::Path;
use std::process::Stdio;
use tokio::process::{Child, Command};

#[cfg(windows)]
const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;

/// Starts `program argument` with nothing but these variables and its standard input and output. It is killed when the
/// handle is dropped.
pub(crate) fn start(program: &Path, argument: &str, variables: &[(&str, &str)]) -> io::Result<Child> {
    let mut command = Command::new(program);
    command.arg(argument).env_clear().envs(variables.iter().copied()).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // Ctrl-C is for the program: it stops its runs first, and the work starts again with the next start.
    #[cfg(unix)]
    command.process_group(0);
    #[cfg(windows)]
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
    command.spawn()
}
