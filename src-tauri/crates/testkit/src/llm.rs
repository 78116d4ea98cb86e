//! A language model by script: a list of answers; the last one repeats.

use crate::clock::ManualClock;
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::Value;
use signalbox_ports::llm::{
    Delta, DeltaSink, Finish, LlmAnswer, LlmFailure, LlmFault, LlmRequest, Part, ToolUse, Usage,
};
use signalbox_ports::{Clock, Llm};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a question gets.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScriptedAnswer {
    /// What it thinks first.
    #[serde(default)]
    pub thinking: String,
    /// Its words; they come in pieces of one word.
    #[serde(default)]
    pub text: String,
    /// Tools that it asks for.
    #[serde(default)]
    pub tools: Vec<Asked>,
    /// Why it stops, when not because all is said: `max_tokens` or `refusal`.
    #[serde(default)]
    pub finish: Option<String>,
    /// Instead of an answer.
    #[serde(default)]
    pub fail: Option<Fail>,
    /// What it costs, in millionths; absent where no price is known.
    #[serde(default)]
    pub cost: Option<u64>,
    /// Milliseconds before the answer.
    #[serde(default)]
    pub delay_ms: i64,
}

/// A tool that the model asks for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// As it was offered.
    pub name: String,
    /// Its arguments.
    #[serde(default)]
    pub input: Value,
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fail {
    /// Nobody is configured.
    NotConfigured,
    /// 401.
    Auth,
    /// 429, to wait for 2 s.
    RateLimit,
    /// 503.
    Unavailable,
    /// 400.
    BadRequest,
    /// Cut off.
    Connection,
    /// It takes no pictures.
    NoImages,
}

impl ScriptedAnswer {
    /// Words.
    pub fn text(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }
}

#[derive(Debug, Default)]
struct State {
    answers: Vec<ScriptedAnswer>,
    seen: Vec<LlmRequest>,
    tools: usize,
}

/// A scripted [`Llm`].
#[derive(Debug)]
pub struct ScriptedLlm {
    clock: Arc<ManualClock>,
    state: Mutex<State>,
}

impl ScriptedLlm {
    /// Without answers: nobody is configured.
    pub fn new(clock: Arc<ManualClock>) -> Self {
        Self { clock, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the answers.
    pub fn says(&self, answers: Vec<ScriptedAnswer>) {
        self.state().answers = answers;
    }

    /// Questions so far, in order.
    pub fn questions(&self) -> Vec<LlmRequest> {
        self.state().seen.clone()
    }

    /// A question as text to look into: instructions and conversation.
    pub fn words(&self, question: usize) -> String {
        let seen = self.questions();
        let Some(request) = seen.get(question) else { return String::new() };
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::ToolUse(asked) => format!("<use {} {}>", asked.name, asked.input),
            Part::ToolResult(result) => format!("<result {} {}>", result.is_error, result.content),
            Part::Image { mime, .. } => format!("<{mime}>"),
            Part::Thinking { .. } => String::new(),
        };
        let parts = request.messages.iter().flat_map(|message| &message.parts).map(part);
        request.system.iter().cloned().chain(parts).collect::<Vec<_>>().join("\n")
    }
}

fn failed(fail: Fail) -> LlmFailure {
    let (fault, status, retry_after_ms) = match fail {
        Fail::NotConfigured => (LlmFault::NotConfigured, None, None),
        Fail::Auth => (LlmFault::Auth, Some(401), None),
        Fail::RateLimit => (LlmFault::RateLimit, Some(429), Some(2_000)),
        Fail::Unavailable => (LlmFault::Unavailable, Some(503), None),
        Fail::BadRequest => (LlmFault::BadRequest, Some(400), None),
        Fail::Connection => (LlmFault::Connection, None, None),
        Fail::NoImages => (LlmFault::NoImages, Some(400), None),
    };
    LlmFailure { fault, message: "as scripted".into(), status, retry_after_ms, used_up: None }
}

#[async_trait]
impl Llm for ScriptedLlm {
    async fn ask(&self, request: LlmRequest, hearer: &dyn DeltaSink) -> Result<LlmAnswer, LlmFailure> {
        let (stream, model) = (request.stream, request.model.clone());
        let answer = {
            let mut state = self.state();
            let at = state.seen.len();
            state.seen.push(request);
            state.answers.get(at).or(state.answers.last()).cloned()
        };
        let Some(answer) = answer else { return Err(failed(Fail::NotConfigured)) };
        if answer.delay_ms > 0 {
            self.clock.sleep_until(self.clock.now_ms() + answer.delay_ms).await;
        }
        if let Some(fail) = answer.fail {
            return Err(failed(fail));
        }
        let mut parts = Vec::new();
        if !answer.thinking.is_empty() {
            if stream {
                answer.thinking.split_inclusive(' ').for_each(|word| hearer.delta(Delta::Thinking(word)));
            }
            parts.push(Part::Thinking { text: answer.thinking.clone(), signature: Some("s".into()) });
        }
        if !answer.text.is_empty() {
            if stream {
                answer.text.split_inclusive(' ').for_each(|word| hearer.delta(Delta::Text(word)));
            }
            parts.push(Part::Text(answer.text.clone()));
        }
        for asked in &answer.tools {
            let id = {
                let mut state = self.state();
                state.tools += 1;
                format!("t{}", state.tools)
            };
            parts.push(Part::ToolUse(ToolUse { id, name: asked.name.clone(), input: asked.input.clone() }));
        }
        let finish = match answer.finish.as_deref() {
            Some("max_tokens") => Finish::MaxTokens,
            Some("refusal") => Finish::Refusal,
            _ if !answer.tools.is_empty() => Finish::ToolUse,
            _ => Finish::Stop,
        };
        let usage = Usage {
            input_tokens: 10,
            output_tokens: 5,
            thinking_tokens: None,
            cost_micros: answer.cost,
            estimated: false,
        };
        Ok(LlmAnswer { parts, model, provider: None, id: None, finish, usage })
    }
}
