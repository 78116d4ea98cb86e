//! `cargo xtask fuzz`: looks for inputs that our readers cannot stand, by coverage (libFuzzer). A part of no check: it runs as
//! long as it is let. The targets are two programs in a workspace by themselves, `tests/fuzz`, and are built below `target/fuzz`.

use crate::{Failure, shell};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// How long each target runs when nothing else is said.
const SECONDS: u64 = 600;
/// Longest time for one input, in seconds, and most memory, in MB: beyond is a fault.
const SLOW: u64 = 5;
const MEMORY: u64 = 1_024;
/// Longest input, in bytes: long enough to show what grows with the square of it.
const LONGEST: u64 = 64 * 1024;
/// Threads of the program have this stack, in KiB: so has the fuzzer.
const STACK: u64 = 2_048;

/// Counters of edges and comparisons, which libFuzzer reads. They need no nightly compiler; AddressSanitizer would. Code that
/// nothing calls is not linked: libFuzzer goes through all counters after each input.
const COVERAGE: [&str; 5] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// The programs, and the source file of each with the table of its targets.
const PROGRAMS: [(&str, &str); 2] =
    [("signalbox-fuzz", "targets.rs"), ("signalbox-fuzz-documents", "bin/documents.rs")];

/// A target, and the program that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    name: String,
    program: &'static str,
}

struct Options {
    targets: Vec<Target>,
    seconds: u64,
    /// Inputs that are tried once, instead of new ones.
    files: Vec<PathBuf>,
}

impl Options {
    fn of(args: &[String], known: &[Target]) -> Result<Self, Failure> {
        let mut options = Self { targets: Vec::new(), seconds: SECONDS, files: Vec::new() };
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            match arg.as_str() {
                "--seconds" => {
                    let given = rest.next().and_then(|text| text.parse().ok()).filter(|seconds| *seconds > 0);
                    options.seconds =
                        given.ok_or("--seconds needs a whole number from 1: how long each target runs.")?;
                }
                "--file" => options.files.push(rest.next().ok_or("--file needs the path of an input.")?.into()),
                other => match known.iter().find(|one| one.name == other) {
                    Some(target) => options.targets.push(target.clone()),
                    None => return Err(format!("There is no target '{other}'. There are: {}.", listed(known))),
                },
            }
        }
        if !options.files.is_empty() && options.targets.len() != 1 {
            return Err(
                "--file needs one target: `cargo xtask fuzz cel --file target/fuzz/found/cel-crash-…`.".to_owned()
            );
        }
        if options.targets.is_empty() {
            options.targets = known.to_vec();
        }
        Ok(options)
    }
}

fn listed(targets: &[Target]) -> String {
    targets.iter().map(|target| target.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Builds the targets and runs them one after the other. Inputs that show a fault are kept below `target/fuzz/found`.
pub(crate) fn fuzz(root: &Path, args: &[String]) -> Result<(), Failure> {
    let workspace = root.join("tests/fuzz");
    let options = Options::of(args, &targets(&workspace)?)?;
    if std::env::consts::OS != "linux" {
        return Err("The targets are built and run on Linux only.".to_owned());
    }
    for (tool, from) in [("c++", "g++"), ("sh", "dash")] {
        if shell::which(tool).is_none() {
            return Err(format!(
                "{tool} is missing; it builds and starts libFuzzer. On Debian: apt-get install {from}"
            ));
        }
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("fuzz");
    let programs = build(root, &workspace, &target)?;
    let found = target.join("found");
    make(&found)?;
    let mut faults = Vec::new();
    for one in &options.targets {
        let program = programs.join(one.program);
        if run(root, &workspace, &target, &program, &one.name, &options)? == Ended::Fault {
            faults.push(one.name.as_str());
        }
    }
    if faults.is_empty() {
        println!("No fault found in: {}.", listed(&options.targets));
        return Ok(());
    }
    Err(format!(
        "Faults in: {}. The inputs are in {}; `cargo xtask fuzz TARGET --file INPUT` tries one again.",
        faults.join(", "),
        found.display()
    ))
}

/// All targets, by the tables of the programs.
fn targets(workspace: &Path) -> Result<Vec<Target>, Failure> {
    let mut all = Vec::new();
    for (program, source) in PROGRAMS {
        let source = read(&workspace.join("src").join(source))?;
        let lines = source.lines().filter_map(|line| line.trim().strip_prefix("target(\""));
        let names = lines.filter_map(|rest| rest.split('"').next());
        all.extend(names.map(|name| Target { name: name.to_owned(), program }));
    }
    Ok(all)
}

/// Gives the folder of the programs.
fn build(root: &Path, workspace: &Path, target: &Path) -> Result<PathBuf, Failure> {
    // The versions that the program has; cargo adds libFuzzer.
    let lock = workspace.join("Cargo.lock");
    fs::copy(root.join("Cargo.lock"), &lock)
        .map_err(|error| format!("{} cannot be written: {error}", lock.display()))?;
    let host = shell::output("rustc", &["-vV"])
        .and_then(|text| text.lines().find_map(|line| line.strip_prefix("host: ").map(str::to_owned)))
        .ok_or("rustc does not say its host.")?;
    println!("$ cargo build --release --target {host} (tests/fuzz, with coverage)");
    let status = shell::command("cargo")
        // Named, so that build scripts and macros are built without counters.
        .args(["build", "--release", "--target", &host])
        .current_dir(workspace)
        .env("CARGO_TARGET_DIR", target)
        .env("RUSTFLAGS", COVERAGE.join(" "))
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        // `cargo xtask test` builds with clippy; nobody needs its opinion here.
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .status()
        .map_err(|error| format!("cargo did not start: {error}"))?;
    if !status.success() {
        return Err("The targets could not be built; see above.".to_owned());
    }
    Ok(target.join(host).join("release"))
}

#[derive(Debug, PartialEq, Eq)]
enum Ended {
    Well,
    Fault,
}

fn run(
    root: &Path,
    workspace: &Path,
    target: &Path,
    program: &Path,
    name: &str,
    options: &Options,
) -> Result<Ended, Failure> {
    let corpus = target.join("corpus").join(name);
    make(&corpus)?;
    let mut args: Vec<OsString> = vec![
        format!("-max_total_time={}", options.seconds).into(),
        format!("-timeout={SLOW}").into(),
        format!("-rss_limit_mb={MEMORY}").into(),
        format!("-max_len={LONGEST}").into(),
        "-print_final_stats=1".into(),
        "-verbosity=0".into(),
        "-print_funcs=0".into(),
    ];
    let mut prefix = OsString::from("-artifact_prefix=");
    prefix.push(target.join("found").join(format!("{name}-")));
    args.push(prefix);
    if options.files.is_empty() {
        // What is found is kept in the first one; the others are only read.
        args.push(corpus.into());
        args.extend(seeds(root, workspace, name).into_iter().map(Into::into));
    } else {
        args.extend(options.files.iter().map(|file| std::path::absolute(file).unwrap_or_else(|_| file.clone()).into()));
    }
    println!("$ FUZZ_TARGET={name}, at most {} s", options.seconds);
    let limited = format!("ulimit -s {STACK}; exec \"$0\" \"$@\"");
    let status = shell::command("sh")
        .args([OsStr::new("-c"), OsStr::new(&limited), program.as_os_str()])
        .args(args)
        .env("FUZZ_TARGET", name)
        .current_dir(workspace)
        .status()
        .map_err(|error| format!("sh did not start: {error}"))?;
    Ok(if status.success() { Ended::Well } else { Ended::Fault })
}

/// Folders with inputs to begin with: those of the target, and files that other tests have.
fn seeds(root: &Path, workspace: &Path, name: &str) -> Vec<PathBuf> {
    let mut all = vec![workspace.join("corpus").join(name)];
    match name {
        "workflow" => all.push(root.join("src-tauri/crates/app/samples")),
        "connector" => all.push(root.join("connectors")),
        "vl" => all.push(root.join("src-tauri/crates/import/tests/vl")),
        _ => {}
    }
    all.retain(|folder| folder.is_dir());
    all
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
}

fn make(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| format!("{} cannot be made: {error}", path.display()))
}

#[cfg(test)]
mod tests;
