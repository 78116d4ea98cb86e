use crate::support::{T0, count, new_run, open, temporary};
use signalbox_audit::{Actor, Level, RUN_LEVEL, Record};
use signalbox_model::hash::sha256_hex;
use signalbox_model::{AuditEvent, time};
use signalbox_store::{
    Activation, FIRING_KEPT_MS, Firing, NewRun, NewTrigger, SkippedTicks, Store, StoreError, TriggerRow,
};
use std::sync::Barrier;

const HOUR: i64 = 3_600_000;

fn record(event: AuditEvent) -> Record {
    Record::new(time::format(T0), "$store", RUN_LEVEL, event, Level::Info, Actor::system())
}

fn active(version: &str, at_ms: i64) -> Activation {
    Activation {
        workflow: "wf".into(),
        name: "Work".into(),
        version: version.into(),
        active: true,
        here: true,
        person: "user:anna".into(),
        at_ms,
    }
}

fn trigger(config: &str) -> NewTrigger {
    NewTrigger {
        id: "wf.t".into(),
        node: "t".into(),
        kind: "trigger.schedule".into(),
        title: None,
        config: config.into(),
    }
}

fn activate(store: &Store, version: &str, config: &str, at_ms: i64) {
    let text = format!("{{\"version\":\"{version}\"}}");
    let record = record(AuditEvent::WorkflowActivated);
    store.activate(active(version, at_ms), text, vec![trigger(config)], record).expect("is kept");
}

fn fired(run: &str, version: &str, tick: i64) -> NewRun {
    let firing = Firing {
        trigger: "wf.t".into(),
        version: version.into(),
        key: tick.to_string(),
        scheduled_ms: tick,
        fired_ms: tick + 5,
        is_tick: true,
        binaries: vec![(sha256_hex(b"bytes"), b"bytes".to_vec())],
        taken: Vec::new(),
    };
    NewRun { firing: Some(firing), ..new_run(run) }
}

fn row(store: &Store) -> TriggerRow {
    store.trigger("wf.t").expect("reads").expect("is active")
}

fn refused(store: &Store, new: NewRun) -> StoreError {
    StoreError::from(store.create_run(new).map(|_| ()).expect_err("is refused"))
}

#[test]
fn a_tick_has_one_run_and_moves_with_it() {
    let (folder, store) = temporary();
    activate(&store, "v1", "{}", T0);
    assert_eq!((row(&store).cursor_ms, store.trigger_change()), (T0, Ok(1)));
    store.create_run(fired("one", "v1", T0 + HOUR)).expect("is created");
    assert_eq!(row(&store).cursor_ms, T0 + HOUR);
    let again = StoreError::FiredBefore { trigger: "wf.t".into(), key: (T0 + HOUR).to_string() };
    assert_eq!(refused(&store, fired("two", "v1", T0 + HOUR)), again);
    assert!(store.run("two").is_err(), "nothing of it is written");
    // A refused run leaves nothing, and the tick stays for another one.
    store.create_run(new_run("three")).expect("is created");
    assert!(matches!(refused(&store, fired("three", "v1", T0 + 2 * HOUR)), StoreError::RunExists { .. }));
    assert_eq!(row(&store).cursor_ms, T0 + HOUR);
    assert_eq!(count(folder.path(), "SELECT count(*) FROM trigger_firing"), 1);
}

#[test]
fn bytes_that_came_with_an_occurrence_are_kept_with_its_run() {
    let (_folder, store) = temporary();
    activate(&store, "v1", "{}", T0);
    let hash = sha256_hex(b"bytes");
    store.create_run(fired("one", "v1", T0 + HOUR)).expect("is created");
    assert_eq!(store.binary("one", &hash), Ok(Some(b"bytes".to_vec())));
    assert_eq!(store.fired_run("wf.t", &(T0 + HOUR).to_string()), Ok(Some("one".into())));
    assert_eq!(store.fired_run("wf.t", "other"), Ok(None));
    // The same occurrence again starts nothing, and leaves nothing.
    refused(&store, fired("two", "v1", T0 + HOUR));
    store.create_run(new_run("other")).expect("is created");
    assert_eq!(store.binary("other", &hash), Ok(None), "another run does not have them");
}

#[test]
fn only_the_active_version_fires() {
    let (_folder, store) = temporary();
    activate(&store, "v1", "{}", T0);
    activate(&store, "v2", "{}", T0 + HOUR);
    let changed = StoreError::TriggerChanged { trigger: "wf.t".into() };
    assert_eq!(refused(&store, fired("old", "v1", T0 + HOUR)), changed);
    store.create_run(fired("new", "v2", T0 + HOUR)).expect("is created");
    assert_eq!(store.deactivate("wf", record(AuditEvent::WorkflowDeactivated)), Ok(true));
    assert_eq!(store.deactivate("wf", record(AuditEvent::WorkflowDeactivated)), Ok(false));
    assert_eq!(refused(&store, fired("late", "v2", T0 + 2 * HOUR)), changed);
    assert_eq!(store.triggers(), Ok(Vec::new()));
    assert_eq!(store.activation("wf").expect("reads").map(|one| one.active), Some(false));
    let versions = store.workflow_versions("wf").expect("reads");
    assert_eq!(versions.iter().map(|one| one.version.as_str()).collect::<Vec<_>>(), ["v2", "v1"]);
}

#[test]
fn a_schedule_that_stays_goes_on_where_it_stood_and_another_one_begins_now() {
    let (_folder, store) = temporary();
    activate(&store, "v1", "{\"every\":1000}", T0);
    activate(&store, "v2", "{\"every\":1000}", T0 + HOUR);
    assert_eq!(row(&store).cursor_ms, T0, "what was due meanwhile is not lost");
    activate(&store, "v3", "{\"every\":2000}", T0 + 2 * HOUR);
    assert_eq!(row(&store).cursor_ms, T0 + 2 * HOUR);
    store.deactivate("wf", record(AuditEvent::WorkflowDeactivated)).expect("is kept");
    activate(&store, "v3", "{\"every\":2000}", T0 + 3 * HOUR);
    assert_eq!(row(&store).cursor_ms, T0 + 3 * HOUR, "nothing was due while it was not active");
}

#[test]
fn skipped_ticks_are_counted_and_forgotten_ones_never_fire_again() {
    let (folder, store) = temporary();
    activate(&store, "v1", "{}", T0);
    let skipped = SkippedTicks {
        trigger: "wf.t".into(),
        version: "v1".into(),
        last_ms: T0 + 3 * HOUR,
        count: 3,
        at_ms: T0 + 4 * HOUR,
        reason: "missed".into(),
        problem: Some("it cannot".into()),
    };
    store.trigger_skip(skipped, record(AuditEvent::TriggerSkipped)).expect("is kept");
    store.create_run(fired("one", "v1", T0 + 4 * HOUR)).expect("is created");
    let told = store.trigger_firings("wf.t", 10).expect("reads");
    let seen: Vec<(i64, Option<&str>, u64)> =
        told.iter().map(|one| (one.scheduled_ms, one.run.as_deref(), one.count)).collect();
    assert_eq!(seen, [(T0 + 4 * HOUR, Some("one"), 1), (T0 + 3 * HOUR, None, 3)]);
    assert_eq!(row(&store).problem, None, "it fired again");
    let later = T0 + 4 * HOUR + FIRING_KEPT_MS;
    assert_eq!(store.trigger_firings_sweep(later), Ok(1));
    assert_eq!(store.trigger_firings_sweep(later + 1), Ok(1));
    // The clock is put back: what is forgotten does not come again.
    store.trigger_move("wf.t", T0).expect("is kept");
    assert_eq!(row(&store).cursor_ms, T0 + 4 * HOUR + 1);
    assert_eq!(count(folder.path(), "SELECT count(*) FROM trigger_firing"), 0);
}

#[test]
fn a_version_that_was_active_is_not_swept() {
    let (_folder, store) = temporary();
    activate(&store, "v1", "{}", T0);
    store.definition_put("unused", "{}").expect("is kept");
    for at in [T0, T0 + HOUR] {
        store.definitions_sweep("pinnedFiles", at, at - 600_000).expect("sweeps");
    }
    assert_eq!(store.definition_get("unused"), Ok(None));
    assert!(store.definition_get("v1").expect("reads").is_some());
}

/// Two processes, many threads, one tick: one run.
#[test]
fn firings_at_once_give_one_run() {
    let (folder, first) = temporary();
    let second = open(folder.path());
    activate(&first, "v1", "{}", T0);
    let gate = Barrier::new(8);
    let created: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|index| {
                let store = if index % 2 == 0 { &first } else { &second };
                let gate = &gate;
                scope.spawn(move || {
                    let new = fired(&format!("r{index}"), "v1", T0 + HOUR);
                    gate.wait();
                    usize::from(store.create_run(new).is_ok())
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    assert_eq!(created, 1);
    assert_eq!(count(folder.path(), "SELECT count(*) FROM run"), 1);
}
