//! Agents, chains and chat models with what is plugged into them.

use super::maker::{Made, Maker, at};
use crate::report::Level;
use serde_json::{Value, json};
use signalbox_model::Map;

impl Maker<'_, '_> {
    /// Nodes that serve this one.
    fn plugged(&self, how: &str) -> Vec<usize> {
        self.file.parts.iter().filter(|(_, kind, to)| kind == how && *to == self.at).map(|(from, ..)| *from).collect()
    }

    pub(super) fn model_step(&mut self) -> Result<Made, String> {
        let kind = self.node().kind.clone();
        let mut config = Map::new();
        let mut system = String::new();
        let mut prompt = String::new();
        let direct = matches!(kind.as_str(), "openAi" | "openAiAssistant" | "anthropic" | "googleGemini" | "ollama");
        if direct {
            let resource = self.text("resource");
            let operation = self.text("operation");
            let chats = matches!(resource, "" | "text" | "chat")
                && matches!(operation, "" | "message" | "complete" | "response");
            if !chats || kind == "openAiAssistant" {
                return Err(format!("it does '{resource} {operation}' of a vendor; only chats have a step here"));
            }
            let rows =
                [self.rows("messages.values"), self.rows("prompt.messages"), self.rows("responses.values")].concat();
            for row in rows {
                let text = row.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
                let written = self.written("messages", &text);
                let into =
                    if row.get("role").and_then(Value::as_str) == Some("system") { &mut system } else { &mut prompt };
                join(into, &written);
            }
            if let Some(text) = self.p("prompt").and_then(Value::as_str).map(str::to_owned) {
                let written = self.written("prompt", &text);
                join(&mut prompt, &written);
            }
            let model =
                self.p("modelId").or_else(|| self.p("model")).and_then(Value::as_str).unwrap_or_default().to_owned();
            self.model(&mut config, &kind, &model, None);
        } else {
            let text = self.text("text").to_owned();
            prompt = if self.text("promptType") == "auto" || text.is_empty() {
                "{{ item.chatInput }}".to_owned()
            } else {
                self.written("text", &text)
            };
            if kind == "chainSummarization" {
                prompt = "Summarise this:\n\n{{ json(item) }}".to_owned();
            }
            let message = self.text("options.systemMessage").to_owned();
            if !message.is_empty() {
                system = self.written("options.systemMessage", &message);
            }
            for row in self.rows("messages.messageValues") {
                let text = row.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
                let written = self.written("messages", &text);
                let user = row.get("type").and_then(Value::as_str).is_some_and(|kind| kind.starts_with("Human"));
                join(if user { &mut prompt } else { &mut system }, &written);
            }
            for sub in self.plugged("ai_languageModel").into_iter().take(1) {
                let node = &self.file.nodes[sub];
                let model = at(node.params, "model")
                    .or_else(|| at(node.params, "modelName"))
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned();
                let kind = node.kind.clone();
                self.model(&mut config, &kind, &model, Some(node.params));
            }
        }
        let parser = self.plugged("ai_outputParser").into_iter().find_map(|sub| schema(self.file.nodes[sub].params));
        let tools = self.plugged("ai_tool");
        for sub in &tools {
            let node = &self.file.nodes[*sub];
            let message = format!(
                "\"{}\" uses the tool \"{}\" ({}), which is no tool of this machine.",
                self.node().name,
                node.name,
                node.kind
            );
            let hint = "Add a tool server that does it, or make a workflow that is a tool, and choose it in the step.";
            self.tell(Level::Missing, "TOOL", "", message, hint);
        }
        for sub in self.plugged("ai_memory") {
            let message = format!("The memory \"{}\" is not kept between runs here.", self.file.nodes[sub].name);
            self.warn("MEMORY", "", message, "Give the earlier messages to the step, if it needs them.");
        }
        if prompt.trim().is_empty() {
            prompt = "{{ json(item) }}".to_owned();
        }
        let agent = kind == "agent" && parser.is_none();
        let shape = match kind.as_str() {
            "agent" => "{'output': item}",
            "chainLlm" if parser.is_some() => "{'output': item}",
            "chainLlm" => "{'text': item}",
            "chainSummarization" => "{'response': {'text': item}}",
            _ if self.node().version >= 2.0 => {
                "{'output': [{'type': 'message', 'content': [{'type': 'output_text', 'text': item}]}]}"
            }
            _ => "{'message': {'role': 'assistant', 'content': item}}",
        };
        let step = if agent {
            // An agent has no separate instructions.
            if !system.is_empty() {
                prompt = joined(&system, &prompt);
            }
            if let Some(turns) = self.p("options.maxIterations").and_then(Value::as_u64) {
                config.insert("maxTurns".into(), json!(turns.clamp(1, 100)));
            }
            "agent.task"
        } else {
            if !system.is_empty() {
                config.insert("system".into(), json!(system));
            }
            if let Some(schema) = parser {
                config.insert("output".into(), json!({ "type": "json_schema", "schema": schema }));
            }
            "llm.chat"
        };
        config.insert("prompt".into(), json!(prompt));
        let name = self.node().name.clone();
        let shaped = Map::from_iter([("expression".into(), json!(shape))]);
        Ok(Made::default()
            .then("_model", step, config)
            .titled(&name)
            .then("", "data.transform", shaped)
            .titled("Answer"))
    }

    fn model(&mut self, config: &mut Map, kind: &str, model: &str, params: Option<&Map>) {
        let vendor = kind.trim_start_matches("lmChat").trim_start_matches("lm");
        let model = model.trim_start_matches("models/");
        if !model.is_empty() && !model.starts_with('=') {
            config.insert("model".into(), json!(model));
        }
        let message = format!(
            "\"{}\" asks {vendor} ({}).",
            self.node().name,
            if model.is_empty() { "its default model" } else { model }
        );
        let hint = "Choose a provider of this machine that has this model, or another model.";
        self.tell(Level::Missing, "MODEL", "", message, hint);
        let option = |name: &str| {
            params
                .and_then(|params| at(params, &format!("options.{name}")))
                .or_else(|| self.p(&format!("options.{name}")))
        };
        if let Some(value) = option("temperature").and_then(Value::as_f64).filter(|value| (0.0..=2.0).contains(value)) {
            config.insert("temperature".into(), json!(value));
        }
        if let Some(value) = option("maxTokens")
            .or_else(|| option("maxTokensToSample"))
            .and_then(Value::as_u64)
            .filter(|value| *value > 0)
        {
            config.insert("maxTokens".into(), json!(value.min(1_000_000)));
        }
    }
}

/// Texts one below the other; whole expressions become holes.
fn join(into: &mut String, written: &str) {
    *into = if into.is_empty() { written.to_owned() } else { joined(into, written) };
}

fn joined(first: &str, second: &str) -> String {
    let part = |text: &str| match text.strip_prefix('=') {
        Some(rest) if rest.starts_with('=') => rest.to_owned(),
        Some(cel) => format!("{{{{ {cel} }}}}"),
        None => text.to_owned(),
    };
    format!("{}\n\n{}", part(first), part(second))
}

/// The JSON Schema of a parser, as written or by its example.
fn schema(params: &Map) -> Option<Value> {
    let text = |name: &str| at(params, name).and_then(Value::as_str).filter(|text| !text.starts_with('='));
    if let Some(schema) = text("inputSchema").or_else(|| text("jsonSchema")) {
        return serde_json::from_str(schema).ok().filter(Value::is_object);
    }
    let example: Value = serde_json::from_str(text("jsonSchemaExample")?).ok()?;
    Some(of_example(&example, 0))
}

fn of_example(value: &Value, depth: usize) -> Value {
    match value {
        _ if depth > 20 => json!({}),
        Value::Null => json!({}),
        Value::Bool(_) => json!({ "type": "boolean" }),
        Value::Number(_) => json!({ "type": "number" }),
        Value::String(_) => json!({ "type": "string" }),
        Value::Array(list) => match list.first() {
            Some(first) => json!({ "type": "array", "items": of_example(first, depth + 1) }),
            None => json!({ "type": "array" }),
        },
        Value::Object(map) => {
            let properties: Map = map.iter().map(|(name, one)| (name.clone(), of_example(one, depth + 1))).collect();
            let needed: Vec<&String> = map.keys().collect();
            json!({ "type": "object", "properties": properties, "required": needed })
        }
    }
}
