//! The libraries that exported programs are made of, as `--describe` lists them: `SIGNALBOX_GEN=1` writes what cargo says.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The list is the same on every machine: that of the platform where programs are tried.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

#[test]
fn gen_the_libraries_of_programs_are_those_of_the_lock_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).expect("the workspace");
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--package", "signalbox-standalone", "--edges", "normal"])
        .args(["--target", PLATFORM, "--prefix", "none", "--format", "{p}|{l}"])
        // As the runners are built for packages: by themselves, with the features that they ask for.
        .env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION")
        .current_dir(root)
        .output()
        .expect("cargo starts");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).expect("text");
    let libraries: BTreeSet<String> = tree.lines().filter_map(library).collect();
    let list: String = libraries.iter().map(|line| format!("{line}\n")).collect();
    let path = root.join("src-tauri/crates/standalone/src/libraries.gen.txt");
    if std::env::var_os("SIGNALBOX_GEN").is_some() {
        std::fs::write(&path, &list).expect("written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == list, "{} is stale: cargo xtask gen", path.display());
}

/// `name|version|licence`; crates of ours are none.
fn library(line: &str) -> Option<String> {
    let (package, licence) = line.split_once('|')?;
    let (name, rest) = package.split_once(" v")?;
    let version = rest.split(' ').next()?;
    // What cargo adds to lines that it has printed before, and how older packages join licences.
    let licence = licence.trim_end_matches("(*)").replace('/', " OR ");
    let licence = licence.split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.starts_with("signalbox")).then(|| format!("{name}|{version}|{licence}"))
}
