use super::decode;

fn utf16(text: &str, little: bool) -> Vec<u8> {
    text.encode_utf16().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
}

#[test]
fn auto_finds_the_encoding_of_a_table() {
    let table = "name;stadt\nJosé;Zürich\n";
    let with = |mark: &[u8], rest: Vec<u8>| [mark, &rest].concat();
    let latin: Vec<u8> = table.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1")).collect();
    for (bytes, encoding, has_bom) in [
        (table.as_bytes().to_vec(), "utf-8", false),
        (with(&[0xef, 0xbb, 0xbf], table.as_bytes().to_vec()), "utf-8", true),
        (with(&[0xff, 0xfe], utf16(table, true)), "utf-16le", true),
        (with(&[0xfe, 0xff], utf16(table, false)), "utf-16be", true),
        (utf16(table, true), "utf-16le", false),
        (utf16(table, false), "utf-16be", false),
        (latin, "windows-1252", false),
        (b"".to_vec(), "utf-8", false),
    ] {
        let found = decode(&bytes, "auto").expect("text");
        assert_eq!((found.encoding.as_str(), found.has_bom), (encoding, has_bom));
        assert_eq!(found.text, if bytes.is_empty() { "" } else { table }, "{encoding}");
    }
    let euro = decode(b"price\n5 \x80\n", "auto").expect("text");
    assert_eq!((euro.text.as_str(), euro.encoding.as_str()), ("price\n5 €\n", "windows-1252"));
}

#[test]
fn what_is_no_text_is_refused_and_nothing_is_replaced() {
    for (bytes, name) in
        [(&b"\x89PNG\r\n\x1a\n\0\0\xff"[..], "auto"), (b"a\xff", "utf-8"), (b"\xd8\x00\x00a", "utf-16be")]
    {
        assert_eq!(decode(bytes, name).expect_err("no text").code, "NOT_TEXT", "{name}");
    }
    assert_eq!(
        decode(b"ab\xff", "utf-8").expect_err("no text").message,
        "The file is not valid UTF-8 (byte 3). Choose another encoding"
    );
    assert_eq!(decode(b"a", "klingon").expect_err("unknown").code, "INPUT_INVALID");
    assert_eq!(decode("日本".as_bytes(), "auto").expect("text").text, "日本");
    assert_eq!(decode(b"\x93\xfa\x96\x7b", "shift_jis").expect("text").text, "日本");
}
