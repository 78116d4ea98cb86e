use crate::support::{T0, count, new_run, open, temporary};
use signalbox_audit::Actor;
use signalbox_store::{NewRun, RUN_KEY_MS, RunKey, StoreError};
use std::sync::Barrier;

fn key(scope: &str, key: &str, hash: &str) -> RunKey {
    RunKey { scope: scope.into(), key: key.into(), request_hash: hash.into() }
}

fn keyed(run: &str, key: &RunKey, at_ms: i64) -> NewRun {
    NewRun { key: Some(key.clone()), started_ms: at_ms, ..new_run(run) }
}

#[test]
fn a_key_starts_one_run_for_a_day() {
    let (folder, store) = temporary();
    let anna = key("anna", "k", "h");
    let refused = |new: NewRun| StoreError::from(store.create_run(new).map(|_| ()).expect_err("is refused"));
    let before = |run: &str| StoreError::StartedBefore { run: run.into() };
    assert_eq!(store.run_of_key(&anna, T0), Ok(None));
    store.create_run(keyed("one", &anna, T0)).expect("is created");
    assert_eq!(refused(keyed("two", &anna, T0 + 1)), before("one"));
    assert_eq!(store.run_of_key(&anna, T0 + RUN_KEY_MS - 1), Ok(Some("one".into())));
    let other = key("anna", "k", "another request");
    let reused = StoreError::KeyReused { key: "k".into(), run: "one".into() };
    assert_eq!((refused(keyed("two", &other, T0)), store.run_of_key(&other, T0)), (reused.clone(), Err(reused)));
    assert!(store.run("two").is_err(), "nothing of it is written");
    // Somebody else's key, and another key of the same person, are other keys.
    store.create_run(keyed("ben's", &key("ben", "k", "h"), T0)).expect("is created");
    store.create_run(keyed("second", &key("anna", "k2", "h"), T0)).expect("is created");
    // A clock that was put back does not end a key, and a run that is gone still was started.
    assert_eq!(refused(keyed("two", &anna, T0 - 3_600_000)), before("one"));
    let owner = store.take_over("one").expect("reads");
    assert_eq!(owner, None, "this process drives it");
    store.create_run(keyed("next day", &other, T0 + RUN_KEY_MS)).expect("the key no longer holds");
    assert_eq!(store.run_of_key(&other, T0 + RUN_KEY_MS), Ok(Some("next day".into())));
    assert_eq!(count(folder.path(), "SELECT count(*) FROM run_key"), 3);
    assert_eq!(store.run_keys_sweep(T0 + RUN_KEY_MS - 1), Ok(0));
    assert_eq!(store.run_keys_sweep(T0 + RUN_KEY_MS), Ok(2));
    assert_eq!(store.run_of_key(&other, T0 + RUN_KEY_MS), Ok(Some("next day".into())));
}

#[test]
fn a_deleted_run_is_not_started_again_by_its_key() {
    let (_folder, store) = temporary();
    let key = key("anna", "k", "h");
    let owner = store.create_run(keyed("gone", &key, T0)).expect("is created");
    crate::support::end(&store, "gone", &owner, 2);
    store.delete_run("gone", Actor::system(), T0).expect("is deleted");
    assert_eq!(store.run_of_key(&key, T0), Ok(Some("gone".into())));
}

/// Two processes, many threads, one key: one run.
#[test]
fn starts_at_once_with_one_key_give_one_run() {
    let (folder, first) = temporary();
    let second = open(folder.path());
    let key = key("anna", "k", "h");
    let gate = Barrier::new(8);
    let outcomes: Vec<Result<String, String>> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..8)
            .map(|index| {
                let (store, key, gate) = (if index % 2 == 0 { &first } else { &second }, &key, &gate);
                scope.spawn(move || {
                    let run = format!("run-{index}");
                    gate.wait();
                    match store.create_run(keyed(&run, key, T0)).map_err(StoreError::from) {
                        Ok(_) => Ok(run),
                        Err(StoreError::StartedBefore { run }) => Err(run),
                        Err(other) => panic!("{other:?}"),
                    }
                })
            })
            .collect();
        starts.into_iter().map(|start| start.join().expect("no panic")).collect()
    });
    let made: Vec<&String> = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok()).collect();
    assert_eq!(made.len(), 1, "{outcomes:?}");
    assert!(outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).all(|run| run == made[0]), "{outcomes:?}");
    assert_eq!(count(folder.path(), "SELECT count(*) FROM run"), 1);
}
