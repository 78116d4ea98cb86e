use super::{In, Out, next_nonce};

#[test]
fn numbers_of_any_length_are_positive_and_short() {
    let bytes = Out::default().mpint(&[0, 0, 0x80, 1]).mpint(&[0]).mpint(&[0x7f]).0;
    assert_eq!(bytes, [0, 0, 0, 3, 0, 0x80, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f]);
    let mut read = In(&bytes);
    assert_eq!(read.mpint().expect("read"), [0x80, 1]);
    assert_eq!((read.mpint().expect("read"), read.mpint().expect("read")), (&[][..], &[0x7f][..]));
    assert!(In(&[0, 0, 0, 1, 0x80]).mpint().is_err() && In(&[0, 0, 0, 9, 1]).string().is_err());
}

#[test]
fn the_counter_of_packets_carries_over() {
    let mut iv = [7, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
    next_nonce(&mut iv);
    assert_eq!(iv, [7, 7, 7, 7, 0, 0, 0, 0, 0, 1, 0, 0]);
}
