//! Active workflows as tools: over HTTP at `/mcp`, and over standard input and output.

use crate::support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};
use support::{BUILDER, OPERATOR, Serving, TestHome, VIEWER, with_roles};

fn flow(id: &str, start: &Value, node: &Value) -> Value {
    json!({
        "signalbox": 1, "id": id, "name": "Greet", "description": "Greets somebody.",
        "params": {
            "type": "object", "required": ["name"], "additionalProperties": false,
            "properties": { "name": { "type": "string", "title": "Name" } },
        },
        "settings": { "errorPolicy": "fail" },
        "nodes": { "start": { "type": "trigger.manual", "config": start }, "say": node },
        "edges": [{ "from": "start.success", "to": "say" }],
    })
}

fn greeting() -> Value {
    json!({ "type": "data.set", "config": { "assign": { "text": "Hello {{params.name}}" }, "keep": false } })
}

fn activate(place: &TestHome, workflow: &Value) {
    let name = format!("{}.signalbox.json", workflow["id"].as_str().expect("an id"));
    let path = place.file(&name, workflow.to_string()).display().to_string();
    let done = place.run(&["activate", &path, "--json"]);
    assert_eq!(done.code, 0, "{}", done.out);
}

fn deactivate(place: &TestHome, id: &str) {
    assert_eq!(place.run(&["deactivate", id]).code, 0);
}

fn offered() -> Value {
    json!({ "offerAsTool": true })
}

/// A client over standard input and output.
struct Client {
    child: std::process::Child,
    into: ChildStdin,
    from: BufReader<ChildStdout>,
    last: u64,
}

impl Client {
    fn connect(place: &TestHome) -> Self {
        let mut command = place.command(&["mcp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("it starts");
        let (into, from) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let mut client = Self { child, into, from: BufReader::new(from), last: 0 };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = client.ask("initialize", &hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "signalbox");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.into, "{message}").expect("sent");
    }

    /// Every line of standard output is a message of the protocol.
    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line}"))
    }

    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next();
            if wanted(&message) {
                return message;
            }
        }
    }

    fn begin(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
        self.last
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        self.until(|message| message["id"] == json!(id))
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({ "name": name, "arguments": arguments }))
    }

    fn tools(&mut self) -> Vec<Value> {
        self.ask("tools/list", &json!({}))["result"]["tools"].as_array().cloned().unwrap_or_default()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn an_active_workflow_is_a_tool_with_its_params() {
    let place = TestHome::new();
    activate(&place, &flow("greet", &offered(), &greeting()));
    let refused = place.file("quiet.signalbox.json", flow("quiet", &json!({}), &greeting()).to_string());
    let done = place.run(&["activate", &refused.display().to_string(), "--json"]);
    assert_eq!(done.json()["error"]["code"], "NO_TRIGGER", "a workflow that nothing starts cannot be active");
    let mut client = Client::connect(&place);
    let tools = client.tools();
    assert_eq!(tools.len(), 1, "{tools:?}");
    assert_eq!(
        (&tools[0]["name"], &tools[0]["title"], &tools[0]["description"]),
        (&json!("greet"), &json!("Greet"), &json!("Greets somebody."))
    );
    assert_eq!(tools[0]["inputSchema"]["required"], json!(["name"]));
    let said = client.call("greet", &json!({ "name": "Ada" }));
    assert_eq!(said["result"]["structuredContent"], json!({ "text": "Hello Ada" }));
    assert_eq!(said["result"]["isError"], false);
    let unfit = client.call("greet", &json!({ "surname": "Ada" }));
    assert_eq!(unfit["result"]["isError"], true);
    assert!(unfit["result"]["content"][0]["text"].as_str().expect("a text").contains("name"), "{unfit}");
    assert_eq!(client.call("quiet", &json!({}))["error"]["code"], -32602);
}

/// Case js-big-ids and ADR 216: arguments that the reader would change are refused with their place, over both transports.
#[test]
fn arguments_that_would_change_are_refused() {
    let place = TestHome::new();
    activate(&place, &flow("greet", &offered(), &greeting()));
    let mut client = Client::connect(&place);
    let call = |id: u64, arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"greet","arguments":{arguments}}}}}"#
        )
    };
    let bad = [
        (r#"{"name":18446744073709551617}"#, "the number 18446744073709551617 at params.arguments.name "),
        (r#"{"name":"Ada","name":"Bob"}"#, "the member params.arguments.name occurs twice"),
    ];
    let serving = with_roles(&place);
    let own = session(&serving, OPERATOR);
    let bearer = format!("Bearer {OPERATOR}");
    let headers = [
        ("host", serving.host()),
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-session-id", own.as_str()),
    ];
    for (id, (arguments, why)) in (100..).zip(bad) {
        writeln!(client.into, "{}", call(id, arguments)).expect("sent");
        let far = serving.raw("POST", "/mcp", &headers, &call(id, arguments));
        let near = client.until(|message| message["id"] == json!(id)).to_string();
        for answer in [&near, &far.body] {
            assert!(answer.contains("\"isError\":true") && answer.contains(why), "{answer}");
        }
    }
    writeln!(client.into, "{}", call(200, r#"{"name":"Ada"}"#)).expect("sent");
    let good = client.until(|message| message["id"] == json!(200));
    assert_eq!(good["result"]["structuredContent"], json!({ "text": "Hello Ada" }));
}

#[test]
fn a_call_runs_the_active_version_whatever_the_file_holds() {
    let place = TestHome::new();
    activate(&place, &flow("greet", &offered(), &greeting()));
    let changed = json!({ "type": "data.set", "config": { "assign": { "text": "Changed" }, "keep": false } });
    place.file("greet.signalbox.json", flow("greet", &offered(), &changed).to_string());
    let mut client = Client::connect(&place);
    assert_eq!(client.call("greet", &json!({ "name": "Ada" }))["result"]["structuredContent"]["text"], "Hello Ada");
}

#[test]
fn the_answer_fits_the_schema_that_is_declared_for_it() {
    let place = TestHome::new();
    let schema =
        |kind: &str| json!({ "type": "object", "required": ["text"], "properties": { "text": { "type": kind } } });
    activate(&place, &flow("fits", &json!({ "offerAsTool": true, "outputSchema": schema("string") }), &greeting()));
    activate(&place, &flow("unfit", &json!({ "offerAsTool": true, "outputSchema": schema("number") }), &greeting()));
    let mut client = Client::connect(&place);
    let tools = client.tools();
    assert_eq!(tools[0]["outputSchema"]["anyOf"][0], schema("string"));
    assert_eq!(client.call("fits", &json!({ "name": "Ada" }))["result"]["isError"], false);
    let unfit = client.call("unfit", &json!({ "name": "Ada" }));
    assert_eq!(unfit["result"]["structuredContent"]["error"]["code"], "OUTPUT_INVALID", "{unfit}");
}

#[test]
fn an_error_of_the_run_is_the_answer_and_a_run_that_waits_is_told_at_once() {
    let place = TestHome::new();
    let fail = json!({ "type": "flow.fail", "config": { "error": { "message": "No such name", "details": { "code": "NO_NAME" } } } });
    activate(&place, &flow("fails", &offered(), &fail));
    let ask = json!({ "type": "builtin.human_approval", "config": { "title": "May it?" } });
    activate(&place, &flow("asks", &offered(), &ask));
    let mut client = Client::connect(&place);
    let failed = client.call("fails", &json!({ "name": "Ada" }));
    assert_eq!(failed["result"]["isError"], true);
    assert_eq!(failed["result"]["structuredContent"]["error"]["details"]["code"], "NO_NAME", "{failed}");
    let waits = client.call("asks", &json!({ "name": "Ada" }));
    assert_eq!(waits["result"]["isError"], false);
    let told = &waits["result"]["structuredContent"];
    assert_eq!(told["status"], "waiting");
    let shown = place.run(&["runs", "show", told["runId"].as_str().expect("an id"), "--json"]).json();
    assert_eq!(shown["status"], "paused");
}

#[test]
fn progress_is_told_and_a_cancelled_call_cancels_its_run() {
    let place = TestHome::new();
    // A run that does not end by itself: one that ends at once may be answered before its progress is told.
    let wait = json!({ "type": "flow.wait", "config": { "ms": 3_600_000 } });
    activate(&place, &flow("waits", &offered(), &wait));
    let mut client = Client::connect(&place);
    let params = json!({ "name": "waits", "arguments": { "name": "Ada" }, "_meta": { "progressToken": "q" } });
    let id = client.begin("tools/call", &params);
    // The first step has ended: the run is under way.
    client.until(|message| message["params"]["progressToken"] == "q");
    let cancel = json!({ "requestId": id });
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel }));
    support::eventually("the run is cancelled", || {
        let runs = place.run(&["runs", "list", "--json"]).json();
        runs.as_array().is_some_and(|runs| runs.iter().any(|run| run["status"] == "cancelled"))
    });
}

#[test]
fn clients_are_told_when_other_workflows_are_offered() {
    let place = TestHome::new();
    activate(&place, &flow("greet", &offered(), &greeting()));
    let mut client = Client::connect(&place);
    assert_eq!(client.tools().len(), 1);
    deactivate(&place, "greet");
    client.until(|message| message["method"] == "notifications/tools/list_changed");
    assert_eq!(client.tools(), Vec::<Value>::new());
}

fn rpc(
    serving: &Serving,
    token: &str,
    session: Option<&str>,
    message: &Value,
    more: &[(&str, &str)],
) -> support::Answer {
    let mut headers = vec![("accept", "application/json, text/event-stream")];
    if let Some(session) = session {
        headers.extend([("mcp-session-id", session), ("mcp-protocol-version", "2025-06-18")]);
    }
    headers.extend(more);
    serving.ask_as(token, "POST", "/mcp", message, &headers)
}

/// The session that the server opens for a client.
fn session(serving: &Serving, token: &str) -> String {
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
        },
    });
    let answer = rpc(serving, token, None, &hello, &[]);
    assert_eq!(answer.status, 200, "{} {}", answer.head, answer.body);
    let line = answer.head.lines().find(|line| line.to_ascii_lowercase().starts_with("mcp-session-id:"));
    let session = line.and_then(|line| line.split_once(": ")).expect("a session").1.to_owned();
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(rpc(serving, token, Some(&session), &ready, &[]).status, 202);
    session
}

#[test]
fn over_http_the_token_says_who_calls_and_what_they_may() {
    let place = TestHome::new();
    activate(&place, &flow("greet", &offered(), &greeting()));
    let serving = with_roles(&place);
    let call = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "greet", "arguments": { "name": "Ada" } },
    });
    let own = session(&serving, OPERATOR);
    let said = rpc(&serving, OPERATOR, Some(&own), &call, &[]);
    assert!(said.body.contains("Hello Ada"), "{}", said.body);
    let viewer = session(&serving, VIEWER);
    let list = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/list" });
    assert!(rpc(&serving, VIEWER, Some(&viewer), &list, &[]).body.contains("Greets somebody."));
    let refused = rpc(&serving, VIEWER, Some(&viewer), &call, &[]);
    assert!(refused.body.contains("FORBIDDEN"), "{}", refused.body);
    // Whose session it is makes nobody more than their token says.
    let refused = rpc(&serving, VIEWER, Some(&own), &call, &[]);
    assert!(refused.body.contains("FORBIDDEN"), "{}", refused.body);
    assert_eq!(place.run(&["runs", "list", "--json"]).json().as_array().map(Vec::len), Some(1));
}

#[test]
fn over_http_the_guards_of_the_other_routes_hold() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let text = list.to_string();
    let host = serving.host().to_owned();
    let bearer = format!("Bearer {BUILDER}");
    let own = [("host", host.as_str()), ("content-type", "application/json")];
    assert_eq!(serving.raw("POST", "/mcp", &own, &text).status, 401);
    assert_eq!(serving.raw("POST", &format!("/mcp?token={BUILDER}"), &own, &text).status, 401);
    let elsewhere = [("host", "elsewhere.example"), ("authorization", bearer.as_str())];
    assert_eq!(serving.raw("POST", "/mcp", &elsewhere, &text).status, 403);
    assert_eq!(rpc(&serving, BUILDER, None, &list, &[("origin", "http://elsewhere.example")]).status, 403);
    assert_eq!(serving.ask("PUT", "/mcp", &list).status, 405);
}
