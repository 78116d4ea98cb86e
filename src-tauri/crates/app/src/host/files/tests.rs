use super::{Fresh, io_error, write_atomic};
use std::io::{Error, ErrorKind};
use std::path::Path;

#[test]
fn every_failure_says_what_to_do() {
    for (kind, code) in [
        (ErrorKind::StorageFull, "DISK_FULL"),
        (ErrorKind::PermissionDenied, "READ_ONLY"),
        (ErrorKind::ReadOnlyFilesystem, "READ_ONLY"),
        (ErrorKind::NotFound, "NOT_FOUND"),
        (ErrorKind::Other, "IO_ERROR"),
    ] {
        let error = io_error(&Error::from(kind), Path::new("/a/b"), "written");
        assert_eq!(error.code, code);
        assert!(!error.hint.is_empty() && (code == "NOT_FOUND" || error.message.contains("/a/b")));
        assert!(kind != ErrorKind::ReadOnlyFilesystem || error.message.ends_with("the disk is read-only."), "{error}");
        assert!(code != "NOT_FOUND" || error.hint.starts_with("The folder /a does not exist."), "{error}");
    }
}

#[test]
fn a_failed_write_leaves_the_old_file_and_nothing_else() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("a");
    write_atomic(&path, b"old").expect("written");
    // A folder in the place of the file cannot be replaced by a rename.
    let taken = dir.path().join("taken");
    std::fs::create_dir_all(taken.join("full")).expect("a folder");
    assert!(write_atomic(&taken, b"new").is_err());
    assert_eq!(std::fs::read(&path).expect("there"), b"old");
    assert_eq!(std::fs::read_dir(dir.path()).expect("there").count(), 2, "no temporary file is left");
}

/// A process that was killed while it wrote left a part beside the target: the next that writes there takes it away, and
/// nothing else, nor what another process writes now.
#[test]
fn what_a_dead_process_left_beside_a_file_goes_with_the_next_write() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name);
    let left = ".k.zip.22301-0.tmp";
    let others =
        [".k.zip.22301-.tmp", ".k.zip.x-0.tmp", ".k.zip.22301-0.tmp.txt", ".other.zip.22301-0.tmp", "k.zip.1-1.tmp"];
    for name in others.iter().chain([&left, &".k.zip.7-7.tmp"]) {
        std::fs::write(at(name), "part").expect("written");
    }
    // What is new may be of another machine, whose locks are not seen on a share.
    std::fs::write(at(".k.zip.8-8.tmp"), "part").expect("written");
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 60 * 60);
    for name in others.iter().chain([&left, &".k.zip.7-7.tmp"]) {
        let old = std::fs::File::options().write(true).open(at(name)).expect("there");
        old.set_modified(long_ago).expect("its time");
    }
    let written = std::fs::File::open(at(".k.zip.7-7.tmp")).expect("there");
    written.lock().expect("locked");
    std::fs::create_dir(at(".k.zip.1-1.tmp")).expect("a folder");
    let fresh = Fresh::beside(&at("k.zip")).expect("begun");
    // Another one for the same target does not take the first away.
    drop(Fresh::beside(&at("k.zip")).expect("begun"));
    fresh.keep().expect("kept");
    let mut held: Vec<String> = std::fs::read_dir(dir.path())
        .expect("there")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    held.sort();
    let mut expected = [&others[..], &[".k.zip.7-7.tmp", ".k.zip.8-8.tmp", ".k.zip.1-1.tmp", "k.zip"]].concat();
    expected.sort_unstable();
    assert_eq!(held, expected);
}
