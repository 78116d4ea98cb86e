//! Steps over items that are text (ADR 95) put out what they put out over their values, to the byte.

use crate::common::slot;
use serde_json::{Value, json};
use signalbox_engine::effect::{CallOutput, CallSlot};
use signalbox_model::{Data, Item, Items, NodeFailure};
use signalbox_nodes::Kind;
use std::sync::Arc;

fn pure(kind: &str, slot: &CallSlot) -> Result<CallOutput, NodeFailure> {
    match signalbox_nodes::kind(kind) {
        Some(Kind::Pure(code)) => signalbox_nodes::run_pure(code, slot),
        _ => panic!("{kind} is a kind without effects"),
    }
}

/// The same slot with its data as text.
fn as_text(mut slot: CallSlot) -> CallSlot {
    let mut items = Items::new();
    for index in 0..slot.input.len() {
        let (item, data) = slot.input.piece(index).expect("an item");
        items.push_data(item, Data::written(data.value().to_string()));
    }
    slot.scope.items = Arc::new((0..items.len()).filter_map(|index| items.kept(index)).collect());
    slot.scope.item = items.kept(0).unwrap_or_default();
    slot.scope.data = slot.scope.item.clone();
    slot.input = Arc::new(items);
    slot
}

fn told(output: &CallOutput) -> String {
    serde_json::to_string(&output.ports).expect("text")
}

/// What a step says over values, after it said the same over text.
fn same(kind: &str, config: &Value, items: &[Value]) -> String {
    let run = |slot: &CallSlot| match pure(kind, slot) {
        Ok(output) => told(&output),
        Err(failure) => format!("{} {} {:?}", failure.code, failure.message, failure.details),
    };
    let plain = slot(config.clone(), items);
    let over_values = run(&plain);
    assert_eq!(run(&as_text(plain)), over_values, "{kind} {config}");
    over_values
}

fn table(rows: usize) -> Value {
    let row = |n: usize| json!({ "id": n, "na\"me": format!("\\ {n} é"), "amount": (n * 7 % 1_000) as f64 / 8.0, "big": u64::MAX });
    json!({ "b": 1, "rows": (0..rows).map(row).collect::<Vec<_>>(), "a\n": null })
}

#[test]
fn members_of_a_text_are_set_in_their_places() {
    let items = [table(3)];
    let told = same("data.set", &json!({ "assign": { "b": "x\"", "new": [1, 2.0], "['a\\n']": { "c": 1 } } }), &items);
    assert!(told.contains(r#"{"b":"x\"","rows":[{"id":0"#) && told.contains(r#""new":[1,2.0]"#), "{told}");
    for assign in [
        json!({ "b.c": 1 }),
        json!({ "rows[1].id": 7 }),
        json!({ "rows[9].id": 7 }),
        json!({ "b": 1, "['b']": 2 }),
        json!({ "x..y": 1 }),
        json!({}),
    ] {
        same("data.set", &json!({ "assign": assign }), &items);
        same("data.set", &json!({ "assign": assign, "keep": false }), &items);
    }
    for other in [json!(null), json!([1]), json!("x"), json!({})] {
        same("data.set", &json!({ "assign": { "b": 1 } }), &[other]);
    }
}

#[test]
fn rows_of_a_text_are_split_selected_kept_and_sorted() {
    let items = [table(2_100)];
    let split = same("data.transform", &json!({ "expression": "item.rows", "split": true }), &items);
    assert!(
        split.contains(r#"{"id":"2100","data":{"id":2099,"na\"me":"\\ 2099 é""#),
        "{}",
        &split[split.len() - 300..]
    );
    for expression in [
        "item.rows",
        "item",
        "item.rows[7]",
        "item.rows.filter(r, r.amount > 5.0).size()",
        "item.none",
        "item.rows[2100]",
    ] {
        same("data.transform", &json!({ "expression": expression }), &items);
        same("data.transform", &json!({ "expression": expression, "split": true }), &items);
    }
    same("data.filter", &json!({ "when": "item.rows.size() > 3" }), &items);
    let table = table(4_000);
    let rows = table["rows"].as_array().expect("rows");
    for (by, order) in [("item.amount", "asc"), ("item['na\"me']", "desc"), ("item.none", "asc"), ("item", "asc")] {
        same("data.sort", &json!({ "by": by, "order": order }), rows);
    }
    let all = same("data.aggregate", &json!({ "into": "al\"l" }), rows);
    assert!(all.contains(r#""data":{"al\"l":[{"id":0,"na\"me""#), "{}", &all[..200]);
    same("data.aggregate", &json!({}), &rows[..3]);
}

/// Counted, not timed: elements share the text of their table, and take a few bytes each.
#[test]
fn elements_of_a_table_share_its_text() {
    let split = as_text(slot(json!({ "expression": "item.rows", "split": true }), &[table(3_000)]));
    let output = pure("data.transform", &split).expect("items");
    let items = &output.ports["success"];
    let Some((Item { id, .. }, Data::Text(first))) = items.piece(2_000) else { panic!("it is text") };
    let Some(Data::Text(whole)) = split.input.kept(0) else { panic!("it is text") };
    assert_eq!(id, "2001");
    assert!(first.shares(&whole), "no copy was made");
    // A small part of a large text does not keep it.
    let few = as_text(slot(
        json!({ "expression": "item.few", "split": true }),
        &[json!({ "few": [[1], [2]], "rows": table(3_000) })],
    ));
    let output = pure("data.transform", &few).expect("items");
    let Some(Data::Text(whole)) = few.input.kept(0) else { panic!("it is text") };
    assert!(!matches!(output.ports["success"].kept(0), Some(Data::Text(part)) if part.shares(&whole)));
}
