//! An answer while it grows.

use serde_json::{Map, Value};
use signalbox_ports::llm::{Delta, DeltaSink, Part, ToolUse};

enum Growing {
    Text(String),
    Thinking { text: String, signature: Option<String> },
    Tool { key: u64, id: String, name: String, input: String },
}

/// Parts in the order in which they began.
#[derive(Default)]
pub(super) struct Parts(Vec<Growing>);

impl Parts {
    /// Words; neighbours are one part.
    pub(super) fn text(&mut self, piece: &str, hearer: &dyn DeltaSink) {
        if piece.is_empty() {
            return;
        }
        hearer.delta(Delta::Text(piece));
        match self.0.last_mut() {
            Some(Growing::Text(text)) => text.push_str(piece),
            _ => self.0.push(Growing::Text(piece.to_owned())),
        }
    }

    /// Thoughts.
    pub(super) fn thinking(&mut self, piece: &str, hearer: &dyn DeltaSink) {
        if piece.is_empty() {
            return;
        }
        hearer.delta(Delta::Thinking(piece));
        match self.0.last_mut() {
            Some(Growing::Thinking { text, signature: None }) => text.push_str(piece),
            _ => self.0.push(Growing::Thinking { text: piece.to_owned(), signature: None }),
        }
    }

    /// The proof of the thoughts before it, or of hidden ones.
    pub(super) fn signature(&mut self, piece: &str) {
        match self.0.last_mut() {
            Some(Growing::Thinking { signature, .. }) => signature.get_or_insert_default().push_str(piece),
            _ => self.hidden(piece),
        }
    }

    /// Thoughts that are not shown.
    pub(super) fn hidden(&mut self, signature: &str) {
        self.0.push(Growing::Thinking { text: String::new(), signature: Some(signature.to_owned()) });
    }

    /// A tool is asked for; its arguments follow.
    pub(super) fn tool(&mut self, key: u64, id: &str, name: &str) {
        self.0.push(Growing::Tool { key, id: id.to_owned(), name: name.to_owned(), input: String::new() });
    }

    /// Whether a tool of this key began.
    pub(super) fn has_tool(&self, wanted: u64) -> bool {
        self.0.iter().any(|part| matches!(part, Growing::Tool { key, .. } if *key == wanted))
    }

    /// More of the arguments of the last tool with this key.
    pub(super) fn arguments(&mut self, wanted: u64, piece: &str) {
        let tools = self.0.iter_mut().rev().filter_map(|part| match part {
            Growing::Tool { key, input, .. } if *key == wanted => Some(input),
            _ => None,
        });
        tools.take(1).for_each(|input| input.push_str(piece));
    }

    /// How many tools are asked for.
    pub(super) fn tools(&self) -> usize {
        self.0.iter().filter(|part| matches!(part, Growing::Tool { .. })).count()
    }

    /// All of them.
    pub(super) fn whole(self) -> Vec<Part> {
        let done = |part| match part {
            Growing::Text(text) => Part::Text(text),
            Growing::Thinking { text, signature } => Part::Thinking { text, signature },
            Growing::Tool { id, name, input, .. } => Part::ToolUse(ToolUse { id, name, input: arguments(input) }),
        };
        self.0.into_iter().map(done).collect()
    }
}

/// The arguments of a tool; a text where they are no JSON, or would change when it is read.
fn arguments(text: String) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(&text) {
        Ok(value) if signalbox_model::lossless::loss(&text).is_none() => value,
        _ => Value::String(text),
    }
}
