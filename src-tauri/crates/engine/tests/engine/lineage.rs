//! `paired('step')`: the item of an earlier step that an item descends from (ADR 107).

use crate::driver::{World, compile, told};
use proptest::prelude::*;
use serde_json::{Value, json};
use signalbox_engine::rerun::{Original, Overrides, plan};
use signalbox_engine::{Compiled, expr, fold, snapshot};
use signalbox_model::{Code, ErrorType, EventBody, NodeFailure, RunStatus};
use std::collections::BTreeSet;

const fn fine(_: &str, _: usize, _: u32) -> Option<NodeFailure> {
    None
}

fn flow(nodes: Value, edges: &[(&str, &str)]) -> Compiled {
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    compile(json!({
        "signalbox": 1, "id": "w", "name": "w", "settings": { "errorPolicy": "fail" }, "nodes": nodes, "edges": edges,
    }))
}

/// A step that looks at the item of `step` it comes from, or says why there is none.
fn asks(step: &str) -> Value {
    json!({ "type": "t.pass", "config": { "url": format!("=string(paired('{step}').n)") } })
}

/// For each item of a step, in order: what it asked for, or the code of its error.
fn answers(world: &World<'_>, step: &str) -> Vec<String> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for event in world.events.iter().filter(|event| event.step_id.as_deref() == Some(step)) {
        match &event.body {
            EventBody::StepStart(start) => {
                for input in &*start.input {
                    let own = start.configs.as_ref().and_then(|all| all.get(&input.item)).unwrap_or(&start.config);
                    if let Some(asked) = own["url"].as_str() {
                        found.push((input.item, asked.to_owned()));
                    }
                }
            }
            EventBody::StepError(failed) => {
                let code = failed.error.details.as_ref().and_then(|details| details["code"].as_str());
                found.push((event.item.unwrap_or(0), code.unwrap_or_default().to_owned()));
            }
            _ => {}
        }
    }
    found.sort_by_key(|(item, _)| *item);
    found.into_iter().map(|(_, answer)| answer).collect()
}

fn ran(compiled: &Compiled) -> World<'_> {
    World::ran(compiled, &fine, 1, json!({}))
}

#[test]
fn an_item_knows_the_order_it_came_from_through_filters_splits_sorts_and_calls() {
    let compiled = flow(
        json!({ "orders": { "type": "t.orders" }, "keep": { "type": "t.split" }, "call": { "type": "t.read" },
                "lines": { "type": "t.twice" }, "sort": { "type": "t.turn" }, "last": asks("orders") }),
        &[
            ("orders.success", "keep"),
            ("keep.true", "call"),
            ("call.success", "lines"),
            ("lines.success", "sort"),
            ("sort.success", "last"),
        ],
    );
    let world = ran(&compiled);
    // Of the orders 0, 1 and 2 the filter keeps 0 and 2; each has two lines; the last comes first.
    assert_eq!(answers(&world, "last"), ["2", "2", "0", "0"]);
    // A snapshot and the events alone hold all that it takes.
    let restored = snapshot::decode(&compiled, &snapshot::encode(&compiled, &world.state)).expect("decodes");
    assert_eq!(restored, world.state);
}

#[test]
fn what_is_made_of_several_is_ambiguous_and_says_what_to_choose() {
    let compiled = flow(
        json!({ "orders": { "type": "t.orders" }, "sum": { "type": "t.sum" }, "last": asks("orders") }),
        &[("orders.success", "sum"), ("sum.success", "last")],
    );
    let mut world = World::new(&compiled, &fine, 1);
    world.start(json!({}));
    world.run_to_end();
    assert_eq!(world.state.status(), RunStatus::Failed);
    assert_eq!(answers(&world, "last"), ["PAIRED_AMBIGUOUS"]);
    let error = serde_json::to_string(&world.events).expect("writes");
    assert!(error.contains("nodes.orders.items"), "{error}");
}

#[test]
fn what_is_made_of_all_lines_of_one_order_comes_from_that_order() {
    let compiled = flow(
        json!({ "orders1": { "type": "t.orders" }, "lines": { "type": "t.twice" }, "sum": { "type": "t.sum" }, "last": asks("orders1") }),
        &[("orders1.success", "lines"), ("lines.success", "sum"), ("sum.success", "last")],
    );
    assert_eq!(answers(&ran(&compiled), "last"), ["0"]);
}

#[test]
fn an_item_of_another_branch_has_none() {
    let compiled = flow(
        json!({ "orders": { "type": "t.orders" }, "other2": { "type": "t.orders" }, "join": { "type": "t.all" }, "last": asks("orders"), "sink": { "type": "t.pass" } }),
        &[("orders.success", "join"), ("other2.success", "join"), ("join.success", "last"), ("last.error", "sink")],
    );
    let mut world = World::new(&compiled, &fine, 1);
    world.start(json!({}));
    world.run_to_end();
    assert_eq!(answers(&world, "last"), ["0", "1", "2", "PAIRED_MISSING", "PAIRED_MISSING"]);
}

#[test]
fn an_item_is_followed_through_skipped_steps_error_ports_and_retries() {
    let down = |step: &str, item: usize, attempt: u32| {
        let fails = step == "call" && (item == 1 || (item == 2 && attempt == 0));
        fails.then(|| NodeFailure::new(ErrorType::NetworkError, "DOWN", "it is down").retryable())
    };
    let retry = json!({ "retryPolicy": { "maxAttempts": 1, "initialDelayMs": 10 } });
    let compiled = flow(
        json!({ "orders": { "type": "t.orders" }, "off": { "type": "t.turn", "disabled": true },
                "call": { "type": "t.read", "errorHandling": retry }, "good": asks("orders"), "bad": asks("orders") }),
        &[("orders.success", "off"), ("off.success", "call"), ("call.success", "good"), ("call.error", "bad")],
    );
    let world = World::ran(&compiled, &down, 3, json!({}));
    assert_eq!(answers(&world, "good"), ["0", "2"], "{:#?}", told(&world.events));
    assert_eq!(answers(&world, "bad"), ["1"]);
}

#[test]
fn in_a_loop_the_item_of_the_iteration_leads_out_of_it() {
    let compiled = flow(
        json!({ "orders": { "type": "t.orders" }, "each": { "type": "t.loop" },
                "lines": { "type": "t.twice", "parent": "each" }, "last": { "type": "t.pass", "parent": "each", "config": { "url": "=string(paired('orders').n)" } },
                "after": asks("orders") }),
        &[("orders.success", "each"), ("lines.success", "last"), ("each.success", "after")],
    );
    let world = ran(&compiled);
    let asked: Vec<String> = world
        .events
        .iter()
        .filter(|event| event.step_id.as_deref() == Some("last"))
        .filter_map(|event| match &event.body {
            EventBody::StepStart(start) => {
                Some(format!("{} {}", event.path.as_deref().unwrap_or(""), start.config["url"].as_str()?))
            }
            _ => None,
        })
        .collect();
    let expected: BTreeSet<String> = (0..3).map(|n| format!("each[{n}] {n}")).collect();
    assert_eq!(asked.into_iter().collect::<BTreeSet<_>>(), expected);
    assert_eq!(answers(&world, "after"), ["0", "1", "2"]);
}

#[test]
fn a_rerun_from_a_step_still_knows_where_its_items_came_from() {
    let compiled = flow(
        json!({ "orders": { "type": "t.orders" }, "call": { "type": "t.read" }, "last": asks("orders") }),
        &[("orders.success", "call"), ("call.success", "last")],
    );
    let first = ran(&compiled);
    let original = Original { compiled: &compiled, events: &first.events };
    let made = plan(original, &compiled, "last").expect("a plan").with(&compiled, Overrides::default()).expect("fits");
    let mut world = World::again(&compiled, &fine, 1, made);
    world.run_to_end();
    assert_eq!(answers(&world, "last"), ["0", "1", "2"]);
}

#[test]
fn the_step_is_written_in_quotes_and_must_run_before() {
    let file = |url: &str| {
        json!({ "signalbox": 1, "id": "w", "name": "w", "edges": [],
            "nodes": { "one": { "type": "t.pass" }, "two": { "type": "t.pass", "config": { "url": url } } } })
    };
    let told = |url: &str| {
        let checked =
            signalbox_engine::validate::check_bytes(file(url).to_string().as_bytes(), &crate::driver::catalog());
        serde_json::to_string(&checked.diagnostics).expect("writes")
    };
    assert!(told("=paired(item.step).n").contains("CEL_SYNTAX"));
    assert!(told("=paired('one').n").contains("NOT_AN_ANCESTOR"));
    assert!(told("=paired('three').n").contains("UNKNOWN_NAME"));
}

#[test]
fn a_step_for_each_item_is_offered_the_item_it_came_from_and_never_the_first_of_a_list() {
    let mut scope = crate::expr::scope();
    scope.paired = Some(std::sync::Arc::new(
        [("my-id".to_owned(), Ok(json!({ "order": { "id": 7 } }).into()))].into_iter().collect(),
    ));
    let labels = |each| expr::completions(&scope, each).into_iter().map(|one| one.label).collect::<Vec<_>>();
    assert!(labels(true).contains(&"paired('my-id').order.id".to_owned()));
    assert!(!labels(true).iter().any(|label| label.contains("items[0]")), "{:?}", labels(true));
    assert!(labels(false).iter().any(|label| label.contains("items[0]")));
    assert!(!labels(false).iter().any(|label| label.starts_with("paired")));
}

#[test]
fn a_reference_that_is_the_same_for_all_items_is_a_warning_with_a_fix() {
    let told = |config: Value, between: &str| {
        let file = json!({ "signalbox": 1, "id": "w", "name": "w",
            "nodes": { "orders": { "type": "data.split", "config": { "field": "orders" } }, "between": { "type": between, "config": {} },
                       "ask": { "type": "data.set", "config": { "assign": config } } },
            "edges": [{ "from": "orders.success", "to": "between" }, { "from": "between.success", "to": "ask" }] });
        let kind = |name: &str, modes: Value| {
            serde_json::from_value(
                json!({ "type": name, "version": 1, "title": name, "description": name, "category": "data",
                "icon": "box", "modes": modes, "effects": "none", "ports": [{ "id": "success" }, { "id": "error" }],
                "config": { "type": "object" } }),
            )
            .expect("a kind")
        };
        let catalog = signalbox_engine::Catalog::new(vec![
            kind("data.split", json!(["each"])),
            kind("data.set", json!(["each"])),
            kind("data.aggregate", json!(["all"])),
            kind("data.sort", json!(["all"])),
        ]);
        let checked = signalbox_engine::validate::check_bytes(file.to_string().as_bytes(), &catalog);
        let found: Vec<_> = checked.diagnostics.into_iter().filter(|one| one.code == Code::SameForAllItems).collect();
        found.into_iter().map(|one| (one.path, one.fix.map(|fix| fix.value))).collect::<Vec<_>>()
    };
    let at = || "/nodes/ask/config/assign/id".to_owned();
    assert_eq!(
        told(json!({ "id": "=nodes.orders.items[0].id" }), "data.sort"),
        [(at(), Some(json!("=paired('orders').id")))]
    );
    // It is told, and how it is written is left to the person.
    assert_eq!(told(json!({ "id": "=nodes['orders'].output[2].id" }), "data.sort"), [(at(), None)]);
    assert_eq!(
        told(json!({ "id": "{{ items[0].id }} of {{ size(items) }}" }), "data.sort"),
        [(at(), Some(json!("{{ item.id }} of {{ size(items) }}")))]
    );
    // One item arrives, all of them are asked for, or the item itself.
    assert_eq!(told(json!({ "id": "=nodes.orders.items[0].id" }), "data.aggregate"), []);
    assert_eq!(told(json!({ "id": "=size(nodes.orders.items) + item.n" }), "data.sort"), []);
}

/// Kinds of a chain: filter, split, sort, aggregate, a step for each item.
const CHAIN: [&str; 5] = ["t.split", "t.twice", "t.turn", "t.sum", "t.pass"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every item carries the orders that it was made of: one gives that order, several are ambiguous.
    #[test]
    fn over_random_chains_an_item_gets_its_own_order_or_an_error(
        kinds in prop::collection::vec(0_usize..5, 0..7),
        orders in 1_usize..7,
        order in any::<u64>(),
    ) {
        let first = format!("orders{orders}");
        let mut nodes = serde_json::Map::new();
        nodes.insert(first.clone(), json!({ "type": "t.orders" }));
        let mut edges = Vec::new();
        let mut last = (first.clone(), "success");
        for (place, kind) in kinds.iter().enumerate() {
            let id = format!("s{place}");
            nodes.insert(id.clone(), json!({ "type": CHAIN[*kind] }));
            edges.push((format!("{}.{}", last.0, last.1), id.clone()));
            last = (id, if CHAIN[*kind] == "t.split" { "true" } else { "success" });
        }
        nodes.insert("last".into(), asks(&first));
        nodes.insert("sink".into(), json!({ "type": "t.pass" }));
        edges.push((format!("{}.{}", last.0, last.1), "last".into()));
        edges.push(("last.error".into(), "sink".into()));
        let edges: Vec<(&str, &str)> = edges.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
        let compiled = crate::driver::parted(flow(Value::Object(nodes), &edges), order);
        let mut world = World::new(&compiled, &fine, order);
        world.start(json!({}));
        world.run_to_end();
        let mut expected = Vec::new();
        for event in world.events.iter().filter(|event| event.step_id.as_deref() == Some("last")) {
            if let EventBody::StepStart(start) = &event.body {
                for input in &*start.input {
                    let data = input.data.value();
                    let from = data["from"].as_array().expect("its orders");
                    let one = from.len() == 1;
                    expected.push((input.item, if one { from[0].to_string() } else { "PAIRED_AMBIGUOUS".into() }));
                }
            }
        }
        expected.sort_by_key(|(item, _)| *item);
        let expected: Vec<String> = expected.into_iter().map(|(_, answer)| answer).collect();
        prop_assert_eq!(answers(&world, "last"), expected, "{:#?}", told(&world.events));
        // The events alone give the same state.
        let mut folded = signalbox_engine::RunState::new(&compiled, "run", None);
        for event in &world.events {
            fold(&compiled, &mut folded, event).expect("folds");
        }
        prop_assert_eq!(&folded, &world.state);
    }
}
