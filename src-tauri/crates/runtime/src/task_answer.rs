//! The answer of a person to a task, checked before the store takes it.

use serde_json::{Value, json};
use signalbox_engine::patch;
use signalbox_engine::schema::Schema;
use signalbox_model::hash::sha256_hex;
use signalbox_model::task::{Answer, HumanTaskCreated};
use signalbox_model::{ErrorType, TaskAction, TaskReason, ToolGrant, time};
use signalbox_store::audit::Record;
use signalbox_store::mask::{Masks, keeps_masks};
use signalbox_store::{AnswerTask, TaskRecord};
use std::sync::Arc;

/// What a person gave as an answer.
#[derive(Debug, Clone)]
pub struct GivenAnswer {
    /// What is to be done.
    pub action: TaskAction,
    /// The whole corrected input, of `correct` and `submit`.
    pub corrected_input: Option<Value>,
    /// The way that `alternative` takes.
    pub target_node_id: Option<String>,
    /// More budget, in millionths of the currency, for `retry` of a step that has used up its own.
    pub budget_micros: Option<u64>,
    /// How far an approval of a tool call goes.
    pub tool_grant: Option<ToolGrant>,
    /// Why.
    pub notes: Option<String>,
    /// The revision that was decided on.
    pub revision: Option<i64>,
    /// The same request again is answered as before.
    pub request_id: Option<String>,
    /// The one-time secret of the task.
    pub secret: Option<String>,
    /// The batch it belongs to.
    pub batch: Option<String>,
}

impl GivenAnswer {
    /// An action and nothing else.
    pub const fn new(action: TaskAction) -> Self {
        Self {
            action,
            corrected_input: None,
            target_node_id: None,
            budget_micros: None,
            tool_grant: None,
            notes: None,
            revision: None,
            request_id: None,
            secret: None,
            batch: None,
        }
    }
}

/// Why an answer does not fit its task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// `ACTION_NOT_ALLOWED`, `INPUT_INVALID` or `BAD_TARGET`.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// What to do instead.
    pub hint: String,
}

fn refused<T>(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { code, message: message.into(), hint: hint.into() })
}

/// Checks that a task offers what was given; whether the input fits its schema is [`violations`].
pub fn check(created: &HumanTaskCreated, given: &GivenAnswer) -> Result<(), Refusal> {
    let action = given.action.as_str();
    if !created.allowed_actions.contains(&given.action) {
        let offered: Vec<&str> = created.allowed_actions.iter().map(|action| action.as_str()).collect();
        let hint = format!("Choose one of: {}.", offered.join(", "));
        return refused("ACTION_NOT_ALLOWED", format!("This task does not offer '{action}'."), hint);
    }
    let takes_input = matches!(given.action, TaskAction::Correct | TaskAction::Submit);
    match &given.corrected_input {
        None if given.action == TaskAction::Correct => {
            return refused("INPUT_INVALID", "'correct' needs correctedInput.", "Send the whole corrected input.");
        }
        Some(_) if !takes_input => {
            return refused("INPUT_INVALID", format!("'{action}' takes no correctedInput."), "Leave it out.");
        }
        _ => {}
    }
    let asks_for_more = created
        .error
        .as_ref()
        .is_some_and(|error| error.error_type == ErrorType::LLMError && error.code() == "BUDGET_EXCEEDED");
    if given.budget_micros.is_some() && !(asks_for_more && given.action == TaskAction::Retry) {
        let message = "Only 'retry' of a step whose budget is used up takes more budget.";
        return refused("INPUT_INVALID", message, "Leave budgetMicros out.");
    }
    let about_tool = created.reason == TaskReason::ToolCall;
    if given.tool_grant.is_some() && !(about_tool && given.action == TaskAction::Approve) {
        return refused("INPUT_INVALID", "Only 'approve' of a call of a tool takes toolGrant.", "Leave toolGrant out.");
    }
    if about_tool && given.action == TaskAction::Approve && given.batch.is_some() {
        let message = "A tool call must be approved on its own, because its arguments have to be checked.";
        return refused("ACTION_NOT_ALLOWED", message, "Answer this task alone.");
    }
    match (given.action, &given.target_node_id) {
        (TaskAction::Alternative, Some(target))
            if created.alternatives.iter().any(|way| way.target_node_id == *target) =>
        {
            Ok(())
        }
        (TaskAction::Alternative, _) => {
            let ways: Vec<&str> = created.alternatives.iter().map(|way| way.target_node_id.as_str()).collect();
            refused(
                "BAD_TARGET",
                "'alternative' needs targetNodeId, one of the ways that this task offers.",
                format!("Choose one of: {}.", ways.join(", ")),
            )
        }
        (_, Some(_)) => refused("BAD_TARGET", format!("'{action}' takes no targetNodeId."), "Leave it out."),
        (_, None) => Ok(()),
    }
}

/// A value as it was meant: masks stand for the values that they hide. `None` when a mask was moved to where its value could be
/// read; `shown` masks a value as it will be shown to those who know nothing of what it was made of.
pub fn lift(
    created: &HumanTaskCreated,
    masks: &Masks,
    given: Value,
    shown: impl Fn(&mut Masks, &Value) -> Value,
) -> Option<Value> {
    let lifted = masks.lift(given.clone());
    if lifted != given {
        let mut fresh = Masks::new(&created.redact);
        let seen = shown(&mut fresh, &lifted);
        if !keeps_masks(&shown(&mut fresh, &given), &seen) {
            return None;
        }
    }
    Some(lifted)
}

/// The input that is checked against the schema of the task: what was given, or nothing at all where a form wants values.
pub fn checked_input(created: &HumanTaskCreated, given: &GivenAnswer) -> Option<Value> {
    let empty = (given.action == TaskAction::Submit && created.schema.is_some()).then(|| json!({}));
    given.corrected_input.clone().or(empty)
}

/// What keeps an input from fitting the schema of the task, as place and sentence: the engine's own validator says it (D2.4).
pub fn violations(created: &HumanTaskCreated, input: &Value) -> Vec<(String, String)> {
    let Some(schema) = &created.schema else { return Vec::new() };
    match Schema::compile(schema).map(|schema| schema.validate(input)) {
        Ok(Ok(())) => Vec::new(),
        Ok(Err(found)) => found.into_iter().map(|one| (one.place(), one.message)).collect(),
        Err(why) => vec![(String::new(), why)],
    }
}

/// The answer as the store takes it. `record` makes the audit entry of its facts.
pub fn submission(
    task: &TaskRecord,
    given: GivenAnswer,
    corrected: Option<Value>,
    principal: &str,
    via: &str,
    now_ms: i64,
    record: impl FnOnce(Value) -> Record,
) -> AnswerTask {
    let operations = corrected
        .as_ref()
        .filter(|_| given.action == TaskAction::Correct)
        .map(|corrected| patch::diff(&task.created.input, corrected));
    let delta = operations.as_ref().map(Vec::len);
    let patch = operations.and_then(|operations| serde_json::to_value(operations).ok());
    // How far an approval goes stands in the log in words.
    let tool_grant = (task.created.reason == TaskReason::ToolCall && given.action == TaskAction::Approve)
        .then(|| given.tool_grant.unwrap_or(ToolGrant::Once));
    let hash = |value: &Option<Value>| value.as_ref().map(|value| sha256_hex(value.to_string().as_bytes()));
    let facts = json!({
        "action": given.action, "notes": given.notes, "budgetMicros": given.budget_micros, "toolGrant": tool_grant, "targetNodeId": given.target_node_id, "delta": delta,
        "patchHash": hash(&patch), "inputHash": hash(&corrected), "requestId": given.request_id, "batchId": given.batch,
        "durationMs": time::took_ms(task.row.created_ms, now_ms), "kind": task.row.kind,
    });
    AnswerTask {
        task_id: task.row.id.clone(),
        expected_revision: given.revision,
        answer: Answer {
            action: given.action,
            corrected_input: corrected.map(Arc::new),
            target_node_id: given.target_node_id,
            notes: given.notes,
            budget_micros: given.budget_micros,
            tool_grant,
            operator_id: Some(principal.to_owned()),
        },
        via: via.to_owned(),
        request_id: given.request_id,
        secret: given.secret,
        patch,
        at_ms: now_ms,
        record: record(facts),
    }
}
