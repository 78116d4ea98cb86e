use crate::people::{answer, ask, asked, record};
use crate::support::{T0, count, started, temporary};
use serde_json::json;
use signalbox_model::time;
use signalbox_store::{Answered, TaskAct, TaskError};

/// Fault 15, K-19: random, stored hashed, bound to the task at one revision, single use, expires.
#[test]
fn a_secret_answers_its_task_once() {
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    let mut created = ask("t", json!(1));
    created.expires_at = Some(time::format(T0 + 90_000));
    asked(&store, "r", &owner, 2, created);
    asked(&store, "r", &owner, 3, ask("u", json!(1)));
    let issue = |task: &str| store.issue_task_secret(task, T0).expect("issues").expect("is open");
    let (stale, other) = (issue("t"), issue("u"));
    let entry = record("TASK_CHANGED", "r", json!({}));
    store.act_on_task("t", TaskAct::Comment, "user:bob", Some("hm".into()), T0, entry).expect("acts");
    let good = issue("t");
    assert_eq!((good.len(), good == issue("t")), (32, false), "128 bits, never the same");
    assert_eq!(count(folder.path(), &format!("SELECT count(*) FROM task_token WHERE hash = '{good}'")), 0, "hashed");
    let with = |secret: &str, request: &str| {
        let mut answer = answer("t", "r", "user:anna");
        answer.secret = Some(secret.to_owned());
        answer.request_id = Some(request.to_owned());
        store.answer_task(answer)
    };
    assert_eq!(with("0123", "q"), Err(TaskError::BadToken));
    assert_eq!(with(&other, "q"), Err(TaskError::BadToken));
    assert_eq!(with(&stale, "q"), Err(TaskError::Stale { expected: 1, found: 2 }));
    assert_eq!(store.task("t").expect("reads").expect("there").revision, 2, "untouched");
    assert_eq!(store.task_of_secret(&good).expect("reads"), Some("t".into()));
    let told = with(&good, "q").expect("answers");
    assert_eq!(with(&good, "q"), Ok(Answered { repeated: true, ..told }), "the same request again");
    assert!(matches!(with(&good, "q2"), Err(TaskError::AlreadyAnswered { .. })));
    assert_eq!(store.issue_task_secret("t", T0).expect("reads"), None);
}

#[test]
fn a_secret_ends_with_the_time_of_its_task() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    asked(&store, "r", &owner, 2, ask("t", json!(1)));
    let secret = store.issue_task_secret("t", T0).expect("issues");
    let mut late = answer("t", "r", "user:anna");
    late.secret = secret;
    late.at_ms = T0 + 25 * 3_600_000;
    assert_eq!(store.answer_task(late), Err(TaskError::Expired { at_ms: Some(T0 + 24 * 3_600_000) }));
}
