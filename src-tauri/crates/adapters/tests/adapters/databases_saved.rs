//! Rows of databases that go to a file while they come: the file is what the items would give.

use crate::common;
use crate::database_servers::{Peer, with, world};
use serde_json::{Value, json};
use signalbox_adapters::{FolderFiles, Grant};
use std::fs;
use std::path::Path;

/// A world that may write into a folder.
pub(crate) fn in_folder(folder: &Path, base: Value) -> Peer {
    let grant = Grant { folder: folder.to_owned(), workflow: None, write: true };
    Peer { world: world(FolderFiles::new(vec![grant])), base }
}

/// The file of a statement is what *Write file* makes of its items, and its lines of JSON are the items.
pub(crate) async fn is_what_items_give(peer: &Peer, folder: &Path, sql: &str) {
    let items = peer.query(sql, json!({})).await.expect("read");
    let [saved, written, lines] = ["saved.csv", "written.csv", "saved.jsonl"].map(|name| folder.join(name));
    let save = json!({ "sql": sql, "saveTo": saved });
    let told = peer.step("db.query", save, vec![json!({})]).await.expect("saved");
    let write = json!({ "path": written, "as": "csv", "content": items });
    common::run(&peer.world, "file.write", write, json!({})).await.expect("written");
    let text = fs::read_to_string(&saved).expect("the file");
    assert_eq!(text, fs::read_to_string(&written).expect("the other file"));
    assert_eq!(told, [json!({ "path": saved, "size": text.len(), "rows": items.len() })]);
    peer.step("db.query", json!({ "sql": sql, "saveTo": lines }), vec![json!({})]).await.expect("saved");
    let lines = fs::read_to_string(&lines).expect("the file");
    let values: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(values, items);
}

/// More than what is written at once, as numbers from 1 in the column `n`.
pub(crate) async fn many(peer: &Peer, folder: &Path, sql: &str, count: usize) {
    let path = folder.join("many.csv");
    let save = json!({ "sql": sql, "saveTo": path, "header": false, "separator": "semicolon" });
    let told = peer.step("db.query", save, vec![json!({})]).await.expect("saved");
    assert_eq!(told[0]["rows"], count);
    let text = fs::read_to_string(&path).expect("the file");
    assert!(text.lines().zip(1..).all(|(line, n)| line.split(';').next() == Some(&n.to_string())));
    assert_eq!(text.lines().count(), count);
}

#[tokio::test]
async fn rows_of_a_file_are_saved_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = json!({ "system": "sqlite", "file": folder.path().join("shop.db"), "create": true });
    let peer = in_folder(folder.path(), base);
    peer.change("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT, number REAL, bytes BLOB)", json!({}))
        .await
        .expect("made");
    let rows = vec![
        json!({ "id": 1, "text": "a \"quote\", a comma;\na line", "number": 0.1, "bytes": "AAH/" }),
        json!({ "id": i64::MAX, "text": "", "number": 1e300, "bytes": null }),
        json!({ "id": 3, "text": " sep=\\ 漢", "number": -0.5, "bytes": null }),
        json!({ "id": 4, "text": null, "number": 1e-7, "bytes": null }),
        json!({ "id": 5, "text": "sep=é", "number": 12_345_678.9, "bytes": null }),
    ];
    peer.step("db.write", json!({ "table": "t" }), rows).await.expect("written");
    let all = "SELECT *, id AS \"odd \"\", \\ name\", number AS [sep=x] FROM t ORDER BY id";
    is_what_items_give(&peer, folder.path(), all).await;
    let series = "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 20000) \
                  SELECT n, 'a text of some words; ' || n AS words FROM s";
    many(&peer, folder.path(), series, 20_000).await;

    let path = folder.path().join("saved.csv");
    let save = |more: Value| with(&json!({ "saveTo": path, "sql": "SELECT id, text FROM t WHERE id > :id" }), more);
    let none = save(json!({ "params": { "id": i64::MAX } }));
    assert_eq!(peer.step("db.query", none, vec![json!({})]).await.expect("saved")[0]["rows"], 0);
    assert_eq!(fs::read_to_string(&path).expect("the file"), "id,text\n", "columns are known without a row");

    let before = folder.path().read_dir().expect("read").count();
    let late = "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 30000) \
                SELECT n, CASE WHEN n = 30000 THEN CAST(x'ff' AS TEXT) ELSE 'a text of some words' END AS words FROM s";
    for (more, code) in [
        (json!({ "sql": late }), "UNSUPPORTED_TYPE"),
        (json!({ "sql": late, "maxRows": 29_000 }), "TOO_MANY_ROWS"),
        (json!({ "sql": "SELECT * FROM nobody" }), "UNKNOWN_TABLE"),
        (json!({ "sql": "SELECT 1 AS \"\"" }), "SCHEMA_MISMATCH"),
        (json!({ "sql": "SELECT 'a' || char(0) AS nul" }), "SCHEMA_MISMATCH"),
        (json!({ "sql": "SELECT 1 AS a, 2 AS a" }), "DUPLICATE_COLUMN"),
        (json!({ "sql": "DELETE FROM t" }), "READ_ONLY"),
        (json!({ "sql": "DELETE FROM t RETURNING id", "access": "write" }), "INPUT_INVALID"),
        (json!({ "sql": "SELECT 1 AS a", "saveTo": "/etc/rows.csv" }), "PATH_REFUSED"),
        (json!({ "sql": "SELECT 1 AS a", "saveAs": "sheet" }), "INPUT_INVALID"),
    ] {
        let failed = peer.step("db.query", save(more), vec![json!({})]).await.expect_err(code);
        assert_eq!(failed.code, code, "{failed:?}");
    }
    let failed = peer.step("db.query", save(json!({})), vec![json!({})]).await.expect_err("no value for :id");
    assert_eq!(failed.code, "INPUT_INVALID");
    assert_eq!(fs::read_to_string(&path).expect("it is there"), "id,text\n", "what was there stays");
    assert_eq!(folder.path().read_dir().expect("read").count(), before, "nothing else is left");
    assert_eq!(peer.query("SELECT count(*) AS n FROM t", json!({})).await.expect("read"), [json!({ "n": 5 })]);
}
