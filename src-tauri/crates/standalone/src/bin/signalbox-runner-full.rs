//! The program that exported workflows run in, with everything: models, tools, databases, mail, indexes, triggers,
//! the page for tasks and messages about them.

use signalbox_standalone::{Abilities, start};
use std::process::ExitCode;

fn main() -> ExitCode {
    start(Abilities::core().with_inbox().with_triggers().with_callback().with_outside())
}
