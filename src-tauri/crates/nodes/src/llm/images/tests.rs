use super::mime;

#[test]
fn a_picture_is_known_by_its_first_bytes() {
    assert_eq!(mime(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), Some("image/png"));
    assert_eq!(mime(b"\xff\xd8\xff\xe0\0\x10JFIF"), Some("image/jpeg"));
    assert_eq!(mime(b"GIF89a\x01\0"), Some("image/gif"));
    assert_eq!(mime(b"RIFF\x1a\0\0\0WEBPVP8 "), Some("image/webp"));
    for other in [b"".as_slice(), b"GIF8", b"RIFF\x1a\0\0\0WAVEfmt ", b"<svg xmlns=\"\">", b"%PDF-1.7", b"\x89PNG"] {
        assert_eq!(mime(other), None);
    }
}
