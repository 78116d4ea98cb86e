//! What looking at a run takes in the server (ADR 186): bytes of memory for each further byte of the table that the run read, of a
//! separate server for each size. Compared, not timed.

use crate::support::{Serving, TestHome, eventually};
use serde_json::{Value, json};
use std::fmt::Write;

/// A table of four columns, 33 bytes a row.
fn table(rows: usize) -> String {
    let mut text = "id,name,city,amount\n".to_owned();
    for row in 0..rows {
        let _ = writeln!(text, "{row:06},customer {:03},Berlin,{:02}.50", row % 997, row % 100);
    }
    text
}

/// Bytes that the server has had at most, in kilobytes; nothing where the system does not tell it.
fn peak(serving: &Serving) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", serving.child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Starts the peak anew; false where that is not possible.
fn reset(serving: &Serving) -> bool {
    std::fs::write(format!("/proc/{}/clear_refs", serving.child.id()), "5").is_ok()
}

/// How much each look takes after a run over a table of so many rows, in kilobytes, and how long the table is, in bytes.
fn looked(rows: usize) -> Option<(Vec<usize>, usize)> {
    let place = TestHome::new();
    let text = table(rows);
    let file = place.file("t.csv", &text);
    let folder = file.parent().expect("a folder").display().to_string();
    let serving = Serving::start(&place, &["--allow-dir", &folder]);
    let document = json!({
        "signalbox": 1, "id": "big", "name": "Big",
        "nodes": {
            "read": { "type": "file.read", "config": { "path": file.display().to_string(), "as": "csv" } },
            "look": { "type": "data.transform", "config": { "expression": "{'rows': item.content.size()}" } }
        },
        "edges": [{ "from": "read.success", "to": "look" }]
    });
    let started = serving.ask("POST", "/rpc/run_start", &json!({ "document": document, "params": {} }));
    let run = started.json()["runId"].as_str().expect("a run").to_owned();
    eventually("the run ends", || {
        serving.ask("POST", "/rpc/run_list", &json!({ "limit": 1 })).json()["runs"][0]["status"] == "completed"
    });
    let preview = |text: &str| json!({ "document": document, "nodeId": "look", "text": text, "kind": "cel" });
    let checkpoint = format!("/workflow/{run}/checkpoint");
    let looks: [(&str, &str, Value); 3] = [
        ("POST", "/rpc/run_step_data", json!({ "workflowId": "big", "nodeId": "look" })),
        ("POST", "/rpc/expression_preview", preview("item.content[7].id")),
        ("GET", checkpoint.as_str(), Value::Null),
    ];
    let mut taken = Vec::new();
    for (method, path, body) in looks {
        if !reset(&serving) {
            return None;
        }
        let before = peak(&serving)?;
        let answer = serving.ask(method, path, &body);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        if path == "/rpc/expression_preview" {
            assert_eq!(answer.json()["value"], "000007", "{}", answer.body);
        }
        taken.push(peak(&serving)?.saturating_sub(before));
    }
    Some((taken, text.len()))
}

/// With values of the table in what is kept of a run for previews, a look took 75, 37 and 38 bytes for each byte of the file; with a copy
/// for each event that has the table, 8 or 9.
#[test]
fn looking_at_a_run_makes_no_values_of_its_table() {
    let (Some((few, short)), Some((many, long))) = (looked(15_000), looked(60_000)) else { return };
    for ((few, many), most) in few.iter().zip(&many).zip([6, 6, 6]) {
        let times = many.saturating_sub(*few) * 1024 / (long - short);
        assert!(
            times <= most,
            "{times} bytes for each further byte of the table: {few} and {many} KB of {short} and {long} bytes"
        );
    }
}
