//! What one foreign step is here: kind, settings, writes. Where it leads is [`super::flow`]'s.

use super::cel::{Place, Ty, Used};
use super::read::{Family, File, Step, says};
use super::value::{Mode, Reader, put, sound};
use crate::Options;
use crate::report::{Findings, Level};
use crate::text::{Text, literal};
use serde_json::{Value, json};
use signalbox_model::Map;

/// The work of a step.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) kind: &'static str,
    pub(super) config: Map,
    pub(super) out: Map,
    /// Files with names that are known only when it runs: path, content, written by steps of their own.
    pub(super) files: Vec<(String, Value)>,
    pub(super) print: Option<Value>,
    pub(super) timeout_ms: Option<u64>,
}

/// Longest address, in bytes.
const LONGEST_URL: usize = 8_192;
/// Most files that one step writes by names that are known only when it runs.
const MOST_FILES: usize = 100;

/// What the translation of one step needs.
pub(super) struct Maker<'a, 'f> {
    pub(super) file: &'a File<'f>,
    pub(super) options: &'a Options,
    pub(super) used: &'a mut Used,
    pub(super) found: &'a mut Findings,
    pub(super) step: &'a Step<'f>,
    /// Id of the step that is made.
    pub(super) node: &'a str,
    pub(super) place: Place,
}

/// Fields that every step may have and that are read elsewhere.
const COMMON: &[&str] =
    &["id", "type", "if", "next", "children", "cases", "meta", "print", "onError", "title", "description", "desc"];

impl Maker<'_, '_> {
    fn warn(&mut self, level: Level, code: &str, field: &str, message: String, hint: &str) {
        self.found.add(level, code, Some(self.step.id), self.step.at(field), message, hint);
    }

    /// Reads something; a text that does not say that it is an expression is told, except in files that never do.
    fn read<T>(
        &mut self,
        field: &str,
        place: &Place,
        read: impl FnOnce(&mut Reader<'_>) -> Result<T, String>,
    ) -> Result<T, String> {
        let legacy = self.file.legacy;
        let mut reader =
            Reader { names: &self.file.registry.names, place, used: &mut *self.used, legacy, drift: false };
        let made = read(&mut reader).map_err(|why| format!("{field}: {why}"));
        if reader.drift && !legacy {
            let message = format!("'{field}' of \"{}\" is an expression without '='; it is read as one.", self.step.id);
            self.warn(Level::Warning, "NO_EQUALS", field, message, "Look whether it should be an expression.");
        }
        made
    }

    fn value(&mut self, field: &str, raw: &Value, mode: Mode) -> Result<Value, String> {
        let place = Place { result: None, ..self.place.clone() };
        self.read(field, &place, |reader| reader.value(raw, mode))
    }

    /// The condition of the step, as CEL.
    pub(super) fn condition(&mut self) -> Result<Option<String>, String> {
        let step = self.step;
        let place = Place { result: None, ..self.place.clone() };
        step.get("if").map(|raw| self.read("if", &place, |reader| reader.condition(raw))).transpose()
    }

    /// The condition of a case, as CEL.
    pub(super) fn case(&mut self, raw: &Value) -> Result<String, String> {
        let place = Place { result: None, ..self.place.clone() };
        self.read("cases", &place, |reader| reader.condition(raw))
    }

    /// Kind and settings of a step that does something.
    pub(super) fn body(&mut self) -> Result<Body, String> {
        let (step, mut body) = (self.step, Body::default());
        let fields: &[&str] = match step.family {
            Family::Set => &["target", "value", "in", "out"],
            Family::Write => &["target", "value", "mode", "in", "out"],
            Family::Llm => &["in", "out", "model", "tools", "toolScope", "resultEnvelope", "timeout"],
            Family::Tool => &["tool", "toolName", "in", "input", "out", "timeout", "allowError", "continueOnError"],
            Family::Api => &["api", "apiId", "in", "out", "timeout"],
            Family::Branch | Family::Noop | Family::Stop => &["in", "out", "reason"],
            Family::Loop => &["in", "out", "mode", "source", "while", "maxIterations"],
            Family::Pause => &["in", "out", "reason", "resumeResultTarget", "timeout"],
            Family::Other(_) => &[],
        };
        match step.family {
            Family::Set => self.set(&mut body)?,
            Family::Write => self.write(&mut body)?,
            Family::Llm => self.llm(&mut body)?,
            Family::Tool => self.tool(&mut body)?,
            Family::Api => self.api(&mut body)?,
            Family::Loop => self.looped(&mut body)?,
            Family::Pause => self.pause(&mut body)?,
            Family::Noop if step.children.is_empty() => body.kind = "flow.noop",
            Family::Noop => body.kind = "flow.parallel",
            Family::Branch => body.kind = "flow.switch",
            Family::Stop => body.kind = "flow.stop",
            Family::Other(why) => return Err(why.to_owned()),
        }
        let display = !matches!(step.family, Family::Llm | Family::Tool | Family::Api);
        if display && step.get("in").is_some_and(says) {
            let message = format!("'in' of \"{}\" is only shown there, not used; it is not taken over.", step.id);
            self.warn(Level::Warning, "IN_FOR_DISPLAY", "in", message, "Print what you want to see.");
        }
        self.out(&mut body)?;
        self.answer(&mut body);
        if let Some(print) = step.get("print") {
            let place = self.place.clone();
            body.print = Some(self.read("print", &place, |reader| reader.value(print, Mode::Expression))?);
        }
        if let Some(ms) = step.get("timeout").and_then(Value::as_f64).filter(|_| step.family != Family::Pause) {
            body.timeout_ms = (1.0..=f64::from(u32::MAX)).contains(&ms).then_some(ms as u64);
        }
        for (field, _) in step.raw.iter().filter(|(_, value)| says(value)) {
            if !COMMON.contains(&field.as_str()) && !fields.contains(&field.as_str()) {
                let message = format!("'{field}' of \"{}\" is not taken over.", step.id);
                self.warn(Level::Warning, "NOT_USED", field, message, "Look whether it matters.");
            }
        }
        Ok(body)
    }

    fn set(&mut self, body: &mut Body) -> Result<(), String> {
        let step = self.step;
        body.kind = "data.set";
        let Some(target) = step.text("target") else { return Err("target: it names no variable".into()) };
        let raw = step.raw.get("value").cloned().unwrap_or(Value::Null);
        let value = self.value("value", &raw, Mode::Expression)?;
        body.config.insert("assign".into(), json!({ "value": value }));
        body.config.insert("keep".into(), json!(false));
        let place = Place { result: None, ..self.place.clone() };
        let (name, path) = self.read("target", &place, |reader| reader.target(target))?;
        let written = json!("=_result.value");
        let written = path.map_or_else(|| Ok(written.clone()), |path| put(&name, &path, &written))?;
        body.out.insert(name, written);
        self.place.result = Some("_result.value".into());
        Ok(())
    }

    fn write(&mut self, body: &mut Body) -> Result<(), String> {
        let step = self.step;
        body.kind = "file.write";
        let target = step.get("target").ok_or("target: it names no file")?;
        let path = self.value("target", target, Mode::Expression)?;
        let Value::String(path) = path else { return Err("target: it is no path".into()) };
        body.config.insert("path".into(), json!(relative(&path)));
        if path.starts_with('=') {
            let message =
                format!("The path of \"{}\" is known only when it runs; it must not begin with '/'.", step.id);
            let hint = "Paths count from a granted folder here.";
            self.warn(Level::Warning, "PATH", "target", message, hint);
        }
        let raw = step.raw.get("value").cloned().unwrap_or(Value::Null);
        body.config.insert("content".into(), self.value("value", &raw, Mode::Expression)?);
        match step.text("mode").unwrap_or("overwrite") {
            mode @ ("overwrite" | "failIfExists" | "append") => drop(body.config.insert("mode".into(), json!(mode))),
            "prepend" => {
                return Err("mode: nothing here writes before what a file holds. Read it first, then write both".into());
            }
            other => return Err(format!("mode: '{other}' is not known")),
        }
        Ok(())
    }

    fn llm(&mut self, body: &mut Body) -> Result<(), String> {
        let step = self.step;
        body.kind = "llm.chat";
        self.place.result = Some("_result".into());
        let empty = Map::new();
        let given = match step.get("in") {
            None => &empty,
            Some(Value::Object(given)) => given,
            Some(_) => return Err("in: it is no object".into()),
        };
        for (field, raw) in given {
            match field.as_str() {
                "messages" => self.messages(raw, body)?,
                "prompt" => drop(body.config.insert("prompt".into(), self.value("in.prompt", raw, Mode::Message)?)),
                "system" => drop(body.config.insert("system".into(), self.value("in.system", raw, Mode::Message)?)),
                "docs" => self.docs(raw, body)?,
                "stream" => drop(body.config.insert("stream".into(), self.value("in.stream", raw, Mode::Literal)?)),
                "max_tokens" | "maxTokens" => {
                    drop(body.config.insert("maxTokens".into(), self.value("in.max_tokens", raw, Mode::Literal)?))
                }
                "temperature" => {
                    drop(body.config.insert("temperature".into(), self.value("in.temperature", raw, Mode::Literal)?))
                }
                "thinking" => {
                    let budget = raw.get("budget_tokens").or_else(|| raw.get("budgetTokens")).and_then(Value::as_u64);
                    let off = raw.get("type").and_then(Value::as_str) == Some("disabled");
                    body.config.insert("thinking".into(), json!(if off { 0 } else { budget.unwrap_or(8_192) }));
                }
                "output_config" => self.form(raw, body)?,
                "model" => self.model(raw, body, false)?,
                "tools" => self.tools(raw)?,
                other => {
                    let message = format!("'in.{other}' of \"{}\" has no place here; it is not taken over.", step.id);
                    self.warn(
                        Level::Warning,
                        "NOT_USED",
                        "in",
                        message,
                        "Say it in the question if the model needs it.",
                    );
                }
            }
        }
        if let Some(model) = step.get("model") {
            self.model(model, body, true)?;
        }
        if let Some(tools) = step.get("tools") {
            self.tools(tools)?;
        }
        if !body.config.contains_key("messages") && !body.config.contains_key("prompt") {
            return Err("in.messages: nothing is asked".into());
        }
        Ok(())
    }

    fn tools(&mut self, raw: &Value) -> Result<(), String> {
        if !says(raw) {
            return Ok(());
        }
        Err("tools: they are functions of the other program. Name tools of a server of this machine in the step".into())
    }

    fn messages(&mut self, raw: &Value, body: &mut Body) -> Result<(), String> {
        let Some(list) = raw.as_array() else {
            let value = self.value("in.messages", raw, Mode::Expression)?;
            body.config.insert("messages".into(), value);
            return Ok(());
        };
        let (mut system, mut messages) = (Text::default(), Vec::new());
        for one in list {
            let role = one.get("role").and_then(Value::as_str).unwrap_or("user");
            let parts: Vec<&Value> = match one.get("content") {
                Some(Value::Array(parts)) => {
                    let texts = parts.iter().map(|part| part.get("text").filter(|text| text.is_string()));
                    let texts: Option<_> = texts.collect();
                    texts.ok_or("in.messages: a message has something else than text")?
                }
                Some(content @ (Value::String(_) | Value::Number(_) | Value::Bool(_))) => vec![content],
                Some(Value::Object(_)) => return Err("in.messages: the content of a message is an object".into()),
                Some(Value::Null) | None => return Err("in.messages: a message has no content".into()),
            };
            let mut content = Text::default();
            for (at, part) in parts.into_iter().enumerate() {
                if at > 0 {
                    content.say("\n");
                }
                match self.value("in.messages", part, Mode::Message)? {
                    Value::String(text) => content.put(&text),
                    other => content.say(&other.to_string()),
                }
            }
            let content = content.write();
            match role {
                "system" => {
                    if !system.is_empty() {
                        system.say("\n\n");
                    }
                    system.put(&content);
                }
                "user" | "assistant" => messages.push(json!({ "role": role, "content": content })),
                other => return Err(format!("in.messages: the role '{other}' is not known here")),
            }
        }
        if messages.is_empty() {
            return Err("in.messages: nothing is asked".into());
        }
        if !system.is_empty() {
            body.config.insert("system".into(), json!(system.write()));
        }
        body.config.insert("messages".into(), Value::Array(messages));
        Ok(())
    }

    /// Documents are kept by the other program: here they are files.
    fn docs(&mut self, raw: &Value, body: &mut Body) -> Result<(), String> {
        let Some(list) = raw.as_array() else { return Err("in.docs: it is no list".into()) };
        let mut files = Vec::new();
        for one in list {
            let id = match one {
                Value::String(text) if !text.starts_with('=') => text.clone(),
                Value::Number(number) => number.to_string(),
                _ => return Err("in.docs: a document is no id".into()),
            };
            if id.contains(['.', '/']) {
                files.push(json!(literal(id.trim_start_matches('/'))));
                continue;
            }
            let words = self.file.registry.docs.get(id.as_str()).filter(|words| !words.is_empty());
            let words = words.map(|words| format!(" ({words})")).unwrap_or_default();
            let file = format!("docs/{id}.md");
            let message = format!("The text of document {id}{words} is not in the file.");
            let hint = format!("Save it as {file} in a folder that this machine grants.");
            self.found.add(Level::Missing, "DOCUMENT", None, "/registry/docs", message, hint);
            files.push(json!(literal(&file)));
        }
        if !files.is_empty() {
            body.config.insert("docs".into(), Value::Array(files));
        }
        Ok(())
    }

    fn form(&mut self, raw: &Value, body: &mut Body) -> Result<(), String> {
        let form = raw.get("format").unwrap_or(raw);
        let kind = form.get("type").and_then(Value::as_str).unwrap_or("text");
        let (schema, named) = (form.get("schema"), form.get("schemaRef").and_then(Value::as_str));
        let form = match (kind, schema, named) {
            ("text", ..) => return Ok(()),
            ("json_object", ..) => json!({ "type": "json_object" }),
            ("json_schema", Some(_), Some(_)) => return Err("in.output_config: it has a schema and a schemaRef".into()),
            ("json_schema", Some(schema), None) => json!({ "type": "json_schema", "schema": schema }),
            ("json_schema", None, Some(name)) => {
                let known = self.file.registry.schemas.and_then(|schemas| schemas.get(name));
                let schema = known.ok_or_else(|| format!("in.output_config: the file has no schema '{name}'"))?;
                json!({ "type": "json_schema", "schema": schema })
            }
            ("json_schema", None, None) => return Err("in.output_config: it has no schema".into()),
            (other, ..) => return Err(format!("in.output_config: '{other}' is not known")),
        };
        body.config.insert("output".into(), form);
        Ok(())
    }

    fn model(&mut self, raw: &Value, body: &mut Body, own: bool) -> Result<(), String> {
        let Some(text) = raw.as_str().filter(|text| !text.is_empty() && !text.starts_with('=')) else {
            return Err("model: it is no name".into());
        };
        let (provider, model) = match text.split_once('/') {
            Some((provider, model)) => (Some(provider), Some(model)),
            // A name with a digit is a model's; providers are words.
            None if own && !text.contains(|c: char| c.is_ascii_digit()) => (Some(text), None),
            None => (None, Some(text)),
        };
        for (field, name) in [("provider", provider), ("model", model)] {
            match name {
                Some("") => return Err(format!("model: '{text}' names no {field}")),
                Some(name) => drop(body.config.insert(field.into(), json!(literal(name)))),
                None => {}
            }
        }
        Ok(())
    }

    fn tool(&mut self, body: &mut Body) -> Result<(), String> {
        let step = self.step;
        body.kind = "mcp.tool";
        self.place.result = Some("_result".into());
        match &self.options.tool_server {
            Some(server) => drop(body.config.insert("server".into(), json!(server))),
            None => {
                let message = "Tools belong to servers here; the file does not say which.".to_owned();
                let hint = "Choose a server in each tool step, or import with --tool-server NAME.";
                self.found.add(Level::Missing, "TOOL_SERVER", None, "/steps", message, hint);
            }
        }
        let tool = step.text("tool").or_else(|| step.text("toolName"));
        let derived = suffix(step.id);
        let tool = tool.or(derived).ok_or("tool: it names no tool")?;
        body.config.insert("tool".into(), json!(literal(tool)));
        let arguments = match step.get("input").or_else(|| step.get("in")) {
            None => json!({}),
            Some(given @ Value::Object(_)) => self.value("input", given, Mode::Literal)?,
            Some(given) => self.value("input", given, Mode::Expression)?,
        };
        body.config.insert("arguments".into(), arguments);
        if ["allowError", "continueOnError"].iter().any(|field| step.get(field) == Some(&Value::Bool(true))) {
            body.config.insert("allowError".into(), json!(true));
        }
        Ok(())
    }

    fn api(&mut self, body: &mut Body) -> Result<(), String> {
        let step = self.step;
        body.kind = "http.request";
        self.place.result = Some("_result.response".into());
        let named = step.text("api").or_else(|| step.text("apiId"));
        let id = named.or_else(|| suffix(step.id)).ok_or("api: it names no address")?;
        let apis = &self.file.registry.apis;
        let api = apis.get(id).or_else(|| apis.get(step.id)).copied();
        let api = api.ok_or_else(|| format!("api: the registry has no address '{id}'"))?;
        let text = |field: &str| api.get(field).and_then(Value::as_str);
        let method = text("method").unwrap_or("GET").to_ascii_uppercase();
        if !method.chars().all(|c| c.is_ascii_alphabetic()) {
            return Err(format!("api: '{id}' has a method that is no word"));
        }
        let mut given = match step.get("in") {
            None => Map::new(),
            Some(given @ Value::Object(_)) => match self.value("in", given, Mode::Literal)? {
                Value::Object(given) => given,
                _ => Map::new(),
            },
            Some(_) => return Err("in: it is no object".into()),
        };
        let mut url = Text::default();
        let mut rest = text("url").ok_or_else(|| format!("api: '{id}' has no url"))?;
        if rest.len() > LONGEST_URL {
            return Err(format!("api: the url of '{id}' has more than {LONGEST_URL} bytes"));
        }
        while let Some((before, after)) = rest.split_once('{') {
            let (name, behind) = after.split_once('}').ok_or("api: a '{' in its url is not closed")?;
            url.say(before);
            match given.shift_remove(name) {
                Some(Value::String(written)) => url.put(&written),
                Some(other @ (Value::Number(_) | Value::Bool(_))) => url.say(&other.to_string()),
                Some(_) => return Err(format!("api: '{name}' of its url is neither a text nor a number")),
                None => return Err(format!("api: its url needs '{name}', which 'in' does not give")),
            }
            rest = behind;
        }
        url.say(rest);
        let url = url.write();
        sound(&url, &url)?;
        body.config.insert("method".into(), json!(method));
        body.config.insert("url".into(), json!(url));
        let reads = matches!(method.as_str(), "GET" | "HEAD" | "DELETE" | "OPTIONS");
        let mut headers = match api.get("headers") {
            Some(all @ Value::Object(_)) => match self.value("headers", all, Mode::Literal)? {
                Value::Object(headers) => headers,
                _ => Map::new(),
            },
            Some(found) if says(found) => return Err("headers: they are no object".into()),
            Some(_) | None => Map::new(),
        };
        if let Some(Value::Object(more)) = given.shift_remove("headers") {
            headers.extend(more);
        }
        if headers.values().any(|value| value.to_string().contains("SYSVAR.")) {
            return Err("headers: they hold a SYSVAR. Choose a credential in the step instead".into());
        }
        if !headers.is_empty() {
            body.config.insert("headers".into(), Value::Object(headers));
        }
        if let Some(query) = given.shift_remove("query") {
            body.config.insert("query".into(), query);
        }
        if let Some(sent) = given.shift_remove("body") {
            body.config.insert("body".into(), sent);
        }
        if !given.is_empty() {
            let place = if reads { "query" } else { "body" };
            match body.config.get_mut(place).and_then(Value::as_object_mut) {
                Some(there) => there.extend(given),
                None => drop(body.config.insert(place.into(), Value::Object(given))),
            }
        }
        if let Some(auth) = api.get("auth").filter(|auth| says(auth)) {
            let name: String = auth.as_str().unwrap_or("api").trim_start_matches(['=', '$']).replace("SYSVAR.", "");
            let name: String =
                name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')).take(60).collect();
            let name = if name.starts_with(|c: char| c.is_ascii_alphanumeric()) { name } else { format!("api{name}") };
            body.config.insert("credential".into(), json!(format!("secret://{name}")));
            let message = format!("The credential of '{id}' stays with the other program.");
            let hint = format!("Add it as the secret '{name}' of this machine, for the host of the address.");
            self.found.add(Level::Missing, "SECRET", None, "/registry/apis", message, hint);
        }
        Ok(())
    }

    fn looped(&mut self, body: &mut Body) -> Result<(), String> {
        let step = self.step;
        body.kind = "flow.loop";
        let mode = match step.text("mode") {
            Some(mode @ ("serial" | "parallel")) => mode,
            Some(other) => return Err(format!("mode: '{other}' is neither serial nor parallel")),
            None => {
                let message = format!("Loop \"{}\" does not say its mode; it is read as serial.", step.id);
                self.warn(Level::Warning, "NO_MODE", "mode", message, "Make it parallel if its rounds may overlap.");
                "serial"
            }
        };
        body.config.insert("mode".into(), json!(mode));
        let place = Place { in_loop: self.place.in_loop.clone(), ..Place::default() };
        match (step.get("source"), step.get("while")) {
            (Some(_), Some(_)) => return Err("it has a source and a while".into()),
            (None, None) => return Err("it has neither a source nor a while".into()),
            (Some(Value::Array(list)), None) => {
                let list = self.value("source", &Value::Array(list.clone()), Mode::Literal)?;
                body.config.insert("source".into(), list);
            }
            (Some(source), None) => {
                let cel = self.read("source", &place, |reader| reader.source(source))?;
                body.config.insert("source".into(), json!(format!("={cel}")));
            }
            (None, Some(condition)) => {
                // Only the place in the row is known while the condition is asked.
                let inside = Place { in_loop: Some(step.id.to_owned()), ..Place::default() };
                let cel = self.read("while", &inside, |reader| reader.condition(condition))?;
                if cel.contains("_item") {
                    return Err("while: '_item' is not there before a round has begun".into());
                }
                body.config.insert("while".into(), json!(cel));
                if mode == "parallel" {
                    return Err("mode: a loop with a condition is serial".into());
                }
                if step.get("maxIterations").is_none() {
                    let message = format!("Loop \"{}\" has no maxIterations; it ends after 10,000 rounds.", step.id);
                    self.warn(Level::Warning, "NO_LIMIT", "maxIterations", message, "Say how many rounds it may take.");
                }
            }
        }
        if let Some(most) = step.get("maxIterations") {
            match most.as_u64().filter(|most| (1..=1_000_000).contains(most)) {
                Some(most) => drop(body.config.insert("maxIterations".into(), json!(most))),
                None => return Err("maxIterations: it needs a whole number from 1 to 1,000,000".into()),
            }
        }
        Ok(())
    }

    fn pause(&mut self, body: &mut Body) -> Result<(), String> {
        let step = self.step;
        body.kind = "flow.pause";
        if let Some(reason) = step.get("reason") {
            let reason = self.value("reason", reason, Mode::Message)?;
            body.config.insert("reason".into(), reason);
        }
        let place = Place { result: None, ..self.place.clone() };
        match step.text("resumeResultTarget") {
            Some(target) => {
                let (name, path) = self.read("resumeResultTarget", &place, |reader| reader.target(target))?;
                if path.is_some() {
                    return Err("resumeResultTarget: an answer cannot go to a place in a list".into());
                }
                body.config.insert("resumeInto".into(), json!(name));
            }
            None => {
                let message = format!("Pause \"{}\" does not say where the answer goes; it is not kept.", step.id);
                let hint = "Name a variable in the step if the answer matters.";
                self.warn(Level::Warning, "NO_TARGET", "resumeResultTarget", message, hint);
            }
        }
        if let Some(timeout) = step.get("timeout") {
            let seconds = timeout.get("sec").unwrap_or(timeout).as_f64();
            let ms = seconds.filter(|sec| *sec > 0.0 && *sec < 31_622_400.0).map(|sec| (sec * 1000.0).round() as u64);
            body.config.insert("timeoutMs".into(), json!(ms.ok_or("timeout.sec: it needs a number above 0")?));
        }
        Ok(())
    }

    /// An answer that is taken apart, or kept as an object, has to be JSON, also when the file does not ask for it.
    fn answer(&mut self, body: &mut Body) {
        let apart =
            |value: &Value| value.as_str().is_some_and(|text| text.contains("_result.") || text.contains("_result["));
        let object =
            |target: &String| self.file.registry.names.vars.get(target.trim_start_matches('$')) == Some(&Ty::Object);
        let whole = |value: &Value| value == "=_result";
        let json = body.out.iter().any(|(target, value)| apart(value) || whole(value) && object(target));
        if self.step.family == Family::Llm && json && !body.config.contains_key("output") {
            body.config.insert("output".into(), json!({ "type": "json_object" }));
            let message =
                format!("The answer of \"{}\" is kept as an object, so the model is asked for JSON.", self.step.id);
            self.warn(
                Level::Warning,
                "ANSWER_AS_JSON",
                "out",
                message,
                "Take the form of the answer out if it should be text.",
            );
        }
    }

    /// What the step writes when it is done.
    fn out(&mut self, body: &mut Body) -> Result<(), String> {
        let step = self.step;
        let short;
        let map = match step.get("out").filter(|out| says(out)) {
            None => return Ok(()),
            Some(Value::Object(map)) => map,
            Some(Value::String(target)) => {
                short = Map::from_iter([(target.clone(), json!("=_result"))]);
                &short
            }
            Some(_) => return Err("out: it is neither an object nor a variable".into()),
        };
        if matches!(step.family, Family::Branch | Family::Stop) {
            return Err("out: such a step has no result here. Set it in a step before".into());
        }
        let place = self.place.clone();
        let field = super::flow::member(&format!("nodes{}", super::cel::field(self.node)), &place);
        for (target, raw) in map {
            if let Some(path) = target.strip_prefix('/') {
                let name =
                    self.read("out", &Place { result: None, ..place.clone() }, |reader| reader.file_name(path))?;
                match name {
                    Some(name) => {
                        let later = Place { result: place.result.as_ref().map(|_| field.clone()), ..place.clone() };
                        let value = self.read("out", &later, |reader| reader.value(raw, Mode::Expression))?;
                        if body.files.len() >= MOST_FILES {
                            return Err(format!(
                                "out: it writes more than {MOST_FILES} files by names with values in them"
                            ));
                        }
                        body.files.push((name, value));
                    }
                    None => {
                        let value = self.read("out", &place, |reader| reader.value(raw, Mode::Expression))?;
                        body.out.insert(target.clone(), value);
                    }
                }
                continue;
            }
            let value = self.read("out", &place, |reader| reader.value(raw, Mode::Expression))?;
            let (name, path) =
                self.read("out", &Place { result: None, ..place.clone() }, |reader| reader.target(target))?;
            let value = match path {
                None => value,
                Some(path) => {
                    let made = put(&name, &path, &value)?;
                    // Several places of one list: each is put into what the one before made.
                    match (body.out.get(&name), made.as_str()) {
                        (Some(Value::String(before)), Some(this))
                            if before.starts_with('=') && !before.starts_with("==") =>
                        {
                            let variable = format!("=put(context{},", super::cel::field(name.trim_start_matches('$')));
                            let nested = format!("=put({},", before.trim_start_matches('='));
                            json!(this.replacen(&variable, &nested, 1))
                        }
                        (Some(_), _) => {
                            return Err(
                                "out: it writes a variable, which is no expression here, and a place in it".into()
                            );
                        }
                        (None, _) => made,
                    }
                    .as_str()
                    .filter(|text| text.len() <= 4_096)
                    .map(|text| json!(text))
                    .ok_or("out: it writes too many places of one list at once")?
                }
            };
            body.out.insert(name, value);
        }
        Ok(())
    }
}

/// `Tool_010_ReadFile` → `ReadFile`.
fn suffix(id: &str) -> Option<&str> {
    let (_, rest) = id.split_once('_')?;
    let rest = match rest.split_once('_') {
        Some((number, name)) if number.chars().all(|c| c.is_ascii_digit()) => name,
        _ => rest,
    };
    Some(rest).filter(|rest| !rest.is_empty())
}

/// Paths of the other program count from its project: here from a granted folder.
fn relative(path: &str) -> String {
    path.trim_start_matches('/').to_owned()
}
