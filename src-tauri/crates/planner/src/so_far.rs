//! What an answer that is still being written holds already, so that a person sees the draft grow or the workflow change.

use crate::draft::{Draft, DraftNode, MAX_NODES};
use crate::patch::apply_so_far;
use serde_json::Value;

/// The whole steps at the beginning of a list of nodes; what is not whole yet, or is no step, is left out.
pub fn draft_so_far(text: &str) -> Option<Draft> {
    let mut draft = Draft::default();
    for node in elements(text, "\"nodes\"")? {
        if draft.nodes.len() >= MAX_NODES {
            break;
        }
        if let Ok((id, node)) = DraftNode::read(None, &node, "") {
            draft.nodes.insert(id, node);
        }
    }
    (!draft.nodes.is_empty()).then_some(draft)
}

/// A workflow with the whole changes at the beginning of a patch; what cannot be done yet is left out.
pub fn patch_so_far(base: &Draft, text: &str) -> Option<Draft> {
    let changed = apply_so_far(base, &elements(text, "\"patch\"")?);
    (changed != *base).then_some(changed)
}

/// The whole elements at the beginning of a list of objects.
fn elements(text: &str, name: &str) -> Option<Vec<Value>> {
    let after = &text[text.find(name)? + name.len()..];
    let list = &after[after.find('[')? + 1..];
    let mut found = Vec::new();
    let (mut depth, mut start, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for (at, c) in list.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_text => escaped = true,
            '"' => in_text = !in_text,
            _ if in_text => {}
            '{' | '[' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            ']' if depth == 0 => break,
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                found.extend((depth == 0).then(|| serde_json::from_str(&list[start..=at]).ok()).flatten());
            }
            _ => {}
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests;
