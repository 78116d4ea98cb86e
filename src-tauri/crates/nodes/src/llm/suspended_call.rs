//! A conversation that waits for a person: everything that the step goes on with, so that nothing that was done is done
//! again. It stands in the log of the run (`held` of `step_error`), in the snapshots of its state, and in the base of its re-runs;
//! of a picture only where it is does.

use super::tool_approval;
use serde_json::{Map, Value, json};
use signalbox_engine::effect::ToolAnswer;
use signalbox_engine::tool_rules::{Decided, TOOL_APPROVAL};
use signalbox_model::text::one_line;
use signalbox_model::{NodeFailure, SuggestedAction};
use signalbox_ports::World;
use signalbox_ports::llm::{ImageSource, Message, Part, Role, ToolResult, ToolUse};
use signalbox_ports::tools::ToolInfo;
use std::collections::HashMap;

/// How far a loop of tools has come.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Progress {
    /// Answers that the form is not the reason for.
    pub(super) turns: u32,
    /// Repetitions for the form's sake.
    pub(super) reasked: u32,
    /// A tool has done something, or may have.
    pub(super) acted: bool,
    /// The form is asked for natively now.
    pub(super) forms: bool,
    /// Answers of tools that the last answer of the model asked for, in order; those that are missing were not called.
    pub(super) done: Vec<ToolResult>,
    /// Pictures of those answers, each behind its words.
    pub(super) shown: Vec<Part>,
    /// The model takes no pictures.
    pub(super) blind: bool,
}

/// A call that waits for a person.
pub(super) struct Waiting {
    pub(super) info: ToolInfo,
    pub(super) arguments: Map<String, Value>,
    pub(super) decided: Decided,
}

/// What a step says in a conversation.
pub(super) struct Talked<'a> {
    pub(super) system: Option<&'a str>,
    pub(super) messages: &'a [Message],
    /// The schema of the answer, where it was read from a file.
    pub(super) schema: Option<&'a Value>,
}

/// What a step begins with that waited.
#[derive(Debug, PartialEq)]
pub(super) struct Kept {
    pub(super) system: Option<String>,
    pub(super) messages: Vec<Message>,
    pub(super) progress: Progress,
    /// Server and tool that the person was asked about.
    pub(super) about: (String, String),
    /// The call is open, and its server was asking.
    pub(super) asked: Option<Value>,
}

/// The failure that is none: a person is asked, and the step goes on with this.
pub(super) fn hold(waiting: Waiting, talked: &Talked<'_>, progress: &Progress, world: &World) -> NodeFailure {
    let Waiting { info, arguments, decided } = waiting;
    let mut arguments = Value::Object(arguments);
    world.secrets.scrubber().value(&mut arguments);
    let words = format!(
        "The model wants to call '{}' of '{}'. {}",
        one_line(&info.name).chars().take(100).collect::<String>(),
        info.server,
        decided.why
    );
    let hints = tool_approval::hints(&info);
    let mut failure = NodeFailure::tool(TOOL_APPROVAL, words).suggest(SuggestedAction::HumanReview).detail(
        "toolCall",
        json!({
            "server": info.server, "tool": info.name, "arguments": arguments, "rule": decided.rule, "place": decided.place,
            "why": decided.why, "description": info.description.chars().take(1_000).collect::<String>(),
            "hints": hints.value(),
        }),
    );
    // A question, not a fault: it is not the first thing that an operator has to see.
    failure = failure.detail("severity", "WARN");
    failure.held = Some(std::sync::Arc::new(conversation(&info, talked, progress)));
    failure
}

/// The server of a call asks back: a person answers, and the step goes on with this. `asks` is the pause of that call.
pub(super) fn hold_question(
    mut asks: NodeFailure,
    info: &ToolInfo,
    talked: &Talked<'_>,
    progress: &Progress,
) -> NodeFailure {
    let mut held = conversation(info, talked, progress);
    held["asked"] = asks.held.take().map(std::sync::Arc::unwrap_or_clone).unwrap_or_default();
    asks.held = Some(std::sync::Arc::new(held));
    asks
}

fn conversation(info: &ToolInfo, talked: &Talked<'_>, progress: &Progress) -> Value {
    let mut held = json!({
        "server": info.server, "tool": info.name,
        "system": talked.system,
        "messages": talked.messages.iter().map(written).collect::<Vec<_>>(),
        "turns": progress.turns, "reasked": progress.reasked, "acted": progress.acted, "forms": progress.forms,
        "done": progress.done.iter().map(result).collect::<Vec<_>>(),
    });
    if !progress.shown.is_empty() {
        held["shown"] = progress.shown.iter().map(written_part).collect();
    }
    if progress.blind {
        held["blind"] = true.into();
    }
    if let Some(schema) = talked.schema {
        held["schema"] = schema.clone();
    }
    held
}

/// What a person's refusal says to the model.
pub(super) fn refusal(answer: &ToolAnswer) -> NodeFailure {
    let notes = answer.notes.as_deref().map(str::trim).filter(|notes| !notes.is_empty());
    let words = match notes {
        Some(notes) => format!("A person does not allow this call: {notes}"),
        None => "A person does not allow this call. Do without it".to_owned(),
    };
    NodeFailure::tool("TOOL_REFUSED", words)
}

fn result(result: &ToolResult) -> Value {
    json!({ "id": result.tool_use_id, "content": result.content, "error": result.is_error })
}

/// The schema of the answer, where it was read from a file: that may be gone now.
pub(crate) fn schema(kept: &Value) -> Option<&Value> {
    kept.get("schema").filter(|schema| !schema.is_null())
}

fn written(message: &Message) -> Value {
    let parts: Vec<Value> = message.parts.iter().map(written_part).collect();
    json!({ "model": message.role == Role::Assistant, "parts": parts })
}

fn written_part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "text": text }),
        Part::Image { from: ImageSource::File(path), .. } => json!({ "picture": path }),
        Part::Image { from: ImageSource::Run(hash), .. } => json!({ "kept": hash }),
        Part::Thinking { text, signature } => json!({ "thinking": text, "signature": signature }),
        Part::ToolUse(used) => json!({ "use": used.id, "name": used.name, "input": used.input }),
        Part::ToolResult(one) => json!({ "result": result(one) }),
    }
}

/// Where the pictures in what [`hold`] wrote are.
pub(super) fn pictures(kept: &Value) -> Vec<ImageSource> {
    let parts = list(kept, "messages").flat_map(|message| list(message, "parts")).chain(list(kept, "shown"));
    parts.filter_map(source).collect()
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn source(part: &Value) -> Option<ImageSource> {
    text(part, "picture").map(ImageSource::File).or_else(|| text(part, "kept").map(ImageSource::Run))
}

/// Reads what [`hold`] wrote; `pictures` has those of [`pictures`].
pub(super) fn read(kept: &Value, pictures: &HashMap<ImageSource, Part>) -> Result<Kept, NodeFailure> {
    let message = |one: &Value| message(one, pictures);
    let messages = || kept.get("messages")?.as_array()?.iter().map(message).collect::<Option<Vec<_>>>();
    let shown = || match kept.get("shown") {
        Some(parts) => parts.as_array()?.iter().map(|one| part(one, pictures)).collect::<Option<Vec<_>>>(),
        None => Some(Vec::new()),
    };
    let done = || kept.get("done")?.as_array()?.iter().map(read_result).collect::<Option<Vec<_>>>();
    let count = |name: &str| u32::try_from(kept.get(name)?.as_u64()?).ok();
    let whole = || {
        Some(Kept {
            system: kept.get("system")?.as_str().map(str::to_owned),
            messages: messages()?,
            about: (text(kept, "server")?, text(kept, "tool")?),
            asked: kept.get("asked").cloned(),
            progress: Progress {
                turns: count("turns")?,
                reasked: count("reasked")?,
                acted: kept.get("acted")?.as_bool()?,
                forms: kept.get("forms")?.as_bool()?,
                done: done()?,
                shown: shown()?,
                blind: kept.get("blind").and_then(Value::as_bool).unwrap_or_default(),
            },
        })
    };
    whole().ok_or_else(|| {
        let words = "The conversation that waited for a person cannot be read by this version; run the step again";
        NodeFailure::validation("INPUT_INVALID", words)
    })
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

fn read_result(one: &Value) -> Option<ToolResult> {
    Some(ToolResult {
        tool_use_id: text(one, "id")?,
        content: text(one, "content")?,
        is_error: one.get("error")?.as_bool()?,
    })
}

fn message(one: &Value, pictures: &HashMap<ImageSource, Part>) -> Option<Message> {
    let role = if one.get("model")?.as_bool()? { Role::Assistant } else { Role::User };
    let parts = one.get("parts")?.as_array()?.iter().map(|one| part(one, pictures)).collect::<Option<Vec<_>>>()?;
    Some(Message { role, parts })
}

fn part(one: &Value, pictures: &HashMap<ImageSource, Part>) -> Option<Part> {
    let has = |name: &str| one.get(name).is_some();
    if has("text") {
        return text(one, "text").map(Part::Text);
    }
    if let Some(source) = source(one) {
        return pictures.get(&source).cloned();
    }
    if has("thinking") {
        return Some(Part::Thinking { text: text(one, "thinking")?, signature: text(one, "signature") });
    }
    if has("use") {
        let input = one.get("input")?.clone();
        return Some(Part::ToolUse(ToolUse { id: text(one, "use")?, name: text(one, "name")?, input }));
    }
    read_result(one.get("result")?).map(Part::ToolResult)
}

#[cfg(test)]
mod tests;
