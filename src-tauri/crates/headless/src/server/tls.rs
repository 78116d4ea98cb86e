//! TLS of the server: a certificate and its key from two PEM files, which are read again when they change, so that a renewal
//! needs no restart (ADR 203). What cannot be used at a change is not used: the certificate before it stays.

mod validity;

use super::activity::{Activity, WatchedStream};
use rustls::ServerConfig;
use rustls::client::verify_server_name;
use rustls::crypto::ring;
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::{ClientHello, ParsedCertificate, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use signalbox_model::hash::sha256_hex;
use signalbox_model::time;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// How often the files are looked at.
pub(crate) const LOOK: Duration = Duration::from_secs(2);
/// Largest file.
const LARGEST: u64 = 1024 * 1024;
/// First byte of every TLS connection: the record of a handshake.
const HANDSHAKE: u8 = 0x16;
/// Before a certificate ends, people are warned, milliseconds.
const WARNED_MS: i64 = 7 * 24 * 3_600_000;
/// Bytes of a request in plain text that are read before the connection is closed.
const DRAINED: u64 = 64 * 1024;

/// A certificate that can be used, and the facts about it.
#[derive(Debug, Clone)]
pub(crate) struct Certificate {
    key: Arc<CertifiedKey>,
    /// SHA-256 of the first certificate, in hex.
    pub(crate) fingerprint: String,
    /// When it ends, milliseconds since 1970.
    pub(crate) not_after_ms: i64,
}

impl Certificate {
    /// Whether browsers accept it for a host.
    pub(crate) fn holds_for(&self, host: &str) -> bool {
        let Some(first) = self.key.cert.first() else { return false };
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned());
        let parsed = ParsedCertificate::try_from(first);
        matches!((name, parsed), (Ok(name), Ok(parsed)) if verify_server_name(&parsed, &name).is_ok())
    }
}

/// What tells one state of a file from another.
type Stamp = [Option<(SystemTime, u64, u64)>; 2];

#[derive(Debug)]
struct Current {
    certificate: Certificate,
    /// The files when they were read last.
    seen: Stamp,
    /// The files when they could not be used once: both may be replaced one after the other.
    failed: Option<Stamp>,
    warned: bool,
}

/// The certificate of the server, as its files have it.
#[derive(Debug)]
pub(crate) struct ServedCertificate {
    certificate: PathBuf,
    key: PathBuf,
    current: RwLock<Current>,
}

/// What a look at the files found.
#[derive(Debug)]
pub(crate) enum Look {
    /// Nothing that is new.
    Same,
    /// Other connections get this one from here on.
    Changed(Certificate),
    /// The files cannot be used; the certificate before stays. Plain words without a full stop.
    Kept(String),
    /// It ends soon, or has ended.
    Ends(Certificate),
}

impl ServedCertificate {
    /// Reads both files; why they cannot be used, without a full stop.
    pub(crate) fn open(certificate: &Path, key: &Path, now_ms: i64) -> Result<Arc<Self>, String> {
        let seen = stamp(certificate, key);
        let current = Current { certificate: load(certificate, key, now_ms)?, seen, failed: None, warned: false };
        Ok(Arc::new(Self { certificate: certificate.to_owned(), key: key.to_owned(), current: RwLock::new(current) }))
    }

    /// The one in use.
    pub(crate) fn certificate(&self) -> Certificate {
        self.current.read().unwrap_or_else(PoisonError::into_inner).certificate.clone()
    }

    /// Looks whether the files have changed, and takes what they have.
    pub(crate) fn look(&self, now_ms: i64) -> Look {
        let stamp = stamp(&self.certificate, &self.key);
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.seen == stamp {
            let ends = !current.warned && current.certificate.not_after_ms - WARNED_MS <= now_ms;
            current.warned |= ends;
            return if ends { Look::Ends(current.certificate.clone()) } else { Look::Same };
        }
        match load(&self.certificate, &self.key, now_ms) {
            Ok(certificate) => {
                let same = certificate.fingerprint == current.certificate.fingerprint;
                *current = Current { certificate: certificate.clone(), seen: stamp, failed: None, warned: false };
                if same { Look::Same } else { Look::Changed(certificate) }
            }
            Err(_) if current.failed != Some(stamp) => {
                current.failed = Some(stamp);
                Look::Same
            }
            Err(why) => {
                current.seen = stamp;
                Look::Kept(why)
            }
        }
    }
}

impl ResolvesServerCert for ServedCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner).certificate.key))
    }
}

/// Answers handshakes with a certificate.
pub(crate) fn acceptor(certificate: Arc<ServedCertificate>) -> Result<TlsAcceptor, String> {
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().map_err(|why| format!("TLS cannot be set up: {why}"))?;
    let mut config = config.with_no_client_auth().with_cert_resolver(certificate);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// The handshake of a connection. `None`: there will be nothing on it. It has no limit of time: that of the connection holds.
pub(crate) async fn accept(
    tls: &TlsAcceptor,
    stream: TcpStream,
    activity: &Arc<Activity>,
    base: &str,
) -> Option<TlsStream<WatchedStream<TcpStream>>> {
    let mut first = [0; 1];
    match stream.peek(&mut first).await {
        Ok(1..) if first == [HANDSHAKE] => {
            tls.accept(WatchedStream::below_tls(stream, Arc::clone(activity))).await.ok()
        }
        Ok(1..) if first.first().is_some_and(u8::is_ascii_uppercase) => {
            // Whoever sent it has gone if it cannot be written.
            drop(plain_text(stream, base).await);
            None
        }
        _ => None,
    }
}

/// Says to whoever came with HTTP in plain text where the server is.
async fn plain_text(mut stream: TcpStream, base: &str) -> io::Result<()> {
    let error = serde_json::json!({ "error": {
        "code": "HTTPS_ONLY", "message": "This server is reached by HTTPS only; the request came in plain text.",
        "hint": format!("Use {base}. What the request held was readable on the way: replace a token that was in it."),
    } });
    let body = error.to_string();
    let answer = format!(
        "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    // Closed with bytes unread, the connection would be reset, and the answer lost.
    tokio::io::copy(&mut stream.take(DRAINED), &mut tokio::io::sink()).await?;
    Ok(())
}

fn stamp(certificate: &Path, key: &Path) -> Stamp {
    [certificate, key].map(|path| {
        let meta = fs::metadata(path).ok()?;
        #[cfg(unix)]
        let id = std::os::unix::fs::MetadataExt::ino(&meta);
        #[cfg(not(unix))]
        let id = 0;
        Some((meta.modified().ok()?, meta.len(), id))
    })
}

fn load(certificate: &Path, key: &Path, now_ms: i64) -> Result<Certificate, String> {
    let (shown, shown_key) = (certificate.display(), key.display());
    let text = read("certificate", certificate)?;
    let mut chain = Vec::new();
    for found in CertificateDer::pem_slice_iter(&text) {
        chain.push(found.map_err(|_| format!("{shown} is damaged: it is not whole PEM"))?);
    }
    let first = chain.first().ok_or_else(|| format!("{shown} has no certificate in PEM in it"))?.clone();
    let (from, to) = validity::of(&first).ok_or_else(|| format!("the first certificate in {shown} is damaged"))?;
    let text = read("key", key)?;
    readable_by_others(key)?;
    let der = PrivateKeyDer::from_pem_slice(&text).map_err(|error| match error {
        PemError::NoItemsFound if is_encrypted(&text) => format!(
            "the key in {shown_key} is encrypted; write it without a passphrase: openssl pkey -in {shown_key} -out NEW"
        ),
        PemError::NoItemsFound => format!("{shown_key} has no private key in PEM in it"),
        _ => format!("{shown_key} is damaged: it is not whole PEM"),
    })?;
    let signing = ring::sign::any_supported_type(&der)
        .map_err(|_| format!("the key in {shown_key} is of no kind that is supported: RSA, P-256, P-384, Ed25519"))?;
    let key = CertifiedKey::new(chain, signing);
    key.keys_match().map_err(|_| {
        format!(
            "the key in {shown_key} does not belong to the first certificate in {shown}; the certificate of the server comes \
             first, then those of its authorities"
        )
    })?;
    if now_ms > to {
        return Err(format!("the certificate in {shown} expired on {}", time::format(to)));
    }
    if now_ms < from {
        return Err(format!("the certificate in {shown} is valid only from {}", time::format(from)));
    }
    Ok(Certificate { key: Arc::new(key), fingerprint: sha256_hex(&first), not_after_ms: to })
}

fn is_encrypted(pem: &[u8]) -> bool {
    let text = String::from_utf8_lossy(pem);
    text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED")
}

fn read(what: &str, path: &Path) -> Result<Vec<u8>, String> {
    let wrong = |why: &dyn std::fmt::Display| format!("the {what} {} cannot be read: {why}", path.display());
    let size = fs::metadata(path).map_err(|error| wrong(&error))?.len();
    if size > LARGEST {
        return Err(wrong(&format!("it has {size} bytes, which no PEM file of a server has")));
    }
    fs::read(path).map_err(|error| wrong(&error))
}

/// A group may read a key, as that of certificates does on Debian; everybody may not.
#[cfg(unix)]
pub(crate) fn readable_by_others(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).map_err(|error| format!("{}: {error}", path.display()))?.permissions().mode();
    if mode & 0o007 == 0 {
        return Ok(());
    }
    let place = path.display();
    Err(format!("{place} can be read by everybody (mode {:o}), so it is not used. Run: chmod o= {place}", mode & 0o777))
}

/// A group may read a key; everybody may not.
#[cfg(not(unix))]
pub(crate) fn readable_by_others(_path: &Path) -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod tests;
