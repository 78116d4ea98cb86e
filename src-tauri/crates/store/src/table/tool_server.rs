//! `tool_server`: servers of tools that a person registered on this machine, what was approved of them, and what was seen
//! last. The values are the app's; here they are JSON. Tests: `tests/store/table/tool_server.rs`.

use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, Row, params};
use serde_json::Value;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 33,
    // `approved`: what a person approved; null before. `seen`: what the server said of itself last. `blocked`: it is not what
    // was approved, and why; null while it may be called. `trouble`: why it could not be asked last.
    sql: "CREATE TABLE tool_server (
            name TEXT PRIMARY KEY NOT NULL, definition TEXT NOT NULL, approved TEXT, seen TEXT, blocked TEXT, trouble TEXT,
            made_by TEXT NOT NULL, made_ms INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;",
}, Migration {
    id: 37,
    // `sign_in`: what the server wants of somebody who signs in, and who did; no token.
    sql: "ALTER TABLE tool_server ADD COLUMN sign_in TEXT;",
}];

/// A registered server of tools.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolServerRow {
    /// Its name.
    pub name: String,
    /// How it is started or reached.
    pub definition: Value,
    /// What a person approved.
    pub approved: Option<Value>,
    /// What it said of itself last.
    pub seen: Option<Value>,
    /// Why nothing is called until a person approves it again.
    pub blocked: Option<String>,
    /// Why it could not be asked last.
    pub trouble: Option<Value>,
    /// What it wants of somebody who signs in, and who did. No token stands here.
    pub sign_in: Option<Value>,
    /// Who registered it.
    pub made_by: String,
    /// Milliseconds since 1970.
    pub made_ms: i64,
}

const COLUMNS: &str = "name, definition, approved, seen, blocked, trouble, made_by, made_ms, sign_in";

fn json(row: &Row<'_>, column: usize) -> sql::Result<Option<String>> {
    row.get(column)
}

fn parse(text: Option<String>) -> Result<Option<Value>> {
    text.map(|text| {
        crate::document::parse(&text)
            .map_err(|e| Error::Damaged { reason: format!("a tool server cannot be read: {e}") })
    })
    .transpose()
}

type Texts = (ToolServerRow, [Option<String>; 5]);

fn texts(row: &Row<'_>) -> sql::Result<Texts> {
    let one = ToolServerRow {
        name: row.get(0)?,
        definition: Value::Null,
        approved: None,
        seen: None,
        blocked: row.get(4)?,
        trouble: None,
        sign_in: None,
        made_by: row.get(6)?,
        made_ms: row.get(7)?,
    };
    Ok((one, [json(row, 1)?, json(row, 2)?, json(row, 3)?, json(row, 5)?, json(row, 8)?]))
}

fn whole((mut one, [definition, approved, seen, trouble, sign_in]): Texts) -> Result<ToolServerRow> {
    one.definition = parse(definition)?.unwrap_or_default();
    one.approved = parse(approved)?;
    one.seen = parse(seen)?;
    one.trouble = parse(trouble)?;
    one.sign_in = parse(sign_in)?;
    Ok(one)
}

pub(crate) fn all(connection: &Connection) -> Result<Vec<ToolServerRow>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM tool_server ORDER BY name"))?;
    let rows = statement.query_map([], texts)?.collect::<sql::Result<Vec<_>>>()?;
    rows.into_iter().map(whole).collect()
}

pub(crate) fn get(connection: &Connection, name: &str) -> Result<Option<ToolServerRow>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM tool_server WHERE name = ?"))?;
    statement.query_row([name], texts).optional()?.map(whole).transpose()
}

pub(crate) fn put(connection: &Connection, one: &ToolServerRow) -> Result<()> {
    let text = |value: &Option<Value>| value.as_ref().map(Value::to_string);
    connection
        .prepare_cached(&format!("INSERT OR REPLACE INTO tool_server ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"))?
        .execute(params![
            one.name,
            one.definition.to_string(),
            text(&one.approved),
            text(&one.seen),
            one.blocked,
            text(&one.trouble),
            one.made_by,
            one.made_ms,
            text(&one.sign_in)
        ])?;
    Ok(())
}

pub(crate) fn delete(connection: &Connection, name: &str) -> Result<bool> {
    Ok(connection.prepare_cached("DELETE FROM tool_server WHERE name = ?")?.execute([name])? > 0)
}
