//! Exported programs that ask people: at the terminal and on their own page.

use crate::support::{Place, Program, holds, workflow};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

/// Asks whether the amount may be paid, then says what was decided.
fn payment() -> Value {
    let mut file = workflow(
        "payment",
        json!({
            "start": { "type": "trigger.manual" },
            "pay": { "type": "builtin.human_form", "title": "Pay the invoice", "config": {
                "title": "Pay the invoice", "instructions": "How much may be paid?",
                "schema": { "type": "object", "required": ["amount"], "properties": { "amount": { "type": "number", "maximum": 100 } } }
            } },
            "end": { "type": "flow.noop" }
        }),
        &[("start", "pay"), ("pay", "end")],
    );
    file["params"] = json!({ "type": "object", "properties": { "invoice": { "type": "string" } } });
    file
}

fn waiting(program: &Program) -> (String, String) {
    let summary = program.run(&["run", "--json", "--params", r#"{"invoice":"R-7"}"#]).assert_code(3).json();
    let run = summary["runId"].as_str().expect("a run").to_owned();
    let tasks = program.run(&["tasks", "list", "--json"]).assert_code(0).json();
    (run, tasks[0]["taskId"].as_str().expect("a task").to_owned())
}

#[test]
fn ts_168_without_a_way_to_ask_a_workflow_with_people_is_refused() {
    let place = Place::new();
    let file = place.write(&payment());
    let refused = place.export(&file, &[]).assert_code(2).json();
    let found = &refused["error"]["details"]["diagnostics"][0];
    assert_eq!(
        (found["code"].as_str(), found["path"].as_str()),
        (Some("EXPORT_KIND"), Some("/nodes/pay/type")),
        "{refused}"
    );
    assert!(found["hint"].as_str().is_some_and(|hint| hint.contains("--human terminal")), "{found}");
}

#[test]
fn h_32_a_person_answers_at_the_terminal_and_the_run_goes_on() {
    let place = Place::new();
    let program = place.program(&payment(), &["--human", "terminal"]);
    let described = program.run(&["--describe", "--json"]).assert_code(0).json();
    assert_eq!(described["human"], "terminal");
    let (run, task) = waiting(&program);

    let shown = program.run(&["tasks", "show", &task, "--json"]).assert_code(0).json();
    assert_eq!(shown["stepTitle"], "Pay the invoice");
    assert_eq!(shown["runId"].as_str(), Some(run.as_str()));
    let complete = |input: &str| {
        program.run(&[
            "tasks",
            "complete",
            &task,
            "--action",
            "submit",
            "--input",
            input,
            "--as",
            "user:anna",
            "--json",
        ])
    };
    let refused = complete(r#"{"amount":120}"#).assert_code(2).json();
    assert_eq!(refused["error"]["code"], "INPUT_INVALID");
    assert_eq!(refused["error"]["details"]["violations"][0]["path"], "/amount", "{refused}");

    let ended = complete(r#"{"amount":80}"#).assert_code(0).json();
    assert_eq!((ended["runId"].as_str(), ended["status"].as_str()), (Some(run.as_str()), Some("completed")));
    assert!(ended["output"].to_string().contains("80"), "{ended}");
    let again = complete(r#"{"amount":90}"#).assert_code(2).json();
    assert_eq!(again["error"]["code"], "ALREADY_ANSWERED");
    program.run(&["audit", "verify", "--json"]).assert_code(0);
    assert_eq!(program.run(&["tasks", "list", "--json"]).assert_code(0).json(), json!([]));
    let page = program.run(&["serve", "--json"]).assert_code(2).json();
    assert_eq!(page["error"]["code"], "NO_PAGE");
}

/// A program that serves its page, stopped when it goes.
struct Served {
    child: Child,
    port: u16,
    token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    fn start(program: &Program) -> Self {
        let mut command = program.command(&["serve", "--json"]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let told: Value = serde_json::from_str(&line).expect("JSON");
        let url = told["url"].as_str().expect("an address");
        let (address, token) = url.split_once("/#token=").expect("a token");
        let port = address.rsplit_once(':').expect("a port").1.parse().expect("a number");
        Self { child, port, token: token.to_owned() }
    }

    /// Status and body of an answer.
    fn ask(&self, method: &str, path: &str, host: &str, token: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        let length = body.len();
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}").expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, answer.split_once("\r\n\r\n").expect("a body").1.to_owned())
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let host = format!("127.0.0.1:{}", self.port);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, body) = self.ask(method, path, &host, &self.token, &body);
        (status, serde_json::from_str(&body).unwrap_or(Value::String(body)))
    }
}

#[test]
fn h_32_the_page_of_a_program_takes_answers_of_this_machine_only() {
    let place = Place::new();
    let program = place.program(&payment(), &["--human", "ui"]);
    let (run, task) = waiting(&program);
    let served = Served::start(&program);
    let here = format!("127.0.0.1:{}", served.port);
    let path = format!("/tasks/{task}");

    // A page of elsewhere that points its own name to this machine, and one without the token.
    assert_eq!(served.ask("GET", "/tasks", "evil.example", &served.token, "").0, 403);
    assert_eq!(served.ask("GET", "/tasks", &here, "0000", "").0, 401);
    assert_eq!(served.ask("POST", &path, &here, "", r#"{"action":"submit"}"#).0, 401);
    let (status, page) = served.ask("GET", "/", &here, "", "");
    assert!(status == 200 && page.contains("inbox.js"), "{page}");

    let (_, listed) = served.call("GET", "/tasks", &Value::Null);
    assert_eq!(listed["tasks"][0]["taskId"].as_str(), Some(task.as_str()), "{listed}");
    let (_, shown) = served.call("GET", &path, &Value::Null);
    let answer = |amount: u32| json!({ "action": "submit", "correctedInput": { "amount": amount }, "revision": shown["revision"] });
    assert_eq!(served.call("POST", &path, &answer(120)).0, 422);
    let (status, done) = served.call("POST", &path, &answer(80));
    assert_eq!((status, done["state"].as_str()), (200, Some("done")), "{done}");
    assert_eq!(served.call("POST", &path, &answer(90)).0, 409);
    // The program goes on with the run by itself; once it is stopped, whoever resumes finds it done or finishes it.
    drop(served);
    program.run(&["resume", "--json"]).assert_code(0);
    let runs = program.run(&["runs", "--json"]).assert_code(0).json();
    assert_eq!(
        (runs[0]["runId"].as_str(), runs[0]["status"].as_str()),
        (Some(run.as_str()), Some("completed")),
        "{runs}"
    );
}

/// Only the program that has the page contains its code.
#[test]
fn s_04_a_program_without_people_holds_no_page() {
    let place = Place::new();
    let quiet = workflow("quiet", json!({ "start": { "type": "trigger.manual" } }), &[]);
    let has_page = |program: &Program| holds(&program.file, "The page for tasks of an exported program");
    assert!(!has_page(&place.program(&quiet, &["--human", "ui"])));
    let other = Place::new();
    assert!(has_page(&other.program(&payment(), &["--human", "ui"])));
}
