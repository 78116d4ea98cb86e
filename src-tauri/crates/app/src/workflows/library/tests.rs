use super::{Library, Record, load, slug};
use crate::error::{ApiError, Class};
use serde_json::json;
use std::path::Path;

const UNRECORDED: Record<'static> = &|_| Ok(());

#[test]
fn names_become_plain_file_names() {
    for (name, want) in [
        ("Orders to a report", "orders-to-a-report"),
        ("../../etc/passwd", "etc-passwd"),
        ("…", "workflow"),
        ("CON", "workflow-con"),
        ("Ünïcode 1", "n-code-1"),
    ] {
        assert_eq!(slug(name), want);
    }
}

#[test]
fn a_foreign_file_keeps_its_bytes_until_its_first_edit() {
    let dir = tempfile::tempdir().expect("dir");
    let library = Library::open(dir.path()).expect("library");
    let path = library.home().join("a.signalbox.json");
    let foreign = "{\"name\":\"n\",\"signalbox\":1,\"id\":\"a\",\"nodes\":{},\"edges\":[], \"zz\":1.50}";
    std::fs::write(&path, foreign).expect("write");
    let before = load(&path).expect("load");
    let same =
        library.save(&path, &serde_json::from_str(foreign).expect("json"), Some(&before.revision), false, UNRECORDED);
    assert_eq!(same.expect("saved"), before.revision);
    assert_eq!(std::fs::read_to_string(&path).expect("read"), foreign);
    let edited = json!({"name":"m","signalbox":1,"id":"a","nodes":{},"edges":[],"zz":1.5});
    let next = library.save(&path, &edited, Some(&before.revision), false, UNRECORDED).expect("saved");
    assert_eq!(load(&path).expect("load").revision, next);
    let conflict = library.save(&path, &json!({}), Some(&before.revision), false, UNRECORDED).expect_err("changed");
    assert_eq!(
        (conflict.code.as_str(), conflict.details.expect("details")["revision"].as_str()),
        ("CONFLICT", Some(next.as_str()))
    );
}

#[test]
fn an_id_ends_with_its_folder_and_a_deletion_sees_what_it_deletes() {
    let dir = tempfile::tempdir().expect("dir");
    let library = Library::open(dir.path()).expect("library");
    let path = library.home().join("a.signalbox.json");
    let before = library.save(&path, &json!({"id": "a"}), Some(""), false, UNRECORDED).expect("saved");
    assert!(library.holds(&path, &[]));
    // Some editors begin a file with a byte order mark.
    std::fs::write(library.home().join("m.signalbox.json"), "\u{feff}{\"id\":\"m\"}").expect("written");
    assert_eq!(super::id_of(&library.home().join("m.signalbox.json")).as_deref(), Some("m"));
    let shared = Path::new("/shared/flows");
    assert!(library.holds(&shared.join("b.signalbox.json"), &[shared.to_owned()]));
    assert!(!library.holds(Path::new("/shared/flows-of-others/b.signalbox.json"), &[shared.to_owned()]));
    library.save(&path, &json!({"id": "b"}), Some(&before), false, UNRECORDED).expect("saved");
    assert_eq!(library.delete(&path, Some(&before), UNRECORDED).expect_err("changed").code, "CONFLICT");
    assert!(path.exists());
    library.delete(&path, None, UNRECORDED).expect("deleted");
    assert_eq!(library.delete(&path, None, UNRECORDED).expect_err("gone").code, "NOT_FOUND");
}

/// A change that cannot be recorded does not happen, whether a file is made, changed or deleted.
#[test]
fn a_file_is_put_back_when_its_change_cannot_be_recorded() {
    let dir = tempfile::tempdir().expect("dir");
    let library = Library::open(dir.path()).expect("library");
    let path = library.home().join("a.signalbox.json");
    let refused: Record<'_> = &|_| Err(ApiError::new(Class::Unavailable, "DISK_FULL", "The disk is full.", ""));
    let code = |result: Result<(), ApiError>| result.expect_err("not recorded").code;
    assert_eq!(code(library.save(&path, &json!({"id": "a"}), Some(""), false, refused).map(drop)), "DISK_FULL");
    assert!(!path.exists());
    let before = library.save(&path, &json!({"id": "a"}), Some(""), false, UNRECORDED).expect("saved");
    let bytes = std::fs::read(&path).expect("read");
    let other = json!({"id": "b"});
    assert_eq!(code(library.save(&path, &other, Some(&before), false, refused).map(drop)), "DISK_FULL");
    assert_eq!(code(library.delete(&path, None, refused)), "DISK_FULL");
    assert_eq!(std::fs::read(&path).expect("read"), bytes);
}
