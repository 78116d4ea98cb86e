//! The program that exported workflows run in, with documents and scripts.

use signalbox_standalone::{Abilities, start};
use std::process::ExitCode;

fn main() -> ExitCode {
    start(Abilities::core().with_documents())
}
