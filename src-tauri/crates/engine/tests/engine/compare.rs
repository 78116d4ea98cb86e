//! Two runs beside each other: steps at their paths, places where values differ, what definitions do differently.

use crate::driver::{World, compile};
use serde_json::{Value, json};
use signalbox_engine::compare::{Change, Difference, Follow, Stand, definitions, differences};
use signalbox_engine::{Compiled, summary};
use signalbox_model::{NodeFailure, NodeState};
use std::collections::BTreeMap;

fn looped(on_child_error: &str) -> Value {
    json!({ "signalbox": 1, "id": "w", "name": "w", "settings": { "errorPolicy": "fail" },
        "nodes": {
            "l": { "type": "t.loop", "config": { "source": "=params.list", "onChildError": on_child_error } },
            "b": { "type": "t.read", "parent": "l" },
            "c": { "type": "t.pass", "parent": "l" },
            "after": { "type": "t.all" } },
        "edges": [{ "from": "b.success", "to": "c" }, { "from": "l.success", "to": "after" }] })
}

fn stands(compiled: &Compiled, world: &World<'_>) -> BTreeMap<String, Stand> {
    let mut follow = Follow::new(compiled, "run");
    world.events.iter().for_each(|event| follow.take(event).expect("it folds"));
    follow.stands()
}

#[test]
fn every_iteration_has_its_own_line_and_together_they_are_the_summary() {
    for (mode, fails) in [("collect_errors", false), ("fail_fast", true)] {
        let compiled = compile(looped(mode));
        let script = |node: &str, _: usize, _: u32| (fails && node == "l[1]/b").then(|| NodeFailure::tool("X", "no"));
        let world = World::ran(&compiled, &script, 1, json!({ "list": [1, 2, 3] }));
        let all = stands(&compiled, &world);
        let told = summary::of(&compiled, &world.state);
        for (step, sum) in &told.steps {
            let own = |name: &&String| name.rsplit('/').next() == Some(step.as_str());
            let lines: Vec<&Stand> = all.iter().filter(|(name, _)| own(name)).map(|(_, stand)| stand).collect();
            assert_eq!(lines.iter().map(|stand| stand.visits).sum::<u32>(), sum.visits, "{mode} {step}");
            assert_eq!(lines.iter().map(|stand| stand.calls).sum::<u32>(), sum.attempts, "{mode} {step}");
            assert_eq!(lines.iter().map(|stand| stand.state).max(), Some(sum.state), "{mode} {step}");
        }
        let states = |index: usize| all.get(&format!("l[{index}]/b")).map(|stand| stand.state);
        let well = Some(NodeState::Succeeded);
        let wanted = if fails { [well, Some(NodeState::Failed), None] } else { [well; 3] };
        assert_eq!([0, 1, 2].map(states), wanted, "{mode}");
        assert!(!all.contains_key("b"), "what is in a container stands at its paths only");
    }
}

fn places(a: Value, b: Value) -> Vec<(String, Option<Value>, Option<Value>)> {
    let (found, more) = differences(Some(&a), Some(&b), 100);
    assert_eq!(more, 0);
    found.into_iter().map(|Difference { pointer, a, b }| (pointer, a, b)).collect()
}

#[test]
fn values_differ_where_they_differ() {
    assert_eq!(places(json!({ "x": 1, "y": [1, { "z": 2 }] }), json!({ "y": [1, { "z": 2 }], "x": 1 })), []);
    let (a, b) = (json!({ "a/b": 1, "gone": null, "l": [1, 2, 3] }), json!({ "a/b": 2, "l": [1, 3], "new": [] }));
    assert_eq!(
        places(a, b),
        [
            ("/a~1b".to_owned(), Some(json!(1)), Some(json!(2))),
            ("/gone".to_owned(), Some(Value::Null), None),
            ("/l/1".to_owned(), Some(json!(2)), None),
            ("/new".to_owned(), None, Some(json!([]))),
        ]
    );
    let (found, more) = differences(Some(&json!([1, 2, 3, 4])), Some(&json!([5, 6, 7, 8])), 1);
    assert_eq!((found.len(), more), (1, 3));
    assert_eq!(differences(None, None, 5).0, []);
    assert_eq!(differences(Some(&Value::Null), None, 5).0.len(), 1, "null is something");
}

#[test]
fn an_error_is_the_same_in_another_run_at_another_time() {
    let error = |run: &str, at: &str, message: &str| {
        json!({ "list": [{ "type": "ToolError", "message": message, "retryable": false, "originNode": "x",
            "originRunId": run, "timestamp": at }] })
    };
    assert_eq!(
        places(error("r1", "2026-01-01T00:00:00.000Z", "no"), error("r2", "2026-01-02T00:00:00.000Z", "no")),
        []
    );
    let found = places(error("r1", "2026-01-01T00:00:00.000Z", "no"), error("r2", "2026-01-02T00:00:00.000Z", "off"));
    assert_eq!(found.iter().map(|(pointer, ..)| pointer.as_str()).collect::<Vec<_>>(), ["/list/0/message"]);
    // Data of one's own that has a time differs.
    assert_eq!(places(json!({ "timestamp": 1 }), json!({ "timestamp": 2 })).len(), 1);
}

#[test]
fn definitions_differ_in_what_they_do() {
    let before = looped("fail_fast");
    let mut now = looped("fail_fast");
    now["name"] = json!("another name");
    now["nodes"]["b"]["title"] = json!("Read");
    assert_eq!(definitions(&compile(before.clone()), &compile(now.clone())).steps, [], "names do not matter");
    now["nodes"]["l"]["config"]["onChildError"] = json!("collect_errors");
    now["nodes"].as_object_mut().expect("nodes").shift_remove("after");
    now["nodes"]["end"] = json!({ "type": "t.all" });
    now["edges"][1]["to"] = json!("end");
    now["settings"] = json!({ "errorPolicy": "safe" });
    let found = definitions(&compile(before), &compile(now));
    let named = |(id, change): &(String, Change)| (id.clone(), *change);
    assert_eq!(
        found.steps.iter().map(named).collect::<Vec<_>>(),
        [("l".into(), Change::Changed), ("after".into(), Change::Removed), ("end".into(), Change::Added)]
    );
    assert_eq!(found.parts, ["settings"]);
}

#[test]
fn steps_with_equal_names_are_told_apart_by_a_number_as_on_the_canvas() {
    let noop = |title: &str| json!({ "type": "t.pass", "title": title });
    let compiled = compile(json!({
        "signalbox": 1, "id": "w", "name": "w",
        "nodes": { "a": noop("Ask"), "b": noop("Ask"), "c": noop("Ask 2"), "d": noop("Ask"), "e": noop("Other") },
        "edges": [{ "from": "a.success", "to": "b" }]
    }));
    let names: Vec<_> = ["a", "b", "c", "d", "e", "f"].map(|id| compiled.name_of(None, id)).into();
    let wanted = [Some("Ask"), Some("Ask 3"), Some("Ask 2"), Some("Ask 4"), Some("Other"), None];
    assert_eq!(names, wanted.map(|name| name.map(str::to_owned)));
}
