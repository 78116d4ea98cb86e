//! The sources that an exported project is made of (ADR 153): the runner of programs, every crate below it, and what they read when
//! they are built.

use super::read;
use crate::Failure;
use signalbox_oci::tar::Tree;
use std::collections::BTreeSet;
use std::path::Path;

/// Where the crates are.
const PLACE: &str = "src-tauri/crates";
/// What they need of the checkout besides themselves.
const FILES: [&str; 3] = ["Cargo.toml", "Cargo.lock", "LICENSE"];
const FOLDERS: [&str; 3] = ["connectors", "node-catalog", "schemas"];

pub(super) fn tree(root: &Path) -> Result<Tree, Failure> {
    let mut tree = Tree::default();
    for name in FILES {
        tree.file(name, read(&root.join(name))?);
    }
    let mut folders = FOLDERS.map(str::to_owned).to_vec();
    for name in crates(root)? {
        let place = format!("{PLACE}/{name}");
        for file in ["Cargo.toml", "build.rs"] {
            let path = root.join(&place).join(file);
            if path.is_file() {
                tree.file(format!("{place}/{file}"), read(&path)?);
            }
        }
        folders.extend(["src", "samples"].map(|folder| format!("{place}/{folder}")));
    }
    for folder in folders {
        collect(&root.join(&folder), &folder, &mut tree)?;
    }
    Ok(tree)
}

/// The crate of the runner and those that it depends on.
fn crates(root: &Path) -> Result<BTreeSet<String>, Failure> {
    let (mut found, mut open) = (BTreeSet::new(), vec!["standalone".to_owned()]);
    while let Some(name) = open.pop() {
        let manifest = read(&root.join(PLACE).join(&name).join("Cargo.toml"))?;
        open.extend(needed(&String::from_utf8_lossy(&manifest)));
        found.insert(name.clone());
        open.retain(|name| !found.contains(name));
    }
    Ok(found)
}

/// The crates of Signalbox in the dependencies of a manifest.
fn needed(manifest: &str) -> Vec<String> {
    let mut section = "";
    let lines = manifest.lines().filter_map(|line| {
        if line.starts_with('[') {
            section = line.trim();
        }
        let name = line.strip_prefix("signalbox-")?;
        let name = name.split(|letter: char| letter == '.' || letter.is_whitespace()).next()?;
        (section == "[dependencies]" && !name.is_empty()).then(|| name.to_owned())
    });
    lines.collect()
}

fn collect(folder: &Path, place: &str, tree: &mut Tree) -> Result<(), Failure> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries.flatten() {
        let (path, place) = (entry.path(), format!("{place}/{}", entry.file_name().to_string_lossy()));
        if path.is_dir() {
            collect(&path, &place, tree)?;
        } else {
            tree.file(place, read(&path)?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
