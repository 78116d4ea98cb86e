//! Mail addresses in settings: `ada@example.org`, `Ada Lovelace <ada@example.org>`, several with commas, a list of these, or
//! `{name, address}`.

use crate::support::{setting, wrong_setting};
use serde_json::Value;
use signalbox_engine::effect::CallSlot;
use signalbox_model::NodeFailure;
use signalbox_ports::mail::MailAddress;

/// Addresses that one message may have in one setting.
const MOST: usize = 1_000;
/// Longest name or address, characters.
const LONGEST: usize = 1_000;

fn invalid(field: &str, words: String) -> NodeFailure {
    NodeFailure::validation("INPUT_INVALID", words).detail("field", field)
}

/// The addresses of a setting; none where it is absent.
pub(crate) fn list(slot: &CallSlot, field: &str) -> Result<Vec<MailAddress>, NodeFailure> {
    let mut all = Vec::new();
    match setting(slot, field) {
        None => {}
        Some(Value::Array(entries)) => {
            for (at, entry) in entries.iter().enumerate() {
                add(&format!("{field}.{at}"), entry, &mut all)?;
            }
        }
        Some(other) => add(field, other, &mut all)?,
    }
    if all.len() > MOST {
        return Err(invalid(field, format!("'{field}' has more than {MOST} addresses; send several messages")));
    }
    Ok(all)
}

fn add(field: &str, entry: &Value, all: &mut Vec<MailAddress>) -> Result<(), NodeFailure> {
    match entry {
        Value::Null => Ok(()),
        Value::String(text) => {
            clean(field, text)?;
            all.extend(split(text).map(read));
            Ok(())
        }
        Value::Object(fields) => {
            let text = |key: &str| fields.get(key).filter(|value| !value.is_null());
            let Some(Value::String(address)) = text("address") else {
                return Err(wrong_setting(field, "an address: text, or {name, address}", entry));
            };
            let name = match text("name") {
                None => None,
                Some(Value::String(name)) => Some(name.clone()),
                Some(other) => return Err(wrong_setting(&format!("{field}.name"), "text", other)),
            };
            clean(field, address)?;
            clean(field, name.as_deref().unwrap_or_default())?;
            all.push(MailAddress { name, address: address.trim().to_owned() });
            Ok(())
        }
        other => Err(wrong_setting(field, "an address: text, or {name, address}", other)),
    }
}

/// A line break would let a text add headers or recipients of its own.
fn clean(field: &str, text: &str) -> Result<(), NodeFailure> {
    if text.chars().any(char::is_control) {
        return Err(invalid(field, format!("'{field}' has a line break or another control character")));
    }
    if text.chars().count() > LONGEST * MOST {
        return Err(invalid(field, format!("'{field}' is too long")));
    }
    Ok(())
}

/// The entries of a text; commas and semicolons between quotes divide nothing.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |c: char| {
        let divides = !quoted && matches!(c, ',' | ';');
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        divides
    })
    .filter(|entry| !entry.trim().is_empty())
}

/// `Name <address>`, or an address alone. Whether it is one is said by whoever sends it.
fn read(entry: &str) -> MailAddress {
    let entry = entry.trim();
    let Some((name, address)) = entry.strip_suffix('>').and_then(|rest| rest.rsplit_once('<')) else {
        return MailAddress { name: None, address: entry.to_owned() };
    };
    let name = name.trim();
    let plain = match name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(quoted) => quoted.replace("\\\"", "\"").replace("\\\\", "\\"),
        None => name.to_owned(),
    };
    MailAddress { name: (!plain.is_empty()).then_some(plain), address: address.trim().to_owned() }
}

#[cfg(test)]
mod tests;
