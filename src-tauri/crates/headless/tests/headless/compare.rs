//! Two runs beside each other (ADR 80), with the real program: the command line and REST.

use crate::support;

use serde_json::{Value, json};
use std::collections::BTreeSet;
use support::{BUILDER, OPERATOR, TestHome, VIEWER, eventually, with_roles, workflow};

/// make → double → tell, with variables and an output.
fn chain(id: &str) -> Value {
    let mut file = workflow(
        json!({
            "make": { "type": "data.set", "config": { "assign": { "n": "=params.n" } }, "out": { "$total": "=params.n" } },
            "double": { "type": "data.set", "config": { "assign": { "twice": "=context.total * 2" } } },
            "tell": { "type": "data.set", "config": { "assign": { "said": "=item.twice" }, "keep": false } },
        }),
        json!([{ "from": "make.success", "to": "double" }, { "from": "double.success", "to": "tell" }]),
    );
    file["id"] = id.into();
    file
}

fn ran(place: &TestHome, file: &Value, params: &Value) -> String {
    let path = place.file("flow.signalbox.json", file.to_string());
    let done = place.run(&["run", &path.display().to_string(), "--params", &params.to_string(), "--json"]);
    done.last()["runId"].as_str().unwrap_or_else(|| panic!("{}\n{}", done.out, done.err)).to_owned()
}

fn diff(place: &TestHome, a: &str, b: &str) -> Value {
    let done = place.run(&["runs", "diff", a, b, "--json"]);
    assert_eq!((done.code, done.out.lines().count()), (0, 1), "{}\n{}", done.out, done.err);
    done.json()
}

/// Names of the steps that differ.
fn steps(found: &Value) -> Vec<String> {
    let name = |step: &Value| match step["path"].as_str() {
        Some(path) => format!("{path}/{}", step["stepId"].as_str().unwrap_or_default()),
        None => step["stepId"].as_str().unwrap_or_default().to_owned(),
    };
    found["steps"].as_array().expect("steps").iter().map(name).collect()
}

fn step<'a>(found: &'a Value, id: &str) -> &'a Value {
    let all = found["steps"].as_array().expect("steps");
    all.iter().find(|step| step["stepId"] == id).unwrap_or_else(|| panic!("{id} in {found}"))
}

#[test]
fn a_run_does_not_differ_from_itself_nor_from_one_that_did_the_same() {
    let place = TestHome::new();
    let (one, other) =
        (ran(&place, &chain("same"), &json!({ "n": 2 })), ran(&place, &chain("same"), &json!({ "n": 2 })));
    for with in [&one, &other] {
        let found = diff(&place, &one, with);
        assert_eq!(
            (&found["same"], &found["sameWorkflow"], &found["masked"]),
            (&json!(true), &json!(true), &json!(false))
        );
        for list in ["params", "steps", "context", "output"] {
            assert_eq!(found[list], json!([]), "{list}");
        }
        assert_eq!(found["definition"], json!({ "same": true, "steps": [], "parts": [] }));
    }
    let words = place.run(&["runs", "diff", &one, &other]).out;
    assert!(words.ends_with("These runs do not differ.\n"), "{words}");
}

#[test]
fn a_re_run_with_an_edited_value_differs_in_exactly_what_followed_from_it() {
    let place = TestHome::new();
    let run = ran(&place, &chain("edited"), &json!({ "n": 2 }));
    let again = place.run(&["rerun", &run, "--from", "double", "--set", "$total=50", "--json"]);
    assert_eq!(again.code, 0, "{}\n{}", again.out, again.err);
    let again = again.last()["runId"].as_str().expect("an id").to_owned();
    let found = diff(&place, &run, &again);
    assert_eq!((&found["same"], &found["b"]["parentRunId"]), (&json!(false), &json!(run)));
    assert_eq!(found["params"], json!([]));
    assert_eq!(steps(&found), ["double", "tell"], "the kept step stands with its values: {found}");
    let double = step(&found, "double");
    assert_eq!(double["differs"], json!(["config", "output"]));
    assert_eq!(
        double["changes"],
        json!([
            { "part": "config", "pointer": "/0/assign/twice", "a": 4, "b": 100 },
            { "part": "output", "pointer": "/success/0/twice", "a": 4, "b": 100 },
        ])
    );
    assert_eq!(double["a"], json!({ "state": "SUCCEEDED", "visits": 1, "attempts": 1, "ports": { "success": 1 } }));
    assert_eq!(step(&found, "tell")["differs"], json!(["input", "config", "output"]));
    assert_eq!(found["context"], json!([{ "pointer": "/total", "a": 2, "b": 50 }]));
    assert_eq!(found["output"], json!([{ "pointer": "/0/said", "a": 4, "b": 100 }]));

    let words = place.run(&["runs", "diff", &run, &again]).out;
    for line in [
        format!("(re-run of {run})"),
        "step          double".to_owned(),
        "output/success/0/twice  4 → 100".to_owned(),
        "variable      /total  2 → 50".to_owned(),
        "output        /0/said  4 → 100".to_owned(),
    ] {
        assert!(words.contains(&line), "{line} in\n{words}");
    }
    assert!(!words.contains("step          make"), "{words}");
}

#[test]
fn iterations_are_compared_by_their_paths() {
    let place = TestHome::new();
    let mut file = workflow(
        json!({
            "each": { "type": "flow.loop", "config": { "source": "=params.list" } },
            "add": { "type": "data.set", "parent": "each", "config": { "assign": { "v": "=_item + 1" }, "keep": false } },
        }),
        json!([]),
    );
    file["id"] = "rounds".into();
    let run = |list: Value| ran(&place, &file, &json!({ "list": list }));
    let (short, long) = (run(json!([1, 2])), run(json!([1, 5, 3])));
    let found = diff(&place, &short, &long);
    assert_eq!(steps(&found), ["each", "each[1]/add", "each[2]/add"], "{found}");
    let all = found["steps"].as_array().expect("steps");
    assert_eq!(all[1]["changes"][2], json!({ "part": "output", "pointer": "/success/0/v", "a": 3, "b": 6 }));
    assert_eq!((&all[2]["differs"], all[2].get("a")), (&json!(["ran"]), None));
    assert_eq!(all[2]["b"]["state"], "SUCCEEDED");
    assert_eq!(found["params"][0], json!({ "pointer": "/list/1", "a": 2, "b": 5 }));
}

#[test]
fn of_many_iterations_some_are_left_out_and_the_steps_after_them_are_not() {
    let place = TestHome::new();
    let mut file = workflow(
        json!({
            "each": { "type": "flow.loop", "config": { "source": "=params.list" } },
            "add": { "type": "data.set", "parent": "each", "config": { "assign": { "v": "=_item + params.n" }, "keep": false } },
            "last": { "type": "data.set", "config": { "assign": { "n": "=params.n" }, "keep": false } },
        }),
        json!([{ "from": "each.success", "to": "last" }]),
    );
    file["id"] = "many".into();
    let list: Vec<u32> = (0..510).collect();
    let run = |n: u32| ran(&place, &file, &json!({ "list": list, "n": n }));
    let (one, other) = (run(1), run(2));
    let found = diff(&place, &one, &other);
    let listed = steps(&found);
    assert_eq!((listed.len(), &found["leftOut"]["steps"]), (500, &json!(12)));
    assert_eq!((listed[0].as_str(), listed[1].as_str(), listed[499].as_str()), ("each", "each[0]/add", "last"));
    assert_eq!(step(&found, "each")["leftOut"], json!(410), "100 places of its output, and its settings");
    let words = place.run(&["runs", "diff", &one, &other]).out;
    assert!(words.contains("… 12 more steps not listed") && words.contains("more places"), "{words}");
}

#[test]
fn steps_of_a_sub_workflow_are_compared_by_their_path() {
    let place = TestHome::new();
    let mut inner = workflow(
        json!({ "deep": { "type": "data.set", "config": { "assign": { "got": "=params.n" }, "keep": false } } }),
        json!([]),
    );
    inner["id"] = "inner".into();
    inner["params"] = json!({ "type": "object", "properties": { "n": { "type": "number" } } });
    place.file("inner.signalbox.json", inner.to_string());
    let call = json!({ "type": "flow.subworkflow", "config": { "workflow": "inner", "params": { "n": "=params.n" } } });
    let mut outer = workflow(json!({ "call": call }), json!([]));
    outer["id"] = "outer".into();
    let (one, other) = (ran(&place, &outer, &json!({ "n": 1 })), ran(&place, &outer, &json!({ "n": 2 })));
    let found = diff(&place, &one, &other);
    let deep = step(&found, "deep");
    // The table at the end of a run has the steps of its own file: of others nothing is counted there.
    let table = place.run(&[
        "run",
        &place.dir.path().join("flow.signalbox.json").display().to_string(),
        "--params",
        "{\"n\":1}",
    ]);
    assert!(table.code == 0 && table.out.contains("✓") && !table.out.contains('·'), "{}", table.out);
    assert!(deep["path"].as_str().is_some_and(|path| path.starts_with("call")), "{found}");
    let output = deep["changes"].as_array().expect("changes").iter().find(|change| change["part"] == "output");
    assert_eq!(output.map(|change| (&change["a"], &change["b"])), Some((&json!(1), &json!(2))));

    // Another version of the file that it calls.
    inner["nodes"]["deep"]["config"]["assign"]["more"] = json!(true);
    place.file("inner.signalbox.json", inner.to_string());
    let now = ran(&place, &outer, &json!({ "n": 1 }));
    let found = diff(&place, &one, &now);
    assert_eq!(found["definition"]["steps"], json!([{ "stepId": "call", "change": "inside" }]));
}

#[test]
fn a_failure_differs_from_a_success_and_a_definition_from_its_next() {
    let place = TestHome::new();
    let mut file = workflow(
        json!({
            "look": { "type": "flow.if", "config": { "condition": "params.ok" } },
            "stop": { "type": "flow.fail", "config": { "error": { "type": "ToolError", "message": "no good", "details": { "code": "NO" } } } },
            "go": { "type": "data.set", "config": { "assign": { "done": true } } },
        }),
        json!([{ "from": "look.true", "to": "go" }, { "from": "look.false", "to": "stop" }]),
    );
    (file["id"], file["settings"]) = (json!("ways"), json!({ "errorPolicy": "fail" }));
    let (good, bad) = (ran(&place, &file, &json!({ "ok": true })), ran(&place, &file, &json!({ "ok": false })));
    let found = diff(&place, &good, &bad);
    assert_eq!((&found["a"]["status"], &found["b"]["status"]), (&json!("completed"), &json!("failed")));
    assert_eq!(found["b"]["failedStepId"], "stop");
    assert_eq!(step(&found, "look")["differs"], json!(["ports", "input", "output"]));
    let stop = step(&found, "stop");
    assert_eq!((&stop["a"]["state"], &stop["b"]["state"]), (&json!("SKIPPED"), &json!("FAILED")));
    let error = stop["changes"].as_array().expect("changes").iter().find(|change| change["part"] == "error");
    assert_eq!(error.map(|change| change["b"]["message"].clone()), Some(json!("no good")));

    // The next definition: another condition, a step more, one less.
    let mut next = file.clone();
    next["nodes"]["look"]["config"]["condition"] = json!("!params.ok");
    next["nodes"].as_object_mut().expect("nodes").shift_remove("stop");
    next["nodes"]["end"] = json!({ "type": "flow.noop" });
    next["edges"][1]["to"] = json!("end");
    let now = ran(&place, &next, &json!({ "ok": true }));
    let found = diff(&place, &good, &now);
    assert_eq!((&found["definition"]["same"], &found["sameWorkflow"]), (&json!(false), &json!(true)));
    assert_eq!(
        found["definition"]["steps"],
        json!([
            { "stepId": "look", "change": "changed", "changes": [
                { "pointer": "/config/condition", "a": "params.ok", "b": "!params.ok" } ] },
            { "stepId": "stop", "change": "removed" },
            { "stepId": "end", "change": "added" },
        ])
    );
    let words = place.run(&["runs", "diff", &good, &now]).out;
    assert!(
        words.contains("definition    stop  only in a") && words.contains("definition    end  only in b"),
        "{words}"
    );

    // Of another workflow: the steps with the same names.
    next["id"] = "other".into();
    let other = ran(&place, &next, &json!({ "ok": true }));
    let found = diff(&place, &now, &other);
    assert_eq!((&found["sameWorkflow"], &found["same"], &found["steps"]), (&json!(false), &json!(false), &json!([])));
    assert!(place.run(&["runs", "diff", &now, &other]).out.contains("The runs belong to different workflows"));
}

#[test]
fn what_is_not_known_is_said_and_large_values_are_cut() {
    let place = TestHome::new();
    let long = "letters ".repeat(2_000);
    let one = ran(&place, &chain("cut"), &json!({ "n": 1, "text": long }));
    let other = ran(&place, &chain("cut"), &json!({ "n": 1, "text": format!("{long}more") }));
    let serving = with_roles(&place);
    let found = serving.ask("GET", &format!("/workflow/{one}/diff?with={other}"), &Value::Null).json();
    let cut = &found["params"][0]["b"];
    assert_eq!((&cut["_truncated"], &found["params"][0]["pointer"]), (&json!(true), &json!("/text")), "{found}");
    let whole = serving.ask("POST", "/rpc/run_value", &json!({ "ref": cut["ref"] })).json();
    assert_eq!(whole, json!(format!("{long}more")));
    // The same of what stands in a step.
    let input = step(&found, "make")["changes"].as_array().expect("changes").iter().find(|one| one["part"] == "input");
    let cut = input.map(|one| one["a"].clone()).unwrap_or_default();
    assert_eq!(serving.ask("POST", "/rpc/run_value", &json!({ "ref": cut["ref"] })).json(), json!(long), "{cut}");

    let request = json!({ "runId": one, "with": other, "stepId": "tell" });
    let both = serving.ask("POST", "/rpc/run_diff_step", &request).json();
    assert_eq!(both["a"]["output"], json!({ "success": [{ "said": 2 }] }), "{both}");
    assert_eq!((&both["differs"], &both["b"]["state"]), (&json!(["input"]), &json!("SUCCEEDED")));
    let nobody = json!({ "runId": one, "with": other, "stepId": "nobody" });
    assert_eq!(serving.ask("POST", "/rpc/run_diff_step", &nobody).status, 404);

    for (a, b) in [(one.as_str(), "nope"), ("nope", one.as_str())] {
        let done = place.run(&["runs", "diff", a, b, "--json"]);
        assert_eq!((done.code, done.json()["error"]["code"].as_str()), (2, Some("NOT_FOUND")), "{}", done.out);
        assert_eq!(serving.ask("GET", &format!("/workflow/{a}/diff?with={b}"), &Value::Null).status, 404);
    }
    let status = |path: &str| serving.ask("GET", path, &Value::Null).status;
    assert_eq!(status(&format!("/workflow/{one}/diff")), 400, "without the other run");
    assert_eq!(status(&format!("/workflow/{one}/diff?with={other}&typo=1")), 400);
    assert!(place.run(&["runs", "diff", "--help"]).out.contains("Example:"));
}

/// What is hidden in both runs is not compared: whether a guess was right is told by no difference.
#[test]
fn who_sees_runs_with_masks_is_told_no_masked_value() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let mut file = workflow(
        json!({
            "keep": { "type": "data.set", "config": { "assign": {
                "password": "=params.password", "n": "=params.n", "long": "=params.long + params.password" } } },
            "count": { "type": "data.set", "config": { "assign": { "n": "=item.n + 1", "note": "=item.password" } } },
        }),
        json!([{ "from": "keep.success", "to": "count" }]),
    );
    file["id"] = "hidden".into();
    assert_eq!(serving.ask_as(BUILDER, "PUT", "/workflows/hidden", &file, &[]).status, 200);
    let status =
        |run: &str| serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json()["status"].clone();
    let run = |password: &str, n: u64| {
        let start = json!({ "workflow": "hidden", "params": { "password": password, "n": n, "long": "letters ".repeat(2_000) } });
        let run = serving.ask_as(BUILDER, "POST", "/workflow/run", &start, &[]).json()["runId"].clone();
        let run = run.as_str().expect("an id").to_owned();
        eventually("its end", || status(&run) == "completed");
        run
    };
    let (one, other, more) = (run("hunter22", 1), run("swordfish7", 1), run("swordfish7", 2));
    let again = serving.ask_as(BUILDER, "POST", "/workflow/rerun", &json!({ "runId": more, "stepId": "count" }), &[]);
    let again = again.json()["runId"].as_str().expect("an id").to_owned();
    eventually("its end", || status(&again) == "completed");
    let ask = |token: &str, a: &str, b: &str| {
        let answer = serving.ask_as(token, "GET", &format!("/workflow/{a}/diff?with={b}"), &Value::Null, &[]);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer
    };
    for token in [VIEWER, OPERATOR] {
        let found = ask(token, &one, &other).json();
        assert_eq!((&found["same"], &found["masked"]), (&json!(true), &json!(true)), "{found}");
        for with in [&more, &again] {
            let answer = ask(token, &one, with);
            for secret in ["hunter22", "swordfish7"] {
                assert!(!answer.body.contains(secret), "{}", answer.body);
            }
            let found = answer.json();
            let places = |step: &Value| {
                let all = step["changes"].as_array().expect("changes").iter();
                all.map(|change| change["pointer"].as_str().unwrap_or_default().to_owned()).collect::<BTreeSet<_>>()
            };
            let keep = places(step(&found, "keep"));
            assert!(keep.contains("/success/0/n") && !keep.iter().any(|at| at.contains("password")), "{keep:?}");
        }
        let step = json!({ "runId": one, "with": again, "stepId": "keep" });
        let both = serving.ask_as(token, "POST", "/rpc/run_diff_step", &step, &[]);
        assert!(!both.body.contains("swordfish7") && both.body.contains("•••"), "{}", both.body);
        // The whole of what a re-run has of its original is as masked as its cut.
        let cut = &both.json()["b"]["output"]["success"][0]["long"];
        let whole = serving.ask_as(token, "POST", "/rpc/run_value", &json!({ "ref": cut["ref"] }), &[]);
        assert!(whole.body.len() > 12_000 && !whole.body.contains("swordfish7"), "{cut}: {}", whole.body.len());
    }
    // A builder sees runs as they are.
    let found = ask(BUILDER, &one, &other).json();
    assert_eq!((&found["masked"], &found["params"][0]["b"]), (&json!(false), &json!("swordfish7")), "{found}");
    // An operator who said why for one of them still sees none of the other's.
    let reveal = json!({ "runId": one, "reason": "they called" });
    assert_eq!(serving.ask_as(OPERATOR, "POST", "/rpc/run_reveal", &reveal, &[]).status, 200);
    assert_eq!(ask(OPERATOR, &one, &other).json()["masked"], true);
    let reveal = json!({ "runId": other, "reason": "they called" });
    assert_eq!(serving.ask_as(OPERATOR, "POST", "/rpc/run_reveal", &reveal, &[]).status, 200);
    assert_eq!(ask(OPERATOR, &one, &other).json()["masked"], false);
}

/// What is hidden is learned to the end of a run before its first event is looked at, also in a run that nobody looked at
/// before.
#[test]
fn equal_runs_are_hidden_alike_whichever_was_looked_at_before() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let mut file = workflow(
        json!({
            "each": { "type": "flow.loop", "config": { "source": "=params.list" } },
            "in": { "type": "data.set", "parent": "each", "config": { "assign": { "n": "=_item" }, "keep": false } },
            "last": { "type": "data.set", "config": { "assign": { "password": "=params.note" } } },
        }),
        json!([{ "from": "each.success", "to": "last" }]),
    );
    file["id"] = "learned".into();
    assert_eq!(serving.ask_as(BUILDER, "PUT", "/workflows/learned", &file, &[]).status, 200);
    let status =
        |run: &str| serving.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json()["status"].clone();
    // More than one page of events before the secret is named.
    let params = json!({ "note": "a bluewhale77", "list": (0..200).collect::<Vec<_>>() });
    let run = || {
        let start = json!({ "workflow": "learned", "params": params });
        let run = serving.ask_as(BUILDER, "POST", "/workflow/run", &start, &[]).json()["runId"].clone();
        let run = run.as_str().expect("an id").to_owned();
        eventually("its end", || status(&run) == "completed");
        run
    };
    let (one, other) = (run(), run());
    let look = serving.ask_as(VIEWER, "POST", "/rpc/run_get", &json!({ "runId": one }), &[]);
    assert!(look.status == 200 && !look.body.contains("bluewhale77"), "{}", look.body);
    let answer = serving.ask_as(VIEWER, "GET", &format!("/workflow/{one}/diff?with={other}"), &Value::Null, &[]);
    assert_eq!((answer.status, &answer.json()["same"]), (200, &json!(true)), "{}", answer.body);
    assert!(!answer.body.contains("bluewhale77"), "{}", answer.body);
}

/// docs/formats.md, Comparing two runs: its example is what the program writes.
#[test]
fn the_example_of_the_page_is_what_is_written() {
    let page = include_str!("../../../../../docs/formats.md");
    let example = page.split("```json diff\n").nth(1).and_then(|rest| rest.split("\n```").next()).expect("an example");
    let example: Value = serde_json::from_str(example).expect("json");
    let place = TestHome::new();
    let run = ran(&place, &chain("intake"), &json!({ "n": 2 }));
    let again = place.run(&["rerun", &run, "--from", "double", "--set", "$total=50", "--json"]).last();
    let mut found = diff(&place, &run, again["runId"].as_str().expect("an id"));
    for side in ["a", "b"] {
        for name in ["runId", "startedAt", "endedAt", "durationMs", "parentRunId"] {
            if found[side].get(name).is_some() {
                found[side][name] = example[side][name].clone();
            }
        }
    }
    assert_eq!(found, example, "{found}");
}
