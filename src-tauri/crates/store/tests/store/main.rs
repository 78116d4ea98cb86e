//! Tests of the store, one binary.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod chain_truncation;
mod check;
mod child;
mod damage;
mod decisions;
mod disk_full;
mod group;
mod handed;
#[cfg(all(feature = "postgres", target_os = "linux"))]
mod on_postgres;
mod open;
mod ownership;
mod people;
mod retention;
#[cfg(target_os = "linux")]
mod small_disk;
mod support;
mod table;

/// A file that no `mod` names would never run.
#[test]
fn no_forgotten_files() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/store");
    for (folder, list) in [(here.clone(), "main.rs"), (here.join("table"), "table.rs")] {
        let named = std::fs::read_to_string(here.join(list)).expect("module list");
        for entry in std::fs::read_dir(folder).expect("folder") {
            let name = entry.expect("entry").file_name().into_string().expect("UTF-8");
            if let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") {
                assert!(named.contains(&format!("mod {module};")), "{name} is in no module");
            }
        }
    }
}

/// Each table's doc names its test file.
#[test]
fn every_table_has_its_tests() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in std::fs::read_dir(root.join("src/table")).expect("folder") {
        let name = entry.expect("entry").file_name().into_string().expect("UTF-8");
        assert!(root.join("tests/store/table").join(&name).exists(), "tests/store/table/{name} is missing");
    }
}
