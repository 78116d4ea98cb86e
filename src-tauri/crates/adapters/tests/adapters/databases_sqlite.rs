//! The steps for databases with SQLite files.

use crate::database_servers::{Peer, with, world};
use serde_json::json;
use signalbox_adapters::{FolderFiles, Grant};

fn place() -> (tempfile::TempDir, Peer) {
    let folder = tempfile::tempdir().expect("a folder");
    let grant = Grant { folder: folder.path().to_owned(), workflow: None, write: true };
    let file = folder.path().join("shop.db").display().to_string();
    let base = json!({ "system": "sqlite", "file": file });
    (folder, Peer { world: world(FolderFiles::new(vec![grant])), base })
}

#[tokio::test]
async fn a_file_is_made_written_and_read() {
    let (_folder, peer) = place();
    let failed = peer.query("SELECT 1", json!({})).await.expect_err("no file");
    assert_eq!(failed.code, "NOT_FOUND");
    let make = "CREATE TABLE stock (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, price REAL CHECK (price > 0), bytes BLOB)";
    peer.step("db.query", json!({ "sql": make, "access": "write", "create": true }), vec![json!({})])
        .await
        .expect("made");
    let rows = vec![
        json!({ "id": i64::MAX, "name": "a", "price": 0.1, "bytes": "AAH/" }),
        json!({ "id": 2, "name": "it's :x", "price": 3, "bytes": null }),
    ];
    let wrote = peer.step("db.write", json!({ "table": "stock" }), rows).await.expect("written");
    assert_eq!(wrote, [json!({ "table": "stock", "action": "insert", "items": 2, "rows": 2 })]);
    let sql = "SELECT id, name, price, bytes, typeof(bytes) AS kind FROM stock WHERE name <> :x ORDER BY id";
    assert_eq!(
        peer.query(sql, json!({ "x": "b" })).await.expect("read"),
        [
            json!({ "id": 2, "name": "it's :x", "price": 3, "bytes": null, "kind": "null" }),
            json!({ "id": i64::MAX, "name": "a", "price": 0.1, "bytes": "AAH/", "kind": "blob" }),
        ]
    );
    peer.fails("SQL_SYNTAX", "SELEC 1").await;
    peer.fails("SQL_SYNTAX", "SELECT 1; SELECT 2").await;
    peer.fails("UNKNOWN_TABLE", "SELECT * FROM nobody").await;
    peer.fails("UNKNOWN_COLUMN", "SELECT size FROM stock").await;
    peer.fails("UNKNOWN_FUNCTION", "SELECT unknown_one(1)").await;
    peer.fails("UNIQUE_VIOLATION", "INSERT INTO stock (name) VALUES ('a')").await;
    peer.fails("NOT_NULL_VIOLATION", "INSERT INTO stock (id) VALUES (9)").await;
    peer.fails("CHECK_VIOLATION", "INSERT INTO stock (name, price) VALUES ('z', -1)").await;
    let failed = peer.query("DELETE FROM stock", json!({})).await.expect_err("read only");
    assert_eq!(failed.code, "READ_ONLY");

    // The second row fails: the first one is not there either.
    let rows = vec![json!({ "id": 3, "name": "c" }), json!({ "id": 4, "name": "a" })];
    let failed = peer.step("db.write", json!({ "table": "stock" }), rows.clone()).await.expect_err("twice");
    assert_eq!((failed.code.as_str(), &failed.details["item"]), ("UNIQUE_VIOLATION", &json!(1)));
    assert_eq!(peer.query("SELECT count(*) AS n FROM stock", json!({})).await.expect("read"), [json!({ "n": 2 })]);
    let upsert = json!({ "table": "stock", "action": "upsert", "key": ["name"], "columns": [{ "column": "name" }, { "column": "price", "value": "2.0" }] });
    assert_eq!(peer.step("db.write", upsert.clone(), rows).await.expect("written")[0]["rows"], 2);
    let failed = peer
        .step("db.write", with(&upsert, json!({ "key": ["price"] })), vec![json!({ "name": "a" })])
        .await
        .expect_err("no key");
    assert_eq!(failed.code, "INPUT_INVALID");
    let delete = json!({ "table": "stock", "action": "delete", "key": ["name"] });
    let done =
        peer.step("db.write", delete, vec![json!({ "name": "c" }), json!({ "name": "none" })]).await.expect("deleted");
    assert_eq!((&done[0]["rows"], &done[0]["notFound"]), (&json!(1), &json!(1)));

    let tables = peer.step("db.tables", json!({}), vec![json!({})]).await.expect("read");
    assert_eq!(
        (&tables[0]["name"], &tables[0]["primaryKey"], &tables[0]["uniqueKeys"]),
        (&json!("stock"), &json!(["id"]), &json!([["name"]]))
    );
    let slow = json!({ "sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS m FROM n", "timeoutMs": 50 });
    assert_eq!(peer.step("db.query", slow, vec![json!({})]).await.expect_err("late").code, "TIMEOUT");
    let endless = json!({ "sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", "maxRows": 5000 });
    assert_eq!(peer.step("db.query", endless, vec![json!({})]).await.expect_err("too many").code, "TOO_MANY_ROWS");
}

/// SQL reaches its own file alone, and only where a person opened the folder.
#[tokio::test]
async fn sql_of_a_file_reaches_no_other_file() {
    let (folder, peer) = place();
    let other = folder.path().join("other.db");
    let make = async |folder: &tempfile::TempDir, name: &str| {
        let grant = Grant { folder: folder.path().to_owned(), workflow: None, write: true };
        let base =
            json!({ "system": "sqlite", "file": folder.path().join(name).display().to_string(), "create": true });
        let peer = Peer { world: world(FolderFiles::new(vec![grant])), base };
        peer.change("CREATE TABLE t (a)", json!({})).await.expect("made");
    };
    make(&folder, "other.db").await;
    make(&folder, "shop.db").await;
    for sql in [
        format!("ATTACH DATABASE '{}' AS o", other.display()),
        format!("VACUUM INTO '{}'", folder.path().join("copy.db").display()),
        "PRAGMA journal_mode = WAL".into(),
        "PRAGMA writable_schema = ON".into(),
        "PRAGMA temp_store_directory = '/tmp'".into(),
        "COMMIT".into(),
        "SELECT load_extension('x')".into(),
    ] {
        let failed = peer.change(&sql, json!({})).await.expect_err("not allowed");
        assert!(["PERMISSION", "DATABASE", "UNKNOWN_FUNCTION"].contains(&failed.code.as_str()), "{sql}: {failed:?}");
    }
    assert!(!folder.path().join("copy.db").exists());
    assert_eq!(peer.query("PRAGMA table_info(t)", json!({})).await.expect("read").len(), 1);

    let outside = tempfile::tempdir().expect("a folder");
    make(&outside, "theirs.db").await;
    std::os::unix::fs::symlink(outside.path().join("theirs.db"), folder.path().join("link.db")).expect("a link");
    for file in [outside.path().join("theirs.db"), folder.path().join("link.db")] {
        let config = json!({ "file": file.display().to_string(), "sql": "SELECT * FROM t" });
        assert_eq!(
            peer.step("db.query", config, vec![json!({})]).await.expect_err("refused").code,
            "PATH_REFUSED",
            "{}",
            file.display()
        );
    }
    std::fs::write(folder.path().join("notes.txt"), "milk\n".repeat(1_000)).expect("written");
    let config = json!({ "file": folder.path().join("notes.txt").display().to_string(), "sql": "SELECT * FROM t" });
    assert_eq!(peer.step("db.query", config, vec![json!({})]).await.expect_err("no database").code, "DATABASE_DAMAGED");
}

#[tokio::test]
async fn the_sample_database_is_read_and_never_written() {
    let (_folder, peer) = place();
    let sample = json!({ "file": "sample:shop.db", "sql": "SELECT sum(total) AS total FROM orders WHERE status = :status", "params": { "status": "paid" } });
    assert_eq!(
        peer.step("db.query", sample.clone(), vec![json!({})]).await.expect("read"),
        [json!({ "total": 440.5 })]
    );
    let failed = peer
        .step("db.query", with(&sample, json!({ "access": "write" })), vec![json!({})])
        .await
        .expect_err("a sample");
    assert_eq!(failed.code, "READ_ONLY");
    let failed = peer
        .step("db.query", with(&sample, json!({ "file": "sample:none.db" })), vec![json!({})])
        .await
        .expect_err("none");
    assert_eq!(failed.code, "NOT_FOUND");
}
