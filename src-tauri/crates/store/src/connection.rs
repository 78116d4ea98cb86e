//! Connections: the pragmas of one, and the small pool of readers.

use crate::error::Result;
use crate::letters;
use crate::sql::Connection;
#[cfg(feature = "postgres")]
use crate::sql::postgres::server::Server;
use rusqlite::OpenFlags;
use rusqlite::config::DbConfig;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// As many as read side by side when many runs are taken over (16), with some to spare: one that is opened anew reads the
/// schema and prepares every statement again, which costs more than most of what is read.
const IDLE_READERS: usize = 20;

/// The server has a hundred connections for all hosts, unless somebody has given it more.
#[cfg(feature = "postgres")]
const IDLE_AT_SERVER: usize = 8;

/// The log of writes is brought into the file after so many pages, 16 MiB. A page that every commit writes anew (the run's row, the
/// end of the log) is then copied once for some eight hundred of them; SQLite's own 1,000 copies it four times as often.
const CHECKPOINT: u32 = 4_000;

/// How a statement is carried out never depends on the values that are bound to it. Else SQLite prepares one again whenever
/// another value is bound of which it thinks that it might: with every use, because the cache clears them.
fn settle_plans(connection: &rusqlite::Connection) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Where connections come from.
#[derive(Debug, Clone)]
pub(crate) enum Database {
    File(DataFile),
    #[cfg(feature = "postgres")]
    Server(Server),
}

impl Database {
    /// The connection that writes.
    pub(crate) fn writer(&self) -> Result<Connection> {
        match self {
            Self::File(file) => file.writer().map(Connection::File),
            #[cfg(feature = "postgres")]
            Self::Server(server) => server.writer().map(|connection| Connection::Server(Box::new(connection))),
        }
    }

    fn reader(&self) -> Result<Connection> {
        match self {
            Self::File(file) => file.reader(),
            #[cfg(feature = "postgres")]
            Self::Server(server) => server.reader().map(|connection| Connection::Server(Box::new(connection))),
        }
    }

    fn file(&self) -> Option<&DataFile> {
        match self {
            Self::File(file) => Some(file),
            #[cfg(feature = "postgres")]
            Self::Server(_) => None,
        }
    }

    /// Connections that are kept for the next who reads.
    fn idle(&self) -> usize {
        match self {
            Self::File(_) => IDLE_READERS,
            #[cfg(feature = "postgres")]
            Self::Server(_) => IDLE_AT_SERVER,
        }
    }
}

/// The database file, and how its connections are opened.
#[derive(Debug, Clone)]
pub(crate) struct DataFile {
    pub(crate) path: PathBuf,
    /// How long a connection waits for another process.
    pub(crate) busy: Duration,
    /// No other process gets at it meanwhile. What processes share of a log (WAL) is a file, and one that is made needs room;
    /// alone it stands in memory, so that a full disk can still be read.
    pub(crate) alone: bool,
}

impl DataFile {
    fn open(&self, flags: OpenFlags) -> Result<rusqlite::Connection> {
        let connection = if self.alone {
            rusqlite::Connection::open_with_flags_and_vfs(&self.path, flags, c"unix-excl")?
        } else {
            rusqlite::Connection::open_with_flags(&self.path, flags)?
        };
        connection.busy_timeout(self.busy)?;
        settle_plans(&connection)?;
        letters::teach(&connection)?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(connection)
    }

    /// Brings what was written from the log of writes into the file and empties the log: what was deleted stands in
    /// neither then. False when somebody reads what was there before.
    pub(crate) fn empty_log(&self) -> Result<bool> {
        let connection = self.writer()?;
        let busy: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        Ok(busy == 0)
    }

    /// Writes the file anew without free pages, and so that it gives them back one by one from now on. Longer than others wait
    /// for a write.
    pub(crate) fn rewrite(&self) -> Result<()> {
        let connection = self.writer()?;
        connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")?;
        Ok(())
    }

    /// The write connection. WAL is switched on by the setup. What is deleted is overwritten.
    pub(crate) fn writer(&self) -> Result<rusqlite::Connection> {
        let connection = self.open(
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        connection.execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000; \
             PRAGMA journal_size_limit = 67108864; PRAGMA cell_size_check = ON; PRAGMA secure_delete = ON;",
        )?;
        connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT)?;
        Ok(connection)
    }

    fn reader(&self) -> Result<Connection> {
        // Read-write, because reading in WAL mode also needs the shared-memory file; `query_only` keeps it from writing.
        let connection = self.open(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.execute_batch(
            "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -2000; PRAGMA cell_size_check = ON;",
        )?;
        Ok(Connection::File(connection))
    }
}

/// How long a reader of a server is waited for when as many as are kept have work. A connection costs the server a process, which is
/// more than most of what is read; who reads for long, or reads while it reads, is not waited for longer.
const PATIENCE: Duration = Duration::from_millis(50);

/// A connection that has work, until it is dropped.
struct Lent<'r>(&'r Readers);

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.0.idle().lent -= 1;
        self.0.returned.notify_one();
    }
}

/// Readers that wait for work.
pub(crate) struct Readers {
    database: Database,
    idle: Mutex<Idle>,
    returned: Condvar,
}

#[derive(Default)]
struct Idle {
    connections: Vec<Connection>,
    /// So many others have work.
    lent: usize,
}

impl Readers {
    pub(crate) fn new(database: Database) -> Self {
        Self { database, idle: Mutex::default(), returned: Condvar::new() }
    }

    /// See [`DataFile::empty_log`].
    pub(crate) fn empty_log(&self) -> Result<bool> {
        self.database.file().map_or(Ok(true), DataFile::empty_log)
    }

    /// See [`DataFile::rewrite`].
    pub(crate) fn rewrite(&self) -> Result<()> {
        self.database.file().map_or(Ok(()), DataFile::rewrite)
    }

    /// Whether the data is in a file of this machine.
    pub(crate) fn is_file(&self) -> bool {
        self.database.file().is_some()
    }

    /// Where the database is that several hosts share; without its password.
    pub(crate) fn address(&self) -> Option<String> {
        match &self.database {
            Database::File(_) => None,
            #[cfg(feature = "postgres")]
            Database::Server(server) => Some(server.shown().to_owned()),
        }
    }

    /// See [`crate::Store::try_exclusive`].
    #[cfg_attr(not(feature = "postgres"), expect(unused_variables, reason = "files have locks of the system"))]
    pub(crate) fn try_exclusive(&self, work: &str) -> Result<bool> {
        match &self.database {
            Database::File(_) => Ok(true),
            #[cfg(feature = "postgres")]
            Database::Server(server) => server.try_exclusive(work),
        }
    }

    /// A reader that the caller keeps.
    pub(crate) fn open(&self) -> Result<Connection> {
        self.database.reader()
    }

    /// Runs `work` on a connection of its own.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle = self.lend();
        let lent = Lent(self);
        let connection = match idle {
            Some(connection) if !connection.is_closed() => connection,
            _ => self.database.reader()?,
        };
        let result = work(&connection);
        // After an I/O error or a half-finished read a fresh connection is the safe one.
        if result.is_ok() && connection.is_autocommit() {
            let mut idle = self.idle();
            if idle.connections.len() < self.database.idle() {
                idle.connections.push(connection);
            }
        }
        drop(lent);
        result
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One that has no work; `None`: another one is to be opened.
    fn lend(&self) -> Option<Connection> {
        let mut idle = self.idle();
        if !self.is_file() && idle.lent >= self.database.idle() {
            let is_none = |idle: &mut Idle| idle.connections.is_empty() && idle.lent >= self.database.idle();
            idle = self.returned.wait_timeout_while(idle, PATIENCE, is_none).unwrap_or_else(PoisonError::into_inner).0;
        }
        idle.lent += 1;
        idle.connections.pop()
    }

    /// Runs `work` on one consistent view of the store.
    pub(crate) fn view<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.read(|connection| {
            let view = connection.view()?;
            let result = work(connection)?;
            view.end()?;
            Ok(result)
        })
    }
}
