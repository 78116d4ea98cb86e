use super::translate;

fn translated(sql: &str) -> String {
    translate(sql).text(|_| false).into_owned()
}

#[test]
fn values_are_numbered_as_sqlite_numbers_them() {
    assert_eq!(translated("SELECT a FROM t WHERE b = ? AND c = ?"), "SELECT a FROM t WHERE b = $1 AND c = $2");
    assert_eq!(translated("WHERE seq >= ?1 AND x = ? AND y = ?1"), "WHERE seq >= $1 AND x = $2 AND y = $1");
    assert_eq!(translated("SELECT '?', 'it''s ?', ?3"), "SELECT '?', 'it''s ?', $3");
}

#[test]
fn what_asks_for_a_missing_value_is_answered_where_it_is_given() {
    let made = translate("WHERE (?1 IS NULL OR a = ?1) AND ?2 IS NOT NULL");
    assert_eq!(made.text(|n| n == 1), "WHERE (TRUE OR a = $1) AND TRUE");
    assert_eq!(made.text(|n| n == 2), "WHERE (FALSE OR a = $1) AND FALSE");
    assert_eq!(translated("WHERE a IS NOT ? OR b IS ?2"), "WHERE a IS DISTINCT FROM $1 OR b IS NOT DISTINCT FROM $2");
    assert_eq!(translated("WHERE a IS NOT NULL"), "WHERE a IS NOT NULL");
}

#[test]
fn rows_of_the_same_key() {
    assert_eq!(
        translated("INSERT OR IGNORE INTO audit_tag (tag, seq) VALUES (?, ?)"),
        "INSERT INTO audit_tag (tag, seq) VALUES ($1, $2) ON CONFLICT DO NOTHING"
    );
    assert_eq!(
        translated("INSERT OR REPLACE INTO draft (reference, document) VALUES (?, ?)"),
        "INSERT INTO draft (reference, document) VALUES ($1, $2) ON CONFLICT (reference) DO UPDATE SET \
         document = excluded.document, saved_ms = DEFAULT"
    );
    assert_eq!(
        translated("INSERT OR REPLACE INTO trigger_seen VALUES (?, ?, ?, ?)"),
        "INSERT INTO trigger_seen VALUES ($1, $2, $3, $4) ON CONFLICT (trigger_id, key) DO UPDATE SET \
         value = excluded.value, at_ms = excluded.at_ms"
    );
    assert_eq!(
        translated(
            "INSERT INTO audit_meta (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
        ),
        "INSERT INTO audit_meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    );
}

#[test]
fn hints_queries_in_from_and_documents() {
    assert_eq!(translated("SELECT a FROM t INDEXED BY t_a WHERE a = json(b)"), "SELECT a FROM t  WHERE a = (b)");
    assert_eq!(
        translated("SELECT count(*) FROM (SELECT 1 FROM t LIMIT 3)"),
        "SELECT count(*) FROM (SELECT 1 FROM t LIMIT 3) AS part1"
    );
    assert_eq!(
        translated("SELECT n FROM (SELECT 1 AS n) AS x, (SELECT 2) y"),
        "SELECT n FROM (SELECT 1 AS n) AS x, (SELECT 2) y"
    );
    assert_eq!(translated("a IN () OR b IN (?)"), "a IN (NULL) OR b IN ($1)");
    assert_eq!(translated("SELECT CAST(a AS INTEGER)"), "SELECT CAST(a AS bigint)");
}
