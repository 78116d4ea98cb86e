//! Tables and views of MySQL and MariaDB, from the information schema.

use super::error;
use mysql_async::Conn;
use mysql_async::prelude::Queryable as _;
use signalbox_ports::databases::{Column, DatabaseError, ForeignKey, Table, TableFilter, TableName};
use std::collections::BTreeMap;

/// The schemas of the server itself are left out; without a filter, the database of the connection is looked at.
const COLUMNS: &str = "\
    SELECT t.table_schema, t.table_name, t.table_type LIKE '%VIEW%', c.column_name, c.column_type, \
           c.is_nullable = 'YES', c.column_default \
    FROM information_schema.tables t JOIN information_schema.columns c \
      ON c.table_schema = t.table_schema AND c.table_name = t.table_name \
    WHERE t.table_schema = COALESCE(?, DATABASE()) AND t.table_name = COALESCE(?, t.table_name) \
    ORDER BY t.table_name, c.ordinal_position";

const KEYS: &str = "\
    SELECT index_name, table_name, column_name FROM information_schema.statistics \
    WHERE non_unique = 0 AND table_schema = COALESCE(?, DATABASE()) AND table_name = COALESCE(?, table_name) \
      AND column_name IS NOT NULL \
    ORDER BY table_name, index_name, seq_in_index";

const REFERENCES: &str = "\
    SELECT constraint_name, table_name, column_name, referenced_table_schema, referenced_table_name, referenced_column_name \
    FROM information_schema.key_column_usage \
    WHERE referenced_table_name IS NOT NULL AND table_schema = COALESCE(?, DATABASE()) \
      AND table_name = COALESCE(?, table_name) \
    ORDER BY table_name, constraint_name, ordinal_position";

type OfColumn = (String, String, bool, String, String, bool, Option<String>);
type OfReference = (String, String, String, String, String, String);

pub(super) async fn of(conn: &mut Conn, filter: &TableFilter) -> Result<Vec<Table>, DatabaseError> {
    let by = (&filter.schema, &filter.table);
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    let rows: Vec<OfColumn> = conn.exec(COLUMNS, by).await.map_err(|why| error(&why))?;
    for (schema, name, is_view, column, data_type, nullable, default) in rows {
        let table = tables.entry(name.clone()).or_insert_with(|| Table {
            name: TableName { schema: Some(schema), name },
            is_view,
            columns: Vec::new(),
            primary_key: Vec::new(),
            unique_keys: Vec::new(),
            foreign_keys: Vec::new(),
        });
        table.columns.push(Column { name: column, data_type, nullable, default });
    }
    let rows: Vec<(String, String, String)> = conn.exec(KEYS, by).await.map_err(|why| error(&why))?;
    let mut keys: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (index, table, column) in rows {
        keys.entry((table, index)).or_default().push(column);
    }
    for ((table, index), columns) in keys {
        let Some(table) = tables.get_mut(&table) else { continue };
        if index == "PRIMARY" {
            table.primary_key = columns;
        } else {
            table.unique_keys.push(columns);
        }
    }
    let rows: Vec<OfReference> = conn.exec(REFERENCES, by).await.map_err(|why| error(&why))?;
    let mut last = None;
    for (constraint, name, column, schema, target, referenced) in rows {
        let Some(table) = tables.get_mut(&name) else { continue };
        let this = (name, constraint);
        if last.as_ref() != Some(&this) {
            let target = TableName { schema: Some(schema), name: target };
            table.foreign_keys.push(ForeignKey { columns: Vec::new(), table: target, references: Vec::new() });
        }
        if let Some(key) = table.foreign_keys.last_mut() {
            key.columns.push(column);
            key.references.push(referenced);
        }
        last = Some(this);
    }
    Ok(tables.into_values().collect())
}
