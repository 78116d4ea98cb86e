#[test]
fn a_step_at_a_path_is_found_without_reading_the_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = crate::Store::open(folder.path(), &crate::StoreOptions::default()).expect("opens");
    drop(store);
    let connection = rusqlite::Connection::open(folder.path().join("signalbox.db")).expect("opens");
    let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", super::at_path())).expect("prepares");
    let lines: Vec<String> = plan
        .query_map(rusqlite::params!["r", "p", "n", 5, 5], |row| row.get(3))
        .expect("plans")
        .collect::<rusqlite::Result<_>>()
        .expect("lines");
    let expected = "SEARCH run_event USING COVERING INDEX run_event_path (<expr>=? AND path=? AND node=? AND rowid<?)";
    assert!(lines.iter().any(|line| line == expected), "{lines:?}");
}
