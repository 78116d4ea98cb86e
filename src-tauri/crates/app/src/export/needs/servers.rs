//! Databases, mail servers, services of connectors and indexes of documents.

use super::{At, Looked, is_fixed_text, origin};
use serde_json::Value;
use signalbox_engine::connector::KnownConnectors;
use signalbox_model::connector::AuthPlace;
use signalbox_model::{Connector, Node};
use url::Url;

/// The address of a server whose host is written out.
fn server(scheme: &str, config: &Value, usual: u64) -> Option<Url> {
    let host = config["host"].as_str().map(str::trim).filter(|host| !host.is_empty() && is_fixed_text(host))?;
    let port = match &config["port"] {
        Value::Null => usual,
        Value::Number(port) => port.as_u64()?,
        _ => return None,
    };
    Url::parse(&format!("{scheme}://{host}:{port}")).ok().filter(|url| url.host_str().is_some())
}

/// Addresses of a connector: the step's own, else those that its file names. None when one is known in the run only.
fn of_connector(connector: Option<&Connector>, config: &Value) -> Option<Vec<Url>> {
    let own = config["server"].as_str().map(str::trim).filter(|own| !own.is_empty());
    let base = match (own, connector) {
        (Some(own), _) => origin(own)?,
        // A variable in the host is part of the address.
        (None, Some(connector)) => origin(&connector.servers.first()?.url.replace('{', "{{"))?,
        (None, None) => return None,
    };
    let tokens = connector.into_iter().flat_map(|connector| &connector.auth);
    let tokens = tokens.filter(|scheme| scheme.place == AuthPlace::ClientCredentials);
    let tokens = tokens.filter_map(|scheme| scheme.token_url.as_deref().and_then(origin));
    Some(std::iter::once(base).chain(tokens).collect())
}

impl Looked {
    pub(super) fn connector(&mut self, at: &At<'_>, node: &Node, connectors: &KnownConnectors) {
        let Some(config) = &node.config else { return };
        let connector = connectors.of(node).map(|(connector, _)| connector.as_ref());
        self.sends(at, config, &of_connector(connector, config).unwrap_or_default());
    }

    pub(super) fn database(&mut self, at: &At<'_>, config: &Value) {
        let usual = match config["system"].as_str() {
            Some("postgres") => 5432,
            Some("mysql") => 3306,
            _ => return,
        };
        let scheme = if config["tls"] == "off" { "plain" } else { config["system"].as_str().unwrap_or_default() };
        self.sends(at, config, server(scheme, config, usual).as_slice());
    }

    pub(super) fn mail(&mut self, at: &At<'_>, kind: &str, config: &Value) {
        let reads = kind == "mail.read";
        let (scheme, usual) = match (config["security"].as_str().unwrap_or("tls"), reads) {
            ("none", true) => ("plain", 143),
            ("none", false) => ("plain", 25),
            ("starttls", true) => ("imap", 143),
            ("starttls", false) => ("smtp", 587),
            (_, true) => ("imaps", 993),
            (_, false) => ("smtps", 465),
        };
        self.sends(at, config, server(scheme, config, usual).as_slice());
    }

    pub(super) fn index(&mut self, at: &At<'_>, kind: &str, config: &Value) {
        let Some(name) = config["index"].as_str().filter(|name| !name.is_empty()) else { return };
        if kind == "rag.retrieve" {
            self.searched.entry(name.to_owned()).or_default().push(at.name());
        } else if config["action"] != "remove" {
            self.made.insert(name.to_owned());
        }
    }
}
