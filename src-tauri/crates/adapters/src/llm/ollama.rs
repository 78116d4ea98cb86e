//! Ollama's `api/chat`.

use super::abilities::Abilities;
use super::parts::Parts;
use super::protocol::{AbilitiesRequest, Protocol, below, names};
use super::response_stream::{Reader, Written};
use serde_json::{Map, Value, json};
use signalbox_ports::llm::{
    AnswerForm, DeltaSink, Finish, LlmAnswer, LlmRequest, Message, Part, ProviderKind, Role, Usage,
};
use url::Url;

/// Ollama's own interface.
pub(super) struct Ollama;

impl Protocol for Ollama {
    fn kind(&self) -> ProviderKind {
        ProviderKind::Ollama
    }

    fn name(&self) -> &'static str {
        "Ollama"
    }

    fn recognizes(&self, event: &Value) -> bool {
        event["done"].is_boolean()
    }

    fn url(&self, base: &Url) -> Url {
        below(base, "/api", "/chat")
    }

    fn embeddings_url(&self, base: &Url) -> Option<Url> {
        Some(below(base, "/api", "/embed"))
    }

    fn models_url(&self, base: &Url) -> Url {
        below(base, "/api", "/tags")
    }

    fn model_names(&self, body: &Value) -> Option<Vec<String>> {
        names(body, "models", "name")
    }

    fn body(&self, request: &LlmRequest, _base: &Url) -> Value {
        body(request)
    }

    /// A model that cannot think still answers.
    fn relax(&self, body: &mut Value, _request: &LlmRequest, said: &str) -> bool {
        said.contains("does not support thinking")
            && body.as_object_mut().is_some_and(|fields| fields.remove("think").is_some())
    }

    fn stream_format(&self) -> Written {
        Written::Lines
    }

    fn reader(&self, request: &LlmRequest, _body: &Value) -> Box<dyn Reader> {
        Box::new(Reading::after(request))
    }

    fn abilities_request(&self, base: &Url, model: &str) -> Option<AbilitiesRequest> {
        let body = Some(json!({ "model": model }));
        Some(AbilitiesRequest { method: "POST", url: below(base, "/api", "/show"), body })
    }

    fn abilities(&self, answer: &Value) -> Abilities {
        let can = |what: &str| answer["capabilities"].as_array().map(|all| all.iter().any(|one| one == what));
        Abilities { tools: can("tools"), pictures: can("vision") }
    }
}

fn body(request: &LlmRequest) -> Value {
    let mut messages: Vec<Value> = Vec::new();
    if let Some(system) = request.system.as_ref().filter(|text| !text.is_empty()) {
        messages.push(json!({ "role": "system", "content": system }));
    }
    for message in &request.messages {
        told(message, request, &mut messages);
    }
    let mut options = Map::new();
    options.insert("num_predict".into(), json!(request.max_tokens));
    if let Some(temperature) = request.temperature {
        options.insert("temperature".into(), json!(temperature));
    }
    let mut body =
        json!({ "model": request.model, "messages": messages, "stream": request.stream, "options": options });
    if request.thinking_budget.is_some() {
        body["think"] = json!(true);
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter();
        body["tools"] = tools
            .map(|tool| {
                json!({ "type": "function", "function": {
                    "name": tool.name, "description": tool.description, "parameters": tool.schema,
                } })
            })
            .collect();
    }
    match &request.form {
        Some(AnswerForm::JsonObject) => body["format"] = json!("json"),
        Some(AnswerForm::JsonSchema(schema)) => body["format"] = schema.clone(),
        None => {}
    }
    body
}

/// The name of the tool that a result is of.
fn tool_name<'a>(request: &'a LlmRequest, id: &str) -> Option<&'a str> {
    request.messages.iter().flat_map(|message| &message.parts).find_map(|part| match part {
        Part::ToolUse(tool) if tool.id == id => Some(tool.name.as_str()),
        _ => None,
    })
}

fn told(message: &Message, request: &LlmRequest, all: &mut Vec<Value>) {
    let mut words = String::new();
    let mut images: Vec<&str> = Vec::new();
    let mut calls: Vec<Value> = Vec::new();
    let mut thoughts = String::new();
    for part in &message.parts {
        match part {
            Part::Text(text) => words.push_str(text),
            Part::Image { base64, .. } => images.push(base64),
            Part::Thinking { text, .. } => thoughts.push_str(text),
            Part::ToolUse(tool) => {
                let arguments =
                    if tool.input.is_object() { tool.input.clone() } else { json!({ "input": tool.input }) };
                calls.push(json!({ "function": { "name": tool.name, "arguments": arguments } }));
            }
            Part::ToolResult(result) => {
                let failed = if result.is_error { "Error: " } else { "" };
                let mut told = json!({ "role": "tool", "content": format!("{failed}{}", result.content) });
                if let Some(name) = tool_name(request, &result.tool_use_id) {
                    told["tool_name"] = json!(name);
                }
                all.push(told);
            }
        }
    }
    if words.is_empty() && images.is_empty() && calls.is_empty() {
        return;
    }
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    let mut told = json!({ "role": role, "content": words });
    if !images.is_empty() {
        told["images"] = json!(images);
    }
    if !calls.is_empty() {
        told["tool_calls"] = Value::Array(calls);
    }
    if !thoughts.is_empty() && message.role == Role::Assistant {
        told["thinking"] = json!(thoughts);
    }
    all.push(told);
}

/// An answer that is read.
struct Reading {
    parts: Parts,
    model: String,
    finish: Option<Finish>,
    usage: Usage,
    /// Tools that were asked for before: the interface names none of its requests.
    before: usize,
}

impl Reading {
    /// Of the answer to a question.
    fn after(request: &LlmRequest) -> Self {
        let asked = |part: &&Part| matches!(part, Part::ToolUse(_));
        let before = request.messages.iter().flat_map(|message| &message.parts).filter(asked).count();
        Self { parts: Parts::default(), model: String::new(), finish: None, usage: Usage::default(), before }
    }
}

impl Reader for Reading {
    fn event(&mut self, event: &Value, hearer: &dyn DeltaSink) -> bool {
        let message = &event["message"];
        if let Some(model) = event["model"].as_str() {
            self.model = model.to_owned();
        }
        self.parts.thinking(message["thinking"].as_str().unwrap_or_default(), hearer);
        self.parts.text(message["content"].as_str().unwrap_or_default(), hearer);
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let number = self.parts.tools();
            let id = call["id"].as_str().filter(|id| !id.is_empty());
            let id = id.map_or_else(|| format!("call_{}", self.before + number), str::to_owned);
            let function = &call["function"];
            let key = number as u64;
            self.parts.tool(key, &id, function["name"].as_str().unwrap_or_default());
            match &function["arguments"] {
                Value::String(text) => self.parts.arguments(key, text),
                Value::Null => {}
                whole => self.parts.arguments(key, &whole.to_string()),
            }
        }
        if event["done"] != true {
            return false;
        }
        let count = |name: &str| event[name].as_u64().unwrap_or_default();
        self.usage = Usage {
            input_tokens: count("prompt_eval_count"),
            output_tokens: count("eval_count"),
            thinking_tokens: None,
            cost_micros: None,
            estimated: false,
        };
        self.finish = Some(match event["done_reason"].as_str() {
            Some("length") => Finish::MaxTokens,
            _ if self.parts.tools() > 0 => Finish::ToolUse,
            _ => Finish::Stop,
        });
        true
    }

    fn whole(&mut self, body: &Value, hearer: &dyn DeltaSink) {
        self.event(body, hearer);
    }

    fn end(self: Box<Self>) -> Option<LlmAnswer> {
        let finish = self.finish?;
        Some(LlmAnswer {
            parts: self.parts.whole(),
            model: self.model,
            provider: None,
            id: None,
            finish,
            usage: self.usage,
        })
    }
}
