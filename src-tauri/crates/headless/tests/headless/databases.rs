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
