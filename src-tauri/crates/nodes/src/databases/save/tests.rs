use super::{Ready, Rows, WRITE};
use crate::csv_table::Layout;
use crate::file_rows::RowFormat;
use serde_json::{Value, json};
use signalbox_ports::databases::{Cell, RowSink as _};
use signalbox_ports::{Scrubber, Secret};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

const TOKEN: &str = "a-token-of-0123456789";

fn rows(format: RowFormat, names: &[&str], rows: &[Value]) -> String {
    let scrubber = Scrubber::default();
    scrubber.add("erp", None, &Secret::new(TOKEN));
    let mut sink = Rows::new(format, Arc::default(), Arc::new(scrubber));
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    sink.columns(&names).expect("columns");
    rows.iter().for_each(|row| sink.row(&row.to_string()).expect("a row"));
    String::from_utf8(sink.take()).expect("text")
}

#[test]
fn secrets_of_this_machine_are_hidden_as_in_items() {
    let all = [json!({ "id": 1, "note": format!("\"{TOKEN}\", x") }), json!({ "id": 2, "note": "y" })];
    let csv = RowFormat::Csv(Layout::default());
    assert_eq!(rows(csv, &["id", "note"], &all), "id,note\n1,\"\"\"[secret:erp]\"\", x\"\n2,y\n");
    let lines = "{\"id\":1,\"note\":\"\\\"[secret:erp]\\\", x\"}\n{\"id\":2,\"note\":\"y\"}\n";
    assert_eq!(rows(RowFormat::JsonLines, &["id", "note"], &all), lines);
    let mut named = serde_json::Map::new();
    named.insert(TOKEN.to_owned(), 1.into());
    assert_eq!(rows(csv, &[TOKEN], &[named.into()]), "[secret:erp]\n1\n");
}

/// The same rows by their cells, as PostgreSQL gives them.
fn cells(names: &[&str], rows: &[&[Cell<'_>]]) -> String {
    let scrubber = Scrubber::default();
    for (name, value) in [("erp", TOKEN), ("pin", "12345678"), ("odd", "it's \"odd\", so")] {
        scrubber.add(name, None, &Secret::new(value));
    }
    let mut sink = Rows::new(RowFormat::Csv(Layout::default()), Arc::default(), Arc::new(scrubber));
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    sink.columns(&names).expect("columns");
    for row in rows {
        let cells = sink.cells().expect("a table takes cells");
        row.iter().for_each(|cell| cells.cell(*cell).expect("a cell"));
        cells.end().expect("a row");
    }
    String::from_utf8(sink.take()).expect("text")
}

#[test]
fn cells_are_written_as_rows_are_and_hide_the_same_secrets() {
    let plain: [&[Cell<'_>]; 4] = [
        &[Cell::Plain("1"), Cell::Text("a \"quote\", x"), Cell::Null],
        &[Cell::Plain("2026-01-01T00:00:00.000Z"), Cell::Text(""), Cell::Json("1.50")],
        &[Cell::Json("{\"a\":[1,null]}"), Cell::Text(" sep=;"), Cell::Json("\"line\\nbreak\"")],
        &[Cell::Null, Cell::Null, Cell::Plain("true")],
    ];
    let want = "a,b,c\n1,\"a \"\"quote\"\", x\",\n2026-01-01T00:00:00.000Z,,1.5\n\"{\"\"a\"\":[1,null]}\",\" sep=;\",\"line\nbreak\"\n,,true\n";
    assert_eq!(cells(&["a", "b", "c"], &plain), want);
    assert_eq!(cells(&["a"], &[&[Cell::Null], &[Cell::Text("x")]]), "a\n\"\"\nx\n", "a row of nothing is one");
    let words = format!("see {TOKEN}.");
    let tree = json!({ "n": 12_345_678, "t": "it's \"odd\", so" }).to_string();
    let hidden: [&[Cell<'_>]; 3] = [
        &[Cell::Text("12345678"), Cell::Text(&words)],
        &[Cell::Plain("12345678"), Cell::Json(&tree)],
        &[Cell::Text("it's \"odd\", so"), Cell::Text("a \"b\", c")],
    ];
    let want = "[secret:erp],b\n[secret:pin],see [secret:erp].\n[secret:pin],\"{\"\"n\"\":\"\"[secret:pin]\"\",\"\"t\"\":\"\"[secret:odd]\"\"}\"\n\
                [secret:odd],\"a \"\"b\"\", c\"\n";
    assert_eq!(cells(&[TOKEN, "b"], &hidden), want);
    // A secret is not one that two cells make together.
    let scrubbed = cells(&["a", "b"], &[&[Cell::Plain("1234"), Cell::Text("5678")], &[Cell::Text(TOKEN), Cell::Null]]);
    assert_eq!(scrubbed, "a,b\n1234,5678\n[secret:erp],\n");
}

/// A database gives rows faster than a disk takes them.
#[test]
fn a_piece_waits_until_the_file_takes_it() {
    let ready = Arc::new(Mutex::new(Ready::default()));
    let mut sink = Rows::new(RowFormat::JsonLines, Arc::clone(&ready), Arc::default());
    let mut context = Context::from_waker(Waker::noop());
    let row = json!({ "text": "x".repeat(WRITE / 2) }).to_string();
    let mut next = || {
        sink.row(&row).expect("a row");
        sink.poll_room(&mut context)
    };
    assert_eq!([next(), next()], [Poll::Ready(()), Poll::Ready(())]);
    assert!(ready.lock().expect("a piece").piece.len() > WRITE);
    assert_eq!([next(), next()], [Poll::Ready(()), Poll::Pending]);
    assert!(ready.lock().expect("a piece").waiting.is_some());
}
