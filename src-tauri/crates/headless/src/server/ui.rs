//! The web UI, embedded when it was built before the program.

use super::tokens;
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use flate2::read::GzDecoder;
use std::borrow::Cow;
use std::io::Read;

include!(concat!(env!("OUT_DIR"), "/ui.rs"));

/// As in the window (TRUST, desktop shell configuration); the page talks to this server only.
pub(crate) const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     font-src 'self'; connect-src 'self'; frame-src 'none'; child-src 'none'; worker-src 'self'; object-src 'none'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// In the page, where the nonce of its styles belongs; the window fills the same place.
const STYLE_NONCE: &str = "__TAURI_STYLE_NONCE__";

/// Whether there is a UI to serve.
pub(crate) fn built() -> bool {
    FILES.iter().any(|(name, ..)| *name == "index.html")
}

/// A file of the UI, or nothing. The UI holds no data and no token, so it is served to every browser that comes by the
/// right name.
pub(crate) fn file(path: &str, asked: &HeaderMap) -> Option<Response> {
    let name = path.strip_prefix('/')?;
    named(if name.is_empty() { "index.html" } else { name }, asked)
}

/// The page of forms; it loads its files from `/forms/assets/`.
pub(crate) fn form_page(asked: &HeaderMap) -> Option<Response> {
    named("form.html", asked)
}

/// A file that pages load.
pub(crate) fn asset(name: &str, asked: &HeaderMap) -> Option<Response> {
    named(&format!("assets/{name}"), asked)
}

fn named(name: &str, asked: &HeaderMap) -> Option<Response> {
    let (_, is_packed, bytes) = FILES.iter().find(|(known, ..)| *known == name)?;
    let is_page = name.ends_with(".html");
    let stays_packed = *is_packed && !is_page && takes_gzip(asked);
    let bytes = if *is_packed && !stays_packed { Cow::Owned(unpacked(bytes)?) } else { Cow::Borrowed(*bytes) };
    let (body, policy) = match is_page.then(|| with_nonce(&bytes)).flatten() {
        Some((page, policy)) => (Body::from(page), policy),
        None => (Body::from(bytes), CSP.to_owned()),
    };
    let media = match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "webmanifest" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    };
    // Files with a hash in their name never change.
    let cache = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let mut response = Response::builder().status(StatusCode::OK);
    if *is_packed && !is_page {
        response = response.header(header::VARY, "Accept-Encoding");
    }
    if stays_packed {
        response = response.header(header::CONTENT_ENCODING, "gzip");
    }
    response
        .header(header::CONTENT_TYPE, media)
        .header(header::CACHE_CONTROL, cache)
        .header(header::CONTENT_SECURITY_POLICY, policy)
        .header("Cross-Origin-Opener-Policy", "same-origin")
        .body(body)
        .ok()
}

/// Every browser does.
fn takes_gzip(asked: &HeaderMap) -> bool {
    let codings = asked.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    codings.flat_map(|list| list.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip") || name == "*");
        let weight = parts.find_map(|part| part.strip_prefix("q=")).map_or(Ok(1.0), str::parse);
        is_gzip && weight.is_ok_and(|weight: f64| weight > 0.0)
    })
}

fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    // Packed by the build of this program.
    GzDecoder::new(bytes).read_to_end(&mut whole).ok()?;
    Some(whole)
}

/// The page with a nonce of its own, and the policy that allows it.
fn with_nonce(page: &[u8]) -> Option<(String, String)> {
    let page = std::str::from_utf8(page).ok().filter(|page| page.contains(STYLE_NONCE))?;
    // Without random numbers the page is served, and the editor in it is plain.
    let nonce = tokens::random_token().ok()?;
    let policy = CSP.replace("style-src 'self'", &format!("style-src 'self' 'nonce-{nonce}'"));
    Some((page.replace(STYLE_NONCE, &nonce), policy))
}

#[cfg(test)]
mod tests {
    use super::{HeaderMap, header, takes_gzip};

    #[test]
    fn what_is_packed_is_sent_packed_to_those_who_say_that_they_take_it() {
        let taken = |text: &'static str| {
            let mut asked = HeaderMap::new();
            asked.insert(header::ACCEPT_ENCODING, header::HeaderValue::from_static(text));
            takes_gzip(&asked)
        };
        assert!(!takes_gzip(&HeaderMap::new()));
        for yes in ["gzip", "br, GZIP;q=0.5", "*"] {
            assert!(taken(yes), "{yes}");
        }
        for no in ["", "br", "gzip;q=0", "gzip; q=0.0", "identity"] {
            assert!(!taken(no), "{no}");
        }
    }
}
