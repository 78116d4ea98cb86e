//! Every library that is asked for stands in docs/dependencies.md, and no other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names below the headings of dependencies, apart from our own crates.
fn asked_for(manifest: &str) -> Vec<String> {
    let mut is_list = false;
    let mut names = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_list = line.trim_end().ends_with("dependencies]");
        } else if is_list && let Some((name, _)) = line.split_once(['=', '.']) {
            let name = name.trim();
            let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
            if is_name && !name.starts_with("signalbox") {
                names.push(name.to_owned());
            }
        }
    }
    names
}

#[test]
fn every_dependency_is_explained_and_none_that_is_gone() {
    let root = root();
    let mut wanted: BTreeSet<String> = asked_for(&read(&root.join("Cargo.toml"))).into_iter().collect();
    wanted.extend(asked_for(&read(&root.join("src-tauri/Cargo.toml"))));
    wanted.extend(asked_for(&read(&root.join("tests/fuzz/Cargo.toml"))));
    for folder in std::fs::read_dir(root.join("src-tauri/crates")).expect("crates").flatten() {
        wanted.extend(asked_for(&read(&folder.path().join("Cargo.toml"))));
    }
    let package: serde_json::Value = serde_json::from_str(&read(&root.join("ui/package.json"))).expect("JSON");
    for list in ["dependencies", "devDependencies"] {
        wanted.extend(package[list].as_object().expect("a list").keys().cloned());
    }
    let page = read(&root.join("docs/dependencies.md"));
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let told: BTreeSet<String> = rows
        .filter(|names| !matches!(*names, "crate" | "package"))
        .flat_map(|names| names.split(", "))
        .map(str::to_owned)
        .collect();
    let missing: Vec<_> = wanted.difference(&told).collect();
    let gone: Vec<_> = told.difference(&wanted).collect();
    assert!(missing.is_empty() && gone.is_empty(), "docs/dependencies.md lacks {missing:?} and has {gone:?} too much");
}
