//! Vectors of passages, and the passages whose vectors are nearest to that of a question (ADR 122).

use crate::filter::fits;
use crate::index::{Result, failed, open};

use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::{Map, Value};
use signalbox_ports::retrieval::{QueryVector, RetrievalError};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::Path;

/// Most numbers of a vector.
const MOST_DIMENSIONS: usize = 8_192;

fn mismatch(message: impl Into<String>) -> RetrievalError {
    RetrievalError::Embedding { message: message.into() }
}

/// The model whose vectors an index has, and how many numbers they have.
fn model(connection: &Connection) -> Result<Option<(String, i64)>> {
    let found =
        connection.query_row("SELECT model, dimensions FROM embedding", [], |row| Ok((row.get(0)?, row.get(1)?)));
    found.optional().map_err(failed)
}

/// Passages without a vector of this model, and how many there are.
pub(crate) fn missing(file: &Path, wanted: &str, limit: usize) -> Result<Vec<(i64, String)>> {
    let connection = open(file, false, false)?;
    let is_other = model(&connection)?.is_some_and(|(model, _)| model != wanted);
    // Vectors of another model say nothing: all passages are missing.
    let sql = "SELECT chunk, coalesce(heading || char(10), '') || text FROM chunks \
               WHERE ?1 OR chunk NOT IN (SELECT chunk FROM vectors) ORDER BY chunk LIMIT ?2";
    let mut select = connection.prepare(sql).map_err(failed)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = select.query_map(params![is_other, limit], |row| Ok((row.get(0)?, row.get(1)?))).map_err(failed)?;
    rows.map(|row| row.map_err(failed)).collect()
}

/// Keeps vectors of passages; those of another model go.
pub(crate) fn put(file: &Path, name: &str, vectors: &[(i64, Vec<f32>)]) -> Result<()> {
    let connection = open(file, true, false)?;
    connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
    let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
        connection.prepare_cached(sql).and_then(|mut sql| sql.execute(values)).map_err(failed)
    };
    let known = model(&connection)?;
    let mut dimensions = match &known {
        Some((model, dimensions)) if model == name => Some(*dimensions),
        Some(_) => {
            run("DELETE FROM vectors", &[])?;
            run("DELETE FROM embedding", &[])?;
            None
        }
        None => None,
    };
    for (chunk, vector) in vectors {
        let count = i64::try_from(vector.len()).unwrap_or(i64::MAX);
        if dimensions.is_none() {
            run("INSERT INTO embedding (one, model, dimensions) VALUES (1, ?1, ?2)", &[&name, &count])?;
            dimensions = Some(count);
        }
        if dimensions != Some(count) {
            return Err(mismatch(format!(
                "The model '{name}' gave vectors of different lengths; index the documents again"
            )));
        }
        let blob = blob(&unit(vector)?);
        // A passage that was removed meanwhile needs none.
        run(
            "INSERT OR REPLACE INTO vectors (chunk, vector) SELECT chunk, ?2 FROM chunks WHERE chunk = ?1",
            &[chunk, &blob],
        )?;
    }
    connection.execute_batch("COMMIT").map_err(failed)
}

/// Of length 1, so that the cosine is a sum of products.
fn unit(vector: &[f32]) -> Result<Vec<f32>> {
    let length = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    if vector.is_empty() || vector.len() > MOST_DIMENSIONS || !length.is_finite() || length == 0.0 {
        let message = format!("A vector has 1 to {MOST_DIMENSIONS} numbers, not all of them 0");
        return Err(mismatch(message));
    }
    #[allow(clippy::cast_possible_truncation, reason = "vectors are kept as f32")]
    Ok(vector.iter().map(|x| (f64::from(*x) / length) as f32).collect())
}

fn blob(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn cosine(vector: &[f32], blob: &[u8]) -> f32 {
    // Eight sums at once, which the compiler makes one instruction each.
    let mut sums = [0.0_f32; 8];
    for (at, (x, bytes)) in vector.iter().zip(blob.chunks_exact(4)).enumerate() {
        let y = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        sums[at % 8] += x * y;
    }
    sums.iter().sum()
}

/// The nearest passages with their cosine, the nearest first; every vector is compared.
pub(crate) fn nearest(
    connection: &Connection,
    query: &QueryVector,
    filter: &Map<String, Value>,
    most: usize,
) -> Result<Vec<(i64, f64)>> {
    let Some((model, dimensions)) = model(connection)? else {
        return Err(mismatch("The index has no vectors; index the documents with an embedding model first"));
    };
    let count = query.vector.len();
    if model != query.model || i64::try_from(count) != Ok(dimensions) {
        return Err(mismatch(format!(
            "The vectors of the index are of '{model}' with {dimensions} numbers, that of the question is of '{}' with {count}; choose the same model or index again",
            query.model
        )));
    }
    let wanted = unit(&query.vector)?;
    let mut best: Vec<(i64, f32)> = Vec::with_capacity(most + 1);
    let mut allowed: HashMap<i64, bool> = HashMap::new();
    let mut metadata = connection.prepare("SELECT metadata FROM documents WHERE doc = ?1").map_err(failed)?;
    let sql = "SELECT v.chunk, v.vector, c.doc FROM vectors v JOIN chunks c ON c.chunk = v.chunk ORDER BY v.chunk";
    let mut all = connection.prepare(sql).map_err(failed)?;
    let mut rows = all.query([]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let cosine = match row.get_ref(1).map_err(failed)? {
            rusqlite::types::ValueRef::Blob(blob) if blob.len() == count * 4 => cosine(&wanted, blob),
            _ => return Err(RetrievalError::Damaged { message: "A vector has another length".into() }),
        };
        if best.len() == most && best.last().is_some_and(|(_, least)| *least >= cosine) {
            continue;
        }
        if !filter.is_empty() {
            let doc: i64 = row.get(2).map_err(failed)?;
            let fits = match allowed.get(&doc) {
                Some(fits) => *fits,
                None => {
                    let text: String = metadata.query_row([doc], |row| row.get(0)).map_err(failed)?;
                    let fits = fits(&serde_json::from_str(&text).unwrap_or_default(), filter);
                    allowed.insert(doc, fits);
                    fits
                }
            };
            if !fits {
                continue;
            }
        }
        let place = best.partition_point(|(_, other)| other.partial_cmp(&cosine) != Some(Ordering::Less));
        best.insert(place, (row.get(0).map_err(failed)?, cosine));
        best.truncate(most);
    }
    Ok(best.into_iter().map(|(chunk, cosine)| (chunk, f64::from(cosine))).collect())
}
