//! What the pages of a program share: they load nothing from elsewhere and are in no frame.

use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::{MethodRouter, get};

pub(crate) const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(crate) fn asset<S: Clone + Send + Sync + 'static>(kind: &'static str, body: &'static str) -> MethodRouter<S> {
    get(move || async move { ([(header::CONTENT_TYPE, kind)], body).into_response() })
}

pub(crate) fn script<S: Clone + Send + Sync + 'static>(body: &'static str) -> MethodRouter<S> {
    asset(SCRIPT, body)
}

/// Fields of a JSON schema as a form.
pub(crate) fn fields<S: Clone + Send + Sync + 'static>() -> MethodRouter<S> {
    script(include_str!("page/fields.js"))
}

/// The look, in both themes.
pub(crate) fn style<S: Clone + Send + Sync + 'static>() -> MethodRouter<S> {
    asset("text/css; charset=utf-8", include_str!("page/page.css"))
}
