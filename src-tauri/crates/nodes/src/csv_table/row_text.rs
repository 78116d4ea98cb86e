//! A row that is compact JSON becomes a record of CSV without values of it: most rows of a table have the same fields in the same
//! order. What is written is what the values would give, to the byte; whatever is not plain here is left to them.

use super::write::Writer;
use signalbox_model::NodeFailure;
use signalbox_model::spans::{end_of_text, end_of_value, parts};

/// A name as JSON writes it before its value.
pub(super) fn head(name: &str) -> String {
    format!("{}:", serde_json::Value::from(name))
}

/// Whether a row is an object whose fields are some of the first of these, in this order.
pub(super) fn has_no_other(json: &str, heads: &[String]) -> bool {
    let mut heads = heads.iter();
    let is_next = |name: Option<&str>| name.is_some() && heads.next().and_then(|head| head.strip_suffix(':')) == name;
    json.starts_with('{') && parts(json).map(|part| part.name).all(is_next)
}

/// Writes a record; `None` when the row does not have exactly these fields in this order, and something may have been written.
pub(super) fn write(json: &str, heads: &[String], out: &mut Writer, what: &str) -> Option<Result<(), NodeFailure>> {
    if heads.is_empty() {
        return None;
    }
    let began = out.length();
    let mut rest = json.strip_prefix('{')?;
    for (place, head) in heads.iter().enumerate() {
        if place > 0 {
            rest = rest.strip_prefix(',')?;
        }
        rest = rest.strip_prefix(head.as_str())?;
        out.between(place);
        let first = *rest.as_bytes().first()?;
        let end = if first == b'"' { end_of_text(rest.as_bytes(), 0) } else { end_of_value(rest.as_bytes(), 0) };
        let (value, behind) = rest.split_at_checked(end)?;
        rest = behind;
        let done = cell(value, out, what)?;
        if done.is_err() {
            return Some(done);
        }
    }
    (rest == "}").then(|| out.end(began, heads.len()))?;
    Some(Ok(()))
}

/// Writes a value that is compact JSON; `None` when it is none.
pub(super) fn cell(value: &str, out: &mut Writer, what: &str) -> Option<Result<(), NodeFailure>> {
    Some(match *value.as_bytes().first()? {
        b'"' => match value.get(1..value.len().checked_sub(1)?)? {
            escaped if escaped.contains('\\') => out.cell(&serde_json::from_str::<String>(value).ok()?, what),
            text => out.cell(text, what),
        },
        b'n' => Ok(()),
        b't' | b'f' => {
            out.plain(value);
            Ok(())
        }
        b'-' | b'0'..=b'9' if is_plain_number(value) => {
            out.plain(value);
            Ok(())
        }
        _ => out.cell(&serde_json::from_str::<serde_json::Value>(value).ok()?.to_string(), what),
    })
}

/// A number that is printed as it is written: a whole number, or a decimal of few digits that does not end with a zero and is neither
/// so small nor so large that it would get an exponent.
fn is_plain_number(written: &str) -> bool {
    const DIGITS: usize = 15;
    let unsigned = written.strip_prefix('-').unwrap_or(written);
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match unsigned.split_once('.') {
        None => unsigned.len() <= DIGITS && is_digits(unsigned) && written != "-0",
        Some((whole, fraction)) => {
            whole.len() + fraction.len() <= DIGITS
                && is_digits(whole)
                && is_digits(fraction)
                && (fraction == "0" || !fraction.ends_with('0'))
                // From 0.001 on there is none.
                && (whole != "0" || !fraction.starts_with("000"))
        }
    }
}

#[cfg(test)]
mod tests;
