use crate::support::{count, end, new_run, started, temporary};
use signalbox_audit::Actor;
use signalbox_store::{NewRun, StoreError, TaskChange};

fn asks(run: &str) -> NewRun {
    NewRun { tasks: vec![TaskChange::Sent { failed_run: "failed".into() }], ..new_run(run) }
}

/// Of two that send one failed run the first begins; the other begins nothing.
#[test]
fn a_failed_run_is_asked_about_by_one_run_at_a_time() {
    let (folder, store) = temporary();
    let owner = started(&store, "failed");
    end(&store, "failed", &owner, 2);
    assert_eq!(store.run_sent("failed").expect("reads"), None);
    let first = store.create_run(asks("first")).expect("is created");
    assert_eq!(store.run_sent("failed").expect("reads"), Some(("first".to_owned(), None)), "it has not asked yet");
    let refused = store.create_run(asks("second")).map(|_| ()).expect_err("one is under way");
    let refused = StoreError::from(refused);
    assert!(matches!(&refused, StoreError::RunSent { run, by } if run == "failed" && by == "first"), "{refused:?}");
    assert!(store.run("second").is_err(), "nothing of it is written");
    end(&store, "first", &first, 2);
    assert_eq!(store.run_sent("failed").expect("reads"), None, "that is over");
    store.create_run(asks("third")).expect("is created");
    assert_eq!(store.run_sent("failed").expect("reads").map(|(run, _)| run).as_deref(), Some("third"));
    store.delete_run("failed", Actor::system(), 0).expect("is deleted");
    assert_eq!(count(folder.path(), "SELECT count(*) FROM run_sent"), 0);
}
