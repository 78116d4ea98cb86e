//! How connections leave this machine: a proxy for HTTP, and certificate authorities in addition to those of the system. A person on
//! this machine sets both; they hold for the whole process, because a firewall does, too.

mod exceptions;

use exceptions::Exceptions;
use reqwest::Certificate;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use signalbox_model::hash::sha256_parts;
use signalbox_ports::host::{canonical, is_localhost};
use signalbox_ports::secret::allows;
use signalbox_ports::{Credential, CredentialKind};
use std::net::IpAddr;
#[cfg(all(unix, not(target_vendor = "apple")))]
use std::path::Path;
#[cfg(all(unix, not(target_vendor = "apple")))]
use std::sync::LazyLock;
use std::sync::{Arc, PoisonError, RwLock};
use url::{Host, Url};
use zeroize::Zeroizing;

/// Authorities that are read from one text; a bundle of a system has some 150.
const MOST_AUTHORITIES: usize = 500;

/// The way out of the process.
#[derive(Debug, Default)]
pub struct Network {
    /// Where requests go instead of to their host.
    pub proxy: Option<Proxy>,
    authorities: Vec<CertificateDer<'static>>,
}

/// A proxy for HTTP and HTTPS. `https` addresses go through a tunnel (CONNECT), so that it reads nothing of them.
#[derive(Clone)]
pub struct Proxy {
    http: Option<Url>,
    https: Option<Url>,
    exceptions: Exceptions,
    /// User and password.
    login: Option<(String, Zeroizing<String>)>,
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Neither the password nor an address that may hold one.
        f.debug_struct("Proxy").finish_non_exhaustive()
    }
}

/// Certificate authorities of a text.
#[derive(Default)]
pub struct Authorities(Vec<CertificateDer<'static>>);

impl Authorities {
    /// Reads certificates in PEM; the error says what is wrong, with a full stop.
    pub fn from_pem(pem: &str) -> Result<Self, String> {
        let mut found = Vec::new();
        let mut store = RootCertStore::empty();
        for (at, certificate) in CertificateDer::pem_slice_iter(pem.as_bytes()).enumerate() {
            let number = at + 1;
            let certificate = certificate.map_err(|_| format!("Certificate {number} is damaged."))?;
            store
                .add(certificate.clone())
                .map_err(|why| format!("Certificate {number} cannot be used as an authority: {why}."))?;
            found.push(certificate);
        }
        if found.is_empty() && !pem.trim().is_empty() {
            return Err("There is no certificate in it.".to_owned());
        }
        if found.len() > MOST_AUTHORITIES {
            return Err(format!("There are {} certificates in it; at most {MOST_AUTHORITIES} are read.", found.len()));
        }
        Ok(Self(found))
    }

    /// SHA-256 of each certificate, in hex.
    pub fn fingerprints(&self) -> Vec<String> {
        self.0.iter().map(|certificate| sha256_parts(&[certificate.as_ref()])).collect()
    }
}

impl Network {
    /// With a proxy and authorities.
    pub fn new(proxy: Option<Proxy>, authorities: Authorities) -> Self {
        Self { proxy, authorities: authorities.0 }
    }

    /// As the variables of the process say.
    pub fn from_environment() -> Result<Self, String> {
        Ok(Self { proxy: Proxy::from_environment()?, authorities: Vec::new() })
    }

    /// The proxy for an address; `None`: the host itself is asked.
    pub(crate) fn proxy_for(&self, url: &Url) -> Option<&Proxy> {
        self.proxy.as_ref().filter(|proxy| proxy.is_for(url))
    }

    /// For clients of the HTTP library.
    pub(crate) fn certificates(&self) -> Vec<Certificate> {
        // They were read as authorities already.
        self.authorities.iter().filter_map(|found| Certificate::from_der(found.as_ref()).ok()).collect()
    }

    /// The authorities of the system and those of the settings. Reading the system's takes a while.
    #[cfg(any(feature = "brokers", feature = "databases", feature = "mail"))]
    pub(crate) fn trusted(&self) -> Vec<CertificateDer<'static>> {
        let mut all = rustls_native_certs::load_native_certs().certs;
        all.extend(self.authorities.iter().cloned());
        all
    }
}

/// Whether this machine has certificates of authorities. Small containers have none.
#[cfg(all(unix, not(target_vendor = "apple")))]
pub(crate) fn system_has_authorities() -> bool {
    /// Where Debian, Fedora and Alpine have them: enough to know, and much quicker than reading all.
    const USUAL: [&str; 3] =
        ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];
    static FOUND: LazyLock<bool> = LazyLock::new(|| {
        let set = ["SSL_CERT_FILE", "SSL_CERT_DIR"].iter().any(|name| std::env::var_os(name).is_some());
        !set && USUAL.iter().any(|path| Path::new(path).metadata().is_ok_and(|meta| meta.len() > 0))
            || !rustls_native_certs::load_native_certs().certs.is_empty()
    });
    *FOUND
}

/// The system verifies certificates itself.
#[cfg(not(all(unix, not(target_vendor = "apple"))))]
pub(crate) fn system_has_authorities() -> bool {
    true
}

/// A wrong address of a proxy.
fn address(text: &str) -> Result<Url, String> {
    let shown: String = text.chars().take(200).collect();
    let with_scheme = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    // What follows '@' or '//' is shown only when it cannot hold a password.
    let shown = if text.contains('@') { "The address".to_owned() } else { format!("'{shown}'") };
    let url = Url::parse(&with_scheme).map_err(|_| format!("{shown} is no address of a proxy."))?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(url),
        "http" | "https" => Err(format!("{shown} has no host.")),
        other => Err(format!("A proxy of the kind '{other}' is not supported; use http or https.")),
    }
}

impl Proxy {
    /// The proxy that a person set for HTTP and HTTPS.
    ///
    /// # Errors
    /// What cannot be used, and why.
    pub fn new(text: &str, exceptions: &[String], credential: Option<&Credential>) -> Result<Self, String> {
        let url = address(text)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("The address holds a user name or password. Keep them as a secret and choose it.".to_owned());
        }
        if !matches!(url.path(), "" | "/") || url.query().is_some() {
            return Err("The address of a proxy has no path. Write it like http://proxy.example.org:3128.".to_owned());
        }
        let login = match credential {
            None => None,
            Some(credential) => {
                let CredentialKind::Basic { user } = &credential.kind else {
                    return Err(format!("The secret '{}' is not a user with a password.", credential.name));
                };
                allows(&credential.hosts, &url)
                    .map_err(|why| format!("The secret '{}' is not sent to the proxy: {why}.", credential.name))?;
                Some((user.clone(), Zeroizing::new(credential.value.expose().to_owned())))
            }
        };
        let exceptions = Exceptions::parse(exceptions.iter().map(String::as_str))?;
        Ok(Self { http: Some(url.clone()), https: Some(url), exceptions, login })
    }

    /// The proxy of `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, written small or large; small ones come first.
    ///
    /// # Errors
    /// Which variable cannot be used, and why.
    pub fn from_environment() -> Result<Option<Self>, String> {
        Self::from_variables(&|name| std::env::var(name).ok())
    }

    fn from_variables(read: &dyn Fn(&str) -> Option<String>) -> Result<Option<Self>, String> {
        let variable = |name: &str| {
            let small = read(&name.to_ascii_lowercase()).filter(|value| !value.trim().is_empty());
            // In a CGI program HTTP_PROXY is a header of whoever asks.
            let safe = name != "HTTP_PROXY" || read("REQUEST_METHOD").is_none();
            small.or_else(|| read(name).filter(|value| safe && !value.trim().is_empty()))
        };
        let proxy = |name: &'static str| -> Result<Option<Url>, String> {
            variable(name).map(|text| address(text.trim()).map_err(|why| format!("{name}: {why}"))).transpose()
        };
        let all = proxy("ALL_PROXY")?;
        let (http, https) = (proxy("HTTP_PROXY")?.or_else(|| all.clone()), proxy("HTTPS_PROXY")?.or(all));
        if http.is_none() && https.is_none() {
            return Ok(None);
        }
        let exceptions = variable("NO_PROXY").unwrap_or_default();
        let exceptions = Exceptions::parse(exceptions.split(',')).map_err(|why| format!("NO_PROXY: {why}"))?;
        Ok(Some(Self { http, https, exceptions, login: None }))
    }

    /// Its addresses without user and password, for people.
    pub fn shown(&self) -> String {
        let mut all: Vec<String> = [&self.http, &self.https].into_iter().flatten().map(place).collect();
        all.dedup();
        all.join(", ")
    }

    fn of(&self, url: &Url) -> Option<&Url> {
        if url.scheme() == "https" { self.https.as_ref() } else { self.http.as_ref() }
    }

    /// `host:port` of the proxy that an address goes through.
    pub(crate) fn place_for(&self, url: &Url) -> String {
        self.of(url).map(place).unwrap_or_default()
    }

    /// This machine is never asked through a proxy: there the name would mean the proxy's machine.
    fn is_for(&self, url: &Url) -> bool {
        if self.of(url).is_none() {
            return false;
        }
        let host = canonical(url.host_str().unwrap_or_default());
        let here = match url.host() {
            Some(Host::Domain(_)) => is_localhost(&host),
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => IpAddr::V6(ip).to_canonical().is_loopback(),
            None => true,
        };
        !here && !self.exceptions.has(&host, url.port_or_known_default())
    }

    /// For clients of the HTTP library.
    pub(crate) fn apply(&self, mut builder: reqwest::ClientBuilder) -> Result<reqwest::ClientBuilder, String> {
        let wrong = |_| "The address of the proxy cannot be used".to_owned();
        let with_login = |proxy: reqwest::Proxy| match &self.login {
            Some((user, password)) => proxy.basic_auth(user, password.as_str()),
            None => proxy,
        };
        if let Some(url) = &self.http {
            builder = builder.proxy(with_login(reqwest::Proxy::http(url.clone()).map_err(wrong)?));
        }
        if let Some(url) = &self.https {
            builder = builder.proxy(with_login(reqwest::Proxy::https(url.clone()).map_err(wrong)?));
        }
        Ok(builder)
    }
}

fn place(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    format!("{host}:{}", url.port_or_known_default().unwrap_or_default())
}

static CURRENT: RwLock<Option<Arc<Network>>> = RwLock::new(None);

/// From now on connections of this process leave in this way; those that are open stay as they are.
pub fn set(network: Network) {
    *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(network));
}

/// `host:port` of the proxy in use, for people.
pub fn proxy_shown() -> Option<String> {
    current().proxy.as_ref().map(Proxy::shown)
}

/// `host:port` of the proxy that a request to an address goes through.
pub fn proxy_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    current().proxy_for(&url).map(|proxy| proxy.place_for(&url))
}

/// The way out as it is now. Another one is another allocation, so that `Arc::ptr_eq` tells whether it has changed.
pub(crate) fn current() -> Arc<Network> {
    if let Some(known) = CURRENT.read().unwrap_or_else(PoisonError::into_inner).as_ref() {
        return Arc::clone(known);
    }
    let mut current = CURRENT.write().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(current.get_or_insert_with(Arc::default))
}

/// What was made for one way out, and is made anew for another.
pub(crate) struct PerNetwork<T>(RwLock<Option<(Arc<Network>, T)>>);

impl<T> Default for PerNetwork<T> {
    fn default() -> Self {
        Self(RwLock::new(None))
    }
}

impl<T: Clone> PerNetwork<T> {
    /// What was made for `network`, or what `make` makes.
    pub(crate) fn get_or_make<E>(&self, network: &Arc<Network>, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        if let Some((of, made)) = self.0.read().unwrap_or_else(PoisonError::into_inner).as_ref()
            && Arc::ptr_eq(of, network)
        {
            return Ok(made.clone());
        }
        let made = make()?;
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some((Arc::clone(network), made.clone()));
        Ok(made)
    }
}

#[cfg(test)]
mod tests;
