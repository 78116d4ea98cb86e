//! Guards of a step (K-14): conditions that refuse a call before its code, or withhold what it made.

use crate::{expr::Expr, scope::Scope};
use serde::Deserialize;
use signalbox_model::{Node, NodeFailure, SuggestedAction};

/// `guardrails` of a node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Guardrails {
    /// Guards act only when this is true.
    pub enabled: bool,
    /// Asked in order before the code; `item`, `items` are the input after `in`.
    #[serde(default)]
    pub before: Vec<Guard>,
    /// Asked in order after the code; `_result` and `_meta` are what it made.
    #[serde(default)]
    pub after: Vec<Guard>,
}

/// One guard.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Guard {
    /// Stands in the error.
    pub name: String,
    /// CEL; true refuses.
    pub refuse: String,
    /// What the error says.
    #[serde(default)]
    pub message: Option<String>,
}

impl Guardrails {
    /// The guards of a node as they are written; an error says what is wrong with them.
    pub fn read(node: &Node) -> Result<Option<Self>, serde_json::Error> {
        node.guardrails.as_ref().map(Self::deserialize).transpose()
    }
}

/// The guards of a node that act.
pub(crate) fn active(node: &Node) -> Guardrails {
    Guardrails::read(node).ok().flatten().filter(|guards| guards.enabled).unwrap_or_default()
}

/// The first guard that refuses. One that cannot be evaluated refuses too: a guard fails closed.
pub(crate) fn refusal(guards: &[Guard], place: &str, scope: &Scope) -> Option<NodeFailure> {
    guards.iter().find_map(|guard| match Expr::compile(&guard.refuse).and_then(|e| e.eval_bool(scope)) {
        Ok(false) => None,
        Ok(true) => Some(blocked(guard, place)),
        Err(error) => {
            let broken = error.failure(&format!("guardrails/{place}"));
            let message = format!("The safety check '{}' could not be evaluated: {}", guard.name, error.message);
            let mut failure = blocked(guard, place).detail("reason", broken.details_with_code());
            failure.message = message;
            Some(failure)
        }
    })
}

fn blocked(guard: &Guard, place: &str) -> NodeFailure {
    let message = guard.message.clone().unwrap_or_else(|| match place {
        "before" => format!("The safety check '{}' blocked this step", guard.name),
        _ => format!("The safety check '{}' blocked the result of this step", guard.name),
    });
    NodeFailure::validation("GUARDRAIL_BLOCKED", message)
        .suggest(SuggestedAction::HumanReview)
        .detail("guard", guard.name.as_str())
        .detail("place", place)
}
