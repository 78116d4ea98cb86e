//! What each type of state becomes.

use super::graph::Builder;
use super::path::Here;
use super::{choice, jsonata, path};
use crate::cel::{Cel, Ty};
use crate::report::Level;
use serde_json::{Value, json};
use signalbox_engine::catalog::PLACEHOLDER_KIND;
use signalbox_model::Map;
use signalbox_model::Node as Step;
use signalbox_model::descriptor::Mode;

/// A state where it is translated.
pub(super) struct State<'a> {
    pub(super) name: &'a str,
    pub(super) raw: &'a Map,
    pub(super) path: String,
    /// Its id here, which is that of its last step.
    pub(super) id: String,
    pub(super) parent: Option<String>,
    pub(super) jsonata: bool,
    pub(super) depth: usize,
}

impl State<'_> {
    pub(super) fn text(&self, field: &str) -> &str {
        self.raw.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// The raw input, which a step in front of the others keeps.
    pub(super) fn input(&self) -> Cel {
        Cel::any(format!("nodes.{}_start.output", self.id))
    }

    pub(super) fn copy(&self) -> Self {
        let (path, id, parent) = (self.path.clone(), self.id.clone(), self.parent.clone());
        Self { name: self.name, raw: self.raw, path, id, parent, jsonata: self.jsonata, depth: self.depth }
    }

    pub(super) fn here(&self, root: Cel) -> Here<'_> {
        Here { root, input: self.input(), state: self.name }
    }
}

/// The text of a step that must not run.
fn broken(why: &str, source: &Value) -> String {
    let text: String = source.to_string().chars().take(800).collect();
    format!("untranslated({}, {})", crate::text::quoted(&text), crate::text::quoted(why))
}

impl Builder<'_> {
    pub(super) fn tell(
        &mut self,
        level: Level,
        code: &str,
        state: &State<'_>,
        field: &str,
        message: String,
        hint: &str,
    ) {
        let path = if field.is_empty() { state.path.clone() } else { format!("{}/{field}", state.path) };
        self.found.add(level, code, Some(state.name), path, message, hint);
    }

    /// An expression that has no translation stays in its place as text, and is an error when a run comes to it.
    pub(super) fn kept(&mut self, state: &State<'_>, field: &str, source: &Value, why: &str) -> String {
        let message = format!("\"{}\": {field} was not translated: {why}. It is kept as text.", state.name);
        self.tell(
            Level::Problem,
            "EXPRESSION",
            state,
            field,
            message,
            "Write the expression anew; the step fails when it runs.",
        );
        broken(why, source)
    }

    /// A path, or a value with paths in it, as CEL.
    pub(super) fn path_cel(&mut self, state: &State<'_>, field: &str, source: &str, root: Cel) -> String {
        match path::value(source, &state.here(root)) {
            Ok(cel) => cel.text,
            Err(why) => self.kept(state, field, &json!(source), &why),
        }
    }

    /// A payload template as a value of a setting.
    pub(super) fn template(&mut self, state: &State<'_>, of: &Map, field: &str, root: Cel) -> Option<Value> {
        let source = of.get(field)?;
        let here = state.here(root);
        let made = if state.jsonata { jsonata::template(source, &here) } else { path::template(source, &here, 0) };
        Some(match made {
            Ok(value) => value,
            Err(why) => json!(format!("={}", self.kept(state, field, source, &why))),
        })
    }

    /// A number or a time that may be computed.
    pub(super) fn number(&mut self, state: &State<'_>, field: &str, root: Cel) -> Option<Value> {
        if let Some(text) = state.raw.get(&format!("{field}Path")).and_then(Value::as_str) {
            let text = text.to_owned();
            return Some(json!(format!("={}", self.path_cel(state, field, &text, root))));
        }
        self.template(state, state.raw, field, root)
    }

    /// The effective input of the state: what the work begins with. A step of its own when it is not the raw input.
    pub(super) fn effective(&mut self, state: &State<'_>) -> String {
        let mut before = self.step(
            state,
            "_start",
            Step { kind: "flow.noop".into(), title: Some(format!("{} (input)", state.name)), ..Step::default() },
        );
        self.first(state, &before);
        if state.jsonata {
            return before;
        }
        let input = state.raw.get("InputPath");
        let root = match input {
            Some(Value::Null) => Cel::new("{}", Ty::Map),
            Some(Value::String(text)) if text != "$" => {
                let text = text.clone();
                Cel::any(self.path_cel(state, "InputPath", &text, Cel::any("item")))
            }
            _ => Cel::any("item"),
        };
        // Parameters of a task are the settings of its step.
        let parameters = matches!(state.text("Type"), "Pass" | "Parallel") && state.raw.contains_key("Parameters");
        let value = if parameters {
            self.template(state, state.raw, "Parameters", root).map(|value| cel_of(&value))
        } else {
            (root.text != "item").then_some(root.text)
        };
        if let Some(value) = value {
            let config = json!({ "expression": value });
            let id = self.step(
                state,
                "_in",
                Step { kind: "data.transform".into(), config: Some(config), ..Step::default() },
            );
            self.edge(&before, "success", &id);
            before = id;
        }
        before
    }

    /// What leaves the state: its result, where its result goes, and what of it goes on.
    pub(super) fn output(&mut self, state: &State<'_>, before: &str, result: Cel, all: bool) -> String {
        self.output_from(state, (before.to_owned(), "success"), result, all)
    }

    pub(super) fn output_from(&mut self, state: &State<'_>, before: (String, &str), result: Cel, all: bool) -> String {
        let mut value = result.text.clone();
        if state.jsonata {
            if let Some(output) = state.raw.get("Output") {
                value = match jsonata::template(output, &state.here(result.clone())) {
                    Ok(made) => cel_of(&made),
                    Err(why) => self.kept(state, "Output", output, &why),
                };
            }
        } else {
            if let Some(selected) = self.template(state, state.raw, "ResultSelector", result.clone()) {
                value = cel_of(&selected);
            }
            value = match state.raw.get("ResultPath") {
                Some(Value::Null) => state.input().text,
                Some(Value::String(text)) if text != "$" => match reference(text) {
                    Some(steps) if text.starts_with("$.") || text.starts_with("$[") => {
                        format!("put({}, [{steps}], {value})", state.input().text)
                    }
                    _ => self.kept(state, "ResultPath", &json!(text), "it is no reference path"),
                },
                _ => value,
            };
            match state.raw.get("OutputPath") {
                Some(Value::Null) => value = "{}".into(),
                Some(Value::String(text)) if text != "$" => {
                    let text = text.clone();
                    value = self.path_cel(state, "OutputPath", &text, Cel::any(format!("({value})")));
                }
                _ => {}
            }
        }
        let out = self.assigned(state, state.raw, &result);
        let config = json!({ "expression": value });
        let mode = all.then_some(Mode::All);
        let title = Some(state.name.to_owned());
        let id = self.step(
            state,
            "",
            Step { kind: "data.transform".into(), title, config: Some(config), mode, out, ..Step::default() },
        );
        self.edge(&before.0, before.1, &id);
        id
    }

    /// Variables that a state, a rule or a catcher sets. All are set at once, after its output was made.
    pub(super) fn assigned(&mut self, state: &State<'_>, of: &Map, result: &Cel) -> Option<Map> {
        let Some(Value::Object(_)) = of.get("Assign") else { return None };
        let Some(Value::Object(values)) = self.template(state, of, "Assign", result.clone()) else {
            return None;
        };
        let mut out = Map::new();
        for (name, value) in values {
            self.variables.insert(name.clone());
            out.insert(format!("${name}"), value);
        }
        Some(out)
    }

    pub(super) fn state(&mut self, state: &State<'_>) -> Result<(), (String, String)> {
        let item = Cel::any("item");
        match state.text("Type") {
            "Pass" => {
                let before = self.effective(state);
                let result = match state.raw.get("Result") {
                    Some(result) if !state.jsonata => Cel::new(cel_of(&plain(result)), Ty::Any),
                    _ => item,
                };
                let last = self.output(state, &before, result, false);
                self.next(state, &last, "success", state.text("Next"));
            }
            "Succeed" => {
                let before = self.effective(state);
                self.output(state, &before, item, false);
            }
            "Fail" => {
                let before = self.effective(state);
                let get = |builder: &mut Self, field: &str| builder.number(state, field, Cel::any("item"));
                let cause = get(self, "Cause").unwrap_or(json!("The state machine failed"));
                let error = get(self, "Error").unwrap_or(json!("States.Failed"));
                let config =
                    json!({ "error": { "type": "UnknownError", "message": cause, "details": { "error": error } } });
                let id = self.step(
                    state,
                    "",
                    Step {
                        kind: "flow.fail".into(),
                        title: Some(state.name.into()),
                        config: Some(config),
                        ..Step::default()
                    },
                );
                self.edge(&before, "success", &id);
            }
            "Wait" => {
                let before = self.effective(state);
                let mut config = Map::new();
                if let Some(seconds) = self.number(state, "Seconds", Cel::any("item")) {
                    let ms = match &seconds {
                        Value::Number(n) => json!(n.as_u64().unwrap_or(0).saturating_mul(1_000).min(31_622_400_000)),
                        Value::String(text) => {
                            json!(format!("=int({} * 1000)", Cel::new(text.trim_start_matches('='), Ty::Any).owner()))
                        }
                        _ => json!(0),
                    };
                    config.insert("ms".into(), ms);
                } else if let Some(time) = self.number(state, "Timestamp", Cel::any("item")) {
                    config.insert("until".into(), time);
                }
                let wait = self.step(
                    state,
                    "_wait",
                    Step {
                        kind: "flow.wait".into(),
                        title: Some(state.name.into()),
                        config: Some(Value::Object(config)),
                        ..Step::default()
                    },
                );
                self.edge(&before, "success", &wait);
                let last = self.output(state, &wait, Cel::any("item"), false);
                self.next(state, &last, "success", state.text("Next"));
            }
            "Choice" => self.choice(state)?,
            "Task" => self.task(state)?,
            "Parallel" => self.parallel(state)?,
            "Map" => self.map(state)?,
            other => {
                let why = format!("\"{}\" is of the type '{other}', which is not known.", state.name);
                self.tell(Level::Problem, "NOT_TRANSLATED", state, "Type", why.clone(), "A placeholder replaces it.");
                let before = self.effective(state);
                let id = self.placeholder(state, "", &why, None);
                self.edge(&before, "success", &id);
                self.next(state, &id, "success", state.text("Next"));
            }
        }
        Ok(())
    }

    fn choice(&mut self, state: &State<'_>) -> Result<(), (String, String)> {
        let before = self.effective(state);
        let mut cases = Vec::new();
        let mut rules: Vec<Map> = Vec::new();
        for (n, row) in state
            .raw
            .get("Choices")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_object)
            .enumerate()
        {
            if n >= 49 {
                let message = format!("\"{}\" has more than 49 rules; the others are left out.", state.name);
                self.tell(Level::Problem, "CHOICES", state, "Choices", message, "Split the choice.");
                break;
            }
            let here = state.here(Cel::any("item"));
            let condition = row.get("Condition").and_then(Value::as_str).and_then(jsonata::source);
            let test = match condition {
                None if row.get("Condition").is_some_and(Value::is_boolean) => {
                    Ok(Cel::new(row.get("Condition").map(ToString::to_string).unwrap_or_default(), Ty::Bool))
                }
                Some(source) => {
                    jsonata::translate(source, &Here { input: Cel::any("item"), ..here }).map(|cel| cel.truthy())
                }
                None => choice::rule(row, &here, 0),
            };
            let test = match test {
                Ok(cel) => cel.text,
                Err(why) => self.kept(state, "Choices", &Value::Object(row.clone()), &why),
            };
            cases.push(json!({ "when": test, "port": format!("choice{}", n + 1) }));
            rules.push(row.clone());
        }
        let last = self.step(
            state,
            "",
            Step {
                kind: "flow.switch".into(),
                title: Some(state.name.into()),
                config: Some(json!({ "cases": cases })),
                ..Step::default()
            },
        );
        self.edge(&before, "success", &last);
        for (n, rule) in rules.iter().enumerate() {
            let target = rule.get("Next").and_then(Value::as_str).unwrap_or_default();
            let port = format!("choice{}", n + 1);
            match self.ruled(state, rule, &format!("_rule{}", n + 1)) {
                Some(id) => {
                    self.edge(&last, &port, &id);
                    self.next(state, &id, "success", target);
                }
                None => self.next(state, &last, &port, target),
            }
        }
        match state.text("Default") {
            "" => {
                // There it is States.NoChoiceMatched.
                let config = json!({ "error": { "type": "ValidationError", "message": format!("No rule of {} fits", state.name), "details": { "error": "States.NoChoiceMatched" } } });
                let id = self.step(
                    state,
                    "_no_choice",
                    Step { kind: "flow.fail".into(), config: Some(config), ..Step::default() },
                );
                self.edge(&last, "default", &id);
            }
            target => {
                let target = target.to_owned();
                match self.ruled(state, state.raw, "_otherwise") {
                    Some(id) => {
                        self.edge(&last, "default", &id);
                        self.next(state, &id, "success", &target);
                    }
                    None => self.next(state, &last, "default", &target),
                }
            }
        }
        Ok(())
    }

    /// A step for the output and the variables of a rule, or of a choice that no rule fits.
    fn ruled(&mut self, state: &State<'_>, of: &Map, suffix: &str) -> Option<String> {
        if !of.contains_key("Assign") && !of.contains_key("Output") {
            return None;
        }
        let root = Cel::any("item");
        let output = self.template(state, of, "Output", root.clone());
        let expression = output.map_or_else(|| root.text.clone(), |value| cel_of(&value));
        let out = self.assigned(state, of, &root);
        let config = Some(json!({ "expression": expression }));
        Some(self.step(state, suffix, Step { kind: "data.transform".into(), config, out, ..Step::default() }))
    }

    fn placeholder(&mut self, state: &State<'_>, suffix: &str, why: &str, given: Option<Value>) -> String {
        let mut raw = state.raw.clone();
        // What is inside of it is translated, or as large as the file.
        for field in ["Branches", "Iterator", "ItemProcessor"] {
            raw.shift_remove(field);
        }
        let step = Step {
            kind: PLACEHOLDER_KIND.into(),
            title: Some(state.name.into()),
            description: Some(crate::report::short(why)),
            // What it was called with, as expressions: for the step that takes its place.
            config: Some(given.map_or_else(|| json!({ "step": raw }), |given| json!({ "step": raw, "input": given }))),
            timeout_ms: self.timeout(state),
            ..Step::default()
        };
        self.step(state, suffix, step)
    }

    fn task(&mut self, state: &State<'_>) -> Result<(), (String, String)> {
        let before = self.effective(state);
        let resource = state.text("Resource").to_owned();
        let given = self.template(
            state,
            state.raw,
            if state.jsonata { "Arguments" } else { "Parameters" },
            Cel::any(if state.jsonata { state.input().text } else { "item".to_owned() }),
        );
        let field = |name: &str| given.as_ref().and_then(|all| all.get(name)).cloned();
        let mut result = Cel::any("item");
        let step = if resource.contains("waitForTaskToken") {
            let mut config = json!({
                "title": state.name,
                "instructions": if state.text("Comment").is_empty() { "The other program waits here for an answer from outside." } else { state.text("Comment") },
                "schema": { "type": "object", "properties": {
                    "output": { "type": "string", "title": "Output", "description": "JSON: a text stands in quotes" },
                    "error": { "type": "string", "title": "Error", "description": "Name of the error, when it failed" },
                    "cause": { "type": "string", "title": "Cause" },
                } },
            });
            result = Cel::new("fromJson(coalesce(item.output, 'null'))", Ty::Any);
            if let Some(seconds) =
                state.raw.get("TimeoutSeconds").or_else(|| state.raw.get("HeartbeatSeconds")).and_then(Value::as_u64)
            {
                config["ttlMs"] = json!(seconds.saturating_mul(1_000).clamp(1, 31_622_400_000));
                config["onExpiry"] = json!("abort");
            }
            let message =
                format!("\"{}\" waits for a call with its task token; here a person answers a task.", state.name);
            self.tell(
                Level::Missing,
                "TASK_TOKEN",
                state,
                "Resource",
                message,
                "Send what the other side needs in a step before. The answer is JSON.",
            );
            Some(("builtin.human_form", config))
        } else if resource.ends_with(":states:::http:invoke") {
            let mut config = Map::new();
            let text = |name: &str| field(name).and_then(|value| value.as_str().map(str::to_owned));
            config.insert("method".into(), json!(text("Method").unwrap_or_else(|| "GET".into())));
            config.insert("url".into(), json!(text("ApiEndpoint").unwrap_or_default()));
            for (from, to) in [("QueryParameters", "query"), ("Headers", "headers"), ("RequestBody", "body")] {
                if let Some(value) = field(from) {
                    config.insert(to.into(), value);
                }
            }
            if field("Authentication").is_some() || field("InvocationConfig").is_some() {
                config.insert("credential".into(), json!("secret://imported-connection"));
                let message = format!("\"{}\" signs in by a connection of the other account.", state.name);
                self.tell(
                    Level::Missing,
                    "SECRET",
                    state,
                    "Parameters",
                    message,
                    "Add the secret 'imported-connection' of this machine for the host.",
                );
            }
            result = Cel::new(
                "{'ResponseBody': item.response, 'StatusCode': item.status, 'Headers': item.headers}",
                Ty::Map,
            );
            Some(("http.request", Value::Object(config)))
        } else if resource.contains(":states:::states:startExecution")
            && field("StateMachineArn").and_then(|arn| Some(!arn.as_str()?.starts_with('='))).unwrap_or(true)
        {
            let arn = field("StateMachineArn").and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default();
            let name = arn.rsplit(':').next().unwrap_or("machine").to_owned();
            let slug = crate::slug(&name);
            let message = format!("\"{}\" starts the state machine {name}, which is a file of its own.", state.name);
            self.tell(
                Level::Missing,
                "SUB_WORKFLOW",
                state,
                "Parameters",
                message,
                &format!("Import that machine, too, with the id '{slug}'."),
            );
            let input = field("Input").unwrap_or(json!({}));
            result = Cel::new("{'Output': item}", Ty::Map);
            Some(("flow.subworkflow", json!({ "workflow": slug, "params": input })))
        } else {
            None
        };
        let work = match step {
            Some((kind, config)) => {
                let asks = kind == "builtin.human_form";
                let timeout_ms = if asks { None } else { self.timeout(state) };
                let error_handling = if asks { None } else { self.retry(state) };
                let title = Some(state.name.into());
                let step = Step {
                    kind: kind.into(),
                    title,
                    config: Some(config),
                    timeout_ms,
                    error_handling,
                    ..Step::default()
                };
                self.step(state, "_task", step)
            }
            None => {
                let service = service(&resource);
                let why = format!(
                    "\"{}\" calls {service}, which no step here does. Call it with an HTTP request.",
                    state.name
                );
                self.tell(
                    Level::Problem,
                    "NOT_TRANSLATED",
                    state,
                    "Resource",
                    why.clone(),
                    "A placeholder with all its settings replaces it; it takes the red port.",
                );
                let error_handling = self.retry(state);
                let id = self.placeholder(state, "_task", &why, given.clone());
                self.handled(&id, error_handling);
                id
            }
        };
        self.edge(&before, "success", &work);
        self.tasks += 1;
        self.bare += usize::from(!state.raw.contains_key("Retry") && !state.raw.contains_key("Catch"));
        let mut risky = vec![work.clone()];
        let mut answered = (work.clone(), "success");
        if resource.contains("waitForTaskToken") {
            let test = "coalesce(item.error, '') != ''";
            let check = Step {
                kind: "flow.if".into(),
                title: Some(format!("{}: did it fail?", state.name)),
                config: Some(json!({ "condition": test })),
                ..Step::default()
            };
            let check = self.step(state, "_answer", check);
            self.edge(&work, "success", &check);
            let error = json!({ "type": "UnknownError", "message": "{{ coalesce(item.cause, 'The other side gave no cause') }}", "details": { "error": "=item.error" } });
            let config = Some(json!({ "error": error }));
            let failed = self.step(state, "_failed", Step { kind: "flow.fail".into(), config, ..Step::default() });
            self.edge(&check, "true", &failed);
            risky.push(failed);
            answered = (check, "false");
        }
        self.catch(state, &risky);
        let last = self.output_from(state, answered, result, false);
        self.next(state, &last, "success", state.text("Next"));
        Ok(())
    }

    fn parallel(&mut self, state: &State<'_>) -> Result<(), (String, String)> {
        let mut before = self.effective(state);
        if state.jsonata
            && let Some(value) = self.template(state, state.raw, "Arguments", state.input())
        {
            let id = self.step(
                state,
                "_in",
                Step {
                    kind: "data.transform".into(),
                    config: Some(json!({ "expression": cel_of(&value) })),
                    ..Step::default()
                },
            );
            self.edge(&before, "success", &id);
            before = id;
        }
        let title = Some(state.name.into());
        let frame = Step { kind: "flow.parallel".into(), title, ..Step::default() };
        let frame = self.step(state, "_branches", frame);
        self.edge(&before, "success", &frame);
        for (n, branch) in state.raw.get("Branches").and_then(Value::as_array).into_iter().flatten().enumerate() {
            let Some(machine) = branch.as_object() else { continue };
            self.machine(machine, Some(frame.clone()), &format!("{}/Branches/{n}", state.path), state.depth + 1)?;
        }
        self.catch(state, std::slice::from_ref(&frame));
        let last = self.output(state, &frame, Cel::any("items"), true);
        self.next(state, &last, "success", state.text("Next"));
        Ok(())
    }
}

/// The steps of a reference path, for `put`.
pub(super) fn reference(path: &str) -> Option<String> {
    let mut out = Vec::new();
    let mut rest = path.strip_prefix('$')?;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            if end == 0 {
                return None;
            }
            out.push(crate::text::quoted(&after[..end]));
            rest = &after[end..];
        } else {
            let (inner, behind) = rest.strip_prefix('[')?.split_once(']')?;
            out.push(match inner.parse::<u32>() {
                Ok(at) => at.to_string(),
                Err(_) => crate::text::quoted(inner.strip_prefix(['\'', '"'])?.trim_end_matches(['\'', '"'])),
            });
            rest = behind;
        }
    }
    Some(out.join(", "))
}

/// A value without expressions, as a setting.
fn plain(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(crate::text::literal(text)),
        Value::Array(list) => Value::Array(list.iter().map(plain).collect()),
        Value::Object(map) => Value::Object(map.iter().map(|(name, one)| (name.clone(), plain(one))).collect()),
        other => other.clone(),
    }
}

/// A value of a setting as one expression.
pub(super) fn cel_of(value: &Value) -> String {
    match value {
        Value::String(text) => match text.strip_prefix('=') {
            Some(rest) if rest.starts_with('=') => crate::text::quoted(rest),
            Some(cel) => cel.to_owned(),
            // A text with braces was written with a hole for them.
            None => crate::text::quoted(&text.replace("{{'{{'}}", "{{")),
        },
        Value::Array(list) => format!("[{}]", list.iter().map(cel_of).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let parts: Vec<String> =
                map.iter().map(|(name, one)| format!("{}: {}", crate::text::quoted(name), cel_of(one))).collect();
            format!("{{{}}}", parts.join(", "))
        }
        other => other.to_string(),
    }
}

/// The service of a resource, in words.
fn service(resource: &str) -> String {
    if let Some((_, rest)) = resource.split_once(":::") {
        return format!("the service '{}'", rest.trim_start_matches("aws-sdk:"));
    }
    if resource.contains(":function:") {
        return format!("the function '{}'", resource.rsplit(":function:").next().unwrap_or_default());
    }
    if resource.contains(":activity:") {
        return format!("workers of the activity '{}'", resource.rsplit(':').next().unwrap_or_default());
    }
    if resource.is_empty() { "nothing".into() } else { format!("'{resource}'") }
}
