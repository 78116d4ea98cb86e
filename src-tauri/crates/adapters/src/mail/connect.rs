//! Connections to mail servers: to allowed addresses only, encrypted with a certificate that was checked.

use super::MailServers;
use super::starttls;
use super::stream::{Inner, MailStream};
use crate::address::{self, Reach};
use crate::network;
use crate::tls;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use signalbox_ports::host::canonical;
use signalbox_ports::mail::{MailError, MailProtocol, MailSecurity, MailServer};
use signalbox_ports::secret::allows;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection, and whether the server's greeting was read already.
pub(super) struct Opened {
    pub(super) stream: MailStream,
    pub(super) greeted: bool,
}

pub(super) fn invalid(field: &str, message: impl Into<String>) -> MailError {
    MailError::Invalid { field: field.into(), message: message.into() }
}

/// The server as an address of the web, which the rules for hosts and secrets are written for.
fn web(server: &MailServer) -> Result<Url, MailError> {
    let host = server.host.trim();
    let wrong = || invalid("host", format!("'{}' is no host; write a name like mail.example.org", short(host)));
    let literal = host.parse::<std::net::Ipv6Addr>().is_ok();
    let plain = |c: char| c.is_alphanumeric() || ".-_[]".contains(c) || (literal && c == ':');
    if host.is_empty() || !host.chars().all(plain) {
        return Err(wrong());
    }
    let host = if literal { format!("[{host}]") } else { host.to_owned() };
    let scheme = if server.security == MailSecurity::None { "http" } else { "https" };
    Url::parse(&format!("{scheme}://{host}:{}", server.port)).map_err(|_| wrong())
}

pub(super) fn short(text: &str) -> String {
    text.chars().take(100).collect()
}

impl MailServers {
    /// Opens a connection; encrypted, unless the server is told to be without.
    pub(super) async fn open(&self, server: &MailServer, protocol: MailProtocol) -> Result<Opened, MailError> {
        let url = web(server)?;
        let host = canonical(url.host_str().unwrap_or_default());
        // Before the name is resolved: who is refused here is not even looked up.
        if let Some(credential) = &server.credential {
            allows(&credential.hosts, &url).map_err(|why| MailError::CredentialRefused {
                message: format!("The credential '{}' was not sent: {why}", credential.name),
            })?;
        }
        let config = match server.security {
            MailSecurity::None => None,
            MailSecurity::Tls | MailSecurity::StartTls => Some(self.tls(server.ca.as_deref())?),
        };
        let tcp = self.tcp(server, &url, &host).await?;
        let Some(config) = config else {
            return Ok(Opened { stream: MailStream::new(Inner::Plain(tcp)), greeted: false });
        };
        let greeted = server.security == MailSecurity::StartTls;
        let mut plain = MailStream::new(Inner::Plain(tcp));
        if greeted {
            starttls::ask(&mut plain, protocol, &host).await?;
        }
        let tcp = plain.into_tcp().ok_or_else(|| MailError::Tls { message: "TLS cannot begin twice".into() })?;
        let name = ServerName::try_from(host.clone())
            .map_err(|_| invalid("host", format!("'{}' is no host of a certificate", short(&host))))?;
        let tls = TlsConnector::from(config).connect(name, tcp).await.map_err(|error| tls_failure(&host, &error))?;
        Ok(Opened { stream: MailStream::new(Inner::Tls(Box::new(tls))), greeted })
    }

    async fn tcp(&self, server: &MailServer, url: &Url, host: &str) -> Result<TcpStream, MailError> {
        let refused = |message: String| MailError::AddressRefused { message };
        let reach = if server.loopback_allowed { Reach::Loopback } else { Reach::Granted };
        let found = match url.host() {
            Some(Host::Ipv4(ip)) => vec![IpAddr::V4(ip)],
            Some(Host::Ipv6(ip)) => vec![IpAddr::V6(ip)],
            _ => self.lookup.lookup(host).await.unwrap_or_default(),
        };
        let Some(first) = found.first().copied() else {
            let message = format!("The name '{host}' was not found. Check its spelling and the network");
            return Err(MailError::Connection { message });
        };
        let good: Vec<IpAddr> =
            found.into_iter().filter(|ip| address::allowed(host, *ip, reach, &self.grants)).collect();
        if good.is_empty() {
            return Err(refused(address::refusal(host, Some(first))));
        }
        let plain_allowed = server.security != MailSecurity::None || server.credential.is_some();
        let mut last = None;
        for ip in good {
            // A credential has said already that its host may be reached without encryption.
            if !plain_allowed && !ip.to_canonical().is_loopback() {
                let words = format!(
                    "Mail would go to {host} without encryption. Choose tls or starttls; if that host has neither, use a \
                     credential that allows http://{host}"
                );
                return Err(invalid("security", words));
            }
            let connect = TcpStream::connect(SocketAddr::new(ip, server.port));
            match tokio::time::timeout(CONNECT_TIMEOUT, connect).await {
                Ok(Ok(stream)) => {
                    let _slower = stream.set_nodelay(true);
                    return Ok(stream);
                }
                Ok(Err(error)) => last = Some(error),
                Err(_) => last = Some(io::ErrorKind::TimedOut.into()),
            }
        }
        let port = server.port;
        let message = match last {
            Some(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                format!("Nothing answers at {host}:{port} (connection refused). Check host, port and encryption")
            }
            Some(error) => format!("No connection to {host}:{port}: {error}"),
            None => format!("No connection to {host}:{port}"),
        };
        Err(MailError::Connection { message })
    }

    /// TLS that trusts the given authorities, else those of the system and the settings.
    fn tls(&self, ca: Option<&str>) -> Result<Arc<ClientConfig>, MailError> {
        if let Some(pem) = ca {
            let wrong = |_| {
                invalid("ca", "The certificate authority is no certificate in PEM format (-----BEGIN CERTIFICATE-----)")
            };
            return tls::client_config(Some(pem)).map(Arc::new).map_err(wrong);
        }
        let made = self.tls.get_or_make(&network::current(), || tls::client_config(None).map(Arc::new));
        made.map_err(|message| MailError::Tls { message })
    }
}

/// Why a handshake failed, with what to do.
fn tls_failure(host: &str, error: &io::Error) -> MailError {
    let known = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    if let Some(message) =
        known.and_then(|error| tls::certificate_refusal(host, error, Some("'Certificate authority' (ca)")))
    {
        return MailError::Tls { message };
    }
    let message = match known {
        Some(rustls::Error::InvalidMessage(_)) => format!(
            "{host} does not speak TLS at this port. Use starttls (ports 587, 143), or the port for tls (465, 993)"
        ),
        Some(other) => format!("The secure connection to {host} failed: {other}"),
        // Ended in the middle: the network, or a server that wants something else.
        None => {
            return MailError::Connection { message: format!("The connection to {host} ended before it was secure") };
        }
    };
    MailError::Tls { message }
}
