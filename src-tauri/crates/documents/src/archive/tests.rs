use super::{Format, MAX_FILE, fits, open, pack};
use proptest::prelude::*;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

fn code(bytes: &[u8]) -> String {
    open(bytes, "", true).expect_err("refused").code
}

fn zip_of(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file(name, SimpleFileOptions::default().compression_method(CompressionMethod::Deflated)).expect("starts");
    zip.write_all(bytes).expect("writes");
    zip.finish().expect("ends").into_inner()
}

fn tar_of(kind: tar::EntryType, name: &str) -> Vec<u8> {
    let mut header = tar::Header::new_ustar();
    let field = &mut header.as_mut_bytes()[..name.len()];
    field.copy_from_slice(name.as_bytes());
    header.set_entry_type(kind);
    header.set_size(0);
    header.set_cksum();
    let mut tar = tar::Builder::new(Vec::new());
    tar.append(&header, &b""[..]).expect("appends");
    tar.into_inner().expect("ends")
}

#[test]
fn paths_that_leave_the_folder_are_refused() {
    for name in ["../a", "a/../../b", "/etc/passwd", "..\\a", "C:/x", "C:\\x", "a/..", "..", "a\u{7}b"] {
        assert_eq!(code(&zip_of(name, b"x")), "UNSAFE_PATH", "zip {name}");
        assert_eq!(code(&tar_of(tar::EntryType::Regular, name)), "UNSAFE_PATH", "tar {name}");
        assert!(pack(Format::Zip, &[(name.into(), Vec::new())]).is_err());
    }
    assert_eq!(open(&zip_of("./a//b.txt", b"x"), "", true).expect("opens").files[0].path, "a/b.txt");
}

#[test]
fn links_and_devices_are_skipped() {
    for kind in [tar::EntryType::Symlink, tar::EntryType::Link, tar::EntryType::Char, tar::EntryType::Fifo] {
        let contents = open(&tar_of(kind, "link"), "", true).expect("opens");
        assert_eq!((contents.files.len(), contents.skipped), (0, vec!["link".to_owned()]));
    }
}

/// Zeros take a thousandth of their size.
#[test]
fn a_bomb_is_refused_by_its_size_and_when_it_lies_about_it() {
    let bomb = zip_of("zeros", &vec![0; usize::try_from(MAX_FILE).expect("fits") + 1]);
    assert!(bomb.len() < 1_000_000);
    assert_eq!(code(&bomb), "TOO_LARGE");
    assert_eq!(open(&bomb, "", false).expect("lists").files[0].size, MAX_FILE + 1);
    // Says in both headers that it has ten bytes.
    let size = u32::try_from(MAX_FILE + 1).expect("fits").to_le_bytes();
    let mut liar = bomb;
    let places: Vec<usize> = (0..liar.len() - 4).filter(|at| liar[*at..*at + 4] == size).collect();
    assert!(!places.is_empty());
    for at in places {
        liar[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
    }
    assert!(["TOO_LARGE", "BAD_ARCHIVE"].contains(&code(&liar).as_str()));
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    for _ in 0..300 {
        gz.write_all(&vec![0; 1024 * 1024]).expect("writes");
    }
    assert_eq!(code(&gz.finish().expect("ends")), "TOO_LARGE");
}

#[test]
fn damaged_archives_and_other_files_are_told_apart() {
    assert_eq!(code(b"PK\x03\x04 nothing"), "BAD_ARCHIVE");
    assert_eq!(code(b"\x1f\x8b\x08 nothing"), "BAD_ARCHIVE");
    assert_eq!(code(b"plain text"), "UNKNOWN_FORMAT");
    let mut cut = zip_of("a.txt", &[7; 5_000]);
    cut.truncate(cut.len() - 30);
    assert_eq!(code(&cut), "BAD_ARCHIVE");
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(b"one file").expect("writes");
    let contents = open(&gz.finish().expect("ends"), "", true).expect("opens");
    assert_eq!((contents.format, contents.files[0].bytes.as_deref()), (Format::Gzip, Some(&b"one file"[..])));
    let twice = [("a.txt".to_owned(), vec![]), ("A.TXT".to_owned(), vec![])];
    assert_eq!(pack(Format::Zip, &twice).expect_err("twice").code, "INPUT_INVALID");
}

#[test]
fn patterns() {
    for (pattern, path, wanted) in [
        ("*.csv", "a/b.CSV", true),
        ("*.csv", "a/b.csv.txt", false),
        ("a/*", "a/b/c", true),
        ("b/*", "a/b/c", false),
        ("?.txt", "x.txt", true),
        ("?.txt", "xy.txt", false),
        ("*a*b*c*", "xxaxxbxxcxx", true),
        ("*", "", true),
    ] {
        assert_eq!(fits(pattern, path), wanted, "{pattern} {path}");
    }
    assert!(!fits(&"*a".repeat(30), &"a".repeat(29)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn what_is_packed_unpacks(files in prop::collection::btree_map("[a-z0-9äß ]{1,8}(/[a-z0-9]{1,8}){0,2}", prop::collection::vec(any::<u8>(), 0..300), 0..6)) {
        let files: Vec<(String, Vec<u8>)> = files.into_iter().collect();
        for format in [Format::Zip, Format::Tar, Format::TarGz] {
            // Blanks alone are a name as well.
            let packed = pack(format, &files).expect("packs");
            if files.is_empty() && format != Format::Zip {
                continue;
            }
            let contents = open(&packed, "", true).expect("opens");
            prop_assert_eq!(contents.format, format);
            let back: Vec<(String, Vec<u8>)> = contents.files.into_iter().map(|file| (file.path, file.bytes.expect("unpacked"))).collect();
            prop_assert_eq!(&back, &files);
            prop_assert_eq!(pack(format, &files).expect("packs"), packed);
        }
    }

    #[test]
    fn nothing_panics(mut bytes in prop::collection::vec(any::<u8>(), 0..400), which in 0..3usize) {
        let begin: &[u8] = [&b"PK\x03\x04"[..], &[0x1f, 0x8b, 8, 0], b""][which];
        bytes.splice(0..0, begin.iter().copied());
        let _ = open(&bytes, "", true);
    }
}
