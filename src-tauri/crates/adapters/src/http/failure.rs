//! What a failed exchange means.

use super::Blocked;
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
        let tls = sources(error).any(|source| source.downcast_ref::<rustls::Error>().is_some()) || tls_inside(error);
        let message = if tls {
            format!("The secure connection to {host}:{port} failed: {}", root(error))
        } else if io == Some(std::io::ErrorKind::ConnectionRefused) {
            format!("Nothing answers at {host}:{port} (connection refused)")
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

/// TLS errors travel inside io errors, sometimes two deep, which `source` does not show.
fn tls_inside(error: &reqwest::Error) -> bool {
    fn holds(io: &std::io::Error) -> bool {
        io.get_ref().is_some_and(|inner| {
            inner.is::<rustls::Error>() || inner.downcast_ref::<std::io::Error>().is_some_and(holds)
        })
    }
    sources(error).filter_map(|source| source.downcast_ref::<std::io::Error>()).any(holds)
}
