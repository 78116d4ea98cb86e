use super::{fold, holds, is_young, teach};
use rusqlite::Connection;

#[test]
fn a_text_is_found_in_another_case() {
    for (text, wanted) in [
        ("Prüfung der ÜBERWEISUNG", "überweisung"),
        ("ΟΔΟΣ", "οδος"),
        ("οδός", "ΟΔΌΣ"),
        ("Счёт", "СЧЁТ"),
        ("a b", "A B"),
        ("aab", "AB"),
        ("日本語", "本"),
        ("x", ""),
    ] {
        assert!(holds(text.as_bytes(), &fold(text)), "{text} in itself");
        assert!(holds(text.as_bytes(), &fold(wanted)), "{wanted} in {text}");
    }
    for (text, wanted) in [("Uber", "über"), ("ü", "üb"), ("", "a"), ("ab", "abc"), ("Straße", "strasse")] {
        assert!(!holds(text.as_bytes(), &fold(wanted)), "{wanted} in {text}");
    }
    assert!(holds(b"\xff \xc3\x9c", "ü"), "what is no text is read as far as it goes");
}

#[test]
fn any_of_several_values() {
    let connection = Connection::open_in_memory().expect("opens");
    teach(&connection).expect("learns");
    let ask = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, bool>(0)).expect("asks");
    assert!(ask("SELECT holds('ü', NULL, 'x', 'fÜr')"));
    assert!(!ask("SELECT holds('ü', NULL, 'x', 7)"));
}

/// What `holds` finds, the index must not leave out: each letter is looked for in its other case there.
#[test]
fn the_index_folds_what_is_folded_here() {
    let connection = Connection::open_in_memory().expect("opens");
    connection
        .execute_batch("CREATE VIRTUAL TABLE t USING fts5(words, content='', detail='none', tokenize='trigram')")
        .expect("creates");
    let mut insert = connection.prepare("INSERT INTO t (rowid, words) VALUES (?, ?)").expect("prepares");
    let changed = || (0..=0x10_ffff).filter_map(char::from_u32).filter(|c| fold(&c.to_string()) != c.to_string());
    for letter in changed() {
        insert.execute((u32::from(letter), format!("{letter}{letter}{letter}"))).expect("inserts");
    }
    let mut find = connection.prepare("SELECT 1 FROM t WHERE t MATCH ? AND rowid = ?").expect("prepares");
    let mut old = 0;
    for letter in changed().filter(|letter| !fold(&letter.to_string()).chars().any(is_young)) {
        let small = fold(&letter.to_string()).repeat(3);
        assert!(find.exists((format!("\"{small}\""), u32::from(letter))).expect("asks"), "{letter:?}");
        old += 1;
    }
    assert!(old > 500, "{old}");
    assert!(is_young('\u{1e900}') && is_young('\u{1e922}') && !is_young('日'), "Adlam has two cases, Han has none");
}
