use super::{Source, document, is_notice, sources};
use crate::package::sbom::{Component, components};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

#[test]
fn a_text_of_several_packages_is_printed_once() {
    let folder = std::env::temp_dir().join(format!("signalbox-notices-{}", std::process::id()));
    let mut known = BTreeMap::new();
    let mut all = BTreeSet::new();
    for (name, file, text) in [
        ("a", "LICENSE-MIT", "Copyright A\nMIT text"),
        ("b", "license.txt", "  copyright a \r\nMIT text\r\n"),
        ("c", "vendored/COPYING", "Copyright C"),
        ("d", "src/license.rs", "fn code() {}"),
    ] {
        let path = folder.join(name).join(file);
        std::fs::create_dir_all(path.parent().expect("folder")).expect("folder");
        std::fs::write(&path, text).expect("file");
        let source = Source { folder: folder.join(name), authors: "Dora <dora@example.org>".into() };
        known.insert(("cargo".into(), name.into(), "1.0.0".into()), source);
        all.insert(Component { kind: "cargo", name: name.into(), version: "1.0.0".into(), license: "MIT".into() });
    }
    let made = document(&all, &known).expect("document");
    for line in [
        "a 1.0.0 (cargo): MIT; text 1",
        "b 1.0.0 (cargo): MIT; text 1",
        "c 1.0.0 (cargo): MIT; text 2",
        "d 1.0.0 (cargo): MIT; no text in its sources; authors: Dora <dora@example.org>",
    ] {
        assert_eq!(made.lines().filter(|one| *one == line).count(), 1, "{line}\n{made}");
    }
    assert_eq!((made.matches("MIT text").count(), made.matches("fn code").count()), (1, 0), "{made}");
    all.insert(Component { kind: "npm", name: "gone".into(), version: "2.0.0".into(), license: String::new() });
    let why = document(&all, &known).expect_err("its notices would be missing");
    assert!(why.contains("gone 2.0.0"), "{why}");
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn notices_are_told_from_sources() {
    for name in ["license", "license-apache", "copying.lesser", "notice.md", "unlicense"] {
        assert!(is_notice(name, "x"), "{name}");
    }
    for name in ["license.rs", "readme.md", "licenses.json", "mit.txt"] {
        assert!(!is_notice(name, "x"), "{name}");
    }
    assert!(is_notice("mit.txt", "licenses"));
}

#[test]
fn no_crate_of_the_lock_file_that_is_compiled_in_is_missing() {
    let all = crate::package::compiled_in(&root()).expect("components");
    let made = document(&all, &sources(&root()).expect("sources")).expect("document");
    // Of each kind one that is certainly in the programs, and nothing of our own.
    for known in ["serde", "tauri", "react", "rusqlite"] {
        assert!(made.lines().any(|line| line.starts_with(&format!("{known} "))), "{known}");
    }
    for one in &all {
        let begin = format!("{} {} ({}): ", one.name, one.version, one.kind);
        assert!(made.lines().any(|line| line.starts_with(&begin)), "{begin}");
    }
    assert!(components("cargo", "signalbox-app|v0.1.0|Apache-2.0").is_empty() && !made.contains("\nsignalbox-"));
    assert!(made.contains("Permission is hereby granted, free of charge") && made.contains("Mozilla Public License"));
}
