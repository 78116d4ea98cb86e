//! What viewers and operators see of runs: nothing that is marked or looks like data of people or keys, on any way of
//! asking (TS-052, X-02). The ways are taken from the tables: a new query or route without a row here fails.

use crate::support;

use serde_json::{Value, json};
use signalbox_app::command_list::{COMMANDS, Kind};
use signalbox_app::dto::{CallerRole, Host};
use support::{BUILDER, OPERATOR, Serving, TestHome, VIEWER, eventually, follow, with_roles, workflow};

/// A name that the author marks, a value under a telling name, a text that looks like an address.
const SECRETS: &[&str] = &["Ada Byron", "hunter22", "ada@example.org", "4111 1111 1111 1111"];

fn document() -> Value {
    let mut document = workflow(
        json!({
            "read": {
                "type": "data.set",
                "config": { "assign": { "who": "=params.customer", "password": "=params.password", "tries": 3 } },
                "out": { "$token": "=_result.password", "$last": "=_result.who.name" },
                "print": "=_result.who",
            },
            "check": { "type": "flow.fail", "title": "Check", "config": { "error": {
                "type": "ToolError", "retryable": false,
                "message": "{{item.who.name}} may not enter with {{item.password}} ({{item.who.mail}})",
                "details": { "code": "NO_ENTRY" } } } },
            "ask": { "type": "builtin.human_decision", "config": { "redact": ["/who/name"] } },
        }),
        json!([{ "from": "read.success", "to": "check" }, { "from": "check.error", "to": "ask" }]),
    );
    document["id"] = json!("masks");
    document["context"] = json!({ "initial": { "apiKey": "hunter22" } });
    document
}

fn params() -> Value {
    json!({
        "customer": { "name": "Ada Byron", "mail": "ada@example.org", "card": "4111 1111 1111 1111" },
        "password": "hunter22", "who": { "name": "Ada Byron" },
        "long": "ada@example.org and more. ".repeat(600),
    })
}

/// What each query asks for; a query that tells nothing of runs asks for nothing.
fn requests(name: &str, run: &str, task: &str) -> Vec<Value> {
    let document = document();
    let preview = |text: &str| json!({ "document": document, "nodeId": "check", "text": text, "kind": "cel" });
    let value = |path: &str| json!({ "ref": format!("{run}/{path}") });
    match name {
        "run_list"
        | "workflow_list"
        | "task_counts"
        | "task_stats"
        | "webhook_list"
        | "webhook_log"
        | "app_info"
        | "catalog_list"
        | "connector_list"
        | "sample_list"
        | "template_list"
        | "who"
        | "audit_status"
        | "audit_anchors"
        | "audit_sinks"
        | "audit_retention"
        | "delegation_list"
        | "settings_get"
        | "folder_list"
        | "audit_list"
        | "audit_facets"
        | "tool_list"
        | "tool_server_list"
        | "model_list"
        | "model_usage"
        | "telemetry_get"
        | "network_get"
        | "updates_get"
        | "failure_groups"
        | "replay_list"
        | "index_list"
        | "backup_schedule"
        | "data_size"
        | "task_destination_list"
        | "task_destination_kinds" => {
            vec![json!({})]
        }
        // For builders: names and times of tokens and sessions, nothing of a run.
        "token_list" | "session_list" => Vec::new(),
        // For builders: names, times and sizes of runs, none of their values.
        "run_prune_preview" => Vec::new(),
        // `rpc` names the group and the failure.
        "failure_group" | "failure_members" => vec![json!({ "group": "" })],
        "failure_preview" => corrections().map(|rule| json!({ "group": "", "correction": rule })).to_vec(),
        "failure_preview_one" => corrections().map(|rule| json!({ "failure": 0, "correction": rule })).to_vec(),
        // Ids, states and counts of a replay; why one was refused is what its preview says.
        "replay_get" | "replay_items" => Vec::new(),
        // Documents of people who may read the index, and names of workflows and steps: nothing of a run.
        "index_show" | "index_search" | "secret_uses" => Vec::new(),
        "task_copy_log" => vec![json!({})],
        // Files and folders, for builders: nothing of a run.
        "skill_list" | "folder_browse" => Vec::new(),
        // A file of this machine: nothing of a run.
        "connector_operation" => vec![json!({ "connector": "demo", "operation": "get_user" })],
        // For builders: a conversation about a workflow.
        "plan_get" => Vec::new(),
        "model_names" => vec![json!({ "name": "nobody" })],
        "run_trace" => vec![json!({ "runId": run }), json!({ "runId": run, "stepId": "read" })],
        "run_get" | "run_paths" | "run_usage" | "run_snapshot" => vec![json!({ "runId": run })],
        "run_diff" => vec![json!({ "runId": run, "with": run })],
        "run_diff_step" => {
            ["read", "check"].into_iter().map(|step| json!({ "runId": run, "with": run, "stepId": step })).collect()
        }
        "run_checkpoint" => vec![json!({ "runId": run }), json!({ "runId": run, "at": 2 })],
        "rerun_look" => ["read", "check"].into_iter().map(|step| json!({ "runId": run, "stepId": step })).collect(),
        "run_events" => vec![json!({ "runId": run, "after": 0 }), json!({ "runId": run, "after": 6 })],
        // Whole or not at all: `bytes_cannot_be_masked`.
        "run_binary" | "run_files" | "run_checkpoint_vl" => Vec::new(),
        "run_value" => vec![
            value("1/payload/params"),
            value("1/payload/params/long"),
            value("1/payload/params/customer/name"),
            value("2/payload/input/0/data"),
            value("summary/context"),
            value("summary/context/token"),
        ],
        "run_step_data" => {
            ["read", "check", "ask"].into_iter().map(|node| json!({ "workflowId": "masks", "nodeId": node })).collect()
        }
        "expression_preview" => [
            "item.password",
            "item.who.name",
            "item.who",
            "params",
            "context",
            "nodes.read.items",
            "params.password[0]",
        ]
        .into_iter()
        .map(preview)
        .collect(),
        // The data comes with the question.
        "expression_try" => Vec::new(),
        "expression_names" => vec![json!({ "document": document, "nodeId": "check" })],
        "past_errors" => vec![json!({ "workflowId": "masks" })],
        "task_list" => vec![json!({ "state": "all" })],
        "task_check" => vec![json!({ "taskId": task, "correctedInput": { "who": { "name": "•••1•" }, "tries": "x" } })],
        "task_get" => vec![json!({ "taskId": task })],
        "audit_get" => (0..12).map(|seq| json!({ "seq": seq })).collect(),
        "activation_list" | "trigger_list" | "failure_list" => vec![json!({})],
        "workflow_versions" => vec![json!({ "workflowId": "masks" })],
        // Times of a schedule, and whether runs began: nothing of what they hold.
        "trigger_get" | "schedule_preview" => Vec::new(),
        // For builders: what was sent to a test address, and the settings of a webhook. Nothing of a run.
        "hook_heard" | "hook_preview" => Vec::new(),
        // For builders, who see the data of runs as it is.
        "workflow_pins"
        | "workflow_export_check"
        | "import_preview"
        | "test_list"
        | "test_get"
        | "test_run"
        | "workflow_prove"
        | "proof_get" => Vec::new(),
        "health_list" | "health_alerts" => vec![json!({})],
        "health_get" => vec![json!({ "workflowId": "masks" })],
        "plan_explain" => vec![json!({ "document": document, "runId": run }), json!({ "document": document })],
        "workflow_open" => vec![json!({ "ref": "" })],
        "workflow_revision" | "workflow_validate" | "error_coverage" | "rules_check" | "handler_dry_run"
        | "retry_timeline" | "secret_status" | "secret_list" => Vec::new(),
        other => panic!("what does {other} tell a viewer? Add what it asks for"),
    }
}

struct Place {
    _place: TestHome,
    serving: Serving,
    run: String,
    task: String,
}

fn paused() -> Place {
    let place = TestHome::new();
    let serving = with_roles(&place);
    assert_eq!(serving.ask_as(BUILDER, "PUT", "/workflows/masks", &document(), &[]).status, 200);
    let start = json!({ "workflow": "masks", "params": params() });
    let started = serving.ask_as(BUILDER, "POST", "/workflow/run", &start, &[]);
    let run = started.json()["runId"].as_str().unwrap_or_else(|| panic!("{}", started.body)).to_owned();
    let mut task = String::new();
    eventually("the run pauses", || {
        let status = serving.ask_as(BUILDER, "GET", &format!("/workflow/{run}/status"), &Value::Null, &[]).json();
        task = status["openTasks"][0].as_str().unwrap_or_default().to_owned();
        status["status"] == "paused"
    });
    Place { _place: place, serving, run, task }
}

/// Corrections that would show what is masked: as a result, and in the message of an error.
fn corrections() -> [Value; 3] {
    let rule = |text: &str| json!({ "expression": text, "definition": "original" });
    [
        json!({ "definition": "original" }),
        rule("{'shown': string(item.password) + string(item.who.name)}"),
        rule("{'shown': int(item.password)}"),
    ]
}

fn told(text: &str) -> Vec<&'static str> {
    SECRETS.iter().filter(|secret| text.contains(**secret)).copied().collect()
}

fn rpc(place: &Place, token: &str, name: &str, mut request: Value) -> String {
    if name == "workflow_open" {
        let list = place.serving.ask_as(token, "POST", "/rpc/workflow_list", &json!({}), &[]).json();
        request["ref"] = list[0]["ref"].clone();
    }
    if request.get("group").is_some() || request.get("failure").is_some() {
        let groups = place.serving.ask_as(token, "POST", "/rpc/failure_groups", &json!({}), &[]).json();
        let group = groups["groups"][0]["group"].clone();
        let members =
            place.serving.ask_as(token, "POST", "/rpc/failure_members", &json!({ "group": group }), &[]).json();
        match request.get("group") {
            Some(_) => request["group"] = group,
            None => request["failure"] = members["failures"][0]["failure"].clone(),
        }
    }
    let answer = place.serving.ask_as(token, "POST", &format!("/rpc/{name}"), &request, &[]);
    // Only builders try expressions on failures.
    let may_be_refused = name.starts_with("failure_preview") && token == OPERATOR;
    assert!(
        matches!(answer.status, 200 | 404) || answer.status == 403 && may_be_refused,
        "{name} {request}: {}",
        answer.body
    );
    answer.body
}

#[test]
fn no_query_and_no_route_tells_a_viewer_or_an_operator_what_is_masked() {
    let place = paused();
    let (mut asked, mut leaks) = (0, Vec::new());
    for (token, role) in [(VIEWER, CallerRole::Viewer), (OPERATOR, CallerRole::Operator)] {
        let queries = COMMANDS.iter().filter(|c| c.kind == Kind::Query && c.hosts.contains(&Host::Http));
        for command in queries.filter(|command| command.role <= role) {
            for request in requests(command.name, &place.run, &place.task) {
                let body = rpc(&place, token, command.name, request.clone());
                asked += 1;
                leaks.extend(told(&body).into_iter().map(|secret| format!("{} {request}: {secret}", command.name)));
            }
        }
        let run = &place.run;
        for path in [
            format!("/workflow/{run}/status"),
            format!("/workflow/{run}/status?shape=snapshot"),
            format!("/workflow/{run}/checkpoint"),
            format!("/workflow/{run}/variables"),
            format!("/workflow/{run}/artifacts"),
            "/human-tasks".into(),
            format!("/human-tasks/{}", place.task),
            "/audit".into(),
            "/workflows".into(),
            "/workflows/masks".into(),
        ] {
            let body = place.serving.ask_as(token, "GET", &path, &Value::Null, &[]).body;
            leaks.extend(told(&body).into_iter().map(|secret| format!("{path}: {secret}")));
        }
        // Replayed and from the middle: the masks know what came before.
        let all = follow(&place.serving, token, run, 0, None, 8);
        let late = follow(&place.serving, token, run, 5, None, 3);
        for event in all.iter().chain(&late) {
            leaks.extend(
                told(&event.to_string()).into_iter().map(|secret| format!("stream {}: {secret}", event["seq"])),
            );
        }
        assert!(all.iter().any(|event| event["type"] == "step_error"));
        assert!(all[0]["payload"]["params"].to_string().contains("•••"), "{}", all[0]);
    }
    assert!(asked > 40, "{asked}");
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));

    // A builder sees everything as it is, and the tasks masked like everybody.
    for name in ["run_get", "run_events", "run_step_data", "past_errors", "expression_preview"] {
        let bodies: String = requests(name, &place.run, &place.task)
            .into_iter()
            .map(|request| rpc(&place, BUILDER, name, request))
            .collect();
        assert!(bodies.contains("hunter22") && !bodies.contains("•••1•"), "{name}: {bodies}");
    }
    let whole = follow(&place.serving, BUILDER, &place.run, 0, None, 8);
    assert_eq!(whole[0]["payload"]["params"]["password"], "hunter22");
}

/// D2.12: an operator says why and sees the run for a while; it is recorded; a viewer cannot.
#[test]
fn ts_052_an_operator_reveals_a_run_with_a_reason() {
    let place = paused();
    let (serving, run) = (&place.serving, &place.run);
    let reveal = |token: &str, reason: &str| {
        serving.ask_as(token, "POST", "/rpc/run_reveal", &json!({ "runId": run, "reason": reason }), &[])
    };
    let get = |token: &str| serving.ask_as(token, "POST", "/rpc/run_get", &json!({ "runId": run }), &[]).json();
    let before = get(OPERATOR);
    assert_eq!((&before["masked"], &before["mayReveal"]), (&json!(true), &json!(true)));
    assert_eq!(get(VIEWER)["mayReveal"], false);
    assert_eq!(get(BUILDER)["masked"], false);
    let list = serving.ask_as(VIEWER, "POST", "/rpc/run_list", &json!({}), &[]).json();
    let row = &list["runs"][0];
    assert_eq!((&row["status"], &row["openTaskCount"]), (&json!("paused"), &json!(1)), "a viewer is told, too: {list}");
    assert_eq!(reveal(VIEWER, "curious").status, 403);
    assert_eq!(reveal(OPERATOR, "  ").status, 400);
    let answer = reveal(OPERATOR, "the customer ada@example.org called");
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.json()["until"].is_string());
    let after = get(OPERATOR);
    assert_eq!((&after["masked"], &after["context"]["token"]), (&json!(false), &json!("hunter22")));
    let stream = follow(serving, OPERATOR, run, 0, None, 1);
    assert_eq!(stream[0]["payload"]["params"]["password"], "hunter22");
    assert_eq!(get(VIEWER)["masked"], true, "only who said why sees it");
    let found = serving
        .ask_as(VIEWER, "POST", "/rpc/audit_list", &json!({ "query": format!("event:REVEALED run:{run}") }), &[])
        .json();
    assert_eq!(found["total"], 1, "{found}");
    let summary = found["entries"][0]["summary"].as_str().unwrap_or_default();
    assert!(summary.contains("the customer •••1• called"), "{summary}");
}

/// What comes back with masks means what they hide, but only where it is hidden again: the next task would show it.
#[test]
fn ts_052_a_mask_is_no_way_to_read_its_value() {
    let place = paused();
    let (serving, path) = (&place.serving, format!("/human-tasks/{}", place.task));
    let input = serving.ask_as(OPERATOR, "GET", &path, &Value::Null, &[]).json()["input"].clone();
    let password = input["password"].clone();
    assert!(password.as_str().is_some_and(|text| text.starts_with("•••")), "{input}");
    let complete = |input: &Value| {
        let body = json!({ "action": "correct", "correctedInput": input });
        serving.ask_as(OPERATOR, "POST", &format!("{path}/complete"), &body, &[])
    };
    let mut moved = input.clone();
    (moved["tries"], moved["password"]) = (password.clone(), json!("another"));
    let refused = complete(&moved);
    assert!(refused.status == 400 && refused.body.contains("mask"), "{}", refused.body);
    // What is masked by itself beside it does not pay for it.
    moved["tries"] = json!(format!("{} a@b.example", password.as_str().unwrap_or_default()));
    let refused = complete(&moved);
    assert!(refused.status == 400 && refused.body.contains("mask"), "{}", refused.body);
    for operation in [
        json!({ "op": "copy", "from": "/password", "path": "/tries" }),
        json!({ "op": "move", "from": "/password", "path": "/tries" }),
        json!({ "op": "test", "path": "/password", "value": "a guess" }),
    ] {
        let body = json!({ "taskIds": [place.task], "action": "correct", "patch": [operation] });
        let answer = serving.ask_as(OPERATOR, "POST", "/rpc/task_complete_many", &body, &[]);
        assert!(answer.body.contains("may only add, remove and replace"), "{}", answer.body);
    }
    let mut kept = input;
    kept["tries"] = json!(4);
    let done = complete(&kept);
    assert_eq!(done.status, 200, "{}", done.body);
}

/// The chain keeps for ever what it is told: messages are masked before they are sealed, with what the input hides.
#[test]
fn what_is_sealed_is_masked() {
    let place = paused();
    let list = place.serving.ask_as(BUILDER, "POST", "/rpc/audit_list", &json!({ "query": "event:NODE_ERROR" }), &[]);
    let seq = list.json()["entries"][0]["seq"].clone();
    let entry = place.serving.ask_as(BUILDER, "POST", "/rpc/audit_get", &json!({ "seq": seq }), &[]).json();
    let message = entry["entry"]["metadata"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("may not enter with") && told(message).is_empty(), "{message}");
    assert_eq!(entry["matches"], true);
    let record = json!({
        "timestamp": "2026-11-22T10:00:00Z", "event": "CALLED", "level": "INFO", "nodeId": "$run", "runId": place.run,
        "actor": { "type": "human", "id": "user:ada@example.org" }, "tags": ["ada@example.org"],
        "metadata": { "text": "ada@example.org called", "password": "hunter22", "to": "user:bob@example.org" },
    });
    assert_eq!(place.serving.ask_as(OPERATOR, "POST", "/audit/record", &record, &[]).status, 200);
    let list = place.serving.ask_as(BUILDER, "POST", "/rpc/audit_list", &json!({ "query": "event:CALLED" }), &[]);
    let seq = list.json()["entries"][0]["seq"].clone();
    let entry = place.serving.ask_as(BUILDER, "POST", "/rpc/audit_get", &json!({ "seq": seq }), &[]).json();
    let metadata = &entry["entry"]["metadata"];
    assert_eq!((&metadata["password"], &metadata["text"]), (&json!("•••2•"), &json!("•••1• called")), "{metadata}");
    assert_eq!(metadata["to"], "user:bob@example.org", "who acts is not masked");
}
