use super::{In, crc32c, varbytes, varint};

#[test]
fn numbers_of_varying_length_come_back() {
    for number in [0, 1, -1, 63, -64, 64, 300, -12345, i64::MAX, i64::MIN] {
        let mut out = Vec::new();
        varint(&mut out, number);
        assert_eq!(In(&out).varint().expect("read"), number);
    }
    assert!(In(&[0xff; 11]).varint().is_err() && In(&[0x80]).varint().is_err());
    let mut out = Vec::new();
    varbytes(&mut out, None);
    varbytes(&mut out, Some(b"ab"));
    let mut read = In(&out);
    assert_eq!((read.varbytes().expect("none"), read.varbytes().expect("some")), (None, Some(&b"ab"[..])));
    // A length that is not there.
    assert!(In(&[0x7e, 1]).varbytes().is_err() && In(&[0x7f, 0xff, 0xff, 0xff]).bytes().is_err());
}

#[test]
fn the_checksum_is_that_of_castagnoli() {
    assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    assert_eq!(crc32c(b""), 0);
}
