//! Schemas that have a name (K-10, E-40): those of a workflow file, under `schemas`, and those that this program brings. A
//! name is a path such as `/schemas/order.schema.json`.

use serde_json::Value;
use signalbox_model::Workflow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// What every name begins with.
pub(crate) const FOLDER: &str = "/schemas/";

const TEXTS: [(&str, &str); 3] = [
    ("AuditPayload.schema.json", include_str!("../../../../schemas/AuditPayload.schema.json")),
    ("ErrorPayload.schema.json", include_str!("../../../../schemas/ErrorPayload.schema.json")),
    ("execution-payload.schema.json", include_str!("../../../../schemas/execution-payload.schema.json")),
];

static BUILT_IN: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
    let read = |(name, text): (&str, &str)| Some((format!("{FOLDER}{name}"), serde_json::from_str(text).ok()?));
    TEXTS.into_iter().filter_map(read).collect()
});

/// The schemas that a workflow knows by name.
#[derive(Debug, Clone, Default)]
pub struct Schemas(Option<Arc<BTreeMap<String, Value>>>);

impl Schemas {
    /// Those of a workflow file, and those that this program brings.
    pub fn of(workflow: &Workflow) -> Self {
        let own = workflow.schemas.as_ref().filter(|own| !own.is_empty());
        Self(own.map(|own| Arc::new(own.iter().map(|(name, schema)| (name.clone(), schema.clone())).collect())))
    }

    /// The schema of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.as_ref().and_then(|own| own.get(name)).or_else(|| BUILT_IN.get(name))
    }

    /// All names, in alphabetical order.
    pub fn names(&self) -> Vec<&str> {
        let own = self.0.iter().flat_map(|own| own.keys());
        let mut names: Vec<&str> = own.chain(BUILT_IN.keys()).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The schema that a value is: an object is one itself, a text names one.
    pub(crate) fn meant(&self, value: &Value) -> Option<Value> {
        match value {
            Value::Object(_) => Some(value.clone()),
            Value::String(name) => self.get(name).cloned(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
        }
    }
}

/// Whether a text can name a schema of a workflow file.
pub(crate) fn valid_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let part = |part: &str| !part.is_empty() && part != "." && part != ".." && part.chars().all(plain);
    name.len() <= 200 && name.strip_prefix(FOLDER).is_some_and(|rest| rest.split('/').all(part))
}
