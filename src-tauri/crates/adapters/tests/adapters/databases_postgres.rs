//! The steps for databases against a server of PostgreSQL.

use crate::common::{self, authorities};
use crate::database_servers::{OTHER_HOST, Peer, Postgres, eventually, with, world};
use crate::databases_saved::{in_folder, is_what_items_give, many};
use serde_json::{Value, json};
use signalbox_adapters::FolderFiles;
use signalbox_adapters::network::{self, Network};
use signalbox_model::ErrorType;
use std::sync::Arc;

const TYPES: &str = "CREATE TABLE types (
    id bigint PRIMARY KEY, small smallint, big bigint, exact numeric(40, 10), price numeric(10, 2), single real, double double precision,
    flag boolean, words text, letters varchar(10), day date, clock time, clock_zone timetz, local timestamp, moment timestamptz,
    span interval, key uuid, data json, binary_data jsonb, bytes bytea, numbers integer[], names text[], grid integer[],
    address inet, bits bit(4), mood mood)";

async fn types(peer: &Peer) {
    peer.change("CREATE TYPE mood AS ENUM ('sad', 'ok')", json!({})).await.expect("made");
    peer.change(TYPES, json!({})).await.expect("made");
    let row = json!({
        "id": 9_007_199_254_740_993_i64, "small": -7, "big": i64::MAX, "exact": "123456789012345678901234567890.0123456789",
        "price": 12.5, "single": 0.1, "double": 1e300, "flag": true, "words": "it's \"quoted\" \\ :x 漢", "letters": "abc",
        "day": "2024-02-29", "clock": "13:45:00.25", "clock_zone": "13:45:00+02:00", "local": "2024-02-29T13:45:00.123456",
        "moment": "2024-02-29T13:45:00.000+01:00", "span": "P1Y2M3DT4H5M6.5S", "key": "0199a1b2-0000-7000-8000-000000000000",
        "data": { "a": [1, null] }, "binary_data": { "n": 12_345_678.5, "t": "x" }, "bytes": "AAEC/w==", "numbers": [1, null, 3],
        "names": ["a,b", "c\"d", null], "grid": [[1, 2], [3, 4]], "address": "10.0.0.1/8", "bits": "1010", "mood": "ok",
    });
    let wrote = peer.step("db.write", json!({ "table": "public.types" }), vec![row.clone()]).await.expect("written");
    assert_eq!(wrote, [json!({ "table": "public.types", "action": "insert", "items": 1, "rows": 1 })]);
    let found = peer.query("SELECT * FROM types WHERE id = :id", json!({ "id": row["id"] })).await.expect("read");
    let wanted = with(&row, json!({ "moment": "2024-02-29T12:45:00.000Z", "clock": "13:45:00.250" }));
    assert_eq!(found[0], wanted);
    // What was read is written back as it was.
    let again = with(&wanted, json!({ "id": 2 }));
    peer.step("db.write", json!({ "table": "types" }), vec![again.clone()]).await.expect("written");
    let same = "SELECT count(DISTINCT (exact, price, single, double, words, day, clock, clock_zone, local, moment, span, key, \
                data::text, binary_data, bytes, numbers, names, grid, address, bits, mood)) AS different, count(*) FROM types";
    assert_eq!(peer.query(same, json!({})).await.expect("read"), [json!({ "different": 1, "count": 2 })]);

    let odd = "SELECT 'NaN'::numeric AS a, 'infinity'::timestamptz AS b, NULL::int AS c, '{}'::int[] AS d, 'Infinity'::float8 AS e, \
               '12345678901234567890123'::jsonb AS f, :bytes::bytea AS g, '0001-01-01 BC'::date AS h";
    let found = peer.query(odd, json!({ "bytes": { "$base64": "AQI=" } })).await.expect("read");
    assert_eq!(
        found,
        [
            json!({ "a": "NaN", "b": "infinity", "c": null, "d": [], "e": "Infinity", "f": "12345678901234567890123", "g": "AQI=", "h": "0000-01-01" })
        ]
    );
    assert_eq!(peer.fails("UNSUPPORTED_TYPE", "SELECT point(1, 2) AS p").await.details["column"], "p");
    peer.fails("DUPLICATE_COLUMN", "SELECT 1 AS a, 2 AS a").await;
}

/// A file of rows has what *Write file* makes of the items.
async fn saved(base: &Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let peer = in_folder(folder.path(), base.clone());
    is_what_items_give(&peer, folder.path(), "SELECT * FROM types ORDER BY id").await;
    let odd = "SELECT n, CASE n % 4 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN E'a \"q\",\n b' ELSE ' x;' END AS words, \
               repeat('1234567890', n)::numeric / 1000 AS long, (n * 0.25)::numeric(10, 4) AS exact, n * 1e-8 AS small, \
               '{\"a\": [1.50, \"\\u00e9\", null]}'::jsonb AS tree, ARRAY[n, NULL] AS list, 'infinity'::date AS day \
               FROM generate_series(1, 8) AS n";
    is_what_items_give(&peer, folder.path(), odd).await;
    let series = "SELECT n, 'a text of some words' AS words FROM generate_series(1, 20000) AS n";
    many(&peer, folder.path(), series, 20_000).await;
    let late = json!({ "sql": "SELECT 1 / (20000 - n) AS n FROM generate_series(1, 30000) AS n", "saveTo": folder.path().join("many.csv") });
    assert_eq!(peer.step("db.query", late, vec![json!({})]).await.expect_err("by zero").code, "INVALID_VALUE");
    assert!(std::fs::read_to_string(folder.path().join("many.csv")).expect("it is there").starts_with("1;a text"));
}

async fn errors(peer: &Peer) {
    peer.change("CREATE TABLE people (id int PRIMARY KEY, name text NOT NULL, age int CHECK (age > 0), boss int REFERENCES people)", json!({}))
        .await
        .expect("made");
    peer.change("INSERT INTO people (id, name) VALUES (:id, :name)", json!({ "id": 1, "name": "Ada" }))
        .await
        .expect("added");
    peer.fails("SQL_SYNTAX", "SELEC 1").await;
    peer.fails("SQL_SYNTAX", "SELECT 1; SELECT 2").await;
    peer.fails("UNKNOWN_TABLE", "SELECT * FROM nobody").await;
    peer.fails("UNKNOWN_COLUMN", "SELECT size FROM people").await;
    peer.fails("UNKNOWN_FUNCTION", "SELECT unknown_one(1)").await;
    peer.fails("INVALID_VALUE", "SELECT 'x'::int").await;
    peer.fails("NOT_NULL_VIOLATION", "INSERT INTO people (id) VALUES (2)").await;
    peer.fails("CHECK_VIOLATION", "INSERT INTO people VALUES (2, 'B', -1)").await;
    peer.fails("FOREIGN_KEY_VIOLATION", "INSERT INTO people VALUES (2, 'B', 1, 77)").await;
    let failed = peer.fails("UNIQUE_VIOLATION", "INSERT INTO people VALUES (1, 'B')").await;
    assert_eq!((&failed.details["constraint"], &failed.details["sqlState"]), (&json!("people_pkey"), &json!("23505")));
    assert!(!failed.retryable && !failed.may_have_happened, "{failed:?}");
    let failed =
        peer.fails("SERIALIZATION_FAILURE", "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END $$").await;
    assert!(failed.retryable && failed.error_type == ErrorType::ToolError);

    // Reading changes nothing, whatever the statement is.
    let failed = peer.query("INSERT INTO people VALUES (3, 'C') RETURNING id", json!({})).await.expect_err("read only");
    assert_eq!(failed.code, "READ_ONLY");
    let added = peer.change("INSERT INTO people VALUES (4, 'D') RETURNING id", json!({})).await.expect("added");
    assert_eq!(added, [json!({ "id": 4 })]);
    assert_eq!(
        peer.change("UPDATE people SET age = 5", json!({})).await.expect("done"),
        [json!({ "affectedRows": 2 })]
    );
    let many = json!({ "sql": "SELECT generate_series(1, 1000000) AS n", "maxRows": 1000 });
    assert_eq!(peer.step("db.query", many, vec![json!({})]).await.expect_err("too many").code, "TOO_MANY_ROWS");

    // Nothing of one call is left for the next, on the same connection.
    peer.change("SET search_path = nowhere", json!({})).await.expect("set");
    assert_eq!(peer.query("SELECT count(*) FROM people", json!({})).await.expect("read"), [json!({ "count": 2 })]);
    let one = peer
        .query("SELECT count(DISTINCT pid) AS n FROM pg_stat_activity WHERE application_name = 'signalbox'", json!({}));
    assert_eq!(one.await.expect("read"), [json!({ "n": 1 })]);
}

async fn connections(peer: &Peer, port: u16) {
    let fails = async |more: Value, code: &str| {
        let config = with(&json!({ "sql": "SELECT 1" }), more);
        let failed = peer.step("db.query", config, vec![json!({})]).await.expect_err(code);
        assert_eq!(failed.code, code, "{failed:?}");
        failed
    };
    fails(json!({ "credential": "secret://wrong" }), "AUTH").await;
    fails(json!({ "credential": "secret://elsewhere" }), "CREDENTIAL_REFUSED").await;
    fails(json!({ "database": "none" }), "UNKNOWN_DATABASE").await;
    // Nobody listens there: the port was free a moment ago.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let failed = fails(json!({ "port": closed, "tls": "off" }), "CONNECTION").await;
    assert!(failed.retryable && failed.error_type == ErrorType::NetworkError);
    // An authority that nobody here trusts.
    let failed = fails(json!({ "rootCertificate": "", "port": port }), "TLS").await;
    assert!(!failed.retryable, "{failed:?}");
    let failed = fails(json!({ "host": OTHER_HOST }), "TLS").await;
    assert!(failed.message.contains("certificate"), "of another host: {failed:?}");
    // A connection that was made before says nothing about another password.
    assert_eq!(peer.signs_in(json!({})).await, Ok(()));
    for (more, code) in [
        (json!({ "credential": "secret://wrong" }), "AUTH"),
        (json!({ "database": "none" }), "UNKNOWN_DATABASE"),
        (json!({ "host": OTHER_HOST }), "TLS"),
        (json!({ "port": closed, "tls": "off" }), "CONNECTION"),
    ] {
        assert_eq!(peer.signs_in(more).await, Err(code.to_owned()));
    }
    // One of the settings.
    network::set(Network::new(None, authorities(&peer.base["rootCertificate"])));
    let trusted = with(&peer.base, json!({ "sql": "SELECT 1 AS one", "rootCertificate": "", "port": port }));
    assert!(common::run(&peer.world, "db.query", trusted, json!({})).await.is_ok());
    network::set(Network::default());
    fails(json!({ "host": "10.1.2.3", "credential": null, "user": "peer" }), "ADDRESS_REFUSED").await;
    fails(json!({ "host": "a/b" }), "INPUT_INVALID").await;
    let plain = with(&peer.base, json!({ "sql": "SELECT 1 AS one", "tls": "off" }));
    assert!(common::run(&peer.world, "db.query", plain, json!({})).await.is_ok());
}

async fn writes(peer: &Peer) {
    let count =
        async || peer.query("SELECT count(*) AS n, sum(amount) AS total FROM stock", json!({})).await.expect("read");
    peer.change("CREATE TABLE stock (id int PRIMARY KEY, amount numeric(12, 2), \"odd \"\" name\" text)", json!({}))
        .await
        .expect("made");
    let items = |from: i64, to: i64| {
        (from..to).map(|id| json!({ "id": id, "amount": 0.1, "odd \" name": "x" })).collect::<Vec<_>>()
    };
    let wrote = peer.step("db.write", json!({ "table": "stock" }), items(0, 1_201)).await.expect("written");
    assert_eq!(wrote[0]["rows"], 1_201);
    assert_eq!(count().await, [json!({ "n": 1_201, "total": 120.1 })]);
    // One row of a batch is there already: nothing of the call stays.
    let failed = peer
        .step("db.write", json!({ "table": "stock", "batchSize": 10 }), items(1_195, 1_230))
        .await
        .expect_err("twice");
    assert_eq!(
        (failed.code.as_str(), &failed.details["firstItem"], &failed.details["table"]),
        ("UNIQUE_VIOLATION", &json!(0), &json!("stock"))
    );
    assert!(failed.message.ends_with("Nothing was written"), "{}", failed.message);
    assert_eq!(count().await[0]["n"], 1_201);
    // The same key twice in one call: the last one counts.
    let upsert = json!({ "table": "stock", "action": "upsert", "key": ["id"] });
    let rows =
        vec![json!({ "id": 1, "amount": 5 }), json!({ "id": 5_000, "amount": 1 }), json!({ "id": 1, "amount": 6 })];
    assert_eq!(peer.step("db.write", upsert.clone(), rows).await.expect("written")[0]["rows"], 3);
    let one = peer.query("SELECT amount FROM stock WHERE id = 1", json!({})).await.expect("read");
    assert_eq!(one, [json!({ "amount": 6 })]);
    let failed =
        peer.step("db.write", with(&upsert, json!({ "key": ["amount"] })), vec![json!({ "id": 1, "amount": 5 })]).await;
    assert_eq!(failed.expect_err("no key").code, "INPUT_INVALID");
    let update = json!({
        "table": "stock", "action": "update", "key": ["id"],
        "columns": [{ "column": "id", "field": "order.id" }, { "column": "amount", "value": "item.price * 2.0" }],
    });
    let rows = vec![json!({ "order": { "id": 2 }, "price": 1.25 }), json!({ "order": { "id": 77_777 }, "price": 1.0 })];
    let done = peer.step("db.write", update, rows).await.expect("written");
    assert_eq!(done, [json!({ "table": "stock", "action": "update", "items": 2, "rows": 1, "notFound": 1 })]);
    let delete = json!({ "table": "stock", "action": "delete", "key": ["id"] });
    assert_eq!(peer.step("db.write", delete, items(0, 1_300)).await.expect("deleted")[0]["notFound"], 99);
    assert_eq!(count().await[0]["n"], 1);
    let bad = peer
        .step("db.write", json!({ "table": "stock" }), vec![json!({ "id": 1, "amount": "much" })])
        .await
        .expect_err("text");
    assert_eq!((bad.code.as_str(), &bad.details["item"]), ("INVALID_VALUE", &json!(0)));
    let unknown = peer
        .step("db.write", json!({ "table": "stock" }), vec![json!({ "id": 1, "size": 1 })])
        .await
        .expect_err("size");
    assert_eq!(unknown.code, "UNKNOWN_COLUMN");
}

/// Lists of values give the rows that single values give.
async fn lists(peer: &Peer) {
    let columns = "id int PRIMARY KEY, flag boolean, small smallint, big bigint, exact numeric, price numeric(10, 2), single real, \
                   double float8, words text, letters varchar(10), fixed char(5), day date, clock time, zone timetz, local timestamp, \
                   moment timestamptz, span interval, key uuid, data json, tree jsonb, bytes bytea, address inet, net cidr, mac macaddr, \
                   bits bit(4), more bit varying";
    peer.change(&format!("CREATE TABLE single_rows ({columns})"), json!({})).await.expect("made");
    peer.change("CREATE TABLE listed_rows (LIKE single_rows INCLUDING ALL)", json!({})).await.expect("made");
    let full = json!({
        "id": 1, "flag": true, "small": -7, "big": i64::MAX, "exact": "123456789012345678901234567890.0123456789", "price": 12.555,
        "single": 0.1, "double": 1e300, "words": "it's \"quoted\" \\ {a,b} 漢\n\t", "letters": "", "fixed": "ab", "day": "2024-02-29",
        "clock": "13:45:00.25", "zone": "13:45:00+02:00", "local": "2024-02-29T13:45:00.123456",
        "moment": "2024-02-29T13:45:00.000+01:00", "span": "P1Y2M3DT4H5M6.5S", "key": "0199a1b2-0000-7000-8000-000000000000",
        "data": { "a": [1, null, "\"\\"] }, "tree": "a text", "bytes": "AAEC/w==", "address": "10.0.0.1/8", "net": "10.0.0.0/8",
        "mac": "08:00:2b:01:02:03", "bits": "1010", "more": "1",
    });
    let of = |id: i64, make: &dyn Fn(&str) -> Value| {
        let fields = full.as_object().expect("an object").keys();
        fields.map(|name| (name.clone(), if name == "id" { id.into() } else { make(name) })).collect::<Value>()
    };
    let odd = with(
        &of(3, &|_| Value::Null),
        json!({
            "words": "NULL", "letters": "null", "fixed": "", "exact": "NaN", "double": "-Infinity", "moment": "infinity", "flag": "no",
            "data": [], "tree": null, "bytes": { "$base64": "" }, "small": 3.0, "big": -1, "price": -0.0,
        }),
    );
    let rows = vec![full.clone(), of(2, &|_| Value::Null), odd, of(4, &|name| full[name].clone())];
    for (table, batch) in [("single_rows", 1), ("listed_rows", 500)] {
        let write = json!({ "table": table, "batchSize": batch });
        let wrote = peer.step("db.write", write, rows.clone()).await.expect("written");
        assert_eq!(wrote[0]["rows"], 4);
    }
    let same = "SELECT (SELECT string_agg(t::text, '|' ORDER BY id) FROM single_rows AS t) \
                = (SELECT string_agg(t::text, '|' ORDER BY id) FROM listed_rows AS t) AS same";
    assert_eq!(peer.query(same, json!({})).await.expect("read"), [json!({ "same": true })]);
    // A value that does not fit is reported with its batch, also while the next one is under way.
    let many: Vec<Value> = (10..40).map(|id| json!({ "id": id, "small": if id == 17 { 70_000 } else { 1 } })).collect();
    let write = json!({ "table": "listed_rows", "batchSize": 5 });
    let failed = peer.step("db.write", write, many).await.expect_err("too large");
    assert_eq!(
        (failed.code.as_str(), &failed.details["firstItem"], &failed.details["lastItem"]),
        ("INVALID_VALUE", &json!(5), &json!(9))
    );
    assert_eq!(
        peer.query("SELECT count(*) AS n FROM listed_rows", json!({})).await.expect("read"),
        [json!({ "n": 4 })]
    );
}

async fn tables(peer: &Peer) {
    let found = peer.step("db.tables", json!({ "table": "people" }), vec![json!({})]).await.expect("read");
    assert_eq!(
        found,
        [json!({
            "schema": "public", "name": "people", "kind": "table",
            "columns": [
                { "name": "id", "type": "integer", "nullable": false }, { "name": "name", "type": "text", "nullable": false },
                { "name": "age", "type": "integer", "nullable": true }, { "name": "boss", "type": "integer", "nullable": true },
            ],
            "primaryKey": ["id"], "uniqueKeys": [],
            "foreignKeys": [{ "columns": ["boss"], "schema": "public", "table": "people", "references": ["id"] }],
        })]
    );
}

/// Two transactions that certainly wait for each other.
async fn deadlock(peer: &Peer) {
    let block = |first: i32, second: i32| {
        format!(
            "DO $$ BEGIN UPDATE people SET age = 1 WHERE id = {first}; PERFORM pg_advisory_xact_lock({first});
             WHILE NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = {second}) LOOP PERFORM pg_sleep(0.01); END LOOP;
             UPDATE people SET age = 2 WHERE id = {second}; END $$"
        )
    };
    let (a, b) = (block(1, 4), block(4, 1));
    let (a, b) = tokio::join!(peer.change(&a, json!({})), peer.change(&b, json!({})));
    let failed = a.err().or(b.err()).expect("one of them");
    assert!(failed.code == "DEADLOCK" && failed.retryable, "{failed:?}");
}

/// Statements end at the server when nobody waits for them, and the end of the server is told.
async fn ends(server: &Postgres, peer: Peer) {
    let sleeping = "SELECT count(*) AS n FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()";
    let count = async || peer.query(sleeping, json!({})).await.expect("read")[0]["n"].as_i64().expect("a number");
    let slow = json!({ "sql": "SELECT pg_sleep(600) AS slept", "timeoutMs": 100 });
    let failed = peer.step("db.query", slow, vec![json!({})]).await.expect_err("late");
    assert!(failed.code == "TIMEOUT" && failed.error_type == ErrorType::Timeout, "{failed:?}");
    eventually("the late statement ended", async || count().await == 0).await;

    let peer = Arc::new(peer);
    let start = || {
        let peer = Arc::clone(&peer);
        tokio::spawn(async move { peer.query("SELECT pg_sleep(:s) AS slept", json!({ "s": 600 })).await })
    };
    let count = async || peer.query(sleeping, json!({})).await.expect("read")[0]["n"].as_i64().expect("a number");
    let dropped = start();
    eventually("it runs", async || count().await == 1).await;
    dropped.abort();
    eventually("the statement of a cancelled step ended", async || count().await == 0).await;

    let killed = start();
    eventually("it runs", async || count().await == 1).await;
    server.kill();
    let failed = killed.await.expect("no panic").expect_err("the server is gone");
    assert!(failed.code == "CONNECTION" && failed.retryable, "{failed:?}");
    // Connections that waited are not used again.
    server.up();
    assert_eq!(peer.query("SELECT count(*) FROM people", json!({})).await.expect("read"), [json!({ "count": 2 })]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn steps_for_databases_with_a_server_of_postgresql() {
    let server = Postgres::start();
    let base = json!({
        "system": "postgres", "host": "127.0.0.1", "port": server.port, "database": "postgres", "credential": "secret://db",
        "rootCertificate": server.authority,
    });
    let peer = Peer { world: world(FolderFiles::default()), base };
    types(&peer).await;
    saved(&peer.base).await;
    errors(&peer).await;
    connections(&peer, server.port).await;
    writes(&peer).await;
    lists(&peer).await;
    tables(&peer).await;
    deadlock(&peer).await;
    ends(&server, peer).await;
}
