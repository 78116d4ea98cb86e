//! Node types and the steps that do their work here: triggers and flow. Others are in the modules beside.

use super::maker::{Made, Maker};
use crate::cel::{Cel, Ty};
use crate::report::Level;
use serde_json::{Value, json};
use signalbox_model::Map;

/// Types that serve another node and are no steps.
pub(super) fn is_part(kind: &str) -> bool {
    [
        "lmChat",
        "lm",
        "memory",
        "outputParser",
        "embeddings",
        "textSplitter",
        "document",
        "retriever",
        "vectorStore",
        "reranker",
    ]
    .iter()
    .any(|family| {
        kind.strip_prefix(family)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_uppercase()))
    }) || kind.starts_with("tool") && kind != "tool"
        || kind.ends_with("Tool")
}

/// The steps of a node; a reason when nothing here does its work.
pub(super) fn make(maker: &mut Maker<'_, '_>) -> Result<Made, String> {
    let kind = maker.node().kind.clone();
    if !maker.node().full.starts_with("n8n-nodes-base.") && !maker.node().full.starts_with("@n8n/n8n-nodes-langchain.")
    {
        return Err("its type is of a community package".into());
    }
    Ok(match kind.as_str() {
        "manualTrigger" | "start" | "executeWorkflowTrigger" | "chatTrigger" | "manualChatTrigger" => {
            Made::one("trigger.manual", Map::new())
        }
        "scheduleTrigger" | "cron" | "interval" => maker.schedule(),
        "webhook" => maker.webhook(),
        "formTrigger" => maker.form(),
        "errorTrigger" => maker.error_trigger(),
        "if" => {
            let condition = maker.condition("conditions");
            Made::one("flow.if", Map::from_iter([("condition".into(), json!(condition))])).ports(&["true", "false"])
        }
        "filter" => {
            let condition = maker.condition("conditions");
            Made::one("data.filter", Map::from_iter([("when".into(), json!(condition))]))
        }
        "switch" => maker.switch()?,
        "merge" => maker.merge()?,
        "splitInBatches" => maker.looped(),
        "wait" => maker.wait()?,
        "noOp" => Made::one("flow.noop", Map::new()),
        "stopAndError" => maker.stop(),
        "respondToWebhook" => maker.respond(),
        "executeWorkflow" => maker.sub_workflow()?,
        "code" | "function" | "functionItem" => {
            maker.code().ok_or("its script is in Python, or too long for one step")?
        }
        "httpRequest" => maker.http(),
        "agent" | "chainLlm" | "openAi" | "openAiAssistant" | "chainSummarization" | "anthropic" | "googleGemini"
        | "ollama" => maker.model_step()?,
        _ => return maker.data_step(),
    })
}

impl Maker<'_, '_> {
    fn condition(&mut self, setting: &str) -> String {
        let loose = self.flag("looseTypeValidation") || self.flag("options.looseTypeValidation");
        match self.p(setting).and_then(Value::as_object) {
            Some(all) => self.conditions(setting, all, loose),
            None => "true".to_owned(),
        }
    }

    fn zone(&self) -> Option<String> {
        self.place.zone.map(str::to_owned)
    }

    fn schedule(&mut self) -> Made {
        let mut crons: Vec<Value> = Vec::new();
        let number = |row: &Map, name: &str, default: u64| row.get(name).and_then(Value::as_u64).unwrap_or(default);
        let cron = |text: String| json!({ "cron": text });
        let every = |ms: u64| json!({ "every": ms.max(1_000) });
        if self.node().kind == "interval" {
            let unit = match self.text("unit") {
                "minutes" => 60_000,
                "hours" => 3_600_000,
                _ => 1_000,
            };
            crons.push(every(self.p("interval").and_then(Value::as_u64).unwrap_or(1).saturating_mul(unit)));
        }
        let rows = if self.node().kind == "cron" { self.rows("triggerTimes.item") } else { self.rows("rule.interval") };
        for row in rows {
            let field = row.get("field").or_else(|| row.get("mode")).and_then(Value::as_str).unwrap_or("days");
            let (minute, hour) = (
                number(row, "triggerAtMinute", number(row, "minute", 0)),
                number(row, "triggerAtHour", number(row, "hour", 0)),
            );
            let expression = row.get("expression").or_else(|| row.get("cronExpression")).and_then(Value::as_str);
            match field {
                "seconds" => crons.push(every(number(row, "secondsInterval", 30) * 1_000)),
                "minutes" => crons.push(every(number(row, "minutesInterval", 5) * 60_000)),
                "everyMinute" => crons.push(cron("* * * * *".into())),
                "everyHour" => crons.push(cron(format!("{minute} * * * *"))),
                "everyX" => {
                    let unit =
                        if row.get("unit").and_then(Value::as_str) == Some("minutes") { 60_000 } else { 3_600_000 };
                    crons.push(every(number(row, "value", 1) * unit));
                }
                "hours" => match number(row, "hoursInterval", 1) {
                    1 => crons.push(cron(format!("{minute} * * * *"))),
                    n if n < 24 => crons.push(cron(format!("{minute} */{n} * * *"))),
                    n => crons.push(every(n * 3_600_000)),
                },
                "days" | "everyDay" => match number(row, "daysInterval", 1) {
                    1 => crons.push(cron(format!("{minute} {hour} * * *"))),
                    n if n < 32 => crons.push(cron(format!("{minute} {hour} */{n} * *"))),
                    n => crons.push(every(n * 86_400_000)),
                },
                "weeks" | "everyWeek" => {
                    let days: Vec<String> = match row.get("triggerAtDay").or_else(|| row.get("weekday")) {
                        Some(Value::Array(days)) if !days.is_empty() => {
                            days.iter().filter_map(Value::as_u64).map(|day| day.to_string()).collect()
                        }
                        Some(Value::String(day)) => vec![day.clone()],
                        Some(Value::Number(day)) => vec![day.to_string()],
                        _ => vec!["0".into()],
                    };
                    if number(row, "weeksInterval", 1) > 1 {
                        let hint = "Let the workflow check the week itself.";
                        self.warn("SCHEDULE", "rule", "The schedule skips weeks; here it is every week.", hint);
                    }
                    crons.push(cron(format!("{minute} {hour} * * {}", days.join(","))));
                }
                "months" | "everyMonth" => {
                    let day = number(row, "triggerAtDayOfMonth", number(row, "dayOfMonth", 1));
                    let months = match number(row, "monthsInterval", 1) {
                        1 => "*".to_owned(),
                        n => format!("*/{n}"),
                    };
                    crons.push(cron(format!("{minute} {hour} {day} {months} *")));
                }
                "cronExpression" | "custom" => {
                    let text = expression.unwrap_or("0 0 * * *").trim().trim_start_matches('=').to_owned();
                    let fields: Vec<&str> = text.split_whitespace().collect();
                    // The first of six fields is the second.
                    let five = if fields.len() == 6 { fields[1..].join(" ") } else { fields.join(" ") };
                    if fields.len() == 6 && fields[0] != "0" {
                        let message = format!("The schedule '{text}' has seconds; here it is '{five}'.");
                        self.warn("SCHEDULE", "rule", message, "Use 'every' for times below a minute.");
                    }
                    crons.push(cron(five));
                }
                other => {
                    let message = format!("The schedule '{other}' is not known; here it is every day at midnight.");
                    self.tell(Level::Problem, "SCHEDULE", "rule", message, "Set the time.");
                    crons.push(cron("0 0 * * *".into()));
                }
            }
        }
        if crons.is_empty() {
            crons.push(cron("0 0 * * *".into()));
        }
        let zone = self.zone();
        if zone.is_none() && crons.iter().any(|one| one.get("cron").is_some()) {
            let message =
                "The file names no time zone; the schedule is in UTC. The other program uses the zone of its server.";
            self.warn("NO_ZONE", "", message, "Set the time zone of the schedule.");
        }
        let mut made = Made::default();
        let mut outs = Vec::new();
        for (n, mut config) in crons.into_iter().enumerate() {
            if let (Some(zone), Some(_)) = (&zone, config.get("cron")) {
                config["timezone"] = json!(zone);
            }
            let Value::Object(config) = config else { continue };
            made = made.then(if n == 0 { "" } else { "_more" }, "trigger.schedule", config);
            outs.push((n, "success".to_owned()));
        }
        made.inner.clear();
        made.outs = vec![outs];
        made.fails.clear();
        made
    }

    fn webhook(&mut self) -> Made {
        let mut config = Map::new();
        let path = self.text("path").trim_matches('/');
        let path: String =
            path.chars().map(|c| if c.is_ascii_alphanumeric() || "-_./".contains(c) { c } else { '-' }).collect();
        if path.contains(':') || self.text("path").contains(':') {
            self.warn(
                "PATH_PARAMS",
                "path",
                "The path has parameters (':name'); here it is a fixed path.",
                "Take them from the query instead.",
            );
        }
        let path = if path.is_empty() { self.node().id.to_lowercase() } else { path };
        config.insert("path".into(), json!(path));
        let methods = match self.p("httpMethod") {
            Some(Value::Array(all)) => json!(all),
            Some(Value::String(one)) => json!([one]),
            _ => json!(["GET"]),
        };
        config.insert("methods".into(), methods);
        match self.text("responseMode") {
            "lastNode" => drop(config.insert("respond".into(), json!("ended"))),
            "responseNode" => drop(config.insert("respond".into(), json!("step"))),
            _ => {}
        }
        match self.text("authentication") {
            "" | "none" => {}
            other => {
                let secret = self.credential();
                let kind = if other == "basicAuth" { "basic" } else { "secret" };
                let secret = secret.unwrap_or_else(|| "secret://webhook".to_owned());
                let mut auth = json!({ "type": kind, "secret": secret });
                if kind == "basic" {
                    auth["username"] = json!("webhook");
                }
                config.insert("auth".into(), auth);
                let message =
                    format!("The webhook asks senders for '{other}'; what they have to send is a secret here.");
                self.tell(
                    Level::Missing,
                    "WEBHOOK_AUTH",
                    "authentication",
                    message,
                    "Check who may start runs, and the header.",
                );
            }
        }
        Made::one("trigger.webhook", config)
    }

    fn form(&mut self) -> Made {
        let mut properties = Map::new();
        let mut needed = Vec::new();
        for row in self.rows("formFields.values") {
            let get = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
            let name = [get("fieldLabel"), get("fieldName")]
                .into_iter()
                .find(|name| !name.is_empty())
                .unwrap_or("field")
                .to_owned();
            let options: Vec<&str> = row
                .get("fieldOptions")
                .and_then(|all| all["values"].as_array())
                .into_iter()
                .flatten()
                .filter_map(|one| one["option"].as_str())
                .collect();
            let schema = match get("fieldType") {
                "number" => json!({ "type": "number" }),
                "date" => json!({ "type": "string", "format": "date" }),
                "email" => json!({ "type": "string", "format": "email" }),
                "textarea" => json!({ "type": "string", "x-ui": { "widget": "textarea" } }),
                "file" => json!({ "type": "string", "format": "binary" }),
                "dropdown" | "radio" if !options.is_empty() => json!({ "type": "string", "enum": options }),
                "checkbox" if !options.is_empty() => {
                    json!({ "type": "array", "items": { "type": "string", "enum": options } })
                }
                "html" | "hiddenField" => continue,
                _ => json!({ "type": "string" }),
            };
            if row.get("requiredField") == Some(&Value::Bool(true)) {
                needed.push(name.clone());
            }
            properties.insert(name, schema);
        }
        let mut schema = json!({ "type": "object", "properties": properties });
        if !needed.is_empty() {
            schema["required"] = json!(needed);
        }
        let path: String = [self.text("path"), self.text("options.path"), &self.node().id]
            .into_iter()
            .find(|path| !path.is_empty())
            .unwrap_or("form")
            .to_lowercase()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' })
            .collect();
        let mut config = Map::from_iter([("path".into(), json!(path)), ("schema".into(), schema)]);
        for (from, to) in
            [("formTitle", "title"), ("formDescription", "description"), ("options.buttonLabel", "submitLabel")]
        {
            let text = self.text(from).trim_start_matches('=').to_owned();
            if !text.is_empty() {
                config.insert(to.into(), json!(text));
            }
        }
        if self.text("responseMode") == "lastNode" {
            config.insert("respond".into(), json!("result"));
        }
        let answers =
            Map::from_iter([("expression".into(), json!("put(item.answers, ['submittedAt'], item.submittedAt)"))]);
        let mut made = Made::default()
            .then("_form", "trigger.form", config)
            .then("", "data.transform", answers)
            .titled("Answers of the form");
        made.fails = vec![1];
        made
    }

    fn error_trigger(&mut self) -> Made {
        let shape = "{'execution': {'id': item.run.id, 'url': item.link, 'mode': 'trigger', 'error': {'message': item.error.message, 'name': item.error.type}, \
                     'lastNodeExecuted': item.error.originNode}, 'workflow': {'id': item.run.workflowId, 'name': item.run.workflowName}}";
        let hint = "Choose the workflows whose failures start it, once they are imported.";
        self.warn("ERROR_WORKFLOW", "", "It starts when any other workflow fails.", hint);
        let config = Map::from_iter([("expression".into(), json!(shape))]);
        let mut made = Made::default()
            .then("_trigger", "trigger.error", Map::new())
            .then("", "data.transform", config)
            .titled("The failed run, as n8n tells it");
        made.fails = vec![1];
        made
    }

    fn switch(&mut self) -> Result<Made, String> {
        let mut cases: Vec<(String, String)> = Vec::new();
        let mut ports: Vec<String> = Vec::new();
        let expression = self.text("mode") == "expression";
        if expression {
            let count = self
                .p("numberOutputs")
                .or_else(|| self.p("outputsAmount"))
                .and_then(Value::as_u64)
                .unwrap_or(4)
                .min(49);
            let written = self.p("output").cloned().unwrap_or(json!(0));
            let value = match &written {
                Value::String(text) => self.cel("output", text),
                other => Cel::new(other.to_string(), Ty::Number),
            };
            for n in 0..count {
                let test = value.or_null().binary("==", &Cel::new(n.to_string(), Ty::Number), Ty::Bool);
                cases.push((test.text, format!("output{n}")));
            }
            ports.extend((0..count).map(|n| format!("output{n}")));
        } else if self.node().version >= 3.0 || self.p("rules.values").is_some() {
            let loose = self.flag("options.looseTypeValidation");
            for (n, row) in self.rows("rules.values").into_iter().enumerate().take(49) {
                let test = match row.get("conditions").and_then(Value::as_object) {
                    Some(all) => self.conditions("rules", all, loose),
                    None => "true".to_owned(),
                };
                let name = row.get("outputKey").and_then(Value::as_str).unwrap_or_default();
                let port = port(name, n, &ports);
                ports.push(port.clone());
                cases.push((test, port));
            }
        } else {
            let kind = self.text("dataType").to_owned();
            let kind = if kind.is_empty() { "number".to_owned() } else { kind };
            let rows = self.rows("rules.rules");
            let most =
                rows.iter().filter_map(|row| row.get("output").and_then(Value::as_u64)).max().unwrap_or(3).min(20);
            ports.extend((0..=most).map(|n| format!("output{n}")));
            for row in rows.into_iter().take(49) {
                let left = self.operand("value1", self.p("value1"), &kind);
                let right = self.operand("rules", row.get("value2"), &kind);
                let action = row.get("operation").and_then(Value::as_str).unwrap_or("equal");
                let test = self.row("rules", &kind, action, left, right, true, true);
                let to = row.get("output").and_then(Value::as_u64).unwrap_or(0).min(most);
                cases.push((test.text, format!("output{to}_{}", cases.len())));
            }
        }
        if cases.is_empty() {
            return Err("it has no rules".into());
        }
        if self.flag("options.allMatchingOutputs") {
            let hint = "Use several If steps where an item may take several ways.";
            self.warn(
                "ALL_MATCHING",
                "options",
                "An item leaves through every rule that fits; here through the first one.",
                hint,
            );
        }
        let list: Vec<Value> = cases.iter().map(|(when, port)| json!({ "when": when, "port": port })).collect();
        let mut made = Made::one("flow.switch", Map::from_iter([("cases".into(), json!(list))]));
        made.outs = if self.node().version >= 3.0 || expression {
            ports.iter().map(|port| vec![(0, port.clone())]).collect()
        } else {
            // Several rules lead to one output.
            ports
                .iter()
                .map(|port| {
                    let of = format!("{port}_");
                    cases.iter().filter(|(_, case)| case.starts_with(&of)).map(|(_, case)| (0, case.clone())).collect()
                })
                .collect()
        };
        let fallback = self.p("options.fallbackOutput").or_else(|| self.p("fallbackOutput"));
        match fallback {
            Some(Value::String(word)) if word == "extra" => made.outs.push(vec![(0, "default".into())]),
            Some(Value::Number(at)) => {
                if let Some(out) = at.as_u64().and_then(|at| made.outs.get_mut(usize::try_from(at).ok()?)) {
                    out.push((0, "default".into()));
                }
            }
            _ => {}
        }
        Ok(made)
    }

    fn merge(&mut self) -> Result<Made, String> {
        let mode = match self.text("mode") {
            "" => "append",
            other => other,
        };
        let by = self.text("combineBy");
        let by = if by.is_empty() { self.text("combinationMode") } else { by };
        let first = self.inputs.first().cloned().unwrap_or_default();
        let second = self.inputs.get(1).cloned().unwrap_or_default();
        let items = |id: &str| format!("coalesce(nodes.{id}.items, [])");
        let transform =
            |text: String| Map::from_iter([("expression".into(), json!(text)), ("split".into(), json!(true))]);
        Ok(match (mode, by) {
            ("append", _) => Made::one("flow.noop", Map::new()),
            ("chooseBranch" | "passThrough" | "wait", _) => {
                let wanted = [self.text("useDataOfInput"), self.text("output")].join("");
                let of = if wanted.contains('2') { &second } else { &first };
                Made::one("data.transform", transform(items(of))).all()
            }
            ("mergeByKey", _) | ("combine", "" | "combineByFields" | "mergeByFields") => {
                let mut keys = Vec::new();
                let text = self.text("fieldsToMatchString").to_owned();
                keys.extend(
                    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(|name| json!({ "field": name })),
                );
                for row in [self.rows("mergeByFields.values"), self.rows("fieldsToMatch.values")].concat() {
                    let get = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                    keys.push(json!({ "field": get("field1"), "otherField": get("field2") }));
                }
                if !self.text("propertyName1").is_empty() {
                    keys.push(json!({ "field": self.text("propertyName1"), "otherField": self.text("propertyName2") }));
                }
                if keys.is_empty() {
                    return Err("it names no fields to match".into());
                }
                let join = match self.text("joinMode") {
                    "keepEverything" => "outer",
                    "enrichInput1" => "left",
                    "keepNonMatches" | "enrichInput2" => {
                        return Err("this way of joining has no step here; see 'Merge by key'".into());
                    }
                    _ => "inner",
                };
                let mut config = Map::from_iter([("keys".into(), json!(keys)), ("second".into(), json!(second))]);
                config.insert("join".into(), json!(join));
                config.insert("missing".into(), json!("empty"));
                config.insert("sameNames".into(), json!("second"));
                Made::one("data.merge", config)
            }
            ("mergeByIndex" | "mergeByPosition", _) | ("combine", "combineByPosition" | "mergeByPosition") => {
                let source = "const [a, b] = [item.first, item.second];\nreturn a.slice(0, b.length).map((one, at) => ({ ...one, ...b[at] }));";
                pairs(source, "Pairs by position", &items(&first), &items(&second))
            }
            ("multiplex", _) | ("combine", "combineAll" | "multiplex") => {
                let source = "return item.first.flatMap(one => item.second.map(two => ({ ...one, ...two })));";
                pairs(source, "All pairs", &items(&first), &items(&second))
            }
            (other, _) => return Err(format!("its mode '{other}' has no step here")),
        })
    }

    fn looped(&mut self) -> Made {
        let size =
            self.p("batchSize").and_then(Value::as_u64).unwrap_or(if self.node().version < 3.0 { 10 } else { 1 });
        if size > 1 {
            let message =
                format!("\"{}\" takes {size} items at a time; here each item is a round of its own.", self.node().name);
            self.warn("BATCH_SIZE", "batchSize", message, "Make the loop parallel if its rounds may overlap.");
        }
        let config = Map::from_iter([("mode".into(), json!("serial"))]);
        let mut made = Made::one("flow.loop", config);
        // Version 3 has its outputs the other way round.
        let done = vec![(0, "success".to_owned())];
        if self.node().version >= 3.0 {
            made.outs = vec![done, Vec::new()];
            made.body = Some(1);
        } else {
            made.outs = vec![Vec::new(), done];
            made.body = Some(0);
        }
        made
    }

    fn wait(&mut self) -> Result<Made, String> {
        let mut config = Map::new();
        match self.text("resume") {
            "" | "timeInterval" => {
                let default = if self.node().version < 1.1 { (1.0, "hours") } else { (5.0, "seconds") };
                let unit = match self.text("unit") {
                    "" => default.1,
                    other => other,
                };
                let factor = match unit {
                    "seconds" => 1_000.0,
                    "minutes" => 60_000.0,
                    "days" => 86_400_000.0,
                    _ => 3_600_000.0,
                };
                match self.p("amount") {
                    Some(Value::String(text)) if text.starts_with('=') => {
                        let amount = self.cel("amount", text);
                        let ms = amount.binary("*", &Cel::new(format!("{factor}"), Ty::Number), Ty::Number);
                        config.insert("ms".into(), json!(format!("=int({})", ms.text)));
                    }
                    given => {
                        let amount =
                            given.and_then(|v| v.as_f64().or_else(|| v.as_str()?.parse().ok())).unwrap_or(default.0);
                        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                        let ms = (amount * factor).round().clamp(0.0, 31_622_400_000.0) as u64;
                        config.insert("ms".into(), json!(ms));
                    }
                }
                Ok(Made::one("flow.wait", config))
            }
            "specificTime" => {
                let time = self.p("dateTime").cloned().unwrap_or_default();
                let time = self.value("dateTime", &time);
                config.insert("until".into(), time);
                Ok(Made::one("flow.wait", config))
            }
            "webhook" | "form" => {
                config.insert("reason".into(), json!("The other program waits here for a call or a form."));
                let message =
                    "It waits for a call from outside; here a person, or a call of the inbox, continues the run.";
                self.warn("WAIT_FOR_CALL", "resume", message, "Tell who calls the address of the task.");
                Ok(Made::one("flow.pause", config))
            }
            other => Err(format!("it resumes by '{other}'")),
        }
    }

    fn stop(&mut self) -> Made {
        let object = self.text("errorType") == "errorObject";
        let setting = if object { "errorObject" } else { "errorMessage" };
        let text = self.text(setting).to_owned();
        let message =
            if text.is_empty() { json!("Stopped by the workflow") } else { json!(self.written(setting, &text)) };
        let config = Map::from_iter([("error".into(), json!({ "type": "UnknownError", "message": message }))]);
        let mut made = Made::one("flow.fail", config);
        made.outs = Vec::new();
        made
    }

    fn respond(&mut self) -> Made {
        let mut config = Map::new();
        if let Some(code) = self.p("options.responseCode").cloned() {
            config.insert("status".into(), self.value("options.responseCode", &code));
        }
        let mut headers = self.pairs("options.responseHeaders.entries");
        match self.text("respondWith") {
            "" | "firstIncomingItem" => drop(config.insert("body".into(), json!("=item"))),
            "allIncomingItems" => drop(config.insert("body".into(), json!("=items"))),
            "json" => {
                let body = match self.p("responseBody") {
                    Some(Value::String(text)) => self.json("responseBody", text),
                    other => other.cloned().unwrap_or_default(),
                };
                config.insert("body".into(), body);
            }
            "text" => {
                let text = self.text("responseBody").to_owned();
                config.insert("body".into(), json!(self.written("responseBody", &text)));
            }
            "noData" => {}
            "redirect" => {
                let text = self.text("redirectURL").to_owned();
                headers.insert("location".into(), json!(self.written("redirectURL", &text)));
                config.insert("status".into(), json!(302));
            }
            other => {
                let message = format!("It answers with '{other}', which is not translated; here the answer is empty.");
                self.tell(Level::Problem, "RESPOND", "respondWith", message, "Set the body of the answer.");
            }
        }
        if !headers.is_empty() {
            config.insert("headers".into(), Value::Object(headers));
        }
        Made::one("flow.respond", config)
    }

    fn sub_workflow(&mut self) -> Result<Made, String> {
        let id = match self.p("workflowId").or_else(|| self.p("workflow")) {
            Some(Value::String(id)) if !id.starts_with('=') => id.clone(),
            Some(Value::Number(id)) => id.to_string(),
            _ => return Err("the workflow that it calls is not in the file, or is computed".into()),
        };
        let name = self.node().params.get("workflowId").and_then(|v| v["cachedResultName"].as_str()).map(str::to_owned);
        let slug: String = crate::slug(name.as_deref().unwrap_or(&id));
        let message = format!(
            "It calls the workflow {}, which is a file of its own.",
            name.map_or(id.clone(), |name| format!("\"{name}\" ({id})"))
        );
        self.tell(
            Level::Missing,
            "SUB_WORKFLOW",
            "workflowId",
            message,
            format!("Import that workflow, too, and give it the id '{slug}'."),
        );
        let params = match self.p("workflowInputs.value") {
            Some(Value::Object(all)) if !all.is_empty() => {
                let all = Value::Object(all.clone());
                self.value("workflowInputs", &all)
            }
            _ => json!("=item"),
        };
        let config = Map::from_iter([("workflow".into(), json!(slug)), ("params".into(), params)]);
        Ok(Made::one("flow.subworkflow", config))
    }
}

/// A script over both lists, and its result as items.
fn pairs(source: &str, title: &str, first: &str, second: &str) -> Made {
    let config = Map::from_iter([("source".into(), json!(source))]);
    let mut made = Made::default().then("_pairs", "code.javascript", config);
    if let Some(step) = made.last() {
        step.input = Some(Map::from_iter([
            ("first".into(), json!(format!("={first}"))),
            ("second".into(), json!(format!("={second}"))),
        ]));
    }
    made.all().titled(title).then("", "data.split", Map::new())
}

/// The port of a rule, by its name.
fn port(name: &str, n: usize, taken: &[String]) -> String {
    let mut port: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' })
        .take(36)
        .collect();
    if port.trim_matches('_').is_empty()
        || matches!(port.as_str(), "default" | "error" | "success")
        || taken.contains(&port)
    {
        port = format!("output{n}");
    }
    port
}
