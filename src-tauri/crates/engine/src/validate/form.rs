//! Forms of steps: a path that is no part of an address, or that two forms have; a schema that nobody can fill in.

use crate::form::{Form, KIND};
use serde_json::Value;
use signalbox_model::{Code, Diagnostic, Workflow, diagnostic::pointer_token};
use std::collections::BTreeMap;

pub(super) fn check(workflow: &Workflow, found: &mut Vec<Diagnostic>) {
    let mut paths: BTreeMap<&str, &str> = BTreeMap::new();
    for (id, node) in workflow.nodes.iter().filter(|(_, node)| node.kind == KIND) {
        let Some(config) = &node.config else { continue };
        let at = format!("/nodes/{}/config", pointer_token(id));
        // Of settings that are missing or have the wrong shape the schema of the kind has told.
        let is_there = |place: &str| match place {
            "/path" => config["path"].is_string(),
            _ => config["schema"].is_object(),
        };
        for problem in Form::read(config).err().into_iter().flatten().filter(|problem| is_there(&problem.path)) {
            found.push(Diagnostic::error(problem.code, format!("{at}{}", problem.path), problem.message, problem.hint));
        }
        let Some(path) = config.get("path").and_then(Value::as_str).filter(|_| node.disabled != Some(true)) else {
            continue;
        };
        if let Some(other) = paths.insert(path, id) {
            found.push(taken(&format!("{at}/path"), path, &format!("the step '{other}'")));
        }
    }
}

/// Two forms cannot have one address.
pub fn taken(at: &str, path: &str, by: &str) -> Diagnostic {
    let message = format!("The form path '{path}' is already used by {by}");
    Diagnostic::error(Code::FormPathTaken, at, message, "Choose another path for one of them")
}
