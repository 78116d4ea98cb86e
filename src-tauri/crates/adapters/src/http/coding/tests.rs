use super::{Coding, Trouble, of, undo};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use reqwest::header::{CONTENT_ENCODING, HeaderMap, HeaderValue};
use std::io::Write as _;

const TEXT: &[u8] = b"four left, four left, four left";
/// `TEXT` by brotli (quality 11) and by zstd (level 3, with a checksum), as the reference programs write it.
const BROTLI: &[u8] = b"\x1b\x1e\x00\xf8\x1d\x096N|}\xb83T\x9b\xb1\xc9\xd5I\x10\x16\xba*{\x8b\xa1\"\x80\xe4\x11\x07";
const ZSTD: &[u8] = b"(\xb5/\xfd$\x1f\x8d\x00\x00Xfour left, \x01\x00\xa6\x8b\x17\xf6\x1c\x85\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::default());
    out.write_all(bytes).expect("memory");
    out.finish().expect("memory")
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut out = ZlibEncoder::new(Vec::new(), Compression::default());
    out.write_all(bytes).expect("memory");
    out.finish().expect("memory")
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut out = DeflateEncoder::new(Vec::new(), Compression::default());
    out.write_all(bytes).expect("memory");
    out.finish().expect("memory")
}

fn headers(values: &[&str]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(CONTENT_ENCODING, HeaderValue::from_str(value).expect("a value"));
    }
    headers
}

#[test]
fn codings_are_read_in_their_order() {
    for (values, found) in [
        (&[][..], &[][..]),
        (&["identity"], &[]),
        (&[""], &[]),
        (&["GZIP"], &[Coding::Gzip]),
        (&["x-gzip"], &[Coding::Gzip]),
        (&["deflate, br"], &[Coding::Deflate, Coding::Brotli]),
        (&["zstd", "gzip , identity"], &[Coding::Zstd, Coding::Gzip]),
    ] {
        assert_eq!(of(&headers(values)).as_deref(), Ok(found), "{values:?}");
    }
    for unknown in ["compress", "aws-chunked", "utf-8", "gzip;q=1", "dcb"] {
        let why = of(&headers(&[unknown])).expect_err(unknown);
        assert!(why.contains("Content-Encoding") && why.contains(unknown), "{why}");
    }
    assert!(of(&headers(&["gzip, gzip, gzip, gzip, gzip"])).is_err());
}

#[test]
fn every_coding_is_undone_stacked_ones_too() {
    let both = gzip(&zlib(TEXT));
    let members = [gzip(&TEXT[..10]), gzip(&TEXT[10..])].concat();
    let frames = [ZSTD, &[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3], ZSTD].concat();
    let twice = [TEXT, TEXT].concat();
    for (body, codings, plain) in [
        (gzip(TEXT), &[Coding::Gzip][..], TEXT),
        (zlib(TEXT), &[Coding::Deflate], TEXT),
        (deflate(TEXT), &[Coding::Deflate], TEXT),
        (BROTLI.to_vec(), &[Coding::Brotli], TEXT),
        (ZSTD.to_vec(), &[Coding::Zstd], TEXT),
        (both, &[Coding::Deflate, Coding::Gzip], TEXT),
        (gzip(BROTLI), &[Coding::Brotli, Coding::Gzip], TEXT),
        (gzip(ZSTD), &[Coding::Zstd, Coding::Gzip], TEXT),
        (gzip(&deflate(TEXT)), &[Coding::Deflate, Coding::Gzip], TEXT),
        (members, &[Coding::Gzip], TEXT),
        (frames, &[Coding::Zstd], &twice),
        (gzip(b""), &[Coding::Gzip], b""),
        // Behind the end stands what nobody needs.
        ([gzip(TEXT), vec![0; 40]].concat(), &[Coding::Gzip], TEXT),
        ([zlib(TEXT), b"\r\n".to_vec()].concat(), &[Coding::Deflate], TEXT),
        ([BROTLI, b"\r\n"].concat(), &[Coding::Brotli], TEXT),
        ([ZSTD, b"\r\nmore"].concat(), &[Coding::Zstd], TEXT),
    ] {
        assert_eq!(undo(&body, codings, 1000).as_deref(), Ok(plain), "{codings:?}");
    }
}

#[test]
fn a_body_that_ends_early_is_an_error_at_every_byte() {
    for (body, coding) in [
        (gzip(TEXT), Coding::Gzip),
        (zlib(TEXT), Coding::Deflate),
        (BROTLI.to_vec(), Coding::Brotli),
        (ZSTD.to_vec(), Coding::Zstd),
    ] {
        for end in 1..body.len() {
            let result = undo(&body[..end], &[coding], 1000);
            assert!(matches!(result, Err(Trouble::Unreadable(_))), "{coding:?} cut at {end}: {result:?}");
        }
    }
    // What is not of the coding at all.
    for coding in [Coding::Gzip, Coding::Brotli, Coding::Zstd] {
        assert!(matches!(undo(b"{\"stock\": 4}", &[coding], 1000), Err(Trouble::Unreadable(_))), "{coding:?}");
    }
    let mut damaged = gzip(TEXT);
    let at = damaged.len() - 6;
    damaged[at] ^= 1;
    assert!(matches!(undo(&damaged, &[Coding::Gzip], 1000), Err(Trouble::Unreadable(why)) if why.contains("damaged")));
    let mut damaged = ZSTD.to_vec();
    *damaged.last_mut().expect("a checksum") ^= 1;
    assert!(matches!(undo(&damaged, &[Coding::Zstd], 1000), Err(Trouble::Unreadable(_))));
}

#[test]
fn expansion_ends_at_the_limit() {
    let zeros = vec![0; 4 << 20];
    let small = gzip(&zeros);
    assert!(small.len() < 8_000);
    assert_eq!(undo(&small, &[Coding::Gzip], 1 << 20), Err(Trouble::TooLarge));
    assert_eq!(undo(&gzip(&small), &[Coding::Gzip, Coding::Gzip], 1 << 20), Err(Trouble::TooLarge));
    assert_eq!(undo(&small, &[Coding::Gzip], 4 << 20).map(|plain| plain.len()), Ok(4 << 20));
    // The limit itself is allowed.
    assert_eq!(undo(&gzip(TEXT), &[Coding::Gzip], TEXT.len()).as_deref(), Ok(TEXT));
    assert_eq!(undo(&gzip(TEXT), &[Coding::Gzip], TEXT.len() - 1), Err(Trouble::TooLarge));
}

#[test]
fn windows_that_the_web_does_not_use_take_no_memory() {
    // A frame header of zstd that asks for a window of 2 GiB, and a brotli stream with a large window.
    let zstd = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00];
    assert!(matches!(undo(&zstd, &[Coding::Zstd], 1000), Err(Trouble::Unreadable(_))));
    let brotli = [0x11, 0x5e, 0x24, 0x00, 0xe0, 0x9f, 0x00, 0x08, 0x12, 0x02, 0x00];
    assert!(matches!(undo(&brotli, &[Coding::Brotli], 1000), Err(Trouble::Unreadable(_))));
}
