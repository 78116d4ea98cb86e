//! Looking into a run from outside (UX C27, ADR 33): the command line and REST, with the real program, and kill -9.

use crate::support;

use serde_json::{Value, json};
use support::{BUILDER, Loopback, OPERATOR, Serving, TestHome, VIEWER, eventually, with_roles, workflow};

/// a → b (asks the server) → c.
fn chain() -> Value {
    workflow(
        json!({
            "a": { "type": "data.set", "config": { "assign": { "n": 1 } } },
            "b": { "type": "http.request", "title": "Ask",
                   "config": { "method": "POST", "url": "{{params.base}}/b", "body": { "n": "=item.n" } } },
            "c": { "type": "data.set", "config": { "assign": { "end": true }, "keep": false } },
        }),
        json!([{ "from": "a.success", "to": "b" }, { "from": "b.success", "to": "c" }]),
    )
}

/// The same without a call to the outside.
fn pure() -> Value {
    let mut file = chain();
    file["nodes"]["b"] = json!({ "type": "data.set", "config": { "assign": { "m": "=item.n * 2" } } });
    file["nodes"]["c"]["config"]["assign"]["end"] = "=item.m".into();
    file
}

fn types(place: &TestHome, run: &str) -> Vec<String> {
    let name = |event: &Value| {
        let step = event["stepId"].as_str().map(|step| format!(" {step}")).unwrap_or_default();
        format!("{}{step}", event["type"].as_str().unwrap_or_default())
    };
    place.run(&["runs", "events", run]).lines().iter().map(name).collect()
}

#[test]
fn a_run_stops_at_a_breakpoint_is_edited_and_goes_on_in_other_processes() {
    let (place, server) = (TestHome::new(), Loopback::start());
    let path = place.file("flow.signalbox.json", chain().to_string()).display().to_string();
    let params = json!({ "base": server.base }).to_string();
    let done = place.run(&["run", &path, "--params", &params, "--break-at", "b=item.n == 1", "--json"]);
    assert_eq!(done.code, 3, "{}\n{}", done.out, done.err);
    let summary = done.last();
    assert_eq!(summary["status"], "paused");
    assert_eq!(
        (&summary["stopped"]["stepId"], &summary["stopped"]["reason"], &summary["stopped"]["condition"]),
        (&json!("b"), &json!("breakpoint"), &json!("item.n == 1"))
    );
    let run = summary["runId"].as_str().expect("an id").to_owned();
    assert_eq!(server.hits("/b"), 0, "before the call");
    // Taking it up is not letting it go on.
    assert_eq!(place.run(&["resume", &run, "--json"]).last()["status"], "paused");

    let waiting = place.run(&["runs", "waiting", &run, "--json"]).json();
    let call = &waiting["waiting"][0];
    assert_eq!((&call["stepId"], call["input"]["n"].as_i64(), &call["editable"]), (&json!("b"), Some(1), &json!(true)));
    let refused = place.run(&["runs", "edit", &run, "--step", "b", "--input", "7", "--json"]);
    assert_eq!((refused.code, refused.json()["error"]["code"].as_str()), (2, Some("INPUT_INVALID")));
    let refused = place.run(&["runs", "edit", &run, "--step", "c", "--input", "{}", "--json"]);
    assert_eq!((refused.code, refused.json()["error"]["code"].as_str()), (2, Some("NOT_WAITING")));
    let mut input = call["input"].clone();
    input["n"] = json!(5);
    let edited = place.run(&["runs", "edit", &run, "--step", "b", "--input", &input.to_string(), "--json"]);
    assert_eq!(edited.json()["patch"], json!([{ "op": "replace", "path": "/n", "value": 5 }]), "{}", edited.err);

    let stepped = place.run(&["runs", "step", &run, "--json"]);
    assert_eq!((stepped.code, &stepped.last()["stopped"]["stepId"]), (3, &json!("c")), "{}", stepped.err);
    assert_eq!(server.bodies("/b"), [r#"{"n":5}"#]);
    let told = place.run(&["runs", "break", &run]);
    assert_eq!(told.code, 0, "{}", told.err);
    let done = place.run(&["runs", "continue", &run, "--json"]);
    assert_eq!((done.code, &done.last()["output"]), (0, &json!([{ "end": true }])), "{}", done.err);
    assert_eq!(
        types(&place, &run),
        [
            "workflow_start",
            "breakpoints_set",
            "step_start a",
            "step_done a",
            "workflow_paused b",
            "input_edited b",
            "workflow_continued",
            "step_start b",
            "step_done b",
            "workflow_paused c",
            "breakpoints_set",
            "workflow_continued",
            "step_start c",
            "step_done c",
            "workflow_done"
        ]
    );
    let refused = place.run(&["runs", "continue", &run, "--json"]);
    assert_eq!((refused.code, refused.json()["error"]["code"].as_str()), (2, Some("RUN_ENDED")));
    // The chain tells who looked into the run and what was changed, not the values.
    let entries = place.run(&["audit", "list", "--run", &run, "--json"]).json();
    let entry = entries.as_array().expect("a list").iter().find(|entry| entry["event"] == "INPUT_EDITED");
    let entry = entry.expect("an entry of the edit");
    assert_eq!(entry["metadata"]["paths"], json!(["/n"]));
    assert!(entry["actor"]["id"].as_str().is_some_and(|id| id.starts_with("user:")), "{entry}");
    assert_eq!(place.run(&["audit", "verify"]).code, 0);
}

#[test]
fn what_cannot_be_set_is_refused_before_anything_runs() {
    let place = TestHome::new();
    let path = place.file("flow.signalbox.json", chain().to_string()).display().to_string();
    for wrong in ["x", "b=item.n >", "b=nodes.a.output.n > 1"] {
        let done =
            place.run(&["run", &path, "--params", r#"{"base":"http://127.0.0.1:9"}"#, "--break-at", wrong, "--json"]);
        assert_eq!((done.code, done.json()["error"]["code"].as_str()), (2, Some("BAD_BREAKPOINT")), "{wrong}");
    }
    assert_eq!(place.run(&["runs", "list", "--json"]).json(), json!([]));
}

/// A run that stands at a breakpoint asks nobody; a re-run takes its place all the same.
#[test]
fn a_rerun_of_a_stopped_run_says_that_it_will_be_cancelled() {
    let place = TestHome::new();
    let path = place.file("flow.signalbox.json", pure().to_string()).display().to_string();
    let done = place.run(&["run", &path, "--break-at", "b", "--json"]);
    assert_eq!(done.code, 3, "{}\n{}", done.out, done.err);
    let run = done.last()["runId"].as_str().expect("an id").to_owned();
    let look = ["rerun", &run, "--from", "a", "--look"];
    assert_eq!(place.run(&[&look[..], &["--json"]].concat()).json()["waits"], true);
    let told = place.run(&look);
    assert!(told.out.contains("The original run is stopped and has not ended: it will be cancelled."), "{}", told.out);
    let refused = place.run(&["runs", "edit", &run, "--step", "c", "--input", "{}"]);
    assert!(refused.err.contains(&format!("`signalbox runs waiting {run}`")), "{}", refused.err);
}

/// Two wires lead to `c`.
fn fork() -> Value {
    workflow(
        json!({
            "a": { "type": "flow.if", "config": { "condition": "params.n > 0" } },
            "b": { "type": "data.set", "config": { "assign": { "m": "=params.n / params.parts" } } },
            "c": { "type": "data.set", "config": { "assign": { "end": true } } },
        }),
        json!([{ "from": "a.true", "to": "b" }, { "from": "a.false", "to": "c" }, { "from": "b.success", "to": "c" },
               { "from": "b.error", "to": "c" }]),
    )
}

#[test]
fn a_run_stops_at_what_comes_along_one_wire_and_not_along_another() {
    let place = TestHome::new();
    let path = place.file("flow.signalbox.json", fork().to_string()).display().to_string();
    let run = |params: &str, at: &str| place.run(&["run", &path, "--params", params, "--break-at", at, "--json"]);
    let done = run(r#"{"n":4,"parts":2}"#, "b.error:c");
    assert_eq!(done.code, 0, "the green way: {}{}", done.out, done.err);
    let done = run(r#"{"n":4}"#, "b.error:c=item.message != ''");
    assert_eq!(done.code, 3, "{}{}", done.out, done.err);
    let stopped = done.last()["stopped"].clone();
    assert_eq!((&stopped["stepId"], &stopped["from"]), (&json!("c"), &json!("b.error")));
    let id = done.last()["runId"].as_str().expect("an id").to_owned();
    let told = place.run(&["runs", "waiting", &id]).out;
    assert!(told.contains("Breakpoint at c on the wire from b.error when item.message != ''"), "{told}");
    // Another process goes on with it; the breakpoints can be set to another wire meanwhile.
    assert_eq!(place.run(&["runs", "break", &id, "--break-at", "a.false:c"]).code, 0);
    let shown = place.run(&["runs", "step", &id]);
    assert_eq!(shown.code, 0, "{}{}", shown.out, shown.err);
    let told = place.run(&["run", &path, "--params", r#"{"n":-1}"#, "--break-at", "a.false:c"]);
    assert!(told.out.contains("at a breakpoint on the wire from a.false"), "{}", told.out);
    for wrong in ["a.success:c", "b:c", "c.success:b"] {
        let refused = run("{}", wrong);
        assert_eq!((refused.code, refused.json()["error"]["code"].as_str()), (2, Some("BAD_BREAKPOINT")), "{wrong}");
    }
}

#[test]
#[cfg(unix)]
fn ts_094_a_run_stopped_at_a_breakpoint_survives_kill_9_and_goes_on_by_command() {
    let place = TestHome::new();
    let run = {
        let mut serving = Serving::start(&place, &[]);
        let request = json!({
            "document": pure(), "params": {}, "breakpoints": [{ "node": "b" }]
        });
        let started = serving.ask("POST", "/rpc/run_start", &request).json();
        let run = started["runId"].as_str().unwrap_or_else(|| panic!("{started}")).to_owned();
        let status = || serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json();
        eventually("the stop", || status()["status"] == "paused");
        serving.child.kill().expect("kill -9");
        serving.child.wait().expect("gone");
        run
    };
    let left = place.run(&["runs", "show", &run, "--json"]).json();
    assert_eq!((&left["status"], &left["stopped"]["stepId"]), (&json!("paused"), &json!("b")));
    let before = types(&place, &run);
    // Another server takes up what a crash left, and leaves alone what somebody stopped.
    let serving = Serving::start(&place, &[]);
    let here = serving.ask("GET", &format!("/workflow/{run}/debug"), &Value::Null).json();
    assert_eq!((&here["stopped"]["reason"], &here["waiting"][0]["stepId"]), (&json!("breakpoint"), &json!("b")));
    assert_eq!(types(&place, &run), before);
    // The terminal lets it go on while the server has the store; the finished step does not run again.
    let done = place.run(&["runs", "continue", &run, "--json"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert_eq!(done.last()["output"], json!([{ "end": 2 }]));
    let told = types(&place, &run);
    assert_eq!(told.iter().filter(|event| *event == "step_start a").count(), 1);
    assert!(!told.contains(&"workflow_resumed".to_owned()), "it stood still: nothing was cut off");
}

#[test]
fn rest_pauses_steps_and_edits_for_builders_only() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let ask = |token: &str, method: &str, path: &str, body: Value| serving.ask_as(token, method, path, &body, &[]);
    let stored = ask(BUILDER, "PUT", "/workflows/test", pure());
    assert!(stored.status < 300, "{}", stored.body);
    let start = json!({ "workflow": "test", "params": {}, "paused": true });
    assert_eq!(ask(OPERATOR, "POST", "/workflow/run", start.clone()).status, 403, "looking into runs is a builder's");
    let run = ask(BUILDER, "POST", "/workflow/run", start).json()["runId"].as_str().expect("an id").to_owned();
    let at = |act: &str| format!("/workflow/{run}/{act}");
    let here = || ask(BUILDER, "GET", &at("debug"), Value::Null).json();
    eventually("the stop", || here()["status"] == "paused");
    assert_eq!(here()["stopped"]["reason"], "request");
    for token in [OPERATOR, VIEWER] {
        assert_eq!(ask(token, "POST", &at("continue"), json!({})).status, 403);
        assert_eq!(ask(token, "GET", &at("debug"), Value::Null).status, 403);
    }
    assert_eq!(ask(BUILDER, "POST", &at("step"), json!({})).status, 200);
    eventually("the step", || here()["stopped"]["stepId"] == "b");
    let wrong = ask(BUILDER, "POST", &at("input"), json!({ "stepId": "b", "input": [] }));
    assert_eq!((wrong.status, wrong.code().as_str()), (422, "INPUT_INVALID"));
    let mut input = here()["waiting"][0]["input"].clone();
    input["n"] = json!(9);
    let look = ask(BUILDER, "POST", &at("input"), json!({ "stepId": "b", "input": input, "check": true }));
    assert_eq!(look.json()["patch"][0]["path"], "/n");
    assert_eq!(here()["waiting"][0]["input"]["n"], 1, "nothing was kept");
    let edited = ask(BUILDER, "POST", &at("input"), json!({ "stepId": "b", "input": input }));
    assert_eq!(edited.status, 200, "{}", edited.body);
    eventually("the edit", || here()["waiting"][0]["input"]["n"] == 9);
    assert_eq!(ask(BUILDER, "POST", &at("continue"), json!({})).status, 200);
    let status = || ask(BUILDER, "GET", &at("status"), Value::Null).json()["status"].clone();
    eventually("the end", || status() == "completed");
    let output = ask(BUILDER, "GET", &at("status"), Value::Null).json()["output"].clone();
    assert_eq!(output, json!([{ "end": 18 }]));
    assert_eq!(ask(BUILDER, "POST", &at("pause"), json!({})).code(), "RUN_ENDED");
}
