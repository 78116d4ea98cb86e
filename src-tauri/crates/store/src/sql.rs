//! A connection to the database of the store, whichever kind it is, under the names of `rusqlite`: a statement is written once, and the
//! tables do not see where it is carried out. Errors, values and their conversions are those of `rusqlite` for both kinds.

use rusqlite::CachedStatement;
pub(crate) use rusqlite::types::{FromSql, Type, Value, ValueRef};
pub(crate) use rusqlite::{Error, OptionalExtension, Result, ToSql, params};

/// A database that is open for one thread.
pub(crate) enum Connection {
    /// A file of SQLite.
    File(rusqlite::Connection),
}

/// What stands for the question marks of a statement, in their order.
pub(crate) trait Params {
    /// The same for SQLite, which binds it without a copy.
    type OfFile: rusqlite::Params;

    fn of_file(self) -> Self::OfFile;
}

impl Params for [&(dyn ToSql + Send + Sync); 0] {
    type OfFile = Self;

    fn of_file(self) -> Self {
        self
    }
}

impl Params for &[&dyn ToSql] {
    type OfFile = Self;

    fn of_file(self) -> Self {
        self
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
}

impl Connection {
    /// A statement that is kept, made ready, for the next one who needs it.
    pub(crate) fn prepare_cached(&self, sql: &str) -> Result<Statement<'_>> {
        match self {
            Self::File(file) => file.prepare_cached(sql).map(Statement::File),
        }
    }

    /// Rows that it changed.
    pub(crate) fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        match self {
            Self::File(file) => file.execute(sql, params.of_file()),
        }
    }

    /// Several statements without values.
    pub(crate) fn execute_batch(&self, sql: &str) -> Result<()> {
        match self {
            Self::File(file) => file.execute_batch(sql),
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
        }
    }

    /// No transaction is open.
    pub(crate) fn is_autocommit(&self) -> bool {
        match self {
            Self::File(file) => file.is_autocommit(),
        }
    }

    /// Rows that were changed since it was opened.
    pub(crate) fn total_changes(&self) -> u64 {
        match self {
            Self::File(file) => file.total_changes(),
        }
    }

    /// The number of the row that was inserted last.
    pub(crate) fn last_insert_rowid(&self) -> Result<i64> {
        match self {
            Self::File(file) => Ok(file.last_insert_rowid()),
        }
    }

    /// The upper limit of a file in pages of 4 KiB.
    pub(crate) fn set_max_pages(&self, pages: Option<u32>) -> Result<()> {
        match self {
            Self::File(file) => file.pragma_update(None, "max_page_count", pages.unwrap_or(u32::MAX - 1)),
        }
    }

    /// What is read until the end of the view is one state of the database.
    pub(crate) fn view(&self) -> Result<View<'_>> {
        match self {
            Self::File(file) => file.unchecked_transaction().map(View::File),
        }
    }

    /// The file, where it is one.
    pub(crate) fn file(&self) -> Option<&rusqlite::Connection> {
        match self {
            Self::File(file) => Some(file),
        }
    }
}

/// A transaction that only reads. One that is dropped has ended as well.
pub(crate) enum View<'c> {
    File(rusqlite::Transaction<'c>),
}

impl View<'_> {
    pub(crate) fn end(self) -> Result<()> {
        match self {
            Self::File(view) => view.finish(),
        }
    }
}

/// A statement made ready.
pub(crate) enum Statement<'c> {
    File(CachedStatement<'c>),
}

impl Statement<'_> {
    /// Rows that it changed.
    pub(crate) fn execute(&mut self, params: impl Params) -> Result<usize> {
        match self {
            Self::File(statement) => statement.execute(params.of_file()),
        }
    }

    /// Whether there is a row.
    pub(crate) fn exists(&mut self, params: impl Params) -> Result<bool> {
        match self {
            Self::File(statement) => statement.exists(params.of_file()),
        }
    }

    pub(crate) fn query(&mut self, params: impl Params) -> Result<Rows<'_>> {
        match self {
            Self::File(statement) => statement.query(params.of_file()).map(Rows::File),
        }
    }

    /// The first row; [`Error::QueryReturnedNoRows`] where there is none.
    pub(crate) fn query_row<T>(&mut self, params: impl Params, read: impl FnOnce(&Row<'_>) -> Result<T>) -> Result<T> {
        match self {
            Self::File(statement) => statement.query_row(params.of_file(), |row| read(&Row::File(row))),
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
}

impl Rows<'_> {
    pub(crate) fn next(&mut self) -> Result<Option<Row<'_>>> {
        match self {
            Self::File(rows) => Ok(rows.next()?.map(Row::File)),
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

/// One row.
pub(crate) enum Row<'r> {
    File(&'r rusqlite::Row<'r>),
}

impl Row<'_> {
    /// The value of a column.
    pub(crate) fn get<I: rusqlite::RowIndex, T: FromSql>(&self, column: I) -> Result<T> {
        match self {
            Self::File(row) => row.get(column),
        }
    }

    /// The value of a column, where it lies.
    pub(crate) fn get_ref(&self, column: usize) -> Result<ValueRef<'_>> {
        match self {
            Self::File(row) => row.get_ref(column),
        }
    }
}
