//! Chat completions, as OpenAI and many servers speak them.

use super::abilities::Abilities;
use super::parts::Parts;
use super::protocol::{AbilitiesRequest, Protocol, below, names};
use super::response_stream::Reader;
use serde_json::{Value, json};
use signalbox_ports::llm::{
    AnswerForm, DeltaSink, Finish, LlmAnswer, LlmRequest, Message, Part, ProviderKind, Role, Usage,
};
use url::Url;

/// An address that has a path says with it where the version is; many are not `v1`.
fn path(base: &Url, path: &str) -> Url {
    if base.path().trim_end_matches('/').is_empty() { below(base, "/v1", path) } else { below(base, "", path) }
}

/// Only servers without encryption, those of this machine and its network, are asked the way llama.cpp is: the others are
/// public services, which do not answer it.
fn props_url(base: &Url) -> Option<Url> {
    let own = base.path().trim_end_matches('/');
    let mut url = base.clone();
    url.set_path(&format!("{}/props", own.strip_suffix("/v1").unwrap_or(own)));
    url.set_query(None);
    url.set_fragment(None);
    (base.scheme() == "http").then_some(url)
}

/// Chat completions.
pub(super) struct Openai;

impl Protocol for Openai {
    fn kind(&self) -> ProviderKind {
        ProviderKind::Openai
    }

    fn name(&self) -> &'static str {
        "OpenAI"
    }

    fn recognizes(&self, event: &Value) -> bool {
        let object = event["object"].as_str().unwrap_or_default();
        event["choices"].is_array() || object.starts_with("chat.completion")
    }

    fn url(&self, base: &Url) -> Url {
        path(base, "/chat/completions")
    }

    fn embeddings_url(&self, base: &Url) -> Option<Url> {
        Some(path(base, "/embeddings"))
    }

    fn models_url(&self, base: &Url) -> Url {
        path(base, "/models")
    }

    fn model_names(&self, body: &Value) -> Option<Vec<String>> {
        names(body, "data", "id")
    }

    fn body(&self, request: &LlmRequest, base: &Url) -> Value {
        body(request, base)
    }

    fn relax(&self, body: &mut Value, _request: &LlmRequest, said: &str) -> bool {
        relax(body, said)
    }

    fn without_stream(&self, body: &mut Value) {
        body["stream"] = json!(false);
        if let Some(fields) = body.as_object_mut() {
            fields.remove("stream_options");
        }
    }

    fn without_form(&self, body: &mut Value) {
        if let Some(fields) = body.as_object_mut() {
            fields.remove("response_format");
        }
    }

    fn lacks_form(&self, request: &LlmRequest, body: &Value, answer: &LlmAnswer) -> bool {
        let is_refused = request.form.is_some() && body.get("response_format").is_none();
        is_refused || is_prose(request, answer)
    }

    fn reader(&self, _request: &LlmRequest, _body: &Value) -> Box<dyn Reader> {
        Box::new(Reading::default())
    }

    fn abilities_request(&self, base: &Url, _model: &str) -> Option<AbilitiesRequest> {
        Some(AbilitiesRequest { method: "GET", url: props_url(base)?, body: None })
    }

    /// By llama.cpp's `/props`.
    fn abilities(&self, answer: &Value) -> Abilities {
        Abilities {
            tools: answer["chat_template_caps"]["supports_tools"].as_bool(),
            pictures: answer["modalities"]["vision"].as_bool(),
        }
    }
}

fn body(request: &LlmRequest, base: &Url) -> Value {
    let mut messages: Vec<Value> = Vec::new();
    if let Some(system) = request.system.as_ref().filter(|text| !text.is_empty()) {
        messages.push(json!({ "role": "system", "content": system }));
    }
    for message in &request.messages {
        told(message, &mut messages);
    }
    let mut body = json!({ "model": request.model, "messages": messages });
    // OpenAI's own models know one name of the limit, most other servers the other.
    let host = base.host_str().unwrap_or_default();
    let own = host == "api.openai.com" || host.ends_with(".openai.azure.com");
    body[if own { "max_completion_tokens" } else { "max_tokens" }] = json!(request.max_tokens);
    if request.stream {
        body["stream"] = json!(true);
        body["stream_options"] = json!({ "include_usage": true });
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    if let Some(budget) = request.thinking_budget {
        body["reasoning_effort"] = json!(match budget {
            0..4_096 => "low",
            4_096..16_384 => "medium",
            _ => "high",
        });
    }
    if !request.tools.is_empty() {
        let tool = |tool: &signalbox_ports::llm::ToolOffer| {
            json!({ "type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.schema,
            } })
        };
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    match &request.form {
        Some(AnswerForm::JsonObject) => body["response_format"] = json!({ "type": "json_object" }),
        Some(AnswerForm::JsonSchema(schema)) => {
            let mut form = json!({ "name": "answer", "schema": schema });
            // Strictness is refused for schemas that leave something open.
            if closed(schema) {
                form["strict"] = json!(true);
            }
            body["response_format"] = json!({ "type": "json_schema", "json_schema": form });
        }
        None => {}
    }
    body
}

/// Whether every object of a schema names all its fields and requires them.
fn closed(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let object = match fields.get("properties").and_then(Value::as_object) {
                Some(properties) => {
                    let required = fields.get("required").and_then(Value::as_array);
                    let named = |name: &String| required.is_some_and(|all| all.iter().any(|one| one == name.as_str()));
                    fields.get("additionalProperties") == Some(&Value::Bool(false)) && properties.keys().all(named)
                }
                None => fields.get("type") != Some(&json!("object")),
            };
            object && fields.values().all(closed)
        }
        Value::Array(list) => list.iter().all(closed),
        _ => true,
    }
}

fn relax(body: &mut Value, said: &str) -> bool {
    let Some(fields) = body.as_object_mut() else { return false };
    // One name of the limit is known there, the other is not, and the refusal names it either way.
    if said.contains("max_completion_tokens") {
        for (had, wanted) in [("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")] {
            if let Some(most) = fields.remove(had) {
                fields.insert(wanted.into(), most);
                return true;
            }
        }
    }
    for field in ["stream_options", "reasoning_effort"] {
        if said.contains(field) && fields.remove(field).is_some() {
            return true;
        }
    }
    let about_form = ["response_format", "json_schema", "json_object"].iter().any(|name| said.contains(name));
    about_form && fields.remove("response_format").is_some()
}

/// Whether prose came although JSON was asked for.
fn is_prose(request: &LlmRequest, answer: &LlmAnswer) -> bool {
    let text: String = answer
        .parts
        .iter()
        .filter_map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None })
        .collect();
    request.form.is_some() && answer.finish == Finish::Stop && !text.trim().is_empty() && !text.contains(['{', '['])
}

/// A message as one or more of the interface.
fn told(message: &Message, all: &mut Vec<Value>) {
    let mut content: Vec<Value> = Vec::new();
    let mut calls: Vec<Value> = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text(text) if text.is_empty() => {}
            Part::Text(text) => content.push(json!({ "type": "text", "text": text })),
            Part::Image { mime, base64, .. } => {
                content.push(
                    json!({ "type": "image_url", "image_url": { "url": format!("data:{mime};base64,{base64}") } }),
                );
            }
            // The interface has no place for thoughts of earlier answers.
            Part::Thinking { .. } => {}
            Part::ToolUse(tool) => {
                let arguments = match &tool.input {
                    Value::String(text) => text.clone(),
                    input => input.to_string(),
                };
                calls.push(json!({
                    "id": tool.id, "type": "function", "function": { "name": tool.name, "arguments": arguments },
                }));
            }
            Part::ToolResult(result) => {
                let failed = if result.is_error { "Error: " } else { "" };
                let text = format!("{failed}{}", result.content);
                all.push(json!({ "role": "tool", "tool_call_id": result.tool_use_id, "content": text }));
            }
        }
    }
    // Words alone go as a text: many servers read nothing else.
    let words: Option<String> = content.iter().map(|part| part["text"].as_str()).collect();
    let content = words.map_or_else(|| Value::Array(content.clone()), Value::String);
    let empty = content == "" || content == json!([]);
    match message.role {
        Role::User if empty => {}
        Role::User => all.push(json!({ "role": "user", "content": content })),
        Role::Assistant if empty && calls.is_empty() => {}
        Role::Assistant => {
            // An empty text is taken everywhere; some servers refuse `null`, others a missing field.
            let mut told = json!({ "role": "assistant", "content": if empty { json!("") } else { content } });
            if !calls.is_empty() {
                told["tool_calls"] = Value::Array(calls);
            }
            all.push(told);
        }
    }
}

/// An answer that is read.
#[derive(Default)]
struct Reading {
    parts: Parts,
    model: String,
    id: Option<String>,
    finish: Option<Finish>,
    refused: bool,
    usage: Usage,
}

impl Reading {
    fn choice(&mut self, choice: &Value, said: &Value, hearer: &dyn DeltaSink) {
        let text = |name: &str| said[name].as_str().unwrap_or_default();
        // Servers do not agree on its name; some send both.
        let thought = if text("reasoning_content").is_empty() { text("reasoning") } else { text("reasoning_content") };
        self.parts.thinking(thought, hearer);
        match &said["content"] {
            Value::String(piece) => self.parts.text(piece, hearer),
            Value::Array(pieces) => {
                for piece in pieces {
                    self.parts.text(piece["text"].as_str().unwrap_or_default(), hearer);
                }
            }
            _ => {}
        }
        if !text("refusal").is_empty() {
            self.refused = true;
            self.parts.text(text("refusal"), hearer);
        }
        for (place, call) in (0..).zip(said["tool_calls"].as_array().into_iter().flatten()) {
            self.call(call, place);
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.finish = Some(match reason {
                "length" => Finish::MaxTokens,
                "tool_calls" | "function_call" => Finish::ToolUse,
                "content_filter" => Finish::Refusal,
                _ => Finish::Stop,
            });
        }
    }

    fn call(&mut self, call: &Value, place: u64) {
        let key = call["index"].as_u64().unwrap_or(place);
        let function = &call["function"];
        if !self.parts.has_tool(key) {
            let id = call["id"].as_str().filter(|id| !id.is_empty());
            let id = id.map_or_else(|| format!("call_{key}"), str::to_owned);
            self.parts.tool(key, &id, function["name"].as_str().unwrap_or_default());
        }
        match &function["arguments"] {
            Value::String(piece) => self.parts.arguments(key, piece),
            Value::Null => {}
            whole => self.parts.arguments(key, &whole.to_string()),
        }
    }

    fn around(&mut self, event: &Value) {
        if let Some(model) = event["model"].as_str().filter(|model| !model.is_empty()) {
            self.model = model.to_owned();
        }
        if let Some(id) = event["id"].as_str().filter(|id| !id.is_empty()) {
            self.id = Some(id.to_owned());
        }
        let usage = &event["usage"];
        if usage.is_object() {
            let count = |name: &str| usage[name].as_u64().unwrap_or_default();
            self.usage = Usage {
                input_tokens: count("prompt_tokens"),
                output_tokens: count("completion_tokens"),
                thinking_tokens: usage["completion_tokens_details"]["reasoning_tokens"].as_u64(),
                cost_micros: None,
                estimated: false,
            };
        }
    }
}

impl Reader for Reading {
    fn event(&mut self, event: &Value, hearer: &dyn DeltaSink) -> bool {
        self.around(event);
        let choice = &event["choices"][0];
        self.choice(choice, &choice["delta"], hearer);
        // What it used follows the end.
        false
    }

    fn whole(&mut self, body: &Value, hearer: &dyn DeltaSink) {
        self.around(body);
        let choice = &body["choices"][0];
        self.choice(choice, &choice["message"], hearer);
    }

    fn end(self: Box<Self>) -> Option<LlmAnswer> {
        let finish = match self.finish? {
            _ if self.refused => Finish::Refusal,
            // Some servers say `stop` all the same.
            Finish::Stop if self.parts.tools() > 0 => Finish::ToolUse,
            finish => finish,
        };
        Some(LlmAnswer {
            parts: self.parts.whole(),
            model: self.model,
            provider: None,
            id: self.id,
            finish,
            usage: self.usage,
        })
    }
}

#[cfg(test)]
mod tests;
