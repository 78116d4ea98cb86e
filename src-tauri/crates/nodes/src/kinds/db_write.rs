//! `db.write`: items as rows of a table, all of them or none.

use crate::cancellation::until_cancelled;
use crate::databases::{chosen, failure, sql_value};
use crate::fields::{Field, choice, fields, settings_rows};
use crate::support::{kind_of, made, text, whole};
use crate::{EffectFuture, Kind, Outcome, cel};
use serde_json::{Value, json};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_engine::expr::Expr;
use signalbox_model::NodeFailure;
use signalbox_ports::databases::{
    Access, DatabaseError, DatabaseFault, RowSource, SqlValue, TableName, Write, WriteAction, WriteRow,
};
use signalbox_ports::{CallLog, World};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Effect(start);

const BATCH: u64 = 500;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let written = choice(slot, "action", &["insert", "update", "upsert", "delete"])?;
    let action = match written {
        "update" => WriteAction::Update,
        "upsert" => WriteAction::Upsert,
        "delete" => WriteAction::Delete,
        _ => WriteAction::Insert,
    };
    let key: Vec<String> = match action {
        WriteAction::Insert => Vec::new(),
        _ => fields(slot, "key")?.into_iter().map(|field| field.name).collect(),
    };
    if action != WriteAction::Insert && key.is_empty() {
        let words = format!("The action {written} needs the columns that name a row. Fill in 'key'");
        return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "key"));
    }
    let table = table(text(slot, "table")?)?;
    let batch = usize::try_from(whole(slot, "batchSize", 1, 5_000)?.unwrap_or(BATCH)).unwrap_or(1);
    let mut rows =
        ItemRows { slot, action, key: key.clone(), sources: sources(slot)?, at: 0, columns: None, failed: None };
    let database = chosen(call, slot, world, Access::Write).await?.database;
    let shown = text(slot, "table")?;
    let write = Write { database, table, action, key, batch };
    let wrote = match until_cancelled(log, world.databases.write(write, &mut rows)).await {
        Ok(wrote) => wrote,
        Err(error) => {
            let is_ours = error.fault == DatabaseFault::Stopped;
            let failed = rows.failed.take().filter(|_| is_ours);
            return Err(failed.unwrap_or_else(|| told(error, shown)));
        }
    };
    let mut report = json!({ "table": shown, "action": written, "items": wrote.items, "rows": wrote.rows });
    if matches!(action, WriteAction::Update | WriteAction::Delete) {
        report["notFound"] = wrote.not_found.into();
    }
    Ok(made(slot, report))
}

/// What a database says about a column has precedence over the name of the table that the step gives.
fn told(error: DatabaseError, table: &str) -> NodeFailure {
    let may_have_happened = error.may_have_happened;
    let mut failed = failure(error);
    if !may_have_happened {
        failed.message.push_str(". Nothing was written");
    }
    if failed.details.contains_key("table") { failed } else { failed.detail("table", table) }
}

fn table(given: &str) -> Result<TableName, NodeFailure> {
    let given = given.trim();
    let (schema, name) = match given.split_once('.') {
        Some((schema, name)) => (Some(schema), name),
        None => (None, given),
    };
    if name.is_empty() || schema == Some("") || given.contains('\0') {
        let words = format!("'{given}' is no table. Write its name, or schema.name");
        return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "table"));
    }
    Ok(TableName { schema: schema.map(str::to_owned), name: name.to_owned() })
}

/// Where the value of a column comes from.
enum Source {
    Field(Field),
    Expr(Expr),
}

/// Columns and their sources; none takes every field of an item.
fn sources(slot: &CallSlot) -> Result<Vec<(String, Source)>, NodeFailure> {
    let mut sources: Vec<(String, Source)> = Vec::new();
    for (at, row) in settings_rows(slot, "columns")?.into_iter().enumerate() {
        let given = |name: &str| row.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let wrong =
            |words: String| NodeFailure::validation("INPUT_INVALID", words).detail("field", format!("columns.{at}"));
        let Some(column) = given("column").map(str::to_owned) else {
            return Err(wrong(format!("Column {} has no name", at + 1)));
        };
        if sources.iter().any(|(known, _)| *known == column) {
            return Err(wrong(format!("The column '{column}' is there twice")));
        }
        let source = match (given("field"), given("value")) {
            (None, None) => Source::Field(Field::new(&column)),
            (Some(field), None) => Source::Field(Field::new(field)),
            (None, Some(value)) => Source::Expr(cel::compile(&format!("columns.{at}.value"), value)?),
            (Some(_), Some(_)) => {
                return Err(wrong(format!("The column '{column}' has a field and a value; keep one of them")));
            }
        };
        sources.push((column, source));
    }
    Ok(sources)
}

/// The items of a slot as rows.
struct ItemRows<'a> {
    slot: &'a CallSlot,
    action: WriteAction,
    key: Vec<String>,
    sources: Vec<(String, Source)>,
    at: usize,
    /// Of the row before: most rows have the same ones.
    columns: Option<Arc<[String]>>,
    failed: Option<NodeFailure>,
}

impl ItemRows<'_> {
    /// The columns of an item and as many values.
    fn cells(&self, at: usize) -> Result<(Arc<[String]>, Vec<Value>), NodeFailure> {
        let data = self.slot.input.data(at).unwrap_or_default();
        if self.sources.is_empty() {
            let Value::Object(fields) = &*data else {
                let words = format!(
                    "Item {} must be an object with a field for each column, but it is {}",
                    at + 1,
                    kind_of(&data)
                );
                return Err(NodeFailure::validation("SCHEMA_MISMATCH", words).detail("index", at));
            };
            let same = self.columns.as_ref().filter(|known| known.iter().eq(fields.keys()));
            let columns = same.map_or_else(|| fields.keys().cloned().collect(), Arc::clone);
            return Ok((columns, fields.values().cloned().collect()));
        }
        let mut scope = None;
        let one = |(column, source): &(String, Source)| match source {
            Source::Field(field) => field.require(&data, at).cloned(),
            Source::Expr(expr) => {
                let scope = scope.get_or_insert_with(|| {
                    let mut scope = self.slot.scope.clone();
                    scope.item = self.slot.input.kept(at).unwrap_or_default();
                    scope
                });
                cel::value(column, expr, scope)
            }
        };
        let values = self.sources.iter().map(one).collect::<Result<Vec<_>, _>>()?;
        let named = || self.sources.iter().map(|(column, _)| column.clone()).collect();
        Ok((self.columns.as_ref().map_or_else(named, Arc::clone), values))
    }

    fn row(&mut self, at: usize) -> Result<WriteRow, NodeFailure> {
        let (columns, values) = self.cells(at)?;
        for name in &self.key {
            let value = columns.iter().zip(&values).find(|(column, _)| *column == name).map(|(_, value)| value);
            if value.is_none_or(Value::is_null) {
                let what = if value.is_some() { "is null" } else { "is missing" };
                let words = format!("Item {}: the key column '{name}' {what}, so no row can be found by it", at + 1);
                return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "key").detail("index", at));
            }
        }
        let nothing = match self.action {
            WriteAction::Insert | WriteAction::Upsert => values.is_empty(),
            WriteAction::Update => columns.iter().all(|column| self.key.contains(column)),
            WriteAction::Delete => false,
        };
        if nothing {
            let words = format!("Item {} has no column to write", at + 1);
            return Err(NodeFailure::validation("INPUT_INVALID", words).detail("index", at));
        }
        let value = |(column, value): (&String, Value)| sql_value(value, column).map_err(|why| why.detail("index", at));
        let values = columns.iter().zip(values).map(value).collect::<Result<Vec<SqlValue>, _>>()?;
        self.columns = Some(Arc::clone(&columns));
        Ok(WriteRow { item: at, columns, values })
    }
}

impl RowSource for ItemRows<'_> {
    fn next(&mut self) -> Result<Option<WriteRow>, DatabaseError> {
        if self.at >= self.slot.input.len() {
            return Ok(None);
        }
        let at = self.at;
        self.at += 1;
        self.row(at).map(Some).map_err(|failure| {
            self.failed = Some(failure);
            DatabaseError::new(DatabaseFault::Stopped, "An item cannot be written")
        })
    }
}
