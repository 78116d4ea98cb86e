//! `trigger.error`: a failed run starts a run of another workflow, once.

use super::*;

/// A workflow whose only run fails.
fn failing(id: &str) -> Value {
    json!({
        "signalbox": 1, "id": id, "name": format!("The {id}"),
        "nodes": {
            "go": { "type": "trigger.manual" },
            "f": { "type": "flow.fail", "title": "Give up", "config": { "error": { "message": "Not today" } } },
        },
        "edges": [{ "from": "go.success", "to": "f" }],
    })
}

/// A workflow that hears of failures, and fails itself when it is told to.
fn alarm(id: &str, config: Value, fails: bool) -> Value {
    let end = if fails {
        json!({ "type": "flow.fail", "config": { "error": { "message": "The alarm fails, too" } } })
    } else {
        json!({ "type": "flow.noop" })
    };
    json!({
        "signalbox": 1, "id": id, "name": id,
        "nodes": { "t": { "type": "trigger.error", "config": config }, "a": end },
        "edges": [{ "from": "t.success", "to": "a" }],
    })
}

impl Place {
    /// Runs a document to its end and gives its id.
    fn run_to_end(&self, document: Value) -> String {
        let run = self.app.start_document(document, None, Default::default(), None).expect("starts").run_id();
        self.wait_end(&run);
        run
    }

    fn wait_end(&self, run: &str) {
        let (runtime, id) = (self.app.runtime.clone(), run.to_owned());
        self.app.wait_for(async move { runtime.wait(&id).await }).expect("threads").expect("ends");
    }

    fn started_by(&self, trigger: &str) -> Vec<String> {
        let rows = self.app.store.trigger_firings(trigger, 100).expect("reads");
        rows.into_iter().filter_map(|row| row.run).collect()
    }
}

#[test]
fn a_failed_run_starts_one_run_of_the_workflow_that_waits_for_it() {
    let mut place = place();
    let before = place.run_to_end(failing("early"));
    place.ok(alarm("alarm", json!({}), false));
    place.at(0);
    assert!(place.started_by("alarm.t").is_empty(), "{before} failed before the activation");
    let failed = place.run_to_end(failing("orders"));
    place.at(MINUTE);
    // As after a crash: another scheduler with the lock of the dead one finds nothing left.
    place.scheduler = Scheduler::default();
    place.at(2 * MINUTE);
    let runs = place.started_by("alarm.t");
    assert_eq!(runs.len(), 1, "{runs:?}");
    let event = place.whole_output(&runs[0]).pop().expect("an item");
    assert_eq!(
        (&event["run"]["id"], &event["run"]["workflowId"], &event["run"]["step"]),
        (&json!(failed), &json!("orders"), &json!({ "id": "f", "title": "Give up" }))
    );
    assert_eq!((&event["error"]["message"], &event["error"]["originNode"]), (&json!("Not today"), &json!("f")));
    assert_eq!((&event["link"], &event["manual"]), (&json!(format!("/#/run/{failed}")), &json!(false)));
    assert_eq!(place.audit("TRIGGER_FIRED")[0]["metadata"]["key"], json!(failed));
}

#[test]
fn a_failure_that_no_process_saw_starts_its_run_later_and_only_for_chosen_workflows() {
    let mut place = place();
    place.ok(alarm("alarm", json!({ "workflows": ["orders"] }), false));
    // Nothing fires meanwhile.
    let failed = place.run_to_end(failing("orders"));
    place.run_to_end(failing("other"));
    place.at(0);
    let told = place.audit("TRIGGER_FIRED");
    assert_eq!((told.len(), &told[0]["metadata"]["key"]), (1, &json!(failed)));
    assert!(place.app.store.trigger_failed_runs(10).expect("reads").is_empty());
}

/// Two alarms that wait for each other's failures, and one for its own.
#[test]
fn failures_of_alarms_start_nothing() {
    let mut place = place();
    place.ok(alarm("one", json!({}), true));
    place.ok(alarm("two", json!({ "workflows": ["one", "two"] }), true));
    place.run_to_end(failing("orders"));
    for minute in 0..4 {
        place.at(minute * MINUTE);
        for run in place.started_by("one.t") {
            place.wait_end(&run);
        }
    }
    assert_eq!((place.started_by("one.t").len(), place.started_by("two.t").len()), (1, 0));
    // A person starts the alarm by hand: its failure starts nothing, either.
    let run = place.app.fire_by_hand(&Caller::here(), "one.t", Default::default()).expect("fires").run_id();
    place.wait_end(&run);
    place.at(5 * MINUTE);
    assert_eq!(place.started_by("two.t").len(), 0);
}

#[test]
fn a_deactivated_alarm_hears_nothing() {
    let mut place = place();
    place.ok(alarm("alarm", json!({}), false));
    place.run_to_end(failing("orders"));
    place.app.deactivate(&Caller::here(), "alarm").expect("was active");
    place.run_to_end(failing("orders"));
    place.at(0);
    place.ok(alarm("alarm", json!({}), false));
    place.at(MINUTE);
    assert!(place.started_by("alarm.t").is_empty());
    assert!(place.app.store.trigger_failed_runs(10).expect("reads").is_empty());
}
