//! The cutting of an event that is text: the same as of values, without making a tree of what may be a large table.

use super::{WIRE_LIMIT, depth_of};
use crate::diagnostic::pointer_token;
use crate::spans::{end_of_text, is_container, parts};
use serde_json::json;

/// The text of an event, cut as [`super::truncate_event`] cuts it.
pub(super) fn cut(event: &str, run_id: &str, seq: u64) -> String {
    let mut out = String::new();
    rebuilt(event, &mut out, &mut |name, value, out| {
        if name != "payload" || !value.starts_with('{') {
            out.push_str(value);
            return true;
        }
        rebuilt(value, out, &mut |name, value, out| {
            let reference = || format!("{run_id}/{seq}/payload/{}", pointer_token(name));
            shrink(value, &reference, depth_of(name), out);
            true
        });
        true
    });
    out
}

/// Writes a container again with other values; its keys and places are told. Ends early when told so.
fn rebuilt(text: &str, out: &mut String, with: &mut dyn FnMut(&str, &str, &mut String) -> bool) {
    let (open, close) = if text.starts_with('{') { ('{', '}') } else { ('[', ']') };
    out.push(open);
    for (index, part) in parts(text).enumerate() {
        if index > 0 {
            out.push(',');
        }
        let place = match part.name {
            Some(name) => {
                out.push_str(name);
                out.push(':');
                part.read_name().unwrap_or_default()
            }
            None => index.to_string(),
        };
        if !with(&place, part.value, out) {
            return;
        }
    }
    out.push(close);
}

fn shrink(text: &str, reference: &dyn Fn() -> String, depth: usize, out: &mut String) {
    if depth > 0 && is_container(text) {
        return rebuilt(text, out, &mut |place, value, out| {
            shrink(value, &|| format!("{}/{}", reference(), pointer_token(place)), depth - 1, out);
            true
        });
    }
    let Some(short) = short(text, reference) else { return out.push_str(text) };
    if !is_container(text) {
        return out.push_str(&short);
    }
    // One large part is cut alone when that is enough; many small ones are cut together.
    let mut partly = String::new();
    rebuilt(text, &mut partly, &mut |place, value, partly| {
        match self::short(value, &|| format!("{}/{}", reference(), pointer_token(place))) {
            Some(short) => partly.push_str(&short),
            None => partly.push_str(value),
        }
        // A letter of three bytes is one UTF-16 unit, one of four is two: it is too long already.
        partly.len() <= 3 * WIRE_LIMIT
    });
    out.push_str(if units(&partly) > WIRE_LIMIT { &short } else { &partly });
}

fn units(text: &str) -> usize {
    // A text has at most as many UTF-16 units as bytes.
    if text.len() <= WIRE_LIMIT { text.len() } else { text.encode_utf16().count() }
}

/// What stands in the place of a value that is too long.
fn short(text: &str, reference: &dyn Fn() -> String) -> Option<String> {
    let length = units(text);
    if length <= WIRE_LIMIT {
        return None;
    }
    let kind = match text.as_bytes().first() {
        Some(b'"') => "string",
        Some(b'[') => "array",
        Some(b'{') => "object",
        _ => "number",
    };
    let begins = if kind == "string" { beginning(text) } else { text.chars().take(200).collect() };
    let preview = super::preview(&begins);
    Some(
        json!({ "_truncated": true, "type": kind, "length": length, "preview": preview, "ref": reference() })
            .to_string(),
    )
}

/// The first letters of a JSON string, more than a preview shows.
fn beginning(text: &str) -> String {
    let mut end = 1;
    for _ in 0..200 {
        let Some(rest) = text.get(end..) else { break };
        end += match rest.as_bytes().first() {
            None | Some(b'"') => break,
            Some(b'\\') if rest.as_bytes().get(1) == Some(&b'u') => 6,
            Some(b'\\') => 2,
            Some(_) => rest.chars().next().map_or(1, char::len_utf8),
        };
    }
    debug_assert!(end <= end_of_text(text.as_bytes(), 0));
    serde_json::from_str(&format!("{}\"", text.get(..end).unwrap_or("\""))).unwrap_or_default()
}
