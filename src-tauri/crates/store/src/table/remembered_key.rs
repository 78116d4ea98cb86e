//! `remembered_key`: keys that steps have seen in the runs of a workflow, each with the run and the step that took it. Tests:
//! `tests/store/table/remembered_key.rs`.

use crate::error::Result;
use crate::migration::Migration;
use crate::sql::{Connection, OptionalExtension, params};
use signalbox_model::KeyClaim;
use std::collections::BTreeSet;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 43,
    // `root`: the first original of the run, which is the run itself when it is no re-run. `until_ms`: when it is forgotten.
    sql: "CREATE TABLE remembered_key (
            workflow TEXT NOT NULL, scope TEXT NOT NULL, key TEXT NOT NULL, root TEXT NOT NULL, run TEXT NOT NULL,
            step TEXT NOT NULL, until_ms INTEGER NOT NULL, PRIMARY KEY (workflow, scope, key)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX remembered_key_oldest ON remembered_key (workflow, scope, until_ms);
          CREATE INDEX remembered_key_until ON remembered_key (until_ms);",
}];

/// The run that a re-run goes back to in the end. Its row may be gone.
fn root(connection: &Connection, run: &str) -> Result<String> {
    let mut statement = connection.prepare_cached("SELECT parent_run_id FROM run WHERE id = ?")?;
    let (mut root, mut known) = (run.to_owned(), BTreeSet::new());
    while known.insert(root.clone()) {
        match statement.query_row([&root], |row| row.get::<_, Option<String>>(0)).optional()?.flatten() {
            Some(parent) => root = parent,
            None => break,
        }
    }
    Ok(root)
}

/// Who took a key.
struct Taker {
    root: String,
    run: String,
    step: String,
}

/// Takes the keys of a call; whether each is new.
pub(crate) fn claim(connection: &Connection, claim: &KeyClaim) -> Result<Vec<bool>> {
    let KeyClaim { workflow, scope, keys, run, step, most, kept_ms, now_ms } = claim;
    let root = root(connection, run)?;
    let mut read = connection.prepare_cached(
        "SELECT root, run, step FROM remembered_key WHERE workflow = ? AND scope = ? AND key = ? AND until_ms > ?",
    )?;
    let mut take =
        connection.prepare_cached("INSERT OR REPLACE INTO remembered_key VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let mut see = connection.prepare_cached(
        "UPDATE remembered_key SET until_ms = max(until_ms, ?4) WHERE workflow = ?1 AND scope = ?2 AND key = ?3",
    )?;
    let until = now_ms.saturating_add(*kept_ms);
    let (mut new, mut of_call) = (Vec::with_capacity(keys.len()), BTreeSet::new());
    for key in keys {
        // Of two items of one call with the same key the first is new.
        if !of_call.insert(key) {
            new.push(false);
            continue;
        }
        let taker = read
            .query_row(params![workflow, scope, key, now_ms], |row| {
                Ok(Taker { root: row.get(0)?, run: row.get(1)?, step: row.get(2)? })
            })
            .optional()?;
        // A re-run sees what its original saw; within one run another step or round has seen it.
        let is_new = taker.is_none_or(|by| by.root == root && (by.run != *run || by.step == *step));
        if is_new {
            take.execute(params![workflow, scope, key, root, run, step, until])?;
        } else {
            see.execute(params![workflow, scope, key, until])?;
        }
        new.push(is_new);
    }
    let most = (*most).max(of_call.len());
    connection
        .prepare_cached(
            "DELETE FROM remembered_key WHERE workflow = ?1 AND scope = ?2 AND key IN (SELECT key FROM remembered_key \
             WHERE workflow = ?1 AND scope = ?2 ORDER BY until_ms DESC LIMIT 9223372036854775807 OFFSET ?3)",
        )?
        .execute(params![workflow, scope, most as u64])?;
    Ok(new)
}

/// Forgets the keys whose time is over.
pub(crate) fn sweep(connection: &Connection, now_ms: i64) -> Result<usize> {
    Ok(connection.prepare_cached("DELETE FROM remembered_key WHERE until_ms <= ?")?.execute([now_ms])?)
}
