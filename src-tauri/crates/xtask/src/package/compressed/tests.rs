//! The bytes that the launcher reads.

use super::join;

#[test]
fn the_trailer_has_both_lengths_the_hash_and_the_mark() {
    let made = join(b"launcher", b"frame", 7, &"0a".repeat(32)).expect("joined");
    let (head, trailer) = made.split_at(13);
    assert_eq!(head, b"launcherframe");
    assert_eq!(trailer.len(), 64);
    assert_eq!(trailer[..16], [0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 7]);
    assert_eq!(trailer[16..48], [10; 32]);
    assert_eq!(&trailer[48..], b"SIGNALBOX-PACKED");
    assert!(join(b"", b"", 0, "short").is_err());
}
