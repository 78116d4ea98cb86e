use super::{arrow_file, arrow_stream, batch, counted, parquet, parquet_with, read_with, rows};
use arrow_array::builder::{Int32Builder, MapBuilder, StringBuilder, StringRunBuilder};
use arrow_array::types::{Int8Type, Int32Type, IntervalDayTime, IntervalMonthDayNano};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Date64Array, Decimal128Array, Decimal256Array, DictionaryArray,
    DurationMillisecondArray, FixedSizeBinaryArray, Float16Array, Float32Array, Float64Array, Int8Array, Int32Array,
    Int64Array, IntervalDayTimeArray, IntervalMonthDayNanoArray, IntervalYearMonthArray, LargeStringArray, ListArray,
    NullArray, RecordBatch, StringArray, StringViewArray, StructArray, Time32SecondArray, Time64NanosecondArray,
    TimestampMicrosecondArray, TimestampNanosecondArray, TimestampSecondArray, UInt64Array, UnionArray,
};
use arrow_buffer::{ScalarBuffer, i256};
use arrow_schema::{DataType, Field, Fields, Schema, UnionFields};
use parquet::file::properties::WriterProperties;
use serde_json::{Value, json};
use std::sync::Arc;

/// The same rows from Parquet, a file of Arrow and a stream.
fn everywhere(columns: Vec<(&str, ArrayRef)>) -> Vec<Value> {
    let batch = batch(columns);
    let of_file = rows(&arrow_file(std::slice::from_ref(&batch))).expect("an Arrow file");
    assert_eq!(rows(&arrow_stream(std::slice::from_ref(&batch))).expect("a stream"), of_file);
    assert_eq!(rows(&parquet(&batch)).expect("a Parquet file"), of_file);
    of_file
}

#[test]
fn numbers_keep_their_digits_and_what_is_no_number_is_text() {
    let half = |value: f32| half_of(value);
    let read = everywhere(vec![
        ("i8", Arc::new(Int8Array::from(vec![Some(-128), None]))),
        ("i64", Arc::new(Int64Array::from(vec![i64::MIN, i64::MAX]))),
        ("u64", Arc::new(UInt64Array::from(vec![u64::MAX, 0]))),
        ("f16", Arc::new(Float16Array::from(vec![half(1.5), half(f32::NAN)]))),
        ("f32", Arc::new(Float32Array::from(vec![0.1, f32::INFINITY]))),
        ("f64", Arc::new(Float64Array::from(vec![f64::NEG_INFINITY, 1e300]))),
        ("bool", Arc::new(BooleanArray::from(vec![Some(true), None]))),
        ("d", Arc::new(Decimal128Array::from(vec![150, -5]).with_precision_and_scale(10, 2).expect("a decimal"))),
        (
            "long",
            Arc::new(
                Decimal128Array::from(vec![12_345_678_901_234_567_890_123, 0])
                    .with_precision_and_scale(38, 3)
                    .expect("a decimal"),
            ),
        ),
        (
            "d256",
            Arc::new(
                Decimal256Array::from(vec![i256::from_i128(i128::MAX), i256::from_i128(7)])
                    .with_precision_and_scale(76, 0)
                    .expect("a decimal"),
            ),
        ),
        ("none", Arc::new(NullArray::new(2))),
    ]);
    let wanted = json!([
        { "i8": -128, "i64": i64::MIN, "u64": u64::MAX, "f16": 1.5, "f32": 0.1, "f64": "-Infinity", "bool": true, "d": 1.5,
          "long": "12345678901234567890.123", "d256": "170141183460469231731687303715884105727", "none": null },
        { "i8": null, "i64": i64::MAX, "u64": 0, "f16": "NaN", "f32": "Infinity", "f64": 1e300, "bool": null, "d": -0.05,
          "long": 0, "d256": 7, "none": null },
    ]);
    assert_eq!(Value::from(read), wanted);
}

fn half_of(value: f32) -> <arrow_array::types::Float16Type as arrow_array::ArrowPrimitiveType>::Native {
    <arrow_array::types::Float16Type as arrow_array::ArrowPrimitiveType>::Native::from_f32(value)
}

#[test]
fn moments_days_times_and_spans_are_iso_8601() {
    let read = everywhere(vec![
        ("day", Arc::new(Date32Array::from(vec![19_782, -719_529]))),
        ("day64", Arc::new(Date64Array::from(vec![19_782 * 86_400_000, 0]))),
        ("clock", Arc::new(Time32SecondArray::from(vec![49_500, 0]))),
        ("nanos", Arc::new(Time64NanosecondArray::from(vec![1, 86_399_999_999_999]))),
        ("local", Arc::new(TimestampNanosecondArray::from(vec![1_709_211_900_123_456_789, -1]))),
        (
            "utc",
            Arc::new(TimestampMicrosecondArray::from(vec![1_709_211_900_000_000, 1]).with_timezone("Europe/Berlin")),
        ),
        ("second", Arc::new(TimestampSecondArray::from(vec![253_402_300_800, 0]))),
        ("span", Arc::new(DurationMillisecondArray::from(vec![95_400_500, -1]))),
    ]);
    let wanted = json!([
        { "day": "2024-02-29", "day64": "2024-02-29", "clock": "13:45:00", "nanos": "00:00:00.000000001", "local": "2024-02-29T13:05:00.123456789",
          "utc": "2024-02-29T13:05:00.000Z", "second": "+10000-01-01T00:00:00.000", "span": "PT26H30M0.5S" },
        { "day": "-0001-12-31", "day64": "1970-01-01", "clock": "00:00:00", "nanos": "23:59:59.999999999", "local": "1969-12-31T23:59:59.999999999",
          "utc": "1970-01-01T00:00:00.000001Z", "second": "1970-01-01T00:00:00.000", "span": "PT-0.001S" },
    ]);
    assert_eq!(Value::from(read), wanted);
}

/// Parquet has one kind of interval, in milliseconds; Arrow has three.
#[test]
fn intervals_keep_their_months() {
    let arrow = batch(vec![
        ("months", Arc::new(IntervalYearMonthArray::from(vec![14])) as ArrayRef),
        ("days", Arc::new(IntervalDayTimeArray::from(vec![IntervalDayTime::new(3, -1)])) as ArrayRef),
        ("all", Arc::new(IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNano::new(1, 2, 3)])) as ArrayRef),
    ]);
    let wanted = json!([{ "months": "P1Y2M", "days": "P3DT-0.001S", "all": "P1M2DT0.000000003S" }]);
    assert_eq!(Value::from(rows(&arrow_file(&[arrow])).expect("read")), wanted);
}

#[test]
fn texts_bytes_and_identifiers() {
    let read = everywhere(vec![
        ("text", Arc::new(StringArray::from(vec!["a \"b\"\n", "Zürich"]))),
        ("large", Arc::new(LargeStringArray::from(vec![Some("x"), None]))),
        ("view", Arc::new(StringViewArray::from(vec!["a text that is longer than twelve bytes", ""]))),
        ("bytes", Arc::new(BinaryArray::from(vec![&b"\x00\xff"[..], b""]))),
        ("fixed", Arc::new(FixedSizeBinaryArray::try_from_iter([*b"abc", *b"def"].iter()).expect("bytes"))),
        ("coded", Arc::new(DictionaryArray::<Int8Type>::from_iter([Some("red"), None]))),
    ]);
    let wanted = json!([
        { "text": "a \"b\"\n", "large": "x", "view": "a text that is longer than twelve bytes", "bytes": "AP8=", "fixed": "YWJj", "coded": "red" },
        { "text": "Zürich", "large": null, "view": "", "bytes": "", "fixed": "ZGVm", "coded": null },
    ]);
    assert_eq!(Value::from(read), wanted);
}

#[test]
fn lists_objects_and_maps_inside_one_another() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1), None]), None, Some(vec![])]);
    let members: Fields = vec![Field::new("a", DataType::Int32, true), Field::new("a", DataType::Utf8, true)].into();
    let parts: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![Some(1), None, Some(3)])),
        Arc::new(StringArray::from(vec!["x", "y", "z"])),
    ];
    let objects = StructArray::new(members, parts, Some(vec![true, false, true].into()));
    let mut texts = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    texts.keys().append_value("k");
    texts.values().append_value(1);
    texts.append(true).expect("a map");
    texts.append(false).expect("none");
    texts.append(true).expect("an empty one");
    let mut numbers = MapBuilder::new(None, Int32Builder::new(), StringBuilder::new());
    numbers.keys().append_value(7);
    numbers.values().append_null();
    numbers.append(true).expect("a map");
    numbers.append(true).expect("an empty one");
    numbers.append(false).expect("none");
    let read = everywhere(vec![
        ("list", Arc::new(lists)),
        ("object", Arc::new(objects)),
        ("map", Arc::new(texts.finish())),
        ("numbers", Arc::new(numbers.finish())),
    ]);
    let wanted = json!([
        { "list": [1, null], "object": { "a": 1, "a_2": "x" }, "map": { "k": 1 }, "numbers": [{ "key": 7, "value": null }] },
        { "list": null, "object": null, "map": null, "numbers": [] },
        { "list": [], "object": { "a": 3, "a_2": "z" }, "map": {}, "numbers": null },
    ]);
    assert_eq!(Value::from(read), wanted);
}

#[test]
fn a_map_with_a_key_twice_is_an_error_with_column_and_row() {
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for value in [1, 2] {
        map.keys().append_value("k");
        map.values().append_value(value);
    }
    map.append(true).expect("a map");
    let error = rows(&arrow_file(&[batch(vec![("tags", Arc::new(map.finish()))])])).expect_err("twice");
    assert_eq!(
        (error.code.as_str(), &error.details["column"], &error.details["row"]),
        ("DUPLICATE_MEMBER", &json!("tags"), &json!(1))
    );
}

/// What only Arrow has.
#[test]
fn unions_runs_and_types_with_names() {
    let mut runs = StringRunBuilder::<Int32Type>::new();
    runs.extend([Some("a"), Some("a"), None, Some("b")]);
    let fields =
        UnionFields::try_new([0, 5], [Field::new("n", DataType::Int32, true), Field::new("t", DataType::Utf8, true)])
            .expect("fields");
    let children: Vec<ArrayRef> =
        vec![Arc::new(Int32Array::from(vec![Some(1), None])), Arc::new(StringArray::from(vec!["x", "y"]))];
    let union = UnionArray::try_new(
        fields,
        ScalarBuffer::from(vec![0_i8, 5, 0, 5]),
        Some(ScalarBuffer::from(vec![0, 0, 1, 1])),
        children,
    );
    let named = |name: &str, kind: DataType, of: &str| {
        Field::new(name, kind, true).with_metadata([("ARROW:extension:name", of)])
    };
    let (runs, union): (ArrayRef, ArrayRef) = (Arc::new(runs.finish()), Arc::new(union.expect("a union")));
    let schema = Schema::new(vec![
        Field::new("runs", runs.data_type().clone(), true),
        Field::new("union", union.data_type().clone(), true),
        named("id", DataType::FixedSizeBinary(16), "arrow.uuid"),
        named("doc", DataType::Utf8, "arrow.json"),
        named("flag", DataType::Int8, "arrow.bool8"),
    ]);
    let columns: Vec<ArrayRef> = vec![
        runs,
        union,
        Arc::new(FixedSizeBinaryArray::try_from_iter([[0xab_u8; 16]; 4].iter()).expect("bytes")),
        Arc::new(StringArray::from(vec!["{\"a\": [1.50]}", "7", "null", "\"t\""])),
        Arc::new(Int8Array::from(vec![0, 1, 2, 0])),
    ];
    let batch = RecordBatch::try_new(Arc::new(schema), columns).expect("a batch");
    let (read, about) = read_with(&arrow_file(&[batch]), &json!({ "wanted": "both" })).expect("read");
    let id = "abababab-abab-abab-abab-abababababab";
    let wanted = json!([
        { "runs": "a", "union": 1, "id": id, "doc": { "a": [1.5] }, "flag": false },
        { "runs": "a", "union": "x", "id": id, "doc": 7, "flag": true },
        { "runs": null, "union": null, "id": id, "doc": null, "flag": true },
        { "runs": "b", "union": "y", "id": id, "doc": "t", "flag": false },
    ]);
    assert_eq!(Value::from(read), wanted);
    let kinds: Vec<_> =
        about["columns"].as_array().expect("a list").iter().map(|column| column["type"].clone()).collect();
    assert_eq!(kinds, ["text", "union<int32, text>", "uuid", "json", "bool"]);
}

#[test]
fn a_time_that_no_clock_shows_is_an_error_with_column_and_row() {
    let error = rows(&arrow_file(&[batch(vec![("at", Arc::new(Time32SecondArray::from(vec![1, 90_000])))])]))
        .expect_err("no time");
    assert_eq!(
        (error.code.as_str(), &error.details["column"], &error.details["row"]),
        ("INVALID_VALUE", &json!("at"), &json!(2))
    );
}

/// Ten rows in five row groups or record batches.
fn ten() -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let part = |from: i64| {
        batch(vec![
            ("n", Arc::new(Int64Array::from(vec![from, from + 1])) as ArrayRef),
            ("t", Arc::new(StringArray::from(vec![format!("row {from}"), format!("row {}", from + 1)])) as ArrayRef),
            ("n", Arc::new(Int64Array::from(vec![-from, -from - 1])) as ArrayRef),
        ])
    };
    let parts: Vec<_> = (0..5).map(|at| part(at * 2)).collect();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(2)).build();
    let mut writer =
        parquet::arrow::ArrowWriter::try_new(Vec::new(), parts[0].schema(), Some(properties)).expect("a writer");
    for part in &parts {
        writer.write(part).expect("written");
    }
    (writer.into_inner().expect("a file"), arrow_file(&parts), arrow_stream(&parts))
}

#[test]
fn some_columns_and_rows_are_read_in_the_order_of_the_setting() {
    let (parquet, file, stream) = ten();
    for bytes in [&parquet, &file, &stream] {
        let options = json!({ "columns": ["n_2", "t"], "offset": 3, "limit": 4, "wanted": "both" });
        let (read, about) = read_with(bytes, &options).expect("read");
        let wanted: Vec<_> = (3..7).map(|n| json!({ "n_2": -n, "t": format!("row {n}") })).collect();
        assert_eq!(read, wanted);
        assert!(read[0].to_string().starts_with("{\"n_2\""), "the order of the setting");
        assert_eq!((&about["rowCount"], &about["columns"][0]["name"]), (&json!(10), &json!("n_2")));
        assert_eq!(read_with(bytes, &json!({ "offset": 10 })).expect("read").0, Vec::<Value>::new());
        assert_eq!(read_with(bytes, &json!({ "offset": 9 })).expect("read").0.len(), 1);
        let error = read_with(bytes, &json!({ "columns": ["x"] })).expect_err("no such column");
        assert_eq!((error.code.as_str(), &error.details["columns"]), ("UNKNOWN_COLUMN", &json!(["n", "t", "n_2"])));
    }
    let (_, about) = read_with(&parquet, &json!({ "wanted": "description" })).expect("read");
    assert_eq!(
        (&about["format"], &about["rowGroups"], &about["compression"]),
        (&json!("parquet"), &json!(5), &json!(["none"]))
    );
    let (_, about) = read_with(&stream, &json!({ "wanted": "description" })).expect("read");
    assert_eq!((&about["format"], &about["batches"]), (&json!("arrowStream"), &json!(5)));
}

/// Rows and columns that are not wanted are not loaded.
#[test]
fn what_is_not_wanted_is_not_read() {
    let numbers = |from: i64| Arc::new(Int64Array::from_iter_values(from..from + 50_000)) as ArrayRef;
    let wide = batch(
        (0..20)
            .map(|at| ("abcdefghijklmnopqrst".get(at..at + 1).expect("a name"), numbers(at as i64 * 50_000)))
            .collect(),
    );
    let properties =
        WriterProperties::builder().set_max_row_group_row_count(Some(10_000)).set_dictionary_enabled(false).build();
    let bytes = parquet_with(&wide, properties);
    let (one, read) = counted(&bytes, &json!({ "columns": ["c"], "offset": 10_000, "limit": 5 }));
    assert_eq!(one.expect("read").0[0], json!({ "c": 110_000 }));
    assert!(read < bytes.len() as u64 / 20, "{read} of {} bytes", bytes.len());
}
