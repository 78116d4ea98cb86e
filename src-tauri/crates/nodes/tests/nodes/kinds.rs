//! What the examples of the descriptors do not show: panics, time limits, whole batches, and odd settings.

use crate::common;

use common::{FakeHttp, answer, call, impatient_world, slot, world};
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use signalbox_engine::effect::{Call, CallOutput, CallSlot};
use signalbox_model::{Effects, ErrorType, NodeFailure, SuggestedAction};
use signalbox_nodes::{EffectFuture, Kind, kind, run_call, run_pure};
use signalbox_ports::{CallLog, HttpError, World};

type Outcome = Result<CallOutput, NodeFailure>;

fn pure(name: &str, config: Value, items: &[Value]) -> Outcome {
    match kind(name) {
        Some(Kind::Pure(code)) => run_pure(code, &slot(config, items)),
        _ => panic!("{name} is not pure"),
    }
}

fn list(output: &CallOutput, port: &str) -> Vec<Value> {
    output.ports.get(port).into_iter().flatten().map(|item| (*item.data).clone()).collect()
}

fn breaks(_slot: &CallSlot) -> Outcome {
    panic!("a fault in the code")
}

fn breaks_later<'a>(
    _call: &'a Call,
    _slot: &'a CallSlot,
    _world: &'a World,
    _log: &'a dyn CallLog,
) -> EffectFuture<'a> {
    Box::pin(async { panic!("a fault in the code") })
}

fn breaks_at_once<'a>(
    _call: &'a Call,
    _slot: &'a CallSlot,
    _world: &'a World,
    _log: &'a dyn CallLog,
) -> EffectFuture<'a> {
    panic!("a fault in the code")
}

fn never<'a>(_call: &'a Call, _slot: &'a CallSlot, _world: &'a World, _log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(std::future::pending())
}

fn no_http() -> std::sync::Arc<FakeHttp> {
    FakeHttp::new(|_| Err(HttpError::Connect { message: "closed".into() }))
}

#[test]
fn ts_028_a_panic_is_an_error_like_others() {
    let world = world(no_http());
    let call = call("x", Effects::Read, slot(json!({}), &[json!(1)]));
    for code in [Kind::Pure(breaks), Kind::Effect(breaks_later), Kind::Effect(breaks_at_once)] {
        let mut results =
            run_call(code, &call, &world, &signalbox_ports::Unheard).now_or_never().expect("nothing waits");
        let failure = results.remove(0).1.expect_err("it panicked");
        assert_eq!((failure.error_type, failure.code.as_str()), (ErrorType::UnknownError, "INTERNAL"));
        assert_eq!((failure.retryable, &failure.details["panic"]), (false, &json!("a fault in the code")));
    }
}

#[test]
fn ts_029_over_the_time_limit_is_a_retryable_timeout() {
    let mut call = call("x", Effects::Read, slot(json!({}), &[json!(1)]));
    call.timeout_ms = Some(1_500);
    let mut results = run_call(Kind::Effect(never), &call, &impatient_world(no_http()), &signalbox_ports::Unheard)
        .now_or_never()
        .expect("due");
    let failure = results.remove(0).1.expect_err("late");
    assert_eq!((failure.error_type, failure.code.as_str(), failure.retryable), (ErrorType::Timeout, "TIMEOUT", true));
    assert_eq!(failure.message, "The step did not finish within 1.5 s");
    assert!(failure.may_have_happened, "the engine asks only when the call may have changed something");
    call.timeout_ms = None;
    assert!(
        run_call(Kind::Effect(never), &call, &impatient_world(no_http()), &signalbox_ports::Unheard)
            .now_or_never()
            .is_none()
    );
}

#[test]
fn ts_164_if_over_four_items_keeps_their_order() {
    let config = json!({"condition": "item.n % 2 == 0"});
    let mut ways: [Vec<i64>; 2] = [Vec::new(), Vec::new()];
    for n in 1..=4 {
        let output = pure("flow.if", config.clone(), &[json!({ "n": n })]).expect("decided");
        assert_eq!(output.ports.len(), 1, "an item leaves by one port");
        ways[usize::from(output.ports.contains_key("true"))].push(n);
    }
    assert_eq!(ways, [vec![1, 3], vec![2, 4]]);
}

#[test]
fn in_mode_all_the_condition_is_asked_once_and_all_items_go_together() {
    let items = [json!({"n": 1}), json!({"n": 5})];
    let output = pure("flow.if", json!({"condition": "items.size() == 2 && item.n == 1"}), &items).expect("decided");
    assert_eq!(list(&output, "true"), items);
    assert_eq!(output.ports["true"].iter().map(|item| item.paired_item).collect::<Vec<_>>(), [Some(0), Some(1)]);
    let output = pure("data.filter", json!({"when": "false"}), &items).expect("decided");
    assert_eq!(list(&output, "rest"), items);
}

#[test]
fn a_switch_asks_in_order_and_stops_at_the_first_true_case() {
    let config = json!({"cases": [{"when": "item.n > 1", "port": "a"}, {"when": "item.missing", "port": "b"}]});
    assert!(pure("flow.switch", config.clone(), &[json!({"n": 2})]).expect("decided").ports.contains_key("a"));
    let failure = pure("flow.switch", config, &[json!({"n": 1})]).expect_err("the second case names nothing");
    assert_eq!((failure.code.as_str(), &failure.details["field"]), ("MISSING_FIELD", &json!("cases[1].when")));
}

#[test]
fn sort_knows_null_large_numbers_and_what_cannot_be_compared() {
    let sorted = |by: &str, items: &[Value]| pure("data.sort", json!({ "by": by }), items).map(|o| list(&o, "success"));
    assert_eq!(
        sorted("item", &[json!(2.5), json!(null), json!(-1), json!(2)]),
        Ok(vec![json!(null), json!(-1), json!(2), json!(2.5)])
    );
    let large = [json!(9_007_199_254_740_993_i64), json!(9_007_199_254_740_992_i64)];
    assert_eq!(sorted("item", &large), Ok(vec![large[1].clone(), large[0].clone()]));
    // An integer and a float that are as near as that have an order with every other number.
    let mixed = [json!(9_007_199_254_740_993_i64), json!(9_007_199_254_740_992.0), large[1].clone()];
    assert_eq!(sorted("item", &mixed), Ok(vec![mixed[1].clone(), mixed[2].clone(), mixed[0].clone()]));
    assert_eq!(sorted("item", &[]), Ok(Vec::new()));
    for items in [vec![json!(1), json!("a")], vec![json!(true), json!(1)], vec![json!({}), json!({})]] {
        assert_eq!(sorted("item", &items).expect_err("no order").code, "SCHEMA_MISMATCH");
    }
    let failure = sorted("item.n", &[json!({"n": 1}), json!({})]).expect_err("missing");
    assert_eq!((failure.code.as_str(), &failure.details["index"]), ("MISSING_FIELD", &json!(1)));
}

#[test]
fn set_makes_objects_on_the_way_and_says_what_is_in_it() {
    let set = |assign: Value, item: Value| {
        pure("data.set", json!({ "assign": assign }), &[item]).map(|o| list(&o, "success"))
    };
    assert_eq!(set(json!({"a.b.c": 1, "a.b.d": 2}), json!(null)), Ok(vec![json!({"a": {"b": {"c": 1, "d": 2}}})]));
    assert_eq!(set(json!({"a.b": 1}), json!({"a": null})), Ok(vec![json!({"a": {"b": 1}})]));
    assert_eq!(set(json!({"['odd key']": 1, "$.x": 2}), json!({})), Ok(vec![json!({"odd key": 1, "x": 2})]));
    assert_eq!(set(json!({"$": 7}), json!({})), Ok(vec![json!(7)]));
    for (assign, item, words) in [
        (json!({"a.b": 1}), json!({"a": 5}), "'b' cannot be put into a number"),
        (json!({"a[0]": 1}), json!({"a": {}}), "there is an object where a list is needed"),
        (json!({"a[1]": 1}), json!({"a": [0]}), "the list has 1 elements and no [1]"),
        (json!({"a..b": 1}), json!({}), "a name is missing"),
        (json!({"a": 1}), json!([1]), "Switch 'Keep the other fields' off"),
    ] {
        let failure = set(assign, item).expect_err(words);
        assert!(failure.code == "BAD_PATH" && failure.message.contains(words), "{}", failure.message);
    }
    let none = pure("data.set", json!({"assign": {"a": 1}}), &[]).expect("no items in mode all");
    assert_eq!(
        (list(&none, "success"), none.ports["success"].get(0).expect("one").paired_item),
        (vec![json!({"a": 1})], None)
    );
}

#[test]
fn fail_carries_the_words_of_its_author() {
    let config = json!({"error": {"type": "NetworkError", "message": "Later", "retryable": true, "details": {"code": "BUSY", "who": "x"}}});
    let failure = pure("flow.fail", config, &[]).expect_err("it fails");
    assert_eq!((failure.error_type, failure.code.as_str(), failure.retryable), (ErrorType::NetworkError, "BUSY", true));
    assert_eq!((failure.suggested_action, failure.details["who"].clone()), (Some(SuggestedAction::Retry), json!("x")));
    let wrong = pure("flow.fail", json!({"error": {"type": "Oops", "message": "x"}}), &[]).expect_err("wrong type");
    assert_eq!(wrong.code, "INPUT_INVALID");
}

#[test]
fn settings_of_the_wrong_type_say_so() {
    for (name, config) in [
        ("data.set", json!({"assign": 5})),
        ("data.set", json!({"assign": {}, "keep": "yes"})),
        ("data.transform", json!({"expression": 5})),
        ("data.transform", json!({})),
        ("data.sort", json!({"by": "item", "order": "up"})),
        ("data.parse", json!({"format": "ini", "from": "'x'"})),
        ("data.format", json!({"format": "ini"})),
        ("data.aggregate", json!({"into": 1})),
        ("flow.if", json!({"condition": true})),
        ("flow.switch", json!({"cases": {}})),
        ("flow.switch", json!({"cases": [{}]})),
        ("flow.fail", json!({})),
    ] {
        let failure = pure(name, config.clone(), &[json!({})]).expect_err(name);
        assert_eq!((failure.code.as_str(), failure.retryable), ("INPUT_INVALID", false), "{name} {config}");
        assert!(failure.message.starts_with("The setting '"), "{}", failure.message);
    }
}

#[test]
fn csv_in_one_call_for_all_items_is_one_table() {
    let orders = [json!({"id": 1, "name": "Ada"}), json!({"id": 2, "name": "Bo"})];
    let made = pure("data.format", json!({"format": "csv"}), &orders).expect("a table");
    assert_eq!(list(&made, "success"), [json!({"text": "id,name\n1,Ada\n2,Bo\n"})]);
}

#[test]
fn the_request_carries_the_rules_of_the_call() {
    let http = FakeHttp::new(|_| Ok(answer(200, &[("content-type", "application/json")], "{}")));
    let world = world(http.clone());
    let mut call =
        call("http.request", Effects::Write, slot(json!({"method": "POST", "url": "http://h/"}), &[json!({})]));
    call.loopback_allowed = false;
    let code = kind("http.request").expect("code");
    let results = run_call(code, &call, &world, &signalbox_ports::Unheard).now_or_never().expect("nothing waits");
    assert!(results[0].1.is_ok());
    let asked = http.asked.lock().expect("not poisoned");
    assert!(!asked[0].loopback_allowed);
    assert_eq!(asked[0].headers, [("Idempotency-Key".to_owned(), "key-1".to_owned())]);
    assert_eq!(asked[0].timeout.as_millis(), 30_000);
}
