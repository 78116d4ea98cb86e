//! JSON and CSV texts in and out, with errors that say where.

use serde_json::{Map, Value};
use signalbox_model::{NodeFailure, digits};
use std::collections::HashSet;

/// Largest text or file that becomes data (TRUST, Store rules).
pub(crate) const MAX_BYTES: usize = 64 * 1024 * 1024;

fn snippet(text: &str) -> String {
    let mut out: String = text.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(60).is_some() {
        out.push('…');
    }
    out
}

/// A text without its byte order mark.
pub(crate) fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Parses JSON; `what` names the text in the message ("The text", "The file 'a.json'").
pub(crate) fn parse_json(text: &str, what: &str) -> Result<Value, NodeFailure> {
    let text = without_bom(text);
    if text.len() > MAX_BYTES {
        return Err(too_large(what, text.len() as u64));
    }
    let parsed = serde_json::from_str(text).map_err(|error| {
        let message = if text.trim().is_empty() {
            format!("{what} is empty, and JSON was expected")
        } else {
            let words = error.to_string();
            let why = words.split(" at line ").next().unwrap_or_default();
            let why = if why.contains("recursion limit") { "it is nested deeper than 128 levels" } else { why };
            format!("{what} is not JSON: {why} (line {}, column {})", error.line(), error.column())
        };
        NodeFailure::validation("NON_JSON", message)
            .detail("line", error.line())
            .detail("column", error.column())
            .detail("begins", snippet(text))
    })?;
    match digits::lost(text) {
        Some(lost) => Err(digits_lost(&lost, what)),
        None => Ok(parsed),
    }
}

/// A number of a text that a value cannot hold; `what` names the text.
pub(crate) fn digits_lost(lost: &digits::Lost, what: &str) -> NodeFailure {
    NodeFailure::validation("NUMBER_TOO_LONG", format!("{what} cannot be read without a change: {}", lost.told()))
        .detail("path", lost.path.clone())
        .detail("number", lost.written.clone())
        .detail("line", lost.line)
        .detail("column", lost.column)
}

/// Above the limit of every text.
pub(crate) fn too_large(what: &str, size: u64) -> NodeFailure {
    over(what, size, MAX_BYTES as u64)
}

/// Above a limit, in bytes.
pub(crate) fn over(what: &str, size: u64, limit: u64) -> NodeFailure {
    const MIB: u64 = 1024 * 1024;
    let most = if limit >= MIB { format!("{} MiB", limit / MIB) } else { format!("{} KiB", limit / 1024) };
    NodeFailure::validation("TOO_LARGE", format!("{what} has {size} bytes, more than the limit of {most}"))
        .detail("size", size)
        .detail("limit", limit)
}

/// Bytes as UTF-8 text.
pub(crate) fn utf8(bytes: Vec<u8>, what: &str) -> Result<String, NodeFailure> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        NodeFailure::validation(
            "NOT_TEXT",
            format!("{what} is not UTF-8 text (byte {}). Save it as UTF-8, or read it as binary", at + 1),
        )
        .detail("byte", at + 1)
    })
}

fn bad_csv(what: &str, line: u64, why: &str) -> NodeFailure {
    NodeFailure::validation("BAD_CSV", format!("{what} is not a CSV table: line {line} {why}")).detail("line", line)
}

/// Parses CSV with a header line into a list of objects; every value is text.
pub(crate) fn parse_csv(text: &str, what: &str) -> Result<Value, NodeFailure> {
    let text = without_bom(text);
    if text.len() > MAX_BYTES {
        return Err(too_large(what, text.len() as u64));
    }
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut header: Vec<String> = Vec::new();
    let mut names: HashSet<String> = HashSet::new();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(1, csv::Position::line);
            bad_csv(what, line, &error.to_string())
        })?;
        let line = record.position().map_or(1, csv::Position::line);
        if header.is_empty() {
            for (column, name) in record.iter().enumerate() {
                let name = name.trim();
                if name.is_empty() {
                    return Err(bad_csv(what, line, &format!("has no name for column {}", column + 1)));
                }
                if !names.insert(name.to_owned()) {
                    return Err(bad_csv(what, line, &format!("names the column '{name}' twice")));
                }
                header.push(name.to_owned());
            }
            continue;
        }
        if record.len() != header.len() {
            let why = format!("has {} values, the header names {} columns", record.len(), header.len());
            return Err(bad_csv(what, line, &why));
        }
        let row: Map<String, Value> =
            header.iter().cloned().zip(record.iter().map(|value| Value::String(value.to_owned()))).collect();
        rows.push(Value::Object(row));
    }
    Ok(Value::Array(rows))
}

/// Writes a list of objects (or one object) as CSV; columns in order of first appearance.
pub(crate) fn format_csv(value: &Value, what: &str) -> Result<String, NodeFailure> {
    let single = std::slice::from_ref(value);
    let rows = match value {
        Value::Array(list) => list.as_slice(),
        Value::Object(_) => single,
        other => return Err(not_rows(what, &format!("it is {}", crate::support::kind_of(other)))),
    };
    let mut columns: Vec<&str> = Vec::new();
    let mut seen = HashSet::new();
    for (index, row) in rows.iter().enumerate() {
        let Value::Object(map) = row else {
            return Err(not_rows(what, &format!("element [{index}] is {}", crate::support::kind_of(row))));
        };
        columns.extend(map.keys().map(String::as_str).filter(|name| seen.insert(*name)));
    }
    if columns.is_empty() {
        return Ok(String::new());
    }
    // Rows that have nothing in common make a table of mostly empty cells, each of them at least a comma.
    let cells = columns.len().saturating_mul(rows.len());
    if cells > MAX_BYTES {
        return Err(too_large(&format!("{what} as a table of {} columns", columns.len()), cells as u64));
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    let io = |error: csv::Error| not_rows(what, &error.to_string());
    writer.write_record(&columns).map_err(io)?;
    for row in rows {
        let cells = columns.iter().map(|name| match row.get(*name) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        });
        writer.write_record(cells).map_err(io)?;
    }
    let bytes = writer.into_inner().map_err(|error| not_rows(what, &error.to_string()))?;
    utf8(bytes, what)
}

fn not_rows(what: &str, why: &str) -> NodeFailure {
    NodeFailure::validation("SCHEMA_MISMATCH", format!("{what} cannot become CSV: {why}; a list of objects is needed"))
}

#[cfg(test)]
mod tests;
