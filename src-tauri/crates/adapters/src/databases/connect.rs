//! Where a server is: only at allowed addresses, with a password only for hosts that it allows.

use crate::address::{self, Class, Reach};
use crate::network::{self, PerNetwork};
use crate::tls;
use rustls::ClientConfig;
use signalbox_ports::databases::{DatabaseError, DatabaseFault, Server};
use signalbox_ports::host::{canonical, is_localhost};
use signalbox_ports::secret::allows;
use signalbox_ports::{Credential, CredentialKind};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use url::Url;

/// What is the same for all calls that may share a connection.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    server: String,
    user: String,
    loopback_allowed: bool,
    tls: bool,
    root_certificate: Option<String>,
    /// Of the password, with a key of this process.
    password: u64,
}

/// Certificates of the system and the settings, read once, and a key for the hashes of passwords.
#[derive(Default)]
pub(super) struct Connector {
    trusted: PerNetwork<Arc<ClientConfig>>,
    hashes: RandomState,
}

/// Who asks.
pub(super) struct Login {
    pub(super) user: String,
    pub(super) credential: Option<Arc<Credential>>,
}

impl Login {
    pub(super) fn password(&self) -> Option<&str> {
        self.credential.as_ref().map(|credential| credential.value.expose())
    }
}

fn refused(fault: DatabaseFault, words: impl Into<String>) -> DatabaseError {
    DatabaseError::new(fault, words)
}

/// The address as one of the web, which the rules for hosts and secrets are written for.
fn web(server: &Server) -> Result<Url, DatabaseError> {
    let host = canonical(&server.host);
    let wrong = || {
        let words = format!(
            "'{}' is no host. Write a name like db.example.com or an address like 192.168.1.5, without a port",
            server.host.chars().take(200).collect::<String>()
        );
        refused(DatabaseFault::Invalid("host"), words)
    };
    if host.is_empty() || host.contains(['/', '@', '?', '#', ' ', '\\']) {
        return Err(wrong());
    }
    let spelled = if host.parse::<std::net::Ipv6Addr>().is_ok() { format!("[{host}]") } else { host };
    let scheme = if server.tls { "https" } else { "http" };
    let url = Url::parse(&format!("{scheme}://{spelled}:{}", server.port)).map_err(|_| wrong())?;
    if url.path() == "/" { Ok(url) } else { Err(wrong()) }
}

/// Who asks there; the password is refused where it may not go.
pub(super) fn login(server: &Server) -> Result<Login, DatabaseError> {
    let web = web(server)?;
    if let Some(credential) = &server.credential {
        allows(&credential.hosts, &web).map_err(|why| {
            let words = format!("The credential '{}' was not sent: {why}", credential.name);
            refused(DatabaseFault::CredentialRefused, words)
        })?;
    } else if !server.tls && !is_this_machine(&canonical(&server.host)) {
        let words = "Without TLS and without a credential, a database is asked on this machine only. Switch TLS on, or use a credential that allows http:// for this host";
        return Err(refused(DatabaseFault::CredentialRefused, words));
    }
    let of_credential = match server.credential.as_ref().map(|credential| &credential.kind) {
        Some(CredentialKind::Basic { user }) => Some(user.clone()),
        _ => None,
    };
    let user = server.user.clone().filter(|user| !user.is_empty()).or(of_credential).ok_or_else(|| {
        let words = "There is no user. Fill in 'user', or choose a credential with user and password";
        refused(DatabaseFault::Invalid("user"), words)
    })?;
    Ok(Login { user, credential: server.credential.clone() })
}

fn is_this_machine(host: &str) -> bool {
    is_localhost(host) || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

/// An address that the rules allow to connect to. A person who stored a password for exactly this host has consented to it, so
/// that it may be in a private network or on this machine; nothing else of those networks is open by that.
pub(super) async fn address(server: &Server) -> Result<SocketAddr, DatabaseError> {
    let host = canonical(&server.host);
    let found: Vec<IpAddr> = match host.parse() {
        Ok(ip) => vec![ip],
        Err(_) => {
            let name = if is_localhost(&host) { "localhost" } else { host.as_str() };
            let looked_up = tokio::net::lookup_host((name, 0)).await;
            looked_up.map(|all| all.map(|address| address.ip()).collect()).unwrap_or_default()
        }
    };
    let Some(first) = found.first().copied() else {
        let words = format!("The name '{host}' was not found. Check the host");
        return Err(refused(DatabaseFault::Connection, words));
    };
    let named = server
        .credential
        .as_ref()
        .is_some_and(|credential| credential.hosts.iter().any(|allowed| allowed.is_exactly(&host, server.port)));
    let grants: &[String] = if named { std::slice::from_ref(&host) } else { &[] };
    let reach = if server.loopback_allowed { Reach::Loopback } else { Reach::Granted };
    let good = |ip: &IpAddr| address::class(*ip) != Class::LinkLocal && address::allowed(&host, *ip, reach, grants);
    let ip = found.into_iter().find(good).ok_or_else(|| {
        let mut words = address::refusal(&host, Some(first));
        if matches!(address::class(first), Class::Private | Class::Loopback) && !named {
            words.push_str(". A credential whose allowed hosts name exactly this host allows it, too");
        }
        refused(DatabaseFault::AddressRefused, words)
    })?;
    Ok(SocketAddr::new(ip, server.port))
}

impl Connector {
    /// What names connections that are alike.
    pub(super) fn key(&self, server: &Server, login: &Login) -> Key {
        Key {
            server: format!("{:?} {}:{}/{}", server.kind, canonical(&server.host), server.port, server.database),
            user: login.user.clone(),
            loopback_allowed: server.loopback_allowed,
            tls: server.tls,
            root_certificate: server.root_certificate.clone(),
            password: self.hashes.hash_one((login.password(), login.credential.as_ref().map(|known| &known.name))),
        }
    }

    /// Which certificates are good.
    pub(super) fn tls(&self, root_certificate: Option<&str>) -> Result<Arc<ClientConfig>, DatabaseError> {
        let made = match root_certificate {
            Some(pem) => tls::client_config(Some(pem)).map(Arc::new),
            None => self.trusted.get_or_make(&network::current(), || tls::client_config(None).map(Arc::new)),
        };
        made.map_err(|why| refused(DatabaseFault::Tls, format!("The connection cannot be encrypted: {why}")))
    }
}
