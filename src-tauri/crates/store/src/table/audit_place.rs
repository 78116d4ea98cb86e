//! `audit_node` and `audit_run` find the entries of a node and of a run, `audit_mark` those with an event, a level, an actor or
//! a type of error. Indices of `audit_entry` would be written with every step and every error, each at another place; these
//! tables are brought up to date every [`BEHIND`] entries, and what is newer is read through. They only find rows; what holds
//! is `entry`. Tests: `tests/store/table/audit_place.rs`.

use crate::error::Result;
use crate::filter::Filter;
use crate::migration::Migration;
use crate::sql::{self, Connection, params};
use crate::table::audit_meta;
use std::borrow::Cow;
use std::collections::HashMap;

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
    id: 31,
    // A time needs no index: `ts_high` never goes back, so it is found by halving.
    sql: "CREATE TABLE audit_node (node_id TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (node_id, seq)) \
            STRICT, WITHOUT ROWID;
          CREATE TABLE audit_run (run_id TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (run_id, seq)) \
            STRICT, WITHOUT ROWID;
          INSERT INTO audit_node (node_id, seq)
            SELECT node_id, seq FROM audit_entry WHERE node_id <> '$run' ORDER BY node_id, seq;
          INSERT INTO audit_run (run_id, seq) SELECT run_id, seq FROM audit_entry ORDER BY run_id, seq;
          INSERT INTO audit_meta (name, value) SELECT 'placesTo', max(seq) + 1 FROM audit_entry HAVING max(seq) IS NOT NULL;
          DROP INDEX audit_of_node;
          DROP INDEX audit_of_run;
          DROP INDEX audit_by_time;",
    },
    Migration {
        id: 35,
        sql: "CREATE TABLE audit_mark (mark TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (mark, seq)) \
                STRICT, WITHOUT ROWID;
              INSERT INTO audit_mark (mark, seq)
                WITH known AS (SELECT * FROM audit_entry WHERE seq <
                  coalesce((SELECT CAST(value AS INTEGER) FROM audit_meta WHERE name = 'placesTo'), 0))
                SELECT 'event:' || event, seq FROM known WHERE event NOT IN ('NODE_START', 'NODE_SUCCESS')
                UNION ALL SELECT 'level:' || level, seq FROM known WHERE level <> 'INFO'
                UNION ALL SELECT 'actor:' || actor_id, seq FROM known WHERE actor_id IS NOT NULL
                UNION ALL SELECT 'kind:' || actor_type, seq FROM known WHERE actor_type <> 'system'
                UNION ALL SELECT 'error:' || error_type, seq FROM known WHERE error_type IS NOT NULL
                ORDER BY 1, 2;
              DROP INDEX audit_by_event;
              DROP INDEX audit_by_level;
              DROP INDEX audit_by_actor;
              DROP INDEX audit_by_actor_type;
              DROP INDEX audit_by_error;",
    },
];

/// Up to this entry the tables are complete.
const TAKEN: &str = "placesTo";
/// Most entries that the tables lag behind, but for those of one commit.
const BEHIND: u64 = 256;

/// The first entry that the tables do not know yet.
pub(crate) fn taken_to(connection: &Connection) -> Result<u64> {
    Ok(audit_meta::get(connection, TAKEN)?.and_then(|text| text.parse().ok()).unwrap_or(0))
}

/// After entries were added: the chain had `from` entries and has `size`. Whether the tables know all of them now.
pub(crate) fn catch_up(connection: &Connection, from: u64, size: u64) -> Result<bool> {
    // A cheap look at the numbers first: nearly every commit has nothing to do here.
    if size / BEHIND == from / BEHIND {
        return Ok(false);
    }
    let taken = taken_to(connection)?;
    for sql in [
        "INSERT OR IGNORE INTO audit_node (node_id, seq) SELECT node_id, seq FROM audit_entry \
         WHERE seq >= ? AND seq < ? AND node_id <> '$run'",
        "INSERT OR IGNORE INTO audit_run (run_id, seq) SELECT run_id, seq FROM audit_entry \
         WHERE seq >= ? AND seq < ?",
        // Nearly every entry is a step's start or end, at level INFO, by the system: those are not marked. The few others are
        // found in one pass, before they are looked at five times.
        "INSERT OR IGNORE INTO audit_mark (mark, seq) \
         WITH new AS MATERIALIZED (SELECT seq, event, level, actor_id, actor_type, error_type FROM audit_entry \
           WHERE seq >= ? AND seq < ? AND (event NOT IN ('NODE_START', 'NODE_SUCCESS') OR level <> 'INFO' \
             OR actor_id IS NOT NULL OR actor_type <> 'system' OR error_type IS NOT NULL)) \
         SELECT 'event:' || event, seq FROM new WHERE event NOT IN ('NODE_START', 'NODE_SUCCESS') \
         UNION ALL SELECT 'level:' || level, seq FROM new WHERE level <> 'INFO' \
         UNION ALL SELECT 'actor:' || actor_id, seq FROM new WHERE actor_id IS NOT NULL \
         UNION ALL SELECT 'kind:' || actor_type, seq FROM new WHERE actor_type <> 'system' \
         UNION ALL SELECT 'error:' || error_type, seq FROM new WHERE error_type IS NOT NULL",
    ] {
        // Not sorted: so few rows touch the same pages either way, and sorting them costs more than finding their places.
        connection.prepare_cached(sql)?.execute([taken, size])?;
    }
    audit_meta::set(connection, TAKEN, &size.to_string())?;
    Ok(true)
}

/// What an entry is marked by.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mark {
    /// Its event; not the start and the success of a step.
    Event,
    /// Its level; not INFO.
    Level,
    /// The id of its actor.
    Actor,
    /// The type of its actor; not the system.
    ActorType,
    /// Its type of error.
    ErrorType,
}

/// The numbers of entries stand in the statement as a list, which takes as long as it has members. `?1` is the first entry
/// that a statement looks at: the value that a filter of entries begins with.
impl Filter {
    /// Entries of a node that is not the run as a whole.
    pub(crate) fn add_node(&mut self, connection: &Connection, node: &str) -> Result<()> {
        let sql = "seq IN (SELECT seq FROM audit_node WHERE node_id = ? AND seq >= ?1 \
                   UNION ALL SELECT seq FROM audit_entry WHERE seq >= max(?, ?1) AND node_id = ?)";
        self.add_place(connection, sql, node, node)
    }

    /// Entries of a run.
    pub(crate) fn add_run(&mut self, connection: &Connection, run: &str) -> Result<()> {
        let sql = "seq IN (SELECT seq FROM audit_run WHERE run_id = ? AND seq >= ?1 \
                   UNION ALL SELECT seq FROM audit_entry WHERE seq >= max(?, ?1) AND run_id = ?)";
        self.add_place(connection, sql, run, run)
    }

    /// Entries with a mark.
    pub(crate) fn add_mark(&mut self, connection: &Connection, mark: Mark, value: &str) -> Result<()> {
        let (column, word) = match mark {
            Mark::Event => ("event", "event"),
            Mark::Level => ("level", "level"),
            Mark::Actor => ("actor_id", "actor"),
            Mark::ActorType => ("actor_type", "kind"),
            Mark::ErrorType => ("error_type", "error"),
        };
        let sql = format!(
            "seq IN (SELECT seq FROM audit_mark WHERE mark = ? AND seq >= ?1 \
             UNION ALL SELECT seq FROM audit_entry WHERE seq >= max(?, ?1) AND {column} = ?)"
        );
        self.add_place(connection, sql, &format!("{word}:{value}"), value)
    }

    /// Entries of an actor. A name alone, without what it names, is also that of a person.
    pub(crate) fn add_actor(&mut self, connection: &Connection, name: &str) -> Result<()> {
        if name.contains(':') {
            return self.add_mark(connection, Mark::Actor, name);
        }
        let sql = "seq IN (SELECT seq FROM audit_mark WHERE mark IN (?, ?) AND seq >= ?1 \
                   UNION ALL SELECT seq FROM audit_entry WHERE seq >= max(?, ?1) AND actor_id IN (?, ?))";
        let taken = i64::try_from(taken_to(connection)?).unwrap_or(i64::MAX);
        let values = [
            format!("actor:{name}").into(),
            format!("actor:user:{name}").into(),
            taken.into(),
            name.to_owned().into(),
            format!("user:{name}").into(),
        ];
        self.add_all(sql, values);
        Ok(())
    }

    fn add_place(
        &mut self,
        connection: &Connection,
        sql: impl Into<Cow<'static, str>>,
        key: &str,
        value: &str,
    ) -> Result<()> {
        let taken = i64::try_from(taken_to(connection)?).unwrap_or(i64::MAX);
        self.add_all(sql, [key.to_owned().into(), taken.into(), value.to_owned().into()]);
        Ok(())
    }
}

/// How many entries a run has before the entry `below`.
pub(crate) fn count_of_run(connection: &Connection, run: &str, below: u64) -> Result<u64> {
    let mut statement = connection.prepare_cached(
        "SELECT (SELECT count(*) FROM audit_run WHERE run_id = ?1 AND seq < ?3) \
         + (SELECT count(*) FROM audit_entry WHERE seq >= ?2 AND seq < ?3 AND run_id = ?1)",
    )?;
    let below = i64::try_from(below).unwrap_or(i64::MAX);
    Ok(statement.query_row(params![run, taken_to(connection)?, below], |row| row.get(0))?)
}

/// How many entries of a run the table knows.
pub(crate) fn known_of_run(connection: &Connection, run: &str) -> Result<u64> {
    let mut statement = connection.prepare_cached("SELECT count(*) FROM audit_run WHERE run_id = ?")?;
    Ok(statement.query_row([run], |row| row.get(0))?)
}

/// How many entries each run has that the table does not know.
pub(crate) fn newest_runs(connection: &Connection) -> Result<HashMap<String, u64>> {
    let mut statement =
        connection.prepare_cached("SELECT run_id, count(*) FROM audit_entry WHERE seq >= ? GROUP BY run_id")?;
    let runs = statement.query_map([taken_to(connection)?], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(runs.collect::<sql::Result<_>>()?)
}

/// Retention.
pub(crate) fn remove_before(connection: &Connection, seq: u64) -> Result<()> {
    for table in ["audit_node", "audit_run", "audit_mark"] {
        let sql = &format!("DELETE FROM {table} WHERE seq < ?");
        connection.prepare_cached(sql)?.execute([seq])?;
    }
    Ok(())
}
