//! The steps of an answer that is still being written, so that a person sees the draft grow.

use crate::draft::{Draft, DraftNode, MAX_NODES};
use serde_json::Value;

/// The whole steps at the beginning of a list of nodes; what is not whole yet, or is no step, is left out.
pub fn draft_so_far(text: &str) -> Option<Draft> {
    let after = &text[text.find("\"nodes\"")? + 7..];
    let list = &after[after.find('[')? + 1..];
    let mut draft = Draft::default();
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
                let whole = (depth == 0).then(|| serde_json::from_str::<Value>(&list[start..=at]).ok()).flatten();
                if let Some((id, node)) = whole.and_then(|node| DraftNode::read(None, &node, "").ok()) {
                    draft.nodes.insert(id, node);
                }
                if draft.nodes.len() >= MAX_NODES {
                    break;
                }
            }
            _ => {}
        }
    }
    (!draft.nodes.is_empty()).then_some(draft)
}

#[cfg(test)]
mod tests {
    use super::draft_so_far;
    use proptest::prelude::*;

    #[test]
    fn only_whole_steps_are_there() {
        let text = r#"{"nodes":[{"id":"a","kind":"data.set","config":{"t":"}]{\\\""}},{"id":"b","kind":"flow.if"},{"id":"c","ki"#;
        let ids: Vec<String> = draft_so_far(text).expect("two steps").nodes.into_keys().collect();
        assert_eq!(ids, ["a", "b"]);
        assert!(draft_so_far("Sure! Here is what I think about your nodes").is_none());
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_fault(text in "\\PC{0,80}") {
            draft_so_far(&format!("{{\"nodes\":[{text}"));
        }
    }
}
