//! What a request carries: its query, the headers that a workflow may see, and its body as data and files.

use super::deliver::HookRequest;
use super::multipart;
use crate::triggers::error::{Class, TriggerError, TriggerResult};
use encoding_rs::{Encoding, UTF_8};
use serde_json::{Value, json};
use signalbox_engine::request_body::{is_json, media_type, parameter};
use signalbox_engine::webhook::{Auth, Signing, Webhook};
use signalbox_model::hash::sha256_hex;
use signalbox_model::text::bytes_without_bom;
use signalbox_model::{Map, digits, media, repeated_members};
use std::collections::BTreeSet;

/// Headers that an event has at most, and the length of each.
const MOST_HEADERS: usize = 64;
const LONGEST_HEADER: usize = 4_096;
/// Pairs of a query or a form.
const MOST_FIELDS: usize = 1_000;
/// Longest file name, in characters.
const LONGEST_NAME: usize = 200;

/// Words in the names of headers that hold what nobody else may know.
const SECRET_PARTS: [&str; 11] = [
    "authorization",
    "cookie",
    "signature",
    "hmac",
    "token",
    "secret",
    "password",
    "passwd",
    "apikey",
    "credential",
    "session",
];
/// Headers of the connection.
const OF_CONNECTION: [&str; 8] =
    ["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "proxy-connection", "expect"];

/// A request as a workflow sees it.
#[derive(Debug, Default)]
pub struct Contents {
    pub(crate) query: Map,
    pub(crate) headers: Map,
    pub(crate) content_type: String,
    pub(crate) body: Value,
    pub(crate) files: Vec<Value>,
    /// The bytes of the files, each with its SHA-256.
    pub(crate) binaries: Vec<(String, Vec<u8>)>,
}

fn bad(why: impl std::fmt::Display) -> TriggerError {
    let hint = "Send the body that Content-Type says.";
    TriggerError::new(Class::BadRequest, "BAD_BODY", format!("The request cannot be read: {why}."), hint)
}

fn unsupported(why: &str) -> TriggerError {
    TriggerError::new(
        Class::UnsupportedType,
        "UNSUPPORTED_MEDIA_TYPE",
        format!("The body cannot be read: {why}."),
        "Send JSON, a form, text or a file, without Content-Encoding.",
    )
}

/// Reads a request whose sender is known.
///
/// # Errors
/// Its body is not what its content type says, is compressed, or has too many fields.
pub fn read(hook: &Webhook, request: &HookRequest) -> TriggerResult<Contents> {
    let encodings = request.headers.iter().filter(|(name, _)| name == "content-encoding");
    if encodings.into_iter().any(|(_, value)| !value.trim().eq_ignore_ascii_case("identity")) {
        return Err(unsupported("it is compressed"));
    }
    let given = request.header("content-type").unwrap_or_default();
    let content_type = media_type(given);
    let mut contents = Contents {
        query: fields(&request.query)?,
        headers: headers(hook, request),
        content_type: content_type.clone(),
        ..Contents::default()
    };
    if request.body.is_empty() {
        return Ok(contents);
    }
    match content_type.as_str() {
        "application/x-www-form-urlencoded" => contents.body = Value::Object(fields(&text(given, &request.body)?)?),
        "multipart/form-data" => {
            let boundary = parameter(given, "boundary").unwrap_or_default();
            let parts = multipart::parts(&request.body, &boundary).map_err(bad)?;
            let mut all = Map::new();
            let mut names = BTreeSet::new();
            for part in parts {
                if part.file.is_none() && part.media.as_deref().is_none_or(|media| media_type(media) == "text/plain") {
                    let value = text(part.media.as_deref().unwrap_or_default(), part.data)?;
                    add(&mut all, part.name, Value::String(value));
                    continue;
                }
                let file = part.file.unwrap_or_default();
                contents.file(part.name, &file, part.media.as_deref(), part.data, &mut names);
            }
            contents.body = Value::Object(all);
        }
        kind if is_json(kind) => contents.body = json_value(&text(given, &request.body)?)?,
        kind if is_text(kind) => contents.body = Value::String(text(given, &request.body)?),
        "" if std::str::from_utf8(&request.body).is_ok_and(|text| !text.contains('\0')) => {
            contents.body = Value::String(text("", &request.body)?);
        }
        _ => contents.file("body".to_owned(), "", Some(given), &request.body, &mut BTreeSet::new()),
    }
    Ok(contents)
}

fn is_text(media: &str) -> bool {
    media.starts_with("text/")
        || media.ends_with("+xml")
        || ["application/xml", "application/javascript", "application/yaml", "application/x-yaml"].contains(&media)
}

fn json_value(text: &str) -> TriggerResult<Value> {
    // A number that no value can hold stays as its digits, in a text.
    let kept = digits::quoted(text);
    let value = serde_json::from_str(kept.as_deref().unwrap_or(text));
    let value = value.map_err(|error| bad(format!("it is not JSON ({error})")))?;
    match repeated_members::repeated(text) {
        Some(repeated) => Err(bad(repeated.told())),
        None => Ok(value),
    }
}

/// Bytes in the charset of their media type.
fn text(content_type: &str, bytes: &[u8]) -> TriggerResult<String> {
    let encoding = match parameter(content_type, "charset").filter(|label| !label.is_empty()) {
        None => UTF_8,
        Some(label) => Encoding::for_label(label.as_bytes()).ok_or_else(|| unsupported("its charset is not known"))?,
    };
    let bytes = if encoding == UTF_8 { bytes_without_bom(bytes) } else { bytes };
    let (text, _, damaged) = encoding.decode(bytes);
    if damaged { Err(bad(format!("its bytes are not {}", encoding.name()))) } else { Ok(text.into_owned()) }
}

/// The pairs of a query or a form; a repeated name has a list.
fn fields(text: &str) -> TriggerResult<Map> {
    let mut all = Map::new();
    for (index, pair) in text.split('&').filter(|pair| !pair.is_empty()).enumerate() {
        if index >= MOST_FIELDS {
            return Err(bad(format!("it has more than {MOST_FIELDS} fields")));
        }
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let decoded = |text: &str| percent_decoded(text, true).ok_or_else(|| bad("its encoding is damaged"));
        add(&mut all, decoded(name)?, Value::String(decoded(value)?));
    }
    Ok(all)
}

fn add(all: &mut Map, name: String, value: Value) {
    match all.get_mut(&name) {
        None => drop(all.insert(name, value)),
        Some(Value::Array(list)) => list.push(value),
        Some(other) => *other = json!([other.take(), value]),
    }
}

/// Percent-encoding; `None` when the bytes are not UTF-8. A `%` that begins no code stands for itself.
pub(crate) fn percent_decoded(text: &str, plus: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let code = code.filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match (first, code.and_then(|code| u8::from_str_radix(code, 16).ok())) {
            (b'+', _) if plus => bytes.push(b' '),
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = after.get(2..)?;
            }
            (other, _) => bytes.push(*other),
        }
    }
    String::from_utf8(bytes).ok()
}

/// Headers without credentials, cookies and signatures.
fn headers(hook: &Webhook, request: &HookRequest) -> Map {
    let own = match &hook.auth {
        Auth::Secret { header: Some(header), .. } => Some(header.as_str()),
        Auth::Hmac { signing: Signing::Generic { header, .. }, .. } => Some(header.as_str()),
        _ => None,
    };
    let mut all = Map::new();
    for (name, value) in &request.headers {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let hidden = Some(name.as_str()) == own || SECRET_PARTS.iter().any(|part| plain.contains(part));
        if hidden || OF_CONNECTION.contains(&name.as_str()) || value.len() > LONGEST_HEADER {
            continue;
        }
        if let Some(Value::String(before)) = all.get_mut(name) {
            before.push_str(", ");
            before.push_str(value);
        } else if all.len() < MOST_HEADERS {
            all.insert(name.clone(), Value::String(value.clone()));
        }
    }
    all
}

impl Contents {
    fn file(&mut self, field: String, name: &str, given: Option<&str>, bytes: &[u8], names: &mut BTreeSet<String>) {
        let name = file_name(name);
        let kind = given.map(media_type).filter(|kind| !kind.is_empty());
        let kind = kind.unwrap_or_else(|| media::of_path(&name).to_owned());
        let mut binary = field.clone();
        let mut count = 1;
        while !names.insert(binary.clone()) {
            count += 1;
            binary = format!("{field}_{count}");
        }
        let sha256 = sha256_hex(bytes);
        self.files.push(json!({
            "field": field, "binary": binary, "name": name, "mime": kind, "size": bytes.len(), "sha256": sha256,
        }));
        self.binaries.push((sha256, bytes.to_vec()));
    }
}

/// The name alone, without its folders and without what no one sees.
fn file_name(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().filter(|letter| !letter.is_control()).take(LONGEST_NAME).collect();
    if name.trim().is_empty() || name == "." || name == ".." { "file".to_owned() } else { name }
}
