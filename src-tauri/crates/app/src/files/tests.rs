use super::{io_error, write_atomic};
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
