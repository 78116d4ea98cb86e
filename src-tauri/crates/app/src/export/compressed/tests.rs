//! Where compressed runners are found.

use super::*;

#[test]
fn a_compressed_runner_is_beside_the_program_or_where_packages_install_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bin, lib) = (folder.path().join("bin"), folder.path().join("lib/signalbox"));
    let program = bin.join("signalbox");
    let missing = runner_for(&program, "signalbox-runner-min").expect_err("none is there");
    assert_eq!(missing.code, "RUNNER_MISSING");
    assert!(missing.hint.contains("without --compress"), "{}", missing.hint);
    std::fs::create_dir_all(&lib).expect("made");
    std::fs::write(lib.join("signalbox-runner-min-compressed"), "x").expect("written");
    let found = runner_for(&program, "signalbox-runner-min").expect("it is installed");
    assert!(found.ends_with("lib/signalbox/signalbox-runner-min-compressed"), "{}", found.display());
}
