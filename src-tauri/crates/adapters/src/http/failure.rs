//! What a failed exchange means.

use super::Blocked;
use crate::tls::certificate_refusal;
use signalbox_ports::HttpError;
use std::error::Error as StdError;
use url::Url;

/// The error and what caused it, outermost first.
fn sources<'a>(error: &'a (dyn StdError + 'static)) -> std::vec::IntoIter<&'a (dyn StdError + 'static)> {
    let mut chain = vec![error];
    let mut here = error;
    while let Some(next) = here.source() {
        chain.push(next);
        here = next;
    }
    chain.into_iter()
}

pub(crate) fn root(error: &(dyn StdError + 'static)) -> String {
    sources(error).last().map(ToString::to_string).unwrap_or_default()
}

/// What a failed exchange means.
pub(crate) fn failure(error: &reqwest::Error, url: &Url) -> HttpError {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or_default();
    for source in sources(error) {
        match source.downcast_ref::<Blocked>() {
            Some(Blocked::Refused(message)) => return HttpError::Refused { message: message.clone() },
            Some(unknown @ Blocked::Unknown(_)) => {
                return HttpError::Connect { message: format!("{unknown}. Check its spelling and the network") };
            }
            None => {}
        }
    }
    if error.is_timeout() {
        return HttpError::Timeout { sent: !error.is_connect() };
    }
    if error.is_builder() {
        return HttpError::BadUrl { message: format!("The address cannot be asked: {}", root(error)) };
    }
    if error.is_connect() {
        let io = sources(error).find_map(|source| source.downcast_ref::<std::io::Error>()).map(std::io::Error::kind);
        let message = if let Some(tls) = tls_inside(error) {
            certificate_refusal(host, tls, None)
                .unwrap_or_else(|| format!("The secure connection to {host}:{port} failed: {}", root(error)))
        } else if io == Some(std::io::ErrorKind::ConnectionRefused) {
            format!(
                "Nothing answers at {host}:{port} (connection refused). Check host and port of the address, and that the server runs"
            )
        } else {
            format!("No connection to {host}:{port}: {}", root(error))
        };
        return HttpError::Connect { message };
    }
    if let Some(fault) = sources(error).find_map(|source| source.downcast_ref::<hyper::Error>())
        && fault.is_parse()
    {
        let message = if fault.is_parse_too_large() {
            format!("{host}:{port} answered with more headers than are read")
        } else {
            format!("{host}:{port} answered with something that is not HTTP: {}", root(error))
        };
        return HttpError::Cut { message };
    }
    HttpError::Cut { message: format!("The connection to {host}:{port} was cut off before the answer was complete") }
}

/// What a failed exchange through a proxy means.
pub(crate) fn behind_proxy(error: &reqwest::Error, url: &Url, proxy: &str) -> HttpError {
    if !error.is_connect() || error.is_timeout() {
        return failure(error, url);
    }
    let why = root(error);
    if why.contains("proxy authorization required") {
        return login_missing(proxy);
    }
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or_default();
    let io = sources(error).find_map(|source| source.downcast_ref::<std::io::Error>()).map(std::io::Error::kind);
    let message = if let Some(tls) = tls_inside(error) {
        let why = certificate_refusal(host, tls, None).unwrap_or(why);
        format!("The secure connection to {host}:{port} through the proxy {proxy} failed: {why}")
    } else if io == Some(std::io::ErrorKind::ConnectionRefused) {
        format!("Nothing answers at the proxy {proxy} (connection refused). Check it in Settings, Network")
    } else if why.starts_with("tunnel error") {
        format!(
            "The proxy {proxy} does not connect to {host}:{port}. Ask who runs it, or add the host to the exceptions"
        )
    } else {
        format!("No connection to {host}:{port} through the proxy {proxy}: {why}")
    };
    HttpError::Connect { message }
}

/// The proxy wants to know who asks.
pub(crate) fn login_missing(proxy: &str) -> HttpError {
    HttpError::Connect {
        message: format!(
            "The proxy {proxy} asks for a user and a password, or refuses those that it got. Choose a secret for it in \
             Settings, Network"
        ),
    }
}

/// The error of TLS. It travels inside io errors, sometimes two deep, which `source` does not show.
fn tls_inside(error: &reqwest::Error) -> Option<&rustls::Error> {
    fn held(io: &std::io::Error) -> Option<&rustls::Error> {
        let inner = io.get_ref()?;
        inner.downcast_ref::<rustls::Error>().or_else(|| held(inner.downcast_ref::<std::io::Error>()?))
    }
    sources(error).find_map(|source| {
        source.downcast_ref::<rustls::Error>().or_else(|| held(source.downcast_ref::<std::io::Error>()?))
    })
}
