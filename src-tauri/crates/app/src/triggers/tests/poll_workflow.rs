//! `trigger.poll` whose source is a workflow, with the clock of the test.

use super::poll::Source;
use super::*;
use crate::dto::PollTest;
use signalbox_model::RunStatus;
use std::path::PathBuf;

/// A workflow that puts out the items of an address.
fn shop(source: &Source) -> Value {
    json!({
        "signalbox": 1, "id": "shop", "name": "Shop", "settings": { "errorPolicy": "fail" },
        "params": { "type": "object", "properties": { "since": {} } },
        "nodes": {
            "ask": { "type": "http.request", "config": { "url": source.address, "query": { "since": "=params.since" } } },
            "split": { "type": "data.split", "config": { "field": "response" } },
        },
        "edges": [{ "from": "ask.success", "to": "split" }],
    })
}

fn polling(mut config: Value) -> Value {
    let all = config.as_object_mut().expect("an object");
    let source = json!({ "kind": "workflow", "workflow": "shop", "params": { "since": "=item.cursor" } });
    for (name, value) in [("every", json!(MINUTE)), ("source", source), ("key", json!("item.id"))] {
        all.entry(name).or_insert(value);
    }
    json!({
        "signalbox": 1, "id": "daily", "name": "Items",
        "nodes": { "t": { "type": "trigger.poll", "config": config }, "a": { "type": "flow.noop" } },
        "edges": [{ "from": "t.success", "to": "a" }],
    })
}

impl Place {
    fn file(&self, id: &str, document: &Value) -> PathBuf {
        let path = self._folder.path().join(format!("{id}.signalbox.json"));
        std::fs::write(&path, document.to_string()).expect("is written");
        path
    }

    fn activates(&self, shop: &Value, document: &Value) -> Result<(), ApiError> {
        self.file("shop", shop);
        let file = self.file("daily", document);
        self.app.wait_for(self.app.activate_file(&Caller::here(), file)).expect("runs").map(drop)
    }

    /// The runs of the source, the oldest first.
    fn asked_runs(&self) -> Vec<(String, RunStatus)> {
        let query = RunQuery { workflow: Some("shop".into()), limit: 1_000, ..RunQuery::default() };
        let runs = self.app.store.runs(&query).expect("reads").runs;
        runs.into_iter().rev().map(|run| (run.run_id, run.status)).collect()
    }
}

#[test]
fn the_items_of_a_workflow_start_one_run_and_it_runs_as_a_run_of_its_own() {
    let source = Source::new();
    let mut place = place();
    source.lists(&[1, 2]);
    place.activates(&shop(&source), &polling(json!({ "cursor": "item.id" }))).expect("is active");
    place.polls(0);
    assert_eq!((place.batches().len(), place.asked_runs().len()), (0, 1), "what is there the first time is left out");
    source.lists(&[2, 3, 4]);
    place.polls(2 * MINUTE);
    // As after a crash: another scheduler with the lock of the dead one.
    place.scheduler = Scheduler::default();
    place.polls(4 * MINUTE);
    assert_eq!(place.batches(), [vec![3, 4]]);
    let runs = place.asked_runs();
    assert_eq!(runs.iter().map(|(_, status)| *status).collect::<Vec<_>>(), [RunStatus::Completed; 3]);
    let row = place.app.store.run(&runs[0].0).expect("is there");
    assert_eq!(row.started_by.as_deref(), Some("trigger"));
    let asked = source.asked();
    assert!(asked[1].starts_with("GET /items?since=2 ") && asked[2].starts_with("GET /items?since=4 "), "{asked:?}");
}

#[test]
fn a_workflow_that_fails_is_told_like_an_address_and_a_restart_forgets_no_failure() {
    let source = Source::new();
    let mut place = place();
    source.tells(500, &json!({ "wrong": true }));
    place.activates(&shop(&source), &polling(json!({}))).expect("is active");
    for (minute, failures) in [(0, 1), (2, 2), (4, 3), (6, 4)] {
        place.polls(minute * MINUTE);
        assert!(place.source_problem().is_some_and(|problem| problem.contains("500")), "{:?}", place.source_problem());
        assert_eq!(place.asked_runs().len(), failures);
        assert!(place.app.failures().expect("reads").is_empty());
        place.scheduler = Scheduler::default();
        place.polls(minute * MINUTE + 14_000);
        assert_eq!(place.asked_runs().len(), failures, "15 s have not passed");
    }
    place.polls(9 * MINUTE);
    let told = place.app.store.failure_notices(0).expect("reads");
    assert_eq!(told.iter().filter(|one| one.run.is_none()).count(), 1);
    source.lists(&[1]);
    place.polls(40 * MINUTE);
    assert_eq!(place.source_problem(), None);
}

#[test]
fn a_crash_between_the_run_of_the_source_and_its_items_loses_nothing_and_runs_it_once() {
    let source = Source::new();
    let mut place = place();
    source.lists(&[1, 2]);
    place.activates(&shop(&source), &polling(json!({ "existing": "process" }))).expect("is active");
    place.at(0);
    place.scheduler.hear_sources(place.app.trigger_host());
    assert_eq!(place.asked_runs().len(), 1);
    // The source has handed out its items, and would not do so again.
    place.scheduler = Scheduler::default();
    source.lists(&[]);
    place.polls(MINUTE / 2);
    assert_eq!((place.batches(), place.asked_runs().len()), (vec![vec![1, 2]], 1));
    place.polls(2 * MINUTE);
    assert_eq!((place.batches(), place.asked_runs().len()), (vec![vec![1, 2]], 2));
}

#[test]
fn a_source_that_waits_for_a_person_is_asked_only_once_at_a_time() {
    let mut place = place();
    let waits = json!({
        "signalbox": 1, "id": "shop", "name": "Shop",
        "nodes": { "a": { "type": "builtin.human_approval", "config": { "instructions": "May it?" } } }, "edges": [],
    });
    let config = json!({ "source": { "kind": "workflow", "workflow": "shop" }, "existing": "process" });
    place.activates(&waits, &polling(config)).expect("is active");
    for minute in [0, 2, 4, 6, 8, 10, 12] {
        place.polls(minute * MINUTE);
        assert!(place.source_problem().is_some_and(|problem| problem.contains("has not ended")));
    }
    assert_eq!(place.asked_runs().iter().map(|(_, status)| *status).collect::<Vec<_>>(), [RunStatus::Paused]);
    assert!(place.app.store.failure_notices(0).expect("reads").is_empty(), "nothing has failed");
    place.app.cancel(&Caller::here(), &place.asked_runs()[0].0).expect("is cancelled");
    place.polls(14 * MINUTE);
    assert!(place.source_problem().is_some_and(|problem| problem.contains("RUN_CANCELLED")));
}

#[test]
fn a_workflow_that_cannot_be_the_source_is_told_before() {
    let source = Source::new();
    let place = place();
    let code = |config: Value| {
        let error = place.activates(&shop(&source), &polling(config)).expect_err("cannot be activated");
        let first = error.details.expect("says why")["diagnostics"][0].clone();
        (first["code"].as_str().unwrap_or_default().to_owned(), first["path"].as_str().unwrap_or_default().to_owned())
    };
    let at = |code: &str, path: &str| (code.to_owned(), format!("/nodes/t/config/{path}"));
    let of = |id: &str| json!({ "source": { "kind": "workflow", "workflow": id } });
    assert_eq!(code(of("gone")), at("UNKNOWN_WORKFLOW", "source/workflow"));
    assert_eq!(code(of("daily")), at("CYCLE", "source/workflow"));
    assert_eq!(code(of("")), at("MISSING_CONFIG", "source/workflow"));
    assert_eq!(code(json!({ "source": { "kind": "workflow" } })), at("MISSING_CONFIG", "source/workflow"));
    assert_eq!(code(json!({ "source": { "kind": "http" } })), at("MISSING_CONFIG", "url"));
    assert_eq!(code(json!({ "source": { "kind": "queue" } })), at("BAD_CONFIG", "source/kind"));
    // It would ask itself through another one.
    let around = json!({
        "signalbox": 1, "id": "shop", "name": "Shop",
        "nodes": { "sub": { "type": "flow.subworkflow", "config": { "workflow": "daily" } } }, "edges": [],
    });
    let error = place.activates(&around, &polling(json!({}))).expect_err("a circle");
    assert_eq!(error.details.expect("says why")["diagnostics"][0]["code"], "CYCLE");
}

#[test]
fn the_test_runs_the_workflow_of_the_draft_with_its_params() {
    let source = Source::new();
    let mut place = place();
    source.lists(&[1]);
    place.activates(&shop(&source), &polling(json!({}))).expect("is active");
    place.polls(0);
    let draft = |mut document: Value, config: &Value| {
        let address = json!({ "type": "string", "default": source.address });
        document["params"] = json!({ "type": "object", "properties": { "place": address } });
        let request = PollTest {
            workflow_id: "daily".into(),
            node_id: "t".into(),
            config: config.clone(),
            document: Some(document),
        };
        place.app.poll_test(&Caller::here(), request)
    };
    // The address is a param of the draft that no file has.
    let config = json!({ "url": "{{params.place}}", "key": "item.id" });
    let told = draft(polling(config.clone()), &config).expect("answers");
    assert_eq!((told.total, told.run_id), (1, None));
    // No library has the workflow.
    let config = polling(json!({}))["nodes"]["t"]["config"].clone();
    let refused = draft(polling(config.clone()), &config).expect_err("is not there");
    assert_eq!(refused.details.expect("says why")["diagnostics"][0]["code"], "UNKNOWN_WORKFLOW");
}
