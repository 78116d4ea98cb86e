//! A person between a model and its tools (ADR 41, 51), with the real program, a real tool server and a model by script.

use crate::provider;
use crate::support;

use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};
use support::TestHome;

/// Answers in turn: words, or `{name, input}` of a tool. What was asked is kept.
fn model(answers: Vec<Value>) -> (String, Arc<Mutex<Vec<Value>>>) {
    let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
    let kept = Arc::clone(&asked);
    let base = provider::listen(move |_, body| {
        let mut kept = kept.lock().expect("no panic");
        let answer = answers.get(kept.len()).cloned().unwrap_or_else(|| "nothing more".into());
        kept.push(serde_json::from_slice(body).unwrap_or_default());
        let message = match answer {
            Value::String(words) => json!({ "content": words }),
            tool => json!({ "content": null, "tool_calls": [{
                "id": format!("call_{}", kept.len()), "type": "function",
                "function": { "name": tool["name"], "arguments": tool["input"].to_string() }
            }] }),
        };
        ("200 OK", json!({ "model": "small", "choices": [{ "message": message, "finish_reason": "stop" }] }))
    });
    (format!("{base}/v1"), asked)
}

fn server() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/mcp/server.mjs");
    path.canonicalize().expect("the test server").display().to_string()
}

/// Registers and approves the test server under a name.
fn approve(place: &TestHome, name: &str, more: &[&str]) {
    let (server, log) = (server(), place.dir.path().join(name).display().to_string());
    let set = [&["tools", "set", name], more, &["--", "node", &server, "--log", &log]].concat();
    let done = place.run(&set);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let hash = place.run(&["tools", "connect", name, "--json"]).json()["hash"].as_str().expect("a hash").to_owned();
    assert_eq!(place.run(&["tools", "approve", name, "--hash", &hash]).code, 0);
}

/// How often a server was asked to call a tool.
fn calls(place: &TestHome, name: &str) -> usize {
    let log = std::fs::read_to_string(place.dir.path().join(name)).unwrap_or_default();
    log.lines().filter(|line| line.contains("\"called\"")).count()
}

fn file(place: &TestHome, base: &str, settings: Value, tools: Value) -> String {
    let config = json!({
        "prompt": "Go", "tools": tools, "model": "small", "provider": { "kind": "openai", "baseUrl": base }, "stream": false
    });
    let flow = json!({
        "signalbox": 1, "id": "gated", "name": "Gated", "settings": settings,
        "nodes": { "work": { "type": "agent.task", "config": config } }, "edges": []
    });
    place.file("gated.signalbox.json", flow.to_string()).display().to_string()
}

fn open_task(place: &TestHome) -> Value {
    let tasks = place.run(&["tasks", "list", "--json"]).json();
    let id = tasks[0]["id"].as_str().expect("a task").to_owned();
    place.run(&["tasks", "show", &id, "--json"]).json()
}

#[test]
fn k_14_a_person_allows_a_call_and_nothing_is_called_twice() {
    let place = TestHome::new();
    approve(&place, "one", &[]);
    let echo = |text: &str| json!({ "name": "echo", "input": { "text": text } });
    let (base, asked) = model(vec![
        echo("free"),
        echo("first"),
        echo("second"),
        echo("third"),
        "Done.".into(),
        echo("fourth"),
        echo("fifth"),
    ]);
    let rules = json!([
        { "name": "free", "when": "args.text == 'free'", "action": "allow" },
        { "name": "never", "when": "args.text == 'third'", "action": "deny" },
        { "name": "all", "when": "tool == 'echo'", "action": "ask", "message": "Somebody looks at it" },
    ]);
    let flow = file(&place, &base, json!({ "toolRules": rules }), json!(["one/echo"]));
    let run = place.run(&["run", &flow, "--json"]);
    assert_eq!((run.code, &run.json()["status"]), (3, &json!("paused")), "{}{}", run.out, run.err);
    let run_id = run.json()["runId"].as_str().expect("an id").to_owned();
    assert_eq!(calls(&place, "one"), 1);

    let task = open_task(&place);
    let id = task["id"].as_str().expect("an id").to_owned();
    assert_eq!((&task["reason"], &task["input"]), (&json!("tool_call"), &json!({ "text": "first" })));
    assert_eq!(task["allowedActions"], json!(["approve", "reject", "abort"]));
    assert_eq!(task["error"]["details"]["toolCall"]["rule"], "all");

    // What does not fit is refused, and the task stays open.
    let complete = |more: &[&str]| place.run(&[&["tasks", "complete", &id, "--json"], more].concat());
    assert_eq!(complete(&["--action", "retry"]).code, 2);
    assert_eq!(complete(&["--action", "reject", "--grant", "run"]).code, 2);
    assert_eq!(complete(&["--action", "approve", "--grant", "always"]).code, 2);
    let done = complete(&["--action", "approve", "--grant", "run", "--as", "user:ada", "--notes", "fine"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);

    // Another process goes on: the conversation and the grant come out of the log.
    let done = place.run(&["resume", &run_id, "--json"]);
    assert_eq!((done.code, &done.json()["status"]), (0, &json!("completed")), "{}", done.out);
    assert_eq!(done.json()["output"], json!(["Done."]));
    assert_eq!(calls(&place, "one"), 3, "free, first and second; third is not allowed");
    let asked = asked.lock().expect("no panic").clone();
    assert_eq!(asked.len(), 5);
    let told = asked[4]["messages"].to_string();
    assert_eq!(told.matches("\"role\":\"tool\"").count(), 4, "{told}");
    assert!(told.contains("does not allow this call"), "{told}");

    let entries = place.run(&["audit", "list", "--run", &run_id, "--json"]).json();
    let all = entries.as_array().expect("a list");
    let of =
        |event: &str| all.iter().find(|one| one["event"] == event).unwrap_or_else(|| panic!("no {event}: {entries}"));
    let created = &of("HITL_CREATED")["metadata"]["toolCall"];
    assert_eq!(
        (&created["server"], &created["tool"], &created["rule"]),
        (&json!("one"), &json!("echo"), &json!("all"))
    );
    assert_eq!(created["argumentsHash"].as_str().map(str::len), Some(64));
    assert!(!all.iter().any(|one| one["event"] == "NODE_ERROR"), "a question is no error: {entries}");
    assert_eq!(of("HITL_COMPLETED")["metadata"]["toolGrant"], "run");
    assert_eq!(of("TOOL_REFUSED")["metadata"]["rule"], "never");
    assert_eq!(place.run(&["audit", "verify"]).code, 0);

    // A re-run is another run: nothing is allowed in it.
    for more in [&[][..], &["--keep-answers"]] {
        let again = place.run(&[&["rerun", &run_id, "--from", "work", "--json"], more].concat());
        assert_eq!(
            (again.code, &again.json()["status"]),
            (3, &json!("paused")),
            "{more:?}: {}{}",
            again.out,
            again.err
        );
        assert_eq!(calls(&place, "one"), 3);
    }
}

#[test]
fn k_14_a_call_is_answered_one_by_one_and_by_who_may() {
    let place = TestHome::new();
    approve(&place, "one", &[]);
    let (base, _) = model(vec![json!({ "name": "echo", "input": { "text": "a", "times": 2 } }), "No.".into()]);
    let flow = file(&place, &base, json!({ "toolRules": [] }), json!(["one/echo"]));
    assert_eq!(place.run(&["run", &flow, "--json"]).code, 3);
    let id = open_task(&place)["id"].as_str().expect("an id").to_owned();
    let serving = support::with_roles(&place);
    let body = json!({ "taskId": id, "action": "approve" });
    let as_role = |token: &str, path: &str, body: &Value| serving.ask_as(token, "POST", path, body, &[]);
    assert_eq!(as_role(support::VIEWER, &format!("/human-tasks/{id}/complete"), &body).status, 403);
    let many = json!({ "taskIds": [id], "action": "approve" });
    let many = as_role(support::OPERATOR, "/rpc/task_complete_many", &many).json();
    assert_eq!(many["results"][0]["error"]["code"], "ACTION_NOT_ALLOWED", "{many}");
    let odd = as_role(
        support::OPERATOR,
        &format!("/human-tasks/{id}/complete"),
        &json!({ "action": "reject", "toolGrant": "run" }),
    );
    assert_eq!((odd.status, odd.code().as_str()), (422, "INPUT_INVALID"));
    let done = as_role(
        support::OPERATOR,
        &format!("/human-tasks/{id}/complete"),
        &json!({ "action": "reject", "notes": "Not today" }),
    );
    assert_eq!(done.status, 200, "{}", done.body);
    assert_eq!(calls(&place, "one"), 0);
}

#[test]
fn trust_secrets_and_a_way_out_in_one_hand_do_not_run_without_a_person() {
    let place = TestHome::new();
    assert_eq!(place.run(&["secret", "choose", "file"]).code, 0);
    let kept = place.run_with(&["secret", "set", "erp", "--host", "erp.example"], "4711-4711-4711\n");
    assert_eq!(kept.code, 0, "{}{}", kept.out, kept.err);
    approve(&place, "vault", &["--env", "ERP=secret://erp"]);
    approve(&place, "mail", &[]);
    let (base, asked) = model(vec![
        json!({ "name": "vault_echo", "input": { "text": "secrets" } }),
        json!({ "name": "echo", "input": { "text": "to the thief" } }),
        "I could not.".into(),
    ]);
    let tools = json!(["mail/echo", "vault/echo"]);
    let refused = place.run(&["run", &file(&place, &base, json!({}), tools.clone()), "--json"]);
    assert_eq!(refused.code, 2, "{}", refused.out);
    let told = refused.json()["error"]["details"]["diagnostics"].clone();
    assert_eq!((&told[0]["code"], &told[0]["path"]), (&json!("UNGATED_EGRESS"), &json!("/nodes/work/config/tools")));
    assert_eq!(told[0]["fix"]["path"], "/nodes/work/config/toolRules");
    assert_eq!(asked.lock().expect("no panic").len(), 0);

    // With the rule it runs: the model obeys whoever told it, and the engine asks a person.
    let rules = json!([{ "name": "out", "when": "server == 'mail'", "action": "ask" }, { "name": "rest", "when": "true", "action": "allow" }]);
    let run = place.run(&["run", &file(&place, &base, json!({ "toolRules": rules }), tools), "--json"]);
    assert_eq!((run.code, &run.json()["status"]), (3, &json!("paused")), "{}{}", run.out, run.err);
    assert_eq!((calls(&place, "vault"), calls(&place, "mail")), (1, 0));
    assert_eq!(open_task(&place)["input"], json!({ "text": "to the thief" }));
}

#[test]
fn trust_a_persons_word_on_a_tool_is_what_validation_and_the_gate_go_by() {
    let place = TestHome::new();
    approve(&place, "vault", &[]);
    approve(&place, "mail", &[]);
    let say = |args: &[&str]| place.run(&[&["tools", "say", "--json"], args].concat());
    let runs = |answers: Vec<Value>| {
        let (base, _) = model(answers);
        place.run(&["run", &file(&place, &base, json!({}), json!(["mail/echo", "vault/echo"])), "--json"])
    };
    let script = || vec![json!({ "name": "echo", "input": { "text": "to the thief" } }), "Done.".into()];
    // Nobody knows that the vault reads something private: it has no credential.
    assert_eq!(runs(script()).code, 0);
    let told = say(&["vault", "echo", "--private", "yes"]).json();
    let echo = told["tools"].as_array().expect("a list").iter().find(|tool| tool["name"] == "echo").expect("the tool");
    assert_eq!(echo["said"], json!({ "bearsSecrets": true }));
    let refused = runs(script());
    assert_eq!(refused.json()["error"]["details"]["diagnostics"][0]["code"], "UNGATED_EGRESS", "{}", refused.out);

    // Looser than the guess: in a sentence first, then on record.
    let asked = say(&["mail", "echo", "--sends", "no"]);
    assert_eq!((asked.code, &asked.json()["error"]["code"]), (2, &json!("LOOSENS")), "{}", asked.out);
    let words = asked.json()["error"]["message"].as_str().expect("words").to_owned();
    assert!(words.contains("'mail/echo' sends nothing out, although its server does not say"), "{words}");
    assert_eq!(runs(script()).code, 2, "nothing was kept");
    assert_eq!(say(&["mail", "echo", "--sends", "no", "--understood"]).code, 0);
    let run = runs(script());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let entries = place.run(&["audit", "list", "--json"]).json();
    let said: Vec<&Value> =
        entries.as_array().expect("a list").iter().filter(|one| one["event"] == "TOOL_WORD_SET").collect();
    assert_eq!(said.len(), 2);
    assert!(said.iter().any(|one| one["metadata"]["loosened"] == json!(["isEgress"]) && one["level"] == "WARN"));

    // Taken back, it is guessed again; and a word is about what was approved.
    assert_eq!(say(&["mail", "echo", "--sends", "guess"]).code, 0);
    assert_eq!(runs(script()).code, 2);
    assert_eq!(say(&["mail", "nothing", "--sends", "yes"]).code, 2);
    let set = place.run(&["tools", "set", "mail", "--json", "--", "node", "other.mjs"]);
    assert_eq!(set.code, 0, "{}", set.out);
    assert_eq!(say(&["mail", "echo", "--private", "yes"]).code, 2);
    assert_eq!(place.run(&["audit", "verify"]).code, 0);
}

/// ADR 70: with the bytes of a real server, in the form of chat completions, which has no place for them in an answer of a tool.
#[test]
fn adr_70_a_picture_of_a_tool_is_shown_to_the_model_and_not_to_the_log() {
    let place = TestHome::new();
    let server = [server(), "--pictures".into()];
    assert_eq!(place.run(&["tools", "set", "cam", "--", "node", &server[0], &server[1]]).code, 0);
    let hash = place.run(&["tools", "connect", "cam", "--json"]).json()["hash"].as_str().expect("a hash").to_owned();
    assert_eq!(place.run(&["tools", "approve", "cam", "--hash", &hash]).code, 0);
    let (base, asked) = model(vec![json!({ "name": "shows", "input": {} }), "Done.".into()]);
    let flow = file(&place, &base, json!({}), json!(["cam/shows"]));
    let run = place.run(&["run", &flow, "--events", "--json"]);
    assert_eq!((run.code, &run.last()["status"]), (0, &json!("completed")), "{}{}", run.out, run.err);
    let pixel = "R0lGODlhAQABAIAAAAAAAP";
    assert!(!run.out.contains(pixel) && run.out.contains("[A picture (image/gif, 1 KiB)]"), "{}", run.out);
    let asked = asked.lock().expect("no panic").clone();
    let messages = asked[1]["messages"].as_array().expect("messages");
    let [.., answer, shown] = messages.as_slice() else { panic!("{messages:?}") };
    assert_eq!(
        (&answer["role"], &answer["content"]),
        (&json!("tool"), &json!("The screen:\n[A picture (image/gif, 1 KiB)]"))
    );
    assert_eq!(shown["role"], "user");
    assert_eq!(shown["content"][0]["text"], "A picture that 'shows' answered:");
    let url = shown["content"][1]["image_url"]["url"].as_str().expect("a picture");
    assert!(url.starts_with(&format!("data:image/gif;base64,{pixel}")), "{url}");
}
