//! Secrets of this machine: a value that cannot be printed by mistake, what it may be used for, and where steps get it.

use crate::host::{canonical, is_localhost};
use crate::scrub::Scrubber;
use async_trait::async_trait;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use url::Url;
use zeroize::Zeroizing;

/// A secret text. It has no `Debug`, no `Display`, no `Serialize` and no `Clone`, and its memory is wiped when it goes:
/// whoever needs the text says so with [`Secret::expose`].
///
/// ```compile_fail
/// let secret = signalbox_ports::Secret::new("hunter2hunter2");
/// println!("{secret:?}");
/// ```
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes the text over.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }
    /// The text itself, for the one place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// How a credential goes into a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CredentialKind {
    /// `Authorization: Bearer VALUE`.
    Bearer,
    /// `Authorization: Basic`, of this user and the value as the password.
    Basic {
        /// The user; not secret.
        user: String,
    },
    /// A header of this name.
    Header {
        /// The header.
        name: String,
    },
    /// A parameter of the address.
    Query {
        /// The parameter.
        name: String,
    },
    /// A part of the path, in the place of [`PATH_PLACE`]. A connector asks for it; no secret is stored with this kind.
    Path,
    /// An access token of OAuth 2: a bearer token, and `XOAUTH2` for mail.
    AccessToken {
        /// The user for `XOAUTH2`; not secret.
        user: Option<String>,
    },
    /// A signature of AWS (version 4); the value is the secret access key.
    Aws {
        /// The access key id; not secret.
        access_key: String,
        /// The region, for example `eu-central-1`.
        region: String,
        /// The service as it is named in signatures, for example `s3`.
        service: String,
    },
    /// A signature of Azure Storage (Shared Key); the value is the key of the account.
    AzureKey {
        /// The storage account; not secret.
        account: String,
    },
    /// A shared access signature of Azure: parameters of the address, all of which the value holds.
    Sas,
    /// A client certificate of TLS; the value holds certificate and private key (PEM).
    ClientCertificate,
    /// SSH: the value is a private key, or a password.
    Ssh {
        /// The user; not secret.
        user: String,
        /// Fingerprints of keys by which the server is known, `SHA256:…`, separated by spaces; not secret.
        host_key: Option<String>,
    },
}

/// What stands in an address where a credential of the kind [`CredentialKind::Path`] goes.
pub const PATH_PLACE: &str = "{credential}";

impl CredentialKind {
    /// An access token of OAuth 2.
    pub fn is_token(&self) -> bool {
        matches!(self, Self::AccessToken { .. })
    }
    /// The header that it sets, in lower case.
    pub fn header(&self) -> Option<String> {
        match self {
            Self::Bearer | Self::Basic { .. } | Self::AccessToken { .. } | Self::Aws { .. } | Self::AzureKey { .. } => {
                Some("authorization".into())
            }
            Self::Header { name } => Some(name.to_ascii_lowercase()),
            Self::Query { .. } | Self::Path | Self::ClientCertificate | Self::Sas | Self::Ssh { .. } => None,
        }
    }
}

/// A host that a credential may be sent to: `api.example.com`, `*.example.com` (names below it), `api.example.com:8443`
/// (this port only), `http://nas.lan` (also without encryption).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedHost {
    host: String,
    below: bool,
    port: Option<u16>,
    plain: bool,
}

impl AllowedHost {
    /// Reads an entry; the error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let given = text.trim();
        let wrong = |why: &str| {
            format!("'{given}' is no host: {why}. Write a name like api.example.com, *.example.com or 192.168.1.5:8080")
        };
        let (plain, rest) = match (given.strip_prefix("http://"), given.strip_prefix("https://")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => (false, given),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if rest.contains(['/', '?', '#', '@', ' ', '\\']) || rest.is_empty() {
            return Err(wrong("it has more, or less, than a host and a port"));
        }
        let (below, rest) = match rest.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        // A bare IPv6 address has no brackets, and then no port.
        let spelled = if rest.parse::<std::net::Ipv6Addr>().is_ok() { format!("[{rest}]") } else { rest.to_owned() };
        let url = Url::parse(&format!("http://{spelled}")).map_err(|_| wrong("it cannot be read"))?;
        let host = canonical(url.host_str().unwrap_or_default());
        // The library drops the port that the scheme has anyway.
        let port = url.port().or_else(|| spelled.ends_with(":80").then_some(80));
        if host.is_empty() || host.contains('*') {
            return Err(wrong("'*' stands for names below a domain only"));
        }
        if below && (!host.contains('.') || host.parse::<IpAddr>().is_ok()) {
            return Err(wrong("'*.' needs a domain of two parts or more after it"));
        }
        Ok(Self { host, below, port, plain })
    }

    /// It names exactly this host (canonical), not a domain around it, and no other port.
    pub fn is_exactly(&self, host: &str, port: u16) -> bool {
        !self.below && self.matches(host, Some(port))
    }

    fn matches(&self, host: &str, port: Option<u16>) -> bool {
        let name = if self.below {
            host.strip_suffix(&self.host).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
        } else {
            host == self.host
        };
        name && self.port.is_none_or(|wanted| port == Some(wanted))
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.plain {
            f.write_str("http://")?;
        }
        if self.below {
            f.write_str("*.")?;
        }
        if self.host.contains(':') && self.port.is_some() {
            write!(f, "[{}]", self.host)?;
        } else {
            f.write_str(&self.host)?;
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

fn is_this_machine(host: &str) -> bool {
    is_localhost(host) || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

/// Whether one of `hosts` lets a credential go to an address; the error says why not.
pub fn allows(hosts: &[AllowedHost], url: &Url) -> Result<(), String> {
    let host = canonical(url.host_str().unwrap_or_default());
    let found: Vec<&AllowedHost> =
        hosts.iter().filter(|allowed| allowed.matches(&host, url.port_or_known_default())).collect();
    if found.is_empty() {
        let shown: Vec<String> = hosts.iter().map(ToString::to_string).collect();
        // Where a port is the reason, the usual one is named, too.
        let by_port = hosts.iter().any(|allowed| allowed.port.is_some());
        let port = url.port().or_else(|| url.port_or_known_default().filter(|_| by_port));
        let port = port.map_or_else(String::new, |port| format!(":{port}"));
        let host = if host.contains(':') && !port.is_empty() { format!("[{host}]") } else { host };
        return Err(format!("it may be sent to {} only, not to {host}{port}", shown.join(", ")));
    }
    // On this machine nobody listens on the way.
    if url.scheme() == "https" || is_this_machine(&host) || found.iter().any(|allowed| allowed.plain) {
        return Ok(());
    }
    Err(format!(
        "it would go to {host} without encryption. Write https:// in the address; if that host has no https, allow \
         http://{host} for it"
    ))
}

/// A secret with what it may be used for.
pub struct Credential {
    /// Its name: `erp` of `secret://erp`.
    pub name: String,
    /// How it is sent.
    pub kind: CredentialKind,
    /// Where it may be sent.
    pub hosts: Vec<AllowedHost>,
    /// The secret.
    pub value: Secret,
    /// Hides what it sends.
    pub scrubber: Arc<Scrubber>,
}

/// Everything but the value.
impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential").field("name", &self.name).field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// Two are the same when they say the same about themselves; values are not compared.
impl PartialEq for Credential {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.kind == other.kind && self.hosts == other.hosts
    }
}

/// Why there is no credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretError {
    /// No secret has this name.
    Missing {
        /// Plain words with the next step.
        message: String,
    },
    /// The secrets cannot be read now: not chosen, locked, the key is wrong or gone.
    Unavailable {
        /// Plain words with the next step.
        message: String,
    },
    /// Nobody is signed in, or the sign-in has ended: a person has to sign in.
    Expired {
        /// Plain words with the next step.
        message: String,
    },
    /// The authorization server could not be reached; later it may be.
    Unreachable {
        /// Plain words with the next step.
        message: String,
    },
}

impl SecretError {
    /// What it says, whatever it is.
    pub fn into_message(self) -> String {
        match self {
            Self::Missing { message }
            | Self::Unavailable { message }
            | Self::Expired { message }
            | Self::Unreachable { message } => message,
        }
    }
}

/// The secrets of this machine, as a step sees them.
#[async_trait]
pub trait Secrets: Send + Sync {
    /// The credential of a name. From then on its value is among those that [`Secrets::scrubber`] hides.
    async fn credential(&self, name: &str) -> Result<Arc<Credential>, SecretError>;
    /// A newer credential in place of one that a service refused (401), when there is one: a token that was revoked or ended
    /// early is renewed once. `None`: the credential is none that can be renewed.
    async fn renewed(&self, _refused: &Credential) -> Result<Option<Arc<Credential>>, SecretError> {
        Ok(None)
    }
    /// Hides every value that was given out in this process.
    fn scrubber(&self) -> Arc<Scrubber>;
}

/// Where there are no secrets.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSecrets;

#[async_trait]
impl Secrets for NoSecrets {
    async fn credential(&self, _name: &str) -> Result<Arc<Credential>, SecretError> {
        Err(SecretError::Unavailable { message: "There are no secrets here".into() })
    }
    fn scrubber(&self) -> Arc<Scrubber> {
        Arc::default()
    }
}

#[cfg(test)]
mod tests;
