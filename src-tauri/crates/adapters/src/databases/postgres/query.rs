//! Statements that give rows: prepared, then read from a portal in blocks.

use super::super::json::{self, RowWriter};
use super::decode::Decoder;
use super::fault::error;
use super::param::Param;
use super::row_blocks::RowBlocks;
use super::{begin, commit};
use signalbox_ports::databases::{Cell, DatabaseError, DatabaseFault, Queried, Query, RowSink, SqlValue};
use std::pin::pin;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Statement};

/// Letter, length and number of values of a message with a row.
const ROW_HEADER: usize = 7;

pub(super) fn params(values: &[SqlValue], types: &[Type]) -> Result<Vec<Param>, DatabaseError> {
    values.iter().zip(types).map(|(value, data_type)| Param::of(value, data_type)).collect()
}

fn decoders(statement: &Statement) -> Result<Vec<Decoder>, DatabaseError> {
    let decoder = |column: &tokio_postgres::Column| {
        Decoder::of(column.type_()).ok_or_else(|| {
            let (name, data_type) = (column.name(), column.type_().name());
            let words = format!(
                "The column '{name}' has the type {data_type}, which is not read. Write {name}::text in the SQL"
            );
            DatabaseError::new(DatabaseFault::UnsupportedType, words).detail("column", name)
        })
    };
    statement.columns().iter().map(decoder).collect()
}

pub(super) async fn ask(
    client: &mut Client,
    blocks: &RowBlocks,
    query: &Query,
    sink: &mut dyn RowSink,
) -> Result<Queried, DatabaseError> {
    let transaction = begin(client, query.database.access, query.database.timeout).await?;
    let statement = transaction.prepare(&query.sql).await.map_err(|why| error(&why))?;
    if statement.params().len() != query.params.len() {
        let words = "The SQL has a placeholder like $1. Write :name, and give the value as a parameter";
        return Err(DatabaseError::new(DatabaseFault::Invalid("sql"), words));
    }
    let decoders = decoders(&statement)?;
    let names: Vec<String> = statement.columns().iter().map(|column| column.name().to_owned()).collect();
    let mut writer = RowWriter::new(&names, query.max_rows, sink)?;
    let given = params(&query.params, statement.params())?;
    let portal = transaction.bind_raw(&statement, &given).await.map_err(|why| error(&why))?;
    // One more than wanted, to know that there are more.
    let most = i32::try_from(query.max_rows.saturating_add(1)).unwrap_or(i32::MAX);
    let mut reader = blocks.open();
    let rest = transaction.query_portal_raw(&portal, most).await.map_err(|why| error(&why))?;
    let mut rest = pin!(rest);
    let mut buffer = Vec::new();
    let unread = |at: usize| {
        let name = names.get(at).map_or("", String::as_str);
        let words = format!("A value of the column '{name}' cannot be read. Write {name}::text in the SQL");
        DatabaseError::new(DatabaseFault::UnsupportedType, words)
    };
    while let Some(block) = reader.next(rest.as_mut()).await {
        let mut block = Values(block.map_err(|why| error(&why))?);
        while block.row(decoders.len())? {
            if let Some(cells) = sink.cells() {
                writer.count()?;
                for (at, decoder) in decoders.iter().enumerate() {
                    let cell = match block.value()? {
                        None => Cell::Null,
                        Some(raw) => decoder.cell(&mut buffer, raw).ok_or_else(|| unread(at))?,
                    };
                    cells.cell(cell)?;
                }
                cells.end()?;
            } else {
                for (at, decoder) in decoders.iter().enumerate() {
                    let (value, out) = (block.value()?, writer.column(at));
                    match value {
                        None => out.extend_from_slice(b"null"),
                        Some(raw) => decoder.write(out, raw).ok_or_else(|| unread(at))?,
                    }
                }
                writer.end(sink)?;
            }
            json::room(sink).await;
        }
    }
    drop(reader);
    let affected = rest.rows_affected().unwrap_or(0);
    commit(transaction).await?;
    Ok(Queried { has_rows: !statement.columns().is_empty(), affected })
}

/// The values in messages with rows that are still to be read.
struct Values<'a>(&'a [u8]);

impl<'a> Values<'a> {
    /// Begins the next row; false when there is none.
    fn row(&mut self, columns: usize) -> Result<bool, DatabaseError> {
        if self.0.is_empty() {
            return Ok(false);
        }
        let header = self.take(ROW_HEADER)?;
        let count = usize::from(u16::from_be_bytes([header[5], header[6]]));
        if count == columns { Ok(true) } else { Err(malformed()) }
    }

    /// The next value; a length below zero is null.
    fn value(&mut self) -> Result<Option<&'a [u8]>, DatabaseError> {
        let (length, rest) = self.0.split_first_chunk::<4>().ok_or_else(malformed)?;
        self.0 = rest;
        match usize::try_from(i32::from_be_bytes(*length)) {
            Ok(length) => self.take(length).map(Some),
            Err(_) => Ok(None),
        }
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], DatabaseError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or_else(malformed)?;
        self.0 = rest;
        Ok(taken)
    }
}

fn malformed() -> DatabaseError {
    let words = "The server sent a row that is not as PostgreSQL writes it. Check host and port";
    DatabaseError::new(DatabaseFault::Stopped, words)
}
