//! Workflows as state machines of the Amazon States Language, as far as both say the same; what is lost is listed (ADR 156).

mod cel;

use cel::{Here, expression, quoted, value};
use serde::Serialize;
use serde_json::{Value, json};
use signalbox_model::workflow::Backoff;
use signalbox_model::{Map, Node, Workflow};
use std::collections::{BTreeMap, BTreeSet};

/// What a machine does not have of the workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Lost {
    /// The step; none when it is about the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// What, and what to do there.
    pub message: String,
}

/// A machine and what was lost.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The machine, in JSONata.
    pub machine: Value,
    /// What it does not have.
    pub lost: Vec<Lost>,
}

struct Exporter<'w> {
    workflow: &'w Workflow,
    /// (step, port) → targets.
    wires: BTreeMap<(&'w str, &'w str), Vec<&'w str>>,
    /// Steps whose output others name.
    named: BTreeSet<String>,
    lost: Vec<Lost>,
}

/// Translates a workflow. A step that has no translation becomes a Fail state, and is listed.
///
/// # Errors
/// A sentence: what the workflow has that a machine cannot begin with.
pub fn export(workflow: &Workflow) -> Result<Exported, String> {
    let mut wires: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for edge in &workflow.edges {
        wires.entry((edge.from.node(), edge.from.port())).or_default().push(&edge.to);
    }
    let mut exporter = Exporter { workflow, wires, named: BTreeSet::new(), lost: Vec::new() };
    // The first time tells which outputs have to be kept in variables.
    exporter.machine(None, None)?;
    exporter.lost.clear();
    let mut machine = exporter.machine(None, None)?;
    machine.insert("QueryLanguage".into(), "JSONata".into());
    if let Some(text) = &workflow.description {
        machine.insert("Comment".into(), text.as_str().into());
    }
    let initial = workflow.context.as_ref().and_then(|context| context.initial.as_ref()).filter(|all| !all.is_empty());
    if let Some(initial) = initial {
        let start = machine.insert("StartAt".into(), "variables".into()).unwrap_or_default();
        let state = json!({ "Type": "Pass", "Assign": initial, "Next": start });
        if let Some(states) = machine.get_mut("States").and_then(Value::as_object_mut) {
            states.insert("variables".into(), state);
        }
    }
    let mut lost = exporter.lost;
    let handled = workflow
        .nodes
        .keys()
        .all(|id| workflow.edges.iter().any(|edge| edge.from.node() == id && edge.from.port() == "error"));
    if !handled {
        let message =
            "Errors that no wire takes end the machine; here the error policy decides, which may ask a person.";
        lost.push(Lost { step: None, message: message.into() });
    }
    Ok(Exported { machine: Value::Object(machine), lost })
}

impl<'w> Exporter<'w> {
    fn lose(&mut self, step: &str, message: impl Into<String>) {
        self.lost.push(Lost { step: Some(step.to_owned()), message: message.into() });
    }

    /// The steps of a container, or of the file, from those that nothing leads to; `only`: what one of them leads to.
    fn machine(&mut self, parent: Option<&str>, only: Option<&str>) -> Result<Map, String> {
        let inside: Vec<(&'w str, &'w Node)> = self
            .workflow
            .nodes
            .iter()
            .map(|(id, node)| (id.as_str(), node))
            .filter(|(_, node)| node.parent.as_deref() == parent)
            .collect();
        let begins = match only {
            Some(begin) => vec![begin],
            None => self.entries(&inside),
        };
        let [start] = begins.as_slice() else {
            return Err(match (parent, begins.len()) {
                (_, 0) => "There is no step to begin with.".into(),
                (Some(container), _) => format!("Several steps begin in '{container}'; a machine begins with one."),
                (None, _) => format!("Several steps begin ({}); a machine begins with one.", begins.join(", ")),
            });
        };
        let mut states = Map::new();
        let mut open = vec![(*start).to_owned()];
        while let Some(id) = open.pop() {
            if states.contains_key(&id) {
                continue;
            }
            let Some(node) = self.workflow.nodes.get(&id) else { continue };
            let state = self.state(&id, node).unwrap_or_else(|why| {
                self.lose(&id, format!("It is not exported: {why}. A Fail state stands in its place."));
                Map::from_iter([
                    ("Type".to_owned(), json!("Fail")),
                    ("Error".to_owned(), json!("NotExported")),
                    ("Cause".to_owned(), json!(format!("Write the state '{id}' anew."))),
                ])
            });
            for target in targets(&state) {
                if self.workflow.nodes.contains_key(&target) {
                    open.push(target);
                } else {
                    states.insert(target, json!({ "Type": "Succeed" }));
                }
            }
            states.insert(id, Value::Object(state));
        }
        Ok(Map::from_iter([("StartAt".to_owned(), json!(start)), ("States".to_owned(), Value::Object(states))]))
    }

    /// Steps that nothing leads to; what a trigger leads to takes its place.
    fn entries(&mut self, inside: &[(&'w str, &'w Node)]) -> Vec<&'w str> {
        let mut begins: Vec<&'w str> = Vec::new();
        for (id, node) in inside {
            if self.workflow.edges.iter().any(|edge| edge.to == *id) {
                continue;
            }
            if node.kind.starts_with("trigger.") {
                if node.kind != "trigger.manual" {
                    self.lose(
                        id,
                        format!("'{}' does not start a machine: start it by a rule of the service.", node.kind),
                    );
                }
                begins.extend(self.wires.get(&(*id, "success")).into_iter().flatten().copied());
            } else {
                begins.push(id);
            }
        }
        begins.sort_unstable();
        begins.dedup();
        begins
    }

    fn next(&self, id: &str, port: &str) -> Result<Option<&'w str>, String> {
        match self.wires.get(&(id, port)).map(Vec::as_slice) {
            None | Some([]) => Ok(None),
            Some([one]) => Ok(Some(one)),
            Some(_) => {
                Err(format!("its port '{port}' leads to several steps at once; put them into parallel branches"))
            }
        }
    }

    fn here<'a>(&'a mut self, item: &'a str) -> Here<'a> {
        Here { item, named: &mut self.named }
    }

    fn goes_on(&self, id: &str, port: &str, state: &mut Map) -> Result<(), String> {
        match self.next(id, port)? {
            Some(next) => state.insert("Next".into(), next.into()),
            None => state.insert("End".into(), true.into()),
        };
        Ok(())
    }

    fn state(&mut self, id: &str, node: &'w Node) -> Result<Map, String> {
        let empty = Map::new();
        let config = node.config.as_ref().and_then(Value::as_object).unwrap_or(&empty);
        if node.condition.is_some() || node.input.is_some() {
            return Err("its condition or its own input has no counterpart".into());
        }
        let mut state = Map::new();
        if let Some(title) = node.title.as_ref().or(node.description.as_ref()) {
            state.insert("Comment".into(), title.as_str().into());
        }
        // What leaves the step, as an expression.
        let mut output = "$states.input".to_owned();
        match node.kind.as_str() {
            "flow.noop" => drop(state.insert("Type".into(), "Pass".into())),
            "data.set" => {
                let assign = config.get("assign").and_then(Value::as_object).ok_or("it sets nothing")?;
                if assign.keys().any(|name| name.contains(['.', '['])) {
                    return Err("it sets a field inside another one".into());
                }
                let mut parts = Vec::new();
                for (name, one) in assign {
                    parts.push(format!("{}: {}", quoted(name), self.inline(one)?));
                }
                let made = format!("{{{}}}", parts.join(", "));
                let keeps = config.get("keep") != Some(&Value::Bool(false));
                output = if keeps { format!("$merge([$states.input, {made}])") } else { made };
                state.insert("Type".into(), "Pass".into());
            }
            "data.transform" if config.get("split") != Some(&Value::Bool(true)) => {
                let cel = config.get("expression").and_then(Value::as_str).unwrap_or_default();
                output = expression(cel, &mut self.here("$states.input"))?;
                state.insert("Type".into(), "Pass".into());
            }
            // Behind a loop: the list is there already.
            "data.aggregate" if self.gathers(id) => {
                let into = config.get("into").and_then(Value::as_str).unwrap_or("items");
                output = format!("{{{}: $states.input}}", quoted(into));
                state.insert("Type".into(), "Pass".into());
            }
            "flow.if" | "flow.switch" => return self.choice(id, node, config, state),
            "flow.wait" => {
                state.insert("Type".into(), "Wait".into());
                match (config.get("ms"), config.get("until")) {
                    (Some(Value::Number(ms)), _) => {
                        let seconds = ms.as_u64().unwrap_or(0).div_ceil(1_000);
                        if ms.as_u64().unwrap_or(0) % 1_000 != 0 {
                            self.lose(id, "Machines wait whole seconds; the time is rounded up.");
                        }
                        state.insert("Seconds".into(), seconds.into())
                    }
                    (None, Some(until)) => {
                        let until = value(until, &mut self.here("$states.input"))?;
                        state.insert("Timestamp".into(), until)
                    }
                    _ => return Err("its duration is computed".into()),
                };
            }
            "flow.fail" => {
                let error = config.get("error").cloned().unwrap_or_default();
                state.insert("Type".into(), "Fail".into());
                let cause = value(&error["message"], &mut self.here("$states.input"))?;
                let code = ["error", "code"].into_iter().find_map(|name| error["details"].get(name));
                let name = code.or(error.get("type")).cloned().unwrap_or_else(|| "UnknownError".into());
                let name = value(&name, &mut self.here("$states.input"))?;
                state.insert("Error".into(), name);
                state.insert("Cause".into(), cause);
                return Ok(state);
            }
            "flow.stop" => {
                state.insert("Type".into(), "Succeed".into());
                return Ok(state);
            }
            "http.request" => output = self.request(id, node, config, &mut state)?,
            "flow.loop" => output = self.looped(id, config, &mut state)?,
            "flow.parallel" => output = self.branches(id, &mut state)?,
            other => return Err(format!("no state does what '{other}' does")),
        }
        self.handled(id, node, &mut state)?;
        let mut variables = Map::new();
        if self.named.contains(id) {
            variables.insert(format!("of_{id}"), format!("{{% {output} %}}").into());
        }
        for (name, given) in node.out.iter().flatten() {
            let Some(name) = name.strip_prefix('$').filter(|name| !name.contains(['.', '['])) else {
                return Err(format!("it writes '{name}'"));
            };
            let given = given.as_str().map(|text| text.replace("_result", "item"));
            let given = given.map_or_else(
                || node.out.as_ref().and_then(|out| out.get(&format!("${name}"))).cloned(),
                |text| Some(text.into()),
            );
            let item = output.clone();
            variables.insert(name.to_owned(), value(&given.unwrap_or_default(), &mut self.here(&item))?);
        }
        if !variables.is_empty() {
            state.insert("Assign".into(), Value::Object(variables));
        }
        if output != "$states.input" || state.get("Type") == Some(&json!("Task")) {
            state.insert("Output".into(), format!("{{% {output} %}}").into());
        }
        self.goes_on(id, "success", &mut state)?;
        Ok(state)
    }

    /// A value inside an expression.
    fn inline(&mut self, given: &Value) -> Result<String, String> {
        Ok(match given {
            Value::String(_) => match value(given, &mut self.here("$states.input"))?.as_str() {
                Some(text) => match text.strip_prefix("{%").and_then(|rest| rest.strip_suffix("%}")) {
                    Some(expression) => expression.trim().to_owned(),
                    None => quoted(text),
                },
                None => "null".into(),
            },
            Value::Array(list) => {
                let parts: Vec<String> = list.iter().map(|one| self.inline(one)).collect::<Result<_, _>>()?;
                format!("[{}]", parts.join(", "))
            }
            Value::Object(map) => {
                let mut parts = Vec::new();
                for (name, one) in map {
                    parts.push(format!("{}: {}", quoted(name), self.inline(one)?));
                }
                format!("{{{}}}", parts.join(", "))
            }
            other => other.to_string(),
        })
    }

    /// Whether what comes to a step is the list of a loop or of branches.
    fn gathers(&self, id: &str) -> bool {
        let mut from = self.workflow.edges.iter().filter(|edge| edge.to == id).map(|edge| edge.from.node());
        let is_container = |step: &str| {
            let kind = self.workflow.nodes.get(step).map(|node| node.kind.as_str());
            matches!(kind, Some("flow.loop" | "flow.parallel"))
        };
        from.clone().next().is_some() && from.all(is_container)
    }

    fn choice(&mut self, id: &str, node: &Node, config: &Map, mut state: Map) -> Result<Map, String> {
        let mut cases: Vec<(String, String)> = Vec::new();
        if node.kind == "flow.if" {
            let test = config.get("condition").and_then(Value::as_str).unwrap_or_default();
            cases.push((expression(test, &mut self.here("$states.input"))?, "true".into()));
        }
        for case in config.get("cases").and_then(Value::as_array).into_iter().flatten() {
            let test = expression(case["when"].as_str().unwrap_or_default(), &mut self.here("$states.input"))?;
            cases.push((test, case["port"].as_str().unwrap_or_default().to_owned()));
        }
        let mut choices = Vec::new();
        for (test, port) in &cases {
            let next = self.next(id, port)?.map_or_else(|| format!("{id}_ends"), str::to_owned);
            choices.push(json!({ "Condition": format!("{{% {test} %}}"), "Next": next }));
        }
        let other = if node.kind == "flow.if" { "false" } else { "default" };
        let next = self.next(id, other)?.map_or_else(|| format!("{id}_ends"), str::to_owned);
        state.insert("Type".into(), "Choice".into());
        state.insert("Choices".into(), choices.into());
        state.insert("Default".into(), next.into());
        if self.named.contains(id) {
            state.insert("Assign".into(), json!({ format!("of_{id}"): "{% $states.input %}" }));
        }
        Ok(state)
    }

    fn request(&mut self, id: &str, node: &Node, config: &Map, state: &mut Map) -> Result<String, String> {
        let known = ["method", "url", "query", "headers", "body", "credential", "timeoutMs"];
        if let Some(other) = config.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(format!("its setting '{other}' has no counterpart"));
        }
        let mut arguments = Map::new();
        arguments.insert("Method".into(), config.get("method").cloned().unwrap_or_else(|| "GET".into()));
        for (from, to) in
            [("url", "ApiEndpoint"), ("query", "QueryParameters"), ("headers", "Headers"), ("body", "RequestBody")]
        {
            if let Some(given) = config.get(from) {
                arguments.insert(to.into(), value(given, &mut self.here("$states.input"))?);
            }
        }
        let message = match config.get("credential").and_then(Value::as_str) {
            Some(name) => {
                format!("Make a connection of the service that signs in as {name} does, and name it in Authentication.")
            }
            None => {
                "The service calls no address without a connection: make one, and name it in Authentication.".into()
            }
        };
        self.lose(id, message);
        arguments.insert("Authentication".into(), json!({ "ConnectionArn": "CONNECTION" }));
        let limit = node.timeout_ms.or_else(|| config.get("timeoutMs").and_then(Value::as_u64));
        if let Some(limit) = limit {
            state.insert("TimeoutSeconds".into(), limit.div_ceil(1_000).max(1).into());
        }
        state.insert("Type".into(), "Task".into());
        state.insert("Resource".into(), "arn:aws:states:::http:invoke".into());
        state.insert("Arguments".into(), Value::Object(arguments));
        Ok("{\"status\": $states.result.StatusCode, \"response\": $states.result.ResponseBody, \"headers\": $states.result.Headers}".into())
    }

    fn looped(&mut self, id: &str, config: &Map, state: &mut Map) -> Result<String, String> {
        if config.contains_key("while") || config.contains_key("collect") || config.contains_key("onChildError") {
            return Err(
                "a loop with a condition, with results of its own or with collected errors has no counterpart".into()
            );
        }
        self.gathered(id)?;
        let list =
            config.get("source").and_then(Value::as_str).ok_or("it goes through its items, which are one there")?;
        let list = value(&list.into(), &mut self.here("$states.input"))?;
        let most = if config.get("mode").and_then(Value::as_str) == Some("parallel") {
            config.get("maxConcurrency").and_then(Value::as_u64).unwrap_or(8)
        } else {
            1
        };
        let mut inside = self.machine(Some(id), None)?;
        if json!(inside).to_string().contains("$loopItem") {
            let start = inside.insert("StartAt".into(), json!(format!("{id}_item"))).unwrap_or_default();
            if let Some(states) = inside.get_mut("States").and_then(Value::as_object_mut) {
                let keep = json!({ "Type": "Pass", "Assign": { "loopItem": "{% $states.input %}" }, "Next": start });
                states.insert(format!("{id}_item"), keep);
            }
        }
        inside.insert("ProcessorConfig".into(), json!({ "Mode": "INLINE" }));
        state.insert("Type".into(), "Map".into());
        state.insert("Items".into(), list);
        state.insert("MaxConcurrency".into(), most.into());
        state.insert("ItemProcessor".into(), Value::Object(inside));
        Ok("$states.result".into())
    }

    fn branches(&mut self, id: &str, state: &mut Map) -> Result<String, String> {
        self.gathered(id)?;
        let nodes = &self.workflow.nodes;
        let inside: Vec<(&str, &Node)> = nodes
            .iter()
            .map(|(id, node)| (id.as_str(), node))
            .filter(|(_, node)| node.parent.as_deref() == Some(id))
            .collect();
        let begins = self.entries(&inside);
        let branches: Vec<Value> = begins
            .into_iter()
            .map(|begin| self.machine(Some(id), Some(begin)).map(Value::Object))
            .collect::<Result<_, _>>()?;
        state.insert("Type".into(), "Parallel".into());
        state.insert("Branches".into(), branches.into());
        Ok("$states.result".into())
    }

    /// A loop gives one item for each round here, and one list there: only what puts them together may follow.
    fn gathered(&mut self, id: &str) -> Result<(), String> {
        match self.next(id, "success")?.and_then(|next| self.workflow.nodes.get(next)) {
            None => self.lose(id, "Its results are one list there."),
            Some(next) if next.kind == "data.aggregate" => {}
            Some(_) => return Err("a step behind it runs for each of its results; collect them first".into()),
        }
        Ok(())
    }

    /// Retries, and where errors go.
    fn handled(&mut self, id: &str, node: &Node, state: &mut Map) -> Result<(), String> {
        let policy = node.error_handling.as_ref().and_then(|handling| handling.retry_policy.as_ref());
        if let Some(policy) = policy.filter(|policy| policy.max_attempts > 0) {
            let mut retry = json!({
                "ErrorEquals": ["States.ALL"], "IntervalSeconds": policy.initial_delay_ms.div_ceil(1_000).max(1),
                "MaxAttempts": policy.max_attempts, "BackoffRate": if policy.backoff == Backoff::Fixed { 1.0 } else { 2.0 },
                "MaxDelaySeconds": policy.max_delay_ms.div_ceil(1_000).clamp(2, 31_622_400),
            });
            if policy.jitter {
                retry["JitterStrategy"] = "FULL".into();
            }
            self.lose(id, "Every error is tried again there; here those that may pass.");
            state.insert("Retry".into(), json!([retry]));
        }
        if let Some(next) = self.next(id, "error")? {
            if !matches!(state.get("Type").and_then(Value::as_str), Some("Task" | "Map" | "Parallel")) {
                self.lose(id, "Its errors end the machine there: only tasks, maps and parallel states have a Catch.");
                return Ok(());
            }
            let error = json!({ "type": "UnknownError", "message": "{% $states.errorOutput.Cause %}", "retryable": false, "details": { "code": "{% $states.errorOutput.Error %}" } });
            state.insert("Catch".into(), json!([{ "ErrorEquals": ["States.ALL"], "Next": next, "Output": error }]));
            self.lose(id, "What an error is called differs there: look at conditions that name codes.");
        }
        Ok(())
    }
}

/// States that a state leads to.
fn targets(state: &Map) -> Vec<String> {
    let name = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let rows = ["Choices", "Catch"].into_iter().filter_map(|list| state.get(list)?.as_array()).flatten();
    rows.filter_map(|row| name(row.get("Next")))
        .chain(name(state.get("Next")))
        .chain(name(state.get("Default")))
        .collect()
}
