use super::JsonLines;

fn read(pieces: &[&[u8]]) -> Result<Vec<String>, String> {
    let (mut lines, mut rows) = (JsonLines::new("the answer"), Vec::new());
    for (at, piece) in pieces.iter().enumerate() {
        let taken = lines.take(piece, at + 1 == pieces.len(), &mut |row| {
            rows.push(row);
            Ok(true)
        });
        taken.map_err(|failure| failure.message)?;
    }
    Ok(rows)
}

#[test]
fn a_line_may_come_in_pieces_that_end_within_a_sign() {
    let text = "\u{feff}{ \"a\": \"ä\" }\r\n\n[1, 2]\n7".as_bytes();
    for cut in 0..text.len() {
        assert_eq!(read(&[&text[..cut], &text[cut..]]).expect("lines"), ["{\"a\":\"ä\"}", "[1,2]", "7"], "{cut}");
    }
}

/// Work grows with the text, not with its pieces: one line in 10^6 pieces is copied once.
#[test]
fn a_line_in_a_million_pieces_is_read() {
    let (begin, piece, end) = (b"\"".to_vec(), b"abcd".to_vec(), b"\"\n7".to_vec());
    let pieces: Vec<&[u8]> = std::iter::once(&begin[..])
        .chain(std::iter::repeat_n(&piece[..], 1_000_000))
        .chain(std::iter::once(&end[..]))
        .collect();
    let rows = read(&pieces).expect("two lines");
    assert_eq!((rows.len(), rows[0].len(), rows[1].as_str()), (2, 4_000_002, "7"));
}

#[test]
fn what_is_wrong_with_a_line_says_which_one() {
    let wrong = read(&[b"1\n", b"{\"a\": \n2\n"]).expect_err("no JSON");
    assert!(wrong.starts_with("Line 2 of the answer is not JSON"), "{wrong}");
    let wrong = read(&[b"1\n", b"\"\xff\"\n"]).expect_err("no text");
    assert!(wrong.starts_with("The answer is not UTF-8 text (byte 4)"), "{wrong}");
}
