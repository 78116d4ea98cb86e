//! What an HTTP answer means: the table of error mapping (PLATFORM) and the reading of bodies.

use crate::formats::{self, Content};
use crate::http_header::header;
use crate::http_text::{NotText, begins, decode};
use serde_json::Value;
use signalbox_engine::request_body::is_json;
use signalbox_engine::retry::RETRY_AFTER_LIMIT_MS;
use signalbox_model::data::TEXT_FROM;
use signalbox_model::{ErrorType, NodeFailure, SuggestedAction, lossless};
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

/// Type and subtype of Content-Type, in small letters.
pub(crate) fn media_type(answer: &HttpResponse) -> String {
    signalbox_engine::request_body::media_type(header(answer, "content-type").unwrap_or_default())
}

fn is_text(media: &str) -> bool {
    media.starts_with("text/")
        || media.ends_with("+xml")
        || ["application/xml", "application/javascript", "application/x-www-form-urlencoded", "application/yaml"]
            .contains(&media)
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
        let text = decode(answer).map_err(|NotText(why)| {
            let words = format!("The answer is not JSON: {why}. Look at its header Content-Type, or read it as binary");
            NodeFailure::validation("NON_JSON", words)
        });
        let parsed = text.and_then(|text| formats::parse_json(&text, "The answer"));
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
        return Err(about(failure, answer, &media));
    }
    if empty {
        let empty = if wanted == ResponseType::Text { Value::String(String::new()) } else { Value::Null };
        return Ok(Body::Data(empty));
    }
    // What is not text is kept as bytes, or said: letters in place of bytes would lose what they were.
    match wanted {
        ResponseType::Text => decode(answer).map(|text| Body::Data(Value::String(text))).map_err(|NotText(why)| {
            let words = format!("The answer is not text: {why}. Read it as binary, or look at its header Content-Type");
            about(NodeFailure::validation("NOT_TEXT", words), answer, &media)
        }),
        ResponseType::Auto | ResponseType::Json if is_text(&media) || media.is_empty() => {
            Ok(decode(answer).map_or(Body::Bytes, |text| Body::Data(Value::String(text))))
        }
        ResponseType::Auto | ResponseType::Json | ResponseType::Binary => Ok(Body::Bytes),
    }
}

/// A long body that is JSON, as compact text behind what stands `before` it; nothing where [`body`] reads it, with its errors. As values
/// it would take twenty times as much.
pub(crate) fn long_json(
    answer: &HttpResponse,
    wanted: ResponseType,
    before: &str,
) -> Result<Option<String>, NodeFailure> {
    let media = media_type(answer);
    let as_json = wanted == ResponseType::Json || (wanted == ResponseType::Auto && is_json(&media));
    if !as_json || answer.body.len() < TEXT_FROM {
        return Ok(None);
    }
    let Ok(text) = decode(answer) else { return Ok(None) };
    match formats::read_json(&text, "The answer", before.to_owned()) {
        Ok(Content::Text(text)) => Ok(Some(text)),
        Ok(Content::Values(_)) => Ok(None),
        Err(failure) => Err(about(failure, answer, &media)),
    }
}

fn no_body(status: u16) -> bool {
    matches!(status, 204 | 205 | 304)
}

/// With what there is to know about an answer that is not what was expected.
fn about(failure: NodeFailure, answer: &HttpResponse, media: &str) -> NodeFailure {
    failure.detail("status", answer.status).detail("contentType", media).detail("begins", begins(answer))
}

/// The failure of an answer whose content codings cannot be undone.
pub(crate) fn undecoded(answer: &HttpResponse) -> Option<NodeFailure> {
    let why = answer.undecoded.as_ref()?;
    let failure = NodeFailure::validation("CONTENT_ENCODING", why.clone())
        .detail("status", answer.status)
        .detail("contentType", media_type(answer))
        .detail("contentEncoding", header(answer, "content-encoding").unwrap_or_default());
    Some(failure)
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
        502 => new(NetworkError, "SERVICE_UNAVAILABLE").retryable().maybe_happened(),
        // The service is there, and failed.
        500.. => new(NetworkError, "SERVER_ERROR").retryable().maybe_happened(),
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
    if !(is_json(&media) || is_text(&media) || media.is_empty()) {
        return None;
    }
    let text = decode(answer).ok()?;
    if is_json(&media)
        && answer.body.len() <= LONGEST
        && let Ok(value) = serde_json::from_str(&text)
        && lossless::loss(&text).is_none()
    {
        return Some(value);
    }
    Some(Value::String(text.chars().take(LONGEST).collect()))
}

fn is_lossless(body: &[u8]) -> bool {
    std::str::from_utf8(body).is_ok_and(|text| lossless::loss(text).is_none())
}

/// The answer without the secrets of this machine, which a server may send back.
pub(crate) fn without_secrets(mut answer: HttpResponse, scrubber: &Scrubber) -> HttpResponse {
    for (name, value) in &mut answer.headers {
        *name = scrubber.text(name).into_owned();
        *value = scrubber.text(value).into_owned();
    }
    let cookies = answer.cookies.iter_mut().map(|cookie| &mut cookie.value);
    for text in cookies.chain(&mut answer.set_cookies).chain(&mut answer.undecoded) {
        *text = scrubber.text(text).into_owned();
    }
    if scrubber.finds(&answer.body) {
        // JSON stays JSON, also where the secret is a number.
        answer.body = match serde_json::from_slice::<Value>(&answer.body) {
            Ok(mut value) if is_lossless(&answer.body) => {
                scrubber.value(&mut value);
                value.to_string().into_bytes()
            }
            // As JSON other parts would change as well.
            Ok(_) | Err(_) => scrubber.bytes(&answer.body).into_owned(),
        };
    }
    answer
}

/// The failure of an exchange without an answer.
pub(crate) fn exchange_failure(error: HttpError, timeout_ms: u64, scrubber: &Scrubber) -> NodeFailure {
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
        HttpError::RedirectRefused { status, location, message } => {
            let failure = NodeFailure::tool("REDIRECT_REFUSED", scrubber.text(&message))
                .detail("status", status)
                .detail("location", scrubber.text(&location));
            // The others say that the request is to be sent somewhere else, and not that it was carried out.
            if matches!(status, 307 | 308) { failure } else { failure.maybe_happened() }
        }
        HttpError::TooLarge { limit, status } => NodeFailure::validation(
            "TOO_LARGE",
            format!("The answer is larger than the limit of {} MiB", limit / 1024 / 1024),
        )
        .detail("limit", limit)
        .detail("status", status),
    }
}
