use super::*;
use rusqlite::Connection;

const NAME: &str = "0123456789abcdef0123456789abcdef";

fn text(connection: &Connection, sql: &str) -> String {
    connection.query_row(sql, [], |row| row.get_ref(0).map(|value| format!("{value:?}"))).expect("is read")
}

#[test]
fn it_is_a_whole_database_with_a_log_of_writes_and_its_own_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("signalbox.db");
    make(&path, NAME).expect("is made");
    assert_eq!(fs::metadata(&path).expect("is there").len(), LENGTH as u64);
    let file = Connection::open(&path).expect("opens");
    assert_eq!(text(&file, "PRAGMA integrity_check"), text(&file, "SELECT 'ok'"));
    assert_eq!(text(&file, "PRAGMA journal_mode"), text(&file, "SELECT 'wal'"));
    assert_eq!(text(&file, "PRAGMA auto_vacuum"), text(&file, "SELECT 2"));
    assert_eq!(text(&file, "PRAGMA user_version"), text(&file, &format!("SELECT {}", known())));
    assert_eq!(text(&file, "PRAGMA application_id"), text(&file, &format!("SELECT {APPLICATION_ID}")));
    assert_eq!(
        text(&file, "SELECT value FROM audit_meta WHERE name = 'logId'"),
        text(&file, &format!("SELECT '{NAME}'"))
    );
}

#[test]
fn a_file_that_is_there_is_never_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("signalbox.db");
    fs::write(&path, "").expect("is written");
    assert_eq!(make(&path, NAME).expect_err("is refused").kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&path).expect("is read"), b"");
    assert_eq!(fs::read_dir(folder.path()).expect("is listed").count(), 1, "nothing else is left");
}

#[test]
fn half_of_one_is_written_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("signalbox.db");
    fs::write(folder.path().join("signalbox.db.new"), "half").expect("is written");
    make(&path, NAME).expect("is made");
    assert_eq!(fs::read_dir(folder.path()).expect("is listed").count(), 1);
    assert_eq!(bytes("short"), None);
}
