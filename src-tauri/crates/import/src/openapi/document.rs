//! A document and what its references lead to.

use super::Refused;
use serde_json::Value;
use signalbox_model::diagnostic::pointer_token;

/// References that lead to references.
const FOLLOWED: usize = 16;

/// Which rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    Swagger2,
    Open30,
    Open31,
}

/// A document of a known version.
#[derive(Debug)]
pub(super) struct Document<'a> {
    pub(super) root: &'a Value,
    pub(super) version: Version,
}

/// Why a reference leads to nothing.
#[derive(Debug, Clone)]
pub(super) struct NoTarget(pub(super) String);

impl<'a> Document<'a> {
    pub(super) fn new(root: &'a Value) -> Result<Self, Refused> {
        let text = |name: &str| match &root[name] {
            Value::String(text) => Some(text.clone()),
            // YAML reads 2.0 as a number.
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let version = match (text("openapi"), text("swagger")) {
            (Some(version), _) if version.starts_with("3.0") => Version::Open30,
            (Some(version), _) if version.starts_with("3.") => Version::Open31,
            (_, Some(version)) if version.starts_with('2') => Version::Swagger2,
            (Some(other), _) | (_, Some(other)) => {
                let other: String = other.chars().take(20).collect();
                let message =
                    format!("The document has version '{other}'; OpenAPI 3.0 and 3.1, and Swagger 2.0 are read");
                return Err(Refused::new(message, "Convert it to OpenAPI 3"));
            }
            (None, None) => {
                let message = "The file is not an OpenAPI document: it has neither 'openapi' nor 'swagger'";
                return Err(Refused::new(message, "Choose the document that describes the API, as JSON or YAML"));
            }
        };
        if !root["paths"].is_object() {
            let message = "The document has no 'paths', so that it describes no operation";
            return Err(Refused::new(message, "Choose the complete document"));
        }
        Ok(Self { root, version })
    }

    /// What a local reference leads to.
    pub(super) fn target(&self, reference: &str) -> Result<&'a Value, NoTarget> {
        let Some(pointer) = reference.strip_prefix('#') else {
            let shown: String = reference.chars().take(200).collect();
            return Err(NoTarget(format!(
                "'{shown}' leads out of the document, and nothing is fetched. Put everything into one file (bundle it), then import that"
            )));
        };
        // A pointer in an address may be percent-encoded.
        let pointer = if pointer.contains('%') { unescaped(pointer) } else { pointer.to_owned() };
        let shown: String = reference.chars().take(200).collect();
        self.root.pointer(&pointer).ok_or_else(|| NoTarget(format!("'{shown}' leads to nothing in the document")))
    }

    /// A value, or what it refers to; with the place of what it refers to.
    pub(super) fn resolved(&self, value: &'a Value, path: &str) -> Result<(&'a Value, String), NoTarget> {
        let (mut here, mut place) = (value, path.to_owned());
        for _ in 0..FOLLOWED {
            let Some(reference) = here.get("$ref").and_then(Value::as_str) else { return Ok((here, place)) };
            here = self.target(reference)?;
            reference.trim_start_matches('#').clone_into(&mut place);
        }
        Err(NoTarget("references lead round in a circle".into()))
    }

    /// [`Self::resolved`] of a value that was copied out of the document.
    pub(super) fn resolved_owned(&self, value: &Value, path: &str) -> Result<(Value, String), NoTarget> {
        let Some(reference) = value.get("$ref").and_then(Value::as_str) else {
            return Ok((value.clone(), path.to_owned()));
        };
        let target = self.target(reference)?;
        let (found, place) = self.resolved(target, reference.trim_start_matches('#'))?;
        Ok((found.clone(), place))
    }
}

/// A text of an address with its `%XX` undone.
fn unescaped(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| bytes[at] == b'%') {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A JSON Pointer with one more part.
pub(super) fn below(path: &str, part: &str) -> String {
    format!("{path}/{}", pointer_token(part))
}
