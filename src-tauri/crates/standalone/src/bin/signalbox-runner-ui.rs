//! The program that exported workflows run in, with the page for tasks, triggers and messages about tasks.

use signalbox_standalone::{Abilities, start};
use std::process::ExitCode;

fn main() -> ExitCode {
    start(Abilities::core().with_documents().with_inbox().with_triggers().with_callback())
}
