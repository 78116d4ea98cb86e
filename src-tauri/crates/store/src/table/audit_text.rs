//! `audit_text`: finds entries by what stands in them, `audit_tag`: by their tags. The texts are taken in later and in parts,
//! never in the transaction of a step: what is not in yet is read through. Both only find rows; what holds is `entry`. Tests:
//! `tests/store/table/audit_text.rs`.

use crate::error::Result;
use crate::letters;
use crate::migration::Migration;
use crate::sql::{self, Connection, params};
use crate::table::audit_meta;
use std::collections::BTreeSet;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    id: 27,
    // Groups of three letters, so that any part of a word is found. The content stands in `audit_entry`.
    sql: "CREATE VIRTUAL TABLE audit_text USING fts5(words, content='', contentless_delete=1, detail='none', \
          tokenize='trigram');
          CREATE TABLE audit_tag (tag TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (tag, seq)) STRICT, WITHOUT ROWID;
          INSERT OR IGNORE INTO audit_tag (tag, seq)
            SELECT value, audit_entry.seq FROM audit_entry, json_each(CASE WHEN json_valid(entry) THEN entry ELSE '{}' END, '$.tags')
            WHERE entry LIKE '%\"tags\":[%' AND type = 'text';
          CREATE INDEX audit_of_node ON audit_entry (node_id, seq) WHERE node_id <> '$run';",
}];

/// Up to this entry the texts are in.
const TAKEN: &str = "textTo";
/// With more hits than this a text is common: reading the entries until enough are found is faster.
const COMMON: usize = 4_000;

/// What a text is looked for in: who, where, what and its facts. Not the links, the number and the time of an entry, in
/// which every short number stands by chance. One definition for what is taken in and what is read through.
pub(crate) const WORDS: &str = "CASE WHEN json_valid(entry) \
     THEN json_remove(entry, '$.prevHash', '$.timestamp', '$.logId', '$.seq', '$.v') ELSE entry END";

/// The first entry whose text is not in yet.
pub(crate) fn taken_to(connection: &Connection) -> Result<u64> {
    Ok(audit_meta::get(connection, TAKEN)?.and_then(|text| text.parse().ok()).unwrap_or(0))
}

/// Takes in the texts of at most `most` entries, and says whether more are left.
pub(crate) fn take_in(connection: &Connection, most: usize) -> Result<bool> {
    if connection.file().is_none() {
        // A database server has no such index: there every text is read through.
        return Ok(false);
    }
    let from = taken_to(connection)?;
    let last: Option<u64> = connection
        .prepare_cached("SELECT max(seq) FROM (SELECT seq FROM audit_entry WHERE seq >= ? ORDER BY seq LIMIT ?)")?
        .query_row(params![from, most], |row| row.get(0))?;
    let Some(last) = last else { return Ok(false) };
    let count = connection
        .prepare_cached(&format!(
            "INSERT INTO audit_text (rowid, words) SELECT seq, {WORDS} FROM audit_entry WHERE seq BETWEEN ? AND ?"
        ))?
        .execute([from, last])?;
    audit_meta::set(connection, TAKEN, &(last + 1).to_string())?;
    Ok(count == most)
}

/// Entries below [`taken_to`] in which the text may stand; `None` when it is too short or too common to be looked up.
/// The index folds capital letters like [`letters::fold`], but for young ones: groups with those are not asked for.
pub(crate) fn find(connection: &Connection, text: &str) -> Result<Option<BTreeSet<u64>>> {
    let text: Vec<char> = letters::fold(text).chars().collect();
    let sure = |group: &&[char]| !group.iter().any(|letter| *letter == '\0' || letters::is_young(*letter));
    let groups: BTreeSet<String> = text.windows(3).filter(sure).map(|group| group.iter().collect()).collect();
    if groups.is_empty() || connection.file().is_none() {
        return Ok(None);
    }
    let all: Vec<String> = groups.iter().map(|group| format!("\"{}\"", group.replace('"', "\"\""))).collect();
    let mut statement = connection.prepare_cached("SELECT rowid FROM audit_text WHERE audit_text MATCH ? LIMIT ?")?;
    let found = statement.query_map(params![all.join(" AND "), COMMON + 1], |row| row.get(0))?;
    let found: BTreeSet<u64> = found.collect::<sql::Result<_>>()?;
    Ok((found.len() <= COMMON).then_some(found))
}

pub(crate) fn add_tags(connection: &Connection, seq: u64, tags: &[String]) -> Result<()> {
    if tags.is_empty() {
        return Ok(());
    }
    let mut insert = connection.prepare_cached("INSERT OR IGNORE INTO audit_tag (tag, seq) VALUES (?, ?)")?;
    for tag in tags {
        insert.send(params![tag, seq])?;
    }
    Ok(())
}

/// Retention.
pub(crate) fn remove_before(connection: &Connection, seq: u64) -> Result<()> {
    connection.prepare_cached("DELETE FROM audit_tag WHERE seq < ?")?.execute([seq])?;
    if connection.file().is_none() {
        return Ok(());
    }
    let from: Option<u64> =
        connection.prepare_cached("SELECT min(seq) FROM audit_entry")?.query_row([], |row| row.get(0))?;
    let taken = taken_to(connection)?;
    let mut delete = connection.prepare_cached("DELETE FROM audit_text WHERE rowid = ?")?;
    for seq in from.unwrap_or(seq)..seq.min(taken) {
        delete.execute([seq])?;
    }
    if taken < seq {
        audit_meta::set(connection, TAKEN, &seq.to_string())?;
    }
    Ok(())
}
