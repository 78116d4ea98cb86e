//! `cargo xtask bench --compare BASE`: the program of another commit and today's, built with the same profile, run turn about by
//! `src-tauri/crates/headless/examples/bench/compare.rs`. With `--goals` the benches of both commits themselves (`goals.rs`).
//!
//! The commit is built in a clone below `target/compare`, with the profiles of today's manifest; what is built of it stays, because a commit
//! never changes, and what it was built with goes.

mod goals;

use crate::{Failure, shell};
use std::path::{Path, PathBuf};

/// The argument that asks for it.
pub(crate) const COMPARE: &str = "--compare";
const DEV: &str = "--dev";
const PAIRS: &str = "--pairs";
const GOALS: &str = "--goals";
/// Pairs of runs, where nothing else is said.
const MOST_USED: usize = 3;
const PROGRAM: &str = "signalbox";
const BENCH: &str = "bench";

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    base: String,
    /// Built as the tests are, which takes a tenth of the time; memory is nearly the same, times are not.
    dev: bool,
    /// The benches of both, without servers.
    goals: bool,
    pairs: usize,
    workloads: Vec<String>,
}

impl Asked {
    /// What is built, and the profile. Link-time optimisation takes long and changes the ratios little: the benches do without.
    fn built(&self) -> Built {
        let profile = match (self.dev, self.goals) {
            (true, _) => "dev",
            (false, true) => "counts",
            (false, false) => "release",
        };
        Built {
            profile,
            kind: if self.goals { "--example" } else { "--bin" },
            name: if self.goals { BENCH } else { PROGRAM },
        }
    }
}

/// What is built of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Built {
    profile: &'static str,
    /// `--bin` or `--example`.
    kind: &'static str,
    name: &'static str,
}

impl Built {
    /// The folder of the profile below a target folder.
    fn folder(self) -> &'static str {
        if self.profile == "dev" { "debug" } else { self.profile }
    }

    /// Where cargo puts it.
    fn below(self, target: &Path) -> PathBuf {
        let folder = target.join(self.folder());
        if self.kind == "--example" { folder.join("examples").join(self.name) } else { folder.join(self.name) }
    }

    fn args(self) -> [&'static str; 7] {
        ["build", "-p", "signalbox-headless", self.kind, self.name, "--profile", self.profile]
    }
}

fn asked(args: &[String]) -> Result<Asked, Failure> {
    let usage = || format!("Write `cargo xtask bench {COMPARE} COMMIT [{DEV}] [{GOALS}] [{PAIRS} N] [WORKLOAD…]`.");
    let (mut base, mut dev, mut goals, mut pairs, mut workloads) = (None, false, false, MOST_USED, Vec::new());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().filter(|value| !value.starts_with('-')).cloned().ok_or_else(usage);
        match arg.as_str() {
            COMPARE => base = Some(value()?),
            DEV => dev = true,
            GOALS => goals = true,
            PAIRS => {
                let text = value()?;
                let number = text.parse().ok().filter(|pairs| *pairs > 0);
                pairs = number.ok_or_else(|| format!("{PAIRS} takes a number from 1 on, and got '{text}'."))?;
            }
            other if other.starts_with('-') => return Err(format!("'{other}' is unknown. {}", usage())),
            workload => workloads.push(workload.to_owned()),
        }
    }
    Ok(Asked { base: base.ok_or_else(usage)?, dev, goals, pairs, workloads })
}

/// Builds both, and prints the ratios.
pub(crate) fn compare(root: &Path, args: &[String]) -> Result<(), Failure> {
    let asked = asked(args)?;
    let name = format!("{}^{{commit}}", asked.base);
    let commit = shell::output("git", &["-C", &root.to_string_lossy(), "rev-parse", "--verify", "--quiet", &name])
        .map(|commit| commit.trim().to_owned())
        .filter(|commit| !commit.is_empty())
        .ok_or_else(|| format!("There is no commit '{}'. Fetch it, or name another one.", asked.base))?;
    let built = asked.built();
    let before = program_of(root, &commit, built)?;
    shell::run(root, "cargo", &built.args())?;
    let after = built.below(&crate::target(root));
    println!("Before: {commit}. After: the working tree. Profile: {}.", built.profile);
    if asked.goals {
        let most_used = || goals::MOST_USED.map(str::to_owned).to_vec();
        let named = if asked.workloads.is_empty() { most_used() } else { asked.workloads };
        return goals::compare(&before, &after, asked.pairs, &named);
    }
    let bench = Built { kind: "--example", name: BENCH, ..built };
    shell::run(root, "cargo", &bench.args())?;
    let mut run = vec!["compare".to_owned(), before.display().to_string(), after.display().to_string()];
    run.push(asked.pairs.to_string());
    run.extend(asked.workloads);
    shell::run(root, &bench.below(&crate::target(root)).display().to_string(), &run)
}

/// The program of a commit; it is built once.
fn program_of(root: &Path, commit: &str, built: Built) -> Result<PathBuf, Failure> {
    let short = commit.get(..12).unwrap_or(commit);
    let folder = crate::target(root).join("compare");
    let kept = folder.join(format!("{short}-{}", built.folder())).join(built.name);
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
    println!("$ cargo {}, of {short}", built.args().join(" "));
    let mut build = shell::command("cargo");
    build.args(built.args()).args(["--locked", "--target-dir"]).arg(&target);
    // Nothing around today's build counts: a checker in the place of the compiler would refuse what it did not know then.
    build.env_remove("RUSTC_WORKSPACE_WRAPPER").env_remove("CARGO_TARGET_DIR").env("CARGO_INCREMENTAL", "0");
    let status = build.current_dir(&source).status().map_err(|error| format!("cargo did not start: {error}"))?;
    if !status.success() {
        return Err(format!("{short} could not be built; see above. Its source is in {}.", source.display()));
    }
    if let Some(folder) = kept.parent() {
        std::fs::create_dir_all(folder).map_err(|error| told(error, folder))?;
    }
    std::fs::copy(built.below(&target), &kept).map_err(|error| told(error, &kept))?;
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
    use std::path::Path;

    fn args(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn arguments_are_read() {
        let wanted = |dev, goals, pairs, workloads: &[&str]| Asked {
            base: "0f186b23".into(),
            dev,
            goals,
            pairs,
            workloads: workloads.iter().map(|one| (*one).to_owned()).collect(),
        };
        assert_eq!(asked(&args("--compare 0f186b23")), Ok(wanted(false, false, 3, &[])));
        assert_eq!(
            asked(&args("rows --compare 0f186b23 --dev --pairs 10 json")),
            Ok(wanted(true, false, 10, &["rows", "json"]))
        );
        assert_eq!(asked(&args("--compare 0f186b23 --goals P1 P2")), Ok(wanted(false, true, 3, &["P1", "P2"])));
        for wrong in ["--compare", "--compare --dev", "--pairs 2", "--compare a --pairs 0", "--compare a --fast"] {
            assert!(asked(&args(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_built_of_both() {
        let below =
            |text: &str| asked(&args(text)).map(|asked| asked.built().below(Path::new("target")).display().to_string());
        assert_eq!(below("--compare a").as_deref(), Ok("target/release/signalbox"));
        assert_eq!(below("--compare a --dev").as_deref(), Ok("target/debug/signalbox"));
        assert_eq!(below("--compare a --goals").as_deref(), Ok("target/counts/examples/bench"));
        assert_eq!(below("--compare a --goals --dev").as_deref(), Ok("target/debug/examples/bench"));
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
