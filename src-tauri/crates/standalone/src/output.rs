//! What is printed: compact JSON lines for programs, plain lines for people. Results go to standard output, everything else
//! to standard error.

use crate::failure::Failure;
use clap::error::ErrorKind;
use serde_json::{Value, json};
use signalbox_model::text;
use std::io::Write;

/// Ended well.
pub(crate) const OK: u8 = 0;
/// The run failed, or the audit chain is broken.
pub(crate) const FAILED: u8 = 1;
/// Refused.
pub(crate) const INVALID: u8 = 2;
/// Waits.
pub(crate) const PAUSED: u8 = 3;
/// Cancelled.
pub(crate) const CANCELLED: u8 = 4;
/// Stopped by a signal; the run can be resumed.
pub(crate) const STOPPED: u8 = 130;

/// How to print.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    pub(crate) json: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// One line on standard output, without characters that control a terminal.
    pub(crate) fn line(&self, line: &str) {
        self.raw(&text::one_line(line));
    }

    /// One compact JSON line.
    pub(crate) fn json_line(&self, json: &str) {
        self.raw(&text::seen_json(json));
    }

    pub(crate) fn value(&self, value: &Value) {
        self.json_line(&value.to_string());
    }

    fn raw(&self, line: &str) {
        let mut out = std::io::stdout().lock();
        // A closed pipe ends the program quietly, as for every other tool; a run goes on at the next `resume`.
        if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
            std::process::exit(i32::from(OK));
        }
    }

    /// Words beside what programs read.
    pub(crate) fn aside(&self, line: &str) {
        eprintln!("{}", text::one_line(line));
    }

    /// Exit code of a failure.
    pub(crate) fn failure(&self, failure: &Failure) -> u8 {
        if self.json {
            self.value(&json!({ "error": failure }));
        } else {
            self.aside(&format!("error: {}", failure.message));
            let list = failure.details.as_ref().and_then(|details| details["diagnostics"].as_array());
            for found in list.into_iter().flatten() {
                let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
                self.aside(&format!("  {} at {}: {} {}", text("code"), text("path"), text("message"), text("hint")));
            }
            self.aside(&failure.hint);
        }
        INVALID
    }
}

/// Help and version go to standard output; a wrong argument is an error like every other.
pub(crate) fn usage(error: &clap::Error, json: bool, name: &str) -> u8 {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        // A closed pipe is no reason to fail.
        drop(error.print());
        return OK;
    }
    if json {
        let text = error.to_string();
        let said: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
        let message = said.join(" ");
        let message = message.trim_start_matches("error: ").to_owned();
        let failure = Failure::invalid("BAD_ARGUMENTS", message, format!("{name} --help lists the arguments."));
        return Output::new(true).failure(&failure);
    }
    drop(error.print());
    INVALID
}

/// `31 ms`, `2.4 s`, `3 min 5 s`.
pub(crate) fn duration(ms: i64) -> String {
    match ms {
        ..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms / 1_000 % 60),
    }
}
