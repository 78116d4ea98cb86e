use super::{Mark, MarkFile, Slot, newest_head};
use signalbox_audit::{Digest, Head};

#[test]
fn a_torn_slot_leaves_the_one_before() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("signalbox.mark");
    let mark = |seq| Slot { mark: Some(Mark { run: "r".into(), seq, hash: "h".repeat(64) }), head: None };
    let (mut file, none) = MarkFile::open(&path).expect("opens");
    assert_eq!(none, []);
    for seq in 1..=3 {
        file.write(mark(seq).mark, None);
    }
    assert_eq!(MarkFile::open(&path).expect("opens").1, [mark(2), mark(3)]);
    let mut bytes = std::fs::read(&path).expect("reads");
    bytes[100] ^= 1;
    std::fs::write(&path, &bytes).expect("writes");
    let (mut file, left) = MarkFile::open(&path).expect("opens");
    assert_eq!(left, [mark(2)]);
    file.write(mark(4).mark, None);
    assert_eq!(MarkFile::open(&path).expect("opens").1, [mark(2), mark(4)]);
}

#[test]
fn a_slot_without_audit_head_is_one_of_an_older_release() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("signalbox.mark");
    let (mut file, _) = MarkFile::open(&path).expect("opens");
    let head = |size| Head { size, head_hash: Digest::of(&[b"h"]) };
    file.write(None, Some(head(3)));
    file.write(Some(Mark { run: "r".into(), seq: 1, hash: "h".repeat(64) }), None);
    let (_, slots) = MarkFile::open(&path).expect("opens");
    assert_eq!((slots[0].mark.clone(), slots[1].head), (None, Some(head(3))), "a head stays until the next one");
    assert_eq!(newest_head(slots.iter()), Some(head(3)));
    assert_eq!(super::head(&path), Some(head(3)));
}
