//! Where iterations and branches stand, and their data.

use crate::common::{Place, place, wait};
use serde_json::{Value, json};

fn orders() -> Value {
    json!({
        "signalbox": 1, "id": "orders", "name": "Orders", "context": { "initial": { "sum": 0 } },
        "nodes": {
            "first": { "type": "data.set", "config": { "assign": { "rate": 2 } } },
            "each": { "type": "flow.loop", "config": { "source": "=params.orders", "onChildError": "collect_errors" } },
            "price": { "type": "data.set", "parent": "each", "config": { "assign": { "at": "=_index", "n": "=_item.n" } },
                "out": { "$sum": "=context.sum + _result.n" } },
            "lines": { "type": "flow.loop", "parent": "each", "config": { "source": "=item.lines" } },
            "line": { "type": "data.set", "parent": "lines", "config": { "keep": false, "assign": { "twice": "=_item * nodes.first.output.rate" } } },
            "check": { "type": "flow.if", "parent": "each", "config": { "condition": "_item.n < 3" } },
            "no": { "type": "flow.fail", "parent": "each", "config": { "error": {
                "type": "ToolError", "message": "Too many", "retryable": false, "details": { "code": "MANY" } } } },
            "par": { "type": "flow.parallel" },
            "left": { "type": "data.set", "parent": "par", "config": { "assign": { "side": "left" } } },
            "right": { "type": "data.set", "parent": "par", "config": { "assign": { "side": "right" } } },
        },
        "edges": [
            { "from": "first.success", "to": "each" }, { "from": "price.success", "to": "lines" },
            { "from": "price.success", "to": "check" }, { "from": "check.false", "to": "no" },
            { "from": "each.success", "to": "par" },
        ],
    })
}

fn params() -> Value {
    let order = |n: u64| json!({ "n": n, "lines": [n, n * 10] });
    json!({ "orders": [order(1), order(2), order(3)] })
}

fn run(place: &Place) -> String {
    let summary = place.run(&orders(), params());
    assert_eq!(summary["status"], "completed", "{summary}");
    summary["runId"].as_str().expect("an id").to_owned()
}

#[test]
fn the_events_of_one_iteration_are_told_alone() {
    let place = place();
    let run = run(&place);
    let of = |path: &str, after: u64, limit: u64| {
        let events = place.ok("run_events", json!({ "runId": run, "path": path, "after": after, "limit": limit }));
        events.as_array().expect("a list").clone()
    };
    let all = of("each[1]", 0, 100);
    let named = |event: &Value| (event["path"].clone(), event["stepId"].clone());
    assert_eq!(named(&all[0]), (json!("each[1]"), json!("price")), "{all:?}");
    for inner in ["each[1]/lines[0]", "each[1]/lines[1]"] {
        assert!(all.iter().any(|event| event["path"] == inner), "what is further in: {all:?}");
    }
    assert!(all.iter().all(|event| event["path"].as_str().is_some_and(|path| path.starts_with("each[1]"))), "{all:?}");
    assert!(all.windows(2).all(|two| two[0]["seq"].as_u64() < two[1]["seq"].as_u64()), "{all:?}");
    assert_eq!(of("each[1]", all[0]["seq"].as_u64().expect("a number"), 1), [all[1].clone()], "page by page");
    assert_eq!(of("each[9]", 0, 100), [] as [Value; 0]);
    assert_eq!(place.code("run_events", json!({ "runId": run, "after": 0, "path": "" })), "BAD_REQUEST");
}

#[test]
fn iterations_and_branches_are_listed_with_how_they_stand() {
    let place = place();
    let run = run(&place);
    let told = place.ok("run_paths", json!({ "runId": run }));
    let paths = told["paths"].as_array().expect("a list");
    let named = |row: &Value| (row["path"].as_str().expect("a path").to_owned(), row["failed"].as_bool() == Some(true));
    let names: Vec<(String, bool)> = paths.iter().map(named).collect();
    let of = |path: &str| names.iter().find(|(name, _)| name == path).map(|(_, failed)| *failed);
    assert_eq!(names.len(), 3 + 6 + 2 - usize::from(of("each[2]/lines[0]").is_none()) * 2, "{names:?}");
    assert_eq!((of("each[0]"), of("each[1]"), of("each[2]")), (Some(false), Some(false), Some(true)));
    assert_eq!((of("each[1]/lines[1]"), of("par/left"), of("par/right")), (Some(false), Some(false), Some(false)));
    assert!(paths.iter().all(|row| row["running"] == false && row["waiting"] == false), "{paths:?}");
    let containers = &told["containers"];
    assert_eq!(
        containers["each"],
        json!({ "path": "", "stepId": "each", "total": 3, "done": 2, "running": 0, "failed": 1 })
    );
    assert_eq!(
        containers["each[1]/lines"],
        json!({ "path": "each[1]", "stepId": "lines", "total": 2, "done": 2, "running": 0, "failed": 0 })
    );
    assert_eq!(containers["par"]["total"], 2);
    assert_eq!(told["truncated"], false);

    // By what began later: the containers of what is listed, and those at the top.
    let first = paths[0]["firstSeq"].as_u64().expect("a number");
    let later = place.ok("run_paths", json!({ "runId": run, "after": first }));
    assert_eq!(later["paths"].as_array().map(Vec::len), Some(paths.len() - 1));
    assert_eq!(place.code("run_paths", json!({ "runId": "none" })), "NOT_FOUND");
}

#[test]
fn iterations_that_a_re_run_kept_are_listed_too() {
    let place = place();
    let original = run(&place);
    let ask = json!({ "runId": original, "stepId": "each[1]/lines[1]/line" });
    let again = place.ok("run_rerun", ask)["runId"].as_str().expect("an id").to_owned();
    let summary = wait(place.app.wait(again.clone())).expect("it ends");
    assert_eq!(summary["status"], "completed", "{summary}");
    let (before, told) =
        (place.ok("run_paths", json!({ "runId": original })), place.ok("run_paths", json!({ "runId": again })));
    let rows = |told: &Value| {
        let rows = told["paths"].as_array().expect("a list").clone();
        let row = |row: Value| (row["path"].as_str().expect("a path").to_owned(), row["failed"] == true);
        rows.into_iter().map(row).collect::<std::collections::BTreeMap<_, _>>()
    };
    assert_eq!(rows(&told), rows(&before), "each as it ended there or here");
    let kept = |path: &str| {
        told["paths"].as_array().expect("a list").iter().find(|row| row["path"] == path).map(|row| row["kept"] == true)
    };
    assert_eq!((kept("each[0]"), kept("each[1]/lines[0]")), (Some(true), Some(true)));
    assert_eq!((kept("each[1]/lines[1]"), kept("par/left")), (Some(false), Some(false)));
    assert!(before["paths"].as_array().expect("a list").iter().all(|row| row["kept"] == false));
    assert_eq!(told["containers"]["each"], before["containers"]["each"]);
}

#[test]
fn of_very_many_kept_iterations_a_page_has_all() {
    let place = place();
    let document = json!({
        "signalbox": 1, "id": "many", "name": "Many", "edges": [{ "from": "each.success", "to": "after" }],
        "nodes": {
            "each": { "type": "flow.loop", "config": { "source": "=params.list" } },
            "in": { "type": "flow.noop", "parent": "each" },
            "after": { "type": "flow.loop", "config": { "source": [1] } },
            "last": { "type": "flow.noop", "parent": "after" },
        },
    });
    let list: Vec<u32> = (0..1_203).collect();
    let run = place.run(&document, json!({ "list": list }))["runId"].clone();
    let again = place.ok("run_rerun", json!({ "runId": run, "stepId": "after" }))["runId"].as_str().map(str::to_owned);
    let again = again.expect("an id");
    wait(place.app.wait(again.clone())).expect("it ends");
    let page = place.ok("run_paths", json!({ "runId": again }));
    assert_eq!((page["paths"].as_array().map(Vec::len), &page["truncated"]), (Some(1_203), &json!(true)));
    let rest = place.ok("run_paths", json!({ "runId": again, "after": page["paths"][1_202]["firstSeq"] }));
    assert_eq!((&rest["paths"][0]["path"], &rest["truncated"]), (&json!("after[0]"), &json!(false)));
}

#[test]
fn a_thousand_iterations_come_page_by_page() {
    let place = place();
    let document = json!({
        "signalbox": 1, "id": "many", "name": "Many", "edges": [],
        "nodes": {
            "each": { "type": "flow.loop", "config": { "source": "=params.list" } },
            "in": { "type": "flow.noop", "parent": "each" },
        },
    });
    // Long enough to stand beside its event.
    let list: Vec<String> = (0..1_203).map(|n| format!("element {n}")).collect();
    let summary = place.run(&document, json!({ "list": list }));
    let run = summary["runId"].clone();
    let mut seen = Vec::new();
    let mut after = 0;
    loop {
        let page = place.ok("run_paths", json!({ "runId": run, "after": after }));
        let rows = page["paths"].as_array().expect("a list").clone();
        assert_eq!(
            (&page["containers"]["each"]["total"], &page["containers"]["each"]["done"]),
            (&json!(1_203), &json!(1_203))
        );
        after = rows.last().and_then(|row| row["firstSeq"].as_u64()).expect("a number");
        seen.extend(rows.iter().map(|row| row["path"].as_str().expect("a path").to_owned()));
        if page["truncated"] == false {
            break;
        }
        assert_eq!(rows.len(), 1_000);
    }
    assert_eq!(seen, (0..1_203).map(|n| format!("each[{n}]")).collect::<Vec<_>>());
    let data = place.ok("run_step_data", json!({ "workflowId": "many", "nodeId": "in", "path": "each[1200]" }));
    assert_eq!(data["input"][0]["data"], "element 1200");
}

#[test]
fn data_of_a_step_is_that_of_one_iteration() {
    let place = place();
    let run = run(&place);
    let data = |node: &str, path: Option<&str>| {
        place.ok("run_step_data", json!({ "workflowId": "orders", "nodeId": node, "runId": run, "path": path }))
    };
    let first = data("price", Some("each[0]"));
    assert_eq!(first["output"]["success"][0]["data"]["n"], 1);
    assert_eq!(first["path"], "each[0]");
    assert_eq!(data("price", Some("each[1]"))["output"]["success"][0]["data"]["n"], 2);
    let last = data("price", None);
    assert_eq!((&last["path"], &last["output"]["success"][0]["data"]["at"]), (&json!("each[2]"), &json!(2)));
    assert_eq!(data("no", None)["error"]["message"], "Too many");
    assert_eq!(data("no", Some("each[0]")), Value::Null, "it did not run there");
    assert_eq!(data("price", Some("par/left")), Value::Null, "it cannot be there");
    assert_eq!(data("line", Some("each[1]/lines[1]"))["output"]["success"][0]["data"]["twice"], 40);
    let top = data("each", None);
    assert_eq!((top.get("path"), top["output"]["success"].as_array().map(Vec::len)), (None, Some(3)));
    assert_eq!(top["output"]["success"][2]["data"]["status"], "rejected");
}

#[test]
fn previews_see_the_iteration_and_what_is_around_it() {
    let place = place();
    run(&place);
    let preview = |node: &str, text: &str, path: Option<&str>| {
        let request = json!({ "document": orders(), "nodeId": node, "text": text, "kind": "cel", "path": path });
        place.ok("expression_preview", request)
    };
    assert_eq!(preview("price", "_item.n * 100", Some("each[1]"))["value"], 200);
    assert_eq!(preview("price", "_index", None)["value"], 2, "the last one");
    assert_eq!(
        preview("line", "[_item, _index, nodes.price.output.n]", Some("each[1]/lines[1]"))["value"],
        json!([20, 1, 2])
    );
    assert_eq!(preview("line", "context.sum", Some("each[0]/lines[0]"))["value"], 1, "as its call found it");
    assert_eq!(preview("par", "has(nodes.price)", None)["value"], false, "children cannot be read from outside");
    assert_eq!(preview("first", "has(nodes.each)", None)["value"], true);
    // A step that was not called in any run yet.
    let mut document = orders();
    document["nodes"]["new"] = json!({ "type": "data.set", "parent": "each", "config": { "assign": {} } });
    let request =
        json!({ "document": document, "nodeId": "new", "text": "_item.n + item.n", "kind": "cel", "path": "each[1]" });
    assert_eq!(place.ok("expression_preview", request)["value"], 4);
    let names = place.ok("expression_names", json!({ "document": document, "nodeId": "new", "path": "each[0]" }));
    let sample = |label: &str| names.as_array()?.iter().find(|name| name["label"] == label)?["sample"].as_str();
    assert_eq!((sample("_item.n"), sample("_index")), (Some("1"), Some("0")));
    document["id"] = json!("never-run");
    let names = place.ok("expression_names", json!({ "document": document, "nodeId": "new" }));
    assert!(names.as_array().expect("a list").iter().any(|name| name["label"] == "_item"), "{names}");
}

#[test]
fn what_a_loop_asks_about_an_iteration_is_previewed_on_one() {
    let place = place();
    let document = json!({
        "signalbox": 1, "id": "pairs", "name": "Pairs", "edges": [], "context": { "initial": { "n": 0 } },
        "nodes": {
            "each": { "type": "flow.loop", "config": { "source": "=params.list", "collect": "_result.g * 10" } },
            "one": { "type": "data.set", "parent": "each", "config": { "keep": false, "assign": { "g": "=_item + _index" } } },
            "again": { "type": "flow.loop", "config": { "while": "_index < 3" } },
            "count": { "type": "data.set", "parent": "again", "config": { "keep": false, "assign": { "n": "=context.n + 1" } },
                "out": { "$n": "=_result.n" } },
        },
    });
    let summary = place.run(&document, json!({ "list": [5, 9] }));
    assert_eq!(summary["status"], "completed", "{summary}");
    let preview = |node: &str, text: &str, kind: &str, path: Option<&str>| {
        let request = json!({ "document": document, "nodeId": node, "text": text, "kind": kind, "path": path });
        place.ok("expression_preview", request)
    };
    assert_eq!(preview("each", "_result.g * 10", "cel", None)["value"], 100, "the last one");
    assert_eq!(preview("each", "_result.g * 10", "cel", Some("each[0]"))["value"], 50, "the one that is looked at");
    assert_eq!(preview("each", "[_result.g, _item, _index]", "cel", Some("each[1]"))["value"], json!([10, 9, 1]));
    assert_eq!(preview("again", "_index < 3", "cel", None)["value"], false, "why it ended");
    assert_eq!(preview("again", "[_result.n, _index]", "cel", None)["value"], json!([3, 3]));
    assert_eq!(preview("again", "_result.n < 3", "cel", Some("again[0]"))["value"], true);
    // `out` of the loop knows all that it put out.
    assert_eq!(preview("each", "=_result", "value", None)["value"], json!([50, 100]));
    // Its names are those of the place where they are written.
    let names = |node: &str, inside: bool, path: Option<&str>| {
        let request = json!({ "document": document, "nodeId": node, "inside": inside, "path": path });
        let names = place.ok("expression_names", request);
        move |label: &str| {
            names.as_array()?.iter().find(|name| name["label"] == label)?["sample"].as_str().map(str::to_owned)
        }
    };
    let (all, one) = (names("each", false, None), names("each", true, Some("each[0]")));
    assert_eq!((all("_result.g"), one("_result.g"), one("_item")), (None, Some("5".into()), Some("5".into())));
    let (all, one) = (names("again", false, None), names("again", true, None));
    assert_eq!((all("_result.n"), one("_result.n"), one("_index")), (None, Some("3".into()), Some("3".into())));
    // An iteration that came to nothing makes no expression wrong.
    assert_eq!(preview("each", "_result.g * 10", "cel", Some("each[7]"))["state"], "no_data");
    place.run(&document, json!({ "list": [] }));
    assert_eq!(preview("each", "_result.g * 10", "cel", None)["state"], "no_data");
    assert_eq!(preview("each", "_result.", "cel", None)["state"], "error");
}

#[test]
fn variables_of_a_preview_are_those_that_the_call_found() {
    let place = place();
    let set = |text: &str| json!({ "type": "data.set", "config": { "assign": {} }, "out": { "$n": text } });
    let document = json!({
        "signalbox": 1, "id": "steps", "name": "Steps", "context": { "initial": { "n": 0 } },
        "nodes": { "one": set("=context.n + 1"), "two": set("=context.n + 1"), "three": set("=context.n + 1") },
        "edges": [{ "from": "one.success", "to": "two" }, { "from": "two.success", "to": "three" }],
    });
    place.run(&document, json!({}));
    let preview = |node: &str, text: &str| {
        let request = json!({ "document": document, "nodeId": node, "text": text, "kind": "value" });
        place.ok("expression_preview", request)["value"].clone()
    };
    assert_eq!(["one", "two", "three"].map(|node| preview(node, "=context.n + 1")), [1, 2, 3].map(Value::from));
    assert_eq!(preview("two", "={'n': context.n, 'made': _result}")["n"], 1, "what it writes itself comes after it");
    let names = place.ok("expression_names", json!({ "document": document, "nodeId": "two" }));
    let own = names.as_array().expect("a list").iter().find(|name| name["label"] == "context.n").expect("a name");
    assert_eq!(own["sample"], "1");
}

#[test]
fn a_paused_iteration_is_told_as_waiting() {
    let place = place();
    let document = json!({
        "signalbox": 1, "id": "ask", "name": "Ask", "settings": { "errorPolicy": "safe" }, "edges": [],
        "nodes": {
            "each": { "type": "flow.loop", "config": { "source": [1, 2, 3], "mode": "parallel", "maxConcurrency": 2 } },
            "par": { "type": "flow.parallel", "parent": "each" },
            "ok": { "type": "builtin.human_approval", "parent": "par", "config": { "title": "Go on?" } },
        },
    });
    let summary = place.run(&document, json!({}));
    assert_eq!(summary["status"], "paused", "{summary}");
    let told = place.ok("run_paths", json!({ "runId": summary["runId"] }));
    let waiting = |path: &str| {
        told["paths"]
            .as_array()
            .expect("a list")
            .iter()
            .find(|row| row["path"] == path)
            .map(|row| row["waiting"].clone())
    };
    assert_eq!((waiting("each[0]"), waiting("each[1]/par/ok")), (Some(json!(true)), Some(json!(true))));
    assert_eq!(waiting("each[2]"), None, "two at the same time");
    assert_eq!(
        told["containers"]["each"],
        json!({ "path": "", "stepId": "each", "total": 3, "done": 0, "running": 2, "failed": 0 })
    );
    let task = place.ok("task_get", json!({ "taskId": summary["openTasks"][0] }));
    assert!(["each[0]/par/ok", "each[1]/par/ok"].map(Some).contains(&task["path"].as_str()), "{task}");
}

/// Loops in loops, the innermost with a step; each has one iteration.
fn nested(levels: usize) -> Value {
    let mut nodes = serde_json::Map::new();
    for n in 0..levels {
        let mut node = json!({ "type": "flow.loop", "config": { "source": [n] } });
        if n > 0 {
            node["parent"] = json!(format!("l{}", n - 1));
        }
        nodes.insert(format!("l{n}"), node);
    }
    nodes.insert("in".into(), json!({ "type": "flow.noop", "parent": format!("l{}", levels - 1) }));
    json!({ "signalbox": 1, "id": "nested", "name": "Nested", "nodes": nodes, "edges": [] })
}

#[test]
fn what_is_too_deep_or_too_long_is_refused_in_words() {
    let place = place();
    let summary = place.run(&nested(16), json!({}));
    assert_eq!(summary["status"], "completed", "{summary}");
    let deepest = (0..16).map(|n| format!("l{n}[0]")).collect::<Vec<_>>().join("/");
    let data = place.ok("run_step_data", json!({ "workflowId": "nested", "nodeId": "in" }));
    assert_eq!((&data["path"], &data["input"][0]["data"]), (&json!(deepest), &json!(15)));
    for levels in [17, 400] {
        let found = place.ok("workflow_validate", json!({ "document": nested(levels) }));
        assert_eq!(found[0]["code"], "BAD_PARENT", "{found}");
        assert_eq!(place.code("run_start", json!({ "document": nested(levels), "params": {} })), "INVALID_WORKFLOW");
    }

    let document = json!({
        "signalbox": 1, "id": "long", "name": "Long", "edges": [],
        "nodes": {
            "each": { "type": "flow.loop", "config": { "source": "=params.list" } },
            "in": { "type": "flow.noop", "parent": "each" },
        },
    });
    let summary = place.run(&document, json!({ "list": vec![0; 1_000_001] }));
    let error = &summary["error"];
    assert_eq!((&summary["status"], &error["details"]["code"]), (&json!("failed"), &json!("LOOP_LIMIT")), "{error}");
    assert_eq!(error["message"], "The list has 1000001 elements; this loop may run 1000000 times");
    assert_eq!(summary["steps"]["in"]["attempts"], 0);
}
