//! Webhooks of steps: a path that is no part of an address, or that two steps have; authentication without a secret.

use crate::webhook::{KIND, RESPOND, Webhook};
use serde_json::Value;
use signalbox_model::{Code, Diagnostic, Workflow, diagnostic::pointer_token};
use std::collections::BTreeMap;

pub(super) fn check(workflow: &Workflow, found: &mut Vec<Diagnostic>) {
    let mut paths: BTreeMap<&str, &str> = BTreeMap::new();
    for (id, node) in workflow.nodes.iter().filter(|(_, node)| node.kind == KIND) {
        let Some(config) = &node.config else { continue };
        let at = format!("/nodes/{}/config", pointer_token(id));
        // Of values that are missing at the top or have the wrong shape the schema of the kind has told.
        let is_own = |code: Code, path: &str| {
            code == Code::BadHookPath || (code == Code::MissingConfig && path.starts_with("/auth/"))
        };
        let problems = Webhook::read(config).err().into_iter().flatten();
        for problem in problems.filter(|problem| is_own(problem.code, problem.path)) {
            found.push(Diagnostic::error(problem.code, format!("{at}{}", problem.path), problem.message, problem.hint));
        }
        let path = config.get("path").and_then(Value::as_str);
        let Some(path) = path.filter(|_| node.disabled != Some(true)) else { continue };
        if let Some(other) = paths.insert(path, id) {
            found.push(taken(&format!("{at}/path"), path, &format!("the step '{other}'")));
        }
        let waits = config.get("respond").and_then(Value::as_str) == Some("step");
        // A sub-workflow may hold it.
        let answers = |kind: &str| kind == RESPOND || kind == "flow.subworkflow";
        if waits && !workflow.nodes.values().any(|node| answers(&node.kind)) {
            found.push(Diagnostic::warning(
                Code::NoResponse,
                format!("{at}/respond"),
                "The webhook waits for a Respond step, and the workflow has none",
                "Add a Respond step (flow.respond), or answer when the run has ended",
            ));
        }
    }
}

/// Two webhooks cannot have one address.
pub fn taken(at: &str, path: &str, by: &str) -> Diagnostic {
    let message = format!("The webhook path '{path}' is already used by {by}");
    Diagnostic::error(Code::HookPathTaken, at, message, "Choose another path for one of them")
}
