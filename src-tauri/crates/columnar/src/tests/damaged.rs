use super::{arrow_file, arrow_stream, batch, parquet, read_with, rows};
use arrow_array::{ArrayRef, Int64Array, ListArray, NullArray, StringArray, types::Int32Type};
use serde_json::json;
use std::sync::Arc;

fn some() -> Vec<Vec<u8>> {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(
        (0..500).map(|n| Some((0..n % 5).map(Some).collect::<Vec<_>>())),
    );
    let names = StringArray::from_iter_values((0..500).map(|n| format!("name {}", n % 7)));
    let columns: Vec<(&str, ArrayRef)> =
        vec![("n", Arc::new(Int64Array::from_iter_values(0..500))), ("t", Arc::new(names)), ("l", Arc::new(lists))];
    let batch = batch(columns);
    vec![parquet(&batch), arrow_file(std::slice::from_ref(&batch)), arrow_stream(&[batch])]
}

#[test]
fn a_file_of_another_kind_is_named() {
    for (bytes, words) in [
        (&b""[..], "empty"),
        (b"<!DOCTYPE html>", "another file"),
        (b"PK\x03\x04 a workbook", "another file"),
        (b"FEA1 an old file", "Feather"),
    ] {
        let error = rows(bytes).expect_err("refused");
        assert!(error.code == "UNKNOWN_FORMAT" && error.message.contains(words), "{error}");
    }
    assert_eq!(rows(b"PARE....").expect_err("refused").code, "ENCRYPTED");
    assert_eq!(rows(b"PAR1\x15\x04\x2c\x00\x00\x00PARE").expect_err("refused").code, "ENCRYPTED");
}

/// Wherever a file ends, it is an error or, for a stream that ends at a message, fewer rows; never a panic that leaves.
#[test]
fn a_file_that_is_cut_anywhere_is_an_error() {
    for (which, bytes) in some().into_iter().enumerate() {
        for end in (1..bytes.len()).step_by(17).chain([bytes.len() - 1]) {
            match rows(&bytes[..end]) {
                Err(error) => {
                    assert!(["UNKNOWN_FORMAT", "BAD_PARQUET", "BAD_ARROW"].contains(&error.code.as_str()), "{error}")
                }
                Ok(rows) => assert!(
                    which == 2 && (rows.is_empty() || rows.len() == 500),
                    "{which} cut at {end} of {}",
                    bytes.len()
                ),
            }
        }
    }
}

/// Bytes that are changed are found by a check, change a value, or are an error.
#[test]
fn a_file_with_changed_bytes_never_ends_the_process() {
    for bytes in some() {
        for at in (0..bytes.len()).step_by(97) {
            for change in [0xff, 0x01] {
                let mut bytes = bytes.clone();
                bytes[at] ^= change;
                if let Err(error) = read_with(&bytes, &json!({ "wanted": "both", "limit": 1_000 })) {
                    assert!(error.code.chars().all(|c| c.is_ascii_uppercase() || c == '_'), "{error}");
                    assert!(error.message.len() < 700, "{error}");
                }
            }
        }
    }
}

#[test]
fn a_footer_that_says_more_than_there_is_is_refused() {
    let mut bytes = some().remove(0);
    let end = bytes.len();
    bytes[end - 8..end - 4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(rows(&bytes).expect_err("refused").code, "TOO_LARGE");
    bytes[end - 8..end - 4].copy_from_slice(&100_000_u32.to_le_bytes());
    assert_eq!(rows(&bytes).expect_err("refused").code, "BAD_PARQUET");
}

/// Ten thousand columns are read, and so are a hundred million rows of nothing, as far as they are wanted.
#[test]
fn many_columns_and_rows_of_nothing() {
    let column: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let names: Vec<String> = (0..10_000).map(|n| format!("c{n}")).collect();
    let wide = batch(names.iter().map(|name| (name.as_str(), Arc::clone(&column))).collect());
    for bytes in [parquet(&wide), arrow_file(std::slice::from_ref(&wide))] {
        let read = rows(&bytes).expect("read");
        assert_eq!((read.len(), &read[1]["c9999"]), (2, &json!(2)));
        let (one, _) = read_with(&bytes, &json!({ "columns": ["c5000"] })).expect("read");
        assert_eq!(one, [json!({ "c5000": 1 }), json!({ "c5000": 2 })]);
    }
    let names: Vec<String> = (0..16_385).map(|n| format!("c{n}")).collect();
    let too_wide = batch(names.iter().map(|name| (name.as_str(), Arc::clone(&column))).collect());
    assert_eq!(rows(&arrow_stream(&[too_wide])).expect_err("refused").code, "TOO_LARGE");
    let nothing = batch(vec![("none", Arc::new(NullArray::new(100_000_000)))]);
    let (read, about) =
        read_with(&arrow_file(&[nothing]), &json!({ "offset": 99_999_990, "limit": 3, "wanted": "both" }))
            .expect("read");
    assert_eq!((read.len(), &read[0], &about["rowCount"]), (3, &json!({ "none": null }), &json!(100_000_000)));
}
