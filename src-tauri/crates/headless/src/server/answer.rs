//! How answers and errors look on the wire.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};
use signalbox_app::{ApiError, Class, FileContent};
use std::io::{self, Read};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

/// Bytes of a file that are read at once, and how many such parts wait for a slow reader.
const CHUNK: usize = 64 * 1024;
const CHUNKS: usize = 4;

/// A JSON answer.
pub(crate) fn json(status: StatusCode, value: &Value) -> Response {
    let mut response = text(value.to_string(), "application/json");
    *response.status_mut() = status;
    response
}

/// An answer of another type.
pub(crate) fn text(text: String, media: &'static str) -> Response {
    let mut response = Response::new(Body::from(text));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// JSON in a shape that has a name.
pub(crate) fn profiled(body: String, profile: &str) -> Response {
    let mut response = text(body, "application/json");
    head(&mut response, header::CONTENT_TYPE, &format!("application/json; profile=\"{profile}\""));
    head(&mut response, header::VARY, "Accept");
    response
}

/// Bytes of a run: nobody's page, whatever they are, so they are saved and never shown.
pub(crate) fn bytes(bytes: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A file, sent while it is read. Nobody's page either: it is saved, under its own name.
pub(crate) fn file(mut content: FileContent) -> Response {
    let (size, disposition, digest) = (content.size, attachment(&content.name), content.digest());
    let (sender, receiver) = mpsc::channel::<io::Result<Vec<u8>>>(CHUNKS);
    tokio::task::spawn_blocking(move || {
        loop {
            let mut chunk = vec![0; CHUNK];
            let read = content.read(&mut chunk);
            let part = match read {
                Ok(0) => return,
                Ok(count) => {
                    chunk.truncate(count);
                    Ok(chunk)
                }
                // The length was told: a broken connection says that this is not all.
                Err(error) => Err(error),
            };
            let is_last = part.is_err();
            if sender.blocking_send(part).is_err() || is_last {
                return;
            }
        }
    });
    let mut response = Response::new(Body::from_stream(ReceiverStream::new(receiver)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(size));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    head(&mut response, header::CONTENT_DISPOSITION, &disposition);
    if let Some(digest) = digest {
        head(&mut response, HeaderName::from_static("repr-digest"), &digest);
    }
    response
}

/// `Content-Disposition` of a file name (RFC 6266): a plain name for old clients, and the exact one in UTF-8.
fn attachment(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ' | '(' | ')');
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    let mut exact = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_') {
            exact.push(char::from(byte));
        } else {
            exact.push_str(&format!("%{byte:02X}"));
        }
    }
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{exact}")
}

/// The bytes of a single range (RFC 9110, 14): 206 with where it stands, 416 for one that is not there. Other units and
/// several ranges at once may be passed over: then everything is sent.
pub(crate) fn ranged(all: Vec<u8>, range: Option<&str>) -> Response {
    let len = all.len();
    let wanted = range.and_then(|range| range.trim().strip_prefix("bytes=")).filter(|range| !range.contains(','));
    let mut response = match wanted.map(|range| span(range, len)) {
        None => bytes(all),
        Some(Some((first, last))) => {
            let mut response = bytes(all[first..=last].to_vec());
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            head(&mut response, header::CONTENT_RANGE, &format!("bytes {first}-{last}/{len}"));
            response
        }
        Some(None) => {
            let told = ApiError::bad_request(
                format!("The range '{}' is outside of the {len} available bytes.", range.unwrap_or_default()),
                "Request bytes=FIRST-LAST, bytes=FIRST- or bytes=-COUNT; the first byte is 0.",
            );
            let mut response = error(&ApiError { code: "BAD_RANGE".into(), ..told });
            *response.status_mut() = StatusCode::RANGE_NOT_SATISFIABLE;
            head(&mut response, header::CONTENT_RANGE, &format!("bytes */{len}"));
            response
        }
    };
    head(&mut response, header::ACCEPT_RANGES, "bytes");
    response
}

fn head(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

/// First and last byte of `FIRST-LAST`, `FIRST-` or `-COUNT`; nothing when there are none.
fn span(range: &str, len: usize) -> Option<(usize, usize)> {
    let end = len.checked_sub(1)?;
    let (first, last) = range.split_once('-')?;
    match (first, last) {
        ("", count) => {
            let count = place(count).filter(|count| *count > 0)?;
            Some((len.saturating_sub(count), end))
        }
        (first, "") => place(first).map(|first| (first, end)).filter(|(first, end)| first <= end),
        (first, last) => {
            let (first, last) = (place(first)?, place(last)?);
            (first <= last && first <= end).then_some((first, last.min(end)))
        }
    }
}

/// A number of bytes; one that is too long for a number is behind all that there is.
fn place(digits: &str) -> Option<usize> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(usize::MAX))
}

/// `{error: {code, message, hint, details}}` with its status.
pub(crate) fn error(error: &ApiError) -> Response {
    let mut response = json(status(error.class), &json!({ "error": error }));
    if error.class == Class::Unauthorized {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(seconds) = error.details.as_ref().and_then(|details| details["retryAfterSeconds"].as_u64()) {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// The status of a class of errors.
pub(crate) fn status(class: Class) -> StatusCode {
    match class {
        Class::BadRequest => StatusCode::BAD_REQUEST,
        Class::Unauthorized => StatusCode::UNAUTHORIZED,
        Class::Forbidden => StatusCode::FORBIDDEN,
        Class::NotFound => StatusCode::NOT_FOUND,
        Class::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
        Class::TooSlow => StatusCode::REQUEST_TIMEOUT,
        Class::Conflict => StatusCode::CONFLICT,
        Class::TooMany => StatusCode::TOO_MANY_REQUESTS,
        Class::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Class::UnsupportedType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Class::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        Class::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

#[cfg(test)]
mod tests {
    use super::{attachment, span};

    #[test]
    fn a_file_name_cannot_leave_its_header() {
        for (name, told) in [
            ("report.csv", "attachment; filename=\"report.csv\"; filename*=UTF-8''report.csv"),
            ("a \"b\"\r\n.csv", "attachment; filename=\"a _b___.csv\"; filename*=UTF-8''a%20%22b%22%0D%0A.csv"),
            ("größe.csv", "attachment; filename=\"gr__e.csv\"; filename*=UTF-8''gr%C3%B6%C3%9Fe.csv"),
        ] {
            assert_eq!(attachment(name), told);
        }
    }

    #[test]
    fn ranges_lie_in_what_is_there() {
        for (range, found) in [
            ("0-3", Some((0, 3))),
            ("4-4", Some((4, 4))),
            ("7-", Some((7, 9))),
            ("7-99", Some((7, 9))),
            ("-3", Some((7, 9))),
            ("-99", Some((0, 9))),
            ("10-", None),
            ("3-2", None),
            ("-0", None),
            ("-", None),
            ("a-b", None),
            ("5", None),
            ("", None),
            ("99999999999999999999-", None),
            ("+1-2", None),
            ("7-99999999999999999999", Some((7, 9))),
            ("-99999999999999999999", Some((0, 9))),
        ] {
            assert_eq!(span(range, 10), found, "{range}");
        }
        assert_eq!((span("0-", 0), span("-1", 0)), (None, None));
    }
}
