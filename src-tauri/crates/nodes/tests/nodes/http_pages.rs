//! Answers as items: lists, their pages, and forms that are lists.

use crate::common::{FakeHttp, answer, call, slot, world};
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use signalbox_model::{Effects, NodeFailure};
use signalbox_nodes::{kind, run_call};
use signalbox_ports::{HttpRequest, HttpResponse};
use std::sync::Arc;

/// Items, and the addresses that were asked.
fn run(
    config: Value,
    answers: impl Fn(&HttpRequest) -> HttpResponse + Send + Sync + 'static,
) -> (Result<Vec<Value>, NodeFailure>, Vec<String>) {
    let http = FakeHttp::new(move |request| Ok(answers(request)));
    let world = world(Arc::clone(&http));
    let call = call("http.request", Effects::Read, slot(config, &[json!({})]));
    let code = kind("http.request").expect("is there");
    let mut results = run_call(code, &call, &world, &signalbox_ports::Unheard).now_or_never().expect("nothing waits");
    let (_, outcome) = results.pop().expect("one slot");
    let items = outcome.map(|output| {
        let items = output.ports.get("success").map(|items| items.iter().map(|one| (*one.data).clone()).collect());
        items.unwrap_or_default()
    });
    let asked = http.asked.lock().expect("not poisoned").iter().map(|request| request.url.clone()).collect();
    (items, asked)
}

fn list(ids: &[u64], more: Value) -> HttpResponse {
    let rows: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
    answer(200, &[("content-type", "application/json")], &json!({ "rows": rows, "next": more }).to_string())
}

fn ids(items: Result<Vec<Value>, NodeFailure>) -> Vec<u64> {
    items.expect("items").iter().filter_map(|item| item["id"].as_u64()).collect()
}

#[test]
fn each_way_to_the_next_page_is_followed_to_the_end_or_the_limit() {
    let base = "https://api.example.org/rows";
    let by = |pages: Value| json!({ "url": base, "query": { "q": "a b" }, "items": "$.rows", "pages": pages });
    let cursor = |request: &HttpRequest| match request.url.contains("after=c%2F1") {
        true => list(&[3], Value::Null),
        false => list(&[1, 2], json!("c/1")),
    };
    let (items, asked) = run(by(json!({ "kind": "cursor", "parameter": "after", "field": "$.next" })), cursor);
    assert_eq!(ids(items), [1, 2, 3]);
    assert_eq!(asked, [format!("{base}?q=a+b"), format!("{base}?q=a+b&after=c%2F1")]);
    let (items, asked) = run(by(json!({ "kind": "nextUrl", "field": "$.next" })), |request| {
        if request.url.ends_with("?page=2") { list(&[3], Value::Null) } else { list(&[1, 2], json!("/rows?page=2")) }
    });
    assert_eq!((ids(items), asked.len()), (vec![1, 2, 3], 2));
    let counted = |name: &'static str, ends: [&'static str; 2]| {
        move |request: &HttpRequest| {
            let asks = |end: &str| request.url.ends_with(&format!("{name}={end}"));
            if asks(ends[0]) {
                list(&[3], Value::Null)
            } else if asks(ends[1]) {
                list(&[], Value::Null)
            } else {
                list(&[1, 2], Value::Null)
            }
        }
    };
    let (items, asked) = run(by(json!({ "kind": "page", "parameter": "p" })), counted("p", ["2", "3"]));
    assert_eq!((ids(items), asked.len()), (vec![1, 2, 3], 3));
    let (items, asked) = run(by(json!({ "kind": "offset", "parameter": "from" })), counted("from", ["2", "3"]));
    assert_eq!((ids(items), asked.len()), (vec![1, 2, 3], 3));
    let mut limited = by(json!({ "kind": "offset", "parameter": "from" }));
    limited["limit"] = json!(2);
    let (items, asked) = run(limited, counted("from", ["2", "3"]));
    assert_eq!((ids(items), asked.len()), (vec![1, 2], 1));
}

#[test]
fn a_page_does_not_lead_to_another_host_or_in_circles() {
    let config = json!({ "url": "https://api.example.org/rows", "items": "$.rows", "pages": { "kind": "nextUrl", "field": "$.next" } });
    let (items, asked) = run(config.clone(), |_| list(&[1], json!("https://evil.example.com/rows")));
    assert_eq!((items.expect_err("refused").code.as_str(), asked.len()), ("NEXT_PAGE_REFUSED", 1));
    let (items, _) = run(config.clone(), |_| list(&[1], json!("/rows")));
    assert_eq!(items.expect_err("a circle").code, "PAGE_LOOP");
    let mut wrong = config.clone();
    wrong["items"] = json!("$.data");
    let (items, _) = run(wrong, |_| list(&[1], Value::Null));
    let failure = items.expect_err("no list");
    assert!(failure.code == "BAD_PATH" && failure.message.contains("rows"), "{failure:?}");
    let (items, asked) =
        run(json!({ "url": "https://api.example.org/", "pages": { "kind": "link" } }), |_| list(&[1], Value::Null));
    assert_eq!((items.expect_err("no list").details["field"].clone(), asked.len()), (json!("items"), 0));
}

#[test]
fn tables_lines_and_events_are_lists() {
    let read = |form: &str, items: Value, text: &'static str| {
        let mut config = json!({ "url": "https://api.example.org/", "responseType": form });
        config["items"] = items;
        run(config, move |_| answer(200, &[("content-type", "text/plain; charset=utf-8")], text)).0
    };
    assert_eq!(read("csv", json!("$"), "id;name\n1;Ada\n").expect("rows"), [json!({ "id": "1", "name": "Ada" })]);
    assert_eq!(
        read("lines", json!("$"), "{\"id\":1}\n\n{\"id\":2}").expect("rows"),
        [json!({ "id": 1 }), json!({ "id": 2 })]
    );
    let events = read("events", Value::Null, "data: {\"a\":1}\n\n").expect("one answer");
    assert_eq!(events[0]["response"], json!([{ "event": "message", "id": null, "data": { "a": 1 } }]));
    let failure = read("lines", json!("$"), "{\"id\":1}\n{\"id\":").expect_err("cut");
    assert!(failure.code == "NON_JSON" && failure.message.contains("Line 2"), "{failure:?}");
}

/// Lines are items as they come; who wants few is not told of the others.
#[test]
fn lines_end_at_the_limit_and_wrong_ones_say_where() {
    let lines = |text: &'static str, limit: u64| {
        let config =
            json!({ "url": "https://api.example.org/", "responseType": "lines", "items": "$", "limit": limit });
        run(config, move |_| answer(200, &[("content-type", "application/x-ndjson")], text)).0
    };
    assert_eq!(ids(lines("{\"id\":1}\r\n\n{\"id\":2}\nno JSON\n", 1)), [1], "what follows is not read");
    let wrong = lines("{\"id\":1}\n{\"id\":2}\nno JSON\n", 5).expect_err("no JSON");
    assert!(wrong.code == "NON_JSON" && wrong.message.contains("Line 3 of the answer"), "{wrong:?}");
    let long = lines("{\"id\":123456789012345678901234567890.5}\n", 5).expect_err("digits would be lost");
    assert_eq!(long.code, "NUMBER_TOO_LONG");
}

/// A long JSON answer is not made into values: its elements, and the answer as a whole, are the same as those of a short one.
#[test]
fn a_long_answer_is_the_same_as_text() {
    let rows: Vec<u64> = (0..30_000).collect();
    let config = |more: Value| {
        let mut config = json!({ "url": "https://api.example.org/", "limit": 25_000 });
        config.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        config
    };
    let long = move |_: &HttpRequest| list(&rows, Value::Null);
    let (items, asked) = run(config(json!({ "items": "$.rows" })), long.clone());
    assert_eq!((ids(items), asked.len()), ((0..25_000).collect(), 1));
    let (failure, _) = run(config(json!({ "items": "$.data" })), long.clone());
    let failure = failure.expect_err("no list");
    assert!(failure.code == "BAD_PATH" && failure.message.contains("rows"), "{failure:?}");
    let (whole, _) = run(json!({ "url": "https://api.example.org/" }), long);
    let whole = whole.expect("one item");
    let keys: Vec<_> = whole[0].as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["status", "headers", "response"]);
    assert_eq!((&whole[0]["status"], &whole[0]["response"]["rows"][29_999]), (&json!(200), &json!({ "id": 29_999 })));
    let broken = |_: &HttpRequest| answer(200, &[("content-type", "application/json")], &"[1,".repeat(100_000));
    let (failure, _) = run(config(json!({ "items": "$" })), broken);
    assert_eq!(failure.expect_err("no JSON").code, "NON_JSON");
}
