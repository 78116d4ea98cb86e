//! `flow.respond`: what the sender of a webhook gets. The host reads it from the events of the run, so the answer is as
//! durable as the run; whatever else it says would not be in the log.

use crate::support::{kind_of, made, setting, whole, wrong_setting};
use crate::{Kind, Outcome};
use serde_json::{Value, json};
use signalbox_engine::effect::CallSlot;
use signalbox_model::{Map, NodeFailure};

pub(crate) const KIND: Kind = Kind::Pure(run);

/// Headers that belong to the connection, that would let a page of a workflow act as a page of this server, or that the host
/// sets itself.
const RESERVED: [&str; 15] = [
    "clear-site-data",
    "connection",
    "content-length",
    "content-security-policy",
    "date",
    "keep-alive",
    "service-worker-allowed",
    "set-cookie",
    "strict-transport-security",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "www-authenticate",
    "x-content-type-options",
];
/// Headers of one answer.
const MOST: usize = 50;

fn run(slot: &CallSlot) -> Outcome {
    let status = whole(slot, "status", 200, 599)?.unwrap_or(200);
    let headers = match setting(slot, "headers") {
        None => Map::new(),
        Some(Value::Object(given)) => headers(given)?,
        Some(other) => return Err(wrong_setting("headers", "an object", other)),
    };
    let body = slot.config.get("body").cloned().unwrap_or_default();
    Ok(made(slot, json!({ "status": status, "headers": headers, "body": body })))
}

fn headers(given: &Map) -> Result<Map, NodeFailure> {
    let refused = |name: &str, why: &str| {
        let shown: String = name.chars().take(100).collect();
        NodeFailure::validation("INPUT_INVALID", format!("The header '{shown}' cannot be sent: {why}"))
            .detail("field", "headers")
    };
    if given.len() > MOST {
        return Err(refused("…", &format!("an answer has at most {MOST}")));
    }
    let mut headers = Map::new();
    for (name, value) in given.iter().filter(|(_, value)| !value.is_null()) {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            other => return Err(refused(name, &format!("its value is {}, not text", kind_of(other)))),
        };
        let parsed = http::HeaderName::from_bytes(name.as_bytes()).map_err(|_| refused(name, "it is not a name"))?;
        let name = parsed.as_str();
        if RESERVED.contains(&name) {
            return Err(refused(name, "Signalbox sets it, or it would act for more than this answer"));
        }
        if text.len() > 8_192 || http::HeaderValue::from_str(&text).is_err() {
            return Err(refused(name, "its value holds line breaks or other control characters, or is too long"));
        }
        headers.insert(name.to_owned(), text.into());
    }
    Ok(headers)
}
