//! The conversation of a call, kept with the run however the call ends: `conversation.json`.

use serde_json::{Value, json};
use signalbox_engine::effect::Call;
use signalbox_model::CallProgress;
use signalbox_model::call_progress::LeftFile;
use signalbox_ports::CallLog;
use signalbox_ports::llm::{LlmRequest, Message, Part, Role};
use std::sync::Arc;

/// A conversation under way; dropped, it leaves its file.
pub(crate) struct Transcript<'a> {
    /// The question, with all that was said so far.
    pub(crate) question: LlmRequest,
    kept: Option<(&'a dyn CallLog, &'a Call)>,
}

impl<'a> Transcript<'a> {
    /// One that nobody keeps beside the log.
    pub(crate) fn passing(question: LlmRequest) -> Self {
        Self { question, kept: None }
    }

    /// One that stays with the run.
    pub(crate) fn kept(question: LlmRequest, call: &'a Call, log: &'a dyn CallLog) -> Self {
        Self { question, kept: Some((log, call)) }
    }
}

impl Drop for Transcript<'_> {
    fn drop(&mut self) {
        let Some((log, call)) = self.kept.filter(|_| !std::thread::panicking()) else { return };
        let messages: Vec<Value> = self.question.messages.iter().map(message).collect();
        let content = json!({
            "runId": &*call.run_id,
            "node": &*call.node_id,
            "launchId": call.launch_id,
            "model": self.question.model,
            "system": self.question.system,
            "messages": messages,
        });
        log.say(file(call, "conversation.json", content));
    }
}

/// A file of the call's own folder (G-20).
pub(crate) fn file(call: &Call, name: &str, content: Value) -> CallProgress {
    let path = format!("/agents/{}/workstreams/{}/{name}", call.run_id, call.launch_id);
    CallProgress::File(LeftFile { path, content: Arc::new(content) })
}

fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    json!({ "role": role, "content": message.parts.iter().map(part).collect::<Vec<_>>() })
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image { mime, .. } => json!({ "type": "image", "mime": mime }),
        Part::Thinking { text, .. } => json!({ "type": "thinking", "text": text }),
        Part::ToolUse(used) => json!({ "type": "tool_use", "id": used.id, "name": used.name, "input": used.input }),
        Part::ToolResult(result) => json!({
            "type": "tool_result", "tool_use_id": result.tool_use_id, "content": result.content, "is_error": result.is_error
        }),
    }
}
