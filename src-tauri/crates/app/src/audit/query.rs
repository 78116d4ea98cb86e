//! The text of an audit query: `event:HITL_COMPLETED since:2026-11-22 "words together"`.

use crate::app::App;
use crate::caller::Caller;
use crate::error::{ApiError, ApiResult};
use signalbox_model::{AuditEvent, time};
use signalbox_store::AuditQuery;
use signalbox_store::audit::Level;

/// What narrows a query.
const NAMES: &[&str] =
    &["actor", "event", "run", "workflow", "workspace", "node", "error.type", "tag", "level", "since", "until", "text"];

/// Before the reference of an error; it stands alone in a query.
const REFERENCE: &str = "ref:audit:";
const DAY_MS: i64 = 86_400_000;
/// Letters of the number that people are shown of a run: the last ones of its id.
const NUMBER: usize = 6;

/// Reads a query of somebody who may see only some workspaces: nothing in the others is found, named or counted.
pub(crate) fn read_for(app: &App, caller: &Caller, text: Option<&str>) -> ApiResult<AuditQuery> {
    let Some(listed) = caller.listed_workspaces() else { return read(app, text) };
    if text.is_some_and(|text| text.trim().starts_with(REFERENCE)) {
        let hint = "Look for run: with the id of the run, and level:ERROR.";
        return Err(ApiError::bad_request("A reference of an error is not looked up here.", hint));
    }
    // Numbers of runs are looked up among all runs: here a run is named by its id.
    let mut query = parse(text.unwrap_or_default(), app.now_ms())?;
    let asked = query.workspaces.take();
    query.workspaces = Some(match asked {
        Some(asked) => listed.into_iter().filter(|name| asked.contains(name)).collect(),
        None => listed,
    });
    Ok(query)
}

/// Reads a query. A run may be named by its number.
pub(crate) fn read(app: &App, text: Option<&str>) -> ApiResult<AuditQuery> {
    if let Some(reference) = text.and_then(|text| text.trim().strip_prefix(REFERENCE)) {
        return of_error(app, reference);
    }
    let mut query = parse(text.unwrap_or_default(), app.now_ms())?;
    for run in query.run.iter_mut().chain(&mut query.without.runs) {
        if run.len() != NUMBER || !run.bytes().all(|letter| letter.is_ascii_hexdigit()) {
            continue;
        }
        let number = run.to_ascii_lowercase();
        let mut found = app.store.runs_ending(&number, 2)?;
        if found.len() > 1 {
            return Err(ApiError::bad_request(
                format!("Several runs have the number {number}."),
                "Write run: with the full id, which is shown in the run and in its address.",
            ));
        }
        if let Some(id) = found.pop() {
            *run = id;
        }
    }
    Ok(query)
}

/// The entry of an error by its `provenanceRef`, `RUN:EVENT`: the one that was made of that event, at the same moment.
fn of_error(app: &App, reference: &str) -> ApiResult<AuditQuery> {
    let wrong = || {
        let message = format!("'{REFERENCE}{reference}' names no error of a run.");
        ApiError::bad_request(message, "Copy provenanceRef of an error whose run is kept, and write ref: before it.")
    };
    let (run, number) = reference.split_once(':').ok_or_else(wrong)?;
    let after = number.parse::<u64>().ok().and_then(|number| number.checked_sub(1)).ok_or_else(wrong)?;
    let event = app.store.events(run, after, 1)?.pop().ok_or_else(wrong)?;
    let at = time::parse(&event.ts);
    Ok(AuditQuery {
        run: Some(event.run_id),
        node: event.step_id,
        event: Some(AuditEvent::NodeError.as_str().to_owned()),
        since_ms: at,
        until_ms: at,
        ..AuditQuery::default()
    })
}

/// Reads a query. `now_ms` is what `since:2h` counts from. A minus before a qualifier, a quotation mark or a letter leaves
/// out what follows; a number below zero is looked for as it stands.
pub(crate) fn parse(text: &str, now_ms: i64) -> ApiResult<AuditQuery> {
    let mut query = AuditQuery::default();
    for token in tokens(text) {
        let rest =
            token.strip_prefix('-').filter(|rest| rest.starts_with('"') || rest.starts_with(char::is_alphabetic));
        let (name, value) = part(rest.unwrap_or(&token));
        if value.is_empty() {
            // Half of a qualifier while it is typed.
            continue;
        }
        if rest.is_some() {
            leave_out(&mut query, &token, name, value)?;
            continue;
        }
        match name {
            "actor" => query.actor = Some(actor(value)),
            "event" => query.event = Some(value),
            "run" => query.run = Some(value),
            "workflow" => query.workflow = Some(value),
            "node" => query.node = Some(value),
            "workspace" => query.workspaces.get_or_insert_default().push(value),
            "error.type" => query.error_type = Some(value),
            "tag" => query.tag = Some(value),
            "level" => query.level = Some(level(&value)?),
            "since" => query.since_ms = Some(moment(&value, now_ms, false)?),
            "until" => query.until_ms = Some(moment(&value, now_ms, true)?),
            _ => query.text.push(value),
        }
    }
    Ok(query)
}

/// A qualifier and its value; everything else is a text, also with a colon inside, such as `user:anna` or a time.
fn part(token: &str) -> (&str, String) {
    match token.split_once(':') {
        Some((name, value)) if NAMES.contains(&name) => (name, value.replace('"', "")),
        _ => ("text", token.replace('"', "")),
    }
}

/// An actor as the chain names it: people read "engine" where it says `system`.
fn actor(value: String) -> String {
    if value == "engine" { "system".to_owned() } else { value }
}

fn leave_out(query: &mut AuditQuery, token: &str, name: &str, value: String) -> ApiResult<()> {
    let without = &mut query.without;
    match name {
        "actor" => without.actors.push(actor(value)),
        "event" => without.events.push(value),
        "run" => without.runs.push(value),
        "workflow" => without.workflows.push(value),
        "node" => without.nodes.push(value),
        "error.type" => without.error_types.push(value),
        "tag" => without.tags.push(value),
        "level" => without.levels.push(level(&value)?),
        "workspace" => {
            let message = format!("'{token}': a workspace cannot be left out.");
            return Err(ApiError::bad_request(message, "Write workspace:NAME for each one that you look for."));
        }
        "since" | "until" => {
            let other = if name == "since" { "until" } else { "since" };
            return Err(ApiError::bad_request(
                format!("'{token}': a time cannot be left out."),
                format!("Write {other}:{value} for the entries on the other side of it."),
            ));
        }
        _ => without.texts.push(value),
    }
    Ok(())
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
        ApiError::bad_request(format!("'{text}' is not a level."), "Levels are INFO, WARN, ERROR and CRITICAL.")
    })
}

/// RFC 3339, a day (`today` and `yesterday` as well; days are those of UTC), or a span before now such as `30m`, `2h`, `7d`.
fn moment(text: &str, now_ms: i64, end: bool) -> ApiResult<i64> {
    let span = || {
        let text = text.trim_start_matches('-');
        let unit = text.chars().next_back()?;
        let number = text.strip_suffix(unit)?;
        let unit = match unit {
            's' => 1_000,
            'm' => 60_000,
            'h' => 3_600_000,
            'd' => DAY_MS,
            'w' => 604_800_000,
            _ => return None,
        };
        now_ms.checked_sub(number.parse::<i64>().ok()?.checked_mul(unit)?)
    };
    let day = || {
        let start = match text {
            "today" => now_ms - now_ms.rem_euclid(DAY_MS),
            "yesterday" => now_ms - now_ms.rem_euclid(DAY_MS) - DAY_MS,
            _ => time::parse(&format!("{text}T00:00:00Z"))?,
        };
        Some(if end { start + DAY_MS - 1 } else { start })
    };
    time::parse(text).or_else(day).or_else(span).ok_or_else(|| {
        ApiError::bad_request(
            format!("'{text}' is no time."),
            "Write today, yesterday, 2026-11-22, 2026-11-22T10:00:00Z, or a span such as 30m, 2h, 7d.",
        )
    })
}

#[cfg(test)]
mod tests;
