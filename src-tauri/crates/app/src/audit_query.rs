//! The text of an audit query: `event:HITL_COMPLETED since:2026-11-22 "words together"`.

use crate::error::{ApiError, ApiResult};
use signalbox_model::time;
use signalbox_store::AuditQuery;
use signalbox_store::audit::Level;

/// What narrows a query.
const NAMES: &[&str] =
    &["actor", "event", "run", "workflow", "node", "error.type", "tag", "level", "since", "until", "text"];

/// Reads a query. `now_ms` is what `since:2h` counts from.
pub(crate) fn parse(text: &str, now_ms: i64) -> ApiResult<AuditQuery> {
    let mut query = AuditQuery::default();
    for token in tokens(text) {
        let (name, value) = match token.split_once(':') {
            Some((name, value)) if !name.contains('"') => (name, value.replace('"', "")),
            _ => ("text", token.replace('"', "")),
        };
        if value.is_empty() {
            // Half of a qualifier while it is typed.
            continue;
        }
        if let Some(known) = name.strip_prefix('-').filter(|name| NAMES.contains(name)) {
            // Looked for as letters it would find nothing, and nobody would know why.
            return Err(ApiError::bad_request(
                format!("'{token}': a query cannot leave anything out."),
                format!("Write {known}:{value} to see only these. In quotes, the letters themselves are looked for."),
            ));
        }
        match name {
            "actor" => query.actor = Some(value),
            "event" => query.event = Some(value),
            "run" => query.run = Some(value),
            "workflow" => query.workflow = Some(value),
            "node" => query.node = Some(value),
            "error.type" => query.error_type = Some(value),
            "tag" => query.tag = Some(value),
            "level" => query.level = Some(level(&value)?),
            "since" => query.since_ms = Some(moment(&value, now_ms, false)?),
            "until" => query.until_ms = Some(moment(&value, now_ms, true)?),
            "text" => query.text.push(value),
            // A colon inside a free word, such as `user:anna` or a time.
            _ => query.text.push(token.replace('"', "")),
        }
    }
    Ok(query)
}

/// Words; quoted texts are kept whole.
fn tokens(text: &str) -> Vec<String> {
    let (mut tokens, mut token, mut quoted) = (Vec::new(), String::new(), false);
    for c in text.chars() {
        match c {
            '"' => {
                quoted = !quoted;
                token.push(c);
            }
            c if c.is_whitespace() && !quoted => {
                tokens.extend(Some(std::mem::take(&mut token)).filter(|token| !token.is_empty()));
            }
            c => token.push(c),
        }
    }
    tokens.extend(Some(token).filter(|token| !token.is_empty()));
    tokens
}

/// A level of the chain by its name.
pub(crate) fn level(text: &str) -> ApiResult<Level> {
    Level::parse(&text.to_ascii_uppercase()).ok_or_else(|| {
        ApiError::bad_request(format!("'{text}' is no level."), "Levels are INFO, WARN, ERROR and CRITICAL.")
    })
}

/// RFC 3339, a day, or a span before now such as `30m`, `2h`, `7d`.
fn moment(text: &str, now_ms: i64, end: bool) -> ApiResult<i64> {
    let span = || {
        let text = text.trim_start_matches('-');
        let unit = text.chars().next_back()?;
        let number = text.strip_suffix(unit)?;
        let unit = match unit {
            's' => 1_000,
            'm' => 60_000,
            'h' => 3_600_000,
            'd' => 86_400_000,
            'w' => 604_800_000,
            _ => return None,
        };
        now_ms.checked_sub(number.parse::<i64>().ok()?.checked_mul(unit)?)
    };
    let day = || {
        let start = time::parse(&format!("{text}T00:00:00Z"))?;
        Some(if end { start + 86_399_999 } else { start })
    };
    time::parse(text).or_else(day).or_else(span).ok_or_else(|| {
        ApiError::bad_request(
            format!("'{text}' is no time."),
            "Write 2026-11-22, 2026-11-22T10:00:00Z, or a span such as 30m, 2h, 7d.",
        )
    })
}

#[cfg(test)]
mod tests;
