//! Spreadsheets, PDF and archives through their steps, with files that are made here.

use crate::common;
use crate::mail::Cancelled;
use async_trait::async_trait;
use common::{FakeHttp, answer, call, slot, world};
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use signalbox_documents::archive::{Format, pack};
use signalbox_documents::sheet::{SheetRows, WriteOptions, write};
use signalbox_engine::effect::{CallOutput, CallSlot};
use signalbox_model::{Binaries, BinaryRef, Data, Effects, Item, Mode, NodeFailure};
use signalbox_nodes::{kind, run_call};
use signalbox_ports::{
    DocumentCall, DocumentFailure, Documents, FilePieces, FillCall, FilledDocument, MadeDocument, TableCall, TableRows,
    World,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A workbook with two rows.
pub(crate) fn invoices() -> Vec<u8> {
    let rows = [
        json!({ "invoice": "INV-1", "customer": "Ada", "amount": 120.5, "due": "2026-11-28", "paid": true }),
        json!({ "invoice": "INV-2", "customer": "Grace", "amount": 80, "due": "2026-12-05", "paid": false }),
    ];
    write(&[SheetRows { name: "Invoices".into(), rows: rows.iter().collect() }], &WriteOptions::default())
        .expect("a workbook")
}

/// A template of an invoice, with a row for each line and a total.
pub(crate) fn invoice_template() -> Vec<u8> {
    let row = |a: &str, b: &str| json!({ "a": a, "b": b });
    let rows = [
        row("Invoice {{number}}", ""),
        row("{{customer.name}}", ""),
        row("Item", "Amount"),
        row("{{lines.item}}", "{{lines.amount}}"),
        row("Total", "=SUM(B4)"),
    ];
    let options = WriteOptions { header: false, formulas: true, ..WriteOptions::default() };
    write(&[SheetRows { name: "Invoice".into(), rows: rows.iter().collect() }], &options).expect("a workbook")
}

/// A PDF with two pages.
pub(crate) fn letter() -> Vec<u8> {
    let page = |text: &str| format!("BT /F1 12 Tf 50 700 Td ({text}) Tj ET");
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [4 0 R 6 0 R] /Count 2 >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    for (content, text) in [(5, page("Invoice 7")), (7, page("Terms"))] {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents {content} 0 R >>"
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{text}\nendstream", text.len()));
    }
    let mut out = "%PDF-1.4\n".to_owned();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (index, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", out.len()));
        out.push_str(&format!("{} 0 obj\n{object}\nendobj\n", index + 1));
    }
    let trailer = format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{}\n%%EOF\n", objects.len() + 1, out.len());
    (out + &table + &trailer).into_bytes()
}

/// A ZIP with a text and a table.
pub(crate) fn archive() -> Vec<u8> {
    let files =
        [("a/letter.txt".to_owned(), b"hello".to_vec()), ("table.csv".to_owned(), b"id,name\n1,Ada\n".to_vec())];
    pack(Format::Zip, &files).expect("an archive")
}

fn run(world: &World, kind_name: &str, slot: CallSlot) -> Result<CallOutput, NodeFailure> {
    let mut call = call(kind_name, Effects::Read, slot);
    call.mode = Mode::All;
    let code = kind(kind_name).expect("a kind");
    let mut results = run_call(code, &call, world, &signalbox_ports::Unheard).now_or_never().expect("nothing waits");
    results.remove(0).1
}

fn items(output: &CallOutput) -> Vec<Item> {
    output
        .ports
        .iter()
        .filter(|(port, _)| *port == "success")
        .flat_map(|(_, items)| items.iter().map(|item| item.into_owned()))
        .collect()
}

/// Nothing in the world of these tests waits.
fn now(test: impl Future<Output = ()>) {
    test.now_or_never().expect("nothing waits");
}

fn here() -> World {
    world(FakeHttp::new(|_| Ok(answer(404, &[], ""))))
}

/// Items with these bytes each.
async fn with_bytes(world: &World, config: Value, all: &[(Value, Vec<u8>)]) -> CallSlot {
    let data: Vec<Value> = all.iter().map(|(data, _)| data.clone()).collect();
    let mut slot = slot(config, &data);
    let mut items = Vec::new();
    for (index, (data, bytes)) in all.iter().enumerate() {
        let sha = world.binaries.keep("r", bytes.clone()).await.expect("kept");
        let bytes = BinaryRef::new(sha, "application/octet-stream", bytes.len() as u64);
        let mut item = Item::new((index + 1).to_string(), data.clone());
        item.binary = Some(Binaries::from_iter([("content".to_owned(), bytes)]));
        items.push(item);
    }
    slot.input = Arc::new(items.into());
    slot
}

#[test]
fn what_one_step_writes_another_reads() {
    now(async {
        let world = here();
        let rows = [
            json!({ "region": "N", "amount": 12.5, "day": "2026-11-28", "id": "007" }),
            json!({ "region": "S", "amount": 7, "day": null, "id": "=1+1" }),
        ];
        let written =
            run(&world, "sheet.write", slot(json!({ "to": "bytes", "sheetField": "region" }), &rows)).expect("written");
        let item = items(&written).remove(0);
        let reference = item.binary.as_ref().expect("bytes")["file"].clone();
        assert_eq!(item.data["sheets"], json!([{ "sheet": "N", "rows": 1 }, { "sheet": "S", "rows": 1 }]));
        let bytes = world.binaries.read("r", &reference.sha256).await.expect("kept").expect("there");
        let config = json!({ "binary": "content", "output": "sheets" });
        let back =
            run(&world, "sheet.read", with_bytes(&world, config, &[(json!({}), bytes.clone())]).await).expect("read");
        let sheets = items(&back);
        assert_eq!((sheets.len(), &sheets[0].data["rows"][0], &sheets[1].data["rows"][0]), (2, &rows[0], &rows[1]));
        assert_eq!(
            (&sheets[1].data["sheet"], &sheets[1].data["sheets"], &sheets[1].data["format"]),
            (&json!("S"), &json!(["N", "S"]), &json!("xlsx"))
        );
        // The sheets that were read are written again as they are.
        let described: Vec<Value> = sheets.iter().map(|sheet| (*sheet.data).clone()).collect();
        let again = run(&world, "sheet.write", slot(json!({ "to": "bytes", "content": "sheets" }), &described))
            .expect("written");
        assert_eq!(items(&again)[0].data["sheets"], item.data["sheets"]);
        let config = json!({ "binary": "content", "sheet": "S" });
        let one = run(&world, "sheet.read", with_bytes(&world, config, &[(json!({}), bytes)]).await).expect("read");
        assert_eq!(items(&one).iter().map(|item| (*item.data).clone()).collect::<Vec<_>>(), [rows[1].clone()]);
    });
}

#[test]
fn a_text_file_is_read_in_its_encoding_and_says_so() {
    now(async {
        let world = here();
        let latin = b"name;stadt\nJos\xe9;Z\xfcrich\n".to_vec();
        let config = |more: Value| {
            let mut config = json!({ "binary": "content", "output": "sheets" });
            config.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            config
        };
        let read =
            run(&world, "sheet.read", with_bytes(&world, config(json!({})), &[(json!({}), latin.clone())]).await)
                .expect("read");
        let wanted = json!({ "format": "csv", "encoding": "windows-1252", "separator": "semicolon", "quote": "double", "hasByteOrderMark": false,
        "rows": [{ "name": "José", "stadt": "Zürich" }] });
        assert_eq!(*items(&read)[0].data, wanted);
        let utf16: Vec<u8> =
            [0xff, 0xfe].into_iter().chain("a,b\n'1,5',2\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let read = run(&world, "sheet.read", with_bytes(&world, config(json!({})), &[(json!({}), utf16)]).await)
            .expect("read");
        let data = items(&read).remove(0).data;
        assert_eq!(
            (&data["encoding"], &data["quote"], &data["rows"]),
            (&json!("utf-16le"), &json!("single"), &json!([{ "a": "1,5", "b": "2" }]))
        );
        let failure = run(
            &world,
            "sheet.read",
            with_bytes(&world, config(json!({ "encoding": "utf-8" })), &[(json!({}), latin)]).await,
        );
        assert_eq!(failure.expect_err("not UTF-8").code, "NOT_TEXT");
    });
}

#[test]
fn a_template_is_filled_from_a_file_or_bytes_with_an_item_or_all() {
    now(async {
        let world = here();
        let order = json!({ "number": 7, "customer": { "name": "Ada" }, "lines": [{ "item": "Pen", "amount": 2.5 }] });
        let config =
            json!({ "template": "sample:invoice-template.xlsx", "to": "bytes", "cells": { "Invoice!A9": "paid" } });
        let call = call("sheet.fill", Effects::Read, slot(config, std::slice::from_ref(&order)));
        let code = kind("sheet.fill").expect("a kind");
        let filled = run_call(code, &call, &world, &signalbox_ports::Unheard).await.remove(0).1.expect("filled");
        let item = items(&filled).remove(0);
        assert_eq!((&item.data["cells"], item.paired_item), (&json!(5), Some(0)));
        let reference = item.binary.as_ref().expect("bytes")["file"].clone();
        assert_eq!(reference.mime, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
        let bytes = world.binaries.read("r", &reference.sha256).await.expect("kept").expect("there");
        let read = json!({ "binary": "content", "header": false });
        let back = run(&world, "sheet.read", with_bytes(&world, read, &[(json!({}), bytes)]).await).expect("read");
        let column: Vec<Value> = items(&back).iter().map(|item| item.data["column1"].clone()).collect();
        assert_eq!(
            column,
            [json!("Invoice 7"), json!("Ada"), json!("Item"), json!("Pen"), json!("Total"), json!("paid")]
        );

        // The template came with the item, and the data are what an expression gives.
        let config = json!({ "binary": "content", "to": "bytes", "data": "item.order" });
        let given = [(json!({ "order": order }), invoice_template())];
        let filled = run(&world, "sheet.fill", with_bytes(&world, config, &given).await).expect("filled");
        assert_eq!(items(&filled)[0].data["lists"][0]["count"], 1);

        // All items together are a list.
        let rows = [json!({ "a": "{{items.name}}" })];
        let list = write(&[SheetRows { name: "S".into(), rows: rows.iter().collect() }], &WriteOptions::default());
        let names = [json!({ "name": "Ada" }), json!({ "name": "Grace" })];
        let with_template = [(names[0].clone(), list.expect("a workbook")), (names[1].clone(), Vec::new())];
        let mut slot = with_bytes(&world, json!({ "binary": "content", "to": "bytes" }), &with_template[..1]).await;
        let second = Item::new("2".to_owned(), names[1].clone());
        slot.input =
            Arc::new(slot.input.iter().map(|item| item.into_owned()).chain([second]).collect::<Vec<_>>().into());
        let filled = run(&world, "sheet.fill", slot).expect("filled");
        assert_eq!(
            items(&filled)[0].data["lists"],
            json!([{ "sheet": "S", "list": "items", "rows": "2:3", "count": 2 }])
        );
    });
}

/// A large table stays text, and each row of it is an item.
#[test]
fn a_long_list_of_rows_becomes_items() {
    now(async {
        let world = here();
        let rows: Vec<Value> = (0..5_000)
            .map(|n| json!({ "id": n, "name": format!("Customer with a name {n}"), "note": "x".repeat(60) }))
            .collect();
        let sheets = [SheetRows { name: "S".into(), rows: rows.iter().collect() }];
        let book = write(&sheets, &WriteOptions::default()).expect("a workbook");
        let read =
            run(&world, "sheet.read", with_bytes(&world, json!({ "binary": "content" }), &[(json!({}), book)]).await)
                .expect("read");
        let items = items(&read);
        assert_eq!((items.len(), &*items[4_999].data, items[7].paired_item), (5_000, &rows[4_999], Some(0)));
        assert!(
            read.ports.iter().any(|(_, items)| matches!(items.kept(4_500), Some(Data::Text(_)))),
            "rows are kept as text"
        );
    });
}

#[test]
fn archives_are_packed_of_bytes_and_unpacked_to_items() {
    now(async {
        let world = here();
        let files =
            [(json!({ "name": "in/a.csv" }), b"id\n1\n".to_vec()), (json!({ "name": "b.txt" }), b"hello".to_vec())];
        let config = json!({ "to": "bytes", "format": "tar.gz", "name": "item.name", "binary": "content" });
        let packed = run(&world, "archive.pack", with_bytes(&world, config, &files).await).expect("packed");
        let reference = items(&packed).remove(0).binary.expect("bytes")["file"].clone();
        let bytes = world.binaries.read("r", &reference.sha256).await.expect("kept").expect("there");
        let config = json!({ "binary": "content", "pattern": "*.csv" });
        let unpacked =
            run(&world, "archive.unpack", with_bytes(&world, config, &[(json!({}), bytes)]).await).expect("unpacked");
        let all = items(&unpacked);
        let names: BTreeMap<_, _> = all
            .iter()
            .map(|item| (item.data["path"].as_str().expect("a path").to_owned(), item.data["size"].clone()))
            .collect();
        assert_eq!(names, BTreeMap::from([("in/a.csv".to_owned(), json!(5))]));
        let content = &all[0].binary.as_ref().expect("bytes")["file"];
        assert_eq!(world.binaries.read("r", &content.sha256).await.expect("kept").as_deref(), Some(&b"id\n1\n"[..]));
        assert_eq!(content.mime, "text/csv");
        let config = json!({ "to": "bytes", "name": "item.name", "binary": "photo" });
        let failure = run(&world, "archive.pack", with_bytes(&world, config, &files).await).expect_err("no bytes");
        assert_eq!((failure.code.as_str(), &failure.details["available"]), ("BINARY_MISSING", &json!(["content"])));
    });
}

#[test]
fn two_sources_or_two_contents_are_refused() {
    now(async {
        let world = here();
        for (kind, config) in [
            ("sheet.read", json!({ "path": "a.xlsx", "binary": "content" })),
            ("pdf.read", json!({ "path": "", "binary": "" })),
            ("table.read", json!({ "path": "a.parquet", "binary": "content" })),
            ("table.read", json!({ "path": "sample:orders.parquet", "limit": 0 })),
            ("table.read", json!({ "path": "sample:orders.parquet", "columns": "order" })),
            ("table.read", json!({ "path": "sample:orders.parquet", "columns": [7] })),
            ("archive.pack", json!({ "to": "bytes", "name": "item.name", "content": "item", "binary": "content" })),
            ("sheet.write", json!({ "to": "file" })),
            ("sheet.fill", json!({ "to": "bytes" })),
            ("sheet.fill", json!({ "to": "bytes", "template": "a.xlsx", "binary": "content" })),
            ("sheet.fill", json!({ "template": "sample:invoice-template.xlsx", "path": "a.xlsx", "cells": [1] })),
            ("sheet.fill", json!({ "template": "sample:invoice-template.xlsx", "path": "a.xlsm", "missing": "empty" })),
            ("pdf.write", json!({ "to": "file", "content": "x" })),
        ] {
            let failure = run(&world, kind, slot(config, &[json!({ "name": "x" })])).expect_err(kind);
            assert_eq!(failure.code, "INPUT_INVALID", "{kind}: {}", failure.message);
        }
    });
}

#[test]
fn rows_of_a_parquet_file_come_from_bytes_of_an_item_and_say_from_which() {
    now(async {
        let world = here();
        let orders = include_bytes!("../../../adapters/samples/orders.parquet").to_vec();
        let config = json!({ "binary": "content", "columns": ["amount", "order"], "limit": 3 });
        let read =
            run(&world, "table.read", with_bytes(&world, config, &[(json!({}), orders.clone())]).await).expect("read");
        let rows = items(&read);
        assert_eq!(
            (rows.len(), &*rows[2].data, rows[2].paired_item),
            (3, &json!({ "amount": 29, "order": 1003 }), Some(0))
        );
        let config = json!({ "binary": "content", "columns": ["order"], "offset": 6, "output": "table" });
        let read = run(&world, "table.read", with_bytes(&world, config, &[(json!({}), orders)]).await).expect("read");
        let table = items(&read).remove(0).data;
        assert_eq!((&table["rowCount"], &table["rows"]), (&json!(8), &json!([{ "order": 1007 }, { "order": 1008 }])));
        let config = json!({ "binary": "content" });
        let failure = run(&world, "table.read", with_bytes(&world, config, &[(json!({}), b"PAR1 cut".to_vec())]).await);
        let failure = failure.expect_err("no Parquet file");
        assert!(
            failure.code == "BAD_PARQUET" && failure.message.starts_with("The file 'content' of the item: "),
            "{}",
            failure.message
        );
    });
}

/// Reads without end.
struct NeverDone;

#[async_trait]
impl Documents for NeverDone {
    async fn read(&self, _call: DocumentCall) -> Result<String, DocumentFailure> {
        std::future::pending().await
    }
    async fn read_table(
        &self,
        _call: TableCall,
        _file: &mut dyn FilePieces,
        _rows: &mut dyn TableRows,
    ) -> Result<String, DocumentFailure> {
        std::future::pending().await
    }
    async fn fill(&self, _call: FillCall) -> Result<FilledDocument, DocumentFailure> {
        std::future::pending().await
    }
    async fn make(&self, _call: DocumentCall) -> Result<MadeDocument, DocumentFailure> {
        std::future::pending().await
    }
}

#[test]
fn a_cancelled_run_leaves_a_long_parquet_file_and_a_long_pdf_at_once() {
    let world = World { documents: Arc::new(NeverDone), ..here() };
    let steps = [
        ("table.read", json!({ "path": "sample:orders.parquet" })),
        ("pdf.write", json!({ "to": "bytes", "content": "# Report" })),
    ];
    for (name, config) in steps {
        let call = call(name, Effects::Read, slot(config, &[json!({})]));
        let log = Cancelled::default();
        let code = kind(name).expect("a kind");
        let ended = run_call(code, &call, &world, &log).now_or_never();
        assert!(ended.is_none() && log.0.load(Ordering::Relaxed), "the driver ends the call of {name}");
    }
}
