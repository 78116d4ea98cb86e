//! What is wrong with an answer of the model, as data: where, what was expected, what came, which names there are.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_engine::Catalog;
use signalbox_engine::catalog::nearest;
use signalbox_model::{Code, Diagnostic, Severity};

/// The model sees at most so many at once: more would hide the cause behind its consequences.
pub const MAX_FINDINGS: usize = 5;
/// Longest name or text in a finding, characters.
const LONGEST: usize = 200;
/// Names that are listed.
const NAMES: usize = 20;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// A diagnostic code of the validator, or one of the planner.
    pub code: String,
    /// JSON Pointer into the workflow, or into the answer.
    pub at: String,
    /// What is wrong.
    pub message: String,
    /// What should be there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    /// Names that can be used there, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub available: Vec<String>,
}

impl Finding {
    /// A finding with its place and words.
    pub fn new(code: &str, at: impl Into<String>, message: impl Into<String>) -> Self {
        let (expected, got, available) = (None, None, Vec::new());
        Self { code: code.to_owned(), at: at.into(), message: short(&message.into()), expected, got, available }
    }

    /// The same with what should be there.
    #[must_use]
    pub fn expected(mut self, text: impl AsRef<str>) -> Self {
        self.expected = Some(short(text.as_ref()));
        self
    }

    /// The same with what was there.
    #[must_use]
    pub fn got(mut self, text: impl AsRef<str>) -> Self {
        self.got = Some(short(text.as_ref()));
        self
    }

    /// The same with the names that can be used instead of `wanted`.
    #[must_use]
    pub fn names<'a>(mut self, wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        let all: Vec<&str> = names.into_iter().collect();
        let near = nearest(wanted, all.iter().copied());
        let others = all.iter().copied().filter(|name| Some(*name) != near);
        self.available = near.into_iter().chain(others).take(NAMES).map(short).collect();
        self
    }
}

/// A text that fits in a finding, without what could end a line.
pub(crate) fn short(text: &str) -> String {
    let mut line: String = text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line
}

/// The errors of a document, at most [`MAX_FINDINGS`], with the names that the catalog has at these places.
pub fn from_diagnostics(document: &Value, diagnostics: &[Diagnostic], catalog: &Catalog) -> Vec<Finding> {
    let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
    errors.take(MAX_FINDINGS).map(|found| from_diagnostic(document, found, catalog)).collect()
}

fn from_diagnostic(document: &Value, found: &Diagnostic, catalog: &Catalog) -> Finding {
    let mut finding = Finding::new(&found.code.as_str(), &found.path, &found.message).expected(&found.hint);
    let value = document.pointer(&found.path);
    if let Some(value) = value.filter(|value| !value.is_object() && !value.is_array()) {
        finding = finding.got(value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    let mut parts = found.path.split('/').skip(1);
    let (Some(section), Some(place)) = (parts.next(), parts.next()) else { return finding };
    match found.code {
        Code::UnknownType => {
            let wanted = value.and_then(Value::as_str).unwrap_or_default();
            finding.names(wanted, catalog.iter().map(|kind| kind.kind.as_str()))
        }
        Code::UnknownConfig | Code::MissingConfig if section == "nodes" => {
            let kind = document["nodes"][place]["type"].as_str().and_then(|kind| catalog.get(kind));
            let names = kind.and_then(|kind| kind.config["properties"].as_object());
            let wanted = found.path.rsplit('/').next().unwrap_or_default();
            finding.names(wanted, names.into_iter().flat_map(|names| names.keys().map(String::as_str)))
        }
        Code::UnknownPort if section == "edges" => {
            let from = document.pointer(&format!("/edges/{place}/from")).and_then(Value::as_str).unwrap_or_default();
            let (id, port) = from.rsplit_once('.').unwrap_or((from, ""));
            let node = &document["nodes"][id];
            let ports = node["type"].as_str().and_then(|kind| catalog.get(kind));
            let ports = ports.map(|kind| kind.port_ids(node.get("config"))).unwrap_or_default();
            finding.got(port).names(port, ports.iter().map(String::as_str))
        }
        Code::DanglingEdge => {
            let wanted = value.and_then(Value::as_str).unwrap_or_default();
            let ids = document["nodes"].as_object();
            finding.names(wanted, ids.into_iter().flat_map(|ids| ids.keys().map(String::as_str)))
        }
        _ => finding,
    }
}
