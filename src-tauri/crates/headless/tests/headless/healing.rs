//! Repairs by a model, with the real program and a provider by script.

use crate::provider;
use crate::support;

use provider::listen;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use support::{TestHome, workflow};

/// Speaks chat completions: the answers in order, the last one again and again.
struct Model {
    base: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    fn saying(answers: &[&str]) -> Self {
        let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
        let (kept, answers) = (Arc::clone(&asked), answers.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        let base = listen(move |_, body| {
            let number = {
                let mut asked = kept.lock().expect("no panic");
                asked.push(serde_json::from_slice(body).expect("JSON"));
                asked.len() - 1
            };
            let text = answers.get(number).or(answers.last()).map_or("", String::as_str);
            // An answer that ends in an ellipsis was cut off.
            let finish = if text.ends_with('…') { "length" } else { "stop" };
            let said = json!({ "message": { "content": text }, "finish_reason": finish });
            let usage = json!({ "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 });
            ("200 OK", json!({ "model": "mender-1", "choices": [said], "usage": usage }))
        });
        let base = format!("{base}/v1");
        Self { base, asked }
    }

    fn questions(&self) -> Vec<Value> {
        self.asked.lock().expect("no panic").clone()
    }
}

/// A step that fails on words, and a healer.
fn order(healer: Value) -> Value {
    let schema = json!({ "type": "object", "required": ["num"], "properties": { "num": { "type": "integer" } } });
    let mut config = json!({ "validationSchema": schema });
    for (name, value) in healer.as_object().expect("an object") {
        config[name] = value.clone();
    }
    workflow(
        json!({
            "twice": { "type": "data.transform", "config": { "expression": "{'twice': item.num * 2}" } },
            "sh": { "type": "builtin.self_healing", "config": config },
        }),
        json!([{ "from": "twice.error", "to": "sh" }, { "from": "sh.success", "to": "twice" }]),
    )
}

fn recorded(place: &TestHome, event: &str) -> Vec<Value> {
    let entries = place.run(&["audit", "list", "--json"]).json();
    entries.as_array().expect("a list").iter().filter(|entry| entry["event"] == event).cloned().collect()
}

fn attempts(place: &TestHome) -> Vec<Value> {
    recorded(place, "AUTO_FIX_ATTEMPT")
}

#[test]
fn ts_006_e_41_a_model_repairs_the_input_and_the_step_runs_with_it() {
    let (place, model) = (TestHome::new(), Model::saying(&["```json\n{\"num\": 42}\n```"]));
    let provider = json!({ "kind": "openai", "baseUrl": model.base });
    let file = place
        .file("order.json", order(json!({ "strategy": "both", "provider": provider, "model": "mender" })).to_string());
    let done = place.run(&["run", &file.display().to_string(), "--params", r#"{"num": "forty two"}"#, "--json"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert_eq!(done.json()["output"], json!([{ "twice": 84 }]));
    let questions = model.questions();
    assert_eq!(questions.len(), 1);
    let words = questions[0]["messages"].to_string();
    for part in ["forty two", "payload", "integer", "never an instruction"] {
        assert!(words.contains(part), "{part} in {words}");
    }
    let run = done.json()["runId"].as_str().expect("an id").to_owned();
    let events = place.run(&["runs", "events", &run, "--json"]).lines();
    let tried: Vec<&Value> = events.iter().filter(|event| event["type"] == "auto_fix_attempt").collect();
    assert_eq!(tried.len(), 2, "the rules, then the model");
    assert_eq!(tried[1]["payload"]["asked"], json!({ "number": 1, "of": 2, "tokens": 120 }));
    assert_eq!(tried[1]["payload"]["model"], "mender-1");
    assert!(events.iter().any(|event| event["type"] == "llm_done" && event["stepId"] == "sh"));
    assert_eq!(attempts(&place).len(), 2);
}

#[test]
fn ts_007_two_answers_of_no_use_and_one_person() {
    let (place, model) = (TestHome::new(), Model::saying(&["{\"num\": \"many\"}", "I cannot."]));
    let provider = json!({ "kind": "openai", "baseUrl": model.base });
    let file = place
        .file("order.json", order(json!({ "strategy": "llm", "provider": provider, "model": "mender" })).to_string());
    let done = place.run(&["run", &file.display().to_string(), "--params", r#"{"num": "forty two"}"#, "--json"]);
    assert_eq!(done.code, 3, "{}{}", done.out, done.err);
    assert_eq!(model.questions().len(), 2);
    assert_eq!(attempts(&place).len(), 2);
    let tasks = place.run(&["tasks", "list", "--json"]).json();
    assert_eq!(tasks.as_array().map(Vec::len), Some(1), "{tasks}");
}

/// The next answer would be as long, and cost as much.
#[test]
fn an_answer_that_is_cut_off_is_not_asked_for_again() {
    let (place, model) = (TestHome::new(), Model::saying(&["{\"num\": 4…"]));
    let provider = json!({ "kind": "openai", "baseUrl": model.base });
    let healer = json!({ "strategy": "llm", "provider": provider, "model": "mender", "maxAttempts": 5 });
    let file = place.file("order.json", order(healer).to_string());
    let done = place.run(&["run", &file.display().to_string(), "--params", r#"{"num": "forty two"}"#, "--json"]);
    assert_eq!(done.code, 3, "{}{}", done.out, done.err);
    assert_eq!(model.questions().len(), 1);
    assert_eq!(attempts(&place).len(), 1);
    let run = done.json()["runId"].as_str().expect("an id").to_owned();
    let events = place.run(&["runs", "events", &run, "--json"]).lines();
    let tried = events.iter().find(|event| event["type"] == "auto_fix_attempt").expect("an attempt");
    let why = tried["payload"]["violations"].to_string();
    assert!(why.contains("was cut off"), "{why}");
}

#[test]
fn k_41_a_healer_without_a_model_does_not_run() {
    let place = TestHome::new();
    let file = place.file("order.json", order(json!({ "strategy": "llm" })).to_string());
    let done = place.run(&["run", &file.display().to_string(), "--params", r#"{"num": "forty two"}"#, "--json"]);
    assert_eq!(done.code, 2, "{}{}", done.out, done.err);
    assert!(done.out.contains("MISSING_MODEL"), "{}", done.out);
}

/// A task about a failed input, and a model that is the default of the machine.
fn waiting(answers: &[&str]) -> (TestHome, Model, String) {
    let (place, model) = (TestHome::new(), Model::saying(answers));
    let file = place.file("order.json", order(json!({})).to_string());
    let params = r#"{"num": "forty two", "password": "hunter2-canary"}"#;
    let done = place.run(&["run", &file.display().to_string(), "--params", params, "--json"]);
    assert_eq!(done.code, 3, "{}{}", done.out, done.err);
    let tasks = place.run(&["tasks", "list", "--json"]).json();
    let task = tasks[0]["id"].as_str().expect("a task").to_owned();
    (place, model, task)
}

fn choose(place: &TestHome, model: &Model) {
    let set = ["models", "set", "home", "--kind", "openai", "--url", &model.base, "--model", "mender"];
    assert_eq!(place.run(&set).code, 0);
    assert_eq!(place.run(&["models", "default", "home", "mender"]).code, 0);
}

fn suggested(place: &TestHome) -> Vec<Value> {
    recorded(place, "CORRECTION_SUGGESTED")
}

#[test]
fn ux_d_a_model_suggests_what_a_person_may_take_and_never_sees_what_is_hidden() {
    let (place, model, task) = waiting(&["{\"num\": 42}", "I would rather not.", "{\"num\": \"many\"}"]);
    let ask = || place.run(&["tasks", "suggest", &task, "--as", "user:olga", "--json"]);
    // Nobody is asked, and nothing recorded, where there is no model.
    let done = ask();
    assert!(done.code != 0 && done.out.contains("NO_MODEL"), "{}{}", done.out, done.err);
    assert!(suggested(&place).is_empty());

    choose(&place, &model);
    let done = ask();
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let found = done.json();
    assert_eq!((&found["source"], &found["valid"]), (&json!("llm"), &json!(true)));
    assert_eq!(found["correctedInput"], json!({ "num": 42 }));
    assert!(found["changes"].as_array().expect("a list").contains(&json!("num: \"forty two\" → 42")), "{found}");
    assert!(found["rationale"].as_str().expect("words").contains("mender-1"), "{found}");
    let words = model.questions()[0].to_string();
    assert!(words.contains("forty two") && !words.contains("hunter2"), "{words}");
    // What is of no use is told, and recorded too: it was paid for.
    for _ in 0..2 {
        let done = ask();
        assert!(done.code != 0 && done.out.contains("NO_SUGGESTION"), "{}{}", done.out, done.err);
    }
    let entries = suggested(&place);
    assert_eq!(entries.len(), 3);
    assert!(entries.iter().all(|entry| entry.to_string().contains("user:olga")), "{entries:?}");
    let task = place.run(&["tasks", "show", &task, "--json"]).json();
    assert_eq!(task["state"], "open", "the person decides");
    let told = task["history"].as_array().expect("a history").iter().filter(|one| one["what"] == "suggested").count();
    assert_eq!(told, 3);
    assert!(!entries.iter().any(|entry| entry.to_string().contains("hunter2")));
}

#[test]
fn the_sample_of_the_gallery_says_what_is_missing_and_heals_with_a_model() {
    const SAMPLE: &str = include_str!("../../../app/samples/extract-validate-heal.signalbox.json");
    let answers = [
        "{\"supplier\": \"Lamps & Co\", \"net\": \"twelve hundred\"}",
        "{\"supplier\": \"Lamps & Co\", \"net\": 1200}",
    ];
    let (place, model) = (TestHome::new(), Model::saying(&answers));
    let file = place.file("sample.json", SAMPLE).display().to_string();
    let done = place.run(&["run", &file, "--json"]);
    assert_eq!(done.code, 2, "{}{}", done.out, done.err);
    assert!(done.out.contains("MISSING_MODEL") && done.out.contains("Settings, Models"), "{}", done.out);
    choose(&place, &model);
    let done = place.run(&["run", &file, "--json"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert_eq!(done.json()["output"][0]["gross"].as_f64(), Some(1428.0));
    assert_eq!(model.questions().len(), 2);
}
