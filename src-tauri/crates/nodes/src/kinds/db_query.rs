//! `db.query`: one statement of SQL with named parameters. Its rows are items, or go into a file.

use crate::cancellation::until_cancelled;
use crate::databases::named::{short, translate};
use crate::databases::save::SaveTo;
use crate::databases::{chosen, failure, params};
use crate::listing::{Listing, MOST_ITEMS};
use crate::support::{made, text, text_or, whole, wrong_setting};
use crate::{EffectFuture, Kind, Outcome};
use serde_json::json;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::NodeFailure;
use signalbox_ports::databases::{Access, DatabaseError, DatabaseFault, Query, RowSink};
use signalbox_ports::{CallLog, World};

pub(crate) const KIND: Kind = Kind::Effect(start);

const MAX_ROWS: u64 = 100_000;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

/// Makes an item of each row.
struct Rows {
    list: Listing,
    /// Why no more is taken.
    refused: Option<NodeFailure>,
}

impl RowSink for Rows {
    fn row(&mut self, json: &str) -> Result<(), DatabaseError> {
        self.list.push_row(json).map_err(|failure| {
            self.refused = Some(failure);
            DatabaseError::new(DatabaseFault::Stopped, "There is no room for more rows")
        })
    }
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let sql = text(slot, "sql")?;
    let access = match text_or(slot, "access", "read")? {
        "read" => Access::Read,
        "write" => Access::Write,
        _ => return Err(wrong_setting("access", "read or write", &slot.config["access"])),
    };
    let save = SaveTo::of(slot, access)?;
    let usual = if save.is_some() { MOST_ITEMS } else { MAX_ROWS };
    let max_rows = whole(slot, "maxRows", 1, MOST_ITEMS)?.unwrap_or(usual);
    let chosen = chosen(call, slot, world, access).await?;
    let translated = translate(sql, chosen.dialect).map_err(|placeholder| {
        let words =
            format!("The SQL has the placeholder {placeholder}. Write :name instead, and add a parameter of this name");
        NodeFailure::validation("INPUT_INVALID", words).detail("field", "sql")
    })?;
    let query = Query {
        params: params(slot, &translated.names)?,
        database: chosen.database,
        sql: translated.sql,
        max_rows: u32::try_from(max_rows).unwrap_or(u32::MAX),
    };
    if let Some(save) = save {
        let written = until_cancelled(log, save.write(call, world, log, query)).await;
        return written.map(|about| made(slot, about)).map_err(|failed| failed.detail("sql", short(sql)));
    }
    let mut rows = Rows { list: Listing::of(slot), refused: None };
    let done = until_cancelled(log, world.databases.query(query, &mut rows)).await;
    let done = match (done, rows.refused) {
        (Ok(done), _) => done,
        // A statement that was ended in the middle is undone.
        (Err(_), Some(refused)) => return Err(refused.detail("sql", short(sql))),
        (Err(error), None) => return Err(failure(error).detail("sql", short(sql))),
    };
    if done.has_rows {
        return Ok(rows.list.done());
    }
    Ok(made(slot, json!({ "affectedRows": done.affected })))
}
