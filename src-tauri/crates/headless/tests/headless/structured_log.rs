//! The structured log of a process (O-05, O-06, O-09): one schema, masked, found by run and step.

use crate::support;

use serde_json::{Value, json};
use support::{TestHome, workflow};

fn lines(err: &str) -> Vec<Value> {
    err.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// A step that knows a password, and one that fails with it.
fn nodes() -> Value {
    json!({
        "know": { "type": "data.set", "title": "Know it", "description": "Keeps what the next step needs.",
            "config": { "assign": { "password": "tomato-42", "name": "Ada" }, "keep": false }, "out": { "$password": "=_result.password" } },
        "refuse": { "type": "flow.fail", "config": { "error": { "message": "tomato-42 is no good" } } }
    })
}

fn logged(level: &str) -> Vec<Value> {
    let place = TestHome::new();
    let file = place
        .file("w.signalbox.json", workflow(nodes(), json!([{ "from": "know.success", "to": "refuse" }])).to_string());
    let done = place.run(&["run", &file.display().to_string(), "--log", level, "--json"]);
    assert_eq!(done.code, 1, "{}\n{}", done.out, done.err);
    lines(&done.err)
}

#[test]
fn o_05_o_06_each_line_has_one_schema_and_names_run_and_step() {
    let all = logged("debug");
    let keys = ["ts", "level", "runId", "nodeId", "nodeType", "message", "payload"];
    for line in &all {
        let own: Vec<&str> = line.as_object().expect("an object").keys().map(String::as_str).take(keys.len()).collect();
        assert_eq!(own, keys, "{line}");
    }
    let events: Vec<&Value> = all.iter().filter(|line| line["seq"].is_u64()).collect();
    let seqs: Vec<u64> = events.iter().filter_map(|line| line["seq"].as_u64()).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>(), "every event once, in order");
    assert!(events.iter().all(|line| line["runId"] == events[0]["runId"] && line["runId"].is_string()));
    let began = events.iter().find(|line| line["event"] == "step_start").expect("a step");
    let told = [&began["level"], &began["nodeId"], &began["nodeType"], &began["message"]];
    assert_eq!(told, [&json!("DEBUG"), &json!("know"), &json!("data.set"), &json!("Know it started")]);
    // O-09: what its author says that it does.
    assert_eq!(began["description"], "Keeps what the next step needs.");
    let failed = events.iter().find(|line| line["event"] == "step_error").expect("an error");
    assert_eq!((&failed["level"], &failed["nodeId"]), (&json!("ERROR"), &json!("refuse")));
    let text = all.iter().map(Value::to_string).collect::<String>();
    assert!(!text.contains("tomato-42"), "what a name hides is hidden in every line: {text}");
    assert!(text.contains("Ada"), "and the rest is not");
}

#[test]
fn o_05_a_level_has_those_before_it() {
    let levels = |level: &str| -> Vec<String> {
        logged(level).iter().map(|line| line["level"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert!(levels("error").iter().all(|level| level == "ERROR"));
    assert!(!levels("error").is_empty());
    let info = levels("info");
    assert!(info.iter().any(|level| level == "INFO") && !info.iter().any(|level| level == "DEBUG"), "{info:?}");
}

#[test]
fn without_a_log_errors_of_steps_are_no_lines() {
    let place = TestHome::new();
    let file = place
        .file("w.signalbox.json", workflow(nodes(), json!([{ "from": "know.success", "to": "refuse" }])).to_string());
    let done = place.run(&["run", &file.display().to_string(), "--json"]);
    assert_eq!((done.code, done.err.as_str()), (1, ""));
}

/// docs/formats.md, Structured log: its example has the members that the program writes.
#[test]
fn the_example_of_the_page_is_what_is_written() {
    let page = include_str!("../../../../../docs/formats.md");
    let part = page.split("## Structured log").nth(1).expect("the part").split("\n## ").next().expect("its text");
    let example = part.split("```json\n").nth(1).and_then(|rest| rest.split("\n```").next()).expect("an example");
    let example: Value = serde_json::from_str(example).expect("json");
    let all = logged("debug");
    let written = all.iter().find(|line| line["event"] == "step_error").expect("an error");
    let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&example), keys(written));
}
