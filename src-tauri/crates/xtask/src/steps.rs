//! The tasks themselves.

use crate::build_times::Units;
use crate::scratch::Scratch;
use crate::shell::{Outcome, Output, Step};
use crate::system::For;
use crate::{Failure, build_times, compare, compiler, shell, system, ui};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// `cargo xtask run`: from a fresh clone to an open window, or to a served page where there is no display.
pub(crate) fn run(root: &Path, args: &[String]) -> Result<(), Failure> {
    let window = system::has_display();
    system::ready(root, if window { For::Window } else { For::Browser })?;
    ui::install(root)?;
    ui::build(root)?;
    if window {
        shell::run(root, "cargo", &["build", "-p", "signalbox-desktop"])?;
        println!("Opening Signalbox.");
        return open(root, "signalbox-desktop", &[], args);
    }
    shell::run(root, "cargo", &["build", "-p", "signalbox-headless"])?;
    println!("There is no display, so the same UI is served to a browser on this machine. Ctrl+C ends it.");
    open(root, "signalbox", &["serve", "--ui"], args)
}

/// Starts a program of ours and waits for its end.
fn open(root: &Path, binary: &str, first: &[&str], args: &[String]) -> Result<(), Failure> {
    let target = crate::target(root);
    let program = target.join("debug").join(binary);
    let status = shell::command(&program)
        .args(first)
        .args(args)
        .status()
        .map_err(|error| format!("{} did not start: {error}", program.display()))?;
    if status.success() { Ok(()) } else { Err(format!("{binary} ended with {status}.")) }
}

/// `cargo xtask gen`: the freshness tests write what they otherwise compare.
pub(crate) fn generate(root: &Path) -> Result<(), Failure> {
    let table = ["test", "--quiet", "-p", "signalbox-nodes", "--test", "nodes", "table::"];
    // This one writes and then fails when the table was stale; the second time it must hold.
    if shell::run(root, "cargo", &table).is_err() {
        shell::run(root, "cargo", &table)?;
    }
    for tests in [
        ["-p", "signalbox-store", "--lib"].as_slice(),
        &["-p", "signalbox-app", "--test", "app"],
        &["-p", "signalbox-headless", "--bin", "signalbox"],
        &["-p", "signalbox-testkit", "--test", "testkit"],
    ] {
        println!("$ SIGNALBOX_GEN=1 cargo test {}", tests.join(" "));
        let status = shell::command("cargo")
            .args(["test", "--quiet"])
            .args(tests)
            .arg("gen_")
            .env("SIGNALBOX_GEN", "1")
            .current_dir(root)
            .status()
            .map_err(|error| format!("cargo did not start: {error}"))?;
        if !status.success() {
            return Err("Not everything could be generated; see above.".to_owned());
        }
    }
    Ok(())
}

/// `cargo xtask eval`: how well a model plans; a part of no check, because models differ.
pub(crate) fn eval(root: &Path, args: &[String]) -> Result<(), Failure> {
    shell::run(root, "cargo", &["build", "--quiet", "-p", "signalbox-headless"])?;
    let target = crate::target(root);
    let status = shell::command("node")
        .arg(root.join("tests/planner/eval.mjs"))
        .arg(target.join("debug/signalbox"))
        .args(args)
        .status()
        .map_err(|error| format!("node did not start: {error}"))?;
    if status.success() { Ok(()) } else { Err("The evaluation did not end; see above.".to_owned()) }
}

fn cargo<'a>(root: &Path, name: &'a str, args: &[&'a str]) -> Step<'a> {
    Step { name, dir: root.to_path_buf(), program: "cargo", args: args.to_vec(), env: Vec::new(), after: None }
}

/// Cargo with the compiler of `compiler`.
fn checked<'a>(root: &Path, name: &'a str, args: &[&'a str], compiler: &'a [(&'a str, String)]) -> Step<'a> {
    Step { env: compiler.iter().map(|(name, value)| (*name, value.as_str())).collect(), ..cargo(root, name, args) }
}

fn npm<'a>(root: &Path, name: &'a str, script: &'a str) -> Step<'a> {
    Step {
        name,
        dir: ui::dir(root),
        program: "npm",
        args: vec!["run", "--silent", script],
        env: Vec::new(),
        after: None,
    }
}

/// The browser tests. What Playwright makes of their TypeScript is kept with the packages: the temporary folder is a new
/// one each time.
fn browser_tests(root: &Path) -> Step<'_> {
    Step {
        env: vec![("PLAYWRIGHT_TRANSFORM_CACHE_DIR", "node_modules/.cache/playwright")],
        after: Some(PROGRAMS),
        ..npm(root, "browser tests", "e2e")
    }
}

/// The step, with what it writes in a folder in memory, if there is one.
fn writing_to<'a>(folder: Option<&'a Scratch>, mut step: Step<'a>) -> Step<'a> {
    step.env.extend(folder.map(|folder| ("TMPDIR", folder.path())));
    step
}

/// Formatting, and the rules for dependencies where their tool is installed.
fn quick_checks<'a>(root: &Path) -> Vec<Step<'a>> {
    let mut steps = vec![cargo(root, "format", &["fmt", "--all", "--check"])];
    if shell::output("cargo", &["deny", "--version"]).is_some() {
        steps.push(cargo(root, "dependency rules", &["deny", "--log-level", "error", "check"]));
    }
    steps
}

/// `cargo xtask check`: what is quick.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    ui::install(root)?;
    // Both programs embed the built UI at compile time.
    ui::build(root)?;
    let mut steps = quick_checks(root);
    let clippy = [&["clippy"], &OF_TESTS[..], &["--", "-D", "warnings"]].concat();
    steps.push(cargo(root, "clippy", &clippy));
    steps.extend([npm(root, "UI lint", "lint"), npm(root, "UI types", "typecheck")]);
    report(root, &Rows { live: steps, beside: Vec::new(), either: Vec::new() })
}

/// Everything but benches, as `--all-targets` has them: with these, cargo builds what has `test = false` for tests all the same.
const OF_TESTS: [&str; 6] = ["--workspace", "--lib", "--bins", "--tests", "--examples", "--quiet"];

/// What `compiler` builds: everything that the tests and the counted work need.
pub(crate) fn build() -> Vec<&'static str> {
    [&["build"], &OF_TESTS[..]].concat()
}

/// The programs alone, with the features that they have in the build of the tests too. What cargo builds here, `build` does not build again.
const OF_PROGRAMS: [&str; 5] = ["build", "--workspace", "--bins", "--quiet", "--timings"];

/// Names of steps that others wait for.
const PROGRAMS: &str = "programs";
const BUILDING: &str = "clippy and tests";

/// `cargo xtask test`: everything; nothing is left out on a machine where it cannot run, it fails there.
pub(crate) fn test(root: &Path, args: &[String]) -> Result<(), Failure> {
    if let Some(arg) = args.first() {
        return Err(format!(
            "`cargo xtask test` takes no arguments, and got '{arg}'. For one crate: cargo test -p NAME"
        ));
    }
    system::ready(root, For::Test)?;
    ui::install(root)?;
    ui::packages(&peers_dir(root))?;
    ui::build(root)?;
    let nextest = shell::output("cargo", &["nextest", "--version"]).is_some();
    // Many tests wait for a process or a disk: two more at a time than there are cores.
    let at_once = std::thread::available_parallelism().map_or(4, |cores| cores.get() + 2).to_string();
    let tests: &[&str] = if nextest {
        &["nextest", "run", "--workspace", "--no-fail-fast", "--retries", "1", "--test-threads", &at_once]
    } else {
        &["test", "--workspace", "--no-fail-fast"]
    };
    let compiler = compiler::environment(root)?;
    let of_tests = [self::build(), vec!["--timings"]].concat();
    let scratch = Scratch::in_memory();
    let scratch = scratch.as_ref();
    let mut live = quick_checks(root);
    live.extend([
        checked(root, PROGRAMS, &OF_PROGRAMS, &compiler),
        checked(root, BUILDING, &of_tests, &compiler),
        writing_to(scratch, checked(root, "Rust tests", tests, &compiler)),
    ]);
    let after = |name, step| Step { after: Some(name), ..step };
    // One of them is an example, which comes with the tests.
    let peers = Step {
        name: "tool peers",
        dir: peers_dir(root),
        program: "node",
        args: vec!["run.mjs"],
        env: Vec::new(),
        after: Some(BUILDING),
    };
    report(
        root,
        &Rows {
            live,
            // Browser tests wait for the browser most of the time, so that the Rust tests hardly slow them, and need none of what the tests
            // in Rust are compiled to. A third row at the same time made all of them slower, and the window test fail (ADR 209).
            beside: vec![
                npm(root, "UI lint", "lint"),
                npm(root, "UI types", "typecheck"),
                npm(root, "UI tests", "test"),
                writing_to(scratch, browser_tests(root)),
            ],
            // The longest first, so that none of it is left alone at the end.
            either: vec![
                writing_to(scratch, peers),
                after(BUILDING, cargo(root, "instructions", &["xtask", "counts"])),
                after(PROGRAMS, writing_to(scratch, npm(root, "window test", "desktop-test"))),
            ],
        },
    )
}

/// The program that the conformance cases of CEL are run with.
const EXPRESSIONS: [&str; 5] = ["build", "-p", "signalbox-engine", "--example", "expressions"];

/// Servers and the conformance suites of others, in the versions of their lock file.
fn peers_dir(root: &Path) -> PathBuf {
    root.join("tests/peers")
}

/// `cargo xtask peers`: the client of tools against them, with the real program; `cel` needs the engine alone.
pub(crate) fn peers(root: &Path, args: &[String]) -> Result<(), Failure> {
    let parts: Vec<&str> = args.iter().map(String::as_str).filter(|arg| !arg.starts_with("--")).collect();
    if parts.is_empty() || parts.contains(&"cel") {
        shell::run(root, "cargo", &EXPRESSIONS)?;
    }
    if parts == ["cel"] {
        ui::packages(&peers_dir(root))?;
        return run_peers(root, args);
    }
    if parts == ["packages"] {
        let programs =
            ["build", "-p", "signalbox-headless", "-p", "signalbox-standalone", "-p", "signalbox-desktop", "--bins"];
        shell::run(root, "cargo", &programs)?;
        return run_peers(root, args);
    }
    if parts == ["restate"] && args.iter().any(|arg| arg == "--bench") {
        ui::packages(&peers_dir(root))?;
        let profile = ["build", "--profile", "counts", "-p", "signalbox-restate", "--features", "sdk"];
        shell::run(root, "cargo", &[&profile[..], &["--example", "restate_bench"]].concat())?;
        return run_peers(root, args);
    }
    if parts == ["programs"] {
        shell::run(root, "cargo", &["build", "-p", "signalbox-headless", "-p", "signalbox-standalone", "--bins"])?;
        return run_peers(root, args);
    }
    system::ready(root, For::Browser)?;
    ui::install(root)?;
    if args.is_empty()
        || args.iter().any(|arg| {
            !matches!(
                arg.as_str(),
                "llama" | "rest" | "models" | "kafka" | "objects" | "source" | "telemetry" | "templates"
            )
        })
    {
        ui::packages(&peers_dir(root))?;
    }
    ui::build(root)?;
    let mut programs = vec!["build", "-p", "signalbox-headless"];
    if parts.contains(&"restate") {
        // Not in any package, and not in the build of the tests: it is looked at here alone.
        let restate = "signalbox-headless/restate";
        let both = ["-p", "signalbox-restate", "-p", "signalbox-headless", "--features", restate];
        let clippy = [&["clippy"][..], &both, &["--", "-D", "warnings"]].concat();
        shell::run(root, "cargo", &clippy)?;
        programs.extend(["--features", "restate"]);
    }
    shell::run(root, "cargo", &programs)?;
    run_peers(root, args)
}

fn run_peers(root: &Path, args: &[String]) -> Result<(), Failure> {
    let mut all = vec!["run.mjs"];
    all.extend(args.iter().map(String::as_str));
    shell::run(&peers_dir(root), "node", &all)
}

/// Two rows of steps that run at the same time, because two cores are what there may be.
struct Rows<'a> {
    /// Steps whose output is shown while they run.
    live: Vec<Step<'a>>,
    /// Steps whose output is shown when each has ended. They may wait for those of `live`.
    beside: Vec<Step<'a>>,
    /// Steps that the row takes which is ready first, so that neither waits for the other. They may wait for those of `live`.
    either: Vec<Step<'a>>,
}

/// Steps of the first row that have ended.
#[derive(Default)]
struct Ended<'a> {
    /// Their names; `None` when there are no more.
    names: Mutex<Vec<Option<&'a str>>>,
    more: Condvar,
}

impl<'a> Ended<'a> {
    fn add(&self, name: Option<&'a str>) {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).push(name);
        self.more.notify_all();
    }

    /// Until that step, or the row, has ended.
    fn wait_for(&self, name: &str) {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let is_open =
            |names: &mut Vec<Option<&str>>| !names.iter().any(|ended| ended.is_none_or(|ended| ended == name));
        drop(self.more.wait_while(names, is_open));
    }
}

/// Says that the row has ended, also when this program fails: then nobody waits for steps that do not come.
struct RowEnd<'r, 'a>(&'r Ended<'a>);

impl Drop for RowEnd<'_, '_> {
    fn drop(&mut self) {
        self.0.add(None);
    }
}

impl<'a> Rows<'a> {
    fn run(&self, target: &Path) -> Vec<Done<'a>> {
        let taken = AtomicUsize::new(0);
        let ended = Ended::default();
        let run = |step: &Step<'a>, output| {
            if let Some(name) = step.after {
                ended.wait_for(name);
            }
            let outcome = step.run(output);
            // The next build writes another report in its place.
            let units = step.args.contains(&"--timings").then(|| build_times::last(target)).flatten();
            Done { outcome, units }
        };
        let rest = |done: &mut Vec<Done<'a>>, output| {
            while let Some(step) = self.either.get(taken.fetch_add(1, Ordering::SeqCst)) {
                done.push(run(step, output));
            }
        };
        std::thread::scope(|scope| {
            let beside = scope.spawn(|| {
                let mut done = self.beside.iter().map(|step| run(step, Output::AtTheEnd)).collect();
                rest(&mut done, Output::AtTheEnd);
                done
            });
            let mut done = Vec::new();
            let end = RowEnd(&ended);
            for step in &self.live {
                done.push(run(step, Output::Live));
                ended.add(Some(step.name));
            }
            drop(end);
            rest(&mut done, Output::Live);
            // A panic of the other row is a fault of this program, and must not pass for success.
            done.extend(beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            done
        })
    }
}

/// What a step gave, and what it built.
struct Done<'a> {
    outcome: Outcome<'a>,
    units: Option<Units>,
}

/// Runs all rows, then prints the table of tests and times, then the last line.
fn report(root: &Path, rows: &Rows<'_>) -> Result<(), Failure> {
    let started = Instant::now();
    let all = rows.run(&crate::target(root));
    let done = || all.iter().map(|done| &done.outcome);
    println!();
    for Outcome { name, failures, flaky, .. } in done() {
        for failure in failures {
            println!("failed in {name}: {failure}");
        }
        for test in flaky {
            println!("passed only when repeated, in {name}: {test}");
        }
    }
    let processor = |worked: Option<Duration>| {
        worked.map_or_else(String::new, |time| format!("{:>8.1} s of a processor", time.as_secs_f64()))
    };
    for Done { outcome: Outcome { name, counts, took, worked, .. }, units } in &all {
        println!(
            "{name:<24} {:>5} passed {:>5} failed {:>8.1} s {}",
            counts.passed,
            counts.failed,
            took.as_secs_f64(),
            processor(*worked)
        );
        if let Some(units) = units.as_ref().filter(|units| units.all > 0.0) {
            let part = units.of_others / units.all;
            let of_others = worked.map(|worked| worked.mul_f64(part));
            println!("{:<24} {:>27.0} % {}", "  of it crates of others", part * 100.0, processor(of_others));
        }
    }
    let worked = done().map(|outcome| outcome.worked).sum();
    println!("{:<24} {:>30.1} s {}", "in all, side by side", started.elapsed().as_secs_f64(), processor(worked));
    let passed: u64 = done().map(|outcome| outcome.counts.passed).sum();
    let failed: u64 = done().map(|outcome| outcome.counts.failed).sum();
    // The last line of standard output, whatever follows on standard error.
    println!("{passed} passed, {failed} failed");
    if failed == 0 {
        return Ok(());
    }
    let names: Vec<&str> = done().filter(|outcome| outcome.counts.failed > 0).map(|outcome| outcome.name).collect();
    Err(format!("Failed: {}.", names.join(", ")))
}

/// `cargo xtask bench`.
pub(crate) fn bench(root: &Path, args: &[String]) -> Result<(), Failure> {
    system::ready(root, For::Test)?;
    if args.iter().any(|arg| arg == compare::COMPARE) {
        return compare::compare(root, args);
    }
    ui::install(root)?;
    ui::build(root)?;
    let mut all = vec!["run", "-p", "signalbox-headless", "--example", "bench"];
    // What measures a program of another process need not be optimised, which takes long.
    if args != ["rows"] {
        all.push("--release");
    }
    all.push("--");
    all.extend(args.iter().map(String::as_str));
    shell::run(root, "cargo", &all)
}

#[cfg(test)]
mod tests {
    use super::{Done, Rows, Step};
    use std::path::Path;

    fn step<'a>(name: &'a str, script: &'a str, after: Option<&'a str>) -> Step<'a> {
        let args = vec!["-c", script];
        Step { name, dir: std::env::temp_dir(), program: "sh", args, env: Vec::new(), after }
    }

    fn results<'a>(rows: &Rows<'a>) -> Vec<(&'a str, u64, u64)> {
        let result = |Done { outcome, .. }: &Done<'a>| (outcome.name, outcome.counts.passed, outcome.counts.failed);
        rows.run(Path::new("")).iter().map(result).collect()
    }

    #[test]
    fn each_step_runs_once_whichever_row_takes_it_and_a_failure_stops_no_other() {
        let rows = Rows {
            live: vec![step("first", "true", None), step("fails", "false", None)],
            beside: vec![step("beside", "true", None)],
            either: vec![step("a", "true", None), step("b", "false", Some("fails")), step("c", "true", None)],
        };
        let mut done = results(&rows);
        done.sort_unstable();
        let wanted = [("a", 1, 0), ("b", 0, 1), ("beside", 1, 0), ("c", 1, 0), ("fails", 0, 1), ("first", 1, 0)];
        assert_eq!(done, wanted);
    }

    #[test]
    fn a_step_waits_for_the_other_row_and_never_for_one_that_does_not_come() {
        let made = std::env::temp_dir().join(format!("xtask-steps-{}", std::process::id()));
        let (make, look) = (format!("touch '{}'", made.display()), format!("test -f '{}'", made.display()));
        let rows = Rows {
            live: vec![step("fails", "false", None), step("makes", &make, None), step("last", "true", None)],
            beside: vec![step("looks", &look, Some("makes")), step("waits for nobody", "true", Some("is not there"))],
            either: Vec::new(),
        };
        let mut done = results(&rows);
        std::fs::remove_file(&made).expect("the second step made it");
        done.sort_unstable();
        let wanted = [("fails", 0, 1), ("last", 1, 0), ("looks", 1, 0), ("makes", 1, 0), ("waits for nobody", 1, 0)];
        assert_eq!(done, wanted);
    }
}
