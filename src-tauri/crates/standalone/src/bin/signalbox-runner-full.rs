//! The program that exported workflows run in, with everything: models, tools, databases, mail, indexes, and the page for tasks.

use signalbox_standalone::{Abilities, start};
use std::process::ExitCode;

fn main() -> ExitCode {
    start(Abilities::core().with_inbox().with_outside())
}
