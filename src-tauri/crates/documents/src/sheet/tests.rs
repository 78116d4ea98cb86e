use super::area::{Area, column_name};
use super::{
    CellType, Column, HeaderStyle, MAX_CELL_CHARS, MAX_ROWS, ReadOptions, Rows, SheetRows, WriteOptions, read, write,
};
use crate::Error;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::io::{Cursor, Read as _, Write as _};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

fn book(rows: &[Value]) -> Vec<u8> {
    written(rows, &WriteOptions::default()).expect("a workbook")
}

fn written(rows: &[Value], options: &WriteOptions) -> Result<Vec<u8>, Error> {
    write(&[SheetRows { name: "Sheet1".into(), rows: rows.iter().collect() }], options)
}

fn opened(bytes: Vec<u8>, options: Value) -> Result<Value, Error> {
    let text = crate::read(crate::Document::Sheet, bytes, &options)?;
    Ok(serde_json::from_str(&text).expect("JSON"))
}

fn rows(bytes: Vec<u8>, options: Value) -> Value {
    opened(bytes, options).expect("a spreadsheet")["tables"][0]["rows"].clone()
}

/// The workbook with another text of one part.
fn changed(bytes: &[u8], part: &str, change: impl Fn(String) -> String) -> Vec<u8> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("a ZIP");
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).expect("a part");
        let name = file.name().expect("a name").into_owned();
        let mut text = String::new();
        file.read_to_string(&mut text).expect("text");
        out.start_file(&name, SimpleFileOptions::default()).expect("starts");
        out.write_all(if name == part { change(text) } else { text }.as_bytes()).expect("writes");
    }
    out.finish().expect("ends").into_inner()
}

/// A sheet with these `<row>` elements.
fn sheet(data: &str) -> Vec<u8> {
    changed(&book(&[json!({ "a": 1 })]), "xl/worksheets/sheet1.xml", |text| {
        let (before, rest) = text.split_once("<sheetData>").expect("data");
        let (_, after) = rest.split_once("</sheetData>").expect("data");
        format!("{before}<sheetData>{data}</sheetData>{after}")
    })
}

#[test]
fn types_are_kept() {
    let row = json!({
        "text": "Ada", "whole": 9_007_199_254_740_991_i64, "decimal": 12.5, "tenth": 0.1, "yes": true, "no": false, "none": null,
        "day": "2026-11-28", "moment": "2026-11-28T10:30:15", "leap": "2024-02-29", "zip": "007", "zone": "2026-11-28T10:30:00Z",
        "list": [1, 2],
    });
    let back = rows(book(std::slice::from_ref(&row)), json!({}));
    for name in ["text", "whole", "decimal", "tenth", "yes", "no", "none", "day", "moment", "leap", "zip", "zone"] {
        assert_eq!(back[0][name], row[name], "{name}");
    }
    assert_eq!(back[0]["list"], "[1,2]");
}

#[test]
fn both_date_systems_times_and_durations() {
    let styles = |text: String| text.replace("<cellXfs count=", "<cellXfs x=");
    let base = written(&[json!({ "d": "2026-11-28", "m": "2026-11-28T10:30" })], &WriteOptions::default())
        .expect("a workbook");
    assert_eq!(rows(base.clone(), json!({}))[0], json!({ "d": "2026-11-28", "m": "2026-11-28T10:30:00" }));
    let mac = changed(&base, "xl/workbook.xml", |text| text.replace("<workbookPr", "<workbookPr date1904=\"1\""));
    // The same number is four years and a day later.
    assert_eq!(rows(mac, json!({}))[0]["d"], "2030-11-29");
    let _ = styles;
    let time = |value: f64, is_duration| {
        let kind =
            if is_duration { calamine::ExcelDateTimeType::TimeDelta } else { calamine::ExcelDateTimeType::DateTime };
        super::date::iso(&calamine::ExcelDateTime::new(value, kind, false), false)
    };
    assert_eq!(time(0.5, false).as_deref(), Some("12:00:00"));
    assert_eq!(time(1.5, true).as_deref(), Some("PT36H"));
    assert_eq!(time(-0.25, true).as_deref(), Some("-PT6H"));
    assert_eq!(time(0.0, true).as_deref(), Some("PT0S"));
    assert_eq!(time(60.0, false).as_deref(), Some("1900-02-29"));
    assert_eq!((time(-1.0, false), time(3e6, false), time(f64::NAN, true)), (None, None, None));
}

#[test]
fn headers_ranges_and_sheets() {
    let sheets = [
        SheetRows { name: "First".into(), rows: Rows::Values(vec![]) },
        SheetRows { name: "Data".into(), rows: Rows::Values(vec![]) },
    ];
    let values = [json!({ "a": "x", "b": 1 }), json!({ "a": "y", "b": 2 }), json!({ "a": "z", "b": 3 })];
    let sheets = sheets.map(|sheet| SheetRows { rows: values.iter().collect(), ..sheet });
    let bytes = write(&sheets, &WriteOptions::default()).expect("a workbook");
    let both = opened(bytes.clone(), json!({ "all": true })).expect("both");
    assert_eq!((both["format"].as_str(), &both["sheets"]), (Some("xlsx"), &json!(["First", "Data"])));
    assert_eq!((both["tables"][1]["sheet"].as_str(), both["tables"][1]["rowCount"].as_u64()), (Some("Data"), Some(3)));
    for sheet in ["Data", "data", "2"] {
        assert_eq!(opened(bytes.clone(), json!({ "sheet": sheet })).expect("one")["tables"][0]["sheet"], "Data");
    }
    let missing = opened(bytes.clone(), json!({ "sheet": "Dat" })).expect_err("missing");
    assert_eq!((missing.code.as_str(), &missing.details["sheets"]), ("SHEET_MISSING", &json!(["First", "Data"])));
    assert_eq!(
        rows(bytes.clone(), json!({ "range": "A2:A3", "header": false })),
        json!([{ "column1": "x" }, { "column1": "y" }])
    );
    assert_eq!(rows(bytes.clone(), json!({ "range": "B1" })), json!([{ "b": 1 }, { "b": 2 }, { "b": 3 }]));
    assert_eq!(rows(bytes.clone(), json!({ "range": "B:C" }))[2], json!({ "b": 3, "column2": null }));
    assert_eq!(rows(bytes.clone(), json!({ "range": "F1:G9" })), json!([]));
    for bad in ["A", "A1:", "1A", "A1:B", "XFE1:XFF2", "A0:B1", "A1048577:B1048578", "Sheet1!A1"] {
        assert_eq!(opened(bytes.clone(), json!({ "range": bad })).expect_err(bad).code, "INPUT_INVALID");
    }
}

#[test]
fn names_that_are_missing_or_twice_get_a_number() {
    let cell = |place: &str, text: &str| format!("<c r=\"{place}\" t=\"str\"><v>{text}</v></c>");
    let header = format!("<row r=\"3\">{}{}</row>", cell("B3", " Name "), cell("D3", "Name"));
    let bytes = sheet(&format!("{header}<row r=\"7\">{}{}</row>", cell("C7", "x"), cell("E7", "y")));
    let table = opened(bytes, json!({})).expect("a table")["tables"][0].clone();
    assert_eq!(table["columns"], json!(["Name", "column2", "Name_2", "column4"]));
    assert_eq!(table["rows"], json!([{ "Name": null, "column2": "x", "Name_2": null, "column4": "y" }]));
}

#[test]
fn formulas_have_their_value_and_errors_are_data() {
    let bytes = sheet(
        "<row r=\"1\"><c r=\"A1\" t=\"str\"><v>n</v></c></row><row r=\"2\"><c r=\"A2\"><f>1+1</f><v>2</v></c></row>\
         <row r=\"3\"><c r=\"A3\" t=\"e\"><f>1/0</f><v>#DIV/0!</v></c></row><row r=\"4\"><c r=\"A4\" t=\"b\"><v>1</v></c></row>\
         <row r=\"5\"><c r=\"A5\" t=\"inlineStr\"><is><t>in &amp; line</t></is></c></row>",
    );
    let table = opened(bytes, json!({})).expect("a table")["tables"][0].clone();
    assert_eq!(table["rows"], json!([{ "n": 2 }, { "n": "#DIV/0!" }, { "n": true }, { "n": "in & line" }]));
    assert_eq!(table["errorCells"], json!([{ "cell": "A3", "error": "#DIV/0!" }]));
}

#[test]
fn merged_cells_once_or_repeated() {
    let bytes = changed(
        &book(&[json!({ "a": "north", "b": 1 }), json!({ "a": null, "b": 2 })]),
        "xl/worksheets/sheet1.xml",
        |text| {
            text.replace("</sheetData>", "</sheetData><mergeCells count=\"1\"><mergeCell ref=\"A2:A3\"/></mergeCells>")
        },
    );
    assert_eq!(rows(bytes.clone(), json!({}))[1]["a"], Value::Null);
    assert_eq!(rows(bytes, json!({ "repeatMerged": true }))[1]["a"], "north");
    let huge = changed(&book(&[json!({ "a": "x" })]), "xl/worksheets/sheet1.xml", |text| {
        text.replace(
            "</sheetData>",
            "</sheetData><mergeCells count=\"1\"><mergeCell ref=\"A1:XFD1048576\"/></mergeCells>",
        )
    });
    assert_eq!(opened(huge, json!({ "repeatMerged": true })).expect_err("huge").code, "TOO_LARGE");
}

#[test]
fn a_million_empty_rows_and_far_cells_cost_nothing() {
    let far =
        "<row r=\"1\"><c r=\"A1\" t=\"str\"><v>a</v></c></row><row r=\"1048576\"><c r=\"A1048576\"><v>7</v></c></row>";
    assert_eq!(rows(sheet(far), json!({})), json!([{ "a": 7 }]));
    let empty: String = (2..200_000).map(|row| format!("<row r=\"{row}\"/>")).collect();
    assert_eq!(
        rows(sheet(&format!("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>{empty}")), json!({ "header": false })),
        json!([{ "column1": 1 }])
    );
    // Two cells make a table of all columns; a hundred thousand rows of it would be too much.
    let wide: String = (1..60_000)
        .map(|row| format!("<row r=\"{row}\"><c r=\"A{row}\"><v>1</v></c><c r=\"XFD{row}\"><v>1</v></c></row>"))
        .collect();
    assert_eq!(opened(sheet(&wide), json!({ "header": false })).expect_err("wide").code, "TOO_LARGE");
}

fn ods(table: &str) -> Vec<u8> {
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    let content = format!(
        "<?xml version=\"1.0\"?><office:document-content xmlns:office=\"o\" xmlns:table=\"t\" xmlns:text=\"x\"><office:body><office:spreadsheet>\
         <table:table table:name=\"One\">{table}</table:table></office:spreadsheet></office:body></office:document-content>"
    );
    for (name, text) in [
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
        ("META-INF/manifest.xml", "<manifest:manifest xmlns:manifest=\"m\"/>"),
        ("content.xml", content.as_str()),
    ] {
        out.start_file(name, SimpleFileOptions::default()).expect("starts");
        out.write_all(text.as_bytes()).expect("writes");
    }
    out.finish().expect("ends").into_inner()
}

#[test]
fn ods_is_read_and_its_repeated_cells_are_bounded() {
    let text = |text: &str| {
        format!("<table:table-cell office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell>")
    };
    let number =
        "<table:table-cell office:value-type=\"float\" office:value=\"1.5\"><text:p>1,5</text:p></table:table-cell>";
    let day = "<table:table-cell office:value-type=\"date\" office:date-value=\"2026-11-28\"><text:p>x</text:p></table:table-cell>";
    let good = format!(
        "<table:table-row>{}{}{}</table:table-row><table:table-row>{}{number}{day}</table:table-row>\
         <table:table-row table:number-rows-repeated=\"1048574\"><table:table-cell table:number-columns-repeated=\"16384\"/></table:table-row>",
        text("name"),
        text("n"),
        text("day"),
        text("Ada")
    );
    let value = opened(ods(&good), json!({})).expect("a table");
    assert_eq!(
        (value["format"].as_str(), &value["tables"][0]["rows"]),
        (Some("ods"), &json!([{ "name": "Ada", "n": 1.5, "day": "2026-11-28" }]))
    );
    let cell =
        "<table:table-cell table:number-columns-repeated=\"16384\" office:value-type=\"float\" office:value=\"1\"/>";
    let bombs = [
        format!("<table:table-row table:number-rows-repeated=\"1000000\">{cell}</table:table-row>"),
        format!("<table:table-row>{cell}</table:table-row>").repeat(2_000),
        format!(
            "<table:table-row table:number-rows-repeated=\"1048000\"><table:table-cell/></table:table-row><table:table-row>{cell}</table:table-row>"
        ),
    ];
    for bomb in bombs {
        assert_eq!(opened(ods(&bomb), json!({})).expect_err("a bomb").code, "TOO_LARGE");
    }
}

#[test]
fn other_files_damaged_ones_and_protected_ones_are_told_apart() {
    let code = |bytes: &[u8]| opened(bytes.to_vec(), json!({})).expect_err("refused").code;
    assert_eq!(code(b"a,b\n1,2\n"), "UNKNOWN_FORMAT");
    assert_eq!(
        code(&crate::archive::pack(crate::archive::Format::Zip, &[("a.txt".into(), b"x".to_vec())]).expect("packs")),
        "UNKNOWN_FORMAT"
    );
    assert_eq!(code(b"PK\x03\x04 nothing"), "BAD_SPREADSHEET");
    let mut cut = book(&[json!({ "a": 1 })]);
    cut.truncate(cut.len() / 2);
    assert_eq!(code(&cut), "BAD_SPREADSHEET");
    assert_eq!(
        code(&changed(&book(&[json!({ "a": 1 })]), "xl/worksheets/sheet1.xml", |_| "<worksheet>".into())),
        "BAD_SPREADSHEET"
    );
    let mut compound = super::open::COMPOUND_FILE.to_vec();
    compound.extend(std::iter::repeat_n(0, 600));
    assert_eq!(code(&compound), "BAD_SPREADSHEET");
    compound.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    assert_eq!(code(&compound), "ENCRYPTED");
    let bomb = changed(&book(&[json!({ "a": 1 })]), "docProps/app.xml", |text| text);
    let mut lying = bomb.clone();
    // The size of the first entry in the directory: 4 GiB.
    let directory = (0..lying.len()).find(|at| lying[*at..].starts_with(b"PK\x01\x02")).expect("a directory");
    lying[directory + 24..directory + 28].copy_from_slice(&0xffff_fffe_u32.to_le_bytes());
    assert_eq!(code(&lying), "TOO_LARGE");
}

#[test]
fn a_formula_is_text_unless_it_is_asked_for() {
    let row = [json!({ "a": "=1+1", "b": "@SUM(A1)", "c": "+1", "d": "-1", "e": "=HYPERLINK(\"http://x\")" })];
    let xml = |bytes: &[u8]| {
        let mut text = String::new();
        let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("a ZIP");
        archive.by_name("xl/worksheets/sheet1.xml").expect("a sheet").read_to_string(&mut text).expect("text");
        text
    };
    let plain = book(&row);
    assert!(!xml(&plain).contains("<f>"));
    assert_eq!(rows(plain, json!({}))[0], row[0]);
    let asked = written(&row, &WriteOptions { formulas: true, ..WriteOptions::default() }).expect("a workbook");
    assert_eq!(xml(&asked).matches("<f>").count(), 2);
}

#[test]
fn columns_have_titles_types_formats_and_widths() {
    let column = |field: &str| Column { field: field.into(), ..Column::default() };
    let options = WriteOptions {
        columns: vec![
            Column {
                title: Some("Amount".into()),
                kind: CellType::Number,
                format: Some("0.00".into()),
                width: Some(20.0),
                ..column("amount")
            },
            Column { kind: CellType::Text, ..column("id") },
            Column { kind: CellType::Date, ..column("day") },
        ],
        header_style: HeaderStyle::Filled,
        ..WriteOptions::default()
    };
    let bytes =
        written(&[json!({ "id": 7, "amount": "12.50", "day": "2026-11-28", "x": 1 })], &options).expect("a workbook");
    assert_eq!(rows(bytes, json!({})), json!([{ "Amount": 12.5, "id": "7", "day": "2026-11-28" }]));
    for (field, value) in [("amount", "1.234,50"), ("day", "28.11.2026")] {
        let error = written(&[json!({ field: value })], &options).expect_err(value);
        assert_eq!((error.code.as_str(), &error.details["field"]), ("SCHEMA_MISMATCH", &json!(field)), "{error}");
    }
    assert_eq!(written(&[json!(1)], &options).expect_err("no object").code, "SCHEMA_MISMATCH");
}

#[test]
fn limits_of_a_sheet_are_told_before_anything_is_written() {
    let row = json!({ "a": 1 });
    let many = SheetRows { name: "S".into(), rows: Rows::Values(vec![&row; MAX_ROWS as usize]) };
    let error = write(std::slice::from_ref(&many), &WriteOptions::default()).expect_err("too many");
    assert_eq!((error.code.as_str(), error.details["rows"].as_u64()), ("TOO_LARGE", Some(1_048_576)));
    let long = |count| written(&[json!({ "a": "é".repeat(count) })], &WriteOptions::default());
    assert!(long(MAX_CELL_CHARS).is_ok());
    assert_eq!(long(MAX_CELL_CHARS + 1).expect_err("too long").details["cell"], "A2");
    let wide: serde_json::Map<String, Value> = (0..16_385).map(|n| (format!("c{n}"), json!(1))).collect();
    assert_eq!(written(&[Value::Object(wide)], &WriteOptions::default()).expect_err("too wide").code, "TOO_LARGE");
    for name in ["", "a/b", "'a", &"x".repeat(32)] {
        let sheet = SheetRows { name: name.into(), rows: Rows::Values(vec![]) };
        assert_eq!(write(&[sheet], &WriteOptions::default()).expect_err(name).code, "SHEET_NAME");
    }
    let twice = ["A", "a"].map(|name| SheetRows { name: name.into(), rows: Rows::Values(vec![]) });
    assert_eq!(write(&twice, &WriteOptions::default()).expect_err("twice").code, "SHEET_NAME");
}

#[test]
fn ranges_and_names_of_columns() {
    let parse = |text| Area::parse(text).expect("a range");
    assert_eq!((parse("b2:D$20").rows, parse("b2:D$20").columns), ((1, 19), (1, 3)));
    assert_eq!(parse("D20:B2"), parse("B2:D20"));
    assert_eq!(parse("2:3").columns.1, 16_383);
    assert_eq!([0, 25, 26, 701, 702, 16_383].map(column_name), ["A", "Z", "AA", "ZZ", "AAA", "XFD"]);
}

fn cell() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_007_199_254_740_992_i64..=9_007_199_254_740_992).prop_map(Value::from),
        any::<f64>().prop_filter("a number", |n| n.is_finite()).prop_map(|n| {
            // A whole number has no point in a sheet.
            if n.fract() == 0.0 { Value::from(0.5) } else { Value::from(n) }
        }),
        "[ -~äß€日😀=+@'\"<&_x]{1,20}".prop_map(Value::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn what_is_written_reads_back(table in prop::collection::vec([cell(), cell(), cell()], 1..12)) {
        // A row of empty cells is no row.
        let rows: Vec<Value> = table.into_iter().map(|[a, b, c]| json!({ "a": a, "b": b, "c": c, "n": 1 })).collect();
        let options = WriteOptions { dates: false, ..WriteOptions::default() };
        let text = read(written(&rows, &options).expect("a workbook"), &ReadOptions::of(&json!({})).expect("options")).expect("reads back");
        let back: Value = serde_json::from_str(&text).expect("JSON");
        prop_assert_eq!(back["tables"][0]["rows"].as_array().expect("rows"), &rows);
    }

    #[test]
    fn days_read_back(days in 0..2_900_000_i32) {
        let date = jiff::civil::date(1900, 3, 1).checked_add(jiff::Span::new().days(days));
        if let Ok(date) = date && date.year() < 9999 {
            let super::date::Serial::Day(serial) = super::date::serial(&date.to_string()).expect("a day") else { panic!("a day") };
            let excel = calamine::ExcelDateTime::new(serial, calamine::ExcelDateTimeType::DateTime, false);
            prop_assert_eq!(super::date::iso(&excel, false), Some(date.to_string()));
        }
    }
}
