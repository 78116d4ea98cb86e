//! `trigger.poll` against a server of the test, with the clock of the test.

use super::*;
use proptest::prelude::*;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Mutex, PoisonError};

/// A source whose list the test changes.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) address: String,
    /// Status and body of the next answers.
    answer: Arc<Mutex<(u16, String)>>,
    /// Request lines and headers, in order.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Source {
    pub(super) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listens");
        let address = format!("http://{}/items", listener.local_addr().expect("has one"));
        let source = Self { address, answer: Arc::new(Mutex::new((200, "[]".into()))), asked: Arc::default() };
        let (answer, asked) = (Arc::clone(&source.answer), Arc::clone(&source.asked));
        // It ends with the process of the test.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let lines = BufReader::new(stream.try_clone().expect("clones")).lines();
                let head: Vec<String> = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
                asked.lock().unwrap_or_else(PoisonError::into_inner).push(head.join("\n"));
                let (status, body) = answer.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let told = format!(
                    "HTTP/1.1 {status} Told\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                stream.write_all(told.as_bytes()).ok();
            }
        });
        source
    }

    pub(super) fn lists(&self, ids: &[i64]) {
        let items: Vec<Value> = ids.iter().map(|id| json!({ "id": id, "name": format!("item {id}") })).collect();
        self.tells(200, &json!(items));
    }

    pub(super) fn tells(&self, status: u16, body: &Value) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = (status, body.to_string());
    }

    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn polling(source: &Source, mut config: Value) -> Value {
    let all = config.as_object_mut().expect("an object");
    for (name, value) in [("every", json!(MINUTE)), ("url", json!(source.address)), ("key", json!("item.id"))] {
        all.entry(name).or_insert(value);
    }
    json!({
        "signalbox": 1, "id": "daily", "name": "Items",
        "nodes": { "t": { "type": "trigger.poll", "config": config }, "a": { "type": "flow.noop" } },
        "edges": [{ "from": "t.success", "to": "a" }],
    })
}

impl Place {
    /// Asks the source, and deals with the answer.
    pub(super) fn polls(&mut self, after: i64) {
        self.at(after);
        self.scheduler.hear_sources(self.app.trigger_host());
        self.at(after);
    }

    /// The ids of each run's items, in the order of the runs.
    pub(super) fn batches(&self) -> Vec<Vec<i64>> {
        let mut rows = self.app.store.trigger_firings("daily.t", 10_000).expect("reads");
        rows.sort_by_key(|row| row.fired_ms);
        let runs = rows.into_iter().filter_map(|row| row.run);
        runs.map(|run| self.whole_output(&run).iter().filter_map(|item| item["id"].as_i64()).collect()).collect()
    }

    pub(super) fn source_problem(&self) -> Option<String> {
        self.app.store.trigger("daily.t").expect("reads").expect("is active").problem
    }
}

#[test]
fn items_that_were_not_there_before_start_one_run() {
    let source = Source::new();
    let mut place = place();
    source.lists(&[1, 2]);
    place.ok(polling(&source, json!({})));
    place.polls(0);
    assert!(place.batches().is_empty(), "what is there the first time is left out");
    source.lists(&[1, 2, 3, 4, 3]);
    place.at(MINUTE / 2);
    assert_eq!(source.asked().len(), 1, "its time has not come");
    place.polls(2 * MINUTE);
    assert_eq!(place.batches(), [vec![3, 4]]);
    // As after a crash: another scheduler with the lock of the dead one.
    place.scheduler = Scheduler::default();
    place.polls(3 * MINUTE);
    source.lists(&[2, 5, 1]);
    place.polls(5 * MINUTE);
    assert_eq!(place.batches(), [vec![3, 4], vec![5]]);
    let list = place.app.trigger_list(None).expect("reads");
    assert_eq!((list[0].next.len(), list[0].problem.as_ref()), (5, None));
}

#[test]
fn what_is_there_the_first_time_is_taken_when_it_was_chosen_and_a_pause_loses_nothing() {
    let source = Source::new();
    let mut place = place();
    source.lists(&[1]);
    place.ok(polling(&source, json!({ "existing": "process" })));
    place.polls(0);
    assert_eq!(place.batches(), [vec![1]]);
    place.app.deactivate(&Caller::here(), "daily").expect("is off");
    source.lists(&[1, 2]);
    // Another interval is the same source.
    place.ok(polling(&source, json!({ "every": 2 * MINUTE })));
    place.polls(10 * MINUTE);
    assert_eq!(place.batches(), [vec![1], vec![2]]);
    // Other keys begin anew.
    place.ok(polling(&source, json!({ "key": "item.name" })));
    place.polls(20 * MINUTE);
    assert_eq!(place.batches().len(), 2);
}

#[test]
fn a_cursor_is_asked_with_and_kept_with_the_run() {
    let source = Source::new();
    let mut place = place();
    source.tells(200, &json!({ "orders": [{ "id": 1, "at": "2026-01-01" }, { "id": 2, "at": "2026-03-01" }] }));
    let config = json!({
        "items": "item.response.orders", "cursor": "item.at", "existing": "process",
        "query": { "since": "=item.cursor" }, "headers": { "X-Shop": "lamps" },
    });
    place.ok(polling(&source, config));
    place.polls(0);
    source.tells(200, &json!({ "orders": [{ "id": 3, "at": "2026-02-01" }] }));
    place.polls(2 * MINUTE);
    place.scheduler = Scheduler::default();
    place.polls(4 * MINUTE);
    let asked = source.asked();
    assert!(asked[0].starts_with("GET /items HTTP/1.1"), "nothing is known the first time: {}", asked[0]);
    assert!(asked[0].to_ascii_lowercase().contains("x-shop: lamps"), "{}", asked[0]);
    assert!(asked[1].starts_with("GET /items?since=2026-03-01 "), "{}", asked[1]);
    assert!(asked[2].starts_with("GET /items?since=2026-03-01 "), "an earlier one does not move it: {}", asked[2]);
    assert_eq!(place.batches(), [vec![1, 2], vec![3]]);
}

#[test]
fn a_source_that_fails_is_told_and_asked_again_less_and_less_often() {
    let source = Source::new();
    let mut place = place();
    source.lists(&[1]);
    place.ok(polling(&source, json!({})));
    place.polls(0);
    source.tells(500, &json!({ "wrong": true }));
    place.polls(2 * MINUTE);
    assert!(place.source_problem().is_some_and(|problem| problem.contains("500")), "{:?}", place.source_problem());
    let asked = source.asked().len();
    place.polls(2 * MINUTE + 14_000);
    assert_eq!(source.asked().len(), asked, "15 s have not passed");
    place.polls(2 * MINUTE + 15_000);
    place.polls(2 * MINUTE + 44_000);
    assert_eq!(source.asked().len(), asked + 1, "30 s have not passed");
    for minute in [4, 6, 9] {
        assert!(place.app.failures().expect("reads").is_empty());
        place.polls(minute * MINUTE);
    }
    let told: Vec<_> = place.app.store.failure_notices(0).expect("reads");
    assert_eq!(
        told.iter().map(|one| (one.workflow.as_str(), one.run.as_deref())).collect::<Vec<_>>(),
        [("daily", None)]
    );
    source.lists(&[1, 2]);
    place.polls(40 * MINUTE);
    assert_eq!((place.source_problem(), place.batches()), (None, vec![vec![2]]));
}

#[test]
fn answers_that_cannot_be_used_say_what_is_wrong() {
    for (config, answer, told) in [
        (json!({}), json!({ "orders": [] }), "Say in Items where the list is"),
        (json!({}), json!([{ "id": 1 }, { "name": "no id" }]), "Item 1 of the source"),
        (json!({}), json!([{ "id": null }]), "its key is no text, number or list"),
        (json!({ "items": "item.response.orders" }), json!({}), "orders"),
    ] {
        let source = Source::new();
        let mut place = place();
        source.tells(200, &answer);
        place.ok(polling(&source, config));
        place.polls(0);
        let problem = place.source_problem().expect("a problem");
        assert!(problem.contains(told), "{problem}");
    }
}

#[test]
fn settings_that_cannot_work_are_told_before() {
    let source = Source::new();
    let place = place();
    let code = |config: Value| {
        let error = place.activate(polling(&source, config)).expect_err("cannot be activated");
        let first = error.details.expect("says why")["diagnostics"][0].clone();
        (first["code"].as_str().unwrap_or_default().to_owned(), first["path"].as_str().unwrap_or_default().to_owned())
    };
    let at = |code: &str, path: &str| (code.to_owned(), format!("/nodes/t/config/{path}"));
    assert_eq!(code(json!({ "key": "item.(" })), at("CEL_SYNTAX", "key"));
    assert_eq!(code(json!({ "every": 500 })), at("BAD_CONFIG", "every"));
    assert_eq!(code(json!({ "existing": "all" })), at("BAD_CONFIG", "existing"));
    assert_eq!(code(json!({ "url": "" })), at("BAD_CONFIG", "url"));
    assert_eq!(code(json!({ "credential": "secret://shop" })), at("SECRET_MISSING", "credential"));
}

#[test]
fn the_test_of_a_source_starts_nothing_and_says_what_was_taken() {
    let source = Source::new();
    let mut place = place();
    source.lists(&[1]);
    place.ok(polling(&source, json!({})));
    place.polls(0);
    source.lists(&[1, 2]);
    let test = |config: Value| {
        let config = polling(&source, config)["nodes"]["t"]["config"].clone();
        let request = crate::dto::PollTest { workflow_id: "daily".into(), node_id: "t".into(), config, document: None };
        place.app.poll_test(&Caller::here(), request)
    };
    let told = test(json!({ "cursor": "item.id" })).expect("answers");
    let items: Vec<_> = told.items.iter().map(|one| (one.item["id"].as_i64(), one.seen)).collect();
    assert_eq!((items, told.total, told.cursor), (vec![(Some(1), true), (Some(2), false)], 2, Some(json!(2))));
    assert_eq!(test(json!({ "items": "item.status" })).expect_err("no list").code, "SOURCE_FAILED");
    assert_eq!(place.runs(), 0);
}

#[test]
fn a_program_far_away_reaches_no_address_of_this_machine() {
    let source = Source::new();
    let place = place();
    let config = polling(&source, json!({}))["nodes"]["t"]["config"].clone();
    let request = crate::dto::PollTest { workflow_id: "daily".into(), node_id: "t".into(), config, document: None };
    let caller = Caller { here: false, ..Caller::here() };
    let refused = place.app.poll_test(&caller, request).expect_err("is refused");
    assert!(refused.message.contains("ADDRESS_REFUSED") && source.asked().is_empty(), "{refused}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    /// Whatever the source lists, however often it fails and the process dies: no item starts two runs, and each that is listed
    /// when the source answers starts one.
    #[test]
    fn each_item_starts_one_run(steps in prop::collection::vec((0_u8..5, 1_i64..12), 1..15)) {
        let source = Source::new();
        let mut place = place();
        place.ok(polling(&source, json!({ "existing": "process" })));
        let (mut now, mut listed) = (0, BTreeSet::new());
        let mut expected = BTreeSet::new();
        for (what, id) in steps.into_iter().chain([(2, 1)]) {
            now += 20 * MINUTE;
            match what {
                0 => { listed.insert(id); }
                1 => { listed.remove(&id); }
                2 | 3 => {
                    source.lists(&listed.iter().copied().collect::<Vec<_>>());
                    place.polls(now);
                    expected.extend(listed.iter().copied());
                }
                _ => {
                    // It dies while the source is asked, and the answer is lost.
                    source.tells(503, &Value::Null);
                    place.at(now);
                    place.scheduler = Scheduler::default();
                }
            }
        }
        let mut taken: Vec<i64> = place.batches().concat();
        taken.sort_unstable();
        prop_assert_eq!(taken, expected.into_iter().collect::<Vec<_>>());
    }
}
