use super::{Raw, numeric};

fn number(groups: &[i16], weight: i16, sign: u16, scale: i16) -> String {
    let head = [i16::try_from(groups.len()).expect("few"), weight, sign.cast_signed(), scale];
    let bytes: Vec<u8> = head.iter().chain(groups).flat_map(|part| part.to_be_bytes()).collect();
    numeric(&mut Raw(&bytes)).expect("a number")
}

#[test]
fn numeric_keeps_every_digit() {
    assert_eq!(number(&[], 0, 0, 0), "0");
    assert_eq!(number(&[1, 5000], 0, 0, 2), "1.50");
    assert_eq!(number(&[12, 3456], 1, 0x4000, 0), "-123456");
    assert_eq!(number(&[1], 2, 0, 0), "100000000");
    assert_eq!(number(&[5], -2, 0, 8), "0.00000005");
    assert_eq!(number(&[1, 2300], -1, 0, 6), "0.000123");
    assert_eq!(number(&[], 0, 0xC000, 0), "NaN");
}
