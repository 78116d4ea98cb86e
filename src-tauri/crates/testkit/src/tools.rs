//! Tool servers by script: each tool has a list of answers; the last one repeats.

use crate::clock::ManualClock;
use async_trait::async_trait;
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Value, json};
use signalbox_ports::tools::{
    ToolAnswer, ToolCall, ToolFailure, ToolFault, ToolHearer, ToolInfo, ToolNotice, ToolQuestion, ToolReply,
};
use signalbox_ports::{Clock, Tools};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A tool.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scripted {
    /// At its server.
    pub name: String,
    /// For the model.
    #[serde(default)]
    pub description: String,
    /// Of its arguments; any object when absent.
    #[serde(default)]
    pub schema: Option<Value>,
    /// It says that it only reads what is its own.
    #[serde(default)]
    pub only_reads: bool,
    /// Looks at its server, counted from 1, that fail: it cannot be started then.
    #[serde(default)]
    pub lost_at: Vec<usize>,
    /// Its server has a credential.
    #[serde(default)]
    pub bears_secrets: bool,
    /// A person says that its answers are nobody else's words.
    #[serde(default)]
    pub own_words: bool,
    /// What calls get, in order.
    #[serde(default)]
    pub answers: Vec<Answered>,
}

/// What a call gets.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Answered {
    /// Words.
    #[serde(default)]
    pub text: String,
    /// So many letters more.
    #[serde(default)]
    pub letters: usize,
    /// A picture beside the words: its bytes in base64.
    #[serde(default)]
    pub picture: Option<String>,
    /// The structured answer.
    #[serde(default)]
    pub data: Option<Value>,
    /// The tool says that it failed.
    #[serde(default)]
    pub error: bool,
    /// Instead of an answer.
    #[serde(default)]
    pub fail: Option<Fail>,
    /// What it tells before.
    #[serde(default)]
    pub notices: Vec<String>,
    /// It never answers.
    #[serde(default)]
    pub hangs: bool,
    /// It asks back first: message and schema. With its answer it tells what it was told.
    #[serde(default)]
    pub asks: Option<(String, Value)>,
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fail {
    /// The server is not what was approved.
    NotApproved,
    /// Its process cannot be started.
    Connect,
    /// Its process ended in mid-call.
    Cut,
    /// What came is no answer.
    Garbage,
}

#[derive(Debug, Default)]
struct State {
    servers: IndexMap<String, Vec<Scripted>>,
    looks: IndexMap<String, usize>,
    calls: Vec<ToolCall>,
    /// Calls that wait for an answer, and what each will answer.
    open: IndexMap<String, Answered>,
    questions: usize,
    replies: Vec<ToolReply>,
}

/// Scripted [`Tools`].
#[derive(Debug)]
pub struct ScriptedTools {
    clock: Arc<ManualClock>,
    state: Mutex<State>,
}

fn failure(fault: ToolFault, message: &str) -> ToolFailure {
    ToolFailure::new(fault, message)
}

/// A failure of a call that was under way.
fn under_way(fault: ToolFault, message: &str) -> ToolFailure {
    ToolFailure { sent: true, ..failure(fault, message) }
}

impl ScriptedTools {
    /// Without servers.
    pub fn new(clock: Arc<ManualClock>) -> Self {
        Self { clock, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the servers.
    pub fn has(&self, servers: IndexMap<String, Vec<Scripted>>) {
        self.state().servers = servers;
    }

    /// Calls so far, in order, as `server/tool {arguments}`.
    pub fn calls(&self) -> Vec<String> {
        let line = |call: &ToolCall| format!("{}/{} {}", call.server, call.tool, Value::Object(call.arguments.clone()));
        self.state().calls.iter().map(line).collect()
    }

    /// What servers that asked were told, in order.
    pub fn replies(&self) -> Vec<ToolReply> {
        self.state().replies.clone()
    }

    /// As if another process went on: no call is open any more.
    pub fn restart(&self) {
        self.state().open.clear();
    }

    fn answer(&self, call: &ToolCall) -> Option<Answered> {
        let mut state = self.state();
        let before = state.calls.iter().filter(|one| (&one.server, &one.tool) == (&call.server, &call.tool)).count();
        state.calls.push(call.clone());
        let tool = state.servers.get(&call.server)?.iter().find(|tool| tool.name == call.tool)?;
        Some(tool.answers.get(before).or(tool.answers.last()).cloned().unwrap_or_default())
    }
}

#[async_trait]
impl Tools for ScriptedTools {
    async fn list(&self, server: &str) -> Result<Vec<ToolInfo>, ToolFailure> {
        let mut state = self.state();
        let looks = state.looks.entry(server.to_owned()).or_default();
        *looks += 1;
        let look = *looks;
        let Some(tools) = state.servers.get(server) else {
            return Err(failure(ToolFault::NotConfigured, "There is no tool server of this name on this machine"));
        };
        if tools.iter().any(|tool| tool.lost_at.contains(&look)) {
            return Err(failure(ToolFault::Connect, "The server cannot be started"));
        }
        let info = |tool: &Scripted| ToolInfo {
            server: server.to_owned(),
            name: tool.name.clone(),
            title: None,
            description: tool.description.clone(),
            input_schema: tool.schema.clone().unwrap_or_else(|| json!({ "type": "object" })),
            output_schema: None,
            read_only: tool.only_reads,
            idempotent: false,
            // Beside `readOnlyHint` servers leave it at its default.
            destructive: true,
            open_world: !tool.only_reads,
            bears_secrets: tool.bears_secrets,
            is_egress: !tool.only_reads,
            is_untrusted: !tool.own_words,
            unusable: None,
        };
        Ok(tools.iter().map(info).collect())
    }

    async fn call(&self, call: ToolCall, hearer: &dyn ToolHearer) -> Result<ToolAnswer, ToolFailure> {
        let began = self.clock.now_ms();
        let Some(answer) = self.answer(&call) else { return Err(failure(ToolFault::NotFound, "no such tool")) };
        for notice in &answer.notices {
            hearer.notice(ToolNotice { level: "info", message: notice.clone(), data: None });
        }
        if answer.hangs {
            let wait = call.timeout.min(call.total).as_millis();
            self.clock.sleep_until(began + i64::try_from(wait).unwrap_or(i64::MAX)).await;
            return Err(under_way(ToolFault::Timeout, "The tool did not answer in time"));
        }
        match answer.fail {
            Some(Fail::NotApproved) => {
                return Err(failure(ToolFault::NotApproved, "The server must be approved again"));
            }
            Some(Fail::Connect) => return Err(failure(ToolFault::Connect, "The server cannot be started")),
            Some(Fail::Cut) => return Err(under_way(ToolFault::Cut, "The server ended in mid-call")),
            Some(Fail::Garbage) => {
                return Err(under_way(ToolFault::BadAnswer, "What came is no answer of a tool server"));
            }
            None => {}
        }
        if let Some((message, schema)) = answer.asks.clone() {
            let mut state = self.state();
            state.questions += 1;
            let id = format!("question-{}", state.questions);
            state.open.insert(id.clone(), answer);
            let asks = Some(Box::new(ToolQuestion { id, message, schema }));
            return Err(ToolFailure { asks, ..under_way(ToolFault::Asks, "It asks") });
        }
        let picture = answer.picture.map(|data| json!({ "type": "image", "data": data, "mimeType": "image/gif" }));
        let text = answer.text + &"x".repeat(answer.letters);
        Ok(ToolAnswer {
            content: std::iter::once(json!({ "type": "text", "text": text })).chain(picture).collect(),
            structured: answer.data,
            is_error: answer.error,
            started_ms: began,
            ended_ms: self.clock.now_ms(),
        })
    }

    async fn resume(&self, id: &str, reply: ToolReply, _: &dyn ToolHearer) -> Result<ToolAnswer, ToolFailure> {
        let mut state = self.state();
        let Some(answer) = state.open.shift_remove(id) else {
            return Err(under_way(ToolFault::QuestionGone, "The call is not open any more"));
        };
        let told = match &reply {
            ToolReply::Accept(values) => format!("{} accepted {values}", answer.text),
            ToolReply::Decline => format!("{} declined", answer.text),
            ToolReply::Cancel => format!("{} cancelled", answer.text),
        };
        state.replies.push(reply);
        let now = self.clock.now_ms();
        Ok(ToolAnswer {
            content: vec![json!({ "type": "text", "text": told.trim() })],
            structured: None,
            is_error: false,
            started_ms: now,
            ended_ms: now,
        })
    }
}
