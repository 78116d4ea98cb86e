//! What every request must pass before anything looks at it: Host, Origin, token, content type (TRUST, localhost).

use axum::http::{HeaderMap, Method, Uri, header};
use signalbox_app::{ApiError, Class};

use super::Server;
use super::address::{PublicUrl, scheme};
use super::sessions::Session;
use super::tokens::Holder;
use signalbox_adapters::RealClock;
use signalbox_ports::Clock;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::sync::watch;

/// Names under which this server may be addressed, each with its scheme.
#[derive(Debug)]
pub(crate) struct Names(Vec<(&'static str, String)>);

impl Names {
    /// Of an address that was bound, and of the one for people.
    pub(crate) fn of(addr: SocketAddr, is_tls: bool, public: &PublicUrl) -> Self {
        let (port, own) = (addr.port(), scheme(is_tls));
        let mut names = vec![addr.to_string()];
        if addr.ip().is_loopback() {
            names.extend([format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")]);
        }
        // The usual port is not written.
        if let Some(here) = PublicUrl::of(addr, is_tls) {
            names.extend(here.names());
        }
        let mut names: Vec<_> = names.into_iter().map(|name| (own, name)).collect();
        names.extend(public.names().into_iter().map(|name| (scheme(public.is_https()), name)));
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
        let of_this_kind =
            uri.scheme_str().is_none_or(|given| self.0.iter().any(|(own, _)| own.eq_ignore_ascii_case(given)));
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
            let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
            if !origin.is_some_and(|(scheme, name)| {
                self.0.iter().any(|(own, known)| *own == scheme && known.eq_ignore_ascii_case(name))
            }) {
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
        self.0.iter().any(|(_, known)| known.eq_ignore_ascii_case(name))
    }

    /// The address by which a request came that was checked, with its scheme and without a path.
    pub(crate) fn base_of(&self, uri: &Uri, headers: &HeaderMap) -> Option<String> {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let name = host.or_else(|| uri.authority().map(|name| name.as_str()))?;
        let (scheme, name) = self.0.iter().rev().find(|(_, known)| known.eq_ignore_ascii_case(name))?;
        Some(format!("{scheme}://{name}"))
    }
}

/// The bearer token of a request.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (scheme, token) = values.next()?.to_str().ok()?.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && values.next().is_none()).then_some(token)
}

/// Who asks, and by what.
pub(crate) struct Admitted {
    pub(crate) holder: Holder,
    /// The name of a token of the list.
    pub(crate) token: Option<String>,
    /// The id of the session of a person who signed in.
    pub(crate) session: Option<String>,
    /// Says that the access has ended.
    pub(crate) ended: Option<watch::Receiver<bool>>,
}

/// Whose the bearer token is: one of the file, one of the list, or that of a person who signed in.
pub(crate) async fn admit(server: &Server, headers: &HeaderMap) -> Result<Admitted, ApiError> {
    if let Some(holder) = bearer(headers).and_then(|token| server.tokens.holder(token)) {
        return Ok(Admitted { holder: holder.clone(), token: None, session: None, ended: None });
    }
    if let Some(token) = bearer(headers)
        && let Some(live) = server.access.find(&server.app, token, RealClock.now_ms()).await?
    {
        let ended = Some(live.ended.subscribe());
        return Ok(Admitted { holder: live.holder.clone(), token: Some(live.name.clone()), session: None, ended });
    }
    let session = session(server, headers).await?;
    let person = session.person();
    let workspaces = person.workspace_roles().map(Arc::new);
    let holder = Holder { role: person.role, name: person.name, workspaces };
    Ok(Admitted { holder, token: None, session: Some(session.id.clone()), ended: Some(session.ended.subscribe()) })
}

/// The session of a person who signed in.
pub(crate) async fn session(server: &Server, headers: &HeaderMap) -> Result<Arc<Session>, ApiError> {
    let sign_in = server.sign_in.as_ref();
    let found = match (sign_in, bearer(headers)) {
        (Some(sign_in), Some(token)) => sign_in.session(&server.app, token).await,
        _ => None,
    };
    found.ok_or_else(|| {
        let hint = match sign_in {
            Some(_) => "Sign in on the page, or send `Authorization: Bearer <token>` with a token of this server.",
            None => "Send `Authorization: Bearer <token>` with a token of the token file or of `signalbox token add`.",
        };
        ApiError::new(Class::Unauthorized, "UNAUTHORIZED", "There is no valid token.", hint)
    })
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
