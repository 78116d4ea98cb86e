use super::{patch_before, step_of};
use crate::dto::Correction;
use crate::runs::replay::correction::Rule;
use serde_json::{Value, json};

fn step(correction: Value) -> Option<(&'static str, Value)> {
    let correction: Correction = serde_json::from_value(correction).expect("a correction");
    step_of(&Rule::of(&correction, |_| Ok(vec![json!({ "a": 1 })])).expect("a rule"))
}

#[test]
fn a_rule_becomes_a_step_where_one_can_do_the_same() {
    assert_eq!(
        step(
            json!({ "patch": [{ "op": "test", "path": "/a", "value": 1 }, { "op": "replace", "path": "/rows/0/id", "value": "=item.n" }] })
        ),
        Some(("data.set", json!({ "assign": { "rows[0].id": "=item.n" } })))
    );
    assert_eq!(
        step(json!({ "edited": { "failure": 1, "input": [{ "a": 2 }] } })),
        Some(("data.set", json!({ "assign": { "a": 2 } })))
    );
    assert_eq!(
        step(json!({ "expression": "{'a': 1}" })),
        Some(("data.transform", json!({ "expression": "{'a': 1}" })))
    );
    for none in [
        json!({}),
        json!({ "patch": [{ "op": "remove", "path": "/a" }] }),
        json!({ "patch": [{ "op": "replace", "path": "/a b", "value": 1 }] }),
        json!({ "edited": { "failure": 1, "input": [{ "a": "=danger" }] } }),
    ] {
        assert_eq!(step(none.clone()), None, "{none}");
    }
}

#[test]
fn the_step_stands_on_every_connection_to_the_failed_one() {
    let document = json!({
        "nodes": { "a": {}, "x": {}, "b": {}, "b_input": {} },
        "edges": [{ "from": "a.success", "to": "b" }, { "from": "x.error", "to": "b" }, { "from": "b.success", "to": "x" }],
    });
    let (id, patch) =
        patch_before(&document, "b", "Correct", "data.set", &json!({ "assign": { "n": 1 } })).expect("a patch");
    assert_eq!(id, "b_input_2");
    assert_eq!(patch.len(), 6);
    assert_eq!(patch[5], json!({ "op": "connect", "from": "b_input_2.success", "to": "b" }));
    assert_eq!(patch_before(&document, "a", "Correct", "data.set", &json!({})), None, "nothing leads to it");
    assert_eq!(patch_before(&document, "gone", "Correct", "data.set", &json!({})), None);
}
