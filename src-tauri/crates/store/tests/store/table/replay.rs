//! Replays: each failure begins once, and only while the replay goes on.

use super::failure::{fails, open};
use crate::support::{T0, new_run, temporary};
use serde_json::json;
use signalbox_model::AuditEvent;
use signalbox_store::audit::{Actor, Level, RUN_LEVEL, Record};
use signalbox_store::{CommitError, FailureQuery, NewReplay, NewRun, ReplayState, Replayed, Store, StoreError};

const RUNNING: &[ReplayState] = &[ReplayState::Running];

fn record() -> Record {
    Record::new("2026-01-01T00:00:00.000Z", "r", RUN_LEVEL, AuditEvent::ReplayStarted, Level::Info, Actor::system())
}

fn replay(store: &Store, id: &str, rule: &str) -> Result<u64, StoreError> {
    let group = store.failure_groups(&FailureQuery::default())?.groups.first().map(|group| group.key.clone());
    let new = NewReplay {
        id: id.into(),
        group: group.unwrap_or_default(),
        rule: rule.into(),
        correction: "{}".into(),
        reason: "because".into(),
        person: "user:anna".into(),
        made_ms: T0,
        definition: None,
        only: None,
    };
    store.replay_add(new, None, |_| record())
}

fn begin(store: &Store, replay: &str, failure: i64, run: &str, parent: &str) -> Result<(), CommitError> {
    let replayed = Some(Replayed { replay: replay.into(), failure });
    store.create_run(NewRun { parent_run_id: Some(parent.into()), replayed, ..new_run(run) }).map(drop)
}

fn three(store: &Store) {
    for n in 0..3 {
        fails(store, new_run(&format!("r{n}")), "No account", json!({}), T0 + n);
    }
}

fn halted(outcome: Result<(), CommitError>) -> bool {
    matches!(outcome, Err(CommitError::Store(StoreError::ReplayHalted { .. })))
}

#[test]
fn a_failure_begins_once_and_nothing_begins_after_a_stop() {
    let (_folder, store) = temporary();
    assert!(matches!(replay(&store, "none", "r"), Err(StoreError::UnknownFailures { .. })));
    three(&store);
    assert_eq!(replay(&store, "one", "r"), Ok(3));
    assert!(matches!(replay(&store, "two", "r"), Err(StoreError::NothingToReplay { .. })), "they wait in the first");
    let items = store.replay_items("one", "waiting", 0, 10).expect("reads");
    assert_eq!(items.len(), 3);
    begin(&store, "one", items[0].failure, "new", &items[0].run_id).expect("begins");
    let twice = begin(&store, "one", items[0].failure, "newer", &items[0].run_id);
    assert!(
        matches!(twice, Err(CommitError::Store(StoreError::ReplayedBefore { ref run })) if run == "new"),
        "{twice:?}"
    );
    assert!(store.run("newer").is_err(), "nothing of it was written");
    // Somebody re-runs one by hand.
    drop(
        store
            .create_run(NewRun { parent_run_id: Some(items[1].run_id.clone()), ..new_run("by hand") })
            .expect("begins"),
    );
    let late = begin(&store, "one", items[1].failure, "late", &items[1].run_id);
    assert!(matches!(late, Err(CommitError::Store(StoreError::ReplayedBefore { .. }))), "{late:?}");
    assert_eq!(store.replay_change("one", RUNNING, ReplayState::Paused, None, T0, |_| record()), Ok(true));
    assert!(halted(begin(&store, "one", items[2].failure, "third", &items[2].run_id)));
    assert_eq!(
        store.replay_change("one", RUNNING, ReplayState::Done, None, T0, |_| record()),
        Ok(false),
        "it is paused"
    );
    let open_states = &[ReplayState::Paused];
    assert_eq!(store.replay_change("one", open_states, ReplayState::Undone, None, T0, |_| record()), Ok(true));
    let counts = store.replay_counts("one").expect("counts");
    assert_eq!((counts.started, counts.waiting, counts.removed), (1, 0, 2));
    assert_eq!(open(&store), [("No account".to_owned(), 1)], "what had not begun is in the group again");
    assert_eq!(replay(&store, "three", "r"), Ok(1));
    // One that has ended is thrown away at its time, with its failures.
    assert_eq!(store.replays_sweep(T0), Ok(false));
    assert!(store.replay("one").is_ok());
    assert_eq!(store.replays_sweep(T0 + 1), Ok(false));
    assert!(store.replay("one").is_err() && store.replay("three").is_ok());
}

#[test]
fn a_replay_of_a_dead_process_is_taken_over_and_alike_rules_are_counted() {
    let (folder, store) = temporary();
    three(&store);
    assert_eq!(replay(&store, "one", "set /a"), Ok(3));
    assert_eq!(store.replays_undriven(), Ok(vec![]), "this process drives it");
    let kind = store.replay("one").expect("reads").kind;
    assert_eq!(store.replays_alike(&kind, "set /a"), Ok(0), "nothing has begun");
    let item = store.replay_items("one", "waiting", 0, 1).expect("reads").remove(0);
    begin(&store, "one", item.failure, "new", &item.run_id).expect("begins");
    assert_eq!((store.replays_alike(&kind, "set /a"), store.replays_alike(&kind, "set /b")), (Ok(1), Ok(0)));
    assert_eq!(store.replay_under_way("one"), Ok(vec!["new".to_owned()]));
    drop(store);
    let store = Store::open(folder.path(), &crate::support::options(folder.path())).expect("opens");
    assert_eq!(store.replays_undriven(), Ok(vec!["one".to_owned()]));
    assert_eq!(store.replay_claim("one"), Ok(true));
    assert_eq!(store.replays_undriven(), Ok(vec![]));
}
