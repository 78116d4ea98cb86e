//! Spreadsheets, PDF and pages with the real program: each is read in a process of its own, which a hostile file ends or uses up.

use crate::support::{TestHome, workflow};
use serde_json::{Value, json};

/// Runs steps one after the other, the last of which may fail: its summary.
fn run(place: &TestHome, steps: &[(&str, Value)]) -> Value {
    let mut nodes = json!({ "start": { "type": "trigger.manual" } });
    let mut edges = Vec::new();
    let mut before = "start".to_owned();
    for (index, (kind, config)) in steps.iter().enumerate() {
        let id = format!("s{index}");
        nodes[&id] = json!({ "type": kind, "config": config });
        edges.push(json!({ "from": format!("{before}.success"), "to": id }));
        before = id;
    }
    let file = place.file("test.json", workflow(nodes, json!(edges)).to_string());
    let grant = format!("{}:rw", place.dir.path().canonicalize().expect("there").display());
    place.run(&["run", file.to_str().expect("text"), "--allow-dir", &grant, "--json"]).last()
}

fn write(place: &TestHome, name: &str, bytes: &[u8]) -> String {
    let path = place.dir.path().canonicalize().expect("there").join(name);
    std::fs::write(&path, bytes).expect("written");
    path.display().to_string()
}

/// A PDF of these objects; the first is its catalog.
fn pdf(objects: &[&str]) -> Vec<u8> {
    let mut out = "%PDF-1.4\n".to_owned();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (index, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", out.len()));
        out.push_str(&format!("{} 0 obj\n{object}\nendobj\n", index + 1));
    }
    let trailer = format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{}\n%%EOF\n", objects.len() + 1, out.len());
    (out + &table + &trailer).into_bytes()
}

#[test]
fn a_spreadsheet_that_is_written_is_read_by_the_next_step() {
    let place = TestHome::new();
    let path = write(&place, "out.xlsx", b"");
    let rows = "[{'n': 1, 'day': '2026-11-28', 'id': '007'}, {'n': 2.5, 'day': null, 'id': '=1+1'}]";
    let steps = [
        ("data.transform", json!({ "expression": rows, "split": true })),
        ("sheet.write", json!({ "path": path, "sheetName": "Data" })),
        ("sheet.read", json!({ "path": path, "sheet": "Data" })),
    ];
    let summary = run(&place, &steps);
    let wanted = json!([{ "n": 1, "day": "2026-11-28", "id": "007" }, { "n": 2.5, "day": null, "id": "=1+1" }]);
    assert_eq!((&summary["status"], &summary["output"]), (&json!("completed"), &wanted), "{summary}");
}

#[test]
fn the_sample_makes_a_sheet_for_each_region() {
    let place = TestHome::new();
    let sample = include_str!("../../../app/samples/unpaid-invoices.signalbox.json");
    let file = place.file("sample.json", sample).display().to_string();
    let summary = place.run(&["run", &file, "--json"]).last();
    let sheets =
        json!([{ "sheet": "West", "rows": 2 }, { "sheet": "North", "rows": 2 }, { "sheet": "South", "rows": 1 }]);
    assert_eq!((&summary["status"], &summary["output"][0]["sheets"]), (&json!("completed"), &sheets), "{summary}");
}

#[test]
fn the_sample_fills_an_invoice_for_each_open_order() {
    let place = TestHome::new();
    let sample = include_str!("../../../app/samples/invoices-from-a-template.signalbox.json");
    let file = place.file("sample.json", sample).display().to_string();
    let summary = place.run(&["run", &file, "--json"]).last();
    assert_eq!(
        (&summary["status"], summary["output"].as_array().map(Vec::len)),
        (&json!("completed"), Some(4)),
        "{summary}"
    );
    // An order without lines, and one with two.
    for (order, rows, count) in [(2, "7:7", 0), (3, "7:8", 2)] {
        let lists = json!([{ "sheet": "Invoice", "list": "lines", "rows": rows, "count": count }]);
        assert_eq!(summary["output"][order]["lists"], lists, "{summary}");
    }
}

/// A template that a person made, filled in the process that reads documents; what it says is an error of the step.
#[test]
fn a_template_is_filled_into_a_file_and_its_faults_name_the_cell() {
    let place = TestHome::new();
    let template = write(&place, "template.xlsx", b"");
    let result = write(&place, "result.xlsx", b"");
    let order = "{'customer': 'Ada', 'lines': [{'item': 'Pen', 'amount': 2.5}, {'item': '=1+1', 'amount': 4}]}";
    let rows = "[{'a': 'For {{customer}}', 'b': ''}, {'a': '{{lines.item}}', 'b': '{{lines.amount}}'}, {'a': 'Total', 'b': ''}]";
    let steps = |data: &str| {
        vec![
            ("data.transform", json!({ "expression": rows, "split": true })),
            ("sheet.write", json!({ "path": template, "header": false })),
            ("sheet.fill", json!({ "template": template, "path": result, "data": data, "cells": { "B3": 7 } })),
            ("sheet.read", json!({ "path": result, "header": false })),
        ]
    };
    let summary = run(&place, &steps(order));
    let wanted = json!([
        { "column1": "For Ada", "column2": null }, { "column1": "Pen", "column2": 2.5 },
        { "column1": "=1+1", "column2": 4 }, { "column1": "Total", "column2": 7 },
    ]);
    assert_eq!((&summary["status"], &summary["output"]), (&json!("completed"), &wanted), "{summary}");
    let summary = run(&place, &steps("{'customer': 'Ada', 'lines': [{'item': 'Pen'}]}"));
    let error = &summary["error"];
    assert_eq!(
        (&error["details"]["code"], &error["details"]["cell"], &error["details"]["field"]),
        (&json!("MISSING_FIELD"), &json!("B2"), &json!("lines.amount")),
        "{summary}"
    );
}

#[test]
fn the_report_as_pdf_has_both_tables_and_is_read_back() {
    let place = TestHome::new();
    let path = write(&place, "report.pdf", b"");
    let sample = include_str!("../../../app/samples/monthly-report.signalbox.json");
    let mut sample: Value = serde_json::from_str(sample).expect("JSON");
    sample["nodes"]["report"]["config"]["to"] = json!("file");
    sample["nodes"]["report"]["config"]["path"] = json!(path);
    sample["nodes"]["back"] = json!({ "type": "pdf.read", "config": { "path": path } });
    sample["edges"].as_array_mut().expect("a list").push(json!({ "from": "report.success", "to": "back" }));
    let file = place.file("sample.json", sample.to_string()).display().to_string();
    let grant = format!("{}:rw", place.dir.path().canonicalize().expect("there").display());
    let summary = place.run(&["run", &file, "--allow-dir", &grant, "--json"]).last();
    let text = summary["output"][0]["text"].as_str().unwrap_or_default().to_owned();
    assert_eq!((&summary["status"], &summary["output"][0]["pageCount"]), (&json!("completed"), &json!(1)), "{summary}");
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    for wanted in [
        "Unpaid invoices, November 2026",
        "5 invoices are unpaid, 2,027.89 EUR",
        "By region",
        "West",
        "INV-1002",
        "Grace Hopper",
        "1 / 1",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn a_character_that_no_font_has_is_named_and_nothing_is_written() {
    let place = TestHome::new();
    let path = place.dir.path().canonicalize().expect("there").join("out.pdf");
    let config = json!({ "path": path, "content": "Dear {{'發'}}", "machineFonts": false });
    let summary = run(&place, &[("pdf.write", config)]);
    let details = &summary["error"]["details"];
    assert_eq!((&details["code"], &details["characters"]), (&json!("NO_GLYPH"), &json!(["發 (U+767C)"])), "{summary}");
    assert!(!path.exists());
}

/// A page whose parent is itself: the library looks for its size without end, and its stack ends the process.
#[test]
fn a_pdf_that_kills_its_reader_is_an_error_and_the_run_goes_on() {
    let place = TestHome::new();
    let text = "BT /F1 12 Tf 50 700 Td (Total 12.50 EUR) Tj ET";
    let good = pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        &format!("<< /Length {} >>\nstream\n{text}\nendstream", text.len()),
    ]);
    let path = write(&place, "good.pdf", &good);
    let summary = run(&place, &[("pdf.read", json!({ "path": path, "output": "pages" }))]);
    assert_eq!(summary["output"], json!([{ "page": 1, "text": "Total 12.50 EUR" }]), "{summary}");
    let hostile = pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 3 0 R /Contents 4 0 R >>",
        "<< /Length 0 >>\nstream\n\nendstream",
    ]);
    let path = write(&place, "hostile.pdf", &hostile);
    let summary = run(&place, &[("pdf.read", json!({ "path": path }))]);
    let code = &summary["error"]["details"]["code"];
    assert!(["READER_FAILED", "BAD_PDF"].contains(&code.as_str().unwrap_or_default()), "{summary}");
}

/// The sample, from the file to the totals.
#[test]
fn the_sample_adds_up_the_orders_of_a_parquet_file() {
    let place = TestHome::new();
    let sample = include_str!("../../../app/samples/shipped-orders.signalbox.json");
    let file = place.file("sample.json", sample).display().to_string();
    let summary = place.run(&["run", &file, "--json"]).last();
    let totals = json!([
        { "region": "West", "orders": 2, "total": 1300.49 },
        { "region": "North", "orders": 1, "total": 29 },
        { "region": "East", "orders": 2, "total": 1186 },
    ]);
    assert_eq!((&summary["status"], &summary["output"]), (&json!("completed"), &totals), "{summary}");
}

const ORDERS: &[u8] = include_bytes!("../../../adapters/samples/orders.parquet");

#[test]
fn a_parquet_file_is_read_from_a_folder_and_from_bytes() {
    let place = TestHome::new();
    let path = write(&place, "orders.parquet", ORDERS);
    let wanted = json!([{ "order": 1008, "day": "2026-11-08" }]);
    let options = json!({ "columns": ["order", "day"], "offset": 7 });
    let with = |source: Value| {
        let mut config = options.clone();
        config.as_object_mut().expect("an object").extend(source.as_object().expect("an object").clone());
        config
    };
    let summary = run(&place, &[("table.read", with(json!({ "path": path })))]);
    assert_eq!(summary["output"], wanted, "{summary}");
    let steps =
        [("file.read", json!({ "path": path, "as": "binary" })), ("table.read", with(json!({ "binary": "content" })))];
    let summary = run(&place, &steps);
    assert_eq!(summary["output"], wanted, "{summary}");
    let table = run(&place, &[("table.read", with(json!({ "path": path, "output": "table", "limit": 1 })))]);
    let table = &table["output"][0];
    assert_eq!((&table["rowCount"], &table["rows"]), (&json!(8), &wanted), "{table}");
}

/// A file that is cut off, one of another kind, and one that says that a page has more bytes than there are.
#[test]
fn a_parquet_file_that_cannot_be_read_is_a_coded_error() {
    let place = TestHome::new();
    let cut = write(&place, "cut.parquet", &ORDERS[..ORDERS.len() - 20]);
    let other = write(&place, "other.parquet", b"<html></html>");
    for (path, code) in [(cut, "BAD_PARQUET"), (other, "UNKNOWN_FORMAT")] {
        let summary = run(&place, &[("table.read", json!({ "path": path }))]);
        assert_eq!(summary["error"]["details"]["code"], code, "{summary}");
    }
}
