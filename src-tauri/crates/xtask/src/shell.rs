//! Running programs: said before, timed, with the numbers of passed and failed tests read from what they print.

use crate::Failure;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A program, without what `cargo run` says about this one: build scripts that look at it would run anew, with all that is
/// built on them, whenever somebody calls cargo in another way.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let known = name.to_string_lossy();
        if known.starts_with("CARGO_PKG_") || known.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// A program on the `PATH`, or `None`.
pub(crate) fn which(program: &str) -> Option<std::path::PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).map(|dir| dir.join(program)).find(|file| file.is_file())
}

/// Standard output of a program that must succeed.
pub(crate) fn output(program: &str, args: &[&str]) -> Option<String> {
    let out = command(program).args(args).stderr(Stdio::null()).output().ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

/// Runs a program whose output a person sees; says the command when it fails.
pub(crate) fn run<S: AsRef<OsStr>>(dir: &Path, program: &str, args: &[S]) -> Result<(), Failure> {
    let shown = shown(program, args);
    println!("$ {shown}");
    let status = command(program)
        .args(args)
        .current_dir(dir)
        .status()
        .map_err(|error| format!("`{shown}` did not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{shown}` failed ({status}).")) }
}

fn shown<S: AsRef<OsStr>>(program: &str, args: &[S]) -> String {
    let mut text = program.to_owned();
    for arg in args {
        text.push(' ');
        text.push_str(&arg.as_ref().to_string_lossy());
    }
    text
}

/// Passed and failed tests of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that failed.
    pub(crate) failed: u64,
}

/// One step of `cargo xtask test`.
pub(crate) struct Step<'a> {
    /// What a person reads.
    pub(crate) name: &'a str,
    /// Where it runs.
    pub(crate) dir: std::path::PathBuf,
    /// The program.
    pub(crate) program: &'a str,
    /// Its arguments.
    pub(crate) args: Vec<&'a str>,
    /// Environment variables that it gets besides those of this process.
    pub(crate) env: Vec<(&'a str, &'a str)>,
    /// The step whose end it waits for.
    pub(crate) after: Option<&'a str>,
}

/// Where the output of a step goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// To the terminal, line by line.
    Live,
    /// To the terminal in one piece when the step has ended, because another step is writing there.
    AtTheEnd,
}

/// What a step gave.
pub(crate) struct Outcome<'a> {
    /// The name of the step.
    pub(crate) name: &'a str,
    /// Its tests.
    pub(crate) counts: Counts,
    /// How long it took.
    pub(crate) took: Duration,
    /// Processor time of its processes, where the system tells; not of those that nobody waited for, as the helpers of a browser.
    pub(crate) worked: Option<Duration>,
    /// The names of the failed tests.
    pub(crate) failures: Vec<String>,
    /// The names of the tests that failed first and passed when they were repeated.
    pub(crate) flaky: Vec<String>,
}

/// What is read from the output of a step.
#[derive(Default)]
struct Findings {
    counts: Counts,
    failures: Vec<String>,
    flaky: Vec<String>,
    worked: Option<Duration>,
}

impl<'a> Step<'a> {
    /// Runs it and passes its output on. A step that prints no numbers of tests counts as one test.
    pub(crate) fn run(&self, output: Output) -> Outcome<'a> {
        let title = format!("\n==> {}: {}\n", self.name, shown(self.program, &self.args));
        let held = Mutex::new(Vec::new());
        let write = |bytes: &[u8]| match output {
            // A closed terminal must not stop the step.
            Output::Live => drop(std::io::stdout().write_all(bytes)),
            Output::AtTheEnd => held.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes),
        };
        write(title.as_bytes());
        let started = Instant::now();
        let (Findings { mut counts, failures, flaky, worked }, ok) = self.watch(&write).unwrap_or_else(|error| {
            write(format!("`{}` did not start: {error}\n", self.program).as_bytes());
            (Findings::default(), false)
        });
        if ok && counts == Counts::default() {
            counts.passed = 1;
        }
        if !ok && counts.failed == 0 {
            counts.failed = 1;
        }
        let took = started.elapsed();
        let result = if ok { "ok" } else { "FAILED" };
        write(format!("<== {}: {result} in {:.1} s\n", self.name, took.as_secs_f64()).as_bytes());
        let held = held.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(&held).and_then(|()| stdout.flush());
        Outcome { name: self.name, counts, took, worked, failures, flaky }
    }

    fn watch(&self, write: &(dyn Fn(&[u8]) + Sync)) -> std::io::Result<(Findings, bool)> {
        let mut child = command(self.program)
            .args(&self.args)
            .envs(self.env.iter().copied())
            .current_dir(&self.dir)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let mut found = std::thread::scope(|scope| {
            let errors = scope.spawn(|| stderr.map(|pipe| pass_through(pipe, write)).unwrap_or_default());
            let mut found = stdout.map(|pipe| pass_through(pipe, write)).unwrap_or_default();
            let more = errors.join().unwrap_or_default();
            found.counts.passed += more.counts.passed;
            found.counts.failed += more.counts.failed;
            found.failures.extend(more.failures);
            found.flaky.extend(more.flaky);
            found.failures.retain(|name| !found.flaky.contains(name));
            found
        });
        found.worked = worked(child.id());
        Ok((found, child.wait()?.success()))
    }
}

/// Processor time of a process that has ended and of those that it waited for. It is read between its end and the moment when
/// it is waited for, which needs no call that is unsafe; a process that closed its output and goes on gets no figure.
fn worked(process: u32) -> Option<Duration> {
    for _ in 0..400 {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name of the program may hold anything, brackets too.
        let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
        if fields.first() == Some(&"Z") {
            let ticks: u64 = fields.get(11..15)?.iter().filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
            // A tick is a hundredth of a second for everyone who asks.
            return Some(Duration::from_millis(ticks * 10));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

/// Copies line by line, adds up the numbers that test runners print, and keeps the names of failed tests.
fn pass_through(pipe: impl Read, write: &dyn Fn(&[u8])) -> Findings {
    let mut found = Findings::default();
    let mut reader = BufReader::new(pipe);
    let mut line = Vec::new();
    while matches!(reader.read_until(b'\n', &mut line), Ok(read) if read > 0) {
        write(&line);
        let text = plain(&String::from_utf8_lossy(&line));
        let one = counts(&text);
        found.counts.passed += one.passed;
        found.counts.failed += one.failed;
        if let Some(name) = failure(&text).filter(|name| !found.failures.iter().any(|known| known == name)) {
            found.failures.push(name.to_owned());
        }
        found.flaky.extend(repeated(&text).map(str::to_owned));
        line.clear();
    }
    found
}

/// The name of a failed test, in a line of nextest, Vitest, Playwright or of the window test and the tool peers.
fn failure(line: &str) -> Option<&str> {
    let text = line.trim();
    let name = if let Some((_, name)) = ["FAIL [", "TIMEOUT [", "SIGABRT [", "SIGSEGV ["]
        .iter()
        .find_map(|mark| text.strip_prefix(mark)?.split_once("] "))
    {
        // Behind the time nextest prints which of how many it was.
        name.split_once(") ").filter(|(number, _)| number.trim_start().starts_with('(')).map_or(name, |(_, name)| name)
    } else if let Some(name) = text.strip_prefix("✘") {
        browser_test(name)
    } else {
        text.strip_prefix("FAIL  ").or_else(|| text.strip_prefix("FAILED  "))?
    };
    Some(name.trim())
}

/// The name of a test that passed when it was repeated, in a line of nextest or Playwright.
fn repeated(line: &str) -> Option<&str> {
    let text = line.trim();
    if let Some(rest) = text.strip_prefix("FLAKY ") {
        let (_, name) = rest.split_once("] ")?;
        return Some(
            name.split_once(") ").filter(|(number, _)| number.starts_with('(')).map_or(name, |(_, name)| name),
        );
    }
    let name = text.strip_prefix("✓").filter(|name| name.contains("(retry #"))?;
    Some(browser_test(name))
}

/// The name in a line of Playwright, without its number, its time and its attempt.
fn browser_test(text: &str) -> &str {
    let name = text.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim();
    let name = name.rsplit_once(" (").filter(|(_, time)| time.ends_with(')')).map_or(name, |(name, _)| name);
    name.rsplit_once(" (retry #").map_or(name, |(name, _)| name)
}

/// Without colour codes.
fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            for c in chars.by_ref() {
                if c.is_ascii_alphabetic() {
                    break;
                }
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// The numbers in a summary line of cargo, nextest, Vitest, Playwright or of the window test.
fn counts(line: &str) -> Counts {
    let text = line.trim();
    let playwright = text.split_once(' ').is_some_and(|(number, rest)| {
        number.bytes().all(|b| b.is_ascii_digit())
            && (rest == "failed" || rest == "passed" || rest.starts_with("passed (") || rest.starts_with("failed ("))
    });
    let summary = text.starts_with("Summary [")
        // Nextest shows what a failed test printed, its own sum too, moved in.
        || line.starts_with("test result: ")
        || (text.starts_with("Tests ") && (text.contains(" passed") || text.contains(" failed")))
        || text.split_once(" passed, ").is_some_and(|(a, b)| {
            a.bytes().all(|c| c.is_ascii_digit()) && b.strip_suffix(" failed").is_some_and(|n| n.parse::<u64>().is_ok())
        })
        || playwright;
    if summary {
        Counts { passed: before(text, " passed"), failed: before(text, " failed") + before(text, " timed out") }
    } else {
        Counts::default()
    }
}

/// The number that stands before a word; 0 without one.
fn before(text: &str, word: &str) -> u64 {
    let Some(at) = text.find(word) else { return 0 };
    let head = &text[..at];
    let digits = head.len() - head.bytes().rev().take_while(u8::is_ascii_digit).count();
    head[digits..].parse().unwrap_or(0)
}

#[cfg(test)]
mod tests;
