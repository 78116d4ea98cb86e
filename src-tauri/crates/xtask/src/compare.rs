//! `cargo xtask bench --compare BASE`: the program of another commit and today's, built with the same profile, run turn about by
//! `src-tauri/crates/headless/examples/bench/compare.rs`.
//!
//! The commit is built in a clone below `target/compare`, with the profiles of today's manifest; what is built of it stays, because a commit
//! never changes, and what it was built with goes.

use crate::{Failure, shell};
use std::path::{Path, PathBuf};

/// The argument that asks for it.
pub(crate) const COMPARE: &str = "--compare";
const DEV: &str = "--dev";
const PAIRS: &str = "--pairs";
/// Pairs of runs, where nothing else is said.
const MOST_USED: &str = "3";
const PROGRAM: &str = "signalbox";

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    base: String,
    /// Built as the tests are, which takes a tenth of the time; memory is nearly the same, times are not.
    dev: bool,
    pairs: String,
    workloads: Vec<String>,
}

fn asked(args: &[String]) -> Result<Asked, Failure> {
    let usage = || format!("Write `cargo xtask bench {COMPARE} COMMIT [{DEV}] [{PAIRS} N] [WORKLOAD…]`.");
    let (mut base, mut dev, mut pairs, mut workloads) = (None, false, MOST_USED.to_owned(), Vec::new());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().filter(|value| !value.starts_with('-')).cloned().ok_or_else(usage);
        match arg.as_str() {
            COMPARE => base = Some(value()?),
            DEV => dev = true,
            PAIRS => {
                pairs = value()?;
                if !pairs.parse::<usize>().is_ok_and(|pairs| pairs > 0) {
                    return Err(format!("{PAIRS} takes a number from 1 on, and got '{pairs}'."));
                }
            }
            other if other.starts_with('-') => return Err(format!("'{other}' is unknown. {}", usage())),
            workload => workloads.push(workload.to_owned()),
        }
    }
    Ok(Asked { base: base.ok_or_else(usage)?, dev, pairs, workloads })
}

/// Builds both, and prints the ratios.
pub(crate) fn compare(root: &Path, args: &[String]) -> Result<(), Failure> {
    let asked = asked(args)?;
    let name = format!("{}^{{commit}}", asked.base);
    let commit = shell::output("git", &["-C", &root.to_string_lossy(), "rev-parse", "--verify", "--quiet", &name])
        .map(|commit| commit.trim().to_owned())
        .filter(|commit| !commit.is_empty())
        .ok_or_else(|| format!("There is no commit '{}'. Fetch it, or name another one.", asked.base))?;
    let before = program_of(root, &commit, asked.dev)?;
    let mut build = vec!["build", "-p", "signalbox-headless", "--bin", PROGRAM, "--example", "bench"];
    if !asked.dev {
        build.push("--release");
    }
    shell::run(root, "cargo", &build)?;
    let built = crate::target(root).join(if asked.dev { "debug" } else { "release" });
    let (before, after) = (before.display().to_string(), built.join(PROGRAM).display().to_string());
    let mut run = vec!["compare", before.as_str(), after.as_str(), asked.pairs.as_str()];
    run.extend(asked.workloads.iter().map(String::as_str));
    println!("Before: {commit}. After: the working tree. Profile: {}.", if asked.dev { "dev" } else { "release" });
    shell::run(root, &built.join("examples/bench").display().to_string(), &run)
}

/// The program of a commit; it is built once.
fn program_of(root: &Path, commit: &str, dev: bool) -> Result<PathBuf, Failure> {
    let short = commit.get(..12).unwrap_or(commit);
    let profile = if dev { "debug" } else { "release" };
    let folder = crate::target(root).join("compare");
    let kept = folder.join(format!("{short}-{profile}")).join(PROGRAM);
    if kept.is_file() {
        return Ok(kept);
    }
    let place = folder.join(short);
    let source = place.join("source");
    let told = |error: std::io::Error, path: &Path| format!("{} cannot be written: {error}", path.display());
    if !source.join("Cargo.toml").is_file() {
        std::fs::create_dir_all(&place).map_err(|error| told(error, &place))?;
        let (from, to) = (root.display().to_string(), source.display().to_string());
        shell::run(root, "git", &["clone", "--quiet", "--shared", "--no-checkout", &from, &to])?;
        shell::run(&source, "git", &["checkout", "--quiet", "--detach", commit])?;
    }
    let manifest = source.join("Cargo.toml");
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let (own, ours) = (read(&manifest)?, read(&root.join("Cargo.toml"))?);
    let with = with_profiles(&own, &ours);
    if with != own {
        std::fs::write(&manifest, with).map_err(|error| told(error, &manifest))?;
    }
    let target = place.join("target");
    println!("$ cargo build -p signalbox-headless, of {short}");
    let mut build = shell::command("cargo");
    build.args(["build", "--locked", "-p", "signalbox-headless", "--bin", PROGRAM, "--target-dir"]).arg(&target);
    if !dev {
        build.arg("--release");
    }
    // Nothing around today's build counts: a checker in the place of the compiler would refuse what it did not know then.
    build.env_remove("RUSTC_WORKSPACE_WRAPPER").env_remove("CARGO_TARGET_DIR").env("CARGO_INCREMENTAL", "0");
    let status = build.current_dir(&source).status().map_err(|error| format!("cargo did not start: {error}"))?;
    if !status.success() {
        return Err(format!("{short} could not be built; see above. Its source is in {}.", source.display()));
    }
    if let Some(folder) = kept.parent() {
        std::fs::create_dir_all(folder).map_err(|error| told(error, folder))?;
    }
    std::fs::copy(target.join(profile).join(PROGRAM), &kept).map_err(|error| told(error, &kept))?;
    std::fs::remove_dir_all(&place).map_err(|error| format!("{} cannot be removed: {error}", place.display()))?;
    Ok(kept)
}

/// A manifest with the profiles of another one: cargo only warns of packages that it does not have.
fn with_profiles(own: &str, other: &str) -> String {
    let profiles = |text: &str, wanted: bool| {
        let (mut out, mut inside) = (String::new(), false);
        for line in text.lines() {
            if line.starts_with('[') {
                inside = line.starts_with("[profile.") || line.starts_with("[profile]");
            }
            if inside == wanted {
                out.push_str(line);
                out.push('\n');
            }
        }
        out
    };
    format!("{}\n\n{}", profiles(own, false).trim_end(), profiles(other, true))
}

#[cfg(test)]
mod tests {
    use super::{Asked, asked, with_profiles};

    fn args(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn arguments_are_read() {
        let wanted = |dev, pairs: &str, workloads: &[&str]| Asked {
            base: "0f186b23".into(),
            dev,
            pairs: pairs.into(),
            workloads: workloads.iter().map(|one| (*one).to_owned()).collect(),
        };
        assert_eq!(asked(&args("--compare 0f186b23")), Ok(wanted(false, "3", &[])));
        assert_eq!(
            asked(&args("rows --compare 0f186b23 --dev --pairs 10 json")),
            Ok(wanted(true, "10", &["rows", "json"]))
        );
        for wrong in ["--compare", "--compare --dev", "--pairs 2", "--compare a --pairs 0", "--compare a --fast"] {
            assert!(asked(&args(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn profiles_are_those_of_today() {
        let own = "[package]\nname = \"a\"\n\n[profile.dev]\ndebug = true\n\n[lints]\nx = 1\n";
        let other = "[workspace]\n\n[profile.dev]\ndebug = false\n# Why.\n[profile.release.package]\nb.opt-level = 3\n[other]\n";
        let both = with_profiles(own, other);
        assert!(both.contains("[package]\nname = \"a\"") && both.contains("[lints]\nx = 1"), "{both}");
        assert!(both.contains("debug = false\n# Why.\n[profile.release.package]\nb.opt-level = 3\n"), "{both}");
        assert!(!both.contains("debug = true") && !both.contains("[workspace]") && !both.contains("[other]"), "{both}");
        // A clone that was prepared before is as it was.
        assert_eq!(with_profiles(&both, other), both);
    }
}
