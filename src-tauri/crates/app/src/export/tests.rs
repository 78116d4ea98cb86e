use super::{runner_for, sources_beside};
use std::fs;

/// The window is in `/usr/bin`, and what it exports with in `/usr/lib/signalbox`.
#[test]
fn runners_and_sources_are_found_where_packages_install_them() {
    let root = tempfile::tempdir().expect("a folder");
    let (programs, library) = (root.path().join("usr/bin"), root.path().join("usr/lib/signalbox"));
    let window = programs.join("signalbox-desktop");
    fs::create_dir_all(&programs).expect("a folder");
    fs::create_dir_all(&library).expect("a folder");
    let missing = runner_for(&window, "signalbox-runner").expect_err("nothing is installed");
    assert_eq!(missing.code, "RUNNER_MISSING");
    assert!(missing.hint.contains("signalbox-runners"), "{}", missing.hint);
    for name in ["signalbox-runner", "source.tar.gz"] {
        fs::write(library.join(name), "x").expect("a file");
    }
    assert_eq!(runner_for(&window, "signalbox-runner").expect("installed"), library.join("signalbox-runner"));
    assert_eq!(sources_beside(&window), library.join("source.tar.gz"));
    fs::write(programs.join("signalbox-runner"), "x").expect("a file");
    let next = runner_for(&window, "signalbox-runner").expect("next to the program");
    assert_eq!(next, programs.join("signalbox-runner"));
}
