//! Re-run from a step and checkpoints from outside: the command line and REST, with the real program.

use crate::support;

use serde_json::{Value, json};
use support::{Loopback, OPERATOR, TestHome, VIEWER, with_roles, workflow};

/// a → b (asks the server) → c, with a variable that each writes.
fn chain(id: &str) -> Value {
    let mut file = workflow(
        json!({
            "a": { "type": "data.set", "config": { "assign": { "n": 1 } }, "out": { "$plan": "first" } },
            "b": { "type": "http.request", "title": "Ask", "config": { "method": "POST", "url": "{{params.base}}/b", "body": { "plan": "=context.plan" } },
                   "out": { "$asked": true } },
            "c": { "type": "data.set", "config": { "assign": { "end": "=context.plan" }, "keep": false } },
        }),
        json!([{ "from": "a.success", "to": "b" }, { "from": "b.success", "to": "c" }]),
    );
    file["id"] = id.into();
    file["context"] = json!({ "schema": { "type": "object", "properties": { "plan": { "type": "string" } } } });
    file
}

fn ran(place: &TestHome, server: &Loopback, file: &Value) -> String {
    let path = place.file("flow.signalbox.json", file.to_string());
    let params = json!({ "base": server.base }).to_string();
    let done = place.run(&["run", &path.display().to_string(), "--params", &params, "--json"]);
    done.last()["runId"].as_str().unwrap_or_else(|| panic!("{}\n{}", done.out, done.err)).to_owned()
}

#[test]
fn ts_091_a_run_begins_again_at_a_step_at_the_terminal() {
    let (place, server) = (TestHome::new(), Loopback::start());
    let run = ran(&place, &server, &chain("again"));
    assert_eq!(server.bodies("/b"), [r#"{"plan":"first"}"#]);

    let look = place.run(&["rerun", &run, "--from", "b", "--look", "--json"]).json();
    assert_eq!(look["context"], json!({ "plan": "first" }), "before b");
    let fate = |id: &str| {
        let steps = look["steps"].as_array().expect("steps");
        steps
            .iter()
            .find(|step| step["stepId"] == id)
            .map(|step| (step["fate"].clone(), step["effect"].clone(), step["repeats"].clone()))
    };
    assert_eq!(fate("a"), Some((json!("kept"), json!("none"), json!(false))));
    assert_eq!(fate("b"), Some((json!("again"), json!("write"), json!(true))));
    assert_eq!(server.hits("/b"), 1, "nothing was started");

    let done = place.run(&["rerun", &run, "--from", "b", "--set", "$plan=\"edited\"", "--json"]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let summary = done.last();
    assert_eq!(summary["parentRunId"], json!(run));
    assert_eq!((&summary["status"], &summary["output"]), (&json!("completed"), &json!([{ "end": "edited" }])));
    assert_eq!(server.bodies("/b"), [r#"{"plan":"first"}"#, r#"{"plan":"edited"}"#]);
    let new = summary["runId"].as_str().expect("an id").to_owned();
    assert_ne!(new, run);
    let events = place.run(&["runs", "events", &new]).lines();
    assert_eq!(
        (&events[0]["payload"]["resumedFrom"], &events[0]["payload"]["parentRunId"]),
        (&json!("b"), &json!(run))
    );
    assert!(!events.iter().any(|event| event["stepId"] == "a"), "kept steps have no events");

    let rows = place.run(&["runs", "list", "--json"]).json();
    assert_eq!((&rows[0]["runId"], &rows[0]["parentRunId"]), (&json!(new), &json!(run)));
    assert!(place.run(&["runs", "list"]).out.contains(&format!("re-run of {run}")));
    let entries = place.run(&["audit", "list", "--query", "event:RUN_RERUN", "--json"]).json();
    assert_eq!((&entries[0]["runId"], &entries[0]["metadata"]["newRunId"]), (&json!(run), &json!(new)));
    assert_eq!(entries[0]["metadata"]["changed"], json!(["$plan"]));
    assert_eq!(place.run(&["audit", "verify", "--json"]).code, 0);

    // A re-run of the re-run, and the input changed by hand.
    let third = place.run(&["rerun", &new, "--from", "c", "--input", "[{\"n\":2}]", "--json"]);
    assert_eq!((third.code, &third.last()["parentRunId"]), (0, &json!(new)));
    assert_eq!(third.last()["context"]["plan"], "edited");
    assert_eq!(server.hits("/b"), 2);
}

#[test]
fn a_rerun_is_refused_in_words() {
    let (place, server) = (TestHome::new(), Loopback::start());
    let run = ran(&place, &server, &chain("refuse"));
    for (args, code) in [
        (vec!["--from", "zz"], "UNKNOWN_STEP"),
        (vec!["--from", "b", "--set", "$plan=7"], "BAD_VARIABLE"),
        // A param of this name would be read by nothing.
        (vec!["--from", "b", "--set", "plan=7"], "BAD_REQUEST"),
        (vec!["--from", "b", "--input", "[]"], "BAD_INPUT"),
        (vec!["--from", "b", "--input", "{}"], "BAD_REQUEST"),
        (vec!["--from", "b", "--definition", "current"], "NOT_FOUND"),
        (vec!["--from", "b", "--definition", "other"], "BAD_ARGUMENTS"),
    ] {
        let mut all = vec!["rerun", run.as_str(), "--json"];
        all.extend(&args);
        let done = place.run(&all);
        assert_eq!((done.code, done.json()["error"]["code"].as_str()), (2, Some(code)), "{args:?}: {}", done.out);
    }
    assert_eq!(place.run(&["rerun", "nope", "--from", "b", "--json"]).code, 2);
    assert_eq!(place.run(&["runs", "list", "--json"]).json().as_array().map(Vec::len), Some(1), "nothing was started");
}

#[test]
fn one_iteration_runs_again_and_the_data_of_the_others_is_still_shown() {
    let place = TestHome::new();
    let mut file = workflow(
        json!({
            "l": { "type": "flow.loop", "config": { "source": [10, 20, 30] } },
            "b": { "type": "data.set", "parent": "l", "config": { "assign": { "v": "=_item" }, "keep": false } },
            "c": { "type": "data.set", "parent": "l", "config": { "assign": { "w": "=item.v * 2" } } },
        }),
        json!([{ "from": "b.success", "to": "c" }]),
    );
    file["id"] = "rounds".into();
    let path = place.file("flow.signalbox.json", file.to_string());
    let run = place.run(&["run", &path.display().to_string(), "--json"]).last()["runId"].clone();
    let again = place.run(&["rerun", run.as_str().expect("an id"), "--from", "l[1]/c", "--json"]);
    assert_eq!(again.code, 0, "{}\n{}", again.out, again.err);
    let new = again.last()["runId"].clone();
    let serving = with_roles(&place);
    let details = serving.ask("POST", "/rpc/run_get", &json!({ "runId": new })).json();
    assert_eq!(details["kept"], json!(["l[0]/b", "l[0]/c", "l[1]/b", "l[2]/b", "l[2]/c"]));
    let of = |token: &str, node: &str, path: Value| {
        let body = json!({ "workflowId": "rounds", "nodeId": node, "runId": new, "path": path });
        serving.ask_as(token, "POST", "/rpc/run_step_data", &body, &[]).json()
    };
    let kept = of(support::BUILDER, "c", json!("l[2]"));
    assert_eq!(kept["output"]["success"][0]["data"], json!({ "v": 30, "w": 60 }));
    assert_eq!(of(support::BUILDER, "b", Value::Null)["path"], "l[2]", "where it was called last");
    assert_eq!(of(support::BUILDER, "c", Value::Null)["path"], "l[1]", "its own call comes first");
    assert_eq!(of(VIEWER, "c", json!("l[2]")), Value::Null, "with masks it is looked at in the original");
}

/// TRUST 16: the original waits for a person.
#[test]
fn an_original_that_waits_is_superseded_and_asks_again() {
    let (place, server) = (TestHome::new(), Loopback::start());
    let mut file = chain("waits");
    file["nodes"]["ask"] = json!({ "type": "builtin.human_approval", "config": { "title": "Good?" } });
    file["edges"] = json!([{ "from": "a.success", "to": "b" }, { "from": "b.success", "to": "ask" }, { "from": "ask.approved", "to": "c" }]);
    let run = ran(&place, &server, &file);
    let task = place.run(&["tasks", "list", "--json"]).json()[0]["id"].as_str().expect("a task").to_owned();
    let done = place.run(&["rerun", &run, "--from", "b", "--json"]);
    assert_eq!(done.code, 3, "{}\n{}", done.out, done.err);
    let new = done.last()["runId"].as_str().expect("an id").to_owned();
    assert_eq!(place.run(&["runs", "show", &run, "--json"]).json()["status"], "cancelled");
    assert_eq!(place.run(&["tasks", "show", &task, "--json"]).json()["state"], "superseded");
    let late = place.run(&["tasks", "complete", &task, "--action", "approve", "--json"]);
    assert_eq!(late.code, 5, "{}", late.out);
    let open = place.run(&["tasks", "list", "--json"]).json();
    assert_eq!(open.as_array().map(Vec::len), Some(1), "asked again: {open}");
    assert_eq!(open[0]["runId"], json!(new));
    let answered = place.run(&["tasks", "complete", open[0]["id"].as_str().expect("an id"), "--action", "approve"]);
    assert_eq!(answered.code, 0);
    assert_eq!(place.run(&["resume", &new, "--json"]).last()["output"], json!([{ "end": "first" }]));
    // Kept: the approval stands, nobody is asked.
    let kept = place.run(&["rerun", &new, "--from", "b", "--keep-answers", "--json"]);
    assert_eq!(kept.code, 0, "{}\n{}", kept.out, kept.err);
    let events = place.run(&["runs", "events", kept.last()["runId"].as_str().expect("an id")]).lines();
    let answer = events.iter().find(|event| event["type"] == "human_task_completed").expect("given again");
    assert_eq!(answer["payload"]["keptFrom"], json!(new));
}

#[test]
fn checkpoints_and_reruns_by_rest() {
    let (place, server) = (TestHome::new(), Loopback::start());
    let serving = with_roles(&place);
    let mut file = chain("rest");
    file["params"] = json!({ "type": "object", "properties": { "base": { "type": "string" } } });
    assert_eq!(serving.ask("PUT", "/workflows/rest", &file).status, 200);
    // Loopback addresses are for runs that a person here starts.
    drop(server);
    let started = serving.ask(
        "POST",
        "/workflow/run",
        &json!({ "workflow": "rest", "params": { "base": "http://127.0.0.1:9" } }),
    );
    let run = started.json()["runId"].as_str().expect("an id").to_owned();
    support::eventually("the run has ended", || {
        serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json()["status"] == "failed"
    });
    let get =
        |token: &str, what: &str| serving.ask_as(token, "GET", &format!("/workflow/{run}/{what}"), &Value::Null, &[]);
    let checkpoint = get(VIEWER, "checkpoint").json();
    assert_eq!(
        (&checkpoint["_type"], &checkpoint["_version"], &checkpoint["runId"]),
        (&json!("signalbox_checkpoint"), &json!(1), &json!(run))
    );
    assert_eq!((&checkpoint["completedSteps"], &checkpoint["variables"]), (&json!(["a"]), &json!({ "plan": "first" })));
    assert_eq!(get(VIEWER, "variables").json(), json!({ "plan": "first" }));
    assert_eq!(get(VIEWER, "artifacts").json(), json!([]));
    for what in ["checkpoint", "variables", "artifacts", "status"] {
        let missing = serving.ask("GET", &format!("/workflow/nope/{what}"), &Value::Null);
        assert_eq!(
            (missing.status, missing.json()["error"]["message"].as_str()),
            (404, Some("not found")),
            "TS-099 {what}"
        );
    }

    let body = json!({ "runId": run, "stepId": "a", "overrides": { "$plan": "x" } });
    assert_eq!(serving.ask_as(VIEWER, "POST", "/workflow/rerun", &body, &[]).status, 403);
    let again = serving.ask_as(OPERATOR, "POST", "/workflow/rerun", &body, &[]);
    assert_eq!(again.status, 200, "{}", again.body);
    assert_ne!(again.json()["runId"], json!(run));
    let raw = serving.ask("POST", "/workflow/rerun", &json!({ "runId": run, "stepId": "a", "checkpoint": checkpoint }));
    assert_eq!(raw.status, 400, "a raw checkpoint comes by import only");
    let edited = json!({ "runId": run, "stepId": "a", "definition": "current", "document": file });
    assert_eq!(
        serving.ask_as(OPERATOR, "POST", "/workflow/rerun", &edited, &[]).status,
        403,
        "operators run what is stored"
    );
    let mut other = file.clone();
    other["id"] = "else".into();
    let other = json!({ "runId": run, "stepId": "a", "definition": "current", "document": other });
    assert_eq!(serving.ask("POST", "/workflow/rerun", &other).code(), "OTHER_WORKFLOW");
    assert_eq!(
        serving.ask("POST", "/workflow/rerun", &json!({ "runId": run, "stepId": "c" })).code(),
        "STEP_NEVER_RAN"
    );
    let current = json!({ "runId": run, "stepId": "a", "definition": "current" });
    assert_eq!(serving.ask_as(OPERATOR, "POST", "/workflow/rerun", &current, &[]).status, 200);
}

/// C24: what is listed is what executes.
#[test]
fn c24_what_was_looked_at_is_what_begins_or_nothing_does() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let mut file = workflow(
        json!({ "ask": { "type": "builtin.human_approval", "config": { "title": "Shall we?" } },
                "b": { "type": "data.set", "config": { "assign": { "n": 1 } } } }),
        json!([{ "from": "ask.approved", "to": "b" }]),
    );
    file["id"] = "looked".into();
    assert_eq!(serving.ask("PUT", "/workflows/looked", &file).status, 200);
    let started = serving.ask("POST", "/workflow/run", &json!({ "workflow": "looked" }));
    let run = started.json()["runId"].as_str().expect("an id").to_owned();
    let status = || serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json();
    support::eventually("somebody is asked", || status()["status"] == "paused");
    let mut body = json!({ "runId": run, "stepId": "ask", "definition": "current" });
    let look = |body: &Value| serving.ask("POST", "/rpc/rerun_look", body).json()["of"].clone();
    body["seen"] = look(&json!({ "runId": run, "stepId": "ask", "definition": "current" }));
    assert!(body["seen"].is_string(), "{body}");
    let refused = |body: &Value| {
        let answer = serving.ask("POST", "/workflow/rerun", body);
        assert_eq!((answer.status, answer.code().as_str()), (409, "PLAN_CHANGED"), "{}", answer.body);
    };
    // The file is another one now.
    file["nodes"]["b"]["config"]["assign"]["n"] = json!(2);
    let revision = serving.ask("GET", "/workflows/looked", &Value::Null).json()["revision"].clone();
    let etag = format!("\"{}\"", revision.as_str().expect("a revision"));
    let put = serving.ask_as(&serving.token, "PUT", "/workflows/looked", &file, &[("if-match", etag.as_str())]);
    assert_eq!(put.status, 200, "{}", put.body);
    refused(&body);
    body["seen"] = look(&json!({ "runId": run, "stepId": "ask", "definition": "current" }));
    // What was asked has been answered.
    let task = status()["openTasks"][0].clone();
    let answer = json!({ "taskId": task, "action": "approve" });
    assert_eq!(serving.ask("POST", "/rpc/task_complete", &answer).status, 200);
    support::eventually("the run has ended", || status()["status"] == "completed");
    refused(&body);
    body["seen"] = look(&json!({ "runId": run, "stepId": "ask", "definition": "current" }));
    assert_eq!(serving.ask("POST", "/workflow/rerun", &body).status, 200);
    // A file that is there is not told as one that is not.
    std::fs::write(place.data().join("workflows/looked.signalbox.json"), "{ \"signalbox\": 1,").expect("half");
    let told =
        serving.ask("POST", "/rpc/rerun_look", &json!({ "runId": run, "stepId": "ask", "definition": "current" }));
    assert_eq!(told.status, 404, "{}", told.body);
    let hint = "The file looked.signalbox.json is there and cannot be used for it: ";
    assert!(told.body.contains(hint), "{}", told.body);
    // One of a newer release is refused in words, as the document says.
    std::fs::write(
        place.data().join("workflows/looked.signalbox.json"),
        file.to_string().replace("\"signalbox\":1", "\"signalbox\":2"),
    )
    .expect("newer");
    assert_eq!(serving.ask("GET", "/workflows/looked", &Value::Null).status, 422);
}

/// TS-052: what an operator cannot see and did not change stays as it is, also inside of what was changed.
#[test]
fn a_masked_part_of_a_changed_variable_stays_what_it_was() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let mut file = workflow(
        json!({
            "a": { "type": "data.set", "config": { "assign": { "n": 1 } },
                   "out": { "$user": { "name": "first", "mail": "ada@example.org", "password": "hunter2!" } } },
            "b": { "type": "data.set", "config": { "assign": { "told": "=context.user", "got": "=item" }, "keep": false } },
        }),
        json!([{ "from": "a.success", "to": "b" }]),
    );
    file["id"] = "hidden".into();
    assert_eq!(serving.ask("PUT", "/workflows/hidden", &file).status, 200);
    let started = serving.ask("POST", "/workflow/run", &json!({ "workflow": "hidden" }));
    let ended = |run: &str| {
        let status = serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json();
        assert_ne!(status["status"], "failed", "{status}");
        status["status"] == "completed"
    };
    let run = started.json()["runId"].as_str().expect("an id").to_owned();
    support::eventually("the run has ended", || ended(&run));
    let look = serving.ask_as(OPERATOR, "POST", "/rpc/rerun_look", &json!({ "runId": run, "stepId": "b" }), &[]).json();
    let mut user = look["context"]["user"].clone();
    assert!(user["mail"].as_str().is_some_and(|mail| mail.starts_with("•••")), "{look}");
    // Somewhere else the value could be read.
    for (name, value) in [("$note", user["password"].clone()), ("$user", json!({ "name": user["password"] }))] {
        let moved = json!({ "runId": run, "stepId": "b", "overrides": { name: value } });
        let refused = serving.ask_as(OPERATOR, "POST", "/workflow/rerun", &moved, &[]);
        assert!(refused.status == 400 && refused.body.contains("mask"), "{}", refused.body);
    }
    user["name"] = json!("second");
    let input = json!([{ "n": 2, "to": user["mail"] }]);
    let body = json!({ "runId": run, "stepId": "b", "overrides": { "$user": user }, "input": input });
    let again = serving.ask_as(OPERATOR, "POST", "/workflow/rerun", &body, &[]);
    assert_eq!(again.status, 200, "{}", again.body);
    let new = again.json()["runId"].as_str().expect("an id").to_owned();
    support::eventually("the new run has ended", || ended(&new));
    let output = serving.ask("POST", "/rpc/run_get", &json!({ "runId": new })).json()["output"].clone();
    let got = json!({ "n": 2, "to": "ada@example.org" });
    assert_eq!(
        output,
        json!([{ "told": { "name": "second", "mail": "ada@example.org", "password": "hunter2!" }, "got": got }])
    );
}

#[test]
fn a_running_original_is_refused() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let mut file = workflow(json!({ "w": { "type": "flow.wait", "config": { "ms": 600_000 } } }), json!([]));
    file["id"] = "long".into();
    assert_eq!(serving.ask("PUT", "/workflows/long", &file).status, 200);
    let started = serving.ask("POST", "/workflow/run", &json!({ "workflow": "long" }));
    let run = started.json()["runId"].as_str().expect("an id").to_owned();
    let refused = serving.ask("POST", "/workflow/rerun", &json!({ "runId": run, "stepId": "w" }));
    assert_eq!((refused.status, refused.code().as_str()), (409, "RUN_RUNNING"));
    let at = place.run(&["runs", "snapshot", &run, "--at", "2", "--json"]).json();
    assert_eq!((&at["currentStepId"], &at["eventSeq"]), (&json!("w"), &json!(2)));
    let done = place.run(&["runs", "snapshot", &run, "--at", "99", "--json"]);
    assert_eq!((done.code, done.json()["error"]["code"].as_str()), (2, Some("BAD_REQUEST")));
    let done = place.run(&["rerun", &run, "--from", "w", "--json"]);
    assert_eq!((done.code, done.json()["error"]["code"].as_str()), (2, Some("RUN_RUNNING")));
}

#[test]
fn c16_a_run_ends_after_a_step_and_a_step_runs_alone_at_the_terminal_and_over_rest() {
    let (place, server) = (TestHome::new(), Loopback::start());
    let file = chain("until");
    let path = place.file("flow.signalbox.json", file.to_string()).display().to_string();
    let params = json!({ "base": server.base }).to_string();
    let done = place.run(&["run", &path, "--params", &params, "--until", "a", "--json"]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let summary = done.last();
    assert_eq!(
        (&summary["output"], server.hits("/b")),
        (&json!([{ "base": server.base, "n": 1 }]), 0),
        "nothing was sent"
    );
    let wrong = place.run(&["run", &path, "--params", &params, "--until", "zzz"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("The workflow has no step 'zzz' to end after."), "{}", wrong.err);

    let run = ran(&place, &server, &file);
    let plan = place.run(&["rerun", &run, "--from", "b", "--until", "b", "--look", "--json"]).json();
    let fates: Vec<&str> =
        plan["steps"].as_array().expect("steps").iter().filter_map(|step| step["fate"].as_str()).collect();
    assert_eq!(fates, ["kept", "again", "left"]);
    let alone = place.run(&["rerun", &run, "--from", "b", "--until", "b", "--json"]);
    assert_eq!(alone.code, 0, "{}\n{}", alone.out, alone.err);
    assert_eq!(server.hits("/b"), 2);
    assert_eq!(alone.last()["steps"]["c"]["state"], "SKIPPED");
    let before = place.run(&["rerun", &run, "--from", "b", "--until", "a"]);
    assert_eq!(before.code, 2);
    assert!(before.err.contains("The run starts at 'b', and no path leads from there to 'a'."), "{}", before.err);

    let serving = with_roles(&place);
    let look = json!({ "runId": run, "stepId": "b", "until": "b" });
    let refused = serving.ask_as(OPERATOR, "POST", "/rpc/run_rerun", &look, &[]);
    assert_eq!(refused.status, 403, "only who builds looks at one step");
    let start = json!({ "workflow": "until", "params": {}, "until": "a" });
    assert_eq!(serving.ask_as(OPERATOR, "POST", "/workflow/run", &start, &[]).status, 403);
}

#[test]
fn c16_a_step_in_a_loop_runs_alone_and_is_run_to_at_the_terminal() {
    let place = TestHome::new();
    let file = json!({ "signalbox": 1, "id": "each", "name": "Each", "edges": [{ "from": "a.success", "to": "b" }], "nodes": {
        "each": { "type": "flow.loop", "config": { "source": "=[10, 20, 30]" } },
        "a": { "type": "data.set", "parent": "each", "config": { "assign": { "n": "=_item" }, "keep": false } },
        "b": { "type": "data.set", "parent": "each", "config": { "assign": { "n": "=item.n + 1" }, "keep": false } } } });
    let path = place.file("flow.signalbox.json", file.to_string()).display().to_string();
    let begun = |run: &str| -> Vec<String> {
        let events = place.run(&["runs", "events", run]).lines();
        let starts = events.iter().filter(|event| event["type"] == "step_start");
        starts
            .map(|event| {
                format!(
                    "{}/{}",
                    event["path"].as_str().unwrap_or_default(),
                    event["stepId"].as_str().unwrap_or_default()
                )
            })
            .collect()
    };
    let to = place.run(&["run", &path, "--until", "b", "--json"]).last();
    assert_eq!((&to["status"], &to["output"]), (&json!("completed"), &json!([{ "n": 11 }])));
    assert_eq!(begun(to["runId"].as_str().expect("an id")), ["/each", "each[0]/a", "each[0]/b"]);

    let whole = place.run(&["run", &path, "--json"]).last();
    let run = whole["runId"].as_str().expect("an id");
    let unnamed = place.run(&["rerun", run, "--from", "b", "--until", "b"]);
    assert_eq!(unnamed.code, 2);
    assert!(unnamed.err.contains("each[0]/b, each[1]/b, each[2]/b"), "{}", unnamed.err);
    let alone = place.run(&["rerun", run, "--from", "each[1]/b", "--until", "b", "--json"]);
    assert_eq!(alone.code, 0, "{}\n{}", alone.out, alone.err);
    assert_eq!(alone.last()["output"], json!([{ "n": 21 }]));
    assert_eq!(begun(alone.last()["runId"].as_str().expect("an id")), ["each[1]/b"]);
}

#[test]
fn a_paused_run_names_what_it_asks_and_a_wrong_argument_is_named() {
    let place = TestHome::new();
    let ask =
        workflow(json!({ "ask": { "type": "builtin.human_approval", "config": { "title": "Go on?" } } }), json!([]));
    let file = place.file("ask.signalbox.json", ask.to_string()).display().to_string();
    let done = place.run(&["run", file.as_str()]);
    assert_eq!(done.code, 3, "{}{}", done.out, done.err);
    let tasks = place.run(&["tasks", "list", "--json"]).json();
    let task = tasks[0]["id"].as_str().expect("a task");
    for next in [format!("signalbox tasks show {task}"), format!("signalbox tasks complete {task} --action ACTION")] {
        assert!(done.out.contains(&next), "{next} in {}", done.out);
    }
    let missing = place.run(&["rerun", "--json"]);
    let message = missing.json()["error"]["message"].as_str().expect("a text").to_owned();
    assert_eq!(missing.code, 2);
    assert!(message.contains("not provided") && message.contains("<RUN>") && message.contains("--from"), "{message}");
}
