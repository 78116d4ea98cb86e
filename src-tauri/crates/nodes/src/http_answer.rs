//! What an HTTP answer means: the table of error mapping (PLATFORM) and the reading of bodies.

use crate::formats;
use serde_json::Value;
use signalbox_engine::retry::RETRY_AFTER_LIMIT_MS;
use signalbox_model::{ErrorType, NodeFailure, SuggestedAction, digits};
use signalbox_ports::{HttpError, HttpResponse, Scrubber, retry_after};

/// How a body is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResponseType {
    Auto,
    Json,
    Text,
    Binary,
}

/// What stands in `response`.
pub(crate) enum Body {
    /// This value.
    Data(Value),
    /// The bytes, by reference.
    Bytes,
}

/// A header of the answer; names are lower-case.
pub(crate) fn header<'a>(answer: &'a HttpResponse, name: &str) -> Option<&'a str> {
    answer.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// Type and subtype of Content-Type, in small letters.
pub(crate) fn media_type(answer: &HttpResponse) -> String {
    let value = header(answer, "content-type").unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn is_json(media: &str) -> bool {
    media == "application/json" || media.ends_with("+json") || media == "text/json"
}

fn is_text(media: &str) -> bool {
    media.starts_with("text/")
        || media.ends_with("+xml")
        || ["application/xml", "application/javascript", "application/x-www-form-urlencoded", "application/yaml"]
            .contains(&media)
}

/// Decodes by the charset of Content-Type, UTF-8 without one; bytes that do not fit become U+FFFD.
fn decode(answer: &HttpResponse) -> String {
    let content_type = header(answer, "content-type").unwrap_or_default();
    let label = content_type.split(';').skip(1).find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"').to_owned())
    });
    let encoding = label.and_then(|l| encoding_rs::Encoding::for_label(l.as_bytes())).unwrap_or(encoding_rs::UTF_8);
    encoding.decode(&answer.body).0.into_owned()
}

/// The body as data. `must_be_json`: `extract` needs it.
pub(crate) fn body(answer: &HttpResponse, wanted: ResponseType, must_be_json: bool) -> Result<Body, NodeFailure> {
    let media = media_type(answer);
    let empty = answer.body.is_empty();
    let as_json = match wanted {
        ResponseType::Json => true,
        ResponseType::Auto => is_json(&media),
        ResponseType::Text | ResponseType::Binary => false,
    };
    if as_json && !(empty && !must_be_json && (wanted == ResponseType::Auto || no_body(answer.status))) {
        let parsed = formats::parse_json(json_text(answer)?, "The answer");
        return parsed.map(Body::Data).map_err(|failure| about(failure, answer, &media));
    }
    if must_be_json {
        let got = if empty {
            "nothing"
        } else if media.is_empty() {
            "no content type"
        } else {
            media.as_str()
        };
        let failure = NodeFailure::validation(
            "NON_JSON",
            format!(
                "'extract' needs a JSON answer, but the address answered {got}. Look at the address and its headers"
            ),
        );
        return Err(about(failure, answer, &media).detail("begins", begins(answer)));
    }
    if empty {
        let empty = if wanted == ResponseType::Text { Value::String(String::new()) } else { Value::Null };
        return Ok(Body::Data(empty));
    }
    let text = match wanted {
        ResponseType::Text => true,
        ResponseType::Binary => false,
        ResponseType::Auto | ResponseType::Json => is_text(&media) || media.is_empty(),
    };
    Ok(if text { Body::Data(Value::String(decode(answer))) } else { Body::Bytes })
}

fn no_body(status: u16) -> bool {
    matches!(status, 204 | 205 | 304)
}

fn json_text(answer: &HttpResponse) -> Result<&str, NodeFailure> {
    // JSON is UTF-8 whatever a charset parameter says (RFC 8259).
    std::str::from_utf8(&answer.body).map_err(|error| {
        let at = error.valid_up_to() + 1;
        NodeFailure::validation("NON_JSON", format!("The answer is not JSON: byte {at} is not UTF-8"))
    })
}

fn about(failure: NodeFailure, answer: &HttpResponse, media: &str) -> NodeFailure {
    failure.detail("status", answer.status).detail("contentType", media)
}

fn begins(answer: &HttpResponse) -> String {
    decode(answer).chars().take(200).collect()
}

/// The status in words: `503 (service unavailable)`.
fn status_words(status: u16) -> String {
    let reason = http::StatusCode::from_u16(status).ok().and_then(|known| known.canonical_reason());
    match reason {
        Some(reason) => format!("{status} ({})", reason.to_ascii_lowercase()),
        None => status.to_string(),
    }
}

/// The failure of an answer with a status from 400 on.
pub(crate) fn status_failure(answer: &HttpResponse, now_ms: i64) -> NodeFailure {
    use ErrorType::{NetworkError, Timeout, ToolError, ValidationError};
    let status = answer.status;
    let message = format!("The address answered {}", status_words(status));
    let new = |error_type, code| NodeFailure::new(error_type, code, message.clone()).detail("status", status);
    let mut failure = match status {
        408 | 504 => new(Timeout, "TIMEOUT").retryable().maybe_happened(),
        401 | 403 => new(ToolError, "AUTH").suggest(SuggestedAction::HumanReview),
        429 | 529 => new(ToolError, "RATE_LIMIT").retryable(),
        // 503 says that nothing was done (SEMANTICS 11).
        503 => new(NetworkError, "SERVICE_UNAVAILABLE").retryable(),
        500.. => new(NetworkError, "SERVICE_UNAVAILABLE").retryable().maybe_happened(),
        400 | 422 => new(ValidationError, "INPUT_INVALID").suggest(SuggestedAction::AutoFix),
        _ => new(ToolError, "HTTP_STATUS"),
    };
    if let Some(wait) = header(answer, "retry-after").and_then(|text| retry_after(text, now_ms)) {
        failure = failure.detail("retryAfterMs", wait);
        if failure.retryable && wait > RETRY_AFTER_LIMIT_MS {
            failure.retryable = false;
            failure.suggested_action = None;
            failure.message.push_str(" and asks to wait longer than 10 minutes");
        } else {
            failure.retry_after_ms = Some(wait);
        }
    }
    match excerpt(answer) {
        Some(body) => failure.detail("response", body),
        None => failure,
    }
}

/// What the server said about its failure: JSON when small, else the beginning of the text.
fn excerpt(answer: &HttpResponse) -> Option<Value> {
    const LONGEST: usize = 2_000;
    if answer.body.is_empty() {
        return None;
    }
    let media = media_type(answer);
    if is_json(&media)
        && answer.body.len() <= LONGEST
        && let Ok(value) = serde_json::from_slice(&answer.body)
        && keeps_digits(&answer.body)
    {
        return Some(value);
    }
    (is_json(&media) || is_text(&media) || media.is_empty())
        .then(|| Value::String(decode(answer).chars().take(LONGEST).collect()))
}

fn keeps_digits(body: &[u8]) -> bool {
    std::str::from_utf8(body).is_ok_and(|text| digits::lost(text).is_none())
}

/// The answer without the secrets of this machine, which a server may send back.
pub(crate) fn without_secrets(mut answer: HttpResponse, scrubber: &Scrubber) -> HttpResponse {
    for (name, value) in &mut answer.headers {
        *name = scrubber.text(name).into_owned();
        *value = scrubber.text(value).into_owned();
    }
    if scrubber.finds(&answer.body) {
        // JSON stays JSON, also where the secret is a number.
        answer.body = match serde_json::from_slice::<Value>(&answer.body) {
            Ok(mut value) if keeps_digits(&answer.body) => {
                scrubber.value(&mut value);
                value.to_string().into_bytes()
            }
            // As JSON the numbers would change as well.
            Ok(_) | Err(_) => scrubber.bytes(&answer.body).into_owned(),
        };
    }
    answer
}

/// The failure of an exchange without an answer.
pub(crate) fn exchange_failure(error: HttpError, timeout_ms: u64) -> NodeFailure {
    match error {
        HttpError::Refused { message } => NodeFailure::tool("ADDRESS_REFUSED", message),
        HttpError::CredentialRefused { message } => {
            NodeFailure::tool("CREDENTIAL_REFUSED", message).suggest(SuggestedAction::HumanReview)
        }
        HttpError::BadUrl { message } => NodeFailure::validation("INPUT_INVALID", message).detail("field", "url"),
        HttpError::Connect { message } => NodeFailure::new(ErrorType::NetworkError, "CONNECTION", message).retryable(),
        HttpError::Cut { message } => {
            NodeFailure::new(ErrorType::NetworkError, "CONNECTION", message).retryable().maybe_happened()
        }
        HttpError::Timeout { sent } => {
            let words = format!("The address did not answer within {}", crate::run::duration(timeout_ms));
            let failure = NodeFailure::new(ErrorType::Timeout, "TIMEOUT", words).retryable();
            let failure = failure.detail("timeoutMs", timeout_ms);
            if sent { failure.maybe_happened() } else { failure }
        }
        HttpError::TooLarge { limit, .. } => NodeFailure::validation(
            "TOO_LARGE",
            format!("The answer is larger than the limit of {} MiB", limit / 1024 / 1024),
        )
        .detail("limit", limit),
    }
}
