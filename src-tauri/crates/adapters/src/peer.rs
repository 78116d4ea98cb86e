//! Where a server is that speaks no HTTP: only at allowed addresses, which follow the same rules.

use crate::address::{self, Class, Reach};
use signalbox_ports::Credential;
use signalbox_ports::host::{canonical, is_localhost};
use std::net::{IpAddr, SocketAddr};
use url::Url;

/// A server as its settings name it.
pub(crate) struct Peer<'a> {
    pub(crate) host: &'a str,
    pub(crate) port: u16,
    pub(crate) tls: bool,
    pub(crate) credential: Option<&'a Credential>,
    /// Loopback addresses are allowed for this call.
    pub(crate) loopback_allowed: bool,
}

/// Why a server is not asked.
pub(crate) enum PeerFault {
    /// It is no host.
    Host,
    /// The name has no address.
    NotFound,
    /// The address is not allowed.
    AddressRefused,
}

/// Why a server is not asked, in plain words without a full stop.
pub(crate) struct PeerError {
    pub(crate) fault: PeerFault,
    pub(crate) message: String,
}

pub(crate) fn is_this_machine(host: &str) -> bool {
    is_localhost(host) || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

impl Peer<'_> {
    /// The address as one of the web, which the rules for hosts and secrets are written for.
    pub(crate) fn web(&self) -> Result<Url, PeerError> {
        let host = canonical(self.host);
        let wrong = || {
            let message = format!(
                "'{}' is no host. Write a name like db.example.com or an address like 192.168.1.5, without a port",
                self.host.chars().take(200).collect::<String>()
            );
            PeerError { fault: PeerFault::Host, message }
        };
        if host.is_empty() || host.contains(['/', '@', '?', '#', ' ', '\\']) {
            return Err(wrong());
        }
        let spelled = if host.parse::<std::net::Ipv6Addr>().is_ok() { format!("[{host}]") } else { host };
        let scheme = if self.tls { "https" } else { "http" };
        let url = Url::parse(&format!("{scheme}://{spelled}:{}", self.port)).map_err(|_| wrong())?;
        if url.path() == "/" { Ok(url) } else { Err(wrong()) }
    }

    /// An address that the rules allow to connect to. A person who stored a password for exactly this host has consented to it,
    /// so that it may be in a private network or on this machine; nothing else of those networks is open by that.
    pub(crate) async fn address(&self) -> Result<SocketAddr, PeerError> {
        let host = canonical(self.host);
        let found: Vec<IpAddr> = match host.parse() {
            Ok(ip) => vec![ip],
            Err(_) => {
                let name = if is_localhost(&host) { "localhost" } else { host.as_str() };
                let looked_up = tokio::net::lookup_host((name, 0)).await;
                looked_up.map(|all| all.map(|address| address.ip()).collect()).unwrap_or_default()
            }
        };
        let Some(first) = found.first().copied() else {
            let message = format!("The name '{host}' was not found. Check the host");
            return Err(PeerError { fault: PeerFault::NotFound, message });
        };
        let named = self
            .credential
            .is_some_and(|credential| credential.hosts.iter().any(|allowed| allowed.is_exactly(&host, self.port)));
        let grants: &[String] = if named { std::slice::from_ref(&host) } else { &[] };
        let reach = if self.loopback_allowed { Reach::Loopback } else { Reach::Granted };
        let good = |ip: &IpAddr| address::class(*ip) != Class::LinkLocal && address::allowed(&host, *ip, reach, grants);
        let ip = found.into_iter().find(good).ok_or_else(|| {
            let mut message = address::refusal(&host, Some(first));
            if matches!(address::class(first), Class::Private | Class::Loopback) && !named {
                message.push_str(". A credential whose allowed hosts name exactly this host allows it, too");
            }
            PeerError { fault: PeerFault::AddressRefused, message }
        })?;
        Ok(SocketAddr::new(ip, self.port))
    }
}
