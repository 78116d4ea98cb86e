//! How the body of a request is written for the content type that its headers declare, and which bodies do not fit it.
//! The check of a file and the step itself ask the same functions.

use serde_json::Value;
use signalbox_model::diagnostic::pointer_token;
use std::fmt::Write as _;

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyFormat {
    /// As JSON.
    Json,
    /// As `name=value&name=value`.
    Form,
    /// As parts between boundaries.
    Multipart,
}

/// Why a body does not fit, with its place inside the body (a JSON Pointer).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// Empty for the body itself.
    pub pointer: String,
    /// Plain words with the next step.
    pub why: String,
}

/// One part of a multipart body.
#[derive(Debug, PartialEq)]
pub struct Part<'a> {
    /// The field's name.
    pub name: &'a str,
    /// Place in the body.
    pub pointer: String,
    /// What it holds.
    pub content: PartContent<'a>,
    /// The file's name as the other side sees it.
    pub filename: Option<&'a str>,
    /// Its own content type.
    pub media: Option<&'a str>,
}

/// What a part holds.
#[derive(Debug, PartialEq)]
pub enum PartContent<'a> {
    /// A text, a number or true/false; anything else is sent as JSON.
    Value(&'a Value),
    /// Bytes that came with the item, by their name.
    Bytes(&'a str),
}

impl Misfit {
    fn new(pointer: impl Into<String>, why: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), why: why.into() }
    }
}

/// Type and subtype of a content type, in small letters.
pub fn media_type(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// A parameter of a content type, such as `charset` or `boundary`.
pub fn parameter(content_type: &str, wanted: &str) -> Option<String> {
    let mut rest = content_type.split_once(';')?.1;
    loop {
        let (name, after) = rest.split_once('=')?;
        let after = after.trim_start();
        // What is quoted may hold a semicolon, and a backslash before any letter.
        let (value, next) = match after.strip_prefix('"') {
            None => {
                let end = after.find(';').unwrap_or(after.len());
                (after[..end].trim().to_owned(), &after[end..])
            }
            Some(quoted) => {
                let (mut value, mut letters, mut end) = (String::new(), quoted.char_indices(), quoted.len());
                while let Some((at, letter)) = letters.next() {
                    match letter {
                        '"' => {
                            end = at + 1;
                            break;
                        }
                        '\\' => value.extend(letters.next().map(|(_, next)| next)),
                        other => value.push(other),
                    }
                }
                (value, &quoted[end..])
            }
        };
        if name.trim_start_matches([';', ' ', '\t']).trim_end().eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        rest = next.trim_start().strip_prefix(';')?;
    }
}

/// A media type whose texts are JSON.
pub fn is_json(media: &str) -> bool {
    media == "application/json" || media.ends_with("+json") || media == "text/json"
}

/// Media types that JSON is never right for. Others may be a service's own name for JSON.
fn is_never_json(media: &str) -> bool {
    let (kind, _) = media.split_once('/').unwrap_or((media, ""));
    ["image", "audio", "video", "font", "multipart"].contains(&kind)
        || media.ends_with("+xml")
        || [
            "text/csv",
            "text/html",
            "text/xml",
            "application/xml",
            "application/pdf",
            "application/zip",
            "application/gzip",
            "application/octet-stream",
        ]
        .contains(&media)
}

/// How a body that is no text is written.
pub fn format_of(content_type: &str, body: &Value) -> Result<BodyFormat, Misfit> {
    let media = media_type(content_type);
    match media.as_str() {
        "application/x-www-form-urlencoded" | "multipart/form-data" if !body.is_object() => Err(Misfit::new(
            "",
            format!("{media} consists of fields, so the body must be an object with a value for each field"),
        )),
        "application/x-www-form-urlencoded" => Ok(BodyFormat::Form),
        "multipart/form-data" => Ok(BodyFormat::Multipart),
        other if is_never_json(other) => Err(Misfit::new(
            "",
            format!(
                "the body would be sent as JSON, which does not match the header Content-Type: {media}. Use a text, send \
                 bytes with 'bodyBinary', or change the header"
            ),
        )),
        _ => Ok(BodyFormat::Json),
    }
}

/// The fields of a form, in order. A list repeats its field, null leaves it out.
pub fn form_fields(body: &Value) -> Result<Vec<(&str, &Value)>, Misfit> {
    let mut fields = Vec::new();
    for (name, value) in body.as_object().into_iter().flatten() {
        let pointer = format!("/{}", pointer_token(name));
        each(value, &pointer, &mut |value, pointer| match value {
            Value::Array(_) | Value::Object(_) => Err(Misfit::new(
                pointer,
                "a form has no nested values. Name the fields as the service expects them, such as user[name], or use JSON \
                 text",
            )),
            other => {
                fields.push((name.as_str(), other));
                Ok(())
            }
        })?;
    }
    Ok(fields)
}

/// The parts of a multipart body, in order. A list repeats its field, null leaves it out.
pub fn parts(body: &Value) -> Result<Vec<Part<'_>>, Misfit> {
    let mut parts = Vec::new();
    for (name, value) in body.as_object().into_iter().flatten() {
        let pointer = format!("/{}", pointer_token(name));
        each(value, &pointer, &mut |value, pointer| {
            parts.push(part(name, value, pointer)?);
            Ok(())
        })?;
    }
    Ok(parts)
}

fn each<'a>(
    value: &'a Value,
    pointer: &str,
    take: &mut dyn FnMut(&'a Value, &str) -> Result<(), Misfit>,
) -> Result<(), Misfit> {
    match value {
        Value::Null => Ok(()),
        Value::Array(list) => {
            let listed = list.iter().enumerate().filter(|(_, value)| !value.is_null());
            listed.into_iter().try_for_each(|(index, value)| take(value, &format!("{pointer}/{index}")))
        }
        other => take(other, pointer),
    }
}

fn part<'a>(name: &'a str, value: &'a Value, pointer: &str) -> Result<Part<'a>, Misfit> {
    let plain = |content| Part { name, pointer: pointer.to_owned(), content, filename: None, media: None };
    let shape = || {
        Misfit::new(
            pointer,
            "a part must be a text, a number, true or false, or an object: {binary: NAME} for bytes of the item or {value: …}, \
             with an optional filename and type",
        )
    };
    let fields = match value {
        Value::Object(fields) => fields,
        Value::Array(_) => return Err(shape()),
        other => return Ok(plain(PartContent::Value(other))),
    };
    let text = |key: &str| match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(Misfit::new(format!("{pointer}/{key}"), format!("'{key}' of a part must be a text"))),
    };
    let known = |key: &String| ["binary", "value", "filename", "type"].contains(&key.as_str());
    if !fields.keys().all(known) {
        return Err(shape());
    }
    let content = match (text("binary")?, fields.get("value")) {
        (Some(bytes), None) => PartContent::Bytes(bytes),
        (None, Some(value)) => PartContent::Value(value),
        _ => return Err(shape()),
    };
    Ok(Part { filename: text("filename")?, media: text("type")?, ..plain(content) })
}

/// Why a text is not what its content type says; templates are not looked at.
pub fn text_misfit(content_type: &str, text: &str) -> Option<String> {
    let media = media_type(content_type);
    if is_json(&media) {
        let error =
            serde_json::from_str::<serde::de::IgnoredAny>(text.strip_prefix('\u{feff}').unwrap_or(text)).err()?;
        return Some(format!("the text is not JSON ({error}). Correct it, or use a value instead of a text"));
    }
    if media == "application/x-www-form-urlencoded" {
        let wrong =
            text.trim_end().chars().find(|c| c.is_whitespace() || !c.is_ascii() || "\"<>{}\\^`|".contains(*c))?;
        let mut shown = String::new();
        let _written = write!(shown, "{wrong:?}");
        return Some(format!(
            "the text is not form-encoded: it contains the character {shown}. Use an object with the fields, or urlEncode"
        ));
    }
    needs_boundary(content_type).then(|| {
        "the header must contain the boundary that separates the parts of the text, as Content-Type: multipart/form-data; \
         boundary=…. Use an object with the fields instead"
            .to_owned()
    })
}

/// A multipart type that does not say what separates its parts.
pub fn needs_boundary(content_type: &str) -> bool {
    media_type(content_type).starts_with("multipart/")
        && parameter(content_type, "boundary").is_none_or(|b| b.is_empty())
}

#[cfg(test)]
mod tests;
