//! Connections to brokers: to allowed addresses only, encrypted with a certificate that was checked.

use super::{MessageBrokers, nats};
use crate::network;
use crate::peer::{Peer, PeerError, PeerFault, is_this_machine};
use crate::tls;
use rustls::pki_types::ServerName;
use signalbox_ports::CredentialKind;
use signalbox_ports::brokers::{Broker, BrokerError, BrokerFault, BrokerKind};
use signalbox_ports::host::canonical;
use signalbox_ports::secret::allows;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, BufReader};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use zeroize::Zeroizing;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Both ways, encrypted or not.
pub(super) trait Duplex: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Duplex for T {}

pub(super) type Connection = BufReader<Box<dyn Duplex>>;

/// Who asks.
#[derive(Default)]
pub(super) struct Login {
    pub(super) user: Option<String>,
    pub(super) password: Option<Zeroizing<String>>,
}

/// An open connection.
pub(super) struct Opened {
    pub(super) stream: Connection,
    pub(super) login: Login,
    /// What the broker says before anything else, also before the connection is encrypted; only NATS does.
    pub(super) greeting: String,
}

/// Longest greeting.
const LONGEST_GREETING: usize = 64 * 1024;
/// Longest line of a protocol of lines, bytes.
const LONGEST_LINE: u64 = 64 * 1024;

/// A part of an exchange within a time.
pub(super) async fn within<T>(
    timeout: Duration,
    work: impl Future<Output = Result<T, BrokerError>>,
) -> Result<T, BrokerError> {
    let late = |_| Err(BrokerError::new(BrokerFault::Timeout, "The broker did not answer in time"));
    tokio::time::timeout(timeout, work).await.unwrap_or_else(late)
}

/// A line, and nothing behind it: what follows may be encrypted.
async fn greeting(stream: &mut TcpStream) -> Result<String, BrokerError> {
    let mut line = Vec::new();
    while !line.ends_with(b"\n") {
        if line.len() >= LONGEST_GREETING {
            return Err(bad_answer("it speaks no NATS; check host and port"));
        }
        line.push(stream.read_u8().await.map_err(|error| lost(&error))?);
    }
    String::from_utf8(line).map_err(|_| bad_answer("it speaks no NATS; check host and port"))
}

/// A line of a protocol of lines, without its end.
pub(super) async fn line(stream: &mut Connection) -> Result<String, BrokerError> {
    let mut line = Vec::new();
    stream.take(LONGEST_LINE).read_until(b'\n', &mut line).await.map_err(|error| lost(&error))?;
    if line.is_empty() {
        return Err(lost(&io::ErrorKind::UnexpectedEof.into()));
    }
    let text = line.strip_suffix(b"\r\n").ok_or_else(|| bad_answer("a line has no end"))?;
    String::from_utf8(text.to_vec()).map_err(|_| bad_answer("a line is no text"))
}

pub(super) fn lost(error: &io::Error) -> BrokerError {
    let why = match error.kind() {
        io::ErrorKind::UnexpectedEof => "it closed the connection".to_owned(),
        _ => error.to_string(),
    };
    BrokerError::new(BrokerFault::Connection, format!("The connection to the broker ended: {why}"))
}

pub(super) fn bad_answer(why: &str) -> BrokerError {
    BrokerError::new(BrokerFault::BadAnswer, format!("The broker answers otherwise than its protocol says: {why}"))
}

fn of_peer(error: PeerError) -> BrokerError {
    let fault = match error.fault {
        PeerFault::Host => BrokerFault::Invalid("host"),
        PeerFault::NotFound => BrokerFault::Connection,
        PeerFault::AddressRefused => BrokerFault::AddressRefused,
    };
    BrokerError::new(fault, error.message)
}

fn login(broker: &Broker, peer: &Peer<'_>) -> Result<Login, BrokerError> {
    let web = peer.web().map_err(of_peer)?;
    let Some(credential) = &broker.credential else {
        if !broker.tls && !is_this_machine(&canonical(&broker.host)) {
            let words = "Without TLS and without a credential, a broker is asked on this machine only. Switch TLS on, or use a credential that allows http:// for this host";
            return Err(BrokerError::new(BrokerFault::CredentialRefused, words));
        }
        return Ok(Login { user: broker.user.clone(), password: None });
    };
    allows(&credential.hosts, &web).map_err(|why| {
        let words = format!("The credential '{}' was not sent: {why}", credential.name);
        BrokerError::new(BrokerFault::CredentialRefused, words)
    })?;
    let of_credential = match &credential.kind {
        CredentialKind::Basic { user } => Some(user.clone()),
        _ => None,
    };
    let user = broker.user.clone().filter(|user| !user.is_empty()).or(of_credential);
    Ok(Login { user, password: Some(Zeroizing::new(credential.value.expose().to_owned())) })
}

pub(super) async fn open(brokers: &MessageBrokers, broker: &Broker) -> Result<Opened, BrokerError> {
    let peer = Peer {
        host: &broker.host,
        port: broker.port,
        tls: broker.tls,
        credential: broker.credential.as_deref(),
        loopback_allowed: broker.loopback_allowed,
    };
    let login = login(broker, &peer)?;
    let address = peer.address().await.map_err(of_peer)?;
    let (host, port) = (canonical(&broker.host), broker.port);
    let no = |why: String| BrokerError::new(BrokerFault::Connection, why);
    let mut stream = match tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => {
            let words = format!(
                "Nothing answers at {host}:{port} (connection refused). Check host and port, and that the broker runs"
            );
            return Err(no(words));
        }
        Ok(Err(error)) => return Err(no(format!("No connection to {host}:{port}: {error}"))),
        Err(_) => return Err(no(format!("{host}:{port} does not answer"))),
    };
    let _slower = stream.set_nodelay(true);
    let greeting = match broker.kind {
        BrokerKind::Nats => nats::checked_greeting(greeting(&mut stream).await?, broker.tls)?,
        BrokerKind::Mqtt | BrokerKind::Redis | BrokerKind::Amqp | BrokerKind::Kafka => String::new(),
    };
    if !broker.tls {
        return Ok(Opened { stream: BufReader::new(Box::new(stream)), login, greeting });
    }
    let not_secure = |why: String| BrokerError::new(BrokerFault::Tls, why);
    let config = match broker.root_certificate.as_deref() {
        Some(pem) => tls::client_config(Some(pem)).map(Arc::new),
        None => brokers.tls.get_or_make(&network::current(), || tls::client_config(None).map(Arc::new)),
    };
    let config = config.map_err(|why| not_secure(format!("The connection cannot be encrypted: {why}")))?;
    let name =
        ServerName::try_from(host.clone()).map_err(|_| not_secure(format!("'{host}' is no host of a certificate")))?;
    let stream = TlsConnector::from(config).connect(name, stream).await.map_err(|error| {
        let known = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        if let Some(why) =
            known.and_then(|error| tls::certificate_refusal(&host, error, Some("'Certificate authority' (ca)")))
        {
            return not_secure(why);
        }
        not_secure(format!("The secure connection to {host}:{port} failed: {error}. Check port and encryption"))
    })?;
    Ok(Opened { stream: BufReader::new(Box::new(stream)), login, greeting })
}
