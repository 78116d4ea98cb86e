//! Runs that begin at a checkpoint of another program (K-30), from outside: the command line and REST.

use crate::support;

use serde_json::{Value, json};
use support::{OPERATOR, TestHome, VIEWER, with_roles, workflow};

/// one → two → three; what they get is in the variables.
fn chain() -> Value {
    let mut file = workflow(
        json!({
            "one": { "type": "data.set", "config": { "assign": { "n": 1 } }, "out": { "$plan": "first" } },
            "two": { "type": "data.set", "config": { "assign": { "n": 2 } } },
            "three": { "type": "data.set", "config": { "keep": false, "assign":
                { "plan": "=context.plan", "who": "=params.who", "tmp": "=context._tmp" } } },
        }),
        json!([{ "from": "one.success", "to": "two" }, { "from": "two.success", "to": "three" }]),
    );
    file["id"] = "imported".into();
    file["context"] = json!({ "schema": { "type": "object", "properties": { "plan": { "type": "string" } } } });
    file
}

fn checkpoint() -> Value {
    json!({
        "_type": "vl_workflow_checkpoint", "_version": 2, "workflowID": "wf_1710000000000", "currentStepID": "three",
        "status": "running", "params": { "who": "Ada" }, "variables": { "$plan": "restored" }, "localVars": { "_tmp": 0 },
        "artifacts": { "/report.md": "# Report" }, "completedSteps": ["one", "two"], "eventSeq": 12,
        "createdAt": "2026-03-14T10:00:00.000Z",
    })
}

fn count(place: &TestHome) -> Option<usize> {
    place.run(&["runs", "list", "--json"]).json().as_array().map(Vec::len)
}

#[test]
fn ts_080_ts_088_a_checkpoint_goes_on_at_the_terminal() {
    let place = TestHome::new();
    let file = place.file("flow.signalbox.json", chain().to_string()).display().to_string();
    let from = place.file("checkpoint.json", checkpoint().to_string()).display().to_string();
    let done = place.run(&["run", &file, "--from-checkpoint", &from, "--json"]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    assert!(done.err.contains("/artifacts of the checkpoint is ignored"), "{}", done.err);
    let summary = done.last();
    assert_eq!(summary["output"], json!([{ "plan": "restored", "who": "Ada", "tmp": 0 }]));
    assert_eq!(
        summary["importedFrom"],
        json!({ "type": "vl_workflow_checkpoint", "version": 2, "runId": "wf_1710000000000",
                "createdAt": "2026-03-14T10:00:00.000Z", "leftOut": ["/artifacts"] })
    );
    let run = summary["runId"].as_str().expect("an id").to_owned();
    let events = place.run(&["runs", "events", &run]).lines();
    assert_eq!(events[0]["payload"]["resumedFrom"], "three");
    assert!(events.iter().all(|event| event["stepId"].is_null() || event["stepId"] == "three"));
    let standing = place.run(&["runs", "snapshot", &run, "--json"]).json();
    assert_eq!(standing["completedSteps"], json!(["one", "two", "three"]));
    let entries = place.run(&["audit", "list", "--query", "event:WORKFLOW_STARTED", "--json"]).json();
    assert_eq!(entries[0]["metadata"]["importedFrom"], json!({ "type": "vl_workflow_checkpoint", "version": 2 }));

    let changed = ["--set", "$plan=\"X\"", "--set", "_tmp=1", "--set", "who=\"B\""];
    let mut all = vec!["run", &file, "--from-checkpoint", &from, "--json"];
    all.extend(changed);
    assert_eq!(place.run(&all).last()["output"], json!([{ "plan": "X", "who": "B", "tmp": 1 }]));
    // It is a run like others: it can be run again at its step.
    let again = place.run(&["rerun", &run, "--from", "three", "--set", "$plan=\"Y\"", "--json"]);
    assert_eq!(again.last()["output"], json!([{ "plan": "Y", "who": "Ada", "tmp": 0 }]), "{}", again.err);
    assert_eq!(place.run(&["audit", "verify", "--json"]).code, 0);
}

#[test]
fn ts_090_nothing_starts_when_a_checkpoint_does_not_fit() {
    let place = TestHome::new();
    let file = place.file("flow.signalbox.json", chain().to_string()).display().to_string();
    let with = |field: &str, value: Value| {
        let mut all = checkpoint();
        all[field] = value;
        all.to_string()
    };
    for (text, code, path) in [
        (with("currentStepID", json!("nobody")), "UNKNOWN_STEP", Some("/currentStepID")),
        (with("completedSteps", json!(["elsewhere"])), "OTHER_WORKFLOW", Some("/completedSteps/0")),
        (with("_version", json!(4)), "NEWER_VERSION", Some("/_version")),
        (with("_type", json!("signalbox_checkpoint")), "NOT_A_CHECKPOINT", Some("/_type")),
        (with("variables", json!({ "$plan": 7 })), "BAD_VARIABLE", Some("/variables/$plan")),
        ("{ \"currentStepID\": \"one\", \"currentStepID\": \"two\" }".to_owned(), "BAD_JSON", None),
        ("{".to_owned(), "BAD_JSON", None),
    ] {
        let from = place.file("checkpoint.json", text).display().to_string();
        let done = place.run(&["run", &file, "--from-checkpoint", &from, "--json"]);
        let error = &done.json()["error"];
        assert_eq!((done.code, error["code"].as_str()), (2, Some(code)), "{}", done.out);
        assert_eq!(error["details"]["path"].as_str(), path);
        assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()));
    }
    assert_eq!(place.run(&["run", &file, "--from-checkpoint", "nowhere.json", "--json"]).code, 2);
    assert_eq!(count(&place), Some(0), "nothing was started");
}

#[test]
fn ts_095_a_checkpoint_begins_a_run_by_rest_and_masked_callers_see_no_secrets_of_it() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    assert_eq!(serving.ask("PUT", "/workflows/imported", &chain()).status, 200);
    let mut secret = checkpoint();
    secret["variables"]["$password"] = json!("hunter22");
    secret["localVars"]["_result"] = json!({ "password": "hunter22" });
    let wanted = json!({ "workflow": "imported", "checkpoint": secret, "overrides": { "$plan": "by REST" } });
    let refused = serving.ask_as(OPERATOR, "POST", "/workflow/run", &wanted, &[]);
    assert_eq!((refused.status, count(&place)), (403, Some(0)), "a checkpoint leaps over steps: that is for builders");
    let alone = serving.ask("POST", "/workflow/run", &json!({ "workflow": "imported", "overrides": { "$plan": "x" } }));
    assert_eq!(alone.status, 400);
    let mut bad = wanted.clone();
    bad["checkpoint"]["currentStepID"] = json!("nobody");
    let bad = serving.ask("POST", "/workflow/run", &bad);
    assert_eq!((bad.status, bad.code().as_str()), (422, "UNKNOWN_STEP"));
    let run = serving.ask("POST", "/workflow/run", &wanted).json()["runId"].as_str().expect("an id").to_owned();
    let status = || serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json();
    support::eventually("the run has ended", || status()["status"] == "completed");
    assert_eq!(status()["output"], json!([{ "plan": "by REST", "who": "Ada", "tmp": 0 }]));
    let details = serving.ask("POST", "/rpc/run_get", &json!({ "runId": run })).json();
    assert_eq!((&details["kept"], &details["resumedFrom"]), (&json!(["one", "two"]), &json!("three")));
    for (path, body) in [
        (format!("/workflow/{run}/checkpoint"), Value::Null),
        (format!("/workflow/{run}/variables"), Value::Null),
        (format!("/workflow/{run}/status"), Value::Null),
        ("/rpc/run_events".to_owned(), json!({ "runId": run, "after": 0 })),
        ("/rpc/run_get".to_owned(), json!({ "runId": run })),
    ] {
        let method = if body.is_null() { "GET" } else { "POST" };
        let seen = serving.ask_as(VIEWER, method, &path, &body, &[]);
        assert_eq!(seen.status, 200, "{path}");
        assert!(!seen.json().to_string().contains("hunter22"), "{path}: {}", seen.json());
    }
}

#[test]
fn iterations_that_ended_elsewhere_are_told_as_kept() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let mut file = workflow(
        json!({
            "each": { "type": "flow.loop", "config": { "source": "=context.list" } },
            "in": { "type": "flow.noop", "parent": "each" },
        }),
        json!([]),
    );
    file["id"] = "looped".into();
    assert_eq!(serving.ask("PUT", "/workflows/looped", &file).status, 200);
    let checkpoint = |done: usize| {
        json!({ "_type": "vl_workflow_checkpoint", "_version": 2, "currentStepID": "each",
                "variables": { "$list": [1, 2, 3] }, "loopProgress": { "each": done } })
    };
    for (done, kept) in
        [(2, json!(["each[0]/in", "each[1]/in"])), (3, json!(["each[0]/in", "each[1]/in", "each[2]/in"]))]
    {
        let wanted = json!({ "workflow": "looped", "checkpoint": checkpoint(done) });
        let run = serving.ask("POST", "/workflow/run", &wanted).json()["runId"].as_str().expect("an id").to_owned();
        let details = serving.ask("POST", "/rpc/run_get", &json!({ "runId": run })).json();
        assert_eq!(details["kept"], kept);
    }
    // More than the list has: it was another one.
    let refused = serving.ask("POST", "/workflow/run", &json!({ "workflow": "looped", "checkpoint": checkpoint(9) }));
    assert_eq!(refused.code(), "OTHER_WORKFLOW", "{}", refused.body);
}

#[test]
fn r_44_r_46_h_30_c_01_the_shapes_of_the_source_are_served_and_a_run_begins_at_its_own_checkpoint() {
    let place = TestHome::new();
    let mut file = workflow(
        json!({
            "one": { "type": "data.set", "config": { "assign": { "n": 1 } }, "out": { "$plan": "first" } },
            "ask": { "type": "flow.pause", "config": { "reason": "Go on?" } },
            "three": { "type": "data.set", "config": { "keep": false, "assign": { "plan": "=context.plan" } } },
        }),
        json!([{ "from": "one.success", "to": "ask" }, { "from": "ask.success", "to": "three" }]),
    );
    file["id"] = "paused".into();
    let path = place.file("flow.signalbox.json", file.to_string()).display().to_string();
    let serving = with_roles(&place);
    assert_eq!(serving.ask("PUT", "/workflows/paused", &file).status, 200);
    let wanted = json!({ "workflow": "paused", "params": { "who": "Ada" } });
    let run = serving.ask("POST", "/workflow/run", &wanted).json()["runId"].as_str().expect("an id").to_owned();
    let get = |path: &str| serving.ask_as(OPERATOR, "GET", path, &Value::Null, &[]);
    let look = |path: &str| serving.ask_as(VIEWER, "GET", path, &Value::Null, &[]);
    let status = format!("/workflow/{run}/status");
    support::eventually("it waits for a person", || get(&status).json()["status"] == "paused");

    let snapshot = get(&format!("{status}?shape=snapshot")).json();
    let token = snapshot["paused"]["token"].as_str().expect("a token").to_owned();
    assert_eq!((snapshot["status"].as_str(), snapshot["currentStepID"].as_str()), (Some("paused"), Some("ask")));
    assert_eq!((&snapshot["runID"], &snapshot["paused"]["nodeID"]), (&json!(run), &json!("ask")));
    assert_eq!((&snapshot["variables"], &snapshot["params"]["who"]), (&json!({ "$plan": "first" }), &json!("Ada")));
    assert_eq!((&snapshot["localVars"]["_result"]["n"], &snapshot["artifacts"]), (&json!(1), &json!([])));
    let again = get(&format!("{status}?shape=snapshot")).json();
    assert_eq!(again["paused"]["token"], json!(token), "who looks again gets no new one");
    let seen = look(&format!("{status}?shape=snapshot")).json();
    assert_eq!(seen["paused"], json!({ "nodeID": "ask", "token": "" }), "who may not answer gets none");
    let unknown = get("/workflow/none/status?shape=snapshot");
    assert_eq!((unknown.status, &unknown.json()["error"]["message"]), (404, &json!("not found")));

    let checkpoint = place.run(&["runs", "snapshot", &run, "--format", "vl", "--json"]).json();
    assert_eq!(checkpoint["currentStepID"], "ask");
    let masked = look(&format!("/workflow/{run}/checkpoint?format=vl"));
    assert_eq!(masked.status, 403, "{}", masked.body);
    let own = look(&format!("/workflow/{run}/checkpoint")).json();
    assert_eq!((&own["_type"], &own["meta"]["lastNode"]), (&json!("signalbox_checkpoint"), &json!("one")));

    let resumed = serving.ask_as(OPERATOR, "POST", &format!("/workflow/{run}/resume"), &json!({ "token": token }), &[]);
    assert_eq!(resumed.status, 200, "{}", resumed.body);
    let from = place.file("own.json", checkpoint.to_string()).display().to_string();
    let begun = place.run(&["run", &path, "--from-checkpoint", &from, "--json"]).last();
    let events = place.run(&["runs", "events", begun["runId"].as_str().expect("an id")]).lines();
    assert_eq!(events[0]["payload"]["resumedFrom"], "ask");
    assert!(events.iter().all(|event| event["stepId"] != "one"), "it had ended");
}
