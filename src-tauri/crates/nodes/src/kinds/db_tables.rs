//! `db.tables`: tables and views of a database with their columns and keys.

use crate::cancellation::until_cancelled;
use crate::databases::{chosen, failure};
use crate::support::{origin, text_or};
use crate::{EffectFuture, Kind, Outcome};
use serde_json::{Map, Value, json};
use signalbox_engine::effect::{Call, CallOutput, CallSlot, OutItem};
use signalbox_ports::databases::{Access, Column, ForeignKey, Table, TableFilter};
use signalbox_ports::{CallLog, World};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Effect(start);

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let optional = |field: &str| {
        let given = text_or(slot, field, "")?.trim();
        Ok(Some(given).filter(|given| !given.is_empty()).map(str::to_owned))
    };
    let filter = TableFilter { schema: optional("schema")?, table: optional("table")? };
    let chosen = chosen(call, slot, world, Access::Read).await?;
    let found = until_cancelled(log, world.databases.tables(chosen.database, filter)).await.map_err(failure)?;
    let items = found.into_iter().map(|table| OutItem::new(Arc::new(written(table)), origin(slot)));
    Ok(CallOutput::items("success", items))
}

fn written(table: Table) -> Value {
    let mut made = Map::new();
    if let Some(schema) = table.name.schema {
        made.insert("schema".into(), schema.into());
    }
    made.insert("name".into(), table.name.name.into());
    made.insert("kind".into(), if table.is_view { "view" } else { "table" }.into());
    made.insert("columns".into(), table.columns.into_iter().map(column).collect());
    made.insert("primaryKey".into(), table.primary_key.into());
    made.insert("uniqueKeys".into(), table.unique_keys.into_iter().map(Value::from).collect());
    made.insert("foreignKeys".into(), table.foreign_keys.into_iter().map(foreign_key).collect());
    made.into()
}

fn column(column: Column) -> Value {
    let mut made = json!({ "name": column.name, "type": column.data_type, "nullable": column.nullable });
    if let Some(default) = column.default {
        made["default"] = default.into();
    }
    made
}

fn foreign_key(key: ForeignKey) -> Value {
    let mut made = json!({ "columns": key.columns, "table": key.table.name, "references": key.references });
    if let Some(schema) = key.table.schema {
        made["schema"] = schema.into();
    }
    made
}
