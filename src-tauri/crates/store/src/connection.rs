//! Connections: the pragmas of one, and the small pool of readers.

use crate::error::Result;
use crate::letters;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// As many as read side by side when many runs are taken over (16), with some to spare: one that is opened anew reads the
/// schema and prepares every statement again, which costs more than most of what is read.
const IDLE_READERS: usize = 20;

/// How a statement is carried out never depends on the values that are bound to it. Else SQLite prepares one again whenever
/// another value is bound of which it thinks that it might: with every use, because the cache clears them.
fn settle_plans(connection: &Connection) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// The write connection. WAL is switched on by the setup.
pub(crate) fn open_writer(path: &Path, busy: Duration) -> Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(busy)?;
    settle_plans(&connection)?;
    letters::teach(&connection)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.execute_batch(
        "PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000; \
         PRAGMA journal_size_limit = 67108864; PRAGMA cell_size_check = ON;",
    )?;
    Ok(connection)
}

fn open_reader(path: &Path, busy: Duration) -> Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        // Read-write, because reading in WAL mode also needs the shared-memory file; `query_only` keeps it from writing.
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(busy)?;
    settle_plans(&connection)?;
    letters::teach(&connection)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.execute_batch(
        "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -2000; PRAGMA cell_size_check = ON;",
    )?;
    Ok(connection)
}

/// Readers that wait for work.
pub(crate) struct Readers {
    path: PathBuf,
    busy: Duration,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(crate) fn new(path: PathBuf, busy: Duration) -> Self {
        Self { path, busy, idle: Mutex::new(Vec::new()) }
    }

    /// A reader that the caller keeps.
    pub(crate) fn open(&self) -> Result<Connection> {
        open_reader(&self.path, self.busy)
    }

    /// Runs `work` on a connection of its own.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => open_reader(&self.path, self.busy)?,
        };
        let result = work(&connection);
        // After an I/O error or a half-finished read a fresh connection is the safe one.
        if result.is_ok() && connection.is_autocommit() {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() < IDLE_READERS {
                idle.push(connection);
            }
        }
        result
    }

    /// Runs `work` on one consistent view of the store.
    pub(crate) fn view<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.read(|connection| {
            let view = connection.unchecked_transaction()?;
            let result = work(&view)?;
            view.finish()?;
            Ok(result)
        })
    }
}
