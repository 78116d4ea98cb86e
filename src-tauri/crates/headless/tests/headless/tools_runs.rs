//! Runs that call tools of a real server (TS-063…TS-068), with the real program.

use crate::support;

use serde_json::{Value, json};
use std::path::Path;
use support::{Serving, TestHome, eventually, workflow};

fn server() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/mcp/server.mjs");
    path.canonicalize().expect("the test server").display().to_string()
}

fn tools(place: &TestHome, args: &[&str]) -> Value {
    let mut all = vec!["tools", "--json"];
    all.extend(args);
    let done = place.run(&all);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    done.json()
}

/// A folder with the approved test server `one`; what it was told is in `log`, the description of `echo` in `text`.
fn approved() -> TestHome {
    let place = TestHome::new();
    let file = |name: &str| place.dir.path().join(name).display().to_string();
    place.file("text", "Says what it is told.");
    tools(&place, &["set", "one", "--", "node", &server(), "--log", &file("log"), "--text", &file("text")]);
    let hash = tools(&place, &["connect", "one"])["hash"].as_str().expect("a hash").to_owned();
    tools(&place, &["approve", "one", "--hash", &hash]);
    place
}

fn log(place: &TestHome) -> Vec<Value> {
    let text = std::fs::read_to_string(place.dir.path().join("log")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn step(tool: &str, arguments: Value, more: Value) -> Value {
    let mut config = json!({ "server": "one", "tool": tool, "arguments": arguments });
    let fields = more.as_object().cloned().unwrap_or_default();
    config.as_object_mut().expect("an object").extend(fields);
    json!({ "type": "mcp.tool", "config": config })
}

/// Runs one step; gives its events (of the step alone) and the summary.
fn run(place: &TestHome, id: &str, node: Value) -> (Vec<Value>, Value) {
    let file = place.file("flow.signalbox.json", workflow(json!({ id: node }), json!([])).to_string());
    let done = place.run(&["run", &file.display().to_string(), "--events", "--json"]);
    let mut lines = done.lines();
    let summary = lines.pop().expect("a summary");
    lines.retain(|event| event["stepId"] == id);
    (lines, summary)
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["type"].as_str()).collect()
}

fn of<'a>(events: &'a [Value], kind: &str) -> &'a Value {
    &events.iter().find(|event| event["type"] == kind).unwrap_or_else(|| panic!("no {kind} in {events:#?}"))["payload"]
}

#[test]
fn ts_063_a_tool_that_works_fails_and_may_fail() {
    let place = approved();
    let (events, summary) = run(&place, "call", step("echo", json!({ "text": "hi" }), json!({})));
    assert_eq!(types(&events), ["step_start", "tool_start", "tool_done", "step_done"]);
    assert_eq!(of(&events, "tool_start")["input"], json!({ "text": "hi" }));
    assert_eq!(of(&events, "tool_done")["output"], json!({ "said": "hi" }));
    assert_eq!(summary["output"], json!([{ "said": "hi" }]));

    let (events, summary) = run(&place, "call", step("fails", json!({ "text": "no paper" }), json!({})));
    assert_eq!(types(&events), ["step_start", "tool_start", "tool_error", "step_error", "error_handled"]);
    assert_eq!((&summary["status"], &summary["error"]["message"]), (&json!("failed"), &json!("no paper")));
    assert_eq!(summary["error"]["details"]["code"], "TOOL_FAILED");

    // TS-064: both spellings mean the same.
    for way in ["allowError", "continueOnError"] {
        let (events, summary) = run(&place, "call", step("fails", json!({}), json!({ way: true })));
        assert_eq!(types(&events), ["step_start", "tool_start", "tool_error", "step_done"], "{way}");
        assert_eq!(of(&events, "tool_error")["allowError"], true);
        let output = &summary["output"][0];
        assert_eq!((&output["ok"], &output["tool"]), (&json!(false), &json!("fails")));
        assert_eq!(output["error"]["message"], "It did not work");
    }
}

#[test]
fn a_tool_is_called_from_the_terminal_and_that_stands_in_the_history() {
    let place = approved();
    // Nothing in the arguments is an expression.
    let text = "=1 + {{ params.text }}";
    let call = |server: &str, args: &str| place.run(&["tools", "call", server, "echo", "--args", args, "--json"]);
    let done = call("one", &json!({ "text": text }).to_string());
    assert_eq!((done.code, &done.json()["output"]), (0, &json!([{ "said": text }])), "{}{}", done.out, done.err);
    let run = done.json()["runId"].as_str().expect("an id").to_owned();
    assert_eq!(place.run(&["runs", "list", "--json"]).json()[0]["runId"], json!(run));
    let entries = place.run(&["audit", "list", "--run", &run, "--json"]).json();
    assert!(entries.as_array().is_some_and(|list| list.iter().any(|one| one["event"] == "NODE_SUCCESS")), "{entries}");

    // A wrong argument and a server that nobody approved: the tool hears nothing of it.
    assert_eq!(called(&place, "echo"), 1);
    let done = call("one", "{}");
    assert_eq!((done.code, &done.json()["error"]["details"]["code"]), (1, &json!("INPUT_INVALID")));
    tools(&place, &["set", "two", "--", "node", &server()]);
    let done = call("two", "{\"text\":\"hi\"}");
    assert_eq!(done.code, 1, "{}", done.out);
    assert_eq!(done.json()["status"], "failed");
    assert_eq!(called(&place, "echo"), 1);
    assert_eq!(call("one", "[1]").code, 2);
}

#[test]
fn ts_065_the_payload_and_the_envelope() {
    let place = approved();
    let mut node = step("wrapped", json!({}), json!({}));
    node["out"] = json!({ "$x": "=_result", "$raw": "=_toolResult" });
    let (_, summary) = run(&place, "call", node);
    assert_eq!(summary["context"]["x"], json!({ "a": 1 }));
    let raw = &summary["context"]["raw"];
    assert_eq!((&raw["undoId"], &raw["result"]), (&json!(7), &json!({ "a": 1 })));
    assert_eq!((&raw["status"], &raw["provider"]), (&json!("ok"), &json!("mcp://one/wrapped")));
    assert!(raw["requestId"].is_string() && raw["timings"]["start"].is_string(), "{raw}");
}

#[test]
fn ts_066_the_name_of_a_tool_in_the_id_of_its_step() {
    let place = approved();
    let node = json!({ "type": "mcp.tool", "config": { "server": "one", "arguments": { "text": "hi" } } });
    let (events, _) = run(&place, "Tool_010_echo", node);
    assert_eq!(of(&events, "tool_start")["name"], "echo");
    assert_eq!(of(&events, "tool_done")["output"], json!({ "said": "hi" }));
}

#[test]
fn ts_067_a_time_limit_goes_along_unless_the_call_has_one() {
    let place = approved();
    let limited = |arguments: Value| {
        let mut node = step("timed", arguments, json!({}));
        node["timeoutMs"] = 15_000.into();
        run(&place, "call", node).1["output"][0].clone()
    };
    assert_eq!(limited(json!({})), json!({ "timeout": 15_000 }));
    assert_eq!(limited(json!({ "timeout": 500 })), json!({ "timeout": 500 }));
    // A tool that takes none gets none.
    let mut node = step("echo", json!({ "text": "hi" }), json!({}));
    node["timeoutMs"] = 15_000.into();
    assert_eq!(run(&place, "call", node).1["output"], json!([{ "said": "hi" }]));
}

#[test]
fn ts_068_notices_of_a_tool() {
    let place = approved();
    let (events, _) = run(&place, "call", step("tells", json!({}), json!({})));
    assert_eq!(
        types(&events),
        ["step_start", "tool_start", "tool_message", "tool_message", "tool_message", "tool_done", "step_done"]
    );
    let told: Vec<(&str, &str)> = events
        .iter()
        .filter(|event| event["type"] == "tool_message")
        .map(|event| {
            (event["payload"]["level"].as_str().expect("a level"), event["payload"]["message"].as_str().expect("words"))
        })
        .collect();
    assert_eq!(told, [("info", "begun"), ("warn", "disk: nearly full"), ("progress", "half")]);
    assert!(events.iter().all(|event| event["runId"].is_string()));
}

#[test]
fn arguments_and_answers_are_checked_against_what_was_approved() {
    let place = approved();
    let (events, summary) = run(&place, "call", step("echo", json!({ "txt": "hi" }), json!({})));
    assert_eq!(types(&events), ["step_start", "tool_start", "tool_error", "step_error", "error_handled"]);
    let details = &summary["error"]["details"];
    assert_eq!(
        (&details["code"], &details["argumentsSchema"]["required"], &details["schema"]),
        (&json!("INPUT_INVALID"), &json!(["text"]), &Value::Null),
        "the step's own item is not what was wrong"
    );
    assert!(!log(&place).iter().any(|entry| entry.get("called").is_some()), "the server was not asked");
    let (_, summary) = run(&place, "call", step("wrong", json!({}), json!({})));
    assert_eq!(summary["error"]["details"]["code"], "SCHEMA_MISMATCH");
    let (_, summary) = run(&place, "call", step("refuses", json!({}), json!({})));
    assert_eq!(summary["error"]["details"]["code"], "INPUT_INVALID");
    let (_, summary) = run(&place, "call", step("nothing", json!({}), json!({})));
    assert_eq!(summary["error"]["details"]["code"], "TOOL_NOT_FOUND");
}

/// What one run with the policy `safe` does about an item; its events, and the only task.
fn safely(place: &TestHome, item: &Value, node: Value) -> (Vec<Value>, Value) {
    let make = json!({ "type": "data.set", "config": { "assign": item } });
    let mut flow = workflow(json!({ "make": make, "call": node }), json!([{ "from": "make.success", "to": "call" }]));
    flow["settings"] = json!({ "errorPolicy": "safe" });
    let file = place.file("safe.signalbox.json", flow.to_string());
    let mut lines = place.run(&["run", &file.display().to_string(), "--events", "--json"]).lines();
    let summary = lines.pop().expect("a summary");
    let run = lines[0]["runId"].as_str().expect("a run").to_owned();
    let tasks = place.run(&["tasks", "list", "--json"]).json();
    let mut tasks = tasks.as_array().expect("a list").iter().filter(|task| task["runId"] == run.as_str());
    let task = tasks.next().unwrap_or_else(|| panic!("no task: {summary}"))["id"].as_str().expect("an id").to_owned();
    assert_eq!(tasks.next(), None);
    (lines, place.run(&["tasks", "show", &task, "--json"]).json())
}

fn called(place: &TestHome, tool: &str) -> usize {
    log(place).iter().filter(|entry| entry["called"] == tool).count()
}

/// An answer that breaks its promise says nothing about the input: it is not bent to it, and the tool is not called again.
#[test]
fn a_wrong_answer_is_one_call_and_a_question_to_a_person() {
    let place = approved();
    let (events, task) = safely(&place, &json!({ "count": "12" }), step("wrong", json!({}), json!({})));
    assert_eq!(called(&place, "wrong"), 1, "{events:#?}");
    assert_eq!((&task["error"]["details"]["effect"], &task["schema"]), (&json!("unknown"), &Value::Null), "{task:#}");
}

/// What the arguments should have been is asked of the item only where the item is the arguments.
#[test]
fn only_an_item_that_is_handed_on_is_repaired_to_fit_the_arguments() {
    let place = approved();
    let made = json!({ "text": "{{item.word}}", "times": "many" });
    let (_, task) = safely(&place, &json!({ "word": "a" }), step("echo", made, json!({})));
    assert_eq!((called(&place, "echo"), &task["schema"]), (0, &Value::Null), "{task:#}");

    let mut handed = step("echo", json!({}), json!({}));
    handed["config"]["arguments"] = json!("=item");
    let make = json!({ "type": "data.set", "config": { "assign": { "text": "a", "times": "2" } } });
    let mut flow = workflow(json!({ "make": make, "call": handed }), json!([{ "from": "make.success", "to": "call" }]));
    flow["settings"] = json!({ "errorPolicy": "safe" });
    let file = place.file("handed.signalbox.json", flow.to_string());
    let done = place.run(&["run", &file.display().to_string(), "--json"]);
    assert_eq!((done.code, called(&place, "echo")), (0, 1), "{}{}", done.out, done.err);
    assert_eq!(done.json()["output"], json!([{ "said": "aa" }]));
}

#[test]
fn one_changed_character_stops_the_run_and_is_recorded() {
    let place = approved();
    place.file("text", "Says what it is told!");
    let (_, summary) = run(&place, "call", step("echo", json!({ "text": "hi" }), json!({})));
    assert_eq!(
        (&summary["error"]["details"]["code"], &summary["error"]["suggestedAction"]),
        (&json!("TOOL_NOT_APPROVED"), &json!("human_review"))
    );
    assert!(!log(&place).iter().any(|entry| entry.get("called").is_some()), "nothing was called");
    let all = place.run(&["audit", "list", "--json"]).json();
    let blocked = all.as_array().expect("entries").iter().find(|entry| entry["event"] == "TOOL_SERVER_BLOCKED");
    assert_eq!(blocked.expect("an entry")["metadata"]["changes"], json!(["echo.description"]));
    let (_, summary) =
        run(&place, "call", json!({ "type": "mcp.tool", "config": { "server": "two", "tool": "echo" } }));
    assert_eq!(summary["error"]["details"]["code"], "TOOL_SERVER_MISSING");
}

/// A run that waits for a tool, and how to ask for the processes of that.
fn waiting(place: &TestHome) -> std::process::Child {
    let file = place.file(
        "flow.signalbox.json",
        workflow(json!({ "call": step("waits", json!({}), json!({})) }), json!([])).to_string(),
    );
    let child = place.spawn(&["run", &file.display().to_string(), "--json"]);
    eventually("the tool waits", || pids(place).is_some());
    child
}

/// The process of the server and its child, once a call waits there.
fn pids(place: &TestHome) -> Option<[u64; 2]> {
    let told = log(place).into_iter().find(|entry| entry.get("child").is_some())?;
    Some([told["pid"].as_u64()?, told["child"].as_u64()?])
}

fn all_gone(place: &TestHome) {
    for pid in pids(place).expect("pids") {
        eventually("its process is gone", || {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            !status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
        });
    }
}

/// Fault 26: the process tree is gone when a run is cancelled, and the run has ended once.
#[test]
fn a_cancelled_run_leaves_no_process() {
    let place = approved();
    let mut child = waiting(&place);
    let runs = place.run(&["runs", "list", "--json"]).json();
    let id = runs[0]["runId"].as_str().expect("a run").to_owned();
    assert_eq!(place.run(&["cancel", &id]).code, 0);
    let code = child.wait().expect("it ends").code();
    assert_eq!(code, Some(4), "cancelled");
    all_gone(&place);
    let events = place.run(&["runs", "events", &id]).lines();
    assert_eq!(events.iter().filter(|event| event["type"] == "workflow_cancelled").count(), 1);
}

/// Fault 26: neither does a program that is told to stop in the middle of a call.
#[cfg(unix)]
#[test]
fn a_program_that_is_told_to_stop_leaves_no_process() {
    for signal in ["-INT", "-TERM"] {
        let place = approved();
        let mut child = waiting(&place);
        let told = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(told.expect("sent").success());
        assert_eq!(child.wait().expect("it ends").code(), Some(130), "{signal}");
        all_gone(&place);
    }
}

#[test]
fn ts_018_one_tool_with_a_huge_schema_weighs_nothing_in_lists_in_the_store_and_in_runs() {
    let place = TestHome::new();
    tools(&place, &["set", "one", "--", "node", &server(), "--hostile"]);
    let seen = tools(&place, &["connect", "one"]);
    tools(&place, &["approve", "one", "--hash", seen["hash"].as_str().expect("a hash")]);
    let listed = tools(&place, &["list"]).to_string().len();
    assert!(listed < 20_000, "{listed} bytes are listed");
    let wide =
        seen["tools"].as_array().expect("tools").iter().find(|tool| tool["name"] == "wide").expect("it is there");
    assert!(wide["unusable"].as_str().expect("why").contains("at most 256 KiB"), "{wide}");

    let (events, summary) = run(&place, "call", step("wide", json!({}), json!({})));
    assert_eq!(
        (&summary["error"]["details"]["code"], &summary["error"]["suggestedAction"]),
        (&json!("TOOL_UNUSABLE"), &json!("human_review"))
    );
    let told = json!(events).to_string().len();
    assert!(told < 10_000, "{told} bytes of events");
    let (_, summary) = run(&place, "call", step("echo", json!({ "text": "hi" }), json!({})));
    assert_eq!(summary["output"], json!([{ "said": "hi" }]));
    let (_, summary) = run(&place, "call", step("deep", json!({}), json!({})));
    assert_eq!(
        (&summary["error"]["type"], &summary["error"]["details"]["code"]),
        (&json!("ValidationError"), &json!("TOO_LARGE"))
    );

    // So is what is not there, and what a tool wants and is not given.
    for (call, why) in [
        (json!({ "server": "won", "tool": "echo" }), "There is no tool server 'won' on this machine"),
        (json!({ "server": "one", "tool": "eco" }), "The server 'one' has no tool 'eco'"),
        (json!({ "server": "one", "tool": "echo" }), "The tool 'one/echo' wants 'text', and the step does not give it"),
    ] {
        let nodes = json!({ "call": { "type": "mcp.tool", "config": call } });
        let file = place.file("flow.signalbox.json", workflow(nodes, json!([])).to_string());
        let done = place.run(&["run", &file.display().to_string(), "--json"]);
        assert!(done.err.contains(why), "{why}: {}", done.err);
    }

    // What cannot be checked is known before a run, wherever one looks at it.
    for (name, why) in [
        (
            "elsewhere",
            "Its arguments cannot be checked: `$ref` to `https://example.com/order.json` refers to another document",
        ),
        ("promise", "Its answer cannot be checked: `$ref` to `#/$defs/gone` refers to nothing in the schema"),
    ] {
        let shown =
            seen["tools"].as_array().expect("tools").iter().find(|tool| tool["name"] == name).expect("it is there");
        assert!(shown["unusable"].as_str().expect("why").starts_with(why), "{shown}");
        let file = place.file(
            "flow.signalbox.json",
            workflow(json!({ "call": step(name, json!({}), json!({})) }), json!([])).to_string(),
        );
        let done = place.run(&["run", &file.display().to_string(), "--json"]);
        assert!(
            done.err.contains(&format!("The tool 'one/{name}' cannot be used, and the step fails when it runs: {why}")),
            "{}",
            done.err
        );
        let summary = done.json();
        assert_eq!(summary["error"]["details"]["code"], "TOOL_UNUSABLE", "{summary}");
    }

    let kept: u64 = std::fs::read_dir(place.data())
        .expect("the data folder")
        .filter_map(|entry| entry.ok()?.metadata().ok().filter(std::fs::Metadata::is_file))
        .map(|file| file.len())
        .sum();
    assert!(kept < 3_000_000, "{kept} bytes are kept; the schema alone had more");
}

/// T-05: a step of source 003 with `toolName`, `in`, `out` and `next` is imported and runs.
#[test]
fn t_05_a_tool_step_of_another_program_runs_as_it_is_written() {
    let place = approved();
    let file = place.file(
        "vl.json",
        json!({
            "version": "4.1", "name": "Echo",
            "registry": { "params": ["text(STRING)"], "services": [], "apis": [], "components": [], "vars": ["$said(STRING)", "$ok(BOOLEAN)"] },
            "steps": [
                { "id": "Tool_010_First", "type": "tool", "toolName": "echo", "in": { "text": "=text" }, "out": { "$said": "=_result.said" },
                  "next": "Tool_020_fails" },
                { "id": "Tool_020_fails", "type": "tool", "input": { "text": "no paper" }, "continueOnError": true, "out": { "$ok": "=_result.ok" },
                  "next": "RETURN" }
            ]
        })
        .to_string(),
    );
    let out = place.dir.path().join("made.signalbox.json").display().to_string();
    let made = place.run(&["import", &file.display().to_string(), "-o", &out, "--tool-server", "one"]);
    assert_eq!(made.code, 0, "{}{}", made.out, made.err);
    let summary = place.run(&["run", &out, "--set", "text=\"hi\"", "--json"]).json();
    assert_eq!((&summary["status"], &summary["context"]["said"]), (&json!("completed"), &json!("hi")), "{summary}");
    assert_eq!(summary["context"]["ok"], false);
    assert_eq!((called(&place, "echo"), called(&place, "fails")), (1, 1));
}

/// T-11: a tool step runs where a run begins anew at it, and in a workflow that another one calls.
#[test]
fn t_11_tools_are_called_in_re_runs_and_in_workflows_inside_of_others() {
    let place = approved();
    let first = json!({ "type": "data.set", "config": { "assign": { "text": "hi" } } });
    let mut doc = workflow(
        json!({ "first": first, "call": step("echo", json!({ "text": "=item.text" }), json!({})) }),
        json!([]),
    );
    doc["edges"] = json!([{ "from": "first.success", "to": "call" }]);
    let file = place.file("flow.signalbox.json", doc.to_string()).display().to_string();
    let run = place.run(&["run", &file, "--json"]).json()["runId"].as_str().expect("an id").to_owned();
    let again = place.run(&["rerun", &run, "--from", "call", "--json"]).json();
    assert_eq!((&again["status"], &again["output"]), (&json!("completed"), &json!([{ "said": "hi" }])), "{again}");
    assert_eq!(called(&place, "echo"), 2);

    let mut inner = workflow(json!({ "call": step("echo", json!({ "text": "=params.text" }), json!({})) }), json!([]));
    inner["id"] = "inner".into();
    inner["params"] = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
    place.file("inner.signalbox.json", inner.to_string());
    let node =
        json!({ "type": "flow.subworkflow", "config": { "workflow": "inner", "params": { "text": "in there" } } });
    let outer = place.file("outer.signalbox.json", workflow(json!({ "sub": node }), json!([])).to_string());
    let done = place.run(&["run", &outer.display().to_string(), "--events", "--json"]);
    let lines = done.lines();
    assert_eq!(lines.last().expect("a summary")["output"], json!([{ "said": "in there" }]), "{}", done.out);
    let told: Vec<&Value> = lines.iter().filter(|event| event["type"] == "tool_done").collect();
    assert_eq!((told.len(), &told[0]["stepId"], &told[0]["path"]), (1, &json!("call"), &json!("sub")));
    assert_eq!(called(&place, "echo"), 3);
}

/// T-13: what a tool tells carries the run and the token of who asked for it.
#[test]
fn t_13_events_of_tools_carry_the_run_and_the_token_of_the_client() {
    let place = approved();
    let mut doc = workflow(json!({ "call": step("tells", json!({}), json!({})) }), json!([]));
    doc["id"] = "tells".into();
    let serving = Serving::start(&place, &[]);
    assert!(serving.ask("PUT", "/workflows/tells", &doc).status < 300);
    let asked = json!({ "workflow": "tells", "params": {}, "clientRunToken": "mine-1" });
    let run = serving.ask("POST", "/workflow/run", &asked).json()["runId"].as_str().expect("an id").to_owned();
    let events = || place.run(&["runs", "events", &run]).lines();
    eventually("it ends", || events().iter().any(|event| event["type"] == "workflow_done"));
    let tools: Vec<Value> = events()
        .into_iter()
        .filter(|event| event["type"].as_str().is_some_and(|kind| kind.starts_with("tool_")))
        .collect();
    assert_eq!(types(&tools), ["tool_start", "tool_message", "tool_message", "tool_message", "tool_done"]);
    assert!(
        tools.iter().all(|event| event["runId"] == json!(run) && event["clientRunToken"] == "mine-1"),
        "{tools:#?}"
    );
}
