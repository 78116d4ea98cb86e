use crate::support::{T0, commit, count, event, new_run, print, raw, started, step_done, step_start, temporary};
use serde_json::{Value, json};
use signalbox_model::data::Read;
use signalbox_model::event::{EventBody, InputItem, StepInterrupted};
use signalbox_model::{Data, RunEvent, RunOrigin, time};
use signalbox_store::NewRun;

#[test]
fn every_column_and_value_comes_back() {
    let (folder, store) = temporary();
    let token = Some("token".to_owned());
    let mut first = crate::support::begin("r");
    first.client_run_token.clone_from(&token);
    let new = NewRun {
        origin: RunOrigin { client_run_token: token.clone(), ..RunOrigin::default() },
        events: vec![first],
        ..new_run("r")
    };
    let owner = store.create_run(new).expect("is created");
    let values = [
        json!(null),
        json!(-0.0),
        json!(1e300),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(0.1),
        json!("\u{0}\u{1f}\"\\/\u{7f}\u{2028}😀 é\n"),
        json!({"": {"\u{0}\"": [[], {}, [null, true]]}, "b": 1, "a": 2}),
    ];
    let mut events: Vec<RunEvent> = values.iter().zip(2..).map(|(value, seq)| print("r", seq, value.clone())).collect();
    events[0].path = Some("loop1[3]".into());
    events[0].item = Some(4);
    events[0].visit = Some(2);
    events[0].attempt = Some(7);
    events[1].path = Some(String::new());
    for event in &mut events {
        event.client_run_token.clone_from(&token);
    }
    store.commit(commit("r", &owner, events.clone())).expect("commits");
    let read = store.events("r", 1, 100).expect("reads");
    assert_eq!(read, events);
    let text = |events: &[RunEvent]| serde_json::to_string(events).expect("JSON");
    assert_eq!(text(&read), text(&events), "to the byte");
    if !crate::support::at_server() {
        assert_eq!(count(folder.path(), "SELECT count(*) FROM run_event WHERE json_valid(payload, 8)"), 9);
    }
}

#[test]
fn values_at_the_depth_limit_and_large_ones_come_back() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let mut deep = json!(1);
    for _ in 0..128 {
        deep = json!([deep]);
    }
    let wide = Value::Array((0..50_000).map(|n| json!({"n": n, "s": "some text"})).collect());
    let long = json!("z".repeat(8 * 1024 * 1024));
    let events = vec![step_start("r", 2, "a", deep), step_done("r", 3, "a", wide), print("r", 4, long)];
    store.commit(commit("r", &owner, events.clone())).expect("commits");
    assert!(store.events("r", 1, 10).expect("reads") == events, "a large value changed");
}

/// Nobody has what a call began with as one text: it is stored in parts, and is the same event.
#[test]
fn what_a_call_began_with_is_stored_in_parts() {
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    let mut event = step_start("r", 2, "a", Value::Null);
    let row = |n: usize| Data::written(json!({ "n": n, "text": "é".repeat(250) }).to_string());
    let EventBody::StepStart(start) = &mut event.body else { panic!("a call begins") };
    start.input = (0..2_500).map(|item| InputItem { item, data: row(item) }).collect();
    store.commit(commit("r", &owner, vec![event.clone()])).expect("commits");
    let read = store.events("r", 1, 10).expect("reads");
    assert!(read == [event.clone()], "it is another event");
    let text = |event: &RunEvent| serde_json::to_string(event).expect("JSON");
    assert!(text(&read[0]) == text(&event), "to the byte");
    let sql = "SELECT count(*) FROM blob WHERE size BETWEEN 200000 AND 600000";
    assert_eq!(count(folder.path(), sql), 3);
    assert_eq!(count(folder.path(), "SELECT count(*) FROM run_event WHERE length(payload) > 10000"), 0);
}

/// A table that a step got and handed on is there once when its events are read, and so is one that stands in another field.
#[test]
fn what_several_events_have_is_read_once() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let rows: Value = (0..20_000).map(|n| json!({ "n": n, "name": "some \"text\"" })).collect();
    let text = "é\n".repeat(200_000);
    let came = json!({ "path": "a.csv", "content": rows });
    let left = json!({ "path": "a.csv", "content": rows, "again": rows, "text": text });
    let events =
        vec![step_done("r", 2, "read", came.clone()), step_start("r", 3, "set", came), step_done("r", 4, "set", left)];
    store.commit(commit("r", &owner, events.clone())).expect("commits");
    let read = store.events("r", 1, 10).expect("reads");
    assert!(read == events, "a large value changed");
    let json = |events: &[RunEvent]| serde_json::to_string(events).expect("JSON");
    assert!(json(&read) == json(&events), "to the byte");
    let table = |event: &RunEvent, name: &str| {
        let data = match &event.body {
            EventBody::StepStart(start) => start.input.first().map(|input| input.data.clone()),
            EventBody::StepDone(done) => done.items["success"].kept(0),
            _ => None,
        };
        let Some(Data::Text(whole)) = data else { panic!("text") };
        let Read::Object(fields) = whole.read() else { panic!("an object") };
        let found = fields.member_texts().find(|(key, _)| *key == format!("\"{name}\""));
        found.map(|(_, data)| data).expect("a field")
    };
    let first = table(&read[0], "content");
    for (event, name) in [(&read[1], "content"), (&read[2], "content"), (&read[2], "again")] {
        assert!(table(event, name).same(&first), "{name} is another text");
    }
}

#[test]
fn pages_by_seq_and_the_tail() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    store.commit(commit("r", &owner, (2..=300).map(|seq| print("r", seq, json!(seq))).collect())).expect("commits");
    let seqs = |after, limit| -> Vec<u64> {
        store.events("r", after, limit).expect("reads").into_iter().filter_map(|event| event.seq).collect()
    };
    assert_eq!(seqs(0, 3), [1, 2, 3]);
    assert_eq!(seqs(298, 10), [299, 300]);
    assert_eq!(seqs(300, 10), [0; 0]);
    assert_eq!(seqs(u64::MAX, usize::MAX), [0; 0]);
    assert_eq!(seqs(5, 0), [0; 0]);
    assert_eq!(store.event("r", 301).expect("reads"), None);
    assert_eq!(store.event("r", 0).expect("reads"), None);
}

/// However large the values are: those that stand in rows of their own count as well.
#[test]
fn a_page_ends_where_its_values_take_the_bytes_that_it_may_have() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let text = |seq: u64| json!("x".repeat(if seq.is_multiple_of(2) { 1_000 } else { 1_000_000 }));
    store.commit(commit("r", &owner, (2..=9).map(|seq| print("r", seq, text(seq))).collect())).expect("commits");
    let page = |after, limit, bytes| {
        let page = store.event_page("r", after, limit, bytes).expect("reads");
        (page.events.into_iter().filter_map(|event| event.seq).collect::<Vec<_>>(), page.is_last)
    };
    assert_eq!(page(1, 100, 1), (vec![2], false), "one at least");
    assert_eq!(page(1, 100, 500_000), (vec![2, 3], false));
    assert_eq!(page(3, 100, 1_500_000), (vec![4, 5, 6, 7], false));
    assert_eq!(page(3, 2, 1_500_000), (vec![4, 5], false));
    assert_eq!(page(7, 100, 500_000), (vec![8, 9], true), "to the end");
    assert_eq!(page(7, 100, 1_500_000), (vec![8, 9], true));
    assert_eq!(page(9, 100, 1), (vec![], true));
    let mut after = 0;
    let mut seqs = Vec::new();
    loop {
        let (found, is_last) = page(after, 3, 1_000_000);
        after = *found.last().expect("one at least");
        seqs.extend(found);
        if is_last {
            break;
        }
    }
    assert_eq!(seqs, (1..=9).collect::<Vec<_>>());
}

#[test]
fn what_cannot_be_stored_is_said_and_leaves_nothing() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let mut live = print("r", 2, json!(1));
    live.seq = None;
    let mut timeless = print("r", 2, json!(1));
    timeless.ts = "yesterday".into();
    let foreign = print("other", 2, json!(1));
    let mut deep = json!(1);
    for _ in 0..1_500 {
        deep = json!([deep]);
    }
    for wrong in [live, timeless, foreign, print("r", 2, deep)] {
        let error =
            signalbox_store::Error::from(store.commit(commit("r", &owner, vec![wrong])).expect_err("is refused"));
        assert_eq!(error.code(), "INVALID_DATA");
    }
    store.commit(commit("r", &owner, vec![print("r", 2, json!(1))])).expect("goes on");
}

#[test]
fn the_end_of_a_call_is_found_by_its_key() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let interrupted =
        |seq| event("r", seq, Some("a"), EventBody::StepInterrupted(StepInterrupted { effect: None, origin: None }));
    let mut again = step_start("r", 4, "a", json!(1));
    again.attempt = Some(1);
    let mut done = step_done("r", 6, "a", json!(2));
    done.attempt = Some(1);
    let events =
        vec![step_start("r", 2, "a", json!(1)), step_start("r", 3, "b", json!(1)), again, interrupted(5), done.clone()];
    store.commit(commit("r", &owner, events)).expect("commits");
    assert_eq!(store.end_of_call("r", 2).expect("reads"), Some(interrupted(5)));
    assert_eq!(store.end_of_call("r", 3).expect("reads"), None);
    assert_eq!(store.end_of_call("r", 4).expect("reads"), Some(done));
}

#[test]
fn a_changed_column_is_found() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    store.commit(commit("r", &owner, vec![step_start("r", 2, "a", json!(1))])).expect("commits");
    assert_eq!(store.event("r", 2).expect("reads").map(|event| event.ts), Some(time::format(T0 + 2)));
    for change in ["ts = ts + 1", "ts = ts - 1, node = 'b'", "node = NULL", "attempt = 1", "visit = NULL", "path = ''"]
    {
        raw(folder.path())
            .execute(&format!("UPDATE run_event SET {change} WHERE id & 4294967295 = 2"), [])
            .expect("changes");
        assert_eq!(store.event("r", 2).expect_err(change).code(), "CORRUPT_EVENT");
    }
}
