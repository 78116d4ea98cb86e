use super::{Dialect, Statement};
use signalbox_ports::databases::{TableName, WriteAction};

fn sql(dialect: Dialect, action: WriteAction, key: &[&str], columns: &[&str], rows: usize) -> (String, Vec<usize>) {
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let table = TableName { schema: Some("s".into()), name: "t\"`".into() };
    let (key, columns) = (names(key), names(columns));
    let statement = Statement { dialect, table: &table, action, key: &key };
    (statement.sql(&columns, rows), statement.order(&columns))
}

#[test]
fn names_are_quoted_and_values_are_placeholders() {
    let (insert, order) = sql(Dialect::Postgres, WriteAction::Insert, &[], &["a", "b\"; DROP"], 2);
    assert_eq!(insert, "INSERT INTO \"s\".\"t\"\"`\" (\"a\", \"b\"\"; DROP\") VALUES ($1, $2), ($3, $4)");
    assert_eq!(order, [0, 1]);
    let (upsert, _) = sql(Dialect::Sqlite, WriteAction::Upsert, &["id"], &["id", "n"], 1);
    assert!(upsert.ends_with("VALUES (?, ?) ON CONFLICT (\"id\") DO UPDATE SET \"n\" = EXCLUDED.\"n\""), "{upsert}");
    let table = TableName { schema: None, name: "t".into() };
    let key = ["id".to_owned()];
    let lists = Statement { dialect: Dialect::Postgres, table: &table, action: WriteAction::Upsert, key: &key };
    assert_eq!(
        lists.sql_of_lists(&["id".to_owned(), "n".to_owned()], &["int8", "char"]),
        "INSERT INTO \"t\" (\"id\", \"n\") SELECT * FROM unnest($1::pg_catalog.\"int8\"[], $2::pg_catalog.\"char\"[]) \
         ON CONFLICT (\"id\") DO UPDATE SET \"n\" = EXCLUDED.\"n\""
    );
    let (only_key, _) = sql(Dialect::Postgres, WriteAction::Upsert, &["id"], &["id"], 1);
    assert!(only_key.ends_with("DO NOTHING"), "{only_key}");
    let (mysql, _) = sql(Dialect::MySql, WriteAction::Upsert, &["id"], &["id", "n"], 1);
    assert_eq!(mysql, "INSERT INTO `s`.`t\"``` (`id`, `n`) VALUES (?, ?) ON DUPLICATE KEY UPDATE `n` = VALUES(`n`)");
    let (update, order) = sql(Dialect::Postgres, WriteAction::Update, &["id", "v"], &["v", "n", "id", "m"], 1);
    assert!(update.ends_with("SET \"n\" = $1, \"m\" = $2 WHERE \"id\" = $3 AND \"v\" = $4"), "{update}");
    assert_eq!(order, [1, 3, 2, 0]);
    let (delete, order) = sql(Dialect::MySql, WriteAction::Delete, &["id"], &["n", "id"], 1);
    assert_eq!((delete.as_str(), order), ("DELETE FROM `s`.`t\"``` WHERE `id` = ?", vec![1]));
}
