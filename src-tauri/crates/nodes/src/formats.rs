//! JSON texts, and the limits and errors of every text that becomes data. CSV is in `csv_table`.

use crate::memory;
use serde_json::Value;
use signalbox_model::data::{TEXT_FROM, compact};
use signalbox_model::lossless::{self, Loss};
use signalbox_model::{NodeFailure, digits};

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

/// What a text was read as.
#[derive(Debug, PartialEq)]
pub(crate) enum Content {
    Values(Value),
    /// The compact JSON of many values, behind what stood before it.
    Text(String),
}

/// Reads JSON as [`parse_json`] does. A large one stays text, and is appended to what stands `before` it.
pub(crate) fn read_json(text: &str, what: &str, mut before: String) -> Result<Content, NodeFailure> {
    let plain = without_bom(text);
    if (TEXT_FROM..=MAX_BYTES).contains(&plain.len()) && memory::of_json(plain) <= memory::most(plain.len()) {
        before.reserve(plain.len());
        if compact(plain, &mut before) {
            // A member that occurs twice is refused by `compact` already.
            return match digits::lost(plain) {
                Some(lost) => Err(would_change(&Loss::Number(lost), what)),
                None => Ok(Content::Text(before)),
            };
        }
    }
    // Small, or with an error that is found and told here.
    parse_json(text, what).map(Content::Values)
}

/// Parses JSON; `what` names the text in the message ("The text", "The file 'a.json'").
pub(crate) fn parse_json(text: &str, what: &str) -> Result<Value, NodeFailure> {
    let text = without_bom(text);
    if text.len() > MAX_BYTES {
        return Err(too_large(what, text.len() as u64));
    }
    memory::fits(memory::of_json(text), text.len(), what)?;
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
    match lossless::loss(text) {
        Some(loss) => Err(would_change(&loss, what)),
        None => Ok(parsed),
    }
}

/// What aliases of one YAML text may add, in events of its reader: 14 MB at most. A short text with aliases of aliases would
/// take a hundred thousand times its size (the library's own limit lets it take 280 MB).
const ALIAS_EVENTS: usize = 50_000;

/// How YAML is read here, wherever it comes from.
#[must_use]
pub fn yaml_options() -> serde_saphyr::Options {
    let mut options = serde_saphyr::Options::default();
    options.alias_limits.max_total_replayed_events = ALIAS_EVENTS;
    // The library refuses an anchor that is used a hundred times, however small it is.
    options.budget.get_or_insert_default().enforce_alias_anchor_ratio = false;
    options
}

/// Reads one YAML document.
pub(crate) fn read_yaml(text: &str) -> Result<Value, NodeFailure> {
    serde_saphyr::from_str_with_options::<Value>(text, yaml_options()).map_err(|error| {
        let line = error.location().map_or(0, |location| location.line());
        let words = match error.without_snippet() {
            // Its words for developers name an option of the library.
            repeated @ serde_saphyr::Error::DuplicateMappingKey { .. } => {
                repeated.render_with_formatter(&serde_saphyr::UserMessageFormatter)
            }
            other => other.to_string(),
        };
        let why: String = words.lines().next().unwrap_or_default().chars().take(200).collect();
        NodeFailure::validation("BAD_YAML", format!("The text is not YAML: {why}")).detail("line", line)
    })
}

/// Writes a value as YAML.
pub(crate) fn write_yaml(value: &Value) -> Result<String, NodeFailure> {
    serde_saphyr::to_string(value)
        .map_err(|error| NodeFailure::validation("SCHEMA_MISMATCH", format!("The value cannot become YAML: {error}")))
}

/// What a text has that a value cannot hold; `what` names the text.
pub(crate) fn would_change(loss: &Loss, what: &str) -> NodeFailure {
    let words = format!("{what} cannot be read without a change: {}", loss.told());
    match loss {
        Loss::Number(lost) => NodeFailure::validation("NUMBER_TOO_LONG", words)
            .detail("path", lost.path.clone())
            .detail("number", lost.written.clone())
            .detail("line", lost.line)
            .detail("column", lost.column),
        Loss::Member(repeated) => {
            let way_out = "Have it sent once, or read it as text; JSON.parse in a script keeps the last value";
            NodeFailure::validation("DUPLICATE_MEMBER", format!("{words}. {way_out}"))
                .detail("path", repeated.path.clone())
                .detail("line", repeated.line)
                .detail("column", repeated.column)
        }
    }
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

#[cfg(test)]
mod tests;
