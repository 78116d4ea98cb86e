//! Steps that work on lists: which item each item comes from, two lists from two wires, and that nothing is lost.

use crate::common::slot;
use proptest::prelude::*;
use serde_json::{Value, json};
use signalbox_engine::effect::{CallOutput, CallSlot, Source};
use signalbox_model::{Data, Item, Items, NodeFailure};
use signalbox_nodes::{Kind, kind, run_pure};
use std::sync::Arc;

fn run(name: &str, slot: &CallSlot) -> Result<CallOutput, NodeFailure> {
    match kind(name) {
        Some(Kind::Pure(code)) => run_pure(code, slot),
        _ => panic!("{name} is not pure"),
    }
}

fn paired(output: &CallOutput, port: &str) -> Vec<Option<usize>> {
    output.ports.get(port).into_iter().flatten().map(|item| item.paired_item).collect()
}

fn data(output: &CallOutput, port: &str) -> Vec<Value> {
    output.ports.get(port).into_iter().flatten().map(|item| (*item.data).clone()).collect()
}

/// Two wires into one step: the items of the first come first.
fn two(config: Value, first: &[Value], second: &[Value]) -> CallSlot {
    let all: Vec<Value> = first.iter().chain(second).cloned().collect();
    let mut slot = slot(config, &all);
    slot.sources = vec![
        Source { step: "orders".into(), items: first.len() },
        Source { step: "customers".into(), items: second.len() },
    ];
    slot
}

#[test]
fn an_item_knows_which_item_it_comes_from() {
    let items = [json!({ "id": 1, "c": "a" }), json!({ "id": 2, "c": "b" }), json!({ "id": 1, "c": "a" })];
    let made = run("data.dedupe", &slot(json!({ "by": ["id"] }), &items)).expect("made");
    assert_eq!((paired(&made, "success"), paired(&made, "duplicates")), (vec![Some(0), Some(1)], vec![Some(2)]));
    let made = run("data.limit", &slot(json!({ "count": 1, "from": "last" }), &items)).expect("made");
    assert_eq!((paired(&made, "success"), paired(&made, "rest")), (vec![Some(2)], vec![Some(0), Some(1)]));
    // Of several items a group comes from none in particular; of one, from that one.
    let made = run("data.group", &slot(json!({ "by": ["c"] }), &items)).expect("made");
    assert_eq!(paired(&made, "success"), [None, Some(1)]);
    let statistics = json!({ "statistics": [{ "what": "count" }] });
    assert_eq!(paired(&run("data.summarise", &slot(statistics, &items)).expect("made"), "success"), [None]);
    let rows = json!({ "rows": [1, 2] });
    let made = run("data.split", &slot(json!({ "field": "rows" }), &[rows])).expect("made");
    assert_eq!(paired(&made, "success"), [Some(0), Some(0)]);
}

#[test]
fn two_wires_are_two_lists() {
    let orders = [json!({ "order": 1, "customer": 7 }), json!({ "order": 2, "customer": 8 })];
    let customers = [json!({ "customer": "9", "name": "Eve" }), json!({ "customer": "7", "name": "Ada" })];
    let config = json!({ "keys": [{ "field": "customer" }] });
    let made = run("data.merge", &two(config.clone(), &orders, &customers)).expect("made");
    assert_eq!(data(&made, "success"), [json!({ "order": 1, "customer": 7, "name": "Ada" })]);
    assert_eq!(
        (paired(&made, "success"), paired(&made, "first"), paired(&made, "second")),
        (vec![Some(0)], vec![Some(1)], vec![Some(2)])
    );
    // The other way round, because a person says so.
    let mut named = config;
    named["second"] = json!("orders");
    let made = run("data.merge", &two(named, &orders, &customers)).expect("made");
    assert_eq!(
        (data(&made, "success"), paired(&made, "success")),
        (vec![json!({ "customer": "7", "name": "Ada", "order": 1 })], vec![Some(3)])
    );
}

#[test]
fn a_wire_without_items_is_an_empty_list() {
    let orders = [json!({ "id": 1 })];
    let made = run("data.merge", &two(json!({ "keys": [{ "field": "id" }] }), &orders, &[])).expect("made");
    assert_eq!((data(&made, "success"), data(&made, "first")), (vec![], vec![json!({ "id": 1 })]));
    let made = run("data.compare", &two(json!({ "keys": [{ "field": "id" }] }), &[], &orders)).expect("made");
    assert_eq!((data(&made, "added"), paired(&made, "added")), (vec![json!({ "id": 1 })], vec![Some(0)]));
}

#[test]
fn one_wire_is_told_to_be_too_few() {
    let mut lonely = slot(json!({ "keys": [{ "field": "id" }] }), &[json!({ "id": 1 })]);
    lonely.sources = vec![Source { step: "orders".into(), items: 1 }];
    let failure = run("data.compare", &lonely).expect_err("one list");
    assert_eq!(failure.code, "INPUT_INVALID");
    assert!(failure.message.contains("connect a second step"), "{}", failure.message);
}

#[test]
fn a_missing_field_is_named_with_its_item() {
    let items = [json!({ "id": 1 }), json!({ "nr": 2, "name": "x" })];
    for (kind, config) in [
        ("data.dedupe", json!({ "by": ["id"] })),
        ("data.group", json!({ "by": ["id"] })),
        ("data.summarise", json!({ "statistics": [{ "what": "sum", "field": "id" }] })),
    ] {
        let failure = run(kind, &slot(config, &items)).expect_err("no id");
        assert_eq!(failure.code, "MISSING_FIELD");
        assert_eq!(failure.message, "Item 2 has no field 'id'. It has: nr, name", "{kind}");
        assert_eq!((&failure.details["field"], &failure.details["index"]), (&json!("id"), &json!(1)));
    }
    // Item by item, the place is that of the item in the list.
    let mut third = slot(json!({ "fields": ["id"] }), &[json!({ "nr": 2 })]);
    third.item = 2;
    assert!(run("data.pick", &third).expect_err("no id").message.starts_with("Item 3 "));
}

#[test]
fn the_same_key_many_times_multiplies_and_keeps_the_order() {
    let (first, second) = (
        [json!({ "k": 1, "a": 1 }), json!({ "k": 1, "a": 2 })],
        [json!({ "k": 1, "b": 1 }), json!({ "k": 1, "b": 2 })],
    );
    let made = run("data.merge", &two(json!({ "keys": [{ "field": "k" }] }), &first, &second)).expect("made");
    let pairs: Vec<_> = data(&made, "success").iter().map(|item| (item["a"].clone(), item["b"].clone())).collect();
    assert_eq!(pairs, [(json!(1), json!(1)), (json!(1), json!(2)), (json!(2), json!(1)), (json!(2), json!(2))]);
    assert_eq!(paired(&made, "success"), [Some(0), Some(0), Some(1), Some(1)]);
}

/// Rows of long lists are looked up as texts, and what leaves is text again.
#[test]
fn rows_of_long_lists_stay_text() {
    let count = 2_500;
    let orders: Vec<Value> = (0..count).map(|n| json!({ "order": n, "customer": n % 1_250 })).collect();
    let customers: Vec<Value> =
        (0..count).rev().map(|n| json!({ "customer": n.to_string(), "name": format!("c{n}") })).collect();
    let config = json!({ "keys": [{ "field": "customer" }] });
    let made = run("data.merge", &two(config.clone(), &orders, &customers)).expect("made");
    let port =
        |made: &CallOutput, port: &str| made.ports.get(port).map_or((0, 0), |items| (items.len(), items.as_text()));
    assert_eq!(
        (port(&made, "success"), port(&made, "first"), port(&made, "second")),
        ((2_500, 2_000), (0, 0), (1_250, 1_000))
    );
    assert_eq!(data(&made, "success")[2_499], json!({ "order": 2_499, "customer": 1_249, "name": "c1249" }));
    assert_eq!(paired(&made, "second")[0], Some(2_500), "the last customer has no order");
    let changed: Vec<Value> = orders.iter().map(|one| json!({ "order": one["order"], "customer": 0 })).rev().collect();
    let config = json!({ "keys": [{ "field": "order" }] });
    let made = run("data.compare", &two(config, &orders[1..], &changed)).expect("made");
    let counts = ["added", "removed", "changed", "same"].map(|name| port(&made, name).0);
    assert_eq!(counts, [1, 0, 2_498, 1], "the order of customer 0 stays");
    assert_eq!(data(&made, "added"), [json!({ "order": 0, "customer": 0 })]);
    let made = run("data.sort", &slot(json!({ "by": "-item.order" }), &orders)).expect("made");
    assert_eq!((port(&made, "success"), paired(&made, "success")[0]), ((2_500, 2_000), Some(2_499)));
}

/// An item that is text gets the field in its text, in the place of one that has the name.
#[test]
fn a_field_is_written_into_the_text_of_an_item() {
    for (into, wanted) in [
        ("text", r#"{"rows":[{"a":"ü\"x"},{"a":2}],"b":1,"text":"a\n\"ü\"\"x\"\n2\n"}"#),
        ("b", r#"{"rows":[{"a":"ü\"x"},{"a":2}],"b":"a\n\"ü\"\"x\"\n2\n"}"#),
    ] {
        let mut slot = slot(json!({ "format": "csv", "from": "item.rows", "into": into }), &[]);
        let text = Data::written(r#"{"rows":[{"a":"ü\"x"},{"a":2}],"b":1}"#.to_owned());
        let mut items = Items::new();
        items.push_data(Item { id: "1".into(), ..Item::default() }, text.clone());
        (slot.input, slot.scope.item) = (Arc::new(items), text);
        let made = run("data.format", &slot).expect("made");
        let Some(Data::Text(text)) = made.ports["success"].kept(0) else { panic!("it is text") };
        assert_eq!(text.text(), wanted);
        assert_eq!(paired(&made, "success"), [Some(0)]);
    }
}

proptest! {
    #[test]
    fn no_item_is_lost_by_removing_duplicates_or_limiting(ids in prop::collection::vec(0_u8..6, 0..30), count in 0_u64..10, skip in 0_u64..10, last in any::<bool>()) {
        let items: Vec<Value> = ids.iter().enumerate().map(|(at, id)| json!({ "id": id, "at": at })).collect();
        let end = if last { "last" } else { "first" };
        for (kind, config, other) in [
            ("data.dedupe", json!({ "by": ["id"], "keep": end }), "duplicates"),
            ("data.limit", json!({ "count": count, "skip": skip, "from": end }), "rest"),
        ] {
            let made = run(kind, &slot(config, &items)).expect("made");
            let mut places: Vec<_> = paired(&made, "success").into_iter().chain(paired(&made, other)).flatten().collect();
            places.sort_unstable();
            prop_assert_eq!(places, (0..items.len()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_item_leaves_a_merge_somewhere(first in prop::collection::vec(0_u8..6, 0..12), second in prop::collection::vec(0_u8..6, 0..12), join in 0_usize..3) {
        let row = |id: &u8| json!({ "id": id });
        let (first, second): (Vec<_>, Vec<_>) = (first.iter().map(row).collect(), second.iter().map(row).collect());
        let how = ["inner", "left", "outer"][join];
        let config = json!({ "keys": [{ "field": "id" }], "join": how, "into": "other" });
        let made = run("data.merge", &two(config, &first, &second)).expect("made");
        let merged = data(&made, "success");
        let partners = merged.iter().filter(|item| item.get("other").is_some()).count();
        let pairs: usize = first.iter().map(|one| second.iter().filter(|other| *other == one).count()).sum();
        prop_assert_eq!(partners, pairs);
        let alone = |list: &[Value], others: &[Value]| list.iter().filter(|one| !others.contains(one)).count();
        let (only_first, only_second) = (alone(&first, &second), alone(&second, &first));
        let through = (data(&made, "first").len(), data(&made, "second").len(), merged.len() - pairs);
        prop_assert_eq!(through, match join { 0 => (only_first, only_second, 0), 1 => (0, only_second, only_first), _ => (0, 0, only_first + only_second) });
    }
}
