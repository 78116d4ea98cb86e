//! How answers and errors look on the wire.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};
use signalbox_app::{ApiError, Class};

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

/// Bytes of a run: nobody's page, whatever they are, so they are saved and never shown.
pub(crate) fn bytes(bytes: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// `{error: {code, message, hint, details}}` with its status.
pub(crate) fn error(error: &ApiError) -> Response {
    let mut response = json(status(error.class), &json!({ "error": error }));
    if error.class == Class::Unauthorized {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
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
        Class::Conflict => StatusCode::CONFLICT,
        Class::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Class::UnsupportedType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Class::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        Class::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}
