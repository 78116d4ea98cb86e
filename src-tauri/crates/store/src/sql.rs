//! A connection to the database of the store, whichever kind it is, under the names of `rusqlite`: a statement is written once, and the
//! tables do not see where it is carried out. Errors, values and their conversions are those of `rusqlite` for both kinds.

#[cfg(feature = "postgres")]
pub(crate) mod postgres;

use rusqlite::CachedStatement;
pub(crate) use rusqlite::types::{FromSql, Type, Value, ValueRef};
pub(crate) use rusqlite::{Error, OptionalExtension, Result, ToSql, params};

/// A database that is open for one thread.
pub(crate) enum Connection {
    /// A file of SQLite.
    File(rusqlite::Connection),
    /// A database of PostgreSQL.
    #[cfg(feature = "postgres")]
    Server(Box<postgres::Connection>),
}

/// Called often by long work, so that it can leave the machine to others for a while.
pub type Pause = std::sync::Arc<dyn Fn() + Send + Sync>;

/// Instructions of SQLite between two calls: so few because one copies a whole row, however long it is.
const PAUSE_EACH: i32 = 20;

/// What stands for the question marks of a statement, in their order.
pub(crate) trait Params {
    /// The same for SQLite, which binds it without a copy.
    type OfFile: rusqlite::Params;

    fn of_file(self) -> Self::OfFile;

    #[cfg(feature = "postgres")]
    fn values(self) -> Result<Vec<Value>>;
}

/// A value that no statement refers to any more.
#[cfg(feature = "postgres")]
fn owned(value: &dyn ToSql) -> Result<Value> {
    use rusqlite::types::ToSqlOutput;
    match value.to_sql()? {
        ToSqlOutput::Borrowed(value) => {
            Value::try_from(value).map_err(|error| Error::ToSqlConversionFailure(Box::new(error)))
        }
        ToSqlOutput::Owned(value) => Ok(value),
        _ => Err(Error::ToSqlConversionFailure("a value of another kind".into())),
    }
}

impl Params for [&(dyn ToSql + Send + Sync); 0] {
    type OfFile = Self;

    fn of_file(self) -> Self {
        self
    }

    #[cfg(feature = "postgres")]
    fn values(self) -> Result<Vec<Value>> {
        Ok(Vec::new())
    }
}

impl Params for &[&dyn ToSql] {
    type OfFile = Self;

    fn of_file(self) -> Self {
        self
    }

    #[cfg(feature = "postgres")]
    fn values(self) -> Result<Vec<Value>> {
        self.iter().map(|value| owned(value)).collect()
    }
}

/// One implementation for each length: that without values needs another type, or `[]` would be of none.
macro_rules! lists {
    ($($length:literal)*) => {$(
        impl<T: ToSql> Params for [T; $length] {
            type OfFile = Self;

            fn of_file(self) -> Self {
                self
            }

            #[cfg(feature = "postgres")]
            fn values(self) -> Result<Vec<Value>> {
                self.iter().map(|value| owned(value)).collect()
            }
        }
    )*};
}
lists!(1 2 3 4);

/// Values of which only the statement knows how many there are.
pub(crate) struct Several<I>(I);

pub(crate) fn params_from_iter<I: IntoIterator<Item: ToSql>>(values: I) -> Several<I> {
    Several(values)
}

impl<I: IntoIterator<Item: ToSql>> Params for Several<I> {
    type OfFile = rusqlite::ParamsFromIter<I>;

    fn of_file(self) -> Self::OfFile {
        rusqlite::params_from_iter(self.0)
    }

    #[cfg(feature = "postgres")]
    fn values(self) -> Result<Vec<Value>> {
        self.0.into_iter().map(|value| owned(&value)).collect()
    }
}

impl Connection {
    /// A statement that is kept, made ready, for the next one who needs it.
    pub(crate) fn prepare_cached(&self, sql: &str) -> Result<Statement<'_>> {
        match self {
            Self::File(file) => file.prepare_cached(sql).map(Statement::File),
            #[cfg(feature = "postgres")]
            Self::Server(server) => Ok(Statement::Server(server, sql.to_owned())),
        }
    }

    /// Rows that it changed.
    pub(crate) fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        match self {
            Self::File(file) => file.execute(sql, params.of_file()),
            #[cfg(feature = "postgres")]
            Self::Server(server) => server.execute(sql, params),
        }
    }

    /// Several statements without values.
    pub(crate) fn execute_batch(&self, sql: &str) -> Result<()> {
        match self {
            Self::File(file) => file.execute_batch(sql),
            #[cfg(feature = "postgres")]
            Self::Server(server) => server.execute_batch(sql),
        }
    }

    pub(crate) fn query_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        match self {
            Self::File(file) => file.query_row(sql, params.of_file(), |row| read(&Row::File(row))),
            #[cfg(feature = "postgres")]
            Self::Server(server) => first(&mut server.query(sql, params)?, read),
        }
    }

    /// No transaction is open.
    pub(crate) fn is_autocommit(&self) -> bool {
        match self {
            Self::File(file) => file.is_autocommit(),
            #[cfg(feature = "postgres")]
            Self::Server(server) => server.is_autocommit(),
        }
    }

    /// Whether the other side has ended it.
    pub(crate) fn is_closed(&self) -> bool {
        match self {
            Self::File(_) => false,
            #[cfg(feature = "postgres")]
            Self::Server(server) => server.is_closed(),
        }
    }

    /// Whether nothing more can be written in the transaction that is open, because a statement of it failed.
    pub(crate) fn is_broken(&self) -> bool {
        match self {
            Self::File(_) => false,
            #[cfg(feature = "postgres")]
            Self::Server(server) => server.is_broken(),
        }
    }

    /// Whether transactions from now on are on the disk when they are answered. At a server they always are: it can end while its hosts
    /// live, and a host goes on from what was answered, so that a lost commit would leave its runs ahead of the store.
    pub(crate) fn set_synced(&self, synced: bool) -> Result<()> {
        match self {
            Self::File(file) => {
                file.execute_batch(if synced { "PRAGMA synchronous = FULL" } else { "PRAGMA synchronous = NORMAL" })
            }
            #[cfg(feature = "postgres")]
            Self::Server(_) => Ok(()),
        }
    }

    /// Waits until everything that was sent is carried out. A transaction that ends does so by itself.
    pub(crate) fn settle(&self) -> Result<()> {
        match self {
            Self::File(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Self::Server(server) => server.settle(),
        }
    }

    /// Rows that were changed since it was opened.
    pub(crate) fn total_changes(&self) -> u64 {
        match self {
            Self::File(file) => file.total_changes(),
            #[cfg(feature = "postgres")]
            Self::Server(server) => server.total_changes(),
        }
    }

    /// The number of the row that was inserted last.
    pub(crate) fn last_insert_rowid(&self) -> Result<i64> {
        match self {
            Self::File(file) => Ok(file.last_insert_rowid()),
            #[cfg(feature = "postgres")]
            Self::Server(server) => server.query_row_of("SELECT lastval()"),
        }
    }

    /// The upper limit of a file in pages of 4 KiB.
    pub(crate) fn set_max_pages(&self, pages: Option<u32>) -> Result<()> {
        match self {
            Self::File(file) => file.pragma_update(None, "max_page_count", pages.unwrap_or(u32::MAX - 1)),
            #[cfg(feature = "postgres")]
            Self::Server(_) => Ok(()),
        }
    }

    /// What is read until the end of the view is one state of the database.
    pub(crate) fn view(&self) -> Result<View<'_>> {
        match self {
            Self::File(file) => file.unchecked_transaction().map(View::File),
            #[cfg(feature = "postgres")]
            Self::Server(server) => server.begin_view().map(|()| View::Server(server)),
        }
    }

    /// The file, where it is one.
    pub(crate) fn file(&self) -> Option<&rusqlite::Connection> {
        match self {
            Self::File(file) => Some(file),
            #[cfg(feature = "postgres")]
            Self::Server(_) => None,
        }
    }

    /// Statements of a file call this again and again while they work.
    pub(crate) fn pause_often(&mut self, pause: Pause) -> Result<()> {
        match self {
            Self::File(file) => file.progress_handler(
                PAUSE_EACH,
                Some(move || {
                    pause();
                    false
                }),
            ),
            #[cfg(feature = "postgres")]
            Self::Server(_) => Ok(()),
        }
    }
}

/// A transaction that only reads. One that is dropped has ended as well.
pub(crate) enum View<'c> {
    File(rusqlite::Transaction<'c>),
    #[cfg(feature = "postgres")]
    Server(&'c postgres::Connection),
}

impl View<'_> {
    pub(crate) fn end(self) -> Result<()> {
        match self {
            Self::File(view) => view.finish(),
            #[cfg(feature = "postgres")]
            Self::Server(server) => server.end_view(),
        }
    }
}

/// A statement made ready.
pub(crate) enum Statement<'c> {
    File(CachedStatement<'c>),
    #[cfg(feature = "postgres")]
    Server(&'c postgres::Connection, String),
}

impl Statement<'_> {
    /// Rows that it changed.
    pub(crate) fn execute(&mut self, params: impl Params) -> Result<usize> {
        match self {
            Self::File(statement) => statement.execute(params.of_file()),
            #[cfg(feature = "postgres")]
            Self::Server(server, sql) => server.execute(sql, params),
        }
    }

    /// [`Self::execute`] of a statement of which nobody asks how many rows it changed: a server may answer later
    /// ([`Connection::settle`]).
    pub(crate) fn send(&mut self, params: impl Params) -> Result<()> {
        match self {
            Self::File(statement) => statement.execute(params.of_file()).map(drop),
            #[cfg(feature = "postgres")]
            Self::Server(server, sql) => server.send(sql, params),
        }
    }

    /// Whether there is a row.
    pub(crate) fn exists(&mut self, params: impl Params) -> Result<bool> {
        match self {
            Self::File(statement) => statement.exists(params.of_file()),
            #[cfg(feature = "postgres")]
            Self::Server(server, sql) => Ok(server.query(sql, params)?.next()?.is_some()),
        }
    }

    pub(crate) fn query(&mut self, params: impl Params) -> Result<Rows<'_>> {
        match self {
            Self::File(statement) => statement.query(params.of_file()).map(Rows::File),
            #[cfg(feature = "postgres")]
            Self::Server(server, sql) => server.query(sql, params).map(Rows::Server),
        }
    }

    /// The first row; [`Error::QueryReturnedNoRows`] where there is none.
    pub(crate) fn query_row<T>(&mut self, params: impl Params, read: impl FnOnce(&Row<'_>) -> Result<T>) -> Result<T> {
        match self {
            Self::File(statement) => statement.query_row(params.of_file(), |row| read(&Row::File(row))),
            #[cfg(feature = "postgres")]
            Self::Server(server, sql) => first(&mut server.query(sql, params)?, read),
        }
    }

    pub(crate) fn query_map<T, F: FnMut(&Row<'_>) -> Result<T>>(
        &mut self,
        params: impl Params,
        read: F,
    ) -> Result<Mapped<'_, F>> {
        Ok(Mapped { rows: self.query(params)?, read })
    }
}

/// Rows that are read one after the other.
pub(crate) enum Rows<'s> {
    File(rusqlite::Rows<'s>),
    #[cfg(feature = "postgres")]
    Server(postgres::Cells),
}

#[cfg(feature = "postgres")]
fn first<T>(rows: &mut postgres::Cells, read: impl FnOnce(&Row<'_>) -> Result<T>) -> Result<T> {
    rows.next()?.ok_or(Error::QueryReturnedNoRows).and_then(|row| read(&row))
}

impl Rows<'_> {
    pub(crate) fn next(&mut self) -> Result<Option<Row<'_>>> {
        match self {
            Self::File(rows) => Ok(rows.next()?.map(Row::File)),
            #[cfg(feature = "postgres")]
            Self::Server(rows) => rows.next(),
        }
    }
}

/// Rows and what is read from each.
pub(crate) struct Mapped<'s, F> {
    rows: Rows<'s>,
    read: F,
}

impl<T, F: FnMut(&Row<'_>) -> Result<T>> Iterator for Mapped<'_, F> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.rows.next() {
            Ok(Some(row)) => Some((self.read)(&row)),
            Ok(None) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// The place of a column.
pub(crate) trait Column {
    fn place(self) -> usize;
}

impl Column for usize {
    fn place(self) -> usize {
        self
    }
}

/// One row.
pub(crate) enum Row<'r> {
    File(&'r rusqlite::Row<'r>),
    #[cfg(feature = "postgres")]
    Cells(&'r [Value]),
}

impl Row<'_> {
    /// The value of a column.
    pub(crate) fn get<I: Column, T: FromSql>(&self, column: I) -> Result<T> {
        match self {
            Self::File(row) => row.get(column.place()),
            #[cfg(feature = "postgres")]
            Self::Cells(cells) => postgres::get(cells, column.place()),
        }
    }

    /// The value of a column, where it lies.
    pub(crate) fn get_ref(&self, column: usize) -> Result<ValueRef<'_>> {
        match self {
            Self::File(row) => row.get_ref(column),
            #[cfg(feature = "postgres")]
            Self::Cells(cells) => postgres::cell(cells, column),
        }
    }
}
