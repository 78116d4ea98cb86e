//! One conversation with a model within one call: it is told to the log while it goes on, and its cost is
//! added up.

use super::fault;
use futures_util::future::{Either, select};
use serde_json::{Value, json};
use signalbox_model::call_progress::{CallProgress, LlmDelta, LlmDone, LlmError, LlmUsage};
use signalbox_model::{ErrorType, NodeFailure, time};
use signalbox_ports::llm::{Delta, DeltaSink, Finish, LlmAnswer, LlmRequest, Message, Part, Role};
use signalbox_ports::{CallLog, Scrubber, World};
use std::pin::pin;
use std::sync::Mutex;
use std::sync::PoisonError;

/// What is said so far. If it is dropped before its end, the call's time is over.
pub(crate) struct Talk<'a> {
    world: &'a World,
    log: &'a dyn CallLog,
    began_ms: i64,
    over: bool,
    used_tools: bool,
    usage: LlmUsage,
    thinking_tokens: Option<u64>,
    /// Of all questions; `None` from the first on whose price nobody knows.
    cost_micros: Option<u64>,
    answered: bool,
    /// Something stands in the log: what comes next begins another answer.
    spoke: bool,
    provider: Option<String>,
    model: String,
    finish: Finish,
}

/// Tells pieces, and remembers whether there were any.
struct DeltaCollector<'a> {
    log: &'a dyn CallLog,
    /// Words were said before this answer.
    after: bool,
    heard: Mutex<CollectedDeltas>,
}

/// What an answer brought so far.
#[derive(Default)]
struct CollectedDeltas {
    text: bool,
    thoughts: bool,
}

impl DeltaCollector<'_> {
    /// Whether there were words, and thoughts.
    fn so_far(&self) -> (bool, bool) {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        (heard.text, heard.thoughts)
    }

    fn say(&self, thinks: bool, words: &str) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let anew = self.after && !heard.text && !heard.thoughts;
        let piece = LlmDelta { delta: words.to_owned(), anew };
        if thinks {
            heard.thoughts = true;
            self.log.say(CallProgress::LlmThinking(piece));
        } else {
            heard.text = true;
            self.log.say(CallProgress::LlmToken(piece));
        }
    }
}

impl DeltaSink for DeltaCollector<'_> {
    fn delta(&self, delta: Delta<'_>) {
        match delta {
            Delta::Text(text) => self.say(false, text),
            Delta::Thinking(text) => self.say(true, text),
        }
    }
}

impl<'a> Talk<'a> {
    /// Nothing was said yet.
    pub(crate) fn new(world: &'a World, log: &'a dyn CallLog) -> Self {
        Self {
            world,
            log,
            began_ms: world.clock.now_ms(),
            over: false,
            used_tools: false,
            usage: LlmUsage::default(),
            thinking_tokens: None,
            cost_micros: Some(0),
            answered: false,
            spoke: false,
            provider: None,
            model: String::new(),
            finish: Finish::Stop,
        }
    }

    /// Asks once.
    pub(crate) async fn ask(&mut self, request: &LlmRequest) -> Result<LlmAnswer, NodeFailure> {
        let ear = DeltaCollector { log: self.log, after: self.spoke, heard: Mutex::default() };
        let request = without_secrets(request.clone(), &self.world.secrets.scrubber());
        let asked = {
            let ask = pin!(self.world.llm.ask(request, &ear));
            match select(ask, self.log.cancelled()).await {
                Either::Left((asked, _)) => Some(asked),
                Either::Right(_) => None,
            }
        };
        let Some(asked) = asked else {
            // The connection is closed by now: the server writes no further. The driver ends the call.
            self.log.give_up();
            return std::future::pending().await;
        };
        let (text, thoughts) = ear.so_far();
        // Also what was said before it broke off.
        self.spoke |= text || thoughts;
        let answer = asked.map_err(fault::failure)?;
        // What did not come in pieces is told as one.
        for part in &answer.parts {
            match part {
                Part::Text(words) if !text && !words.is_empty() => {
                    ear.say(false, words);
                }
                Part::Thinking { text: words, .. } if !thoughts && !words.is_empty() => {
                    ear.say(true, words);
                }
                _ => {}
            }
        }
        let (text, thoughts) = ear.so_far();
        self.spoke |= text || thoughts;
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.usage.input_tokens, answer.usage.input_tokens);
        add(&mut self.usage.output_tokens, answer.usage.output_tokens);
        self.usage.total_tokens = self.usage.input_tokens.saturating_add(self.usage.output_tokens);
        self.usage.estimated |= answer.usage.estimated;
        if let Some(more) = answer.usage.thinking_tokens {
            add(self.thinking_tokens.get_or_insert(0), more);
        }
        self.cost_micros = self.cost_micros.zip(answer.usage.cost_micros).map(|(sum, more)| sum.saturating_add(more));
        self.answered = true;
        self.provider.clone_from(&answer.provider);
        self.model.clone_from(&answer.model);
        self.finish = answer.finish;
        if answer.finish == Finish::Refusal {
            let words = "The model, or a filter of its provider, refused to answer";
            return Err(NodeFailure::new(ErrorType::LLMError, "CONTENT_POLICY", words));
        }
        Ok(answer)
    }

    /// The model asked for tools.
    pub(crate) fn uses_tools(&mut self) {
        self.used_tools = true;
    }

    /// The model that answered last, and what all questions cost in tokens.
    pub(crate) fn so_far(&self) -> (&str, u64) {
        (&self.model, self.usage.total_tokens)
    }

    fn latency_ms(&self) -> i64 {
        time::took_ms(self.began_ms, self.world.clock.now_ms())
    }

    /// It ended well; what is bound as `_meta`.
    pub(crate) fn done(mut self) -> Value {
        self.over = true;
        let finish_reason = match self.finish {
            Finish::Stop => "stop",
            Finish::ToolUse => "tool_use",
            Finish::MaxTokens => "max_tokens",
            Finish::Refusal => "refusal",
        };
        let meta = json!({
            "model": self.model,
            "finish": finish_reason,
            "usage": self.usage,
            "thinkingTokens": self.thinking_tokens,
            "costMicros": self.cost_micros,
        });
        self.log.say(CallProgress::LlmDone(LlmDone {
            latency_ms: self.latency_ms(),
            finish_reason: finish_reason.into(),
            model: std::mem::take(&mut self.model),
            usage: self.usage,
            thinking_tokens: self.thinking_tokens,
            has_tool_use: self.used_tools,
            provider: self.provider.take(),
            cost_micros: self.cost_micros,
        }));
        meta
    }

    /// It ended badly, or waits for a person: then the model has said what it wants, and what that cost is told.
    pub(crate) fn failed(mut self, failure: NodeFailure) -> NodeFailure {
        if failure.held.is_some() {
            if self.answered {
                drop(self.done());
            } else {
                self.over = true;
            }
            return failure;
        }
        self.over = true;
        self.tell(failure.error_type, &failure.code, &failure.message, failure.retryable);
        failure
    }

    fn tell(&self, error_type: ErrorType, code: &str, error: &str, retryable: bool) {
        self.log.say(CallProgress::LlmError(LlmError {
            error: error.to_owned(),
            error_type,
            code: code.to_owned(),
            retryable,
            latency_ms: self.latency_ms(),
            // What was answered before is paid all the same.
            model: self.answered.then(|| self.model.clone()),
            usage: self.answered.then_some(self.usage),
            thinking_tokens: self.thinking_tokens,
            provider: self.provider.clone(),
            cost_micros: self.cost_micros.filter(|_| self.answered),
        }));
    }
}

impl Drop for Talk<'_> {
    fn drop(&mut self) {
        if !self.over && !std::thread::panicking() {
            self.tell(ErrorType::Timeout, "TIMEOUT", "The time of the step was over", true);
        }
    }
}

/// Secrets that came into data do not go to a model.
fn without_secrets(mut request: LlmRequest, scrubber: &Scrubber) -> LlmRequest {
    let clean = |text: &mut String| *text = scrubber.text(text).into_owned();
    request.system.iter_mut().for_each(clean);
    for tool in &mut request.tools {
        clean(&mut tool.description);
        scrubber.value(&mut tool.schema);
    }
    for part in request.messages.iter_mut().flat_map(|message| &mut message.parts) {
        match part {
            Part::Text(text) => clean(text),
            Part::ToolResult(result) => clean(&mut result.content),
            // What the model itself said goes back as it was.
            Part::Image { .. } | Part::Thinking { .. } | Part::ToolUse(_) => {}
        }
    }
    request
}

/// The words of an answer.
pub(crate) fn text(answer: &LlmAnswer) -> String {
    answer
        .parts
        .iter()
        .filter_map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None })
        .collect()
}

/// A message of words.
pub(crate) fn message(role: Role, text: impl Into<String>) -> Message {
    Message { role, parts: vec![Part::Text(text.into())] }
}
