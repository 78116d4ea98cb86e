//! Addresses of HTTP requests that are none, and bodies that do not fit the Content-Type header beside them.

use super::words;
use crate::request_body::{self, BodyFormat, Misfit};
use serde_json::Value;
use signalbox_model::{Code, Diagnostic, Node, NodeDescriptor};

const KIND: &str = "http.request";

pub(super) fn check(at: &str, node: &Node, descriptor: &NodeDescriptor, found: &mut Vec<Diagnostic>) {
    if node.kind != KIND {
        return;
    }
    address(at, node, descriptor, found);
    let setting =
        |name: &str| node.config.as_ref().and_then(|config| config.get(name)).filter(|value| !value.is_null());
    let Some(body) = setting("body") else { return };
    let headers = setting("headers").and_then(Value::as_object);
    let content_type = headers
        .into_iter()
        .flatten()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-type"))
        .map(|(_, value)| value.as_str().unwrap_or_default())
        .unwrap_or_default();
    if is_computed(content_type) {
        return;
    }
    let misfit = match body {
        Value::String(text) if is_computed(text) => return,
        Value::String(text) => {
            request_body::text_misfit(content_type, text).map(|why| Misfit { pointer: String::new(), why })
        }
        // Texts inside may be expressions; what stands around them is fixed.
        other => match request_body::format_of(content_type, other) {
            Ok(BodyFormat::Json) => None,
            Ok(BodyFormat::Form) => request_body::form_fields(other).err(),
            Ok(BodyFormat::Multipart) => request_body::parts(other).err(),
            Err(misfit) => Some(misfit),
        },
    };
    let Some(Misfit { pointer, why }) = misfit else { return };
    let step = words::step(node, Some(descriptor));
    found.push(Diagnostic::error(
        Code::BadConfig,
        format!("{at}/config/body{pointer}"),
        format!("The body of {step} does not match its header Content-Type: {why}"),
        "Correct the body, or the header Content-Type",
    ));
}

/// Only what certainly fails when the step runs.
fn address(at: &str, node: &Node, descriptor: &NodeDescriptor, found: &mut Vec<Diagnostic>) {
    let Some(url) = node.config.as_ref().and_then(|config| config.get("url")).and_then(Value::as_str) else { return };
    let text = url.trim();
    let begins = |with: &str| text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    let step = words::step(node, Some(descriptor));
    // An expression may stand anywhere in a pasted command.
    let (message, hint) = if begins("curl ") || begins("curl.exe ") {
        (
            format!("The address of {step} is a whole cURL command"),
            "Keep the address alone. Or paste the command on the canvas: it becomes a request with its headers and its body",
        )
    } else if text.is_empty() || is_computed(text) || begins("https://") || begins("http://") {
        return;
    } else {
        (
            format!("The address of {step} does not begin with https:// or http://"),
            "Write it like https://example.org/orders",
        )
    };
    found.push(Diagnostic::error(Code::BadConfig, format!("{at}/config/url"), message, hint));
}

/// Whether a text is only known when the step runs.
fn is_computed(text: &str) -> bool {
    text.starts_with('=') || text.contains("{{")
}
