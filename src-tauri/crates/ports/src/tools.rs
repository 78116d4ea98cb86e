//! Tools of MCP servers that a person registered and approved on this machine.

use async_trait::async_trait;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// A tool as its server describes it. All of it is the server's word: text for a person or a model, never a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolInfo {
    /// Name of the registered server.
    pub server: String,
    /// Name of the tool at its server.
    pub name: String,
    /// For people.
    pub title: Option<String>,
    /// For people and models.
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
    /// JSON Schema of the structured answer.
    pub output_schema: Option<Value>,
    /// It says that it changes nothing.
    pub read_only: bool,
    /// It says that twice is as once.
    pub idempotent: bool,
    /// It says that it may destroy.
    pub destructive: bool,
    /// It says that it reaches out into the world.
    pub open_world: bool,
    /// What it answers may be private: its server was given a credential, or a person here says so.
    pub bears_secrets: bool,
    /// What it is given may leave this machine, or reach others.
    pub is_egress: bool,
    /// What it answers may be written by others, who are nobody to obey.
    pub is_untrusted: bool,
    /// Why it is never called, whatever was approved: a sentence without a full stop.
    pub unusable: Option<String>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The registered server.
    pub server: String,
    /// The tool at its server.
    pub tool: String,
    /// Checked against the tool's schema by whoever calls.
    pub arguments: Map<String, Value>,
    /// Longest silence; a notice of progress begins it anew.
    pub timeout: Duration,
    /// Longest time in all, whatever progress is told. Time in which a person is asked does not count.
    pub total: Duration,
    /// The run that calls.
    pub run: Arc<str>,
    /// How long a question of the server waits for a person; without it, questions are declined.
    pub answer_within: Option<Duration>,
}

/// A server asks back during a call. The call stays open until [`Tools::resume`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolQuestion {
    /// What [`Tools::resume`] takes; no other question of any process has it.
    pub id: String,
    /// What the server wants to know.
    pub message: String,
    /// JSON Schema of the answer: an object of plain fields.
    pub schema: Value,
}

/// What a person says to a question of a server.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolReply {
    /// These values.
    Accept(Value),
    /// No.
    Decline,
    /// Nobody said anything.
    Cancel,
}

/// What a tool tells while it works.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolNotice {
    /// `info`, `warn`, `error` or `progress`.
    pub level: &'static str,
    /// Words.
    pub message: String,
    /// What else it told.
    pub data: Option<Value>,
}

/// Hears notices while the tool works.
pub trait ToolHearer: Send + Sync {
    /// The next notice.
    fn notice(&self, notice: ToolNotice);
}

/// A tool's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolAnswer {
    /// Its content parts as the server sent them.
    pub content: Vec<Value>,
    /// Its structured answer.
    pub structured: Option<Value>,
    /// The tool says that it failed.
    pub is_error: bool,
    /// Milliseconds since 1970.
    pub started_ms: i64,
    /// Milliseconds since 1970.
    pub ended_ms: i64,
}

/// What went wrong (PLATFORM, error mapping).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolFault {
    /// No server of this name on this machine.
    NotConfigured,
    /// A person has to approve the server, or what changed in it.
    NotApproved,
    /// The server has no such tool.
    NotFound,
    /// Its secret is not there, or the secrets are locked.
    Secret,
    /// 401, 403.
    Auth,
    /// 429.
    RateLimit,
    /// 503: it says that it did nothing.
    Unavailable,
    /// Another status from 500 on: the tool may have done its work.
    Broken,
    /// 404 and others from 400 on.
    HttpStatus,
    /// The server says that the arguments are wrong (-32602).
    BadArguments,
    /// The server says -32600 or does not know the method.
    Unsupported,
    /// The server says that it failed (-32603, -32000 and below).
    Internal,
    /// It could not be started or reached; nothing was done.
    Connect,
    /// The connection ended in mid-call.
    Cut,
    /// No answer in time; the tool may go on working.
    Timeout,
    /// What came is no answer of an MCP server.
    BadAnswer,
    /// A number of the answer would become another one.
    Digits,
    /// An object of the answer has a member twice, with different values.
    DuplicateMember,
    /// More came than a call may bring.
    TooLarge,
    /// No failure: the server asks back, and [`ToolFailure::asks`] is what.
    Asks,
    /// The call that asked is not open any more.
    QuestionGone,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFailure {
    /// What.
    pub fault: ToolFault,
    /// Plain words with the next step; no secret in it.
    pub message: String,
    /// Last lines that the server's process wrote to its error output.
    pub stderr: Option<String>,
    /// The server asks to wait so long, milliseconds.
    pub retry_after_ms: Option<u64>,
    /// The call was under way: the tool may have done its work. Before that nothing happened, whatever went wrong.
    pub sent: bool,
    /// What the server wants to know before it continues.
    pub asks: Option<Box<ToolQuestion>>,
}

impl ToolFailure {
    /// A failure before the tool was asked, without more than words.
    pub fn new(fault: ToolFault, message: impl Into<String>) -> Self {
        Self { fault, message: message.into(), stderr: None, retry_after_ms: None, sent: false, asks: None }
    }
}

/// Tools of registered servers.
#[async_trait]
pub trait Tools: Send + Sync {
    /// The tools of one server as they were approved; starts the server when nobody has yet.
    async fn list(&self, server: &str) -> Result<Vec<ToolInfo>, ToolFailure>;
    /// Calls a tool once. Dropping the future tells the server that nobody waits any more.
    async fn call(&self, call: ToolCall, hearer: &dyn ToolHearer) -> Result<ToolAnswer, ToolFailure>;
    /// Continues a call whose server asked back. Only the process that made the call can.
    async fn resume(
        &self,
        _question: &str,
        _reply: ToolReply,
        _hearer: &dyn ToolHearer,
    ) -> Result<ToolAnswer, ToolFailure> {
        Err(ToolFailure::new(ToolFault::QuestionGone, "No call is open here"))
    }
    /// The run has ended: its calls that wait for an answer are given up.
    fn run_ended(&self, _run: &str) {}
}

/// Where no servers are: every call is refused.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTools;

fn none() -> ToolFailure {
    ToolFailure::new(ToolFault::NotConfigured, "There are no tool servers here")
}

#[async_trait]
impl Tools for NoTools {
    async fn list(&self, _server: &str) -> Result<Vec<ToolInfo>, ToolFailure> {
        Err(none())
    }
    async fn call(&self, _call: ToolCall, _hearer: &dyn ToolHearer) -> Result<ToolAnswer, ToolFailure> {
        Err(none())
    }
}
