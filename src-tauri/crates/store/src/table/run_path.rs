//! Events by where they stand: the path of an iteration or a branch, and the node. Finding them reads no payload, or a few
//! words of it; what is handed out whole is read and verified by [`run_event`]. Tests: `tests/store/table/run_path.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{self, Connection, Value as Sql, params, params_from_iter};
use crate::table::run_event::{self, END, SEQ, START};
use signalbox_model::RunEvent;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 25,
    // Runs without containers have no row in it.
    sql: "CREATE INDEX run_event_path ON run_event (run, path, node) WHERE path IS NOT NULL;",
}];

/// What an event is about, without its data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventHead {
    /// Its place in the log.
    pub seq: u64,
    /// Its type.
    pub kind: String,
    /// The node.
    pub node: Option<String>,
    /// Where in nested containers.
    pub path: Option<String>,
    /// Index of the item.
    pub item: Option<u64>,
    /// Of a `step_start`: the node's kind. Of an `error_handled`: the action. Of a task: its id.
    pub word: Option<String>,
    /// Of a `step_start`: how many items went in.
    pub input: Option<u64>,
    /// Of a `step_start`: how many elements `config.source` has, when it is a list.
    pub source: Option<u64>,
    /// Of a `step_start`: it has a `config.while`.
    pub conditional: bool,
    /// Something in it was taken out, so that `source` may be missing although there is one.
    pub large: bool,
}

/// Heads of the events after `after`.
pub(crate) fn heads(connection: &Connection, run: &str, after: u64, limit: usize) -> Result<Vec<EventHead>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {SEQ}, type, node, path, item, \
           CASE type WHEN 'step_start' THEN payload ->> '$.type' WHEN 'error_handled' THEN payload ->> '$.action' \
             ELSE CASE WHEN substr(type, 1, 11) = 'human_task_' THEN payload ->> '$.taskId' END END, \
           CASE type WHEN 'step_start' THEN json_array_length(payload, '$.input') END, \
           CASE WHEN type = 'step_start' AND json_type(payload, '$.config.source') = 'array' \
             THEN json_array_length(payload, '$.config.source') END, \
           type = 'step_start' AND json_type(payload, '$.config.while') IS NOT NULL, blobs IS NOT NULL \
         FROM run_event WHERE id > {START} + ?2 AND id < {END} ORDER BY id LIMIT ?3"
    ))?;
    let heads = statement.query_map(params![run, after, limit as u64], |row| {
        Ok(EventHead {
            seq: row.get(0)?,
            kind: row.get(1)?,
            node: row.get(2)?,
            path: row.get(3)?,
            item: row.get(4)?,
            word: row.get(5)?,
            input: row.get(6)?,
            source: row.get(7)?,
            conditional: row.get(8)?,
            large: row.get(9)?,
        })
    })?;
    Ok(heads.collect::<sql::Result<_>>()?)
}

/// The index is named: else the order by `id` tempts SQLite to read the log from its beginning. `0 +` takes the column's kind from the
/// number, because an index by what is computed is not used for the value of a column.
pub(crate) fn at_path() -> String {
    format!(
        "SELECT {SEQ} FROM run_event INDEXED BY run_event_path WHERE id >> 32 = 0 + (SELECT run.no FROM run WHERE run.id = ?1) \
         AND path = ?2 AND node = ?3 AND id <= {START} + ?4 ORDER BY id LIMIT ?5"
    )
}

/// The first `limit` events of a node at a path; `""` is the top.
pub(crate) fn of_step(
    connection: &Connection,
    run: &str,
    token: Option<&str>,
    (path, node): (&str, &str),
    last: u64,
    limit: usize,
) -> Result<Vec<RunEvent>> {
    let seqs: Vec<u64> = if path.is_empty() {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {SEQ} FROM run_event WHERE id > {START} AND id <= {START} + ?3 AND path IS NULL AND node = ?2 \
             ORDER BY id LIMIT ?4"
        ))?;
        let rows = statement.query_map(params![run, node, last, limit as u64], |row| row.get(0))?;
        rows.collect::<sql::Result<_>>()?
    } else {
        let mut statement = connection.prepare_cached(&at_path())?;
        let rows = statement.query_map(params![run, path, node, last, limit as u64], |row| row.get(0))?;
        rows.collect::<sql::Result<_>>()?
    };
    whole(connection, run, token, &seqs, last)
}

/// Each half goes through its own part of the index, which is named for the same reason. `0` is the letter behind `/`.
pub(crate) fn in_path() -> String {
    let half = |place: &str| {
        format!(
            "SELECT {SEQ} AS seq FROM run_event INDEXED BY run_event_path \
             WHERE id >> 32 = 0 + (SELECT run.no FROM run WHERE run.id = ?1) AND {place} AND id > {START} + ?3 AND id <= {START} + ?4"
        )
    };
    let (here, further) = (half("path = ?2"), half("path > ?2 || '/' AND path < ?2 || '0'"));
    format!("SELECT seq FROM ({here} UNION ALL {further}) ORDER BY seq LIMIT ?5")
}

/// The first `limit` events after `after` at a path and further in.
pub(crate) fn inside(
    connection: &Connection,
    run: &str,
    token: Option<&str>,
    path: &str,
    (after, last): (u64, u64),
    limit: usize,
) -> Result<Vec<RunEvent>> {
    let mut statement = connection.prepare_cached(&in_path())?;
    let rows = statement.query_map(params![run, path, after, last, limit as u64], |row| row.get(0))?;
    whole(connection, run, token, &rows.collect::<sql::Result<Vec<u64>>>()?, last)
}

/// Events after `after` at the top or at one of these paths, and changes of variables wherever they were made.
pub(crate) fn around(
    connection: &Connection,
    run: &str,
    token: Option<&str>,
    paths: &[&str],
    (after, last): (u64, u64),
    limit: usize,
) -> Result<Vec<RunEvent>> {
    let marks = vec!["?"; paths.len()].join(", ");
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {SEQ} FROM run_event WHERE id > {START} + ?2 AND id <= {START} + ?3 \
         AND (path IS NULL OR type = 'var_changed' OR path IN ({marks})) ORDER BY id LIMIT {limit}"
    ))?;
    let number = |seq: u64| Sql::Integer(i64::try_from(seq).unwrap_or(i64::MAX));
    let values = [Sql::Text(run.to_owned()), number(after), number(last)];
    let values = values.into_iter().chain(paths.iter().map(|path| Sql::Text((*path).to_owned())));
    let seqs: Vec<u64> =
        statement.query_map(params_from_iter(values), |row| row.get(0))?.collect::<sql::Result<_>>()?;
    whole(connection, run, token, &seqs, last)
}

/// Where the last calls of a node were made, the newest first; `""` is the top.
pub(crate) fn of_calls(connection: &Connection, run: &str, node: &str, limit: usize) -> Result<Vec<String>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT coalesce(path, '') FROM run_event WHERE id > {START} AND id < {END} AND node = ?2 AND type = 'step_start' \
         ORDER BY id DESC LIMIT ?3"
    ))?;
    Ok(statement.query_map(params![run, node, limit as u64], |row| row.get(0))?.collect::<sql::Result<_>>()?)
}

/// The event of a number, when the log reaches so far; these come from the log itself.
fn whole(connection: &Connection, run: &str, token: Option<&str>, seqs: &[u64], last: u64) -> Result<Vec<RunEvent>> {
    let events = seqs.iter().map(|seq| run_event::get(connection, run, token, *seq, last));
    events.filter_map(Result::transpose).collect()
}
