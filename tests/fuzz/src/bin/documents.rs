//! The readers of documents, in a program by themselves. The product runs them in a separate process, where a panic of a library
//! is an error; so it is here.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use serde_json::{Map, Value, json};
use signalbox_columnar::FileRanges;
use signalbox_documents::archive::{self, Format};
use signalbox_documents::pdf_write::{NoFonts, Request, make};
use signalbox_documents::{Document, Error, fill, read};
use signalbox_fuzz::harness::{self, Shape, Target, target};
use signalbox_fuzz::mutate;
use std::io::{self, Cursor, Write};

fuzz_target!(init: harness::choose(&TARGETS), |data: &[u8]| {
    harness::run(data);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate::mutate(data, size, max_size, seed)
});

/// In the order in which the task runs them; it reads the names from here.
static TARGETS: [Target; 9] = [
    target("html", Shape::Bytes, html),
    target("archive", Shape::Bytes, archive),
    target("sheet", Shape::Bytes, sheet),
    target("template", Shape::Bytes, template),
    target("markdown", Shape::Bytes, markdown),
    target("picture", Shape::Bytes, picture),
    target("pdf", Shape::Bytes, pdf),
    target("parquet", Shape::Bytes, |data| columnar(data, b"PAR1")),
    target("arrow", Shape::Bytes, |data| columnar(data, b"")),
];

fn text(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

/// An error names what is wrong, in words that people can read.
fn checked<T>(done: Result<T, Error>) -> Option<T> {
    if let Err(error) = &done {
        assert!(!error.code.is_empty() && !error.message.is_empty());
        assert!(error.message.len() < 4_000, "{} bytes of words: {}", error.message.len(), error.code);
    }
    done.ok()
}

fn is_json(text: &str) -> Value {
    serde_json::from_str(text).expect("what was read is JSON")
}

/// A selector in the first line, then a page.
fn html(data: &[u8]) {
    let text = text(data);
    let (selector, page) = text.split_once('\n').unwrap_or(("", &text));
    let take =
        |take: &str| json!({ "name": take, "selector": selector, "take": take, "attribute": "href", "all": true });
    let fields = json!({ "fields": [take("text"), take("html"), take("attribute")] });
    let rows =
        json!({ "each": "tr, li, p", "fields": [{ "name": "t" }, { "name": "a", "selector": "a", "take": "html" }] });
    let table = json!({ "action": "table", "table": selector });
    for options in [fields, rows, table] {
        if let Some(found) = checked(read(Document::Html, page.as_bytes().to_vec(), &options)) {
            assert!(is_json(&found).is_array());
        }
    }
}

/// Files in a text: each begins with a line `=== NAME`.
fn parts(data: &[u8]) -> Vec<(String, Vec<u8>)> {
    let text = text(data);
    let sections = text.split("=== ").skip(1);
    let named = sections.filter_map(|section| section.split_once('\n'));
    named.map(|(name, content)| (name.to_owned(), content.as_bytes().to_vec())).collect()
}

/// A file as it is when it begins as one, otherwise the parts of a text in a ZIP that fits: changed bytes of a ZIP mostly fail its
/// checksums.
fn zipped(data: &[u8]) -> Vec<u8> {
    if data.starts_with(b"PK") || data.starts_with(&[0xd0, 0xcf]) {
        return data.to_vec();
    }
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, content) in parts(data) {
        // A name that is there already is refused.
        if zip.start_file(name.as_str(), options).is_ok() {
            zip.write_all(&content).expect("in memory");
        }
    }
    zip.finish().expect("in memory").into_inner()
}

/// A file as it is after `-`, or the parts of a text that are packed and opened again.
fn archive(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    if *first == b'-' {
        return opened(&with_checksums(rest));
    }
    let format = [Format::Zip, Format::Tar, Format::TarGz][usize::from(first % 3)];
    let files = parts(rest);
    let Some(packed) = checked(archive::pack(format, &files)) else { return };
    if !files.is_empty() {
        let again = archive::open(&packed, "", true).expect("what was packed can be opened");
        assert_eq!(again.files.len(), files.len());
    }
    opened(&packed);
}

fn opened(bytes: &[u8]) {
    drop(checked(archive::open(bytes, "*.t?t", false)));
    let Some(found) = checked(archive::open(bytes, "", true)) else { return };
    for file in found.files {
        let is_inside = file.path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        assert!(is_inside && !file.path.contains(['\\', '\0']), "{:?} leads out of the folder", file.path);
        assert_eq!(file.bytes.map(|bytes| bytes.len() as u64), Some(file.size));
    }
}

/// Makes the checksums of the headers of a tar fit, as far as they can be found.
fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    const BLOCK: usize = 512;
    let mut tar = bytes.to_vec();
    if tar.get(257..262) != Some(b"ustar") {
        return tar;
    }
    let mut at = 0;
    while let Some(header) = tar.get_mut(at..at + BLOCK) {
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        let size = String::from_utf8_lossy(&header[124..135]).into_owned();
        let size = usize::from_str_radix(size.trim_matches([' ', '\0']), 8).unwrap_or_default();
        at += BLOCK + size.div_ceil(BLOCK) * BLOCK;
    }
    tar
}

fn sheet(data: &[u8]) {
    let book = zipped(data);
    let all = json!({ "all": true, "repeatMerged": true });
    let part = json!({ "range": "B2:D9", "header": false });
    for options in [all, part] {
        if let Some(found) = checked(read(Document::Sheet, book.clone(), &options)) {
            assert!(is_json(&found)["tables"].is_array());
        }
    }
}

/// The part `data.json` is the data, the others are the workbook.
fn template(data: &[u8]) {
    let parts = parts(data);
    let given = parts.iter().find(|(name, _)| name == "data.json");
    let given = given.and_then(|(_, content)| serde_json::from_slice(content).ok()).unwrap_or(json!({}));
    let with = |cells: Value| json!({ "data": given, "cells": cells }).to_string();
    let set = with(json!({ "Sheet1!B3": 7, "Sheet1!A20": "new" }));
    let book = zipped(data);
    for (values, missing) in [(with(Value::Object(Map::new())), "error"), (set, "empty")] {
        let options = json!({ "missing": missing });
        if let Some(filled) = checked(fill(book.clone(), values.as_bytes(), &options)) {
            let again = zip::ZipArchive::new(Cursor::new(filled.bytes)).expect("a filled template can be opened");
            assert!(!again.is_empty());
        }
    }
}

fn made(request: Request, options: Value) {
    let (bytes, head) = request.bytes();
    let mut options = options;
    options["head"] = head.into();
    if let Some(made) = checked(make(&bytes, &options, &mut NoFonts)) {
        assert!(made.bytes.starts_with(b"%PDF-"), "a PDF");
    }
}

/// Markdown in which `§` stands for values; the first byte chooses settings.
fn markdown(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let values =
        [json!("*a* <b> |"), json!([{ "n": 1, "t": "é" }, { "n": 2.5 }]), json!({ "k": [true, null] }), json!(-3)];
    let text = text(rest);
    let mut pieces = Vec::new();
    for (at, part) in text.split('§').enumerate() {
        if at > 0 {
            pieces.push(json!({ "value": values[at % values.len()] }));
        }
        pieces.push(json!({ "text": part }));
    }
    let request = Request {
        content: Value::Array(pieces).to_string(),
        is_markdown: first & 1 == 1,
        footer: Some(json!([{ "text": "{page} | {pages}" }]).to_string()),
        ..Request::default()
    };
    made(request, json!({ "pageSize": if first & 2 == 2 { "a5" } else { "a4" }, "language": "en" }));
}

/// A PNG or a JPEG.
fn picture(data: &[u8]) {
    let request = Request {
        content: json!([{ "text": "![p](p)" }]).to_string(),
        images: vec![("p".to_owned(), data.to_vec())],
        ..Request::default()
    };
    made(request, json!({}));
}

fn pdf(data: &[u8]) {
    if let Some(found) = checked(read(Document::Pdf, data.to_vec(), &json!({ "lastPage": 3 }))) {
        assert!(is_json(&found)["pages"].is_array());
    }
}

struct Bytes(Vec<u8>);

impl FileRanges for Bytes {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&mut self, at: u64, length: usize) -> io::Result<Vec<u8>> {
        let from = usize::try_from(at).expect("inside");
        Ok(self.0[from..from + length].to_vec())
    }
}

/// Parquet or Arrow; what the file begins with stays.
fn columnar(data: &[u8], begin: &[u8]) {
    let mut bytes = data.to_vec();
    if let Some(head) = bytes.get_mut(..begin.len()) {
        head.copy_from_slice(begin);
    }
    // The footer of Parquet ends with the same bytes.
    let end = bytes.len().saturating_sub(begin.len());
    bytes[end..].copy_from_slice(&begin[..(data.len() - end).min(begin.len())]);
    let options = signalbox_columnar::ReadOptions::of(&json!({ "wanted": "both", "limit": 1_000 }));
    let mut sink = |lines: &str, count: u64| {
        assert_eq!(lines.lines().map(is_json).count() as u64, count, "each row is a line");
        Ok(())
    };
    if let Some(about) = checked(signalbox_columnar::read(Box::new(Bytes(bytes)), &options, &mut sink)) {
        assert!(is_json(&about).is_object());
    }
}
