//! The web UI, embedded when it was built before the program.

use super::tokens;
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::Response;

include!(concat!(env!("OUT_DIR"), "/ui.rs"));

/// As in the window (TRUST, desktop shell configuration); the page talks to this server only.
pub(crate) const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     font-src 'self'; connect-src 'self'; frame-src 'none'; child-src 'none'; worker-src 'self'; object-src 'none'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// In the page, where the nonce of its styles belongs; the window fills the same place.
const STYLE_NONCE: &str = "__TAURI_STYLE_NONCE__";

/// Whether there is a UI to serve.
pub(crate) fn built() -> bool {
    FILES.iter().any(|(name, _)| *name == "index.html")
}

/// A file of the UI, or nothing. The UI holds no data and no token, so it is served to every browser that comes by the
/// right name.
pub(crate) fn file(path: &str) -> Option<Response> {
    let name = path.strip_prefix('/')?;
    named(if name.is_empty() { "index.html" } else { name })
}

/// The page of forms; it loads its files from `/forms/assets/`.
pub(crate) fn form_page() -> Option<Response> {
    named("form.html")
}

/// A file that pages load.
pub(crate) fn asset(name: &str) -> Option<Response> {
    named(&format!("assets/{name}"))
}

fn named(name: &str) -> Option<Response> {
    let (_, bytes) = FILES.iter().find(|(known, _)| *known == name)?;
    let (body, policy) = match name.ends_with(".html").then(|| with_nonce(bytes)).flatten() {
        Some((page, policy)) => (Body::from(page), policy),
        None => (Body::from(*bytes), CSP.to_owned()),
    };
    let media = match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "webmanifest" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    };
    // Files with a hash in their name never change.
    let cache = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    Response::builder()
        .status(StatusCode::OK)
        .header(header::CONTENT_TYPE, media)
        .header(header::CACHE_CONTROL, cache)
        .header(header::CONTENT_SECURITY_POLICY, policy)
        .header("Cross-Origin-Opener-Policy", "same-origin")
        .body(body)
        .ok()
}

/// The page with a nonce of its own, and the policy that allows it.
fn with_nonce(page: &[u8]) -> Option<(String, String)> {
    let page = std::str::from_utf8(page).ok().filter(|page| page.contains(STYLE_NONCE))?;
    // Without random numbers the page is served, and the editor in it is plain.
    let nonce = tokens::random_token().ok()?;
    let policy = CSP.replace("style-src 'self'", &format!("style-src 'self' 'nonce-{nonce}'"));
    Some((page.replace(STYLE_NONCE, &nonce), policy))
}
