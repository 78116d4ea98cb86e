use crate::people::{answer, ask, asked};
use crate::support::{T0, started, temporary};
use serde_json::json;
use signalbox_model::TaskAction;
use signalbox_store::{Store, TaskStats, TaskStatsQuery};

fn stats(store: &Store, since_ms: i64) -> TaskStats {
    let query = TaskStatsQuery { since_ms, now_ms: T0 + 60_000, workflow: None };
    store.task_stats(&query).expect("reads")
}

/// UX D2.14: volume, age, median time to decision, by cause.
#[test]
fn what_tasks_say_together_is_counted_from_their_rows() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    for (seq, (id, fingerprint)) in [("a", "x"), ("b", "x"), ("c", "x"), ("d", "y"), ("e", "y")].iter().enumerate() {
        let mut created = ask(id, json!(1));
        created.fingerprint = (*fingerprint).to_owned();
        asked(&store, "r", &owner, seq as u64 + 2, created);
    }
    let decide = |id: &str, action: TaskAction, person: &str, after: i64| {
        let mut given = answer(id, "r", person);
        (given.answer.action, given.at_ms) = (action, T0 + after);
        store.answer_task(given).expect("answers");
    };
    decide("a", TaskAction::Abort, "user:anna", 1_000);
    decide("b", TaskAction::Retry, "user:anna", 9_000);
    decide("c", TaskAction::Retry, "user:bob", 20_000);
    decide("d", TaskAction::Abort, "user:bob", 5_000);

    let found = stats(&store, T0);
    assert_eq!((found.created, found.open, found.decided, found.expired), (5, 1, 4, 0));
    assert_eq!((found.median_ms, found.oldest_ms, found.median_age_ms), (Some(9_000), Some(60_000), Some(60_000)));
    assert_eq!(found.actions, [(TaskAction::Retry, 2), (TaskAction::Abort, 2)]);
    assert_eq!(found.people, [("user:anna".into(), 2, 9_000), ("user:bob".into(), 2, 20_000)]);
    let workflow = &found.workflows[0];
    assert_eq!((workflow.id.as_str(), workflow.name.as_str(), workflow.created), ("wf", "Work", 5));
    let (first, second) = (&found.causes[0], &found.causes[1]);
    assert_eq!((first.fingerprint.as_str(), first.created, first.open, first.median_ms), ("x", 3, 0, Some(9_000)));
    assert_eq!(first.alike, Some((TaskAction::Retry, 2)), "the newest two, not the one before");
    assert_eq!((second.decided, second.open, second.alike), (1, 1, Some((TaskAction::Abort, 1))));
    assert!(!found.part);

    // Later: what was decided before does not count, what is open does.
    let late = stats(&store, T0 + 10_000);
    assert_eq!((late.created, late.open, late.decided, late.median_ms), (0, 1, 1, Some(20_000)));
    let other = TaskStatsQuery { since_ms: T0, now_ms: T0, workflow: Some("nope".into()) };
    assert_eq!(store.task_stats(&other).expect("reads"), TaskStats::default());
}
