//! What an agent's card says: where it is called and how. All of it comes from the agent: it is checked, and never decides what
//! this machine may reach.

use serde_json::Value;
use signalbox_model::NodeFailure;
use signalbox_model::text::one_line;
use url::Url;

/// Version of the protocol that is spoken.
pub(crate) const PROTOCOL_VERSION: &str = "1.0";
/// Where a card is, when the address names no document.
const WELL_KNOWN: &str = "/.well-known/agent-card.json";
/// Largest card, bytes.
pub(crate) const LARGEST: usize = 256 * 1024;
/// Interfaces that are looked at.
const MOST_INTERFACES: usize = 50;

/// What is used of a card.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Card {
    /// For people.
    pub(crate) name: String,
    /// Where it is called.
    pub(crate) endpoint: Url,
    /// It is asked with every request, when the interface names one.
    pub(crate) tenant: Option<String>,
    /// It answers with an event stream on request.
    pub(crate) streams: bool,
}

fn wrong(words: impl Into<String>) -> NodeFailure {
    NodeFailure::tool("AGENT_CARD", words)
}

/// The address of the card that an author wrote: of the card itself (a path that ends with `.json`), or of the agent's host.
pub(crate) fn address(given: &str) -> Result<Url, NodeFailure> {
    let invalid = |why: String| NodeFailure::validation("INPUT_INVALID", why).detail("field", "url");
    let shown: String = given.chars().take(100).collect();
    let mut url = Url::parse(given.trim()).map_err(|error| {
        invalid(format!("'{shown}' is not an address ({error}); it begins with https:// or http://"))
    })?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(invalid(format!("'{shown}' is not an address of an agent; it begins with https:// or http://")));
    }
    url.set_fragment(None);
    if !url.path().ends_with(".json") {
        let folder = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{folder}{WELL_KNOWN}"));
        url.set_query(None);
    }
    Ok(url)
}

fn is_same_host(a: &Url, b: &Url) -> bool {
    a.host() == b.host()
}

/// Reads a card that came from `from`. `endpoint`: the author named the address of the interface.
pub(crate) fn read(card: &Value, from: &Url, endpoint: Option<&str>) -> Result<Card, NodeFailure> {
    let Some(fields) = card.as_object() else {
        return Err(wrong("The agent card is not a JSON object; look at the address"));
    };
    let name = one_line(fields.get("name").and_then(Value::as_str).unwrap_or_default());
    let name: String = name.trim().chars().take(100).collect();
    if name.is_empty() {
        return Err(wrong(
            "The agent card has no 'name', so it is not a card of the A2A protocol; look at the address",
        ));
    }
    let Some(interfaces) = fields.get("supportedInterfaces").and_then(Value::as_array) else {
        let old = fields.contains_key("url") || fields.contains_key("protocolVersion");
        return Err(wrong(if old {
            format!("The agent '{name}' offers an older version of the A2A protocol only; {PROTOCOL_VERSION} is needed")
        } else {
            format!("The card of the agent '{name}' has no 'supportedInterfaces'; its operator has to correct it")
        }));
    };
    let text = |one: &Value, field: &str| one.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let is_ours = |one: &&Value| {
        let version = text(one, "protocolVersion");
        text(one, "protocolBinding").eq_ignore_ascii_case("JSONRPC")
            && (version == PROTOCOL_VERSION || version.starts_with("1.0."))
    };
    let Some(ours) = interfaces.iter().take(MOST_INTERFACES).find(is_ours) else {
        return Err(wrong(format!(
            "The agent '{name}' offers no JSON-RPC interface of version {PROTOCOL_VERSION} of the A2A protocol"
        ))
        .detail("offered", offered(interfaces)));
    };
    let endpoint = match endpoint {
        Some(given) => Url::parse(given.trim()).map_err(|error| {
            NodeFailure::validation("INPUT_INVALID", format!("The interface address is not valid: {error}"))
                .detail("field", "endpoint")
        })?,
        None => own_endpoint(&text(ours, "url"), &name, from)?,
    };
    Ok(Card {
        endpoint,
        tenant: Some(text(ours, "tenant")).filter(|tenant| !tenant.is_empty()),
        streams: fields.get("capabilities").and_then(|all| all.get("streaming")) == Some(&Value::Bool(true)),
        name,
    })
}

fn offered(interfaces: &[Value]) -> Value {
    let one = |interface: &Value| {
        let text = |field: &str| interface.get(field).and_then(Value::as_str).unwrap_or("?").chars().take(40).collect();
        let (binding, version): (String, String) = (text("protocolBinding"), text("protocolVersion"));
        Value::String(format!("{binding} {version}"))
    };
    interfaces.iter().take(10).map(one).collect()
}

/// The card may name an interface on its own host only: otherwise whoever writes cards decides what this machine reaches.
fn own_endpoint(given: &str, name: &str, from: &Url) -> Result<Url, NodeFailure> {
    let shown: String = given.chars().take(200).collect();
    let url = Url::parse(given).map_err(|error| {
        wrong(format!("The address '{shown}' in the card of the agent '{name}' is not valid: {error}"))
    })?;
    if !is_same_host(&url, from) {
        let host = from.host_str().unwrap_or_default();
        return Err(wrong(format!(
            "The card of the agent '{name}' comes from {host} but leads to '{shown}'. If that is right, write that address as the \
             interface address of the step"
        )));
    }
    if from.scheme() == "https" && url.scheme() != "https" {
        return Err(wrong(format!(
            "The card of the agent '{name}' leads to '{shown}', which is not encrypted; its operator has to correct it"
        )));
    }
    Ok(url)
}
