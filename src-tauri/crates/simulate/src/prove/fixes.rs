//! What a person can do with one press about a fault that is not handled.

use super::faults::{FaultGroup, FaultKind};
use super::outcome::Outcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use signalbox_engine::Catalog;
use signalbox_model::workflow::{ErrorPolicy, NamedPolicy};
use signalbox_model::{Effects, Node, Replay, RetryPolicy, Role, Workflow};

/// Three days: as long as tasks of the policy `safe` wait.
const TASK_TTL_MS: i64 = 3 * 24 * 3_600_000;

/// A change of the workflow that helps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProofFix {
    /// The words on the button.
    pub label: String,
    /// Edits of the document, as the editor knows them.
    pub edits: Vec<Map<String, Value>>,
    /// Instead of edits: a template that the editor puts at `port`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// `step.port` of the template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<String>,
}

fn edit(label: &str, edits: Vec<Value>) -> ProofFix {
    let edits = edits.into_iter().filter_map(|edit| edit.as_object().cloned()).collect();
    ProofFix { label: label.to_owned(), edits, template: None, port: None }
}

fn set_retry(step: &str, value: &Value) -> Value {
    json!({ "type": "setNode", "id": step, "path": ["errorHandling", "retryPolicy"], "value": value })
}

/// What helps against `outcome`; `failed`: the step at which the run failed, which may come after the one with the fault.
pub(super) fn of(
    workflow: &Workflow,
    catalog: &Catalog,
    group: &FaultGroup,
    outcome: Outcome,
    failed: Option<&str>,
) -> Vec<ProofFix> {
    match outcome {
        Outcome::EndsFailed => ends_failed(workflow, catalog, group, failed.unwrap_or(&group.step)),
        Outcome::RepeatsWrite | Outcome::OverBudget => {
            let own = workflow.nodes.get(&group.step).and_then(|node| node.error_handling.as_ref());
            let policy = own.and_then(|own| own.retry_policy.clone()).unwrap_or_default();
            let never = RetryPolicy { max_attempts: 0, ..policy };
            vec![edit("Never repeat it", vec![set_retry(&group.step, &json!(never))])]
        }
        Outcome::NeverEnds if group.kind == FaultKind::Silence => time_limit(workflow, catalog, &group.step),
        Outcome::NeverEnds
        | Outcome::LosesItems
        | Outcome::NoEffect
        | Outcome::Recovered
        | Outcome::Handled
        | Outcome::AsksPerson
        | Outcome::Cancelled => Vec::new(),
    }
}

fn ends_failed(workflow: &Workflow, catalog: &Catalog, group: &FaultGroup, failed: &str) -> Vec<ProofFix> {
    let mut fixes = Vec::new();
    let policy = workflow.settings.as_ref().and_then(|settings| settings.error_policy.as_ref());
    let covers = !matches!(policy, None | Some(ErrorPolicy::Named(NamedPolicy::Fail)));
    let Some(node) = workflow.nodes.get(failed) else { return fixes };
    let Some(kind) = catalog.get(&node.kind) else { return fixes };
    let wired = workflow.edges.iter().any(|edge| edge.from.node() == failed && edge.from.port() == "error");
    let has_port = kind.ports.iter().any(|port| port.id == "error");
    // A handler of a handler helps nobody: its own ways out are wired.
    if has_port && !wired && kind.role != Role::Recovery {
        let port = format!("{failed}.error");
        fixes.push(ProofFix {
            label: "Ask a person".to_owned(),
            edits: Vec::new(),
            template: Some("ask".to_owned()),
            port: Some(port),
        });
    }
    if !covers && !wired {
        let edits = vec![json!({ "type": "set", "path": ["settings", "errorPolicy"], "value": "safe" })];
        fixes.push(edit("Use the default error handling", edits));
    }
    if let Some(node) = workflow.nodes.get(&group.step)
        && may_be_repeated(node, catalog, &group.kind)
    {
        fixes.push(edit("Add retries", vec![set_retry(&group.step, &json!(RetryPolicy::default()))]));
    }
    fixes
}

/// The fault may pass, nothing is repeated yet, and repeating it does no harm.
fn may_be_repeated(node: &Node, catalog: &Catalog, fault: &FaultKind) -> bool {
    let passes = match fault {
        FaultKind::Error(error) => error.retryable.unwrap_or_default(),
        FaultKind::Timeout => true,
        _ => false,
    };
    let own = node.error_handling.as_ref().and_then(|own| own.retry_policy.as_ref());
    let Some(kind) = catalog.get(&node.kind) else { return false };
    let config = super::faults::settings(node, kind);
    let is_safe =
        kind.effects.of(&config) != Effects::Write || kind.replay.of(&config) != Replay::Ask || node.sends_key();
    passes && own.is_none() && is_safe
}

fn time_limit(workflow: &Workflow, catalog: &Catalog, step: &str) -> Vec<ProofFix> {
    let node = workflow.nodes.get(step);
    let kind = node.and_then(|node| catalog.get(&node.kind));
    let fields = kind.and_then(|kind| kind.config.get("properties")).and_then(Value::as_object);
    let knows = |field: &str| fields.is_some_and(|fields| fields.contains_key(field));
    let config = node.and_then(|node| node.config.as_ref());
    let set =
        |field: &str, value: Value| json!({ "type": "setNode", "id": step, "path": ["config", field], "value": value });
    let Some(limit) = ["ttlMs", "timeoutMs"].into_iter().find(|field| knows(field)) else { return Vec::new() };
    let mut edits = vec![set(limit, json!(TASK_TTL_MS))];
    if knows("onExpiry") && config.is_none_or(|config| config.get("onExpiry").is_none()) {
        edits.push(set("onExpiry", json!("abort")));
    }
    vec![edit("End the wait after 3 days", edits)]
}
