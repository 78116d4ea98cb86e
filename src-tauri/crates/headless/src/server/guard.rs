//! What every request must pass before anything looks at it: Host, Origin, token, content type (TRUST, localhost).

use axum::http::{HeaderMap, Method, Uri, header};
use signalbox_app::{ApiError, Class};

use super::tokens::{Holder, Tokens};

/// Names under which this server may be addressed.
#[derive(Debug)]
pub(crate) struct Names(Vec<String>);

impl Names {
    /// Of an address that was bound.
    pub(crate) fn of(addr: std::net::SocketAddr) -> Self {
        let port = addr.port();
        let mut names = vec![addr.to_string()];
        if addr.ip().is_loopback() {
            names.extend([format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")]);
        }
        Self(names)
    }

    /// The request names this server, in its Host header and in its request line, and a web page that asks comes from this
    /// server.
    pub(crate) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), ApiError> {
        let refused = |what: &str| {
            let message = format!("{what} does not name this server.");
            let hint = "Use the address printed at the start.";
            Err(ApiError::new(Class::Forbidden, "BAD_HOST", message, hint))
        };
        // HTTP/2 has its `:authority` there, HTTP/1.1 the host of a request line in absolute form.
        let authority = uri.authority();
        let of_this_kind = uri.scheme_str().is_none_or(|scheme| scheme.eq_ignore_ascii_case("http"));
        if authority.is_some_and(|name| !self.knows(name.as_str())) || !of_this_kind {
            return refused("The address in the request line");
        }
        let hosts: Vec<_> = headers.get_all(header::HOST).iter().collect();
        let named = match (hosts.as_slice(), authority) {
            ([], authority) => authority.is_some(),
            ([host], _) => host.to_str().is_ok_and(|host| self.knows(host)),
            _ => false,
        };
        if !named {
            return refused("The Host header");
        }
        for origin in headers.get_all(header::ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            if !origin.strip_prefix("http://").is_some_and(|name| self.knows(name)) {
                return Err(ApiError::new(
                    Class::Forbidden,
                    "BAD_ORIGIN",
                    "The request comes from another web page; only this server's own page is allowed.",
                    "Open the address printed at the start.",
                ));
            }
        }
        Ok(())
    }

    fn knows(&self, name: &str) -> bool {
        self.0.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// Whose the bearer token is.
pub(crate) fn holder<'a>(tokens: &'a Tokens, headers: &HeaderMap) -> Result<&'a Holder, ApiError> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let token = values.next().and_then(|value| value.to_str().ok()).and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token)
    });
    match token.and_then(|token| tokens.holder(token)) {
        Some(holder) if values.next().is_none() => Ok(holder),
        _ => Err(ApiError::new(
            Class::Unauthorized,
            "UNAUTHORIZED",
            "There is no valid token.",
            "Send `Authorization: Bearer <token>` with a token of the token file.",
        )),
    }
}

/// A body is JSON, and says so.
pub(crate) fn json_only(method: &Method, headers: &HeaderMap) -> Result<(), ApiError> {
    if *method == Method::GET || *method == Method::DELETE {
        return Ok(());
    }
    let media = headers.get(header::CONTENT_TYPE).map(|value| value.to_str().unwrap_or("?").to_ascii_lowercase());
    let encoded = headers.contains_key(header::CONTENT_ENCODING);
    let plain = match media.as_deref() {
        Some(media) => {
            let mut parts = media.split(';').map(str::trim);
            parts.next() == Some("application/json")
                && parts.all(|part| matches!(part, "charset=utf-8" | "charset=\"utf-8\""))
        }
        // An empty body has no type: abort has nothing to say.
        None => {
            headers.get(header::CONTENT_LENGTH).is_none_or(|length| length == "0")
                && !headers.contains_key(header::TRANSFER_ENCODING)
        }
    };
    if plain && !encoded {
        return Ok(());
    }
    Err(ApiError::new(
        Class::UnsupportedType,
        "UNSUPPORTED_MEDIA_TYPE",
        "Only JSON is accepted.",
        "Send `Content-Type: application/json`.",
    ))
}

#[cfg(test)]
mod tests;
