//! Repairs by a model, with the real program and a provider by script.

mod support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use support::{Box, workflow};

/// Speaks chat completions: the answers in order, the last one again and again.
struct Model {
    base: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    fn saying(answers: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
        let (kept, answers) = (Arc::clone(&asked), answers.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
                let (mut head, mut length) = (String::new(), 0);
                while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap_or(0) > 0 {}
                for line in head.to_lowercase().lines() {
                    length = line.strip_prefix("content-length: ").map_or(length, |n| n.parse().expect("a number"));
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).expect("the body");
                let number = {
                    let mut asked = kept.lock().expect("no panic");
                    asked.push(serde_json::from_slice(&body).expect("JSON"));
                    asked.len() - 1
                };
                let text = answers.get(number).or(answers.last()).map_or("", String::as_str);
                let body = json!({
                    "model": "mender-1",
                    "choices": [{ "message": { "content": text }, "finish_reason": "stop" }],
                    "usage": { "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 },
                })
                .to_string();
                let head =
                    format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}", body.len());
                let _gone = stream.write_all(format!("{head}\r\nConnection: close\r\n\r\n{body}").as_bytes());
            }
        });
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

fn attempts(place: &Box) -> Vec<Value> {
    let entries = place.run(&["audit", "list", "--json"]).json();
    let entries = entries["entries"].as_array().expect("entries").iter();
    entries.filter(|entry| entry["event"] == "AUTO_FIX_ATTEMPT").cloned().collect()
}

#[test]
fn ts_006_e_41_a_model_repairs_the_input_and_the_step_runs_with_it() {
    let (place, model) = (Box::new(), Model::saying(&["```json\n{\"num\": 42}\n```"]));
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
    let (place, model) = (Box::new(), Model::saying(&["{\"num\": \"many\"}", "I cannot."]));
    let provider = json!({ "kind": "openai", "baseUrl": model.base });
    let file = place
        .file("order.json", order(json!({ "strategy": "llm", "provider": provider, "model": "mender" })).to_string());
    let done = place.run(&["run", &file.display().to_string(), "--params", r#"{"num": "forty two"}"#, "--json"]);
    assert_eq!(done.code, 3, "{}{}", done.out, done.err);
    assert_eq!(model.questions().len(), 2);
    assert_eq!(attempts(&place).len(), 2);
    let tasks = place.run(&["tasks", "list", "--json"]).json();
    assert_eq!(tasks["tasks"].as_array().map(Vec::len), Some(1), "{tasks}");
}

#[test]
fn k_41_a_healer_without_a_model_does_not_run() {
    let place = Box::new();
    let file = place.file("order.json", order(json!({ "strategy": "llm" })).to_string());
    let done = place.run(&["run", &file.display().to_string(), "--params", r#"{"num": "forty two"}"#, "--json"]);
    assert_eq!(done.code, 2, "{}{}", done.out, done.err);
    assert!(done.out.contains("MISSING_MODEL"), "{}", done.out);
}
