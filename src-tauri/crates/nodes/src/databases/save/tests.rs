use super::{Ready, Rows, WRITE};
use crate::csv_table::Layout;
use crate::file_rows::RowFormat;
use serde_json::{Value, json};
use signalbox_ports::databases::RowSink as _;
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
