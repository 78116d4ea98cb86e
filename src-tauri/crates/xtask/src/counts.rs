//! `cargo xtask counts`: what the engine does for a step, in instructions. Unlike times they are the same whatever else the
//! machine does, so that a change that costs shows when it is made.
//!
//! The work is `src-tauri/crates/engine/examples/counts.rs`, run under cachegrind without its caches, which takes half of
//! the time of callgrind and counts the same; what is expected stands in `counts.txt` beside it. `cargo xtask test` counts the
//! build that the tests use anyway: a separate profile would cost three minutes of processor time each. With `--optimised` the work is built in the profile `counts` (`Cargo.toml`), to see what a step costs as
//! released.

use crate::system::For;
use crate::{Failure, compiler, shell, steps, system};
use std::path::{Path, PathBuf};

/// Percent that a count may be away from what is expected: other C libraries and the seeds of hash maps move it by less.
const MARGIN: f64 = 3.0;
const UPDATE: &str = "cargo xtask counts --write";
const OPTIMISED: &str = "--optimised";
/// Functions of the C library that it picks by the processor: off, so that a count is the same on another one. Both
/// spellings, of before and after glibc 2.33; unknown names mean nothing to it.
const TUNABLES: &str =
    "glibc.cpu.hwcaps=-AVX,-AVX2,-AVX2_Usable,-AVX512F,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM,-BMI1,-BMI2,-LZCNT,-POPCNT";

/// Counts, and compares with what is expected or writes it.
pub(crate) fn counts(root: &Path, args: &[String]) -> Result<(), Failure> {
    if let Some(other) = args.iter().find(|arg| !["--write", OPTIMISED].contains(&arg.as_str())) {
        return Err(format!("`cargo xtask counts` takes --write and {OPTIMISED}, and got '{other}'."));
    }
    let has = |wanted: &str| args.iter().any(|arg| arg == wanted);
    let (write, build) = (has("--write"), if has(OPTIMISED) { Build::Optimised } else { Build::OfTests });
    if std::env::consts::ARCH != "x86_64" || std::env::consts::OS != "linux" {
        return Err("Instructions are counted on x86-64 Linux only: the expected counts are of it.".to_owned());
    }
    system::ready(root, For::Counts)?;
    let program = build.program(root)?;
    let names =
        shell::output(&program.to_string_lossy(), &[]).ok_or("The program that does the work did not start.")?;
    let mut found = Vec::new();
    for name in names.lines() {
        found.push((name.to_owned(), count(&program, name)?));
    }
    let file = root.join(build.expected());
    let compiler = shell::output("rustc", &["--version"]).unwrap_or_default();
    if write {
        std::fs::write(&file, page(&compiler, &found))
            .map_err(|error| format!("{} cannot be written: {error}", file.display()))?;
        println!("Written: {}", build.expected());
        return Ok(());
    }
    let text = std::fs::read_to_string(&file)
        .map_err(|error| format!("{} cannot be read: {error}. Write it: {UPDATE}", file.display()))?;
    let mut wrong = compared(&found, &text);
    println!("{} passed, {} failed", found.len().saturating_sub(wrong.len()), wrong.len());
    if wrong.is_empty() {
        return Ok(());
    }
    wrong.extend(other_compiler(&text, &compiler));
    Err(wrong.join("\n"))
}

/// Says that the expected counts were made by another compiler, when they were: then it may be the compiler and not the engine
/// that costs or saves.
fn other_compiler(expected: &str, compiler: &str) -> Option<String> {
    let made_by = expected.lines().find_map(|line| line.strip_prefix("# Compiler: ")).unwrap_or("an unknown compiler");
    (made_by != compiler).then(|| {
        format!(
            "The expected counts are of {made_by}, and this is {compiler}: that alone may be the difference.\n  \
             To be sure, count the commit before the change with this compiler as well. When the compiler is the cause: {UPDATE}"
        )
    })
}

/// How the counted work is built.
#[derive(Clone, Copy)]
enum Build {
    /// By the build of `cargo xtask test`, which has nothing left to do there.
    OfTests,
    /// Only the engine, optimised.
    Optimised,
}

impl Build {
    /// The file with the expected counts.
    fn expected(self) -> &'static str {
        match self {
            Build::OfTests => "src-tauri/crates/engine/examples/counts.txt",
            Build::Optimised => "src-tauri/crates/engine/examples/counts-optimised.txt",
        }
    }

    /// The program that does the work; nothing of the environment changes how an optimised one is built.
    fn program(self, root: &Path) -> Result<PathBuf, Failure> {
        let mut cargo = shell::command("cargo");
        let folder = match self {
            Build::OfTests => {
                cargo.args(steps::build()).envs(compiler::environment(root)?);
                "debug"
            }
            Build::Optimised => {
                cargo
                    .args(["build", "--quiet", "--profile", "counts", "-p", "signalbox-engine", "--example", "counts"])
                    .env("CARGO_INCREMENTAL", "0")
                    .env("RUSTFLAGS", "")
                    .env_remove("CARGO_ENCODED_RUSTFLAGS");
                "counts"
            }
        };
        let status = cargo.current_dir(root).status().map_err(|error| format!("cargo did not start: {error}"))?;
        if !status.success() {
            return Err("The work to count could not be built; see above.".to_owned());
        }
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        Ok(root.join(target).join(folder).join("examples/counts"))
    }
}

/// Instructions of one piece of work from start to end.
fn count(program: &Path, name: &str) -> Result<u64, Failure> {
    let out = program.with_file_name(format!("cachegrind.{name}.out"));
    // An environment that is always the same: it stands on the stack of the program.
    let output = shell::command("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--branch-sim=no", "--quiet"])
        .arg(format!("--cachegrind-out-file={}", out.display()))
        .arg(program)
        .arg(name)
        .env_clear()
        .env("GLIBC_TUNABLES", TUNABLES)
        .output()
        .map_err(|error| format!("valgrind did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("{name} did not end well under valgrind:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    let text = std::fs::read_to_string(&out).map_err(|error| format!("{} cannot be read: {error}", out.display()))?;
    total(&text).ok_or_else(|| format!("{} holds no sum.", out.display()))
}

/// The sum at the end of a file of cachegrind.
fn total(text: &str) -> Option<u64> {
    text.lines().rev().find_map(|line| line.strip_prefix("summary: "))?.trim().parse().ok()
}

fn page(compiler: &str, found: &[(String, u64)]) -> String {
    let mut page = format!(
        "# Instructions of each piece of work in counts.rs, as expected, give or take {MARGIN} %.\n\
         # Written by `{UPDATE}`: after a change that is meant to cost more, or that costs less.\n# Compiler: {compiler}\n"
    );
    for (name, count) in found {
        page.push_str(&format!("{name} {count}\n"));
    }
    page
}

/// Prints a line for each, and gives what is wrong.
fn compared(found: &[(String, u64)], text: &str) -> Vec<String> {
    let expected: Vec<(&str, u64)> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(name, count)| Some((name, count.trim().parse().ok()?)))
        .collect();
    let mut wrong = Vec::new();
    for (name, count) in found {
        let Some((_, wanted)) = expected.iter().find(|(known, _)| known == name) else {
            wrong.push(format!("{name}: nothing is expected of it. Write it: {UPDATE}"));
            continue;
        };
        let percent = (*count as f64 / *wanted as f64 - 1.0) * 100.0;
        println!("{name:<16} {count:>14} instructions, expected {wanted:>14}: {percent:+.1} %");
        if percent > MARGIN {
            wrong.push(format!(
                "{name} takes {percent:.1} % more instructions than expected ({count}, not {wanted}; {MARGIN} % are allowed).\n  \
                 What costs them: cg_annotate target/debug/examples/cachegrind.{name}.out\n  \
                 When the change is worth it: {UPDATE}"
            ));
        } else if percent < -MARGIN {
            wrong.push(format!(
                "{name} takes {:.1} % fewer instructions than expected ({count}, not {wanted}). Keep the gain: {UPDATE}",
                -percent
            ));
        }
    }
    for (name, _) in expected.iter().filter(|(name, _)| !found.iter().any(|(known, _)| known == name)) {
        wrong.push(format!("{name} is expected, and there is no such work. Write the file anew: {UPDATE}"));
    }
    wrong
}

#[cfg(test)]
mod tests;
