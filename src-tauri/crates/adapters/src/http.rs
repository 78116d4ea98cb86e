//! HTTP on reqwest. Redirects are followed here, not in the library, so that every hop is checked anew; names are
//! resolved by a filter, and the connection goes to exactly the addresses that passed it.

use crate::address::{self, Class, Reach};
use crate::sending;
use async_trait::async_trait;
use bytes::Bytes;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, StatusCode};
use signalbox_ports::host::canonical;
use signalbox_ports::{Http, HttpError, HttpRequest, HttpResponse};
use std::convert::Infallible;
use std::error::Error as StdError;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;
use url::{Host, Url};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const MOST_REDIRECTS: usize = 10;

/// Name → addresses.
#[async_trait]
pub trait Lookup: Send + Sync {
    /// All addresses of a name.
    async fn lookup(&self, name: &str) -> std::io::Result<Vec<IpAddr>>;
}

/// The system's resolver.
struct System;

#[async_trait]
impl Lookup for System {
    async fn lookup(&self, name: &str) -> std::io::Result<Vec<IpAddr>> {
        // Names below localhost mean this machine (RFC 6761); not every system knows that.
        let name = if name.ends_with(".localhost") { "localhost" } else { name };
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}

#[derive(Debug, thiserror::Error)]
enum Blocked {
    #[error("{0}")]
    Refused(String),
    #[error("The name '{0}' was not found")]
    Unknown(String),
}

/// Resolves a name and lets only allowed addresses through.
struct Filter {
    lookup: Arc<dyn Lookup>,
    reach: Reach,
    grants: Arc<[String]>,
}

impl Resolve for Filter {
    fn resolve(&self, name: Name) -> Resolving {
        let (lookup, reach, grants) = (Arc::clone(&self.lookup), self.reach, Arc::clone(&self.grants));
        Box::pin(async move {
            let host = canonical(name.as_str());
            let found = lookup.lookup(&host).await.unwrap_or_default();
            let Some(first) = found.first().copied() else { return Err(Blocked::Unknown(host).into()) };
            let good: Vec<SocketAddr> = found
                .into_iter()
                .filter(|ip| address::allowed(&host, *ip, reach, &grants))
                .map(|ip| SocketAddr::new(ip, 0))
                .collect();
            if good.is_empty() {
                return Err(Blocked::Refused(address::refusal(&host, Some(first))).into());
            }
            Ok(Box::new(good.into_iter()) as Addrs)
        })
    }
}

/// HTTP with the address rules. One connection pool per reach, so that a connection made under wider rules is never
/// used under narrower ones. A client is made at its first use: reading the system's certificates takes a while.
pub struct WebHttp {
    public: OnceLock<Result<Client, String>>,
    granted: OnceLock<Result<Client, String>>,
    loopback: OnceLock<Result<Client, String>>,
    grants: Arc<[String]>,
    lookup: Arc<dyn Lookup>,
}

impl WebHttp {
    /// With the hosts (names or literal addresses, no port) that a person of this machine has granted. An entry that
    /// could never match a host is refused.
    pub fn new(granted_hosts: &[String]) -> Result<Self, String> {
        Self::with_lookup(granted_hosts, Arc::new(System))
    }

    /// With another resolver.
    pub fn with_lookup(granted_hosts: &[String], lookup: Arc<dyn Lookup>) -> Result<Self, String> {
        let grants: Arc<[String]> = granted_hosts.iter().map(|host| canonical(host)).collect();
        let names_no_host = |host: &&String| Host::parse(host).is_err() && host.parse::<IpAddr>().is_err();
        if let Some(bad) = grants.iter().find(names_no_host) {
            return Err(format!("'{bad}' is not a host; write a name like nas.lan or an address like 192.168.1.5"));
        }
        Ok(Self { public: OnceLock::new(), granted: OnceLock::new(), loopback: OnceLock::new(), grants, lookup })
    }

    fn client(&self, reach: Reach) -> Result<&Client, HttpError> {
        let slot = match reach {
            Reach::Public => &self.public,
            Reach::Granted => &self.granted,
            Reach::Loopback => &self.loopback,
        };
        let made = slot.get_or_init(|| self.make(reach));
        made.as_ref().map_err(|message| HttpError::Connect { message: message.clone() })
    }

    fn make(&self, reach: Reach) -> Result<Client, String> {
        make(Filter { lookup: Arc::clone(&self.lookup), reach, grants: Arc::clone(&self.grants) })
    }

    /// The answer as far as its head; redirects are followed within the rules. The time limit is the caller's.
    pub(crate) async fn open(&self, request: HttpRequest, sent: &Arc<AtomicBool>) -> Result<Opened, HttpError> {
        let mut url = Url::parse(&request.url).map_err(|error| HttpError::BadUrl {
            message: format!("'{}' is not an address: {error}", request.url.chars().take(200).collect::<String>()),
        })?;
        let mut method = Method::from_bytes(request.method.as_bytes())
            .map_err(|_| HttpError::BadUrl { message: format!("'{}' is not a method", request.method) })?;
        let mut headers = headers(&request.headers)?;
        let mut body = request.body.map(Bytes::from);
        let (credential, home) = (request.credential, url.origin());
        let mut reach = if request.loopback_allowed { Reach::Loopback } else { Reach::Granted };
        for _ in 0..=MOST_REDIRECTS {
            let literal = check(&url, reach, &self.grants)?;
            // On this hop only: neither the next address nor any message is made of what goes along here.
            let (mut hop_url, mut hop_headers) = (url.clone(), headers.clone());
            if let Some(credential) = credential.as_ref().filter(|_| url.origin() == home) {
                sending::attach(credential, &mut hop_url, &mut hop_headers)?;
            }
            let mut hop = self.client(reach)?.request(method.clone(), hop_url).headers(hop_headers);
            match &body {
                Some(bytes) => {
                    hop =
                        hop.body(reqwest::Body::wrap(Tracked { data: Some(bytes.clone()), started: Arc::clone(sent) }));
                }
                // Nothing tells when a request without a body leaves; assume that it has.
                None => sent.store(true, Ordering::Relaxed),
            }
            let response = hop.send().await.map_err(|error| failure(&error, &url))?;
            sent.store(true, Ordering::Relaxed);
            let Some(next) = location(&response, &url).filter(|_| request.redirects) else {
                return Ok(Opened { response, url });
            };
            // Whoever answered from outside must not lead inside.
            reach = narrowed(reach, response.remote_addr().map(|remote| remote.ip()).or(literal));
            let status = response.status();
            let to_get = (status == StatusCode::SEE_OTHER && method != Method::HEAD)
                || (matches!(status.as_u16(), 301 | 302) && method == Method::POST);
            if to_get {
                method = Method::GET;
                body = None;
                for name in ["content-type", "content-encoding", "content-language", "idempotency-key"] {
                    headers.remove(name);
                }
            }
            if next.origin() != url.origin() {
                forget_secrets(&mut headers);
                if let Some(credential) = &credential {
                    sending::stays_home(credential, &next)?;
                }
            }
            url = next;
        }
        Err(HttpError::BadUrl { message: format!("The address redirects more than {MOST_REDIRECTS} times") })
    }
}

fn make(filter: Filter) -> Result<Client, String> {
    // A second call finds the provider already there, which is just as well.
    let _already = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .user_agent(concat!("Signalbox/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .dns_resolver(Arc::new(filter))
        .build()
        .map_err(|error| format!("The HTTP client cannot be set up: {}", root(&error)))
}

/// A client for one address that a person on this machine registered: its host may be this machine or in the own network. It
/// follows no redirects, and is for this address alone. Link-local addresses are not reached, registered or not.
pub(crate) fn client_for(url: &Url) -> Result<Client, HttpError> {
    let host = canonical(url.host_str().unwrap_or_default());
    let linked = host.parse::<IpAddr>().is_ok_and(|ip| address::class(ip) == Class::LinkLocal);
    let grants: Arc<[String]> = if linked { Arc::new([]) } else { Arc::new([host]) };
    check(url, Reach::Loopback, &grants)?;
    make(Filter { lookup: Arc::new(System), reach: Reach::Loopback, grants })
        .map_err(|message| HttpError::Connect { message })
}

/// Which addresses a client of our own may reach.
#[derive(Clone)]
pub(crate) struct Rules {
    pub(crate) reach: Reach,
    /// Hosts that a person named.
    pub(crate) grants: Arc<[String]>,
}

impl Rules {
    /// What can be said before a name is resolved; the error says why not, without a full stop.
    pub(crate) fn check(&self, url: &Url) -> Result<(), String> {
        match check(url, self.reach, &self.grants) {
            Ok(_) => Ok(()),
            Err(HttpError::Refused { message }) => Err(message),
            Err(_) => Err("it cannot be asked".into()),
        }
    }
}

/// A client that reaches what the rules allow, follows no redirect, and resolves names by the filter.
pub(crate) fn client_of(rules: &Rules) -> Result<Client, String> {
    make(Filter { lookup: Arc::new(System), reach: rules.reach, grants: Arc::clone(&rules.grants) })
}

/// Why an address was not reached, in plain words without a full stop.
pub(crate) fn why_not(error: &reqwest::Error, url: &Url) -> String {
    match failure(error, url) {
        HttpError::Refused { message }
        | HttpError::BadUrl { message }
        | HttpError::Connect { message }
        | HttpError::Cut { message } => message,
        _ => format!("{} did not answer in time", url.host_str().unwrap_or_default()),
    }
}

#[async_trait]
impl Http for WebHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let sent = Arc::new(AtomicBool::new(false));
        let limit = request.timeout;
        let most = request.max_body;
        let exchange = async { read(self.open(request, &sent).await?, most).await };
        match tokio::time::timeout(limit, exchange).await {
            Ok(result) => result,
            Err(_) => Err(HttpError::Timeout { sent: sent.load(Ordering::Relaxed) }),
        }
    }
}

/// How far the next hop may reach after an answer from `ip`.
fn narrowed(reach: Reach, ip: Option<IpAddr>) -> Reach {
    match ip.map(address::class) {
        Some(Class::Loopback) => reach,
        Some(Class::Private | Class::LinkLocal) if reach != Reach::Public => Reach::Granted,
        _ => Reach::Public,
    }
}

/// A body that tells when the first byte of it is asked for, which is after the connection was made.
struct Tracked {
    data: Option<Bytes>,
    started: Arc<AtomicBool>,
}

impl http_body::Body for Tracked {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
        self.started.store(true, Ordering::Relaxed);
        Poll::Ready(self.data.take().map(|bytes| Ok(http_body::Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.data.is_none()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        http_body::SizeHint::with_exact(self.data.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}

fn headers(given: &[(String, String)]) -> Result<HeaderMap, HttpError> {
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let bad = || HttpError::BadUrl { message: format!("The header '{name}' cannot be sent") };
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        headers.append(name, HeaderValue::from_str(value).map_err(|_| bad())?);
    }
    Ok(headers)
}

/// Checks what can be said without a resolver; gives the literal address of the host, if it is one. The parser has
/// already read `127.1`, `0x7f.1` and `2130706433` as the address they mean.
fn check(url: &Url, reach: Reach, grants: &[String]) -> Result<Option<IpAddr>, HttpError> {
    let refused = |message: String| Err(HttpError::Refused { message });
    if !matches!(url.scheme(), "http" | "https") {
        return refused(format!("Only http and https addresses can be asked, not '{}:'", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refused("The address holds a user name or password; send an Authorization header instead".into());
    }
    let ip = match url.host() {
        Some(Host::Ipv4(ip)) => IpAddr::V4(ip),
        Some(Host::Ipv6(ip)) => IpAddr::V6(ip),
        Some(Host::Domain(_)) => return Ok(None),
        None => return refused("The address has no host".into()),
    };
    let host = ip.to_string();
    if address::allowed(&host, ip, reach, grants) { Ok(Some(ip)) } else { refused(address::refusal(&host, Some(ip))) }
}

/// The next address of a redirect.
fn location(response: &reqwest::Response, url: &Url) -> Option<Url> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let target = response.headers().get("location")?.to_str().ok()?;
    url.join(target).ok()
}

/// What another host must not see.
fn forget_secrets(headers: &mut HeaderMap) {
    let secret = |name: &HeaderName| {
        let name = name.as_str();
        ["authorization", "cookie", "token", "secret", "api-key", "apikey", "password"].iter().any(|w| name.contains(w))
    };
    let names: Vec<HeaderName> = headers.keys().filter(|name| secret(name)).cloned().collect();
    for name in names {
        headers.remove(name);
    }
}

/// An answer whose body has not been read.
pub(crate) struct Opened {
    response: reqwest::Response,
    url: Url,
}

impl Opened {
    pub(crate) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// A header of the answer, when it is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    /// The next bytes of the body; `None` at its end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        self.response.chunk().await.map_err(|error| failure(&error, &self.url))
    }
}

async fn read(mut opened: Opened, limit: usize) -> Result<HttpResponse, HttpError> {
    let response = &opened.response;
    let status = response.status().as_u16();
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return Err(HttpError::TooLarge { limit, status });
    }
    let mut headers: Vec<(String, String)> = Vec::new();
    for name in response.headers().keys() {
        let values: Vec<String> = response
            .headers()
            .get_all(name)
            .iter()
            .map(|value| value.as_bytes().iter().map(|byte| char::from(*byte)).collect())
            .collect();
        headers.push((name.as_str().to_owned(), values.join(", ")));
    }
    let mut body = Vec::new();
    while let Some(chunk) = opened.chunk().await? {
        if body.len() + chunk.len() > limit {
            return Err(HttpError::TooLarge { limit, status });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(HttpResponse { status, headers, body })
}

/// The error and what caused it, outermost first.
fn sources<'a>(error: &'a (dyn StdError + 'static)) -> std::vec::IntoIter<&'a (dyn StdError + 'static)> {
    let mut chain = vec![error];
    let mut here = error;
    while let Some(next) = here.source() {
        chain.push(next);
        here = next;
    }
    chain.into_iter()
}

fn root(error: &(dyn StdError + 'static)) -> String {
    sources(error).last().map(ToString::to_string).unwrap_or_default()
}

/// What a failed exchange means.
fn failure(error: &reqwest::Error, url: &Url) -> HttpError {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or_default();
    for source in sources(error) {
        match source.downcast_ref::<Blocked>() {
            Some(Blocked::Refused(message)) => return HttpError::Refused { message: message.clone() },
            Some(unknown @ Blocked::Unknown(_)) => {
                return HttpError::Connect { message: format!("{unknown}. Check its spelling and the network") };
            }
            None => {}
        }
    }
    if error.is_timeout() {
        return HttpError::Timeout { sent: !error.is_connect() };
    }
    if error.is_builder() {
        return HttpError::BadUrl { message: format!("The address cannot be asked: {}", root(error)) };
    }
    if error.is_connect() {
        let io = sources(error).find_map(|source| source.downcast_ref::<std::io::Error>()).map(std::io::Error::kind);
        let tls = sources(error).any(|source| source.downcast_ref::<rustls::Error>().is_some()) || tls_inside(error);
        let message = if tls {
            format!("The secure connection to {host}:{port} failed: {}", root(error))
        } else if io == Some(std::io::ErrorKind::ConnectionRefused) {
            format!("Nothing answers at {host}:{port} (connection refused)")
        } else {
            format!("No connection to {host}:{port}: {}", root(error))
        };
        return HttpError::Connect { message };
    }
    HttpError::Cut { message: format!("The connection to {host}:{port} was cut off before the answer was complete") }
}

/// TLS errors travel inside io errors, sometimes two deep, which `source` does not show.
fn tls_inside(error: &reqwest::Error) -> bool {
    fn holds(io: &std::io::Error) -> bool {
        io.get_ref().is_some_and(|inner| {
            inner.is::<rustls::Error>() || inner.downcast_ref::<std::io::Error>().is_some_and(holds)
        })
    }
    sources(error).filter_map(|source| source.downcast_ref::<std::io::Error>()).any(holds)
}

#[cfg(test)]
mod tests;
