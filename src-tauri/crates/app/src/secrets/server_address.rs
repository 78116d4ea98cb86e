//! Servers that a secret is tried at, written as addresses: `postgres://db.example.com/shop`. What such an address says becomes
//! the settings of a step, so that the test meets the same rules and errors.

use serde_json::{Map, Value, json};
use signalbox_nodes::ServerFamily;
use url::Url;

/// Where somebody signs in.
#[derive(Debug, PartialEq)]
pub(super) struct ServerAddress {
    pub(super) family: ServerFamily,
    /// Settings of a step, without its credential.
    pub(super) settings: Map<String, Value>,
}

impl ServerAddress {
    /// Only keys of SSH are of use there, and nowhere else.
    pub(super) fn is_sftp(&self) -> bool {
        self.settings.get("system").is_some_and(|system| system == "sftp")
    }
}

/// Why an address is none; a sentence without a full stop.
type Wrong = String;

/// How a server of a scheme is reached.
struct Scheme {
    family: ServerFamily,
    /// `system` of the settings; mail servers have none.
    system: &'static str,
    /// The settings for encryption.
    encryption: (&'static str, Value),
    /// What `?tls=off` makes of it, where the scheme itself does not say.
    off: Option<Value>,
}

fn scheme(name: &str) -> Option<Scheme> {
    use ServerFamily::{Broker, Database, Imap, Smtp};
    let broker = |system, tls: bool| Scheme { family: Broker, system, encryption: ("tls", tls.into()), off: None };
    let mail = |family, security: &str| Scheme {
        family,
        system: "",
        encryption: ("security", security.into()),
        off: (security == "starttls").then(|| "none".into()),
    };
    let database =
        |system| Scheme { family: Database, system, encryption: ("tls", "verify".into()), off: Some("off".into()) };
    Some(match name {
        "postgres" | "postgresql" => database("postgres"),
        "mysql" | "mariadb" => database("mysql"),
        "mqtt" => broker("mqtt", false),
        "mqtts" => broker("mqtt", true),
        "redis" => broker("redis", false),
        "rediss" => broker("redis", true),
        "amqp" => broker("amqp", false),
        "amqps" => broker("amqp", true),
        "nats" => broker("nats", false),
        "nats+tls" => broker("nats", true),
        "kafka" => broker("kafka", false),
        "kafka+tls" => broker("kafka", true),
        "smtp" => mail(Smtp, "starttls"),
        "smtps" => mail(Smtp, "tls"),
        "imap" => mail(Imap, "starttls"),
        "imaps" => mail(Imap, "tls"),
        _ => return None,
    })
}

/// The server of an address; `None` where its scheme is that of another test.
pub(super) fn server_address(text: &str) -> Option<Result<ServerAddress, Wrong>> {
    for system in ["s3", "gcs", "azure", "webdav"] {
        if let Some(rest) = text.strip_prefix(system).and_then(|rest| rest.strip_prefix('+')) {
            return Some(store(system, rest));
        }
    }
    if text.starts_with("sftp://") {
        let settings = json!({ "system": "sftp", "address": text }).as_object().cloned().unwrap_or_default();
        return Some(Ok(ServerAddress { family: ServerFamily::Objects, settings }));
    }
    let found = scheme(text.split_once("://")?.0)?;
    Some(server(&found, text))
}

fn decoded(part: &str) -> Result<String, Wrong> {
    let form = format!("p={}", part.replace('+', "%2B"));
    let text = url::form_urlencoded::parse(form.as_bytes()).next().map(|(_, text)| text.into_owned());
    let text = text.unwrap_or_default();
    if text.contains('\u{fffd}') { Err(format!("'{part}' in the address is not UTF-8")) } else { Ok(text) }
}

fn without_password(url: &Url) -> Result<(), Wrong> {
    match url.password() {
        Some(_) => Err("The address has a password in it. It belongs in the secret only".to_owned()),
        None => Ok(()),
    }
}

fn server(scheme: &Scheme, text: &str) -> Result<ServerAddress, Wrong> {
    let Scheme { family, system, encryption, off } = scheme;
    let url = Url::parse(text).map_err(|why| format!("The address cannot be read: {why}"))?;
    without_password(&url)?;
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    if host.is_empty() {
        return Err("The address has no host".to_owned());
    }
    let mut settings = Map::new();
    let (field, value) = encryption;
    settings.insert((*field).to_owned(), value.clone());
    settings.insert("host".to_owned(), decoded(host)?.into());
    if !system.is_empty() {
        settings.insert("system".to_owned(), (*system).into());
    }
    if let Some(port) = url.port() {
        settings.insert("port".to_owned(), port.into());
    }
    if !url.username().is_empty() {
        settings.insert("user".to_owned(), decoded(url.username())?.into());
    }
    let path = decoded(url.path().strip_prefix('/').unwrap_or_default())?;
    match (family, *system) {
        (ServerFamily::Database, _) if path.is_empty() => {
            return Err("The address names no database. Write it behind the host, like postgres://db.example.com/shop"
                .to_owned());
        }
        (ServerFamily::Database, _) => drop(settings.insert("database".to_owned(), path.into())),
        (_, "amqp") if !path.is_empty() => drop(settings.insert("vhost".to_owned(), path.into())),
        _ if !path.is_empty() => return Err(format!("The address has a path, '/{path}', that means nothing here")),
        _ => {}
    }
    for (name, value) in url.query_pairs() {
        match (&*name, &*value) {
            ("tls", "off") if off.is_some() => {
                settings.insert((*field).to_owned(), off.clone().unwrap_or_default());
            }
            ("sasl", _) if *system == "kafka" => drop(settings.insert("sasl".to_owned(), (*value).into())),
            _ => return Err(format!("'{name}={value}' in the address means nothing here")),
        }
    }
    Ok(ServerAddress { family: *family, settings })
}

fn store(system: &str, address: &str) -> Result<ServerAddress, Wrong> {
    let mut url = Url::parse(address)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        .ok_or_else(|| format!("The address of the store is not one like {system}+https://store.example.com/bucket"))?;
    without_password(&url)?;
    if !url.username().is_empty() {
        return Err("The address has a user in it. The user belongs in the secret".to_owned());
    }
    let mut bucket = String::new();
    if matches!(system, "gcs" | "azure") {
        let mut parts: Vec<String> =
            url.path_segments().map(|all| all.map(str::to_owned).collect()).unwrap_or_default();
        parts.retain(|part| !part.is_empty());
        bucket = parts.pop().ok_or_else(|| "The address names no bucket. Write it at the end".to_owned())?;
        url.set_path(&parts.join("/"));
    }
    let settings = json!({ "system": system, "address": url.as_str(), "bucket": bucket });
    let settings = settings.as_object().cloned().unwrap_or_default();
    Ok(ServerAddress { family: ServerFamily::Objects, settings })
}

#[cfg(test)]
mod tests;
