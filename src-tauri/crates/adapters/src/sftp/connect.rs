//! Connections by SSH: to allowed addresses only, to a server whose key is known, as a user with a key or a password.

use super::session::Session;
use super::ssh::{self, Channel, Proof, ServerKey};
use crate::peer::{Peer, PeerError, PeerFault};
use signalbox_ports::CredentialKind;
use signalbox_ports::remote_files::{FileServer, RemoteError, RemoteFault};
use signalbox_ports::secret::allows;
use std::io;
use std::time::Duration;
use tokio::net::TcpStream;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

fn of_peer(error: PeerError) -> RemoteError {
    let fault = match error.fault {
        PeerFault::Host => RemoteFault::Invalid("address"),
        PeerFault::NotFound => RemoteFault::Connection,
        PeerFault::AddressRefused => RemoteFault::AddressRefused,
    };
    RemoteError::new(fault, error.message)
}

/// Fingerprints as a credential names them.
pub(crate) fn fingerprints(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', ',', '\n', '\r', '\t']).filter(|part| !part.is_empty())
}

/// Whether a value is a private key, and not a password.
pub(crate) fn is_key(value: &str) -> bool {
    let value = value.trim_start();
    value.starts_with("-----BEGIN ") || value.starts_with("PuTTY-User-Key-File-")
}

/// Whether a private key can be used; the error says what is wrong with it and what to do.
pub(crate) fn check_key(value: &str) -> Result<(), (&'static str, &'static str)> {
    ssh::private_key(value).map(|_| ())
}

/// Nothing is sent to a server with another key than the known ones.
fn known(key: &ServerKey, known: &[&str], place: &str, credential: &str) -> Result<(), RemoteError> {
    let ServerKey { fingerprint, algorithm } = key;
    if known.contains(&fingerprint.as_str()) {
        return Ok(());
    }
    if known.is_empty() {
        let words = format!(
            "{place} shows the key {fingerprint} ({algorithm}), and the credential '{credential}' names none. Nothing was sent. \
             Compare it with what the administrator of the server says, and trust it in Settings, Secrets, Test"
        );
        return Err(RemoteError::new(RemoteFault::HostKeyUnknown(fingerprint.clone()), words));
    }
    let expected = known.join(" or ");
    let words = format!(
        "{place} shows the key {fingerprint} ({algorithm}), but the credential '{credential}' expects {expected}. Nothing was \
         sent. Ask the administrator of the server: if its key was replaced, enter the new one in the credential; if not, \
         somebody else answers in its place"
    );
    Err(RemoteError::new(RemoteFault::HostKeyChanged(fingerprint.clone()), words))
}

/// Signs in, and begins to speak about files.
pub(super) async fn open(server: &FileServer) -> Result<Session, RemoteError> {
    let place = format!("{}:{}", server.host, server.port);
    let refused = |why: String| Err(RemoteError::new(RemoteFault::CredentialRefused, why));
    let Some(credential) = server.credential.as_deref() else {
        return refused(
            "SFTP needs a credential of the type 'SSH key or password'. Choose one, or add it in Settings, Secrets"
                .into(),
        );
    };
    let CredentialKind::Ssh { user, host_key } = &credential.kind else {
        let name = &credential.name;
        return refused(format!(
            "The credential '{name}' was not sent: SFTP needs one of the type 'SSH key or password'"
        ));
    };
    let peer = Peer {
        host: &server.host,
        port: server.port,
        // What is sent is always encrypted.
        tls: true,
        credential: Some(credential),
        loopback_allowed: server.loopback_allowed,
    };
    let web = peer.web().map_err(of_peer)?;
    if let Err(why) = allows(&credential.hosts, &web) {
        return refused(format!("The credential '{}' was not sent: {why}", credential.name));
    }
    let value = credential.value.expose();
    let proof = if is_key(value) {
        match ssh::private_key(value) {
            Ok(key) => Proof::Key(Box::new(key)),
            Err((why, hint)) => {
                let words = format!("The credential '{}' cannot be used: {why}. {hint}", credential.name);
                return refused(words.trim_end_matches('.').to_owned());
            }
        }
    } else {
        Proof::Password(value)
    };
    let address = peer.address().await.map_err(of_peer)?;
    let no = |why: String| RemoteError::new(RemoteFault::Connection, why);
    let stream = match tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => {
            return Err(no(format!("Nothing answers at {place} (connection refused). Check host and port")));
        }
        Ok(Err(error)) => return Err(no(format!("No connection to {place}: {error}"))),
        Err(_) => return Err(no(format!("{place} does not answer"))),
    };
    let _slower = stream.set_nodelay(true);
    let mut secured = ssh::handshake(stream).await?;
    let names: Vec<&str> = fingerprints(host_key.as_deref().unwrap_or_default()).collect();
    known(&secured.key, &names, &place, &credential.name)?;
    if let Some(methods) = ssh::sign_in(&mut secured.transport, &secured.session, user, &proof).await? {
        let what = if matches!(proof, Proof::Key(_)) { "key" } else { "password" };
        let told = if methods.is_empty() { String::new() } else { format!(". It accepts: {}", methods.join(", ")) };
        let shown: String = user.chars().take(100).collect();
        let words = format!(
            "{place} does not accept the user '{shown}' with the {what} of the credential '{}'{told}",
            credential.name
        );
        return Err(RemoteError::new(RemoteFault::Auth, words));
    }
    Session::start(Channel::open(secured.transport).await?).await
}
