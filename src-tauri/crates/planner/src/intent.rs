//! Whether a corrected draft still does what was asked for (TS-151): steps that it drops, adds or makes something else.

use crate::draft::Draft;
use serde::{Deserialize, Serialize};

/// One step that is not what it was in the first draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IntentChange {
    /// The step.
    pub step: String,
    /// `removed`, `added` or `kind`.
    pub change: String,
    /// Its kind in the first draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Its kind now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Words for people.
    pub message: String,
}

/// What a correction changed of the steps themselves. Settings are not looked at: a correction is about those. `was_known`
/// says whether a kind exists: replacing one that does not is no change of what was asked for.
pub fn changes_of_intent(first: &Draft, now: &Draft, was_known: impl Fn(&str) -> bool) -> Vec<IntentChange> {
    let mut found = Vec::new();
    for (id, node) in &first.nodes {
        let (change, after, words) = match now.nodes.get(id) {
            None => ("removed", None, format!("The correction drops the step '{id}' ({})", node.kind)),
            Some(other) if other.kind != node.kind && was_known(&node.kind) => {
                let words = format!("The step '{id}' was {} and is now {}", node.kind, other.kind);
                ("kind", Some(other.kind.clone()), words)
            }
            Some(_) => continue,
        };
        let before = Some(node.kind.clone());
        found.push(IntentChange { step: id.clone(), change: change.into(), before, after, message: words });
    }
    // A start that was missing does nothing by itself.
    let is_new = |id: &String, kind: &str| !first.nodes.contains_key(id) && !kind.starts_with("trigger.");
    for (id, node) in now.nodes.iter().filter(|(id, node)| is_new(id, &node.kind)) {
        let message = format!("The correction adds a step '{id}' ({})", node.kind);
        let after = Some(node.kind.clone());
        found.push(IntentChange { step: id.clone(), change: "added".into(), before: None, after, message });
    }
    found
}
