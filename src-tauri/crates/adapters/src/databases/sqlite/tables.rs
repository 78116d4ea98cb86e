//! Tables and views of a SQLite file.

use super::error;
use rusqlite::Connection;
use signalbox_ports::databases::{Column, DatabaseError, ForeignKey, Table, TableFilter, TableName};

const TABLES: &str = "SELECT name, type FROM pragma_table_list \
                      WHERE schema = 'main' AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
                        AND (?1 IS NULL OR name = ?1) ORDER BY name";

pub(super) fn of(connection: &Connection, filter: &TableFilter) -> Result<Vec<Table>, DatabaseError> {
    if filter.schema.as_deref().is_some_and(|schema| schema != "main") {
        return Ok(Vec::new());
    }
    read(connection, filter).map_err(|why| error(&why))
}

fn read(connection: &Connection, filter: &TableFilter) -> rusqlite::Result<Vec<Table>> {
    let mut statement = connection.prepare(TABLES)?;
    let names = statement.query_map([&filter.table], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let names: Vec<(String, String)> = names.collect::<Result<_, _>>()?;
    let mut tables = Vec::with_capacity(names.len());
    for (name, kind) in names {
        let (mut columns, mut key) = (Vec::new(), Vec::new());
        let mut statement = connection
            .prepare("SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_xinfo(?1) WHERE hidden <> 1")?;
        let mut rows = statement.query([&name])?;
        while let Some(row) = rows.next()? {
            let place: i64 = row.get(4)?;
            let column = Column {
                name: row.get(0)?,
                data_type: row.get(1)?,
                nullable: !row.get::<_, bool>(2)? && place == 0,
                default: row.get(3)?,
            };
            if place > 0 {
                key.push((place, column.name.clone()));
            }
            columns.push(column);
        }
        key.sort();
        let mut statement = connection.prepare(
            "SELECT name FROM pragma_index_list(?1) WHERE \"unique\" = 1 AND origin <> 'pk' AND partial = 0",
        )?;
        let indexes: Vec<String> = statement.query_map([&name], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let mut unique_keys = Vec::new();
        for index in indexes {
            let mut statement = connection.prepare("SELECT name FROM pragma_index_info(?1) ORDER BY seqno")?;
            let names = statement.query_map([&index], |row| row.get::<_, Option<String>>(0))?;
            // A part that is an expression has no name.
            if let Some(names) = names.collect::<Result<Option<Vec<String>>, _>>()? {
                unique_keys.push(names);
            }
        }
        unique_keys.sort();
        let mut foreign_keys: Vec<(i64, ForeignKey)> = Vec::new();
        let mut statement = connection
            .prepare("SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?1) ORDER BY id, seq")?;
        let mut rows = statement.query([&name])?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            if foreign_keys.last().is_none_or(|(last, _)| *last != id) {
                let table = TableName { schema: None, name: row.get(1)? };
                foreign_keys.push((id, ForeignKey { columns: Vec::new(), table, references: Vec::new() }));
            }
            if let Some((_, key)) = foreign_keys.last_mut() {
                key.columns.push(row.get(2)?);
                // Without a name it is the primary key.
                key.references.extend(row.get::<_, Option<String>>(3)?);
            }
        }
        tables.push(Table {
            name: TableName { schema: Some("main".into()), name },
            is_view: kind == "view",
            columns,
            primary_key: key.into_iter().map(|(_, name)| name).collect(),
            unique_keys,
            foreign_keys: foreign_keys.into_iter().map(|(_, key)| key).collect(),
        });
    }
    Ok(tables)
}
