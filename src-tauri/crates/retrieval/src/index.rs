//! One index: a SQLite file with documents, their passages and the words of these (ADR 121).

use crate::chunk::{Chunk, chunks};
use crate::terms;
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension as _, Transaction, TransactionBehavior, ffi, params,
};
use signalbox_model::hash::sha256_hex;
use signalbox_ports::retrieval::{Document, IndexTotals, Indexed, RetrievalError};
use std::path::Path;
use std::time::Duration;

/// "SbIx": tells an index from other files.
const APPLICATION: i32 = 0x5362_4978;
/// Counts changes of the tables, and of how texts are divided.
const FORMAT: i32 = 1;
/// How long a change waits for another one of the same index.
const PATIENCE: Duration = Duration::from_secs(60);
/// Most passages of an index.
pub(crate) const MOST_CHUNKS: u64 = 200_000;
/// Largest text of a document, in bytes.
const LARGEST_TEXT: usize = 16 << 20;
/// Longest id, in characters.
const LONGEST_ID: usize = 500;
/// Longest title, in characters.
const LONGEST_TITLE: usize = 1_000;
/// Largest metadata of a document, as JSON, in bytes.
const LARGEST_METADATA: usize = 64 << 10;

const TABLES: &str = "
CREATE TABLE documents (
  doc INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL,
  title TEXT,
  metadata TEXT NOT NULL
);
CREATE TABLE chunks (
  chunk INTEGER PRIMARY KEY,
  doc INTEGER NOT NULL REFERENCES documents (doc),
  start INTEGER NOT NULL,
  end INTEGER NOT NULL,
  heading TEXT,
  text TEXT NOT NULL,
  page INTEGER
);
CREATE INDEX chunks_of_documents ON chunks (doc);
CREATE TABLE vectors (
  chunk INTEGER PRIMARY KEY REFERENCES chunks (chunk) ON DELETE CASCADE,
  vector BLOB NOT NULL
);
CREATE TABLE embedding (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5 (
  text, heading, content = '', contentless_delete = 1, tokenize = \"porter unicode61 remove_diacritics 2\"
);
";

pub(crate) type Result<T> = std::result::Result<T, RetrievalError>;

pub(crate) fn failed(error: rusqlite::Error) -> RetrievalError {
    let rusqlite::Error::SqliteFailure(failure, message) = &error else {
        // Another column or type than this program writes.
        return RetrievalError::Damaged { message: error.to_string() };
    };
    let text = || message.clone().unwrap_or_else(|| failure.to_string());
    match failure.extended_code {
        // A write past a limit or on a full tmpfs is reported as an I/O error, not as FULL.
        ffi::SQLITE_FULL | ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_SHMSIZE => RetrievalError::DiskFull,
        _ => match failure.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => RetrievalError::Busy,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown => {
                RetrievalError::Damaged { message: text() }
            }
            _ => RetrievalError::Io { message: text() },
        },
    }
}

fn invalid(field: &'static str, message: impl Into<String>) -> RetrievalError {
    RetrievalError::Invalid { field, message: message.into() }
}

/// Opens the file of an index; `create` makes it.
pub(crate) fn open(file: &Path, write: bool, create: bool) -> Result<Connection> {
    if !create && !file.exists() {
        return Err(RetrievalError::Missing);
    }
    // A link in its place would lead out of the folder. Reading takes part in the log beside the file, so that it needs to write.
    let mut flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    flags.set(OpenFlags::SQLITE_OPEN_CREATE, create);
    if create {
        close_to_others(file)?;
    }
    let connection = Connection::open_with_flags(file, flags).map_err(failed)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    // The file is data of somebody else as soon as the folder was copied here.
    connection
        .execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON; PRAGMA temp_store = FILE;")
        .map_err(failed)?;
    prepare(&connection, create)?;
    if write && !has_pages(&connection)? {
        connection.execute_batch("ALTER TABLE chunks ADD COLUMN page INTEGER").map_err(failed)?;
    }
    if !write {
        connection.execute_batch("PRAGMA query_only = ON;").map_err(failed)?;
    }
    Ok(connection)
}

/// Makes an empty file for its owner alone where there is none, and closes one that an older version left open: SQLite takes what the system
/// gives to new files, which others may read, and gives the files beside it the same permissions.
fn close_to_others(file: &Path) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            // A link is not followed: the one who opens it refuses it.
            #[cfg(unix)]
            if std::fs::symlink_metadata(file).is_ok_and(|meta| meta.is_file()) {
                use std::os::unix::fs::PermissionsExt;
                std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600))
                    .map_err(|error| RetrievalError::Io { message: format!("The index cannot be made: {error}") })?;
            }
            Ok(())
        }
        Err(error) => Err(RetrievalError::Io { message: format!("The index cannot be made: {error}") }),
    }
}

/// Whether passages have a page; older indexes have none until they are changed.
pub(crate) fn has_pages(connection: &Connection) -> Result<bool> {
    let sql = "SELECT count(*) FROM pragma_table_info('chunks') WHERE name = 'page'";
    connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map(|count| count > 0).map_err(failed)
}

/// Makes the tables of a new file, and refuses what is no index.
fn prepare(connection: &Connection, create: bool) -> Result<()> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0)).map_err(failed);
    let check = || match (number("application_id")?, number("user_version")?) {
        (APPLICATION, FORMAT) => Ok(()),
        (APPLICATION, other) => {
            let message = format!("It was written by another version of Signalbox (format {other}, not {FORMAT})");
            Err(RetrievalError::Damaged { message })
        }
        _ => Err(RetrievalError::Damaged { message: "The file is no index".into() }),
    };
    let is_empty = || -> Result<bool> {
        let objects = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0));
        Ok(objects.map_err(failed)? == 0 && number("application_id")? == 0)
    };
    if !is_empty()? {
        return check();
    }
    if !create {
        // A crash left a file without tables: nothing was ever indexed.
        return Err(RetrievalError::Missing);
    }
    connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
    let tx = Transaction::new_unchecked(connection, TransactionBehavior::Immediate).map_err(failed)?;
    // Somebody else may have made them meanwhile.
    if is_empty()? {
        tx.execute_batch(TABLES).map_err(failed)?;
        tx.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
        tx.pragma_update(None, "user_version", FORMAT).map_err(failed)?;
    }
    tx.commit().map_err(failed)?;
    check()
}

/// A change under way: one transaction, which is undone when this is dropped.
pub(crate) struct Change {
    connection: Connection,
    chunks: u64,
    removed: u64,
}

impl Change {
    pub(crate) fn begin(file: &Path, create: bool) -> Result<Self> {
        let connection = open(file, true, create)?;
        // The ids of this change: as many as there are documents, so not in memory.
        connection
            .execute_batch("CREATE TEMP TABLE put (id TEXT PRIMARY KEY) WITHOUT ROWID; BEGIN IMMEDIATE;")
            .map_err(failed)?;
        let chunks = count(&connection, "chunks")?;
        Ok(Self { connection, chunks, removed: 0 })
    }

    pub(crate) fn put(&mut self, document: &Document) -> Result<Indexed> {
        let metadata = checked(document)?;
        let new = self
            .connection
            .prepare_cached("INSERT OR IGNORE INTO temp.put VALUES (?1)")
            .map_err(failed)?
            .execute([&document.id]);
        if new.map_err(failed)? == 0 {
            return Err(invalid(
                "id",
                format!("Two documents have the id '{}'; give each its own", shown(&document.id)),
            ));
        }
        let hash = hash(document);
        let known = self
            .connection
            .prepare_cached("SELECT doc, hash FROM documents WHERE id = ?1")
            .map_err(failed)?
            .query_row([&document.id], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))
            .optional()
            .map_err(failed)?;
        let became = match &known {
            Some((doc, same)) if *same == hash => {
                // Passages do not have the metadata in them.
                self.connection
                    .prepare_cached("UPDATE documents SET metadata = ?2 WHERE doc = ?1 AND metadata <> ?2")
                    .map_err(failed)?
                    .execute(params![doc, metadata])
                    .map_err(failed)?;
                return Ok(Indexed::Unchanged);
            }
            Some((doc, _)) => {
                self.delete(*doc)?;
                Indexed::Changed
            }
            None => Indexed::Added,
        };
        let doc = known.map(|(doc, _)| doc);
        self.connection
            .prepare_cached("INSERT INTO documents (doc, id, hash, title, metadata) VALUES (?1, ?2, ?3, ?4, ?5)")
            .map_err(failed)?
            .execute(params![doc, document.id, hash, document.title, metadata])
            .map_err(failed)?;
        let doc = self.connection.last_insert_rowid();
        let found = chunks(&document.text, document.format, document.size);
        // Refused before any of them is written, which takes much longer.
        self.chunks = self.chunks.saturating_add(found.len() as u64);
        if self.chunks > MOST_CHUNKS {
            return Err(RetrievalError::Full { limit: MOST_CHUNKS });
        }
        for chunk in &found {
            self.add(doc, document.title.as_deref(), chunk)?;
        }
        Ok(became)
    }

    fn add(&mut self, doc: i64, title: Option<&str>, chunk: &Chunk) -> Result<()> {
        self.connection
            .prepare_cached("INSERT INTO chunks (doc, start, end, heading, text, page) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
            .map_err(failed)?
            .execute(params![doc, chunk.start, chunk.end, chunk.heading, chunk.text, chunk.page])
            .map_err(failed)?;
        let above = format!("{} {}", title.unwrap_or_default(), chunk.heading.as_deref().unwrap_or_default());
        self.connection
            .prepare_cached("INSERT INTO words (rowid, text, heading) VALUES (?1, ?2, ?3)")
            .map_err(failed)?
            .execute(params![self.connection.last_insert_rowid(), terms::indexed(&chunk.text), terms::indexed(&above)])
            .map_err(failed)?;
        Ok(())
    }

    pub(crate) fn remove(&mut self, id: &str) -> Result<bool> {
        let doc =
            self.connection.query_row("SELECT doc FROM documents WHERE id = ?1", [id], |row| row.get::<_, i64>(0));
        let Some(doc) = doc.optional().map_err(failed)? else { return Ok(false) };
        self.delete(doc)?;
        self.removed += 1;
        Ok(true)
    }

    fn delete(&mut self, doc: i64) -> Result<()> {
        let run =
            |sql: &str| self.connection.prepare_cached(sql).and_then(|mut sql| sql.execute([doc])).map_err(failed);
        run("DELETE FROM words WHERE rowid IN (SELECT chunk FROM chunks WHERE doc = ?1)")?;
        let chunks = run("DELETE FROM chunks WHERE doc = ?1")?;
        run("DELETE FROM documents WHERE doc = ?1")?;
        self.chunks = self.chunks.saturating_sub(chunks as u64);
        Ok(())
    }

    pub(crate) fn commit(mut self, replace: bool) -> Result<IndexTotals> {
        if replace {
            let gone = "SELECT id FROM documents WHERE id NOT IN (SELECT id FROM temp.put) LIMIT 1";
            // One by one: the list of them all may be long.
            while let Some(id) =
                self.connection.query_row(gone, [], |row| row.get::<_, String>(0)).optional().map_err(failed)?
            {
                self.remove(&id)?;
            }
        }
        let documents = count(&self.connection, "documents")?;
        self.connection.execute_batch("COMMIT").map_err(failed)?;
        Ok(IndexTotals { removed: self.removed, documents, chunks: self.chunks })
    }
}

fn count(connection: &Connection, table: &str) -> Result<u64> {
    connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).map_err(failed)
}

fn shown(id: &str) -> String {
    id.chars().take(80).collect()
}

/// The metadata of a document as JSON, if the document can be indexed.
fn checked(document: &Document) -> Result<String> {
    let id = &document.id;
    if id.is_empty() || id.chars().count() > LONGEST_ID {
        return Err(invalid("id", format!("The id of a document has 1 to {LONGEST_ID} characters")));
    }
    if document.text.len() > LARGEST_TEXT {
        let megabytes = LARGEST_TEXT >> 20;
        return Err(invalid("text", format!("The text of '{}' is larger than {megabytes} MiB; divide it", shown(id))));
    }
    if document.title.as_ref().is_some_and(|title| title.chars().count() > LONGEST_TITLE) {
        return Err(invalid(
            "title",
            format!("The title of '{}' is longer than {LONGEST_TITLE} characters", shown(id)),
        ));
    }
    let metadata = serde_json::to_string(&document.metadata).unwrap_or_default();
    if metadata.len() > LARGEST_METADATA {
        let kilobytes = LARGEST_METADATA >> 10;
        return Err(invalid("metadata", format!("The metadata of '{}' is larger than {kilobytes} KiB", shown(id))));
    }
    Ok(metadata)
}

/// Of all that decides the passages of a document.
fn hash(document: &Document) -> String {
    let how = format!(
        "{FORMAT} {} {} {} {:?}\n",
        document.format.name(),
        document.size.max_chars,
        document.size.overlap_chars,
        document.title,
    );
    sha256_hex(&[how.as_bytes(), document.text.as_bytes()].concat())
}
