//! Activation and the scheduler on a clock that the test moves.

mod failures;
mod file_watch;
mod mail;
mod messages;
mod poll;
mod poll_workflow;

use crate::app::{App, Options};
use crate::caller::Caller;
use crate::dto::{CallerRole, Host, WorkflowActivate};
use crate::error::ApiError;
use serde_json::{Value, json};
use signalbox_model::{RunEvent, event::EventBody, time};
use signalbox_runtime::triggers::{MOST_MISSED, Scheduler};
use signalbox_store::{AuditQuery, FiringRow, RunQuery};
use signalbox_testkit::clock::ManualClock;
use std::collections::BTreeSet;
use std::sync::Arc;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

struct Place {
    _folder: tempfile::TempDir,
    app: Arc<App>,
    clock: ManualClock,
    scheduler: Scheduler,
    /// The whole hour after the start.
    begin: i64,
}

fn open(folder: &tempfile::TempDir) -> Arc<App> {
    let options = Options { host: Host::Desktop, allow: Vec::new(), stays: false, reads: false };
    App::open(&folder.path().join("data"), options).expect("opens")
}

fn place() -> Place {
    let folder = tempfile::tempdir().expect("a folder");
    let app = open(&folder);
    let begin = (app.now_ms() / HOUR + 1) * HOUR;
    let clock = ManualClock::default();
    clock.set(begin);
    Place { _folder: folder, app, clock, scheduler: Scheduler::default(), begin }
}

fn flow(config: Value) -> Value {
    json!({
        "signalbox": 1, "id": "daily", "name": "Daily",
        "nodes": {
            "t": { "type": "trigger.schedule", "title": "Often", "config": config },
            "a": { "type": "data.set", "config": { "assign": { "at": "=item.scheduledAt" } } },
        },
        "edges": [{ "from": "t.success", "to": "a" }],
    })
}

impl Place {
    fn activate(&self, document: Value) -> Result<Value, ApiError> {
        let request = WorkflowActivate { document: Some(document), ..WorkflowActivate::default() };
        self.app.activate(&Caller::here(), request).map(|done| json!(done))
    }

    fn ok(&self, document: Value) -> String {
        let done = self.activate(document).unwrap_or_else(|error| panic!("{error} {:?}", error.details));
        done["version"].as_str().expect("a version").to_owned()
    }

    /// Moves the clock to so long after the beginning, and lets the scheduler look.
    fn at(&mut self, after: i64) {
        self.clock.set(self.begin + after);
        self.scheduler.pass(self.app.trigger_host(), &self.clock).expect("passes");
    }

    fn firings(&self) -> Vec<FiringRow> {
        let mut all = self.app.store.trigger_firings("daily.t", 10_000).expect("reads");
        all.sort_by_key(|row| row.scheduled_ms);
        all
    }

    /// Ticks that fired, in minutes after the beginning.
    fn fired(&self) -> Vec<i64> {
        let fired = self.firings().into_iter().filter(|row| row.run.is_some());
        fired.map(|row| (row.scheduled_ms - self.begin) / MINUTE).collect()
    }

    /// Why ticks were skipped, and how many.
    fn skipped(&self) -> Vec<(String, u64)> {
        let skipped = self.firings().into_iter().filter(|row| row.run.is_none());
        skipped.map(|row| (row.reason.unwrap_or_default(), row.count)).collect()
    }

    fn runs(&self) -> usize {
        self.app.store.runs(&RunQuery { limit: 1_000, ..RunQuery::default() }).expect("reads").runs.len()
    }

    fn audit(&self, event: &str) -> Vec<Value> {
        let query = AuditQuery { event: Some(event.to_owned()), limit: 500, ..AuditQuery::default() };
        let page = self.app.store.audit_page(&query).expect("reads");
        page.rows.iter().map(|row| serde_json::from_str(&row.text).expect("json")).collect()
    }
}

fn every(minutes: i64, on_missed: &str) -> Value {
    flow(json!({ "every": minutes * MINUTE, "onMissed": on_missed }))
}

#[test]
fn an_active_schedule_starts_one_run_for_each_tick() {
    let mut place = place();
    let version = place.ok(every(15, "one"));
    place.at(0);
    for minute in 1..=60 {
        place.at(minute * MINUTE);
        place.at(minute * MINUTE);
    }
    let fired: Vec<i64> = place.fired().into_iter().filter(|minute| *minute > 0).collect();
    assert_eq!(fired, [15, 30, 45, 60]);
    assert_eq!(place.runs(), place.fired().len());
    let told = place.audit("TRIGGER_FIRED");
    let last = told.first().expect("newest first");
    assert_eq!((&last["metadata"]["version"], &last["metadata"]["triggerId"]), (&json!(version), &json!("daily.t")));
    assert!(place.app.store.run(last["runId"].as_str().expect("a run")).is_ok());
    // The step hands on when it was due.
    let run = place.firings().pop().and_then(|row| row.run).expect("a run");
    let row = place.app.store.run(&run).expect("is there");
    assert_eq!((row.started_by.as_deref(), row.definition_hash.as_str()), (Some("schedule"), version.as_str()));
    let first = place.app.store.event(&run, 1).expect("reads").expect("is there");
    let RunEvent { body: EventBody::WorkflowStart(start), .. } = first else { panic!("{first:?}") };
    let event = &start.params["_trigger"]["payload"];
    assert_eq!(event["scheduledAt"], json!(time::format(place.begin + HOUR)));
    assert_eq!((&event["timezone"], &event["manual"]), (&json!("UTC"), &json!(false)));
}

#[test]
fn what_happens_to_missed_ticks_is_the_schedules_choice() {
    for (on_missed, fired, skipped) in [
        ("skip", vec![], vec![("missed", 5)]),
        ("one", vec![300], vec![("missed", 4)]),
        ("all", vec![60, 120, 180, 240, 300], vec![]),
    ] {
        let mut place = place();
        place.ok(every(60, on_missed));
        place.at(0);
        let (known, lost) = (place.fired().len(), place.skipped().len());
        place.at(5 * HOUR + 10 * MINUTE);
        assert_eq!(place.fired()[known..], fired, "{on_missed}");
        let told: Vec<(String, u64)> = skipped.into_iter().map(|(why, count)| (why.to_owned(), count)).collect();
        assert_eq!(place.skipped()[lost..], told, "{on_missed}");
        place.at(6 * HOUR);
        assert_eq!(place.fired().last(), Some(&360), "{on_missed}: the next one comes as always");
    }
}

#[test]
fn all_missed_ticks_are_bounded_and_it_is_told_how_many_were_dropped() {
    let mut place = place();
    place.ok(every(1, "all"));
    place.at(0);
    let known = place.fired().len();
    place.at(250 * MINUTE);
    let fired = place.fired();
    assert_eq!(fired.len() - known, MOST_MISSED);
    assert_eq!((fired[known], fired.last()), (151, Some(&250)));
    assert_eq!(place.skipped().last(), Some(&("too_many_missed".to_owned(), 150)));
    let told = place.audit("TRIGGER_SKIPPED");
    let dropped = told.iter().find(|entry| entry["metadata"]["reason"] == "too_many_missed").expect("is told");
    assert_eq!(dropped["metadata"]["count"], json!(150));
    assert_eq!(dropped["metadata"]["from"], json!(time::format(place.begin + MINUTE)));
}

#[test]
fn a_clock_that_jumps_fires_no_tick_twice_and_a_new_process_goes_on() {
    let mut place = place();
    place.ok(every(10, "all"));
    let moves = [0, 35, 20, 20, 95, 90, 10, 60, 130, 61, 0, 135, 240, 100, 245];
    for (index, minute) in moves.into_iter().enumerate() {
        place.at(minute * MINUTE);
        if index % 3 == 0 {
            // As after a crash: another scheduler with the lock of the dead one.
            place.scheduler = Scheduler::default();
            place.at(minute * MINUTE);
        }
    }
    let fired = place.fired();
    let after: Vec<i64> = fired.iter().copied().filter(|minute| *minute > 0).collect();
    assert_eq!(after, (1..=24).map(|tick| tick * 10).collect::<Vec<_>>(), "each once, none is lost");
    let runs: BTreeSet<String> = place.firings().into_iter().filter_map(|row| row.run).collect();
    assert_eq!((runs.len(), place.runs()), (fired.len(), fired.len()));
}

#[test]
fn only_one_scheduler_fires_and_another_takes_over() {
    let mut place = place();
    place.ok(every(10, "one"));
    place.at(0);
    let known = place.fired().len();
    let mut second = Scheduler::default();
    place.clock.set(place.begin + 10 * MINUTE);
    second.pass(place.app.trigger_host(), &place.clock).expect("looks");
    assert_eq!(place.fired().len(), known, "the first one holds the lock");
    place.scheduler = Scheduler::default();
    second.pass(place.app.trigger_host(), &place.clock).expect("looks");
    assert_eq!(place.fired().last(), Some(&10));
}

#[test]
fn edits_stay_a_draft_until_they_are_activated_and_an_older_version_comes_back() {
    let mut place = place();
    let first = place.ok(every(10, "one"));
    let mut other = every(10, "one");
    other["nodes"]["a"]["config"]["assign"]["extra"] = json!(1);
    place.at(10 * MINUTE);
    assert_eq!(
        place.firings().last().and_then(|row| row.run.clone()).map(|run| place.version_of(&run)),
        Some(first.clone())
    );
    let second = place.ok(other);
    assert_ne!(first, second);
    place.at(20 * MINUTE);
    assert_eq!(
        place.firings().last().and_then(|row| row.run.clone()).map(|run| place.version_of(&run)),
        Some(second.clone())
    );
    let back =
        WorkflowActivate { workflow_id: Some("daily".into()), version: Some(first.clone()), ..Default::default() };
    assert_eq!(place.app.activate(&Caller::here(), back).expect("is known").version, first);
    let unknown =
        WorkflowActivate { workflow_id: Some("daily".into()), version: Some("ff".into()), ..Default::default() };
    assert_eq!(place.app.activate(&Caller::here(), unknown).expect_err("is not").code, "NOT_FOUND");
    let versions = place.app.versions(&Caller::here(), "daily").expect("lists");
    let told: Vec<(&str, bool)> = versions.iter().map(|one| (one.version.as_str(), one.active)).collect();
    assert!(told.contains(&(first.as_str(), true)) && told.contains(&(second.as_str(), false)), "{told:?}");
    assert_eq!(versions[0].document["nodes"]["t"]["type"], "trigger.schedule");
    assert_eq!(place.audit("WORKFLOW_ACTIVATED").len(), 3);
}

#[test]
fn a_deactivated_workflow_starts_nothing() {
    let mut place = place();
    place.ok(every(10, "all"));
    place.at(0);
    let known = place.fired().len();
    let done = place.app.deactivate(&Caller::here(), "daily").expect("was active");
    assert!(!done.active && done.triggers.is_empty());
    place.app.deactivate(&Caller::here(), "daily").expect("once more is the same");
    place.at(60 * MINUTE);
    assert_eq!(place.fired().len(), known);
    assert_eq!(place.audit("WORKFLOW_DEACTIVATED").len(), 1);
    assert_eq!(place.app.deactivate(&Caller::here(), "other").expect_err("never was").code, "NOT_FOUND");
    assert_eq!(
        place.app.fire_by_hand(&Caller::here(), "daily.t", Default::default()).expect_err("is off").code,
        "NOT_FOUND"
    );
}

#[test]
fn what_a_run_without_a_person_would_lack_is_told_before() {
    let place = place();
    let mut file = every(10, "one");
    file["nodes"]["r"] = json!({ "type": "file.read", "config": { "path": "/nowhere/in.csv", "as": "csv" } });
    file["nodes"]["h"] = json!({ "type": "http.request", "config": { "url": "https://api.example.com/", "credential": "secret://missing" } });
    file["params"] = json!({ "type": "object", "required": ["who"], "properties": { "who": { "type": "string" } } });
    let error = place.activate(file).expect_err("it lacks three things");
    assert_eq!(error.code, "INVALID_WORKFLOW");
    let details = error.details.expect("says which");
    let told: BTreeSet<(String, String)> = details["diagnostics"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            (one["code"].as_str().unwrap_or_default().to_owned(), one["path"].as_str().unwrap_or_default().to_owned())
        })
        .collect();
    let wanted = [
        ("MISSING_GRANT", "/nodes/r/config/path"),
        ("SECRET_MISSING", "/nodes/h/config/credential"),
        ("UNFIT_PARAMS", "/params/who"),
    ];
    for (code, path) in wanted {
        assert!(told.contains(&(code.to_owned(), path.to_owned())), "{code}: {told:?}");
    }
    let never = place.activate(flow(json!({ "cron": "0 0 30 2 *" }))).expect_err("never fires");
    assert_eq!(never.details.expect("says why")["diagnostics"][0]["code"], "NEVER_FIRES");
    let zone = place.activate(flow(json!({ "cron": "0 0 * * *", "timezone": "Nowhere" }))).expect_err("no zone");
    assert_eq!(zone.details.expect("says why")["diagnostics"][0]["path"], "/nodes/t/config/timezone");
    let mut by_hand = every(10, "one");
    by_hand["nodes"]["t"] = json!({ "type": "trigger.manual" });
    assert_eq!(place.activate(by_hand).expect_err("nobody starts it").code, "NO_TRIGGER");
    assert!(place.app.activations().expect("lists").is_empty() && place.audit("WORKFLOW_ACTIVATED").is_empty());
}

#[test]
fn a_person_fires_a_trigger_beside_its_schedule() {
    let mut place = place();
    place.ok(every(60, "one"));
    place.at(0);
    let cursor = place.app.store.trigger("daily.t").expect("reads").expect("is active").cursor_ms;
    let payload = json!({ "scheduledAt": "2026-12-24T07:00:00.000Z" }).as_object().cloned().unwrap_or_default();
    let run = place.app.fire_by_hand(&Caller::here(), "daily.t", payload).expect("fires").run_id();
    let output = place.output(&run);
    assert_eq!(output, json!([{ "scheduledAt": "2026-12-24T07:00:00.000Z", "at": "2026-12-24T07:00:00.000Z" }]));
    assert_eq!(place.app.store.trigger("daily.t").expect("reads").expect("is active").cursor_ms, cursor);
    let told = place.audit("TRIGGER_FIRED");
    assert_eq!(told[0]["actor"]["id"], json!(Caller::here().principal));
    // A field that the event does not have would be read from the sample instead.
    let payload = json!({ "number": 8 }).as_object().cloned().unwrap_or_default();
    let refused = place.app.fire_by_hand(&Caller::here(), "daily.t", payload).expect_err("has no such field");
    assert_eq!(refused.code, "BAD_REQUEST");
    assert!(refused.message.contains("\"number\"") && refused.hint.contains("scheduledAt"), "{refused:?}");
}

/// A workflow with several starts begins at one of them: the one that fired, else the manual one, else the first.
#[test]
fn a_run_begins_at_the_trigger_that_fired() {
    let place = place();
    let mut file = every(60, "one");
    file["nodes"]["u"] =
        json!({ "type": "trigger.schedule", "config": { "cron": "0 8 * * *", "timezone": "Europe/Berlin" } });
    file["edges"].as_array_mut().expect("a list").push(json!({ "from": "u.success", "to": "a" }));
    let by_hand = |file: &Value| {
        let start = place.app.start_document(file.clone(), None, Default::default(), None).expect("starts");
        place.whole_output(&start.run_id())
    };
    let sample = by_hand(&file);
    assert_eq!(
        (sample.len(), &sample[0]["manual"], &sample[0]["timezone"]),
        (1, &json!(true), &json!("UTC")),
        "{sample:?}"
    );
    assert_eq!(sample[0]["scheduledAt"], sample[0]["at"]);
    place.ok(file.clone());
    let run = place.app.fire_by_hand(&Caller::here(), "daily.u", Default::default()).expect("fires").run_id();
    let fired = place.whole_output(&run);
    assert_eq!((fired.len(), &fired[0]["timezone"]), (1, &json!("Europe/Berlin")));
    assert!(fired[0]["local"].as_str().is_some_and(|local| local.ends_with("[Europe/Berlin]")), "{fired:?}");
    file["nodes"]["m"] = json!({ "type": "trigger.manual" });
    file["edges"].as_array_mut().expect("a list").push(json!({ "from": "m.success", "to": "a" }));
    file["nodes"]["a"]["config"] = json!({ "assign": { "from": "hand" } });
    assert_eq!(by_hand(&file), [json!({ "from": "hand" })]);
}

#[test]
fn only_builders_activate_and_a_schedule_of_somebody_elsewhere_reaches_no_further_than_they_do() {
    let mut place = place();
    let remote = Caller::http(CallerRole::Builder, false, "bot");
    let request = WorkflowActivate { document: Some(every(10, "one")), ..WorkflowActivate::default() };
    place.app.activate(&remote, request).expect("a builder may");
    place.at(10 * MINUTE);
    let run = place.firings().pop().and_then(|row| row.run).expect("fired");
    assert_eq!(place.app.store.run(&run).expect("is there").started_by.as_deref(), Some("rest"));
    for (command, least) in [
        ("workflow_activate", CallerRole::Builder),
        ("workflow_deactivate", CallerRole::Builder),
        ("trigger_fire", CallerRole::Operator),
        ("trigger_list", CallerRole::Viewer),
        ("workflow_versions", CallerRole::Viewer),
    ] {
        assert_eq!(crate::command_list::find(command).map(|row| row.role), Some(least), "{command}");
    }
}

impl Place {
    fn version_of(&self, run: &str) -> String {
        self.app.store.run(run).expect("is there").definition_hash
    }

    fn whole_output(&self, run: &str) -> Vec<Value> {
        let runtime = self.app.runtime.clone();
        let id = run.to_owned();
        self.app.wait_for(async move { runtime.wait(&id).await }).expect("threads").expect("ends");
        let summary = json!(self.app.summary_now(run).expect("is there"));
        summary["output"].as_array().cloned().unwrap_or_default()
    }

    /// What the run put out, as far as the tests look at it.
    fn output(&self, run: &str) -> Value {
        let pick = |item: &Value| json!({ "scheduledAt": item["scheduledAt"], "at": item["at"] });
        self.whole_output(run).iter().map(pick).collect()
    }
}
