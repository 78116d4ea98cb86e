//! Exported programs that ask people: at the terminal and on their own page.

use crate::support::{Place, Program, Served, holds, workflow};
use serde_json::{Value, json};
use std::path::Path;

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

#[test]
fn h_32_the_page_of_a_program_takes_answers_of_this_machine_only() {
    let place = Place::new();
    let program = place.program(&payment(), &["--human", "ui"]);
    let (run, task) = waiting(&program);
    let served = Served::start(&program, &[]);
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

/// The command list of the app, and what each runner is not told to have.
#[test]
fn s_04_no_runner_holds_more_than_it_names() {
    let core = Path::new(env!("CARGO_BIN_EXE_signalbox-runner"));
    let parts = [
        ("the command list", "Lists the step kinds with their descriptors."),
        ("triggers", "Check the address; the command --describe shows the paths of this program."),
        ("a callback", "it is the secret human-review-token."),
        ("the page for tasks", "The page for tasks of an exported program"),
    ];
    for (name, wanted) in [
        ("-min", [false; 4]),
        ("", [false; 4]),
        ("-serve", [false, true, true, false]),
        ("-ui", [false, true, true, true]),
        ("-full", [false, true, true, true]),
    ] {
        let runner = core.with_file_name(format!("signalbox-runner{name}{}", std::env::consts::EXE_SUFFIX));
        for ((what, text), wanted) in parts.iter().zip(wanted) {
            assert_eq!(holds(&runner, text), wanted, "{what} in {}", runner.display());
        }
    }
}
