//! Language models: one question with its whole conversation, answered in parts while they come.

use async_trait::async_trait;
use serde_json::Value;
use signalbox_model::budget::{Budget, UsedUp};
use std::time::Duration;

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderKind {
    /// Anthropic Messages.
    Anthropic,
    /// Chat completions, as many servers speak them.
    Openai,
    /// Ollama's own `api/chat`.
    Ollama,
}

/// Who answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderChoice {
    /// A provider that a person registered on this machine; empty for that of the machine's default model.
    Named(String),
    /// Written into the workflow: no credential, and an address under the loopback rule of TRUST only.
    Inline {
        /// How it is spoken to.
        kind: ProviderKind,
        /// Its address without the path of the call.
        base_url: String,
    },
}

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The one who asks. Results of tools stand in such messages.
    User,
    /// The model.
    Assistant,
}

/// A tool that the model asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolUse {
    /// Names the request, so that its result finds it.
    pub id: String,
    /// The tool, as it was offered.
    pub name: String,
    /// Its arguments, as the model wrote them; `Value::String` where they are no JSON.
    pub input: Value,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// [`ToolUse::id`].
    pub tool_use_id: String,
    /// Text.
    pub content: String,
    /// It failed.
    pub is_error: bool,
}

/// Where the bytes of a picture are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ImageSource {
    /// A file of a granted folder.
    File(String),
    /// What a tool answered: kept with the run, by its SHA-256.
    Run(String),
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Words.
    Text(String),
    /// A picture.
    Image {
        /// Like `image/png`.
        mime: String,
        /// Its bytes.
        base64: String,
        /// Where they are read again: what is kept of a conversation names that, and holds no bytes.
        from: ImageSource,
    },
    /// What the model thought. It goes back to the provider unchanged, or it refuses the next question.
    Thinking {
        /// Words; empty where the provider hides them.
        text: String,
        /// The provider's proof that these are its words.
        signature: Option<String>,
    },
    /// A tool is asked for.
    ToolUse(ToolUse),
    /// A tool has answered.
    ToolResult(ToolResult),
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// In order.
    pub parts: Vec<Part>,
}

/// A tool that the model may ask for.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOffer {
    /// Letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// For the model.
    pub description: String,
    /// JSON Schema of the arguments.
    pub schema: Value,
}

/// The form that the answer must have. Endpoints ignore it silently: whoever asks checks the answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerForm {
    /// Some JSON object.
    JsonObject,
    /// JSON of this schema.
    JsonSchema(Value),
}

/// A question.
#[derive(Debug, Clone, PartialEq)]
pub struct LlmRequest {
    /// Who answers.
    pub provider: ProviderChoice,
    /// The model, as the provider names it; empty for the machine's default, where that is one of this provider.
    pub model: String,
    /// Instructions before the conversation.
    pub system: Option<String>,
    /// The conversation; the last message is the question.
    pub messages: Vec<Message>,
    /// Tools that it may ask for.
    pub tools: Vec<ToolOffer>,
    /// The form of the answer.
    pub form: Option<AnswerForm>,
    /// From 0 on; the provider's own when absent.
    pub temperature: Option<f64>,
    /// Most tokens of the answer.
    pub max_tokens: u32,
    /// Tokens that it may think.
    pub thinking_budget: Option<u32>,
    /// Parts are told while they come.
    pub stream: bool,
    /// A literal loopback address is allowed for [`ProviderChoice::Inline`].
    pub loopback_allowed: bool,
    /// Time limit of the whole exchange.
    pub timeout: Duration,
    /// Who pays, and what it may cost; `None` where a person tries a provider.
    pub budget: Option<Budget>,
}

/// A piece of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delta<'a> {
    /// Of its words.
    Text(&'a str),
    /// Of its thoughts.
    Thinking(&'a str),
}

/// Hears pieces while they come, in order.
pub trait DeltaSink: Send + Sync {
    /// The next piece.
    fn delta(&self, delta: Delta<'_>);
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// It said all.
    Stop,
    /// It waits for tools.
    ToolUse,
    /// `max_tokens` were used up.
    MaxTokens,
    /// It, or a filter, refused.
    Refusal,
}

/// What it cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens of the question, cached ones included.
    pub input_tokens: u64,
    /// Tokens of the answer, thoughts included.
    pub output_tokens: u64,
    /// Tokens of its thoughts, where the provider tells.
    pub thinking_tokens: Option<u64>,
    /// Money in millionths, where a person told the price of the model.
    pub cost_micros: Option<u64>,
    /// Tokens that the provider did not tell are estimated, rather too many than too few.
    pub estimated: bool,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct LlmAnswer {
    /// Text, thoughts and tools that it asks for, in order.
    pub parts: Vec<Part>,
    /// The model that really answered.
    pub model: String,
    /// The provider, by its name on this machine.
    pub provider: Option<String>,
    /// The provider's name for this answer.
    pub id: Option<String>,
    /// Why it stopped.
    pub finish: Finish,
    /// What it cost.
    pub usage: Usage,
}

impl LlmAnswer {
    /// Whether it has neither text nor thoughts nor tool calls, and the endpoint counted no token for it.
    pub fn is_empty(&self) -> bool {
        let is_blank = |part: &Part| match part {
            Part::Text(text) => text.is_empty(),
            Part::Thinking { text, signature } => text.is_empty() && signature.is_none(),
            Part::Image { .. } | Part::ToolUse(_) | Part::ToolResult(_) => false,
        };
        self.finish != Finish::Refusal && self.usage.output_tokens == 0 && self.parts.iter().all(is_blank)
    }
}

/// What went wrong (PLATFORM, error mapping).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LlmFault {
    /// No provider of this name on this machine.
    NotConfigured,
    /// The address is not allowed.
    AddressRefused,
    /// Its secret is not there.
    SecretMissing,
    /// The secrets are locked.
    SecretUnavailable,
    /// The credential may not go to this host.
    CredentialRefused,
    /// 401, 403.
    Auth,
    /// 429, 529.
    RateLimit,
    /// Another status from 500 on.
    Unavailable,
    /// 400, 422.
    BadRequest,
    /// The conversation is longer than the model reads.
    ContextLength,
    /// The model takes no pictures.
    NoImages,
    /// The server says that the model does not see the tools that it is offered.
    NoTools,
    /// 404 and others from 400 on.
    HttpStatus,
    /// A filter refused the question.
    ContentPolicy,
    /// Nothing reached the other side, or the stream ended without a reason to stop.
    Connection,
    /// No answer in time.
    Timeout,
    /// What came is no answer of such a provider.
    BadAnswer,
    /// What may be spent is spent.
    BudgetExceeded,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LlmFailure {
    /// What.
    pub fault: LlmFault,
    /// Plain words with the next step; no secret in it.
    pub message: String,
    /// Status of the answer.
    pub status: Option<u16>,
    /// The provider asks to wait so long, milliseconds.
    pub retry_after_ms: Option<u64>,
    /// With [`LlmFault::BudgetExceeded`].
    pub used_up: Option<Box<UsedUp>>,
}

/// Texts whose vectors are asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbedRequest {
    /// Who answers.
    pub provider: ProviderChoice,
    /// The embedding model, as the provider names it.
    pub model: String,
    /// At most some hundred.
    pub texts: Vec<String>,
    /// A literal loopback address is allowed for [`ProviderChoice::Inline`].
    pub loopback_allowed: bool,
    /// Time limit of the whole exchange.
    pub timeout: Duration,
    /// Who pays.
    pub budget: Option<Budget>,
}

/// Language models.
#[async_trait]
pub trait Llm: Send + Sync {
    /// Asks once. Pieces go to `hearer` when the request streams; the answer is whole in any case.
    async fn ask(&self, request: LlmRequest, hearer: &dyn DeltaSink) -> Result<LlmAnswer, LlmFailure>;

    /// Vectors of texts, one for each, in their order.
    async fn embed(&self, _request: EmbedRequest) -> Result<Vec<Vec<f32>>, LlmFailure> {
        Err(LlmFailure {
            fault: LlmFault::NotConfigured,
            message: "There are no embedding models here".into(),
            status: None,
            retry_after_ms: None,
            used_up: None,
        })
    }
}

/// Where no model is: every question is refused.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLlm;

#[async_trait]
impl Llm for NoLlm {
    async fn ask(&self, _request: LlmRequest, _hearer: &dyn DeltaSink) -> Result<LlmAnswer, LlmFailure> {
        Err(LlmFailure {
            fault: LlmFault::NotConfigured,
            message: "There are no model providers here".into(),
            status: None,
            retry_after_ms: None,
            used_up: None,
        })
    }
}
