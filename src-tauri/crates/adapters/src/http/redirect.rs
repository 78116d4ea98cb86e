//! Redirects (RFC 9110, 15.4): where they lead, what becomes of the request, and what must not go along.

use reqwest::header::{HeaderMap, HeaderName, LOCATION};
use reqwest::{Method, StatusCode};
use signalbox_ports::HttpError;
use url::Url;

/// What another origin may see of the headers of a step: they say what is wanted, not who asks. A list of names that sound
/// secret would never be complete.
const HARMLESS: [&str; 8] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "pragma",
    "range",
    "user-agent",
];

/// The next address of a redirect; `None` when the answer is none, or names no address.
pub(crate) fn target(response: &reqwest::Response, url: &Url) -> Result<Option<Url>, HttpError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(given) = response.headers().get(LOCATION) else { return Ok(None) };
    // Letters beyond ASCII are not allowed there, and are sent as UTF-8 all the same.
    let given = String::from_utf8_lossy(given.as_bytes());
    match url.join(given.trim()) {
        Ok(next) => Ok(Some(next)),
        Err(error) => Err(HttpError::BadUrl {
            message: format!(
                "{} redirects to '{}', which is not an address: {error}",
                url.host_str().unwrap_or_default(),
                given.chars().take(200).collect::<String>()
            ),
        }),
    }
}

/// Whether a redirect makes the request a GET without a body.
pub(crate) fn becomes_get(status: StatusCode, method: &Method) -> bool {
    match status.as_u16() {
        303 => *method != Method::HEAD,
        301 | 302 => *method == Method::POST,
        _ => false,
    }
}

/// Takes away what described the body that is not sent again.
pub(crate) fn forget_body(headers: &mut HeaderMap) {
    retain(headers, |name| {
        let of_body =
            name.starts_with("content-") || ["digest", "repr-digest", "last-modified", "expect"].contains(&name);
        !of_body && name != "idempotency-key"
    });
}

/// Takes away what another origin must not see.
pub(crate) fn keep_harmless(headers: &mut HeaderMap) {
    retain(headers, |name| HARMLESS.contains(&name));
}

fn retain(headers: &mut HeaderMap, keep: impl Fn(&str) -> bool) {
    let gone: Vec<HeaderName> = headers.keys().filter(|name| !keep(name.as_str())).cloned().collect();
    for name in gone {
        headers.remove(name);
    }
}

/// Whether a redirect stays on its host: the same scheme and port, or from http to https on their usual ports.
pub(crate) fn stays_on_host(from: &Url, to: &Url) -> bool {
    let upgrade = from.scheme() == "http" && to.scheme() == "https" && from.port().is_none() && to.port().is_none();
    let same_place = from.scheme() == to.scheme() && from.port_or_known_default() == to.port_or_known_default();
    from.host() == to.host() && (same_place || upgrade)
}

/// The error for a redirect that is not followed.
pub(crate) fn refused(status: StatusCode, from: &Url, to: &Url, why: &str) -> HttpError {
    let host = from.host_str().unwrap_or_default();
    HttpError::RedirectRefused {
        status: status.as_u16(),
        location: to.to_string(),
        message: format!(
            "{host} answered {} and redirects to {}: {why}",
            status.as_u16(),
            to.origin().ascii_serialization()
        ),
    }
}

#[cfg(test)]
mod tests;
