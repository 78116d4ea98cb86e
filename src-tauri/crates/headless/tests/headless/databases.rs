//! Steps for databases with the real program and SQLite, which needs no server.

use crate::support::{TestHome, workflow};
use serde_json::{Value, json};

const SAMPLE: &str = include_str!("../../../app/samples/orders-in-a-database.signalbox.json");

#[test]
fn the_sample_asks_its_database_with_a_parameter() {
    let place = TestHome::new();
    let file = place.file("asked.signalbox.json", SAMPLE).display().to_string();
    let report = |params: Value| {
        let done = place.run(&["run", &file, "--params", &params.to_string(), "--json"]).json();
        assert_eq!(done["status"], "completed", "{done}");
        done["output"][0]["report"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(report(json!({})), "name,orders,total\nChen Li,1,240\nAda Berg,1,120.5\nBruno Costa,1,80\n");
    assert_eq!(report(json!({ "status": "cancelled" })), "name,orders,total\nChen Li,1,15.25\n");
}

/// Data never becomes part of SQL: a file that tries is refused with what to write instead, and a folder is opened by a person.
#[test]
fn sql_takes_parameters_and_files_need_a_grant() {
    let place = TestHome::new();
    let flow = |sql: &str| {
        let query = json!({ "type": "db.query", "config": {
            "system": "sqlite", "file": place.dir.path().join("shop.db"), "sql": sql, "access": "write", "create": true,
        }});
        workflow(json!({ "a": query }), json!([])).to_string()
    };
    let file =
        place.file("pasted.signalbox.json", flow("DELETE FROM t WHERE id = '{{ item.id }}'")).display().to_string();
    let told = place.run(&["validate", &file, "--json"]);
    assert!(
        told.out.contains("/nodes/a/config/sql") && told.out.contains("Write :id instead"),
        "{}{}",
        told.out,
        told.err
    );

    let file = place.file("made.signalbox.json", flow("CREATE TABLE t (id INTEGER)")).display().to_string();
    let refused = place.run(&["run", &file, "--json"]).json();
    assert_eq!(refused["error"]["details"]["code"], "PATH_REFUSED", "{refused}");
    let folder = format!("{}:rw", place.dir.path().display());
    let made = place.run(&["run", &file, "--allow-dir", &folder, "--json"]).json();
    assert_eq!(made["output"][0]["affectedRows"], 0, "{made}");
}

/// Rows of a query lie in files like those of a file (ADR 163): what is above 8 MiB goes on to the file that they are written to.
#[test]
fn rows_of_a_query_that_are_larger_than_memory_keeps_go_into_a_file() {
    let place = TestHome::new();
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10500) \
               SELECT i, hex(zeroblob(450)) AS wide FROM n";
    let file = place.dir.path().join("out.csv");
    let query = json!({ "type": "db.query", "config": {
        "system": "sqlite", "file": place.dir.path().join("made.db"), "sql": sql, "access": "write", "create": true,
    }});
    let write = json!({ "type": "file.write", "mode": "all", "config": { "path": file, "as": "csv", "rows": true } });
    let flow = workflow(json!({ "a": query, "b": write }), json!([{ "from": "a.success", "to": "b" }])).to_string();
    let flow = place.file("wide.signalbox.json", flow).display().to_string();
    let folder = format!("{}:rw", place.dir.path().display());
    let done = place.run(&["run", &flow, "--allow-dir", &folder, "--json"]).json();
    assert_eq!(done["output"][0]["rows"], 10_500, "{done}");
    let text = std::fs::read_to_string(file).expect("written");
    assert_eq!(
        (text.lines().count(), text.lines().last().map(|line| line.starts_with("10500,0000"))),
        (10_501, Some(true))
    );
}
