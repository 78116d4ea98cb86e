#[test]
fn every_migration_has_its_own_number() {
    let ids: Vec<i64> = super::all().iter().map(|migration| migration.id).collect();
    assert_eq!(ids, (1..=i64::try_from(ids.len()).expect("few")).collect::<Vec<_>>());
}

#[test]
fn a_log_of_before_gets_the_numbers_of_its_runs() {
    let connection = rusqlite::Connection::open_in_memory().expect("opens");
    for migration in super::all().into_iter().filter(|migration| migration.id < 38) {
        connection.execute_batch(migration.sql).expect("creates");
    }
    let run = "INSERT INTO run (id, workflow_id, workflow_name, definition_hash, status, epoch, started_ms, last_seq) \
               VALUES (?, 'w', 'w', 'h', 'completed', 1, ?, 2)";
    let event = "INSERT INTO run_event (run, seq, ts, type, node, path, hash, payload) \
                 VALUES (?, ?, 7, 'print', 'n', 'loop[1]', x'00', jsonb('{}'))";
    // Not in the order of their ids.
    for (id, started) in [("a", 30), ("b", 10), ("c", 20)] {
        connection.execute(run, rusqlite::params![id, started]).expect("inserts");
        for seq in [1, 2] {
            connection.execute(event, rusqlite::params![id, seq]).expect("inserts");
        }
    }
    // One that was being deleted.
    connection.execute(event, rusqlite::params!["gone", 1]).expect("inserts");
    connection.execute("INSERT INTO run_deleted (run) VALUES ('gone')", []).expect("inserts");
    for migration in super::all().into_iter().filter(|migration| migration.id >= 38) {
        connection.execute_batch(migration.sql).expect("upgrades");
    }
    let mut statement = connection
        .prepare("SELECT run.id || (run_event.id & 4294967295) FROM run_event JOIN run ON run.no = run_event.id >> 32 ORDER BY run_event.id")
        .expect("prepares");
    let found: Vec<String> =
        statement.query_map([], |row| row.get(0)).expect("reads").map(|text| text.expect("a text")).collect();
    assert_eq!(found, ["b1", "b2", "c1", "c2", "a1", "a2"]);
    let all: i64 = connection.query_row("SELECT count(*) FROM run_event", [], |row| row.get(0)).expect("reads");
    assert_eq!(all, 6);
}

#[test]
fn a_step_at_a_path_is_found_without_reading_the_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = crate::Store::open(folder.path(), &crate::StoreOptions::default()).expect("opens");
    drop(store);
    let connection = rusqlite::Connection::open(folder.path().join("signalbox.db")).expect("opens");
    let mut plan =
        connection.prepare(&format!("EXPLAIN QUERY PLAN {}", crate::table::run_path::at_path())).expect("prepares");
    let lines: Vec<String> = plan
        .query_map(rusqlite::params!["r", "p", "n", 5, 5], |row| row.get(3))
        .expect("plans")
        .collect::<rusqlite::Result<_>>()
        .expect("lines");
    let expected = "SEARCH run_event USING COVERING INDEX run_event_path (<expr>=? AND path=? AND node=? AND rowid<?)";
    assert!(lines.iter().any(|line| line == expected), "{lines:?}");
}

#[test]
fn an_iteration_is_found_without_reading_the_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = crate::Store::open(folder.path(), &crate::StoreOptions::default()).expect("opens");
    drop(store);
    let connection = rusqlite::Connection::open(folder.path().join("signalbox.db")).expect("opens");
    let plan = |sql: &str, values: &[&dyn rusqlite::ToSql]| -> Vec<String> {
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("prepares");
        let lines = plan.query_map(values, |row| row.get(3)).expect("plans");
        lines.collect::<rusqlite::Result<_>>().expect("lines")
    };
    let inside = plan(&crate::table::run_path::in_path(), &[&"r", &"each[1]", &0, &9, &9]);
    for place in ["path=?", "path>? AND path<?"] {
        let expected = format!("SEARCH run_event USING COVERING INDEX run_event_path (<expr>=? AND {place}");
        assert!(inside.iter().any(|line| line.starts_with(&expected)), "{inside:?}");
    }
}

/// The rows that the migrations put into an empty file.
const ROWS: &str = "INSERT INTO audit_meta (name, value) VALUES ('logId', lower(hex(randomblob(16))));
INSERT INTO trigger_change (one, change) VALUES (1, 0);";

/// Everything in the schema and every row of its tables, as text, but for the random name of the audit chain.
fn contents(connection: &rusqlite::Connection) -> Vec<String> {
    let texts = |sql: &str| -> Vec<String> {
        let mut statement = connection.prepare(sql).expect("prepares");
        let rows = statement.query_map([], |row| row.get(0)).expect("reads");
        rows.collect::<rusqlite::Result<_>>().expect("texts")
    };
    let mut all = texts("SELECT concat_ws(' ', type, name, tbl_name, sql) FROM sqlite_schema ORDER BY type, name");
    for table in texts("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
        let columns =
            texts(&format!("SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('{table}')")).join(", ");
        let rows = texts(&format!("SELECT concat_ws(' ', {columns}) FROM \"{table}\" ORDER BY 1"));
        all.extend(rows.into_iter().map(|row| {
            let log_id = row.strip_prefix("'logId' ").filter(|id| id.len() == 34);
            format!("{table}: {}", if log_id.is_some() { "'logId' '…'" } else { &row })
        }));
    }
    all
}

fn migrated() -> rusqlite::Connection {
    let connection = rusqlite::Connection::open_in_memory().expect("opens");
    for migration in super::all() {
        connection.execute_batch(migration.sql).expect("creates");
    }
    connection
}

#[test]
fn gen_a_new_store_is_what_the_migrations_make() {
    let migrated = migrated();
    let mut statement = migrated
        .prepare(
            "SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' \
             AND name NOT GLOB 'audit_text_*' ORDER BY rowid",
        )
        .expect("prepares");
    let statements: Vec<String> =
        statement.query_map([], |row| row.get(0)).expect("reads").collect::<rusqlite::Result<_>>().expect("texts");
    let script = format!(
        "-- The tables of a new store: what the migrations make of an empty file. Generated: `cargo xtask gen`.\n{}\n{ROWS}\n",
        statements.join("\n")
    );
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/schema/new_store.sql");
    if std::env::var_os("SIGNALBOX_GEN").is_some() {
        std::fs::write(&file, &script).expect("writes");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("reads"), script, "run `cargo xtask gen`");

    let new = rusqlite::Connection::open_in_memory().expect("opens");
    new.execute_batch(&script).expect("creates");
    let (new, migrated) = (contents(&new), contents(&migrated));
    assert_eq!(new.iter().filter(|line| line.starts_with("audit_meta: 'logId' '")).count(), 1);
    let different: Vec<_> = new.iter().zip(&migrated).filter(|(new, old)| new != old).collect();
    assert!(different.is_empty() && new.len() == migrated.len(), "{different:?}");
}
