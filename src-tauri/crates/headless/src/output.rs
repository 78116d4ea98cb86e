//! What is printed: compact JSON lines for programs, plain lines for people. Results go to standard output, everything
//! else to standard error.

use crate::args::{Color, Global, LogLevel};
use serde_json::{Value, json};
use signalbox_app::{ApiError, RunLogLevel};
use signalbox_model::{text, time};
use std::io::{IsTerminal, Write};
use std::time::{SystemTime, UNIX_EPOCH};

/// Ended well.
pub(crate) const OK: u8 = 0;
/// The run failed.
pub(crate) const FAILED: u8 = 1;
/// Invalid file or arguments, unknown run, refused.
pub(crate) const INVALID: u8 = 2;
/// Waits for a person.
pub(crate) const PAUSED: u8 = 3;
/// Cancelled.
pub(crate) const CANCELLED: u8 = 4;
/// Somebody else was first, or the time is over.
pub(crate) const CONFLICT: u8 = 5;
/// Stopped by Ctrl-C; the run can be resumed.
pub(crate) const STOPPED: u8 = 130;

/// How to print.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    pub(crate) json: bool,
    color: bool,
    log: LogLevel,
    /// Standard error has lines of JSON.
    structured: bool,
}

/// One line of the structured log.
pub(crate) fn log_line(json: &str) {
    // Nobody reads it any more: the runs go on.
    drop(writeln!(std::io::stderr().lock(), "{}", text::seen_json(json)));
}

/// What a word says about a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Bad,
    Warn,
    Quiet,
}

impl Output {
    pub(crate) fn new(global: &Global) -> Self {
        let color = match global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        let log = global.log.unwrap_or(LogLevel::Warn);
        let structured = global.log.is_some_and(|level| !matches!(level, LogLevel::Off | LogLevel::Warn));
        Self { json: global.json, color, log, structured }
    }

    /// What is logged of runs, when somebody asked for it.
    pub(crate) fn run_log(&self) -> Option<RunLogLevel> {
        match self.log {
            LogLevel::Off | LogLevel::Warn => None,
            LogLevel::Error => Some(RunLogLevel::Error),
            LogLevel::Info => Some(RunLogLevel::Info),
            LogLevel::Debug => Some(RunLogLevel::Debug),
        }
    }

    /// One line on standard output. A closed pipe ends the program quietly, as for every other tool.
    pub(crate) fn line(&self, text: &str) {
        self.line_of("", text);
    }

    /// A line of two parts, which need not be put together: the second one may be long.
    pub(crate) fn line_of(&self, before: &str, text: &str) {
        let mut out = std::io::stdout().lock();
        if writeln!(out, "{before}{text}").and_then(|()| out.flush()).is_err() {
            std::process::exit(i32::from(OK));
        }
    }

    /// One compact JSON line.
    pub(crate) fn value(&self, value: &Value) {
        self.json_line(&value.to_string());
    }

    /// The same of compact JSON text.
    pub(crate) fn json_line(&self, json: &str) {
        self.line(&text::seen_json(json));
    }

    /// Rows for people; none when they went out as JSON. `none` is said when there are none.
    pub(crate) fn rows<'a>(&self, all: &'a Value, none: &str) -> &'a [Value] {
        if self.json {
            self.value(all);
            return &[];
        }
        let rows = all.as_array().map_or(&[][..], Vec::as_slice);
        if rows.is_empty() {
            self.line(none);
        }
        rows
    }

    /// JSON over several lines, for people.
    pub(crate) fn pretty(&self, value: &Value) {
        self.line(&text::seen_json(&serde_json::to_string_pretty(value).unwrap_or_default()));
    }

    /// An error: JSON on standard output with `--json`, words on standard error otherwise.
    pub(crate) fn error(&self, error: &ApiError) -> u8 {
        if self.json {
            self.value(&json!({ "error": error }));
            return INVALID;
        }
        eprintln!("{} {}", self.paint("error:", Tone::Bad), lines(&error.message));
        let list = error.details.as_ref().and_then(|d| d["diagnostics"].as_array()).map_or(&[][..], Vec::as_slice);
        for diagnostic in list {
            // One of them may be the message above: then its place and hint are what is new.
            if diagnostic["message"] == error.message.as_str() {
                let hint = diagnostic["hint"].as_str().unwrap_or_default();
                eprintln!("{}\n    {}", self.place(diagnostic), plain(hint));
            } else {
                eprintln!("{}", self.diagnostic(diagnostic));
            }
        }
        if !error.hint.is_empty() && !list.iter().any(|d| d["hint"] == error.hint.as_str()) {
            eprintln!("{}", lines(&error.hint));
        }
        INVALID
    }

    fn place(&self, diagnostic: &Value) -> String {
        let text = |key: &str| plain(diagnostic[key].as_str().unwrap_or_default());
        let tone = if diagnostic["severity"] == "error" { Tone::Bad } else { Tone::Warn };
        let place = if text("path").is_empty() { "/".to_owned() } else { text("path") };
        format!("  {} {} at {place}", self.paint(&text("severity"), tone), text("code"))
    }

    /// One diagnostic as an indented line, with its hint below.
    pub(crate) fn diagnostic(&self, diagnostic: &Value) -> String {
        let text = |key: &str| plain(diagnostic[key].as_str().unwrap_or_default());
        format!("{}\n    {}\n    {}", self.place(diagnostic), text("message"), text("hint"))
    }

    /// A message for people, or for the log that they asked for with `--log`.
    pub(crate) fn log(&self, level: LogLevel, text: &str) {
        if level > self.log {
            return;
        }
        if !self.structured {
            eprintln!("{}", lines(text));
            return;
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let ts = time::format(i64::try_from(since.as_millis()).unwrap_or_default());
        let level = match level {
            LogLevel::Error => "ERROR",
            LogLevel::Debug => "DEBUG",
            LogLevel::Off | LogLevel::Warn | LogLevel::Info => "INFO",
        };
        let line = json!({
            "ts": ts, "level": level, "runId": null, "nodeId": null, "nodeType": null, "message": text, "payload": null
        });
        log_line(&line.to_string());
    }

    /// Words beside what programs read; a log of lines has them as a line.
    pub(crate) fn aside(&self, text: &str) {
        if self.structured { self.log(LogLevel::Info, text) } else { eprintln!("{}", lines(text)) }
    }

    pub(crate) fn paint(&self, text: &str, tone: Tone) -> String {
        if !self.color {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Good => 32,
            Tone::Bad => 31,
            Tone::Warn => 33,
            Tone::Quiet => 2,
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// `31 ms`, `2.4 s`, `3 min 5 s`.
pub(crate) fn duration(ms: i64) -> String {
    match ms {
        ..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms / 1_000 % 60),
    }
}

/// Text from outside on a terminal: it cannot move the cursor, change colours or turn the direction of what follows.
pub(crate) fn plain(text: &str) -> String {
    text::one_line(text)
}

/// [`plain`], line by line.
fn lines(text: &str) -> String {
    text.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}
