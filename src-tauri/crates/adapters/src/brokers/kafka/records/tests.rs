use super::{BEFORE, Record, batch, read};
use crate::brokers::kafka::wire::crc32c;

fn one(value: &str) -> Record {
    let headers = vec![("a".to_owned(), b"1".to_vec())];
    Record { offset: 0, at: 7, key: Some(b"k".to_vec()), value: Some(value.as_bytes().to_vec()), headers }
}

/// A batch at another place, with other attributes and of another producer.
fn at(offset: i64, attributes: i16, producer: i64) -> Vec<u8> {
    let mut bytes = batch(&one("v"));
    bytes[..8].copy_from_slice(&offset.to_be_bytes());
    bytes[21..23].copy_from_slice(&attributes.to_be_bytes());
    bytes[43..51].copy_from_slice(&producer.to_be_bytes());
    let crc = crc32c(&bytes[21..]);
    bytes[17..21].copy_from_slice(&crc.to_be_bytes());
    bytes
}

#[test]
fn a_batch_comes_back_and_a_cut_one_waits() {
    let bytes = batch(&one("hello"));
    let found = read(&bytes, 0, 9, &[]).expect("read");
    assert_eq!((found.records.as_slice(), found.next), (&[one("hello")][..], 1));
    for cut in 0..bytes.len() {
        let found = read(&bytes[..cut], 0, 9, &[]).expect("nothing yet");
        assert!(found.records.is_empty() && found.next == 0, "{cut}");
    }
    let two = [at(5, 0, -1), at(6, 0, -1)].concat();
    let found = read(&two, 6, 9, &[]).expect("read");
    assert_eq!(found.records.iter().map(|one| one.offset).collect::<Vec<_>>(), [6], "from there on");
    assert_eq!(read(&two, 5, 1, &[]).expect("read").records.len(), 1);
    // One wrong bit.
    let mut damaged = bytes;
    damaged[BEFORE + 30] ^= 1;
    assert!(read(&damaged, 0, 9, &[]).expect_err("damaged").message.contains("damaged"));
}

#[test]
fn aborted_transactions_and_marks_are_left_out() {
    const ABORTED: i64 = 41;
    let all = [at(0, 16, ABORTED), at(1, 16, 42), at(2, 48, ABORTED), at(3, 48, 42), at(4, 16, ABORTED)].concat();
    let found = read(&all, 0, 9, &[(ABORTED, 0)]).expect("read");
    assert_eq!(found.records.iter().map(|one| one.offset).collect::<Vec<_>>(), [1, 4]);
    assert_eq!(found.next, 5);
    // Only marks: they are behind the reader all the same.
    let found = read(&at(9, 48, 42), 9, 9, &[]).expect("read");
    assert_eq!((found.records.len(), found.next), (0, 10));
}

#[test]
fn codings_that_are_not_read_say_their_name() {
    for (coding, name) in [(2, "Snappy"), (3, "LZ4")] {
        assert!(read(&at(0, coding, -1), 0, 9, &[]).expect_err("refused").message.contains(name));
    }
    for coding in [1, 4] {
        assert!(read(&at(0, coding, -1), 0, 9, &[]).expect_err("no such coding").message.contains("decompressed"));
    }
}
