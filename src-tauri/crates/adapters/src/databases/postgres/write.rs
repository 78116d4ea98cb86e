//! Rows are written in batches. A batch of new rows is one statement with a list of values for each column where its types allow that:
//! such a statement is read and planned once, and the server takes a list of 500 values sooner than 500 parameters. The next batch is
//! made and sent while the server works on the one before.

use super::super::batch::Batches;
use super::super::statement::{Dialect, Statement};
use super::fault::error;
use super::param::{List, Param, listed};
use super::query::params;
use super::{begin, commit};
use futures_util::future::{MaybeDone, join_all, maybe_done};
use signalbox_ports::databases::{Access, DatabaseError, RowSource, SqlValue, Write, WriteRow, Wrote};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Statement as Prepared, Transaction};

/// All rows in one transaction.
pub(super) async fn change(
    client: &mut Client,
    write: &Write,
    rows: &mut dyn RowSource,
) -> Result<Wrote, DatabaseError> {
    let transaction = begin(client, Access::Write, write.database.timeout).await?;
    let statement =
        Statement { dialect: Dialect::Postgres, table: &write.table, action: write.action, key: &write.key };
    let wrote = if statement.takes_many() {
        let mut batches = Batches::new(rows, write.batch, &write.key);
        let mut many = Many { transaction: &transaction, statement, lists: None, values: None };
        many.write(&mut batches).await?
    } else {
        one_by_one(&transaction, &statement, &mut Batches::new(rows, write.batch, &[])).await?
    };
    commit(transaction).await?;
    Ok(wrote)
}

/// A statement for lists of values, and the type of each column.
type OfLists = (Prepared, Vec<Type>);

/// Rows that go into statements of several rows.
struct Many<'a> {
    transaction: &'a Transaction<'a>,
    statement: Statement<'a>,
    /// The last columns that came, and the statement for lists of their values; none where a type has no lists.
    lists: Option<(Arc<[String]>, Option<OfLists>)>,
    /// The last statement with a place for each value: its columns and number of rows.
    values: Option<(Arc<[String]>, usize, Prepared)>,
}

type Done<'a> = MaybeDone<Pin<Box<dyn Future<Output = Result<u64, tokio_postgres::Error>> + Send + 'a>>>;

/// A statement that was sent.
struct Sent<'a> {
    first: usize,
    last: usize,
    count: usize,
    done: Pin<Box<Done<'a>>>,
}

impl Sent<'_> {
    /// Rows that the statement has changed.
    async fn finish(mut self) -> Result<u64, DatabaseError> {
        self.done.as_mut().await;
        match self.done.as_mut().take_output() {
            Some(Err(why)) if self.first == self.last => Err(error(&why).detail("item", self.first)),
            Some(Err(why)) => Err(error(&why).detail("firstItem", self.first).detail("lastItem", self.last)),
            Some(Ok(rows)) => Ok(rows),
            None => Ok(0),
        }
    }
}

impl<'a> Many<'a> {
    async fn write(&mut self, batches: &mut Batches<'_>) -> Result<Wrote, DatabaseError> {
        let mut wrote = Wrote::default();
        let mut running: Option<Sent<'_>> = None;
        loop {
            let next = self.send_next(batches).await;
            // What went wrong first is reported; after it the server refuses every statement.
            if let Some(before) = running.take() {
                wrote.items += before.count as u64;
                wrote.rows += before.finish().await?;
            }
            running = next?;
            if running.is_none() {
                return Ok(wrote);
            }
        }
    }

    async fn send_next(&mut self, batches: &mut Batches<'_>) -> Result<Option<Sent<'a>>, DatabaseError> {
        let Some(batch) = batches.next()? else { return Ok(None) };
        let (Some(first), Some(last)) = (batch.first(), batch.last()) else { return Ok(None) };
        let (first, last) = (first.item, last.item);
        let (known, given) = self.made(&batch).await?;
        let transaction = self.transaction;
        let done: Pin<Box<dyn Future<Output = _> + Send + 'a>> =
            Box::pin(async move { transaction.execute_raw(&known, given).await });
        let mut done = Box::pin(maybe_done(done));
        // It goes to the server now, and is waited for later.
        poll_fn(|context| {
            let _sent = done.as_mut().poll(context);
            Poll::Ready(())
        })
        .await;
        Ok(Some(Sent { first, last, count: batch.len(), done }))
    }

    /// The statement for a batch, and its parameters.
    async fn made(&mut self, batch: &[WriteRow]) -> Result<(Prepared, Vec<Param>), DatabaseError> {
        let columns = batch.first().map(|row| Arc::clone(&row.columns)).unwrap_or_default();
        if batch.len() > 1
            && let Some((known, types)) = self.of_lists(&columns).await?
        {
            let given = lists(batch, &types)?;
            return Ok((known, given));
        }
        let known = match &self.values {
            Some((of, rows, known)) if *of == columns && *rows == batch.len() => known.clone(),
            _ => {
                let made = self.prepare(&self.statement.sql(&columns, batch.len())).await?;
                self.values = Some((columns, batch.len(), made.clone()));
                made
            }
        };
        let mut given = Vec::with_capacity(known.params().len());
        let values = batch.iter().flat_map(|row| row.values.iter().zip(&*row.columns).map(move |pair| (row, pair)));
        for ((row, (value, column)), data_type) in values.zip(known.params()) {
            given.push(Param::of(value, data_type).map_err(|why| at_value(why, row, column))?);
        }
        Ok((known, given))
    }

    async fn of_lists(&mut self, columns: &Arc<[String]>) -> Result<Option<OfLists>, DatabaseError> {
        if let Some((of, known)) = &self.lists
            && of == columns
        {
            return Ok(known.clone());
        }
        // The server tells the types of the places.
        let types = self.prepare(&self.statement.sql(columns, 1)).await?.params().to_vec();
        let names: Option<Vec<&str>> = types.iter().map(listed).collect();
        let known = match names {
            Some(names) => {
                let known = self.prepare(&self.statement.sql_of_lists(columns, &names)).await?;
                Some((known, types))
            }
            None => None,
        };
        self.lists = Some((Arc::clone(columns), known.clone()));
        Ok(known)
    }

    async fn prepare(&self, sql: &str) -> Result<Prepared, DatabaseError> {
        self.transaction.prepare(sql).await.map_err(|why| error(&why))
    }
}

/// A list of values for each column.
fn lists(batch: &[WriteRow], types: &[Type]) -> Result<Vec<Param>, DatabaseError> {
    let mut lists: Vec<List<'_>> = types.iter().map(List::new).collect();
    for row in batch {
        for ((list, value), column) in lists.iter_mut().zip(&row.values).zip(&*row.columns) {
            list.push(value).map_err(|why| at_value(why, row, column))?;
        }
    }
    Ok(lists.into_iter().map(List::end).collect())
}

/// Each row is a separate statement; they are sent one after the other without waiting for each answer.
async fn one_by_one(
    transaction: &Transaction<'_>,
    statement: &Statement<'_>,
    batches: &mut Batches<'_>,
) -> Result<Wrote, DatabaseError> {
    let mut wrote = Wrote::default();
    // The last statement, which most batches use again.
    let mut prepared: Option<(Arc<[String]>, Prepared)> = None;
    while let Some(batch) = batches.next()? {
        let Some(first) = batch.first() else { break };
        let known = match &prepared {
            Some((columns, known)) if *columns == first.columns => known.clone(),
            _ => {
                let sql = statement.sql(&first.columns, 1);
                let made = transaction.prepare(&sql).await.map_err(|why| error(&why))?;
                prepared = Some((Arc::clone(&first.columns), made.clone()));
                made
            }
        };
        let order = statement.order(&first.columns);
        let mut all = Vec::with_capacity(batch.len());
        for row in &batch {
            let values: Vec<SqlValue> = order.iter().map(|at| row.values[*at].clone()).collect();
            all.push(params(&values, known.params()).map_err(|why| why.detail("item", row.item))?);
        }
        let results = join_all(all.iter().map(|given| transaction.execute_raw(&known, given))).await;
        for (row, result) in batch.iter().zip(results) {
            let done = result.map_err(|why| error(&why).detail("item", row.item))?;
            wrote.rows += done;
            wrote.not_found += u64::from(done == 0);
        }
        wrote.items += batch.len() as u64;
    }
    Ok(wrote)
}

/// The place of a value that cannot be sent.
fn at_value(error: DatabaseError, row: &WriteRow, column: &str) -> DatabaseError {
    error.detail("item", row.item).detail("column", column)
}
