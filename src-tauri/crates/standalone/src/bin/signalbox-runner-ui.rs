//! The program that exported workflows run in, with the page for tasks.

use signalbox_standalone::{Page, start};
use std::process::ExitCode;

fn main() -> ExitCode {
    start(Some(Page::inbox()))
}
