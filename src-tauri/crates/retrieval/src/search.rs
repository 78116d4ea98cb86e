//! Finds passages: ordered by BM25, and scored by the share of the question's words that they have.

use crate::filter::fits;
use crate::index::{Result, failed, has_pages, open};
use crate::terms;
use crate::vectors::nearest;
use rusqlite::{Connection, params};
use signalbox_ports::retrieval::{Passage, QueryVector, RetrievalError, Search};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Title and headings say more than a word of the text.
const BEST_FIRST: &str = "SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY bm25(words, 1.0, 2.0), rowid";

/// How many passages of each order are put together.
const CANDIDATES: usize = 100;
/// Keeps the first place of one order from outweighing good places in both (the usual constant of reciprocal rank fusion).
const RANK_OFFSET: f64 = 60.0;

/// Passages that have words of the question, the best first.
pub(crate) fn search(file: &Path, search: &Search) -> Result<Vec<Passage>> {
    let terms = terms::of_question(&search.query);
    if terms.is_empty() {
        let message = "The question has no letter and no digit: there is nothing to look for".into();
        return Err(RetrievalError::Invalid { field: "query", message });
    }
    let connection = open(file, false, false)?;
    // One state of the index for all that is asked.
    connection.execute_batch("BEGIN").map_err(failed)?;
    let mut found = match &search.vector {
        None => best(&connection, &terms, search, search.top)?,
        Some(query) => fused(&connection, &terms, search, query)?,
    };
    score(&connection, &terms, &mut found)?;
    Ok(found.into_iter().map(|(_, passage)| passage).collect())
}

fn best(connection: &Connection, terms: &[String], search: &Search, most: usize) -> Result<Vec<(i64, Passage)>> {
    let any: Vec<String> = terms.iter().map(|term| terms::quoted(term)).collect();
    let mut matching = connection.prepare(BEST_FIRST).map_err(failed)?;
    let mut rows = matching.query([any.join(" OR ")]).map_err(failed)?;
    let mut found = Vec::new();
    while found.len() < most
        && let Some(row) = rows.next().map_err(failed)?
    {
        let chunk = row.get(0).map_err(failed)?;
        let passage = passage(connection, chunk)?;
        if fits(&passage.metadata, &search.filter) {
            found.push((chunk, passage));
        }
    }
    Ok(found)
}

/// Both orders put together by reciprocal rank: what is high in one of them, or somewhere in both, comes first.
fn fused(
    connection: &Connection,
    terms: &[String],
    search: &Search,
    query: &QueryVector,
) -> Result<Vec<(i64, Passage)>> {
    let words: Vec<i64> = best(connection, terms, search, CANDIDATES)?.into_iter().map(|(chunk, _)| chunk).collect();
    let near = nearest(connection, query, &search.filter, CANDIDATES)?;
    let mut points: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
    let point = |rank: usize| 1.0 / (RANK_OFFSET + rank as f64 + 1.0);
    for (rank, chunk) in words.into_iter().enumerate() {
        points.entry(chunk).or_default().0 += point(rank);
    }
    for (rank, (chunk, cosine)) in near.into_iter().enumerate() {
        let entry = points.entry(chunk).or_default();
        entry.0 += point(rank);
        entry.1 = cosine;
    }
    let mut order: Vec<(i64, (f64, f64))> = points.into_iter().collect();
    // Stable: equal ones stay in the order of the index.
    order.sort_by(|(_, one), (_, other)| other.0.total_cmp(&one.0));
    order.truncate(search.top);
    let with = |(chunk, (_, cosine)): (i64, (f64, f64))| {
        let mut passage = passage(connection, chunk)?;
        passage.score = cosine;
        Ok((chunk, passage))
    };
    order.into_iter().map(with).collect()
}

fn passage(connection: &Connection, chunk: i64) -> Result<Passage> {
    let page = if has_pages(connection)? { "c.page" } else { "NULL" };
    let sql = format!(
        "SELECT c.text, d.id, d.title, c.start, c.end, c.heading, d.metadata, {page} \
         FROM chunks c JOIN documents d ON d.doc = c.doc WHERE c.chunk = ?1"
    );
    let mut select = connection.prepare_cached(&sql).map_err(failed)?;
    let read = |row: &rusqlite::Row<'_>| {
        let metadata: String = row.get(6)?;
        Ok(Passage {
            text: row.get(0)?,
            score: 0.0,
            document: row.get(1)?,
            title: row.get(2)?,
            start: row.get(3)?,
            end: row.get(4)?,
            heading: row.get(5)?,
            page: row.get(7)?,
            metadata: serde_json::from_str(&metadata).unwrap_or_default(),
        })
    };
    select.query_row(params![chunk], read).map_err(failed)
}

/// What a word says about a passage: a rare one more than a frequent one (the weight of BM25).
fn score(connection: &Connection, terms: &[String], found: &mut [(i64, Passage)]) -> Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    let total: f64 = connection.query_row("SELECT count(*) FROM chunks", [], |row| row.get(0)).map_err(failed)?;
    let places: HashMap<i64, usize> = found.iter().enumerate().map(|(at, (chunk, _))| (*chunk, at)).collect();
    let mut weights = vec![0.0; found.len()];
    let mut all = 0.0;
    let mut having = connection.prepare("SELECT rowid FROM words WHERE words MATCH ?1").map_err(failed)?;
    for term in terms {
        let (mut count, mut here) = (0.0, Vec::<usize>::new());
        let mut rows = having.query([terms::quoted(term)]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            count += 1.0;
            here.extend(places.get(&row.get(0).map_err(failed)?));
        }
        let weight = (1.0_f64 + (total - count + 0.5) / (count + 0.5)).ln();
        all += weight;
        here.into_iter().for_each(|at: usize| weights[at] += weight);
    }
    for ((_, passage), weight) in found.iter_mut().zip(weights) {
        // Four digits: more of them say nothing.
        passage.score = (passage.score.max(weight / all).clamp(0.0, 1.0) * 10_000.0).round() / 10_000.0;
    }
    Ok(())
}
