//! Where a server is: only at allowed addresses, with a password only for hosts that it allows.

use crate::network::{self, PerNetwork};
use crate::peer::{Peer, PeerError, PeerFault, is_this_machine};
use crate::tls;
use rustls::ClientConfig;
use signalbox_ports::databases::{DatabaseError, DatabaseFault, Server};
use signalbox_ports::host::canonical;
use signalbox_ports::secret::allows;
use signalbox_ports::{Credential, CredentialKind};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::SocketAddr;
use std::sync::Arc;

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

fn peer(server: &Server) -> Peer<'_> {
    Peer {
        host: &server.host,
        port: server.port,
        tls: server.tls,
        credential: server.credential.as_deref(),
        loopback_allowed: server.loopback_allowed,
    }
}

fn of_peer(error: PeerError) -> DatabaseError {
    let fault = match error.fault {
        PeerFault::Host => DatabaseFault::Invalid("host"),
        PeerFault::NotFound => DatabaseFault::Connection,
        PeerFault::AddressRefused => DatabaseFault::AddressRefused,
    };
    refused(fault, error.message)
}

/// Who asks there; the password is refused where it may not go.
pub(super) fn login(server: &Server) -> Result<Login, DatabaseError> {
    let web = peer(server).web().map_err(of_peer)?;
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

/// An address that the rules allow to connect to.
pub(super) async fn address(server: &Server) -> Result<SocketAddr, DatabaseError> {
    peer(server).address().await.map_err(of_peer)
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
