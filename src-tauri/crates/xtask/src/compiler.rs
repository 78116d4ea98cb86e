//! This program in the place of the compiler of our crates, in `cargo xtask test`: Clippy checks and builds in one pass, and each line once.
//!
//! What has unit tests is compiled twice, and the build with the tests has all lines of the other one (no line is left out of tests).
//! Clippy looks at that one; the library and the programs that the tests use come from rustc itself, which takes a tenth less,
//! because Clippy turns off what makes code smaller before it is generated.
//!
//! Examples that no step runs are checked and not linked. Cargo wants a file for each, or it would check them again each time: a text is
//! in their place.
//!
//! Programs are linked for a fixed place in memory: moving 250 MB of debug code to its place is most of what a start takes, and the
//! tests start thousands. Programs that are packed are built by cargo alone.

use crate::Failure;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Warnings are faults, of rustc too.
const LINTS: (&str, &str) = ("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");

/// What cargo needs to know to compile with this program.
pub(crate) fn environment(root: &Path) -> Result<[(&'static str, String); 2], Failure> {
    let target = crate::target(root);
    let place = target.join(format!("xtask-compiler{}", std::env::consts::EXE_SUFFIX));
    install(&place).map_err(|error| format!("{} cannot be written: {error}", place.display()))?;
    Ok([("RUSTC_WORKSPACE_WRAPPER", place.display().to_string()), (LINTS.0, LINTS.1.to_owned())])
}

/// A copy, because cargo builds this program too while it compiles with it. A copy that is the same stays: cargo looks at its age.
fn install(place: &Path) -> std::io::Result<()> {
    let here = std::fs::read(std::env::current_exe()?)?;
    if std::fs::read(place).is_ok_and(|there| there == here) {
        return Ok(());
    }
    if let Some(folder) = place.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let new = place.with_extension("new");
    std::fs::copy(std::env::current_exe()?, &new)?;
    std::fs::rename(new, place)
}

/// Whether cargo calls this program as a compiler: then the first argument is rustc.
pub(crate) fn is_called(args: &[String]) -> bool {
    args.first().is_some_and(|first| Path::new(first).file_stem().is_some_and(|name| name == "rustc"))
}

/// Compiles.
pub(crate) fn compile(args: &[String]) -> Result<ExitCode, Failure> {
    let manifest = std::env::var_os("CARGO_MANIFEST_PATH").map(PathBuf::from);
    let manifest = manifest.and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    let command = command(args, &manifest, cfg!(all(target_os = "linux", target_env = "gnu")));
    let (program, rest) = command.split_first().ok_or("There is nothing to compile.")?;
    // With the environment as it is: cargo says by it which crate this is.
    let status =
        Command::new(program).args(rest).status().map_err(|error| format!("{program} did not start: {error}"))?;
    if let Some(file) = not_linked(args).filter(|_| status.success()) {
        std::fs::write(&file, "The tests only check this example. `cargo run --example` builds and runs it.\n")
            .map_err(|error| format!("{} cannot be written: {error}", file.display()))?;
    }
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

/// Examples that steps run: the counted work, and the cases of CEL.
const RUN: [&str; 2] = ["counts", "expressions"];
/// What cargo asks of a compiler for a program.
const LINK: &str = "--emit=dep-info,link";
/// The same without code.
const CHECK: &str = "--emit=dep-info,metadata";

/// The file of an example that is checked only.
fn not_linked(args: &[String]) -> Option<PathBuf> {
    let name = value(args, "--crate-name").filter(|name| !RUN.contains(name))?;
    let folder = Path::new(value(args, "--out-dir")?);
    let example = folder.file_name()? == "examples" && value(args, "--crate-type") == Some("bin");
    let more = args.iter().find_map(|arg| arg.strip_prefix("extra-filename=")).unwrap_or_default();
    (example && args.iter().any(|arg| arg == LINK))
        .then(|| folder.join(format!("{name}{more}{}", std::env::consts::EXE_SUFFIX)))
}

/// What stands behind the name of an option.
fn value<'a>(args: &'a [String], name: &str) -> Option<&'a str> {
    args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)).map(String::as_str)
}

/// The command for what cargo asks of a compiler.
fn command(args: &[String], manifest: &str, fixed_place: bool) -> Vec<String> {
    let has = |wanted: &str| args.iter().any(|arg| arg == wanted);
    // `___` is the question what the compiler can do.
    let crate_name = value(args, "--crate-name").filter(|name| *name != "___");
    let source = args.iter().find(|arg| arg.ends_with(".rs")).map_or("", String::as_str);
    let in_sources = source.starts_with("src/") || source.contains("/src/");
    let again_with_tests = !has("--test") && in_sources && !is_without_tests(manifest, source);
    let mut command = Vec::new();
    if crate_name.is_some() && !again_with_tests {
        command.push("clippy-driver".to_owned());
    }
    let checked_only = not_linked(args).is_some();
    command.extend(args.iter().map(|arg| if checked_only && arg == LINK { CHECK.to_owned() } else { arg.clone() }));
    if crate_name.is_some() && again_with_tests {
        command.extend(["-D", "warnings"].map(str::to_owned));
    }
    let program = has("--test") || value(args, "--crate-type") == Some("bin");
    if fixed_place && program && crate_name.is_some() {
        command.extend(["-C", "relocation-model=static"].map(str::to_owned));
    }
    command
}

/// Whether the manifest says that a library or a program is not compiled with tests.
fn is_without_tests(manifest: &str, source: &str) -> bool {
    manifest.split("\n[").any(|section| {
        let path = section
            .lines()
            .find_map(|line| line.strip_prefix("path = "))
            .map_or("src/lib.rs", |path| path.trim_matches('"'));
        section.lines().any(|line| line == "test = false") && source.ends_with(path)
    })
}

#[cfg(test)]
mod tests;
