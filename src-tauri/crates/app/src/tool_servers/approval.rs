//! What an approval holds, and what differs from it.

use crate::dto::ToolServerChange;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
pub(super) use signalbox_adapters::mcp::approval_hash as hash;
use signalbox_adapters::mcp::{ToolWord, ToolWords, sorted};
use signalbox_store::ToolServerRow;
use std::collections::BTreeSet;

/// Longest text of a difference that is shown.
const SHOWN: usize = 20_000;
/// Differences that an audit entry names.
const NAMED: usize = 50;

/// What a person approved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Approved {
    pub(super) hash: String,
    pub(super) definition: Value,
    pub(super) tools: Vec<Value>,
    pub(super) by: String,
    pub(super) at_ms: i64,
    /// What people say of its tools (ADR 64).
    #[serde(default, skip_serializing_if = "ToolWords::is_empty")]
    pub(super) words: ToolWords,
}

/// What a server said of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Seen {
    #[serde(default)]
    pub(super) server: Option<String>,
    pub(super) tools: Vec<Value>,
    pub(super) at_ms: i64,
}

impl Approved {
    pub(super) fn of(row: &ToolServerRow) -> Option<Self> {
        // What cannot be read approves nothing.
        serde_json::from_value(row.approved.clone()?).ok()
    }
    pub(super) fn kept(&self) -> Value {
        json!(self)
    }
}

impl Seen {
    pub(super) fn of(row: &ToolServerRow) -> Option<Self> {
        serde_json::from_value(row.seen.clone()?).ok()
    }
    pub(super) fn kept(&self) -> Value {
        json!(self)
    }
}

/// What people said of its tools that still holds in a new approval: all of it where the server and the tool are as they were; where
/// something changed only what makes the rules stricter, as long as there is a tool of that name.
pub(super) fn words_kept(before: &Approved, definition: &Value, tools: &[Value]) -> ToolWords {
    let find = |list: &[Value], name: &str| list.iter().find(|tool| tool["name"] == name).map(sorted);
    let same_start = sorted(&before.definition) == sorted(definition);
    let kept = |(name, word): (&String, &ToolWord)| {
        let now = find(tools, name)?;
        let same = same_start && find(&before.tools, name) == Some(now);
        let word = if same { *word } else { word.strict() };
        (!word.is_empty()).then(|| (name.clone(), word))
    };
    before.words.iter().filter_map(kept).collect()
}

fn text(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(&sorted(other)).unwrap_or_default(),
    };
    text.chars().take(SHOWN).collect()
}

fn fields(tool: Option<&str>, before: &Value, after: &Value) -> Vec<ToolServerChange> {
    let keys =
        |value: &Value| value.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect::<BTreeSet<_>>();
    let all: BTreeSet<String> = keys(before).union(&keys(after)).cloned().collect();
    all.into_iter()
        .filter(|key| before.get(key).map(sorted) != after.get(key).map(sorted))
        .map(|field| ToolServerChange {
            tool: tool.map(str::to_owned),
            before: before.get(&field).map(text),
            after: after.get(&field).map(text),
            field,
        })
        .collect()
}

/// What differs from an approval: the server itself first, then its tools by name.
pub(super) fn changes(approved: &Approved, definition: &Value, tools: &[Value]) -> Vec<ToolServerChange> {
    let mut changes = fields(None, &approved.definition, definition);
    let name = |tool: &Value| tool["name"].as_str().unwrap_or_default().to_owned();
    let names: BTreeSet<String> = approved.tools.iter().chain(tools).map(name).collect();
    for one in names {
        let find = |list: &[Value]| list.iter().find(|tool| name(tool) == one).cloned();
        match (find(&approved.tools), find(tools)) {
            (Some(before), Some(after)) => changes.extend(fields(Some(&one), &before, &after)),
            (before, after) => changes.push(ToolServerChange {
                tool: Some(one),
                field: "tool".into(),
                before: before.as_ref().map(text),
                after: after.as_ref().map(text),
            }),
        }
    }
    changes
}

/// What differs by its name alone, for a record.
pub(super) fn named(changes: &[ToolServerChange]) -> Vec<String> {
    let one = |change: &ToolServerChange| match &change.tool {
        Some(tool) => format!("{tool}.{}", change.field),
        None => change.field.clone(),
    };
    changes.iter().take(NAMED).map(one).collect()
}
