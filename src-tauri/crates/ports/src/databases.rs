//! Databases as steps ask for them. SQL comes with its parameters in the form of the driver; values are never part of it.

use crate::FileError;
use crate::secret::Credential;
use async_trait::async_trait;
use serde_json::Value;
use signalbox_model::Map;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// What a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ServerKind {
    /// PostgreSQL.
    Postgres,
    /// MySQL and MariaDB.
    MySql,
}

/// A database on a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    /// What it speaks.
    pub kind: ServerKind,
    /// Name or address, without a port.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Name of the database.
    pub database: String,
    /// Who asks; the user of the credential where it is empty.
    pub user: Option<String>,
    /// The password, for hosts that it allows only.
    pub credential: Option<Arc<Credential>>,
    /// The connection is encrypted and the certificate of the server is verified.
    pub tls: bool,
    /// The authority that signed the certificate (PEM), instead of those that the system trusts.
    pub root_certificate: Option<String>,
    /// Loopback addresses are allowed for this call (TRUST, SSRF).
    pub loopback_allowed: bool,
}

/// Where a database is.
#[derive(Debug, Clone, PartialEq)]
pub enum DatabasePlace {
    /// On a server.
    Server(Server),
    /// A SQLite file in a folder that is open to the workflow.
    File {
        /// As the step names it.
        path: String,
        /// It is made when it does not exist.
        create: bool,
    },
}

/// What a statement may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read: the transaction refuses changes.
    Read,
    /// Change data, too.
    Write,
}

/// A database and how it is used.
#[derive(Debug, Clone, PartialEq)]
pub struct Database {
    /// Where it is.
    pub place: DatabasePlace,
    /// Whose folders count.
    pub workflow: String,
    /// What is allowed.
    pub access: Access,
    /// Limit of the whole call.
    pub timeout: Duration,
}

/// A value that goes to a database.
#[derive(Debug, Clone, PartialEq)]
pub enum SqlValue {
    /// Data; how it is written follows from the type that the database expects.
    Json(Value),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// One statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Where it runs.
    pub database: Database,
    /// `$1` for PostgreSQL, `?` for MySQL, `?1` for SQLite.
    pub sql: String,
    /// In the order of the placeholders.
    pub params: Vec<SqlValue>,
    /// More rows are an error.
    pub max_rows: u32,
}

/// Takes the rows of a statement while they arrive.
pub trait RowSink: Send {
    /// The columns of a statement that gives rows, told once, before the first row.
    fn columns(&mut self, _names: &[String]) -> Result<(), DatabaseError> {
        Ok(())
    }
    /// The next row, as compact JSON of an object whose members are the columns in their order; an error ends the statement.
    fn row(&mut self, json: &str) -> Result<(), DatabaseError>;
    /// Whoever makes a table of text takes cells: then [`RowSink::row`] is not called by databases that can give them.
    fn cells(&mut self) -> Option<&mut dyn CellSink> {
        None
    }
    /// Asked after each row: whether there is room for the next one. Who waits is woken when there is.
    fn poll_room(&mut self, _context: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }
}

/// One value of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell<'a> {
    /// There is none.
    Null,
    /// A text.
    Text(&'a str),
    /// Digits, a date and the like: ASCII that prints, without quotes and separators.
    Plain(&'a str),
    /// Compact JSON of any other value.
    Json(&'a str),
}

/// Takes the rows of a statement as cells.
pub trait CellSink: Send {
    /// The next cell, in the order of the columns; an error ends the statement.
    fn cell(&mut self, cell: Cell<'_>) -> Result<(), DatabaseError>;
    /// The row has no more cells.
    fn end(&mut self) -> Result<(), DatabaseError>;
}

/// What a statement did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queried {
    /// It returns rows, even if there was none.
    pub has_rows: bool,
    /// Rows that it changed, as the database counts them.
    pub affected: u64,
}

/// A table by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableName {
    /// The schema; the usual one where there is none.
    pub schema: Option<String>,
    /// The table.
    pub name: String,
}

/// What is done with rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteAction {
    /// New rows.
    Insert,
    /// Rows with this key change.
    Update,
    /// Rows with this key change; those that are missing are added.
    Upsert,
    /// Rows with this key are removed.
    Delete,
}

/// Rows to write.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// Where they go.
    pub database: Database,
    /// The table.
    pub table: TableName,
    /// What is done.
    pub action: WriteAction,
    /// Columns that name a row; none for an insert.
    pub key: Vec<String>,
    /// Rows of one statement, at most.
    pub batch: usize,
}

/// One row to write.
#[derive(Debug, Clone, PartialEq)]
pub struct WriteRow {
    /// Index of the item that it comes from.
    pub item: usize,
    /// Names of its columns.
    pub columns: Arc<[String]>,
    /// As many values.
    pub values: Vec<SqlValue>,
}

/// The rows of a write, one after the other. An error ends the write, and nothing of it stays.
pub trait RowSource: Send {
    /// The next row; none at the end.
    fn next(&mut self) -> Result<Option<WriteRow>, DatabaseError>;
}

/// What a write did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wrote {
    /// Items that were sent.
    pub items: u64,
    /// Rows that were added, found or removed.
    pub rows: u64,
    /// Items whose key no row has (update, delete).
    pub not_found: u64,
}

/// Which tables are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableFilter {
    /// Of this schema only.
    pub schema: Option<String>,
    /// Of this name only.
    pub table: Option<String>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// As the database writes its type.
    pub data_type: String,
    /// It may be null.
    pub nullable: bool,
    /// What a new row gets without a value, as the database writes it.
    pub default: Option<String>,
}

/// Columns that refer to another table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignKey {
    /// Columns of this table.
    pub columns: Vec<String>,
    /// The other table.
    pub table: TableName,
    /// Columns of the other table.
    pub references: Vec<String>,
}

/// A table or a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: TableName,
    /// It is a view.
    pub is_view: bool,
    /// In their order.
    pub columns: Vec<Column>,
    /// Columns of the primary key.
    pub primary_key: Vec<String>,
    /// Other sets of columns that are unique.
    pub unique_keys: Vec<Vec<String>>,
    /// References to other tables.
    pub foreign_keys: Vec<ForeignKey>,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the definition")]
pub enum DatabaseFault {
    AddressRefused,
    CredentialRefused,
    /// The server was not reached, or the connection ended.
    Connection,
    Tls,
    Auth,
    Permission,
    Syntax,
    UnknownTable,
    UnknownColumn,
    UnknownDatabase,
    UnknownFunction,
    Unique,
    ForeignKey,
    NotNull,
    Check,
    /// A value does not fit its type or column.
    InvalidValue,
    Deadlock,
    Serialization,
    Locked,
    ReadOnly,
    TooManyConnections,
    DiskFull,
    Timeout,
    /// Somebody else ended the statement.
    Canceled,
    TooManyRows,
    TooLarge,
    DuplicateColumn,
    UnsupportedType,
    /// The file is no SQLite database, or it is damaged.
    Damaged,
    File(FileError),
    /// A setting; its name.
    Invalid(&'static str),
    /// Whoever gives or takes the rows ended it.
    Stopped,
    Other,
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq)]
pub struct DatabaseError {
    /// What it was.
    pub fault: DatabaseFault,
    /// Plain words, without a full stop.
    pub message: String,
    /// What the database says beyond that: `sqlState`, `constraint`, `table`, `column`.
    pub details: Map,
    /// The change may have been made although no answer came.
    pub may_have_happened: bool,
}

impl DatabaseError {
    /// With a fault and words.
    pub fn new(fault: DatabaseFault, message: impl Into<String>) -> Self {
        Self { fault, message: message.into(), details: Map::new(), may_have_happened: false }
    }

    /// Adds a detail.
    #[must_use]
    pub fn detail(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// Marks that the change may have been made.
    #[must_use]
    pub fn maybe_happened(mut self) -> Self {
        self.may_have_happened = true;
        self
    }
}

/// Databases. A call that is dropped is cancelled at the server.
#[async_trait]
pub trait Databases: Send + Sync {
    /// Runs one statement in a transaction; its rows go to `rows` while they arrive.
    async fn query(&self, query: Query, rows: &mut dyn RowSink) -> Result<Queried, DatabaseError>;
    /// Writes rows in one transaction: all of them or none.
    async fn write(&self, write: Write, rows: &mut dyn RowSource) -> Result<Wrote, DatabaseError>;
    /// The tables and views that the user may see, sorted by name.
    async fn tables(&self, database: Database, filter: TableFilter) -> Result<Vec<Table>, DatabaseError>;
    /// Connects and signs in anew, and does nothing else.
    async fn check(&self, server: Server, timeout: Duration) -> Result<(), DatabaseError> {
        let _nobody = (server, timeout);
        Err(none())
    }
}

/// Where there are no databases.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoDatabases;

fn none() -> DatabaseError {
    DatabaseError::new(DatabaseFault::Other, "There are no databases here")
}

#[async_trait]
impl Databases for NoDatabases {
    async fn query(&self, _query: Query, _rows: &mut dyn RowSink) -> Result<Queried, DatabaseError> {
        Err(none())
    }
    async fn write(&self, _write: Write, _rows: &mut dyn RowSource) -> Result<Wrote, DatabaseError> {
        Err(none())
    }
    async fn tables(&self, _database: Database, _filter: TableFilter) -> Result<Vec<Table>, DatabaseError> {
        Err(none())
    }
}
