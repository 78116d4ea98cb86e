//! Where the server is: the address that it listens on, and the one under which people reach it.

use signalbox_ports::host::is_localhost;
use std::net::SocketAddr;
use std::str::FromStr;
use url::{Host, Url};

/// Under which address people reach the server: scheme, host, and a port that is not the usual one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PublicUrl(Url);

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| format!("'{text}' {why}; write it like https://signalbox.example.com");
        let url = Url::parse(text).map_err(|_| wrong("is no address"))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(wrong("is neither http:// nor https:// with a host"));
        }
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(wrong("has a path; the server needs a host for itself"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("has a user"));
        }
        Ok(Self(url))
    }
}

impl PublicUrl {
    /// Of the address that the server listens on.
    pub(crate) fn of(addr: SocketAddr, is_tls: bool) -> Option<Self> {
        format!("{}://{addr}", scheme(is_tls)).parse().ok()
    }

    /// Whether it is by HTTPS.
    pub(crate) fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// The host, without a port.
    pub(crate) fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// Whether only programs of this machine reach it.
    pub(crate) fn is_here(&self) -> bool {
        match self.0.host() {
            Some(Host::Domain(name)) => is_localhost(name),
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            None => false,
        }
    }

    /// As it is written, without a slash at the end.
    pub(crate) fn base(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    /// How requests name it.
    pub(crate) fn names(&self) -> Vec<String> {
        let port = self.0.port_or_known_default().unwrap_or_default();
        let mut names = vec![format!("{}:{port}", self.host())];
        if self.0.port().is_none() {
            names.push(self.host().to_owned());
        }
        names
    }
}

/// The scheme of a server.
pub(crate) fn scheme(is_tls: bool) -> &'static str {
    if is_tls { "https" } else { "http" }
}

#[cfg(test)]
mod tests;
