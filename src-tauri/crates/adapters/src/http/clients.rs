//! Clients of the HTTP library: each resolves names by a filter, and leaves this machine as `network` says.

use super::failure::root;
use super::{Blocked, CONNECT_TIMEOUT, Lookup, System, check, connection};
use crate::address::{self, Class, Reach};
use crate::network::{self, Network, PerNetwork};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, ClientBuilder};
use signalbox_ports::HttpError;
use signalbox_ports::host::canonical;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// How long this machine is asked for a name that the proxy will ask for, too.
const LOOK_BEHIND: Duration = Duration::from_secs(2);

/// Resolves a name and lets only allowed addresses through.
pub(super) struct Filter {
    pub(super) lookup: Arc<dyn Lookup>,
    pub(super) reach: Reach,
    pub(super) grants: Arc<[String]>,
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

/// Resolves the name of a proxy, which may stand in the own network.
struct AnyAddress;

impl Resolve for AnyAddress {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let host = canonical(name.as_str());
            let found = System.lookup(&host).await.unwrap_or_default();
            if found.is_empty() {
                return Err(Blocked::Unknown(host).into());
            }
            let found: Vec<SocketAddr> = found.into_iter().map(|ip| SocketAddr::new(ip, 0)).collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// The clients of one reach, each made at its first use: reading the system's certificates takes a while.
#[derive(Default)]
pub(super) struct Clients {
    /// Keeps its connections open for the next request.
    pub(super) pooled: PerNetwork<Client>,
    /// Makes a connection for each request.
    pub(super) fresh: PerNetwork<Client>,
}

pub(super) fn built(builder: reqwest::ClientBuilder) -> Result<Client, String> {
    builder.build().map_err(|error| format!("The HTTP client cannot be set up: {}", root(&error)))
}

pub(super) fn builder(filter: Filter, pooled: bool, network: &Network) -> ClientBuilder {
    common(pooled, network).no_proxy().dns_resolver(Arc::new(filter))
}

/// To the proxy, which asks for the host. The proxy is where a person said it is; what is behind it is checked before.
pub(super) fn proxied_builder(network: &Network, pooled: bool) -> Result<ClientBuilder, String> {
    let builder = common(pooled, network).no_proxy().dns_resolver(Arc::new(AnyAddress));
    match &network.proxy {
        Some(proxy) => proxy.apply(builder),
        None => Ok(builder),
    }
}

fn common(pooled: bool, network: &Network) -> ClientBuilder {
    // A second call finds the provider already there, which is just as well.
    let _already = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .user_agent(concat!("Signalbox/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .connector_layer(connection::ConnectionObserver);
    // The library makes no client at all, not even for `http:`, on a machine without certificates.
    let builder = if network::system_has_authorities() {
        builder.tls_certs_merge(network.certificates())
    } else {
        builder.tls_certs_only(network.certificates())
    };
    if pooled { builder } else { builder.pool_max_idle_per_host(0) }
}

/// What a name behind a proxy means on this machine; the error says that it may not be asked.
pub(super) async fn look_behind(
    lookup: &dyn Lookup,
    host: &str,
    reach: Reach,
    grants: &[String],
) -> Result<Option<IpAddr>, HttpError> {
    // Where only the proxy resolves names, this machine waits for servers that do not answer.
    let found = tokio::time::timeout(LOOK_BEHIND, lookup.lookup(host)).await;
    let found = found.map(Result::unwrap_or_default).unwrap_or_default();
    let Some(first) = found.first().copied() else { return Ok(None) };
    match found.into_iter().find(|ip| address::allowed(host, *ip, reach, grants)) {
        Some(ip) => Ok(Some(ip)),
        None => Err(HttpError::Refused { message: address::refusal(host, Some(first)) }),
    }
}

/// A client to one host, by the proxy where there is one for it.
fn client_by(filter: Filter, url: &Url, tls: Option<rustls::ClientConfig>) -> Result<Client, String> {
    let network = network::current();
    let builder = match network.proxy_for(url) {
        Some(_) => proxied_builder(&network, true)?,
        None => builder(filter, true, &network),
    };
    built(match tls {
        Some(tls) => builder.tls_backend_preconfigured(tls),
        None => builder,
    })
}

/// A client for one address that a person on this machine registered: its host may be this machine or in the own network. It
/// follows no redirects, and is for this address alone. Link-local addresses are not reached, registered or not.
pub(crate) fn client_for(url: &Url) -> Result<Client, HttpError> {
    let host = canonical(url.host_str().unwrap_or_default());
    let linked = host.parse::<IpAddr>().is_ok_and(|ip| address::class(ip) == Class::LinkLocal);
    let grants: Arc<[String]> = if linked { Arc::new([]) } else { Arc::new([host]) };
    check(url, Reach::Loopback, &grants)?;
    client_by(Filter { lookup: Arc::new(System), reach: Reach::Loopback, grants }, url, None)
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

/// A client for an address that reaches what the rules allow, follows no redirect, and resolves names by the filter.
pub(crate) fn client_of(rules: &Rules, url: &Url) -> Result<Client, String> {
    client_by(Filter { lookup: Arc::new(System), reach: rules.reach, grants: Arc::clone(&rules.grants) }, url, None)
}

/// [`client_of`] that checks certificates as `tls` says.
#[cfg(feature = "app")]
pub(crate) fn client_with_tls(rules: &Rules, url: &Url, tls: rustls::ClientConfig) -> Result<Client, String> {
    client_by(
        Filter { lookup: Arc::new(System), reach: rules.reach, grants: Arc::clone(&rules.grants) },
        url,
        Some(tls),
    )
}
