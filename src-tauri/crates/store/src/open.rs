//! Opening: version gates, setup, the checks after a crash, and the writer's thread.

use crate::alarm::StoreAlarm;
use crate::chain;
use crate::chain_truncation;
use crate::connection::{DataFile, Database, Readers};
use crate::error::{Error, Result};
use crate::high_water::{MarkFile, Slot, newest_head};
use crate::instance::{Instance, create_private_folder, private, setup_lock, unusable};
use crate::new_file;
use crate::schema;
use crate::sql::Connection;
use crate::store::{Inner, Store};
#[cfg(feature = "postgres")]
use crate::table::audit_meta;
use crate::table::{audit_entry, run, run_deleted, run_event};
use crate::writer::{WriteQueue, Writer};
use rusqlite::ffi;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// 3.51.3: older versions have a race that loses committed writes.
const OLDEST_SQLITE: i32 = 3_051_003;

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Upper limit of the database in pages of 4 KiB; a write beyond it is [`Error::DiskFull`].
    pub max_pages: Option<u32>,
    /// After a crash SQLite's quick check runs on a database up to this size: on a large one it takes minutes.
    pub check_up_to_bytes: u64,
    /// How long a write waits for another process before it is [`Error::Busy`].
    pub busy_timeout: Duration,
    /// The database that several hosts share, instead of a file in the data folder.
    pub history: Option<History>,
    /// For who only reads: where the disk is too full to open the store, it is opened for this process alone, which needs no
    /// room; others find it busy meanwhile. Unix only.
    pub reads: bool,
}

/// Where a history is that several hosts share.
#[derive(Clone, PartialEq, Eq)]
pub struct History {
    url: String,
    password: Option<String>,
}

impl History {
    /// `postgres://user@host:port/database?sslmode=…`; the password is taken where the address holds none.
    pub fn new(url: impl Into<String>, password: Option<String>) -> Self {
        Self { url: url.into(), password }
    }
}

impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The address may hold a password.
        f.write_str("History")
    }
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            max_pages: None,
            check_up_to_bytes: 64 * 1024 * 1024,
            busy_timeout: Duration::from_secs(5),
            history: None,
            reads: false,
        }
    }
}

pub(crate) fn open(folder: &Path, options: &StoreOptions) -> Result<Store> {
    if let Some(history) = &options.history {
        return open_history(folder, options, history);
    }
    match open_as(folder, options, false) {
        Err(Error::DiskFull) if options.reads && cfg!(unix) => {
            open_as(folder, options, true).map_err(|error| match error {
                // Another process has it, too: the first reason is the one to tell.
                Error::Busy => Error::DiskFull,
                other => other,
            })
        }
        opened => opened,
    }
}

fn open_as(folder: &Path, options: &StoreOptions, alone: bool) -> Result<Store> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        return Err(Error::SqliteTooOld { found: rusqlite::version().into() });
    }
    let instances = folder.join("instances");
    create_private_folder(&instances).map_err(|e| unusable(folder, &e))?;
    let path = folder.join("signalbox.db");
    let in_folder = |error: Error| match error {
        Error::Sqlite { code, message }
            if matches!(code & 0xff, ffi::SQLITE_CANTOPEN | ffi::SQLITE_READONLY | ffi::SQLITE_PERM) =>
        {
            Error::Folder { folder: folder.display().to_string(), reason: why_not_writable(&path).unwrap_or(message) }
        }
        other => other,
    };
    if options.max_pages.is_none() {
        make_new(&path, &instances)?;
    }
    create_private(&path);
    let data = DataFile { path: path.clone(), busy: options.busy_timeout, alone };
    let file = data.writer().map_err(in_folder)?;
    if let Some(pages) = options.max_pages {
        file.pragma_update(None, "max_page_count", pages)?;
    }
    set_up(&file, &path, &instances).map_err(in_folder)?;
    let connection = Connection::File(file);

    let instance = Instance::register(&instances, &mut || new_id(&connection))?;
    let unclean = instance.clean_up();
    let mut alarms = Vec::new();
    let small = fs::metadata(&path).is_ok_and(|file| file.len() <= options.check_up_to_bytes);
    if unclean && small {
        alarms.extend(quick_check(&connection)?);
    }
    let read_only = !alarms.is_empty();
    let parts = Parts { database: Database::File(data), connection, instance, alarms, read_only, alone };
    put_together(folder, options, folder.join("signalbox.mark"), parts)
}

/// What is open, of whichever kind the data is.
struct Parts {
    database: Database,
    connection: Connection,
    instance: Instance,
    alarms: Vec<StoreAlarm>,
    read_only: bool,
    alone: bool,
}

#[cfg(not(feature = "postgres"))]
fn open_history(_folder: &Path, _options: &StoreOptions, _history: &History) -> Result<Store> {
    Err(Error::Unreachable { reason: "this build of Signalbox holds its data in files only".into() })
}

#[cfg(feature = "postgres")]
fn open_history(folder: &Path, options: &StoreOptions, history: &History) -> Result<Store> {
    use crate::sql::postgres::server::{Address, Server};
    let address = Address::parse(&history.url, history.password.as_deref())
        .map_err(|reason| Error::Unreachable { reason: format!("its address cannot be used: {reason}") })?;
    create_private_folder(folder).map_err(|e| unusable(folder, &e))?;
    let server = Server::new(address, options.busy_timeout)?;
    let connection = server.set_up()?;
    let id = new_id(&Connection::Server(Box::new(server.reader()?)))?;
    server.register(&connection, &id, &folder.display().to_string())?;
    let database = Database::Server(server);
    let connection = Connection::Server(Box::new(connection));
    // What this host has seen of this history, and of no other one.
    let log: String = audit_meta::log_id(&connection)?.chars().take(8).collect();
    let parts = Parts {
        instance: Instance::at_server(id, database.clone()),
        database,
        connection,
        alarms: Vec::new(),
        read_only: false,
        alone: false,
    };
    put_together(folder, options, folder.join(format!("history-{log}.mark")), parts)
}

fn put_together(folder: &Path, options: &StoreOptions, mark: PathBuf, parts: Parts) -> Result<Store> {
    let Parts { database, connection, instance, mut alarms, read_only, alone } = parts;
    // The file first: the store can only be further than it by the time it is looked at.
    let (marks, written) = match MarkFile::open(&mark) {
        Ok((file, written)) => (Some(file), written),
        Err(error) => return Err(unusable(folder, &error)),
    };
    alarms.extend(compare(&connection, &written)?);
    // The next entries move the mark beyond what is missing. Where there is no room or somebody else writes, the next of them
    // or a verification keeps it.
    if !read_only
        && !alone
        && let Some(head) = newest_head(written.iter())
    {
        for alarm in &alarms {
            if let StoreAlarm::AuditBehind { found, .. } = alarm {
                let _ = chain_truncation::keep(&connection, head, *found);
            }
        }
    }

    let max_pages = Arc::new(Mutex::new(options.max_pages));
    let signer = Arc::new(Mutex::new(None));
    let writer = Writer {
        database: database.clone(),
        connection: Some(connection),
        marks,
        read_only,
        max_pages: Arc::clone(&max_pages),
        signer: Arc::clone(&signer),
        full_sync: true,
        lost: 0,
        log_id: None,
        newest: chain::Newest::default(),
        sealed: 0,
    };
    let desk = Arc::new(WriteQueue::new(writer));
    let at_desk = Arc::clone(&desk);
    let thread = std::thread::Builder::new()
        .name("store-writer".into())
        .spawn(move || at_desk.serve())
        .map_err(|e| Error::Folder { folder: folder.display().to_string(), reason: e.to_string() })?;
    let inner = Inner {
        folder: folder.to_owned(),
        mark,
        desk,
        thread: Mutex::new(Some(thread)),
        readers: Readers::new(database),
        watch: Mutex::new(None),
        alarms,
        max_pages,
        signer,
        instance: Arc::new(instance),
    };
    let store = Store { inner: Arc::new(inner) };
    if !read_only {
        // On a full disk or beside a busy process it is left to the next start: nobody sees these rows.
        let _ = store.purge_deleted();
    }
    Ok(store)
}

/// A new database file is for its owner only, and so are the log and the shared memory that SQLite makes beside it. What keeps
/// it from being made is told when SQLite opens it.
fn create_private(path: &Path) {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    private(&mut options);
    let _ = options.open(path);
}

/// What the system says, which SQLite does not hand on. Asking leaves nothing behind: where there is no file yet, one of another name is tried.
fn why_not_writable(path: &Path) -> Option<String> {
    let error = if path.exists() {
        fs::OpenOptions::new().write(true).open(path).err()?
    } else {
        let other = path.with_extension(format!("{}.tmp", std::process::id()));
        let error = fs::OpenOptions::new().write(true).create_new(true).open(&other).err();
        fs::remove_file(&other).ok();
        error?
    };
    Some(match error.kind() {
        ErrorKind::PermissionDenied => "this account may not write there".into(),
        ErrorKind::ReadOnlyFilesystem => "its disk is read-only".into(),
        _ => error.to_string(),
    })
}

fn set_up(connection: &rusqlite::Connection, path: &Path, instances: &Path) -> Result<()> {
    let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
    if schema::check(connection, path)? == schema::known() && mode == "wal" {
        return Ok(());
    }
    let _guard = setup_lock(instances)?;
    let found = schema::check(connection, path)?;
    if found > 0 && found < schema::known() {
        keep_copy(connection, path, found)?;
    }
    schema::migrate(connection, path)
}

/// Where there is no file yet, one is made whole. Whatever is in the way is left to SQLite, which makes the tables in an empty file.
fn make_new(path: &Path, instances: &Path) -> Result<()> {
    if path.exists() {
        return Ok(());
    }
    let _guard = setup_lock(instances)?;
    let log_id = rusqlite::Connection::open_in_memory()?
        .query_row("SELECT lower(hex(randomblob(16)))", [], |row| row.get::<_, String>(0))?;
    let _ = new_file::make(path, &log_id);
    Ok(())
}

/// Before an upgrade the database is copied, so that the older release can be used again: `signalbox.db.version-N`. The copy of
/// an earlier upgrade goes.
fn keep_copy(connection: &rusqlite::Connection, path: &Path, version: i64) -> Result<()> {
    let name = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        std::path::PathBuf::from(name)
    };
    let (copy, part) = (name(&format!("{COPY}{version}")), name(".version.part"));
    if copy.exists() {
        return Ok(());
    }
    // Half of one, from a process that died.
    fs::remove_file(&part).ok();
    create_private(&part);
    let target = part.to_str().ok_or_else(|| Error::Invalid { reason: "the path is not Unicode".into() })?;
    let made = connection.execute("VACUUM INTO ?", [target]).map_err(Error::from).and_then(|_| {
        let synced = fs::File::open(&part).and_then(|file| file.sync_all()).and_then(|()| fs::rename(&part, &copy));
        synced.map_err(|error| unusable(path.parent().unwrap_or(path), &error))
    });
    if made.is_err() {
        fs::remove_file(&part).ok();
    }
    made?;
    let start = name(COPY);
    let start = start.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for entry in path.parent().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten() {
        if entry.path() != copy && entry.file_name().to_string_lossy().starts_with(&start) {
            // One that stays takes room and does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

/// What the copy before an upgrade is called, behind the name of the database and before its version.
const COPY: &str = ".version-";

/// A random UUID (version 4), from SQLite's generator.
fn new_id(connection: &Connection) -> Result<String> {
    let hex: String = connection.query_row("SELECT lower(hex(randomblob(16)))", [], |row| row.get(0))?;
    Ok(format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..]))
}

fn quick_check(connection: &Connection) -> Result<Option<StoreAlarm>> {
    let answer = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0)).map_err(Error::from);
    match answer {
        Ok(text) if text == "ok" => Ok(None),
        Ok(reason) | Err(Error::Damaged { reason }) => Ok(Some(StoreAlarm::Damaged { reason })),
        Err(other) => Err(other),
    }
}

fn compare(connection: &Connection, slots: &[Slot]) -> Result<Vec<StoreAlarm>> {
    let mut alarms: Vec<StoreAlarm> = Vec::new();
    let marks: Vec<_> = slots.iter().filter_map(|slot| slot.mark.as_ref()).collect();
    // The newest mark of a run says all.
    for (index, mark) in marks.iter().enumerate() {
        if marks[index + 1..].iter().any(|newer| newer.run == mark.run) || run_deleted::exists(connection, &mark.run)? {
            continue;
        }
        let found = run::get(connection, &mark.run)?.map_or(0, |run| run.last_seq);
        let stored = run_event::stored_hash(connection, &mark.run, mark.seq)?;
        if found < mark.seq {
            alarms.push(StoreAlarm::Behind { run: mark.run.clone(), expected: mark.seq, found });
        } else if stored.as_ref() != Some(&mark.hash) {
            alarms.push(StoreAlarm::Differs { run: mark.run.clone(), seq: mark.seq });
        }
    }
    let accepted = chain_truncation::accepted(connection)?;
    if let Some(head) = newest_head(slots.iter()).filter(|head| head.size > accepted) {
        let found = audit_entry::head(connection)?.size;
        let stored = audit_entry::get(connection, head.size - 1)?.map(|row| row.hash);
        if stored != Some(head.head_hash.to_hex()) {
            alarms.push(StoreAlarm::AuditBehind { expected: head.size, found });
        }
    }
    Ok(alarms)
}
