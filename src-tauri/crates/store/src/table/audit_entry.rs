//! `audit_entry`: the audit chain. Append only: a row is never changed, whatever happens to its run; the oldest go only by a
//! retention, which leaves a signed row.
//! The columns behind `signature` only find rows; what holds is `entry`. Tests: `tests/store/table/audit_entry.rs`.

use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::migration::Migration;
use crate::sql::{self, Connection, OptionalExtension, Row, params, params_from_iter};
use crate::table::audit_place::{self, Mark};
use crate::table::audit_text;
use crate::table::audit_without::AuditWithout;
use signalbox_audit::verify::Row as ChainRow;
use signalbox_audit::{Actor, ActorType, Entry, Head, Level, RUN_LEVEL, Sealed, Signature};
use signalbox_model::time;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 17,
    // `ts_high` is the latest time so far: unlike `ts` it never goes back, so that a span of time is a span of rows.
    // Nearly every entry is a step's start or end; the partial indices leave those out.
    sql: "CREATE TABLE audit_entry (
            seq INTEGER PRIMARY KEY, entry TEXT NOT NULL, hash TEXT NOT NULL, signature TEXT, run_id TEXT NOT NULL,
            node_id TEXT NOT NULL, event TEXT NOT NULL, level TEXT NOT NULL, actor_type TEXT NOT NULL, actor_id TEXT,
            error_type TEXT, ts INTEGER NOT NULL, ts_high INTEGER NOT NULL, dedupe TEXT
          ) STRICT;
          CREATE UNIQUE INDEX audit_dedupe ON audit_entry (dedupe) WHERE dedupe IS NOT NULL;
          CREATE INDEX audit_of_run ON audit_entry (run_id, seq);
          CREATE INDEX audit_by_time ON audit_entry (ts_high);
          CREATE INDEX audit_by_event ON audit_entry (event, seq) WHERE event NOT IN ('NODE_START', 'NODE_SUCCESS');
          CREATE INDEX audit_by_level ON audit_entry (level, seq) WHERE level <> 'INFO';
          CREATE INDEX audit_by_actor ON audit_entry (actor_id, seq) WHERE actor_id IS NOT NULL;
          CREATE INDEX audit_by_actor_type ON audit_entry (actor_type, seq) WHERE actor_type <> 'system';
          CREATE INDEX audit_by_error ON audit_entry (error_type, seq) WHERE error_type IS NOT NULL;",
}];

/// Counting stops here: nobody reads further, and a count must stay cheap.
const COUNTED: u64 = 2_000;
/// Facets look at so many entries.
const LOOKED_AT: u64 = 10_000;
/// So many of the newest entries are looked at first.
const NEAR: u64 = 16_384;

/// Which entries to list; all conditions hold together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuditQuery {
    /// Of this run.
    pub run: Option<String>,
    /// Of runs of this workflow: its id, or its name when a run started.
    pub workflow: Option<String>,
    /// Of runs of one of these workspaces.
    pub workspaces: Option<Vec<String>>,
    /// Of this node.
    pub node: Option<String>,
    /// With this name.
    pub event: Option<String>,
    /// With this level.
    pub level: Option<Level>,
    /// Id of the actor, a name alone for `user:` and that name, or `system`, `human`, `agent`.
    pub actor: Option<String>,
    /// With this `metadata.errorType`.
    pub error_type: Option<String>,
    /// With this tag.
    pub tag: Option<String>,
    /// Not before, milliseconds since 1970.
    pub since_ms: Option<i64>,
    /// Not after, milliseconds since 1970.
    pub until_ms: Option<i64>,
    /// Each of these stands somewhere in the entry.
    pub text: Vec<String>,
    /// And none of this is true of it.
    pub without: AuditWithout,
    /// Only entries before this one.
    pub before: Option<u64>,
    /// Only entries after this one; the page is then the oldest of them.
    pub after: Option<u64>,
    /// At most so many; 0 means 100. Never more than 1,000.
    pub limit: usize,
}

/// An entry as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRow {
    /// Its place.
    pub seq: u64,
    /// Its canonical text.
    pub text: String,
    /// Its hash.
    pub hash: String,
    /// Its signature.
    pub signature: Option<String>,
}

impl AuditRow {
    /// The entry; `None` when the text is none, which a verification tells.
    pub fn entry(&self) -> Option<Entry> {
        serde_json::from_str(&self.text).ok()
    }
}

/// A page of entries.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditPage {
    /// Newest first, also with `after`.
    pub rows: Vec<AuditRow>,
    /// Entries that match, without `before` and `after`; counted up to 2,000.
    pub total: u64,
    /// There are more than `total`.
    pub more: bool,
    /// Where the chain stands.
    pub head: Head,
}

/// How many entries have which value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditFacets {
    /// By name, most frequent first.
    pub events: Vec<(String, u64)>,
    /// By level.
    pub levels: Vec<(String, u64)>,
    /// By actor: its id, else its type.
    pub actors: Vec<(String, u64)>,
    /// By type of error, where there was one.
    pub error_types: Vec<(String, u64)>,
    /// By name of the workflow, where the run is still there.
    pub workflows: Vec<(String, u64)>,
    /// So many of the newest were counted, because more than these match.
    pub newest: Option<u64>,
}

pub(crate) fn head(connection: &Connection) -> Result<Head> {
    Ok(tail(connection)?.0)
}

/// Where the chain stands, and the latest time of all its entries.
pub(crate) fn tail(connection: &Connection) -> Result<(Head, Option<i64>)> {
    let mut statement =
        connection.prepare_cached("SELECT seq, hash, ts_high FROM audit_entry ORDER BY seq DESC LIMIT 1")?;
    let mut rows = statement.query([])?;
    let Some(row) = rows.next()? else { return Ok((Head::EMPTY, None)) };
    let seq: u64 = row.get(0)?;
    let head_hash = row.get_ref(1)?.as_str().ok().and_then(|hash| hash.parse().ok()).ok_or_else(|| damaged(seq))?;
    Ok((Head { size: seq + 1, head_hash }, row.get(2)?))
}

/// The first entry that is not older than all before it and not older than `ts`; the size of the chain when there is none.
/// `ts_high` never goes back, so it is found by halving.
pub(crate) fn first_since(connection: &Connection, ts: i64) -> Result<u64> {
    let (mut from, mut to) = (first(connection)?, head(connection)?.size);
    let mut at =
        connection.prepare_cached("SELECT ts_high FROM audit_entry WHERE seq >= ? AND seq < ? ORDER BY seq LIMIT 1")?;
    while from < to {
        let middle = from + (to - from) / 2;
        let high: Option<i64> = at.query_row([middle, to], |row| row.get(0)).optional()?;
        if high.is_some_and(|high| high < ts) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    Ok(to)
}

/// The oldest entry that is there: what was before it was removed.
pub(crate) fn first(connection: &Connection) -> Result<u64> {
    let mut statement = connection.prepare_cached("SELECT seq FROM audit_entry ORDER BY seq LIMIT 1")?;
    let first: Option<i64> = statement.query_row([], |row| row.get(0)).optional()?;
    // A negative number was never given by this program; a verification tells it.
    Ok(first.and_then(|seq| u64::try_from(seq).ok()).unwrap_or(0))
}

/// What a hash that cannot be read says.
pub(crate) fn damaged(seq: u64) -> Error {
    Error::Damaged { reason: format!("the hash of audit entry {seq} cannot be read; verify the audit chain") }
}

pub(crate) fn by_dedupe(connection: &Connection, dedupe: &str) -> Result<Option<AuditRow>> {
    let mut statement =
        connection.prepare_cached("SELECT seq, entry, hash, signature FROM audit_entry WHERE dedupe = ?")?;
    Ok(statement.query_row([dedupe], read).optional()?)
}

/// `before` is the latest time of the entries before; returns that with this one.
pub(crate) fn insert(
    connection: &Connection,
    sealed: &Sealed,
    signature: Option<Signature>,
    dedupe: Option<&str>,
    before: Option<i64>,
) -> Result<i64> {
    let entry = &sealed.entry;
    let ts = time::parse(&entry.timestamp).unwrap_or_default();
    let high = before.unwrap_or(ts).max(ts);
    if high > ts && high - ts > super::audit_meta::lag(connection)? {
        super::audit_meta::set(connection, "lag", &(high - ts).to_string())?;
    }
    audit_text::add_tags(connection, entry.seq, entry.tags.as_deref().unwrap_or_default())?;
    let error_type = entry.metadata.as_ref().and_then(|metadata| metadata.get("errorType")).and_then(|t| t.as_str());
    connection
        .prepare_cached(
            "INSERT INTO audit_entry (seq, entry, hash, signature, run_id, node_id, event, level, actor_type, actor_id, \
             error_type, ts, ts_high, dedupe) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .send(params![
            entry.seq,
            sealed.text,
            sealed.hash.to_hex(),
            signature.map(|signature| signature.to_string()),
            entry.run_id,
            entry.node_id,
            entry.event,
            entry.level.as_str(),
            entry.actor.kind.as_str(),
            entry.actor.id,
            error_type,
            ts,
            high,
            dedupe,
        ])?;
    Ok(high)
}

fn read(row: &Row<'_>) -> sql::Result<AuditRow> {
    Ok(AuditRow { seq: row.get(0)?, text: row.get(1)?, hash: row.get(2)?, signature: row.get(3)? })
}

/// A row for the verifier: what cannot be read as text is handed on in a way that it names.
pub(crate) fn read_chain(row: &Row<'_>) -> sql::Result<ChainRow> {
    let text = |index| -> sql::Result<String> {
        Ok(row.get_ref(index)?.as_str_or_null().ok().flatten().unwrap_or_default().to_owned())
    };
    let signature = row.get_ref(3)?.as_str_or_null().unwrap_or(Some("")).map(str::to_owned);
    // A negative number was never given by this program.
    let seq = u64::try_from(row.get::<_, i64>(0)?).unwrap_or(u64::MAX);
    Ok(ChainRow { seq, text: text(1)?, hash: text(2)?, signature })
}

pub(crate) fn get(connection: &Connection, seq: u64) -> Result<Option<AuditRow>> {
    let mut statement =
        connection.prepare_cached("SELECT seq, entry, hash, signature FROM audit_entry WHERE seq = ?")?;
    Ok(statement.query_row([seq], read).optional()?)
}

/// Retention: the record of it is written in the same transaction.
pub(crate) fn remove_before(connection: &Connection, seq: u64) -> Result<()> {
    audit_text::remove_before(connection, seq)?;
    audit_place::remove_before(connection, seq)?;
    connection.prepare_cached("DELETE FROM audit_entry WHERE seq < ?")?.execute([seq])?;
    Ok(())
}

impl Filter {
    fn of(connection: &Connection, query: &AuditQuery) -> Result<Self> {
        let mut filter = from(0);
        if let Some(run) = &query.run {
            filter.add_run(connection, run)?;
        }
        if let Some(workflow) = &query.workflow {
            filter.add("run_id IN (SELECT id FROM run WHERE ? IN (workflow_id, workflow_name))", workflow.clone());
        }
        filter.add_workspaces(
            "(SELECT workspace FROM run WHERE run.id = audit_entry.run_id)",
            query.workspaces.as_deref(),
        );
        if let Some(node) = &query.node {
            if node == RUN_LEVEL {
                filter.add("node_id = ?", node.clone());
            } else {
                filter.add_node(connection, node)?;
            }
        }
        match query.event.as_deref() {
            None => {}
            Some(event @ ("NODE_START" | "NODE_SUCCESS")) => filter.add("event = ?", event.to_owned()),
            Some(event) => filter.add_mark(connection, Mark::Event, event)?,
        }
        match query.level {
            None => {}
            Some(level @ Level::Info) => filter.add("level = ?", level.as_str().to_owned()),
            Some(level) => filter.add_mark(connection, Mark::Level, level.as_str())?,
        }
        match query.actor.as_deref() {
            None => {}
            Some("system") => filter.add("actor_type = ?", "system".to_owned()),
            Some(kind) if kind == ActorType::Human.as_str() || kind == ActorType::Agent.as_str() => {
                filter.add_mark(connection, Mark::ActorType, kind)?;
            }
            Some(name) => filter.add_actor(connection, name)?,
        }
        if let Some(kind) = &query.error_type {
            filter.add_mark(connection, Mark::ErrorType, kind)?;
        }
        if let Some(tag) = &query.tag {
            filter.add("seq IN (SELECT seq FROM audit_tag WHERE tag = ?)", tag.clone());
        }
        if let Some(since) = query.since_ms {
            filter.add("seq >= ?", sql(first_since(connection, since)?));
            filter.add("ts >= ?", since);
        }
        if let Some(until) = query.until_ms {
            // Entries of several runs stand within moments of each other; `lag` is the largest step back so far.
            let lag = super::audit_meta::lag(connection)?;
            let beyond = first_since(connection, until.saturating_add(lag).saturating_add(1))?;
            filter.add("seq < ?", sql(beyond));
            filter.add("ts <= ?", until);
        }
        for text in &query.text {
            if let Some(found) = audit_text::find(connection, text)? {
                let list: Vec<String> = found.iter().map(u64::to_string).collect();
                filter.add_all(
                    // One list of numbers: with OR the statement that sorts by seq would read through all rows.
                    "seq IN (SELECT value FROM json_each(?) UNION ALL SELECT seq FROM audit_entry WHERE seq >= ?)",
                    [format!("[{}]", list.join(",")).into(), sql(audit_text::taken_to(connection)?).into()],
                );
            }
            // The whole entry first: that is cheap and leaves few.
            filter.contains("entry", text);
            filter.contains(audit_text::WORDS, text);
        }
        filter.add_without(connection, &query.without)?;
        Ok(filter)
    }
}

/// Entries from this one on; what else they must be is added to it.
pub(crate) fn from(first: u64) -> Filter {
    let mut filter = Filter::default();
    filter.add("seq >= ?1", sql(first));
    filter
}

fn sql(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Looks from the newest entry below `end` back, further and further, until `enough` says so or all was looked at: most
/// questions are answered by the newest entries, and the list of all that match may be long.
fn looking_back<T>(
    connection: &Connection,
    filter: &mut Filter,
    end: u64,
    mut look: impl FnMut(&Filter) -> Result<T>,
    enough: impl Fn(&T) -> bool,
) -> Result<T> {
    let first = first(connection)?;
    let mut reach = NEAR;
    loop {
        let from = end.saturating_sub(reach);
        filter.values[0] = sql(if from <= first { 0 } else { from }).into();
        let found = look(filter)?;
        if from <= first || enough(&found) {
            return Ok(found);
        }
        reach = reach.saturating_mul(8);
    }
}

/// How many match, counted up to `most`.
fn count(connection: &Connection, filter: &Filter, most: u64) -> Result<u64> {
    let text = format!("SELECT count(*) FROM (SELECT 1 FROM audit_entry {} LIMIT {most})", filter.sql());
    Ok(connection.prepare_cached(&text)?.query_row(params_from_iter(filter.values.iter()), |row| row.get(0))?)
}

pub(crate) fn page(connection: &Connection, query: &AuditQuery) -> Result<AuditPage> {
    let limit = if query.limit == 0 { 100 } else { query.limit.min(1_000) };
    let head = head(connection)?;
    let mut filter = Filter::of(connection, query)?;
    let (total, more) = if filter.len() == 1 {
        (head.size - first(connection)?.min(head.size), false)
    } else {
        let most = COUNTED + 1;
        let look = |filter: &Filter| count(connection, filter, most);
        let found = looking_back(connection, &mut filter, head.size, look, |found| *found == most)?;
        (found.min(COUNTED), found > COUNTED)
    };
    if let Some(before) = query.before {
        filter.add("seq < ?", sql(before));
    }
    let look = |filter: &Filter, order: &str| -> Result<Vec<AuditRow>> {
        let text = format!(
            "SELECT seq, entry, hash, signature FROM audit_entry {} ORDER BY seq {order} LIMIT {limit}",
            filter.sql()
        );
        let mut statement = connection.prepare_cached(&text)?;
        let rows = statement.query_map(params_from_iter(filter.values.iter()), read)?;
        Ok(rows.collect::<sql::Result<_>>()?)
    };
    let rows = match query.after {
        Some(after) => {
            filter.values[0] = sql(after.saturating_add(1)).into();
            let mut rows = look(&filter, "ASC")?;
            rows.reverse();
            rows
        }
        None => {
            let end = query.before.unwrap_or(head.size).min(head.size);
            looking_back(connection, &mut filter, end, |filter| look(filter, "DESC"), |rows| rows.len() == limit)?
        }
    };
    Ok(AuditPage { rows, total, more, head })
}

/// All that match, oldest first, one after the other.
pub(crate) fn matching(
    connection: &Connection,
    query: &AuditQuery,
    mut take: impl FnMut(ChainRow) -> bool,
) -> Result<()> {
    let filter = Filter::of(connection, query)?;
    let text = format!("SELECT seq, entry, hash, signature FROM audit_entry {} ORDER BY seq", filter.sql());
    let mut statement = connection.prepare_cached(&text)?;
    let mut rows = statement.query(params_from_iter(filter.values.iter()))?;
    while let Some(row) = rows.next()? {
        if !take(read_chain(&row)?) {
            break;
        }
    }
    Ok(())
}

/// Over the newest 10,000 entries that match.
pub(crate) fn facets(connection: &Connection, query: &AuditQuery) -> Result<AuditFacets> {
    let mut filter = Filter::of(connection, query)?;
    let look = |filter: &Filter| count(connection, filter, LOOKED_AT + 1);
    let found = looking_back(connection, &mut filter, head(connection)?.size, look, |found| *found > LOOKED_AT)?;
    let counts = |column: &str| -> Result<Vec<(String, u64)>> {
        let text = format!(
            "SELECT v, count(*) FROM (SELECT {column} AS v FROM audit_entry {} ORDER BY seq DESC LIMIT {LOOKED_AT}) \
             WHERE v IS NOT NULL GROUP BY v ORDER BY count(*) DESC, v LIMIT 50",
            filter.sql()
        );
        let mut statement = connection.prepare_cached(&text)?;
        let rows = statement.query_map(params_from_iter(filter.values.iter()), |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<sql::Result<_>>()?)
    };
    Ok(AuditFacets {
        events: counts("event")?,
        levels: counts("level")?,
        actors: counts("coalesce(actor_id, actor_type)")?,
        error_types: counts("error_type")?,
        workflows: counts("(SELECT workflow_name FROM run WHERE id = run_id)")?,
        newest: (found > LOOKED_AT).then_some(LOOKED_AT),
    })
}

/// An actor that stands in a query or a list: its id, else its type.
pub fn actor_name(actor: &Actor) -> &str {
    actor.id.as_deref().unwrap_or(actor.kind.as_str())
}
