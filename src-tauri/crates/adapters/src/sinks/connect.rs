//! Connections to sinks: only to allowed addresses, encrypted with a certificate that was checked, and in bounded time.

use super::remote::Place;
use crate::address::{self, Class, Reach};
use crate::http::{Rules, client_with_tls, why_not};
use crate::tls;
use reqwest::header::HeaderMap;
use reqwest::{Client, Method};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use url::Url;

pub(super) fn other(why: impl Into<String>) -> io::Error {
    io::Error::other(why.into())
}

/// Waits for what a sink does, for a bounded time.
#[derive(Clone)]
pub(super) struct Waiter {
    threads: Handle,
    limit: Duration,
}

impl Waiter {
    pub(super) fn new(place: &Place, threads: Handle) -> Self {
        Self { threads, limit: place.time_limit }
    }

    pub(super) fn spawn(&self, work: impl Future<Output = impl Send + 'static> + Send + 'static) {
        self.threads.spawn(work);
    }

    pub(super) fn wait<T>(&self, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
        let late = || Err(other(format!("it did not answer within {} seconds", self.limit.as_secs())));
        self.threads.block_on(async { tokio::time::timeout(self.limit, work).await.unwrap_or_else(|_| late()) })
    }
}

/// How far a sink may be: where a person on this machine named it, its host and nothing else of the own network.
fn rules(place: &Place) -> Rules {
    let host = place.host();
    let linked = host.parse::<IpAddr>().is_ok_and(|ip| address::class(ip) == Class::LinkLocal);
    if place.here && !linked {
        Rules { reach: Reach::Loopback, grants: Arc::new([host]) }
    } else {
        Rules { reach: Reach::Public, grants: Arc::new([]) }
    }
}

/// The addresses of `host` (canonical) that the rules allow to connect to: at least one.
pub(super) async fn resolve(host: &str, port: u16, rules: &Rules) -> io::Result<Vec<SocketAddr>> {
    let found: Vec<IpAddr> = match host.parse() {
        Ok(ip) => vec![ip],
        Err(_) => {
            let looked_up = tokio::net::lookup_host((host, 0)).await;
            looked_up.map(|all| all.map(|address| address.ip()).collect()).unwrap_or_default()
        }
    };
    let Some(first) = found.first().copied() else { return Err(other(format!("the name '{host}' was not found"))) };
    let good = found.into_iter().filter(|ip| address::allowed(host, *ip, rules.reach, &rules.grants));
    let good: Vec<SocketAddr> = good.map(|ip| SocketAddr::new(ip, port)).collect();
    if good.is_empty() { Err(other(address::refusal(host, Some(first)))) } else { Ok(good) }
}

pub(super) async fn tcp(place: &Place) -> io::Result<TcpStream> {
    connect(&resolve(&place.host(), place.port(), &rules(place)).await?).await
}

/// Connects to the first of the addresses that answers.
pub(super) async fn connect(addresses: &[SocketAddr]) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(addresses).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Which certificates are good.
pub(super) fn tls(place: &Place) -> io::Result<ClientConfig> {
    tls::client_config(place.ca.as_deref()).map_err(other)
}

pub(super) fn server_name(place: &Place) -> io::Result<ServerName<'static>> {
    ServerName::try_from(place.host()).map_err(|_| other(format!("'{}' is no host of a certificate", place.host())))
}

/// Requests to a sink that speaks HTTP.
pub(super) struct Web {
    client: Client,
}

/// What came back.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Web {
    pub(super) fn open(place: &Place) -> io::Result<Self> {
        let rules = rules(place);
        let url = place.web()?;
        rules.check(&url).map_err(other)?;
        Ok(Self { client: client_with_tls(&rules, &url, tls(place)?).map_err(other)? })
    }

    /// Sends a request; an answer of more than `most` bytes is an error.
    pub(super) async fn send(
        &self,
        method: Method,
        url: Url,
        headers: HeaderMap,
        body: Option<Vec<u8>>,
        most: usize,
    ) -> io::Result<Answer> {
        let mut request = self.client.request(method, url.clone()).headers(headers);
        if let Some(body) = body {
            request = request.body(body);
        }
        let failed = |error: reqwest::Error| other(why_not(&error, &url));
        let mut response = request.send().await.map_err(failed)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > most {
                return Err(other(format!("its answer is larger than {most} bytes")));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Answer { status: response.status().as_u16(), body })
    }
}

impl Answer {
    /// What an unwanted answer says about itself, cut short.
    pub(super) fn refusal(&self) -> io::Error {
        let text = String::from_utf8_lossy(&self.body);
        let between = |from: &str, to: &str| {
            let rest = text.split_once(from)?.1;
            Some(rest.split_once(to)?.0.chars().take(200).collect::<String>())
        };
        let word = between("<Code>", "</Code>").or_else(|| between("\"reason\":\"", "\""));
        let what = word.map_or_else(String::new, |word| format!(" ({word})"));
        other(format!("it answered {}{what}", self.status))
    }
}
