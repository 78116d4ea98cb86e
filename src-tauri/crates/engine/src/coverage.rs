//! Error coverage of a workflow: where each red port leads, which retries may repeat a write, which rules never decide.

use crate::agent;
use crate::catalog::Catalog;
use crate::decision::rules_of;
use crate::recovery::{Recovery, RecoveryKind};
use crate::validate::{rules, words};
use serde_json::{Value, json};
use signalbox_model::{
    Code, Diagnostic, Effects, Node, NodeDescriptor, Replay, RetryPolicy, Severity, Workflow,
    diagnostic::pointer_token,
    workflow::{ErrorPolicy, NamedPolicy},
};

/// What can be done about a finding with one press.
#[derive(Debug, Clone, PartialEq)]
pub struct Fix {
    /// What the button does.
    pub label: String,
    /// Edits of the document, as the editor knows them.
    pub edits: Vec<Value>,
    /// A template to put at `port` instead: `ask`, `explicit`.
    pub template: Option<&'static str>,
    /// `node.port` of the template.
    pub port: Option<String>,
}

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// `RED_PORT_OPEN`, `RED_PORT_POLICY`, `RETRY_UNSAFE_WRITE`, or the code of a rule's diagnostic.
    pub code: String,
    /// `None`: only worth knowing.
    pub severity: Option<Severity>,
    /// JSON Pointer into the file.
    pub path: String,
    /// The step.
    pub step_id: Option<String>,
    /// What and why.
    pub message: String,
    /// What next.
    pub hint: String,
    /// The button.
    pub fix: Option<Fix>,
}

/// How many red ports lead somewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// By a wire or a fallback.
    pub wired: usize,
    /// By the workflow's policy, which retries, repairs or asks.
    pub policy: usize,
    /// All of them.
    pub total: usize,
}

/// What an author should know about the errors of a workflow.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Coverage {
    /// Worst first.
    pub findings: Vec<Finding>,
    /// The number.
    pub score: Score,
}

fn effects_of(workflow: &Workflow, node: &Node, descriptor: &NodeDescriptor) -> (Effects, Replay) {
    // A field that the file leaves out has its default.
    let node = agent::with_default(node, descriptor, workflow);
    let mut config = node.config.clone().unwrap_or_else(|| json!({}));
    let properties = descriptor.config.get("properties").and_then(Value::as_object);
    if let Some(fields) = config.as_object_mut() {
        for (name, schema) in properties.into_iter().flatten() {
            if let (false, Some(default)) = (fields.contains_key(name), schema.get("default")) {
                fields.insert(name.clone(), default.clone());
            }
        }
    }
    (descriptor.effects.of(&config), descriptor.replay.of(&config))
}

/// The same policy without repetitions; it bounds the rules of a handler too.
fn retry_off(policy: Option<&RetryPolicy>) -> Value {
    let mut value = policy.and_then(|p| serde_json::to_value(p).ok()).unwrap_or_else(|| json!({}));
    if let Some(fields) = value.as_object_mut() {
        fields.insert("maxAttempts".into(), json!(0));
    }
    value
}

/// Looks at every red port, retry and rule.
pub fn of(workflow: &Workflow, catalog: &Catalog) -> Coverage {
    let recovery = Recovery::of(workflow);
    let policy = workflow.settings.as_ref().and_then(|s| s.error_policy.as_ref());
    let covers = !matches!(policy, None | Some(ErrorPolicy::Named(NamedPolicy::Fail)));
    let policy_name = match policy {
        None | Some(ErrorPolicy::Named(NamedPolicy::Fail)) => "fail",
        Some(ErrorPolicy::Named(NamedPolicy::Safe)) => "safe",
        Some(ErrorPolicy::Rules(_)) => "rules",
    };
    let mut all = Coverage::default();
    for (at, (id, node)) in workflow.nodes.iter().enumerate() {
        let Some(descriptor) = catalog.get(&node.kind) else { continue };
        let name = words::step(node, Some(descriptor));
        let place = format!("/nodes/{}", pointer_token(id));
        let red = format!("{id}.error");
        let targets: Vec<usize> = workflow
            .edges
            .iter()
            .filter(|e| e.from.node() == id && e.from.port() == "error")
            .filter_map(|e| workflow.nodes.get_index_of(e.to.as_str()))
            .collect();
        let handling = node.error_handling.as_ref();
        let fallback = handling.and_then(|h| h.fallback_node_id.as_ref()).is_some();
        // A step that does nothing but fail ends the run where no policy says otherwise: that is what it was drawn for.
        let ends = !covers && descriptor.ports.iter().all(|port| port.id == "error");
        if descriptor.ports.iter().any(|p| p.id == "error") && node.disabled != Some(true) && !ends {
            all.score.total += 1;
            if !targets.is_empty() || fallback {
                all.score.wired += 1;
            } else {
                let recovers = recovery.kinds[at].is_some();
                // Whatever the policy is: what a healer could not repair is asked about.
                let asks = !covers && recovery.kinds[at] == Some(RecoveryKind::Healer);
                let covers = covers || asks;
                let fix = Fix {
                    label: if covers { "Make explicit".into() } else { "Ask a person".into() },
                    edits: Vec::new(),
                    template: Some(if covers { "explicit" } else { "ask" }),
                    port: Some(red.clone()),
                };
                if covers {
                    all.score.policy += 1;
                }
                // Line 4 stands behind a recovery node too; a template there would handle the handler.
                let fix = match (recovers, covers) {
                    (false, _) => Some(fix),
                    (true, true) => None,
                    (true, false) => Some(Fix {
                        label: "Use the policy 'safe'".into(),
                        edits: vec![json!({ "type": "set", "path": ["settings", "errorPolicy"], "value": "safe" })],
                        template: None,
                        port: None,
                    }),
                };
                all.findings.push(Finding {
                    code: if covers { "RED_PORT_POLICY" } else { "RED_PORT_OPEN" }.into(),
                    severity: (!covers).then_some(Severity::Warning),
                    path: place.clone(),
                    step_id: Some(id.clone()),
                    message: if asks {
                        format!(
                            "The error port of {name} is not connected; errors that cannot be repaired become tasks"
                        )
                    } else if covers {
                        format!("The error port of {name} is not connected; the policy '{policy_name}' decides")
                    } else {
                        format!("Errors of {name} are not handled: the run fails")
                    },
                    hint: if covers {
                        "Nothing needs to be done; add the handler to make it visible".into()
                    } else {
                        "Connect the error port, set a fallback, or choose the policy 'safe'".into()
                    },
                    fix,
                });
            }
        }
        let (effects, replay) = effects_of(workflow, node, descriptor);
        let own = handling.and_then(|h| h.retry_policy.as_ref()).is_some_and(|p| p.max_attempts > 0);
        // Rules repeat nothing that has no retry.
        let never = handling.and_then(|h| h.retry_policy.as_ref()).is_some_and(|p| p.max_attempts == 0);
        let by_policy = || match workflow.settings.as_ref().and_then(|s| s.error_policy.as_ref()) {
            Some(ErrorPolicy::Rules(list)) if targets.is_empty() => {
                list.rules.iter().any(|r| r.action == "retry").then(|| "the workflow rules".to_owned())
            }
            _ => None,
        };
        let by_handler = targets.iter().find_map(|target| {
            let (handler, other) = workflow.nodes.get_index(*target)?;
            let rules = rules_of(other.config.as_ref().unwrap_or(&Value::Null));
            (recovery.kinds[*target] == Some(RecoveryKind::Handler) && rules.iter().any(|r| r.action == "retry"))
                .then(|| format!("the rules of “{}”", other.title.as_deref().unwrap_or(handler)))
        });
        let by_rule = by_handler.or_else(by_policy).filter(|_| !never);
        let who = if own { Some("its own retries".to_owned()) } else { by_rule };
        if let Some(who) = who.filter(|_| effects == Effects::Write && replay == Replay::Ask && !node.sends_key()) {
            all.findings.push(Finding {
                code: "RETRY_UNSAFE_WRITE".into(),
                severity: Some(Severity::Warning),
                path: format!("{place}/errorHandling"),
                step_id: Some(id.clone()),
                message: format!("{name} has side effects, and {who} may call it again"),
                hint:
                    "It is repeated only if the service reported that nothing was done. Turn retries off, or give the \
                       step an idempotency key by which the service recognises a repetition"
                        .into(),
                fix: Some(Fix {
                    label: "Never repeat it".into(),
                    edits: vec![json!({
                        "type": "setNode", "id": id, "path": ["errorHandling", "retryPolicy"],
                        "value": retry_off(handling.and_then(|h| h.retry_policy.as_ref())),
                    })],
                    template: None,
                    port: None,
                }),
            });
        }
        if recovery.kinds[at] == Some(RecoveryKind::Handler)
            && let Some(config) = node.config.as_ref().filter(|c| c.get("rules").is_some())
        {
            let rules = rules_of(config);
            let wired: Vec<&str> =
                workflow.edges.iter().filter(|e| e.from.node() == id).map(|e| e.from.port()).collect();
            let own = config.get("rules").cloned().unwrap_or_default();
            let edit = |next: Value| json!({ "type": "setNode", "id": id, "path": ["config", "rules"], "value": next });
            let at = format!("{place}/config/rules");
            unreachable(rules::check(&rules, Some(&wired)), &own, &at, Some(id), &edit, &mut all.findings);
        }
    }
    if let Some(ErrorPolicy::Rules(list)) = policy {
        let own = serde_json::to_value(&list.rules).unwrap_or_default();
        let edit = |next: Value| json!({ "type": "set", "path": ["settings", "errorPolicy", "rules"], "value": next });
        unreachable(
            rules::check(&list.rules, None),
            &own,
            "/settings/errorPolicy/rules",
            None,
            &edit,
            &mut all.findings,
        );
    }
    all.findings.sort_by_key(|f| match f.severity {
        Some(Severity::Error) => 0,
        Some(Severity::Warning) => 1,
        None => 2,
    });
    all
}

fn unreachable(
    found: Vec<rules::RuleFinding>,
    own: &Value,
    at: &str,
    step: Option<&String>,
    edit: &dyn Fn(Value) -> Value,
    into: &mut Vec<Finding>,
) {
    for rule in found.into_iter().filter(|f| f.diagnostic.code == Code::RuleUnreachable) {
        let Diagnostic { code, severity, message, hint, .. } = rule.diagnostic;
        let mut left = own.as_array().cloned().unwrap_or_default();
        if rule.index < left.len() {
            left.remove(rule.index);
        }
        into.push(Finding {
            code: code.as_str(),
            severity: Some(severity),
            path: format!("{at}/{}", rule.index),
            step_id: step.cloned(),
            message,
            hint,
            fix: Some(Fix {
                label: "Remove the rule".into(),
                edits: vec![edit(Value::Array(left))],
                template: None,
                port: None,
            }),
        });
    }
}
