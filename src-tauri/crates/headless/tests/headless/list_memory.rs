//! Lists of any length take little memory, wherever they come from (D-20): the real program, its peak as the system tells it.

use crate::support;

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Command;
use std::thread;
use support::{TestHome, workflow};

/// Starts a program and tells, after it, the most memory that it had, KiB.
const MEASURE: &str = "import resource, subprocess, sys\n\
    code = subprocess.run(sys.argv[1:]).returncode\n\
    print('\\npeak', resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n\
    sys.exit(code)";

/// Runs a workflow in the folder of the test: its summary, and the most memory of its process in MiB.
fn measured(place: &TestHome, nodes: Value, edges: Value) -> (Value, usize) {
    let folder = place.dir.path().canonicalize().expect("there");
    let file = place.file("lists.signalbox.json", workflow(nodes, edges).to_string());
    let output = Command::new("python3")
        .args(["-c", MEASURE, env!("CARGO_BIN_EXE_signalbox"), "run"])
        .arg(file)
        .arg("--allow-dir")
        .arg(format!("{}:rw", folder.display()))
        .arg("--json")
        .env("SIGNALBOX_DATA", place.data())
        .current_dir(folder)
        .output()
        .expect("python3");
    let text = String::from_utf8(output.stdout).expect("text");
    let (told, peak) = text.rsplit_once("\npeak ").expect("a peak");
    let summary = told.lines().rfind(|line| !line.is_empty());
    let summary = serde_json::from_str(summary.expect("a summary")).expect("JSON");
    (summary, peak.trim().parse::<usize>().expect("a number") / 1024)
}

/// Rows of a file through a filter and a change into another file: five times the rows take as much memory.
#[test]
fn d_20_memory_does_not_grow_with_rows() {
    let peak = |rows: usize| {
        let place = TestHome::new();
        let mut text = String::from("id,name,amount\n");
        for id in 0..rows {
            writeln!(text, "{id},item {id},{}", id % 10).expect("a text takes it");
        }
        place.file("rows.csv", text);
        let (summary, peak) = measured(
            &place,
            json!({
                "read": { "type": "file.read", "config": { "path": "rows.csv", "as": "csv", "rows": true } },
                "keep": { "type": "data.filter", "config": { "when": "int(item.amount) < 9" } },
                "map": { "type": "data.transform", "config": { "expression": "{'id': item.id, 'double': int(item.amount) * 2}" } },
                "write": { "type": "file.write", "mode": "all", "config": { "path": "out.csv", "as": "csv", "rows": true } },
            }),
            json!([
                { "from": "read.success", "to": "keep" }, { "from": "keep.success", "to": "map" }, { "from": "map.success", "to": "write" }
            ]),
        );
        assert_eq!(summary["status"], "completed", "{summary}");
        let written = std::fs::read_to_string(place.dir.path().join("out.csv")).expect("the file");
        let wanted = (0..rows).filter(|id| id % 10 < 9).map(|id| format!("{id},{}", id % 10 * 2));
        assert!(written.lines().skip(1).eq(wanted), "every row, in order");
        peak
    };
    let (few, many) = (peak(10_000), peak(50_000));
    println!("10,000 rows: {few} MiB, 50,000: {many} MiB");
    assert!(many < 200 && many.saturating_sub(few) < 16, "{few} and {many} MiB");
}

/// An answer that is larger than what may be held at once, line by line from a real socket.
#[test]
fn d_20_lines_above_64_mib_come_over_a_socket() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (lines, fill) = (34_000, "x".repeat(2_048));
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = [0; 4096];
            drop(stream.read(&mut request));
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\nconnection: close\r\n\r\n";
            drop(stream.write_all(head.as_bytes()));
            for n in 0..lines {
                drop(stream.write_all(format!("{{\"n\":{n},\"fill\":\"{fill}\"}}\n").as_bytes()));
            }
        }
    });
    let place = TestHome::new();
    let (summary, peak) = measured(
        &place,
        json!({
            "ask": { "type": "http.request", "config": { "url": url, "responseType": "lines", "items": "$", "limit": 1_000_000 } },
            "sums": { "type": "data.summarise", "config": { "by": [], "statistics": [
                { "what": "sum", "field": "n" }, { "what": "count" }
            ] } },
        }),
        json!([{ "from": "ask.success", "to": "sums" }]),
    );
    assert_eq!(summary["status"], "completed", "{summary}");
    let sums = &summary["output"][0];
    println!("{peak} MiB, {sums}");
    assert_eq!((&sums["count"], &sums["sum_n"]), (&json!(lines), &json!(lines * (lines - 1) / 2)), "{sums}");
    assert!(peak < 200, "{peak} MiB");
}
