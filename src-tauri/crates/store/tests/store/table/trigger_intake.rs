use crate::support::{T0, begin, commit, finish, new_run, temporary};
use signalbox_audit::{Actor, Level, RUN_LEVEL, Record};
use signalbox_model::{AuditEvent, RunStatus, time};
use signalbox_store::{Activation, BEGUN, Firing, NewRun, NewTrigger, RunCommit, RunEnd, SeenLimits, Store, Taken};

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
    let taken = |key: &str, value: &str| Taken { key: key.into(), value: value.into(), once: false };
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

#[test]
fn what_must_be_new_creates_no_run_when_it_is_known() {
    let (_folder, store) = temporary();
    activate(&store, "alarm", "trigger.poll", "{}");
    let once = |key: &str| Taken { key: key.into(), value: String::new(), once: true };
    store.create_run(fired("a1", "k1", vec![once("7"), once("8")])).expect("is created");
    store.create_run(fired("a2", "k2", vec![once("9"), once("8")])).expect_err("one of them was taken");
    assert_eq!(store.trigger_seen("alarm.t").expect("reads").into_keys().collect::<Vec<_>>(), ["7", "8"]);
}

#[test]
fn what_a_trigger_took_is_forgotten_by_count_and_age_but_never_what_is_still_there() {
    let (_folder, store) = temporary();
    activate(&store, "alarm", "trigger.poll", "{}");
    let day = 86_400_000;
    let takes = |keys: &[&str], at: i64| {
        let taken = keys.iter().map(|key| Taken { key: (*key).into(), value: String::new(), once: true });
        store.trigger_take("alarm.t", taken.collect(), T0 + at * day).expect("is kept");
    };
    let there = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
    takes(&["a", "b"], 0);
    takes(&["c", "d"], 10);
    let limits = SeenLimits { most: 3, kept_ms: 50 * day };
    assert_eq!(store.trigger_forget("alarm.t", there(&["a", "b", "c", "d"]), limits, T0 + 11 * day), Ok(vec![]));
    // It was there a day ago, whenever it was taken.
    assert_eq!(store.trigger_forget("alarm.t", there(&["a", "b"]), limits, T0 + 12 * day), Ok(vec!["d".to_owned()]));
    assert_eq!(
        store.trigger_forget("alarm.t", there(&["a"]), limits, T0 + 100 * day),
        Ok(vec!["b".into(), "c".into()])
    );
    store.trigger_firings_sweep(T0 + 1_000 * day).expect("is swept");
    assert_eq!(store.trigger_seen("alarm.t").expect("reads").len(), 1, "the trigger is active");
    store.deactivate("alarm", record(AuditEvent::WorkflowDeactivated)).expect("is off");
    store.trigger_firings_sweep(T0 + 1_000 * day).expect("is swept");
    assert!(store.trigger_seen("alarm.t").expect("reads").is_empty());
}
