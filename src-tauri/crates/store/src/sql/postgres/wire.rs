//! Connections to the server: where it is, TLS, and how a thread waits for an answer.

use super::Connection;
use super::fault::{failed, unreachable};
use crate::sql::Result;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime::Runtime;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_postgres::{Config, NoTls, Socket};
use tokio_rustls::TlsConnector;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);

struct Waiting(Thread);

impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits on this thread, which may be one of another runtime: what the future needs goes on elsewhere.
pub(crate) fn wait<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Waiting(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Where connections are driven.
fn threads() -> Result<&'static Runtime> {
    static THREADS: OnceLock<io::Result<Runtime>> = OnceLock::new();
    let made = THREADS.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).thread_name("store-postgres").enable_all().build()
    });
    made.as_ref().map_err(|error| unreachable(format!("threads for connections cannot be started: {error}")))
}

/// Encrypts a connection to a server that agreed to it.
#[derive(Clone)]
pub(super) struct Tls(TlsConnector);

impl Tls {
    /// Trusts the authorities of the system, or those of `root`, a file of certificates.
    pub(super) fn new(root: Option<&str>) -> Result<Self, String> {
        let mut roots = RootCertStore::empty();
        match root {
            Some(file) => {
                use rustls::pki_types::{CertificateDer, pem::PemObject as _};
                let unread =
                    |error: &dyn std::fmt::Display| format!("the certificates in {file} cannot be read: {error}");
                for one in CertificateDer::pem_file_iter(file).map_err(|error| unread(&error))? {
                    roots.add(one.map_err(|error| unread(&error))?).map_err(|error| unread(&error))?;
                }
            }
            None => {
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }
}

impl MakeTlsConnect<Socket> for Tls {
    type Stream = Encrypted;
    type TlsConnect = Named;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> io::Result<Named> {
        let name = ServerName::try_from(domain.to_owned()).map_err(io::Error::other)?;
        Ok(Named(self.0.clone(), name))
    }
}

pub(super) struct Named(TlsConnector, ServerName<'static>);

impl TlsConnect<Socket> for Named {
    type Stream = Encrypted;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted>> + Send>>;

    fn connect(self, stream: Socket) -> Self::Future {
        Box::pin(async move { self.0.connect(self.1, stream).await.map(Encrypted) })
    }
}

pub(super) struct Encrypted(tokio_rustls::client::TlsStream<Socket>);

impl TlsStream for Encrypted {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Encrypted {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

/// Opens a connection.
pub(super) fn connect(config: &Config, tls: Option<&Tls>) -> Result<Connection> {
    let (config, tls) = (config.clone(), tls.cloned());
    let opened = threads()?.spawn(async move {
        let made = async {
            match tls {
                Some(tls) => {
                    let (client, connection) = config.connect(tls).await?;
                    tokio::spawn(connection);
                    Ok::<_, tokio_postgres::Error>(client)
                }
                None => {
                    let (client, connection) = config.connect(NoTls).await?;
                    tokio::spawn(connection);
                    Ok(client)
                }
            }
        };
        tokio::time::timeout(CONNECT, made).await
    });
    let client = match wait(opened) {
        Ok(Ok(client)) => client.map_err(|error| failed(&error))?,
        Ok(Err(_)) => {
            return Err(unreachable(format!("the server did not answer within {} seconds", CONNECT.as_secs())));
        }
        Err(error) => return Err(unreachable(error.to_string())),
    };
    Ok(Connection::new(client))
}
