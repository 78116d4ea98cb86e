//! Anthropic Messages.

use super::parts::Parts;
use super::protocol::{Protocol, below, names};
use super::response_stream::Reader;
use serde_json::{Map, Value, json};
use signalbox_ports::llm::{
    AnswerForm, DeltaSink, Finish, LlmAnswer, LlmRequest, Message, Part, ProviderKind, Role, Usage,
};
use url::Url;

/// Version of the interface.
const VERSION: &str = "2023-06-01";
/// The tool that older models are made to call when their answer must have a form.
const FORM: &str = "answer";
/// The least that a model may be given to think.
const LEAST_THINKING: u32 = 1_024;
/// Marks the data of thoughts that the provider hides, which go back as another kind of block.
const REDACTED: &str = "redacted:";

/// Types of the pieces of a stream.
const EVENTS: [&str; 8] = [
    "content_block_delta",
    "content_block_start",
    "content_block_stop",
    "message",
    "message_delta",
    "message_start",
    "message_stop",
    "ping",
];

/// Anthropic Messages.
pub(super) struct Anthropic;

impl Protocol for Anthropic {
    fn kind(&self) -> ProviderKind {
        ProviderKind::Anthropic
    }

    fn name(&self) -> &'static str {
        "Anthropic"
    }

    fn recognizes(&self, event: &Value) -> bool {
        event["type"].as_str().is_some_and(|kind| EVENTS.contains(&kind))
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", VERSION)]
    }

    fn url(&self, base: &Url) -> Url {
        below(base, "/v1", "/messages")
    }

    fn models_url(&self, base: &Url) -> Url {
        let mut url = below(base, "/v1", "/models");
        url.set_query(Some("limit=1000"));
        url
    }

    fn model_names(&self, body: &Value) -> Option<Vec<String>> {
        names(body, "data", "id")
    }

    fn body(&self, request: &LlmRequest, _base: &Url) -> Value {
        body(request)
    }

    fn relax(&self, body: &mut Value, request: &LlmRequest, said: &str) -> bool {
        relax(body, request, said)
    }

    fn reader(&self, _request: &LlmRequest, body: &Value) -> Box<dyn Reader> {
        Box::new(Reading::new(body))
    }
}

fn body(request: &LlmRequest) -> Value {
    let mut body = json!({
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": request.messages.iter().filter_map(message).collect::<Vec<_>>(),
        "stream": request.stream,
    });
    if let Some(system) = request.system.as_ref().filter(|text| !text.is_empty()) {
        body["system"] = json!(system);
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter();
        body["tools"] = tools
            .map(|tool| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema }))
            .collect();
    }
    if let Some(budget) = request.thinking_budget {
        let budget = budget.max(LEAST_THINKING);
        // The thoughts are a part of the answer, and something must be left for its words.
        if request.max_tokens <= budget {
            body["max_tokens"] = json!(budget.saturating_add(request.max_tokens));
        }
        body["thinking"] = json!({ "type": "enabled", "budget_tokens": budget });
    } else if let Some(temperature) = request.temperature {
        // With thinking, only the provider's own is taken.
        body["temperature"] = json!(temperature);
    }
    match &request.form {
        Some(AnswerForm::JsonSchema(schema)) => {
            body["output_config"] = json!({ "format": { "type": "json_schema", "schema": schema } });
        }
        Some(AnswerForm::JsonObject) => forced(&mut body, request),
        None => {}
    }
    body
}

/// Makes the model call one tool whose arguments are the answer: only where it may choose no other and does not think.
fn forced(body: &mut Value, request: &LlmRequest) {
    let schema = match &request.form {
        Some(AnswerForm::JsonSchema(schema)) if schema["type"] == "object" => schema.clone(),
        Some(AnswerForm::JsonObject) => json!({ "type": "object" }),
        _ => return,
    };
    if request.tools.is_empty() && request.thinking_budget.is_none() {
        body["tools"] = json!([{ "name": FORM, "description": "Give the answer.", "input_schema": schema }]);
        body["tool_choice"] = json!({ "type": "tool", "name": FORM });
    }
}

fn relax(body: &mut Value, request: &LlmRequest, said: &str) -> bool {
    let Some(fields) = body.as_object_mut() else { return false };
    // Models that decide themselves how long they think.
    if said.contains("adaptive") && fields.get("thinking").is_some_and(|thinking| thinking["type"] == "enabled") {
        fields.insert("thinking".into(), json!({ "type": "adaptive" }));
        return true;
    }
    // Models and imitators without forms, and schemas that the form does not take.
    let form = said.contains("output_config") || said.contains("output format") || said.contains("structured output");
    if form && fields.remove("output_config").is_some() {
        forced(body, request);
        return true;
    }
    false
}

fn message(message: &Message) -> Option<Value> {
    let blocks: Vec<Value> = message.parts.iter().filter_map(block).collect();
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    (!blocks.is_empty()).then(|| json!({ "role": role, "content": blocks }))
}

fn block(part: &Part) -> Option<Value> {
    Some(match part {
        // Empty blocks are refused.
        Part::Text(text) if text.is_empty() => return None,
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image { mime, base64, .. } => {
            json!({ "type": "image", "source": { "type": "base64", "media_type": mime, "data": base64 } })
        }
        Part::Thinking { text, signature: Some(signature) } => match signature.strip_prefix(REDACTED) {
            Some(data) => json!({ "type": "redacted_thinking", "data": data }),
            None => json!({ "type": "thinking", "thinking": text, "signature": signature }),
        },
        // Thoughts without proof are another provider's.
        Part::Thinking { signature: None, .. } => return None,
        Part::ToolUse(tool) => {
            let input = if tool.input.is_object() { tool.input.clone() } else { json!({ "input": tool.input }) };
            json!({ "type": "tool_use", "id": tool.id, "name": tool.name, "input": input })
        }
        Part::ToolResult(result) => json!({
            "type": "tool_result", "tool_use_id": result.tool_use_id, "content": result.content,
            "is_error": result.is_error,
        }),
    })
}

/// An answer that is read.
struct Reading {
    /// A call of [`FORM`] is the answer.
    form: bool,
    parts: Parts,
    model: String,
    id: Option<String>,
    finish: Option<Finish>,
    usage: Map<String, Value>,
    /// The block that grows is that call.
    in_form: bool,
}

impl Reading {
    /// Of the question that was sent.
    fn new(body: &Value) -> Self {
        Self {
            form: body["tool_choice"]["name"] == FORM,
            parts: Parts::default(),
            model: String::new(),
            id: None,
            finish: None,
            usage: Map::new(),
            in_form: false,
        }
    }

    fn head(&mut self, message: &Value) {
        self.model = message["model"].as_str().unwrap_or_default().to_owned();
        self.id = message["id"].as_str().map(str::to_owned);
        self.used(&message["usage"]);
    }

    /// The last number that is told of each kind holds.
    fn used(&mut self, usage: &Value) {
        let told = usage.as_object().into_iter().flatten().filter(|(_, count)| !count.is_null());
        self.usage.extend(told.map(|(name, count)| (name.clone(), count.clone())));
    }

    fn stopped(&mut self, reason: &Value) {
        let Some(reason) = reason.as_str() else { return };
        self.finish = Some(match reason {
            "tool_use" if self.form => Finish::Stop,
            "tool_use" => Finish::ToolUse,
            "max_tokens" | "model_context_window_exceeded" => Finish::MaxTokens,
            "refusal" => Finish::Refusal,
            _ => Finish::Stop,
        });
    }

    fn begin(&mut self, index: u64, block: &Value, hearer: &dyn DeltaSink) {
        let text = |name: &str| block[name].as_str().unwrap_or_default();
        self.in_form = false;
        match text("type") {
            "text" => self.parts.text(text("text"), hearer),
            "thinking" => {
                self.parts.thinking(text("thinking"), hearer);
                if !text("signature").is_empty() {
                    self.parts.signature(text("signature"));
                }
            }
            "redacted_thinking" => self.parts.hidden(&format!("{REDACTED}{}", text("data"))),
            "tool_use" => {
                self.in_form = self.form && text("name") == FORM;
                let given = block["input"].as_object().filter(|input| !input.is_empty());
                let given = given.map(|input| Value::Object(input.clone()).to_string()).unwrap_or_default();
                if !self.in_form {
                    self.parts.tool(index, text("id"), text("name"));
                }
                self.input(index, &given, hearer);
            }
            // Blocks of tools that the provider runs itself; none was offered.
            _ => {}
        }
    }

    fn input(&mut self, index: u64, piece: &str, hearer: &dyn DeltaSink) {
        if self.in_form {
            self.parts.text(piece, hearer);
        } else {
            self.parts.arguments(index, piece);
        }
    }
}

impl Reader for Reading {
    fn event(&mut self, event: &Value, hearer: &dyn DeltaSink) -> bool {
        let index = event["index"].as_u64().unwrap_or_default();
        let delta = &event["delta"];
        let text = |name: &str| delta[name].as_str().unwrap_or_default();
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => self.head(&event["message"]),
            "content_block_start" => self.begin(index, &event["content_block"], hearer),
            "content_block_delta" => match text("type") {
                "text_delta" => self.parts.text(text("text"), hearer),
                "thinking_delta" => self.parts.thinking(text("thinking"), hearer),
                "signature_delta" => self.parts.signature(text("signature")),
                "input_json_delta" => self.input(index, text("partial_json"), hearer),
                _ => {}
            },
            "message_delta" => {
                self.stopped(&delta["stop_reason"]);
                self.used(&event["usage"]);
            }
            "message_stop" => return true,
            _ => {}
        }
        false
    }

    fn whole(&mut self, body: &Value, hearer: &dyn DeltaSink) {
        self.head(body);
        for (index, block) in (0..).zip(body["content"].as_array().into_iter().flatten()) {
            self.begin(index, block, hearer);
        }
        self.stopped(&body["stop_reason"]);
    }

    fn end(self: Box<Self>) -> Option<LlmAnswer> {
        let count = |name: &str| self.usage.get(name).and_then(Value::as_u64).unwrap_or_default();
        let usage = Usage {
            // Whatever a provider sends as a number.
            input_tokens: count("input_tokens")
                .saturating_add(count("cache_creation_input_tokens"))
                .saturating_add(count("cache_read_input_tokens")),
            output_tokens: count("output_tokens"),
            thinking_tokens: self.usage.get("output_tokens_details").and_then(|d| d["thinking_tokens"].as_u64()),
            cost_micros: None,
            estimated: false,
        };
        let finish = self.finish?;
        Some(LlmAnswer { parts: self.parts.whole(), model: self.model, provider: None, id: self.id, finish, usage })
    }
}
