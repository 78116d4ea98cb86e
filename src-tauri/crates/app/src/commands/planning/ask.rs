//! One question of a plan to the model.

use super::{PlanProgress, PlanRequest};
use crate::app::App;
use crate::dto::ModelKind;
use crate::error::ApiResult;
use signalbox_model::budget::Budget;
use signalbox_model::call_progress::{LlmDone, LlmUsage};
use signalbox_model::event::Telemetry;
use signalbox_model::{EventBody, time};
use signalbox_planner::{Draft, Event, Purpose, Question, Usage, draft_so_far, patch_so_far};
use signalbox_ports::llm::{
    AnswerForm, Delta, DeltaSink, LlmFault, LlmRequest, Message, Part, ProviderChoice, ProviderKind, Role,
};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Longest wait for an answer: a small model on a machine without a graphics card takes minutes. A person can cancel.
const LIMIT: Duration = Duration::from_secs(300);

/// Most of an answer that is looked at while it is written, bytes.
const WATCHED: usize = 64 * 1024;

/// Shows the draft, or the changes of a workflow, while they are written.
struct Watching<'a> {
    /// The text so far, and what of it was shown.
    seen: Mutex<(String, Option<Draft>)>,
    /// The workflow that is changed.
    base: Option<&'a Draft>,
    progress: &'a (dyn Fn(PlanProgress<'_>) + Send + Sync),
}

impl DeltaSink for Watching<'_> {
    fn delta(&self, delta: Delta<'_>) {
        let Delta::Text(piece) = delta else { return };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (text, shown) = &mut *seen;
        if text.len() + piece.len() > WATCHED {
            return;
        }
        text.push_str(piece);
        // A step or a change can only have become whole when something was closed.
        if !piece.contains('}') {
            return;
        }
        // A workflow that is changed may also be written anew.
        let changed = self.base.and_then(|base| patch_so_far(base, text));
        if let Some(draft) = changed.or_else(|| draft_so_far(text).filter(|_| !text.contains("\"patch\"")))
            && shown.as_ref() != Some(&draft)
        {
            (self.progress)(PlanProgress::Writing(&draft));
            *shown = Some(draft);
        }
    }
}

impl App {
    pub(super) async fn ask_planner(
        self: &Arc<Self>,
        request: &PlanRequest,
        question: &Question,
        base: Option<&Draft>,
        progress: &(dyn Fn(PlanProgress<'_>) + Send + Sync),
    ) -> ApiResult<Event> {
        let provider = match &request.provider {
            None => ProviderChoice::Named(String::new()),
            Some((kind, url)) => ProviderChoice::Inline {
                kind: match kind {
                    ModelKind::Anthropic => ProviderKind::Anthropic,
                    ModelKind::Openai => ProviderKind::Openai,
                    ModelKind::Ollama => ProviderKind::Ollama,
                },
                base_url: url.clone(),
            },
        };
        // A secret in a request or in an error of a service goes to no model.
        let text = self.world.secrets.scrubber().text(&question.text).into_owned();
        let asked = LlmRequest {
            provider,
            model: request.model.clone().unwrap_or_default(),
            system: Some(question.system.clone()),
            messages: vec![Message { role: Role::User, parts: vec![Part::Text(text)] }],
            tools: Vec::new(),
            form: Some(AnswerForm::JsonObject),
            temperature: None,
            max_tokens: question.max_tokens,
            thinking_budget: None,
            stream: request.watched && question.purpose == Purpose::Generate,
            // A person at this machine named the address.
            loopback_allowed: request.provider.is_some(),
            timeout: LIMIT,
            budget: Some(Budget::default()),
        };
        let began = self.now_ms();
        let number = question.number;
        let answer = match self.world.llm.ask(asked, &Watching { seen: Mutex::default(), base, progress }).await {
            Ok(answer) => answer,
            Err(failure) => {
                let code = match failure.fault {
                    LlmFault::NotConfigured => "NO_MODEL",
                    LlmFault::BudgetExceeded => "BUDGET_EXCEEDED",
                    LlmFault::Timeout => "TIMEOUT",
                    _ => "MODEL_FAILED",
                };
                let message = failure.message.trim_end_matches('.').to_owned();
                return Ok(Event::Unanswered { question: number, code: code.into(), message });
            }
        };
        let used = answer.usage;
        let done = LlmDone {
            latency_ms: self.now_ms() - began,
            finish_reason: "stop".into(),
            model: answer.model.clone(),
            usage: LlmUsage {
                input_tokens: used.input_tokens,
                output_tokens: used.output_tokens,
                total_tokens: used.input_tokens.saturating_add(used.output_tokens),
                estimated: used.estimated,
            },
            thinking_tokens: used.thinking_tokens,
            has_tool_use: false,
            provider: answer.provider.clone(),
            cost_micros: used.cost_micros,
        };
        let at = time::format(self.now_ms());
        let told = EventBody::Telemetry(Telemetry::LlmDone(done));
        self.blocking(move |app| Ok(app.store.usage_without_run(&at, &told)?)).await?;
        let text = answer.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Image { .. } | Part::Thinking { .. } | Part::ToolUse(_) | Part::ToolResult(_) => None,
        });
        let usage = Usage {
            questions: 1,
            input_tokens: used.input_tokens,
            output_tokens: used.output_tokens,
            cost_micros: used.cost_micros,
        };
        Ok(Event::Answered { question: number, text: text.collect(), usage })
    }
}
