//! The steps for databases against a server of MariaDB.

use crate::common::{self, authorities};
use crate::database_servers::{MariaDb, OTHER_HOST, Peer, eventually, with, world};
use crate::databases_saved::{in_folder, is_what_items_give, many};
use serde_json::{Value, json};
use signalbox_adapters::FolderFiles;
use signalbox_adapters::network::{self, Network};
use signalbox_model::ErrorType;
use std::sync::Arc;

const TYPES: &str = "CREATE TABLE types (
    id BIGINT PRIMARY KEY, big BIGINT UNSIGNED, exact DECIMAL(40, 10), price DECIMAL(10, 2), single FLOAT, `double` DOUBLE, flag BOOLEAN,
    words TEXT, letters VARCHAR(10), day DATE, clock TIME(3), local DATETIME(6), moment TIMESTAMP(3) NULL, data JSON, bytes BLOB,
    short VARBINARY(8), bits BIT(4), year YEAR, mood ENUM('sad', 'ok'), `key` UUID)";

async fn types(peer: &Peer) {
    peer.change(TYPES, json!({})).await.expect("made");
    let row = json!({
        "id": 9_007_199_254_740_993_i64, "big": u64::MAX, "exact": "123456789012345678901234567890.0123456789", "price": 12.5,
        "single": 0.1, "double": 1e300, "flag": true, "words": "it's \"quoted\" \\ :x ? 漢", "letters": "abc", "day": "2024-02-29",
        "clock": "13:45:00.250", "local": "2024-02-29T13:45:00.123456", "moment": "2024-02-29T13:45:00.000+01:00",
        "data": { "a": [1, null] }, "bytes": "AAEC/w==", "short": "AQI=", "bits": 10, "year": 2024, "mood": "ok",
        "key": "0199a1b2-0000-7000-8000-000000000000",
    });
    let wrote = peer.step("db.write", json!({ "table": "types" }), vec![row.clone()]).await.expect("written");
    assert_eq!(wrote, [json!({ "table": "types", "action": "insert", "items": 1, "rows": 1 })]);
    let found = peer.query("SELECT * FROM types WHERE id = :id", json!({ "id": row["id"] })).await.expect("read");
    // Booleans are numbers, and JSON is text, to MariaDB.
    let wanted = with(&row, json!({ "flag": 1, "moment": "2024-02-29T12:45:00.000Z", "data": "{\"a\":[1,null]}" }));
    assert_eq!(found, [wanted]);
    let odd =
        "SELECT NULL AS a, :bytes AS b, :text AS c, TIME('-30:00:01') AS d, CAST(1 AS DECIMAL(3, 2)) AS e, :n + 1 AS f";
    let found = peer.query(odd, json!({ "bytes": { "$base64": "AQI=" }, "text": "x", "n": 2 })).await.expect("read");
    assert_eq!(
        (&found[0]["a"], &found[0]["c"], &found[0]["d"], &found[0]["e"], &found[0]["f"]),
        (&json!(null), &json!("x"), &json!("-30:00:01"), &json!(1), &json!(3))
    );
    peer.fails("DUPLICATE_COLUMN", "SELECT 1 AS a, 2 AS a").await;
}

/// A file of rows has what *Write file* makes of the items.
async fn saved(base: &Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let peer = in_folder(folder.path(), base.clone());
    is_what_items_give(
        &peer,
        folder.path(),
        "SELECT *, '' AS empty, NULL AS nothing, TIME('-30:00:01') AS early FROM types",
    )
    .await;
    many(&peer, folder.path(), "SELECT seq AS n, 'a text of some words' AS words FROM seq_1_to_20000", 20_000).await;
}

async fn errors(peer: &Peer) {
    peer.change(
        "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, age INT CHECK (age > 0), boss INT, \
         FOREIGN KEY (boss) REFERENCES people (id))",
        json!({}),
    )
    .await
    .expect("made");
    peer.change("INSERT INTO people (id, name) VALUES (:id, :name)", json!({ "id": 1, "name": "Ada" }))
        .await
        .expect("added");
    peer.fails("SQL_SYNTAX", "SELEC 1").await;
    peer.fails("SQL_SYNTAX", "SELECT 1; SELECT 2").await;
    peer.fails("UNKNOWN_TABLE", "SELECT * FROM nobody").await;
    peer.fails("UNKNOWN_COLUMN", "SELECT size FROM people").await;
    peer.fails("UNKNOWN_FUNCTION", "SELECT peer.nothing(1)").await;
    peer.fails("INVALID_VALUE", "INSERT INTO people VALUES (2, 'B', 'much', NULL)").await;
    peer.fails("INVALID_VALUE", "INSERT INTO people (id, name) VALUES (2, REPEAT('B', 21))").await;
    peer.fails("NOT_NULL_VIOLATION", "INSERT INTO people (id) VALUES (2)").await;
    peer.fails("CHECK_VIOLATION", "INSERT INTO people VALUES (2, 'B', -1, NULL)").await;
    peer.fails("FOREIGN_KEY_VIOLATION", "INSERT INTO people VALUES (2, 'B', 1, 77)").await;
    let failed = peer.fails("UNIQUE_VIOLATION", "INSERT INTO people (id, name) VALUES (1, 'B')").await;
    assert_eq!(failed.details["errorNumber"], 1062);
    assert!(!failed.retryable && !failed.may_have_happened, "{failed:?}");
    for sql in ["INSERT INTO people (id, name) VALUES (3, 'C')", "CREATE TABLE other (id INT)", "DROP TABLE people"] {
        assert_eq!(peer.query(sql, json!({})).await.expect_err("read only").code, "READ_ONLY", "{sql}");
    }
    peer.change("INSERT INTO people (id, name) VALUES (4, 'D')", json!({})).await.expect("added");
    assert_eq!(
        peer.change("UPDATE people SET age = 5", json!({})).await.expect("done"),
        [json!({ "affectedRows": 2 })]
    );
    let many = json!({ "sql": "SELECT seq AS n FROM seq_1_to_1000000", "maxRows": 1000 });
    assert_eq!(peer.step("db.query", many, vec![json!({})]).await.expect_err("too many").code, "TOO_MANY_ROWS");
    peer.change("CREATE TEMPORARY TABLE mine (id INT)", json!({})).await.expect("made");
    peer.fails("UNKNOWN_TABLE", "SELECT * FROM mine").await;
}

async fn connections(peer: &Peer) {
    let fails = async |more: Value, code: &str| {
        let config = with(&json!({ "sql": "SELECT 1" }), more);
        let failed = peer.step("db.query", config, vec![json!({})]).await.expect_err(code);
        assert_eq!(failed.code, code, "{failed:?}");
        failed
    };
    fails(json!({ "credential": "secret://wrong" }), "AUTH").await;
    let failed = fails(json!({ "database": "none" }), "PERMISSION").await;
    assert!(!failed.retryable);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    assert!(fails(json!({ "port": closed }), "CONNECTION").await.retryable);
    fails(json!({ "rootCertificate": "" }), "TLS").await;
    let failed = fails(json!({ "host": OTHER_HOST }), "TLS").await;
    assert!(failed.message.contains("certificate"), "of another host: {failed:?}");
    assert_eq!(peer.signs_in(json!({})).await, Ok(()));
    assert_eq!(peer.signs_in(json!({ "credential": "secret://wrong" })).await, Err("AUTH".to_owned()));
    assert_eq!(peer.signs_in(json!({ "host": OTHER_HOST })).await, Err("TLS".to_owned()));
    fails(json!({ "host": "10.1.2.3", "credential": null, "user": "peer" }), "ADDRESS_REFUSED").await;
    let encrypted = peer.query("SHOW STATUS LIKE 'Ssl_cipher'", json!({})).await.expect("read");
    assert_ne!(encrypted[0]["Value"], "");
}

async fn writes(peer: &Peer) {
    let count = async || peer.query("SELECT count(*) AS n FROM stock", json!({})).await.expect("read")[0]["n"].clone();
    peer.change(
        "CREATE TABLE stock (id INT PRIMARY KEY, amount DECIMAL(12, 2), `odd `` name` TEXT, code INT UNIQUE)",
        json!({}),
    )
    .await
    .expect("made");
    let items = |from: i64, to: i64| {
        (from..to).map(|id| json!({ "id": id, "amount": 0.1, "odd ` name": "x" })).collect::<Vec<_>>()
    };
    assert_eq!(
        peer.step("db.write", json!({ "table": "stock" }), items(0, 1_201)).await.expect("written")[0]["rows"],
        1_201
    );
    let failed = peer
        .step("db.write", json!({ "table": "stock", "batchSize": 10 }), items(1_195, 1_230))
        .await
        .expect_err("twice");
    assert_eq!((failed.code.as_str(), &failed.details["table"]), ("UNIQUE_VIOLATION", &json!("stock")));
    assert_eq!(count().await, 1_201);
    let upsert = json!({ "table": "peer.stock", "action": "upsert", "key": ["id"] });
    let rows =
        vec![json!({ "id": 1, "amount": 5 }), json!({ "id": 5_000, "amount": 1 }), json!({ "id": 1, "amount": 6 })];
    assert_eq!(peer.step("db.write", upsert.clone(), rows).await.expect("written")[0]["rows"], 3);
    assert_eq!(
        peer.query("SELECT amount FROM stock WHERE id = 1", json!({})).await.expect("read"),
        [json!({ "amount": 6 })]
    );
    let failed =
        peer.step("db.write", with(&upsert, json!({ "key": ["amount"] })), vec![json!({ "id": 1, "amount": 5 })]).await;
    assert_eq!(failed.expect_err("no key").code, "INPUT_INVALID");
    let update = json!({ "table": "stock", "action": "update", "key": ["id"] });
    // A row that has the value already is found, too.
    let rows = vec![json!({ "id": 1, "amount": 6 }), json!({ "id": 77_777, "amount": 1 })];
    let done = peer.step("db.write", update, rows).await.expect("written");
    assert_eq!(done, [json!({ "table": "stock", "action": "update", "items": 2, "rows": 1, "notFound": 1 })]);
    let delete = json!({ "table": "stock", "action": "delete", "key": ["id"] });
    assert_eq!(peer.step("db.write", delete, items(0, 1_300)).await.expect("deleted")[0]["notFound"], 99);
    assert_eq!(count().await, 1);
    let unknown =
        peer.step("db.write", json!({ "table": "nobody" }), vec![json!({ "id": 1 })]).await.expect_err("no table");
    assert_eq!(unknown.code, "UNKNOWN_TABLE");

    let found = peer.step("db.tables", json!({ "table": "people" }), vec![json!({})]).await.expect("read");
    let table = &found[0];
    assert_eq!(
        (&table["schema"], &table["kind"], &table["primaryKey"]),
        (&json!("peer"), &json!("table"), &json!(["id"]))
    );
    assert_eq!(table["columns"][1], json!({ "name": "name", "type": "varchar(20)", "nullable": false }));
    assert_eq!(
        table["foreignKeys"],
        json!([{ "columns": ["boss"], "schema": "peer", "table": "people", "references": ["id"] }])
    );
    let found = peer.step("db.tables", json!({ "table": "stock" }), vec![json!({})]).await.expect("read");
    assert_eq!(found[0]["uniqueKeys"], json!([["code"]]));
}

async fn ends(server: &mut MariaDb, peer: Peer) {
    let sleeping =
        "SELECT count(*) AS n FROM information_schema.processlist WHERE info LIKE '%SLEEP(%' AND id <> CONNECTION_ID()";
    let peer = Arc::new(peer);
    let count = async || peer.query(sleeping, json!({})).await.expect("read")[0]["n"].as_i64().expect("a number");
    let slow = json!({ "sql": "SELECT SLEEP(600) AS slept", "timeoutMs": 100 });
    let failed = peer.step("db.query", slow, vec![json!({})]).await.expect_err("late");
    assert!(failed.code == "TIMEOUT" && failed.error_type == ErrorType::Timeout, "{failed:?}");
    eventually("the late statement ended", async || count().await == 0).await;
    let start = || {
        let peer = Arc::clone(&peer);
        tokio::spawn(async move { peer.query("SELECT SLEEP(:s) AS slept", json!({ "s": 600 })).await })
    };
    let dropped = start();
    eventually("it runs", async || count().await == 1).await;
    dropped.abort();
    eventually("the statement of a cancelled step ended", async || count().await == 0).await;
    let killed = start();
    eventually("it runs", async || count().await == 1).await;
    server.kill();
    let failed = killed.await.expect("no panic").expect_err("the server is gone");
    assert!(failed.code == "CONNECTION" && failed.retryable, "{failed:?}");
    server.up();
    assert_eq!(peer.query("SELECT count(*) AS n FROM people", json!({})).await.expect("read"), [json!({ "n": 2 })]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn steps_for_databases_with_a_server_of_mariadb() {
    let mut server = MariaDb::start();
    let base = json!({
        "system": "mysql", "host": "127.0.0.1", "port": server.port, "database": "peer", "credential": "secret://db",
        "rootCertificate": server.authority,
    });
    let peer = Peer { world: world(FolderFiles::default()), base };
    types(&peer).await;
    saved(&peer.base).await;
    errors(&peer).await;
    connections(&peer).await;
    // An authority of the settings.
    network::set(Network::new(None, authorities(&peer.base["rootCertificate"])));
    let trusted = with(&peer.base, json!({ "sql": "SELECT 1 AS one", "rootCertificate": "" }));
    assert!(common::run(&peer.world, "db.query", trusted, json!({})).await.is_ok());
    network::set(Network::default());
    writes(&peer).await;
    ends(&mut server, peer).await;
}
