//! A safety check that asks a person (ADR 148): what the question says, what the step waits with, and what the answer decides.

use crate::effect::{CallOutput, ToolAnswer};
pub use crate::effect::{Decided, Verdict};
use crate::question::{INPUT_REQUIRED, QUESTION};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use signalbox_model::{NodeFailure, TaskAction, task::Answer};
use std::sync::Arc;

/// The field of what a step waits with that makes it the question of a safety check.
const SAFETY_CHECK: &str = "safetyCheck";
/// The field of the answer.
const DECISION: &str = "decision";

/// The decision about a check, if there is one.
pub fn verdict(decided: &[Decided], at: &str) -> Option<Verdict> {
    decided.iter().find(|one| one.at == at).map(|one| one.verdict)
}

/// What a step waits with.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Waiting {
    /// The checks that are asked about.
    at: Vec<String>,
    /// Of checks after the call: what it made. The call is not made again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<CallOutput>,
}

/// A refusal as a question. `at`: the checks; `can_mask`: whether what was found can be replaced; `output`: what the call made.
pub fn asking(refused: NodeFailure, at: Vec<String>, can_mask: bool, output: Option<CallOutput>) -> NodeFailure {
    let name = refused.details.get("guard").and_then(Value::as_str).unwrap_or_default().to_owned();
    let ways = [
        ("release", "Release: the data continues unchanged"),
        ("mask", "Mask: placeholders replace what was found"),
        ("refuse", "Refuse: the step fails"),
    ];
    let ways = || ways.into_iter().filter(|(way, _)| can_mask || *way != "mask");
    let values: Vec<&str> = ways().map(|(way, _)| way).collect();
    let labels: Value = ways().map(|(way, label)| (way.to_owned(), Value::from(label))).collect();
    let question = json!({
        "from": format!("the safety check '{name}'"),
        "message": told(&refused),
        "schema": {
            "type": "object", "required": [DECISION], "additionalProperties": false,
            "properties": { DECISION: {
                "type": "string", "title": "Decision", "enum": values, "x-ui": { "labels": labels } } },
        },
        "values": {},
    });
    let waiting = serde_json::to_value(Waiting { at, output }).unwrap_or_default();
    let mut failure = refused.detail(QUESTION, question);
    failure.code = INPUT_REQUIRED.into();
    failure.held = Some(Arc::new(json!({ SAFETY_CHECK: waiting })));
    failure
}

/// What was found, in words: nothing of it but short samples.
fn told(refused: &NodeFailure) -> String {
    let found = refused.details.get("found").and_then(Value::as_array);
    let text = |one: &Value, name: &str| one.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let lines = found.into_iter().flatten().map(|one| {
        let (kind, sample, path) = (text(one, "kind"), text(one, "sample"), text(one, "path"));
        format!("\n- {kind} {sample} at {path}")
    });
    format!("{}.{}", refused.message.trim_end_matches('.'), lines.collect::<String>())
}

fn waiting(conversation: &Value) -> Option<Waiting> {
    Waiting::deserialize(conversation.get(SAFETY_CHECK)?).ok()
}

/// Whether a step waits with the question of a safety check.
pub(crate) fn is_of_check(conversation: &Value) -> bool {
    conversation.get(SAFETY_CHECK).is_some()
}

/// What the call had made that is asked about.
pub(crate) fn kept_output(conversation: &Value) -> Option<CallOutput> {
    waiting(conversation)?.output
}

/// What an answer decides; nothing when the step ends with it.
pub(crate) fn decided(conversation: &Value, answer: &Answer) -> Option<(Vec<Decided>, ToolAnswer)> {
    let chosen = || answer.corrected_input.as_ref()?.get(DECISION)?.as_str().map(str::to_owned);
    let verdict = match answer.action {
        TaskAction::Submit => match chosen().as_deref() {
            Some("release") => Verdict::Release,
            Some("mask") => Verdict::Mask,
            _ => Verdict::Refuse,
        },
        // Nobody answered in time: nothing is released.
        TaskAction::Reject | TaskAction::Retry => Verdict::Refuse,
        TaskAction::Approve | TaskAction::Correct | TaskAction::Skip | TaskAction::Alternative | TaskAction::Abort => {
            return None;
        }
    };
    let all = waiting(conversation)?.at.into_iter().map(|at| Decided { at, verdict }).collect();
    let told = ToolAnswer { allowed: verdict != Verdict::Refuse, notes: answer.notes.clone(), ..ToolAnswer::default() };
    Some((all, told))
}

/// What a person answered, as it is told with a refusal.
pub(crate) fn refused_by_person(failure: NodeFailure) -> NodeFailure {
    let message = format!("{}. A person refused it", failure.message.trim_end_matches('.'));
    NodeFailure { message, ..failure.detail("refusedBy", "person") }
}
