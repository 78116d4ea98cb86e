//! `setting`: small JSON values by name. Tests: `tests/store/table/setting.rs`.

use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{Connection, OptionalExtension};
use serde_json::Value;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 10,
    sql: "CREATE TABLE setting (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;",
}];

pub(crate) fn get(connection: &Connection, name: &str) -> Result<Option<Value>> {
    let mut statement = connection.prepare_cached("SELECT value FROM setting WHERE name = ?")?;
    let text: Option<String> = statement.query_row([name], |row| row.get(0)).optional()?;
    text.map(|text| {
        crate::document::parse(&text)
            .map_err(|e| Error::Damaged { reason: format!("the setting {name} cannot be read: {e}") })
    })
    .transpose()
}

pub(crate) fn set(connection: &Connection, name: &str, value: Option<&Value>) -> Result<()> {
    match value {
        Some(value) => connection
            .prepare_cached(
                "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            )?
            .execute([name, &value.to_string()])?,
        None => connection.prepare_cached("DELETE FROM setting WHERE name = ?")?.execute([name])?,
    };
    Ok(())
}
