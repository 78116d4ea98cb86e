//! Runs that become tests: what is recorded, what is proposed, what is refused.

use crate::support::{CATALOG, compile, kinds, messages, orders, read, workflow};
use serde_json::{Value, json};
use signalbox_engine::Compiled;
use signalbox_engine::rerun::{Original, Overrides, plan};
use signalbox_model::{RunEvent, Workflow};
use signalbox_simulate::check::{propose, simulate};
use signalbox_simulate::record::record;
use signalbox_simulate::test_file::{FILE_LIMIT, RerunStart};
use signalbox_simulate::{TestFile, run_test};
use std::sync::Arc;

/// Events of a run in a world of mocks.
fn events(compiled: &Arc<Compiled>, world: &str) -> Vec<RunEvent> {
    let mut events = simulate(&read(world), compiled, kinds()).events;
    // As they come from a store.
    for event in &mut events {
        *event = serde_json::from_value(serde_json::to_value(&*event).expect("json")).expect("an event");
    }
    events
}

/// Records a run and runs the test that was written and read again.
fn saved(flow: &Workflow, world: &str) -> (TestFile, Vec<String>) {
    let compiled = compile(flow.clone());
    let events = events(&compiled, world);
    let recorded = record("Saved", "orders.signalbox.json", &events, &[flow], &CATALOG, &|_| None);
    let recorded = recorded.unwrap_or_else(|error| panic!("{error:?}"));
    let (mut test, mut notes) = (recorded.test, recorded.notes);
    notes.extend(propose(&mut test, &events, &compiled, kinds()));
    let again = TestFile::read(&test.write().expect("written")).expect("read");
    assert_eq!(again, test);
    let result = run_test(&again, &compiled, kinds());
    assert!(result.passed, "{:#?}\n{}", result.differences, test.write().expect("written"));
    (test, notes)
}

#[test]
fn a_run_with_retries_and_an_error_path() {
    let world = "mocks:
- { step: fetch, call: 1, afterMs: 120, error: { code: RATE_LIMIT, retryAfterMs: 5000 } }
- { step: fetch, afterMs: 80, output: { success: [ { response: { amount: 101 } } ] } }
- { step: pay, afterMs: 30, error: { code: AUTH, message: 'Status 401', details: { status: 401 } } }
";
    let (test, notes) = saved(&orders(), world);
    assert_eq!(notes, Vec::<String>::new());
    let shape: Vec<(&str, Option<u32>, i64)> =
        test.calls.iter().map(|call| (call.step.as_str(), call.attempt, call.after_ms)).collect();
    assert_eq!(shape, [("fetch", None, 120), ("fetch", Some(1), 80), ("pay", None, 30)]);
    assert_eq!(test.calls[0].error.as_ref().map(|error| error.retry_after_ms), Some(Some(5000)));
    let expect = &test.expect;
    assert_eq!(expect.output, Some(vec![json!({ "problem": "AUTH" })]));
    assert_eq!(expect.ports["check"]["true"], 1);
    assert_eq!(expect.not_called, ["small", "done"]);
    assert_eq!(expect.steps["pay"], "ERROR_HANDLED");
}

#[test]
fn a_run_with_people_a_hold_and_a_correction() {
    let mut flow = orders();
    flow.edges.retain(|edge| edge.from.as_str() != "pay.error");
    flow.nodes.shift_remove("told");
    let world = "mocks:
- { step: fetch, output: { success: [ { response: { amount: 101 } } ] } }
- { step: pay, call: 1, error: { code: INPUT_INVALID } }
- { step: pay, output: { success: [ { ok: true } ] } }
people:
- { step: pay, afterMs: 1000, action: hold }
- { step: pay, afterMs: 90000, action: continue }
- { step: pay, afterMs: 100000, action: correct, input: { response: { amount: 7 } }, notes: typo, by: 'user:ada' }
";
    let (test, notes) = saved(&flow, world);
    assert_eq!(notes, Vec::<String>::new());
    let acts: Vec<(&str, i64)> = test.people.iter().map(|act| (act.action.as_str(), act.after_ms)).collect();
    assert_eq!(acts, [("hold", 1000), ("continue", 90_000), ("correct", 100_000)]);
    assert_eq!(test.calls[2].visit, Some(2));
}

#[test]
fn a_run_over_items_and_in_a_loop() {
    let nodes = json!({
        "list": { "type": "data.transform", "mode": "all", "config": { "expression": "[{'n': 1}, {'n': 2}, {'n': 3}]", "split": true } },
        "get": { "type": "http.request", "config": { "url": "https://example.org/{{item.n}}" } },
        "each": { "type": "flow.loop", "config": { "source": "=items" } },
        "put": { "type": "http.request", "parent": "each", "config": { "method": "PUT", "url": "https://example.org/put" } },
    });
    let flow = workflow(&nodes, &[("list.success", "get"), ("get.success", "each")]);
    let world = "mocks:
- { step: get, item: 1, error: { code: HTTP_STATUS }, afterMs: 7 }
- { step: get, output: { success: [ { got: true } ] }, afterMs: 9 }
- { step: put, path: 'each[1]', afterMs: 3, error: { code: CONNECTION } }
- { step: put, output: { success: [ { put: true } ] } }
people: [ { step: get, action: skip }, { step: put, path: 'each[1]', action: skip } ]
";
    let (test, _) = saved(&flow, world);
    assert!(test.calls.iter().any(|call| call.step == "get" && call.item == Some(2)), "{:#?}", test.calls);
    assert!(test.calls.iter().any(|call| call.path.as_deref() == Some("each[2]")), "{:#?}", test.calls);
}

#[test]
fn a_run_with_a_crash_a_cancelled_one_and_one_that_waits() {
    let (test, _) = saved(
        &orders(),
        "mocks:
- { step: fetch, call: 1, crash: true, afterMs: 11 }
- { step: fetch, output: { success: [ { response: { amount: 1 } } ] } }
",
    );
    assert!(test.calls[0].crash && test.calls[0].after_ms == 11, "{:#?}", test.calls);
    let (test, _) = saved(&orders(), "cancelAfterMs: 500\nmocks: [ { step: fetch, never: true } ]\n");
    assert_eq!((test.cancel_after_ms, test.calls[0].never), (Some(500), true));
    assert_eq!(test.expect.status.as_deref(), Some("cancelled"));
    let mut flow = orders();
    flow.edges.retain(|edge| edge.from.as_str() != "pay.error");
    flow.nodes.shift_remove("told");
    let (test, _) = saved(
        &flow,
        "expect: { status: paused }\nmocks:
- { step: fetch, output: { success: [ { response: { amount: 500 } } ] } }
- { step: pay, error: { code: AUTH } }
",
    );
    assert_eq!(test.expect.status.as_deref(), Some("paused"));
}

/// Answers that the test file has in place of hidden values are told with their place.
#[test]
fn hidden_values_are_named() {
    let (_, notes) = saved(
        &orders(),
        "params: { token: '•••1•' }\nmocks:
- { step: fetch, output: { success: [ { response: { amount: 1, mail: 'to •••2•' } } ] } }
",
    );
    let wanted =
        "Hidden values are saved as masks: params/token; the answer of 'fetch'/output/success/0/response/mail.";
    assert!(notes[0].starts_with(wanted), "{notes:?}");
}

#[test]
fn what_a_test_cannot_repeat_is_refused() {
    let compiled = compile(orders());
    let world = "mocks: [ { step: fetch, output: { success: [ { response: { amount: 1 } } ] } } ]\n";
    let whole = events(&compiled, world);
    let refused =
        |events: &[RunEvent]| record("T", "w", events, &[], &CATALOG, &|_| None).expect_err("refused").message;
    assert_eq!(refused(&[]), "The run has no events.");
    assert_eq!(refused(&whole[..3]), "The run has not ended.");
    let mut edited = whole.clone();
    let edit: Value = json!({ "runId": "r", "seq": 3, "ts": "2026-01-05T09:00:00.000Z", "type": "input_edited", "stepId": "check",
        "payload": { "operatorId": "user:a", "items": [] , "patch": []} });
    if let Ok(edit) = serde_json::from_value::<RunEvent>(edit) {
        edited.insert(3, edit);
        assert_eq!(refused(&edited), "The input of 'check' was changed in the debugger.");
    }
    // A test that could not be read again is not written.
    let mut large = read("");
    large.params.insert("rows".to_owned(), "x".repeat(FILE_LIMIT).into());
    let error = large.write().expect_err("too large");
    assert!(error.message.contains("it may have 16 MiB"), "{error}");
}

/// A re-run from `check` with other data than the original had there: what was fetched before is kept, and not fetched again.
fn rerun_from_check(flow: &Workflow) -> (TestFile, Vec<String>) {
    let compiled = compile(flow.clone());
    let world = "params: { token: '•••1•' }\nmocks:
- { step: fetch, output: { success: [ { response: { amount: 250, mail: 'to •••2•' } } ] } }
- { step: pay, error: { code: AUTH } }
";
    let whole = events(&compiled, world);
    let input = Some(vec![json!({ "response": { "amount": 120 } })]);
    let plan = plan(Original { compiled: &compiled, events: &whole }, &compiled, "check").expect("a plan");
    let made = plan.with(&compiled, Overrides { input, ..Overrides::default() }).expect("a re-run");
    let mut world = read("mocks: [ { step: pay, afterMs: 40, output: { success: [ { ok: true } ] } } ]\n");
    world.params = (*made.params).as_object().cloned().unwrap_or_default();
    world.context = made.context;
    world.rerun = Some(RerunStart { from: made.from, base: Box::new(made.base) });
    let again = simulate(&world, &compiled, kinds()).events;
    let recorded = record("Saved", "orders.signalbox.json", &again, &[flow], &CATALOG, &|_| None).expect("recorded");
    let (mut test, mut notes) = (recorded.test, recorded.notes);
    notes.extend(propose(&mut test, &again, &compiled, kinds()));
    (TestFile::read(&test.write().expect("written")).expect("read"), notes)
}

#[test]
fn the_kept_part_of_a_re_run_is_the_recording_of_its_test() {
    let (test, notes) = rerun_from_check(&orders());
    let called: Vec<(&str, i64)> = test.calls.iter().map(|call| (call.step.as_str(), call.after_ms)).collect();
    assert_eq!(called, [("pay", 40)]);
    assert_eq!(test.rerun.as_ref().map(|rerun| rerun.from.as_str()), Some("check"));
    assert_eq!(test.expect.output, Some(vec![json!({ "paid": true })]));
    assert!(notes[0].contains("params/token; the results that were kept/events/"), "{notes:?}");
    assert!(!test.is_healthy(), "a proof begins at the beginning");
    let result = run_test(&test, &compile(orders()), kinds());
    assert!(result.passed, "{:#?}", result.differences);
    // The value of the earlier step is the kept one: `pay` reads it by name.
    let mut asserted = test.clone();
    asserted.expect.assertions.push("calls.pay[0].config.body.amount == 250".to_owned());
    let result = run_test(&asserted, &compile(orders()), kinds());
    assert!(result.passed, "{:#?}", result.differences);
}

#[test]
fn a_kept_part_that_no_longer_fits_is_told_step_by_step() {
    let (test, _) = rerun_from_check(&orders());
    let mut flow = orders();
    flow.nodes["fetch"].kind = "data.set".to_owned();
    flow.nodes["fetch"].config = Some(json!({ "assign": { "response": { "amount": 1 } } }));
    let result = run_test(&test, &compile(flow), kinds());
    let wanted = "'fetch' was a step of the kind http.request and is one of data.set now. Save the test again.";
    assert!(messages(&result).contains(&wanted), "{:#?}", messages(&result));
    let mut flow = orders();
    let fetch = flow.nodes.shift_remove("fetch").expect("there");
    flow.nodes.insert("fetched".to_owned(), fetch);
    let pay = flow.nodes["pay"].config.take().map(|config| config.to_string().replace("nodes.fetch", "nodes.fetched"));
    flow.nodes["pay"].config = pay.and_then(|config| serde_json::from_str(&config).ok());
    flow.edges[0] = serde_json::from_value(json!({ "from": "fetched.success", "to": "check" })).expect("an edge");
    let result = run_test(&test, &compile(flow), kinds());
    let found = messages(&result);
    assert!(!result.passed && found[0] == "The workflow has no step 'fetch' any more.", "{found:#?}");
    assert!(!found.iter().any(|one| one.contains("fault of the program")), "{found:#?}");
}

/// A later definition is tested with the same answers.
#[test]
fn a_changed_workflow_fails_its_test_readably() {
    let (test, _) = saved(
        &orders(),
        "mocks:
- { step: fetch, output: { success: [ { response: { amount: 250 } } ] } }
- { step: pay, output: { success: [ { ok: true } ] } }
",
    );
    let mut flow = orders();
    flow.nodes["check"].config = Some(json!({ "condition": "item.response.amount > 300" }));
    let result = run_test(&test, &compile(flow), kinds());
    let found = messages(&result);
    assert!(found.contains(&"output/0/paid: expected true, got false."), "{found:#?}");
    assert!(found.contains(&"'check' ports/false: expected 0, got 1."), "{found:#?}");
    assert!(found.contains(&"'small' calls: expected 0, got 1."), "{found:#?}");
    assert!(result.notes.iter().any(|note| note.contains("'pay' was not called this way")), "{:#?}", result.notes);
}

/// A step that adds its result to its item: the recorded answer is the result, and the item is what comes before it now.
#[test]
fn a_recorded_result_is_added_to_the_item_that_comes_now() {
    let nodes = json!({
        "price": { "type": "data.set", "config": { "assign": { "net": 8 }, "keep": false } },
        "tell": { "type": "http.request", "config": { "url": "https://example.org/tell", "keepInput": true } },
    });
    let flow = workflow(&nodes, &[("price.success", "tell")]);
    let (test, _) =
        saved(&flow, "mocks: [ { step: tell, output: { success: [ { net: 8, result: { ok: true } } ] } } ]\n");
    let mut changed = flow.clone();
    changed.nodes["price"].config = Some(json!({ "assign": { "net": 9 }, "keep": false }));
    let result = run_test(&test, &compile(changed), kinds());
    assert_eq!(messages(&result), ["output/0/net: expected 8, got 9."]);
    // The name of the result is taken now: the call would be refused, and is here.
    let mut taken = flow;
    taken.nodes["price"].config = Some(json!({ "assign": { "result": 1 }, "keep": false }));
    let result = run_test(&test, &compile(taken), kinds());
    assert!(result.notes.iter().any(|note| note.contains("INPUT_INVALID")) || !result.passed, "{result:#?}");
}

/// A healer asks a model, whose proposal is recorded and not asked for again.
#[test]
fn a_repair_by_a_model_is_recorded() {
    let schema = json!({ "type": "object", "required": ["amount"], "properties": { "amount": { "type": "integer" } } });
    let nodes = json!({
        "pay": { "type": "http.request", "config": { "method": "PUT", "url": "https://example.org/pay" } },
        "heal": { "type": "builtin.self_healing", "config": { "strategy": "llm", "validationSchema": schema } },
    });
    let flow = workflow(&nodes, &[("pay.error", "heal"), ("heal.success", "pay")]);
    let world = "params: { amount: many }
mocks:
- { step: pay, call: 1, error: { code: INPUT_INVALID } }
- { step: pay, output: { success: [ { ok: true } ] } }
- { step: heal, output: { success: [ { amount: 7 } ] } }
";
    let (test, _) = saved(&flow, world);
    let healed = test.calls.iter().find(|call| call.step == "heal").expect("recorded");
    assert_eq!(healed.output.as_ref().map(|output| output["success"][0].clone()), Some(json!({ "amount": 7 })));
}
