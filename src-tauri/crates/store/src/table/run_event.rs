//! `run_event`: the log. Every row has the hash of its whole content, checked whenever it is read: SQLite's own check
//! does not notice changed content. Tests: `tests/store/table/run_event.rs`.

use crate::document::{Apart, Document, body_around, filled_around, lists};
use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, Row, params};
use crate::table::blob;
use signalbox_audit::Digest;
use signalbox_model::{RunEvent, time};
use std::borrow::Cow;

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        id: 2,
        sql: "CREATE TABLE run_event (
            run TEXT NOT NULL, seq INTEGER NOT NULL, ts INTEGER NOT NULL, type TEXT NOT NULL, node TEXT, path TEXT,
            item INTEGER, visit INTEGER, attempt INTEGER, hash BLOB NOT NULL, payload BLOB NOT NULL, blobs TEXT,
            PRIMARY KEY (run, seq)
          ) STRICT, WITHOUT ROWID;",
    },
    Migration {
        id: 38,
        // `id` is the run's number, and in the low 32 bits `seq`: the newest run's events are then always the last rows, which
        // SQLite appends without moving their neighbours. `payload` stands behind what scans look at: a long one lies on
        // overflow pages, which they then never read. Events of runs that are being deleted are not taken along.
        sql: "ALTER TABLE run ADD COLUMN no INTEGER;
          UPDATE run SET no = numbered.no
            FROM (SELECT id, row_number() OVER (ORDER BY started_ms, id) AS no FROM run) AS numbered
            WHERE run.id = numbered.id;
          CREATE UNIQUE INDEX run_no ON run (no);
          ALTER TABLE run_deleted ADD COLUMN no INTEGER;
          DROP INDEX run_event_path;
          ALTER TABLE run_event RENAME TO run_event_before;
          CREATE TABLE run_event (
            id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, type TEXT NOT NULL, node TEXT, path TEXT, item INTEGER,
            visit INTEGER, attempt INTEGER, hash BLOB NOT NULL, payload BLOB NOT NULL, blobs TEXT
          ) STRICT;
          INSERT INTO run_event (id, ts, type, node, path, item, visit, attempt, hash, payload, blobs)
            SELECT run.no << 32 | e.seq, e.ts, e.type, e.node, e.path, e.item, e.visit, e.attempt, e.hash, e.payload, e.blobs
            FROM run CROSS JOIN run_event_before AS e ON e.run = run.id ORDER BY run.no, e.seq;
          DROP TABLE run_event_before;
          CREATE INDEX run_event_path ON run_event (id >> 32, path, node) WHERE path IS NOT NULL;",
    },
];

/// In a statement whose first value is a run: the events of it have an `id` above this, by their `seq`.
pub(crate) const START: &str = "(SELECT run.no << 32 FROM run WHERE run.id = ?1)";
/// And one below this.
pub(crate) const END: &str = "(SELECT (run.no + 1) << 32 FROM run WHERE run.id = ?1)";
/// The place of an event in its run.
pub(crate) const SEQ: &str = "(id & 4294967295)";
/// Runs have no more events.
const MOST: u64 = u32::MAX as u64;

const COLUMNS: &str = "(id & 4294967295), ts, type, node, path, item, visit, attempt, hash, json(payload), blobs";

/// An event made ready on the caller's thread, so that the writer only inserts.
pub(crate) struct PreparedEvent {
    pub(crate) seq: u64,
    pub(crate) ts: i64,
    kind: &'static str,
    node: Option<String>,
    path: Option<String>,
    item: Option<usize>,
    visit: Option<u32>,
    attempt: Option<u32>,
    pub(crate) document: Document,
    hash: [u8; 32],
}

impl PreparedEvent {
    pub(crate) fn new(event: &RunEvent) -> Result<Self> {
        let invalid = |reason: &str| Error::Invalid { reason: format!("{reason} (event {})", event.body.type_name()) };
        let seq = event.seq.ok_or_else(|| invalid("a live event has no place in the log"))?;
        if seq > MOST {
            return Err(invalid("a run has at most 4,294,967,295 events"));
        }
        let ts = time::parse(&event.ts).ok_or_else(|| invalid("its time is not RFC 3339"))?;
        let document = lists::of_event(event)?;
        let kind = event.body.type_name();
        let content = Content {
            run: &event.run_id,
            seq,
            ts,
            kind,
            node: event.step_id.as_deref(),
            path: event.path.as_deref(),
            item: event.item,
            visit: event.visit,
            attempt: event.attempt,
            payload: &document.text,
            references: document.references.as_deref(),
        };
        let hash = content.hash();
        Ok(Self {
            seq,
            ts,
            kind,
            node: event.step_id.clone(),
            path: event.path.clone(),
            item: event.item,
            visit: event.visit,
            attempt: event.attempt,
            document,
            hash,
        })
    }

    pub(crate) fn hash_hex(&self) -> String {
        Digest(self.hash).to_hex()
    }
}

/// What the hash covers.
struct Content<'a> {
    run: &'a str,
    seq: u64,
    ts: i64,
    kind: &'a str,
    node: Option<&'a str>,
    path: Option<&'a str>,
    item: Option<usize>,
    visit: Option<u32>,
    attempt: Option<u32>,
    payload: &'a str,
    references: Option<&'a str>,
}

impl Content<'_> {
    fn hash(&self) -> [u8; 32] {
        // Made for every event that is written or read: what stands around the payload is put together first, because hashing
        // many short parts one by one takes longer than that.
        let mut before = Vec::with_capacity(256);
        let mut part = |part: &[u8]| {
            before.extend_from_slice(&length(part.len()));
            before.extend_from_slice(part);
        };
        part(self.run.as_bytes());
        part(&self.seq.to_be_bytes());
        part(&self.ts.to_be_bytes());
        part(self.kind.as_bytes());
        optional(&mut before, self.node.map(str::as_bytes));
        optional(&mut before, self.path.map(str::as_bytes));
        let numbers = [self.item.map(|n| n as u64), self.visit.map(u64::from), self.attempt.map(u64::from)];
        for number in numbers {
            optional(&mut before, number.map(u64::to_be_bytes).as_ref().map(<[u8; 8]>::as_slice));
        }
        before.extend_from_slice(&length(self.payload.len()));
        let mut behind = Vec::new();
        optional(&mut behind, self.references.map(str::as_bytes));
        Digest::of(&[&before, self.payload.as_bytes(), &behind]).0
    }
}

/// What stands before each part, so that no two lists of parts collide.
fn length(bytes: usize) -> [u8; 8] {
    (bytes as u64).to_be_bytes()
}

/// Absent and empty differ: an absent part is 0, a present one begins with 1.
fn optional(to: &mut Vec<u8>, part: Option<&[u8]>) {
    to.extend_from_slice(&length(1 + part.map_or(0, <[u8]>::len)));
    to.push(u8::from(part.is_some()));
    to.extend_from_slice(part.unwrap_or_default());
}

/// `number` is that of the run.
pub(crate) fn insert(connection: &Connection, run: &str, number: u64, event: &PreparedEvent) -> Result<()> {
    for blob in &event.document.blobs {
        blob::put(connection, run, blob)?;
    }
    let result = connection
        .prepare_cached(
            "INSERT INTO run_event (id, ts, type, node, path, item, visit, attempt, hash, payload, blobs) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, jsonb(?), ?)",
        )?
        .send(params![
            number << 32 | event.seq,
            event.ts,
            event.kind,
            event.node,
            event.path,
            event.item.map(|n| n as u64),
            event.visit,
            event.attempt,
            event.hash,
            event.document.text,
            event.document.references,
        ]);
    match result {
        Ok(()) => Ok(()),
        // The primary key fences as well.
        Err(sql::Error::SqliteFailure(failure, _))
            if failure.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY =>
        {
            Err(Error::Fenced { run: run.into() })
        }
        Err(other) => Err(other.into()),
    }
}

/// Events of a run that were read together.
#[derive(Debug)]
pub struct EventPage {
    /// In order.
    pub events: Vec<RunEvent>,
    /// Nothing stands behind them yet.
    pub is_last: bool,
}

/// Events after `after`, verified, large values filled in: no more than `limit`, and none after those that take `bytes`. A
/// missing event is damage too.
pub(crate) fn list(
    connection: &Connection,
    run: &str,
    token: Option<&str>,
    after: u64,
    last: u64,
    (limit, bytes): (usize, usize),
) -> Result<EventPage> {
    let until = last.min(after.saturating_add(limit as u64));
    if after >= until {
        return Ok(EventPage { events: Vec::new(), is_last: true });
    }
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM run_event WHERE id > {START} + ?2 AND id <= {START} + ?3 ORDER BY id"
    ))?;
    let mut events = Vec::with_capacity(usize::try_from(until.saturating_sub(after)).unwrap_or(0).min(10_000));
    let mut rows = statement.query(params![run, after, until])?;
    let mut taken = 0;
    for seq in after + 1..=until {
        if taken >= bytes {
            return Ok(EventPage { events, is_last: false });
        }
        let corrupt = || Error::Corrupt { run: run.into(), seq };
        let row = rows.next().map_err(|error| in_row(error, run, seq))?.ok_or_else(corrupt)?;
        let (event, size) = read(connection, &row, run, token, seq)?;
        events.push(event);
        taken += size;
    }
    // `last` comes from the run's row, which has no hash of its own: a smaller number would hide events.
    let sql = format!("SELECT 1 FROM run_event WHERE id > {START} + ?2 AND id < {END}");
    let mut beyond = connection.prepare_cached(&sql)?;
    if until == last && beyond.exists(params![run, last])? {
        return Err(Error::Corrupt { run: run.into(), seq: last + 1 });
    }
    Ok(EventPage { events, is_last: until == last })
}

/// One event; `None` when the log does not reach so far.
pub(crate) fn get(
    connection: &Connection,
    run: &str,
    token: Option<&str>,
    seq: u64,
    last: u64,
) -> Result<Option<RunEvent>> {
    match seq.checked_sub(1) {
        Some(before) => Ok(list(connection, run, token, before, last, (1, usize::MAX))?.events.pop()),
        None => Ok(None),
    }
}

/// An error while reading a row is damage of that row, unless it says that the machine could not read at all.
fn in_row(error: sql::Error, run: &str, seq: u64) -> Error {
    match Error::from(error) {
        Error::Damaged { .. } | Error::Sqlite { code: 0 | 1, .. } => Error::Corrupt { run: run.into(), seq },
        other => other,
    }
}

/// An event, and the bytes of its values as they are stored.
fn read(connection: &Connection, row: &Row<'_>, run: &str, token: Option<&str>, seq: u64) -> Result<(RunEvent, usize)> {
    let corrupt = || Error::Corrupt { run: run.into(), seq };
    let columns = || -> sql::Result<_> {
        Ok((
            Content {
                run,
                seq: row.get(0)?,
                ts: row.get(1)?,
                kind: row.get_ref(2)?.as_str()?,
                node: row.get_ref(3)?.as_str_or_null()?,
                path: row.get_ref(4)?.as_str_or_null()?,
                item: row.get::<_, Option<u64>>(5)?.and_then(|n| usize::try_from(n).ok()),
                visit: row.get(6)?,
                attempt: row.get(7)?,
                payload: row.get_ref(9)?.as_str()?,
                references: row.get_ref(10)?.as_str_or_null()?,
            },
            row.get_ref(8)?.as_blob()?,
        ))
    };
    let (content, hash) = columns().map_err(|_| corrupt())?;
    if content.seq != seq || content.hash() != hash {
        return Err(corrupt());
    }
    let mut size = content.payload.len();
    let mut fetch = |hash: &str| {
        let data = blob::get(connection, hash)?.ok_or_else(corrupt)?;
        size += data.len();
        Ok(data)
    };
    let in_event = |error| match error {
        Error::Damaged { .. } => corrupt(),
        other => other,
    };
    let mut long = Vec::new();
    let is_apart = |pointer: &str| is_data(content.kind, pointer);
    let mut apart = Apart { is_apart: &is_apart, texts: Vec::new(), known: 0 };
    let text = match content.references {
        None => Cow::Borrowed(content.payload),
        Some(references) => {
            let (single, lists) = match lists::of_references(references).map_err(in_event)? {
                Some((single, lists)) => (Cow::Owned(single), lists),
                None => (Cow::Borrowed(references), Vec::new()),
            };
            long = lists;
            let filled = filled_around(String::new(), content.payload, &single, &mut fetch, Some(&mut apart));
            Cow::Owned(filled.map_err(in_event)?)
        }
    };
    let texts = std::mem::take(&mut apart.texts);
    let mut body = body_around(content.kind, &text, texts).map_err(|_| corrupt())?;
    drop(text);
    lists::fill(&mut body, &long, &mut fetch).map_err(in_event)?;
    // They are written out for whoever gets the event.
    size += apart.known;
    let event = RunEvent {
        run_id: run.into(),
        seq: Some(seq),
        ts: time::format(content.ts),
        step_id: content.node.map(str::to_owned),
        path: content.path.map(str::to_owned),
        item: content.item,
        visit: content.visit,
        attempt: content.attempt,
        body,
        client_run_token: token.map(str::to_owned),
    };
    Ok((event, size))
}

/// Whether a value of an event is the data of an item, or a member of it: those may be texts that stand apart.
fn is_data(kind: &str, pointer: &str) -> bool {
    let mut tokens = pointer.split('/').skip(1);
    let is_list = match kind {
        "step_start" => tokens.next() == Some("input"),
        "step_done" => tokens.next() == Some("items") && tokens.next().is_some(),
        _ => false,
    };
    is_list && tokens.next().is_some() && tokens.next() == Some("data") && tokens.count() <= 1
}

/// Numbers of the newest events of a type, the newest first.
pub(crate) fn newest_of_type(connection: &Connection, run: &str, kind: &str, limit: usize) -> Result<Vec<u64>> {
    let sql = format!(
        "SELECT id & 4294967295 FROM run_event WHERE id > {START} AND id < {END} AND type = ?2 ORDER BY id DESC LIMIT ?3"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let seqs = statement.query_map(params![run, kind, limit as u64], |row| row.get(0))?;
    Ok(seqs.collect::<sql::Result<_>>()?)
}

/// `until` of the event that a run begins with. Only this field is read: a re-run carries much in that event.
pub(crate) fn until(connection: &Connection, run: &str) -> Result<Option<String>> {
    let sql = format!("SELECT payload ->> '$.until' FROM run_event WHERE id = {START} + 1");
    Ok(connection.prepare_cached(&sql)?.query_row([run], |row| row.get(0)).optional()?.flatten())
}

/// The stored hash, as the high-water file has it.
pub(crate) fn stored_hash(connection: &Connection, run: &str, seq: u64) -> Result<Option<String>> {
    let sql = format!("SELECT lower(hex(hash)) FROM run_event WHERE id = {START} + ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_row(params![run, seq], |row| row.get(0)).optional()?)
}

/// The event that ended the call which began at `start`.
pub(crate) fn end_of_call(connection: &Connection, run: &str, start: u64) -> Result<Option<u64>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT (e.id & 4294967295) FROM run_event s, run_event e WHERE s.id = {START} + ?2 AND e.id > {START} + ?2 AND e.id < {END} \
         AND e.node IS NOT DISTINCT FROM s.node AND e.path IS NOT DISTINCT FROM s.path AND e.item IS NOT DISTINCT FROM s.item AND e.visit IS NOT DISTINCT FROM s.visit \
         AND e.attempt IS NOT DISTINCT FROM s.attempt AND e.type IN ('step_done', 'step_error', 'step_interrupted') ORDER BY e.id LIMIT 1"
    ))?;
    Ok(statement.query_row(params![run, start], |row| row.get(0)).optional()?)
}

/// Deletes some events of a run that is gone and says how many.
pub(crate) fn delete_some(connection: &Connection, run: &str, limit: usize) -> Result<usize> {
    let sql = "DELETE FROM run_event WHERE id IN (SELECT e.id FROM run_deleted, run_event AS e WHERE run_deleted.run = ?1 \
               AND e.id >= run_deleted.no << 32 AND e.id < (run_deleted.no + 1) << 32 LIMIT ?2)";
    Ok(connection.prepare_cached(sql)?.execute(params![run, limit as u64])?)
}

#[cfg(test)]
mod tests {
    use super::Content;
    use signalbox_model::hash::digest_of_parts;

    /// Rows of earlier versions were hashed part by part.
    #[test]
    fn the_hash_of_a_row_is_that_of_its_parts() {
        let mut content = Content {
            run: "run-1",
            seq: 7,
            ts: 1_795_298_400_000,
            kind: "step_done",
            node: Some("fetch"),
            path: None,
            item: Some(3),
            visit: None,
            attempt: Some(0),
            payload: r#"{"outputs":null}"#,
            references: None,
        };
        let head: [&[u8]; 4] = [b"run-1", &7_u64.to_be_bytes(), &1_795_298_400_000_i64.to_be_bytes(), b"step_done"];
        let [item, attempt] = [3_u64, 0].map(|number| [&[1][..], &number.to_be_bytes()].concat());
        let parts: [&[u8]; 7] = [b"\x01fetch", b"\0", &item, b"\0", &attempt, br#"{"outputs":null}"#, b"\0"];
        assert_eq!(content.hash(), digest_of_parts(&[&head[..], &parts].concat()));

        // Absent and empty differ.
        content.path = Some("");
        content.references = Some("[]");
        let parts: [&[u8]; 7] = [b"\x01fetch", b"\x01", &item, b"\0", &attempt, br#"{"outputs":null}"#, b"\x01[]"];
        assert_eq!(content.hash(), digest_of_parts(&[&head[..], &parts].concat()));
    }
}
