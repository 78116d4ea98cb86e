//! A connection to PostgreSQL, used like one to a file: statements are those of SQLite and are translated ([`dialect`]), callers wait
//! on their thread. What the driver does in the background is done by two threads for all connections.

mod dialect;
mod fault;
mod sent;
pub(crate) mod server;
mod value;
mod wire;

use super::{Error, Params, Result};
use dialect::Translated;
use fault::failed;
use rusqlite::types::Value;
use sent::Sent;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tokio_postgres::{Client, SimpleQueryMessage, Statement as Prepared};
use value::Bound;
pub(crate) use value::{Cells, cell, get};
pub(crate) use wire::wait;

/// Statements that are kept for one connection. There are about 400 texts.
const KEPT: usize = 512;
/// One writer at a time over all hosts: the lock of a transaction that writes, in the database of the history.
pub(crate) const WRITE_LOCK: i64 = 0x5342_4f58_0000_0001;

/// An open connection.
pub(crate) struct Connection {
    client: Arc<Client>,
    statements: RefCell<Kept>,
    /// A transaction is open.
    open: Cell<bool>,
    /// A statement of it has failed: PostgreSQL carries out nothing more of it.
    broken: Cell<bool>,
    /// The number of the transaction that writes now, or wrote last.
    transaction: Cell<Option<u64>>,
    changes: Cell<u64>,
    /// Statements of the open transaction that may still fail.
    sent: Sent,
}

/// A statement, and how many of its values there are.
pub(crate) struct Ready {
    prepared: Prepared,
    values: usize,
}

#[derive(Default)]
struct Kept {
    ready: HashMap<String, Arc<Ready>>,
    translated: HashMap<String, Arc<Translated>>,
    order: VecDeque<String>,
}

impl Connection {
    fn new(client: Client) -> Self {
        Self {
            client: Arc::new(client),
            statements: RefCell::default(),
            open: Cell::new(false),
            broken: Cell::new(false),
            transaction: Cell::new(None),
            changes: Cell::new(0),
            sent: Sent::default(),
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    pub(crate) fn is_autocommit(&self) -> bool {
        !self.open.get()
    }

    /// Whether nothing more can be written in the transaction that is open.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.get()
    }

    pub(crate) fn total_changes(&self) -> u64 {
        self.changes.get()
    }

    pub(crate) fn transaction(&self) -> Option<u64> {
        self.transaction.get()
    }

    fn noted<T>(&self, result: Result<T, tokio_postgres::Error>) -> Result<T> {
        result.map_err(|error| {
            if self.open.get() {
                self.broken.set(true);
            }
            // One that was sent before tells why; after it nothing is carried out.
            failed(&self.sent.settle().err().unwrap_or(error))
        })
    }

    /// Waits until everything that was sent is carried out, and says whether it was.
    pub(crate) fn settle(&self) -> Result<()> {
        self.noted(self.sent.settle())
    }

    /// Ends the transaction with all that was sent.
    fn commit(&self) -> Result<()> {
        let mut commit = Box::pin(self.client.batch_execute("COMMIT"));
        // Sent behind the others, before their answers are there.
        let early = commit.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        let settled = self.sent.settle();
        let committed = match early {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => wait(commit),
        };
        // Where a statement has failed the server rolls back instead.
        settled.and(committed).map_err(|error| failed(&error))
    }

    /// Statements as they are, in the language of PostgreSQL.
    pub(crate) fn batch(&self, sql: &str) -> Result<Vec<SimpleQueryMessage>> {
        self.noted(wait(self.client.simple_query(sql)))
    }

    /// The first value of the first row of such statements.
    pub(crate) fn text(&self, sql: &str) -> Result<Option<String>> {
        let rows = self.batch(sql)?;
        Ok(rows
            .into_iter()
            .find_map(|message| match message {
                SimpleQueryMessage::Row(row) => Some(row.get(0).map(str::to_owned)),
                _ => None,
            })
            .flatten())
    }

    /// A transaction that writes begins when no other one writes, on whichever host.
    fn begin(&self) -> Result<()> {
        let sql = format!("BEGIN; SELECT pg_advisory_xact_lock({WRITE_LOCK}); SELECT pg_current_xact_id()::text");
        let begun = wait(self.client.simple_query(&sql)).map_err(|error| {
            if !self.client.is_closed() {
                // The lock was not had in time.
                let _ = wait(self.client.batch_execute("ROLLBACK"));
            }
            failed(&error)
        })?;
        let mut values = begun.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        self.transaction.set(values.next_back().and_then(|text| text.parse().ok()));
        self.open.set(true);
        self.broken.set(false);
        Ok(())
    }

    /// What begins, ends and parts transactions; false for any other statement.
    fn control(&self, sql: &str) -> Result<bool> {
        match sql {
            "BEGIN IMMEDIATE" => self.begin()?,
            "COMMIT" | "ROLLBACK" => {
                let broken = self.broken.replace(false);
                self.open.set(false);
                if sql == "COMMIT" && broken {
                    let _ = wait(self.client.batch_execute("ROLLBACK"));
                    return Err(fault::broken());
                }
                if sql == "COMMIT" {
                    return self.commit().map(|()| true);
                }
                self.sent.forget();
                wait(self.client.batch_execute(sql)).map_err(|error| failed(&error))?;
            }
            "ROLLBACK TO job" => {
                self.sent.forget();
                wait(self.client.batch_execute(sql)).map_err(|error| failed(&error))?;
                self.broken.set(false);
            }
            "SAVEPOINT job" | "RELEASE job" => {
                self.batch(sql)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// One state of the database until [`Self::end_view`].
    pub(crate) fn begin_view(&self) -> Result<()> {
        self.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        self.open.set(true);
        self.broken.set(false);
        Ok(())
    }

    pub(crate) fn end_view(&self) -> Result<()> {
        self.open.set(false);
        self.broken.set(false);
        wait(self.client.batch_execute("ROLLBACK")).map_err(|error| failed(&error))
    }

    /// The statement made ready, of the types of these values.
    fn ready(&self, sql: &str, values: &[Value]) -> Result<Arc<Ready>> {
        let mut kept = self.statements.borrow_mut();
        let translated = match kept.translated.get(sql) {
            Some(known) => Arc::clone(known),
            None => {
                let made = Arc::new(dialect::translate(sql));
                if kept.translated.len() >= KEPT {
                    kept.translated.clear();
                }
                kept.translated.insert(sql.to_owned(), Arc::clone(&made));
                made
            }
        };
        // Which value is missing is a part of the statement where it asks for that: nothing else would tell its type.
        let text = translated.text(|n| matches!(values.get(n - 1), None | Some(Value::Null)));
        // A value that was missing when it was made ready may have been taken for one of another type.
        let fits = |ready: &Ready| {
            let types = ready.prepared.params();
            values.iter().zip(types).all(|(value, kind)| *value == Value::Null || value::type_of(value) == *kind)
        };
        if let Some(ready) = kept.ready.get(text.as_ref()).filter(|ready| fits(ready)) {
            return Ok(Arc::clone(ready));
        }
        let types: Vec<_> = values.iter().map(value::type_of).collect();
        let prepared = self.noted(wait(self.client.prepare_typed(&text, &types)))?;
        let ready = Arc::new(Ready { values: prepared.params().len(), prepared });
        if kept.order.len() >= KEPT
            && let Some(oldest) = kept.order.pop_front()
        {
            kept.ready.remove(&oldest);
        }
        kept.order.push_back(text.clone().into_owned());
        kept.ready.insert(text.into_owned(), Arc::clone(&ready));
        Ok(ready)
    }

    fn bound(&self, sql: &str, params: impl Params) -> Result<(Arc<Ready>, Vec<Bound>)> {
        let values = params.values()?;
        let ready = self.ready(sql, &values)?;
        if ready.values > values.len() {
            return Err(Error::InvalidParameterCount(values.len(), ready.values));
        }
        let bound = values.into_iter().take(ready.values).map(Bound).collect();
        Ok((ready, bound))
    }

    pub(crate) fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        if self.control(sql)? {
            return Ok(0);
        }
        let (ready, bound) = self.bound(sql, params)?;
        let changed = self.noted(wait(self.client.execute_raw(&ready.prepared, &bound)))?;
        self.changes.set(self.changes.get() + changed);
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    /// [`Self::execute`] of a statement of which nobody asks how many rows it changed. What is wrong with it is known at the latest
    /// when the transaction is [settled](Self::settle) or ends.
    pub(crate) fn send(&self, sql: &str, params: impl Params) -> Result<()> {
        if !self.open.get() {
            return self.execute(sql, params).map(drop);
        }
        let (ready, bound) = self.bound(sql, params)?;
        self.noted(self.sent.send(&self.client, ready, bound))?;
        // How many it really changes is not known yet: only whether something may have been changed is asked.
        self.changes.set(self.changes.get() + 1);
        Ok(())
    }

    /// Several statements without values.
    pub(crate) fn execute_batch(&self, sql: &str) -> Result<()> {
        if !self.control(sql)? {
            self.batch(sql)?;
        }
        Ok(())
    }

    /// The value of the only row and column.
    pub(crate) fn query_row_of(&self, sql: &str) -> Result<i64> {
        self.query(sql, [])?.next()?.ok_or(Error::QueryReturnedNoRows)?.get(0)
    }

    /// All rows: another statement may be carried out while they are looked at.
    pub(crate) fn query(&self, sql: &str, params: impl Params) -> Result<Cells> {
        let (ready, bound) = self.bound(sql, params)?;
        let rows = self.noted(wait(async {
            let stream = self.client.query_raw(&ready.prepared, &bound).await?;
            value::collected(stream).await
        }))?;
        // A statement that writes and tells what it wrote.
        if !sql.trim_start().starts_with("SELECT") {
            self.changes.set(self.changes.get() + rows.len() as u64);
        }
        Cells::new(rows)
    }
}
