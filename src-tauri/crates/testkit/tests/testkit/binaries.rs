//! Bytes travel by reference (K-37): the ways of an item through a workflow, each ending at a step that takes the bytes.

use serde_json::{Value, json};
use signalbox_model::hash::sha256_hex;
use signalbox_model::task::{Answer, TaskAction};
use signalbox_model::{EventBody, Map, RunStatus};
use signalbox_testkit::{Driver, TestWorld, scenario};

/// No text, in no encoding.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\x00\xff\xfe\x80";
const OTHER: &[u8] = b"%PDF\x00\x9f";

fn prepared(nodes: &Value, edges: &Value, params: Value) -> Driver {
    let test = TestWorld::default();
    test.files.put("in/a.png", PNG);
    test.files.put("in/b.pdf", OTHER);
    let workflow = json!({ "nodes": nodes, "edges": edges, "settings": { "errorPolicy": "safe" } });
    let compiled = scenario::compile(scenario::workflow(&workflow).expect("a workflow"));
    let mut driver = Driver::new(compiled, test);
    driver.start(params, Map::new(), None);
    driver
}

fn driven(nodes: &Value, edges: &Value) -> Driver {
    let mut driver = prepared(nodes, edges, json!({}));
    driver.answer_after(1, Answer { operator_id: Some("user:ada".into()), ..Answer::by_policy(TaskAction::Skip) });
    driver.run();
    driver
}

fn read(path: &str) -> Value {
    json!({ "type": "file.read", "config": { "path": path, "as": "binary" } })
}

fn write(path: &str, binary: &str) -> Value {
    json!({ "type": "file.write", "config": { "path": path, "binary": binary } })
}

fn wires(list: &[&str]) -> Value {
    let wire = |text: &&str| {
        let (from, to) = text.split_once(" > ").expect("a wire");
        json!({ "from": from, "to": to })
    };
    list.iter().map(wire).collect()
}

#[test]
fn d_10_the_same_item_keeps_its_bytes() {
    let ways = [
        ("success", json!({ "type": "flow.noop" })),
        ("success", json!({ "type": "flow.wait", "config": { "ms": 60_000 } })),
        ("true", json!({ "type": "flow.if", "config": { "condition": "item.size > 0" } })),
        (
            "big",
            json!({ "type": "flow.switch", "config": { "cases": [{ "when": "item.content.size > 3", "port": "big" }] } }),
        ),
        ("success", json!({ "type": "data.filter", "config": { "when": "true" } })),
        ("success", json!({ "type": "data.sort", "config": { "by": "item.size" } })),
        ("success", json!({ "type": "data.set", "config": { "assign": { "n": 1 }, "keep": false } })),
        ("success", json!({ "type": "data.transform", "config": { "expression": "{'only': item.path}" } })),
        ("success", json!({ "type": "data.transform", "config": { "expression": "['x']", "split": true } })),
        ("success", json!({ "type": "data.format", "config": { "format": "json" } })),
        ("success", json!({ "type": "data.aggregate", "config": {} })),
        ("success", json!({ "type": "flow.noop", "if": "false" })),
        ("success", json!({ "type": "flow.noop", "in": { "renamed": "=item.path" } })),
    ];
    for (port, way) in ways {
        let nodes = json!({ "read": read("in/a.png"), "way": way, "write": write("out", "content") });
        let driver = driven(&nodes, &wires(&["read.success > way", &format!("way.{port} > write")]));
        assert_eq!(driver.state.status(), RunStatus::Completed, "{way}: {:?}", driver.events.last());
        assert_eq!(driver.test.files.get("out").as_deref(), Some(PNG), "{way}");
    }
}

#[test]
fn d_10_a_failed_item_keeps_its_bytes_whichever_way_it_leaves() {
    let fails = || json!({ "type": "flow.fail", "config": { "error": { "type": "ToolError", "message": "no" } } });
    let call = || json!({ "type": "data.transform", "config": { "expression": "item.nothing.there" } });
    let human = json!({ "type": "builtin.human_decision" });
    let handler = |action: &str| json!({ "type": "builtin.error_handler", "config": { "rules": [{ "name": "r", "when": "true", "action": action }] } });
    let fallback = json!({
        "type": "data.transform", "config": { "expression": "item.nothing.there" },
        "errorHandling": { "fallbackNodeId": "write" },
    });
    let ways: [(Value, &[&str]); 6] = [
        (json!({ "call": fails() }), &["read.success > call", "call.error > write"]),
        (
            json!({ "call": call(), "h": handler("error_as_context") }),
            &["read.success > call", "call.error > h", "h.context > write"],
        ),
        (json!({ "call": call(), "h": human }), &["read.success > call", "call.error > h", "h.skip > write"]),
        (json!({ "call": call(), "h": human }), &["read.success > call", "call.error > h", "call.success > write"]),
        (json!({ "call": fallback, "h": handler("fallback") }), &["read.success > call", "call.error > h"]),
        (
            json!({ "call": fails(), "as": { "type": "builtin.error_as_context" } }),
            &["read.success > call", "call.error > as", "as.success > write"],
        ),
    ];
    for (mut nodes, edges) in ways {
        nodes["read"] = read("in/a.png");
        nodes["write"] = write("out", "content");
        let driver = driven(&nodes, &wires(edges));
        assert_eq!(driver.test.files.get("out").as_deref(), Some(PNG), "{edges:?}: {:?}", driver.events.last());
    }
}

/// A person who is asked gets the files named, and a corrected input has the bytes of the one that failed.
#[test]
fn d_10_a_person_is_told_of_the_bytes() {
    let nodes = json!({
        "read": read("in/a.png"),
        "call": { "type": "file.write", "config": { "path": "=item.to", "binary": "content" } },
    });
    let mut driver = prepared(&nodes, &wires(&["read.success > call"]), json!({}));
    driver.answer_after(
        1,
        Answer {
            operator_id: Some("user:ada".into()),
            corrected_input: Some(std::sync::Arc::new(json!({ "to": "out" }))),
            ..Answer::by_policy(TaskAction::Correct)
        },
    );
    driver.run();
    assert_eq!(driver.test.files.get("out").as_deref(), Some(PNG), "{:?}", driver.events.last());
    let asked = driver.events.iter().find_map(|event| match &event.body {
        EventBody::HumanTaskCreated(created) => created.binary.as_ref(),
        _ => None,
    });
    assert_eq!(asked.map(|all| all["content"].sha256.clone()), Some(sha256_hex(PNG)));
}

fn containers() -> Vec<(Value, Value)> {
    vec![
        // A loop over the items, and on with what it made.
        (
            json!({
                "read": read("in/a.png"), "l": { "type": "flow.loop" },
                "in": { "type": "data.set", "parent": "l", "config": { "assign": { "i": "=_index" } } },
                "write": write("out", "content"),
            }),
            wires(&["read.success > l", "l.success > write"]),
        ),
        // A loop over a list: what is made out of what entered it has its bytes.
        (
            json!({
                "read": read("in/a.png"), "l": { "type": "flow.loop", "config": { "source": ["out"] } },
                "write": { "type": "file.write", "parent": "l", "config": { "path": "=item", "binary": "content" } },
            }),
            wires(&["read.success > l"]),
        ),
        (
            json!({
                "read": read("in/a.png"),
                "l": { "type": "flow.loop", "config": { "while": "_index < 2 && (_index == 0 || _result.size == 4)", "onChildError": "collect_errors" } },
                "in": { "type": "data.set", "parent": "l", "config": { "assign": { "size": 4 } } },
                "write": { "type": "file.write", "mode": "all", "config": { "path": "out", "binary": "content_2" } },
            }),
            wires(&["read.success > l", "l.success > write"]),
        ),
        (
            json!({
                "read": read("in/a.png"), "p": { "type": "flow.parallel" },
                "one": { "type": "flow.noop", "parent": "p" }, "two": { "type": "data.aggregate", "parent": "p" },
                "all": { "type": "data.aggregate" }, "write": write("out", "content_2"),
            }),
            wires(&["read.success > p", "p.success > all", "all.success > write"]),
        ),
        // A join by wires.
        (
            json!({
                "read": read("in/a.png"), "other": read("in/b.pdf"),
                "both": { "type": "data.aggregate" }, "write": write("out", "content"), "second": write("pdf", "content_2"),
            }),
            wires(&["read.success > both", "other.success > both", "both.success > write", "both.success > second"]),
        ),
    ]
}

#[test]
fn d_10_containers_and_joins_carry_bytes() {
    for (nodes, edges) in containers() {
        let driver = driven(&nodes, &edges);
        assert_eq!(driver.state.status(), RunStatus::Completed, "{nodes}: {:?}", driver.events.last());
        assert_eq!(driver.test.files.get("out").as_deref(), Some(PNG), "{nodes}");
        if nodes.get("second").is_some() {
            assert_eq!(driver.test.files.get("pdf").as_deref(), Some(OTHER));
        }
    }
}

/// ADR 54: what is made of several items has the bytes of all, also where settings or a person make one value of them.
#[test]
fn d_10_a_step_that_takes_its_items_together_has_the_bytes_of_all() {
    let ends = [
        json!({ "type": "file.write", "mode": "all", "in": { "n": "=size(items)" }, "config": { "path": "pdf", "binary": "content_2" } }),
        json!({ "type": "file.write", "mode": "all", "config": { "path": "pdf", "binary": "content_2" } }),
    ];
    for end in ends {
        let nodes = json!({ "read": read("in/a.png"), "other": read("in/b.pdf"), "write": end });
        let driver = driven(&nodes, &wires(&["read.success > write", "other.success > write"]));
        assert_eq!(driver.test.files.get("pdf").as_deref(), Some(OTHER), "{nodes}: {:?}", driver.events.last());
    }
    for (kind, config) in [
        ("data.set", json!({ "assign": { "n": 2 } })),
        ("data.transform", json!({ "expression": "size(items)" })),
        ("data.parse", json!({ "from": "'[1]'", "format": "json" })),
        ("data.format", json!({ "format": "json" })),
    ] {
        let nodes = json!({
            "read": read("in/a.png"), "other": read("in/b.pdf"), "write": write("pdf", "content_2"),
            "made": { "type": kind, "mode": "all", "config": config },
        });
        let ways = ["read.success > made", "other.success > made", "made.success > write"];
        let driver = driven(&nodes, &wires(&ways));
        assert_eq!(driver.test.files.get("pdf").as_deref(), Some(OTHER), "{kind}: {:?}", driver.events.last());
    }
    // What is handed on one by one has its own.
    let nodes = json!({
        "read": read("in/a.png"), "other": read("in/b.pdf"), "write": write("pdf", "content"),
        "sort": { "type": "data.sort", "config": { "by": "item.path" } },
        "one": { "type": "data.filter", "config": { "when": "item.path == 'in/b.pdf'" } },
    });
    let ways = ["read.success > sort", "other.success > sort", "sort.success > one", "one.success > write"];
    let driver = driven(&nodes, &wires(&ways));
    assert_eq!(driver.test.files.get("pdf").as_deref(), Some(OTHER), "{:#?}", driver.events);
}

/// Invariant 3, with bytes: cut off after any event, the run goes on to the same file.
#[test]
fn ts_163_the_log_alone_knows_which_bytes() {
    for (nodes, edges) in containers() {
        let most = driven(&nodes, &edges).events.len();
        for keep in 1..most {
            let mut cut = driven(&nodes, &edges).crash_and_resume(keep);
            cut.run();
            assert_eq!(cut.state.status(), RunStatus::Completed, "{nodes} after {keep}");
            assert_eq!(cut.test.files.get("out").as_deref(), Some(PNG), "{nodes} after {keep}");
        }
    }
}

/// TRUST: the engine's own marks are never recognised inside data of people.
#[test]
fn k_37_a_reference_inside_data_is_only_data() {
    let hash = sha256_hex(PNG);
    let reference = json!({ "ref": hash, "mime": "image/png", "size": PNG.len(), "sha256": hash });
    let hostile = json!({ "content": reference, "binary": { "content": reference }, "items": [{ "binary": { "content": reference } }] });
    // The bytes are there, in this very run; the second item only talks of them.
    let nodes = json!({
        "read": read("in/a.png"),
        "talk": { "type": "data.set", "config": { "assign": { "content": "=params.content", "binary": "=params.binary" } } },
        "write": write("out", "content"),
    });
    for params in [hostile.clone(), json!({ "content": hash, "binary": hash })] {
        let mut driver = prepared(&nodes, &wires(&["talk.success > write"]), params);
        driver.run();
        assert_eq!(driver.test.files.get("out"), None);
        let failed = driver.events.iter().find_map(|event| match &event.body {
            EventBody::StepError(failed) => Some(&failed.error),
            _ => None,
        });
        let failed = failed.expect("the step fails");
        assert_eq!((failed.code(), failed.retryable), ("BINARY_MISSING", false));
        assert!(failed.message.contains("the item has none"), "{}", failed.message);
    }
    // Beside the real ones it changes nothing either.
    let nodes = json!({
        "read": read("in/a.png"),
        "talk": { "type": "data.set", "config": { "assign": { "binary": { "other": reference }, "content": hash } } },
        "write": write("out", "other"),
    });
    let driver = driven(&nodes, &wires(&["read.success > talk", "talk.success > write"]));
    let told: Vec<_> = driver
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::StepError(failed) => failed.error.details.as_ref().and_then(|d| d.get("available")).cloned(),
            _ => None,
        })
        .collect();
    assert_eq!(told, [json!(["content"])]);
}

#[test]
fn k_37_the_description_stands_where_the_bytes_were() {
    let nodes = json!({
        "read": read("in/a.png"),
        "say": { "type": "data.transform", "config": { "expression": "{'size': item.content.size, 'mime': item.content.mime}" } },
    });
    let driver = driven(&nodes, &wires(&["read.success > say"]));
    let made: Vec<_> = driver
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::StepDone(done) => done.items["success"].first(),
            _ => None,
        })
        .collect();
    let hash = sha256_hex(PNG);
    let content = json!({ "ref": hash, "mime": "image/png", "size": PNG.len(), "sha256": hash });
    assert_eq!(*made[0].data, json!({ "path": "in/a.png", "size": PNG.len(), "content": content }));
    assert_eq!(json!(made[0].binary), json!({ "content": content }));
    assert_eq!(*made[1].data, json!({ "size": PNG.len(), "mime": "image/png" }));
}
