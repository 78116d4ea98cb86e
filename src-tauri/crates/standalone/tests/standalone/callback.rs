//! Programs that send tasks to an address of others.

use crate::support::{Place, Request, Served, Server, workflow};
use serde_json::{Value, json};
use signalbox_runtime::deliveries::headers;
use std::process::Stdio;

const SECRET: &str = "what signs the messages";
const TOKEN: &str = "0123456789abcdef";

fn payment() -> Value {
    workflow(
        "payment",
        json!({
            "start": { "type": "trigger.manual" },
            "pay": { "type": "builtin.human_form", "title": "Pay the invoice", "config": {
                "title": "Pay the invoice", "schema": { "type": "object", "properties": { "amount": { "type": "number", "maximum": 100 } } }
            } },
        }),
        &[("start", "pay")],
    )
}

/// Who is told checks the signature and reads what it is about.
fn message(request: &Request) -> (String, Value) {
    let value = |name: &str| request.headers.get(name).expect("a header").clone();
    let at = value("webhook-timestamp").parse::<i64>().expect("seconds") * 1_000;
    let made = headers(&value("webhook-id"), at, &request.body, SECRET).expect("a signature");
    assert_eq!(made[2].1, value("webhook-signature"));
    (value("webhook-id"), serde_json::from_str(&request.body).expect("JSON"))
}

#[test]
fn ts_168_tasks_are_sent_to_an_address_until_it_takes_them_and_it_decides() {
    let server = Server::start();
    let place = Place::new();
    let how = format!("callback={}/tasks", server.base);
    let mut program = place.program(&payment(), &["--human", &how]);
    let described = program.run(&["--describe", "--json"]).assert_code(0).json();
    assert_eq!(
        (&described["human"], &described["callback"]),
        (&json!("callback"), &json!(format!("{}/tasks", server.base)))
    );
    let missing = program.run(&["run", "--json"]).assert_code(2).json();
    assert_eq!(missing["error"]["code"], "MISSING_SECRET", "{missing}");
    program.env.push(("SIGNALBOX_SECRET_HUMAN_REVIEW_CALLBACK".into(), SECRET.into()));
    program.env.push(("SIGNALBOX_SECRET_HUMAN_REVIEW_TOKEN".into(), TOKEN.into()));

    let mut running = program.command(&["run", "--json"]).stdout(Stdio::null()).spawn().expect("it starts");
    let unanswered = server.requests.recv().expect("a message");
    let (first, told) = message(&unanswered);
    assert_eq!((told["type"].as_str(), unanswered.path.as_str()), (Some("task.created"), "/tasks"));
    running.kill().expect("killed");
    running.wait().expect("ended");
    drop(unanswered);

    let served = Served::start(&program, &[]);
    let again = server.requests.recv().expect("a message");
    assert_eq!(message(&again), (first, told.clone()));
    again.answer("{}");
    let (task, here) = (told["data"]["taskId"].as_str().expect("a task"), format!("127.0.0.1:{}", served.port));
    let path = format!("/tasks/{task}");
    let answer = |amount: u32| {
        json!({ "action": "submit", "correctedInput": { "amount": amount }, "decidedBy": "Ada" }).to_string()
    };
    assert_eq!(served.ask("POST", &path, &here, "another token", &answer(80)).0, 401);
    assert_eq!(served.ask("GET", "/", &here, TOKEN, "").0, 404);
    assert_eq!(served.ask("POST", &path, &here, TOKEN, &answer(120)).0, 422);
    assert_eq!(served.ask("POST", &path, &here, TOKEN, &answer(80)).0, 200);
    assert_eq!(served.ask("POST", &path, &here, TOKEN, &answer(80)).0, 409);
    let answered = server.requests.recv().expect("a message");
    let (_, told) = message(&answered);
    assert_eq!(
        (told["type"].as_str(), told["data"]["decidedBy"].as_str()),
        (Some("task.answered"), Some("reported:callback/Ada"))
    );
    answered.answer("{}");
    drop(served);
    program.run(&["resume", "--json"]).assert_code(0);
    assert_eq!(program.run(&["runs", "--json"]).assert_code(0).json()[0]["status"], "completed");
}
