//! RFC 6902: what `diff` writes, what `apply` does and refuses.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use signalbox_engine::patch::{Operation, apply, diff};

fn operations(patch: Value) -> Vec<Operation> {
    serde_json::from_value(patch).expect("a patch")
}

#[track_caller]
fn differs(original: Value, fixed: Value, expected: Value) {
    let patch = diff(&original, &fixed);
    assert_eq!(serde_json::to_value(&patch).expect("JSON"), expected);
    assert_eq!(apply(&original, &patch).expect("applies"), fixed);
}

#[test]
fn k_25_a_difference_is_small_and_readable() {
    differs(json!({ "a": 1, "b": 2 }), json!({ "b": 2, "a": 1 }), json!([]));
    differs(
        json!({ "a": 1, "old": true, "deep": { "x": [1, 2] } }),
        json!({ "a": 2, "deep": { "x": [1, 3] }, "new": null }),
        json!([
            { "op": "replace", "path": "/a", "value": 2 },
            { "op": "remove", "path": "/old" },
            { "op": "replace", "path": "/deep/x/1", "value": 3 },
            { "op": "add", "path": "/new", "value": null }
        ]),
    );
    differs(
        json!([1, 2, 3, 4]),
        json!([1, 4]),
        json!([
            { "op": "remove", "path": "/2" }, { "op": "remove", "path": "/1" }
        ]),
    );
    differs(
        json!([1, 4]),
        json!([1, 2, 3, 4]),
        json!([
            { "op": "add", "path": "/1", "value": 2 }, { "op": "add", "path": "/2", "value": 3 }
        ]),
    );
    differs(
        json!([{ "a": 1, "b": 1 }, 7]),
        json!([{ "a": 2, "b": 1 }, 7]),
        json!([
            { "op": "replace", "path": "/0/a", "value": 2 }
        ]),
    );
    differs(json!("5"), json!(5), json!([{ "op": "replace", "path": "", "value": 5 }]));
    differs(json!(1), json!(1.0), json!([{ "op": "replace", "path": "", "value": 1.0 }]));
    differs(
        json!({ "a/b": { "~": 1 } }),
        json!({ "a/b": { "~": 2 } }),
        json!([
            { "op": "replace", "path": "/a~1b/~0", "value": 2 }
        ]),
    );
}

#[test]
fn all_six_operations_apply() {
    let done = apply(
        &json!({ "list": [1, 2], "name": "Ann", "": 0 }),
        &operations(json!([
            { "op": "test", "path": "/list/0", "value": 1.0 },
            { "op": "add", "path": "/list/-", "value": 3 },
            { "op": "add", "path": "/list/0", "value": 0 },
            { "op": "move", "from": "/name", "path": "/person" },
            { "op": "copy", "from": "/list/3", "path": "/last" },
            { "op": "replace", "path": "/person", "value": "Bob" },
            { "op": "remove", "path": "/" }
        ])),
    );
    assert_eq!(done, Ok(json!({ "list": [0, 1, 2, 3], "last": 3, "person": "Bob" })));
    let whole = apply(&json!(1), &operations(json!([{ "op": "add", "path": "", "value": { "a": [] } }])));
    assert_eq!(whole, Ok(json!({ "a": [] })));
}

#[test]
fn what_cannot_be_applied_says_where_and_why() {
    let value = json!({ "a": { "b": 1 }, "list": [1] });
    for (operation, reason) in [
        (json!({ "op": "remove", "path": "/x" }), "There is no `x`"),
        (json!({ "op": "replace", "path": "/a/c", "value": 1 }), "There is no `c`"),
        (json!({ "op": "add", "path": "/x/y", "value": 1 }), "There is no `x`"),
        (json!({ "op": "add", "path": "/list/2", "value": 1 }), "no place 2"),
        (json!({ "op": "remove", "path": "/list/1" }), "no place 1"),
        (json!({ "op": "replace", "path": "/list/01", "value": 1 }), "no index"),
        (json!({ "op": "remove", "path": "/list/-" }), "no index"),
        (json!({ "op": "add", "path": "/a/b/c", "value": 1 }), "into a number"),
        (json!({ "op": "remove", "path": "" }), "The whole"),
        (json!({ "op": "remove", "path": "a" }), "no JSON pointer"),
        (json!({ "op": "remove", "path": "/~2" }), "no JSON pointer"),
        (json!({ "op": "test", "path": "/a/b", "value": "1" }), "not the one"),
        (json!({ "op": "move", "from": "/a", "path": "/a/b/c" }), "into itself"),
    ] {
        let patch = operations(json!([{ "op": "test", "path": "/a/b", "value": 1 }, operation]));
        let error = apply(&value, &patch).expect_err("refused");
        assert_eq!(error.number, 2);
        assert!(error.to_string().contains(reason), "{error}");
    }
    for broken in [json!([{ "op": "add", "path": "/a" }]), json!([{ "op": "spin", "path": "/a" }])] {
        assert!(serde_json::from_value::<Vec<Operation>>(broken).is_err());
    }
}

#[test]
fn a_patch_cannot_blow_up() {
    let doubled = vec![Operation::Copy { from: String::new(), path: "/-".into() }; 60];
    assert!(apply(&json!([1]), &doubled).expect_err("bounded").reason.contains("copies more"));
    let nested = [
        Operation::Add { path: "/b".into(), value: json!({}) },
        Operation::Move { from: "/a".into(), path: "/b/a".into() },
        Operation::Move { from: "/b".into(), path: "/a".into() },
    ];
    let deep: Vec<Operation> = nested.iter().cycle().take(1_000).cloned().collect();
    assert!(apply(&json!({ "a": 1 }), &deep).expect_err("bounded").reason.contains("deeper"));
    let mut wide = Vec::new();
    for _ in 0..60 {
        wide.push(Operation::Copy { from: "/a".into(), path: "/b".into() });
        wide.push(Operation::Copy { from: "/a".into(), path: "/c".into() });
        wide.push(Operation::Replace { path: "/a".into(), value: json!([]) });
        wide.push(Operation::Move { from: "/b".into(), path: "/a/-".into() });
        wide.push(Operation::Move { from: "/c".into(), path: "/a/-".into() });
    }
    assert!(apply(&json!({ "a": 1 }), &wide).expect_err("bounded").reason.contains("copies more"));
}

/// Arbitrary JSON, small alphabet of names so that members meet.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..4).prop_map(Value::from),
        (-4_i32..4).prop_map(|n| Value::from(f64::from(n) / 2.0)),
        "[a-c/~]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec(("[a-c/~]{0,2}", inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #[test]
    fn a_patch_makes_the_second_out_of_the_first(a in any_json(), b in any_json()) {
        let patch = diff(&a, &b);
        prop_assert_eq!(apply(&a, &patch), Ok(b));
        let text = serde_json::to_string(&patch).expect("JSON");
        prop_assert_eq!(serde_json::from_str::<Vec<Operation>>(&text).expect("reads back"), patch);
    }

    #[test]
    fn no_difference_no_operation(a in any_json()) {
        prop_assert_eq!(diff(&a, &a), vec![]);
    }
}
