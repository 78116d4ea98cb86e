//! The way to the brokers: a proxy (SOCKS5, RFC 1928) on loopback inside this process. It looks names up, applies the rules
//! to what it found, and connects to that very address, so that a cluster cannot lead the client elsewhere. The client can
//! send the proxy no password; connections of other processes are turned away where the system tells whose they are. It ends
//! with the copy.

use crate::address::{self, Class, Reach};
use crate::http::Rules;
use crate::sinks::connect::{connect, other, resolve};
use crate::sinks::remote::{Place, is_this_machine};
use signalbox_ports::Credential;
use signalbox_ports::host::canonical;
use signalbox_ports::secret::allows;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use url::Url;

const VERSION: u8 = 5;
const NO_AUTHENTICATION: u8 = 0;
const CONNECT: u8 = 1;
const DONE: u8 = 0;
const NOT_ALLOWED: u8 = 2;

/// Which brokers may be connected to.
pub(super) struct Rule {
    rules: Rules,
    encrypted: bool,
    credential: Option<Arc<Credential>>,
}

impl Rule {
    /// A person on this machine named the host of the address and, with `brokers`, others of their network. Nothing else that
    /// the cluster names may be in it, and this machine only when the address is.
    pub(super) fn of(place: &Place) -> Self {
        let host = place.host();
        let here = is_this_machine(&host);
        let linked = |host: &str| host.parse().is_ok_and(|ip| address::class(ip) == Class::LinkLocal);
        let rules = if place.here && !linked(&host) {
            let more = place.brokers().into_iter().filter(|named| here || !is_this_machine(named));
            let grants = std::iter::once(host).chain(more).filter(|named| !linked(named)).collect();
            Rules { reach: if here { Reach::Loopback } else { Reach::Granted }, grants }
        } else {
            Rules { reach: Reach::Public, grants: Arc::new([]) }
        };
        Self { rules, encrypted: place.encrypted(), credential: place.credential.clone() }
    }

    pub(super) async fn dial(&self, host: &str, port: u16) -> io::Result<TcpStream> {
        if let Some(credential) = &self.credential {
            let scheme = if self.encrypted { "https" } else { "http" };
            let url = Url::parse(&format!("{scheme}://{host}:{port}")).map_err(io::Error::other)?;
            allows(&credential.hosts, &url)
                .map_err(|why| other(format!("the credential '{}' was not sent: {why}", credential.name)))?;
        }
        let addresses = resolve(host, port, &self.rules).await?;
        if !self.encrypted && !addresses.iter().all(|address| address.ip().to_canonical().is_loopback()) {
            return Err(other("entries are sent without encryption to this machine only"));
        }
        connect(&addresses).await
    }
}

pub(super) struct Proxy {
    address: SocketAddr,
    accepting: AbortHandle,
    /// Why the last broker was not connected to.
    refusal: Arc<Mutex<Option<String>>>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Proxy {
    pub(super) async fn start(rule: Rule) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let refusal: Arc<Mutex<Option<String>>> = Arc::default();
        let (rule, told) = (Arc::new(rule), Arc::clone(&refusal));
        let accepting = tokio::spawn(async move {
            // Ends with this task, and every connection with it.
            let mut tunnels = JoinSet::new();
            while let Ok((stream, peer)) = listener.accept().await {
                while tunnels.try_join_next().is_some() {}
                if is_own(peer, address) {
                    tunnels.spawn(tunnel(stream, Arc::clone(&rule), Arc::clone(&told)));
                }
            }
        });
        Ok(Self { address, accepting: accepting.abort_handle(), refusal })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The reason of the proxy, when it had one; the client knows only that there was no connection.
    pub(super) fn explain(&self, error: io::Error) -> io::Error {
        let told = self.refusal.lock().unwrap_or_else(PoisonError::into_inner).take();
        told.map_or(error, other)
    }
}

/// One connection of the client, to one broker.
async fn tunnel(mut client: TcpStream, rule: Arc<Rule>, refusal: Arc<Mutex<Option<String>>>) {
    let Ok((host, port)) = asked(&mut client).await else { return };
    match rule.dial(&host, port).await {
        Ok(mut broker) => {
            if answer(&mut client, DONE).await.is_ok() {
                // How it ends is seen by the client.
                let _ended = copy_bidirectional(&mut client, &mut broker).await;
            }
        }
        Err(why) => {
            let why = format!("the broker {host}:{port} was not connected to: {why}");
            *refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
            let _gone = answer(&mut client, NOT_ALLOWED).await;
        }
    }
}

/// Reads the greeting and the request; host and port that the client wants.
async fn asked(client: &mut TcpStream) -> io::Result<(String, u16)> {
    let wrong = || other("the request is not understood");
    let mut greeting = [0; 2];
    client.read_exact(&mut greeting).await?;
    let mut methods = vec![0; usize::from(greeting[1])];
    client.read_exact(&mut methods).await?;
    if greeting[0] != VERSION || !methods.contains(&NO_AUTHENTICATION) {
        return Err(wrong());
    }
    client.write_all(&[VERSION, NO_AUTHENTICATION]).await?;
    let mut request = [0; 4];
    client.read_exact(&mut request).await?;
    if request[..2] != [VERSION, CONNECT] {
        return Err(wrong());
    }
    let host = match request[3] {
        1 => Ipv4Addr::from(client.read_u32().await?).to_string(),
        3 => {
            let mut name = vec![0; usize::from(client.read_u8().await?)];
            client.read_exact(&mut name).await?;
            canonical(&String::from_utf8(name).map_err(|_| wrong())?)
        }
        _ => return Err(wrong()),
    };
    Ok((host, client.read_u16().await?))
}

async fn answer(client: &mut TcpStream, code: u8) -> io::Result<()> {
    client.write_all(&[VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0]).await
}

/// Whether the other end of a connection is in this process: one of its open files is the socket that the system lists.
#[cfg(target_os = "linux")]
fn is_own(peer: SocketAddr, proxy: SocketAddr) -> bool {
    let written = |address: SocketAddr| match address {
        SocketAddr::V4(v4) => format!("{:08X}:{:04X}", u32::from_ne_bytes(v4.ip().octets()), v4.port()),
        SocketAddr::V6(_) => String::new(),
    };
    let (peer, proxy) = (written(peer), written(proxy));
    let Ok(table) = std::fs::read_to_string("/proc/self/net/tcp") else { return false };
    let inode = table.lines().find_map(|line| {
        let columns: Vec<&str> = line.split_ascii_whitespace().collect();
        (columns.get(1) == Some(&peer.as_str()) && columns.get(2) == Some(&proxy.as_str()))
            .then(|| columns.get(9).map(|inode| format!("socket:[{inode}]")))?
    });
    let (Some(inode), Ok(files)) = (inode, std::fs::read_dir("/proc/self/fd")) else { return false };
    let is_it = |file: io::Result<std::fs::DirEntry>| {
        file.and_then(|file| std::fs::read_link(file.path())).is_ok_and(|target| target.as_os_str() == inode.as_str())
    };
    files.into_iter().any(is_it)
}

/// Other systems do not say it without their own interfaces. A stranger gets no further than the rules allow.
#[cfg(not(target_os = "linux"))]
fn is_own(_peer: SocketAddr, _proxy: SocketAddr) -> bool {
    true
}
