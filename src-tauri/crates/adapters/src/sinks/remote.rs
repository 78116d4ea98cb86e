//! A sink on another machine: its kind, its address, and how it is opened.

use super::connect::other;
use super::{elastic::Elastic, kafka::Kafka, postgres::Postgres, s3::S3, syslog::Syslog};
use signalbox_ports::host::{canonical, is_localhost};
use signalbox_ports::secret::allows;
use signalbox_ports::{AuditSink, Credential};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use url::Url;

/// What a sink is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A table of PostgreSQL.
    Postgres,
    /// A bucket of S3, or of a store that speaks its protocol.
    S3,
    /// An index of Elasticsearch or OpenSearch.
    Elasticsearch,
    /// A logger (RFC 5424).
    Syslog,
    /// A topic of Kafka.
    Kafka,
}

impl Kind {
    /// How an address of it is written, for people.
    pub fn example(self) -> &'static str {
        match self {
            Self::Postgres => "postgresql://user@db.example:5432/database?table=audit_events",
            Self::S3 => "https://s3.example/bucket/prefix?region=eu-central-1",
            Self::Elasticsearch => "https://search.example:9200/index",
            Self::Syslog => "syslog://log.example:6514",
            Self::Kafka => "kafka://kafka.example:9092/topic",
        }
    }

    fn schemes(self) -> &'static [&'static str] {
        match self {
            Self::Postgres => &["postgresql", "postgres"],
            Self::S3 | Self::Elasticsearch => &["https", "http"],
            Self::Syslog => &["syslog"],
            Self::Kafka => &["kafka"],
        }
    }

    /// Query parameters that are allowed.
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Postgres => &["table", "tls"],
            Self::S3 => &["region"],
            Self::Elasticsearch => &[],
            Self::Syslog => &["tls"],
            Self::Kafka => &["tls", "sasl", "brokers"],
        }
    }

    fn port(self) -> u16 {
        match self {
            Self::Postgres => 5432,
            Self::S3 | Self::Elasticsearch => 443,
            Self::Syslog => 6514,
            Self::Kafka => 9092,
        }
    }
}

/// Where a sink is, and what is needed to get there.
#[derive(Debug, Clone)]
pub struct Place {
    /// What it is.
    pub kind: Kind,
    /// Its address, without secrets.
    pub url: Url,
    /// A person on this machine named it: it may be this machine or in a private network.
    pub here: bool,
    /// The authority that signed its certificate (PEM), instead of those that the system trusts.
    pub ca: Option<String>,
    /// Who we are there.
    pub credential: Option<Arc<Credential>>,
    /// The chain whose entries it gets.
    pub log_id: String,
    /// How long it has for one step: connecting, one batch, one look.
    pub time_limit: Duration,
}

impl Place {
    /// The usual limit for one step.
    pub const TIME_LIMIT: Duration = Duration::from_secs(30);

    /// Reads the address of a sink.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence without a full stop.
    pub fn address(kind: Kind, text: &str) -> Result<Url, String> {
        let wrong = |why: &str| format!("{why}. Write an address like {}", kind.example());
        let url = Url::parse(text.trim()).map_err(|_| wrong("The address cannot be read"))?;
        if !kind.schemes().contains(&url.scheme()) {
            return Err(wrong(&format!("The address begins with '{}:'", url.scheme())));
        }
        let host = canonical(url.host_str().unwrap_or_default());
        if host.is_empty() {
            return Err(wrong("The address has no host"));
        }
        if url.password().is_some() {
            return Err(wrong("The address holds a password, which belongs into a secret"));
        }
        if !url.username().is_empty() && kind != Kind::Postgres {
            return Err(wrong("The address holds a user, which belongs into a secret with user and password"));
        }
        for (name, value) in url.query_pairs() {
            if !kind.options().contains(&&*name) {
                return Err(wrong(&format!("The address has the unknown parameter '{name}'")));
            }
            let known: &[&str] = match &*name {
                "tls" => &["on", "off"],
                "sasl" => &["plain", "scram-sha-256", "scram-sha-512"],
                _ => continue,
            };
            if !known.contains(&&*value) {
                return Err(wrong(&format!("'{name}' is one of {}", known.join(", "))));
            }
        }
        let path = url.path().trim_matches('/');
        let names = |most: usize| !path.is_empty() && path.split('/').count() <= most;
        match kind {
            Kind::Postgres if url.username().is_empty() || !names(1) => {
                return Err(wrong("The address needs a user and a database"));
            }
            Kind::S3 if !names(8) => return Err(wrong("The address needs a bucket")),
            Kind::Elasticsearch if !names(1) => return Err(wrong("The address needs an index")),
            Kind::Kafka if !is_topic(path) => {
                return Err(wrong("The address needs a topic: letters, digits, '.', '_' and '-', at most 249"));
            }
            // The client takes the host up to the first colon.
            Kind::Kafka if host.contains(':') => return Err(wrong("Kafka needs a name or an IPv4 address as host")),
            _ => {}
        }
        let table = option(&url, "table").unwrap_or_default();
        if !table.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c)) || table.matches('.').count() > 1 {
            return Err(wrong("A table has a name of letters, digits and '_', with at most a schema before it"));
        }
        if !is_encrypted(&url) && !is_this_machine(&host) {
            return Err(wrong("Entries are sent without encryption to this machine only"));
        }
        Ok(url)
    }

    /// Hosts beside that of the address, which a person named.
    pub(super) fn brokers(&self) -> Vec<String> {
        let named = self.option("brokers").unwrap_or_default();
        named.split(',').map(str::trim).filter(|host| !host.is_empty()).map(canonical).collect()
    }

    pub(super) fn host(&self) -> String {
        canonical(self.url.host_str().unwrap_or_default())
    }

    pub(super) fn port(&self) -> u16 {
        self.url.port_or_known_default().unwrap_or(self.kind.port())
    }

    pub(super) fn encrypted(&self) -> bool {
        is_encrypted(&self.url)
    }

    pub(super) fn option(&self, name: &str) -> Option<String> {
        option(&self.url, name)
    }

    /// The parts of the path.
    pub(super) fn path(&self) -> Vec<String> {
        let parts = self.url.path().trim_matches('/').split('/');
        // What a form reads decodes '+' as well, which stands for itself in a path.
        let decode = |part: &str| {
            let text = format!("a={}", part.replace('+', "%2B"));
            url::form_urlencoded::parse(text.as_bytes()).next().map(|(_, value)| value.into_owned())
        };
        parts.filter_map(decode).collect()
    }

    /// The address as one of the web, which the rules for hosts and secrets are written for.
    pub(super) fn web(&self) -> io::Result<Url> {
        let scheme = if self.encrypted() { "https" } else { "http" };
        let host = self.url.host_str().unwrap_or_default();
        Url::parse(&format!("{scheme}://{host}:{}", self.port())).map_err(io::Error::other)
    }

    /// The credential, when it may be sent there.
    pub(super) fn allowed_credential(&self) -> io::Result<Option<&Credential>> {
        let Some(credential) = self.credential.as_deref() else { return Ok(None) };
        match allows(&credential.hosts, &self.web()?) {
            Ok(()) => Ok(Some(credential)),
            Err(why) => Err(other(format!("the credential '{}' was not sent: {why}", credential.name))),
        }
    }
}

fn option(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
}

fn is_encrypted(url: &Url) -> bool {
    url.scheme() != "http" && option(url, "tls").as_deref() != Some("off")
}

fn is_topic(name: &str) -> bool {
    (1..=249).contains(&name.len())
        && !matches!(name, "." | "..")
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
}

pub(super) fn is_this_machine(host: &str) -> bool {
    is_localhost(host) || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

/// A sink on another machine.
#[derive(Debug, Clone, Copy)]
pub struct Remote;

impl Remote {
    /// Connects as far as it takes to say that entries can go there. Waits; not for threads of a runtime.
    ///
    /// # Errors
    /// Why they cannot.
    pub fn open(place: Place, threads: Handle) -> io::Result<Box<dyn AuditSink>> {
        Ok(match place.kind {
            Kind::Postgres => Box::new(Postgres::open(&place, threads)?),
            Kind::S3 => Box::new(S3::open(place, threads)?),
            Kind::Elasticsearch => Box::new(Elastic::open(place, threads)?),
            Kind::Syslog => Box::new(Syslog::open(place, threads)?),
            Kind::Kafka => Box::new(Kafka::open(&place, threads)?),
        })
    }
}
