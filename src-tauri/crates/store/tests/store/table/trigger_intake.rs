use crate::support::{T0, begin, commit, finish, new_run, temporary};
use signalbox_audit::{Actor, Level, RUN_LEVEL, Record};
use signalbox_model::{AuditEvent, RunStatus, time};
use signalbox_store::{Activation, BEGUN, Firing, NewRun, NewTrigger, RunCommit, RunEnd, Store, Taken};

fn record(event: AuditEvent) -> Record {
    Record::new(time::format(T0), "$store", RUN_LEVEL, event, Level::Info, Actor::system())
}

fn activate(store: &Store, workflow: &str, kind: &str, config: &str) {
    let active = Activation {
        workflow: workflow.into(),
        name: workflow.into(),
        version: format!("{workflow}-1"),
        active: true,
        here: true,
        person: "user:anna".into(),
        at_ms: T0,
    };
    let trigger = NewTrigger {
        id: format!("{workflow}.t"),
        node: "t".into(),
        kind: kind.into(),
        title: None,
        config: config.into(),
    };
    store.activate(active, "{}".into(), vec![trigger], record(AuditEvent::WorkflowActivated)).expect("is kept");
}

fn ends(store: &Store, run: &str, status: RunStatus) {
    let owner = store.create_run(new_run(run)).expect("is created");
    let end = RunEnd { ended_ms: T0 + 5, ..RunEnd::default() };
    let last = RunCommit { status: Some(status), end: Some(end), ..commit(run, &owner, vec![finish(run, 2)]) };
    store.commit(last).expect("ends");
}

fn fired(run: &str, key: &str, taken: Vec<Taken>) -> NewRun {
    let firing = Firing {
        trigger: "alarm.t".into(),
        version: "alarm-1".into(),
        key: key.into(),
        scheduled_ms: T0,
        fired_ms: T0 + 9,
        is_tick: false,
        binaries: Vec::new(),
        taken,
    };
    NewRun { firing: Some(firing), ..new_run(run) }
}

#[test]
fn a_failed_run_waits_for_each_active_trigger_of_another_workflow_until_its_run_is_there() {
    let (_folder, store) = temporary();
    let own = begin("r0");
    ends(&store, "r0", RunStatus::Failed);
    let workflow = store.run(&own.run_id).expect("is there").workflow_id;
    activate(&store, "alarm", "trigger.error", "{}");
    activate(&store, "clock", "trigger.schedule", "{}");
    activate(&store, &workflow, "trigger.error", "{}");
    for (run, status) in [
        ("r1", RunStatus::Failed),
        ("r2", RunStatus::Completed),
        ("r3", RunStatus::Cancelled),
        ("r4", RunStatus::Failed),
    ] {
        ends(&store, run, status);
    }
    let waiting = || -> Vec<(String, String)> {
        let found = store.trigger_failed_runs(10).expect("reads").into_iter();
        found.map(|one| (one.trigger, one.run)).collect()
    };
    assert_eq!(waiting(), [("alarm.t".into(), "r1".into()), ("alarm.t".into(), "r4".into())]);
    store.create_run(fired("a1", "r1", Vec::new())).expect("is created");
    assert_eq!(waiting(), [("alarm.t".into(), "r4".into())]);
    let other = store.trigger_failed_runs(1).expect("reads").remove(0);
    store.trigger_failed_run_settled(other).expect("writes");
    assert!(waiting().is_empty());
}

#[test]
fn what_a_trigger_takes_is_known_with_its_run_and_stays_known() {
    let (_folder, store) = temporary();
    let taken = |key: &str, value: &str| Taken { key: key.into(), value: value.into() };
    activate(&store, "alarm", "trigger.file_watch", "{}");
    store.trigger_take("alarm.t", vec![taken(BEGUN, "1")], T0).expect("writes");
    store.create_run(fired("a1", "k1", vec![taken("in/a.csv", "5 7")])).expect("is created");
    store.create_run(fired("a2", "k1", vec![taken("in/b.csv", "5 7")])).expect_err("fired before");
    let keys = || store.trigger_seen("alarm.t").expect("reads").into_keys().collect::<Vec<_>>();
    assert_eq!(keys(), [BEGUN, "in/a.csv"], "a refused run takes nothing");
    activate(&store, "alarm", "trigger.file_watch", "{}");
    assert_eq!(keys(), [BEGUN, "in/a.csv"], "the same settings go on");
    activate(&store, "alarm", "trigger.file_watch", "{\"path\":\"/other\"}");
    assert_eq!(keys(), ["in/a.csv"], "others begin anew");
}
