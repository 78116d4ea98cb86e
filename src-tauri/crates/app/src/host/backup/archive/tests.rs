use super::*;
use std::io::{Seek, SeekFrom};

fn manifest(files: Vec<Member>) -> Manifest {
    Manifest {
        created_at: "2026-11-29T00:00:00.000Z".into(),
        program: "0.1.0".into(),
        store_version: 1,
        runs: 0,
        audit_entries: 0,
        audit_head: None,
        files,
    }
}

fn written(members: &[(&str, &[u8])]) -> File {
    let file = tempfile::tempfile().expect("a file");
    let mut archive = ArchiveWriter::begin(&file, "0.1.0", &|| ()).expect("begins");
    for (path, bytes) in members {
        archive.add_bytes(path, bytes).expect("added");
    }
    archive.end(manifest).expect("ends");
    file
}

fn whole() -> File {
    written(&[(STORE, &[7; 5_000]), ("workflows/a b.signalbox.json", b"{}"), ("artifacts/r/x%2Fy.txt", b"text")])
}

fn bytes_of(file: &File) -> Vec<u8> {
    let (mut file, mut bytes) = (file, Vec::new());
    file.seek(SeekFrom::Start(0)).expect("sought");
    file.read_to_end(&mut bytes).expect("read");
    bytes
}

fn file_of(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(bytes).expect("written");
    file
}

fn looked(file: &File) -> Result<Vec<String>, String> {
    let mut start = file;
    start.seek(SeekFrom::Start(0)).expect("sought");
    let mut seen = Vec::new();
    let read = read(Path::new("b.tar.gz"), file, &|| (), &mut |member| {
        seen.push(member.path.to_owned());
        Ok(())
    });
    read.map(|_| seen).map_err(|error| error.code)
}

/// The bytes of the tar, changed and packed again: what somebody does who edits an archive.
fn edited(file: &File, change: impl FnOnce(&mut Vec<u8>)) -> File {
    let mut bytes = Vec::new();
    GzDecoder::new(bytes_of(file).as_slice()).read_to_end(&mut bytes).expect("read");
    change(&mut bytes);
    let mut packed = GzEncoder::new(tempfile::tempfile().expect("a file"), Compression::fast());
    packed.write_all(&bytes).expect("written");
    packed.finish().expect("ends")
}

fn at(bytes: &[u8], what: &[u8]) -> usize {
    bytes.windows(what.len()).position(|part| part == what).expect("there")
}

#[test]
fn what_was_written_is_read_in_order() {
    let seen = looked(&whole()).expect("reads");
    assert_eq!(seen, [STORE, "workflows/a b.signalbox.json", "artifacts/r/x%2Fy.txt"]);
}

#[test]
fn a_cut_archive_is_refused_wherever_it_was_cut() {
    let bytes = bytes_of(&whole());
    for length in 0..bytes.len() {
        assert!(looked(&file_of(&bytes[..length])).is_err(), "{length} of {}", bytes.len());
    }
}

#[test]
fn a_changed_bit_is_noticed() {
    let bytes = bytes_of(&whole());
    let members = looked(&whole());
    // The header of gzip holds a time and a system that mean nothing.
    for at in (10..bytes.len()).step_by(3) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        let found = looked(&file_of(&changed));
        // Of a code that no byte uses: everything that is unpacked is what it was, by its checksums.
        assert!(found.is_err() || found == members, "{at} of {}", bytes.len());
    }
}

#[test]
fn an_edited_archive_is_refused() {
    let content = edited(&whole(), |bytes| {
        let at = at(bytes, &[7; 100]);
        bytes[at] = 8;
    });
    assert_eq!(looked(&content), Err("BACKUP_DAMAGED".into()));
    let manifest = edited(&whole(), |bytes| {
        let at = at(bytes, b"\"size\":5000");
        bytes[at + 7] = b'4';
    });
    assert_eq!(looked(&manifest), Err("BACKUP_DAMAGED".into()));
    let longer = edited(&whole(), |bytes| bytes.extend([1; 512]));
    assert_eq!(looked(&longer), Err("BACKUP_DAMAGED".into()));
    let mut appended = bytes_of(&whole());
    appended.extend(b"more");
    assert_eq!(looked(&file_of(&appended)), Err("BACKUP_DAMAGED".into()));
}

#[test]
fn a_newer_format_and_other_files_are_refused() {
    let newer = edited(&whole(), |bytes| {
        let at = at(bytes, b"\"signalboxBackup\":1");
        bytes[at + 18] = b'2';
    });
    assert_eq!(looked(&newer), Err("BACKUP_TOO_NEW".into()));
    assert_eq!(looked(&file_of(b"")), Err("NOT_A_BACKUP".into()));
    assert_eq!(looked(&file_of(b"a shopping list, by no means a backup")), Err("NOT_A_BACKUP".into()));
    let mut other = tar::Builder::new(GzEncoder::new(tempfile::tempfile().expect("a file"), Compression::fast()));
    other.append_data(&mut header(2, UNIX_EPOCH), "a.txt", &b"hi"[..]).expect("added");
    let other = other.into_inner().and_then(GzEncoder::finish).expect("ends");
    assert_eq!(looked(&other), Err("NOT_A_BACKUP".into()));
}

#[test]
fn no_name_leads_out_of_the_data_folder() {
    for name in [
        "workflows/../../x",
        "/etc/passwd",
        "workflows//x",
        "workflows/",
        "audit.key",
        "secrets/vault.age",
        "indexes/a/index-b.sqlite",
        "indexes/other.txt",
        "signalbox.db-wal",
    ] {
        assert!(!is_expected(name), "{name}");
    }
    for name in [STORE, SECRETS, "workflows/x.signalbox.json", "artifacts/a/b/c", "indexes/index-a.sqlite"] {
        assert!(is_expected(name), "{name}");
    }
    let twice = written(&[(STORE, b"1"), ("workflows/a", b"1"), ("workflows/a", b"2")]);
    assert_eq!(looked(&twice), Err("BACKUP_DAMAGED".into()));
    assert_eq!(looked(&written(&[("workflows/a", b"1")])), Err("BACKUP_DAMAGED".into()), "without a database");
}
