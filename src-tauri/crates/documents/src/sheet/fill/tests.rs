use super::{FillOptions, Filled, OnMissing, fill};
use crate::Error;
use rust_xlsxwriter::{Format, Formula, Note, Workbook, Worksheet};
use serde_json::{Map, Value, json};
use std::io::{Cursor, Read as _, Write as _};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

mod files;
mod references;

/// A workbook with one sheet.
fn template(make: impl FnOnce(&mut Worksheet) -> Result<(), rust_xlsxwriter::XlsxError>) -> Vec<u8> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    sheet.set_name("Invoice").expect("a name");
    make(sheet).expect("a sheet");
    book.save_to_buffer().expect("a workbook")
}

fn filled(bytes: &[u8], data: Value) -> Result<Filled, Error> {
    fill(bytes.to_vec(), &data, &Map::new(), &FillOptions::default())
}

fn set(bytes: &[u8], cells: Value) -> Result<Filled, Error> {
    let Value::Object(cells) = cells else { panic!("an object") };
    fill(bytes.to_vec(), &json!({}), &cells, &FillOptions::default())
}

fn parts(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("a ZIP");
    let mut all = Vec::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).expect("a part");
        let mut content = Vec::new();
        file.read_to_end(&mut content).expect("content");
        all.push((file.name().expect("a name").into_owned(), content));
    }
    all
}

fn part(bytes: &[u8], name: &str) -> String {
    let found = parts(bytes).into_iter().find(|(known, _)| known == name).expect("the part");
    String::from_utf8(found.1).expect("UTF-8")
}

fn sheet_xml(bytes: &[u8]) -> String {
    part(bytes, "xl/worksheets/sheet1.xml")
}

/// The workbook with another text of one part.
fn changed(bytes: &[u8], name: &str, change: impl Fn(String) -> String) -> Vec<u8> {
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for (known, content) in parts(bytes) {
        out.start_file(&known, SimpleFileOptions::default()).expect("starts");
        let content =
            if known == name { change(String::from_utf8(content).expect("UTF-8")).into_bytes() } else { content };
        out.write_all(&content).expect("writes");
    }
    out.finish().expect("ends").into_inner()
}

/// The workbook with one more part.
fn with_part(bytes: &[u8], name: &str, content: &[u8]) -> Vec<u8> {
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for (known, content) in parts(bytes) {
        out.start_file(&known, SimpleFileOptions::default()).expect("starts");
        out.write_all(&content).expect("writes");
    }
    out.start_file(name, SimpleFileOptions::default()).expect("starts");
    out.write_all(content).expect("writes");
    out.finish().expect("ends").into_inner()
}

/// The cells as they are read by *Read spreadsheet*, without a header.
fn rows(bytes: &[u8]) -> Value {
    let options = json!({ "header": false });
    let text = crate::read(crate::Document::Sheet, bytes.to_vec(), &options).expect("a spreadsheet");
    serde_json::from_str::<Value>(&text).expect("JSON")["tables"][0]["rows"].clone()
}

/// The element of a cell.
fn cell(bytes: &[u8], address: &str) -> String {
    let xml = sheet_xml(bytes);
    let start = xml.find(&format!("<c r=\"{address}\"")).unwrap_or_else(|| panic!("no {address} in {xml}"));
    let rest = &xml[start..];
    let end = match (rest.find("/>"), rest.find('>')) {
        (Some(empty), Some(open)) if empty < open => empty + 2,
        _ => rest.find("</c>").expect("an end") + 4,
    };
    rest[..end].to_owned()
}

/// Title, a customer, three columns, a row for each line and the total.
fn invoice() -> Vec<u8> {
    template(|sheet| {
        let (money, day) = (Format::new().set_num_format("#,##0.00"), Format::new().set_num_format("yyyy-mm-dd"));
        let (bold, red) = (Format::new().set_bold(), Format::new().set_font_color("FF0000"));
        sheet.write_with_format(0, 0, "Invoice {{number}}", &bold)?;
        sheet.write(1, 0, "{{customer.name}}")?.write_with_format(1, 3, "{{date}}", &day)?;
        sheet.write(3, 0, "Item")?.write(3, 3, "Amount")?;
        sheet.write_with_format(4, 0, "{{lines.name}}", &red)?.write(4, 1, "{{lines.quantity}}")?;
        sheet.write_with_format(4, 2, "{{lines.price}}", &money)?;
        sheet.write_formula_with_format(4, 3, Formula::new("=B5*C5").set_result("0"), &money)?;
        sheet.write(5, 0, "Total")?.write_formula_with_format(
            5,
            3,
            Formula::new("=SUM(D5:D5)").set_result("77"),
            &money,
        )?;
        sheet.set_row_height(4, 21)?;
        Ok(())
    })
}

fn order() -> Value {
    json!({
        "number": "R-17", "date": "2026-11-30", "customer": { "name": "Ada & Söhne <GmbH>" },
        "lines": [
            { "name": "Keyboard", "quantity": 2, "price": 49.5 },
            { "name": "=1+1", "quantity": 1, "price": "12.25" },
            { "name": "Mouse", "quantity": 3, "price": 20 },
        ],
    })
}

#[test]
fn a_row_is_repeated_for_each_element_and_the_total_follows() {
    let template = invoice();
    let made = filled(&template, order()).expect("filled");
    assert_eq!(
        made.about,
        json!({ "cells": 12, "lists": [{ "sheet": "Invoice", "list": "lines", "rows": "5:7", "count": 3 }] })
    );
    let bytes = made.bytes;
    let rows = rows(&bytes);
    assert_eq!(rows[0]["column1"], "Invoice R-17");
    assert_eq!((&rows[1]["column1"], &rows[1]["column4"]), (&json!("Ada & Söhne <GmbH>"), &json!("2026-11-30")));
    assert_eq!((&rows[3]["column1"], &rows[3]["column3"]), (&json!("Keyboard"), &json!(49.5)));
    // A text that looks like a formula stays a text; a number in a text is a number where the cell shows numbers.
    assert_eq!((&rows[4]["column1"], &rows[4]["column3"]), (&json!("=1+1"), &json!(12.25)));
    assert_eq!((&rows[5]["column2"], &rows[6]["column1"]), (&json!(3), &json!("Total")));
    assert!(cell(&bytes, "D6").contains("<f>B6*C6</f></c>"), "{}", cell(&bytes, "D6"));
    assert!(cell(&bytes, "D8").contains("<f>SUM(D5:D7)</f></c>"), "{}", cell(&bytes, "D8"));
    // Styles and heights are those of the template's row.
    let style = |address: &str, of: &[u8]| {
        cell(of, address).split(" s=\"").nth(1).and_then(|rest| rest.split('"').next().map(str::to_owned))
    };
    for (address, in_template) in [("A5", "A5"), ("A7", "A5"), ("C7", "C5"), ("D8", "D6"), ("D2", "D2")] {
        assert_eq!(style(address, &bytes), style(in_template, &template), "{address}");
    }
    assert_eq!(sheet_xml(&bytes).matches("ht=\"21\" customHeight=\"1\"").count(), 3);
    assert!(part(&bytes, "xl/workbook.xml").contains("fullCalcOnLoad=\"1\""));
}

#[test]
fn parts_that_are_not_filled_are_the_same_bytes() {
    let template = invoice();
    let made = filled(&template, order()).expect("filled").bytes;
    let after = parts(&made);
    let mut same = 0;
    for (name, content) in parts(&template) {
        let (_, now) = after.iter().find(|(known, _)| *known == name).expect("no part is lost");
        if !matches!(name.as_str(), "xl/workbook.xml" | "xl/worksheets/sheet1.xml") {
            assert_eq!(*now, content, "{name}");
            same += 1;
        }
    }
    assert!(same >= 7, "{same}");
    // The same data give the same file.
    assert_eq!(filled(&template, order()).expect("again").bytes, made);
}

#[test]
fn an_empty_list_leaves_an_empty_hidden_row() {
    let mut data = order();
    data["lines"] = json!([]);
    let made = filled(&invoice(), data).expect("filled");
    assert_eq!(made.about["lists"][0]["count"], 0);
    let xml = sheet_xml(&made.bytes);
    assert!(xml.contains("<row r=\"5\"") && xml.contains("hidden=\"1\""), "{xml}");
    for address in ["A5", "B5", "C5", "D5"] {
        assert!(cell(&made.bytes, address).ends_with("/>"), "{}", cell(&made.bytes, address));
    }
    // The total is of a range without numbers.
    assert!(cell(&made.bytes, "D6").contains("<f>SUM(D5:D5)</f></c>"));
    let rows = rows(&made.bytes);
    assert_eq!(rows[3]["column1"], "Total");
}

#[test]
fn types_of_values_are_kept_and_texts_around_make_a_text() {
    let bytes = template(|sheet| {
        for (row, text) in [
            "{{n}}",
            "{{yes}}",
            "{{none}}",
            "{{text}}",
            " {{n}} ",
            "n={{n}}, {{yes}}, [{{none}}]",
            "{{long}}",
            "{{day}}",
            "{{lead}}",
        ]
        .into_iter()
        .enumerate()
        {
            sheet.write(u32::try_from(row).expect("few"), 0, text)?;
        }
        sheet.write(9, 0, "end")?;
        Ok(())
    });
    let data = json!({ "n": 1.5, "yes": true, "none": null, "text": "a\u{1}b\r\n_x0041_", "long": 9_007_199_254_740_993_i64, "day": "2026-11-30", "lead": " 007 " });
    let bytes = filled(&bytes, data).expect("filled").bytes;
    let rows = rows(&bytes);
    let values: Vec<&Value> = rows.as_array().expect("rows").iter().map(|row| &row["column1"]).collect();
    let mixed = json!("n=1.5, true, []");
    assert_eq!(
        values,
        [
            &json!(1.5),
            &json!(true),
            &json!("a\u{1}b\r\n_x0041_"),
            &json!(1.5),
            &mixed,
            &json!("9007199254740993"),
            &json!("2026-11-30"),
            &json!(" 007 "),
            &json!("end")
        ]
    );
    assert_eq!(cell(&bytes, "A3"), "<c r=\"A3\"/>");
}

#[test]
fn a_placeholder_across_formats_of_a_text_keeps_them() {
    let bytes = template(|sheet| {
        let (bold, plain, red) = (Format::new().set_bold(), Format::new(), Format::new().set_font_color("FF0000"));
        sheet.write_rich_string(0, 0, &[(&plain, "Dear "), (&bold, "{{na"), (&red, "me}}"), (&plain, ", hello")])?;
        Ok(())
    });
    let bytes = filled(&bytes, json!({ "name": "Ada" })).expect("filled").bytes;
    assert_eq!(rows(&bytes)[0]["column1"], "Dear Ada, hello");
    let cell = cell(&bytes, "A1");
    assert!(cell.contains("<b/>") && cell.contains("<t>Ada</t>") && !cell.contains("FFFF0000"), "{cell}");
}

#[test]
fn single_cells_are_set_by_address_or_name() {
    let mut book = Workbook::new();
    let money = Format::new().set_num_format("0.00").set_bold();
    let sheet = book.add_worksheet().set_name("My Data").expect("a name");
    sheet.write_with_format(1, 1, 1, &money).expect("written");
    sheet.write_formula(1, 2, Formula::new("=B2*2").set_result("2")).expect("written");
    sheet.merge_range(4, 0, 4, 2, "merged", &money).expect("merged");
    sheet.set_column_format(3, &money).expect("a format");
    book.define_name("total", "='My Data'!$B$2").expect("a name");
    book.define_name("many", "='My Data'!$B$2:$B$3").expect("a name");
    let bytes = book.save_to_buffer().expect("a workbook");
    let made = set(
        &bytes,
        json!({ "TOTAL": 7.25, "A1": "first", "my data!D9": "12.5", "'My Data'!A5": "x", "C2": 9, "D2": 1 }),
    )
    .expect("set");
    assert_eq!(made.about["cells"], 6);
    assert_eq!(
        rows(&made.bytes),
        json!([
            { "column1": "first", "column2": null, "column3": null, "column4": null },
            { "column1": null, "column2": 7.25, "column3": 9, "column4": 1 },
            { "column1": "x", "column2": null, "column3": null, "column4": null },
            { "column1": null, "column2": null, "column3": null, "column4": 12.5 },
        ])
    );
    assert!(cell(&made.bytes, "D9").contains(" s=\""), "the style of the column");
    for (wrong, code) in [
        (json!({ "B9": [1] }), "SCHEMA_MISMATCH"),
        (json!({ "B5": 1 }), "INPUT_INVALID"),
        (json!({ "many": 1 }), "CELL_MISSING"),
        (json!({ "unknown": 1 }), "CELL_MISSING"),
        (json!({ "A1:B2": 1 }), "CELL_MISSING"),
        (json!({ "Nope!A1": 1 }), "SHEET_MISSING"),
    ] {
        assert_eq!(set(&bytes, wrong.clone()).expect_err("refused").code, code, "{wrong}");
    }
    let unknown = set(&bytes, json!({ "unknown": 1 })).expect_err("refused");
    assert_eq!(unknown.details["available"], json!(["many", "total"]));
}

#[test]
fn what_is_missing_is_an_error_empty_or_kept() {
    let bytes = template(|sheet| {
        sheet.write(0, 0, "{{customer.nam}}")?.write(1, 1, "Dear {{customer.nam}}!")?.write(2, 2, "{{lines.note}}")?;
        Ok(())
    });
    let data = json!({ "customer": { "name": "Ada" }, "lines": [{ "note": "a" }, {}] });
    let error = filled(&bytes, data.clone()).expect_err("refused");
    assert_eq!(
        (error.code.as_str(), &error.details["cell"], &error.details["field"]),
        ("MISSING_FIELD", &json!("A1"), &json!("customer.nam"))
    );
    assert_eq!((&error.details["sheet"], &error.details["available"]), (&json!("Invoice"), &json!(["name"])));
    assert!(error.message.contains("Cell A1 of the sheet 'Invoice'"), "{error}");
    let with = |on_missing| fill(bytes.clone(), &data, &Map::new(), &FillOptions { on_missing }).expect("filled").bytes;
    let empty = rows(&with(OnMissing::Empty));
    assert_eq!(
        (&empty[0]["column1"], &empty[1]["column2"], empty.as_array().expect("rows").len()),
        (&json!("Dear !"), &json!("a"), 2)
    );
    let kept = rows(&with(OnMissing::Keep));
    assert_eq!(
        (&kept[0]["column1"], &kept[1]["column2"], &kept[3]["column3"]),
        (&json!("{{customer.nam}}"), &json!("Dear {{customer.nam}}!"), &json!("{{lines.note}}"))
    );
}

#[test]
fn templates_that_cannot_be_filled_say_where() {
    let one = |text: &str| {
        let text = text.to_owned();
        template(move |sheet| sheet.write(1, 1, text.as_str()).map(drop))
    };
    let data = json!({ "a": { "b": 1 }, "lists": [{ "inner": [1] }], "long": "x".repeat(40_000), "other": [1] });
    for (text, code, words) in [
        ("{{a}}", "SCHEMA_MISMATCH", "Name one of its fields: b"),
        ("{{lists.inner.x}}", "BAD_TEMPLATE", "list within a list"),
        ("{{lists.inner}} {{other}}", "BAD_TEMPLATE", "A row is repeated for one list"),
        ("{{a..b}}", "BAD_TEMPLATE", "a name is missing"),
        ("{{long}}", "TOO_LARGE", "32767"),
        ("so {{long}}", "TOO_LARGE", "32767"),
        ("nothing", "NO_PLACEHOLDERS", "{{customer.name}}"),
    ] {
        let error = filled(&one(text), data.clone()).expect_err(text);
        assert_eq!(error.code, code, "{text}: {error}");
        assert!(error.message.contains(words), "{text}: {error}");
        if code != "NO_PLACEHOLDERS" {
            assert_eq!((&error.details["cell"], &error.details["sheet"]), (&json!("B2"), &json!("Invoice")), "{text}");
        }
    }
    let formula = template(|sheet| sheet.write_formula(0, 0, "=\"Dear {{a.b}}\"").map(drop));
    assert_eq!(filled(&formula, data.clone()).expect_err("a formula").code, "BAD_TEMPLATE");
    let many = template(|sheet| sheet.write(0, 0, "{{many}}").map(drop));
    let too_many = json!({ "many": vec![1; 1_048_577] });
    assert_eq!(filled(&many, too_many).expect_err("too many rows").code, "TOO_LARGE");
}

#[test]
fn data_are_not_templates_themselves() {
    let bytes = template(|sheet| sheet.write(0, 0, "{{a}}")?.write(1, 0, "so {{a}}").map(drop));
    let bytes = filled(&bytes, json!({ "a": "{{secret}}", "secret": "x" })).expect("filled").bytes;
    assert_eq!(rows(&bytes), json!([{ "column1": "{{secret}}" }, { "column1": "so {{secret}}" }]));
}

#[test]
fn dates_are_counted_as_the_template_does() {
    let bytes = template(|sheet| {
        let day = Format::new().set_num_format("d.m.yyyy");
        sheet.write_with_format(0, 0, "{{day}}", &day)?;
        Ok(())
    });
    let mac = changed(&bytes, "xl/workbook.xml", |text| text.replace("<workbookPr", "<workbookPr date1904=\"1\""));
    for (bytes, serial) in [(bytes, "46356"), (mac, "44894")] {
        let made = filled(&bytes, json!({ "day": "2026-11-30" })).expect("filled").bytes;
        assert!(cell(&made, "A1").contains(&format!("<v>{serial}</v>")), "{}", cell(&made, "A1"));
        assert_eq!(rows(&made)[0]["column1"], "2026-11-30");
    }
}

#[test]
fn a_note_of_a_cell_below_follows_it() {
    let bytes = template(|sheet| {
        sheet.write(0, 0, "{{lines}}")?.write(2, 0, "below")?;
        sheet.insert_note(2, 0, &Note::new("about the total"))?;
        Ok(())
    });
    let made = filled(&bytes, json!({ "lines": [1, 2, 3, 4] })).expect("filled").bytes;
    assert!(part(&made, "xl/comments1.xml").contains("<comment ref=\"A6\""));
    let vml = part(&made, "xl/drawings/vmlDrawing1.vml");
    assert!(vml.contains("<x:Row>5</x:Row>"), "{vml}");
    assert_eq!(rows(&made)[4]["column1"], "below");
}
