//! Files of other writers, and those that no writer of the library makes.

use super::{counted, read_with, rows};
use parquet::basic::Compression;
use parquet::data_type::{FixedLenByteArray, FixedLenByteArrayType, Int96, Int96Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/files")
}

/// Written by pyarrow with each compression, both kinds of pages, both formats of Arrow, and each type, and by fastparquet, which puts bytes behind
/// the values of INT96: what is read is what the
/// script that wrote them expects.
#[test]
fn files_of_another_writer_are_read_as_they_were_meant() {
    let text = fs::read_to_string(folder().join("expected.json")).expect("the list");
    let expected: serde_json::Map<String, Value> = serde_json::from_str(&text).expect("JSON");
    assert!(expected.len() > 25);
    for (name, wanted) in expected {
        let bytes = fs::read(folder().join(&name)).expect("the file");
        match rows(&bytes) {
            Ok(rows) => assert_eq!(Value::from(rows), wanted, "{name}"),
            Err(error) => assert_eq!(Value::from(error.code), wanted, "{name}: {}", error.message),
        }
    }
}

#[test]
fn a_description_has_names_and_types() {
    let bytes = fs::read(folder().join("types.parquet")).expect("the file");
    let (_, about) = read_with(&bytes, &json!({ "wanted": "description" })).expect("read");
    assert_eq!((&about["rowCount"], &about["compression"]), (&json!(3), &json!(["zstd"])));
    let kinds: Vec<(&str, &str)> = about["columns"]
        .as_array()
        .expect("columns")
        .iter()
        .map(|column| (column["name"].as_str().expect("a name"), column["type"].as_str().expect("a type")))
        .collect();
    for kind in [
        ("u64", "uint64"),
        ("d76", "decimal(76, 0)"),
        ("utc", "timestamp(us, UTC)"),
        ("by_number", "map<int32, text>"),
        ("objects", "list<struct<n: decimal(20, 2), at: timestamp(us, UTC)>>"),
        ("span", "duration(us)"),
        ("id", "uuid"),
        ("three", "list<float32, 3>"),
        ("coded", "text"),
    ] {
        assert!(kinds.contains(&kind), "{kind:?} of {kinds:?}");
    }
    let object =
        about["columns"].as_array().expect("columns").iter().find(|column| column["name"] == "object").expect("it");
    assert_eq!(object["fields"][0], json!({ "name": "a", "type": "int32", "nullable": true }));
}

/// Bytes of a page that are changed, in files with and without checksums and with each compression.
#[test]
fn changed_bytes_of_compressed_files_are_errors_or_values() {
    for name in [
        "snappy-1.parquet",
        "zstd-2.parquet",
        "lz4-1.parquet",
        "brotli-1.parquet",
        "gzip-2.parquet",
        "zstd.arrow",
        "lz4.arrows",
        "deltas.arrow",
        "special.arrow",
    ] {
        let good = fs::read(folder().join(name)).expect("the file");
        for at in (0..good.len()).step_by(13) {
            let mut bytes = good.clone();
            bytes[at] = !bytes[at];
            drop(read_with(&bytes, &json!({ "limit": 1_000, "wanted": "both" })));
        }
    }
}

fn columns_of_twelve_bytes() -> Vec<u8> {
    let types = "message m { required int96 at; optional fixed_len_byte_array(12) part (INTERVAL); required group g (LIST) { repeated group list { optional int96 element; } } }";
    let types = Arc::new(parse_message_type(types).expect("types"));
    let mut writer =
        SerializedFileWriter::new(Vec::new(), types, Arc::new(WriterProperties::builder().build())).expect("a writer");
    let mut group = writer.next_row_group().expect("a group");
    let at = |day: u32, nanos: u64| {
        let mut value = Int96::new();
        value.set_data((nanos & 0xffff_ffff) as u32, (nanos >> 32) as u32, day);
        value
    };
    // Midnight of 1970-01-01, the last nanosecond of the year 9999, and the first day of the year 1.
    let moments = [at(2_440_588, 0), at(5_373_484, 86_399_999_999_999), at(1_721_426, 1)];
    let mut column = group.next_column().expect("a column").expect("there");
    column.typed::<Int96Type>().write_batch(&moments, None, None).expect("written");
    column.close().expect("closed");
    let part = |months: u32, days: u32, millis: u32| {
        let bytes: Vec<u8> = [months, days, millis].into_iter().flat_map(u32::to_le_bytes).collect();
        FixedLenByteArray::from(bytes)
    };
    let mut column = group.next_column().expect("a column").expect("there");
    column
        .typed::<FixedLenByteArrayType>()
        .write_batch(&[part(14, 3, 500), part(0, 0, 0)], Some(&[1, 1, 0]), None)
        .expect("written");
    column.close().expect("closed");
    let mut column = group.next_column().expect("a column").expect("there");
    column.typed::<Int96Type>().write_batch(&moments[1..2], Some(&[2, 0, 1]), Some(&[0, 0, 0])).expect("written");
    column.close().expect("closed");
    group.close().expect("closed");
    writer.into_inner().expect("a file")
}

/// The library would make them nanoseconds of 64 bits, which end in the year 2262, and leave out months.
#[test]
fn old_moments_and_intervals_are_exact() {
    let wanted = json!([
        { "at": "1970-01-01T00:00:00.000", "part": "P1Y2M3DT0.5S", "g": ["9999-12-31T23:59:59.999999999"] },
        { "at": "9999-12-31T23:59:59.999999999", "part": "PT0S", "g": [] },
        { "at": "0001-01-01T00:00:00.000000001", "part": null, "g": [null] },
    ]);
    let (rows, about) = read_with(&columns_of_twelve_bytes(), &json!({ "wanted": "both" })).expect("read");
    assert_eq!(Value::from(rows), wanted);
    assert_eq!(
        (&about["columns"][0]["type"], &about["columns"][1]["type"]),
        (&json!("timestamp(ns)"), &json!("interval"))
    );
}

/// A page of a few kilobytes that would be a gigabyte is refused before it is unpacked.
#[test]
fn a_page_that_unpacks_to_too_much_is_refused() {
    let packed = snap::raw::Encoder::new().compress_vec(&vec![0; 4_000]).expect("packed");
    // Snappy begins with the length that it unpacks to.
    let mut bomb = vec![0x80, 0x80, 0x80, 0x80, 0x04];
    bomb.extend_from_slice(&packed[2..]);
    let why = crate::codec::unpack(crate::codec::Codec::Snappy, &bomb, 1 << 29);
    assert!(matches!(why, Err(crate::codec::Unpacking::TooLarge)));
    let mut zeros = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut zeros, &vec![0; 3_000_000]).expect("packed");
    let zeros = zeros.finish().expect("packed");
    assert!(matches!(
        crate::codec::unpack(crate::codec::Codec::Gzip, &zeros, 2_000_000),
        Err(crate::codec::Unpacking::TooLarge)
    ));
    assert!(
        matches!(crate::codec::unpack(crate::codec::Codec::Gzip, &zeros, 3_000_000), Ok(out) if out.len() == 3_000_000)
    );
    // Snappy is not the only one that says its length first.
    let block = lz4_flex::block::compress(&vec![7; 1_000_000]);
    assert!(matches!(
        crate::codec::unpack(crate::codec::Codec::Lz4Block, &block, 999_999),
        Err(crate::codec::Unpacking::TooLarge)
    ));
    assert!(
        matches!(crate::codec::unpack(crate::codec::Codec::Lz4Block, &block, 1_000_000), Ok(out) if out == vec![7; 1_000_000])
    );
    let mut hadoop = 1_000_000_u32.to_be_bytes().to_vec();
    hadoop.extend_from_slice(&u32::try_from(block.len()).expect("small").to_be_bytes());
    hadoop.extend_from_slice(&block);
    assert!(
        matches!(crate::codec::unpack(crate::codec::Codec::Lz4Hadoop, &hadoop, 1_000_000), Ok(out) if out.len() == 1_000_000)
    );
}

/// A codec that is named and not read, and one that nobody knows.
#[test]
fn a_compression_that_is_not_read_is_named() {
    let bytes = columns_of_twelve_bytes();
    // In the footer, the codec is the fourth field of a column: a field header and a zigzag number. 3 is LZO, 60 nothing.
    let footer = bytes.len()
        - 8
        - usize::try_from(u32::from_le_bytes(bytes[bytes.len() - 8..bytes.len() - 4].try_into().expect("four")))
            .expect("small");
    for codec in [6_u8, 120] {
        let mut changed = bytes.clone();
        let at = changed[footer..]
            .windows(5)
            .position(|bytes| bytes == [0x02, b'a', b't', 0x15, 0x00][..].first_chunk::<5>().expect("five"))
            .or_else(|| changed[footer..].windows(4).position(|bytes| bytes == [b'a', b't', 0x15, 0x00]));
        let at = footer + at.expect("the codec");
        let place = changed[at..].iter().position(|byte| *byte == 0x15).expect("the field") + at + 1;
        changed[place] = codec;
        let error = counted(&changed, &json!({})).0.expect_err("refused");
        assert_eq!(error.code, "UNSUPPORTED_COMPRESSION", "{codec}: {}", error.message);
    }
    assert_eq!(crate::codec::Codec::of(Compression::LZO), Err("LZO"));
}
