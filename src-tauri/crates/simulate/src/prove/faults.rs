//! Which faults the steps of a workflow may have, and which of them no route can tell apart.

use super::NotTried;
use super::environment::Place;
use super::scope::own_id;
use crate::test_file::{CallError, CallReply};
use serde_json::Value;
use signalbox_engine::{Catalog, Compiled};
use signalbox_model::{Effects, ErrorType, Node, NodeDescriptor, Role, Workflow};

/// Kinds whose settings choose a route.
const CONDITIONAL: &[&str] = &["flow.if", "flow.switch", "data.filter", "flow.loop", "builtin.error_handler"];

/// What happens to a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FaultKind {
    /// It fails.
    Error(Box<CallError>),
    /// No answer comes within the time limit of the step.
    Timeout,
    /// The program stops during the call.
    Crash,
    /// The run is cancelled during the call.
    Cancel,
    /// Its result has no entries and no text.
    Empty,
    /// Its result is many times as large.
    Huge,
    /// Nobody answers the task of the step.
    Silence,
}

/// Faults of a step that no rule and no expression can tell apart; one of them is run for all.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FaultGroup {
    /// The step; with the steps that call its workflow, when it is in another file.
    pub(super) step: String,
    /// Names of the faults.
    pub(super) faults: Vec<String>,
    /// The first of them.
    pub(super) kind: FaultKind,
}

impl FaultGroup {
    /// The fault as a mock for a test file; none for what no mock can say.
    pub(super) fn mock(&self, place: Option<&Place>, first_call_only: bool) -> Option<CallReply> {
        let reply = CallReply {
            step: own_id(&self.step).to_owned(),
            path: place.map(|place| place.path.clone()).filter(|path| !path.is_empty()),
            item: place.and_then(|place| place.item),
            call: first_call_only.then_some(1),
            ..CallReply::default()
        };
        Some(match &self.kind {
            FaultKind::Error(error) => CallReply { error: Some((**error).clone()), ..reply },
            FaultKind::Timeout => CallReply { never: true, ..reply },
            FaultKind::Crash => CallReply { crash: true, after_ms: 1, call: Some(1), ..reply },
            FaultKind::Cancel | FaultKind::Empty | FaultKind::Huge | FaultKind::Silence => return None,
        })
    }
}

/// All faults in groups, and what is left out.
pub(super) struct Plan {
    pub(super) groups: Vec<FaultGroup>,
    pub(super) not_tried: Vec<NotTried>,
}

/// Errors of the network and of time may hide that the other side did its work.
fn may_have_happened(error_type: ErrorType, code: &str, effects: Effects) -> bool {
    let unclear = matches!(error_type, ErrorType::Timeout | ErrorType::NetworkError);
    effects == Effects::Write && unclear && code != "SERVICE_UNAVAILABLE"
}

/// The settings with defaults.
pub(super) fn settings(node: &Node, kind: &NodeDescriptor) -> Value {
    let mut config = node.config.clone().unwrap_or_else(|| Value::Object(serde_json::Map::new()));
    let properties = kind.config.get("properties").and_then(Value::as_object);
    if let Some(fields) = config.as_object_mut() {
        for (name, schema) in properties.into_iter().flatten() {
            if let (false, Some(default)) = (fields.contains_key(name), schema.get("default")) {
                fields.insert(name.clone(), default.clone());
            }
        }
    }
    config
}

/// What rules and conditions of a workflow look at: errors with the same signature take the same route.
struct Distinctions {
    /// All nodes and settings, as one text.
    text: String,
    /// Some condition looks at messages, details or codes in another way than by comparing a code.
    looks_inside: bool,
}

impl Distinctions {
    /// Of a workflow and those that it calls: an error of a called one may be told apart in each of them.
    fn of(files: &[(String, &Workflow)]) -> Self {
        let text_of = |value: &dyn Fn() -> serde_json::Result<String>| value().unwrap_or_default();
        let settings: String =
            files.iter().map(|(_, file)| text_of(&|| serde_json::to_string(&file.settings))).collect();
        let (mut text, mut conditions) = (settings.clone(), settings);
        for node in files.iter().flat_map(|(_, file)| file.nodes.values()) {
            text.push_str(&text_of(&|| serde_json::to_string(node)));
            conditions.push_str(node.condition.as_deref().unwrap_or_default());
            if CONDITIONAL.contains(&node.kind.as_str()) {
                conditions.push_str(&text_of(&|| serde_json::to_string(&node.config)));
            }
        }
        let handles = ["error.", "err.", "ctx.error"].iter().any(|name| conditions.contains(name));
        for compared in ["error.details.code ==", "err.details.code ==", "error.details.code in", "err.details.code in"]
        {
            conditions = conditions.replace(compared, "");
        }
        let looks = [".message", "startsWith(", "endsWith(", "matches(", "contains(", "details.", "details["];
        let looks_inside = handles && looks.iter().any(|word| conditions.contains(word));
        Self { text, looks_inside }
    }

    fn signature(&self, error: &CallError) -> String {
        let named = self.looks_inside
            || self.text.contains(&format!("'{}'", error.code))
            || self.text.contains(&format!("\\\"{}\\\"", error.code));
        let code = if named { error.code.as_str() } else { "" };
        format!("{:?} {:?} {} {code}", error.error_type, error.retryable, error.may_have_happened)
    }
}

/// Calls that are followed into each other.
const DEPTH: usize = 8;

/// The workflow and those that its steps call, each with the names of the steps on the way: empty, `call/`, `call/inner/`.
fn files(compiled: &Compiled) -> Vec<(String, &Workflow)> {
    let mut found: Vec<(String, &Workflow)> = vec![(String::new(), &compiled.workflow)];
    let mut next = 0;
    while let Some((scope, file)) = found.get(next).cloned() {
        next += 1;
        if scope.matches('/').count() >= DEPTH {
            continue;
        }
        for (id, node) in &file.nodes {
            let called = compiled.called_by(file, id).filter(|_| node.disabled != Some(true));
            found.extend(called.map(|called| (format!("{scope}{id}/"), &**called)));
        }
    }
    found
}

/// Plans the faults of all steps of the workflow and of those that it calls.
pub(super) fn plan(compiled: &Compiled, catalog: &Catalog) -> Plan {
    let files = files(compiled);
    let distinctions = Distinctions::of(&files);
    let mut plan = Plan { groups: Vec::new(), not_tried: Vec::new() };
    for (scope, file) in &files {
        plan.add(catalog, &distinctions, scope, file);
    }
    let reason = "Faults of another item or iteration than the first, and three faults in one run.";
    plan.not_tried.push(NotTried { step: None, faults: None, reason: reason.to_owned() });
    plan
}

impl Plan {
    fn add(&mut self, catalog: &Catalog, distinctions: &Distinctions, scope: &str, workflow: &Workflow) {
        let mut skip = |step: &str, faults: usize, reason: &str| {
            if faults > 0 {
                self.not_tried.push(NotTried {
                    step: Some(step.to_owned()),
                    faults: Some(faults),
                    reason: reason.to_owned(),
                });
            }
        };
        let mut groups: Vec<FaultGroup> = Vec::new();
        for (own, node) in &workflow.nodes {
            let id = &format!("{scope}{own}");
            let Some(kind) = catalog.get(&node.kind) else { continue };
            let errors = kind.errors.len();
            if node.disabled == Some(true) {
                skip(id, errors, "The step is disabled.");
                continue;
            }
            let lone = |name: &str, fault: FaultKind| FaultGroup {
                step: id.clone(),
                faults: vec![name.to_owned()],
                kind: fault,
            };
            match kind.role {
                Role::Approval | Role::Form | Role::Pause => {
                    groups.push(lone("nobody answers", FaultKind::Silence));
                    skip(
                        id,
                        errors,
                        "The engine itself carries out steps that ask people; only 'nobody answers' is tried.",
                    );
                    continue;
                }
                Role::Loop | Role::Parallel | Role::Subworkflow => {
                    skip(id, errors, "Errors of a container come from the steps in it, which are tried.");
                    continue;
                }
                Role::Recovery => {
                    skip(id, errors, "Faults of the error handling itself are not tried.");
                    continue;
                }
                Role::Stop | Role::Wait | Role::Break => {
                    skip(id, errors, "The engine itself carries out this step.");
                    continue;
                }
                Role::Trigger | Role::Step => {}
            }
            let config = settings(node, kind);
            let effects = kind.effects.of(&config);
            for declared in &kind.errors {
                let error = CallError {
                    error_type: Some(declared.error_type),
                    code: declared.code.clone(),
                    message: None,
                    retryable: Some(declared.retryable),
                    may_have_happened: may_have_happened(declared.error_type, &declared.code, effects),
                    retry_after_ms: None,
                    suggested_action: None,
                    details: serde_json::Map::new(),
                    held: None,
                };
                let name = format!("{:?} {}", declared.error_type, declared.code);
                let signature = distinctions.signature(&error);
                let same =
                    groups.iter_mut().rev().take_while(|group| group.step == *id).find(|group| match &group.kind {
                        FaultKind::Error(known) => distinctions.signature(known) == signature,
                        _ => false,
                    });
                match same {
                    Some(group) => group.faults.push(name),
                    None => groups.push(FaultGroup {
                        step: id.clone(),
                        faults: vec![name],
                        kind: FaultKind::Error(Box::new(error)),
                    }),
                }
            }
            if effects == Effects::None {
                continue;
            }
            let limit = node.timeout_ms.or(kind.timeout_ms).is_some() || config.get("timeoutMs").is_some();
            if limit && !kind.errors.iter().any(|error| error.error_type == ErrorType::Timeout) {
                groups.push(lone("time-out", FaultKind::Timeout));
            }
            groups.push(lone("crash", FaultKind::Crash));
            groups.push(lone("cancel", FaultKind::Cancel));
            if kind.kind != "builtin.audit" {
                groups.push(lone("empty result", FaultKind::Empty));
                groups.push(lone("huge result", FaultKind::Huge));
            }
        }
        self.groups.extend(groups);
    }
}
