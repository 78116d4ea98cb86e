//! How parameters are written: the styles of OpenAPI, which have the forms of RFC 6570.

use crate::support::kind_of;
use serde_json::Value;
use signalbox_model::NodeFailure;
use signalbox_model::connector::{Parameter, Style};

/// Deepest nesting of a `deepObject`.
const DEEPEST: usize = 16;

/// Name and value of a query or a form, not encoded.
pub(super) type Pair = (String, String);

/// Everything but letters, digits and `-._~` as `%XX`.
pub(super) fn encoded(text: &str) -> String {
    percent(text, "-._~")
}

/// The same, and characters with a meaning in addresses stay as they are.
pub(super) fn encoded_reserved(text: &str) -> String {
    percent(text, "-._~:/?@!$'()*,;")
}

fn percent(text: &str, kept: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// A simple value as text; nothing for null.
fn scalar(parameter: &Parameter, value: &Value) -> Result<Option<String>, NodeFailure> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        Value::Bool(_) | Value::Number(_) => Ok(Some(value.to_string())),
        Value::Array(_) | Value::Object(_) => Err(unwritable(parameter, value)),
    }
}

fn unwritable(parameter: &Parameter, value: &Value) -> NodeFailure {
    let message = format!(
        "The parameter '{}' has {} in it, which its place in the request cannot hold",
        parameter.name,
        kind_of(value)
    );
    NodeFailure::validation("INPUT_INVALID", message).detail("field", format!("params.{}", parameter.name))
}

/// A parameter of the path, encoded.
pub(super) fn in_path(parameter: &Parameter, value: &Value) -> Result<String, NodeFailure> {
    let name = encoded(parameter.wire_name());
    let explode = parameter.explode.unwrap_or(false);
    let text = |value: &Value| Ok::<_, NodeFailure>(scalar(parameter, value)?.map(|text| encode(parameter, &text)));
    let style = parameter.style.unwrap_or(Style::Simple);
    let (before, between) = match (style, explode) {
        (Style::Label, true) => (".", "."),
        (Style::Label, false) => (".", ","),
        (Style::Matrix, true) => (";", ";"),
        (Style::Matrix, false) => (";", ","),
        _ => ("", ","),
    };
    let matrix = style == Style::Matrix;
    let written = match value {
        Value::Array(list) => {
            let mut parts = Vec::new();
            for one in list {
                parts.extend(text(one)?.map(|one| if matrix && explode { format!("{name}={one}") } else { one }));
            }
            let joined = parts.join(between);
            if matrix && !explode { format!("{name}={joined}") } else { joined }
        }
        Value::Object(map) => {
            let mut parts = Vec::new();
            for (key, one) in map {
                let Some(one) = text(one)? else { continue };
                let key = encoded(key);
                parts.push(if explode { format!("{key}={one}") } else { format!("{key},{one}") });
            }
            let joined = parts.join(between);
            if matrix && !explode { format!("{name}={joined}") } else { joined }
        }
        one => {
            let one = text(one)?.unwrap_or_default();
            if matrix { format!("{name}={one}") } else { one }
        }
    };
    Ok(format!("{before}{written}"))
}

fn encode(parameter: &Parameter, text: &str) -> String {
    if parameter.allow_reserved { encoded_reserved(text) } else { encoded(text) }
}

/// A parameter of a header.
pub(super) fn in_header(parameter: &Parameter, value: &Value) -> Result<Option<String>, NodeFailure> {
    if parameter.json {
        return Ok(Some(value.to_string()));
    }
    let explode = parameter.explode.unwrap_or(false);
    match value {
        Value::Array(list) => {
            let mut parts = Vec::new();
            for one in list {
                parts.extend(scalar(parameter, one)?);
            }
            Ok(Some(parts.join(",")))
        }
        Value::Object(map) => {
            let mut parts = Vec::new();
            for (key, one) in map {
                let Some(one) = scalar(parameter, one)? else { continue };
                parts.push(if explode { format!("{key}={one}") } else { format!("{key},{one}") });
            }
            Ok(Some(parts.join(",")))
        }
        one => scalar(parameter, one),
    }
}

/// A parameter of the query, of a form or of cookies; the separators within a value are not encoded again.
pub(super) fn in_query(parameter: &Parameter, value: &Value) -> Result<Vec<Pair>, NodeFailure> {
    let name = parameter.wire_name();
    if parameter.json && !value.is_null() {
        return Ok(vec![(name.to_owned(), value.to_string())]);
    }
    let style = parameter.style.unwrap_or(Style::Form);
    let explode = parameter.explode.unwrap_or(matches!(style, Style::Form | Style::DeepObject | Style::Brackets));
    let separator = match style {
        Style::SpaceDelimited => " ",
        Style::PipeDelimited => "|",
        _ => ",",
    };
    match value {
        Value::Array(list) => {
            if style == Style::DeepObject {
                return deep(parameter, name.to_owned(), value, 0);
            }
            let mut texts = Vec::new();
            for one in list {
                // A list of objects has no form of its own; as in `deepObject`, its places become names.
                if one.is_object() && style == Style::Brackets {
                    return deep(parameter, name.to_owned(), value, 0);
                }
                texts.extend(scalar(parameter, one)?);
            }
            if texts.is_empty() {
                return Ok(Vec::new());
            }
            if explode {
                let name = if style == Style::Brackets { format!("{name}[]") } else { name.to_owned() };
                return Ok(texts.into_iter().map(|text| (name.clone(), text)).collect());
            }
            Ok(vec![(name.to_owned(), texts.join(separator))])
        }
        Value::Object(_) if style == Style::DeepObject => deep(parameter, name.to_owned(), value, 0),
        Value::Object(map) => {
            let mut pairs = Vec::new();
            for (key, one) in map {
                pairs.extend(scalar(parameter, one)?.map(|text| (key.clone(), text)));
            }
            if explode || pairs.is_empty() {
                return Ok(pairs);
            }
            let flat: Vec<String> = pairs.into_iter().flat_map(|(key, text)| [key, text]).collect();
            Ok(vec![(name.to_owned(), flat.join(separator))])
        }
        one => Ok(scalar(parameter, one)?.map(|text| (name.to_owned(), text)).into_iter().collect()),
    }
}

/// `name[field][0]=value`.
pub(super) fn deep(parameter: &Parameter, name: String, value: &Value, depth: usize) -> Result<Vec<Pair>, NodeFailure> {
    if depth > DEEPEST {
        let message = format!("The parameter '{}' is nested more than {DEEPEST} levels", parameter.name);
        return Err(
            NodeFailure::validation("INPUT_INVALID", message).detail("field", format!("params.{}", parameter.name))
        );
    }
    let mut pairs = Vec::new();
    match value {
        Value::Array(list) => {
            for (index, one) in list.iter().enumerate() {
                pairs.extend(deep(parameter, format!("{name}[{index}]"), one, depth + 1)?);
            }
        }
        Value::Object(map) => {
            for (key, one) in map {
                pairs.extend(deep(parameter, format!("{name}[{key}]"), one, depth + 1)?);
            }
        }
        one => pairs.extend(scalar(parameter, one)?.map(|text| (name, text))),
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests;
