//! HTTP on reqwest. Redirects are followed here, not in the library, so that every hop is checked anew; names are
//! resolved by a filter, and the connection goes to exactly the addresses that passed it.

mod body_stream;
mod clients;
mod coding;
mod connection;
mod cookies;
mod failure;
mod redirect;
mod sent_body;

use crate::address::{self, Class, Reach};
use crate::clock::RealClock;
use crate::network::{self, Network};
use crate::request_credentials;
use async_trait::async_trait;
use body_stream::{Decoded, Plain};
use bytes::Bytes;
#[cfg(feature = "app")]
pub(crate) use clients::client_with_tls;
use clients::{Clients, Filter, built};
pub(crate) use clients::{Rules, client_for, client_of};
use coding::Trouble;
use cookies::Jar;
use failure::failure;
use reqwest::header::{CONTENT_LENGTH, COOKIE, HOST, HeaderMap, HeaderName, HeaderValue, SET_COOKIE};
use reqwest::{Client, Method, Response, StatusCode};
use signalbox_model::trace_context::{TRACEPARENT, TRACESTATE};
use signalbox_ports::host::canonical;
use signalbox_ports::trace_scope;
use signalbox_ports::{
    BodySink, BodyStream, Clock as _, Credential, CredentialKind, Http, HttpError, HttpRequest, HttpResponse,
    Redirects, StreamedAnswer, StreamedBody, is_success,
};
use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use url::{Host, Url};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const MOST_REDIRECTS: usize = 10;
/// Bytes that are read of an answer that says why there is nothing to save.
const MOST_OF_FAILURE: usize = 64 * 1024 * 1024;

const TRACEPARENT_NAME: HeaderName = HeaderName::from_static(TRACEPARENT);
const TRACESTATE_NAME: HeaderName = HeaderName::from_static(TRACESTATE);

/// Name → addresses.
#[async_trait]
pub trait Lookup: Send + Sync {
    /// All addresses of a name.
    async fn lookup(&self, name: &str) -> std::io::Result<Vec<IpAddr>>;
}

/// The system's resolver.
pub(crate) struct System;

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

/// HTTP with the address rules. One connection pool per reach, so that a connection made under wider rules is never
/// used under narrower ones.
pub struct WebHttp {
    public: Clients,
    granted: Clients,
    loopback: Clients,
    /// To a proxy. What is behind it is checked for each request, so that one pool serves all.
    proxied: Clients,
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
        Ok(Self {
            public: Clients::default(),
            granted: Clients::default(),
            loopback: Clients::default(),
            proxied: Clients::default(),
            grants,
            lookup,
        })
    }

    fn client(&self, way: &Way, fresh: bool) -> Result<Client, HttpError> {
        let clients = match way.reach {
            _ if way.proxied => &self.proxied,
            Reach::Public => &self.public,
            Reach::Granted => &self.granted,
            Reach::Loopback => &self.loopback,
        };
        let slot = if fresh { &clients.fresh } else { &clients.pooled };
        let made = slot.get_or_make(&way.network, || self.builder(way, !fresh).and_then(built));
        made.map_err(|message| HttpError::Connect { message })
    }

    fn builder(&self, way: &Way, pooled: bool) -> Result<reqwest::ClientBuilder, String> {
        if way.proxied {
            return clients::proxied_builder(&way.network, pooled);
        }
        let filter = Filter { lookup: Arc::clone(&self.lookup), reach: way.reach, grants: Arc::clone(&self.grants) };
        Ok(clients::builder(filter, pooled, &way.network))
    }

    /// A client that shows a certificate. Nothing of it is kept: no other request uses its connections.
    fn own_client(&self, way: &Way, credential: &Credential) -> Result<Client, HttpError> {
        let bad = |why: &str| HttpError::CredentialRefused {
            message: format!("The credential '{}' was not used: {why}", credential.name),
        };
        let identity = reqwest::Identity::from_pem(credential.value.expose().as_bytes());
        let identity = identity.map_err(|_| bad("it holds no certificate and private key (PEM) that fit"))?;
        let builder = self.builder(way, false).map_err(|message| HttpError::Connect { message })?;
        let client = builder.identity(identity).build();
        client.map_err(|_| bad("its private key does not fit its certificate, or is of an unknown type"))
    }

    /// Where a request to an address goes. The address itself was checked; a name behind a proxy is looked up here as well,
    /// so that what this machine knows to be in its own network is reached by the same rules. A name that only the proxy knows
    /// is the proxy's to judge.
    async fn way(&self, url: &Url, reach: Reach) -> Result<Way, HttpError> {
        let network = network::current();
        let proxied = network.proxy_for(url).is_some();
        let mut behind = None;
        if let (true, Some(Host::Domain(name))) = (proxied, url.host()) {
            let host = canonical(name);
            behind = clients::look_behind(self.lookup.as_ref(), &host, reach, &self.grants).await?;
        }
        Ok(Way { network, proxied, reach, behind })
    }

    /// Sends one request to one address. One that may be repeated takes an open connection, and a fresh one when that turns
    /// out to have ended; POST and PATCH always take a fresh one, so that nobody has to guess whether they arrived.
    async fn hop(&self, way: &Way, hop: &Hop<'_>) -> Result<Response, HttpError> {
        let repeatable = connection::is_idempotent(hop.method);
        let request = hop.request(&self.client(way, !repeatable)?);
        let (result, reused) = connection::observe(request.send()).await;
        let error = match result {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        if !(repeatable && reused && connection::ended_before_answer(&error)) {
            return Err(way.failure(&error, hop.shown));
        }
        let again = hop.request(&self.client(way, true)?);
        again.send().await.map_err(|error| way.failure(&error, hop.shown))
    }

    /// The answer as far as its head; redirects are followed within the rules. The time limit is the caller's.
    pub(crate) async fn open(&self, request: HttpRequest, sent: &Arc<AtomicBool>) -> Result<Opened, HttpError> {
        let mut url = Url::parse(&request.url).map_err(|error| HttpError::BadUrl {
            message: format!("'{}' is not an address: {error}", request.url.chars().take(200).collect::<String>()),
        })?;
        let mut method = Method::from_bytes(request.method.as_bytes())
            .map_err(|_| HttpError::BadUrl { message: format!("'{}' is not a method", request.method) })?;
        let mut headers = headers(&request.headers)?;
        add_trace(&mut headers);
        let mut body = request.body.map(Bytes::from);
        let (credential, home) = (request.credential, url.origin());
        let mut reach = if request.loopback_allowed { Reach::Loopback } else { Reach::Granted };
        let mut jar = Jar::new(request.cookies);
        for _ in 0..=MOST_REDIRECTS {
            let literal = check(&url, reach, &self.grants)?;
            let way = self.way(&url, reach).await?;
            // On this hop only: neither the next address nor any message is made of what goes along here.
            let (mut hop_url, mut hop_headers) = (url.clone(), headers.clone());
            if let Some(credential) = credential.as_ref().filter(|_| url.origin() == home) {
                let bytes = body.as_deref().unwrap_or_default();
                request_credentials::authenticate(credential, &method, &mut hop_url, &mut hop_headers, bytes)?;
            }
            let identity = match credential.as_deref().filter(|_| url.origin() == home) {
                Some(credential) if credential.kind == CredentialKind::ClientCertificate => {
                    Some(self.own_client(&way, credential)?)
                }
                _ => None,
            };
            add_cookies(&jar, &url, &mut hop_headers);
            let hop =
                Hop { method: &method, url: hop_url, shown: &url, headers: hop_headers, body: body.as_ref(), sent };
            let response = match identity {
                // A connection that shows a certificate is for this request alone.
                Some(client) => hop.request(&client).send().await.map_err(|error| way.failure(&error, &url))?,
                None => self.hop(&way, &hop).await?,
            };
            way.accepts(&response, &url)?;
            sent.store(true, Ordering::Relaxed);
            for line in response.headers().get_all(SET_COOKIE) {
                jar.take(&as_text(line), &url, RealClock.now_ms());
            }
            if request.redirects == Redirects::No {
                return Ok(Opened { response, url, jar });
            }
            let Some(next) = redirect::target(&response, &url)? else { return Ok(Opened { response, url, jar }) };
            // Whoever answered from outside must not lead inside.
            let answered = if way.proxied { way.behind } else { response.remote_addr().map(|remote| remote.ip()) };
            reach = narrowed(reach, answered.or(literal));
            let status = response.status();
            if request.redirects == Redirects::SameHost && !redirect::stays_on_host(&url, &next) {
                let why = "'redirects' allows the same host only. Use the new address, or another setting";
                return Err(redirect::refused(status, &url, &next, why));
            }
            if redirect::becomes_get(status, &method) {
                method = Method::GET;
                body = None;
                redirect::forget_body(&mut headers);
            }
            if next.origin() != url.origin() {
                if !request.trust_redirects {
                    if body.is_some() {
                        let why = "the body of this request stays with the host that it was meant for. Use the new address, \
                                   or switch on 'trustRedirects' if that host may have it";
                        return Err(redirect::refused(status, &url, &next, why));
                    }
                    redirect::keep_harmless(&mut headers);
                }
                if let Some(credential) = &credential {
                    request_credentials::stays_home(credential, &next)?;
                }
            }
            url = next;
        }
        Err(HttpError::BadUrl { message: format!("The address redirects more than {MOST_REDIRECTS} times") })
    }
}

/// How one request leaves.
struct Way {
    network: Arc<Network>,
    proxied: bool,
    reach: Reach,
    /// What the name behind a proxy means on this machine.
    behind: Option<IpAddr>,
}

impl Way {
    fn proxy(&self, url: &Url) -> String {
        self.network.proxy_for(url).map(|proxy| proxy.place_for(url)).unwrap_or_default()
    }

    fn failure(&self, error: &reqwest::Error, url: &Url) -> HttpError {
        if self.proxied { failure::behind_proxy(error, url, &self.proxy(url)) } else { failure(error, url) }
    }

    /// An answer of the proxy itself is no answer of the host.
    fn accepts(&self, response: &Response, url: &Url) -> Result<(), HttpError> {
        if self.proxied && url.scheme() == "http" && response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
            return Err(failure::login_missing(&self.proxy(url)));
        }
        Ok(())
    }
}

/// One request to one address.
struct Hop<'a> {
    method: &'a Method,
    url: Url,
    /// The address without what only its host may see.
    shown: &'a Url,
    headers: HeaderMap,
    body: Option<&'a Bytes>,
    sent: &'a Arc<AtomicBool>,
}

impl Hop<'_> {
    fn request(&self, client: &Client) -> reqwest::RequestBuilder {
        let request = self.bare(client);
        match self.body {
            Some(bytes) => {
                let body = Tracked { data: Some(bytes.clone()), started: Arc::clone(self.sent) };
                request.body(reqwest::Body::wrap(body))
            }
            None => {
                // Nothing tells when a request without a body leaves; assume that it has.
                self.sent.store(true, Ordering::Relaxed);
                // Where a body is usual, say that there is none (RFC 9110, 8.6); some servers answer 411 otherwise.
                let says = [Method::POST, Method::PUT, Method::PATCH].contains(self.method);
                if says { request.header(CONTENT_LENGTH, 0) } else { request }
            }
        }
    }

    /// Without its body.
    fn bare(&self, client: &Client) -> reqwest::RequestBuilder {
        let mut headers = HeaderMap::with_capacity(self.headers.len() + 1);
        // First, as RFC 9110 (7.2) asks; what is encrypted may be HTTP/2, which has it elsewhere.
        if let (Some(host), true) = (host_header(&self.url), self.url.scheme() == "http") {
            headers.insert(HOST, host);
        }
        headers.extend(self.headers.clone());
        client.request(self.method.clone(), self.url.clone()).headers(headers)
    }
}

/// The host and, unless it is the usual one, the port of an address.
fn host_header(url: &Url) -> Option<HeaderValue> {
    let host = url.host_str()?;
    HeaderValue::from_str(&url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))).ok()
}

/// Puts the cookies that belong to an address behind those that the step itself sends.
fn add_cookies(jar: &Jar, url: &Url, headers: &mut HeaderMap) {
    let own = headers.get_all(COOKIE);
    let sensitive = own.iter().any(HeaderValue::is_sensitive);
    let own: Vec<String> = own.iter().map(as_text).collect();
    let own = (!own.is_empty()).then(|| own.join("; "));
    let Some(text) = jar.header(url, RealClock.now_ms(), own.as_deref()) else { return };
    // Bytes beyond ASCII go back as they came.
    let bytes: Result<Vec<u8>, _> = text.chars().map(u8::try_from).collect();
    if let Ok(mut value) = HeaderValue::from_bytes(&bytes.unwrap_or_else(|_| text.into_bytes())) {
        value.set_sensitive(sensitive);
        headers.insert(COOKIE, value);
    }
}

/// A header as text, one letter per byte.
fn as_text(value: &HeaderValue) -> String {
    value.as_bytes().iter().map(|byte| char::from(*byte)).collect()
}

/// Why an address was not reached, in plain words without a full stop.
pub(crate) fn why_not(error: &reqwest::Error, url: &Url) -> String {
    let network = network::current();
    let failed = match network.proxy_for(url) {
        Some(proxy) => failure::behind_proxy(error, url, &proxy.place_for(url)),
        None => failure(error, url),
    };
    match failed {
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
        // Reading the system's certificates is not part of the exchange.
        let reach = if request.loopback_allowed { Reach::Loopback } else { Reach::Granted };
        let method = Method::from_bytes(request.method.as_bytes());
        let network = network::current();
        let proxied = Url::parse(&request.url).is_ok_and(|url| network.proxy_for(&url).is_some());
        let way = Way { network, proxied, reach, behind: None };
        self.client(&way, method.is_ok_and(|method| !connection::is_idempotent(&method)))?;
        let exchange = async { read(self.open(request, &sent).await?, most).await };
        match tokio::time::timeout(limit, exchange).await {
            Ok(result) => result,
            Err(_) => Err(HttpError::Timeout { sent: sent.load(Ordering::Relaxed) }),
        }
    }

    async fn send_streaming(&self, request: HttpRequest, sink: &mut dyn BodySink) -> Result<HttpResponse, HttpError> {
        let sent = Arc::new(AtomicBool::new(false));
        let (limit, most) = (request.timeout, request.max_body);
        let late = |sent: &AtomicBool| HttpError::Timeout { sent: sent.load(Ordering::Relaxed) };
        let mut opened = tokio::time::timeout(limit, self.open(request, &sent)).await.map_err(|_| late(&sent))??;
        let coded = opened.header("content-encoding").is_some_and(|coding| !coding.eq_ignore_ascii_case("identity"));
        if coded || !sink.wants(opened.status(), opened.header("content-type")) {
            return tokio::time::timeout(limit, read(opened, most)).await.map_err(|_| late(&sent))?;
        }
        let mut answer = head(&opened);
        while let Some(chunk) = tokio::time::timeout(limit, opened.chunk()).await.map_err(|_| late(&sent))?? {
            if sink.chunk(&chunk).is_break() {
                break;
            }
        }
        answer.cookies = opened.jar.into_cookies();
        Ok(answer)
    }

    async fn open_body(&self, request: HttpRequest) -> Result<StreamedAnswer, HttpError> {
        let sent = Arc::new(AtomicBool::new(false));
        let (limit, most) = (request.timeout, request.max_body);
        let deadline = tokio::time::Instant::now() + limit;
        let late = |sent: &AtomicBool| HttpError::Timeout { sent: sent.load(Ordering::Relaxed) };
        let opened = self.open(request, &sent);
        let mut opened = tokio::time::timeout_at(deadline, opened).await.map_err(|_| late(&sent))??;
        let codings = coding::of(opened.response.headers());
        let (true, Ok(codings)) = (is_success(opened.status()), codings) else {
            // It says why it is no success, which is short.
            let answer = tokio::time::timeout_at(deadline, read(opened, most.min(MOST_OF_FAILURE))).await;
            return Ok(StreamedAnswer { answer: answer.map_err(|_| late(&sent))??, body: None });
        };
        if opened.response.content_length().is_some_and(|length| length > most as u64) {
            return Err(HttpError::TooLarge { limit: most, status: opened.status() });
        }
        let mut answer = head(&opened);
        answer.cookies = std::mem::replace(&mut opened.jar, Jar::new(Vec::new())).into_cookies();
        let plain = Plain::new(opened, most, deadline);
        let body: Box<dyn BodyStream> =
            if codings.is_empty() { Box::new(plain) } else { Box::new(Decoded::new(plain, codings)) };
        Ok(StreamedAnswer { answer, body: Some(body) })
    }

    async fn send_body(&self, request: HttpRequest, body: StreamedBody) -> Result<HttpResponse, HttpError> {
        sent_body::send(self, request, body).await
    }
}

/// An answer without its body.
fn head(opened: &Opened) -> HttpResponse {
    let headers = opened.response.headers();
    let values = |name: &HeaderName| -> Vec<String> { headers.get_all(name).iter().map(as_text).collect() };
    HttpResponse {
        status: opened.status(),
        headers: headers.keys().map(|name| (name.as_str().to_owned(), values(name).join(", "))).collect(),
        set_cookies: values(&SET_COOKIE),
        ..HttpResponse::default()
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

/// Says to which span the request belongs, unless the step says it itself.
fn add_trace(headers: &mut HeaderMap) {
    if headers.contains_key(TRACEPARENT) || headers.contains_key(TRACESTATE) {
        return;
    }
    let Some(context) = trace_scope::outgoing() else { return };
    let state = context.state.as_deref().and_then(|state| HeaderValue::from_str(state).ok());
    headers.extend(HeaderValue::from_str(&context.traceparent()).ok().map(|value| (TRACEPARENT_NAME, value)));
    headers.extend(state.map(|value| (TRACESTATE_NAME, value)));
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

/// An answer whose body has not been read.
pub(crate) struct Opened {
    response: Response,
    url: Url,
    jar: Jar,
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
    let codings = coding::of(response.headers());
    let mut answer = head(&opened);
    let mut body = Vec::new();
    while let Some(chunk) = opened.chunk().await? {
        if body.len() + chunk.len() > limit {
            return Err(HttpError::TooLarge { limit, status });
        }
        body.extend_from_slice(&chunk);
    }
    answer.body = body;
    match codings {
        // An answer to HEAD has the header and no body, and so may 304.
        _ if answer.body.is_empty() => {}
        Ok(codings) if codings.is_empty() => {}
        Ok(codings) => {
            let coded = std::mem::take(&mut answer.body);
            // Away from the threads that wait for others; whatever damaged bytes do to a decoder ends there.
            let undone = tokio::task::spawn_blocking(move || coding::undo(&coded, &codings, limit)).await;
            match undone {
                Ok(Ok(plain)) => answer.body = plain,
                Ok(Err(Trouble::TooLarge)) => return Err(HttpError::TooLarge { limit, status }),
                Ok(Err(Trouble::Unreadable(why))) => answer.undecoded = Some(why),
                Err(_) => {
                    answer.undecoded = Some("The answer cannot be unpacked by its header Content-Encoding".into())
                }
            }
        }
        Err(why) => {
            answer.body = Vec::new();
            answer.undecoded = Some(why);
        }
    }
    answer.cookies = opened.jar.into_cookies();
    Ok(answer)
}

#[cfg(test)]
mod tests;
