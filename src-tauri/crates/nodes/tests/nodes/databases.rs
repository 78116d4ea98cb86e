//! A database that knows a few statements; what databases really do is tested where they are.

use async_trait::async_trait;
use serde_json::json;
use signalbox_ports::FileError;
use signalbox_ports::databases::{
    Access, Column, Database, DatabaseError, DatabaseFault, DatabasePlace, Databases, ForeignKey, Queried, Query,
    RowSink, RowSource, SqlValue, Table, TableFilter, TableName, Write, Wrote,
};

#[derive(Default)]
pub(crate) struct FakeDatabases;

#[async_trait]
impl Databases for FakeDatabases {
    async fn query(&self, query: Query, rows: &mut dyn RowSink) -> Result<Queried, DatabaseError> {
        if query.sql.contains("FROM none") {
            return Err(DatabaseError::new(DatabaseFault::UnknownTable, "no such table: none"));
        }
        if query.database.access == Access::Write {
            return Ok(Queried { has_rows: false, affected: 1 });
        }
        assert!(query.sql.contains("country = ?1"), "{}", query.sql);
        assert_eq!(query.params, [SqlValue::Json(json!("NO"))]);
        rows.columns(&["name".to_owned()])?;
        rows.row("{\"name\":\"Ada Berg\"}")?;
        Ok(Queried { has_rows: true, affected: 0 })
    }

    async fn write(&self, write: Write, rows: &mut dyn RowSource) -> Result<Wrote, DatabaseError> {
        if write.table.name == "taken" {
            return Err(DatabaseError::new(DatabaseFault::Unique, "UNIQUE constraint failed: taken.id"));
        }
        let mut wrote = Wrote::default();
        while rows.next()?.is_some() {
            wrote.items += 1;
            wrote.rows += 1;
        }
        Ok(wrote)
    }

    async fn tables(&self, database: Database, filter: TableFilter) -> Result<Vec<Table>, DatabaseError> {
        if let DatabasePlace::File { path, .. } = &database.place
            && path == "none.db"
        {
            let error = FileError::NotFound { path: path.clone() };
            return Err(DatabaseError::new(DatabaseFault::File(error), "gone"));
        }
        let column = |name: &str, data_type: &str, default: Option<&str>| Column {
            name: name.into(),
            data_type: data_type.into(),
            nullable: false,
            default: default.map(str::to_owned),
        };
        let people = TableName { schema: None, name: "people".into() };
        Ok(vec![Table {
            name: TableName { schema: Some("main".into()), name: filter.table.unwrap_or_default() },
            is_view: false,
            columns: vec![column("id", "INTEGER", None), column("name", "TEXT", Some("''"))],
            primary_key: vec!["id".into()],
            unique_keys: vec![vec!["name".into()]],
            foreign_keys: vec![ForeignKey { columns: vec!["id".into()], table: people, references: vec!["id".into()] }],
        }])
    }
}
