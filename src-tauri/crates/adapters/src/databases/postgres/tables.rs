//! Tables and views of PostgreSQL, from its catalog.

use super::{begin, error};
use signalbox_ports::databases::{Access, Column, DatabaseError, ForeignKey, Table, TableFilter, TableName};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio_postgres::Client;

const COLUMNS: &str = "\
    SELECT n.nspname::text, c.relname::text, c.relkind IN ('v', 'm'), a.attname::text, \
           format_type(a.atttypid, a.atttypmod), NOT a.attnotnull, pg_get_expr(d.adbin, d.adrelid) \
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum \
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' \
      AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE') \
      AND ($1::text IS NULL OR n.nspname = $1) AND ($2::text IS NULL OR c.relname = $2) \
    ORDER BY 1, 2, a.attnum";

const KEYS: &str = "\
    SELECT n.nspname::text, c.relname::text, k.contype::text, \
           (SELECT array_agg(a.attname::text ORDER BY p.place) FROM unnest(k.conkey) WITH ORDINALITY p(number, place) \
            JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = p.number), \
           fn.nspname::text, fc.relname::text, \
           (SELECT array_agg(a.attname::text ORDER BY p.place) FROM unnest(k.confkey) WITH ORDINALITY p(number, place) \
            JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = p.number) \
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace \
    LEFT JOIN pg_class fc ON fc.oid = k.confrelid LEFT JOIN pg_namespace fn ON fn.oid = fc.relnamespace \
    WHERE k.contype IN ('p', 'u', 'f') AND ($1::text IS NULL OR n.nspname = $1) AND ($2::text IS NULL OR c.relname = $2) \
    ORDER BY k.conname";

pub(super) async fn of(
    client: &mut Client,
    timeout: Duration,
    filter: &TableFilter,
) -> Result<Vec<Table>, DatabaseError> {
    let transaction = begin(client, Access::Read, timeout).await?;
    let mut tables: BTreeMap<(String, String), Table> = BTreeMap::new();
    let rows = transaction.query(COLUMNS, &[&filter.schema, &filter.table]).await.map_err(|why| error(&why))?;
    for row in rows {
        let (schema, name): (String, String) = (row.get(0), row.get(1));
        let table = tables.entry((schema.clone(), name.clone())).or_insert_with(|| Table {
            name: TableName { schema: Some(schema), name },
            is_view: row.get(2),
            columns: Vec::new(),
            primary_key: Vec::new(),
            unique_keys: Vec::new(),
            foreign_keys: Vec::new(),
        });
        table.columns.push(Column {
            name: row.get(3),
            data_type: row.get(4),
            nullable: row.get(5),
            default: row.get(6),
        });
    }
    let rows = transaction.query(KEYS, &[&filter.schema, &filter.table]).await.map_err(|why| error(&why))?;
    for row in rows {
        let Some(table) = tables.get_mut(&(row.get(0), row.get(1))) else { continue };
        let columns: Vec<String> = row.get::<_, Option<Vec<String>>>(3).unwrap_or_default();
        match row.get::<_, &str>(2) {
            "p" => table.primary_key = columns,
            "u" => table.unique_keys.push(columns),
            _ => table.foreign_keys.push(ForeignKey {
                columns,
                table: TableName { schema: row.get(4), name: row.get::<_, Option<String>>(5).unwrap_or_default() },
                references: row.get::<_, Option<Vec<String>>>(6).unwrap_or_default(),
            }),
        }
    }
    Ok(tables.into_values().collect())
}
