//! A run's input against the workflow's `params` schema.

use crate::schema::Schema;
use serde_json::Value;
use signalbox_model::{Code, Diagnostic, Map, Workflow, diagnostic::pointer_token};

/// The param that says which trigger fired, and with what: `{triggerId, nodeId, payload}`. The host writes it.
pub const TRIGGER: &str = "_trigger";

/// Fills defaults of top-level params that were not given.
pub fn complete(workflow: &Workflow, given: &Value) -> Value {
    let Some(properties) = properties(workflow) else { return given.clone() };
    let Value::Object(given) = given else { return given.clone() };
    let mut all = given.clone();
    for (name, schema) in properties {
        if !all.contains_key(name)
            && let Some(default) = schema.get("default")
        {
            all.insert(name.clone(), default.clone());
        }
    }
    Value::Object(all)
}

/// Names of params that the host fills with the demo service's address.
pub fn practice(workflow: &Workflow) -> Vec<&str> {
    let marked = |schema: &Value| schema.get("x-practice").and_then(Value::as_bool) == Some(true);
    properties(workflow).into_iter().flatten().filter(|(_, s)| marked(s)).map(|(name, _)| name.as_str()).collect()
}

fn properties(workflow: &Workflow) -> Option<&Map> {
    workflow.params.as_ref()?.get("properties")?.as_object()
}

/// Checks a run's input; empty when it fits.
pub fn check(workflow: &Workflow, params: &Value) -> Vec<Diagnostic> {
    if !params.is_object() {
        return vec![Diagnostic::error(
            Code::BadParam,
            "",
            "The run's input is not a JSON object",
            "Pass params as an object, for example {\"name\": \"Ada\"}",
        )];
    }
    let Some(schema) = workflow.params.as_ref().and_then(|p| Schema::compile(p).ok()) else { return Vec::new() };
    // Which trigger fired is the host's to say.
    let mut params = params.clone();
    if let Value::Object(all) = &mut params {
        all.shift_remove(TRIGGER);
    }
    let Err(violations) = schema.validate(&params) else { return Vec::new() };
    let known: Vec<&str> = properties(workflow).into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    violations
        .iter()
        .map(|v| {
            let message = match (&v.missing, v.path.as_str(), &v.title) {
                (Some(_), "", _) => format!("A required param is missing: {}", v.message),
                (None, "", _) => format!("The params are not valid: {}", v.message),
                (_, _, Some(title)) => format!("Param {title}: {}", v.message),
                (_, path, None) => format!("Param '{}': {}", path.trim_start_matches('/'), v.message),
            };
            Diagnostic::error(
                Code::BadParam,
                v.place(),
                message,
                format!(
                    "This workflow accepts: {}",
                    if known.is_empty() { "nothing".into() } else { known.join(", ") }
                ),
            )
        })
        .collect()
}

/// Pointer of a param in the workflow file.
pub fn pointer(name: &str) -> String {
    format!("/params/properties/{}", pointer_token(name))
}
