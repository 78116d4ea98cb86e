//! The database of the history: its address, its tables, and which instances live.

mod address;
mod schema;

use super::wire::{self, Tls};
use super::{Connection, fault};
use crate::error::{Error, Result};
pub(crate) use address::Address;
pub(super) use schema::tables;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Kind of the locks by which instances live.
const LIVES: i32 = 0x5342_4f58;
/// Kind of the locks of work that one host does for all.
const DOES: i32 = 0x5342_4f59;
/// Held while tables are made.
const SETUP_LOCK: i64 = 0x5342_4f58_0000_0002;
/// How long between two tries to reach a server that is away.
const AGAIN: Duration = Duration::from_millis(250);

/// Where connections come from.
#[derive(Clone)]
pub(crate) struct Server(Arc<Shared>);

struct Shared {
    address: Address,
    tls: Option<Tls>,
    /// How long a write waits for other hosts, and for a server that is away.
    patience: Duration,
    /// The number of this instance, once it has one.
    number: Mutex<Option<i32>>,
    /// The session that holds the work which this host does for all.
    work: Mutex<Option<Connection>>,
}

/// What became of a transaction whose end was not answered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Committed,
    Aborted,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.address.shown())
    }
}

impl Server {
    pub(crate) fn new(address: Address, patience: Duration) -> Result<Self> {
        let tls = address.tls().map_err(|reason| Error::Unreachable { reason })?;
        Ok(Self(Arc::new(Shared { address, tls, patience, number: Mutex::default(), work: Mutex::default() })))
    }

    /// Without the password.
    pub(crate) fn shown(&self) -> &str {
        self.0.address.shown()
    }

    fn open(&self) -> Result<Connection> {
        let connection =
            wire::connect(self.0.address.config(), self.0.tls.as_ref()).map_err(|error| match Error::from(error) {
                Error::Unreachable { reason } | Error::Sqlite { message: reason, .. } => {
                    Error::Unreachable { reason: format!("{}: {reason}", self.shown()) }
                }
                other => other,
            })?;
        let patience = self.0.patience.as_millis().max(1);
        // The server ends sessions of hosts that it no longer hears from within half a minute: their locks go with them.
        connection.batch(&format!(
            "SET search_path = signalbox, pg_catalog; SET lock_timeout = {patience}; SET TIME ZONE 'UTC'; \
             SET client_min_messages = warning; SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; \
             SET tcp_keepalives_count = 3; SET tcp_user_timeout = 25000"
        ))?;
        Ok(connection)
    }

    pub(crate) fn reader(&self) -> Result<Connection> {
        let connection = self.open()?;
        connection.batch("SET default_transaction_read_only = on")?;
        Ok(connection)
    }

    /// The connection that writes, and by which this instance lives once it has a number.
    fn open_writer(&self) -> Result<Connection> {
        let connection = self.open()?;
        // A host goes on from what was answered: see `Connection::set_synced`.
        connection.batch(
            "SET idle_in_transaction_session_timeout = 60000; \
             SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
        )?;
        let number = *self.0.number.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = number {
            // A session of this instance that lingers at the server, because the network ended it: what it has begun is not known
            // until it is gone.
            connection.batch(&format!(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = {LIVES} \
                 AND objid = {number} AND objsubid = 2 AND granted AND pid <> pg_backend_pid() \
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()); \
                 SELECT pg_advisory_lock({LIVES}, {number})"
            ))?;
        }
        Ok(connection)
    }

    /// The same; while the server is away it is tried again until the patience ends.
    pub(crate) fn writer(&self) -> Result<Connection> {
        let began = Instant::now();
        loop {
            match self.open_writer() {
                Err(Error::Unreachable { .. }) if began.elapsed() < self.0.patience => std::thread::sleep(AGAIN),
                other => return other,
            }
        }
    }

    /// What became of a transaction whose connection was lost while it was ended.
    pub(crate) fn outcome(connection: &Connection, transaction: u64) -> Result<Outcome> {
        loop {
            let status = connection.text(&format!("SELECT pg_xact_status('{transaction}'::xid8)"))?;
            match status.as_deref() {
                Some("committed") => return Ok(Outcome::Committed),
                Some("in progress") => std::thread::sleep(AGAIN),
                _ => return Ok(Outcome::Aborted),
            }
        }
    }

    /// Makes the tables, or brings them up to this release. At the start a server that is away is an error at once.
    pub(crate) fn set_up(&self) -> Result<Connection> {
        let connection = self.open_writer()?;
        schema::set_up(&connection, self.shown(), SETUP_LOCK)?;
        Ok(connection)
    }

    /// Makes this process one that lives: `connection` is the one that writes.
    pub(crate) fn register(&self, connection: &Connection, id: &str, folder: &str) -> Result<()> {
        let text = |text: &str| format!("'{}'", text.replace('\0', "").replace('\'', "''"));
        // Where the host has a name, it is that of a file of its system.
        let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
        let dead = format!(
            "DELETE FROM instance WHERE number NOT IN (SELECT objid::integer FROM pg_locks WHERE locktype = 'advisory' \
             AND classid = {LIVES} AND objsubid = 2 AND granted \
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
        );
        let made = connection.text(&format!(
            "BEGIN; SELECT pg_advisory_xact_lock({}); {dead}; \
             INSERT INTO instance (id, host, folder) VALUES ({}, {}, {}) RETURNING number",
            super::WRITE_LOCK,
            text(id),
            text(host.trim()),
            text(folder)
        ));
        // The row is seen when its lock is held: until then nobody takes it for a dead one.
        let number = self.number_of(connection, id, made)?;
        connection.batch(&format!("SELECT pg_advisory_lock({LIVES}, {number}); COMMIT"))?;
        *self.0.number.lock().unwrap_or_else(PoisonError::into_inner) = Some(number);
        Ok(())
    }

    fn number_of(&self, connection: &Connection, id: &str, made: super::Result<Option<String>>) -> Result<i32> {
        let failed = |error: Error| {
            let _ = connection.batch("ROLLBACK");
            error
        };
        made.map_err(|error| failed(error.into()))?;
        let sql = format!("SELECT number FROM instance WHERE id = '{id}'");
        let number = connection.text(&sql).map_err(|error| failed(error.into()))?;
        number.and_then(|text| text.parse().ok()).ok_or_else(|| {
            failed(Error::Unreachable { reason: format!("{} did not keep this instance", self.shown()) })
        })
    }

    /// Instances that have not been closed, and whether each holds its lock now.
    pub(crate) fn instances(connection: &Connection) -> Result<Vec<(String, bool)>> {
        let sql = format!(
            "SELECT i.id, EXISTS (SELECT 1 FROM pg_locks l WHERE l.objid = i.number::oid AND l.locktype = 'advisory' \
             AND l.classid = {LIVES} AND l.objsubid = 2 AND l.granted \
             AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())) FROM instance i"
        );
        let mut rows = connection.query(&sql, [])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push((row.get(0)?, row.get(1)?));
        }
        Ok(found)
    }

    /// This instance ends in order: nobody waits for it.
    pub(crate) fn leave(connection: &Connection, id: &str) -> Result<()> {
        connection.batch(&format!("BEGIN READ WRITE; DELETE FROM instance WHERE id = '{id}'; COMMIT"))?;
        Ok(())
    }

    /// Whether this host does `work` for all hosts: the first one that asks does, until its session ends. Each answer is the server's,
    /// so that a host whose session has ended finds out before it goes on.
    pub(crate) fn try_exclusive(&self, work: &str) -> Result<bool> {
        let mut session = self.0.work.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = match session.take().filter(|session| !session.is_closed()) {
            Some(session) => session,
            None => self.reader()?,
        };
        let work = work.replace('\0', "").replace('\'', "''");
        // A session that has it gets it once more.
        let held = connection.text(&format!("SELECT pg_try_advisory_lock({DOES}, hashtext('{work}'))::text"))?;
        *session = Some(connection);
        Ok(held.as_deref() == Some("true"))
    }

    /// Changes with every commit of anybody.
    pub(crate) fn version(connection: &Connection) -> Result<i64> {
        let text = connection.text("SELECT hashtextextended(pg_current_snapshot()::text, 0)")?;
        Ok(text.and_then(|text| text.parse().ok()).unwrap_or_default())
    }
}

/// Whether an error says that the server is away.
pub(crate) fn is_unreachable(error: &rusqlite::Error) -> Option<String> {
    match error {
        rusqlite::Error::ToSqlConversionFailure(inner) => {
            inner.downcast_ref::<fault::Unreachable>().map(|found| found.0.clone())
        }
        _ => None,
    }
}
