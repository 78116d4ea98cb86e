use crate::support::{commit, started, step_done, step_start, temporary, var_changed};
use serde_json::json;
use signalbox_model::{EventBody, RunEvent};
use std::sync::Arc;

fn at(path: &str, event: RunEvent) -> RunEvent {
    RunEvent { path: Some(path.into()), ..event }
}

fn with_config(config: serde_json::Value, mut event: RunEvent) -> RunEvent {
    if let EventBody::StepStart(start) = &mut event.body {
        start.config = Arc::new(config);
    }
    event
}

#[test]
fn events_are_found_by_where_they_stand() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    let events = vec![
        with_config(json!({"source": [1, 2]}), step_start("r", 2, "each", json!(1))),
        at("each[0]", step_start("r", 3, "a", json!(1))),
        at("each[0]", var_changed("r", 4, json!(7))),
        at("each[1]", step_start("r", 5, "a", json!(2))),
        at("each[0]", step_done("r", 6, "a", json!("first"))),
        at("each[1]", step_done("r", 7, "a", json!("second"))),
        step_done("r", 8, "each", json!([])),
        with_config(json!({"source": vec!["x".repeat(90); 200]}), step_start("r", 9, "b", json!(1))),
    ];
    store.commit(commit("r", &owner, events.clone())).expect("commits");

    let found = |path: &str, node: &str| {
        let events = store.events_of_step("r", path, node, 100).expect("reads");
        events.into_iter().filter_map(|event| event.seq).collect::<Vec<_>>()
    };
    assert_eq!(found("each[0]", "a"), [3, 6]);
    assert_eq!(found("each[1]", "a"), [5, 7]);
    assert_eq!(found("", "each"), [2, 8]);
    assert_eq!(found("", "a"), [] as [u64; 0]);
    assert_eq!(store.events_of_step("r", "each[1]", "a", 1).expect("reads"), [events[3].clone()], "whole, and limited");

    let inside = |path: &str, after, limit| {
        let events = store.events_inside("r", path, after, limit).expect("reads");
        events.into_iter().filter_map(|event| event.seq).collect::<Vec<_>>()
    };
    assert_eq!(inside("each[0]", 0, 100), [3, 4, 6], "of all its steps, in order");
    assert_eq!(inside("each[0]", 3, 1), [4], "page by page");
    assert_eq!(inside("each", 0, 100), [] as [u64; 0], "a part of a name is no path");

    let around = |paths: &[&str], after, limit| {
        let events = store.events_around("r", paths, after, limit).expect("reads");
        events.into_iter().filter_map(|event| event.seq).collect::<Vec<_>>()
    };
    assert_eq!(around(&[], 0, 100), [1, 2, 4, 8, 9], "variables wherever they change");
    assert_eq!(around(&["each[1]"], 2, 3), [4, 5, 7]);

    assert_eq!(store.paths_of_calls("r", "a", 9).expect("reads"), ["each[1]", "each[0]"]);
    assert_eq!(store.paths_of_calls("r", "each", 9).expect("reads"), [""]);

    let heads = store.event_heads("r", 1, 100).expect("reads");
    assert_eq!(heads.iter().map(|head| head.seq).collect::<Vec<_>>(), [2, 3, 4, 5, 6, 7, 8, 9]);
    let each = &heads[0];
    assert_eq!((each.kind.as_str(), each.node.as_deref(), each.path.as_deref()), ("step_start", Some("each"), None));
    assert_eq!(
        (each.word.as_deref(), each.input, each.source, each.large),
        (Some("data.set"), Some(1), Some(2), false)
    );
    assert_eq!((heads[1].path.as_deref(), heads[1].source), (Some("each[0]"), None));
    // A long list stands elsewhere: who wants its length reads the event.
    assert_eq!((heads[7].source, heads[7].large), (None, true));
    assert_eq!(store.event_heads("r", 7, 1).expect("reads").len(), 1);
}
