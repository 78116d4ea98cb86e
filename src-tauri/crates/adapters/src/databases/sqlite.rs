//! SQLite files in folders that are open to the workflow. SQL reaches nothing but its own file: other files cannot be attached, and
//! settings of the file that others rely on cannot be changed.

mod fault;
mod rules;
mod tables;

use super::batch::Batches;
use super::json::{self, RowWriter};
use super::statement::{Dialect, Statement};
use crate::files::FolderFiles;
use crate::samples;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fault::error;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, InterruptHandle, OpenFlags};
use serde_json::Value as Json;
use signalbox_ports::databases::{
    Access, Database, DatabaseError, DatabaseFault, Queried, Query, RowSink, RowSource, SqlValue, Table, TableFilter,
    Write, WriteRow, Wrote,
};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinError;

/// How long another program may hold the file.
const BUSY: Duration = Duration::from_secs(5);
/// Text of rows that is handed over at once, bytes.
const CHUNK: usize = 64 * 1024;
/// Rows to write that are handed over at once.
const ROWS: usize = 500;

/// Ends the work of a thread when the call that waits for it is dropped.
#[derive(Clone, Default)]
struct Interrupt(Arc<(AtomicBool, Mutex<Option<InterruptHandle>>)>);

impl Interrupt {
    fn of(&self, connection: &Connection) {
        *self.0.1.lock().unwrap_or_else(PoisonError::into_inner) = Some(connection.get_interrupt_handle());
    }
    fn is_asked(&self) -> bool {
        self.0.0.load(Ordering::SeqCst)
    }
}

struct InterruptOnDrop(Interrupt);

impl Drop for InterruptOnDrop {
    fn drop(&mut self) {
        self.0.0.0.store(true, Ordering::SeqCst);
        if let Some(handle) = self.0.0.1.lock().unwrap_or_else(PoisonError::into_inner).take() {
            handle.interrupt();
        }
    }
}

/// The file and how it is opened.
struct Open {
    files: FolderFiles,
    workflow: String,
    path: String,
    create: bool,
    access: Access,
    interrupt: Interrupt,
}

/// An open file; statements of the workflow keep to the rules, and those of this module need not.
struct Session {
    connection: Connection,
    rules: Arc<AtomicBool>,
}

impl Session {
    /// Runs a statement of ours.
    fn run(&self, sql: &str) -> Result<(), DatabaseError> {
        self.rules.store(false, Ordering::SeqCst);
        let done = self.connection.execute_batch(sql).map_err(|why| error(&why));
        self.rules.store(true, Ordering::SeqCst);
        done
    }
}

impl Open {
    fn of(files: &FolderFiles, database: &Database, path: &str, create: bool) -> Self {
        Self {
            files: files.clone(),
            workflow: database.workflow.clone(),
            path: path.to_owned(),
            create: create && database.access == Access::Write,
            access: database.access,
            interrupt: Interrupt::default(),
        }
    }

    fn connect(&self) -> Result<Connection, DatabaseError> {
        if let Some(name) = self.path.strip_prefix(samples::PREFIX) {
            let script = samples::DATABASES.iter().find(|(known, _)| *known == name).map(|(_, script)| *script);
            let script = script.ok_or_else(|| {
                let path = self.path.clone();
                DatabaseError::new(DatabaseFault::File(signalbox_ports::FileError::NotFound { path }), "no such sample")
            })?;
            let connection = Connection::open_in_memory().map_err(|why| error(&why))?;
            connection.execute_batch(script).map_err(|why| error(&why))?;
            return Ok(connection);
        }
        let file = self.files.database_file(&self.workflow, &self.path, self.access == Access::Write, self.create);
        let file: PathBuf =
            file.map_err(|why| DatabaseError::new(DatabaseFault::File(why), "the file cannot be used"))?;
        let mut flags =
            OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW | OpenFlags::SQLITE_OPEN_EXRESCODE;
        flags |= match self.access {
            Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
        };
        if self.create {
            flags |= OpenFlags::SQLITE_OPEN_CREATE;
        }
        Connection::open_with_flags(file, flags).map_err(|why| error(&why))
    }

    fn session(&self) -> Result<Session, DatabaseError> {
        let mut connection = self.connect()?;
        self.interrupt.of(&connection);
        connection.busy_timeout(BUSY).map_err(|why| error(&why))?;
        // Views and triggers of a file that somebody else made call no functions with effects.
        let settings = match self.access {
            Access::Read => "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON;",
            Access::Write if self.path.starts_with(samples::PREFIX) => {
                let words =
                    format!("'{}' is a sample, and those are read only. Choose a file in an open folder", self.path);
                return Err(DatabaseError::new(DatabaseFault::ReadOnly, words));
            }
            Access::Write => "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON;",
        };
        connection.execute_batch(settings).map_err(|why| error(&why))?;
        let rules = Arc::new(AtomicBool::new(true));
        let asked = Arc::clone(&rules);
        connection
            .authorizer(Some(move |context: rusqlite::hooks::AuthContext<'_>| {
                rules::judge(&context.action, asked.load(Ordering::SeqCst))
            }))
            .map_err(|why| error(&why))?;
        let session = Session { connection, rules };
        session.run(match self.access {
            Access::Read => "BEGIN",
            Access::Write => "BEGIN IMMEDIATE",
        })?;
        Ok(session)
    }
}

fn stopped(why: &JoinError) -> DatabaseError {
    DatabaseError::new(DatabaseFault::Other, format!("The work on the file was stopped: {why}"))
}

/// What another thread takes.
enum Chunk {
    Columns(Vec<String>),
    /// Texts of rows, one after the other, and where each ends.
    Rows(String, Vec<usize>),
}

/// Gives rows to another thread.
struct RowSender {
    send: mpsc::Sender<Chunk>,
    rows: String,
    ends: Vec<usize>,
}

impl RowSender {
    fn send(&self, chunk: Chunk) -> Result<(), DatabaseError> {
        self.send
            .blocking_send(chunk)
            .map_err(|_| DatabaseError::new(DatabaseFault::Stopped, "Nobody takes the rows any more"))
    }

    fn flush(&mut self) -> Result<(), DatabaseError> {
        let rows = Chunk::Rows(std::mem::take(&mut self.rows), std::mem::take(&mut self.ends));
        self.send(rows)
    }
}

impl RowSink for RowSender {
    fn columns(&mut self, names: &[String]) -> Result<(), DatabaseError> {
        self.send(Chunk::Columns(names.to_vec()))
    }

    fn row(&mut self, json: &str) -> Result<(), DatabaseError> {
        self.rows.push_str(json);
        self.ends.push(self.rows.len());
        if self.rows.len() >= CHUNK { self.flush() } else { Ok(()) }
    }
}

pub(super) async fn query(
    files: &FolderFiles,
    query: &Query,
    (path, create): (&str, bool),
    rows: &mut dyn RowSink,
) -> Result<Queried, DatabaseError> {
    let open = Open::of(files, &query.database, path, create);
    let _interrupt = InterruptOnDrop(open.interrupt.clone());
    let (send, mut receive) = mpsc::channel(4);
    let query = query.clone();
    let work = tokio::task::spawn_blocking(move || {
        let session = open.session()?;
        let mut sender = RowSender { send, rows: String::new(), ends: Vec::new() };
        let done = ask(&session, &query, &mut sender)?;
        sender.flush()?;
        if open.interrupt.is_asked() {
            return Err(DatabaseError::new(DatabaseFault::Stopped, "The call was cancelled"));
        }
        session.run("COMMIT")?;
        Ok(done)
    });
    while let Some(chunk) = receive.recv().await {
        match chunk {
            Chunk::Columns(names) => rows.columns(&names)?,
            Chunk::Rows(text, ends) => {
                let mut begin = 0;
                for end in ends {
                    rows.row(text.get(begin..end).unwrap_or_default())?;
                    json::room(rows).await;
                    begin = end;
                }
            }
        }
    }
    work.await.map_err(|why| stopped(&why))?
}

fn ask(session: &Session, query: &Query, sink: &mut dyn RowSink) -> Result<Queried, DatabaseError> {
    let mut statement = session.connection.prepare(&query.sql).map_err(|why| error(&why))?;
    if statement.parameter_count() != query.params.len() {
        let words = "The SQL has a placeholder like ?, @name or $name. Write :name, and give the value as a parameter";
        return Err(DatabaseError::new(DatabaseFault::Invalid("sql"), words));
    }
    for (at, param) in query.params.iter().enumerate() {
        statement.raw_bind_parameter(at + 1, value(param, false)?).map_err(|why| error(&why))?;
    }
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    if names.is_empty() {
        let affected = statement.raw_execute().map_err(|why| error(&why))?;
        // What changes no rows counts those of the statement before.
        let affected = if statement.readonly() { 0 } else { affected as u64 };
        return Ok(Queried { has_rows: false, affected });
    }
    let mut writer = RowWriter::new(&names, query.max_rows, sink)?;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(|why| error(&why))? {
        for (at, name) in names.iter().enumerate() {
            let out = writer.column(at);
            match row.get_ref(at).map_err(|why| error(&why))? {
                ValueRef::Null => out.extend_from_slice(b"null"),
                ValueRef::Integer(whole) => json::plain(out, whole),
                ValueRef::Real(number) => json::double(out, number),
                ValueRef::Blob(bytes) => json::bytes(out, bytes),
                ValueRef::Text(text) => match std::str::from_utf8(text) {
                    Ok(text) => json::text(out, text),
                    Err(_) => {
                        let words = format!(
                            "A text of the column '{name}' is not UTF-8. Write CAST({name} AS BLOB) to get its bytes"
                        );
                        return Err(DatabaseError::new(DatabaseFault::UnsupportedType, words));
                    }
                },
            }
        }
        writer.end(sink)?;
    }
    Ok(Queried { has_rows: true, affected: 0 })
}

/// A value for a place; a text for a column of bytes is base64.
fn value(given: &SqlValue, is_bytes: bool) -> Result<Value, DatabaseError> {
    let wrong = |words: String| DatabaseError::new(DatabaseFault::InvalidValue, words);
    let given = match given {
        SqlValue::Bytes(bytes) => return Ok(Value::Blob(bytes.clone())),
        SqlValue::Json(given) => given,
    };
    Ok(match given {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Integer(i64::from(*flag)),
        Json::Number(number) => match (number.as_i64(), number.is_u64()) {
            (Some(whole), _) => Value::Integer(whole),
            (None, true) => {
                return Err(wrong(format!("{number} is larger than a whole number of SQLite. Write it as text")));
            }
            (None, false) => Value::Real(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) if is_bytes => Value::Blob(
            STANDARD
                .decode(text.trim())
                .map_err(|_| wrong("A text for a column of the type BLOB is base64, and this one is not".to_owned()))?,
        ),
        Json::String(text) => Value::Text(text.clone()),
        other => Value::Text(other.to_string()),
    })
}

/// What the thread that writes gets. A channel that closes without an end is no end.
enum Feed {
    Rows(Vec<WriteRow>),
    End,
}

struct Fed {
    receive: mpsc::Receiver<Feed>,
    rows: std::vec::IntoIter<WriteRow>,
    ended: bool,
}

impl RowSource for Fed {
    fn next(&mut self) -> Result<Option<WriteRow>, DatabaseError> {
        loop {
            if let Some(row) = self.rows.next() {
                return Ok(Some(row));
            }
            if self.ended {
                return Ok(None);
            }
            match self.receive.blocking_recv() {
                Some(Feed::Rows(rows)) => self.rows = rows.into_iter(),
                Some(Feed::End) => self.ended = true,
                None => return Err(DatabaseError::new(DatabaseFault::Stopped, "Nobody gives rows any more")),
            }
        }
    }
}

pub(super) async fn write(
    files: &FolderFiles,
    write: &Write,
    (path, create): (&str, bool),
    rows: &mut dyn RowSource,
) -> Result<Wrote, DatabaseError> {
    let open = Open::of(files, &write.database, path, create);
    let _interrupt = InterruptOnDrop(open.interrupt.clone());
    let (send, receive) = mpsc::channel(2);
    let write = write.clone();
    let work = tokio::task::spawn_blocking(move || {
        let session = open.session()?;
        let mut fed = Fed { receive, rows: Vec::new().into_iter(), ended: false };
        let wrote = change(&session, &write, &mut fed)?;
        session.run("COMMIT")?;
        Ok(wrote)
    });
    let mut chunk = Vec::new();
    loop {
        let row = rows.next()?;
        let is_end = row.is_none();
        chunk.extend(row);
        let full = chunk.len() >= ROWS || (is_end && !chunk.is_empty());
        // When nobody takes them, the work says why.
        if full && send.send(Feed::Rows(std::mem::take(&mut chunk))).await.is_err() {
            break;
        }
        if is_end {
            let _taken = send.send(Feed::End).await;
            break;
        }
    }
    work.await.map_err(|why| stopped(&why))?
}

fn change(session: &Session, write: &Write, rows: &mut dyn RowSource) -> Result<Wrote, DatabaseError> {
    let blobs = blobs(session, &write.table.name)?;
    let statement = Statement { dialect: Dialect::Sqlite, table: &write.table, action: write.action, key: &write.key };
    // A row after the other is as fast here, and says which item failed.
    let mut batches = Batches::new(rows, 1, &[]);
    let mut wrote = Wrote::default();
    while let Some(batch) = batches.next()? {
        let Some(row) = batch.first() else { break };
        let at_item = |why: DatabaseError| why.detail("item", row.item);
        let sql = statement.sql(&row.columns, 1);
        let mut prepared = session.connection.prepare_cached(&sql).map_err(|why| at_item(error(&why)))?;
        for (place, at) in statement.order(&row.columns).into_iter().enumerate() {
            let column = row.columns[at].as_str();
            let given = value(&row.values[at], blobs.contains(&column.to_lowercase()));
            let given = given.map_err(|why| at_item(why).detail("column", column))?;
            prepared.raw_bind_parameter(place + 1, given).map_err(|why| at_item(error(&why)))?;
        }
        let done = prepared.raw_execute().map_err(|why| at_item(error(&why)))? as u64;
        wrote.items += 1;
        wrote.rows += done;
        wrote.not_found += u64::from(done == 0 && !statement.takes_many());
    }
    Ok(wrote)
}

/// Columns of bytes, in small letters.
fn blobs(session: &Session, table: &str) -> Result<HashSet<String>, DatabaseError> {
    let sql = "SELECT lower(name) FROM pragma_table_xinfo(?1) WHERE upper(type) LIKE '%BLOB%'";
    let mut statement = session.connection.prepare(sql).map_err(|why| error(&why))?;
    let names = statement.query_map([table], |row| row.get(0)).map_err(|why| error(&why))?;
    names.collect::<Result<_, _>>().map_err(|why| error(&why))
}

pub(super) async fn tables(
    files: &FolderFiles,
    database: &Database,
    path: &str,
    filter: &TableFilter,
) -> Result<Vec<Table>, DatabaseError> {
    let open = Open::of(files, database, path, false);
    let _interrupt = InterruptOnDrop(open.interrupt.clone());
    let filter = filter.clone();
    let work = tokio::task::spawn_blocking(move || tables::of(&open.session()?.connection, &filter));
    work.await.map_err(|why| stopped(&why))?
}
