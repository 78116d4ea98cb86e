//! The body of a request: bytes and text as they are, objects as the Content-Type header says, everything else as JSON.

use crate::long_value::LongValue;
use crate::support::{kind_of, setting};
use crate::{binary, cel, formats};
use encoding_rs::{Encoding, UTF_8};
use serde_json::{Map, Value};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_engine::request_body::{self as rules, BodyFormat, Misfit, PartContent};
use signalbox_model::NodeFailure;
use signalbox_model::hash::sha256_hex;
use signalbox_ports::World;
use std::borrow::Cow;
use url::form_urlencoded;

/// Names bytes that came with the item.
const BYTES: &str = "bodyBinary";
/// What a text is sent as when nothing else is said.
const TEXT_TYPE: &str = "text/plain; charset=utf-8";
/// Longest boundary (RFC 2046).
const LONGEST_BOUNDARY: usize = 70;

/// The bytes to send; the headers get the content type that belongs to them.
pub(crate) async fn body(
    call: &Call,
    slot: &CallSlot,
    world: &World,
    method: &str,
    headers: &mut Vec<(String, String)>,
) -> Result<Option<Vec<u8>>, NodeFailure> {
    let (field, body) = match (setting(slot, "body"), setting(slot, BYTES)) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => {
            let words = "A request has one body: empty 'body' or 'bodyBinary'";
            return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", BYTES));
        }
        (Some(body), None) => ("body", Some(body)),
        (None, Some(_)) => (BYTES, None),
    };
    if method == "HEAD" {
        let words = format!("A HEAD request has no body; remove '{field}' or choose another method");
        return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", field));
    }
    match body {
        Some(body) => match cel::long_setting(slot, "/body")? {
            Some(long) => encode_long(call, slot, world, long, headers).await.map(Some),
            None => encode(call, slot, world, body, headers).await.map(Some),
        },
        None => {
            let (reference, bytes) = binary::read(call, slot, world, BYTES).await?;
            if content_type(headers).is_none() {
                headers.push(("Content-Type".into(), reference.mime));
            }
            Ok(Some(bytes))
        }
    }
}

fn content_type(headers: &[(String, String)]) -> Option<usize> {
    headers.iter().position(|(name, _)| name.eq_ignore_ascii_case("content-type"))
}

/// A value as the bytes of a body: as the header Content-Type says, which is added when it is absent.
pub(crate) async fn encode(
    call: &Call,
    slot: &CallSlot,
    world: &World,
    body: &Value,
    headers: &mut Vec<(String, String)>,
) -> Result<Vec<u8>, NodeFailure> {
    let at = content_type(headers);
    let declared = at.map(|at| headers[at].1.clone()).unwrap_or_default();
    let (bytes, media) = match body {
        Value::String(text) => (text_body(text.into(), &declared)?, TEXT_TYPE.to_owned()),
        other => match rules::format_of(&declared, other).map_err(|why| misfit(&why))? {
            BodyFormat::Json => (encoded(other.to_string().into(), &declared)?, "application/json".to_owned()),
            BodyFormat::Form => (form(other, &declared)?, declared.clone()),
            BodyFormat::Multipart => {
                let (bytes, content_type) = multipart(call, slot, world, other, &declared).await?;
                if let Some(at) = at {
                    headers[at].1.clone_from(&content_type);
                }
                (bytes, content_type)
            }
        },
    };
    if bytes.len() > formats::MAX_BYTES {
        return Err(formats::too_large(&format!("The body ({})", kind_of(body)), bytes.len() as u64));
    }
    if at.is_none() {
        headers.push(("Content-Type".into(), media));
    }
    Ok(bytes)
}

/// A long list, object or text: as JSON or as text it is sent as it stands.
async fn encode_long(
    call: &Call,
    slot: &CallSlot,
    world: &World,
    body: LongValue,
    headers: &mut Vec<(String, String)>,
) -> Result<Vec<u8>, NodeFailure> {
    let at = content_type(headers);
    let declared = at.map(|at| headers[at].1.clone()).unwrap_or_default();
    let (kind, media) = match &body {
        LongValue::Words(_) => (Value::String(String::new()), TEXT_TYPE),
        LongValue::Json(json) if json.bytes_at(0, 1) == b"{" => (Value::Object(Map::new()), "application/json"),
        LongValue::Json(_) => (Value::Array(Vec::new()), "application/json"),
    };
    if !kind.is_string() && !matches!(rules::format_of(&declared, &kind), Ok(BodyFormat::Json)) {
        return encode(call, slot, world, &body.value(), headers).await;
    }
    if body.length() > formats::MAX_BYTES {
        return Err(formats::too_large(&format!("The body ({})", kind_of(&kind)), body.length() as u64));
    }
    let text = body.into_text();
    let bytes = if kind.is_string() { text_body(text.into(), &declared)? } else { encoded(text.into(), &declared)? };
    if at.is_none() {
        headers.push(("Content-Type".into(), media.into()));
    }
    Ok(bytes)
}

/// A text as a body. A content type of several parts needs an object.
fn text_body(text: Cow<'_, str>, declared: &str) -> Result<Vec<u8>, NodeFailure> {
    if rules::needs_boundary(declared) {
        let why = rules::text_misfit(declared, &text).unwrap_or_default();
        return Err(misfit(&Misfit { pointer: String::new(), why }));
    }
    encoded(text, declared)
}

fn misfit(misfit: &Misfit) -> NodeFailure {
    let field = format!("body{}", misfit.pointer.replace('/', "."));
    let words = format!("The body cannot be sent: {}", misfit.why);
    NodeFailure::validation("INPUT_INVALID", words).detail("field", field)
}

/// Text in the charset that the header declares; the other side will read it so.
fn encoded(text: Cow<'_, str>, content_type: &str) -> Result<Vec<u8>, NodeFailure> {
    let declared = rules::parameter(content_type, "charset").filter(|label| !label.is_empty());
    let Some(label) = declared else { return Ok(text.into_owned().into_bytes()) };
    let failure = |why: String| misfit(&Misfit { pointer: String::new(), why });
    let short: String = label.chars().take(40).collect();
    let Some(encoding) = Encoding::for_label(label.as_bytes()) else {
        return Err(failure(format!(
            "its header Content-Type names the charset '{short}', which is not known; use utf-8"
        )));
    };
    // These can be read and not written (Encoding standard).
    if encoding.output_encoding() != encoding {
        return Err(failure(format!("text is not sent in the charset '{short}'; use utf-8")));
    }
    if encoding == UTF_8 {
        return Ok(text.into_owned().into_bytes());
    }
    match encoding.encode(&text) {
        (bytes, _, false) => Ok(bytes.into_owned()),
        (_, _, true) => Err(failure(format!(
            "it has letters that the charset '{short}' of its header Content-Type does not have; use utf-8"
        ))),
    }
}

/// The text of a simple value, JSON of others.
fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The fields in the charset that the header declares, percent-encoded.
fn form(body: &Value, content_type: &str) -> Result<Vec<u8>, NodeFailure> {
    let mut out = String::new();
    for (name, value) in rules::form_fields(body).map_err(|why| misfit(&why))? {
        if !out.is_empty() {
            out.push('&');
        }
        out.extend(form_urlencoded::byte_serialize(&encoded(name.into(), content_type)?));
        out.push('=');
        out.extend(form_urlencoded::byte_serialize(&encoded(written(value).into(), content_type)?));
    }
    Ok(out.into_bytes())
}

/// The body and its content type with the boundary (RFC 7578).
async fn multipart(
    call: &Call,
    slot: &CallSlot,
    world: &World,
    body: &Value,
    declared: &str,
) -> Result<(Vec<u8>, String), NodeFailure> {
    let mut parts = Vec::new();
    let mut size = 0;
    for part in rules::parts(body).map_err(|why| misfit(&why))? {
        let wrong =
            |key: &str, why: &str| misfit(&Misfit { pointer: format!("{}/{key}", part.pointer), why: why.into() });
        let (content, media, filename) = match part.content {
            PartContent::Value(value) => {
                // A text has no type of its own, as a browser sends it.
                let media = matches!(value, Value::Array(_) | Value::Object(_)).then(|| "application/json".to_owned());
                (written(value).into_bytes(), media, None)
            }
            PartContent::Bytes(name) => {
                let field = format!("body{}.binary", part.pointer.replace('/', "."));
                let (reference, bytes) = binary::read_named(call, slot, world, name, &field).await?;
                (bytes, Some(reference.mime), Some(name))
            }
        };
        if part.media.is_some_and(|media| !media.contains('/') || http::HeaderValue::from_str(media).is_err()) {
            return Err(wrong("type", "'type' is a content type, such as image/png"));
        }
        let mut head = format!("Content-Disposition: form-data; name=\"{}\"", quoted(part.name));
        if let Some(filename) = part.filename.or(filename) {
            head.push_str(&format!("; filename=\"{}\"", quoted(filename)));
        }
        if let Some(media) = part.media.map(str::to_owned).or(media) {
            head.push_str(&format!("\r\nContent-Type: {media}"));
        }
        size += head.len() + content.len();
        // Before the parts are put together.
        if size > formats::MAX_BYTES {
            return Err(formats::too_large("The body (an object)", size as u64));
        }
        parts.push((head, content));
    }
    let boundary = match rules::parameter(declared, "boundary").filter(|boundary| !boundary.is_empty()) {
        Some(own) if is_boundary(&own) && !holds(&parts, &own) => own,
        Some(_) => {
            let why =
                "the boundary in its header cannot be used, or occurs in the body. Leave it out: one is generated";
            return Err(misfit(&Misfit { pointer: String::new(), why: why.into() }));
        }
        None => made_boundary(&parts),
    };
    let mut out = Vec::with_capacity(size + parts.len() * (boundary.len() + 10) + boundary.len() + 8);
    for (head, content) in &parts {
        out.extend_from_slice(format!("--{boundary}\r\n{head}\r\n\r\n").as_bytes());
        out.extend_from_slice(content);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok((out, format!("multipart/form-data; boundary={boundary}")))
}

/// A name as browsers write it between quotes.
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

/// Letters of a token, which need no quotes in the header.
fn is_boundary(boundary: &str) -> bool {
    boundary.len() <= LONGEST_BOUNDARY
        && boundary.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.+'!#$&*^`|~%".contains(&b))
}

fn holds(parts: &[(String, Vec<u8>)], boundary: &str) -> bool {
    let mark = format!("--{boundary}").into_bytes();
    // Compared where a boundary can begin, which is after a line break.
    parts.iter().any(|(_, content)| {
        content.starts_with(&mark) || content.split(|byte| *byte == b'\n').skip(1).any(|line| line.starts_with(&mark))
    })
}

/// A boundary that stands in no part. The same parts get the same one, so that a request that is sent again is the same.
fn made_boundary(parts: &[(String, Vec<u8>)]) -> String {
    let mut seed: String = parts.iter().map(|(head, content)| format!("{head}{}", sha256_hex(content))).collect();
    loop {
        seed = sha256_hex(seed.as_bytes());
        let boundary = format!("signalbox-{}", &seed[..32]);
        if !holds(parts, &boundary) {
            return boundary;
        }
    }
}
