//! The program that exported workflows run in.

use std::process::ExitCode;

fn main() -> ExitCode {
    signalbox_standalone::start(None)
}
